//! The names of everything that moves, for laws: coordinates and speeds, states, and signals.
//!
//! A signal is a quantity of a sensor, a point, a body, a line force or a wheel: `tip.vx`,
//! `hand.tip.x`, `spring.length`, `front.force.normal`. An expression gets a placeholder for it.
//! Forces follow from laws, which may use other forces, but not in a circle.

use crate::aliases::{self, Names};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{DraftValue, Measure, Value};
use crate::mechanism::{
    BodyId, EventTarget, Frame, LineForceQuantity, Mechanism, Placement, Signal, SignalSource,
    WHEEL_GEOMETRY, WheelQuantity,
};
use crate::resolve::expressions::Offer;
use crate::resolve::units::Of;
use crate::resolve::{Resolver, short};
use crate::source::Span;
use crate::units::Dimension;
use rotule_symbolic::{Expr, Kind, parse};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// Names of everything that moves.
#[derive(Default)]
pub(super) struct Moving {
    /// Coordinates, speeds and states.
    pub values: FxHashMap<String, Moves>,
    accelerations: FxHashMap<String, Expr>,
    owners: FxHashMap<String, Owner>,
    /// Speeds of joints with one, by the names of the joints.
    joints: FxHashMap<String, usize>,
}

/// Something that moves.
#[derive(Clone, Copy)]
pub(super) struct Moves {
    pub target: EventTarget,
    pub symbol: Expr,
    /// Its dimension, if a joint decides it.
    pub dimension: Option<Dimension>,
}

/// Something that has signals.
#[derive(Clone, Copy)]
enum Owner {
    Frame(Frame, BodyId),
    LineForce(usize),
    Wheel(usize),
}

/// The quantities that a place offers.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Those of the position.
    Position,
    /// Velocities, too, but no forces.
    Velocity,
    /// Forces, too.
    Force,
    /// Accelerations, too.
    Acceleration,
}

impl Moving {
    /// The names of a mechanism whose bodies and sensors are known. A sensor hides components of
    /// joints that have its name, and a joint those of a body.
    pub fn new(resolver: &Resolver<'_>, mechanism: &Mechanism) -> Moving {
        let mut moving = Moving::default();
        for joint in &mechanism.joints {
            if joint.speeds.len() == 1 {
                moving.joints.insert(joint.name.clone(), joint.speeds.start);
            }
            for (index, at) in joint.coordinates.clone().enumerate() {
                let (one, target) = (&mechanism.coordinates[at], EventTarget::Coordinate(at));
                let dimension = Of::Coordinate.dimension(joint.kind, index);
                let moves = Moves { target, symbol: one.symbol, dimension };
                moving.add(resolver, [&one.alias, &one.name], moves);
            }
            for (index, at) in joint.speeds.clone().enumerate() {
                let (one, target) = (&mechanism.speeds[at], EventTarget::Speed(at));
                let dimension = Of::Speed.dimension(joint.kind, index);
                let moves = Moves { target, symbol: one.symbol, dimension };
                moving.add(resolver, [&one.alias, &one.name], moves);
            }
        }
        for one in &mechanism.speeds {
            moving.accelerations.insert(resolver.graph.text(one.acceleration), one.acceleration);
            if let Some((joint, number)) = one.alias.split_once(".d[") {
                moving.accelerations.insert(format!("{joint}.dd[{number}"), one.acceleration);
            }
        }
        for (at, state) in resolver.draft.states.iter().enumerate() {
            let name = state.name.value.as_str();
            if let Some(&symbol) = resolver.states.get(name) {
                let moves = Moves { target: EventTarget::State(at), symbol, dimension: None };
                moving.values.insert(name.to_owned(), moves);
            }
        }
        let owners = &mut moving.owners;
        for (at, body) in mechanism.bodies.iter().enumerate().filter(|(_, one)| !one.fictitious) {
            let frame = Frame { body: BodyId::new(at), placement: Placement::IDENTITY };
            owners.insert(body.name.clone(), Owner::Frame(frame, BodyId::GROUND));
        }
        for point in &mechanism.points {
            owners.insert(point.name.clone(), Owner::Frame(point.frame, BodyId::GROUND));
        }
        // Those that could not be read leave no mechanism behind, so that positions agree.
        for (at, one) in resolver.draft.line_forces.iter().enumerate() {
            owners.insert(one.name.value.clone(), Owner::LineForce(at));
        }
        for (at, one) in resolver.draft.wheels.iter().enumerate() {
            owners.insert(one.name.value.clone(), Owner::Wheel(at));
        }
        for one in &mechanism.sensors {
            owners.insert(one.name.clone(), Owner::Frame(one.at, one.relative_to));
        }
        moving
    }

    fn add(&mut self, resolver: &Resolver<'_>, names: [&String; 2], moves: Moves) {
        for name in names.into_iter().filter(|name| !resolver.is_of_sensor(name)) {
            self.values.insert(name.clone(), moves);
        }
    }

