//! The outward pass that all Newton-Euler recursions share (Postiau, section 1.3.2, corrected).
//!
//! ```text
//! w  = R' w_h + W                       W, V: relative angular and linear velocity of the node
//! wd = R' wd_h + w x W + Wd
//! alpha = R' (alpha_h + beta_h d) + 2 (R' w_h) x V + Vd  (+ W x V where V turns with the node)
//! beta  = tilde(wd) + tilde(w) tilde(w)
//! ```
//!
//! Turns about parallel axes, one after the other, are one turn by the sum of their angles: angular
//! quantities of such nodes come straight from the node before the first of them.
#![allow(non_snake_case)] // symbols as in the formulas

use crate::choices::NodeChoice;
use crate::tree::{ByNode, NodeId, Tree};
use crate::writer::Writer;
use rotule_model::index::{BySpeed, SpeedSet, run_of};
use rotule_symbolic::{Expr, Mat3, Scalar, Vec3, Vector, sum};

/// The motion of a node's frame, in its own axes.
pub(crate) struct Kinematics<'g> {
    /// From the node's components to its parent's.
    pub R: Mat3<'g>,
    /// From the parent's origin to the node's, in the parent's components.
    pub d: Vec3<'g>,
    /// Angular velocity.
    pub w: Vec3<'g>,
    /// Angular acceleration.
    pub wd: Vec3<'g>,
    /// Acceleration of the origin, less gravity.
    pub alpha: Vec3<'g>,
    /// The part of `alpha` that the joint's own linear motion makes.
    pub own: Vec3<'g>,
    /// `tilde(wd) + tilde(w) tilde(w)`
    pub beta: Mat3<'g>,
    /// Differences of squares of the angular velocity: `w_b^2 - w_c^2` for each a, with a, b, c
    /// cyclic.
    pub differences: Vec3<'g>,
    /// The turns about parallel axes that end with this node.
    run: Run<'g>,
}

/// Successive turns about parallel axes.
#[derive(Clone, Copy)]
struct Run<'g> {
    /// The node before the first.
    base: NodeId,
    /// From the last node's components to the base's.
    R: Mat3<'g>,
    /// Rate and acceleration of the whole turn, along the axis in the last node's components.
    W: Vec3<'g>,
    Wd: Vec3<'g>,
}

/// The motion of all nodes.
pub(crate) fn outward<'g>(writer: Writer<'_, 'g>) -> ByNode<Kinematics<'g>> {
    let mut qdd = writer.qdd();
    outward_by(writer, &mut qdd, OutwardOptions::PLAIN)
}

/// Options of the outward pass.
#[derive(Clone, Copy)]
pub(crate) struct OutwardOptions<'a> {
    /// `true` if the column of `beta` along the axis of a turn comes from the parent.
    pub columns: bool,
    /// For each node how much every column of `beta` is used, if accelerations may be chosen; and
    /// which may.
    pub chosen: Option<(&'a ByNode<[u32; 3]>, &'a SpeedSet)>,
}

impl OutwardOptions<'_> {
    /// All accelerations are given and carried on.
    pub const PLAIN: OutwardOptions<'static> = OutwardOptions { columns: false, chosen: None };
}

/// The motion of all nodes, in one of several ways. Equations that are linear in accelerations can
/// be taken about any of them: those that may be chosen are, so that entries of `beta` vanish, and
/// stand in `qdd` thereafter.
pub(crate) fn outward_by<'g>(
    writer: Writer<'_, 'g>,
    qdd: &mut BySpeed<Scalar<'g>>,
    way: OutwardOptions<'_>,
) -> ByNode<Kinematics<'g>> {
    let gravity = writer.scalar(writer.tree.unit) * writer.vector(writer.motion.gravity);
    let mut all = ByNode::new();
    all.push(Kinematics {
        R: Mat3::IDENTITY,
        d: Vec3::ZERO,
        w: Vec3::ZERO,
        wd: Vec3::ZERO,
        alpha: -gravity,
        own: Vec3::ZERO,
        beta: Mat3::ZERO,
        differences: Vec3::ZERO,
        run: Run { base: NodeId::GROUND, R: Mat3::IDENTITY, W: Vec3::ZERO, Wd: Vec3::ZERO },
    });
    for node in writer.tree.outward() {
        let next = step(writer, node, &all, qdd, way);
        all.push(next);
    }
    all
}

