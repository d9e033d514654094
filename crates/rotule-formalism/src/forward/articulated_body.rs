//! Forward dynamics in a number of operations that is linear in the joints, by articulated bodies.
//!
//! Accelerations are split: `a0` and `alpha` are those with no acceleration of free joints, which
//! the outward pass of inverse dynamics gives, and `x = (wd; alpha)` is what the free joints add.
//! The forces that belong to the first make `p`, so that the products of articulated inertias with
//! velocity terms, which the usual form needs, never arise:
//!
//! ```text
//! backward  IA, p: the node's own and what children pass on     p = p0 + sum X^T p_j
//!           U = IA s    D = s.U + armature    u = Q - s.p
//!           free:   IA - U D^-1 U^T and p + U D^-1 u go to the parent        known: IA and p go
//! forward   x' = X x_h    qdd = D^-1 (u - U.x')    x = x' + s qdd
//! ```
//!
//! `s` holds unit vectors for all joints but helical ones. Along these what goes to the parent is
//! known beforehand if there is no armature, and is written, not computed: zeros in `IA`, and `Q`
//! in `p`. A joint with several speeds is one step, `D` being factored. Bodies are grouped first,
//! see [`super::grouped`].

use super::blocks::Blocks;
use super::frames::{Axes, axes, returned, turned};
use super::grouped::{Solid, solids};
use super::ldl::{LdlFactor, Singular};
use super::resistance;
use crate::barycentric::{Purpose, differ, gauged};
use crate::forces;
use crate::outward::{Kinematics, OutwardOptions, euler, outward_by, uses};
use crate::tree::{ElementaryMotion, Tree, Wrench};
use rotule_symbolic::{Expr, Graph, Matrix, Vector};

/// A torque and a force, or an angular and a linear acceleration.
type Six = [Expr; 6];

/// Results of the inward pass at a free joint, for the outward pass.
struct Step {
    /// The directions in which the joint moves.
    directions: Vec<Six>,
    /// Components of accelerations that are the joint's own, if it has no armature.
    own: Vec<usize>,
    factor: LdlFactor,
    /// `D^-1 L'^-1` times `u`, and times the columns of `U^T`.
    drive: Vec<Expr>,
    gains: Vec<Six>,
}

/// Trees with more nodes are written in one way only, to halve the time that writing takes.
const TRY_BOTH: usize = 200;

/// The accelerations of all speeds. `free` says which are to be found; efforts act along these.
/// Fails with the speed that nothing resists.
pub fn accelerations(
    tree: &mut Tree,
    free: &[bool],
    efforts: &[Expr],
) -> Result<Vec<Expr>, Singular> {
    let wrenches = forces::wrenches(tree);
    let mut best = cheapest(tree, free, efforts, wrenches.clone(), Purpose::Articulated)?;
    if tree.nodes.len() <= TRY_BOTH && differ(tree, &wrenches) {
        let other = cheapest(tree, free, efforts, wrenches, Purpose::Meeting)?;
        if count(tree, &other) < count(tree, &best) {
            best = other;
        }
    }
    Ok(best)
}

/// The cheapest with frames moved for one purpose.
fn cheapest(
    tree: &mut Tree,
    free: &[bool],
    efforts: &[Expr],
    wrenches: Vec<Wrench>,
    purpose: Purpose,
) -> Result<Vec<Expr>, Singular> {
    gauged(tree, wrenches, purpose, |tree, wrenches| {
        let start = start(tree, free, wrenches);
        let own = axes(tree, false);
        let moving = recursion(tree, free, efforts, &start, &own)?;
        if let Some(speed) = resistance::vanishing(tree, &moving.pivots) {
            return Err(Singular(speed));
        }
        if tree.nodes.len() > TRY_BOTH {
            return Ok(moving.qdd);
        }
        let held = axes(tree, true);
        if held.iter().all(|axes| axes.own.is_empty()) {
            return Ok(moving.qdd);
        }
        let held = recursion(tree, free, efforts, &start, &held)?.qdd;
        let cheaper = count(tree, &held) < count(tree, &moving.qdd);
        Ok(if cheaper { held } else { moving.qdd })
    })
}

