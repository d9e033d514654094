//! Comparing what a page shows with what a program prints.

/// Returns `true` if a text is what a pattern shows: line by line, but for blanks at the ends of
/// lines. A line `...` stands for any number of lines, `...` within a line for any text.
pub fn matches(pattern: &str, text: &str) -> bool {
    let trimmed = |text: &'_ str| text.lines().map(|line| line.trim_end().to_owned()).collect();
    let (pattern, text): (Vec<String>, Vec<String>) = (trimmed(pattern), trimmed(text));
    lines_match(&pattern, &text)
}

fn lines_match(pattern: &[String], text: &[String]) -> bool {
    match pattern.split_first() {
        None => text.is_empty(),
        Some((gap, rest)) if gap.trim() == "..." => {
            (0..=text.len()).any(|skipped| lines_match(rest, &text[skipped..]))
        }
        Some((line, rest)) => text
            .split_first()
            .is_some_and(|(first, others)| line_matches(line, first) && lines_match(rest, others)),
    }
}

/// The parts between gaps stand in the line one after the other, the first at its beginning and the
/// last at its end.
fn line_matches(pattern: &str, line: &str) -> bool {
    let Some((first, rest)) = pattern.split_once("...") else { return pattern == line };
    let Some(mut line) = line.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split("...").collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = line.find(part) else { return false };
        line = &line[at + part.len()..];
    }
    line.ends_with(last)
}

#[test]
fn gaps_stand_for_lines_and_for_text() {
    let check = |pattern: &str, text: &str, expected: bool| {
        assert_eq!(matches(pattern, text), expected, "{pattern:?} {text:?}");
    };
    check("a\nb\n", "a\nb\n", true);
    check("a\nb\n", "a  \nb", true);
    check("a\n", "a\nb\n", false);
    check("a\nb\n", "a\n", false);
    check("a\n...\n", "a\n", true);
    check("a\n...\n", "a\nb\nc\n", true);
    check("...\nc\n", "a\nb\nc\n", true);
    check("...\nb\n", "a\nb\nc\n", false);
    check("a\n...\nc\n...\n", "a\nb\nc\nd\n", true);
    check("took ... ms, ... steps", "took 3.1 ms, 77 steps", true);
    check("took ... ms", "took 3.1 s", false);
    check("took ... ms", "it took 3.1 ms", false);
}
