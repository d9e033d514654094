//! Singular poses that have the same in common, told once: which matrix loses rank, which
//! coordinates move then, and which ones have the same value at all of them.

use super::approach::{Approach, LostDirections, approach, away, branches};
use super::curve::{Conditions, PoseCurve};
use super::pose::{PoseFunctions, PoseValues, free, largest, length};
use super::question::{Question, SINGULAR, SingularKind, SingularPoint};
use crate::rank::{Directions, readable};
use rotule_formalism::Problem;
use rotule_numeric::state::StateNumbers;

/// A singular pose, for all of its family.
#[derive(Clone, Debug)]
pub struct SingularPose {
    /// Kinds of what is singular. Where the mechanism is, all partitions and actuations are, too.
    pub kinds: Vec<SingularKind>,
    /// The number of the matrix that lost rank, among those examined.
    pub matrix: usize,
    /// The pose of the family nearest to the state, at rest.
    pub state: StateNumbers,
    /// The largest residual of the constraints, in radians and sizes of the model.
    pub residual: f64,
    /// The singular value that vanishes, in parts of the largest.
    pub smallest: f64,
    /// The number of ranks that are lost.
    pub lost: usize,
    /// The dimension of the family: zero of a single pose.
    pub dimension: usize,
    /// Of a family with a dimension, the coordinates that have one value.
    pub pinned: Vec<(String, f64)>,
    /// Motions that are possible there with the drives locked, or with the output at rest; of a
    /// mechanism the directions of two curves of motion that meet. Coordinates and their parts, the
    /// largest one.
    pub motions: Vec<Vec<(String, f64)>>,
    /// The constraint forces that balance each other, drives and the output: rows and their parts.
    pub stress: Vec<(String, f64)>,
    /// The direction in which an output cannot move: linear and angular velocity in the ground.
    pub stuck: Vec<(String, f64)>,
    /// Forces near the pose.
    pub approach: Option<Approach>,
    /// The number of poses of the family that were found.
    pub count: usize,
    /// The curve of motion that it is on, and the distance along it.
    pub along: Option<(usize, f64)>,
    /// The distance from the state, in radians and sizes of the model.
    pub distance: f64,
    /// Coordinates beyond the limits of their joints.
    pub outside: Vec<String>,
}

/// A family while poses are found.
struct Family {
    kinds: Vec<SingularKind>,
    matrix: usize,
    point: SingularPoint,
    dimension: usize,
    /// Positions of searched speeds with their coordinates.
    pinned: Vec<(usize, f64)>,
    motions: Vec<Vec<f64>>,
    support: Vec<usize>,
    count: usize,
    along: Option<(usize, f64)>,
    distance: f64,
    inside: bool,
}

/// The poses of all families, and curves of them, each with the number of its family.
type Described = (Vec<SingularPose>, Vec<(usize, PoseCurve)>);

/// All families.
#[derive(Default)]
pub(super) struct Families {
    list: Vec<Family>,
}

/// Poses that differ by less are one: where a singular value only touches zero, half of the digits
/// are known.
const SAME: f64 = 1e-5;
/// Singular values of other matrices below this are zero at a pose.
const ALSO: f64 = 1e-8;
/// Singular values of the mechanism below this are those of a pose beside a singular one.
const NEARLY: f64 = 1e-4;
/// Parts of a direction below this are none.
const NONE: f64 = 1e-6;
/// The distance at which neighbours of a pose are searched.
const NEXT: f64 = 1e-2;

