//! A document as LaTeX: an article that `pdflatex` sets, with the packages that every installation
//! has.

use super::content::{Block, Content, Equation, Span};
use rotule_symbolic::{greek, latex_width};
use std::fmt::Write;

const PREAMBLE: &str = "\
\\documentclass[10pt,a4paper]{article}
\\usepackage[T1]{fontenc}
\\usepackage[utf8]{inputenc}
\\usepackage[margin=25mm]{geometry}
\\usepackage{amsmath}
\\usepackage{array}
\\usepackage{booktabs}
\\usepackage{longtable}
\\allowdisplaybreaks
\\setlength{\\parindent}{0pt}
\\setlength{\\parskip}{4pt}
\\setlength{\\emergencystretch}{3em}
\\renewcommand{\\arraystretch}{1.15}
\\setlength{\\LTpre}{4pt}
\\setlength{\\LTpost}{8pt}
\\setcounter{secnumdepth}{2}
";

/// Equations of one block go into environments of at most this many, so that large documents stay
/// small for TeX.
const TOGETHER: usize = 40;
/// Left and right sides of one environment are together at most so wide, in tenths of a letter:
/// right sides stand behind the widest left side.
const WIDTH: i64 = 750;
/// The letters of a line of a table, and those between columns.
const LINE: usize = 84;
const GAP: usize = 3;

pub(super) fn write(content: &Content) -> String {
    let mut out = String::new();
    for line in &content.head {
        let _ = writeln!(out, "{}", format!("% {line}").trim_end());
    }
    out.push_str(PREAMBLE);
    let title = spans(&content.title);
    let _ = writeln!(
        out,
        "\n\\begin{{document}}\n\\begin{{center}}\n  {{\\LARGE {title}\\par}}\n\\end{{center}}"
    );
    for block in &content.blocks {
        // An empty line before a display would leave a gap.
        if !matches!(block, Block::Equations(_)) {
            out.push('\n');
        }
        match block {
            Block::Heading(level, title) => {
                let command = if *level == 1 { "section" } else { "subsection" };
                let _ = writeln!(out, "\\{command}{{{}}}", spans(title));
            }
            Block::Paragraph(words) => {
                out.push_str(&spans(words));
                out.push('\n');
            }
            Block::Table(head, rows) => table(&mut out, head, rows),
            Block::Equations(all) => {
                for some in environments(all) {
                    equations(&mut out, some);
                }
            }
        }
    }
    out.push_str("\n\\end{document}\n");
    known_letters(&out)
}

/// The number of letters of a cell.
fn letters(cell: &[Span]) -> usize {
    let each = cell.iter().map(|span| match span {
        Span::Text(text) | Span::Name(text) => text.chars().count(),
        Span::Math(latex) => usize::try_from(latex_width(latex) / 10).unwrap_or(0),
    });
    each.sum()
}

/// The widths of columns that must be wrapped, in letters: narrow ones stay as they are, others
/// share what is left.
fn widths(natural: &[usize]) -> Vec<Option<usize>> {
    let mut left = LINE.saturating_sub(GAP * natural.len().saturating_sub(1));
    let mut order: Vec<usize> = (0..natural.len()).collect();
    order.sort_by_key(|&column| natural[column]);
    let mut widths = vec![None; natural.len()];
    for (done, &column) in order.iter().enumerate() {
        let share = left / (natural.len() - done);
        if natural[column] > share {
            widths[column] = Some(share.max(1));
        }
        left -= natural[column].min(share);
    }
    widths
}

fn table(out: &mut String, head: &[&str], rows: &[Vec<Vec<Span>>]) {
    let natural: Vec<usize> = (0..head.len())
        .map(|column| {
            let cells = rows.iter().filter_map(|row| row.get(column)).map(|cell| letters(cell));
            cells.chain([head[column].len()]).max().unwrap_or(0)
        })
        .collect();
    let column = |width: Option<usize>| match width {
        Some(letters) => {
            let share = letters as f64 / LINE as f64;
            format!(">{{\\raggedright\\arraybackslash}}p{{{share:.2}\\linewidth}}")
        }
        None => "l".to_owned(),
    };
    let columns: Vec<String> = widths(&natural).into_iter().map(column).collect();
    let _ = writeln!(out, "\\begin{{longtable}}[l]{{@{{}}{}@{{}}}}\n\\toprule", columns.concat());
    let _ = writeln!(out, "{} \\\\\n\\midrule\n\\endhead", head.join(" & "));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| breakable(&spans(cell))).collect();
        let _ = writeln!(out, "{} \\\\", cells.join(" & "));
    }
    out.push_str("\\bottomrule\n\\end{longtable}\n");
}

