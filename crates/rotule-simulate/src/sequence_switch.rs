//! Switches of the Euler-angle sequence of a plant's gimbals near gimbal lock, and the plant in the
//! user's angles.
//!
//! While a gimbal is described by another sequence, observers, events and impacts still see the
//! user's angles: the point is converted for them, on the branch that continues the motion. Laws
//! see them by expressions (`gimbal_laws.rs`).

use crate::euler_sequence::{AxisOrder, EulerSequence};
use crate::gimbal::{FixedSequence, Gimbal, gimbals};
use crate::gimbal_laws::{PARAMETERS, STRAIGHT, add_parameters, describe_by};
use crate::hold::held_mechanism;
use crate::inputs::InputPoint;
use crate::outputs;
use crate::plant::{CoordinateChange, Plant};
use rotule_formalism::{MultibodySystem, Problem, normalise};
use rotule_model::pose::{Components, cross, dot, norm};
use rotule_numeric::dense::DenseLu;
use std::ops::Range;

/// The gimbals of a plant.
#[derive(Default)]
pub(crate) struct Sequences {
    gimbals: Vec<Described>,
    fixed: Vec<FixedSequence>,
    /// The tree in the user's angles, while a gimbal is described by another sequence.
    pub user: Option<MultibodySystem>,
    /// The tree and the point that are integrated, while the user's are shown.
    integrated: Option<(MultibodySystem, InputPoint)>,
}

/// A gimbal and the sequence that describes it now.
struct Described {
    gimbal: Gimbal,
    /// The order of frame axes; none is the user's sequence.
    order: Option<AxisOrder>,
    /// The user's angles at the last accepted point.
    angles: Components,
    /// References of the angles and the least distance among the parameters.
    parameters: Range<usize>,
}

/// Laws know the first angle up to a quarter revolution from its reference, which follows in steps
/// of this.
const REFERENCE: f64 = 0.25;
/// Torques of efforts on outer axes may be bounded below this distance from gimbal lock.
const BOUNDED: f64 = 0.05;
/// Sideways motion that decays this much faster than gimbal lock comes nearer is slaved to the
/// forces.
const SLAVED: f64 = 2e3;
/// A run that fails with the axes of a chain this near to gimbal lock has it in its message.
const NOTED: f64 = 0.05;
/// A run that fails this near to gimbal lock of a gimbal whose sequence was switched has it in its
/// message.
const LOCKED: f64 = 1e-4;

impl Described {
    fn sequence(&self) -> EulerSequence {
        self.gimbal.sequence(self.order)
    }

    /// Converts a point from the present sequence to the user's.
    fn to_user(&self, point: &mut InputPoint) {
        if self.order.is_some() {
            let near = self.near(point);
            self.gimbal.convert(&self.sequence(), &self.gimbal.user, near, point);
        }
    }

    /// Angles that those of a point are near to: the last ones, or their references where the third
    /// axis goes straight through gimbal lock and the outer angles of a single point may be
    /// rounding errors.
    fn near(&self, point: &InputPoint) -> Components {
        match point.parameters[self.parameters.clone()] {
            [a, b, c, least] if least > 0.0 => [a, b, c],
            _ => self.angles,
        }
    }

    /// The user's angles of a point of the present sequence.
    fn user_angles(&self, point: &InputPoint) -> Components {
        let angles = self.gimbal.angles(point);
        match self.order {
            None => angles,
            Some(_) => self.gimbal.user.angles(&self.sequence().rotation(angles), self.near(point)),
        }
    }

    /// The order of frame axes that should describe it at a point; none is the user's sequence.
    fn preferred(&self, held: &[usize], point: &InputPoint) -> Option<AxisOrder> {
        // A chain of two joints that events left free is not in gimbal lock.
        let free = !held.iter().any(|joint| self.gimbal.joints.contains(joint));
        self.gimbal.preferred(self.order, point).filter(|_| free)
    }

