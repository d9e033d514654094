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

#![allow(non_snake_case)] // symbols as in the formulas

use crate::barycentric::{Purpose, gauged};
use crate::formalism::Formalism;
use crate::forward::{Solid, solids};
use crate::outward::{Kinematics, euler, outward};
use crate::parts::Given;
use crate::spatial::{Twist, Wrench};
use crate::tree::{ByNode, ElementaryMotion, NodeId, PlainWrench};
use crate::writer::{Entries, Writer};
use rotule_model::index::SpeedId;
use rotule_symbolic::{Expr, Mat3, Number, Scalar, Vec3, sum};

/// The matrix to write.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum MatrixKind {
    /// Inverse dynamics by the coordinates, along the speeds.
    Coordinates,
    /// Inverse dynamics by the speeds.
    Speeds,
    /// The Coriolis matrix.
    Coriolis,
}

/// The changes that a unit of one coordinate or speed makes beyond its joint.
#[derive(Clone, Copy)]
struct Column<'g> {
    speed: SpeedId,
    S: Twist<'g>,
    /// The change of velocity, angular part: `P` by a coordinate, `S` by a speed.
    turning: Vec3<'g>,
    /// The change of acceleration: `A` by a coordinate, `P + D` by a speed, and `D` for the
    /// Coriolis matrix.
    acceleration: Twist<'g>,
}

/// Everything beyond a joint as one body.
#[derive(Clone, Copy)]
struct Composite<'g> {
    m: Scalar<'g>,
    h: Vec3<'g>,
    J: Mat3<'g>,
    /// Twice `p` but for the Coriolis matrix.
    p: Vec3<'g>,
    /// Twice `X` but for the Coriolis matrix.
    X: Mat3<'g>,
}

/// Wrenches that a column's composite body hands on to its ancestors, in the axes of one of them.
#[derive(Clone, Copy)]
struct Carried<'g> {
    /// Wrench of a unit of acceleration.
    inertial: Wrench<'g>,
    /// The effect of an ancestor's change `P` or `S` on the column's effort.
    gyroscopic: Vec3<'g>,
    /// Wrench of the change that is looked at.
    moved: Wrench<'g>,
}

/// Writes the requested matrix: entries that are not zero, by rows. External forces count as fixed
/// to their nodes, as far as they are given. The barycentric formalism runs on bodies with the
/// fewest parameters.
pub(crate) fn matrix<'g>(
    writer: Writer<'_, 'g>,
    given: &Given,
    kind: MatrixKind,
    formalism: Formalism,
) -> Entries<'g> {
    let writer = Writer { motion: &given.motion, ..writer };
    let mut entries = if formalism == Formalism::NewtonEuler {
        let solids: ByNode<Solid<'g>> =
            writer.tree.nodes.ids().map(|node| solid(writer, node)).collect();
        write(writer, &given.wrenches, &solids, kind)
    } else {
        let (tree, wrenches) = gauged(writer, given.wrenches.clone(), Purpose::Derivatives);
        let writer = Writer { tree: &tree, ..writer };
        write(writer, &wrenches, &solids(writer, false), kind)
    };
    entries.retain(|entry| !entry.2.is_zero());
    entries.sort_unstable_by_key(|&(row, column, _)| (row, column));
    entries
}

fn write<'g>(
    writer: Writer<'_, 'g>,
    wrenches: &ByNode<PlainWrench>,
    solids: &ByNode<Solid<'g>>,
    kind: MatrixKind,
) -> Entries<'g> {
    let nodes = &writer.tree.nodes;
    let k = outward(writer);
    let u = velocities(writer, &k);
    let transmitted = if kind == MatrixKind::Coordinates {
        transmitted(writer, solids, &k, wrenches)
    } else {
        writer.tree.by_node(Wrench::ZERO)
    };
    let (mut columns, mut bodies) = (ByNode::new(), ByNode::new());
    for i in nodes.ids() {
        columns.push(own_columns(writer, i, &k, &u, kind));
        bodies.push(body(writer, i, solids[i], k[i].w, u[i], kind));
    }
    let mut entries: Entries<'g> = Vec::new();
    let mut enter = |row: SpeedId, column: SpeedId, value: Scalar<'g>| {
        entries.push((row.index(), column.index(), value));
    };
    for i in writer.tree.inward() {
        let composite = named(writer, i, bodies[i]);
        if nodes[i].parent != NodeId::GROUND {
            let passed = pass(writer, i, composite, &k[i]);
            bodies[nodes[i].parent] = plus(bodies[nodes[i].parent], passed);
        }
        for column in &columns[i] {
            let mut carried = answer(&composite, column);
            for row in &columns[i] {
                enter(row.speed, column.speed, row.S.dot(carried.moved));
            }
            carried.moved += column.S.cross_wrench(transmitted[i]);
            let mut below = i;
            while nodes[below].parent != NodeId::GROUND {
                carried = carry(writer, below, column.speed, &carried, &k[below]);
                below = nodes[below].parent;
                for other in &columns[below] {
                    enter(other.speed, column.speed, other.S.dot(carried.moved));
                    let inertial = other.acceleration.dot(carried.inertial);
                    let turning = carried.gyroscopic.dot(other.turning);
                    enter(column.speed, other.speed, inertial + turning);
                }
            }
        }
    }
    entries
}

