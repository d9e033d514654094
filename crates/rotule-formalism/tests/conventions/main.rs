//! Converted states and efforts against MuJoCo and Pinocchio, whose inverse dynamics of the same
//! models is in `reference.txt`: free, spherical, planar and continuous joints in other orders of
//! joints.
//!
//! Inverse dynamics needs all of a conversion: it is wrong if coordinates, speeds, accelerations or
//! efforts are.

use rotule_model::conventions::Conversion;
use rotule_testing::formalism::agree;
use rotule_testing::formalism::case::{Case, State};

const REFERENCE: &str = include_str!("reference.txt");
const MODELS: [(&str, &str); 2] =
    [("drone.xml", include_str!("drone.xml")), ("cart.urdf", include_str!("cart.urdf"))];

/// A state in another library's convention.
struct Record<'t> {
    library: &'t str,
    model: &'t str,
    joints: Vec<&'t str>,
    q: Vec<f64>,
    qd: Vec<f64>,
    qdd: Vec<f64>,
    effort: Vec<f64>,
}

fn records() -> Vec<Record<'static>> {
    let lines: Vec<&str> = REFERENCE.lines().filter(|line| !line.starts_with('#')).collect();
    let numbers = |line: &str, name: &str| -> Vec<f64> {
        let rest = line.strip_prefix(name).unwrap_or_else(|| panic!("{name}: {line}"));
        rest.split_whitespace().map(|word| word.parse().expect("a number")).collect()
    };
    let record = |lines: &[&'static str]| {
        let [title, q, qd, qdd, effort] = lines else { panic!("five lines for a state") };
        let title: Vec<&str> = title.split_whitespace().collect();
        Record {
            library: title[0],
            model: title[1],
            joints: title[2..].to_vec(),
            q: numbers(q, "q "),
            qd: numbers(qd, "qd "),
            qdd: numbers(qdd, "qdd "),
            effort: numbers(effort, "effort "),
        }
    };
    lines.chunks(5).map(record).collect()
}

#[test]
fn converted_states_have_the_efforts_of_the_other_library() {
    let mut seen = Vec::new();
    for record in records() {
        let Record { library, model, joints, q, qd, qdd, effort } = record;
        let (_, text) = MODELS.iter().find(|(name, _)| *name == model).expect("a model");
        let mut case = Case::of(model, text);
        let conversion = match library {
            "mujoco" => Conversion::mujoco(case.mechanism()),
            _ => Conversion::pinocchio(case.mechanism()),
        };
        let conversion = conversion.order(&joints).expect("the same joints");
        let conversion = match model {
            "cart.urdf" => conversion.unbounded(&["turn"]).expect("a continuous joint"),
            _ => conversion,
        };
        let state = State {
            time: 0.0,
            q: conversion.q_to_rotule(&q),
            qd: conversion.qd_to_rotule(&q, &qd),
            qdd: conversion.qdd_to_rotule(&q, &qd, &qdd),
            effort: Vec::new(),
        };
        let found = case.eval("inverse", &state).values;
        let what = format!("{library}, {model}");
        let back = conversion.effort_from_rotule(&state.q, &found);
        agree(&what, &back, &effort, 1e-13);
        agree(&what, &found, &conversion.effort_to_rotule(&q, &effort), 1e-13);
        // And back.
        agree(&what, &conversion.q_from_rotule(&state.q), &q, 1e-15);
        agree(&what, &conversion.qd_from_rotule(&state.q, &state.qd), &qd, 1e-15);
        let again = conversion.qdd_from_rotule(&state.q, &state.qd, &state.qdd);
        agree(&what, &again, &qdd, 1e-15);
        seen.push(what);
    }
    seen.dedup();
    assert_eq!(seen, ["mujoco, drone.xml", "pinocchio, drone.xml", "pinocchio, cart.urdf"]);
}
