//! Rules that numbers of a mechanism must keep, whoever gives them: the file, or a caller that
//! sets parameters later.

use crate::diagnostic::{DiagnosticCode, Severity};
use crate::mechanism::Mechanism;
use crate::resolve::rounded;
use crate::source::Span;
use rotule_symbolic::Expr;
use rotule_symbolic::elementary::{atan2, sincos};

/// Requirements on a number, or on several together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Want {
    /// Finite.
    Finite,
    /// Not negative.
    Mass,
    /// Not negative, and no mass.
    Gain,
    /// Positive.
    Positive,
    /// Not zero.
    Divisor,
    /// The square of a length that is not zero.
    Length,
    /// The square of a sine that is not zero.
    NotParallel,
    /// The sum of squares of a quaternion that is normalised: not zero.
    Turn,
    /// The sum of squares of a quaternion: one.
    Quaternion,
    /// Upper minus lower limit: not negative.
    Range,
    /// Positions of the points of a table: each above the one before.
    Increasing,
    /// Nine entries of a rotation matrix.
    Rotation,
    /// Entries xx, yy, zz, xy, xz, yz of an inertia matrix.
    Inertia,
}

/// A rule that some numbers must keep, with the place of the file that says them.
#[derive(Clone, Debug)]
pub struct NumberCheck {
    /// The numbers, as expressions of parameters.
    pub exprs: Vec<Expr>,
    /// The place of the file.
    pub span: Span,
    /// The name of the element and of its number.
    pub what: String,
    /// The rule.
    pub want: Want,
}

/// The fault with numbers of a mechanism, and its remedy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NumberFault {
    /// The element, its number and the fault.
    pub message: String,
    /// The remedy; may be empty.
    pub help: String,
}

impl Mechanism {
    /// The first rule that the present numbers of parameters break: a mass below zero, a quaternion
    /// of zero length. What follows from a parameter without a number is not known.
    pub fn broken_rule(&self) -> Option<NumberFault> {
        self.checks.iter().find_map(|check| {
            let values = self.evaluate(&check.exprs);
            if values.iter().any(|value| value.is_nan()) && self.without_number().next().is_some() {
                return None;
            }
            match verdict(check.want, &values)? {
                (Severity::Error, _, fault, help) => Some(NumberFault {
                    message: format!("{} {fault}", check.what),
                    help: help.to_owned(),
                }),
                _ => None,
            }
        })
    }
}

/// Rounding in hand-written digits that is nobody's mistake.
const ROUNDING: f64 = 1e-6;

