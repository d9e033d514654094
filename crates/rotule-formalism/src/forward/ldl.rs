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

#![allow(non_snake_case)] // symbols as in the formulas

use crate::writer::Entries;
use rotule_symbolic::{Scalar, sum};
use std::collections::BTreeMap;

/// A factored symmetric matrix.
#[derive(Clone, Debug)]
pub struct LdlFactor<'g> {
    rows: Vec<Row<'g>>,
}

/// A row of `L` left of the diagonal, the pivot and its reciprocal.
#[derive(Clone, Debug)]
struct Row<'g> {
    entries: Vec<(usize, Scalar<'g>)>,
    pivot: Scalar<'g>,
    inverse: Scalar<'g>,
}

/// The matrix has no inverse, because this pivot is zero whatever the inputs are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Singular(pub usize);

impl<'g> LdlFactor<'g> {
    /// Factors the matrix with these entries at or below its diagonal: row, column, value. Entries
    /// at the same place are added. Variables are named after `name`.
    pub fn of(
        entries: &[(usize, usize, Scalar<'g>)],
        size: usize,
        name: &str,
    ) -> Result<LdlFactor<'g>, Singular> {
        // The terms of every entry, which are added once all are known.
        let mut M: Vec<BTreeMap<usize, Vec<Scalar<'g>>>> = vec![BTreeMap::new(); size];
        for &(row, column, value) in entries {
            M[row].entry(column).or_default().push(value);
        }
        let mut rows = Vec::with_capacity(size);
        for k in (0..size).rev() {
            let mut own = Vec::new();
            for (column, terms) in std::mem::take(&mut M[k]) {
                let value = sum(terms);
                if !value.is_zero() {
                    own.push((column, value.named(&format!("{name}[{},{}]", k + 1, column + 1))));
                }
            }
            let Some((_, pivot)) = own.pop_if(|(column, _)| *column == k) else {
                return Err(Singular(k));
            };
            let inverse = (Scalar::ONE / pivot).named(&format!("{name}D[{}]", k + 1));
            let mut entries = Vec::with_capacity(own.len());
            for (at, &(i, value)) in own.iter().enumerate() {
                let l = (value * inverse).named(&format!("{name}L[{},{}]", k + 1, i + 1));
                for &(j, other) in &own[..=at] {
                    M[i].entry(j).or_default().push(-(l * other));
                }
                entries.push((i, l));
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
    pub fn pivots(&self) -> Vec<Scalar<'g>> {
        self.rows.iter().map(|row| row.pivot).collect()
    }

    /// The solution of `M x = b`. Zeros of `b` cost nothing.
    pub fn solve(&self, b: &[Scalar<'g>], name: &str) -> Vec<Scalar<'g>> {
        self.back(&self.scaled(&self.half(b, name)), name)
    }

    /// `D^-1 y`: between the two halves.
    pub fn scaled(&self, y: &[Scalar<'g>]) -> Vec<Scalar<'g>> {
        self.rows.iter().zip(y).map(|(row, &y)| y * row.inverse).collect()
    }

    /// The solution of `L x = z`: the other half.
    pub fn back(&self, z: &[Scalar<'g>], name: &str) -> Vec<Scalar<'g>> {
        let mut x: Vec<Scalar<'g>> = Vec::with_capacity(self.size());
        for (k, (row, &z)) in self.rows.iter().zip(z).enumerate() {
            let known = row.entries.iter().map(|&(i, l)| -(l * x[i]));
            x.push(sum([z].into_iter().chain(known)).named(&format!("{name}[{}]", k + 1)));
        }
        x
    }

    /// The solution of `L' y = b`: half of the way.
    pub fn half(&self, b: &[Scalar<'g>], name: &str) -> Vec<Scalar<'g>> {
        let mut b: Vec<Vec<Scalar<'g>>> = b.iter().map(|&value| vec![value]).collect();
        let mut y = vec![Scalar::ZERO; self.size()];
        for (k, row) in self.rows.iter().enumerate().rev() {
            y[k] = sum(std::mem::take(&mut b[k])).named(&format!("{name}Y[{}]", k + 1));
            for &(i, l) in &row.entries {
                let product = l * y[k];
                if !product.is_zero() {
                    b[i].push(-product);
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
    pub fn inverse(&self, name: &str) -> Entries<'g> {
        let mut rows: Vec<Vec<Scalar<'g>>> = Vec::with_capacity(self.size());
        let mut entries = Vec::new();
        for (k, row) in self.rows.iter().enumerate() {
            let mut own: Vec<Scalar<'g>> = Vec::with_capacity(k + 1);
            for j in 0..=k {
                let first = if j == k { row.inverse } else { Scalar::ZERO };
                // Row k is known up to column j, which is enough for the diagonal.
                let X = |i: usize| if j == k { own[i] } else { rows[i.max(j)][i.min(j)] };
                let rest = row.entries.iter().map(|&(i, l)| -(l * X(i)));
                let value = sum([first].into_iter().chain(rest));
                let value = value.named(&format!("{name}[{},{}]", k + 1, j + 1));
                own.push(value);
                if !value.is_zero() {
                    entries.push((k, j, value));
                }
            }
            rows.push(own);
        }
        entries
    }
}
