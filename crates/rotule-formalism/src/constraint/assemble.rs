//! Assembly: from a rough guess to a position in which all loops are closed.
//!
//! Newton steps with the least change of the coordinates that may move, damped where a step makes things worse
//! (Levenberg and Marquardt); columns are scaled to equal length, so that radians and metres count alike. Where that ends
//! beside a solution, or with frames that are turned by half a turn, which the rows of a body cut cannot tell from none,
//! other starts are tried. Speeds follow: independent ones stay, dependent ones are solved for.

use super::choice::choose;
use super::groups::{Group, Scaled, groups};
use super::numbers::{Numbers, Values, Written, initial, moved};
use super::redundancy::{self, question, rows_of};
use crate::problem::Problem;
use crate::tree::{Motion, Tree};
use rotule_model::mechanism::Nature;
use rotule_model::{closure, pose};
use rotule_symbolic::nearest;

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
}

/// Closes the loops of a tree, starting at its initial state. Driven and locked joints stay where they are, and so do those
/// speeds that `keep` marks.
pub fn assemble(tree: &Tree, keep: &[bool]) -> Result<Assembled, Problem> {
    let (q, qd) = initial(tree);
    assemble_from(tree, &q, &qd, keep)
}

/// The same from other coordinates and speeds; those of driven and locked joints must be what they are.
pub fn assemble_from(
    tree: &Tree,
    q: &[f64],
    qd: &[f64],
    keep: &[bool],
) -> Result<Assembled, Problem> {
    let written = Written::of(tree)?;
    let numbers = &mut written.ready()?;
    let mut movable = movable(tree);
    movable.iter_mut().zip(keep).for_each(|(movable, &keep)| *movable &= !keep);
    let (found, starts) = closed(tree, &written, numbers, q, &movable)?;
    let qd = speeds(tree, &written, &found.values, qd, &movable)?;
    let residual = found.values.largest();
    Ok(Assembled { q: found.q, qd, residual, steps: found.steps, starts })
}

/// The speeds whose coordinates may move: those of free joints.
pub(super) fn movable(tree: &Tree) -> Vec<bool> {
    let mut movable = vec![true; tree.speeds()];
    for joint in &tree.mechanism.joints {
        if joint.nature != Nature::Free {
            movable[joint.speeds.clone()].fill(false);
        }
    }
    movable
}

/// Which speeds belong to names of joints or coordinates.
pub fn named(tree: &Tree, names: &[&str]) -> Result<Vec<bool>, Problem> {
    let mechanism = &tree.mechanism;
    let mut marked = vec![false; tree.speeds()];
    for &name in names {
        let joint = mechanism.joints.iter().find(|joint| joint.name == name);
        if let Some(joint) = joint.filter(|joint| !joint.speeds.is_empty()) {
            marked[joint.speeds.clone()].fill(true);
            continue;
        }
        let Some(at) = mechanism.coordinates.iter().position(|one| one.name == name) else {
            let known = mechanism.coordinates.iter().map(|one| one.name.as_str());
            let known = known.chain(mechanism.joints.iter().map(|joint| joint.name.as_str()));
            let near = nearest(name, known);
            let help = near.map_or("name joints or coordinates".to_owned(), |near| {
                format!("did you mean `{near}`?")
            });
            return Err(Problem::new(format!("there is no joint or coordinate `{name}`"), help));
        };
        let node = tree.nodes.iter().find(|node| match node.motion {
            Motion::Ground | Motion::Spherical | Motion::Free => false,
            _ => node.coordinate == at,
        });
        match node {
            Some(node) => marked[node.speed] = true,
            None if in_quaternion(tree, at) => {
                let owner = mechanism.joints.iter().find(|one| one.coordinates.contains(&at));
                let owner = owner.map_or(name, |joint| joint.name.as_str());
                return Err(Problem::new(
                    format!("`{name}` cannot be kept by itself: its joint has a quaternion"),
                    format!("keep the joint `{owner}`"),
                ));
            }
            // A locked joint has no node, and stays.
            None => {}
        }
    }
    Ok(marked)
}

/// Whether a coordinate belongs to a node with a quaternion.
fn in_quaternion(tree: &Tree, coordinate: usize) -> bool {
    tree.nodes.iter().any(|node| match node.motion {
        Motion::Spherical => (node.coordinate..node.coordinate + 4).contains(&coordinate),
        Motion::Free => (node.coordinate..node.coordinate + 7).contains(&coordinate),
        _ => false,
    })
}

/// Where an attempt ended.
#[derive(Clone)]
pub(super) struct Attempt {
    pub q: Vec<f64>,
    pub values: Values,
    pub steps: usize,
    pub closed: bool,
}

