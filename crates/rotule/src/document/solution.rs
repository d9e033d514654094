//! Accelerations as one writes them by hand: quotients with their denominators named, and if the
//! quotients are long, Cramer's rule in the entries of the mass matrix.

use rotule_formalism::MultibodySystem;
use rotule_formalism::readable::{ReadableEquations, blocks, cramer};
use rotule_model::index::SpeedSet;
use rotule_symbolic::{Expr, Graph, GraphCell, Kind, Node, Scalar};

/// A denominator with at least so many operations gets a name.
const NAMED: u32 = 8;
/// Quotients with more operations than this are written with the entries of the matrix.
const LONG: u32 = 60;

/// Named denominators and solutions, all in one graph.
pub(super) struct Solution {
    pub(super) graph: Graph,
    pub(super) denominators: Vec<(String, Expr)>,
    /// Position of the speed, and its acceleration.
    pub(super) accelerations: Vec<(usize, Expr)>,
    /// `true` if it is written with entries of `M`, `c` and `Q`.
    pub(super) by_entries: bool,
}

/// The accelerations, made ready to be read.
pub(super) fn solution(
    tree: &MultibodySystem,
    graph: &Graph,
    equations: &ReadableEquations,
) -> Solution {
    let graph = graph.clone();
    let costs = equations.accelerations.iter().map(|&(_, expr)| graph.cost(expr));
    if costs.max().unwrap_or(0) > LONG
        && let Some(solution) = by_entries(tree, equations)
    {
        return solution;
    }
    let mut solution = Solution {
        graph,
        denominators: Vec::new(),
        accelerations: equations.accelerations.clone(),
        by_entries: false,
    };
    solution.name_denominators();
    solution
}

/// The solution in symbols such as `M[1,2]`, in a graph of its own.
fn by_entries(tree: &MultibodySystem, equations: &ReadableEquations) -> Option<Solution> {
    let size = tree.speeds();
    let [matrix, bias, laws] = equations.terms.targets.as_slice() else { return None };
    let mut graph = Graph::new();
    let mut mass = vec![vec![Expr::ZERO; size]; size];
    for &(row, column, value) in &matrix.entries {
        if value != Expr::ZERO {
            let (i, j) = (row.min(column) as usize, row.max(column) as usize);
            let symbol = graph.symbol(&format!("M[{},{}]", i + 1, j + 1), Kind::Parameter);
            mass[i][j] = symbol;
            mass[j][i] = symbol;
        }
    }
    let symbols: Vec<Expr> = tree.mechanism.speeds.iter().map(|one| one.acceleration).collect();
    if tree.motion.qdd.as_slice() != symbols {
        return None;
    }
    let mut right = vec![Expr::ZERO; size];
    for (name, target, minus) in [("Q", laws, false), ("c", bias, true)] {
        for &(row, _, value) in &target.entries {
            if value != Expr::ZERO {
                let symbol = graph.symbol(&format!("{name}[{}]", row + 1), Kind::Parameter);
                let at = &mut right[row as usize];
                *at = graph.add(*at, if minus { -symbol } else { symbol });
            }
        }
    }
    let cell = GraphCell::new(graph);
    let mass: Vec<_> = mass.iter().map(|row| cell.scalars(row)).collect();
    let right = cell.scalars(&right);
    let mut accelerations = Vec::new();
    for block in blocks(&mass, &SpeedSet::new()) {
        let found = cramer(&mass, &right, &block)?.into_iter().map(Scalar::expr);
        accelerations.extend(block.into_iter().zip(found));
    }
    let graph = cell.into_inner();
    accelerations.sort_unstable_by_key(|&(at, _)| at);
    let denominators = Vec::new();
    let mut solution = Solution { graph, denominators, accelerations, by_entries: true };
    solution.name_denominators();
    Some(solution)
}

impl Solution {
    /// Gives long denominators names, the same to the same up to the sign.
    fn name_denominators(&mut self) {
        let least = if self.by_entries { 2 } else { NAMED };
        for at in 0..self.accelerations.len() {
            let (speed, expr) = self.accelerations[at];
            let (number, core) = match self.graph.node(expr) {
                Node::Scale(number, core) => (Some(number), core),
                _ => (None, expr),
            };
            let Node::Product(factors) = self.graph.node(core) else { continue };
            let factors = factors.to_vec();
            let long = |graph: &Graph, base: Expr| {
                matches!(graph.node(base), Node::Sum(_)) && graph.cost(base) >= least
            };
            if !factors.iter().any(|one| one.power == -1 && long(&self.graph, one.base)) {
                continue;
            }
            // The sign of an expression is on its edge.
            let mut parts = vec![if expr.is_negative() { -Expr::ONE } else { Expr::ONE }];
            if core.is_negative() && number.is_some() {
                parts.push(-Expr::ONE);
            }
            parts.extend(number.map(|number| self.graph.number(number)));
            for factor in factors {
                let base = if factor.power == -1 && long(&self.graph, factor.base) {
                    self.named(factor.base)
                } else {
                    factor.base
                };
                parts.push(self.graph.powi(base, factor.power));
            }
            self.accelerations[at] = (speed, self.graph.product(&parts));
        }
    }

    /// Returns `true` if a determinant stands with the other sign: those of mass matrices are
    /// positive. In entries it is tried with a matrix whose diagonal is large.
    fn is_against(&self, base: Expr) -> bool {
        if !self.by_entries {
            return self.graph.text(base).starts_with('-');
        }
        let value = |name: &str| {
            let inside = name.strip_prefix("M[")?.strip_suffix(']')?;
            let (row, column) = inside.split_once(',')?;
            Some(if row == column { 10.0 } else { 1.0 })
        };
        self.graph.evaluate_f64(&[base], value).is_ok_and(|values| values[0] < 0.0)
    }

    /// The symbol of a denominator.
    fn named(&mut self, base: Expr) -> Expr {
        let known = self.denominators.iter().position(|(_, known)| known.abs() == base.abs());
        let at = known.unwrap_or_else(|| {
            let mut number = self.denominators.len() + 1;
            let name = loop {
                let name = if number == 1 { "Delta".to_owned() } else { format!("Delta{number}") };
                if self.graph.lookup(&name).is_none() {
                    break name;
                }
                number += 1;
            };
            let shown = if self.is_against(base) { -base } else { base };
            self.denominators.push((name, shown));
            self.denominators.len() - 1
        });
        let (name, shown) = self.denominators[at].clone();
        let symbol = self.graph.symbol(&name, Kind::Parameter);
        if shown == base { symbol } else { -symbol }
    }
}
