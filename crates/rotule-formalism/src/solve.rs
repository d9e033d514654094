//! Small systems of equations: Newton's step, and derivatives of what an iteration finds.
//!
//! Unknowns u of residuals r(u, s) = 0 depend on all other inputs s. By the theorem of implicit
//! functions
//!
//! ```text
//! dr/du du/ds = -dr/ds          df/ds = df/ds at fixed u + df/du du/ds
//! ```
//!
//! No pivots are chosen, because at the time of writing nobody knows the numbers. Up to four
//! unknowns are found by minors (Cramer), which only divide by the determinant; more by the normal
//! equations `J^T J x = J^T b`, whose pivots are positive wherever J is regular, at the price of
//! the square of its condition.

use crate::constraint::lu::Lu;
use crate::tree::Tree;
use rotule_program::lower::Solve;
use rotule_symbolic::{Derivatives, Direction, Expr, Graph, SymbolId};
use std::collections::{BTreeMap, BTreeSet};

/// The unknowns after a step of Newton's method.
pub(crate) fn newton(graph: &mut Graph, residuals: &[Expr], unknowns: &[Expr]) -> Vec<Expr> {
    let derivatives = graph.derivatives(residuals, unknowns);
    let matrix = square(&derivatives, unknowns.len());
    let steps = solved(graph, &matrix, residuals);
    unknowns.iter().zip(steps).map(|(&unknown, step)| graph.sub(unknown, step)).collect()
}

fn square(derivatives: &Derivatives, size: usize) -> Vec<Vec<Expr>> {
    let row = |i: usize| (0..size).map(|j| derivatives.get(i, j)).collect();
    (0..size).map(row).collect()
}

/// The solution of a regular system.
pub(crate) fn solved(graph: &mut Graph, matrix: &[Vec<Expr>], right: &[Expr]) -> Vec<Expr> {
    let size = matrix.len();
    if size <= 4 { cramer(graph, matrix, right) } else { normal(graph, matrix, right) }
}

/// By minors: `x_j` is the sum over i of cofactor_ij b_i, divided by the determinant.
fn cramer(graph: &mut Graph, matrix: &[Vec<Expr>], right: &[Expr]) -> Vec<Expr> {
    let size = matrix.len();
    let all = (1_usize << size) - 1;
    let mut minors = Minors { matrix, known: BTreeMap::new() };
    let mut cofactors = vec![vec![Expr::ZERO; size]; size];
    for (i, row) in cofactors.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            let minor = minors.of(graph, all & !(1 << i), all & !(1 << j));
            *entry = if (i + j) % 2 == 1 { -minor } else { minor };
        }
    }
    let products: Vec<Expr> = (0..size).map(|j| graph.mul(matrix[0][j], cofactors[0][j])).collect();
    let determinant = graph.sum(&products);
    let determinant = graph.name("det", determinant);
    (0..size)
        .map(|j| {
            let terms: Vec<Expr> =
                (0..size).map(|i| graph.mul(cofactors[i][j], right[i])).collect();
            let above = graph.sum(&terms);
            graph.div(above, determinant)
        })
        .collect()
}

/// Determinants of parts of a small matrix, by their rows and columns as bits; each written once.
struct Minors<'a> {
    matrix: &'a [Vec<Expr>],
    known: BTreeMap<(usize, usize), Expr>,
}

impl Minors<'_> {
    /// Along the first row. The recursion is as deep as the matrix is large, at most four.
    fn of(&mut self, graph: &mut Graph, rows: usize, columns: usize) -> Expr {
        if rows == 0 {
            return Expr::ONE;
        }
        if let Some(&known) = self.known.get(&(rows, columns)) {
            return known;
        }
        let first = rows.trailing_zeros() as usize;
        let mut terms = Vec::new();
        let mut negative = false;
        for j in (0..self.matrix.len()).filter(|j| columns >> j & 1 == 1) {
            let entry = self.matrix[first][j];
            if entry != Expr::ZERO {
                let rest = self.of(graph, rows & !(1 << first), columns & !(1 << j));
                let term = graph.mul(entry, rest);
                terms.push(if negative { -term } else { term });
            }
            negative = !negative;
        }
        let minor = graph.sum(&terms);
        self.known.insert((rows, columns), minor);
        minor
    }
}