/// The velocity of every node's origin, in its axes.
fn velocities<'g>(writer: Writer<'_, 'g>, k: &ByNode<Kinematics<'g>>) -> ByNode<Vec3<'g>> {
    let mut u = ByNode::from(vec![Vec3::ZERO]);
    for i in writer.tree.outward() {
        let (_, V) = writer.velocities(i);
        let carried = carried_velocity(writer, i, k, &u);
        u.push(writer.name("v", i, carried + V));
    }
    u
}

/// The velocity that a node's origin has from its parent's motion, in the node's axes.
fn carried_velocity<'g>(
    writer: Writer<'_, 'g>,
    i: NodeId,
    k: &ByNode<Kinematics<'g>>,
    u: &ByNode<Vec3<'g>>,
) -> Vec3<'g> {
    let h = writer.tree.nodes[i].parent;
    k[i].R.transpose() * (u[h] + k[h].w.cross(k[i].d))
}

/// The columns of a node's own speeds.
fn own_columns<'g>(
    writer: Writer<'_, 'g>,
    i: NodeId,
    k: &ByNode<Kinematics<'g>>,
    velocities: &ByNode<Vec3<'g>>,
    kind: MatrixKind,
) -> Vec<Column<'g>> {
    let joint = writer.columns(i);
    let (own, single) = (&k[i], joint.len() == 1);
    // The parent's motion at the node. With one degree of freedom the node's own does as well,
    // because a column commutes with itself, and it has names already.
    let (w, u, alpha, beta) = if single {
        (own.w, velocities[i], own.alpha, own.beta)
    } else {
        let u = carried_velocity(writer, i, k, velocities);
        let h = &k[writer.tree.nodes[i].parent];
        let back = own.R.transpose();
        let at_joint = h.alpha + h.beta * own.d;
        let beta = back * h.beta * own.R;
        (back * h.w, u, back * at_joint, beta)
    };
    let mut columns = Vec::with_capacity(joint.len());
    for one in joint {
        let (speed, S) = (one.speed, Twist { angular: one.phi, linear: one.psi });
        let (s, l, two) = (one.phi, one.psi, writer.number(2));
        let P = Twist { angular: w, linear: u }.cross(S);
        let (turning, acceleration) = match kind {
            MatrixKind::Coordinates => {
                let turning = writer.name_column("P", i, speed, P.angular);
                let twice = writer.name_column("P2", i, speed, two * turning);
                let linear = [beta * l, alpha.cross(s), u.cross(twice)];
                (turning, Twist { angular: beta * s, linear: sum(linear) })
            }
            MatrixKind::Coriolis if single => (s, P),
            MatrixKind::Speeds if single => (s, two * P),
            MatrixKind::Coriolis | MatrixKind::Speeds => {
                let D = Twist { angular: own.w, linear: velocities[i] }.cross(S);
                (s, if kind == MatrixKind::Speeds { D + P } else { D })
            }
        };
        let acceleration = writer.name_column("A", i, speed, acceleration);
        columns.push(Column { speed, S, turning, acceleration });
    }
    columns
}

/// A node alone.
fn solid<'g>(writer: Writer<'_, 'g>, node: NodeId) -> Solid<'g> {
    let (m, l, I) = writer.inertia(node);
    let b = m * l;
    Solid { m, b, K: I - l.tilde() * b.tilde(), flat: None }
}

