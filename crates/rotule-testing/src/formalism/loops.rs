//! Common parts of tests of closed loops: programs that are run many times with their iterations in
//! view, dense elimination, the equations of motion with multipliers as one dense system, and a
//! Runge-Kutta step.

use super::case::{Case, State};
use super::numbers::Matrix;
use rotule_formalism::{Formalism, ModelFunction};
use rotule_numeric::generate;
use rotule_program::{Interpreter, NoExternals, Program};
use rotule_symbolic::Kind;
use std::ops::Range;

/// A function of a model as a program that is kept.
pub struct Ready {
    /// The program.
    pub program: Program,
    kinds: Vec<Kind>,
    parameters: Vec<f64>,
    label: String,
}

/// The result of one evaluation.
pub struct Found {
    /// The values of all outputs, one after the other.
    pub values: Vec<f64>,
    ranges: Vec<(String, Range<usize>, usize)>,
    /// Newton steps of each iterated region.
    pub iterations: Vec<u32>,
    /// True if every iterated region converged.
    pub converged: bool,
}

impl Found {
    /// An output, by rows.
    #[track_caller]
    pub fn list(&self, name: &str) -> &[f64] {
        let found = self.ranges.iter().find(|one| one.0 == name);
        &self.values[found.unwrap_or_else(|| panic!("no output `{name}`")).1.clone()]
    }

    /// An output as a matrix.
    #[track_caller]
    pub fn matrix(&self, name: &str) -> Matrix {
        let columns = self.ranges.iter().find(|one| one.0 == name).expect("an output").2;
        let values = self.list(name).to_vec();
        Matrix::new(values.len().checked_div(columns).unwrap_or(0), columns, values)
    }
}

impl Ready {
    /// The program of a function by a formalism.
    pub fn of(case: &Case, function: &str, formalism: Formalism) -> Ready {
        let parsed = ModelFunction::parse(function, &case.tree)
            .unwrap_or_else(|why| panic!("{}: {why}", case.label));
        let made = generate(&case.tree, &parsed, Some(formalism));
        let made = made.unwrap_or_else(|why| panic!("{}: {function}: {why}", case.label));
        Ready {
            program: made.program,
            kinds: parsed.inputs(&case.tree).to_vec(),
            parameters: case.parameters.iter().map(|one| one.value).collect(),
            label: format!("{}: {function}", case.label),
        }
    }

    /// Runs the program at each state in turn.
    pub fn all(&self, states: &[State]) -> Vec<Found> {
        let mut found = Vec::new();
        self.with(|run| found.extend(states.iter().map(run)));
        found
    }

    /// Runs the program at a state.
    pub fn at(&self, state: &State) -> Found {
        self.all(std::slice::from_ref(state)).remove(0)
    }

    /// Gives a function that runs the program, ready once for all.
    pub fn with(&self, mut work: impl FnMut(&mut dyn FnMut(&State) -> Found)) {
        let interpreter =
            Interpreter::new(&self.program).unwrap_or_else(|why| panic!("{}: {why:?}", self.label));
        let mut workspace = interpreter.workspace();
        let mut ranges = Vec::new();
        let mut end = 0;
        for output in self.program.outputs() {
            let start = end;
            end += output.dense_len() as usize;
            ranges.push((output.name.clone(), start..end, output.columns as usize));
        }
        let mut inputs = Vec::new();
        let mut first = true;
        work(&mut |state| {
            inputs.clear();
            inputs.extend(&self.parameters);
            inputs.push(state.time);
            inputs.extend(state.of_kinds(&self.kinds));
            if first {
                let set = interpreter.setup(&mut workspace, &inputs, &mut NoExternals);
                set.unwrap_or_else(|why| panic!("{}: {why}", self.label));
                first = false;
            }
            let mut values = vec![0.0; end];
            let run = interpreter.evaluate(&mut workspace, &inputs, &mut values, &mut NoExternals);
            run.unwrap_or_else(|why| panic!("{}: {why}", self.label));
            let iterations = workspace.regions().iter().map(|one| one.last).collect();
            let converged = workspace.converged();
            Found { values, ranges: ranges.clone(), iterations, converged }
        });
    }
}

/// The largest magnitude, at least one.
pub fn size(values: &[f64]) -> f64 {
    values.iter().fold(1.0_f64, |most, x| most.max(x.abs()))
}

/// The result of elimination.
pub struct Solved {
    /// A solution; unknowns that nothing determines are zero.
    pub x: Vec<f64>,
    /// Number of pivots.
    pub rank: usize,
    /// The smallest pivot over the largest, rows and columns scaled.
    pub pivots: f64,
    /// The rest of right-hand sides without a pivot: zero if the equations agree.
    pub rest: f64,
}

/// Pivots below this part of the largest count as zero.
const ZERO: f64 = 1e-10;

