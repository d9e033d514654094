//! Syntax tree to graph: names and functions are looked up, constants checked, and everything is
//! handed to the graph, which simplifies it.
//!
//! Sums and products go to the graph as the flat lists they were written as. A number that is not
//! finite, a division by zero and a power beyond the limits are errors here, with their place,
//! because the graph itself computes on without asking.

use std::collections::HashSet;
use std::ops::Range;

use crate::elementary;
use crate::expr::{Expr, FunctionId};
use crate::function::{Binary, Kind};
use crate::graph::Graph;
use crate::names::did_you_mean;
use crate::node::Node;
use crate::number::Number;
use crate::parse::{MAX_EXPONENT, ParseError, function_names, nearest, parse};
use crate::syntax::{NameId, Syntax, SyntaxId, SyntaxNode};

/// The result of a call that a scope reads: an expression, or a message and a remedy.
pub type CallReading = Result<Expr, (String, String)>;

/// The meaning of names in a text. Any closure `|graph, name| -> Option<Expr>` is a scope.
pub trait Scope {
    /// The expression that a name stands for; none if there is no such name.
    fn resolve(&mut self, graph: &mut Graph, name: &str) -> Option<Expr>;

    /// The meaning of a call that the scope reads itself, instead of the graph's external
    /// functions; none if it has no such function. An error is a message and a remedy.
    fn call(&mut self, graph: &mut Graph, name: &str, arguments: &[Expr]) -> Option<CallReading> {
        let _ = (graph, name, arguments);
        None
    }

    /// Names of calls that the scope reads itself.
    fn calls(&self) -> Vec<String> {
        Vec::new()
    }

    /// Names to choose the nearest from when one is unknown.
    fn known(&self, graph: &Graph) -> Vec<String> {
        graph.names().map(str::to_owned).collect()
    }
}

impl<F: FnMut(&mut Graph, &str) -> Option<Expr>> Scope for F {
    fn resolve(&mut self, graph: &mut Graph, name: &str) -> Option<Expr> {
        self(graph, name)
    }
}

/// The kind that a name suggests: `t` is time, `q1`, `qd1` and `qdd1` are a coordinate and its
/// derivatives, anything else is a parameter.
pub fn kind_of_name(name: &str) -> Kind {
    let letters = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match (letters, letters.len() < name.len()) {
        ("t", false) => Kind::Time,
        ("q", true) => Kind::Coordinate,
        ("qd", true) => Kind::Velocity,
        ("qdd", true) => Kind::Acceleration,
        _ => Kind::Parameter,
    }
}

impl Graph {
    /// Reads an expression. Names that the graph does not know become symbols of the kind that
    /// [`kind_of_name`] suggests.
    pub fn parse(&mut self, text: &str) -> Result<Expr, ParseError> {
        self.parse_in(text, &mut |graph: &mut Graph, name: &str| {
            Some(graph.symbol(name, kind_of_name(name)))
        })
    }

    /// Reads an expression whose names must all be known to the graph.
    pub fn parse_known(&mut self, text: &str) -> Result<Expr, ParseError> {
        self.parse_in(text, &mut |graph: &mut Graph, name: &str| graph.lookup(name))
    }

    /// Reads an expression whose names a scope decides.
    pub fn parse_in(&mut self, text: &str, scope: &mut dyn Scope) -> Result<Expr, ParseError> {
        build(self, &parse(text)?, scope)
    }
}

/// Builds the expression of a syntax tree in a graph.
pub fn build(
    graph: &mut Graph,
    syntax: &Syntax,
    scope: &mut dyn Scope,
) -> Result<Expr, ParseError> {
    let mut builder = Builder {
        values: Vec::with_capacity(syntax.len()),
        names: vec![None; syntax.names().len()],
        functions: vec![None; syntax.names().len()],
        checked: HashSet::new(),
        list: Vec::new(),
        graph,
        syntax,
        scope,
    };
    let mut root = Expr::ZERO;
    for id in syntax.ids() {
        root = builder.node(id)?;
        builder.values.push(root);
    }
    Ok(root)
}

type Built<T> = Result<T, ParseError>;

struct Builder<'a> {
    graph: &'a mut Graph,
    syntax: &'a Syntax,
    scope: &'a mut dyn Scope,
    /// Expressions of the nodes so far; conditions have none and leave zero.
    values: Vec<Expr>,
    /// Each distinct name is looked up once.
    names: Vec<Option<Expr>>,
    functions: Vec<Option<FunctionId>>,
    /// Sums that are known to be finite: a long one may come back many times.
    checked: HashSet<Expr>,
    list: Vec<Expr>,
}

