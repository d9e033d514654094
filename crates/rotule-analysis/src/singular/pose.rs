//! Constraints and output places of a model as functions of its pose alone, in common units, with
//! exact derivatives; and poses as points that are moved, closed and compared.
//!
//! Rotations are measured in radians and translations in sizes of their loop, rows of constraints
//! in the largest that they were at the poses looked at first, so that singular values of one model
//! can be compared, and one threshold serves all models.

use crate::equations;
use crate::functions::ModelFunctions;
use crate::quantity::{coordinate_name, joint_of};
use crate::rank::{Directions, Rank};
use rotule_formalism::function::{FunctionKind, outputs};
use rotule_formalism::{MultibodySystem, Problem, normalise};
use rotule_model::draft::PartitionRole;
use rotule_model::joint::JointMotion;
use rotule_model::mechanism::{Mechanism, Role};
use rotule_model::{closure, pose};
use rotule_numeric::state::StateNumbers;
use rotule_program::Externals;
use rotule_simulate::inputs::InputPoint;
use rotule_symbolic::elementary::atan2;
use rotule_symbolic::random::SplitMix64;
use std::f64::consts::{PI, TAU};

const RESIDUALS: usize = FunctionKind::Constraints.row().position(&outputs::RESIDUALS);
const JACOBIAN: usize = FunctionKind::Constraints.row().position(&outputs::CONSTRAINT_JACOBIAN);

/// Residuals below this are closed.
pub(super) const CLOSED: f64 = 1e-11;
/// Loops that are open by more than this although all rows vanish are closed in a wrong way, as
/// with frames that are rotated by half a turn.
const WRONG: f64 = 1e-6;
/// Singular values below this part of the largest count as zero where steps are solved.
const SOLVED: f64 = 1e-9;
/// Angles turn by this at most in a step.
const TURN: f64 = 0.5;

/// The rows of constraints and of output places at a pose, columns for all speeds.
#[derive(Clone, Debug)]
pub(super) struct PoseValues {
    /// Residuals of the constraints; zero of those that relate speeds alone.
    pub h: Vec<f64>,
    /// The rows of constraints.
    pub jacobian: Vec<Vec<f64>>,
    /// The six rows of each output place, linear above angular velocity.
    pub outputs: Vec<Vec<Vec<f64>>>,
}

/// Residuals of conditions, and their derivatives by the searched speeds.
pub(super) type ConditionRows = (Vec<f64>, Vec<Vec<f64>>);

/// A model as functions of its pose.
pub(super) struct PoseFunctions {
    /// The model with driven joints set free.
    functions: ModelFunctions,
    template: InputPoint,
    /// The speeds of joints that are not locked.
    pub movable: Vec<usize>,
    /// Those of them that are not held where they are.
    pub searched: Vec<usize>,
    /// The unit of each speed.
    pub units: Vec<f64>,
    /// The size of the model in metres.
    pub size: f64,
    /// Names of the rows, and whether each relates coordinates.
    pub rows: Vec<(String, bool)>,
    /// The units of the rows.
    pub scales: Vec<f64>,
    /// Functions of the output places.
    outputs: Vec<String>,
    /// Lower and upper limits, by speed, of joints that have some.
    ranges: Vec<Option<[f64; 2]>>,
    /// For each speed, whether whole turns change nothing.
    turns: Vec<bool>,
}

/// The mechanism with driven joints free: their drives are what is locked or moved here.
pub(super) fn freed(tree: &MultibodySystem) -> MultibodySystem {
    let driven = |role: &Role| matches!(role, Role::Driven { .. });
    if !tree.mechanism.joints.iter().any(|joint| driven(&joint.role)) {
        return tree.clone();
    }
    let mut mechanism = tree.mechanism.clone();
    for joint in mechanism.joints.iter_mut().filter(|joint| driven(&joint.role)) {
        joint.role = Role::Free;
        // A partition lets others follow.
        joint.partition = Some(PartitionRole::Independent);
    }
    let mut free = normalise(mechanism);
    free.strategy = tree.strategy.clone();
    free.strategy.partition = None;
    free
}

