//! Antiderivatives by one symbol, for the potential energies of springs.
//!
//! Rules for what laws of forces are made of, each exact: polynomials, functions and powers of
//! linear arguments `u = a x + b`, and branches of these (`if`, `max`, `min`, `abs`) that change
//! where something linear in the symbol does:
//!
//! ```text
//! u^n            u^(n+1) / (a (n+1))            max(u, 0)^n          max(u, 0)^(n+1) / (a (n+1))
//! if(u < 0, f, g)                               if(u < 0, F - F(x0), G - G(x0))     x0: where u is zero
//! ```
//!
//! so that the result is continuous wherever the integrand is bounded. All else has no
//! antiderivative here.

use crate::expr::{Expr, SymbolId};
use crate::function::{Binary, Compare, Unary};
use crate::graph::Graph;
use crate::node::{Factor, Node};
use crate::number::Number;

/// The depth to which laws are looked at.
const DEPTH: usize = 100;

/// The highest degree of a product of polynomials that is multiplied out.
const DEGREE: usize = 12;

impl Graph {
    /// An antiderivative of an expression by a symbol, continuous wherever the expression is
    /// bounded; nothing where no rule knows one. Its constant is arbitrary, and parameters that
    /// scale the symbol must not be zero.
    pub fn antiderivative(&mut self, expr: Expr, symbol: Expr) -> Option<Expr> {
        let id = self.symbol_of(symbol)?;
        self.find_symbols(&[expr]);
        Integration { graph: self, symbol, id }.of(expr, DEPTH)
    }
}

struct Integration<'g> {
    graph: &'g mut Graph,
    symbol: Expr,
    id: SymbolId,
}

