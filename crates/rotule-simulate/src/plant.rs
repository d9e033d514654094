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

use crate::augmented::{Augmented, ConstraintForm, Equations};
use crate::branch::add_branches;
use crate::case::{Case, Q, QD, QDD, QDOT, RATE, not_finite, suits};
use crate::culprit::culprit;
use crate::event_actions::check_targets;
use crate::follow::PARTS;
use crate::friction::{Friction, add_frictions};
use crate::hold::{Hold, held_tree, lockable};
use crate::inputs::InputPoint;
use crate::monitor::Jacobian;
use crate::ode::{Fault, Ode};
use crate::quantity::EvaluatedFunction;
use crate::second_order::Constrained;
use crate::sequence_switch::Sequences;
use crate::tangent::Tangent;
use crate::work::{Work, embed};
use rotule_formalism::constraint::closed::{PartitionChoice, choice};
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::switches::compares;
use rotule_formalism::{Problem, Tree};
use rotule_jit::KernelKind;
use rotule_model::mechanism::{EventTarget, Mechanism};
use rotule_program::{Externals, Program};
use std::cell::OnceCell;

/// Loops may be open by this much while a singular position is passed; beyond it they are torn.
const AJAR: f64 = 1e-6;

/// A mechanism in motion.
pub struct Plant {
    /// The mechanism; its `choice` is that of the first case.
    pub tree: Tree,
    pub(crate) externals: Box<dyn Externals>,
    runner: KernelKind,
    cases: Vec<Case>,
    now: usize,
    /// The last accepted point, from which loops are followed.
    pub(crate) anchor: Anchor,
    /// The point that is evaluated, and the time and state that were evaluated last.
    pub(crate) point: InputPoint,
    pub(crate) last: Option<(f64, Vec<f64>)>,
    /// The mechanism with all joints free that events may hold.
    pub(crate) base: Mechanism,
    /// Joints that events may hold, each with the parameters that say where.
    pub(crate) holds: Vec<Hold>,
    /// Joints that are held now, in order.
    pub(crate) held: Vec<usize>,
    /// Where the equations had no finite value, when they had none last.
    pub(crate) failed: Option<InputPoint>,
    /// The cost of evaluations of the equations.
    pub effort: Effort,
    /// Gimbals and the Euler-angle sequences that describe them.
    pub(crate) sequences: Sequences,
    pub(crate) work: Option<Work>,
    /// The parameters that fix the answers of comparisons in laws.
    pub(crate) branches: std::ops::Range<usize>,
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
    doubled: u32,
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

/// Coordinates and their first and second derivatives at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anchor {
    pub t: f64,
    pub q: Vec<f64>,
    pub qdot: Vec<f64>,
    pub curvature: Vec<f64>,
}

impl Anchor {
    /// That of a point whose rates are not known yet.
    fn of(point: &InputPoint) -> Anchor {
        let zeros = vec![0.0; point.q.len()];
        Anchor { t: point.t, q: point.q.clone(), qdot: zeros.clone(), curvature: zeros }
    }

    /// Where a coordinate is at another time, by a parabola.
    fn leads(&self, at: usize, t: f64) -> f64 {
        parabola([self.q[at], self.qdot[at], self.curvature[at]], t - self.t)
    }
}

/// The cubic between two values with given slopes, in a step of length one.
fn cubic([from, to]: [f64; 2], [leave, reach]: [f64; 2], x: f64) -> f64 {
    let rest = 1.0 - x;
    from + x * x * (3.0 - 2.0 * x) * (to - from) + x * rest * (rest * leave - x * reach)
}

/// A value with its first and second derivatives, some time ahead.
pub(crate) fn parabola([value, rate, curvature]: [f64; 3], ahead: f64) -> f64 {
    value + ahead * (rate + 0.5 * ahead * curvature)
}

impl Plant {
    /// A mechanism at its initial state, which must be closed, with the choice that the tree holds
    /// or the best one.
    pub fn new(
        tree: Tree,
        start: InputPoint,
        externals: Box<dyn Externals>,
    ) -> Result<Plant, Problem> {
        Plant::in_form(tree, start, externals, ConstraintForm::Partition)
    }

