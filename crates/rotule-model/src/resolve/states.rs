//! States of the user's own: their symbols, before any law is read, and their rates, after all
//! coordinates are known.
//!
//! States may use each other in circles: each has a value of its own at every time, so nothing has
//! to be solved.

use crate::mechanism::{Mechanism, UserState};
use crate::resolve::Resolver;
use crate::resolve::signals::{Moving, Reach};
use crate::resolve::units;
use rotule_symbolic::{Expr, Kind};

/// Names that expressions of everything that moves may use, in words.
pub(super) const WORDS: &str = "coordinates such as `q1`, speeds such as `q1.d`, signals such as \
                                `tip.vx` or `spring.length`, `t`, parameters and externals";

impl<'d> Resolver<'d> {
    /// Gives every state a symbol, so that laws can use it.
    pub(super) fn declare_states(&mut self) {
        for state in &self.draft.states {
            let name = state.name.value.as_str();
            if self.names.states.contains(name) {
                let symbol = self.graph.symbol(name, Kind::State);
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
    pub(super) fn states(&mut self, known: &Moving, mechanism: &mut Mechanism) {
        let draft = self.draft;
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
            let own = [("t", self.time)];
            let offer = (&own[..], WORDS, Reach::Force);
            let rate = self.moving(&state.rate, what, of, known, offer);
            self.check_rate(&state.rate, what, unit.as_ref());
            let unit = units::shown(unit.as_ref(), state.unit.as_ref());
            let about = state.about.as_ref().map_or(String::new(), |text| text.value.clone());
            let name = name.to_owned();
            found.push(UserState { name, symbol, initial, rate, unit, about });
        }
        mechanism.states = found;
    }
}
