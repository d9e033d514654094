//! Frames of a film in the format VP8 (Bankoski et al. 2011), which every browser plays.
//!
//! A small encoder: macroblocks of 16 x 16 pixels are predicted from their neighbours or from the
//! same place of the frame before, and what is left is transformed and rounded with one fine step
//! for the whole film. There is no search for motion: most of a picture of a mechanism stands
//! still, and the rest is small. There is no filter of edges, and all numbers are integers, so that
//! the same pictures give the same bytes everywhere.

mod bits;
mod tables;
mod transform;

use super::Raster;
use bits::BitWriter;
use tables::{BANDS, CATEGORIES, COEFFICIENTS, MOTION, STILL, UPDATES, ZIGZAG};
use transform::{Block, cosine, inverse_cosine, inverse_walsh, walsh};

/// The index of the step of rounding, and what the standard's tables have there for the mean and
/// for the other coefficients of a block, then of the means of blocks.
const QUALITY: u32 = 12;
const STEPS: [i32; 2] = [15, 16];
const MEAN_STEPS: [i32; 2] = [30, 24];

/// Squared differences that a macroblock of the frame before may have, for each of its numbers.
const SAME: i64 = 2;

/// A plane of a picture: brightness, or one of the two colours, at half the resolution.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plane {
    width: usize,
    pixels: Vec<u8>,
}

impl Plane {
    fn new(width: usize, height: usize) -> Plane {
        Plane { width, pixels: vec![0; width * height] }
    }

    /// A square of this side.
    fn square(&self, x: usize, y: usize, side: usize) -> Vec<i32> {
        let rows = (y..y + side).map(|row| row * self.width + x);
        rows.flat_map(|at| self.pixels[at..at + side].iter().map(|pixel| i32::from(*pixel)))
            .collect()
    }
}

/// The planes of a picture, in whole macroblocks: brightness, blue, red.
type Planes = [Plane; 3];

/// The prediction of a macroblock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prediction {
    /// From the frame before, at the same place.
    Before,
    /// By the mean of the row above and the column to the left.
    Mean,
    /// By the row above.
    Above,
    /// By the column to the left.
    Left,
    /// By both, continued.
    Both,
}

use Prediction::{Above, Before, Both, Left, Mean};

/// The blocks above or to the left, as the next tokens need them: `true` if they had any
/// coefficients. Four of brightness, two of each colour, one of the means.
type Known = [bool; 9];

/// An encoder of pictures of one size.
pub struct Encoder {
    width: usize,
    height: usize,
    columns: usize,
    rows: usize,
    /// The frame before, as a decoder has it.
    before: Option<Planes>,
}

/// Coefficients of a macroblock: of the means, then of brightness, blue and red.
struct Coefficients {
    means: Block,
    blocks: Vec<Block>,
}

impl Encoder {
    /// An encoder of pictures of one size; 16 383 pixels are the most of a side.
    pub fn new(width: u32, height: u32) -> Encoder {
        let [width, height] = [width, height].map(|side| side.clamp(1, 16_383) as usize);
        let [columns, rows] = [width, height].map(|side| side.div_ceil(16));
        Encoder { width, height, columns, rows, before: None }
    }

    /// The next frame; a key frame does without the one before.
    pub fn frame(&mut self, picture: &Raster, key: bool) -> Vec<u8> {
        let source = self.planes(picture);
        let key = key || self.before.is_none();
        let before = self.before.take().filter(|_| !key);
        let mut now = source.clone();
        let mut head = self.header(key);
        let mut tokens = BitWriter::new();
        let mut above = vec![Known::default(); self.columns];
        // Which macroblocks of the row above, and to the left, follow the frame before.
        let mut still = vec![false; self.columns + 1];
        for row in 0..self.rows {
            let mut left = Known::default();
            let (mut corner, mut beside) = (false, false);
            for column in 0..self.columns {
                let (prediction, colour, guess) =
                    predict(&source, &now, before.as_ref(), row, column);
                let left_out = guess.iter().zip(&source).enumerate().all(|(k, (guess, plane))| {
                    let side = side_of(k);
                    prediction == Before
                        && distance(guess, &plane.square(side * column, side * row, side))
                            <= SAME * (side * side) as i64
                });
                let coefficients = (!left_out).then(|| coefficients(&source, &guess, row, column));
                let empty = coefficients.as_ref().is_none_or(Coefficients::is_empty);
                head.bit(empty, 128);
                if !key {
                    let neighbours = 2 * usize::from(still[column])
                        + 2 * usize::from(beside)
                        + usize::from(corner);
                    write_motion(&mut head, prediction, neighbours);
                }
                write_prediction(&mut head, prediction, colour, key);
                corner = still[column];
                beside = prediction == Before;
                still[column] = beside;
                match coefficients.filter(|_| !empty) {
                    Some(coefficients) => {
                        coefficients.write(&mut tokens, &mut above[column], &mut left);
                        rebuild(&mut now, &guess, Some(&coefficients), row, column);
                    }
                    None => {
                        (above[column], left) = Default::default();
                        rebuild(&mut now, &guess, None, row, column);
                    }
                }
            }
        }
        self.before = Some(now);
        self.assemble(key, &head.finish(), &tokens.finish())
    }

