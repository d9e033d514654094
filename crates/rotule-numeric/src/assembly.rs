//! Assembly: from a rough guess to a position in which all loops are closed.
//!
//! Newton steps with the least change of the coordinates that may move, damped where a step makes
//! things worse (Levenberg and Marquardt); columns are scaled to equal length, so that radians and
//! metres count alike. Written coordinates are held at first; loops that do not close so let go of
//! them, and the change is reported. Where steps end beside a solution, or with frames that are
//! rotated by half a turn, which the rows of a body cut cannot tell from none, other starts are
//! tried. Speeds follow in the closed position.

use crate::groups::{RowGroup, ScaledGroup, groups};
use crate::initial_speeds::speeds;
use crate::initial_values::{Change, Hold, Start, levels, weights};
use crate::redundancy::{self, rows_of};
use crate::row_values::{RowEvaluator, RowProgram, RowValues, moved};
use rotule_formalism::MultibodySystem;
use rotule_formalism::Problem;
use rotule_formalism::TreeNode;
use rotule_formalism::constraint::ConstraintElement;
use rotule_model::index::{BySpeed, SpeedId, SpeedSet, ids};
use rotule_model::mechanism::Role;
use rotule_model::{closure, pose};
use rotule_symbolic::elementary::powi;
use rotule_symbolic::likely;
use rotule_symbolic::random::SplitMix64;

/// Residuals below this are closed, for a mechanism of metres.
pub const CLOSED: f64 = 1e-12;
/// Steps after which an attempt is given up.
const STEPS: usize = 80;
/// Angles turn by this at most in a step.
const TURN: f64 = 0.7;
/// Other starts that are tried, and how many of a large mechanism.
const STARTS: (usize, usize) = (24, 3);
/// Rows from which on a mechanism is large.
const LARGE: usize = 200;
/// A cut that is open by more than this, although all rows vanish, is closed in a wrong way.
const WRONG: f64 = 1e-6;

/// A closed state.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// Coordinates.
    pub q: Vec<f64>,
    /// Speeds.
    pub qd: Vec<f64>,
    /// The largest residual that is left.
    pub residual: f64,
    /// Newton steps of the attempt that succeeded.
    pub steps: usize,
    /// Starts besides the guess that were needed.
    pub starts: usize,
    /// Written values that could not be kept.
    pub changes: Vec<Change>,
}

/// Closes the loops of a tree, starting at its initial state. Driven and locked joints stay where
/// they are, and so do the speeds in `keep`; written values stay where that is possible.
pub fn assemble(tree: &MultibodySystem, keep: &SpeedSet) -> Result<Assembled, Problem> {
    assemble_start(tree, &Start::initial(tree), keep)
}

/// Closes the loops from a rough guess of all coordinates and speeds, none of which counts as
/// written; those of driven and locked joints must be what they are at time zero.
pub fn assemble_from(
    tree: &MultibodySystem,
    q: &[f64],
    qd: &[f64],
    keep: &SpeedSet,
) -> Result<Assembled, Problem> {
    assemble_start(tree, &Start::guess(q, qd), keep)
}

/// Closes the loops from values that were partly written; those of driven and locked joints must be
/// what they are at the time of the start.
pub fn assemble_start(
    tree: &MultibodySystem,
    start: &Start,
    keep: &SpeedSet,
) -> Result<Assembled, Problem> {
    let written = RowProgram::of(tree)?;
    let numbers = &mut written.ready(start.t)?;
    let movable = movable(tree).iter().filter(|&speed| !keep.contains(speed)).collect();
    let (found, starts) = closed(tree, &written, numbers, start, &movable)?;
    let qd = speeds(tree, &written, &found.values, start, &movable)?;
    let residual = found.values.largest();
    let changes = start.changes(tree, &written.open, &found.values, (&found.q, &qd));
    Ok(Assembled { q: found.q, qd, residual, steps: found.steps, starts, changes })
}

/// Coordinates that were closed from some that are known.
#[derive(Clone, Debug)]
pub struct Followed {
    /// All coordinates: closed, or as near to that as they come.
    pub q: Vec<f64>,
    /// The largest residual that is left.
    pub residual: f64,
    /// `true` if the loops are closed.
    pub closed: bool,
}

