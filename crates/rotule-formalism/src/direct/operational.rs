//! The inertia that a place shows to a force and a torque at it.
//!
//! With the Jacobian J of the place (linear above angular velocity, in the ground's components), `J M^-1 J'` always
//! exists: it is what a unit force accelerates. Its inverse, the operational inertia, does only where the place can move
//! in all six directions.

use super::{factored, ldl::Factor};
use crate::dynamics::symmetric;
use crate::function::Call;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_model::mechanism::Placement;
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Matrix, Vector};

/// `operational_inertia`: `inverse_inertia`, and `inertia` if at least six free speeds move the place.
pub fn operational_inertia(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let (factor, rows) = factored(tree, "operational_inertia", call.formalism)?;
    let jacobian = jacobian(tree, call);
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
    for i in 0..6 {
        for j in 0..=i {
            let products: Vec<Expr> =
                halves[i].iter().zip(&gains[j]).map(|(&a, &b)| graph.mul(a, b)).collect();
            let sum = graph.sum(&products);
            entries.push((i, j, graph.name(&format!("Vi[{},{}]", i + 1, j + 1), sum)));
        }
    }
    let mut targets = vec![symmetric("inverse_inertia", 6, &entries)];
    let moving = rows.iter().filter(|&&row| jacobian.iter().any(|line| line[row] != Expr::ZERO));
    if moving.count() >= 6
        && let Ok(factor) = Factor::of(&entries, 6, "V", graph)
    {
        targets.insert(0, symmetric("inertia", 6, &factor.inverse("V", graph)));
    }
    Ok(targets)
}

/// The Jacobian of the place by rows, progressive: every speed turns or shifts all that comes after it.
fn jacobian(tree: &mut Tree, call: &Call<'_>) -> Vec<Vec<Expr>> {
    let (last, inside) = tree.locate(call.place());
    let mut path = Vec::new();
    let mut node = last;
    while node != 0 {
        path.push(node);
        node = tree.nodes[node].parent;
    }
    let mut poses = Vec::new();
    let mut pose = (Matrix::IDENTITY, Vector::ZERO);
    for &node in path.iter().rev() {
        let Placement { rotation, position } = tree.placed(node);
        let graph = &mut tree.mechanism.graph;
        let arm = pose.0.apply(position, graph);
        let at = pose.1.add(arm, graph);
        let name = &tree.nodes[node].name;
        let mut turned = pose.0.mul(rotation, graph);
        for (i, row) in turned.0.iter_mut().enumerate() {
            *row = Vector(*row).name(&format!("R[{name}].{}", ["x", "y", "z"][i]), graph).0;
        }
        pose = (turned, at.name(&format!("P[{name}]"), graph));
        poses.push((node, pose));
    }
    let graph = &mut tree.mechanism.graph;
    let arm = pose.0.apply(inside.position, graph);
    let place = pose.1.add(arm, graph);
    let mut jacobian = vec![vec![Expr::ZERO; tree.speeds()]; 6];
    for (node, (rotation, origin)) in poses {
        let speed = tree.nodes[node].speed;
        for at in 0..tree.nodes[node].motion.speeds() {
            let mut unit = [Expr::ZERO; 6];
            unit[at] = Expr::ONE;
            let (angular, linear) = tree.rates(node, &unit);
            let graph = &mut tree.mechanism.graph;
            let angular = rotation.apply(angular, graph);
            let linear = rotation.apply(linear, graph);
            let arm = place.sub(origin, graph);
            let lever = angular.cross(arm, graph);
            let linear = linear.add(lever, graph);
            for i in 0..3 {
                jacobian[i][speed + at] = linear[i];
                jacobian[i + 3][speed + at] = angular[i];
            }
        }
    }
    jacobian
}
