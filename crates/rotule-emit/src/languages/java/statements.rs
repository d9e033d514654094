//! The statements of a method in Java.

use super::{DIALECT, harmless};
use crate::layout::Text;
use crate::listing::{Call, Iterate, Model, Statement};

/// Writes a statement.
pub fn print(text: &mut Text, model: &Model<'_>, statement: &Statement) {
    match statement {
        Statement::Remark(remark) => {
            text.line("");
            text.line(&format!("// {}", harmless(remark)));
        }
        Statement::Let { name, value } => text.line(&format!("final double {name} = {value};")),
        Statement::Store { places, value } => store(text, places, value),
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

/// One value to some places. A long chain would be a deep tree for the compiler.
fn store(text: &mut Text, places: &[String], value: &str) {
    for some in places.chunks(2) {
        text.line(&format!("{} = {value};", some.join(" = ")));
    }
}

/// Opens a loop.
pub fn iterate_begin(text: &mut Text, iterate: &Iterate) {
    text.line(&format!("// {}", harmless(&iterate.title)));
    let word = if iterate.in_work { "" } else { "double " };
    for (state, initial) in &iterate.states {
        text.line(&format!("{word}{state} = {initial};"));
    }
    // Numbers, because expressions may read them.
    text.line(&format!("double {} = 0.0;", iterate.count));
    text.line(&format!("double {};", iterate.converged));
    text.line("while (true) {");
    text.depth += 1;
}

/// Closes a loop: the test, the change of the states, the count.
pub fn iterate_end(text: &mut Text, iterate: &Iterate) {
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
    text.line("    break;");
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

fn print_call(text: &mut Text, model: &Model<'_>, call: &Call) {
    let name = &model.externals[call.external].name;
    for (at, argument) in call.arguments.iter().enumerate() {
        text.line(&format!("foreign.{name}_arguments[{at}] = {argument};"));
    }
    text.line(&format!(
        "foreign.externals.{name}(foreign.{name}_arguments, foreign.{name}_results);"
    ));
    for (at, result) in call.results.iter().enumerate() {
        if let Some(result) = result {
            text.line(&format!("final double {result} = foreign.{name}_results[{at}];"));
        }
    }
    for (at, places) in &call.stores {
        store(text, places, &format!("foreign.{name}_results[{at}]"));
    }
}
