//! Truncated Taylor series of functions of time: a value with its first and second derivative.
//!
//! A closed form of a linkage is written once, for positions; evaluated in jets it also gives
//! speeds and accelerations.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A value, its first and its second time derivative.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Jet(pub [f64; 3]);

impl Jet {
    /// A constant.
    pub fn constant(value: f64) -> Jet {
        Jet([value, 0.0, 0.0])
    }

    /// The function `f` of this jet, from its value and two derivatives there (chain rule).
    fn chain(self, f: [f64; 3]) -> Jet {
        let [_, first, second] = self.0;
        Jet([f[0], f[1] * first, f[2] * first * first + f[1] * second])
    }

    /// The sine.
    pub fn sin(self) -> Jet {
        let (sin, cos) = self.0[0].sin_cos();
        self.chain([sin, cos, -sin])
    }

    /// The cosine.
    pub fn cos(self) -> Jet {
        let (sin, cos) = self.0[0].sin_cos();
        self.chain([cos, -sin, -cos])
    }

    /// The square root.
    pub fn sqrt(self) -> Jet {
        let root = self.0[0].sqrt();
        self.chain([root, 0.5 / root, -0.25 / (root * self.0[0])])
    }

    /// The angle of the point `(x, y)`, between -pi and pi.
    pub fn atan2(y: Jet, x: Jet) -> Jet {
        let angle = y.0[0].atan2(x.0[0]);
        // The rate `(x y' - y x') / (x^2 + y^2)` as a jet of its own has both derivatives.
        let rate = |jet: Jet| Jet([jet.0[1], jet.0[2], 0.0]);
        let turning = (x * rate(y) - y * rate(x)) / (x * x + y * y);
        Jet([angle, turning.0[0], turning.0[1]])
    }

    /// The angle between 0 and pi with this cosine.
    pub fn acos(self) -> Jet {
        Jet::atan2((Jet::constant(1.0) - self * self).sqrt(), self)
    }
}

impl Add for Jet {
    type Output = Jet;
    fn add(self, other: Jet) -> Jet {
        Jet([0, 1, 2].map(|at| self.0[at] + other.0[at]))
    }
}

impl Neg for Jet {
    type Output = Jet;
    fn neg(self) -> Jet {
        Jet(self.0.map(|one| -one))
    }
}

impl Sub for Jet {
    type Output = Jet;
    fn sub(self, other: Jet) -> Jet {
        self + -other
    }
}

impl Mul for Jet {
    type Output = Jet;
    fn mul(self, other: Jet) -> Jet {
        let ([a, b, c], [x, y, z]) = (self.0, other.0);
        Jet([a * x, a * y + b * x, a * z + 2.0 * b * y + c * x])
    }
}

impl Mul<Jet> for f64 {
    type Output = Jet;
    fn mul(self, other: Jet) -> Jet {
        Jet(other.0.map(|one| self * one))
    }
}

impl Div for Jet {
    type Output = Jet;
    fn div(self, other: Jet) -> Jet {
        let x = other.0[0];
        self * other.chain([1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x)])
    }
}
