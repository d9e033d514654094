//! Writes a pack set of copies: each pack once, as a vector whose lanes are the copies.
//!
//! The words are those that `languages/c/lanes.rs` defines. Numbers come into lanes one by one,
//! from arguments or from the work array, where vectors of earlier pack sets lie side by side.

use super::{Whereto, Writer};
use crate::listing::ChunkText;
use crate::plan::{Chunk, StageResult, lanes};
use rotule_program::slp::{OperandSource, Pack, PackOperand, PackOperation, PackSet};
use rotule_program::{ArithmeticOperation, Operation, Value};
use rotule_symbolic::Unary;
use rustc_hash::FxHashMap;

/// A pack set while it is being written.
struct Vectors {
    copies: usize,
    width: usize,
    lines: Vec<String>,
    /// Names of the packs.
    names: Vec<String>,
    /// Names of what came from elsewhere.
    gathered: FxHashMap<Vec<Value>, String>,
    /// Names of sines and cosines, by angle.
    angles: FxHashMap<String, String>,
}

impl Vectors {
    fn word(&self, word: &str) -> String {
        format!("lanes{}_{word}", self.width)
    }

    /// A vector of numbers that are written already; lanes without a copy repeat the first.
    fn of(&self, each: &[String]) -> String {
        let all: Vec<&str> = (0..self.width)
            .map(|lane| each.get(lane).or(each.first()).map_or("0.0", String::as_str))
            .collect();
        format!("{}({})", self.word("of"), all.join(", "))
    }

    fn call(&self, word: &str, operands: &[&str]) -> String {
        format!("{}({})", self.word(word), operands.join(", "))
    }

    fn signs(&self, negative: &[bool]) -> String {
        let each: Vec<String> = negative
            .iter()
            .map(|&negative| (if negative { "-1.0" } else { "1.0" }).to_owned())
            .collect();
        self.of(&each)
    }

    /// A vector with other signs in some lanes.
    fn with_signs(&self, text: String, negative: &[bool]) -> String {
        match (negative.contains(&true), negative.contains(&false)) {
            (false, _) => text,
            (true, false) => self.call("neg", &[&text]),
            (true, true) => self.call("mul", &[&text, &self.signs(negative)]),
        }
    }
}

