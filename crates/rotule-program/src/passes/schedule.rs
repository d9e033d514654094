//! Scheduling: each block is put in the order in which its results are needed, operands just before
//! their consumer and the operand that needs most temporaries first. A block keeps its order unless
//! the new one needs fewer temporaries at its fullest place, or as many for a shorter time.
//!
//! Blocks are done from the inside out: regions first, since to the block around a region is one
//! statement; `setup` last, since what it must give depends on `body`.

use super::PassReport;
use crate::index::Value;
use crate::program::{Block, Program};
use crate::walk::{Step, steps};

/// Reorders the statements of each block.
pub fn schedule(program: &mut Program) -> PassReport {
    PassReport::of("schedule", program, |program| {
        // A region begins before those inside it, so backwards is from the inside out.
        let mut blocks: Vec<Block> = Vec::new();
        for block in Block::STAGES {
            blocks.push(block);
            blocks.extend(steps(program, block).filter_map(|step| match step {
                Step::Enter(_, region) => Some(Block::Region(region)),
                _ => None,
            }));
        }
        let mut moved = 0;
        let mut scratch = vec![u32::MAX; program.len()];
        for &block in blocks.iter().rev() {
            let graph = Graph::of(program, block, &mut scratch);
            let order = graph.depth_first();
            let natural: Vec<u32> = (0..graph.len() as u32).collect();
            if graph.pressure(&order) < graph.pressure(&natural) {
                moved += order.iter().zip(&natural).filter(|(a, b)| a != b).count();
                let list = program.block(block);
                let list = order.iter().map(|&k| list[k as usize]).collect();
                *program.block_mut(block) = list;
            }
        }
        if moved > 0 {
            super::compact(program);
        }
        moved
    })
}

/// The statements of one block, numbered as listed, and what each reads of the others.
struct Graph {
    reads: Vec<u32>,
    /// The reads of statement `k` are `reads[start[k]..start[k + 1]]`.
    start: Vec<u32>,
    /// Results of the block, in the order in which they are needed.
    roots: Vec<u32>,
    /// The lifetime of a statement: until its last reader, until the block ends, or none because it
    /// is no temporary.
    kept: Vec<Kept>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kept {
    UntilLastRead,
    UntilEnd,
    Elsewhere,
}

impl Graph {
    /// `scratch` is all `u32::MAX` before and after.
    fn of(program: &Program, block: Block, scratch: &mut [u32]) -> Graph {
        let list = program.block(block);
        for (k, value) in list.iter().enumerate() {
            scratch[value.index()] = k as u32;
        }
        let mut graph = Graph {
            reads: Vec::with_capacity(2 * list.len()),
            start: Vec::with_capacity(list.len() + 1),
            roots: Vec::new(),
            kept: vec![Kept::UntilLastRead; list.len()],
        };
        let number = |value: Value| Some(scratch[value.index()]).filter(|&k| k != u32::MAX);
        graph.collect_reads(program, block, number);
        graph.collect_roots(program, block, number);
        for value in list {
            scratch[value.index()] = u32::MAX;
        }
        graph
    }

    fn len(&self) -> usize {
        self.kept.len()
    }

    fn reads(&self, k: u32) -> &[u32] {
        &self.reads[self.start[k as usize] as usize..self.start[k as usize + 1] as usize]
    }

    /// A region reads for all that lies inside it.
    fn collect_reads(
        &mut self,
        program: &Program,
        block: Block,
        number: impl Fn(Value) -> Option<u32>,
    ) {
        let mut depth = 0;
        self.start.push(0);
        for step in steps(program, block) {
            let mut read = |value: Value| {
                if let Some(k) = number(value) {
                    self.reads.push(k);
                }
            };
            match step {
                Step::Statement(value) => program.operands(program.operation(value), read),
                Step::Enter(value, _) => {
                    depth += 1;
                    program.operands(program.operation(value), read);
                }
                Step::Leave(_, region) => {
                    depth -= 1;
                    let region = program.get_region(region);
                    region.ends().for_each(|&value| read(value));
                }
            }
            if depth == 0 {
                self.start.push(self.reads.len() as u32);
            }
        }
    }

