//! Affine maps of points: scales, rotations, translations and their products.

use rotule_symbolic::elementary::sincos;

/// An affine map of points: `matrix * point + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Affine {
    /// The linear part, by rows.
    pub matrix: [[f64; 3]; 3],
    /// The image of the origin.
    pub offset: [f64; 3],
}

impl Affine {
    /// The map that changes nothing.
    pub const IDENTITY: Affine =
        Affine { matrix: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], offset: [0.0; 3] };

    /// A scale along each axis.
    pub fn scale(by: [f64; 3]) -> Affine {
        let matrix = [[by[0], 0.0, 0.0], [0.0, by[1], 0.0], [0.0, 0.0, by[2]]];
        Affine { matrix, offset: [0.0; 3] }
    }

    /// A translation.
    pub fn translation(offset: [f64; 3]) -> Affine {
        Affine { offset, ..Affine::IDENTITY }
    }

    /// A rotation by a quaternion, w first, of any length but zero.
    pub fn quaternion([w, x, y, z]: [f64; 4]) -> Affine {
        let scale = 2.0 / (w * w + x * x + y * y + z * z);
        let matrix = [
            [1.0 - scale * (y * y + z * z), scale * (x * y - w * z), scale * (x * z + w * y)],
            [scale * (x * y + w * z), 1.0 - scale * (x * x + z * z), scale * (y * z - w * x)],
            [scale * (x * z - w * y), scale * (y * z + w * x), 1.0 - scale * (x * x + y * y)],
        ];
        Affine { matrix, offset: [0.0; 3] }
    }

    /// A rotation about an axis of any length but zero, by an angle in radians.
    pub fn turn(axis: [f64; 3], angle: f64) -> Affine {
        let (s, c) = sincos(0.5 * angle);
        let length = (axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]).sqrt();
        let [x, y, z] = axis.map(|component| s * component / length);
        Affine::quaternion([c, x, y, z])
    }

    /// The map that does `inner` first and this afterwards.
    #[must_use]
    pub fn after(&self, inner: &Affine) -> Affine {
        let column = |j: usize| [0, 1, 2].map(|k: usize| inner.matrix[k][j]);
        let matrix = self.matrix.map(|row| [0, 1, 2].map(|j| crate::mesh::dot(row, column(j))));
        Affine { matrix, offset: self.point(inner.offset) }
    }

    /// The image of a point.
    pub fn point(&self, point: [f64; 3]) -> [f64; 3] {
        [0, 1, 2].map(|i: usize| crate::mesh::dot(self.matrix[i], point) + self.offset[i])
    }

    /// `true` if left and right are exchanged.
    pub fn mirrors(&self) -> bool {
        let [a, b, c] = self.matrix;
        crate::mesh::dot(a, crate::mesh::cross(b, c)) < 0.0
    }
}
