//! `study`: many motions of one model, over a grid of numbers or at random, several at once.
//!
//! Motions go side by side through kernels in lanes, blocks of them through threads. What cannot go
//! on so (a change of independent coordinates, events, numbers that are not finite) is run again
//! alone, as `simulate` would. Rows come in the order of the samples, and their numbers do not
//! depend on the number of threads.

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod measure;
mod plan;
mod summary;
pub mod vary;

pub use plan::{Plan, default_step};
pub use summary::{Column, initial, rows, sample_table, statistics, text};

use measure::{MeasureTally, Statistic};
use rotule_formalism::{MultibodySystem, Problem, ProgramCache};
use rotule_jit::{KernelKind, over};
use rotule_model::mechanism::Mechanism;
use rotule_numeric::initial_values::{Change, Hold, report};
use rotule_numeric::state::{StateNumbers, StatePlace};
use rotule_program::{Externals, NoExternals};
use rotule_simulate::Clock;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ranges::{Leaving, Ranges};
use rotule_simulate::run::{End, MAX_STEPS, Samples as Kept, Threshold};
use rotule_simulate::signals::{InputSignal, Signals};
use rotule_simulate::simulation::limits;
use rotule_simulate::simulation::{
    Balance, ChannelGroup, ChannelSource, Channels, SampleSink, Simulation,
    SimulationOptions as Alone, Verdict, check_channels,
};
use rotule_simulate::study::{Ended, LaneBlock, MotionReading, Recipe};
use std::collections::BTreeMap;
use std::io;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use vary::{Distribution, SampleSet, VariedQuantity, Vary};

/// Options of a study.
#[derive(Clone, Debug)]
pub struct StudyOptions {
    /// When each motion ends.
    pub to: f64,
    /// The length of steps; see [`StudyOptions::plan`] for what none means.
    pub step: Option<f64>,
    /// The integration method by its name on the command line; `rk4` in lanes if none is named.
    pub method: Option<String>,
    /// Relative and absolute tolerance of methods that choose their steps.
    pub tolerance: (f64, f64),
    /// The variations, as they are written.
    pub vary: Vec<String>,
    /// The measures, as they are written; all last coordinates if there are none.
    pub measure: Vec<String>,
    /// Random samples at each point of the grid.
    pub samples: Option<usize>,
    /// Where random numbers start.
    pub seed: u64,
    /// Number of threads.
    pub threads: usize,
    /// Signals of inputs.
    pub signals: Vec<(String, InputSignal)>,
}

/// Foreign functions that laws call. Every motion that is run alone makes its own.
pub struct Foreign {
    /// Returns `true` for the name of a function.
    pub knows: Box<dyn Fn(&str) -> bool + Send + Sync>,
    /// Makes them.
    pub make: Box<dyn Fn() -> Box<dyn Externals> + Send + Sync>,
}

impl Foreign {
    /// No foreign functions.
    pub fn none() -> Foreign {
        Foreign { knows: Box::new(|_| false), make: Box::new(|| Box::new(NoExternals)) }
    }
}

/// A measure of a motion.
#[derive(Clone, Debug)]
struct Measured {
    name: String,
    unit: String,
    kind: Statistic,
    /// The channel of a motion that is run alone.
    channel: usize,
    /// Where a block has it.
    reading: Option<MotionReading>,
}

/// A study that is ready to run.
pub struct PreparedStudy {
    options: StudyOptions,
    plan: Plan,
    tree: MultibodySystem,
    foreign: Foreign,
    samples: SampleSet,
    measures: Vec<Measured>,
    /// The channels that are measured, as they are written.
    names: Vec<String>,
    /// The common recipe of motions side by side; else the reason why they are all run alone.
    recipe: Result<Recipe, &'static str>,
}

/// The end of a sample.
#[derive(Clone, Debug, PartialEq)]
pub enum Status {
    /// The requested time was reached, side by side with other samples.
    Reached,
    /// The requested time was reached by a run of this sample alone, for the reason given.
    Alone(String),
    /// The motion ended before the requested time, for the reason given.
    Failed(String),
}

