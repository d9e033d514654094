//! Solids as triangles with normals at their corners, and shapes as placed solids.

use super::palette::Paint;
use super::vector::{Vector, add, besides, cross, dot, finite, scale, sub, unit};
use crate::scene::{JointMark, Shape};
use rotule_mesh::{Affine, Mesh, solids};
use rotule_symbolic::elementary::sincos;

/// Edges between faces that differ by less than the angle of this cosine are drawn round.
const CREASE: f64 = 0.8;
/// Sides of round solids.
const SIDES: u32 = 32;

/// A corner of a triangle: its place and the normal of the surface there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Corner {
    pub place: Vector,
    pub normal: Vector,
}

/// Triangles of one colour in the frame of a body.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    pub triangles: Vec<[Corner; 3]>,
    pub paint: Paint,
    /// `true` for joints, points and masses, which are drawn on request.
    pub mark: bool,
}

/// The triangles of a mesh, with normals that are rounded but for sharp edges.
pub(super) fn rounded(mesh: &Mesh) -> Vec<[Corner; 3]> {
    let faces: Vec<Vector> = mesh
        .triangles
        .iter()
        .map(|triangle| {
            let [a, b, c] = mesh.corners(*triangle);
            cross(sub(b, a), sub(c, a))
        })
        .collect();
    let directions: Vec<Vector> = faces.iter().map(|face| unit(*face, [0.0, 0.0, 1.0])).collect();
    // Faces around each corner, as one list with starts.
    let mut starts = vec![0_usize; mesh.vertices.len() + 1];
    for index in mesh.triangles.iter().flatten() {
        starts[*index as usize + 1] += 1;
    }
    for at in 1..starts.len() {
        starts[at] += starts[at - 1];
    }
    let mut around = vec![0_usize; 3 * mesh.triangles.len()];
    let mut filled = starts.clone();
    for (face, triangle) in mesh.triangles.iter().enumerate() {
        for index in triangle {
            around[filled[*index as usize]] = face;
            filled[*index as usize] += 1;
        }
    }
    let corner = |face: usize, index: u32| {
        let own = directions[face];
        let mut sum = [0.0; 3];
        // Where very many faces meet, they are a tip.
        let neighbours = &around[starts[index as usize]..starts[index as usize + 1]];
        for other in neighbours.iter().take(256) {
            if dot(directions[*other], own) > CREASE {
                sum = add(sum, faces[*other]);
            }
        }
        Corner { place: mesh.vertices[index as usize], normal: unit(sum, own) }
    };
    mesh.triangles
        .iter()
        .enumerate()
        .map(|(face, triangle)| triangle.map(|index| corner(face, index)))
        .collect()
}

/// The map of a solid along z, of length and radius one, to a segment.
pub(super) fn along(from: Vector, to: Vector, radius: f64) -> Affine {
    let axis = sub(to, from);
    let [a, b] = besides(unit(axis, [0.0, 0.0, 1.0]));
    let (a, b) = (scale(a, radius), scale(b, radius));
    Affine { matrix: [0, 1, 2].map(|i: usize| [a[i], b[i], axis[i]]), offset: from }
}

/// A round bar between two points.
pub(super) fn bar(from: Vector, to: Vector, radius: f64) -> Mesh {
    let unit_bar = solids::cylinder(1.0, 1.0, SIDES);
    let lifted = unit_bar.placed(&Affine::translation([0.0, 0.0, 0.5]));
    lifted.placed(&along(from, to, radius))
}

fn ball(centre: Vector, radius: f64) -> Mesh {
    solids::sphere(radius, SIDES).placed(&Affine::translation(centre))
}

