//! A line of text while it is read: the next token must be this or that, else the error says so.

use super::error::ParseProblem;
use super::lex::{self, Lexer, Token};

/// A line and the byte at which the token under discussion starts.
pub struct Cursor<'a> {
    /// The rest of the line.
    pub lexer: Lexer<'a>,
    /// Where the token under discussion starts.
    pub start: usize,
}

/// A part of a line, or what is wrong with it.
pub type Parsed<T> = Result<T, ParseProblem>;

/// The error that something else should stand here.
pub fn unexpected<T>(found: &Token<'_>, expected: &'static str) -> Parsed<T> {
    Err(ParseProblem::Unexpected { found: found.describe(), expected })
}

impl<'a> Cursor<'a> {
    pub fn next(&mut self) -> Parsed<Token<'a>> {
        self.start = self.lexer.position();
        self.lexer.next()
    }

    pub fn at_end(&self) -> bool {
        matches!(self.lexer.clone().next(), Ok(Token::End))
    }

    pub fn end(&mut self) -> Parsed<()> {
        match self.next()? {
            Token::End => Ok(()),
            found => unexpected(&found, "the end of the line"),
        }
    }

    pub fn sign(&mut self, sign: char, expected: &'static str) -> Parsed<()> {
        match self.next()? {
            Token::Sign(found) if found == sign => Ok(()),
            found => unexpected(&found, expected),
        }
    }

    pub fn word(&mut self, word: &str, expected: &'static str) -> Parsed<()> {
        match self.next()? {
            Token::Word(found) if found == word => Ok(()),
            found => unexpected(&found, expected),
        }
    }

    pub fn name(&mut self) -> Parsed<String> {
        match self.next()? {
            Token::Word(name) => Ok(name.into()),
            Token::Quoted(name) => Ok(name),
            found => unexpected(&found, "a name"),
        }
    }

    pub fn whole(&mut self, limit: u32) -> Parsed<u32> {
        match self.next()? {
            // The limit is a u32, so the number is one.
            Token::Number(digits) => Ok(lex::whole(digits, limit.into())? as u32),
            found => unexpected(&found, "a whole number"),
        }
    }
}

/// `5)` or `5, 7)`; a column that is not written is `column`.
pub fn pair(cursor: &mut Cursor<'_>, column: u32) -> Parsed<(u32, u32)> {
    let row = cursor.whole(u32::MAX)?;
    match cursor.next()? {
        Token::Sign(')') => Ok((row, column)),
        Token::Sign(',') => {
            let column = cursor.whole(u32::MAX)?;
            cursor.sign(')', "`)`")?;
            Ok((row, column))
        }
        found => unexpected(&found, "`,` or `)`"),
    }
}
