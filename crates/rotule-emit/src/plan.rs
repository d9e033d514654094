//! Where a program is cut into functions of bounded size, and which values cross the cuts.
//!
//! Compilers take more than linear time for one long function, so that a block is cut into chunks
//! of about [`CHUNK`] operations. A cut is made where the fewest values are alive, which is where
//! the program goes on to another body or block. Temporaries are locals of a chunk; only what
//! crosses a cut goes through an array, whose elements are used again when their value has been
//! read for the last time. A region that is small stays in its chunk. One that is large becomes a
//! loop of its own, whose block is cut in turn.

use crate::groups::CopyForm;
use crate::loops::{RolledLoops, sources};
use rotule_program::passes::{Slots, slots};
use rotule_program::reroll::RunItem;
use rotule_program::slp::{IsomorphicSubgraphs, OperandSource};
use rotule_program::{
    Block, Operation, OperationTally, OutputId, Picks, Program, RegionId, Step, Value, steps,
};
use rustc_hash::FxHashMap;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// About how many operations a function has.
pub const CHUNK: u64 = 1000;

/// The division of a program into functions.
#[derive(Clone, Debug)]
pub struct FunctionPlan {
    /// The stage that runs at a change of parameters.
    pub setup: Stage,
    /// The stage that runs at each evaluation.
    pub body: Stage,
    /// Results of `setup` and parameters that `body` and the outputs read, in order.
    pub constants: Vec<Value>,
    /// The position of a value in `constants`.
    pub constant: FxHashMap<Value, usize>,
    /// The element that a value has in the work array of its stage, if it crosses a cut.
    pub place: Vec<Option<u32>>,
    /// Values that pick from each tuple of results.
    pub picks: Picks,
    /// The parts of `body` that are done for several copies at once.
    pub isomorphic: Option<IsomorphicSubgraphs>,
    /// The parts of `body` that are done copy by copy.
    pub loops: Option<RolledLoops>,
    /// Where the numbers of copies begin in the work array.
    pub areas: usize,
    /// The places of temporaries, if they share them.
    pub slots: Option<Slots>,
}

/// One of the two stages.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Units to run, in order.
    pub units: Vec<StageUnit>,
    /// The size of its work array; zero if nothing crosses a cut.
    pub work: usize,
    /// Number of chunks.
    pub chunks: usize,
}

/// A part of a stage.
#[derive(Clone, Debug)]
pub enum StageUnit {
    /// Statements that make one function.
    Chunk(Chunk),
    /// A large region: its block is made of several chunks.
    Loop {
        /// The region's tuple of results.
        value: Value,
        /// The region.
        region: RegionId,
        /// Its block.
        units: Vec<StageUnit>,
    },
}

/// Statements that make one function.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// Its number in the stage, from zero.
    pub number: usize,
    /// The statements; regions among them stay inside.
    pub values: Vec<Value>,
    /// Values that it reads of other chunks.
    pub loads: Vec<Value>,
    /// Values that other chunks read of it.
    pub stores: Vec<Value>,
    /// The results of the stage that it writes.
    pub results: Vec<(Value, StageResult)>,
    /// The pack set of [`FunctionPlan::isomorphic`] that it is, if it is one; then `values` are
    /// those of its packs.
    pub pack_set: Option<usize>,
    /// The item of [`FunctionPlan::loops`] that it is, if it is a run of copies; then `values` are
    /// those of its phases.
    pub run: Option<usize>,
    /// Values that it stores and that exist from the start, with their places among the numbers of
    /// copies.
    pub moves: Vec<(Value, u32)>,
}

/// A result of a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageResult {
    /// Of `setup`: an element of the constants.
    Constant(usize),
    /// Of `body`: an entry of an output.
    Entry(OutputId, usize),
}

/// Cuts a program.
pub fn plan(program: &Program) -> FunctionPlan {
    plan_by(program, CHUNK)
}

