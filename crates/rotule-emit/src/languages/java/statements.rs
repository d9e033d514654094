//! The statements of a method in Java.

use super::{DIALECT, harmless};
use crate::languages::walk::{Idiom, SimdSincos};
use crate::layout::LineText;
use crate::listing::{ExternalCall, Iterate, PackageListing};

/// The statements of the language.
pub fn idiom(call: &dyn Fn(&mut LineText, &ExternalCall) -> Vec<String>) -> Idiom<'_> {
    Idiom {
        remark: |text, remark| text.line(&format!("// {}", harmless(remark))),
        name: |text, name, value| text.line(&format!("final double {name} = {value};")),
        store,
        begin: iterate_begin,
        end: iterate_end,
        call,
        sincos: SimdSincos::Apart(&DIALECT),
        // A field of the class.
        work: |_, _| {},
    }
}

/// One value to some places. A long chain would be a deep tree for the compiler.
fn store(text: &mut LineText, places: &[String], value: &str) {
    for some in places.chunks(2) {
        text.line(&format!("{} = {value};", some.join(" = ")));
    }
}

/// Opens a loop.
fn iterate_begin(text: &mut LineText, iterate: &Iterate) {
    text.line(&format!("// {}", harmless(&iterate.title)));
    let word = if iterate.in_work { "" } else { "double " };
    for (state, initial) in &iterate.states {
        text.line(&format!("{word}{state} = {initial};"));
    }
    // Numbers, because expressions may read them.
    text.line(&format!("double {} = 0.0;", iterate.count));
    text.line(&format!("double {};", iterate.converged));
    iterate.exports.iter().for_each(|(name, _)| text.line(&format!("double {name};")));
    text.line("while (true) {");
    text.depth += 1;
}

/// Closes a loop: the test, the change of the states, the count.
fn iterate_end(text: &mut LineText, iterate: &Iterate) {
    let tests: Vec<String> = iterate
        .residuals
        .iter()
        .map(|residual| format!("Math.abs({residual}) <= {}", iterate.tolerance))
        .collect();
    let (count, converged) = (&iterate.count, &iterate.converged);
    match tests.is_empty() {
        true => text.line(&format!("{converged} = 1.0;")),
        false => text.line(&format!("{converged} = {} ? 1.0 : 0.0;", tests.join(" && "))),
    }
    text.line(&format!("if ({converged} != 0.0 || {count} >= {:?}) {{", f64::from(iterate.limit)));
    text.depth += 1;
    iterate.exports.iter().for_each(|(name, value)| text.line(&format!("{name} = {value};")));
    text.line("break;");
    text.depth -= 1;
    text.line("}");
    let changes = iterate.states.iter().map(|(state, _)| state).zip(&iterate.next);
    let changes: Vec<(&String, &String)> = changes.filter(|(state, next)| state != next).collect();
    if iterate.overlaps && changes.len() > 1 {
        // No name of a user's has two underscores.
        for (at, (_, next)) in changes.iter().enumerate() {
            text.line(&format!("final double next__{at} = {next};"));
        }
        for (at, (state, _)) in changes.iter().enumerate() {
            text.line(&format!("{state} = next__{at};"));
        }
    } else {
        changes.iter().for_each(|(state, next)| text.line(&format!("{state} = {next};")));
    }
    text.line(&format!("{count} += 1.0;"));
    text.depth -= 1;
    text.line("}");
    text.line(&format!("failures += {converged} == 0.0 ? 1 : 0;"));
}

/// Calls an external function.
pub fn print_call(
    text: &mut LineText,
    model: &PackageListing<'_>,
    call: &ExternalCall,
) -> Vec<String> {
    let name = &model.externals[call.external].name;
    for (at, argument) in call.arguments.iter().enumerate() {
        text.line(&format!("foreign.{name}_arguments[{at}] = {argument};"));
    }
    text.line(&format!(
        "foreign.externals.{name}(foreign.{name}_arguments, foreign.{name}_results);"
    ));
    (0..call.results.len()).map(|at| format!("foreign.{name}_results[{at}]")).collect()
}
