//! The inertia that a place shows to a force and a torque at it.
//!
//! With the Jacobian J of the place (linear above angular velocity, in the ground's components), `J
//! M^-1 J'` always exists: it is what a unit force accelerates. Its inverse, the operational
//! inertia, does only where the place can move in all six directions.

use super::{factored, ldl::LdlFactor};
use crate::dynamics::symmetric;
use crate::formalism::Formalism;
use crate::function::Call;
use crate::kinematics;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// `operational_inertia`: `inverse_inertia`, and `inertia` if at least six free speeds move the
/// place.
pub fn operational_inertia(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let (factor, rows) = factored(tree, "operational_inertia", call.formalism)?;
    let jacobian = jacobian(tree, call)?;
    let graph = &mut tree.mechanism.graph;
    let mut halves = Vec::new();
    let mut gains = Vec::new();
    for line in &jacobian {
        let b: Vec<Expr> = rows.iter().map(|&row| line[row]).collect();
        let half = factor.half(&b, "J", graph);
        let scaled = factor.scaled(&half, graph);
        let scaled: Vec<Expr> = scaled.into_iter().map(|e| graph.name("JD", e)).collect();
        halves.push(half);
        gains.push(scaled);
    }
    let mut entries = Vec::new();
    for (i, half) in halves.iter().enumerate() {
        for (j, gain) in gains[..=i].iter().enumerate() {
            let products: Vec<Expr> =
                half.iter().zip(gain).map(|(&a, &b)| graph.mul(a, b)).collect();
            let sum = graph.sum(&products);
            entries.push((i, j, graph.name(&format!("Vi[{},{}]", i + 1, j + 1), sum)));
        }
    }
    let mut targets = vec![symmetric("inverse_inertia", 6, &entries)];
    let moving = rows.iter().filter(|&&row| jacobian.iter().any(|line| line[row] != Expr::ZERO));
    if moving.count() >= 6
        && let Ok(factor) = LdlFactor::of(&entries, 6, "V", graph)
    {
        targets.insert(0, symmetric("inertia", 6, &factor.inverse("V", graph)));
    }
    Ok(targets)
}

/// The Jacobian of the place by rows.
fn jacobian(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Vec<Expr>>, Problem> {
    let call = Call { formalism: Formalism::Mixed, ..*call };
    let mut jacobian = vec![vec![Expr::ZERO; tree.speeds()]; 6];
    for target in kinematics::jacobian(tree, &call)? {
        for (row, column, value) in target.entries {
            jacobian[row as usize][column as usize] = value;
        }
    }
    Ok(jacobian)
}
