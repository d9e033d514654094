//! Every method on every model with events and stops: the same events in the same order, at the
//! same times within what the method's own accuracy allows.
//!
//! The models are those of `events.rs`, of the command line's tests and of `forms.rs`, with walls,
//! stops, locks, settings and several events at one time. Methods that choose their steps run with
//! 1e-9, the others with steps of a length that divides none of the times at which something
//! happens.

use rotule_simulate::augmented::ConstraintForm;
use rotule_simulate::event::Record;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::{METHODS, SECOND_ORDER, method};
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{End, Threshold};
use rotule_testing::simulate::{example, motion, plant_in, within};

/// A model and how long it runs.
struct Model {
    name: &'static str,
    text: String,
    to: f64,
}

/// A ball of 2 kg that falls from 5 m.
fn ball(joint: &str, rest: &str) -> String {
    format!(
        "[model]\nname = \"ball\"\n[[body]]\nname = \"ball\"\nparent = \"ground\"\n\
         joint = {{ name = \"z\", type = \"prismatic\", axis = \"z\"{joint} }}\nmass = 2\n{rest}\n[initial.q]\nz = 5\n"
    )
}

fn models() -> Vec<Model> {
    let model = |name, text: String, to| Model { name, text, to };
    let floor = |what: &str| {
        format!("[[event]]\nname = \"floor\"\nwhen = \"z\"\ndirection = \"falling\"\n{what}\n")
    };
    let pendulum = |range: &str| {
        format!(
            "[model]\nname = \"pendulum\"\n[[body]]\nname = \"arm\"\nparent = \"ground\"\n\
             joint = {{ name = \"q\", type = \"revolute\", axis = \"y\", {range} }}\nmass = 1\ncom = [0, 0, -1]\n\
             [initial.q]\nq = 0.5\n"
        )
    };
    let arm = "[model]\nname = \"arm\"\ngravity = [0, -9.81, 0]\n\
         [[body]]\nname = \"a\"\nparent = \"ground\"\n\
         joint = { name = \"q1\", type = \"revolute\", axis = \"z\" }\nmass = 1\ncom = [1, 0, 0]\n\
         [[body]]\nname = \"b\"\nparent = \"a\"\nposition = [1, 0, 0]\n\
         joint = { name = \"q2\", type = \"revolute\", axis = \"z\", range = [-1, 0.4], stop = { restitution = 0.2 } }\n\
         mass = 1\ncom = [1, 0, 0]\n";
    let locks = "[[event]]\nname = \"catch\"\nwhen = \"t - 0.5\"\nlock = [\"z\"]\n\
         [[event]]\nname = \"drop\"\nwhen = \"t - 1\"\nunlock = [\"z\"]\n\
         [[event]]\nname = \"done\"\nwhen = \"z - 0.1\"\nend = true\n";
    let together = floor("impact = { joint = \"z\", restitution = 0.8 }")
        + &floor("set = { \"z.d\" = \"0.9*z.d\" }").replace("floor", "loss")
        + "[[event]]\nname = \"turn\"\nwhen = \"z.d\"\nmessage = \"turned\"\n";
    let wall = "\n[[event]]\nname = \"wall\"\nwhen = \"q3 - 0.25\"\ndirection = \"falling\"\n\
         impact = { joint = \"q3\", restitution = 0.6 }\n";
    let lift = ", range = [0, 100], stop = { restitution = 0 }, effort = \"10*t\"";
    let double = "[model]\nname = \"double\"\n[[body]]\nname = \"arm\"\nparent = \"ground\"\n\
         joint = { name = \"q1\", type = \"revolute\", axis = \"y\", range = [-2, 0.3], stop = { restitution = 0.6 } }\n\
         mass = 1\ncom = [0, 0, -0.5]\n[[body]]\nname = \"fore\"\nparent = \"arm\"\nposition = [0, 0, -1]\n\
         joint = { name = \"q2\", type = \"revolute\", axis = \"y\" }\nmass = 0.7\ncom = [0, 0, -0.4]\n\
         inertia = { yy = 0.02 }\n[initial.q]\nq1 = -1\nq2 = 0.2\n";
    let impact = floor("impact = { joint = \"z\", restitution = 0.8 }");
    let stop = |restitution: &str| {
        ball(&format!(", range = [0, 100], stop = {{ restitution = {restitution} }}"), "")
    };
    vec![
        model("set", ball("", &floor("set = { \"z.d\" = \"-0.8*z.d\" }")), 4.0),
        model("impact", ball("", &impact), 4.0),
        model("stop", stop("0.8"), 4.0),
        model("rests", stop("0.5"), 4.0),
        model("leaves", ball(lift, "").replace("z = 5", "z = 0"), 3.0),
        model("falls and leaves", ball(lift, "").replace("z = 5", "z = 1"), 3.0),
        model("locks", ball("", locks), 9.0),
        model("together", ball("", &together), 3.0),
        model("pendulum", pendulum("range = [-0.3, 2], stop = { restitution = 0.8 }"), 6.0),
        model(
            "grazing pendulum",
            pendulum("range = [-0.48, 2], stop = { restitution = 0.5 }"),
            6.0,
        ),
        // Both ends of a range.
        model(
            "range",
            pendulum("range = [-0.2, 0.4], stop = { restitution = 0.9 }")
                .replace("q = 0.5", "q = 0.3\n[initial.qd]\nq = 3"),
            1.5,
        ),
        model("arm", arm.to_owned(), 2.0),
        model("double pendulum", double.to_owned(), 2.0),
        model("slider_crank", example("slider_crank.toml") + wall, 0.4),
    ]
}

