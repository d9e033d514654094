//! Foreign functions as closures: what laws of a model call and Rust code supplies.

use rotule_program::{Externals, ForeignSignature};
use rotule_symbolic::ForeignCode;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A function of arguments that writes results.
pub(crate) type Value = Arc<dyn Fn(&[f64], &mut [f64]) + Send + Sync>;
pub(crate) type Slope = Arc<dyn Fn(&[f64], &[f64], &mut [f64]) + Send + Sync>;

/// For the first and the second derivative of a function, whether it was found by differences.
pub(crate) type Differenced = [Arc<AtomicBool>; 2];

#[derive(Clone)]
struct Closure {
    value: Value,
    /// The derivative along a direction, then the derivative of that, whose arguments are those of
    /// the function and their rates; what is missing is found by differences.
    slopes: Vec<Slope>,
    /// For each order, set once a derivative was found by differences.
    differenced: Differenced,
}

/// The closures of a model, by the names of the functions that they compute.
#[derive(Clone, Default)]
pub struct Closures(Arc<BTreeMap<String, Closure>>);

impl Closures {
    /// Adds a function with the derivatives that are known; `differenced` is set where others are
    /// found by differences.
    pub(crate) fn insert(
        &mut self,
        name: &str,
        value: Value,
        slopes: Vec<Slope>,
        differenced: Differenced,
    ) {
        let closure = Closure { value, slopes, differenced };
        Arc::make_mut(&mut self.0).insert(name.to_owned(), closure);
    }

    /// Returns `true` if a function is supplied.
    pub fn knows(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The closures for a run.
    pub fn boxed(&self) -> Box<dyn Externals> {
        Box::new(self.clone())
    }

    /// The name of the function that one of a program is, or is the derivative of: a partner for k
    /// directions is called as its base with the ending `_dk`, and with `_` behind it where that
    /// name is taken. There are partners of partners, too.
    fn base<'f>(&self, function: &'f ForeignSignature) -> (&'f str, Vec<usize>) {
        let (mut name, mut directions) = (function.name.as_str(), Vec::new());
        if function.derivative_of.is_none() {
            return (name, directions);
        }
        while directions.is_empty() || !self.knows(name) {
            let Some((base, count)) = name.trim_end_matches('_').rsplit_once("_d") else { break };
            let Ok(count) = count.parse() else { break };
            directions.insert(0, count);
            name = base;
        }
        (name, directions)
    }
}

impl Externals for Closures {
    fn call(&mut self, function: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        let (name, directions) = self.base(function);
        ForeignCode::call(self, name, &directions, arguments, results);
    }
}

impl ForeignCode for Closures {
    fn knows(&self, function: &str) -> bool {
        self.0.contains_key(function)
    }

    fn call(&self, function: &str, directions: &[usize], arguments: &[f64], results: &mut [f64]) {
        match self.0.get(function) {
            Some(closure) => closure.partner(directions, arguments, results),
            None => results.fill(f64::NAN),
        }
    }
}

impl Closure {
    /// The results of the partner of the partner .. of the function; see [`ForeignCode::call`].
    fn partner(&self, directions: &[usize], arguments: &[f64], results: &mut [f64]) {
        let Some((&count, inner)) = directions.split_last() else {
            return (self.value)(arguments, results);
        };
        // For each argument x: x, dx/dp1, .., dx/dpk; for each result likewise.
        let block = 1 + count;
        let x: Vec<f64> = arguments.iter().step_by(block).copied().collect();
        let mut y = vec![0.0; results.len() / block];
        self.partner(inner, &x, &mut y);
        y.iter().enumerate().for_each(|(at, value)| results[at * block] = *value);
        for k in 1..block {
            let dx: Vec<f64> = arguments.iter().skip(k).step_by(block).copied().collect();
            match (inner, &self.slopes[..]) {
                ([], [slope, ..]) => slope(&x, &dx, &mut y),
                (&[count], [slope, second, ..]) => {
                    slope_of_partner(1 + count, [slope, second], [&x, &dx], &mut y);
                }
                _ => {
                    // Those of higher orders are not reported.
                    if let Some(told) = self.differenced.get(self.slopes.len()) {
                        told.store(true, Ordering::Relaxed);
                    }
                    differences(&|x, y| self.partner(inner, x, y), &x, &dx, &mut y);
                }
            }
            y.iter().enumerate().for_each(|(at, value)| results[at * block + k] = *value);
        }
    }
}

/// The derivative of a partner along a direction, in blocks of the value and its derivatives: the
/// value changes by the derivative of the function, a derivative by that of the derivative.
fn slope_of_partner(
    block: usize,
    [slope, second]: [&Slope; 2],
    [x, dx]: [&[f64]; 2],
    results: &mut [f64],
) {
    let part = |list: &[f64], k: usize| -> Vec<f64> {
        list.iter().skip(k).step_by(block).copied().collect()
    };
    let mut y = vec![0.0; results.len() / block];
    let (values, rates) = (part(x, 0), part(dx, 0));
    for k in 0..block {
        match k {
            0 => slope(&values, &rates, &mut y),
            _ => {
                let at = [&values[..], &part(x, k)].concat();
                second(&at, &[&rates[..], &part(dx, k)].concat(), &mut y);
            }
        }
        y.iter().enumerate().for_each(|(at, value)| results[at * block + k] = *value);
    }
}

/// The derivative along a direction by central differences of order four, whose error is about
/// 1e-11 of the largest number for smooth functions.
fn differences(value: &dyn Fn(&[f64], &mut [f64]), x: &[f64], dx: &[f64], slope: &mut [f64]) {
    let largest = |list: &[f64]| list.iter().fold(0.0_f64, |most, one| most.max(one.abs()));
    let size = largest(dx);
    slope.fill(0.0);
    if size == 0.0 {
        return;
    }
    // Arguments that do not move, such as large parameters, have no part in the step.
    let moving: Vec<f64> =
        x.iter().zip(dx).filter(|(_, dx)| **dx != 0.0).map(|(x, _)| *x).collect();
    let step = 1e-3 * largest(&moving).max(1e-3) / size;
    let mut y = vec![0.0; slope.len()];
    for (shift, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
        let moved: Vec<f64> = x.iter().zip(dx).map(|(x, dx)| x + shift * step * dx).collect();
        value(&moved, &mut y);
        slope.iter_mut().zip(&y).for_each(|(sum, y)| *sum += weight * y / (12.0 * step));
    }
}
