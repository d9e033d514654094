//! The package to generate: the functions of one model, with the layout of their arguments.
//!
//! A package is plain data, made by whoever knows the model; a language needs nothing beyond it.
//! Arguments are arrays in the user's order, whole ones even where a function reads only a part, so
//! that a signature stays the same when the model's numbers change.

use rotule_program::passes::{
    STATUS, angle_addition, batch_trigonometry, latency_schedule, packed_storage, status,
};
use rotule_program::{Block, Program};
use rotule_symbolic::Kind;
use rotule_symbolic::random;

/// The functions of a model, ready to be written in a language.
#[derive(Clone, Debug)]
pub struct Package {
    /// The model's name as the user wrote it.
    pub model: String,
    /// The prefix of generated names; each language makes an identifier of it.
    pub prefix: String,
    /// A sentence about the model; may be empty.
    pub about: String,
    /// A hash of the model's content.
    pub hash: String,
    /// The version of the generator.
    pub version: String,
    /// Parameters that stay symbols.
    pub parameters: Vec<ArgumentEntry>,
    /// Parameters whose numbers stand in the code.
    pub frozen: Vec<ArgumentEntry>,
    /// Time; its value is used by the demo.
    pub time: f64,
    /// Coordinates `q`.
    pub q: Vec<ArgumentEntry>,
    /// Speeds `qd`.
    pub qd: Vec<ArgumentEntry>,
    /// States besides coordinates and speeds.
    pub state: Vec<ArgumentEntry>,
    /// Inputs of the user's own, and derivatives of them.
    pub input: Vec<ArgumentEntry>,
    /// The direction of Hessian-vector products.
    pub direction: Vec<ArgumentEntry>,
    /// The weights of rows in Hessian-vector products.
    pub weight: Vec<ArgumentEntry>,
    /// Accelerations `qdd`.
    pub qdd: Vec<ArgumentEntry>,
    /// Efforts.
    pub effort: Vec<ArgumentEntry>,
    /// The shared vectors of all groups, one behind the other.
    pub shared: Vec<ArgumentEntry>,
    /// The functions.
    pub functions: Vec<PackageFunction>,
    /// Groups of functions that share work.
    pub groups: Vec<PackageGroup>,
    /// `true` if names are for people; otherwise they are short.
    pub readable: bool,
    /// The source of sines and cosines.
    pub trig: Trig,
    /// `true` if each function is written once more, for many states at once, where a language
    /// offers that.
    pub batch: bool,
    /// The form of isomorphic parts, where a language can write them once.
    pub size: Size,
}

/// The source of sines and cosines.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trig {
    /// SIMD sincos in languages that can, unless the code is for people.
    #[default]
    Auto,
    /// The language's own library, one by one.
    Library,
    /// The generated code itself, several angles at once where several are known at the same time.
    Simd,
}

/// The form of isomorphic parts of a program, such as the legs of a robot or the links of a chain:
/// one text for all of them. Those that do not need each other are computed at once in the lanes of
/// vectors, others one after the other in loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Size {
    /// Lanes as [`Size::Small`] has them where straight code would not fit into the instruction
    /// cache, else as [`Size::Fast`]; loops only where straight code would be huge.
    #[default]
    Auto,
    /// Wherever there are such parts, lanes or loops, whichever is less code.
    Small,
    /// Lanes where most of the program is made of them, so that it becomes faster; no loops.
    Fast,
    /// Nowhere: every operation is written by itself, in the order of the program.
    Straight,
    /// Each for itself, with temporaries in as few places as the lives of their values allow, for
    /// processors with little memory.
    Slots,
}

/// One number among the arguments.
#[derive(Clone, Debug, PartialEq)]
pub struct ArgumentEntry {
    /// The user's name; that of the program's input.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// A sentence about it; may be empty.
    pub about: String,
    /// Its value: of a parameter the model's, of others that of the demo.
    pub value: f64,
}

/// One function.
#[derive(Clone, Debug)]
pub struct PackageFunction {
    /// The function as the user wrote it, such as `jacobian(hand.tip)`.
    pub name: String,
    /// A line about it.
    pub about: String,
    /// The formalism that wrote it.
    pub formalism: String,
    /// The arrays that it takes besides parameters and time, in order.
    pub inputs: Vec<Kind>,
    /// The meaning of each of the program's outputs.
    pub outputs: Vec<Meaning>,
    /// The program.
    pub program: Program,
}

/// Functions that share work: one of them computes the shared vector, which the others take.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackageGroup {
    /// The name that the user gave it.
    pub name: String,
    /// The position of the function that computes the shared vector.
    pub update: usize,
    /// The positions of the functions that take it.
    pub functions: Vec<usize>,
}

/// The meaning of the entries of an output.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Meaning {
    /// Names of the rows.
    pub rows: Vec<String>,
    /// Names of the columns; empty for a vector.
    pub columns: Vec<String>,
    /// `true` if it is a single number.
    pub scalar: bool,
    /// Its unit, or units by row; may be empty.
    pub unit: String,
    /// If it is the list of the stored entries of a matrix: the row and the column of each, from
    /// zero.
    pub places: Vec<[u32; 2]>,
}

impl ArgumentEntry {
    /// A number of which only the name is known.
    pub fn named(name: &str) -> ArgumentEntry {
        let (unit, about) = (String::new(), String::new());
        ArgumentEntry { name: name.to_owned(), unit, about, value: 0.0 }
    }
}

