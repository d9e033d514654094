//! Expressions as plain text, in the language that [`parse`](crate::parse::parse) reads.
//!
//! Parentheses are as few as possible, operands stand in an order that a reader expects, and
//! reading the text back gives the same expression. The walk keeps its own stack, so depth is no
//! limit; but a graph shares and a text does not, so the text of a deeply shared expression can be
//! exponentially long. [`Graph::text_limited`] stops in time, [`Graph::listing`] gives
//! shared parts lines of their own.

pub(crate) mod layout;
pub(crate) mod lines;

use std::fmt;

use crate::expr::Expr;
use crate::function::Binary;
use crate::graph::Graph;
use crate::node::{Factor, Node};
use crate::number::Number;
use layout::{Fraction, Layout, atom_name};
use lines::Lines;

impl Graph {
    /// The expression as text. Named variables stand as their names.
    pub fn text(&self, expr: Expr) -> String {
        let layout = Layout::new(self, [expr]);
        Writer::new(&layout, &Lines::default(), usize::MAX).expression(expr).unwrap_or_default()
    }

    /// The expression as text for people: numbers end where rounding begins, so that reading the
    /// text back gives an expression that is equal to 15 digits.
    pub fn text_for_people(&self, expr: Expr) -> String {
        let layout = Layout::new(self, [expr]);
        let lines = Lines::default();
        let writer = Writer { for_people: true, ..Writer::new(&layout, &lines, usize::MAX) };
        writer.expression(expr).unwrap_or_default()
    }

    /// The expression as text if that takes at most `max_bytes`.
    pub fn text_limited(&self, expr: Expr, max_bytes: usize) -> Option<String> {
        let layout = Layout::new(self, [expr]);
        Writer::new(&layout, &Lines::default(), max_bytes).expression(expr)
    }

    /// The expression for `{}`, as [`Graph::text`] writes it.
    pub fn display(&self, expr: Expr) -> impl fmt::Display + '_ {
        struct Shown<'g>(&'g Graph, Expr);
        impl fmt::Display for Shown<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0.text(self.1))
            }
        }
        Shown(self, expr)
    }

    /// Lines `name = expression`, one for each output, preceded by lines for the named variables
    /// they use and for every part that is used more than once (`z1`, `z2`, …), each before its
    /// first use. The length is linear in the size of the graph below the outputs.
    ///
    /// A call whose several results are used has a line too; `z3[2]` is then its second result.
    pub fn listing<S: AsRef<str>>(&self, outputs: &[(S, Expr)]) -> String {
        self.written_lines(outputs, false)
    }

    /// The lines of [`Graph::listing`], with numbers as [`Graph::text_for_people`] writes them.
    pub fn listing_for_people<S: AsRef<str>>(&self, outputs: &[(S, Expr)]) -> String {
        self.written_lines(outputs, true)
    }

    fn written_lines<S: AsRef<str>>(&self, outputs: &[(S, Expr)], for_people: bool) -> String {
        let (layout, lines) = Lines::new(self, outputs);
        let mut text = String::new();
        for line in &lines.lines {
            let writer = Writer { for_people, ..Writer::new(&layout, &lines, usize::MAX) };
            let body =
                if line.opened { writer.opened(line.body) } else { writer.expression(line.body) };
            push_line(&mut text, &line.name, body);
        }
        for (name, expr) in outputs {
            let writer = Writer { for_people, ..Writer::new(&layout, &lines, usize::MAX) };
            let body = writer.expression(*expr);
            push_line(&mut text, name.as_ref(), body);
        }
        text
    }
}

fn push_line(text: &mut String, name: &str, body: Option<String>) {
    for part in [name, " = ", &body.unwrap_or_default(), "\n"] {
        text.push_str(part);
    }
}

/// Where an operand stands, loosest first: what needs parentheses there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Alone, in parentheses or as an argument.
    Free,
    /// A factor in a product, or a whole term.
    Factor,
    /// Below a power or above one.
    Power,
}

/// Work that is still to be written, in reverse.
enum Work<'a> {
    Text(&'a str),
    Number(Number),
    Node { node: Expr, negative: bool, place: Place },
}

