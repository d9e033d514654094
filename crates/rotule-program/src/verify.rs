//! The verifier: what must hold of every program before anyone runs, rewrites or prints it as code.
//!
//! It finds all problems, not the first; it never panics, whatever the program, and takes linear
//! time but for the sorting of output entries.

use crate::error::{ProgramError, Site};
use crate::index::{FunctionId, InputId, MarkId, OutputId, RegionId, Value};
use crate::limits;
use crate::operation::Operation;
use crate::program::{Block, Program, ProgramOutput};
use crate::walk::{Step, steps};
use std::collections::HashMap;

/// Checks a program; gives every problem, in the order of the program.
pub fn verify(program: &Program) -> Result<(), Vec<ProgramError>> {
    let mut verifier = Verifier {
        program,
        problems: Vec::new(),
        visible: vec![false; program.len()],
        listed: vec![false; program.len()],
    };
    verifier.declarations();
    verifier.leaves();
    verifier.blocks();
    verifier.lists();
    verifier.outputs();
    verifier.marks();
    if verifier.problems.is_empty() { Ok(()) } else { Err(verifier.problems) }
}

struct Verifier<'a> {
    program: &'a Program,
    problems: Vec<ProgramError>,
    visible: Vec<bool>,
    listed: Vec<bool>,
}

