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

#![allow(non_snake_case)] // symbols as in the formulas

use crate::constraint::lu::Lu;
use crate::writer::{Writer, exprs};
use rotule_program::lower::Solve;
use rotule_symbolic::{Direction, Expr, Graph, Scalar, SymbolId, sum};
use std::collections::{BTreeMap, BTreeSet};

/// The unknowns after a step of Newton's method: `u - J^-1 r`.
pub(crate) fn newton<'g>(
    J: &[Vec<Scalar<'g>>],
    r: &[Scalar<'g>],
    u: &[Scalar<'g>],
) -> Vec<Scalar<'g>> {
    u.iter().zip(solved(J, r)).map(|(&u, step)| u - step).collect()
}

/// The solution of a regular system.
pub(crate) fn solved<'g>(A: &[Vec<Scalar<'g>>], b: &[Scalar<'g>]) -> Vec<Scalar<'g>> {
    if A.len() <= 4 { cramer(A, b) } else { normal(A, b) }
}

/// By minors: `x_j` is the sum over i of cofactor_ij b_i, divided by the determinant.
fn cramer<'g>(A: &[Vec<Scalar<'g>>], b: &[Scalar<'g>]) -> Vec<Scalar<'g>> {
    let size = A.len();
    let all = (1_usize << size) - 1;
    let mut minors = Minors { A, known: BTreeMap::new() };
    let mut cofactors = vec![vec![Scalar::ZERO; size]; size];
    for (i, row) in cofactors.iter_mut().enumerate() {
        for (j, entry) in row.iter_mut().enumerate() {
            let minor = minors.of(all & !(1 << i), all & !(1 << j));
            *entry = minor.negated_if((i + j) % 2 == 1);
        }
    }
    let determinant = sum((0..size).map(|j| A[0][j] * cofactors[0][j])).named("det");
    (0..size).map(|j| sum((0..size).map(|i| cofactors[i][j] * b[i])) / determinant).collect()
}

/// Determinants of parts of a small matrix, by their rows and columns as bits; each written once.
struct Minors<'a, 'g> {
    A: &'a [Vec<Scalar<'g>>],
    known: BTreeMap<(usize, usize), Scalar<'g>>,
}

impl<'g> Minors<'_, 'g> {
    /// Along the first row. The recursion is as deep as the matrix is large, at most four.
    fn of(&mut self, rows: usize, columns: usize) -> Scalar<'g> {
        if rows == 0 {
            return Scalar::ONE;
        }
        if let Some(&known) = self.known.get(&(rows, columns)) {
            return known;
        }
        let first = rows.trailing_zeros() as usize;
        let mut terms = Vec::new();
        let mut negative = false;
        for j in (0..self.A.len()).filter(|j| columns >> j & 1 == 1) {
            let entry = self.A[first][j];
            if !entry.is_zero() {
                let rest = self.of(rows & !(1 << first), columns & !(1 << j));
                terms.push((entry * rest).negated_if(negative));
            }
            negative = !negative;
        }
        let minor = sum(terms);
        self.known.insert((rows, columns), minor);
        minor
    }
}

