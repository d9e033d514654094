//! Values that pick from each tuple. Whoever runs or prints a call or a region stores its results
//! at once where they are needed, and needs this inverted.

use crate::index::Value;
use crate::operation::Operation;
use crate::program::Program;

/// The values that pick from each tuple of a program.
#[derive(Clone, Debug)]
pub struct Picks {
    picks: Vec<(u32, Value)>,
    /// The picks of tuple `v` are `picks[start[v]..start[v + 1]]`.
    start: Vec<u32>,
}

impl Picks {
    /// Collects the picks of a valid program.
    pub fn of(program: &Program) -> Picks {
        let picked = || {
            program.operations.iter().enumerate().filter_map(|(k, &operation)| match operation {
                Operation::Result { of, index } => Some((of, index, Value::new(k))),
                _ => None,
            })
        };
        let mut start = vec![0_u32; program.len() + 1];
        picked().for_each(|(of, ..)| start[of.index() + 1] += 1);
        for k in 1..start.len() {
            start[k] += start[k - 1];
        }
        let mut fill = start.clone();
        let mut picks = vec![(0, Value::new(0)); picked().count()];
        for (of, index, value) in picked() {
            picks[fill[of.index()] as usize] = (index, value);
            fill[of.index()] += 1;
        }
        Picks { picks, start }
    }

    /// The results of a tuple that are picked: which result, by which value.
    pub fn from_tuple(&self, tuple: Value) -> &[(u32, Value)] {
        let start = self.start[tuple.index()] as usize;
        &self.picks[start..self.start[tuple.index() + 1] as usize]
    }
}
