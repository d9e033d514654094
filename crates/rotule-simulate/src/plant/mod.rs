//! The equations of a mechanism as a method sees them.
//!
//! The state is `y = (q, qd, states)`: coordinates of free joints, independent speeds, then the
//! states of the user's own. Loops are closed inside of every evaluation: the dependent coordinates
//! of the state are where Newton starts, so that one or two iterations do and the way of closing
//! does not depend on rejected steps. An accepted state has its closed coordinates.
//!
//! A case is one choice of what is independent, with its program. Changing the choice is taking
//! another case; those that were used are kept. In other forms than that of independent coordinates
//! ([`ConstraintForm`]) there is one case, whose state is all coordinates and speeds of free
//! joints.

mod coordinates;
mod evaluate;

pub use coordinates::CoordinateChange;

use crate::anchor::Anchor;
use crate::augmented::{Augmented, ConstraintForm, Equations};
use crate::branch::add_branches;
use crate::case::{Case, suits};
use crate::event_actions::check_targets;
use crate::friction::{Friction, add_frictions};
use crate::hold::{HeldSet, Hold, held_tree, lockable};
use crate::inputs::InputPoint;
use crate::invalid_law::find_invalid_law;
use crate::layout::StateLayout;
use crate::outputs;
use crate::outputs::motion::{QDD, QDOT, RATE};
use crate::quantity::EvaluatedFunction;
use crate::sequence_switch::Sequences;
use crate::signals::Signals;
use crate::work::Work;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::constraint::partition::CoordinatePartition;
use rotule_formalism::function::FunctionKind;
use rotule_formalism::states::use_accelerations;
use rotule_formalism::switches::compares;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_jit::KernelKind;
use rotule_model::mechanism::{EventTarget, Mechanism};
use rotule_numeric::choose_partition;
use rotule_program::{Externals, Program};
use std::cell::OnceCell;

/// A mechanism in motion.
pub struct Plant {
    /// The mechanism; its `choice` is that of the first case.
    pub tree: MultibodySystem,
    pub(crate) externals: Box<dyn Externals>,
    runner: KernelKind,
    cases: Vec<Case>,
    now: usize,
    /// The last accepted point, from which loops are followed.
    pub(crate) anchor: Anchor,
    /// The point that is evaluated.
    pub(crate) point: InputPoint,
    pub(crate) last: LastEvaluation,
    /// The mechanism with all joints free that events may hold.
    pub(crate) base: Mechanism,
    /// The mechanism with laws that fix no comparison, if `base` has others.
    plain: Option<Box<MultibodySystem>>,
    /// Joints that events may hold, each with the parameters that say where.
    pub(crate) holds: Vec<Hold>,
    /// Joints that are held now, in order.
    pub(crate) held: Vec<usize>,
    /// Intermittent constraints that hold now, in order.
    pub(crate) engaged: Vec<usize>,
    /// Where the equations had no finite value, when they had none last.
    pub(crate) failed: Option<InputPoint>,
    /// The cost of evaluations of the equations.
    pub effort: Effort,
    /// Gimbals and the Euler-angle sequences that describe them.
    pub(crate) sequences: Sequences,
    pub(crate) work: Option<Work>,
    /// The parameters that fix the answers of comparisons in laws.
    pub(crate) branches: std::ops::Range<usize>,
    /// Where the numbers of inputs come from.
    pub(crate) signals: Signals,
    /// `true` if conditions of events follow from accelerations.
    pub(crate) events_use_accelerations: bool,
    /// Dry friction that sticks.
    pub(crate) frictions: Vec<Friction>,
    /// The energy that events took out of the motion.
    pub(crate) lost: f64,
    /// `true` if drives or constraints do work, once it is known.
    pub(crate) moved_by_time: OnceCell<bool>,
    /// Kinetic and potential energy, written for the first event.
    pub(crate) energies: Option<[EvaluatedFunction; 2]>,
    /// Number of times that the tolerance of loops was doubled because coordinates are known to
    /// fewer digits.
    pub(crate) doubled: u32,
}

/// The time and the state that were evaluated last, if that is known. Its memory is used again.
#[derive(Debug, Default)]
pub(crate) struct LastEvaluation {
    known: bool,
    t: f64,
    y: Vec<f64>,
}

impl LastEvaluation {
    /// Returns `true` if this was evaluated.
    fn is(&self, t: f64, y: &[f64]) -> bool {
        self.known && self.t == t && self.y == y
    }

    /// Something was evaluated.
    fn note(&mut self, t: f64, y: &[f64]) {
        (self.known, self.t) = (true, t);
        self.y.clear();
        self.y.extend_from_slice(y);
    }

    /// Another state has the same value, at the same time.
    fn move_to(&mut self, y: &[f64]) {
        if self.known {
            self.y.copy_from_slice(y);
        }
    }

