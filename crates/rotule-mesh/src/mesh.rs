//! Indexed triangles.

use crate::Affine;

/// Indexed triangles in metres. Seen from outside, the corners of a triangle run counter-clockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// The corners, each once, in the order in which triangles use them first.
    pub vertices: Vec<[f64; 3]>,
    /// The triangles, as indices of their corners.
    pub triangles: Vec<[u32; 3]>,
}

impl Mesh {
    /// A mesh of triangles whose corners may repeat: equal corners become one, triangles with two
    /// equal corners are left out.
    pub fn weld(vertices: &[[f64; 3]], triangles: &[[u32; 3]]) -> Mesh {
        // Corners of one place, found by sorting: hashing could be made slow by a file.
        let vertices: Vec<[f64; 3]> = vertices.iter().map(|v| v.map(|x| x + 0.0)).collect();
        let mut order: Vec<u32> = (0..vertices.len() as u32).collect();
        let compare = |a: &[f64; 3], b: &[f64; 3]| {
            (0..3)
                .map(|i| a[i].total_cmp(&b[i]))
                .find(|o| o.is_ne())
                .unwrap_or(a[0].total_cmp(&b[0]))
        };
        order
            .sort_by(|a, b| compare(&vertices[*a as usize], &vertices[*b as usize]).then(a.cmp(b)));
        let mut first = vec![0_u32; vertices.len()];
        let mut representative = None;
        for &index in &order {
            let same =
                representative.filter(|r: &u32| vertices[*r as usize] == vertices[index as usize]);
            representative = Some(same.unwrap_or(index));
            first[index as usize] = representative.unwrap_or(index);
        }
        let mut mesh = Mesh::default();
        let mut number = vec![u32::MAX; vertices.len()];
        for triangle in triangles {
            let [a, b, c] = triangle.map(|index| first[index as usize]);
            if a == b || b == c || c == a {
                continue;
            }
            mesh.triangles.push([a, b, c].map(|index| {
                let number = &mut number[index as usize];
                if *number == u32::MAX {
                    *number = mesh.vertices.len() as u32;
                    mesh.vertices.push(vertices[index as usize]);
                }
                *number
            }));
        }
        mesh
    }

    /// The mesh in other axes. A placement that mirrors also reverses the triangles, so that they
    /// are still counter-clockwise seen from outside.
    #[must_use]
    pub fn placed(&self, placement: &Affine) -> Mesh {
        let vertices: Vec<_> = self.vertices.iter().map(|v| placement.point(*v)).collect();
        let mirrored = placement.mirrors();
        let turn = |[a, b, c]: [u32; 3]| if mirrored { [a, c, b] } else { [a, b, c] };
        let triangles: Vec<_> = self.triangles.iter().map(|t| turn(*t)).collect();
        // A scale of zero makes corners equal.
        Mesh::weld(&vertices, &triangles)
    }

    /// Appends the triangles of another mesh.
    pub fn append(&mut self, other: &Mesh) {
        let offset = self.vertices.len() as u32;
        self.vertices.extend_from_slice(&other.vertices);
        self.triangles.extend(other.triangles.iter().map(|t| t.map(|index| index + offset)));
    }

    /// The corners of a triangle.
    pub fn corners(&self, triangle: [u32; 3]) -> [[f64; 3]; 3] {
        triangle.map(|index| self.vertices[index as usize])
    }

    /// The smallest box along the axes around all corners: its lowest and its highest corner.
    pub fn bounds(&self) -> Option<[[f64; 3]; 2]> {
        let first = *self.vertices.first()?;
        Some(self.vertices.iter().fold([first; 2], |[low, high], v| {
            let pick = |f: fn(f64, f64) -> f64, a: [f64; 3]| [0, 1, 2].map(|i| f(a[i], v[i]));
            [pick(f64::min, low), pick(f64::max, high)]
        }))
    }
}

/// The difference of two points.
pub(crate) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// The vector product.
pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The scalar product.
pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
