//! Forward dynamics: undoes inverse dynamics, by all formalisms, with driven and locked joints; and
//! what it costs.

use rotule_formalism::Formalism::{self, ArticulatedBody, Barycentric, NewtonEuler};
use rotule_formalism::forward::ldl::LdlFactor;
use rotule_formalism::{ModelFunction, MultibodySystem, dynamics};
use rotule_testing::formalism;
use rotule_testing::formalism::{agree, example, numbers, state, tree, write};
use std::collections::BTreeMap;

const SOLVED: [Formalism; 3] = [NewtonEuler, Barycentric, ArticulatedBody];

/// Every type of joint, in branches, with fixed, driven and locked bodies between, laws and
/// armatures.
const ZOO: &str = r#"
[model]
name = "zoo"
gravity = [1, 2, -9]

[parameters]
m = 0.7
k = 3

[[body]]
name = "base"
parent = "ground"
joint = { name = "free", type = "free" }
mass = 5
com = [0.1, 0.2, -0.1]
inertia = { xx = 1, yy = 1.2, zz = 0.9, xy = 0.1, xz = -0.05, yz = 0.02 }
points.a = { position = [0.3, 0.1, 0], rotation = [0.2, -0.4, 1] }
points.b = [-0.2, 0.1, 0.4]

[[body]]
name = "one"
parent = "base.a"
joint = { name = "u", type = "universal", axes = ["x", [0, 1, 2]], effort = ["-k*q[1]", "-2*qd[2]"] }
mass = 1
com = [0.1, 0, 0.3]
inertia = { xx = 0.2, yy = 0.2, zz = 0.1 }

[[body]]
name = "lump"
parent = "one"
position = [0, 0.5, 0]
rotation = [0.1, 0.2, 0.3]
mass = 0.4
inertia = { xx = 0.02, yy = 0.02, zz = 0.01 }

