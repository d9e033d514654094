//! One choice of what is independent: which coordinates and speeds are the state, the equations for
//! it, and other functions of the mechanism in this case, each written when it is first asked for.
//!
//! The state has the coordinates of all free joints, dependent ones too: the equations take these
//! for guesses and close loops from there, so that every method predicts, interpolates and watches
//! them like all others. Of speeds it has the independent ones.

use crate::augmented::{Augmented, ConstraintForm, Equations};
use crate::follow::Follow;
use crate::inputs::InputPoint;
use crate::quantity::EvaluatedFunction;
use crate::redundant::{Redundant, free};
use crate::tangent::Tangent;
use rotule_formalism::constraint::TOLERANCE;
use rotule_formalism::constraint::closed::PartitionChoice;
use rotule_formalism::constraint::pattern::Pattern;
use rotule_formalism::{ElementaryMotion, Problem, Tree};
use rotule_jit::KernelKind;
use rotule_model::mechanism::{Action, Event, EventTarget, Joint, Mechanism, Role};
use rotule_program::Externals;
use rotule_symbolic::elementary::log2;

/// Outputs of `motion` by position.
pub(crate) const Q: usize = 0;
pub(crate) const QD: usize = 1;
pub(crate) const QDOT: usize = 2;
pub(crate) const QDD: usize = 3;
pub(crate) const RATE: usize = 4;

/// Up to here, in radians or metres, coordinates have more digits than closing asks for.
const FINE: f64 = TOLERANCE / f64::EPSILON;

/// The coordinates and speeds that are the state, and the program for it.
pub(crate) struct Case {
    pub choice: Option<PartitionChoice>,
    pub held: Vec<usize>,
    /// The Euler-angle sequences of gimbals, as orders of frame axes; none is the user's.
    pub orders: Vec<Option<[usize; 3]>>,
    pub coordinates: Vec<usize>,
    /// `true` for those that are angles of revolute joints.
    pub turns: Vec<bool>,
    /// `true` for those that follow from the others.
    pub follows: Vec<bool>,
    pub speeds: Vec<usize>,
    /// The blocks by which loops are followed.
    pub follow: Follow,
    /// Names of the constraints, for messages.
    pub rows: Vec<String>,
    pub motion: Equations,
    /// Written when a method asks for it.
    pub tangent: Option<Tangent>,
    /// The tree with this choice.
    pub tree: Tree,
    functions: Vec<Kept>,
    /// Coordinates that constraints look at, once that was asked for.
    looped: Option<Vec<usize>>,
}

/// A function that was asked for.
struct Kept {
    name: &'static str,
    quantity: EvaluatedFunction,
    /// `true` if it knows the parameters.
    ready: bool,
}

impl Case {
    /// Number of programs that were written for this case.
    pub fn written(&self) -> usize {
        1 + self.functions.len()
    }

    /// Parameters may have changed: functions take them over when they are next asked for.
    pub fn renew(&mut self) {
        self.functions.iter_mut().for_each(|kept| kept.ready = false);
    }

    /// A function of the mechanism in this case, ready to be evaluated.
    pub fn function(
        &mut self,
        name: &'static str,
        point: &InputPoint,
        externals: &mut dyn Externals,
    ) -> Result<&mut EvaluatedFunction, Problem> {
        let known = self.functions.iter().position(|kept| kept.name == name);
        let at = match known {
            Some(at) => at,
            None => {
                let quantity = EvaluatedFunction::new(&self.tree, name)?;
                self.functions.push(Kept { name, quantity, ready: false });
                self.functions.len() - 1
            }
        };
        let kept = &mut self.functions[at];
        if !kept.ready {
            kept.quantity.setup(point, externals);
            kept.ready = true;
        }
        Ok(&mut kept.quantity)
    }

    /// Returns `true` if a row of the constraints is redundant, or nothing is constrained.
    pub fn repeats(&self, row: usize) -> bool {
        match (&self.motion, &self.choice) {
            (Equations::All(all), _) => !all.parts.rows.contains(&row),
            (Equations::Closed(_), Some(choice)) => choice.spare.contains(&row),
            (Equations::Closed(_), None) => true,
        }
    }

