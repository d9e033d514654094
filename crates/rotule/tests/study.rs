//! A motion of a study has the numbers of the same motion alone, bit for bit: with every method, in
//! lanes and one at a time, on one thread and on two.

use rotule::layers::model::mechanism::Role;
use rotule::study::{SampleRow, Statistic};
use rotule::{Method, Model};
use rotule_testing::formalism::random;
use rotule_testing::formalism::text::toml;

/// A motion lasts so long, in seconds, and has steps of this length with methods that need one.
const TO: f64 = 0.1;
const STEP: f64 = 1e-3;
const TOLERANCE: (f64, f64) = (1e-7, 1e-9);

/// The steps of a method: of one length, or by tolerances.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Steps {
    Fixed,
    Chosen,
}

/// The methods with the steps that they can have. Explicit ones with steps of one length go in
/// lanes.
const METHODS: [(Method, Steps); 12] = [
    (Method::Rk4, Steps::Fixed),
    (Method::Euler, Steps::Fixed),
    (Method::DormandPrince, Steps::Fixed),
    (Method::Dop853, Steps::Fixed),
    (Method::Radau, Steps::Fixed),
    (Method::GeneralisedAlpha, Steps::Fixed),
    (Method::Hht, Steps::Fixed),
    (Method::Newmark, Steps::Fixed),
    (Method::DormandPrince, Steps::Chosen),
    (Method::Dop853, Steps::Chosen),
    (Method::Radau, Steps::Chosen),
    (Method::Bdf, Steps::Chosen),
];

/// A model and what varies of it, with bounds. All coordinates are measured at the end.
struct Case {
    model: Model,
    vary: String,
    bounds: [f64; 2],
    channels: Vec<String>,
}

impl Case {
    fn new(model: Model, vary: &str, bounds: [f64; 2]) -> Case {
        let names = model.mechanism().coordinates.iter().map(|one| one.name.clone());
        let channels = names.collect();
        Case { model, vary: vary.to_owned(), bounds, channels }
    }

    /// The varied and the measured numbers of each sample.
    fn study(
        &self,
        (method, steps): &(Method, Steps),
        samples: usize,
        threads: usize,
    ) -> Vec<(f64, Vec<u64>)> {
        let [from, to] = self.bounds;
        let mut study = self.model.study().to(TO).method(method.clone()).threads(threads);
        study = match steps {
            Steps::Fixed => study.step(STEP),
            Steps::Chosen => study.tolerance(TOLERANCE.0, TOLERANCE.1),
        };
        for channel in &self.channels {
            study = study.measure(channel, Statistic::Last);
        }
        let table = study.grid(&self.vary, from..=to, samples).run().expect("a study");
        let row = |row: &SampleRow| {
            assert_eq!(row.end, TO, "{method:?}: {:?}", row.status);
            (row.varied[0], row.measured.iter().map(|one| one.to_bits()).collect())
        };
        table.rows.iter().map(row).collect()
    }

    /// The measured numbers of one motion.
    fn alone(&self, (method, steps): &(Method, Steps), varied: f64) -> Vec<u64> {
        let mut model = self.model.clone();
        let is_parameter = model.set(&self.vary, varied).is_ok();
        let mut state = model.state();
        if !is_parameter {
            state.set(&self.vary, varied).expect("a parameter, a coordinate or a speed");
        }
        let mut run = model.simulate().from(&state).to(TO).method(method.clone());
        run = match steps {
            Steps::Fixed => run.step(STEP).every_step(),
            Steps::Chosen => run.tolerance(TOLERANCE.0, TOLERANCE.1).every(TO / 1000.0),
        };
        // The work of forces would be one more state with an error of its own.
        let run = run.balance(rotule::layers::simulate::simulation::Balance::Off).run();
        let run = run.expect("a motion");
        self.channels.iter().map(|name| run.last(name).expect("a channel").to_bits()).collect()
    }
}

/// Chosen models, open and closed, by parameters, coordinates and speeds; and random trees.
fn cases() -> Vec<Case> {
    let open = |name: &str| {
        let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
        Model::open(path).expect("an example")
    };
    let mut cases = vec![
        Case::new(Model::read("p.toml", rotule::doc::PENDULUM).unwrap(), "l", [0.3, 0.6]),
        Case::new(open("cart_pole.toml"), "theta", [0.2, 1.1]),
        Case::new(open("slider_crank.toml"), "q2.d", [5.0, 20.0]),
        Case::new(open("four_bar_joint.toml"), "q1", [0.9, 1.1]),
    ];
    for seed in [3, 8] {
        let model = Model::read("random.toml", toml(&random::Model::new(seed))).expect("a model");
        let mechanism = model.mechanism();
        let joints = mechanism.joints.iter().filter(|joint| joint.role == Role::Free);
        let one = joints.flat_map(|joint| joint.speeds.clone()).next().expect("a free joint");
        let (name, value) = (mechanism.speeds[one].name.clone(), model.state().numbers().qd[one]);
        let bounds = [value - 0.1, value + 0.1];
        cases.push(Case::new(model, &name, bounds));
    }
    cases
}

#[test]
fn every_method_is_compared() {
    for (method, name) in Method::ALL {
        assert!(METHODS.iter().any(|one| one.0 == method), "{name}");
    }
}

#[test]
fn samples_have_the_numbers_of_single_runs() {
    for case in cases() {
        let name = &case.model.mechanism().name;
        for method in &METHODS {
            // In lanes, as many as make a block and a rest; others, a few.
            let samples = if method.0 == Method::Rk4 { 11 } else { 3 };
            let rows = case.study(method, samples, 1);
            assert_eq!(rows, case.study(method, samples, 2), "{name} {method:?}: threads");
            let alone: Vec<_> = rows.iter().map(|row| case.alone(method, row.0)).collect();
            for (row, alone) in rows.iter().zip(&alone) {
                assert_eq!(row.1, *alone, "{name} {method:?} at {} = {}", case.vary, row.0);
            }
            // Other samples have other numbers: the comparison can fail.
            assert_ne!(rows[0].1, alone[1], "{name} {method:?}");
        }
    }
}