struct Writer<'a> {
    layout: &'a Layout<'a>,
    lines: &'a Lines,
    limit: usize,
    /// Numbers end where rounding begins.
    for_people: bool,
    out: String,
    /// Work that the current step puts off, in order; it goes onto the stack in reverse.
    step: Vec<Work<'a>>,
    stack: Vec<Work<'a>>,
}

impl<'a> Writer<'a> {
    fn new(layout: &'a Layout<'a>, lines: &'a Lines, limit: usize) -> Writer<'a> {
        let (step, stack) = (Vec::new(), Vec::new());
        Writer { layout, lines, limit, for_people: false, out: String::new(), step, stack }
    }

    /// The whole expression; none if it grew beyond the limit.
    fn expression(mut self, expr: Expr) -> Option<String> {
        let negative = self.layout.is_negative(expr);
        self.stack.push(Work::Node { node: expr, negative, place: Place::Free });
        self.run()
    }

    /// A node that has a line of its own, for that line.
    fn opened(mut self, node: Expr) -> Option<String> {
        self.open(node, false, Place::Free);
        self.stack.extend(self.step.drain(..).rev());
        self.run()
    }

    fn run(mut self) -> Option<String> {
        while let Some(work) = self.stack.pop() {
            match work {
                Work::Text(text) => self.out.push_str(text),
                Work::Number(number) if self.for_people => {
                    self.out.push_str(&number.without_rounding().to_string());
                }
                Work::Number(number) => self.out.push_str(&number.to_string()),
                Work::Node { node, negative, place } => self.node(node, negative, place),
            }
            self.stack.extend(self.step.drain(..).rev());
            if self.out.len() > self.limit {
                return None;
            }
        }
        Some(self.out)
    }

    fn text(&mut self, text: &'a str) {
        self.step.push(Work::Text(text));
    }

    fn place(&mut self, node: Expr, negative: bool, place: Place) {
        self.step.push(Work::Node { node, negative, place });
    }

    /// A node by its name, or opened.
    fn node(&mut self, node: Expr, negative: bool, place: Place) {
        let graph = self.layout.graph;
        let name = self.lines.name(node).or_else(|| atom_name(graph, node));
        match (name, graph.node(node)) {
            (Some(name), _) => self.atom(name, negative, place),
            (None, Node::Pi) => self.atom("pi", negative, place),
            (None, Node::Result(call, index)) if self.lines.name(call).is_some() => {
                let name = self.lines.name(call).unwrap_or_default();
                self.atom(&format!("{name}[{}]", index + 1), negative, place);
            }
            _ => self.open(node, negative, place),
        }
    }

    fn atom(&mut self, name: &str, negative: bool, place: Place) {
        let (before, after) = match (negative, place) {
            (false, _) => ("", ""),
            (true, Place::Free) => ("-", ""),
            (true, _) => ("(-", ")"),
        };
        self.out.push_str(before);
        self.out.push_str(name);
        self.out.push_str(after);
    }

    fn open(&mut self, node: Expr, negative: bool, place: Place) {
        let graph = self.layout.graph;
        // Everything but a plain call may need parentheses.
        let bare = match graph.node(node) {
            Node::Number(number) => number.as_integer().is_some() || !number.is_exact(),
            Node::Sum(_) => false,
            Node::Product(_) | Node::Scale(..) => place < Place::Power,
            Node::Binary(Binary::Pow, ..) => place < Place::Power,
            _ => true,
        };
        let wrap = place > Place::Free && (!bare || negative && !self.turns(node));
        if wrap {
            self.text("(");
        }
        let sign = if negative { "-" } else { "" };
        match graph.node(node) {
            Node::Number(number) => {
                self.text(sign);
                self.step.push(Work::Number(number));
            }
            Node::Sum(_) => {
                for (i, (minus, number, core)) in
                    self.layout.terms(node, negative).into_iter().enumerate()
                {
                    match (i, minus) {
                        (0, false) => {}
                        (0, true) => {
                            self.product(number, core, true);
                            continue;
                        }
                        (_, false) => self.text(" + "),
                        (_, true) => self.text(" - "),
                    }
                    self.product(number, core, false);
                }
            }
            Node::Product(_) => self.fraction(self.layout.fraction(Number::ONE, node), negative),
            Node::Scale(number, core) => self.product(number, core, negative),
            Node::Binary(Binary::Pow, base, exponent) => {
                self.text(sign);
                self.place(base, self.layout.is_negative(base), Place::Power);
                self.text("^");
                self.place(exponent, self.layout.is_negative(exponent), Place::Power);
            }
            Node::Unary(function, argument) => {
                let turned = negative && self.turns(node);
                self.text(if turned { "" } else { sign });
                self.text(function.name());
                let shown =
                    if turned { vec![(argument, true)] } else { self.layout.arguments(node) };
                self.arguments(shown);
            }
            Node::Binary(function, ..) => {
                self.text(sign);
                self.text(function.name());
                self.arguments(self.layout.flat_arguments(node, |e| self.lines.name(e).is_some()));
            }
            Node::Select(compare, _) => {
                self.text(sign);
                self.text("if(");
                let behind = [&[" ", compare.sign(), " "][..], &[", "], &[", "], &[")"]];
                for ((argument, minus), behind) in
                    self.layout.arguments(node).into_iter().zip(behind)
                {
                    self.place(argument, minus, Place::Free);
                    behind.iter().for_each(|text| self.text(text));
                }
            }
            Node::Call(function, _) => {
                self.text(sign);
                self.text(&graph.function(function).name);
                self.arguments(self.layout.arguments(node));
            }
            Node::Result(call, index) => {
                self.text(sign);
                self.place(call, false, Place::Free);
                if let Node::Call(function, _) = graph.node(call)
                    && graph.function(function).results != 1
                {
                    self.text("[");
                    self.step.push(Work::Number(Number::from(i64::from(index) + 1)));
                    self.text("]");
                }
            }
            // Atoms have names.
            Node::Pi | Node::Symbol(_) | Node::Variable(_) => {}
        }
        if wrap {
            self.text(")");
        }
    }

    fn arguments(&mut self, arguments: Vec<(Expr, bool)>) {
        self.text("(");
        for (i, (argument, negative)) in arguments.into_iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            self.place(argument, negative, Place::Free);
        }
        self.text(")");
    }