    /// Number of times that the tolerance of loops is to be doubled at some coordinates, because an
    /// angle of thousands of turns is known to fewer digits than closing asks for; at least as
    /// often as it was.
    pub fn coarse(
        &mut self,
        q: &[f64],
        doubled: u32,
        point: &InputPoint,
        externals: &mut dyn Externals,
    ) -> u32 {
        let steps = |largest: f64| log2(largest / FINE).ceil().max(f64::from(doubled)) as u32;
        if steps(size(q)) == doubled || !matches!(self.motion, Equations::Closed(_)) {
            return doubled;
        }
        // How far a vehicle has gone says nothing of the loops that it carries.
        if self.looped.is_none() {
            let Ok(constraints) = self.function("constraints", point, externals) else {
                return doubled;
            };
            let entries = constraints.program().outputs()[1].entries.iter();
            let mut columns: Vec<usize> = entries.map(|entry| entry.column as usize).collect();
            columns.sort_unstable();
            columns.dedup();
            let mechanism = &self.tree.mechanism;
            let single = |speed: usize| coordinate_of(mechanism, speed);
            self.looped = Some(columns.into_iter().filter_map(single).collect());
        }
        let looped = self.looped.iter().flatten();
        steps(looped.fold(0.0_f64, |most, &at| most.max(q[at].abs())))
    }

    /// Returns `true` if what is left of the constraints after the last evaluation is rounding.
    pub fn as_closed_as_can_be(
        &mut self,
        point: &InputPoint,
        externals: &mut dyn Externals,
    ) -> bool {
        if !self.motion.only_loops_open() {
            return false;
        }
        let mut reached = point.clone();
        reached.q.copy_from_slice(self.motion.output(Q));
        let Ok(constraints) = self.function("constraints", point, externals) else { return false };
        constraints.evaluate(&reached, externals);
        let rounding = 4.0 * f64::EPSILON * size(&reached.q);
        constraints.output(0).iter().all(|h| h.abs() <= rounding)
    }

    /// The case of the choice that the tree holds.
    pub fn new(tree: &Tree, held: &[usize], runner: KernelKind) -> Result<Case, Problem> {
        let motion = Equations::Closed(EvaluatedFunction::run_by(runner, tree, "motion")?);
        let (coordinates, speeds) = state(tree, held);
        let (choice, tree) = (tree.choice.clone(), tree.clone());
        let (follow, rows) = match &choice {
            None => (Follow::default(), Vec::new()),
            Some(choice) => {
                let pattern = Pattern::of(&tree)?;
                let follow = Follow::of(&tree.mechanism, &pattern, choice);
                (follow, pattern.rows.into_iter().map(|row| row.name).collect())
            }
        };
        let held = held.to_vec();
        let follows = follows(&follow, &tree, &coordinates);
        Ok(Case {
            choice,
            held,
            turns: turns(&tree, &coordinates),
            follows,
            coordinates,
            speeds,
            follow,
            rows,
            motion,
            tangent: None,
            orders: Vec::new(),
            functions: Vec::new(),
            looped: None,
            tree,
        })
    }

    /// The case of all coordinates.
    pub fn of_all(tree: &Tree, form: ConstraintForm, runner: KernelKind) -> Result<Case, Problem> {
        let [coordinates, speeds] = free(&tree.mechanism);
        let parts = Redundant::new(tree, runner)?;
        let all = Augmented::new(parts, form, tree);
        let motion = Equations::All(Box::new(all));
        let (tree, held) = (tree.clone(), Vec::new());
        Ok(Case {
            choice: None,
            held,
            turns: turns(&tree, &coordinates),
            follows: vec![false; coordinates.len()],
            coordinates,
            speeds,
            follow: Follow::default(),
            rows: Vec::new(),
            motion,
            tangent: None,
            orders: Vec::new(),
            functions: Vec::new(),
            looped: None,
            tree,
        })
    }
}

