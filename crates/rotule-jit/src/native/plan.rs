//! The plan of native code, in order: statements of one stage with everything that the allocation
//! of registers must know about the future of each operand.
//!
//! Calls of functions cost every register, so they are gathered: between two regions or external
//! calls, first what the arguments of calls need, then all calls that can be made, and so on, then
//! the rest.

use super::uses::{Fused, Uses};
use rotule_program::{Block, Operation, Picks, Program, RegionId, Step as Walked, Value, steps};
use rotule_symbolic::{Binary, Unary};

/// No position: a value that is not read again.
pub const NEVER: u32 = u32::MAX;

/// A function that native code calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Helper {
    /// A function of one argument.
    Unary(Unary),
    /// A function of two arguments.
    Binary(Binary),
    /// Sine and cosine of one argument, or one of the two.
    SinCos,
}

/// A call of a function, with up to two arguments and up to two results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    /// The called routine.
    pub helper: Helper,
    /// Its arguments.
    pub arguments: [Option<Value>; 2],
    /// Its results.
    pub results: [Option<Value>; 2],
}

/// The action of one step.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Computes one value by instructions.
    Plain(Value),
    /// Makes a few calls, none of which needs another.
    Calls(Vec<Call>),
    /// Calls a foreign function.
    External(Value),
    /// Begins a region.
    Enter(Value, RegionId),
    /// Ends a region: tests, updates, repeats.
    Leave(Value, RegionId),
}

impl Kind {
    /// Returns `true` if no register survives the step.
    pub fn is_barrier(&self) -> bool {
        !matches!(self, Kind::Plain(_))
    }
}

/// A value that a step reads, and where it is read next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operand {
    /// The value.
    pub value: Value,
    /// The position of the next step that reads it.
    pub after: u32,
}

/// The steps of a stage.
pub struct Plan {
    /// The steps in order.
    pub steps: Vec<Kind>,
    /// Where the operands of each step begin, and one number more.
    start: Vec<u32>,
    operands: Vec<Operand>,
    /// Where each value is first read.
    pub first: Vec<u32>,
    /// For each step the first barrier after it.
    pub barrier: Vec<u32>,
}

impl Plan {
    /// Plans a stage of a valid program.
    pub fn of(program: &Program, picks: &Picks, uses: &Uses, block: Block) -> Plan {
        let steps = order(program, uses, block);
        let (start, mut operands) = read(program, picks, uses, &steps);
        let mut next = vec![NEVER; program.len()];
        let mut barrier = vec![NEVER; steps.len()];
        let mut ahead = NEVER;
        for p in (0..steps.len()).rev() {
            barrier[p] = ahead;
            if steps[p].is_barrier() {
                ahead = p as u32;
            }
            let own = &mut operands[start[p] as usize..start[p + 1] as usize];
            own.iter_mut().for_each(|operand| operand.after = next[operand.value.index()]);
            own.iter().for_each(|operand| next[operand.value.index()] = p as u32);
        }
        Plan { steps, start, operands, first: next, barrier }
    }

    /// Operands of a step.
    pub fn operands(&self, step: usize) -> &[Operand] {
        &self.operands[self.start[step] as usize..self.start[step + 1] as usize]
    }
}

/// The values that a plain statement or a call of a function reads.
pub fn operands_of(program: &Program, uses: &Uses, value: Value, visit: &mut impl FnMut(Value)) {
    match (program.operation(value), uses.fused[value.index()]) {
        (Operation::Arithmetic(_, a, b), fused @ (Fused::Left | Fused::Right)) => {
            let (product, addend) = if fused == Fused::Left { (a, b) } else { (b, a) };
            program.operands(program.operation(product), &mut *visit);
            visit(addend);
        }
        (operation, _) => program.operands(operation, visit),
    }
}

