//! The value of expressions for given inputs, in any arithmetic.
//!
//! This is the reference that every faster way of running a model is compared with: one pass over
//! the nodes below the roots, each computed once, no optimisation.

use crate::expr::{Expr, FunctionId};
use crate::function::{Binary, Compare, Unary};
use crate::graph::Graph;
use crate::node::Node;
use crate::number::Number;
use crate::syntax::{Arithmetic, Doubles};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

impl Graph {
    /// The values of `roots` in the given arithmetic, or the name of an input or external function
    /// that it does not know.
    pub fn evaluate<A: Arithmetic>(
        &self,
        roots: &[Expr],
        arithmetic: &mut A,
    ) -> Result<Vec<A::Value>, String> {
        self.evaluate_in_order(&self.reachable(roots), roots, arithmetic)
    }

    /// As [`Graph::evaluate`], for roots whose [`Graph::reachable`] nodes are known: for evaluating
    /// a few expressions of a large graph again and again.
    pub fn evaluate_in_order<A: Arithmetic>(
        &self,
        order: &[Expr],
        roots: &[Expr],
        arithmetic: &mut A,
    ) -> Result<Vec<A::Value>, String> {
        let mut values: HashMap<Expr, A::Value, FxBuildHasher> = HashMap::default();
        for &expr in order {
            if let Some(value) = self.value(expr, &values, arithmetic)? {
                values.insert(expr, value);
            }
        }
        Ok(roots.iter().map(|&root| signed(root, &values, arithmetic)).collect())
    }

    /// The values of `roots` in double precision; `input` gives the value of each input by name.
    /// External functions have values if the graph has their code.
    pub fn evaluate_f64(
        &self,
        roots: &[Expr],
        input: impl FnMut(&str) -> Option<f64>,
    ) -> Result<Vec<f64>, String> {
        match self.code() {
            None => self.evaluate(roots, &mut Doubles(input)),
            Some(_) => {
                let numbers = Doubles(input);
                self.evaluate(roots, &mut WithCode { graph: self, numbers, last: None })
            }
        }
    }

    /// The value of one node from those of its operands; none for a call, whose results are values
    /// but which has none itself.
    fn value<A: Arithmetic>(
        &self,
        expr: Expr,
        values: &HashMap<Expr, A::Value, FxBuildHasher>,
        a: &mut A,
    ) -> Result<Option<A::Value>, String> {
        Ok(Some(match self.node(expr) {
            Node::Number(n) => a.number(n),
            Node::Pi => a.pi(),
            Node::Symbol(id) => {
                let name = self.symbol_name(id);
                a.name(name).ok_or_else(|| name.to_owned())?
            }
            Node::Variable(id) => signed(self.definition(id), values, a),
            Node::Sum(terms) => {
                let mut total = None;
                for term in terms {
                    let core = values[&term.core].clone();
                    let value = if term.core == Expr::ONE {
                        a.number(self.number_of(term.coefficient).unwrap_or_default())
                    } else if term.coefficient == Expr::ONE {
                        core
                    } else if term.coefficient == -Expr::ONE {
                        a.negate(&core)
                    } else {
                        let number = a.number(self.number_of(term.coefficient).unwrap_or_default());
                        a.multiply(&number, &core)
                    };
                    total = Some(match total {
                        None => value,
                        Some(total) => a.add(&total, &value),
                    });
                }
                // A sum has two terms at least.
                total.unwrap_or_else(|| a.number(Default::default()))
            }
            Node::Product(factors) => {
                let mut total = a.number(Number::ONE);
                for factor in factors {
                    let power = powi(&values[&factor.base], factor.power.unsigned_abs(), a);
                    total = if factor.power > 0 {
                        a.multiply(&total, &power)
                    } else {
                        a.divide(&total, &power)
                    };
                }
                total
            }
            Node::Scale(number, core) => {
                let number = a.number(number);
                a.multiply(&number, &values[&core])
            }
            Node::Unary(function, x) => {
                let x = signed(x, values, a);
                a.unary(function, &x)
            }
            Node::Binary(function, x, y) => {
                let (x, y) = (signed(x, values, a), signed(y, values, a));
                a.binary(function, &x, &y)
            }
            Node::Select(compare, operands) => {
                let left = signed(operands[0], values, a);
                let right = signed(operands[1], values, a);
                let chosen = if a.compare(compare, &left, &right) { 2 } else { 3 };
                signed(operands[chosen], values, a)
            }
            Node::Call(..) => return Ok(None),
            Node::Result(call, index) => {
                let Node::Call(function, arguments) = self.node(call) else { return Ok(None) };
                let name = &self.function(function).name;
                let arguments: Vec<_> = arguments.iter().map(|&e| signed(e, values, a)).collect();
                a.call(name, index + 1, &arguments).ok_or_else(|| name.clone())?
            }
        }))
    }
}