impl Builder<'_> {
    fn value(&self, id: SyntaxId) -> Expr {
        self.values[id.index()]
    }

    fn node(&mut self, id: SyntaxId) -> Built<Expr> {
        let span = self.syntax.span(id);
        let built = match *self.syntax.item(id) {
            SyntaxNode::Number(number) => self.graph.number(number),
            SyntaxNode::Pi => self.graph.pi(),
            SyntaxNode::Name(name) => return self.name(name, span),
            SyntaxNode::Negate(a) => return Ok(-self.value(a)),
            SyntaxNode::Sum(list) => {
                self.list.clear();
                for operand in self.syntax.operands(list) {
                    let value = self.values[operand.id.index()];
                    self.list.push(if operand.inverse { -value } else { value });
                }
                self.graph.sum(&self.list)
            }
            SyntaxNode::Product(list) => {
                self.list.clear();
                let mut powers: i64 = 0;
                for operand in self.syntax.operands(list) {
                    let value = self.values[operand.id.index()];
                    if operand.inverse && value == Expr::ZERO {
                        let span = self.syntax.span(operand.id);
                        return Err(ParseError::new(span, "division by zero"));
                    }
                    powers += i64::from(largest_power(self.graph, value).unsigned_abs());
                    let factor = if operand.inverse { self.graph.powi(value, -1) } else { value };
                    self.list.push(factor);
                }
                // Checked before: the graph would stop counting at the largest 32-bit power.
                if powers > i64::from(i32::MAX) {
                    return Err(power_too_large(span));
                }
                self.graph.product(&self.list)
            }
            SyntaxNode::Power(base, exponent) => self.power(base, exponent, &span)?,
            SyntaxNode::Unary(function, a) => {
                let argument = self.value(a);
                if let Some(x) = self.graph.number_of(argument) {
                    let value = function.apply(x.to_f64());
                    if !value.is_finite() {
                        return Err(not_finite(span, format!("{}({x})", function.name()), value));
                    }
                }
                self.graph.unary(function, argument)
            }
            SyntaxNode::Binary(function, list) => {
                let operands = self.syntax.operands(list);
                if function == Binary::Pow {
                    self.power(operands[0].id, operands[1].id, &span)?
                } else {
                    let first = self.value(operands[0].id);
                    operands[1..].iter().fold(first, |left, operand| {
                        let right = self.values[operand.id.index()];
                        self.graph.binary(function, left, right)
                    })
                }
            }
            SyntaxNode::If(condition, a, b) => self.select(condition, self.value(a), self.value(b)),
            SyntaxNode::Call { name, result, arguments } => {
                self.list.clear();
                let operands = self.syntax.operands(arguments).iter();
                self.list.extend(operands.map(|operand| self.values[operand.id.index()]));
                match self.read_by_scope(name, result, &span)? {
                    Some(read) => read,
                    None => {
                        let function = self.function(name, &span)?;
                        self.call(function, result, &span)?
                    }
                }
            }
            SyntaxNode::Compare(..)
            | SyntaxNode::Not(_)
            | SyntaxNode::All(_)
            | SyntaxNode::Any(_) => Expr::ZERO,
        };
        self.check(built, span)?;
        Ok(built)
    }

    fn name(&mut self, id: NameId, span: Range<usize>) -> Built<Expr> {
        if let Some(known) = self.names[id.index()] {
            return Ok(known);
        }
        let name = self.syntax.name(id);
        let Some(found) = self.scope.resolve(self.graph, name) else {
            let error = ParseError::new(span, format!("unknown name `{name}`"));
            return Err(self.suggest(error, name, false));
        };
        self.names[id.index()] = Some(found);
        Ok(found)
    }

    /// A call that the scope reads itself.
    fn read_by_scope(
        &mut self,
        id: NameId,
        result: Option<u32>,
        span: &Range<usize>,
    ) -> Built<Option<Expr>> {
        let name = self.syntax.name(id);
        if self.graph.function_by_name(name).is_some() {
            return Ok(None);
        }
        let Some(read) = self.scope.call(self.graph, name, &self.list) else { return Ok(None) };
        let error = |message: String| ParseError::new(span.clone(), message);
        match read {
            Ok(_) if result.is_some_and(|index| index != 1) => {
                Err(error(format!("`{name}` gives one result")))
            }
            Ok(expr) => Ok(Some(expr)),
            Err((message, help)) => Err(error(message).with_help(help)),
        }
    }

    fn function(&mut self, id: NameId, span: &Range<usize>) -> Built<FunctionId> {
        if let Some(known) = self.functions[id.index()] {
            return Ok(known);
        }
        let name = self.syntax.name(id);
        if let Some(found) = self.graph.function_by_name(name) {
            self.functions[id.index()] = Some(found);
            return Ok(found);
        }
        // A name with indices may have been written with spaces: its length is not known.
        let length = if name.contains('[') { span.len() } else { name.len() };
        let span = span.start..span.start + length;
        let error = ParseError::new(span, format!("unknown function `{name}`"));
        if self.scope.known(self.graph).iter().any(|known| known == name) {
            return Err(error.with_help(format!("to multiply, write `{name}*(…)`")));
        }
        Err(self.suggest(error, name, true))
    }

    /// Adds the nearest valid name to an error.
    fn suggest(&self, error: ParseError, name: &str, function: bool) -> ParseError {
        let mut known = self.scope.known(self.graph);
        if function {
            known = self.graph.functions.iter().map(|f| f.name.clone()).collect();
            known.extend(function_names().map(str::to_owned));
            known.extend(self.scope.calls());
        }
        // Sorted, so that the same mistake gets the same advice.
        known.sort_unstable();
        match nearest(name, known.iter().map(String::as_str)) {
            Some(near) => error.with_help(did_you_mean(near)),
            None => error,
        }
    }

    fn call(
        &mut self,
        function: FunctionId,
        result: Option<u32>,
        span: &Range<usize>,
    ) -> Built<Expr> {
        let declared = self.graph.function(function);
        let (name, requested, results) = (&declared.name, declared.arguments, declared.results);
        let s = |n: usize| if n == 1 { "" } else { "s" };
        if self.list.len() != requested {
            let found = self.list.len();
            let message =
                format!("`{name}` takes {requested} argument{}, found {found}", s(requested));
            return Err(ParseError::new(span.clone(), message));
        }
        let index = match result {
            None if results == 1 => 1,
            None => {
                let message = format!("`{name}` gives {results} results, and one must be chosen");
                let help = format!("write `{name}(…)[1]` for the first");
                return Err(ParseError::new(span.clone(), message).with_help(help));
            }
            Some(index) => index as usize,
        };
        if index > results {
            let message =
                format!("`{name}` gives {results} result{}, found number {index}", s(results));
            return Err(ParseError::new(span.clone(), message));
        }
        Ok(self.graph.call(function, &self.list)[index - 1])
    }

    fn power(&mut self, base: SyntaxId, exponent: SyntaxId, span: &Range<usize>) -> Built<Expr> {
        let (a, b) = (self.value(base), self.value(exponent));
        if let Some(n) = self.graph.number_of(b) {
            let power = largest_power(self.graph, a);
            let size = n.to_f64().abs() * f64::from(power).abs();
            if size > f64::from(MAX_EXPONENT) {
                return Err(power_too_large(self.syntax.span(exponent)));
            }
            if a == Expr::ZERO && n.is_negative() {
                let message = "division by zero: zero to a negative power";
                return Err(ParseError::new(span.clone(), message));
            }
            if let Some(x) = self.graph.number_of(a) {
                let value = elementary::pow(x.to_f64(), n.to_f64());
                if !value.is_finite() {
                    return Err(not_finite(span.clone(), format!("pow({x}, {n})"), value));
                }
            }
        }
        Ok(self.graph.pow(a, b))
    }

    /// `if` with any condition as nested selects: each comparison becomes one, and both branches
    /// are shared nodes, so nothing is copied. Recursion is as deep as conditions nest, which the
    /// parser limits.
    fn select(&mut self, condition: SyntaxId, then: Expr, otherwise: Expr) -> Expr {
        let syntax = self.syntax;
        match *syntax.item(condition) {
            SyntaxNode::Compare(compare, a, b) => {
                let (a, b) = (self.value(a), self.value(b));
                self.graph.select(compare, a, b, then, otherwise)
            }
            SyntaxNode::Not(a) => self.select(a, otherwise, then),
            SyntaxNode::All(list) => syntax
                .operands(list)
                .iter()
                .rev()
                .fold(then, |then, operand| self.select(operand.id, then, otherwise)),
            SyntaxNode::Any(list) => syntax
                .operands(list)
                .iter()
                .rev()
                .fold(otherwise, |otherwise, operand| self.select(operand.id, then, otherwise)),
            // The parser admits nothing else as a condition.
            _ => unreachable!("a value where a condition belongs"),
        }
    }

    /// Refuses numbers that are not finite, wherever the graph may have put them.
    fn check(&mut self, built: Expr, span: Range<usize>) -> Built<()> {
        let bad = |number: Number| !number.is_finite();
        let faulty = match self.graph.node(built) {
            Node::Number(number) | Node::Scale(number, _) => bad(number),
            Node::Sum(terms) => {
                self.checked.insert(built.abs())
                    && terms.iter().any(|t| self.graph.number_of(t.coefficient).is_some_and(bad))
            }
            _ => false,
        };
        if largest_power(self.graph, built).unsigned_abs() > MAX_EXPONENT.unsigned_abs() {
            return Err(power_too_large(span));
        }
        if faulty {
            let message = "the numbers in this expression overflow: the result is not finite";
            return Err(ParseError::new(span, message));
        }
        Ok(())
    }
}

/// The power of largest magnitude in a product; one for anything else.
fn largest_power(graph: &Graph, expr: Expr) -> i32 {
    let core = match graph.node(expr) {
        Node::Scale(_, core) => core,
        _ => expr,
    };
    match graph.node(core) {
        Node::Product(factors) => {
            factors.iter().map(|f| f.power).max_by_key(|power| power.unsigned_abs()).unwrap_or(1)
        }
        _ => 1,
    }
}

fn power_too_large(span: Range<usize>) -> ParseError {
    ParseError::new(span, format!("exponents beyond {MAX_EXPONENT} in magnitude are not accepted"))
}

fn not_finite(span: Range<usize>, what: String, value: f64) -> ParseError {
    let why = if value.is_nan() { "has no real value" } else { "is not finite" };
    ParseError::new(span, format!("`{what}` {why}"))
}
