//! Signals: quantities of the mechanism that laws and other expressions use by placeholders.
//!
//! Each is written once for a motion, in the order in which one needs another, so that a law may
//! use the force of another element, however long the chain is.

use crate::dynamics::parts;
use crate::forces::{contact_of, geometry_of, line_of};
use crate::formalism::Formalism;
use crate::kinematics::outward::{Frames, Level};
use crate::parts::Parts;
use crate::system::MotionInput;
use crate::writer::Writer;
use rotule_model::draft::Measure;
use rotule_model::index::{ByCoordinate, BySpeed, SpeedId};
use rotule_model::mechanism::{BodyId, LineForceQuantity, Signal, SignalSource, WheelQuantity};
use rotule_symbolic::{Expr, Scalar};
use std::collections::{BTreeMap, BTreeSet};

/// Signals that were written for a motion, by their placeholders.
#[derive(Clone, Default)]
pub(crate) struct Written {
    /// The coordinates, speeds and accelerations of the motion.
    motion: (ByCoordinate<Expr>, BySpeed<Expr>, BySpeed<Expr>),
    values: BTreeMap<Expr, Expr>,
}

/// Expressions with what signals stand for in the place of their placeholders.
pub(crate) fn settled(writer: Writer<'_, '_>, list: &[Expr]) -> Vec<Expr> {
    if writer.mechanism.signals.is_empty() {
        return list.to_vec();
    }
    let pairs = pairs(writer, list);
    if pairs.is_empty() { list.to_vec() } else { writer.substitute(list, &pairs) }
}

/// The signals that expressions use, as pairs of a placeholder and what it stands for.
fn pairs(writer: Writer<'_, '_>, list: &[Expr]) -> Vec<(Expr, Expr)> {
    let used = used(writer, list);
    if used.is_empty() {
        return Vec::new();
    }
    let MotionInput { q, qd, qdd, .. } = writer.motion;
    let motion = (q.clone(), qd.clone(), qdd.clone());
    if writer.sheet.signals.borrow().motion != motion {
        *writer.sheet.signals.borrow_mut() = Written { motion, values: BTreeMap::new() };
    }
    let known = |symbol: Expr| writer.sheet.signals.borrow().values.get(&symbol).copied();
    let mut kinematics = Kinematics::default();
    // What a force needs is written first, so that no force waits for a chain of others.
    for signal in needed(writer, &used) {
        if known(signal.symbol).is_none() {
            let value = kinematics.value(writer, signal.source).expr();
            writer.sheet.signals.borrow_mut().values.insert(signal.symbol, value);
        }
    }
    used.iter().filter_map(|one| Some((one.symbol, known(one.symbol)?))).collect()
}

/// The signals that some expressions use themselves.
fn used(writer: Writer<'_, '_>, list: &[Expr]) -> Vec<Signal> {
    writer.edit(|graph| {
        let mut symbols = BTreeSet::new();
        for &expr in list {
            let set = graph.symbols_of(expr);
            symbols.extend(graph.symbols_in(set));
        }
        let own = |one: &&Signal| {
            graph.symbol_of(one.symbol).is_some_and(|symbol| symbols.contains(&symbol))
        };
        writer.mechanism.signals.iter().filter(own).copied().collect()
    })
}

/// Some signals and all that they need, in the order of the mechanism.
fn needed(writer: Writer<'_, '_>, used: &[Signal]) -> Vec<Signal> {
    let mut found: BTreeSet<Expr> = used.iter().map(|one| one.symbol).collect();
    let mut open: Vec<Signal> = used.to_vec();
    while let Some(one) = open.pop() {
        let elements = &writer.motion.elements;
        let laws = match one.source {
            SignalSource::LineForce(at, _) if one.source.is_force() => {
                vec![elements.line_forces[at]]
            }
            SignalSource::Wheel(at, _) if one.source.is_force() => elements.wheels[at].to_vec(),
            _ => continue,
        };
        open.extend(self::used(writer, &laws).into_iter().filter(|one| found.insert(one.symbol)));
    }
    let all = writer.mechanism.signals.iter();
    all.filter(|one| found.contains(&one.symbol)).copied().collect()
}

/// Kinematics relative to bodies, each body and level once.
#[derive(Default)]
struct Kinematics<'g> {
    frames: BTreeMap<(usize, bool), Frames<'g>>,
    /// The efforts that hold the mechanism against gravity.
    gravity: Option<BySpeed<Scalar<'g>>>,
}

impl<'g> Kinematics<'g> {
    fn value(&mut self, writer: Writer<'_, 'g>, source: SignalSource) -> Scalar<'g> {
        match source {
            SignalSource::Gravity(speed) => {
                let efforts = || parts(writer, Parts::GRAVITY, Formalism::NewtonEuler);
                self.gravity.get_or_insert_with(efforts)[SpeedId::new(speed)]
            }
            SignalSource::Frame { at, relative_to, measure, component } => {
                let moving = self.frames(writer, relative_to, source.is_acceleration());
                let place = writer.locate(at);
                let moving = moving.place(writer, place);
                let vector = match measure {
                    Measure::Rotation => return moving.R[component / 3][component % 3],
                    Measure::Velocity => moving.v,
                    Measure::AngularVelocity => moving.w,
                    Measure::Acceleration => moving.a,
                    Measure::AngularAcceleration => moving.wd,
                    Measure::Position | Measure::Jacobian => moving.p,
                };
                vector[component]
            }
            SignalSource::LineForce(at, quantity) => {
                let line = line_of(writer, at, quantity == LineForceQuantity::Force);
                match quantity {
                    LineForceQuantity::Length => line.Z,
                    LineForceQuantity::Rate => line.Zd,
                    LineForceQuantity::Force => line.F,
                }
            }
            SignalSource::Wheel(at, WheelQuantity::Geometry(number)) => {
                geometry_of(writer, at).quantity(number)
            }
            SignalSource::Wheel(at, WheelQuantity::Point(axis)) => {
                geometry_of(writer, at).point[axis]
            }
            SignalSource::Wheel(at, WheelQuantity::Force(axis)) => {
                writer.scalar(contact_of(writer, at).force[axis])
            }
            SignalSource::Wheel(at, WheelQuantity::Torque(axis)) => {
                writer.scalar(contact_of(writer, at).torque[axis])
            }
        }
    }

    fn frames(
        &mut self,
        writer: Writer<'_, 'g>,
        body: BodyId,
        accelerations: bool,
    ) -> &mut Frames<'g> {
        let level = if accelerations { Level::Acceleration } else { Level::Velocity };
        let frames = || Frames::new(writer.body(body), level);
        self.frames.entry((body.index(), accelerations)).or_insert_with(frames)
    }
}
