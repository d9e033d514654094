//! Faults of TOML, in the words of this project.
//!
//! The parser tells everything it stumbles over, often several times for one slip. Here each line
//! gets one message, which says what was probably meant.

use super::reader::Reader;
use crate::diagnostic::{Diagnostic, DiagnosticCode, short};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

/// Beyond this many bytes only the first fault of a section is told.
const ALL_FAULTS: usize = 1 << 20;

/// The beginning of the parser's message, its replacement, and the remedy.
const WORDS: &[(&str, &str, &str)] = &[
    ("cannot extend value", "this key already has a value and cannot be a table as well", ""),
    ("missing escaped value", "a backslash begins an escape that does not exist", BACKSLASH),
    ("too few unicode", "an escaped character has too few digits", BACKSLASH),
    ("invalid value", "an escape does not stand for a character", BACKSLASH),
    ("key with no value", "expected `=` and a value", "a line is `key = value` or a header"),
    ("missing value for key", "expected `=` and a value", "a line is `key = value` or a header"),
    ("unquoted keys cannot be empty", "a name is missing here", ""),
    ("invalid boolean", "not a value", "`true` and `false` are written in small letters"),
    ("unexpected leading zero", "not a number", "numbers have no zeros in front"),
    ("`_` may only", "not a number", "`_` stands between digits only"),
    ("invalid mantissa", "not a number", "a digit stands before the point, as in `0.5`"),
    ("invalid fraction", "not a number", "a digit stands behind the point, as in `1.0`"),
    ("carriage return", "a carriage return without a line feed", "end lines with a line feed"),
    ("extra comma", "one comma too many", ""),
    ("missing comma", "a comma is missing here", ""),
    ("extra assignment", "a comma is missing here", ""),
    ("missing assignment", "expected `=` and a value", ""),
    ("missing key for inline", "expected a key, `=` and a value", ""),
    ("invalid inline table", "expected a key, `=` and a value", ""),
    (
        "unexpected `=` in array",
        "`=` cannot stand in a list",
        "a table is written `{ key = value }`",
    ),
    ("extra `=`", "one `=` too many", ""),
    ("unexpected key or value", "nothing more is expected on this line", "a key has its own line"),
    ("unexpected content", "nothing more is expected on this line", "a key has its own line"),
    ("invalid comment", "a control character cannot stand in a comment", ""),
    ("keys cannot be multi-line", "a name cannot have several lines", ""),
];

const BACKSLASH: &str = "write a backslash as `\\\\`, or the whole text in single quotes";

/// Parses a section and reports its faults. The second is whether the tree is what the text says;
/// if not, it only shows which elements there are.
pub(super) fn parse<'t>(reader: &mut Reader<'_>, text: &'t str) -> (DeTable<'t>, bool) {
    let first = match DeTable::parse(text) {
        Ok(tree) => return (tree.into_inner(), true),
        Err(first) => first,
    };
    let (tree, mut errors) = if text.len() > ALL_FAULTS {
        (DeTable::new(), vec![first])
    } else {
        let (tree, errors) = DeTable::parse_recoverable(text);
        (tree.into_inner(), errors)
    };
    errors.sort_by_key(|error| error.span().map_or(0, |span| span.start));
    let mut sound = true;
    // One slip confuses the parser until the end of its line.
    let mut line_end = 0;
    for error in &errors {
        let range = error.span().unwrap_or(0..0);
        if range.start < line_end {
            continue;
        }
        line_end = text[range.start..].find('\n').map_or(text.len(), |at| range.start + at + 1);
        if error.message() == "duplicate key" {
            duplicate(reader, &tree, text, range);
        } else {
            sound = false;
            let (message, help) = reworded(text, range.clone(), error);
            let fault = Diagnostic::error(DiagnosticCode::Syntax, reader.span(range), message);
            reader.report(fault.maybe_help(help));
        }
    }
    (tree, sound)
}

