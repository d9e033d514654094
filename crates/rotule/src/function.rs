//! A function of a model, such as inverse dynamics: what it takes, what it gives, what it costs,
//! and the way to a kernel.

use crate::count::calls;
use crate::error::Error;
use crate::externals::Closures;
use crate::kernel::Kernel;
use crate::model::Model;
use rotule_emit::array_name;
use rotule_formalism::foreign::foreign;
use rotule_formalism::labels::{Labels, labels};
use rotule_formalism::{Formalism, ModelFunction as Named, direction_names, units, weight_names};
use rotule_jit::KernelKind;
use rotule_model::mechanism::Mechanism;
use rotule_numeric::generate;
use rotule_program::{Program, ProgramCounts};
use rotule_symbolic::{Expr, Kind};
use std::sync::Arc;

/// A function of a model as a program, written by the cheapest formalism or by a given one.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let inverse = model.function("inverse")?;
/// let names: Vec<&str> = inverse.inputs().iter().map(|input| input.name.as_str()).collect();
/// assert_eq!(names, ["q", "qd", "qdd"]);
/// assert_eq!(inverse.outputs()[0].name, "effort");
/// assert_eq!(inverse.outputs()[0].unit, "N m");
/// assert!(inverse.cost().operations < 20);
/// assert_eq!(inverse.cost().to_string(), "3 operations, 1 function, 4 in setup");
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone)]
pub struct Function {
    pub(crate) text: String,
    pub(crate) program: Arc<Program>,
    formalism: Formalism,
    inputs: Vec<Input>,
    outputs: Vec<Output>,
    pub(crate) slots: Vec<Slot>,
    /// Values that parameters and time have unless a kernel is told others.
    pub(crate) parameters: Vec<f64>,
    pub(crate) parameter_names: Vec<String>,
    pub(crate) time: f64,
    pub(crate) externals: Closures,
}

impl std::fmt::Debug for Function {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let inputs: Vec<&str> = self.inputs.iter().map(|one| one.name.as_str()).collect();
        let outputs: Vec<&str> = self.outputs.iter().map(|one| one.name.as_str()).collect();
        write!(f, "Function({}: {} -> {})", self.text, inputs.join(", "), outputs.join(", "))
    }
}

/// An input of a function: an array with one number for each coordinate or speed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// `q`, `qd`, `state`, `input`, `qdd` or `effort`.
    pub name: String,
    /// The names of its numbers, in their order.
    pub entries: Vec<String>,
    /// The unit of each.
    pub units: Vec<String>,
}

/// An output of a function: a number, a vector or a matrix, dense by rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// Its name, such as `effort` or `M`.
    pub name: String,
    /// Names of its rows, as many as there are.
    pub rows: Vec<String>,
    /// Names of its columns; one of an empty name for a vector or a number.
    pub columns: Vec<String>,
    /// Its unit, or units by row; empty if there is none for all.
    pub unit: String,
}

/// Operations of a function, as [`Model::count`](crate::Model::count) and the command line count
/// them: additions, subtractions, multiplications and divisions each count once, sines, roots and
/// the like apart. Negation is free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Operations `+ - * /` of an evaluation.
    pub operations: u64,
    /// Functions of an evaluation: sines, roots, choices, calls of external functions.
    pub functions: u64,
    /// Operations and functions of each iteration beyond them, where loops are closed or contacts
    /// found.
    pub iteration: u64,
    /// Operations and functions after each change of a parameter.
    pub setup: u64,
}

/// The numbers in a line, such as `225 operations, 14 functions`; what is zero is left out, but for
/// operations.
impl std::fmt::Display for Cost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counted = |count, one: &str| match count {
            1 => format!("1 {one}"),
            count => format!("{count} {one}s"),
        };
        f.write_str(&counted(self.operations, "operation"))?;
        if self.functions > 0 {
            write!(f, ", {}", counted(self.functions, "function"))?;
        }
        if self.iteration > 0 {
            write!(f, ", {} in each iteration", self.iteration)?;
        }
        if self.setup > 0 {
            write!(f, ", {} in setup", self.setup)?;
        }
        Ok(())
    }
}

