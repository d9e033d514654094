//! The camera: where it is, and the pixel of a point.

use super::vector::{Vector, add, cross, dot, scale, sub, unit};
use rotule_symbolic::elementary::{sincos, tan};

/// Half of the vertical opening, in radians.
const FIELD: f64 = 0.26;
/// The nearest that is drawn, as a part of the distance to the target.
const NEAR: f64 = 0.02;

/// A direction to look from, in radians.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The angle about the upward axis, from the front, which is against y.
    pub turn: f64,
    /// The angle above the horizon.
    pub rise: f64,
}

impl View {
    /// Named directions.
    pub const NAMED: [(&'static str, View); 4] = [
        ("front", View { turn: 0.0, rise: 0.0 }),
        ("side", View { turn: std::f64::consts::FRAC_PI_2, rise: 0.0 }),
        ("top", View { turn: 0.0, rise: 1.55 }),
        ("corner", View { turn: -0.6, rise: 0.38 }),
    ];
}

/// A camera of a picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    pub(super) across: Vector,
    pub(super) ahead: Vector,
    pub(super) target: Vector,
    pub(super) distance: f64,
    pub(super) size: [f64; 2],
    right: Vector,
    top: Vector,
    back: Vector,
    open: f64,
}

impl Camera {
    /// A camera that looks at the origin.
    pub(super) fn new(up: Vector, view: View, size: [f64; 2]) -> Camera {
        let (across, ahead) = level(up);
        let (sin_turn, cos_turn) = sincos(view.turn);
        let (sin_rise, cos_rise) = sincos(view.rise);
        let flat = sub(scale(across, sin_turn), scale(ahead, cos_turn));
        let back = add(scale(flat, cos_rise), scale(up, sin_rise));
        let right = add(scale(across, cos_turn), scale(ahead, sin_turn));
        Camera {
            across,
            ahead,
            target: [0.0; 3],
            distance: 5.0,
            size,
            right,
            top: cross(back, right),
            back,
            open: tan(FIELD),
        }
    }

    /// The place of the eye.
    pub fn eye(&self) -> [f64; 3] {
        add(self.target, scale(self.back, self.distance))
    }

    /// Directions to the right, to the top and back to the eye.
    pub fn axes(&self) -> [[f64; 3]; 3] {
        [self.right, self.top, self.back]
    }

    /// Half of the opening in height: its tangent.
    pub fn opening(&self) -> f64 {
        self.open
    }

    /// The pixel of a point, from the upper left corner, and its distance along the line of sight;
    /// none behind the eye.
    pub fn project(&self, point: [f64; 3]) -> Option<[f64; 3]> {
        let from_eye = sub(point, self.eye());
        let depth = -dot(from_eye, self.back);
        if depth.is_nan() || depth <= NEAR * self.distance {
            return None;
        }
        let half = self.size[1] / 2.0;
        let scale = half / (self.open * depth);
        let x = self.size[0] / 2.0 + scale * dot(from_eye, self.right);
        let y = half - scale * dot(from_eye, self.top);
        Some([x, y, depth])
    }

    /// The direction of the line of sight through a pixel, with a depth of one.
    pub(super) fn ray(&self, x: f64, y: f64) -> Vector {
        let scale_of = self.open / (self.size[1] / 2.0);
        let right = scale(self.right, (x - self.size[0] / 2.0) * scale_of);
        let top = scale(self.top, (self.size[1] / 2.0 - y) * scale_of);
        sub(add(right, top), self.back)
    }

    /// Goes to the least distance from which all these points are on the picture.
    pub(super) fn fit(&mut self, points: &[Vector], target: Vector) {
        self.target = target;
        let tall = self.open * 0.92;
        let wide = tall * self.size[0] / self.size[1];
        let needed = |point: &Vector| {
            let p = sub(*point, target);
            let across = (dot(p, self.right).abs() / wide).max(dot(p, self.top).abs() / tall);
            across + dot(p, self.back)
        };
        let distance = points.iter().map(needed).fold(0.0, f64::max);
        self.distance = if distance > 0.0 && distance.is_finite() { distance } else { 1.0 };
    }
}

/// The level directions: to the right and ahead.
pub(super) fn level(up: Vector) -> (Vector, Vector) {
    let start = if up[0].abs() > 0.9 { [0.0, 1.0, 0.0] } else { [1.0, 0.0, 0.0] };
    let across = unit(sub(start, scale(up, dot(up, start))), [1.0, 0.0, 0.0]);
    (across, cross(up, across))
}