/// The row of a sample.
#[derive(Clone, Debug)]
pub struct SampleRow {
    /// Its number, from 1.
    pub number: usize,
    /// The varied numbers.
    pub varied: Vec<f64>,
    /// The measured numbers; NaN if it failed.
    pub measured: Vec<f64>,
    /// The time at which its motion ended, in seconds.
    pub end: f64,
    /// The way in which it ended.
    pub status: Status,
    /// The written initial value that changed most, if any could not be kept.
    pub changed: Option<Change>,
    /// The promises that it did not keep: by all rules if it was run alone. Among others, ranges
    /// are judged; a motion whose loops open or whose coordinates become bad leaves them, and its
    /// energy is not computed.
    pub verdict: Verdict,
}

impl SampleRow {
    /// Takes note that there is no motion.
    fn fail(&mut self, why: String) {
        self.verdict.judge_missing(&why);
        self.status = Status::Failed(why);
    }

    /// All numbers of the row, in the order of the table's heading, whose last name is that of the
    /// verdict, which is no number. The status is 0 for [`Status::Reached`], 1 for
    /// [`Status::Alone`] and 2 for [`Status::Failed`].
    pub fn numbers(&self) -> Vec<f64> {
        let status = match self.status {
            Status::Reached => 0.0,
            Status::Alone(_) => 1.0,
            Status::Failed(_) => 2.0,
        };
        let mut numbers = vec![self.number as f64];
        numbers.extend(&self.varied);
        numbers.extend(&self.measured);
        numbers.extend([self.end, status]);
        numbers
    }
}

/// The summary of a study.
#[derive(Clone, Debug)]
pub struct StudySummary {
    /// Number of samples that there should be.
    pub samples: usize,
    /// Names of what was measured.
    pub names: Vec<String>,
    /// Numbers of each measure, of the samples that reached the end.
    pub measured: Vec<Vec<f64>>,
    /// Number of samples that came to an end, whichever.
    pub done: usize,
    /// Number of them that were run alone, by the reason.
    pub alone: BTreeMap<String, usize>,
    /// Samples that failed, each with its number, the time and the reason.
    pub failed: Vec<(usize, f64, String)>,
    /// Number of samples that have a verdict with warnings, by its word.
    pub warned: BTreeMap<String, usize>,
    /// Number of samples that have initial values that could not be kept.
    pub changed: usize,
    /// The largest such change, with the number of its sample.
    pub largest: Option<(usize, Change)>,
    /// Evaluations of the equations of motion.
    pub evaluations: u64,
    /// Simulated time of all samples.
    pub simulated: f64,
    /// The kernel that evaluated the equations.
    pub kernel: String,
    /// Number of threads.
    pub threads: usize,
    /// Seconds that it took; none on targets without a clock.
    pub seconds: Option<f64>,
    /// `true` if it was stopped.
    pub stopped: bool,
}

/// The workspace of a thread.
struct Worker {
    tree: MultibodySystem,
    block: Option<LaneBlock>,
}

/// Points of a motion at which its measures are taken if its method chooses the steps.
const POINTS: f64 = 1000.0;

/// More threads than this are not started.
const THREADS: usize = 256;

/// Blocks that each thread gets before rows are handed on.
const BLOCKS: usize = 16;

/// Checks what is requested, without a model.
pub fn check(options: &StudyOptions) -> Result<(), Problem> {
    limits::check_end(options.to)?;
    options.plan().check(options.to)
}

