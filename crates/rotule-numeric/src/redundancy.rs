//! Rows that repeat others, told apart from configurations in which rows merely meet.
//!
//! Rank is looked at in the closed position and in others near it, reached along what the
//! constraints leave free and closed again:
//!
//! - *redundant*: the row is a combination of others everywhere. It can be set aside, unless a
//!   driven joint would have to agree with it by chance; then the mechanism is over-constrained;
//! - *singular configuration*: rows depend on each other in the given position alone;
//! - *structurally singular*: no column is left for a row, whatever the numbers;
//!   [`crate::partition`] finds these.
//!
//! Rows that share no column are looked at apart. Of a row of coordinates and one of speeds that
//! say the same, the latter repeats the former.

use crate::assembly::{attempt, closed, movable};
use crate::coordinate_partition::{PartitionProblem, choose};
use crate::groups::{RowGroup, ScaledGroup, groups};
use crate::initial_values::Start;
use crate::partition::{JacobianShape, Singularity};
use crate::row_values::{RowEvaluator, RowProgram, RowValues, moved};
use crate::scaling::alike;
use rotule_formalism::MultibodySystem;
use rotule_formalism::Problem;
use rotule_formalism::constraint::partition::Partition;
use rotule_formalism::constraint::{Constraints, Row};
use rotule_model::draft::PartitionRole;
use rotule_model::draft::Redundant;
use rotule_model::index::{BySpeed, SpeedId, SpeedSet, ids};
use rotule_model::mechanism::{Role, Speed};
use rotule_symbolic::Expr;
use rotule_symbolic::random::SplitMix64;

/// Positions near the given one that are looked at.
const PROBES: usize = 4;
/// Coefficients below this part of the largest are not worth a name.
const NAMED: f64 = 0.1;
/// Combinations of rows that are below this count as zero.
const SMALL: f64 = 1e-6;

/// A row that is a combination of others.
#[derive(Clone, Debug, PartialEq)]
pub struct RedundantRow {
    /// The row.
    pub row: usize,
    /// The others that have a part in it, with their factors, largest first.
    pub of: Vec<(usize, f64)>,
    /// All factors of the combination that vanishes, its own included.
    combination: Vec<(usize, f64)>,
}

/// The numerical analysis of a tree's constraints.
#[derive(Clone, Debug)]
pub struct Analysis {
    /// Names of all rows.
    pub names: Vec<String>,
    /// Names of the coordinates that belong to the columns.
    pub columns: Vec<String>,
    /// Why a column cannot be dependent, where that is so.
    pub(crate) known: Vec<Option<&'static str>>,
    /// Names of rows that say nothing.
    pub dropped: Vec<String>,
    /// The closed position that was looked at.
    pub q: Vec<f64>,
    /// Steps from the initial state to it.
    pub steps: usize,
    /// Speeds of free joints.
    pub movable: usize,
    /// The rank of the rows over these, in general positions.
    pub rank: usize,
    /// Rows that repeat others everywhere.
    pub repeats: Vec<RedundantRow>,
    /// Rows that depend on others in this position alone.
    pub singular: Vec<usize>,
    /// `J` in this position without the rows that repeat others, and which rows these are.
    pub shape: JacobianShape,
    /// The rows of `shape`.
    pub kept: Vec<usize>,
    /// The partition of speeds that these allow; rows are those of `shape`.
    pub partition: Result<Partition, Singularity>,
    /// The partition of coordinates, of the rows that have a residual.
    pub coordinates: Option<Partition>,
    /// The numbers of all rows in this position.
    pub(crate) values: RowValues,
    /// `true` if the user refuses rows that repeat others.
    pub(crate) refuses: bool,
}

