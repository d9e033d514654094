//! The commands on functions of a model: `count`, `eval` and `equations`.

use super::arguments::{Count, Equations, Eval, Loops, Model};
use super::failure::Failure;
use super::output::Progress;
use super::{input, models, output};
use rotule::formalism::{Formalism, Function, Problem, Tree, normalise};
use rotule::model::limits;
use rotule::state::{State, set_parameter};
use rotule::symbolic::Graph;
use serde_json::json;
use std::path::Path;

/// Entries that are not finite are named up to this many.
const NAMED: usize = 5;

/// `rotule count`
pub fn count(arguments: &Count) -> Result<(), Failure> {
    let tree = closed_tree(&arguments.model, &arguments.loops)?;
    let mut progress = Progress::new();
    if arguments.steps {
        let mut hear = |function: &str, step: &str| {
            progress.say(&format!("counting {function}, {step}"));
        };
        let written = models::as_written(&arguments.model)?.map(normalise);
        let functions = arguments.functions.as_deref();
        let table = rotule::count_steps(&tree, written.as_ref(), functions, &mut hear);
        progress.clear();
        let table = table.map_err(failure)?;
        if arguments.json {
            return output::result(&format!("{:#}\n", table.json()));
        }
        return output::result(&table.to_string());
    }
    let mut hear = |function: &str, formalism: Formalism| {
        progress.say(&format!("counting {function}, {}", formalism.name()));
    };
    let table = rotule::count(&tree, arguments.functions.as_deref(), &mut hear);
    progress.clear();
    let table = table.map_err(failure)?;
    if arguments.json {
        return output::result(&format!("{:#}\n", table.json()));
    }
    output::result(&table.to_string())
}

/// `rotule eval`
pub fn eval(arguments: &Eval) -> Result<(), Failure> {
    let mut tree = closed_tree(&arguments.model, &arguments.loops)?;
    let function = Function::parse(&arguments.function, &tree).map_err(failure)?;
    let state = state(arguments, &mut tree)?;
    if arguments.show_state {
        return output::result(&state.text(&tree.mechanism));
    }
    let formalism = arguments.formalism.0;
    let values = rotule::evaluate(&mut tree, &function, formalism, &state).map_err(failure)?;
    if function.of_open_tree(&tree) {
        let note = "note: the model has loops or constraints; this is of its open tree, without their forces; `closed_inverse` is of the closed one";
        output::message(note);
    }
    let bad = values.not_finite(NAMED + 1);
    if !bad.is_empty() {
        let more = if bad.len() > NAMED { " and more" } else { "" };
        let named = bad[..bad.len().min(NAMED)].join(", ");
        output::message(&format!("warning: {named}{more}"));
    }
    if arguments.json {
        let report = json!({
            "function": values.function,
            "formalism": values.formalism.name(),
            "state": state.json(&tree.mechanism),
            "outputs": values.json(),
        });
        return output::result(&format!("{report:#}\n"));
    }
    output::result(&values.text())
}

/// The state that the arguments ask for.
fn state(arguments: &Eval, tree: &mut Tree) -> Result<State, Failure> {
    let (model, set) = (&arguments.model, &arguments.set);
    let mut state = match arguments.random {
        None => return initial(model, arguments.state.as_deref(), set, tree),
        Some(seed) => {
            assigned(set, tree)?;
            State::random(tree, seed)
        }
    };
    state.settle(tree);
    Ok(state)
}

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
    let set = set.iter().map(|word| assignment(word));
    let set: Vec<(String, f64)> = set.collect::<Result<_, _>>().map_err(failure)?;
    for (name, value) in &set {
        set_parameter(tree, name, *value).map_err(failure)?;
    }
    Ok(set)
}

/// `NAME=VALUE`, where the value may be an expression of numbers.
pub fn assignment(word: &str) -> Result<(String, f64), Problem> {
    let Some((name, value)) = word.split_once('=') else {
        return Err(Problem::new(format!("--set {word}: there is no `=`"), "write NAME=VALUE"));
    };
    let value = value.trim();
    let mut graph = Graph::new();
    let expr = graph.parse_known(value).ok();
    let number = expr.and_then(|expr| graph.evaluate_f64(&[expr], |_| None).ok()?.first().copied());
    match number.filter(|number| number.is_finite()) {
        Some(number) => Ok((name.trim().to_owned(), number)),
        None => Err(Problem::new(
            format!("--set {word}: `{value}` is not a number"),
            "write NAME=VALUE with a number, such as 0.3 or 2*pi",
        )),
    }
}

/// `rotule equations`
pub fn equations(arguments: &Equations) -> Result<(), Failure> {
    let mut tree = tree(&arguments.model)?;
    let formalism = arguments.formalism.0;
    let document = match &arguments.function {
        Some(name) => {
            let function = Function::parse(name, &tree).map_err(failure)?;
            rotule::equations(&mut tree, &function, formalism)
        }
        None => {
            let driven = arguments.driven.as_deref().unwrap_or_default();
            rotule::equations_of_motion(&mut tree, formalism, driven)
        }
    };
    let document = document.map_err(failure)?;
    let graph = &tree.mechanism.graph;
    output::result(&if arguments.latex { document.latex(graph) } else { document.text(graph) })
}

/// Loads a model and makes its tree; findings are shown.
pub fn tree(arguments: &Model) -> Result<Tree, Failure> {
    Ok(normalise(models::mechanism(arguments)?))
}

/// The same with the partition that is asked for.
fn closed_tree(arguments: &Model, loops: &Loops) -> Result<Tree, Failure> {
    let mut mechanism = models::mechanism(arguments)?;
    models::ask(&mut mechanism, loops)?;
    Ok(normalise(mechanism))
}

/// A request that cannot be met, as a compiler shows it.
pub fn failure(problem: Problem) -> Failure {
    let Problem { message, help, .. } = problem;
    let help = if help.is_empty() { String::new() } else { format!("\n  = help: {help}") };
    Failure::Text(format!("error: {message}{help}"))
}