/// Closes the loops along a course of times and coordinates, of which some are known, so that the
/// others follow from where they were before; the speeds in `keep`, those of known coordinates,
/// stay.
pub fn follow(
    tree: &MultibodySystem,
    course: &[(f64, Vec<f64>)],
    known: &[bool],
    keep: &SpeedSet,
) -> Result<Vec<Followed>, Problem> {
    let written = RowProgram::of(tree)?;
    let movable = movable(tree).iter().filter(|&speed| !keep.contains(speed)).collect();
    let alike: BySpeed<f64> = vec![1.0; tree.speeds()].into();
    let mut out: Vec<Followed> = Vec::with_capacity(course.len());
    for (time, given) in course {
        let mut q = given.clone();
        let numbers = &mut written.ready(*time)?;
        let found = match out.last() {
            None => {
                let start = Start { t: *time, ..Start::guess(&q, &vec![0.0; tree.speeds()]) };
                closed(tree, &written, numbers, &start, &movable).map(|(found, _)| found)
            }
            Some(before) => {
                let others = q.iter_mut().zip(&before.q).zip(known).filter(|(_, known)| !**known);
                others.for_each(|((value, before), _)| *value = *before);
                attempt(tree, &written, numbers, &q, &movable, &alike)
            }
        };
        // What is known may contradict itself: the nearest position is shown.
        let found = match found {
            Ok(found) => found,
            Err(_) => attempt(tree, &written, numbers, &q, &movable, &alike)?,
        };
        let residual = found.values.largest();
        out.push(Followed { q: found.q, residual, closed: found.closed });
    }
    Ok(out)
}

/// The speeds whose coordinates may move: those of free joints.
pub(crate) fn movable(tree: &MultibodySystem) -> SpeedSet {
    let free = tree.mechanism.joints.iter().filter(|joint| joint.role == Role::Free);
    free.flat_map(|joint| ids(joint.speeds.clone())).collect()
}

/// The speeds that belong to names of joints or coordinates.
pub fn named(tree: &MultibodySystem, names: &[&str]) -> Result<SpeedSet, Problem> {
    let mechanism = &tree.mechanism;
    let mut found = SpeedSet::new();
    for &name in names {
        let joint = mechanism.joints.iter().find(|joint| joint.name == name);
        if let Some(joint) = joint.filter(|joint| !joint.speeds.is_empty()) {
            found.extend(ids(joint.speeds.clone()));
            continue;
        }
        let Some(at) = mechanism.coordinate(name) else {
            let known = mechanism.coordinates.iter().map(|one| one.name.as_str());
            let known = known.chain(mechanism.joints.iter().map(|joint| joint.name.as_str()));
            let message = format!("there is no joint or coordinate `{name}`");
            return Err(Problem::new(message, likely(name, known)));
        };
        let single = |node: &&TreeNode| node.coordinate.index() == at && node.motion.speeds() == 1;
        let node = tree.tree.nodes.iter().find(single);
        match node {
            Some(node) => {
                found.insert(node.speed);
            }
            None if in_quaternion(tree, at) => {
                let owner = mechanism.joints.iter().find(|one| one.coordinates.contains(&at));
                let owner = owner.map_or(name, |joint| joint.name.as_str());
                return Err(Problem::new(
                    format!("`{name}` cannot be kept by itself: it is a component of a quaternion"),
                    format!("keep the joint `{owner}`"),
                ));
            }
            // A locked joint has no node, and stays.
            None => {}
        }
    }
    Ok(found)
}

/// Returns `true` if a coordinate belongs to a node with a quaternion.
fn in_quaternion(tree: &MultibodySystem, coordinate: usize) -> bool {
    let own = |node: &TreeNode| node.parts().flat_map(|part| part.1).any(|at| at == coordinate);
    tree.tree.nodes.iter().any(|node| node.quaternion().is_some() && own(node))
}

/// Where an attempt ended.
#[derive(Clone)]
pub(crate) struct Attempt {
    pub q: Vec<f64>,
    pub values: RowValues,
    pub steps: usize,
    pub closed: bool,
}