    /// The signal of a name, and another of its names that all names of it share.
    fn signal(&self, name: &str) -> Option<(SignalSource, String)> {
        if let Some(&speed) = name.strip_suffix(".gravity").and_then(|joint| self.joints.get(joint))
        {
            return Some((SignalSource::Gravity(speed), name.to_owned()));
        }
        // The owner may be a point, `hand.tip`, and the quantity a component, `velocity.x`.
        name.match_indices('.').find_map(|(at, _)| {
            let (owner, quantity) = (&name[..at], &name[at + 1..]);
            let (source, word) = match *self.owners.get(owner)? {
                Owner::Frame(at, relative_to) => {
                    let word = aliases::canonical(Names::Sensor, quantity);
                    let (measure, component) = component_of(word)?;
                    (SignalSource::Frame { at, relative_to, measure, component }, word)
                }
                Owner::LineForce(at) => {
                    let word = aliases::canonical(Names::LineForce, quantity);
                    let quantity = match word {
                        "length" => LineForceQuantity::Length,
                        "rate" => LineForceQuantity::Rate,
                        "force" => LineForceQuantity::Force,
                        _ => return None,
                    };
                    (SignalSource::LineForce(at, quantity), word)
                }
                Owner::Wheel(at) => {
                    let word = aliases::canonical(Names::Wheel, quantity);
                    (SignalSource::Wheel(at, of_wheel(word)?), word)
                }
            };
            Some((source, format!("{owner}.{word}")))
        })
    }
}

/// The quantity of a frame by its name: `velocity.x`, `rotation.xy`.
fn component_of(word: &str) -> Option<(Measure, usize)> {
    let (word, component) = word.split_once('.')?;
    let (measure, _) = Measure::ALL.into_iter().find(|(_, known)| *known == word)?;
    let axis = |letter: char| ['x', 'y', 'z'].iter().position(|known| *known == letter);
    let letters: Vec<usize> = component.chars().map(axis).collect::<Option<_>>()?;
    let component = match (measure, &letters[..]) {
        (Measure::Jacobian, _) => return None,
        (Measure::Rotation, &[row, column]) => 3 * row + column,
        (Measure::Rotation, _) => return None,
        (_, &[component]) => component,
        _ => return None,
    };
    Some((measure, component))
}

/// The quantity of a wheel by its name.
fn of_wheel(word: &str) -> Option<WheelQuantity> {
    if let Some(at) = WHEEL_GEOMETRY.iter().position(|known| *known == word) {
        return Some(WheelQuantity::Geometry(at));
    }
    let (word, component) = word.split_once('.')?;
    let place = |known: [&str; 3]| known.iter().position(|known| *known == component);
    match word {
        "force" => place(["forward", "left", "normal"]).map(WheelQuantity::Force),
        "torque" => place(["forward", "left", "normal"]).map(WheelQuantity::Torque),
        "point" => place(["x", "y", "z"]).map(WheelQuantity::Point),
        _ => None,
    }
}

/// The dependence of a quantity, as far as stages of programs are concerned.
fn kind(source: SignalSource) -> Kind {
    match source {
        SignalSource::Frame { measure: Measure::Position | Measure::Rotation, .. }
        | SignalSource::LineForce(_, LineForceQuantity::Length)
        | SignalSource::Wheel(_, WheelQuantity::Point(_))
        | SignalSource::Gravity(_) => Kind::Coordinate,
        source if source.is_acceleration() => Kind::Acceleration,
        _ => Kind::Velocity,
    }
}

/// The reach that a place must have to offer a quantity.
fn reach(source: SignalSource) -> Reach {
    if source.is_force() || matches!(source, SignalSource::Wheel(..)) {
        return Reach::Force;
    }
    match kind(source) {
        Kind::Coordinate => Reach::Position,
        Kind::Acceleration => Reach::Acceleration,
        _ => Reach::Velocity,
    }
}

impl<'d> Resolver<'d> {
    /// The placeholder of the signal that a name means, if a place offers it.
    pub(super) fn signal(&mut self, known: &Moving, name: &str, up_to: Reach) -> Option<Expr> {
        let (source, full) = known.signal(name)?;
        if reach(source) > up_to {
            return None;
        }
        let symbol = self.graph.symbol(&format!("signal.{full}"), kind(source));
        if self.signals.iter().all(|known| known.symbol != symbol) {
            self.signals.push(Signal { source, symbol });
        }
        Some(symbol)
    }

