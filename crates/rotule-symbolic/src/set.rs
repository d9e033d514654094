//! Sets of symbols, shared between nodes.
//!
//! Every node of a graph knows exactly which symbols it depends on. Stored one by one those sets
//! would be quadratic in the size of a long chain, so they are hash-consed Patricia tries (Okasaki
//! and Gill, "Fast mergeable integer maps", 1998) with 64 symbols in a leaf: a union shares all
//! that its operands have in common, equal sets are equal indices.

use crate::expr::SymbolId;
use hashbrown::HashTable;
use smallvec::SmallVec;

/// An interned set of symbols: equal sets have equal handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SymbolSet(u32);

impl SymbolSet {
    /// The set without a symbol.
    pub const EMPTY: SymbolSet = SymbolSet(0);

    /// The set of a node that nobody has requested yet.
    pub(crate) const UNKNOWN: SymbolSet = SymbolSet(u32::MAX);

    /// Returns `true` if no symbol is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Trie {
    /// Symbols `64 * word + i` for each bit `i`.
    Leaf { word: u32, bits: u64 },
    /// `key` holds the common leading bits of all words below, then a one at the bit that
    /// tells left (0) from right (1), then zeros.
    Branch { key: u32, left: u32, right: u32 },
}

const CACHE: usize = 1 << 8;
const CACHE_LIMIT: usize = 1 << 18;

/// All sets of one graph.
#[derive(Clone)]
pub(crate) struct Sets {
    tries: Vec<Trie>,
    table: HashTable<u32>,
    /// Recent unions, direct mapped: bounded memory, and a miss only costs time.
    recent: Vec<(u32, u32, u32)>,
}

