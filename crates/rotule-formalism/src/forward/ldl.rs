//! Symmetric linear systems, factored as `M = L' D L` with unit lower triangular `L` (Postiau,
//! section 1.3.4, with two improvements).
//!
//! Unknowns are eliminated last to first. Where they are numbered from the base of a tree to its
//! leaves, the leaves go first, and zeros between parallel branches stay zeros. What is eliminated
//! is kept as it is beside its quotient with the pivot, which saves a product per entry:
//!
//! ```text
//! for k = n .. 1                       for the right-hand side b
//!   d_k  = M_kk                          y_k = b_k             b_i -= l_ki y_k      k = n .. 1
//!   l_ki = M_ki / d_k                    x_k = y_k / d_k - sum l_ki x_i             k = 1 .. n
//!   M_ij -= l_ki M_kj    for j <= i < k
//! ```
//!
//! A full matrix of n rows with one right-hand side takes n (n-1) (n+1) / 3 + n (5 n - 1) / 2
//! operations.

use rotule_symbolic::{Expr, Graph};
use std::collections::BTreeMap;

/// A factored symmetric matrix.
#[derive(Clone, Debug)]
pub struct LdlFactor {
    rows: Vec<Row>,
}

/// A row of `L` left of the diagonal, the pivot and its reciprocal.
#[derive(Clone, Debug)]
struct Row {
    entries: Vec<(usize, Expr)>,
    pivot: Expr,
    inverse: Expr,
}

/// The matrix has no inverse, because this pivot is zero whatever the inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular(pub usize);

impl LdlFactor {
    /// Factors the matrix with these entries at or below its diagonal: row, column, value. Entries
    /// at the same place are added. Variables are named after `name`.
    pub fn of(
        entries: &[(usize, usize, Expr)],
        size: usize,
        name: &str,
        graph: &mut Graph,
    ) -> Result<LdlFactor, Singular> {
        // The terms of every entry, which are added once all are there.
        let mut open: Vec<BTreeMap<usize, Vec<Expr>>> = vec![BTreeMap::new(); size];
        for &(row, column, value) in entries {
            open[row].entry(column).or_default().push(value);
        }
        let mut rows = Vec::with_capacity(size);
        for k in (0..size).rev() {
            let mut own = Vec::new();
            for (column, terms) in std::mem::take(&mut open[k]) {
                let value = graph.sum(&terms);
                if value != Expr::ZERO {
                    let label = format!("{name}[{},{}]", k + 1, column + 1);
                    own.push((column, graph.name(&label, value)));
                }
            }
            let Some((_, pivot)) = own.pop_if(|(column, _)| *column == k) else {
                return Err(Singular(k));
            };
            let inverse = graph.div(Expr::ONE, pivot);
            let inverse = graph.name(&format!("{name}D[{}]", k + 1), inverse);
            let mut entries = Vec::with_capacity(own.len());
            for (at, &(i, value)) in own.iter().enumerate() {
                let quotient = graph.mul(value, inverse);
                let label = format!("{name}L[{},{}]", k + 1, i + 1);
                let quotient = graph.name(&label, quotient);
                for &(j, other) in &own[..=at] {
                    let product = graph.mul(quotient, other);
                    open[i].entry(j).or_default().push(-product);
                }
                entries.push((i, quotient));
            }
            rows.push(Row { entries, pivot, inverse });
        }
        rows.reverse();
        Ok(LdlFactor { rows })
    }

    /// The number of unknowns.
    pub fn size(&self) -> usize {
        self.rows.len()
    }

    /// The number of entries of `L` left of its diagonal.
    pub fn entries(&self) -> usize {
        self.rows.iter().map(|row| row.entries.len()).sum()
    }

    /// The diagonal of `D`.
    pub fn pivots(&self) -> Vec<Expr> {
        self.rows.iter().map(|row| row.pivot).collect()
    }

    /// The solution of `M x = b`. Zeros of `b` cost nothing.
    pub fn solve(&self, b: &[Expr], name: &str, graph: &mut Graph) -> Vec<Expr> {
        let half = self.half(b, name, graph);
        let scaled = self.scaled(&half, graph);
        self.back(&scaled, name, graph)
    }

    /// `D^-1 y`: between the two halves.
    pub fn scaled(&self, y: &[Expr], graph: &mut Graph) -> Vec<Expr> {
        self.rows.iter().zip(y).map(|(row, &y)| graph.mul(y, row.inverse)).collect()
    }

    /// The solution of `L x = z`: the other half.
    pub fn back(&self, z: &[Expr], name: &str, graph: &mut Graph) -> Vec<Expr> {
        let mut x: Vec<Expr> = Vec::with_capacity(self.size());
        for (k, (row, &z)) in self.rows.iter().zip(z).enumerate() {
            let mut terms = vec![z];
            for &(i, l) in &row.entries {
                terms.push(-graph.mul(l, x[i]));
            }
            let value = graph.sum(&terms);
            x.push(graph.name(&format!("{name}[{}]", k + 1), value));
        }
        x
    }

    /// The solution of `L' y = b`: half of the way.
    pub fn half(&self, b: &[Expr], name: &str, graph: &mut Graph) -> Vec<Expr> {
        let mut open: Vec<Vec<Expr>> = b.iter().map(|&value| vec![value]).collect();
        let mut y = vec![Expr::ZERO; self.size()];
        for (k, row) in self.rows.iter().enumerate().rev() {
            let value = graph.sum(&open[k]);
            y[k] = graph.name(&format!("{name}Y[{}]", k + 1), value);
            for &(i, l) in &row.entries {
                let product = graph.mul(l, y[k]);
                if product != Expr::ZERO {
                    open[i].push(-product);
                }
            }
        }
        y
    }

    /// The entries of `X = M^-1` at or below its diagonal that are not zero. `L X = D^-1 L'^-1` has
    /// zeros below its diagonal and `1/d` on it, which gives each row from those above:
    ///
    /// ```text
    /// X_kj = - sum l_ki X_ij   for j < k        X_kk = 1/d_k - sum l_ki X_ki
    /// ```
    pub fn inverse(&self, name: &str, graph: &mut Graph) -> Vec<(usize, usize, Expr)> {
        let mut rows: Vec<Vec<Expr>> = Vec::with_capacity(self.size());
        let mut entries = Vec::new();
        for (k, row) in self.rows.iter().enumerate() {
            let mut own: Vec<Expr> = Vec::with_capacity(k + 1);
            for j in 0..=k {
                let mut terms = vec![if j == k { row.inverse } else { Expr::ZERO }];
                for &(i, l) in &row.entries {
                    // Row k is there up to column j, which is enough for the diagonal.
                    let other = if j == k { own[i] } else { rows[i.max(j)][i.min(j)] };
                    terms.push(-graph.mul(l, other));
                }
                let value = graph.sum(&terms);
                let value = graph.name(&format!("{name}[{},{}]", k + 1, j + 1), value);
                own.push(value);
                if value != Expr::ZERO {
                    entries.push((k, j, value));
                }
            }
            rows.push(own);
        }
        entries
    }
}
