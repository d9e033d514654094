//! A Rust source file divided into code, comments and texts, so that a rule about prose looks at
//! prose alone.

/// One line of a source file: its parts without what separates them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Line {
    /// Code, with every text emptied.
    pub code: String,
    /// The comment, with its slashes.
    pub comment: String,
    /// Texts between quotes, one after the other.
    pub texts: String,
}

/// The state between two characters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Code,
    LineComment,
    BlockComment(usize),
    Text,
    RawText(usize),
}

/// The lines of a source file. A quote that no rule of Rust explains ends with its file, never with
/// a panic.
pub fn lines(source: &str) -> Vec<Line> {
    let mut lines = vec![Line::default()];
    let mut state = State::Code;
    let characters: Vec<char> = source.chars().collect();
    let at = |index: usize| characters.get(index).copied().unwrap_or('\0');
    let mut index = 0;
    while index < characters.len() {
        let c = characters[index];
        if c == '\n' {
            if state == State::LineComment {
                state = State::Code;
            }
            lines.push(Line::default());
            index += 1;
            continue;
        }
        let line = lines.last_mut().expect("there is a line from the beginning");
        let mut taken = 1;
        match state {
            State::Code => match c {
                '/' if at(index + 1) == '/' => {
                    state = State::LineComment;
                    line.comment.push(c);
                }
                '/' if at(index + 1) == '*' => {
                    state = State::BlockComment(1);
                    taken = 2;
                }
                '"' => state = State::Text,
                'r' if !is_name(index.checked_sub(1).map_or('\0', at)) => {
                    let marks = (index + 1..).take_while(|&next| at(next) == '#').count();
                    if at(index + 1 + marks) == '"' {
                        state = State::RawText(marks);
                        taken = marks + 2;
                    } else {
                        line.code.push(c);
                    }
                }
                // A character, and not a lifetime.
                '\'' if at(index + 1) == '\\' => {
                    let end = (index + 3..).find(|&next| matches!(at(next), '\'' | '\n' | '\0'));
                    taken = end.map_or(1, |end| end - index + 1);
                }
                '\'' if at(index + 2) == '\'' => taken = 3,
                _ => line.code.push(c),
            },
            State::LineComment => line.comment.push(c),
            State::BlockComment(depth) => match (c, at(index + 1)) {
                ('*', '/') => {
                    state = if depth == 1 { State::Code } else { State::BlockComment(depth - 1) };
                    taken = 2;
                }
                ('/', '*') => {
                    state = State::BlockComment(depth + 1);
                    taken = 2;
                }
                _ => line.comment.push(c),
            },
            State::Text => match c {
                // What is escaped separates words; the end of a line is left to its own branch.
                '\\' if at(index + 1) != '\n' => {
                    line.texts.push(' ');
                    taken = 2;
                }
                '"' => {
                    line.texts.push(' ');
                    state = State::Code;
                }
                _ => line.texts.push(c),
            },
            State::RawText(marks) => {
                let closes = c == '"' && (1..=marks).all(|step| at(index + step) == '#');
                if closes {
                    line.texts.push(' ');
                    state = State::Code;
                    taken = marks + 1;
                } else {
                    line.texts.push(c);
                }
            }
        }
        index += taken;
    }
    lines
}

/// Returns `true` if a character can be part of a name.
pub fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn code_comments_and_texts_are_told_apart() {
        let check = |source: &str, code: &str, comment: &str, texts: &str| {
            let found = lines(source);
            let join = |part: fn(&super::Line) -> &str| {
                found.iter().map(part).collect::<Vec<_>>().join("|")
            };
            assert_eq!(join(|line| line.code.trim()), code, "{source}");
            assert_eq!(join(|line| line.comment.trim()), comment, "{source}");
            assert_eq!(join(|line| line.texts.trim()), texts, "{source}");
        };
        check("let a = 1; // why", "let a = 1;", "// why", "");
        check("f(\"a // b\")", "f()", "", "a // b");
        check("f(r#\"a \" b\"#)", "f()", "", "a \" b");
        check("f('\"', \"x\")", "f(, )", "", "x");
        check("f('\\'', b'\\n', \"x\")", "f(, b, )", "", "x");
        check("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}", "", "");
        check("a /* b /* c */ d */ e", "a  e", "b  c  d", "");
        check("\"one\ntwo\" x", "|x", "|", "one|two");
        check("\"say \\\"hi\\\" now\"", "", "", "say  hi  now");
        check("var\"", "var", "", "");
        check("'", "'", "", "");
    }
}
