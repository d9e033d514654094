//! Several points of motions side by side, and functions of a mechanism that are evaluated at all
//! of them at once.

use crate::inputs::{InputPoint, Inputs};
use rotule_formalism::{Problem, Tree};
use rotule_jit::{KernelKind, KernelOptions, Lanes, lanes};
use rotule_program::{NoExternals, Program};
use std::sync::Arc;

/// Several points at one time: the numbers of the first coordinate, one for each point, then those
/// of the second, and so on.
#[derive(Clone, Debug, Default)]
pub struct Points {
    /// Number of points.
    pub width: usize,
    /// Time, once for each point.
    pub t: Vec<f64>,
    /// Parameters.
    pub parameters: Vec<f64>,
    /// Coordinates.
    pub q: Vec<f64>,
    /// Speeds.
    pub qd: Vec<f64>,
    /// States besides coordinates and speeds.
    pub states: Vec<f64>,
    /// Accelerations.
    pub qdd: Vec<f64>,
    /// Efforts besides the joint laws.
    pub effort: Vec<f64>,
}

impl Points {
    /// Points for `width` lanes; the last one stands for those that are missing.
    pub fn new(points: &[InputPoint], width: usize) -> Points {
        let Some(last) = points.last() else { return Points::default() };
        let all: Vec<&InputPoint> =
            (0..width).map(|lane| points.get(lane).unwrap_or(last)).collect();
        let side_by_side = |list: fn(&InputPoint) -> &Vec<f64>| {
            let lists: Vec<&Vec<f64>> = all.iter().map(|point| list(point)).collect();
            (0..lists[0].len()).flat_map(|at| lists.iter().map(move |list| list[at])).collect()
        };
        Points {
            width,
            t: all.iter().map(|point| point.t).collect(),
            parameters: side_by_side(|point| &point.parameters),
            q: side_by_side(|point| &point.q),
            qd: side_by_side(|point| &point.qd),
            states: side_by_side(|point| &point.states),
            qdd: side_by_side(|point| &point.qdd),
            effort: side_by_side(|point| &point.effort),
        }
    }

    /// One of the points.
    pub fn lane(&self, lane: usize) -> InputPoint {
        let own = |list: &[f64]| list.iter().skip(lane).step_by(self.width).copied().collect();
        InputPoint {
            t: self.t[lane],
            parameters: own(&self.parameters),
            q: own(&self.q),
            qd: own(&self.qd),
            states: own(&self.states),
            qdd: own(&self.qdd),
            effort: own(&self.effort),
        }
    }

    /// Lets one point be the same as another.
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        let width = self.width;
        for list in [
            &mut self.t,
            &mut self.parameters,
            &mut self.q,
            &mut self.qd,
            &mut self.states,
            &mut self.qdd,
            &mut self.effort,
        ] {
            copy_lane(list, width, from, to);
        }
    }
}

/// Lets the numbers of one point be those of another.
pub(super) fn copy_lane(list: &mut [f64], width: usize, from: usize, to: usize) {
    list.chunks_exact_mut(width).for_each(|numbers| numbers[to] = numbers[from]);
}

/// Calls a function for the width of a kernel as a constant, so that a row is a few instructions
/// and no call.
macro_rules! by_width {
    ($width:expr, $function:ident($($argument:expr),*)) => {
        match $width {
            4 => $function::<4>($($argument),*),
            8 => $function::<8>($($argument),*),
            _ => $function::<1>($($argument),*),
        }
    };
}

pub(crate) use by_width;

/// Copies the rows of a list that stand at some places, one after the other.
pub(super) fn gather<const W: usize>(list: &[f64], places: &[usize], rows: &mut [f64]) {
    let (list, rows) = (list.as_chunks::<W>().0, rows.as_chunks_mut::<W>().0);
    places.iter().zip(rows).for_each(|(&at, row)| *row = list[at]);
}

/// Copies rows to some places of a list.
pub(super) fn scatter<const W: usize>(rows: &[f64], places: &[usize], list: &mut [f64]) {
    let (rows, list) = (rows.as_chunks::<W>().0, list.as_chunks_mut::<W>().0);
    places.iter().zip(rows).for_each(|(&at, row)| list[at] = *row);
}

/// Zero for every point all whose numbers are finite, else not a number: nothing times what is not
/// finite is not a number, and a branch for each number would cost more.
pub(super) fn finite<const W: usize>(numbers: &[f64], sums: &mut [f64]) {
    let mut own = [0.0; W];
    for row in numbers.as_chunks::<W>().0 {
        own.iter_mut().zip(row).for_each(|(sum, number)| *sum += 0.0 * number);
    }
    sums.copy_from_slice(&own);
}

/// A function that is evaluated at several points at once.
pub struct Several {
    kernel: Box<dyn Lanes>,
    inputs: Inputs,
    numbers: Vec<f64>,
    outputs: Vec<f64>,
    /// Where each output begins; one more for the end.
    starts: Vec<usize>,
}

impl Several {
    /// A program of a mechanism.
    pub fn new(tree: &Tree, program: Arc<Program>, choice: KernelKind) -> Result<Several, Problem> {
        let name = program.name().to_owned();
        let missing = |input: String| Problem::new(format!("`{name}` needs `{input}`"), "");
        let inputs = Inputs::of(tree, &program).map_err(missing)?;
        let mut starts = vec![0];
        for output in program.outputs() {
            starts.push(starts[starts.len() - 1] + output.dense_len() as usize);
        }
        let (count, length) = (program.inputs().len(), program.output_len());
        let kernel = lanes(program, choice, KernelOptions { fuse: false })
            .map_err(|refusal| Problem::new(format!("`{name}`: {refusal}"), ""))?;
        let width = kernel.width();
        assert!(matches!(width, 1 | 4 | 8), "kernels have four lanes or eight");
        let (numbers, outputs) = (vec![0.0; width * count], vec![f64::NAN; width * length]);
        Ok(Several { kernel, inputs, numbers, outputs, starts })
    }

    /// Number of points.
    pub fn width(&self) -> usize {
        self.kernel.width()
    }

    /// The name of the kernel that runs it.
    pub fn kernel(&self) -> &'static str {
        self.kernel.name()
    }

    /// Takes over parameters.
    pub fn setup(&mut self, points: &Points) {
        self.inputs.side_by_side(points, &mut self.numbers, true);
        let done = self.kernel.setup(&self.numbers, &mut NoExternals);
        done.expect("there are as many inputs as the program has");
    }

    /// Computes the outputs.
    pub fn evaluate(&mut self, points: &Points) {
        self.inputs.side_by_side(points, &mut self.numbers, false);
        let done = self.kernel.evaluate(&self.numbers, &mut self.outputs, &mut NoExternals);
        done.expect("inputs and outputs are as many as the program has");
    }

    /// An output of the last evaluation, by its position: its first number for all points, then the
    /// second, and so on.
    pub fn output(&self, at: usize) -> &[f64] {
        let width = self.kernel.width();
        &self.outputs[width * self.starts[at]..width * self.starts[at + 1]]
    }

    /// All outputs of the last evaluation.
    pub fn outputs(&self) -> &[f64] {
        &self.outputs
    }

    /// The name of an iteration that did not converge for one of the points.
    pub fn open_region(&self, lane: usize) -> Option<String> {
        let failed = self.kernel.regions(lane).iter().position(|status| status.failures > 0)?;
        Some(self.kernel.program().regions()[failed].name.clone())
    }
}
