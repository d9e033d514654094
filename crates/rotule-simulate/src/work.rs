//! The work of forces in motion, to check the energy of models in which more than weight and inertia acts.

use crate::plant::Plant;
use crate::quantity::Quantity;
use crate::reactions::Reactions;
use rotule_formalism::Problem;
use rotule_model::mechanism::{Joint, Nature};

/// The work of everything but weights, as one more state: its rate is the power of laws, links, wheels, forces and drives.
pub(crate) struct Work {
    power: Quantity,
    reactions: Option<Reactions>,
    pub value: f64,
    /// How large energies are.
    pub scale: f64,
}

impl Plant {
    /// The same with the work of all forces as one more state, so that kinetic and potential energy less the work must stay.
    /// Not for forms in all coordinates.
    pub fn with_work(mut self) -> Result<Plant, Problem> {
        if self.all().is_some() {
            let help = "leave out --balance, or --constraints";
            return Err(Problem::new("work is integrated with independent coordinates only", help));
        }
        let mut power = Quantity::new(&self.tree, "power")?;
        self.prepare(&mut power);
        let free = |joint: &Joint| joint.nature == Nature::Free;
        let reactions = match self.tree.mechanism.joints.iter().all(free) {
            true => None,
            false => Some(Reactions::new(&mut self)?),
        };
        let mut scale = 1.0_f64;
        for function in ["kinetic_energy", "potential_energy"] {
            let mut energy = Quantity::new(&self.tree, function)?;
            self.prepare(&mut energy);
            self.measure(&mut energy);
            scale = scale.max(energy.output(0)[0].abs());
        }
        self.work = Some(Work { power, reactions, value: 0.0, scale });
        Ok(self)
    }

    /// The work done since the start, if it is integrated.
    pub fn work(&self) -> Option<f64> {
        self.work.as_ref().map(|work| work.value)
    }

    /// The power of everything but weights at the last point.
    pub(crate) fn power(&mut self) -> f64 {
        let Some(mut work) = self.work.take() else { return 0.0 };
        let power = self.as_user(|plant| {
            plant.measure(&mut work.power);
            let mut sum = work.power.output(0)[0];
            if let Some(reactions) = &mut work.reactions {
                reactions.find(plant);
                let driven = reactions.drives.iter().zip(&plant.point.qd);
                sum += driven.map(|(effort, speed)| effort * speed).sum::<f64>();
            }
            sum
        });
        self.work = Some(work);
        power
    }
}