    /// An expression that may use everything that moves besides its own names, with these in words.
    pub(super) fn moving(
        &mut self,
        scalar: &DraftValue,
        what: fmt::Arguments<'_>,
        of: Option<Dimension>,
        known: &Moving,
        (own, words, up_to): (&[(&str, Expr)], &str, Reach),
    ) -> Expr {
        let syntax = match &scalar.value {
            Value::Expression(text) => parse(text).ok(),
            Value::Number(_) => None,
        };
        let mut locals = own.to_vec();
        for used in syntax.iter().flat_map(rotule_symbolic::Syntax::names) {
            let moves = known.values.get(used.as_str());
            if let Some((_, local)) = own.iter().find(|(name, _)| name == used) {
                self.check_hidden(used, *local, moves, scalar.span, what);
                continue;
            }
            match moves {
                // States are offered to all laws.
                Some(Moves { target: EventTarget::State(_), .. }) => {}
                Some(moves) => locals.push((used, moves.symbol)),
                None => {
                    if up_to == Reach::Acceleration
                        && let Some(&symbol) = known.accelerations.get(used.as_str())
                    {
                        locals.push((used, symbol));
                    } else if let Some(symbol) = self.signal(known, used, up_to) {
                        locals.push((used, symbol));
                    }
                }
            }
        }
        let offer = Offer { locals: &locals, words, externals: true, states: true };
        self.law(scalar, what, of, &offer)
    }

    /// Warns where a law's own name hides a coordinate of another element.
    fn check_hidden(
        &mut self,
        name: &str,
        own: Expr,
        moves: Option<&Moves>,
        span: Span,
        what: fmt::Arguments<'_>,
    ) {
        if moves.is_none_or(|moves| moves.symbol == own) {
            return;
        }
        let message = format!("`{}` in {what} is not the joint of that name", short(name));
        let help = "the place offers its own; give the joint another name to use it here";
        self.out.push(Diagnostic::warning(DiagnosticCode::Ambiguous, span, message).help(help));
    }

    /// Brings signals into an order in which each comes behind what it needs, and reports forces
    /// that need each other in a circle.
    pub(super) fn order_signals(&mut self, mechanism: &mut Mechanism) {
        let signals = std::mem::take(&mut self.signals);
        // Elements whose laws use the forces of others: line forces first, then wheels.
        let lines = mechanism.line_forces.len();
        let element = |source: SignalSource| match source {
            SignalSource::LineForce(at, LineForceQuantity::Force) => Some(at),
            SignalSource::Wheel(at, _) if source.is_force() => Some(lines + at),
            _ => None,
        };
        let mut rank: FxHashMap<usize, usize> = FxHashMap::default();
        let mut open: Vec<usize> = signals.iter().filter_map(|one| element(one.source)).collect();
        open.sort_unstable();
        open.dedup();
        let needs: FxHashMap<usize, Vec<usize>> = open
            .iter()
            .map(|&at| {
                let laws = match at.checked_sub(lines) {
                    None => vec![mechanism.line_forces[at].force],
                    Some(wheel) => {
                        mechanism.wheels.get(wheel).map_or(Vec::new(), |one| one.laws.to_vec())
                    }
                };
                let below: FxHashSet<Expr> = self.graph.reachable(&laws).into_iter().collect();
                let used = signals.iter().filter(|one| below.contains(&one.symbol.abs()));
                (at, used.filter_map(|one| element(one.source)).collect())
            })
            .collect();
        // Each round takes the elements all of whose needs have been taken.
        loop {
            let ready = |at: &usize| needs[at].iter().all(|need| rank.contains_key(need));
            let (now, later): (Vec<usize>, Vec<usize>) = open.iter().partition(|at| ready(at));
            open = later;
            if now.is_empty() {
                break;
            }
            for at in now {
                rank.insert(at, rank.len() + 1);
            }
        }
        if !open.is_empty() {
            self.report_forces(&needs, &open, lines);
        }
        mechanism.signals = signals;
        let place = |one: &Signal| element(one.source).and_then(|at| rank.get(&at)).copied();
        mechanism.signals.sort_by_key(|one| place(one).unwrap_or(0));
    }

    /// Reports a circle among elements each of which needs another of them.
    fn report_forces(
        &mut self,
        needs: &FxHashMap<usize, Vec<usize>>,
        open: &[usize],
        lines: usize,
    ) {
        let mut path = vec![open[0]];
        let circle = loop {
            let last = path[path.len() - 1];
            let Some(&next) = needs[&last].iter().find(|need| open.contains(need)) else { return };
            if let Some(start) = path.iter().position(|&at| at == next) {
                break path.split_off(start);
            }
            path.push(next);
        };
        let draft = self.draft;
        let name = |at: usize| match at.checked_sub(lines) {
            None => &draft.line_forces[at].name,
            Some(wheel) => &draft.wheels[wheel].name,
        };
        let mut names: Vec<&str> = circle.iter().map(|&at| name(at).value.as_str()).collect();
        names.push(names[0]);
        let message = format!("forces depend on each other in a circle: {}", names.join(" needs "));
        let help = "let one of them use positions and speeds, or a `[[state]]` that follows the \
                    other force";
        let span = name(circle[0]).span;
        self.out.push(Diagnostic::error(DiagnosticCode::Cycle, span, message).help(help));
    }
}
