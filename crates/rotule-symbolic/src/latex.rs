//! Expressions as LaTeX, for math mode with the `amsmath` package.
//!
//! Order and signs are those of the plain text; the rest is typography: fractions, roots, cases,
//! `\sin^{2} q_{1}`, parentheses that grow only around what is tall. The walk keeps its own stack
//! and its length has the same bounds as the plain text's.

mod fill;
mod names;
mod rows;

use std::borrow::Cow;

pub use fill::latex_width;
pub use names::{greek, latex_name, latex_word};
pub use rows::{LatexRow, LatexStyle};

use crate::expr::Expr;
use crate::function::{Binary, Compare, Unary};
use crate::graph::Graph;
use crate::node::{Factor, Node};
use crate::number::Number;
use crate::print::layout::{Fraction, Layout, atom_name};
use crate::print::lines::Lines;
use fill::Fill;
use names::number;

impl Graph {
    /// The expression as LaTeX for math mode. Named variables stand as their names.
    pub fn latex(&self, expr: Expr) -> String {
        let layout = Layout::new(self, [expr]);
        Writer::new(&layout, &Lines::default(), &latex_name)
            .expression(expr)
            .lines(i64::MAX)
            .concat()
    }

    /// The expression as LaTeX for a row of an `align` environment, behind the `&=`. Long sums go
    /// over several lines; nothing gets a line of its own.
    pub fn latex_row(&self, expr: Expr) -> String {
        let rows = self.latex_rows(&[("", expr)], &LatexStyle::PLAIN);
        rows.last().map_or(String::new(), |row| row.lines.join(CONTINUED))
    }

    /// The rows of [`Graph::listing`] as an `align*` environment. Long sums go over several lines.
    pub fn latex_listing<S: AsRef<str>>(&self, outputs: &[(S, Expr)]) -> String {
        let style = LatexStyle { shared: Some(0), ..LatexStyle::PLAIN };
        let rows = self.latex_rows(outputs, &style);
        let row = |row: &LatexRow| format!("  {} &= {}", row.latex, row.lines.join(CONTINUED));
        let rows: Vec<String> = rows.iter().map(row).collect();
        format!("\\begin{{align*}}\n{}\n\\end{{align*}}\n", rows.join(" \\\\\n"))
    }
}

/// Between the lines of a row.
const CONTINUED: &str = " \\\\\n  &\\quad {}";

/// Where an operand stands: what needs parentheses there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Alone, in parentheses, braces or as an argument.
    Free,
    /// A factor in a row that ends with it or goes on with another function.
    Last,
    /// A factor in a row that goes on: `\sin x` needs parentheses around `x`.
    Factor,
    /// Below a power.
    Power,
}

/// The style of fractions and long sums.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// On a line of its own, which may be broken.
    Line,
    /// On a line of its own where sums alone do not make lines short enough: products and arguments
    /// may be broken, too, and long fractions, roots and cases are written in a row.
    Loose,
    /// Inside something that must stay in one line.
    Unbroken,
    /// In an exponent: fractions with a slash.
    Inline,
}

impl Mode {
    /// The mode inside a fraction, a root or an argument.
    fn inside(self) -> Mode {
        match self {
            Mode::Inline | Mode::Loose => self,
            Mode::Line | Mode::Unbroken => Mode::Unbroken,
        }
    }
}

enum Work<'a> {
    Text(Cow<'a, str>),
    Node {
        node: Expr,
        negative: bool,
        place: Place,
        mode: Mode,
    },
    /// A parenthesis, and the space before it should it grow.
    Open(&'static str),
    Close,
    Fraction,
    Over,
    EndFraction,
    /// The line may end here.
    Break,
    /// It may end here, but better elsewhere.
    WeakBreak,
}

/// Whatever has at most so many operations stays in one line.
const SMALL: u32 = 4;

/// A fraction in a line is written `1/below (above)` if more operations than this stand above, so
/// that it can be broken.
const ABOVE: u32 = 12;

struct Writer<'a> {
    layout: &'a Layout<'a>,
    lines: &'a Lines,
    names: &'a dyn Fn(&str) -> String,
    mode: Mode,
    fill: Fill<'a>,
    step: Vec<Work<'a>>,
    stack: Vec<Work<'a>>,
}

