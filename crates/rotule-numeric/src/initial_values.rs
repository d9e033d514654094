//! Initial values from which assembly starts, how firmly each is held, and the changes that closing
//! made to written ones.
//!
//! A written value holds: values that nobody wrote move first. Where written values contradict each
//! other or the constraints, they change as little as closing takes, and every change is a record
//! that a user can be shown.

use crate::assembly::movable;
use crate::groups::groups;
use crate::redundancy::rows_of;
use crate::row_values::{RowValues, initial};
use rotule_formalism::MultibodySystem;
use rotule_formalism::Problem;
use rotule_formalism::TreeNode;
use rotule_formalism::constraint::Constraints;
use rotule_model::draft::PartitionRole;
use rotule_model::index::{BySpeed, SpeedId, SpeedSet};
use rotule_model::pose;
use std::fmt;
use std::ops::Range;

/// The firmness of an initial value, in ascending order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Hold {
    /// A default or a rough guess: it follows from the others.
    #[default]
    Guess,
    /// Written in the model for a joint that is to be dependent: it follows where both cannot hold.
    Dependent,
    /// Written in the model.
    Model,
    /// Written over the model, in a state or a study: where both cannot hold, the model's values
    /// follow.
    State,
}

/// Coordinates and speeds at a time, as they were written or guessed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Start {
    /// The time at which driven joints and constraints are evaluated.
    pub t: f64,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Speeds.
    pub qd: Vec<f64>,
    /// The firmness of each coordinate.
    pub hold_q: Vec<Hold>,
    /// The firmness of each speed.
    pub hold_qd: Vec<Hold>,
}

/// A written initial value that closing changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The name of the coordinate or speed.
    pub name: String,
    /// The value that was written.
    pub written: f64,
    /// The value in the closed state.
    pub used: f64,
    /// The size that the change is measured against.
    pub scale: f64,
}

/// Changes below this part of their scale are not reported: files rarely have more digits.
const UNSEEN: f64 = 1e-9;
/// Changes up to this part of their scale come from rounded digits.
const ROUNDED: f64 = 1e-3;
/// A warning names at most this many changes.
const NAMED: usize = 6;

impl Start {
    /// The initial state of the model, at time zero.
    pub fn initial(tree: &MultibodySystem) -> Start {
        let mechanism = &tree.mechanism;
        let (q, qd) = initial(tree);
        let mut start = Start::guess(&q, &qd);
        for joint in &mechanism.joints {
            let hold = match joint.partition {
                Some(PartitionRole::Dependent) => Hold::Dependent,
                _ => Hold::Model,
            };
            for at in joint.coordinates.clone().filter(|&at| mechanism.coordinates[at].written) {
                start.hold_q[at] = hold;
            }
            for at in joint.speeds.clone().filter(|&at| mechanism.speeds[at].written) {
                start.hold_qd[at] = hold;
            }
        }
        start
    }

    /// A rough guess of all values, at time zero.
    pub fn guess(q: &[f64], qd: &[f64]) -> Start {
        Start {
            t: 0.0,
            q: q.to_vec(),
            qd: qd.to_vec(),
            hold_q: vec![Hold::Guess; q.len()],
            hold_qd: vec![Hold::Guess; qd.len()],
        }
    }

    /// The firmness of coordinates by the speeds that move them: parts of a quaternion or of a
    /// position are held together.
    pub(crate) fn columns(&self, tree: &MultibodySystem) -> BySpeed<Hold> {
        let mut columns: BySpeed<Hold> = BySpeed::filled(Hold::Guess, tree.speeds());
        for (coordinates, speeds, _) in blocks(tree) {
            let hold = self.hold_q[coordinates].iter().max().copied();
            columns.as_mut_slice()[speeds].fill(hold.unwrap_or_default());
        }
        columns
    }

    /// The firmness of speeds. One that the model writes leads, too, where its coordinate was
    /// written over the model.
    pub(crate) fn speeds(&self, tree: &MultibodySystem) -> BySpeed<Hold> {
        let pairs = self.hold_qd.iter().zip(self.columns(tree));
        pairs.map(|(&own, of_q)| if own > Hold::Guess { own.max(of_q) } else { own }).collect()
    }

    /// The written values that differ in a closed state: in each loop those of the highest level,
    /// which the others are to follow.
    pub(crate) fn changes(
        &self,
        tree: &MultibodySystem,
        open: &Constraints,
        values: &RowValues,
        closed: (&[f64], &[f64]),
    ) -> Vec<Change> {
        let movable = movable(tree);
        let parts = groups(values, &rows_of(open, false), &movable);
        let tells = |holds: &BySpeed<Hold>| -> SpeedSet {
            let mut tells: SpeedSet =
                movable.iter().filter(|&at| holds[at] > Hold::Guess).collect();
            for part in &parts {
                let top = part.columns.iter().map(|&at| holds[at]).max();
                for &at in part.columns.iter().filter(|&&at| Some(holds[at]) != top) {
                    tells.remove(at);
                }
            }
            tells
        };
        let tells = [tells(&self.columns(tree)), tells(&self.speeds(tree))];
        // Angles are measured in radians, lengths by the mechanism, speeds by the largest written
        // one of their kind.
        let size = extent(tree, &self.q);
        let mut fastest = [0.0_f64; 2];
        for (_, speeds, is_length) in blocks(tree) {
            for at in speeds.filter(|&at| self.hold_qd[at] > Hold::Guess) {
                let most = &mut fastest[usize::from(is_length)];
                *most = most.max(self.qd[at].abs());
            }
        }
        let mechanism = &tree.mechanism;
        let (mut of_q, mut of_qd) = (Vec::new(), Vec::new());
        for (coordinates, speeds, is_length) in blocks(tree) {
            for at in coordinates.filter(|_| tells[0].contains(SpeedId::new(speeds.start))) {
                let scale = self.q[at].abs().max(if is_length { size } else { 1.0 });
                let name = mechanism.coordinates[at].name.clone();
                of_q.push(Change { name, written: self.q[at], used: closed.0[at], scale });
            }
            for at in speeds.filter(|&at| tells[1].contains(SpeedId::new(at))) {
                let scale = fastest[usize::from(is_length)];
                let name = mechanism.speeds[at].name.clone();
                of_qd.push(Change { name, written: self.qd[at], used: closed.1[at], scale });
            }
        }
        let seen = |change: &Change| change.amount().abs() > UNSEEN * change.scale;
        of_q.into_iter().chain(of_qd).filter(seen).collect()
    }
}

