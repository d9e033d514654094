//! Kinematics of places: recursions against each other, against plain numeric poses, and against
//! derivatives.

use rotule_formalism::labels::{Labels, labels};
use rotule_formalism::{Formalism, ModelFunction, MultibodySystem};
use rotule_model::mechanism::{BodyId, Frame, Placement};
use rotule_model::pose::{self, Components, Pose};
use rotule_program::lower::Target;
use rotule_testing::formalism::{
    MENAGERIE, State, agree, along_motion, dense, evaluated, numbers, plain, state, tree, write,
};

/// Places of the menagerie, and all its bodies as references.
const PLACES: [&str; 6] = ["two.tip", "ball.nose", "five", "base.a", "drone", "ground"];
const BODIES: [&str; 14] = [
    "ground", "base", "one", "lump", "two", "three", "four", "five", "arm", "slide", "crank",
    "stuck", "ball", "drone",
];

fn pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    PLACES.into_iter().flat_map(|place| BODIES.map(|body| (place, body)))
}

/// The evaluated of all outputs of a function.
fn all(
    tree: &mut MultibodySystem,
    text: &str,
    formalism: Formalism,
    states: &[State],
) -> Vec<Vec<Vec<f64>>> {
    let targets = write(tree, text, formalism);
    let at = |state| targets.iter().map(|target| numbers(tree, target, state)).collect();
    states.iter().map(at).collect()
}

/// Postiau, test A3.
#[test]
fn recursions_agree_for_every_pair_of_place_and_body() {
    let mut tree = tree(MENAGERIE);
    let states = [1, 2, 3].map(|seed| state(&tree, seed));
    for (place, body) in pairs() {
        let text = format!("kinematics({place}, {body})");
        let there = all(&mut tree, &text, Formalism::Outward, &states);
        let back = all(&mut tree, &text, Formalism::Inward, &states);
        for (there, back) in there.iter().flatten().zip(back.iter().flatten()) {
            agree(&text, there, back, 1e-13);
        }
    }
}

/// Postiau, test A4.
#[test]
fn jacobians_agree_and_give_the_velocities() {
    let mut tree = tree(MENAGERIE);
    let states = [1, 2, 3].map(|seed| state(&tree, seed));
    for (place, body) in pairs() {
        let text = format!("jacobian({place}, {body})");
        let plain = all(&mut tree, &text, Formalism::Outward, &states);
        let mixed = all(&mut tree, &text, Formalism::Mixed, &states);
        let v = all(&mut tree, &format!("velocity({place}, {body})"), Formalism::Inward, &states);
        let w = format!("angular_velocity({place}, {body})");
        let w = all(&mut tree, &w, Formalism::Inward, &states);
        for (at, state) in states.iter().enumerate() {
            agree(&text, &plain[at][0], &mixed[at][0], 1e-13);
            let qd = evaluated(&tree, tree.motion.qd.as_slice(), state);
            let rows = mixed[at][0].chunks_exact(qd.len());
            let product: Vec<f64> =
                rows.map(|row| row.iter().zip(&qd).map(|(j, qd)| j * qd).sum()).collect();
            agree(&text, &product, &[v[at][0].clone(), w[at][0].clone()].concat(), 1e-13);
        }
    }
}

