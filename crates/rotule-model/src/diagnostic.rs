//! Diagnostics: errors, warnings and notes about a model, with their places.
//!
//! Diagnostics are values that are collected, never thrown one by one: a user sees all problems of
//! a file at once. Each names the element, points at its place and, where possible, says the
//! remedy.

use crate::source::{Sources, Span};
use rotule_symbolic::{Snippet, line_column};
use std::fmt;

/// The severity of a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used, but probably says something else than was meant.
    Warning,
    /// A decision on the user's behalf.
    Note,
}

impl Severity {
    /// The word in messages.
    pub fn word(self) -> &'static str {
        match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        }
    }
}

/// A place and what to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// The text at the place; may be empty for the first label.
    pub text: String,
}

/// One diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its severity.
    pub severity: Severity,
    /// Its kind.
    pub code: DiagnosticCode,
    /// The fault, naming the element.
    pub message: String,
    /// Where: the place itself first, then other places that matter.
    pub labels: Vec<Label>,
    /// The remedy about it.
    pub help: Option<String>,
    /// `true` if the remedy offers a name that was probably meant.
    pub near: bool,
}

macro_rules! codes {
    ($($id:ident $word:literal $about:literal;)*) => {
        /// The kind of a diagnostic. Its word is stable: files accept warnings by it, and tools
        /// look for it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum DiagnosticCode {
            $(#[doc = concat!("`", $word, "`: ", $about)] $id),*
        }

        impl DiagnosticCode {
            /// Every code.
            pub const ALL: &[DiagnosticCode] = &[$(DiagnosticCode::$id),*];

            /// The word in messages and files, such as `unknown-name`.
            pub const fn word(self) -> &'static str {
                match self { $(DiagnosticCode::$id => $word),* }
            }

            /// The sentence that explains it in the manual.
            pub const fn about(self) -> &'static str {
                match self { $(DiagnosticCode::$id => $about),* }
            }
        }
    };
}

codes! {
    Ambiguous "ambiguous" "two entries of the file contradict or repeat each other";
    Axis "axis" "an axis has no direction, or two axes of a joint are parallel";
    Choice "choice" "a choice of Rotule where the file leaves one open";
    Cycle "cycle" "circular definitions: of bodies by their parents, of parameters by their values, of forces by each other";
    Dimension "dimension" "a list has the wrong number of entries";
    Disconnected "disconnected" "a body is not connected to the ground";
    DuplicateName "duplicate-name" "a name is given twice";
    Expression "expression" "an expression cannot be parsed, or uses a name that is not available there";
    Guess "guess" "a loop has no initial guess, or one that is far from closing it";
    Ignored "ignored" "an element of a foreign format without a meaning here was left out";
    Inertia "inertia" "masses or moments of inertia that are physically impossible";
    Limit "limit" "the file exceeds a limit";
    Missing "missing" "a required key or element is missing";
    Motion "motion" "a prescribed motion jumps, or its speed or acceleration is not its derivative";
    Name "name" "a name is not a valid identifier";
    Number "number" "a number is not finite, or out of its range";
    Renamed "renamed" "a name of a foreign format was changed, because it is not valid in expressions";
    Snapped "snapped" "a rounded angle was replaced by the exact one";
    Syntax "syntax" "the text is not TOML, not XML or not the format it claims to be";
    Type "type" "a value of the wrong type";
    Unit "unit" "an unknown unit, one of the wrong dimension, or an angle that looks like degrees";
    UnknownKey "unknown-key" "an unknown key or element";
    UnknownName "unknown-name" "a name that is not defined";
    Unsupported "unsupported" "an element of a foreign format that matters but cannot be imported";
    Unused "unused" "an entry that is never used";
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.word())
    }
}

