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
use rotule_formalism::{MultibodySystem, Problem, constraint, engaged_variant};
use rotule_model::mechanism::{Mechanism, Role};
use rotule_numeric::dense::DenseLu;
use rotule_program::Externals;

/// The functions that reactions are found by.
pub struct Reactions {
    inverse: EvaluatedFunction,
    constraints: EvaluatedFunction,
    driven: Vec<usize>,
    /// The intermittent constraints that hold in these functions, and where each of their rows
    /// stands among all.
    engaged: Vec<usize>,
    slots: Vec<usize>,
    /// One number for each of the [`rows_of_all`], zero for those that repeat others or do not
    /// hold.
    pub multipliers: Vec<f64>,
    /// One number for each speed; zero for free joints.
    pub drives: Vec<f64>,
    /// One number for each constraint: `e` of `J qd + e = 0`, zero where time moves nothing.
    pub explicit: Vec<f64>,
}

impl Reactions {
    /// Makes the functions ready for the parameters of a plant.
    pub fn new(plant: &mut Plant) -> Result<Reactions, Problem> {
        let mut inverse = EvaluatedFunction::new(&plant.tree, "inverse")?;
        let mut constraints = EvaluatedFunction::new(&plant.tree, "constraints")?;
        plant.prepare(&mut inverse);
        plant.prepare(&mut constraints);
        let rows = rows_of_all(&plant.tree.mechanism).len();
        let (multipliers, explicit) = (vec![0.0; rows], vec![0.0; rows]);
        let (engaged, slots) = (plant.engaged().to_vec(), slots(&plant.tree.mechanism));
        let drives = vec![0.0; plant.tree.speeds()];
        let driven = driven(&plant.tree);
        Ok(Reactions {
            inverse,
            constraints,
            driven,
            engaged,
            slots,
            multipliers,
            drives,
            explicit,
        })
    }

    /// Takes over parameters.
    pub(crate) fn setup(&mut self, point: &InputPoint, externals: &mut dyn Externals) {
        self.inverse.setup(point, externals);
        self.constraints.setup(point, externals);
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

    /// Computes both at the plant's point.
    pub fn find(&mut self, plant: &mut Plant) {
        if plant.engaged() != self.engaged {
            // Other constraints hold, whose functions are other ones.
            match Reactions::new(plant) {
                Ok(new) => *self = new,
                Err(_) => {
                    self.multipliers.fill(f64::NAN);
                    self.drives.fill(f64::NAN);
                    return;
                }
            }
        }
        // Near gimbal lock the sequence that is integrated is regular, and has the same multipliers
        // and drives.
        let regular = plant.as_integrated(integrated).and_then(Result::ok);
        let (need, jacobian, explicit) = regular.unwrap_or_else(|| {
            plant.measure(&mut self.inverse);
            plant.measure(&mut self.constraints);
            let jacobian =
                rows(self.constraints.output(outputs::constraints::JACOBIAN), self.drives.len());
            (
                self.inverse.output(outputs::ONLY).to_vec(),
                jacobian,
                self.constraints.output(outputs::constraints::EXPLICIT).to_vec(),
            )
        });
        self.explicit.fill(0.0);
        self.slots.iter().zip(&explicit).for_each(|(&slot, e)| self.explicit[slot] = *e);
        let applied = &plant.point().effort;
        let mut missing: Vec<f64> =
            need.iter().zip(applied).map(|(need, given)| need - given).collect();
        self.multipliers.fill(0.0);
        if let Some(known) = plant.multipliers() {
            self.slots.iter().zip(known).for_each(|(&slot, one)| self.multipliers[slot] = *one);
            for (row, lambda) in jacobian.iter().zip(known) {
                row.iter().for_each(|&(column, value)| missing[column] -= value * lambda);
            }
        } else if let Some(choice) = plant.choice() {
            for block in choice.speeds.blocks.iter().rev() {
                // What later blocks carry is already taken away.
                let right = block.columns.iter().map(|&column| missing[column]).collect();
                let matrix = block.columns.iter().map(|&column| {
                    block.rows.iter().map(|&row| entry(&jacobian[row], column)).collect()
                });
                let found = DenseLu::of(matrix.collect()).solve(right);
                for (&row, lambda) in block.rows.iter().zip(found) {
                    self.multipliers[self.slots[row]] = lambda;
                    for &(column, value) in &jacobian[row] {
                        missing[column] -= value * lambda;
                    }
                }
            }
        }
        self.drives.fill(0.0);
        for &speed in &self.driven {
            self.drives[speed] = missing[speed];
        }
    }
}

/// The names of all constraints that a mechanism may have: with all intermittent ones engaged.
pub fn rows_of_all(mechanism: &Mechanism) -> Vec<String> {
    let all: Vec<usize> = (0..mechanism.intermittent.len()).collect();
    constraint::names(&engaged_variant(mechanism, &all))
}

/// The place of each constraint that a mechanism has among all that it may have.
fn slots(mechanism: &Mechanism) -> Vec<usize> {
    let own = constraint::names(mechanism);
    if mechanism.intermittent.is_empty() {
        return (0..own.len()).collect();
    }
    let all = rows_of_all(mechanism);
    own.iter().filter_map(|name| all.iter().position(|one| one == name)).collect()
}

/// The efforts that inverse dynamics asks for, `J` and `e`.
type Known = (Vec<f64>, Vec<Row>, Vec<f64>);

/// The known quantities of a plant as it is integrated.
fn integrated(plant: &mut Plant) -> Result<Known, Problem> {
    let need = plant.known("inverse")?.output(outputs::ONLY).to_vec();
    let constraints = plant.known("constraints")?;
    let (jacobian, explicit) = (
        rows(constraints.output(outputs::constraints::JACOBIAN), need.len()),
        constraints.output(outputs::constraints::EXPLICIT),
    );
    Ok((need, jacobian, explicit.to_vec()))
}

/// A row of `J`: the columns that are not zero, with their numbers.
type Row = Vec<(usize, f64)>;

/// The rows of a dense matrix.
fn rows(dense: &[f64], columns: usize) -> Vec<Row> {
    let row = |line: &[f64]| {
        let entries = line.iter().copied().enumerate();
        entries.filter(|entry| entry.1 != 0.0).collect()
    };
    dense.chunks_exact(columns.max(1)).map(row).collect()
}

fn entry(row: &Row, column: usize) -> f64 {
    row.iter().find(|entry| entry.0 == column).map_or(0.0, |entry| entry.1)
}

/// The speeds of driven and locked joints.
pub(crate) fn driven(tree: &MultibodySystem) -> Vec<usize> {
    let joints = tree.mechanism.joints.iter().filter(|joint| joint.role != Role::Free);
    joints.flat_map(|joint| joint.speeds.clone()).collect()
}
