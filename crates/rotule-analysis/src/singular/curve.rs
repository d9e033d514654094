//! Curves of poses: the motion of a mechanism of one degree of freedom, and singular poses where
//! these are not isolated. Steps go by arc length along the direction that all conditions leave
//! free (Keller 1977), and pass straight through poses where curves meet.

use super::pose::{CLOSED, ConditionRows, PoseFunctions, dot, free, largest, length, shortest};
use super::question::{GENERAL, Question, SINGULAR};
use rotule_formalism::Problem;

/// The conditions of a curve.
#[derive(Clone, Copy)]
pub(super) enum Conditions<'q> {
    /// Loops are closed.
    Closed,
    /// Loops are closed, and a matrix has lost so many ranks.
    Singular(&'q Question, usize),
}

/// A point of a curve.
#[derive(Clone, Debug)]
pub struct CurvePoint {
    /// The pose.
    pub q: Vec<f64>,
    /// The distance along the curve, in radians and sizes of the model.
    pub along: f64,
    pub(super) tangent: Vec<f64>,
}

/// A curve of poses.
#[derive(Clone, Debug)]
pub struct PoseCurve {
    /// Its points in order.
    pub points: Vec<CurvePoint>,
    /// `true` if it returns to its first point.
    pub closed: bool,
    /// Why it ends, if it is not closed.
    pub end: &'static str,
}

/// The longest step, in radians and sizes of the model.
const STEP: f64 = 0.06;
/// The shortest step.
const SHORTEST: f64 = 1e-5;
/// Curves are followed for this length in each direction, and over so many points.
const FAR: f64 = 60.0;
const POINTS: usize = 3000;

