//! The verdict on one model. Along a run of [`HORIZON`] seconds by `radau`, whose Jacobian is
//! derived from the laws, these agree at several points:
//!
//! | kind | one computation | the other | within |
//! |---|---|---|---|
//! | `laws` | `forward` and `states` of the model | those of the twin, whose laws are numbers | 1e-9 |
//! | `power` | `power` of the model | that of the twin | 1e-9 |
//! | `derivative` | `derivative(forward, ..)` by q, qd, state and input | differences of `forward` | 1e-7 |
//! | `jacobian` | the Jacobian that `radau` has | differences of the right-hand side | 1e-7 |
//! | `energy` | the change of the energy | the integral of the power | 1e-7 |
//! | `motion` | `radau` | `dop853` | 1e-5 |
//!
//! All in parts of one more than the largest number beside. Differences are of order four with two
//! steps: where these disagree they know nothing, and are not compared.

use super::seen::Seen;
use super::specimen::{INPUTS, Specimen};
use crate::formalism::case::{Case, State};
use crate::simulate::start;
use rotule_formalism::{MultibodySystem, ProgramCache};
use rotule_program::NoExternals;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::quantity::EvaluatedFunction;
use rotule_simulate::run::{End, Observer, RunOptions, Samples, Threshold, run};
use std::ops::ControlFlow;

/// The length of all runs.
pub const HORIZON: f64 = 0.4;
/// Points of a run that are judged, its start besides.
const POINTS: usize = 2;
/// Steps after which a run counts as one that does not end.
const STEPS: u64 = 20_000;
/// Tolerance of the runs.
const TOLERANCE: f64 = 1e-9;
/// Steps of differences.
const WIDTHS: [f64; 2] = [4e-3, 2e-3];

/// A verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// All agree.
    Agreed,
    /// The run stopped, or the model was refused, for a reason.
    Refused(String),
    /// Some differ: the kind and the details.
    Wrong(&'static str, String),
}

/// The verdict on a model, with what was measured.
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// The name of the family.
    pub family: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// The largest differences by kind.
    pub differences: [f64; KINDS.len()],
    /// Entries of derivatives that were compared, and those that differences do not know.
    pub entries: [usize; 2],
}

/// The kinds of comparison, each with the difference that is allowed.
pub const KINDS: [(&str, f64); 6] = [
    ("laws", 1e-9),
    ("power", 1e-9),
    ("derivative", 1e-7),
    ("jacobian", 1e-7),
    ("energy", 1e-7),
    ("motion", 1e-5),
];
const LAWS: usize = 0;
const POWER: usize = 1;
const DERIVATIVE: usize = 2;
const JACOBIAN: usize = 3;
const ENERGY: usize = 4;
const MOTION: usize = 5;

/// A report before anything was found.
pub fn blank(seed: u64, family: &'static str, verdict: Verdict) -> Report {
    Report { seed, family, verdict, differences: [0.0; KINDS.len()], entries: [0; 2] }
}

/// Runs and judges a model.
pub fn judge(specimen: &Specimen) -> Report {
    let mut report = blank(specimen.seed, specimen.family, Verdict::Agreed);
    if let Err(why) = compare(specimen, &mut report) {
        report.verdict = Verdict::Refused(why);
    } else {
        for ((kind, most), found) in KINDS.into_iter().zip(report.differences) {
            // Written so that what is not a number is wrong, too.
            let agrees = found <= most;
            if !agrees && report.verdict == Verdict::Agreed {
                report.verdict = Verdict::Wrong(kind, format!("differs by {found:.1e}"));
            }
        }
    }
    report
}

/// A run: its points, and at each the kinetic and potential energy and the work so far.
#[derive(Default)]
struct Motion {
    points: Vec<InputPoint>,
    energies: Vec<[f64; 3]>,
    functions: Vec<EvaluatedFunction>,
    steps: u64,
}

