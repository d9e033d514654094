//! Mechanism to tree: fixed and locked bodies are merged into what carries them, joints with
//! several axes become elementary ones, and axes in any direction become frame axes.
//!
//! The user's frames are sacred, ours are free: a node's frame is the user's, or for a joint whose
//! axis is no frame axis that frame turned so that the axis becomes z.

use crate::choices::Choices;
use crate::transformations::Transformations;
use crate::tree::{ElementaryMotion, Tree, TreeNode};
use rotule_model::draft::JointType;
use rotule_model::mechanism::{Body, Joint, Mechanism, Placement, Role};
use rotule_symbolic::{Expr, Graph, Matrix, Vector};

/// Makes the tree of a mechanism.
pub fn normalise(mechanism: Mechanism) -> Tree {
    normalised(mechanism, true)
}

/// Makes the tree of a mechanism with bodies that are fixed to others as nodes of their own, to
/// measure the gain of merging them.
pub fn normalise_apart(mechanism: Mechanism) -> Tree {
    normalised(mechanism, false)
}

fn normalised(mechanism: Mechanism, merge: bool) -> Tree {
    let ground = TreeNode {
        name: "ground".to_owned(),
        parent: 0,
        placement: Placement::IDENTITY,
        motion: ElementaryMotion::Ground,
        offset: Expr::ZERO,
        coordinate: 0,
        speed: 0,
        armature: Expr::ZERO,
        mass: Expr::ZERO,
        com: Vector::ZERO,
        inertia: Matrix::ZERO,
    };
    let mut tree = Tree {
        nodes: vec![ground],
        bodies: vec![(0, Placement::IDENTITY)],
        q: mechanism.coordinates.iter().map(|coordinate| coordinate.symbol).collect(),
        qd: mechanism.speeds.iter().map(|speed| speed.symbol).collect(),
        qdd: mechanism.speeds.iter().map(|speed| speed.acceleration).collect(),
        laws: vec![Expr::ZERO; mechanism.speeds.len()],
        wrenches: None,
        contacts: Vec::new(),
        solves: Vec::new(),
        tangents: std::collections::BTreeMap::new(),
        choice: None,
        program_cache: None,
        transformations: Transformations::ALL,
        choices: Choices::default(),
        unit: Expr::ONE,
        marks: Vec::new(),
        mechanism,
    };
    settle(&mut tree);
    let mut parts: Vec<Vec<Part>> = vec![Vec::new()];
    for index in 0..tree.mechanism.joints.len() {
        let (body, joint) =
            (tree.mechanism.bodies[index + 1].clone(), tree.mechanism.joints[index].clone());
        let parent = body.parent.expect("only the ground has no parent").index();
        let (node, inside) = tree.bodies[parent];
        let fixed_side = inside.then(body.placement, &mut tree.mechanism.graph);
        let place = match joint.kind {
            JointType::Fixed if !merge => {
                // A joint that has no speeds, as the ground's.
                let (q, v) = (joint.coordinates.start, joint.speeds.start);
                let motion = ElementaryMotion::Ground;
                tree.nodes.push(self::node(&body, node, fixed_side, motion, q, v, Expr::ZERO));
                (tree.nodes.len() - 1, Placement::IDENTITY)
            }
            _ => joined(&mut tree, node, fixed_side, &body, &joint),
        };
        parts.resize_with(tree.nodes.len(), Vec::new);
        tree.bodies.push(place);
        if let Some(part) = part(&body, place.1, &mut tree.mechanism.graph) {
            parts[place.0].push(part);
        }
    }
    for (node, parts) in parts.iter().enumerate() {
        let (mass, com, inertia) = combined(parts, &mut tree.mechanism.graph);
        let node = &mut tree.nodes[node];
        (node.mass, node.com, node.inertia) = (mass, com, inertia);
    }
    tree
}

/// Puts what is known of locked and driven joints in the place of their symbols, everywhere.
fn settle(tree: &mut Tree) {
    for joint in &tree.mechanism.joints {
        match &joint.role {
            Role::Free => {}
            Role::Locked => {
                for at in joint.coordinates.clone() {
                    tree.q[at] = tree.mechanism.coordinates[at].initial;
                }
                for at in joint.speeds.clone() {
                    tree.qd[at] = Expr::ZERO;
                    tree.qdd[at] = Expr::ZERO;
                }
            }
            Role::Driven { q, qd, qdd } => {
                tree.q[joint.coordinates.clone()].copy_from_slice(q);
                tree.qd[joint.speeds.clone()].copy_from_slice(qd);
                tree.qdd[joint.speeds.clone()].copy_from_slice(qdd);
            }
        }
        if !joint.effort.is_empty() {
            tree.laws[joint.speeds.clone()].copy_from_slice(&joint.effort);
        }
    }
    put_known(tree);
}

