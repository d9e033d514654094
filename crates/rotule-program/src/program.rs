//! The program: a value graph in static single assignment, straight-line but for iterated regions.
//!
//! Values are never changed once made; three stages list them in the order of execution, `setup`
//! (what depends on parameters only, run once per parameter change), `shared` (what functions of a
//! group share, run once per state; most programs have none) and `body`, and each region has a
//! block of its own. A program is built by the methods here, checked by [`verify`](crate::verify)
//! and rewritten by the [passes](crate::passes); everyone else reads.

use crate::index::{FunctionId, InputId, OutputId, RegionId, Value};
use crate::mark::Mark;
use crate::operation::{Arguments, Operation};
use rotule_symbolic::Kind;
use rustc_hash::FxHashMap;
use std::collections::HashMap;
use std::ops::Range;

/// An input: a number that the caller supplies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramInput {
    /// The user's name, unique among the inputs.
    pub name: String,
    /// The kind of input, which says in which stages it is available: see [`Block::may_read`].
    pub kind: Kind,
}

/// A function that foreign code supplies. It is pure: its results depend on its arguments alone and
/// a call may be dropped, shared or moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignSignature {
    /// The function's name, unique among the functions.
    pub name: String,
    /// Number of arguments that it takes.
    pub arguments: u32,
    /// Number of results that it gives.
    pub results: u32,
    /// The function whose derivative it is, if it is the partner of one.
    pub derivative_of: Option<Partner>,
}

/// The link from a derivative function to the function that it differentiates.
///
/// The partner along k directions takes for each argument x of the base x, dx/dp1, ..., dx/dpk and
/// gives for each result likewise, so it has (1 + k) times as many of both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partner {
    /// The function that is differentiated.
    pub of: FunctionId,
    /// Along how many directions.
    pub directions: u32,
}

/// An iterated region: `state := initial`, then repeatedly evaluate the block; stop with the
/// current state when every |residual| <= tolerance (converged) or after `limit` updates (not
/// converged); else `state := next`, all at once.
///
/// Its results are the n final states, then the number of updates, then 1 if it converged, else 0,
/// then its exports. However it ends, its block was evaluated last at its final states, so that
/// exports are the values at these.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// The region's name, for people.
    pub name: String,
    /// The role that its unknowns have for whoever runs the program.
    pub role: RegionRole,
    /// Where each state starts: values visible around the region.
    pub initial: Vec<Value>,
    /// The current states inside the block.
    pub states: Vec<Value>,
    /// The values computed in each iteration, in order.
    pub block: Vec<Value>,
    /// The next value of each state.
    pub next: Vec<Value>,
    /// Residuals, which must become small.
    pub residuals: Vec<Value>,
    /// Values of the block that are read behind the region. There is no region in a block that
    /// exports: of several states in lanes, those that have ended do not run it again.
    pub exports: Vec<Value>,
    /// The tolerance of the residuals: a value visible around the region.
    pub tolerance: Value,
    /// Number of updates at most.
    pub limit: u32,
}

/// The role of the unknowns that a region finds. Every region is run alike; what is done when one
/// does not converge depends on the role.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegionRole {
    /// Unknowns of the program alone.
    #[default]
    Unknowns,
    /// Dependent coordinates, which close loops.
    LoopClosure,
    /// The place where a body touches another.
    Contact,
}

impl RegionRole {
    /// Every role.
    pub const ALL: [RegionRole; 3] =
        [RegionRole::Unknowns, RegionRole::LoopClosure, RegionRole::Contact];

    /// The word for it in the text form.
    pub const fn word(self) -> &'static str {
        match self {
            RegionRole::Unknowns => "unknowns",
            RegionRole::LoopClosure => "loop_closure",
            RegionRole::Contact => "contact",
        }
    }
}

/// A result of a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionResult {
    /// The final value of a state.
    State(Value),
    /// The number of updates.
    Iterations,
    /// 1 if the region converged, else 0.
    Converged,
    /// The last value of something that the block computes.
    Export(Value),
}

