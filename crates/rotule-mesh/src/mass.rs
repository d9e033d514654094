//! Mass properties of the solid that a closed mesh bounds, by the divergence theorem.
//!
//! Each triangle spans a tetrahedron with one common point; its volume is positive where the
//! triangle faces away from that point. The sum of their moments is exact for every polyhedron
//! (Mirtich 1996), so that only rounding remains.

use crate::Mesh;
use crate::mesh::{cross, dot, minus};

/// The part of a size that rounding leaves of sums over triangles.
const NOISE: f64 = 1e-13;

/// Volume, centre and inertia of a solid of density one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// The volume; negative if the triangles are inside out.
    pub volume: f64,
    /// The area of the surface.
    pub area: f64,
    /// The centre of mass.
    pub centre: [f64; 3],
    /// The inertia about the centre of mass; multiply by the density.
    pub inertia: [[f64; 3]; 3],
}

impl MassProperties {
    /// The properties of the solid with all triangles reversed.
    #[must_use]
    pub fn reversed(self) -> MassProperties {
        let inertia = self.inertia.map(|row| row.map(|x| 0.0 - x));
        MassProperties { volume: -self.volume, inertia, ..self }
    }
}

/// The mass properties of a solid of density one. They are exact if the surface is closed
/// ([`crate::surface`]); a surface without volume has its centre in the middle of its bounds.
pub fn mass_properties(mesh: &Mesh) -> MassProperties {
    let [low, high] = mesh.bounds().unwrap_or([[0.0; 3]; 2]);
    // Moments about the middle of the solid lose the fewest digits.
    let middle = [0, 1, 2].map(|i: usize| 0.5 * (low[i] + high[i]));
    let (mut volume, mut area) = (0.0, 0.0);
    let mut first = [0.0; 3];
    let mut second = [[0.0; 3]; 3];
    for triangle in &mesh.triangles {
        let [a, b, c] = mesh.corners(*triangle).map(|corner| minus(corner, middle));
        let normal = cross(minus(b, a), minus(c, a));
        area += 0.5 * dot(normal, normal).sqrt();
        let six = dot(a, cross(b, c));
        let sum = [0, 1, 2].map(|i: usize| a[i] + b[i] + c[i]);
        volume += six / 6.0;
        for i in 0..3 {
            first[i] += six / 24.0 * sum[i];
            for j in 0..=i {
                let products = sum[i] * sum[j] + a[i] * a[j] + b[i] * b[j] + c[i] * c[j];
                second[i][j] += six / 120.0 * products;
            }
        }
    }
    let centre = if volume == 0.0 { [0.0; 3] } else { first.map(|moment| moment / volume) };
    // Second moments about the centre.
    let mut about = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..=i {
            about[i][j] = second[i][j] - volume * centre[i] * centre[j];
            about[j][i] = about[i][j];
        }
    }
    let trace = about[0][0] + about[1][1] + about[2][2];
    // What cancels but for rounding is zero: it would cost operations in every evaluation.
    let clean = |x: f64, scale: f64| if x.abs() <= NOISE * scale.abs() { 0.0 } else { x };
    let entry = |i: usize, j: usize| match i == j {
        true => trace - about[i][i],
        false => clean(-about[i][j], trace),
    };
    let inertia = [0, 1, 2].map(|i| [0, 1, 2].map(|j| entry(i, j)));
    let size = [0, 1, 2].iter().fold(0.0, |size: f64, i: &usize| size.max(high[*i] - low[*i]));
    let centre = [0, 1, 2].map(|i: usize| clean(centre[i] + middle[i], size));
    MassProperties { volume, area, centre, inertia }
}
