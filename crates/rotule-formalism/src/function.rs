//! The functions of a model by name: `inverse`, `jacobian(hand.tip)`, `derivative(forward, q)`.
//!
//! A function is a row of the table in `table.rs`, whose form is `row.rs`; what rows say of the
//! outputs of a program is in `output.rs`. Here names and arguments are looked up in a model. A
//! row's `write` puts expressions into the tree's graph and gives back named outputs.

mod output;
mod row;
mod table;

use crate::constraint;
use crate::formalism::Formalism;
use crate::forward::preconditions::check_open;
use crate::linear;
use crate::problem::{Problem, ProblemKind};
use crate::system::MultibodySystem;
use crate::writer::Writer;
pub(crate) use output::FunctionOutput;
pub use output::measured;
use rotule_model::mechanism::{BodyId, Frame, Intermittent, Mechanism, Placement};
use rotule_program::lower::Target;
use rotule_symbolic::list;
use rotule_symbolic::{Expr, Graph, Kind, did_you_mean, likely, nearest};
pub use row::{
    Counted, FunctionRow, LoopTreatment, OutputRow, OutputShape, OutputUnit, Side, Takes, Terms,
};
use std::sync::Arc;
use table::QVE;
pub use table::{FUNCTIONS, FunctionKind, outputs};

/// A function of a model, with its arguments looked up.
#[derive(Clone, Debug)]
pub struct ModelFunction {
    /// Its row of [`FUNCTIONS`].
    pub row: &'static FunctionRow,
    /// Its arguments.
    pub arguments: Vec<Argument>,
    /// Its text as written, which names it in what is generated.
    pub text: String,
    /// Its text without aliases: functions are the same if this is.
    pub canonical: String,
}

/// The inputs with which a row is written.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The arguments.
    pub arguments: &'a [Argument],
    /// The formalism, one of the row's.
    pub formalism: Formalism,
}

/// An argument, looked up.
#[derive(Clone, Debug)]
pub enum Argument {
    /// A place.
    Place(Frame),
    /// A body.
    Body(BodyId),
    /// The position of a sensor in the mechanism.
    Sensor(usize),
    /// The position of a line force in the mechanism.
    LineForce(usize),
    /// The position of a wheel in the mechanism.
    Wheel(usize),
    /// A function.
    Function(Box<ModelFunction>),
    /// The variable to differentiate by.
    By(By),
    /// The position of an intermittent constraint in the mechanism.
    Engaged(usize),
}

/// A variable to differentiate by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum By {
    /// All coordinates, along the speeds: column j is the rate of change per unit of speed j.
    Coordinates,
    /// All speeds.
    Speeds,
    /// All accelerations.
    Accelerations,
    /// All efforts.
    Efforts,
    /// All states of the user's own.
    States,
    /// All inputs of the user's own, and derivatives of them.
    Inputs,
    /// The time, as far as motions and laws depend on it themselves.
    Time,
    /// One parameter or input.
    Parameter(Expr),
    /// Several parameters or inputs.
    Parameters(Arc<[Expr]>),
}

/// The variables that derivatives are taken by, besides parameters, by their names.
const VARIABLES: [(&str, By); 7] = [
    ("q", By::Coordinates),
    ("qd", By::Speeds),
    ("qdd", By::Accelerations),
    ("effort", By::Efforts),
    ("state", By::States),
    ("input", By::Inputs),
    ("t", By::Time),
];

impl By {
    /// The name of the variable.
    pub fn name(&self, graph: &Graph) -> String {
        let known = VARIABLES.iter().find(|(_, by)| by == self).map(|(name, _)| (*name).to_owned());
        match self {
            By::Parameter(symbol) => graph.text(*symbol),
            By::Parameters(_) => "parameters".to_owned(),
            _ => known.unwrap_or_default(),
        }
    }

    /// Returns `true` for a single variable: the derivative of a matrix is a matrix of its shape.
    pub fn is_single(&self) -> bool {
        matches!(self, By::Time | By::Parameter(_))
    }

    /// Returns `true` for parameters and the time, which move no coordinate by themselves.
    pub fn is_outside(&self) -> bool {
        matches!(self, By::Time | By::Parameter(_) | By::Parameters(_))
    }

    /// The name of the derivative of an output: `effort_by_q`.
    pub fn derivative(&self, output: &str, graph: &Graph) -> String {
        format!("{output}_by_{}", self.name(graph))
    }
}

