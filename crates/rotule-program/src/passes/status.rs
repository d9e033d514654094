//! The status output: how each iterated region ended, as one more output of a program.
//!
//! A caller of generated code must know more than whether loops were closed: an iteration that
//! converges far from where it started may have jumped to another branch. For each region that is
//! not inside of another one, the output `status` has a row with
//!
//! ```text
//! iterations    updates of the unknowns
//! converged     1, or 0 if the limit was reached first
//! residual      the largest |residual| at the values that are returned
//! correction    the largest |difference| between these values and where the iteration started
//! ```
//!
//! Residuals are exported from the region; all back ends and kernels therefore give the same
//! numbers, and a program without the output costs nothing more. This is no part of [`optimise`](super::optimise), since there is a new output.

use super::{dead, share};
use crate::index::{RegionId, Value};
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::{Block, Program, ProgramOutput};
use rotule_symbolic::{Binary, Unary};

/// The columns of the status output.
pub const STATUS: [&str; 4] = ["iterations", "converged", "residual", "correction"];

/// Adds the output `status`, with further underscores where that name is taken. Gives the names of
/// the regions of its rows, in order; a program without regions stays as it is. The residual of a
/// region with another one inside is NaN.
pub fn status(program: &mut Program) -> Vec<String> {
    let (mut names, mut rows) = (Vec::new(), Vec::new());
    for block in Block::STAGES {
        let statements = std::mem::take(program.block_mut(block));
        for value in statements {
            program.block_mut(block).push(value);
            if let Operation::Region(region) = program.operation(value) {
                names.push(program.get_region(region).name.clone());
                rows.push(row(program, block, value, region));
            }
        }
    }
    if names.is_empty() {
        return names;
    }
    let mut name = "status".to_owned();
    while program.outputs().iter().any(|output| output.name == name) {
        name.push('_');
    }
    let mut output = ProgramOutput::sparse(name, rows.len() as u32, STATUS.len() as u32);
    for (at, row) in rows.iter().enumerate() {
        row.iter().zip(0..).for_each(|(&value, column)| output.set(at as u32, column, value));
    }
    program.output(output);
    share(program);
    dead(program);
    names
}

/// The row of a region, whose statement is the last one of its block.
fn row(program: &mut Program, block: Block, value: Value, region: RegionId) -> [Value; 4] {
    let inside = program.get_region(region).clone();
    let iterations = program.result(block, value, inside.iterations_index());
    let converged = program.result(block, value, inside.converged_index());
    let count = inside.states.len() as u32;
    let found: Vec<Value> = (0..count).map(|at| program.result(block, value, at)).collect();
    // Of several states in lanes, a region inside does not run again for those that have ended.
    let inner = |value: &Value| matches!(program.operation(*value), Operation::Region(_));
    let residual = if inside.block.iter().any(inner) {
        program.constant(f64::NAN)
    } else {
        let values: Vec<Value> = inside
            .residuals
            .iter()
            .map(|&residual| {
                let index = program.export(region, residual);
                program.result(block, value, index)
            })
            .collect();
        largest(program, block, &values)
    };
    let differences: Vec<Value> = found
        .iter()
        .zip(&inside.initial)
        .map(|(&end, &start)| {
            program.push(block, Operation::Arithmetic(ArithmeticOperation::Sub, end, start))
        })
        .collect();
    let correction = largest(program, block, &differences);
    [iterations, converged, residual, correction]
}

/// The largest magnitude; NaN if there is one among them.
fn largest(program: &mut Program, block: Block, values: &[Value]) -> Value {
    let mut most: Option<Value> = None;
    for &value in values {
        let size = program.push(block, Operation::Unary(Unary::Abs, value));
        most = Some(match most {
            None => size,
            Some(most) => program.push(block, Operation::Binary(Binary::Max, most, size)),
        });
    }
    most.unwrap_or_else(|| program.constant(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoExternals, parse, print, run_once, verify};

    /// Newton's iteration for a square root, which starts at `s`.
    const ROOT: &str = "program root
        input s coordinate
        input x coordinate
        body
          %1 = region root limit 9 tolerance 1e-12
            state %2 = s
            %3 = mul %2 %2
            %4 = sub %3 x
            %5 = add %2 %2
            %6 = div %4 %5
            %7 = sub %2 %6
            next %7
            residual %4
          end
          %20 = result %1 0
        output root(1)
          (0) = %20";

    #[test]
    fn a_row_tells_how_a_region_ended() {
        let plain = parse(ROOT).unwrap_or_else(|problem| panic!("{problem:?}"));
        let mut program = plain.clone();
        assert_eq!(status(&mut program).len(), 1);
        assert!(verify(&program).is_ok(), "{}", print(&program));
        let run = |start: f64, x: f64| {
            let values = run_once(&program, &[start, x], &mut NoExternals).expect("it runs");
            let before = run_once(&plain, &[start, x], &mut NoExternals).expect("it runs");
            assert_eq!(values[0].to_bits(), before[0].to_bits());
            values
        };
        // At the solution nothing happens.
        assert_eq!(run(2.0, 4.0), [2.0, 0.0, 1.0, 0.0, 0.0]);
        let far = run(3.0, 4.0);
        assert!(far[1] > 2.0 && far[2] == 1.0, "{far:?}");
        assert!((far[3], far[4]) == ((far[0] * far[0] - 4.0).abs(), (far[0] - 3.0).abs()));
        // There is no root: the residual stays, and says by how much.
        let none = run(3.0, -1.0);
        assert!(none[1] == 9.0 && none[2] == 0.0 && none[3] >= 1.0, "{none:?}");
    }

    #[test]
    fn programs_without_regions_stay_as_they_are() {
        let text = "program p\ninput x coordinate\noutput y(1)\n(0) = x";
        let mut program = parse(text).unwrap_or_else(|problem| panic!("{problem:?}"));
        let before = print(&program);
        assert!(status(&mut program).is_empty());
        assert_eq!(print(&program), before);
    }
}