/// Refuses inputs that vary although a signal says what they are.
fn check_signals(
    varies: &[Vary],
    signals: &[(String, InputSignal)],
    mechanism: &Mechanism,
) -> Result<(), Problem> {
    let has_signal = |one: &&Vary| match one.target {
        VariedQuantity::Input(at) => {
            let name = &mechanism.inputs[mechanism.inputs[at].of].name;
            signals.iter().any(|(known, _)| known == name)
        }
        _ => false,
    };
    let Some(one) = varies.iter().find(has_signal) else { return Ok(()) };
    let message = format!("--vary: `{}` cannot vary", one.name);
    let help = "a signal says what the input is in every motion: leave out one of them";
    Err(Problem::new(message, help))
}

impl PreparedStudy {
    /// A study of a model, whose parameters have the numbers that do not vary.
    pub fn new(
        mut tree: MultibodySystem,
        options: StudyOptions,
        foreign: Foreign,
    ) -> Result<PreparedStudy, Problem> {
        // Motions that are run alone take the programs of those before them.
        tree.program_cache = Some(ProgramCache::new(&tree));
        check(&options)?;
        // Courses become a part of the equations of all motions.
        let signals = options.signals.clone();
        let (courses, tables): (Vec<_>, Vec<_>) = (signals.iter().cloned())
            .partition(|(_, signal)| matches!(signal, InputSignal::Course(_)));
        tree = Signals::of(tree, courses)?.0;
        let options = StudyOptions { signals: tables, ..options };
        let varies: Result<Vec<Vary>, Problem> =
            options.vary.iter().map(|text| Vary::parse(text, &tree)).collect();
        let varies = varies?;
        check_signals(&varies, &signals, &tree.mechanism)?;
        let samples = SampleSet::new(varies, options.samples, options.seed)?;
        // Parameters that vary need no number of their own.
        for (vary, number) in samples.varies().iter().zip(samples.numbers(0)) {
            if let VariedQuantity::Parameter(at) = vary.target
                && let Some(one) = tree.mechanism.parameters.get_mut(at)
                && one.value.is_nan()
            {
                one.value = number;
            }
        }
        let requested: Vec<(&str, Statistic)> =
            options.measure.iter().map(|text| measure::parse(text)).collect::<Result<_, _>>()?;
        let names: Vec<String> = requested.iter().map(|(name, _)| (*name).to_owned()).collect();
        check_channels(&tree, &names).map_err(of_measure)?;
        let plan = options.plan();
        let alone = alone(&options, &plan, &names);
        let state = settled(&tree);
        let simulation = Simulation::with_signals(
            tree.clone(),
            &state,
            &alone,
            (foreign.make)(),
            options.signals.clone(),
        )?;
        if let Some(problem) = simulation.foreign(&|name| (foreign.knows)(name)) {
            return Err(problem);
        }
        let (measures, functions) = measures(&tree, &requested, &simulation.channels)?;
        let earlier = |at: usize| measures[..at].iter().any(|one| one.name == measures[at].name);
        if let Some(at) = (0..measures.len()).find(|&at| earlier(at)) {
            let message = format!("--measure: `{}` is measured twice", measures[at].name);
            return Err(Problem::new(message, "give each measure once"));
        }
        let recipe = match Recipe::reason_to_run_alone(&tree) {
            _ if !plan.in_lanes() => {
                Err("only explicit methods with steps of one length go side by side")
            }
            Some(why) => Err(why),
            None if !options.signals.is_empty() => Err("signals of inputs are called or looked up"),
            None if simulation.foreign(&|_| false).is_some() => Err("laws call foreign functions"),
            None if measures.iter().any(|measure| measure.reading.is_none()) => {
                Err("forces of constraints and drives are measured")
            }
            None => Ok(Recipe::new(tree.clone(), &functions, Threshold::AUTOMATIC)?),
        };
        Ok(PreparedStudy { options, plan, tree, foreign, samples, measures, names, recipe })
    }

    /// Names of the numbers of a row.
    pub fn heading(&self) -> Vec<String> {
        let varied = self.samples.varies().iter().map(|vary| vary.name.clone());
        let measured = self.measures.iter().map(|measure| measure.name.clone());
        let ends = ["end", "status", "verdict"].map(str::to_owned);
        ["sample".to_owned()].into_iter().chain(varied).chain(measured).chain(ends).collect()
    }

