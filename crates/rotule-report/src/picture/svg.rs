//! A frame as SVG: triangles from the farthest to the nearest, as a painter would.

use super::palette::{Rgb, mix};
use super::raster::strokes;
use super::renderer::Frame;
use super::solid::Corner;
use super::vector::{Vector, add, dot, length, scale, sub};
use std::fmt::Write;

/// Longer edges are halved, so that the order of triangles is right, in pixels.
const EDGE: f64 = 60.0;
/// The most halvings of a triangle.
const HALVINGS: usize = 6;
/// The most triangles; with more of them none is halved.
const MANY: usize = 6000;

/// A triangle on the picture.
struct Tile {
    depth: f64,
    corners: [[f64; 2]; 3],
    colour: Rgb,
}

pub(super) fn draw(frame: &Frame<'_>, width: u32, height: u32) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         width=\"{width}\" height=\"{height}\">"
    );
    let [above, below] = frame.theme.sky.map(hex);
    let _ = writeln!(
        out,
        "<defs><linearGradient id=\"sky\" x2=\"0\" y2=\"1\"><stop stop-color=\"{above}\"/>\
         <stop offset=\"1\" stop-color=\"{below}\"/></linearGradient></defs>\n\
         <rect width=\"{width}\" height=\"{height}\" fill=\"url(#sky)\"/>"
    );
    if frame.is_from_above() {
        ground(frame, &mut out);
        shadow(frame, &mut out);
    }
    let mut tiles = tiles(frame, [f64::from(width), f64::from(height)]);
    tiles.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    // A thin rim of the same colour closes the seams between tiles.
    let _ = writeln!(out, "<g stroke-width=\".5\" stroke-linejoin=\"round\">");
    for run in tiles.chunk_by(|a, b| a.colour == b.colour) {
        let colour = hex(run[0].colour);
        let _ = write!(out, "<path fill=\"{colour}\" stroke=\"{colour}\" d=\"");
        run.iter().for_each(|tile| path(&mut out, tile.corners));
        out.push_str("\"/>\n");
    }
    out.push_str("</g>\n");
    if frame.is_flat && !frame.is_from_above() {
        ground(frame, &mut out);
    }
    directions(frame, f64::from(height), &mut out);
    out.push_str("</svg>\n");
    out
}

