//! Sharing of partial sums and products: greedy extraction of common pairs.
//!
//! The pair of operands that most lists have in common becomes an item of its own, wherever it
//! occurs; then the next, until no pair occurs twice. Each extraction from k lists saves k - 1
//! operations. Occurrences are kept in a table and looked at again only when a pair is about to be
//! extracted, so the time is near-linear in the number of pairs.
//!
//! Among pairs that occur equally often the choice is free, and what it does to later pairs cannot
//! be known: a seed other than zero shuffles them, so that a search can try several.

use super::items::{Item, ItemId, Items, List};
use rotule_symbolic::cost::product_operations;
use rotule_symbolic::random::{GOLDEN, scramble};
use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The kind of lists: sums or products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operation {
    Product,
    Sum,
}

/// Lists longer than this have pairs only between near neighbours, or the number of pairs would be
/// quadratic in the length of a list.
const LONG: usize = 32;

/// Two items that occur together: `first` and `second`, or `first` and the inverse of `second`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
struct Pair {
    first: ItemId,
    second: ItemId,
    inverse: bool,
}

/// The lists in which a pair was seen: how many, and the last of them in [`Sharing::seen`]. Most
/// pairs occur once, so that the table is small without the lists themselves.
#[derive(Clone, Copy, Debug, Default)]
struct Places {
    count: u32,
    last: u32,
}

struct Sharing<'a> {
    items: &'a mut Items,
    operation: Operation,
    /// The lists in which each pair was seen, perhaps no longer.
    places: FxHashMap<Pair, Places>,
    /// A list, and where the one before it of the same pair stands.
    seen: Vec<(ItemId, u32)>,
    /// `true` if an item is in two lists, or is a list that others may come to share.
    common: Vec<bool>,
    queue: BinaryHeap<Candidate>,
    seed: u64,
}

/// A pair to be extracted: in how many lists it occurs, its place among equals, and the pair.
type Candidate = (usize, Reverse<(u64, Pair)>);

/// Shares pairs in all sums or in all products that are live; the number of new items.
pub(super) fn share(items: &mut Items, operation: Operation, live: &[bool], seed: u64) -> usize {
    let before = items.len();
    if operation == Operation::Product {
        use_reciprocals(items, live);
    }
    let common = common(items, operation, live);
    let (places, seen, queue) = (FxHashMap::default(), Vec::new(), BinaryHeap::new());
    let mut sharing = Sharing { items, operation, places, seen, common, queue, seed };
    for item in (0..before).filter(|&item| live[item]) {
        sharing.enter(item as ItemId);
    }
    // All pairs are known: queue those that occur twice.
    let twice = sharing.places.iter().filter(|(_, places)| places.count >= 2);
    sharing.queue =
        twice.map(|(&pair, places)| candidate(places.count as usize, pair, seed)).collect();
    sharing.run();
    items.len() - before
}

fn candidate(count: usize, pair: Pair, seed: u64) -> Candidate {
    let place = match seed {
        0 => 0,
        _ => {
            let ids = (u64::from(pair.first) << 32) | u64::from(pair.second);
            let moved = seed.wrapping_mul(GOLDEN);
            scramble((ids ^ u64::from(pair.inverse)).wrapping_add(moved))
        }
    };
    (count, Reverse((place, pair)))
}

/// The list of an item, if the item is of an operation.
fn list_of(item: &Item, operation: Operation) -> Option<&List> {
    match (item, operation) {
        (Item::Product(list), Operation::Product) | (Item::Sum(list), Operation::Sum) => Some(list),
        _ => None,
    }
}

/// Items that can be in a pair that occurs twice: those in two lists. An item that is a list itself
/// may come to stand for a pair in any list.
fn common(items: &Items, operation: Operation, live: &[bool]) -> Vec<bool> {
    let (mut seen, mut common) = (vec![false; items.len()], vec![false; items.len()]);
    for (id, item) in items.items.iter().enumerate().filter(|(id, _)| live[*id]) {
        if let Some(list) = list_of(item, operation) {
            common[id] = true;
            for &(operand, _) in list {
                common[operand as usize] |= std::mem::replace(&mut seen[operand as usize], true);
            }
        }
    }
    common
}

/// Where one over something is computed anyway, nobody else divides by that something.
fn use_reciprocals(items: &mut Items, live: &[bool]) {
    let mut reciprocals: FxHashMap<ItemId, ItemId> = FxHashMap::default();
    for (id, item) in items.items.iter().enumerate().filter(|(id, _)| live[*id]) {
        if let Item::Product(list) = item
            && let [(base, -1)] = *list.as_slice()
        {
            reciprocals.insert(base, id as ItemId);
        }
    }
    for (id, item) in items.items.iter_mut().enumerate() {
        let Item::Product(list) = item else { continue };
        for (base, power) in list.iter_mut().filter(|e| e.1 < 0) {
            if let Some(&reciprocal) = reciprocals.get(base)
                && reciprocal != id as ItemId
            {
                (*base, *power) = (reciprocal, -*power);
            }
        }
    }
}