    /// `number * core`, with the sign in front or, where that is possible, inside a factor.
    fn product(&mut self, number: Number, core: Expr, negative: bool) {
        let mut fraction = self.layout.fraction(number, core);
        if self.lines.name(core).is_some() {
            fraction.bottom.clear();
            fraction.top = vec![Factor { base: core, power: 1 }];
        }
        self.fraction(fraction, negative);
    }

    fn fraction(&mut self, fraction: Fraction, negative: bool) {
        let turned = if negative { self.turnable(&fraction.top) } else { None };
        if negative && turned.is_none() {
            self.text("-");
        }
        let nothing = fraction.number.is_none() && fraction.top.is_empty();
        let above = if nothing { Some(Number::ONE) } else { fraction.number };
        self.factors(above, &fraction.top, turned);
        match fraction.bottom.len() + usize::from(fraction.divisor.is_some()) {
            0 => {}
            1 => {
                self.text("/");
                self.factors(fraction.divisor, &fraction.bottom, None);
            }
            _ => {
                self.text("/(");
                self.factors(fraction.divisor, &fraction.bottom, None);
                self.text(")");
            }
        }
    }

    /// The factor that can take a minus sign by showing its differences the other way round.
    fn turnable(&self, factors: &[Factor]) -> Option<usize> {
        factors.iter().position(|factor| factor.power % 2 != 0 && self.turns(factor.base))
    }

    fn turns(&self, node: Expr) -> bool {
        self.lines.turns(self.layout, node)
    }

    fn factors(&mut self, number: Option<Number>, factors: &[Factor], turned: Option<usize>) {
        if let Some(number) = number {
            self.step.push(Work::Number(number));
        }
        for (i, factor) in factors.iter().enumerate() {
            if i > 0 || number.is_some() {
                self.text("*");
            }
            let place = if factor.power == 1 { Place::Factor } else { Place::Power };
            self.place(factor.base, turned == Some(i), place);
            if factor.power != 1 {
                self.text("^");
                self.step.push(Work::Number(Number::from(i64::from(factor.power))));
            }
        }
    }
}