    fn collect_roots(
        &mut self,
        program: &Program,
        block: Block,
        number: impl Fn(Value) -> Option<u32>,
    ) {
        let mut want = |value: Value, kept: Kept| {
            if let Some(k) = number(value) {
                self.roots.push(k);
                self.kept[k as usize] = kept;
            }
        };
        match block {
            Block::Region(region) => {
                let region = program.get_region(region);
                for &value in region.residuals.iter().chain(&region.next).chain(&region.exports) {
                    want(value, Kept::UntilEnd);
                }
                return;
            }
            // What later stages read of earlier ones is kept in a place of its own.
            Block::Setup | Block::Shared => {
                let later = Block::STAGES.into_iter().skip_while(|&stage| stage != block).skip(1);
                for step in later.flat_map(|stage| steps(program, stage)) {
                    let mut want = |value| want(value, Kept::Elsewhere);
                    match step {
                        Step::Statement(value) | Step::Enter(value, _) => {
                            program.operands(program.operation(value), want);
                        }
                        Step::Leave(_, region) => {
                            let region = program.get_region(region);
                            let read = region.ends();
                            read.for_each(|&value| want(value));
                        }
                    }
                }
            }
            Block::Body => {}
        }
        // An output is stored when its value is known and does not keep it alive.
        let kept = if block == Block::Body { Kept::UntilLastRead } else { Kept::Elsewhere };
        for entry in program.outputs.iter().flat_map(|output| &output.entries) {
            want(entry.value, kept);
        }
    }

    /// Number of temporaries that each statement takes if nothing is shared (Sethi and Ullman's
    /// number).
    fn needs(&self) -> Vec<u32> {
        let mut needs = vec![1; self.len()];
        let mut of_reads = Vec::new();
        for k in 0..self.len() {
            of_reads.clear();
            of_reads.extend(self.reads(k as u32).iter().map(|&read| needs[read as usize]));
            of_reads.sort_unstable_by(|a, b| b.cmp(a));
            let need = of_reads.iter().enumerate().map(|(held, &need)| need + held as u32).max();
            needs[k] = need.unwrap_or(1);
        }
        needs
    }

    /// Each root with what it reads before it, then what no root reads, in the old order.
    fn depth_first(&self) -> Vec<u32> {
        let needs = self.needs();
        let mut order = Vec::with_capacity(self.len());
        let mut seen = vec![false; self.len()];
        // Either a statement whose reads have been pushed above it, or one still to be opened.
        let mut stack: Vec<(u32, bool)> = Vec::new();
        for root in self.roots.iter().copied().chain(0..self.len() as u32) {
            stack.push((root, false));
            while let Some((k, opened)) = stack.pop() {
                if opened {
                    order.push(k);
                    continue;
                }
                if std::mem::replace(&mut seen[k as usize], true) {
                    continue;
                }
                stack.push((k, true));
                let first = stack.len();
                for &read in self.reads(k).iter().rev().filter(|&&read| !seen[read as usize]) {
                    stack.push((read, false));
                }
                // The stack gives the last first: the greatest need on top, ties in reading order.
                if stack.len() > first + 1 {
                    stack[first..].sort_by_key(|&(read, _)| needs[read as usize]);
                }
            }
        }
        order
    }

    /// The most temporaries that live at once in this order, and for how long they live in sum.
    fn pressure(&self, order: &[u32]) -> (u32, u64) {
        let mut position = vec![0_u32; self.len()];
        for (at, &k) in order.iter().enumerate() {
            position[k as usize] = at as u32;
        }
        let mut last = position.clone();
        for k in 0..self.len() as u32 {
            for &read in self.reads(k) {
                let last = &mut last[read as usize];
                *last = (*last).max(position[k as usize]);
            }
        }
        let mut ends = vec![0_u32; self.len()];
        let mut length = 0;
        for k in 0..self.len() {
            match self.kept[k] {
                Kept::UntilLastRead => ends[last[k] as usize] += 1,
                Kept::UntilEnd => last[k] = self.len() as u32,
                Kept::Elsewhere => continue,
            }
            length += u64::from(last[k] - position[k]);
        }
        let (mut live, mut most) = (0, 0);
        for (at, &k) in order.iter().enumerate() {
            let counts = u32::from(self.kept[k as usize] != Kept::Elsewhere);
            // A statement may take the place of what it reads last, so those end first; one that
            // nobody reads ends where it begins.
            let own = u32::from(counts == 1 && last[k as usize] == at as u32);
            live -= ends[at] - own;
            live += counts;
            most = most.max(live);
            live -= own;
        }
        (most, length)
    }
}
