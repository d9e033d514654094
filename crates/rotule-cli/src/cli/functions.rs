//! Code that the commands on functions of a model share: its state, errors as they are shown, and
//! the choice of a formalism.

use super::failure::Failure;
use super::models::Model;
use super::{input, output};
use rotule::layers::formalism::aliases::{self, Names};
use rotule::layers::model::limits;
use rotule::layers::quantity::assignment;
use rotule::layers::symbolic::nearest;
use rotule::{Error, Formalism, Problem, State};
use std::io::{self, BufRead, IsTerminal};
use std::path::Path;

/// A state of a model: that of a file, a random one, or the initial one. Parameters of `--set` win
/// over those of a file. In a terminal, a question is put for each number that is missing.
pub fn state(
    arguments: &Model,
    file: Option<&Path>,
    random: Option<u64>,
    set: &[String],
    model: &mut rotule::Model,
) -> Result<State, Failure> {
    state_for(arguments, file, random, set, model, None)
}

/// As [`state`], with questions for the numbers that a function needs.
pub fn state_for(
    arguments: &Model,
    file: Option<&Path>,
    random: Option<u64>,
    set: &[String],
    model: &mut rotule::Model,
    function: Option<&str>,
) -> Result<State, Failure> {
    let file = match file {
        None => None,
        Some(path) if path.as_os_str() == "-" && arguments.model.as_os_str() == "-" => {
            return Err(Failure::InputTwice);
        }
        Some(path) => Some(input::file(path, limits::TEXT_BYTES)?),
    };
    let set = assign(set, model)?;
    if file.is_none() {
        ask_numbers(model, function)?;
    }
    match (&file, random) {
        (Some(file), _) => {
            let set: Vec<(&str, f64)> =
                set.iter().map(|(name, value)| (&name[..], *value)).collect();
            let (state, words) =
                model.state_from_json(&file.text, &set).map_err(|found| match found {
                    Error::Request(problem) => {
                        let message = format!("{}: {}", file.name, problem.message);
                        failure(Problem { message, ..problem })
                    }
                    other => error(other),
                })?;
            for word in words {
                output::remark(&format!("warning: {}: {word}", file.name));
            }
            Ok(state)
        }
        (None, Some(seed)) => Ok(model.random(seed)),
        (None, None) => Ok(model.state()),
    }
}

/// Asks for the numbers of parameters that have none, if there is a person to answer.
fn ask_numbers(model: &mut rotule::Model, function: Option<&str>) -> Result<(), Failure> {
    let needed = function.map(|function| model.open_parameters(function)).transpose();
    let needed = needed.map_err(error)?;
    let open: Vec<(String, String)> = (model.parameters().iter())
        .filter(|one| one.value.is_nan())
        .filter(|one| needed.as_ref().is_none_or(|needed| needed.contains(&one.name)))
        .map(|one| (one.name.clone(), one.unit.clone()))
        .collect();
    if open.is_empty() || !(io::stdin().is_terminal() && io::stderr().is_terminal()) {
        return Ok(());
    }
    for (name, unit) in open {
        let unit = if unit.is_empty() { String::new() } else { format!(" [{unit}]") };
        loop {
            output::question(&format!("{name}{unit}: "));
            let mut line = String::new();
            let read = io::stdin().lock().read_line(&mut line);
            if read.map_err(|error| Failure::Read { name: "standard input".to_owned(), error })?
                == 0
            {
                return Ok(());
            }
            let word = format!("{name}={}", line.trim());
            match assignment(&word, model.mechanism()) {
                Ok((name, value)) => {
                    model.set(&name, value).map_err(error)?;
                    break;
                }
                Err(Problem { message, help, .. }) => {
                    // Nobody has written a flag.
                    let message = message.replacen(&format!("--set {word}: "), "", 1);
                    output::remark(&format!("{message}\n  = help: {help}"));
                }
            }
        }
    }
    Ok(())
}

/// Gives parameters of `--set` other numbers, and tells which.
pub fn assign(set: &[String], model: &mut rotule::Model) -> Result<Vec<(String, f64)>, Failure> {
    let mut all = Vec::new();
    for word in set {
        all.push(assignment(word, model.mechanism()).map_err(failure)?);
    }
    let numbers: Vec<(&str, f64)> = all.iter().map(|(name, value)| (&name[..], *value)).collect();
    model.set_all(&numbers).map_err(error)?;
    Ok(all)
}

/// An error of the library, as a compiler shows it.
pub fn error(error: Error) -> Failure {
    match error {
        Error::Request(problem) => failure(problem),
        Error::Unknown { what, name, help } => {
            failure(Problem::new(format!("there is no {what} `{name}`"), help))
        }
        other => Failure::Text(format!("error: {other}")),
    }
}

/// A request that cannot be met, as a compiler shows it.
pub fn failure(problem: Problem) -> Failure {
    let Problem { message, help, .. } = problem;
    let help = if help.is_empty() { String::new() } else { format!("\n  = help: {help}") };
    Failure::Text(format!("error: {message}{help}"))
}

/// The requested formalism; none leaves the choice to the compiler.
#[derive(Clone, Copy)]
pub struct RequestedFormalism(pub Option<Formalism>);

/// The alternatives to an unknown word: all names of a kind, and the nearest name or alias.
pub fn expected(kind: Names, word: &str, names: &[&str]) -> String {
    let aliases = aliases::of(kind).map(|(alias, _)| alias);
    let all = format!("expected one of {}", names.join(", "));
    match nearest(word, names.iter().copied().chain(aliases)) {
        Some(near) => format!("{all}; did you mean `{near}`?"),
        None => all,
    }
}

/// A formalism by its name.
pub fn formalism(name: &str) -> Result<RequestedFormalism, String> {
    if name == "auto" {
        return Ok(RequestedFormalism(None));
    }
    Formalism::named(name).map(|one| RequestedFormalism(Some(one))).ok_or_else(|| {
        let names: Vec<&str> = Formalism::ALL.iter().map(|one| one.name()).collect();
        expected(Names::Formalism, name, &[&["auto"], &names[..]].concat())
    })
}
