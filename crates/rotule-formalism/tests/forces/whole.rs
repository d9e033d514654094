//! Identities on a model with every element, and the examples.

use crate::run::*;

/// Every element on a tree with driven joints: line forces, forces in both axes, wheels on flat and
/// on other ground.
const ALL: &str = r#"
[model]
name = "all"
gravity = [0.1, 0.2, -9.7]

[parameters]
k = 500
r = 1.9

[[body]]
name = "car"
parent = "ground"
joint = { name = "f", type = "free" }
mass = 10
com = [0.1, 0.02, 0.1]
inertia = { xx = 1, yy = 1.2, zz = 0.9, xy = 0.1 }
points.nose = { position = [0.8, 0.1, 0.2], rotation = [0.3, 0.2, -0.5] }

[[body]]
name = "arm"
parent = "car.nose"
joint = { name = "a", type = "revolute", axis = [0, 1, 2] }
mass = 1
com = [0.1, 0, 0]
points.tip = { position = [0.3, 0, 0.1], rotation = [0, 0, 0.4] }

[[body]]
name = "fork"
parent = "car"
position = [1, 0, -0.1]
joint = [{ name = "steer", type = "revolute", axis = "z" }, { name = "slide", type = "prismatic", axis = "z" }]
mass = 1

[[body]]
name = "wheel"
parent = "fork"
position = [0, 0.1, -0.1]
rotation = [0.1, 0.2, 0.3]
joint = { name = "spin", type = "revolute", axis = "y" }
mass = 2
inertia = { xx = 0.1, yy = 0.2, zz = 0.1 }

[[body]]
name = "skew"
parent = "car"
position = [-1, 0.2, -0.1]
rotation = [0.3, 0, 1]
joint = { name = "turn", type = "revolute", axis = [1, 2, -1] }
mass = 2
inertia = { xx = 0.1, yy = 0.2, zz = 0.1 }

[[body]]
name = "coin"
parent = "ground"
joint = { name = "c", type = "free" }
mass = 0.1
inertia = { xx = 0.1, yy = 0.2, zz = 0.1 }

[[body]]
name = "driven"
parent = "arm.tip"
joint = { name = "d", type = "revolute", axis = "z" }
mass = 0.3
com = [0, 0.2, 0]

[[motion]]
joint = "d"
q = "sin(2*t)"

[[line_force]]
name = "spring"
between = ["driven", "fork"]
force = "k*(Z - 0.4) + 2*Zd*t"

[[line_force]]
name = "rope"
between = ["coin", "ground"]
force = "bump_stop(Z, Zd, 0.3, k, 10, 0.1)"

[[force]]
name = "wind"
at = "arm.tip"
force = ["-0.5*vx + x", "-0.4*vy*abs(vy)", "0.3*z"]
torque = ["-wx", "0.2*wy*t", "-wz"]

[[force]]
name = "jet"
at = "car.nose"
force = [20, "-0.1*vx", 3]
torque = [0, "wz", 1]
axes = "body"

[[wheel]]
name = "front"
body = "wheel"
radius = "r"
ground = "0.1*sin(t)"
vertical = "k*depth + 20*depth_rate"
lateral = "-Fz*magic_formula(side_slip, 5, 1.3, 1, 0.2)"
longitudinal = "-linear_tyre(slip, 300, Fz)"
roll = "3*camber*depth"
pitch = "-0.02*Fz*spin"
yaw = "0.1*side_slip*speed"

[[wheel]]
name = "rear"
body = "skew"
radius = "r"
ground = "0.2*sin(x)*cos(y + t)"
vertical = "hunt_crossley(depth, depth_rate, k, 1.5, 0.2)"
lateral = "-100*side_slip"

[[wheel]]
name = "disc"
body = "coin"
radius = 1.5
axle = [0, 1, 2]
vertical = "k*depth"
longitudinal = "-Fz*slip"
yaw = "-0.1*Fz"
"#;

/// A state in which the wheels touch the ground, most of the time.
fn upright(tree: &rotule_formalism::MultibodySystem, seed: u32) -> State {
    let mut state = random_state(tree, seed);
    for name in ["f.qw", "c.qw"] {
        state.insert(name.into(), 3.0);
    }
    for joint in ["f", "c"] {
        let parts: Vec<String> =
            ["qw", "qx", "qy", "qz"].map(|part| format!("{joint}.{part}")).to_vec();
        let size = parts.iter().map(|part| state[part].powi(2)).sum::<f64>().sqrt();
        for part in parts {
            state.entry(part).and_modify(|value| *value /= size);
        }
        state.entry(format!("{joint}.z")).and_modify(|z| *z = 1.2 + 0.4 * *z);
    }
    state
}

