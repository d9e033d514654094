//! The equations of a mechanism as a method sees them.
//!
//! The state is `y = (q, qd, states)` of what is independent: coordinates of free joints that no constraint decides, then
//! speeds, then the states of the user's own.
//! Dependent ones are closed inside of every evaluation. Newton starts where a parabola through the last accepted
//! point leads, so that one or two iterations do and the branch of the solution does not depend on rejected steps.
//!
//! A case is one choice of what is independent, with its program. Changing the choice is taking another
//! case; those that were used are kept. In other forms than that of independent coordinates ([`Form`]) there is one case,
//! whose state is all coordinates and speeds of free joints.

use crate::augmented::{Augmented, Equations, Form};
use crate::culprit::culprit;
use crate::inputs::Point;
use crate::monitor::Jacobian;
use crate::ode::{Fault, Ode};
use crate::quantity::Quantity;
use crate::redundant::{Redundant, free};
use crate::second_order::Constrained;
use crate::tangent::Tangent;
use crate::turned::Turned;
use crate::work::Work;
use rotule_formalism::constraint::closed::{Choice, choice};
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::{Problem, Tree, normalise};
use rotule_jit::Choice as Runner;
use rotule_model::mechanism::{Action, Joint, Mechanism, Nature};
use rotule_program::{Externals, Program};
use rotule_symbolic::Expr;
use std::ops::Range;

/// Outputs of `motion` by position.
pub(crate) const Q: usize = 0;
pub(crate) const QD: usize = 1;
pub(crate) const QDOT: usize = 2;
pub(crate) const QDD: usize = 3;
pub(crate) const RATE: usize = 4;

/// A mechanism in motion.
pub struct Plant {
    /// The mechanism; its `choice` is that of the first case.
    pub tree: Tree,
    pub(crate) externals: Box<dyn Externals>,
    runner: Runner,
    cases: Vec<Case>,
    now: usize,
    /// The last accepted point, from which Newton's starts are predicted.
    pub(crate) anchor: Anchor,
    /// What is evaluated, and what was evaluated last.
    pub(crate) point: Point,
    pub(crate) last: Option<(f64, Vec<f64>)>,
    /// The mechanism with all joints free that events may hold.
    pub(crate) base: Mechanism,
    /// Joints that events may hold, each with the parameters that say where.
    holds: Vec<Hold>,
    /// Joints that are held now, in order.
    held: Vec<usize>,
    /// Where the equations had no finite value, when they had none last.
    pub(crate) failed: Option<Point>,
    /// What evaluations of the equations cost.
    pub effort: Effort,
    pub(crate) gimbals: Vec<Turned>,
    /// The tree as the user counts its angles, while they are counted otherwise.
    pub(crate) user: Option<Tree>,
    pub(crate) work: Option<Work>,
}

/// A joint that events may hold.
#[derive(Clone, Debug)]
struct Hold {
    joint: usize,
    parameters: Range<usize>,
}

/// What evaluations cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Effort {
    /// Evaluations of the equations of motion.
    pub evaluations: u64,
    /// Newton iterations of the slowest block, summed over evaluations.
    pub iterations: u64,
    /// The most in one evaluation.
    pub most: u64,
}

/// Which coordinates and speeds are the state, and the program for it.
struct Case {
    choice: Option<Choice>,
    held: Vec<usize>,
    /// How gimbals are counted.
    orders: Vec<Option<[usize; 3]>>,
    coordinates: Vec<usize>,
    speeds: Vec<usize>,
    motion: Equations,
    /// Written when a method asks for it.
    tangent: Option<Tangent>,
    /// The constraints, written when an iteration does not close them.
    constraints: Option<Quantity>,
    /// The tree with this choice.
    tree: Tree,
}

/// Coordinates and their first and second derivatives at a time.
#[derive(Clone, Debug, Default)]
pub(crate) struct Anchor {
    pub t: f64,
    pub q: Vec<f64>,
    pub qdot: Vec<f64>,
    pub curvature: Vec<f64>,
}

impl Plant {
    /// A mechanism at its initial state, which must be closed, with the choice that the tree holds or the best one.
    pub fn new(tree: Tree, start: Point, externals: Box<dyn Externals>) -> Result<Plant, Problem> {
        Plant::in_form(tree, start, externals, Form::Partition)
    }

    /// The same with its constraints kept in another way.
    pub fn in_form(
        tree: Tree,
        start: Point,
        externals: Box<dyn Externals>,
        form: Form,
    ) -> Result<Plant, Problem> {
        Plant::run_by(Runner::Auto, tree, start, externals, form)
    }

