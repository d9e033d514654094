//! Models in motion, for tests.
#![allow(dead_code, reason = "each test file uses a part")]

use rotule_formalism::constraint::{assemble::assemble, is_constrained};
use rotule_formalism::{Tree, normalise};
use rotule_model::{Format, ReadOptions, Sources, load};
use rotule_program::NoExternals;
use rotule_simulate::augmented::Form;
use rotule_simulate::inputs::Point;
use rotule_simulate::method::Method;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{Observer, Options, Outcome, Samples, Threshold, run};
use std::ops::ControlFlow;
use std::path::Path;

/// The tree of a model file.
pub fn tree(text: &str) -> Tree {
    let mut sources = Sources::new();
    let id = sources.add("model.toml", text);
    let loaded = load(&sources, id, Format::Native, &[], &ReadOptions::default());
    let shown = loaded.diagnostics.render(&sources);
    let Some(mechanism) = loaded.mechanism else { panic!("{shown}") };
    normalise(mechanism)
}

/// A file of the gallery.
pub fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).expect("a readable example")
}

/// A plant at its closed initial state.
pub fn plant(text: &str) -> Plant {
    plant_in(text, Form::Partition)
}

/// The same in another form.
pub fn plant_in(text: &str, form: Form) -> Plant {
    let tree = tree(text);
    let mechanism = &tree.mechanism;
    let parameters = mechanism.parameters.iter().map(|one| one.value).collect();
    let (q, qd) = match is_constrained(&tree) {
        true => {
            let found = assemble(&tree, &[]).expect("loops that close");
            (found.q, found.qd)
        }
        false => {
            let q: Vec<_> = mechanism.coordinates.iter().map(|one| one.initial).collect();
            let qd: Vec<_> = mechanism.speeds.iter().map(|one| one.initial).collect();
            (mechanism.evaluate(&q), mechanism.evaluate(&qd))
        }
    };
    let states: Vec<_> = mechanism.states.iter().map(|one| one.initial).collect();
    let start = Point::new(0.0, q, qd, parameters).with_states(mechanism.evaluate(&states));
    Plant::in_form(tree, start, Box::new(NoExternals), form).expect("equations of motion")
}

/// Keeps time and coordinates of all samples.
#[derive(Default)]
pub struct Kept {
    pub times: Vec<f64>,
    pub points: Vec<Point>,
}

impl Observer for Kept {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        self.times.push(plant.point().t);
        self.points.push(plant.point().clone());
        ControlFlow::Continue(())
    }
}

/// Runs a model and keeps its samples.
pub fn motion(
    plant: &mut Plant,
    method: &mut dyn Method,
    to: f64,
    every: f64,
    threshold: Threshold,
) -> (Outcome, Kept) {
    let mut kept = Kept::default();
    let options = Options { to, samples: Samples::Every(every), threshold };
    let outcome = run(plant, method, &options, &mut kept).expect("a run");
    (outcome, kept)
}
