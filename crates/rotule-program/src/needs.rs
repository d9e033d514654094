//! The values that others need, through regions as well: what dead code, and parts of a program,
//! are decided by.

use crate::index::Value;
use crate::operation::Operation;
use crate::program::{Program, RegionResult};

/// Calls `visit` with each value that a value needs directly.
///
/// A region needs its residuals and its tolerance, whichever of its results is needed, since
/// they decide about the number of updates; a state needs where it starts and what it becomes.
pub(crate) fn for_each_need(program: &Program, value: Value, mut visit: impl FnMut(Value)) {
    let operation = program.operation(value);
    match operation {
        Operation::Region(region) => {
            let region = program.get_region(region);
            visit(region.tolerance);
            region.residuals.iter().copied().for_each(visit);
        }
        Operation::State(region, k) => {
            // Only what lies in the region can need a state, so the region is needed already.
            let region = program.get_region(region);
            visit(region.initial[k as usize]);
            visit(region.next[k as usize]);
        }
        Operation::Result { of, index } => {
            visit(of);
            if let Operation::Region(region) = program.operation(of)
                && let Some(RegionResult::State(value) | RegionResult::Export(value)) =
                    program.get_region(region).result(index)
            {
                visit(value);
            }
        }
        _ => program.operands(operation, visit),
    }
}

/// The values that some values of a valid program need, and these themselves.
pub(crate) struct Needs<'a> {
    program: &'a Program,
    /// `true` for each value that is needed.
    pub(crate) values: Vec<bool>,
    work: Vec<Value>,
}

impl Needs<'_> {
    /// Nothing yet.
    pub(crate) fn of(program: &Program) -> Needs<'_> {
        Needs { program, values: vec![false; program.len()], work: Vec::new() }
    }

    /// Adds values with all that they need, and calls `visit` with each that is new.
    pub(crate) fn add(
        &mut self,
        values: impl IntoIterator<Item = Value>,
        mut visit: impl FnMut(Value),
    ) {
        let Needs { program, values: needed, work } = self;
        let mut need = |value: Value, work: &mut Vec<Value>| {
            if !std::mem::replace(&mut needed[value.index()], true) {
                work.push(value);
                visit(value);
            }
        };
        values.into_iter().for_each(|value| need(value, work));
        while let Some(value) = work.pop() {
            for_each_need(program, value, |other| need(other, work));
        }
    }
}
