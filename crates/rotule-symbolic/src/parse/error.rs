//! Errors in a text: the fault, its place, and what was probably meant.

use crate::snippet::{Snippet, line_column};
use std::fmt;
use std::ops::Range;

/// A fault in an expression's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The bytes of the text at fault; empty at the end when something is missing there.
    pub span: Range<usize>,
    /// The fault: what was found and what was expected.
    pub message: String,
    /// The remedy: what to write instead, where that can be guessed.
    pub help: Option<String>,
}

impl ParseError {
    /// A fault without advice.
    pub fn new(span: Range<usize>, message: impl Into<String>) -> ParseError {
        ParseError { span, message: message.into(), help: None }
    }

    /// This error with a remedy.
    #[must_use]
    pub fn with_help(self, help: impl Into<String>) -> ParseError {
        ParseError { help: Some(help.into()), ..self }
    }

    /// Line and column of the fault in `text`, both from one, the column in characters.
    pub fn line_column(&self, text: &str) -> (usize, usize) {
        line_column(text, self.span.start)
    }

    /// The fault as a compiler shows it: message, place, the line with the fault underlined, help.
    pub fn render(&self, text: &str, file_name: &str) -> String {
        let snippet = Snippet::new(text, self.span.clone(), file_name, "");
        let mut out = format!("error: {}\n{snippet}", self.message);
        if let Some(help) = &self.help {
            out.push_str(&format!("{} = help: {help}\n", snippet.gutter()));
        }
        out
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.help {
            Some(help) => write!(f, " ({help})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}

/// Names longer than this get no suggestion: nobody mistypes them by a letter or two.
const LONGEST_GUESS: usize = 64;
/// Fewer letters are no beginning of a longer name.
const SHORTEST_BEGINNING: usize = 3;

/// The candidate that `name` was probably meant to be: the one with the fewest letters to change,
/// insert, drop or exchange, if those are at most a third of it, rounded up. Of equals, one of
/// which it only leaves letters out, then the one that begins most like it, then the first. A
/// candidate that differs in upper and lower case only is nearer than any other. If none is near,
/// the shortest that begins with the whole name.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name: Vec<char> = name.chars().take(LONGEST_GUESS + 1).collect();
    if name.len() > LONGEST_GUESS {
        return None;
    }
    let mut best: Option<((usize, bool, usize), &str)> = None;
    let mut longer: Option<(usize, &str)> = None;
    for candidate in candidates {
        let letters: Vec<char> = candidate.chars().take(LONGEST_GUESS + 1).collect();
        let longest = name.len().max(letters.len());
        let third = longest.div_ceil(3);
        let limit = best.map_or(third, |((distance, ..), _)| third.min(distance));
        let begins = name.len() >= SHORTEST_BEGINNING && letters.starts_with(&name);
        if begins && longer.is_none_or(|(length, _)| letters.len() < length) {
            longer = Some((letters.len(), candidate));
        }
        if letters.len() > LONGEST_GUESS || name.len().abs_diff(letters.len()) > limit {
            continue;
        }
        let same = name.len() == letters.len() && name.iter().zip(&letters).all(is_same_letter);
        let distance = if same { 0 } else { edit_distance(&name, &letters) };
        let unlike = longest - name.iter().zip(&letters).take_while(|(a, b)| a == b).count();
        // A word of which every letter changes is no neighbour.
        let close = distance <= limit && distance < longest;
        let rank = (distance, !leaves_out(&name, &letters), unlike);
        if close && best.is_none_or(|(least, _)| rank < least) {
            best = Some((rank, candidate));
        }
    }
    best.map(|(_, near)| near).or(longer.map(|(_, near)| near))
}

/// Returns `true` if a name is a word that only lacks letters, as `sgn` lacks one of `sign`.
fn leaves_out(name: &[char], word: &[char]) -> bool {
    let mut rest = word.iter();
    name.iter().all(|letter| rest.any(|other| other == letter))
}

/// Returns `true` if two letters differ at most in upper and lower case.
fn is_same_letter((a, b): (&char, &char)) -> bool {
    a == b || a.to_lowercase().eq(b.to_lowercase())
}

/// Insertions, deletions, changes and exchanges of neighbours that lead from `a` to `b`.
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut older: Vec<usize> = Vec::new();
    let mut previous: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut current = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut cost = (previous[j - 1] + change).min(previous[j] + 1).min(current[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                cost = cost.min(older[j - 2] + 1);
            }
            current.push(cost);
        }
        older = std::mem::replace(&mut previous, current);
    }
    previous[b.len()]
}
