//! The outward pass that all Newton-Euler recursions share (Postiau, section 1.3.2, corrected).
//!
//! ```text
//! w  = R^T w_h + W                       W, V: relative angular and linear velocity of the node
//! wd = R^T wd_h + w x W + Wd
//! alpha = R^T (alpha_h + beta_h d) + 2 (w - W) x V + Vd  (+ W x V where V turns with the node)
//! ```
//!
//! Turns about parallel axes, one after the other, are one turn by the sum of their angles: angular
//! quantities of such nodes come straight from the node before the first of them.

use crate::choices::NodeChoice;
use crate::tree::{ElementaryMotion, Tree};
use rotule_symbolic::{Expr, Graph, Matrix, Vector};

/// The motion of a node's frame, in its own axes.
pub struct Kinematics {
    /// From the node's components to its parent's.
    pub rotation: Matrix,
    /// From the parent's origin to the node's, in the parent's components.
    pub arm: Vector,
    /// Angular velocity.
    pub w: Vector,
    /// Angular acceleration.
    pub wd: Vector,
    /// Acceleration of the origin, less gravity.
    pub alpha: Vector,
    /// The part of `alpha` that the joint's own linear motion makes.
    pub own: Vector,
    /// `tilde(wd) + tilde(w) tilde(w)`
    pub beta: Matrix,
    /// Differences of squares of the angular velocity: `w_b^2 - w_c^2` for each a, with a, b, c
    /// cyclic.
    pub differences: Vector,
    /// The turns about parallel axes that end with this node.
    run: Run,
}

/// Successive turns about parallel axes.
#[derive(Clone, Copy)]
struct Run {
    /// The node before the first.
    base: usize,
    /// From the last node's components to the base's.
    turn: Matrix,
    /// Rate and acceleration of the whole turn, along the axis in the last node's components.
    rate: Vector,
    acceleration: Vector,
}

/// The motion of all nodes for given speeds, accelerations and gravity.
pub fn outward(tree: &mut Tree, qd: &[Expr], qdd: &[Expr], gravity: Vector) -> Vec<Kinematics> {
    outward_by(tree, qd, &mut qdd.to_vec(), gravity, OutwardOptions::PLAIN)
}

/// Options of the outward pass.
#[derive(Clone, Copy)]
pub struct OutwardOptions<'a> {
    /// `true` if the column of `beta` along the axis of a turn comes from the parent.
    pub columns: bool,
    /// For each node how much every column of `beta` is used, if accelerations may be chosen; and
    /// which may.
    pub chosen: Option<(&'a [[u32; 3]], &'a [bool])>,
}

impl OutwardOptions<'_> {
    /// All accelerations are given and carried on.
    pub const PLAIN: OutwardOptions<'static> = OutwardOptions { columns: false, chosen: None };
}

/// The motion of all nodes, in one of several ways. Equations that are linear in accelerations can
/// be taken about any of them: those that may be chosen are, so that entries of `beta` vanish, and
/// stand in `qdd` thereafter.
pub fn outward_by(
    tree: &mut Tree,
    qd: &[Expr],
    qdd: &mut [Expr],
    gravity: Vector,
    way: OutwardOptions<'_>,
) -> Vec<Kinematics> {
    let mut all = Vec::with_capacity(tree.nodes.len());
    all.push(Kinematics {
        rotation: Matrix::IDENTITY,
        arm: Vector::ZERO,
        w: Vector::ZERO,
        wd: Vector::ZERO,
        alpha: -gravity,
        own: Vector::ZERO,
        beta: Matrix::ZERO,
        differences: Vector::ZERO,
        run: Run {
            base: 0,
            turn: Matrix::IDENTITY,
            rate: Vector::ZERO,
            acceleration: Vector::ZERO,
        },
    });
    for node in 1..tree.nodes.len() {
        let next = step(tree, node, &all, qd, qdd, way);
        all.push(next);
    }
    all
}

