//! Between the ends of a step of a method that has no better way: the cubic with the states and
//! rates of both ends.

/// Both ends of a step.
#[derive(Clone, Debug, Default)]
pub struct Hermite {
    /// When the step begins and ends.
    pub times: [f64; 2],
    /// States at both ends.
    pub states: [Vec<f64>; 2],
    /// Rates at both ends.
    pub rates: [Vec<f64>; 2],
}

impl Hermite {
    /// The states at a time within the step.
    pub fn between(&self, t: f64, y: &mut [f64]) {
        let step = self.times[1] - self.times[0];
        let x = if step == 0.0 { 0.0 } else { (t - self.times[0]) / step };
        let rest = 1.0 - x;
        // Weights of the change and of the rates. What does not change keeps its value to the last
        // bit.
        let to = x * x * (3.0 - 2.0 * x);
        let (leave, reach) = (step * x * rest * rest, -step * x * x * rest);
        for (at, value) in y.iter_mut().enumerate() {
            let from = self.states[0][at];
            *value = from
                + to * (self.states[1][at] - from)
                + leave * self.rates[0][at]
                + reach * self.rates[1][at];
        }
    }
}