    /// The planes of a picture, whose last rows and columns are repeated up to whole macroblocks
    /// (BT.601, as the format has it).
    fn planes(&self, picture: &Raster) -> Planes {
        let (wide, tall) = (16 * self.columns, 16 * self.rows);
        let mut planes = [(wide, tall), (wide / 2, tall / 2), (wide / 2, tall / 2)]
            .map(|(width, height)| Plane::new(width, height));
        let pixel = |x: usize, y: usize| {
            let (x, y) = (x.min(self.width - 1), y.min(self.height - 1));
            let known = picture.pixels.get(y * picture.width as usize + x);
            known.copied().unwrap_or_default().map(i32::from)
        };
        for y in 0..tall {
            for x in 0..wide {
                let [r, g, b] = pixel(x, y);
                let bright = (16_839 * r + 33_059 * g + 6_420 * b + (16 << 16) + (1 << 15)) >> 16;
                planes[0].pixels[y * wide + x] = bright.clamp(0, 255) as u8;
            }
        }
        for y in 0..tall / 2 {
            for x in 0..wide / 2 {
                let four =
                    [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(i, k)| pixel(2 * x + i, 2 * y + k));
                let [r, g, b] = [0, 1, 2].map(|k| four.iter().map(|one| one[k]).sum::<i32>());
                let half = (128 << 18) + (1 << 17);
                let blue = (-9_719 * r - 19_081 * g + 28_800 * b + half) >> 18;
                let red = (28_800 * r - 24_116 * g - 4_684 * b + half) >> 18;
                planes[1].pixels[y * wide / 2 + x] = blue.clamp(0, 255) as u8;
                planes[2].pixels[y * wide / 2 + x] = red.clamp(0, 255) as u8;
            }
        }
        planes
    }

    /// The header of the frame.
    fn header(&self, key: bool) -> BitWriter {
        let mut head = BitWriter::new();
        if key {
            // The usual colours, clamped by the decoder.
            head.number(0, 2);
        }
        // No segments, no filter, one list of tokens, one step.
        head.number(0, 1);
        head.number(0, 1 + 6 + 3);
        head.number(0, 1);
        head.number(0, 2);
        head.number(QUALITY, 7);
        head.number(0, 5);
        if key {
            head.number(0, 1);
        } else {
            // This frame is for the next one; others are neither kept nor copied.
            head.number(0, 2);
            head.number(0, 2 + 2);
            head.number(0, 2);
            head.number(0, 1);
            head.number(1, 1);
        }
        for probability in UPDATES.as_flattened().as_flattened().as_flattened() {
            head.bit(false, *probability);
        }
        // Macroblocks without coefficients say so.
        head.number(1, 1);
        head.number(128, 8);
        if !key {
            // From the frame before or not, and which.
            head.number(64, 8);
            head.number(255, 8);
            head.number(128, 8);
            head.number(0, 2);
            for probability in MOTION.as_flattened() {
                head.bit(false, *probability);
            }
        }
        head
    }

    fn assemble(&self, key: bool, head: &[u8], tokens: &[u8]) -> Vec<u8> {
        let shown = 1 << 4;
        let tag = u32::from(!key) | shown | (head.len() as u32) << 5;
        let mut out = tag.to_le_bytes()[..3].to_vec();
        if key {
            out.extend([0x9d, 0x01, 0x2a]);
            out.extend((self.width as u16).to_le_bytes());
            out.extend((self.height as u16).to_le_bytes());
        }
        out.extend(head);
        out.extend(tokens);
        out
    }
}

