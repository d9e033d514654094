//! Wheels: angles, rolling, contact (test A8), and the ground (test A9).

use crate::run::*;
use crate::whole::{cross, unit};
use rotule_symbolic::Unary;

/// A wheel with yaw, camber and spin, on a ground.
fn unicycle(ground: &str, gravity: &str) -> String {
    format!(
        r#"
[model]
name = "unicycle"
gravity = {gravity}

[parameters]
e = 0
R = 0.3

[[body]]
name = "frame"
parent = "ground"
joint = [
  {{ name = "x", type = "prismatic", axis = "x" }},
  {{ name = "y", type = "prismatic", axis = "y" }},
  {{ name = "z", type = "prismatic", axis = "z" }},
  {{ name = "yaw", type = "revolute", axis = "z" }},
  {{ name = "roll", type = "revolute", axis = "x" }},
  {{ name = "wind", type = "revolute", axis = "y" }},
]
mass = 1

[[body]]
name = "wheel"
parent = "frame"
joint = {{ name = "turn", type = "revolute", axis = "y" }}
mass = 1
inertia = {{ xx = 0.1, yy = 0.2, zz = 0.1 }}

[[wheel]]
name = "tyre"
body = "wheel"
radius = "R"
ground = "{ground}"
vertical = "1e4*depth + 20*depth_rate"
lateral = "-Fz*(3*side_slip + 0.9*camber)"
longitudinal = "-Fz*5*slip"
roll = "0.3*Fz*camber"
pitch = "-0.01*Fz*spin"
yaw = "0.05*Fz*side_slip"
"#
    )
}

const DOWN: &str = "[0, 0, -9.81]";

fn set(state: &mut State, values: &[(&str, f64)]) {
    for (name, value) in values {
        state.insert((*name).to_owned(), *value);
    }
}

/// A random state in which the tyre is compressed a little.
fn touching(tree: &rotule_formalism::MultibodySystem, seed: u32) -> State {
    let mut state = random_state(tree, seed);
    let roll: f64 = state["roll"];
    state.insert("z".into(), 0.29 * roll.cos() - 0.005);
    state
}

/// Test A8: the angles of a composed rotation are found again; the wind-up and the turn of the
/// wheel do not matter.
#[test]
fn camber_and_heading_of_a_composed_rotation_are_recovered() {
    let tree = model(&unicycle("0", DOWN));
    let program = program(&tree, "wheel(tyre)");
    for seed in 1..=10 {
        let mut state = touching(&tree, seed);
        let found = run(&program, &state);
        close(found["camber"][0], state["roll"], 1e-14);
        let (yaw, roll) = (state["yaw"], state["roll"]);
        // Speed along the heading, by hand.
        let forward = state["x.d"] * yaw.cos() + state["y.d"] * yaw.sin();
        close(found["speed"][0], forward, 1e-14);
        // The contact is below and beside the centre, in the plane of the disc.
        let r = state["z"] / roll.cos();
        let aside = r * roll.sin();
        let point = [state["x"] - aside * yaw.sin(), state["y"] + aside * yaw.cos(), 0.0];
        found["point"]
            .iter()
            .zip(point)
            .for_each(|(found, expected)| close(*found, expected, 1e-14));
        let before = [found["slip"].clone(), found["force"].clone()].concat();
        set(&mut state, &[("turn", 2.0)]);
        let after = run(&program, &state);
        assert_eq!(before, [after["slip"].clone(), after["force"].clone()].concat());
        // The wind-up changes nothing either, at equal angular velocity about the axle.
        set(&mut state, &[("wind", 0.3)]);
        let after = run(&program, &state);
        for (before, after) in
            before.iter().zip([after["slip"].clone(), after["force"].clone()].concat())
        {
            close(after, *before, 1e-12);
        }
    }
}