    /// The same, with equations of motion that are run by a kernel that was asked for. Equations in all coordinates are
    /// run by the fastest.
    pub fn run_by(
        runner: Runner,
        mut tree: Tree,
        mut start: Point,
        externals: Box<dyn Externals>,
        form: Form,
    ) -> Result<Plant, Problem> {
        if form != Form::Partition {
            suits(&tree.mechanism, form)?;
        }
        let mut base = tree.mechanism.clone();
        let (holds, held) = lockable(&mut base, &mut start);
        if !holds.is_empty() {
            let choice = tree.choice.take().filter(|_| held.is_empty());
            tree = held_tree(&base, &holds, &held);
            tree.choice = choice;
        }
        if form == Form::Partition && is_constrained(&tree) && tree.choice.is_none() {
            tree.choice = Some(choice(&tree, "motion")?);
        }
        let case = match form {
            Form::Partition => Case::new(&tree, &held, runner)?,
            _ => Case::of_all(&tree, form)?,
        };
        let zeros = vec![0.0; start.q.len()];
        let anchor =
            Anchor { t: start.t, q: start.q.clone(), qdot: zeros.clone(), curvature: zeros };
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
            gimbals: Vec::new(),
            user: None,
            work: None,
        };
        if form == Form::Partition && plant.holds.is_empty() {
            plant.gimbals = Turned::all(&plant.base, &plant.point);
            plant.cases[0].orders = plant.orders();
        }
        plant.cases[0].motion.setup(&plant.point, plant.externals.as_mut());
        Ok(plant)
    }

    /// The program of the equations, if it is one.
    pub fn program(&self) -> Option<&Program> {
        match &self.cases[self.now].motion {
            Equations::Closed(motion) => Some(motion.program()),
            Equations::All(_) => None,
        }
    }

    /// What evaluates the equations.
    pub fn kernel(&self) -> &'static str {
        self.cases[self.now].motion.kernel()
    }

    /// Whether there are constraints.
    pub fn is_constrained(&self) -> bool {
        is_constrained(&self.tree)
    }

    /// Forces of constraints at the last point, one for each row, if the form of the equations has them.
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
    ) -> Option<(&mut Augmented, &Tree, &mut Point, &mut dyn Externals)> {
        match &mut self.cases[self.now].motion {
            Equations::Closed(_) => None,
            Equations::All(all) => {
                Some((all, &self.tree, &mut self.point, self.externals.as_mut()))
            }
        }
    }

    /// What is independent now; none if nothing is constrained, or the state is all coordinates.
    pub fn choice(&self) -> Option<&Choice> {
        self.cases[self.now].choice.as_ref()
    }

    /// Names of the independent coordinates.
    pub fn independent(&self) -> Vec<String> {
        let case = &self.cases[self.now];
        let coordinates = &self.tree.mechanism.coordinates;
        case.coordinates.iter().map(|&at| coordinates[at].name.clone()).collect()
    }

    /// Takes another choice. The point stays as it is; the state must be gathered anew.
    pub fn choose(&mut self, choice: Choice) -> Result<(), Problem> {
        let mut tree = self.tree.clone();
        tree.choice = Some(choice);
        self.take(tree)
    }

    /// Takes the case of a tree with its choice and the joints that are held.
    pub(crate) fn take(&mut self, tree: Tree) -> Result<(), Problem> {
        let orders = self.orders();
        let known = self.cases.iter().position(|case| {
            case.choice == tree.choice && case.held == self.held && case.orders == orders
        });
        let at = match known {
            Some(at) => at,
            None => {
                let mut case = Case::new(&tree, &self.held, self.runner)?;
                case.orders = orders;
                self.cases.push(case);
                self.cases.len() - 1
            }
        };
        let case = &mut self.cases[at];
        // Where joints are held is a matter of parameters.
        case.motion.setup(&self.point, self.externals.as_mut());
        if !self.holds.is_empty() {
            case.tangent = None;
        }
        self.now = at;
        self.last = None;
        Ok(())
    }

    /// Joints that are held now.
    pub fn held(&self) -> &[usize] {
        &self.held
    }

    /// Holds some joints where they are now, and frees all others that events may hold.
    pub fn hold(&mut self, held: Vec<usize>) -> Result<(), Problem> {
        for Hold { joint, parameters } in &self.holds {
            if held.contains(joint) {
                let joint = &self.base.joints[*joint];
                let q = &self.point.q[joint.coordinates.clone()];
                self.point.parameters[parameters.clone()].copy_from_slice(q);
                self.point.qd[joint.speeds.clone()].fill(0.0);
            }
        }
        let mut tree = held_tree(&self.base, &self.holds, &held);
        if is_constrained(&tree) {
            tree.choice = Some(self.choice_here(&tree)?);
        }
        self.held = held;
        self.tree = tree.clone();
        self.take(tree)
    }

    /// A good choice at the present point for a tree whose joints are held otherwise.
    pub(crate) fn choice_here(&mut self, tree: &Tree) -> Result<Choice, Problem> {
        let now = self.choice().filter(|now| now.coordinates == now.speeds).cloned();
        let Some(now) = now else { return choice(tree, "motion") };
        let mut constraints = Quantity::new(tree, "constraints")?;
        self.prepare(&mut constraints);
        self.measure(&mut constraints);
        let mut jacobian = Jacobian::new(tree, &constraints.program().outputs()[1]);
        jacobian.take(constraints.output(1));
        let amplification = |choice: &Choice| jacobian.condition(&choice.speeds).amplification;
        let best = jacobian.choices(&now).into_iter();
        let best = best.min_by(|a, b| amplification(a).total_cmp(&amplification(b)));
        best.ok_or_else(|| {
            let message = "the joints that are to be held leave constraints that cannot be met";
            Problem::new(message, "hold fewer joints of the loop")
        })
    }

    /// Changes the point; the state must be gathered anew.
    pub fn jump(&mut self, change: impl FnOnce(&mut Point)) {
        change(&mut self.point);
        self.last = None;
    }

    /// The last point, moved on by its rates for a short time.
    pub(crate) fn ahead(&self, by: f64) -> Point {
        let motion = &self.cases[self.now].motion;
        let rates = [motion.output(QDOT), motion.output(QDD), motion.output(RATE)];
        crate::event::moved(&self.point, rates, by)
    }

    /// The first output of another function at another point.
    pub(crate) fn measure_at<'q>(
        &mut self,
        quantity: &'q mut Quantity,
        point: &Point,
    ) -> &'q [f64] {
        quantity.evaluate(point, self.externals.as_mut());
        quantity.output(0)
    }

    /// The point of the last evaluation: all coordinates, speeds and accelerations, closed.
    pub fn point(&self) -> &Point {
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
    pub fn measure(&mut self, quantity: &mut Quantity) -> bool {
        quantity.evaluate(&self.point, self.externals.as_mut())
    }

    /// Makes a function ready for the parameters.
    pub fn prepare(&mut self, quantity: &mut Quantity) {
        quantity.setup(&self.point, self.externals.as_mut());
    }

    /// All coordinates, speeds and accelerations at a state.
    pub fn observe(&mut self, t: f64, y: &[f64]) -> Result<&Point, Fault> {
        if !self.last.as_ref().is_some_and(|(when, state)| *when == t && state == y) {
            self.evaluate(t, y)?;
        }
        let motion = &self.cases[self.now].motion;
        self.point.q.copy_from_slice(motion.output(Q));
        self.point.qd.copy_from_slice(motion.output(QD));
        self.point.qdd.copy_from_slice(motion.output(QDD));
        Ok(&self.point)
    }

    /// Observes a state that a method has accepted; predictions start from it.
    pub fn accept(&mut self, t: f64, y: &mut [f64]) -> Result<(), Fault> {
        self.normalise(y);
        self.observe(t, y)?;
        let step = t - self.anchor.t;
        if let Some((all, _, point, externals)) = self.all_mut() {
            all.accepted(step);
            if all.project(point, externals)? {
                y.copy_from_slice(&self.state());
                self.last = None;
                self.observe(t, y)?;
            }
        }
        let motion = &self.cases[self.now].motion;
        self.anchor.t = t;
        self.anchor.q.copy_from_slice(motion.output(Q));
        self.anchor.qdot.copy_from_slice(motion.output(QDOT));
        // Coordinates that may be dependent are single ones, whose second derivative is the acceleration.
        let mechanism = &self.tree.mechanism;
        for joint in mechanism.joints.iter().filter(|joint| joint.quaternion().is_none()) {
            let (q, v) = (joint.coordinates.clone(), joint.speeds.clone());
            self.anchor.curvature[q].copy_from_slice(&motion.output(QDD)[v]);
        }
        Ok(())
    }

    /// What gave a number that is not finite in the evaluation that failed last.
    pub fn culprit(&mut self) -> Option<String> {
        let point = self.failed.as_ref()?;
        let t = point.t;
        let found = culprit(&self.tree, point, self.externals.as_mut())?;
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
        let case = &mut self.cases[self.now];
        let ahead = t - self.anchor.t;
        let point = &mut self.point;
        point.t = t;
        let derivatives = self.anchor.qdot.iter().zip(&self.anchor.curvature);
        for ((q, from), (rate, curvature)) in
            point.q.iter_mut().zip(&self.anchor.q).zip(derivatives)
        {
            *q = from + ahead * (rate + 0.5 * ahead * curvature);
        }
        let (q, rest) = y.split_at(case.coordinates.len());
        let (qd, rest) = rest.split_at(case.speeds.len());
        let (states, work) = rest.split_at(point.states.len());
        if let (Some(own), Some(&value)) = (&mut self.work, work.first()) {
            own.value = value;
        }
        case.coordinates.iter().zip(q).for_each(|(&at, &value)| point.q[at] = value);
        case.speeds.iter().zip(qd).for_each(|(&at, &value)| point.qd[at] = value);
        point.states.copy_from_slice(states);
        let closed = case.motion.evaluate(point, self.externals.as_mut());
        let iterations = case.motion.iterations();
        self.effort.evaluations += 1;
        self.effort.iterations += iterations;
        self.effort.most = self.effort.most.max(iterations);
        if let Some(name) = not_finite(&self.tree.mechanism, &case.motion) {
            self.failed = Some(point.clone());
            return Err(Fault::NotFinite(name));
        }
        if !closed && !case.as_closed_as_can_be(point, self.externals.as_mut()) {
            return Err(Fault::NotClosed(case.motion.open_region().unwrap_or_default()));
        }
        self.last = Some((t, y.to_vec()));
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
        if self.all().is_some() || self.work.is_some() {
            return Ok(false);
        }
        self.observe(t, y)?;
        let case = &mut self.cases[self.now];
        let externals = self.externals.as_mut();
        if case.tangent.is_none() {
            // What cannot be differentiated is left to differences.
            case.tangent = Tangent::new(&case.tree, &self.point, externals).ok();
        }
        let Some(tangent) = &mut case.tangent else { return Ok(false) };
        let state = (&case.coordinates[..], &case.speeds[..]);
        let closed = tangent.at(&self.point, externals, state, by_state);
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

    fn scale(&self, state: usize) -> f64 {
        match &self.work {
            Some(work) if state + 1 == self.size() => work.scale,
            _ => 1.0,
        }
    }
}

impl Case {
    /// Whether what is left of the constraints after the last evaluation is rounding: an angle of thousands of turns is
    /// known to fewer digits than closing asks for.
    fn as_closed_as_can_be(&mut self, point: &Point, externals: &mut dyn Externals) -> bool {
        if !self.motion.only_loops_open() {
            return false;
        }
        if self.constraints.is_none()
            && let Ok(mut constraints) = Quantity::new(&self.tree, "constraints")
        {
            constraints.setup(point, externals);
            self.constraints = Some(constraints);
        }
        let Some(constraints) = &mut self.constraints else { return false };
        let mut reached = point.clone();
        reached.q.copy_from_slice(self.motion.output(Q));
        constraints.evaluate(&reached, externals);
        let largest = reached.q.iter().fold(0.0_f64, |most, q| most.max(q.abs()));
        let rounding = 4.0 * f64::EPSILON * largest;
        constraints.output(0).iter().all(|h| h.abs() <= rounding)
    }

    /// The case of the choice that the tree holds.
    fn new(tree: &Tree, held: &[usize], runner: Runner) -> Result<Case, Problem> {
        let motion = Equations::Closed(Quantity::run_by(runner, tree, "motion")?);
        let (coordinates, speeds) = independent(tree, held);
        let (choice, tree) = (tree.choice.clone(), tree.clone());
        let held = held.to_vec();
        Ok(Case {
            choice,
            held,
            coordinates,
            speeds,
            motion,
            tangent: None,
            orders: Vec::new(),
            constraints: None,
            tree,
        })
    }

    /// The case of all coordinates.
    fn of_all(tree: &Tree, form: Form) -> Result<Case, Problem> {
        let [coordinates, speeds] = free(&tree.mechanism);
        let parts = Redundant::new(tree)?;
        let all = Augmented::new(parts, form, tree);
        let motion = Equations::All(Box::new(all));
        let (tree, held) = (tree.clone(), Vec::new());
        Ok(Case {
            choice: None,
            held,
            coordinates,
            speeds,
            motion,
            tangent: None,
            orders: Vec::new(),
            constraints: None,
            tree,
        })
    }
}

/// The coordinates and the speeds that are independent by the choice that a tree holds.
pub(crate) fn independent(tree: &Tree, held: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mechanism = &tree.mechanism;
    let mut coordinates = vec![true; mechanism.coordinates.len()];
    let mut speeds = vec![true; mechanism.speeds.len()];
    // What events hold stays among the states, at rest, so that their number is the same.
    let given = |(at, joint): &(usize, &Joint)| joint.nature != Nature::Free && !held.contains(at);
    for (_, joint) in mechanism.joints.iter().enumerate().filter(given) {
        coordinates[joint.coordinates.clone()].fill(false);
        speeds[joint.speeds.clone()].fill(false);
    }
    if let Some(choice) = &tree.choice {
        choice.speeds.dependent().for_each(|at| speeds[at] = false);
        // Quaternions that follow along some axes stay part of the state, which says where they are along the others.
        for speed in choice.coordinates.dependent() {
            if let Some(at) = coordinate_of(mechanism, speed) {
                coordinates[at] = false;
            }
        }
    }
    let all = |marks: Vec<bool>| (0..marks.len()).filter(|&at| marks[at]).collect();
    (all(coordinates), all(speeds))
}

/// Whether a mechanism can be taken in all coordinates: events and further states go with independent ones.
fn suits(mechanism: &Mechanism, form: Form) -> Result<(), Problem> {
    let found = match (mechanism.states.first(), mechanism.events.first()) {
        (Some(state), _) => format!("state `{}`", state.name),
        (_, Some(event)) => format!("event `{}`", event.name),
        _ => return Ok(()),
    };
    let message = format!("constraints by {} do not go with {found}", form.word());
    Err(Problem::new(message, "keep constraints by partition"))
}

/// Gives every joint that events may hold parameters for where it is held; gives these joints, and those that are
/// locked from the beginning.
fn lockable(base: &mut Mechanism, start: &mut Point) -> (Vec<Hold>, Vec<usize>) {
    let mut joints = Vec::new();
    for event in &base.events {
        for action in &event.actions {
            match *action {
                Action::Lock(joint) | Action::Unlock(joint) => joints.push(joint),
                Action::Impact { speed, .. } if event.stop => {
                    joints.extend(base.joints.iter().position(|one| one.speeds.contains(&speed)));
                }
                _ => {}
            }
        }
    }
    joints.sort_unstable();
    joints.dedup();
    let (mut holds, mut held) = (Vec::new(), Vec::new());
    for joint in joints {
        let first = base.parameters.len();
        for at in base.joints[joint].coordinates.clone() {
            let name = format!("{}.hold", base.coordinates[at].name);
            base.add_parameter(&name, start.q[at]);
            start.parameters.push(start.q[at]);
        }
        holds.push(Hold { joint, parameters: first..base.parameters.len() });
        if base.joints[joint].nature == Nature::Locked {
            base.joints[joint].nature = Nature::Free;
            held.push(joint);
        }
    }
    (holds, held)
}

/// The tree of a mechanism some of whose joints are held.
fn held_tree(base: &Mechanism, holds: &[Hold], held: &[usize]) -> Tree {
    let mut mechanism = base.clone();
    for Hold { joint, parameters } in holds.iter().filter(|hold| held.contains(&hold.joint)) {
        let q = mechanism.parameters[parameters.clone()].iter().map(|one| one.symbol).collect();
        let zeros = vec![Expr::ZERO; mechanism.joints[*joint].speeds.len()];
        mechanism.joints[*joint].nature = Nature::Driven { q, qd: zeros.clone(), qdd: zeros };
    }
    normalise(mechanism)
}

/// The coordinate whose derivative is a speed; none of a joint with a quaternion.
pub(crate) fn coordinate_of(mechanism: &Mechanism, speed: usize) -> Option<usize> {
    let joint = mechanism.joints.iter().find(|joint| joint.speeds.contains(&speed));
    let joint = joint.expect("every speed belongs to a joint");
    let single = joint.coordinates.len() == joint.speeds.len();
    single.then(|| joint.coordinates.start + (speed - joint.speeds.start))
}

/// The name of something that `motion` gave and that is not finite.
fn not_finite(mechanism: &Mechanism, motion: &Equations) -> Option<String> {
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
