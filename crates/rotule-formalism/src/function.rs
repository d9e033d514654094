//! The functions of a model by name: `inverse`, `jacobian(hand.tip)`, `derivative(forward, q)`.
//!
//! One table says what there is, what each takes and which formalisms can write it. A row's `write`
//! puts expressions into the tree's graph and gives back named outputs.

use crate::formalism::Formalism::{
    self, ArticulatedBody, Barycentric, Inward, Mixed, NewtonEuler, Outward,
};
use crate::forward::refusal::check_open;
use crate::problem::Problem;
use crate::tree::Tree;
use crate::{
    constraint, derivative, dynamics, energy, forces, forward, kinematics, map, regressor, states,
    switches,
};
use rotule_model::aliases::{self, Names};
use rotule_model::mechanism::{BodyId, Frame, Placement};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Kind, did_you_mean, likely, nearest};

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

/// A function that can be requested.
#[derive(Debug)]
pub struct FunctionRow {
    /// Its name.
    pub name: &'static str,
    /// Its arguments; the last may be omitted if it is [`Takes::Reference`].
    pub takes: &'static [Takes],
    /// Its description, in a line.
    pub about: &'static str,
    /// The inputs of its program besides parameters and time.
    pub inputs: &'static [Kind],
    /// The formalisms that can write it; the first is the plain choice.
    pub formalisms: &'static [Formalism],
    /// Writes it.
    pub write: fn(&mut Tree, &Call<'_>) -> Result<Vec<Target>, Problem>,
}

/// The inputs with which a row is written.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// The arguments.
    pub arguments: &'a [Argument],
    /// The formalism, one of the row's.
    pub formalism: Formalism,
}

/// The kinds of argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// A place: `body` or `body.point`.
    Place,
    /// The body relative to which is measured; the ground if it is left out.
    Reference,
    /// The name of a sensor.
    Sensor,
    /// The name of a line force.
    LineForce,
    /// The name of a wheel.
    Wheel,
    /// Another function.
    Function,
    /// The variable to differentiate by: `q`, `qd`, `qdd`, `effort`, `state` or the name of a
    /// parameter.
    By,
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
}

/// The variables to differentiate by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// One parameter.
    Parameter(Expr),
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

const Q: &[Kind] = &[Kind::Coordinate];
const QV: &[Kind] = &[Kind::Coordinate, Kind::Velocity];
const QVA: &[Kind] = &[Kind::Coordinate, Kind::Velocity, Kind::Acceleration];
const QVE: &[Kind] = &[Kind::Coordinate, Kind::Velocity, Kind::Effort];
const AT: &[Takes] = &[Takes::Place, Takes::Reference];
const RECURSIVE: &[Formalism] = &[NewtonEuler, Barycentric];
const SOLVED: &[Formalism] = &[NewtonEuler, Barycentric, ArticulatedBody];
const ANY: &[Formalism] = &[Outward];
const CHAINS: &[Formalism] = &[Outward, Inward];

macro_rules! rows {
    ($($name:literal $takes:expr, $inputs:expr, $formalisms:expr, $write:expr, $about:literal;)*) => {
        &[$(FunctionRow {
            name: $name,
            takes: $takes,
            about: $about,
            inputs: $inputs,
            formalisms: $formalisms,
            write: $write,
        }),*]
    };
}

