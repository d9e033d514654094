//! A campaign of random closed mechanisms: each singular position against the rank of differences
//! of the loops' gaps by plain kinematics; and for one degree of freedom, each change of direction
//! of a drive along the motion against the poses that were found.
//!
//! Mechanisms are those whose loop closures alone constrain them: gears, the user's relations and
//! rolling wheels have no plain kinematics, and are left out beforehand.

use nalgebra::DMatrix;
use rotule_analysis::equations::is_length;
use rotule_analysis::quantity::{coordinate_name, single_coordinate};
use rotule_analysis::singular::{
    SingularKind, SingularPose, SingularPositions, SingularRequest, singular,
};
use rotule_formalism::MultibodySystem;
use rotule_model::closure;
use rotule_model::joint::Blocked;
use rotule_model::mechanism::{CutKind, Role};
use rotule_model::pose::{self, cross, dot, scale, sub};
use rotule_numeric::moved;
use rotule_numeric::state::StateNumbers;
use rotule_program::NoExternals;
use rotule_testing::campaign::closed::specimen::Specimen;
use std::collections::BTreeMap;
use std::fmt;

/// A fault made on purpose, to show that the campaign notices.
#[allow(dead_code)] // the example spoils nothing
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spoiled {
    /// Nothing.
    Nothing,
    /// Each pose is moved by a thousandth of a radian.
    Moved,
    /// All poses are left out.
    LeftOut,
}

/// The end of one mechanism.
enum Verdict {
    /// The numbers of poses and of changes of direction that agree.
    Agreed(usize, usize),
    Refused(String),
    Wrong(String),
}

/// Singular values below this part of the largest are zero by differences.
const ZERO: f64 = 1e-6;
/// The step of differences.
const STEP: f64 = 1e-3;

/// A mechanism in plain kinematics.
struct Plain<'t> {
    tree: &'t MultibodySystem,
    movable: Vec<usize>,
    size: f64,
    /// The largest singular value over all movable speeds at the start.
    largest: f64,
}

impl Plain<'_> {
    /// The gaps of all loops: numbers that vanish, some of them twice.
    fn gaps(&self, q: &[f64]) -> Vec<f64> {
        let mechanism = &self.tree.mechanism;
        let all = closure::numbers(mechanism, &pose::poses(mechanism, q));
        let mut gaps = Vec::new();
        for (cut, numbers) in mechanism.cuts.iter().zip(&all) {
            let [first, second] = &numbers.ends;
            let apart = scale(sub(first.position, second.position), 1.0 / self.size);
            let CutKind::Joint { kind, .. } = &cut.kind else {
                let length = numbers.length / self.size;
                gaps.push(dot(apart, apart) - length * length);
                continue;
            };
            let axes = &numbers.axes;
            for blocked in kind.blocked() {
                match blocked {
                    Blocked::Position => gaps.extend(apart),
                    Blocked::Across(axis) => {
                        let axis = first.turn(axes[axis]);
                        gaps.extend(sub(apart, scale(axis, dot(apart, axis))));
                    }
                    Blocked::Along(axis) => gaps.push(dot(apart, first.turn(axes[axis]))),
                    Blocked::Orientation => {
                        let (a, b) = (first.inverse(), second.inverse());
                        let turned = (0..3).map(|k| cross(a.rotation[k], b.rotation[k]));
                        let sum = turned.fold([0.0; 3], |sum, x| [0, 1, 2].map(|i| sum[i] + x[i]));
                        gaps.extend(sum);
                    }
                    Blocked::Tilt(axis) => {
                        gaps.extend(cross(first.turn(axes[axis]), second.turn(axes[axis])));
                    }
                    Blocked::Angle(a, b) => {
                        let angle = dot(first.turn(axes[a]), second.turn(axes[b]));
                        gaps.push(angle - dot(axes[a], axes[b]));
                    }
                    Blocked::Screw(_) => unreachable!("left out beforehand"),
                }
            }
        }
        gaps
    }

    /// The derivatives of the gaps by some speeds, by differences of order four.
    fn jacobian(&self, q: &[f64], columns: &[usize]) -> DMatrix<f64> {
        let rows = self.gaps(q).len();
        let mut matrix = DMatrix::zeros(rows, columns.len());
        for (column, &at) in columns.iter().enumerate() {
            let unit = if is_length(&self.tree.mechanism, at) { self.size } else { 1.0 };
            for (shift, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
                let mut step = vec![0.0; self.tree.speeds()];
                step[at] = shift * STEP * unit;
                let gaps = self.gaps(&moved(self.tree, q, &step));
                for (row, gap) in gaps.into_iter().enumerate() {
                    matrix[(row, column)] += weight * gap / (12.0 * STEP);
                }
            }
        }
        matrix
    }

    /// The rank of the gaps over some speeds.
    fn rank(&self, q: &[f64], columns: &[usize]) -> usize {
        let values = self.jacobian(q, columns).singular_values();
        values.iter().filter(|value| **value > ZERO * self.largest).count()
    }

    /// The direction of motion of one degree of freedom; none where there are several.
    fn direction(&self, q: &[f64]) -> Option<Vec<f64>> {
        let matrix = self.jacobian(q, &self.movable);
        let rows = matrix.nrows().max(matrix.ncols());
        let svd = matrix.resize_vertically(rows, 0.0).svd(false, true);
        let right = svd.v_t?;
        let zero = ZERO * self.largest;
        let mut zeros = (0..right.nrows()).filter(|&at| svd.singular_values[at] <= zero);
        let only = zeros.next()?;
        zeros.next().is_none().then(|| right.row(only).iter().copied().collect())
    }

    /// The distance of two poses, angles modulo whole turns.
    fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let mechanism = &self.tree.mechanism;
        let gap = |at: usize| {
            let place = single_coordinate(mechanism, at)?;
            let gap = a[place] - b[place];
            Some(match is_length(mechanism, at) {
                true => gap / self.size,
                false => gap - std::f64::consts::TAU * (gap / std::f64::consts::TAU).round(),
            })
        };
        (0..self.tree.speeds()).filter_map(gap).fold(0.0, |most, gap| most.max(gap.abs()))
    }
}

