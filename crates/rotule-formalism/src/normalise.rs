//! Mechanism to tree: fixed and locked bodies are merged into what carries them, joints with
//! several axes become elementary ones, and axes in any direction become frame axes.
//!
//! The user's frames are sacred, ours are free: a node's frame is the user's, or for a joint whose
//! axis is no frame axis that frame rotated so that the axis becomes z.

use crate::system::{ElementLaws, MotionInput, MultibodySystem, Strategy};
use crate::tree::{ByNode, ElementaryMotion, NodeId, NodePlacement, Tree, TreeNode};
use rotule_model::index::{BySpeed, CoordinateId, SpeedId, ids};
use rotule_model::joint::JointDirection::{self, Across, Axis};
use rotule_model::joint::JointMotion;
use rotule_model::mechanism::{Body, Joint, Mechanism, Placement, Role};
use rotule_symbolic::{Expr, Graph, Matrix, Vector};
use std::collections::BTreeMap;

/// Makes the tree of a mechanism.
pub fn normalise(mechanism: Mechanism) -> MultibodySystem {
    normalised(mechanism, true)
}

/// Makes the tree of a mechanism with bodies that are fixed to others as nodes of their own, to
/// measure the gain of merging them.
pub fn normalise_apart(mechanism: Mechanism) -> MultibodySystem {
    normalised(mechanism, false)
}

fn normalised(mechanism: Mechanism, merge: bool) -> MultibodySystem {
    let ground = TreeNode {
        name: "ground".to_owned(),
        parent: NodeId::GROUND,
        placement: NodePlacement::Constant(Placement::IDENTITY),
        motion: ElementaryMotion::Ground,
        offset: Expr::ZERO,
        coordinate: CoordinateId::new(0),
        speed: SpeedId::new(0),
        armature: Expr::ZERO,
        mass: Expr::ZERO,
        com: Vector::ZERO,
        inertia: Matrix::ZERO,
    };
    let mut tree = MultibodySystem {
        tree: Tree {
            nodes: ByNode::from(vec![ground]),
            bodies: vec![(NodeId::GROUND, Placement::IDENTITY)].into(),
            unit: Expr::ONE,
        },
        motion: MotionInput {
            q: mechanism.coordinates.iter().map(|coordinate| coordinate.symbol).collect(),
            qd: mechanism.speeds.iter().map(|speed| speed.symbol).collect(),
            qdd: mechanism.speeds.iter().map(|speed| speed.acceleration).collect(),
            laws: BySpeed::filled(Expr::ZERO, mechanism.speeds.len()),
            elements: ElementLaws {
                line_forces: mechanism.line_forces.iter().map(|one| one.force).collect(),
                forces: mechanism.forces.iter().map(|one| [one.force, one.torque]).collect(),
                wheels: mechanism.wheels.iter().map(|wheel| wheel.laws).collect(),
            },
            gravity: mechanism.gravity,
        },
        strategy: Strategy::default(),
        program_cache: None,
        mechanism,
    };
    settle(&mut tree);
    let mut parts: BTreeMap<NodeId, Vec<Part>> = BTreeMap::new();
    for index in 0..tree.mechanism.joints.len() {
        let (body, joint) =
            (tree.mechanism.bodies[index + 1].clone(), tree.mechanism.joints[index].clone());
        let parent = body.parent.expect("only the ground has no parent");
        let (node, inside) = tree.tree.bodies[parent];
        let fixed_side = inside.then(body.placement, &mut tree.mechanism.graph);
        let place = match joint.kind.motions() {
            [] if !merge => {
                // A joint that has no speeds, as the ground's.
                let (q, v) = first(&joint);
                let motion = ElementaryMotion::Ground;
                let node = self::node(&body, node, fixed_side, motion, q, v, Expr::ZERO);
                (tree.tree.nodes.push(node), Placement::IDENTITY)
            }
            _ => joined(&mut tree, node, fixed_side, &body, &joint),
        };
        tree.tree.bodies.push(place);
        if let Some(part) = part(&body, place.1, &mut tree.mechanism.graph) {
            parts.entry(place.0).or_default().push(part);
        }
    }
    for node in tree.tree.nodes.ids() {
        let parts = parts.get(&node).map_or(&[][..], Vec::as_slice);
        let (mass, com, inertia) = combined(parts, &mut tree.mechanism.graph);
        let node = &mut tree.tree.nodes[node];
        (node.mass, node.com, node.inertia) = (mass, com, inertia);
    }
    tree
}

/// Puts what is known of locked and driven joints in the place of their symbols, everywhere.
fn settle(tree: &mut MultibodySystem) {
    for joint in &tree.mechanism.joints {
        match &joint.role {
            Role::Free => {}
            Role::Locked => {
                for at in ids(joint.coordinates.clone()) {
                    tree.motion.q[at] = tree.mechanism.coordinates[at.index()].initial;
                }
                for at in ids(joint.speeds.clone()) {
                    (tree.motion.qd[at], tree.motion.qdd[at]) = (Expr::ZERO, Expr::ZERO);
                }
            }
            Role::Driven { q, qd, qdd } => {
                let MotionInput { q: all_q, qd: all_qd, qdd: all_qdd, .. } = &mut tree.motion;
                all_q.as_mut_slice()[joint.coordinates.clone()].copy_from_slice(q);
                all_qd.as_mut_slice()[joint.speeds.clone()].copy_from_slice(qd);
                all_qdd.as_mut_slice()[joint.speeds.clone()].copy_from_slice(qdd);
            }
        }
        if !joint.effort.is_empty() {
            let laws = tree.motion.laws.as_mut_slice();
            laws[joint.speeds.clone()].copy_from_slice(&joint.effort);
        }
    }
    let MultibodySystem { mechanism, motion, .. } = tree;
    let known = motion.known(mechanism);
    motion.put_into_laws(&known, |laws, known| mechanism.graph.substitute(laws, known));
    let ElementLaws { line_forces, forces, wheels } = &motion.elements;
    for (one, &law) in mechanism.line_forces.iter_mut().zip(line_forces) {
        one.force = law;
    }
    for (one, &[force, torque]) in mechanism.forces.iter_mut().zip(forces) {
        (one.force, one.torque) = (force, torque);
    }
    for (one, &laws) in mechanism.wheels.iter_mut().zip(wheels) {
        one.laws = laws;
    }
}