impl Region {
    /// A result, by its index.
    pub fn result(&self, index: u32) -> Option<RegionResult> {
        let behind = (index as usize).checked_sub(self.states.len());
        match behind {
            None => self.states.get(index as usize).copied().map(RegionResult::State),
            Some(0) => Some(RegionResult::Iterations),
            Some(1) => Some(RegionResult::Converged),
            Some(at) => self.exports.get(at - 2).copied().map(RegionResult::Export),
        }
    }

    /// The index of the first result that is an export.
    pub const fn export_index(&self) -> u32 {
        self.states.len() as u32 + 2
    }

    /// All that is read where an iteration ends.
    pub fn ends(&self) -> impl Iterator<Item = &Value> {
        self.next.iter().chain(&self.residuals).chain(&self.exports)
    }

    /// The index of the result that is the number of updates made.
    pub const fn iterations_index(&self) -> u32 {
        self.states.len() as u32
    }

    /// The index of the result that is 1 if the region converged, else 0.
    pub const fn converged_index(&self) -> u32 {
        self.states.len() as u32 + 1
    }

    /// Returns `true` if a later state becomes an earlier one, so that the update is not the same
    /// when it is done state after state instead of all at once.
    pub fn update_overlaps(&self) -> bool {
        let position: FxHashMap<Value, usize> =
            self.states.iter().enumerate().map(|(k, &state)| (state, k)).collect();
        let earlier = |(k, next)| position.get(next).is_some_and(|&state| state < k);
        self.next.iter().enumerate().any(earlier)
    }

    /// Number of results that the region gives.
    pub const fn results(&self) -> u32 {
        self.export_index() + self.exports.len() as u32
    }
}

/// One entry of an output that is not a structural zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The row, from 0.
    pub row: u32,
    /// The column, from 0.
    pub column: u32,
    /// The number there.
    pub value: Value,
}

/// An output: a sparse matrix, or a vector if it has one column. Entries that are absent are zero.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramOutput {
    /// The output's name, unique among the outputs.
    pub name: String,
    /// Number of rows.
    pub rows: u32,
    /// Number of columns.
    pub columns: u32,
    /// `true` if the matrix is symmetric; then only entries with `row >= column` are given and each
    /// stands for its mirror image as well.
    pub symmetric: bool,
    /// The entries.
    pub entries: Vec<Entry>,
}

impl ProgramOutput {
    /// A vector of as many entries as there are values.
    pub fn vector(name: impl Into<String>, values: &[Value]) -> ProgramOutput {
        let mut output = ProgramOutput::sparse(name, values.len() as u32, 1);
        for (row, &value) in values.iter().enumerate() {
            output.set(row as u32, 0, value);
        }
        output
    }

    /// A matrix, zero so far.
    pub fn sparse(name: impl Into<String>, rows: u32, columns: u32) -> ProgramOutput {
        ProgramOutput { name: name.into(), rows, columns, symmetric: false, entries: Vec::new() }
    }

    /// A square symmetric matrix, zero so far.
    pub fn symmetric(name: impl Into<String>, size: u32) -> ProgramOutput {
        ProgramOutput { symmetric: true, ..ProgramOutput::sparse(name, size, size) }
    }

    /// Adds an entry. Of a symmetric matrix either of the two mirror images may be given, not both.
    pub fn set(&mut self, row: u32, column: u32, value: Value) {
        let (row, column) =
            if self.symmetric && row < column { (column, row) } else { (row, column) };
        self.entries.push(Entry { row, column, value });
    }

    /// Number of values that the output holds when written densely.
    pub const fn dense_len(&self) -> u64 {
        self.rows as u64 * self.columns as u64
    }
}

/// Where a statement is listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Block {
    /// Run once per change of the parameters.
    Setup,
    /// Run once per state: what functions of a [group](crate::group) share.
    Shared,
    /// Run at each evaluation.
    Body,
    /// Run at each iteration of a region.
    Region(RegionId),
}

impl Block {
    /// The stages, in the order in which they run. Whoever does the same to each of them goes
    /// through this list, so that a stage is added in one place.
    pub const STAGES: [Block; 3] = [Block::Setup, Block::Shared, Block::Body];

