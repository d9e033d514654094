//! Quantities that a run watches: one program whose numbers do not depend on what else is watched,
//! the violations of constraints, and the energy with that of springs.

use rotule_formalism::elastic::stores_energy;
use rotule_formalism::{ModelFunction, MultibodySystem};
use rotule_jit::KernelKind;
use rotule_numeric::generate;
use rotule_numeric::state::StateNumbers;
use rotule_program::{NoExternals, ProgramCounts};
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::quantity::EvaluatedFunction;
use rotule_simulate::run::{End, Samples, Threshold};
use rotule_simulate::simulation::{
    Balance, Channel, ChannelGroup, ChannelSource, RunSummary, SampleSink, Simulation,
    SimulationOptions,
};
use rotule_simulate::watched;
use rotule_testing::campaign::closed::specimen::Specimen;
use rotule_testing::formalism::random::Random;
use rotule_testing::simulate::{example, tree, within};
use std::fmt::Write;

/// The channels of a run, and their numbers at all samples.
struct Motion {
    channels: Vec<Channel>,
    sources: Vec<ChannelSource>,
    rows: Vec<Vec<f64>>,
    summary: RunSummary,
    last: StateNumbers,
}

struct Rows(Vec<Vec<f64>>);

impl SampleSink for Rows {
    fn row(&mut self, numbers: &[f64]) -> std::io::Result<()> {
        self.0.push(numbers.to_vec());
        Ok(())
    }
}

impl Motion {
    fn position(&self, name: &str) -> usize {
        let found = self.channels.iter().position(|channel| channel.name == name);
        found.unwrap_or_else(|| panic!("no channel {name}"))
    }

    fn channel(&self, name: &str) -> Vec<f64> {
        let at = self.position(name);
        self.rows.iter().map(|row| row[at]).collect()
    }

    fn has(&self, name: &str) -> bool {
        self.channels.iter().any(|channel| channel.name == name)
    }
}

fn options(to: f64, accuracy: Accuracy) -> SimulationOptions {
    let method = if matches!(accuracy, Accuracy::Fixed(_)) { "rk4" } else { "dop853" };
    SimulationOptions {
        to,
        method: method.to_owned(),
        constraints: None,
        accuracy,
        max_step: None,
        max_steps: 1_000_000,
        samples: Samples::Steps,
        threshold: Threshold::AUTOMATIC,
        groups: ChannelGroup::ALL.map(|(group, _)| group).to_vec(),
        names: Vec::new(),
        kernel: KernelKind::Auto,
        balance: Balance::Off,
    }
}

