//! Masses of geoms: MJCF bodies mostly have no inertia of their own and get that of their shapes,
//! each a uniform solid.

use std::f64::consts::PI;

use super::numbers::tidy;
use crate::read::frame::{self, Matrix, Pose, Vector};

/// A uniform solid around its own origin, with half sizes as MJCF has them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Solid {
    Sphere {
        radius: f64,
    },
    Ellipsoid {
        half: Vector,
    },
    Box {
        half: Vector,
    },
    /// Along z.
    Cylinder {
        radius: f64,
        half: f64,
    },
    /// Along z; the half length is that of the cylindrical part.
    Capsule {
        radius: f64,
        half: f64,
    },
}

impl Solid {
    pub(super) fn volume(self) -> f64 {
        let ball = |r: f64| 4.0 / 3.0 * PI * r * r * r;
        let tube = |r: f64, h: f64| 2.0 * PI * r * r * h;
        match self {
            Solid::Sphere { radius } => ball(radius),
            Solid::Ellipsoid { half: [a, b, c] } => 4.0 / 3.0 * PI * a * b * c,
            Solid::Box { half: [a, b, c] } => 8.0 * a * b * c,
            Solid::Cylinder { radius, half } => tube(radius, half),
            Solid::Capsule { radius, half } => tube(radius, half) + ball(radius),
        }
    }

    /// Principal moments of inertia for unit mass.
    fn moments(self) -> Vector {
        let brick = |[a, b, c]: Vector, divisor: f64| {
            [b * b + c * c, a * a + c * c, a * a + b * b].map(|sum| sum / divisor)
        };
        match self {
            Solid::Sphere { radius } => [0.4 * radius * radius; 3],
            Solid::Ellipsoid { half } => brick(half, 5.0),
            Solid::Box { half } => brick(half, 3.0),
            Solid::Cylinder { radius: r, half: h } => {
                let across = r * r / 4.0 + h * h / 3.0;
                [across, across, r * r / 2.0]
            }
            Solid::Capsule { radius: r, half: h } => {
                let tube = h / (h + 2.0 / 3.0 * r);
                let ball = 1.0 - tube;
                // The hemispheres have their centres of mass 3/8 of the radius beyond the ends.
                let across = tube * (r * r / 4.0 + h * h / 3.0)
                    + ball * (0.4 * r * r + h * h + 0.75 * h * r);
                [across, across, tube * r * r / 2.0 + ball * 0.4 * r * r]
            }
        }
    }
}

/// Mass and moments of solids, collected.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Solids(Vec<(f64, Vector, Matrix)>);

impl Solids {
    /// Adds a solid of a mass at a pose.
    pub(super) fn add(&mut self, solid: Solid, mass: f64, pose: &Pose) {
        let [a, b, c] = solid.moments().map(|moment| moment * mass);
        let own = [[a, 0.0, 0.0], [0.0, b, 0.0], [0.0, 0.0, c]];
        // A turn that changes nothing must not leave rounding behind.
        let rotated = if a == b && b == c { own } else { frame::rotated(&pose.rotation, &own) };
        self.0.push((mass, pose.position, rotated));
    }

    /// Mass, centre of mass and inertia about it of all together; none without mass.
    pub(super) fn together(&self) -> Option<(f64, Vector, Matrix)> {
        let mass: f64 = self.0.iter().map(|(mass, ..)| mass).sum();
        if mass == 0.0 {
            return None;
        }
        let mut com = [0.0; 3];
        for (part, at, _) in &self.0 {
            for i in 0..3 {
                com[i] += part / mass * at[i];
            }
        }
        // A single solid keeps its centre to the last digit.
        if let [(_, at, _)] = self.0[..] {
            com = at;
        }
        let mut inertia = [[0.0; 3]; 3];
        for (part, at, own) in &self.0 {
            let d = [0, 1, 2].map(|i| at[i] - com[i]);
            let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
            for i in 0..3 {
                for j in 0..3 {
                    let diagonal = if i == j { square } else { 0.0 };
                    inertia[i][j] += own[i][j] + part * (diagonal - d[i] * d[j]);
                }
            }
        }
        // What cancels but for rounding is zero: it would cost operations in every evaluation.
        let scale = (0..3).map(|i| inertia[i][i].abs()).fold(0.0, f64::max);
        let size = com.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
        let clean =
            |x: f64, scale: f64| if x.abs() < 1e-14 * scale { 0.0 } else { tidy(x, x.abs()) };
        let inertia = inertia.map(|row| row.map(|entry| clean(entry, scale)));
        Some((clean(mass, mass), com.map(|x| clean(x, size)), inertia))
    }
}