fn step<'g>(
    writer: Writer<'_, 'g>,
    i: NodeId,
    all: &ByNode<Kinematics<'g>>,
    qdd: &mut BySpeed<Scalar<'g>>,
    way: OutwardOptions<'_>,
) -> Kinematics<'g> {
    let node = &writer.tree.nodes[i];
    let (h, speed) = (&all[node.parent], node.speed);
    let (R, d) = writer.placed(i);
    let (W, V) = writer.velocities(i);
    let (Wd, Vd) = writer.rates(i, qdd);
    let back = R.transpose();
    let follows = parallel(writer.tree, i);
    let mut run = if follows {
        let W = back * h.run.W + W;
        let R = h.run.R * R;
        Run { base: h.run.base, R, W: writer.name("wr", i, W), Wd: back * h.run.Wd + Wd }
    } else {
        Run { base: node.parent, R, W, Wd }
    };
    let outer = &all[run.base];
    let w = writer.name("w", i, run.R.transpose() * outer.w + run.W);

    let chosen = way.chosen.filter(|chosen| chosen.1.contains(speed));
    let chosen = chosen.map(|chosen| chosen.0[i]);
    let by_columns = way.columns && !writer.strategy.choices.at(NodeChoice::Column, i);
    let other = writer.strategy.choices.at(NodeChoice::Reference, i);
    // Of an axis that is along one of the parent's, a column of `beta` is the parent's.
    let is_known = |turn: &(usize, bool)| along(run.R.column(turn.0).plain()).is_some();
    let turn = node.motion.turn().filter(is_known).filter(|_| by_columns);
    let turns_with_node = node.motion.translates_in_own_axes();
    let falls = turns_with_node && chosen.is_some();
    let Spin { wd, beta, differences } = match turn {
        Some((axis, reversed)) => {
            let carried = (back * h.wd)[axis];
            let about = match chosen {
                Some(uses) => About::Chosen(uses, other),
                None => About::Given(carried + Wd[axis]),
            };
            let spin = by_column(writer, i, axis, w, outer, &run, about);
            if chosen.is_some() {
                let own = writer.name("a0", i, spin.wd[axis] - carried);
                qdd[speed] = own.negated_if(reversed);
                // Turns that follow about parallel axes take in what was chosen.
                let before = if follows { back * h.run.Wd } else { Vec3::ZERO };
                run.Wd = before + Vec3::along(axis, own);
            }
            spin
        }
        None if falls => {
            let spin = by_choice(writer, i, w, chosen.unwrap_or_default(), other);
            let own = spin.wd - (run.R.transpose() * outer.wd + w.cross(run.W));
            run_of(speed.after(3), 3).zip(own.0).for_each(|(at, value)| qdd[at] = value);
            spin
        }
        None => by_acceleration(writer, i, w, outer, &run),
    };

    let at_joint = h.alpha + h.beta * d;
    let coriolis = writer.number(2) * (back * h.w).cross(V);
    let turning = if turns_with_node { W.cross(V) } else { Vec3::ZERO };
    let mut own = sum([coriolis, turning, Vd]);
    let mut alpha = back * at_joint;
    if falls {
        // The origin falls freely.
        own = -alpha;
        alpha = Vec3::ZERO;
        let rate = sum([own, -coriolis, -turning]) / writer.scalar(writer.tree.unit);
        run_of(speed, 3).zip(rate.0).for_each(|(at, value)| qdd[at] = value);
    } else {
        alpha = writer.name("alpha", i, alpha + own);
    }
    Kinematics { R, d, w, wd, alpha, own, beta, differences, run }
}

/// The angular acceleration of a node, and `beta` and differences of squares that go with it.
struct Spin<'g> {
    wd: Vec3<'g>,
    beta: Mat3<'g>,
    differences: Vec3<'g>,
}