impl Observer for Motion {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        self.points.push(plant.point().clone());
        let mut energy = [0.0, 0.0, plant.work().unwrap_or(f64::NAN)];
        for (energy, function) in energy.iter_mut().zip(&mut self.functions) {
            plant.measure(function);
            *energy = function.outputs()[0];
        }
        self.energies.push(energy);
        ControlFlow::Continue(())
    }

    fn step(&mut self, _: f64) -> ControlFlow<()> {
        self.steps += 1;
        if self.steps > STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn simulate(plant: &mut Plant, name: &str) -> Result<Motion, String> {
    let accuracy = Accuracy::Within { relative: TOLERANCE, absolute: TOLERANCE };
    let mut method = method(name, accuracy, plant.size()).map_err(|why| why.to_string())?;
    let mut motion = Motion::default();
    for name in ["kinetic_energy", "potential_energy"] {
        let mut function =
            EvaluatedFunction::new(&plant.tree, name).map_err(|why| why.to_string())?;
        plant.prepare(&mut function);
        motion.functions.push(function);
    }
    let samples = Samples::Every(HORIZON / POINTS as f64);
    let options = RunOptions::new(HORIZON, samples, Threshold::AUTOMATIC);
    let outcome =
        run(plant, method.as_mut(), &options, &mut motion).map_err(|why| why.to_string())?;
    match outcome.end {
        End::Reached => Ok(motion),
        End::Stopped => Err(format!("more than {STEPS} steps ({name})")),
        End::Event(event) => Err(format!("event {event}")),
        End::Failed(failure) => Err(format!("{failure} ({name}, at {:.3} s)", outcome.t)),
    }
}

fn compare(specimen: &Specimen, report: &mut Report) -> Result<(), String> {
    let mut case = Case::of(specimen.family, &specimen.text);
    // Several plants need the same programs.
    case.tree.program_cache = Some(ProgramCache::new(&case.tree));
    let tree = &case.tree;
    let inputs: Vec<f64> =
        tree.mechanism.inputs.iter().map(|one| INPUTS[usize::from(one.name == "v")]).collect();
    let begin = start(tree).with_inputs(inputs);
    let parameters = begin.parameters.len();
    let plant = || -> Result<Plant, String> {
        let plant = Plant::new(tree.clone(), begin.clone(), Box::new(NoExternals));
        plant.and_then(Plant::with_work).map_err(|why| why.to_string())
    };
    let mut stiff = plant()?;
    let motion = simulate(&mut stiff, "radau")?;
    let other = simulate(&mut plant()?, "dop853")?;
    report.differences[ENERGY] = energy(&motion);
    for (one, two) in motion.points.iter().zip(&other.points) {
        for (one, two) in [(&one.q, &two.q), (&one.qd, &two.qd), (&one.states, &two.states)] {
            note(&mut report.differences[MOTION], one, two);
        }
    }
    let points: Vec<InputPoint> = motion
        .points
        .iter()
        .map(|point| {
            let mut point = point.clone();
            // A plant adds parameters of its own behind those of the model.
            point.parameters.truncate(parameters);
            let efforts = point.effort.iter_mut().enumerate();
            efforts.for_each(|(at, effort)| *effort = 0.3 - 0.2 * at as f64);
            point
        })
        .collect();
    laws(specimen, tree, &points, report)?;
    let mut own = Functions::new(tree)?;
    for point in &points {
        own.derivatives(&case, point, report);
        // Loops are followed from where a plant begins.
        let plain = Plant::new(tree.clone(), point.clone(), Box::new(NoExternals));
        jacobian(&mut plain.map_err(|why| why.to_string())?, &case, point, report)?;
    }
    Ok(())
}

/// The largest change of the energy less the work, in parts of the largest energy.
fn energy(motion: &Motion) -> f64 {
    let scale = motion.energies.iter().flat_map(|one| one.map(f64::abs)).fold(1.0, f64::max);
    let balance = |one: &[f64; 3]| one[0] + one[1] - one[2];
    let first = balance(&motion.energies[0]);
    motion.energies.iter().map(|one| (balance(one) - first).abs() / scale).fold(0.0, worst)
}

fn worst(a: f64, b: f64) -> f64 {
    if b <= a { a } else { b }
}

/// Notes the largest difference of two lists, in parts of one more than the largest number.
fn note(most: &mut f64, one: &[f64], two: &[f64]) {
    assert_eq!(one.len(), two.len(), "as many numbers");
    let scale = 1.0 + one.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for (a, b) in one.iter().zip(two) {
        *most = worst(*most, (a - b).abs() / scale);
    }
}

fn evaluated(
    tree: &MultibodySystem,
    name: &str,
    point: &InputPoint,
) -> Result<EvaluatedFunction, String> {
    let mut function = EvaluatedFunction::new(tree, name).map_err(|why| why.to_string())?;
    function.setup(point, &mut NoExternals);
    Ok(function)
}

/// Compares the model with its twin.
fn laws(
    specimen: &Specimen,
    tree: &MultibodySystem,
    points: &[InputPoint],
    report: &mut Report,
) -> Result<(), String> {
    const FUNCTIONS: [(&str, usize); 3] = [("forward", LAWS), ("states", LAWS), ("power", POWER)];
    let model = &specimen.model;
    let plain = Case::of(specimen.family, &model.text(&mut |_| "0".to_owned())).tree;
    let mut seen = Seen::new(model, &plain);
    let mut own = Vec::new();
    for (name, kind) in FUNCTIONS {
        own.push((evaluated(tree, name, &points[0])?, kind));
    }
    for point in points {
        let mut values = seen.laws(point)?.into_iter();
        let text = model.text(&mut |_| format!("{:?}", values.next().expect("a value")));
        let twin = Case::of(specimen.family, &text).tree;
        for ((function, kind), (name, _)) in own.iter_mut().zip(FUNCTIONS) {
            let mut other = evaluated(&twin, name, point)?;
            function.evaluate(point, &mut NoExternals);
            other.evaluate(point, &mut NoExternals);
            note(&mut report.differences[*kind], function.outputs(), other.outputs());
        }
    }
    Ok(())
}

/// A list of a point that a derivative is taken by.
#[derive(Clone, Copy)]
enum Variable {
    Coordinate,
    Speed,
    State,
    Input,
}

/// The variables of derivatives, with their words.
const VARIABLES: [(&str, Variable); 4] = [
    ("q", Variable::Coordinate),
    ("qd", Variable::Speed),
    ("state", Variable::State),
    ("input", Variable::Input),
];

/// A point that was moved along one variable.
fn moved(case: &Case, point: &InputPoint, variable: Variable, at: usize, step: f64) -> InputPoint {
    let mut moved = point.clone();
    match variable {
        Variable::Coordinate => {
            let state = State { q: point.q.clone(), ..State::default() };
            let mut steps = vec![0.0; point.qd.len()];
            steps[at] = step;
            moved.q = case.moved(&state, &steps).q;
        }
        Variable::Speed => moved.qd[at] += step,
        Variable::State => moved.states[at] += step,
        Variable::Input => moved.inputs[at] += step,
    }
    moved
}

/// The derivative of a vector along a curve by differences, and how far two steps disagree.
fn difference(
    mut of: impl FnMut(f64) -> Result<Vec<f64>, String>,
) -> Result<(Vec<f64>, Vec<f64>), String> {
    let mut found = Vec::new();
    for width in WIDTHS {
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|at| of(at * width));
        let (a, b, c, d) = (a?, b?, c?, d?);
        let slope = |at: usize| (a[at] - 8.0 * b[at] + 8.0 * c[at] - d[at]) / (12.0 * width);
        found.push((0..a.len()).map(slope).collect::<Vec<f64>>());
    }
    let apart = found[0].iter().zip(&found[1]).map(|(a, b)| (a - b).abs()).collect();
    Ok((found.swap_remove(1), apart))
}

