//! The syntax tree of an expression: what was written, before any simplification.
//!
//! It stands between the text and the graph for three reasons: errors need the place of every
//! part, tests need the value and the operation count of the text *as written* to hold the graph
//! against, and a scope may be chosen after parsing.
//!
//! Nodes live in one arena in which operands come before the node that uses them, so every walk is
//! a loop over the arena and none recurses. Sums and products hold any number of operands.

use std::collections::HashMap;
use std::ops::Range;

use crate::function::{Binary, Compare, Unary};
use crate::number::Number;

/// The index of a node in a [`Syntax`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SyntaxId(u32);

/// The index of a distinct name in a [`Syntax`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct NameId(u32);

impl SyntaxId {
    /// The position among all nodes; operands come before their users.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl NameId {
    /// The position in order of first appearance.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// One operand of a list.
#[derive(Clone, Copy, Debug)]
pub struct Operand {
    /// The operand.
    pub id: SyntaxId,
    /// `true` if it is subtracted (in a sum) or divided by (in a product).
    pub inverse: bool,
}

/// Operands of one node, a stretch of the tree's common list.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    start: u32,
    length: u32,
}

/// A node of the tree.
#[derive(Clone, Copy, Debug)]
pub enum SyntaxNode {
    /// A literal.
    Number(Number),
    /// The constant `pi`.
    Pi,
    /// A symbol or variable.
    Name(NameId),
    /// `-x`
    Negate(SyntaxId),
    /// `a + b - c`, as far as it was written without parentheses.
    Sum(Operands),
    /// `a*b/c`, as far as it was written without parentheses.
    Product(Operands),
    /// `base ^ exponent`
    Power(SyntaxId, SyntaxId),
    /// A known function of one argument.
    Unary(Unary, SyntaxId),
    /// A known function of two arguments; `min` and `max` may have more.
    Binary(Binary, Operands),
    /// `if(condition, a, b)`
    If(SyntaxId, SyntaxId, SyntaxId),
    /// `name(arguments)[result]`, a function that the graph must know. Results count from one.
    Call {
        /// The function.
        name: NameId,
        /// The number of the result; none if the text did not say.
        result: Option<u32>,
        /// The arguments.
        arguments: Operands,
    },
    /// A comparison. `>` and `>=` are stored with their sides exchanged.
    Compare(Compare, SyntaxId, SyntaxId),
    /// `not c`
    Not(SyntaxId),
    /// `a and b and c`
    All(Operands),
    /// `a or b or c`
    Any(Operands),
}

impl SyntaxNode {
    /// Returns `true` if this is a condition rather than a value.
    pub fn is_condition(&self) -> bool {
        matches!(
            self,
            SyntaxNode::Compare(..) | SyntaxNode::Not(_) | SyntaxNode::All(_) | SyntaxNode::Any(_)
        )
    }
}

/// Operations of a text as written, nothing shared and nothing folded.
///
/// A sum of n terms is n-1 additions whatever the signs, a product of n factors n-1
/// multiplications or divisions, `x^n` the multiplications of binary powering (one division more
/// when n is negative, one square root more for halves). A function or comparison is one; the sign
/// is free.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    /// Additions and subtractions.
    pub add: u64,
    /// Multiplications.
    pub multiply: u64,
    /// Divisions.
    pub divide: u64,
    /// Functions, foreign calls and comparisons.
    pub functions: u64,
}

impl Operations {
    /// All operations together.
    pub fn total(self) -> u64 {
        self.add + self.multiply + self.divide + self.functions
    }
}

impl std::ops::AddAssign for Operations {
    fn add_assign(&mut self, other: Operations) {
        self.add += other.add;
        self.multiply += other.multiply;
        self.divide += other.divide;
        self.functions += other.functions;
    }
}

