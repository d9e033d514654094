//! The campaign of groups: five functions of a random closed mechanism are written together, and
//! every partition of them into groups must give the same bits.
//!
//! ```text
//! seed --specimen--> mechanism, five functions --generate_group--> one program
//!      --part--> a program for each of the 31 sets --run--> numbers, 52 partitions compared
//! ```
//!
//! Every set is run by the interpreter, by native code with its three stages, and as functions that
//! take the shared vector. Bits are compared among these. The numbers are compared with those of
//! programs that are written one by one, each by its own cheapest formalism, which is another
//! computation. Of every shared vector it is checked that nothing in it depends on accelerations,
//! efforts or inputs, and that at least two functions need each of its statements.

use super::closed::specimen::{FAMILIES, Specimen};
use super::crowd::{Lost, reasons, reports};
use crate::formalism::programs;
use crate::formalism::random::Random;
use rotule_formalism::{ModelFunction, MultibodySystem, WrittenGroup};
use rotule_jit::{KernelKind, KernelOptions, kernel};
use rotule_numeric::state::StateNumbers;
use rotule_numeric::{generate, generate_group};
use rotule_program::group::{late, split, users};
use rotule_program::{
    Block, Externals, Interpreter, NoExternals, Operation, Program, run_once, verify,
};
use rotule_symbolic::Kind;
use std::fmt::Write;
use std::ops::Range;

/// Functions that closed mechanisms have; five of them are drawn.
const FUNCTIONS: [&str; 12] = [
    "forward",
    "closure",
    "multipliers",
    "motion",
    "reduction",
    "inverse",
    "mass_bias",
    "gravity",
    "kinetic_energy",
    "com_velocity",
    "constraints",
    "momentum",
];

/// The number of functions that are grouped.
pub const GROUPED: usize = 5;

/// The difference that is allowed between two ways of writing, relative to the largest number of
/// an output: loops are closed to a tolerance, and badly conditioned positions amplify that.
const TOLERANCE: f64 = 1e-6;

/// The result of a mechanism.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// All partitions have the same bits, and the numbers agree with those of single programs.
    Agreed {
        /// Numbers in the shared vector of all five.
        shared: usize,
        /// Operations of the group, with the shared stage, and of the functions one by one.
        operations: [u64; 2],
    },
    /// The mechanism or a function of it is refused.
    Refused(String),
    /// Something differs.
    Wrong(String),
}

/// A mechanism and what became of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// The family of the mechanism.
    pub family: &'static str,
    /// The functions.
    pub functions: Vec<String>,
    /// The result.
    pub verdict: Verdict,
}

/// All partitions of `0..count` into sets, each with its sets in the order of their least members.
pub fn partitions(count: usize) -> Vec<Vec<Vec<usize>>> {
    let mut all: Vec<Vec<Vec<usize>>> = vec![Vec::new()];
    for at in 0..count {
        let extend = |partition: Vec<Vec<usize>>| {
            let joined = (0..partition.len()).map(|set| {
                let mut next = partition.clone();
                next[set].push(at);
                next
            });
            let mut next: Vec<_> = joined.collect();
            let mut alone = partition.clone();
            alone.push(vec![at]);
            next.push(alone);
            next
        };
        all = all.into_iter().flat_map(extend).collect();
    }
    all
}

/// The outputs of each function of a program.
type Outputs = Vec<Vec<u64>>;

fn cut(program: &Program, ranges: &[Range<usize>], values: &[f64]) -> Outputs {
    let len = |range: &Range<usize>| -> usize {
        program.outputs()[range.clone()].iter().map(|one| one.dense_len() as usize).sum()
    };
    let mut rest = values;
    let mut outputs = Vec::new();
    for range in ranges {
        let (own, after) = rest.split_at(len(range));
        outputs.push(own.iter().map(|value| value.to_bits()).collect());
        rest = after;
    }
    outputs
}

/// A group by the interpreter, which runs `shared` once for two evaluations.
fn interpreted(
    program: &Program,
    ranges: &[Range<usize>],
    inputs: &[f64],
) -> Result<Outputs, String> {
    let interpreter = Interpreter::new(program).map_err(|problems| format!("{problems:?}"))?;
    let mut workspace = interpreter.workspace();
    let mut out = vec![0.0; program.output_len()];
    let calls: &mut dyn Externals = &mut NoExternals;
    let length = |error: rotule_program::LengthError| error.to_string();
    interpreter.setup(&mut workspace, inputs, calls).map_err(length)?;
    interpreter.update(&mut workspace, inputs, calls).map_err(length)?;
    interpreter.evaluate(&mut workspace, inputs, &mut out, calls).map_err(length)?;
    let first = cut(program, ranges, &out);
    interpreter.evaluate(&mut workspace, inputs, &mut out, calls).map_err(length)?;
    match cut(program, ranges, &out) == first {
        true => Ok(first),
        false => Err("a second evaluation after one update differs".to_owned()),
    }
}

