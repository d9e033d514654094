//! Equations of second order as the methods for them see them: with constraints, whose multipliers
//! are among the unknowns, or without, in independent speeds.
//!
//! ```text
//! M(q) a + c(q, v, t) = Q(q, v, t) + J(q, t)' lambda        qdot = N(q) v,  vdot = a
//! h(q, t) = 0                                               or, of a row that ties speeds only, J v + e = 0
//! ```
//!
//! Coordinates may be more than speeds: those of a turn move on their group, so an increment is a
//! vector of the size of the speeds, and what it does to coordinates is the equations' business.

use crate::ode::{Evaluated, Fault};
use rotule_symbolic::elementary::cbrt;

/// Equations of second order with constraints.
pub trait Constrained {
    /// Their sizes.
    fn shape(&self) -> ConstrainedSizes;

    /// The coordinates that are reached from `q` when the speeds act with `step` as their product
    /// with time.
    fn moved(&self, q: &[f64], step: &[f64], reached: &mut [f64]);

    /// Multiplies a row of derivatives along the speeds from the right with the derivative of
    /// [`Constrained::moved`] by its step. The unit matrix where coordinates are a flat space.
    fn turned(&self, _step: &[f64], _row: &mut [f64]) {}

    /// `qdot = N(q) v`, and the rates of coordinates that follow from others.
    fn rates(&mut self, t: f64, q: &[f64], v: &[f64], qdot: &mut [f64]) -> Result<(), Fault>;

    /// Puts coordinates that follow from others where they belong. Until then they are guesses.
    fn settle(&mut self, _t: f64, _q: &mut [f64], _v: &[f64]) -> Result<(), Fault> {
        Ok(())
    }

    /// Returns `true` if a row ties speeds only.
    fn of_speeds(&self, _row: usize) -> bool {
        false
    }

    /// The residuals of the equations: `M a + c - Q - J' lambda`, and `h` or `J v + e`.
    fn residuals(&mut self, at: &Instant<'_>, force: &mut [f64], h: &mut [f64]) -> Evaluated;

    /// The derivatives of the residuals.
    fn tangents(&mut self, at: &Instant<'_>, tangents: &mut Tangents) -> Result<(), Fault>;

    /// The accelerations and multipliers that belong to coordinates and speeds.
    fn accelerations(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<[Vec<f64>; 2], Fault>;
}

/// Sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConstrainedSizes {
    /// Coordinates.
    pub coordinates: usize,
    /// Speeds.
    pub speeds: usize,
    /// Constraints.
    pub rows: usize,
}

/// Everything at a time.
#[derive(Clone, Copy, Debug)]
pub struct Instant<'a> {
    /// The time.
    pub t: f64,
    /// Coordinates.
    pub q: &'a [f64],
    /// Speeds.
    pub v: &'a [f64],
    /// Accelerations.
    pub a: &'a [f64],
    /// Multipliers.
    pub lambda: &'a [f64],
}

/// Derivatives of the residuals, by rows, a column for each speed.
#[derive(Clone, Debug, Default)]
pub struct Tangents {
    /// By accelerations.
    pub mass: Vec<f64>,
    /// Of forces by speeds.
    pub damping: Vec<f64>,
    /// Of forces by coordinates, along the speeds.
    pub stiffness: Vec<f64>,
    /// `J`: of `h` by coordinates along the speeds, of rows of speeds by speeds.
    pub jacobian: Vec<f64>,
}

impl Tangents {
    /// Zeros.
    pub fn new(shape: ConstrainedSizes) -> Tangents {
        let square = vec![0.0; shape.speeds * shape.speeds];
        Tangents {
            mass: square.clone(),
            damping: square.clone(),
            stiffness: square,
            jacobian: vec![0.0; shape.rows * shape.speeds],
        }
    }
}

/// Damping and stiffness by differences, for equations that do not know them.
pub fn differences<E: Constrained + ?Sized>(
    equations: &mut E,
    at: &Instant<'_>,
    tangents: &mut Tangents,
) -> Result<(), Fault> {
    let shape = equations.shape();
    let size = shape.speeds;
    let mut force = [vec![0.0; size], vec![0.0; size]];
    let mut closure = vec![0.0; shape.rows];
    let (mut q, mut v) = (at.q.to_vec(), at.v.to_vec());
    let mut step = vec![0.0; size];
    let put = |into: &mut [f64], column: usize, ends: &[Vec<f64>; 2], by: f64| {
        for row in 0..size {
            into[row * size + column] = (ends[1][row] - ends[0][row]) / by;
        }
    };
    for column in 0..size {
        // Differences to both sides, so that what is quadratic in the speeds is exact.
        let small = cbrt(f64::EPSILON) * at.v[column].abs().max(1.0);
        for (end, sign) in force.iter_mut().zip([-1.0, 1.0]) {
            v[column] = at.v[column] + sign * small;
            equations.residuals(&Instant { v: &v, ..*at }, end, &mut closure)?;
        }
        v[column] = at.v[column];
        put(&mut tangents.damping, column, &force, 2.0 * small);
        let small = cbrt(f64::EPSILON);
        for (end, sign) in force.iter_mut().zip([-1.0, 1.0]) {
            step[column] = sign * small;
            equations.moved(at.q, &step, &mut q);
            equations.residuals(&Instant { q: &q, ..*at }, end, &mut closure)?;
        }
        step[column] = 0.0;
        put(&mut tangents.stiffness, column, &force, 2.0 * small);
    }
    Ok(())
}
