//! Colours in the terminal: who gets them, and which parts of a text.
//!
//! Texts are written plain and painted when they are shown, so that nothing else in the program
//! knows of colours.

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use rotule::layers::report::terminal::Look;
use std::io;

const BOLD: Style = Style::new().bold();
const ERROR: Style = AnsiColor::Red.on_default().bold();
const WARNING: Style = AnsiColor::Yellow.on_default().bold();
const NOTE: Style = AnsiColor::Cyan.on_default().bold();
const PLACE: Style = AnsiColor::Blue.on_default().bold();
const GOOD: Style = AnsiColor::Green.on_default().bold();

/// The styles of help texts.
pub const HELP: clap::builder::Styles = clap::builder::Styles::styled()
    .header(BOLD)
    .usage(BOLD)
    .literal(AnsiColor::Cyan.on_default())
    .error(ERROR);

/// Returns `true` if standard output gets colours; see [`requested`].
pub fn colours_results() -> bool {
    requested(AutoStream::choice(&io::stdout()))
}

/// Returns `true` if standard error gets colours; see [`requested`].
pub fn colours_messages() -> bool {
    requested(AutoStream::choice(&io::stderr()))
}

/// Terminals get colours unless `NO_COLOR`, `CLICOLOR=0` or `TERM=dumb` is set; pipes get them with
/// `CLICOLOR_FORCE` only.
fn requested(choice: ColorChoice) -> bool {
    let set = |name: &str| std::env::var(name).unwrap_or_default();
    choice != ColorChoice::Never && (!is_dumb() || !set("CLICOLOR_FORCE").is_empty())
}

/// Returns `true` if the terminal cannot move its cursor.
pub fn is_dumb() -> bool {
    std::env::var("TERM").is_ok_and(|name| name == "dumb")
}

/// The look of plots.
pub fn look() -> Look {
    Look { colour: colours_results(), ..Look::of_terminal() }
}

/// A text whose long lines are broken between words: names of a summary keep their column, tables
/// and lines of files are left as they are.
pub fn wrap(text: &str, width: usize) -> String {
    let fold = |line: &str| match line.chars().count() > width {
        true => fold(line, width),
        false => line.to_owned(),
    };
    text.split('\n').map(fold).collect::<Vec<_>>().join("\n")
}

/// A long line as several.
fn fold(line: &str, width: usize) -> String {
    let inner = line.trim_start();
    let indent = line.len() - inner.len();
    let number = inner.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let gaps: Vec<usize> = inner.match_indices("  ").map(|(at, _)| at).collect();
    // Of one gap, several matches follow each other.
    let tables = gaps.windows(2).any(|pair| pair[1] > pair[0] + 2);
    if number.starts_with('|') || inner.starts_with("-->") || tables {
        return line.to_owned();
    }
    let start = match gaps.last() {
        Some(gap) => indent + gap + inner[*gap..].len() - inner[*gap..].trim_start().len(),
        None => indent,
    };
    let (head, rest) = line.split_at(start);
    let column = if gaps.is_empty() { indent + 4 } else { head.chars().count() };
    let (mut lines, mut used) = (head.to_owned(), head.chars().count());
    for (at, word) in rest.split(' ').enumerate() {
        let length = word.chars().count();
        if at > 0 && used + 1 + length > width {
            lines.push('\n');
            lines.push_str(&" ".repeat(column));
            used = column;
        } else if at > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += length;
    }
    lines
}

fn paint(text: &str, style: Style) -> String {
    format!("{style}{text}{style:#}")
}