    /// Moves the references to the last angles if these are far from them; true if they moved.
    fn follow(&self, parameters: &mut [f64]) -> bool {
        let (own, least) = parameters[self.parameters.clone()].split_at_mut(3);
        let distance = self.gimbal.user.determinant(self.angles);
        if distance < 2.0 * STRAIGHT * least[0] {
            return false;
        }
        // Where the third axis is about to go straight on, the reference is the last angle.
        let allowed = if least[0] > 0.0 { 0.0 } else { REFERENCE };
        let far = own.iter().zip(self.angles).any(|(own, angle)| (own - angle).abs() > allowed);
        if far {
            own.copy_from_slice(&self.angles);
        }
        far
    }
}

impl Plant {
    /// Finds the gimbals of a new plant, and gives its point their parameters.
    pub(crate) fn find_gimbals(&mut self) {
        let found = gimbals(&self.base, &self.point.parameters);
        self.sequences.fixed = found.fixed;
        for gimbal in found.switchable {
            let first = self.point.parameters.len();
            let parameters = first..first + PARAMETERS;
            self.point.parameters.resize(parameters.end, 0.0);
            let angles = gimbal.angles(&self.point);
            let order = None;
            self.sequences.gimbals.push(Described { gimbal, order, angles, parameters });
        }
    }

    /// The orders of frame axes that describe the gimbals now; none is the user's sequence.
    pub(crate) fn orders(&self) -> Vec<Option<AxisOrder>> {
        self.sequences.gimbals.iter().map(|one| one.order).collect()
    }

    /// Switches the Euler-angle sequences of gimbals that come near gimbal lock, and back where the
    /// user's are regular again; says which joints and how. The point stays what it is, the state
    /// must be gathered anew. To be called at each accepted point, because the user's angles go on
    /// from the last one.
    pub fn switch_sequences(&mut self) -> Result<Option<String>, Problem> {
        let mut stays = true;
        for one in &mut self.sequences.gimbals {
            one.angles = one.user_angles(&self.point);
            stays &= one.preferred(&self.held, &self.point) == one.order;
        }
        let said = if stays { None } else { Some(self.take_preferred()?) };
        let mut moved = stays && self.follow_references();
        for at in 0..self.sequences.gimbals.len() {
            moved |= self.bound_torques(at)?;
        }
        if moved {
            self.renew_parameters();
        }
        Ok(said)
    }

    /// Describes each gimbal by the sequence that it prefers; says what changed.
    fn take_preferred(&mut self) -> Result<String, Problem> {
        let (mut said, mut orders) = (Vec::new(), Vec::new());
        for one in &self.sequences.gimbals {
            let order = one.preferred(&self.held, &self.point);
            orders.push(order);
            if order == one.order {
                continue;
            }
            let names = one.gimbal.joints.map(|at| self.base.joints[at].name.as_str()).join(", ");
            said.push(match order {
                None => format!("{names} by their own axes"),
                Some(order) => {
                    let axes = order.map(|axis| ["x", "y", "z"][axis]).join(" ");
                    format!("{names} by rotations about {axes}")
                }
            });
        }
        self.change(CoordinateChange::Sequences(orders))?;
        Ok(said.join("; "))
    }

