//! Arguments that cannot be understood, in the words of all other messages: what is wrong, what was
//! meant, how it is used.

use super::arguments::Arguments;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error};
use rotule::layers::symbolic::{did_you_mean, expected_one_of, likely, nearest};
use std::ffi::OsString;

/// The message of an error; `words` are those of the command line.
pub fn explain(error: &Error, words: &[OsString]) -> String {
    let command = Arguments::command();
    let verb = words.get(1).and_then(|verb| command.find_subcommand(verb.to_str()?));
    let text = |kind: ContextKind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let said = match error.kind() {
        ErrorKind::UnknownArgument => text(ContextKind::InvalidArg)
            .map(|word| unknown_option(&word, verb.unwrap_or(&command))),
        ErrorKind::InvalidSubcommand => text(ContextKind::InvalidSubcommand).map(|word| {
            let names = command.get_subcommands().map(Command::get_name);
            (format!("there is no command `{word}`"), likely(&word, names))
        }),
        ErrorKind::InvalidValue => invalid_value(error, text(ContextKind::InvalidValue)),
        _ => None,
    };
    let Some((message, help)) = said else { return error.render().to_string() };
    let help = if help.is_empty() { String::new() } else { format!("\n  = help: {help}") };
    let usage = match error.get(ContextKind::Usage) {
        Some(ContextValue::StyledStr(usage)) => format!("\n\n{usage}"),
        _ => String::new(),
    };
    let name = verb.map_or(String::new(), |verb| format!(" {}", verb.get_name()));
    format!("error: {message}{help}{usage}\n\n`rotule{name} --help` says more.")
}

/// An option that the command does not have, or a word too many.
fn unknown_option(word: &str, command: &Command) -> (String, String) {
    let Some(name) = word.strip_prefix("--") else {
        return (format!("unexpected argument `{word}`"), String::new());
    };
    let name = name.split('=').next().unwrap_or(name);
    let known = command.get_arguments().filter_map(|one| one.get_long());
    let help = nearest(name, known).map(|near| did_you_mean(&format!("--{near}")));
    (format!("there is no option `--{name}`"), help.unwrap_or_default())
}

/// A value that is none of those which an option takes.
fn invalid_value(error: &Error, value: Option<String>) -> Option<(String, String)> {
    let (Some(ContextValue::String(option)), Some(ContextValue::Strings(valid))) =
        (error.get(ContextKind::InvalidArg), error.get(ContextKind::ValidValue))
    else {
        return None;
    };
    let (value, option) = (value?, option.split(' ').next().unwrap_or(option));
    let valid: Vec<&str> = valid.iter().map(String::as_str).collect();
    let message = match value.is_empty() {
        true => format!("{option} needs a value"),
        false => format!("{option}: there is no `{value}`"),
    };
    let help = match nearest(&value, valid.iter().copied()) {
        Some(near) => format!("{} {}", did_you_mean(near), expected_one_of(&valid)),
        None => expected_one_of(&valid),
    };
    Some((message, help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[test]
    fn mistyped_words_get_the_nearest() {
        let check = |line: &str, expected: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = Arguments::try_parse_from(&words).err().expect("an error");
            let said = explain(&error, &words);
            assert!(said.contains(expected), "{said}");
            assert!(said.starts_with("error: ") && !said.contains("tip:"), "{said}");
        };
        check("rotule simulate m.toml --tp 2", "did you mean `--to`?");
        check("rotule simulate m.toml --to 1 --chanels q1", "did you mean `--channels`?");
        check("rotule study m.toml --varry l=1..2:3", "did you mean `--vary`?");
        check("rotule simulat m.toml", "did you mean `simulate`?");
        check("rotule frobnicate", "expected one of");
        check("rotule bench m.toml --compiler icc", "expected one of gcc, clang, both");
        check("rotule completions bsh", "did you mean `bash`?");
        check("rotule check a.toml b.toml", "unexpected argument `b.toml`");
    }
}
