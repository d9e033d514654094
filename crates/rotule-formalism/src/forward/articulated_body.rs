//! Forward dynamics in a number of operations that is linear in the joints, by articulated bodies.
//!
//! Accelerations are split: `a0` and `alpha` are those with no acceleration of free joints, which
//! the outward pass of inverse dynamics gives, and `x = (wd; alpha)` is what the free joints add.
//! The forces that belong to the first make `p`, so that the products of articulated inertias with
//! velocity terms, which the usual form needs, never arise:
//!
//! ```text
//! backward  IA, p: the node's own and what children pass on     p = p0 + sum X' p_j
//!           U = IA s    D = s.U + armature    u = Q - s.p
//!           free:   IA - U D^-1 U' and p + U D^-1 u go to the parent        known: IA and p go
//! forward   x' = X x_h    qdd = D^-1 (u - U.x')    x = x' + s qdd
//! ```
//!
//! `s` holds unit vectors for all joints but helical ones. Along these what goes to the parent is
//! known beforehand if there is no armature, and is written, not computed: zeros in `IA`, and `Q`
//! in `p`. A joint with several speeds is one step, `D` being factored. Bodies are grouped first,
//! see [`super::grouped`].

#![allow(non_snake_case)] // symbols as in the formulas

use super::blocks::Blocks;
use super::frames::{Axes, axes, returned, rotated};
use super::grouped::{Solid, solids};
use super::ldl::{LdlFactor, Singular};
use super::singularity;
use crate::barycentric::{Purpose, differ, gauged};
use crate::outward::{Kinematics, OutwardOptions, euler, outward_by, uses};
use crate::spatial::Wrench;
use crate::tree::{ByNode, ElementaryMotion, NodeId, PlainWrench, TreeNode};
use crate::writer::Writer;
use rotule_model::index::{BySpeed, SpeedId, SpeedSet};
use rotule_symbolic::{Mat3, Scalar, Vec3, sum};

/// A torque and a force, or an angular and a linear acceleration.
type Six<'g> = [Scalar<'g>; 6];

/// Results of the inward pass at a free joint, for the outward pass.
struct Step<'g> {
    /// The directions `s` in which the joint moves.
    s: Vec<Six<'g>>,
    /// Components of accelerations that are the joint's own, if it has no armature.
    own: Vec<usize>,
    /// `D`, factored.
    D: LdlFactor<'g>,
    /// `D^-1 L'^-1` times `u`, and times the columns of `U'`.
    drive: Vec<Scalar<'g>>,
    gains: Vec<Six<'g>>,
}

/// A speed that no inertia resists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NothingResists(pub SpeedId);

/// Trees with more nodes are written in one way only, to halve the time that writing takes.
const TRY_BOTH: usize = 200;

/// The accelerations of all speeds. `free` says which are to be found; efforts act along these.
/// Fails if nothing resists one of them.
pub(crate) fn accelerations<'g>(
    writer: Writer<'_, 'g>,
    free: &SpeedSet,
    Q: &BySpeed<Scalar<'g>>,
    wrenches: &ByNode<PlainWrench>,
) -> Result<BySpeed<Scalar<'g>>, NothingResists> {
    let mut best = cheapest(writer, free, Q, wrenches, Purpose::Articulated)?;
    if writer.tree.nodes.len() <= TRY_BOTH && differ(writer, wrenches) {
        let other = cheapest(writer, free, Q, wrenches, Purpose::Meeting)?;
        if count(writer, &other) < count(writer, &best) {
            best = other;
        }
    }
    Ok(best)
}

/// The cheapest with frames moved for one purpose.
fn cheapest<'g>(
    writer: Writer<'_, 'g>,
    free: &SpeedSet,
    Q: &BySpeed<Scalar<'g>>,
    wrenches: &ByNode<PlainWrench>,
    purpose: Purpose,
) -> Result<BySpeed<Scalar<'g>>, NothingResists> {
    let (tree, wrenches) = gauged(writer, wrenches.clone(), purpose);
    let writer = Writer { tree: &tree, ..writer };
    let start = start(writer, free, &wrenches);
    let moving = recursion(writer, free, Q, &start, &axes(writer, false))?;
    if let Some(speed) = singularity::vanishing(writer, &moving.pivots) {
        return Err(NothingResists(speed));
    }
    if tree.nodes.len() > TRY_BOTH {
        return Ok(moving.qdd);
    }
    let held = axes(writer, true);
    if held.iter().all(|axes| axes.own.is_empty()) {
        return Ok(moving.qdd);
    }
    let held = recursion(writer, free, Q, &start, &held)?.qdd;
    let cheaper = count(writer, &held) < count(writer, &moving.qdd);
    Ok(if cheaper { held } else { moving.qdd })
}