    /// The columns of what varied and of what was measured, with their units.
    pub fn columns(&self) -> (Vec<Column>, Vec<Column>) {
        let varied = self.samples.varies().iter().map(|vary| Column {
            name: vary.name.clone(),
            unit: vary.unit.clone(),
            random: !matches!(vary.law, Distribution::Grid { .. }),
        });
        let measured = self.measures.iter().map(|measure| Column {
            name: measure.name.clone(),
            unit: measure.unit.clone(),
            random: false,
        });
        (varied.collect(), measured.collect())
    }

    /// Number of samples.
    pub fn samples(&self) -> usize {
        self.samples.count
    }

    /// Runs all samples. `take` gets the rows in order; `progress` is told how many samples are
    /// done, and `stop` is called after every step and returns whether to end, both by all threads.
    pub fn run(
        &self,
        take: &mut dyn FnMut(&SampleRow) -> io::Result<()>,
        progress: &(dyn Fn(usize) + Sync),
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<(StudySummary, Option<io::Error>), Problem> {
        let begun = Clock::start();
        let mut workers = Vec::new();
        for _ in 0..self.options.threads.clamp(1, THREADS).min(self.samples.count) {
            let block = match &self.recipe {
                Ok(recipe) => Some(LaneBlock::new(recipe.clone())?),
                Err(_) => None,
            };
            workers.push(Worker { tree: self.tree.clone(), block });
        }
        let block = workers[0].block.as_ref();
        let width = block.map_or(1, LaneBlock::width);
        let kernel = match block {
            Some(block) => format!("{}, {width} motions at once", block.kernel()),
            None => "one motion at a time".to_owned(),
        };
        let mut summary = StudySummary {
            samples: self.samples.count,
            names: self.measures.iter().map(|measure| measure.name.clone()).collect(),
            measured: vec![Vec::new(); self.measures.len()],
            done: 0,
            alone: BTreeMap::new(),
            failed: Vec::new(),
            warned: BTreeMap::new(),
            changed: 0,
            largest: None,
            evaluations: 0,
            simulated: 0.0,
            kernel,
            threads: workers.len(),
            seconds: None,
            stopped: false,
        };
        let blocks = self.samples.count.div_ceil(width);
        let batch = BLOCKS * workers.len();
        let done = AtomicUsize::new(0);
        let mut unwritten = None;
        'all: for first in (0..blocks).step_by(batch) {
            let found = over(&mut workers, batch.min(blocks - first), |worker, number| {
                let start = (first + number) * width;
                let end = (start + width).min(self.samples.count);
                let rows = self.block(worker, start..end, stop);
                progress(done.fetch_add(end - start, Ordering::Relaxed) + end - start);
                rows
            });
            for rows in found {
                let Some(rows) = rows else {
                    summary.stopped = true;
                    break 'all;
                };
                for (row, evaluations) in &rows {
                    summary.add(row, *evaluations);
                    if let Err(error) = take(row) {
                        unwritten = Some(error);
                        break 'all;
                    }
                }
            }
        }
        let evaluated = workers.iter().filter_map(|worker| worker.block.as_ref());
        summary.evaluations += evaluated.map(LaneBlock::evaluations).sum::<u64>();
        summary.seconds = begun.seconds();
        Ok((summary, unwritten))
    }