fn simulate(tree: &MultibodySystem, options: &SimulationOptions) -> Result<Motion, String> {
    let mut state = StateNumbers::initial(tree);
    state.settle(tree);
    let simulation = Simulation::new(tree.clone(), &state, options, Box::new(NoExternals));
    let mut simulation = simulation.map_err(|problem| problem.to_string())?;
    let mut rows = Rows(Vec::new());
    let go_on = &mut |_| std::ops::ControlFlow::Continue(());
    let summary = simulation.run(&mut [&mut rows], go_on).map_err(|problem| problem.to_string())?;
    let channels = simulation.channels.list.clone();
    let sources = (0..channels.len()).map(|at| simulation.channels.source(at)).collect();
    let last = simulation.last_state(&state);
    Ok(Motion { channels, sources, rows: rows.0, summary, last })
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

/// A random closed mechanism with a sensor of everything at its last body.
fn sensed(seed: u64) -> Result<MultibodySystem, String> {
    let specimen = Specimen::new(seed)?;
    let body = specimen.tree.mechanism.bodies.iter().rfind(|body| !body.fictitious);
    let body = body.map(|body| body.name.clone()).ok_or("it has no body")?;
    let sensor = format!(
        "\n[[sensor]]\nname = \"probe\"\nat = \"{body}\"\nmeasures = [\"position\", \"rotation\", \
         \"velocity\", \"angular_velocity\", \"acceleration\", \"angular_acceleration\", \
         \"jacobian\"]\n"
    );
    let mut text = specimen.text.clone();
    let at = text.find("\n[initial.q]").unwrap_or(text.len());
    text.insert_str(at, &sensor);
    Ok(tree(&text))
}

/// Twenty random closed mechanisms: whatever is watched, the motion and every number of it are the
/// same bits; and the numbers are those of functions that are written one by one.
#[test]
fn numbers_do_not_depend_on_what_is_watched() {
    let (mut agreed, mut refused) = (0, Vec::new());
    for seed in 0..20 {
        let tree = match sensed(seed) {
            Ok(tree) => tree,
            Err(why) => {
                refused.push(format!("{seed}: {why}"));
                continue;
            }
        };
        let all = options(0.02, Accuracy::Fixed(1e-3));
        let whole = match simulate(&tree, &all) {
            Ok(whole) => whole,
            Err(why) => {
                refused.push(format!("{seed}: {why}"));
                continue;
            }
        };
        assert!(whole.rows.len() > 5, "{seed}: {} rows", whole.rows.len());
        let mut random = Random::new(31 + seed);
        for trial in 0..5 {
            let mut some = SimulationOptions { groups: Vec::new(), ..all.clone() };
            let chosen = |_: &&Channel| random.between(0.0, 1.0) < [0.02, 0.1, 0.3][trial % 3];
            some.names = whole.channels.iter().filter(chosen).map(|one| one.name.clone()).collect();
            let part = simulate(&tree, &some).expect("it runs");
            assert_eq!(part.rows.len(), whole.rows.len(), "{seed}");
            for channel in &part.channels {
                let name = &channel.name;
                let [one, other] = [&part, &whole].map(|run| bits(&run.channel(name)));
                assert_eq!(one, other, "{seed}: `{name}` among {:?}", some.names);
            }
            assert_eq!(bits(&part.last.q), bits(&whole.last.q), "{seed}");
        }
        compare_with_single_functions(seed, &tree, &whole);
        agreed += 1;
    }
    println!("{agreed} agreed, {} refused: {refused:?}", refused.len());
    assert!(agreed >= 19, "{refused:?}");
}

/// The numbers of the last sample, by functions that are written alone.
fn compare_with_single_functions(seed: u64, tree: &MultibodySystem, run: &Motion) {
    let state = &run.last;
    let point =
        InputPoint::new(state.t, state.q.clone(), state.qd.clone(), state.parameters.clone());
    let mut point = point.with_states(state.states.clone()).with_inputs(state.inputs.clone());
    point.qdd.clone_from(&state.qdd);
    let last = run.rows.last().expect("there are samples");
    let mut known: Vec<(String, Vec<f64>)> = Vec::new();
    for (at, source) in run.sources.iter().enumerate() {
        let ChannelSource::Function(text, number) = source else { continue };
        if !known.iter().any(|(name, _)| name == text) {
            let mut alone = EvaluatedFunction::new(tree, text).expect("a function");
            alone.setup(&point, &mut NoExternals);
            alone.evaluate(&point, &mut NoExternals);
            known.push((text.clone(), alone.outputs().to_vec()));
        }
        let numbers = &known.iter().find(|(name, _)| name == text).expect("it was added").1;
        let size = numbers.iter().fold(1.0_f64, |most, number| most.max(number.abs()));
        let apart = (numbers[*number] - last[at]).abs();
        assert!(apart <= 1e-9 * size, "{seed}: `{}` of {text}: {apart:e}", run.channels[at].name);
    }
    assert!(!known.is_empty());
}

/// A chain with a line force from the ground to every body.
fn chain(joints: usize) -> String {
    let mut text = "[model]\nname = \"chain\"\ngravity = [0, -9.81, 0]\n".to_owned();
    let mut parent = "ground".to_owned();
    for k in 1..=joints {
        let _ = write!(
            text,
            "[[body]]\nname = \"b{k}\"\nparent = \"{parent}\"\n\
             joint = {{ name = \"q{k}\", type = \"revolute\", axis = \"z\" }}\nmass = 1\n\
             com = [0.5, 0, 0]\ninertia = {{ zz = 0.1 }}\npoints.end = [1, 0, 0]\n\
             points.side = [0.5, 0.2, 0]\n"
        );
        let _ = write!(
            text,
            "[[line_force]]\nname = \"l{k}\"\nbetween = [\"ground\", \"b{k}.side\"]\n\
             force = \"50*(Z - 1) + Zd\"\n"
        );
        parent = format!("b{k}.end");
    }
    text
}

/// Watching all line forces of a chain takes operations in proportion to the chain, where a program
/// for each is quadratic.
#[test]
fn line_forces_of_a_chain_are_linear() {
    let operations = |joints: usize| {
        let tree = tree(&chain(joints));
        let written = watched::write(&tree, &tree).expect("a program");
        let names = (1..=joints).map(|k| format!("line_force(l{k})"));
        let flags = |text: String| {
            watched::WatchedFunction::new(&text, watched::WatchedNumbers::Flags(vec![true; 3]))
        };
        let all: Vec<_> = names.clone().map(flags).collect();
        let (program, _) = watched::part(&tree, &written, &all).expect("a part");
        let alone: u64 = names
            .map(|text| {
                let function = ModelFunction::parse(&text, &tree).expect("a function");
                let made = generate(&tree, &function, None).expect("a program");
                ProgramCounts::plain(&made.program).all().operations()
            })
            .sum();
        [ProgramCounts::plain(&program).all().operations(), alone]
    };
    let [small, large] = [12, 24].map(operations);
    println!("12 and 24 line forces: {small:?} and {large:?} operations, together and one by one");
    assert!(large[0] as f64 <= 2.2 * small[0] as f64, "{small:?} {large:?}");
    assert!(large[1] as f64 > 3.0 * small[1] as f64, "{small:?} {large:?}");
}

/// Violations are those that a form with drift has, and nothing where loops are closed; by
/// positions they are zero at the tolerance of closing, and where time moves a constraint its rate
/// counts.
#[test]
fn violations_of_constraints_are_channels() {
    let tree = tree(&example("slider_crank.toml"));
    let closed = simulate(&tree, &options(0.5, within(1e-8))).expect("a run");
    let names = ["violation.pin.x", "violation.pin.x.d", "violation.pin.y", "violation.pin.y.d"];
    let largest = |run: &Motion, name: &str| {
        run.channel(name).into_iter().fold(0.0, |a: f64, b| a.max(b.abs()))
    };
    for name in names {
        assert!(largest(&closed, name) < 1e-10, "{name}: {:e}", largest(&closed, name));
    }
    // Baumgarte's terms let constraints drift within the tolerance, and the summary knows how far.
    let mut open = options(0.5, within(1e-5));
    let gains = rotule_simulate::augmented::Gains::Given([5.0, 5.0]);
    open.constraints = Some(rotule_simulate::augmented::ConstraintForm::Baumgarte(gains));
    let open = simulate(&tree, &open).expect("a run");
    let drift = open.summary.outcome.drift;
    let [position, velocity] =
        [["violation.pin.x", "violation.pin.y"], ["violation.pin.x.d", "violation.pin.y.d"]]
            .map(|names| names.map(|name| largest(&open, name)).into_iter().fold(0.0, f64::max));
    assert!(position > 1e-12 && velocity > 1e-12, "{position:e} {velocity:e}");
    for (channel, known) in [(position, drift.position), (velocity, drift.velocity)] {
        assert!((channel - known).abs() <= 1e-6 * known, "{channel:e} {known:e}");
    }
    assert!(!open.has("conditioning"));
}

/// Constraints that events engage have forces and violations while they hold, and none before and
/// after; whatever else is watched.
#[test]
fn engaged_constraints_are_watched_while_they_hold() {
    let tree = tree(&example("gripper.toml"));
    let all = options(1.2, within(1e-8));
    let whole = simulate(&tree, &all).expect("a run");
    let names = ["lambda.left_grip.x", "violation.left_grip.x", "violation.left_grip.x.d"];
    for name in names {
        let some =
            SimulationOptions { groups: Vec::new(), names: vec![name.to_owned()], ..all.clone() };
        let alone = simulate(&tree, &some).expect("a run");
        assert_eq!(bits(&alone.channel(name)), bits(&whole.channel(name)), "{name}");
    }
    let [force, position, velocity] = names.map(|name| whole.channel(name));
    let held: Vec<bool> = force.iter().map(|force| force.abs() > 1.0).collect();
    assert!(held.contains(&true) && !held[0] && held.last() == Some(&false));
    for ((held, force), violations) in held.iter().zip(&force).zip(position.iter().zip(&velocity)) {
        assert!(*held || *force == 0.0, "{force}");
        assert!(violations.0.abs() < 1e-10 && violations.1.abs() < 1e-10, "{violations:?}");
    }
}

/// The spread of some numbers.
fn spread(numbers: &[f64]) -> f64 {
    let most = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    most - numbers.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The drift of the total energy, with some work taken away, in parts of what springs exchange.
fn drift(run: &Motion, work: &[f64]) -> f64 {
    assert_eq!(run.summary.outcome.end, End::Reached);
    let total = run.channel("energy.total");
    let rest: Vec<f64> = total.iter().zip(work).map(|(total, work)| total - work).collect();
    spread(&rest) / spread(&run.channel("energy.elastic"))
}

/// A car without dampers whose tyres carry and do nothing else, and whose springs are too weak, so
/// that it falls into them.
fn falling_car() -> MultibodySystem {
    let numbers =
        [("c_f", "0"), ("c_r", "0"), ("c_t", "0"), ("drag", "0"), ("p_f", "3000"), ("p_r", "2500")];
    let laws = [("longitudinal", "\"0\""), ("lateral", "\"0\"")];
    let mut changed = 0;
    let text: String = example("multilink_car.toml")
        .lines()
        .map(|line| {
            let key = line.split_once('=').map_or("", |(key, _)| key.trim());
            let new = numbers.iter().chain(&laws).find(|(name, _)| *name == key);
            changed += usize::from(new.is_some());
            new.map_or_else(|| format!("{line}\n"), |(key, value)| format!("{key} = {value}\n"))
        })
        .collect();
    assert_eq!(changed, numbers.len() + 4 * laws.len());
    tree(&text)
}

/// The work of tyres that camber. Their force acts on the ground, below the lowest point of the
/// disc that the depth is measured at, so that turning under load takes `N depth tan(camber)`.
fn camber_work(run: &Motion) -> Vec<f64> {
    let mut work = vec![0.0; run.rows.len()];
    for tyre in ["fl_tyre", "fr_tyre", "rl_tyre", "rr_tyre"] {
        let [load, depth, camber] = ["force.normal", "depth", "camber"]
            .map(|quantity| run.channel(&format!("{tyre}.{quantity}")));
        let moment = |at: usize| load[at] * depth[at] * camber[at].tan();
        let mut sum = 0.0;
        for at in 1..work.len() {
            sum -= 0.5 * (moment(at) + moment(at - 1)) * (camber[at] - camber[at - 1]);
            work[at] += sum;
        }
    }
    work
}

/// Springs store a part of the energy: the sum stays, as well as the motion is integrated.
#[test]
fn the_total_energy_of_springs_and_weights_stays() {
    let run = |tree: &MultibodySystem, to: f64, tolerance: f64| {
        let options = SimulationOptions {
            groups: vec![ChannelGroup::Energies, ChannelGroup::Wheels],
            samples: Samples::Every(3e-4),
            ..options(to, within(tolerance))
        };
        simulate(tree, &options).expect("a run")
    };
    let (pendulum, car) = (tree(&example("sliding_pendulum.toml")), falling_car());
    for (name, tree, to) in [("sliding_pendulum", &pendulum, 3.0), ("car", &car, 0.15)] {
        assert!(stores_energy(tree), "{name}");
        let [coarse, fine] = [1e-5, 1e-8].map(|tolerance| {
            let run = run(tree, to, tolerance);
            let work = if name == "car" { camber_work(&run) } else { vec![0.0; run.rows.len()] };
            drift(&run, &work)
        });
        println!("{name}: the total energy drifts by {coarse:e} and {fine:e}");
        // Some tolerances for each of a few swings.
        assert!(coarse < 1e-3 && fine < 1e-6, "{name}: {coarse:e} {fine:e}");
        assert!(30.0 * fine < coarse, "{name}: {coarse:e} {fine:e}");
    }
}

/// A law that switches has the potential of all its branches, whichever holds in a step.
#[test]
fn a_spring_with_a_gap_stores_energy_on_both_sides() {
    let text = "[model]\nname = \"gap\"\ngravity = [0, 0, 0]\n\
        [[body]]\nname = \"ball\"\nparent = \"ground\"\n\
        joint = { name = \"q\", type = \"prismatic\", axis = \"x\", effort = \"-100*max(q - 0.3, 0)\" }\n\
        mass = 1\n[initial.qd]\nq = 1\n";
    let tree = tree(text);
    let mut options = options(1.0, within(1e-10));
    options.samples = Samples::Every(0.01);
    let run = simulate(&tree, &options).expect("a run");
    assert!(run.summary.outcome.law_switches > 0);
    let (q, elastic) = (run.channel("q"), run.channel("energy.elastic"));
    for (q, elastic) in q.iter().zip(&elastic) {
        let expected = 50.0 * (q - 0.3).max(0.0).powi(2);
        assert!((elastic - expected).abs() < 1e-12, "{elastic} at {q}");
    }
    let total = run.channel("energy.total");
    assert!(total.iter().all(|one| (one - 0.5).abs() < 1e-8), "{total:?}");
}