fn count<'g>(writer: Writer<'_, 'g>, list: &BySpeed<Scalar<'g>>) -> u64 {
    writer.operations(list.iter().copied())
}

/// The start of recursions, whatever the axes are.
struct Start<'g> {
    /// The accelerations with those of free joints zero.
    qdd: BySpeed<Scalar<'g>>,
    solids: ByNode<Solid<'g>>,
    /// Torque and force that each solid needs for these accelerations, less those that act on it.
    p0: ByNode<Six<'g>>,
}

fn start<'g>(writer: Writer<'_, 'g>, free: &SpeedSet, wrenches: &ByNode<PlainWrench>) -> Start<'g> {
    let mut given = writer.qdd();
    free.iter().for_each(|at| given[at] = Scalar::ZERO);
    let plain = solids(writer, false);
    let flat = solids(writer, true);
    let uses = uses(writer.tree, flat.iter().map(|solid| solid.b));
    let several = writer.tree.nodes.len() <= TRY_BOTH;
    let transformations = writer.strategy.transformations;
    let (columns, chosen) =
        (transformations.columns && several, transformations.reference && several);
    let mut ways = vec![OutwardOptions::PLAIN];
    ways.extend(columns.then_some(OutwardOptions { columns, chosen: None }));
    ways.extend(chosen.then_some(OutwardOptions { columns: true, chosen: Some((&uses, free)) }));
    let mut best: Option<(u64, ByNode<Six<'g>>, BySpeed<Scalar<'g>>)> = None;
    for way in ways {
        let mut qdd = given.clone();
        let k = outward_by(writer, &mut qdd, way);
        let nodes = flat.iter().zip(&k).zip(wrenches);
        let p0: ByNode<Six<'g>> = nodes
            .map(|((solid, own), &applied)| bias(solid, own, Wrench::of(applied, writer)))
            .collect();
        let changed = free.iter().filter(|&at| !qdd[at].is_zero());
        let count = writer.operations(p0.iter().flatten().chain(&qdd).copied());
        let count = count + changed.count() as u64;
        if best.as_ref().is_none_or(|best| count < best.0) {
            best = Some((count, p0, qdd));
        }
    }
    let (p0, qdd) = best.map_or_else(Default::default, |best| (best.1, best.2));
    Start { qdd, solids: plain, p0 }
}

/// Results of a recursion.
struct Found<'g> {
    qdd: BySpeed<Scalar<'g>>,
    /// By speed.
    pivots: Vec<(SpeedId, Scalar<'g>)>,
}

fn recursion<'g>(
    writer: Writer<'_, 'g>,
    free: &SpeedSet,
    Q: &BySpeed<Scalar<'g>>,
    start: &Start<'g>,
    axes: &ByNode<Axes<'g>>,
) -> Result<Found<'g>, NothingResists> {
    let nodes = &writer.tree.nodes;
    let (mut IA, mut p) = (ByNode::new(), ByNode::new());
    for ((axes, solid), &p0) in axes.iter().zip(&start.solids).zip(&start.p0) {
        IA.push(axes.own.iter().fold(blocks(solid), |blocks, &R| blocks.rotated(R)));
        p.push(carried(p0, &axes.own, Vec3::ZERO));
    }
    // Inward: articulated inertias and biases.
    let mut steps: ByNode<Option<Step<'g>>> = nodes.ids().map(|_| None).collect();
    for i in writer.tree.inward() {
        let TreeNode { ref name, speed, parent, .. } = nodes[i];
        let mut own = IA[i].named(&format!("[{name}]"));
        let mut bias = named(p[i], &format!("pa[{name}]"));
        if free.contains(speed) {
            let step;
            (step, own, bias) = eliminate(writer, i, axes[i].motion, &own, bias, Q, &start.qdd)
                .map_err(|Singular(at)| NothingResists(speed.after(at)))?;
            steps[i] = Some(step);
        }
        if parent == NodeId::GROUND {
            continue;
        }
        let Axes { towards, d, .. } = &axes[i];
        IA[parent] += towards.iter().fold(own, |blocks, &R| blocks.rotated(R)).shifted(*d);
        let passed = carried(bias, towards, *d);
        p[parent].iter_mut().zip(passed).for_each(|(sum, part)| *sum += part);
    }
    // Outward: accelerations.
    let mut qdd = start.qdd.clone();
    let mut x = ByNode::from(vec![[Scalar::ZERO; 6]]);
    for i in writer.tree.outward() {
        let TreeNode { ref name, speed, parent, .. } = nodes[i];
        let Axes { towards, d, motion, .. } = &axes[i];
        let from_parent = named(brought(x[parent], towards, *d), &format!("x[{name}]"));
        let Some(step) = &steps[i] else {
            x.push(from_parent);
            continue;
        };
        let (found, own) = accelerate(step, from_parent, name);
        for (at, &value) in found.iter().enumerate() {
            let linear = motion.translates_in_own_axes() && at < 3;
            let value = if linear { value / writer.scalar(writer.tree.unit) } else { value };
            qdd[speed.after(at)] += value.negated_if(reversed(*motion));
        }
        x.push(own);
    }
    let mut pivots = Vec::new();
    for (step, node) in steps.iter().zip(nodes) {
        let own = step.iter().flat_map(|step| step.D.pivots());
        pivots.extend(own.enumerate().map(|(at, pivot)| (node.speed.after(at), pivot)));
    }
    Ok(Found { qdd, pivots })
}