/// Dense elimination with the largest pivot of all that is left, on rows and columns scaled alike.
/// Systems may be rectangular, and equations may repeat each other.
pub fn eliminated(a: &Matrix, b: &[f64]) -> Solved {
    let (m, n) = (a.rows, a.columns);
    // A row of rounding errors is not made large.
    let least = 1e-3 * size(&a.values);
    let most =
        |values: &mut dyn Iterator<Item = f64>| values.fold(least, |most, x| most.max(x.abs()));
    let row_scale: Vec<f64> = (0..m).map(|i| most(&mut (0..n).map(|j| a.get(i, j)))).collect();
    let column_scale: Vec<f64> =
        (0..n).map(|j| most(&mut (0..m).map(|i| a.get(i, j) / row_scale[i]))).collect();
    let mut rest: Vec<Vec<f64>> = (0..m)
        .map(|i| {
            let entry = |j: usize| a.get(i, j) / row_scale[i] / column_scale[j];
            (0..n).map(entry).chain([b[i] / row_scale[i]]).collect()
        })
        .collect();
    let mut order: Vec<usize> = (0..n).collect();
    let (mut rank, mut largest, mut smallest) = (0, 0.0, f64::INFINITY);
    while rank < m.min(n) {
        let mut best = (rank, rank, -1.0_f64);
        for (i, line) in rest.iter().enumerate().skip(rank) {
            for (j, &column) in order.iter().enumerate().skip(rank) {
                if line[column].abs() > best.2 {
                    best = (i, j, line[column].abs());
                }
            }
        }
        if rank == 0 {
            largest = best.2;
        }
        if best.2.is_nan() || best.2 <= ZERO * largest {
            break;
        }
        smallest = best.2;
        rest.swap(rank, best.0);
        order.swap(rank, best.1);
        let pivot = rest[rank].clone();
        for line in rest.iter_mut().skip(rank + 1) {
            let factor = line[order[rank]] / pivot[order[rank]];
            if factor != 0.0 {
                for &j in &order[rank..] {
                    line[j] -= factor * pivot[j];
                }
                line[n] -= factor * pivot[n];
            }
        }
        rank += 1;
    }
    let mut x = vec![0.0; n];
    for k in (0..rank).rev() {
        let known: f64 = order[k + 1..rank].iter().map(|&j| rest[k][j] * x[j]).sum();
        x[order[k]] = (rest[k][n] - known) / rest[k][order[k]];
    }
    let left = rest[rank..].iter().fold(0.0_f64, |most, line| most.max(line[n].abs()));
    x.iter_mut().zip(&column_scale).for_each(|(x, scale)| *x /= scale);
    Solved { x, rank, pivots: smallest / largest, rest: left }
}

/// Accelerations and the efforts of constraints, `J' lambda`, from the open tree.
pub struct Dense {
    /// Accelerations.
    pub qdd: Vec<f64>,
    /// Efforts of the constraints, `J' lambda`.
    pub held: Vec<f64>,
    /// Multipliers.
    pub lambda: Vec<f64>,
    /// The smallest pivot in parts of the largest.
    pub pivots: f64,
    /// The largest residual of the rows beyond the rank.
    pub rest: f64,
}

/// `M qdd + c = Q + J' lambda`, `J qdd = -b - more` as one system, all from `all_coordinates`; what
/// is known of accelerations stays known, and the efforts of these joints are left out.
pub fn dense(parts: &Found, known: &[Option<f64>], more: &[f64]) -> Dense {
    let (mass, jacobian) = (parts.matrix("M"), parts.matrix("J"));
    let (c, applied, b) = (parts.list("c"), parts.list("Q"), parts.list("b"));
    let n = mass.rows;
    let m = jacobian.rows;
    let free: Vec<usize> = (0..n).filter(|&at| known[at].is_none()).collect();
    let given = |at: usize| known[at].unwrap_or(0.0);
    let mut whole = Matrix::zero(free.len() + m, free.len() + m);
    let mut right = Vec::new();
    for (i, &row) in free.iter().enumerate() {
        for (j, &column) in free.iter().enumerate() {
            *whole.at(i, j) = mass.get(row, column);
        }
        for at in 0..m {
            *whole.at(i, free.len() + at) = -jacobian.get(at, row);
            *whole.at(free.len() + at, i) = jacobian.get(at, row);
        }
        let driven: f64 = (0..n).map(|at| mass.get(row, at) * given(at)).sum();
        right.push(applied[row] - c[row] - driven);
    }
    for (at, b) in b.iter().enumerate() {
        let driven: f64 = (0..n).map(|column| jacobian.get(at, column) * given(column)).sum();
        right.push(-b - driven - more.get(at).copied().unwrap_or(0.0));
    }
    let solved = eliminated(&whole, &right);
    let mut qdd: Vec<f64> = (0..n).map(given).collect();
    free.iter().zip(&solved.x).for_each(|(&at, &x)| qdd[at] = x);
    let lambda = solved.x[free.len()..].to_vec();
    let held = jacobian.transpose().apply(&lambda);
    Dense { qdd, held, lambda, pivots: solved.pivots, rest: solved.rest }
}

/// A step of Runge and Kutta's fourth order for `y' = f(t, y)`.
pub fn rk4(t: f64, y: &[f64], step: f64, f: &mut dyn FnMut(f64, &[f64]) -> Vec<f64>) -> Vec<f64> {
    let moved =
        |by: f64, k: &[f64]| -> Vec<f64> { y.iter().zip(k).map(|(y, k)| y + by * k).collect() };
    let k1 = f(t, y);
    let k2 = f(t + step / 2.0, &moved(step / 2.0, &k1));
    let k3 = f(t + step / 2.0, &moved(step / 2.0, &k2));
    let k4 = f(t + step, &moved(step, &k3));
    let sum = |at: usize| k1[at] + 2.0 * k2[at] + 2.0 * k3[at] + k4[at];
    y.iter().enumerate().map(|(at, y)| y + step / 6.0 * sum(at)).collect()
}
