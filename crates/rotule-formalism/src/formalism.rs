//! The formalisms by name, and the choice of the cheapest.

use crate::constraint::is_constrained;
use crate::derivative::second::{direction_names, weight_names};
use crate::forward::preconditions::products;
use crate::function::{Argument, By, FunctionKind, ModelFunction, Terms};
use crate::problem::{Problem, ProblemKind};
use crate::search::improve;
use crate::system::MultibodySystem;
use rotule_model::aliases::{Names, canonical};
use rotule_program::lower::{self, MarkTarget, Request, Solve, Target};
use rotule_program::passes::schedule;
use rotule_program::{Program, ProgramCounts, TagKind, TaggedCounts, count_by_tag};
use rotule_symbolic::{Expr, Graph, Kind};
use std::rc::Rc;

/// A recursive algorithm that writes a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formalism {
    /// Recursive Newton-Euler algorithm on the bodies as they are.
    NewtonEuler,
    /// Recursive Newton-Euler algorithm on augmented bodies, with regrouped (barycentric)
    /// parameters.
    Barycentric,
    /// Articulated-body algorithm (Featherstone 2008): accelerations in a number of operations that
    /// is linear in the joints.
    ArticulatedBody,
    /// Kinematics from the base to the tip: Postiau's progressive recursion.
    Outward,
    /// Kinematics from the tip to the base: Postiau's regressive recursion.
    Inward,
    /// Jacobians from the tip to the base, rotations from the base to the tip: Postiau's hybrid
    /// recursion.
    Mixed,
}

