//! The quality of a run as a person meets it: work of constraints, losses of events, forces of
//! rolling wheels, stiffness.

mod common;

use common::{Folder, run};
use serde_json::Value;

/// The summary of a run as JSON.
fn summary(words: &[&str]) -> Value {
    let answer = run(&[&["simulate"], words, &["--json"]].concat());
    serde_json::from_str(&answer.out).unwrap_or_else(|_| panic!("{answer:?}"))
}

/// A slider along z with keys of its joint, and what stands behind it.
fn slider(folder: &Folder, keys: &str, rest: &str) -> String {
    let text = format!(
        "[model]\nname = \"slider\"\n[[body]]\nname = \"ball\"\nparent = \"ground\"\nmass = 2\n\
         joint = {{ name = \"z\", type = \"prismatic\", axis = \"z\"{keys} }}\n{rest}"
    );
    folder.file("slider.toml", &text)
}

#[test]
fn losses_of_impacts_are_told_and_the_rest_is_judged() {
    let folder = Folder::new("losses");
    let model =
        slider(&folder, ", range = [0, 9], stop = { restitution = 0.5 }", "[initial.q]\nz = 1\n");
    let found = summary(&[&model, "--to", "0.8"]);
    let lost = found["energy_lost"].as_f64().expect("a number");
    // One bounce, which leaves a quarter of the energy.
    assert!((lost - 0.75 * 2.0 * 9.81).abs() < 1e-6, "{lost}");
    assert!(found["energy_drift"].as_f64().expect("a number") < 1e-9, "{found}");
    assert_eq!(found["verdict"]["ok"], true);
    let said = run(&["simulate", &model, "--to", "0.8"]);
    assert!(said.out.contains("energy lost in events"), "{said:?}");
    assert!(said.out.contains("14.715 J"), "{said:?}");
    let quiet = summary(&[&model, "--to", "0.2"]);
    assert_eq!(quiet["energy_lost"], Value::Null);
    // Steps that are too long drift, and a bounce does not hide it.
    let pendulum = "[[body]]\nname = \"bob\"\nparent = \"ground\"\nmass = 3\ncom = [0, 0, -1]\n\
         joint = { name = \"a\", type = \"revolute\", axis = \"y\" }\n\
         [initial.q]\nz = 1\n[initial.qd]\na = 9\n";
    let model = slider(&folder, ", range = [0, 9], stop = { restitution = 0.5 }", pendulum);
    let found = summary(&[&model, "--to", "5", "--dt", "0.25", "--method", "rk4"]);
    assert_eq!(found["verdict"]["warnings"][0]["kind"], "energy", "{found}");
    assert!(found["energy_lost"].as_f64().is_some_and(|lost| lost > 1.0), "{found}");
}

#[test]
fn the_work_of_a_constraint_that_time_moves_is_in_the_balance() {
    let folder = Folder::new("moved");
    let model = slider(
        &folder,
        "",
        "[[constraint]]\nname = \"lift\"\nposition = \"z - 0.3*sin(5*t) - 1\"\n[initial.q]\nz = 1\n",
    );
    let found = summary(&[&model, "--to", "2", "--balance"]);
    assert!(found["energy_drift"].as_f64().is_some_and(|drift| drift < 1e-6), "{found}");
    assert_eq!(found["verdict"]["ok"], true, "{found}");
    // Without it nothing can be said.
    let found = summary(&[&model, "--to", "2"]);
    assert_eq!(found["verdict"]["ok"], true, "{found}");
}

#[test]
fn forces_of_rolling_wheels_are_channels() {
    let model = "examples/whipple_bicycle.toml";
    let words = ["simulate", model, "--to", "0.5", "--every", "0.5", "--out", "-"];
    let answer = run(&[&words[..], &["--channels", "wheels,multipliers"]].concat());
    let mut lines = answer.out.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let names = lines.next().expect("a head");
    let last = lines.next_back().expect("a row");
    let number = |name: &str| -> f64 {
        let at = names.iter().position(|one| one.starts_with(name));
        last[at.unwrap_or_else(|| panic!("{name} in {names:?}"))].parse().expect("a number")
    };
    for wheel in ["rear_contact", "front_contact"] {
        for (force, row) in [("normal", "height"), ("forward", "forward"), ("left", "left")] {
            let lambda = number(&format!("lambda.{wheel}.{row}"));
            assert_eq!(number(&format!("{wheel}.force.{force}")), lambda);
        }
    }
    // The ground carries a bicycle of 94 kg that falls slowly.
    let carried = number("rear_contact.force.normal") + number("front_contact.force.normal");
    assert!((carried / (94.0 * 9.81) - 1.0).abs() < 0.1, "{carried}");
}

#[test]
fn stiff_runs_name_the_method_for_them() {
    let folder = Folder::new("stiff");
    let model = slider(&folder, ", effort = \"-1e4*q - 1e4*qd + 50*sin(2*t)\"", "");
    for method in ["dop853", "dormand-prince"] {
        let words = ["simulate", &model, "--to", "5", "--method", method, "--strict"];
        let said = run(&words);
        assert!(said.out.contains("try --method radau"), "{said:?}");
        assert_eq!(said.code, Some(0), "{said:?}");
        let found = summary(&words[1..]);
        let [steps, stiff] = ["steps", "stiff_steps"].map(|key| found[key].as_u64().expect(key));
        assert!(4 * stiff > steps, "{stiff} of {steps}");
    }
    let said = run(&["simulate", &model, "--to", "5", "--method", "radau"]);
    assert!(!said.out.contains("stiff"), "{said:?}");
    for model in ["examples/multilink_car.toml", "examples/heavy_top.toml"] {
        let said = run(&["simulate", model, "--to", "1"]);
        assert!(!said.out.contains("stiff"), "{said:?}");
    }
}

#[test]
fn a_name_that_a_study_varies_twice_is_refused() {
    let model = "examples/pendulum.toml";
    let twice = ["--vary", "phi=0..1:3", "--vary", "phi~uniform(0,1)"];
    let answer =
        run(&[&["study", model, "--to", "1", "--dt", "0.01", "--measure", "phi"][..], &twice]
            .concat());
    assert_ne!(answer.code, Some(0), "{answer:?}");
    assert!(answer.err.contains("`phi` is varied twice"), "{answer:?}");
}