/// Every alias of a function, with the name that it stands for.
pub fn aliases() -> impl Iterator<Item = (&'static str, &'static str)> + Clone {
    FUNCTIONS.iter().flat_map(|row| row.aliases.iter().map(move |alias| (*alias, row.name)))
}

impl Call<'_> {
    /// The place that is the first argument.
    pub fn place(&self) -> Frame {
        match self.arguments.first() {
            Some(Argument::Place(frame)) => *frame,
            _ => Frame { body: BodyId::GROUND, placement: Placement::IDENTITY },
        }
    }

    /// The body that is measured from.
    pub fn reference(&self) -> BodyId {
        let body = |argument: &Argument| match argument {
            Argument::Body(body) => Some(*body),
            _ => None,
        };
        self.arguments.iter().find_map(body).unwrap_or(BodyId::GROUND)
    }
}

impl ModelFunction {
    /// Reads a function: its name, with arguments in brackets if it takes any.
    pub fn parse(text: &str, tree: &MultibodySystem) -> Result<ModelFunction, Problem> {
        parse(text.trim(), tree, 0)
    }

    /// A function without arguments, by its name in the table.
    pub(crate) fn plain(name: &str) -> Option<ModelFunction> {
        let row = FUNCTIONS.iter().find(|row| row.name == name)?;
        let (text, canonical) = (name.to_owned(), name.to_owned());
        Some(ModelFunction { row, arguments: Vec::new(), text, canonical })
    }

    /// Writes the function on the writer's sheet.
    pub fn write(
        &self,
        writer: Writer<'_, '_>,
        formalism: Formalism,
    ) -> Result<Vec<Target>, Problem> {
        (self.row.write)(writer, &Call { arguments: &self.arguments, formalism })
    }

    /// The function that it is, or that it is a derivative of.
    pub fn innermost(&self) -> &ModelFunction {
        match self.arguments.first() {
            Some(Argument::Function(inner)) => inner.innermost(),
            _ => self,
        }
    }

    /// Returns `true` if it balances forces and leaves out those of loops and constraints that the
    /// model has.
    pub fn of_open_tree(&self, tree: &MultibodySystem) -> bool {
        let row = self.innermost().row;
        row.loops == LoopTreatment::LeftOut && check_open(&tree.mechanism, row.name).is_err()
    }

    /// True if it is a function of the closed mechanism: its program closes the loops that the
    /// model has.
    pub fn closes_loops(&self, tree: &MultibodySystem) -> bool {
        let function = self.innermost();
        function.is_of_rolling_wheel(tree)
            || function.row.loops.closed() && constraint::is_constrained(&tree.mechanism)
    }

    /// Returns `true` if it is `wheel` of a wheel that rolls, whose forces only the motion tells.
    fn is_of_rolling_wheel(&self, tree: &MultibodySystem) -> bool {
        let wheel = |at: &usize| tree.mechanism.wheels.get(*at).is_some_and(|one| one.rolling);
        matches!(self.arguments.first(), Some(Argument::Wheel(at)) if wheel(at))
    }

    /// The formalisms that can write it; a derivative is written as its function is.
    pub fn formalisms(&self) -> &'static [Formalism] {
        match self.arguments.first() {
            Some(Argument::Function(inner)) => inner.formalisms(),
            _ => self.row.formalisms,
        }
    }

    /// The inputs of its program besides parameters and time. All functions of a model with states
    /// or inputs of its own take these behind the speeds, whether they use them or not: which law
    /// uses what is the model's business.
    pub fn inputs(&self, tree: &MultibodySystem) -> Vec<Kind> {
        if let Some(Argument::Function(inner)) = self.arguments.first() {
            let mut kinds = inner.inputs(tree);
            if self.row.id == FunctionKind::HessianVector {
                kinds.extend([Kind::Direction, Kind::Weight]);
            }
            return kinds;
        }
        let inputs = if self.is_of_rolling_wheel(tree) { QVE } else { self.row.inputs };
        let mut kinds = inputs.to_vec();
        if self.row.id == FunctionKind::Events && crate::states::use_accelerations(&tree.mechanism)
        {
            kinds.push(Kind::Acceleration);
        }
        let moving = |kind: &&Kind| matches!(kind, Kind::Coordinate | Kind::Velocity);
        let behind = kinds.iter().take_while(moving).count();
        if !tree.mechanism.inputs.is_empty() {
            kinds.insert(behind, Kind::Input);
        }
        if !tree.mechanism.states.is_empty() {
            kinds.insert(behind, Kind::State);
        }
        kinds
    }
}