/// Closed coordinates, and how many other starts that took.
pub(crate) fn closed(
    tree: &MultibodySystem,
    written: &RowProgram,
    numbers: &mut RowEvaluator<'_>,
    start: &Start,
    movable: &SpeedSet,
) -> Result<(Attempt, usize), Problem> {
    let mut holding = Holding::new(tree, written, numbers, start, movable)?;
    let mut from = start.q.clone();
    loop {
        let (moves, weights) = (holding.moves(), holding.weights());
        let mut try_from = |q: &[f64]| attempt(tree, written, numbers, q, &moves, &weights);
        let first = try_from(&from)?;
        let is_good = |one: &Attempt| one.closed && !is_wrong(tree, &one.q);
        // From where what is not written has gone to, or from the guess: the shorter way is taken.
        let mut good: Vec<Attempt> = Vec::new();
        if from != start.q {
            good.push(try_from(&start.q)?);
        }
        good.push(first.clone());
        good.retain(is_good);
        let way = |one: &Attempt| holding.distance(&start.q, &one.q);
        if let Some(best) = good.into_iter().min_by(|a, b| way(a).total_cmp(&way(b))) {
            return Ok((best, 0));
        }
        let open = holding.open(tree, written, &first);
        let mut best = first.clone();
        let starts = match holding.has_other_starts(&open, &moves) {
            false => 0,
            true if written.open.rows.len() > LARGE => STARTS.1,
            true => STARTS.0,
        };
        let mut random = SplitMix64(1);
        for number in 1..=starts {
            let size = 1.5 * number as f64 / starts as f64;
            // What is held, or in no loop, stays; the numbers of the others do not depend on that.
            let mut step = vec![0.0; tree.speeds()];
            for speed in movable.iter() {
                let part = size * random.signed();
                if moves.contains(speed) {
                    step[speed.index()] = part;
                }
            }
            let next = try_from(&moved(tree, &start.q, &step))?;
            if is_good(&next) {
                return Ok((next, number));
            }
            let better = next.values.length() < best.values.length();
            if (next.closed, better) > (best.closed, false) && (next.closed || !best.closed) {
                best = next;
            }
        }
        if !holding.release(&open) {
            return Err(verdict(tree, written, numbers, &best, movable));
        }
        // What is not written has gone as near as it can: the rest of the way is short.
        if first.values.length().is_finite() {
            from = first.q;
        }
    }
}

/// The written coordinates that may not move now, loop by loop.
struct Holding<'a> {
    /// The firmness of each coordinate and of each column, and the levels that occur.
    coordinates: &'a [Hold],
    holds: BySpeed<Hold>,
    levels: Vec<Hold>,
    /// Rows that share columns.
    groups: Vec<RowGroup>,
    /// The number of levels that each group has let go of.
    released: Vec<usize>,
}

