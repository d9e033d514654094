//! The statements of a function in Rust, with packs instead of numbers.

use super::super::harmless;
use super::super::statements::{alone, assign_exports, declare_exports};
use crate::languages::walk::{Idiom, SimdSincos, elements};
use crate::layout::LineText;
use crate::listing::{ExternalCall, Iterate, PackageListing, SincosPack, Statement};

/// The statements of the language.
pub fn idiom(call: &dyn Fn(&mut LineText, &ExternalCall) -> Vec<String>) -> Idiom<'_> {
    Idiom {
        begin: iterate_begin,
        end: iterate_end,
        sincos: SimdSincos::Together(print_sincos),
        work: |text, len| text.line(&format!("let mut w = [all_of(0.0); {len}];")),
        ..super::super::statements::idiom(call)
    }
}

fn print_sincos(text: &mut LineText, pack: &SincosPack) {
    let scratch = &pack.scratch;
    text.line(&format!("let {scratch} = sincos_of(&[{}]);", pack.angles.join(", ")));
    for (row, names) in [&pack.sines, &pack.cosines].into_iter().enumerate() {
        for (at, name) in names.iter().enumerate() {
            if let Some(name) = name {
                text.line(&format!("let {name} = {scratch}.{row}[{at}];"));
            }
        }
    }
}

/// Returns `true` if other regions may be inside.
fn is_outer(iterate: &Iterate) -> bool {
    let inner = |statement: &Statement| matches!(statement, Statement::Iterate(_));
    !iterate.units.is_empty() || iterate.block.iter().any(inner)
}

/// Opens a loop.
fn iterate_begin(text: &mut LineText, iterate: &Iterate) {
    text.line(&format!("// {}", harmless(&iterate.title)));
    for ((state, initial), next) in iterate.states.iter().zip(&iterate.next) {
        let word = match (iterate.in_work, state == next) {
            (true, _) => "",
            (_, true) => "let ",
            _ => "let mut ",
        };
        text.line(&format!("{word}{state} = {};", alone(initial)));
    }
    let count = &iterate.count;
    text.line(&format!("let mut {count} = all_of(0.0);"));
    if is_outer(iterate) {
        text.line(&format!("let mut {count}_live = [true; WIDTH];"));
    }
    declare_exports(text, iterate);
    text.line(&format!("let {} = loop {{", iterate.converged));
    text.depth += 1;
    if is_outer(iterate) {
        text.line(&format!("let {count}_before = failures;"));
    }
}

/// Closes a loop. A lane that has ended keeps its states, so that it ends in the same way in every
/// further iteration, and what fails inside is not counted again.
fn iterate_end(text: &mut LineText, iterate: &Iterate) {
    let (count, converged) = (&iterate.count, &iterate.converged);
    if is_outer(iterate) {
        text.line(&format!("failures = choose_of({count}_live, failures, {count}_before);"));
    }
    let residuals = iterate.residuals.join(", ");
    text.line(&format!("let {converged} = small_of(&[{residuals}], {});", iterate.tolerance));
    text.line(&format!(
        "let {count}_on = on_of({converged}, {count}, {:?});",
        f64::from(iterate.limit)
    ));
    text.line(&format!("if {count}_on == [false; WIDTH] {{"));
    text.depth += 1;
    assign_exports(text, iterate);
    text.line(&format!("break {converged};"));
    text.depth -= 1;
    text.line("}");
    let changes = iterate.states.iter().map(|(state, _)| state).zip(&iterate.next);
    let changes: Vec<(&str, String)> = changes
        .filter(|(state, next)| state != next)
        .map(|(state, next)| (state.as_str(), format!("choose_of({count}_on, {next}, {state})")))
        .collect();
    if iterate.overlaps && changes.len() > 1 {
        let (states, next): (Vec<&str>, Vec<String>) = changes.into_iter().unzip();
        text.line(&format!("({}) = ({});", states.join(", "), next.join(", ")));
    } else {
        changes.iter().for_each(|(state, next)| text.line(&format!("{state} = {next};")));
    }
    text.line(&format!("{count} = choose_of({count}_on, {count} + all_of(1.0), {count});"));
    if is_outer(iterate) {
        text.line(&format!("{count}_live = {count}_on;"));
    }
    text.depth -= 1;
    text.line("};");
    text.line(&format!("failures += all_of(1.0) - {converged};"));
}

/// External functions are called lane by lane.
pub fn print_call(
    text: &mut LineText,
    model: &PackageListing<'_>,
    call: &ExternalCall,
) -> Vec<String> {
    let external = &model.externals[call.external];
    let scratch = &call.scratch;
    let arguments = call.arguments.join(", ");
    text.line(&format!("let {scratch}: [Pack; {}] = lanes_of(", external.results));
    text.line(&format!("    &[{arguments}],"));
    text.line(&format!("    |given, found| externals.{}(given, found),", external.name));
    text.line(");");
    elements(call, 0, ["[", "]"])
}
