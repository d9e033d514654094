//! Tokens of one line of the text form. A line is cut as it is read; nothing is copied but names.

use super::error::ParseProblem;
use crate::limits;
use rotule_symbolic::Compare;
use std::borrow::Cow;

/// One token.
#[derive(Clone, Debug, PartialEq)]
pub enum Token<'a> {
    /// A name or a word of the language.
    Word(&'a str),
    /// A name in quotes.
    Quoted(String),
    /// `%` and a number.
    Value(u64),
    /// A number as written, `inf` and `nan` included.
    Number(&'a str),
    /// A comparison.
    Compare(Compare),
    /// One of `= ( ) ,`.
    Sign(char),
    /// `->`
    Arrow,
    /// The line ends, or a comment starts.
    End,
}

impl Token<'_> {
    /// The token as a message shows it.
    pub fn describe(&self) -> String {
        match self {
            Token::Word(text) | Token::Number(text) => format!("`{}`", shorten(text)),
            Token::Quoted(name) => format!("{:?}", shorten(name)),
            Token::Value(number) => format!("`%{number}`"),
            Token::Compare(compare) => format!("`{}`", compare.sign()),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Arrow => "`->`".into(),
            Token::End => "the end of the line".into(),
        }
    }
}

/// At most the first 40 characters of a text that a message repeats.
pub fn shorten(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

/// Returns `true` if a name can stand without quotes.
pub fn is_bare(name: &str) -> bool {
    name.starts_with(starts_name) && name.chars().all(continues_name) && !is_special(name)
}

fn starts_name(c: char) -> bool {
    c.is_alphabetic() || c == '_'
}

fn continues_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '.' | '[' | ']')
}

/// The two words that are numbers.
fn is_special(word: &str) -> bool {
    matches!(word, "inf" | "nan")
}

/// Cuts tokens off the front of a line.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    line: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    /// The tokens of a line, which holds no line break.
    pub fn new(line: &'a str) -> Lexer<'a> {
        Lexer { line, at: 0 }
    }

    /// Skips blanks and gives the byte at which the next token starts.
    pub fn position(&mut self) -> usize {
        let rest = &self.line[self.at..];
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
        self.at
    }

    /// The next token.
    pub fn next(&mut self) -> Result<Token<'a>, ParseProblem> {
        let start = self.position();
        let rest = &self.line[start..];
        let mut chars = rest.chars();
        let Some(first) = chars.next() else { return Ok(Token::End) };
        let second = chars.next();
        match first {
            '#' => Ok(Token::End),
            '=' if second == Some('=') => self.take(2, Token::Compare(Compare::Equal)),
            '!' if second == Some('=') => self.take(2, Token::Compare(Compare::NotEqual)),
            '<' if second == Some('=') => self.take(2, Token::Compare(Compare::LessEqual)),
            '<' => self.take(1, Token::Compare(Compare::Less)),
            '-' if second == Some('>') => self.take(2, Token::Arrow),
            '=' | '(' | ')' | ',' => self.take(1, Token::Sign(first)),
            '"' => self.quoted(),
            '%' => {
                let digits = &rest[1..];
                let len =
                    digits.len() - digits.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                let number = whole(&digits[..len], u64::MAX)?;
                self.take(1 + len, Token::Value(number))
            }
            '0'..='9' | '-' | '+' | '.' => {
                let len = number_len(rest);
                self.take(len, Token::Number(&rest[..len]))
            }
            c if starts_name(c) => {
                let len = rest.len() - rest.trim_start_matches(continues_name).len();
                let word = &rest[..len];
                if len > limits::NAME_BYTES {
                    return Err(ParseProblem::NameTooLong(len));
                }
                let token = if is_special(word) { Token::Number(word) } else { Token::Word(word) };
                self.take(len, token)
            }
            c => Err(ParseProblem::Character(c)),
        }
    }

    fn take(&mut self, bytes: usize, token: Token<'a>) -> Result<Token<'a>, ParseProblem> {
        self.at += bytes;
        Ok(token)
    }

    fn quoted(&mut self) -> Result<Token<'a>, ParseProblem> {
        let mut name = String::new();
        let mut chars = self.line[self.at + 1..].chars();
        loop {
            match chars.next() {
                None => return Err(ParseProblem::OpenQuote),
                Some('"') => break,
                Some('\\') => match chars.next() {
                    Some(c @ ('"' | '\\')) => name.push(c),
                    Some('u') => {
                        let tail = chars.as_str().strip_prefix('{').ok_or(ParseProblem::Escape)?;
                        let (code, tail) = tail.split_once('}').ok_or(ParseProblem::Escape)?;
                        let code = u32::from_str_radix(code, 16).ok().and_then(char::from_u32);
                        name.push(code.ok_or(ParseProblem::Escape)?);
                        chars = tail.chars();
                    }
                    _ => return Err(ParseProblem::Escape),
                },
                Some(c) => name.push(c),
            }
            if name.len() > limits::NAME_BYTES {
                return Err(ParseProblem::NameTooLong(name.len()));
            }
        }
        self.at = self.line.len() - chars.as_str().len();
        Ok(Token::Quoted(name))
    }
}

/// The length of something that starts like a number: a sign, then everything that could belong
/// to it, so that `1.2.3` is one wrong number and not two right ones.
fn number_len(text: &str) -> usize {
    let mut previous = ' ';
    for (k, c) in text.char_indices() {
        let sign = matches!(c, '+' | '-');
        if (sign && k > 0 && !matches!(previous, 'e' | 'E')) || !(sign || continues_name(c)) {
            return k;
        }
        previous = c;
    }
    text.len()
}

/// A whole number of at most `limit`.
pub fn whole(digits: &str, limit: u64) -> Result<u64, ParseProblem> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(ParseProblem::Unexpected {
            found: format!("`{}`", shorten(digits)),
            expected: "a whole number",
        });
    }
    digits.parse().ok().filter(|&n| n <= limit).ok_or(ParseProblem::TooLarge { limit })
}

/// A number that is written with digits, or one of `inf`, `-inf` and `nan`.
pub fn double(text: &str) -> Result<f64, ParseProblem> {
    match text {
        "inf" => return Ok(f64::INFINITY),
        "-inf" => return Ok(f64::NEG_INFINITY),
        "nan" => return Ok(f64::NAN),
        _ => {}
    }
    // Rust would also read "infinity" and the like, which are not words of this language.
    let shown = || format!("`{}`", shorten(text));
    let known = |c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E');
    if !text.chars().all(known) {
        return Err(ParseProblem::Number(shown()));
    }
    let number: f64 = text.parse().map_err(|_| ParseProblem::Number(shown()))?;
    if number.is_infinite() {
        return Err(ParseProblem::NumberTooLarge(shown()));
    }
    Ok(number)
}