/// A group by native code, where there is any.
fn native(program: &Program, ranges: &[Range<usize>], inputs: &[f64]) -> Result<Outputs, String> {
    let options = KernelOptions::default();
    let mut kernel =
        kernel(program, KernelKind::Auto, options).map_err(|error| error.to_string())?;
    let mut out = vec![0.0; program.output_len()];
    let length = |error: rotule_program::LengthError| error.to_string();
    kernel.setup(inputs, &mut NoExternals).map_err(length)?;
    kernel.update(inputs, &mut NoExternals).map_err(length)?;
    for _ in 0..2 {
        kernel.evaluate(inputs, &mut out, &mut NoExternals).map_err(length)?;
    }
    Ok(cut(program, ranges, &out))
}

/// A group as functions that take the shared vector.
fn called(
    tree: &MultibodySystem,
    program: &Program,
    ranges: &[Range<usize>],
    state: &StateNumbers,
) -> Result<Outputs, String> {
    let split = split(program, ranges, 0, 0);
    let run = |program: &Program, inputs: &[f64]| {
        run_once(program, inputs, &mut NoExternals).map_err(|error| error.to_string())
    };
    let vector = run(&split.shared, &programs::inputs(tree, &split.shared, state))?;
    let mut outputs = Vec::new();
    let known = state.numbers(&tree.mechanism);
    for own in &split.functions {
        let mut rest = vector.iter();
        let inputs = own.inputs().iter().map(|input| match input.kind {
            Kind::Shared => rest.next().copied().unwrap_or(f64::NAN),
            _ => known[input.name.as_str()],
        });
        let values = run(own, &inputs.collect::<Vec<f64>>())?;
        outputs.push(values.iter().map(|value| value.to_bits()).collect());
    }
    Ok(outputs)
}

/// The rule of sharing: what is in the stage, and what is not.
pub fn check_shared(program: &Program, ranges: &[Range<usize>]) -> Result<(), String> {
    verify(program).map_err(|problems| format!("{}", problems[0]))?;
    let mut merged = program.clone();
    rotule_program::group::merge(&mut merged);
    let (users, late) = (users(program, ranges), late(&merged));
    // Regions move with all that they read, wherever that is needed.
    let regions = !program.regions().is_empty();
    for &value in program.block(Block::Shared) {
        let operation = program.operation(value);
        if late[value.index()] {
            return Err(format!("`{}` of `shared` depends on what comes later", operation.word()));
        }
        let result = matches!(operation, Operation::Result { .. });
        if users[value.index()] < 2 && !result && !regions {
            return Err(format!("`{}` of `shared` is needed by one function", operation.word()));
        }
    }
    for &value in program.block(Block::Body) {
        if users[value.index()] > 1 && !late[value.index()] {
            let word = program.operation(value).word();
            return Err(format!("`{word}` of `body` is needed twice and holds for a state"));
        }
    }
    Ok(())
}

fn judge(seed: u64) -> (Vec<String>, Verdict) {
    let specimen = match Specimen::new(seed) {
        Ok(specimen) => specimen,
        Err(why) => return (Vec::new(), Verdict::Refused(format!("not assembled: {why}"))),
    };
    let tree = &specimen.tree;
    let mut random = Random::new(67_000_000 + seed);
    let mut names: Vec<&str> = FUNCTIONS.to_vec();
    while names.len() > GROUPED {
        names.remove(random.below(names.len()));
    }
    let functions: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut state = StateNumbers::initial(tree);
    // A little open, so that loops have something to close.
    let start = specimen.start.q.iter();
    state.q = start.map(|q| q + random.between(-1e-4, 1e-4)).collect();
    state.qd.clone_from(&specimen.start.qd);
    state.qdd.iter_mut().for_each(|qdd| *qdd = random.between(-2.0, 2.0));
    state.effort.iter_mut().for_each(|effort| *effort = random.between(-5.0, 5.0));
    let verdict = compare(tree, &names, &state).unwrap_or_else(|verdict| verdict);
    (functions, verdict)
}

