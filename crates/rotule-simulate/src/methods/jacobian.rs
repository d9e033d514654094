//! The derivatives of the equations for implicit methods, and the factors of what these solve.

use super::control::rates;
use crate::method::Work;
use crate::ode::{Fault, Ode};
use rotule_numeric::dense::{Complex, ComplexField, PivotedLu};

/// `df/dy`, by rows.
#[derive(Debug)]
pub(crate) struct Jacobian {
    size: usize,
    rows: Vec<f64>,
    shifted: Vec<f64>,
    moved: Vec<f64>,
}

impl Jacobian {
    /// Room for this many states.
    pub fn new(size: usize) -> Jacobian {
        let zeros = vec![0.0; size];
        Jacobian { size, rows: vec![0.0; size * size], shifted: zeros.clone(), moved: zeros }
    }

    /// The derivatives at `(t, y)`, where the rates are known: those of the equations, or
    /// differences.
    pub fn find(
        &mut self,
        ode: &mut dyn Ode,
        t: f64,
        y: &[f64],
        start: &[f64],
        work: &mut Work,
    ) -> Result<(), Fault> {
        work.jacobians += 1;
        if !ode.derivatives(t, y, &mut self.rows)? {
            self.differences(ode, t, y, start, work)?;
            // Nothing depends on such a state: without its row the others are solved as if it were
            // not there.
            for state in (0..self.size).filter(|&state| !ode.counts(state)) {
                self.rows[state * self.size..][..self.size].fill(0.0);
            }
        }
        match self.rows.iter().position(|entry| !entry.is_finite()) {
            None => Ok(()),
            Some(at) => {
                let (row, column) = (at / self.size, at % self.size);
                let what = format!("the derivative of rate {row} by state {column}");
                Err(Fault::NotFinite(what))
            }
        }
    }

    /// Forward differences, or backward ones where the equations end.
    fn differences(
        &mut self,
        ode: &mut dyn Ode,
        t: f64,
        y: &[f64],
        start: &[f64],
        work: &mut Work,
    ) -> Result<(), Fault> {
        self.shifted.copy_from_slice(y);
        for (column, &value) in y.iter().enumerate() {
            let large = value.abs().max(ode.scale(column).abs()).max(f64::MIN_POSITIVE);
            let increment = f64::EPSILON.sqrt() * large;
            self.shifted[column] = value + increment;
            if rates(ode, t, &self.shifted, &mut self.moved, work).is_err() {
                self.shifted[column] = value - increment;
                rates(ode, t, &self.shifted, &mut self.moved, work)?;
            }
            // The difference that rounding left.
            let difference = self.shifted[column] - value;
            let entries = self.rows.iter_mut().skip(column).step_by(self.size);
            for (entry, (moved, start)) in entries.zip(self.moved.iter().zip(start)) {
                *entry = (moved - start) / difference;
            }
            self.shifted[column] = value;
        }
        Ok(())
    }

    /// Factors of `shift - df/dy`.
    pub fn factor<T: ComplexField<RealField = f64>>(
        &self,
        shift: T,
        work: &mut Work,
    ) -> Factors<T> {
        work.factorisations += 1;
        let entry = |row: usize, column: usize| {
            let here = T::from_real(-self.rows[row * self.size + column]);
            if row == column { here + shift.clone() } else { here }
        };
        let lu = PivotedLu::from_fn(self.size, entry);
        let alone =
            |row: &usize| self.rows[row * self.size..][..self.size].iter().all(|e| *e == 0.0);
        Factors { lu, shift, alone: (0..self.size).filter(alone).collect() }
    }
}

/// A matrix ready to solve with.
#[derive(Debug)]
pub(crate) struct Factors<T: ComplexField> {
    lu: PivotedLu<T>,
    shift: T,
    /// States whose rates depend on no state.
    alone: Vec<usize>,
}

/// Factors of a real matrix.
pub(crate) type Real = Factors<f64>;

/// Factors of a complex matrix.
pub(crate) type Pair = Factors<Complex<f64>>;

impl<T: ComplexField> Factors<T> {
    /// Solves in place.
    pub fn solve(&self, values: &mut [T]) -> Result<(), Fault> {
        // The rounding of what other rows were added and subtracted is none of theirs: a constant
        // stays what it is.
        let known: Vec<T> =
            self.alone.iter().map(|&at| values[at].clone() / self.shift.clone()).collect();
        if self.lu.solve(values) {
            self.alone.iter().zip(known).for_each(|(&at, known)| values[at] = known);
            return Ok(());
        }
        Err(Fault::Singular("the matrix of the implicit step".into()))
    }
}
