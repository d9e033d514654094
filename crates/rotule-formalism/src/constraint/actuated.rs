//! Inverse dynamics where drives stand anywhere: as many as degrees of freedom, more, or fewer
//! (Postiau, section 2.5.1).
//!
//! ```text
//! Psi = S' (Phi - Q)                what independent joints must deliver together
//! Psi = G Q_a                       G: the rows of S of actuated joints, transposed
//! ```
//!
//! What structure decides, no norm has to. Rows and drives are matched; drives that are left over,
//! and all that rows tie to them, share the work: of these `sum w Q^2` is the least, `Q = W^-1 G'
//! (G W^-1 G')^-1 Psi`, apart for each part that has nothing to do with the others. The rest is
//! square, and is solved block by block before. Where drives are too few, some rows have none:
//! their part of `Psi`, less what the drives do there, is missing, and only motions without it are
//! possible. Joints with a given motion deliver what is left at them.
//!
//! Rank is that of numbers in the closed initial position and near it, which are given with the
//! partition: as many drives as degrees of freedom may still be too few, if two of them do the
//! same.

#![allow(non_snake_case)] // symbols as in the formulas

use super::blocks::{blocks, matching};
use super::lu::Lu;
use crate::forward::ldl::LdlFactor;
use crate::problem::Problem;
use crate::system::MotionInput;
use crate::writer::Writer;
use rotule_model::index::{SpeedId, SpeedSet};
use rotule_model::mechanism::Mechanism;
use rotule_symbolic::{Expr, Scalar, sum};

/// Entries below this part of the largest count as zero.
const ZERO: f64 = 1e-9;

/// `G` of a model: rows are independent speeds, columns are drives.
pub(super) struct DriveMap<'g> {
    /// The independent speeds.
    pub rows: Vec<usize>,
    /// The speeds that drives act along.
    pub drives: Vec<usize>,
    /// The weight of the square of each drive's effort.
    pub weights: Vec<Scalar<'g>>,
    /// By rows.
    pub entries: Vec<Vec<Scalar<'g>>>,
}

/// The distribution of the required efforts among the drives.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ActuationReport {
    /// Free independent speeds: as many as degrees of freedom.
    pub free: Vec<usize>,
    /// The speeds that drives act along.
    pub drives: Vec<usize>,
    /// Drives whose effort follows from the motion alone.
    pub determined: Vec<usize>,
    /// Drives that share work.
    pub shared: Vec<usize>,
    /// Free speeds at which nothing delivers what a motion needs.
    pub missing: Vec<usize>,
}

/// The drives of a model: speed and weight. Of a model that names none, the free independent joints
/// have them.
pub fn drives(
    mechanism: &Mechanism,
    motion: &MotionInput,
    independent: &[usize],
) -> Vec<(usize, Expr)> {
    let joints = &mechanism.joints;
    if joints.iter().all(|joint| joint.actuation.is_none()) {
        let free = independent.iter().filter(|&&at| motion.is_free(mechanism, SpeedId::new(at)));
        return free.map(|&at| (at, Expr::ONE)).collect();
    }
    let own = joints.iter().flat_map(|joint| {
        let weight = joint.actuation;
        joint.speeds.clone().filter_map(move |at| Some((at, weight?)))
    });
    own.filter(|&(at, _)| motion.is_free(mechanism, SpeedId::new(at))).collect()
}