/// Writes functions together and compares all partitions.
pub fn compare(
    tree: &MultibodySystem,
    names: &[&str],
    state: &StateNumbers,
) -> Result<Verdict, Verdict> {
    let parse = |name: &&str| ModelFunction::parse(name, tree);
    let refused = |problem: rotule_formalism::Problem| Verdict::Refused(problem.to_string());
    let functions: Vec<ModelFunction> =
        names.iter().map(parse).collect::<Result<_, _>>().map_err(refused)?;
    let alone: Vec<Program> = functions
        .iter()
        .map(|one| generate(tree, one, None).map(|made| made.program))
        .collect::<Result<_, _>>()
        .map_err(refused)?;
    let written: WrittenGroup = generate_group(tree, &functions, None).map_err(refused)?;
    let mut of_set: Vec<Option<Outputs>> = vec![None; 1 << names.len()];
    let (mut shared, mut operations) = (0, [0, 0]);
    for (set, place) in of_set.iter_mut().enumerate().skip(1) {
        let chosen: Vec<usize> = (0..names.len()).filter(|at| set >> at & 1 == 1).collect();
        let (program, ranges) = written.part(&chosen);
        let wrong = |why: String| Verdict::Wrong(format!("{chosen:?}: {why}"));
        check_shared(&program, &ranges).map_err(wrong)?;
        let inputs = programs::inputs(tree, &program, state);
        let found = interpreted(&program, &ranges, &inputs).map_err(wrong)?;
        for (how, other) in [
            ("native code", native(&program, &ranges, &inputs)),
            ("functions with a shared vector", called(tree, &program, &ranges, state)),
        ] {
            if other.map_err(wrong)? != found {
                return Err(wrong(format!("{how} differs from the interpreter")));
            }
        }
        if chosen.len() == names.len() {
            shared = split(&program, &ranges, 0, 0).names.len();
            operations[0] = rotule_program::ProgramCounts::plain(&program).all().operations();
        }
        *place = Some(found);
    }
    for partition in partitions(names.len()) {
        for group in &partition {
            let set = group.iter().fold(0, |set, at| set | 1 << at);
            let Some(found) = &of_set[set] else { unreachable!("every set was run") };
            for (own, &at) in found.iter().zip(group) {
                let single = &of_set[1 << at].as_ref().expect("every set was run")[0];
                if own != single {
                    let name = names[at];
                    return Err(Verdict::Wrong(format!("{partition:?}: `{name}` has other bits")));
                }
            }
        }
    }
    for (at, program) in alone.iter().enumerate() {
        operations[1] += rotule_program::ProgramCounts::plain(program).all().operations();
        let inputs = programs::inputs(tree, program, state);
        let values = run_once(program, &inputs, &mut NoExternals)
            .map_err(|error| Verdict::Wrong(error.to_string()))?;
        let own = &of_set[1 << at].as_ref().expect("every set was run")[0];
        let most = values.iter().fold(1.0_f64, |most, value| most.max(value.abs()));
        for (&one, &bits) in values.iter().zip(own) {
            let other = f64::from_bits(bits);
            let apart = (one - other).abs() > TOLERANCE * most;
            if apart || one.is_nan() != other.is_nan() {
                let name = names[at];
                let why = format!("`{name}` alone is {one:e} and in groups {other:e}");
                return Err(Verdict::Wrong(why));
            }
        }
    }
    Ok(Verdict::Agreed { shared, operations })
}

fn family(seed: u64) -> &'static str {
    FAMILIES[(seed % FAMILIES.len() as u64) as usize].name
}

fn report(seed: u64) -> Report {
    let (functions, verdict) = judge(seed);
    Report { seed, family: family(seed), functions, verdict }
}

fn lost(seed: u64, how: Lost) -> Report {
    let verdict = match how {
        Lost::Panicked => Verdict::Wrong("the program panicked".to_owned()),
        Lost::DidNotEnd => Verdict::Refused("did not end".to_owned()),
    };
    Report { seed, family: family(seed), functions: Vec::new(), verdict }
}

/// Reports of a campaign, by seed.
pub struct Tally {
    /// A report for each mechanism, in the order of the seeds.
    pub reports: Vec<Report>,
}

impl Tally {
    /// Runs the mechanisms of some seeds; `each` is told of every report.
    pub fn new(seeds: &[u64], each: impl Fn(&Report) + Sync) -> Tally {
        Tally { reports: reports(seeds, report, lost, each) }
    }

    fn count(&self, chosen: impl Fn(&Verdict) -> bool) -> usize {
        self.reports.iter().filter(|report| chosen(&report.verdict)).count()
    }

    /// Mechanisms with a wrong result.
    pub fn wrong(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Wrong(_)))
    }

    /// Mechanisms that are refused.
    pub fn refused(&self) -> usize {
        self.count(|verdict| matches!(verdict, Verdict::Refused(_)))
    }

    /// The table: how many agreed, were refused by which reason, and are wrong.
    pub fn text(&self) -> String {
        let agreed = self.count(|verdict| matches!(verdict, Verdict::Agreed { .. }));
        let mut text = String::new();
        let all = self.reports.len();
        writeln!(
            text,
            "{all} mechanisms, {} partitions of {GROUPED} functions each: {agreed} agreed, {} refused, {} wrong",
            partitions(GROUPED).len(),
            self.refused(),
            self.wrong()
        )
        .expect("a string");
        let parts = self.reports.iter().filter_map(|report| match report.verdict {
            Verdict::Agreed { operations: [group, parts], .. } if parts > 0 => {
                Some(group as f64 / parts as f64)
            }
            _ => None,
        });
        let (sum, count) = parts.fold((0.0, 0), |(sum, count), part| (sum + part, count + 1));
        if count > 0 {
            let mean = sum / f64::from(count);
            writeln!(text, "operations of a group: {mean:.2} of the sum of its functions alone")
                .expect("a string");
        }
        let refused = self.reports.iter().filter_map(|report| match &report.verdict {
            Verdict::Refused(why) => Some((report.seed, why.as_str())),
            _ => None,
        });
        reasons(&mut text, "refused", refused);
        let wrong = self.reports.iter().filter_map(|report| match &report.verdict {
            Verdict::Wrong(why) => Some((report.seed, why.as_str())),
            _ => None,
        });
        reasons(&mut text, "wrong", wrong);
        text
    }
}