/// Cuts a program into chunks of about so many operations.
pub fn plan_by(program: &Program, size: u64) -> FunctionPlan {
    plan_parts(program, size, CopyForm::Straight)
}

/// Cuts a program into chunks of about so many operations; pack sets of isomorphic parts are chunks
/// of their own, and so are runs of copies.
pub fn plan_parts(program: &Program, size: u64, parts: CopyForm) -> FunctionPlan {
    let slots = matches!(parts, CopyForm::Slots).then(|| slots(program));
    let (isomorphic, loops) = match parts {
        CopyForm::Straight | CopyForm::Slots => (None, None),
        CopyForm::Lanes(isomorphic) => (Some(isomorphic), None),
        CopyForm::Loops(rerolled, simd_sincos) => {
            (None, Some(RolledLoops::of(program, rerolled, simd_sincos)))
        }
    };
    let picks = Picks::of(program);
    let (constants, constant) = constants(program);
    let mut place = vec![None; program.len()];
    let mut areas = 0;
    let mut stage = |block: Block| {
        let isomorphic = isomorphic.as_ref().filter(|_| block == Block::Body);
        let loops = loops.as_ref().filter(|_| block == Block::Body);
        let mut cutter = Cutter { program, picks: &picks, size, chunks: 0 };
        let units = match (isomorphic, loops) {
            (Some(isomorphic), _) => cutter.pack_sets(isomorphic),
            (None, Some(loops)) => cutter.runs(loops),
            (None, None) => cutter.units(program.block(block)),
        };
        let mut stage = Stage { units, work: 0, chunks: cutter.chunks };
        let results = results(program, block, &constants);
        let size = size.max(1) as usize;
        let task = Connect { program, picks: &picks, isomorphic, loops, size };
        areas = task.connect(&mut stage, &results, &mut place);
        stage
    };
    let (setup, body) = (stage(Block::Setup), stage(Block::Body));
    FunctionPlan { setup, body, constants, constant, place, picks, isomorphic, loops, areas, slots }
}

/// Number of lanes for a number of copies: vectors have two, four or eight.
pub const fn lanes(copies: usize) -> usize {
    match copies {
        0..=2 => 2,
        3..=4 => 4,
        _ => 8,
    }
}

/// Results of `setup` and parameters that `body` and the outputs read, in the order of first use.
pub fn constants(program: &Program) -> (Vec<Value>, FxHashMap<Value, usize>) {
    let mut early = vec![false; program.len()];
    for (input, at) in program.inputs().iter().zip(0..) {
        if input.kind == rotule_symbolic::Kind::Parameter {
            early[program.input_value(rotule_program::InputId::new(at)).index()] = true;
        }
    }
    for &value in program.block(Block::Setup) {
        early[value.index()] = true;
    }
    let (mut list, mut index) = (Vec::new(), FxHashMap::default());
    let mut note = |value: Value| {
        if early[value.index()] && !index.contains_key(&value) {
            index.insert(value, list.len());
            list.push(value);
        }
    };
    for &value in program.block(Block::Body) {
        reads(program, value, &mut note);
    }
    program.outputs().iter().flat_map(|output| &output.entries).for_each(|e| note(e.value));
    (list, index)
}

/// Calls `visit` with each number that a statement reads, and for a region with all that is read
/// inside.
pub fn reads(program: &Program, value: Value, visit: &mut impl FnMut(Value)) {
    operands(program, value, visit);
    if let Operation::Region(region) = program.operation(value) {
        for step in steps(program, Block::Region(region)) {
            match step {
                Step::Statement(inner) | Step::Enter(inner, _) => operands(program, inner, visit),
                Step::Leave(_, inner) => ends(program, inner, visit),
            }
        }
        ends(program, region, visit);
    }
}

/// Calls `visit` with each number that a program reads, outputs included.
pub fn all_reads(program: &Program, visit: &mut impl FnMut(Value)) {
    for &value in program.stages().flat_map(|(_, stage)| stage) {
        reads(program, value, visit);
    }
    program.outputs().iter().flat_map(|output| &output.entries).for_each(|e| visit(e.value));
}