/// The inertia of a solid.
fn blocks<'g>(solid: &Solid<'g>) -> Blocks<'g> {
    let mut C = Mat3::ZERO;
    (0..3).for_each(|i| C[i][i] = solid.m);
    Blocks { A: solid.K, B: solid.b.tilde(), C }
}

/// Torque and force that a solid needs for the accelerations of the outward pass, less those that
/// act on it.
fn bias<'g>(solid: &Solid<'g>, own: &Kinematics<'g>, applied: Wrench<'g>) -> Six<'g> {
    let Solid { m, b, K, flat } = *solid;
    let weight = m * own.alpha;
    let spun = own.beta * b;
    let torque = sum([b.cross(own.alpha), euler(K, flat, own), -applied.torque]);
    joined(torque, sum([weight, spun, -applied.force]))
}

/// Takes the motion of a free joint out of an articulated inertia and its bias.
fn eliminate<'g>(
    writer: Writer<'_, 'g>,
    i: NodeId,
    motion: ElementaryMotion,
    IA: &Blocks<'g>,
    p: Six<'g>,
    Q: &BySpeed<Scalar<'g>>,
    start: &BySpeed<Scalar<'g>>,
) -> Result<(Step<'g>, Blocks<'g>, Six<'g>), Singular> {
    let TreeNode { ref name, speed, armature, .. } = writer.tree.nodes[i];
    let r = writer.scalar(armature);
    let (s, units) = directions(writer, motion);
    let own = if r.is_zero() { units } else { Vec::new() };
    // U = IA s, by directions.
    let U: Vec<Six<'g>> = s
        .iter()
        .map(|s| std::array::from_fn(|j| dot(s, &std::array::from_fn(|i| IA.get(i, j)))))
        .collect();
    let (mut D, mut u, mut given) = (Vec::new(), Vec::new(), Vec::new());
    for (a, direction) in s.iter().enumerate() {
        for (b, other) in s[..=a].iter().enumerate() {
            D.push((a, b, dot(&U[a], other)));
        }
        D.push((a, a, r));
        let mut effort = Q[speed.after(a)] - r * start[speed.after(a)];
        if motion.translates_in_own_axes() && a < 3 {
            effort = effort / writer.scalar(writer.tree.unit);
        }
        given.push(effort.negated_if(reversed(motion)));
        u.push((given[a] - dot(direction, &p)).named(&format!("u[{name}]")));
    }
    let D = LdlFactor::of(&D, s.len(), &format!("d[{name}]"))?;
    let scaled = |y: &[Scalar<'g>], label: &str| -> Vec<Scalar<'g>> {
        D.scaled(y).into_iter().map(|one| one.named(label)).collect()
    };
    let drive = scaled(&D.half(&u, &format!("u[{name}]")), &format!("ed[{name}]"));
    // Of each column of U' what the factor leaves half of the way, and that over the pivots.
    let mut ways: Vec<(Vec<Scalar<'g>>, Vec<Scalar<'g>>)> = Vec::new();
    for j in 0..6 {
        if own.contains(&j) {
            ways.push((Vec::new(), Vec::new()));
            continue;
        }
        let column: Vec<Scalar<'g>> = U.iter().map(|row| row[j]).collect();
        let way = D.half(&column, &format!("U[{name}]"));
        let gain = scaled(&way, &format!("G[{name}]"));
        ways.push((way, gain));
    }
    // IA - U D^-1 U' and p + U D^-1 u.
    let (mut passed, mut force) = (Blocks::ZERO, p);
    for i in 0..6 {
        if let Some(at) = own.iter().position(|&own| own == i) {
            force[i] = given[at];
            continue;
        }
        force[i] = plus_dot(p[i], &ways[i].0, &drive, false);
        for j in (0..=i).filter(|j| !own.contains(j)) {
            passed.set(i, j, plus_dot(IA.get(i, j), &ways[i].0, &ways[j].1, true));
        }
    }
    let passed = passed.named(&format!("a[{name}]"));
    let force = named(force, &format!("f[{name}]"));
    // Own components have no gains.
    let gain = |at: usize, j: usize| ways[j].1.get(at).copied().unwrap_or(Scalar::ZERO);
    let gains = (0..s.len()).map(|at| std::array::from_fn(|j| gain(at, j))).collect();
    Ok((Step { s, own, D, drive, gains }, passed, force))
}

fn dot<'g>(a: &Six<'g>, b: &Six<'g>) -> Scalar<'g> {
    sum([0, 1, 2, 3, 4, 5].map(|i| a[i] * b[i]))
}

/// `start + a.b`, or `start - a.b`.
fn plus_dot<'g>(start: Scalar<'g>, a: &[Scalar<'g>], b: &[Scalar<'g>], minus: bool) -> Scalar<'g> {
    let products = a.iter().zip(b).map(|(&a, &b)| (a * b).negated_if(minus));
    sum(std::iter::once(start).chain(products))
}

