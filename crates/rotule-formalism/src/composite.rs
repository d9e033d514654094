//! Composite bodies: what everything beyond a joint is, seen as one body, and how it answers to
//! small motions of joints. The Coriolis matrix and the derivatives of inverse dynamics are
//! projections of it.
//!
//! A column `S` is the twist (angular, linear) of one speed in the axes of its node. Seen from a
//! body beyond the joint, a unit of the coordinate changes the velocity field by `P` and the
//! acceleration field by `A` beyond what the body's own turning does, with the parent's motion
//! taken at the node:
//!
//! ```text
//! P = v x S            angular  w x s                    linear  w x l + u x s
//! A                    angular  beta s                   linear  beta l + alpha x s + 2 u x (w x s)
//! ```
//!
//! `u` is the velocity of the node's origin. A unit of the speed changes them by `S` and `P + D`,
//! where `D` is `v x S` with the node's own motion. For joints of one degree of freedom `P = D`. A
//! particle at `r` with velocity `c` then takes the force of the field `A`, and `2 s x c` of the
//! field `P` (or `S`) with angular part `s`. Summed over all particles beyond the joint, with `p =
//! sum m c` and `X = sum m c r^T`:
//!
//! ```text
//! force    m A_l - h x A_a      + 2 s x p
//! torque   J A_a + h x A_l      + 2 (tr(X) s - X s)
//! ```
//!
//! Mass `m`, first moment `h`, inertia `J` about the origin, `p` and `X` of composite bodies add up
//! from the leaves. The matrix of the second column is the one of Echeandia and Wensing ("Numerical
//! methods to compute the Coriolis matrix and Christoffel symbols for rigid-body systems", 2021),
//! brought to the form of particles, in which it has twelve entries instead of 36. The recursion is
//! that of Carpentier and Mansard ("Analytical derivatives of rigid body dynamics algorithms",
//! 2018) in the axes of the bodies. What a joint passes on turns with it: that gives the further
//! term `S x* f` in the efforts of ancestors.

use crate::barycentric::{self, Purpose};
use crate::formalism::Formalism;
use crate::forward::{Solid, solids};
use crate::outward::{Kinematics, euler, outward};
use crate::parts::Given;
use crate::tree::{ElementaryMotion, Tree, Wrench};
use rotule_model::mechanism::Placement;
use rotule_symbolic::{Expr, Graph, Matrix, Number, Vector};

/// An angular and a linear part.
#[derive(Clone, Copy)]
struct Twist {
    angular: Vector,
    linear: Vector,
}

/// Entries of a matrix: row, column, value.
pub(crate) type Entries = Vec<(usize, usize, Expr)>;

/// The matrix to write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Inverse dynamics by the coordinates, along the speeds.
    Coordinates,
    /// Inverse dynamics by the speeds.
    Speeds,
    /// The Coriolis matrix.
    Coriolis,
}

/// The changes that a unit of one coordinate or speed makes beyond its joint.
#[derive(Clone, Copy)]
struct Column {
    speed: usize,
    /// `S`
    own: Twist,
    /// The change of velocity, angular part: `P` by a coordinate, `S` by a speed.
    turning: Vector,
    /// The change of acceleration: `A` by a coordinate, `P + D` by a speed, and `D` for the
    /// Coriolis matrix.
    acceleration: Twist,
}

/// Everything beyond a joint as one body.
#[derive(Clone, Copy)]
struct Composite {
    mass: Expr,
    moment: Vector,
    inertia: Matrix,
    /// `p` and `X`, both twice but for the Coriolis matrix.
    momentum: Vector,
    spread: Matrix,
}

/// Wrenches that a column's composite body hands on to its ancestors, in the axes of one of them.
#[derive(Clone, Copy)]
struct Carried {
    /// Wrench of a unit of acceleration.
    inertial: Wrench,
    /// The effect of an ancestor's change `P` or `S` on the column's effort.
    gyroscopic: Vector,
    /// Wrench of the change that is looked at.
    moved: Wrench,
}

