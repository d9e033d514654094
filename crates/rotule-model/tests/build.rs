//! Models in code as a user writes them: equal to their files, with the messages of files.

use rotule_model::build::*;
use rotule_model::{Texts, write};
use std::fs;
use std::path::Path;

/// The text of an example and what follows it.
fn example(name: &str, more: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    fs::read_to_string(path).expect("a readable example") + more
}

/// The model is the same as that of a text.
fn check(built: &Draft, text: String) {
    let file = Texts::new("model.toml", text).load(&Default::default()).expect("a file");
    assert_eq!(built.text(), write(&file.draft));
    assert_eq!(*built, file.draft.without_places());
    let loaded = built.load().expect("the same model");
    assert_eq!(loaded.diagnostics.iter().len(), file.diagnostics.iter().len());
}

#[test]
fn a_double_pendulum() {
    let mut model = Draft::new("double_pendulum");
    model.gravity([0.0, -9.81, 0.0]);
    for name in ["m1", "m2", "l1", "l2"] {
        model.parameter(name, 1);
    }
    for (i, (rod, parent)) in [("upper", "ground"), ("lower", "upper.tip")].into_iter().enumerate()
    {
        let i = i + 1;
        let end = (0, format!("-l{i}"), 0);
        model.add(
            Body::new(rod)
                .parent(parent)
                .joint(Joint::revolute(format!("q{i}"), "z"))
                .mass(format!("m{i}"))
                .com(end.clone())
                .point("tip", end),
        );
    }
    model.add(Sensor::new("tip", "lower.tip", [Measure::Position, Measure::Velocity]));
    model.initial_q("q1", "pi/2").initial_q("q2", 0);
    check(&model, example("double_pendulum.toml", ""));
}

#[test]
fn a_slider_crank_with_a_spring() {
    let mut model = Draft::new("slider_crank");
    model.gravity((0, -9.81, 0));
    model.add(Parameter::new("l1", 0.15).unit("m").about("crank"));
    model.add(Parameter::new("l2", 0.3).unit("m").about("rod"));
    model.add(Parameter::new("m1", 0.36).unit("kg").about("crank, uniform"));
    model.add(Parameter::new("m2", 0.151104).unit("kg").about("rod, uniform"));
    model.add(Parameter::new("m3", 0.075552).unit("kg").about("piston"));
    let uniform = |m: &str, l: &str| {
        let entry = format!("{m}*{l}^2/12");
        Inertia::new().yy(&entry).zz(&entry)
    };
    model.add(
        Body::new("crank")
            .parent("ground")
            .joint(Joint::revolute("q1", "z"))
            .mass("m1")
            .com(("l1/2", 0, 0))
            .inertia(uniform("m1", "l1"))
            .point("B", ("l1", 0, 0)),
    );
    model.add(
        Body::new("rod")
            .parent("crank.B")
            .joint(Joint::revolute("q2", "z"))
            .mass("m2")
            .com(("l2/2", 0, 0))
            .inertia(uniform("m2", "l2"))
            .point("C", ("l2", 0, 0)),
    );
    let slide = Joint::prismatic("q3", "x");
    model.add(Body::new("piston").parent("ground").joint(slide).mass("m3"));
    model.add(Cut::revolute("pin", "z", ["rod.C", "piston"]));
    model.add(LineForce::new("spring", ["ground", "piston"], "spring_damper(Z, Zd, 100, 0.4, 2)"));
    model.initial_q("q1", "pi/3");
    model.initial_q("q2", -1.49502994812553).initial_q("q3", 0.345416345659799);
    model.initial_qd("q1", 20);
    model.initial_qd("q2", -25.5470019622523).initial_qd("q3", -3.31865290347621);
    let spring = r#"
[[line_force]]
name = "spring"
between = ["ground", "piston"]
force = "spring_damper(Z, Zd, 100, 0.4, 2)"
"#;
    check(&model, example("slider_crank.toml", spring));
}