fn step(
    tree: &mut Tree,
    node: usize,
    all: &[Kinematics],
    qd: &[Expr],
    qdd: &mut [Expr],
    way: OutwardOptions<'_>,
) -> Kinematics {
    let parent = &all[tree.nodes[node].parent];
    let name = tree.nodes[node].name.clone();
    let placed = tree.placed(node);
    let speed = tree.nodes[node].speed;
    let (rel_w, rel_v) = tree.rates(node, &qd[speed..]);
    let (rel_wd, rel_vd) = tree.rates(node, &qdd[speed..]);
    let turns_with_node = tree.nodes[node].motion == ElementaryMotion::Free;
    let follows = parallel(tree, node);
    let (motion, unit) = (tree.nodes[node].motion, tree.unit);
    let chosen = way.chosen.filter(|chosen| chosen.1.get(speed) == Some(&true));
    let chosen = chosen.map(|chosen| chosen.0[node]);
    let by_columns = way.columns && !tree.choices.at(NodeChoice::Column, node);
    let other = tree.choices.at(NodeChoice::Reference, node);
    let graph = &mut tree.mechanism.graph;
    let (rotation, arm) = (placed.rotation, placed.position);
    let back = rotation.transpose();
    let mut run = if follows {
        let rate = back.apply(parent.run.rate, graph).add(rel_w, graph);
        Run {
            base: parent.run.base,
            turn: parent.run.turn.mul(rotation, graph),
            rate: rate.name(&format!("wr[{name}]"), graph),
            acceleration: back.apply(parent.run.acceleration, graph).add(rel_wd, graph),
        }
    } else {
        Run { base: tree.nodes[node].parent, turn: rotation, rate: rel_w, acceleration: rel_wd }
    };
    let (outer, whole) = (&all[run.base], run.turn.transpose());
    let w = whole.apply(outer.w, graph).add(run.rate, graph).name(&format!("w[{name}]"), graph);
    let Spin { wd, beta, differences } = match motion {
        ElementaryMotion::Revolute { axis, reversed }
            if by_columns && along(run.turn.column(axis)).is_some() =>
        {
            let carried = back.apply(parent.wd, graph)[axis];
            let about = match chosen {
                Some(uses) => About::Chosen(uses, other),
                None => About::Given(graph.add(carried, rel_wd[axis])),
            };
            let spin = by_column(axis, w, outer, &run, about, &name, graph);
            if chosen.is_some() {
                let own = graph.sub(spin.wd[axis], carried);
                let own = graph.name(&format!("a0[{name}]"), own);
                qdd[speed] = if reversed { -own } else { own };
                // Turns that follow about parallel axes take in what was chosen.
                let before = match follows {
                    true => back.apply(parent.run.acceleration, graph),
                    false => Vector::ZERO,
                };
                let mut added = Vector::ZERO;
                added[axis] = own;
                run.acceleration = before.add(added, graph);
            }
            spin
        }
        ElementaryMotion::Free if chosen.is_some() => {
            let spin = by_choice(w, chosen.unwrap_or_default(), other, &name, graph);
            let others = whole.apply(outer.wd, graph).add(w.cross(run.rate, graph), graph);
            let own = spin.wd.sub(others, graph);
            qdd[speed + 3..speed + 6].copy_from_slice(&own.0);
            spin
        }
        _ => by_acceleration(w, outer, &run, &name, graph),
    };
    let at_joint = parent.beta.apply(arm, graph);
    let at_joint = parent.alpha.add(at_joint, graph);
    let two = graph.number(2);
    let carried = back.apply(parent.w, graph);
    let coriolis = carried.cross(rel_v, graph).scale(two, graph);
    let turning = if turns_with_node { rel_w.cross(rel_v, graph) } else { Vector::ZERO };
    let mut own = Vector::sum(&[coriolis, turning, rel_vd], graph);
    let mut alpha = back.apply(at_joint, graph);
    if motion == ElementaryMotion::Free && chosen.is_some() {
        // The origin falls freely.
        own = -alpha;
        alpha = Vector::ZERO;
        let rate = Vector::sum(&[own, -coriolis, -turning], graph);
        let rate = Vector(rate.0.map(|component| graph.div(component, unit)));
        qdd[speed..speed + 3].copy_from_slice(&rate.0);
    } else {
        alpha = alpha.add(own, graph).name(&format!("alpha[{name}]"), graph);
    }
    Kinematics { rotation, arm, w, wd, alpha, own, beta, differences, run }
}

/// The angular acceleration of a node, and `beta` and differences of squares that go with it.
struct Spin {
    wd: Vector,
    beta: Matrix,
    differences: Vector,
}

fn by_acceleration(
    w: Vector,
    outer: &Kinematics,
    run: &Run,
    name: &str,
    graph: &mut Graph,
) -> Spin {
    let carried = run.turn.transpose().apply(outer.wd, graph);
    let wd = Vector::sum(&[carried, w.cross(run.rate, graph), run.acceleration], graph)
        .name(&format!("wd[{name}]"), graph);
    let squares = Vector(w.0.map(|component| graph.square(component)));
    // Named, lest a difference of two be written as a product.
    let squares = squares.name(&format!("ww[{name}]"), graph);
    let differences = [0, 1, 2].map(|a| graph.sub(squares[(a + 1) % 3], squares[(a + 2) % 3]));
    let beta = beta(w, wd, squares, name, graph);
    Spin { wd, beta, differences: Vector(differences) }
}

