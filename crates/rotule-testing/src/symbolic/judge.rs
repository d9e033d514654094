//! The judge of derivatives: finite differences in 192-bit arithmetic.

use super::extended::{Extended, to_f64};
use astro_float::{BigFloat, RoundingMode};
use rotule_symbolic::{
    Arithmetic, Binary, Compare, Expr, ForeignFunction, Graph, Kind, Node, Number, Unary,
};

/// The bits of a mantissa.
pub const BITS: usize = 192;
/// The rounding: the last bit does not matter.
pub const ROUND: RoundingMode = RoundingMode::None;

/// A double in extended precision.
pub fn big(x: f64) -> BigFloat {
    BigFloat::from_f64(x, BITS)
}

/// The step of finite differences, 2^-64: what it leaves out and what it rounds off are both near
/// the 38th digit.
pub fn step() -> BigFloat {
    big(0.5f64.powi(64))
}

type NoNames = fn(&str) -> Option<f64>;

/// Extended arithmetic with inputs in full precision, and with the foreign functions of these
/// tests.
pub struct Judge {
    extended: Extended<NoNames>,
    inputs: Vec<(String, BigFloat)>,
}

impl Judge {
    /// A judge with numbers for inputs.
    pub fn at(point: &[(&str, f64)]) -> Judge {
        let inputs = point.iter().map(|(name, x)| (name.to_string(), big(*x))).collect();
        Judge { extended: Extended::new(|_| None), inputs }
    }

    /// The value with one input moved by `moved` steps.
    pub fn value(&mut self, graph: &Graph, expr: Expr, name: &str, moved: f64) -> BigFloat {
        let index = self.inputs.iter().position(|input| input.0 == name);
        let index = index.expect("an input of the point");
        let old = self.inputs[index].1.clone();
        let shift = big(moved).mul(&step(), BITS, ROUND);
        self.inputs[index].1 = old.add(&shift, BITS, ROUND);
        let value = graph.evaluate(&[expr], self).expect("all inputs are given").remove(0);
        self.inputs[index].1 = old;
        value
    }

    /// The derivative by finite differences; none where there is no number or no derivative: then
    /// the slopes to both sides differ.
    pub fn difference(&mut self, graph: &Graph, expr: Expr, name: &str) -> Option<BigFloat> {
        let [below, here, above] = [-1.0, 0.0, 1.0].map(|m| self.value(graph, expr, name, m));
        let slope = |a: &BigFloat, b: &BigFloat, steps: f64| {
            let width = step().mul(&big(steps), BITS, ROUND);
            b.sub(a, BITS, ROUND).div(&width, BITS, ROUND)
        };
        let (left, right) = (slope(&below, &here, 1.0), slope(&here, &above, 1.0));
        let central = slope(&below, &above, 2.0);
        let size = to_f64(&central).abs();
        let bend = to_f64(&left.sub(&right, BITS, ROUND)).abs();
        (size < 1e30 && bend <= 1e-12 * size.max(1e-6)).then_some(central)
    }

    /// Result `index` of a foreign function; partners in any number of directions, partners of
    /// partners among them, follow from the convention by finite differences.
    pub fn foreign(
        &mut self,
        name: &str,
        index: usize,
        arguments: &[BigFloat],
    ) -> Option<BigFloat> {
        let partner = name.rsplit_once("_d").and_then(|(of, d)| Some((of, d.parse().ok()?)));
        let Some((of, directions)) = partner else {
            return self.plain(name, index, arguments);
        };
        let directions: usize = directions;
        let (result, direction) = (index / (directions + 1), index % (directions + 1));
        let mut moved = |steps: f64| {
            let shift = step().mul(&big(steps), BITS, ROUND);
            let chunks = arguments.chunks(directions + 1);
            let at: Vec<BigFloat> = chunks
                .map(|c| c[0].add(&c[direction].mul(&shift, BITS, ROUND), BITS, ROUND))
                .collect();
            self.foreign(of, result, &at)
        };
        if direction == 0 {
            return moved(0.0);
        }
        let change = moved(1.0)?.sub(&moved(-1.0)?, BITS, ROUND);
        Some(change.div(&step().mul(&big(2.0), BITS, ROUND), BITS, ROUND))
    }

    /// `tyre(a, b) = {sin(a) b, a^2 b, exp(a - b)}` and `spring(u) = u/(1 + u^2)`.
    pub fn plain(&mut self, name: &str, index: usize, arguments: &[BigFloat]) -> Option<BigFloat> {
        let e = &mut self.extended;
        match (name, index, arguments) {
            ("tyre", 0, [a, b]) => {
                let sine = e.unary(Unary::Sin, a);
                Some(e.multiply(&sine, b))
            }
            ("tyre", 1, [a, b]) => {
                let square = e.multiply(a, a);
                Some(e.multiply(&square, b))
            }
            ("tyre", 2, [a, b]) => {
                let difference = a.sub(b, BITS, ROUND);
                Some(e.unary(Unary::Exp, &difference))
            }
            ("spring", 0, [u]) => {
                let square = e.multiply(u, u);
                let below = e.add(&big(1.0), &square);
                Some(e.divide(u, &below))
            }
            _ => None,
        }
    }
}

