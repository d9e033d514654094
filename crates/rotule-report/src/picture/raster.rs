//! A frame as pixels: triangles with a buffer of depths, the ground with shadows, nine samples a
//! pixel.

use super::lamp::Lamp;
use super::palette::{Rgb, mix};
use super::renderer::{Frame, HILLS};
use super::vector::{Vector, add, dot, length, scale, sub};

/// Samples of a pixel along each side. Their grid is sheared, so that no two are in one line and
/// edges of every direction are smooth.
const SAMPLES: usize = 3;

/// A picture as pixels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Raster {
    /// The width.
    pub width: u32,
    /// The height.
    pub height: u32,
    /// Red, green and blue of all pixels, by rows from the top.
    pub pixels: Vec<[u8; 3]>,
}

impl Raster {
    /// Pictures beside and below each other, so many in a row.
    pub fn strip(pictures: &[Raster], columns: usize) -> Raster {
        const GAP: usize = 4;
        let Some(first) = pictures.first() else {
            return Raster { width: 0, height: 0, pixels: Vec::new() };
        };
        let columns = columns.clamp(1, pictures.len());
        let rows = pictures.len().div_ceil(columns);
        let [w, h] = [first.width as usize, first.height as usize];
        let width = columns * w + (columns - 1) * GAP;
        let height = rows * h + (rows - 1) * GAP;
        let rim = first.pixels.last().copied().unwrap_or([255; 3]);
        let mut pixels = vec![mix(rim, [128; 3], 0.35); width * height];
        for (at, picture) in pictures.iter().enumerate() {
            let [x, y] = [(at % columns) * (w + GAP), (at / columns) * (h + GAP)];
            for (row, line) in picture.pixels.chunks(w.max(1)).enumerate().take(h) {
                let start = (y + row) * width + x;
                pixels[start..start + w].copy_from_slice(line);
            }
        }
        Raster { width: width as u32, height: height as u32, pixels }
    }
}

/// Colours and depths of samples.
struct Buffer {
    width: usize,
    height: usize,
    colours: Vec<Rgb>,
    /// Distances along the line of sight.
    depths: Vec<f64>,
    /// `true` where a hill is nearest; empty where the ground is a plane.
    hills: Vec<bool>,
}

/// A corner on the picture: sample, depth.
type Seen = [f64; 3];

pub(super) fn draw(frame: &Frame<'_>, width: u32, height: u32) -> Raster {
    let [wide, tall] = [width as usize, height as usize].map(|side| side * SAMPLES);
    let mut buffer = Buffer {
        width: wide,
        height: tall,
        colours: background(frame, wide, tall),
        depths: vec![f64::INFINITY; wide * tall],
        hills: vec![false; if frame.is_flat { 0 } else { wide * tall }],
    };
    let seen = |point: Vector| {
        let [x, y, depth] = frame.camera.project(point)?;
        Some([x * SAMPLES as f64, y * SAMPLES as f64, depth])
    };
    for (triangle, base, layer) in &frame.triangles {
        let corners = triangle.map(|corner| seen(corner.place));
        let [Some(a), Some(b), Some(c)] = corners else { continue };
        let Buffer { colours, depths, hills, .. } = &mut buffer;
        scan([a, b, c], wide, tall, |at, depth, weights| {
            // Surfaces of two bodies in one place belong to one of them, not to both in spots.
            let depth = depth * (1.0 - 1e-4 * f64::from(*layer % HILLS));
            if depth >= depths[at] {
                return;
            }
            depths[at] = depth;
            if let Some(hill) = hills.get_mut(at) {
                *hill = *layer == HILLS;
            }
            let sum = |pick: fn(&super::solid::Corner) -> Vector| {
                let parts = [0, 1, 2].map(|k| scale(pick(&triangle[k]), weights[k]));
                add(parts[0], add(parts[1], parts[2]))
            };
            let normal = sum(|corner| corner.normal);
            let size = length(normal);
            let normal = if size > 0.0 { scale(normal, 1.0 / size) } else { frame.up };
            colours[at] = frame.shade(sum(|corner| corner.place), normal, *base);
        });
    }
    if frame.is_from_above() {
        shadows(frame, &mut buffer, seen);
    }
    if !frame.is_flat {
        shadows_on_hills(frame, &mut buffer);
    }
    lines(frame, &mut buffer);
    directions(frame, &mut buffer);
    buffer.reduce(width, height)
}