/// The spin of a revolute joint from a column of its parent. `beta` times a unit vector that is
/// fixed to the body is how it accelerates, and the axis of the joint is fixed to the parent, too:
/// its column of `beta` is one of the parent's. The rest follows from `beta + beta^T = 2 w w^T - 2
/// w.w` with fewer operations than the angular acceleration takes.
fn by_column(
    axis: usize,
    w: Vector,
    outer: &Kinematics,
    run: &Run,
    about: About,
    name: &str,
    graph: &mut Graph,
) -> Spin {
    let (k, i, j) = (axis, (axis + 1) % 3, (axis + 2) % 3);
    let whole = run.turn.transpose();
    let fixed = outer.beta.apply(run.turn.column(k), graph);
    let column = whole.apply(fixed, graph);
    let mut beta = Matrix::ZERO;
    let letters = ["x", "y", "z"];
    let named = |row: usize, at: usize, value: Expr, graph: &mut Graph| {
        graph.name(&format!("beta[{name}].{}{}", letters[row], letters[at]), value)
    };
    beta.0[i][k] = named(i, k, column[i], graph);
    beta.0[j][k] = named(j, k, column[j], graph);
    beta.0[k][k] = column[k];
    let products = [graph.mul(w[i], w[k]), graph.mul(w[j], w[k]), graph.mul(w[i], w[j])];
    let mut wd = Vector::ZERO;
    wd[j] = graph.sub(beta.0[i][k], products[0]);
    wd[i] = graph.sub(products[1], beta.0[j][k]);
    wd[k] = match about {
        About::Given(given) => given,
        About::Chosen(uses, other) if (uses[j] > uses[i]) != other => products[2],
        About::Chosen(..) => -products[2],
    };
    let wd = wd.name(&format!("wd[{name}]"), graph);
    let rest = [
        (k, i, graph.sub(products[0], wd[j])),
        (k, j, graph.add(products[1], wd[i])),
        (i, j, graph.sub(products[2], wd[k])),
        (j, i, graph.add(products[2], wd[k])),
    ];
    for (row, at, value) in rest {
        beta.0[row][at] = named(row, at, value, graph);
    }
    // The parent's column gives the sum of two squares.
    let squares = [w[i], w[k]].map(|component| graph.square(component));
    let squares = [
        graph.name(&format!("ww[{name}].{}", letters[i]), squares[0]),
        graph.name(&format!("ww[{name}].{}", letters[k]), squares[1]),
    ];
    let difference = graph.sub(squares[0], squares[1]);
    let difference = graph.name(&format!("ww[{name}].{}{}", letters[i], letters[k]), difference);
    let first = graph.add(difference, beta.0[k][k]);
    beta.0[i][i] = named(i, i, first, graph);
    let second = graph.add(squares[0], squares[1]);
    beta.0[j][j] = named(j, j, -second, graph);
    let mut differences = Vector::ZERO;
    differences[i] = graph.sub(beta.0[j][j], beta.0[k][k]);
    differences[j] = -difference;
    differences[k] = graph.sub(beta.0[i][i], beta.0[j][j]);
    Spin { wd, beta, differences }
}

/// The angular acceleration about the axis of a turn.
enum About {
    Given(Expr),
    /// Such that the entry of `beta` in the more used of two columns vanishes, or the other one.
    Chosen([u32; 3], bool),
}

/// The spin if all angular accelerations can be chosen: of each pair of entries of `beta`, that in
/// the more used column is zero, or the other one.
fn by_choice(w: Vector, uses: [u32; 3], other: bool, name: &str, graph: &mut Graph) -> Spin {
    let mut wd = Vector::ZERO;
    let mut beta = Matrix::ZERO;
    for a in 0..3 {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        // The entries are `w_b w_c - wd_a` in row b, column c, and `w_b w_c + wd_a` in row c,
        // column b.
        let product = graph.mul(w[b], w[c]);
        let product = graph.name(&format!("wd[{name}].{}", ["x", "y", "z"][a]), product);
        let two = graph.number(2);
        let twice = graph.mul(two, product);
        if (uses[c] > uses[b]) != other {
            (wd[a], beta.0[c][b]) = (product, twice);
        } else {
            (wd[a], beta.0[b][c]) = (-product, twice);
        }
    }
    let squares = Vector(w.0.map(|component| graph.square(component)));
    let squares = squares.name(&format!("ww[{name}]"), graph);
    let differences = [0, 1, 2].map(|a| graph.sub(squares[(a + 1) % 3], squares[(a + 2) % 3]));
    for a in 0..3 {
        beta.0[a][a] = -graph.add(squares[(a + 1) % 3], squares[(a + 2) % 3]);
    }
    let beta = beta.name(&format!("beta[{name}]"), graph);
    Spin { wd, beta, differences: Vector(differences) }
}