impl Coefficients {
    fn is_empty(&self) -> bool {
        let mut blocks = self.blocks.iter().chain([&self.means]);
        blocks.all(|block| block.iter().all(|value| *value == 0))
    }

    /// Writes the tokens of all blocks.
    fn write(&self, out: &mut BitWriter, above: &mut Known, left: &mut Known) {
        let mut write = |block: &Block, kind: usize, column: usize, row: usize| {
            let near = usize::from(above[column]) + usize::from(left[row]);
            let any = write_block(out, block, kind, near);
            (above[column], left[row]) = (any, any);
        };
        write(&self.means, 1, 8, 8);
        for (k, block) in self.blocks.iter().enumerate() {
            match k {
                0..16 => write(block, 0, k % 4, k / 4),
                _ => {
                    let (first, k) = if k < 20 { (4, k - 16) } else { (6, k - 20) };
                    write(block, 2, first + k % 2, first + k / 2);
                }
            }
        }
    }
}

/// The side of a macroblock in a plane.
fn side_of(plane: usize) -> usize {
    if plane == 0 { 16 } else { 8 }
}

/// The sum of squared differences.
fn distance(a: &[i32], b: &[i32]) -> i64 {
    a.iter().zip(b).map(|(a, b)| i64::from((a - b) * (a - b))).sum()
}

/// The best prediction of a macroblock, that of its colours, and what it gives for each plane.
fn predict(
    source: &Planes,
    now: &Planes,
    before: Option<&Planes>,
    row: usize,
    column: usize,
) -> (Prediction, Prediction, [Vec<i32>; 3]) {
    let places = [0, 1, 2].map(|k| (side_of(k) * column, side_of(k) * row, side_of(k)));
    let given: [Vec<i32>; 3] = std::array::from_fn(|k| {
        let (x, y, side) = places[k];
        source[k].square(x, y, side)
    });
    let off = |guess: &[Vec<i32>], first: usize| -> i64 {
        guess.iter().zip(&given[first..]).map(|(guess, given)| distance(guess, given)).sum()
    };
    let from = |k: usize, how: Prediction| {
        let (x, y, side) = places[k];
        from_neighbours(&now[k], x, y, side, how)
    };
    let ways = [Mean, Above, Left, Both];
    let bright = ways.map(|how| (how, vec![from(0, how)]));
    let colour = ways.map(|how| (how, vec![from(1, how), from(2, how)]));
    let [bright, mut colour] = [(bright, 0), (colour, 1)].map(|(ways, first)| {
        ways.into_iter().min_by_key(|(_, guess)| off(guess, first)).expect("there are four ways")
    });
    let mut guess = bright.1;
    guess.append(&mut colour.1);
    if let Some(before) = before {
        let same: Vec<Vec<i32>> = (0..3)
            .map(|k| {
                let (x, y, side) = places[k];
                before[k].square(x, y, side)
            })
            .collect();
        // The frame before costs fewer bits.
        if off(&same, 0) <= off(&guess, 0) + 512 {
            return (Before, Before, same.try_into().expect("there are three planes"));
        }
    }
    (bright.0, colour.0, guess.try_into().expect("there are three planes"))
}

/// A square from what is above and to the left of it in the frame that is made.
fn from_neighbours(plane: &Plane, x: usize, y: usize, side: usize, how: Prediction) -> Vec<i32> {
    let at = |x: usize, y: usize| i32::from(plane.pixels[y * plane.width + x]);
    // Beyond the edges, the standard has fixed numbers.
    let above: Vec<i32> = (0..side).map(|k| if y > 0 { at(x + k, y - 1) } else { 127 }).collect();
    let left: Vec<i32> = (0..side).map(|k| if x > 0 { at(x - 1, y + k) } else { 129 }).collect();
    let corner = match (x > 0, y > 0) {
        (true, true) => at(x - 1, y - 1),
        (false, true) => 129,
        (_, false) => 127,
    };
    let known: Vec<i32> = match (y > 0, x > 0) {
        (true, true) => above.iter().chain(&left).copied().collect(),
        (true, false) => above.clone(),
        (false, true) => left.clone(),
        (false, false) => vec![128],
    };
    let count = known.len() as i32;
    let mean = (known.iter().sum::<i32>() + count / 2) / count;
    let value = |row: usize, column: usize| match how {
        Above => above[column],
        Left => left[row],
        Both => (left[row] + above[column] - corner).clamp(0, 255),
        Mean | Before => mean,
    };
    (0..side * side).map(|k| value(k / side, k % side)).collect()
}

