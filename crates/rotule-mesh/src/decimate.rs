//! Decimation by edge collapses in the order of quadric errors (Garland and Heckbert 1997).
//!
//! An edge becomes the point that is nearest to the planes of the triangles around both ends, or
//! one of its ends or its middle if that point is not well defined. A collapse that would pinch the
//! surface is put off until no other is left, so that closed surfaces stay closed as long as the
//! requested number allows, and one that would turn a triangle over, which looks worst, until no
//! pinch is left, either. Edges of equal error collapse in the order of their corners: the result
//! is the same on every machine.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::Mesh;
use crate::mesh::{cross, dot, minus};

/// Weight of the planes that hold open borders in place.
const BORDER: f64 = 2.0;

/// From so many times the requested number of triangles on, details are merged first.
const CROWD: usize = 3;
/// The size of the first cells in which corners are merged, as a part of the largest mesh.
const CELL: f64 = 1.0 / 250.0;
/// The least number of cells along a mesh.
const FORM: f64 = 30.0;
/// The growth of cells, and the most steps of it: what is larger is left to collapses.
const GROWTH: (f64, usize) = (1.3, 5);

/// The squared distance from planes, as a quadratic form: the upper triangle of its matrix.
type Quadric = [f64; 10];

/// A mesh of at most so many triangles that is close to the given one. Triangles that vanish may
/// leave fewer.
pub fn decimate(mesh: &Mesh, triangles: usize) -> Mesh {
    decimate_together(&[mesh], triangles).pop().unwrap_or_default()
}

/// Meshes of at most so many triangles together, each close to the given one: edges collapse in
/// the order of their errors wherever they are, so that fine meshes give more than coarse ones.
/// Each keeps three quarters of its even share: small parts are looked at, too.
pub fn decimate_together(meshes: &[&Mesh], triangles: usize) -> Vec<Mesh> {
    let total = |meshes: &[&Mesh]| meshes.iter().map(|mesh| mesh.triangles.len()).sum::<usize>();
    if total(meshes) <= triangles {
        return meshes.iter().map(|mesh| (*mesh).clone()).collect();
    }
    let coarse = without_details(meshes, CROWD * triangles);
    let meshes: &[&Mesh] = &coarse.iter().collect::<Vec<_>>();
    let mut left = total(meshes);
    let share = 0.75 * triangles as f64 / left as f64;
    let mut works: Vec<Work> = meshes.iter().map(|mesh| Work::new(mesh)).collect();
    for care in [Care::Surface, Care::Sides, Care::None] {
        works.iter_mut().for_each(Work::fill);
        // The cheapest collapse of each mesh.
        let first = |(at, work): (usize, &Work)| Some(Reverse((work.cheapest()?, at)));
        let mut queue: BinaryHeap<_> = works.iter().enumerate().filter_map(first).collect();
        while left > triangles
            && let Some(Reverse((_, at))) = queue.pop()
        {
            let work = &mut works[at];
            let before = work.left;
            let kept = (share * meshes[at].triangles.len() as f64) as usize;
            if meshes.len() > 1 && before <= kept {
                continue;
            }
            work.step(care);
            left -= before - work.left;
            queue.extend(work.cheapest().map(|error| Reverse((error, at))));
        }
    }
    let mesh = |work: Work| {
        let left: Vec<_> = work.triangles.iter().flatten().copied().collect();
        Mesh::weld(&work.points, &left)
    };
    works.into_iter().map(mesh).collect()
}

