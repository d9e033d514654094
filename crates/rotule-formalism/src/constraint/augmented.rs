//! The augmented equations: accelerations of all coordinates and multipliers at once, from a state
//! that need not be closed (Postiau, section 2.5.3, with the accelerations of drives where the
//! print has their speeds).
//!
//! ```text
//! M qdd - J' lambda = Q - c                        over the free speeds; known accelerations are on the right
//! J qdd             = -b - 2 alpha hd - beta^2 h    hd = J qd + e                       (Baumgarte)
//! ```
//!
//! A row that relates speeds only has no `h`, and falls back to `hd = 0` by `alpha` alone. Rows
//! that repeat others are set aside; their multipliers are zero.
//!
//! With `-lambda` as the unknown the matrix is symmetric, and it is factored without a choice of
//! pivots: leaves of the tree first, and each multiplier as soon as all coordinates of its row are
//! gone. At that moment its pivot is that of `-J M^-1 J'`, which is negative wherever the rows are
//! independent. Where bodies without mass leave `M` singular, `M + J' W J` stands in its place with
//! `J' W` times the right side of the rows added, which changes no solution, and is positive
//! wherever the mechanism moves in one way only.

#![allow(non_snake_case)] // symbols as in the formulas

use super::{Row, constraints, is_constrained};
use crate::dynamics::masses;
use crate::formalism::Formalism;
use crate::forward::ldl::{LdlFactor, Singular};
use crate::forward::{efforts_of_known, forward, singularity};
use crate::function::Call;
use crate::problem::Problem;
use crate::writer::{Entries, Writer, exprs};
use rotule_model::index::{BySpeed, SpeedId, SpeedSet};
use rotule_program::lower::Target;
use rotule_symbolic::elementary::{exp2, log2};
use rotule_symbolic::{Expr, Scalar, sum};
use std::collections::HashMap;

/// A pivot of `M` below this part of its diagonal calls for the rows' help.
const WEAK: f64 = 1e-8;

/// `augmented`
pub fn augmented(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    if !is_constrained(writer.mechanism) {
        let mut targets = forward(writer, call)?;
        targets.push(Target::vector("lambda", &[]));
        return Ok(targets);
    }
    let redundant = &writer.partition("augmented")?.redundant;
    let rows = constraints(writer)?.rows;
    let kept: Vec<usize> = (0..rows.len()).filter(|row| !redundant.contains(row)).collect();
    let free = writer.free_speeds();
    let (qdd, found) = solved(writer, &rows, &kept, &free, call.formalism)?;
    let mut lambda = vec![Scalar::ZERO; rows.len()];
    kept.iter().zip(found).for_each(|(&row, value)| lambda[row] = value);
    let qdd = Target::vector("qdd", &exprs(&qdd));
    Ok(vec![qdd, Target::vector("lambda", &exprs(&lambda))])
}

/// The right side of a row: the acceleration that it requires of the free speeds.
fn required<'g>(writer: Writer<'_, 'g>, row: &Row, free: &SpeedSet) -> Scalar<'g> {
    let [alpha, beta] = writer.mechanism.baumgarte.map(|gain| writer.scalar(gain));
    let mut hd = vec![writer.scalar(row.explicit)];
    let mut terms = vec![-writer.scalar(row.rate)];
    for (at, value) in writer.entries(row) {
        let at = SpeedId::new(at);
        hd.push(value * writer.scalar(writer.motion.qd[at]));
        if !free.contains(at) {
            terms.push(-(value * writer.scalar(writer.motion.qdd[at])));
        }
    }
    let damped = alpha * sum(hd);
    terms.push(-(damped + damped));
    if let Some(h) = row.residual {
        terms.push(-(beta.square() * writer.scalar(h)));
    }
    sum(terms).named(&format!("asked[{}]", row.name))
}

