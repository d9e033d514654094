//! The statements of Python: stages, chunks, iterations and calls, over components and the
//! functions of `lib`.

use super::{DIALECT, FUNCTIONS, assign, bracketed, define, enclose};
use crate::header;
use crate::languages::script::{Role, calls, chunk_arguments, chunk_name};
use crate::languages::walk::{Idiom, SimdSincos, elements};
use crate::layout::LineText;
use crate::listing::{ExternalCall, Iterate, Listing, PackageListing, StageText};

/// The function that runs a stage over components, and those that it is cut into.
pub fn stage(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    stage: &StageText,
    setup: bool,
) {
    if !stage.is_whole() {
        for chunk in stage.chunks() {
            let mut arguments = vec!["lib: Any".to_owned()];
            let own = chunk_arguments(function, &chunk.uses, setup);
            arguments.extend(own.iter().map(|(name, role)| match role {
                Role::Number => format!("{name}: Scalar"),
                Role::Read | Role::Written => format!("{name}: _List"),
            }));
            let result = if chunk.uses.iterates { "Any" } else { "None" };
            define(text, &chunk_name(function, chunk.number, setup), &arguments, result);
            let mut inner = super::text();
            inner.depth = 1;
            counted(&mut inner, chunk.uses.iterates, |inner| {
                idiom(&|text, call| print_call(text, model, call)).chunk(inner, chunk);
            });
            with_functions(text, &inner.text);
        }
    }
    let mut arguments = vec!["lib: Any".to_owned()];
    if setup {
        arguments.extend(["parameters: _List".to_owned(), "k: _List".to_owned()]);
    } else {
        arguments.push("k: _List".to_owned());
        if function.time {
            arguments.push("time: _List".to_owned());
        }
        arguments.extend(function.inputs.iter().map(|input| format!("{}: _List", input.name)));
        arguments.extend(function.outputs.iter().map(|output| format!("{}: _List", output.name)));
    }
    let iterates = stage.uses().iterates;
    let word = if setup { "setup" } else { "body" };
    let result = if iterates { "Any" } else { "None" };
    define(text, &format!("_{word}_{}", function.name), &arguments, result);
    let mut inner = super::text();
    inner.depth = 1;
    if !setup && function.time && stage.uses().time {
        inner.line("t = time[0]");
    }
    counted(&mut inner, iterates, |inner| {
        idiom(&|text, call| print_call(text, model, call)).stage(inner, stage, &|text, chunk| {
            let mut arguments = vec!["lib".to_owned()];
            let own = chunk_arguments(function, &chunk.uses, setup);
            arguments.extend(own.into_iter().map(|(name, _)| name));
            let count = if chunk.uses.iterates { "failures = failures + " } else { "" };
            let head = format!("{count}{}", chunk_name(function, chunk.number, setup));
            enclose(text, &head, ["(", ")"], &arguments.join(", "), "", true);
        });
    });
    with_functions(text, &inner.text);
}

/// Adds the statements of a function, behind names for the functions of `lib` that they call.
fn with_functions(text: &mut LineText, body: &str) {
    text.depth += 1;
    let called = FUNCTIONS.iter().map(|row| row.0).filter(|name| calls(body, name));
    called.for_each(|name| text.line(&format!("{name} = lib.{name}")));
    text.depth -= 1;
    text.text += if body.is_empty() { "    pass\n" } else { body };
}

/// Statements between the count of failures and its return.
fn counted(text: &mut LineText, iterates: bool, body: impl FnOnce(&mut LineText)) {
    if iterates {
        text.line("failures: Any = 0");
    }
    body(text);
    if iterates {
        text.line("return failures");
    }
}

/// The statements of the language.
fn idiom(call: &dyn Fn(&mut LineText, &ExternalCall) -> Vec<String>) -> Idiom<'_> {
    Idiom {
        remark: |text, remark| text.line(&format!("# {}", header::one_line(remark))),
        name: assign,
        // A chain of assignments could not be broken.
        store: |text, places, value| places.iter().for_each(|place| assign(text, place, value)),
        begin: iterate_begin,
        end: iterate_end,
        call,
        sincos: SimdSincos::Apart(&DIALECT),
        work: |text, len| text.line(&format!("w: _List = [0.0] * {len}")),
    }
}

fn iterate_begin(text: &mut LineText, iterate: &Iterate) {
    text.line(&format!("# {}", header::one_line(&iterate.title)));
    iterate.states.iter().for_each(|(state, initial)| assign(text, state, initial));
    text.line(&format!("{} = 0.0", iterate.count));
    text.line("while True:");
    text.depth += 1;
}

/// States that have converged keep their values, so that they go on to test as converged while
/// others iterate.
fn iterate_end(text: &mut LineText, iterate: &Iterate) {
    let (count, converged) = (&iterate.count, &iterate.converged);
    let small = |residual: &String| format!("(fabs({residual}) <= {})", iterate.tolerance);
    let tests: Vec<String> = iterate.residuals.iter().map(small).collect();
    let test = if tests.is_empty() { "True".to_owned() } else { tests.join(" & ") };
    assign(text, converged, &test);
    text.line(&format!("going = where({converged}, False, {count} < {}.0)", iterate.limit));
    text.line("if not any_of(going):");
    text.line("    break");
    // All at once, whether or not they read each other.
    let states: Vec<&str> = iterate.states.iter().map(|(state, _)| state.as_str()).collect();
    let next = |(state, next): (&&str, &String)| format!("where(going, {next}, {state})");
    let next: Vec<String> = states.iter().zip(&iterate.next).map(next).collect();
    match (states.as_slice(), iterate.overlaps) {
        ([], _) => {}
        (_, true) => {
            text.line(&format!("{} = (", states.join(", ")));
            next.iter().for_each(|next| text.line(&format!("    {next},")));
            text.line(")");
        }
        (_, false) => {
            states.iter().zip(&next).for_each(|(state, next)| assign(text, state, next));
        }
    }
    text.line(&format!("{count} = where(going, {count} + 1.0, {count})"));
    text.depth -= 1;
    iterate.exports.iter().for_each(|(name, value)| assign(text, name, value));
    text.line(&format!("failures = failures + where({converged}, 0, 1)"));
    text.line(&format!("{converged} = where({converged}, 1.0, 0.0)"));
}

fn print_call(text: &mut LineText, model: &PackageListing<'_>, call: &ExternalCall) -> Vec<String> {
    let external = &model.externals[call.external];
    let read = call.results.iter().any(Option::is_some);
    let left = if read { format!("{} = ", call.scratch) } else { String::new() };
    let head = format!("{left}externals.{}", external.name);
    enclose(text, &head, ["(", ")"], &bracketed(&call.arguments), "", true);
    elements(call, 0, ["[", "]"])
}
