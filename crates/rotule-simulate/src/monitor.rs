//! How well the dependent coordinates follow from the independent ones, watched from step to step.
//!
//! `qd_v = B qd_u`: when an entry of `B` grows, a dependent coordinate moves much faster than the independent ones, and at
//! a singular position it becomes infinite while another choice of independent coordinates has no difficulty at all
//! (Morette, chapters 3 and 5). The largest entry says it in numbers without units once slides are measured in a length
//! of the mechanism, so that one threshold serves all models; the condition number of `J_v` does not, because it
//! mixes metres with radians and is one for a single row. The order of pivots inside of a program can fail although `B`
//! is harmless; that is looked at, too.

use crate::inputs::Point;
use rotule_formalism::constraint::closed::Choice;
use rotule_formalism::constraint::partition::{self, Partition, Shape};
use rotule_formalism::{Motion, Tree};
use rotule_model::mechanism::Nature;
use rotule_program::Output;

/// `J` in numbers, with columns for speeds whose unit is a length of the mechanism.
#[derive(Clone, Debug)]
pub struct Jacobian {
    /// Entries by row: column and number.
    pub rows: Vec<Vec<(usize, f64)>>,
    columns: usize,
    /// Columns that cannot be dependent.
    barred: Vec<bool>,
    /// Which columns are slides.
    slides: Vec<bool>,
}

/// What is known of a choice at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Condition {
    /// The largest entry of `B`, scaled.
    pub amplification: f64,
    /// The largest number that elimination in the program's order divides by its pivot.
    pub growth: f64,
    /// The sign of the determinant of `J_v`: it changes where the choice is singular.
    pub positive: bool,
}

/// Entries of `B` are all computed up to this number of them; beyond, a few combinations of columns stand for all.
const EXACT: usize = 4096;
const PROBES: usize = 6;

impl Jacobian {
    /// The pattern of `J` as the program of a tree's constraints has it; numbers are to come. An entry that is zero at some
    /// point is an entry.
    pub fn new(tree: &Tree, pattern: &Output) -> Jacobian {
        let columns = tree.speeds();
        let (mut barred, mut slides) = (vec![false; columns], vec![false; columns]);
        for node in &tree.nodes {
            let speeds = node.speed..node.speed + node.motion.speeds();
            match node.motion {
                Motion::Prismatic { .. } => slides[speeds].fill(true),
                Motion::Free | Motion::Spherical => barred[speeds].fill(true),
                _ => {}
            }
        }
        for joint in &tree.mechanism.joints {
            if joint.nature != Nature::Free {
                barred[joint.speeds.clone()].fill(true);
            }
        }
        let mut rows = vec![Vec::new(); pattern.rows as usize];
        for entry in &pattern.entries {
            rows[entry.row as usize].push((entry.column as usize, 0.0));
        }
        Jacobian { rows, columns, barred, slides }
    }

    /// Takes the numbers of a dense matrix, by rows.
    pub fn take(&mut self, dense: &[f64]) {
        for (row, numbers) in self.rows.iter_mut().zip(dense.chunks_exact(self.columns.max(1))) {
            row.iter_mut().for_each(|(column, value)| *value = numbers[*column]);
        }
    }

    /// One entry.
    pub fn entry(&self, row: usize, column: usize) -> f64 {
        self.rows[row].iter().find(|(known, _)| *known == column).map_or(0.0, |&(_, value)| value)
    }

    /// How large columns of turns and of slides are, so that both can be compared.
    fn scales(&self) -> Vec<f64> {
        let mut squares = [(0.0, 0_u32); 2];
        for &(column, value) in self.rows.iter().flatten() {
            let kind = &mut squares[usize::from(self.slides[column])];
            kind.0 += value * value;
            kind.1 += 1;
        }
        let mean = |(sum, count): (f64, u32)| {
            let mean = (sum / f64::from(count.max(1))).sqrt();
            if mean > 0.0 && mean.is_finite() { mean } else { 1.0 }
        };
        let means = squares.map(mean);
        self.slides.iter().map(|&slide| means[usize::from(slide)]).collect()
    }

