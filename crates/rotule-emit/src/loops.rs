//! Where the numbers of structure that repeats lie, so that the number of a copy is enough to find
//! them.
//!
//! What copies hand on lies in the work array, copy after copy with one stride. A copy that reads
//! its neighbour finds it a stride away. The first copy has no neighbour, but reads there as well:
//! whoever computes what it needs stores it where a copy more would have put it. What cannot be
//! reached in this way is found by a table of places.

use crate::plan::reads;
use rotule_program::reroll::{Rerolled, RunItem};
use rotule_program::slp::{OperandSource, Pack, PackOperand, PackOperation};
use rotule_program::{Block, Operation, OutputId, Program, Value};
use rotule_symbolic::{Kind, Unary};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// Neighbours further away are found by tables.
const FAR: i64 = 4;

/// Structure that repeats, with places.
#[derive(Clone, Debug)]
pub struct RolledLoops {
    /// The parts that are re-rolled.
    pub rerolled: Rerolled,
    /// Where the copies of each template lie.
    pub areas: Vec<Area>,
    /// The first place of each value that lies in an area.
    pub place: FxHashMap<Value, u32>,
    /// More places of values that `body` computes.
    pub extra: FxHashMap<Value, Vec<u32>>,
    /// Places of what is available from the start: stored before all else.
    pub moves: Vec<(Value, u32)>,
    /// Where lists of operands lie, by template, unless each is found where it happens to be.
    lists: FxHashMap<(usize, Vec<Value>), Vec<u32>>,
    /// Where to find what is available from the start, if a table is to find it.
    leaves: FxHashMap<Value, u32>,
    /// The access to each list of operands from elsewhere, by phase.
    pub access: Vec<FxHashMap<Vec<Value>, Access>>,
    /// Results that phases write themselves.
    pub direct: FxHashSet<Value>,
    /// Values whose opposites were computed.
    pub opposite: FxHashSet<Value>,
    /// Sines and cosines of inputs, which can be computed before all else.
    pub sines: Vec<Sines>,
    /// The size of all areas.
    pub size: u32,
}

/// The sine and the cosine of an input of each copy.
#[derive(Clone, Debug)]
pub struct Sines {
    /// Whose copies.
    pub template: usize,
    /// The inputs.
    pub angles: Vec<Value>,
    /// The places of sine and cosine within a copy.
    pub ranks: [u32; 2],
}

/// Where the copies of a template lie, from the beginning of all areas.
#[derive(Clone, Copy, Debug, Default)]
pub struct Area {
    /// Where the first copy begins.
    pub base: u32,
    /// From copy to copy.
    pub stride: u32,
}

/// The access to an operand of all copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Access {
    /// Literals.
    Numbers,
    /// Inputs of one array, or constants of `setup`.
    Leaves,
    /// The work array.
    Work,
}

/// The operands of a pack.
pub fn sources(pack: &Pack) -> &[PackOperand] {
    let (PackOperation::Sum(sources)
    | PackOperation::Product(sources)
    | PackOperation::Apply(_, sources)) = &pack.form;
    sources
}

/// Where results go in an output, by rows, as C has it.
pub fn entry_places(program: &Program, output: OutputId, number: usize) -> Vec<usize> {
    let output = &program.outputs()[output.index()];
    let entry = output.entries[number];
    let at = |row: u32, column: u32| row as usize * output.columns as usize + column as usize;
    let mut places = vec![at(entry.row, entry.column)];
    if output.symmetric && entry.row != entry.column {
        places.push(at(entry.column, entry.row));
    }
    places
}

/// The layout of a list of operands, one for each copy.
enum OperandLayout {
    /// One value for all copies.
    Same,
    /// The result of a pack for a copy at a distance.
    Neighbour(usize, i64),
    /// Values that others store for each copy.
    Fed(usize),
    /// Values anywhere, found by a table.
    Table,
}

struct Builder<'a> {
    program: &'a Program,
    rerolled: &'a Rerolled,
    /// The pack, by template, and the copy of a value.
    of: FxHashMap<Value, (usize, usize, usize)>,
    /// Members of packs, by template and number.
    members: Vec<Vec<&'a [Value]>>,
    /// The ranks of packs that are kept, by template and number.
    rank: Vec<Vec<Option<u32>>>,
    ranks: Vec<u32>,
    pads: Vec<[u32; 2]>,
    /// Statements of `setup`.
    early: Vec<bool>,
}