/// The place of a number among the inputs of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Slot {
    /// A position in the parameters of the model.
    Parameter(usize),
    /// The time.
    Time,
    /// An input by its position, and a position in it.
    Input(usize, usize),
}

impl Input {
    /// The count of its numbers.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns `true` if it has no numbers.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Output {
    /// The count of its numbers: rows times columns.
    pub fn len(&self) -> usize {
        self.rows.len() * self.columns.len()
    }

    /// Returns `true` if it has no numbers.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows and columns.
    pub fn shape(&self) -> (usize, usize) {
        (self.rows.len(), self.columns.len())
    }
}

impl Function {
    pub(crate) fn new(
        model: &Model,
        text: &str,
        formalism: Option<Formalism>,
    ) -> Result<Function, Error> {
        let tree = model.tree();
        let named = Named::parse(text, tree)?;
        let made = generate(tree, &named, formalism)?;
        Function::of(model, &named, made.formalism, made.program, None)
    }

    /// A function whose program is known, with an input beyond the usual ones, if it has one.
    pub(crate) fn of(
        model: &Model,
        named: &Named,
        formalism: Formalism,
        program: Program,
        extra: Option<(Kind, Input)>,
    ) -> Result<Function, Error> {
        let (tree, mechanism) = (model.tree(), &model.tree().mechanism);
        let externals = model.externals().clone();
        let known = |name: &str| externals.knows(name);
        if let Some(problem) = foreign(mechanism, named, &program, &known) {
            return Err(problem.into());
        }
        let inputs = named.inputs(tree).into_iter().map(|kind| (kind, input(mechanism, kind)));
        let inputs: Vec<(Kind, Input)> = inputs.chain(extra).collect();
        let slots = slots(mechanism, &program, &inputs);
        let outputs = program.outputs().iter().map(|output| {
            let found = labels(mechanism, named, &output.name);
            let unit = units::of_output(mechanism, named, &output.name);
            let (rows, columns) = sides(found, output.rows as usize, output.columns as usize);
            Output { name: output.name.clone(), rows, columns, unit }
        });
        Ok(Function {
            outputs: outputs.collect(),
            text: named.text.clone(),
            formalism,
            inputs: inputs.into_iter().map(|(_, input)| input).collect(),
            slots,
            program: Arc::new(program),
            parameters: mechanism.parameters.iter().map(|one| one.value).collect(),
            parameter_names: mechanism.parameters.iter().map(|one| one.name.clone()).collect(),
            time: 0.0,
            externals,
        })
    }

    /// The function that computes the shared vector of a group.
    pub(crate) fn of_vector(model: &Model, formalism: Formalism, program: Program) -> Function {
        let mechanism = &model.tree().mechanism;
        let takes = |kind: &Kind| program.inputs().iter().any(|input| input.kind == *kind);
        let kinds = [Kind::Coordinate, Kind::Velocity, Kind::State].into_iter().filter(takes);
        let inputs: Vec<(Kind, Input)> = kinds.map(|kind| (kind, input(mechanism, kind))).collect();
        let slots = slots(mechanism, &program, &inputs);
        let outputs = program.outputs().iter().map(|output| {
            let (rows, columns) = sides(None, output.rows as usize, output.columns as usize);
            Output { name: output.name.clone(), rows, columns, unit: String::new() }
        });
        Function {
            outputs: outputs.collect(),
            text: "shared".to_owned(),
            formalism,
            inputs: inputs.into_iter().map(|(_, input)| input).collect(),
            slots,
            program: Arc::new(program),
            parameters: mechanism.parameters.iter().map(|one| one.value).collect(),
            parameter_names: mechanism.parameters.iter().map(|one| one.name.clone()).collect(),
            time: 0.0,
            externals: model.externals().clone(),
        }
    }

    /// The function as it was written: `inverse`, `jacobian(hand.tip)`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The inputs, in the order of generated code. Parameters and time are not among them: see
    /// [`Kernel::set`].
    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    /// The outputs, in their order.
    pub fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// The formalism that wrote it.
    pub fn formalism(&self) -> Formalism {
        self.formalism
    }