/// Meshes without details that nobody sees: grilles, threads and screws of a model made for
/// production would hold most of the triangles, because their surfaces may not be pinched. Corners
/// in one cell of a grid become one (Rossignac and Borrel 1993), in cells that grow until few
/// enough triangles are left.
fn without_details(meshes: &[&Mesh], triangles: usize) -> Vec<Mesh> {
    let size = |mesh: &&Mesh| {
        let [low, high] = mesh.bounds().unwrap_or_default();
        let across = minus(high, low);
        dot(across, across).sqrt()
    };
    let mut cell = CELL * meshes.iter().map(size).fold(0.0, f64::max);
    let mut coarse: Vec<Mesh> = meshes.iter().map(|mesh| (*mesh).clone()).collect();
    for _ in 0..GROWTH.1 {
        let left: usize = coarse.iter().map(|mesh| mesh.triangles.len()).sum();
        if left <= triangles || !(cell > 0.0 && cell.is_finite()) {
            break;
        }
        // Small parts, such as fingers, keep their form.
        let cluster = |mesh: &&Mesh| clustered(mesh, cell.min(size(mesh) / FORM));
        coarse = meshes.iter().map(cluster).collect();
        cell *= GROWTH.0;
    }
    coarse
}

/// A mesh whose corners in one cell of a grid are one, at their mean; one that would vanish stays.
fn clustered(mesh: &Mesh, cell: f64) -> Mesh {
    let [low, _] = mesh.bounds().unwrap_or_default();
    let key = |point: &[f64; 3]| {
        let from = minus(*point, low);
        from.map(|x| (x / cell) as u64)
    };
    let mut order: Vec<([u64; 3], usize)> =
        mesh.vertices.iter().enumerate().map(|(at, point)| (key(point), at)).collect();
    order.sort_unstable();
    let mut merged = vec![0; mesh.vertices.len()];
    let mut points = Vec::new();
    for group in order.chunk_by(|a, b| a.0 == b.0) {
        let mut sum = [0.0; 3];
        for (_, at) in group {
            merged[*at] = points.len() as u32;
            (0..3).for_each(|k| sum[k] += mesh.vertices[*at][k]);
        }
        points.push(sum.map(|x| x / group.len() as f64));
    }
    let moved = mesh.triangles.iter().map(|t| t.map(|corner| merged[corner as usize]));
    let mut triangles: Vec<[u32; 3]> =
        moved.filter(|[a, b, c]| a != b && b != c && a != c).collect();
    // Of two sides of a sheet that fell together, one is enough; the order of the others stays.
    let mut seen = std::collections::BTreeSet::new();
    triangles.retain(|t| {
        let mut sorted = *t;
        sorted.sort_unstable();
        seen.insert(sorted)
    });
    match triangles.is_empty() {
        true => mesh.clone(),
        false => Mesh::weld(&points, &triangles),
    }
}

/// The care of a collapse: what it may not do.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Care {
    /// Pinch the surface or turn a triangle over.
    Surface,
    /// Turn a triangle over.
    Sides,
    /// Anything is allowed.
    None,
}

/// A collapse in the queue: the error as ordered bits, both corners with their versions.
type Entry = Reverse<(u64, [u32; 2], [u32; 2])>;

struct Work {
    points: Vec<[f64; 3]>,
    quadrics: Vec<Quadric>,
    /// Counts the changes at each corner: entries of the queue with older counts are void.
    versions: Vec<u32>,
    /// The triangles at each corner.
    around: Vec<Vec<u32>>,
    triangles: Vec<Option<[u32; 3]>>,
    left: usize,
    queue: BinaryHeap<Entry>,
}