/// The efforts of drives and of joints with a given motion, what is missing, and who delivers what.
/// `Psi` has an entry for each row of the map.
#[allow(clippy::type_complexity, reason = "three results of one step")]
pub(super) fn shared<'g>(
    writer: Writer<'_, 'g>,
    map: &DriveMap<'g>,
    Psi: &[Scalar<'g>],
) -> Result<(Vec<Scalar<'g>>, Vec<Scalar<'g>>, ActuationReport), Problem> {
    let numbers = numbers(writer, map)?;
    let free = writer.free_speeds();
    let (rows, missing) = ranked(&free, &map.rows, &map.drives, &numbers);
    let mut Q: Vec<Scalar<'g>> = vec![Scalar::ZERO; map.drives.len()];
    let plan = Plan::of(map, &rows);
    for block in &plan.square {
        solve_square(map, block, &numbers, Psi, &mut Q);
    }
    for part in &plan.wide {
        solve_wide(map, part, Psi, &mut Q)?;
    }
    let mut efforts = vec![Scalar::ZERO; writer.speeds()];
    let mut lacking = efforts.clone();
    for (&at, &value) in map.drives.iter().zip(&Q) {
        efforts[at] = value;
    }
    for (row, &speed) in map.rows.iter().enumerate() {
        if rows.contains(&row) {
            continue;
        }
        let rest = rest(map, row, Psi, &Q, &|_| true);
        match missing.contains(&row) {
            true => lacking[speed] = rest,
            false => efforts[speed] = rest,
        }
    }
    let speeds = |list: &[usize]| list.iter().map(|&drive| map.drives[drive]).collect::<Vec<_>>();
    let mut report = ActuationReport {
        free: map.rows.iter().copied().filter(|&at| writer.is_free(at)).collect(),
        drives: map.drives.clone(),
        determined: plan.square.iter().flat_map(|block| speeds(&block.1)).collect(),
        shared: plan.wide.iter().flat_map(|part| speeds(&part.1)).collect(),
        missing: missing.iter().map(|&row| map.rows[row]).collect(),
    };
    report.determined.sort_unstable();
    report.shared.sort_unstable();
    Ok((efforts, lacking, report))
}

/// `Psi` of a row less what drives do there, of those that count.
fn rest<'g>(
    map: &DriveMap<'g>,
    row: usize,
    Psi: &[Scalar<'g>],
    Q: &[Scalar<'g>],
    counts: &dyn Fn(usize) -> bool,
) -> Scalar<'g> {
    let drives = map.entries[row].iter().zip(Q).enumerate();
    let delivered = drives.filter(|&(drive, _)| counts(drive)).map(|(_, (&g, &Q))| -(g * Q));
    sum([Psi[row]].into_iter().chain(delivered))
}

/// Parts of the equations, in the order in which they are solved: rows with drives.
struct Plan {
    square: Vec<(Vec<usize>, Vec<usize>)>,
    wide: Vec<(Vec<usize>, Vec<usize>)>,
}

impl Plan {
    /// From drives that are not matched, through rows that have them, one reaches all that share
    /// work.
    fn of(map: &DriveMap<'_>, rows: &[usize]) -> Plan {
        let drives = map.drives.len();
        let has = |row: usize, drive: usize| !map.entries[row][drive].is_zero();
        let pattern: Vec<Vec<usize>> = (rows.iter())
            .map(|&row| (0..drives).filter(|&drive| has(row, drive)).collect())
            .collect();
        let matched = matching(&pattern, drives);
        let mut wide_drive = vec![true; drives];
        matched.iter().flatten().for_each(|&drive| wide_drive[drive] = false);
        // A drive that moves nothing has no part in anything.
        let useful = |drive: usize| pattern.iter().any(|row| row.contains(&drive));
        let mut queue: Vec<usize> =
            (0..drives).filter(|&drive| wide_drive[drive] && useful(drive)).collect();
        (0..drives).for_each(|drive| wide_drive[drive] &= useful(drive));
        let mut wide_row = vec![false; rows.len()];
        while let Some(drive) = queue.pop() {
            for at in (0..rows.len()).filter(|&at| pattern[at].contains(&drive)) {
                if !std::mem::replace(&mut wide_row[at], true)
                    && let Some(next) = matched[at]
                {
                    wide_drive[next] = true;
                    queue.push(next);
                }
            }
        }
        // The square part has no entries in drives that share work.
        let square_rows: Vec<usize> = (0..rows.len()).filter(|&at| !wide_row[at]).collect();
        let square_drives: Vec<usize> = square_rows.iter().filter_map(|&at| matched[at]).collect();
        let inner: Vec<Vec<usize>> = square_rows
            .iter()
            .map(|&at| {
                let place = |drive: &usize| square_drives.iter().position(|one| one == drive);
                pattern[at].iter().filter_map(place).collect()
            })
            .collect();
        let found = blocks(&inner, square_drives.len()).unwrap_or_default();
        let square = found.into_iter().map(|block| {
            let own = block.rows.iter().map(|&at| rows[square_rows[at]]).collect();
            (own, block.columns.iter().map(|&at| square_drives[at]).collect())
        });
        let wide: Vec<usize> = (0..rows.len()).filter(|&at| wide_row[at]).collect();
        Plan { square: square.collect(), wide: parts(&wide, rows, &pattern, &wide_drive) }
    }
}