impl Arithmetic for Judge {
    type Value = BigFloat;
    fn number(&mut self, number: Number) -> BigFloat {
        self.extended.number(number)
    }
    fn pi(&mut self) -> BigFloat {
        self.extended.pi()
    }
    fn name(&mut self, name: &str) -> Option<BigFloat> {
        self.inputs.iter().find(|input| input.0 == name).map(|input| input.1.clone())
    }
    fn negate(&mut self, a: &BigFloat) -> BigFloat {
        self.extended.negate(a)
    }
    fn add(&mut self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        self.extended.add(a, b)
    }
    fn multiply(&mut self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        self.extended.multiply(a, b)
    }
    fn divide(&mut self, a: &BigFloat, b: &BigFloat) -> BigFloat {
        self.extended.divide(a, b)
    }
    fn unary(&mut self, function: Unary, a: &BigFloat) -> BigFloat {
        self.extended.unary(function, a)
    }
    fn binary(&mut self, function: Binary, a: &BigFloat, b: &BigFloat) -> BigFloat {
        self.extended.binary(function, a, b)
    }
    fn compare(&mut self, compare: Compare, a: &BigFloat, b: &BigFloat) -> bool {
        self.extended.compare(compare, a, b)
    }
    fn call(&mut self, name: &str, result: u32, arguments: &[BigFloat]) -> Option<BigFloat> {
        self.foreign(name, result as usize - 1, arguments)
    }
}

/// Returns `true` if two values agree; `digits` counts from the larger of the second and one
/// millionth.
pub fn agree(a: &BigFloat, b: &BigFloat, digits: i32) -> bool {
    let difference = to_f64(&a.sub(b, BITS, ROUND)).abs();
    difference <= 10f64.powi(-digits) * to_f64(b).abs().max(1e-6)
}

/// Both derivatives of an expression by each input of a point, against finite differences. False
/// where the expression has no derivative.
pub fn compare(graph: &mut Graph, expr: Expr, point: &[(&str, f64)], digits: i32) -> bool {
    let inputs: Vec<Expr> = point.iter().map(|p| graph.symbol(p.0, Kind::Coordinate)).collect();
    let forward = graph.derivatives(&[expr], &inputs);
    let adjoint = graph.gradient(expr, &inputs);
    let mut judge = Judge::at(point);
    for (i, &(name, _)) in point.iter().enumerate() {
        let Some(expect) = judge.difference(graph, expr, name) else { return false };
        let mut check = |way: &str, derivative: Expr| {
            let value = judge.value(graph, derivative, name, 0.0);
            assert!(
                agree(&value, &expect, digits),
                "{way} d/d{name} of {} is {}: {} and not {} at {point:?}",
                graph.text(expr),
                graph.text(derivative),
                to_f64(&value),
                to_f64(&expect)
            );
        };
        check("forward", forward.get(0, i));
        check("adjoint", adjoint[i]);
    }
    true
}

/// An expression from its text.
pub fn read(graph: &mut Graph, text: &str) -> Expr {
    graph.parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"))
}

/// Checks a text in `x`, `y`, `z` at points; every point must have a derivative.
pub fn check_at(text: &str, points: &[[f64; 3]], digits: i32) {
    for point in points {
        let mut graph = Graph::new();
        let expr = read(&mut graph, text);
        let point: Vec<(&str, f64)> = ["x", "y", "z"].into_iter().zip(*point).collect();
        assert!(compare(&mut graph, expr, &point, digits), "{text} has no derivative at {point:?}");
    }
}

/// Positive, and small enough for every function to be defined.
pub const INSIDE: [[f64; 3]; 3] = [[0.3, 0.7, 0.45], [0.81, 0.12, 0.33], [0.5, 0.23, 0.9]];
/// All signs.
pub const ANYWHERE: [[f64; 3]; 4] =
    [[0.3, -0.7, 2.1], [-1.8, 0.6, -0.4], [2.2, 1.9, -3.1], [-0.9, -1.1, 0.7]];

/// Checks a text at points with all signs.
pub fn check(text: &str) {
    check_at(text, &ANYWHERE, 25);
}

/// Checks a text at points where every function is defined.
pub fn check_inside(text: &str) {
    check_at(text, &INSIDE, 25);
}

/// Names each text in turn; later ones may use the names of earlier ones, `v1`, `v2` and so on.
pub fn table(graph: &mut Graph, texts: &[String]) -> Vec<Expr> {
    try_table(graph, texts).expect("rows without division by zero")
}

/// The same, unless there is a row that the graph refuses, such as `1/sin(pi)`.
pub fn try_table(graph: &mut Graph, texts: &[String]) -> Option<Vec<Expr>> {
    let mut rows: Vec<Expr> = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        let row = {
            let rows = &rows;
            let mut scope = |graph: &mut Graph, name: &str| {
                let number = name.strip_prefix('v').and_then(|n| n.parse::<usize>().ok());
                match number {
                    Some(n) => rows.get(n - 1).copied(),
                    None => Some(graph.symbol(name, Kind::Coordinate)),
                }
            };
            graph.parse_in(text, &mut scope).ok()?
        };
        rows.push(graph.name(&format!("v{}", i + 1), row));
    }
    Some(rows)
}

/// Calls below some expressions, with their functions.
pub fn calls(graph: &Graph, roots: &[Expr]) -> Vec<(ForeignFunction, Vec<Expr>)> {
    let mut found = Vec::new();
    for expr in graph.reachable(roots) {
        if let Node::Call(function, arguments) = graph.node(expr) {
            found.push((graph.function(function).clone(), arguments.to_vec()));
        }
    }
    found
}