fn by_acceleration<'g>(
    writer: Writer<'_, 'g>,
    i: NodeId,
    w: Vec3<'g>,
    outer: &Kinematics<'g>,
    run: &Run<'g>,
) -> Spin<'g> {
    let wd = sum([run.R.transpose() * outer.wd, w.cross(run.W), run.Wd]);
    let wd = writer.name("wd", i, wd);
    let squares = squares(writer, i, w);
    let differences = differences(squares);
    let tilde = wd.tilde();
    let beta = Mat3([0, 1, 2].map(|a| {
        [0, 1, 2].map(|b| match a == b {
            true => diagonal(squares, a),
            false => w[a] * w[b] + tilde[a][b],
        })
    }));
    Spin { wd, beta: writer.name("beta", i, beta), differences }
}

/// The spin of a revolute joint from a column of its parent. `beta` times a unit vector that is
/// fixed to the body is how it accelerates, and the axis of the joint is fixed to the parent, too:
/// its column of `beta` is one of the parent's. The rest follows from `beta + beta' = 2 w w' - 2
/// w.w` with fewer operations than the angular acceleration takes.
fn by_column<'g>(
    writer: Writer<'_, 'g>,
    node: NodeId,
    axis: usize,
    w: Vec3<'g>,
    outer: &Kinematics<'g>,
    run: &Run<'g>,
    about: About<'g>,
) -> Spin<'g> {
    let (k, i, j) = (axis, (axis + 1) % 3, (axis + 2) % 3);
    let letters = ["x", "y", "z"];
    let name = &writer.tree.nodes[node].name;
    let entry = |row: usize, at: usize, value: Scalar<'g>| {
        value.named(&format!("beta[{name}].{}{}", letters[row], letters[at]))
    };
    let column = run.R.transpose() * (outer.beta * run.R.column(k));
    let mut beta = Mat3::ZERO;
    beta[i][k] = entry(i, k, column[i]);
    beta[j][k] = entry(j, k, column[j]);
    beta[k][k] = column[k];
    let (w_ik, w_jk, w_ij) = (w[i] * w[k], w[j] * w[k], w[i] * w[j]);
    let mut wd = Vec3::ZERO;
    wd[j] = beta[i][k] - w_ik;
    wd[i] = w_jk - beta[j][k];
    wd[k] = match about {
        About::Given(given) => given,
        About::Chosen(uses, other) if (uses[j] > uses[i]) != other => w_ij,
        About::Chosen(..) => -w_ij,
    };
    let wd = writer.name("wd", node, wd);
    let rest =
        [(k, i, w_ik - wd[j]), (k, j, w_jk + wd[i]), (i, j, w_ij - wd[k]), (j, i, w_ij + wd[k])];
    for (row, at, value) in rest {
        beta[row][at] = entry(row, at, value);
    }
    // The parent's column gives the sum of two squares.
    let square = |at: usize, value: Scalar<'g>| value.named(&format!("ww[{name}].{}", letters[at]));
    let (ww_i, ww_k) = (w[i].square(), w[k].square());
    let (ww_i, ww_k) = (square(i, ww_i), square(k, ww_k));
    let difference = (ww_i - ww_k).named(&format!("ww[{name}].{}{}", letters[i], letters[k]));
    beta[i][i] = entry(i, i, difference + beta[k][k]);
    beta[j][j] = entry(j, j, -(ww_i + ww_k));
    let mut differences = Vec3::ZERO;
    differences[i] = beta[j][j] - beta[k][k];
    differences[j] = -difference;
    differences[k] = beta[i][i] - beta[j][j];
    Spin { wd, beta, differences }
}

/// The angular acceleration about the axis of a turn.
enum About<'g> {
    Given(Scalar<'g>),
    /// Such that the entry of `beta` in the more used of two columns vanishes, or the other one.
    Chosen([u32; 3], bool),
}

/// The spin if all angular accelerations can be chosen: of each pair of entries of `beta`, that in
/// the more used column is zero, or the other one.
fn by_choice<'g>(
    writer: Writer<'_, 'g>,
    node: NodeId,
    w: Vec3<'g>,
    uses: [u32; 3],
    other: bool,
) -> Spin<'g> {
    let name = &writer.tree.nodes[node].name;
    let (mut wd, mut beta) = (Vec3::ZERO, Mat3::ZERO);
    for a in 0..3 {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        // The entries are `w_b w_c - wd_a` in row b, column c, and `w_b w_c + wd_a` in row c,
        // column b.
        let product = (w[b] * w[c]).named(&format!("wd[{name}].{}", ["x", "y", "z"][a]));
        let twice = writer.number(2) * product;
        if (uses[c] > uses[b]) != other {
            (wd[a], beta[c][b]) = (product, twice);
        } else {
            (wd[a], beta[b][c]) = (-product, twice);
        }
    }
    let squares = squares(writer, node, w);
    let differences = differences(squares);
    (0..3).for_each(|a| beta[a][a] = diagonal(squares, a));
    Spin { wd, beta: writer.name("beta", node, beta), differences }
}

