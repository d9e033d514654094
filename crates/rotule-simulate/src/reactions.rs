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
use crate::monitor::Factor;
use crate::plant::Plant;
use crate::quantity::EvaluatedFunction;
use rotule_formalism::{Problem, Tree};
use rotule_model::mechanism::Role;
use rotule_program::Externals;

/// The functions that reactions are found by.
pub struct Reactions {
    inverse: EvaluatedFunction,
    constraints: EvaluatedFunction,
    driven: Vec<usize>,
    /// One number for each constraint, in their order; zero for those that repeat others.
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
        let rows = constraints.program().outputs()[1].rows as usize;
        let (multipliers, explicit) = (vec![0.0; rows], vec![0.0; rows]);
        let drives = vec![0.0; plant.tree.speeds()];
        let driven = driven(&plant.tree);
        Ok(Reactions { inverse, constraints, driven, multipliers, drives, explicit })
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
        // Near gimbal lock the sequence that is integrated is regular, and has the same multipliers
        // and drives.
        let regular = plant.as_integrated(integrated).and_then(Result::ok);
        let (need, jacobian, explicit) = regular.unwrap_or_else(|| {
            plant.measure(&mut self.inverse);
            plant.measure(&mut self.constraints);
            let jacobian = rows(self.constraints.output(1), self.drives.len());
            (self.inverse.output(0).to_vec(), jacobian, self.constraints.output(2).to_vec())
        });
        self.explicit.copy_from_slice(&explicit);
        let applied = &plant.point().effort;
        let mut missing: Vec<f64> =
            need.iter().zip(applied).map(|(need, given)| need - given).collect();
        self.multipliers.fill(0.0);
        if let Some(known) = plant.multipliers() {
            self.multipliers.copy_from_slice(known);
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
                let found = Factor::of(matrix.collect()).solve(right);
                for (&row, lambda) in block.rows.iter().zip(found) {
                    self.multipliers[row] = lambda;
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

/// The efforts that inverse dynamics asks for, `J` and `e`.
type Known = (Vec<f64>, Vec<Row>, Vec<f64>);

/// The known quantities of a plant as it is integrated.
fn integrated(plant: &mut Plant) -> Result<Known, Problem> {
    let need = plant.known("inverse")?.output(0).to_vec();
    let constraints = plant.known("constraints")?;
    let (jacobian, explicit) = (rows(constraints.output(1), need.len()), constraints.output(2));
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
pub(crate) fn driven(tree: &Tree) -> Vec<usize> {
    let joints = tree.mechanism.joints.iter().filter(|joint| joint.role != Role::Free);
    joints.flat_map(|joint| joint.speeds.clone()).collect()
}
