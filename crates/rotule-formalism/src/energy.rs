//! Centre of mass, momentum, energies and power.
//!
//! Two recursions serve them all. From the tips to the ground, the moment of mass `h` of a node and
//! all it carries, with its derivative as seen from the node, both in the node's axes (`mu` is the
//! mass, `z` the joint's displacement):
//!
//! ```text
//! h_h  += mu d + R (h + mu z)          hd_h += R (hd + W x h + mu V)
//! ```
//!
//! so that the ground's `h / mu` is the centre of mass and `-g . h` the gravitational potential
//! energy. From the ground to the tips, velocities in the node's axes, as in the Newton-Euler
//! recursion:
//!
//! ```text
//! w = R^T w_h + W                      v = R^T (v_h + w_h x d) + V
//! ```
//!
//! Bodies that are fixed to the ground have their part in the centre of mass and the potential
//! energy.

use crate::forces;
use crate::function::Call;
use crate::problem::Problem;
use crate::tree::{Tree, Wrench};
use rotule_model::mechanism::Placement;
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Vector};

/// `com`
pub fn com(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let all = moment(tree, Rates::Without);
    let com = per_mass(tree, "com", &all, all.moment)?;
    Ok(vec![Target::vector("com", &com.0)])
}

/// `com_velocity`
pub fn com_velocity(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let all = moment(tree, Rates::With);
    let velocity = per_mass(tree, "com_velocity", &all, all.rate)?;
    Ok(vec![Target::vector("com_velocity", &velocity.0)])
}

/// `momentum`
pub fn momentum(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let (linear, about_origin) = momenta(tree);
    let all = moment(tree, Rates::Without);
    // Without mass there is no momentum, and the angular momentum is the same about every point.
    let angular = if all.mass == Expr::ZERO {
        about_origin
    } else {
        let com = per_mass(tree, "momentum", &all, all.moment)?;
        let graph = &mut tree.mechanism.graph;
        let lever = com.cross(linear, graph);
        about_origin.sub(lever, graph)
    };
    Ok(vec![Target::vector("linear", &linear.0), Target::vector("angular", &angular.0)])
}

/// `kinetic_energy`
pub fn kinetic(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let twists = twists(tree);
    let mut terms = Vec::new();
    for (node, twist) in twists.iter().enumerate().skip(1) {
        let own = &tree.nodes[node];
        let (mass, inertia, armature) = (own.mass, own.inertia, own.armature);
        let speeds = own.speed..own.speed + own.motion.speeds();
        let graph = &mut tree.mechanism.graph;
        let squares = twist.at_com.dot(twist.at_com, graph);
        let spin = inertia.apply(twist.angular, graph);
        terms.push(graph.mul(mass, squares));
        terms.push(twist.angular.dot(spin, graph));
        for &speed in &tree.qd[speeds] {
            let square = graph.square(speed);
            terms.push(graph.mul(armature, square));
        }
    }
    let graph = &mut tree.mechanism.graph;
    let (sum, two) = (graph.sum(&terms), graph.number(2));
    Ok(vec![Target::scalar("kinetic_energy", graph.div(sum, two))])
}

/// `potential_energy`
pub fn potential(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let all = moment(tree, Rates::Without);
    let energy = -tree.mechanism.gravity.dot(all.moment, &mut tree.mechanism.graph);
    Ok(vec![Target::scalar("potential_energy", energy)])
}

/// `power`: of the efforts that are given, of the joint laws, and of line forces, wheels and
/// forces. Weights are not in it, nor is what a drive needs beyond the effort given for its joint.
pub fn power(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let wrenches = forces::wrenches(tree);
    let twists = twists(tree);
    let graph = &mut tree.mechanism.graph;
    let mut terms = Vec::new();
    for (at, &speed) in tree.qd.iter().enumerate() {
        let effort = graph.add(tree.mechanism.speeds[at].effort, tree.laws[at]);
        terms.push(graph.mul(effort, speed));
    }
    for (wrench, twist) in wrenches.iter().zip(&twists) {
        if *wrench != Wrench::ZERO {
            terms.push(wrench.force.dot(twist.linear, graph));
            terms.push(wrench.torque.dot(twist.angular, graph));
        }
    }
    Ok(vec![Target::scalar("power", graph.sum(&terms))])
}

/// The request for derivatives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rates {
    Without,
    With,
}

/// Mass, moment of mass and the latter's derivative.
#[derive(Clone, Copy)]
struct Moment {
    mass: Expr,
    moment: Vector,
    rate: Vector,
}

/// A moment over the total mass.
fn per_mass(
    tree: &mut Tree,
    function: &str,
    all: &Moment,
    moment: Vector,
) -> Result<Vector, Problem> {
    if all.mass == Expr::ZERO {
        return Err(Problem::new(
            format!("`{function}` needs a centre of mass, and no body of the model has a mass"),
            "give a body a `mass`",
        ));
    }
    let graph = &mut tree.mechanism.graph;
    Ok(Vector(moment.0.map(|component| graph.div(component, all.mass))))
}