/// Returns `true` if plain kinematics tells all that constrains a mechanism.
fn is_plain(tree: &MultibodySystem) -> bool {
    let mechanism = &tree.mechanism;
    let plain = |kind: &CutKind| match kind {
        CutKind::Rod { .. } => true,
        CutKind::Joint { kind, .. } => {
            !kind.blocked().iter().any(|one| matches!(one, Blocked::Screw(_)))
        }
    };
    mechanism.couplings.is_empty()
        && mechanism.constraints.is_empty()
        && !mechanism.wheels.iter().any(|wheel| wheel.rolling)
        && mechanism.cuts.iter().all(|cut| plain(&cut.kind) && cut.ignore.is_empty())
        && mechanism.joints.iter().all(|joint| !matches!(joint.role, Role::Driven { .. }))
}

/// Judges a seed; nothing if its mechanism is left out.
fn judge(seed: u64, spoiled: Spoiled) -> Option<Verdict> {
    let specimen = Specimen::new(seed).ok()?;
    let tree = &specimen.tree;
    if !is_plain(tree) {
        return None;
    }
    let mut state = StateNumbers::initial(tree);
    state.q.clone_from(&specimen.start.q);
    let free = tree.mechanism.joints.iter().filter(|joint| joint.role == Role::Free);
    let movable: Vec<usize> = free.flat_map(|joint| joint.speeds.clone()).collect();
    let drive = coordinate_name(&tree.mechanism, movable[seed as usize / 7 % movable.len()]);
    let mut request = SingularRequest { starts: Some(6), ..SingularRequest::default() };
    request.drives = vec![drive];
    let mut found = match singular(tree, &state, &request, Box::new(NoExternals)) {
        Ok(found) => found,
        Err(why) => return Some(Verdict::Refused(why.message)),
    };
    match spoiled {
        Spoiled::Nothing => {}
        Spoiled::Moved => {
            let step = vec![1e-3; tree.speeds()];
            found.poses.iter_mut().for_each(|one| one.state.q = moved(tree, &one.state.q, &step));
        }
        Spoiled::LeftOut => found.poses.clear(),
    }
    let mut plain = Plain { tree, movable, size: found.size, largest: 1.0 };
    plain.largest = plain.jacobian(&state.q, &plain.movable).singular_values().max();
    Some(match compare(&plain, &found) {
        Ok((poses, turns)) => Verdict::Agreed(poses, turns),
        Err(why) => Verdict::Wrong(format!("{why} in family {}", specimen.family)),
    })
}

