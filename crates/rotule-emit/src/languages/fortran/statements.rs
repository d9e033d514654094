//! Statements in Fortran.

use super::super::public::next_name;
use super::super::walk::{Idiom, SimdSincos, elements, one_by_one};
use super::Names;
use super::dialect::DIALECT;
use super::lines::comment;
use crate::header;
use crate::layout::LineText;
use crate::listing::{ExternalCall, Iterate};

/// The statements of the language.
pub fn idiom(call: &dyn Fn(&mut LineText, &ExternalCall) -> Vec<String>) -> Idiom<'_> {
    Idiom {
        remark: |text, remark| comment(text, &[header::one_line(remark)]),
        name: |text, name, value| text.line(&format!("{name} = {value}")),
        store: |text, places, value| {
            one_by_one(text, places, |place| format!("{place} = {value}"));
        },
        begin: iterate_begin,
        end: iterate_end,
        call,
        sincos: SimdSincos::Apart(&DIALECT),
        // Declared with all other variables.
        work: |_, _| {},
    }
}

/// Counts are real numbers, as expressions may read them.
fn iterate_begin(text: &mut LineText, iterate: &Iterate) {
    comment(text, &[header::one_line(&iterate.title)]);
    for (state, initial) in &iterate.states {
        text.line(&format!("{state} = {initial}"));
    }
    text.line(&format!("{} = 0.0_dp", iterate.count));
    text.line("do");
    text.depth += 1;
}

fn iterate_end(text: &mut LineText, iterate: &Iterate) {
    let (count, converged) = (&iterate.count, &iterate.converged);
    text.line(&format!("{converged} = 1.0_dp"));
    for residual in &iterate.residuals {
        let test = format!("abs({residual}) <= {}", iterate.tolerance);
        text.line(&format!("if (.not. ({test})) {converged} = 0.0_dp"));
    }
    let limit = (DIALECT.number)(f64::from(iterate.limit));
    text.line(&format!("if ({converged} > 0.5_dp .or. {count} >= {limit}) exit"));
    if iterate.overlaps {
        for (at, next) in iterate.next.iter().enumerate() {
            text.line(&format!("{} = {next}", next_name(iterate, at)));
        }
        for (at, (state, _)) in iterate.states.iter().enumerate() {
            text.line(&format!("{state} = {}", next_name(iterate, at)));
        }
    } else {
        for ((state, _), next) in iterate.states.iter().zip(&iterate.next) {
            text.line(&format!("{state} = {next}"));
        }
    }
    text.line(&format!("{count} = {count} + 1.0_dp"));
    text.depth -= 1;
    text.line("end do");
    iterate.exports.iter().for_each(|(name, value)| text.line(&format!("{name} = {value}")));
    text.line(&format!("if ({converged} < 0.5_dp) failures = failures + 1"));
}

/// Calls an external function.
pub fn print_call(text: &mut LineText, names: &Names, call: &ExternalCall) -> Vec<String> {
    let (scratch, name) = (&call.scratch, &names.public.externals[call.external]);
    let given = if call.arguments.is_empty() {
        "[real(dp) ::]".to_owned()
    } else {
        format!("[{}]", call.arguments.join(", "))
    };
    text.line(&format!("call {name}({given}, {scratch})"));
    elements(call, 1, ["(", ")"])
}
