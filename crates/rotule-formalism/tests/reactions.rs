//! Reactions of joints, against inverse dynamics, against the balance of everything, and against
//! statics by hand.

use rotule_formalism::Formalism::NewtonEuler;
use rotule_formalism::MultibodySystem;
use rotule_formalism::{ByNode, NodeId};
use rotule_model::mechanism::{BodyId, Placement};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Vector};
use rotule_testing::formalism;
use rotule_testing::formalism::motion::{agree, evaluate, models, numbers, state};
use rotule_testing::formalism::{on_sheet, tree, write};

/// Along the axes of joints that are one node, reactions are efforts: inverse dynamics plus the
/// law, less what the armature takes.
#[test]
fn along_the_axes_they_are_efforts() {
    for (model, mut tree) in models() {
        let reactions = write(&mut tree, "reactions", NewtonEuler).remove(0);
        let inverse = write(&mut tree, "inverse", NewtonEuler).remove(0);
        let real: Vec<usize> = (1..tree.tree.bodies.len())
            .filter(|&body| !tree.mechanism.bodies[body].fictitious)
            .collect();
        let mut projected = Vec::new();
        let mut expected = Vec::new();
        for (row, &body) in real.iter().enumerate() {
            // The last node of the body's joint; a body that is fixed has none of its own.
            let joint = &tree.mechanism.joints[body - 1];
            if joint.speeds.is_empty() {
                continue;
            }
            let (node, Placement { position, rotation }) = tree.tree.bodies[BodyId::new(body)];
            let at = |place: u32| {
                let entry =
                    reactions.entries.iter().find(|one| (one.0, one.1) == (row as u32, place));
                entry.map_or(Expr::ZERO, |one| one.2)
            };
            let graph = &mut tree.mechanism.graph;
            let force = rotation.apply(Vector([at(0), at(1), at(2)]), graph);
            let torque = rotation.apply(Vector([at(3), at(4), at(5)]), graph);
            let lever = position.cross(force, graph);
            let torque = torque.add(lever, graph);
            let (speed, armature) = (tree.tree.nodes[node].speed, tree.tree.nodes[node].armature);
            for (place, effort) in project(&mut tree, node, force, torque).into_iter().enumerate() {
                projected.push(effort);
                let speed = speed.after(place);
                let graph = &mut tree.mechanism.graph;
                let drive = graph.mul(armature, tree.motion.qdd[speed]);
                let known = inverse.entries.iter().find(|one| one.0 as usize == speed.index());
                let known = known.map_or(Expr::ZERO, |one| one.2);
                let law = tree.motion.laws[speed];
                expected.push(graph.sum(&[known, law, -drive]));
            }
        }
        assert!(!projected.is_empty());
        for seed in 1..=5 {
            let state = state(&tree, seed);
            let column = |list: &[Expr]| numbers(&tree, &Target::vector("", list), &state);
            agree(model, &column(&projected), &column(&expected), 1e-12);
        }
    }
}

/// Rotation matrix and position of a placement, in numbers.
type Frame = ([[f64; 3]; 3], [f64; 3]);

fn turned(r: [[f64; 3]; 3], v: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| (0..3).map(|j| r[i][j] * v[j]).sum())
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3])
}

fn plus(a: [f64; 3], b: [f64; 3], factor: f64) -> [f64; 3] {
    std::array::from_fn(|i| a[i] + factor * b[i])
}

/// The sum of what the ground transmits is the rate of change of all momentum, less all weights.
/// The efforts of a joint that transmits a force and a torque, in the node's axes.
fn project(tree: &mut MultibodySystem, node: NodeId, force: Vector, torque: Vector) -> Vec<Expr> {
    on_sheet(tree, |writer| {
        let (force, torque) = (writer.vector(force), writer.vector(torque));
        let columns = writer.columns(node).into_iter();
        columns.map(|one| (one.phi.dot(torque) + one.psi.dot(force)).expr()).collect()
    })
}

