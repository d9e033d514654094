//! Closed mechanisms as model texts, runs that look at every sample, and how far loops are open
//! there.

use super::Conserved;
use super::plant_in;
use rotule_simulate::augmented::ConstraintForm;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::monitor::Drift;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::quantity::EvaluatedFunction;
use rotule_simulate::run::{End, Observer, Outcome, RunOptions, Samples, Threshold, run};
use std::ops::ControlFlow;

/// The tolerances of `rotule simulate` when none are given.
pub const DEFAULT: Accuracy = Accuracy::Within { relative: 1e-8, absolute: 1e-10 };

/// The golden ratio less one: multiples of it never come back to the same place in a step or in a
/// turn.
pub const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// The opening of a model text.
pub fn model(name: &str, gravity: [f64; 3]) -> String {
    format!("[model]\nname = \"{name}\"\ngravity = {gravity:?}\n")
}

/// A uniform bar along x, of one kilogram for each metre and one centimetre of radius of gyration
/// about itself, from its joint to its point `tip`.
pub fn bar(name: &str, parent: &str, joint: &str, length: f64) -> String {
    let inertia = length.powi(3) / 12.0;
    format!(
        "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\njoint = {{ {joint} }}\nmass = {length}\n\
         com = [{}, 0, 0]\ninertia = {{ xx = {}, yy = {inertia}, zz = {inertia} }}\npoints.tip = [{length}, 0, 0]\n",
        0.5 * length,
        1e-4 * length
    )
}

/// A revolute joint about z.
pub fn hinge(name: &str) -> String {
    format!("name = \"{name}\", type = \"revolute\", axis = \"z\"")
}

/// A loop closure; `kind` is the value of `type` and may be followed by further keys.
pub fn cut(name: &str, kind: &str, between: [&str; 2]) -> String {
    format!("[[cut]]\nname = \"{name}\"\nbetween = {between:?}\ntype = {kind}\n")
}

/// A motion of a joint.
pub fn drive(joint: &str, law: &str) -> String {
    format!("[[motion]]\njoint = \"{joint}\"\nq = \"{law}\"\n")
}

/// A table of initial values, `q` or `qd`. Coordinates `p[1]`, `p[2]` of one joint stand next to
/// each other, all of them.
pub fn initial(what: &str, values: &[(&str, f64)]) -> String {
    let mut text = format!("[initial.{what}]\n");
    let joint =
        |at: usize| values.get(at).and_then(|(name, _)| name.split_once('[')).map(|one| one.0);
    for (at, &(name, value)) in values.iter().enumerate() {
        let Some(owner) = joint(at) else {
            text += &format!("{name} = {value:?}\n");
            continue;
        };
        let begins = at == 0 || joint(at - 1) != Some(owner);
        let open = if begins { format!("{owner} = [") } else { String::new() };
        let close = if joint(at + 1) == Some(owner) { ", " } else { "]\n" };
        text += &format!("{open}{value:?}{close}");
    }
    text
}

/// The name of the speed that belongs to a coordinate of a joint without quaternion.
pub fn speed(coordinate: &str) -> String {
    match coordinate.split_once('[') {
        Some((joint, index)) => format!("{joint}.d[{index}"),
        None => format!("{coordinate}.d"),
    }
}

/// The options of a run.
#[derive(Clone, Copy, Debug)]
pub struct Setup {
    /// The form of the constrained equations.
    pub form: ConstraintForm,
    /// The integration method.
    pub method: &'static str,
    /// The accuracy of the method.
    pub accuracy: Accuracy,
    /// The end time.
    pub to: f64,
    /// The times of samples.
    pub samples: Samples,
    /// The threshold at which the coordinate partition is changed.
    pub threshold: Threshold,
}

impl Setup {
    /// A run with the options that `rotule simulate` takes by default.
    pub fn new(to: f64, every: f64) -> Setup {
        Setup {
            form: ConstraintForm::Partition,
            method: "dop853",
            accuracy: DEFAULT,
            to,
            samples: Samples::Every(every),
            threshold: Threshold::AUTOMATIC,
        }
    }

