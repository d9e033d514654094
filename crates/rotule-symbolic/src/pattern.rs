//! Compiles the rules from their text and applies them.
//!
//! The left side of a rule in a sum is two monomials in functions of pattern variables. One of them
//! binds every variable; it is sought among the factors of each term, and what the other one must
//! then be is looked up in the graph and among the terms. So a pass over a sum takes time
//! proportional to its terms, however many rules there are.

use crate::expr::Expr;
use crate::function::Unary;
use crate::graph::Graph;
use crate::node::{Factor, Node};
use crate::number::Number;
use crate::parse::parse;
use crate::product::Factors;
use crate::sum::Terms;
use crate::syntax::{Syntax, SyntaxId, SyntaxNode};
use smallvec::SmallVec;

/// The expressions that the variables of a rule stand for; a rule has at most two.
type Bindings = [Option<Expr>; 2];

/// One factor of a monomial: a function of a variable, or a bare variable, to a power.
#[derive(Clone, Copy, Debug)]
struct Pattern {
    function: Option<Unary>,
    variable: usize,
    power: i32,
}

#[derive(Clone, Debug)]
struct Monomial {
    coefficient: Number,
    patterns: SmallVec<[Pattern; 2]>,
}

impl Monomial {
    /// The functions that occur, a bit each.
    fn functions(&self) -> u32 {
        let functions = self.patterns.iter().filter_map(|pattern| pattern.function);
        functions.fold(0, |bits, function| bits | bit(function))
    }
}

/// The right side of a rule, to be rebuilt with expressions in place of variables.
#[derive(Clone, Debug)]
enum Template {
    Number(Number),
    Variable(usize),
    Sum(Vec<(bool, Template)>),
    Product(Vec<(bool, Template)>),
    Power(Box<Template>, i32),
    Unary(Unary, Box<Template>),
}

/// `binding + other -> result`
pub(crate) struct SumRule {
    binding: Monomial,
    /// The functions of the monomial that binds, a bit each.
    functions: u32,
    other: Monomial,
    result: Template,
}

/// `monomial -> result`
pub(crate) struct ProductRule {
    monomial: Monomial,
    /// The functions that must be among the factors, a bit each.
    functions: u32,
    result: Template,
}

/// `outer(inner(x)) -> result`
pub(crate) struct FunctionRule {
    outer: Unary,
    inner: Unary,
    result: Template,
}

/// The two sides of a rule's text. The texts are constants of this crate and a test compiles each
/// of them: a rule that cannot be read is a mistake in the table.
fn sides(text: &str) -> (Syntax, Syntax) {
    let (left, right) = text.split_once("->").expect("a rule has an arrow");
    (parse(left).expect("left side of a rule"), parse(right).expect("right side of a rule"))
}

fn root(syntax: &Syntax) -> SyntaxId {
    syntax.ids().next_back().expect("a parsed text is not empty")
}

/// The names `a` and `x` are the first variable, `b` is the second.
fn variable(name: &str) -> usize {
    match name {
        "a" | "x" => 0,
        "b" => 1,
        other => panic!("a rule may not contain `{other}`: its variables are `a` and `b`, or `x`"),
    }
}

/// Multiplies a monomial by a part of a rule, or divides by it if `sign` is -1.
fn monomial(syntax: &Syntax, id: SyntaxId, sign: i32, out: &mut Monomial) {
    match *syntax.item(id) {
        SyntaxNode::Number(n) => out.coefficient = out.coefficient * n.powi(sign),
        SyntaxNode::Negate(inner) => {
            out.coefficient = -out.coefficient;
            monomial(syntax, inner, sign, out);
        }
        SyntaxNode::Product(list) => {
            for operand in syntax.operands(list) {
                monomial(syntax, operand.id, if operand.inverse { -sign } else { sign }, out);
            }
        }
        SyntaxNode::Power(base, exponent) => {
            let power = match template(syntax, exponent) {
                Template::Number(n) => n.as_integer().unwrap_or(1) as i32,
                _ => 1,
            };
            monomial(syntax, base, sign, out);
            out.patterns.last_mut().expect("a power has a base").power = sign * power;
        }
        SyntaxNode::Unary(function, argument) => {
            let SyntaxNode::Name(name) = *syntax.item(argument) else { return };
            let variable = variable(syntax.name(name));
            out.patterns.push(Pattern { function: Some(function), variable, power: sign });
        }
        SyntaxNode::Name(name) => {
            let variable = variable(syntax.name(name));
            out.patterns.push(Pattern { function: None, variable, power: sign });
        }
        _ => {}
    }
}

fn compile_monomial(syntax: &Syntax, id: SyntaxId) -> Monomial {
    let mut out = Monomial { coefficient: Number::ONE, patterns: SmallVec::new() };
    monomial(syntax, id, 1, &mut out);
    // Functions first: they bind the variables that bare factors only compare with.
    out.patterns.sort_by_key(|p| p.function.is_none());
    out
}