    /// The program in Rotule's intermediate representation.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// Its operations.
    pub fn cost(&self) -> Cost {
        let counts = ProgramCounts::of(&self.program);
        Cost {
            operations: counts.body.total(),
            functions: calls(&counts.body),
            iteration: counts.iteration.operations(),
            setup: counts.setup.operations(),
        }
    }

    /// A kernel: native code on x86-64, the interpreter elsewhere.
    pub fn compile(&self) -> Result<Kernel, Error> {
        self.compile_with(KernelKind::Auto)
    }

    /// A kernel of a kind: native code, the interpreter, or C that the machine's compiler makes a
    /// library of.
    pub fn compile_with(&self, kind: KernelKind) -> Result<Kernel, Error> {
        Kernel::new(self.clone(), kind)
    }
}

/// The names and units of an input's numbers.
fn input(mechanism: &Mechanism, kind: Kind) -> Input {
    let graph = &mechanism.graph;
    let by_speed = |symbol: &dyn Fn(&rotule_model::mechanism::Speed) -> Expr, unit| {
        let names = mechanism.speeds.iter().map(|one| graph.text(symbol(one))).collect();
        (names, units::by_speed(mechanism, unit))
    };
    let own = |units: Vec<&str>| units.into_iter().map(str::to_owned).collect::<Vec<String>>();
    let (entries, units): (Vec<String>, Vec<&str>) = match kind {
        Kind::Velocity => by_speed(&|one| one.symbol, units::SPEED),
        Kind::Acceleration => by_speed(&|one| one.acceleration, units::ACCELERATION),
        Kind::Effort => by_speed(&|one| one.effort, units::EFFORT),
        Kind::State => (
            mechanism.states.iter().map(|one| one.name.clone()).collect(),
            mechanism.states.iter().map(|one| one.unit.as_str()).collect(),
        ),
        Kind::Input => (
            mechanism.inputs.iter().map(|one| one.name.clone()).collect(),
            mechanism.inputs.iter().map(|one| one.unit.as_str()).collect(),
        ),
        Kind::Direction => (direction_names(mechanism), Vec::new()),
        Kind::Weight => (weight_names(mechanism), Vec::new()),
        _ => (
            mechanism.coordinates.iter().map(|one| one.name.clone()).collect(),
            units::of_coordinates(mechanism),
        ),
    };
    Input { name: array_name(kind).to_owned(), entries, units: own(units) }
}

/// The place of each input of the program.
fn slots(mechanism: &Mechanism, program: &Program, inputs: &[(Kind, Input)]) -> Vec<Slot> {
    let mut places = std::collections::HashMap::new();
    for (at, one) in mechanism.parameters.iter().enumerate() {
        places.insert((Kind::Parameter, one.name.as_str()), Slot::Parameter(at));
    }
    for (number, (kind, input)) in inputs.iter().enumerate() {
        for (at, name) in input.entries.iter().enumerate() {
            places.insert((*kind, name.as_str()), Slot::Input(number, at));
        }
    }
    let slot = |input: &rotule_program::ProgramInput| match input.kind {
        Kind::Time => Slot::Time,
        kind => *places
            .get(&(kind, input.name.as_str()))
            .expect("a program has no inputs but those of its function"),
    };
    program.inputs().iter().map(slot).collect()
}

/// The names of rows and columns; numbers from 1 where there are none.
fn sides(found: Option<Labels>, rows: usize, columns: usize) -> (Vec<String>, Vec<String>) {
    let numbered = |count: usize| (1..=count).map(|number| number.to_string()).collect();
    let (row_names, column_names) = match found {
        Some(Labels::Scalar) => (vec![String::new()], vec![String::new()]),
        Some(Labels::Vector(rows)) => (rows, vec![String::new()]),
        Some(Labels::Matrix(rows, columns)) => (rows, columns),
        None => (Vec::new(), if columns == 1 { vec![String::new()] } else { Vec::new() }),
    };
    let fit =
        |names: Vec<String>, count| if names.len() == count { names } else { numbered(count) };
    (fit(row_names, rows), fit(column_names, columns))
}