impl Formalism {
    /// Every formalism.
    pub const ALL: [Formalism; 6] = [
        Formalism::NewtonEuler,
        Formalism::Barycentric,
        Formalism::ArticulatedBody,
        Formalism::Outward,
        Formalism::Inward,
        Formalism::Mixed,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Formalism::NewtonEuler => "newton-euler",
            Formalism::Barycentric => "barycentric",
            Formalism::ArticulatedBody => "articulated-body",
            Formalism::Outward => "outward",
            Formalism::Inward => "inward",
            Formalism::Mixed => "mixed",
        }
    }

    /// A line about it, for help texts.
    pub const fn about(self) -> &'static str {
        match self {
            Formalism::NewtonEuler => "recursive Newton-Euler algorithm (Featherstone 2008, ch. 5)",
            Formalism::Barycentric => "Newton-Euler on augmented bodies: regrouped parameters",
            Formalism::ArticulatedBody => "articulated-body algorithm (Featherstone 2008, ch. 7)",
            Formalism::Outward => "kinematics from the base to the tip",
            Formalism::Inward => "kinematics from the tip to the base",
            Formalism::Mixed => "Jacobians: rotations outward, lever arms inward",
        }
    }

    /// The formalism of a word, which may be an alias.
    pub fn named(word: &str) -> Option<Formalism> {
        let name = canonical(Names::Formalism, word);
        Formalism::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// A function as a program.
#[derive(Clone, Debug)]
pub struct WrittenFunction {
    /// The program.
    pub program: Program,
    /// The formalism that wrote it.
    pub formalism: Formalism,
    /// Its operations.
    pub counts: ProgramCounts,
}

/// The program of a function, written by one formalism or, if none is named, by the cheapest.
/// Nothing that was generated before has an influence. Statements stand close to where they are
/// read.
pub fn generate(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
) -> Result<WrittenFunction, Problem> {
    match (&tree.program_cache, formalism) {
        (Some(cache), None) => cache.generate(tree, function),
        _ => search(tree, function, formalism, 0),
    }
}

impl WrittenFunction {
    /// The measure that a choice goes by: the work of an evaluation with one iteration, then the
    /// work of a change of parameters.
    pub(crate) fn operations(&self) -> (u64, u64) {
        let ProgramCounts { setup, shared, body, iteration } = self.counts;
        let evaluation = shared.operations() + body.operations() + iteration.operations();
        (evaluation, setup.operations())
    }
}

/// Writes the program of a function after a search: with an effort above zero every formalism is
/// written to its end, in every form, and those that come near the shortest are written again with
/// other choices, as many times as the effort says. The shortest program is kept. Effort is counted
/// in trials and not in time, so that the same request gives the same program everywhere.
pub fn search(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
    effort: u32,
) -> Result<WrittenFunction, Problem> {
    let mut made = cheapest(tree, function, formalism, effort)?;
    schedule(&mut made.program);
    Ok(made)
}

/// The same, with statements in the order of the recursions, which is for people.
pub fn generate_in_order(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
) -> Result<WrittenFunction, Problem> {
    cheapest(tree, function, formalism, 0)
}

fn cheapest(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
    effort: u32,
) -> Result<WrittenFunction, Problem> {
    let known = function.formalisms();
    let mut candidates = match formalism {
        Some(one) if known.contains(&one) => vec![one],
        Some(one) => {
            let names: Vec<&str> = known.iter().map(|formalism| formalism.name()).collect();
            return Err(Problem::new(
                format!("`{}` has no {} formalism", function.text, one.name()),
                format!("expected one of {}, auto (the cheapest)", names.join(", ")),
            ));
        }
        None => known.to_vec(),
    };
    let unlikely = if effort == 0 { unlikely(tree, function) } else { Vec::new() };
    candidates.sort_by_key(|one| unlikely.contains(one));
    let (mut drafts, mut refused): (Vec<Draft>, _) = (Vec::new(), None);
    for one in candidates {
        if unlikely.contains(&one) && drafts.iter().any(|draft| draft.operations > ALL_TRIED) {
            continue;
        }
        match draft(tree, function, one) {
            Ok(draft) => drafts.push(draft),
            // Another formalism may be shorter; but what one finds impossible is.
            Err(problem) if problem.kind == ProblemKind::Formalism => {
                refused = refused.or(Some(problem));
            }
            Err(problem) => return Err(problem),
        }
    }
    // The first of equals is kept in the end.
    drafts.sort_by_key(|draft| draft.formalism);
    if effort == 0 {
        keep_cheap(&mut drafts, 6, |draft| draft.operations);
    }
    let mut forms: Vec<Vec<Draft>> =
        drafts.into_iter().map(|draft| draft.forms(effort > 0)).collect();
    // Lowering finds more to share, but not so much that it would change a clear order.
    let fewest = |forms: &Vec<Draft>| forms.iter().map(|form| form.operations).min().unwrap_or(0);
    keep_cheap(&mut forms, if effort == 0 { 14 } else { 2 }, fewest);
    let mut made: Vec<WrittenFunction> =
        forms.into_iter().filter_map(|forms| least(forms, function, 0)).collect();
    if effort > 0 {
        let body = |made: &WrittenFunction| made.operations().0;
        let shortest = made.iter().map(body).min().unwrap_or(0);
        made.retain(|one| body(one) <= shortest + shortest / NEAR);
        for one in &mut made {
            *one = improve(tree, function, one.formalism, one.clone(), effort);
        }
    }
    let none = || Problem::new(format!("`{}` is written by no formalism", function.text), "");
    made.into_iter()
        .min_by_key(WrittenFunction::operations)
        .ok_or_else(|| refused.unwrap_or_else(none))
}

/// Only formalisms whose programs are longer by at most one part in so many are searched.
const NEAR: u64 = 8;

/// The shortest program of several forms.
fn least(forms: Vec<Draft>, function: &ModelFunction, seed: u64) -> Option<WrittenFunction> {
    let made = forms.into_iter().map(|draft| {
        let formalism = draft.formalism;
        let program = lowered(draft, function, seed);
        let counts = ProgramCounts::of(&program);
        WrittenFunction { program, formalism, counts }
    });
    made.min_by_key(WrittenFunction::operations)
}

/// The program of a function by one formalism, in its shortest form.
pub(crate) fn least_form(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Formalism,
    seed: u64,
) -> Result<WrittenFunction, Problem> {
    let draft = draft(tree, function, formalism)?;
    let all = draft.operations <= DISSOLVED_TO;
    let none = || Problem::new(format!("`{}` has no form", function.text), "");
    least(draft.forms(all), function, seed).ok_or_else(none)
}

/// The operations of a part of a function's program, in an evaluation and beyond what earlier parts
/// need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CountedPart {
    /// The section of the method.
    pub name: String,
    /// All of + - * /.
    pub operations: u64,
    /// Functions, selects and calls.
    pub functions: u64,
}

/// The name of the last part: what is left of the whole.
const LAST: &str = "solution";