/// Test A1 with every kind of force: inverse = M qdd + c.
#[test]
fn inverse_is_mass_times_accelerations_plus_bias() {
    let tree = model(ALL);
    let [inverse, mass, bias, laws] =
        ["inverse", "mass", "bias", "efforts"].map(|text| program(&tree, text));
    let mut touched = 0;
    let wheel = program(&tree, "wheel(rear)");
    for seed in 1..=10 {
        let state = upright(&tree, seed);
        let value = |name: &str| state.get(name).copied();
        let qdd = tree
            .mechanism
            .graph
            .evaluate_f64(tree.motion.qdd.as_slice(), value)
            .expect("all inputs");
        let matrix = &run(&mass, &state)["M"];
        let expected = run(&bias, &state);
        let laws = run(&laws, &state);
        let found = run(&inverse, &state);
        let size = found["effort"].iter().fold(1.0_f64, |size, one| size.max(one.abs()));
        for (row, effort) in found["effort"].iter().enumerate() {
            let n = qdd.len();
            let expected =
                dot(&matrix[row * n..][..n], &qdd) + expected["c"][row] - laws["effort"][row];
            assert!((effort - expected).abs() < 1e-12 * size, "{row}: {effort} {expected}");
        }
        touched += u32::from(run(&wheel, &state)["depth"][0] > 0.0);
    }
    assert!(touched > 3, "the wheel on the hills touched in {touched} states of ten");
}

/// The forces are what the bias has less without them, by a recursion of their own.
#[test]
fn forces_are_the_difference_they_make_to_the_bias() {
    let tree = model(ALL);
    let [bias, forces] = ["bias", "forces"].map(|text| program(&tree, text));
    let [gravity, coriolis] = ["gravity", "coriolis"].map(|text| program(&tree, text));
    for seed in 1..=10 {
        let state = upright(&tree, seed);
        let bias = &run(&bias, &state)["c"];
        let (gravity, coriolis) = (run(&gravity, &state), run(&coriolis, &state));
        let size = bias.iter().fold(1.0_f64, |size, one| size.max(one.abs()));
        for (row, force) in run(&forces, &state)["effort"].iter().enumerate() {
            let without = gravity["gravity"][row] + coriolis["coriolis"][row];
            let difference = without - bias[row];
            assert!((force - difference).abs() < 1e-12 * size, "{row}: {force} {difference}");
        }
    }
}

/// Virtual power: efforts times speeds is the sum of F . v + L . w of every element, with
/// velocities by the kinematics of places and forces as the laws say.
#[test]
fn efforts_times_speeds_is_the_power_of_the_elements() {
    let mut tree = model(ALL);
    let forces = program(&tree, "forces");
    let kinematics = |tree: &mut _, at: &str| program(tree, &format!("kinematics({at})"));
    let [tip, nose, hub, skew, coin] =
        ["arm.tip", "car.nose", "wheel", "skew", "coin"].map(|at| kinematics(&mut tree, at));
    let line_forces = ["line_force(spring)", "line_force(rope)"].map(|text| program(&tree, text));
    let wheels = ["front", "rear", "disc"].map(|name| program(&tree, &format!("wheel({name})")));
    for seed in 1..=10 {
        let state = upright(&tree, seed);
        let t = state["t"];
        let mut power = 0.0;
        for line_force in &line_forces {
            let line_force = run(line_force, &state);
            power -= line_force["force"][0] * line_force["rate"][0];
        }
        let at = run(&tip, &state);
        let (p, v, w) = (&at["position"], &at["velocity"], &at["angular_velocity"]);
        power += (-0.5 * v[0] + p[0]) * v[0] - 0.4 * v[1] * v[1].abs() * v[1] + 0.3 * p[2] * v[2];
        power += -w[0] * w[0] + 0.2 * w[1] * t * w[1] - w[2] * w[2];
        let at = run(&nose, &state);
        let (r, v, w) = (&at["rotation"], &at["velocity"], &at["angular_velocity"]);
        let (force, torque) = ([20.0, -0.1 * v[0], 3.0], [0.0, w[2], 1.0]);
        for i in 0..3 {
            power += dot(&r[3 * i..3 * i + 3], &force) * v[i];
            power += dot(&r[3 * i..3 * i + 3], &torque) * w[i];
        }
        // The axle, the centre and its motion; the contact's axes are found again from the point.
        let axles = [
            [0.0, 1.0, 0.0],
            [1.0, 2.0, -1.0].map(|x| x / 6_f64.sqrt()),
            [0.0, 0.2_f64.sqrt(), 0.8_f64.sqrt()],
        ];
        for ((wheel, body), axle) in wheels.iter().zip([&hub, &skew, &coin]).zip(axles) {
            let (contact, body) = (run(wheel, &state), run(body, &state));
            let axle = turned(&body["rotation"], &axle);
            let point = &contact["point"];
            let slope = if contact["force"] == run(&wheels[1], &state)["force"] {
                let (s, c) = point[0].sin_cos();
                let (sy, cy) = (point[1] + t).sin_cos();
                [-0.2 * c * cy, 0.2 * s * sy, 1.0]
            } else {
                [0.0, 0.0, 1.0]
            };
            let normal = unit(&slope);
            let forward = unit(&cross(&axle, &normal));
            let left = cross(&normal, &forward);
            let arm: Vec<f64> = (0..3).map(|i| point[i] - body["position"][i]).collect();
            let w = &body["angular_velocity"];
            let sweep = cross(w, &arm);
            for (k, axis) in [forward, left, normal].iter().enumerate() {
                for i in 0..3 {
                    power += contact["force"][k] * axis[i] * (body["velocity"][i] + sweep[i]);
                    power += contact["torque"][k] * axis[i] * w[i];
                }
            }
        }
        close(dot(&run(&forces, &state)["effort"], &speeds(&tree, &state)), power, 1e-11);
    }
}

