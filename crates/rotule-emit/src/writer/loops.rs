//! Writes a phase of copies: a function of the number `i` of a copy, in words of C.
//!
//! `v` is where the numbers of the copy begin in the work array, `n` the copy's row in the table of
//! numbers and `at` that in the table of places. A list of operands whose places follow from `i`
//! needs no table.

use super::{Binding, Source as Place, Writer};
use crate::listing::{CONSTANTS, ChunkText, PhaseText, RunText, SinesText, Uses, WORK};
use crate::loops::{Access, RolledLoops, entry_places, sources};
use crate::plan::Chunk;
use rotule_program::reroll::{CopyResult, Phase, RunItem};
use rotule_program::slp::{OperandSource, Pack, PackOperand, PackOperation};
use rotule_program::{ArithmeticOperation, Operation, Value};
use rustc_hash::FxHashMap;

/// Expressions longer than this get a name.
const LONGEST: usize = 60;

/// A phase while it is being written.
struct Scribe<'a> {
    loops: &'a RolledLoops,
    phase: &'a Phase,
    number: usize,
    copies: usize,
    /// The name of each pack, or its expression.
    texts: Vec<(String, Binding)>,
    lines: Vec<String>,
    /// Columns of numbers and of places.
    numbers: Vec<Vec<u64>>,
    places: Vec<Vec<i64>>,
    /// Number of times that each list of operands is read here, and its name.
    lists: FxHashMap<&'a [Value], (u32, Option<String>)>,
    /// Number of times that each pack is read here.
    read: Vec<u32>,
    counter: usize,
}

/// The signs of an operand in all copies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signs {
    Plus,
    Minus,
    Mixed,
}

fn signs(negative: &[bool]) -> Signs {
    match (negative.contains(&true), negative.contains(&false)) {
        (false, _) => Signs::Plus,
        (true, false) => Signs::Minus,
        (true, true) => Signs::Mixed,
    }
}

/// `start` and `step` if numbers follow each other so.
fn affine(list: &[i64]) -> Option<(i64, i64)> {
    let step = list.get(1).map_or(0, |second| second - list[0]);
    list.windows(2).all(|pair| pair[1] - pair[0] == step).then_some((list[0], step))
}

/// An index that follows from the number of the copy.
fn index((start, step): (i64, i64)) -> String {
    let product = match step {
        0 => return start.to_string(),
        1 => "i".to_owned(),
        _ => format!("{step}*i"),
    };
    match start {
        0 => product,
        1.. => format!("{product} + {start}"),
        _ => format!("{product} - {}", -start),
    }
}