impl Work {
    fn new(mesh: &Mesh) -> Work {
        let count = mesh.vertices.len();
        let mut around = vec![Vec::new(); count];
        let mut quadrics = vec![[0.0; 10]; count];
        let mut edges = Vec::with_capacity(3 * mesh.triangles.len());
        for (index, t) in mesh.triangles.iter().enumerate() {
            let [a, b, c] = mesh.corners(*t);
            let normal = cross(minus(b, a), minus(c, a));
            let area = dot(normal, normal).sqrt();
            let plane = plane(normal, a, area);
            for (at, corner) in t.iter().enumerate() {
                around[*corner as usize].push(index as u32);
                add(&mut quadrics[*corner as usize], &plane);
                let next = t[(at + 1) % 3];
                edges.push(((*corner).min(next), (*corner).max(next), index as u32));
            }
        }
        // A border is held by a plane through it, upright on its triangle.
        edges.sort_unstable();
        for edge in edges.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            let [(a, b, index)] = *edge else { continue };
            let [p, q] = [a, b].map(|corner| mesh.vertices[corner as usize]);
            let [u, v, w] = mesh.corners(mesh.triangles[index as usize]);
            let along = minus(q, p);
            let upright = cross(along, cross(minus(v, u), minus(w, u)));
            let plane = plane(upright, p, BORDER * dot(along, along));
            add(&mut quadrics[a as usize], &plane);
            add(&mut quadrics[b as usize], &plane);
        }
        Work {
            points: mesh.vertices.clone(),
            quadrics,
            versions: vec![0; count],
            around,
            triangles: mesh.triangles.iter().copied().map(Some).collect(),
            left: mesh.triangles.len(),
            queue: BinaryHeap::new(),
        }
    }

    /// Puts all edges into the queue.
    fn fill(&mut self) {
        let mut entries = Vec::new();
        for corner in 0..self.points.len() as u32 {
            let others = self.neighbours(corner).into_iter().filter(|other| corner < *other);
            entries.extend(others.map(|other| self.entry(corner, other)));
        }
        self.queue = entries.into();
    }

    /// The error of the cheapest collapse, as ordered bits.
    fn cheapest(&self) -> Option<u64> {
        self.queue.peek().map(|Reverse((error, ..))| *error)
    }

    /// Tries the cheapest collapse.
    fn step(&mut self, care: Care) {
        let Some(Reverse((_, [a, b], versions))) = self.queue.pop() else { return };
        if versions != [a, b].map(|corner| self.versions[corner as usize]) {
            return;
        }
        let (point, _) = self.best(a, b);
        if care != Care::None && !self.keeps_surface(a, b, point, care) {
            return;
        }
        self.merge(a, b, point);
        for other in self.neighbours(a) {
            let entry = self.entry(a.min(other), a.max(other));
            self.queue.push(entry);
        }
    }

    fn entry(&self, a: u32, b: u32) -> Entry {
        let (_, error) = self.best(a, b);
        // Bits of numbers that are not negative have their order.
        let versions = [a, b].map(|corner| self.versions[corner as usize]);
        Reverse((error.max(0.0).to_bits(), [a, b], versions))
    }

    /// The corners that share a triangle with one.
    fn neighbours(&self, corner: u32) -> Vec<u32> {
        let live = self.around[corner as usize].iter();
        let live = live.filter_map(|index| self.triangles[*index as usize]);
        let mut others: Vec<u32> = live.flatten().filter(|other| *other != corner).collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    /// The best place for the merged corner of an edge, and its error.
    fn best(&self, a: u32, b: u32) -> ([f64; 3], f64) {
        let [p, q] = [a, b].map(|corner| self.points[corner as usize]);
        let mut sum = self.quadrics[a as usize];
        add(&mut sum, &self.quadrics[b as usize]);
        let middle = [0, 1, 2].map(|i: usize| 0.5 * (p[i] + q[i]));
        let mut best = (middle, error(&sum, middle));
        // The optimum may be ill defined, as on planes and straight edges, and then far away.
        let length = dot(minus(p, q), minus(p, q));
        let near = |x: &[f64; 3]| dot(minus(*x, middle), minus(*x, middle)) <= length;
        let optimum = least(&sum, middle).filter(near);
        for place in [p, q].into_iter().chain(optimum) {
            let here = error(&sum, place);
            if here < best.1 {
                best = (place, here);
            }
        }
        best
    }

    /// `true` if no triangle turns over and, with that care, the surface stays a surface: the ends
    /// have no more common neighbours than the edge has triangles.
    fn keeps_surface(&self, a: u32, b: u32, point: [f64; 3], care: Care) -> bool {
        let others = self.neighbours(b);
        let common = self.neighbours(a).iter().filter(|n| others.binary_search(n).is_ok()).count();
        let mut shared = 0;
        for (corner, index) in
            [a, b].iter().flat_map(|c| self.around[*c as usize].iter().map(move |i| (*c, *i)))
        {
            let Some(t) = self.triangles[index as usize] else { continue };
            if t.contains(&a) && t.contains(&b) {
                shared += usize::from(corner == a);
                continue;
            }
            let old = t.map(|v| self.points[v as usize]);
            let new = t.map(|v| if v == corner { point } else { self.points[v as usize] });
            let normal = |[a, b, c]: [[f64; 3]; 3]| cross(minus(b, a), minus(c, a));
            let (before, after) = (normal(old), normal(new));
            let cosine = dot(before, after);
            let sizes = (dot(before, before) * dot(after, after)).sqrt();
            if sizes > 0.0 && cosine < 0.2 * sizes {
                return false;
            }
        }
        care == Care::Sides || (common == shared && (1..=2).contains(&shared))
    }

    /// Moves `b` into `a`.
    fn merge(&mut self, a: u32, b: u32, point: [f64; 3]) {
        let moved = std::mem::take(&mut self.around[b as usize]);
        for index in moved {
            let slot = &mut self.triangles[index as usize];
            let Some(t) = slot else { continue };
            if t.contains(&a) {
                *slot = None;
                self.left -= 1;
                continue;
            }
            for corner in t.iter_mut().filter(|corner| **corner == b) {
                *corner = a;
            }
            self.around[a as usize].push(index);
        }
        let triangles = &self.triangles;
        self.around[a as usize].retain(|index| triangles[*index as usize].is_some());
        let quadric = self.quadrics[b as usize];
        add(&mut self.quadrics[a as usize], &quadric);
        self.points[a as usize] = point;
        for corner in [a, b] {
            self.versions[corner as usize] += 1;
        }
    }
}

