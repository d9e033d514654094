//! Writes the statements of a program in a dialect: names, what stands inside what, what is loaded
//! and stored.

mod lanes;
mod loops;

use crate::dialect::{Dialect, EntryPlace};
use crate::listing::{
    ArgumentArray, CONSTANTS, ChunkText, ExternalCall, ExternalDeclaration, Iterate, PhaseText,
    ResultArray, SLOTS, SincosPack, StageText, Statement, UnitText, Uses, WORK,
};
use crate::names::{NameScope, spelled};
use crate::package::{EmitError, Package, PackageFunction, Trig, array_name};
use crate::plan::{Chunk, FunctionPlan, Stage, StageResult, StageUnit, all_reads, reads};
use rotule_program::passes::{Bounds, Location, angle, inline};
use rotule_program::{
    ArithmeticOperation, InputId, Operation, OutputId, Program, RegionId, RegionResult, Step,
    Value, all_steps,
};
use rotule_symbolic::{Kind, Unary};
use rustc_hash::{FxHashMap, FxHashSet};

/// Where an input of the program is found.
#[derive(Clone, Copy, Debug)]
enum Source {
    Time,
    Parameter(usize),
    /// An element of one of the function's arrays.
    Array(usize, usize),
}

fn where_inputs_are(
    package: &Package,
    part: &PackageFunction,
    inputs: &[ArgumentArray],
) -> Result<Vec<Option<Source>>, EmitError> {
    let mut places: FxHashMap<&str, Source> = FxHashMap::default();
    for (at, quantity) in package.parameters.iter().enumerate() {
        places.insert(&quantity.name, Source::Parameter(at));
    }
    for (array, input) in inputs.iter().enumerate() {
        for (at, quantity) in package.array(input.kind).iter().enumerate() {
            places.insert(&quantity.name, Source::Array(array, at));
        }
    }
    let find = |input: &rotule_program::ProgramInput| match input.kind {
        Kind::Time => Some(Source::Time),
        _ => places.get(input.name.as_str()).copied(),
    };
    let found: Vec<Option<Source>> = part.program.inputs().iter().map(find).collect();
    let mut missing = None;
    all_reads(&part.program, &mut |value| {
        if let Operation::Input(input) = part.program.operation(value)
            && found[input.index()].is_none()
        {
            missing.get_or_insert(input);
        }
    });
    match missing {
        None => Ok(found),
        Some(input) => Err(EmitError::new(
            format!(
                "`{}` needs `{}`, which is no argument",
                part.name,
                part.program.inputs()[input.index()].name
            ),
            "",
        )),
    }
}

/// The binding strength of an expression.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Sum,
    Product,
    Minus,
    Atom,
}

/// The text to write, and its reader.
pub(crate) struct Task<'a> {
    pub package: &'a Package,
    pub part: &'a PackageFunction,
    pub plan: &'a FunctionPlan,
    pub dialect: &'a Dialect,
    pub inputs: &'a [ArgumentArray],
    pub outputs: &'a [ResultArray],
    pub externals: &'a [ExternalDeclaration],
}

/// Writes `setup` and `body`. Names in the scope are taken.
pub(crate) fn stages(task: &Task<'_>, scope: NameScope) -> Result<[StageText; 2], EmitError> {
    let &Task { package, part, plan, dialect, inputs, outputs, externals } = task;
    let program = &part.program;
    let known = where_inputs_are(package, part, inputs)?;
    let mut writer = Writer {
        program,
        plan,
        dialect,
        readable: package.readable,
        // What is written inside another expression is read later than its slot lasts.
        inlined: match plan.slots {
            Some(_) => vec![false; program.len()],
            None => inline(program, Bounds::default()),
        },
        simd_sincos: package.trig == Trig::Simd,
        names: vec![String::new(); program.len()],
        counter: 0,
        inputs,
        outputs,
        externals,
        known: &known,
        uses: Uses::default(),
        setup: true,
        scope,
        remark: String::new(),
        runs: Vec::new(),
        slots: FxHashMap::default(),
    };
    writer.name_all();
    let setup = writer.stage(&plan.setup, true);
    let body = writer.stage(&plan.body, false);
    Ok([setup, body])
}

