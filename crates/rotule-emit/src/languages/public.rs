//! Names that the caller of generated code sees, for languages in which they must be short or all
//! lie in one place.
//!
//! `PREFIX_NAME` can be longer than a language allows, the same as another but for case, or the
//! name of a local value. Here all of them are given at once.

use crate::listing::{Iterate, Listing, PackageListing, Statement, UnitText};
use crate::names::{NameRules, NameScope};

/// Public names of the functions of a package.
#[derive(Clone, Debug)]
pub struct Public {
    /// The function that gives the model's own parameters.
    pub parameters: String,
    /// The type of the constants, where a language has one.
    pub constants: String,
    /// The function that makes constants of parameters.
    pub setup: String,
    /// Of each function.
    pub functions: Vec<String>,
    /// Of each external function.
    pub externals: Vec<String>,
}

/// Gives public names. The scope goes on to be used for what is not public but lies in the same
/// place.
pub fn public(model: &PackageListing<'_>, rules: NameRules) -> (Public, NameScope) {
    let mut scope = NameScope::new(rules);
    scope.take(&model.prefix);
    for function in &model.functions {
        take_locals(function, &mut scope);
    }
    let mut fresh = |name: &str| scope.fresh(&format!("{}_{name}", model.prefix));
    let names = Public {
        parameters: fresh("parameters"),
        constants: fresh("constants"),
        setup: fresh("setup"),
        functions: model.functions.iter().map(|function| fresh(&function.name)).collect(),
        externals: model.externals.iter().map(|external| fresh(&external.name)).collect(),
    };
    (names, scope)
}

fn take_locals(function: &Listing<'_>, scope: &mut NameScope) {
    function.inputs.iter().for_each(|input| scope.take(&input.name));
    function.outputs.iter().for_each(|output| scope.take(&output.name));
    for stage in [&function.setup, &function.body] {
        for chunk in stage.chunks() {
            let locals = locals(&chunk.statements);
            locals.numbers.iter().for_each(|name| scope.take(name));
            locals.arrays.iter().for_each(|(name, _)| scope.take(name));
        }
        let loops = loop_locals(&stage.units);
        loops.iter().for_each(|name| scope.take(name));
    }
}

/// Names that statements define, in order.
#[derive(Clone, Debug, Default)]
pub struct Locals {
    /// Numbers.
    pub numbers: Vec<String>,
    /// The results of calls: an array each, and which external function fills it.
    pub arrays: Vec<(String, usize)>,
}

/// Names that a list of statements defines, regions included.
pub fn locals(statements: &[Statement]) -> Locals {
    let mut found = Locals::default();
    gather(statements, &mut found);
    found
}

/// Recursion goes as deep as regions are nested.
fn gather(statements: &[Statement], found: &mut Locals) {
    for statement in statements {
        match statement {
            Statement::Remark(_) | Statement::Store { .. } => {}
            Statement::Let { name, .. } => found.numbers.push(name.clone()),
            Statement::Sincos(pack) => {
                found.numbers.extend(pack.sines.iter().chain(&pack.cosines).flatten().cloned());
            }
            Statement::Iterate(iterate) => {
                found.numbers.extend(of_iterate(iterate));
                gather(&iterate.block, found);
            }
            Statement::Call(call) => {
                found.numbers.extend(call.results.iter().flatten().cloned());
                found.arrays.push((call.scratch.clone(), call.external));
            }
        }
    }
}

/// Names that the loops of a cut stage define in its main function.
pub fn loop_locals(units: &[UnitText]) -> Vec<String> {
    let mut found = Vec::new();
    for unit in units {
        if let UnitText::Loop(iterate, _) = unit {
            found.extend(of_iterate(iterate));
            found.extend(loop_locals(&iterate.units));
        }
    }
    found
}

fn of_iterate(iterate: &Iterate) -> Vec<String> {
    let mut names = Vec::new();
    if !iterate.in_work {
        names.extend(iterate.states.iter().map(|(state, _)| state.clone()));
    }
    names.extend(iterate.exports.iter().map(|(name, _)| name.clone()));
    names.push(iterate.count.clone());
    names.push(iterate.converged.clone());
    if iterate.overlaps {
        names.extend((0..iterate.states.len()).map(|at| next_name(iterate, at)));
    }
    names
}

/// The variable with the next value of a state until all are known.
pub fn next_name(iterate: &Iterate, state: usize) -> String {
    format!("{}_next{}", iterate.count, state + 1)
}