#[test]
fn a_jacobian_lists_the_joints_between_the_place_and_the_body_only() {
    let mut tree = tree(MENAGERIE);
    let names: Vec<String> = tree.mechanism.speeds.iter().map(|one| one.name.clone()).collect();
    for formalism in [Formalism::Outward, Formalism::Mixed] {
        let columns = |target: &Target| {
            let mut list: Vec<&str> =
                target.entries.iter().map(|entry| names[entry.1 as usize].as_str()).collect();
            list.sort_unstable();
            list.dedup();
            list.into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let joints =
            |tree: &mut MultibodySystem, text: &str| columns(&write(tree, text, formalism)[0]);
        assert_eq!(joints(&mut tree, "jacobian(slide)"), ["r.d", "t1.d"]);
        assert_eq!(joints(&mut tree, "jacobian(slide, arm)"), ["t1.d"]);
        assert_eq!(joints(&mut tree, "jacobian(arm, slide)"), ["t1.d"]);
        assert_eq!(joints(&mut tree, "jacobian(slide, slide)"), [""; 0]);
        let between =
            ["h.d", "p.d[1]", "p.d[2]", "p.d[3]", "s.wx", "s.wy", "s.wz", "u.d[1]", "u.d[2]"];
        assert_eq!(joints(&mut tree, "jacobian(lump, five)"), between);
    }
}

/// The poses of places in plain evaluated.
fn poses(tree: &MultibodySystem, places: &[Frame], q: &[f64]) -> Vec<Pose> {
    let bodies = pose::poses(&tree.mechanism, q);
    pose::frames(&tree.mechanism, &bodies, places)
}

fn frame(tree: &MultibodySystem, name: &str) -> Frame {
    let point = tree.mechanism.points.iter().find(|point| point.name == name);
    let body = |body: BodyId| Frame { body, placement: Placement::IDENTITY };
    point
        .map(|point| point.frame)
        .unwrap_or_else(|| body(tree.mechanism.body(name).expect("a body of this name")))
}

#[test]
fn places_are_where_plain_poses_put_them() {
    let mut tree = tree(MENAGERIE);
    let states = [1, 2, 3].map(|seed| state(&tree, seed));
    for (place, body) in pairs() {
        let frames = [frame(&tree, place), frame(&tree, body)];
        let text = format!("kinematics({place}, {body})");
        for formalism in [Formalism::Outward, Formalism::Inward] {
            let found = all(&mut tree, &text, formalism, &states);
            for (state, found) in states.iter().zip(&found) {
                let q = evaluated(&tree, tree.motion.q.as_slice(), state);
                let list = poses(&tree, &frames, &q);
                let expected = list[1].inverse().then(&list[0]);
                agree(&text, &found[0], &expected.position, 1e-13);
                agree(&text, &found[1], &expected.rotation.concat(), 1e-13);
            }
        }
    }
}

/// Central differences of plain poses along the rates of the coordinates.
#[test]
fn velocities_match_differences_of_plain_poses() {
    let mut tree = tree(MENAGERIE);
    let rates = dense(&plain(&mut tree, "rates")[0]);
    let states = [4, 5].map(|seed| state(&tree, seed));
    for (place, body) in pairs() {
        let frames = [frame(&tree, place), frame(&tree, body)];
        let text = format!("kinematics({place}, {body})");
        let found = all(&mut tree, &text, Formalism::Inward, &states);
        for (state, found) in states.iter().zip(&found) {
            let q = evaluated(&tree, tree.motion.q.as_slice(), state);
            let qdot = evaluated(&tree, &rates, state);
            let step = 1e-5;
            let at = |sign: f64| {
                let q: Vec<f64> = q.iter().zip(&qdot).map(|(q, d)| q + sign * step * d).collect();
                let list = poses(&tree, &frames, &q);
                list[1].inverse().then(&list[0])
            };
            let (before, after, now) = (at(-1.0), at(1.0), at(0.0));
            let change = |a: f64, b: f64| (b - a) / (2.0 * step);
            let v: Components =
                std::array::from_fn(|i| change(before.position[i], after.position[i]));
            // Rdot R^T is the skew matrix of the angular velocity.
            let skew = |i: usize, j: usize| {
                (0..3)
                    .map(|k| {
                        change(before.rotation[i][k], after.rotation[i][k]) * now.rotation[j][k]
                    })
                    .sum::<f64>()
            };
            agree(&text, &found[2], &v, 1e-8);
            agree(&text, &found[3], &[skew(2, 1), skew(0, 2), skew(1, 0)], 1e-8);
        }
    }
}

/// Exact derivatives, so that accelerations are checked to rounding.
#[test]
fn each_quantity_is_the_derivative_of_the_one_before() {
    let mut tree = tree(MENAGERIE);
    let states = [6, 7].map(|seed| state(&tree, seed));
    let pairs = [
        ("two.tip", "ground"),
        ("ball.nose", "ground"),
        ("ball.nose", "five"),
        ("drone", "crank"),
        ("base", "drone"),
        ("ground", "ball"),
        ("slide", "ball"),
        ("five", "two"),
    ];
    for (place, body) in pairs {
        let text = format!("kinematics({place}, {body})");
        for formalism in [Formalism::Outward, Formalism::Inward] {
            let targets = write(&mut tree, &text, formalism);
            let list: Vec<Vec<_>> = targets.iter().map(dense).collect();
            let changes: Vec<Vec<_>> =
                list[..4].iter().map(|list| along_motion(&mut tree, list)).collect();
            for state in &states {
                let value = |list: &[_]| evaluated(&tree, list, state);
                agree(&text, &value(&changes[0]), &value(&list[2]), 1e-12);
                agree(&text, &value(&changes[2]), &value(&list[4]), 1e-12);
                agree(&text, &value(&changes[3]), &value(&list[5]), 1e-12);
                let (rate, now) = (value(&changes[1]), value(&list[1]));
                let skew = |i: usize, j: usize| {
                    (0..3).map(|k| rate[3 * i + k] * now[3 * j + k]).sum::<f64>()
                };
                let w = [skew(2, 1), skew(0, 2), skew(1, 0)];
                agree(&text, &w, &value(&list[3]), 1e-12);
            }
        }
    }
}

/// Motion relative to a body from absolute motions, by the textbook's terms of a turning frame.
#[test]
fn relative_motion_is_composed_of_absolute_ones() {
    let mut tree = tree(MENAGERIE);
    let states = [8, 9].map(|seed| state(&tree, seed));
    let plus = pose::add;
    let minus = pose::sub;
    let cross = pose::cross;
    for (place, body) in pairs() {
        let place_text = format!("kinematics({place})");
        let of_place = all(&mut tree, &place_text, Formalism::Outward, &states);
        let of_body = all(&mut tree, &format!("kinematics({body})"), Formalism::Outward, &states);
        let text = format!("kinematics({place}, {body})");
        let found = all(&mut tree, &text, Formalism::Outward, &states);
        for ((found, p), b) in found.iter().zip(&of_place).zip(&of_body) {
            let three = |list: &[f64]| -> Components { [list[0], list[1], list[2]] };
            let into = |v: Components| -> Components {
                std::array::from_fn(|i| (0..3).map(|k| b[1][3 * k + i] * v[k]).sum())
            };
            let [x, v, w, a, wd] = [0, 2, 3, 4, 5].map(|at| minus(three(&p[at]), three(&b[at])));
            let (wb, wdb) = (three(&b[3]), three(&b[5]));
            let velocity = minus(v, cross(wb, x));
            let coriolis = pose::scale(cross(wb, velocity), 2.0);
            let carried = plus(cross(wdb, x), cross(wb, cross(wb, x)));
            agree(&text, &found[0], &into(x), 1e-13);
            agree(&text, &found[2], &into(velocity), 1e-13);
            agree(&text, &found[3], &into(w), 1e-13);
            agree(&text, &found[4], &into(minus(minus(a, carried), coriolis)), 1e-12);
            agree(&text, &found[5], &into(minus(wd, cross(wb, w))), 1e-12);
        }
    }
}

#[test]
fn a_sensor_gives_what_it_measures_in_its_order() {
    let mut tree = tree(MENAGERIE);
    let states = [1, 2].map(|seed| state(&tree, seed));
    let frames = all(&mut tree, "kinematics(ball.nose, five)", Formalism::Outward, &states);
    let matrix = all(&mut tree, "jacobian(ball.nose, five)", Formalism::Outward, &states);
    for formalism in [Formalism::Outward, Formalism::Inward, Formalism::Mixed] {
        let targets = write(&mut tree, "sensor(eye)", formalism);
        let names: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
        let expected = [
            "J",
            "position",
            "rotation",
            "velocity",
            "angular_velocity",
            "acceleration",
            "angular_acceleration",
        ];
        assert_eq!(names, expected);
        let found = all(&mut tree, "sensor(eye)", formalism, &states);
        for at in 0..states.len() {
            agree("J", &found[at][0], &matrix[at][0], 1e-13);
            for (found, frame) in found[at][1..].iter().zip(&frames[at]) {
                agree("eye", found, frame, 1e-13);
            }
        }
    }
}

#[test]
fn the_kinematic_map_keeps_quaternions_on_the_sphere() {
    let mut tree = tree(MENAGERIE);
    let map = plain(&mut tree, "kinematic_map").remove(0);
    let rates = plain(&mut tree, "rates").remove(0);
    assert_eq!(
        (map.rows as usize, map.columns as usize),
        (tree.motion.q.len(), tree.motion.qd.len())
    );
    for seed in 1..=5 {
        let state = state(&tree, seed);
        let (matrix, qdot) = (numbers(&tree, &map, &state), numbers(&tree, &rates, &state));
        let qd = evaluated(&tree, tree.motion.qd.as_slice(), &state);
        let q = evaluated(&tree, tree.motion.q.as_slice(), &state);
        let product: Vec<f64> = matrix
            .chunks_exact(qd.len())
            .map(|row| row.iter().zip(&qd).map(|(n, qd)| n * qd).sum())
            .collect();
        agree("N qd", &product, &qdot, 1e-14);
        for node in &tree.tree.nodes {
            let Some(quaternion) = node.quaternion() else { continue };
            let radial: f64 = quaternion.map(|at| q[at] * qdot[at]).sum();
            assert!(radial.abs() < 1e-15, "{radial}");
        }
    }
}

/// Deep trees are no deeper than any other to the machine, and the recursions still agree.
#[test]
fn a_chain_of_a_thousand_joints() {
    let mut text = String::from("[model]\nname = \"chain\"\n");
    let mut parent = "ground".to_owned();
    for i in 0..1000 {
        let axis = ["x", "y", "z"][i % 3];
        let name = format!("b{i}");
        text += &format!(
            "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\nposition = [0.1, 0, 0.2]\n\
             joint = {{ name = \"q{i}\", type = \"revolute\", axis = \"{axis}\" }}\nmass = 1\n"
        );
        parent = name;
    }
    let mut tree = tree(&text);
    let states = [state(&tree, 1)];
    let there = all(&mut tree, "kinematics(b999)", Formalism::Outward, &states);
    let back = all(&mut tree, "kinematics(b999)", Formalism::Inward, &states);
    for (there, back) in there[0].iter().zip(&back[0]) {
        agree("the last body", there, back, 1e-11);
    }
    let plain = all(&mut tree, "jacobian(b999)", Formalism::Outward, &states);
    let mixed = all(&mut tree, "jacobian(b999)", Formalism::Mixed, &states);
    agree("the last body", &plain[0][0], &mixed[0][0], 1e-11);
}

/// Accelerations are `J qdd + Jd qd`, for every pair of place and reference.
#[test]
fn jacobian_rates_are_the_rest_of_accelerations() {
    let mut tree = tree(MENAGERIE);
    let states = [1, 2, 3].map(|seed| state(&tree, seed));
    for (place, body) in pairs() {
        let of = |function: &str| format!("{function}({place}, {body})");
        let jacobians = all(&mut tree, &of("jacobian"), Formalism::Outward, &states);
        let rates = all(&mut tree, &of("jacobian_rate"), Formalism::Outward, &states);
        let linear = all(&mut tree, &of("acceleration"), Formalism::Outward, &states);
        let angular = all(&mut tree, &of("angular_acceleration"), Formalism::Outward, &states);
        for (at, state) in states.iter().enumerate() {
            // Those of driven joints are functions of the time.
            let [qd, qdd] = [&tree.motion.qd, &tree.motion.qdd]
                .map(|list| evaluated(&tree, list.as_slice(), state));
            let columns = qd.len();
            let row = |row: usize| {
                let own = row * columns..(row + 1) * columns;
                let held = jacobians[at][0][own.clone()].iter().zip(&qdd);
                let moved = rates[at][0][own].iter().zip(&qd);
                held.chain(moved).map(|(entry, value)| entry * value).sum::<f64>()
            };
            let found: Vec<f64> = (0..6).map(row).collect();
            let expected = [&linear[at][0][..], &angular[at][0][..]].concat();
            agree(&of("jacobian_rate"), &found, &expected, 1e-12);
        }
    }
}

/// All terminal frames at once are what the functions of single places give.
#[test]
fn terminals_are_places_at_once() {
    let mut tree = tree(MENAGERIE);
    let function = ModelFunction::parse("terminals", &tree).expect("a function");
    let Some(Labels::Matrix(names, _)) = labels(&tree.mechanism, &function, "positions") else {
        panic!("positions have names");
    };
    assert!(names.len() > 2, "{names:?}");
    let state = state(&tree, 5);
    let outputs = plain(&mut tree, "terminals");
    let found: Vec<Vec<f64>> =
        outputs.iter().map(|output| numbers(&tree, output, &state)).collect();
    let single =
        ["position", "rotation", "velocity", "angular_velocity", "jacobian", "jacobian_rate"];
    for (found, function) in found.iter().zip(single) {
        let mut expected = Vec::new();
        for name in &names {
            let target = plain(&mut tree, &format!("{function}({name})"));
            expected.extend(numbers(&tree, &target[0], &state));
        }
        agree(function, found, &expected, 1e-13);
    }
}
