//! The conditioning of coordinate partitions as channels: that of the present one, and that of the
//! best other one.

use crate::hold::HeldSet;
use crate::monitor::Jacobian;
use crate::plant::Plant;
use rotule_formalism::Problem;

/// The constraints of a plant in numbers.
pub(super) struct Conditioning {
    jacobian: Jacobian,
    /// The joints and constraints that events held when the functions were written.
    held: HeldSet,
}

impl Conditioning {
    /// The constraints of a plant as they are now.
    pub fn new(plant: &Plant) -> Result<Conditioning, Problem> {
        Ok(Conditioning { jacobian: Jacobian::new(&plant.tree)?, held: plant.held_set() })
    }

    /// The conditioning of the present partition and of the best other one at the plant's point, by
    /// the numbers of `J` there. Neither is a number while all coordinates are the state, or events
    /// hold other joints or constraints.
    pub fn measure(&mut self, plant: &Plant, jacobian: &[f64]) -> [f64; 2] {
        let Some(now) = plant.choice().filter(|_| plant.holds_set(&self.held)) else {
            return [f64::NAN; 2];
        };
        self.jacobian.take(jacobian);
        let own = self.jacobian.condition(now).amplification;
        let others = self.jacobian.choices(now).into_iter().filter(|other| other != now);
        let others = others.map(|other| self.jacobian.condition(&other).amplification);
        // A mechanism whose speeds are all known has no other partition.
        let best = others.reduce(f64::min).unwrap_or(own);
        [own, best]
    }
}