/// Checks that a mechanism can be simulated in all coordinates. Locking joints needs independent
/// coordinates, and so does setting coordinates and speeds where others must follow; methods of
/// second order support no further states.
pub(crate) fn suits(
    mechanism: &Mechanism,
    closed: bool,
    form: ConstraintForm,
) -> Result<(), Problem> {
    let holds = |event: &&Event| {
        let action = |action: &Action| match action {
            Action::Lock(_) | Action::Unlock(_) | Action::Stick { .. } => true,
            Action::Impact { .. } => event.stop,
            Action::Set { target, .. } => closed && !matches!(target, EventTarget::State(_)),
            Action::End => false,
        };
        event.actions.iter().any(action)
    };
    let state = mechanism.states.first().filter(|_| form == ConstraintForm::Index3);
    let found = match (state, mechanism.events.iter().find(holds)) {
        (Some(state), _) => format!("state `{}`", state.name),
        (_, Some(event)) if event.stop => format!("the stop `{}`", event.name),
        (_, Some(event)) => format!("event `{}`, which holds or sets joints", event.name),
        _ => return Ok(()),
    };
    let message = format!("constraints by {} do not support {found}", form.word());
    Err(Problem::new(message, "use --constraints partition"))
}

/// Marks those of some coordinates that are angles of revolute joints.
fn turns(tree: &Tree, coordinates: &[usize]) -> Vec<bool> {
    let mut all = vec![false; tree.q.len()];
    let turn = |motion: &ElementaryMotion| matches!(motion, ElementaryMotion::Revolute { .. });
    tree.nodes
        .iter()
        .filter(|node| turn(&node.motion))
        .for_each(|node| all[node.coordinate] = true);
    coordinates.iter().map(|&at| all[at]).collect()
}

/// The largest of some numbers.
fn size(numbers: &[f64]) -> f64 {
    numbers.iter().fold(0.0_f64, |most, number| most.max(number.abs()))
}

/// Marks those of some coordinates that follow from others.
pub(crate) fn follows(follow: &Follow, tree: &Tree, coordinates: &[usize]) -> Vec<bool> {
    let mut all = vec![false; tree.q.len()];
    follow.mark(&mut all);
    coordinates.iter().map(|&at| all[at]).collect()
}

/// The coordinates and the speeds that are the state by the choice that a tree holds.
pub(crate) fn state(tree: &Tree, held: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mechanism = &tree.mechanism;
    let mut coordinates = vec![true; mechanism.coordinates.len()];
    let mut speeds = vec![true; mechanism.speeds.len()];
    // What events hold stays among the states, at rest, so that their number is the same.
    let given = |(at, joint): &(usize, &Joint)| joint.role != Role::Free && !held.contains(at);
    for (_, joint) in mechanism.joints.iter().enumerate().filter(given) {
        coordinates[joint.coordinates.clone()].fill(false);
        speeds[joint.speeds.clone()].fill(false);
    }
    if let Some(choice) = &tree.choice {
        choice.speeds.dependent().for_each(|at| speeds[at] = false);
    }
    let all = |marks: Vec<bool>| (0..marks.len()).filter(|&at| marks[at]).collect();
    (all(coordinates), all(speeds))
}

/// The coordinate whose derivative is a speed; none of a joint with a quaternion.
pub(crate) fn coordinate_of(mechanism: &Mechanism, speed: usize) -> Option<usize> {
    let joint = mechanism.joints.iter().find(|joint| joint.speeds.contains(&speed));
    let joint = joint.expect("every speed belongs to a joint");
    let single = joint.coordinates.len() == joint.speeds.len();
    single.then(|| joint.coordinates.start + (speed - joint.speeds.start))
}

/// The name of something that `motion` gave and that is not finite.
pub(crate) fn not_finite(mechanism: &Mechanism, motion: &Equations) -> Option<String> {
    if motion.outputs().iter().all(|number| number.is_finite()) {
        return None;
    }
    let of = |output: usize| motion.output(output).iter().position(|number| !number.is_finite());
    let coordinate = |at: usize| &mechanism.coordinates[at].name;
    (of(Q).map(|at| format!("coordinate `{}`", coordinate(at))))
        .or_else(|| of(QD).map(|at| format!("speed `{}`", mechanism.speeds[at].name)))
        .or_else(|| {
            of(QDD).map(|at| format!("the acceleration of `{}`", mechanism.speeds[at].name))
        })
        .or_else(|| of(QDOT).map(|at| format!("the rate of `{}`", coordinate(at))))
        .or_else(|| of(RATE).map(|at| format!("the rate of `{}`", mechanism.states[at].name)))
}