impl Conditions<'_> {
    /// Residuals and their derivatives at a pose.
    fn at(self, poses: &mut PoseFunctions, q: &[f64]) -> Result<Option<ConditionRows>, Problem> {
        match self {
            Conditions::Closed => Ok(poses.values(q)?.map(|values| poses.closing(&values))),
            Conditions::Singular(question, lost) => {
                let linear = question.linear(poses, q, lost)?;
                Ok(linear.map(|linear| (linear.residual, linear.rows)))
            }
        }
    }

    /// The direction of the curve at a pose on the side of another; none where there is none.
    fn tangent(
        self,
        poses: &mut PoseFunctions,
        q: &[f64],
        before: Option<&[f64]>,
    ) -> Result<Option<Vec<f64>>, Problem> {
        let Some((_, rows)) = self.at(poses, q)? else { return Ok(None) };
        let Some((_, left)) = free(&rows, poses.searched.len(), GENERAL) else { return Ok(None) };
        let Some(before) = before else { return Ok(left.into_iter().next_back()) };
        let mut tangent = vec![0.0; before.len()];
        for one in &left {
            let part = dot(one, before);
            tangent.iter_mut().zip(one).for_each(|(x, y)| *x += part * y);
        }
        let size = length(&tangent);
        tangent.iter_mut().for_each(|x| *x /= size);
        Ok((size > 1e-3).then_some(tangent))
    }

    /// The point of the curve nearest to a pose across a direction.
    pub(super) fn correct(
        self,
        poses: &mut PoseFunctions,
        q: &[f64],
        tangent: &[f64],
        most: f64,
    ) -> Result<Option<Vec<f64>>, Problem> {
        let mut here = q.to_vec();
        let mut moved = 0.0;
        let mut best = f64::INFINITY;
        for _ in 0..12 {
            let Some((mut residual, mut rows)) = self.at(poses, &here)? else { return Ok(None) };
            let size = largest(&residual);
            if size <= 1e-13 || (size >= 0.3 * best && size <= CLOSED) {
                return Ok(Some(here));
            }
            best = best.min(size);
            residual.push(0.0);
            rows.push(tangent.to_vec());
            let step = shortest(&rows, &residual, tangent.len(), SINGULAR);
            moved += length(&step);
            if moved.is_nan() || moved > most {
                return Ok(None);
            }
            here = poses.moved(&here, &step);
        }
        Ok((best <= CLOSED).then_some(here))
    }

    /// The curve through a pose.
    pub(super) fn follow(
        self,
        poses: &mut PoseFunctions,
        start: &[f64],
    ) -> Result<Option<PoseCurve>, Problem> {
        let Some(tangent) = self.tangent(poses, start, None)? else { return Ok(None) };
        let first = CurvePoint { q: start.to_vec(), along: 0.0, tangent: tangent.clone() };
        let (mut points, closed, end) = self.one_way(poses, first.clone())?;
        if closed {
            return Ok(Some(PoseCurve { points, closed, end: "" }));
        }
        let back = CurvePoint { tangent: tangent.iter().map(|x| -x).collect(), ..first };
        let (other, closed, _) = self.one_way(poses, back)?;
        let turned = other.into_iter().skip(1).map(|point| CurvePoint {
            along: -point.along,
            tangent: point.tangent.iter().map(|x| -x).collect(),
            ..point
        });
        let mut all: Vec<CurvePoint> = turned.collect();
        all.reverse();
        all.append(&mut points);
        Ok(Some(PoseCurve { points: all, closed, end }))
    }

    /// The points from one on, the first included.
    fn one_way(
        self,
        poses: &mut PoseFunctions,
        first: CurvePoint,
    ) -> Result<(Vec<CurvePoint>, bool, &'static str), Problem> {
        let mut points = vec![first];
        let mut step = 0.3 * STEP;
        loop {
            let here = &points[points.len() - 1];
            if here.along > FAR {
                return Ok((points, false, "it is followed no further"));
            }
            if points.len() >= POINTS {
                return Ok((points, false, "the number of points is reached"));
            }
            let ahead: Vec<f64> = here.tangent.iter().map(|x| x * step).collect();
            let guess = poses.moved(&here.q, &ahead);
            let mut next = None;
            if let Some(q) = self.correct(poses, &guess, &here.tangent, 0.5 * step)?
                && let Some(tangent) = self.tangent(poses, &q, Some(&here.tangent))?
                && dot(&tangent, &here.tangent) > 0.98
            {
                next = Some(CurvePoint { q, along: here.along + step, tangent });
            }
            let Some(next) = next else {
                step *= 0.5;
                if step < SHORTEST {
                    return Ok((points, false, "no further pose was found"));
                }
                continue;
            };
            // It is closed where the first point lies between the last two.
            let begin = &points[0];
            if points.len() > 3 && dot(&next.tangent, &begin.tangent) > 0.9 {
                let gap = poses.difference(&here.q, &begin.q);
                let along = dot(&gap, &here.tangent);
                let aside = (dot(&gap, &gap) - along * along).max(0.0).sqrt();
                if along > 0.0 && along <= 1.01 * step && aside < 0.2 * step {
                    return Ok((points, true, ""));
                }
            }
            if dot(&next.tangent, &here.tangent) > 0.998 {
                step = (1.5 * step).min(STEP);
            }
            points.push(next);
        }
    }
}

impl PoseCurve {
    /// Returns `true` if a pose lies on the curve.
    pub(super) fn has(&self, poses: &mut PoseFunctions, q: &[f64]) -> Result<bool, Problem> {
        let mut near: Vec<(f64, usize)> = self
            .points
            .iter()
            .enumerate()
            .map(|(at, point)| (poses.distance(&point.q, q), at))
            .filter(|(distance, _)| *distance < 2.0 * STEP)
            .collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, at) in near.into_iter().take(4) {
            let point = &self.points[at];
            let along = dot(&poses.difference(&point.q, q), &point.tangent);
            let ahead: Vec<f64> = point.tangent.iter().map(|x| x * along).collect();
            let guess = poses.moved(&point.q, &ahead);
            let found = Conditions::Closed.correct(poses, &guess, &point.tangent, 2.0 * STEP)?;
            if let Some(found) = found
                && poses.distance(&found, q) < 1e-6
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
