//! The flat form between graph and program: sums and products as lists of `(item, power)`.
//!
//! A sum is a product written additively: its "powers" are +1 and -1 (and 2 for a doubling), so one
//! algorithm shares pairs in both. Parameter-only terms and factors, with the numeric coefficient,
//! are gathered into one item of their own, which the setup stage computes.

use super::uses::{Use, uses};
use rotule_symbolic::cost::{common_divisor, product_operations};
use rotule_symbolic::{
    Binary, Compare, Expr, Factor, FunctionId, Graph, Node, Number, OperandTable, SymbolId, Unary,
    VariableId,
};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use smallvec::SmallVec;
use std::hash::Hasher;

/// The index of an item.
pub(super) type ItemId = u32;

/// An item with a sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Edge {
    pub(super) item: ItemId,
    pub(super) negative: bool,
}

/// Items with their powers, or with their signs in a sum.
pub(super) type List = SmallVec<[(ItemId, i32); 4]>;

/// Signed items with their powers.
type Signed = SmallVec<[(Edge, i32); 4]>;

/// The content of an item.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Number(f64),
    Input(SymbolId),
    Sum(List),
    Product(List),
    Unary(Unary, Edge),
    Binary(Binary, Edge, Edge),
    Select(Compare, [Edge; 4]),
    Call(FunctionId, Box<[Edge]>),
    Result(ItemId, u32),
}

impl Item {
    /// Calls `visit` for each operand; the powers of a product and the order of a sum do not show.
    pub(super) fn for_each_operand(&self, mut visit: impl FnMut(Edge)) {
        let plain = |item| Edge { item, negative: false };
        match self {
            Item::Number(_) | Item::Input(_) => {}
            Item::Sum(list) | Item::Product(list) => {
                list.iter().for_each(|e| visit(plain(e.0)));
            }
            Item::Unary(_, a) => visit(*a),
            Item::Binary(_, a, b) => [*a, *b].into_iter().for_each(visit),
            Item::Select(_, edges) => edges.iter().copied().for_each(visit),
            Item::Call(_, edges) => edges.iter().copied().for_each(visit),
            Item::Result(call, _) => visit(plain(*call)),
        }
    }
}

/// All items below some roots, operands before their users (until pairs are shared).
#[derive(Default)]
pub(super) struct Items {
    pub(super) items: Vec<Item>,
    /// `true` if an item depends on nothing but parameters and numbers.
    pub(super) constant: Vec<bool>,
    /// The variable that an item is, or the opposite of it.
    pub(super) names: Vec<Option<(VariableId, bool)>>,
    /// The item of each node, by the node's index.
    edges: Vec<Option<Edge>>,
    /// The outputs.
    pub(super) roots: Vec<Edge>,
    /// Number of times that each node is used, by the node's index.
    uses: Vec<Use>,
    numbers: FxHashMap<u64, ItemId>,
    /// Sums that came of multiplying constants in, for one user only.
    distributed: FxHashSet<ItemId>,
    /// Sums and products by their lists.
    lists: OperandTable,
}

impl Items {
    /// The items for everything that the roots need.
    pub(super) fn collect(graph: &Graph, roots: &[Expr]) -> Items {
        let uses = uses(graph, roots);
        let nodes = uses.iter().filter(|node| node.count > 0).count();
        let mut items = Items {
            items: Vec::with_capacity(nodes),
            constant: Vec::with_capacity(nodes),
            names: Vec::with_capacity(nodes),
            edges: vec![None; uses.len()],
            uses,
            lists: OperandTable::with_capacity(nodes),
            ..Items::default()
        };
        for index in 0..items.uses.len() {
            let Use { node, count } = items.uses[index];
            if count > 0 {
                items.edges[index] = Some(items.edge_of_node(graph, node));
            }
        }
        items.roots = roots.iter().map(|&e| items.edge(e)).collect();
        items
    }