/// The sky: one colour above, another below.
fn background(frame: &Frame<'_>, wide: usize, tall: usize) -> Vec<Rgb> {
    let [above, below] = frame.theme.sky;
    let mut colours = Vec::with_capacity(wide * tall);
    for row in 0..tall {
        let colour = mix(above, below, row as f64 / tall.max(1) as f64);
        colours.resize(colours.len() + wide, colour);
    }
    colours
}

/// The place of a sample.
fn sample_at(column: usize, row: usize) -> [f64; 2] {
    let middle = |x: usize| x as f64 + 0.5;
    let shear = |x: usize| (x % SAMPLES) as f64 / SAMPLES as f64 - 1.0 / 3.0;
    [middle(column) + shear(row), middle(row) - shear(column)]
}

/// Calls for every sample in a triangle, with its depth and the shares of the corners.
pub(super) fn scan(
    [a, b, c]: [Seen; 3],
    wide: usize,
    tall: usize,
    mut sample: impl FnMut(usize, f64, [f64; 3]),
) {
    let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    if !area.is_finite() || area == 0.0 {
        return;
    }
    let bound = |axis: usize, most: usize| {
        let low = a[axis].min(b[axis]).min(c[axis]);
        let high = a[axis].max(b[axis]).max(c[axis]);
        let clamp = |x: f64| x.clamp(0.0, most as f64) as usize;
        (clamp((low - 1.0).floor()), clamp((high + 1.0).ceil()))
    };
    let ((left, right), (top, bottom)) = (bound(0, wide), bound(1, tall));
    let inverse = [1.0 / a[2], 1.0 / b[2], 1.0 / c[2]];
    for row in top..bottom {
        for column in left..right {
            let [x, y] = sample_at(column, row);
            let edge = |p: Seen, q: Seen| (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
            let shares = [edge(b, c) / area, edge(c, a) / area, edge(a, b) / area];
            if shares.iter().any(|share| *share < 0.0) {
                continue;
            }
            // Shares on the picture become shares of the triangle in space.
            let weights = [0, 1, 2].map(|k| shares[k] * inverse[k]);
            let depth = 1.0 / (weights[0] + weights[1] + weights[2]);
            sample(row * wide + column, depth, weights.map(|weight| weight * depth));
        }
    }
}

/// Darkens the ground once, however many solids are above it.
fn shadows(frame: &Frame<'_>, buffer: &mut Buffer, seen: impl Fn(Vector) -> Option<Seen>) {
    let mut dark = vec![false; buffer.colours.len()];
    for (triangle, ..) in &frame.triangles {
        let corners = triangle.map(|corner| frame.shadow(corner.place).and_then(&seen));
        let [Some(a), Some(b), Some(c)] = corners else { continue };
        scan([a, b, c], buffer.width, buffer.height, |at, depth, _| {
            dark[at] |= depth < buffer.depths[at];
        });
    }
    for (colour, dark) in buffer.colours.iter_mut().zip(dark) {
        if dark {
            *colour = mix(*colour, [0; 3], frame.theme.shade);
        }
    }
}

/// Darkens hills where something is between them and the lamp.
fn shadows_on_hills(frame: &Frame<'_>, buffer: &mut Buffer) {
    let lamp = Lamp::new(frame);
    let eye = frame.camera.eye();
    for at in (0..buffer.hills.len()).filter(|at| buffer.hills[*at]).collect::<Vec<_>>() {
        let [x, y] = sample_at(at % buffer.width, at / buffer.width);
        let ray = frame.camera.ray(x / SAMPLES as f64, y / SAMPLES as f64);
        if lamp.is_hidden_from(add(eye, scale(ray, buffer.depths[at]))) {
            let colour = &mut buffer.colours[at];
            *colour = mix(*colour, [0; 3], frame.theme.shade);
        }
    }
}

/// Lines on the ground, which fade with the distance.
fn lines(frame: &Frame<'_>, buffer: &mut Buffer) {
    let (ground, eye) = (frame.ground, frame.camera.eye());
    let height = ground.level - dot(frame.up, eye);
    // Where on the ground a pixel is, in squares, and how far off.
    let hit = |buffer: &Buffer, column: usize, row: usize| {
        let ray = frame.camera.ray(column as f64 + 0.5, row as f64 + 0.5);
        let depth = match frame.is_flat {
            true => height / dot(frame.up, ray),
            false => buffer.hill(column, row)?,
        };
        if !depth.is_finite() || depth <= 0.0 {
            return None;
        }
        let place = add(eye, scale(ray, depth));
        let at = [dot(place, ground.across), dot(place, ground.ahead)];
        Some((at.map(|x| x / ground.cell), depth, place))
    };
    for row in 0..buffer.height / SAMPLES {
        for column in 0..buffer.width / SAMPLES {
            let Some((at, depth, place)) = hit(buffer, column, row) else { continue };
            let far = length(sub(place, ground.centre)) / ground.reach;
            let beside = hit(buffer, column + 1, row);
            let (Some((beside, ..)), Some((below, ..))) = (beside, hit(buffer, column, row + 1))
            else {
                continue;
            };
            if far >= 1.0 {
                continue;
            }
            let step = [0, 1].map(|k: usize| (beside[k] - at[k]).abs() + (below[k] - at[k]).abs());
            let strength = |width: f64| {
                let line = |k: usize| {
                    let (at, step) = (at[k] / width, step[k] / width);
                    let off = (at - at.round()).abs();
                    // Lines closer than pixels melt into nothing instead of flickering.
                    smooth(1.1 * step, 0.0, off) * smooth(0.5, 0.15, step)
                };
                line(0).max(line(1))
            };
            let strength = (0.3 * strength(1.0)).max(0.55 * strength(5.0));
            let share = strength * (1.0 - smooth(0.35, 1.0, far));
            for sample in 0..SAMPLES * SAMPLES {
                let (right, down) = (sample % SAMPLES, sample / SAMPLES);
                let index = (row * SAMPLES + down) * buffer.width + column * SAMPLES + right;
                let is_ground = match buffer.hills.get(index) {
                    Some(is_hill) => *is_hill,
                    None => depth < buffer.depths[index],
                };
                if share > 0.0 && is_ground {
                    let colour = &mut buffer.colours[index];
                    *colour = mix(*colour, frame.theme.floor, share);
                }
            }
        }
    }
}

/// A smooth step from zero at one number to one at another.
fn smooth(zero: f64, one: f64, x: f64) -> f64 {
    let t = ((x - zero) / (one - zero)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// The directions x, y and z in the lower left corner, the farthest first.
pub(super) fn compass(frame: &Frame<'_>, height: f64) -> Vec<(usize, [[f64; 2]; 2])> {
    let [right, top, back] = frame.camera.axes();
    let unit = height.min(800.0) / 800.0;
    let (reach, middle) = (34.0 * unit, [62.0 * unit, height - 58.0 * unit]);
    let mut all: Vec<(f64, usize, [[f64; 2]; 2])> = (0..3)
        .map(|k| {
            let tip = [middle[0] + reach * right[k], middle[1] - reach * top[k]];
            (back[k], k, [middle, tip])
        })
        .collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, k, line)| (k, line)).collect()
}

/// Letters x, y and z as strokes in a square from -1 to 1, downwards.
pub(super) const LETTERS: [&[[[f64; 2]; 2]]; 3] = [
    &[[[-1.0, -1.0], [1.0, 1.0]], [[-1.0, 1.0], [1.0, -1.0]]],
    &[[[-1.0, -1.0], [0.0, 0.2]], [[1.0, -1.0], [-0.6, 1.4]]],
    &[[[-1.0, -1.0], [1.0, -1.0]], [[1.0, -1.0], [-1.0, 1.0]], [[-1.0, 1.0], [1.0, 1.0]]],
];

/// The strokes of the directions with their letters.
pub(super) fn strokes(frame: &Frame<'_>, height: f64) -> Vec<(usize, [[f64; 2]; 2])> {
    let mut all = Vec::new();
    for (axis, [from, to]) in compass(frame, height) {
        all.push((axis, [from, to]));
        let way = [to[0] - from[0], to[1] - from[1]];
        let size = (way[0] * way[0] + way[1] * way[1]).sqrt();
        let small = height.min(800.0) / 800.0;
        if size < 9.0 * small {
            continue;
        }
        let beyond = [0, 1].map(|k: usize| to[k] + way[k] / size * 12.0 * small);
        let letter = |p: [f64; 2]| [0, 1].map(|k: usize| beyond[k] + 4.2 * small * p[k]);
        all.extend(LETTERS[axis].iter().map(|stroke| (axis, stroke.map(letter))));
    }
    all
}

fn directions(frame: &Frame<'_>, buffer: &mut Buffer) {
    let height = buffer.height as f64 / SAMPLES as f64;
    let half = (0.9 * height.min(800.0) / 800.0).max(0.5);
    for (axis, line) in strokes(frame, height) {
        let [from, to] = line.map(|end| end.map(|x| x * SAMPLES as f64));
        let wide = half * SAMPLES as f64;
        let range = |k: usize, most: usize| {
            let clamp = |x: f64| x.clamp(0.0, most as f64) as usize;
            let (low, high) = (from[k].min(to[k]), from[k].max(to[k]));
            clamp(low - wide)..clamp(high + wide + 1.0)
        };
        for row in range(1, buffer.height) {
            for column in range(0, buffer.width) {
                let p = [column as f64 + 0.5 - from[0], row as f64 + 0.5 - from[1]];
                let d = [to[0] - from[0], to[1] - from[1]];
                let share = (p[0] * d[0] + p[1] * d[1]) / (d[0] * d[0] + d[1] * d[1]).max(1e-9);
                let share = share.clamp(0.0, 1.0);
                let off = [p[0] - share * d[0], p[1] - share * d[1]];
                if off[0] * off[0] + off[1] * off[1] <= wide * wide {
                    buffer.colours[row * buffer.width + column] = frame.theme.axes[axis];
                }
            }
        }
    }
}

impl Buffer {
    /// The distance of the hill in the middle of a pixel, if there is one.
    fn hill(&self, column: usize, row: usize) -> Option<f64> {
        let middle = |k: usize| k * SAMPLES + SAMPLES / 2;
        let at = middle(row) * self.width + middle(column);
        let inside = middle(column) < self.width;
        (inside && *self.hills.get(at)?).then(|| self.depths[at])
    }

    /// Means of the samples of each pixel.
    fn reduce(&self, width: u32, height: u32) -> Raster {
        let mut pixels = Vec::with_capacity(width as usize * height as usize);
        for row in 0..height as usize {
            for column in 0..width as usize {
                let mut sum = [0_u32; 3];
                for sample in 0..SAMPLES * SAMPLES {
                    let (x, y) = (sample % SAMPLES, sample / SAMPLES);
                    let at = (row * SAMPLES + y) * self.width + column * SAMPLES + x;
                    (0..3).for_each(|k| sum[k] += u32::from(self.colours[at][k]));
                }
                let all = (SAMPLES * SAMPLES) as u32;
                pixels.push(sum.map(|part| ((part + all / 2) / all) as u8));
            }
        }
        Raster { width, height, pixels }
    }
}
