//! A document as Markdown with `$` mathematics, as GitHub and Pandoc show it.

use super::content::{Block, Content, Equation, Span};
use std::fmt::Write;

/// Equations of one display: more of them are several displays, because they are not broken over
/// pages.
const TOGETHER: usize = 20;

pub(super) fn write(content: &Content) -> String {
    let mut out = format!("# {}\n\n", spans(&content.title));
    out.push_str("<!--\n");
    for line in &content.head {
        // Two hyphens would end the comment.
        let _ = writeln!(out, "{}", line.replace("--", "- -"));
    }
    out.push_str("-->\n");
    let mut number = 0;
    for block in &content.blocks {
        out.push('\n');
        match block {
            Block::Heading(level, title) => {
                let marks = "#".repeat(usize::from(*level) + 1);
                let _ = writeln!(out, "{marks} {}", spans(title));
            }
            Block::Paragraph(words) => {
                out.push_str(&spans(words));
                out.push('\n');
            }
            Block::Table(head, rows) => {
                let _ = writeln!(out, "| {} |", head.join(" | "));
                let _ = writeln!(out, "|{}", " --- |".repeat(head.len()));
                for row in rows {
                    let cells: Vec<String> = row.iter().map(|cell| spans(cell)).collect();
                    let _ = writeln!(out, "| {} |", cells.join(" | "));
                }
            }
            Block::Equations(all) => {
                for (at, some) in all.chunks(TOGETHER).enumerate() {
                    out.push_str(if at > 0 { "\n" } else { "" });
                    equations(&mut out, some, &mut number);
                }
            }
        }
    }
    out
}

fn equations(out: &mut String, all: &[Equation], number: &mut usize) {
    let mut rows = Vec::new();
    for equation in all {
        *number += 1;
        let lines = equation.lines.join(" \\\\\n&\\quad {}");
        rows.push(format!("{} &= {lines} && \\text{{({number})}}", equation.left));
    }
    let _ = writeln!(out, "$$\n\\begin{{aligned}}\n{}\n\\end{{aligned}}\n$$", rows.join(" \\\\\n"));
}

fn spans(spans: &[Span]) -> String {
    let each = spans.iter().map(|span| match span {
        Span::Text(text) => escaped(text),
        Span::Name(text) => format!("*{}*", escaped(text)),
        // A bar would end a cell.
        Span::Math(latex) => {
            format!("${}$", latex.replace("\\left|", "\\lvert ").replace("\\right|", "\\rvert "))
        }
    });
    each.collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '<' | '>' | '#' | '|' | '$' | '~'
            | '&' => {
                out.push('\\');
                out.push(letter);
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_a_name_holds_is_shown() {
        let check = |name: &str, expected: &str| assert_eq!(escaped(name), expected);
        check("left_arm", "left\\_arm");
        check("a|b $x$ #1", "a\\|b \\$x\\$ \\#1");
        check("关节", "关节");
    }
}