/// The operations of a function part by part, by the sections that its program has marked: an
/// operation belongs to the first section that needs it, so that the parts are the whole. Functions
/// that are written in one go have no parts.
pub fn parts(whole: &WrittenFunction) -> Vec<CountedPart> {
    let sections = count_by_tag(&whole.program, TagKind::Section);
    if sections.len() == 1 {
        return Vec::new();
    }
    let part = |section: TaggedCounts| {
        let name = section.tag.map_or_else(|| LAST.to_owned(), |tag| tag.name);
        let body = section.counts.body;
        let functions = body.operations() - body.total();
        CountedPart { name, operations: body.total(), functions }
    };
    sections.into_iter().map(part).collect()
}

/// Formalisms that are unlikely to be the cheapest for a function, unless it is small.
fn unlikely(tree: &MultibodySystem, function: &ModelFunction) -> Vec<Formalism> {
    let known = function.formalisms();
    let (row, by) = match &function.arguments[..] {
        [Argument::Function(inner), Argument::By(by)] => (inner.row, Some(by)),
        _ => (function.row, None),
    };
    let mut unlikely = Vec::new();
    // Composite bodies of the fewest parameters beat all others, and so do derivatives of what they
    // give.
    let derived = by.is_some_and(|by| !by.is_outside());
    if known.contains(&Formalism::Barycentric) && (derived || row.terms == Terms::Mass) {
        unlikely.push(Formalism::NewtonEuler);
    }
    // Where a mass matrix is long to factor, accelerations come without it.
    if matches!(row.id, FunctionKind::Forward | FunctionKind::Motion)
        && by.is_none()
        && known.contains(&Formalism::ArticulatedBody)
        && !is_constrained(&tree.mechanism)
        && tree.speeds() > 12
        && products(&tree.tree) > LONG_PRODUCTS * tree.speeds() as u64
    {
        unlikely.push(Formalism::Barycentric);
    }
    // Articulated bodies are differentiated once per column, whereas a factor serves all columns.
    if matches!(by, Some(By::Coordinates | By::Efforts)) && products(&tree.tree) < MANY_PRODUCTS {
        unlikely.push(Formalism::ArticulatedBody);
    }
    unlikely
}

/// Products in the factorisation of a mass matrix from which on it may be costlier than columns by
/// articulated bodies: those of a chain of 30 joints.
const MANY_PRODUCTS: u64 = 4_500;

/// Products in the factorisation of a mass matrix for each speed from which on articulated bodies
/// are always shorter: those of a chain of 9 joints.
const LONG_PRODUCTS: u64 = 14;

/// Functions of so few operations are written by all formalisms.
const ALL_TRIED: u64 = 250;

/// Drops what is more expensive than the cheapest by more than one part in so many. Among small
/// ones, lowering may still change the order.
pub(crate) fn keep_cheap<T>(list: &mut Vec<T>, parts: u64, operations: impl Fn(&T) -> u64) {
    let least = list.iter().map(&operations).min().unwrap_or(0);
    list.retain(|one| operations(one) <= SMALL.max(least + least / parts));
}

/// Drafts of so few operations are all lowered.
const SMALL: u64 = 300;

/// A function as a formalism wrote it, before it is lowered.
pub(crate) struct Draft {
    /// All expressions, also those of another form.
    pub(crate) graph: Rc<Graph>,
    pub(crate) formalism: Formalism,
    pub(crate) inputs: Vec<Expr>,
    pub(crate) outputs: Vec<Target>,
    pub(crate) solves: Vec<Solve>,
    /// The parts of its equations.
    pub(crate) marks: Vec<MarkTarget>,
    /// Operations of an evaluation, as the graph counts them.
    pub(crate) operations: u64,
}

fn draft(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Formalism,
) -> Result<Draft, Problem> {
    let sheet = tree.sheet();
    let outputs = function.write(tree.writer(&sheet), formalism)?;
    let (graph, solves, marks) = sheet.into_parts();
    let operations = graph.evaluation_counts(&values(&outputs, &solves)).total();
    let inputs = inputs_of(tree, &graph, &function.inputs(tree));
    Ok(Draft { graph: Rc::new(graph), formalism, inputs, outputs, solves, marks, operations })
}

/// Larger functions are not tried with dissolved names: it takes half the time and hardly gains
/// there.
const DISSOLVED_TO: u64 = 8_000;

/// Up to so many operations a dissolved form is lowered however costly it looks.
const BOTH_LOWERED: u64 = 600;

