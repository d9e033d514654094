//! Derivatives forward over the graph, one direction at a time.
//!
//! A direction is an input, or several that move together at given rates. Only nodes that depend on
//! it are visited (the dependency sets tell), each once, and only operands that depend on it
//! contribute: the cost of a direction is linear in the part of the graph that it moves (Moore's
//! thesis, section 3.3, with zeros never looked at). The derivative of a named variable is a named
//! variable.

use crate::expr::{Expr, FunctionId};
use crate::function::{Binary, Compare, Unary};
use crate::graph::{ForeignFunction, Graph};
use crate::node::{Factor, Node};
use crate::number::Number;
use crate::product::Factors;
use crate::set::SymbolSet;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

/// Derivatives of some expressions by some symbols: what is not listed is zero.
#[derive(Clone, Debug, Default)]
pub struct Derivatives {
    /// `(row, column, value)`: the derivative of expression `row` by symbol `column`, in the order
    /// in which both were given. Sorted by row, then column.
    pub entries: Vec<(usize, usize, Expr)>,
    /// Nodes that were differentiated, over all directions.
    pub nodes: usize,
    /// Operands that contributed to them, over all directions.
    pub operands: usize,
}

impl Derivatives {
    /// One derivative; zero if it is not listed.
    pub fn get(&self, row: usize, column: usize) -> Expr {
        let found = self.entries.binary_search_by_key(&(row, column), |e| (e.0, e.1));
        found.map_or(Expr::ZERO, |i| self.entries[i].2)
    }
}

/// A direction to differentiate along.
#[derive(Clone, Debug, Default)]
pub struct Direction {
    /// A name for it, for the names of variables.
    pub name: String,
    /// Inputs, and the rate of each along the direction; all others stand still.
    pub rates: Vec<(Expr, Expr)>,
}

/// Derivatives of nodes along one direction.
type Tangents = HashMap<Expr, Expr, FxBuildHasher>;

/// A sum or product with more operands than this gets a name of its own while differentiating, so
/// that chains of products do not grow with every link.
const NAMED_FROM: usize = 12;

/// A product with more factors that move than this is differentiated by halves.
pub(crate) const HALVED_FROM: usize = 6;

impl Graph {
    /// The derivatives of `exprs` by `symbols`, each of which is a plain input; other expressions
    /// in that list have derivative zero.
    pub fn derivatives(&mut self, exprs: &[Expr], symbols: &[Expr]) -> Derivatives {
        let direction = |&symbol: &Expr| match self.symbol_of(symbol) {
            Some(id) => Direction {
                name: self.symbol_name(id).to_owned(),
                rates: vec![(symbol, Expr::ONE)],
            },
            None => Direction::default(),
        };
        let directions: Vec<Direction> = symbols.iter().map(direction).collect();
        self.derivatives_along(exprs, &directions)
    }

    /// The derivatives of `exprs` along directions, each of which moves some plain inputs at given
    /// rates; other expressions among these inputs are passed over.
    pub fn derivatives_along(&mut self, exprs: &[Expr], directions: &[Direction]) -> Derivatives {
        self.find_symbols(exprs);
        let mut run = Forward::default();
        for direction in directions {
            let mut symbols = SymbolSet::EMPTY;
            let mut rates = Tangents::default();
            for &(input, rate) in &direction.rates {
                if let Some(id) = self.symbol_of(input) {
                    let one = self.sets.single(id);
                    symbols = self.sets.union(symbols, one);
                    rates.insert(input.abs(), rate.negated_if(input.is_negative()));
                }
            }
            run.directions.push(Moving { symbols, rates, name: direction.name.clone() });
            run.tangents.push(Tangents::default());
        }
        let mut result = Derivatives::default();
        for direction in 0..directions.len() {
            run.differentiate(self, exprs, direction);
            for (row, &expr) in exprs.iter().enumerate() {
                if let Some(&tangent) = run.tangents[direction].get(&expr.abs())
                    && tangent != Expr::ZERO
                {
                    let tangent = tangent.negated_if(expr.is_negative());
                    result.entries.push((row, direction, tangent));
                }
            }
        }
        result.nodes = run.nodes;
        result.operands = run.operands;
        result.entries.sort_unstable_by_key(|e| (e.0, e.1));
        result
    }

    /// The derivative of one expression by one input.
    pub fn derivative(&mut self, expr: Expr, symbol: Expr) -> Expr {
        self.derivatives(&[expr], &[symbol]).get(0, 0)
    }

    /// Gives a long sum or product a name, so that what is built on it does not repeat it.
    pub(crate) fn bounded(&mut self, expr: Expr) -> Expr {
        let long = match self.node(expr) {
            Node::Sum(terms) => terms.len() > NAMED_FROM,
            Node::Product(factors) => factors.len() > NAMED_FROM,
            _ => false,
        };
        if long { self.name("z", expr) } else { expr }
    }