/// Momentum comes from the poses of the bodies at three moments of a motion: Newton's law with
/// nothing of the recursions in it.
#[test]
fn together_they_move_everything() {
    for (model, mut tree) in models() {
        let reactions = write(&mut tree, "reactions", NewtonEuler).remove(0);
        // The pose of every body in the ground.
        let mut poses = ByNode::from(vec![Placement::IDENTITY]);
        for node in tree.tree.outward() {
            let placed = on_sheet(&mut tree, |writer| writer.placement(node));
            let parent = poses[tree.tree.nodes[node].parent];
            poses.push(parent.then(placed, &mut tree.mechanism.graph));
        }
        let mut exprs = Vec::new();
        for &(node, inside) in &tree.tree.bodies {
            let pose = poses[node].then(inside, &mut tree.mechanism.graph);
            exprs.extend(pose.rotation.0.into_iter().flatten().chain(pose.position.0));
        }
        // Forces from outside would be part of the balance; models with them have their own test.
        if !tree.mechanism.forces.is_empty() {
            continue;
        }
        let start = state(&tree, 3);
        let mechanism = &tree.mechanism;
        let frames = |state: &formalism::motion::State| -> Vec<Frame> {
            let values = evaluate(&tree, &exprs, state);
            let frame = |v: &[f64]| {
                let r = std::array::from_fn(|i| std::array::from_fn(|j| v[3 * i + j]));
                (r, [v[9], v[10], v[11]])
            };
            values.chunks(12).map(frame).collect()
        };
        // Momentum and angular momentum about the ground's origin, by particles: each body as six
        // points that have its mass, centre and inertia would do; here its velocity field is
        // differenced instead.
        let step = 1e-4;
        let state_at = |time: f64| advance(&tree, &start, time);
        let momenta = |time: f64| {
            let [before, now, after] = [-step, 0.0, step].map(|by| frames(&state_at(time + by)));
            let mut sums = ([0.0; 3], [0.0; 3]);
            for (body, one) in mechanism.bodies.iter().enumerate().skip(1) {
                let list = [one.mass]
                    .into_iter()
                    .chain(one.com.0)
                    .chain(one.inertia.0.into_iter().flatten())
                    .collect::<Vec<Expr>>();
                let v = evaluate(&tree, &list, &start);
                let (mass, com) = (v[0], [v[1], v[2], v[3]]);
                let inertia: [[f64; 3]; 3] =
                    std::array::from_fn(|i| std::array::from_fn(|j| v[4 + 3 * i + j]));
                let at = |frames: &[Frame]| plus(turned(frames[body].0, com), frames[body].1, 1.0);
                let velocity = plus(at(&after), at(&before), -1.0).map(|x| x / (2.0 * step));
                // tilde(w) = Rdot R^T
                let (r, a, b) = (now[body].0, after[body].0, before[body].0);
                let spin = |i: usize, j: usize| -> f64 {
                    (0..3).map(|k| (a[i][k] - b[i][k]) / (2.0 * step) * r[j][k]).sum()
                };
                let w = [spin(2, 1), spin(0, 2), spin(1, 0)];
                let back: [[f64; 3]; 3] = std::array::from_fn(|i| std::array::from_fn(|j| r[j][i]));
                let own = turned(r, turned(inertia, turned(back, w)));
                let linear = velocity.map(|x| x * mass);
                sums.0 = plus(sums.0, linear, 1.0);
                sums.1 = plus(plus(sums.1, own, 1.0), cross(at(&now), linear), 1.0);
            }
            sums
        };
        let (one, two) = (momenta(-10.0 * step), momenta(10.0 * step));
        let mut expected = [0.0; 6];
        for i in 0..3 {
            expected[i] = (two.0[i] - one.0[i]) / (20.0 * step);
            expected[3 + i] = (two.1[i] - one.1[i]) / (20.0 * step);
        }
        let now = frames(&start);
        let gravity = evaluate(&tree, &mechanism.gravity.0, &start);
        for (body, one) in mechanism.bodies.iter().enumerate().skip(1) {
            let v = evaluate(&tree, &[one.mass, one.com[0], one.com[1], one.com[2]], &start);
            let at = plus(turned(now[body].0, [v[1], v[2], v[3]]), now[body].1, 1.0);
            let weight = [gravity[0], gravity[1], gravity[2]].map(|g| g * v[0]);
            let torque = cross(at, weight);
            for i in 0..3 {
                expected[i] -= weight[i];
                expected[3 + i] -= torque[i];
            }
        }
        let values = numbers(&tree, &reactions, &start);
        let mut found = [0.0; 6];
        let real = mechanism.bodies.iter().enumerate().skip(1).filter(|(_, one)| !one.fictitious);
        for ((body, one), row) in real.zip(&values) {
            // What stands on the ground, directly or by a chain of joints.
            let mut parent = one.parent.expect("a parent").index();
            while mechanism.bodies[parent].fictitious {
                parent = mechanism.bodies[parent].parent.expect("a parent").index();
            }
            if parent != 0 {
                continue;
            }
            let force = turned(now[body].0, [row[0], row[1], row[2]]);
            let torque = turned(now[body].0, [row[3], row[4], row[5]]);
            let torque = plus(torque, cross(now[body].1, force), 1.0);
            for i in 0..3 {
                found[i] += force[i];
                found[3 + i] += torque[i];
            }
        }
        // Twice differenced with a step of 1e-3.
        agree(model, &[found.to_vec()], &[expected.to_vec()], 1e-4);
    }
}