impl Diagnostic {
    /// An error at a place.
    pub fn error(code: DiagnosticCode, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Error, code, span, message)
    }

    /// A warning at a place.
    pub fn warning(code: DiagnosticCode, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Warning, code, span, message)
    }

    /// A note at a place.
    pub fn note(code: DiagnosticCode, span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Severity::Note, code, span, message)
    }

    fn new(
        severity: Severity,
        code: DiagnosticCode,
        span: Span,
        message: impl Into<String>,
    ) -> Diagnostic {
        let labels = vec![Label { span, text: String::new() }];
        Diagnostic { severity, code, message: message.into(), labels, help: None, near: false }
    }

    /// With words behind the underline: usually what was expected.
    #[must_use]
    pub fn here(mut self, text: impl Into<String>) -> Diagnostic {
        self.labels[0].text = text.into();
        self
    }

    /// With another place.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Diagnostic {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// With a remedy.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// With a remedy, if there is one.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<String>) -> Diagnostic {
        self.help = help.or(self.help);
        self
    }

    /// With a name that was probably meant as the remedy, if there is one.
    #[must_use]
    pub(crate) fn maybe_near(mut self, offer: Option<String>) -> Diagnostic {
        self.near = offer.is_some();
        self.maybe_help(offer)
    }

    /// The place itself.
    pub fn span(&self) -> Span {
        self.labels[0].span
    }

    /// The diagnostic as a compiler shows it.
    pub fn render(&self, sources: &Sources) -> String {
        let mut out = format!("{}[{}]: {}\n", self.severity.word(), self.code, self.message);
        let mut gutter = String::new();
        for (index, label) in self.labels.iter().enumerate() {
            let source = sources.get(label.span.source);
            let text = if index == 0 { label.text.as_str() } else { "" };
            let snippet = Snippet::new(&source.text, label.span.range(), &source.name, text);
            if index > 0 {
                out.push_str(&format!("{gutter} = note: {}\n", label.text));
            }
            gutter = snippet.gutter();
            out.push_str(&snippet.to_string());
        }
        if let Some(help) = &self.help {
            out.push_str(&format!("{gutter} = help: {help}\n"));
        }
        out
    }

    /// The diagnostic on one line: `file:line:column: severity: message`.
    pub fn line(&self, sources: &Sources) -> String {
        let source = sources.get(self.span().source);
        let (line, column) = line_column(&source.text, self.span().range().start);
        let word = self.severity.word();
        format!("{}:{line}:{column}: {word}: {}", source.name, self.message)
    }
}

/// The most diagnostics that are shown in full.
pub const MAX_SHOWN: usize = 100;

/// All diagnostics about one model, in the order in which they stand in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// None yet.
    pub fn new() -> Diagnostics {
        Diagnostics::default()
    }

    /// Adds a diagnostic.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.errors += usize::from(diagnostic.severity == Severity::Error);
        self.list.push(diagnostic);
    }

    /// Adds the diagnostics of another step.
    pub fn append(&mut self, mut other: Diagnostics) {
        self.errors += other.errors;
        self.list.append(&mut other.list);
    }

    /// The diagnostics.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Number of diagnostics that are of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.list.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    /// Number of diagnostics that are errors.
    pub fn errors(&self) -> usize {
        self.errors
    }

    /// Returns `true` if the model cannot be used.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Returns `true` if there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Keeps only some of the diagnostics.
    pub fn retain(&mut self, keep: impl FnMut(&Diagnostic) -> bool) {
        self.list.retain(keep);
        self.errors = self.count(Severity::Error);
    }

    /// Brings the diagnostics into the order of their places and drops repetitions.
    pub fn sort(&mut self) {
        self.list.sort_by_key(|finding| (finding.span(), finding.severity));
        self.list.dedup();
        self.errors = self.count(Severity::Error);
    }

    /// All diagnostics as a compiler shows them, with blank lines between; at most [`MAX_SHOWN`],
    /// errors before warnings before notes if there are more.
    pub fn render(&self, sources: &Sources) -> String {
        let mut shown: Vec<&Diagnostic> = self.list.iter().collect();
        if shown.len() > MAX_SHOWN {
            shown.sort_by_key(|diagnostic| diagnostic.severity);
        }
        let left_out = shown.len().saturating_sub(MAX_SHOWN);
        let parts: Vec<String> =
            shown.iter().take(MAX_SHOWN).map(|diagnostic| diagnostic.render(sources)).collect();
        let mut out = parts.join("\n");
        if left_out > 0 {
            out.push_str(&format!("\n... and {left_out} more like these\n"));
        }
        out
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.list.iter()
    }
}

/// A user's text as messages quote it: not too long, and without characters that would move the
/// cursor.
pub(crate) fn short(text: &str) -> String {
    const LONGEST: usize = 60;
    let mut out = String::new();
    for (index, c) in text.chars().enumerate() {
        if index == LONGEST {
            out.push('…');
            break;
        }
        if c.is_control() { out.extend(c.escape_debug()) } else { out.push(c) }
    }
    out
}