    /// Returns `true` if the statements of a stage may depend on inputs of a kind: what `shared`
    /// computes holds for a state, whose accelerations, efforts and inputs may still change.
    pub const fn may_read(self, kind: Kind) -> bool {
        match self {
            Block::Setup => matches!(kind, Kind::Parameter),
            Block::Shared => match kind {
                Kind::Parameter | Kind::Time | Kind::Coordinate | Kind::Velocity | Kind::State => {
                    true
                }
                Kind::Acceleration
                | Kind::Effort
                | Kind::Input
                | Kind::Direction
                | Kind::Weight
                | Kind::Shared => false,
            },
            Block::Body | Block::Region(_) => true,
        }
    }

    /// The title of a stage in the text form; that of a region for what lies in one.
    pub const fn title(self) -> &'static str {
        match self {
            Block::Setup => "setup",
            Block::Shared => "shared",
            Block::Body => "body",
            Block::Region(_) => "region",
        }
    }
}

/// A program. See the [crate] documentation.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) name: String,
    pub(crate) inputs: Vec<ProgramInput>,
    pub(crate) input_values: Vec<Value>,
    pub(crate) functions: Vec<ForeignSignature>,
    pub(crate) operations: Vec<Operation>,
    pub(crate) arguments: Vec<Value>,
    /// The statements of each stage, in the order of [`Block::STAGES`].
    pub(crate) stages: [Vec<Value>; Block::STAGES.len()],
    pub(crate) regions: Vec<Region>,
    pub(crate) outputs: Vec<ProgramOutput>,
    pub(crate) marks: Vec<Mark>,
    pub(crate) names: FxHashMap<Value, Box<str>>,
    // Seeded, because a hostile text chooses the keys; its order is never used, so the seed cannot
    // show.
    pub(crate) constants: HashMap<u64, Value>,
}

/// Building.
impl Program {
    /// A program without inputs, statements and outputs.
    pub fn new(name: impl Into<String>) -> Program {
        Program {
            name: name.into(),
            inputs: Vec::new(),
            input_values: Vec::new(),
            functions: Vec::new(),
            operations: Vec::new(),
            arguments: Vec::new(),
            stages: Default::default(),
            regions: Vec::new(),
            outputs: Vec::new(),
            marks: Vec::new(),
            names: FxHashMap::default(),
            constants: HashMap::new(),
        }
    }

    /// Declares an input and gives its value.
    pub fn input(&mut self, name: impl Into<String>, kind: Kind) -> Value {
        let id = InputId::new(self.inputs.len());
        self.inputs.push(ProgramInput { name: name.into(), kind });
        let value = self.make(Operation::Input(id));
        self.input_values.push(value);
        value
    }

    /// Declares an external function.
    pub fn function(&mut self, function: ForeignSignature) -> FunctionId {
        self.functions.push(function);
        FunctionId::new(self.functions.len() - 1)
    }

    /// The value of a number; numbers with equal bits are one value.
    pub fn constant(&mut self, number: f64) -> Value {
        if let Some(&value) = self.constants.get(&number.to_bits()) {
            return value;
        }
        let value = self.make(Operation::Constant(number));
        self.constants.insert(number.to_bits(), value);
        value
    }

    /// Appends a statement to a block. Leaves ([`Operation::is_leaf`]) are not statements; regions
    /// are appended by [`Program::close`].
    pub fn push(&mut self, block: Block, operation: Operation) -> Value {
        let value = self.make(operation);
        self.block_mut(block).push(value);
        value
    }

    /// Appends a call to a block. The value is a tuple; [`Program::result`] picks from it.
    pub fn call(&mut self, block: Block, function: FunctionId, arguments: &[Value]) -> Value {
        let arguments = self.pool(arguments);
        self.push(block, Operation::Call { function, arguments })
    }

    /// Appends the pick of one result of a call or of a region.
    pub fn result(&mut self, block: Block, of: Value, index: u32) -> Value {
        self.push(block, Operation::Result { of, index })
    }