/// Writes the wanted matrix: entries that are not zero, by rows. External forces count as fixed to
/// their nodes, as far as they are given. The barycentric formalism runs on bodies with the fewest
/// parameters.
pub(crate) fn matrix(
    tree: &mut Tree,
    given: &Given,
    wanted: Wanted,
    formalism: Formalism,
) -> Entries {
    let mut entries = if formalism == Formalism::NewtonEuler {
        let solids: Vec<Solid> = (0..tree.nodes.len()).map(|node| solid(tree, node)).collect();
        write(tree, given, &given.wrenches, &solids, wanted)
    } else {
        barycentric::gauged(tree, given.wrenches.clone(), Purpose::Derivatives, |tree, wrenches| {
            let solids = solids(tree, false);
            write(tree, given, wrenches, &solids, wanted)
        })
    };
    entries.retain(|entry| entry.2 != Expr::ZERO);
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

fn write(
    tree: &mut Tree,
    given: &Given,
    wrenches: &[Wrench],
    solids: &[Solid],
    wanted: Wanted,
) -> Entries {
    let kinematics = outward(tree, &given.qd, &given.qdd, given.gravity);
    let velocities = velocities(tree, given, &kinematics);
    let transmitted = if wanted == Wanted::Coordinates {
        transmitted(tree, solids, &kinematics, wrenches)
    } else {
        vec![Wrench::ZERO; tree.nodes.len()]
    };
    let mut columns: Vec<Vec<Column>> = Vec::with_capacity(tree.nodes.len());
    let mut bodies = Vec::with_capacity(tree.nodes.len());
    for node in 0..tree.nodes.len() {
        columns.push(own_columns(tree, node, &kinematics, &velocities, wanted));
        bodies.push(body(tree, node, solids[node], kinematics[node].w, velocities[node], wanted));
    }
    let mut entries = Vec::new();
    for node in (1..tree.nodes.len()).rev() {
        let composite = named(tree, node, bodies[node]);
        let parent = tree.nodes[node].parent;
        if parent != 0 {
            let passed = pass(tree, node, composite, &kinematics[node]);
            bodies[parent] = plus(bodies[parent], passed, &mut tree.mechanism.graph);
        }
        for column in &columns[node] {
            let graph = &mut tree.mechanism.graph;
            let mut carried = answer(&composite, column, graph);
            for row in &columns[node] {
                let value = project(row.own, carried.moved, graph);
                entries.push((row.speed, column.speed, value));
            }
            let turned = turn_wrench(column.own, transmitted[node], graph);
            carried.moved = carried.moved.add(turned, graph);
            let mut below = node;
            while tree.nodes[below].parent != 0 {
                let ancestor = tree.nodes[below].parent;
                carried = carry(tree, below, column.speed, &carried, &kinematics[below]);
                let graph = &mut tree.mechanism.graph;
                for other in &columns[ancestor] {
                    let value = project(other.own, carried.moved, graph);
                    entries.push((other.speed, column.speed, value));
                    let inertial = project(other.acceleration, carried.inertial, graph);
                    let turning = carried.gyroscopic.dot(other.turning, graph);
                    entries.push((column.speed, other.speed, graph.add(inertial, turning)));
                }
                below = ancestor;
            }
        }
    }
    entries
}

/// The velocity of every node's origin, in its axes.
fn velocities(tree: &mut Tree, given: &Given, kinematics: &[Kinematics]) -> Vec<Vector> {
    let mut velocities = vec![Vector::ZERO];
    for node in 1..tree.nodes.len() {
        let speed = tree.nodes[node].speed;
        let (_, relative) = tree.rates(node, &given.qd[speed..]);
        let carried = carried_velocity(tree, node, kinematics, &velocities);
        let name = format!("v[{}]", tree.nodes[node].name);
        let graph = &mut tree.mechanism.graph;
        velocities.push(carried.add(relative, graph).name(&name, graph));
    }
    velocities
}

/// The velocity that a node's origin has from its parent's motion, in the node's axes.
fn carried_velocity(
    tree: &mut Tree,
    node: usize,
    kinematics: &[Kinematics],
    velocities: &[Vector],
) -> Vector {
    let parent = tree.nodes[node].parent;
    let Kinematics { rotation, arm, .. } = &kinematics[node];
    let graph = &mut tree.mechanism.graph;
    let lever = kinematics[parent].w.cross(*arm, graph);
    let at_joint = velocities[parent].add(lever, graph);
    rotation.transpose().apply(at_joint, graph)
}

/// The columns of a node's own speeds.
fn own_columns(
    tree: &mut Tree,
    node: usize,
    kinematics: &[Kinematics],
    velocities: &[Vector],
    wanted: Wanted,
) -> Vec<Column> {
    let (speed, count) = (tree.nodes[node].speed, tree.nodes[node].motion.speeds());
    let own = &kinematics[node];
    // The parent's motion at the node. With one degree of freedom the node's own does as well,
    // because a column commutes with itself, and it has names already.
    let (w, u, alpha, beta) = if count == 1 {
        (own.w, velocities[node], own.alpha, own.beta)
    } else {
        let u = carried_velocity(tree, node, kinematics, velocities);
        let parent = &kinematics[tree.nodes[node].parent];
        let graph = &mut tree.mechanism.graph;
        let back = own.rotation.transpose();
        let at_joint = parent.beta.apply(own.arm, graph);
        let at_joint = parent.alpha.add(at_joint, graph);
        let beta = back.mul(parent.beta, graph).mul(own.rotation, graph);
        (back.apply(parent.w, graph), u, back.apply(at_joint, graph), beta)
    };
    let name = tree.nodes[node].name.clone();
    let mut columns = Vec::with_capacity(count);
    for at in 0..count {
        let mut unit = [Expr::ZERO; 6];
        unit[at] = Expr::ONE;
        let (s, l) = tree.rates(node, &unit);
        let label = format!("{name},{}", speed + at + 1);
        let graph = &mut tree.mechanism.graph;
        let two = graph.number(2);
        let moved = Twist { angular: w, linear: u }.cross(s, l, graph);
        let (turning, acceleration) = match wanted {
            Wanted::Coordinates => {
                let turning = moved.angular.name(&format!("P[{label}]"), graph);
                let twice = turning.scale(two, graph).name(&format!("P2[{label}]"), graph);
                let parts = [beta.apply(l, graph), alpha.cross(s, graph), u.cross(twice, graph)];
                let angular = beta.apply(s, graph);
                (turning, Twist { angular, linear: Vector::sum(&parts, graph) })
            }
            Wanted::Coriolis if count == 1 => (s, moved),
            Wanted::Speeds if count == 1 => (s, moved.scale(two, graph)),
            Wanted::Coriolis | Wanted::Speeds => {
                let with_node = Twist { angular: own.w, linear: velocities[node] };
                let with_node = with_node.cross(s, l, graph);
                let both = wanted == Wanted::Speeds;
                (s, if both { with_node.add(moved, graph) } else { with_node })
            }
        };
        columns.push(Column {
            speed: speed + at,
            own: Twist { angular: s, linear: l },
            turning,
            acceleration: acceleration.name(&format!("A[{label}]"), graph),
        });
    }
    columns
}

/// A node alone.
fn solid(tree: &mut Tree, node: usize) -> Solid {
    let (mass, com, inertia) = {
        let node = &tree.nodes[node];
        (node.mass, node.com, node.inertia)
    };
    let graph = &mut tree.mechanism.graph;
    let moment = com.scale(mass, graph);
    let steiner = com.tilde().mul(moment.tilde(), graph);
    Solid { mass, moment, inertia: inertia.sub(steiner, graph), flat: None }
}

/// The force and torque that every node takes from its joint, about its origin and in its axes.
fn transmitted(
    tree: &mut Tree,
    solids: &[Solid],
    kinematics: &[Kinematics],
    applied: &[Wrench],
) -> Vec<Wrench> {
    let mut balance = vec![Wrench::ZERO; tree.nodes.len()];
    for node in (1..tree.nodes.len()).rev() {
        let (own, solid) = (&kinematics[node], solids[node]);
        let (name, parent) = (tree.nodes[node].name.clone(), tree.nodes[node].parent);
        let graph = &mut tree.mechanism.graph;
        let forces = [
            own.alpha.scale(solid.mass, graph),
            own.beta.apply(solid.moment, graph),
            balance[node].force,
            -applied[node].force,
        ];
        let torques = [
            solid.moment.cross(own.alpha, graph),
            euler(solid.inertia, solid.flat, own, graph),
            balance[node].torque,
            -applied[node].torque,
        ];
        balance[node] = Wrench {
            force: Vector::sum(&forces, graph).name(&format!("F[{name}]"), graph),
            torque: Vector::sum(&torques, graph).name(&format!("L[{name}]"), graph),
        };
        let carried = balance[node].carried(own.rotation, own.arm, graph);
        balance[parent] = balance[parent].add(carried, graph);
    }
    balance
}

/// A node alone as a composite body.
fn body(
    tree: &mut Tree,
    node: usize,
    solid: Solid,
    w: Vector,
    u: Vector,
    wanted: Wanted,
) -> Composite {
    let Solid { mass, moment, inertia, .. } = solid;
    let name = tree.nodes[node].name.clone();
    let graph = &mut tree.mechanism.graph;
    // Second moments of mass: half the trace less the inertia.
    let half = graph.number(Number::ratio(1, 2));
    let trace = [inertia.0[0][0], inertia.0[1][1], inertia.0[2][2]];
    let trace = graph.sum(&trace);
    let trace = graph.mul(half, trace);
    let mut second = -inertia;
    for axis in 0..3 {
        second.0[axis][axis] = graph.sub(trace, inertia.0[axis][axis]);
    }
    // Factors of two cost nothing where parameters bear them.
    let factor = if wanted == Wanted::Coriolis { Expr::ONE } else { graph.number(2) };
    let (mass2, moment2) = (graph.mul(factor, mass), moment.scale(factor, graph));
    let second = second.scale(factor, graph);
    let turning = w.cross(moment2, graph);
    let momentum = u.scale(mass2, graph).add(turning, graph);
    let outer = u.outer(moment2, graph);
    let spread = w.tilde().mul(second, graph).add(outer, graph);
    Composite {
        mass,
        moment,
        inertia,
        momentum: momentum.name(&format!("pb[{name}]"), graph),
        spread: spread.name(&format!("X[{name}]"), graph),
    }
}

fn named(tree: &mut Tree, node: usize, composite: Composite) -> Composite {
    let name = tree.nodes[node].name.clone();
    let graph = &mut tree.mechanism.graph;
    Composite {
        mass: graph.name(&format!("mc[{name}]"), composite.mass),
        moment: composite.moment.name(&format!("hc[{name}]"), graph),
        inertia: composite.inertia.name(&format!("Jc[{name}]"), graph),
        momentum: composite.momentum.name(&format!("pc[{name}]"), graph),
        spread: composite.spread.name(&format!("Xc[{name}]"), graph),
    }
}

fn plus(a: Composite, b: Composite, graph: &mut Graph) -> Composite {
    Composite {
        mass: graph.add(a.mass, b.mass),
        moment: a.moment.add(b.moment, graph),
        inertia: a.inertia.add(b.inertia, graph),
        momentum: a.momentum.add(b.momentum, graph),
        spread: a.spread.add(b.spread, graph),
    }
}

/// A node's composite body in the axes of its parent, about the parent's origin.
fn pass(tree: &mut Tree, node: usize, own: Composite, kinematics: &Kinematics) -> Composite {
    let (rotation, arm) = (kinematics.rotation, kinematics.arm);
    let [inertia, spread] =
        [own.inertia, own.spread].map(|matrix| turn(tree, node, matrix, rotation));
    let name = tree.nodes[node].name.clone();
    let graph = &mut tree.mechanism.graph;
    let moment = rotation.apply(own.moment, graph).name(&format!("hr[{name}]"), graph);
    let momentum = rotation.apply(own.momentum, graph).name(&format!("pr[{name}]"), graph);
    // J - tilde(d) tilde(h) - tilde(h + m d) tilde(d)
    let lever = arm.scale(own.mass, graph);
    let shifted = moment.add(lever, graph).name(&format!("hs[{name}]"), graph);
    let first = arm.tilde().mul(moment.tilde(), graph);
    let second = shifted.tilde().mul(arm.tilde(), graph);
    let mut steiner = first.add(second, graph);
    for i in 0..3 {
        for j in 0..i {
            // Equal by symmetry, written once.
            steiner.0[i][j] = steiner.0[j][i];
        }
    }
    let outer = momentum.outer(arm, graph);
    Composite {
        mass: own.mass,
        moment: shifted,
        inertia: inertia.sub(steiner, graph),
        momentum,
        spread: spread.add(outer, graph),
    }
}

/// `R A R^T` for the rotation of a node's joint. A turn about a frame axis, followed by an exchange
/// of axes, takes fewer operations than the product.
fn turn(tree: &mut Tree, node: usize, matrix: Matrix, rotation: Matrix) -> Matrix {
    let Placement { rotation: fixed, .. } = tree.nodes[node].placement;
    let plain = |entry: &Expr| *entry == Expr::ZERO || entry.abs() == Expr::ONE;
    let axis = match tree.nodes[node].motion {
        ElementaryMotion::Revolute { axis, .. } | ElementaryMotion::Helical { axis, .. } => {
            Some(axis)
        }
        _ => None,
    };
    let (joint, _) = tree.displacement(node);
    let graph = &mut tree.mechanism.graph;
    let Some(z) = axis.filter(|_| fixed.0.iter().flatten().all(plain)) else {
        return conjugate(rotation, matrix, graph);
    };
    let (x, y) = ((z + 1) % 3, (z + 2) % 3);
    let (cosine, sine) = (joint.0[x][x], joint.0[y][x]);
    let a = matrix.0;
    let mut turned = a;
    // With g = s (yy - xx) - c (xy + yx): xx + s g, yy - s g, xy - (c g + xy + yx), yx - (c g +
    // xy + yx).
    let difference = graph.sub(a[y][y], a[x][x]);
    let both = graph.add(a[x][y], a[y][x]);
    let parts = [graph.mul(sine, difference), graph.mul(cosine, both)];
    let g = graph.sub(parts[0], parts[1]);
    let g = graph.name("g", g);
    let step = graph.mul(sine, g);
    turned[x][x] = graph.add(a[x][x], step);
    turned[y][y] = graph.sub(a[y][y], step);
    let step = graph.mul(cosine, g);
    turned[x][y] = graph.sum(&[-step, -a[y][x]]);
    turned[y][x] = graph.sum(&[-step, -a[x][y]]);
    // Row and column of the axis turn as vectors.
    let mut rotate = |first: Expr, second: Expr| {
        let along = [graph.mul(cosine, first), graph.mul(sine, second)];
        let across = [graph.mul(sine, first), graph.mul(cosine, second)];
        (graph.sub(along[0], along[1]), graph.add(across[0], across[1]))
    };
    (turned[x][z], turned[y][z]) = rotate(a[x][z], a[y][z]);
    (turned[z][x], turned[z][y]) = rotate(a[z][x], a[z][y]);
    conjugate(fixed, Matrix(turned), graph)
}

fn conjugate(rotation: Matrix, matrix: Matrix, graph: &mut Graph) -> Matrix {
    if rotation == Matrix::IDENTITY {
        return matrix;
    }
    let mut product = rotation.mul(matrix, graph).mul(rotation.transpose(), graph);
    if matrix.is_symmetric() {
        for i in 0..3 {
            for j in 0..i {
                product.0[i][j] = product.0[j][i];
            }
        }
    }
    product
}

/// The wrenches of a composite body for one column of its own joint.
fn answer(composite: &Composite, column: &Column, graph: &mut Graph) -> Carried {
    let Twist { angular: s, linear: l } = column.own;
    // tr(X) s - X s, and the transposed of it together with what a slide feels.
    let spread = composite.spread;
    let trace = [spread.0[0][0], spread.0[1][1], spread.0[2][2]];
    let gyroscopic = |spread: Matrix, s: Vector, graph: &mut Graph| {
        let mut matrix = -spread;
        for axis in 0..3 {
            let others = [trace[(axis + 1) % 3], trace[(axis + 2) % 3]];
            matrix.0[axis][axis] = graph.sum(&others);
        }
        matrix.apply(s, graph)
    };
    let transposed = gyroscopic(spread.transpose(), s, graph);
    let slide = composite.momentum.cross(l, graph);
    let turned = Wrench {
        force: column.turning.cross(composite.momentum, graph),
        torque: gyroscopic(spread, column.turning, graph),
    };
    Carried {
        inertial: inertial(composite, column.own, graph),
        gyroscopic: transposed.add(slide, graph),
        moved: inertial(composite, column.acceleration, graph).add(turned, graph),
    }
}

/// The wrench of an acceleration of a composite body.
fn inertial(composite: &Composite, a: Twist, graph: &mut Graph) -> Wrench {
    let straight = a.linear.scale(composite.mass, graph);
    let turning = a.angular.cross(composite.moment, graph);
    let spin = composite.inertia.apply(a.angular, graph);
    let lever = composite.moment.cross(a.linear, graph);
    Wrench { force: straight.add(turning, graph), torque: spin.add(lever, graph) }
}

/// `S x* f`
fn turn_wrench(column: Twist, wrench: Wrench, graph: &mut Graph) -> Wrench {
    let force = column.angular.cross(wrench.force, graph);
    let torque = column.angular.cross(wrench.torque, graph);
    let lever = column.linear.cross(wrench.force, graph);
    Wrench { force, torque: torque.add(lever, graph) }
}

/// The wrenches that are handed on, in the axes of a node's parent.
fn carry(
    tree: &mut Tree,
    node: usize,
    speed: usize,
    carried: &Carried,
    kinematics: &Kinematics,
) -> Carried {
    let (rotation, arm) = (kinematics.rotation, kinematics.arm);
    let parent = tree.nodes[node].parent;
    let label = format!("{},{}", tree.nodes[parent].name, speed + 1);
    let graph = &mut tree.mechanism.graph;
    let mut wrench = |wrench: Wrench, name: &str| {
        wrench.carried(rotation, arm, graph).name(&format!("{name}[{label}]"), graph)
    };
    let inertial = wrench(carried.inertial, "FM");
    let moved = wrench(carried.moved, "FD");
    let gyroscopic = rotation.apply(carried.gyroscopic, graph);
    let gyroscopic = gyroscopic.name(&format!("T[{label}]"), graph);
    Carried { inertial, gyroscopic, moved }
}

/// The power of a wrench at a twist.
fn project(twist: Twist, wrench: Wrench, graph: &mut Graph) -> Expr {
    let turning = twist.angular.dot(wrench.torque, graph);
    let sliding = twist.linear.dot(wrench.force, graph);
    graph.add(turning, sliding)
}

impl Twist {
    /// The motion that this one makes of another that it carries along.
    fn cross(self, s: Vector, l: Vector, graph: &mut Graph) -> Twist {
        let linear = [self.angular.cross(l, graph), self.linear.cross(s, graph)];
        Twist { angular: self.angular.cross(s, graph), linear: linear[0].add(linear[1], graph) }
    }

    fn add(self, other: Twist, graph: &mut Graph) -> Twist {
        Twist {
            angular: self.angular.add(other.angular, graph),
            linear: self.linear.add(other.linear, graph),
        }
    }

    fn scale(self, factor: Expr, graph: &mut Graph) -> Twist {
        Twist {
            angular: self.angular.scale(factor, graph),
            linear: self.linear.scale(factor, graph),
        }
    }

    fn name(self, name: &str, graph: &mut Graph) -> Twist {
        Twist {
            angular: self.angular.name(&format!("{name}.a"), graph),
            linear: self.linear.name(&format!("{name}.l"), graph),
        }
    }
}