/// Looks at the constraints of a tree in its initial position, closed.
pub fn analyse(tree: &MultibodySystem) -> Result<Analysis, Problem> {
    let written = RowProgram::of(tree)?;
    let start = Start::initial(tree);
    let numbers = &mut written.ready(start.t)?;
    let movable = movable(tree);
    let rows = rows_of(&written.open, false);
    let (found, _) = closed(tree, &written, numbers, &start, &movable)?;
    let here = repeats(&written.open, &found.values, &movable);
    // A position of the largest rank stands for all general ones.
    let (mut general, mut values) = (here.clone(), found.values.clone());
    if !here.is_empty() {
        let mut random = SplitMix64(7);
        for probe in 1..=PROBES {
            let size = 0.04 * probe as f64;
            let step =
                free_step(&found.values, &rows, &movable, (tree.speeds(), size), &mut random);
            let near = moved(tree, &found.q, &step);
            let near = attempt(tree, &written, numbers, &near, &movable, &BySpeed::new())?;
            if !near.closed {
                continue;
            }
            let there = repeats(&written.open, &near.values, &movable);
            if there.len() < general.len() {
                (general, values) = (there, near.values);
            }
        }
    }
    if let Some(problem) = over_constrained(tree, &written.open, &values, &general) {
        return Err(problem);
    }
    let mut spare = vec![false; rows.len()];
    general.iter().for_each(|one| spare[one.row] = true);
    let singular: Vec<usize> = if here.len() > general.len() {
        here.iter().map(|one| one.row).filter(|&row| !spare[row]).collect()
    } else {
        Vec::new()
    };
    let kept: Vec<usize> = rows.iter().copied().filter(|&row| !spare[row]).collect();
    let question = question(tree, &written.open, &found.values, &kept);
    let choice = choose(&question);
    let column = |speed: &Speed| speed.name.replacen(".d", "", 1);
    Ok(Analysis {
        names: written.open.rows.iter().map(|row| row.name.clone()).collect(),
        columns: tree.mechanism.speeds.iter().map(column).collect(),
        known: known(tree),
        dropped: written.open.dropped,
        q: found.q,
        steps: found.steps,
        movable: movable.len(),
        rank: rows.len() - general.len(),
        repeats: general,
        singular,
        coordinates: choice.as_ref().ok().map(|choice| choice.coordinates.clone()),
        partition: choice.map(|choice| choice.speeds),
        shape: question.shape,
        kept,
        values: found.values,
        refuses: tree.mechanism.redundant == Redundant::Refuse,
    })
}

/// The rows that are solved for positions, or all.
pub(crate) fn rows_of(open: &Constraints, positions: bool) -> Vec<usize> {
    let needed = |row: &Row| !positions || row.residual.is_some();
    (0..open.rows.len()).filter(|&row| needed(&open.rows[row])).collect()
}

/// Why speeds cannot follow: their joints' motions are known.
fn known(tree: &MultibodySystem) -> Vec<Option<&'static str>> {
    let mut known = vec![None; tree.speeds()];
    for joint in &tree.mechanism.joints {
        match joint.role {
            Role::Free => {}
            Role::Locked => known[joint.speeds.clone()].fill(Some("is locked")),
            Role::Driven { .. } => known[joint.speeds.clone()].fill(Some("is driven")),
        }
    }
    known
}

/// Pattern and numbers of some rows, with what cannot or should not be dependent.
pub(crate) fn question(
    tree: &MultibodySystem,
    open: &Constraints,
    values: &RowValues,
    rows: &[usize],
) -> PartitionProblem {
    let mut numbers: Vec<Vec<(usize, f64)>> =
        rows.iter().map(|&row| plain(&values.j[row])).collect();
    alike(tree, &mut numbers);
    let places = rows.iter().map(|&row| open.rows[row].residual.is_some()).collect();
    let mut question = bound(tree, numbers, places);
    for joint in &tree.mechanism.joints {
        let request = joint.partition.map(|role| role == PartitionRole::Dependent);
        question.shape.requests[joint.speeds.clone()].fill(request);
    }
    if let Some(requested) = &tree.mechanism.independent {
        question.only(requested);
    }
    question
}

/// A row with plain numbers of columns.
pub(crate) fn plain(row: &[(SpeedId, f64)]) -> Vec<(usize, f64)> {
    row.iter().map(|&(speed, value)| (speed.index(), value)).collect()
}

/// Rows with their numbers, those that relate coordinates being marked, and the columns that are
/// known or tied together.
pub(crate) fn bound(
    tree: &MultibodySystem,
    rows: Vec<Vec<(usize, f64)>>,
    places: Vec<bool>,
) -> PartitionProblem {
    let mut joined = vec![false; tree.speeds()];
    let mut ties = vec![None; tree.speeds()];
    for (number, node) in tree.tree.nodes.iter().enumerate() {
        // Coordinates of a quaternion are found together.
        if node.quaternion().is_some() {
            joined[node.speeds()].fill(true);
            ties[node.speeds()].fill(Some(number));
        }
    }
    let free = movable(tree);
    let shape = JacobianShape {
        rows,
        columns: tree.speeds(),
        excluded: ids(0..tree.speeds()).map(|speed| !free.contains(speed)).collect(),
        requests: vec![None; tree.speeds()],
        ties,
    };
    PartitionProblem { shape, places, joined }
}