/// The rounded coefficients of what a prediction leaves.
fn coefficients(source: &Planes, guess: &[Vec<i32>; 3], row: usize, column: usize) -> Coefficients {
    let mut blocks = Vec::with_capacity(24);
    let mut means = [0; 16];
    for (k, plane) in source.iter().enumerate() {
        let side = side_of(k);
        let given = plane.square(side * column, side * row, side);
        for (at, (top, left)) in places_of(side).enumerate() {
            let rest: Block = std::array::from_fn(|i| {
                let at = (top + i / 4) * side + left + i % 4;
                given[at] - guess[k][at]
            });
            let mut block = cosine(&rest);
            if k == 0 {
                means[at] = block[0];
            }
            for (i, value) in block.iter_mut().enumerate() {
                *value = rounded(*value, STEPS[usize::from(i > 0)]);
            }
            if k == 0 {
                block[0] = 0;
            }
            blocks.push(block);
        }
    }
    let mut means = walsh(&means);
    for (i, value) in means.iter_mut().enumerate() {
        *value = rounded(*value, MEAN_STEPS[usize::from(i > 0)]);
    }
    Coefficients { means, blocks }
}

/// The nearest multiple of a step; small numbers rather become zero.
fn rounded(value: i32, step: i32) -> i32 {
    value.signum() * ((value.abs() + step * 3 / 8) / step).min(2048)
}

/// Rows and columns of the blocks of a square.
fn places_of(side: usize) -> impl Iterator<Item = (usize, usize)> {
    let count = side / 4;
    (0..count * count).map(move |k| (k / count * 4, k % count * 4))
}

/// Writes a macroblock into the frame, as a decoder does.
fn rebuild(
    now: &mut Planes,
    guess: &[Vec<i32>; 3],
    coefficients: Option<&Coefficients>,
    row: usize,
    column: usize,
) {
    let means = coefficients.map(|one| {
        let mut means = one.means;
        for (i, value) in means.iter_mut().enumerate() {
            *value *= MEAN_STEPS[usize::from(i > 0)];
        }
        inverse_walsh(&means)
    });
    let mut number = 0;
    for (k, plane) in now.iter_mut().enumerate() {
        let side = side_of(k);
        let (x, y) = (side * column, side * row);
        for (at, (top, left)) in places_of(side).enumerate() {
            let rest = coefficients.map_or([0; 16], |one| {
                let mut block = one.blocks[number];
                for (i, value) in block.iter_mut().enumerate() {
                    *value *= STEPS[usize::from(i > 0)];
                }
                if let (0, Some(means)) = (k, &means) {
                    block[0] = means[at];
                }
                inverse_cosine(&block)
            });
            number += 1;
            for (i, rest) in rest.into_iter().enumerate() {
                let (down, right) = (top + i / 4, left + i % 4);
                let value = (guess[k][down * side + right] + rest).clamp(0, 255);
                plane.pixels[(y + down) * plane.width + x + right] = value as u8;
            }
        }
    }
}

/// Says whether a macroblock follows the frame before, without motion.
fn write_motion(head: &mut BitWriter, prediction: Prediction, neighbours: usize) {
    head.bit(prediction == Before, 64);
    if prediction == Before {
        // The frame before, not an older one; no motion.
        head.bit(false, 255);
        head.bit(false, STILL[neighbours]);
    }
}

/// Says how a macroblock and its colours are predicted from their neighbours.
fn write_prediction(head: &mut BitWriter, bright: Prediction, colour: Prediction, key: bool) {
    if bright == Before {
        return;
    }
    if key {
        head.bit(true, 145);
        head.bit(matches!(bright, Left | Both), 156);
        match bright {
            Left | Both => head.bit(bright == Both, 128),
            _ => head.bit(bright == Above, 163),
        }
    } else {
        head.bit(bright != Mean, 112);
        if bright != Mean {
            head.bit(bright == Both, 86);
            match bright {
                // Not by blocks of four pixels.
                Both => head.bit(false, 37),
                _ => head.bit(bright == Left, 140),
            }
        }
    }
    let [mean, above, left] = if key { [142, 114, 183] } else { [162, 101, 204] };
    head.bit(colour != Mean, mean);
    if colour != Mean {
        head.bit(colour != Above, above);
        if colour != Above {
            head.bit(colour == Both, left);
        }
    }
}