/// The state after a while: speeds by the accelerations, coordinates by the speeds, to third order.
fn advance(
    tree: &MultibodySystem,
    start: &formalism::motion::State,
    time: f64,
) -> formalism::motion::State {
    let mechanism = &tree.mechanism;
    let name = |symbol: Expr| mechanism.graph.text(symbol);
    let speeds = |time: f64, state: &mut formalism::motion::State| {
        for speed in &mechanism.speeds {
            let value = start[&name(speed.symbol)] + time * start[&name(speed.acceleration)];
            state.insert(name(speed.symbol), value);
        }
        let clock = name(mechanism.time);
        state.insert(clock.clone(), start[&clock] + time);
    };
    // Small steps by the midpoint rule.
    let steps = 8;
    let step = time / f64::from(steps);
    let mut state = start.clone();
    for number in 0..steps {
        let begin = step * f64::from(number);
        let mut middle = state.clone();
        speeds(begin, &mut middle);
        let first = formalism::motion::motion(tree, &middle);
        let mut half = state.clone();
        first
            .iter()
            .for_each(|(name, rate)| *half.get_mut(name).expect("an input") += step / 2.0 * rate);
        speeds(begin + step / 2.0, &mut half);
        let rates = formalism::motion::motion(tree, &half);
        rates
            .iter()
            .for_each(|(name, rate)| *state.get_mut(name).expect("an input") += step * rate);
    }
    speeds(time, &mut state);
    state
}

/// Three boxes stacked on a slide: what each carries can be said by hand.
#[test]
fn a_stack_at_rest() {
    let mut tree = tree(
        r#"
[model]
name = "stack"
gravity = [0, 0, -10]
[[body]]
name = "low"
parent = "ground"
joint = { name = "x", type = "prismatic", axis = "x", role = "locked" }
mass = 3
[[body]]
name = "middle"
parent = "low"
position = [0, 0, 1]
rotation = { axis = "z", angle = "pi/2" }
mass = 2
com = [0.5, 0, 0]
[[body]]
name = "high"
parent = "middle"
position = [0, 0, 1]
mass = 1
com = [0, 0.25, 0]
"#,
    );
    let reactions = write(&mut tree, "reactions", NewtonEuler).remove(0);
    let state = state(&tree, 1);
    let found = numbers(&tree, &reactions, &state);
    // In the axes of `middle`, `high` weighs 10 at y = 0.25 and `middle` 20 at x = 0.5: the torques
    // are those that hold them up. `low` is a quarter turn back: its x is their -y, its y their x.
    let expected = [
        vec![0.0, 0.0, 60.0, 10.0, 2.5, 0.0],
        vec![0.0, 0.0, 30.0, 2.5, -10.0, 0.0],
        vec![0.0, 0.0, 10.0, 2.5, 0.0, 0.0],
    ];
    agree("stack", &found, &expected, 1e-12);
}

/// Forces on bodies of a stack that are fixed to each other.
#[test]
fn forces_on_fixed_bodies_stay_with_them() {
    let model = |more: &str| {
        tree(&format!(
            r#"
[model]
name = "stack"
gravity = [0, 0, -10]
[[body]]
name = "low"
parent = "ground"
joint = {{ name = "x", type = "prismatic", axis = "x" }}
mass = 3
[[body]]
name = "middle"
parent = "low"
position = [0, 0, 1]
rotation = {{ axis = "z", angle = "pi/2" }}
mass = 2
[[body]]
name = "high"
parent = "middle"
position = [0, 0, 1]
mass = 1
[[body]]
name = "post"
parent = "ground"
mass = 1
{more}
"#
        ))
    };
    let mut pushed = model(
        r#"
[[force]]
name = "up"
at = "high"
force = [0, 0, 4]
[[force]]
name = "aside"
at = "middle"
force = [0, 6, 0]
torque = [0, 0, 1]
"#,
    );
    let reactions = write(&mut pushed, "reactions", NewtonEuler).remove(0);
    let mut rest = state(&pushed, 1);
    for speed in &pushed.mechanism.speeds {
        rest.insert(pushed.mechanism.graph.text(speed.acceleration), 0.0);
    }
    let found = numbers(&pushed, &reactions, &rest);
    // The ground's y is the x of `middle` and `high`.
    let expected = [
        vec![0.0, -6.0, 56.0, 6.0, 0.0, -1.0],
        vec![-6.0, 0.0, 26.0, 0.0, 0.0, -1.0],
        vec![0.0, 0.0, 6.0, 0.0, 0.0, 0.0],
        vec![0.0, 0.0, 10.0, 0.0, 0.0, 0.0],
    ];
    agree("pushed stack", &found, &expected, 1e-12);
    for (more, said) in [
        (
            "[[line_force]]\nname = \"s\"\nbetween = [\"high\", \"low\"]\nforce = \"Z\"",
            "the line force `s` pulls `high` and `low`, which are fixed to each other",
        ),
        (
            "[[force]]\nname = \"f\"\nat = \"post\"\nforce = [1, 0, 0]",
            "`f` acts on `post`, which is fixed to the ground",
        ),
    ] {
        let tree = model(more);
        let function =
            rotule_formalism::ModelFunction::parse("reactions", &tree).expect("a function");
        let problem =
            function.write(tree.writer(&tree.sheet()), NewtonEuler).expect_err("no reactions");
        assert!(problem.message.starts_with(said), "{problem}");
    }
}