    /// Returns `true` if a node has one user only.
    fn single(&self, expr: Expr) -> bool {
        self.uses[expr.index()].count == 1
    }

    /// Items that the roots need. Most operands are older than their users, so that one sweep from
    /// the newest item down meets memory in its order; what pairs put behind their users is
    /// followed at once.
    pub(super) fn live(&self) -> Vec<bool> {
        let mut live = vec![false; self.len()];
        self.roots.iter().for_each(|root| live[root.item as usize] = true);
        let mut newer: Vec<ItemId> = Vec::new();
        for swept in (0..self.len()).rev() {
            if !live[swept] {
                continue;
            }
            newer.push(swept as ItemId);
            while let Some(item) = newer.pop() {
                self.items[item as usize].for_each_operand(|operand| {
                    let known = std::mem::replace(&mut live[operand.item as usize], true);
                    if !known && operand.item as usize > swept {
                        newer.push(operand.item);
                    }
                });
            }
        }
        live
    }

    /// Number of items.
    pub(super) fn len(&self) -> usize {
        self.items.len()
    }

    /// Operations that writing the lists of what is live would take.
    pub(super) fn operations(&self, live: &[bool]) -> u64 {
        let count = |item: &Item| match item {
            Item::Number(_) | Item::Input(_) | Item::Result(..) => 0,
            Item::Sum(list) => list.iter().map(|e| e.1.unsigned_abs()).sum::<u32>() - 1,
            Item::Product(list) if list.iter().all(|e| e.1 == 1) => list.len() as u32 - 1,
            Item::Product(list) => product_operations(list.iter().map(|e| e.1)),
            Item::Unary(..) | Item::Binary(..) | Item::Select(..) | Item::Call(..) => 1,
        };
        let items = self.items.iter().zip(live).filter(|(_, live)| **live);
        items.map(|(item, _)| u64::from(count(item))).sum()
    }

    /// The item of an expression, with the sign of its edge.
    pub(super) fn edge(&self, expr: Expr) -> Edge {
        // Operands are older than their users and have their items first.
        let edge = self.edges[expr.index()].expect("an operand has its item first");
        Edge { negative: edge.negative != expr.is_negative(), ..edge }
    }

    /// The item of an expression, if some root needs it.
    pub(super) fn find(&self, expr: Expr) -> Option<ItemId> {
        self.edges.get(expr.index()).copied().flatten().map(|edge| edge.item)
    }

    pub(super) fn add(&mut self, item: Item, constant: bool) -> ItemId {
        self.items.push(item);
        self.constant.push(constant);
        self.names.push(None);
        self.items.len() as ItemId - 1
    }

