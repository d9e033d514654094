//! The meaning of the numbers behind `%` while a text is read.

use crate::index::{RegionId, Value};
use std::collections::HashMap;

/// The meaning of `%` and a number.
#[derive(Clone, Copy)]
pub enum Meaning {
    /// A value, and the region in whose block it lies.
    Value(Value, Option<RegionId>),
    /// A region that is still open.
    Pending,
}

/// The meanings of the numbers behind `%`. The printer counts from 0, so that a list serves nearly
/// always; numbers that come out of turn go into a map, seeded because the text chooses them.
#[derive(Default)]
pub struct Numbers {
    list: Vec<Meaning>,
    map: HashMap<u64, Meaning>,
}

impl Numbers {
    pub fn get(&self, number: u64) -> Option<Meaning> {
        match self.list.get(usize::try_from(number).unwrap_or(usize::MAX)) {
            Some(&meaning) => Some(meaning),
            None => self.map.get(&number).copied(),
        }
    }

    pub fn set(&mut self, number: u64, meaning: Meaning) {
        let known = usize::try_from(number).ok().and_then(|k| self.list.get_mut(k));
        if let Some(known) = known {
            *known = meaning;
        } else if number == self.list.len() as u64 && !self.map.contains_key(&number) {
            self.list.push(meaning);
        } else {
            self.map.insert(number, meaning);
        }
    }
}