    /// With another method.
    pub fn by(self, method: &'static str, accuracy: Accuracy) -> Setup {
        Setup { method, accuracy, ..self }
    }
}

/// An observer made of a closure.
struct Look<F>(F);

impl<F: FnMut(&mut Plant)> Observer for Look<F> {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        (self.0)(plant);
        ControlFlow::Continue(())
    }
}

/// Runs a plant; `look` is called at every sample.
pub fn observe(plant: &mut Plant, setup: Setup, look: impl FnMut(&mut Plant)) -> Outcome {
    let mut method = method(setup.method, setup.accuracy, plant.size()).expect("a method");
    let options = RunOptions::new(setup.to, setup.samples, setup.threshold);
    run(plant, method.as_mut(), &options, &mut Look(look)).expect("a run")
}

/// The result of a run of a conservative mechanism at its samples.
pub struct Verdict {
    /// The outcome of the run.
    pub outcome: Outcome,
    /// The largest change of the energy, in parts of the largest kinetic or potential energy.
    pub energy: f64,
    /// The largest residuals of the constraints.
    pub open: Drift,
}

impl Verdict {
    /// True if the run came to its end.
    pub fn reached(&self) -> bool {
        self.outcome.end == End::Reached
    }
}

/// Runs a model text with energy and closure measured at every sample.
pub fn judge(text: &str, setup: Setup) -> Verdict {
    let mut plant = plant_in(text, setup.form);
    let mut energy = Conserved::new(&mut plant);
    let mut closure = Closure::new(&mut plant);
    let outcome = observe(&mut plant, setup, |plant| {
        let _ = energy.sample(plant);
        closure.look(plant);
    });
    Verdict { outcome, energy: energy.relative(), open: closure.most }
}

/// The largest residuals of the constraints at the points it looked at.
pub struct Closure {
    constraints: EvaluatedFunction,
    /// The largest residuals so far.
    pub most: Drift,
}

impl Closure {
    /// A watch over the constraints of a plant.
    pub fn new(plant: &mut Plant) -> Closure {
        let mut constraints =
            EvaluatedFunction::new(&plant.tree, "constraints").expect("constraints");
        plant.prepare(&mut constraints);
        Closure { constraints, most: Drift::default() }
    }

    /// Measures the constraints at the plant's point.
    pub fn look(&mut self, plant: &mut Plant) {
        plant.measure(&mut self.constraints);
        let [h, jacobian, e] = [0, 1, 2].map(|output| self.constraints.output(output));
        let qd = &plant.point().qd;
        let velocity = jacobian.chunks_exact(qd.len()).zip(e);
        let velocity =
            velocity.map(|(row, e)| row.iter().zip(qd).map(|(j, qd)| j * qd).sum::<f64>() + e);
        // A residual that is not a number must not pass for a small one.
        let most = |most: f64, one: f64| if one.abs() <= most { most } else { one.abs() };
        self.most.position = h.iter().copied().fold(self.most.position, most);
        self.most.velocity = velocity.fold(self.most.velocity, most);
    }
}

/// Rows of a test that do not hold: all are shown before the test fails.
#[derive(Default)]
pub struct Wrong(Vec<String>);

impl Wrong {
    /// Notes a row unless it holds.
    pub fn unless(&mut self, holds: bool, row: String) {
        if !holds {
            self.0.push(row);
        }
    }

    /// Fails if there is any.
    pub fn none(self) {
        assert!(self.0.is_empty(), "{} rows do not hold:\n{}", self.0.len(), self.0.join("\n"));
    }
}

/// The end of a run in a word, or the message of its failure.
pub fn ended(outcome: &Outcome) -> String {
    match &outcome.end {
        End::Failed(failure) => format!("failed at {}: {failure}", outcome.t),
        other => format!("{other:?}"),
    }
}
