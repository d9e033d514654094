//! The order of a recursion as one reads it: outward body by body, then inward, whatever order the
//! graph has.
//!
//! Rows come with what they use. Among the rows whose definitions are all written, the next is the
//! one that comes first by pass and body, so that a recursion stands in its own order and nothing
//! is used before it is defined.

use rotule_formalism::glossary::{LETTERS, Pass, changed, letter};
use rotule_formalism::{MultibodySystem, NodeId};
use rotule_symbolic::LatexRow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

/// Where a row belongs: the pass, and the node of the tree.
pub(super) type Place = (Option<Pass>, NodeId);

/// Rows that belong together.
pub(super) struct Group {
    pub(super) place: Place,
    /// Positions of the rows.
    pub(super) rows: Vec<usize>,
}

/// The body in a name: `link2` of `w[link2].x` and of `FM[link2,3].x`.
fn body(name: &str) -> Option<&str> {
    let (_, rest) = name.split_once('[')?;
    rest.split([']', ',']).next()
}

/// The position in the glossary of a variable's letter, or of what it is a derivative of.
fn index(name: &str) -> Option<usize> {
    let found = letter(name).or_else(|| changed(name))?;
    LETTERS.iter().position(|row| row.letter == found.letter)
}

/// The rows in groups; the last `outputs` are results.
pub(super) fn groups(tree: &MultibodySystem, rows: &[LatexRow], outputs: usize) -> Vec<Group> {
    let nodes: HashMap<&str, NodeId> =
        tree.tree.nodes.pairs().map(|(at, node)| (node.name.as_str(), at)).collect();
    let last = NodeId::new(tree.tree.nodes.len());
    // Results stand at the end; a row that was made for its users stands with the first of them.
    let end: Place = (None, last);
    let results = rows.len() - outputs.min(rows.len());
    // Places, and the position of the letter in the glossary, so that a body's variables stand in
    // its order.
    let mut places: Vec<Option<(Place, usize)>> = rows
        .iter()
        .enumerate()
        .map(|(at, row)| match index(&row.name) {
            Some(index) if !row.part && at < results => {
                let node = body(&row.name)
                    .and_then(|body| nodes.get(body))
                    .copied()
                    .unwrap_or(NodeId::GROUND);
                Some(((Some(LETTERS[index].pass), node), index))
            }
            _ if at >= results => Some((end, 0)),
            _ => None,
        })
        .collect();
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); rows.len()];
    for (at, row) in rows.iter().enumerate().rev() {
        let known = users[at].iter().filter_map(|&user| places[user]);
        let first = known.min_by_key(|&(place, letter)| (key(place, last), letter));
        let own = places[at].or(first).unwrap_or((end, 0));
        places[at] = Some(own);
        for &used in &row.uses {
            users[used].push(at);
        }
    }
    let place = |at: usize| places[at].map_or(end, |(place, _)| place);
    let rank = |at: usize| places[at].map_or(0, |(_, letter)| letter);
    let mut missing: Vec<usize> = rows.iter().map(|row| row.uses.len()).collect();
    // Parts before what uses them, components in their order.
    let entry = |at: usize| {
        let name = if rows[at].part || at >= results { "" } else { rows[at].name.as_str() };
        Reverse((key(place(at), last), rank(at), name, at))
    };
    let mut ready: BinaryHeap<_> =
        (0..rows.len()).filter(|&at| missing[at] == 0).map(entry).collect();
    let mut groups: Vec<Group> = Vec::new();
    while let Some(Reverse((.., at))) = ready.pop() {
        match groups.last_mut() {
            Some(group) if group.place == place(at) => group.rows.push(at),
            _ => groups.push(Group { place: place(at), rows: vec![at] }),
        }
        for &user in &users[at] {
            missing[user] -= 1;
            if missing[user] == 0 {
                ready.push(entry(user));
            }
        }
    }
    groups
}

/// The order of places: by pass, results last, bodies outward or inward.
fn key((pass, node): Place, last: NodeId) -> (u8, usize) {
    let (node, last) = (node.index(), last.index());
    match pass {
        Some(Pass::Constants) => (0, node),
        Some(Pass::Outward) => (1, node),
        Some(Pass::Forces) => (2, node),
        Some(Pass::Inward) => (3, last - node.min(last)),
        Some(Pass::Solution) => (4, node),
        None => (5, node),
    }
}