impl Families {
    /// Puts a pose to its family.
    pub fn put(
        &mut self,
        poses: &mut PoseFunctions,
        questions: &[Question],
        at: usize,
        mut point: SingularPoint,
        start: &[f64],
        along: Option<(usize, f64)>,
    ) -> Result<(), Problem> {
        point.q = poses.plain(&point.q);
        // Beside a pose where the mechanism is singular, other ranks are small, too: it is the one.
        if let Some(mechanism) =
            questions.first().filter(|one| at > 0 && one.kinds == [SingularKind::Mechanism])
            && let Some(values) = poses.values(&point.q)?
            && mechanism.smallest(&values) < NEARLY
            && let Some(found) = mechanism.refine(poses, &point.q, 1)?
            && poses.distance(&found.q, &point.q) < 10.0 * NEARLY
        {
            let found = SingularPoint { q: poses.plain(&found.q), ..found };
            return self.put(poses, questions, 0, found, start, along);
        }
        let Some(values) = poses.values(&point.q)? else { return Ok(()) };
        let (kinds, matrix) = kinds(questions, at, &values);
        let question = &questions[matrix];
        let Some(found) = Directions::of(&question.matrix(&values), question.columns.len()) else {
            return Ok(());
        };
        point.lost =
            question.rank - question.rank_at(&found, ALSO).min(question.rank.saturating_sub(1));
        point.smallest = question.smallest(&values);
        let distance = length(&poses.difference(start, &point.q));
        let inside = poses.outside(&point.q).is_empty();
        // A single pose is known by its place.
        let known = self.list.iter_mut().find(|one| {
            one.dimension == 0
                && one.kinds == kinds
                && poses.distance(&one.point.q, &point.q) < SAME
        });
        if let Some(known) = known {
            known.count += 1;
            return Ok(());
        }
        let motions = readable(found.vectors[question.rank - point.lost..].to_vec());
        let support: Vec<usize> = (0..question.columns.len())
            .filter(|&column| motions.iter().any(|one| one[column].abs() > NONE))
            .map(|column| question.columns[column])
            .collect();
        let set = directions_of_set(poses, question, &point)?;
        let pinned: Vec<(usize, f64)> = match set.len() {
            0 => Vec::new(),
            _ => (0..poses.searched.len())
                .filter(|&column| set.iter().all(|one| one[column].abs() < NONE))
                .filter_map(|column| Some((column, poses.coordinate(poses.searched[column])?)))
                .map(|(column, place)| (column, point.q[place]))
                .collect(),
        };
        let family = Family {
            kinds,
            matrix,
            point,
            dimension: set.len(),
            pinned,
            motions,
            support,
            count: 1,
            along,
            distance,
            inside,
        };
        let same = self.list.iter_mut().find(|one| one.is_same(&family));
        match same {
            Some(one) => {
                let count = one.count + 1;
                if (!one.inside, one.distance) > (!family.inside, family.distance) {
                    *one = family;
                }
                one.count = count;
            }
            None => self.list.push(family),
        }
        Ok(())
    }

    /// Describes all families, and follows those that are curves.
    pub fn finish(
        mut self,
        poses: &mut PoseFunctions,
        questions: &[Question],
        drives: &[usize],
        start: &[f64],
        searched: usize,
    ) -> Result<Described, Problem> {
        self.list.sort_by(|a, b| {
            let key = |one: &Family| (one.along.map(|along| along.0), one.kinds.clone());
            let place = |one: &Family| one.along.map_or(one.distance, |along| along.1);
            match searched {
                1 => key(a).0.cmp(&key(b).0).then(place(a).total_cmp(&place(b))),
                _ => a.kinds.cmp(&b.kinds).then(place(a).total_cmp(&place(b))),
            }
        });
        let mut found = Vec::new();
        let mut loci = Vec::new();
        for (number, family) in self.list.iter().enumerate() {
            let question = &questions[family.matrix];
            if family.dimension == 1 && searched > 1 {
                let conditions = Conditions::Singular(question, family.point.lost);
                loci.extend(conditions.follow(poses, &family.point.q)?.map(|one| (number, one)));
            }
            found.push(family.describe(poses, questions, drives, start)?);
        }
        Ok((found, loci))
    }
}

/// Kinds of what is singular at a pose, and the first matrix that lost rank.
fn kinds(questions: &[Question], at: usize, values: &PoseValues) -> (Vec<SingularKind>, usize) {
    let mut kinds = Vec::new();
    let mut first = None;
    for (number, question) in questions.iter().enumerate() {
        if number != at && question.smallest(values) > ALSO {
            continue;
        }
        // Outputs are told one by one.
        if number != at && question.output.is_some() {
            continue;
        }
        first = first.or(Some(number));
        kinds.extend(&question.kinds);
        if kinds[0] == SingularKind::Mechanism {
            break;
        }
    }
    kinds.sort_unstable();
    (kinds, first.unwrap_or(at))
}

/// Directions in which singular poses go on from one: those along which the conditions do not
/// change, and in which there are others nearby.
fn directions_of_set(
    poses: &mut PoseFunctions,
    question: &Question,
    point: &SingularPoint,
) -> Result<Vec<Vec<f64>>, Problem> {
    let Some(linear) = question.linear(poses, &point.q, point.lost)? else { return Ok(Vec::new()) };
    let width = poses.searched.len();
    let Some((_, mut left)) = free(&linear.rows, width, 1e-6) else { return Ok(Vec::new()) };
    left = readable(left);
    let mut set = Vec::new();
    for direction in left {
        let size = length(&direction);
        let direction: Vec<f64> = direction.iter().map(|x| x / size).collect();
        let step: Vec<f64> = direction.iter().map(|x| x * NEXT).collect();
        let guess = poses.moved(&point.q, &step);
        let conditions = Conditions::Singular(question, point.lost);
        let next = conditions.correct(poses, &guess, &direction, 0.5 * NEXT)?;
        let Some(next) = next else { continue };
        let Some(values) = poses.values(&next)? else { continue };
        if question.smallest(&values) <= SINGULAR {
            set.push(direction);
        }
    }
    Ok(set)
}

