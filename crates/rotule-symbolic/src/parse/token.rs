//! Text to tokens, one at a time, each character looked at once.

use std::ops::Range;

use super::error::ParseError;
use super::{MAX_DIGITS, MAX_NAME, Parsed};
use crate::function::Compare;
use crate::number::Number;

/// A word of the language.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Token {
    End,
    Number(Number),
    /// A name with its indices; the parser reads it from the text.
    Name,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Open,
    Close,
    Comma,
    OpenIndex,
    CloseIndex,
    /// The comparison and whether its sides are to be exchanged.
    Compare(Compare, bool),
    And,
    Or,
    Not,
}

/// Reads tokens off a text.
pub(super) struct Lexer<'t> {
    pub(super) text: &'t str,
    at: usize,
}

/// Characters that people paste from formatted text, and what to write for them.
const LOOKALIKES: [(char, &str); 12] = [
    ('−', "-"),
    ('–', "-"),
    ('·', "*"),
    ('×', "*"),
    ('⋅', "*"),
    ('÷', "/"),
    ('≤', "<="),
    ('≥', ">="),
    ('≠', "!="),
    ('²', "^2"),
    ('³', "^3"),
    ('√', "sqrt(…)"),
];

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || matches!(c, '\u{0300}'..='\u{036F}')
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Lexer<'t> {
        Lexer { text, at: 0 }
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// The bytes from here for which `keep` holds.
    fn skip_while(&mut self, keep: impl Fn(char) -> bool) {
        let rest = self.rest();
        self.at += rest.find(|c| !keep(c)).unwrap_or(rest.len());
    }

    /// The next token and where it stands.
    pub(super) fn next(&mut self) -> Parsed<(Token, Range<usize>)> {
        self.skip_while(char::is_whitespace);
        let start = self.at;
        let Some(c) = self.peek() else { return Ok((Token::End, start..start)) };
        let digit_follows = self.rest()[c.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
        let token = if c.is_ascii_digit() || (c == '.' && digit_follows) {
            self.number()?
        } else if starts_name(c) {
            self.name()?
        } else {
            self.sign(c)?
        };
        Ok((token, start..self.at))
    }

    fn sign(&mut self, c: char) -> Parsed<Token> {
        let start = self.at;
        let (token, length) = match (c, self.rest().as_bytes().get(1)) {
            ('*', Some(b'*')) => (Token::Caret, 2),
            ('<', Some(b'=')) => (Token::Compare(Compare::LessEqual, false), 2),
            ('>', Some(b'=')) => (Token::Compare(Compare::LessEqual, true), 2),
            ('=', Some(b'=')) => (Token::Compare(Compare::Equal, false), 2),
            ('!', Some(b'=')) => (Token::Compare(Compare::NotEqual, false), 2),
            ('&', Some(b'&')) => (Token::And, 2),
            ('|', Some(b'|')) => (Token::Or, 2),
            ('<', _) => (Token::Compare(Compare::Less, false), 1),
            ('>', _) => (Token::Compare(Compare::Less, true), 1),
            ('!', _) => (Token::Not, 1),
            ('+', _) => (Token::Plus, 1),
            ('-', _) => (Token::Minus, 1),
            ('*', _) => (Token::Star, 1),
            ('/', _) => (Token::Slash, 1),
            ('^', _) => (Token::Caret, 1),
            ('(', _) => (Token::Open, 1),
            (')', _) => (Token::Close, 1),
            (',', _) => (Token::Comma, 1),
            ('[', _) => (Token::OpenIndex, 1),
            (']', _) => (Token::CloseIndex, 1),
            _ => {
                let span = start..start + c.len_utf8();
                let error = ParseError::new(span, format!("unexpected character {}", quote(c)));
                let lookalike = LOOKALIKES.iter().find(|(odd, _)| *odd == c);
                return Err(match (c, lookalike) {
                    (_, Some((_, plain))) => error.with_help(format!("write `{plain}`")),
                    ('=', _) => error.with_help("write `==` to compare"),
                    ('&', _) => error.with_help("write `and` or `&&`"),
                    ('|', _) => error.with_help("write `or` or `||`; `abs(x)` is the magnitude"),
                    ('∞', _) => error.with_help("every number in an expression is finite"),
                    ('{', _) => error.with_help("group with parentheses"),
                    _ => error,
                });
            }
        };
        self.at += length;
        Ok(token)
    }

    fn number(&mut self) -> Parsed<Token> {
        let start = self.at;
        let digit = |c: char| c.is_ascii_digit();
        self.skip_while(digit);
        let mut exact = true;
        if self.peek() == Some('.') {
            exact = false;
            self.at += 1;
            self.skip_while(digit);
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            exact = false;
            self.at += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            if !self.peek().is_some_and(digit) {
                let error = ParseError::new(start..self.at, "this exponent has no digits");
                return Err(error.with_help("write `1e-3`, or `2*e` for a product with a name `e`"));
            }
            self.skip_while(digit);
        }
        let span = start..self.at;
        let literal = &self.text[span.clone()];
        if literal.len() > MAX_DIGITS {
            let message = format!(
                "this number has {} characters; at most {MAX_DIGITS} are read",
                literal.len()
            );
            return Err(ParseError::new(span, message));
        }
        if exact {
            return match literal.parse::<i64>() {
                Ok(value) => Ok(Token::Number(Number::from(value))),
                Err(_) => {
                    let message =
                        format!("this integer is above the largest exact one, {}", i64::MAX);
                    let help = "write it with a point or an exponent to make it a real";
                    Err(ParseError::new(span, message).with_help(help))
                }
            };
        }
        let value: f64 = literal.parse().unwrap_or(f64::NAN);
        let mantissa = literal.split(['e', 'E']).next().unwrap_or_default();
        if !value.is_finite() {
            let message = format!("this number is above the largest real, {:e}", f64::MAX);
            return Err(ParseError::new(span, message));
        }
        if value == 0.0 && mantissa.contains(|c| matches!(c, '1'..='9')) {
            let message = "this number is so small that it would become zero";
            return Err(ParseError::new(span, message).with_help("write `0` if zero is meant"));
        }
        Ok(Token::Number(Number::from(value)))
    }

    /// `word`, then any of `.word` and `[index, index]`.
    fn name(&mut self) -> Parsed<Token> {
        let start = self.at;
        self.skip_while(continues_name);
        match &self.text[start..self.at] {
            "and" => return Ok(Token::And),
            "or" => return Ok(Token::Or),
            "not" => return Ok(Token::Not),
            _ => {}
        }
        loop {
            if self.peek() == Some('[') {
                self.index()?;
            } else if self.peek() == Some('.') && self.rest()[1..].starts_with(starts_name) {
                self.at += 1;
                self.skip_while(continues_name);
            } else if self.at - start <= MAX_NAME {
                return Ok(Token::Name);
            } else {
                let message =
                    format!("this name has {} bytes; at most {MAX_NAME} are read", self.at - start);
                return Err(ParseError::new(start..self.at, message));
            }
        }
    }

    fn index(&mut self) -> Parsed<()> {
        let open = self.at;
        self.at += 1;
        loop {
            self.skip_while(char::is_whitespace);
            let word = self.at;
            self.skip_while(continues_name);
            let requested = if word == self.at { "an index" } else { "`,` or `]`" };
            self.skip_while(char::is_whitespace);
            match self.peek() {
                Some(c @ (',' | ']')) if requested != "an index" => {
                    self.at += 1;
                    if c == ']' {
                        return Ok(());
                    }
                }
                Some(c) => {
                    let span = self.at..self.at + c.len_utf8();
                    let message = format!("expected {requested}, found {}", quote(c));
                    return Err(ParseError::new(span, message).with_help(
                        "an index of a name is a whole number or a word, as in `M[1,2]`",
                    ));
                }
                None => return Err(ParseError::new(open..open + 1, "this `[` is never closed")),
            }
        }
    }
}

/// A character as a message shows it.
fn quote(c: char) -> String {
    if c.is_control() || c.is_whitespace() {
        format!("U+{:04X}", u32::from(c))
    } else {
        format!("`{c}`")
    }
}

/// Returns `true` if `name` would be read as one name that is no function, constant or keyword.
pub fn is_name(name: &str) -> bool {
    let mut lexer = Lexer::new(name);
    let spaceless = !name.contains(char::is_whitespace);
    let whole = matches!(lexer.next(), Ok((Token::Name, span)) if span == (0..name.len()));
    spaceless && whole && super::reserved(name).is_none()
}