impl Sharing<'_> {
    fn list(&self, item: ItemId) -> Option<&List> {
        list_of(&self.items.items[item as usize], self.operation)
    }

    /// Records the pairs of a list.
    fn enter(&mut self, item: ItemId) {
        let Some(list) = self.list(item) else { return };
        let list = List::from_slice(list);
        let reach = if list.len() > LONG { 4 } else { LONG };
        for j in 0..list.len() {
            if !self.common[list[j].0 as usize] {
                continue;
            }
            for i in j.saturating_sub(reach)..j {
                if self.common[list[i].0 as usize] {
                    let pair = self.pair(list[i], list[j]);
                    self.record(pair, item);
                }
            }
            // A square may be shared, too.
            if self.operation == Operation::Product && list[j].1.unsigned_abs() >= 2 {
                let (first, _) = list[j];
                self.record(Pair { first, second: first, inverse: false }, item);
            }
        }
    }

    /// Records a pair; in how many lists it was seen.
    fn record(&mut self, pair: Pair, item: ItemId) -> usize {
        let places = self.places.entry(pair).or_default();
        if places.count == 0 || self.seen[places.last as usize].0 != item {
            self.seen.push((item, places.last));
            *places = Places { count: places.count + 1, last: self.seen.len() as u32 - 1 };
        }
        places.count as usize
    }

    /// The pair of two list entries. In a sum `a - b` and `b - a` are the same pair; in a product
    /// `a/b` and `b/a` are not, because dividing by a shared quotient would cost a division.
    fn pair(&self, a: (ItemId, i32), b: (ItemId, i32)) -> Pair {
        let inverse = (a.1 < 0) != (b.1 < 0);
        let numerator_first =
            if inverse && self.operation == Operation::Product { a.1 > 0 } else { a.0 < b.0 };
        let (first, second) = if numerator_first { (a.0, b.0) } else { (b.0, a.0) };
        Pair { first, second, inverse }
    }

    fn run(&mut self) {
        while let Some((count, Reverse((_, pair)))) = self.queue.pop() {
            let mut lists = self.take(pair);
            lists.sort_unstable();
            lists.dedup();
            lists.retain(|&mut item| self.extracted(item, pair, 0).is_some());
            let now = lists.len();
            if now < count || now < 2 {
                if now >= 2 {
                    self.queue.push(candidate(now, pair, self.seed));
                }
                lists.into_iter().for_each(|item| _ = self.record(pair, item));
                continue;
            }
            self.extract(pair, &lists);
        }
    }

    /// Takes the lists of a pair out of the table.
    fn take(&mut self, pair: Pair) -> SmallVec<[ItemId; 8]> {
        let Places { count, mut last } = std::mem::take(self.places.entry(pair).or_default());
        let mut lists = SmallVec::new();
        for _ in 0..count {
            let (item, before) = self.seen[last as usize];
            lists.push(item);
            last = before;
        }
        lists
    }

    /// The list of `item` with `pair` replaced by the item `new`, if it has the pair and gains.
    fn extracted(&self, item: ItemId, pair: Pair, new: ItemId) -> Option<List> {
        let list = self.list(item)?;
        let position = |requested| list.iter().position(|e| e.0 == requested);
        let i = position(pair.first)?;
        let mut rest = List::from_slice(list);
        let power = list[i].1;
        let taken = if pair.first == pair.second {
            if power.unsigned_abs() < 2 {
                return None;
            }
            rest[i].1 = power % 2;
            power / 2
        } else {
            let j = position(pair.second)?;
            let other = list[j].1;
            if ((power < 0) != (other < 0)) != pair.inverse {
                return None;
            }
            if pair.inverse && self.operation == Operation::Product && power < 0 {
                return None;
            }
            let size = power.unsigned_abs().min(other.unsigned_abs()) as i32;
            rest[i].1 -= size * power.signum();
            rest[j].1 -= size * other.signum();
            size * power.signum()
        };
        rest.retain(|e| e.1 != 0);
        rest.push((new, taken));
        let gains = self.operation == Operation::Sum || {
            let cost = |list: &List| product_operations(list.iter().map(|e| e.1));
            cost(&rest) < cost(list)
        };
        gains.then_some(rest)
    }

    fn extract(&mut self, pair: Pair, lists: &[ItemId]) {
        let Pair { first, second, inverse } = pair;
        let both: List = if first == second {
            List::from_slice(&[(first, 2)])
        } else {
            List::from_slice(&[(first, 1), (second, if inverse { -1 } else { 1 })])
        };
        // The pair may exist already as a whole list: then that one is the shared item.
        let whole = lists.iter().copied().find(|&item| {
            self.list(item).is_some_and(|list| {
                let mut sorted = list.clone();
                sorted.sort_unstable_by_key(|e| (e.0 != first, e.0));
                sorted == both
            })
        });
        let constant = self.items.constant[first as usize] && self.items.constant[second as usize];
        let new = whole.unwrap_or_else(|| {
            self.common.push(true);
            match self.operation {
                Operation::Product => self.items.add(Item::Product(both), constant),
                Operation::Sum => self.items.add(Item::Sum(both), constant),
            }
        });
        for &item in lists.iter().filter(|&&item| item != new) {
            let Some(rest) = self.extracted(item, pair, new) else { continue };
            let last = rest.len() - 1;
            self.items.items[item as usize] = match self.operation {
                Operation::Product => Item::Product(rest),
                Operation::Sum => Item::Sum(rest),
            };
            self.enter_new(item, last);
        }
    }

    /// Records the pairs of the operand that was just put last, and queues those that now occur
    /// twice.
    fn enter_new(&mut self, item: ItemId, last: usize) {
        let Some(list) = self.list(item) else { return };
        let list = List::from_slice(list);
        let first = if list.len() > LONG { last.saturating_sub(4) } else { 0 };
        for i in first..last {
            if !self.common[list[i].0 as usize] {
                continue;
            }
            let pair = self.pair(list[i], list[last]);
            let count = self.record(pair, item);
            if count >= 2 {
                self.queue.push(candidate(count, pair, self.seed));
            }
        }
    }
}
