//! Statements in Fortran.

use super::super::public::next_name;
use super::Names;
use super::dialect::DIALECT;
use super::lines::comment;
use crate::header;
use crate::layout::Text;
use crate::listing::{Call, Iterate, PieceText, Statement, UnitText};

/// The calls of pieces, and the loops around them.
pub fn units(
    text: &mut Text,
    names: &Names,
    list: &[UnitText],
    calls: &dyn Fn(&PieceText) -> String,
) {
    for unit in list {
        match unit {
            UnitText::Piece(piece) => text.line(&calls(piece)),
            UnitText::Loop(iterate, after) => {
                iterate_begin(text, iterate);
                units(text, names, &iterate.units, calls);
                iterate_end(text, iterate);
                after.iter().for_each(|statement| print(text, names, statement));
            }
        }
    }
}

/// One statement.
pub fn print(text: &mut Text, names: &Names, statement: &Statement) {
    match statement {
        Statement::Remark(remark) => {
            text.line("");
            comment(text, &[header::one_line(remark)]);
        }
        Statement::Let { name, value } => text.line(&format!("{name} = {value}")),
        Statement::Store { places, value } => {
            places.iter().for_each(|place| text.line(&format!("{place} = {value}")));
        }
        Statement::Iterate(iterate) => {
            iterate_begin(text, iterate);
            iterate.block.iter().for_each(|statement| print(text, names, statement));
            iterate_end(text, iterate);
        }
        Statement::Call(call) => print_call(text, names, call),
        Statement::Pack(pack) => {
            pack.apart(&DIALECT).iter().for_each(|statement| print(text, names, statement));
        }
    }
}

/// Counts are real numbers, as expressions may read them.
fn iterate_begin(text: &mut Text, iterate: &Iterate) {
    comment(text, &[header::one_line(&iterate.title)]);
    for (state, initial) in &iterate.states {
        text.line(&format!("{state} = {initial}"));
    }
    text.line(&format!("{} = 0.0_dp", iterate.count));
    text.line("do");
    text.depth += 1;
}

fn iterate_end(text: &mut Text, iterate: &Iterate) {
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
    text.line(&format!("if ({converged} < 0.5_dp) failures = failures + 1"));
}

fn print_call(text: &mut Text, names: &Names, call: &Call) {
    let (scratch, name) = (&call.scratch, &names.public.externals[call.external]);
    let given = if call.arguments.is_empty() {
        "[real(dp) ::]".to_owned()
    } else {
        format!("[{}]", call.arguments.join(", "))
    };
    text.line(&format!("call {name}({given}, {scratch})"));
    for (at, name) in call.results.iter().enumerate() {
        if let Some(name) = name {
            text.line(&format!("{name} = {scratch}({})", at + 1));
        }
    }
    for (at, places) in &call.stores {
        let source = format!("{scratch}({})", at + 1);
        let value = call.results[*at].as_ref().unwrap_or(&source);
        places.iter().for_each(|place| text.line(&format!("{place} = {value}")));
    }
}