/// Every function: name, arguments, inputs, formalisms, the code that writes it, a description.
///
/// A new row needs entries elsewhere: names of its outputs' rows in `labels.rs`, their units in
/// `units.rs`, a row in `docs/manual/functions.md`. Tests name a missing one. No test can know
/// whether a function is one of the closed mechanism: see [`ModelFunction::closes_loops`].
#[rustfmt::skip]
pub const FUNCTIONS: &[FunctionRow] = rows! {
    "inverse" &[], QVA, RECURSIVE, dynamics::inverse, "efforts that make the mechanism move as given, beyond its joint laws";
    "forward" &[], QVE, SOLVED, forward::forward, "accelerations under given efforts";
    "motion" &[], QVE, SOLVED, forward::motion, "right-hand side of a simulation: coordinates and speeds with all loops closed, and their derivatives";
    "mass" &[], Q, RECURSIVE, dynamics::mass, "mass matrix M";
    "bias" &[], QV, RECURSIVE, dynamics::bias, "c of M qdd + c = Q: Coriolis, centrifugal, gravity and external forces";
    "mass_bias" &[], QV, RECURSIVE, dynamics::mass_bias, "mass matrix and bias together";
    "gravity" &[], Q, RECURSIVE, dynamics::gravity, "gravity part of the bias";
    "coriolis" &[], QV, RECURSIVE, dynamics::coriolis, "Coriolis and centrifugal part of the bias, quadratic in the speeds";
    "coriolis_matrix" &[], QV, RECURSIVE, dynamics::coriolis_matrix, "C with C qd = coriolis and Mdot - 2 C skew";
    "efforts" &[], QV, &[NewtonEuler], dynamics::efforts, "efforts of the joint laws";
    "forces" &[], QV, &[NewtonEuler], forces::forces, "line forces, wheels and forces as efforts on the coordinates";
    "line_force" &[Takes::LineForce], QV, &[NewtonEuler], forces::line_force, "length, rate and force of a line force";
    "wheel" &[Takes::Wheel], QV, &[NewtonEuler], forces::wheel, "contact of a wheel: penetration, slips, forces along forward, left and normal, contact point";
    "drives" &[], QVE, SOLVED, forward::drives, "efforts that driven and locked joints need beyond their laws; zero for free joints";
    "reactions" &[], QVA, &[NewtonEuler], dynamics::reactions, "force and torque that each joint transmits, in the body's axes at its origin";
    "inverse_mass" &[], Q, RECURSIVE, forward::inverse_mass, "inverse of the mass matrix of the free speeds; rows of driven and locked speeds are zero";
    "operational_inertia" &[Takes::Place], Q, RECURSIVE, forward::operational_inertia, "operational-space inertia at a point, linear above angular: J M^-1 J' and, if six free speeds or more move it, its inverse";
    "position" AT, Q, CHAINS, kinematics::position, "position of a place";
    "rotation" AT, Q, CHAINS, kinematics::rotation, "rotation matrix of a place";
    "velocity" AT, QV, CHAINS, kinematics::velocity, "velocity of a place";
    "angular_velocity" AT, QV, CHAINS, kinematics::angular_velocity, "angular velocity of a place";
    "acceleration" AT, QVA, CHAINS, kinematics::acceleration, "acceleration of a place";
    "angular_acceleration" AT, QVA, CHAINS, kinematics::angular_acceleration, "angular acceleration of a place";
    "kinematics" AT, QVA, CHAINS, kinematics::all, "position, rotation, velocities and accelerations of a place";
    "jacobian" AT, Q, &[Outward, Mixed], kinematics::jacobian, "Jacobian of a place: linear above angular velocity";
    "sensor" &[Takes::Sensor], QVA, &[Outward, Inward, Mixed], kinematics::sensor, "measured quantities of a sensor";
    "com" &[], Q, ANY, energy::com, "centre of mass of the whole mechanism";
    "com_velocity" &[], QV, ANY, energy::com_velocity, "velocity of the centre of mass";
    "momentum" &[], QV, ANY, energy::momentum, "momentum, and angular momentum about the centre of mass";
    "kinetic_energy" &[], QV, ANY, energy::kinetic, "kinetic energy, drives included";
    "potential_energy" &[], Q, ANY, energy::potential, "gravitational potential energy";
    "power" &[], QVE, ANY, energy::power, "power of efforts, laws, line forces, wheels and forces";
    "rates" &[], QV, ANY, map::rates, "time derivative of the coordinates, N(q) qd";
    "kinematic_map" &[], Q, ANY, map::matrix, "N(q), from speeds to derivatives of the coordinates";
    "states" &[], QV, ANY, states::function, "rates of the states besides coordinates and speeds";
    "events" &[], QV, ANY, states::events, "conditions of the events, and the numbers that their actions use";
    "switches" &[], QV, ANY, switches::function, "switching functions: differences of the sides of comparisons in laws, zero where a law switches; conditions on time alone are left out";
    "constraints" &[], QV, ANY, constraint::function, "h, J, e and b of the constraints: h = 0, J qd + e = 0, J qdd + b = 0";
    "closed_inverse" &[], QVA, RECURSIVE, constraint::reduced::inverse, "efforts of drives that make the closed mechanism move as given, and the missing efforts if the drives are too few; without `actuated` joints, independent joints have drives";
    "actuation" &[], QVA, RECURSIVE, constraint::reduced::actuation, "Psi and Ga of Psi = Ga Q: generalised forces of the independent coordinates, and the contribution of each drive";
    "reduction" &[], Q, ANY, constraint::reduced::reduction, "S with qd = S qd_u: all speeds as functions of the independent speeds";
    "all_coordinates" &[], QVE, RECURSIVE, constraint::reduced::all_coordinates, "M, c and Q of the open tree with h, J, e and b of the constraints: M qdd + c = Q + J' lambda";
    "closure" &[], QV, ANY, constraint::closure, "coordinates and speeds with all loops closed: dependent ones follow from independent ones";
    "multipliers" &[], QVE, RECURSIVE, constraint::multipliers, "forces of the constraints: M qdd + c = Q + J' lambda";
    "augmented" &[], QVE, RECURSIVE, constraint::augmented::augmented, "accelerations of all coordinates and multipliers at any state, open or closed, with Baumgarte stabilisation by the gains of `baumgarte`";
    "closure_reactions" &[], QVE, RECURSIVE, constraint::reactions::cuts, "force and torque of each loop closure on its first body, at the closure and in the axes of its first place; tension of rods";
    "closed_reactions" &[], QVE, RECURSIVE, constraint::reactions::joints, "force and torque that each joint of the closed mechanism transmits, in the body's axes at its origin";
    "derivative" &[Takes::Function, Takes::By], QVA, &[NewtonEuler], derivative::derivative, "derivative of a function by q, qd, qdd, effort, state or a parameter";
    "tangent" &[], QVA, RECURSIVE, derivative::tangent, "M, G and K: inverse dynamics by qdd, qd and q";
    "forward_tangent" &[], QVE, RECURSIVE, derivative::forward_tangent, "forward dynamics by q, qd and effort, the last being the inverse of the mass matrix";
    "regressor" &[], QVA, &[NewtonEuler], regressor::regressor, "Y of inverse = Y parameters";
    "parameters" &[], &[], &[NewtonEuler], regressor::parameters, "inertial parameters that the regressor multiplies";
};