/// The operands of a statement; a result is known with its tuple, which is no number.
fn operands(program: &Program, value: Value, visit: &mut impl FnMut(Value)) {
    if !matches!(program.operation(value), Operation::Result { .. }) {
        program.operands(program.operation(value), visit);
    }
}

fn ends(program: &Program, region: RegionId, visit: &mut impl FnMut(Value)) {
    let region = program.get_region(region);
    region.ends().for_each(|&value| visit(value));
}

/// Calls `visit` with each value that a statement defines: itself, what picks from it, and all
/// inside of a region.
fn defines(program: &Program, picks: &Picks, value: Value, visit: &mut impl FnMut(Value)) {
    let mut own = |value: Value| match program.operation(value) {
        Operation::Result { .. } => {}
        operation if operation.is_tuple() => {
            picks.from_tuple(value).iter().for_each(|&(_, pick)| visit(pick));
        }
        _ => visit(value),
    };
    own(value);
    if let Operation::Region(region) = program.operation(value) {
        for step in steps(program, Block::Region(region)) {
            if let Step::Statement(inner) | Step::Enter(inner, _) = step {
                own(inner);
            }
        }
        program.get_region(region).states.iter().for_each(|&state| visit(state));
        for step in steps(program, Block::Region(region)) {
            if let Step::Enter(_, inner) = step {
                program.get_region(inner).states.iter().for_each(|&state| visit(state));
            }
        }
    }
}

/// Number of operations that a statement has, with all that is inside of it.
fn weight(program: &Program, value: Value) -> u64 {
    let mut tally = OperationTally::default();
    match program.operation(value) {
        Operation::Region(region) => {
            for step in steps(program, Block::Region(region)) {
                if let Step::Statement(inner) = step {
                    tally.add(program.operation(inner));
                }
            }
        }
        operation => tally.add(operation),
    }
    // A minus is no operation that is counted, but one that is written.
    tally.operations() + tally.neg
}

struct Cutter<'a> {
    program: &'a Program,
    picks: &'a Picks,
    size: u64,
    chunks: usize,
}

