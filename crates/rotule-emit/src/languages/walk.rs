//! The way through a stage, which all languages take alike: unit by unit, statement by statement.
//!
//! A language says in a table how it writes each kind of statement, and a function says how a chunk
//! is called.

use crate::dialect::Dialect;
use crate::layout::LineText;
use crate::listing::{
    ChunkText, ExternalCall, Iterate, SincosPack, StageText, Statement, UnitText,
};

/// The spelling of each kind of statement in a language.
pub struct Idiom<'a> {
    /// A comment.
    pub remark: fn(&mut LineText, &str),
    /// A new name for a value.
    pub name: fn(&mut LineText, &str, &str),
    /// One value goes to elements of arrays.
    pub store: fn(&mut LineText, &[String], &str),
    /// Opens a loop.
    pub begin: fn(&mut LineText, &Iterate),
    /// Closes a loop: the test, the change of the states, the count.
    pub end: fn(&mut LineText, &Iterate),
    /// Calls an external function; gives where each of its results is then.
    pub call: &'a dyn Fn(&mut LineText, &ExternalCall) -> Vec<String>,
    /// Sines and cosines of several angles at once.
    pub sincos: SimdSincos,
    /// Declares the work array of so many numbers.
    pub work: fn(&mut LineText, usize),
}

/// The spelling of sines and cosines of several angles.
#[derive(Clone, Copy)]
pub enum SimdSincos {
    /// At once.
    Together(fn(&mut LineText, &SincosPack)),
    /// One by one, in the words of a dialect.
    Apart(&'static Dialect),
}

impl Idiom<'_> {
    /// The body of a stage: its statements, or the calls of its chunks.
    pub fn stage(
        &self,
        text: &mut LineText,
        stage: &StageText,
        call: &dyn Fn(&mut LineText, &ChunkText),
    ) {
        if stage.is_whole() {
            stage.chunks().into_iter().for_each(|chunk| self.chunk(text, chunk));
            return;
        }
        if stage.work > 0 {
            (self.work)(text, stage.work);
        }
        self.units(text, &stage.units, call);
    }

    /// The body of a chunk.
    pub fn chunk(&self, text: &mut LineText, chunk: &ChunkText) {
        self.statements(text, &chunk.statements);
        chunk.vectors.iter().flat_map(|(_, lines)| lines).for_each(|line| text.line(line));
    }

    /// The calls of chunks, and the loops around them. Recursion goes as deep as regions are
    /// nested.
    pub fn units(
        &self,
        text: &mut LineText,
        list: &[UnitText],
        call: &dyn Fn(&mut LineText, &ChunkText),
    ) {
        for unit in list {
            match unit {
                UnitText::Chunk(chunk) => call(text, chunk),
                UnitText::Loop(iterate, after) => {
                    (self.begin)(text, iterate);
                    self.units(text, &iterate.units, call);
                    (self.end)(text, iterate);
                    self.statements(text, after);
                }
            }
        }
    }

    /// Statements in order.
    fn statements(&self, text: &mut LineText, list: &[Statement]) {
        for statement in list {
            match statement {
                Statement::Remark(remark) => {
                    text.line("");
                    (self.remark)(text, remark);
                }
                Statement::Let { name, value } => (self.name)(text, name, value),
                Statement::Store { places, value } => (self.store)(text, places, value),
                Statement::Iterate(iterate) => {
                    (self.begin)(text, iterate);
                    self.statements(text, &iterate.block);
                    (self.end)(text, iterate);
                }
                Statement::Call(call) => self.results(text, call),
                Statement::Sincos(pack) => match self.sincos {
                    SimdSincos::Together(print) => print(text, pack),
                    SimdSincos::Apart(dialect) => {
                        for (name, value) in pack.apart(dialect) {
                            (self.name)(text, &name, &value);
                        }
                    }
                },
            }
        }
    }

    /// A call, and names and places for its results.
    fn results(&self, text: &mut LineText, call: &ExternalCall) {
        let found = (self.call)(text, call);
        for (name, value) in call.results.iter().zip(&found) {
            if let Some(name) = name {
                (self.name)(text, name, value);
            }
        }
        for (at, places) in &call.stores {
            (self.store)(text, places, call.results[*at].as_ref().unwrap_or(&found[*at]));
        }
    }
}

/// The elements of an array that holds the results of a call, counted from `first`.
pub fn elements(call: &ExternalCall, first: usize, brackets: [&str; 2]) -> Vec<String> {
    let [open, close] = brackets;
    let element = |at: usize| format!("{}{open}{}{close}", call.scratch, at + first);
    (0..call.results.len()).map(element).collect()
}

/// All values to their places one by one, as `line` writes an assignment.
pub fn one_by_one(text: &mut LineText, places: &[String], line: impl Fn(&str) -> String) {
    places.iter().for_each(|place| text.line(&line(place)));
}
