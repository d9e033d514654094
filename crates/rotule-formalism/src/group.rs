//! Several functions in one program, so that they share work: the expressions of all are written
//! into one graph and lowered together.
//!
//! Each function is written on a sheet of its own, with the coordinate partition that it needs, and
//! the sheets hand on their graph: what two functions have in common is one expression. Iterations
//! that find the same unknowns by the same steps are one; those that find other values for symbols
//! of the same names get symbols of their own.
//!
//! The formalisms are chosen for all functions together, by the operations of the whole: the
//! articulated-body algorithm is the shortest way to accelerations, but shares nothing with a mass
//! matrix. Which functions are called together is decided afterwards, by
//! [parts](rotule_program::group) of the program, which changes no bit of any of them.

use crate::formalism::{Draft, Formalism, inputs, keep_cheap, values};
use crate::function::ModelFunction;
use crate::problem::{Problem, ProblemKind};
use crate::system::MultibodySystem;
use crate::writer::Sheet;
use rotule_program::group;
use rotule_program::lower::{self, Request, Solve, Target};
use rotule_program::passes::schedule;
use rotule_program::{Program, ProgramCounts, Value};
use rotule_symbolic::{Expr, Graph, Kind};
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

/// Functions that were written together.
#[derive(Clone, Debug)]
pub struct WrittenGroup {
    /// The program of all functions. It has no stage `shared`: see [`WrittenGroup::part`].
    pub program: Program,
    /// The functions, in the order of the request.
    pub functions: Vec<GroupFunction>,
}

/// A function among those that were written together.
#[derive(Clone, Debug)]
pub struct GroupFunction {
    /// The function.
    pub function: ModelFunction,
    /// The formalism that wrote it.
    pub formalism: Formalism,
    /// The positions of its outputs among those of the program.
    pub outputs: Range<usize>,
    /// The names that its outputs have when it stands alone.
    pub names: Vec<String>,
    /// The arrays that it takes besides parameters and time.
    pub inputs: Vec<Kind>,
}

impl WrittenGroup {
    /// The program of some of the functions, by their positions, in the order given: what several
    /// of them need is in the stage `shared`. Also gives the positions of the outputs of each. No
    /// number depends on which functions are chosen.
    pub fn part(&self, chosen: &[usize]) -> (Program, Vec<Range<usize>>) {
        let (mut outputs, mut ranges, mut kinds) = (Vec::new(), Vec::new(), Vec::new());
        for &at in chosen {
            let function = &self.functions[at];
            ranges.push(outputs.len()..outputs.len() + function.outputs.len());
            outputs.extend(function.outputs.clone());
            kinds.extend(function.inputs.iter().copied());
        }
        let mut part = group::part(&self.program, &outputs, &kinds);
        group::share(&mut part, &ranges);
        (part, ranges)
    }

    /// The program of some numbers of some functions, each with a flag for every number that it
    /// gives; numbers without a flag are zero. Also gives the positions of the outputs of each. No
    /// number depends on which others are chosen.
    pub fn numbers(&self, chosen: &[(usize, Vec<bool>)]) -> (Program, Vec<Range<usize>>) {
        let (mut outputs, mut ranges): (Vec<(usize, &[bool])>, _) = (Vec::new(), Vec::new());
        for (at, flags) in chosen {
            let (from, mut rest) = (outputs.len(), &flags[..]);
            for output in self.functions[*at].outputs.clone() {
                let len = self.program.outputs()[output].dense_len() as usize;
                let (own, after) = rest.split_at(len);
                outputs.push((output, own));
                rest = after;
            }
            ranges.push(from..outputs.len());
        }
        (group::numbers(&self.program, &outputs), ranges)
    }

    /// The position of a function among those that were written.
    pub fn position(&self, function: &ModelFunction) -> Option<usize> {
        self.functions.iter().position(|one| one.function.canonical == function.canonical)
    }

    /// The lengths of the outputs of a function.
    pub fn lens(&self, at: usize) -> impl Iterator<Item = usize> {
        let outputs = &self.program.outputs()[self.functions[at].outputs.clone()];
        outputs.iter().map(|output| output.dense_len() as usize)
    }

    /// The program of one function, with the names that its outputs have there.
    pub fn alone(&self, at: usize) -> Program {
        let (mut program, _) = self.part(&[at]);
        self.rename(at, &mut program);
        schedule(&mut program);
        program
    }

    /// Gives a program of one of the functions the names that it has alone.
    pub fn rename(&self, at: usize, program: &mut Program) {
        let function = &self.functions[at];
        program.rename(function.function.row.name);
        program.rename_outputs(function.names.iter().cloned());
    }
}

/// A function to be written, and the system, with the coordinate partition that it needs.
pub type Requested<'a> = (&'a MultibodySystem, &'a ModelFunction);