    fn edge_of_node(&mut self, graph: &Graph, expr: Expr) -> Edge {
        let constant = graph.kinds(expr).is_constant();
        let item = match graph.node(expr) {
            Node::Number(n) => self.number(n.to_f64()),
            Node::Pi => self.number(std::f64::consts::PI),
            Node::Symbol(id) => self.add(Item::Input(id), constant),
            Node::Variable(id) => {
                let edge = self.edge(graph.definition(id));
                self.names[edge.item as usize].get_or_insert((id, edge.negative));
                return edge;
            }
            Node::Sum(terms) => {
                let mut list = List::new();
                let mut fixed = List::new();
                for term in terms {
                    // The coefficient of a term is always a number node.
                    let number = graph.number_of(term.coefficient).unwrap_or_default();
                    let edge = self.scaled(graph, number.abs(), term.core);
                    let negative = edge.negative != number.is_negative();
                    let sign = if negative { -1 } else { 1 };
                    // A product that became a sum, when its constants were multiplied in.
                    let alone = [(edge.item, 1)];
                    let inner = match &self.items[edge.item as usize] {
                        Item::Sum(inner) if self.distributed.contains(&edge.item) => inner,
                        _ => alone.as_slice(),
                    };
                    for &(item, inner_sign) in inner {
                        let into =
                            if self.constant[item as usize] { &mut fixed } else { &mut list };
                        into.push((item, sign * inner_sign));
                    }
                }
                return self.sum(fixed, list);
            }
            Node::Product(factors) => {
                return self.product_of(1.0, factors, self.single(expr));
            }
            // Doubling is an addition, unless the two can join parameters or stand over something.
            Node::Scale(number, core)
                if number == Number::integer(2) && !graph.is_reciprocal(core) =>
            {
                let edge = self.scaled(graph, number, core);
                let plain = self.edge(core);
                let joined = matches!(&self.items[edge.item as usize], Item::Product(list)
                    if matches!(self.items[list[0].0 as usize], Item::Product(_)));
                if joined {
                    return edge;
                }
                let item = self.intern_sum(List::from_slice(&[(plain.item, 2)]), constant);
                return Edge { item, negative: plain.negative };
            }
            Node::Scale(number, core) => return self.scaled(graph, number, core),
            Node::Unary(function, a) => self.add(Item::Unary(function, self.edge(a)), constant),
            Node::Binary(function, a, b) => {
                self.add(Item::Binary(function, self.edge(a), self.edge(b)), constant)
            }
            Node::Select(compare, o) => {
                let operands = std::array::from_fn(|i| self.edge(o[i]));
                self.add(Item::Select(compare, operands), constant)
            }
            Node::Call(function, arguments) => {
                let arguments = arguments.iter().map(|&e| self.edge(e)).collect();
                self.add(Item::Call(function, arguments), constant)
            }
            Node::Result(call, index) => {
                let call = self.edge(call).item;
                self.add(Item::Result(call, index), constant)
            }
        };
        Edge { item, negative: false }
    }

    fn number(&mut self, value: f64) -> ItemId {
        if let Some(&known) = self.numbers.get(&value.to_bits()) {
            return known;
        }
        let item = self.add(Item::Number(value), true);
        self.numbers.insert(value.to_bits(), item);
        item
    }

    /// A positive number times a core.
    fn scaled(&mut self, graph: &Graph, number: Number, core: Expr) -> Edge {
        if core == Expr::ONE {
            return Edge { item: self.number(number.to_f64()), negative: false };
        }
        if number.is_one() {
            return self.edge(core);
        }
        let single = self.single(core);
        match graph.node(core) {
            Node::Product(factors) => self.product_of(number.to_f64(), factors, single),
            _ => {
                let factor = Factor { base: core, power: 1 };
                self.product_of(number.to_f64(), &[factor], single)
            }
        }
    }

