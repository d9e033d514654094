//! Unknowns that an iteration finds: which are needed, and what depends on them.
//!
//! A solve becomes a region in front of whatever uses its unknowns. Inside the region an unknown is
//! a state, behind it a result; what does not depend on the unknowns is computed once, outside.

use super::items::{Item, ItemId, Items};
use crate::program::RegionRole;
use rotule_symbolic::{Expr, Graph, Node, SymbolId, for_each_operand};
use rustc_hash::{FxHashMap, FxHashSet};

/// Unknowns that are found by iteration: `unknowns := start`, then repeatedly `unknowns := next`,
/// until every residual is small.
#[derive(Clone, Debug, Default)]
pub struct Solve {
    /// The region's name, for people.
    pub name: String,
    /// The role of the unknowns.
    pub role: RegionRole,
    /// The unknowns: symbols of the graph, not of the kind of parameters.
    pub unknowns: Vec<Expr>,
    /// Where the iteration starts: expressions without the unknowns.
    pub start: Vec<Expr>,
    /// The next value of each unknown.
    pub next: Vec<Expr>,
    /// Residuals, which must become small.
    pub residuals: Vec<Expr>,
    /// The tolerance of the residuals.
    pub tolerance: f64,
    /// Number of updates at most.
    pub limit: u32,
}

impl Solve {
    /// The results of each iteration: the next values, then the residuals.
    pub fn iterated(&self) -> impl Iterator<Item = Expr> + '_ {
        self.next.iter().chain(&self.residuals).copied()
    }

    /// The same, to be replaced.
    pub fn iterated_mut(&mut self) -> impl Iterator<Item = &mut Expr> {
        self.next.iter_mut().chain(&mut self.residuals)
    }

    /// Everything that the region computes.
    fn expressions(&self) -> impl Iterator<Item = Expr> + '_ {
        self.start.iter().copied().chain(self.iterated())
    }
}

/// The solves that some roots need, and what they compute.
pub(super) struct Needed<'a> {
    /// The solves, in their order.
    pub(super) solves: Vec<&'a Solve>,
    /// The solve that finds a symbol.
    owner: FxHashMap<SymbolId, u32>,
}

impl<'a> Needed<'a> {
    /// Walks from the roots, and from what each solve that is met computes.
    pub(super) fn of(graph: &Graph, roots: &[Expr], solves: &'a [Solve]) -> Needed<'a> {
        if solves.is_empty() {
            return Needed { solves: Vec::new(), owner: FxHashMap::default() };
        }
        let mut owner: FxHashMap<SymbolId, usize> = FxHashMap::default();
        for (index, solve) in solves.iter().enumerate() {
            let symbols = solve.unknowns.iter().filter_map(|&unknown| graph.symbol_of(unknown));
            owner.extend(symbols.map(|symbol| (symbol, index)));
        }
        let mut met = vec![false; solves.len()];
        let mut seen: FxHashSet<Expr> = FxHashSet::default();
        let mut stack: Vec<Expr> = roots.to_vec();
        while let Some(expr) = stack.pop() {
            if !seen.insert(expr.abs()) {
                continue;
            }
            match graph.node(expr) {
                Node::Variable(id) => stack.push(graph.definition(id)),
                Node::Symbol(id) => {
                    if let Some(&index) = owner.get(&id)
                        && !std::mem::replace(&mut met[index], true)
                    {
                        stack.extend(solves[index].expressions());
                    }
                }
                node => for_each_operand(node, |operand| stack.push(operand)),
            }
        }
        let mut kept = Vec::new();
        let mut place = vec![None; solves.len()];
        for (index, solve) in solves.iter().enumerate().filter(|(index, _)| met[*index]) {
            place[index] = Some(kept.len() as u32);
            kept.push(solve);
        }
        let owner = owner.into_iter().filter_map(|(symbol, index)| Some((symbol, place[index]?)));
        Needed { solves: kept, owner: owner.collect() }
    }

    /// All expressions that they compute.
    pub(super) fn expressions(&self) -> impl Iterator<Item = Expr> + '_ {
        self.solves.iter().flat_map(|solve| solve.expressions())
    }

    /// Returns `true` if a solve finds a symbol.
    pub(super) fn finds(&self, symbol: SymbolId) -> bool {
        self.owner.contains_key(&symbol)
    }

    /// For each item the last solve that it depends on, counted from one; zero for none. A solve
    /// uses results of earlier ones only, so within a region this tells what moves with its states.
    pub(super) fn latest(&self, items: &Items) -> Vec<u32> {
        if self.solves.is_empty() {
            return Vec::new();
        }
        let mut latest: Vec<Option<u32>> = vec![None; items.len()];
        for root in 0..items.len() {
            let mut stack = vec![root as ItemId];
            while let Some(&item) = stack.last() {
                if latest[item as usize].is_some() {
                    stack.pop();
                    continue;
                }
                let (before, mut last) = (stack.len(), 0);
                if let Item::Input(symbol) = &items.items[item as usize] {
                    last = self.owner.get(symbol).map_or(0, |solve| solve + 1);
                }
                items.items[item as usize].for_each_operand(|edge| {
                    match latest[edge.item as usize] {
                        Some(own) => last = last.max(own),
                        None => stack.push(edge.item),
                    }
                });
                if stack.len() == before {
                    latest[item as usize] = Some(last);
                    stack.pop();
                }
            }
        }
        latest.into_iter().map(Option::unwrap_or_default).collect()
    }

    /// Gathers what stands still in the sums and products of regions, before pairs are shared: a
    /// pair of something that moves and something that does not would be computed in every
    /// iteration.
    pub(super) fn gather(&self, items: &mut Items) {
        let latest = self.latest(items);
        let mut seen = vec![false; items.len()];
        for (index, solve) in self.solves.iter().enumerate() {
            let number = index as u32 + 1;
            let moves = |item: ItemId| latest[item as usize] == number;
            let roots = solve.next.iter().chain(&solve.residuals);
            let mut stack: Vec<ItemId> = roots.map(|&root| items.edge(root).item).collect();
            while let Some(item) = stack.pop() {
                if !moves(item) || std::mem::replace(&mut seen[item as usize], true) {
                    continue;
                }
                items.items[item as usize].for_each_operand(|edge| stack.push(edge.item));
                items.part(item, moves);
            }
        }
    }
}
