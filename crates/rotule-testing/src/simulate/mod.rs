//! Models in motion, for tests.

pub mod bifurcation;
pub mod jet;
pub mod linkage;
pub mod loops;
pub mod morette;
pub mod reference;

pub use crate::formalism::{example, tree};

use rotule_formalism::MultibodySystem;
use rotule_formalism::constraint::is_constrained;
use rotule_model::index::SpeedSet;
use rotule_numeric::assembly::assemble;
use rotule_program::NoExternals;
use rotule_simulate::augmented::ConstraintForm;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::{Accuracy, Integrator};
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::quantity::EvaluatedFunction;
use rotule_simulate::run::{End, Observer, Outcome, RunOptions, Samples, Threshold, run};
use std::ops::ControlFlow;

/// A plant at its closed initial state.
pub fn plant(text: &str) -> Plant {
    plant_in(text, ConstraintForm::Partition)
}

/// A plant in another form.
pub fn plant_in(text: &str, form: ConstraintForm) -> Plant {
    let tree = tree(text);
    let start = start(&tree);
    Plant::in_form(tree, start, Box::new(NoExternals), form).expect("equations of motion")
}

/// The closed initial state of a tree.
pub fn start(tree: &MultibodySystem) -> InputPoint {
    let mechanism = &tree.mechanism;
    let parameters = mechanism.parameters.iter().map(|one| one.value).collect();
    let (q, qd) = match is_constrained(&tree.mechanism) {
        true => {
            let found = assemble(tree, &SpeedSet::new()).expect("loops that close");
            (found.q, found.qd)
        }
        false => {
            let q: Vec<_> = mechanism.coordinates.iter().map(|one| one.initial).collect();
            let qd: Vec<_> = mechanism.speeds.iter().map(|one| one.initial).collect();
            (mechanism.evaluate(&q), mechanism.evaluate(&qd))
        }
    };
    let states: Vec<_> = mechanism.states.iter().map(|one| one.initial).collect();
    InputPoint::new(0.0, q, qd, parameters).with_states(mechanism.evaluate(&states))
}

/// Keeps time and coordinates of all samples.
#[derive(Default)]
pub struct Kept {
    /// The times of the samples.
    pub times: Vec<f64>,
    /// The plant's points at these times.
    pub points: Vec<InputPoint>,
}

impl Observer for Kept {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        self.times.push(plant.point().t);
        self.points.push(plant.point().clone());
        ControlFlow::Continue(())
    }
}

/// Runs a plant to a time with the energy watched after every step. The outcome, and the largest
/// relative change of the energy.
pub fn conserved(plant: &mut Plant, name: &str, tolerance: f64, to: f64) -> (Outcome, f64) {
    let mut method = method(name, within(tolerance), plant.size()).expect("a method");
    let mut energy = Conserved::new(plant);
    let options = RunOptions::new(to, Samples::Steps, Threshold::AUTOMATIC);
    let outcome = run(plant, method.as_mut(), &options, &mut energy).expect("a run");
    assert_eq!(outcome.end, End::Reached);
    (outcome, energy.relative())
}

/// Runs a model and keeps its samples.
pub fn motion(
    plant: &mut Plant,
    method: &mut dyn Integrator,
    to: f64,
    every: f64,
    threshold: Threshold,
) -> (Outcome, Kept) {
    let mut kept = Kept::default();
    let options = RunOptions::new(to, Samples::Every(every), threshold);
    let outcome = run(plant, method, &options, &mut kept).expect("a run");
    (outcome, kept)
}

/// Runs a model from time to time, exactly to each; `look` sees the plant there. The outcome is
/// that of the whole.
pub fn ends(
    plant: &mut Plant,
    method: &mut dyn Integrator,
    times: &[f64],
    threshold: Threshold,
    mut look: impl FnMut(&mut Plant),
) -> Outcome {
    let mut whole: Option<Outcome> = None;
    for &to in times {
        let options = RunOptions::new(to, Samples::Every(f64::MAX), threshold);
        let mut outcome = run(plant, method, &options, &mut Kept::default()).expect("a run");
        assert_eq!(outcome.end, End::Reached, "at {} of {to}", outcome.t);
        look(plant);
        if let Some(before) = whole {
            outcome.switches.splice(0..0, before.switches);
            outcome.reorders += before.reorders;
            outcome.worst = outcome.worst.max(before.worst);
            outcome.drift.position = outcome.drift.position.max(before.drift.position);
            outcome.drift.velocity = outcome.drift.velocity.max(before.drift.velocity);
        }
        whole = Some(outcome);
    }
    whole.expect("at least one time")
}

/// Kinetic and potential energy of a plant.
pub struct Energy(EvaluatedFunction, EvaluatedFunction);

impl Energy {
    /// The energies of a plant.
    pub fn new(plant: &mut Plant) -> Energy {
        let ready = |plant: &mut Plant, name: &str| {
            let mut quantity = EvaluatedFunction::new(&plant.tree, name).expect("an energy");
            plant.prepare(&mut quantity);
            quantity
        };
        Energy(ready(plant, "kinetic_energy"), ready(plant, "potential_energy"))
    }

    /// Both at the plant's point.
    pub fn of(&mut self, plant: &mut Plant) -> [f64; 2] {
        plant.measure(&mut self.0);
        plant.measure(&mut self.1);
        [self.0.output(0)[0], self.1.output(0)[0]]
    }
}

/// Watches the energy: its largest change since the first sample, in parts of the largest kinetic
/// or potential energy against the first.
pub struct Conserved {
    energy: Energy,
    first: Option<[f64; 2]>,
    /// The largest change of the energy so far.
    pub drift: f64,
    /// The largest kinetic or potential energy so far, against the first.
    pub scale: f64,
}

impl Conserved {
    /// An observer of the energy of a plant.
    pub fn new(plant: &mut Plant) -> Conserved {
        Conserved { energy: Energy::new(plant), first: None, drift: 0.0, scale: 0.0 }
    }

    /// The largest change in parts of the largest energy.
    pub fn relative(&self) -> f64 {
        self.drift / self.scale
    }
}

impl Observer for Conserved {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        let [kinetic, potential] = self.energy.of(plant);
        let first = *self.first.get_or_insert([kinetic, potential]);
        self.drift = self.drift.max((kinetic + potential - first[0] - first[1]).abs());
        self.scale = self.scale.max(kinetic).max((potential - first[1]).abs());
        ControlFlow::Continue(())
    }
}

/// Tolerances alike for all states.
pub fn within(tolerance: f64) -> Accuracy {
    Accuracy::Within { relative: tolerance, absolute: tolerance }
}