/// The rows that repeat others at a configuration; of those that could be named, later ones, and of
/// speeds rather than of coordinates.
pub(crate) fn repeats(
    open: &Constraints,
    values: &RowValues,
    movable: &SpeedSet,
) -> Vec<RedundantRow> {
    let places = rows_of(open, true);
    let mut found = repeats_among(values, &places, movable, &|_| true);
    if places.len() < open.rows.len() {
        let mut spare = vec![false; open.rows.len()];
        found.iter().for_each(|one| spare[one.row] = true);
        let rows: Vec<usize> = (0..open.rows.len()).filter(|&row| !spare[row]).collect();
        let of_speeds = |row: usize| open.rows[row].residual.is_none();
        found.extend(repeats_among(values, &rows, movable, &of_speeds));
        found.sort_by_key(|one| one.row);
    }
    found
}

/// The rows among some that repeat others, if they may.
fn repeats_among(
    values: &RowValues,
    rows: &[usize],
    movable: &SpeedSet,
    may: &dyn Fn(usize) -> bool,
) -> Vec<RedundantRow> {
    let mut found = Vec::new();
    for group in groups(values, rows, movable) {
        let scaled = ScaledGroup::of(values, &group);
        found.extend(named(scaled.vanishing(), &group, &scaled, may));
    }
    found.sort_by_key(|one| one.row);
    found
}

/// Combinations that vanish, each with a row of its own that no other has.
fn named(
    mut none: Vec<Vec<f64>>,
    group: &RowGroup,
    scaled: &ScaledGroup,
    may: &dyn Fn(usize) -> bool,
) -> Vec<RedundantRow> {
    let mut own = Vec::new();
    for at in 0..none.len() {
        // The last row that stands out, so that what was written first is kept.
        let size = |row: usize| none[at..].iter().fold(0.0_f64, |most, c| most.max(c[row].abs()));
        let free: Vec<usize> = (0..group.rows.len())
            .filter(|row| !own.contains(row) && may(group.rows[*row]))
            .collect();
        let most = free.iter().fold(0.0_f64, |most, &row| most.max(size(row)));
        let Some(&row) = free.iter().rev().find(|&&row| size(row) >= 0.5 * most) else { break };
        let best =
            (at..none.len()).max_by(|&a, &b| none[a][row].abs().total_cmp(&none[b][row].abs()));
        none.swap(at, best.unwrap_or(at));
        let pivot = none[at][row];
        none[at].iter_mut().for_each(|c| *c /= pivot);
        let line = none[at].clone();
        for (other, combination) in none.iter_mut().enumerate() {
            if other != at {
                let factor = combination[row];
                combination.iter_mut().zip(&line).for_each(|(c, l)| *c -= factor * l);
            }
        }
        own.push(row);
    }
    let repeat = |(&row, combination): (&usize, &Vec<f64>)| {
        let others = (0..group.rows.len()).filter(|&at| at != row);
        let most = others.clone().fold(0.0_f64, |most, at| most.max(combination[at].abs()));
        let mut of: Vec<(usize, f64)> = others
            .filter(|&at| most > SMALL && combination[at].abs() >= NAMED * most)
            .map(|at| (group.rows[at], -combination[at]))
            .collect();
        of.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
        let unscaled = combination.iter().zip(&scaled.rows).map(|(c, scale)| c / scale);
        let combination = group.rows.iter().copied().zip(unscaled).collect();
        RedundantRow { row: group.rows[row], of, combination }
    };
    own.iter().zip(&none).map(repeat).collect()
}

/// A random step along what the rows leave free, its largest part of the given size.
pub(crate) fn free_step(
    values: &RowValues,
    rows: &[usize],
    movable: &SpeedSet,
    (speeds, size): (usize, f64),
    random: &mut SplitMix64,
) -> Vec<f64> {
    let mut step: BySpeed<f64> = BySpeed::filled(0.0, speeds);
    movable.iter().for_each(|speed| step[speed] = random.signed());
    for group in groups(values, rows, movable) {
        let scaled = ScaledGroup::of(values, &group);
        let own = group.columns.iter().zip(&scaled.columns);
        let along: Vec<f64> = own.clone().map(|(&column, scale)| step[column] * scale).collect();
        let along = scaled.beyond(&along);
        own.zip(along).for_each(|((&column, scale), x)| step[column] = x / scale);
    }
    let most = step.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if most > 1e-9 {
        step.iter_mut().for_each(|x| *x *= size / most);
    }
    step.into_vec()
}