/// Rows that share drives, together; with these drives.
fn parts(
    wide: &[usize],
    rows: &[usize],
    pattern: &[Vec<usize>],
    wide_drive: &[bool],
) -> Vec<(Vec<usize>, Vec<usize>)> {
    let mut left: Vec<usize> = wide.to_vec();
    let mut found = Vec::new();
    while !left.is_empty() {
        let mut own = vec![left.remove(0)];
        let mut drives: Vec<usize> = Vec::new();
        let mut next = 0;
        while next < own.len() {
            for &drive in pattern[own[next]].iter().filter(|&&drive| wide_drive[drive]) {
                if !drives.contains(&drive) {
                    drives.push(drive);
                    own.extend(left.extract_if(.., |at| pattern[*at].contains(&drive)));
                }
            }
            next += 1;
        }
        drives.sort_unstable();
        found.push((own.iter().map(|&at| rows[at]).collect(), drives));
    }
    found
}

/// As many rows as drives: a factor, with the order of the largest pivots.
fn solve_square<'g>(
    map: &DriveMap<'g>,
    (rows, drives): &(Vec<usize>, Vec<usize>),
    numbers: &[Vec<f64>],
    Psi: &[Scalar<'g>],
    Q: &mut [Scalar<'g>],
) {
    let own: Vec<Vec<f64>> =
        rows.iter().map(|&row| drives.iter().map(|&drive| numbers[row][drive]).collect()).collect();
    let order = pivots(own);
    let rows: Vec<usize> = order.iter().map(|pivot| rows[pivot.0]).collect();
    let drives: Vec<usize> = order.iter().map(|pivot| drives[pivot.1]).collect();
    let line = |&row: &usize| drives.iter().map(|&drive| map.entries[row][drive]).collect();
    let G: Vec<Vec<Scalar<'g>>> = rows.iter().map(line).collect();
    let others = |drive: usize| !drives.contains(&drive);
    let right: Vec<Scalar<'g>> = rows.iter().map(|&row| rest(map, row, Psi, Q, &others)).collect();
    let found = Lu::of(G, "Gd").solve(&right, "Qa");
    drives.iter().zip(found).for_each(|(&drive, value)| Q[drive] = value);
}

/// More drives than rows: the least sum of weighted squares.
fn solve_wide<'g>(
    map: &DriveMap<'g>,
    (rows, drives): &(Vec<usize>, Vec<usize>),
    Psi: &[Scalar<'g>],
    Q: &mut [Scalar<'g>],
) -> Result<(), Problem> {
    let G = |row: usize, drive: usize| map.entries[row][drive];
    // G W^-1
    let weighted = |&row: &usize| {
        drives.iter().map(|&drive| G(row, drive) / map.weights[drive]).collect::<Vec<_>>()
    };
    let GW: Vec<Vec<Scalar<'g>>> = rows.iter().map(weighted).collect();
    let mut entries = Vec::new();
    for one in 0..rows.len() {
        for (two, &other) in rows[..=one].iter().enumerate() {
            let own = drives.iter().zip(&GW[one]);
            entries.push((one, two, sum(own.map(|(&drive, &value)| value * G(other, drive)))));
        }
    }
    let others = |drive: usize| !drives.contains(&drive);
    let right: Vec<Scalar<'g>> = rows.iter().map(|&row| rest(map, row, Psi, Q, &others)).collect();
    let factor = LdlFactor::of(&entries, rows.len(), "GG").map_err(|_| {
        Problem::new(
            "`closed_inverse`: the efforts of redundant drives are linearly dependent",
            "actuate other joints",
        )
    })?;
    let x = factor.solve(&right, "Qx");
    for (at, &drive) in drives.iter().enumerate() {
        Q[drive] = sum(GW.iter().zip(&x).map(|(row, &x)| row[at] * x));
    }
    Ok(())
}

/// Rows that drives can serve, all together, and free ones that they cannot. A drive at an
/// independent joint serves that one; the others serve where they do most.
pub fn ranked(
    free: &SpeedSet,
    independent: &[usize],
    drives: &[usize],
    numbers: &[Vec<f64>],
) -> (Vec<usize>, Vec<usize>) {
    let free = (0..independent.len()).filter(|&row| free.contains(SpeedId::new(independent[row])));
    let served = |row: &usize| drives.contains(&independent[*row]);
    let (mut rows, open): (Vec<usize>, Vec<usize>) = free.partition(served);
    let others: Vec<Vec<f64>> = open.iter().map(|&row| numbers[row].clone()).collect();
    let found = pivots(others);
    rows.extend(found.iter().map(|pivot| open[pivot.0]));
    rows.sort_unstable();
    let missing = open.into_iter().filter(|row| !rows.contains(row)).collect();
    (rows, missing)
}

/// The numbers of the map: its own if it is constant, or those that are given.
fn numbers(writer: Writer<'_, '_>, map: &DriveMap<'_>) -> Result<Vec<Vec<f64>>, Problem> {
    let mut entries = map.entries.iter().flatten();
    if entries.all(|entry| entry.is_zero() || *entry == Scalar::ONE) {
        let number = |entry: &Scalar<'_>| if entry.is_zero() { 0.0 } else { 1.0 };
        return Ok(map.entries.iter().map(|row| row.iter().map(number).collect()).collect());
    }
    writer.strategy.drive_map.clone().ok_or_else(|| {
        Problem::new(
            "`closed_inverse` shares work among drives and is given no numbers of their map",
            "choose a partition for the function by `rotule_numeric::partitioned`",
        )
    })
}

/// Elimination with the largest pivot of all that is left: row and column of each.
fn pivots(mut rest: Vec<Vec<f64>>) -> Vec<(usize, usize)> {
    let columns = rest.first().map_or(0, Vec::len);
    let (mut rows, mut others): (Vec<usize>, Vec<usize>) =
        ((0..rest.len()).collect(), (0..columns).collect());
    let (mut found, mut largest) = (Vec::new(), 0.0_f64);
    loop {
        let mut best = (0, 0, 0.0_f64);
        for &row in &rows {
            for &column in &others {
                // The first of equals, so that the choice is the same everywhere.
                if rest[row][column].abs() > best.2 * (1.0 + 1e-9) {
                    best = (row, column, rest[row][column].abs());
                }
            }
        }
        let (row, column, size) = best;
        largest = largest.max(size);
        if size <= ZERO * largest {
            return found;
        }
        rows.retain(|&other| other != row);
        others.retain(|&other| other != column);
        let line = rest[row].clone();
        for &other in &rows {
            let factor = rest[other][column] / line[column];
            rest[other].iter_mut().zip(&line).for_each(|(x, y)| *x -= factor * y);
        }
        found.push((row, column));
    }
}