/// Puts what coordinates and speeds are in the place of their symbols, in all laws. Constraints
/// keep the symbols, by which they are differentiated.
pub(crate) fn put_known(tree: &mut Tree) {
    let mechanism = &mut tree.mechanism;
    let symbols = mechanism.coordinates.iter().map(|one| one.symbol);
    let mut known: Vec<(Expr, Expr)> = symbols.zip(tree.q.iter().copied()).collect();
    known.extend(mechanism.speeds.iter().map(|one| one.symbol).zip(tree.qd.iter().copied()));
    known.retain(|(symbol, value)| symbol != value);
    if known.is_empty() {
        return;
    }
    let mut laws: Vec<&mut Expr> = tree.laws.iter_mut().collect();
    laws.extend(mechanism.line_forces.iter_mut().map(|line_force| &mut line_force.force));
    for force in &mut mechanism.forces {
        laws.extend(force.force.0.iter_mut().chain(&mut force.torque.0));
    }
    laws.extend(mechanism.wheels.iter_mut().flat_map(|wheel| &mut wheel.laws));
    let old: Vec<Expr> = laws.iter().map(|law| **law).collect();
    let new = mechanism.graph.substitute(&old, &known);
    laws.into_iter().zip(new).for_each(|(law, value)| *law = value);
}

/// Adds the nodes of a joint; gives the last, and where the body is in it.
fn joined(
    tree: &mut Tree,
    parent: usize,
    fixed_side: Placement,
    body: &Body,
    joint: &Joint,
) -> (usize, Placement) {
    let (q, v) = (joint.coordinates.start, joint.speeds.start);
    let axis = |at: usize| joint.axes[at];
    // Elementary motions in turn: the axis and the number of the coordinate.
    let steps: Vec<(Kind, Vector, usize)> = match joint.kind {
        JointType::Fixed => return (parent, fixed_side),
        JointType::Revolute => vec![(Kind::Turn, axis(0), 0)],
        JointType::Prismatic => vec![(Kind::Slide, axis(0), 0)],
        JointType::Helical => vec![(Kind::Screw, axis(0), 0)],
        JointType::Cylindrical => vec![(Kind::Slide, axis(0), 1), (Kind::Turn, axis(0), 0)],
        JointType::Universal => vec![(Kind::Turn, axis(0), 0), (Kind::Turn, axis(1), 1)],
        JointType::Planar => {
            let numbers = tree.mechanism.evaluate(&axis(0).0);
            let (first, second) = in_plane(axis(0), &numbers, &mut tree.mechanism.graph);
            vec![(Kind::Slide, first, 0), (Kind::Slide, second, 1), (Kind::Turn, axis(0), 2)]
        }
        JointType::Spherical | JointType::Free => {
            let free = joint.kind == JointType::Free;
            let motion = if free { ElementaryMotion::Free } else { ElementaryMotion::Spherical };
            let node = node(body, parent, fixed_side, motion, q, v, joint.armature);
            tree.nodes.push(node);
            return (tree.nodes.len() - 1, Placement::IDENTITY);
        }
    };
    let mut place = (parent, fixed_side);
    let last = steps.len() - 1;
    for (number, (kind, axis, at)) in steps.into_iter().enumerate() {
        let (turned, along, reversed) = gauge(axis, &mut tree.mechanism.graph);
        let gauged = Placement { position: Vector::ZERO, rotation: turned };
        let placement = place.1.then(gauged, &mut tree.mechanism.graph);
        let motion = match kind {
            Kind::Turn => ElementaryMotion::Revolute { axis: along, reversed },
            Kind::Slide => ElementaryMotion::Prismatic { axis: along, reversed },
            Kind::Screw => ElementaryMotion::Helical { axis: along, reversed, pitch: joint.pitch },
        };
        let mut node = node(body, place.0, placement, motion, q + at, v + at, joint.armature);
        if number < last {
            node.name = format!("{}_{}", node.name, number + 1);
        }
        tree.nodes.push(node);
        let back = Placement { position: Vector::ZERO, rotation: turned.transpose() };
        place = (tree.nodes.len() - 1, back);
    }
    place
}

/// Elementary motions.
enum Kind {
    Turn,
    Slide,
    Screw,
}