    /// The rows of one block, each with the evaluations that it took alone; breaks if it is
    /// stopped.
    fn block(
        &self,
        worker: &mut Worker,
        numbers: std::ops::Range<usize>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> ControlFlow<(), Vec<(SampleRow, u64)>> {
        let samples: Vec<(usize, Vec<f64>)> =
            numbers.map(|number| (number, self.samples.numbers(number))).collect();
        let starts: Vec<Result<(StateNumbers, Option<Change>), Problem>> =
            samples.iter().map(|(_, varied)| self.start(&mut worker.tree, varied)).collect();
        let good: Vec<usize> = (0..starts.len()).filter(|&at| starts[at].is_ok()).collect();
        let points: Vec<InputPoint> = starts
            .iter()
            .filter_map(|start| start.as_ref().ok())
            .map(|one| point(&one.0))
            .collect();
        let mut tallies = vec![vec![MeasureTally::default(); self.measures.len()]; good.len()];
        let mechanism = &self.tree.mechanism;
        let mut left: Vec<(Ranges, Vec<Leaving>)> = points
            .iter()
            .map(|point| (Ranges::new(mechanism, &point.parameters), Vec::new()))
            .collect();
        let mut ends = vec![Ended::Alone { t: 0.0, why: self.reason_to_run_alone() }; good.len()];
        if let Some(block) = &mut worker.block
            && !points.is_empty()
        {
            let mut first = true;
            let mut seen = |t: f64, block: &LaneBlock| {
                // As in a motion that is run alone, what a step leads to is judged.
                for (lane, (ranges, left)) in left.iter_mut().enumerate() {
                    if block.is_here(lane) && !first {
                        let place = StatePlace::Coordinate;
                        let coordinate = |at| block.read(&MotionReading::State(place(at)), lane);
                        ranges.look_at(mechanism, t, &coordinate, left);
                    }
                }
                first = false;
                for (lane, tallies) in tallies.iter_mut().enumerate() {
                    if block.is_here(lane) {
                        for (tally, measure) in tallies.iter_mut().zip(&self.measures) {
                            if let Some(reading) = &measure.reading {
                                tally.add(t, block.read(reading, lane));
                            }
                        }
                    }
                }
                !stop()
            };
            let made = method(&self.plan.method, self.plan.accuracy, block.size());
            let mut method = made.expect("the plan was checked when the study was prepared");
            ends = block.run(&points, self.options.to, method.as_mut(), &mut seen);
        }
        let mut rows = Vec::new();
        let mut lanes = left.into_iter().zip(tallies).zip(ends);
        for ((number, varied), start) in samples.into_iter().zip(&starts) {
            let mut row = SampleRow {
                number: number + 1,
                varied,
                measured: vec![f64::NAN; self.measures.len()],
                end: 0.0,
                status: Status::Reached,
                changed: start.as_ref().ok().and_then(|(_, change)| change.clone()),
                verdict: Verdict::default(),
            };
            let mut evaluations = 0;
            match start {
                Err(problem) => row.fail(problem.message.clone()),
                Ok((state, _)) => match lanes.next() {
                    Some((((_, left), tallies), Ended::Reached)) => {
                        row.verdict.judge_ranges(&left);
                        row.end = self.options.to;
                        row.measured = self.values(&tallies);
                    }
                    Some((_, Ended::Alone { why, .. })) => {
                        evaluations = self.alone(state, &mut row, why, stop)?;
                    }
                    _ => return ControlFlow::Break(()),
                },
            }
            rows.push((row, evaluations));
        }
        ControlFlow::Continue(rows)
    }

    fn reason_to_run_alone(&self) -> String {
        self.recipe.as_ref().err().map_or_else(String::new, |&why| why.to_owned())
    }

    fn values(&self, tallies: &[MeasureTally]) -> Vec<f64> {
        let pairs = tallies.iter().zip(&self.measures);
        pairs.map(|(tally, measure)| tally.value(measure.kind)).collect()
    }

    /// The closed initial state of a sample, and the written value that changed most. The tree
    /// keeps its parameters.
    fn start(
        &self,
        tree: &mut MultibodySystem,
        varied: &[f64],
    ) -> Result<(StateNumbers, Option<Change>), Problem> {
        let varies = || self.samples.varies().iter().zip(varied);
        for (vary, &number) in varies() {
            if let VariedQuantity::Parameter(at) = vary.target {
                tree.mechanism.parameters[at].value = number;
            }
        }
        let mut state = StateNumbers::initial(tree);
        let mut names = Vec::new();
        for (vary, &number) in varies() {
            match vary.target {
                VariedQuantity::Parameter(_) => {}
                VariedQuantity::Coordinate(at) => {
                    (state.q[at], state.hold_q[at]) = (number, Hold::State);
                    names.push(&tree.mechanism.coordinates[at].name);
                }
                VariedQuantity::Speed(at) => {
                    (state.qd[at], state.hold_qd[at]) = (number, Hold::State);
                    names.push(&tree.mechanism.speeds[at].name);
                }
                VariedQuantity::State(at) => state.states[at] = number,
                VariedQuantity::Input(at) => state.inputs[at] = number,
            }
        }
        state.settle(tree);
        limits::check_angles(&tree.mechanism, &state.q)?;
        let changes = state.close(tree)?;
        // What varies may not be moved to close loops.
        let moved: Vec<Change> =
            changes.iter().filter(|change| names.contains(&&change.name)).cloned().collect();
        if let Some(report) = report(&moved) {
            return Err(report.problem);
        }
        let most = changes.into_iter().max_by(|a, b| a.relative().total_cmp(&b.relative()));
        Ok((state, most))
    }

    /// Runs a sample as `simulate` does; gives its evaluations.
    fn alone(
        &self,
        state: &StateNumbers,
        row: &mut SampleRow,
        why: String,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> ControlFlow<(), u64> {
        let mut tree = self.tree.clone();
        for (parameter, &value) in tree.mechanism.parameters.iter_mut().zip(&state.parameters) {
            parameter.value = value;
        }
        let options = alone(&self.options, &self.plan, &self.names);
        let failed = |row: &mut SampleRow, problem: Problem| {
            row.fail(problem.message);
            ControlFlow::Continue(0)
        };
        let mut simulation = match Simulation::with_signals(
            tree,
            state,
            &options,
            (self.foreign.make)(),
            self.options.signals.clone(),
        ) {
            Ok(simulation) => simulation,
            Err(problem) => return failed(row, problem),
        };
        let mut tallied = Tallied {
            measures: &self.measures,
            tallies: vec![MeasureTally::default(); self.measures.len()],
        };
        let mut step = |_| match stop() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        };
        let outcome = match simulation.run(&mut [&mut tallied], &mut step) {
            Ok(summary) => {
                row.verdict = summary.verdict;
                summary.outcome
            }
            Err(problem) => return failed(row, problem),
        };
        row.end = outcome.t;
        match outcome.end {
            End::Reached | End::Event(_) => {
                row.measured = self.values(&tallied.tallies);
                row.status = Status::Alone(why);
            }
            End::Stopped => return ControlFlow::Break(()),
            End::Failed(failure) => {
                let why =
                    outcome.reason.map_or(String::new(), |reason| format!(": {}", reason.what));
                row.status = Status::Failed(format!("{failure}{why}"));
            }
        }
        ControlFlow::Continue(outcome.effort.evaluations)
    }
}

impl StudySummary {
    fn add(&mut self, row: &SampleRow, evaluations: u64) {
        self.done += 1;
        self.evaluations += evaluations;
        if let Some(change) = &row.changed {
            self.changed += 1;
            if self.largest.as_ref().is_none_or(|(_, most)| most.relative() < change.relative()) {
                self.largest = Some((row.number, change.clone()));
            }
        }
        self.simulated += row.end;
        if !row.verdict.warnings.is_empty() {
            *self.warned.entry(row.verdict.word()).or_default() += 1;
        }
        match &row.status {
            Status::Reached => {}
            Status::Alone(why) => *self.alone.entry(why.clone()).or_default() += 1,
            Status::Failed(why) => {
                self.failed.push((row.number, row.end, why.clone()));
                return;
            }
        }
        for (all, &number) in self.measured.iter_mut().zip(&row.measured) {
            all.push(number);
        }
    }
}

/// Takes the points of a motion that is run alone.
struct Tallied<'a> {
    measures: &'a [Measured],
    tallies: Vec<MeasureTally>,
}