[[body]]
name = "two"
parent = "lump"
joint = { name = "c", type = "cylindrical", axis = [1, 2, 2] }
mass = "m"
com = [0, 0.2, 0]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "three"
parent = "base.b"
joint = { name = "p", type = "planar", axis = "-y" }
mass = 0.8
com = [0.2, 0, 0]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "four"
parent = "three"
position = [0, 0, 0.3]
joint = { name = "s", type = "spherical", armature = 0.05 }
mass = 0.6
com = [0, 0.2, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "five"
parent = "four"
position = [0, 0.1, 0.3]
joint = { name = "h", type = "helical", axis = "-z", pitch = 0.3, armature = 0.2 }
mass = 0.3
com = [0.2, 0, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "driven"
parent = "two"
position = [0.2, 0, 0.1]
joint = { name = "d", type = "revolute", axis = [1, 1, 0], effort = "-k*q", armature = 0.1 }
mass = 0.5
com = [0.1, 0.2, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[motion]]
joint = "d"
q = "0.3*t^2 + sin(t)"

[[body]]
name = "slide"
parent = "driven"
rotation = { axis = "x", angle = 0.4 }
joint = { name = "y", type = "prismatic", axis = "-y", effort = "-k*q", armature = 0.3 }
mass = 0.2
com = [0.1, 0.05, 0.1]
inertia = { xx = 0.01, yy = 0.02, zz = 0.015 }

[[body]]
name = "ball"
parent = "slide"
position = [0.1, 0, 0]
joint = { name = "b", type = "spherical" }
mass = 0.2
com = [0.1, 0.05, 0.1]
inertia = { xx = 0.01, yy = 0.02, zz = 0.015 }

[[body]]
name = "locked"
parent = "five"
position = [0, 0.2, 0]
joint = { name = "l", type = "universal", axes = ["x", "z"], role = "locked" }
mass = 0.4
com = [0, 0.1, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "last"
parent = "locked"
position = [0, 0.2, 0]
joint = { name = "r", type = "revolute", axis = "-x" }
mass = 0.3
com = [0.1, 0.1, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04, xy = 0.003 }

[[body]]
name = "push"
parent = "last"
joint = { name = "z", type = "prismatic", axis = "z" }
mass = 0.3
com = [0.1, 0.1, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[motion]]
joint = "z"
q = "0.2*cos(3*t)"

[[body]]
name = "satellite"
parent = "base.b"
joint = { name = "f", type = "free", armature = 0.1 }
mass = 0.9
com = [0.1, 0.1, 0.1]
inertia = { xx = 0.1, yy = 0.12, zz = 0.13 }

[[body]]
name = "moon"
parent = "five"
joint = { name = "g", type = "free" }
mass = 0.9
com = [0.1, 0.1, 0.1]
inertia = { xx = 0.1, yy = 0.12, zz = 0.13 }

[initial.q]
l = [0.4, -0.7]
"#;

/// Marks the speeds that are driven or locked.
fn known(tree: &MultibodySystem) -> Vec<bool> {
    let speeds = tree.motion.qdd.ids();
    speeds.map(|at| !tree.motion.is_free(&tree.mechanism, at)).collect()
}

/// Puts numbers in the place of efforts.
fn apply(tree: &MultibodySystem, efforts: &[f64], state: &mut BTreeMap<String, f64>) {
    for (speed, effort) in tree.mechanism.speeds.iter().zip(efforts) {
        state.insert(tree.mechanism.graph.text(speed.effort), *effort);
    }
}

/// Postiau, tests A5 and A6; KINDA, test K-11.
#[test]
fn direct_dynamics_undoes_inverse_dynamics() {
    let mut tree = tree(ZOO);
    let inverse = write(&mut tree, "inverse", NewtonEuler);
    for formalism in SOLVED {
        let forward = write(&mut tree, "forward", formalism);
        let drives = write(&mut tree, "drives", formalism);
        let known = known(&tree);
        assert_eq!(known.iter().filter(|known| **known).count(), 4);
        for seed in 1..=10 {
            let mut state = state(&tree, seed);
            let given = tree
                .mechanism
                .graph
                .evaluate_f64(tree.motion.qdd.as_slice(), |name| state.get(name).copied());
            let given = given.expect("all inputs are known");
            let efforts = numbers(&tree, &inverse[0], &state);
            apply(&tree, &efforts, &mut state);
            let name = formalism.name();
            agree(name, &numbers(&tree, &forward[0], &state), &given, 1e-11);
            let of_known = |(effort, known): (&f64, &bool)| if *known { *effort } else { 0.0 };
            let expected: Vec<f64> = efforts.iter().zip(&known).map(of_known).collect();
            agree(name, &numbers(&tree, &drives[0], &state), &expected, 1e-11);
        }
    }
}

#[test]
fn the_mass_matrix_times_its_inverse_is_one() {
    let mut tree = tree(ZOO);
    let mass = write(&mut tree, "mass", NewtonEuler);
    let inverse = write(&mut tree, "inverse_mass", NewtonEuler);
    let known = known(&tree);
    let n = tree.speeds();
    for seed in 1..=5 {
        let state = state(&tree, seed);
        let (m, x) = (numbers(&tree, &mass[0], &state), numbers(&tree, &inverse[0], &state));
        let (mut product, mut unit) = (Vec::new(), Vec::new());
        for i in (0..n).filter(|&i| !known[i]) {
            for j in 0..n {
                product.push((0..n).map(|k| m[i * n + k] * x[k * n + j]).sum());
                unit.push(if i == j { 1.0 } else { 0.0 });
            }
        }
        agree("M M^-1", &product, &unit, 1e-11);
    }
}

/// The place at the end of a pendulum moves as a point mass across the rod, and turns with it.
#[test]
fn operational_inertia_of_simple_bodies_is_known() {
    let mut tree = tree(&chain(1));
    let found = write(&mut tree, "operational_inertia(link1.tip)", NewtonEuler);
    let state = state(&tree, 3);
    let (sine, cosine) = state["q1"].sin_cos();
    let along = [cosine, sine, 0.0, 0.0, 0.0, 1.0];
    let expected: Vec<f64> = along.iter().flat_map(|a| along.map(|b| a * b)).collect();
    agree("pendulum", &numbers(&tree, &found[0], &state), &expected, 1e-12);

    // A body that floats alone shows its own mass at its centre of mass.
    let mut tree = formalism::tree(
        r#"
        [model]
        name = "alone"
        [[body]]
        name = "it"
        parent = "ground"
        joint = { name = "f", type = "free" }
        mass = 2
        com = [0.1, 0.2, 0.3]
        inertia = { xx = 3, yy = 3, zz = 3 }
        points.centre = [0.1, 0.2, 0.3]
        "#,
    );
    let found = write(&mut tree, "operational_inertia(it.centre)", NewtonEuler);
    let mut expected = vec![0.0; 36];
    (0..6).for_each(|i| expected[7 * i] = if i < 3 { 2.0 } else { 3.0 });
    let state = formalism::state(&tree, 3);
    agree("alone", &numbers(&tree, &found[0], &state), &expected, 1e-12);
}

/// The tip of a chain in a plane, whose Jacobian is written by hand.
#[test]
fn operational_inertia_of_a_chain_follows_from_its_jacobian() {
    let mut tree = tree(&chain(4));
    let found = write(&mut tree, "operational_inertia(link4.tip)", NewtonEuler);
    let inverse = write(&mut tree, "inverse_mass", NewtonEuler);
    let state = state(&tree, 5);
    let (vi, x) = (numbers(&tree, &found[0], &state), numbers(&tree, &inverse[0], &state));
    let mut jacobian = [[0.0; 4]; 6];
    let mut angle = 0.0;
    for link in 0..4 {
        angle += state[&format!("q{}", link + 1)];
        // A rod hangs along (sin, -cos) and turns all that comes after the joint.
        jacobian[0][..=link].iter_mut().for_each(|entry| *entry += f64::cos(angle));
        jacobian[1][..=link].iter_mut().for_each(|entry| *entry += f64::sin(angle));
        jacobian[5][link] = 1.0;
    }
    let product = |a: &[f64; 4], b: &[f64; 4]| -> f64 {
        (0..16).map(|at| a[at / 4] * x[at] * b[at % 4]).sum()
    };
    let expected: Vec<f64> =
        jacobian.iter().flat_map(|a| jacobian.each_ref().map(|b| product(a, b))).collect();
    agree("chain", &vi, &expected, 1e-11);
}

#[test]
fn operational_inertia_and_its_inverse_belong_together() {
    let mut tree = tree(ZOO);
    let found = write(&mut tree, "operational_inertia(two)", NewtonEuler);
    assert_eq!((found[0].name.as_str(), found[1].name.as_str()), ("inertia", "inverse_inertia"));
    let state = state(&tree, 7);
    let (v, vi) = (numbers(&tree, &found[0], &state), numbers(&tree, &found[1], &state));
    let (mut product, mut unit) = (Vec::new(), Vec::new());
    for i in 0..6 {
        for j in 0..6 {
            product.push((0..6).map(|k| v[i * 6 + k] * vi[k * 6 + j]).sum());
            unit.push(if i == j { 1.0 } else { 0.0 });
        }
    }
    agree("inertia by its inverse", &product, &unit, 1e-11);
}

/// A place with fewer than six speeds cannot be pushed in all directions.
#[test]
fn few_speeds_give_the_inverse_inertia_only() {
    let mut tree = tree(&example("n_pendulum_8.toml"));
    let found = write(&mut tree, "operational_inertia(link3.tip)", NewtonEuler);
    let names: Vec<&str> = found.iter().map(|target| target.name.as_str()).collect();
    assert_eq!(names, ["inverse_inertia"]);
    let mut tree = formalism::tree(&example("pendulum.toml"));
    let body = tree.mechanism.bodies[1].name.clone();
    assert_eq!(write(&mut tree, &format!("operational_inertia({body})"), NewtonEuler).len(), 1);
}

/// Postiau, test C7.
#[test]
fn parallel_branches_stay_apart() {
    let mut text = "[model]\nname = 'fan'\n[[body]]\nname = 'b0'\nparent = 'ground'\njoint = { name = 'q0', type = 'revolute', axis = 'x' }\nmass = 1\ncom = [1, 2, 3]\n".to_owned();
    // Five branches of three joints on one body.
    for branch in 0..5 {
        for link in 0..3 {
            let number = 1 + 3 * branch + link;
            let parent = if link == 0 { 0 } else { number - 1 };
            text += &format!(
                "[[body]]\nname = 'b{number}'\nparent = 'b{parent}'\nposition = [1, 2, {branch}]\njoint = {{ name = 'q{number}', type = 'revolute', axis = [1, 2, {number}] }}\nmass = 1\ncom = [1, 2, 3]\ninertia = {{ xx = 1, yy = 1, zz = 1 }}\n"
            );
        }
    }
    let tree = tree(&text);
    let sheet = tree.sheet();
    let entries = dynamics::masses(tree.writer(&sheet), NewtonEuler);
    let factor = LdlFactor::of(&entries, 16, "M").expect("a regular matrix");
    // Every speed meets its ancestors alone.
    assert_eq!(factor.entries(), 5 * (1 + 2 + 3));
}

/// A chain of pendulums, as in the example of eight.
fn chain(links: usize) -> String {
    let mut text =
        "[model]\nname = 'chain'\ngravity = [0, -9.81, 0]\n[parameters]\nm = 1\nl = 1\n".to_owned();
    let mut parent = "ground".to_owned();
    for link in 1..=links {
        text += &format!(
            "[[body]]\nname = 'link{link}'\nparent = '{parent}'\njoint = {{ name = 'q{link}', type = 'revolute', axis = 'z' }}\nmass = 'm'\ncom = [0, '-l', 0]\npoints.tip = [0, '-l', 0]\n"
        );
        parent = format!("link{link}.tip");
    }
    text
}

fn refusal(text: &str, function: &str, formalism: Formalism) -> String {
    let tree = tree(text);
    let function = ModelFunction::parse(function, &tree).expect("a known function");
    match function.write(tree.writer(&tree.sheet()), formalism) {
        Ok(_) => panic!("`{}` is not refused", function.text),
        Err(problem) => problem.to_string(),
    }
}

#[test]
fn what_cannot_be_done_is_said() {
    let massless = "[model]\nname = 'm'\n[[body]]\nname = 'arm'\nparent = 'ground'\njoint = { name = 'q1', type = 'revolute', axis = 'x' }\nmass = 1\ncom = [0, 0, 1]\n[[body]]\nname = 'tip'\nparent = 'arm'\njoint = { name = 'q2', type = 'revolute', axis = 'y' }\n";
    let twice = |first: &str, second: &str| {
        format!(
            "[model]\nname = 'm'\n[parameters]\nm = 2\n[[body]]\nname = 'arm'\nparent = 'ground'\njoint = {{ name = 'q1', type = '{first}', axis = 'z' }}\n[[body]]\nname = 'tip'\nparent = 'arm'\njoint = {{ name = 'q2', type = '{second}', axis = 'z' }}\nmass = 'm'\ncom = [{}, 0, 1]\n",
            u8::from(first == second)
        )
    };
    let turn_and_slide = twice("revolute", "prismatic");
    let (slides, turns) = (twice("prismatic", "prismatic"), twice("revolute", "revolute"));
    let loops = refusal(&example("slider_crank.toml"), "inverse_mass", NewtonEuler);
    assert!(loops.contains("loop closure `") && loops.contains("`mass`"), "{loops}");
    for formalism in SOLVED {
        let end = refusal(massless, "forward", formalism);
        assert!(end.contains("`q2`") && end.contains("`tip`") && end.contains("armature"), "{end}");
        // The second of two joints on one line with no mass between.
        for twice in [turn_and_slide.clone(), slides.clone(), turns.clone()] {
            let inner = refusal(&twice, "forward", formalism);
            assert!(inner.contains("`q1`") && inner.contains("`arm`"), "{inner}");
        }
    }
    let long = refusal(&chain(300), "forward", NewtonEuler);
    assert!(long.contains("articulated-body"), "{long}");
    let tree = tree(&chain(300));
    let forward = ModelFunction::parse("forward", &tree).expect("a known function");
    let cheapest = rotule_formalism::generate(&tree, &forward, None).expect("a way to do it");
    assert_eq!(cheapest.formalism, ArticulatedBody);
}