    /// How good a choice is here.
    pub fn condition(&self, partition: &Partition) -> Condition {
        let scales = self.scales();
        // What is in no constraint moves nothing else.
        let mut bound = vec![false; self.columns];
        self.rows.iter().flatten().for_each(|&(column, _)| bound[column] = true);
        let free = partition.independent.iter().copied();
        let free: Vec<usize> = free.filter(|&at| bound[at] && !self.barred[at]).collect();
        let size = partition.dependent().count();
        let exact = free.len() * size <= EXACT;
        let probes = if exact { free.len() } else { PROBES };
        let mut amplification = 0.0_f64;
        let mut growth = 1.0_f64;
        // Where a column is in its block.
        let mut inside = vec![usize::MAX; self.columns];
        let factors: Vec<Factor> = partition
            .blocks
            .iter()
            .map(|block| {
                block.columns.iter().enumerate().for_each(|(at, &column)| inside[column] = at);
                let line = |&row: &usize| {
                    let mut line = vec![0.0; block.columns.len()];
                    for &(column, value) in &self.rows[row] {
                        // Columns of other blocks have places there.
                        let at = inside[column];
                        if block.columns.get(at) == Some(&column) {
                            line[at] = value / scales[column];
                        }
                    }
                    line
                };
                let matrix: Vec<Vec<f64>> = block.rows.iter().map(line).collect();
                growth = growth.max(growth_without_pivots(matrix.clone()));
                Factor::of(matrix)
            })
            .collect();
        let negative = factors.iter().filter(|factor| factor.negative()).count();
        for probe in 0..probes {
            // All speeds: given ones of independent columns, then those that follow.
            let mut speeds = vec![0.0; self.columns];
            for (at, &column) in free.iter().enumerate() {
                speeds[column] = match exact {
                    true => f64::from(u8::from(at == probe)),
                    false => sign(at, probe),
                };
            }
            for (block, factor) in partition.blocks.iter().zip(&factors) {
                let mut known = block.rows.iter().flat_map(|&row| &self.rows[row]);
                // Most blocks feel but a few of the free columns.
                if known.all(|&(column, _)| speeds[column] == 0.0) {
                    continue;
                }
                let right = block.rows.iter().map(|&row| {
                    let known = self.rows[row]
                        .iter()
                        .map(|&(column, value)| value / scales[column] * speeds[column]);
                    -known.sum::<f64>()
                });
                let solved = factor.solve(right.collect());
                for (&column, value) in block.columns.iter().zip(solved) {
                    speeds[column] = value;
                    // What is not a number is as bad as can be.
                    let size = if value.is_finite() { value.abs() } else { f64::INFINITY };
                    amplification = amplification.max(size);
                }
            }
        }
        Condition { amplification, growth, positive: negative % 2 == 0 }
    }

    /// The best choices here, cheapest first: by pattern and numbers, then by the largest pivots alone.
    pub fn choices(&self, now: &Choice) -> Vec<Choice> {
        let kept: Vec<usize> =
            (0..self.rows.len()).filter(|row| !now.spare.contains(row)).collect();
        let shape = Shape {
            rows: kept.iter().map(|&row| self.rows[row].clone()).collect(),
            columns: self.columns,
            barred: self.barred.clone(),
            wishes: vec![None; self.columns],
            ties: Vec::new(),
        };
        let sparse = partition::partition(&shape).ok();
        let sound =
            self.largest(&kept).and_then(|columns| partition::chosen(&shape, &columns).ok());
        let choice = |mut found: Partition| {
            for block in &mut found.blocks {
                block.rows.iter_mut().for_each(|row| *row = kept[*row]);
            }
            Choice { coordinates: found.clone(), speeds: found, spare: now.spare.clone() }
        };
        sparse.into_iter().chain(sound).map(choice).collect()
    }

    /// Dependent columns by elimination with the largest pivot of all that is left (Morette, section 2.2.2), scaled.
    fn largest(&self, kept: &[usize]) -> Option<Vec<usize>> {
        let scales = self.scales();
        let mut rest: Vec<Vec<f64>> = kept
            .iter()
            .map(|&row| {
                let mut line = vec![0.0; self.columns];
                for &(column, value) in &self.rows[row] {
                    if !self.barred[column] {
                        line[column] = value / scales[column];
                    }
                }
                line
            })
            .collect();
        let mut columns = Vec::new();
        while !rest.is_empty() {
            let mut best = (0, 0, 0.0_f64);
            for (i, line) in rest.iter().enumerate() {
                for (j, value) in line.iter().enumerate() {
                    if value.abs() > best.2 * (1.0 + 1e-12) {
                        best = (i, j, value.abs());
                    }
                }
            }
            if best.2 == 0.0 {
                return None;
            }
            let pivot = rest.swap_remove(best.0);
            for line in &mut rest {
                let factor = line[best.1] / pivot[best.1];
                if factor != 0.0 {
                    line.iter_mut().zip(&pivot).for_each(|(x, y)| *x -= factor * y);
                    line[best.1] = 0.0;
                }
            }
            columns.push(best.1);
        }
        Some(columns)
    }
}

