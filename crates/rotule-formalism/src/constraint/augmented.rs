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

use super::redundancy::analyse;
use super::singular_mass::check_analysed;
use super::{Row, constraints, is_constrained};
use crate::dynamics::masses;
use crate::formalism::Formalism;
use crate::forward::ldl::LdlFactor;
use crate::forward::{applied, efforts_of_known, forward, resistance};
use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;
use rotule_symbolic::Expr;
use rotule_symbolic::elementary::{exp2, log2};

/// A pivot of `M` below this part of its diagonal calls for the rows' help.
const WEAK: f64 = 1e-8;

/// `augmented`
pub fn augmented(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    if !is_constrained(tree) {
        let mut targets = forward(tree, call)?;
        targets.push(Target::vector("lambda", &[]));
        return Ok(targets);
    }
    let said = |problem: Problem| Problem {
        message: format!("`augmented`: {}", problem.message),
        ..problem
    };
    let analysis = analyse(tree).map_err(said)?;
    check_analysed(tree, &analysis, "augmented")?;
    let rows = constraints(tree)?.rows;
    let kept: Vec<usize> =
        (0..rows.len()).filter(|row| analysis.repeats.iter().all(|one| one.row != *row)).collect();
    let free: Vec<bool> = (0..tree.speeds()).map(|at| super::closed::is_free(tree, at)).collect();
    let (qdd, found) = solved(tree, &rows, &kept, &free, call.formalism)?;
    let mut lambda = vec![Expr::ZERO; rows.len()];
    kept.iter().zip(found).for_each(|(&row, value)| lambda[row] = value);
    Ok(vec![Target::vector("qdd", &qdd), Target::vector("lambda", &lambda)])
}

/// The right side of a row: the acceleration that it requires of the free speeds.
fn asked(tree: &mut Tree, row: &Row, free: &[bool]) -> Expr {
    let [alpha, beta] = tree.mechanism.baumgarte;
    let graph = &mut tree.mechanism.graph;
    let mut speed = vec![row.explicit];
    let mut terms = vec![-row.rate];
    for &(at, value) in &row.entries {
        speed.push(graph.mul(value, tree.qd[at]));
        if !free[at] {
            terms.push(-graph.mul(value, tree.qdd[at]));
        }
    }
    let speed = graph.sum(&speed);
    let damped = graph.mul(alpha, speed);
    let damped = graph.add(damped, damped);
    terms.push(-damped);
    if let Some(residual) = row.residual {
        let stiffness = graph.square(beta);
        terms.push(-graph.mul(stiffness, residual));
    }
    let sum = graph.sum(&terms);
    graph.name(&format!("asked[{}]", row.name), sum)
}