/// By `J^T J = L D L^T`.
fn normal(graph: &mut Graph, matrix: &[Vec<Expr>], right: &[Expr]) -> Vec<Expr> {
    let size = matrix.len();
    let dot = |a: &dyn Fn(usize) -> Expr, b: &dyn Fn(usize) -> Expr, graph: &mut Graph| {
        let terms: Vec<Expr> = (0..size).map(|k| graph.mul(a(k), b(k))).collect();
        let sum = graph.sum(&terms);
        graph.name("jj", sum)
    };
    let mut lower = vec![vec![Expr::ZERO; size]; size];
    let mut values = Vec::new();
    for i in 0..size {
        for j in 0..=i {
            lower[i][j] = dot(&|k| matrix[k][i], &|k| matrix[k][j], graph);
        }
        values.push(dot(&|k| matrix[k][i], &|k| right[k], graph));
    }
    for j in 0..size {
        let pivot = lower[j][j];
        for i in j + 1..size {
            let factor = graph.div(lower[i][j], pivot);
            let factor = graph.name("lj", factor);
            for row in lower.iter_mut().skip(i) {
                let part = graph.mul(factor, row[j]);
                let rest = graph.sub(row[i], part);
                row[i] = graph.name("jj", rest);
            }
            let part = graph.mul(factor, values[j]);
            let rest = graph.sub(values[i], part);
            values[i] = graph.name("jj", rest);
        }
    }
    for j in (0..size).rev() {
        let mut terms = vec![values[j]];
        for i in j + 1..size {
            terms.push(-graph.mul(lower[i][j], values[i]));
        }
        let sum = graph.sum(&terms);
        let value = graph.div(sum, lower[j][j]);
        values[j] = graph.name("xj", value);
    }
    values
}

/// Rates with those of the same symbol added.
fn summed(rates: Vec<(Expr, Expr)>, graph: &mut Graph) -> Vec<(Expr, Expr)> {
    let mut sums: BTreeMap<Expr, Vec<Expr>> = BTreeMap::new();
    for (symbol, rate) in rates {
        sums.entry(symbol).or_default().push(rate);
    }
    sums.into_iter().map(|(symbol, terms)| (symbol, graph.sum(&terms))).collect()
}

impl Tree {
    /// Derivatives of expressions by symbols, with those that pass through unknowns of
    /// [`Tree::solves`].
    pub fn total_derivatives(&mut self, exprs: &[Expr], symbols: &[Expr]) -> Derivatives {
        let name = |symbol: Expr| self.mechanism.graph.text(symbol);
        let direction =
            |&symbol: &Expr| Direction { name: name(symbol), rates: vec![(symbol, Expr::ONE)] };
        let directions: Vec<Direction> = symbols.iter().map(direction).collect();
        let directions = self.total_directions(exprs, directions);
        self.mechanism.graph.derivatives_along(exprs, &directions)
    }

    /// Directions with the rates of all unknowns of [`Tree::solves`] that the expressions depend
    /// on.
    pub(crate) fn total_directions(
        &mut self,
        exprs: &[Expr],
        mut directions: Vec<Direction>,
    ) -> Vec<Direction> {
        // Unknowns follow, and are no variables.
        let unknowns: BTreeSet<Expr> =
            self.solves.iter().flat_map(|solve| solve.unknowns.iter().copied()).collect();
        let tangents: Vec<&Direction> = self.tangents.values().flatten().collect();
        let turned: BTreeSet<Expr> =
            tangents.iter().flat_map(|one| one.rates.iter().map(|rate| rate.0)).collect();
        for direction in &mut directions {
            // A quaternion may follow along some axes and be free along others.
            if tangents.iter().any(|tangent| tangent.rates == direction.rates) {
                direction.rates.clear();
            }
            direction
                .rates
                .retain(|(symbol, _)| !unknowns.contains(symbol) || turned.contains(symbol));
        }
        for index in self.solves_below(exprs) {
            let Solve { unknowns, residuals, .. } = self.solves[index].clone();
            let plain = |&unknown: &Expr| Direction {
                name: String::new(),
                rates: vec![(unknown, Expr::ONE)],
            };
            let tangents = self.tangents.get(&index).cloned();
            let shared = tangents.is_some();
            let tangents = tangents.unwrap_or_else(|| unknowns.iter().map(plain).collect());
            let graph = &mut self.mechanism.graph;
            // Unknowns that were found before move already.
            let moved = graph.derivatives_along(&residuals, &directions);
            let inner = graph.derivatives_along(&residuals, &tangents);
            let matrix = square(&inner, tangents.len());
            // Only loops have so many unknowns, and theirs are in the order of their pivots.
            let factor = (tangents.len() > 4).then(|| Lu::of(matrix.clone(), "du", graph));
            for (column, direction) in directions.iter_mut().enumerate() {
                let right: Vec<Expr> =
                    (0..residuals.len()).map(|row| -moved.get(row, column)).collect();
                if right.iter().all(|&entry| entry == Expr::ZERO) {
                    continue;
                }
                let rates = match &factor {
                    Some(factor) => factor.solve(&right, "du", graph),
                    None => solved(graph, &matrix, &right),
                };
                for (tangent, rate) in tangents.iter().zip(rates) {
                    let rate = graph.name("du", rate);
                    let parts = tangent.rates.iter();
                    direction
                        .rates
                        .extend(parts.map(|&(at, factor)| (at, graph.mul(rate, factor))));
                }
                if shared {
                    direction.rates = summed(std::mem::take(&mut direction.rates), graph);
                }
            }
        }
        directions
    }