    /// A mechanism at its initial state, with its constraints kept in another form.
    pub fn in_form(
        tree: Tree,
        start: InputPoint,
        externals: Box<dyn Externals>,
        form: ConstraintForm,
    ) -> Result<Plant, Problem> {
        Plant::run_by(KernelKind::Auto, tree, start, externals, form)
    }

    /// The same, with equations of motion that are run by a kernel that was asked for.
    pub fn run_by(
        runner: KernelKind,
        mut tree: Tree,
        mut start: InputPoint,
        externals: Box<dyn Externals>,
        form: ConstraintForm,
    ) -> Result<Plant, Problem> {
        let mut base = tree.mechanism.clone();
        let frictions = add_frictions(&mut base, &mut start)?;
        if form != ConstraintForm::Partition {
            suits(&base, is_constrained(&tree), form)?;
        }
        let (holds, held) = lockable(&mut base, &mut start);
        let mut fixed = 0..0;
        if compares(&tree) {
            fixed = add_branches(&mut base, &mut start);
            tree.program_cache =
                tree.program_cache.map(|cache| cache.variant("branches".to_owned()));
        }
        if !holds.is_empty() || !fixed.is_empty() {
            let choice = tree.choice.take().filter(|_| held.is_empty());
            tree = held_tree(&base, &holds, &held, tree.program_cache.as_ref());
            tree.choice = choice;
        }
        if form == ConstraintForm::Partition && is_constrained(&tree) && tree.choice.is_none() {
            tree.choice = Some(choice(&tree, "motion")?);
        }
        let case = match form {
            ConstraintForm::Partition => Case::new(&tree, &held, runner)?,
            _ => Case::of_all(&tree, form, runner)?,
        };
        let anchor = Anchor::of(&start);
        let mut plant = Plant {
            tree,
            externals,
            runner,
            cases: vec![case],
            now: 0,
            anchor,
            point: start,
            last: None,
            base,
            holds,
            held,
            failed: None,
            effort: Effort::default(),
            sequences: Sequences::default(),
            work: None,
            branches: fixed,
            frictions,
            lost: 0.0,
            moved_by_time: OnceCell::new(),
            energies: None,
            doubled: 0,
        };
        plant.find_gimbals();
        plant.cases[0].orders = plant.orders();
        plant.cases[0].motion.setup(&plant.point, plant.externals.as_mut());
        plant.follow_rounding();
        check_targets(&plant)?;
        Ok(plant)
    }

    /// The program of the equations, if it is one.
    pub fn program(&self) -> Option<&Program> {
        match &self.cases[self.now].motion {
            Equations::Closed(motion) => Some(motion.program()),
            Equations::All(_) => None,
        }
    }

    /// Number of programs that were written so far: the equations of each choice with the joints
    /// that are held, and what was asked for besides in each of these cases.
    pub fn written(&self) -> usize {
        self.cases.iter().map(Case::written).sum()
    }

