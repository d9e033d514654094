//! One run of a mechanism: its samples, and what is checked at each of them.

use super::specimen::Specimen;
use rotule_formalism::MultibodySystem;
use rotule_model::mechanism::Joint;
use rotule_program::NoExternals;
use rotule_simulate::augmented::ConstraintForm;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::quantity::EvaluatedFunction;
use rotule_simulate::run::{End, Observer, RunOptions, Samples, Threshold, run};
use std::ops::ControlFlow;

/// Steps after which a run counts as one that does not end.
const STEPS: u64 = 20_000;
/// The distance of samples, most of which lie between steps.
pub const EVERY: f64 = 0.02;

/// The options of a run.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub form: ConstraintForm,
    pub method: &'static str,
    pub tolerance: f64,
}

/// A sample of a run, at a multiple of [`EVERY`].
pub struct Sample {
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    /// The largest residuals of constraints: of positions, and of velocities in parts of the
    /// speeds.
    pub open: [f64; 2],
    /// The change of the energy in parts of the largest energy so far; zero where energy is not
    /// conserved.
    pub drift: f64,
}

/// A run.
pub struct Motion {
    pub samples: Vec<Sample>,
    /// The reason and the time of a run that stopped early.
    pub stopped: Option<(String, f64)>,
    /// Changes of the coordinate partition.
    pub switches: usize,
    /// When the run first reported that it passes a singular position of the mechanism.
    pub passed: Option<f64>,
}

struct Watch<'s> {
    specimen: &'s Specimen,
    constraints: EvaluatedFunction,
    energies: [EvaluatedFunction; 2],
    steps: u64,
    first: Option<[f64; 2]>,
    scale: f64,
    motion: Motion,
}

impl Observer for Watch<'_> {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        plant.measure(&mut self.constraints);
        let point = plant.point();
        let n = point.qd.len();
        let (h, e) = (self.constraints.output(0), self.constraints.output(2));
        let rows = self.constraints.output(1).chunks_exact(n).zip(e);
        let speeds: Vec<f64> = rows
            .map(|(row, e)| row.iter().zip(&point.qd).map(|(a, b)| a * b).sum::<f64>() + e)
            .collect();
        let open = [largest(h), largest(&speeds) / (1.0 + largest(&point.qd))];
        let (q, qd) = (point.q.clone(), point.qd.clone());
        let mut drift = 0.0;
        if self.specimen.conservative {
            let springs = self.specimen.spring_energy(&q);
            let [kinetic, weight] = &mut self.energies;
            plant.measure(kinetic);
            plant.measure(weight);
            let kinetic = kinetic.output(0)[0];
            let potential = weight.output(0)[0] + springs;
            let first = *self.first.get_or_insert([kinetic, potential]);
            self.scale = self.scale.max(kinetic).max((potential - first[1]).abs());
            drift = (kinetic + potential - first[0] - first[1]).abs() / self.scale;
        }
        self.motion.samples.push(Sample { q, qd, open, drift });
        ControlFlow::Continue(())
    }

    fn step(&mut self, _: f64) -> ControlFlow<()> {
        self.steps += 1;
        if self.steps > STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The larger number; what is not a number is largest.
pub fn worst(a: f64, b: f64) -> f64 {
    if b <= a { a } else { b }
}

impl Motion {
    /// The reason and the time of an early stop in words.
    pub fn stop(&self) -> Option<String> {
        self.stopped.as_ref().map(|(why, t)| format!("{why} (at {t:.3} s)"))
    }

    /// Runs a mechanism from a start; a refusal before the first step is an error.
    pub fn new(
        specimen: &Specimen,
        tree: &MultibodySystem,
        start: &InputPoint,
        way: Way,
        to: f64,
    ) -> Result<Motion, String> {
        let failed = |why: rotule_formalism::Problem| why.to_string();
        let mut plant =
            Plant::in_form(tree.clone(), start.clone(), Box::new(NoExternals), way.form)
                .map_err(failed)?;
        let accuracy = Accuracy::Within { relative: way.tolerance, absolute: way.tolerance };
        let mut method =
            method(way.method, accuracy, plant.size()).map_err(|why| why.to_string())?;
        let mut ready = |name: &str| -> Result<EvaluatedFunction, String> {
            let mut quantity = EvaluatedFunction::new(&plant.tree, name).map_err(failed)?;
            plant.prepare(&mut quantity);
            Ok(quantity)
        };
        let constraints = ready("constraints")?;
        let energies = [ready("kinetic_energy")?, ready("potential_energy")?];
        let motion = Motion { samples: Vec::new(), stopped: None, switches: 0, passed: None };
        let mut watch =
            Watch { specimen, constraints, energies, steps: 0, first: None, scale: 1e-2, motion };
        let options = RunOptions::new(to, Samples::Every(EVERY), Threshold::AUTOMATIC);
        let outcome = run(&mut plant, method.as_mut(), &options, &mut watch);
        let mut motion = watch.motion;
        match outcome {
            Err(why) => {
                let t = EVERY * (motion.samples.len() as f64 - 1.0);
                motion.stopped = Some((why.to_string(), t));
            }
            Ok(outcome) => {
                motion.switches = outcome.switches.len();
                motion.passed = outcome.passed.first().copied();
                motion.stopped = match outcome.end {
                    End::Reached => None,
                    End::Stopped => Some(("did not end".to_owned(), outcome.t)),
                    End::Event(name) => Some((format!("event {name}"), outcome.t)),
                    End::Failed(failure) => Some((failure.to_string(), outcome.t)),
                };
            }
        }
        Ok(motion)
    }
}

/// For each coordinate the first of the quaternion that it belongs to, if it does.
pub fn quaternions(tree: &MultibodySystem) -> Vec<Option<usize>> {
    let mut of = vec![None; tree.mechanism.coordinates.len()];
    for range in tree.mechanism.joints.iter().filter_map(Joint::quaternion) {
        let start = range.start;
        of[range].fill(Some(start));
    }
    of
}

/// The largest difference of coordinates, or of speeds in parts of one more than the largest;
/// quaternions are equal to their opposites.
pub fn distance(quaternions: &[Option<usize>], a: &Sample, b: &Sample) -> f64 {
    let mut most = 0.0;
    for (at, quaternion) in quaternions.iter().enumerate() {
        let sign = match *quaternion {
            Some(start) => (start..start + 4).map(|at| a.q[at] * b.q[at]).sum::<f64>().signum(),
            None => 1.0,
        };
        most = worst(most, (a.q[at] - sign * b.q[at]).abs());
    }
    let size = 1.0 + largest(&a.qd);
    a.qd.iter().zip(&b.qd).fold(most, |most, (a, b)| worst(most, (a - b).abs() / size))
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |most, x| worst(most, x.abs()))
}