    /// A number times factors of the graph. Constants are multiplied into a sum that nobody else
    /// uses, where each of its terms has a constant already: that saves a multiplication at run
    /// time. (`single` says that the product itself has one user.)
    fn product_of(&mut self, number: f64, factors: &[Factor], single: bool) -> Edge {
        let list: Signed = factors.iter().map(|f| (self.edge(f.base), f.power)).collect();
        let is_constant = |e: Edge| self.constant[e.item as usize];
        let constants = number != 1.0 || list.iter().any(|f| is_constant(f.0));
        if !single || !constants {
            return self.product(number, list);
        }
        let takes = |f: &Factor| {
            f.power == 1 && self.single(f.base) && self.takes_constants(self.edge(f.base))
        };
        let Some(sum) = factors.iter().position(takes) else {
            return self.product(number, list);
        };
        let (fixed, varying): (Signed, Signed) = list
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != sum)
            .map(|(_, f)| *f)
            .partition(|f| is_constant(f.0));
        let bracket = list[sum].0;
        let Item::Sum(terms) = self.items[bracket.item as usize].clone() else {
            return self.product(number, list);
        };
        let (mut constant_terms, mut terms_left) = (List::new(), List::new());
        for (item, sign) in terms {
            let mut with = fixed.clone();
            match &self.items[item as usize] {
                Item::Product(inner) => with.extend(
                    inner.iter().map(|&(item, power)| (Edge { item, negative: false }, power)),
                ),
                _ => with.push((Edge { item, negative: false }, 1)),
            }
            let edge = self.product(number, with);
            let sign = if edge.negative { -sign } else { sign };
            let constant = self.constant[edge.item as usize];
            if constant { &mut constant_terms } else { &mut terms_left }.push((edge.item, sign));
        }
        let mut total = self.sum(constant_terms, terms_left);
        total.negative ^= bracket.negative;
        if varying.is_empty() {
            self.distributed.insert(total.item);
            return total;
        }
        let mut rest = varying;
        rest.push((total, 1));
        self.product(1.0, rest)
    }

    /// Returns `true` if an item is a sum whose terms all have a constant factor, or are constant.
    fn takes_constants(&self, edge: Edge) -> bool {
        let Item::Sum(terms) = &self.items[edge.item as usize] else { return false };
        // A sum of constants is computed in setup anyway.
        !self.constant[edge.item as usize]
            && terms.iter().all(|&(item, sign)| {
                let has_constant = match &self.items[item as usize] {
                    Item::Product(list) => list.iter().any(|e| self.constant[e.0 as usize]),
                    _ => false,
                };
                sign.unsigned_abs() == 1 && (self.constant[item as usize] || has_constant)
            })
    }

    /// A number times factors: first what is constant, as one item, then the rest.
    fn product(&mut self, number: f64, factors: Signed) -> Edge {
        let negative = factors.iter().filter(|(e, p)| e.negative && p % 2 != 0).count() % 2 == 1;
        let (mut fixed, mut list) = (List::new(), List::new());
        for (edge, power) in factors {
            let into = if self.constant[edge.item as usize] { &mut fixed } else { &mut list };
            into.push((edge.item, power));
        }
        // Powers with a common divisor are raised together: that must not be broken up.
        for (powers, constant) in [(&mut fixed, true), (&mut list, false)] {
            if powers.len() < 2 || powers.iter().any(|p| p.1 == 1) {
                continue;
            }
            let plain: SmallVec<[i32; 4]> = powers.iter().map(|p| p.1).collect();
            if common_divisor(&plain) > 1 {
                // One over something stays that, for a number to stand above it.
                let sign = if plain.iter().all(|&p| p < 0) { -1 } else { 1 };
                powers.iter_mut().for_each(|p| p.1 = p.1.saturating_mul(sign));
                let whole = self.intern_product(std::mem::take(powers), constant);
                powers.push((whole, sign));
            }
        }
        if number != 1.0 {
            fixed.push((self.number(number), 1));
        }
        if list.is_empty() {
            return Edge { item: self.intern_product(fixed, true), negative };
        }
        if !fixed.is_empty() {
            let front = self.intern_product(fixed, true);
            list.insert(0, (front, 1));
        }
        Edge { item: self.intern_product(list, false), negative }
    }

    /// A sum: first what is constant, as one item, then the rest.
    fn sum(&mut self, fixed: List, mut list: List) -> Edge {
        if list.is_empty() {
            return Edge { item: self.intern_sum(fixed, true), negative: false };
        }
        // One constant is a term like any other; several are one, taken positive first.
        if fixed.len() == 1 {
            list.insert(0, fixed[0]);
        } else if !fixed.is_empty() {
            let sign = fixed.iter().map(|e| e.1).max().unwrap_or(1);
            let signed = fixed.into_iter().map(|(item, s)| (item, s * sign)).collect();
            let front = self.intern_sum(signed, true);
            list.insert(0, (front, sign));
        }
        Edge { item: self.intern_sum(list, false), negative: false }
    }

    /// Makes one item of those entries of a sum or product that do not move, if there are several.
    pub(super) fn part(&mut self, item: ItemId, moves: impl Fn(ItemId) -> bool) {
        let (list, is_sum) = match &self.items[item as usize] {
            Item::Sum(list) => (list.clone(), true),
            Item::Product(list) => (list.clone(), false),
            _ => return,
        };
        let (mut moving, still): (List, List) = list.into_iter().partition(|entry| moves(entry.0));
        if moving.is_empty() || still.len() < 2 {
            return;
        }
        let constant = still.iter().all(|entry| self.constant[entry.0 as usize]);
        let whole = if is_sum {
            self.intern_sum(still, constant)
        } else {
            self.intern_product(still, constant)
        };
        moving.push((whole, 1));
        self.items[item as usize] = if is_sum { Item::Sum(moving) } else { Item::Product(moving) };
    }

    fn intern_product(&mut self, list: List, constant: bool) -> ItemId {
        self.intern(Item::Product, list, constant)
    }

    fn intern_sum(&mut self, list: List, constant: bool) -> ItemId {
        self.intern(Item::Sum, list, constant)
    }

    /// The sum or product of a list; what exists already is not made again.
    fn intern(&mut self, make: fn(List) -> Item, mut list: List, constant: bool) -> ItemId {
        if let [(item, 1)] = *list.as_slice() {
            return item;
        }
        list.sort_unstable();
        let (newest, hash) = (list.last().map(|entry| entry.0), hash(&list));
        let new = make(list);
        let same = |known: ItemId| match (&self.items[known as usize], &new) {
            (Item::Sum(a), Item::Sum(b)) | (Item::Product(a), Item::Product(b)) => a == b,
            _ => false,
        };
        if let Some(known) = self.lists.find(newest, hash, same) {
            return known;
        }
        let item = self.add(new, constant);
        self.lists.insert(newest, hash, item);
        item
    }
}

