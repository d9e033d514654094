//! The canonical order of operands: by shape, then by rank, then by names and numbers.
//!
//! Wherever rules, factoring or sharing have a choice between equals, the first in this order is
//! taken. Copies of one part, such as the legs of a robot or the links of a chain, differ in names
//! and in measured numbers only. If those came first in the order, each copy would choose
//! differently, and nobody could put the copies into lanes or loops any more.
//!
//! The *shape* of a node is a hash of what is done, in which inputs count by their kind and class,
//! named variables by the letters of their name, and numbers hardly at all; signs do not count,
//! since mirrored copies differ in signs. The *rank* tells apart what has one shape: inputs may
//! have one, such as their depth in a mechanism or the number in their name, and a node has a mean
//! of those of its operands. A mean moves with what it is taken of: if all ranks are higher by the
//! same number, as they are one link further along a chain, the order is the same. What is left is
//! told apart by a hash of the whole structure.
//!
//! None of the three depends on when a node was made, or on an index.

use crate::expr::Expr;
use crate::function::Kind;
use crate::graph::Graph;
use crate::node::Node;
use crate::number::Number;

/// The key that operands are sorted by; of equals by all hashes the older one is first.
pub(crate) type Order = (u32, i32, u32, Expr);

/// Shape and rank of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    pub(crate) shape: u32,
    pub(crate) rank: i32,
}

/// Parts of a step of rank, so that means of ranks differ where ranks do.
const UNIT: i64 = 1 << 12;

/// Operands count differently in a mean, so that it matters which one has which rank.
const WEIGHTS: [i64; 8] = [64, 89, 71, 113, 97, 83, 127, 101];

/// Exact numbers up to this size are what they are; others are measured, and all alike.
const SMALL: i64 = 64;

pub(crate) fn mix(state: u64, value: u64) -> u64 {
    (state.rotate_left(23) ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Half of a hash that has all of it.
pub(crate) fn folded(hash: u64) -> u32 {
    (hash >> 32) as u32 ^ hash as u32
}

pub(crate) fn hash_text(text: &str) -> u64 {
    text.bytes().fold(SEED, |h, b| mix(h, u64::from(b)))
}

const SEED: u64 = 0xcbf2_9ce4_8422_2325;

/// Where a name is of something numbered or of some body, `omega[3].x`, what is left without that:
/// `omega.x`.
fn hash_letters(name: &str) -> u64 {
    let (mut hash, mut depth) = (SEED, 0_u32);
    for byte in name.bytes() {
        match byte {
            b'[' => depth += 1,
            b']' => depth = depth.saturating_sub(1),
            _ if depth > 0 || byte.is_ascii_digit() => {}
            _ => hash = mix(hash, u64::from(byte)),
        }
    }
    hash
}

/// The last number in a name.
fn number_in(name: &str) -> u32 {
    let bytes = name.as_bytes();
    let Some(end) = bytes.iter().rposition(u8::is_ascii_digit) else { return 0 };
    let start = bytes[..end].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |at| at + 1);
    bytes[start..=end]
        .iter()
        .fold(0_u32, |n, b| n.saturating_mul(10).saturating_add(u32::from(b - b'0')))
}

fn rank(steps: u32) -> i32 {
    (i64::from(steps) * UNIT).min(i64::from(i32::MAX)) as i32
}

impl Look {
    /// The look of an input: those of one kind and class have the same, and are told apart by rank.
    pub(crate) fn of_input(kind: Kind, class: u32, steps: u32) -> Look {
        let shape = folded(mix(mix(4, kind as u64), u64::from(class)));
        Look { shape, rank: rank(steps) }
    }

    /// The look of an input that is one of several of its name, by the number in it.
    pub(crate) fn of_name(name: &str, kind: Kind) -> Look {
        let class = folded(hash_letters(name));
        Look::of_input(kind, class, number_in(name))
    }
}

impl Graph {
    /// Canonical order of operands.
    pub(crate) fn order(&self, expr: Expr) -> Order {
        let stored = self.stored(expr);
        (stored.look.shape ^ self.salt, stored.look.rank, stored.hash, expr)
    }

    /// Puts operands of different shapes into another order from now on, for those who search: any
    /// number gives right expressions, and some give shorter ones. What was built before stays as
    /// it is, and is not always found again.
    pub fn set_order(&mut self, salt: u32) {
        self.salt = salt;
    }

    /// The look of a node whose operands are known.
    pub(crate) fn look(&self, node: Node<'_>) -> Look {
        let mut mean = Mean { graph: self, moving: [0; 2], fixed: [0; 2], count: 0 };
        let hash = match node {
            Node::Number(number) => hash_number(number),
            Node::Pi => 3,
            Node::Symbol(id) => return self.looks[id.index()],
            Node::Variable(id) => {
                let variable = &self.variables[id.index()];
                let rank = self.stored(variable.definition).look.rank;
                return Look { shape: folded(mix(5, hash_letters(&variable.name))), rank };
            }
            Node::Sum(terms) => terms.iter().fold(6, |h, t| {
                let coefficient = u64::from(self.stored(t.coefficient).look.shape);
                mix(mix(h, coefficient), mean.add(t.core))
            }),
            Node::Product(factors) => {
                factors.iter().fold(7, |h, f| mix(mix(h, mean.add(f.base)), f.power as u64))
            }
            Node::Scale(number, core) => mix(mix(8, hash_number(number)), mean.add(core)),
            Node::Unary(function, a) => mix(mix(9, function as u64), mean.add(a)),
            Node::Binary(function, a, b) => {
                let first = mix(mix(10, function as u64), mean.add(a));
                mix(first, mean.add(b))
            }
            Node::Select(compare, operands) => {
                operands.iter().fold(mix(11, compare as u64), |h, &e| mix(h, mean.add(e)))
            }
            Node::Call(function, arguments) => {
                let name = hash_text(&self.functions[function.index()].name);
                arguments.iter().fold(mix(12, name), |h, &e| mix(h, mean.add(e)))
            }
            Node::Result(call, index) => mix(mix(13, u64::from(index)), mean.add(call)),
        };
        Look { shape: folded(hash), rank: mean.value() }
    }
}

/// Numbers of few digits are part of a formula, others are of a mechanism.
fn hash_number(number: Number) -> u64 {
    match number {
        Number::Rational { numerator, denominator }
            if numerator.unsigned_abs() <= SMALL as u64 && i64::from(denominator) <= SMALL =>
        {
            mix(mix(1, numerator as u64), u64::from(denominator))
        }
        _ => 2,
    }
}

/// The mean rank of operands: of those that move if there are any, for a parameter may serve all
/// copies.
struct Mean<'g> {
    graph: &'g Graph,
    /// Weighted sum and sum of weights.
    moving: [i64; 2],
    fixed: [i64; 2],
    count: usize,
}

