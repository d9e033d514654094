//! Forces of constraints and efforts of drives in a known motion, for any choice of independent
//! coordinates.
//!
//! Accelerations are known, so inverse dynamics of the open tree says what is missing: `r = M qdd +
//! c - Q`, and
//!
//! ```text
//! J_v' lambda = r_v            backwards through the blocks
//! drive = r - J' lambda        of driven and locked joints
//! ```

use crate::inputs::InputPoint;
use crate::outputs;
use crate::plant::Plant;
use crate::quantity::EvaluatedFunction;
use rotule_formalism::{MultibodySystem, Problem, constraint, engaged_variant, normalise};
use rotule_model::mechanism::{Mechanism, Role};
use rotule_numeric::dense::DenseLu;
use rotule_program::Externals;

/// Forces of constraints and efforts of drives.
pub struct Reactions {
    /// The functions that both follow from; none if their numbers are given.
    functions: Option<[EvaluatedFunction; 2]>,
    driven: Vec<usize>,
    /// The intermittent constraints that hold in these functions, and where each of their rows
    /// stands among all.
    engaged: Vec<usize>,
    slots: Vec<usize>,
    /// One number for each constraint that the mechanism may have, zero for those that repeat
    /// others or do not hold.
    pub multipliers: Vec<f64>,
    /// One number for each speed; zero for free joints.
    pub drives: Vec<f64>,
    /// One number for each constraint: `e` of `J qd + e = 0`, zero where time moves nothing.
    pub explicit: Vec<f64>,
    scratch: Scratch,
}

/// The numbers that both follow from, at a plant's point.
#[derive(Clone, Copy)]
pub(crate) struct Known<'a> {
    /// The efforts that inverse dynamics asks for.
    pub need: &'a [f64],
    /// `J`, dense, by rows.
    pub jacobian: &'a [f64],
    /// `e`.
    pub explicit: &'a [f64],
}

#[derive(Default)]
struct Scratch {
    missing: Vec<f64>,
    matrix: Vec<f64>,
    factor: DenseLu,
    right: Vec<f64>,
    found: Vec<f64>,
}

impl Reactions {
    /// Makes the functions ready for the parameters of a plant.
    pub fn new(plant: &mut Plant) -> Result<Reactions, Problem> {
        let functions = Some(functions(plant)?);
        Ok(Reactions { functions, ..Reactions::of_known(plant) })
    }

    /// Reactions whose functions somebody else evaluates.
    pub(crate) fn of_known(plant: &Plant) -> Reactions {
        let rows = rows_of_all(&plant.tree.mechanism).len();
        Reactions {
            functions: None,
            driven: driven(&plant.tree),
            engaged: plant.engaged().to_vec(),
            slots: slots(&plant.tree.mechanism),
            multipliers: vec![0.0; rows],
            drives: vec![0.0; plant.tree.speeds()],
            explicit: vec![0.0; rows],
            scratch: Scratch::default(),
        }
    }

    /// Takes over parameters.
    pub(crate) fn setup(&mut self, point: &InputPoint, externals: &mut dyn Externals) {
        let functions = self.functions.iter_mut().flatten();
        functions.for_each(|function| function.setup(point, externals));
    }

    /// The power of drives, and of constraints that time moves: `lambda' J qd = -lambda' e`.
    pub fn power(&self, plant: &Plant) -> f64 {
        let product = |(a, b): (&f64, &f64)| a * b;
        let drives: f64 = self.drives.iter().zip(&plant.point().qd).map(product).sum();
        drives - self.multipliers.iter().zip(&self.explicit).map(product).sum::<f64>()
    }

    /// The speeds of driven and locked joints.
    pub fn driven(&self) -> &[usize] {
        &self.driven
    }

    /// The place of each constraint that holds among all that the mechanism may have.
    pub(crate) fn slots(&self) -> &[usize] {
        &self.slots
    }

    /// Computes both at the plant's point.
    pub fn find(&mut self, plant: &mut Plant) {
        let Some(mut own) = self.functions.take() else { return };
        if plant.engaged() != self.engaged {
            // Other constraints hold, whose functions are other ones.
            match functions(plant) {
                Ok(new) => own = new,
                Err(_) => {
                    self.lose();
                    self.functions = Some(own);
                    return;
                }
            }
        }
        own.iter_mut().for_each(|function| _ = plant.measure(function));
        let [inverse, constraints] = &own;
        self.find_by(
            plant,
            Known {
                need: inverse.output(outputs::ONLY),
                jacobian: constraints.output(outputs::constraints::JACOBIAN),
                explicit: constraints.output(outputs::constraints::EXPLICIT),
            },
        );
        self.functions = Some(own);
    }

    /// Neither is known.
    pub(crate) fn lose(&mut self) {
        self.multipliers.fill(f64::NAN);
        self.drives.fill(f64::NAN);
    }

    /// Finds the places of the constraints that hold now.
    pub(crate) fn follow(&mut self, plant: &Plant) {
        if plant.engaged() != self.engaged {
            self.engaged.clear();
            self.engaged.extend_from_slice(plant.engaged());
            self.slots = slots(&plant.tree.mechanism);
        }
    }