fn template(syntax: &Syntax, id: SyntaxId) -> Template {
    let list = |operands| {
        let operands = syntax.operands(operands).iter();
        operands.map(|o| (o.inverse, template(syntax, o.id))).collect()
    };
    match *syntax.item(id) {
        SyntaxNode::Number(n) => Template::Number(n),
        SyntaxNode::Name(name) => Template::Variable(variable(syntax.name(name))),
        SyntaxNode::Negate(inner) => Template::Sum(vec![(true, template(syntax, inner))]),
        SyntaxNode::Sum(operands) => Template::Sum(list(operands)),
        SyntaxNode::Product(operands) => Template::Product(list(operands)),
        SyntaxNode::Power(base, exponent) => match template(syntax, exponent) {
            Template::Number(n) => {
                let power = n.as_integer().unwrap_or(1) as i32;
                Template::Power(Box::new(template(syntax, base)), power)
            }
            _ => panic!("a rule has whole powers only"),
        },
        SyntaxNode::Unary(function, inner) => {
            Template::Unary(function, Box::new(template(syntax, inner)))
        }
        ref item => panic!("a rule may not contain {item:?}"),
    }
}

impl SumRule {
    pub(crate) fn compile(text: &str) -> SumRule {
        let (left, right) = sides(text);
        let SyntaxNode::Sum(operands) = *left.item(root(&left)) else {
            panic!("a rule for sums has two terms: {text}")
        };
        let mut terms = left.operands(operands).iter().map(|o| {
            let mut term = compile_monomial(&left, o.id);
            if o.inverse {
                term.coefficient = -term.coefficient;
            }
            term
        });
        let first = terms.next().expect("a sum has operands");
        let second = terms.next().expect("a sum has operands");
        let (binding, other) =
            if first.patterns.is_empty() { (second, first) } else { (first, second) };
        let binds = |variable: usize| binding.patterns.iter().any(|one| one.variable == variable);
        let bound = other.patterns.iter().all(|one| binds(one.variable));
        assert!(bound, "one term of a rule for sums names every variable: {text}");
        let functions = binding.functions();
        SumRule { binding, functions, other, result: template(&right, root(&right)) }
    }
}

impl ProductRule {
    pub(crate) fn compile(text: &str) -> ProductRule {
        let (left, right) = sides(text);
        let monomial = compile_monomial(&left, root(&left));
        let functions = monomial.functions();
        ProductRule { monomial, functions, result: template(&right, root(&right)) }
    }
}

impl FunctionRule {
    pub(crate) fn compile(text: &str) -> FunctionRule {
        let (left, right) = sides(text);
        let SyntaxNode::Unary(outer, argument) = *left.item(root(&left)) else {
            panic!("a rule for functions starts with one: {text}")
        };
        let SyntaxNode::Unary(inner, _) = *left.item(argument) else {
            panic!("a rule for functions has one inside: {text}")
        };
        FunctionRule { outer, inner, result: template(&right, root(&right)) }
    }
}

/// A bit for each function.
const fn bit(function: Unary) -> u32 {
    1 << function as u32
}

/// See [`Graph::signature`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Signature {
    rest: u64,
    angles: u64,
}

impl Signature {
    /// The signature of a product.
    pub(crate) fn times(self, other: Signature) -> Signature {
        Signature { rest: self.rest.wrapping_add(other.rest), angles: self.angles ^ other.angles }
    }
}