/// Accelerations of all speeds, and multipliers of the rows that are kept.
fn solved(
    tree: &mut Tree,
    rows: &[Row],
    kept: &[usize],
    free: &[bool],
    formalism: Formalism,
) -> Result<(Vec<Expr>, Vec<Expr>), Problem> {
    let needed = efforts_of_known(tree, free, formalism);
    let efforts = applied(tree);
    let mass: Vec<(usize, usize, Expr)> = masses(tree, formalism)
        .into_iter()
        .filter(|&(row, column, _)| free[row] && free[column])
        .collect();
    let weights = match weak(tree, &mass, free) {
        true => Some(weights(tree, rows, kept, &mass)),
        false => None,
    };
    let open = mass.iter().map(|entry| entry.2);
    let sides = (0..free.len()).filter(|&at| free[at]).flat_map(|at| [needed[at], efforts[at]]);
    let open = open.chain(sides).collect();
    tree.mark("open tree", open);
    let right: Vec<Expr> = kept.iter().map(|&row| asked(tree, &rows[row], free)).collect();
    let rows_of = kept.iter().flat_map(|&row| rows[row].entries.iter().map(|entry| entry.1));
    let found = rows_of.chain(right.iter().copied()).collect();
    tree.mark("constraints", found);
    // A multiplier stands before the first coordinate of its row, since unknowns go last to first.
    let mut order: Vec<(usize, Option<usize>)> =
        (0..free.len()).filter(|&at| free[at]).map(|at| (at, None)).collect();
    for (number, &row) in kept.iter().enumerate() {
        let first = rows[row].entries.iter().map(|entry| entry.0).find(|&at| free[at]);
        order.push((first.unwrap_or(0), Some(number)));
    }
    order.sort_by_key(|&(at, row)| (at, row.is_none(), row));
    let mut of_speed = vec![0; free.len()];
    let mut of_row = vec![0; kept.len()];
    for (place, &(at, row)) in order.iter().enumerate() {
        match row {
            None => of_speed[at] = place,
            Some(row) => of_row[row] = place,
        }
    }
    let graph = &mut tree.mechanism.graph;
    let mut entries: Vec<(usize, usize, Expr)> = mass
        .iter()
        .map(|&(row, column, value)| (of_speed[row], of_speed[column], value))
        .map(|(row, column, value)| (row.max(column), row.min(column), value))
        .collect();
    let mut sides = vec![Vec::new(); order.len()];
    for at in (0..free.len()).filter(|&at| free[at]) {
        sides[of_speed[at]].extend([efforts[at], -needed[at]]);
    }
    for (number, &row) in kept.iter().enumerate() {
        sides[of_row[number]].push(right[number]);
        let own: Vec<(usize, Expr)> =
            rows[row].entries.iter().copied().filter(|entry| free[entry.0]).collect();
        for (at, &(one, value)) in own.iter().enumerate() {
            entries.push((of_speed[one], of_row[number], value));
            let Some(weights) = &weights else { continue };
            let scaled = graph.mul(weights[number], value);
            sides[of_speed[one]].push(graph.mul(scaled, right[number]));
            for &(two, other) in &own[..=at] {
                entries.push((of_speed[one], of_speed[two], graph.mul(scaled, other)));
            }
        }
    }
    let b: Vec<Expr> = sides.iter().map(|terms| graph.sum(terms)).collect();
    let factor = LdlFactor::of(&entries, order.len(), "Ka", graph).map_err(|singular| {
        let what = match order[singular.0] {
            (at, None) => {
                format!("the mass matrix is singular in `{}`", tree.mechanism.speeds[at].name)
            }
            (_, Some(row)) => {
                format!("constraint `{}` depends on others", rows[kept[row]].name)
            }
        };
        Problem::new(format!("`augmented`: {what}"), "give the bodies it moves mass or inertia")
    })?;
    let x = factor.solve(&b, "xa", &mut tree.mechanism.graph);
    let mut qdd = tree.qdd.clone();
    for at in (0..free.len()).filter(|&at| free[at]) {
        qdd[at] = x[of_speed[at]];
    }
    Ok((qdd, of_row.iter().map(|&place| -x[place]).collect()))
}

/// Returns `true` if the mass matrix of the free speeds is singular, or nearly so.
fn weak(tree: &Tree, mass: &[(usize, usize, Expr)], free: &[bool]) -> bool {
    let mut draft = tree.clone();
    let speeds: Vec<usize> = (0..free.len()).filter(|&at| free[at]).collect();
    let mut place = vec![0; free.len()];
    speeds.iter().enumerate().for_each(|(number, &at)| place[at] = number);
    let entries: Vec<_> = mass.iter().map(|&(i, j, value)| (place[i], place[j], value)).collect();
    match LdlFactor::of(&entries, speeds.len(), "M", &mut draft.mechanism.graph) {
        Err(_) => true,
        Ok(factor) => {
            let pivots: Vec<_> = speeds.into_iter().zip(factor.pivots()).collect();
            resistance::below(&mut draft, &pivots, WEAK).is_some()
        }
    }
}

/// A weight for each row that is kept, of the size of what it moves: any positive numbers give the
/// same solution, and such ones lose the fewest digits.
fn weights(
    tree: &mut Tree,
    rows: &[Row],
    kept: &[usize],
    mass: &[(usize, usize, Expr)],
) -> Vec<Expr> {
    let mechanism = &tree.mechanism;
    let mut known: std::collections::HashMap<String, f64> =
        mechanism.parameters.iter().map(|one| (one.name.clone(), one.value)).collect();
    let initial = rotule_model::pose::initial_coordinates(mechanism);
    known.extend(mechanism.coordinates.iter().zip(initial).map(|(one, q)| (one.name.clone(), q)));
    let number = |name: &str| Some(known.get(name).copied().unwrap_or(0.0));
    let value = |exprs: &[Expr]| {
        let found = mechanism.graph.evaluate_f64(exprs, number).ok();
        let sound = |x: &f64| x.is_finite() && *x > 0.0;
        let squares = found.unwrap_or_default();
        let squares: Vec<f64> = squares.iter().map(|x| x.abs()).filter(sound).collect();
        squares.iter().sum::<f64>() / squares.len().max(1) as f64
    };
    let diagonal: Vec<Expr> = mass.iter().filter(|one| one.0 == one.1).map(|one| one.2).collect();
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
    sizes.into_iter().map(|size| tree.mechanism.graph.number(rounded(size))).collect()
}
