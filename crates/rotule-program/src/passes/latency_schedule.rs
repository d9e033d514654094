//! Overlap: an order of `body` in which neighbours wait less for each other.
//!
//! [`schedule`](super::schedule()) wants few temporaries, which makes chains: each operation reads
//! what the one before it has just written. A processor that can begin several operations in every
//! cycle waits for most of them. Where all numbers are vectors, as in batches of states, most
//! values are in memory anyway and waiting is what is left to save. So statements are taken, one
//! after the other, by what the processor would do: those whose operands are known and that set
//! more values free than they make, those first that most others wait for.
//!
//! This is no part of [`optimise`](super::optimise). Every value stays the same.

use super::inline::{Bounds, inline};
use crate::index::Value;
use crate::operation::Operation;
use crate::program::{Block, Program};
use std::collections::BTreeSet;

/// Cycles until the result of an operation is known, for at most [`DEEP`] operations in an
/// expression.
const LATENCY: u32 = 4;

/// Operations of an expression that wait for each other: the others go side by side.
const DEEP: u32 = 3;

/// Operations that begin in a cycle.
const WIDE: u32 = 2;

/// Number of live values above which each further one has a cost.
const LIVE: i64 = 12;

/// Statements that are looked at for each place, so that time stays linear.
const WINDOW: usize = 128;

/// Weights of a cycle of waiting, a value more in memory, a cycle of the critical path, the old
/// order.
const WEIGHTS: [i64; 4] = [50, 400, 4, 50];

/// Puts the statements of `body` into such an order.
pub fn latency_schedule(program: &mut Program) {
    let body = program.block(Block::Body).to_vec();
    let inlined = inline(program, Bounds::default());
    let mut order = Vec::with_capacity(body.len());
    let mut scratch = vec![NONE; program.len()];
    // Sines stay side by side, and regions and calls where they are.
    for part in body.chunk_by(|&a, &b| is_plain(program, a) == is_plain(program, b)) {
        if is_plain(program, part[0]) {
            Part::of(program, part, &inlined, &mut scratch).order(part, &mut order);
        } else {
            order.extend_from_slice(part);
        }
    }
    *program.block_mut(Block::Body) = order;
}

const NONE: u32 = u32::MAX;

/// Returns `true` if an operation may change its place.
fn is_plain(program: &Program, value: Value) -> bool {
    let operation = program.operation(value);
    let pick = matches!(operation, Operation::Result { .. });
    super::angle(operation).is_none() && !operation.is_tuple() && !pick
}

/// Statements between two that stay where they are, in groups that are written as one expression.
struct Part {
    /// The group of each statement.
    group: Vec<u32>,
    /// By group: operations, the groups that it reads, and by which it is read.
    sizes: Vec<u32>,
    reads: Vec<Vec<u32>>,
    readers: Vec<Vec<u32>>,
    /// Cycles from the beginning of a group to the end of all that wait for it.
    heights: Vec<u32>,
}

impl Part {
    /// `scratch` has [`NONE`] for all values, before and after.
    fn of(program: &Program, part: &[Value], inlined: &[bool], scratch: &mut [u32]) -> Part {
        for (at, value) in part.iter().enumerate() {
            scratch[value.index()] = at as u32;
        }
        // What is written inside of its reader belongs to it, and readers come later.
        let mut root: Vec<u32> = (0..part.len() as u32).collect();
        for at in (0..part.len()).rev() {
            program.operands(program.operation(part[at]), |read| {
                let from = scratch[read.index()];
                if from != NONE && inlined[read.index()] {
                    root[from as usize] = root[at];
                }
            });
        }
        let mut number = vec![NONE; part.len()];
        let mut count = 0;
        for (at, &root) in root.iter().enumerate() {
            if root as usize == at {
                number[at] = count;
                count += 1;
            }
        }
        let group: Vec<u32> = root.iter().map(|&root| number[root as usize]).collect();
        let mut sizes = vec![0; count as usize];
        let mut reads = vec![Vec::new(); count as usize];
        for (&value, &own) in part.iter().zip(&group) {
            sizes[own as usize] += 1;
            program.operands(program.operation(value), |read| {
                let from = scratch[read.index()];
                if from != NONE && group[from as usize] != own {
                    reads[own as usize].push(group[from as usize]);
                }
            });
        }
        part.iter().for_each(|value| scratch[value.index()] = NONE);
        let mut readers = vec![Vec::new(); count as usize];
        for (own, list) in reads.iter_mut().enumerate() {
            list.sort_unstable();
            list.dedup();
            list.iter().for_each(|&read| readers[read as usize].push(own as u32));
        }
        let mut heights = vec![0; count as usize];
        for own in (0..count as usize).rev() {
            let list: &Vec<u32> = &readers[own];
            let above = list.iter().map(|&reader| heights[reader as usize]).max().unwrap_or(0);
            heights[own] = latency(sizes[own]) + above;
        }
        Part { group, sizes, reads, readers, heights }
    }

