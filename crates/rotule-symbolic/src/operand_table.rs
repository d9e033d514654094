//! A hash-consing table in which an entry is found by way of its newest operand.
//!
//! A plain hash table scatters its entries: in a graph beyond the size of the processor's caches, every search waits for
//! main memory, and the time for a node grows with the size of the graph. Equations are written part by part, so that what
//! is searched was mostly made a moment ago from operands that were made a moment ago. Here the entries with the same
//! newest operand form a short list, and all lists of a part lie side by side. Operands with many users, such as the number
//! of a mass that all bodies have, keep a hash table for all beyond the first few.

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