/// A message as a compiler paints it: the severity, the place, the underlined part, the remedy.
pub fn paint_message(text: &str) -> String {
    let mut severity = ERROR;
    let lines = text.split('\n').map(|line| {
        if let Some((word, style)) = severity_of(line) {
            severity = style;
            let (head, rest) = line.split_at(line.find(": ").unwrap_or(word.len()));
            return paint(head, style) + &paint(rest, BOLD);
        }
        paint_detail(line, severity)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The severity that a line begins with.
fn severity_of(line: &str) -> Option<(&'static str, Style)> {
    [("error", ERROR), ("warning", WARNING), ("note", NOTE)]
        .into_iter()
        .find(|(word, _)| line.strip_prefix(word).is_some_and(|rest| rest.starts_with([':', '['])))
}

/// A line below the first: a place, a line of the file with its number, what is underlined, a
/// remedy.
fn paint_detail(line: &str, severity: Style) -> String {
    let inner = line.trim_start();
    let indent = &line[..line.len() - inner.len()];
    if let Some(rest) = inner.strip_prefix("-->") {
        return format!("{indent}{}{rest}", paint("-->", PLACE));
    }
    if let Some(rest) = inner.strip_prefix("= ") {
        let (word, rest) = rest.split_at(rest.find(':').map_or(0, |at| at + 1));
        return format!("{indent}{} {}{rest}", paint("=", PLACE), paint(word, BOLD));
    }
    let number = inner.trim_start_matches(|c: char| c.is_ascii_digit());
    let Some(rest) = number.strip_prefix(" |").or(number.strip_prefix('|')) else {
        return line.to_owned();
    };
    let gutter = paint(&line[..line.len() - rest.len()], PLACE);
    match rest.trim_start().starts_with('^') {
        true => gutter + &paint(rest, severity),
        false => gutter + rest,
    }
}

/// A summary with its verdict painted, and the headings of tables.
pub fn paint_summary(text: &str) -> String {
    let mut before = "";
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let (word, rest) = line.split_at(line.find("  ").unwrap_or(0));
        lines.push(match word {
            "verdict" if before.is_empty() => {
                let style = if rest.ends_with("kept its promise") { GOOD } else { WARNING };
                format!("{word}{}", paint(rest, style))
            }
            "coordinate" | "sample" | "" if before.is_empty() && line.contains("  ") => {
                paint(line, BOLD)
            }
            _ => line.to_owned(),
        });
        before = line;
    }
    lines.join("\n")
}

/// The headings of sections: lines before which a blank one stands, with lines below them that
/// belong to them.
pub fn paint_headings(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    let heads = |at: usize| {
        let begins = at == 0 || lines[at - 1].is_empty();
        let below = lines.get(at + 1).is_some_and(|next| next.starts_with(['=', ' ']));
        begins && below && !lines[at].is_empty() && !lines[at].starts_with(' ')
    };
    let painted = lines.iter().enumerate().map(|(at, line)| match heads(at) {
        true => paint(line, BOLD),
        false => (*line).to_owned(),
    });
    painted.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Painted text without its colours is the text.
    fn plain(text: &str) -> String {
        anstream::adapter::strip_str(text).to_string()
    }

    #[test]
    fn messages_are_painted_and_unchanged() {
        let text = "warning[inertia]: no real body\n  --> m.toml:12:11\n   |\n12 | inertia = 1\n   |           ^ here\n   = help: give three";
        let painted = paint_message(text);
        assert_eq!(plain(&painted), text);
        for part in [
            paint("warning[inertia]", WARNING),
            paint("-->", PLACE),
            paint("12 |", PLACE),
            paint("           ^ here", WARNING),
            paint("help:", BOLD),
        ] {
            assert!(painted.contains(&part), "{part} in {painted}");
        }
        // Words within a sentence are not severities.
        assert_eq!(paint_message("errors are rare"), "errors are rare");
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        let check = |text: &str, expected: &str| assert_eq!(wrap(text, 20), expected);
        check("short", "short");
        check("error: one two three four", "error: one two three\n    four");
        check("  = help: one two three", "  = help: one two\n      three");
        check("time   one two three four", "time   one two three\n       four");
        // Lines of files and tables stay.
        check("12 | one two three four five", "12 | one two three four five");
        check("a  1  2  3 4 5 6 7 8 9 10", "a  1  2  3 4 5 6 7 8 9 10");
    }

    #[test]
    fn summaries_and_headings_are_painted_and_unchanged() {
        let text = "time  1 s\n\nverdict  kept its promise\n\ncoordinate  unit\nq  rad\n";
        let painted = paint_summary(text);
        assert_eq!(plain(&painted), text);
        assert!(painted.contains(&paint("  kept its promise", GOOD)), "{painted:?}");
        assert!(painted.contains(&paint("coordinate  unit", BOLD)), "{painted:?}");
        let text = "arm\n===\nbodies  1\n\nloops\n  pin  revolute\n";
        let painted = paint_headings(text);
        assert_eq!(plain(&painted), text);
        assert_eq!(painted.matches(&BOLD.to_string()).count(), 2, "{painted:?}");
    }
}