impl Cutter<'_> {
    /// The units of a block. Recursion goes as deep as regions are nested, which the verifier
    /// bounds.
    fn units(&mut self, block: &[Value]) -> Vec<StageUnit> {
        let weights: Vec<u64> = block.iter().map(|&value| weight(self.program, value)).collect();
        let (program, size) = (self.program, self.size);
        let large = |at: usize| {
            let region = matches!(program.operation(block[at]), Operation::Region(_));
            region && weights[at] > size
        };
        let alive = self.alive(block);
        let (mut units, mut start) = (Vec::new(), 0);
        while start < block.len() {
            if large(start) {
                let value = block[start];
                if let Operation::Region(region) = program.operation(value) {
                    let inside = self.units(&program.get_region(region).block);
                    units.push(StageUnit::Loop { value, region, units: inside });
                }
                start += 1;
                continue;
            }
            let stop = (start..block.len()).find(|&at| large(at)).unwrap_or(block.len());
            let end = self.cut(&weights[..stop], &alive, start);
            let values = block[start..end].to_vec();
            units.push(StageUnit::Chunk(Chunk { number: self.chunks, values, ..Chunk::default() }));
            self.chunks += 1;
            start = end;
        }
        units
    }

    /// The units of a body with pack sets.
    fn pack_sets(&mut self, isomorphic: &IsomorphicSubgraphs) -> Vec<StageUnit> {
        let mut units = Vec::new();
        for (number, pack_set) in isomorphic.pack_sets.iter().enumerate() {
            units.extend(self.units(&pack_set.before));
            let values = pack_set.packs.iter().flat_map(|pack| pack.values.iter().copied());
            units.push(StageUnit::Chunk(Chunk {
                number: self.chunks,
                values: values.collect(),
                pack_set: Some(number),
                ..Chunk::default()
            }));
            self.chunks += 1;
        }
        units.extend(self.units(&isomorphic.after));
        units
    }

    /// The units of a body with runs of copies.
    fn runs(&mut self, loops: &RolledLoops) -> Vec<StageUnit> {
        let mut units = Vec::new();
        if !loops.moves.is_empty() {
            let moves = loops.moves.clone();
            units.push(StageUnit::Chunk(Chunk { number: self.chunks, moves, ..Chunk::default() }));
            self.chunks += 1;
        }
        let mut statements: Vec<Value> = Vec::new();
        for (at, item) in loops.rerolled.order.iter().enumerate() {
            match item {
                RunItem::Statement(value) => statements.push(*value),
                RunItem::Run { .. } => {
                    units.extend(self.units(&std::mem::take(&mut statements)));
                    let mut values = Vec::new();
                    run_values(loops, at, &mut |_, value| values.push(value));
                    let (number, run) = (self.chunks, Some(at));
                    units.push(StageUnit::Chunk(Chunk { number, values, run, ..Chunk::default() }));
                    self.chunks += 1;
                }
            }
        }
        units.extend(self.units(&statements));
        units
    }

    /// Where a chunk that begins at `start` ends: the narrowest place between three and five
    /// quarters of the size.
    fn cut(&self, weights: &[u64], alive: &[u32], start: usize) -> usize {
        let (least, most) = (self.size * 3 / 4, self.size * 5 / 4);
        let mut best: Option<(u32, usize)> = None;
        let mut sum = 0;
        for at in start..weights.len() {
            sum += weights[at];
            // Between equals the later, so that there are fewer chunks.
            if sum >= least && best.is_none_or(|(width, _)| alive[at] <= width) {
                best = Some((alive[at], at + 1));
            }
            if sum > most
                && let Some((_, end)) = best
            {
                return end;
            }
        }
        weights.len()
    }

    /// Number of values of a block that are alive behind each of its statements.
    fn alive(&self, block: &[Value]) -> Vec<u32> {
        let mut position: FxHashMap<Value, usize> = FxHashMap::default();
        for (at, &value) in block.iter().enumerate() {
            defines(self.program, self.picks, value, &mut |defined| {
                position.insert(defined, at);
            });
        }
        let mut last: Vec<usize> = (0..block.len()).collect();
        // Values that one statement defines count as one.
        for (at, &value) in block.iter().enumerate() {
            reads(self.program, value, &mut |read| {
                if let Some(&from) = position.get(&read) {
                    last[from] = last[from].max(at);
                }
            });
        }
        let mut change = vec![0_i64; block.len() + 1];
        for (from, &to) in last.iter().enumerate() {
            change[from] += 1;
            change[to] -= 1;
        }
        let mut sum = 0_i64;
        let mut alive = Vec::with_capacity(block.len());
        for delta in &change[..block.len()] {
            sum += delta;
            alive.push(u32::try_from(sum).unwrap_or(0));
        }
        alive
    }
}

/// Calls `visit` with all that a run computes, copy by copy, and the number of its phase.
fn run_values(loops: &RolledLoops, item: usize, visit: &mut impl FnMut(usize, Value)) {
    let RunItem::Run { phases, .. } = &loops.rerolled.order[item] else { return };
    for_each_copy(loops, item, &mut |copy| {
        for &phase in phases {
            for pack in &loops.rerolled.phases[phase].packs {
                visit(phase, pack.values[copy]);
            }
        }
    });
}

/// Calls `visit` with all that a run reads of elsewhere.
fn run_reads(loops: &RolledLoops, item: usize, visit: &mut impl FnMut(Value)) {
    let RunItem::Run { phases, .. } = &loops.rerolled.order[item] else { return };
    for_each_copy(loops, item, &mut |copy| {
        for &phase in phases {
            for source in loops.rerolled.phases[phase].packs.iter().flat_map(sources) {
                if let OperandSource::Each(values) = &source.what {
                    visit(values[copy]);
                }
            }
        }
    });
}