/// A cell that may be broken between the components of vectors and within long names.
fn breakable(cell: &str) -> String {
    let cell = cell.replace(",\\, ", ",\\allowbreak\\, ").replace(",\\; ", ",\\allowbreak\\; ");
    cell.replace("\\_", "\\_\\allowbreak{}")
}

/// Equations in groups that are narrow enough to be aligned with each other.
fn environments(all: &[Equation]) -> Vec<&[Equation]> {
    let mut found = Vec::new();
    let (mut start, mut left, mut right) = (0, 0, 0);
    for (at, equation) in all.iter().enumerate() {
        let own_left = latex_width(&equation.left);
        let own_right = equation.lines.iter().map(|line| latex_width(line)).max().unwrap_or(0);
        let (new_left, new_right) = (own_left.max(left), own_right.max(right));
        let full = at - start == TOGETHER || new_left + new_right > WIDTH;
        if full && at > start {
            found.push(&all[start..at]);
            (start, left, right) = (at, own_left, own_right);
        } else {
            (left, right) = (new_left, new_right);
        }
    }
    found.push(&all[start..]);
    found
}

fn equations(out: &mut String, all: &[Equation]) {
    let row = |equation: &Equation| {
        let lines = equation.lines.join(" \\notag \\\\\n  &\\quad {}");
        format!("  {} &= {lines}", equation.left)
    };
    let rows: Vec<String> = all.iter().map(row).collect();
    let _ = writeln!(out, "\\begin{{align}}\n{}\n\\end{{align}}", rows.join(" \\\\\n"));
}

fn spans(spans: &[Span]) -> String {
    let each = spans.iter().map(|span| match span {
        Span::Text(text) => escaped(text),
        Span::Name(text) => format!("\\textsf{{{}}}", escaped(text)),
        Span::Math(latex) => format!("${latex}$"),
    });
    each.collect()
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '_' | '{' | '}' | '$' | '&' | '#' | '%' => {
                out.push('\\');
                out.push(letter);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '<' | '>' | '|' => {
                let _ = write!(out, "${letter}$");
            }
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}

/// The text with letters that `pdflatex` does not know as their numbers: `U+5173`.
fn known_letters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        let latin =
            ('\u{a1}'..='\u{ac}').contains(&letter) || ('\u{ae}'..='\u{17e}').contains(&letter);
        if letter.is_ascii() || latin {
            out.push(letter);
        } else if let Some(command) = greek(letter) {
            let _ = write!(out, "\\ensuremath{{\\{command}}}");
        } else {
            let _ = write!(out, "U+{:04X}", u32::from(letter));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Narrow columns keep their width, others share the line.
    #[test]
    fn columns_share_a_line() {
        let check = |natural: &[usize], expected: &[Option<usize>]| {
            assert_eq!(widths(natural), expected, "{natural:?}");
        };
        check(&[3, 20, 40], &[None, None, None]);
        check(&[3, 20, 100], &[None, None, Some(55)]);
        check(&[90, 3, 100], &[Some(37), None, Some(38)]);
        check(&[200], &[Some(LINE)]);
    }

    /// Right sides stand behind the widest left side of an environment.
    #[test]
    fn what_is_aligned_together_fits_a_line() {
        let equation = |left: usize, right: usize| Equation {
            left: "a".repeat(left),
            lines: vec!["b".repeat(right)],
        };
        let all = [equation(2, 70), equation(3, 60), equation(20, 50), equation(20, 20)];
        let sizes: Vec<usize> = environments(&all).iter().map(|some| some.len()).collect();
        assert_eq!(sizes, [2, 2]);
    }

    #[test]
    fn whatever_a_name_holds_is_set() {
        let check =
            |name: &str, expected: &str| assert_eq!(known_letters(&escaped(name)), expected);
        check("left_arm", "left\\_arm");
        check("50% & #1 {x}", "50\\% \\& \\#1 \\{x\\}");
        check("a\\b^c~d", "a\\textbackslash{}b\\textasciicircum{}c\\textasciitilde{}d");
        check("été θ", "été \\ensuremath{\\theta}");
        check("关", "U+5173");
    }
}
