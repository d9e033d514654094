//! Outputs: numbers that are recorded while a mechanism moves, of everything that moves.

use crate::diagnostic::{Diagnostic, DiagnosticCode, short};
use crate::mechanism::{Mechanism, UserOutput};
use crate::resolve::Resolver;
use crate::resolve::signals::{Moving, Reach};
use crate::resolve::states::WORDS;
use crate::resolve::units;

impl Resolver<'_> {
    /// Fills in outputs.
    pub(super) fn outputs(&mut self, known: &Moving, mechanism: &mut Mechanism) {
        let draft = self.draft;
        for output in &draft.outputs {
            let name = output.name.value.as_str();
            if !self.names.outputs.contains(name) {
                continue;
            }
            let what = format_args!("output `{name}`");
            let unit = self.read_unit(output.unit.as_ref(), what);
            if let (Some(unit), Some(written)) = (&unit, &output.unit)
                && !unit.is_coherent()
            {
                let message = format!("{what} has the unit `{}`", short(&written.value));
                let help = format!("expressions are SI: expected `{}`", unit.si());
                self.out.push(
                    Diagnostic::error(DiagnosticCode::Unit, written.span, message).help(help),
                );
            }
            let of = unit.as_ref().map(crate::units::Unit::dimension);
            let own = [("t", self.time)];
            let offer = (&own[..], WORDS, Reach::Acceleration);
            let value = self.moving(&output.value, what, of, known, offer);
            mechanism.outputs.push(UserOutput {
                name: name.to_owned(),
                value,
                unit: units::shown(unit.as_ref(), output.unit.as_ref()),
                about: output.about.as_ref().map_or(String::new(), |text| text.value.clone()),
            });
        }
    }
}