fn hex([r, g, b]: Rgb) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A number with one decimal, as short as it goes.
fn number(x: f64) -> String {
    let text = format!("{x:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// A triangle, from its first corner on in tenths of pixels.
fn path(out: &mut String, corners: [[f64; 2]; 3]) {
    let [[x, y], b, c] = corners.map(|corner| corner.map(|x| (10.0 * x).round() as i64));
    let tenths = |x: i64| {
        let text = number(x as f64 / 10.0);
        text.replacen("0.", ".", usize::from(x.abs() < 10))
    };
    let _ = write!(out, "M{} {}", tenths(x), tenths(y));
    let (mut letter, mut from) = ("l", [x, y]);
    for to in [b, c] {
        let [dx, dy] = [0, 1].map(|k: usize| to[k] - from[k]);
        let blank = if dy < 0 { "" } else { " " };
        let before = if letter.is_empty() && dx >= 0 { " " } else { letter };
        let _ = write!(out, "{before}{}{blank}{}", tenths(dx), tenths(dy));
        (letter, from) = ("", to);
    }
    out.push('z');
}

/// The triangles that face the eye, large ones in parts.
fn tiles(frame: &Frame<'_>, size: [f64; 2]) -> Vec<Tile> {
    let mut tiles = Vec::new();
    let halvings = if frame.triangles.len() > MANY { 0 } else { HALVINGS };
    let eye = frame.camera.eye();
    for (triangle, base, _) in &frame.triangles {
        let [a, b, c] = triangle.map(|corner| corner.place);
        let face = super::vector::cross(sub(b, a), sub(c, a));
        // The back of a closed solid is hidden.
        if dot(face, sub(eye, a)) <= 0.0 {
            continue;
        }
        let mut open = vec![(*triangle, halvings)];
        while let Some((triangle, left)) = open.pop() {
            let seen = triangle.map(|corner| frame.camera.project(corner.place));
            let [Some(a), Some(b), Some(c)] = seen else { continue };
            let corners = [a, b, c].map(|[x, y, _]| [x, y]);
            let outside = (0..2).any(|k| {
                corners.iter().all(|p| p[k] < 0.0) || corners.iter().all(|p| p[k] > size[k])
            });
            if outside {
                continue;
            }
            let edge = |i: usize, j: usize| {
                let d = [corners[i][0] - corners[j][0], corners[i][1] - corners[j][1]];
                d[0] * d[0] + d[1] * d[1]
            };
            let edges = [(0, 1, 2), (1, 2, 0), (2, 0, 1)];
            let longest =
                edges.into_iter().max_by(|p, q| edge(p.0, p.1).total_cmp(&edge(q.0, q.1)));
            if let Some((i, j, k)) = longest.filter(|(i, j, _)| edge(*i, *j) > EDGE * EDGE)
                && left > 0
            {
                let middle = between(triangle[i], triangle[j]);
                open.push(([triangle[i], middle, triangle[k]], left - 1));
                open.push(([middle, triangle[j], triangle[k]], left - 1));
                continue;
            }
            let [p, q, r] = triangle;
            let third = |pick: fn(&Corner) -> Vector| {
                scale(add(pick(&p), add(pick(&q), pick(&r))), 1.0 / 3.0)
            };
            let (place, normal) = (third(|corner| corner.place), third(|corner| corner.normal));
            let normal = scale(normal, 1.0 / length(normal).max(1e-12));
            let depth = length(sub(eye, place));
            let [p, q, r] = corners;
            let area = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
            // The rims of its neighbours cover what is this small.
            if area.abs() < 0.2 {
                continue;
            }
            tiles.push(Tile { depth, corners, colour: frame.shade(place, normal, *base) });
        }
    }
    tiles
}

fn between(a: Corner, b: Corner) -> Corner {
    let normal = add(a.normal, b.normal);
    Corner {
        place: scale(add(a.place, b.place), 0.5),
        normal: scale(normal, 1.0 / length(normal).max(1e-12)),
    }
}

/// The shadows of all solids as one area.
fn shadow(frame: &Frame<'_>, out: &mut String) {
    let shade = frame.theme.shade;
    let _ = write!(out, "<path opacity=\"{shade}\" d=\"");
    for (triangle, ..) in &frame.triangles {
        let seen = triangle
            .map(|corner| frame.shadow(corner.place).and_then(|place| frame.camera.project(place)));
        let [Some(a), Some(b), Some(c)] = seen else { continue };
        let turn = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
        // All run around the same way, so that those that overlap do not cancel.
        if turn.abs() < 0.02 {
            continue;
        }
        let [b, c] = if turn < 0.0 { [c, b] } else { [b, c] };
        path(out, [a, b, c].map(|[x, y, _]| [x, y]));
    }
    out.push_str("\"/>\n");
}

/// Lines on the ground, fainter with the distance.
fn ground(frame: &Frame<'_>, out: &mut String) {
    let ground = frame.ground;
    let floor = hex(frame.theme.floor);
    let most = (ground.reach / ground.cell).floor().min(400.0) as i64;
    let start = [ground.across, ground.ahead]
        .map(|axis| (dot(ground.centre, axis) / ground.cell).round() as i64);
    let lift = scale(frame.up, ground.level);
    let place = |a: f64, b: f64| {
        add(lift, add(scale(ground.across, a * ground.cell), scale(ground.ahead, b * ground.cell)))
    };
    for wide in [1, 5] {
        let _ = writeln!(out, "<g stroke=\"{floor}\" stroke-width=\".7\">");
        for direction in 0..2 {
            for k in (start[direction] - most..=start[direction] + most)
                .filter(|k| (k % 5 == 0) == (wide == 5))
            {
                line(frame, out, direction, k, (start[1 - direction], most), &place, wide);
            }
        }
        out.push_str("</g>\n");
    }
}

fn line(
    frame: &Frame<'_>,
    out: &mut String,
    direction: usize,
    k: i64,
    (start, most): (i64, i64),
    place: &dyn Fn(f64, f64) -> Vector,
    wide: i64,
) {
    let point = |along: i64| {
        let (along, k) = (along as f64, k as f64);
        if direction == 0 { place(k, along) } else { place(along, k) }
    };
    let step = (most / 12).max(1);
    let mut at = start - most;
    while at < start + most {
        let (from, to) = (point(at), point(at + step));
        at += step;
        let far = length(sub(scale(add(from, to), 0.5), frame.ground.centre)) / frame.ground.reach;
        let fade = 1.0 - ((far - 0.35) / 0.65).clamp(0.0, 1.0);
        let strength = fade * fade * if wide == 5 { 0.55 } else { 0.3 };
        let seen = [from, to].map(|end| frame.camera.project(end));
        let [Some(a), Some(b)] = seen else { continue };
        let outside = a.iter().chain(&b).any(|x| x.abs() > 1e4);
        if strength < 0.02 || outside {
            continue;
        }
        let [x, y, u, v] = [a[0], a[1], b[0], b[1]].map(number);
        let _ = writeln!(out, "<path d=\"M{x} {y}L{u} {v}\" opacity=\"{strength:.2}\"/>");
    }
}

fn directions(frame: &Frame<'_>, height: f64, out: &mut String) {
    let wide = (1.8 * height.min(800.0) / 800.0).max(1.0);
    let _ = writeln!(out, "<g stroke-width=\"{}\" stroke-linecap=\"round\">", number(wide));
    for (axis, [from, to]) in strokes(frame, height) {
        let colour = hex(mix(frame.theme.axes[axis], frame.theme.ink, 0.0));
        let [x, y, u, v] = [from[0], from[1], to[0], to[1]].map(number);
        let _ = writeln!(out, "<path d=\"M{x} {y}L{u} {v}\" stroke=\"{colour}\"/>");
    }
    out.push_str("</g>\n");
}