impl SampleSink for Tallied<'_> {
    fn row(&mut self, numbers: &[f64]) -> io::Result<()> {
        for (tally, measure) in self.tallies.iter_mut().zip(self.measures) {
            tally.add(numbers[0], numbers[measure.channel]);
        }
        Ok(())
    }
}

/// A motion that is run alone: with the measured channels, or all coordinates.
fn alone(options: &StudyOptions, plan: &Plan, names: &[String]) -> Alone {
    Alone {
        to: options.to,
        method: plan.method.clone(),
        constraints: None,
        accuracy: plan.accuracy,
        max_step: None,
        max_steps: MAX_STEPS,
        // Steps that a method chooses may be too long for the least and the largest number.
        samples: match plan.accuracy {
            Accuracy::Fixed(_) => Kept::Steps,
            Accuracy::Within { .. } => Kept::Every(options.to / POINTS),
        },
        threshold: Threshold::AUTOMATIC,
        groups: if names.is_empty() { vec![ChannelGroup::Coordinates] } else { Vec::new() },
        names: names.to_vec(),
        kernel: KernelKind::Auto,
        balance: Balance::Off,
    }
}

/// The initial state of the model.
fn settled(tree: &MultibodySystem) -> StateNumbers {
    let mut state = StateNumbers::initial(tree);
    state.settle(tree);
    state
}

