//! States of the user's own: their symbols, before any law is read, and their rates, after all coordinates are known.
//!
//! States may use each other in circles: each has a value of its own at every time, so nothing has to be solved.

use crate::draft::{Scalar, Value};
use crate::mechanism::{Mechanism, Signal, State, Target};
use crate::resolve::Resolver;
use crate::resolve::expressions::Offer;
use rotule_symbolic::{Expr, Kind, parse};
use rustc_hash::FxHashMap;
use std::fmt;

/// Coordinates, speeds and states by their names.
pub(super) struct Moving(pub FxHashMap<String, (Target, Expr)>);

impl Moving {
    pub fn new(mechanism: &Mechanism) -> Moving {
        let mut all = FxHashMap::default();
        for (at, one) in mechanism.coordinates.iter().enumerate() {
            all.insert(one.name.clone(), (Target::Coordinate(at), one.symbol));
        }
        for (at, one) in mechanism.speeds.iter().enumerate() {
            all.insert(one.name.clone(), (Target::Speed(at), one.symbol));
        }
        for (at, one) in mechanism.states.iter().enumerate() {
            all.insert(one.name.clone(), (Target::State(at), one.symbol));
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
            }
        }
    }

    /// Fills in states.
    pub(super) fn states(&mut self, mechanism: &mut Mechanism) {
        let draft = self.draft;
        if draft.states.is_empty() {
            return;
        }
        let known = Moving::new(mechanism);
        let mut found = Vec::new();
        for state in &draft.states {
            let name = state.name.value.as_str();
            let Some(&symbol) = self.states.get(name) else { continue };
            let of = format_args!("the initial value of state `{name}`");
            let initial = self.scalar_or_zero(state.initial.as_ref(), of);
            let what = format_args!("the rate of state `{name}`");
            let (rate, signals) = self.moving(&state.rate, what, &known);
            let text = |text: &Option<crate::draft::Text>| {
                text.as_ref().map_or(String::new(), |text| text.value.clone())
            };
            let (unit, about) = (text(&state.unit), text(&state.about));
            let name = name.to_owned();
            found.push(State { name, symbol, initial, rate, signals, unit, about });
        }
        mechanism.states = found;
    }
    /// An expression of all that moves, and the signals of sensors that it uses.
    pub(super) fn moving(
        &mut self,
        scalar: &Scalar,
        what: fmt::Arguments<'_>,
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
                Some((Target::State(_), _)) => {}
                Some((_, symbol)) => locals.push((used, *symbol)),
                None => {
                    if let Some(signal) = self.signal(used) {
                        locals.push((used, signal.symbol));
                        signals.push(signal);
                    }
                }
            }
        }
        let words = "coordinates, speeds such as `q1.d`, `t`, signals of sensors such as `tip.vx`, \
                     parameters and externals";
        let offer = Offer { locals: &locals, words, externals: true, states: true };
        (self.law(scalar, what, &offer), signals)
    }
}
