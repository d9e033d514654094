//! Code that the commands on functions of a model share: its state, errors as they are shown, and
//! the choice of a formalism.

use super::failure::Failure;
use super::models::Model;
use super::{input, output};
use rotule::layers::formalism::aliases::{self, Names};
use rotule::layers::formalism::constraint::start::report;
use rotule::layers::model::limits;
use rotule::layers::quantity::assignment;
use rotule::layers::symbolic::nearest;
use rotule::{Change, Error, Formalism, Problem, State};
use std::path::Path;

/// A state of a model: that of a file, a random one, or the initial one. Parameters of `--set` win
/// over those of a file.
pub fn state(
    arguments: &Model,
    file: Option<&Path>,
    random: Option<u64>,
    set: &[String],
    model: &mut rotule::Model,
) -> Result<State, Failure> {
    let file = match file {
        None => None,
        Some(path) if path.as_os_str() == "-" && arguments.model.as_os_str() == "-" => {
            return Err(Failure::InputTwice);
        }
        Some(path) => Some(input::file(path, limits::TEXT_BYTES)?),
    };
    let set = assign(set, model)?;
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

/// Gives parameters of `--set` other numbers, and tells which.
pub fn assign(set: &[String], model: &mut rotule::Model) -> Result<Vec<(String, f64)>, Failure> {
    let mut all = Vec::new();
    for word in set {
        let (name, value) = assignment(word, model.mechanism()).map_err(failure)?;
        model.assign(word).map_err(error)?;
        all.push((name, value));
    }
    Ok(all)
}

/// Tells of written initial values that could not be kept.
pub fn tell_changes(changes: &[Change]) {
    if let Some(report) = report(changes) {
        output::remark(&report.text());
    }
}

/// An error of the library, as a compiler shows it.
pub fn error(error: Error) -> Failure {
    match error {
        Error::Request(problem) => failure(problem),
        Error::Unknown { .. } => {
            let text = error.to_string().replace("\n  help: ", "\n  = help: ");
            Failure::Text(format!("error: {text}"))
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
pub struct Wanted(pub Option<Formalism>);

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
pub fn formalism(name: &str) -> Result<Wanted, String> {
    if name == "auto" {
        return Ok(Wanted(None));
    }
    Formalism::named(name).map(|one| Wanted(Some(one))).ok_or_else(|| {
        let names: Vec<&str> = Formalism::ALL.iter().map(|one| one.name()).collect();
        expected(Names::Formalism, name, &[&["auto"], &names[..]].concat())
    })
}
