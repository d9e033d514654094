//! The statements of a function in Rust.

use super::{harmless, simd_sincos};
use crate::languages::walk::{Idiom, SimdSincos, elements, one_by_one};
use crate::layout::LineText;
use crate::listing::{ExternalCall, Iterate, PackageListing};

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

/// The statements of the language.
pub fn idiom(call: &dyn Fn(&mut LineText, &ExternalCall) -> Vec<String>) -> Idiom<'_> {
    Idiom {
        remark: |text, remark| text.line(&format!("// {}", harmless(remark))),
        name: |text, name, value| text.line(&format!("let {name} = {};", alone(value))),
        store: |text, places, value| {
            one_by_one(text, places, |place| format!("{place} = {};", alone(value)));
        },
        begin: iterate_begin,
        end: iterate_end,
        call,
        sincos: SimdSincos::Together(simd_sincos::print),
        work: |text, len| text.line(&format!("let mut w = [0.0; {len}];")),
    }
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
    // Numbers, because expressions may read them.
    text.line(&format!("let mut {} = 0.0;", iterate.count));
    declare_exports(text, iterate);
    text.line(&format!("let {} = loop {{", iterate.converged));
    text.depth += 1;
}

/// Declares what a loop exports.
pub fn declare_exports(text: &mut LineText, iterate: &Iterate) {
    iterate.exports.iter().for_each(|(name, _)| text.line(&format!("let {name};")));
}

/// Assigns what a loop exports, where it ends.
pub fn assign_exports(text: &mut LineText, iterate: &Iterate) {
    for (name, value) in &iterate.exports {
        text.line(&format!("{name} = {};", alone(value)));
    }
}

/// Closes a loop: the test, the change of the states, the count.
fn iterate_end(text: &mut LineText, iterate: &Iterate) {
    let tests: Vec<String> = iterate
        .residuals
        .iter()
        .map(|residual| format!("abs({residual}) <= {}", iterate.tolerance))
        .collect();
    let test = if tests.is_empty() { "true".to_owned() } else { tests.join(" && ") };
    let (count, converged) = (&iterate.count, &iterate.converged);
    text.line(&format!("let {converged} = {test};"));
    text.line(&format!("if {converged} || {count} >= {:?} {{", f64::from(iterate.limit)));
    text.depth += 1;
    assign_exports(text, iterate);
    text.line(&format!("break f64::from({converged});"));
    text.depth -= 1;
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

/// Calls an external function.
pub fn print_call(
    text: &mut LineText,
    model: &PackageListing<'_>,
    call: &ExternalCall,
) -> Vec<String> {
    let external = &model.externals[call.external];
    let scratch = &call.scratch;
    text.line(&format!("let mut {scratch} = [0.0; {}];", external.results));
    let arguments = call.arguments.join(", ");
    text.line(&format!("externals.{}(&[{arguments}], &mut {scratch});", external.name));
    elements(call, 0, ["[", "]"])
}
