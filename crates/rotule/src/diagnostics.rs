//! Diagnostics: errors, warnings and notes about a model, each with a code, a place and a remedy.
//!
//! A model that can be used keeps its warnings and notes
//! ([`Model::diagnostics`](crate::Model::diagnostics)); one that cannot is
//! [`Error::Model`](crate::Error::Model) with a [`Rejected`], which has all of them.
//!
//! ```
//! use rotule::diagnostics::{DiagnosticCode, Severity};
//! use rotule::{Error, Model};
//!
//! let text = rotule::doc::PENDULUM.replace("mass = \"m\"", "mass = \"mass\"");
//! let Err(Error::Model(rejected)) = Model::read("pendulum.toml", text) else { panic!("a mistake") };
//! let first = rejected.diagnostics.iter().next().expect("an error");
//! assert_eq!((first.severity, first.code), (Severity::Error, DiagnosticCode::UnknownName));
//! let place = rejected.sources.place(first.span());
//! assert_eq!((place.file, place.line), ("pendulum.toml", 14));
//! println!("{rejected}"); // as a compiler shows them
//! # Ok::<(), Error>(())
//! ```

pub use rotule_model::diagnostic::{DiagnosticCode, Label, MAX_SHOWN};
pub use rotule_model::{Diagnostic, Diagnostics, Place, Rejected, Severity, Sources, Span};

use serde_json::{Value, json};

/// Diagnostics for tools, as `rotule check --json` writes them: `valid`, numbers of `errors` and
/// `warnings`, and the list `diagnostics` with severity, code, message, place, related places and
/// help.
pub fn json(found: &Diagnostics, sources: &Sources) -> Value {
    let place = |span: Span| {
        let Place { file, line, column } = sources.place(span);
        json!({ "file": file, "line": line, "column": column })
    };
    let each = found.iter().map(|one| {
        let related: Vec<Value> = one.labels[1..]
            .iter()
            .map(|label| json!({ "place": place(label.span), "message": label.text }))
            .collect();
        json!({
            "severity": one.severity.word(),
            "code": one.code.word(),
            "message": one.message,
            "place": place(one.span()),
            "expected": one.labels[0].text,
            "related": related,
            "help": one.help,
        })
    });
    json!({
        "valid": !found.has_errors(),
        "errors": found.count(Severity::Error),
        "warnings": found.count(Severity::Warning),
        "diagnostics": each.take(MAX_SHOWN * 10).collect::<Vec<_>>(),
        "structure": null,
        "closure": null,
    })
}
