//! States of the user's own: their symbols, before any law is read, and their rates, after all coordinates are known.
//!
//! States may use each other in circles: each has a value of its own at every time, so nothing has to be solved.

use crate::draft::Value;
use crate::mechanism::{Mechanism, Signal, State};
use crate::resolve::Resolver;
use crate::resolve::elements::by_name;
use crate::resolve::expressions::Offer;
use rotule_symbolic::{Expr, Kind, parse};
use rustc_hash::FxHashMap;

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
        let coordinates = by_name(mechanism);
        let speeds: FxHashMap<&str, Expr> =
            mechanism.speeds.iter().map(|speed| (speed.name.as_str(), speed.symbol)).collect();
        let mut found = Vec::new();
        for state in &draft.states {
            let name = state.name.value.as_str();
            let Some(&symbol) = self.states.get(name) else { continue };
            let of = format_args!("the initial value of state `{name}`");
            let initial = self.scalar_or_zero(state.initial.as_ref(), of);
            let syntax = match &state.rate.value {
                Value::Expression(text) => parse(text).ok(),
                Value::Number(_) => None,
            };
            let (mut locals, mut signals): (_, Vec<Signal>) = (vec![("t", self.time)], Vec::new());
            for used in syntax.iter().flat_map(rotule_symbolic::Syntax::names) {
                if let Some(&index) = coordinates.get(used.as_str()) {
                    locals.push((used, mechanism.coordinates[index].symbol));
                } else if let Some(&speed) = speeds.get(used.as_str()) {
                    locals.push((used, speed));
                } else if let Some(signal) = self.signal(used) {
                    locals.push((used, signal.symbol));
                    signals.push(signal);
                }
            }
            let words = "coordinates, speeds such as `q1.d`, `t`, signals of sensors such as `tip.vx`, \
                         parameters and externals";
            let offer = Offer { locals: &locals, words, externals: true, states: true };
            let rate = self.law(&state.rate, format_args!("the rate of state `{name}`"), &offer);
            let text = |text: &Option<crate::draft::Text>| {
                text.as_ref().map_or(String::new(), |text| text.value.clone())
            };
            let (unit, about) = (text(&state.unit), text(&state.about));
            let name = name.to_owned();
            found.push(State { name, symbol, initial, rate, signals, unit, about });
        }
        mechanism.states = found;
    }
}