fn for_each_copy(loops: &RolledLoops, item: usize, visit: &mut impl FnMut(usize)) {
    if let RunItem::Run { first, count, down, .. } = &loops.rerolled.order[item] {
        (0..*count).map(|at| if *down { first - at } else { first + at }).for_each(visit);
    }
}

/// The results of a stage.
fn results(program: &Program, block: Block, constants: &[Value]) -> Vec<(Value, StageResult)> {
    if block == Block::Setup {
        return constants
            .iter()
            .enumerate()
            .map(|(at, &v)| (v, StageResult::Constant(at)))
            .collect();
    }
    let outputs = program.outputs().iter().enumerate();
    let entries = outputs.flat_map(|(at, output)| {
        let entries = output.entries.iter().enumerate();
        entries.map(move |(number, e)| (e.value, StageResult::Entry(OutputId::new(at), number)))
    });
    entries.collect()
}

/// The unit that defines a value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// It is available from the start.
    Nobody,
    /// The chunk of that number.
    Chunk(usize),
    /// A large region: its states and results.
    Loop,
}

/// The connection of chunks.
struct Connect<'a> {
    program: &'a Program,
    picks: &'a Picks,
    isomorphic: Option<&'a IsomorphicSubgraphs>,
    loops: Option<&'a RolledLoops>,
    size: usize,
}

impl Connect<'_> {
    /// Hands results to chunks, finds what crosses cuts and gives it elements of the work array.
    /// Returns where the numbers of copies begin there.
    fn connect(
        &self,
        stage: &mut Stage,
        results: &[(Value, StageResult)],
        place: &mut [Option<u32>],
    ) -> usize {
        let &Connect { program, picks, isomorphic, loops, size } = self;
        let mut owner = vec![Owner::Nobody; program.len()];
        own(program, picks, &stage.units, &mut owner);
        hand_out(stage, loops, &owner, results, size);
        let mut life = Life {
            program,
            picks,
            isomorphic,
            loops,
            owner: &owner,
            clock: 0,
            outer: None,
            defined: vec![0; program.len()],
            span: FxHashMap::default(),
            touched: Vec::new(),
            loaded: vec![usize::MAX; program.len()],
        };
        life.walk(&mut stage.units);
        let mut span = life.span;
        let vectors = vectors(isomorphic, &mut span);
        // What copies hand on has places of its own.
        let fixed = loops.into_iter().flat_map(|loops| &loops.place);
        for (value, _) in fixed.clone() {
            span.remove(value);
        }
        stage.work = place_all(&span, place);
        for pack in vectors {
            for (copy, value) in pack.iter().enumerate() {
                place[value.index()] = Some((stage.work + copy) as u32);
            }
            stage.work += lanes(pack.len());
        }
        let areas = stage.work;
        for (value, at) in fixed {
            place[value.index()] = Some(areas as u32 + at);
        }
        stage.work += loops.map_or(0, |loops| loops.size as usize);
        for_each_chunk(&mut stage.units, &mut |chunk| {
            let mut stores = Vec::new();
            for &value in &chunk.values {
                defines(program, picks, value, &mut |defined| {
                    let fixed = loops.is_some_and(|loops| loops.place.contains_key(&defined));
                    if span.contains_key(&defined) || fixed {
                        stores.push(defined);
                    }
                });
            }
            chunk.stores = stores;
        });
        areas
    }
}

/// The packs that cross a cut, which are taken out of the span: they lie side by side behind
/// everything else.
fn vectors<'a>(
    isomorphic: Option<&'a IsomorphicSubgraphs>,
    span: &mut FxHashMap<Value, (usize, usize)>,
) -> Vec<&'a [Value]> {
    let packs = isomorphic
        .into_iter()
        .flat_map(|isomorphic| &isomorphic.pack_sets)
        .flat_map(|pack_set| &pack_set.packs);
    let mut crosses = |values: &&[Value]| {
        // All of them, not only the first that crosses.
        values.iter().filter(|&value| span.remove(value).is_some()).count() > 0
    };
    packs.map(|pack| pack.values.as_slice()).filter(|values| crosses(values)).collect()
}

