//! The matrix whose rank a kind of singular position is about, and Newton's method for poses at
//! which it falls.
//!
//! At a pose near one where the rank of `A` falls by `k` below `rho`, let `U` and `V` be the left
//! and right singular vectors beyond the first `rho - k`. The rank has fallen where `U' A V`
//! vanishes, and to first order it changes by `U' dA V`, which is exact to second order because
//! `A` maps the other directions apart from these. So steps of
//!
//! ```text
//! h + J dq = 0,   U' A V + U' (dA/dq dq) V = 0
//! ```
//!
//! converge quadratically with no unknowns but the pose; where singular poses are not isolated the
//! shortest step leads to one nearby.

use super::pose::{CLOSED, PoseFunctions, PoseValues, dot, largest, limited, pick, shortest};
use crate::rank::Directions;
use rotule_formalism::Problem;

/// A kind of singular position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SingularKind {
    /// The mechanism: constraints depend on each other, motions that are apart meet.
    Mechanism,
    /// The partition: the independent coordinates do not determine the motion of the others.
    Partition,
    /// The actuation, type 2 of Gosselin and Angeles: it moves although the drives are locked.
    Actuation,
    /// The output, type 1: the drives can move and the output stays, so that it cannot move in some
    /// direction.
    Output,
}

impl SingularKind {
    /// Its word.
    pub const fn word(self) -> &'static str {
        match self {
            SingularKind::Mechanism => "mechanism",
            SingularKind::Partition => "partition",
            SingularKind::Actuation => "actuation",
            SingularKind::Output => "output",
        }
    }
}

/// The components of an output place that count.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct OutputRows {
    /// Its position among the output places.
    pub place: usize,
    /// Of its six rows.
    pub rows: Vec<usize>,
}

/// A matrix that may lose rank: rows of constraints and of an output, and columns of some speeds.
#[derive(Clone, Debug)]
pub(super) struct Question {
    /// Kinds of what is singular then.
    pub kinds: Vec<SingularKind>,
    /// The columns, as speeds.
    pub columns: Vec<usize>,
    /// The output.
    pub output: Option<OutputRows>,
    /// The rank at general poses.
    pub rank: usize,
    /// The largest singular value at general poses, in which all others are measured.
    pub largest: f64,
}

/// Singular values below this part of the largest at general poses are zero at a singular pose.
pub const SINGULAR: f64 = 1e-9;
/// Singular values above this part of the largest at general poses are not zero.
pub(super) const GENERAL: f64 = 1e-8;

/// A pose at which a matrix has lost rank.
#[derive(Clone, Debug)]
pub(super) struct SingularPoint {
    pub q: Vec<f64>,
    /// The largest residual of the constraints, and the singular value that vanishes in parts of
    /// the largest at general poses.
    pub residual: f64,
    pub smallest: f64,
    /// The number of ranks lost.
    pub lost: usize,
}

/// Residuals with their derivatives by the searched speeds.
pub(super) struct Linear {
    pub residual: Vec<f64>,
    pub rows: Vec<Vec<f64>>,
    pub smallest: f64,
    pub lost: usize,
    open: f64,
}

impl Question {
    /// A matrix whose rank is not known yet.
    pub fn of(
        kinds: Vec<SingularKind>,
        columns: Vec<usize>,
        output: Option<OutputRows>,
    ) -> Question {
        Question { kinds, columns, output, rank: 0, largest: 1.0 }
    }

    /// The matrix at a pose.
    pub fn matrix(&self, values: &PoseValues) -> Vec<Vec<f64>> {
        let own = values.jacobian.iter().map(|row| pick(row, &self.columns));
        let output = self.output.iter().flat_map(|output| {
            let place = &values.outputs[output.place];
            output.rows.iter().map(|&row| pick(&place[row], &self.columns))
        });
        own.chain(output).collect()
    }

    /// The singular value that vanishes where the rank falls, in parts of the largest at general
    /// poses; one where there is no rank to lose.
    pub fn smallest(&self, values: &PoseValues) -> f64 {
        let found = Directions::of(&self.matrix(values), self.columns.len());
        found.map_or(f64::NAN, |found| self.part(&found))
    }

    fn part(&self, found: &Directions) -> f64 {
        self.rank.checked_sub(1).map_or(1.0, |last| found.values[last] / self.largest)
    }

    /// The number of singular values above a part of the largest at general poses.
    pub fn rank_at(&self, found: &Directions, part: f64) -> usize {
        found.values.iter().filter(|value| **value > part * self.largest).count()
    }

    /// The conditions at a pose, for a loss of so many ranks at least.
    pub fn linear(
        &self,
        poses: &mut PoseFunctions,
        q: &[f64],
        least: usize,
    ) -> Result<Option<Linear>, Problem> {
        let Some((values, slopes)) = poses.with_slopes(q, true)? else { return Ok(None) };
        let (mut residual, mut rows) = poses.closing(&values);
        let open = largest(&residual);
        let matrix = self.matrix(&values);
        let width = self.columns.len();
        let (Some(right), Some(left)) =
            (Directions::of(&matrix, width), Directions::of_rows(&matrix, width))
        else {
            return Ok(None);
        };
        let smallest = self.part(&right);
        let lost = least.min(self.rank);
        let kept = self.rank - lost;
        let slopes: Vec<Vec<Vec<f64>>> = slopes.iter().map(|one| self.matrix(one)).collect();
        for v in &right.vectors[kept..] {
            let along = |matrix: &[Vec<f64>]| matrix.iter().map(|row| dot(row, v)).collect();
            let own: Vec<f64> = along(&matrix);
            let changed: Vec<Vec<f64>> = slopes.iter().map(|slope| along(slope)).collect();
            for u in &left.vectors[kept..] {
                residual.push(dot(u, &own));
                rows.push(changed.iter().map(|column| dot(u, column)).collect());
            }
        }
        Ok(Some(Linear { residual, rows, smallest, lost, open }))
    }

    /// The singular pose that steps lead to from a pose; none if they lead nowhere.
    pub fn refine(
        &self,
        poses: &mut PoseFunctions,
        q: &[f64],
        lost: usize,
    ) -> Result<Option<SingularPoint>, Problem> {
        let mut q = q.to_vec();
        let mut best: Option<(f64, SingularPoint)> = None;
        let mut idle = 0;
        for _ in 0..80 {
            let Some(linear) = self.linear(poses, &q, lost)? else { break };
            let size = largest(&linear.residual);
            let here = SingularPoint {
                q: q.clone(),
                residual: linear.open,
                smallest: linear.smallest,
                lost: linear.lost,
            };
            match &best {
                Some((known, _)) if size >= *known => idle += 1,
                _ => {
                    idle = 0;
                    best = Some((size, here));
                }
            }
            let good = best.as_ref().is_some_and(|(size, _)| *size <= 1e-12);
            if size <= 1e-15 || (good && idle >= 2) || idle > 10 {
                break;
            }
            let step = shortest(&linear.rows, &linear.residual, poses.searched.len(), GENERAL);
            if !step.iter().all(|x| x.is_finite()) {
                break;
            }
            q = poses.moved(&q, &limited(step));
        }
        let Some((_, found)) = best else { return Ok(None) };
        let sound = found.residual <= CLOSED && found.smallest <= SINGULAR;
        Ok((sound && poses.is_whole(&found.q)).then_some(found))
    }
}
