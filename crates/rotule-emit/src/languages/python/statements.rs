//! The statements of Python: stages, pieces, iterations and calls, over components and the functions of `lib`.

use super::{DIALECT, FUNCTIONS, assign, bracketed, define, enclose};
use crate::header;
use crate::languages::script::{Role, calls, piece_arguments, piece_name};
use crate::layout::Text;
use crate::listing::{Call, Iterate, Listing, Model, PieceText, StageText, Statement, UnitText};

/// The function that runs a stage over components, and those that it is cut into.
pub fn stage(
    text: &mut Text,
    model: &Model<'_>,
    function: &Listing<'_>,
    stage: &StageText,
    setup: bool,
) {
    if !stage.is_whole() {
        for piece in stage.pieces() {
            let mut arguments = vec!["lib: Any".to_owned()];
            let own = piece_arguments(function, &piece.uses, setup);
            arguments.extend(own.iter().map(|(name, role)| match role {
                Role::Number => format!("{name}: Scalar"),
                Role::Read | Role::Written => format!("{name}: _List"),
            }));
            let result = if piece.uses.iterates { "Any" } else { "None" };
            define(text, &piece_name(function, piece.number, setup), &arguments, result);
            let mut inner = super::text();
            inner.depth = 1;
            piece_body(&mut inner, model, piece);
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
    if let [UnitText::Piece(piece)] = stage.units.as_slice() {
        piece_body(&mut inner, model, piece);
    } else {
        if iterates {
            inner.line("failures: Any = 0");
        }
        if stage.work > 0 {
            inner.line(&format!("w: _List = [0.0] * {}", stage.work));
        }
        units(&mut inner, model, function, &stage.units, setup);
        if iterates {
            inner.line("return failures");
        }
    }
    with_functions(text, &inner.text);
}

/// Adds the statements of a function, behind names for the functions of `lib` that they call.
fn with_functions(text: &mut Text, body: &str) {
    text.depth += 1;
    let called = FUNCTIONS.iter().map(|row| row.0).filter(|name| calls(body, name));
    called.for_each(|name| text.line(&format!("{name} = lib.{name}")));
    text.depth -= 1;
    text.text += if body.is_empty() { "    pass\n" } else { body };
}

/// The statements of a piece, with the count of failures if it iterates.
fn piece_body(text: &mut Text, model: &Model<'_>, piece: &PieceText) {
    if piece.uses.iterates {
        text.line("failures: Any = 0");
    }
    piece.statements.iter().for_each(|statement| print(text, model, statement));
    if piece.uses.iterates {
        text.line("return failures");
    }
}

fn units(
    text: &mut Text,
    model: &Model<'_>,
    function: &Listing<'_>,
    list: &[UnitText],
    setup: bool,
) {
    for unit in list {
        match unit {
            UnitText::Piece(piece) => {
                let mut arguments = vec!["lib".to_owned()];
                let own = piece_arguments(function, &piece.uses, setup);
                arguments.extend(own.into_iter().map(|(name, _)| name));
                let count = if piece.uses.iterates { "failures = failures + " } else { "" };
                let name = piece_name(function, piece.number, setup);
                enclose(
                    text,
                    &format!("{count}{name}"),
                    ["(", ")"],
                    &arguments.join(", "),
                    "",
                    true,
                );
            }
            UnitText::Loop(iterate, after) => {
                iterate_begin(text, iterate);
                units(text, model, function, &iterate.units, setup);
                iterate_end(text, iterate);
                after.iter().for_each(|statement| print(text, model, statement));
            }
        }
    }
}

fn print(text: &mut Text, model: &Model<'_>, statement: &Statement) {
    match statement {
        Statement::Remark(remark) => {
            text.line("");
            text.line(&format!("# {}", header::one_line(remark)));
        }
        Statement::Let { name, value } => assign(text, name, value),
        // A chain of assignments could not be broken.
        Statement::Store { places, value } => {
            places.iter().for_each(|place| assign(text, place, value));
        }
        Statement::Iterate(iterate) => {
            iterate_begin(text, iterate);
            iterate.block.iter().for_each(|statement| print(text, model, statement));
            iterate_end(text, iterate);
        }
        Statement::Call(call) => print_call(text, model, call),
        Statement::Pack(pack) => {
            pack.apart(&DIALECT).iter().for_each(|statement| print(text, model, statement));
        }
    }
}

fn iterate_begin(text: &mut Text, iterate: &Iterate) {
    text.line(&format!("# {}", header::one_line(&iterate.title)));
    iterate.states.iter().for_each(|(state, initial)| assign(text, state, initial));
    text.line(&format!("{} = 0.0", iterate.count));
    text.line("while True:");
    text.depth += 1;
}

/// States that have converged keep their values, so that they go on to test as converged while others iterate.
fn iterate_end(text: &mut Text, iterate: &Iterate) {
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
    text.line(&format!("failures = failures + where({converged}, 0, 1)"));
    text.line(&format!("{converged} = where({converged}, 1.0, 0.0)"));
}

fn print_call(text: &mut Text, model: &Model<'_>, call: &Call) {
    let external = &model.externals[call.external];
    let read = call.results.iter().any(Option::is_some);
    let left = if read { format!("{} = ", call.scratch) } else { String::new() };
    let head = format!("{left}externals.{}", external.name);
    enclose(text, &head, ["(", ")"], &bracketed(&call.arguments), "", true);
    for (at, name) in call.results.iter().enumerate() {
        if let Some(name) = name {
            text.line(&format!("{name} = {}[{at}]", call.scratch));
        }
    }
    for (at, places) in &call.stores {
        // What is stored has a name.
        let name = call.results[*at].as_deref().unwrap_or("0.0");
        places.iter().for_each(|place| assign(text, place, name));
    }
}
