//! The triangles of simple solids, closed and counter-clockwise seen from outside.
//!
//! Round solids are inscribed: their corners are on the surface, so that a cylinder of n sides has
//! the volume of a prism, smaller by about 2 pi^2/(3 n^2).

use rotule_symbolic::elementary::sincos;

use crate::Mesh;

/// The circle number.
const PI: f64 = std::f64::consts::PI;

/// A box around the origin with these lengths along x, y and z.
pub fn cuboid(size: [f64; 3]) -> Mesh {
    let corner = |index: u32| {
        [0, 1, 2].map(|axis: usize| if index >> axis & 1 == 1 { 0.5 } else { -0.5 } * size[axis])
    };
    let vertices: Vec<_> = (0..8).map(corner).collect();
    let faces =
        [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    let triangles: Vec<_> =
        faces.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
    Mesh::weld(&vertices, &triangles)
}

/// A cylinder around z, its middle at the origin.
pub fn cylinder(radius: f64, length: f64, sides: u32) -> Mesh {
    let h = 0.5 * length;
    revolve(&[[0.0, -h], [radius, -h], [radius, h], [0.0, h]], sides)
}

/// A cylinder around z with a hole, its middle at the origin.
pub fn tube(outer: f64, inner: f64, length: f64, sides: u32) -> Mesh {
    let h = 0.5 * length;
    revolve(&[[inner, -h], [outer, -h], [outer, h], [inner, h], [inner, -h]], sides)
}

/// A cone around z: its base at z = 0, its tip at z = length.
pub fn cone(radius: f64, length: f64, sides: u32) -> Mesh {
    revolve(&[[0.0, 0.0], [radius, 0.0], [0.0, length]], sides)
}

/// A sphere around the origin.
pub fn sphere(radius: f64, sides: u32) -> Mesh {
    revolve(&arc(radius, 0.0, 0.0, PI, sides.div_ceil(2)), sides)
}

/// A capsule around z: a cylinder of this length with half a sphere at either end.
pub fn capsule(radius: f64, length: f64, sides: u32) -> Mesh {
    let quarter = sides.div_ceil(4);
    let mut profile = arc(radius, -0.5 * length, 0.0, 0.5 * PI, quarter);
    profile.extend(arc(radius, 0.5 * length, 0.5 * PI, PI, quarter));
    revolve(&profile, sides)
}

/// A torus around z: a circle of radius `minor` whose centre runs on one of radius `major`.
pub fn torus(major: f64, minor: f64, sides: u32) -> Mesh {
    let sides = sides.max(3);
    let step = 2.0 * PI / f64::from(sides);
    let point = |i: u32, j: u32| {
        let ((s, c), (t, d)) = (sincos(step * f64::from(i)), sincos(step * f64::from(j)));
        [(major + minor * d) * c, (major + minor * d) * s, minor * t]
    };
    let vertices: Vec<_> = (0..sides)
        .flat_map(|i| (0..sides).map(move |j| (i, j)))
        .map(|(i, j)| point(i, j))
        .collect();
    let index = |i: u32, j: u32| i % sides * sides + j % sides;
    let mut triangles = Vec::new();
    for i in 0..sides {
        for j in 0..sides {
            let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Mesh::weld(&vertices, &triangles)
}

/// An arc of a meridian, from an angle off the lower pole to another: radius and height of points.
fn arc(radius: f64, height: f64, from: f64, to: f64, steps: u32) -> Vec<[f64; 2]> {
    let steps = steps.max(2);
    let point = |k: u32| {
        let (s, c) = sincos(from + (to - from) * f64::from(k) / f64::from(steps));
        // The poles are on the axis to the last bit.
        let on_axis = (k == 0 && from == 0.0) || (k == steps && to == PI);
        [if on_axis { 0.0 } else { radius * s }, height - radius * c]
    };
    (0..=steps).map(point).collect()
}

/// A solid of revolution around z, from the radii and heights of its profile, upwards.
fn revolve(profile: &[[f64; 2]], sides: u32) -> Mesh {
    let sides = sides.max(3);
    let mut vertices = Vec::new();
    for [radius, height] in profile {
        for side in 0..sides {
            let (s, c) = sincos(2.0 * PI * f64::from(side) / f64::from(sides));
            vertices.push([radius * c, radius * s, *height]);
        }
    }
    let mut triangles = Vec::new();
    for ring in 0..profile.len() as u32 - 1 {
        for side in 0..sides {
            let next = (side + 1) % sides;
            let at = |ring: u32, side: u32| ring * sides + side;
            let (a, b) = (at(ring, side), at(ring, next));
            let (c, d) = (at(ring + 1, next), at(ring + 1, side));
            // On the axis one of the two has two equal corners, which are left out.
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    Mesh::weld(&vertices, &triangles)
}