/// The hash of the list of a sum or product.
fn hash(list: &List) -> u32 {
    let mut hasher = FxHasher::default();
    for &(item, power) in list {
        hasher.write_u64(u64::from(item) << 32 | u64::from(power as u32));
    }
    let hash = hasher.finish();
    (hash >> 32) as u32 ^ hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lower::pairs::{Operation, share};
    use rotule_symbolic::Kind;

    /// Items that a walk from the roots meets.
    fn walked(items: &Items) -> Vec<bool> {
        let mut live = vec![false; items.len()];
        let mut stack: Vec<ItemId> = items.roots.iter().map(|root| root.item).collect();
        while let Some(item) = stack.pop() {
            if !std::mem::replace(&mut live[item as usize], true) {
                items.items[item as usize].for_each_operand(|edge| stack.push(edge.item));
            }
        }
        live
    }

    #[test]
    fn the_sweep_meets_what_a_walk_meets_also_behind_shared_pairs() {
        let mut graph = Graph::new();
        let symbols: Vec<Expr> =
            (0..9).map(|k| graph.symbol(&format!("x{k}"), Kind::Coordinate)).collect();
        let mut roots = Vec::new();
        for k in 0..40 {
            // Products of three that have many pairs in common, in sums that have, too.
            let term =
                |shift: usize| [0, 2 + shift, 5].map(|by| symbols[(k / 3 + by * k) % (9 - shift)]);
            let terms = [0, 1, 2].map(|shift| graph.product(&term(shift)));
            roots.push(graph.sum(&terms));
        }
        let mut items = Items::collect(&graph, &roots);
        // Nobody needs the last outputs any more.
        items.roots.truncate(25);
        let before = items.len();
        for operation in [Operation::Product, Operation::Sum] {
            let live = items.live();
            assert_eq!(live, walked(&items));
            assert!(live.contains(&false));
            share(&mut items, operation, &live, 0);
        }
        assert!(items.len() > before, "nothing is shared");
        let live = items.live();
        assert_eq!(live, walked(&items));
        let newer = |(user, item): (usize, &Item)| {
            let mut newer = false;
            item.for_each_operand(|edge| newer |= edge.item as usize > user);
            newer && live[user]
        };
        assert!(items.items.iter().enumerate().any(newer), "no operand is newer than its user");
    }
}