impl<'a> Verifier<'a> {
    fn names(&mut self, names: impl Iterator<Item = (Site, &'a String)>) {
        let mut seen = HashMap::new();
        for (at, name) in names {
            if seen.insert(name, ()).is_some() {
                self.problems.push(ProgramError::SameName { at, name: name.clone() });
            }
            self.name(at, name);
        }
    }

    fn name(&mut self, at: Site, name: &str) {
        if name.len() > limits::NAME_BYTES {
            self.problems.push(ProgramError::NameTooLong { at, bytes: name.len() });
        }
    }

    fn declarations(&mut self) {
        let program = self.program;
        self.name(Site::Program, &program.name);
        let inputs = program.inputs.iter().enumerate();
        self.names(inputs.map(|(k, input)| (Site::Input(InputId::new(k)), &input.name)));
        let functions = program.functions.iter().enumerate();
        self.names(functions.map(|(k, f)| (Site::Function(FunctionId::new(k)), &f.name)));
        let outputs = program.outputs.iter().enumerate();
        self.names(outputs.map(|(k, output)| (Site::Output(OutputId::new(k)), &output.name)));

        if program.len() > limits::VALUES {
            self.problems.push(ProgramError::TooManyValues { values: program.len() });
        }
        for (k, declared) in program.functions.iter().enumerate() {
            let function = FunctionId::new(k);
            let (arguments, results) = (declared.arguments, declared.results);
            if arguments.max(results) > limits::FUNCTION_WIDTH {
                self.problems.push(ProgramError::FunctionTooWide { function, arguments, results });
            }
            let Some(partner) = declared.derivative_of else { continue };
            if partner.of >= function {
                self.problems.push(ProgramError::NoSuchBase { function, base: partner.of });
                continue;
            }
            let base = program.get_function(partner.of);
            let times = 1 + u64::from(partner.directions);
            let arguments = (arguments, times * u64::from(base.arguments));
            let results = (results, times * u64::from(base.results));
            if u64::from(arguments.0) != arguments.1 || u64::from(results.0) != results.1 {
                self.problems.push(ProgramError::PartnerShape { function, arguments, results });
            }
        }
    }

    /// Inputs and constants are visible everywhere; states belong to their region.
    fn leaves(&mut self) {
        let program = self.program;
        for (k, &operation) in program.operations.iter().enumerate() {
            let value = Value::new(k);
            match operation {
                Operation::Constant(_) => self.visible[k] = true,
                Operation::Input(input) if program.input_values.get(input.index()).is_none() => {
                    let (what, index) = ("input", input.index());
                    self.problems.push(ProgramError::NoSuchItem { at: value, what, index });
                }
                Operation::Input(input) => {
                    self.visible[k] = true;
                    if program.input_value(input) != value {
                        self.problems.push(ProgramError::WrongInput { input });
                    }
                }
                Operation::State(region, index) => {
                    let region = program.regions.get(region.index());
                    let state = region.and_then(|region| region.states.get(index as usize));
                    if state != Some(&value) {
                        self.problems.push(ProgramError::WrongState { value });
                    }
                }
                _ => {}
            }
        }
        for (k, region) in program.regions.iter().enumerate() {
            for (index, &value) in region.states.iter().enumerate() {
                let expected = Operation::State(RegionId::new(k), index as u32);
                if program.operations.get(value.index()) != Some(&expected) {
                    self.problems.push(ProgramError::WrongState { value });
                }
            }
        }
        let long = |name: &str| name.len() > limits::NAME_BYTES;
        let named = program.names.iter();
        let mut named: Vec<_> = named.filter(|(_, name)| long(name)).collect();
        named.sort();
        for (&value, name) in named {
            self.name(Site::Value(value), name);
        }
    }

    /// Walks the blocks in the order of execution.
    fn blocks(&mut self) {
        for block in Block::STAGES {
            // The values that each open region made visible.
            let mut open: Vec<Vec<Value>> = Vec::new();
            for step in steps(self.program, block) {
                self.step(step, block, &mut open);
            }
        }
    }

    fn step(&mut self, step: Step, stage: Block, open: &mut Vec<Vec<Value>>) {
        match step {
            Step::Statement(value) => {
                self.statement(value, stage);
                self.show(value, open.last_mut());
            }
            Step::Enter(value, id) => {
                self.statement(value, stage);
                let depth = open.len() + 1;
                if depth > limits::REGION_DEPTH {
                    self.problems.push(ProgramError::TooDeep { region: id, depth });
                }
                let mut inside = Vec::new();
                for &state in &self.program.get_region(id).states {
                    self.show(state, Some(&mut inside));
                }
                open.push(inside);
                self.region(id);
            }
            Step::Leave(value, id) => {
                let region = self.program.get_region(id);
                let at = Site::Region(id);
                for &operand in region.ends() {
                    self.operand(at, operand, stage);
                    self.scalar(at, operand);
                }
                for hidden in open.pop().unwrap_or_default() {
                    self.visible[hidden.index()] = false;
                }
                let inner = |value: &Value| {
                    matches!(self.program.operations.get(value.index()), Some(Operation::Region(_)))
                };
                if !region.exports.is_empty() && region.block.iter().any(inner) {
                    self.problems.push(ProgramError::ExportsAroundRegion { region: id });
                }
                self.show(value, open.last_mut());
            }
        }
    }

    fn show(&mut self, value: Value, scope: Option<&mut Vec<Value>>) {
        if let Some(visible @ false) = self.visible.get_mut(value.index()) {
            *visible = true;
            if let Some(scope) = scope {
                scope.push(value);
            }
        }
    }

    fn region(&mut self, id: RegionId) {
        let region = self.program.get_region(id);
        self.name(Site::Region(id), &region.name);
        let (states, initial) = (region.states.len(), region.initial.len());
        let next = region.next.len();
        if states != initial || states != next {
            self.problems.push(ProgramError::StateCount { region: id, states, initial, next });
        }
        if region.limit > limits::REGION_ITERATIONS {
            let limit = region.limit;
            self.problems.push(ProgramError::TooManyIterations { region: id, limit });
        }
    }

    /// Checks one listed statement and what it reads.
    fn statement(&mut self, value: Value, stage: Block) {
        let program = self.program;
        let at = Site::Value(value);
        let Some(&operation) = program.operations.get(value.index()) else {
            self.problems.push(ProgramError::NoSuchValue { at, operand: value });
            return;
        };
        if std::mem::replace(&mut self.listed[value.index()], true) {
            self.problems.push(ProgramError::ListedTwice { value });
            return;
        }
        if operation.is_leaf() {
            self.problems.push(ProgramError::LeafListed { value });
            return;
        }
        program.operands(operation, |operand| self.operand(at, operand, stage));
        match operation {
            Operation::Result { of, index } => match program.operations.get(of.index()) {
                Some(tuple) if tuple.is_tuple() => {
                    let results = program.results(of).unwrap_or(0);
                    if index >= results {
                        self.problems.push(ProgramError::NoSuchResult {
                            at: value,
                            index,
                            results,
                        });
                    }
                }
                Some(_) => self.problems.push(ProgramError::NotATuple { at: value, operand: of }),
                None => {}
            },
            Operation::Region(region) if program.regions.get(region.index()).is_none() => {
                let (what, index) = ("region", region.index());
                self.problems.push(ProgramError::NoSuchItem { at: value, what, index });
            }
            Operation::Call { function, arguments } => {
                match program.functions.get(function.index()) {
                    Some(declared) => {
                        let found = program.arguments(arguments).len();
                        let expected = declared.arguments;
                        if found != expected as usize {
                            self.problems.push(ProgramError::ArgumentCount {
                                at: value,
                                found,
                                expected,
                            });
                        }
                    }
                    None => {
                        let (what, index) = ("function", function.index());
                        self.problems.push(ProgramError::NoSuchItem { at: value, what, index });
                    }
                }
                program.operands(operation, |operand| self.scalar(at, operand));
            }
            _ => program.operands(operation, |operand| self.scalar(at, operand)),
        }
    }

    /// Checks that an operand exists, is visible and may be read in a stage.
    fn operand(&mut self, at: Site, operand: Value, stage: Block) {
        let problem = match self.visible.get(operand.index()) {
            None => ProgramError::NoSuchValue { at, operand },
            Some(false) => ProgramError::NotVisible { at, operand },
            Some(true) => match self.program.operation(operand) {
                Operation::Input(input) => {
                    let kind = self.program.inputs[input.index()].kind;
                    if stage.may_read(kind) {
                        return;
                    }
                    ProgramError::NotOfStage { at, input, kind, stage: stage.title() }
                }
                _ => return,
            },
        };
        self.problems.push(problem);
    }

    fn scalar(&mut self, at: Site, operand: Value) {
        let operation = self.program.operations.get(operand.index());
        if operation.is_some_and(|operation| operation.is_tuple()) {
            self.problems.push(ProgramError::NotANumber { at, operand });
        }
    }

    /// Every statement is in a block and every region is run once.
    fn lists(&mut self) {
        let program = self.program;
        let mut uses = vec![0; program.regions.len()];
        for (k, &operation) in program.operations.iter().enumerate() {
            if !operation.is_leaf() && !self.listed[k] {
                self.problems.push(ProgramError::NotListed { value: Value::new(k) });
            }
            if let Operation::Region(region) = operation
                && let Some(uses) = uses.get_mut(region.index())
            {
                *uses += 1;
            }
        }
        for (k, uses) in uses.into_iter().enumerate().filter(|&(_, uses)| uses != 1) {
            self.problems.push(ProgramError::RegionUses { region: RegionId::new(k), uses });
        }
    }

    fn outputs(&mut self) {
        let program = self.program;
        let mut numbers = 0_u64;
        for (k, output) in program.outputs.iter().enumerate() {
            numbers = numbers.saturating_add(output.dense_len());
            self.output(OutputId::new(k), output);
        }
        if numbers > limits::OUTPUT_NUMBERS {
            self.problems.push(ProgramError::OutputsTooLarge { numbers });
        }
    }

    /// Marks are on statements, wherever these are listed; no other value is computed.
    fn marks(&mut self) {
        let program = self.program;
        if program.marks.len() > limits::MARKS {
            self.problems.push(ProgramError::TooManyMarks { marks: program.marks.len() });
        }
        let mut tags = HashMap::new();
        // The last mark that has each value.
        let mut last: Vec<Option<MarkId>> = vec![None; program.len()];
        for (k, mark) in program.marks.iter().enumerate() {
            let (id, at) = (MarkId::new(k), Site::Mark(MarkId::new(k)));
            self.name(at, &mark.tag.name);
            if tags.insert(&mark.tag, ()).is_some() {
                self.problems.push(ProgramError::SameName { at, name: mark.tag.name.clone() });
            }
            for &value in &mark.values {
                let Some(operation) = program.operations.get(value.index()) else {
                    self.problems.push(ProgramError::NoSuchValue { at, operand: value });
                    continue;
                };
                if operation.is_leaf() {
                    self.problems.push(ProgramError::LeafMarked { mark: id, value });
                }
                if last[value.index()].replace(id) == Some(id) {
                    self.problems.push(ProgramError::MarkedTwice { mark: id, value });
                }
            }
        }
    }

    fn output(&mut self, id: OutputId, declared: &ProgramOutput) {
        let ProgramOutput { rows, columns, symmetric, .. } = *declared;
        if symmetric && rows != columns {
            self.problems.push(ProgramError::NotSquare { output: id, rows, columns });
        }
        for entry in &declared.entries {
            let (row, column) = (entry.row, entry.column);
            if row >= rows || column >= columns {
                let problem = ProgramError::OutsideShape { output: id, row, column, rows, columns };
                self.problems.push(problem);
            }
            if symmetric && row < column {
                self.problems.push(ProgramError::AboveDiagonal { output: id, row, column });
            }
            self.operand(Site::Output(id), entry.value, Block::Body);
            self.scalar(Site::Output(id), entry.value);
        }
        let place = |k: usize| (declared.entries[k].row, declared.entries[k].column);
        // Entries mostly come in order, and then nothing needs sorting.
        if (1..declared.entries.len()).all(|k| place(k - 1) < place(k)) {
            return;
        }
        let mut places: Vec<_> = (0..declared.entries.len()).map(place).collect();
        places.sort_unstable();
        for pair in places.windows(2).filter(|pair| pair[0] == pair[1]) {
            let (row, column) = pair[0];
            self.problems.push(ProgramError::EntryTwice { output: id, row, column });
        }
    }
}