/// Says who defines each value of some units.
fn own(program: &Program, picks: &Picks, units: &[StageUnit], owner: &mut [Owner]) {
    for unit in units {
        match unit {
            StageUnit::Chunk(chunk) => {
                for &value in &chunk.values {
                    defines(program, picks, value, &mut |defined| {
                        owner[defined.index()] = Owner::Chunk(chunk.number);
                    });
                }
            }
            StageUnit::Loop { value, region, units } => {
                let states = program.get_region(*region).states.iter().copied();
                let results = picks.from_tuple(*value).iter().map(|&(_, pick)| pick);
                states.chain(results).for_each(|value| owner[value.index()] = Owner::Loop);
                own(program, picks, units, owner);
            }
        }
    }
}

/// Hands each result to the chunk that computes it. What is available from the start or comes from
/// a loop is written at the end.
fn hand_out(
    stage: &mut Stage,
    loops: Option<&RolledLoops>,
    owner: &[Owner],
    results: &[(Value, StageResult)],
    size: usize,
) {
    let mut of_chunk: Vec<Vec<(Value, StageResult)>> = vec![Vec::new(); stage.chunks + 1];
    let mut runs = vec![false; stage.chunks];
    for_each_chunk(&mut stage.units, &mut |chunk| runs[chunk.number] = chunk.run.is_some());
    for &(value, sink) in results {
        // Copies write their results themselves, or nobody does before the end.
        if loops.is_some_and(|loops| loops.direct.contains(&value)) {
            continue;
        }
        let chunk = match owner[value.index()] {
            Owner::Chunk(chunk) if !runs[chunk] => chunk,
            _ => stage.chunks,
        };
        of_chunk[chunk].push((value, sink));
    }
    let late = of_chunk.pop().unwrap_or_default();
    for_each_chunk(&mut stage.units, &mut |chunk| {
        chunk.results = std::mem::take(&mut of_chunk[chunk.number]);
    });
    if late.is_empty() {
        return;
    }
    match stage.units.last_mut() {
        Some(StageUnit::Chunk(chunk))
            if late.len() <= size && chunk.pack_set.is_none() && chunk.run.is_none() =>
        {
            chunk.results.extend(late);
        }
        // Many of them make functions of their own: languages bound the length of one.
        _ => {
            for some in late.chunks(size) {
                let chunk =
                    Chunk { number: stage.chunks, results: some.to_vec(), ..Chunk::default() };
                stage.units.push(StageUnit::Chunk(chunk));
                stage.chunks += 1;
            }
        }
    }
}

/// Calls `visit` with all chunks.
pub fn for_each_chunk(units: &mut [StageUnit], visit: &mut impl FnMut(&mut Chunk)) {
    for unit in units {
        match unit {
            StageUnit::Chunk(chunk) => visit(chunk),
            StageUnit::Loop { units, .. } => for_each_chunk(units, visit),
        }
    }
}

/// When values that cross a cut are alive, counted in units.
struct Life<'a> {
    program: &'a Program,
    picks: &'a Picks,
    isomorphic: Option<&'a IsomorphicSubgraphs>,
    loops: Option<&'a RolledLoops>,
    owner: &'a [Owner],
    clock: usize,
    /// When the outermost loop that is being walked began.
    outer: Option<usize>,
    defined: Vec<usize>,
    /// From when to when each value that crosses is alive.
    span: FxHashMap<Value, (usize, usize)>,
    /// Values live across a cut that were defined or read in the outermost loop.
    touched: Vec<Value>,
    /// The last chunk that loads a value.
    loaded: Vec<usize>,
}

