//! Lines of free-form Fortran: remarks, and how what is too long is broken.

use crate::layout::LineText;
use std::fmt::Write;

/// Length of the longest line.
const COLUMNS: usize = 132;

/// An empty text in free form.
pub fn text() -> LineText {
    LineText::new("  ", " &")
}

/// Adds remarks.
pub fn comment(text: &mut LineText, lines: &[String]) {
    for line in lines {
        text.line(format!("! {line}").trim_end());
    }
}

/// Breaks what is still too long, inside of words if need be.
pub fn narrow(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        let mut rest = line;
        while rest.len() > COLUMNS && !rest.trim_start().starts_with('!') {
            let at = COLUMNS - 4;
            let at = (1..=at).rev().find(|&at| rest.is_char_boundary(at)).unwrap_or(rest.len());
            let (head, tail) = rest.split_at(at);
            // Behind an operator or a comma if there is one; a word that is cut goes on behind the
            // mark.
            let cut = head.rfind(['*', ',', '(']).filter(|&cut| !head[..cut].trim().is_empty());
            match cut {
                Some(cut) if !rest[cut + 1..].starts_with('*') => {
                    let _ = writeln!(out, "{} &", &rest[..=cut]);
                    rest = &rest[cut + 1..];
                }
                _ => {
                    let _ = writeln!(out, "{head}&");
                    out.push('&');
                    rest = tail;
                }
            }
        }
        out.push_str(rest);
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{COLUMNS, narrow};

    #[test]
    fn no_line_is_too_long() {
        let name = "n".repeat(50);
        let product = [name.as_str(); 12].join("*");
        let power = format!("x = {0}**{0}**{0}", "p".repeat(60));
        let word = format!("call show(\"{}\")", "w".repeat(300));
        let remark = format!("! {}", "remark ".repeat(40));
        let narrowed = narrow(&format!("    x = {product}\n{power}\n{word}\n{remark}\n"));
        let (code, comments): (Vec<&str>, Vec<&str>) =
            narrowed.lines().partition(|line| !line.starts_with('!'));
        assert_eq!(comments, [remark.as_str()]);
        assert!(code.iter().all(|line| line.len() <= COLUMNS), "{narrowed}");
        // Read as the language does: a line that ends with the mark goes on, behind a second mark
        // if there is one.
        let mut read = String::new();
        for line in code {
            let line = if read.ends_with('&') {
                read.pop();
                line.strip_prefix('&').unwrap_or(line)
            } else {
                line
            };
            read.push_str(line);
            if !line.ends_with('&') {
                read.push('\n');
            }
        }
        let spaceless = |text: &str| text.replace(' ', "");
        assert_eq!(spaceless(&read), spaceless(&format!("x = {product}\n{power}\n{word}\n")));
    }
}