/// The function that computes a value, if it is not computed by instructions.
fn helper(operation: Operation) -> Option<Helper> {
    match operation {
        Operation::Unary(Unary::Sqrt | Unary::Abs | Unary::Sign | Unary::Floor, _)
        | Operation::Binary(Binary::Min | Binary::Max, ..) => None,
        Operation::Unary(Unary::Sin | Unary::Cos, _) => Some(Helper::SinCos),
        Operation::Unary(function, _) => Some(Helper::Unary(function)),
        Operation::Binary(function, ..) => Some(Helper::Binary(function)),
        _ => None,
    }
}

/// The steps in order, calls gathered.
fn order(program: &Program, uses: &Uses, block: Block) -> Vec<Kind> {
    let mut gatherer = Gatherer {
        program,
        uses,
        segment: Vec::new(),
        depth: vec![0; program.len()],
        needed: vec![NEVER; program.len()],
        place: vec![0; program.len()],
        segments: 0,
        steps: Vec::new(),
    };
    for step in steps(program, block) {
        match step {
            Walked::Statement(value) => match program.operation(value) {
                Operation::Result { .. } => {}
                Operation::Call { .. } => gatherer.barrier(Kind::External(value)),
                _ if uses.needed(value) && !uses.absorbed[value.index()] => {
                    gatherer.segment.push(value);
                }
                _ => {}
            },
            Walked::Enter(value, region) => gatherer.barrier(Kind::Enter(value, region)),
            Walked::Leave(value, region) => gatherer.barrier(Kind::Leave(value, region)),
        }
    }
    gatherer.flush();
    gatherer.steps
}

/// Gathers the calls of a run of statements between two barriers.
struct Gatherer<'a> {
    program: &'a Program,
    uses: &'a Uses,
    segment: Vec<Value>,
    /// Length of the chain of calls before a value can be computed.
    depth: Vec<u32>,
    /// The least depth of the calls that need a value.
    needed: Vec<u32>,
    /// In which segment a value is computed.
    place: Vec<u32>,
    segments: u32,
    steps: Vec<Kind>,
}

impl Gatherer<'_> {
    fn barrier(&mut self, kind: Kind) {
        self.flush();
        self.steps.push(kind);
    }

    fn flush(&mut self) {
        let segment = std::mem::take(&mut self.segment);
        let (program, uses) = (self.program, self.uses);
        let calls = |value: Value| helper(program.operation(value)).is_some();
        if !segment.iter().any(|&value| calls(value)) {
            self.steps.extend(segment.into_iter().map(Kind::Plain));
            return;
        }
        self.segments += 1;
        let here = self.segments;
        let mut levels = 0;
        for &value in &segment {
            let mut depth = 0;
            operands_of(program, uses, value, &mut |operand| {
                if self.place[operand.index()] == here {
                    depth = depth.max(self.depth[operand.index()] + u32::from(calls(operand)));
                }
            });
            self.depth[value.index()] = depth;
            self.place[value.index()] = here;
            if calls(value) {
                levels = levels.max(depth + 1);
            }
        }
        for &value in segment.iter().rev() {
            let k = value.index();
            let level = if calls(value) { self.depth[k] } else { self.needed[k] };
            operands_of(program, uses, value, &mut |operand| {
                let needed = &mut self.needed[operand.index()];
                *needed = level.min(*needed);
            });
        }
        // What nothing calls for comes last.
        let mut plain: Vec<Vec<Value>> = vec![Vec::new(); levels as usize + 1];
        let mut called: Vec<Vec<Value>> = vec![Vec::new(); levels as usize + 1];
        for &value in &segment {
            let k = value.index();
            if calls(value) {
                called[self.depth[k] as usize].push(value);
            } else {
                plain[self.needed[k].min(levels) as usize].push(value);
            }
            // Inputs, constants and values of other segments keep what was noted; that is never
            // read.
        }
        for (plain, called) in plain.into_iter().zip(called) {
            self.steps.extend(plain.into_iter().map(Kind::Plain));
            if !called.is_empty() {
                self.steps.push(Kind::Calls(pair(program, called)));
            }
        }
    }
}