/// A coil around z of radius one, from 0 to 1 with straight ends.
pub(super) fn coil() -> Mesh {
    const TURNS: u32 = 7;
    const STEPS: u32 = 18;
    const WIRE: f64 = 0.16;
    const AROUND: u32 = 6;
    let count = TURNS * STEPS;
    let step = 2.0 * std::f64::consts::PI;
    let mut vertices = Vec::new();
    for k in 0..=count {
        let share = f64::from(k) / f64::from(count);
        let (s, c) = sincos(step * f64::from(TURNS) * share);
        let radius = (share * 14.0).min((1.0 - share) * 14.0).min(1.0);
        for j in 0..AROUND {
            let (up, out) = sincos(step * f64::from(j) / f64::from(AROUND));
            let wide = radius + WIRE * out;
            // Along z the coil is stretched by its length: the wire is flatter there.
            vertices.push([wide * c, wide * s, share + 0.016 * up]);
        }
    }
    let mut triangles = Vec::new();
    for k in 0..count {
        for j in 0..AROUND {
            let (a, b) = (k * AROUND + j, k * AROUND + (j + 1) % AROUND);
            let (c, d) = (b + AROUND, a + AROUND);
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Mesh::weld(&vertices, &triangles)
}

/// The radius of a pin: thin in thick bodies, and still seen on thin ones.
fn pin_radius(reach: f64, grain: f64) -> f64 {
    (0.4 * reach).clamp(0.8 * grain, 1.6 * grain)
}

/// A shape as solids; `grain` is the size of marks.
pub(super) fn of_shape(shape: &Shape, paint: Paint, grain: f64) -> Vec<Solid> {
    let solid =
        |mesh: Mesh, paint: Paint, mark: bool| Solid { triangles: rounded(&mesh), paint, mark };
    let or = |given: f64, default: f64| if given > 0.0 { given } else { default };
    let meshes: Vec<(Mesh, Paint, bool)> = match shape {
        Shape::Bar { from, to, radius } => {
            let radius = or(*radius, 0.9 * grain);
            let ends = [ball(*from, radius), ball(*to, radius)];
            let all = std::iter::once(bar(*from, *to, radius)).chain(ends);
            all.map(|mesh| (mesh, paint, false)).collect()
        }
        Shape::Ball { centre, radius } => {
            vec![(ball(*centre, or(*radius, 2.2 * grain)), paint, false)]
        }
        Shape::Box { centre, size } => {
            let mesh = solids::cuboid(*size).placed(&Affine::translation(*centre));
            vec![(mesh, paint, false)]
        }
        Shape::Triangles { vertices, triangles, colour } => {
            let vertices: Vec<Vector> = vertices.iter().map(|v| v.map(f64::from)).collect();
            let paint = colour.map_or(paint, Paint::Own);
            vec![(Mesh { vertices, triangles: triangles.clone() }, paint, false)]
        }
        Shape::Terrain { vertices, triangles } => {
            let vertices: Vec<Vector> = vertices.iter().map(|v| v.map(f64::from)).collect();
            vec![(Mesh { vertices, triangles: triangles.clone() }, Paint::Ground, false)]
        }
        Shape::Disc { centre, axis, radius, width } => {
            wheel(*centre, unit(*axis, [0.0, 0.0, 1.0]), *radius, or(*width, 0.42 * radius))
        }
        Shape::Joint { kind, centre, axis } => {
            let z = unit(*axis, [0.0, 0.0, 1.0]);
            let mesh = match kind {
                JointMark::Revolute => {
                    let half = scale(z, 2.4 * grain);
                    bar(sub(*centre, half), add(*centre, half), 1.5 * grain)
                }
                JointMark::Prismatic => {
                    let [x, y] = besides(z);
                    let [x, y, z] =
                        [scale(x, 2.8 * grain), scale(y, 2.8 * grain), scale(z, 4.5 * grain)];
                    let matrix = [0, 1, 2].map(|i: usize| [x[i], y[i], z[i]]);
                    solids::cuboid([1.0; 3]).placed(&Affine { matrix, offset: *centre })
                }
                JointMark::Ball => ball(*centre, 1.7 * grain),
            };
            vec![(mesh, Paint::Steel, true)]
        }
        // It is part of the mechanism, not a mark that is left out where there are shapes.
        Shape::Pin { centre, axis, reach } => {
            let half = scale(unit(*axis, [0.0, 0.0, 1.0]), *reach);
            let pin = bar(sub(*centre, half), add(*centre, half), pin_radius(*reach, grain));
            vec![(pin, Paint::Steel, false)]
        }
        // The page draws these on request.
        Shape::Mass { .. } | Shape::Point { .. } | Shape::Axes => Vec::new(),
    };
    let finite = |mesh: &Mesh| mesh.vertices.iter().all(|vertex| finite(*vertex));
    let kept = meshes.into_iter().filter(|(mesh, ..)| finite(mesh));
    kept.map(|(mesh, paint, mark)| solid(mesh, paint, mark)).collect()
}

/// A wheel: the tyre, then a hub, a rim and spokes, which show that it turns.
fn wheel(centre: Vector, axis: Vector, radius: f64, width: f64) -> Vec<(Mesh, Paint, bool)> {
    let [a, b] = besides(axis);
    let half = scale(axis, 0.5 * width);
    let frame = |x: Vector, y: Vector, z: Vector, offset: Vector| Affine {
        matrix: [0, 1, 2].map(|i: usize| [x[i], y[i], z[i]]),
        offset,
    };
    let tyre = solids::tube(radius, 0.66 * radius, width, 2 * SIDES);
    let disc = |share: f64, radius: f64| {
        let end = scale(half, share);
        (bar(sub(centre, end), add(centre, end), radius), Paint::Steel, false)
    };
    let mut meshes = vec![
        (tyre.placed(&frame(a, b, axis, centre)), Paint::Tyre, false),
        disc(0.6, 0.16 * radius),
        disc(0.12, 0.3 * radius),
    ];
    for k in 0..5 {
        let (s, c) = sincos(0.4 * std::f64::consts::PI * f64::from(k));
        let arm = add(scale(a, c), scale(b, s));
        let middle = add(centre, scale(arm, 0.42 * radius));
        let side = scale(cross(axis, arm), 0.16 * radius);
        let spoke = frame(scale(arm, 0.6 * radius), side, scale(axis, 0.24 * width), middle);
        meshes.push((solids::cuboid([1.0; 3]).placed(&spoke), Paint::Steel, false));
    }
    meshes
}

/// Points of a shape that tell how large it is.
pub(super) fn outline(shape: &Shape) -> Vec<Vector> {
    let points = match shape {
        Shape::Bar { from, to, .. } => vec![*from, *to],
        Shape::Ball { centre, radius } => {
            let ends = (0..3).flat_map(|k| [-1.0, 1.0].map(|s| (k, s * radius)));
            ends.map(|(k, by)| {
                let mut point = *centre;
                point[k] += by;
                point
            })
            .collect()
        }
        Shape::Box { centre, size } => {
            corners(sub(*centre, scale(*size, 0.5)), add(*centre, scale(*size, 0.5)))
        }
        Shape::Triangles { vertices, .. } => {
            let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
            for vertex in vertices {
                for k in 0..3 {
                    low[k] = low[k].min(f64::from(vertex[k]));
                    high[k] = high[k].max(f64::from(vertex[k]));
                }
            }
            corners(low, high)
        }
        Shape::Disc { centre, axis, radius, .. } => {
            let [x, y] = besides(unit(*axis, [0.0, 0.0, 1.0]));
            let sides = [x, y, scale(x, -1.0), scale(y, -1.0)];
            sides.map(|side| add(*centre, scale(side, *radius))).to_vec()
        }
        Shape::Joint { centre, .. } | Shape::Pin { centre, .. } | Shape::Mass { centre } => {
            vec![*centre]
        }
        Shape::Point { place, .. } => vec![*place],
        Shape::Axes => vec![[0.0; 3]],
        // Hills reach beyond what moves on them.
        Shape::Terrain { .. } => Vec::new(),
    };
    points.into_iter().filter(|point| finite(*point)).collect()
}

/// The corners of a box.
pub(super) fn corners(low: Vector, high: Vector) -> Vec<Vector> {
    let corner = |k: usize| [0, 1, 2].map(|i| if k >> i & 1 == 1 { high[i] } else { low[i] });
    (0..8).map(corner).collect()
}
