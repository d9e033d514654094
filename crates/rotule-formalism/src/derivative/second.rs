//! Hessian-vector products: how the gradient of a weighted sum of efforts or accelerations changes
//! along a direction.
//!
//! For `f` of `x = (q, qd, u)`, with `u` the accelerations of inverse and the efforts of forward
//! dynamics, and `L_i` the derivative along variable `i` (of `q` along the speeds, as everywhere):
//!
//! ```text
//! g = sum w_k L_d f_k          L_d = sum d_j L_j          one direction, forward
//! H d = L g                                               one output, backward
//! ```
//!
//! which costs a few times as much as `f`, and no matrix of second derivatives. For joints with
//! quaternions `L_i L_j` is not `L_j L_i`, so that there `H` is not symmetric.

#![allow(non_snake_case)] // symbols as in the formulas

use super::directions::directions;
use super::sweeps;
use crate::function::{Argument, By, Call, ModelFunction, OutputShape, Side, outputs};
use crate::labels::speed_names;
use crate::problem::Problem;
use crate::writer::Writer;
use rotule_model::mechanism::Mechanism;
use rotule_program::lower::Target;
use rotule_symbolic::{Direction, Expr, Kind, Scalar, sum};
use std::collections::BTreeMap;

/// The names of the weights: one for each row of the function.
pub fn weight_names(mechanism: &Mechanism) -> Vec<String> {
    speed_names(mechanism).iter().map(|name| format!("weight[{name}]")).collect()
}

/// The names of the parts of a direction: of coordinates along the speeds, of speeds, and of
/// accelerations or efforts.
pub fn direction_names(mechanism: &Mechanism) -> Vec<String> {
    let speeds = speed_names(mechanism);
    let of =
        |part: &'static str| speeds.iter().map(move |name| format!("direction.{part}[{name}]"));
    of("q").chain(of("qd")).chain(of("u")).collect()
}

/// `hessian_vector`
pub fn hessian_vector(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let [Argument::Function(inner)] = call.arguments else {
        return Err(Problem::new(
            "`hessian_vector` needs a function",
            "expected hessian_vector(FUNCTION)",
        ));
    };
    let third = third(inner)?;
    let written = inner.write(writer, call.formalism)?;
    let f: Vec<Expr> = dense(&written[0]);
    let motion = writer.closed_motion();
    let writer = Writer { motion: &motion, ..writer };
    let symbols = |names: Vec<String>, kind: Kind| {
        writer
            .edit(|graph| names.iter().map(|name| graph.symbol(name, kind)).collect::<Vec<Expr>>())
    };
    let w = symbols(weight_names(writer.mechanism), Kind::Weight);
    let d = symbols(direction_names(writer.mechanism), Kind::Direction);
    let all = [By::Coordinates, By::Speeds, third];
    let columns = all.each_ref().map(|by| directions(writer, by));
    let along = combined(writer, columns.iter().flatten().zip(&d));
    let f = writer.scalars(&f);
    let along = writer.total_directions(&f, vec![along]);
    let changes = writer.derivatives_along(&f, &along).into_iter();
    let g: Scalar<'_> = sum(changes.map(|(row, _, change)| writer.scalar(w[row]) * change));
    let g = g.named("g");
    let names =
        [outputs::HESSIAN_BY_COORDINATE, outputs::HESSIAN_BY_SPEED, outputs::HESSIAN_BY_THIRD];
    let mut targets = Vec::new();
    for ((by, columns), output) in all.iter().zip(columns).zip(names) {
        let columns = writer.total_directions(&[g], columns);
        let gradient = sweeps::backward(writer, &[Target::scalar("g", g.expr())], &columns, by);
        let mut row = vec![Expr::ZERO; columns.len()];
        gradient[0].entries.iter().for_each(|&(_, column, value)| row[column as usize] = value);
        targets.push(output.vector(&row));
    }
    Ok(targets)
}

/// The third variable of a function with a number for each speed.
fn third(inner: &ModelFunction) -> Result<By, Problem> {
    let by_speed =
        |row: &crate::function::OutputRow| row.shape == OutputShape::Vector(Side::Speeds);
    let inputs = inner.row.inputs;
    match inner.row.outputs {
        [one] if by_speed(one) && inputs.contains(&Kind::Acceleration) => Ok(By::Accelerations),
        [one] if by_speed(one) && inputs.contains(&Kind::Effort) => Ok(By::Efforts),
        _ => Err(Problem::new(
            format!("`hessian_vector` is not defined for `{}`", inner.text),
            "expected `inverse` or `forward`",
        )),
    }
}

fn dense(target: &Target) -> Vec<Expr> {
    let mut values = vec![Expr::ZERO; target.rows as usize];
    target.entries.iter().for_each(|&(row, _, value)| values[row as usize] = value);
    values
}

/// The direction that is a sum of others with these factors.
fn combined<'a>(
    writer: Writer<'_, '_>,
    parts: impl Iterator<Item = (&'a Direction, &'a Expr)>,
) -> Direction {
    let mut rates: BTreeMap<Expr, Vec<Scalar<'_>>> = BTreeMap::new();
    for (part, &factor) in parts {
        for &(symbol, rate) in &part.rates {
            rates.entry(symbol).or_default().push(writer.scalar(factor) * writer.scalar(rate));
        }
    }
    let rates = rates.into_iter().map(|(symbol, terms)| (symbol, sum(terms).expr())).collect();
    Direction { name: "d".to_owned(), rates }
}