fn count(tree: &Tree, list: &[Expr]) -> u64 {
    tree.mechanism.graph.evaluation_counts(list).total()
}

/// The start of recursions, whatever the axes are.
struct Start {
    /// The accelerations with those of free joints zero.
    qdd: Vec<Expr>,
    solids: Vec<Solid>,
    /// Torque and force that each solid needs for these accelerations, less those that act on it.
    needed: Vec<Six>,
}

fn start(tree: &mut Tree, free: &[bool], wrenches: &[Wrench]) -> Start {
    let mut qdd: Vec<Expr> = tree.qdd.clone();
    for (value, _) in qdd.iter_mut().zip(free).filter(|(_, free)| **free) {
        *value = Expr::ZERO;
    }
    let qd = tree.qd.clone();
    let gravity = tree.mechanism.gravity.scale(tree.unit, &mut tree.mechanism.graph);
    let plain = solids(tree, false);
    let flat = solids(tree, true);
    let moments: Vec<Vector> = flat.iter().map(|solid| solid.moment).collect();
    let uses = uses(tree, &moments);
    let several = tree.nodes.len() <= TRY_BOTH;
    let (columns, chosen) =
        (tree.transformations.columns && several, tree.transformations.reference && several);
    let mut ways = vec![OutwardOptions::PLAIN];
    ways.extend(columns.then_some(OutwardOptions { columns, chosen: None }));
    ways.extend(chosen.then_some(OutwardOptions { columns: true, chosen: Some((&uses, free)) }));
    let mut best: Option<(u64, Vec<Six>, Vec<Expr>)> = None;
    for way in ways {
        let mut qdd = qdd.clone();
        let kinematics = outward_by(tree, &qd, &mut qdd, gravity, way);
        let graph = &mut tree.mechanism.graph;
        let nodes = flat.iter().zip(&kinematics).zip(wrenches);
        let list: Vec<Six> =
            nodes.map(|((solid, own), applied)| bias(solid, own, applied, graph)).collect();
        let mut all: Vec<Expr> = list.iter().flatten().copied().collect();
        all.extend(&qdd);
        let changed = qdd.iter().zip(free).filter(|(a, free)| **free && **a != Expr::ZERO);
        let count = graph.evaluation_counts(&all).total() + changed.count() as u64;
        if best.as_ref().is_none_or(|best| count < best.0) {
            best = Some((count, list, qdd));
        }
    }
    let (needed, qdd) = best.map_or_else(Default::default, |best| (best.1, best.2));
    Start { qdd, solids: plain, needed }
}

/// Results of a recursion.
struct Found {
    qdd: Vec<Expr>,
    /// By speed.
    pivots: Vec<(usize, Expr)>,
}