fn scramble(expr: Expr) -> u64 {
    let x = (expr.index() as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// A way in which a monomial occurs among factors.
struct Match {
    bindings: Bindings,
    /// The factors that are left over.
    rest: Factors,
}

impl Graph {
    fn instantiate(&mut self, template: &Template, bindings: &Bindings) -> Expr {
        match template {
            Template::Number(n) => self.number(*n),
            // Every variable on a right side occurs on the left: tested for each rule.
            Template::Variable(v) => bindings[*v].unwrap_or(Expr::ZERO),
            Template::Sum(list) => {
                let mut terms: SmallVec<[Expr; 4]> = SmallVec::new();
                for (inverse, item) in list {
                    terms.push(self.instantiate(item, bindings).negated_if(*inverse));
                }
                self.sum(&terms)
            }
            Template::Product(list) => {
                let mut factors: SmallVec<[Expr; 4]> = SmallVec::new();
                for (inverse, item) in list {
                    let factor = self.instantiate(item, bindings);
                    factors.push(if *inverse { self.powi(factor, -1) } else { factor });
                }
                self.product(&factors)
            }
            Template::Power(base, power) => {
                let base = self.instantiate(base, bindings);
                self.powi(base, *power)
            }
            Template::Unary(function, inner) => {
                let inner = self.instantiate(inner, bindings);
                self.unary(*function, inner)
            }
        }
    }

    /// Finds `patterns` among `list`, calling `found` for each way until it returns true.
    fn occurrences(
        &self,
        patterns: &[Pattern],
        bindings: Bindings,
        list: &Factors,
        found: &mut dyn FnMut(Match) -> bool,
    ) -> bool {
        let Some((pattern, others)) = patterns.split_first() else {
            return found(Match { bindings, rest: list.clone() });
        };
        for (i, factor) in list.iter().enumerate() {
            let same_side = (factor.power < 0) == (pattern.power < 0);
            if !same_side || factor.power.unsigned_abs() < pattern.power.unsigned_abs() {
                continue;
            }
            let argument = match (pattern.function, self.node(factor.base)) {
                (Some(requested), Node::Unary(function, argument)) if function == requested => {
                    argument
                }
                (None, _) => factor.base,
                _ => continue,
            };
            let mut bindings = bindings;
            match bindings[pattern.variable] {
                Some(bound) if bound != argument => continue,
                _ => bindings[pattern.variable] = Some(argument),
            }
            // The rest of this factor may not serve the other patterns: sin(a)*sin(b) is not
            // sin(a)^2.
            let mut rest = list.clone();
            let left = factor.power - pattern.power;
            rest.remove(i);
            let done = self.occurrences(others, bindings, &rest, &mut |mut m| {
                if left != 0 {
                    m.rest.push(Factor { base: factor.base, power: left });
                }
                found(m)
            });
            if done {
                return true;
            }
        }
        false
    }

    /// The core with these factors, if it exists in the graph.
    fn find_core(&self, mut list: Factors) -> Option<Expr> {
        self.merge_factors(&mut list);
        match *list.as_slice() {
            [] => Some(Expr::ONE),
            [Factor { base, power: 1 }] => Some(base),
            _ => self.find(Node::Product(&list)),
        }
    }

    /// The core that a match needs as its partner: the rest times the instantiated monomial.
    fn partner(&self, m: &Match, monomial: &Monomial) -> Option<Expr> {
        let mut list = m.rest.clone();
        for pattern in &monomial.patterns {
            let argument = m.bindings[pattern.variable]?;
            let base = match pattern.function {
                Some(function) => self.find(Node::Unary(function, argument))?,
                None => argument,
            };
            list.push(Factor { base, power: pattern.power });
        }
        self.find_core(list)
    }

    /// Replaces pairs of terms by one, for every rule in turn. The list is in canonical order;
    /// true if anything changed.
    pub(crate) fn apply_sum_rules(&mut self, terms: &mut Terms) -> bool {
        if !terms.iter().any(|t| self.stored(t.1).trig()) {
            return false;
        }
        let mut signatures: SmallVec<[Signature; 16]> =
            terms.iter().map(|t| self.signature(t.1, 1)).collect();
        signatures.sort_unstable();
        if !signatures.windows(2).any(|w| w[0] == w[1]) {
            return false;
        }
        let functions: SmallVec<[u32; 16]> = terms.iter().map(|t| self.functions(t.1)).collect();
        let compiled = self.rules.compiled();
        for (group, rule) in &compiled.sums {
            if self.rules.has(*group) && self.apply_sum_rule(rule, terms, &functions) {
                return true;
            }
        }
        false
    }

    /// The functions among the factors of a core, a bit each.
    fn functions(&self, core: Expr) -> u32 {
        let of = |base: Expr| match self.node(base) {
            Node::Unary(function, _) => bit(function),
            _ => 0,
        };
        match self.node(core) {
            Node::Product(factors) => factors.iter().fold(0, |bits, f| bits | of(f.base)),
            _ => of(core),
        }
    }

    /// The part of a product, or of its power, that the rules for sums leave as it is: its other
    /// factors, and which angles occur an odd number of times. Terms that a rule can join have the
    /// same.
    pub(crate) fn signature(&self, core: Expr, power: i32) -> Signature {
        let of = |base: Expr, power: i32| match self.node(base) {
            Node::Unary(Unary::Sin | Unary::Cos | Unary::Tan, angle) => {
                Signature { rest: 0, angles: if power % 2 == 0 { 0 } else { scramble(angle) } }
            }
            Node::Number(_) => Signature::default(),
            _ => Signature { rest: scramble(base).wrapping_mul(power as u64), angles: 0 },
        };
        match self.node(core) {
            Node::Product(factors) => factors
                .iter()
                .map(|f| of(f.base, f.power.wrapping_mul(power)))
                .fold(Signature::default(), Signature::times),
            _ => of(core, power),
        }
    }

    fn apply_sum_rule(&mut self, rule: &SumRule, terms: &mut Terms, functions: &[u32]) -> bool {
        let mut used: SmallVec<[bool; 16]> = SmallVec::from_elem(false, terms.len());
        let mut made = Terms::new();
        let ratio = rule.other.coefficient * rule.binding.coefficient.recip();
        for i in 0..terms.len() {
            let (coefficient, core) = terms[i];
            // A rule that saves the number in front saves nothing where there is none.
            let bare = coefficient.abs().is_one() && !rule.binding.coefficient.abs().is_one();
            if used[i] || bare || rule.functions & !functions[i] != 0 {
                continue;
            }
            let list = self.factors_of(core);
            let mut fired = None;
            self.occurrences(&rule.binding.patterns, [None; 2], &list, &mut |m| {
                let Some(partner) = self.partner(&m, &rule.other) else { return false };
                let key = self.order(partner);
                let Ok(j) = terms.binary_search_by_key(&key, |t| self.order(t.1)) else {
                    return false;
                };
                let fits = j != i && !used[j] && terms[j].0 == coefficient * ratio;
                if fits {
                    fired = Some((j, m));
                }
                fits
            });
            if let Some((j, m)) = fired {
                used[i] = true;
                used[j] = true;
                let result = self.instantiate(&rule.result, &m.bindings);
                let mut number = coefficient * rule.binding.coefficient.recip();
                let mut list = m.rest;
                self.gather(result, 1, &mut number, &mut list);
                let term = self.product_of(number, list);
                made.push(self.split(term));
            }
        }
        if made.is_empty() {
            return false;
        }
        let mut index = 0;
        terms.retain(|_| {
            index += 1;
            !used[index - 1]
        });
        terms.extend(made);
        true
    }

    /// Replaces some factors by others; true if a rule fired.
    pub(crate) fn apply_product_rules(
        &mut self,
        coefficient: &mut Number,
        list: &mut Factors,
    ) -> bool {
        if list.len() < 2 {
            return false;
        }
        // What holds in a numerator holds in a denominator.
        for power in [1, -1] {
            if let Some((rule, m)) = self.product_match(*coefficient, list, power) {
                let result = self.instantiate(&rule.result, &m.bindings);
                *coefficient = *coefficient * rule.monomial.coefficient.powi(-power);
                *list = m.rest;
                list.iter_mut().for_each(|f| f.power *= power);
                self.gather(result, power, coefficient, list);
                return true;
            }
        }
        false
    }

    /// Returns `true` if a number in front of a product is what a rule was waiting for.
    pub(crate) fn completes_a_rule(&self, number: Number, core: Expr) -> bool {
        let Node::Product(factors) = self.node(core) else { return false };
        let two = number.abs() == Number::integer(2)
            || matches!(number, Number::Rational { denominator: 2, .. });
        if !self.stored(core).trig() || !two {
            return false;
        }
        let list = factors.iter().copied().collect();
        [1, -1].into_iter().any(|sign| self.product_match(number, &list, sign).is_some())
    }

    /// The first rule that fits a coefficient and factors whose powers are taken times `sign`.
    fn product_match(
        &self,
        coefficient: Number,
        list: &Factors,
        sign: i32,
    ) -> Option<(&'static ProductRule, Match)> {
        let present = list.iter().fold(0, |bits, factor| match self.node(factor.base) {
            Node::Unary(function, _) => bits | bit(function),
            _ => bits,
        });
        for (group, rule) in &self.rules.compiled().products {
            if rule.functions & !present != 0 {
                continue;
            }
            let requested = rule.monomial.coefficient;
            // In a denominator the number is that of the fraction in front.
            let fits = requested.is_one()
                || if sign > 0 {
                    coefficient.abs() == requested
                } else {
                    coefficient.denominator().is_some_and(|d| Number::integer(d) == requested)
                };
            if !fits || !self.rules.has(*group) {
                continue;
            }
            let mut view = list.clone();
            view.iter_mut().for_each(|f| f.power = f.power.saturating_mul(sign));
            let mut fired = None;
            self.occurrences(&rule.monomial.patterns, [None; 2], &view, &mut |m| {
                fired = Some(m);
                true
            });
            if let Some(m) = fired {
                return Some((rule, m));
            }
        }
        None
    }

    /// The result of the rules for a function of a function.
    pub(crate) fn apply_function_rules(&mut self, outer: Unary, argument: Expr) -> Option<Expr> {
        let Node::Unary(inner, x) = self.node(argument) else { return None };
        if argument.is_negative() {
            return None;
        }
        let compiled = self.rules.compiled();
        let rule = compiled.functions.iter().find(|(group, rule)| {
            rule.outer == outer && rule.inner == inner && self.rules.has(*group)
        });
        rule.map(|(_, rule)| self.instantiate(&rule.result, &[Some(x), None]))
    }
}