impl PoseFunctions {
    /// Those of a freed model at a state; the state's pose.
    pub fn new(
        tree: &MultibodySystem,
        state: &StateNumbers,
        outputs: Vec<String>,
        held: &[usize],
        externals: Box<dyn Externals>,
    ) -> Result<(PoseFunctions, Vec<f64>), Problem> {
        let (functions, mut template) = ModelFunctions::open(tree, state, externals)?;
        template.qd.fill(0.0);
        template.qdd.fill(0.0);
        let mechanism = &functions.tree().mechanism;
        let moving = mechanism.joints.iter().filter(|joint| joint.role != Role::Locked);
        let movable: Vec<usize> = moving.flat_map(|joint| joint.speeds.clone()).collect();
        let searched = movable.iter().copied().filter(|at| !held.contains(at)).collect();
        let speeds = mechanism.speeds.len();
        let (units, size) = match functions.pattern() {
            Some(pattern) => (pattern.units.clone(), pattern.size),
            None => {
                let size = equations::size(mechanism, &template.q);
                let length = |at: usize| equations::is_length(mechanism, at);
                ((0..speeds).map(|at| if length(at) { size } else { 1.0 }).collect(), size)
            }
        };
        let rows: Vec<(String, bool)> = functions.pattern().map_or_else(Vec::new, |pattern| {
            pattern.rows.iter().map(|row| (row.name.clone(), row.positional)).collect()
        });
        let ranges = (0..speeds).map(|at| range(mechanism, at)).collect();
        let turns = (0..speeds).map(|at| turns(mechanism, at)).collect();
        let scales = vec![1.0; rows.len()];
        let q = template.q.clone();
        let made = PoseFunctions {
            functions,
            template,
            movable,
            searched,
            units,
            size,
            rows,
            scales,
            outputs,
            ranges,
            turns,
        };
        Ok((made, q))
    }

    /// The mechanism, driven joints free.
    pub fn mechanism(&self) -> &Mechanism {
        &self.functions.tree().mechanism
    }

    /// The name of the coordinate of a speed.
    pub fn name(&self, speed: usize) -> String {
        coordinate_name(self.mechanism(), speed)
    }

    /// The state of a pose at rest.
    pub fn state(&self, q: &[f64]) -> StateNumbers {
        self.functions.state(&self.point(q))
    }

    fn point(&self, q: &[f64]) -> InputPoint {
        InputPoint { q: q.to_vec(), ..self.template.clone() }
    }

    /// Measures each row by the largest that it is at some poses.
    pub fn measure(&mut self, poses: &[Vec<f64>]) -> Result<(), Problem> {
        self.scales.fill(1.0);
        let mut largest = vec![0.0_f64; self.rows.len()];
        for q in poses {
            let Some(values) = self.values(q)? else { continue };
            for (most, row) in largest.iter_mut().zip(&values.jacobian) {
                *most = most.max(length(row));
            }
        }
        let scale = |most: f64| if most > 1e-9 * self.size.min(1.0) { most } else { 1.0 };
        self.scales = largest.into_iter().map(scale).collect();
        Ok(())
    }

    /// Values at a pose; none where they are not finite.
    pub fn values(&mut self, q: &[f64]) -> Result<Option<PoseValues>, Problem> {
        Ok(self.with_slopes(q, false)?.map(|(values, _)| values))
    }