impl Family {
    /// Returns `true` if two poses have in common what makes them singular.
    fn is_same(&self, other: &Family) -> bool {
        let whole =
            |x: f64| (x / std::f64::consts::TAU - (x / std::f64::consts::TAU).round()).abs();
        let value = |a: f64, b: f64| (a - b).abs() < SAME || whole(a - b) < SAME;
        self.kinds == other.kinds
            && self.matrix == other.matrix
            && self.dimension == other.dimension
            && self.dimension > 0
            && self.support == other.support
            && self.pinned.len() == other.pinned.len()
            && self.pinned.iter().zip(&other.pinned).all(|(a, b)| a.0 == b.0 && value(a.1, b.1))
    }

    fn describe(
        &self,
        poses: &mut PoseFunctions,
        questions: &[Question],
        drives: &[usize],
        start: &[f64],
    ) -> Result<SingularPose, Problem> {
        let q = &self.point.q;
        let question = &questions[self.matrix];
        // Efforts are those of drives; of a partition, those of the independent coordinates.
        let loaded = match self.kinds[0] {
            SingularKind::Mechanism => questions
                .iter()
                .find(|one| one.kinds.contains(&SingularKind::Actuation))
                .unwrap_or(question),
            _ => question,
        };
        let other: Vec<usize> = match &loaded.output {
            None => {
                let movable = poses.movable.iter().copied();
                movable.filter(|at| !loaded.columns.contains(at)).collect()
            }
            Some(_) => drives.to_vec(),
        };
        let linear = question.linear(poses, q, self.point.lost)?;
        let branches = match self.kinds[0] {
            SingularKind::Mechanism => branches(poses, q)?,
            _ => Vec::new(),
        };
        let away = match (branches.first(), &linear) {
            (Some(branch), _) => Some(branch.clone()),
            (None, Some(linear)) => away(poses, linear, &self.point)?,
            (None, None) => None,
        };
        let (mut forces, mut rows) = (None, Vec::new());
        if let Some(away) = &away {
            rows = LostDirections::rows_at(poses, question, q, away)?;
            let meets = self.kinds[0] == SingularKind::Mechanism;
            forces = approach(poses, loaded, &other, q, away, meets)?;
        }
        let constraints = poses.rows.len().min(rows.len());
        let (own, output) = rows.split_at(constraints);
        let stress = own
            .iter()
            .enumerate()
            .map(|(row, part)| (poses.rows[row].0.clone(), part / poses.scales[row]));
        let stress = shares(stress.collect());
        const AXES: [&str; 6] = ["x", "y", "z", "rx", "ry", "rz"];
        let components = question.output.iter().flat_map(|output| output.rows.iter());
        let stuck = components.zip(output).map(|(&row, part)| {
            let unit = if row < 3 { poses.size } else { 1.0 };
            (AXES[row].to_owned(), part / unit)
        });
        let stuck = shares(stuck.collect());
        let named = |columns: &[usize], motion: &Vec<f64>| {
            let parts = columns.iter().zip(motion);
            shares(parts.map(|(&at, x)| (poses.name(at), x * poses.units[at])).collect())
        };
        let motions = match branches.is_empty() {
            true => self.motions.iter().map(|one| named(&question.columns, one)).collect(),
            false => branches.iter().map(|one| named(&poses.searched, one)).collect(),
        };
        let values = poses.values(q)?;
        let named =
            |&(column, value): &(usize, f64)| (poses.name(poses.searched[column]), value + 0.0);
        let residual = values.map_or(f64::NAN, |values| largest(&poses.closing(&values).0));
        Ok(SingularPose {
            kinds: self.kinds.clone(),
            matrix: self.matrix,
            state: poses.state(q),
            residual: residual.max(poses.gap(q)),
            smallest: self.point.smallest,
            lost: self.point.lost,
            dimension: self.dimension,
            pinned: self.pinned.iter().map(named).collect(),
            motions,
            stress,
            stuck,
            approach: forces,
            count: self.count,
            along: self.along,
            distance: length(&poses.difference(start, q)),
            outside: poses.outside(q),
        })
    }
}

/// Parts with the largest one, those that are nearly none left out.
fn shares(parts: Vec<(String, f64)>) -> Vec<(String, f64)> {
    let most = parts.iter().fold(0.0_f64, |most, (_, x)| most.max(x.abs()));
    // The first of equal ones is positive, whatever rounding says.
    let leading = parts.iter().find(|(_, x)| x.abs() >= most * (1.0 - 1e-6));
    let Some(&(_, leading)) = leading.filter(|(_, x)| *x != 0.0) else { return Vec::new() };
    let kept = parts.into_iter().filter(|(_, x)| x.abs() > 1e-6 * most);
    kept.map(|(name, x)| (name, x / leading)).collect()
}
