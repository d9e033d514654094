//! Random programs for tests: a foreign library, random numbers, and a generator of valid programs.
//!
//! A program is made from a list of choices, so that a failing one shrinks with its list.

use rotule_program::RegionRole;
use rotule_program::{
    ArithmeticOperation, Block, Externals, ForeignSignature, FunctionId, Operation, Partner,
    Program, ProgramOutput, Tag, TagKind, Value, run_once,
};
use rotule_symbolic::{Binary, Compare, Kind, Unary};

/// A foreign library: each result is a weighted sum of the arguments.
pub struct Library;

impl Externals for Library {
    fn call(&mut self, function: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        for (k, result) in results.iter_mut().enumerate() {
            let weights = arguments.iter().enumerate();
            let sum: f64 = weights.map(|(j, x)| x * (j + k + 1) as f64 * 0.125).sum();
            *result = sum + function.name.len() as f64;
        }
    }
}

/// Numbers without end, the same for the same seed.
pub struct Random(pub u64);

impl Random {
    /// A number below `end`.
    pub fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    /// A number from -1 to 1.
    pub fn number(&mut self) -> f64 {
        self.below(2_000_001) as f64 / 1_000_000.0 - 1.0
    }

    /// Heads or tails.
    pub fn coin(&mut self) -> bool {
        self.below(2) == 1
    }
}

/// The outputs of a program.
pub fn run(program: &Program, inputs: &[f64]) -> Vec<f64> {
    run_once(program, inputs, &mut Library).expect("the program is valid")
}

/// Returns `true` if two lists of numbers agree bit by bit, one NaN being as good as another.
pub fn same_bits(a: &[f64], b: &[f64]) -> bool {
    let same = |(x, y): (&f64, &f64)| x.to_bits() == y.to_bits() || (x.is_nan() && y.is_nan());
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// Returns `true` if two lists of numbers agree but for the sign of zeros.
pub fn same_values(a: &[f64], b: &[f64]) -> bool {
    let same = |(x, y): (&f64, &f64)| x == y || (x.is_nan() && y.is_nan());
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// The range of a random program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Range {
    /// Everything.
    All,
    /// Nothing whose value depends on the sign of a zero.
    ZerosAlike,
}

/// Choices that run out end in zeros, which make the program end too.
struct Choices<'a> {
    rest: &'a [u16],
}

impl Choices<'_> {
    /// A number below `count`.
    fn below(&mut self, count: usize) -> usize {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        usize::from(first) % count
    }

    fn of(&mut self, values: &[Value]) -> Value {
        // Mostly recent values, so that programs are deep and not only wide.
        let reach = if self.below(3) == 0 { values.len() } else { values.len().min(6) };
        values[values.len() - 1 - self.below(reach)]
    }
}

struct Generator<'a> {
    choices: Choices<'a>,
    program: Program,
    functions: Vec<(FunctionId, usize)>,
    range: Range,
}

/// The inputs of every random program.
pub const INPUTS: [(&str, Kind); 6] = [
    ("m", Kind::Parameter),
    ("len[1].x", Kind::Parameter),
    ("t", Kind::Time),
    ("q", Kind::Coordinate),
    ("odd name", Kind::Velocity),
    ("inf", Kind::State),
];

/// Marks statements of a program with tags of every kind, as choices say; some marks stay empty.
pub fn mark_randomly(program: &mut Program, choices: &[u16]) {
    let values: Vec<Value> = (0..program.len()).map(Value::new).collect();
    let mut choices = Choices { rest: choices };
    for (number, kind) in TagKind::ALL.into_iter().cycle().take(7).enumerate() {
        let count = choices.below(5);
        let marked: Vec<Value> = (0..count).map(|_| choices.of(&values)).collect();
        program.mark(Tag::new(kind, format!("part {}", number / 2)), &marked);
    }
}

/// A valid program that the choices describe.
pub fn program_from(choices: &[u16], range: Range) -> Program {
    let mut program = Program::new("random");
    let mut setup_scope = Vec::new();
    let mut body_scope = Vec::new();
    for (name, kind) in INPUTS {
        let value = program.input(name, kind);
        body_scope.push(value);
        if kind == Kind::Parameter {
            setup_scope.push(value);
        }
    }
    for number in [0.0, 1.0, -1.0, 2.0, -0.5, 0.1, -0.0, 1e300] {
        let value = program.constant(number);
        setup_scope.push(value);
        body_scope.push(value);
    }
    let mut declare = |name: &str, arguments, results, derivative_of| {
        let name = name.into();
        let id = program.function(ForeignSignature { name, arguments, results, derivative_of });
        (id, arguments as usize)
    };
    let tyre = declare("tyre", 2, 3, None);
    let partner = Partner { of: tyre.0, directions: 1 };
    let functions =
        vec![tyre, declare("clock", 0, 1, None), declare("tyre d", 4, 6, Some(partner))];
    let mut generator = Generator { choices: Choices { rest: choices }, program, functions, range };

    let count = generator.choices.below(12);
    generator.block(Block::Setup, &mut setup_scope, count, 0);
    body_scope.extend(
        setup_scope.iter().copied().filter(|value| !body_scope.contains(value)).collect::<Vec<_>>(),
    );
    let count = generator.choices.below(40);
    generator.block(Block::Body, &mut body_scope, count, 0);
    generator.outputs(&body_scope);
    generator.program
}

