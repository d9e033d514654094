//! The work of forces in motion, to check the energy of models in which more than weight and
//! inertia acts.

use crate::inputs::InputPoint;
use crate::outputs;
use crate::plant::Plant;
use crate::quantity::EvaluatedFunction;
use crate::reactions::Reactions;
use rotule_formalism::{ModelFunction, Problem, normalise};
use rotule_model::mechanism::Role;
use rotule_numeric::generate;
use rotule_numeric::pattern::Pattern;
use rotule_program::{Externals, Program, ProgramCounts};

/// The work of everything but weights, as one more state: its rate is the power of laws, line
/// forces, wheels, forces, drives and of constraints that time moves.
pub(crate) struct Work {
    power: EvaluatedFunction,
    reactions: Option<Reactions>,
    pub value: f64,
    /// The size of energies.
    pub scale: f64,
}

/// A change of the energy by less than this part of it is rounding.
const ROUNDING: f64 = 1e-12;

/// The work is integrated without request if its operations are at most this part of those of the
/// equations of motion.
const LIGHT: f64 = 0.05;

impl Work {
    /// Takes over parameters: the power is that of the equations, branches of laws included.
    pub fn setup(&mut self, point: &InputPoint, externals: &mut dyn Externals) {
        self.power.setup(point, externals);
        if let Some(reactions) = &mut self.reactions {
            reactions.setup(point, externals);
        }
    }
}

impl Plant {
    /// Returns `true` if the work of all forces costs few operations beside the equations of
    /// motion, in a form that can have it.
    pub fn is_work_light(&self) -> bool {
        let operations = |program: &Program| {
            let counts = ProgramCounts::plain(program);
            (counts.body.operations() + counts.iteration.operations()) as f64
        };
        let Some(motion) = self.program() else { return false };
        let most = LIGHT * operations(motion);
        let functions = match self.is_moved_by_time() {
            Ok(true) => &["power", "inverse", "constraints"][..],
            Ok(false) => &["power"],
            Err(_) => return false,
        };
        let mut sum = 0.0;
        // The cheapest is written first, because most models are told by it.
        functions.iter().all(|name| {
            let function = ModelFunction::parse(name, &self.tree);
            let written = function.and_then(|function| generate(&self.tree, &function, None));
            written.is_ok_and(|written| {
                sum += operations(&written.program);
                sum <= most
            })
        })
    }

    /// Adds the work of all forces as one more state, so that kinetic and potential energy less the
    /// work must stay. Not for forms in all coordinates.
    pub fn with_work(mut self) -> Result<Plant, Problem> {
        if self.all().is_some() {
            let help = "leave out --balance, or --constraints";
            return Err(Problem::new("work is integrated with independent coordinates only", help));
        }
        let mut power = EvaluatedFunction::new(&self.free_tree(), "power")?;
        self.prepare(&mut power);
        let reactions = match self.is_moved_by_time()? {
            true => Some(Reactions::new(&mut self)?),
            false => None,
        };
        let mut scale = 1.0_f64;
        for function in ["kinetic_energy", "potential_energy"] {
            let mut energy = EvaluatedFunction::new(&self.tree, function)?;
            self.prepare(&mut energy);
            self.measure(&mut energy);
            scale = scale.max(energy.output(outputs::ONLY)[0].abs());
        }
        self.work = Some(Work { power, reactions, value: 0.0, scale });
        Ok(self)
    }

    /// Returns `true` if drives or constraints do work: joints are driven, or a constraint depends
    /// on time.
    fn is_moved_by_time(&self) -> Result<bool, Problem> {
        if let Some(known) = self.moved_by_time.get() {
            return Ok(*known);
        }
        let driven = self.tree.mechanism.joints.iter().any(|joint| joint.role != Role::Free);
        let moved = driven || Pattern::of(&self.tree)?.explicit;
        Ok(*self.moved_by_time.get_or_init(|| moved))
    }

    /// The work done since the start, if it is integrated.
    pub fn work(&self) -> Option<f64> {
        self.work.as_ref().map(|work| work.value)
    }

    /// The energy that events took out of the motion since the start, such as losses of impacts;
    /// negative if they put some in.
    pub fn lost(&self) -> f64 {
        self.lost
    }

    /// Kinetic and potential energy at the last point.
    pub(crate) fn energies(&mut self) -> Result<[f64; 2], Problem> {
        // With all joints free, so that one program serves whatever events hold.
        let mut energies = match self.energies.take() {
            Some(known) => known,
            None => {
                let tree = normalise(self.base.clone());
                let [mut kinetic, mut potential] = [
                    EvaluatedFunction::new(&tree, "kinetic_energy")?,
                    EvaluatedFunction::new(&tree, "potential_energy")?,
                ];
                self.prepare(&mut kinetic);
                self.prepare(&mut potential);
                [kinetic, potential]
            }
        };
        self.as_user(|plant| {
            for energy in &mut energies {
                plant.measure(energy);
            }
        });
        let found = [energies[0].output(outputs::ONLY)[0], energies[1].output(outputs::ONLY)[0]];
        self.energies = Some(energies);
        Ok(found)
    }

    /// Takes note of what an event took out of the motion since the energies were `before`; none if
    /// it is rounding.
    pub(crate) fn lose(&mut self, before: [f64; 2]) -> Result<Option<f64>, Problem> {
        let after = self.energies()?;
        let loss = (before[0] - after[0]) + (before[1] - after[1]);
        let size = [before, after].as_flattened().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if loss.abs() <= ROUNDING * size {
            return Ok(None);
        }
        self.lost += loss;
        Ok(Some(loss))
    }

    /// The power of everything but weights at the last point.
    pub(crate) fn power(&mut self) -> f64 {
        let Some(mut work) = self.work.take() else { return 0.0 };
        let power = self.as_user(|plant| {
            plant.measure(&mut work.power);
            let mut sum = work.power.output(outputs::ONLY)[0];
            if let Some(reactions) = &mut work.reactions {
                reactions.find(plant);
                sum += reactions.power(plant);
            }
            sum
        });
        self.work = Some(work);
        power
    }
}

/// Spreads a square matrix of `own` rows, which fills the beginning of the numbers, to one with a
/// row and a column of zeros more.
pub(crate) fn embed(numbers: &mut [f64], own: usize) {
    let wide = own + 1;
    for row in (0..own).rev() {
        numbers.copy_within(row * own..(row + 1) * own, row * wide);
        numbers[row * wide + own] = 0.0;
    }
    numbers[own * wide..].fill(0.0);
}

#[cfg(test)]
mod tests {
    use super::embed;

    #[test]
    fn a_matrix_gets_a_row_and_a_column_of_zeros() {
        let mut numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0];
        embed(&mut numbers, 2);
        assert_eq!(numbers, [1.0, 2.0, 0.0, 3.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
    }
}