    /// Values at a pose, and their derivatives along each of the searched speeds by one unit.
    pub fn with_slopes(
        &mut self,
        q: &[f64],
        slopes: bool,
    ) -> Result<Option<(PoseValues, Vec<PoseValues>)>, Problem> {
        let point = self.point(q);
        let mut directions = match slopes {
            true => self.functions.along_speeds(&point, &self.searched)?,
            false => Vec::new(),
        };
        for (direction, &at) in directions.iter_mut().zip(&self.searched) {
            direction.q.iter_mut().for_each(|rate| *rate *= self.units[at]);
        }
        let empty = PoseValues { h: Vec::new(), jacobian: Vec::new(), outputs: Vec::new() };
        let mut all = vec![empty; 1 + directions.len()];
        let width = self.units.len();
        if !self.rows.is_empty() {
            let found = self.functions.evaluate("constraints", &point, &directions)?;
            if !found.is_sound() {
                return Ok(None);
            }
            for (at, values) in all.iter_mut().enumerate() {
                let list = |output: usize| match at {
                    0 => found.output(output),
                    at => found.along(at - 1, output),
                };
                values.h = list(RESIDUALS).iter().zip(&self.scales).map(|(h, s)| h / s).collect();
                let rows = list(JACOBIAN).chunks_exact(width.max(1)).zip(&self.scales);
                values.jacobian = rows.map(|(row, scale)| self.scaled(row, *scale)).collect();
            }
        }
        for function in self.outputs.clone() {
            let found = self.functions.evaluate(&function, &point, &directions)?;
            if !found.is_sound() {
                return Ok(None);
            }
            for (at, values) in all.iter_mut().enumerate() {
                let list = match at {
                    0 => found.output(0),
                    at => found.along(at - 1, 0),
                };
                let rows = list.chunks_exact(width.max(1)).enumerate();
                let unit = |row: usize| if row < 3 { self.size } else { 1.0 };
                values.outputs.push(rows.map(|(at, row)| self.scaled(row, unit(at))).collect());
            }
        }
        let first = all.remove(0);
        Ok(Some((first, all)))
    }

    /// A row over units of speeds, in its own unit.
    fn scaled(&self, row: &[f64], scale: f64) -> Vec<f64> {
        row.iter().zip(&self.units).map(|(x, unit)| x * unit / scale).collect()
    }

    /// The rows that relate coordinates, over the searched speeds, with their residuals.
    pub fn closing(&self, values: &PoseValues) -> ConditionRows {
        let kept = (0..self.rows.len()).filter(|&row| self.rows[row].1);
        kept.map(|row| (values.h[row], pick(&values.jacobian[row], &self.searched))).unzip()
    }

