//! Typed indices: positions in lists of one kind of thing, vectors over them and sets of them.
//!
//! A speed is not a coordinate, although both are counted. An index type is made by
//! [`typed_index!`](crate::typed_index), a list that only such an index opens is an [`IndexVec`],
//! and a set of such indices is a [`BitSet`], which is iterated in ascending order.
//!
//! ```
//! use rotule_model::index::{BySpeed, SpeedId, SpeedSet};
//!
//! let mut masses: BySpeed<f64> = BySpeed::filled(0.0, 3);
//! masses[SpeedId::new(1)] = 2.0;
//! let heavy: SpeedSet = masses.ids().filter(|&speed| masses[speed] > 1.0).collect();
//! assert!(heavy.contains(SpeedId::new(1)) && heavy.len() == 1);
//! ```

use std::fmt::{self, Debug};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut, Range};

/// A position in lists of one kind of thing; made by [`typed_index!`](crate::typed_index).
pub trait TypedIndex: Copy + Eq + Ord + Debug {
    /// The index of a position.
    fn new(position: usize) -> Self;
    /// The position.
    fn index(self) -> usize;
}

/// Defines index types: documentation and name of each.
#[macro_export]
macro_rules! typed_index {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(u32);

        impl $name {
            /// The index of a position.
            pub fn new(position: usize) -> $name {
                $name(u32::try_from(position).expect("lists of models are limited"))
            }

            /// The position.
            pub fn index(self) -> usize {
                self.0 as usize
            }

            /// The index so many positions further.
            #[must_use]
            pub fn after(self, positions: usize) -> $name {
                $name::new(self.index() + positions)
            }
        }

        impl $crate::index::TypedIndex for $name {
            fn new(position: usize) -> $name {
                $name::new(position)
            }

            fn index(self) -> usize {
                $name::index(self)
            }
        }
    )*};
}

typed_index! {
    /// A body, by its position in [`Mechanism::bodies`](crate::Mechanism::bodies); the ground is
    /// zero.
    BodyId;
    /// A coordinate, by its position in [`Mechanism::coordinates`](crate::Mechanism::coordinates).
    CoordinateId;
    /// A speed, by its position in [`Mechanism::speeds`](crate::Mechanism::speeds).
    SpeedId;
}

impl BodyId {
    /// The fixed body.
    pub const GROUND: BodyId = BodyId(0);
}

/// A value for each body, the ground included.
pub type ByBody<T> = IndexVec<BodyId, T>;
/// A value for each coordinate.
pub type ByCoordinate<T> = IndexVec<CoordinateId, T>;
/// A value for each speed.
pub type BySpeed<T> = IndexVec<SpeedId, T>;
/// Some of the speeds.
pub type SpeedSet = BitSet<SpeedId>;

/// The indices from one on, in this number.
pub fn run_of<I: TypedIndex>(
    first: I,
    count: usize,
) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone {
    ids(first.index()..first.index() + count)
}

/// The indices of a range of positions.
pub fn ids<I: TypedIndex>(
    positions: Range<usize>,
) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone {
    positions.map(I::new)
}

/// A list that is opened by indices of one type.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct IndexVec<I, T> {
    items: Vec<T>,
    index: PhantomData<fn(I)>,
}

impl<I: TypedIndex, T> IndexVec<I, T> {
    /// No items.
    pub const fn new() -> Self {
        IndexVec { items: Vec::new(), index: PhantomData }
    }

    /// Copies of one item, at so many positions.
    pub fn filled(item: T, len: usize) -> Self
    where
        T: Clone,
    {
        vec![item; len].into()
    }

    /// The number of items.
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// Returns `true` if there are no items.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Adds an item; gives its index.
    pub fn push(&mut self, item: T) -> I {
        self.items.push(item);
        I::new(self.items.len() - 1)
    }

    /// The item of an index, if there is one.
    pub fn get(&self, at: I) -> Option<&T> {
        self.items.get(at.index())
    }

    /// All indices, in order.
    pub fn ids(
        &self,
    ) -> impl DoubleEndedIterator<Item = I> + ExactSizeIterator + Clone + use<I, T> {
        ids(0..self.items.len())
    }

    /// All items, in order.
    pub fn iter(&self) -> std::slice::Iter<'_, T> {
        self.items.iter()
    }

    /// All items, in order, to be changed.
    pub fn iter_mut(&mut self) -> std::slice::IterMut<'_, T> {
        self.items.iter_mut()
    }

    /// All items with their indices, in order.
    pub fn pairs(&self) -> impl DoubleEndedIterator<Item = (I, &T)> + ExactSizeIterator {
        self.ids().zip(&self.items)
    }

    /// The items without the type of their indices.
    pub fn as_slice(&self) -> &[T] {
        &self.items
    }

    /// The items without the type of their indices, to be changed.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.items
    }

    /// The items as a plain list.
    pub fn into_vec(self) -> Vec<T> {
        self.items
    }
}

impl<I: TypedIndex, T> Default for IndexVec<I, T> {
    fn default() -> Self {
        IndexVec::new()
    }
}

impl<I, T: Debug> Debug for IndexVec<I, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.items.fmt(f)
    }
}