/// A key that is given twice, with the first place where there is no doubt which it is.
fn duplicate(reader: &mut Reader<'_>, tree: &DeTable<'_>, text: &str, range: Range<usize>) {
    let key = text[range.clone()].trim_matches(['"', '\'']);
    let message = format!("`{}` is given twice", short(key));
    let mut finding =
        Diagnostic::error(DiagnosticCode::Ambiguous, reader.span(range.clone()), message);
    let mut before = places_of(tree, key).into_iter().filter(|place| place.end <= range.start);
    if let (Some(place), None) = (before.next(), before.next()) {
        finding = finding.also(reader.span(place), "it is first given here");
    }
    reader.report(finding.help("keep one of the two"));
}

/// The places of all keys of a name in a tree.
fn places_of(tree: &DeTable<'_>, name: &str) -> Vec<Range<usize>> {
    let mut places = Vec::new();
    let mut tables = vec![tree];
    while let Some(table) = tables.pop() {
        for (key, value) in table {
            if key.get_ref() == name {
                places.push(key.span());
            }
            // Lists hold tables one level down at most; deeper ones do not matter here.
            let list = value.get_ref().as_array().map_or(&[][..], |list| list.as_ref());
            let inner = list.iter().chain([value]).map(Spanned::get_ref);
            tables.extend(inner.filter_map(DeValue::as_table));
        }
    }
    places
}

/// The parser's message about a place, in words that help.
fn reworded(text: &str, range: Range<usize>, error: &Error) -> (String, Option<String>) {
    let said = error.message();
    let there = &text[range.clone()];
    if said.starts_with("string values must be quoted") {
        return unquoted(there, &text[range.end..]);
    }
    if said.starts_with("invalid unquoted key") {
        let help = match there {
            ":" => "a key and its value are separated by `=`",
            _ => "names have the letters a to z, digits and `_`",
        };
        return (format!("`{}` cannot stand in a name", short(there)), Some(help.to_owned()));
    }
    if said.contains("string") && said.starts_with("invalid") {
        return if there.is_empty() {
            ("a text is not closed".to_owned(), Some("the closing quote is missing".to_owned()))
        } else {
            let help = "write it as an escape, such as `\\t`, in double quotes";
            ("a control character cannot stand in a text".to_owned(), Some(help.to_owned()))
        };
    }
    if let Some((_, words, help)) = WORDS.iter().find(|(start, ..)| said.starts_with(start)) {
        return ((*words).to_owned(), (!help.is_empty()).then(|| (*help).to_owned()));
    }
    if there.starts_with(|c: char| c.is_ascii_digit() || "+-._".contains(c)) {
        return ("not a number".to_owned(), None);
    }
    (format!("not TOML: {}", short(said)), None)
}

/// A value that is neither a number nor in quotes.
fn unquoted(there: &str, behind: &str) -> (String, Option<String>) {
    if there.is_empty() {
        return ("a value is missing here".to_owned(), None);
    }
    let next = behind.trim_start_matches([' ', '\t']).chars().next();
    let mut parts = there.split_whitespace();
    let numbers = there.contains([' ', '\t']) && parts.all(|part| part.parse::<f64>().is_ok());
    if next == Some('=') || numbers && matches!(next, Some(',' | ']')) {
        return ("a comma is missing here".to_owned(), None);
    }
    if numbers {
        return ("one number is expected here".to_owned(), None);
    }
    if there.starts_with(|c: char| c.is_ascii_digit()) && there.chars().all(char::is_alphanumeric) {
        let help = match crate::units::glued(there) {
            Some(text) => format!("a number with a unit stands in quotes: \"{}\"", short(&text)),
            None => "a number has digits, a point and an exponent".to_owned(),
        };
        return (format!("`{}` is not a number", short(there)), Some(help));
    }
    let inner = there.trim_matches(['“', '”', '„', '‘', '’']);
    let message = if inner.len() < there.len() {
        format!("`{}` is not in straight quotes", short(there))
    } else {
        format!("`{}` is neither a number nor in quotes", short(there))
    };
    (message, Some(format!("write \"{}\"", short(inner))))
}
