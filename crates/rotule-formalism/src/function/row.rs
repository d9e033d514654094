//! The form of a row of the table of functions: plain data, from which everything that is known
//! about a function follows.
//!
//! A row ([`FunctionRow`]) has the function's name and aliases, its arguments and inputs, its
//! outputs, the formalisms that can write it, what it means of a model with loops, the terms of
//! the equations of motion that it is made of, and the code that writes it. An output ([`Output`])
//! has a name, a shape in symbols such as speeds x speeds, and a rule for its unit. A missing field
//! does not compile; tests beside the table compare the rest with what programs have.

use super::{Call, FunctionKind};
use crate::formalism::Formalism;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::writer::Writer;
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Kind};

/// A function that can be requested.
#[derive(Debug)]
pub struct FunctionRow {
    /// Its kind, by which code knows it.
    pub id: FunctionKind,
    /// Its name.
    pub name: &'static str,
    /// Other names of it.
    pub aliases: &'static [&'static str],
    /// Its description, in a line.
    pub about: &'static str,
    /// Its arguments; the last may be omitted if it is [`Takes::Reference`] or
    /// [`Takes::Engaged`].
    pub takes: &'static [Takes],
    /// The inputs of its program besides parameters and time.
    pub inputs: &'static [Kind],
    /// The outputs of its program, in order. A sensor has those that it measures.
    pub outputs: &'static [OutputRow],
    /// The formalisms that can write it; the first is the plain choice.
    pub formalisms: &'static [Formalism],
    /// Its meaning for a model with loops or other constraints.
    pub loops: LoopTreatment,
    /// The terms of the equations of motion that it is made of.
    pub terms: Terms,
    /// The models for which its operations are counted without being named.
    pub counted: Counted,
    /// Writes it: puts expressions on the writer's sheet and gives back the outputs.
    pub write: fn(Writer<'_, '_>, &Call<'_>) -> Result<Vec<Target>, Problem>,
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
    /// The variable to differentiate by: `q`, `qd`, `qdd`, `effort`, `state`, `input`, `t`, the
    /// name of a parameter or an input, or several in brackets.
    By,
    /// Any number of names of intermittent constraints; none stands for all.
    Engaged,
}

/// The meaning of a function for a model with loops or other constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoopTreatment {
    /// A quantity at the state as it is given, whether loops are closed there or not.
    AsGiven,
    /// A balance of forces of the open tree, which leaves out the forces of loops.
    LeftOut,
    /// Refused: the function exists for open trees only.
    Refused,
    /// The program closes the loops. Dependent coordinates and speeds follow from the independent
    /// ones, without dynamics.
    Closed,
    /// The program closes the loops and solves with the reduced mass matrix, which must be regular.
    ClosedAndSolved,
}

impl LoopTreatment {
    /// Returns `true` if the program closes the loops that a model has.
    pub const fn closed(self) -> bool {
        matches!(self, LoopTreatment::Closed | LoopTreatment::ClosedAndSolved)
    }
}

/// The terms of the equations of motion that a function is made of. They decide by which recursions
/// it is derived, and which formalisms are worth a try.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terms {
    /// Parts of `M qdd + c`, which one recursion writes; less the joint laws or not.
    Efforts {
        /// The parts.
        parts: Parts,
        /// `true` if the efforts of the joint laws are subtracted.
        less_laws: bool,
    },
    /// The mass matrix or something as long as it, which composite bodies write.
    Mass,
    /// Other terms.
    Other,
}

/// The models for which the operations of a function are counted without being named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    /// Counted for every model.
    Always,
    /// Counted for models of at most this many speeds: a matrix without structural zeros grows out
    /// of hand first.
    UpTo(usize),
    /// Counted if it is named.
    Named,
}

/// An output of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutputRow {
    /// Its name in programs, results and generated code.
    pub name: &'static str,
    /// Its shape.
    pub shape: OutputShape,
    /// Its unit.
    pub unit: OutputUnit,
}

/// The shape of an output: the meanings of its rows and columns. Counts are never looked at,
/// because six columns may be six joints or a force and a torque.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputShape {
    /// A single number.
    Scalar,
    /// A column of numbers.
    Vector(Side),
    /// Rows and columns.
    Matrix(Side, Side),
}

