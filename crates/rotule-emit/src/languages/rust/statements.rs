//! The statements of a function in Rust.

use super::{harmless, packed};
use crate::layout::Text;
use crate::listing::{Call, Iterate, Model, Statement};

/// A value that stands alone needs no parentheses around a choice.
pub fn alone(value: &str) -> &str {
    let Some(inner) = value.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return value;
    };
    let mut depth = 0_i64;
    for letter in inner.bytes() {
        depth += i64::from(letter == b'(') - i64::from(letter == b')');
        if depth < 0 {
            return value;
        }
    }
    inner
}

/// Writes a statement.
pub fn print(text: &mut Text, model: &Model<'_>, statement: &Statement) {
    match statement {
        Statement::Remark(remark) => {
            text.line("");
            text.line(&format!("// {}", harmless(remark)));
        }
        Statement::Let { name, value } => text.line(&format!("let {name} = {};", alone(value))),
        Statement::Store { places, value } => {
            let value = alone(value);
            places.iter().for_each(|place| text.line(&format!("{place} = {value};")));
        }
        Statement::Iterate(iterate) => {
            iterate_begin(text, iterate);
            iterate.block.iter().for_each(|statement| print(text, model, statement));
            iterate_end(text, iterate);
        }
        Statement::Call(call) => print_call(text, model, call),
        Statement::Pack(pack) => packed::print(text, pack),
    }
}

/// Opens a loop.
pub fn iterate_begin(text: &mut Text, iterate: &Iterate) {
    text.line(&format!("// {}", harmless(&iterate.title)));
    for ((state, initial), next) in iterate.states.iter().zip(&iterate.next) {
        let word = match (iterate.in_work, state == next) {
            (true, _) => "",
            (_, true) => "let ",
            _ => "let mut ",
        };
        text.line(&format!("{word}{state} = {};", alone(initial)));
    }
    // Numbers, because expressions may read them.
    text.line(&format!("let mut {} = 0.0;", iterate.count));
    text.line(&format!("let {} = loop {{", iterate.converged));
    text.depth += 1;
}

/// Closes a loop: the test, the change of the states, the count.
pub fn iterate_end(text: &mut Text, iterate: &Iterate) {
    let tests: Vec<String> = iterate
        .residuals
        .iter()
        .map(|residual| format!("abs({residual}) <= {}", iterate.tolerance))
        .collect();
    let test = if tests.is_empty() { "true".to_owned() } else { tests.join(" && ") };
    let (count, converged) = (&iterate.count, &iterate.converged);
    text.line(&format!("let {converged} = {test};"));
    text.line(&format!("if {converged} || {count} >= {:?} {{", f64::from(iterate.limit)));
    text.line(&format!("    break f64::from({converged});"));
    text.line("}");
    let changes = iterate.states.iter().map(|(state, _)| state).zip(&iterate.next);
    let changes: Vec<(&String, &String)> = changes.filter(|(state, next)| state != next).collect();
    if iterate.overlaps && changes.len() > 1 {
        let (states, next): (Vec<&str>, Vec<&str>) =
            changes.iter().map(|(state, next)| (state.as_str(), next.as_str())).unzip();
        text.line(&format!("({}) = ({});", states.join(", "), next.join(", ")));
    } else {
        changes.iter().for_each(|(state, next)| text.line(&format!("{state} = {};", alone(next))));
    }
    text.line(&format!("{count} += 1.0;"));
    text.depth -= 1;
    text.line("};");
    text.line(&format!("failures += u64::from({converged} == 0.0);"));
}

fn print_call(text: &mut Text, model: &Model<'_>, call: &Call) {
    let external = &model.externals[call.external];
    let scratch = &call.scratch;
    text.line(&format!("let mut {scratch} = [0.0; {}];", external.results));
    let arguments = call.arguments.join(", ");
    text.line(&format!("externals.{}(&[{arguments}], &mut {scratch});", external.name));
    for (at, name) in call.results.iter().enumerate() {
        if let Some(name) = name {
            text.line(&format!("let {name} = {scratch}[{at}];"));
        }
    }
    for (at, places) in &call.stores {
        places.iter().for_each(|place| text.line(&format!("{place} = {scratch}[{at}];")));
    }
}