impl ModelFunction {
    /// Reads a function: its name, with arguments in brackets if it takes any.
    pub fn parse(text: &str, tree: &Tree) -> Result<ModelFunction, Problem> {
        parse(text.trim(), tree, 0)
    }

    /// Writes the function into the tree's graph.
    pub fn write(&self, tree: &mut Tree, formalism: Formalism) -> Result<Vec<Target>, Problem> {
        (self.row.write)(tree, &Call { arguments: &self.arguments, formalism })
    }

    /// Returns `true` if it balances forces and leaves out those of loops and constraints that the
    /// model has.
    pub fn of_open_tree(&self, tree: &Tree) -> bool {
        let inner = match self.arguments.first() {
            Some(Argument::Function(inner)) => inner.row.name,
            _ => self.row.name,
        };
        ["inverse", "bias", "mass_bias", "tangent"].contains(&inner)
            && check_open(tree, inner).is_err()
    }

    /// True if it is a function of the closed mechanism: its program closes the loops that the
    /// model has.
    pub fn closes_loops(&self, tree: &Tree) -> bool {
        const CLOSED: [&str; 11] = [
            "forward",
            "forward_tangent",
            "motion",
            "drives",
            "closed_inverse",
            "actuation",
            "reduction",
            "closure",
            "multipliers",
            "closure_reactions",
            "closed_reactions",
        ];
        match self.arguments.first() {
            Some(Argument::Function(inner)) => inner.closes_loops(tree),
            _ if self.is_of_rolling_wheel(tree) => true,
            _ => CLOSED.contains(&self.row.name) && constraint::is_constrained(tree),
        }
    }