/// Compares what was found with plain kinematics: the numbers of poses and changes of direction.
fn compare(plain: &Plain<'_>, found: &SingularPositions) -> Result<(usize, usize), String> {
    let mechanism = &plain.tree.mechanism;
    let speeds = |names: &[String]| -> Vec<usize> {
        let all = 0..mechanism.speeds.len();
        all.filter(|&at| names.contains(&coordinate_name(mechanism, at))).collect()
    };
    let without = |names: &[String]| -> Vec<usize> {
        let known = speeds(names);
        plain.movable.iter().copied().filter(|at| !known.contains(at)).collect()
    };
    let columns = |matrix: usize| match found.examined[matrix].kinds[0] {
        SingularKind::Mechanism => plain.movable.clone(),
        SingularKind::Partition => without(&found.independent.names),
        _ => without(&found.drives.names),
    };
    let general = |q: &[f64]| plain.rank(q, &plain.movable);
    for pose in &found.poses {
        let expected = found.examined[pose.matrix].rank;
        let rank = plain.rank(&pose.state.q, &columns(pose.matrix));
        let open = plain.gaps(&pose.state.q).into_iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        if open > 1e-9 {
            return Err(format!("a loop is open by {open:e}"));
        }
        if rank >= expected {
            return Err(format!("a pose has rank {rank}, as general poses have"));
        }
    }
    let mut turns = 0;
    if found.searched != 1 {
        return Ok((found.poses.len(), turns));
    }
    let rank = plain.movable.len() - 1;
    for curve in &found.curves {
        let count = curve.points.len();
        if !curve.points.iter().step_by(40).any(|point| general(&point.q) == rank) {
            return Err("a motion has another rank by differences".to_owned());
        }
        let directions: Vec<Option<Vec<f64>>> =
            curve.points.iter().map(|point| plain.direction(&point.q)).collect();
        let pairs = if curve.closed { count } else { count - 1 };
        for here in 0..pairs {
            let next = (here + 1) % count;
            let (Some(a), Some(b)) = (&directions[here], &directions[next]) else { continue };
            let along: f64 = a.iter().zip(b).map(|(a, b)| a * b).sum();
            for (kind, names) in [
                (SingularKind::Partition, &found.independent.names),
                (SingularKind::Actuation, &found.drives.names),
            ] {
                let [speed] = speeds(names)[..] else { continue };
                let Some(at) = plain.movable.iter().position(|one| *one == speed) else { continue };
                let (from, to) = (a[at], b[at] * along.signum());
                if from * to >= 0.0 || from.abs() < 1e-8 || to.abs() < 1e-8 {
                    continue;
                }
                turns += 1;
                let near = |pose: &&SingularPose| {
                    let q = &pose.state.q;
                    let points = [&curve.points[here].q, &curve.points[next].q];
                    (pose.kinds.contains(&kind) || pose.kinds.contains(&SingularKind::Mechanism))
                        && points.iter().any(|point| plain.distance(point, q) < 0.07)
                };
                if !found.poses.iter().any(|pose| near(&pose)) {
                    return Err(format!("`{}` changes its direction at no pose", names[0]));
                }
            }
        }
    }
    Ok((found.poses.len(), turns))
}

/// The model file of a seed.
#[allow(dead_code)] // the example prints it
pub fn text(seed: u64) -> String {
    Specimen::new(seed).map_or_else(|why| why, |specimen| specimen.text)
}

/// The verdicts on many mechanisms.
#[derive(Default)]
pub struct Tally {
    /// Mechanisms that agreed, were refused, and are wrong.
    pub counts: [usize; 3],
    poses: usize,
    turns: usize,
    reasons: BTreeMap<String, Vec<u64>>,
}

impl Tally {
    /// Judges seeds.
    pub fn of(seeds: impl Iterator<Item = u64>, spoiled: Spoiled) -> Tally {
        let mut tally = Tally::default();
        for seed in seeds {
            let (place, reason) = match judge(seed, spoiled) {
                None => continue,
                Some(Verdict::Agreed(poses, turns)) => {
                    tally.poses += poses;
                    tally.turns += turns;
                    (0, None)
                }
                Some(Verdict::Refused(why)) => (1, Some(format!("refused: {why}"))),
                Some(Verdict::Wrong(why)) => (2, Some(format!("wrong: {why}"))),
            };
            tally.counts[place] += 1;
            if let Some(reason) = reason {
                tally.reasons.entry(reason).or_default().push(seed);
            }
        }
        tally
    }

    /// Returns `true` if none is wrong and nearly all agree.
    pub fn is_good(&self) -> bool {
        let [agreed, refused, wrong] = self.counts;
        wrong == 0 && refused * 20 <= agreed + refused
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [agreed, refused, wrong] = self.counts;
        let (poses, turns) = (self.poses, self.turns);
        writeln!(
            f,
            "singular: agreed {agreed} ({poses} poses, {turns} changes of direction), refused {refused}, wrong {wrong}"
        )?;
        for (reason, seeds) in &self.reasons {
            let first: Vec<String> = seeds.iter().take(5).map(u64::to_string).collect();
            writeln!(f, "  {} x {reason}; seeds {}", seeds.len(), first.join(", "))?;
        }
        Ok(())
    }
}
