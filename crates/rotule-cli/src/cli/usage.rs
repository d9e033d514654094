//! Arguments that cannot be understood, in the words of all other messages: what is wrong, what was
//! meant, how it is used.

use super::arguments::Arguments;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Command, CommandFactory, Error};
use rotule::layers::symbolic::{did_you_mean, expected_one_of, likely, nearest};
use std::ffi::OsString;
use std::num::{IntErrorKind, ParseIntError};

/// The message of an error; `words` are those of the command line.
pub fn explain(error: &Error, words: &[OsString]) -> String {
    let mut command = Arguments::command();
    // Names of arguments are shown only of a command that is built.
    command.build();
    let verb = words.get(1).and_then(|verb| command.find_subcommand(verb.to_str()?));
    let used = verb.unwrap_or(&command);
    let text = |kind: ContextKind| texts(error, kind).into_iter().next();
    let said = match error.kind() {
        ErrorKind::UnknownArgument => {
            text(ContextKind::InvalidArg).map(|word| unknown_option(&word, used))
        }
        ErrorKind::InvalidSubcommand => text(ContextKind::InvalidSubcommand).map(|word| {
            let names = command.get_subcommands().map(Command::get_name);
            (format!("there is no command `{word}`"), likely(&word, names))
        }),
        ErrorKind::InvalidValue => {
            invalid_value(error, text(ContextKind::InvalidValue)).map(|(message, help)| match help
                .is_empty()
            {
                true => (message, meanings(&texts(error, ContextKind::InvalidArg), used)),
                false => (message, help),
            })
        }
        ErrorKind::MissingRequiredArgument => {
            let missing = texts(error, ContextKind::InvalidArg);
            Some((format!("missing {}", missing.join(" and ")), meanings(&missing, used)))
        }
        ErrorKind::ValueValidation => {
            let value = text(ContextKind::InvalidValue).unwrap_or_default();
            text(ContextKind::InvalidArg).map(|option| {
                let (option, value) = (name_of(&option), value.trim());
                (format!("{option}: invalid value `{value}`"), expected_value(error))
            })
        }
        ErrorKind::ArgumentConflict => text(ContextKind::InvalidArg).map(|one| {
            let others = texts(error, ContextKind::PriorArg);
            let names: Vec<&str> = others.iter().map(|other| name_of(other)).collect();
            match others.contains(&one) || others.is_empty() {
                true => (format!("{} is given twice", name_of(&one)), "give it once".to_owned()),
                false => {
                    let message =
                        format!("{} cannot be combined with {}", name_of(&one), names.join(", "));
                    (message, "leave out one of them".to_owned())
                }
            }
        }),
        _ => None,
    };
    let Some((message, help)) = said else { return error.render().to_string() };
    let help = if help.is_empty() { String::new() } else { format!("\n  = help: {help}") };
    let usage = match error.get(ContextKind::Usage) {
        // That of an unknown option has a similar one in it, as if it were needed.
        Some(_) if error.kind() == ErrorKind::UnknownArgument => {
            format!("\n\n{}", used.clone().render_usage())
        }
        Some(ContextValue::StyledStr(usage)) => format!("\n\n{usage}"),
        _ => String::new(),
    };
    let name = verb.map_or(String::new(), |verb| format!(" {}", verb.get_name()));
    format!("error: {message}{help}{usage}\n\n`rotule{name} --help` says more.")
}

/// The texts that an error has of a kind.
fn texts(error: &Error, kind: ContextKind) -> Vec<String> {
    match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.clone()],
        Some(ContextValue::Strings(texts)) => texts.clone(),
        _ => Vec::new(),
    }
}

/// `--to` of `--to <T>`.
fn name_of(option: &str) -> &str {
    option.split(' ').next().unwrap_or(option)
}

/// The lines of help of arguments that are missing.
fn meanings(missing: &[String], command: &Command) -> String {
    let meaning = |text: &String| {
        let known = command.get_arguments().find(|one| one.to_string() == *text)?;
        Some(format!("{text}: {}", known.get_help()?))
    };
    missing.iter().filter_map(meaning).collect::<Vec<_>>().join("\n          ")
}

/// The values that an option takes, as its parser says; clap's own speak of digits and ranges of
/// types.
fn expected_value(error: &Error) -> String {
    let Some(source) = std::error::Error::source(error) else { return String::new() };
    if let Some(error) = source.downcast_ref::<ParseIntError>() {
        return match error.kind() {
            IntErrorKind::Zero => "expected a whole number from 1".to_owned(),
            IntErrorKind::PosOverflow => "expected a smaller whole number".to_owned(),
            _ => "expected a whole number, without a sign".to_owned(),
        };
    }
    let text = source.to_string();
    let range = text.split_once(" is not in ").and_then(|(_, range)| range.split_once(".."));
    match range {
        Some((least, most)) => match most.strip_prefix('=') {
            Some(most) => format!("expected a whole number from {least} to {most}"),
            None => format!("expected a whole number from {least}"),
        },
        None => text,
    }
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
        _ if value.is_empty() && valid.is_empty() => String::new(),
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
        check("rotule simulate m.toml --to", "error: --to needs a value\n  = help: --to <T>: When");
    }

    #[test]
    fn values_and_missing_arguments_are_explained() {
        let check = |line: &str, expected: &str| {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            let error = Arguments::try_parse_from(&words).err().expect("an error");
            let said = explain(&error, &words);
            let start = format!("error: {expected}");
            assert!(said.starts_with(&start), "{said}");
            assert!(said.ends_with(" --help` says more."), "{said}");
        };
        check("rotule check", "missing <MODEL>\n  = help: <MODEL>: The model: a file");
        check("rotule study m.toml", "missing --to <T> and --vary <LAW>\n  = help: --to <T>: When");
        check("rotule simulate m.toml --to ten", "--to: invalid value `ten`\n  = help: expected a");
        let whole =
            "--random: invalid value `x`\n  = help: expected a whole number, without a sign";
        check("rotule eval m.toml mass --random x", whole);
        let from = "--max-steps: invalid value `0`\n  = help: expected a whole number from 1\n";
        check("rotule simulate m.toml --to 1 --max-steps 0", from);
        let range = "--effort: invalid value `-1`";
        check("rotule generate m.toml --lang c --out d --effort=-1", range);
        let positive = "--threads: invalid value `0`\n  = help: expected a whole number from 1\n";
        check("rotule study m.toml --to 1 --vary l=1..2:3 --threads 0", positive);
        check(
            "rotule simulate m.toml --to 1 --to 2",
            "--to is given twice\n  = help: give it once",
        );
        check(
            "rotule simulate m.toml --to 1 --json --plot q",
            "--json cannot be combined with --plot",
        );
        let near = "--lang: invalid value `pyton`\n  = help: expected one of c,";
        check("rotule generate m.toml --lang pyton --out d", near);
    }
}
