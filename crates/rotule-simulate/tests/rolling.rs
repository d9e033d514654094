//! Forces of the ground on wheels that roll: by hand on an incline, and in motion against what
//! Newton and Euler miss.

use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::quantity::EvaluatedFunction;
use rotule_simulate::run::{End, Threshold};
use rotule_testing::simulate::{example, motion, plant, within};

/// The first number of the force of `wheel`, and of its point.
const FORCE: usize = 7;
const POINT: usize = 13;

/// The numbers of a function at the plant's point.
fn measured(plant: &mut Plant, function: &str) -> Vec<f64> {
    let mut quantity = EvaluatedFunction::new(&plant.tree, function).expect("a function");
    plant.prepare(&mut quantity);
    assert!(plant.measure(&mut quantity), "{function} converges");
    quantity.outputs().to_vec()
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|k| a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3])
}

/// A disc on an axle that slides along and rises, in tilted gravity.
fn disc(tilt: f64, inertia: f64, ground: &str) -> Plant {
    let (along, across) = (9.81 * tilt.sin(), -9.81 * tilt.cos());
    plant(&format!(
        "[model]\nname = \"disc\"\ngravity = [{along}, 0, {across}]\n\
         [[body]]\nname = \"disc\"\nparent = \"ground\"\nmass = 2\n\
         inertia = {{ xx = 0.1, yy = {inertia}, zz = 0.1 }}\njoint = [\n\
         {{ name = \"x\", type = \"prismatic\", axis = \"x\" }},\n\
         {{ name = \"z\", type = \"prismatic\", axis = \"z\" }},\n\
         {{ name = \"phi\", type = \"revolute\", axis = \"y\" }} ]\n\
         [[wheel]]\nname = \"w\"\nbody = \"disc\"\nradius = 0.4\nrolling = true\nground = \"{ground}\"\n\
         [initial.q]\nz = 0.4\n[initial.qd]\nx = 0.5\n"
    ))
}

/// Moves a plant to a time.
fn go(plant: &mut Plant, to: f64) {
    let mut method = method("dop853", within(1e-11), plant.size()).expect("a method");
    let (outcome, _) = motion(plant, method.as_mut(), to, to, Threshold::AUTOMATIC);
    assert_eq!(outcome.end, End::Reached);
}

#[test]
fn a_disc_on_an_incline() {
    let tilt = 0.3_f64;
    let weight = 2.0 * 9.81;
    // Friction is m g sin a J/(J + m R^2): a third for a solid disc, a half for a hoop.
    for (inertia, part) in [(0.16, 1.0 / 3.0), (0.32, 0.5)] {
        let mut plant = disc(tilt, inertia, "0");
        for to in [0.0, 0.7, 1.3] {
            if to > 0.0 {
                go(&mut plant, to);
            }
            let found = measured(&mut plant, "wheel(w)");
            let expected = [-part * weight * tilt.sin(), 0.0, weight * tilt.cos()];
            for (found, expected) in found[FORCE..].iter().zip(expected) {
                assert!((found - expected).abs() < 1e-9, "{found} {expected}");
            }
            assert_eq!(found[FORCE + 3..POINT], [0.0; 3], "no moment");
        }
    }
}

#[test]
fn a_disc_on_ground_that_rises() {
    let mut plant = disc(0.2, 0.16, "0.05*sin(3*t) + 0.2*t");
    for to in [0.3, 0.9, 1.4] {
        go(&mut plant, to);
        let found = measured(&mut plant, "wheel(w)");
        let rising = -0.45 * (3.0 * to).sin();
        let expected = 2.0 * (9.81 * 0.2_f64.cos() + rising);
        assert!((found[FORCE + 2] - expected).abs() < 1e-8, "{} {expected}", found[FORCE + 2]);
        let along = -2.0 * 9.81 * 0.2_f64.sin() / 3.0;
        assert!((found[FORCE] - along).abs() < 1e-8, "{} {along}", found[FORCE]);
    }
}