/// Double precision with the code of a graph's external functions.
struct WithCode<'g, F> {
    graph: &'g Graph,
    numbers: Doubles<F>,
    /// The last call with its results, of which one after the other is requested.
    last: Option<(FunctionId, Vec<f64>, Vec<f64>)>,
}

impl<F: FnMut(&str) -> Option<f64>> Arithmetic for WithCode<'_, F> {
    type Value = f64;
    fn number(&mut self, number: Number) -> f64 {
        self.numbers.number(number)
    }
    fn pi(&mut self) -> f64 {
        self.numbers.pi()
    }
    fn name(&mut self, name: &str) -> Option<f64> {
        self.numbers.name(name)
    }
    fn negate(&mut self, a: &f64) -> f64 {
        self.numbers.negate(a)
    }
    fn add(&mut self, a: &f64, b: &f64) -> f64 {
        self.numbers.add(a, b)
    }
    fn multiply(&mut self, a: &f64, b: &f64) -> f64 {
        self.numbers.multiply(a, b)
    }
    fn divide(&mut self, a: &f64, b: &f64) -> f64 {
        self.numbers.divide(a, b)
    }
    fn unary(&mut self, function: Unary, a: &f64) -> f64 {
        self.numbers.unary(function, a)
    }
    fn binary(&mut self, function: Binary, a: &f64, b: &f64) -> f64 {
        self.numbers.binary(function, a, b)
    }
    fn compare(&mut self, compare: Compare, a: &f64, b: &f64) -> bool {
        self.numbers.compare(compare, a, b)
    }
    fn call(&mut self, name: &str, result: u32, arguments: &[f64]) -> Option<f64> {
        let function = self.graph.function_by_name(name)?;
        let known = self.last.as_ref().filter(|(last, x, _)| *last == function && x == arguments);
        if known.is_none() {
            let results = self.graph.call_code(function, arguments)?;
            self.last = Some((function, arguments.to_vec(), results));
        }
        let (.., results) = self.last.as_ref()?;
        results.get(result.checked_sub(1)? as usize).copied()
    }
}

fn signed<A: Arithmetic>(
    expr: Expr,
    values: &HashMap<Expr, A::Value, FxBuildHasher>,
    a: &mut A,
) -> A::Value {
    let value = &values[&expr.abs()];
    if expr.is_negative() { a.negate(value) } else { value.clone() }
}

/// A whole power by squaring; large ones by the arithmetic's own function.
fn powi<A: Arithmetic>(base: &A::Value, power: u32, a: &mut A) -> A::Value {
    if power > 1024 {
        let exponent = a.number(i64::from(power).into());
        return a.binary(Binary::Pow, base, &exponent);
    }
    let mut result = base.clone();
    for bit in (0..power.ilog2()).rev() {
        result = a.multiply(&result.clone(), &result);
        if power >> bit & 1 == 1 {
            result = a.multiply(&result, base);
        }
    }
    result
}
