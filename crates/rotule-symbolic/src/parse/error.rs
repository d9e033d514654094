//! What is wrong with a text, where, and what was probably meant.

use std::fmt;
use std::ops::Range;

/// A fault in an expression's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes of the text at fault; empty at the end when something is missing there.
    pub span: Range<usize>,
    /// What was found and what was expected.
    pub message: String,
    /// What to write instead, where that can be guessed.
    pub help: Option<String>,
}

impl ParseError {
    /// A fault without advice.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> ParseError {
        ParseError { span, message: message.into(), help: None }
    }

    /// The same fault with advice.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> ParseError {
        ParseError { help: Some(help.into()), ..self }
    }

    /// Line and column of the fault in `text`, both from one, the column in characters.
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        let before = &text[..text.floor_char_boundary(self.span.start)];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    /// The fault as a compiler shows it: message, place, the line with the fault underlined, help.
    ///
    /// Long lines are cut around the fault, and characters that would move the cursor are
    /// replaced, so that the underline stands below what it means.
    pub fn render(&self, text: &str, file_name: &str) -> String {
        let (line, column) = self.line_column(text);
        let start = text.floor_char_boundary(self.span.start);
        let end = text.floor_char_boundary(self.span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
        let (shown, indent, width) = excerpt(
            &text[line_start..start],
            &text[start..end.min(line_end).max(start)],
            &text[end.clamp(start, line_end)..line_end],
        );
        let number = line.to_string();
        let gutter = " ".repeat(number.len());
        let mut out = format!(
            "error: {}\n{gutter}--> {file_name}:{line}:{column}\n{gutter} |\n{number} | {shown}\n\
             {gutter} | {}{}\n",
            self.message,
            " ".repeat(indent),
            "^".repeat(width.max(1)),
        );
        if let Some(help) = &self.help {
            out.push_str(&format!("{gutter} = help: {help}\n"));
        }
        out
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// Columns of context kept on either side of a fault, and of the fault itself.
const CONTEXT: usize = 40;

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

/// Names longer than this get no suggestion: nobody mistypes them by a letter or two.
const LONGEST_GUESS: usize = 64;

/// The candidate that `name` was probably meant to be: the one with the fewest letters to change,
/// insert, drop or exchange, if those are at most a third of it. Of equals, the one that begins
/// most like it, then the first.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(LONGEST_GUESS + 1).collect();
    if name.len() > LONGEST_GUESS {
        return None;
    }
    let mut best: Option<((usize, usize), &str)> = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.chars().take(LONGEST_GUESS + 1).collect();
        let longest = name.len().max(letters.len());
        let limit = best.map_or(longest.div_ceil(3), |((distance, _), _)| distance);
        if letters.len() > LONGEST_GUESS || name.len().abs_diff(letters.len()) > limit {
            continue;
        }
        let distance = edit_distance(&name, &letters);
        let unlike = longest - name.iter().zip(&letters).take_while(|(a, b)| a == b).count();
        // A word of which every letter changes is no neighbour.
        let close = distance <= limit && distance < longest;
        if close && best.is_none_or(|(least, _)| (distance, unlike) < least) {
            best = Some(((distance, unlike), candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Insertions, deletions, changes and exchanges of neighbours that lead from `a` to `b`.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut older: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut current = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut cost = (previous[j - 1] + change).min(previous[j] + 1).min(current[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(older[j - 2] + 1);
            }
            current.push(cost);
        }
        older = std::mem::replace(&mut previous, current);
    }
    previous[b.len()]
}
