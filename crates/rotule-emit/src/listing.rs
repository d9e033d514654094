//! A function as a list of statements whose expressions are written in a language already.
//!
//! What is the same in all languages is decided here and in `writer`: names, what stands inside
//! what, what is loaded, stored and handed on. A language prints the few kinds of [`Statement`] and
//! puts them into its functions.

use crate::dialect::Dialect;
use crate::groups::{CopyForm, groups};
use crate::names::NameScope;
use crate::package::{EmitError, Package, PackageFunction, array_name};
use crate::plan::{CHUNK, FunctionPlan, all_reads, plan_parts};
use crate::writer::{Task, stages};
use rotule_program::{Operation, Program, ProgramOutput, Step, all_steps, parallel};
use rotule_symbolic::{Kind, Unary};

/// Names of the arrays that only code knows.
pub const CONSTANTS: &str = "k";
/// The array of what crosses from function to function.
pub const WORK: &str = "w";
/// The array of temporaries that share places.
pub const SLOTS: &str = "s";

/// A statement, its expressions written.
#[derive(Clone, Debug)]
pub enum Statement {
    /// A remark.
    Remark(String),
    /// A new name for a value.
    Let {
        /// The name.
        name: String,
        /// The value.
        value: String,
    },
    /// One value goes to elements of arrays.
    Store {
        /// The elements.
        places: Vec<String>,
        /// The value; a plain name if there are several places.
        value: String,
    },
    /// An iterated region.
    Iterate(Box<Iterate>),
    /// The call of an external function.
    Call(ExternalCall),
    /// Sines and cosines of several angles at once.
    Sincos(SincosPack),
}

/// Sines and cosines of several angles at once.
#[derive(Clone, Debug)]
pub struct SincosPack {
    /// The angles.
    pub angles: Vec<String>,
    /// Names for the sines; none for one that nobody reads.
    pub sines: Vec<Option<String>>,
    /// Names for the cosines.
    pub cosines: Vec<Option<String>>,
    /// A name that is free for variables of the pack.
    pub scratch: String,
}

impl SincosPack {
    /// Names and values one by one, for languages that have no packs.
    pub fn apart(&self, dialect: &Dialect) -> Vec<(String, String)> {
        let each = |(angle, (sine, cosine)): (&String, (&Option<String>, &Option<String>))| {
            let some = |name: &Option<String>, function: Unary| {
                name.clone().map(|name| (name, (dialect.unary)(function, angle)))
            };
            [some(sine, Unary::Sin), some(cosine, Unary::Cos)]
        };
        let both = self.sines.iter().zip(&self.cosines);
        self.angles.iter().zip(both).flat_map(each).flatten().collect()
    }
}

/// An iterated region: see [`rotule_program::Region`].
#[derive(Clone, Debug)]
pub struct Iterate {
    /// Its name, for people.
    pub title: String,
    /// Variables and where each starts. They keep their last value behind the loop.
    pub states: Vec<(String, String)>,
    /// `true` if the states are elements of the work array instead of new variables.
    pub in_work: bool,
    /// The statements of each iteration.
    pub block: Vec<Statement>,
    /// Of a large region, what is done in each iteration instead: see [`UnitText`].
    pub units: Vec<UnitText>,
    /// The next value of each state.
    pub next: Vec<String>,
    /// `true` if the states must be changed all at once.
    pub overlaps: bool,
    /// Residuals, which must become small.
    pub residuals: Vec<String>,
    /// Variables that are assigned where the loop ends, and what they become.
    pub exports: Vec<(String, String)>,
    /// The tolerance of the residuals.
    pub tolerance: String,
    /// Number of updates at most.
    pub limit: u32,
    /// The variable that counts updates.
    pub count: String,
    /// The variable that says whether it converged: 1 or 0.
    pub converged: String,
    /// Of a large region, what the loop itself reads, besides its chunks.
    pub uses: Uses,
}

/// The call of an external function.
#[derive(Clone, Debug)]
pub struct ExternalCall {
    /// The index in [`PackageListing::externals`].
    pub external: usize,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Names for its results; none for one that nobody reads.
    pub results: Vec<Option<String>>,
    /// The results that are stored, too: which, and where.
    pub stores: Vec<(usize, Vec<String>)>,
    /// A name that is free for a variable of the call.
    pub scratch: String,
}

/// A written unit of a stage.
#[derive(Clone, Debug)]
pub enum UnitText {
    /// A function, or the whole of one if the stage has no other unit.
    Chunk(ChunkText),
    /// A large region, whose states are in the work array.
    Loop(Box<Iterate>, Vec<Statement>),
}

