//! Trigonometric polynomials in Fourier form, tried where the rules see nothing.
//!
//! Products of sines and cosines become sums of sines and cosines of whole combinations of their
//! angles, and phases that are multiples of pi/6 or pi/4 are split off exactly. In that form equal
//! things are equal and zero is zero: `sin(x)^3 + 3/4*sin(3*x) + cos(x + pi/6)^3 - sin(x + pi/3)^3`
//! vanishes. It is rarely the cheapest form, so it is kept only when it is: this is part of
//! [`Graph::simplify`], not of building.

use crate::expr::Expr;
use crate::function::Unary;
use crate::graph::Graph;
use crate::node::Node;
use crate::number::Number;
use crate::product::Factors;
use crate::sum::Terms;
use smallvec::SmallVec;

/// Products of more sines and cosines than this are left alone: each one doubles the terms.
const DEGREE: u32 = 6;
/// A form with more terms than this is not going to be cheaper.
const TERMS: usize = 96;

/// A number times the sine or cosine of an angle.
type Wave = (Number, Unary, Expr);

impl Graph {
    /// The expressions in the cheapest form that the engine can find: what building finds, and
    /// where a sum of trigonometric products collapses in Fourier form, that.
    pub fn simplify(&mut self, exprs: &[Expr]) -> Vec<Expr> {
        let mut images = Vec::new();
        for expr in self.reachable(exprs) {
            let sum = matches!(self.node(expr), Node::Sum(_)) && self.stored(expr).trig();
            if sum && let Some(cheaper) = self.cheaper_waves(expr) {
                images.push((expr, cheaper));
            }
        }
        if images.is_empty() {
            return exprs.to_vec();
        }
        self.substitute(exprs, &images)
    }

    /// The Fourier form of a sum, if it is cheaper.
    fn cheaper_waves(&mut self, sum: Expr) -> Option<Expr> {
        let Node::Sum(terms) = self.node(sum) else { return None };
        let terms: Terms = terms
            .iter()
            .map(|t| (self.number_of(t.coefficient).unwrap_or(Number::ONE), t.core))
            .collect();
        let mark = self.mark();
        let mut flat: SmallVec<[Expr; 16]> = SmallVec::new();
        for (number, core) in terms {
            let done = self.waves_of_term(number, core, &mut flat);
            if !done || flat.len() > TERMS {
                self.rollback(&mark);
                return None;
            }
        }
        let trial = self.sum(&flat);
        if self.cost(trial) < self.cost(sum) {
            return Some(trial);
        }
        self.rollback(&mark);
        None
    }

    /// Appends a term, its sines and cosines multiplied out; false if there are too many.
    fn waves_of_term(
        &mut self,
        number: Number,
        core: Expr,
        out: &mut SmallVec<[Expr; 16]>,
    ) -> bool {
        let mut rest = Factors::new();
        let mut waves: SmallVec<[Wave; 8]> = SmallVec::new();
        waves.push((number, Unary::Cos, Expr::ZERO));
        let mut degree = 0;
        for factor in self.factors_of(core) {
            match self.node(factor.base) {
                Node::Unary(function @ (Unary::Sin | Unary::Cos), angle) if factor.power > 0 => {
                    degree += factor.power.unsigned_abs();
                    if degree > DEGREE {
                        return false;
                    }
                    for _ in 0..factor.power {
                        waves = self.multiply_waves(&waves, function, angle);
                    }
                }
                _ => rest.push(factor),
            }
        }
        let rest = self.product_of(Number::ONE, rest);
        for (number, function, angle) in waves {
            let wave = self.split_phase(function, angle);
            let product = self.mul(rest, wave);
            // A sum times something is spelled out: its parts are what may cancel.
            match self.node(wave) {
                Node::Sum(parts) if rest != Expr::ZERO => {
                    let parts: SmallVec<[(Expr, Expr); 4]> =
                        parts.iter().map(|t| (t.coefficient, t.core)).collect();
                    for (coefficient, core) in parts {
                        let part = self.product(&[rest, coefficient, core]);
                        let part = self.scale(number, part);
                        out.push(part.negated_if(wave.is_negative()));
                    }
                }
                _ => {
                    let term = self.scale(number, product);
                    out.push(term);
                }
            }
        }
        true
    }

    /// `cos a cos b = (cos(a - b) + cos(a + b))/2` and its relatives.
    fn multiply_waves(&mut self, waves: &[Wave], function: Unary, b: Expr) -> SmallVec<[Wave; 8]> {
        let half = Number::ratio(1, 2);
        let mut out = SmallVec::new();
        for &(number, left, a) in waves {
            let number = number * half;
            let (sum, difference) = (self.add(a, b), self.sub(a, b));
            match (left, function) {
                (Unary::Cos, Unary::Cos) => {
                    out.extend([(number, Unary::Cos, difference), (number, Unary::Cos, sum)]);
                }
                (Unary::Cos, _) => {
                    out.extend([(number, Unary::Sin, sum), (-number, Unary::Sin, difference)]);
                }
                (_, Unary::Cos) => {
                    out.extend([(number, Unary::Sin, sum), (number, Unary::Sin, difference)]);
                }
                _ => {
                    out.extend([(number, Unary::Cos, difference), (-number, Unary::Cos, sum)]);
                }
            }
        }
        out
    }

    /// The sine or cosine of an angle, with an exact phase written as two terms.
    fn split_phase(&mut self, function: Unary, angle: Expr) -> Expr {
        let whole = self.unary(function, angle);
        let Node::Unary(function @ (Unary::Sin | Unary::Cos), argument) = self.node(whole) else {
            return whole;
        };
        let Some((turns, rest)) = self.split_pi(argument) else { return whole };
        if rest == Expr::ZERO {
            return whole;
        }
        let pi = self.pi();
        let phase = self.scale(turns, pi);
        let (sine, cosine) = (self.sin(phase), self.cos(phase));
        let exact = |graph: &Graph, e: Expr| {
            !matches!(graph.node(graph.split(e).1), Node::Unary(Unary::Sin | Unary::Cos, _))
        };
        if !exact(self, sine) || !exact(self, cosine) {
            return whole;
        }
        let (s, c) = (self.sin(rest), self.cos(rest));
        let parts = if function == Unary::Sin {
            [self.mul(s, cosine), self.mul(c, sine)]
        } else {
            [self.mul(c, cosine), -self.mul(s, sine)]
        };
        // Not by the sum of the graph, which would put the phase together again.
        let terms: Terms = parts.iter().map(|&e| self.split(e)).collect();
        let mut sorted = terms;
        sorted.sort_unstable_by_key(|t| self.order(t.1));
        self.close(Number::ONE, &sorted).negated_if(whole.is_negative())
    }
}