/// Writes the tokens of a block; `true` if it has coefficients.
fn write_block(out: &mut BitWriter, block: &Block, kind: usize, near: usize) -> bool {
    // The mean of brightness is with the means.
    let first = usize::from(kind == 0);
    let last = (first..16).rev().find(|at| block[ZIGZAG[*at]] != 0);
    let mut near = near;
    let mut after_zero = false;
    for at in first..16 {
        let p = &COEFFICIENTS[kind][BANDS[at]][near];
        if !after_zero {
            let more = last.is_some_and(|last| at <= last);
            out.bit(more, p[0]);
            if !more {
                break;
            }
        }
        let value = block[ZIGZAG[at]];
        out.bit(value != 0, p[1]);
        after_zero = value == 0;
        if value != 0 {
            write_value(out, value.abs(), p);
            out.bit(value < 0, 128);
        }
        near = value.unsigned_abs().min(2) as usize;
    }
    last.is_some()
}

/// Writes a size that is not zero.
fn write_value(out: &mut BitWriter, size: i32, p: &[u8; 11]) {
    out.bit(size > 1, p[2]);
    if size == 1 {
        return;
    }
    out.bit(size > 4, p[3]);
    if size <= 4 {
        out.bit(size > 2, p[4]);
        if size > 2 {
            out.bit(size == 4, p[5]);
        }
        return;
    }
    let category = CATEGORIES.iter().rposition(|(least, _)| size >= *least).unwrap_or(0);
    out.bit(category > 1, p[6]);
    match category {
        0 | 1 => out.bit(category == 1, p[7]),
        2 | 3 => {
            out.bit(false, p[8]);
            out.bit(category == 3, p[9]);
        }
        _ => {
            out.bit(true, p[8]);
            out.bit(category == 5, p[10]);
        }
    }
    let (least, probabilities) = CATEGORIES[category];
    let rest = size - least;
    for (bit, probability) in (0..probabilities.len()).rev().zip(probabilities) {
        out.bit(rest >> bit & 1 == 1, *probability);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A disc that crosses a ground with squares.
    fn picture(at: usize) -> Raster {
        let (width, height) = (75, 50);
        let pixel = |k: usize| {
            let (x, y) = (k % width, k / width);
            let (dx, dy) = (x as f64 - at as f64, y as f64 - 25.0);
            match (dx * dx + dy * dy < 150.0, (x / 10 + y / 10) % 2 == 0) {
                (true, _) => [200, 60, 20],
                (false, true) => [90, 110, 40],
                (false, false) => [220 - y as u8, 225, 235],
            }
        };
        let pixels = (0..width * height).map(pixel).collect();
        Raster { width: width as u32, height: height as u32, pixels }
    }

    #[test]
    fn what_a_decoder_has_stays_near_what_was_drawn() {
        let mut encoder = Encoder::new(75, 50);
        let mut sizes = Vec::new();
        for at in 0..70 {
            let drawn = picture(at);
            sizes.push(encoder.frame(&drawn, at == 0).len());
            let given = encoder.planes(&drawn);
            let found = encoder.before.as_ref().expect("a frame was made");
            for (plane, limit) in [(0, 12.0), (1, 12.0), (2, 12.0)] {
                let pairs = given[plane].pixels.iter().zip(&found[plane].pixels);
                let squares: f64 = pairs.map(|(a, b)| f64::from(a.abs_diff(*b)).powi(2)).sum();
                let mean = squares / found[plane].pixels.len() as f64;
                // Errors do not add up from frame to frame.
                assert!(mean < limit, "frame {at}, plane {plane}: {mean}");
            }
        }
        let later: usize = sizes[1..].iter().sum::<usize>() / 69;
        assert!(later < sizes[0] / 2, "{later} bytes of a frame, {} of the first", sizes[0]);
        // A frame like the one before costs next to nothing.
        let drawn = picture(69);
        encoder.frame(&drawn, false);
        assert!(encoder.frame(&drawn, false).len() < 60);
    }
}