/// Closed coordinates, and how many other starts that took.
pub(super) fn closed(
    tree: &Tree,
    written: &Written,
    numbers: &mut Numbers<'_>,
    q: &[f64],
    movable: &[bool],
) -> Result<(Attempt, usize), Problem> {
    let first = attempt(tree, written, numbers, q, movable)?;
    if first.closed && !is_wrong(tree, &first.q) {
        return Ok((first, 0));
    }
    let starts = if written.open.rows.len() > LARGE { STARTS.1 } else { STARTS.0 };
    let mut best = first;
    let mut random = Random(1);
    for start in 1..=starts {
        let size = 1.5 * start as f64 / starts as f64;
        let step: Vec<f64> = (movable.iter())
            .map(|&movable| if movable { size * random.number() } else { 0.0 })
            .collect();
        let next = attempt(tree, written, numbers, &moved(tree, q, &step), movable)?;
        if next.closed && !is_wrong(tree, &next.q) {
            return Ok((next, start));
        }
        let better = next.values.length() < best.values.length();
        if (next.closed, better) > (best.closed, false) && (next.closed || !best.closed) {
            best = next;
        }
    }
    Err(verdict(tree, written, numbers, &best, movable))
}

/// Newton steps from a start.
pub(super) fn attempt(
    tree: &Tree,
    written: &Written,
    numbers: &mut Numbers<'_>,
    q: &[f64],
    movable: &[bool],
) -> Result<Attempt, Problem> {
    let still = vec![0.0; tree.speeds()];
    let rows = rows_of(&written.open, true);
    let mut q = q.to_vec();
    let mut values = numbers.at(&q, &still)?;
    let groups = groups(&values, &rows, movable);
    let (mut damping, mut steps) = (0.0_f64, 0);
    let done = |values: &Values| values.largest() <= 0.01 * tolerance(values);
    'steps: while steps < STEPS && !done(&values) && values.length().is_finite() {
        let scaled: Vec<Scaled> = groups.iter().map(|group| Scaled::of(&values, group)).collect();
        loop {
            let step = step(tree, &values, &groups, &scaled, damping);
            let next = moved(tree, &q, &step);
            let found = numbers.at(&next, &still)?;
            let merit = |values: &Values| merit(values, &groups, &scaled);
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

/// What steps make smaller: the residuals, measured like the rows of the step.
fn merit(values: &Values, groups: &[Group], scaled: &[Scaled]) -> f64 {
    let each = groups.iter().zip(scaled).flat_map(|(group, scaled)| {
        group.rows.iter().zip(&scaled.rows).map(|(&row, scale)| (values.h[row] / scale).powi(2))
    });
    each.sum::<f64>().sqrt()
}

/// What counts as closed: rows of long mechanisms are rounded more coarsely.
fn tolerance(values: &Values) -> f64 {
    let entries = values.j.iter().flatten();
    CLOSED * entries.fold(1.0_f64, |most, (_, value)| most.max(value.abs()))
}

/// A step of all groups.
fn step(
    tree: &Tree,
    values: &Values,
    groups: &[Group],
    scaled: &[Scaled],
    damping: f64,
) -> Vec<f64> {
    let mut step = vec![0.0; tree.speeds()];
    for (group, scaled) in groups.iter().zip(scaled) {
        let right: Vec<f64> = group.rows.iter().map(|&row| -values.h[row]).collect();
        for (&column, x) in group.columns.iter().zip(scaled.solve(&right, damping)) {
            step[column] = x;
        }
    }
    let mut turns = 0.0_f64;
    for node in &tree.nodes {
        let angles = match node.motion {
            Motion::Ground | Motion::Prismatic { .. } => 0..0,
            Motion::Free => 3..6,
            motion => 0..motion.speeds(),
        };
        for at in angles {
            turns = turns.max(step[node.speed + at].abs());
        }
    }
    if turns > TURN {
        step.iter_mut().for_each(|x| *x *= TURN / turns);
    }
    step
}

/// Whether a cut is open although its rows vanish: by half a turn, or by a third of a turn about a diagonal.
fn is_wrong(tree: &Tree, q: &[f64]) -> bool {
    gaps(tree, q).iter().any(|gap| gap.distance > WRONG || gap.angle > WRONG)
}

fn gaps(tree: &Tree, q: &[f64]) -> Vec<closure::Gap> {
    if tree.mechanism.cuts.is_empty() {
        return Vec::new();
    }
    closure::gaps(&tree.mechanism, &pose::poses(&tree.mechanism, q))
}

/// Why there is no closed position, as far as can be told.
fn verdict(
    tree: &Tree,
    written: &Written,
    numbers: &mut Numbers<'_>,
    best: &Attempt,
    movable: &[bool],
) -> Problem {
    let names = |names: Vec<String>| names.join(", ");
    if !best.values.length().is_finite() {
        let bad = best.values.h.iter().zip(&written.open.rows).find(|(h, _)| !h.is_finite());
        let name = bad.map_or("", |(_, row)| row.name.as_str());
        return Problem::new(
            format!("constraint `{name}` has no number at the guess"),
            "external functions have no numbers here; other guesses may help with divisions by zero",
        );
    }
    let gaps = gaps(tree, &best.q);
    let open: Vec<String> = (tree.mechanism.cuts.iter().zip(&gaps))
        .filter(|(_, gap)| gap.distance > WRONG || gap.angle > WRONG)
        .take(6)
        .map(|(cut, gap)| format!("cut `{}` by {gap}", cut.name))
        .collect();
    if best.closed {
        return Problem::new(
            format!(
                "the loops close only with frames turned the wrong way: open stays {}",
                names(open)
            ),
            "give a guess in `[initial.q]` with frames that are turned less against each other",
        );
    }
    if let Some(problem) = redundancy::contradiction(tree, written, numbers, &best.q, movable) {
        return problem;
    }
    let residual = best.values.largest();
    let mut left = open;
    for (row, h) in written.open.rows.iter().zip(&best.values.h) {
        let other = !matches!(row.element, super::Element::Cut(_));
        if other && h.abs() > WRONG && left.len() < 6 {
            left.push(format!("constraint `{}` by {h:.3e}", row.name));
        }
    }
    let left = if left.is_empty() { "all a little".to_owned() } else { names(left) };
    let held = tree.mechanism.joints.iter().any(|joint| joint.nature != Nature::Free)
        || movable.iter().zip(self::movable(tree)).any(|(one, free)| *one != free);
    let help = if held {
        "what is driven, locked or kept may be out of reach of the rest: let more move, check lengths and frames"
    } else {
        "the parts may be too short to meet: check lengths and frames, or give a nearer guess in `[initial.q]`"
    };
    Problem::new(
        format!("the loops cannot be closed: open stays {left} (largest residual {residual:.3e})"),
        help,
    )
}

/// Speeds that fulfil the constraints: independent ones stay.
fn speeds(
    tree: &Tree,
    written: &Written,
    values: &Values,
    qd: &[f64],
    movable: &[bool],
) -> Result<Vec<f64>, Problem> {
    let rows = rows_of(&written.open, false);
    let mut qd = qd.to_vec();
    // First with dependent speeds alone, then with all that may change; kept ones change at last.
    let spare = redundancy::repeats(&written.open, values, &self::movable(tree));
    let mut kept = vec![true; rows.len()];
    spare.iter().for_each(|one| kept[one.row] = false);
    let sound: Vec<usize> = rows.iter().copied().filter(|&row| kept[row]).collect();
    let mut question = question(tree, &written.open, values, &sound);
    for (wish, &movable) in question.shape.wishes.iter_mut().zip(movable) {
        if !movable {
            *wish = Some(false);
        }
    }
    let mut choices = Vec::new();
    if let Ok(found) = choose(&question) {
        let mut dependent = vec![false; tree.speeds()];
        found.speeds.dependent().for_each(|column| dependent[column] = true);
        choices.push(dependent);
    }
    choices.extend([movable.to_vec(), self::movable(tree)]);
    let small = |rest: &[f64], qd: &[f64]| {
        let size = qd.iter().chain(&values.e).fold(1.0_f64, |most, x| most.max(x.abs()));
        rest.iter().all(|x| x.abs() <= 1e-9 * size)
    };
    for choice in choices {
        // Twice, because the second time removes what rounding left.
        let mut next = qd.clone();
        for _ in 0..2 {
            let rest = values.velocities(&next);
            for group in groups(values, &rows, &choice) {
                let right: Vec<f64> = group.rows.iter().map(|&row| -rest[row]).collect();
                let change = Scaled::of(values, &group).solve(&right, 0.0);
                group.columns.iter().zip(change).for_each(|(&column, x)| next[column] += x);
            }
        }
        if small(&values.velocities(&next), &next) {
            qd = next;
            break;
        }
    }
    let rest = values.velocities(&qd);
    if !small(&rest, &qd) {
        let most = (0..rest.len()).max_by(|&a, &b| rest[a].abs().total_cmp(&rest[b].abs()));
        let name = most.map_or("", |row| written.open.rows[row].name.as_str());
        return Err(Problem::new(
            format!("no speeds fulfil constraint `{name}` in this position"),
            "driven joints may move against each other, or the position may be singular",
        ));
    }
    Ok(qd)
}

/// Numbers between -1 and 1, always the same.
pub(super) struct Random(pub u64);

impl Random {
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((bits ^ (bits >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}