impl Generator<'_> {
    fn block(&mut self, block: Block, scope: &mut Vec<Value>, count: usize, depth: usize) {
        for _ in 0..count {
            match self.choices.below(12) {
                0 if depth < 3 => self.region(block, scope, depth),
                1 => self.call(block, scope),
                2 => {
                    // A difference and its opposite.
                    let (a, b) = (self.choices.of(scope), self.choices.of(scope));
                    for (a, b) in [(a, b), (b, a)] {
                        let difference = Operation::Arithmetic(ArithmeticOperation::Sub, a, b);
                        scope.push(self.program.push(block, difference));
                    }
                }
                _ => {
                    let operation = self.operation(scope);
                    let value = self.program.push(block, operation);
                    self.name(value);
                    scope.push(value);
                }
            }
        }
    }

    fn name(&mut self, value: Value) {
        match self.choices.below(12) {
            1 => self.program.set_name(value, "omega[3].x"),
            2 => self.program.set_name(value, format!("v{}", self.choices.below(4))),
            3 => self.program.set_name(value, "end \"quoted\"\\\n"),
            _ => {}
        }
    }

    fn operation(&mut self, scope: &[Value]) -> Operation {
        let a = self.choices.of(scope);
        let b = self.choices.of(scope);
        match self.choices.below(10) {
            0..=4 => {
                let all = if self.range == Range::All { 4 } else { 3 };
                Operation::Arithmetic(ArithmeticOperation::ALL[self.choices.below(all)], a, b)
            }
            5 | 6 => Operation::Neg(a),
            7 => Operation::Unary(Unary::ALL[self.choices.below(Unary::ALL.len())], a),
            8 if self.range == Range::All => {
                Operation::Binary(Binary::ALL[self.choices.below(Binary::ALL.len())], a, b)
            }
            8 => Operation::Binary(Binary::Min, a, b),
            _ => Operation::Select {
                compare: Compare::ALL[self.choices.below(4)],
                left: a,
                right: b,
                then: self.choices.of(scope),
                otherwise: self.choices.of(scope),
            },
        }
    }

    fn call(&mut self, block: Block, scope: &mut Vec<Value>) {
        let which = self.choices.below(self.functions.len());
        let (function, width) = self.functions[which];
        let arguments: Vec<Value> = (0..width).map(|_| self.choices.of(scope)).collect();
        let call = self.program.call(block, function, &arguments);
        self.picks(block, scope, call);
    }

    fn picks(&mut self, block: Block, scope: &mut Vec<Value>, tuple: Value) {
        let results = self.program.results(tuple).unwrap_or(0) as usize;
        for _ in 0..self.choices.below(4) {
            let index = self.choices.below(results) as u32;
            let pick = self.program.result(block, tuple, index);
            self.name(pick);
            scope.push(pick);
        }
    }

    fn region(&mut self, block: Block, scope: &mut Vec<Value>, depth: usize) {
        let initial: Vec<Value> =
            (0..self.choices.below(4)).map(|_| self.choices.of(scope)).collect();
        let tolerance = self.choices.of(scope);
        let limit = self.choices.below(4) as u32;
        // Nothing that is computed depends on the role.
        let role = RegionRole::ALL[initial.len() % RegionRole::ALL.len()];
        let region = self.program.region(role, "closure", &initial, tolerance, limit);
        let inside = Block::Region(region);
        let mut inner = scope.clone();
        inner.extend(self.program.get_region(region).states.clone());
        let count = self.choices.below(10);
        self.block(inside, &mut inner, count, depth + 1);
        let next: Vec<Value> = initial.iter().map(|_| self.choices.of(&inner)).collect();
        let residuals: Vec<Value> =
            (0..self.choices.below(3)).map(|_| self.choices.of(&inner)).collect();
        let value = self.program.close(block, region, &next, &residuals);
        let block_of = |value: &Value| self.program.operation(*value);
        let outer = self.program.block(inside).iter().map(block_of);
        if !outer.into_iter().any(|one| matches!(one, Operation::Region(_))) {
            for _ in 0..self.choices.below(4) {
                let value = self.choices.of(&inner);
                self.program.export(region, value);
            }
        }
        self.picks(block, scope, value);
    }

    fn outputs(&mut self, scope: &[Value]) {
        let vector: Vec<Value> = (0..3).map(|_| self.choices.of(scope)).collect();
        self.program.output(ProgramOutput::vector("tau", &vector));
        let mut matrix = ProgramOutput::symmetric("M", 3);
        for (row, column) in [(0, 0), (2, 1), (1, 1)] {
            if self.choices.below(2) == 1 {
                matrix.set(row, column, self.choices.of(scope));
            }
        }
        self.program.output(matrix);
        let mut sparse = ProgramOutput::sparse("a b", 2, 4);
        sparse.set(1, 3, self.choices.of(scope));
        self.program.output(sparse);
    }
}

/// Every operation on two inputs.
pub fn corners() -> Program {
    let mut program = Program::new("corners");
    let (x, y) = (program.input("x", Kind::Coordinate), program.input("y", Kind::Coordinate));
    let mut values = Vec::new();
    let mut push = |operation| values.push(program.push(Block::Body, operation));
    for function in Unary::ALL {
        push(Operation::Unary(function, x));
    }
    for function in Binary::ALL {
        push(Operation::Binary(function, x, y));
    }
    for operation in ArithmeticOperation::ALL {
        push(Operation::Arithmetic(operation, x, y));
    }
    for compare in Compare::ALL {
        push(Operation::Select { compare, left: x, right: y, then: x, otherwise: y });
        push(Operation::Select { compare, left: y, right: x, then: y, otherwise: y });
    }
    push(Operation::Neg(x));
    program.output(ProgramOutput::vector("all", &values));
    program
}
