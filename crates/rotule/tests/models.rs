//! Ways to a model: files of every format, mechanisms in code, and states of other libraries; and
//! events along a motion. All through the library alone.

use rotule::build::{Body, Crossing, Draft, Event, Joint};
use rotule::conventions::{Convention, Conversion};
use rotule::simulate::End;
use rotule::{Error, Format, Method, Model};
use std::fs;
use std::path::{Path, PathBuf};

fn example(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name)
}

fn close(found: &[f64], expected: &[f64], tolerance: f64, what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (one, other) in found.iter().zip(expected) {
        let bound = tolerance * (1.0 + other.abs());
        assert!((one - other).abs() <= bound, "{what}: {found:?} and {expected:?}");
    }
}

/// The arm of three foreign formats has one mass matrix and one weight. Joints of ROBOTRAN's turn
/// the other way.
#[test]
fn files_of_all_formats_are_one_arm() -> Result<(), Error> {
    let q = [0.4, -0.9];
    let numbers = |path: &Path, sign: f64| -> Result<(Vec<f64>, Vec<f64>), Error> {
        let model = Model::open(path)?;
        let mut state = model.neutral();
        state.q = q.map(|angle| sign * angle).to_vec();
        let mass = model.evaluate("mass", &state)?.output("M")?.numbers.clone();
        let weight = model.evaluate("gravity", &state)?.outputs[0].numbers.clone();
        Ok((mass, weight.into_iter().map(|effort| sign * effort).collect()))
    };
    let (mass, weight) = numbers(&example("formats/arm.sdf"), 1.0)?;
    for (name, sign) in [("arm.mjcf", 1.0), ("arm.mbs", -1.0)] {
        let (other_mass, other_weight) = numbers(&example("formats").join(name), sign)?;
        close(&other_mass, &mass, 1e-12, name);
        close(&other_weight, &weight, 1e-12, name);
    }
    // URDF has a hand besides: its coordinates are more, and begin with those of the arm.
    let robot = Model::open(example("formats/arm.urdf"))?;
    assert_eq!(robot.coordinates()[..2], ["shoulder", "elbow"]);
    Ok(())
}

/// A text without a name that tells gets its format by word; the model is that of the file.
#[test]
fn texts_are_read_in_a_format() -> Result<(), Error> {
    for (format, name) in [
        (Format::Urdf, "formats/arm.urdf"),
        (Format::Sdf, "formats/arm.sdf"),
        (Format::Mjcf, "formats/arm.mjcf"),
        (Format::Mbs, "formats/arm.mbs"),
        (Format::Native, "double_pendulum.toml"),
    ] {
        let text = fs::read_to_string(example(name))?;
        let model = Model::options().format(format).read("text", text)?;
        assert_eq!(model.hash(), Model::open(example(name))?.hash(), "{name}");
        // Whatever the format was, the model file of Rotule is the same model.
        assert_eq!(Model::read("model.toml", model.text())?.hash(), model.hash(), "{name}");
    }
    Ok(())
}

/// The content of each example, loaded from code, is the example: the same text, hash and
/// equations. `rotule-model` compares drafts that the builder makes with all that a file can say.
#[test]
fn examples_from_code_are_those_from_files() -> Result<(), Error> {
    let mut compared = 0;
    for entry in fs::read_dir(example(""))? {
        let path = entry?.path();
        if path.extension().is_none_or(|ending| ending != "toml") {
            continue;
        }
        let file = Model::open(&path)?;
        let code = Model::try_from(&file.draft())?;
        let name = path.display();
        assert_eq!(code.text(), file.text(), "{name}");
        assert_eq!(code.hash(), file.hash(), "{name}");
        assert_eq!(code.state(), file.state(), "{name}");
        if file.speeds().len() <= 8 {
            let [one, other] = [&code, &file].map(|model| model.function("inverse"));
            assert_eq!(one?.program().to_string(), other?.program().to_string(), "{name}");
            compared += 1;
        }
    }
    assert!(compared >= 10, "only {compared} examples are small");
    Ok(())
}

/// States of a robot with a floating base go to other libraries and come back, and do the same
/// work there.
#[test]
fn states_go_to_other_libraries_and_back() -> Result<(), Error> {
    let robot = Model::options().floating_base(true).open(example("robots/anymal_b.urdf"))?;
    let mechanism = robot.mechanism();
    for convention in [Convention::Pinocchio, Convention::Mujoco] {
        let other = Conversion::new(mechanism, convention);
        for seed in 0..10 {
            let mut state = robot.random(seed);
            state.effort = state.qdd.iter().map(|rate| 1.0 - 2.0 * rate).collect();
            let (q, qd) =
                (other.q_from_rotule(&state.q), other.qd_from_rotule(&state.q, &state.qd));
            let qdd = other.qdd_from_rotule(&state.q, &state.qd, &state.qdd);
            let effort = other.effort_from_rotule(&state.q, &state.effort);
            let power = |qd: &[f64], effort: &[f64]| -> f64 {
                qd.iter().zip(effort).map(|(qd, effort)| qd * effort).sum()
            };
            let (own, theirs) = (power(&state.qd, &state.effort), power(&qd, &effort));
            close(&[theirs], &[own], 1e-13, "power");
            close(&other.q_to_rotule(&q), &state.q, 1e-13, "q");
            close(&other.qd_to_rotule(&q, &qd), &state.qd, 1e-13, "qd");
            close(&other.qdd_to_rotule(&q, &qd, &qdd), &state.qdd, 1e-12, "qdd");
            close(&other.effort_to_rotule(&q, &effort), &state.effort, 1e-13, "effort");
        }
    }
    // A joint that the model does not have is an error with its name.
    let order = Conversion::pinocchio(mechanism).order(&["nobody"]);
    let error = Error::from(order.expect_err("there is no such joint")).to_string();
    assert!(error.contains("nobody"), "{error}");
    Ok(())
}

/// A ball that falls from one metre and bounces with half of its speed: times of impacts are known,
/// and an event ends the run.
#[test]
fn events_happen_on_time() -> Result<(), Error> {
    let mut draft = Draft::new("ball");
    draft.gravity([0.0, 0.0, -9.81]);
    draft.add(Body::new("ball").parent("ground").joint(Joint::prismatic("z", "z")).mass(1));
    draft.add(Event::new("bounce", "z").direction(Crossing::Falling).impact("z", 0.5));
    draft.add(Event::new("enough", "t - 1.2").end().message("no more"));
    draft.initial_q("z", 1.0);
    let model = Model::try_from(&draft)?;
    let first = (2.0_f64 / 9.81).sqrt();
    let expected = [first, 2.0 * first, 2.5 * first, 1.2];
    let expected: Vec<f64> = expected.into_iter().filter(|&t| t <= 1.2).collect();
    for method in [Method::Dop853, Method::Radau] {
        let run = model.simulate().to(5.0).method(method).tolerance(1e-10, 1e-12).run()?;
        let times: Vec<f64> = run.events().iter().map(|event| event.t).collect();
        close(&times, &expected, 1e-9, "times of events");
        let (last, bounces) = run.events().split_last().expect("events");
        assert!(bounces.iter().all(|event| event.name == "bounce"));
        assert_eq!((&last.name[..], &last.message[..]), ("enough", "no more"));
        assert!(matches!(run.end(), End::Event(name) if name == "enough"), "{run}");
        // Points that are kept are those of the grid; the state is that of the end.
        assert!((run.state().t - 1.2).abs() < 1e-9);
    }
    Ok(())
}
