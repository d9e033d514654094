//! Exact derivatives of the rates by the state, for stiff methods.
//!
//! Functions are differentiated along speeds: a column is the change per unit of speed. A joint
//! with a quaternion has more coordinates than speeds; there `df/dq = df/ds N+` with `qdot = N s`,
//! and since the columns of `N` are at right angles to each other, `N+` is the transpose of `N`
//! with each row divided by the square of its length.

use crate::inputs::InputPoint;
use crate::outputs;
use crate::quantity::EvaluatedFunction;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_program::Externals;
use rotule_symbolic::elementary::powi;

/// Outputs of `derivative(motion, ..)` by position.
const QDOT: usize = 2;
const QDD: usize = 3;
const RATE: usize = 4;

/// The derivatives of `motion`.
pub(crate) struct Tangent {
    by_q: EvaluatedFunction,
    by_qd: EvaluatedFunction,
    /// By the states of the user's own, if there are any.
    by_states: Option<EvaluatedFunction>,
    map: EvaluatedFunction,
    /// For each coordinate, the speeds that change it, without those along which closing loops
    /// moves it back. A quaternion may depend on others in some of its axes only.
    moved_by: Vec<Vec<usize>>,
    speeds: usize,
    states: usize,
}

impl Tangent {
    /// Writes the derivatives for the choice that the tree holds.
    pub fn new(
        tree: &MultibodySystem,
        point: &InputPoint,
        externals: &mut dyn Externals,
    ) -> Result<Tangent, Problem> {
        let map = EvaluatedFunction::new(tree, "kinematic_map")?;
        let mut moved_by = vec![Vec::new(); tree.motion.q.len()];
        let partition = tree.strategy.partition.iter();
        let dependent: Vec<usize> = partition.flat_map(|one| one.coordinates.dependent()).collect();
        for entry in &map.program().outputs()[outputs::ONLY].entries {
            if !dependent.contains(&(entry.column as usize)) {
                moved_by[entry.row as usize].push(entry.column as usize);
            }
        }
        let states = tree.mechanism.states.len();
        let mut made = Tangent {
            by_q: EvaluatedFunction::new(tree, "derivative(motion, q)")?,
            by_qd: EvaluatedFunction::new(tree, "derivative(motion, qd)")?,
            by_states: match states {
                0 => None,
                _ => Some(EvaluatedFunction::new(tree, "derivative(motion, state)")?),
            },
            map,
            moved_by,
            speeds: tree.speeds(),
            states,
        };
        made.setup(point, externals);
        Ok(made)
    }

    /// Takes over parameters.
    pub fn setup(&mut self, point: &InputPoint, externals: &mut dyn Externals) {
        let first = [&mut self.by_q, &mut self.by_qd, &mut self.map];
        for quantity in first.into_iter().chain(&mut self.by_states) {
            quantity.setup(point, externals);
        }
    }

    /// See [`EvaluatedFunction::loosen`].
    pub fn loosen(&mut self, doubled: u32, point: &InputPoint, externals: &mut dyn Externals) {
        let first = [&mut self.by_q, &mut self.by_qd];
        for quantity in first.into_iter().chain(&mut self.by_states) {
            quantity.loosen(doubled, point, externals);
        }
    }

    /// Writes `df/dy` by rows, for the state of some coordinates and speeds, at a closed point.
    /// Coordinates that follow are guesses, on which nothing depends.
    pub fn at(
        &mut self,
        point: &InputPoint,
        externals: &mut dyn Externals,
        (coordinates, speeds): (&[usize], &[usize]),
        by_state: &mut [f64],
    ) -> bool {
        let mut closed = true;
        let first = [&mut self.by_q, &mut self.by_qd, &mut self.map];
        for quantity in first.into_iter().chain(&mut self.by_states) {
            closed &= quantity.evaluate(point, externals);
        }
        by_state.fill(0.0);
        let width = coordinates.len() + speeds.len() + self.states;
        let map = self.map.output(outputs::ONLY);
        let mut squares = vec![0.0; self.speeds];
        for (coordinate, speeds) in self.moved_by.iter().enumerate() {
            for &speed in speeds {
                squares[speed] += powi(map[coordinate * self.speeds + speed], 2);
            }
        }
        let moving = coordinates.len() + speeds.len();
        let states: Vec<usize> = (0..self.states).collect();
        let outputs =
            [(QDOT, coordinates, 0), (QDD, speeds, coordinates.len()), (RATE, &states[..], moving)];
        for (output, rows, first) in outputs {
            let (by_q, by_qd) = (self.by_q.output(output), self.by_qd.output(output));
            for (at, &row) in rows.iter().enumerate() {
                let line = &mut by_state[(first + at) * width..][..width];
                let by_q = &by_q[row * self.speeds..][..self.speeds];
                for (value, &coordinate) in line.iter_mut().zip(coordinates) {
                    let part = |&speed: &usize| {
                        by_q[speed] * map[coordinate * self.speeds + speed] / squares[speed]
                    };
                    *value = self.moved_by[coordinate].iter().map(part).sum();
                }
                let by_qd = &by_qd[row * self.speeds..][..self.speeds];
                for (value, &speed) in line[coordinates.len()..].iter_mut().zip(speeds) {
                    *value = by_qd[speed];
                }
                if let Some(by_states) = &self.by_states {
                    let numbers = &by_states.output(output)[row * self.states..][..self.states];
                    line[moving..].copy_from_slice(numbers);
                }
            }
        }
        closed
    }
}
