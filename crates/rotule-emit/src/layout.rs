//! Lines: indentation, and where a long line is broken.

/// Lines are broken behind this column where they can be.
pub const WIDTH: usize = 96;

/// Text that grows by lines.
#[derive(Clone, Debug, Default)]
pub struct LineText {
    /// The text so far.
    pub text: String,
    /// The unit of indentation.
    pub unit: &'static str,
    /// The mark at the end of a line that goes on: ` &` in Fortran, nothing in C.
    pub mark: &'static str,
    /// The indentation of the next line.
    pub depth: usize,
}

impl LineText {
    /// An empty text.
    pub fn new(unit: &'static str, mark: &'static str) -> LineText {
        LineText { text: String::new(), unit, mark, depth: 0 }
    }

    /// Adds a line; an empty one is not indented. A long one is broken behind operators and commas.
    pub fn line(&mut self, line: &str) {
        let mut rest = line;
        let mut indent = self.unit.len() * self.depth;
        let mut first = true;
        while indent + rest.chars().count() > WIDTH {
            let Some(cut) = break_at(rest, WIDTH.saturating_sub(indent + self.mark.len())) else {
                break;
            };
            let (head, tail) = rest.split_at(cut);
            self.put(head.trim_end(), first);
            self.text.push_str(self.mark);
            self.text.push('\n');
            rest = tail.trim_start();
            if first {
                indent += 2 * self.unit.len();
            }
            first = false;
        }
        self.put(rest, first);
        self.text.push('\n');
    }

    fn put(&mut self, line: &str, first: bool) {
        if !line.is_empty() {
            for _ in 0..self.depth + if first { 0 } else { 2 } {
                self.text.push_str(self.unit);
            }
            self.text.push_str(line);
        }
    }

    /// Adds a line that is not broken, however long.
    pub fn whole(&mut self, line: &str) {
        self.put(line, true);
        self.text.push('\n');
    }

    /// Adds lines as they are, each indented.
    pub fn lines(&mut self, lines: &str) {
        lines.lines().for_each(|line| self.line(line));
    }
}

/// The last place, not beyond `width` if possible, where a line may be broken: a space behind an
/// operator or a comma. A comment and a text in quotes are left alone.
fn break_at(line: &str, width: usize) -> Option<usize> {
    if line.contains(['"', '\''])
        || ["//", "/*", "#", "%", "!", " *"].iter().any(|c| line.starts_with(c))
    {
        return None;
    }
    let bytes = line.as_bytes();
    let mut best = None;
    for at in 1..bytes.len() {
        let breakable = bytes[at] == b' ' && b"+-*/,=<>?:&|".contains(&bytes[at - 1]);
        // Not behind the sign of an assignment, if there is any other place.
        if breakable && bytes.get(at + 1).is_some_and(|&next| next != b' ') {
            if at > width {
                return best.or(Some(at + 1));
            }
            if bytes[at - 1] != b'=' || best.is_none() {
                best = Some(at + 1);
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::LineText;

    #[test]
    fn long_lines_are_broken_behind_operators() {
        let mut text = LineText::new("  ", " &");
        text.depth = 1;
        let sum: Vec<String> = (0..30).map(|k| format!("a{k}*b")).collect();
        text.line(&format!("x = {}", sum.join(" + ")));
        for line in text.text.lines() {
            assert!(line.len() <= super::WIDTH, "{line}");
        }
        let joined: Vec<&str> =
            text.text.lines().map(|line| line.trim().trim_end_matches('&').trim_end()).collect();
        assert_eq!(joined.join(" "), format!("x = {}", sum.join(" + ")));
        assert!(text.text.lines().rev().skip(1).all(|line| line.ends_with("+ &")));
    }
}