fn mix(a: u64, b: u64) -> u64 {
    (a.rotate_left(26) ^ b).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

fn hash(trie: &Trie) -> u64 {
    let hash = match *trie {
        Trie::Leaf { word, bits } => mix(mix(1, u64::from(word)), bits),
        Trie::Branch { key, left, right } => {
            mix(mix(2, u64::from(key)), u64::from(left) << 32 | u64::from(right))
        }
    };
    // The low bits of a product know nothing of the high ones of its factors.
    hash ^ hash >> 32
}

/// The bit of `key` that separates left from right.
fn split_bit(key: u32) -> u32 {
    key & key.wrapping_neg()
}

/// Returns `true` if `word` lies below a branch with this key.
fn below(word: u32, key: u32) -> bool {
    let bit = split_bit(key);
    // The leading bits above the splitting one agree.
    (word ^ key) & !(bit | (bit - 1)) == 0
}

impl Sets {
    pub(crate) fn new() -> Sets {
        // Index 0 is the empty set; its trie is never looked at.
        let tries = vec![Trie::Leaf { word: 0, bits: 0 }];
        Sets { tries, table: HashTable::new(), recent: vec![(0, 0, 0); CACHE] }
    }

    fn intern(&mut self, trie: Trie) -> u32 {
        let Sets { tries, table, .. } = self;
        let entry =
            table.entry(hash(&trie), |&i| tries[i as usize] == trie, |&i| hash(&tries[i as usize]));
        *entry
            .or_insert_with(|| {
                tries.push(trie);
                (tries.len() - 1) as u32
            })
            .get()
    }

    pub(crate) fn single(&mut self, symbol: SymbolId) -> SymbolSet {
        // Words are numbered from one so that a branch key is never zero.
        let trie = Trie::Leaf { word: symbol.0 / 64 + 1, bits: 1 << (symbol.0 % 64) };
        SymbolSet(self.intern(trie))
    }

    pub(crate) fn union(&mut self, a: SymbolSet, b: SymbolSet) -> SymbolSet {
        if a == b || b.is_empty() {
            return a;
        }
        if a.is_empty() {
            return b;
        }
        SymbolSet(self.merge(a.0, b.0))
    }

    fn key(&self, set: u32) -> u32 {
        match self.tries[set as usize] {
            Trie::Leaf { word, .. } => word,
            Trie::Branch { key, .. } => key,
        }
    }

    /// Joins two tries whose words differ within their leading bits.
    fn join(&mut self, a: u32, b: u32) -> u32 {
        let (x, y) = (self.key(a), self.key(b));
        let bit = 1 << (31 - (x ^ y).leading_zeros());
        let key = (x | bit) & !(bit - 1);
        let (left, right) = if x & bit == 0 { (a, b) } else { (b, a) };
        self.intern(Trie::Branch { key, left, right })
    }

    /// The union of two tries, from memory where it was formed before. Parts are remembered like
    /// wholes: a long chain joins the same halves again and again.
    fn merge(&mut self, a: u32, b: u32) -> u32 {
        if a == b {
            return a;
        }
        let (a, b) = (a.min(b), a.max(b));
        let key = mix(u64::from(a), u64::from(b)) as usize >> 20;
        let (p, q, union) = self.recent[key & (self.recent.len() - 1)];
        if (p, q) == (a, b) {
            return union;
        }
        let union = self.merge_new(a, b);
        // The memory grows with what there is to remember, or it would forget parts in use.
        if self.tries.len() > self.recent.len() && self.recent.len() < CACHE_LIMIT {
            self.recent = vec![(0, 0, 0); 2 * self.recent.len()];
        }
        let slot = key & (self.recent.len() - 1);
        self.recent[slot] = (a, b, union);
        union
    }

    fn merge_new(&mut self, a: u32, b: u32) -> u32 {
        match (self.tries[a as usize], self.tries[b as usize]) {
            (Trie::Leaf { word, bits }, Trie::Leaf { word: other, bits: more }) => {
                if word == other {
                    self.intern(Trie::Leaf { word, bits: bits | more })
                } else {
                    self.join(a, b)
                }
            }
            (Trie::Leaf { word, .. }, Trie::Branch { key, left, right }) => {
                self.insert(a, word, b, (key, left, right))
            }
            (Trie::Branch { key, left, right }, Trie::Leaf { word, .. }) => {
                self.insert(b, word, a, (key, left, right))
            }
            (
                Trie::Branch { key, left, right },
                Trie::Branch { key: other, left: other_left, right: other_right },
            ) => {
                if key == other {
                    let left = self.merge(left, other_left);
                    let right = self.merge(right, other_right);
                    self.intern(Trie::Branch { key, left, right })
                } else if split_bit(key) > split_bit(other) && below(other, key) {
                    self.insert(b, other, a, (key, left, right))
                } else if split_bit(other) > split_bit(key) && below(key, other) {
                    self.insert(a, key, b, (other, other_left, other_right))
                } else {
                    self.join(a, b)
                }
            }
        }
    }

    /// Merges `a`, whose words all start like `word`, into the branch `b`.
    fn insert(&mut self, a: u32, word: u32, b: u32, branch: (u32, u32, u32)) -> u32 {
        let (key, left, right) = branch;
        if !below(word, key) {
            return self.join(a, b);
        }
        let (left, right) = if word & split_bit(key) == 0 {
            (self.merge(a, left), right)
        } else {
            (left, self.merge(a, right))
        };
        self.intern(Trie::Branch { key, left, right })
    }

    pub(crate) fn contains(&self, set: SymbolSet, symbol: SymbolId) -> bool {
        let requested = symbol.0 / 64 + 1;
        let mut at = set.0;
        while at != 0 {
            match self.tries[at as usize] {
                Trie::Leaf { word, bits } => {
                    return word == requested && bits >> (symbol.0 % 64) & 1 == 1;
                }
                Trie::Branch { key, left, right } => {
                    if !below(requested, key) {
                        return false;
                    }
                    at = if requested & split_bit(key) == 0 { left } else { right };
                }
            }
        }
        false
    }

    /// Returns `true` if the two sets have a symbol in common.
    pub(crate) fn intersects(&self, a: SymbolSet, b: SymbolSet) -> bool {
        let mut pairs: SmallVec<[(u32, u32); 32]> = SmallVec::from_elem((a.0, b.0), 1);
        while let Some((a, b)) = pairs.pop() {
            if a == 0 || b == 0 {
                continue;
            }
            let (wide, narrow) = if self.width(a) >= self.width(b) { (a, b) } else { (b, a) };
            match (self.tries[wide as usize], self.tries[narrow as usize]) {
                (Trie::Leaf { word, bits }, Trie::Leaf { word: other, bits: more }) => {
                    if word == other && bits & more != 0 {
                        return true;
                    }
                }
                (
                    Trie::Branch { key, left, right },
                    Trie::Branch { key: other, left: other_left, right: other_right },
                ) if key == other => {
                    pairs.push((left, other_left));
                    pairs.push((right, other_right));
                }
                (Trie::Branch { key, left, right }, _) => {
                    let word = self.key(narrow);
                    if below(word, key) {
                        let side = if word & split_bit(key) == 0 { left } else { right };
                        pairs.push((side, narrow));
                    }
                }
                (Trie::Leaf { .. }, Trie::Branch { .. }) => {}
            }
        }
        false
    }

    /// The width of a trie in words: its splitting bit, or nothing for a leaf.
    fn width(&self, set: u32) -> u32 {
        match self.tries[set as usize] {
            Trie::Leaf { .. } => 0,
            Trie::Branch { key, .. } => split_bit(key),
        }
    }

    /// The symbols of a set, in ascending order.
    pub(crate) fn iter(&self, set: SymbolSet) -> impl Iterator<Item = SymbolId> + '_ {
        let mut stack = if set.is_empty() { vec![] } else { vec![set.0] };
        let mut word_bits = (0u32, 0u64);
        std::iter::from_fn(move || {
            while word_bits.1 == 0 {
                match self.tries[stack.pop()? as usize] {
                    Trie::Leaf { word, bits } => word_bits = (word - 1, bits),
                    Trie::Branch { left, right, .. } => stack.extend([right, left]),
                }
            }
            let bit = word_bits.1.trailing_zeros();
            word_bits.1 &= word_bits.1 - 1;
            Some(SymbolId(word_bits.0 * 64 + bit))
        })
    }

    pub(crate) fn bytes(&self) -> usize {
        self.tries.capacity() * size_of::<Trie>()
            + self.table.capacity() * 5
            + self.recent.capacity() * size_of::<(u32, u32, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A small generator of pseudo-random numbers: tests must not depend on the day.
    fn random(state: &mut u64) -> u32 {
        *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*state >> 33) as u32
    }

    #[test]
    fn sets_behave_like_ordered_sets() {
        let mut sets = Sets::new();
        let mut state = 1;
        let mut pool = vec![(SymbolSet::EMPTY, BTreeSet::new())];
        for round in 0..600 {
            let (set, mirror) = if round % 3 == 0 {
                let range = [10, 100, 5000, 1 << 30][round % 4];
                let symbol = SymbolId(random(&mut state) % range);
                (sets.single(symbol), BTreeSet::from([symbol]))
            } else {
                let a = pool[random(&mut state) as usize % pool.len()].clone();
                let b = pool[random(&mut state) as usize % pool.len()].clone();
                assert_eq!(sets.intersects(a.0, b.0), !a.1.is_disjoint(&b.1));
                (sets.union(a.0, b.0), a.1.union(&b.1).copied().collect())
            };
            assert_eq!(
                sets.iter(set).collect::<Vec<_>>(),
                mirror.iter().copied().collect::<Vec<_>>()
            );
            for (_, other) in pool.iter().step_by(17) {
                for &symbol in other.iter().take(5) {
                    assert_eq!(sets.contains(set, symbol), mirror.contains(&symbol));
                }
            }
            // Equal sets have equal handles, whatever the order of their making.
            if let Some((same, _)) = pool.iter().find(|(_, other)| *other == mirror) {
                assert_eq!(*same, set);
            }
            pool.push((set, mirror));
        }
    }

    #[test]
    fn a_growing_chain_of_sets_stays_linear() {
        let mut sets = Sets::new();
        let mut all = SymbolSet::EMPTY;
        for i in 0..100_000 {
            let one = sets.single(SymbolId(i));
            all = sets.union(all, one);
        }
        // Twice per symbol and once per level for the words: far below the n^2/64 of plain sets.
        assert!(sets.tries.len() < 100_000 * 20, "{} tries", sets.tries.len());
        assert_eq!(sets.iter(all).count(), 100_000);
    }
}