impl RolledLoops {
    /// Finds places. If sines and cosines are computed several at once, those of inputs get places
    /// of their own.
    pub fn of(program: &Program, rerolled: Rerolled, simd_sincos: bool) -> RolledLoops {
        let templates = rerolled.copies.len();
        let mut early = vec![false; program.len()];
        program.block(Block::Setup).iter().for_each(|value| early[value.index()] = true);
        let mut builder = Builder {
            program,
            rerolled: &rerolled,
            of: FxHashMap::default(),
            members: vec![Vec::new(); templates],
            rank: vec![Vec::new(); templates],
            ranks: vec![0; templates],
            pads: vec![[0; 2]; templates],
            early,
        };
        for phase in &rerolled.phases {
            for pack in &phase.packs {
                let members = &mut builder.members[phase.template];
                for (copy, &value) in pack.values.iter().enumerate() {
                    builder.of.insert(value, (phase.template, members.len(), copy));
                }
                members.push(&pack.values);
                builder.rank[phase.template].push(None);
            }
        }
        let mut opposite = FxHashSet::default();
        for pack in rerolled.phases.iter().flat_map(|phase| &phase.packs) {
            let signs = pack.values.iter().zip(&pack.negative);
            opposite.extend(signs.filter(|(_, negative)| **negative).map(|(value, _)| *value));
        }
        let direct = builder.direct();
        builder.keep_read(&direct);
        let sines = if simd_sincos { builder.sines() } else { Vec::new() };
        let (access, layouts) = builder.accesses();
        let mut areas = Vec::new();
        let mut size = 0;
        for template in 0..templates {
            let (stride, pads) = (builder.ranks[template], builder.pads[template]);
            let copies = rerolled.copies[template] as u32;
            areas.push(Area { base: size + stride * pads[0], stride });
            size += stride * (pads[0] + copies + pads[1]);
        }
        let mut placer = Placer {
            areas: &areas,
            place: FxHashMap::default(),
            extra: FxHashMap::default(),
            moves: Vec::new(),
            lists: FxHashMap::default(),
        };
        placer.own(&builder);
        let tables = placer.others(&builder, layouts);
        let Placer { place, extra, mut moves, lists, .. } = placer;
        let mut leaves: FxHashMap<Value, u32> = FxHashMap::default();
        for value in tables.into_iter().filter(|value| builder.is_leaf(*value)) {
            if let Entry::Vacant(vacant) = leaves.entry(value) {
                vacant.insert(size);
                moves.push((value, size));
                size += 1;
            }
        }
        RolledLoops {
            areas,
            place,
            extra,
            moves,
            lists,
            leaves,
            access,
            direct,
            opposite,
            sines,
            size,
            rerolled,
        }
    }

    /// Where the operands of a list lie, from the beginning of all areas; some may lie elsewhere in
    /// the work array.
    pub fn places(&self, template: usize, values: &[Value]) -> Vec<Option<u32>> {
        if let Some(list) = self.lists.get(&(template, values.to_vec())) {
            return list.iter().copied().map(Some).collect();
        }
        let find =
            |value: &Value| self.place.get(value).or_else(|| self.leaves.get(value)).copied();
        values.iter().map(find).collect()
    }

    /// Where a copy begins, from the beginning of all areas.
    pub fn start(&self, template: usize, copy: i64) -> i64 {
        let area = self.areas[template];
        i64::from(area.base) + i64::from(area.stride) * copy
    }
}

impl<'a> Builder<'a> {
    /// Returns `true` if nobody in `body` computes a value.
    fn is_leaf(&self, value: Value) -> bool {
        let operation = self.program.operation(value);
        matches!(operation, Operation::Constant(_) | Operation::Input(_))
            || self.early[value.index()]
    }

    fn keep(&mut self, template: usize, number: usize) {
        let rank = &mut self.rank[template][number];
        if rank.is_none() {
            *rank = Some(self.ranks[template]);
            self.ranks[template] += 1;
        }
    }

    /// Results that the phases write themselves.
    fn direct(&self) -> FxHashSet<Value> {
        let phases = self.rerolled.phases.iter();
        let given = phases.flat_map(|phase| &phase.results).flatten();
        let entries = given.flat_map(|given| {
            let output = &self.program.outputs()[given.output.index()];
            given.entries.iter().map(|&entry| output.entries[entry].value)
        });
        entries.collect()
    }