impl Integration<'_> {
    fn moves(&mut self, expr: Expr) -> bool {
        self.graph.depends_on(expr, self.id)
    }

    fn of(&mut self, expr: Expr, depth: usize) -> Option<Expr> {
        let depth = depth.checked_sub(1)?;
        if expr.is_negative() {
            return self.of(-expr, depth).map(|found| -found);
        }
        if !self.moves(expr) {
            return Some(self.graph.mul(expr, self.symbol));
        }
        match self.graph.node(expr) {
            Node::Number(_) | Node::Pi | Node::Call(..) | Node::Result(..) => None,
            Node::Symbol(_) => self.power(expr, Number::ONE),
            Node::Variable(id) => {
                let definition = self.graph.definition(id);
                self.of(definition, depth)
            }
            Node::Scale(number, core) => {
                let core = self.of(core, depth)?;
                Some(self.graph.scale(number, core))
            }
            Node::Sum(terms) => {
                let terms = terms.to_vec();
                if let Some(found) = self.power(expr, Number::ONE) {
                    return Some(found);
                }
                let mut sum = Vec::with_capacity(terms.len());
                for term in terms {
                    let core = self.of(term.core, depth)?;
                    sum.push(self.graph.mul(term.coefficient, core));
                }
                Some(self.graph.sum(&sum))
            }
            Node::Product(factors) => {
                let factors = factors.to_vec();
                self.product(&factors, depth)
            }
            Node::Unary(Unary::Abs, u) => {
                let branches = self.graph.select(Compare::Less, u, Expr::ZERO, -u, u);
                self.of(branches, depth)
            }
            Node::Unary(Unary::Sqrt, u) => self.power(u, Number::ratio(1, 2)),
            Node::Unary(function, u) => self.function(function, u),
            Node::Binary(Binary::Pow, base, exponent) => {
                let exponent = self.graph.number_of(exponent)?;
                self.power(base, exponent)
            }
            Node::Binary(function @ (Binary::Min | Binary::Max), u, v) => {
                if let Some(found) = self.power(expr, Number::ONE) {
                    return Some(found);
                }
                let (below, above) = if function == Binary::Min { (u, v) } else { (v, u) };
                let branches = self.graph.select(Compare::Less, u, v, below, above);
                self.of(branches, depth)
            }
            Node::Binary(Binary::Atan2, ..) => None,
            Node::Select(compare, &[left, right, then, otherwise]) => {
                self.branches(compare, [left, right], [then, otherwise], depth)
            }
            Node::Select(..) => None,
        }
    }

    /// Constant factors stand outside; what is left is a power, branches or a polynomial.
    fn product(&mut self, factors: &[Factor], depth: usize) -> Option<Expr> {
        let (moving, constant): (Vec<Factor>, Vec<Factor>) =
            factors.iter().partition(|factor| self.graph.depends_on(factor.base, self.id));
        let constant = self.multiplied(&constant);
        let found = match moving[..] {
            [Factor { base, power: 1 }] => self.of(base, depth),
            _ => self
                .one_power(&moving)
                .or_else(|| self.distributed(&moving, depth))
                .or_else(|| self.polynomial(&moving)),
        }?;
        Some(self.graph.mul(constant, found))
    }

    fn multiplied(&mut self, factors: &[Factor]) -> Expr {
        let powers: Vec<Expr> =
            factors.iter().map(|one| self.graph.powi(one.base, one.power)).collect();
        self.graph.product(&powers)
    }

    /// Factors that are powers and roots of one base.
    fn one_power(&mut self, factors: &[Factor]) -> Option<Expr> {
        let mut base = None;
        let mut exponent = Number::ZERO;
        for &Factor { base: factor, power } in factors {
            let (own, by) = match self.graph.node(factor) {
                Node::Unary(Unary::Sqrt, inner) => (inner, Number::ratio(1, 2)),
                _ => (factor, Number::ONE),
            };
            if *base.get_or_insert(own) != own {
                return None;
            }
            exponent = exponent + by * Number::integer(i64::from(power));
        }
        self.power(base?, exponent)
    }

    /// A factor in branches takes the others into its branches.
    fn distributed(&mut self, factors: &[Factor], depth: usize) -> Option<Expr> {
        for (at, &Factor { base, power }) in factors.iter().enumerate() {
            let [left, right, then, otherwise, less] = match self.graph.node(base) {
                Node::Unary(Unary::Abs, u) => [u, Expr::ZERO, -u, u, Expr::ONE],
                Node::Binary(Binary::Min, u, v) => [u, v, u, v, Expr::ONE],
                Node::Binary(Binary::Max, u, v) => [u, v, v, u, Expr::ONE],
                Node::Select(Compare::Less, &[l, r, a, b]) => [l, r, a, b, Expr::ONE],
                Node::Select(Compare::LessEqual, &[l, r, a, b]) => [l, r, a, b, Expr::ZERO],
                _ => continue,
            };
            let compare = if less == Expr::ONE { Compare::Less } else { Compare::LessEqual };
            let mut others = factors.to_vec();
            others.remove(at);
            let others = self.multiplied(&others);
            let branches = [then, otherwise].map(|branch| {
                let branch = self.graph.powi(branch, power);
                self.graph.mul(others, branch)
            });
            return self.branches(compare, [left, right], branches, depth);
        }
        None
    }

    /// `if(left < right, then, otherwise)`
    fn branches(
        &mut self,
        compare: Compare,
        [left, right]: [Expr; 2],
        branches: [Expr; 2],
        depth: usize,
    ) -> Option<Expr> {
        let [mut then, mut otherwise] =
            [self.of(branches[0], depth)?, self.of(branches[1], depth)?];
        let difference = self.graph.sub(left, right);
        if self.moves(difference) {
            // Points alone have no area, and branches must change where the symbol is known.
            if !matches!(compare, Compare::Less | Compare::LessEqual) {
                return None;
            }
            let slope = self.slope(difference)?;
            let at_zero = self.graph.substitute(&[difference], &[(self.symbol, Expr::ZERO)])[0];
            let root = -self.graph.div(at_zero, slope);
            let ends = self.graph.substitute(&[then, otherwise], &[(self.symbol, root)]);
            then = self.graph.sub(then, ends[0]);
            otherwise = self.graph.sub(otherwise, ends[1]);
        }
        Some(self.graph.select(compare, left, right, then, otherwise))
    }

    /// A power of something linear, or of the part of it on one side of zero.
    fn power(&mut self, base: Expr, exponent: Number) -> Option<Expr> {
        let one_sided = match self.graph.node(base) {
            Node::Binary(Binary::Min | Binary::Max, u, v) if v == Expr::ZERO => Some(u),
            Node::Binary(Binary::Min | Binary::Max, u, v) if u == Expr::ZERO => Some(v),
            _ => None,
        };
        let slope = match one_sided {
            Some(_) if exponent.is_negative() => return None,
            Some(inner) => self.slope(inner)?,
            None => self.slope(base)?,
        };
        let above = exponent + Number::ONE;
        if above.is_zero() {
            let size = self.graph.unary(Unary::Abs, base);
            let log = self.graph.unary(Unary::Log, size);
            return Some(self.graph.div(log, slope));
        }
        let raised = self.graph.number(above);
        let raised = self.graph.pow(base, raised);
        let scaled = self.graph.scale(above.recip(), raised);
        Some(self.graph.div(scaled, slope))
    }

    /// A function of something linear.
    fn function(&mut self, function: Unary, u: Expr) -> Option<Expr> {
        let slope = self.slope(u)?;
        let graph = &mut *self.graph;
        let found = match function {
            Unary::Sin => -graph.cos(u),
            Unary::Cos => graph.sin(u),
            Unary::Exp => graph.unary(Unary::Exp, u),
            Unary::Sign => graph.unary(Unary::Abs, u),
            Unary::Tan => {
                let cos = graph.cos(u);
                let size = graph.unary(Unary::Abs, cos);
                -graph.unary(Unary::Log, size)
            }
            Unary::Atan => {
                let square = graph.square(u);
                let rest = graph.add(Expr::ONE, square);
                let log = graph.unary(Unary::Log, rest);
                let half = graph.scale(Number::ratio(1, 2), log);
                let atan = graph.unary(Unary::Atan, u);
                let product = graph.mul(u, atan);
                graph.sub(product, half)
            }
            Unary::Log => {
                let log = graph.unary(Unary::Log, u);
                let product = graph.mul(u, log);
                graph.sub(product, u)
            }
            Unary::Asin | Unary::Acos | Unary::Sqrt | Unary::Abs | Unary::Floor => return None,
        };
        Some(self.graph.div(found, slope))
    }

    /// `a` of an expression `a x + b`.
    fn slope(&mut self, expr: Expr) -> Option<Expr> {
        match self.coefficients(expr, 1, DEPTH)?[..] {
            [_, slope] if slope != Expr::ZERO => Some(slope),
            _ => None,
        }
    }

    fn polynomial(&mut self, factors: &[Factor]) -> Option<Expr> {
        let product = self.multiplied(factors);
        let coefficients = self.coefficients(product, DEGREE, DEPTH)?;
        let mut terms = Vec::with_capacity(coefficients.len());
        for (power, coefficient) in (1..).zip(coefficients) {
            let raised = self.graph.powi(self.symbol, power);
            let term = self.graph.mul(coefficient, raised);
            terms.push(self.graph.scale(Number::ratio(1, i128::from(power)), term));
        }
        Some(self.graph.sum(&terms))
    }

    /// The coefficients of a polynomial of at most a degree, from the constant one on.
    fn coefficients(&mut self, expr: Expr, degree: usize, depth: usize) -> Option<Vec<Expr>> {
        let depth = depth.checked_sub(1)?;
        if expr.is_negative() {
            let found = self.coefficients(-expr, degree, depth)?;
            return Some(found.into_iter().map(|one| -one).collect());
        }
        if !self.moves(expr) {
            return Some(vec![expr]);
        }
        match self.graph.node(expr) {
            Node::Symbol(_) => Some(vec![Expr::ZERO, Expr::ONE]),
            Node::Variable(id) => {
                let definition = self.graph.definition(id);
                self.coefficients(definition, degree, depth)
            }
            Node::Scale(number, core) => {
                let found = self.coefficients(core, degree, depth)?;
                Some(found.into_iter().map(|one| self.graph.scale(number, one)).collect())
            }
            Node::Sum(terms) => {
                let terms = terms.to_vec();
                let mut sums: Vec<Vec<Expr>> = Vec::new();
                for term in terms {
                    let own = self.coefficients(term.core, degree, depth)?;
                    sums.resize(sums.len().max(own.len()), Vec::new());
                    for (sum, one) in sums.iter_mut().zip(own) {
                        sum.push(self.graph.mul(term.coefficient, one));
                    }
                }
                Some(sums.iter().map(|sum| self.graph.sum(sum)).collect())
            }
            Node::Product(factors) => {
                let factors = factors.to_vec();
                let mut product = vec![Expr::ONE];
                for Factor { base, power } in factors {
                    let times = if self.moves(base) { power } else { 1 };
                    let own = match self.moves(base) {
                        true => self.coefficients(base, degree, depth)?,
                        false => vec![self.graph.powi(base, power)],
                    };
                    // A negative power is no polynomial.
                    for _ in 0..u32::try_from(times).ok()? {
                        product = self.convolved(&product, &own, degree)?;
                    }
                }
                Some(product)
            }
            _ => None,
        }
    }

    fn convolved(&mut self, a: &[Expr], b: &[Expr], degree: usize) -> Option<Vec<Expr>> {
        let size = a.len() + b.len() - 1;
        if size > degree + 1 {
            return None;
        }
        let mut sums: Vec<Vec<Expr>> = vec![Vec::new(); size];
        for (i, &one) in a.iter().enumerate() {
            for (j, &two) in b.iter().enumerate() {
                let term = self.graph.mul(one, two);
                sums[i + j].push(term);
            }
        }
        Some(sums.iter().map(|sum| self.graph.sum(sum)).collect())
    }
}