/// For each node how much every column of `beta` is used, by its first moment and by what it
/// carries.
pub fn uses(tree: &Tree, moments: &[Vector]) -> Vec<[u32; 3]> {
    let mut uses: Vec<[u32; 3]> = Vec::with_capacity(moments.len());
    for moment in moments {
        uses.push([0, 1, 2].map(|i| u32::from(moment[i] != Expr::ZERO)));
    }
    for node in tree.nodes.iter().skip(1) {
        let uses = &mut uses[node.parent];
        for (use_, offset) in uses.iter_mut().zip(node.placement.position.0) {
            *use_ += u32::from(offset != Expr::ZERO);
        }
        if let ElementaryMotion::Revolute { axis, .. } = node.motion
            && let Some((way, _)) = along(node.placement.rotation.column(axis))
        {
            uses[way] += 2;
        }
    }
    uses
}

/// The frame axis that a unit vector is along, and whether it is against it.
pub fn along(direction: Vector) -> Option<(usize, bool)> {
    (0..3).find_map(|axis| {
        let same = direction == Vector::unit(axis);
        (same || direction == -Vector::unit(axis)).then_some((axis, !same))
    })
}

/// Returns `true` if a node turns about an axis that is parallel to that of its parent's turn.
pub fn parallel(tree: &Tree, node: usize) -> bool {
    let one = &tree.nodes[node];
    match (one.motion, tree.nodes[one.parent].motion) {
        (
            ElementaryMotion::Revolute { axis, .. },
            ElementaryMotion::Revolute { axis: outer, .. },
        ) => {
            let direction = one.placement.rotation.column(axis);
            direction == Vector::unit(outer) || direction == -Vector::unit(outer)
        }
        _ => false,
    }
}

fn beta(w: Vector, wd: Vector, squares: Vector, name: &str, graph: &mut Graph) -> Matrix {
    let tilde = wd.tilde();
    let mut matrix = Matrix::ZERO;
    for i in 0..3 {
        for j in 0..3 {
            matrix.0[i][j] = if i == j {
                -graph.add(squares[(i + 1) % 3], squares[(i + 2) % 3])
            } else {
                let product = graph.mul(w[i], w[j]);
                graph.add(product, tilde.0[i][j])
            };
        }
    }
    matrix.name(&format!("beta[{name}]"), graph)
}

/// `I wd + w x I w`, written with the entries of `beta`, so that products of speeds are shared and
/// differences of moments of inertia are made once (spec: a, b, c cyclic): `I_aa wd_a + (I_cc -
/// I_bb) w_b w_c - I_ab beta_ca + I_ac beta_ba + I_bc (w_b^2 - w_c^2)`. Of a body that is `flat`
/// across an axis, the moment of inertia about it is the sum of the others, and `I_aa (wd_a +- w_b
/// w_c)` is an entry of `beta`.
pub fn euler(inertia: Matrix, flat: Option<usize>, own: &Kinematics, graph: &mut Graph) -> Vector {
    let (i, beta) = (inertia.0, own.beta.0);
    Vector([0, 1, 2].map(|a| {
        let (b, c) = ((a + 1) % 3, (a + 2) % 3);
        let difference = graph.sub(i[c][c], i[b][b]);
        let product = graph.mul(own.w[b], own.w[c]);
        let diagonal = match flat {
            Some(axis) if axis == c => [graph.mul(i[a][a], beta[c][b]), Expr::ZERO],
            Some(axis) if axis == b => [-graph.mul(i[a][a], beta[b][c]), Expr::ZERO],
            _ => [graph.mul(i[a][a], own.wd[a]), graph.mul(difference, product)],
        };
        let terms = [
            diagonal[0],
            diagonal[1],
            -graph.mul(i[a][b], beta[c][a]),
            graph.mul(i[a][c], beta[b][a]),
            graph.mul(i[b][c], own.differences[a]),
        ];
        graph.sum(&terms)
    }))
}
