//! A place in a text as a compiler shows it: file, line, column, and the line with the place
//! underlined.
//!
//! Long lines are cut around the place, and characters that would move the cursor are replaced, so
//! that the underline stands below what it means. Every reader of text shows its faults this way.

use std::fmt;
use std::ops::Range;

/// Line and column of a byte of `text`, both from one, the column in characters.
pub fn line_column(text: &str, byte: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(byte)];
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// One line of a text with a span underlined; `Display` draws it.
#[derive(Clone, Debug)]
pub struct Snippet {
    place: String,
    number: String,
    shown: String,
    indent: usize,
    width: usize,
    label: String,
}

impl Snippet {
    /// The line of `text` where `span` begins. The label stands behind the underline; it may be
    /// empty.
    pub fn new(text: &str, span: Range<usize>, file_name: &str, label: &str) -> Snippet {
        let (line, column) = line_column(text, span.start);
        let start = text.floor_char_boundary(span.start);
        let end = text.floor_char_boundary(span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let (shown, indent, width) = excerpt(
            &text[line_start..start],
            &text[start..end.min(line_end).max(start)],
            &text[end.clamp(start, line_end)..line_end],
        );
        Snippet {
            place: format!("{file_name}:{line}:{column}"),
            number: line.to_string(),
            shown,
            indent,
            width: width.max(1),
            label: label.to_owned(),
        }
    }

    /// Blanks as wide as the line's number, for what is written below.
    pub fn gutter(&self) -> String {
        " ".repeat(self.number.len())
    }
}

impl fmt::Display for Snippet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let gutter = self.gutter();
        let underline = format!("{}{}", " ".repeat(self.indent), "^".repeat(self.width));
        writeln!(f, "{gutter}--> {}", self.place)?;
        writeln!(f, "{gutter} |")?;
        writeln!(f, "{} | {}", self.number, self.shown)?;
        writeln!(f, "{gutter} | {}", format!("{underline} {}", self.label).trim_end())
    }
}

/// Columns of context kept on either side of a fault, and of the fault itself.
const CONTEXT: usize = 60;

/// A line cut to what can be shown, the columns before the fault and the columns of the fault.
fn excerpt(before: &str, fault: &str, after: &str) -> (String, usize, usize) {
    let head: Vec<char> = {
        let kept: Vec<char> = before.chars().rev().take(CONTEXT + 1).collect();
        let cut = kept.len() > CONTEXT;
        let mut kept: Vec<char> = kept.into_iter().take(CONTEXT).collect();
        if cut {
            kept.pop();
            kept.push('…');
        }
        kept.into_iter().rev().map(printable).collect()
    };
    let shorten = |part: &str, limit: usize| -> String {
        let mut kept: String = part.chars().take(limit).map(printable).collect();
        if part.chars().nth(limit).is_some() {
            kept.push('…');
        }
        kept
    };
    let head: String = head.into_iter().collect();
    let fault = shorten(fault, 2 * CONTEXT);
    let after = if fault.ends_with('…') { String::new() } else { shorten(after, CONTEXT) };
    let columns = |part: &str| part.chars().map(columns).sum::<usize>();
    (format!("{head}{fault}{}", after.trim_end()), columns(&head), columns(&fault))
}

/// Tabs and control characters as something of known width.
fn printable(c: char) -> char {
    match c {
        '\t' | '\r' => ' ',
        c if c.is_control() => '\u{FFFD}',
        // Marks that reverse the direction of text would move the underline.
        '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => '\u{FFFD}',
        c => c,
    }
}

/// Columns a character takes on a terminal: the common cases of Unicode's width table.
fn columns(c: char) -> usize {
    match c {
        '\u{0300}'..='\u{036F}' | '\u{200B}'..='\u{200D}' | '\u{FE00}'..='\u{FE0F}' => 0,
        '\u{1100}'..='\u{115F}'
        | '\u{2E80}'..='\u{A4CF}'
        | '\u{AC00}'..='\u{D7A3}'
        | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE6F}'
        | '\u{FF00}'..='\u{FF60}'
        | '\u{FFE0}'..='\u{FFE6}'
        | '\u{1F300}'..='\u{1FAFF}'
        | '\u{20000}'..='\u{3FFFD}' => 2,
        _ => 1,
    }
}