/// The accelerations of a joint, and what it and its parents add at the node.
fn accelerate<'g>(step: &Step<'g>, x: Six<'g>, name: &str) -> (Vec<Scalar<'g>>, Six<'g>) {
    let gains = step.drive.iter().zip(&step.gains);
    let rest: Vec<Scalar<'g>> =
        gains.map(|(&drive, gains)| plus_dot(drive, gains, &x, true)).collect();
    let found = step.D.back(&rest, &format!("a[{name}]"));
    let mut end = x;
    if step.own.is_empty() {
        for (s, &qdd) in step.s.iter().zip(&found) {
            end.iter_mut().zip(s).for_each(|(sum, &part)| *sum += part * qdd);
        }
        return (found, end);
    }
    // Without armature the factor gives what remains in the end; the parents' part is not in it.
    let mut relative = Vec::new();
    for (&at, &value) in step.own.iter().zip(&found) {
        end[at] = value;
        relative.push(value - x[at]);
    }
    (relative, end)
}

/// The directions of a motion along the positive axis, and their places if they are unit vectors.
fn directions<'g>(writer: Writer<'_, 'g>, motion: ElementaryMotion) -> (Vec<Six<'g>>, Vec<usize>) {
    let unit = |at: usize| {
        let mut direction = [Scalar::ZERO; 6];
        direction[at] = Scalar::ONE;
        direction
    };
    let units: Vec<usize> = match motion {
        ElementaryMotion::Ground => Vec::new(),
        ElementaryMotion::Revolute { axis, .. } => vec![axis],
        ElementaryMotion::Prismatic { axis, .. } => vec![axis + 3],
        ElementaryMotion::Helical { axis, pitch, .. } => {
            let mut direction = unit(axis);
            direction[axis + 3] = writer.scalar(pitch);
            return (vec![direction], Vec::new());
        }
        ElementaryMotion::Spherical => vec![0, 1, 2],
        ElementaryMotion::Free => vec![3, 4, 5, 0, 1, 2],
    };
    (units.iter().map(|&at| unit(at)).collect(), units)
}

/// Returns `true` if the coordinate counts against the axis.
fn reversed(motion: ElementaryMotion) -> bool {
    match motion {
        ElementaryMotion::Revolute { reversed, .. }
        | ElementaryMotion::Prismatic { reversed, .. }
        | ElementaryMotion::Helical { reversed, .. } => reversed,
        ElementaryMotion::Ground | ElementaryMotion::Spherical | ElementaryMotion::Free => false,
    }
}

/// A torque and a force about the parent's origin, in its components.
fn carried<'g>(wrench: Six<'g>, towards: &[Mat3<'g>], d: Vec3<'g>) -> Six<'g> {
    let (torque, force) = split(wrench);
    let force = rotated(force, towards);
    let torque = rotated(torque, towards);
    joined(torque + d.cross(force), force)
}

/// Accelerations of the parent as the node sees them.
fn brought<'g>(of_parent: Six<'g>, towards: &[Mat3<'g>], d: Vec3<'g>) -> Six<'g> {
    let (angular, linear) = split(of_parent);
    let linear = linear + angular.cross(d);
    joined(returned(angular, towards), returned(linear, towards))
}

