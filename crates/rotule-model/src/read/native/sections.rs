//! The text of a model file, cut into sections: from one header to the next.
//!
//! Each section is parsed as TOML by itself. So a slip in one body leaves the others readable, and
//! a large file never stands in memory as one tree. The cut also finds brackets that do not match,
//! which it can point at where they open, and refuses nesting that would be too deep for the
//! parser.

use super::SECTIONS;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::limits;
use crate::source::{SourceId, Span};

/// A part of the text.
pub(super) struct Section<'t> {
    /// Where it begins in the file.
    pub start: usize,
    /// The part that can be parsed: all, or what precedes the fault.
    pub text: &'t str,
    /// Brackets that do not match, or a limit.
    pub fault: Option<Diagnostic>,
}

/// The sections of a text, in order; together with what a fault hides they are the whole text.
pub(super) struct Sections<'t> {
    id: SourceId,
    text: &'t str,
    at: usize,
}

/// The header of a section: its word, and whether a dotted name goes on behind it.
type Header = (&'static str, bool);

impl<'t> Sections<'t> {
    /// Cuts a text.
    pub fn new(id: SourceId, text: &'t str) -> Sections<'t> {
        // A byte order mark says nothing and would hide the first header.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Sections { id, text, at }
    }

    /// The header on the line that begins at a byte. No line within a list looks like one, because
    /// a word without quotes is not a value.
    fn header(&self, at: usize) -> Option<Header> {
        let rest = self.text[at..].trim_start_matches([' ', '\t']).strip_prefix('[')?;
        let rest = rest.strip_prefix('[').unwrap_or(rest).trim_start_matches([' ', '\t']);
        SECTIONS.iter().find_map(|section| {
            let rest = rest.strip_prefix(section.word)?;
            let longer = rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
            let dotted = rest.trim_start_matches([' ', '\t']).starts_with('.');
            (!longer).then_some((section.word, dotted))
        })
    }
}

impl<'t> Iterator for Sections<'t> {
    type Item = Section<'t>;

    fn next(&mut self) -> Option<Section<'t>> {
        let start = self.at;
        if start == self.text.len() {
            return None;
        }
        let own = self.header(start);
        // `[body.points]` goes with the `[[body]]` above it.
        let cuts = |header: Header| !(header.1 && own.is_some_and(|own| own.0 == header.0));
        let mut scan = Scan::new(self.id, self.text, start);
        loop {
            scan.line();
            if own.is_some() && scan.first_line {
                scan.end_header();
            }
            scan.first_line = false;
            if scan.at == self.text.len() || self.header(scan.at).is_some_and(cuts) {
                break;
            }
        }
        self.at = scan.at;
        Some(scan.section(start))
    }
}

/// An open bracket.
struct Open {
    at: usize,
    bracket: u8,
    /// Dots of the key before it: each is a table more.
    dots: usize,
}

/// A walk over a section that knows texts, comments and brackets.
struct Scan<'t> {
    id: SourceId,
    text: &'t str,
    at: usize,
    first_line: bool,
    line_start: usize,
    open: Vec<Open>,
    /// Dots since the last thing that ends a key or a value.
    dots: usize,
    depth: usize,
    tables: usize,
    /// The first fault, and where the text before it ends.
    fault: Option<(Diagnostic, usize)>,
}