    /// Computes both at the plant's point from what is known there.
    pub(crate) fn find_by(&mut self, plant: &mut Plant, known: Known<'_>) {
        self.follow(plant);
        // Near gimbal lock the sequence that is integrated is regular, and has the same multipliers
        // and drives.
        match plant.as_integrated(integrated).and_then(Result::ok) {
            Some([need, jacobian, explicit]) => {
                let known = Known { need: &need, jacobian: &jacobian, explicit: &explicit };
                self.solve(plant, known);
            }
            None => self.solve(plant, known),
        }
    }

    fn solve(&mut self, plant: &Plant, Known { need, jacobian, explicit }: Known<'_>) {
        let Scratch { missing, matrix, factor, right, found } = &mut self.scratch;
        self.explicit.fill(0.0);
        self.slots.iter().zip(explicit).for_each(|(&slot, e)| self.explicit[slot] = *e);
        let applied = &plant.point().effort;
        missing.clear();
        missing.extend(need.iter().zip(applied).map(|(need, given)| need - given));
        let columns = missing.len();
        let row = |at: usize| &jacobian[at * columns..(at + 1) * columns];
        // What is zero in `J` takes nothing away, however large a multiplier is.
        let carry = |missing: &mut [f64], row: &[f64], lambda: f64| {
            let entries = missing.iter_mut().zip(row).filter(|(_, value)| **value != 0.0);
            entries.for_each(|(missing, value)| *missing -= value * lambda);
        };
        self.multipliers.fill(0.0);
        if let Some(known) = plant.multipliers() {
            self.slots.iter().zip(known).for_each(|(&slot, one)| self.multipliers[slot] = *one);
            for (line, &lambda) in jacobian.chunks_exact(columns.max(1)).zip(known) {
                carry(missing, line, lambda);
            }
        } else if let Some(choice) = plant.choice() {
            for block in choice.speeds.blocks.iter().rev() {
                // What later blocks carry is already taken away.
                right.clear();
                right.extend(block.columns.iter().map(|&column| missing[column]));
                matrix.clear();
                let entries = block
                    .columns
                    .iter()
                    .flat_map(|&column| block.rows.iter().map(move |&at| row(at)[column]));
                matrix.extend(entries);
                factor.factor(matrix, block.columns.len());
                factor.solve(right, found);
                for (&at, &lambda) in block.rows.iter().zip(&*found) {
                    self.multipliers[self.slots[at]] = lambda;
                    carry(missing, row(at), lambda);
                }
            }
        }
        self.drives.fill(0.0);
        for &speed in &self.driven {
            self.drives[speed] = missing[speed];
        }
    }
}

/// The functions that reactions follow from, ready for the parameters of a plant.
fn functions(plant: &mut Plant) -> Result<[EvaluatedFunction; 2], Problem> {
    let mut functions = [
        EvaluatedFunction::new(&plant.tree, "inverse")?,
        EvaluatedFunction::new(&plant.tree, "constraints")?,
    ];
    functions.iter_mut().for_each(|function| plant.prepare(function));
    Ok(functions)
}

/// A constraint that a mechanism may have.
pub(crate) struct RowOfAll {
    /// Its name.
    pub name: String,
    /// `true` if it relates positions, too, and not speeds alone.
    pub holonomic: bool,
}

/// All constraints that a mechanism may have: with all intermittent ones engaged.
pub(crate) fn rows_of_all(mechanism: &Mechanism) -> Vec<RowOfAll> {
    let all: Vec<usize> = (0..mechanism.intermittent.len()).collect();
    let system = normalise(engaged_variant(mechanism, &all).into_owned());
    let rows = constraint::constraints(system.writer(&system.sheet()));
    let rows = rows.map_or(Vec::new(), |all| all.rows).into_iter();
    rows.map(|row| RowOfAll { name: row.name, holonomic: row.residual.is_some() }).collect()
}

/// The place of each constraint that a mechanism has among all that it may have.
fn slots(mechanism: &Mechanism) -> Vec<usize> {
    let own = constraint::names(mechanism);
    if mechanism.intermittent.is_empty() {
        return (0..own.len()).collect();
    }
    let all = rows_of_all(mechanism);
    own.iter().filter_map(|name| all.iter().position(|one| one.name == *name)).collect()
}

/// The efforts that inverse dynamics asks for, `J` and `e` of a plant as it is integrated.
fn integrated(plant: &mut Plant) -> Result<[Vec<f64>; 3], Problem> {
    let need = plant.known("inverse")?.output(outputs::ONLY).to_vec();
    let constraints = plant.known("constraints")?;
    let output = |at: usize| constraints.output(at).to_vec();
    Ok([need, output(outputs::constraints::JACOBIAN), output(outputs::constraints::EXPLICIT)])
}

/// The speeds of driven and locked joints.
pub(crate) fn driven(tree: &MultibodySystem) -> Vec<usize> {
    let joints = tree.mechanism.joints.iter().filter(|joint| joint.role != Role::Free);
    joints.flat_map(|joint| joint.speeds.clone()).collect()
}