/// The force and torque that every node takes from its joint, about its origin and in its axes.
fn transmitted<'g>(
    writer: Writer<'_, 'g>,
    solids: &ByNode<Solid<'g>>,
    k: &ByNode<Kinematics<'g>>,
    applied: &ByNode<PlainWrench>,
) -> ByNode<Wrench<'g>> {
    let mut balance = writer.tree.by_node(Wrench::ZERO);
    for i in writer.tree.inward() {
        let (own, Solid { m, b, K, flat }) = (&k[i], solids[i]);
        let applied = Wrench::of(applied[i], writer);
        let forces = [m * own.alpha, own.beta * b, balance[i].force, -applied.force];
        let torques = [b.cross(own.alpha), euler(K, flat, own), balance[i].torque, -applied.torque];
        balance[i] = Wrench {
            force: writer.name("F", i, sum(forces)),
            torque: writer.name("L", i, sum(torques)),
        };
        let carried = balance[i].carried(own.R, own.d);
        balance[writer.tree.nodes[i].parent] += carried;
    }
    balance
}

/// A node alone as a composite body.
fn body<'g>(
    writer: Writer<'_, 'g>,
    node: NodeId,
    solid: Solid<'g>,
    w: Vec3<'g>,
    u: Vec3<'g>,
    kind: MatrixKind,
) -> Composite<'g> {
    let Solid { m, b: h, K: J, .. } = solid;
    // Second moments of mass: half the trace less the inertia.
    let half = writer.number(Number::ratio(1, 2));
    let trace = half * sum([J[0][0], J[1][1], J[2][2]]);
    let mut second = -J;
    (0..3).for_each(|axis| second[axis][axis] = trace - J[axis][axis]);
    // Factors of two cost nothing where parameters bear them.
    let factor = if kind == MatrixKind::Coriolis { Scalar::ONE } else { writer.number(2) };
    let (m2, h2, second) = (factor * m, factor * h, factor * second);
    let turning = w.cross(h2);
    let p = m2 * u + turning;
    let outer = u.outer(h2);
    let X = w.tilde() * second + outer;
    Composite { m, h, J, p: writer.name("pb", node, p), X: writer.name("X", node, X) }
}

fn named<'g>(writer: Writer<'_, 'g>, node: NodeId, composite: Composite<'g>) -> Composite<'g> {
    Composite {
        m: writer.name("mc", node, composite.m),
        h: writer.name("hc", node, composite.h),
        J: writer.name("Jc", node, composite.J),
        p: writer.name("pc", node, composite.p),
        X: writer.name("Xc", node, composite.X),
    }
}

fn plus<'g>(a: Composite<'g>, b: Composite<'g>) -> Composite<'g> {
    Composite { m: a.m + b.m, h: a.h + b.h, J: a.J + b.J, p: a.p + b.p, X: a.X + b.X }
}

/// A node's composite body in the axes of its parent, about the parent's origin.
fn pass<'g>(
    writer: Writer<'_, 'g>,
    i: NodeId,
    own: Composite<'g>,
    k: &Kinematics<'g>,
) -> Composite<'g> {
    let (R, d) = (k.R, k.d);
    let [J, X] = [own.J, own.X].map(|matrix| turn(writer, i, matrix, R));
    let Rh = writer.name("hr", i, R * own.h);
    let p = writer.name("pr", i, R * own.p);
    // J - tilde(d) tilde(h) - tilde(h + m d) tilde(d)
    let lever = own.m * d;
    let h = writer.name("hs", i, Rh + lever);
    let mut steiner = d.tilde() * Rh.tilde() + h.tilde() * d.tilde();
    for row in 0..3 {
        for column in 0..row {
            // Equal by symmetry, written once.
            steiner[row][column] = steiner[column][row];
        }
    }
    let outer = p.outer(d);
    Composite { m: own.m, h, J: J - steiner, p, X: X + outer }
}

