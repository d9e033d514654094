//! Square systems of expressions, factored without pivoting: the order of rows and columns has been
//! chosen by numbers.

use rotule_symbolic::{Expr, Graph};

/// `A = L U` with unit lower triangular `L`; the reciprocals of the pivots are kept.
#[derive(Clone, Debug)]
pub(crate) struct Lu {
    entries: Vec<Vec<Expr>>,
    reciprocals: Vec<Expr>,
}

impl Lu {
    /// Factors a matrix. Variables are named after `name`.
    #[allow(clippy::needless_range_loop, reason = "indices are those of the equations")]
    pub fn of(mut a: Vec<Vec<Expr>>, name: &str, graph: &mut Graph) -> Lu {
        let size = a.len();
        let mut reciprocals = Vec::with_capacity(size);
        for k in 0..size {
            let reciprocal = graph.div(Expr::ONE, a[k][k]);
            let reciprocal = graph.name(&format!("{name}D[{}]", k + 1), reciprocal);
            for i in k + 1..size {
                if a[i][k] == Expr::ZERO {
                    continue;
                }
                let factor = graph.mul(a[i][k], reciprocal);
                let factor = graph.name(&format!("{name}L[{},{}]", i + 1, k + 1), factor);
                a[i][k] = factor;
                let pivot_row = a[k].clone();
                for (j, &above) in pivot_row.iter().enumerate().skip(k + 1) {
                    if above != Expr::ZERO {
                        let product = graph.mul(factor, above);
                        let rest = graph.sub(a[i][j], product);
                        a[i][j] = graph.name(&format!("{name}U[{},{}]", i + 1, j + 1), rest);
                    }
                }
            }
            reciprocals.push(reciprocal);
        }
        Lu { entries: a, reciprocals }
    }

    /// The solution of `A x = b`; zeros cost nothing.
    pub fn solve(&self, b: &[Expr], name: &str, graph: &mut Graph) -> Vec<Expr> {
        let size = b.len();
        let mut x = b.to_vec();
        for i in 0..size {
            let mut terms = vec![x[i]];
            for (j, &known) in x.iter().enumerate().take(i) {
                terms.push(-graph.mul(self.entries[i][j], known));
            }
            x[i] = graph.sum(&terms);
        }
        for i in (0..size).rev() {
            let mut terms = vec![x[i]];
            for (j, &known) in x.iter().enumerate().skip(i + 1) {
                terms.push(-graph.mul(self.entries[i][j], known));
            }
            let sum = graph.sum(&terms);
            let value = graph.mul(sum, self.reciprocals[i]);
            x[i] = graph.name(&format!("{name}[{}]", i + 1), value);
        }
        x
    }

    /// The solution of `A' x = b`.
    pub fn solve_transposed(&self, b: &[Expr], name: &str, graph: &mut Graph) -> Vec<Expr> {
        let size = b.len();
        let mut x = b.to_vec();
        for i in 0..size {
            let mut terms = vec![x[i]];
            for (j, &known) in x.iter().enumerate().take(i) {
                terms.push(-graph.mul(self.entries[j][i], known));
            }
            let sum = graph.sum(&terms);
            x[i] = graph.mul(sum, self.reciprocals[i]);
        }
        for i in (0..size).rev() {
            let mut terms = vec![x[i]];
            for (j, &known) in x.iter().enumerate().skip(i + 1) {
                terms.push(-graph.mul(self.entries[j][i], known));
            }
            let value = graph.sum(&terms);
            x[i] = graph.name(&format!("{name}[{}]", i + 1), value);
        }
        x
    }
}