fn recursion(
    tree: &mut Tree,
    free: &[bool],
    efforts: &[Expr],
    start: &Start,
    axes: &[Axes],
) -> Result<Found, Singular> {
    let mut qdd = start.qdd.clone();
    let count = tree.nodes.len();
    let mut inertias: Vec<Blocks> = Vec::with_capacity(count);
    let mut biases: Vec<Six> = Vec::with_capacity(count);
    for ((axes, solid), &needed) in axes.iter().zip(&start.solids).zip(&start.needed) {
        let graph = &mut tree.mechanism.graph;
        let turned = |inertia: Blocks, rotation: &Matrix| inertia.turned(*rotation, graph);
        inertias.push(axes.own.iter().fold(blocks(solid), turned));
        biases.push(carried(needed, &axes.own, Vector::ZERO, graph));
    }
    let mut steps: Vec<Option<Step>> = Vec::new();
    for node in (1..count).rev() {
        let name = format!("[{}]", tree.nodes[node].name);
        let graph = &mut tree.mechanism.graph;
        let inertia = inertias[node].name(&name, graph);
        let bias = named(biases[node], &format!("pa{name}"), graph);
        let speed = tree.nodes[node].speed;
        let (inertia, bias) = if free.get(speed) == Some(&true) {
            let (step, inertia, bias) =
                eliminate(tree, node, axes[node].motion, &inertia, bias, efforts, &start.qdd)
                    .map_err(|Singular(at)| Singular(speed + at))?;
            steps.push(Some(step));
            (inertia, bias)
        } else {
            steps.push(None);
            (inertia, bias)
        };
        let parent = tree.nodes[node].parent;
        if parent == 0 {
            continue;
        }
        let graph = &mut tree.mechanism.graph;
        let Axes { towards, arm, .. } = &axes[node];
        let turn = |inertia: Blocks, rotation: &Matrix| inertia.turned(*rotation, graph);
        let turned = towards.iter().fold(inertia, turn);
        let shifted = turned.shifted(*arm, graph);
        inertias[parent] = inertias[parent].add(&shifted, graph);
        let passed = carried(bias, towards, *arm, graph);
        for (sum, value) in biases[parent].iter_mut().zip(passed) {
            *sum = graph.add(*sum, value);
        }
    }
    steps.reverse();
    let mut added: Vec<Six> = vec![[Expr::ZERO; 6]];
    for node in 1..count {
        let parent = tree.nodes[node].parent;
        let Axes { towards, arm, motion, .. } = &axes[node];
        let start = brought(added[parent], towards, *arm, &mut tree.mechanism.graph);
        let name = tree.nodes[node].name.clone();
        let start = named(start, &format!("x[{name}]"), &mut tree.mechanism.graph);
        let Some(step) = &steps[node - 1] else {
            added.push(start);
            continue;
        };
        let found = accelerate(step, start, &name, &mut tree.mechanism.graph);
        let speed = tree.nodes[node].speed;
        for (at, &value) in found.0.iter().enumerate() {
            let value = match motion {
                ElementaryMotion::Free if at < 3 => tree.mechanism.graph.div(value, tree.unit),
                _ => value,
            };
            let value = if reversed(*motion) { -value } else { value };
            qdd[speed + at] = tree.mechanism.graph.add(qdd[speed + at], value);
        }
        added.push(found.1);
    }
    let mut pivots = Vec::new();
    for (step, node) in steps.iter().zip(&tree.nodes[1..]) {
        let own = step.iter().flat_map(|step| step.factor.pivots());
        pivots.extend(own.enumerate().map(|(at, pivot)| (node.speed + at, pivot)));
    }
    Ok(Found { qdd, pivots })
}

/// The inertia of a solid.
fn blocks(solid: &Solid) -> Blocks {
    let mut c = Matrix::ZERO;
    (0..3).for_each(|i| c.0[i][i] = solid.mass);
    Blocks { a: solid.inertia, b: solid.moment.tilde(), c }
}

/// Torque and force that a solid needs for the accelerations of the outward pass, less those that
/// act on it.
fn bias(solid: &Solid, own: &Kinematics, applied: &Wrench, graph: &mut Graph) -> Six {
    let Solid { mass, moment, inertia, flat } = *solid;
    let weight = own.alpha.scale(mass, graph);
    let spun = own.beta.apply(moment, graph);
    let lever = moment.cross(own.alpha, graph);
    let torque = Vector::sum(&[lever, euler(inertia, flat, own, graph), -applied.torque], graph);
    joined(torque, Vector::sum(&[weight, spun, -applied.force], graph))
}