    /// The name of the kernel that evaluates the equations.
    pub fn kernel(&self) -> &'static str {
        self.cases[self.now].motion.kernel()
    }

    /// Returns `true` if there are constraints.
    pub fn is_constrained(&self) -> bool {
        is_constrained(&self.tree)
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

    /// The same, with what it takes to evaluate them.
    pub(crate) fn all_mut(
        &mut self,
    ) -> Option<(&mut Augmented, &Tree, &mut InputPoint, &mut dyn Externals)> {
        match &mut self.cases[self.now].motion {
            Equations::Closed(_) => None,
            Equations::All(all) => {
                Some((all, &self.tree, &mut self.point, self.externals.as_mut()))
            }
        }
    }

    /// The current partition; none if nothing is constrained, or the state is all coordinates.
    pub fn choice(&self) -> Option<&PartitionChoice> {
        self.cases[self.now].choice.as_ref()
    }

    /// Names of what is independent: coordinates by the names of their speeds, because rows of
    /// speeds choose these apart.
    pub fn independent(&self) -> Vec<String> {
        let speeds = &self.tree.mechanism.speeds;
        let own = self.cases[self.now].speeds.iter();
        own.map(|&at| speeds[at].name.replacen(".d", "", 1)).collect()
    }

    /// Takes all coordinates as the state, which passes positions where every choice is singular.
    /// The point stays as it is; the state must be gathered anew.
    pub(crate) fn widen(&mut self) -> Result<(), Problem> {
        let at = match self.known_case(None) {
            Some(at) => at,
            None => {
                let mut case = Case::of_all(&self.tree, ConstraintForm::Projection, self.runner)?;
                case.held.clone_from(&self.held);
                case.orders = self.orders();
                self.cases.push(case);
                self.cases.len() - 1
            }
        };
        self.enter(at);
        Ok(())
    }

    /// Takes the first choice again if an earlier run ended while all coordinates were the state.
    pub(crate) fn narrow(&mut self) -> Result<(), Problem> {
        match (self.all(), self.cases[0].choice.clone()) {
            (Some(_), Some(choice)) => self.choose(choice),
            _ => Ok(()),
        }
    }

    /// Takes another choice. The point stays as it is; the state must be gathered anew.
    pub fn choose(&mut self, choice: PartitionChoice) -> Result<(), Problem> {
        // A tree is large: it is copied only if there is no such case yet.
        let choice = Some(choice);
        if let Some(at) = self.known_case(choice.as_ref()) {
            self.enter(at);
            return Ok(());
        }
        let mut tree = self.tree.clone();
        tree.choice = choice;
        self.take(tree)
    }

    /// Takes the case of a tree with its choice and the joints that are held.
    pub(crate) fn take(&mut self, tree: Tree) -> Result<(), Problem> {
        let at = match self.known_case(tree.choice.as_ref()) {
            Some(at) => at,
            None => {
                // A choice ends the passing of a singular position; a form that has none keeps all
                // coordinates.
                let mut case = match (self.all(), &tree.choice) {
                    (Some(all), None) => Case::of_all(&tree, all.form, self.runner)?,
                    _ => Case::new(&tree, &self.held, self.runner)?,
                };
                case.orders = self.orders();
                self.cases.push(case);
                self.cases.len() - 1
            }
        };
        self.enter(at);
        Ok(())
    }

    /// The tree of a case with the joints that are held and the Euler-angle sequences of now, if
    /// there was one.
    pub(crate) fn known_tree(&self) -> Option<Tree> {
        let orders = self.orders();
        let known = |case: &&Case| case.held == self.held && case.orders == orders;
        self.cases.iter().find(known).map(|case| case.tree.clone())
    }

    /// The case of a choice with the joints that are held and the Euler-angle sequences of now, if
    /// there was one.
    fn known_case(&self, choice: Option<&PartitionChoice>) -> Option<usize> {
        let orders = self.orders();
        self.cases.iter().position(|case| {
            case.choice.as_ref() == choice && case.held == self.held && case.orders == orders
        })
    }

    fn enter(&mut self, at: usize) {
        self.now = at;
        self.last = None;
        self.renew_parameters();
        let case = &mut self.cases[at];
        case.motion.loosen(self.doubled, &self.point, self.externals.as_mut());
    }

    /// Hands parameters that changed to all functions of the present case: where joints are held,
    /// what angles refer to.
    pub(crate) fn renew_parameters(&mut self) {
        let (case, externals) = (&mut self.cases[self.now], self.externals.as_mut());
        case.motion.setup(&self.point, externals);
        case.renew();
        if let Some(tangent) = &mut case.tangent {
            tangent.setup(&self.point, externals);
        }
        if let Some(work) = &mut self.work {
            work.setup(&self.point, externals);
        }
    }

    /// Joints that are held now.
    pub fn held(&self) -> &[usize] {
        &self.held
    }

    /// Holds some joints where they are now, and frees all others that events may hold.
    pub fn hold(&mut self, held: Vec<usize>) -> Result<(), Problem> {
        self.restore_sequences()?;
        for Hold { joint, parameters } in &self.holds {
            if held.contains(joint) {
                let joint = &self.base.joints[*joint];
                let q = &self.point.q[joint.coordinates.clone()];
                self.point.parameters[parameters.clone()].copy_from_slice(q);
                self.point.qd[joint.speeds.clone()].fill(0.0);
            }
        }
        let mut tree = held_tree(&self.base, &self.holds, &held, self.tree.program_cache.as_ref());
        if is_constrained(&tree) {
            tree.choice = Some(self.choice_here(&tree)?);
        }
        self.held = held;
        self.tree = tree.clone();
        self.take(tree)
    }

    /// A good choice at the present point for a tree whose joints are held otherwise.
    pub(crate) fn choice_here(&mut self, tree: &Tree) -> Result<PartitionChoice, Problem> {
        let Some(now) = self.choice().cloned() else { return choice(tree, "motion") };
        let mut constraints = EvaluatedFunction::new(tree, "constraints")?;
        self.prepare(&mut constraints);
        self.measure(&mut constraints);
        let mut jacobian = Jacobian::new(tree)?;
        jacobian.take(constraints.output(1));
        let amplification = |choice: &PartitionChoice| jacobian.condition(choice).amplification;
        let best = jacobian.choices(&now).into_iter();
        let best = best.min_by(|a, b| amplification(a).total_cmp(&amplification(b)));
        best.ok_or_else(|| {
            let message = "locking these joints leaves constraints that cannot be satisfied";
            Problem::new(message, "lock fewer joints of the loop")
        })
    }

    /// Changes the point; the state must be gathered anew.
    pub fn jump(&mut self, change: impl FnOnce(&mut InputPoint)) {
        change(&mut self.point);
        self.last = None;
    }

    /// The last point in the user's angles, moved on by its rates for a short time.
    pub(crate) fn ahead(&self, by: f64) -> InputPoint {
        let motion = &self.cases[self.now].motion;
        let rates = [motion.output(QDOT), motion.output(QDD), motion.output(RATE)];
        self.user_point(crate::event::moved(&self.point, rates, by))
    }

    /// The last point in the user's angles, moved on from rest: coordinates go where they are
    /// accelerated to.
    pub(crate) fn ahead_from_rest(&self, by: f64) -> InputPoint {
        let qdd = self.cases[self.now].motion.output(QDD);
        let mut point = self.point.clone();
        for joint in self.tree.mechanism.joints.iter().filter(|one| one.quaternion().is_none()) {
            let places = joint.coordinates.clone().zip(joint.speeds.clone());
            places.for_each(|(q, v)| point.q[q] += 0.5 * by * by * qdd[v]);
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
        quantity.output(0)
    }

    /// The point of the last evaluation: all coordinates, speeds and accelerations, closed.
    pub fn point(&self) -> &InputPoint {
        &self.point
    }

    /// The state of the last point.
    pub fn state(&self) -> Vec<f64> {
        let case = &self.cases[self.now];
        let q = case.coordinates.iter().map(|&at| self.point.q[at]);
        let qd = case.speeds.iter().map(|&at| self.point.qd[at]);
        q.chain(qd).chain(self.point.states.iter().copied()).chain(self.work()).collect()
    }

    /// Evaluates another function at the last point.
    pub fn measure(&mut self, quantity: &mut EvaluatedFunction) -> bool {
        quantity.loosen(self.doubled, &self.point, self.externals.as_mut());
        quantity.evaluate(&self.point, self.externals.as_mut())
    }

    /// A function of the mechanism in the present case at the last point; it is written when it is
    /// first asked for.
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

    /// All coordinates, speeds and accelerations at a state.
    pub fn observe(&mut self, t: f64, y: &[f64]) -> Result<&InputPoint, Fault> {
        if self.last.as_ref().is_some_and(|(when, state)| *when == t && state == y) {
            // Sketches may have been drawn since.
            self.set_state(t, y);
        } else {
            self.evaluate(t, y)?;
        }
        let motion = &self.cases[self.now].motion;
        self.point.q.copy_from_slice(motion.output(Q));
        self.point.qd.copy_from_slice(motion.output(QD));
        self.point.qdd.copy_from_slice(motion.output(QDD));
        Ok(&self.point)
    }

    /// Puts a state between two points of a step into the point. Loops are not closed: dependent
    /// coordinates are as they were integrated, and dependent speeds are those of a cubic between
    /// the points. Good enough to see a sign.
    pub(crate) fn sketch(&mut self, t: f64, y: &[f64], [from, to]: [&InputPoint; 2]) {
        let step = to.t - from.t;
        let x = (t - from.t) / step;
        if self.is_constrained() && from.qd.len() == to.qd.len() {
            for (at, speed) in self.point.qd.iter_mut().enumerate() {
                let states = [from.qd[at], to.qd[at]];
                *speed = cubic(states, [step * from.qdd[at], step * to.qdd[at]], x);
            }
        }
        self.set_state(t, y);
    }

    /// Gives parameters that fix branches of laws other values; whether any changed. The state must
    /// be observed anew.
    pub(crate) fn fix_branches(&mut self, values: impl Iterator<Item = (usize, f64)>) -> bool {
        let mut changed = false;
        for (at, value) in values {
            changed |= std::mem::replace(&mut self.point.parameters[at], value) != value;
        }
        if changed {
            self.last = None;
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
        let case = &self.cases[self.now];
        match target {
            EventTarget::Coordinate(at) => {
                let mut own = case.coordinates.iter().zip(&case.follows);
                own.any(|(&one, follows)| one == at && !follows)
            }
            EventTarget::Speed(at) => case.speeds.contains(&at),
            EventTarget::State(_) => true,
        }
    }

    /// Closes the coordinates and speeds of a state that was observed, if the form asks for it.
    pub(crate) fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        // The first case has a choice if it is by choices that loops are closed.
        let passing = self.cases[0].choice.is_some();
        let Some((all, _, point, externals)) = self.all_mut() else { return Ok(()) };
        let before = point.clone();
        let projected = match all.project(point, externals) {
            // While a singular position is passed, what cannot be projected is as good as it is.
            Err(fault) if passing => {
                self.point = before;
                self.last = None;
                self.observe(t, y)?;
                let open = self.all().map_or(Vec::new(), |all| all.parts.positions());
                // Written so that what is not a number is open, too.
                let closed = open.iter().all(|h| h.abs() <= AJAR);
                if !closed {
                    return Err(fault);
                }
                false
            }
            projected => projected?,
        };
        if projected {
            y.copy_from_slice(&self.state());
            self.last = None;
            self.observe(t, y)?;
        }
        Ok(())
    }

    /// Observes a state that a method has accepted; predictions start from it.
    pub fn accept(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        self.normalise(y);
        self.observe(t, y)?;
        let step = t - self.anchor.t;
        if let Some((all, ..)) = self.all_mut() {
            all.accepted(step);
        }
        self.project(t, y)?;
        let case = &self.cases[self.now];
        self.anchor.t = t;
        self.anchor.q.copy_from_slice(case.motion.output(Q));
        self.anchor.qdot.copy_from_slice(case.motion.output(QDOT));
        for joint in self.tree.mechanism.joints.iter().filter(|one| one.quaternion().is_none()) {
            let (q, v) = (joint.coordinates.clone(), joint.speeds.clone());
            self.anchor.curvature[q].copy_from_slice(&case.motion.output(QDD)[v]);
        }
        // The state goes on from where loops are closed; the equations have the same value there.
        for ((value, &at), follows) in y.iter_mut().zip(&case.coordinates).zip(&case.follows) {
            if *follows {
                *value = self.anchor.q[at];
            }
        }
        if let Some((_, state)) = &mut self.last {
            state.copy_from_slice(y);
        }
        self.follow_rounding();
        Ok(())
    }

    /// Closes loops no better than the last accepted coordinates are known.
    fn follow_rounding(&mut self) {
        let (case, externals) = (&mut self.cases[self.now], self.externals.as_mut());
        self.doubled = case.coarse(&self.anchor.q, self.doubled, &self.point, externals);
        case.motion.loosen(self.doubled, &self.point, externals);
    }

    /// Computes the distance of the coordinates of a state, which was observed, from where its
    /// loops are closed.
    pub(crate) fn deviation(&self, y: &[f64], deviation: &mut [f64]) {
        let case = &self.cases[self.now];
        deviation.fill(0.0);
        let places = deviation.iter_mut().zip(y).zip(&case.coordinates).zip(&case.follows);
        for (((deviation, value), &at), _) in places.filter(|one| *one.1) {
            *deviation = case.motion.output(Q)[at] - value;
        }
    }

    /// The law that gave a number that is not finite in the evaluation that failed last, in words.
    pub fn culprit(&mut self) -> Option<String> {
        let point = self.user_point(self.failed.clone()?);
        let (t, tree) = (point.t, self.user_tree().clone());
        let found = culprit(&tree, &point, self.externals.as_mut())?;
        Some(format!("{found} at t = {t}"))
    }

    /// Quaternions of the state get unit length.
    pub(crate) fn normalise(&mut self, y: &mut [f64]) {
        let case = &self.cases[self.now];
        for joint in &self.tree.mechanism.joints {
            let Some(range) = joint.quaternion() else { continue };
            let first = case.coordinates.iter().position(|&one| one == range.start);
            let Some(at) = first else { continue };
            let parts = &mut y[at..at + 4];
            let length = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
            if (length - 1.0).abs() > f64::EPSILON && length > 0.0 {
                parts.iter_mut().for_each(|part| *part /= length);
                self.last = None;
            }
        }
    }

    fn evaluate(&mut self, t: f64, y: &[f64]) -> Result<(), Fault> {
        self.last = None;
        self.set_state(t, y);
        let closed = self.compute()?;
        let case = &self.cases[self.now];
        let reached = case.motion.output(Q);
        let jumped =
            |start: &[f64]| case.follow.jumped((1, 0), &self.anchor.q, start, reached).is_some();
        // Where a motion turns, early stages of a step know less than the last accepted point does.
        let jumped = jumped(&self.point.q) && {
            let mut start = self.point.q.clone();
            for (&at, _) in case.coordinates.iter().zip(&case.follows).filter(|one| *one.1) {
                start[at] = self.anchor.leads(at, t);
            }
            jumped(&start)
        };
        if !closed && case.follow.is_empty() {
            return Err(Fault::NotClosed(case.motion.open_region().unwrap_or_default()));
        }
        if !closed || jumped {
            let mut parts = 2;
            while let Err(fault) = self.follow(t, y, parts) {
                parts *= 2;
                if parts > PARTS {
                    return Err(fault);
                }
            }
        }
        self.last = Some((t, y.to_vec()));
        Ok(())
    }

    /// Puts a state into the point.
    fn set_state(&mut self, t: f64, y: &[f64]) {
        let (case, point) = (&self.cases[self.now], &mut self.point);
        point.t = t;
        let (q, rest) = y.split_at(case.coordinates.len());
        let (qd, rest) = rest.split_at(case.speeds.len());
        let (states, work) = rest.split_at(point.states.len());
        if let (Some(own), Some(&value)) = (&mut self.work, work.first()) {
            own.value = value;
        }
        case.coordinates.iter().zip(q).for_each(|(&at, &value)| point.q[at] = value);
        case.speeds.iter().zip(qd).for_each(|(&at, &value)| point.qd[at] = value);
        point.states.copy_from_slice(states);
    }

    /// Evaluates the equations at the point; whether loops are closed as well as can be.
    fn compute(&mut self) -> Result<bool, Fault> {
        let (case, point) = (&mut self.cases[self.now], &mut self.point);
        let closed = case.motion.evaluate(point, self.externals.as_mut());
        let iterations = case.motion.iterations();
        self.effort.evaluations += 1;
        self.effort.iterations += iterations;
        self.effort.most = self.effort.most.max(iterations);
        if let Some(name) = not_finite(&self.tree.mechanism, &case.motion) {
            self.failed = Some(point.clone());
            return Err(Fault::NotFinite(name));
        }
        Ok(closed || case.as_closed_as_can_be(point, self.externals.as_mut()))
    }

    /// Goes from the last accepted point to a state in so many parts, closing loops after each. The
    /// way begins as the motion does there; each part but the first begins in the direction of the
    /// part before.
    fn follow(&mut self, t: f64, y: &[f64], parts: usize) -> Result<(), Fault> {
        let anchor = self.anchor.clone();
        let (mut before, mut here) = (anchor.q.clone(), anchor.q.clone());
        for part in 1..=parts {
            self.set_state(t, y);
            let gone = part as f64 / parts as f64;
            let (case, point) = (&self.cases[self.now], &mut self.point);
            if part < parts {
                point.t = anchor.t + gone * (t - anchor.t);
            }
            for (&at, &follows) in case.coordinates.iter().zip(&case.follows) {
                let leads = anchor.leads(at, point.t);
                point.q[at] = match (follows, part) {
                    (true, 1) => leads,
                    (true, _) => here[at] + (here[at] - before[at]),
                    (false, part) if part < parts => {
                        leads + gone * (point.q[at] - anchor.leads(at, t))
                    }
                    (false, _) => point.q[at],
                };
            }
            let start = point.q.clone();
            let closed = self.compute()?;
            let case = &self.cases[self.now];
            if !closed {
                return Err(Fault::NotClosed(case.motion.open_region().unwrap_or_default()));
            }
            let reached = case.motion.output(Q);
            if let Some(row) = case.follow.jumped((1, 0), &here, &start, reached) {
                return Err(Fault::NotFollowed(case.rows[row].clone()));
            }
            before = std::mem::replace(&mut here, reached.to_vec());
        }
        Ok(())
    }
}

impl Ode for Plant {
    fn size(&self) -> usize {
        let case = &self.cases[self.now];
        let work = usize::from(self.work.is_some());
        case.coordinates.len() + case.speeds.len() + self.point.states.len() + work
    }

    fn rates(&mut self, t: f64, y: &[f64], rates: &mut [f64]) -> Result<(), Fault> {
        self.evaluate(t, y)?;
        if self.work.is_some() {
            self.observe(t, y)?;
            rates[y.len() - 1] = self.power();
        }
        let case = &self.cases[self.now];
        let (qdot, rest) = rates.split_at_mut(case.coordinates.len());
        let (qdd, rest) = rest.split_at_mut(case.speeds.len());
        let (states, _) = rest.split_at_mut(self.point.states.len());
        states.copy_from_slice(case.motion.output(RATE));
        let found = case.motion.output(QDOT);
        qdot.iter_mut().zip(&case.coordinates).for_each(|(rate, &at)| *rate = found[at]);
        let found = case.motion.output(QDD);
        qdd.iter_mut().zip(&case.speeds).for_each(|(rate, &at)| *rate = found[at]);
        Ok(())
    }

    fn derivatives(&mut self, t: f64, y: &[f64], by_state: &mut [f64]) -> Result<bool, Fault> {
        if self.all().is_some() {
            return Ok(false);
        }
        self.observe(t, y)?;
        let own = y.len() - usize::from(self.work.is_some());
        let case = &mut self.cases[self.now];
        let externals = self.externals.as_mut();
        if case.tangent.is_none() {
            // What cannot be differentiated is left to differences.
            case.tangent = Tangent::new(&case.tree, &self.point, externals).ok();
        }
        let Some(tangent) = &mut case.tangent else { return Ok(false) };
        tangent.loosen(self.doubled, &self.point, externals);
        let state = (&case.coordinates[..], &case.follows[..], &case.speeds[..]);
        let closed = tangent.at(&self.point, externals, state, &mut by_state[..own * own]);
        if own < y.len() {
            embed(by_state, own);
        }
        match closed || case.as_closed_as_can_be(&self.point, externals) {
            // A law that foreign code gives may have no derivatives; then there are differences.
            true => Ok(by_state.iter().all(|entry| entry.is_finite())),
            false => Err(Fault::NotClosed("derivatives".to_owned())),
        }
    }

    fn constrained(&mut self) -> Option<&mut dyn Constrained> {
        match self.all() {
            Some(_) => Some(self),
            None => None,
        }
    }

    fn coordinates(&self) -> usize {
        self.cases[self.now].coordinates.len()
    }

    fn turns(&self, state: usize) -> bool {
        self.cases[self.now].turns.get(state).is_some_and(|turns| *turns)
    }

    fn follows(&self, state: usize) -> bool {
        self.cases[self.now].follows.get(state).is_some_and(|follows| *follows)
    }

    fn counts(&self, state: usize) -> bool {
        self.work.is_none() || state + 1 < self.size()
    }

    fn scale(&self, state: usize) -> f64 {
        match &self.work {
            Some(work) if state + 1 == self.size() => work.scale,
            _ => 1.0,
        }
    }
}