#[test]
fn the_turn_of_the_wheel_drops_out_of_the_contact() {
    let tree = model(&unicycle("0", DOWN));
    let text = program(&tree, "wheel(tyre)").to_string();
    assert!(!text.split("body").last().unwrap_or_default().contains(" turn\n"), "{text}");
    // With an axle in any direction, too.
    let skew = unicycle("0", DOWN).replace(
        "name = \"turn\", type = \"revolute\", axis = \"y\"",
        "name = \"turn\", type = \"revolute\", axis = [0.1, 0.7, 0.2]",
    );
    let tree = model(&skew);
    let program = program(&tree, "wheel(tyre)");
    let sines = program.to_string();
    assert!(!sines.contains("sin turn") && !sines.contains("cos turn"), "{sines}");
}

/// Roots and quotients of the closed form are recognised where the angles are coordinates.
#[test]
fn the_cosine_of_the_camber_is_that_of_the_coordinate() {
    let tree = model(&unicycle("0", DOWN));
    let tally = rotule_program::ProgramCounts::of(&program(&tree, "wheel(tyre)")).body;
    assert_eq!(tally.unary(Unary::Sqrt), 0);
    let tree = model(&example("motorcycle.toml"));
    let tally = rotule_program::ProgramCounts::of(&program(&tree, "wheel(rear_tyre)")).body;
    assert_eq!(tally.unary(Unary::Sqrt), 0);
}

/// Test A8: pure rolling has no slip, and the point of contact moves with the wheel.
#[test]
fn pure_rolling_has_no_slip() {
    let tree = model(&unicycle("0", DOWN));
    let program = program(&tree, "wheel(tyre)");
    let mut state = touching(&tree, 2);
    for name in ["z.d", "yaw.d", "roll.d", "wind.d"] {
        state.insert(name.into(), 0.0);
    }
    let (yaw, roll): (f64, f64) = (state["yaw"], state["roll"]);
    let r = state["z"] / roll.cos();
    set(&mut state, &[("x.d", 5.0 * yaw.cos()), ("y.d", 5.0 * yaw.sin()), ("turn.d", 5.0 / r)]);
    let found = run(&program, &state);
    close(found["slip"][0], 0.0, 1e-14);
    close(found["side_slip"][0], 0.0, 1e-14);
    close(found["speed"][0], 5.0, 1e-14);
    close(found["depth_rate"][0], 0.0, 1e-14);
    // Locked: the contact moves forward with the wheel, slip is one, and the force brakes.
    set(&mut state, &[("turn.d", 0.0)]);
    let found = run(&program, &state);
    close(found["slip"][0], 1.0, 1e-14);
    assert!(found["force"][0] < 0.0, "{found:?}");
    // Sliding to the left at 45 degrees: the tyre pushes to the right.
    set(
        &mut state,
        &[("x.d", 5.0 * yaw.cos() - 5.0 * yaw.sin()), ("y.d", 5.0 * yaw.sin() + 5.0 * yaw.cos())],
    );
    let found = run(&program, &state);
    close(found["side_slip"][0], std::f64::consts::FRAC_PI_4, 1e-14);
    // At rest nothing is infinite.
    set(&mut state, &[("x.d", 0.0), ("y.d", 0.0)]);
    let found = run(&program, &state);
    assert_eq!((found["slip"][0], found["side_slip"][0]), (0.0, 0.0));
}