/// The efforts that inverse dynamics of the open tree misses, less those of the forces at the
/// contacts; how large they are.
fn missing(plant: &mut Plant, wheels: &[(&str, &str)]) -> (Vec<f64>, f64) {
    let mut missing = measured(plant, "inverse");
    let size = missing.iter().fold(1.0_f64, |most, value| most.max(value.abs()));
    for (wheel, body) in wheels {
        let contact = measured(plant, &format!("wheel({wheel})"));
        let rotation = measured(plant, &format!("rotation({body})"));
        let centre = measured(plant, &format!("position({body})"));
        let jacobian = measured(plant, &format!("jacobian({body})"));
        // Forward is the axle, which is the body's y, times the normal of level ground.
        let axle = [rotation[1], rotation[4], rotation[7]];
        let normal = [0.0, 0.0, 1.0];
        let forward = cross(axle, normal);
        let length = forward.iter().map(|part| part * part).sum::<f64>().sqrt();
        let forward = forward.map(|part| part / length);
        let left = cross(normal, forward);
        let force: [f64; 3] = std::array::from_fn(|k| {
            let parts = [forward[k], left[k], normal[k]];
            parts.iter().zip(&contact[FORCE..]).map(|(part, force)| part * force).sum()
        });
        let arm: [f64; 3] = std::array::from_fn(|k| contact[POINT + k] - centre[k]);
        let torque = cross(arm, force);
        let columns = missing.len();
        for (column, value) in missing.iter_mut().enumerate() {
            for k in 0..3 {
                *value -= jacobian[k * columns + column] * force[k];
                *value -= jacobian[(3 + k) * columns + column] * torque[k];
            }
        }
    }
    (missing, size)
}

fn check(text: &str, wheels: &[(&str, &str)], ends: [f64; 3]) {
    let mut plant = plant(text);
    for to in ends {
        go(&mut plant, to);
        let (missing, size) = missing(&mut plant, wheels);
        println!("{to}: {missing:?} {size}");
        assert!(missing.iter().all(|value| value.abs() < 1e-9 * size), "{to}: {missing:?}");
    }
}

#[test]
fn forces_at_contacts_are_what_newton_and_euler_miss() {
    let wheels = [("rear_contact", "rear_wheel"), ("front_contact", "front_wheel")];
    check(&example("whipple_bicycle.toml"), &wheels, [0.1, 0.4, 0.9]);
    // A disc that leans, turns and rolls, on ground that rises and falls.
    for (lean, spin, ground) in
        [(0.2, 6.0, "0"), (-0.5, 9.0, "0.02*sin(4*t)"), (0.4, -5.0, "0.1*t")]
    {
        let text = format!(
            "[model]\nname = \"coin\"\n[[body]]\nname = \"coin\"\nparent = \"ground\"\nmass = 0.7\n\
             inertia = {{ xx = 0.01, yy = 0.02, zz = 0.01 }}\njoint = [\n\
             {{ name = \"x\", type = \"prismatic\", axis = \"x\" }},\n\
             {{ name = \"y\", type = \"prismatic\", axis = \"y\" }},\n\
             {{ name = \"z\", type = \"prismatic\", axis = \"z\" }},\n\
             {{ name = \"yaw\", type = \"revolute\", axis = \"z\" }},\n\
             {{ name = \"lean\", type = \"revolute\", axis = \"x\" }},\n\
             {{ name = \"spin\", type = \"revolute\", axis = \"y\" }} ]\n\
             [[wheel]]\nname = \"w\"\nbody = \"coin\"\nradius = 0.25\nrolling = true\nground = \"{ground}\"\n\
             [initial.q]\nlean = {lean}\nz = 0.25\n[initial.qd]\nspin = {spin}\nyaw = 0.7\nlean = 0.2\n"
        );
        check(&text, &[("w", "coin")], [0.1, 0.25, 0.4]);
    }
}