impl<'a> Writer<'a> {
    fn new(
        layout: &'a Layout<'a>,
        lines: &'a Lines,
        names: &'a dyn Fn(&str) -> String,
    ) -> Writer<'a> {
        Writer {
            layout,
            lines,
            names,
            mode: Mode::Unbroken,
            fill: Fill::default(),
            step: Vec::new(),
            stack: Vec::new(),
        }
    }

    fn expression(mut self, expr: Expr) -> Fill<'a> {
        let negative = self.layout.is_negative(expr);
        self.node(expr, negative, Place::Free, self.mode);
        self.run()
    }

    /// A node that has a line of its own, for that line.
    fn opened(mut self, node: Expr) -> Fill<'a> {
        self.opened_node(node, false, Place::Free, self.mode);
        self.run()
    }

    fn run(mut self) -> Fill<'a> {
        loop {
            self.stack.extend(self.step.drain(..).rev());
            match self.stack.pop() {
                None => return self.fill,
                Some(Work::Text(text)) => self.fill.text(text),
                Some(Work::Node { node, negative, place, mode }) => {
                    self.node(node, negative, place, mode);
                }
                Some(Work::Open(space)) => self.fill.open(space),
                Some(Work::Close) => self.fill.close(),
                Some(Work::Fraction) => self.fill.fraction(),
                Some(Work::Over) => self.fill.over(),
                Some(Work::EndFraction) => self.fill.end_fraction(),
                Some(Work::Break) => self.fill.stop(false),
                Some(Work::WeakBreak) => self.fill.stop(true),
            }
        }
    }

    fn text(&mut self, text: impl Into<Cow<'a, str>>) {
        self.step.push(Work::Text(text.into()));
    }

    fn place(&mut self, node: Expr, negative: bool, place: Place, mode: Mode) {
        self.step.push(Work::Node { node, negative, place, mode });
    }

    /// The name under which a node stands in a line, if it has one.
    fn atom(&self, node: Expr) -> Option<String> {
        let graph = self.layout.graph;
        if let Some(name) = self.lines.name(node).or_else(|| atom_name(graph, node)) {
            return Some((self.names)(name));
        }
        match graph.node(node) {
            Node::Pi => Some("\\pi".into()),
            Node::Result(call, index) => {
                Some((self.names)(&format!("{}[{}]", self.lines.name(call)?, index + 1)))
            }
            _ => None,
        }
    }

    fn node(&mut self, node: Expr, negative: bool, place: Place, mode: Mode) {
        let Some(atom) = self.atom(node) else {
            return self.opened_node(node, negative, place, mode);
        };
        let wrap = negative && place > Place::Free;
        self.opening(wrap);
        if negative {
            self.text("-");
        }
        self.text(atom);
        self.closing(wrap);
    }

    fn opening(&mut self, wrap: bool) {
        if wrap {
            self.step.push(Work::Open(""));
        }
    }

    fn closing(&mut self, wrap: bool) {
        if wrap {
            self.step.push(Work::Close);
        }
    }

    fn opened_node(&mut self, node: Expr, negative: bool, place: Place, mode: Mode) {
        let graph = self.layout.graph;
        let bare = match graph.node(node) {
            Node::Number(n) => n.as_integer().is_some() || place < Place::Power,
            Node::Sum(_) | Node::Select(..) => false,
            Node::Product(_) | Node::Scale(..) | Node::Binary(Binary::Pow, ..) => {
                place < Place::Power
            }
            Node::Unary(Unary::Sqrt | Unary::Abs | Unary::Floor, _) => true,
            Node::Unary(..) => place < Place::Power,
            Node::Result(call, _) => place < Place::Power || self.single_result(call),
            _ => true,
        };
        let turned = negative && self.turns(node);
        let wrap = place > Place::Free && (!bare || negative && !turned);
        self.opening(wrap);
        let signed = matches!(graph.node(node), Node::Sum(_) | Node::Product(_) | Node::Scale(..));
        if negative && !turned && !signed {
            self.text("-");
        }
        match graph.node(node) {
            Node::Number(n) => self.text(number(n, mode == Mode::Inline)),
            Node::Sum(_) => self.sum(node, negative, mode),
            Node::Product(_) => {
                let fraction = self.layout.fraction(Number::ONE, node);
                self.fraction(Number::ONE, fraction, negative, mode);
            }
            Node::Scale(n, core) => self.product(n, core, negative, mode),
            Node::Unary(function, a) => {
                let place = if wrap { Place::Free } else { place };
                self.unary((function, a, 1), turned, place, mode);
            }
            Node::Binary(Binary::Pow, base, exponent) => {
                self.place(base, self.layout.is_negative(base), Place::Power, mode);
                self.text("^{");
                self.place(exponent, self.layout.is_negative(exponent), Place::Free, Mode::Inline);
                self.text("}");
            }
            Node::Binary(function, ..) => {
                self.text(match function {
                    Binary::Min => "\\min",
                    Binary::Max => "\\max",
                    _ => "\\operatorname{atan2}",
                });
                let named = |e| self.lines.name(e).is_some();
                self.arguments(self.layout.flat_arguments(node, named), mode);
            }
            Node::Select(..) if mode == Mode::Loose => self.cases_in_a_row(node),
            Node::Select(..) => self.cases(node),
            Node::Call(function, _) => {
                self.text((self.names)(&graph.function(function).name));
                self.arguments(self.layout.arguments(node), mode);
            }
            Node::Result(call, index) => {
                self.place(call, false, Place::Free, mode);
                if !self.single_result(call) {
                    self.text(format!("_{{{}}}", index + 1));
                }
            }
            // Atoms have names.
            Node::Pi | Node::Symbol(_) | Node::Variable(_) => {}
        }
        self.closing(wrap);
    }

    fn single_result(&self, call: Expr) -> bool {
        let graph = self.layout.graph;
        matches!(graph.node(call), Node::Call(f, _) if graph.function(f).results == 1)
    }

    fn sum(&mut self, node: Expr, negative: bool, mode: Mode) {
        for (i, (minus, n, core)) in self.layout.terms(node, negative).into_iter().enumerate() {
            if i == 0 {
                self.product(n, core, minus, mode);
                continue;
            }
            if matches!(mode, Mode::Line | Mode::Loose) {
                self.step.push(Work::Break);
            }
            self.text(if minus { " - " } else { " + " });
            self.product(n, core, false, mode);
        }
    }

    /// A function of one argument to a positive power.
    fn unary(
        &mut self,
        (function, a, power): (Unary, Expr, i32),
        turned: bool,
        place: Place,
        mode: Mode,
    ) {
        let negative = turned || (!Layout::hides_sign(function) && self.layout.is_negative(a));
        let in_a_row = mode == Mode::Loose && self.layout.graph.cost(a) > SMALL;
        let name = match function {
            Unary::Sqrt if in_a_row => "\\operatorname{sqrt}",
            Unary::Abs if in_a_row => "\\operatorname{abs}",
            Unary::Floor if in_a_row => "\\operatorname{floor}",
            Unary::Sqrt => {
                self.text("\\sqrt{");
                self.place(
                    a,
                    negative,
                    Place::Free,
                    if mode == Mode::Inline { mode } else { Mode::Unbroken },
                );
                return self.text("}");
            }
            Unary::Abs => {
                self.text("\\left|");
                self.place(
                    a,
                    negative,
                    Place::Free,
                    if mode == Mode::Inline { mode } else { Mode::Unbroken },
                );
                return self.text("\\right|");
            }
            Unary::Floor => {
                self.text("\\left\\lfloor ");
                self.place(
                    a,
                    negative,
                    Place::Free,
                    if mode == Mode::Inline { mode } else { Mode::Unbroken },
                );
                return self.text("\\right\\rfloor");
            }
            Unary::Sin => "\\sin",
            Unary::Cos => "\\cos",
            Unary::Tan => "\\tan",
            Unary::Asin => "\\arcsin",
            Unary::Acos => "\\arccos",
            Unary::Atan => "\\arctan",
            Unary::Exp => "\\exp",
            Unary::Log => "\\ln",
            Unary::Sign => "\\operatorname{sgn}",
        };
        self.text(name);
        if power != 1 {
            self.text(format!("^{{{power}}}"));
        }
        let short = place <= Place::Last && !negative && self.atom(a).is_some();
        // A function takes back the space that a growing parenthesis leaves before it.
        self.step.push(if short { Work::Text(" ".into()) } else { Work::Open("\\!") });
        self.place(a, negative, Place::Free, mode.inside());
        self.closing(!short);
    }

    fn arguments(&mut self, arguments: Vec<(Expr, bool)>, mode: Mode) {
        self.step.push(Work::Open("\\!"));
        for (i, (argument, negative)) in arguments.into_iter().enumerate() {
            if i > 0 {
                self.text(", ");
                if mode == Mode::Loose {
                    self.step.push(Work::WeakBreak);
                }
            }
            self.place(argument, negative, Place::Free, mode.inside());
        }
        self.closing(true);
    }

    /// A select, and those in its last branch, as rows of one brace.
    fn cases(&mut self, mut node: Expr) {
        self.text("\\begin{cases} ");
        while let Node::Select(compare, operands) = self.layout.graph.node(node) {
            let [left, right, then, otherwise] = [0, 1, 2, 3].map(|i| operands[i]);
            let sign = sign(compare);
            self.place(then, self.layout.is_negative(then), Place::Free, Mode::Unbroken);
            self.text(" & \\text{if } ");
            self.place(left, self.layout.is_negative(left), Place::Free, Mode::Unbroken);
            self.text(sign);
            self.place(right, self.layout.is_negative(right), Place::Free, Mode::Unbroken);
            self.text(" \\\\ ");
            let negative = self.layout.is_negative(otherwise);
            let nested = matches!(self.layout.graph.node(otherwise), Node::Select(..));
            if !nested || negative || self.lines.name(otherwise).is_some() {
                self.place(otherwise, negative, Place::Free, Mode::Unbroken);
                break;
            }
            node = otherwise;
        }
        self.text(" & \\text{otherwise} \\end{cases}");
    }

    /// A select as a function of the condition, the value and the other value.
    fn cases_in_a_row(&mut self, node: Expr) {
        let Node::Select(compare, operands) = self.layout.graph.node(node) else { return };
        let [left, right, then, otherwise] = [0, 1, 2, 3].map(|i| operands[i]);
        self.text("\\operatorname{if}");
        self.step.push(Work::Open("\\!"));
        self.place(left, self.layout.is_negative(left), Place::Free, Mode::Loose);
        self.text(sign(compare));
        self.place(right, self.layout.is_negative(right), Place::Free, Mode::Loose);
        for value in [then, otherwise] {
            self.text(",\\; ");
            self.step.push(Work::WeakBreak);
            self.place(value, self.layout.is_negative(value), Place::Free, Mode::Loose);
        }
        self.closing(true);
    }

    /// `number * core`, with the sign in front or, where that is possible, inside a factor.
    fn product(&mut self, n: Number, core: Expr, negative: bool, mode: Mode) {
        let mut fraction = self.layout.fraction(n, core);
        if self.lines.name(core).is_some() {
            fraction.bottom.clear();
            fraction.top = vec![Factor { base: core, power: 1 }];
        }
        self.fraction(n, fraction, negative, mode);
    }

    /// The fraction that `n` times something was split into.
    fn fraction(&mut self, n: Number, fraction: Fraction, negative: bool, mode: Mode) {
        let turned = if negative {
            fraction.top.iter().position(|f| f.power % 2 != 0 && self.turns(f.base))
        } else {
            None
        };
        if negative && turned.is_none() {
            self.text("-");
        }
        let (above, below) = (fraction.number, fraction.divisor);
        let one = above.is_none() && fraction.top.is_empty();
        let above = if one { Some(Number::ONE) } else { above };
        if fraction.bottom.is_empty() && below.is_none() {
            return self.row(above, &fraction.top, turned, mode, false);
        }
        if mode == Mode::Inline {
            let several = fraction.bottom.len() + usize::from(below.is_some()) > 1;
            self.row(above, &fraction.top, turned, mode, false);
            self.text("/");
            self.opening(several);
            self.row(below, &fraction.bottom, None, mode, false);
            return self.closing(several);
        }
        // A number over a number reads better in front of long products.
        let graph = self.layout.graph;
        let wide = |f: &Factor| matches!(graph.node(f.base), Node::Sum(_) | Node::Select(..));
        let long = fraction.top.len() > 3 || fraction.top.iter().any(wide);
        if fraction.bottom.is_empty() && long {
            self.text(number(n, false));
            self.text(" \\, ");
            return self.row(None, &fraction.top, turned, mode, false);
        }
        let factors = fraction.top.iter().chain(&fraction.bottom);
        let costs = factors.map(|f| graph.cost(f.base).saturating_add(1));
        if mode == Mode::Loose && costs.fold(0, u32::saturating_add) > SMALL {
            let several = fraction.bottom.len() + usize::from(below.is_some()) > 1;
            self.row(above, &fraction.top, turned, mode, false);
            self.step.push(Work::WeakBreak);
            self.text(" / ");
            self.opening(several);
            self.row(below, &fraction.bottom, None, mode, false);
            return self.closing(several);
        }
        let mode = if mode == Mode::Loose { Mode::Unbroken } else { mode };
        let cost: u32 =
            fraction.top.iter().map(|f| graph.cost(f.base)).fold(0, u32::saturating_add);
        let apart = mode == Mode::Line && cost > ABOVE;
        self.step.push(Work::Fraction);
        if apart {
            self.text(number(above.unwrap_or(Number::ONE), false));
        } else {
            self.row(above, &fraction.top, turned, mode.inside(), true);
        }
        self.step.push(Work::Over);
        self.row(below, &fraction.bottom, None, mode.inside(), true);
        self.step.push(Work::EndFraction);
        if apart {
            self.text(" \\, ");
            self.row(None, &fraction.top, turned, mode, false);
        }
    }

    fn turns(&self, node: Expr) -> bool {
        self.lines.turns(self.layout, node)
    }

    /// Factors side by side. A single one needs no parentheses if the row is `braced`.
    fn row(
        &mut self,
        n: Option<Number>,
        factors: &[Factor],
        turned: Option<usize>,
        mode: Mode,
        braced: bool,
    ) {
        let graph = self.layout.graph;
        if let Some(n) = n {
            self.text(number(n, mode == Mode::Inline));
        }
        let alone = braced && n.is_none() && factors.len() == 1;
        for (i, &Factor { base, power }) in factors.iter().enumerate() {
            if i > 0 || n.is_some() {
                let digits = matches!(graph.node(base), Node::Binary(Binary::Pow, b, _)
                    if graph.number_of(b).is_some());
                if mode == Mode::Loose {
                    self.step.push(Work::WeakBreak);
                }
                self.text(if digits { " \\cdot " } else { " \\, " });
            }
            let before_function = factors.get(i + 1).is_none_or(|next| {
                self.atom(next.base).is_none()
                    && matches!(graph.node(next.base), Node::Unary(f, _)
                    if !matches!(f, Unary::Sqrt | Unary::Abs | Unary::Floor))
            });
            let place = match (alone, before_function) {
                (true, _) => Place::Free,
                (false, true) => Place::Last,
                (false, false) => Place::Factor,
            };
            let negative = turned == Some(i);
            match graph.node(base) {
                Node::Unary(f @ (Unary::Sin | Unary::Cos | Unary::Tan), a)
                    if power != 1 && self.atom(base).is_none() =>
                {
                    self.unary((f, a, power), negative, place, mode);
                }
                _ if power != 1 => {
                    self.place(base, negative, Place::Power, mode);
                    self.text(format!("^{{{power}}}"));
                }
                _ => self.place(base, negative, place, mode),
            }
        }
    }
}

/// A comparison between its sides.
fn sign(compare: Compare) -> &'static str {
    match compare {
        Compare::Less => " < ",
        Compare::LessEqual => " \\le ",
        Compare::Equal => " = ",
        Compare::NotEqual => " \\ne ",
    }
}
