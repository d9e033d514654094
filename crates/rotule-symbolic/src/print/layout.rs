//! The order and orientation in which a reader sees an expression.
//!
//! The graph orders operands by hash and picks the sign of a sum to suit itself. A printer wants
//! names in natural order, `q2` before `q10`, and `a - b` rather than `-(b - a)`. A layout works
//! that out for everything below some roots, from the leaves up: nodes of one height are ranked by
//! the ranks of their operands, so the order depends on structure alone, never on node
//! numbers, and takes near-linear time however much is shared.

use std::cmp::Ordering;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use crate::expr::Expr;
use crate::function::{Binary, Parity, Unary};
use crate::graph::{Graph, for_each_operand};
use crate::node::{Factor, Node};
use crate::number::Number;

/// Groups of operands in the order in which they are shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Number,
    Pi,
    Atom,
    Product,
    Function,
    Sum,
}

/// Properties of one node.
#[derive(Clone, Copy)]
struct Shape {
    /// Class, height and place within these: the order of operands.
    rank: (Class, u32, u32),
    /// `true` if the form shown is the negative of the node.
    flip: bool,
    /// Positions of terms or factors as shown, in the layout's common list.
    first: u32,
    count: u32,
}

/// Order and orientation of everything below some roots. Variables are atoms.
pub(crate) struct Layout<'g> {
    pub(crate) graph: &'g Graph,
    places: HashMap<Expr, u32, FxBuildHasher>,
    shapes: Vec<Shape>,
    order: Vec<u32>,
}

/// The key that terms are sorted by: the ranks and powers of their factors.
type Key = SmallVec<[((Class, u32, u32), i32); 4]>;

/// A number times factors, as a fraction: all powers positive.
pub(crate) struct Fraction {
    /// The number above, if it is not one.
    pub(crate) number: Option<Number>,
    pub(crate) top: Vec<Factor>,
    /// The number below, if it is not one.
    pub(crate) divisor: Option<Number>,
    pub(crate) bottom: Vec<Factor>,
}

