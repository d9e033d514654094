//! Lists in one text: `x, M[1,2]` or `cos(a), m`, cut at the commas that no bracket holds.

use crate::ParseError;
use std::ops::Range;

/// The names that commas separate, without the blanks around them; blank ones are left out.
pub fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(',').map(str::trim).filter(|name| !name.is_empty())
}

/// The parts of a text between commas that no bracket holds, with their blanks.
pub fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    text.split(move |c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    })
}

/// The bytes of each item, without the blanks around it. A blank item is an error.
pub fn items(text: &str) -> Result<Vec<Range<usize>>, ParseError> {
    let mut items = Vec::new();
    let mut start = 0;
    for item in parts(text) {
        let trimmed = item.trim();
        let first = start + item.len() - item.trim_start().len();
        let span = first..first + trimmed.len();
        if trimmed.is_empty() {
            let message = if item.len() == text.len() { "this list is empty" } else { MISSING };
            return Err(ParseError::new(start..start + item.len(), message));
        }
        items.push(span);
        start += item.len() + 1;
    }
    Ok(items)
}

const MISSING: &str = "something is missing between commas";

/// A fault in the item that begins at `start`, as a fault of the whole text.
pub fn shifted(fault: ParseError, start: usize) -> ParseError {
    ParseError { span: fault.span.start + start..fault.span.end + start, ..fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_brackets_do_not_separate() {
        let check = |text: &str, expected: &[&str]| {
            let found = items(text).unwrap();
            let found: Vec<&str> = found.into_iter().map(|item| text[item].trim()).collect();
            assert_eq!(found, expected);
        };
        check("x", &["x"]);
        check("x, y ,z", &["x", "y", "z"]);
        check("M[1,2], x", &["M[1,2]", "x"]);
        check("max(a, b[1,2]), c", &["max(a, b[1,2])", "c"]);
        // Brackets that do not match are for the reader of the item to complain about.
        check("a), b", &["a)", "b"]);
        check("(a, b", &["(a, b"]);
    }

    #[test]
    fn blank_names_are_left_out() {
        let check = |text: &str, expected: &[&str]| {
            assert_eq!(names(text).collect::<Vec<_>>(), expected, "{text}");
        };
        check("", &[]);
        check(" , ", &[]);
        check("q1", &["q1"]);
        check(" q1,, q 2 ,", &["q1", "q 2"]);
    }

    #[test]
    fn blank_items_are_refused() {
        let check = |text: &str, span: Range<usize>| {
            assert_eq!(items(text).unwrap_err().span, span, "{text}");
        };
        check("", 0..0);
        check("  ", 0..2);
        check("x,", 2..2);
        check("x, ,y", 2..3);
        check(",x", 0..0);
    }
}