    /// Keeps what statements of no copy read, and results that are written at the end.
    fn keep_read(&mut self, direct: &FxHashSet<Value>) {
        let mut kept: Vec<(usize, usize)> = Vec::new();
        let mut note = |value: Value| {
            if let Some(&(template, number, _)) = self.of.get(&value) {
                kept.push((template, number));
            }
        };
        for item in &self.rerolled.order {
            if let RunItem::Statement(value) = item {
                reads(self.program, *value, &mut note);
            }
        }
        for entry in self.program.outputs().iter().flat_map(|output| &output.entries) {
            if !direct.contains(&entry.value) {
                note(entry.value);
            }
        }
        kept.into_iter().for_each(|(template, number)| self.keep(template, number));
    }

    /// Keeps sines and cosines of inputs, so that others can compute them.
    fn sines(&mut self) -> Vec<Sines> {
        let (program, rerolled) = (self.program, self.rerolled);
        let mut found: Vec<Sines> = Vec::new();
        let mut number: FxHashMap<(usize, &'a [Value]), usize> = FxHashMap::default();
        for (template, pack) in
            rerolled.phases.iter().flat_map(|one| one.packs.iter().map(|pack| (one.template, pack)))
        {
            let PackOperation::Apply(Operation::Unary(function, _), sources) = &pack.form else {
                continue;
            };
            let (cosine, OperandSource::Each(angles)) = (
                match function {
                    Unary::Sin => 0,
                    Unary::Cos => 1,
                    _ => continue,
                },
                &sources[0].what,
            ) else {
                continue;
            };
            let input = |value: &Value| matches!(program.operation(*value), Operation::Input(_));
            let plain = !sources[0].negative.contains(&true) && angles.iter().all(input);
            if !plain || self.access(angles) != Access::Leaves {
                continue;
            }
            let at = *number.entry((template, angles)).or_insert_with(|| {
                let angles = angles.clone();
                found.push(Sines { template, angles, ranks: [u32::MAX; 2] });
                found.len() - 1
            });
            let (_, own, _) = self.of[&pack.values[0]];
            self.keep(template, own);
            found[at].ranks[cosine] = self.rank[template][own].unwrap_or(0);
        }
        // Where nobody asks for one of the two, it has a place nevertheless.
        for sines in &mut found {
            for rank in sines.ranks.iter_mut().filter(|rank| **rank == u32::MAX) {
                *rank = self.ranks[sines.template];
                self.ranks[sines.template] += 1;
            }
        }
        found
    }

    /// The access to each list of operands, and the statements that it needs.
    #[allow(clippy::type_complexity, reason = "the two lists belong together and go to one caller")]
    fn accesses(
        &mut self,
    ) -> (Vec<FxHashMap<Vec<Value>, Access>>, Vec<(usize, &'a [Value], OperandLayout)>) {
        let (mut access, mut layouts) = (Vec::new(), Vec::new());
        let rerolled = self.rerolled;
        let mut seen: FxHashSet<(usize, &'a [Value])> = FxHashSet::default();
        for phase in &rerolled.phases {
            let mut by_list = FxHashMap::default();
            for source in phase.packs.iter().flat_map(sources) {
                let OperandSource::Each(values) = &source.what else { continue };
                if by_list.contains_key(values) {
                    continue;
                }
                let how = self.access(values);
                if how == Access::Work && seen.insert((phase.template, values)) {
                    let layout = self.layout(phase.template, values);
                    layouts.push((phase.template, values.as_slice(), layout));
                }
                by_list.insert(values.clone(), how);
            }
            access.push(by_list);
        }
        (access, layouts)
    }

    fn access(&self, values: &[Value]) -> Access {
        let program = self.program;
        if values.iter().all(|&value| program.number(value).is_some()) {
            return Access::Numbers;
        }
        let early = |value: Value| match program.operation(value) {
            Operation::Input(input) => Some(program.inputs()[input.index()].kind),
            _ if self.early[value.index()] => Some(Kind::Parameter),
            _ => None,
        };
        match early(values[0]) {
            Some(Kind::Time) if values.iter().any(|value| *value != values[0]) => Access::Work,
            Some(kind) if values.iter().all(|&value| early(value) == Some(kind)) => Access::Leaves,
            _ => Access::Work,
        }
    }

    fn layout(&mut self, template: usize, values: &[Value]) -> OperandLayout {
        if values.iter().all(|value| *value == values[0]) {
            if let Some(&(template, number, _)) = self.of.get(&values[0]) {
                self.keep(template, number);
            }
            return OperandLayout::Same;
        }
        let copies = self.rerolled.copies[template];
        let mut votes: FxHashMap<(usize, i64), usize> = FxHashMap::default();
        let mut others = false;
        for (copy, value) in values.iter().enumerate() {
            if let Some(&(of, number, other)) = self.of.get(value) {
                if of == template {
                    *votes.entry((number, other as i64 - copy as i64)).or_insert(0) += 1;
                } else {
                    others = true;
                }
                self.keep(of, number);
            }
        }
        let best = votes.into_iter().max_by_key(|&((number, ahead), count)| {
            (count, std::cmp::Reverse((ahead.abs(), ahead, number)))
        });
        let Some(((number, ahead), _)) = best else {
            if others {
                return OperandLayout::Table;
            }
            self.ranks[template] += 1;
            return OperandLayout::Fed(self.ranks[template] as usize - 1);
        };
        // All but those beyond the ends are neighbours.
        let fits = values.iter().enumerate().all(|(copy, value)| {
            let at = copy as i64 + ahead;
            match self.of.get(value) {
                Some(&(of, same, other)) => of == template && same == number && other as i64 == at,
                None => at < 0 || at >= copies as i64,
            }
        });
        if !fits || ahead.abs() > FAR {
            return OperandLayout::Table;
        }
        let pads = &mut self.pads[template][usize::from(ahead > 0)];
        *pads = (*pads).max(ahead.unsigned_abs() as u32);
        OperandLayout::Neighbour(number, ahead)
    }
}

struct Placer<'a> {
    areas: &'a [Area],
    place: FxHashMap<Value, u32>,
    extra: FxHashMap<Value, Vec<u32>>,
    moves: Vec<(Value, u32)>,
    lists: FxHashMap<(usize, Vec<Value>), Vec<u32>>,
}

impl Placer<'_> {
    fn at(&self, template: usize, copy: i64, rank: u32) -> u32 {
        let area = self.areas[template];
        (i64::from(area.base) + i64::from(area.stride) * copy) as u32 + rank
    }

    /// Places for what copies compute.
    fn own(&mut self, builder: &Builder<'_>) {
        for (template, lists) in builder.members.iter().enumerate() {
            for (number, members) in lists.iter().enumerate() {
                let Some(rank) = builder.rank[template][number] else { continue };
                for (copy, &value) in members.iter().enumerate() {
                    let place = self.at(template, copy as i64, rank);
                    self.place.insert(value, place);
                }
            }
        }
    }

    /// Places for what others compute; gives back what is found by tables.
    fn others(
        &mut self,
        builder: &Builder<'_>,
        layouts: Vec<(usize, &[Value], OperandLayout)>,
    ) -> Vec<Value> {
        let mut tables = Vec::new();
        // What is stored at a place in front of the first copy or behind the last.
        let mut pads: FxHashMap<u32, Value> = FxHashMap::default();
        for (template, values, layout) in layouts {
            match layout {
                OperandLayout::Same => tables.push(values[0]),
                OperandLayout::Table => tables.extend(values),
                OperandLayout::Fed(rank) => {
                    let places: Vec<u32> = (0..values.len())
                        .map(|copy| self.at(template, copy as i64, rank as u32))
                        .collect();
                    for (&value, &place) in values.iter().zip(&places) {
                        self.store(builder, value, place);
                    }
                    self.lists.insert((template, values.to_vec()), places);
                }
                OperandLayout::Neighbour(number, ahead) => {
                    let rank = builder.rank[template][number].unwrap_or(0);
                    let mut places = Vec::new();
                    for (copy, &value) in values.iter().enumerate() {
                        if !builder.of.contains_key(&value) {
                            places.push((value, self.at(template, copy as i64 + ahead, rank)));
                        }
                    }
                    // Two lists may want different values there; the second is found by a table.
                    let free = |&(value, place): &(Value, u32)| {
                        pads.get(&place).is_none_or(|known| *known == value)
                    };
                    if places.iter().all(free) {
                        for (value, place) in places {
                            if pads.insert(place, value).is_none() {
                                self.store(builder, value, place);
                            }
                        }
                        let all = (0..values.len() as i64)
                            .map(|copy| self.at(template, copy + ahead, rank))
                            .collect();
                        self.lists.insert((template, values.to_vec()), all);
                    } else {
                        tables.extend(values);
                    }
                }
            }
        }
        tables
    }

    fn store(&mut self, builder: &Builder<'_>, value: Value, place: u32) {
        if builder.is_leaf(value) {
            self.moves.push((value, place));
            return;
        }
        match self.place.entry(value) {
            Entry::Vacant(vacant) => {
                vacant.insert(place);
            }
            Entry::Occupied(_) => self.extra.entry(value).or_default().push(place),
        }
    }
}