    /// Adds the statements to `order`.
    fn order(&self, part: &[Value], order: &mut Vec<Value>) {
        let mut members = vec![Vec::new(); self.sizes.len()];
        for (&value, &group) in part.iter().zip(&self.group) {
            members[group as usize].push(value);
        }
        for group in self.choose() {
            order.append(&mut members[group as usize]);
        }
    }

    /// The groups in their new order.
    fn choose(&self) -> Vec<u32> {
        let count = self.sizes.len();
        let mut missing: Vec<usize> = self.reads.iter().map(Vec::len).collect();
        let mut unread: Vec<usize> = self.readers.iter().map(Vec::len).collect();
        let mut ready: BTreeSet<u32> =
            (0..count as u32).filter(|&group| missing[group as usize] == 0).collect();
        // When the result of each is known, and when all that it reads is.
        let mut known = vec![0_u64; count];
        let (mut clock, mut live) = (0_u64, 0_i64);
        let mut chosen = Vec::with_capacity(count);
        let [wait, more, way, old] = WEIGHTS;
        loop {
            let change = |group: usize| {
                let freed = self.reads[group].iter().filter(|&&read| unread[read as usize] == 1);
                i64::from(!self.readers[group].is_empty()) - freed.count() as i64
            };
            let cost = |&group: &u32| {
                let at = group as usize;
                let stall = known[at].saturating_sub(clock / u64::from(WIDE)) as i64;
                let beyond = (live + change(at) - LIVE).max(0);
                let early = old * i64::from(group) / count as i64;
                wait * stall + more * beyond - way * i64::from(self.heights[at]) + early
            };
            let Some(best) = ready.iter().take(WINDOW).copied().min_by_key(cost) else { break };
            let at = best as usize;
            ready.remove(&best);
            chosen.push(best);
            live += change(at);
            clock += u64::from(self.sizes[at]);
            let there = known[at].max(clock / u64::from(WIDE)) + u64::from(latency(self.sizes[at]));
            self.reads[at].iter().for_each(|&read| unread[read as usize] -= 1);
            for &reader in &self.readers[at] {
                let reader_at = reader as usize;
                known[reader_at] = known[reader_at].max(there);
                missing[reader_at] -= 1;
                if missing[reader_at] == 0 {
                    ready.insert(reader);
                }
            }
        }
        chosen
    }
}

fn latency(operations: u32) -> u32 {
    LATENCY * operations.min(DEEP)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoExternals, parse, print, run_once, verify};

    /// Two chains, one behind the other; both wait for the same sine.
    const TEXT: &str = "program p
        input a coordinate
        input b coordinate
        body
          %1 = sin a
          %2 = mul %1 b
          %3 = mul %2 %2
          %4 = mul %3 %3
          %5 = mul %4 %4
          %6 = add %1 b
          %7 = mul %6 %6
          %8 = mul %7 %7
          %9 = mul %8 %8
        output y(2)
          (0) = %5
          (1) = %9";

    #[test]
    fn chains_go_side_by_side_and_keep_their_values() {
        let before = parse(TEXT).unwrap_or_else(|problem| panic!("{problem:?}"));
        let mut after = before.clone();
        latency_schedule(&mut after);
        assert!(verify(&after).is_ok(), "{}", print(&after));
        let (old, new) = (before.block(Block::Body), after.block(Block::Body));
        assert_eq!(old.len(), new.len());
        // Of two neighbours none reads the other, but for the last.
        let reads = |pair: &[Value]| {
            let mut found = false;
            after.operands(after.operation(pair[1]), |read| found |= read == pair[0]);
            found
        };
        assert!(!new[1..].windows(2).any(reads), "{}", print(&after));
        for inputs in [[0.3, 1.1], [-2.0, 0.9]] {
            let numbers = |program| run_once(program, &inputs, &mut NoExternals).expect("runs");
            assert_eq!(numbers(&before), numbers(&after));
        }
    }
}