fn point(state: &StateNumbers) -> InputPoint {
    let point =
        InputPoint::new(state.t, state.q.clone(), state.qd.clone(), state.parameters.clone());
    let mut point = point.with_states(state.states.clone()).with_inputs(state.inputs.clone());
    point.effort.clone_from(&state.effort);
    point
}

/// A problem with what is to be measured.
fn of_measure(problem: Problem) -> Problem {
    Problem { message: format!("--measure: {}", problem.message), ..problem }
}

/// The sources of the requested numbers, and the functions that give them.
fn measures(
    tree: &MultibodySystem,
    requested: &[(&str, Statistic)],
    channels: &Channels,
) -> Result<(Vec<Measured>, Vec<String>), Problem> {
    let all = channels.list.iter().filter(|channel| channel.group == ChannelGroup::Coordinates);
    let all: Vec<(&str, Statistic)> =
        all.map(|channel| (channel.name.as_str(), Statistic::Last)).collect();
    let requested = if requested.is_empty() { &all } else { requested };
    let mut functions: Vec<String> = Vec::new();
    let mut which = |text: String| {
        functions.iter().position(|known| *known == text).unwrap_or_else(|| {
            functions.push(text);
            functions.len() - 1
        })
    };
    let mut measures = Vec::new();
    for &(name, kind) in requested {
        let channel = channels.find(name).map_err(of_measure)?;
        let reading = match channels.source(channel) {
            // Courses are part of the equations, and their numbers are not among those of a block.
            ChannelSource::State(StatePlace::Input(at)) if tree.mechanism.is_moved_by_time(at) => {
                None
            }
            ChannelSource::State(place) => Some(MotionReading::State(place)),
            ChannelSource::Function(text, at) => {
                Some(MotionReading::Function { which: which(text), at })
            }
            ChannelSource::Energy { elastic } => {
                let rigid = ["kinetic_energy", "potential_energy"];
                let rigid = rigid.map(|name| which(name.to_owned()));
                let elastic = elastic.then(|| which("elastic_energy".to_owned()));
                Some(MotionReading::Energy(rigid, elastic))
            }
            ChannelSource::Force => None,
        };
        let word =
            Statistic::ALL.iter().find(|(known, _)| *known == kind).map_or("", |(_, word)| word);
        let unit = channels.list[channel].unit.clone();
        measures.push(Measured { name: format!("{name}:{word}"), unit, kind, channel, reading });
    }
    Ok((measures, functions))
}