impl Mean<'_> {
    /// Takes an operand in; gives its shape.
    fn add(&mut self, operand: Expr) -> u64 {
        let stored = self.graph.stored(operand);
        let weight = WEIGHTS[self.count % WEIGHTS.len()];
        self.count += 1;
        let into = if stored.kinds.is_constant() { &mut self.fixed } else { &mut self.moving };
        into[0] += weight * i64::from(stored.look.rank);
        into[1] += weight;
        u64::from(stored.look.shape)
    }

    fn value(&self) -> i32 {
        let [sum, weights] = if self.moving[1] > 0 { self.moving } else { self.fixed };
        // Rounded down, so that the mean of what is moved is moved. It is between ranks, which fit.
        if weights == 0 { 0 } else { sum.div_euclid(weights) as i32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link that turns about two axes, named in the order of the alphabet, by which text is
    /// sorted: sums with many choices, for the squares of a sine and a cosine could each stand for
    /// the other. Numbers are measured, so they differ from link to link.
    fn link(graph: &mut Graph, names: [&str; 2], depth: u32, numbers: [f64; 3]) -> String {
        let mut turn = |name: &str, rank| {
            let q = graph.ranked_symbol(name, Kind::Coordinate, 0, rank);
            let rate = graph.ranked_symbol(&format!("{name}.d"), Kind::Velocity, 0, rank);
            (graph.sin(q), graph.cos(q), rate)
        };
        let (s1, c1, w1) = turn(names[0], depth);
        let (s2, c2, w2) = turn(names[1], depth + 1);
        let [a, b, c] = numbers.map(|number| graph.number(number));
        let mut terms = Vec::new();
        for factors in [
            [a, s1, s1, w2],
            [b, c1, c1, w2],
            [c, s1, c1, w1],
            [a, s2, c1, w1],
            [b, c2, s1, w1],
            [c, s2, c2, w2],
            [a, c2, c2, w1],
            [b, s2, s2, w1],
        ] {
            terms.push(graph.product(&factors));
        }
        let sum = graph.sum(&terms);
        let again = graph.product(&[sum, s1, c2]);
        let rest = graph.product(&[sum, w1, w2]);
        let all = graph.add(again, rest);
        // What is left are the choices: names and numbers are put away.
        let mut text = graph.text(all);
        for (name, place) in names.iter().zip(["first", "second"]) {
            text = text.replace(&format!("{name}.d"), &format!("{place}.d"));
            text = text.replace(&format!("({name})"), &format!("({place})"));
        }
        text.chars().filter(|c| !c.is_ascii_digit()).collect()
    }

    #[test]
    fn copies_with_other_names_and_numbers_choose_alike() {
        let mut graph = Graph::new();
        let numbers = |copy: usize| [0.31, 0.47, 0.83].map(|one| one + 0.01 * copy as f64);
        let first = link(&mut graph, ["LF_HAA", "LF_HFE"], 1, numbers(0));
        for (copy, names) in
            [["RF_HAA", "RF_HFE"], ["hind", "knee"], ["a", "x"], ["a_hip", "x_hip"], ["u", "v"]]
                .into_iter()
                .enumerate()
        {
            assert_eq!(link(&mut graph, names, 1, numbers(copy + 1)), first, "{names:?}");
        }
    }

    #[test]
    fn links_further_along_a_chain_choose_alike() {
        let mut graph = Graph::new();
        let first = link(&mut graph, ["q1", "q2"], 1, [0.31, 0.47, 0.83]);
        for depth in 2..60 {
            let names = [format!("p{depth}"), format!("r{depth}")];
            let [one, two] = [names[0].as_str(), names[1].as_str()];
            assert_eq!(link(&mut graph, [one, two], depth, [0.31, 0.47, 0.83]), first, "{depth}");
        }
    }

    #[test]
    fn numbers_and_letters_of_names() {
        for (name, number) in [("m12", 12), ("wagon[3].mass", 3), ("m", 0), ("9", 9), ("a1b2", 2)] {
            assert_eq!(number_in(name), number, "{name}");
        }
        assert_eq!(number_in("m99999999999999"), u32::MAX);
        assert_eq!(hash_letters("omega[LF 3].x"), hash_letters("omega[RH].x"));
        assert_ne!(hash_letters("omega[3].x"), hash_letters("omega[3].y"));
    }
}