impl Package {
    /// The package of a program alone: one function, `run`, whose arguments are the inputs of the
    /// program by their kinds.
    pub fn of_program(program: Program, prefix: &str) -> Result<Package, EmitError> {
        let array = |kind: Kind| {
            let inputs = program.inputs().iter().filter(|input| input.kind == kind);
            inputs.map(|input| ArgumentEntry::named(&input.name)).collect::<Vec<ArgumentEntry>>()
        };
        if array(Kind::Time).len() > 1 {
            return Err(EmitError::new(
                "the program has several times",
                "generated code has one time: make the others inputs",
            ));
        }
        let outputs = program.outputs().iter().map(|_| Meaning::default()).collect();
        Ok(Package {
            model: prefix.to_owned(),
            prefix: prefix.to_owned(),
            about: String::new(),
            hash: String::new(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            parameters: array(Kind::Parameter),
            frozen: Vec::new(),
            time: 0.0,
            q: array(Kind::Coordinate),
            qd: array(Kind::Velocity),
            qdd: array(Kind::Acceleration),
            effort: array(Kind::Effort),
            state: array(Kind::State),
            input: array(Kind::Input),
            direction: array(Kind::Direction),
            weight: array(Kind::Weight),
            shared: array(Kind::Shared),
            groups: Vec::new(),
            functions: vec![PackageFunction {
                name: "run".to_owned(),
                about: String::new(),
                formalism: String::new(),
                inputs: ARRAYS.into_iter().filter(|&kind| !array(kind).is_empty()).collect(),
                outputs,
                program,
            }],
            readable: false,
            trig: Trig::default(),
            batch: false,
            size: Size::Straight,
        })
    }

    /// This package with the stored entries of matrices in the place of matrices that are symmetric
    /// or have zeros: of the former the upper half, of all what is not zero, row by row.
    #[must_use]
    pub fn packed_storage(mut self) -> Package {
        for part in &mut self.functions {
            for (meaning, places) in part.outputs.iter_mut().zip(packed_storage(&mut part.program))
            {
                if places.is_empty() {
                    continue;
                }
                let name = |list: &[String], at: u32| match list.get(at as usize) {
                    Some(name) => name.clone(),
                    None => (at + 1).to_string(),
                };
                let both = |&[row, column]: &[u32; 2]| {
                    format!("({}, {})", name(&meaning.rows, row), name(&meaning.columns, column))
                };
                meaning.rows = places.iter().map(both).collect();
                meaning.columns = Vec::new();
                meaning.places = places;
            }
        }
        self
    }

    /// This package with the output `status` for each function that iterates: a row for each
    /// iteration, with how many updates it took, whether it converged, the largest residual that is
    /// left and the largest correction of its unknowns.
    #[must_use]
    pub fn with_status(mut self) -> Package {
        for part in &mut self.functions {
            let rows = status(&mut part.program);
            if !rows.is_empty() {
                let columns = STATUS.map(str::to_owned).to_vec();
                part.outputs.push(Meaning { rows, columns, ..Meaning::default() });
            }
        }
        self
    }

    /// This package with sines and cosines side by side in its programs.
    pub fn with_batched_trigonometry(&self) -> Package {
        let mut package = self.clone();
        package.trig = Trig::Simd;
        package.functions.iter_mut().for_each(|part| batch_trigonometry(&mut part.program));
        package
    }

    /// This package for code that computes each angle by itself: sines of sums of angles come from
    /// those of the angles, and statements stand in an order in which few wait for each other.
    pub(crate) fn with_angle_addition(&self) -> Package {
        let mut package = self.clone();
        for part in &mut package.functions {
            let mut expanded = part.program.clone();
            angle_addition(&mut expanded);
            // Constants are found by their places in `setup`: see the batches of C.
            if expanded.block(Block::Setup).len() == part.program.block(Block::Setup).len() {
                part.program = expanded;
            }
        }
        let mut package = package.with_batched_trigonometry();
        package.functions.iter_mut().for_each(|part| latency_schedule(&mut part.program));
        package
    }

    /// The quantities of an array of arguments.
    pub fn array(&self, kind: Kind) -> &[ArgumentEntry] {
        match kind {
            Kind::Parameter => &self.parameters,
            Kind::Coordinate => &self.q,
            Kind::Velocity => &self.qd,
            Kind::Acceleration => &self.qdd,
            Kind::Effort => &self.effort,
            Kind::State => &self.state,
            Kind::Input => &self.input,
            Kind::Direction => &self.direction,
            Kind::Weight => &self.weight,
            Kind::Shared => &self.shared,
            Kind::Time => &[],
        }
    }
}

/// The arrays of arguments besides the parameters, in order.
pub const ARRAYS: [Kind; 9] = [
    Kind::Coordinate,
    Kind::Velocity,
    Kind::State,
    Kind::Input,
    Kind::Acceleration,
    Kind::Effort,
    Kind::Direction,
    Kind::Weight,
    Kind::Shared,
];

/// Names of arrays of arguments in code.
pub const fn array_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Parameter => "parameters",
        Kind::Time => "t",
        Kind::Coordinate => "q",
        Kind::Velocity => "qd",
        Kind::Acceleration => "qdd",
        Kind::Effort => "effort",
        Kind::State => "state",
        Kind::Input => "input",
        Kind::Direction => "direction",
        Kind::Weight => "weight",
        Kind::Shared => "shared",
    }
}

/// A generated file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, without any folder.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Why a package cannot be written in a language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmitError {
    /// The fault.
    pub message: String,
    /// The remedy.
    pub help: String,
}

impl EmitError {
    /// A problem.
    pub fn new(message: impl Into<String>, help: impl Into<String>) -> EmitError {
        EmitError { message: message.into(), help: help.into() }
    }
}

/// The hash of a text as a package has it: it tells models apart and is no seal.
pub fn hash(text: &str) -> String {
    format!("{:016x}", random::hash(text))
}
