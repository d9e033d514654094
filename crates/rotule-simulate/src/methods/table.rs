//! The methods by name, for command lines and manuals.

use super::alpha::{Alpha, Parameters, Scheme};
use super::bdf::Bdf;
use super::dop853::DOP853;
use super::dormand_prince::DORMAND_PRINCE;
use super::embedded::Embedded;
use super::euler::Euler;
use super::fixed::{Fixed, RK4};
use super::radau::Radau;
use crate::method::{Accuracy, Integrator};
use rotule_model::aliases::{self, Names, canonical};
use rotule_symbolic::{did_you_mean, expected_one_of, nearest};
use std::fmt;

/// An integration method, as a row of [`METHODS`] or [`SECOND_ORDER`]. Besides the row, [`method`]
/// needs an arm that makes it; a test names a row without one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MethodEntry {
    /// Its name.
    pub name: &'static str,
    /// Its description: what it is and what it is good for.
    pub about: &'static str,
    /// Its order, the highest if it has several.
    pub order: u32,
    /// `true` if stiff equations are its business.
    pub stiff: bool,
    /// `true` if it knows steps of one length only.
    pub fixed: bool,
}

/// All methods.
pub const METHODS: &[MethodEntry] = &[
    MethodEntry {
        name: "dormand-prince",
        about: "explicit pair 5(4): few digits, non-smooth motions",
        order: 5,
        stiff: false,
        fixed: false,
    },
    MethodEntry {
        name: "dop853",
        about: "explicit pair 8(5,3): many digits of smooth motions",
        order: 8,
        stiff: false,
        fixed: false,
    },
    MethodEntry {
        name: "radau",
        about: "implicit Radau IIA: stiff equations, exact derivatives",
        order: 5,
        stiff: true,
        fixed: false,
    },
    MethodEntry {
        name: "bdf",
        about: "backward differences, orders 1 to 5: large stiff equations",
        order: 5,
        stiff: true,
        fixed: false,
    },
    MethodEntry {
        name: "rk4",
        about: "classical Runge-Kutta: real time, steps of one length",
        order: 4,
        stiff: false,
        fixed: true,
    },
    MethodEntry {
        name: "euler",
        about: "semi-implicit Euler: cheap steps, bounded energy",
        order: 1,
        stiff: false,
        fixed: true,
    },
];

/// Methods for equations of second order with constraints. A number after an equals sign is that of
/// the method: `hht=0.1`.
pub const SECOND_ORDER: &[MethodEntry] = &[
    MethodEntry {
        name: "generalised-alpha",
        about: "index 3: damps fast modes; =0.8 is the spectral radius",
        order: 2,
        stiff: true,
        fixed: true,
    },
    MethodEntry {
        name: "hht",
        about: "Hilber-Hughes-Taylor, index 3; damping =0.05, from 0 to 1/3",
        order: 2,
        stiff: true,
        fixed: true,
    },
    MethodEntry {
        name: "newmark",
        about: "average acceleration; damped and of order 1 with constraints",
        order: 2,
        stiff: true,
        fixed: true,
    },
];

/// The name of a method that is written in another way: by an alias, or with capitals as SciPy has
/// them. A number behind an equals sign stays.
pub fn canonical_method(name: &str) -> String {
    let (stem, number) = name.split_at(name.find('=').unwrap_or(name.len()));
    let known = canonical(Names::Method, &stem.to_lowercase()).to_owned();
    let exists = METHODS.iter().chain(SECOND_ORDER).any(|entry| entry.name == known);
    if exists { known + number } else { name.to_owned() }
}

/// Returns `true` if a name is that of a method of second order.
pub fn is_second_order(name: &str) -> bool {
    second_order(name).is_ok_and(|found| found.is_some())
}

/// A method of second order and what it is to be; none if it is another one.
fn second_order(name: &str) -> Result<Option<(&'static MethodEntry, Scheme)>, MethodError> {
    let known = canonical_method(name);
    let (stem, number) = known.split_once('=').map_or((&*known, None), |(a, b)| (a, Some(b)));
    let Some(entry) = SECOND_ORDER.iter().find(|entry| entry.name == stem) else {
        return Ok(None);
    };
    let (usual, most) = match entry.name {
        "generalised-alpha" => (0.8, 0.999),
        "hht" => (0.05, 1.0 / 3.0),
        _ => (0.0, 0.0),
    };
    let refused = || MethodError::Number { method: entry.name, most, found: name.to_owned() };
    let number: f64 = match number {
        None => usual,
        Some(text) => text.parse().map_err(|_| refused())?,
    };
    if !(0.0..=most).contains(&number) {
        return Err(refused());
    }
    let scheme = match entry.name {
        "generalised-alpha" => Scheme::With(Parameters::generalised(number)),
        "hht" => Scheme::With(Parameters::hht(number)),
        _ => Scheme::Newmark,
    };
    Ok(Some((entry, scheme)))
}