/// A sign that looks random and is the same on every machine.
fn sign(at: usize, probe: usize) -> f64 {
    let mixed = (at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(7 * probe as u32);
    if mixed & 1 == 0 { 1.0 } else { -1.0 }
}

/// The largest quotient of an entry and its pivot when a matrix is eliminated as it stands.
fn growth_without_pivots(mut a: Vec<Vec<f64>>) -> f64 {
    let mut growth = 1.0_f64;
    for k in 0..a.len() {
        let mut largest = 0.0_f64;
        for line in &a[k..] {
            for x in &line[k..] {
                largest = if x.abs() > largest { x.abs() } else { largest };
            }
        }
        let pivot = a[k][k];
        let quotient = largest / pivot.abs();
        growth = growth.max(if quotient.is_finite() { quotient } else { f64::INFINITY });
        let (above, below) = a.split_at_mut(k + 1);
        for line in below {
            let factor = line[k] / pivot;
            // Closed loops have sparse matrices.
            if factor == 0.0 {
                continue;
            }
            line[k..].iter_mut().zip(&above[k][k..]).for_each(|(x, y)| *x -= factor * y);
        }
    }
    growth
}

/// A small dense matrix, factored with the largest pivot of each column.
pub(crate) struct Factor {
    lu: Vec<Vec<f64>>,
    order: Vec<usize>,
}

impl Factor {
    pub fn of(mut a: Vec<Vec<f64>>) -> Factor {
        let mut order: Vec<usize> = (0..a.len()).collect();
        for k in 0..a.len() {
            let best = (k..a.len()).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs()));
            let best = best.unwrap_or(k);
            a.swap(k, best);
            order.swap(k, best);
            let (above, below) = a.split_at_mut(k + 1);
            for line in below {
                let factor = line[k] / above[k][k];
                line[k] = factor;
                if factor == 0.0 {
                    continue;
                }
                line[k + 1..]
                    .iter_mut()
                    .zip(&above[k][k + 1..])
                    .for_each(|(x, y)| *x -= factor * y);
            }
        }
        Factor { lu: a, order }
    }

    /// Whether the determinant is negative.
    fn negative(&self) -> bool {
        let mut order = self.order.clone();
        let mut negative = false;
        for at in 0..order.len() {
            negative ^= self.lu[at][at] < 0.0;
            // Every exchange that sorts the rows turns the sign.
            while order[at] != at {
                let other = order[at];
                order.swap(at, other);
                negative = !negative;
            }
        }
        negative
    }

    pub fn solve(&self, right: Vec<f64>) -> Vec<f64> {
        let mut x: Vec<f64> = self.order.iter().map(|&row| right[row]).collect();
        for i in 0..x.len() {
            let known: f64 = self.lu[i][..i].iter().zip(&x).map(|(a, x)| a * x).sum();
            x[i] -= known;
        }
        for i in (0..x.len()).rev() {
            let known: f64 = self.lu[i][i + 1..].iter().zip(&x[i + 1..]).map(|(a, x)| a * x).sum();
            x[i] = (x[i] - known) / self.lu[i][i];
        }
        x
    }
}

/// How far the constraints are from being fulfilled.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drift {
    /// The largest residual of positions.
    pub position: f64,
    /// The largest residual of velocities.
    pub velocity: f64,
}

/// The residuals of `h` and of `J qd + e`, of the rows that are not set aside.
pub fn drift(h: &[f64], jacobian: &Jacobian, e: &[f64], point: &Point) -> Drift {
    let most = |most: f64, value: f64| if value.abs() <= most { most } else { value.abs() };
    let velocity = jacobian.rows.iter().zip(e).map(|(row, e)| {
        row.iter().map(|&(column, value)| value * point.qd[column]).sum::<f64>() + e
    });
    Drift { position: h.iter().copied().fold(0.0, most), velocity: velocity.fold(0.0, most) }
}
