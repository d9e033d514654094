//! What the commands on functions of a model share: its tree, its state, and the choice of a formalism.

use super::failure::Failure;
use super::models::{self, Loops, Model};
use super::{input, output};
use rotule::layers::formalism::aliases::{self, Names};
use rotule::layers::formalism::constraint::start::{Change, report};
use rotule::layers::formalism::{Formalism, Problem, Tree, normalise};
use rotule::layers::model::{Mechanism, limits};
use rotule::layers::quantity::assignment;
use rotule::layers::state::{State, set_parameter};
use rotule::layers::symbolic::nearest;
use std::path::Path;

/// The state of a file, or that of the model. Values of `--set` win over those of a file.
pub fn initial(
    model: &Model,
    file: Option<&Path>,
    set: &[String],
    tree: &mut Tree,
) -> Result<State, Failure> {
    let file = match file {
        None => None,
        Some(path) if path.as_os_str() == "-" && model.model.as_os_str() == "-" => {
            return Err(Failure::InputTwice);
        }
        Some(path) => Some(input::file(path, limits::TEXT_BYTES)?),
    };
    let set = assigned(set, tree)?;
    let mut state = match &file {
        Some(file) => {
            let fault = |problem: Problem| {
                let message = format!("{}: {}", file.name, problem.message);
                failure(Problem { message, ..problem })
            };
            let (state, words) = State::from_json(&file.text, &set, tree).map_err(fault)?;
            for word in words {
                output::message(&format!("warning: {}: {word}", file.name));
            }
            state
        }
        None => State::initial(tree),
    };
    state.settle(tree);
    Ok(state)
}

/// Gives parameters other numbers.
pub fn assigned(set: &[String], tree: &mut Tree) -> Result<Vec<(String, f64)>, Failure> {
    let set = assignments(set, &tree.mechanism)?;
    for (name, value) in &set {
        set_parameter(tree, name, *value).map_err(failure)?;
    }
    Ok(set)
}

/// The parameters and numbers of `--set`.
pub fn assignments(set: &[String], mechanism: &Mechanism) -> Result<Vec<(String, f64)>, Failure> {
    let set = set.iter().map(|word| assignment(word, mechanism));
    set.collect::<Result<_, _>>().map_err(failure)
}

/// Loads a model and makes its tree; findings are shown.
pub fn tree(arguments: &Model) -> Result<Tree, Failure> {
    Ok(normalise(models::mechanism(arguments)?))
}

/// The same with the partition that is asked for.
pub fn closed_tree(arguments: &Model, loops: &Loops) -> Result<Tree, Failure> {
    let mut mechanism = models::mechanism(arguments)?;
    models::ask(&mut mechanism, loops)?;
    Ok(normalise(mechanism))
}

/// Tells of written initial values that could not be kept.
pub fn tell_changes(changes: &[Change]) {
    if let Some(report) = report(changes) {
        output::message(&report.text());
    }
}

/// A request that cannot be met, as a compiler shows it.
pub fn failure(problem: Problem) -> Failure {
    let Problem { message, help, .. } = problem;
    let help = if help.is_empty() { String::new() } else { format!("\n  = help: {help}") };
    Failure::Text(format!("error: {message}{help}"))
}

/// The formalism that is asked for; none leaves the choice.
#[derive(Clone, Copy)]
pub struct Wanted(pub Option<Formalism>);

/// What an unknown word might be: all names of a kind, and the nearest name or alias.
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