/// Test A8: a compressed tyre pushes up; one in the air does nothing; none pulls.
#[test]
fn a_tyre_pushes_or_does_nothing() {
    let tree = model(&unicycle("0", DOWN));
    let [wheel, forces] = ["wheel(tyre)", "forces"].map(|text| program(&tree, text));
    let mut state = initial_state(&tree);
    set(&mut state, &[("z", 0.29), ("R", 0.3)]);
    close(run(&wheel, &state)["depth"][0], 0.01, 1e-14);
    close(run(&forces, &state)["effort"][2], 100.0, 1e-9);
    set(&mut state, &[("z", 0.31), ("z.d", -1.0)]);
    let found = run(&wheel, &state);
    assert_eq!((found["depth"][0], found["depth_rate"][0]), (0.0, 0.0));
    assert!(run(&forces, &state)["effort"].iter().all(|effort| *effort == 0.0));
    // Rising so fast that the damper would pull.
    set(&mut state, &[("z", 0.2999), ("z.d", 10.0)]);
    assert_eq!(run(&wheel, &state)["force"][2], 0.0);
    // Upside down, high above the ground, and lying on its side.
    for roll in [std::f64::consts::PI, std::f64::consts::FRAC_PI_2] {
        set(&mut state, &[("z", 1.0), ("z.d", 0.0), ("roll", roll)]);
        let efforts = &run(&forces, &state)["effort"];
        assert!(efforts.iter().all(|effort| *effort == 0.0), "{efforts:?}");
    }
    // A frame that is upside down with its wheel on the ground stands on it, too.
    set(&mut state, &[("z", 0.29), ("roll", std::f64::consts::PI)]);
    close(run(&forces, &state)["effort"][2], 100.0, 1e-9);
}

#[test]
fn the_rate_of_the_depth_is_its_derivative() {
    for ground in ["0", "0.05*sin(3*t)"] {
        let mut tree = model(&unicycle(ground, DOWN));
        let program = program(&tree, "wheel(tyre)");
        for seed in 1..=5 {
            let state = touching(&tree, seed);
            let found = run(&program, &state);
            if found["depth"][0] <= 1e-4 {
                continue;
            }
            let at =
                |tree: &mut _, time: f64| run(&program, &moved(tree, &state, time))["depth"][0];
            let difference = (at(&mut tree, 1e-6) - at(&mut tree, -1e-6)) / 2e-6;
            close(found["depth_rate"][0], difference, 1e-8);
        }
    }
}

/// Test A9: a ground that could have slopes, but has none, is flat ground. Of a plane, sloped or
/// not, only the normal matters, so that it needs no iteration.
#[test]
fn general_ground_without_slope_is_flat() {
    general_ground_is_flat("e*x - e*y", 0);
    general_ground_is_flat("e*x^2 - e*sin(x*y)", 1);
}

fn general_ground_is_flat(ground: &str, regions: usize) {
    let (flat, general) = (model(&unicycle("0", DOWN)), model(&unicycle(ground, DOWN)));
    for function in ["wheel(tyre)", "forces", "inverse"] {
        let programs = (program(&flat, function), program(&general, function));
        assert_eq!((programs.0.regions().len(), programs.1.regions().len()), (0, regions));
        for seed in 1..=10 {
            let state = touching(&flat, seed);
            let (expected, found) = (run(&programs.0, &state), run(&programs.1, &state));
            for (name, values) in &expected {
                let pairs = values.iter().zip(&found[name]);
                pairs.for_each(|(expected, found)| close(*found, *expected, 1e-11));
            }
        }
    }
}