impl<'t> Scan<'t> {
    fn new(id: SourceId, text: &'t str, at: usize) -> Scan<'t> {
        Scan {
            id,
            text,
            at,
            first_line: true,
            line_start: at,
            open: Vec::new(),
            dots: 0,
            depth: 0,
            tables: 0,
            fault: None,
        }
    }

    /// Walks to the beginning of the next line that is not within a text of several lines.
    fn line(&mut self) {
        let bytes = self.text.as_bytes();
        self.line_start = self.at;
        self.dots = 0;
        while let Some(&byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.at += 1;
                    return;
                }
                b'#' => self.skip_to(b"\n\r"),
                b'"' | b'\'' => self.quoted(byte),
                b'[' | b'{' => self.opens(byte),
                b']' | b'}' => self.closes(byte),
                b'.' => {
                    self.dots += 1;
                    self.tables += 1;
                    self.check_depth();
                    self.at += 1;
                }
                b',' => {
                    self.dots = 0;
                    self.at += 1;
                }
                _ => self.at += 1,
            }
        }
    }

    fn skip_to(&mut self, ends: &[u8]) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|byte| ends.contains(byte)).unwrap_or(rest.len());
    }

    /// Steps over a text in quotes. One that is not closed ends with its line, as the parser has
    /// it.
    fn quoted(&mut self, quote: u8) {
        let bytes = self.text.as_bytes();
        let start = self.at;
        let long = bytes[start..].starts_with(&[quote; 3]);
        self.at += if long { 3 } else { 1 };
        while let Some(&byte) = bytes.get(self.at) {
            if byte == b'\\' && quote == b'"' {
                self.at += 1;
                // What is escaped cannot end the text, but a line can.
                let ends = !long && bytes.get(self.at) == Some(&b'\n');
                self.at += usize::from(!ends && self.at < bytes.len());
            } else if long && bytes[self.at..].starts_with(&[quote; 3]) {
                // Two more quotes may belong to the text itself.
                let more = bytes[self.at + 3..].iter().take(2).take_while(|b| **b == quote).count();
                self.at += 3 + more;
                return;
            } else if !long && byte == b'\n' {
                return;
            } else {
                self.at += 1;
                if !long && byte == quote {
                    return;
                }
            }
        }
        if long {
            let quotes = &self.text[start..start + 3];
            let message = format!("the text that begins with `{quotes}` is not closed");
            let fault = Diagnostic::error(DiagnosticCode::Syntax, self.span(start, 3), message)
                .help(format!("write `{quotes}` behind its last line"));
            self.fails(start, fault);
        }
    }

    fn opens(&mut self, bracket: u8) {
        self.open.push(Open { at: self.at, bracket, dots: self.dots });
        self.tables += usize::from(bracket == b'{' || self.open.len() == 1);
        self.depth += self.dots + 1;
        self.dots = 0;
        self.check_depth();
        self.at += 1;
    }

    fn closes(&mut self, bracket: u8) {
        let fits = |open: &Open| open.bracket + 2 == bracket;
        let here = self.span(self.at, 1);
        let closer = bracket as char;
        match self.open.pop() {
            Some(open) if fits(&open) => {
                self.depth -= open.dots + 1;
                self.dots = open.dots;
            }
            Some(open) => {
                let opener = open.bracket as char;
                let span = self.span(open.at, 1);
                let fault = Diagnostic::error(
                    DiagnosticCode::Syntax,
                    span,
                    format!("this `{opener}` is not closed"),
                )
                .also(here, format!("what comes next is `{closer}`"));
                let first = self.open.first().map_or(open.at, |first| first.at);
                self.fails(first, fault);
                // One fault is told; from here on only headers count.
                self.open.clear();
                self.depth = 0;
            }
            None => {
                let opener = (bracket - 2) as char;
                let message = format!("this `{closer}` closes nothing");
                let help = format!("remove it, or open the bracket with `{opener}`");
                let fault = Diagnostic::error(DiagnosticCode::Syntax, here, message).help(help);
                self.fails(self.at, fault);
            }
        }
        self.at += 1;
    }

    /// A header ends with its line.
    fn end_header(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let line = self.text[self.line_start..self.at].trim();
        let (opening, closing) = if line.starts_with("[[") { ("[[", "]]") } else { ("[", "]") };
        let start = self.open[0].at;
        let fault = Diagnostic::error(
            DiagnosticCode::Syntax,
            self.span(start, 1),
            "this section's header is not closed",
        )
        .help(format!("a header is written `{opening}name{closing}`, on a line of its own"));
        self.fails(start, fault);
        self.open.clear();
    }

    fn check_depth(&mut self) {
        if self.depth + self.dots > limits::NESTING {
            let limit = limits::NESTING;
            let message = format!("tables and lists are nested more than {limit} deep");
            let fault = Diagnostic::error(DiagnosticCode::Limit, self.span(self.at, 1), message);
            self.fails(self.open.first().map_or(self.at, |first| first.at), fault);
            self.open.clear();
            self.depth = 0;
            self.dots = 0;
        }
    }

    /// Notes the first fault. What stands before the line of `at` can still be parsed.
    fn fails(&mut self, at: usize, fault: Diagnostic) {
        if self.fault.is_none() {
            let sound = self.text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            self.fault = Some((fault, sound));
        }
    }

    fn span(&self, at: usize, length: usize) -> Span {
        Span::new(self.id, at..at + length)
    }

    fn section(mut self, start: usize) -> Section<'t> {
        if let Some(open) = self.open.first() {
            let (at, opener, closer) = (open.at, open.bracket as char, (open.bracket + 2) as char);
            let span = self.span(at, 1);
            // A quote that is missing makes the bracket that closes part of a text.
            let line = self.text[at..].lines().next().unwrap_or_default();
            let help = match line.matches('"').count() % 2 {
                1 => format!(
                    "a quote is missing on this line, before or behind a text in `{opener}{closer}`"
                ),
                _ => format!("write `{closer}` where it ends"),
            };
            let fault = Diagnostic::error(
                DiagnosticCode::Syntax,
                span,
                format!("this `{opener}` is not closed"),
            )
            .help(help);
            self.fails(at, fault);
        }
        let size = self.at - start;
        for (size, limit, what) in [
            (size, limits::SECTION_BYTES, "bytes"),
            (self.tables, limits::SECTION_TABLES, "tables and dots"),
        ] {
            if size > limit {
                let message = format!("this section has more than {limit} {what}");
                let fault = Diagnostic::error(DiagnosticCode::Limit, self.span(start, 0), message);
                self.fault = Some((fault, start));
            }
        }
        let end = self.fault.as_ref().map_or(self.at, |(_, sound)| (*sound).max(start));
        let fault = self.fault.map(|(fault, _)| fault);
        Section { start, text: &self.text[start..end], fault }
    }
}