impl Life<'_> {
    fn walk(&mut self, units: &mut [StageUnit]) {
        for unit in units {
            self.clock += 1;
            match unit {
                StageUnit::Chunk(chunk) => self.chunk(chunk),
                StageUnit::Loop { value, region, units } => self.region(*value, *region, units),
            }
        }
    }

    fn chunk(&mut self, chunk: &mut Chunk) {
        let (program, picks, isomorphic, loops) =
            (self.program, self.picks, self.isomorphic, self.loops);
        for &value in &chunk.values {
            defines(program, picks, value, &mut |defined| {
                self.defined[defined.index()] = self.clock;
            });
        }
        let mut loads = Vec::new();
        let mut read = |value: Value| {
            let own = self.owner[value.index()];
            if own != Owner::Nobody && own != Owner::Chunk(chunk.number) {
                self.cross(value);
                if std::mem::replace(&mut self.loaded[value.index()], chunk.number) != chunk.number
                {
                    loads.push(value);
                }
            }
        };
        match (isomorphic.zip(chunk.pack_set), loops.zip(chunk.run)) {
            (Some((isomorphic, pack_set)), _) => isomorphic.pack_sets[pack_set].reads(&mut read),
            (None, Some((loops, run))) => run_reads(loops, run, &mut read),
            (None, None) => chunk.values.iter().for_each(|&value| reads(program, value, &mut read)),
        }
        chunk.results.iter().for_each(|&(value, _)| read(value));
        chunk.loads = loads;
    }

    fn region(&mut self, value: Value, region: RegionId, units: &mut [StageUnit]) {
        let (start, outermost) = (self.clock, self.outer.is_none());
        if outermost {
            self.outer = Some(start);
        }
        let region = self.program.get_region(region);
        region.initial.iter().for_each(|&initial| self.cross(initial));
        self.cross(region.tolerance);
        self.define_all(region.states.iter().copied());
        self.walk(units);
        self.clock += 1;
        region.ends().for_each(|&end| self.cross(end));
        let picks = self.picks;
        self.define_all(picks.from_tuple(value).iter().map(|&(_, pick)| pick));
        if outermost {
            // What a loop reads it reads again, and what it keeps it keeps for the next time.
            for value in std::mem::take(&mut self.touched) {
                if let Some((from, to)) = self.span.get_mut(&value) {
                    *from = if *from >= start { start } else { *from };
                    *to = self.clock;
                }
            }
            self.outer = None;
        }
    }

    /// States and results of a loop: always in the work array.
    fn define_all(&mut self, values: impl Iterator<Item = Value>) {
        for value in values {
            self.defined[value.index()] = self.clock;
            self.cross(value);
        }
    }

    /// Notes that a value is read by another unit, now.
    fn cross(&mut self, value: Value) {
        if self.owner[value.index()] == Owner::Nobody {
            return;
        }
        let defined = self.defined[value.index()];
        let span = self.span.entry(value).or_insert((defined, self.clock));
        span.1 = span.1.max(self.clock);
        if self.outer.is_some() {
            self.touched.push(value);
        }
    }
}

/// Linear scan: an element is free again in the unit behind the last that reads it. Returns how
/// many there are.
fn place_all(span: &FxHashMap<Value, (usize, usize)>, place: &mut [Option<u32>]) -> usize {
    let mut order: Vec<(usize, Value, usize)> =
        span.iter().map(|(&value, &(from, to))| (from, value, to)).collect();
    order.sort_unstable();
    let mut busy: BinaryHeap<Reverse<(usize, u32)>> = BinaryHeap::new();
    let (mut free, mut count) = (Vec::new(), 0);
    for (from, value, to) in order {
        while let Some(&Reverse((end, element))) = busy.peek()
            && end < from
        {
            busy.pop();
            free.push(element);
        }
        let element = free.pop().unwrap_or_else(|| {
            count += 1;
            count - 1
        });
        place[value.index()] = Some(element);
        busy.push(Reverse((to, element)));
    }
    count as usize
}