/// Of the whole mechanism, in the ground's axes and about its origin.
fn moment(tree: &mut Tree, rates: Rates) -> Moment {
    let mut sums: Vec<Moment> = Vec::with_capacity(tree.nodes.len());
    for node in &tree.nodes {
        let moment = node.com.scale(node.mass, &mut tree.mechanism.graph);
        sums.push(Moment { mass: node.mass, moment, rate: Vector::ZERO });
    }
    for node in (1..tree.nodes.len()).rev() {
        let name = tree.nodes[node].name.clone();
        let (turn, slide) = tree.displacement(node);
        let Placement { position, rotation } = tree.nodes[node].placement;
        let mut own = sums[node];
        let graph = &mut tree.mechanism.graph;
        own.mass = graph.name(&format!("mu[{name}]"), own.mass);
        own.moment = own.moment.name(&format!("h[{name}]"), graph);
        let parent = &mut sums[tree.nodes[node].parent];
        parent.mass = graph.add(parent.mass, own.mass);
        let turned = turn.apply(own.moment, graph);
        let along = slide.scale(own.mass, graph);
        let side = turned.add(along, graph).name(&format!("h[{name},fixed]"), graph);
        let parts = [parent.moment, rotation.apply(side, graph), position.scale(own.mass, graph)];
        parent.moment = Vector::sum(&parts, graph);
        if rates == Rates::With {
            let speed = tree.nodes[node].speed;
            let speeds = tree.qd[speed..speed + tree.nodes[node].motion.speeds()].to_vec();
            let (angular, linear) = tree.rates(node, &speeds);
            let graph = &mut tree.mechanism.graph;
            let parts = [own.rate, angular.cross(own.moment, graph), linear.scale(own.mass, graph)];
            let rate = Vector::sum(&parts, graph).name(&format!("hd[{name}]"), graph);
            let side = turn.apply(rate, graph).name(&format!("hd[{name},fixed]"), graph);
            let turned = rotation.apply(side, graph);
            let parent = &mut sums[tree.nodes[node].parent];
            parent.rate = parent.rate.add(turned, graph);
        }
    }
    sums[0]
}

/// Velocities of a node in its own axes: angular, of its origin and of its centre of mass.
#[derive(Clone, Copy)]
struct Twist {
    angular: Vector,
    linear: Vector,
    at_com: Vector,
}

fn twists(tree: &mut Tree) -> Vec<Twist> {
    let rest = Twist { angular: Vector::ZERO, linear: Vector::ZERO, at_com: Vector::ZERO };
    let mut twists = vec![rest];
    for node in 1..tree.nodes.len() {
        let name = tree.nodes[node].name.clone();
        let parent = twists[tree.nodes[node].parent];
        let placed = tree.placed(node);
        let speed = tree.nodes[node].speed;
        let speeds = tree.qd[speed..speed + tree.nodes[node].motion.speeds()].to_vec();
        let (own_angular, own_linear) = tree.rates(node, &speeds);
        let com = tree.nodes[node].com;
        let graph = &mut tree.mechanism.graph;
        let back = placed.rotation.transpose();
        let carried = back.apply(parent.angular, graph);
        let angular = carried.add(own_angular, graph).name(&format!("w[{name}]"), graph);
        let lever = parent.angular.cross(placed.position, graph);
        let at_joint = parent.linear.add(lever, graph);
        let carried = back.apply(at_joint, graph);
        let linear = carried.add(own_linear, graph).name(&format!("v[{name}]"), graph);
        let lever = angular.cross(com, graph);
        let at_com = linear.add(lever, graph).name(&format!("vc[{name}]"), graph);
        twists.push(Twist { angular, linear, at_com });
    }
    twists
}

/// Momentum, and angular momentum about the ground's origin, in the ground's axes.
fn momenta(tree: &mut Tree) -> (Vector, Vector) {
    let twists = twists(tree);
    let mut sums = vec![(Vector::ZERO, Vector::ZERO); tree.nodes.len()];
    for node in (1..tree.nodes.len()).rev() {
        let placed = tree.placed(node);
        let own = &tree.nodes[node];
        let graph = &mut tree.mechanism.graph;
        let momentum = twists[node].at_com.scale(own.mass, graph);
        let linear = sums[node].0.add(momentum, graph).name(&format!("Pl[{}]", own.name), graph);
        let parts = [
            sums[node].1,
            own.inertia.apply(twists[node].angular, graph),
            own.com.cross(momentum, graph),
        ];
        let angular = Vector::sum(&parts, graph).name(&format!("H[{}]", own.name), graph);
        let linear = placed.rotation.apply(linear, graph);
        let turned = placed.rotation.apply(angular, graph);
        let lever = placed.position.cross(linear, graph);
        let sum = &mut sums[own.parent];
        *sum = (sum.0.add(linear, graph), Vector::sum(&[sum.1, turned, lever], graph));
    }
    sums[0]
}