/// By `J^T J = L D L^T`.
fn normal<'g>(J: &[Vec<Scalar<'g>>], b: &[Scalar<'g>]) -> Vec<Scalar<'g>> {
    let size = J.len();
    let mut A = vec![vec![Scalar::ZERO; size]; size];
    let mut x = Vec::new();
    for i in 0..size {
        for j in 0..=i {
            A[i][j] = sum((0..size).map(|k| J[k][i] * J[k][j])).named("jj");
        }
        x.push(sum((0..size).map(|k| J[k][i] * b[k])).named("jj"));
    }
    for j in 0..size {
        for i in j + 1..size {
            let l = (A[i][j] / A[j][j]).named("lj");
            for row in A.iter_mut().skip(i) {
                row[i] = (row[i] - l * row[j]).named("jj");
            }
            x[i] = (x[i] - l * x[j]).named("jj");
        }
    }
    for j in (0..size).rev() {
        let known = (j + 1..size).map(|i| -(A[i][j] * x[i]));
        x[j] = (sum([x[j]].into_iter().chain(known)) / A[j][j]).named("xj");
    }
    x
}

impl<'g> Writer<'_, 'g> {
    /// The direction of a symbol, with its name.
    pub(crate) fn along(self, symbol: Expr) -> Direction {
        Direction { name: self.text(symbol), rates: vec![(symbol, Expr::ONE)] }
    }

    /// Derivatives along directions as rows of a dense matrix.
    pub(crate) fn jacobian(
        self,
        list: &[Scalar<'g>],
        directions: &[Direction],
    ) -> Vec<Vec<Scalar<'g>>> {
        let mut rows = vec![vec![Scalar::ZERO; directions.len()]; list.len()];
        for (row, column, value) in self.derivatives_along(list, directions) {
            rows[row][column] = value;
        }
        rows
    }

    /// Derivatives of expressions by symbols, with those that pass through unknowns of
    /// [`crate::Sheet::solves`]: row, column, value of those that are not zero.
    pub fn total_derivatives(self, list: &[Expr], symbols: &[Expr]) -> Vec<(usize, usize, Expr)> {
        let list = self.scalars(list);
        let named = symbols.iter().map(|&symbol| self.along(symbol)).collect();
        let directions = self.total_directions(&list, named);
        let found = self.derivatives_along(&list, &directions).into_iter();
        found.map(|(row, column, value)| (row, column, value.expr())).collect()
    }

    /// Directions with the rates of all unknowns of [`crate::Sheet::solves`] that the expressions
    /// depend on.
    pub(crate) fn total_directions(
        self,
        list: &[Scalar<'g>],
        mut directions: Vec<Direction>,
    ) -> Vec<Direction> {
        let (solves, tangents) = (self.sheet.solves.borrow(), self.sheet.tangents.borrow());
        // Unknowns follow, and are no variables.
        let unknowns: BTreeSet<Expr> =
            solves.iter().flat_map(|solve| solve.unknowns.iter().copied()).collect();
        let all: Vec<&Direction> = tangents.values().flatten().collect();
        let rotated: BTreeSet<Expr> =
            all.iter().flat_map(|one| one.rates.iter().map(|rate| rate.0)).collect();
        for direction in &mut directions {
            // A quaternion may follow along some axes and be free along others.
            if all.iter().any(|tangent| tangent.rates == direction.rates) {
                direction.rates.clear();
            }
            direction
                .rates
                .retain(|(symbol, _)| !unknowns.contains(symbol) || rotated.contains(symbol));
        }
        for index in self.solves_below(&solves, list) {
            let Solve { unknowns, residuals, .. } = &solves[index];
            let shared = tangents.get(&index);
            let plain = |&symbol: &Expr| Direction {
                name: String::new(),
                rates: vec![(symbol, Expr::ONE)],
            };
            let tangents = shared.cloned().unwrap_or_else(|| unknowns.iter().map(plain).collect());
            let r = self.scalars(residuals);
            // Unknowns that were found before move already.
            let moved = self.jacobian(&r, &directions);
            let J = self.jacobian(&r, &tangents);
            // Only loops have so many unknowns, and theirs are in the order of their pivots.
            let factor = (tangents.len() > 4).then(|| Lu::of(J.clone(), "du"));
            for (column, direction) in directions.iter_mut().enumerate() {
                let b: Vec<Scalar<'g>> = moved.iter().map(|row| -row[column]).collect();
                if b.iter().all(|entry| entry.is_zero()) {
                    continue;
                }
                let rates = match &factor {
                    Some(factor) => factor.solve(&b, "du"),
                    None => solved(&J, &b),
                };
                for (tangent, rate) in tangents.iter().zip(rates) {
                    let rate = rate.named("du");
                    let parts = tangent.rates.iter();
                    let part = |&(at, factor)| (at, (rate * self.scalar(factor)).expr());
                    direction.rates.extend(parts.map(part));
                }
                if shared.is_some() {
                    direction.rates = self.summed(&direction.rates);
                }
            }
        }
        directions
    }

    /// Rates with those of the same symbol added.
    fn summed(self, rates: &[(Expr, Expr)]) -> Vec<(Expr, Expr)> {
        let mut sums: BTreeMap<Expr, Vec<Scalar<'g>>> = BTreeMap::new();
        for &(symbol, rate) in rates {
            sums.entry(symbol).or_default().push(self.scalar(rate));
        }
        sums.into_iter().map(|(symbol, terms)| (symbol, sum(terms).expr())).collect()
    }

    /// The solves whose unknowns some expressions depend on, through others too, in their order.
    fn solves_below(self, solves: &[Solve], list: &[Scalar<'g>]) -> Vec<usize> {
        self.edit(|graph| {
            let mut reached: BTreeSet<SymbolId> = BTreeSet::new();
            let want = |reached: &mut BTreeSet<SymbolId>, exprs: &[Expr], graph: &mut Graph| {
                for &expr in exprs {
                    let set = graph.symbols_of(expr);
                    reached.extend(graph.symbols_in(set));
                }
            };
            want(&mut reached, &exprs(list), graph);
            let mut needed = Vec::new();
            for (index, solve) in solves.iter().enumerate().rev() {
                let symbol = |&unknown: &Expr| graph.symbol_of(unknown);
                if solve.unknowns.iter().filter_map(symbol).any(|one| reached.contains(&one)) {
                    needed.push(index);
                    want(&mut reached, &solve.residuals, graph);
                }
            }
            needed.reverse();
            needed
        })
    }
}

#[cfg(test)]
mod tests {
    use super::{newton, solved};
    use rotule_symbolic::{Expr, Graph, GraphCell, Kind, Scalar, sum};

    /// Random systems with zeros on the diagonal: the solution, put in, gives the right side.
    #[test]
    fn systems_of_every_size_are_solved() {
        for size in 1..=7 {
            let cell = GraphCell::new(Graph::new());
            let number = |name: String| cell.symbol(&name, Kind::Coordinate);
            let mut matrix: Vec<Vec<Scalar<'_>>> = (0..size)
                .map(|i| (0..size).map(|j| number(format!("a{i}_{j}"))).collect())
                .collect();
            let right: Vec<Scalar<'_>> = (0..size).map(|i| number(format!("b{i}"))).collect();
            // Regular by what stands beside the diagonal.
            let large = cell.number(4);
            for (i, row) in matrix.iter_mut().enumerate() {
                row[i] = if size > 1 { Scalar::ZERO } else { row[i] };
                row[(i + 1) % size] += large;
            }
            let solution = solved(&matrix, &right);
            let rests = matrix.iter().zip(&right).map(|(row, &right)| {
                let found = sum(row.iter().zip(&solution).map(|(&a, &x)| a * x));
                (found - right).expr()
            });
            let rests: Vec<Expr> = rests.collect();
            let value = |name: &str| Some(rotule_symbolic::random::of_name(name, size as u32));
            let left = cell.read(|graph| graph.evaluate_f64(&rests, value)).expect("all are known");
            for rest in left {
                assert!(rest.abs() < 1e-12, "size {size}: {rest}");
            }
        }
    }

    #[test]
    fn newton_takes_the_tangent() {
        let cell = GraphCell::new(Graph::new());
        let q = cell.symbol("q1", Kind::Coordinate);
        let next = newton(&[vec![q + q]], &[q * q - cell.number(2)], &[q])[0].expr();
        let value = cell.read(|graph| graph.evaluate_f64(&[next], |_| Some(1.0)));
        assert!((value.expect("all are known")[0] - 1.5).abs() < 1e-15);
    }
}