fn turned(rotation: &[f64], vector: &[f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| dot(&rotation[3 * i..3 * i + 3], vector))
}

pub fn cross(a: &[f64], b: &[f64]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub fn unit(a: &[f64]) -> [f64; 3] {
    let size = dot(a, a).sqrt();
    std::array::from_fn(|i| a[i] / size)
}

/// Derivatives through the contact of a wheel on hills, against differences.
#[test]
fn derivatives_pass_through_contacts() {
    let tree = model(ALL);
    let function =
        rotule_formalism::ModelFunction::parse("wheel(rear)", &tree).expect("a function");
    let sheet = tree.sheet();
    let writer = tree.writer(&sheet);
    let outputs = function.write(writer, function.formalisms()[0]).expect("written");
    let depth = outputs[0].entries[0].2;
    let symbols: Vec<_> = ["f.x", "f.z", "turn", "t", "r"]
        .map(|name| tree.mechanism.graph.lookup(name).expect("a symbol"))
        .to_vec();
    let mut entries = vec![rotule_symbolic::Expr::ZERO; symbols.len()];
    for (_, column, value) in writer.total_derivatives(&[depth], &symbols) {
        entries[column] = value;
    }
    let mut request = rotule_program::lower::Request {
        name: "derivative".into(),
        outputs: vec![
            rotule_program::lower::Target::vector("slope", &entries),
            rotule_program::lower::Target::scalar("depth", depth),
        ],
        ..Default::default()
    };
    let (graph, solves, _) = sheet.into_parts();
    request.solves = solves;
    let program = rotule_program::lower::lower(&graph, &request).program;
    let mut touched = 0;
    for seed in 1..=10 {
        let state = upright(&tree, seed);
        let found = run(&program, &state);
        if found["depth"][0] <= 0.0 {
            continue;
        }
        touched += 1;
        for (name, slope) in ["f.x", "f.z", "turn", "t", "r"].iter().zip(&found["slope"]) {
            let at = |shift: f64| {
                let mut state = state.clone();
                state.entry((*name).to_owned()).and_modify(|value| *value += shift);
                run(&program, &state)["depth"][0]
            };
            close(*slope, (at(1e-5) - at(-1e-5)) / 2e-5, 1e-8);
        }
    }
    assert!(touched > 3, "{touched}");
}

/// The examples at their initial states: finite numbers, and the ground pushes.
#[test]
fn examples_stand_on_their_wheels() {
    for (name, wheels) in [("motorcycle.toml", 2), ("multilink_car.toml", 4), ("train_20.toml", 0)]
    {
        let tree = model(&example(name));
        assert_eq!(tree.mechanism.wheels.len(), wheels);
        let state = initial_state(&tree);
        let efforts = get(&tree, "forces", "effort", &state);
        assert!(efforts.iter().all(|effort| effort.is_finite()), "{name}");
        assert!(efforts.iter().any(|effort| *effort != 0.0), "{name}");
        let weights = get(&tree, "gravity", "gravity", &state);
        assert!(weights.iter().all(|weight| weight.is_finite()), "{name}");
        for index in 0..wheels {
            let wheel = tree.mechanism.wheels[index].name.clone();
            let force = get(&tree, &format!("wheel({wheel})"), "force", &state);
            assert!(force[2] > 0.0, "{name}: {wheel} {force:?}");
        }
    }
}

/// The motorcycle's initial state is an equilibrium at 20 m/s, found by others: no effort is needed
/// to stay in it.
#[test]
fn the_motorcycle_runs_in_equilibrium() {
    let tree = model(&example("motorcycle.toml"));
    let state = initial_state(&tree);
    let efforts = get(&tree, "inverse", "effort", &state);
    for (coordinate, effort) in tree.mechanism.coordinates.iter().zip(efforts) {
        // The driving torque is given to three decimals; joint q10 is locked.
        let tolerance = if coordinate.name == "q8" { 1e-3 } else { 1e-6 };
        assert!(coordinate.name == "q10" || effort.abs() < tolerance, "{coordinate:?} {effort}");
    }
}
