//! Sums and products as lists, so that the order in which their parts were put together does not
//! matter.

use crate::index::Value;
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::{Block, Program};
use crate::walk::{Step, steps};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Sums and products have at most so many parts, so that a long chain of them takes linear time.
const LONGEST: usize = 16;

/// A body in which sums and products are lists.
pub(crate) struct Flat {
    /// Of each value, its node if it is an operation of `body` on numbers.
    nodes: Vec<Option<Node>>,
    parts: Vec<Part>,
    /// Readers of a value, as nodes that are not absorbed.
    readers: Vec<Value>,
    first_reader: Vec<u32>,
    /// Of each value, how often outputs give it.
    pub given: Vec<u32>,
}

/// An operation.
#[derive(Clone, Copy)]
pub(crate) struct Node {
    /// The tag of its operation: equal for equal operations.
    pub tag: u64,
    pub shape: Shape,
    start: u32,
    len: u32,
    /// Of a product: whether its opposite is meant.
    pub negative: bool,
    /// `true` if it is a part of another node and nothing else.
    pub absorbed: bool,
    /// One more than the greatest depth among its parts.
    pub depth: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    Sum,
    Product,
    Other,
}

/// An operand of a node.
#[derive(Clone, Copy)]
pub(crate) struct Part {
    pub value: Value,
    /// Of anything but a product: whether its opposite is meant.
    pub negative: bool,
}

/// Number of operations of a statement, the minus not counted.
pub(crate) fn weight(program: &Program, value: Value) -> u64 {
    match program.operation(value) {
        Operation::Arithmetic(..)
        | Operation::Unary(..)
        | Operation::Binary(..)
        | Operation::Select { .. } => 1,
        Operation::Region(region) => {
            let inside = |step| match step {
                Step::Statement(value) => u64::from(!program.operation(value).is_leaf()),
                _ => 0,
            };
            steps(program, Block::Region(region)).map(inside).sum()
        }
        _ => 0,
    }
}

/// Calls `visit` with all that a statement reads, and for a region with all that is read inside.
pub(crate) fn reads(program: &Program, value: Value, visit: &mut impl FnMut(Value)) {
    program.operands(program.operation(value), &mut *visit);
    if let Operation::Region(region) = program.operation(value) {
        let mut end = |region| {
            let region = program.get_region(region);
            region.ends().for_each(|&value| visit(value));
        };
        end(region);
        for step in steps(program, Block::Region(region)) {
            match step {
                Step::Statement(inner) | Step::Enter(inner, _) => {
                    program.operands(program.operation(inner), &mut *visit);
                }
                Step::Leave(_, inner) => {
                    let inner = program.get_region(inner);
                    inner.ends().for_each(|&value| visit(value));
                }
            }
        }
    }
}

/// A hash that is the same in every process.
pub(crate) fn hash(item: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    item.hash(&mut hasher);
    // The lower bits of a product are poor.
    hasher.finish().rotate_left(26) ^ 0x9e37_79b9_7f4a_7c15
}

impl Flat {
    pub fn of(program: &Program) -> Flat {
        let mut uses = vec![0_u32; program.len()];
        let mut given = vec![0_u32; program.len()];
        for &value in program.block(Block::Body) {
            reads(program, value, &mut |read| uses[read.index()] += 1);
        }
        for entry in program.outputs().iter().flat_map(|output| &output.entries) {
            given[entry.value.index()] += 1;
            uses[entry.value.index()] += 2;
        }
        let mut flat = Flat {
            nodes: vec![None; program.len()],
            parts: Vec::new(),
            readers: Vec::new(),
            first_reader: Vec::new(),
            given,
        };
        for &value in program.block(Block::Body) {
            flat.add(program, value, &uses);
        }
        flat.find_readers(program);
        flat
    }

