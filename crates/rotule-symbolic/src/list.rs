//! Lists in one text: `x, M[1,2]` or `cos(a), m`, cut at the commas that no bracket holds.

use crate::ParseError;
use std::ops::Range;

/// The bytes of each piece, without the blanks around it. A blank piece is an error.
pub fn pieces(text: &str) -> Result<Vec<Range<usize>>, ParseError> {
    let mut depth = 0_usize;
    let separates = |c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    let mut pieces = Vec::new();
    let mut start = 0;
    for piece in text.split(separates) {
        let trimmed = piece.trim();
        let first = start + piece.len() - piece.trim_start().len();
        let span = first..first + trimmed.len();
        if trimmed.is_empty() {
            let message = if piece.len() == text.len() { "this list is empty" } else { MISSING };
            return Err(ParseError::new(start..start + piece.len(), message));
        }
        pieces.push(span);
        start += piece.len() + 1;
    }
    Ok(pieces)
}

const MISSING: &str = "something is missing between commas";

/// A fault in the piece that begins at `start`, as a fault of the whole text.
pub fn shifted(fault: ParseError, start: usize) -> ParseError {
    ParseError { span: fault.span.start + start..fault.span.end + start, ..fault }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_in_brackets_do_not_separate() {
        let check = |text: &str, expected: &[&str]| {
            let found = pieces(text).unwrap();
            let found: Vec<&str> = found.into_iter().map(|piece| text[piece].trim()).collect();
            assert_eq!(found, expected);
        };
        check("x", &["x"]);
        check("x, y ,z", &["x", "y", "z"]);
        check("M[1,2], x", &["M[1,2]", "x"]);
        check("max(a, b[1,2]), c", &["max(a, b[1,2])", "c"]);
        // Brackets that do not match are for the reader of the piece to complain about.
        check("a), b", &["a)", "b"]);
        check("(a, b", &["(a, b"]);
    }

    #[test]
    fn blank_pieces_are_refused() {
        let check = |text: &str, span: Range<usize>| {
            assert_eq!(pieces(text).unwrap_err().span, span, "{text}");
        };
        check("", 0..0);
        check("  ", 0..2);
        check("x,", 2..2);
        check("x, ,y", 2..3);
        check(",x", 0..0);
    }
}
