//! The words after a task's name: options are taken out one by one, what is left over is an error.
//!
//! Five tasks with a handful of options do not earn an argument-parsing crate: this one starts in
//! no time and its errors quote the task's usage.

use std::str::FromStr;

use crate::failure::Failure;

/// The words still to be understood, and the usage text that errors quote.
pub struct Arguments {
    words: Vec<String>,
    usage: &'static str,
}

impl Arguments {
    /// Wraps the words that follow a task's name.
    pub fn new(words: Vec<String>, usage: &'static str) -> Self {
        Self { words, usage }
    }

    /// Takes the flag `name` if it exists.
    pub fn flag(&mut self, name: &str) -> bool {
        let position = self.words.iter().position(|word| word == name);
        position.map(|at| self.words.remove(at)).is_some()
    }

    /// Takes the option `name` and the value after it (`--seconds 60` or `--seconds=60`).
    pub fn option<T: FromStr>(&mut self, name: &str) -> Result<Option<T>, Failure> {
        let joined = format!("{name}=");
        let found = |word: &String| word == name || word.starts_with(&joined);
        let Some(at) = self.words.iter().position(found) else { return Ok(None) };
        let word = self.words.remove(at);
        let value = match word.strip_prefix(&joined) {
            Some(value) => value.to_string(),
            None if at < self.words.len() => self.words.remove(at),
            None => return Err(self.error(format!("`{name}` needs a value"))),
        };
        match value.parse() {
            Ok(value) => Ok(Some(value)),
            Err(_) => Err(self.error(format!("`{value}` is not a valid value of `{name}`"))),
        }
    }

    /// Takes the next word that is not an option.
    pub fn positional(&mut self) -> Option<String> {
        let position = self.words.iter().position(|word| !word.starts_with('-'));
        position.map(|at| self.words.remove(at))
    }

    /// Confirms that every word was understood.
    pub fn finish(self) -> Result<(), Failure> {
        match self.words.first() {
            None => Ok(()),
            Some(word) => Err(self.error(format!("`{word}` is not understood here"))),
        }
    }

    /// An error about the words themselves; it carries the usage text.
    pub fn error(&self, message: String) -> Failure {
        Failure::Usage { message, usage: self.usage.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(words: &[&str]) -> Arguments {
        Arguments::new(words.iter().map(ToString::to_string).collect(), "usage\n")
    }

    #[test]
    fn options_are_taken_in_any_order_and_both_spellings() {
        for words in [["expression", "--seconds", "5"].as_slice(), &["--seconds=5", "expression"]] {
            let mut given = arguments(words);
            assert_eq!(given.option("--seconds").unwrap(), Some(5_u64));
            assert_eq!(given.positional().as_deref(), Some("expression"));
            assert!(given.finish().is_ok());
        }
    }

    #[test]
    fn mistakes_name_the_word() {
        let check = |words: &[&str], expected: &str| {
            let mut given = arguments(words);
            let result = given.option::<u64>("--seconds").and_then(|_| given.finish());
            assert!(result.unwrap_err().to_string().contains(expected), "{words:?}");
        };
        check(&["--seconds"], "`--seconds` needs a value");
        check(&["--seconds", "soon"], "`soon` is not a valid value of `--seconds`");
        check(&["--minutes", "1"], "`--minutes` is not understood");
    }

    #[test]
    fn a_flag_is_taken_once() {
        let mut given = arguments(&["--quick"]);
        assert!(given.flag("--quick"));
        assert!(!given.flag("--quick"));
    }
}
