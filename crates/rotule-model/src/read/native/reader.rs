//! The state of reading a model file: places, diagnostics and how they name things.

use super::value::{Key, Node};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, short};
use crate::draft::Text;
use crate::limits;
use crate::source::{SourceId, Span};
use std::fmt;
use std::ops::Range;
use toml::de::DeValue;

/// The state of reading a model file.
pub(super) struct Reader<'t> {
    id: SourceId,
    /// The section that is read, and where it begins in the file.
    text: &'t str,
    base: usize,
    /// `true` if the section is known to be faulty, so that further diagnostics would be guesses.
    muted: bool,
    /// Number of bodies, those between joints included.
    pub bodies: usize,
    found: Diagnostics,
}

/// Where a value stands, for messages: its keys from the inside out, then the element.
#[derive(Clone, Copy)]
pub(super) enum At<'a> {
    /// A part of the file there is one of.
    Section(&'a str),
    /// One of several elements; one without a name is told by what it belongs to.
    Element { kind: &'a str, name: Option<&'a str>, of: Option<&'a At<'a>> },
    /// A key.
    Key { key: &'a str, of: &'a At<'a> },
}

impl fmt::Display for At<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut keys = Vec::new();
        let mut at = self;
        while let At::Key { key, of } = at {
            keys.push(short(key));
            at = of;
        }
        if !keys.is_empty() {
            keys.reverse();
            write!(f, "`{}` of ", keys.join("."))?;
        }
        match at {
            At::Section(title) => f.write_str(title),
            At::Element { kind, name: Some(name), .. } => write!(f, "{kind} `{}`", short(name)),
            At::Element { kind, name: None, of: Some(of) } => write!(f, "the {kind} of {of}"),
            At::Element { kind, name: None, of: None } => {
                let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
                write!(f, "{article} {kind}")
            }
            At::Key { .. } => Ok(()),
        }
    }
}

impl<'t> Reader<'t> {
    /// A reader of a text.
    pub fn new(id: SourceId) -> Reader<'t> {
        Reader { id, text: "", base: 0, muted: false, bodies: 0, found: Diagnostics::new() }
    }

    /// Goes on with a section of the file.
    pub fn enter(&mut self, start: usize, text: &'t str) {
        (self.base, self.text, self.muted) = (start, text, false);
    }

    /// Reports nothing more about this section.
    pub fn mute(&mut self) {
        self.muted = true;
    }

    /// Bytes of the section as a place in the file.
    pub fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.id, self.base + range.start..self.base + range.end)
    }

    /// Returns `true` if more diagnostics would not be kept, so that they need not be worded.
    pub fn is_silent(&self) -> bool {
        self.muted || self.is_full()
    }

    /// Returns `true` if there are so many diagnostics that reading on makes no sense.
    pub fn is_full(&self) -> bool {
        self.found.iter().len() >= limits::FINDINGS
    }

    /// Adds a diagnostic.
    pub fn report(&mut self, finding: Diagnostic) {
        if !self.is_silent() {
            self.found.push(finding);
        }
    }

    /// All diagnostics, in order.
    pub fn finish(mut self) -> Diagnostics {
        let full = self.is_full();
        self.found.sort();
        if full {
            let message = format!("reading stopped after {} diagnostics", limits::FINDINGS);
            self.found.push(Diagnostic::note(
                DiagnosticCode::Limit,
                Span::new(self.id, 0..0),
                message,
            ));
        }
        self.found
    }

    /// Returns `true` if a value stands in brackets or is the content of a header, which also
    /// begins with one.
    pub fn bracketed(&self, range: Range<usize>) -> bool {
        self.text[range].starts_with(['[', '{'])
    }

    /// Returns `true` if there is room for another thing of a kind; reports if not.
    pub fn room(&mut self, what: &str, count: usize, range: Range<usize>) -> bool {
        let limit = if what == "body" { limits::BODIES } else { limits::ELEMENTS };
        if count >= limit {
            let message = format!("more than {limit} things of the kind `{what}`");
            let finding = Diagnostic::error(DiagnosticCode::Limit, self.span(range), message);
            self.report(finding.help("what follows is not read"));
        }
        count < limit
    }

    /// Where a text stands: inside its quotes if it stands there as it is, else with them.
    pub fn inside(&self, range: Range<usize>, value: &str) -> Span {
        let raw = &self.text[range.clone()];
        let fits = |quotes: &str| {
            let inner = raw.strip_prefix(quotes)?.strip_suffix(quotes)?;
            // A line break right behind long quotes is not part of the text.
            let trimmed = inner.strip_prefix("\r\n").or_else(|| inner.strip_prefix('\n'));
            let same = inner == value || quotes.len() == 3 && trimmed == Some(value);
            same.then(|| range.end - quotes.len() - value.len())
        };
        // Longer quotes first: the text of `"""a"""` does not begin with two quotes.
        let start = ["\"\"\"", "'''", "\"", "'"].into_iter().find_map(fits);
        match start {
            Some(start) if !value.is_empty() => self.span(start..start + value.len()),
            _ => self.span(range),
        }
    }

    /// A value of another type than expected.
    pub fn wrong_type<T>(&mut self, at: At<'_>, node: &Node<'_>, expected: &str) -> Option<T> {
        let found = match node.get_ref() {
            DeValue::String(_) => "a text",
            DeValue::Integer(_) | DeValue::Float(_) => "a number",
            DeValue::Boolean(_) => "a boolean",
            DeValue::Datetime(_) => "a date",
            DeValue::Array(_) => "a list",
            DeValue::Table(_) => "a table",
        };
        let message = format!("{at}: expected {expected}, found {found}");
        self.report(Diagnostic::error(DiagnosticCode::Type, self.span(node.span()), message));
        None
    }

    /// Cuts a name beyond the limit, so that it is the same wherever it is used.
    pub fn bounded(&mut self, name: &str, span: Span) -> Text {
        let end = name.floor_char_boundary(limits::NAME_BYTES);
        if end < name.len() {
            let (length, limit) = (name.len(), limits::NAME_BYTES);
            let message =
                format!("the name `{}` has {length} bytes; at most {limit} are read", short(name));
            self.report(Diagnostic::error(DiagnosticCode::Limit, span, message));
        }
        Text::new(name[..end].to_owned(), span)
    }

    /// The name that a key gives.
    pub fn key(&mut self, key: &Key<'_>) -> Text {
        let span = self.inside(key.span(), key.get_ref());
        self.bounded(key.get_ref(), span)
    }
}