/// `R A R'` for the rotation of a node's joint. A turn about a frame axis, followed by an exchange
/// of axes, takes fewer operations than the product.
fn turn<'g>(writer: Writer<'_, 'g>, node: NodeId, A: Mat3<'g>, R: Mat3<'g>) -> Mat3<'g> {
    let (fixed, _) = writer.anchored(node);
    let plain = |entry: &Scalar<'_>| entry.is_zero() || entry.expr().abs() == Expr::ONE;
    let axis = match writer.tree.nodes[node].motion {
        ElementaryMotion::Revolute { axis, .. } | ElementaryMotion::Helical { axis, .. } => {
            Some(axis)
        }
        ElementaryMotion::Ground
        | ElementaryMotion::Prismatic { .. }
        | ElementaryMotion::Spherical
        | ElementaryMotion::Free => None,
    };
    let Some(z) = axis.filter(|_| fixed.0.iter().flatten().all(plain)) else {
        return conjugate(R, A);
    };
    let (joint, _) = writer.displacement(node);
    let (x, y) = ((z + 1) % 3, (z + 2) % 3);
    let (c, s) = (joint[x][x], joint[y][x]);
    let mut turned = A;
    // With g = s (yy - xx) - c (xy + yx): xx + s g, yy - s g, xy - (c g + xy + yx), yx - (c g +
    // xy + yx).
    let (difference, both) = (A[y][y] - A[x][x], A[x][y] + A[y][x]);
    let g = (s * difference - c * both).named("g");
    let step = s * g;
    turned[x][x] = A[x][x] + step;
    turned[y][y] = A[y][y] - step;
    let step = c * g;
    turned[x][y] = sum([-step, -A[y][x]]);
    turned[y][x] = sum([-step, -A[x][y]]);
    // Row and column of the axis turn as vectors.
    let rotate = |first: Scalar<'g>, second: Scalar<'g>| {
        let along = [c * first, s * second];
        let across = [s * first, c * second];
        (along[0] - along[1], across[0] + across[1])
    };
    (turned[x][z], turned[y][z]) = rotate(A[x][z], A[y][z]);
    (turned[z][x], turned[z][y]) = rotate(A[z][x], A[z][y]);
    conjugate(fixed, turned)
}

fn conjugate<'g>(R: Mat3<'g>, A: Mat3<'g>) -> Mat3<'g> {
    if R == Mat3::IDENTITY {
        return A;
    }
    let mut product = R * A * R.transpose();
    if A.is_symmetric() {
        for i in 0..3 {
            for j in 0..i {
                product[i][j] = product[j][i];
            }
        }
    }
    product
}

/// The wrenches of a composite body for one column of its own joint.
fn answer<'g>(composite: &Composite<'g>, column: &Column<'g>) -> Carried<'g> {
    let Composite { p, X, .. } = *composite;
    // tr(X) s - X s, and the transposed of it together with what a slide feels.
    let gyroscopic = |X: Mat3<'g>, s: Vec3<'g>| {
        let mut matrix = -X;
        for axis in 0..3 {
            let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
            matrix[axis][axis] = sum([X[next][next], X[last][last]]);
        }
        matrix * s
    };
    let transposed = gyroscopic(X.transpose(), column.S.angular);
    let slide = p.cross(column.S.linear);
    let turned = Wrench { force: column.turning.cross(p), torque: gyroscopic(X, column.turning) };
    Carried {
        inertial: inertial(composite, column.S),
        gyroscopic: transposed + slide,
        moved: inertial(composite, column.acceleration) + turned,
    }
}

/// The wrench of an acceleration of a composite body.
fn inertial<'g>(composite: &Composite<'g>, a: Twist<'g>) -> Wrench<'g> {
    let Composite { m, h, J, .. } = *composite;
    let (straight, turning) = (m * a.linear, a.angular.cross(h));
    let (spin, lever) = (J * a.angular, h.cross(a.linear));
    Wrench { force: straight + turning, torque: spin + lever }
}

/// The wrenches that are handed on, in the axes of a node's parent.
fn carry<'g>(
    writer: Writer<'_, 'g>,
    node: NodeId,
    speed: SpeedId,
    carried: &Carried<'g>,
    k: &Kinematics<'g>,
) -> Carried<'g> {
    let parent = writer.tree.nodes[node].parent;
    let wrench = |symbol: &str, wrench: Wrench<'g>| {
        writer.name_column(symbol, parent, speed, wrench.carried(k.R, k.d))
    };
    let inertial = wrench("FM", carried.inertial);
    let moved = wrench("FD", carried.moved);
    let gyroscopic = writer.name_column("T", parent, speed, k.R * carried.gyroscopic);
    Carried { inertial, gyroscopic, moved }
}
