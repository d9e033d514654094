//! Grounds given as functions, as triangles: below where wheels have been, fine where they bend.

use rotule_model::mechanism::{BodyId, Mechanism};
use rotule_report::{BodyPose, Shape};
use rotule_symbolic::{Expr, Kind};

/// The cells of a ground that is drawn, at most.
const CELLS: f64 = 9000.0;

/// Grounds given as functions, below where wheels have been: one for each that differs. A ground
/// that moves has no shape of its own and is left out.
pub fn terrain(mechanism: &Mechanism, drawn: &[BodyId], poses: &[BodyPose]) -> Vec<Shape> {
    if !has_slopes(mechanism) {
        return Vec::new();
    }
    let mut seen: Vec<Expr> = Vec::new();
    let mut shapes = Vec::new();
    for wheel in &mechanism.wheels {
        if seen.contains(&wheel.ground) {
            continue;
        }
        seen.push(wheel.ground);
        let kinds = mechanism.graph.kinds(wheel.ground);
        if [Kind::Time, Kind::State, Kind::Input].into_iter().any(|kind| kinds.contains(kind)) {
            continue;
        }
        let alike = mechanism.wheels.iter().filter(|other| other.ground == wheel.ground);
        let figures: Vec<usize> =
            (alike).filter_map(|one| drawn.iter().position(|&body| body == one.body)).collect();
        let radius = mechanism.evaluate(&[wheel.radius])[0];
        shapes.extend(hills(mechanism, wheel.ground, &figures, drawn.len(), poses, radius));
    }
    shapes
}

/// A ground as triangles, over the places of some figures and a margin around them.
fn hills(
    mechanism: &Mechanism,
    ground: Expr,
    figures: &[usize],
    count: usize,
    poses: &[BodyPose],
    radius: f64,
) -> Option<Shape> {
    let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
    for frame in poses.chunks_exact(count) {
        for &figure in figures {
            for axis in 0..2 {
                let at = frame[figure].position[axis];
                (low[axis], high[axis]) = (low[axis].min(at), high[axis].max(at));
            }
        }
    }
    let margin = 8.0 * radius + 0.1 * (high[0] - low[0]).max(high[1] - low[1]);
    let size = [0, 1].map(|axis| high[axis] - low[axis] + 2.0 * margin);
    let height = |x: f64, y: f64| {
        let known = [("wheel.x", x), ("wheel.y", y)];
        mechanism.evaluate_with(&[ground], &known).first().copied()
    };
    // Cells are short where the ground bends: a bump across a long road keeps its form.
    let begin = [0, 1].map(|axis| low[axis] - margin);
    let bends = [0, 1].map(|axis| bend(&height, begin, size, axis));
    let ratio = (bends[1] / bends[0]).sqrt();
    let ratio = if ratio.is_nan() { 1.0 } else { ratio.clamp(1e-3, 1e3) };
    let area = size[0] * size[1] / CELLS;
    let [columns, rows] = [area * ratio, area / ratio].map(f64::sqrt);
    let [columns, rows] = [size[0] / columns, size[1] / rows];
    if !(columns.is_finite() && rows.is_finite()) {
        return None;
    }
    // Where a direction needs no cells, the other has all.
    let few = |count: f64| count.ceil().clamp(4.0, CELLS / 4.0);
    let (columns, rows) = match columns < rows {
        true => (few(columns), few(CELLS / few(columns))),
        false => (few(CELLS / few(rows)), few(rows)),
    };
    let (columns, rows) = (columns as u32, rows as u32);
    let mut vertices = Vec::new();
    for row in 0..=rows {
        for column in 0..=columns {
            let x = begin[0] + size[0] * f64::from(column) / f64::from(columns);
            let y = begin[1] + size[1] * f64::from(row) / f64::from(rows);
            let z = height(x, y)?;
            vertices.push([x as f32, y as f32, z as f32]);
        }
    }
    let corner = |row: u32, column: u32| row * (columns + 1) + column;
    let cells = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
    let triangles = cells.flat_map(|(row, column)| {
        let [a, b] = [corner(row, column), corner(row, column + 1)];
        let [c, d] = [corner(row + 1, column), corner(row + 1, column + 1)];
        [[a, b, d], [a, d, c]]
    });
    Some(Shape::Terrain { vertices, triangles: triangles.collect() })
}

/// The largest second derivative of a ground along an axis, on lines beside each other.
fn bend(
    height: &impl Fn(f64, f64) -> Option<f64>,
    begin: [f64; 2],
    size: [f64; 2],
    axis: usize,
) -> f64 {
    const LINES: usize = 7;
    const POINTS: usize = 1500;
    let step = size[axis] / (POINTS - 1) as f64;
    let mut most = 0.0_f64;
    for line in 0..LINES {
        let aside = begin[1 - axis] + size[1 - axis] * (line as f64 + 0.5) / LINES as f64;
        let at = |k: usize| {
            let along = begin[axis] + step * k as f64;
            let (x, y) = if axis == 0 { (along, aside) } else { (aside, along) };
            height(x, y).unwrap_or(f64::NAN)
        };
        let course: Vec<f64> = (0..POINTS).map(at).collect();
        for three in course.windows(3) {
            most = most.max((three[0] - 2.0 * three[1] + three[2]).abs());
        }
    }
    // Below round-off, it is straight.
    let bend = most / (step * step);
    if bend > 1e-9 { bend } else { 0.0 }
}

/// Returns `true` if the ground of a wheel has hills.
pub fn has_slopes(mechanism: &Mechanism) -> bool {
    let mut graph = mechanism.graph.clone();
    let places = ["wheel.x", "wheel.y"].map(|name| graph.lookup(name));
    let symbols = places.map(|place| place.and_then(|place| graph.symbol_of(place)));
    mechanism
        .wheels
        .iter()
        .any(|wheel| symbols.iter().flatten().any(|symbol| graph.depends_on(wheel.ground, *symbol)))
}