impl MotionInput {
    /// Coordinates and speeds that are not their symbols: pairs of symbol and value.
    pub(crate) fn known(&self, mechanism: &Mechanism) -> Vec<(Expr, Expr)> {
        let symbols = mechanism.coordinates.iter().map(|one| one.symbol);
        let mut known: Vec<(Expr, Expr)> = symbols.zip(self.q.iter().copied()).collect();
        known.extend(mechanism.speeds.iter().map(|one| one.symbol).zip(self.qd.iter().copied()));
        known.retain(|(symbol, value)| symbol != value);
        known
    }

    /// Puts what coordinates and speeds are in the place of their symbols, in all laws. Constraints
    /// keep the symbols, by which they are differentiated.
    pub(crate) fn put_into_laws(
        &mut self,
        known: &[(Expr, Expr)],
        substitute: impl FnOnce(&[Expr], &[(Expr, Expr)]) -> Vec<Expr>,
    ) {
        if known.is_empty() {
            return;
        }
        let mut laws: Vec<&mut Expr> = self.laws.iter_mut().collect();
        let ElementLaws { line_forces, forces, wheels } = &mut self.elements;
        laws.extend(line_forces);
        laws.extend(forces.iter_mut().flatten().flat_map(|force| &mut force.0));
        laws.extend(wheels.iter_mut().flatten());
        let old: Vec<Expr> = laws.iter().map(|law| **law).collect();
        let new = substitute(&old, known);
        laws.into_iter().zip(new).for_each(|(law, value)| *law = value);
    }
}

/// The first coordinate and the first speed of a joint.
fn first(joint: &Joint) -> (CoordinateId, SpeedId) {
    (CoordinateId::new(joint.coordinates.start), SpeedId::new(joint.speeds.start))
}

/// Adds the nodes of a joint; gives the last, and where the body is in it.
fn joined(
    tree: &mut MultibodySystem,
    parent: NodeId,
    fixed_side: Placement,
    body: &Body,
    joint: &Joint,
) -> (NodeId, Placement) {
    let (q, v) = first(joint);
    let motions = joint.kind.motions();
    // Directions across an axis are found by its numbers.
    let across = motions.iter().any(|motion| matches!(motion.direction(), Some(Across(_))));
    let in_plane = across.then(|| {
        let numbers = tree.mechanism.evaluate(&joint.axes[0].0);
        let (first, second) = in_plane(joint.axes[0], &numbers, &mut tree.mechanism.graph);
        [first, second]
    });
    let direction = |direction: JointDirection| match direction {
        Axis(at) => joint.axes[at],
        Across(at) => in_plane.expect("a direction is across")[at],
    };
    let mut place = (parent, fixed_side);
    for (number, motion) in motions.iter().enumerate() {
        let at = motion.coordinate();
        let elementary = |axis: usize, reversed: bool| match motion {
            JointMotion::Rotation(..) => ElementaryMotion::Revolute { axis, reversed },
            JointMotion::Translation(..) => ElementaryMotion::Prismatic { axis, reversed },
            JointMotion::Screw(..) => {
                ElementaryMotion::Helical { axis, reversed, pitch: joint.pitch }
            }
            JointMotion::Spherical => ElementaryMotion::Spherical,
            JointMotion::Free => ElementaryMotion::Free,
        };
        let Some(own) = motion.direction() else {
            let motion = elementary(0, false);
            let node =
                node(body, place.0, place.1, motion, q.after(at), v.after(at), joint.armature);
            return (tree.tree.nodes.push(node), Placement::IDENTITY);
        };
        let (turned, axis, reversed) = gauge(direction(own), &mut tree.mechanism.graph);
        let gauged = Placement { position: Vector::ZERO, rotation: turned };
        let placement = place.1.then(gauged, &mut tree.mechanism.graph);
        let motion = elementary(axis, reversed);
        let mut node =
            node(body, place.0, placement, motion, q.after(at), v.after(at), joint.armature);
        if number + 1 < motions.len() {
            node.name = format!("{}_{}", node.name, number + 1);
        }
        let back = Placement { position: Vector::ZERO, rotation: turned.transpose() };
        place = (tree.tree.nodes.push(node), back);
    }
    place
}

fn node(
    body: &Body,
    parent: NodeId,
    placement: Placement,
    motion: ElementaryMotion,
    coordinate: CoordinateId,
    speed: SpeedId,
    armature: Expr,
) -> TreeNode {
    TreeNode {
        name: body.name.replace('/', "_"),
        parent,
        placement: NodePlacement::Constant(placement),
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