/// The meaning of a row or a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The speeds, by the names of their joints.
    Speeds,
    /// The coordinates.
    Coordinates,
    /// The bodies, without the ground and the massless steps of chains.
    Bodies,
    /// Directions in space.
    Axes,
    /// Directions at a wheel's contact.
    Contact,
    /// Displacements, then turns.
    Twist,
    /// Force, then torque.
    Wrench,
    /// Parameters of the bodies and armatures.
    Parameters,
    /// Constraints that say something.
    Constraints,
    /// States besides coordinates and speeds.
    States,
    /// Outputs of the user's own.
    Outputs,
    /// Inputs, each with its derivatives behind it.
    Inputs,
    /// Events.
    Events,
    /// Numbers that actions of events use.
    Values,
    /// The differences that laws compare.
    Switches,
    /// Loop closures.
    Cuts,
    /// Loop closures that are rods.
    Rods,
    /// Frames at the ends of the tree.
    Terminals,
    /// Directions in space at each of them.
    TerminalAxes,
    /// Displacements, then turns, at each of them.
    TerminalTwists,
}

/// The rule for the unit of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputUnit {
    /// One unit for all entries, or words for all of them.
    Fixed(&'static str),
    /// By the speed of the row: for a length, for an angle.
    BySpeed([&'static str; 2]),
    /// That of the model's states per second, if all states have the same.
    StateRates,
    /// Entries have units of their own, which no one unit can stand for.
    Mixed,
}

impl Takes {
    /// The argument in a usage line.
    pub const fn word(self) -> &'static str {
        match self {
            Takes::Place => "PLACE",
            Takes::Reference => "[BODY]",
            Takes::Sensor => "SENSOR",
            Takes::LineForce => "LINE_FORCE",
            Takes::Wheel => "WHEEL",
            Takes::Function => "FUNCTION",
            Takes::By => "q|qd|qdd|effort|state|input|t|NAME|[NAME, ..]",
            Takes::Engaged => "[CONSTRAINT, ..]",
        }
    }

    /// The argument in a sentence.
    pub const fn phrase(self) -> &'static str {
        match self {
            Takes::Place => "a place",
            Takes::Reference => "perhaps a body",
            Takes::Sensor => "a sensor",
            Takes::LineForce => "a line force",
            Takes::Wheel => "a wheel",
            Takes::Function => "a function",
            Takes::By => "variable of differentiation",
            Takes::Engaged => "intermittent constraints",
        }
    }
}

impl FunctionRow {
    /// The way the function is written: its name and arguments.
    pub fn usage(&self) -> String {
        let words: Vec<&str> = self.takes.iter().map(|takes| takes.word()).collect();
        match words.is_empty() {
            true => self.name.to_owned(),
            false => format!("{}({})", self.name, words.join(", ")),
        }
    }

    /// Returns `true` if it is the function of a word, which may be an alias.
    pub fn is_named(&self, word: &str) -> bool {
        self.name == word || self.aliases.contains(&word)
    }

    /// The position of an output among those of the program. In a constant, an output that the
    /// function does not have is an error of compilation.
    ///
    /// # Panics
    ///
    /// If the function does not have the output.
    pub const fn position(&self, output: &OutputRow) -> usize {
        let mut at = 0;
        while at < self.outputs.len() {
            if same(self.outputs[at].name.as_bytes(), output.name.as_bytes()) {
                return at;
            }
            at += 1;
        }
        panic!("the function does not have the output")
    }

    /// Returns `true` if it has a row per speed that depends on all bodies: its derivatives have as
    /// many entries as the mass matrix.
    pub fn is_wide(&self) -> bool {
        let by_speed = |shape| {
            matches!(
                shape,
                OutputShape::Vector(Side::Speeds) | OutputShape::Matrix(Side::Speeds, _)
            )
        };
        self.terms != Terms::Other && self.outputs.iter().any(|output| by_speed(output.shape))
    }

    /// About how long its program is beside others of the same model: matrices with a row and a
    /// column per speed are long, and all takes longer in closed form.
    pub fn length(&self) -> usize {
        let square =
            |output: &&OutputRow| output.shape == OutputShape::Matrix(Side::Speeds, Side::Speeds);
        let matrices = self.outputs.iter().filter(square).count();
        (1 + matrices) * if self.loops == LoopTreatment::ClosedAndSolved { 2 } else { 1 }
    }
}

impl OutputRow {
    /// The output as a single number.
    pub fn scalar(&self, value: Expr) -> Target {
        Target::scalar(self.name, value)
    }

    /// The output as a column of numbers.
    pub fn vector(&self, values: &[Expr]) -> Target {
        Target::vector(self.name, values)
    }

    /// The output as a dense matrix, by rows.
    pub fn matrix(&self, rows: u32, columns: u32, values: &[Expr]) -> Target {
        Target::matrix(self.name, rows, columns, values)
    }
}

/// Compares texts where constants are evaluated.
const fn same(a: &[u8], b: &[u8]) -> bool {
    if a.len() != b.len() {
        return false;
    }
    let mut at = 0;
    while at < a.len() {
        if a[at] != b[at] {
            return false;
        }
        at += 1;
    }
    true
}