/// The depth to which functions may be nested.
const MAX_DEPTH: usize = 4;

fn parse(text: &str, tree: &MultibodySystem, depth: usize) -> Result<ModelFunction, Problem> {
    let (name, inside) = match text.split_once('(') {
        None => (text, None),
        Some((name, rest)) => match rest.strip_suffix(')') {
            Some(inside) => (name.trim_end(), Some(inside)),
            None => {
                let message = format!("missing `)` in `{}`", short(text));
                return Err(Problem::new(message, "expected NAME or NAME(ARGUMENT, ..)"));
            }
        },
    };
    let Some(row) = FUNCTIONS.iter().find(|row| row.is_named(name)) else {
        let names = FUNCTIONS.iter().map(|row| row.name);
        let all = names.clone().chain(aliases().map(|(alias, _)| alias));
        let mut problem = unknown("function", name, names.clone());
        // Of `kinetic` people mean `kinetic_energy`, although fewer letters lead to another name.
        let begun = |full: &&str| full.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
        if let Some(near) = names.clone().find(begun).or_else(|| nearest(name, all)) {
            problem.help = did_you_mean(near);
        }
        return Err(problem);
    };
    let inside = inside.filter(|text| !text.trim().is_empty());
    let mut given: Vec<&str> = inside.into_iter().flat_map(list::parts).map(str::trim).collect();
    let row = match given.first().and_then(|word| linear::variant(row.id, word)) {
        Some(variant) => {
            given.remove(0);
            variant.row()
        }
        None => row,
    };
    let last = row.takes.last();
    let optional = usize::from(matches!(last, Some(Takes::Reference | Takes::Engaged)));
    let most = if last == Some(&Takes::Engaged) { usize::MAX } else { row.takes.len() };
    if given.len() > most || given.len() + optional < row.takes.len() {
        return Err(Problem::new(
            format!("`{name}` takes {}, found {}", words(row.takes), given.len()),
            format!("write {}", row.usage()),
        ));
    }
    if depth >= MAX_DEPTH {
        return Err(Problem::new(
            format!("functions are nested more than {MAX_DEPTH} levels deep"),
            "",
        ));
    }
    let (mut arguments, mut words) = (Vec::new(), Vec::new());
    let takes = row.takes.iter().chain(std::iter::repeat(last.unwrap_or(&Takes::Engaged)));
    for (word, takes) in given.into_iter().zip(takes) {
        let argument = argument(word, *takes, tree, depth)?;
        words.push(match &argument {
            Argument::Function(inner) => inner.canonical.clone(),
            _ => word.to_owned(),
        });
        arguments.push(argument);
    }
    let canonical = match words.is_empty() {
        true => row.name.to_owned(),
        false => format!("{}({})", row.name, words.join(", ")),
    };
    Ok(ModelFunction { row, arguments, text: text.to_owned(), canonical })
}

fn argument(
    word: &str,
    takes: Takes,
    tree: &MultibodySystem,
    depth: usize,
) -> Result<Argument, Problem> {
    let mechanism = &tree.mechanism;
    match takes {
        Takes::Place => place(word, tree).map(Argument::Place),
        Takes::Reference => match mechanism.body(word) {
            Some(body) => Ok(Argument::Body(body)),
            None => {
                Err(unknown("body", word, mechanism.bodies.iter().map(|one| one.name.as_str())))
            }
        },
        Takes::Sensor => {
            let names = mechanism.sensors.iter().map(|one| one.name.as_str());
            position("sensor", word, names).map(Argument::Sensor)
        }
        Takes::LineForce => {
            let names = mechanism.line_forces.iter().map(|one| one.name.as_str());
            position("line force", word, names).map(Argument::LineForce)
        }
        Takes::Wheel => {
            let names = mechanism.wheels.iter().map(|one| one.name.as_str());
            position("wheel", word, names).map(Argument::Wheel)
        }
        Takes::Engaged => {
            let names = mechanism.intermittent.iter().map(Intermittent::name);
            position("intermittent constraint", word, names).map(Argument::Engaged)
        }
        Takes::Function => {
            parse(word, tree, depth + 1).map(|function| Argument::Function(Box::new(function)))
        }
        Takes::By => {
            if let Some(names) = word.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
                return several(names, mechanism).map(Argument::By);
            }
            let parameter = mechanism.parameters.iter().any(|one| one.name == word);
            let variable = VARIABLES.iter().find(|(name, _)| *name == word);
            if parameter && variable.is_some() {
                return Err(Problem::new(
                    format!("`{word}` is a parameter here, but in `derivative` a variable"),
                    "give the parameter another name",
                ));
            }
            if let Some((_, by)) = variable {
                return Ok(Argument::By(by.clone()));
            }
            let parameters = mechanism.parameters.iter().map(|one| (one.name.as_str(), one.symbol));
            let inputs = mechanism.inputs.iter().map(|one| (one.name.as_str(), one.symbol));
            let mut named = parameters.chain(inputs);
            let Some((_, symbol)) = named.clone().find(|(name, _)| *name == word) else {
                let fixed = VARIABLES.iter().map(|(name, _)| *name);
                let names = named.by_ref().map(|(name, _)| name);
                return Err(unknown("variable, parameter or input", word, fixed.chain(names)));
            };
            Ok(Argument::By(By::Parameter(symbol)))
        }
    }
}

