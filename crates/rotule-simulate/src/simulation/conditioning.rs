//! The conditioning of coordinate partitions as channels: that of the present one, and that of the
//! best other one.

use crate::hold::HeldSet;
use crate::monitor::Jacobian;
use crate::outputs;
use crate::plant::Plant;
use crate::quantity::EvaluatedFunction;
use rotule_formalism::Problem;

/// The constraints of a plant in numbers.
pub(super) struct Conditioning {
    constraints: EvaluatedFunction,
    jacobian: Jacobian,
    /// The joints and constraints that events held when the functions were written.
    held: HeldSet,
}

impl Conditioning {
    /// Makes the functions ready for the parameters of a plant.
    pub fn new(plant: &mut Plant) -> Result<Conditioning, Problem> {
        let mut constraints = EvaluatedFunction::new(&plant.tree, "constraints")?;
        plant.prepare(&mut constraints);
        let jacobian = Jacobian::new(&plant.tree)?;
        Ok(Conditioning { constraints, jacobian, held: plant.held_set() })
    }

    /// The conditioning of the present partition and of the best other one at the plant's point.
    /// Neither is a number while all coordinates are the state, or events hold other joints or
    /// constraints.
    pub fn measure(&mut self, plant: &mut Plant) -> [f64; 2] {
        let Some(now) = plant.choice().cloned().filter(|_| plant.held_set() == self.held) else {
            return [f64::NAN; 2];
        };
        plant.measure(&mut self.constraints);
        self.jacobian.take(self.constraints.output(outputs::constraints::JACOBIAN));
        let own = self.jacobian.condition(&now).amplification;
        let others = self.jacobian.choices(&now).into_iter().filter(|other| *other != now);
        let others = others.map(|other| self.jacobian.condition(&other).amplification);
        // A mechanism whose speeds are all known has no other partition.
        let best = others.reduce(f64::min).unwrap_or(own);
        [own, best]
    }
}