/// Notes how far a column of a derivative is from differences, where these know it.
fn note_column(
    report: &mut Report,
    kind: usize,
    column: &[f64],
    (known, apart): &(Vec<f64>, Vec<f64>),
) {
    let scale = 1.0 + known.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
    for ((found, known), apart) in column.iter().zip(known).zip(apart) {
        // Not a number is not known either, but a derivative that is none is wrong.
        let certain = *apart <= 0.1 * KINDS[kind].1 * scale;
        report.entries[usize::from(!certain)] += 1;
        if certain || !found.is_finite() {
            let most = &mut report.differences[kind];
            *most = worst(*most, (found - known).abs() / scale);
        }
    }
}

/// Forward dynamics and its derivatives.
struct Functions {
    forward: EvaluatedFunction,
    derivatives: Vec<(Variable, EvaluatedFunction)>,
    ready: bool,
}

impl Functions {
    fn new(tree: &MultibodySystem) -> Result<Functions, String> {
        let made = |name: &str| EvaluatedFunction::new(tree, name).map_err(|why| why.to_string());
        let forward = made("forward")?;
        let mut derivatives = Vec::new();
        for (word, variable) in VARIABLES {
            derivatives.push((variable, made(&format!("derivative(forward, {word})"))?));
        }
        Ok(Functions { forward, derivatives, ready: false })
    }