    /// Returns `true` if it is `wheel` of a wheel that rolls, whose forces only the motion tells.
    fn is_of_rolling_wheel(&self, tree: &Tree) -> bool {
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
    /// take these behind the speeds, whether they use them or not: which law uses what is the
    /// model's business.
    pub fn inputs(&self, tree: &Tree) -> Vec<Kind> {
        if let Some(Argument::Function(inner)) = self.arguments.first() {
            return inner.inputs(tree);
        }
        let inputs = if self.is_of_rolling_wheel(tree) { QVE } else { self.row.inputs };
        let mut kinds = inputs.to_vec();
        if !tree.mechanism.states.is_empty() {
            let moving = |kind: &&Kind| matches!(kind, Kind::Coordinate | Kind::Velocity);
            let behind = kinds.iter().take_while(moving).count();
            kinds.insert(behind, Kind::External);
        }
        kinds
    }
}

/// Variables that derivatives are taken by, besides parameters.
const VARIABLES: [&str; 5] = ["q", "qd", "qdd", "effort", "state"];

/// The depth to which functions may be nested.
const MAX_DEPTH: usize = 4;

fn parse(text: &str, tree: &Tree, depth: usize) -> Result<ModelFunction, Problem> {
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
    let known = aliases::canonical(Names::Function, name);
    let Some(row) = FUNCTIONS.iter().find(|row| row.name == known) else {
        let names = FUNCTIONS.iter().map(|row| row.name);
        let all = names.clone().chain(aliases::of(Names::Function).map(|(alias, _)| alias));
        let mut problem = unknown("function", name, names.clone());
        // Of `kinetic` people mean `kinetic_energy`, although fewer letters lead to another name.
        let begun = |full: &&str| full.strip_prefix(name).is_some_and(|rest| rest.starts_with('_'));
        if let Some(near) = names.clone().find(begun).or_else(|| nearest(name, all)) {
            problem.help = did_you_mean(near);
        }
        return Err(problem);
    };
    let given = inside.map_or(Vec::new(), split);
    let optional = usize::from(row.takes.last() == Some(&Takes::Reference));
    if given.len() > row.takes.len() || given.len() + optional < row.takes.len() {
        return Err(Problem::new(
            format!("`{name}` takes {}, found {}", words(row.takes), given.len()),
            format!("write {}", usage(row)),
        ));
    }
    if depth >= MAX_DEPTH {
        return Err(Problem::new(
            format!("functions are nested more than {MAX_DEPTH} levels deep"),
            "",
        ));
    }
    let (mut arguments, mut words) = (Vec::new(), Vec::new());
    for (word, takes) in given.into_iter().zip(row.takes) {
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

/// Splits at commas outside brackets.
fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(text[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    let last = text[start..].trim();
    if !(parts.is_empty() && last.is_empty()) {
        parts.push(last);
    }
    parts
}

fn argument(word: &str, takes: Takes, tree: &Tree, depth: usize) -> Result<Argument, Problem> {
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
        Takes::Function => {
            parse(word, tree, depth + 1).map(|function| Argument::Function(Box::new(function)))
        }
        Takes::By => {
            let parameter = mechanism.parameters.iter().any(|one| one.name == word);
            if parameter && VARIABLES.contains(&word) {
                return Err(Problem::new(
                    format!("`{word}` is a parameter here, but in `derivative` a variable"),
                    "give the parameter another name",
                ));
            }
            let by = match word {
                "q" => By::Coordinates,
                "qd" => By::Speeds,
                "qdd" => By::Accelerations,
                "effort" => By::Efforts,
                "state" => By::States,
                name => match mechanism.parameters.iter().find(|one| one.name == name) {
                    Some(parameter) => By::Parameter(parameter.symbol),
                    None => {
                        let fixed = VARIABLES.into_iter();
                        let names = mechanism.parameters.iter().map(|one| one.name.as_str());
                        return Err(unknown("variable or parameter", word, fixed.chain(names)));
                    }
                },
            };
            Ok(Argument::By(by))
        }
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
fn place(word: &str, tree: &Tree) -> Result<Frame, Problem> {
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
}

/// The first part of a text that may be long.
fn short(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}..", &text[..end]),
        None => text.to_owned(),
    }
}

fn words(takes: &[Takes]) -> String {
    let word = |takes: &Takes| match takes {
        Takes::Place => "a place",
        Takes::Reference => "perhaps a body",
        Takes::Sensor => "a sensor",
        Takes::LineForce => "a line force",
        Takes::Wheel => "a wheel",
        Takes::Function => "a function",
        Takes::By => "variable of differentiation",
    };
    match takes {
        [] => "no arguments".to_owned(),
        some => some.iter().map(word).collect::<Vec<_>>().join(" and "),
    }
}

/// The syntax of a function: its name and arguments.
pub fn usage(row: &FunctionRow) -> String {
    let word = |takes: &Takes| match takes {
        Takes::Place => "PLACE",
        Takes::Reference => "[BODY]",
        Takes::Sensor => "SENSOR",
        Takes::LineForce => "LINE_FORCE",
        Takes::Wheel => "WHEEL",
        Takes::Function => "FUNCTION",
        Takes::By => "q|qd|qdd|effort|state|PARAMETER",
    };
    match row.takes {
        [] => row.name.to_owned(),
        some => {
            let words: Vec<&str> = some.iter().map(word).collect();
            format!("{}({})", row.name, words.join(", "))
        }
    }
}