struct Writer<'a> {
    program: &'a Program,
    plan: &'a FunctionPlan,
    dialect: &'a Dialect,
    readable: bool,
    inlined: Vec<bool>,
    /// `true` if sines and cosines are computed several at once.
    simd_sincos: bool,
    /// Of values that have one, the name in code; in the fast face given anew in each chunk.
    names: Vec<String>,
    counter: usize,
    inputs: &'a [ArgumentArray],
    outputs: &'a [ResultArray],
    externals: &'a [ExternalDeclaration],
    known: &'a [Option<Source>],
    uses: Uses,
    setup: bool,
    scope: NameScope,
    /// The last remark, so that none is repeated.
    remark: String,
    /// Arrays that the phases of copies use, if they have statements.
    runs: Vec<Option<Uses>>,
    /// The places that a chunk has for slots of the program.
    slots: FxHashMap<usize, usize>,
}

impl Writer<'_> {
    /// In the readable face each value has one name everywhere; inputs and constants have names,
    /// too.
    fn name_all(&mut self) {
        if !self.readable {
            return;
        }
        let program = self.program;
        for (at, input) in program.inputs().iter().enumerate() {
            let name = match input.kind {
                Kind::Time => array_name(Kind::Time).to_owned(),
                _ => self.scope.fresh(&input.name),
            };
            self.names[program.input_value(InputId::new(at)).index()] = name;
        }
        let mut listed: Vec<Value> = Vec::new();
        for step in all_steps(program) {
            match step {
                Step::Statement(value) => listed.push(value),
                Step::Enter(_, region) => listed.extend(&program.get_region(region).states),
                Step::Leave(..) => {}
            }
        }
        for &value in &listed {
            if let Some(given) = program.name_of(value) {
                self.names[value.index()] = self.scope.fresh(&spelled(given));
            }
        }
        for &value in &listed {
            let plain = !program.operation(value).is_tuple() && !self.inlined(value);
            if plain && self.names[value.index()].is_empty() {
                // Functions of what has a name are called after it.
                if let Operation::Unary(function, of) = program.operation(value)
                    && let named = &self.names[of.index()]
                    && !named.is_empty()
                {
                    let name = format!("{}_{named}", function.name());
                    self.names[value.index()] = self.scope.fresh(&name);
                    continue;
                }
                self.counter += 1;
                self.names[value.index()] = self.scope.fresh(&format!("z{}", self.counter));
            }
        }
    }

    fn inlined(&self, value: Value) -> bool {
        self.inlined[value.index()] && self.plan.place[value.index()].is_none()
    }

    fn stage(&mut self, stage: &Stage, setup: bool) -> StageText {
        self.setup = setup;
        let plan = self.plan;
        let (phases, sines) = match &plan.loops {
            Some(loops) if !setup => self.phases(loops),
            _ => (Vec::new(), Vec::new()),
        };
        let uses = |phase: &PhaseText| (!phase.lines.is_empty()).then(|| phase.uses.clone());
        self.runs = phases.iter().map(uses).collect();
        StageText { work: stage.work, units: self.units(&stage.units), phases, sines }
    }

    fn units(&mut self, units: &[StageUnit]) -> Vec<UnitText> {
        let each = units.iter().map(|unit| match unit {
            StageUnit::Chunk(chunk) => UnitText::Chunk(self.chunk(chunk)),
            StageUnit::Loop { value, region, units } => {
                let (iterate, after) = self.large(*value, *region, units);
                UnitText::Loop(Box::new(iterate), after)
            }
        });
        each.collect()
    }

    /// Nothing is used yet.
    fn nothing(&self) -> Uses {
        Uses {
            inputs: vec![false; self.inputs.len()],
            outputs: vec![false; self.outputs.len()],
            ..Uses::default()
        }
    }

    fn chunk(&mut self, chunk: &Chunk) -> ChunkText {
        let plan = self.plan;
        if let (Some(isomorphic), Some(pack_set)) = (&plan.isomorphic, chunk.pack_set) {
            return self.pack_set(chunk, &isomorphic.pack_sets[pack_set], isomorphic.copies);
        }
        if let (Some(loops), Some(run)) = (&plan.loops, chunk.run) {
            return self.run(chunk, &loops.rerolled.order[run]);
        }
        self.uses = self.nothing();
        self.slots.clear();
        self.remark.clear();
        let mut statements = Vec::new();
        if self.readable {
            self.load_leaves(chunk, &mut statements);
        } else {
            self.counter = 0;
        }
        for &value in &chunk.loads {
            let source = self.read_place(value);
            self.uses.work_read = true;
            statements.push(self.assign(value, source));
        }
        for &(value, place) in &chunk.moves {
            self.uses.work_written = true;
            let places = vec![(self.dialect.element)(WORK, plan.areas + place as usize)];
            let value = self.write(value, Binding::Sum);
            statements.push(Statement::Store { places, value });
        }
        let mut sinks: FxHashMap<Value, Vec<StageResult>> = FxHashMap::default();
        for &(value, sink) in &chunk.results {
            sinks.entry(value).or_default().push(sink);
        }
        let stores: FxHashMap<Value, ()> = chunk.stores.iter().map(|&v| (v, ())).collect();
        let whereto = Whereto { sinks: &sinks, stores: &stores };
        let mut stored = FxHashMap::default();
        if plan.slots.is_some() {
            // The slot of what is only stored is free for others.
            for &value in chunk.loads.iter().filter(|value| sinks.contains_key(value)) {
                self.store(value, &whereto, &mut statements);
                stored.insert(value, ());
            }
        }
        self.statements(&chunk.values, &whereto, &mut statements, &mut stored);
        // What is available from the start or was loaded is written at the end.
        for &(value, _) in &chunk.results {
            if stored.insert(value, ()).is_none() {
                self.store(value, &whereto, &mut statements);
            }
        }
        let uses = std::mem::take(&mut self.uses);
        ChunkText { number: chunk.number + 1, statements, uses, vectors: None, run: None }
    }

    /// Gives names to the inputs and constants that a chunk reads.
    fn load_leaves(&mut self, chunk: &Chunk, statements: &mut Vec<Statement>) {
        let mut seen: FxHashMap<Value, ()> = FxHashMap::default();
        let mut order = Vec::new();
        let mut read = |value: Value| {
            if seen.insert(value, ()).is_none() {
                order.push(value);
            }
        };
        for &value in &chunk.values {
            reads(self.program, value, &mut read);
        }
        chunk.results.iter().for_each(|&(value, _)| read(value));
        // In the order of their arrays.
        let constant = |value: &Value| self.plan.constant.get(value).filter(|_| !self.setup);
        order.sort_by_key(|value| match (constant(value), self.program.operation(*value)) {
            (Some(&at), _) => (0, at),
            (None, Operation::Input(input)) => (1, input.index()),
            _ => (0, 0),
        });
        for value in order {
            if let Some(source) = self.leaf(value) {
                let name = self.names[value.index()].clone();
                if !name.is_empty() && name != source {
                    statements.push(Statement::Let { name, value: source });
                }
            }
        }
    }

    /// Where a value is read that no chunk of this stage computes.
    fn leaf(&mut self, value: Value) -> Option<String> {
        let element = self.dialect.element;
        if !self.setup
            && let Some(&at) = self.plan.constant.get(&value)
        {
            self.uses.constants = true;
            return Some(element(CONSTANTS, at));
        }
        let Operation::Input(input) = self.program.operation(value) else { return None };
        Some(match self.known[input.index()]? {
            Source::Time => {
                self.uses.time = true;
                array_name(Kind::Time).to_owned()
            }
            Source::Parameter(at) => {
                self.uses.parameters = true;
                element(array_name(Kind::Parameter), at)
            }
            Source::Array(array, at) => {
                self.uses.inputs[array] = true;
                element(&self.inputs[array].name, at)
            }
        })
    }

    fn work(&self, value: Value) -> String {
        let place = self.plan.place[value.index()].unwrap_or(0);
        (self.dialect.element)(WORK, place as usize)
    }

    /// The value in the work array, or its opposite if that is what copies computed.
    fn read_place(&self, value: Value) -> String {
        let opposite = self.plan.loops.as_ref().is_some_and(|one| one.opposite.contains(&value));
        let sign = if opposite { "-" } else { "" };
        format!("{sign}{}", self.work(value))
    }

    /// Gives a value that is computed or loaded here its name, or its slot.
    fn assign(&mut self, value: Value, text: String) -> Statement {
        let slot = self.plan.slots.as_ref().and_then(|slots| match slots.of[value.index()] {
            Location::Nowhere => None,
            Location::Setup(slot) | Location::Body(slot) => Some(slot.index()),
            Location::Crossing(slot) => Some(slots.setup + slot.index()),
        });
        let Some(slot) = slot else {
            return Statement::Let { name: self.name_local(value), value: text };
        };
        // A chunk has places for its own values only, in the order in which they are needed.
        let next = self.slots.len();
        let at = *self.slots.entry(slot).or_insert(next);
        self.uses.slots = self.slots.len();
        let place = (self.dialect.element)(SLOTS, at);
        self.names[value.index()].clone_from(&place);
        Statement::Store { places: vec![place], value: text }
    }

    /// A name for a value that is computed or loaded here.
    fn name_local(&mut self, value: Value) -> String {
        if !self.readable {
            self.counter += 1;
            self.names[value.index()] = format!("t{}", self.counter);
        } else if self.names[value.index()].is_empty() {
            self.counter += 1;
            self.names[value.index()] = self.scope.fresh(&format!("z{}", self.counter));
        }
        self.names[value.index()].clone()
    }

    /// A name for a variable of the code itself.
    fn name_scratch(&mut self, like: &str) -> String {
        if self.readable {
            return self.scope.fresh(like);
        }
        self.counter += 1;
        format!("t{}", self.counter)
    }

    fn statements(
        &mut self,
        block: &[Value],
        whereto: &Whereto<'_>,
        statements: &mut Vec<Statement>,
        stored: &mut FxHashMap<Value, ()>,
    ) {
        let mut at = 0;
        while at < block.len() {
            let value = block[at];
            let pack = if self.simd_sincos { self.sincos_at(&block[at..]) } else { 0 };
            if pack > 0 {
                self.sincos_pack(&block[at..at + pack], whereto, statements, stored);
                at += pack;
                continue;
            }
            at += 1;
            match self.program.operation(value) {
                Operation::Result { .. } => {}
                Operation::Call { .. } => {
                    let call = self.call(value, whereto, stored);
                    statements.push(Statement::Call(call));
                }
                Operation::Region(region) => {
                    let iterate = self.small(value, region, whereto);
                    statements.push(Statement::Iterate(Box::new(iterate)));
                    for (_, pick) in self.plan.picks.from_tuple(value).to_vec() {
                        self.store(pick, whereto, statements);
                        stored.insert(pick, ());
                    }
                }
                _ if self.inlined(value) && !whereto.sinks.contains_key(&value) => {}
                operation => {
                    self.remark_of(value, statements);
                    stored.insert(value, ());
                    let text = self.expression(operation).0;
                    if self.inlined(value) && whereto.single(value, self.program) {
                        let places = self.places(value, whereto);
                        statements.push(Statement::Store { places, value: text });
                    } else {
                        statements.push(self.assign(value, text));
                        // From now on it has a name, whatever was decided before.
                        self.inlined[value.index()] = false;
                        self.store(value, whereto, statements);
                    }
                }
            }
        }
    }

    /// Number of statements at the beginning of a list that are sines and cosines computable at
    /// once; none if they are of too few angles.
    fn sincos_at(&self, list: &[Value]) -> usize {
        let (mut members, mut angles) = (FxHashSet::default(), FxHashSet::default());
        for &value in list {
            match angle(self.program.operation(value)) {
                Some(angle) if !members.contains(&angle) => {
                    members.insert(value);
                    angles.insert(angle);
                }
                _ => break,
            }
        }
        if angles.len() < self.dialect.fewest { 0 } else { members.len() }
    }

    /// Sines and cosines at once.
    fn sincos_pack(
        &mut self,
        list: &[Value],
        whereto: &Whereto<'_>,
        statements: &mut Vec<Statement>,
        stored: &mut FxHashMap<Value, ()>,
    ) {
        self.uses.simd_sincos = true;
        let mut number: FxHashMap<Value, usize> = FxHashMap::default();
        let mut pack = SincosPack {
            angles: Vec::new(),
            sines: Vec::new(),
            cosines: Vec::new(),
            scratch: self.name_scratch("pack"),
        };
        for &value in list {
            let Operation::Unary(function, angle) = self.program.operation(value) else { continue };
            let at = *number.entry(angle).or_insert_with(|| {
                pack.angles.push(self.write(angle, Binding::Sum));
                pack.sines.push(None);
                pack.cosines.push(None);
                pack.angles.len() - 1
            });
            let names = if function == Unary::Sin { &mut pack.sines } else { &mut pack.cosines };
            let known = names[at].clone();
            // The same sine may occur twice.
            match known {
                Some(name) => self.names[value.index()] = name,
                None => names[at] = Some(self.name_local(value)),
            }
            self.inlined[value.index()] = false;
        }
        statements.push(Statement::Sincos(pack));
        for &value in list {
            stored.insert(value, ());
            self.store(value, whereto, statements);
        }
    }

    /// In the readable face, says which body comes next.
    fn remark_of(&mut self, value: Value, statements: &mut Vec<Statement>) {
        if !self.readable {
            return;
        }
        let name = self.program.name_of(value).unwrap_or("");
        let Some((_, rest)) = name.split_once('[') else { return };
        // `X[origin,body]` and `X[body,3]` are both of the body; `X[q2.d]` is of none.
        let inside = rest.split(']').next().unwrap_or("");
        let of_body =
            |part: &&str| !part.starts_with(|c: char| c.is_ascii_digit()) && !part.contains('.');
        let body = inside.split(',').rfind(of_body).unwrap_or("");
        if !body.is_empty() && body != self.remark {
            self.remark = body.to_owned();
            statements.push(Statement::Remark(body.to_owned()));
        }
    }

    /// The elements that a value goes to.
    fn places(&mut self, value: Value, whereto: &Whereto<'_>) -> Vec<String> {
        let mut places = Vec::new();
        if whereto.stores.contains_key(&value) {
            self.uses.work_written = true;
            places.push(self.work(value));
            let more = self.plan.loops.as_ref().and_then(|loops| loops.extra.get(&value));
            for &place in more.into_iter().flatten() {
                places.push((self.dialect.element)(WORK, self.plan.areas + place as usize));
            }
        }
        for &sink in whereto.sinks.get(&value).into_iter().flatten() {
            match sink {
                StageResult::Constant(at) => {
                    self.uses.constants = true;
                    places.push((self.dialect.element)(CONSTANTS, at));
                }
                StageResult::Entry(output, number) => {
                    places.extend(self.entry_places(output, number));
                }
            }
        }
        places
    }

    fn entry_places(&mut self, id: OutputId, number: usize) -> Vec<String> {
        self.uses.outputs[id.index()] = true;
        let (output, named) = (&self.program.outputs()[id.index()], &self.outputs[id.index()]);
        let entry = output.entries[number];
        let (scalar, matrix) = (named.scalar, named.matrix);
        let at = |row: u32, column: u32| {
            (self.dialect.entry)(&named.name, output, EntryPlace { row, column, scalar, matrix })
        };
        let mut places = vec![at(entry.row, entry.column)];
        if output.symmetric && entry.row != entry.column {
            places.push(at(entry.column, entry.row));
        }
        places
    }

    fn store(&mut self, value: Value, whereto: &Whereto<'_>, statements: &mut Vec<Statement>) {
        let places = self.places(value, whereto);
        if !places.is_empty() {
            let value = self.write(value, Binding::Sum);
            statements.push(Statement::Store { places, value });
        }
    }

    fn call(
        &mut self,
        value: Value,
        whereto: &Whereto<'_>,
        stored: &mut FxHashMap<Value, ()>,
    ) -> ExternalCall {
        self.uses.externals = true;
        let Operation::Call { function, arguments } = self.program.operation(value) else {
            unreachable!("only calls are printed as calls");
        };
        let arguments = self.program.arguments(arguments).to_vec();
        let arguments = arguments.iter().map(|&a| self.write(a, Binding::Sum)).collect();
        let function = self.program.get_function(function);
        let external = self.externals.iter().position(|one| one.title == function.name);
        let mut results = vec![None; function.results as usize];
        let mut stores = Vec::new();
        for (index, pick) in self.plan.picks.from_tuple(value).to_vec() {
            let index = index as usize;
            match &results[index] {
                Some(name) => self.names[pick.index()] = String::clone(name),
                None => results[index] = Some(self.name_local(pick)),
            }
            let places = self.places(pick, whereto);
            stored.insert(pick, ());
            if !places.is_empty() {
                stores.push((index, places));
            }
        }
        let scratch = self.name_scratch("results");
        ExternalCall { external: external.unwrap_or(0), arguments, results, stores, scratch }
    }

    /// A region inside of a chunk. Recursion goes as deep as regions are nested.
    fn small(&mut self, value: Value, id: RegionId, whereto: &Whereto<'_>) -> Iterate {
        self.uses.iterates = true;
        let region = self.program.get_region(id);
        let initial: Vec<String> =
            region.initial.iter().map(|&value| self.write(value, Binding::Sum)).collect();
        let names: Vec<String> = region.states.iter().map(|&s| self.name_local(s)).collect();
        let tolerance = self.write(region.tolerance, Binding::Sum);
        let mut block = Vec::new();
        self.statements(&region.block, whereto, &mut block, &mut FxHashMap::default());
        let iterate = self.iterate(id, names.into_iter().zip(initial).collect(), tolerance);
        let mut exports = Vec::new();
        for &(index, pick) in self.plan.picks.from_tuple(value) {
            self.names[pick.index()] = match region.result(index) {
                Some(RegionResult::State(state)) => self.names[state.index()].clone(),
                Some(RegionResult::Export(value)) => {
                    let value = self.write(value, Binding::Sum);
                    exports.push((self.name_local(pick), value));
                    continue;
                }
                Some(RegionResult::Iterations) => iterate.count.clone(),
                Some(RegionResult::Converged) | None => iterate.converged.clone(),
            };
        }
        Iterate { block, exports, ..iterate }
    }

    /// The common part of small and large regions; the block has been written already.
    fn iterate(
        &mut self,
        id: RegionId,
        states: Vec<(String, String)>,
        tolerance: String,
    ) -> Iterate {
        let region = self.program.get_region(id);
        let mut all = |values: &[Value]| -> Vec<String> {
            values.iter().map(|&value| self.write(value, Binding::Sum)).collect()
        };
        let (next, residuals) = (all(&region.next), all(&region.residuals));
        Iterate {
            title: region.name.clone(),
            states,
            in_work: false,
            block: Vec::new(),
            units: Vec::new(),
            next,
            overlaps: region.update_overlaps(),
            residuals,
            exports: Vec::new(),
            tolerance,
            limit: region.limit,
            count: self.name_scratch("iterations"),
            converged: self.name_scratch("converged"),
            uses: Uses::default(),
        }
    }

    /// A region whose block is made of chunks: everything that the loop itself reads is an element
    /// of an array.
    fn large(
        &mut self,
        value: Value,
        id: RegionId,
        units: &[StageUnit],
    ) -> (Iterate, Vec<Statement>) {
        let region = self.program.get_region(id);
        let units = self.units(units);
        self.uses = Uses { iterates: true, work_read: true, work_written: true, ..self.nothing() };
        let initial: Vec<String> = region.initial.iter().map(|&v| self.outside(v)).collect();
        let states: Vec<(String, String)> =
            region.states.iter().map(|&state| self.work(state)).zip(initial).collect();
        let tolerance = self.outside(region.tolerance);
        let next = region.next.iter().map(|&v| self.outside(v)).collect();
        let residuals = region.residuals.iter().map(|&v| self.outside(v)).collect();
        let (count, converged) = (
            self.scope.fresh(&format!("iterations_{}", id.index() + 1)),
            self.scope.fresh(&format!("converged_{}", id.index() + 1)),
        );
        let mut after = Vec::new();
        for &(index, pick) in self.plan.picks.from_tuple(value) {
            let source = match region.result(index) {
                Some(RegionResult::State(state)) => self.work(state),
                Some(RegionResult::Export(value)) => self.outside(value),
                Some(RegionResult::Iterations) => count.clone(),
                Some(RegionResult::Converged) | None => converged.clone(),
            };
            after.push(Statement::Store { places: vec![self.work(pick)], value: source });
        }
        let iterate = Iterate {
            title: region.name.clone(),
            states,
            in_work: true,
            block: Vec::new(),
            units,
            next,
            overlaps: region.update_overlaps(),
            residuals,
            exports: Vec::new(),
            tolerance,
            limit: region.limit,
            count,
            converged,
            uses: std::mem::take(&mut self.uses),
        };
        (iterate, after)
    }

    /// A value where it is read by the main function of a cut stage, in which values have no names
    /// of their own.
    fn outside(&mut self, value: Value) -> String {
        if self.plan.place[value.index()].is_some() {
            return self.read_place(value);
        }
        if let Some(leaf) = self.leaf(value) {
            return leaf;
        }
        self.write(value, Binding::Sum)
    }

    /// A value inside an expression that binds it at least so tightly. Recursion goes as deep as
    /// inlining allows.
    fn write(&mut self, value: Value, binding: Binding) -> String {
        let operation = self.program.operation(value);
        let (text, own) = match operation {
            Operation::Constant(x) if x.is_sign_negative() => {
                ((self.dialect.number)(x), Binding::Sum)
            }
            Operation::Constant(x) => ((self.dialect.number)(x), Binding::Atom),
            _ => match self.leaf(value) {
                Some(source) => {
                    let name = &self.names[value.index()];
                    let text =
                        if self.readable && !name.is_empty() { name.clone() } else { source };
                    (text, Binding::Atom)
                }
                None if self.inlined(value) => self.expression(operation),
                None => (self.names[value.index()].clone(), Binding::Atom),
            },
        };
        if own < binding { format!("({text})") } else { text }
    }

    fn expression(&mut self, operation: Operation) -> (String, Binding) {
        let dialect = self.dialect;
        match operation {
            Operation::Neg(a) => (format!("-{}", self.write(a, Binding::Atom)), Binding::Sum),
            Operation::Arithmetic(arithmetic, a, b) => {
                // A right operand of the same kind needs parentheses, or the order would be
                // another.
                let (own, right) = match arithmetic {
                    ArithmeticOperation::Add | ArithmeticOperation::Sub => {
                        (Binding::Sum, Binding::Product)
                    }
                    ArithmeticOperation::Mul | ArithmeticOperation::Div => {
                        (Binding::Product, Binding::Minus)
                    }
                };
                let (a, b) = (self.write(a, own), self.write(b, right));
                let sign = arithmetic.sign();
                let gap = if own == Binding::Sum { " " } else { "" };
                (format!("{a}{gap}{sign}{gap}{b}"), own)
            }
            Operation::Unary(function, a) => {
                let a = self.write(a, Binding::Sum);
                ((dialect.unary)(function, &a), Binding::Atom)
            }
            Operation::Binary(function, a, b) => {
                let (a, b) = (self.write(a, Binding::Sum), self.write(b, Binding::Sum));
                ((dialect.binary)(function, &a, &b), Binding::Atom)
            }
            Operation::Select { compare, left, right, then, otherwise } => {
                let [left, right, then, otherwise] =
                    [left, right, then, otherwise].map(|value| self.write(value, Binding::Sum));
                ((dialect.select)(compare, [&left, &right, &then, &otherwise]), Binding::Atom)
            }
            // Leaves and tuples of results are never written as expressions of their own.
            other => (other.word().into(), Binding::Atom),
        }
    }
}

/// Where values of a chunk go besides their names.
struct Whereto<'a> {
    sinks: &'a FxHashMap<Value, Vec<StageResult>>,
    stores: &'a FxHashMap<Value, ()>,
}

impl Whereto<'_> {
    /// Returns `true` if a value goes to one element only.
    fn single(&self, value: Value, program: &Program) -> bool {
        let one = |sink: &StageResult| match *sink {
            StageResult::Constant(_) => true,
            StageResult::Entry(output, number) => {
                let output = &program.outputs()[output.index()];
                let entry = output.entries[number];
                !output.symmetric || entry.row == entry.column
            }
        };
        match self.sinks.get(&value).map(Vec::as_slice) {
            Some([sink]) => one(sink) && !self.stores.contains_key(&value),
            _ => false,
        }
    }
}