/// Test A9: on a slope everything is as on flat ground in a world that is rotated.
#[test]
fn a_slope_is_flat_ground_in_a_turned_world() {
    let angle = 0.3_f64;
    let sloped = model(&unicycle("x*tan(0.3)", DOWN));
    let flat = model(&unicycle("0", DOWN));
    let [hill, plane] = [program(&sloped, "wheel(tyre)"), program(&flat, "wheel(tyre)")];
    let (s, c) = angle.sin_cos();
    for seed in 1..=10 {
        // Straight down the slope: yaw, roll and their rates are the same in both worlds, pitch
        // differs.
        let mut state = random_state(&flat, seed);
        let (along, above) = (state["x"], 0.285_f64);
        let (vx, vz, rolling) = (state["x.d"], state["z.d"], state["roll.d"]);
        set(&mut state, &[("yaw", 0.0), ("yaw.d", 0.0), ("z", above), ("roll", 0.0)]);
        let expected = run(&plane, &state);
        set(
            &mut state,
            &[
                ("x", along * c - above * s),
                ("z", along * s + above * c),
                ("x.d", vx * c - vz * s),
                ("z.d", vx * s + vz * c),
                // A turn about y by minus the angle of the slope leads from one world to the other.
                // With roll rate about the rotated x axis: yaw and roll share it.
                ("yaw.d", rolling * s),
                ("roll.d", rolling * c),
            ],
        );
        let found = run(&hill, &state);
        for name in [
            "depth",
            "depth_rate",
            "camber",
            "slip",
            "side_slip",
            "spin",
            "speed",
            "force",
            "torque",
        ] {
            for (expected, found) in expected[name].iter().zip(&found[name]) {
                close(*found, *expected, 1e-10);
            }
        }
        let point = &expected["point"];
        let turned = [point[0] * c - point[2] * s, point[1], point[0] * s + point[2] * c];
        found["point"].iter().zip(turned).for_each(|(found, turned)| close(*found, turned, 1e-12));
    }
}

/// Test A9: on hills the contact is on the ground, in the plane of the disc, and touches it.
#[test]
fn on_hills_the_conditions_of_contact_hold() {
    let ground = "0.05*sin(3*x)*cos(2*y) + 0.02*x*y + 0.01*sin(t)";
    let tree = model(&unicycle(ground, DOWN));
    let program = program(&tree, "wheel(tyre)");
    let (mut touched, mut leaning) = (0, 0.0_f64);
    for seed in 1..=40 {
        let mut state = random_state(&tree, seed);
        // Far away from the origin, too.
        let far = if seed % 2 == 0 { 0.0 } else { 100.0 };
        state.entry("x".into()).and_modify(|x| *x += far);
        state.entry("roll".into()).and_modify(|roll| *roll *= 0.7);
        let t = state["t"];
        let height = |x: f64, y: f64| {
            0.05 * (3.0 * x).sin() * (2.0 * y).cos() + 0.02 * x * y + 0.01 * t.sin()
        };
        let z = height(state["x"], state["y"]) + 0.27 * state["roll"].cos();
        state.insert("z".into(), z);
        let found = run(&program, &state);
        if found["depth"][0] <= 0.0 {
            continue;
        }
        touched += 1;
        leaning = leaning.max(found["camber"][0].abs());
        let p = &found["point"];
        let size = far.max(1.0);
        assert!((p[2] - height(p[0], p[1])).abs() < 1e-12 * size, "the point is on the ground");
        let (yaw, roll) = (state["yaw"], state["roll"]);
        let axle = [-yaw.sin() * roll.cos(), yaw.cos() * roll.cos(), roll.sin()];
        let d = [state["x"] - p[0], state["y"] - p[1], state["z"] - p[2]];
        assert!(dot(&axle, &d).abs() < 1e-12 * size, "the point is in the plane of the disc");
        let slope_x = 0.15 * (3.0 * p[0]).cos() * (2.0 * p[1]).cos() + 0.02 * p[1];
        let slope_y = -0.1 * (3.0 * p[0]).sin() * (2.0 * p[1]).sin() + 0.02 * p[0];
        let normal = unit(&[-slope_x, -slope_y, 1.0]);
        // The tangent of the disc at the point is across the radius, and lies in the ground.
        let tangent = unit(&cross(&axle, &d));
        assert!(dot(&tangent, &normal).abs() < 1e-12 * size, "the disc touches the ground");
        close(found["camber"][0].sin(), dot(&axle, &normal), 1e-12);
        let radius = dot(&d, &d).sqrt();
        close(found["depth"][0], (0.3 - radius) * found["camber"][0].cos(), 1e-12);
        assert!(found["force"][2] >= 0.0);
    }
    assert!(touched > 20 && leaning > 0.3, "{touched} {leaning}");
}