/// Statements that make one function.
#[derive(Clone, Debug)]
pub struct ChunkText {
    /// Its number, from one.
    pub number: usize,
    /// Its statements.
    pub statements: Vec<Statement>,
    /// The arrays that it uses.
    pub uses: Uses,
    /// If it is a pack set of copies: how many lanes its vectors have, and its lines, in words of
    /// C.
    pub vectors: Option<(usize, Vec<String>)>,
    /// If it is a run of copies: which.
    pub run: Option<RunText>,
}

/// Phases that run for copy after copy, in words of C.
#[derive(Clone, Debug)]
pub struct RunText {
    /// Indices in [`StageText::phases`].
    pub phases: Vec<usize>,
    /// The first copy.
    pub first: usize,
    /// Number of copies.
    pub count: usize,
    /// `true` if the copies go downwards.
    pub down: bool,
}

/// A function of the number of a copy, in words of C.
#[derive(Clone, Debug)]
pub struct PhaseText {
    /// Its purpose.
    pub about: String,
    /// Numbers that differ from copy to copy, by copy.
    pub numbers: Vec<Vec<String>>,
    /// Places that do not follow from the number of a copy, by copy.
    pub places: Vec<Vec<i64>>,
    /// Its statements.
    pub lines: Vec<String>,
    /// The arrays that it uses.
    pub uses: Uses,
}

/// Arrays that a chunk reads or writes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// The constants.
    pub constants: bool,
    /// Time.
    pub time: bool,
    /// The parameters, in `setup` only.
    pub parameters: bool,
    /// The arrays of [`Listing::inputs`].
    pub inputs: Vec<bool>,
    /// The work array is read.
    pub work_read: bool,
    /// The work array is written.
    pub work_written: bool,
    /// The arrays of [`Listing::outputs`].
    pub outputs: Vec<bool>,
    /// External functions are called.
    pub externals: bool,
    /// Regions inside may fail to converge.
    pub iterates: bool,
    /// Sines and cosines are computed several at once.
    pub simd_sincos: bool,
    /// Number of places that temporaries share; zero if each has its own.
    pub slots: usize,
}

/// A stage of a function.
#[derive(Clone, Debug, Default)]
pub struct StageText {
    /// The size of the work array.
    pub work: usize,
    /// The units in order.
    pub units: Vec<UnitText>,
    /// The phases that runs of copies call.
    pub phases: Vec<PhaseText>,
    /// Sines and cosines that loops compute before all else.
    pub sines: Vec<SinesText>,
}

/// Sines and cosines of angles at even distances.
#[derive(Clone, Debug)]
pub struct SinesText {
    /// The array of the angles.
    pub angles: String,
    /// The index in [`Listing::inputs`].
    pub input: usize,
    /// The first of them and their distance.
    pub from: (usize, usize),
    /// Number of copies.
    pub count: usize,
    /// Where the first sine, the first cosine and their distance are in the work array.
    pub to: (usize, usize, usize),
}

impl StageText {
    /// Returns `true` if it is small enough to be one function.
    pub fn is_whole(&self) -> bool {
        match self.units.as_slice() {
            [] => true,
            [UnitText::Chunk(chunk)] => chunk.run.is_none(),
            _ => false,
        }
    }

    /// All chunks, in order.
    pub fn chunks(&self) -> Vec<&ChunkText> {
        fn gather<'a>(units: &'a [UnitText], found: &mut Vec<&'a ChunkText>) {
            for unit in units {
                match unit {
                    UnitText::Chunk(chunk) => found.push(chunk),
                    UnitText::Loop(iterate, _) => gather(&iterate.units, found),
                }
            }
        }
        let mut found = Vec::new();
        gather(&self.units, &mut found);
        found
    }

    /// Arrays that all chunks and loops use together.
    pub fn uses(&self) -> Uses {
        fn gather(units: &[UnitText], all: &mut Uses) {
            for unit in units {
                match unit {
                    UnitText::Chunk(chunk) => all.add(&chunk.uses),
                    UnitText::Loop(iterate, _) => {
                        all.add(&iterate.uses);
                        gather(&iterate.units, all);
                    }
                }
            }
        }
        let mut all = Uses::default();
        gather(&self.units, &mut all);
        for sines in &self.sines {
            all.inputs.resize(all.inputs.len().max(sines.input + 1), false);
            all.inputs[sines.input] = true;
            all.simd_sincos = true;
        }
        all
    }
}