/// Calls of some values, the sine and the cosine of one argument in one.
fn pair(program: &Program, values: Vec<Value>) -> Vec<Call> {
    let mut calls: Vec<Call> = Vec::new();
    let mut circular = Vec::new();
    for value in values {
        let operation = program.operation(value);
        if let Operation::Unary(Unary::Sin | Unary::Cos, angle) = operation {
            circular.push((angle, value));
            continue;
        }
        let mut arguments = [None; 2];
        let mut k = 0;
        program.operands(operation, |operand| {
            arguments[k] = Some(operand);
            k += 1;
        });
        if let Some(helper) = helper(operation) {
            calls.push(Call { helper, arguments, results: [Some(value), None] });
        }
    }
    let is_sine = |value| matches!(program.operation(value), Operation::Unary(Unary::Sin, _));
    circular.sort_unstable_by_key(|&(angle, value)| (angle, !is_sine(value), value));
    let mut rest = circular.as_slice();
    while let [(angle, first), tail @ ..] = rest {
        rest = tail;
        let results = match tail {
            [(other, second), tail @ ..]
                if other == angle && is_sine(*first) && !is_sine(*second) =>
            {
                rest = tail;
                [Some(*first), Some(*second)]
            }
            _ if is_sine(*first) => [Some(*first), None],
            _ => [None, Some(*first)],
        };
        calls.push(Call { helper: Helper::SinCos, arguments: [Some(*angle), None], results });
    }
    calls
}

/// Operands of each step. A region reads what it needs from outside again in each iteration, so
/// that all of this is read once more where it ends.
fn read(program: &Program, picks: &Picks, uses: &Uses, steps: &[Kind]) -> (Vec<u32>, Vec<Operand>) {
    let mut reader = Reader {
        operands: Vec::new(),
        depth: vec![NEVER; program.len()],
        noted: vec![NEVER; program.len()],
        open: Vec::new(),
    };
    let mut start = Vec::with_capacity(steps.len() + 1);
    for kind in steps {
        start.push(reader.operands.len() as u32);
        match kind {
            Kind::Plain(value) => {
                operands_of(program, uses, *value, &mut |operand| reader.read(operand));
                reader.define(*value);
            }
            Kind::Calls(calls) => {
                for call in calls {
                    call.arguments.iter().flatten().for_each(|&argument| reader.read(argument));
                }
                for call in calls {
                    call.results.iter().flatten().for_each(|&result| reader.define(result));
                }
            }
            Kind::External(value) => {
                program.operands(program.operation(*value), |operand| reader.read(operand));
                picks.from_tuple(*value).iter().for_each(|&(_, pick)| reader.define(pick));
            }
            Kind::Enter(value, id) => {
                program.operands(program.operation(*value), |operand| reader.read(operand));
                reader.open.push((id.index() as u32, Vec::new()));
                let region = program.get_region(*id);
                region.states.iter().for_each(|&state| reader.define(state));
            }
            Kind::Leave(value, id) => {
                let region = program.get_region(*id);
                let ends = region.ends().chain(&region.states);
                ends.for_each(|&operand| reader.read(operand));
                reader.read(region.tolerance);
                let (_, outside) = reader.open.pop().unwrap_or_default();
                outside.into_iter().for_each(|operand| reader.read(operand));
                picks.from_tuple(*value).iter().for_each(|&(_, pick)| reader.define(pick));
            }
        }
    }
    start.push(reader.operands.len() as u32);
    (start, reader.operands)
}

struct Reader {
    operands: Vec<Operand>,
    /// Number of regions around the definition; never for what is always there.
    depth: Vec<u32>,
    /// The innermost region that noted a value.
    noted: Vec<u32>,
    /// The open regions, each with what it reads from outside.
    open: Vec<(u32, Vec<Value>)>,
}

impl Reader {
    fn define(&mut self, value: Value) {
        self.depth[value.index()] = self.open.len() as u32;
    }

    fn read(&mut self, value: Value) {
        self.operands.push(Operand { value, after: NEVER });
        let k = value.index();
        let depth = self.open.len() as u32;
        if let Some((region, outside)) = self.open.last_mut()
            && self.depth[k] < depth
            && self.noted[k] != *region
        {
            self.noted[k] = *region;
            outside.push(value);
        }
    }
}