/// The method of a name, for equations of this size.
pub fn method(
    name: &str,
    accuracy: Accuracy,
    size: usize,
) -> Result<Box<dyn Integrator>, MethodError> {
    let aliases = || aliases::of(Names::Method).map(|(alias, _)| alias);
    let names = || METHODS.iter().chain(SECOND_ORDER).map(|entry| entry.name).chain(aliases());
    let known = canonical_method(name);
    let second = second_order(name)?;
    let entry = METHODS.iter().find(|entry| entry.name == known);
    let Some(entry) = entry.or(second.map(|(entry, _)| entry)) else {
        return Err(MethodError::Unknown { name: name.into(), nearest: nearest(name, names()) });
    };
    match accuracy {
        Accuracy::Fixed(length) => {
            if !(length > 0.0 && length.is_finite()) {
                return Err(MethodError::Length(length));
            }
        }
        Accuracy::Within { relative, absolute } => {
            let valid = |value: f64| value >= 0.0 && value.is_finite();
            let finest = 10.0 * f64::EPSILON;
            if !valid(relative) || !valid(absolute) || relative.max(absolute) < finest {
                return Err(MethodError::Tolerance { relative, absolute });
            }
        }
    }
    if let (Some((_, scheme)), Accuracy::Fixed(length)) = (second, accuracy) {
        return Ok(Box::new(Alpha::new(scheme, length, size)));
    }
    Ok(match (entry.name, accuracy) {
        ("rk4", Accuracy::Fixed(length)) => Box::new(Fixed::new(&RK4, length, size)),
        ("euler", Accuracy::Fixed(length)) => Box::new(Euler::new(length, size)),
        ("dormand-prince", _) => Box::new(Embedded::new(&DORMAND_PRINCE, accuracy, size)),
        ("dop853", _) => Box::new(Embedded::new(&DOP853, accuracy, size)),
        ("radau", _) => Box::new(Radau::new(accuracy, size)),
        ("bdf", Accuracy::Within { .. }) => Box::new(Bdf::new(accuracy, size)),
        _ if entry.fixed => return Err(MethodError::NeedsLength(entry.name)),
        _ => return Err(MethodError::NeedsTolerance(entry.name)),
    })
}

/// The reason why a method is not available.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum MethodError {
    /// There is none of this name.
    Unknown {
        /// The name.
        name: String,
        /// The nearest name, which was probably meant.
        nearest: Option<&'static str>,
    },
    /// A number that a method of second order cannot have.
    Number {
        /// The method.
        method: &'static str,
        /// The largest number that it can have; none below zero.
        most: f64,
        /// The text as it was written.
        found: String,
    },
    /// It has steps of one length, and none is given.
    NeedsLength(&'static str),
    /// It chooses its steps, and a length is given.
    NeedsTolerance(&'static str),
    /// A length that no step can have.
    Length(f64),
    /// Tolerances that no result can keep.
    Tolerance {
        /// The relative one.
        relative: f64,
        /// The absolute one.
        absolute: f64,
    },
}

impl fmt::Display for MethodError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MethodError::Unknown { name, nearest } => {
                write!(f, "there is no method `{name}`")?;
                if let Some(nearest) = nearest {
                    return write!(f, "; {}", did_you_mean(nearest));
                }
                let all = METHODS.iter().chain(SECOND_ORDER);
                let names: Vec<_> = all.map(|entry| entry.name).collect();
                write!(f, "; {}", expected_one_of(&names))
            }
            MethodError::Number { method, most, found } if *most > 0.0 => {
                write!(f, "`{found}`: the parameter of `{method}` must be between 0 and {most:.3}")
            }
            MethodError::Number { method, found, .. } => {
                write!(f, "`{found}`: `{method}` takes no parameter")
            }
            MethodError::NeedsLength(name) => {
                write!(f, "`{name}` has steps of one length: give --dt, and no tolerances")
            }
            MethodError::NeedsTolerance(name) => {
                write!(f, "`{name}` has adaptive steps: give tolerances instead of --dt")
            }
            MethodError::Length(length) => {
                write!(f, "the step must be finite and positive, found {length}")
            }
            MethodError::Tolerance { relative, absolute } => write!(
                f,
                "tolerances of {relative:e} relative and {absolute:e} absolute cannot be kept: they must be \
                 finite, none below zero, and one at least 2.3e-15"
            ),
        }
    }
}

impl std::error::Error for MethodError {}