/// The step of methods that do not choose.
const STEP: f64 = 0.000_31;

/// One run: its records, or why there are none.
fn records(
    model: &Model,
    name: &str,
    form: ConstraintForm,
    accuracy: Accuracy,
) -> Result<Vec<Record>, String> {
    let mut plant = plant_in(&model.text, form);
    let mut method = method(name, accuracy, plant.size()).map_err(|why| why.to_string())?;
    let (outcome, _) =
        motion(&mut plant, method.as_mut(), model.to, model.to, Threshold::AUTOMATIC);
    match outcome.end {
        End::Reached | End::Event(_) => Ok(outcome.events),
        end => Err(format!("{end:?} at {} after {} events", outcome.t, outcome.events.len())),
    }
}

/// The name and actions of a record, without the numbers.
fn done(record: &Record) -> (String, String) {
    let words: String =
        record.done.split(' ').filter(|word| word.parse::<f64>().is_err()).collect();
    (record.name.clone(), words)
}

fn compare(
    model: &Model,
    name: &str,
    expected: &[Record],
    found: &[Record],
    exact: f64,
) -> Option<String> {
    let seen = expected.iter().position(|one| is_slow(one, name)).unwrap_or(usize::MAX);
    let pairs = found.iter().zip(expected).take(seen);
    let apart = pairs.clone().find(|(found, expected)| {
        done(found) != done(expected) || (found.t - expected.t).abs() > exact
    });
    if let Some((found, expected)) = apart {
        let what = format!("`{}: {}` at {}", found.name, found.done, found.t);
        let instead = format!("`{}: {}` at {}", expected.name, expected.done, expected.t);
        return Some(format!(
            "{}, {name}: {what} instead of {instead}, within {exact:.1e}",
            model.name
        ));
    }
    if found.len() != expected.len() && seen == usize::MAX {
        return Some(format!(
            "{}, {name}: {} events instead of {}",
            model.name,
            found.len(),
            expected.len()
        ));
    }
    None
}

/// Returns `true` if a bounce is slower than a method can tell: one of first order has no arc
/// within a step, which `g STEP` is the speed of, and the past of `bdf` begins at order one behind
/// each, with ten tolerances of error in the height.
fn is_slow(record: &Record, name: &str) -> bool {
    let slowest = match name {
        "euler" => 10.0 * 9.81 * STEP,
        "bdf" => (10.0 * 1e-9 * 9.81_f64).sqrt(),
        _ => 0.0,
    };
    let words: Vec<&str> = record.done.split(' ').collect();
    let speed =
        words.iter().position(|word| *word == "from").and_then(|at| words[at + 1].parse().ok());
    speed.is_some_and(|speed: f64| speed.abs() < slowest)
}

/// The error that is allowed in the time of an event. Where the slowest bounces have 1e-4 m/s, 1e-5
/// s are an error of 1e-9 m, which is the tolerance; with steps of one length, thirty times the
/// step to the power of the order.
fn allowance(order: u32, fixed: bool) -> f64 {
    if fixed { 30.0 * STEP.powi(order as i32).max(1e-9) } else { 1e-5 }
}

#[test]
fn every_method_has_the_same_events() {
    let mut wrong = Vec::new();
    for model in models() {
        let expected = records(&model, "dop853", ConstraintForm::Partition, within(1e-12));
        let expected = expected.unwrap_or_else(|why| panic!("{}: {why}", model.name));
        assert!(!expected.is_empty(), "{}", model.name);
        for entry in METHODS {
            let accuracy = if entry.fixed { Accuracy::Fixed(STEP) } else { within(1e-9) };
            let exact = allowance(entry.order, entry.fixed);
            match records(&model, entry.name, ConstraintForm::Partition, accuracy) {
                Ok(found) => wrong.extend(compare(&model, entry.name, &expected, &found, exact)),
                Err(why) => wrong.push(format!("{}, {}: {why}", model.name, entry.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// Methods of second order go with events that neither hold nor set joints of loops.
#[test]
fn methods_of_second_order_have_the_same_events() {
    let mut wrong = Vec::new();
    let suits = ["impact", "together", "slider_crank"];
    for model in models().into_iter().filter(|model| suits.contains(&model.name)) {
        let expected = records(&model, "dop853", ConstraintForm::Partition, within(1e-12));
        let expected = expected.unwrap_or_else(|why| panic!("{}: {why}", model.name));
        for entry in SECOND_ORDER {
            // With constraints, average acceleration is of first order.
            let order = if entry.name == "newmark" { 1 } else { entry.order };
            let exact = allowance(order, true);
            match records(&model, entry.name, ConstraintForm::Index3, Accuracy::Fixed(STEP)) {
                Ok(found) => wrong.extend(compare(&model, entry.name, &expected, &found, exact)),
                Err(why) => wrong.push(format!("{}, {}: {why}", model.name, entry.name)),
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