    /// The equations or their inputs changed.
    pub(crate) fn forget(&mut self) {
        self.known = false;
    }
}

/// The cost of evaluations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Evaluations of the equations of motion.
    pub evaluations: u64,
    /// Newton iterations of the slowest block, summed over evaluations.
    pub iterations: u64,
    /// The most in one evaluation.
    pub most: u64,
}

/// The cubic between two values with given slopes, in a step of length one.
fn cubic([from, to]: [f64; 2], [leave, reach]: [f64; 2], x: f64) -> f64 {
    let rest = 1.0 - x;
    from + x * x * (3.0 - 2.0 * x) * (to - from) + x * rest * (rest * leave - x * reach)
}

impl Plant {
    /// A mechanism at its initial state, which must be closed, with the choice that the tree holds
    /// or the best one.
    pub fn new(
        tree: MultibodySystem,
        start: InputPoint,
        externals: Box<dyn Externals>,
    ) -> Result<Plant, Problem> {
        Plant::in_form(tree, start, externals, ConstraintForm::Partition)
    }

    /// A mechanism at its initial state, with its constraints kept in another form.
    pub fn in_form(
        tree: MultibodySystem,
        start: InputPoint,
        externals: Box<dyn Externals>,
        form: ConstraintForm,
    ) -> Result<Plant, Problem> {
        Plant::run_by(KernelKind::Auto, tree, start, externals, form)
    }

    /// A mechanism at its initial state, in a form, with equations of motion run by a kernel of a
    /// kind.
    pub fn run_by(
        runner: KernelKind,
        mut tree: MultibodySystem,
        mut start: InputPoint,
        externals: Box<dyn Externals>,
        form: ConstraintForm,
    ) -> Result<Plant, Problem> {
        let mut base = tree.mechanism.clone();
        let mut plain = None;
        let frictions = add_frictions(&mut base, &mut start)?;
        if form != ConstraintForm::Partition {
            suits(&base, is_constrained(&tree.mechanism), form)?;
        }
        let (holds, held) = lockable(&mut base, &mut start);
        let mut fixed = 0..0;
        if compares(&tree) {
            fixed = add_branches(&mut base, &mut start);
            tree.program_cache =
                tree.program_cache.map(|cache| cache.variant("branches".to_owned()));
        }
        if !holds.is_empty() || !fixed.is_empty() {
            let choice = tree.strategy.partition.take().filter(|_| held.is_empty());
            let now = HeldSet { joints: held.clone(), engaged: base.engaged() };
            plain = Some(Box::new(tree.clone()));
            tree = held_tree(&base, &holds, &now, tree.program_cache.as_ref());
            tree.strategy.partition = choice;
        }
        if form == ConstraintForm::Partition
            && is_constrained(&tree.mechanism)
            && tree.strategy.partition.is_none()
        {
            tree.strategy.partition = Some(choose_partition(&tree, FunctionKind::Motion)?);
        }
        let case = match form {
            ConstraintForm::Partition => Case::new(&tree, &held, runner)?,
            _ => Case::of_all(&tree, form, runner)?,
        };
        let anchor = Anchor::new(1, start.t, &start.q, &tree.mechanism);
        let mut plant = Plant {
            tree,
            externals,
            runner,
            cases: vec![case],
            now: 0,
            anchor,
            point: start,
            last: LastEvaluation::default(),
            base,
            plain,
            holds,
            held,
            engaged: Vec::new(),
            failed: None,
            effort: Effort::default(),
            sequences: Sequences::default(),
            work: None,
            branches: fixed,
            signals: Signals::default(),
            events_use_accelerations: false,
            frictions,
            lost: 0.0,
            moved_by_time: OnceCell::new(),
            energies: None,
            doubled: 0,
        };
        plant.engaged = plant.base.engaged();
        plant.events_use_accelerations = use_accelerations(&plant.base);
        plant.find_gimbals();
        plant.cases[0].orders = plant.orders();
        plant.cases[0].motion.setup(&plant.point, plant.externals.as_mut());
        plant.follow_rounding();
        check_targets(&plant)?;
        Ok(plant)
    }

    /// Gives the plant signals for its inputs, which its system was made for.
    #[must_use]
    pub fn with_signals(mut self, signals: Signals) -> Plant {
        self.signals = signals;
        self.signals.fill(&mut self.point);
        self.signals.show(&self.tree.mechanism, &mut self.point);
        self.last.forget();
        self
    }

    /// Puts the numbers of inputs that are part of the equations into the point.
    pub(crate) fn show_inputs(&mut self) {
        self.signals.show(&self.tree.mechanism, &mut self.point);
    }

