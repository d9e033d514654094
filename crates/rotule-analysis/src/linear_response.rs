//! Responses of linear models: eigenvalues, frequency response, step response.

use crate::linear::StateSpace;
use crate::linear_sampled::exponential;
use nalgebra::{Complex, DMatrix, DVector};
use rotule_formalism::Problem;
use rotule_symbolic::elementary::{self, cos, exp2, log2, sin};

/// The response to sines, for every output and input.
#[derive(Clone, Debug, PartialEq)]
pub struct FrequencyResponse {
    /// Frequencies in rad/s.
    pub frequencies: Vec<f64>,
    /// The names of the inputs; derivatives of an input count with it.
    pub inputs: Vec<String>,
    /// At each frequency a matrix: outputs by inputs.
    pub values: Vec<DMatrix<Complex<f64>>>,
}

/// The response of all outputs to a step of one input, from zero.
#[derive(Clone, Debug, PartialEq)]
pub struct StepResponse {
    /// The name of the input.
    pub input: String,
    /// Times in seconds.
    pub times: Vec<f64>,
    /// For each output its numbers over time.
    pub values: Vec<Vec<f64>>,
}

impl StateSpace {
    /// The eigenvalues of `A`, in rad/s and 1/s; of a discrete model its multipliers.
    pub fn eigenvalues(&self) -> Vec<Complex<f64>> {
        if self.a.is_empty() {
            return Vec::new();
        }
        let mut found: Vec<Complex<f64>> =
            self.a.clone().complex_eigenvalues().iter().copied().collect();
        found.sort_by(|a, b| a.re.total_cmp(&b.re).then(a.im.total_cmp(&b.im)));
        found
    }

    /// The inputs that are no derivatives of others.
    pub fn plain_inputs(&self) -> Vec<usize> {
        (0..self.inputs.len()).filter(|&at| self.inputs[at].order == 0).collect()
    }

    /// A range of frequencies that shows all eigenvalues, in rad/s.
    pub fn usual_range(&self) -> [f64; 2] {
        let sizes: Vec<f64> = match self.period {
            None => {
                self.eigenvalues().iter().map(|one| elementary::hypot(one.re, one.im)).collect()
            }
            Some(_) => Vec::new(),
        };
        let largest = sizes.iter().copied().fold(0.0, f64::max);
        // A part of the largest is a zero that rounding moved.
        let smallest = sizes.iter().copied().filter(|one| *one > 1e-6 * largest);
        let smallest = smallest.fold(f64::INFINITY, f64::min);
        match self.period {
            Some(period) => {
                let highest = std::f64::consts::PI / period;
                [1e-3 * highest, highest]
            }
            None if smallest.is_finite() => [0.1 * smallest, 10.0 * largest],
            None => [0.1, 100.0],
        }
    }

    /// The response at frequencies in rad/s: `C (s - A)^-1 B + D` with `s = i w`, of a discrete
    /// model with `e^(i w T)` in its place.
    pub fn frequency_response(&self, frequencies: &[f64]) -> FrequencyResponse {
        let complex = |matrix: &DMatrix<f64>| matrix.map(|one| Complex::new(one, 0.0));
        let (a, b, c, d) = (complex(&self.a), complex(&self.b), complex(&self.c), complex(&self.d));
        let plain = self.plain_inputs();
        let size = self.a.nrows();
        let at = |&frequency: &f64| {
            let s = Complex::new(0.0, frequency);
            let variable = match self.period {
                None => s,
                Some(period) => Complex::new(cos(frequency * period), sin(frequency * period)),
            };
            // An input with its derivatives: u.d is s u.
            let mut together = DMatrix::zeros(self.inputs.len(), plain.len());
            for (row, input) in self.inputs.iter().enumerate() {
                let column = plain.iter().position(|&one| one == input.of).unwrap_or(0);
                together[(row, column)] =
                    (0..input.order).fold(Complex::new(1.0, 0.0), |all, _| all * s);
            }
            let matrix = DMatrix::from_diagonal_element(size, size, variable) - &a;
            let nothing =
                || DMatrix::from_element(size, plain.len(), Complex::new(f64::NAN, f64::NAN));
            let moved = matrix.lu().solve(&(&b * &together)).unwrap_or_else(nothing);
            &c * moved + &d * together
        };
        let inputs = plain.iter().map(|&at| self.inputs[at].name.clone()).collect();
        let values = frequencies.iter().map(at).collect();
        FrequencyResponse { frequencies: frequencies.to_vec(), inputs, values }
    }

    /// The response of all outputs to a unit step of an input at time zero, from `x = 0`: exact at
    /// so many instants, the ends included.
    pub fn step_response(
        &self,
        input: usize,
        end: f64,
        count: usize,
    ) -> Result<StepResponse, Problem> {
        let name = &self.inputs[input].name;
        let derivative = |one: &usize| self.inputs[*one].of == input && self.inputs[*one].order > 0;
        if (0..self.inputs.len()).any(|at| derivative(&at)) {
            let message = format!(
                "input `{name}` moves a joint, whose acceleration a step would make infinite"
            );
            return Err(Problem::new(
                message,
                "give the input a `filter`, or ask for the frequency response",
            ));
        }
        if !(end > 0.0 && end.is_finite()) || count < 2 {
            return Err(Problem::new(
                "a step response needs a positive end time and two instants",
                "",
            ));
        }
        let size = self.a.nrows();
        let (step, count) = match self.period {
            Some(period) => (period, (end / period).floor() as usize + 1),
            None => (end / (count - 1) as f64, count),
        };
        let (flow, held) = match self.period {
            Some(_) => (self.a.clone(), self.b.column(input).into_owned()),
            None => {
                let mut both = DMatrix::zeros(size + 1, size + 1);
                both.view_mut((0, 0), (size, size)).copy_from(&(&self.a * step));
                both.view_mut((0, size), (size, 1)).copy_from(&(self.b.column(input) * step));
                let found = exponential(&both);
                (
                    found.view((0, 0), (size, size)).into_owned(),
                    found.view((0, size), (size, 1)).column(0).into_owned(),
                )
            }
        };
        let mut x = DVector::zeros(size);
        let mut values = vec![Vec::with_capacity(count); self.outputs.len()];
        let mut times = Vec::with_capacity(count);
        for at in 0..count {
            let y = &self.c * &x + self.d.column(input);
            values.iter_mut().zip(y.iter()).for_each(|(all, one)| all.push(*one));
            times.push(at as f64 * step);
            x = &flow * &x + &held;
        }
        Ok(StepResponse { input: name.clone(), times, values })
    }
}

/// Frequencies at equal distances of their logarithm.
pub fn spaced(from: f64, to: f64, count: usize) -> Vec<f64> {
    let (low, high) = (log2(from), log2(to));
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count).map(|at| exp2(low + (high - low) * at as f64 / last)).collect()
}
