//! Forward-mode differentiation: the interpreter with directions beside every number.
//!
//! Each operation gives its value and the derivatives of the value along a few directions of the
//! inputs, so that a program is differentiated exactly without another program being written. Who
//! needs one Jacobian at one state saves the time of writing derivatives as code. Values are those
//! of [`Interpreter`](crate::Interpreter) but for the last digits of iterated regions.
//!
//! A region that converged is updated once more. With Newton's update `next = s - J^-1 r(s, p)` the
//! derivative of the state along a direction is then `-J^-1 dr/dp`, whatever it was before: that is
//! the theorem of implicit functions.
//!
//! At a kink the derivative is that of the branch taken; what does not change has derivative zero
//! even where a slope is infinite, as that of a root at zero is.

use crate::error::ProgramError;
use crate::index::{FunctionId, RegionId, Value};
use crate::interpret::Externals;
use crate::operation::{ArithmeticOperation, Operation};
use crate::picks::Picks;
use crate::program::{Block, ForeignSignature, Partner, Program, RegionResult};
use crate::verify::verify;
use rotule_symbolic::elementary::{cos, ln, pow, sin};
use rotule_symbolic::{Binary, Unary};
use std::borrow::Borrow;

/// Directions that are followed side by side.
const LANES: usize = 8;

/// A number with its derivatives along some directions.
#[derive(Clone, Copy, Debug)]
struct Dual {
    value: f64,
    slope: [f64; LANES],
}

/// The outputs of a program with their derivatives along directions of its inputs.
#[derive(Clone, Debug)]
pub struct ForwardDerivatives {
    /// All outputs, densely, as [`Interpreter::evaluate`](crate::Interpreter::evaluate) writes
    /// them.
    pub outputs: Vec<f64>,
    /// For each direction the derivatives of all outputs.
    pub directions: Vec<Vec<f64>>,
    /// `true` if every region converged.
    pub converged: bool,
}

/// A program made ready to be differentiated, borrowed or owned.
#[derive(Clone, Debug)]
pub struct ForwardMode<P> {
    program: P,
    picks: Picks,
}

impl<P: Borrow<Program>> ForwardMode<P> {
    /// Makes a program ready; refuses one that is not valid.
    pub fn new(owner: P) -> Result<ForwardMode<P>, Vec<ProgramError>> {
        verify(owner.borrow())?;
        let picks = Picks::of(owner.borrow());
        Ok(ForwardMode { program: owner, picks })
    }

    /// The program.
    pub fn program(&self) -> &Program {
        self.program.borrow()
    }

    /// Runs `setup` and `body` at the inputs. A direction has one number for each input, those of
    /// parameters included; without directions the outputs alone are computed.
    pub fn evaluate(
        &self,
        inputs: &[f64],
        directions: &[Vec<f64>],
        externals: &mut dyn Externals,
    ) -> ForwardDerivatives {
        let length = self.program().output_len();
        let mut made = ForwardDerivatives {
            outputs: vec![0.0; length],
            directions: Vec::with_capacity(directions.len()),
            converged: true,
        };
        let packs: Vec<&[Vec<f64>]> = match directions.is_empty() {
            true => vec![&[]],
            false => directions.chunks(LANES).collect(),
        };
        for pack in packs {
            let mut run = Run::new(self, inputs, pack);
            run.block(self.program().block(Block::Setup), externals);
            run.block(self.program().block(Block::Body), externals);
            made.converged &= run.converged;
            made.outputs = run.outputs(|dual| dual.value);
            made.directions
                .extend((0..pack.len()).map(|lane| run.outputs(|dual| dual.slope[lane])));
        }
        made
    }
}

/// One pass through a program.
struct Run<'p, P> {
    owner: &'p ForwardMode<P>,
    values: Vec<Dual>,
    /// Number of directions that are followed.
    lanes: usize,
    converged: bool,
}