/// Several parameters or inputs by their names; `*` stands for all parameters.
fn several(names: &str, mechanism: &Mechanism) -> Result<By, Problem> {
    if names.trim() == "*" {
        return Ok(By::Parameters(mechanism.parameters.iter().map(|one| one.symbol).collect()));
    }
    let parameters = mechanism.parameters.iter().map(|one| (one.name.as_str(), one.symbol));
    let inputs = mechanism.inputs.iter().map(|one| (one.name.as_str(), one.symbol));
    let known: Vec<(&str, Expr)> = parameters.chain(inputs).collect();
    let mut symbols = Vec::new();
    for name in list::names(names) {
        let (_, symbol) =
            known[position("parameter or input", name, known.iter().map(|one| one.0))?];
        if symbols.contains(&symbol) {
            let message = format!("`{name}` is named twice in `[{}]`", short(names));
            return Err(Problem::new(message, "name each of them once"));
        }
        symbols.push(symbol);
    }
    match symbols.is_empty() {
        true => Err(Problem::new("`[]` names no parameter", "expected [NAME, ..] or [*]")),
        false => Ok(By::Parameters(symbols.into())),
    }
}

/// The position of a name among others.
fn position<'a>(
    what: &str,
    name: &str,
    mut known: impl Iterator<Item = &'a str> + Clone,
) -> Result<usize, Problem> {
    let all = known.clone();
    known.position(|one| one == name).ok_or_else(|| unknown(what, name, all))
}

/// A place by its name, as in a model file: `body` or `body.point`.
fn place(word: &str, tree: &MultibodySystem) -> Result<Frame, Problem> {
    let mechanism = &tree.mechanism;
    if let Some(body) = mechanism.body(word) {
        return Ok(Frame { body, placement: Placement::IDENTITY });
    }
    if let Some(point) = mechanism.points.iter().find(|point| point.name == word) {
        return Ok(point.frame);
    }
    if let Some((body, _)) = word.split_once('.')
        && mechanism.body(body).is_some()
    {
        let within = format!("{body}.");
        let points: Vec<&str> = mechanism.points.iter().map(|point| point.name.as_str()).collect();
        let own = points.into_iter().filter(|name| name.starts_with(&within));
        return Err(unknown("point", word, own));
    }
    let bodies = mechanism.bodies.iter().map(|one| one.name.as_str());
    Err(unknown("place", word, bodies.chain(mechanism.points.iter().map(|one| one.name.as_str()))))
}

/// "there is no such thing", with the nearest name or the list of names.
fn unknown<'a>(what: &str, name: &str, known: impl Iterator<Item = &'a str>) -> Problem {
    let known: Vec<&str> = known.collect();
    let help = match known[..] {
        [] => format!("the model has no {what}"),
        _ => likely(name, known),
    };
    Problem::new(format!("there is no {what} `{}`", short(name)), help)
        .of(ProblemKind::UnknownName(name.to_owned()))
}

/// The first part of a text that may be long.
fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

fn words(takes: &[Takes]) -> String {
    match takes {
        [] => "no arguments".to_owned(),
        some => some.iter().map(|takes| takes.phrase()).collect::<Vec<_>>().join(" and "),
    }
}