impl Holding<'_> {
    fn new<'a>(
        tree: &MultibodySystem,
        written: &RowProgram,
        numbers: &mut RowEvaluator<'_>,
        start: &'a Start,
        movable: &SpeedSet,
    ) -> Result<Holding<'a>, Problem> {
        let values = numbers.at(&start.q, &vec![0.0; tree.speeds()])?;
        let groups = groups(&values, &rows_of(&written.open, true), movable);
        let holds = start.columns(tree);
        let levels = levels(&holds, movable);
        let released = vec![0; groups.len()];
        Ok(Holding { coordinates: &start.hold_q, holds, levels, groups, released })
    }

    /// The columns that may move now; those in no loop have no reason to.
    fn moves(&self) -> SpeedSet {
        let mut moves = SpeedSet::new();
        for (group, &released) in self.groups.iter().zip(&self.released) {
            let held = self.levels.get(released);
            let moves_now =
                |column: &SpeedId| held.is_none_or(|&level| self.holds[*column] < level);
            moves.extend(group.columns.iter().copied().filter(moves_now));
        }
        moves
    }

    /// The weights of columns where written ones move, too; none where that did not help.
    fn weights(&self) -> BySpeed<f64> {
        let mut weights: BySpeed<f64> = weights(self.holds.as_slice(), &self.levels).into();
        for (group, &released) in self.groups.iter().zip(&self.released) {
            if released > self.levels.len() {
                group.columns.iter().for_each(|&column| weights[column] = 1.0);
            }
        }
        weights
    }

    /// The distance between coordinates, in which written ones count more.
    fn distance(&self, from: &[f64], to: &[f64]) -> f64 {
        let weights = weights(self.coordinates, &self.levels);
        let parts = from.iter().zip(to).zip(weights);
        parts.map(|((a, b), weight)| powi(weight * (a - b), 2)).sum()
    }

    /// The groups that an attempt leaves open; all if it cannot be told which.
    fn open(&self, tree: &MultibodySystem, written: &RowProgram, attempt: &Attempt) -> Vec<usize> {
        let gaps = gaps(tree, &attempt.q);
        let tolerance = tolerance(&attempt.values);
        let is_open = |row: &usize| {
            let closed = attempt.values.h[*row].abs() <= tolerance;
            let wrong = match written.open.rows[*row].element {
                ConstraintElement::Cut(cut) => gaps.get(cut).is_some_and(is_far),
                _ => false,
            };
            !closed || wrong
        };
        let each = 0..self.groups.len();
        let open: Vec<usize> =
            each.clone().filter(|&at| self.groups[at].rows.iter().any(is_open)).collect();
        if open.is_empty() { each.collect() } else { open }
    }

    /// Returns `true` if other starts may help some groups: not where all is written, and not
    /// before all counts alike.
    fn has_other_starts(&self, groups: &[usize], moves: &SpeedSet) -> bool {
        let weighted =
            |at: usize| !self.levels.is_empty() && self.released[at] == self.levels.len();
        let mut groups = groups.iter().filter(|&&at| !weighted(at));
        groups.any(|&at| self.groups[at].columns.iter().any(|&column| moves.contains(column)))
    }

    /// Lets go of a level in some groups, at last of the weights; tells whether there was anything.
    fn release(&mut self, groups: &[usize]) -> bool {
        let last = if self.levels.is_empty() { 0 } else { self.levels.len() + 1 };
        let mut any = false;
        for &at in groups {
            if self.released[at] < last {
                self.released[at] += 1;
                any = true;
            }
        }
        any
    }
}

/// Newton steps from a start; columns without weights count alike.
pub(crate) fn attempt(
    tree: &MultibodySystem,
    written: &RowProgram,
    numbers: &mut RowEvaluator<'_>,
    q: &[f64],
    movable: &SpeedSet,
    weights: &BySpeed<f64>,
) -> Result<Attempt, Problem> {
    let still = vec![0.0; tree.speeds()];
    let rows = rows_of(&written.open, true);
    let mut q = q.to_vec();
    let mut values = numbers.at(&q, &still)?;
    let groups = groups(&values, &rows, movable);
    let (mut damping, mut steps) = (0.0_f64, 0);
    let done = |values: &RowValues| values.largest() <= 0.01 * tolerance(values);
    'steps: while steps < STEPS && !done(&values) && values.length().is_finite() {
        let scaled: Vec<ScaledGroup> =
            groups.iter().map(|group| ScaledGroup::weighted(&values, group, weights)).collect();
        loop {
            let step = step(tree, &values, &groups, &scaled, damping);
            let next = moved(tree, &q, &step);
            let found = numbers.at(&next, &still)?;
            let merit = |values: &RowValues| merit(values, &groups, &scaled);
            if merit(&found) < merit(&values) * (1.0 - 1e-3) {
                (q, values) = (next, found);
                damping = if damping > 1e-6 { damping / 10.0 } else { 0.0 };
                steps += 1;
                break;
            }
            // Nothing is gained any more: it is closed as far as numbers go, or stuck.
            if damping > 1e6 || values.largest() <= tolerance(&values) {
                break 'steps;
            }
            damping = if damping == 0.0 { 1e-4 } else { damping * 10.0 };
        }
    }
    let closed = values.largest() <= tolerance(&values);
    Ok(Attempt { q, values, steps, closed })
}

/// The merit function that steps reduce: the residuals, measured like the rows of the step.
fn merit(values: &RowValues, groups: &[RowGroup], scaled: &[ScaledGroup]) -> f64 {
    let each = groups.iter().zip(scaled).flat_map(|(group, scaled)| {
        group.rows.iter().zip(&scaled.rows).map(|(&row, scale)| powi(values.h[row] / scale, 2))
    });
    each.sum::<f64>().sqrt()
}