impl<'p, P: Borrow<Program>> Run<'p, P> {
    fn new(owner: &'p ForwardMode<P>, inputs: &[f64], pack: &[Vec<f64>]) -> Run<'p, P> {
        let program = owner.program();
        let still = |value: f64| Dual { value, slope: [0.0; LANES] };
        let mut values: Vec<Dual> = program
            .operations
            .iter()
            .map(|&operation| match operation {
                Operation::Constant(number) => still(number),
                _ => still(f64::NAN),
            })
            .collect();
        for (at, &value) in program.input_values.iter().enumerate() {
            let mut dual = still(inputs[at]);
            for (slope, direction) in dual.slope.iter_mut().zip(pack) {
                *slope = direction[at];
            }
            values[value.index()] = dual;
        }
        Run { owner, values, lanes: pack.len(), converged: true }
    }

    fn get(&self, value: Value) -> Dual {
        self.values[value.index()]
    }

    fn block(&mut self, block: &[Value], externals: &mut dyn Externals) {
        let program = self.owner.program();
        for &value in block {
            let dual = match program.operation(value) {
                Operation::Neg(a) => {
                    let a = self.get(a);
                    Dual { value: -a.value, slope: a.slope.map(|slope| -slope) }
                }
                Operation::Arithmetic(operation, a, b) => {
                    arithmetic(operation, self.get(a), self.get(b))
                }
                Operation::Unary(function, a) => unary(function, self.get(a)),
                Operation::Binary(function, a, b) => binary(function, self.get(a), self.get(b)),
                Operation::Select { compare, left, right, then, otherwise } => {
                    let holds = compare.apply(self.get(left).value, self.get(right).value);
                    self.get(if holds { then } else { otherwise })
                }
                Operation::Call { function, arguments } => {
                    let arguments: Vec<Dual> =
                        program.arguments(arguments).iter().map(|&one| self.get(one)).collect();
                    let results = self.call(function, &arguments, externals);
                    for &(index, pick) in self.owner.picks.from_tuple(value) {
                        self.values[pick.index()] = results[index as usize];
                    }
                    continue;
                }
                Operation::Region(region) => {
                    self.iterate(value, region, externals);
                    continue;
                }
                Operation::Result { .. }
                | Operation::Constant(_)
                | Operation::Input(_)
                | Operation::State(..) => continue,
            };
            self.values[value.index()] = dual;
        }
    }

    /// The results of an external function; its derivatives by its partner for one direction.
    fn call(&self, id: FunctionId, arguments: &[Dual], externals: &mut dyn Externals) -> Vec<Dual> {
        let function = self.owner.program().get_function(id);
        let plain: Vec<f64> = arguments.iter().map(|one| one.value).collect();
        let mut values = vec![0.0; function.results as usize];
        externals.call(function, &plain, &mut values);
        let mut results: Vec<Dual> =
            values.iter().map(|&value| Dual { value, slope: [0.0; LANES] }).collect();
        let partner = ForeignSignature {
            name: format!("{}_d1", function.name),
            arguments: 2 * function.arguments,
            results: 2 * function.results,
            derivative_of: Some(Partner { of: id, directions: 1 }),
        };
        for lane in 0..self.lanes {
            if arguments.iter().all(|one| one.slope[lane] == 0.0) {
                continue;
            }
            let pairs: Vec<f64> =
                arguments.iter().flat_map(|one| [one.value, one.slope[lane]]).collect();
            let mut both = vec![0.0; 2 * values.len()];
            externals.call(&partner, &pairs, &mut both);
            for (result, pair) in results.iter_mut().zip(both.as_chunks::<2>().0) {
                result.slope[lane] = pair[1];
            }
        }
        results
    }

    fn iterate(&mut self, value: Value, id: RegionId, externals: &mut dyn Externals) {
        let region = self.owner.program().get_region(id);
        let update = |run: &mut Self, from: &[Value]| {
            let next: Vec<Dual> = from.iter().map(|&one| run.get(one)).collect();
            for (state, dual) in region.states.iter().zip(next) {
                run.values[state.index()] = dual;
            }
        };
        update(self, &region.initial);
        let tolerance = self.get(region.tolerance).value;
        let mut count = 0;
        let converged = loop {
            self.block(&region.block, externals);
            let small = |&one: &Value| self.get(one).value.abs() <= tolerance;
            if region.residuals.iter().all(small) {
                break true;
            }
            if count == region.limit {
                break false;
            }
            update(self, &region.next);
            count += 1;
        };
        if converged {
            // The derivatives follow from one more update; the values gain a digit at most.
            update(self, &region.next);
            if !region.exports.is_empty() {
                // What the block hands on has the derivatives of these states.
                self.block(&region.block, externals);
            }
        }
        self.converged &= converged;
        for &(index, pick) in self.owner.picks.from_tuple(value) {
            let plain = |value: f64| Dual { value, slope: [0.0; LANES] };
            self.values[pick.index()] = match region.result(index) {
                Some(RegionResult::State(of) | RegionResult::Export(of)) => self.get(of),
                Some(RegionResult::Iterations) => plain(f64::from(count)),
                Some(RegionResult::Converged) | None => plain(f64::from(u8::from(converged))),
            };
        }
    }

    fn outputs(&self, part: impl Fn(Dual) -> f64) -> Vec<f64> {
        let program = self.owner.program();
        let mut all = Vec::with_capacity(program.output_len());
        for output in program.outputs() {
            let columns = output.columns as usize;
            let mut dense = vec![0.0; output.dense_len() as usize];
            for entry in &output.entries {
                let number = part(self.get(entry.value));
                let (row, column) = (entry.row as usize, entry.column as usize);
                dense[row * columns + column] = number;
                if output.symmetric {
                    dense[column * columns + row] = number;
                }
            }
            all.extend(dense);
        }
        all
    }
}

/// A sum of slopes, each times a factor. A slope of zero counts as zero whatever the factor is.
fn chain<const N: usize>(parts: [(f64, [f64; LANES]); N]) -> [f64; LANES] {
    std::array::from_fn(|lane| {
        let moved = parts.iter().filter(|(_, slope)| slope[lane] != 0.0);
        moved.map(|(factor, slope)| factor * slope[lane]).sum()
    })
}

fn arithmetic(operation: ArithmeticOperation, a: Dual, b: Dual) -> Dual {
    let value = operation.apply(a.value, b.value);
    let [by_a, by_b] = match operation {
        ArithmeticOperation::Add => [1.0, 1.0],
        ArithmeticOperation::Sub => [1.0, -1.0],
        ArithmeticOperation::Mul => [b.value, a.value],
        ArithmeticOperation::Div => [1.0 / b.value, -value / b.value],
    };
    Dual { value, slope: chain([(by_a, a.slope), (by_b, b.slope)]) }
}

fn unary(function: Unary, a: Dual) -> Dual {
    let (x, value) = (a.value, function.apply(a.value));
    let factor = match function {
        Unary::Sin => cos(x),
        Unary::Cos => -sin(x),
        Unary::Tan => 1.0 + value * value,
        Unary::Asin => 1.0 / (1.0 - x * x).sqrt(),
        Unary::Acos => -1.0 / (1.0 - x * x).sqrt(),
        Unary::Atan => 1.0 / (1.0 + x * x),
        Unary::Sqrt => 0.5 / value,
        Unary::Exp => value,
        Unary::Log => 1.0 / x,
        Unary::Abs => Unary::Sign.apply(x),
        Unary::Sign | Unary::Floor => 0.0,
    };
    Dual { value, slope: chain([(factor, a.slope)]) }
}

fn binary(function: Binary, a: Dual, b: Dual) -> Dual {
    let (x, y, value) = (a.value, b.value, function.apply(a.value, b.value));
    let [by_x, by_y] = match function {
        Binary::Atan2 => {
            let square = x * x + y * y;
            [y / square, -x / square]
        }
        Binary::Min if x < y => [1.0, 0.0],
        Binary::Max if x > y => [1.0, 0.0],
        Binary::Min | Binary::Max => [0.0, 1.0],
        Binary::Pow => {
            // The logarithm is of no concern where the exponent stays.
            [y * pow(x, y - 1.0), if b.slope == [0.0; LANES] { 0.0 } else { ln(x) * value }]
        }
    };
    Dual { value, slope: chain([(by_x, a.slope), (by_y, b.slope)]) }
}