    /// A pose after a step of the searched speeds, in their units.
    pub fn moved(&self, q: &[f64], step: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.units.len()];
        for (&at, step) in self.searched.iter().zip(step) {
            all[at] = step * self.units[at];
        }
        rotule_numeric::moved(self.functions.tree(), q, &all)
    }

    /// The closed pose next to a pose; none if none is found.
    pub fn close(&mut self, q: &[f64]) -> Result<Option<Vec<f64>>, Problem> {
        let mut q = q.to_vec();
        let mut best = f64::INFINITY;
        let mut worse = 0;
        for _ in 0..60 {
            let Some(values) = self.values(&q)? else { return Ok(None) };
            let (h, rows) = self.closing(&values);
            let open = largest(&h);
            if open <= CLOSED * 1e-2 {
                break;
            }
            worse = if open < 0.9 * best { 0 } else { worse + 1 };
            if worse > 3 && best <= CLOSED {
                break;
            }
            if worse > 12 {
                return Ok(None);
            }
            best = best.min(open);
            let step = shortest(&rows, &h, self.searched.len(), SOLVED);
            q = self.moved(&q, &limited(step));
        }
        let Some(values) = self.values(&q)? else { return Ok(None) };
        let closed = largest(&self.closing(&values).0) <= CLOSED;
        Ok((closed && self.is_whole(&q)).then_some(q))
    }

    /// Returns `true` if all loops are closed as they are meant, by plain kinematics.
    pub fn is_whole(&self, q: &[f64]) -> bool {
        self.gap(q) <= WRONG
    }

    /// The widest gap of the loops by plain kinematics: radians, and sizes of the model.
    pub fn gap(&self, q: &[f64]) -> f64 {
        let mechanism = self.mechanism();
        if mechanism.cuts.is_empty() {
            return 0.0;
        }
        let gaps = closure::gaps(mechanism, &pose::poses(mechanism, q));
        gaps.iter().fold(0.0, |most, gap| most.max(gap.distance / self.size).max(gap.angle))
    }

    /// A random pose, not closed: anywhere, or near another.
    pub fn random(&self, near: &[f64], far: f64, random: &mut SplitMix64) -> Vec<f64> {
        let step = self.searched.iter().map(|&at| {
            let part = random.signed();
            match (self.ranges[at], self.coordinate(at)) {
                (Some([low, high]), Some(place)) if (high - low).is_finite() && far >= 1.0 => {
                    (0.5 * (low + high + part * (high - low)) - near[place]) / self.units[at]
                }
                _ if equations::is_length(self.mechanism(), at) => far * part,
                _ => far * PI * part,
            }
        });
        let step: Vec<f64> = step.collect();
        self.moved(near, &step)
    }

    /// The place of the coordinate of a speed, if it has one of its own.
    pub fn coordinate(&self, speed: usize) -> Option<usize> {
        crate::quantity::single_coordinate(self.mechanism(), speed)
    }

    /// Names of coordinates that are beyond the limits of their joints.
    pub fn outside(&self, q: &[f64]) -> Vec<String> {
        let beyond = |&at: &usize| match (self.ranges[at], self.coordinate(at)) {
            (Some([low, high]), Some(place)) => {
                let x = if self.turns[at] { nearest_turn(q[place], low, high) } else { q[place] };
                x < low - 1e-9 || x > high + 1e-9
            }
            _ => false,
        };
        let list = (0..self.units.len()).filter(beyond);
        list.map(|at| self.name(at)).collect()
    }

    /// A pose with angles brought into half a turn about zero, or into the limits of their joints;
    /// as it is where the user's own relations may count turns.
    pub fn plain(&self, q: &[f64]) -> Vec<f64> {
        let mut plain = q.to_vec();
        let mechanism = self.mechanism();
        if !(mechanism.couplings.is_empty() && mechanism.constraints.is_empty()) {
            return plain;
        }
        for at in 0..self.units.len() {
            let Some(place) = self.coordinate(at).filter(|_| self.turns[at]) else { continue };
            let [low, high] = self.ranges[at].unwrap_or([-PI, PI]);
            plain[place] = nearest_turn(q[place], low, high);
            // Half a turn is positive, whatever rounding says.
            if self.ranges[at].is_none() && plain[place] < 1e-9 - PI {
                plain[place] += TAU;
            }
        }
        plain
    }

    /// The step of the searched speeds from one pose to another, in their units, whole turns left
    /// out.
    pub fn difference(&self, from: &[f64], to: &[f64]) -> Vec<f64> {
        let mut all = vec![0.0; self.units.len()];
        for joint in &self.mechanism().joints {
            let Some(rotation) = joint.quaternion() else {
                for (at, place) in joint.speeds.clone().zip(joint.coordinates.clone()) {
                    let gap = to[place] - from[place];
                    let turns = if self.turns[at] { (gap / TAU).round() } else { 0.0 };
                    all[at] = gap - TAU * turns;
                }
                continue;
            };
            let (a, b) = (&from[rotation.clone()], &to[rotation]);
            let turn = turn_between(a, b);
            let before = joint.speeds.len() - 3;
            let first = joint.coordinates.start;
            if before == 3 {
                let shift: [f64; 3] = std::array::from_fn(|k| to[first + k] - from[first + k]);
                let body = into_axes(a, shift);
                all[joint.speeds.start..joint.speeds.start + 3].copy_from_slice(&body);
            }
            let start = joint.speeds.start + before;
            all[start..start + 3].copy_from_slice(&turn);
        }
        self.searched.iter().map(|&at| all[at] / self.units[at]).collect()
    }

    /// The distance of two poses: the largest part of the step between them.
    pub fn distance(&self, from: &[f64], to: &[f64]) -> f64 {
        largest(&self.difference(from, to))
    }

    /// The generalised forces that hold the model at rest at a pose against its weight and laws, in
    /// units of the speeds; none if they cannot be evaluated.
    pub fn load(&mut self, q: &[f64]) -> Option<Vec<f64>> {
        const BIAS: usize = FunctionKind::AllCoordinates.row().position(&outputs::BIAS);
        const APPLIED: usize = FunctionKind::AllCoordinates.row().position(&outputs::APPLIED);
        let mut point = self.point(q);
        point.effort.fill(0.0);
        let found = self.functions.evaluate("all_coordinates", &point, &[]).ok()?;
        let (bias, applied) = (found.output(BIAS), found.output(APPLIED));
        let load = bias.iter().zip(applied).zip(&self.units).map(|((c, f), unit)| (c - f) * unit);
        let load: Vec<f64> = load.collect();
        load.iter().all(|one| one.is_finite()).then_some(load)
    }
}

