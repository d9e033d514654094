//! A document as LaTeX: an article that `pdflatex` sets, with the packages that every installation has.

use super::content::{Block, Content, Equation, Span};
use rotule_symbolic::{greek, latex_width};
use std::fmt::Write;

const PREAMBLE: &str = "\
\\documentclass[10pt,a4paper]{article}
\\usepackage[T1]{fontenc}
\\usepackage[utf8]{inputenc}
\\usepackage[margin=25mm]{geometry}
\\usepackage{amsmath}
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

/// Equations of one block go into environments of at most this many, so that large documents stay small for TeX.
const TOGETHER: usize = 40;
/// Columns that are wider than this share of a line are wrapped: letters of a cell.
const WRAPPED: usize = 34;

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
                for some in all.chunks(TOGETHER) {
                    equations(&mut out, some);
                }
            }
        }
    }
    out.push_str("\n\\end{document}\n");
    known_letters(&out)
}

fn table(out: &mut String, head: &[&str], rows: &[Vec<Vec<Span>>]) {
    let letters = |cell: &Vec<Span>| -> usize {
        let each = cell.iter().map(|span| match span {
            Span::Text(text) | Span::Name(text) => text.chars().count(),
            Span::Math(latex) => usize::try_from(latex_width(latex) / 10).unwrap_or(0),
        });
        each.sum()
    };
    let wide: Vec<bool> = (0..head.len())
        .map(|column| {
            rows.iter().filter_map(|row| row.get(column)).any(|cell| letters(cell) > WRAPPED)
        })
        .collect();
    let wrapped = wide.iter().filter(|&&wide| wide).count().max(1);
    let share = if head.len() == 2 { 0.8 } else { 0.45 } / wrapped as f64;
    let column = |&wide: &bool| match wide {
        true => format!("p{{{share:.2}\\linewidth}}"),
        false => "l".to_owned(),
    };
    let columns: Vec<String> = wide.iter().map(column).collect();
    let _ = writeln!(out, "\\begin{{longtable}}[l]{{@{{}}{}@{{}}}}\n\\toprule", columns.concat());
    let _ = writeln!(out, "{} \\\\\n\\midrule\n\\endhead", head.join(" & "));
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| spans(cell)).collect();
        let _ = writeln!(out, "{} \\\\", cells.join(" & "));
    }
    out.push_str("\\bottomrule\n\\end{longtable}\n");
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