impl<I: TypedIndex, T> Index<I> for IndexVec<I, T> {
    type Output = T;

    fn index(&self, at: I) -> &T {
        &self.items[at.index()]
    }
}

impl<I: TypedIndex, T> IndexMut<I> for IndexVec<I, T> {
    fn index_mut(&mut self, at: I) -> &mut T {
        &mut self.items[at.index()]
    }
}

impl<I, T> From<Vec<T>> for IndexVec<I, T> {
    fn from(items: Vec<T>) -> Self {
        IndexVec { items, index: PhantomData }
    }
}

impl<I, T> FromIterator<T> for IndexVec<I, T> {
    fn from_iter<L: IntoIterator<Item = T>>(list: L) -> Self {
        list.into_iter().collect::<Vec<T>>().into()
    }
}

impl<I, T> IntoIterator for IndexVec<I, T> {
    type Item = T;
    type IntoIter = std::vec::IntoIter<T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter()
    }
}

impl<'a, I, T> IntoIterator for &'a IndexVec<I, T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.iter()
    }
}

/// A set of indices: a bit for each, as far as the largest. Iteration is in ascending order.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct BitSet<I> {
    /// The last word is never zero, so that equal sets have equal words.
    words: Vec<u64>,
    index: PhantomData<fn(I)>,
}

/// Bits of a word.
const BITS: usize = u64::BITS as usize;

impl<I: TypedIndex> BitSet<I> {
    /// The empty set.
    pub const fn new() -> Self {
        BitSet { words: Vec::new(), index: PhantomData }
    }

    /// The first so many indices.
    pub fn first(count: usize) -> Self {
        ids(0..count).collect()
    }

    /// Adds an index; `true` if it was not in the set.
    pub fn insert(&mut self, at: I) -> bool {
        let (word, bit) = (at.index() / BITS, 1 << (at.index() % BITS));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes an index out; `true` if it was in the set.
    pub fn remove(&mut self, at: I) -> bool {
        let found = self.contains(at);
        if found {
            self.words[at.index() / BITS] &= !(1 << (at.index() % BITS));
            while self.words.last() == Some(&0) {
                self.words.pop();
            }
        }
        found
    }

    /// Returns `true` if an index is in the set.
    pub fn contains(&self, at: I) -> bool {
        let word = self.words.get(at.index() / BITS);
        word.is_some_and(|word| word & (1 << (at.index() % BITS)) != 0)
    }

    /// The number of indices.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Returns `true` if there are no indices.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The indices in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = I> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            // Each word without its lowest bit, until nothing is left.
            let rest = std::iter::successors(Some(word), |word| Some(word & (word - 1)));
            let bits = rest.take(word.count_ones() as usize);
            bits.map(move |word| I::new(at * BITS + word.trailing_zeros() as usize))
        })
    }
}

impl<I: TypedIndex> Default for BitSet<I> {
    fn default() -> Self {
        BitSet::new()
    }
}

impl<I: TypedIndex> Debug for BitSet<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl<I: TypedIndex> Extend<I> for BitSet<I> {
    fn extend<L: IntoIterator<Item = I>>(&mut self, list: L) {
        for at in list {
            self.insert(at);
        }
    }
}

impl<I: TypedIndex> FromIterator<I> for BitSet<I> {
    fn from_iter<L: IntoIterator<Item = I>>(list: L) -> Self {
        let mut set = BitSet::new();
        set.extend(list);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_opened_by_their_own_indices() {
        let mut list: BySpeed<i32> = [4, 5].into_iter().collect();
        let last = list.push(6);
        list[SpeedId::new(0)] += 10;
        assert_eq!((last, list[last], list.as_slice()), (SpeedId::new(2), 6, &[14, 5, 6][..]));
        assert_eq!(list.pairs().map(|(at, x)| (at.index(), *x)).next_back(), Some((2, 6)));
        assert_eq!(list.get(SpeedId::new(3)), None);
        assert_eq!(list.ids().rev().map(SpeedId::index).collect::<Vec<_>>(), [2, 1, 0]);
    }

    #[test]
    fn sets_are_iterated_in_order_and_equal_if_they_have_the_same_indices() {
        let numbers = [200, 0, 63, 64, 5, 63];
        let mut set: SpeedSet = numbers.into_iter().map(SpeedId::new).collect();
        let found = |set: &SpeedSet| set.iter().map(SpeedId::index).collect::<Vec<_>>();
        assert_eq!((found(&set), set.len()), (vec![0, 5, 63, 64, 200], 5));
        assert!(!set.contains(SpeedId::new(199)) && !set.contains(SpeedId::new(1000)));
        assert!(!set.insert(SpeedId::new(64)) && set.remove(SpeedId::new(200)));
        assert!(!set.remove(SpeedId::new(200)));
        // What was taken out leaves no trace.
        assert_eq!(set, [0, 5, 63, 64].into_iter().map(SpeedId::new).collect());
        assert_eq!(SpeedSet::first(65).len(), 65);
        [0, 5, 63, 64].into_iter().for_each(|at| assert!(set.remove(SpeedId::new(at))));
        assert!(set.is_empty() && set == SpeedSet::new());
    }
}
