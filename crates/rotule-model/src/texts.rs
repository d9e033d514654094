//! A model as texts, and the one call that makes a mechanism of them.
//!
//! ```
//! use rotule_model::{ReadOptions, load_text};
//!
//! let text = r#"
//! [model]
//! name = "pendulum"
//!
//! [[body]]
//! name = "rod"
//! parent = "ground"
//! joint = { name = "q", type = "revolute", axis = "y" }
//! mass = 1
//! com = [0, 0, -0.5]
//! inertia = { yy = 0.1 }
//! "#;
//! let mechanism = load_text("pendulum.toml", text, &ReadOptions::default())?;
//! assert_eq!(mechanism.coordinates.len(), 1);
//! # Ok::<(), rotule_model::Rejected>(())
//! ```
//!
//! Warnings and notes about a model that can be used stay with it in [`Accepted`]; a model that cannot be used is
//! [`Rejected`] with all diagnostics, which its `Display` shows as a compiler does.

use crate::diagnostic::Diagnostics;
use crate::draft::Draft;
use crate::load::{Loaded, load};
use crate::mechanism::Mechanism;
use crate::read::{Format, ReadOptions};
use crate::source::{SourceId, Sources};
use std::fmt;

/// A model and the files that complete it, as texts.
#[derive(Clone, Debug)]
pub struct Texts {
    sources: Sources,
    model: SourceId,
    format: Format,
    additions: Vec<SourceId>,
}

/// A model that can be used.
pub struct Accepted {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// The content of the texts before names were looked up.
    pub draft: Draft,
    /// Warnings and notes; none of them is an error.
    pub diagnostics: Diagnostics,
    /// The texts that the diagnostics point into.
    pub sources: Sources,
}

/// A model that cannot be used, with all that was found: errors, warnings and notes.
#[derive(Clone)]
pub struct Rejected {
    /// All findings; at least one is an error.
    pub diagnostics: Diagnostics,
    /// The texts that the diagnostics point into.
    pub sources: Sources,
}

/// Makes a mechanism of one text, whose format [`Format::of`] finds from its name or its first element.
pub fn load_text(
    name: impl Into<String>,
    text: impl Into<String>,
    options: &ReadOptions,
) -> Result<Mechanism, Rejected> {
    Texts::new(name, text).load(options).map(|accepted| accepted.mechanism)
}

impl Texts {
    /// A model under the name that messages use for it; [`Format::of`] finds its format.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Texts {
        let (name, text) = (name.into(), text.into());
        let format = Format::of(&name, &text);
        let mut sources = Sources::new();
        let model = sources.add(name, text);
        Texts { sources, model, format, additions: Vec::new() }
    }

    /// With a format that is given instead of found.
    #[must_use]
    pub fn in_format(mut self, format: Format) -> Texts {
        self.format = format;
        self
    }

    /// With a model file of Rotule that completes the model: see [`load`].
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, text: impl Into<String>) -> Texts {
        self.additions.push(self.sources.add(name, text));
        self
    }

    /// The format of the model.
    pub fn format(&self) -> Format {
        self.format
    }

    /// The texts, for messages that point into them.
    pub fn sources(&self) -> &Sources {
        &self.sources
    }

    /// Loads the model as far as it goes, errors or not.
    pub fn read(&self, options: &ReadOptions) -> Loaded {
        load(&self.sources, self.model, self.format, &self.additions, options)
    }

    /// Loads the model if it can be used.
    pub fn load(self, options: &ReadOptions) -> Result<Accepted, Rejected> {
        let Loaded { draft, mechanism, diagnostics } = self.read(options);
        let sources = self.sources;
        match mechanism {
            Some(mechanism) => Ok(Accepted { mechanism, draft, diagnostics, sources }),
            None => Err(Rejected { diagnostics, sources }),
        }
    }
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.diagnostics.render(&self.sources))
    }
}

/// As `Display`, so that a test or a `main` that returns it shows its user where the model is wrong.
impl fmt::Debug for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the model cannot be used\n{self}")
    }
}

impl std::error::Error for Rejected {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Severity;

    const ROD: &str = "[model]\nname = \"m\"\n[[body]]\nname = \"rod\"\nparent = \"ground\"\n\
                       joint = { name = \"q\", type = \"revolute\", axis = \"y\" }\n\
                       mass = 1\ninertia = { xx = 1, yy = 1, zz = 1 }\n";

    #[test]
    fn warnings_stay_with_a_model_that_can_be_used() {
        let text = format!("{ROD}[parameters]\nspare = 1\n");
        let accepted = Texts::new("rod", text).load(&ReadOptions::default()).expect("a model");
        assert_eq!(accepted.mechanism.speeds.len(), 1);
        assert_eq!(accepted.draft.parameters.len(), 1);
        assert_eq!(accepted.diagnostics.count(Severity::Warning), 1);
        let shown = accepted.diagnostics.render(&accepted.sources);
        assert!(shown.contains("warning[unused]") && shown.contains("rod:10:1"), "{shown}");
    }

    #[test]
    fn a_rejected_model_shows_all_errors() {
        let text = ROD.replace("mass = 1", "mass = \"m\"").replace("revolute", "revolving");
        let rejected = load_text("rod", text, &ReadOptions::default()).err().expect("two errors");
        assert_eq!(rejected.diagnostics.count(Severity::Error), 2);
        let shown = rejected.to_string();
        assert!(shown.contains("rod:6:") && shown.contains("rod:7:"), "{shown}");
    }

    #[test]
    fn additions_complete_a_model_of_any_format() {
        let urdf = "<robot name=\"r\"><link name=\"base\"/></robot>";
        let texts = Texts::new("robot.xml", urdf).with("more.toml", ROD);
        assert_eq!(texts.format(), Format::Urdf);
        let accepted = texts.load(&ReadOptions::default()).expect("a model");
        assert_eq!(accepted.mechanism.speeds.len(), 1);
        let wrong = Texts::new("rod.toml", ROD).in_format(Format::Urdf);
        let rejected = wrong.load(&ReadOptions::default()).err().expect("no XML");
        assert_eq!(rejected.sources.get(SourceId(0)).name, "rod.toml");
    }
}