/// Takes the motion of a free joint out of an articulated inertia and its bias.
fn eliminate(
    tree: &mut Tree,
    node: usize,
    motion: ElementaryMotion,
    inertia: &Blocks,
    bias: Six,
    efforts: &[Expr],
    start: &[Expr],
) -> Result<(Step, Blocks, Six), Singular> {
    let (armature, speed) = (tree.nodes[node].armature, tree.nodes[node].speed);
    let (name, unit) = (tree.nodes[node].name.clone(), tree.unit);
    let graph = &mut tree.mechanism.graph;
    let (directions, units) = directions(motion);
    let own = if armature == Expr::ZERO { units } else { Vec::new() };
    let dot = |a: &Six, b: &Six, graph: &mut Graph| {
        let terms: [Expr; 6] = std::array::from_fn(|i| graph.mul(a[i], b[i]));
        graph.sum(&terms)
    };
    let columns: [Six; 6] = std::array::from_fn(|j| std::array::from_fn(|i| inertia.get(i, j)));
    let mut resistance: Vec<Six> = Vec::new();
    for direction in &directions {
        resistance.push(std::array::from_fn(|j| dot(direction, &columns[j], graph)));
    }
    let mut entries = Vec::new();
    let mut unbalanced = Vec::new();
    let mut given = Vec::new();
    for (i, direction) in directions.iter().enumerate() {
        for (j, other) in directions[..=i].iter().enumerate() {
            entries.push((i, j, dot(&resistance[i], other, graph)));
        }
        entries.push((i, i, armature));
        let mut effort = efforts[speed + i];
        let drive = graph.mul(armature, start[speed + i]);
        effort = graph.sub(effort, drive);
        if motion == ElementaryMotion::Free && i < 3 {
            effort = graph.div(effort, unit);
        }
        given.push(if reversed(motion) { -effort } else { effort });
        let along = dot(direction, &bias, graph);
        let rest = graph.sub(given[i], along);
        unbalanced.push(graph.name(&format!("u[{name}]"), rest));
    }
    let factor = LdlFactor::of(&entries, directions.len(), &format!("d[{name}]"), graph)?;
    let half = factor.half(&unbalanced, &format!("u[{name}]"), graph);
    let drive = scaled(&factor, &half, &format!("ed[{name}]"), graph);
    // Of each column of U^T what the factor leaves half of the way, and that over the pivots.
    let mut ways: Vec<(Vec<Expr>, Vec<Expr>)> = Vec::new();
    for j in 0..6 {
        if own.contains(&j) {
            ways.push((Vec::new(), Vec::new()));
            continue;
        }
        let column: Vec<Expr> = resistance.iter().map(|row| row[j]).collect();
        let way = factor.half(&column, &format!("U[{name}]"), graph);
        let gain = scaled(&factor, &way, &format!("G[{name}]"), graph);
        ways.push((way, gain));
    }
    let (mut passed, mut force) = (Blocks::ZERO, bias);
    for i in 0..6 {
        if let Some(at) = own.iter().position(|&own| own == i) {
            force[i] = given[at];
            continue;
        }
        force[i] = less(bias[i], &ways[i].0, &drive, true, graph);
        for j in (0..=i).filter(|j| !own.contains(j)) {
            let value = less(inertia.get(i, j), &ways[i].0, &ways[j].1, false, graph);
            passed.set(i, j, value);
        }
    }
    let passed = passed.name(&format!("a[{name}]"), graph);
    let force = named(force, &format!("f[{name}]"), graph);
    // Own components have no gains.
    let gain = |at: usize, j: usize| ways[j].1.get(at).copied().unwrap_or(Expr::ZERO);
    let gains = (0..directions.len()).map(|at| std::array::from_fn(|j| gain(at, j))).collect();
    Ok((Step { directions, own, factor, drive, gains }, passed, force))
}

/// `start - a.b`, or `start + a.b`.
fn less(start: Expr, a: &[Expr], b: &[Expr], plus: bool, graph: &mut Graph) -> Expr {
    let mut terms = vec![start];
    for (&a, &b) in a.iter().zip(b) {
        let product = graph.mul(a, b);
        terms.push(if plus { product } else { -product });
    }
    graph.sum(&terms)
}

fn scaled(factor: &LdlFactor, y: &[Expr], name: &str, graph: &mut Graph) -> Vec<Expr> {
    let scaled = factor.scaled(y, graph);
    scaled.into_iter().map(|value| graph.name(name, value)).collect()
}