    /// The derivative of a function of one argument, at that argument; `value` is the function
    /// itself, to be used again where it helps.
    pub(crate) fn slope(&mut self, function: Unary, x: Expr, value: Expr) -> Expr {
        match function {
            Unary::Sin => self.cos(x),
            Unary::Cos => -self.sin(x),
            Unary::Tan => {
                let square = self.square(value);
                self.add(Expr::ONE, square)
            }
            Unary::Asin | Unary::Acos => {
                let square = self.square(x);
                let rest = self.sub(Expr::ONE, square);
                let root = self.sqrt(rest);
                self.powi(root, -1).negated_if(function == Unary::Acos)
            }
            Unary::Atan => {
                let square = self.square(x);
                let rest = self.add(Expr::ONE, square);
                self.powi(rest, -1)
            }
            Unary::Sqrt => {
                let inverse = self.powi(value, -1);
                self.scale(Number::ratio(1, 2), inverse)
            }
            Unary::Exp => value,
            Unary::Log => self.powi(x, -1),
            Unary::Abs => self.unary(Unary::Sign, x),
            Unary::Sign | Unary::Floor => Expr::ZERO,
        }
    }

    /// The two partial derivatives of a function of two arguments.
    pub(crate) fn slopes(&mut self, function: Binary, x: Expr, y: Expr, value: Expr) -> [Expr; 2] {
        match function {
            Binary::Atan2 => {
                let squares = [self.square(x), self.square(y)];
                let size = self.sum(&squares);
                [self.div(y, size), -self.div(x, size)]
            }
            Binary::Min | Binary::Max => {
                let (less, more) = if function == Binary::Min { (x, y) } else { (y, x) };
                let first = self.select(Compare::Less, less, more, Expr::ONE, Expr::ZERO);
                [first, self.sub(Expr::ONE, first)]
            }
            Binary::Pow => {
                let below = self.sub(y, Expr::ONE);
                let power = self.pow(x, below);
                let log = self.unary(Unary::Log, x);
                [self.mul(y, power), self.mul(log, value)]
            }
        }
    }

    /// Two halves of a product as lists, and as named values.
    pub(crate) fn halves(&mut self, list: Factors) -> ([Factors; 2], [Expr; 2]) {
        let (a, b) = list.split_at(list.len() / 2);
        let halves: [Factors; 2] = [a.iter().copied().collect(), b.iter().copied().collect()];
        let values = halves.clone().map(|half| {
            let product = self.product_of(Number::ONE, half);
            self.name("z", product)
        });
        (halves, values)
    }

    /// The derivative of a product by its `i`th base: power * base^(power-1) * the others.
    pub(crate) fn product_slope(&mut self, factors: &Factors, i: usize) -> Expr {
        let power = factors[i].power;
        let mut list = factors.clone();
        list[i].power = power.saturating_sub(1);
        list.retain(|f| f.power != 0);
        self.product_of(i64::from(power).into(), list)
    }

    /// The partner of an external function for a number of directions.
    ///
    /// Convention (Postiau, section 1.6.3): where the function takes `x`, its partner takes `x,
    /// dx/dp1, ..., dx/dpk`, for each argument in turn; where it gives `f`, its partner gives `f,
    /// df/dp1, ..., df/dpk`.
    pub fn partner_function(&mut self, function: FunctionId, directions: usize) -> FunctionId {
        let derivative_of = Some((function, directions));
        let ForeignFunction { name, arguments, results, .. } = self.function(function);
        let (arguments, results) = (arguments * (directions + 1), results * (directions + 1));
        let mut partner = ForeignFunction {
            name: format!("{name}_d{directions}"),
            arguments,
            results,
            derivative_of,
        };
        // The user may have another function of that name.
        while self
            .function_by_name(&partner.name)
            .is_some_and(|known| self.function(known).derivative_of != derivative_of)
        {
            partner.name.push('_');
        }
        self.declare(partner)
    }
}

/// A direction as a run needs it: the inputs that move, as a set and with their rates.
struct Moving {
    symbols: SymbolSet,
    rates: Tangents,
    name: String,
}

/// The state of one run over several directions.
#[derive(Default)]
struct Forward {
    directions: Vec<Moving>,
    tangents: Vec<Tangents>,
    /// For each call: the results of its partner, and the directions that it was requested.
    partners: HashMap<Expr, (Vec<Expr>, Vec<usize>), FxBuildHasher>,
    nodes: usize,
    operands: usize,
}

impl Forward {
    /// Fills in the tangents of one direction for everything below `roots`.
    fn differentiate(&mut self, graph: &mut Graph, roots: &[Expr], direction: usize) {
        let symbols = self.directions[direction].symbols;
        let known = &self.tangents[direction];
        let open = |e: Expr| graph.depends_on_any(e, symbols) && !known.contains_key(&e.abs());
        for expr in graph.flowing_where(roots, open) {
            let tangent = self.tangent_of(graph, expr, direction);
            self.nodes += 1;
            self.tangents[direction].insert(expr, tangent);
        }
    }

    /// The tangent of an operand: zero where it was never entered.
    fn tangent(&mut self, expr: Expr, direction: usize) -> Expr {
        match self.tangents[direction].get(&expr.abs()) {
            Some(&tangent) => {
                self.operands += 1;
                tangent.negated_if(expr.is_negative())
            }
            None => Expr::ZERO,
        }
    }