    /// Sets or lifts the least distance of a gimbal in the torques of efforts on its outer axes;
    /// true if it changed.
    ///
    /// Dampers on outer axes make the sideways speed of the third axis decay at a rate that grows
    /// like the inverse square of the distance. Where it decays [`SLAVED`] times faster than gimbal
    /// lock comes nearer, nothing is left of it, and a bound changes nothing but the stiffness of
    /// the equations.
    fn bound_torques(&mut self, at: usize) -> Result<bool, Problem> {
        let one = &self.sequences.gimbals[at];
        let place = one.parameters.start + 3;
        let least = self.point.parameters[place];
        if one.order.is_none() {
            return Ok(std::mem::take(&mut self.point.parameters[place]) > 0.0);
        }
        let user = one.user_angles(&self.point);
        let distance = one.gimbal.user.determinant(user);
        if distance > BOUNDED || least > 0.0 && distance > 2.0 * least {
            return Ok(std::mem::take(&mut self.point.parameters[place]) > 0.0);
        }
        if least > 0.0 {
            return Ok(false);
        }
        let (sequence, gimbal) = (one.sequence(), one.gimbal.clone());
        let present = gimbal.angles(&self.point);
        let [_, second, third] = gimbal.user.axes(user);
        let sideways = cross(second, third);
        // The change of generalised forces by a unit of sideways speed, as a change of the sideways
        // acceleration.
        let rates = sequence.rates(present, sideways);
        let before = self.known("efforts")?.output(outputs::ONLY).to_vec();
        let own = self.point.qd.clone();
        gimbal.speeds.iter().zip(rates).for_each(|(&at, rate)| self.point.qd[at] += rate);
        let after = self.known("efforts").map(|efforts| efforts.output(outputs::ONLY).to_vec());
        self.point.qd = own;
        let change: Vec<f64> =
            after?.iter().zip(&before).map(|(after, before)| after - before).collect();
        let size = self.point.qd.len();
        let mut accelerations = Vec::new();
        DenseLu::of(self.known("mass")?.output(outputs::ONLY), size)
            .solve(&change, &mut accelerations);
        let own = sequence.velocity(present, gimbal.speeds.map(|at| accelerations[at]));
        let decay = -dot(own, sideways);
        let speeds = gimbal.speeds.map(|at| self.point.qd[at]);
        let approach = norm(cross(sequence.velocity(present, speeds), third));
        let slaved = decay * distance > SLAVED * approach;
        if slaved {
            self.point.parameters[place - 3..place].copy_from_slice(&user);
            self.point.parameters[place] = distance;
        }
        Ok(slaved)
    }

    /// Goes back to the user's sequences at the present point; true if there were others.
    pub(crate) fn restore_sequences(&mut self) -> Result<bool, Problem> {
        if self.sequences.user.is_none() {
            return Ok(false);
        }
        let orders = vec![None; self.sequences.gimbals.len()];
        self.change(CoordinateChange::Sequences(orders))?;
        Ok(true)
    }

    /// Describes the gimbals, and the point with them, by other sequences.
    pub(crate) fn convert(&mut self, orders: &[Option<AxisOrder>]) {
        for (one, &order) in self.sequences.gimbals.iter_mut().zip(orders) {
            one.describe(order, &mut self.point);
        }
        self.follow_references();
    }

    /// Moves references to the last angles; true if any moved.
    fn follow_references(&mut self) -> bool {
        let mut moved = false;
        for one in self.sequences.gimbals.iter().filter(|one| one.order.is_some()) {
            moved |= one.follow(&mut self.point.parameters);
        }
        moved
    }

    /// The tree with the present sequences and the joints that are held.
    pub(crate) fn switched_tree(&self) -> MultibodySystem {
        let mut mechanism = held_mechanism(&self.base, &self.holds, &self.held_set());
        let gimbals = &self.sequences.gimbals;
        let parameters: Vec<_> =
            gimbals.iter().map(|one| add_parameters(&mut mechanism, &one.gimbal)).collect();
        for (one, parameters) in gimbals.iter().zip(parameters) {
            if let Some(order) = one.order {
                let efforts = one.gimbal.speeds.map(|at| self.point.effort[at]);
                describe_by(&mut mechanism, &one.gimbal, order, parameters, efforts);
            }
        }
        normalise(mechanism)
    }

    /// A point of the present sequences in the user's angles.
    pub(crate) fn user_point(&self, mut point: InputPoint) -> InputPoint {
        if self.sequences.user.is_some() {
            self.sequences.gimbals.iter().for_each(|one| one.to_user(&mut point));
        }
        point
    }

    /// The tree in the user's angles.
    pub(crate) fn user_tree(&self) -> &MultibodySystem {
        self.sequences.user.as_ref().unwrap_or(&self.tree)
    }