    fn add(&mut self, program: &Program, value: Value, uses: &[u32]) {
        let operation = program.operation(value);
        let start = self.parts.len();
        let (mut negative, mut shape) = (false, Shape::Other);
        let tag = match operation {
            Operation::Arithmetic(ArithmeticOperation::Add | ArithmeticOperation::Sub, a, b) => {
                shape = Shape::Sum;
                let minus =
                    matches!(operation, Operation::Arithmetic(ArithmeticOperation::Sub, ..));
                self.absorb(program, a, false, shape, start, uses);
                self.absorb(program, b, minus, shape, start, uses);
                0
            }
            Operation::Arithmetic(ArithmeticOperation::Mul, a, b) => {
                shape = Shape::Product;
                negative ^= self.absorb(program, a, false, shape, start, uses);
                negative ^= self.absorb(program, b, false, shape, start, uses);
                1
            }
            Operation::Arithmetic(ArithmeticOperation::Div, ..)
            | Operation::Unary(..)
            | Operation::Binary(..)
            | Operation::Select { .. } => {
                program.operands(operation, |operand| {
                    let (mut value, mut negative) = (operand, false);
                    while let Operation::Neg(inner) = program.operation(value) {
                        (value, negative) = (inner, !negative);
                    }
                    self.parts.push(Part { value, negative });
                });
                let compare = match operation {
                    Operation::Select { compare, .. } => compare.sign(),
                    _ => "",
                };
                hash((operation.word(), compare))
            }
            _ => return,
        };
        let len = self.parts.len() - start;
        let depth = self.parts[start..].iter().map(|part| self.depth(part.value)).max();
        self.nodes[value.index()] = Some(Node {
            tag: hash((tag, len)),
            shape,
            start: start as u32,
            len: len as u32,
            negative,
            absorbed: false,
            depth: 1 + depth.unwrap_or(0),
        });
    }

    fn depth(&self, value: Value) -> u32 {
        self.nodes[value.index()].map_or(0, |node| node.depth)
    }

    /// Adds an operand to the node that begins at `start`: its parts, if it is of the same shape
    /// and read here only. Of a product, gives back whether the opposite is meant.
    fn absorb(
        &mut self,
        program: &Program,
        operand: Value,
        minus: bool,
        shape: Shape,
        start: usize,
        uses: &[u32],
    ) -> bool {
        let (mut value, mut minus) = (operand, minus);
        let mut once = uses[value.index()] == 1;
        while let Operation::Neg(inner) = program.operation(value) {
            value = inner;
            minus = !minus;
            once &= uses[value.index()] == 1;
        }
        if let Some(node) = self.nodes[value.index()]
            && node.shape == shape
            && once
            && self.parts.len() - start + (node.len as usize) < LONGEST
        {
            let inner = node.start as usize..(node.start + node.len) as usize;
            for at in inner {
                let part = self.parts[at];
                let negative = (shape == Shape::Sum && minus) ^ part.negative;
                self.parts.push(Part { negative, ..part });
            }
            if let Some(node) = &mut self.nodes[value.index()] {
                node.absorbed = true;
            }
            return minus ^ node.negative;
        }
        self.parts.push(Part { value, negative: shape == Shape::Sum && minus });
        minus
    }

    fn find_readers(&mut self, program: &Program) {
        let mut count = vec![0_u32; program.len() + 1];
        let body = program.block(Block::Body);
        let roots = || body.iter().copied().filter(|&value| self.root(value).is_some());
        for value in roots() {
            self.parts(value).iter().for_each(|part| count[part.value.index() + 1] += 1);
        }
        for at in 1..count.len() {
            count[at] += count[at - 1];
        }
        let mut next = count.clone();
        let mut readers = vec![Value::new(0); count.last().copied().unwrap_or(0) as usize];
        for value in roots() {
            for part in self.parts(value) {
                let place = &mut next[part.value.index()];
                readers[*place as usize] = value;
                *place += 1;
            }
        }
        self.readers = readers;
        self.first_reader = count;
    }

    /// The node of a value, unless it is a part of another.
    pub fn root(&self, value: Value) -> Option<Node> {
        self.nodes[value.index()].filter(|node| !node.absorbed)
    }

    /// The node of a value, be it a part of another or not.
    pub fn node(&self, value: Value) -> Option<Node> {
        self.nodes[value.index()]
    }

    pub fn parts(&self, value: Value) -> &[Part] {
        match self.nodes[value.index()] {
            Some(node) => &self.parts[node.start as usize..(node.start + node.len) as usize],
            None => &[],
        }
    }

    pub fn readers(&self, value: Value) -> &[Value] {
        let [from, to] =
            [value.index(), value.index() + 1].map(|at| self.first_reader[at] as usize);
        &self.readers[from..to]
    }
}
