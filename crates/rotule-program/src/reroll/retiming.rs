//! Retiming: moves positions to neighbouring copies, such that recursions run one way.
//!
//! Extension may reach a value of one link from the link beside it. Every cycle of a recursion goes
//! on by as many copies as before, but some of its steps then go forward and others back, and no
//! order of copies would do. Within each set of positions that need each other, numbers are added
//! to copies such that all steps go the same way: shortest paths give them. Then each set as a
//! whole is moved to where most of what it touches is of the same copy.

use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A position reads another one, so many copies further.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub reader: usize,
    pub read: usize,
    pub ahead: i64,
}

/// Nothing is moved further.
const FAR: i64 = 6;

/// By how much the copy of each position is to be raised. Positions that are `fixed` stay where
/// they are.
pub(super) fn retimings(positions: usize, edges: &[Edge], fixed: &[bool]) -> Vec<i64> {
    let set = sets(positions, edges);
    let mut retiming = vec![0_i64; positions];
    let mut inside: BTreeMap<usize, Vec<Edge>> = BTreeMap::new();
    for edge in edges.iter().filter(|edge| set[edge.reader] == set[edge.read]) {
        inside.entry(set[edge.reader]).or_default().push(*edge);
    }
    for (number, edges) in &inside {
        let members: Vec<usize> = (0..positions).filter(|&at| set[at] == *number).collect();
        one_way(&members, edges, &mut retiming);
    }
    move_sets(positions, edges, fixed, &set, &mut retiming);
    if retiming.iter().any(|one| one.abs() > FAR) { vec![0; positions] } else { retiming }
}

/// Lets all steps of a set go up, or all down, whichever moves less.
fn one_way(members: &[usize], edges: &[Edge], retiming: &mut [i64]) {
    let mut best: Option<(i64, FxHashMap<usize, i64>)> = None;
    for sign in [-1, 1] {
        // `ahead + retiming(read) - retiming(reader)` has this sign or is zero.
        let mut found: FxHashMap<usize, i64> = members.iter().map(|&at| (at, 0)).collect();
        let mut settled = false;
        for _ in 0..=members.len() {
            settled = true;
            for edge in edges {
                let most = sign * edge.ahead + found[&edge.read];
                let own = found.get_mut(&edge.reader).expect("edges are inside of the set");
                if *own > most {
                    *own = most;
                    settled = false;
                }
            }
            if settled {
                break;
            }
        }
        if !settled {
            continue;
        }
        found.values_mut().for_each(|one| *one *= sign);
        let usual = mode(found.values().copied());
        found.values_mut().for_each(|one| *one -= usual);
        let moved = found.values().map(|one| one.abs()).sum();
        if best.as_ref().is_none_or(|(least, _)| moved < *least) {
            best = Some((moved, found));
        }
    }
    for (at, by) in best.into_iter().flat_map(|(_, found)| found) {
        retiming[at] = by;
    }
}

/// The most frequent number; between equals the least in size.
fn mode(numbers: impl Iterator<Item = i64>) -> i64 {
    let mut votes: BTreeMap<i64, usize> = BTreeMap::new();
    numbers.for_each(|number| *votes.entry(number).or_insert(0) += 1);
    let best = votes.into_iter().max_by_key(|&(number, count)| (count, -number.abs(), number));
    best.map_or(0, |(number, _)| number)
}

/// Moves each set, in the order of their first positions, to the copy of most that it touches.
fn move_sets(
    positions: usize,
    edges: &[Edge],
    fixed: &[bool],
    set: &[usize],
    retiming: &mut [i64],
) {
    let mut members: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    (0..positions).for_each(|at| members.entry(set[at]).or_default().push(at));
    let mut touching: Vec<Vec<Edge>> = vec![Vec::new(); positions];
    for edge in edges.iter().filter(|edge| set[edge.reader] != set[edge.read]) {
        touching[edge.reader].push(*edge);
        touching[edge.read].push(*edge);
    }
    let mut done = fixed.to_vec();
    let mut order: Vec<&Vec<usize>> = members.values().collect();
    order.sort_by_key(|list| list[0]);
    for list in order.into_iter().filter(|list| !list.iter().any(|&at| fixed[at])) {
        let mut retimings: Vec<i64> = Vec::new();
        for &at in list {
            for edge in &touching[at] {
                // What would make the step zero.
                if edge.reader == at && done[edge.read] {
                    retimings.push(edge.ahead + retiming[edge.read] - retiming[at]);
                } else if edge.read == at && done[edge.reader] {
                    retimings.push(retiming[edge.reader] - edge.ahead - retiming[at]);
                }
            }
        }
        let by = mode(retimings.into_iter());
        for &at in list {
            retiming[at] += by;
            done[at] = true;
        }
    }
}

/// Numbers of sets: positions that need each other have the same.
fn sets(positions: usize, edges: &[Edge]) -> Vec<usize> {
    let (mut reads, mut readers) = (vec![Vec::new(); positions], vec![Vec::new(); positions]);
    for edge in edges {
        reads[edge.reader].push(edge.read);
        readers[edge.read].push(edge.reader);
    }
    // Two searches in depth: the second, backwards and in the opposite order, stays within a set.
    let mut order = Vec::with_capacity(positions);
    let mut seen = vec![false; positions];
    let mut stack: Vec<(usize, usize)> = Vec::new();
    for root in 0..positions {
        if !std::mem::replace(&mut seen[root], true) {
            stack.push((root, 0));
        }
        while let Some((at, next)) = stack.pop() {
            match reads[at].get(next) {
                Some(&other) => {
                    stack.push((at, next + 1));
                    if !std::mem::replace(&mut seen[other], true) {
                        stack.push((other, 0));
                    }
                }
                None => order.push(at),
            }
        }
    }
    let mut set = vec![usize::MAX; positions];
    for &root in order.iter().rev() {
        if set[root] != usize::MAX {
            continue;
        }
        let mut open = vec![root];
        while let Some(at) = open.pop() {
            if set[at] == usize::MAX {
                set[at] = root;
                open.extend(&readers[at]);
            }
        }
    }
    set
}