    /// Shows the plant in the user's angles.
    pub fn as_user<R>(&mut self, show: impl FnOnce(&mut Plant) -> R) -> R {
        let Some(user) = self.sequences.user.take() else { return show(self) };
        let tree = std::mem::replace(&mut self.tree, user);
        let own = self.point.clone();
        self.sequences.gimbals.iter().for_each(|one| one.to_user(&mut self.point));
        self.sequences.integrated = Some((tree, own));
        let shown = show(self);
        if let Some((tree, point)) = self.sequences.integrated.take() {
            self.point = point;
            self.sequences.user = Some(std::mem::replace(&mut self.tree, tree));
        }
        shown
    }

    /// Shows the plant as it is integrated to someone who sees it in the user's angles; none if
    /// both are the same.
    pub(crate) fn as_integrated<R>(&mut self, show: impl FnOnce(&mut Plant) -> R) -> Option<R> {
        let (tree, point) = self.sequences.integrated.take()?;
        let tree = std::mem::replace(&mut self.tree, tree);
        let point = std::mem::replace(&mut self.point, point);
        let shown = show(self);
        let tree = std::mem::replace(&mut self.tree, tree);
        let point = std::mem::replace(&mut self.point, point);
        self.sequences.integrated = Some((tree, point));
        Some(shown)
    }

    /// The row `w` with which a speed of the user's is `w . qd` at the present point.
    pub(crate) fn speed_row(&self, speed: usize) -> Vec<f64> {
        let mut row = vec![0.0; self.point.qd.len()];
        let of = |one: &&Described| one.order.is_some() && one.gimbal.speeds.contains(&speed);
        let Some(one) = self.sequences.gimbals.iter().find(of) else {
            row[speed] = 1.0;
            return row;
        };
        let axes = one.sequence().axes(one.gimbal.angles(&self.point));
        let angles = one.user_angles(&self.point);
        let own = one.gimbal.speeds.iter().position(|&at| at == speed).unwrap_or(0);
        for (&at, axis) in one.gimbal.speeds.iter().zip(axes) {
            row[at] = one.gimbal.user.rates(angles, axis)[own];
        }
        row
    }

    /// The end of the next step of a method that chooses its steps: not so late that gimbal lock
    /// could be jumped over, or the user's angles be lost.
    pub(crate) fn step_end(&self, to: f64) -> f64 {
        let gimbals = self.sequences.gimbals.iter();
        let times = gimbals.map(|one| one.gimbal.time_scale(one.order, &self.point));
        // A step must change the time.
        let shortest = 64.0 * f64::EPSILON * self.point.t.abs();
        times.fold(to, |end, time| end.min(self.point.t + time.max(shortest)))
    }

    /// The chain of joints in gimbal lock at the present point, with what is to be done, in words.
    pub(crate) fn gimbal_lock(&self) -> Option<String> {
        let names = |joints: [usize; 3]| {
            joints.map(|at| format!("`{}`", self.base.joints[at].name)).join(", ")
        };
        let near = |one: &&FixedSequence| one.determinant(&self.point) < NOTED;
        if let Some(one) = self.sequences.fixed.iter().find(near) {
            return Some(format!(
                "joints {} are near gimbal lock, and their Euler-angle sequence cannot be switched because {}; use a `spherical` joint, or axes whose gimbal lock is elsewhere",
                names(one.joints),
                one.reason
            ));
        }
        let locked =
            |one: &&Described| one.gimbal.user.determinant(one.user_angles(&self.point)) < LOCKED;
        let one = self.sequences.gimbals.iter().find(locked)?;
        Some(format!(
            "joints {} are in gimbal lock, where efforts on the first and the last axis have no bound on what they do to the body; leave these efforts out, or give the joints an armature",
            names(one.gimbal.joints)
        ))
    }
}

impl Described {
    /// Describes the gimbal by another sequence, and the point with it.
    fn describe(&mut self, order: Option<AxisOrder>, point: &mut InputPoint) {
        let (from, to) = (self.sequence(), self.gimbal.sequence(order));
        // Frame axes have no past, the user's angles go on.
        let near = if order.is_some() { [0.0; 3] } else { self.angles };
        if order != self.order {
            self.gimbal.convert(&from, &to, near, point);
        }
        self.order = order;
        if order.is_none() {
            self.angles = self.gimbal.angles(point);
        }
    }
}