    fn derivatives(&mut self, case: &Case, point: &InputPoint, report: &mut Report) {
        if !std::mem::replace(&mut self.ready, true) {
            self.forward.setup(point, &mut NoExternals);
            for (_, function) in &mut self.derivatives {
                function.setup(point, &mut NoExternals);
            }
        }
        for (variable, function) in &mut self.derivatives {
            function.evaluate(point, &mut NoExternals);
            let rows = point.qd.len();
            let columns = function.outputs().len() / rows;
            for at in 0..columns {
                let forward = &mut self.forward;
                let known = difference(|step| {
                    forward.evaluate(&moved(case, point, *variable, at, step), &mut NoExternals);
                    Ok(forward.outputs().to_vec())
                });
                let known = known.expect("an evaluation");
                let column: Vec<f64> =
                    (0..rows).map(|row| function.outputs()[row * columns + at]).collect();
                note_column(report, DERIVATIVE, &column, &known);
            }
        }
    }
}

/// Compares the Jacobian of a plant with differences of its rates, along changes of each speed,
/// coordinate and state.
fn jacobian(
    plant: &mut Plant,
    case: &Case,
    point: &InputPoint,
    report: &mut Report,
) -> Result<(), String> {
    let size = plant.size();
    let mut by_state = vec![0.0; size * size];
    // The partition is that of the plant.
    let mut closure = evaluated(&plant.tree, "closure", plant.point())?;
    let mut put = |plant: &mut Plant, from: &InputPoint| {
        plant.jump(|own| {
            own.t = from.t;
            own.q.clone_from(&from.q);
            own.qd.clone_from(&from.qd);
            own.states.clone_from(&from.states);
            own.effort.fill(0.0);
        });
        if plant.is_constrained() {
            plant.measure(&mut closure);
            let (q, qd) = (closure.output(0).to_vec(), closure.output(1).to_vec());
            plant.jump(|own| (own.q, own.qd) = (q, qd));
        }
        plant.state()
    };
    let y = put(plant, point);
    if !plant.derivatives(point.t, &y, &mut by_state).map_err(|fault| fault.to_string())? {
        return Err("the plant has no derivatives".to_owned());
    }
    for (_, variable) in &VARIABLES[..3] {
        let count = match variable {
            Variable::State => point.states.len(),
            _ => point.qd.len(),
        };
        for at in 0..count {
            let mut state =
                |plant: &mut Plant, step: f64| put(plant, &moved(case, point, *variable, at, step));
            let (along, _) = difference(|step| Ok(state(plant, step)))?;
            let known = difference(|step| {
                let y = state(plant, step);
                let mut rates = vec![0.0; size];
                plant.rates(point.t, &y, &mut rates).map_err(|fault| fault.to_string())?;
                Ok(rates)
            });
            // A loop that the step of differences would take to another branch.
            let Ok(known) = known else {
                report.entries[1] += size;
                continue;
            };
            let column: Vec<f64> = (0..size)
                .map(|row| {
                    by_state[row * size..][..size].iter().zip(&along).map(|(a, b)| a * b).sum()
                })
                .collect();
            note_column(report, JACOBIAN, &column, &known);
        }
    }
    Ok(())
}
