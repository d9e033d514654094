//! A hash-consing table in which an entry is found by way of its newest operand.
//!
//! A plain hash table scatters its entries: in a graph beyond the size of the processor's caches,
//! every search waits for main memory, and the time for a node grows with the size of the graph.
//! Equations are written part by part, so that what is searched was mostly made a moment ago from
//! operands that were made a moment ago. Here the entries with the same newest operand form a short
//! list, and all lists of a part lie side by side. Operands with many users, such as the number of
//! a mass that all bodies have, keep a hash table for all beyond the first few.

use hashbrown::HashTable;

/// Entries of a list; more with the same newest operand are in the hash table.
const LIST: usize = 6;

/// No entry.
const NONE: u32 = u32::MAX;

/// The next entry of a list, and the hash of this one.
#[derive(Clone, Copy)]
struct Link {
    next: u32,
    hash: u32,
}

/// Numbered entries, found by what they are made of: the number of their newest operand and a hash.
#[derive(Clone, Default)]
pub struct OperandTable {
    /// The first entry of each operand's list.
    heads: Vec<u32>,
    /// The links by entry.
    links: Vec<Link>,
    /// Entries without operands, and those beyond full lists, with their hashes.
    rest: HashTable<(u32, u32)>,
}

/// The number of the newest operand, or none.
pub type Newest = Option<u32>;

impl OperandTable {
    /// An empty table with room for entries and operands below a number.
    pub fn with_capacity(entries: usize) -> OperandTable {
        OperandTable {
            heads: Vec::with_capacity(entries),
            links: Vec::with_capacity(entries),
            rest: HashTable::new(),
        }
    }

    /// The entry of this newest operand and hash for which `same` holds.
    pub fn find(&self, newest: Newest, hash: u32, same: impl Fn(u32) -> bool) -> Option<u32> {
        if let Some(operand) = newest {
            let mut length = 0;
            for (entry, link) in self.list(operand) {
                if link.hash == hash && same(entry) {
                    return Some(entry);
                }
                length += 1;
            }
            if length < LIST {
                return None;
            }
        }
        let same = |&(other, entry): &(u32, u32)| other == hash && same(entry);
        self.rest.find(spread(hash), same).map(|&(_, entry)| entry)
    }

    /// Adds an entry that is not there yet.
    pub fn insert(&mut self, newest: Newest, hash: u32, entry: u32) {
        let Some(operand) = newest.filter(|&operand| self.list(operand).count() < LIST) else {
            self.rest.insert_unique(spread(hash), (hash, entry), |entry| spread(entry.0));
            return;
        };
        let (operand, index) = (operand as usize, entry as usize);
        if self.heads.len() <= operand {
            self.heads.resize(operand + 1, NONE);
        }
        if self.links.len() <= index {
            self.links.resize(index + 1, Link { next: NONE, hash: 0 });
        }
        self.links[index] = Link { next: self.heads[operand], hash };
        self.heads[operand] = entry;
    }

    /// Removes an entry. Those that came after it are gone already.
    pub fn remove(&mut self, newest: Newest, hash: u32, entry: u32) {
        if let Some(head) = newest.and_then(|operand| self.heads.get_mut(operand as usize))
            && *head == entry
        {
            *head = self.links[entry as usize].next;
        } else if let Ok(found) = self.rest.find_entry(spread(hash), |known| known.1 == entry) {
            found.remove();
        }
    }

    /// The bytes it occupies, reserve included.
    pub fn bytes(&self) -> usize {
        self.heads.capacity() * size_of::<u32>()
            + self.links.capacity() * size_of::<Link>()
            + self.rest.capacity() * (size_of::<(u32, u32)>() + 1)
    }

    fn list(&self, operand: u32) -> impl Iterator<Item = (u32, Link)> + '_ {
        let mut entry = self.heads.get(operand as usize).copied().unwrap_or(NONE);
        std::iter::from_fn(move || {
            let link = *self.links.get(entry as usize)?;
            Some((std::mem::replace(&mut entry, link.next), link))
        })
    }
}

/// Spreads 32 bits over the 64 that the hash table looks at.
fn spread(hash: u32) -> u64 {
    let wide = u64::from(hash).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    wide ^ wide >> 32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Graph, Kind};
    use std::cell::Cell;

    /// The number of entries beside their operands, and of those in the hash table.
    fn sizes(table: &OperandTable) -> (usize, usize) {
        let listed = (0..table.heads.len()).map(|operand| table.list(operand as u32).count());
        (listed.sum(), table.rest.len())
    }

    #[test]
    fn users_of_a_popular_operand_are_found_with_few_comparisons() {
        let mut table = OperandTable::default();
        let hash = |entry: u32| entry.wrapping_mul(0x9e37_79b9);
        for entry in 1..10_000 {
            table.insert(Some(0), hash(entry), entry);
        }
        assert_eq!(sizes(&table), (LIST, 9_999 - LIST));
        let compared = Cell::new(0);
        for entry in 1..10_000 {
            let same = |known| {
                compared.set(compared.get() + 1);
                known == entry
            };
            assert_eq!(table.find(Some(0), hash(entry), same), Some(entry));
        }
        assert_eq!(compared.get(), 9_999);
    }

    #[test]
    fn entries_are_removed_newest_first_from_lists_and_rest() {
        let mut table = OperandTable::default();
        let newest = |entry: u32| (!entry.is_multiple_of(3)).then_some(entry % 3);
        let has = |table: &OperandTable, entry: u32| {
            table.find(newest(entry), entry / 7, |known| known == entry).is_some()
        };
        for entry in 0..60 {
            table.insert(newest(entry), entry / 7, entry);
        }
        for entry in (0..60).rev() {
            assert!((0..=entry).all(|entry| has(&table, entry)), "{entry}");
            table.remove(newest(entry), entry / 7, entry);
            assert!(!has(&table, entry), "{entry}");
        }
        assert_eq!(sizes(&table), (0, 0));
    }

    /// The nodes of a chain of planar rotations that are in the hash table.
    fn scattered(links: usize) -> (usize, usize) {
        let mut graph = Graph::new();
        let g = &mut graph;
        let (mut x, mut y) = (g.symbol("x", Kind::Parameter), g.symbol("y", Kind::Parameter));
        let length = g.symbol("l", Kind::Parameter);
        for link in 0..links {
            let q = g.symbol(&format!("q{link}"), Kind::Coordinate);
            let (sine, cosine) = (g.sin(q), g.cos(q));
            let products = [g.mul(cosine, x), g.mul(sine, y), g.mul(sine, x), g.mul(cosine, y)];
            (x, y) = (g.sub(products[0], products[1]), g.add(products[2], products[3]));
            x = g.add(x, length);
            x = g.name(&format!("x{link}"), x);
            y = g.name(&format!("y{link}"), y);
        }
        let (listed, rest) = sizes(&graph.table);
        assert_eq!(listed + rest, graph.len());
        (graph.len(), rest)
    }

    #[test]
    fn a_chain_scatters_its_atoms_only() {
        let ((nodes, rest), (more, more_rest)) = (scattered(100), scattered(1000));
        // One coordinate for each link, out of about ten nodes.
        assert!(rest <= 110 && more_rest <= 1010, "{rest} of {nodes}, {more_rest} of {more}");
        assert!(more >= 9000 && nodes >= 900);
    }
}
