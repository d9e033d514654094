//! Convex hulls: points added one by one to a growing polyhedron, the farthest first
//! (Barber, Dobkin and Huhdanpaa 1996).

use crate::Mesh;
use crate::mesh::{cross, dot, minus};

/// The most points of a hull.
const MAX_POINTS: usize = 100_000;
/// Distances below this part of the size count as zero.
const FLAT: f64 = 1e-12;

/// A face: its corners, the faces beyond its edges (edge `i` leads from corner `i` to the next),
/// and the points outside of it.
struct Face {
    corners: [u32; 3],
    beyond: [usize; 3],
    outside: Vec<u32>,
    live: bool,
}

/// The convex hull of points, as closed triangles; says why there is none.
pub fn hull(points: &[[f64; 3]]) -> Result<Mesh, String> {
    if points.len() > MAX_POINTS {
        return Err(format!("a hull has at most {MAX_POINTS} points, these are {}", points.len()));
    }
    if points.iter().flatten().any(|x| !x.is_finite()) {
        return Err("a coordinate is not a finite number".to_owned());
    }
    let mut hull = Hull::tetrahedron(points)?;
    // Faces are looked at in the order in which they were made.
    let mut at = 0;
    while at < hull.faces.len() {
        match hull.farthest(at) {
            Some(point) if hull.faces[at].live => hull.extend(at, point)?,
            _ => at += 1,
        }
    }
    let triangles: Vec<_> = hull.faces.iter().filter(|f| f.live).map(|f| f.corners).collect();
    Ok(Mesh::weld(points, &triangles))
}

struct Hull<'p> {
    points: &'p [[f64; 3]],
    faces: Vec<Face>,
    /// Distances below this count as zero.
    tolerance: f64,
}

impl<'p> Hull<'p> {
    /// The hull of four points that are far apart.
    fn tetrahedron(points: &'p [[f64; 3]]) -> Result<Hull<'p>, String> {
        let flat = "the points are on one plane, so that their hull has no volume";
        let farthest = |size: &dyn Fn([f64; 3]) -> f64| {
            let mut best = (0, -1.0);
            for (index, point) in points.iter().enumerate() {
                let size = size(*point);
                if size > best.1 {
                    best = (index, size);
                }
            }
            best
        };
        let Some(origin) = points.first() else {
            return Err("there are no points".to_owned());
        };
        let distance =
            |from: [f64; 3]| move |p: [f64; 3]| dot(minus(p, from), minus(p, from)).sqrt();
        let (a, _) = farthest(&distance(*origin));
        let (b, size) = farthest(&distance(points[a]));
        let along = minus(points[b], points[a]);
        let area = |p: [f64; 3]| {
            let normal = cross(along, minus(p, points[a]));
            dot(normal, normal).sqrt()
        };
        let (c, twice) = farthest(&area);
        let normal = cross(along, minus(points[c], points[a]));
        let height = |p: [f64; 3]| dot(normal, minus(p, points[a])).abs();
        let (d, six) = farthest(&height);
        let tolerance = FLAT * size;
        if !size.is_finite() || size <= 0.0 || twice <= tolerance * size || six <= tolerance * twice
        {
            return Err(flat.to_owned());
        }
        let [a, mut b, mut c, d] = [a, b, c, d].map(|index| index as u32);
        // The fourth point must be below the first face.
        if dot(normal, minus(points[d as usize], points[a as usize])) > 0.0 {
            (b, c) = (c, b);
        }
        let corners = [[a, b, c], [a, d, b], [b, d, c], [c, d, a]];
        let beyond = [[1, 2, 3], [3, 2, 0], [1, 3, 0], [2, 1, 0]];
        let faces = corners.iter().zip(beyond).map(|(corners, beyond)| Face {
            corners: *corners,
            beyond,
            outside: Vec::new(),
            live: true,
        });
        let mut hull = Hull { points, faces: faces.collect(), tolerance };
        hull.assign((0..points.len() as u32).collect(), 0);
        Ok(hull)
    }

    /// The signed distance of a point from the plane of a face.
    fn distance(&self, face: usize, point: u32) -> f64 {
        let [a, b, c] = self.faces[face].corners.map(|index| self.points[index as usize]);
        let normal = cross(minus(b, a), minus(c, a));
        let length = dot(normal, normal).sqrt();
        if length == 0.0 {
            return 0.0;
        }
        dot(normal, minus(self.points[point as usize], a)) / length
    }

    /// Gives each point to the first face, from one on, that it is outside of.
    fn assign(&mut self, points: Vec<u32>, from: usize) {
        for point in points {
            let mut faces = from..self.faces.len();
            if let Some(face) = faces.find(|face| self.distance(*face, point) > self.tolerance) {
                self.faces[face].outside.push(point);
            }
        }
    }

    /// The point farthest outside of a face.
    fn farthest(&self, face: usize) -> Option<u32> {
        let mut best = None;
        for point in &self.faces[face].outside {
            let distance = self.distance(face, *point);
            if best.is_none_or(|(_, most)| distance > most) {
                best = Some((*point, distance));
            }
        }
        best.map(|(point, _)| point)
    }

    /// Replaces the faces that a point sees by a cone from the point to their rim.
    fn extend(&mut self, from: usize, point: u32) -> Result<(), String> {
        let mut seen = vec![from];
        self.faces[from].live = false;
        let mut rim = Vec::new();
        let mut at = 0;
        while at < seen.len() {
            let face = seen[at];
            at += 1;
            for edge in 0..3 {
                let other = self.faces[face].beyond[edge];
                if !self.faces[other].live {
                    continue;
                }
                if self.distance(other, point) > self.tolerance {
                    self.faces[other].live = false;
                    seen.push(other);
                } else {
                    let corners = self.faces[face].corners;
                    rim.push((corners[edge], corners[(edge + 1) % 3], face, other));
                }
            }
        }
        // Rims were met before all faces behind them were known to be seen.
        rim.retain(|(.., other)| self.faces[*other].live);
        rim.sort_unstable();
        let first = self.faces.len();
        let unclear = || "rounding leaves the hull of these points open: move nearly equal points";
        for (index, &(a, b, old, other)) in rim.iter().enumerate() {
            if index > 0 && rim[index - 1].0 == a {
                return Err(unclear().to_owned());
            }
            let next = rim.binary_search_by_key(&b, |edge| edge.0).map_err(|_| unclear())?;
            let previous = rim.iter().position(|edge| edge.1 == a).ok_or_else(unclear)?;
            self.faces.push(Face {
                corners: [a, b, point],
                beyond: [other, first + next, first + previous],
                outside: Vec::new(),
                live: true,
            });
            let slot = self.faces[other].beyond.iter_mut().find(|face| **face == old);
            *slot.ok_or_else(unclear)? = first + index;
        }
        let mut homeless = Vec::new();
        for face in seen {
            homeless.append(&mut self.faces[face].outside);
        }
        homeless.retain(|other| *other != point);
        self.assign(homeless, first);
        Ok(())
    }
}
