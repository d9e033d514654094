//! Where laws switch: what `if`, `max`, `min`, `abs` and `sign` compare, in everything that moves a mechanism.
//!
//! An integration method sees the equations at a few points of a step. What a law does between them, such as a pulse, a stop
//! that is touched for a moment or a force that changes its sign, is found by watching what is compared instead.

use crate::forces::wrenches;
use crate::function::Call;
use crate::problem::Problem;
use crate::states::{at_present, rates};
use crate::tree::Tree;
use rotule_model::mechanism::{Nature, Signal};
use rotule_program::lower::Target;
use rotule_symbolic::{Binary, Compare, Expr, Kind, Kinds, Node, Unary};

/// A comparison that a law makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Switch {
    /// What is asked.
    pub compare: Compare,
    /// Of this.
    pub left: Expr,
    /// And this.
    pub right: Expr,
}

/// Whether an expression has nothing but time and parameters in it.
pub fn is_of_time(kinds: Kinds) -> bool {
    kinds.contains(Kind::Time) && kinds.iter().all(|kind| kind <= Kind::Time)
}

/// `switches`
pub fn function(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("difference", &differences(tree)?)])
}

/// What comparisons compare, as differences that pass zero; those of time alone are left out.
pub fn differences(tree: &mut Tree) -> Result<Vec<Expr>, Problem> {
    let found = switches(tree)?;
    let graph = &mut tree.mechanism.graph;
    let found: Vec<Expr> = found.iter().map(|one| graph.sub(one.left, one.right).abs()).collect();
    let mut found: Vec<Expr> =
        found.into_iter().filter(|&one| !is_of_time(graph.kinds(one))).collect();
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The operands of a node that compares.
pub fn compared(node: Node<'_>) -> Option<(Compare, Expr, Expr)> {
    Some(match node {
        Node::Select(compare, operands) => (compare, operands[0], operands[1]),
        Node::Unary(Unary::Abs | Unary::Sign, x) => (Compare::Less, x, Expr::ZERO),
        Node::Binary(Binary::Min | Binary::Max, x, y) => (Compare::Less, x, y),
        _ => return None,
    })
}

/// Whether any law, motion, rate or constraint compares anything.
pub fn compares(tree: &Tree) -> bool {
    any_compares(tree, |_| true)
}

/// Whether any of these makes a comparison that time alone decides.
pub fn compares_time(tree: &Tree) -> bool {
    any_compares(tree, is_of_time)
}

fn any_compares(tree: &Tree, of: impl Fn(Kinds) -> bool) -> bool {
    let mechanism = &tree.mechanism;
    let mut roots = tree.laws.clone();
    roots.extend(mechanism.links.iter().map(|link| link.force));
    for force in &mechanism.forces {
        roots.extend(force.force.0.iter().chain(&force.torque.0));
    }
    for wheel in &mechanism.wheels {
        roots.extend(wheel.laws.iter().chain([&wheel.ground]));
    }
    roots.extend(mechanism.states.iter().map(|state| state.rate));
    roots.extend(motions(tree));
    roots.extend(mechanism.constraints.iter().map(|one| one.expression));
    let graph = &mechanism.graph;
    let compared = |expr: Expr| {
        let (_, left, right) = compared(graph.node(expr))?;
        Some(graph.kinds(left).union(graph.kinds(right)))
    };
    graph.reachable(&roots).into_iter().any(|expr| compared(expr).is_some_and(&of))
}

/// What driven joints are given.
fn motions(tree: &Tree) -> Vec<Expr> {
    let mut found = Vec::new();
    for joint in &tree.mechanism.joints {
        if let Nature::Driven { q, qd, qdd } = &joint.nature {
            found.extend(q.iter().chain(qd).chain(qdd));
        }
    }
    found
}

/// Every comparison in laws, motions, rates of states and constraints that is not decided by parameters alone.
pub fn switches(tree: &mut Tree) -> Result<Vec<Switch>, Problem> {
    let mut roots = tree.laws.clone();
    for wrench in wrenches(tree) {
        roots.extend(wrench.force.0.into_iter().chain(wrench.torque.0));
    }
    roots.extend(rates(tree)?);
    roots.extend(motions(tree));
    let constraints = &tree.mechanism.constraints;
    let given: Vec<Expr> = constraints.iter().map(|one| one.expression).collect();
    let used: Vec<Signal> = constraints.iter().flat_map(|one| one.signals.clone()).collect();
    roots.extend(at_present(tree, &given, &used, || "a constraint".to_owned())?);
    let graph = &tree.mechanism.graph;
    let all = graph.reachable(&roots).into_iter();
    let found = all.filter_map(|expr| compared(graph.node(expr)));
    let moving = |&(_, left, right): &(Compare, Expr, Expr)| {
        !graph.kinds(left).union(graph.kinds(right)).is_constant()
    };
    let found = found.filter(moving);
    Ok(found.map(|(compare, left, right)| Switch { compare, left, right }).collect())
}