    /// Opens a region: its states exist from now on, its block can be filled, and
    /// [`Program::close`] puts it into the block around it.
    pub fn region(
        &mut self,
        role: RegionRole,
        name: impl Into<String>,
        initial: &[Value],
        tolerance: Value,
        limit: u32,
    ) -> RegionId {
        let id = RegionId::new(self.regions.len());
        let states =
            (0..initial.len()).map(|k| self.make(Operation::State(id, k as u32))).collect();
        self.regions.push(Region {
            name: name.into(),
            role,
            initial: initial.to_vec(),
            states,
            block: Vec::new(),
            next: Vec::new(),
            residuals: Vec::new(),
            exports: Vec::new(),
            tolerance,
            limit,
        });
        id
    }

    /// Closes a region and appends it to the block around it. The value is a tuple: the final
    /// states, the number of iterations, whether it converged, and what is [exported](Program::export).
    pub fn close(
        &mut self,
        around: Block,
        region: RegionId,
        next: &[Value],
        residuals: &[Value],
    ) -> Value {
        let inside = &mut self.regions[region.index()];
        inside.next = next.to_vec();
        inside.residuals = residuals.to_vec();
        self.push(around, Operation::Region(region))
    }

    /// Adds an export to a region; gives the index of the result.
    pub fn export(&mut self, region: RegionId, value: Value) -> u32 {
        let region = &mut self.regions[region.index()];
        region.exports.push(value);
        region.results() - 1
    }

    /// This program with the tolerances of the regions of a role multiplied. Tolerances that are
    /// computed stay.
    #[must_use]
    pub fn loosened(&self, factor: f64, role: RegionRole) -> Program {
        let mut program = self.clone();
        for at in 0..program.regions.len() {
            let region = &program.regions[at];
            if let Operation::Constant(number) = program.operations[region.tolerance.index()]
                && region.role == role
            {
                program.regions[at].tolerance = program.constant(factor * number);
            }
        }
        program
    }

    /// Adds an output.
    pub fn output(&mut self, output: ProgramOutput) -> OutputId {
        self.outputs.push(output);
        OutputId::new(self.outputs.len() - 1)
    }

    /// Names a value, for people. Two values may have the same name.
    pub fn set_name(&mut self, value: Value, name: impl Into<Box<str>>) {
        self.names.insert(value, name.into());
    }

    /// Renames the program.
    pub fn rename(&mut self, name: impl Into<String>) {
        self.name = name.into();
    }

    /// Renames the outputs, in their order.
    pub fn rename_outputs(&mut self, names: impl IntoIterator<Item = String>) {
        self.outputs.iter_mut().zip(names).for_each(|(output, name)| output.name = name);
    }

    /// Adds an operation to the arena, without listing it.
    pub(crate) fn make(&mut self, operation: Operation) -> Value {
        self.operations.push(operation);
        Value::new(self.operations.len() - 1)
    }

    /// Adds arguments to the pool.
    pub(crate) fn pool(&mut self, arguments: &[Value]) -> Arguments {
        let start = self.arguments.len() as u32;
        self.arguments.extend_from_slice(arguments);
        Arguments { start, len: arguments.len() as u32 }
    }

    /// The statements of a block, to change.
    pub(crate) fn block_mut(&mut self, block: Block) -> &mut Vec<Value> {
        match block {
            Block::Setup => &mut self.stages[0],
            Block::Shared => &mut self.stages[1],
            Block::Body => &mut self.stages[2],
            Block::Region(region) => &mut self.regions[region.index()].block,
        }
    }
}

/// Reading.
impl Program {
    /// The program's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All inputs, in the order in which a caller gives them.
    pub fn inputs(&self) -> &[ProgramInput] {
        &self.inputs
    }

    /// The value of an input.
    pub fn input_value(&self, input: InputId) -> Value {
        self.input_values[input.index()]
    }

    /// All external functions.
    pub fn functions(&self) -> &[ForeignSignature] {
        &self.functions
    }

    /// All outputs.
    pub fn outputs(&self) -> &[ProgramOutput] {
        &self.outputs
    }

    /// All regions, in any order; a statement of a block says where each of them runs.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// One region.
    pub fn get_region(&self, region: RegionId) -> &Region {
        &self.regions[region.index()]
    }

    /// One external function.
    pub fn get_function(&self, function: FunctionId) -> &ForeignSignature {
        &self.functions[function.index()]
    }