/// Writes functions together, by a formalism where they have it, else by the cheapest for all of
/// them. The systems differ in their coordinate partitions alone, or in laws and roles whose
/// expressions are all in the graph of the first.
pub fn generate_group(
    list: &[Requested<'_>],
    formalism: Option<Formalism>,
) -> Result<WrittenGroup, Problem> {
    let cache = list.first().and_then(|(system, _)| system.program_cache.as_ref());
    // What is chosen by the numbers of a system cannot be kept for others.
    let keeps = |(system, function): &Requested<'_>| {
        system.program_cache.is_some()
            && !(function.closes_loops(system) && system.strategy.partition.is_none())
    };
    match cache {
        Some(cache) if list.iter().all(keeps) => cache.generate_group(list, formalism),
        _ => write_group(list, formalism),
    }
}

pub(crate) fn write_group(
    list: &[Requested<'_>],
    formalism: Option<Formalism>,
) -> Result<WrittenGroup, Problem> {
    for (at, (_, function)) in list.iter().enumerate() {
        if list[..at].iter().any(|(_, other)| other.canonical == function.canonical) {
            let message = format!("`{}` is named twice in one request", function.text);
            return Err(Problem::new(message, "name each function once"));
        }
    }
    let Some((system, _)) = list.first() else {
        return Err(Problem::new("a group has no functions", "name some, such as inverse,mass"));
    };
    let (mut drafts, mut refused): (Vec<Written>, _) = (Vec::new(), None);
    let mut tried: Vec<Vec<Formalism>> = Vec::new();
    // Dynamics first; then kinematics beside the best of it.
    for orders in [DYNAMICS, KINEMATICS] {
        let best = drafts.iter().min_by_key(|draft| draft.draft.operations);
        let base = best.map(|draft| draft.formalisms.clone());
        for order in orders {
            let choose = |(at, (_, function)): (usize, &Requested<'_>)| {
                let known = function.formalisms();
                let fixed = formalism.into_iter().chain(order.iter().copied());
                let found = fixed.into_iter().find(|one| known.contains(one));
                let before = base.as_ref().map(|base| base[at]);
                found.or(before).unwrap_or(known[0])
            };
            let chosen: Vec<Formalism> = list.iter().enumerate().map(choose).collect();
            if tried.contains(&chosen) {
                continue;
            }
            tried.push(chosen.clone());
            match write(list, chosen) {
                Ok(draft) => drafts.push(draft),
                // Another choice may do; but what one finds impossible is.
                Err(problem) if problem.kind == ProblemKind::Formalism => {
                    refused = refused.or(Some(problem));
                }
                Err(problem) => return Err(problem),
            }
        }
    }
    keep_cheap(&mut drafts, 14, |draft| draft.draft.operations);
    let lowered = drafts.into_iter().flat_map(|written| {
        let Written { draft, formalisms, names } = written;
        let forms = draft.forms(false).into_iter();
        forms.map(move |form| (lowered(form), formalisms.clone(), names.clone()))
    });
    let measure = |(program, ..): &(Program, Vec<Formalism>, Vec<Vec<String>>)| {
        let counts = ProgramCounts::plain(program);
        ((counts.body + counts.iteration).operations(), counts.setup.operations())
    };
    let none = || Problem::new("the group is written by no formalism", "");
    let (program, formalisms, names) =
        lowered.min_by_key(measure).ok_or_else(|| refused.unwrap_or_else(none))?;
    let mut from = 0;
    let functions = list.iter().zip(formalisms).zip(names).map(|(((_, function), one), names)| {
        let outputs = from..from + names.len();
        from = outputs.end;
        let inputs = function.inputs(system);
        GroupFunction { function: (*function).clone(), formalism: one, outputs, names, inputs }
    });
    Ok(WrittenGroup { functions: functions.collect(), program })
}

/// The orders in which formalisms of dynamics are preferred: a function takes the first that it
/// has.
const DYNAMICS: &[&[Formalism]] = &[
    &[Formalism::NewtonEuler, Formalism::Barycentric, Formalism::ArticulatedBody],
    &[Formalism::Barycentric, Formalism::NewtonEuler, Formalism::ArticulatedBody],
    &[Formalism::ArticulatedBody, Formalism::NewtonEuler, Formalism::Barycentric],
    &[Formalism::ArticulatedBody, Formalism::Barycentric, Formalism::NewtonEuler],
];

/// The orders in which formalisms of kinematics are preferred.
const KINEMATICS: &[&[Formalism]] = &[
    &[Formalism::Outward, Formalism::Mixed, Formalism::Inward],
    &[Formalism::Mixed, Formalism::Inward, Formalism::Outward],
    &[Formalism::Inward, Formalism::Mixed, Formalism::Outward],
];

/// The order of the arrays of inputs.
const ARRAYS: [Kind; 6] =
    [Kind::Coordinate, Kind::Velocity, Kind::State, Kind::Input, Kind::Acceleration, Kind::Effort];

/// Functions in one graph, not yet lowered.
struct Written {
    draft: Draft,
    formalisms: Vec<Formalism>,
    /// Names of the outputs of each function.
    names: Vec<Vec<String>>,
}

fn write(list: &[Requested<'_>], formalisms: Vec<Formalism>) -> Result<Written, Problem> {
    let mut graph: Option<Graph> = None;
    let (mut solves, mut outputs, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for ((system, function), &formalism) in list.iter().zip(&formalisms) {
        let sheet = match graph.take() {
            Some(graph) => Sheet::new(graph),
            None => system.sheet(),
        };
        let mut own = function.write(system.writer(&sheet), formalism)?;
        let (mut after, found, _) = sheet.into_parts();
        join(&mut after, &mut solves, found, &mut own);
        graph = Some(after);
        names.push(own.iter().map(|output| output.name.clone()).collect());
        // Outputs of two functions may have one name.
        own.iter_mut().for_each(|it| it.name = format!("{} {}", function.text, it.name));
        outputs.extend(own);
    }
    let (system, _) = list[0];
    let graph = graph.expect("there is at least one function");
    let takes = |kind: &Kind| list.iter().any(|(_, one)| one.inputs(system).contains(kind));
    let kinds: Vec<Kind> = ARRAYS.into_iter().filter(takes).collect();
    let operations = graph.evaluation_counts(&values(&outputs, &solves)).total();
    let draft = Draft {
        graph: Rc::new(graph),
        formalism: formalisms[0],
        inputs: inputs(system, &kinds),
        outputs,
        solves,
        marks: Vec::new(),
        operations,
    };
    Ok(Written { draft, formalisms, names })
}

/// Adds the iterations of a function to those of the functions before it. One that exists already
/// is not added; one that finds other values for symbols that are taken gets other symbols.
fn join(graph: &mut Graph, known: &mut Vec<Solve>, own: Vec<Solve>, outputs: &mut [Target]) {
    let mut renamed: Vec<(Expr, Expr)> = Vec::new();
    for mut solve in own {
        for list in [&mut solve.start, &mut solve.next, &mut solve.residuals] {
            put(graph, list, &renamed);
        }
        let equal = |one: &&Solve| {
            (&one.unknowns, &one.start, &one.next, &one.residuals)
                == (&solve.unknowns, &solve.start, &solve.next, &solve.residuals)
        };
        if known.iter().any(|one| equal(&one)) {
            continue;
        }
        let taken = |unknown: &Expr| known.iter().any(|one| one.unknowns.contains(unknown));
        if solve.unknowns.iter().any(taken) {
            let mut pairs = Vec::new();
            for unknown in &mut solve.unknowns {
                let fresh = fresh(graph, *unknown);
                pairs.push((*unknown, fresh));
                *unknown = fresh;
            }
            for list in [&mut solve.next, &mut solve.residuals] {
                put(graph, list, &pairs);
            }
            renamed.extend(pairs);
        }
        known.push(solve);
    }
    let entries = outputs.iter_mut().flat_map(|output| &mut output.entries);
    let mut list: Vec<&mut Expr> = entries.map(|entry| &mut entry.2).collect();
    let mut plain: Vec<Expr> = list.iter().map(|value| **value).collect();
    put(graph, &mut plain, &renamed);
    list.iter_mut().zip(plain).for_each(|(value, new)| **value = new);
}

fn put(graph: &mut Graph, list: &mut Vec<Expr>, pairs: &[(Expr, Expr)]) {
    if !pairs.is_empty() {
        *list = graph.substitute(list, pairs);
    }
}

/// Another symbol of the same kind.
fn fresh(graph: &mut Graph, symbol: Expr) -> Expr {
    let id = graph.symbol_of(symbol).expect("unknowns of iterations are symbols");
    let (name, kind) = (graph.symbol_name(id).to_owned(), graph.symbols()[id.index()].kind);
    let free = |number: &u32| !graph.names().any(|known| known == format!("{name}, {number}"));
    let number = (2..).find(free).expect("there are more numbers than names");
    graph.symbol(&format!("{name}, {number}"), kind)
}

fn lowered(draft: Draft) -> Program {
    let Draft { graph, inputs, outputs, solves, marks, .. } = draft;
    let request = Request { name: "group".to_owned(), inputs, outputs, solves, marks, seed: 0 };
    let mut program = lower::draft(&graph, &request).program;
    schedule(&mut program);
    clean_names(&mut program);
    program
}

/// Takes the numbers off names that have one behind because an expression that was given up had the
/// name before: `omega[arm].x_2`. Where two values have one name, the second gets its number among
/// the indices.
fn clean_names(program: &mut Program) {
    let named: Vec<(Value, String)> = (0..program.len())
        .map(Value::new)
        .filter_map(|value| Some((value, program.name_of(value)?.to_owned())))
        .collect();
    let mut taken: BTreeSet<String> = named.iter().map(|(_, name)| name.clone()).collect();
    for (value, name) in named {
        let Some((stem, number)) = name.rsplit_once('_') else { continue };
        // Names of the user's own stand in brackets, or alone.
        let ours = number.parse::<u32>().is_ok() && stem.contains(']');
        let Some((open, close)) = stem.split_once(']').filter(|_| ours) else { continue };
        let all = (2..).map(|number| format!("{open},{number}]{close}"));
        let free = std::iter::once(stem.to_owned()).chain(all).find(|name| !taken.contains(name));
        let free = free.expect("there are more numbers than names");
        taken.insert(free.clone());
        program.set_name(value, free);
    }
}