/// The residual up to which loops count as closed: rows of long mechanisms are rounded more
/// coarsely.
pub(crate) fn tolerance(values: &RowValues) -> f64 {
    let entries = values.j.iter().flatten();
    CLOSED * entries.fold(1.0_f64, |most, (_, value)| most.max(value.abs()))
}

/// A step of all groups.
fn step(
    tree: &MultibodySystem,
    values: &RowValues,
    groups: &[RowGroup],
    scaled: &[ScaledGroup],
    damping: f64,
) -> Vec<f64> {
    let mut step = vec![0.0; tree.speeds()];
    for (group, scaled) in groups.iter().zip(scaled) {
        let right: Vec<f64> = group.rows.iter().map(|&row| -values.h[row]).collect();
        for (&column, x) in group.columns.iter().zip(scaled.solve(&right, damping)) {
            step[column.index()] = x;
        }
    }
    let mut turns = 0.0_f64;
    for node in &tree.tree.nodes {
        for at in node.parts().filter(|part| !part.0.is_length()).flat_map(|part| part.2) {
            turns = turns.max(step[at].abs());
        }
    }
    if turns > TURN {
        step.iter_mut().for_each(|x| *x *= TURN / turns);
    }
    step
}

/// Returns `true` if a loop closure is open although its rows vanish: by half a revolution, or by a
/// third of one about a diagonal.
fn is_wrong(tree: &MultibodySystem, q: &[f64]) -> bool {
    gaps(tree, q).iter().any(is_far)
}

fn is_far(gap: &closure::Gap) -> bool {
    gap.distance > WRONG || gap.angle > WRONG
}

fn gaps(tree: &MultibodySystem, q: &[f64]) -> Vec<closure::Gap> {
    if tree.mechanism.cuts.is_empty() {
        return Vec::new();
    }
    closure::gaps(&tree.mechanism, &pose::poses(&tree.mechanism, q))
}

/// Why there is no closed position, as far as can be told.
fn verdict(
    tree: &MultibodySystem,
    written: &RowProgram,
    numbers: &mut RowEvaluator<'_>,
    best: &Attempt,
    movable: &SpeedSet,
) -> Problem {
    let names = |names: Vec<String>| names.join(", ");
    if !best.values.length().is_finite() {
        let bad = best.values.h.iter().zip(&written.open.rows).find(|(h, _)| !h.is_finite());
        let name = bad.map_or("", |(_, row)| row.name.as_str());
        return Problem::new(
            format!("constraint `{name}` has no finite value at the initial guess"),
            "an external function needs its law (--laws); for a division by zero, try another initial guess",
        );
    }
    let gaps = gaps(tree, &best.q);
    let open: Vec<String> = (tree.mechanism.cuts.iter().zip(&gaps))
        .filter(|(_, gap)| is_far(gap))
        .take(6)
        .map(|(cut, gap)| format!("loop closure `{}` by {gap}", cut.name))
        .collect();
    if best.closed {
        return Problem::new(
            format!(
                "the loops close only with frames half a turn apart; still open: {}",
                names(open)
            ),
            "give an initial guess in `[initial.q]` with the frames of the cut less rotated against each other",
        );
    }
    if let Some(problem) = redundancy::contradiction(tree, written, numbers, &best.q, movable) {
        return problem;
    }
    let residual = best.values.largest();
    let mut left = open;
    for (row, h) in written.open.rows.iter().zip(&best.values.h) {
        let other = !matches!(row.element, ConstraintElement::Cut(_));
        if other && h.abs() > WRONG && left.len() < 6 {
            left.push(format!("constraint `{}` by {h:.3e}", row.name));
        }
    }
    let left = if left.is_empty() { "all a little".to_owned() } else { names(left) };
    let held = tree.mechanism.joints.iter().any(|joint| joint.role != Role::Free)
        || *movable != self::movable(tree);
    let help = if held {
        "driven, locked or kept joints may be out of reach of the others: free more joints, or check lengths and frames"
    } else {
        "the bodies may be too short to meet: check lengths and frames, or give a closer initial guess in `[initial.q]`"
    };
    Problem::new(
        format!("the loops cannot be closed; still open: {left} (largest residual {residual:.3e})"),
        help,
    )
}
