//! Line forces, wheels and forces at places, as wrenches on nodes and as efforts on coordinates.
//!
//! Every element gives forces on nodes, about the node's origin and in its axes. They are summed
//! per node once, and recursions subtract them from what the inertia needs. As efforts on the
//! coordinates they are `J^T F`, written by the backward pass alone:
//!
//! ```text
//! F = F_ext + sum R_j F_j         L = L_ext + sum (R_j L_j + d_j x R_j F_j)         Q = projections of F and L
//! ```

mod ground;
mod line_forces;
mod places;
mod wheels;

use crate::constraint::reactions;
use crate::function::{Argument, Call};
use crate::kinematics::outward::{Frames, Level};
use crate::problem::Problem;
use crate::tree::{Tree, Wrench};
use rotule_model::mechanism::Placement;
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Vector};
use std::collections::BTreeMap;
pub(crate) use wheels::{Contact, Touch, touch};

/// `forces`: line forces, wheels and forces at places as efforts on the coordinates.
pub fn forces(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let wrenches = wrenches(tree);
    Ok(vec![Target::vector("effort", &efforts(tree, &wrenches))])
}

/// `line_force`: its length, the rate of it, and its force.
pub fn line_force(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let Some(Argument::LineForce(index)) = call.arguments.first() else {
        return Err(missing("line_force"));
    };
    let line = line_forces::line(tree, &mut References::default(), *index);
    Ok(vec![
        Target::scalar("length", line.length),
        Target::scalar("rate", line.rate),
        Target::scalar("force", line.force),
    ])
}

/// `wheel`: its contact with the ground.
pub fn wheel(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let Some(Argument::Wheel(index)) = call.arguments.first() else {
        return Err(missing("wheel"));
    };
    // The ground holds a rolling wheel with the forces of its constraints, and with no moment.
    let held = reactions::of_rolling(tree, call.formalism, *index)?;
    let contact = wheels::contact(tree, &mut References::default(), *index);
    let force = held.unwrap_or(contact.force);
    let scalars = [
        ("depth", contact.depth),
        ("depth_rate", contact.depth_rate),
        ("camber", contact.camber),
        ("slip", contact.slip),
        ("side_slip", contact.side_slip),
        ("spin", contact.spin),
        ("speed", contact.speed),
    ];
    let mut targets: Vec<Target> =
        scalars.into_iter().map(|(name, value)| Target::scalar(name, value)).collect();
    targets.push(Target::vector("force", &force.0));
    targets.push(Target::vector("torque", &contact.torque.0));
    targets.push(Target::vector("point", &contact.point.0));
    Ok(targets)
}

/// The table of functions gives each row the arguments it takes.
fn missing(what: &str) -> Problem {
    Problem::new(format!("a {what} is missing"), format!("write {what}(NAME)"))
}

/// The external forces and torques on every node, written once.
pub fn wrenches(tree: &mut Tree) -> Vec<Wrench> {
    if let Some(known) = &tree.wrenches {
        return known.clone();
    }
    let mut sums = vec![Wrench::ZERO; tree.nodes.len()];
    let mut references = References::default();
    for index in 0..tree.mechanism.line_forces.len() {
        line_forces::apply(tree, &mut references, index, &mut sums);
    }
    for index in 0..tree.mechanism.forces.len() {
        places::apply(tree, &mut references, index, &mut sums);
    }
    for index in 0..tree.mechanism.wheels.len() {
        wheels::apply(tree, &mut references, index, &mut sums);
    }
    tree.wrenches = Some(sums.clone());
    sums
}

/// The external forces and torques on every body, about the origin of its node and in the node's
/// axes. Of elements that act between bodies which are fixed to each other, or to the ground,
/// nothing is known: they are none of the equations of motion.
pub(crate) fn on_bodies(tree: &mut Tree) -> Vec<Wrench> {
    let mut bodies = vec![Wrench::ZERO; tree.bodies.len()];
    let mut sums = vec![Wrench::ZERO; tree.nodes.len()];
    let mut references = References::default();
    let mut gather = |tree: &mut Tree, body: usize, sums: &mut [Wrench]| {
        let own = std::mem::replace(&mut sums[tree.bodies[body].0], Wrench::ZERO);
        add(&mut bodies[body], own.force, own.torque, tree);
    };
    for index in 0..tree.mechanism.line_forces.len() {
        line_forces::apply(tree, &mut references, index, &mut sums);
        let ends = tree.mechanism.line_forces[index].ends;
        ends.iter().for_each(|end| gather(tree, end.body.index(), &mut sums));
    }
    for index in 0..tree.mechanism.forces.len() {
        places::apply(tree, &mut references, index, &mut sums);
        gather(tree, tree.mechanism.forces[index].at.body.index(), &mut sums);
    }
    for index in 0..tree.mechanism.wheels.len() {
        wheels::apply(tree, &mut references, index, &mut sums);
        gather(tree, tree.mechanism.wheels[index].body.index(), &mut sums);
    }
    bodies
}

/// The efforts on the coordinates of wrenches on nodes.
pub(crate) fn efforts(tree: &mut Tree, wrenches: &[Wrench]) -> Vec<Expr> {
    let mut efforts = vec![Expr::ZERO; tree.speeds()];
    let mut sums = wrenches.to_vec();
    for node in (1..tree.nodes.len()).rev() {
        let own = sums[node];
        if own == Wrench::ZERO {
            continue;
        }
        let name = tree.nodes[node].name.clone();
        let graph = &mut tree.mechanism.graph;
        let force = own.force.name(&format!("Fx[{name}]"), graph);
        let torque = own.torque.name(&format!("Lx[{name}]"), graph);
        let speed = tree.nodes[node].speed;
        for (at, effort) in tree.project(node, force, torque).into_iter().enumerate() {
            efforts[speed + at] = effort;
        }
        let parent = tree.nodes[node].parent;
        if parent == 0 {
            continue;
        }
        let Placement { position, rotation } = tree.placed(node);
        let graph = &mut tree.mechanism.graph;
        let carried = Wrench { force, torque }.carried(rotation, position, graph);
        sums[parent] = sums[parent].add(carried, graph);
    }
    efforts
}

/// Adds a force and a torque to a node's.
fn add(sum: &mut Wrench, force: Vector, torque: Vector, tree: &mut Tree) {
    let graph = &mut tree.mechanism.graph;
    sum.force = sum.force.add(force, graph);
    sum.torque = sum.torque.add(torque, graph);
}

/// Kinematics relative to nodes, each reference once: elements share what they have in common.
#[derive(Default)]
struct References(BTreeMap<usize, Frames>);

impl References {
    /// Kinematics relative to a node.
    fn to(&mut self, tree: &mut Tree, node: usize) -> &mut Frames {
        self.0
            .entry(node)
            .or_insert_with(|| Frames::new(tree, node, Placement::IDENTITY, Level::Velocity))
    }
}