/// The fault with values, if anything: how bad, code, fault, remedy.
pub(crate) fn verdict(
    want: Want,
    values: &[f64],
) -> Option<(Severity, DiagnosticCode, String, &'static str)> {
    use Severity::{Error, Warning};
    let value = values[0];
    if values.iter().any(|value| !value.is_finite()) {
        let fault = match want {
            Want::Finite => "is not a finite number for the given parameters",
            // A number that is not finite itself has been told.
            Want::Mass | Want::Gain | Want::Positive | Want::Range => return None,
            _ => "has numbers that are too large to compute with",
        };
        return Some((Error, DiagnosticCode::Number, fault.to_owned(), ""));
    }
    match want {
        Want::Finite => None,
        Want::Mass if value < 0.0 => Some((
            Error,
            DiagnosticCode::Inertia,
            format!("is negative: {}", rounded(value, 6)),
            "give zero or more",
        )),
        Want::Gain if value < 0.0 => Some((
            Error,
            DiagnosticCode::Number,
            format!("must not be negative, found {value}"),
            "",
        )),
        Want::Positive if value <= 0.0 => {
            Some((Error, DiagnosticCode::Number, format!("must be positive, found {value}"), ""))
        }
        Want::Divisor if value == 0.0 => {
            Some((Error, DiagnosticCode::Number, "must not be zero".to_owned(), ""))
        }
        Want::Length if value < 1e-24 => {
            let help = "give it a direction, such as \"z\" or [0, 0, 1]";
            Some((Error, DiagnosticCode::Axis, "has zero length".to_owned(), help))
        }
        Want::NotParallel if value < 1e-12 => {
            let fault = "is parallel to the first".to_owned();
            Some((
                Error,
                DiagnosticCode::Axis,
                fault,
                "the two axes of a universal joint must cross",
            ))
        }
        Want::Turn | Want::Quaternion if value < 1e-24 => {
            let fault = "has a quaternion of zero length".to_owned();
            Some((Error, DiagnosticCode::Number, fault, "no rotation is [1, 0, 0, 0], w first"))
        }
        Want::Quaternion if (value - 1.0).abs() > ROUNDING => {
            let fault = format!("has a quaternion of length {:.6}, not one", value.sqrt());
            Some((Warning, DiagnosticCode::Number, fault, "divide its four numbers by that length"))
        }
        Want::Range if value < 0.0 => {
            let fault = "has its upper limit below its lower one".to_owned();
            Some((
                Error,
                DiagnosticCode::Number,
                fault,
                "exchange them: the lower limit comes first",
            ))
        }
        Want::Increasing => {
            let at = values.windows(2).position(|pair| pair[1] <= pair[0])?;
            let fault = format!(
                "has points out of order for the given parameters: x{} = {} is not above x{} = {}",
                at + 2,
                values[at + 1],
                at + 1,
                values[at]
            );
            Some((Error, DiagnosticCode::Number, fault, "sort the points by x, each x once"))
        }
        Want::Rotation => {
            let fault = rotation_fault(values)?;
            Some((
                Error,
                DiagnosticCode::Number,
                fault,
                "its columns must be unit vectors at right angles",
            ))
        }
        Want::Inertia => {
            let fault = inertia_fault(values)?;
            let help = "inertia is about the centre of mass, and off-diagonal entries are those of \
                        the matrix";
            Some((Warning, DiagnosticCode::Inertia, fault, help))
        }
        _ => None,
    }
}

/// Why nine numbers are no rotation matrix.
fn rotation_fault(values: &[f64]) -> Option<String> {
    let entry = |i: usize, j: usize| values[3 * i + j];
    for a in 0..3 {
        for b in a..3 {
            let product: f64 = (0..3).map(|k| entry(k, a) * entry(k, b)).sum();
            let requested = f64::from(u8::from(a == b));
            if (product - requested).abs() > ROUNDING {
                return Some("is not a rotation matrix".to_owned());
            }
        }
    }
    let minor = |a: usize, b: usize| entry(1, a) * entry(2, b) - entry(1, b) * entry(2, a);
    let determinant =
        entry(0, 0) * minor(1, 2) - entry(0, 1) * minor(0, 2) + entry(0, 2) * minor(0, 1);
    (determinant < 0.0).then(|| "mirrors instead of turning".to_owned())
}

/// Why six numbers are no inertia of a real body.
fn inertia_fault(values: &[f64]) -> Option<String> {
    let [xx, yy, zz, xy, xz, yz] = *values else { return None };
    let moments = eigenvalues([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]);
    let slack = ROUNDING * moments[2].abs().max(moments[0].abs());
    if moments[0] < -slack {
        let least = rounded(moments[0], 4);
        return Some(format!("is not positive: its least principal moment is {least}"));
    }
    if moments[0] + moments[1] < moments[2] - slack {
        let [a, b, c] = moments.map(|moment| rounded(moment, 4));
        return Some(format!(
            "belongs to no real body: of its principal moments {a}, {b}, {c} the largest exceeds \
             the sum of the others"
        ));
    }
    None
}

/// Eigenvalues of a symmetric matrix in ascending order, by Jacobi's rotations.
fn eigenvalues(mut m: [[f64; 3]; 3]) -> [f64; 3] {
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let theta = 0.5 * atan2(2.0 * m[p][q], m[p][p] - m[q][q]);
            let (s, c) = sincos(theta);
            for row in &mut m {
                let (a, b) = (row[p], row[q]);
                (row[p], row[q]) = (c * a + s * b, c * b - s * a);
            }
            let (a, b) = (m[p], m[q]);
            m[p] = std::array::from_fn(|k| c * a[k] + s * b[k]);
            m[q] = std::array::from_fn(|k| c * b[k] - s * a[k]);
        }
    }
    let mut found = [m[0][0], m[1][1], m[2][2]];
    found.sort_by(f64::total_cmp);
    found
}