/// Arithmetic in which a text can be evaluated: doubles, extended precision, intervals.
///
/// The methods take `self` so that an implementation can carry a precision, caches and the values
/// of names.
pub trait Arithmetic {
    /// A number of this arithmetic.
    type Value: Clone;
    /// A literal.
    fn number(&mut self, number: Number) -> Self::Value;
    /// The constant.
    fn pi(&mut self) -> Self::Value;
    /// The value of a symbol, if it has one.
    fn name(&mut self, name: &str) -> Option<Self::Value>;
    /// `-a`
    fn negate(&mut self, a: &Self::Value) -> Self::Value;
    /// `a + b`
    fn add(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// `a * b`
    fn multiply(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// `a / b`
    fn divide(&mut self, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// A function of one argument.
    fn unary(&mut self, function: Unary, a: &Self::Value) -> Self::Value;
    /// A function of two arguments, powers among them.
    fn binary(&mut self, function: Binary, a: &Self::Value, b: &Self::Value) -> Self::Value;
    /// A comparison.
    fn compare(&mut self, compare: Compare, a: &Self::Value, b: &Self::Value) -> bool;
    /// Result number `result` (from one) of a foreign function, if there is such a function.
    fn call(&mut self, name: &str, result: u32, arguments: &[Self::Value]) -> Option<Self::Value>;
}

/// Double precision, names given by a function; knows no foreign functions.
pub struct Doubles<F>(pub F);

impl<F: FnMut(&str) -> Option<f64>> Arithmetic for Doubles<F> {
    type Value = f64;
    fn number(&mut self, number: Number) -> f64 {
        number.to_f64()
    }
    fn pi(&mut self) -> f64 {
        std::f64::consts::PI
    }
    fn name(&mut self, name: &str) -> Option<f64> {
        self.0(name)
    }
    fn negate(&mut self, a: &f64) -> f64 {
        -a
    }
    fn add(&mut self, a: &f64, b: &f64) -> f64 {
        a + b
    }
    fn multiply(&mut self, a: &f64, b: &f64) -> f64 {
        a * b
    }
    fn divide(&mut self, a: &f64, b: &f64) -> f64 {
        a / b
    }
    fn unary(&mut self, function: Unary, a: &f64) -> f64 {
        function.apply(*a)
    }
    fn binary(&mut self, function: Binary, a: &f64, b: &f64) -> f64 {
        function.apply(*a, *b)
    }
    fn compare(&mut self, compare: Compare, a: &f64, b: &f64) -> bool {
        compare.apply(*a, *b)
    }
    fn call(&mut self, _: &str, _: u32, _: &[f64]) -> Option<f64> {
        None
    }
}

/// A value or the truth of a condition, while a tree is evaluated.
#[derive(Clone)]
enum Outcome<V> {
    Value(V),
    Truth(bool),
}

impl<V> Outcome<V> {
    fn value(&self) -> &V {
        match self {
            Outcome::Value(value) => value,
            // The parser admits conditions only where a truth is expected.
            Outcome::Truth(_) => unreachable!("a condition where a value belongs"),
        }
    }

    fn truth(&self) -> bool {
        matches!(self, Outcome::Truth(true))
    }
}

/// The syntax tree of one expression. Made by [`parse`](crate::parse::parse).
#[derive(Clone, Debug, Default)]
pub struct Syntax {
    items: Vec<(SyntaxNode, u32, u32)>,
    operands: Vec<Operand>,
    names: Vec<String>,
    name_ids: HashMap<String, NameId>,
}

impl Syntax {
    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns `true` if there is no node; no parsed text is.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// All nodes, operands before users; the last is the whole expression.
    pub fn ids(&self) -> impl DoubleEndedIterator<Item = SyntaxId> + use<> {
        (0..self.items.len() as u32).map(SyntaxId)
    }

    /// The node.
    pub fn item(&self, id: SyntaxId) -> &SyntaxNode {
        &self.items[id.index()].0
    }

    /// The bytes of the text that the node was written as, parentheses included.
    pub fn span(&self, id: SyntaxId) -> Range<usize> {
        let (_, start, end) = self.items[id.index()];
        start as usize..end as usize
    }

    /// A node's operands.
    pub fn operands(&self, list: Operands) -> &[Operand] {
        &self.operands[list.start as usize..(list.start + list.length) as usize]
    }

    /// A name, without the spaces that may stand between its indices.
    pub fn name(&self, id: NameId) -> &str {
        &self.names[id.index()]
    }

    /// The distinct names in order of appearance, functions of the graph among them.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn push(&mut self, item: SyntaxNode, span: Range<usize>) -> SyntaxId {
        let id = SyntaxId(self.items.len() as u32);
        self.items.push((item, span.start as u32, span.end as u32));
        id
    }

    pub(crate) fn widen(&mut self, id: SyntaxId, span: Range<usize>) {
        let entry = &mut self.items[id.index()];
        (entry.1, entry.2) = (span.start as u32, span.end as u32);
    }

    pub(crate) fn list(&mut self, operands: impl Iterator<Item = Operand>) -> Operands {
        let start = self.operands.len();
        self.operands.extend(operands);
        Operands { start: start as u32, length: (self.operands.len() - start) as u32 }
    }

    pub(crate) fn intern(&mut self, name: &str) -> NameId {
        if let Some(&id) = self.name_ids.get(name) {
            return id;
        }
        let id = NameId(self.names.len() as u32);
        self.names.push(name.to_owned());
        self.name_ids.insert(name.to_owned(), id);
        id
    }

    /// Operations as written.
    pub fn count(&self) -> Operations {
        let mut counts: Vec<Operations> = Vec::with_capacity(self.items.len());
        let mut constants: Vec<Option<Number>> = Vec::with_capacity(self.items.len());
        for (item, ..) in &self.items {
            let mut own = Operations::default();
            self.each_operand(item, |id| own += counts[id.index()]);
            match *item {
                SyntaxNode::Number(_)
                | SyntaxNode::Pi
                | SyntaxNode::Name(_)
                | SyntaxNode::Negate(_) => {}
                SyntaxNode::If(..)
                | SyntaxNode::Not(_)
                | SyntaxNode::All(_)
                | SyntaxNode::Any(_) => {}
                SyntaxNode::Sum(list) => own.add += u64::from(list.length) - 1,
                SyntaxNode::Product(list) => {
                    let divisors =
                        self.operands(list).iter().filter(|operand| operand.inverse).count() as u64;
                    own.divide += divisors;
                    own.multiply += u64::from(list.length) - 1 - divisors;
                }
                SyntaxNode::Power(base, exponent) => match constants[exponent.index()] {
                    Some(number) => {
                        // A constant exponent is not arithmetic of the text but its size is.
                        own = counts[base.index()];
                        own += powering(number);
                    }
                    None => own.functions += 1,
                },
                SyntaxNode::Binary(_, list) => own.functions += u64::from(list.length) - 1,
                SyntaxNode::Unary(..) | SyntaxNode::Call { .. } | SyntaxNode::Compare(..) => {
                    own.functions += 1;
                }
            }
            counts.push(own);
            constants.push(self.constant(item, &constants));
        }
        counts.last().copied().unwrap_or_default()
    }

    /// The exact value of a node made of literals and arithmetic only.
    fn constant(&self, item: &SyntaxNode, constants: &[Option<Number>]) -> Option<Number> {
        let of = |id: SyntaxId| constants[id.index()];
        match *item {
            SyntaxNode::Number(number) => Some(number),
            SyntaxNode::Negate(id) => Some(-of(id)?),
            SyntaxNode::Sum(list) => {
                self.operands(list).iter().try_fold(Number::ZERO, |sum, operand| {
                    let term = of(operand.id)?;
                    Some(sum + if operand.inverse { -term } else { term })
                })
            }
            SyntaxNode::Product(list) => {
                self.operands(list).iter().try_fold(Number::ONE, |product, operand| {
                    let factor = of(operand.id)?;
                    Some(product * if operand.inverse { factor.recip() } else { factor })
                })
            }
            _ => None,
        }
    }

    fn each_operand(&self, item: &SyntaxNode, mut visit: impl FnMut(SyntaxId)) {
        match *item {
            SyntaxNode::Number(_) | SyntaxNode::Pi | SyntaxNode::Name(_) => {}
            SyntaxNode::Negate(a) | SyntaxNode::Unary(_, a) | SyntaxNode::Not(a) => visit(a),
            SyntaxNode::Power(a, b) | SyntaxNode::Compare(_, a, b) => {
                [a, b].into_iter().for_each(visit);
            }
            SyntaxNode::If(a, b, c) => [a, b, c].into_iter().for_each(visit),
            SyntaxNode::Sum(list)
            | SyntaxNode::Product(list)
            | SyntaxNode::Binary(_, list)
            | SyntaxNode::All(list)
            | SyntaxNode::Any(list)
            | SyntaxNode::Call { arguments: list, .. } => {
                self.operands(list).iter().for_each(|operand| visit(operand.id));
            }
        }
    }

    /// The value of the text as written, from left to right. Fails with the name or function that
    /// has no value. Both branches of an `if` are evaluated.
    pub fn evaluate<A: Arithmetic>(&self, a: &mut A) -> Result<A::Value, &str> {
        use Outcome::{Truth, Value};
        let mut done: Vec<Outcome<A::Value>> = Vec::with_capacity(self.items.len());
        let at = |done: &[Outcome<A::Value>], id: SyntaxId| done[id.index()].clone();
        for (item, ..) in &self.items {
            let outcome = match *item {
                SyntaxNode::Number(number) => Value(a.number(number)),
                SyntaxNode::Pi => Value(a.pi()),
                SyntaxNode::Name(id) => Value(a.name(self.name(id)).ok_or_else(|| self.name(id))?),
                SyntaxNode::Negate(x) => Value(a.negate(at(&done, x).value())),
                SyntaxNode::Sum(list) => Value(self.fold(list, &done, |sum, x, inverse| {
                    let x = if inverse { a.negate(x) } else { x.clone() };
                    a.add(sum, &x)
                })),
                SyntaxNode::Product(list) => {
                    Value(self.fold(list, &done, |product, x, inverse| {
                        if inverse { a.divide(product, x) } else { a.multiply(product, x) }
                    }))
                }
                SyntaxNode::Binary(f, list) => {
                    Value(self.fold(list, &done, |left, right, _| a.binary(f, left, right)))
                }
                SyntaxNode::Power(x, y) => {
                    Value(a.binary(Binary::Pow, at(&done, x).value(), at(&done, y).value()))
                }
                SyntaxNode::Unary(f, x) => Value(a.unary(f, at(&done, x).value())),
                SyntaxNode::If(condition, x, y) => {
                    at(&done, if at(&done, condition).truth() { x } else { y })
                }
                SyntaxNode::Call { name, result, arguments } => {
                    let list = self.operands(arguments).iter();
                    let list: Vec<_> = list.map(|x| at(&done, x.id).value().clone()).collect();
                    let value = a.call(self.name(name), result.unwrap_or(1), &list);
                    Value(value.ok_or_else(|| self.name(name))?)
                }
                SyntaxNode::Compare(compare, x, y) => {
                    Truth(a.compare(compare, at(&done, x).value(), at(&done, y).value()))
                }
                SyntaxNode::Not(x) => Truth(!at(&done, x).truth()),
                SyntaxNode::All(list) => {
                    Truth(self.operands(list).iter().all(|x| at(&done, x.id).truth()))
                }
                SyntaxNode::Any(list) => {
                    Truth(self.operands(list).iter().any(|x| at(&done, x.id).truth()))
                }
            };
            done.push(outcome);
        }
        match done.pop() {
            Some(Value(value)) => Ok(value),
            _ => Err(""),
        }
    }

    fn fold<V: Clone>(
        &self,
        list: Operands,
        done: &[Outcome<V>],
        mut step: impl FnMut(&V, &V, bool) -> V,
    ) -> V {
        let operands = self.operands(list);
        let mut result = done[operands[0].id.index()].value().clone();
        for operand in &operands[1..] {
            result = step(&result, done[operand.id.index()].value(), operand.inverse);
        }
        result
    }
}

/// The operations of raising to a constant power.
fn powering(exponent: Number) -> Operations {
    let halves = exponent * Number::integer(2);
    let whole = halves.as_integer().or_else(|| {
        let x = halves.to_f64();
        (x.fract() == 0.0 && x.abs() < 1e9).then_some(x as i64)
    });
    let mut count = Operations::default();
    let Some(halves) = whole else {
        count.functions = 1;
        return count;
    };
    let magnitude = halves.unsigned_abs();
    let times = if magnitude % 2 == 0 { magnitude / 2 } else { magnitude };
    count.functions = magnitude % 2;
    count.divide = u64::from(halves < 0);
    if times > 0 {
        count.multiply = u64::from(times.ilog2() + times.count_ones() - 1);
    }
    count
}