/// Accelerations of all speeds, and multipliers of the rows that are kept.
fn solved<'g>(
    writer: Writer<'_, 'g>,
    rows: &[Row],
    kept: &[usize],
    free: &SpeedSet,
    formalism: Formalism,
) -> Result<(BySpeed<Scalar<'g>>, Vec<Scalar<'g>>), Problem> {
    let needed = efforts_of_known(writer, free, formalism);
    let Q = writer.applied();
    let M: Entries<'g> = masses(writer, formalism)
        .into_iter()
        .filter(|&(row, column, _)| {
            free.contains(SpeedId::new(row)) && free.contains(SpeedId::new(column))
        })
        .collect();
    let W = is_weak(writer, &M, free).then(|| weights(writer, rows, kept, &M));
    let free_speeds = || free.iter().map(SpeedId::index);
    let sides = free.iter().flat_map(|at| [needed[at], Q[at]]);
    writer.mark("open tree", M.iter().map(|entry| entry.2).chain(sides));
    let right: Vec<Scalar<'g>> =
        kept.iter().map(|&row| required(writer, &rows[row], free)).collect();
    let J: Vec<Vec<(usize, Scalar<'g>)>> =
        kept.iter().map(|&row| writer.entries(&rows[row])).collect();
    let entries = J.iter().flatten().map(|entry| entry.1);
    writer.mark("constraints", entries.chain(right.iter().copied()));
    // A multiplier stands before the first coordinate of its row, since unknowns go last to first.
    let mut order: Vec<(usize, Option<usize>)> = free_speeds().map(|at| (at, None)).collect();
    for (number, row) in J.iter().enumerate() {
        let first = row.iter().map(|entry| entry.0).find(|&at| free.contains(SpeedId::new(at)));
        order.push((first.unwrap_or(0), Some(number)));
    }
    order.sort_by_key(|&(at, row)| (at, row.is_none(), row));
    let mut of_speed = vec![0; writer.speeds()];
    let mut of_row = vec![0; kept.len()];
    for (place, &(at, row)) in order.iter().enumerate() {
        match row {
            None => of_speed[at] = place,
            Some(row) => of_row[row] = place,
        }
    }
    let mut entries: Entries<'g> = M
        .iter()
        .map(|&(row, column, value)| (of_speed[row], of_speed[column], value))
        .map(|(row, column, value)| (row.max(column), row.min(column), value))
        .collect();
    let mut sides = vec![Vec::new(); order.len()];
    for at in free.iter() {
        sides[of_speed[at.index()]].extend([Q[at], -needed[at]]);
    }
    for (number, row) in J.iter().enumerate() {
        sides[of_row[number]].push(right[number]);
        let own: Vec<(usize, Scalar<'g>)> =
            row.iter().copied().filter(|entry| free.contains(SpeedId::new(entry.0))).collect();
        for (at, &(one, value)) in own.iter().enumerate() {
            entries.push((of_speed[one], of_row[number], value));
            let Some(W) = &W else { continue };
            let scaled = W[number] * value;
            sides[of_speed[one]].push(scaled * right[number]);
            for &(two, other) in &own[..=at] {
                entries.push((of_speed[one], of_speed[two], scaled * other));
            }
        }
    }
    let b: Vec<Scalar<'g>> = sides.into_iter().map(sum).collect();
    let factor = LdlFactor::of(&entries, order.len(), "Ka").map_err(|Singular(pivot)| {
        let what = match order[pivot] {
            (at, None) => {
                format!("the mass matrix is singular in `{}`", writer.mechanism.speeds[at].name)
            }
            (_, Some(row)) => {
                format!("constraint `{}` depends on others", rows[kept[row]].name)
            }
        };
        Problem::new(format!("`augmented`: {what}"), "give the bodies it moves mass or inertia")
    })?;
    let x = factor.solve(&b, "xa");
    let mut qdd = writer.qdd();
    for at in free.iter() {
        qdd[at] = x[of_speed[at.index()]];
    }
    Ok((qdd, of_row.iter().map(|&place| -x[place]).collect()))
}

/// Returns `true` if the mass matrix of the free speeds is singular, or nearly so.
fn is_weak<'g>(writer: Writer<'_, 'g>, M: &Entries<'g>, free: &SpeedSet) -> bool {
    let speeds: Vec<usize> = free.iter().map(SpeedId::index).collect();
    let mut place = vec![0; writer.speeds()];
    speeds.iter().enumerate().for_each(|(number, &at)| place[at] = number);
    writer.on_draft(|draft| {
        let entry = |&(i, j, value): &(usize, usize, Scalar<'_>)| {
            (place[i], place[j], draft.scalar(value.expr()))
        };
        let entries: Entries<'_> = M.iter().map(entry).collect();
        match LdlFactor::of(&entries, speeds.len(), "M") {
            Err(_) => true,
            Ok(factor) => {
                let pivots: Vec<_> = free.iter().zip(factor.pivots()).collect();
                singularity::below(draft, &pivots, WEAK).is_some()
            }
        }
    })
}

/// A weight for each row that is kept, of the size of what it moves: any positive numbers give the
/// same solution, and such ones lose the fewest digits.
fn weights<'g>(
    writer: Writer<'_, 'g>,
    rows: &[Row],
    kept: &[usize],
    M: &Entries<'g>,
) -> Vec<Scalar<'g>> {
    let mechanism = writer.mechanism;
    let mut known: HashMap<String, f64> =
        mechanism.parameters.iter().map(|one| (one.name.clone(), one.any_number())).collect();
    let initial = rotule_model::pose::initial_coordinates(mechanism);
    known.extend(mechanism.coordinates.iter().zip(initial).map(|(one, q)| (one.name.clone(), q)));
    let number = |name: &str| Some(known.get(name).copied().unwrap_or(0.0));
    let value = |exprs: &[Expr]| {
        let found = writer.read(|graph| graph.evaluate_f64(exprs, number)).ok();
        let sound = |x: &f64| x.is_finite() && *x > 0.0;
        let squares = found.unwrap_or_default();
        let squares: Vec<f64> = squares.iter().map(|x| x.abs()).filter(sound).collect();
        squares.iter().sum::<f64>() / squares.len().max(1) as f64
    };
    let diagonal = M.iter().filter(|one| one.0 == one.1).map(|one| one.2.expr());
    let diagonal: Vec<Expr> = diagonal.collect();
    let inertia = value(&diagonal);
    let sizes: Vec<f64> = kept
        .iter()
        .map(|&row| {
            let entries: Vec<Expr> = rows[row].entries.iter().map(|entry| entry.1).collect();
            let size = value(&entries);
            inertia / (size * size)
        })
        .collect();
    // Powers of two: products with them are exact, and what they are does not matter.
    let rounded = |size: f64| match size.is_finite() && size > 0.0 {
        true => exp2(log2(size).round().clamp(-60.0, 60.0)),
        false => 1.0,
    };
    sizes.into_iter().map(|size| writer.number(rounded(size))).collect()
}