    /// The solves whose unknowns some expressions depend on, through others too, in their order.
    fn solves_below(&mut self, exprs: &[Expr]) -> Vec<usize> {
        let graph = &mut self.mechanism.graph;
        let symbols = |solve: &Solve, graph: &Graph| -> Vec<SymbolId> {
            solve.unknowns.iter().filter_map(|&unknown| graph.symbol_of(unknown)).collect()
        };
        let mut wanted: BTreeSet<SymbolId> = BTreeSet::new();
        for &expr in exprs {
            let set = graph.symbols_of(expr);
            wanted.extend(graph.symbols_in(set));
        }
        let mut needed = Vec::new();
        for index in (0..self.solves.len()).rev() {
            let own = symbols(&self.solves[index], graph);
            if own.iter().any(|symbol| wanted.contains(symbol)) {
                needed.push(index);
                for &residual in &self.solves[index].residuals {
                    let set = graph.symbols_of(residual);
                    wanted.extend(graph.symbols_in(set));
                }
            }
        }
        needed.reverse();
        needed
    }
}

#[cfg(test)]
mod tests {
    use super::{newton, solved};
    use rotule_symbolic::{Expr, Graph, Kind};

    /// Random systems with zeros on the diagonal: the solution, put in, gives the right side.
    #[test]
    fn systems_of_every_size_are_solved() {
        for size in 1..=7 {
            let mut graph = Graph::new();
            let mut number = |name: String| graph.symbol(&name, Kind::Coordinate);
            let mut matrix: Vec<Vec<Expr>> = (0..size)
                .map(|i| (0..size).map(|j| number(format!("a{i}_{j}"))).collect())
                .collect();
            let right: Vec<Expr> = (0..size).map(|i| number(format!("b{i}"))).collect();
            // Regular by what stands beside the diagonal.
            let large = graph.number(4);
            for (i, row) in matrix.iter_mut().enumerate() {
                row[i] = if size > 1 { Expr::ZERO } else { row[i] };
                row[(i + 1) % size] = graph.add(row[(i + 1) % size], large);
            }
            let solution = solved(&mut graph, &matrix, &right);
            let mut sums = Vec::new();
            for (row, &right) in matrix.iter().zip(&right) {
                let terms: Vec<Expr> =
                    row.iter().zip(&solution).map(|(&a, &x)| graph.mul(a, x)).collect();
                let sum = graph.sum(&terms);
                sums.push(graph.sub(sum, right));
            }
            let value = |name: &str| {
                // Neighbouring names give neighbouring numbers, so these are spread.
                let mix = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(16_777_619);
                Some(f64::from(name.bytes().fold(size as u32, mix)).sin())
            };
            let left = graph.evaluate_f64(&sums, value).expect("all are known");
            for rest in left {
                assert!(rest.abs() < 1e-12, "size {size}: {rest}");
            }
        }
    }

    #[test]
    fn newton_takes_the_tangent() {
        let mut graph = Graph::new();
        let residual = graph.parse("q1^2 - 2").expect("an expression");
        let unknown = graph.lookup("q1").expect("it was declared");
        let next = newton(&mut graph, &[residual], &[unknown]);
        let value = graph.evaluate_f64(&next, |_| Some(1.0)).expect("all are known")[0];
        assert!((value - 1.5).abs() < 1e-15);
    }
}