fn split(six: Six<'_>) -> (Vec3<'_>, Vec3<'_>) {
    let [a, b, c, d, e, f] = six;
    (Vec3([a, b, c]), Vec3([d, e, f]))
}

fn joined<'g>(first: Vec3<'g>, second: Vec3<'g>) -> Six<'g> {
    let ([a, b, c], [d, e, f]) = (first.0, second.0);
    [a, b, c, d, e, f]
}

fn named<'g>(six: Six<'g>, name: &str) -> Six<'g> {
    let (angular, linear) = split(six);
    joined(angular.named(&format!("{name}.r")), linear.named(&format!("{name}.t")))
}

#[cfg(test)]
mod tests {
    use super::{axes, recursion, start};
    use crate::forces;
    use crate::forward::free;
    use crate::normalise::normalise;
    use crate::writer::exprs;
    use rotule_model::{ReadOptions, load_text};

    /// Turns about parallel axes that count either way, with fixed turns between, driven, locked
    /// and in a fork.
    const PARALLEL: &str = r#"
        [model]
        name = "parallel"
        gravity = [1, 2, -9]
        [[body]]
        name = "a"
        parent = "ground"
        joint = { name = "q1", type = "revolute", axis = "z" }
        mass = 1
        com = [0.3, 0.2, 0.1]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4, xy = 0.05 }
        [[body]]
        name = "b"
        parent = "a"
        position = [0.4, 0.1, 0.2]
        rotation = { axis = "z", angle = 0.3 }
        joint = { name = "q2", type = "revolute", axis = "-z", armature = 0.1 }
        mass = 1
        com = [0.1, 0.2, 0.3]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4, xz = 0.05 }
        [[body]]
        name = "c"
        parent = "b"
        position = [0.1, 0.5, 0.2]
        rotation = { axis = "x", angle = "pi/2" }
        joint = { name = "q3", type = "revolute", axis = "y", role = "locked" }
        mass = 1
        com = [0.3, 0.2, 0.2]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4, yz = 0.05 }
        [[body]]
        name = "d"
        parent = "c"
        position = [0.1, 0.2, 0.2]
        rotation = { axis = "z", angle = "pi" }
        joint = { name = "q4", type = "revolute", axis = "y" }
        mass = 1
        com = [0.3, 0.2, 0.2]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4, yz = 0.05 }
        [[body]]
        name = "e"
        parent = "d"
        position = [0.1, 0.2, 0.3]
        joint = { name = "q5", type = "revolute", axis = "y" }
        mass = 1
        com = [0.3, 0.2, 0.2]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4 }
        [[body]]
        name = "f"
        parent = "d"
        position = [0.1, 0.2, 0.1]
        joint = { name = "q6", type = "revolute", axis = "-y" }
        mass = 1
        com = [0.3, 0.2, 0.2]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4 }
        [[motion]]
        joint = "q6"
        q = "sin(t)"
        [[body]]
        name = "g"
        parent = "f"
        joint = { name = "q7", type = "revolute", axis = [1, 2, 3] }
        mass = 1
        com = [0.3, 0.1, 0.2]
        inertia = { xx = 0.2, yy = 0.3, zz = 0.4 }
        [initial.q]
        q3 = 0.4
    "#;

    #[test]
    fn held_and_moving_axes_give_the_same_accelerations() {
        let mechanism =
            load_text("parallel", PARALLEL, &ReadOptions::default()).expect("a valid model");
        let system = normalise(mechanism);
        let sheet = system.sheet();
        let writer = system.writer(&sheet);
        let (free, efforts) = (free(writer.mechanism), writer.applied());
        let start = start(writer, &free, &forces::on_nodes(writer));
        let [moving, held] = [false, true].map(|hold| {
            let axes = axes(writer, hold);
            let found = recursion(writer, &free, &efforts, &start, &axes).expect("regular");
            exprs(&found.qdd)
        });
        assert_ne!(moving, held);
        let number =
            |name: &str| Some(name.bytes().fold(0.3, |sum, byte| (sum * f64::from(byte)).fract()));
        let evaluate = |list: &[_]| {
            sheet.graph.read(|graph| graph.evaluate_f64(list, number)).expect("numbers")
        };
        for (moving, held) in evaluate(&moving).into_iter().zip(evaluate(&held)) {
            assert!((moving - held).abs() < 1e-11 * (1.0 + moving.abs()), "{moving} {held}");
        }
    }
}
