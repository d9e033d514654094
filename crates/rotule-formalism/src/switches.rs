//! Where laws switch: what `if`, `max`, `min`, `abs` and `sign` compare, and the jumps of `floor`,
//! in everything that moves a mechanism.
//!
//! An integration method sees the equations at a few points of a step. What a law does between
//! them, such as a pulse, a stop that is touched for a moment or a force that changes its sign, is
//! found by watching what is compared instead.

use crate::forces::on_nodes;
use crate::function::Call;
use crate::problem::Problem;
use crate::states::{at_present, rates};
use crate::system::{ElementLaws, MultibodySystem};
use crate::writer::{Writer, exprs};
use rotule_model::mechanism::{Mechanism, Role};
use rotule_program::lower::Target;
use rotule_symbolic::{Binary, Compare, Expr, Graph, Kind, Kinds, Node, Unary};

/// A place where a law switches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LawSwitch {
    /// The answer of a comparison.
    Compare(Compare, Expr, Expr),
    /// The whole number below.
    Floor(Expr),
}

impl LawSwitch {
    /// The expression that passes zero where the law switches.
    pub fn difference(self, graph: &mut Graph) -> Expr {
        match self {
            LawSwitch::Compare(_, left, right) => graph.sub(left, right),
            LawSwitch::Floor(x) => {
                let pi = graph.pi();
                let turns = graph.mul(pi, x);
                graph.unary(Unary::Sin, turns)
            }
        }
    }

    /// The inputs that decide it.
    pub fn kinds(self, graph: &Graph) -> Kinds {
        match self {
            LawSwitch::Compare(_, left, right) => graph.kinds(left).union(graph.kinds(right)),
            LawSwitch::Floor(x) => graph.kinds(x),
        }
    }
}

/// Returns `true` if an expression has nothing but time and parameters in it.
pub fn is_of_time(kinds: Kinds) -> bool {
    kinds.contains(Kind::Time) && kinds.iter().all(|kind| kind <= Kind::Time)
}

/// `switches`
pub fn function(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("difference", &differences(writer)?)])
}

/// The differences that laws compare, which pass zero where a law switches; those of time alone are
/// left out.
pub fn differences(writer: Writer<'_, '_>) -> Result<Vec<Expr>, Problem> {
    let found = switches(writer)?;
    writer.edit(|graph| {
        let mut found: Vec<Expr> = found.iter().map(|one| one.difference(graph).abs()).collect();
        found.retain(|&one| !is_of_time(graph.kinds(one)));
        found.sort_unstable();
        found.dedup();
        Ok(found)
    })
}

/// The switch of a node, if it is one.
pub fn switch(node: Node<'_>) -> Option<LawSwitch> {
    Some(match node {
        Node::Select(compare, operands) => LawSwitch::Compare(compare, operands[0], operands[1]),
        Node::Unary(Unary::Abs | Unary::Sign, x) => {
            LawSwitch::Compare(Compare::Less, x, Expr::ZERO)
        }
        Node::Binary(Binary::Min | Binary::Max, x, y) => LawSwitch::Compare(Compare::Less, x, y),
        Node::Unary(Unary::Floor, x) => LawSwitch::Floor(x),
        _ => return None,
    })
}

/// Returns `true` if any law, motion, rate or constraint switches anywhere.
pub fn compares(tree: &MultibodySystem) -> bool {
    any_switch(tree, |switch, graph| !switch.kinds(graph).is_constant())
}

/// Returns `true` if any of these has the whole number below something that moves.
pub fn has_moving_floor(tree: &MultibodySystem) -> bool {
    any_switch(tree, |switch, graph| {
        let kinds = switch.kinds(graph);
        matches!(switch, LawSwitch::Floor(_)) && !kinds.is_constant() && !is_of_time(kinds)
    })
}

fn any_switch(tree: &MultibodySystem, is_searched: impl Fn(LawSwitch, &Graph) -> bool) -> bool {
    let MultibodySystem { mechanism, motion, .. } = tree;
    let ElementLaws { line_forces, forces, wheels } = &motion.elements;
    let mut roots = motion.laws.as_slice().to_vec();
    roots.extend(line_forces);
    roots.extend(forces.iter().flatten().flat_map(|force| force.0));
    for (wheel, laws) in mechanism.wheels.iter().zip(wheels) {
        roots.extend(laws.iter().chain([&wheel.ground]));
    }
    roots.extend(mechanism.states.iter().map(|state| state.rate));
    roots.extend(motions(mechanism));
    roots.extend(mechanism.constraints.iter().map(|one| one.expression));
    let graph = &mechanism.graph;
    let found = |expr: Expr| switch(graph.node(expr)).is_some_and(|one| is_searched(one, graph));
    graph.reachable(&roots).into_iter().any(found)
}

/// The prescribed motions of driven joints.
fn motions(mechanism: &Mechanism) -> Vec<Expr> {
    let mut found = Vec::new();
    for joint in &mechanism.joints {
        if let Role::Driven { q, qd, qdd } = &joint.role {
            found.extend(q.iter().chain(qd).chain(qdd));
        }
    }
    found
}

/// Every comparison in laws, motions, rates of states and constraints that is not decided by
/// parameters alone.
pub fn switches(writer: Writer<'_, '_>) -> Result<Vec<LawSwitch>, Problem> {
    let mut roots = exprs(&writer.laws());
    for wrench in on_nodes(writer) {
        roots.extend(wrench.force.0.into_iter().chain(wrench.torque.0));
    }
    roots.extend(rates(writer));
    roots.extend(motions(writer.mechanism));
    let constraints = &writer.mechanism.constraints;
    let given: Vec<Expr> = constraints.iter().map(|one| one.expression).collect();
    roots.extend(at_present(writer, &given));
    Ok(writer.read(|graph| {
        let all = graph.reachable(&roots).into_iter();
        let found = all.filter_map(|expr| switch(graph.node(expr)));
        found.filter(|switch| !switch.kinds(graph).is_constant()).collect()
    }))
}