fn node(
    body: &Body,
    parent: usize,
    placement: Placement,
    motion: ElementaryMotion,
    coordinate: usize,
    speed: usize,
    armature: Expr,
) -> TreeNode {
    TreeNode {
        name: body.name.replace('/', "_"),
        parent,
        placement,
        motion,
        offset: Expr::ZERO,
        coordinate,
        speed,
        armature,
        mass: Expr::ZERO,
        com: Vector::ZERO,
        inertia: Matrix::ZERO,
    }
}

/// A turn of the frame after which the axis is a frame axis: the turn, that axis, and whether the
/// direction is against it.
fn gauge(axis: Vector, graph: &mut Graph) -> (Matrix, usize, bool) {
    for along in 0..3 {
        if axis == Vector::unit(along) {
            return (Matrix::IDENTITY, along, false);
        }
        if axis == -Vector::unit(along) {
            return (Matrix::IDENTITY, along, true);
        }
    }
    let across = across(axis, graph);
    let third = axis.cross(across, graph);
    let columns = [across, third, axis];
    let turned = Matrix(std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i])));
    (turned, 2, false)
}

/// A unit vector at a right angle to a unit vector; a frame axis where there is one.
fn across(axis: Vector, graph: &mut Graph) -> Vector {
    if let Some(free) = (0..3).find(|&i| axis[i] == Expr::ZERO) {
        return Vector::unit(free);
    }
    // (y, -x, 0) over its length, which is not zero because no component is.
    let squares = [graph.square(axis[0]), graph.square(axis[1])];
    let sum = graph.sum(&squares);
    let length = graph.sqrt(sum);
    let (x, y) = (graph.div(axis[0], length), graph.div(axis[1], length));
    Vector([y, -x, Expr::ZERO])
}

/// The two directions of a planar joint, as the manual says.
pub(crate) fn in_plane(normal: Vector, numbers: &[f64], graph: &mut Graph) -> (Vector, Vector) {
    for along in 0..3 {
        if normal == Vector::unit(along) || normal == -Vector::unit(along) {
            let first = Vector::unit((along + 1) % 3);
            return (first, normal.cross(first, graph));
        }
    }
    // The frame axis least aligned with the normal, by the parameters' numbers.
    let mut least = 0;
    for i in 1..3 {
        if numbers[i].abs() < numbers[least].abs() - 1e-14 {
            least = i;
        }
    }
    let unit = Vector::unit(least);
    let part = normal.scale(normal[least], graph);
    let rest = unit.sub(part, graph);
    let squares = rest.dot(rest, graph);
    let length = graph.sqrt(squares);
    let first = Vector(rest.0.map(|component| graph.div(component, length)));
    (first, normal.cross(first, graph))
}

/// Mass, centre of mass and inertia of a body in its node's frame.
struct Part {
    mass: Expr,
    com: Vector,
    inertia: Matrix,
}

fn part(body: &Body, place: Placement, graph: &mut Graph) -> Option<Part> {
    if body.mass == Expr::ZERO && body.inertia == Matrix::ZERO {
        return None;
    }
    let rotated = place.rotation.apply(body.com, graph);
    Some(Part {
        mass: body.mass,
        com: place.position.add(rotated, graph),
        inertia: place.rotation.congruent(body.inertia, graph),
    })
}

/// Several bodies as one.
fn combined(parts: &[Part], graph: &mut Graph) -> (Expr, Vector, Matrix) {
    match parts {
        [] => (Expr::ZERO, Vector::ZERO, Matrix::ZERO),
        [one] => (one.mass, one.com, one.inertia),
        several => {
            let masses: Vec<Expr> = several.iter().map(|part| part.mass).collect();
            let mass = graph.sum(&masses);
            if mass == Expr::ZERO {
                let sum = |sum: Matrix, part: &Part| sum.add(part.inertia, graph);
                return (mass, Vector::ZERO, several.iter().fold(Matrix::ZERO, sum));
            }
            let mut moment = Vector::ZERO;
            for part in several {
                let own = part.com.scale(part.mass, graph);
                moment = moment.add(own, graph);
            }
            let com = Vector(moment.0.map(|component| graph.div(component, mass)));
            let mut inertia = Matrix::ZERO;
            for part in several {
                // Huygens-Steiner: I - m tilde(d) tilde(d), with d from the common centre of mass.
                let tilde = part.com.sub(com, graph).tilde();
                let square = tilde.mul(tilde, graph).scale(part.mass, graph);
                let own = part.inertia.sub(square, graph);
                inertia = inertia.add(own, graph);
            }
            (mass, com, inertia)
        }
    }
}