impl<'g> Layout<'g> {
    pub(crate) fn new(graph: &'g Graph, roots: impl IntoIterator<Item = Expr>) -> Layout<'g> {
        let mut layout =
            Layout { graph, places: HashMap::default(), shapes: Vec::new(), order: Vec::new() };
        // Constant terms refer to one without being counted as operands.
        let mut reached = vec![Expr::ONE];
        let mut waiting: Vec<Expr> = roots.into_iter().map(Expr::abs).collect();
        layout.places.insert(Expr::ONE, 0);
        while let Some(expr) = waiting.pop() {
            if layout.places.insert(expr, 0).is_none() {
                reached.push(expr);
                for_each_operand(graph.node(expr), |e| waiting.push(e.abs()));
            }
        }
        // Index order is a topological order.
        reached.sort_unstable();
        let blank = Shape { rank: (Class::Number, 0, 0), flip: false, first: 0, count: 0 };
        layout.shapes = vec![blank; reached.len()];
        for (place, &expr) in reached.iter().enumerate() {
            layout.places.insert(expr, place as u32);
            let mut height = 0;
            for_each_operand(graph.node(expr), |e| {
                height = height.max(layout.shape(e).rank.1 + 1);
            });
            layout.shapes[place].rank = (class(graph.node(expr)), height, 0);
        }
        let mut groups: Vec<u32> = (0..reached.len() as u32).collect();
        let group_of = |layout: &Layout, place: u32| {
            let (class, height, _) = layout.shapes[place as usize].rank;
            (height, class)
        };
        groups.sort_by_key(|&place| group_of(&layout, place));
        let mut start = 0;
        while start < groups.len() {
            let key = group_of(&layout, groups[start]);
            let length = groups[start..]
                .iter()
                .take_while(|&&place| group_of(&layout, place) == key)
                .count();
            let group = &mut groups[start..start + length];
            for &place in group.iter() {
                layout.orient(reached[place as usize], place as usize);
            }
            // Keys are looked up once each: a sum may have a million terms.
            let mut keyed: Vec<(Key, u32)> = group
                .iter()
                .map(|&place| match graph.node(reached[place as usize]) {
                    Node::Product(_) => (layout.key(reached[place as usize]), place),
                    Node::Scale(_, core) => (layout.key(core), place),
                    _ => (Key::new(), place),
                })
                .collect();
            keyed.sort_by(|(x, a), (y, b)| {
                x.cmp(y).then_with(|| layout.compare(reached[*a as usize], reached[*b as usize]))
            });
            for (rank, &(_, place)) in keyed.iter().enumerate() {
                layout.shapes[place as usize].rank.2 = rank as u32;
            }
            start += length;
        }
        layout
    }

    fn shape(&self, expr: Expr) -> &Shape {
        // Every operand of a reached node was reached.
        &self.shapes[self.places[&expr.abs()] as usize]
    }

    /// Returns `true` if an edge shows a minus sign.
    pub(crate) fn is_negative(&self, expr: Expr) -> bool {
        expr.is_negative() ^ self.shape(expr).flip
    }

    /// Returns `true` if the argument of a function is shown without its sign, the function taking
    /// care.
    pub(crate) fn hides_sign(function: Unary) -> bool {
        function.parity() != Parity::None
    }

    fn positions(&self, expr: Expr) -> &[u32] {
        let shape = self.shape(expr);
        &self.order[shape.first as usize..(shape.first + shape.count) as usize]
    }

    /// The terms of a sum node as shown, those that are added first: whether each is subtracted,
    /// the magnitude of its number, its core.
    pub(crate) fn terms(&self, sum: Expr, negative: bool) -> Vec<(bool, Number, Expr)> {
        let Node::Sum(terms) = self.graph.node(sum) else { return Vec::new() };
        let flip = self.shape(sum).flip ^ negative;
        let mut shown: Vec<(bool, Number, Expr)> = self
            .positions(sum)
            .iter()
            .map(|&i| {
                let term = terms[i as usize];
                let number = self.graph.number_of(term.coefficient).unwrap_or(Number::ONE);
                (number.is_negative() ^ self.is_negative(term.core) ^ flip, number.abs(), term.core)
            })
            .collect();
        // Stable: within each sign the order stays.
        shown.sort_by_key(|term| term.0);
        shown
    }

    /// `number * core` with a positive number, the core as shown without its sign.
    pub(crate) fn fraction(&self, number: Number, core: Expr) -> Fraction {
        let (above, below) = match number {
            Number::Rational { numerator, denominator } => {
                (Number::from(numerator), Number::from(i64::from(denominator)))
            }
            real => (real, Number::ONE),
        };
        let not_one = |n: &Number| *n != Number::ONE;
        let mut fraction = Fraction {
            number: Some(above).filter(not_one),
            top: Vec::new(),
            divisor: Some(below).filter(not_one),
            bottom: Vec::new(),
        };
        match self.graph.node(core) {
            Node::Number(_) => {}
            Node::Product(factors) => {
                for &i in self.positions(core) {
                    let Factor { base, power } = factors[i as usize];
                    if power > 0 {
                        fraction.top.push(Factor { base, power });
                    } else {
                        // A power of i32::MIN has no positive twin.
                        let power = power.checked_neg().unwrap_or(i32::MAX);
                        fraction.bottom.push(Factor { base, power });
                    }
                }
            }
            _ => fraction.top.push(Factor { base: core, power: 1 }),
        }
        fraction
    }

    /// Returns `true` if the node can take a minus sign by showing a difference the other way
    /// round: it is a sum with a subtracted term, or an odd function of one.
    pub(crate) fn turns(&self, node: Expr) -> bool {
        match self.graph.node(node) {
            Node::Sum(_) => self.terms(node, false).iter().any(|term| term.0),
            Node::Unary(function, a) if function.parity() == Parity::Odd => {
                self.terms(a, false).iter().any(|term| term.0)
            }
            _ => false,
        }
    }

    /// Operands of a function as shown: each edge and whether it shows a minus sign.
    pub(crate) fn arguments(&self, expr: Expr) -> Vec<(Expr, bool)> {
        let signed = |&e: &Expr| (e, self.is_negative(e));
        match self.graph.node(expr) {
            Node::Unary(function, a) if Layout::hides_sign(function) => vec![(a, false)],
            Node::Unary(_, a) => vec![signed(&a)],
            Node::Binary(function, a, b) => {
                let mut arguments = vec![signed(&a), signed(&b)];
                if matches!(function, Binary::Min | Binary::Max) {
                    arguments.sort_by_key(|&(e, negative)| (self.shape(e).rank, negative));
                }
                arguments
            }
            Node::Select(_, operands) | Node::Call(_, operands) => {
                operands.iter().map(signed).collect()
            }
            Node::Result(call, _) => vec![(call, false)],
            _ => Vec::new(),
        }
    }

    /// The operands of a function of two arguments, with `min(min(a, b), c)` as `a, b, c`: that is
    /// how the parser reads more than two. Nodes that are `named` stay whole.
    pub(crate) fn flat_arguments(
        &self,
        mut node: Expr,
        named: impl Fn(Expr) -> bool,
    ) -> Vec<(Expr, bool)> {
        let mut behind = Vec::new();
        loop {
            let mut arguments = self.arguments(node);
            let Node::Binary(outer @ (Binary::Min | Binary::Max), ..) = self.graph.node(node)
            else {
                return arguments;
            };
            let nested = arguments.iter().position(|&(e, negative)| {
                let same = matches!(self.graph.node(e), Node::Binary(inner, ..) if inner == outer);
                same && !negative && !named(e)
            });
            match nested {
                Some(i) => {
                    node = arguments[i].0;
                    behind.push(arguments[1 - i]);
                }
                None => {
                    arguments.extend(behind.into_iter().rev());
                    return arguments;
                }
            }
        }
    }

    /// Finds the order and the sign in which a node is shown. Its operands are done.
    fn orient(&mut self, expr: Expr, place: usize) {
        let first = self.order.len() as u32;
        let flip = match self.graph.node(expr) {
            Node::Sum(terms) => {
                let mut order: Vec<u32> = (0..terms.len() as u32).collect();
                order.sort_by_cached_key(|&i| self.key(terms[i as usize].core));
                let negative = |i: u32| {
                    let term = terms[i as usize];
                    term.coefficient.is_negative() ^ self.is_negative(term.core)
                };
                let below = order.iter().filter(|&&i| negative(i)).count();
                let flip = match (2 * below).cmp(&order.len()) {
                    Ordering::Less => false,
                    Ordering::Equal => negative(order[0]),
                    Ordering::Greater => true,
                };
                self.order.extend(order);
                flip
            }
            Node::Product(factors) => {
                let mut order: Vec<u32> = (0..factors.len() as u32).collect();
                order.sort_by_key(|&i| {
                    let factor = factors[i as usize];
                    (factor.power < 0, self.shape(factor.base).rank)
                });
                let odd = factors.iter().filter(|f| f.power % 2 != 0 && self.is_negative(f.base));
                let flip = odd.count() % 2 == 1;
                self.order.extend(order);
                flip
            }
            Node::Scale(_, core) => self.is_negative(core),
            Node::Unary(function, a) => function.parity() == Parity::Odd && self.is_negative(a),
            _ => false,
        };
        let count = self.order.len() as u32 - first;
        self.shapes[place] = Shape { flip, first, count, ..self.shapes[place] };
    }

    /// The factors of a core, as far as order goes: terms are ordered by their factors, first
    /// factor first, so that `a` and `a*b` stand together.
    fn key(&self, core: Expr) -> Key {
        match self.graph.node(core) {
            Node::Product(factors) => {
                let shown = self.positions(core).iter().map(|&i| factors[i as usize]);
                shown.map(|f| (self.shape(f.base).rank, f.power)).collect()
            }
            _ => Key::from_elem((self.shape(core).rank, 1), 1),
        }
    }

    fn compare_cores(&self, a: Expr, b: Expr) -> Ordering {
        self.key(a).cmp(&self.key(b))
    }

    /// Order of two nodes of the same class and height, operands of both ranked.
    fn compare(&self, a: Expr, b: Expr) -> Ordering {
        match (self.graph.node(a), self.graph.node(b)) {
            (Node::Number(x), Node::Number(y)) => compare_numbers(x, y),
            (Node::Sum(_), Node::Sum(_)) => {
                let (left, right) = (self.terms(a, false), self.terms(b, false));
                let pairs = left.iter().zip(&right);
                let differing = pairs
                    .map(|(x, y)| {
                        self.compare_cores(x.2, y.2)
                            .then_with(|| x.0.cmp(&y.0))
                            .then_with(|| compare_numbers(x.1, y.1))
                    })
                    .find(|order| order.is_ne());
                differing.unwrap_or_else(|| left.len().cmp(&right.len()))
            }
            (Node::Product(_) | Node::Scale(..), Node::Product(_) | Node::Scale(..)) => {
                let split = |e: Expr| match self.graph.node(e) {
                    Node::Scale(number, core) => (number, core),
                    _ => (Number::ONE, e),
                };
                let ((n, x), (m, y)) = (split(a), split(b));
                self.compare_cores(x, y).then_with(|| compare_numbers(n, m))
            }
            _ => match (atom_name(self.graph, a), atom_name(self.graph, b)) {
                (Some(x), Some(y)) => natural(x, y),
                _ => self.compare_functions(a, b),
            },
        }
    }

    fn compare_functions(&self, a: Expr, b: Expr) -> Ordering {
        let key = |e: Expr| match self.graph.node(e) {
            Node::Unary(function, _) => (function.name(), "", 0),
            Node::Binary(function, ..) => (function.name(), "", 0),
            Node::Select(compare, _) => ("if", compare.sign(), 0),
            Node::Call(function, _) => (self.graph.function(function).name.as_str(), "", 0),
            Node::Result(call, index) => match self.graph.node(call) {
                Node::Call(function, _) => (self.graph.function(function).name.as_str(), "", index),
                _ => ("", "", index),
            },
            _ => ("", "", 0),
        };
        let ((f, s, i), (g, t, j)) = (key(a), key(b));
        let ranked = |e: Expr| {
            let arguments = self.arguments(e).into_iter();
            arguments.map(|(e, negative)| (self.shape(e).rank, negative)).collect::<Vec<_>>()
        };
        natural(f, g).then_with(|| s.cmp(t)).then_with(|| ranked(a).cmp(&ranked(b))).then(i.cmp(&j))
    }
}

fn class(node: Node<'_>) -> Class {
    match node {
        Node::Number(_) => Class::Number,
        Node::Pi => Class::Pi,
        Node::Symbol(_) | Node::Variable(_) => Class::Atom,
        Node::Product(_) | Node::Scale(..) => Class::Product,
        Node::Sum(_) => Class::Sum,
        _ => Class::Function,
    }
}

/// The name of a symbol or variable.
pub(crate) fn atom_name(graph: &Graph, expr: Expr) -> Option<&str> {
    match graph.node(expr) {
        Node::Symbol(id) => Some(graph.symbol_name(id)),
        Node::Variable(id) => Some(graph.variable_name(id)),
        _ => None,
    }
}

fn compare_numbers(x: Number, y: Number) -> Ordering {
    // NaN compares with nothing; exactness decides between 2 and 2.0.
    x.partial_cmp(&y).unwrap_or(Ordering::Equal).then_with(|| y.is_exact().cmp(&x.is_exact()))
}

/// Natural order of names: runs of digits by value, letters without regard to case first.
pub(crate) fn natural(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    let digits = |s: &[u8]| s.iter().take_while(|c| c.is_ascii_digit()).count();
    loop {
        let (n, m) = (digits(x), digits(y));
        if n > 0 && m > 0 {
            let significant = |s: &[u8]| s.iter().take_while(|&&c| c == b'0').count();
            let (p, q) = (&x[significant(&x[..n])..n], &y[significant(&y[..m])..m]);
            let order = p.len().cmp(&q.len()).then_with(|| p.cmp(q));
            if order.is_ne() {
                return order;
            }
            (x, y) = (&x[n..], &y[m..]);
            continue;
        }
        match (x.split_first(), y.split_first()) {
            (Some((c, rest)), Some((d, other))) => {
                let order = c.to_ascii_lowercase().cmp(&d.to_ascii_lowercase());
                if order.is_ne() {
                    return order;
                }
                (x, y) = (rest, other);
            }
            // Equal but for case or leading zeros: the bytes decide.
            (None, None) => return a.cmp(b),
            (None, _) => return Ordering::Less,
            (_, None) => return Ordering::Greater,
        }
    }
}