    /// Number of values; they are numbered from 0.
    pub fn len(&self) -> usize {
        self.operations.len()
    }

    /// Returns `true` if there is no value at all.
    pub fn is_empty(&self) -> bool {
        self.operations.is_empty()
    }

    /// The operation that makes a value.
    pub fn operation(&self, value: Value) -> Operation {
        self.operations[value.index()]
    }

    /// The arguments of a call.
    pub fn arguments(&self, arguments: Arguments) -> &[Value] {
        let start = arguments.start as usize;
        // A range of another program's pool may lie outside; the verifier then counts too few.
        self.arguments.get(start..start + arguments.len as usize).unwrap_or(&[])
    }

    /// The statements of a block, in the order of execution.
    pub fn block(&self, block: Block) -> &[Value] {
        match block {
            Block::Setup => &self.stages[0],
            Block::Shared => &self.stages[1],
            Block::Body => &self.stages[2],
            Block::Region(region) => &self.regions[region.index()].block,
        }
    }

    /// All stages with their statements, in the order in which they run.
    pub fn stages(&self) -> impl Iterator<Item = (Block, &[Value])> {
        Block::STAGES.into_iter().map(|block| (block, self.block(block)))
    }

    /// The name of a value, if it has one.
    pub fn name_of(&self, value: Value) -> Option<&str> {
        self.names.get(&value).map(AsRef::as_ref)
    }

    /// The number that a value is, if it is a constant.
    pub fn number(&self, value: Value) -> Option<f64> {
        match self.operation(value) {
            Operation::Constant(number) => Some(number),
            _ => None,
        }
    }

    /// Number of results that a tuple has; none for a number.
    pub fn results(&self, value: Value) -> Option<u32> {
        match self.operation(value) {
            Operation::Call { function, .. } => {
                self.functions.get(function.index()).map(|function| function.results)
            }
            Operation::Region(region) => self.regions.get(region.index()).map(Region::results),
            _ => None,
        }
    }

    /// Calls `visit` with each value that a statement reads, in order. A region reads its initial
    /// states and its tolerance; the statements of the block inside have operands of their own.
    pub fn operands(&self, operation: Operation, mut visit: impl FnMut(Value)) {
        match operation {
            Operation::Constant(_) | Operation::Input(_) | Operation::State(..) => {}
            Operation::Neg(a) | Operation::Unary(_, a) => visit(a),
            Operation::Arithmetic(_, a, b) | Operation::Binary(_, a, b) => {
                visit(a);
                visit(b);
            }
            Operation::Select { left, right, then, otherwise, .. } => {
                [left, right, then, otherwise].into_iter().for_each(visit);
            }
            Operation::Call { arguments, .. } => {
                self.arguments(arguments).iter().copied().for_each(visit);
            }
            Operation::Region(region) => {
                if let Some(region) = self.regions.get(region.index()) {
                    region.initial.iter().copied().for_each(&mut visit);
                    visit(region.tolerance);
                }
            }
            Operation::Result { of, .. } => visit(of),
        }
    }

    /// For each input, whether anything is computed from it.
    pub fn used_inputs(&self) -> Vec<bool> {
        let mut used = vec![false; self.operations.len()];
        let mut mark = |value: Value| used[value.index()] = true;
        self.operations.iter().for_each(|&operation| self.operands(operation, &mut mark));
        for region in &self.regions {
            region.ends().copied().for_each(&mut mark);
        }
        self.outputs.iter().flat_map(|one| &one.entries).for_each(|entry| mark(entry.value));
        self.input_values.iter().map(|value| used[value.index()]).collect()
    }

    /// Number of values that all outputs hold when written densely, one after the other, by rows.
    pub fn output_len(&self) -> usize {
        self.outputs.iter().map(|output| output.dense_len() as usize).sum()
    }

    /// Where an output lies among the numbers of all outputs.
    pub fn output_range(&self, output: OutputId) -> Range<usize> {
        let before = &self.outputs[..output.index()];
        let start = before.iter().map(|output| output.dense_len() as usize).sum::<usize>();
        start..start + self.outputs[output.index()].dense_len() as usize
    }
}