/// The form of the plane through a point, weighted.
fn plane(normal: [f64; 3], point: [f64; 3], weight: f64) -> Quadric {
    let length = dot(normal, normal).sqrt();
    if length == 0.0 || !length.is_finite() {
        return [0.0; 10];
    }
    let [a, b, c] = normal.map(|x| x / length);
    let d = -dot([a, b, c], point);
    [a * a, a * b, a * c, a * d, b * b, b * c, b * d, c * c, c * d, d * d].map(|x| weight * x)
}

fn add(sum: &mut Quadric, other: &Quadric) {
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum += other;
    }
}

/// The point of the least distance, from a point nearby, if the planes determine it well.
fn least(q: &Quadric, from: [f64; 3]) -> Option<[f64; 3]> {
    let rows = [[q[0], q[1], q[2]], [q[1], q[4], q[5]], [q[2], q[5], q[7]]];
    let gradient = [0, 1, 2].map(|i: usize| dot(rows[i], from) + [q[3], q[6], q[8]][i]);
    let [a, b, c] = rows;
    let determinant = dot(a, cross(b, c));
    let mean = (q[0] + q[4] + q[7]) / 3.0;
    if determinant <= 1e-6 * mean * mean * mean {
        return None;
    }
    // By Cramer's rule; the matrix is symmetric.
    let inverse = [cross(b, c), cross(c, a), cross(a, b)];
    Some([0, 1, 2].map(|i: usize| from[i] - dot(inverse[i], gradient) / determinant))
}

/// The weighted squared distance of a point.
fn error(q: &Quadric, [x, y, z]: [f64; 3]) -> f64 {
    let squares = q[0] * x * x + q[4] * y * y + q[7] * z * z;
    let products = q[1] * x * y + q[2] * x * z + q[5] * y * z;
    let linear = q[3] * x + q[6] * y + q[8] * z;
    squares + 2.0 * (products + linear) + q[9]
}