impl Writer<'_> {
    pub(super) fn pack_set(
        &mut self,
        chunk: &Chunk,
        pack_set: &PackSet,
        copies: usize,
    ) -> ChunkText {
        self.uses = self.nothing();
        self.counter = 0;
        let mut sinks: FxHashMap<Value, Vec<StageResult>> = FxHashMap::default();
        for &(value, sink) in &chunk.results {
            sinks.entry(value).or_default().push(sink);
        }
        let stores = FxHashMap::default();
        let whereto = Whereto { sinks: &sinks, stores: &stores };
        let mut vectors = Vectors {
            copies,
            width: lanes(copies),
            lines: Vec::new(),
            names: Vec::new(),
            gathered: FxHashMap::default(),
            angles: FxHashMap::default(),
        };
        for pack in &pack_set.packs {
            let text = self.pack(&mut vectors, pack);
            self.counter += 1;
            let name = format!("t{}", self.counter);
            vectors.lines.push(format!("const lanes{} {name} = {text};", vectors.width));
            vectors.names.push(name.clone());
            self.hand_on(&mut vectors, pack, name, &whereto);
        }
        let uses = std::mem::take(&mut self.uses);
        ChunkText {
            number: chunk.number + 1,
            statements: Vec::new(),
            uses,
            vectors: Some((vectors.width, vectors.lines)),
            run: None,
        }
    }

    fn pack(&mut self, vectors: &mut Vectors, pack: &Pack) -> String {
        match &pack.form {
            PackOperation::Sum(sources) => {
                let mut sum = String::new();
                for (at, source) in sources.iter().enumerate() {
                    let (text, negative) = self.source(vectors, source);
                    let mixed = negative.contains(&true) && negative.contains(&false);
                    sum = match (at, mixed, negative[0]) {
                        (0, ..) => vectors.with_signs(text, &negative),
                        (_, true, _) => {
                            let term = vectors.with_signs(text, &negative);
                            vectors.call("add", &[&sum, &term])
                        }
                        (_, false, minus) => {
                            vectors.call(if minus { "sub" } else { "add" }, &[&sum, &text])
                        }
                    };
                }
                sum
            }
            PackOperation::Product(sources) => {
                let mut product = String::new();
                for (at, source) in sources.iter().enumerate() {
                    let (text, negative) = self.source(vectors, source);
                    let text = vectors.with_signs(text, &negative);
                    product = if at == 0 { text } else { vectors.call("mul", &[&product, &text]) };
                }
                product
            }
            PackOperation::Apply(operation, sources) => self.apply(vectors, *operation, sources),
        }
    }

    fn apply(
        &mut self,
        vectors: &mut Vectors,
        operation: Operation,
        sources: &[PackOperand],
    ) -> String {
        let mut operands = Vec::new();
        for source in sources {
            let (text, negative) = self.source(vectors, source);
            operands.push(vectors.with_signs(text, &negative));
        }
        match (operation, operands.as_slice()) {
            (Operation::Arithmetic(ArithmeticOperation::Div, ..), [a, b]) => {
                vectors.call("div", &[a, b])
            }
            (Operation::Unary(function @ (Unary::Sin | Unary::Cos), _), [angle])
                if self.simd_sincos =>
            {
                let name = match vectors.angles.get(angle) {
                    Some(name) => name.clone(),
                    None => {
                        self.counter += 1;
                        let (name, width) = (format!("t{}", self.counter), vectors.width);
                        let word = vectors.word("sincos");
                        vectors.lines.push(format!("const lanes{width} {name}_angle = {angle};"));
                        vectors.lines.push(format!("lanes{width} {name}_sin, {name}_cos;"));
                        vectors
                            .lines
                            .push(format!("{word}(&{name}_angle, &{name}_sin, &{name}_cos);"));
                        vectors.angles.insert(angle.clone(), name.clone());
                        name
                    }
                };
                format!("{name}_{}", function.name())
            }
            // Everything else is rare: lane by lane.
            _ => {
                let mut named = Vec::new();
                for operand in &operands {
                    self.counter += 1;
                    let name = format!("t{}", self.counter);
                    vectors.lines.push(format!("const lanes{} {name} = {operand};", vectors.width));
                    named.push(name);
                }
                let each: Vec<String> = (0..vectors.copies)
                    .map(|lane| {
                        let lane = lane.to_string();
                        let operand = |at: usize| vectors.call("get", &[&named[at], &lane]);
                        self.one_lane(operation, &operand)
                    })
                    .collect();
                vectors.of(&each)
            }
        }
    }

    pub(super) fn one_lane(
        &self,
        operation: Operation,
        operand: &dyn Fn(usize) -> String,
    ) -> String {
        let dialect = self.dialect;
        match operation {
            Operation::Unary(function, _) => (dialect.unary)(function, &operand(0)),
            Operation::Binary(function, ..) => (dialect.binary)(function, &operand(0), &operand(1)),
            Operation::Select { compare, .. } => {
                let [left, right, then, otherwise] = [0, 1, 2, 3].map(operand);
                (dialect.select)(compare, [&left, &right, &then, &otherwise])
            }
            // Packs are operations on numbers; sums, products and quotients were written before.
            other => other.word().to_owned(),
        }
    }

    /// An operand, and the signs that it still needs.
    fn source(&mut self, vectors: &mut Vectors, source: &PackOperand) -> (String, Vec<bool>) {
        let values = match &source.what {
            OperandSource::Here(place) => {
                return (vectors.names[*place].clone(), source.negative.clone());
            }
            OperandSource::Earlier(values) | OperandSource::Each(values) => values,
        };
        // Numbers take their signs at once.
        let numbers: Option<Vec<f64>> =
            values.iter().map(|&value| self.program.number(value)).collect();
        if let Some(numbers) = numbers {
            let signed = numbers.iter().zip(&source.negative);
            let each: Vec<String> = signed
                .map(|(&x, &negative)| (self.dialect.number)(if negative { -x } else { x }))
                .collect();
            return (vectors.of(&each), vec![false; values.len()]);
        }
        if let Some(name) = vectors.gathered.get(values) {
            return (name.clone(), source.negative.clone());
        }
        let text = match (&source.what, self.plan.place[values[0].index()]) {
            (OperandSource::Earlier(_), Some(place)) => {
                self.uses.work_read = true;
                format!("{}(w + {place})", vectors.word("load"))
            }
            _ => {
                let each: Vec<String> = values.iter().map(|&value| self.lane(value)).collect();
                vectors.of(&each)
            }
        };
        self.counter += 1;
        let name = format!("t{}", self.counter);
        vectors.lines.push(format!("const lanes{} {name} = {text};", vectors.width));
        vectors.gathered.insert(values.clone(), name.clone());
        (name, source.negative.clone())
    }

    /// A number of one copy that is no pack.
    fn lane(&mut self, value: Value) -> String {
        self.uses.work_read |= self.plan.place[value.index()].is_some();
        self.outside(value)
    }

    /// Stores a pack for later pack sets and as results.
    fn hand_on(&mut self, vectors: &mut Vectors, pack: &Pack, name: String, whereto: &Whereto<'_>) {
        let place = self.plan.place[pack.values[0].index()];
        let given = pack.values.iter().any(|value| whereto.sinks.contains_key(value));
        if place.is_none() && !given {
            return;
        }
        let name = match pack.negative.contains(&true) {
            false => name,
            true => {
                let text = vectors.with_signs(name, &pack.negative);
                self.counter += 1;
                let name = format!("t{}", self.counter);
                vectors.lines.push(format!("const lanes{} {name} = {text};", vectors.width));
                name
            }
        };
        if let Some(place) = place {
            self.uses.work_written = true;
            vectors.lines.push(format!("{}(w + {place}, {name});", vectors.word("store")));
        }
        for (lane, &value) in pack.values.iter().enumerate() {
            let places = self.places(value, whereto);
            if !places.is_empty() {
                let number = vectors.call("get", &[&name, &lane.to_string()]);
                vectors.lines.push(format!("{} = {number};", places.join(" = ")));
            }
        }
    }
}