/// Some entries of a row.
pub(super) fn pick(row: &[f64], columns: &[usize]) -> Vec<f64> {
    columns.iter().map(|&at| row[at]).collect()
}

/// The largest entry.
pub(super) fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |most, x| if x.abs() <= most { most } else { x.abs() })
}

/// The length of a row.
pub(super) fn length(list: &[f64]) -> f64 {
    list.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The scalar product.
pub(super) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The shortest step that takes residuals away.
pub(super) fn shortest(rows: &[Vec<f64>], residual: &[f64], width: usize, part: f64) -> Vec<f64> {
    let right: Vec<f64> = residual.iter().map(|x| -x).collect();
    Rank::of(rows, width).above(part).solve(&right)
}

/// A step of at most half a radian.
pub(super) fn limited(mut step: Vec<f64>) -> Vec<f64> {
    let most = largest(&step);
    if most > TURN {
        step.iter_mut().for_each(|x| *x *= TURN / most);
    }
    step
}

/// The rank of rows, and the directions that they leave free.
pub(super) fn free(rows: &[Vec<f64>], width: usize, part: f64) -> Option<(usize, Vec<Vec<f64>>)> {
    let found = Directions::of(rows, width)?;
    let rank = found.rank(part);
    Some((rank, found.vectors[rank..].to_vec()))
}

/// The limits of a coordinate.
fn range(mechanism: &Mechanism, speed: usize) -> Option<[f64; 2]> {
    let range = joint_of(mechanism, speed).range?;
    let [low, high] = mechanism.evaluate(&range)[..] else { return None };
    (low < high).then_some([low, high])
}

/// Returns `true` if a speed is a rotation of which a whole turn changes nothing.
fn turns(mechanism: &Mechanism, speed: usize) -> bool {
    let joint = joint_of(mechanism, speed);
    let screw = joint.kind.motions().iter().any(|one| matches!(one, JointMotion::Screw(..)));
    joint.kind.quaternion().is_none() && !screw && !equations::is_length(mechanism, speed)
}

/// An angle with whole turns that bring it between two others, or nearest to their middle.
fn nearest_turn(x: f64, low: f64, high: f64) -> f64 {
    if !(low.is_finite() && high.is_finite()) || (x >= low && x <= high) {
        return x;
    }
    let middle = 0.5 * (low + high);
    // Half a turn stays on its side, whatever rounding says.
    let turns = (x - middle) / TAU;
    let whole =
        if (turns.fract().abs() - 0.5).abs() < 1e-9 { turns.trunc() } else { turns.round() };
    x - TAU * whole
}

/// The rotation vector from one quaternion to another, in the axes of the first.
fn turn_between(a: &[f64], b: &[f64]) -> [f64; 3] {
    let w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    let v = [
        a[0] * b[1] - a[1] * b[0] - a[2] * b[3] + a[3] * b[2],
        a[0] * b[2] - a[2] * b[0] - a[3] * b[1] + a[1] * b[3],
        a[0] * b[3] - a[3] * b[0] - a[1] * b[2] + a[2] * b[1],
    ];
    let sine = pose::norm(v);
    let sign = if w < 0.0 { -1.0 } else { 1.0 };
    let angle = 2.0 * atan2(sine, w.abs());
    let factor = if sine > 1e-12 { sign * angle / sine } else { 2.0 * sign };
    v.map(|x| x * factor)
}

/// A vector in the axes of a quaternion.
fn into_axes(q: &[f64], v: [f64; 3]) -> [f64; 3] {
    let axis = [-q[1], -q[2], -q[3]];
    let twice = pose::cross(axis, v).map(|x| 2.0 * x);
    let more = pose::cross(axis, twice);
    std::array::from_fn(|at| v[at] + q[0] * twice[at] + more[at])
}