#[test]
fn a_bicycle_with_wheels_and_events() {
    let mut model = Draft::new("whipple_bicycle");
    model.gravity([0.0, 0.0, -9.81]);
    let metres =
        |name: &str, value: f64, about: &str| Parameter::new(name, value).unit("m").about(about);
    model.add(metres("w", 1.02, "wheelbase")).add(metres("c", 0.08, "trail"));
    let tilt = Parameter::new("tilt", std::f64::consts::PI / 10.0).unit("rad");
    model.add(tilt.about("steer axis against the vertical, pi/10"));
    model.add(metres("rR", 0.3, "rear wheel"));
    model.parameter("mR", 2).parameter("IRxx", 0.0603).parameter("IRyy", 0.12);
    model.add(metres("xB", 0.3, "rear frame and rider, before the rear contact"));
    model.add(metres("zB", 0.9, "and above the ground"));
    model.parameter("mB", 85).parameter("IBxx", 9.2).parameter("IByy", 11);
    model.parameter("IBzz", 2.8).parameter("IBxz", -2.4);
    model.add(metres("xH", 0.9, "front frame"));
    model.parameter("zH", 0.7).parameter("mH", 4).parameter("IHxx", 0.05892);
    model.parameter("IHyy", 0.06).parameter("IHzz", 0.00708).parameter("IHxz", 0.00756);
    model.add(metres("rF", 0.35, "front wheel"));
    model.parameter("mF", 3).parameter("IFxx", 0.1405).parameter("IFyy", 0.28);
    model.parameter("fork", "rF*sin(tilt) - c*cos(tilt)");
    model.parameter("up", "rF*cos(tilt) + c*sin(tilt)");
    model.parameter("xS", "w + c - up*sin(tilt)").parameter("zS", "up*cos(tilt)");

    let independent = |joint: Joint| joint.partition(PartitionRole::Independent);
    model.add(
        Body::new("rear_frame")
            .parent("ground")
            .joint(Joint::prismatic("x", "x"))
            .joint(Joint::prismatic("y", "y"))
            .joint(Joint::prismatic("z", "z"))
            .joint(Joint::revolute("yaw", "z"))
            .joint(independent(Joint::revolute("roll", "x")))
            .joint(Joint::revolute("pitch", "y"))
            .mass("mB")
            .com(("xB", 0, "zB - rR"))
            .inertia(Inertia::from(["IBxx", "IByy", "IBzz"]).xz("IBxz"))
            .point("head", ("xS", 0, "zS - rR")),
    );
    model.add(
        Body::new("rear_wheel")
            .parent("rear_frame")
            .joint(independent(Joint::revolute("rear", "y")))
            .mass("mR")
            .inertia(["IRxx", "IRyy", "IRxx"]),
    );
    let upright = Inertia::from(["IHxx", "IHyy", "IHzz"]).xz("IHxz");
    model.add(
        Body::new("front_frame")
            .parent("rear_frame.head")
            .rotation(Rotation::about("y", "-tilt"))
            .joint(independent(Joint::revolute("steer", "z")))
            .mass("mH")
            .com((
                "(xH - xS)*cos(tilt) + (zH - zS)*sin(tilt)",
                0,
                "(zH - zS)*cos(tilt) - (xH - xS)*sin(tilt)",
            ))
            .inertia(upright.rotation(Rotation::about("y", "tilt")))
            .point("hub", ("fork", 0, 0)),
    );
    model.add(
        Body::new("front_wheel")
            .parent("front_frame.hub")
            .joint(Joint::revolute("front", "y"))
            .mass("mF")
            .inertia(["IFxx", "IFyy", "IFxx"]),
    );
    model.add(Wheel::new("rear_contact", "rear_wheel", "rR").rolling());
    model.add(Wheel::new("front_contact", "front_wheel", "rF").rolling());
    model.initial_q("z", "rR").initial_q("pitch", 0);
    model.initial_qd("x", 4.6).initial_qd("y", "-0.5*rR").initial_qd("roll", 0.5);
    model.initial_qd("rear", "4.6/rR").initial_qd("front", "4.6/rF");

    model.add(
        Event::new("push", "t - 1")
            .direction(Crossing::Rising)
            .impact("steer", 0.5)
            .message("a gust of wind"),
    );
    model.add(Event::new("fallen", "abs(roll) - 1").end());
    let events = r#"
[[event]]
name = "push"
when = "t - 1"
direction = "rising"
impact = { joint = "steer", restitution = 0.5 }
message = "a gust of wind"

[[event]]
name = "fallen"
when = "abs(roll) - 1"
end = true
"#;
    check(&model, example("whipple_bicycle.toml", events));
}

/// A pendulum that has nothing wrong.
fn pendulum() -> Draft {
    let mut model = Draft::new("pendulum");
    model.parameter("l", 0.5);
    model.add(rod("rod"));
    model
}

