//! Remarks made once about many elements: what the reader leaves out or decides, with the first
//! place and a count.

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity};
use crate::source::Span;

/// Something to say.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Remark {
    Shapes,
    UnnamedSite,
    Reference,
    Friction,
    SpringDamper,
    SpringYield,
    BallSpring,
    BallRange,
    ForceRange,
    GravityCompensation,
    Mocap,
    UnknownMass,
    Shell,
    BoundInertia,
    Inactive,
    LaterKey,
}

/// The sentences, in the order of [`Remark`]: severity, code, sentence, remedy.
const SENTENCES: [(Remark, Severity, DiagnosticCode, &str, &str); 16] = [
    (
        Remark::Shapes,
        Severity::Note,
        DiagnosticCode::Ignored,
        "contacts between shapes are not modelled",
        "",
    ),
    (
        Remark::UnnamedSite,
        Severity::Note,
        DiagnosticCode::Ignored,
        "a site without a name is left out",
        "",
    ),
    (
        Remark::Reference,
        Severity::Note,
        DiagnosticCode::Choice,
        "the coordinate of a joint with `ref` counts from the pose that the file draws",
        "it is MuJoCo's coordinate less `ref`",
    ),
    (
        Remark::Friction,
        Severity::Warning,
        DiagnosticCode::Ignored,
        "`frictionloss` of a joint with several speeds is left out: it cannot stick",
        "make it a chain of joints with one coordinate each",
    ),
    (
        Remark::SpringDamper,
        Severity::Warning,
        DiagnosticCode::Ignored,
        "`springdamper` is left out: it stands for numbers that MuJoCo computes",
        "give `stiffness` and `damping` instead",
    ),
    (
        Remark::SpringYield,
        Severity::Warning,
        DiagnosticCode::Ignored,
        "`springyield` is left out: springs here do not yield",
        "",
    ),
    (
        Remark::BallSpring,
        Severity::Warning,
        DiagnosticCode::Ignored,
        "the spring of a ball or free joint is left out",
        "complete the joint in a file for --with: `[[joint]]`, its `name`, and its law as `effort`",
    ),
    (
        Remark::BallRange,
        Severity::Warning,
        DiagnosticCode::Ignored,
        "the range of a ball joint is left out: a range here is that of one coordinate",
        "",
    ),
    (
        Remark::ForceRange,
        Severity::Warning,
        DiagnosticCode::Ignored,
        "an `actuatorfrcrange` that is not the same in both directions is left out",
        "complete the joint in a file for --with: `[[joint]]`, its `name`, and `max_effort`",
    ),
    (
        Remark::GravityCompensation,
        Severity::Warning,
        DiagnosticCode::Ignored,
        "`gravcomp` is left out: gravity acts on every body",
        "write the compensation as a `[[force]]` at the centre of mass",
    ),
    (
        Remark::Mocap,
        Severity::Warning,
        DiagnosticCode::Unsupported,
        "a body that follows motion capture is fixed here",
        "give its joint a `[[motion]]`",
    ),
    (
        Remark::UnknownMass,
        Severity::Warning,
        DiagnosticCode::Unsupported,
        "the mass of a mesh is not known and is left out of its body",
        "give the body `<inertial>`; MuJoCo writes it into files that it saves with \
         `saveinertial=\"true\"` in `<compiler>`",
    ),
    (
        Remark::Shell,
        Severity::Warning,
        DiagnosticCode::Unsupported,
        "the mass of a shell is left out of its body: only solids are taken",
        "give the body `<inertial>`; MuJoCo writes it into files that it saves with \
         `saveinertial=\"true\"` in `<compiler>`",
    ),
    (
        Remark::BoundInertia,
        Severity::Warning,
        DiagnosticCode::Ignored,
        "`boundinertia` is left out for a body whose inertia is not along its axes",
        "",
    ),
    (
        Remark::Inactive,
        Severity::Note,
        DiagnosticCode::Ignored,
        "a constraint that is not active is left out",
        "",
    ),
    (
        Remark::LaterKey,
        Severity::Note,
        DiagnosticCode::Ignored,
        "a key after the first is left out",
        "",
    ),
];

/// The remarks so far.
#[derive(Default)]
pub(super) struct Remarks([Option<(Span, String, usize)>; SENTENCES.len()]);

impl Remarks {
    /// Adds a place; who is the name of the element, or empty.
    pub(super) fn add(&mut self, remark: Remark, span: Span, who: &str) {
        let seen = self.0[remark as usize].get_or_insert_with(|| (span, who.to_owned(), 0));
        seen.2 += 1;
    }

    pub(super) fn report(self, out: &mut Diagnostics) {
        for (sentence, seen) in SENTENCES.iter().zip(self.0) {
            let Some((span, who, count)) = seen else { continue };
            let (_, severity, code, text, help) = *sentence;
            let times = if count == 1 { String::new() } else { format!(" ({count} times)") };
            let mut finding = Diagnostic::note(code, span, format!("{text}{times}"));
            finding.severity = severity;
            let here = if who.is_empty() { String::new() } else { format!("`{who}`") };
            let help = (!help.is_empty()).then(|| help.to_owned());
            out.push(finding.here(here).maybe_help(help));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_stand_in_the_order_of_remarks() {
        for (at, (remark, ..)) in SENTENCES.iter().enumerate() {
            assert_eq!(*remark as usize, at);
        }
    }
}