impl Uses {
    pub(crate) fn add(&mut self, other: &Uses) {
        let or = |one: &mut Vec<bool>, two: &[bool]| {
            one.resize(one.len().max(two.len()), false);
            one.iter_mut().zip(two).for_each(|(a, &b)| *a |= b);
        };
        self.constants |= other.constants;
        self.time |= other.time;
        self.parameters |= other.parameters;
        self.work_read |= other.work_read;
        self.work_written |= other.work_written;
        self.externals |= other.externals;
        self.iterates |= other.iterates;
        self.simd_sincos |= other.simd_sincos;
        or(&mut self.inputs, &other.inputs);
        or(&mut self.outputs, &other.outputs);
    }
}

/// An array that a function takes.
#[derive(Clone, Debug)]
pub struct ArgumentArray {
    /// The kind of its numbers.
    pub kind: Kind,
    /// Its name in code.
    pub name: String,
    /// Number of numbers.
    pub len: usize,
}

/// An array that a function gives.
#[derive(Clone, Debug)]
pub struct ResultArray {
    /// Its name in code.
    pub name: String,
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// `true` if it is a single number.
    pub scalar: bool,
    /// `true` if it is a matrix, even if of one column.
    pub matrix: bool,
    /// `true` if entries are zero and hence not written.
    pub zeros: bool,
}

impl ResultArray {
    /// Number of numbers.
    pub fn len(&self) -> usize {
        self.rows as usize * self.columns as usize
    }

    /// Returns `true` if there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A function, ready to be printed.
#[derive(Clone, Debug)]
pub struct Listing<'a> {
    /// Where it comes from.
    pub part: &'a PackageFunction,
    /// Its name in code, without the model's.
    pub name: String,
    /// `true` if it takes the time.
    pub time: bool,
    /// The arrays that it takes.
    pub inputs: Vec<ArgumentArray>,
    /// The arrays that it gives.
    pub outputs: Vec<ResultArray>,
    /// Number of constants.
    pub constants: usize,
    /// The stage that runs at a change of parameters.
    pub setup: StageText,
    /// The stage that runs at each evaluation.
    pub body: StageText,
}

impl Listing<'_> {
    /// Returns `true` if sines and cosines are computed several at once in either stage.
    pub fn has_simd_sincos(&self) -> bool {
        self.setup.uses().simd_sincos || self.body.uses().simd_sincos
    }

    /// Returns `true` if regions in either stage may fail to converge.
    pub fn iterates(&self) -> bool {
        self.setup.uses().iterates || self.body.uses().iterates
    }
}

/// An external function that the user supplies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExternalDeclaration {
    /// Its name in the model.
    pub title: String,
    /// Its name in code.
    pub name: String,
    /// Number of arguments.
    pub arguments: u32,
    /// Number of results.
    pub results: u32,
    /// The function whose derivative it is, and the number of directions.
    pub derivative_of: Option<(String, u32)>,
}

/// A package in a language: names are given and functions are listed.
#[derive(Clone, Debug)]
pub struct PackageListing<'a> {
    /// Where it comes from.
    pub package: &'a Package,
    /// The prefix of names of functions: the model's name as an identifier.
    pub prefix: String,
    /// The functions.
    pub functions: Vec<Listing<'a>>,
    /// The external functions of all of them.
    pub externals: Vec<ExternalDeclaration>,
}

impl PackageListing<'_> {
    /// Returns `true` if there are parameters, hence constants and a `setup`.
    pub fn has_parameters(&self) -> bool {
        !self.package.parameters.is_empty()
    }
}

/// Names and lists everything in a dialect.
pub fn list<'a>(package: &'a Package, dialect: &Dialect) -> Result<PackageListing<'a>, EmitError> {
    list_by(package, dialect, CHUNK)
}

/// Names and lists everything in a dialect, for a language that can print pack sets of copies as
/// vectors.
pub fn list_alike<'a>(
    package: &'a Package,
    dialect: &Dialect,
) -> Result<PackageListing<'a>, EmitError> {
    list_all(package, dialect, CHUNK, true)
}

/// Names and lists everything in a dialect, in chunks of about so many operations.
pub fn list_by<'a>(
    package: &'a Package,
    dialect: &Dialect,
    size: u64,
) -> Result<PackageListing<'a>, EmitError> {
    list_all(package, dialect, size, false)
}