/// Squares of the angular velocity. Named, lest a difference of two be written as a product.
fn squares<'g>(writer: Writer<'_, 'g>, node: NodeId, w: Vec3<'g>) -> Vec3<'g> {
    writer.name("ww", node, Vec3(w.0.map(Scalar::square)))
}

fn differences(squares: Vec3<'_>) -> Vec3<'_> {
    Vec3([0, 1, 2].map(|a| squares[(a + 1) % 3] - squares[(a + 2) % 3]))
}

/// An entry of the diagonal of `beta`.
fn diagonal(squares: Vec3<'_>, a: usize) -> Scalar<'_> {
    -(squares[(a + 1) % 3] + squares[(a + 2) % 3])
}

/// For each node how much every column of `beta` is used, by its first moment and by what it
/// carries.
pub(crate) fn uses<'g>(tree: &Tree, moments: impl Iterator<Item = Vec3<'g>>) -> ByNode<[u32; 3]> {
    let mut uses: ByNode<[u32; 3]> =
        moments.map(|moment| moment.0.map(|component| u32::from(!component.is_zero()))).collect();
    for node in tree.nodes.iter().skip(1) {
        let uses = &mut uses[node.parent];
        for (use_, offset) in uses.iter_mut().zip(node.fixed_side().position.0) {
            *use_ += u32::from(offset != Expr::ZERO);
        }
        if let Some(axis) = node.motion.turns_about()
            && let Some((way, _)) = along(node.fixed_side().rotation.column(axis))
        {
            uses[way] += 2;
        }
    }
    uses
}

/// The frame axis that a unit vector is along, and whether it is against it.
pub(crate) fn along(direction: Vector) -> Option<(usize, bool)> {
    (0..3).find_map(|axis| {
        let same = direction == Vector::unit(axis);
        (same || direction == -Vector::unit(axis)).then_some((axis, !same))
    })
}

/// Returns `true` if a node turns about an axis that is parallel to that of its parent's turn.
pub(crate) fn parallel(tree: &Tree, node: NodeId) -> bool {
    let one = &tree.nodes[node];
    let turns = one.motion.turns_about().zip(tree.nodes[one.parent].motion.turns_about());
    turns.is_some_and(|(axis, outer)| {
        along(one.fixed_side().rotation.column(axis)).is_some_and(|(way, _)| way == outer)
    })
}

/// `I wd + w x I w`, written with the entries of `beta`, so that products of speeds are shared and
/// differences of moments of inertia are made once (spec: a, b, c cyclic): `I_aa wd_a + (I_cc -
/// I_bb) w_b w_c - I_ab beta_ca + I_ac beta_ba + I_bc (w_b^2 - w_c^2)`. Of a body that is `flat`
/// across an axis, the moment of inertia about it is the sum of the others, and `I_aa (wd_a +- w_b
/// w_c)` is an entry of `beta`.
pub(crate) fn euler<'g>(I: Mat3<'g>, flat: Option<usize>, own: &Kinematics<'g>) -> Vec3<'g> {
    let Kinematics { w, wd, beta, differences, .. } = own;
    Vec3([0, 1, 2].map(|a| {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        let difference = I[c][c] - I[b][b];
        let product = w[b] * w[c];
        let diagonal = match flat {
            Some(axis) if axis == c => [I[a][a] * beta[c][b], Scalar::ZERO],
            Some(axis) if axis == b => [-(I[a][a] * beta[b][c]), Scalar::ZERO],
            _ => [I[a][a] * wd[a], difference * product],
        };
        sum([
            diagonal[0],
            diagonal[1],
            -(I[a][b] * beta[c][a]),
            I[a][c] * beta[b][a],
            I[b][c] * differences[a],
        ])
    }))
}