    /// The program of the equations, if it is one.
    pub fn program(&self) -> Option<&Program> {
        match &self.cases[self.now].motion {
            Equations::Closed(motion) => Some(motion.program()),
            Equations::All(_) => None,
        }
    }

    /// Number of programs that were written so far: the equations of each choice with the joints
    /// that are locked, and what was requested besides in each of these cases.
    pub fn written(&self) -> usize {
        self.cases.iter().map(Case::written).sum()
    }

    /// The name of the kernel that evaluates the equations.
    pub fn kernel(&self) -> &'static str {
        self.cases[self.now].motion.kernel()
    }

    /// Returns `true` if there are constraints.
    pub fn is_constrained(&self) -> bool {
        is_constrained(&self.tree.mechanism)
    }

    /// Forces of constraints at the last point, one for each row, if the form of the equations has
    /// them.
    pub fn multipliers(&self) -> Option<&[f64]> {
        match &self.cases[self.now].motion {
            Equations::Closed(_) => None,
            Equations::All(all) => Some(&all.multipliers),
        }
    }

    /// The equations in all coordinates, if that is their form.
    pub(crate) fn all(&self) -> Option<&Augmented> {
        match &self.cases[self.now].motion {
            Equations::Closed(_) => None,
            Equations::All(all) => Some(all),
        }
    }

    /// The mechanism with laws that follow what they compare, in the user's angles.
    pub(crate) fn plain(&self) -> &MultibodySystem {
        self.plain.as_deref().unwrap_or_else(|| self.user_tree())
    }

    /// The present case.
    pub(crate) fn case(&self) -> &Case {
        &self.cases[self.now]
    }

    /// The present case, with what it takes to evaluate its functions as well as loops close.
    pub(crate) fn case_mut(&mut self) -> (&mut Case, &mut InputPoint, &mut dyn Externals) {
        (&mut self.cases[self.now], &mut self.point, self.externals.as_mut())
    }

    /// The same, with what it takes to evaluate them.
    pub(crate) fn all_mut(
        &mut self,
    ) -> Option<(&mut Augmented, &MultibodySystem, &mut InputPoint, &mut dyn Externals)> {
        match &mut self.cases[self.now].motion {
            Equations::Closed(_) => None,
            Equations::All(all) => {
                Some((all, &self.tree, &mut self.point, self.externals.as_mut()))
            }
        }
    }

    /// The current partition; none if nothing is constrained, or the state is all coordinates.
    pub fn choice(&self) -> Option<&CoordinatePartition> {
        self.cases[self.now].choice.as_ref()
    }

    /// Names of what is independent: coordinates by the names of their speeds, because rows of
    /// speeds choose these apart.
    pub fn independent(&self) -> Vec<String> {
        let speeds = &self.tree.mechanism.speeds;
        let own = self.layout().speeds.iter();
        own.map(|&at| speeds[at].name.replacen(".d", "", 1)).collect()
    }

    /// Joints that are held now.
    pub fn held(&self) -> &[usize] {
        &self.held
    }

    /// Intermittent constraints that hold now, by their positions in the mechanism.
    pub fn engaged(&self) -> &[usize] {
        &self.engaged
    }

    /// The joints and constraints that events hold now.
    pub(crate) fn held_set(&self) -> HeldSet {
        HeldSet { joints: self.held.clone(), engaged: self.engaged.clone() }
    }

    /// Returns `true` if events hold these joints and constraints now.
    pub(crate) fn holds_set(&self, set: &HeldSet) -> bool {
        self.held == set.joints && self.engaged == set.engaged
    }

    /// Changes the point; the state must be gathered anew.
    pub fn jump(&mut self, change: impl FnOnce(&mut InputPoint)) {
        change(&mut self.point);
        self.last.forget();
    }

    /// The last point in the user's angles, moved on by its rates for a short time.
    pub(crate) fn ahead(&mut self, by: f64) -> InputPoint {
        let motion = &self.cases[self.now].motion;
        let rates = [motion.output(QDOT), motion.output(QDD), motion.output(RATE)];
        let moved = crate::event::moved(&self.point, rates, by);
        self.watched_point(moved)
    }

    /// The last point in the user's angles, moved on from rest: coordinates go where they are
    /// accelerated to.
    pub(crate) fn ahead_from_rest(&mut self, by: f64) -> InputPoint {
        let qdd = self.cases[self.now].motion.output(QDD);
        let mut point = self.point.clone();
        for joint in self.tree.mechanism.joints.iter().filter(|one| one.quaternion().is_none()) {
            let places = joint.coordinates.clone().zip(joint.speeds.clone());
            places.for_each(|(q, v)| point.q[q] += 0.5 * by * by * qdd[v]);
        }
        self.watched_point(point)
    }

    /// Another point as conditions of events see it: in the user's angles, with its own
    /// accelerations if they use these.
    fn watched_point(&mut self, mut point: InputPoint) -> InputPoint {
        if self.events_use_accelerations {
            let (own, state) = (self.point.clone(), self.state());
            self.jump(|now| now.clone_from(&point));
            let there = self.state();
            // Where the equations have no value, accelerations stay what they were.
            if self.observe(point.t, &there).is_ok() {
                point.qdd.clone_from(&self.point.qdd);
            }
            self.last.forget();
            // It had a value before.
            let _ = self.observe(own.t, &state);
            self.point = own;
        }
        self.user_point(point)
    }

    /// The first output of another function at another point.
    pub(crate) fn measure_at<'q>(
        &mut self,
        quantity: &'q mut EvaluatedFunction,
        point: &InputPoint,
    ) -> &'q [f64] {
        quantity.evaluate(point, self.externals.as_mut());
        quantity.output(outputs::ONLY)
    }

    /// The point of the last evaluation: all coordinates, speeds and accelerations, closed.
    pub fn point(&self) -> &InputPoint {
        &self.point
    }

    /// The layout of the state.
    fn layout(&self) -> &StateLayout {
        &self.cases[self.now].layout
    }

    /// The state of the last point.
    pub fn state(&self) -> Vec<f64> {
        let mut state = vec![0.0; self.layout().len()];
        self.layout().gather(1, &self.point.q, &self.point.qd, &mut state);
        state.extend(self.point.states.iter().copied().chain(self.work()));
        state
    }

    /// Evaluates another function at the last point.
    pub fn measure(&mut self, quantity: &mut EvaluatedFunction) -> bool {
        quantity.loosen(self.doubled, &self.point, self.externals.as_mut());
        quantity.evaluate(&self.point, self.externals.as_mut())
    }

    /// A function of the mechanism in the present case at the last point; it is written when it is
    /// first needed.
    pub(crate) fn known(&mut self, function: &'static str) -> Result<&EvaluatedFunction, Problem> {
        let (case, externals) = (&mut self.cases[self.now], self.externals.as_mut());
        let quantity = case.function(function, &self.point, externals)?;
        quantity.loosen(self.doubled, &self.point, externals);
        quantity.evaluate(&self.point, externals);
        Ok(quantity)
    }

    /// Returns `true` if a row of the constraints repeats others in the present case.
    pub(crate) fn repeats(&self, row: usize) -> bool {
        self.cases[self.now].repeats(row)
    }

    /// Makes a function ready for the parameters.
    pub fn prepare(&mut self, quantity: &mut EvaluatedFunction) {
        quantity.setup(&self.point, self.externals.as_mut());
    }

    /// Gives parameters that fix branches of laws other values; whether any changed. The state must
    /// be observed anew.
    pub(crate) fn fix_branches(&mut self, values: impl Iterator<Item = (usize, f64)>) -> bool {
        let mut changed = false;
        for (at, value) in values {
            changed |= std::mem::replace(&mut self.point.parameters[at], value) != value;
        }
        if changed {
            self.last.forget();
            self.renew_parameters();
        }
        changed
    }

    /// Shows the plant with laws that follow what they compare.
    pub(crate) fn with_free_branches<R>(&mut self, show: impl FnOnce(&mut Plant) -> R) -> R {
        let branches = self.branches.clone();
        let fixed = self.point.parameters[branches.clone()].to_vec();
        self.point.parameters[branches.clone()].fill(0.0);
        let shown = show(self);
        self.point.parameters[branches].copy_from_slice(&fixed);
        shown
    }

    /// Gives a friction the direction in which its joint slides; zero at rest.
    pub(crate) fn turn_friction(&mut self, friction: Friction, direction: f64) {
        if direction == 0.0 {
            self.jump(|point| point.qd[friction.speed] = 0.0);
        }
        self.fix_branches([(friction.direction, direction)].into_iter());
    }

    /// Returns `true` if a coordinate or speed is free to be set: it neither follows from others
    /// nor belongs to a joint that is driven or locked.
    pub(crate) fn is_settable(&self, target: EventTarget) -> bool {
        let layout = self.layout();
        match target {
            EventTarget::Coordinate(at) => {
                let mut own = layout.coordinates.iter().zip(&layout.follows);
                own.any(|(&one, follows)| one == at && !follows)
            }
            EventTarget::Speed(at) => layout.speeds.contains(&at),
            EventTarget::State(_) => true,
        }
    }

    /// The law that gave a number that is not finite in the evaluation that failed last, in words.
    pub fn invalid_law(&mut self) -> Option<String> {
        let point = self.user_point(self.failed.clone()?);
        let (t, tree) = (point.t, self.user_tree().clone());
        let found = find_invalid_law(&tree, &point, self.externals.as_mut())?;
        Some(format!("{found} at t = {t}"))
    }
}
