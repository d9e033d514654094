//! Marks on what has been written.
//!
//! Not every expression of a graph becomes a value: names that are used once are dissolved, terms
//! join the sums around them, factors the products, and what no output needs is not written. Such
//! an expression is marked through its operands and through what is computed of these alone, so
//! that what remains of a part stays in it: of `a*b + c*d` in a longer sum the two products and
//! their sum, if there is one.

use super::MarkTarget;
use crate::index::Value;
use crate::operation::Operation;
use crate::program::{Block, Program};
use rotule_symbolic::{Expr, Graph};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// The expressions that a value is an operand of, by their numbers.
type Owners = SmallVec<[u32; 4]>;

/// Marks the values of expressions. `written` gives the value that an expression, or its opposite,
/// was written as.
pub(super) fn put(
    graph: &Graph,
    marks: &[MarkTarget],
    written: impl Fn(Expr) -> Option<Value>,
    program: &mut Program,
) {
    for mark in marks {
        let mut values: Vec<Value> = Vec::new();
        let mut owners: FxHashMap<Value, Owners> = FxHashMap::default();
        for (number, &expr) in mark.values.iter().enumerate() {
            if let Some(value) = written(expr) {
                values.push(value);
                continue;
            }
            for expr in graph.nearest(&[expr], |expr| written(expr).is_some()) {
                let Some(value) = written(expr) else { continue };
                values.push(value);
                owners.entry(value).or_default().push(number as u32);
            }
        }
        if !owners.is_empty() {
            join(program, &mut owners, &mut values);
        }
        program.mark(mark.tag.clone(), &values);
    }
}

/// Adds what `body` computes by + - * / of operands of one expression alone. Numbers and what setup
/// computes belong to every expression.
fn join(program: &Program, owners: &mut FxHashMap<Value, Owners>, values: &mut Vec<Value>) {
    let mut free = vec![false; program.len()];
    program.block(Block::Setup).iter().for_each(|value| free[value.index()] = true);
    for &value in program.block(Block::Body) {
        let (a, b) = match program.operation(value) {
            Operation::Neg(a) => (a, a),
            Operation::Arithmetic(_, a, b) => (a, b),
            _ => continue,
        };
        let free = |operand: Value| {
            free[operand.index()] || matches!(program.operation(operand), Operation::Constant(_))
        };
        let common: Owners = match (owners.get(&a), owners.get(&b)) {
            (Some(one), Some(other)) => {
                one.iter().copied().filter(|number| other.contains(number)).collect()
            }
            (Some(one), None) if free(b) => one.clone(),
            (None, Some(other)) if free(a) => other.clone(),
            _ => continue,
        };
        if !common.is_empty() && !owners.contains_key(&value) {
            owners.insert(value, common);
            values.push(value);
        }
    }
}