    fn tangent_of(&mut self, graph: &mut Graph, expr: Expr, direction: usize) -> Expr {
        match graph.node(expr) {
            // Only what moves is visited.
            Node::Symbol(_) => self.directions[direction].rates[&expr],
            Node::Number(_) | Node::Pi | Node::Call(..) => Expr::ZERO,
            Node::Variable(id) => {
                let tangent = self.tangent(graph.definition(id), direction);
                let by = &self.directions[direction].name;
                let name = format!("d{}_d{by}", graph.variable_name(id));
                graph.name(&name, tangent)
            }
            Node::Sum(terms) => {
                let terms: SmallVec<[(Expr, Expr); 8]> =
                    terms.iter().map(|t| (t.coefficient, t.core)).collect();
                let mut sum: SmallVec<[Expr; 8]> = SmallVec::new();
                for (coefficient, core) in terms {
                    let tangent = self.tangent(core, direction);
                    sum.push(graph.mul(coefficient, tangent));
                }
                let sum = graph.sum(&sum);
                graph.bounded(sum)
            }
            Node::Product(factors) => {
                let factors: Factors = factors.iter().copied().collect();
                self.product_tangent(graph, factors, direction)
            }
            Node::Scale(number, core) => {
                let tangent = self.tangent(core, direction);
                graph.scale(number, tangent)
            }
            Node::Unary(function, x) => {
                let tangent = self.tangent(x, direction);
                if tangent == Expr::ZERO {
                    return Expr::ZERO;
                }
                let slope = graph.slope(function, x, expr);
                let product = graph.mul(slope, tangent);
                graph.bounded(product)
            }
            Node::Binary(function, x, y) => {
                let (dx, dy) = (self.tangent(x, direction), self.tangent(y, direction));
                if matches!(function, Binary::Min | Binary::Max) {
                    // One choice between the tangents, not a sum of two.
                    let (less, more) = if function == Binary::Min { (x, y) } else { (y, x) };
                    return graph.select(Compare::Less, less, more, dx, dy);
                }
                let [fx, fy] = graph.slopes(function, x, y, expr);
                let sum = [graph.mul(fx, dx), graph.mul(fy, dy)];
                graph.sum(&sum)
            }
            Node::Select(compare, operands) => {
                let [left, right, then, otherwise] = *operands else { return Expr::ZERO };
                let then = self.tangent(then, direction);
                let otherwise = self.tangent(otherwise, direction);
                graph.select(compare, left, right, then, otherwise)
            }
            Node::Result(call, index) => {
                let (results, directions) = self.partner(graph, call);
                let position = directions.iter().position(|&d| d == direction);
                let width = directions.len() + 1;
                position.map_or(Expr::ZERO, |p| results[index as usize * width + 1 + p])
            }
        }
    }

    /// The product rule. A long product is halved, `d(AB) = dA B + A dB`, so that n factors take n
    /// log n operations and not n^2.
    fn product_tangent(&mut self, graph: &mut Graph, list: Factors, direction: usize) -> Expr {
        let moving = |f: &&Factor| self.tangents[direction].contains_key(&f.base);
        if list.iter().filter(moving).count() > HALVED_FROM {
            let (halves, values) = graph.halves(list);
            let [a, b] = halves.map(|half| self.product_tangent(graph, half, direction));
            let sum = [graph.mul(a, values[1]), graph.mul(values[0], b)];
            let sum = graph.sum(&sum);
            return graph.bounded(sum);
        }
        let mut sum: SmallVec<[Expr; 8]> = SmallVec::new();
        for (i, &Factor { base, .. }) in list.iter().enumerate() {
            let tangent = self.tangent(base, direction);
            if tangent != Expr::ZERO {
                let slope = graph.product_slope(&list, i);
                sum.push(graph.mul(slope, tangent));
            }
        }
        let sum = graph.sum(&sum);
        graph.bounded(sum)
    }

    /// The partner of a call, made on first use for all directions that the call depends on.
    fn partner(&mut self, graph: &mut Graph, call: Expr) -> (Vec<Expr>, Vec<usize>) {
        if let Some(known) = self.partners.get(&call) {
            return known.clone();
        }
        let Node::Call(function, arguments) = graph.node(call) else { return Default::default() };
        let arguments = arguments.to_vec();
        let directions: Vec<usize> = (0..self.directions.len())
            .filter(|&d| graph.depends_on_any(call, self.directions[d].symbols))
            .collect();
        for &d in &directions {
            self.differentiate(graph, &arguments, d);
        }
        let mut inputs = Vec::with_capacity(arguments.len() * (directions.len() + 1));
        for argument in arguments {
            inputs.push(argument);
            inputs.extend(directions.iter().map(|&d| self.tangent(argument, d)));
        }
        let partner = graph.partner_function(function, directions.len());
        let results = graph.call(partner, &inputs);
        self.partners.insert(call, (results.clone(), directions.clone()));
        (results, directions)
    }
}