fn list_all<'a>(
    package: &'a Package,
    dialect: &Dialect,
    size: u64,
    vectors: bool,
) -> Result<PackageListing<'a>, EmitError> {
    let mut names = NameScope::new(dialect.rules);
    let prefix = names.fresh(&package.prefix);
    for word in ["setup", "parameters", "constants", "demo", "externals"] {
        names.take(word);
    }
    for group in &package.groups {
        names.take(&group.name);
        names.take(&format!("{}_update", group.name));
    }
    let externals = externals(package, &mut names);
    let named: Vec<(&PackageFunction, String)> =
        package.functions.iter().map(|part| (part, names.fresh(&part.name))).collect();
    let write = |(part, name): &(&'a PackageFunction, String)| {
        let parts = if vectors { groups(package, part) } else { CopyForm::Straight };
        let plan = plan_parts(&part.program, size, parts);
        listing(package, part, name.clone(), &externals, dialect, &plan)
    };
    let length = |(part, _): &(&PackageFunction, String)| part.program.len();
    let functions = parallel::map(&named, length, &mut |_| {}, write);
    let functions = functions.into_iter().collect::<Result<Vec<_>, EmitError>>()?;
    Ok(PackageListing { package, prefix, functions, externals })
}

fn externals(package: &Package, names: &mut NameScope) -> Vec<ExternalDeclaration> {
    let mut found: Vec<ExternalDeclaration> = Vec::new();
    for part in &package.functions {
        let program = &part.program;
        let mut called = vec![false; program.functions().len()];
        for step in all_steps(program) {
            if let Step::Statement(value) = step
                && let Operation::Call { function, .. } = program.operation(value)
            {
                called[function.index()] = true;
            }
        }
        for (function, called) in program.functions().iter().zip(called) {
            if !called || found.iter().any(|known| known.title == function.name) {
                continue;
            }
            let base = |partner: rotule_program::Partner| {
                (program.get_function(partner.of).name.clone(), partner.directions)
            };
            found.push(ExternalDeclaration {
                title: function.name.clone(),
                name: names.fresh(&function.name),
                arguments: function.arguments,
                results: function.results,
                derivative_of: function.derivative_of.map(base),
            });
        }
    }
    found
}

fn listing<'a>(
    package: &'a Package,
    part: &'a PackageFunction,
    name: String,
    externals: &[ExternalDeclaration],
    dialect: &Dialect,
    plan: &FunctionPlan,
) -> Result<Listing<'a>, EmitError> {
    let program = &part.program;
    let mut scope = NameScope::new(dialect.rules);
    for word in [CONSTANTS, WORK, "t", "parameters", "constants", "failures"] {
        scope.take(word);
    }
    dialect.taken.iter().for_each(|word| scope.take(word));
    externals.iter().for_each(|external| scope.take(&external.name));
    let array = |&kind: &Kind| ArgumentArray {
        kind,
        name: array_name(kind).to_owned(),
        len: package.array(kind).len(),
    };
    let inputs: Vec<ArgumentArray> = part.inputs.iter().map(array).collect();
    inputs.iter().for_each(|input| scope.take(&input.name));
    let outputs: Vec<ResultArray> = program
        .outputs()
        .iter()
        .zip(&part.outputs)
        .map(|(output, meaning)| ResultArray {
            // A function may take efforts and give efforts.
            name: scope.fresh(&match inputs.iter().any(|input| input.name == output.name) {
                true => format!("{}_out", output.name),
                false => output.name.clone(),
            }),
            rows: output.rows,
            columns: output.columns,
            scalar: meaning.scalar,
            matrix: !meaning.columns.is_empty() || output.columns > 1,
            zeros: has_zeros(output),
        })
        .collect();
    let time = reads_time(program);
    let task = Task { package, part, plan, dialect, inputs: &inputs, outputs: &outputs, externals };
    let [setup, body] = stages(&task, scope)?;
    let constants = plan.constants.len();
    Ok(Listing { part, name, time, inputs, outputs, constants, setup, body })
}

fn has_zeros(output: &ProgramOutput) -> bool {
    let written: u64 = output
        .entries
        .iter()
        .map(|entry| if output.symmetric && entry.row != entry.column { 2 } else { 1 })
        .sum();
    written < output.dense_len()
}

fn reads_time(program: &Program) -> bool {
    let mut found = false;
    all_reads(program, &mut |value| {
        if let Operation::Input(input) = program.operation(value) {
            found |= program.inputs()[input.index()].kind == Kind::Time;
        }
    });
    found
}