/// The accelerations of a joint, and what it and its parents add at the node.
fn accelerate(step: &Step, start: Six, name: &str, graph: &mut Graph) -> (Vec<Expr>, Six) {
    let mut rest = Vec::new();
    for (&drive, gains) in step.drive.iter().zip(&step.gains) {
        rest.push(less(drive, gains, &start, false, graph));
    }
    let found = step.factor.back(&rest, &format!("a[{name}]"), graph);
    let mut end = start;
    if step.own.is_empty() {
        for (direction, &value) in step.directions.iter().zip(&found) {
            for (sum, &part) in end.iter_mut().zip(direction) {
                let product = graph.mul(part, value);
                *sum = graph.add(*sum, product);
            }
        }
        return (found, end);
    }
    // Without armature the factor gives what is there in the end; the parents' part is not in it.
    let mut relative = Vec::new();
    for (&at, &value) in step.own.iter().zip(&found) {
        end[at] = value;
        relative.push(graph.sub(value, start[at]));
    }
    (relative, end)
}

/// The directions of a motion along the positive axis, and their places if they are unit vectors.
fn directions(motion: ElementaryMotion) -> (Vec<Six>, Vec<usize>) {
    let units: Vec<usize> = match motion {
        ElementaryMotion::Ground => Vec::new(),
        ElementaryMotion::Revolute { axis, .. } => vec![axis],
        ElementaryMotion::Prismatic { axis, .. } => vec![axis + 3],
        ElementaryMotion::Helical { axis, pitch, .. } => {
            let mut direction = [Expr::ZERO; 6];
            (direction[axis], direction[axis + 3]) = (Expr::ONE, pitch);
            return (vec![direction], Vec::new());
        }
        ElementaryMotion::Spherical => vec![0, 1, 2],
        ElementaryMotion::Free => vec![3, 4, 5, 0, 1, 2],
    };
    let unit = |&at: &usize| {
        let mut direction = [Expr::ZERO; 6];
        direction[at] = Expr::ONE;
        direction
    };
    (units.iter().map(unit).collect(), units)
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
fn carried(wrench: Six, towards: &[Matrix], arm: Vector, graph: &mut Graph) -> Six {
    let (torque, force) = split(wrench);
    let force = turned(force, towards, graph);
    let torque = turned(torque, towards, graph);
    let lever = arm.cross(force, graph);
    joined(torque.add(lever, graph), force)
}

/// Accelerations of the parent as the node sees them.
fn brought(of_parent: Six, towards: &[Matrix], arm: Vector, graph: &mut Graph) -> Six {
    let (angular, linear) = split(of_parent);
    let lever = angular.cross(arm, graph);
    let linear = linear.add(lever, graph);
    joined(returned(angular, towards, graph), returned(linear, towards, graph))
}

fn split(six: Six) -> (Vector, Vector) {
    let [a, b, c, d, e, f] = six;
    (Vector([a, b, c]), Vector([d, e, f]))
}

fn joined(first: Vector, second: Vector) -> Six {
    let ([a, b, c], [d, e, f]) = (first.0, second.0);
    [a, b, c, d, e, f]
}

fn named(six: Six, name: &str, graph: &mut Graph) -> Six {
    let (angular, linear) = split(six);
    let angular = angular.name(&format!("{name}.r"), graph);
    joined(angular, linear.name(&format!("{name}.t"), graph))
}

#[cfg(test)]
mod tests {
    use super::{axes, recursion, start};
    use crate::forces;
    use crate::forward::{applied, free};
    use crate::normalise::normalise;
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
        let mut tree = normalise(mechanism);
        let (free, efforts) = (free(&tree), applied(&mut tree));
        let wrenches = forces::wrenches(&mut tree);
        let start = start(&mut tree, &free, &wrenches);
        let mut write = |hold: bool| {
            let axes = axes(&mut tree, hold);
            recursion(&mut tree, &free, &efforts, &start, &axes).expect("regular")
        };
        let (moving, held) = (write(false), write(true));
        assert_ne!(moving.qdd, held.qdd);
        let number =
            |name: &str| Some(name.bytes().fold(0.3, |sum, byte| (sum * f64::from(byte)).fract()));
        let evaluate =
            |list: &[_]| tree.mechanism.graph.evaluate_f64(list, number).expect("numbers");
        for (moving, held) in evaluate(&moving.qdd).into_iter().zip(evaluate(&held.qdd)) {
            assert!((moving - held).abs() < 1e-11 * (1.0 + moving.abs()), "{moving} {held}");
        }
    }
}