/// Coordinates that move together with the speeds that move them, and whether they are lengths.
fn blocks(tree: &MultibodySystem) -> impl Iterator<Item = (Range<usize>, Range<usize>, bool)> {
    let parts = tree.tree.nodes.iter().flat_map(TreeNode::parts);
    parts.map(|(part, coordinates, speeds)| (coordinates, speeds, part.is_length()))
}

/// The levels above a guess that occur among the columns that may move, in ascending order.
pub(crate) fn levels(holds: &BySpeed<Hold>, movable: &SpeedSet) -> Vec<Hold> {
    let used = |level: &Hold| movable.iter().any(|at| holds[at] == *level);
    [Hold::Dependent, Hold::Model, Hold::State].into_iter().filter(used).collect()
}

/// Weights of columns where everything moves: what is written at the highest level moves least.
pub(crate) fn weights(holds: &[Hold], levels: &[Hold]) -> Vec<f64> {
    const LIGHT: f64 = 0.01;
    let top = levels.last().copied().unwrap_or_default();
    holds.iter().map(|&hold| if hold >= top { 1.0 } else { LIGHT }).collect()
}

/// The largest distance between the origins of bodies.
fn extent(tree: &MultibodySystem, q: &[f64]) -> f64 {
    let places = pose::poses(&tree.mechanism, q);
    let range = |axis: usize| {
        let each = places.iter().map(|pose| pose.position[axis]);
        let (least, most) =
            each.fold((f64::MAX, f64::MIN), |(least, most), x| (least.min(x), most.max(x)));
        most - least
    };
    let size = pose::norm([range(0), range(1), range(2)]);
    if size > 0.0 && size.is_finite() { size } else { 1.0 }
}

impl Change {
    /// The change, closed less written.
    pub fn amount(&self) -> f64 {
        self.used - self.written
    }

    /// The change in parts of its scale.
    pub fn relative(&self) -> f64 {
        if self.scale > 0.0 { self.amount().abs() / self.scale } else { f64::INFINITY }
    }

    /// True if the change is what rounding the written digits explains.
    pub fn is_rounding(&self) -> bool {
        self.relative() <= ROUNDED
    }
}

/// The name, the written value, the value in the closed state, and the change.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (written, used) = (rounded(self.written), rounded(self.used));
        let (name, amount) = (&self.name, self.amount());
        write!(f, "`{name}` is written as {written} and becomes {used} (change {amount:.2e})")
    }
}

/// A sentence about the changes of an assembly, for the user; none if nothing changed.
pub fn report(changes: &[Change]) -> Option<InitialValueReport> {
    let mut sorted: Vec<&Change> = changes.iter().collect();
    sorted.sort_by(|a, b| b.relative().total_cmp(&a.relative()));
    let largest = sorted.first()?;
    let help = "correct these values, or leave out those that should follow from the others";
    if largest.is_rounding() {
        let message = format!(
            "initial values change by rounding to satisfy the constraints, at most: {largest}"
        );
        return Some(InitialValueReport { warning: false, problem: Problem::new(message, help) });
    }
    let shown: Vec<String> = sorted
        .iter()
        .filter(|change| !change.is_rounding())
        .take(NAMED)
        .map(ToString::to_string)
        .collect();
    let more = sorted.iter().filter(|change| !change.is_rounding()).count() - shown.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "initial values contradict each other or the constraints: {}{more}",
        shown.join(", ")
    );
    let help = "correct these values, leave out those that should follow from the others, or write `partition = \"dependent\"` \
                at joints whose values are guesses";
    Some(InitialValueReport { warning: true, problem: Problem::new(message, help) })
}

/// Nine digits, without zeros that say nothing.
fn rounded(value: f64) -> f64 {
    format!("{value:.8e}").parse().unwrap_or(value)
}

/// A message about changed initial values.
#[derive(Clone, Debug)]
pub struct InitialValueReport {
    /// True for a warning, false for a note: rounding is no contradiction.
    pub warning: bool,
    /// Message and remedy.
    pub problem: Problem,
}

impl InitialValueReport {
    /// The severity: `warning` or `note`.
    pub fn word(&self) -> &'static str {
        if self.warning { "warning" } else { "note" }
    }

    /// The message as a compiler shows it.
    pub fn text(&self) -> String {
        let Problem { message, help, .. } = &self.problem;
        format!("{}: {message}\n  = help: {help}", self.word())
    }
}