impl Writer<'_> {
    /// All phases, and the sines and cosines that are computed before.
    pub(super) fn phases(&mut self, loops: &RolledLoops) -> (Vec<PhaseText>, Vec<SinesText>) {
        let (mut sines, mut known) = (Vec::new(), FxHashMap::default());
        for one in &loops.sines {
            if let Some(text) = self.sines(loops, one) {
                sines.push(text);
                known.insert((one.template, one.angles.as_slice()), ());
            }
        }
        let phases =
            (0..loops.rerolled.phases.len()).map(|at| self.phase(loops, at, &known)).collect();
        (phases, sines)
    }

    fn sines(&self, loops: &RolledLoops, sines: &crate::loops::Sines) -> Option<SinesText> {
        let mut array = None;
        let mut places = Vec::new();
        for &angle in &sines.angles {
            let Operation::Input(input) = self.program.operation(angle) else { return None };
            let Some(Place::Array(of, at)) = self.known[input.index()] else { return None };
            if *array.get_or_insert(of) != of {
                return None;
            }
            places.push(at as i64);
        }
        let ((from, step), input) = (affine(&places)?, array?);
        let start = self.plan.areas + loops.start(sines.template, 0) as usize;
        let [sine, cosine] = sines.ranks.map(|rank| start + rank as usize);
        Some(SinesText {
            angles: self.inputs[input].name.clone(),
            input,
            from: (usize::try_from(from).ok()?, usize::try_from(step).ok()?),
            count: places.len(),
            to: (sine, cosine, loops.areas[sines.template].stride as usize),
        })
    }

    /// A run of phases, all of which have been written.
    pub(super) fn run(&mut self, chunk: &Chunk, item: &RunItem) -> ChunkText {
        let mut uses = self.nothing();
        let run = match item {
            RunItem::Run { phases, first, count, down } => {
                // Some phases are nothing but sines that were computed before.
                let phases: Vec<usize> =
                    phases.iter().copied().filter(|&phase| self.runs[phase].is_some()).collect();
                phases.iter().flat_map(|&phase| &self.runs[phase]).for_each(|one| uses.add(one));
                Some(RunText { phases, first: *first, count: *count, down: *down })
            }
            RunItem::Statement(_) => None,
        };
        let number = chunk.number + 1;
        ChunkText { number, statements: Vec::new(), uses, vectors: None, run }
    }

    fn phase(
        &mut self,
        loops: &RolledLoops,
        number: usize,
        sines: &FxHashMap<(usize, &[Value]), ()>,
    ) -> PhaseText {
        self.uses = self.nothing();
        let phase = &loops.rerolled.phases[number];
        let mut scribe = Scribe {
            loops,
            phase,
            number,
            copies: loops.rerolled.copies[phase.template],
            texts: Vec::new(),
            lines: Vec::new(),
            numbers: Vec::new(),
            places: Vec::new(),
            lists: FxHashMap::default(),
            read: vec![0; phase.packs.len()],
            counter: 0,
        };
        for source in phase.packs.iter().flat_map(sources) {
            match &source.what {
                OperandSource::Here(place) => scribe.read[*place] += 1,
                OperandSource::Earlier(values) | OperandSource::Each(values) => {
                    scribe.lists.entry(values).or_insert((0, None)).0 += 1;
                }
            }
        }
        for (at, pack) in phase.packs.iter().enumerate() {
            let angles = match (&pack.form, sources(pack)) {
                (
                    PackOperation::Apply(Operation::Unary(..), _),
                    [PackOperand { what: OperandSource::Each(angles), .. }],
                ) => angles.as_slice(),
                _ => &[],
            };
            if sines.contains_key(&(phase.template, angles)) && is_sine(pack) {
                // Computed before all else.
                let text = self.own_place(&scribe, pack.values[0]).unwrap_or_default();
                self.uses.work_read = true;
                scribe.texts.push((text, Binding::Atom));
                continue;
            }
            let (text, binding) = self.phase_tuple(&mut scribe, pack);
            self.hand_over(&mut scribe, at, pack, text, binding);
        }
        let mut lines = Vec::new();
        if scribe.lines.iter().any(|line| line.contains("v[")) {
            let start = self.plan.areas as i64 + loops.start(phase.template, 0);
            let step = i64::from(loops.areas[phase.template].stride);
            let constant = if self.uses.work_written { "" } else { "const " };
            lines.push(format!("{constant}double *v = {WORK} + {};", index((start, step))));
        }
        lines.append(&mut scribe.lines);
        let row = |copy: usize| {
            let numbers = scribe.numbers.iter().map(|column| f64::from_bits(column[copy]));
            numbers.map(|number| (self.dialect.number)(number)).collect::<Vec<String>>()
        };
        let numbers = match scribe.numbers.is_empty() {
            true => Vec::new(),
            false => (0..scribe.copies).map(row).collect(),
        };
        let places = match scribe.places.is_empty() {
            true => Vec::new(),
            false => (0..scribe.copies)
                .map(|copy| scribe.places.iter().map(|column| column[copy]).collect())
                .collect(),
        };
        let about = self.about(&scribe);
        let uses: Uses = std::mem::take(&mut self.uses);
        PhaseText { about, numbers, places, lines, uses }
    }

    /// The description of a phase, by the inputs of its first and last copy.
    fn about(&self, scribe: &Scribe<'_>) -> String {
        let name = |value: Value| match self.program.operation(value) {
            Operation::Input(input) => Some(self.program.inputs()[input.index()].name.as_str()),
            _ => None,
        };
        let all =
            scribe.loops.rerolled.phases.iter().filter(|p| p.template == scribe.phase.template);
        let here = scribe.phase.packs.iter().chain(all.flat_map(|phase| &phase.packs));
        for source in here.flat_map(sources) {
            if let OperandSource::Each(values) = &source.what
                && let [first, .., last] = values.as_slice()
                && first != last
                && let Some((first, last)) = name(*first).zip(name(*last))
            {
                let copies = scribe.copies;
                return format!(
                    "Copy i of {copies} isomorphic parts: that of {first} is the first, that of {last} the last."
                );
            }
        }
        format!("Copy i of {} isomorphic parts.", scribe.copies)
    }

    /// The place of a value within its copy, as text.
    fn own_place(&self, scribe: &Scribe<'_>, value: Value) -> Option<String> {
        let place = *scribe.loops.place.get(&value)?;
        let start = scribe.loops.start(scribe.phase.template, 0);
        Some(format!("v[{}]", i64::from(place) - start))
    }

    fn phase_tuple(&mut self, scribe: &mut Scribe<'_>, pack: &Pack) -> (String, Binding) {
        match &pack.form {
            PackOperation::Sum(sources) => self.phase_sum(scribe, sources),
            PackOperation::Product(sources) => {
                let mut text = String::new();
                let mut minus = false;
                for (at, source) in sources.iter().enumerate() {
                    let right = if at == 0 { Binding::Product } else { Binding::Minus };
                    let (mut factor, sign) = self.operand(scribe, source, right);
                    match sign {
                        Signs::Plus => {}
                        Signs::Minus => minus = !minus,
                        Signs::Mixed => {
                            factor = format!("{}*{factor}", scribe.turn(&source.negative));
                        }
                    }
                    if at == 0
                        && let Some(rest) = factor.strip_prefix('-')
                    {
                        (minus, factor) = (!minus, rest.to_owned());
                    } else if factor.starts_with('-') {
                        factor = format!("({factor})");
                    }
                    text = if at == 0 { factor } else { format!("{text}*{factor}") };
                }
                match minus {
                    true => (format!("-{text}"), Binding::Sum),
                    false => (text, Binding::Product),
                }
            }
            PackOperation::Apply(operation, sources) => {
                let division =
                    matches!(operation, Operation::Arithmetic(ArithmeticOperation::Div, ..));
                let mut operands = Vec::new();
                for (at, source) in sources.iter().enumerate() {
                    let binding = match (division, at) {
                        (true, 0) => Binding::Product,
                        (true, _) => Binding::Minus,
                        (false, _) => Binding::Sum,
                    };
                    let (text, sign) = self.operand(scribe, source, binding);
                    let atom = |text: String| match text.contains([' ', '*', '/', '-']) {
                        true => format!("({text})"),
                        false => text,
                    };
                    operands.push(match sign {
                        Signs::Plus => text,
                        Signs::Minus => format!("-{}", atom(text)),
                        Signs::Mixed => format!("{}*{}", scribe.turn(&source.negative), atom(text)),
                    });
                }
                match (division, operands.as_slice()) {
                    (true, [a, b]) => {
                        let own = if a.starts_with('-') { Binding::Sum } else { Binding::Product };
                        (format!("{a}/{b}"), own)
                    }
                    _ => (self.one_lane(*operation, &|at| operands[at].clone()), Binding::Atom),
                }
            }
        }
    }

    fn phase_sum(&mut self, scribe: &mut Scribe<'_>, sources: &[PackOperand]) -> (String, Binding) {
        let mut text = String::new();
        for (at, source) in sources.iter().enumerate() {
            let (mut term, sign) = self.operand(scribe, source, Binding::Product);
            let mut minus = sign == Signs::Minus;
            if sign == Signs::Mixed {
                term = format!("{}*{term}", scribe.turn(&source.negative));
            }
            if let Some(rest) = term.strip_prefix('-') {
                (minus, term) = (!minus, rest.to_owned());
            }
            text = match (at, minus) {
                (0, false) => term,
                (0, true) => format!("-{term}"),
                (_, false) => format!("{text} + {term}"),
                (_, true) => format!("{text} - {term}"),
            };
        }
        (text, Binding::Sum)
    }

    /// An operand inside an expression that binds it at least so tightly, and the signs that it
    /// still needs.
    fn operand(
        &mut self,
        scribe: &mut Scribe<'_>,
        source: &PackOperand,
        binding: Binding,
    ) -> (String, Signs) {
        let sign = signs(&source.negative);
        let values = match &source.what {
            OperandSource::Here(place) => {
                let (text, own) = scribe.texts[*place].clone();
                let text = if own < binding { format!("({text})") } else { text };
                return (text, sign);
            }
            OperandSource::Earlier(values) | OperandSource::Each(values) => values,
        };
        let access = scribe.loops.access[scribe.number].get(values);
        if access == Some(&Access::Numbers) {
            // Numbers take their signs at once.
            let each = values.iter().zip(&source.negative).map(|(&value, &negative)| {
                let number = self.program.number(value).unwrap_or(0.0);
                if negative { -number } else { number }
            });
            let column: Vec<u64> = each.map(f64::to_bits).collect();
            return (self.number(scribe, column), Signs::Plus);
        }
        let (times, known) = scribe.lists.get(values.as_slice()).cloned().unwrap_or((1, None));
        if let Some(name) = known {
            return (name, sign);
        }
        let text = match access {
            Some(Access::Leaves) => self.leaves(scribe, values),
            _ => self.element_of_work(scribe, values),
        };
        if times < 2 {
            return (text, sign);
        }
        scribe.counter += 1;
        let name = format!("t{}", scribe.counter);
        scribe.lines.push(format!("const double {name} = {text};"));
        if let Some((_, known)) = scribe.lists.get_mut(values.as_slice()) {
            *known = Some(name.clone());
        }
        (name, sign)
    }

    fn number(&self, scribe: &mut Scribe<'_>, column: Vec<u64>) -> String {
        if column.iter().all(|bits| *bits == column[0]) {
            return (self.dialect.number)(f64::from_bits(column[0]));
        }
        scribe.number(column)
    }

    /// An element of an array of arguments or of the constants.
    fn leaves(&mut self, scribe: &mut Scribe<'_>, values: &[Value]) -> String {
        if values.iter().all(|value| *value == values[0])
            && let Some(leaf) = self.leaf(values[0])
        {
            return leaf;
        }
        let (mut name, mut places) = (String::new(), Vec::new());
        for &value in values {
            let input = match self.program.operation(value) {
                Operation::Input(input) => self.known[input.index()],
                _ => None,
            };
            if let Some(&at) = self.plan.constant.get(&value) {
                self.uses.constants = true;
                name = CONSTANTS.to_owned();
                places.push(at as i64);
            } else if let Some(Place::Array(array, at)) = input {
                self.uses.inputs[array] = true;
                name.clone_from(&self.inputs[array].name);
                places.push(at as i64);
            }
        }
        format!("{name}[{}]", scribe.index(places))
    }

    fn element_of_work(&mut self, scribe: &mut Scribe<'_>, values: &[Value]) -> String {
        self.uses.work_read = true;
        let template = scribe.phase.template;
        let found = scribe.loops.places(template, values);
        let places: Vec<i64> = found
            .iter()
            .zip(values)
            .map(|(found, value)| match found {
                Some(place) => (self.plan.areas + *place as usize) as i64,
                None => i64::from(self.plan.place[value.index()].unwrap_or(0)),
            })
            .collect();
        let stride = i64::from(scribe.loops.areas[template].stride);
        match affine(&places) {
            Some((start, step)) if step == stride && step > 0 => {
                let own = self.plan.areas as i64 + scribe.loops.start(template, 0);
                format!("v[{}]", start - own)
            }
            _ => format!("{WORK}[{}]", scribe.index(places)),
        }
    }

    /// Gives a pack a name if it needs one, and stores it.
    fn hand_over(
        &mut self,
        scribe: &mut Scribe<'_>,
        at: usize,
        pack: &Pack,
        text: String,
        binding: Binding,
    ) {
        let mut targets: Vec<String> = Vec::new();
        // Results whose signs are other than those of the number that is computed.
        let mut turned: Vec<(Vec<bool>, String)> = Vec::new();
        for given in &scribe.phase.results[at] {
            let signs = given.negative.iter().zip(&pack.negative).map(|(one, two)| one ^ two);
            let negative: Vec<bool> = signs.collect();
            for place in self.result_places(scribe, given) {
                match negative.contains(&true) {
                    false => targets.push(place),
                    true => turned.push((negative.clone(), place)),
                }
            }
        }
        if let Some(place) = self.own_place(scribe, pack.values[0]) {
            self.uses.work_written = true;
            targets.push(place);
        }
        let read = scribe.read[at] + turned.len() as u32;
        if targets.is_empty() && turned.is_empty() && read == 1 && text.len() <= LONGEST {
            scribe.texts.push((text, binding));
            return;
        }
        if read == 0 {
            scribe.texts.push((String::new(), Binding::Atom));
            if !targets.is_empty() {
                scribe.lines.push(format!("{} = {text};", targets.join(" = ")));
            }
            return;
        }
        scribe.counter += 1;
        let name = format!("t{}", scribe.counter);
        scribe.lines.push(format!("const double {name} = {text};"));
        if !targets.is_empty() {
            scribe.lines.push(format!("{} = {name};", targets.join(" = ")));
        }
        for (negative, place) in turned {
            let text = match signs(&negative) {
                Signs::Mixed => format!("{}*{name}", scribe.turn(&negative)),
                _ => format!("-{name}"),
            };
            scribe.lines.push(format!("{place} = {text};"));
        }
        scribe.texts.push((name, Binding::Atom));
    }

    /// The elements of an output that an entry of each copy goes to.
    fn result_places(&mut self, scribe: &mut Scribe<'_>, given: &CopyResult) -> Vec<String> {
        let output = given.output.index();
        self.uses.outputs[output] = true;
        let by_copy: Vec<Vec<usize>> = given
            .entries
            .iter()
            .map(|&entry| entry_places(self.program, given.output, entry))
            .collect();
        // On the diagonal of a symmetric matrix, an entry is its own mirror image.
        let most = by_copy.iter().map(Vec::len).max().unwrap_or(0);
        let column = |at: usize| -> Vec<i64> {
            by_copy.iter().map(|list| list.get(at).unwrap_or(&list[0])).map(|&x| x as i64).collect()
        };
        let name = &self.outputs[output].name;
        (0..most).map(|at| format!("{name}[{}]", scribe.index(column(at)))).collect()
    }
}

fn is_sine(pack: &Pack) -> bool {
    use rotule_symbolic::Unary;
    matches!(pack.form, PackOperation::Apply(Operation::Unary(Unary::Sin | Unary::Cos, _), _))
}

impl Scribe<'_> {
    fn number(&mut self, column: Vec<u64>) -> String {
        let known = self.numbers.iter().position(|known| *known == column);
        let at = known.unwrap_or_else(|| {
            self.numbers.push(column);
            self.numbers.len() - 1
        });
        format!("n[{at}]")
    }

    /// A number that turns the sign of an operand in some copies.
    fn turn(&mut self, negative: &[bool]) -> String {
        let sign = |&negative: &bool| if negative { -1.0_f64 } else { 1.0 };
        let column = negative.iter().map(|one| sign(one).to_bits()).collect();
        self.number(column)
    }

    /// An index: what follows from the number of the copy, or an element of a table.
    fn index(&mut self, places: Vec<i64>) -> String {
        if let Some(line) = affine(&places) {
            return index(line);
        }
        let known = self.places.iter().position(|known| *known == places);
        let at = known.unwrap_or_else(|| {
            self.places.push(places);
            self.places.len() - 1
        });
        format!("at[{at}]")
    }
}
