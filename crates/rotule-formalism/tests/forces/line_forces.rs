//! Line forces between branches, to the ground, of no length; planar geometry.

use crate::run::*;
use rotule_program::ProgramCounts;

/// Two branches from a moving base, with masses off the joints, and a line force between them.
const BRANCHES: &str = r#"
[model]
name = "branches"

[[body]]
name = "base"
parent = "ground"
joint = { name = "f", type = "free" }
mass = 2
com = [0.1, 0.2, 0.3]
inertia = { xx = 1, yy = 1.2, zz = 0.9 }
points.a = { position = [0.3, 0.1, 0], rotation = [0.2, -0.4, 1] }

[[body]]
name = "left"
parent = "base.a"
joint = [{ name = "q1", type = "revolute", axis = [1, 2, 2] }, { name = "q2", type = "prismatic", axis = "y" }]
mass = 1
com = [0.4, 0, 0.2]
inertia = { xx = 0.1, yy = 0.2, zz = 0.1 }
points.tip = [0.5, 0.1, -0.2]

[[body]]
name = "right"
parent = "base"
position = [-0.2, 0, 0.4]
joint = { name = "s", type = "spherical" }
mass = 1
com = [0, 0.3, 0.2]
inertia = { xx = 0.1, yy = 0.2, zz = 0.1 }
points.tip = [0.1, 0.6, 0.2]

[[line_force]]
name = "between"
between = ["left.tip", "right.tip"]
force = "3*(Z - 0.4) + 0.7*Zd + 0.2*Z*Zd"

[[line_force]]
name = "down"
between = ["right", "ground"]
force = "spring_damper(Z, Zd, 2, 0.1, 0.3)"
"#;

/// Test A7: the efforts of a line force do the work of its force on its length.
#[test]
fn the_power_of_a_link_is_minus_its_force_times_the_rate_of_its_length() {
    let tree = model(BRANCHES);
    let programs =
        ["forces", "line_force(between)", "line_force(down)"].map(|text| program(&tree, text));
    for seed in 1..=10 {
        let state = random_state(&tree, seed);
        let [all, between, down] = programs.each_ref().map(|program| run(program, &state));
        let power = dot(&all["effort"], &speeds(&tree, &state));
        let of = |line_force: &std::collections::HashMap<String, Vec<f64>>| {
            line_force["force"][0] * line_force["rate"][0]
        };
        close(power, -of(&between) - of(&down), 1e-13);
    }
}

#[test]
fn the_rate_is_the_derivative_of_the_length() {
    let mut tree = model(BRANCHES);
    for line_force in ["line_force(between)", "line_force(down)"] {
        let program = program(&tree, line_force);
        for seed in 1..=5 {
            let state = random_state(&tree, seed);
            let at =
                |tree: &mut _, time: f64| run(&program, &moved(tree, &state, time))["length"][0];
            let step = 1e-6;
            let difference = (at(&mut tree, step) - at(&mut tree, -step)) / (2.0 * step);
            close(run(&program, &state)["rate"][0], difference, 1e-8);
        }
    }
}

/// Bodies that carry both ends do not enter: a line force between two branches of a base knows
/// nothing of the base's motion.
#[test]
fn a_link_is_relative_to_the_nearest_common_ancestor() {
    let tree = model(BRANCHES);
    let program = program(&tree, "line_force(between)");
    let text = program.to_string();
    let used = text.split("body").last().unwrap_or_default();
    assert!(!used.contains("f["), "{text}");
    assert!(!used.contains("f.d["), "{text}");
}

/// A hanging mass stretches a spring: positive pulls together.
#[test]
fn a_stretched_spring_pulls() {
    let text = r#"
[model]
name = "hanging"
[[body]]
name = "mass"
parent = "ground"
joint = { name = "z", type = "prismatic", axis = "z" }
mass = 2
[[line_force]]
name = "spring"
between = ["ground", "mass"]
force = "100*(Z - 0.5)"
"#;
    let tree = model(text);
    let mut state = random_state(&tree, 1);
    // Below the ground's origin: the spring is longer than 0.5 and pulls upwards.
    state.insert("z".into(), -0.7);
    let effort = get(&tree, "forces", "effort", &state);
    close(effort[0], 20.0, 1e-12);
    state.insert("z".into(), -0.3);
    let effort = get(&tree, "forces", "effort", &state);
    close(effort[0], -20.0, 1e-12);
    // Ends that coincide have no direction.
    state.insert("z".into(), 0.0);
    let effort = get(&tree, "forces", "effort", &state);
    close(effort[0], 0.0, 0.0);
}

#[test]
fn ends_that_coincide_get_no_force_and_no_infinite_number() {
    let tree = model(&BRANCHES.replace("[\"right\", \"ground\"]", "[\"right\", \"base\"]"));
    // The origin of `right` is at (-0.2, 0, 0.4) of the base, so this line force never has length
    // zero.
    let state = random_state(&tree, 3);
    close(get(&tree, "line_force(down)", "length", &state)[0], 0.2_f64.sqrt(), 1e-15);
    let coincide = BRANCHES
        .replace("position = [-0.2, 0, 0.4]\n", "")
        .replace("[\"right\", \"ground\"]", "[\"right\", \"base\"]");
    let tree = model(&coincide);
    let state = random_state(&tree, 3);
    let effort = get(&tree, "forces", "effort", &state);
    assert!(effort.iter().all(|effort| effort.is_finite()), "{effort:?}");
    assert!(get(&tree, "line_force(down)", "length", &state)[0] < 1e-11);
    // Nor in derivatives.
    let function = rotule_formalism::ModelFunction::parse("forces", &tree).expect("a function");
    let sheet = tree.sheet();
    let writer = tree.writer(&sheet);
    let outputs = function.write(writer, function.formalisms()[0]).expect("written");
    let efforts: Vec<_> = outputs[0].entries.iter().map(|entry| entry.2).collect();
    let symbols: Vec<_> = tree.mechanism.coordinates.iter().map(|one| one.symbol).collect();
    let derivatives = writer.total_derivatives(&efforts, &symbols);
    let entries: Vec<_> = derivatives.iter().map(|entry| entry.2).collect();
    let value = |name: &str| state.get(name).copied();
    let numbers =
        sheet.graph.read(|graph| graph.evaluate_f64(&entries, value)).expect("all inputs");
    assert!(numbers.iter().all(|number| number.is_finite()));
}

/// Postiau, appendix on the motorcycle: a line force in a plane has no equation across it, and the
/// lengths are found in the frame of the chassis, which carries both ends.
#[test]
fn a_planar_link_has_no_equation_across_the_plane() {
    let tree = model(&example("motorcycle.toml"));
    let program = program(&tree, "line_force(shock_absorber)");
    let text = program.to_string();
    assert!(
        !text.contains("z[shock_absorber].y") && !text.contains("e[shock_absorber].y"),
        "{text}"
    );
    let counts = ProgramCounts::of(&program);
    // The listing has 4 products for R d, 6 sums for z, 3 for Z, 2 quotients, 4 for Zd, the law 4.
    assert!(counts.body.total() <= 22, "{counts}");
    // In numbers, by hand: the pivot of the swing arm is at (x_p, z_p) of the chassis.
    let state = initial_state(&tree);
    let get = |name: &str| state[name];
    let (s, c) = get("q7").sin_cos();
    let (x, z) = (get("x_l") * c + get("z_l") * s, get("z_l") * c - get("x_l") * s);
    let (dx, dz) = (get("x_p") + x - get("x_u"), get("z_p") + z - get("z_u"));
    close(run(&program, &state)["length"][0], dx.hypot(dz), 1e-15);
}