fn rod(name: &str) -> Body {
    let joint = Joint::revolute(format!("q_{name}"), "y");
    Body::new(name).parent("ground").joint(joint).mass(1).com((0, 0, "-l"))
}

/// Ends a chain of setters.
fn ignore(_: &mut Draft) {}

/// The error of the pendulum after a change.
fn message(change: impl FnOnce(&mut Draft)) -> String {
    let mut model = pendulum();
    change(&mut model);
    match model.load() {
        Ok(accepted) => accepted.diagnostics.render(&accepted.sources),
        Err(rejected) => rejected.to_string(),
    }
}

#[test]
fn an_unknown_parent() {
    let shown = message(|model| ignore(model.add(rod("arm").parent("rood.tip"))));
    let expected = r#"
error[unknown-name]: the parent of body `arm` names `rood`, but there is no such body
  --> pendulum (built in code):16:11
   |
16 | parent = "rood.tip"
   |           ^^^^^^^^
   = help: did you mean `rod`?
"#;
    assert_eq!(shown, expected.trim_start());
}

#[test]
fn a_name_given_twice() {
    let shown = message(|model| ignore(model.add(rod("rod").joint(Joint::fixed()))));
    let expected = r#"
error[duplicate-name]: two bodies have the name `rod`
  --> pendulum (built in code):15:9
   |
15 | name = "rod"
   |         ^^^ give it another name
   = note: the name is given here first
 --> pendulum (built in code):8:9
  |
8 | name = "rod"
  |         ^^^
"#;
    assert!(shown.starts_with(expected.trim_start()), "{shown}");
}

#[test]
fn a_negative_mass() {
    let shown = message(|model| ignore(model.add(rod("arm").mass(-1))));
    let expected = r#"
error[inertia]: the mass of body `arm` is negative: -1
  --> pendulum (built in code):18:8
   |
18 | mass = -1
   |        ^^
   = help: give zero or more
"#;
    assert_eq!(shown, expected.trim_start());
}

/// Values that setters take silently are refused when the model is loaded.
#[test]
fn mistakes_are_those_of_files() {
    let check = |change: fn(&mut Draft), expected: &[&str]| {
        let shown = message(change);
        for part in expected {
            assert!(shown.contains(part), "{part} is not in\n{shown}");
        }
    };
    check(
        |model| ignore(model.add(rod("arm").com(("l/", 0, 0)))),
        &["error[expression]: the centre of mass of body `arm`: expected a number", "\"l/\""],
    );
    check(
        |model| ignore(model.add(rod("arm").com(("ll", 0, 0)))),
        &["body `arm` uses `ll`, which is not defined", "did you mean `l`?"],
    );
    check(
        |model| ignore(model.add(rod("arm").mass(f64::NAN))),
        &["error[number]: `mass` of body `arm` is not a finite number"],
    );
    check(
        |model| ignore(model.add(Body::new("arm").parent("rod").joint(Joint::revolute("q2", "w")))),
        &[
            "`axis` of joint `q2`: `w` is not known",
            "expected one of `x`, `y`, `z`, `-x`, `-y`, `-z`",
        ],
    );
    check(
        |model| ignore(model.add(Event::new("hit", "q_rod - 1"))),
        &["error[missing]: event `hit` does nothing", "add one of `set`, `impact`"],
    );
    check(
        |model| ignore(model.parameter("l", 2)),
        &["error[ambiguous]: `l` is given twice", "keep one of the two"],
    );
    check(
        |model| ignore(model.initial_q("q_rod", 1).initial_q("q_rod", 2)),
        &["error[ambiguous]: `q_rod` is given twice"],
    );
    check(
        |model| ignore(model.add(rod("arm").parent("").mass(""))),
        &["`parent` of body `arm` is empty", "`mass` of body `arm` is empty"],
    );
    check(
        |model| ignore(model.add(Body::new("a").parent("b")).add(Body::new("b").parent("a"))),
        &["error[cycle]: bodies carry each other in a circle: `a` on `b` on `a`"],
    );
    check(
        |model| {
            model.add(rod("arm").point("tip", [0, 0, 1]));
            model.add(Cut::ball("pin", ["arm.tip", "rod"]));
        },
        &["warning[guess]: loop closure `pin` lacks a first guess for `q_rod`, `q_arm`"],
    );
}