/// A row that repeats others is no harm only if driven joints may move as they like.
fn over_constrained(
    tree: &MultibodySystem,
    open: &Constraints,
    values: &RowValues,
    repeats: &[RedundantRow],
) -> Option<Problem> {
    let mechanism = &tree.mechanism;
    for repeat in repeats {
        let size = repeat.combination.iter().fold(0.0_f64, |most, &(row, c)| {
            values.j[row].iter().fold(most, |most, (_, value)| most.max((c * value).abs()))
        });
        let mut sums = vec![0.0; tree.speeds()];
        let mut time = 0.0;
        for &(row, c) in &repeat.combination {
            let entries = values.j[row].iter();
            entries.for_each(|&(speed, value)| sums[speed.index()] += c * value);
            time += c * values.e[row];
        }
        let drives = mechanism.joints.iter().filter(|joint| {
            let qd = tree.motion.qd.as_slice();
            let moves = |at: usize| qd[at] != Expr::ZERO && sums[at].abs() > SMALL * size;
            joint.role != Role::Free && joint.speeds.clone().any(moves)
        });
        let drives: Vec<String> = drives.map(|joint| format!("`{}`", joint.name)).collect();
        if drives.is_empty() && time.abs() <= SMALL * size.max(1.0) {
            continue;
        }
        let rows = std::iter::once(repeat.row).chain(repeat.of.iter().map(|one| one.0));
        let rows: Vec<String> =
            rows.take(5).map(|row| format!("`{}`", open.rows[row].name)).collect();
        let what = match drives.len() {
            0 => "what depends on time".to_owned(),
            1 => format!("the motion of {}", drives[0]),
            _ => format!("the motions of {}", drives.join(", ")),
        };
        return Some(Problem::new(
            format!(
                "the mechanism is over-constrained: {what} must agree with {}, and no free coordinate can satisfy it",
                rows.join(", ")
            ),
            "drive fewer joints, or leave one of these constraints out",
        ));
    }
    None
}

/// Rows that repeat others wherever one looks and yet ask for something else: the same combination
/// of residuals has the same value everywhere, and it is not zero.
pub(crate) fn contradiction(
    tree: &MultibodySystem,
    written: &RowProgram,
    numbers: &mut RowEvaluator<'_>,
    q: &[f64],
    movable: &SpeedSet,
) -> Option<Problem> {
    let still = vec![0.0; tree.speeds()];
    let rows = rows_of(&written.open, true);
    let mut random = SplitMix64(11);
    // Row, its combination with a factor of one for itself, and the combination's value.
    let mut known: Vec<(RedundantRow, f64)> = Vec::new();
    for look in 0..3 {
        let mut step = still.clone();
        movable.iter().for_each(|speed| step[speed.index()] = 0.1 * random.signed());
        let values = numbers.at(&moved(tree, q, &step), &still).ok()?;
        let mut found = repeats_among(&values, &rows, movable, &|_| true);
        for repeat in &mut found {
            let own = repeat.combination.iter().find(|one| one.0 == repeat.row);
            let own = own.map_or(1.0, |one| one.1);
            repeat.combination.iter_mut().for_each(|one| one.1 /= own);
        }
        let valued = found.into_iter().map(|repeat| {
            let parts = repeat.combination.iter().map(|&(row, c)| c * values.h[row]);
            let sum = parts.sum::<f64>();
            (repeat, sum)
        });
        let same = |one: &(RedundantRow, f64), other: &(RedundantRow, f64)| {
            let pairs = one.0.combination.iter().zip(&other.0.combination);
            one.0.row == other.0.row
                && (one.1 - other.1).abs() <= SMALL * one.1.abs()
                && pairs.clone().all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() <= SMALL)
        };
        let valued: Vec<(RedundantRow, f64)> = valued.filter(|one| one.1.abs() > SMALL).collect();
        if look == 0 {
            known = valued;
        } else {
            known.retain(|one| valued.iter().any(|other| same(one, other)));
        }
    }
    let (against, _) = known.first()?;
    let mut found: Vec<usize> = against.of.iter().map(|one| one.0).collect();
    found.push(against.row);
    found.sort_unstable();
    let names: Vec<String> =
        found.iter().map(|&row| format!("`{}`", written.open.rows[row].name)).collect();
    let (message, help) = match names.as_slice() {
        [one] => (
            format!("constraint {one} is not satisfied, and no free coordinate changes it"),
            "unlock a joint that it depends on, or remove the constraint",
        ),
        several => (
            format!("constraints {} contradict each other", several.join(", ")),
            "they require different values of the same quantity: correct or remove one",
        ),
    };
    Some(Problem::new(message, help))
}