impl Draft {
    /// The draft, the same with all names dissolved that are used once, or both. Dissolving lets
    /// rules see further but may lose a factored form; lowering then rather shortens what is
    /// dissolved.
    pub(crate) fn forms(mut self, all: bool) -> Vec<Draft> {
        if !all && self.operations > DISSOLVED_TO {
            return vec![self];
        }
        let Some(dissolved) = self.dissolved() else { return vec![self] };
        if all {
            return vec![self, dissolved];
        }
        if self.operations > ALL_TRIED && dissolved.operations <= self.operations {
            return vec![dissolved];
        }
        let most = BOTH_LOWERED.max(self.operations + self.operations / 8);
        if dissolved.operations > most { vec![self] } else { vec![self, dissolved] }
    }

    fn dissolved(&mut self) -> Option<Draft> {
        // A graph only grows, so what was written stays as it is.
        let graph = Rc::get_mut(&mut self.graph)?;
        let marked: Vec<Expr> = self.marks.iter().flat_map(|mark| &mark.values).copied().collect();
        let roots = values(&self.outputs, &self.solves);
        let (new, marked) = graph.inline_single_uses_following(&roots, &marked);
        let mut marks = self.marks.clone();
        let all = marks.iter_mut().flat_map(|mark| &mut mark.values);
        all.zip(marked).for_each(|(old, new)| *old = new);
        let operations = graph.evaluation_counts(&new).total();
        let (mut outputs, mut solves) = (self.outputs.clone(), self.solves.clone());
        let entries = outputs.iter_mut().flat_map(|output| &mut output.entries);
        let iterated = solves.iter_mut().flat_map(Solve::iterated_mut);
        let places = entries.map(|entry| &mut entry.2).chain(iterated);
        places.zip(new).for_each(|(place, value)| *place = value);
        let (graph, formalism) = (Rc::clone(&self.graph), self.formalism);
        let inputs = self.inputs.clone();
        Some(Draft { graph, formalism, inputs, outputs, solves, marks, operations })
    }
}

/// All that a program computes: entries of outputs, then what its iterations find them by, which
/// outputs share.
pub(crate) fn values(outputs: &[Target], solves: &[Solve]) -> Vec<Expr> {
    let entries = outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2));
    entries.chain(solves.iter().flat_map(Solve::iterated)).collect()
}

fn lowered(draft: Draft, function: &ModelFunction, seed: u64) -> Program {
    let Draft { graph, inputs, outputs, solves, marks, .. } = draft;
    let name = function.row.name.to_owned();
    let request = Request { name, inputs, outputs, solves, marks, seed };
    lower::draft(&graph, &request).program
}

/// The inputs of a program: all parameters, time, and all of the given kinds in the user's order.
pub fn inputs(tree: &MultibodySystem, kinds: &[Kind]) -> Vec<Expr> {
    inputs_of(tree, &tree.mechanism.graph, kinds)
}

/// The inputs of a program that is in a graph: directions and weights stand nowhere else.
fn inputs_of(tree: &MultibodySystem, graph: &Graph, kinds: &[Kind]) -> Vec<Expr> {
    let named = |names: Vec<String>| names.into_iter().filter_map(|name| graph.lookup(&name));
    let mechanism = &tree.mechanism;
    let mut inputs: Vec<Expr> = mechanism.parameters.iter().map(|one| one.symbol).collect();
    inputs.push(mechanism.time);
    for kind in kinds {
        match kind {
            Kind::Coordinate => inputs.extend(mechanism.coordinates.iter().map(|one| one.symbol)),
            Kind::Velocity => inputs.extend(mechanism.speeds.iter().map(|one| one.symbol)),
            Kind::Acceleration => {
                inputs.extend(mechanism.speeds.iter().map(|one| one.acceleration));
            }
            Kind::Effort => inputs.extend(mechanism.speeds.iter().map(|one| one.effort)),
            Kind::State => inputs.extend(mechanism.states.iter().map(|one| one.symbol)),
            Kind::Input => inputs.extend(mechanism.inputs.iter().map(|one| one.symbol)),
            Kind::Direction => inputs.extend(named(direction_names(mechanism))),
            Kind::Weight => inputs.extend(named(weight_names(mechanism))),
            _ => {}
        }
    }
    inputs
}
