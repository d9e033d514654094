//! States of the user's own: their symbols, before any law is read, and their rates, after all
//! coordinates are known.
//!
//! States may use each other in circles: each has a value of its own at every time, so nothing has
//! to be solved.

use crate::draft::{Scalar, Value};
use crate::mechanism::{EventTarget, Mechanism, Signal, UserState};
use crate::resolve::Resolver;
use crate::resolve::elements::add;
use crate::resolve::expressions::Offer;
use crate::resolve::units::{self, Of};
use crate::units::Dimension;
use rotule_symbolic::{Expr, Kind, parse};
use rustc_hash::FxHashMap;
use std::fmt;

/// Coordinates, speeds and states by their names.
pub(super) struct Moving(pub FxHashMap<String, Moves>);

/// Something that moves.
#[derive(Clone, Copy)]
pub(super) struct Moves {
    pub target: EventTarget,
    pub symbol: Expr,
    /// Its dimension, if a joint decides it.
    pub dimension: Option<Dimension>,
}

impl Moving {
    pub fn new(mechanism: &Mechanism, is_hidden: impl Fn(&str) -> bool) -> Moving {
        let mut all = FxHashMap::default();
        let mut add = |names: [&String; 2], moves: Moves| {
            for name in names.into_iter().filter(|name| !is_hidden(name)) {
                all.insert(name.clone(), moves);
            }
        };
        for joint in &mechanism.joints {
            for (index, at) in joint.coordinates.clone().enumerate() {
                let (one, target) = (&mechanism.coordinates[at], EventTarget::Coordinate(at));
                let dimension = Of::Coordinate.dimension(joint.kind, index);
                add([&one.alias, &one.name], Moves { target, symbol: one.symbol, dimension });
            }
            for (index, at) in joint.speeds.clone().enumerate() {
                let (one, target) = (&mechanism.speeds[at], EventTarget::Speed(at));
                let dimension = Of::Speed.dimension(joint.kind, index);
                add([&one.alias, &one.name], Moves { target, symbol: one.symbol, dimension });
            }
        }
        for (at, one) in mechanism.states.iter().enumerate() {
            let moves =
                Moves { target: EventTarget::State(at), symbol: one.symbol, dimension: None };
            all.insert(one.name.clone(), moves);
        }
        Moving(all)
    }
}

impl<'d> Resolver<'d> {
    /// Gives every state a symbol, so that laws can use it.
    pub(super) fn declare_states(&mut self) {
        for state in &self.draft.states {
            let name = state.name.value.as_str();
            if self.names.states.contains(name) {
                let symbol = self.graph.symbol(name, Kind::External);
                self.states.insert(name, symbol);
                if let Some(written) = &state.unit
                    && let Ok(unit) = crate::units::parse(&written.value)
                {
                    self.dimensions.insert(name, (unit.dimension(), written.span));
                }
            }
        }
    }

    /// Fills in states.
    pub(super) fn states(&mut self, mechanism: &mut Mechanism) {
        let draft = self.draft;
        if draft.states.is_empty() {
            return;
        }
        let known = Moving::new(mechanism, |name| self.is_of_sensor(name));
        let mut found = Vec::new();
        for state in &draft.states {
            let name = state.name.value.as_str();
            let Some(&symbol) = self.states.get(name) else { continue };
            let what = format_args!("the initial value of state `{name}`");
            let unit = self.read_unit(state.unit.as_ref(), format_args!("state `{name}`"));
            let of = unit.as_ref().map(crate::units::Unit::dimension);
            let initial = match &state.initial {
                Some(written) => {
                    let initial = self.scalar(written, what, of);
                    self.in_unit(initial, written, what, unit.as_ref())
                }
                None => Expr::ZERO,
            };
            let what = format_args!("the rate of state `{name}`");
            let of = of.map(|dimension| dimension.per_time(1));
            let (rate, signals) = self.moving(&state.rate, what, of, &known);
            self.check_rate(&state.rate, what, unit.as_ref());
            let unit = units::shown(unit.as_ref(), state.unit.as_ref());
            let about = state.about.as_ref().map_or(String::new(), |text| text.value.clone());
            let name = name.to_owned();
            found.push(UserState { name, symbol, initial, rate, signals, unit, about });
        }
        mechanism.states = found;
    }

    /// An expression of all that moves, and the signals of sensors that it uses.
    pub(super) fn moving(
        &mut self,
        scalar: &Scalar,
        what: fmt::Arguments<'_>,
        of: Option<Dimension>,
        known: &Moving,
    ) -> (Expr, Vec<Signal>) {
        let syntax = match &scalar.value {
            Value::Expression(text) => parse(text).ok(),
            Value::Number(_) => None,
        };
        let (mut locals, mut signals): (_, Vec<Signal>) = (vec![("t", self.time)], Vec::new());
        for used in syntax.iter().flat_map(rotule_symbolic::Syntax::names) {
            match known.0.get(used.as_str()) {
                // States are offered to all laws.
                Some(Moves { target: EventTarget::State(_), .. }) => {}
                Some(moves) => locals.push((used, moves.symbol)),
                None => {
                    if let Some(signal) = self.signal(used) {
                        locals.push((used, signal.symbol));
                        add(&mut signals, signal);
                    }
                }
            }
        }
        let words = "coordinates, speeds such as `q1.d`, `t`, signals of sensors such as `tip.vx`, \
                     parameters and externals";
        let offer = Offer { locals: &locals, words, externals: true, states: true };
        (self.law(scalar, what, of, &offer), signals)
    }
}
