//! Foreign functions as closures: what laws of a model call and Rust code supplies.

use rotule_program::{Externals, ForeignSignature};
use std::collections::BTreeMap;
use std::sync::Arc;

type Value = Arc<dyn Fn(&[f64], &mut [f64]) + Send + Sync>;
type Slope = Arc<dyn Fn(&[f64], &[f64], &mut [f64]) + Send + Sync>;

#[derive(Clone)]
struct Closure {
    value: Value,
    /// The derivative along a direction; without one it is found by differences.
    slope: Option<Slope>,
}

/// The closures of a model, by the names of the functions that they compute.
#[derive(Clone, Default)]
pub struct Closures(Arc<BTreeMap<String, Closure>>);

impl Closures {
    pub(crate) fn insert(&mut self, name: &str, value: Value, slope: Option<Slope>) {
        Arc::make_mut(&mut self.0).insert(name.to_owned(), Closure { value, slope });
    }

    pub(crate) fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(crate) fn boxed(&self) -> Box<dyn Externals> {
        Box::new(self.clone())
    }

    /// The closure of a function, or of the function that it is the derivative of: a partner for k
    /// directions is called as its base with the ending `_dk`, and with `_` behind it where that
    /// name is taken.
    fn find(&self, function: &ForeignSignature) -> Option<&Closure> {
        let Some(partner) = function.derivative_of else { return self.0.get(&function.name) };
        let ending = format!("_d{}", partner.directions);
        let base = function.name.trim_end_matches('_').strip_suffix(&ending)?;
        self.0.get(base)
    }
}

impl Externals for Closures {
    fn call(&mut self, function: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        let Some(closure) = self.find(function) else {
            results.fill(f64::NAN);
            return;
        };
        let Some(partner) = function.derivative_of else {
            return (closure.value)(arguments, results);
        };
        // For each argument x: x, dx/dp1, .., dx/dpk; for each result likewise.
        let block = 1 + partner.directions as usize;
        let x: Vec<f64> = arguments.iter().step_by(block).copied().collect();
        let mut y = vec![0.0; results.len() / block];
        (closure.value)(&x, &mut y);
        y.iter().enumerate().for_each(|(at, value)| results[at * block] = *value);
        for k in 1..block {
            let dx: Vec<f64> = arguments.iter().skip(k).step_by(block).copied().collect();
            match &closure.slope {
                Some(slope) => slope(&x, &dx, &mut y),
                None => differences(&closure.value, &x, &dx, &mut y),
            }
            y.iter().enumerate().for_each(|(at, value)| results[at * block + k] = *value);
        }
    }
}

/// The derivative along a direction by central differences of order four, whose error is about
/// 1e-11 of the largest number for smooth functions.
fn differences(value: &Value, x: &[f64], dx: &[f64], slope: &mut [f64]) {
    let largest = |list: &[f64]| list.iter().fold(0.0_f64, |most, one| most.max(one.abs()));
    let size = largest(dx);
    slope.fill(0.0);
    if size == 0.0 {
        return;
    }
    let step = 1e-3 * largest(x).max(1e-3) / size;
    let mut y = vec![0.0; slope.len()];
    for (shift, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
        let moved: Vec<f64> = x.iter().zip(dx).map(|(x, dx)| x + shift * step * dx).collect();
        value(&moved, &mut y);
        slope.iter_mut().zip(&y).for_each(|(sum, y)| *sum += weight * y / (12.0 * step));
    }
}
