//! Lets copies compute opposites, so that the signs of operands are the same in all of them.
//!
//! Which of `a - b` and `b - a` simplification keeps is chance, and differs from copy to copy. A
//! product takes all signs into itself: its copies compute what has no sign, be that the
//! statement's number or its opposite. A sum takes the sign of its first term. Numbers take any
//! sign, and so do products with a number that only one sum reads.
//!
//! What the signs of the other terms should be is not known beforehand: they are unknowns, the same
//! for all copies. Going through the copies in the order in which they run, the sign of each value
//! is an exclusive or of unknowns, and each term of each sum gives an equation. All of them are
//! solved by elimination; those that contradict earlier ones stay signs that differ.

use super::{Phase, RunItem};
use crate::index::Value;
use crate::operation::{ArithmeticOperation, Operation};
use crate::program::Program;
use crate::slp::{OperandSource, Pack, PackOperation};
use rotule_symbolic::Unary;

/// Properties of the packs of a phase.
struct Known {
    /// The signs of operands that all copies should have.
    pattern: Vec<bool>,
    /// Of terms of a sum that can take no sign, the unknown that their sign is; none for the first
    /// of them.
    unknown: Vec<Option<usize>>,
    /// Operands that are numbers in all copies.
    numbers: Vec<bool>,
    /// Terms of a sum that can take no sign.
    firm: Vec<bool>,
    /// `true` if it can have any sign: a product with a number that one sum of this phase reads.
    bends: bool,
}

/// Settles all signs.
pub(super) fn settle(program: &Program, phases: &mut [Phase], order: &[RunItem]) {
    let mut opposite = vec![false; program.len()];
    let mut known: Vec<Vec<Known>> = known(program, phases, order);
    solve(program, phases, &mut known, order);
    for_each_part(order, |phase, copy| {
        one_copy(&mut phases[phase], &known[phase], copy, &mut opposite);
    });
}

/// Calls `visit` with each phase and copy, in the order in which they run.
fn for_each_part(order: &[RunItem], mut visit: impl FnMut(usize, usize)) {
    for item in order {
        let RunItem::Run { phases, first, count, down } = item else { continue };
        for step in 0..*count {
            let copy = if *down { first - step } else { first + step };
            phases.iter().for_each(|&phase| visit(phase, copy));
        }
    }
}

/// Words of all signs together beyond which unknowns are left alone.
const MOST: usize = 1 << 25;

/// Finds the unknowns.
fn solve(program: &Program, phases: &[Phase], known: &mut [Vec<Known>], order: &[RunItem]) {
    let mut unknowns = 0;
    for (pack, known) in
        phases.iter().zip(&mut *known).flat_map(|(phase, known)| phase.packs.iter().zip(known))
    {
        let PackOperation::Sum(sources) = &pack.form else { continue };
        known.unknown = vec![None; sources.len()];
        let firm = (0..sources.len()).filter(|&at| known.firm[at]).skip(1);
        for at in firm {
            known.unknown[at] = Some(unknowns);
            unknowns += 1;
        }
    }
    // A sign is a constant, in the first bit, and unknowns.
    let words = unknowns / 64 + 1;
    let values: usize = phases.iter().flat_map(|one| &one.packs).map(|one| one.values.len()).sum();
    if unknowns == 0 || words * values > MOST {
        return;
    }
    let mut place = vec![u32::MAX; program.len()];
    for (at, value) in
        phases.iter().flat_map(|one| &one.packs).flat_map(|one| &one.values).enumerate()
    {
        place[value.index()] = at as u32;
    }
    let mut system = System { words: words + 1, rows: Vec::new(), pivot: vec![None; unknowns + 1] };
    let mut rows: Vec<(u64, Vec<u64>)> = Vec::new();
    let mut forms = vec![0_u64; values * (words + 1)];
    let words = words + 1;
    let mut sign = vec![0_u64; words];
    for_each_part(order, |phase, copy| {
        for (pack, known) in phases[phase].packs.iter().zip(&known[phase]) {
            let (PackOperation::Sum(sources)
            | PackOperation::Product(sources)
            | PackOperation::Apply(_, sources)) = &pack.form;
            let form = |at: usize, sign: &mut [u64]| {
                let value = match &sources[at].what {
                    OperandSource::Here(place) => phases[phase].packs[*place].values[copy],
                    OperandSource::Earlier(values) | OperandSource::Each(values) => values[copy],
                };
                sign[0] ^= u64::from(sources[at].negative[copy]);
                let from = place[value.index()] as usize;
                if from != u32::MAX as usize {
                    let from = &forms[from * words..(from + 1) * words];
                    sign.iter_mut().zip(from).for_each(|(one, two)| *one ^= two);
                }
            };
            sign.fill(0);
            match &pack.form {
                PackOperation::Product(_) if known.numbers[0] => {}
                PackOperation::Product(_)
                | PackOperation::Apply(Operation::Arithmetic(ArithmeticOperation::Div, ..), _)
                | PackOperation::Apply(
                    Operation::Unary(
                        Unary::Sin | Unary::Tan | Unary::Asin | Unary::Atan | Unary::Sign,
                        _,
                    ),
                    _,
                ) => {
                    (0..sources.len()).for_each(|at| form(at, &mut sign));
                }
                PackOperation::Apply(..) => {}
                PackOperation::Sum(_) => {
                    if let Some(first) = known.firm.iter().position(|&firm| firm) {
                        form(first, &mut sign);
                        for at in first + 1..sources.len() {
                            if let Some(unknown) = known.unknown[at] {
                                let mut row = sign.clone();
                                form(at, &mut row);
                                row[1 + unknown / 64] ^= 1 << (unknown % 64);
                                let ahead = 2 * copy as i64 + 1 - pack.values.len() as i64;
                                rows.push((ahead.unsigned_abs(), row));
                            }
                        }
                    }
                }
            }
            let own = place[pack.values[copy].index()] as usize;
            forms[own * words..(own + 1) * words].copy_from_slice(&sign);
        }
    });
    // Copies at the ends may be particular: those in the middle count first.
    rows.sort_by_key(|(distance, _)| *distance);
    rows.into_iter().for_each(|(_, row)| system.add(row));
    let solution = system.solution(unknowns);
    for known in known.iter_mut().flatten() {
        for at in 0..known.unknown.len() {
            known.pattern[at] = known.unknown[at].is_some_and(|unknown| solution[unknown]);
        }
    }
}

/// Equations without carry: each row is a constant and unknowns that are zero together.
struct System {
    words: usize,
    rows: Vec<Vec<u64>>,
    /// The row that gives an unknown.
    pivot: Vec<Option<usize>>,
}

impl System {
    /// Adds an equation, unless it follows from others or contradicts them.
    fn add(&mut self, mut row: Vec<u64>) {
        loop {
            let Some(word) = (1..self.words).find(|&word| row[word] != 0) else { return };
            let unknown = (word - 1) * 64 + row[word].trailing_zeros() as usize;
            match self.pivot[unknown] {
                Some(at) => {
                    row.iter_mut().zip(&self.rows[at]).for_each(|(one, two)| *one ^= two);
                }
                None => {
                    self.pivot[unknown] = Some(self.rows.len());
                    self.rows.push(row);
                    return;
                }
            }
        }
    }

    /// The unknowns; those that the equations leave free are zero.
    fn solution(&self, unknowns: usize) -> Vec<bool> {
        let mut solution = vec![false; unknowns];
        // A row begins with its own unknown; the others in it come later.
        for unknown in (0..unknowns).rev() {
            let Some(at) = self.pivot[unknown] else { continue };
            let row = &self.rows[at];
            let mut sign = row[0] & 1 == 1;
            for later in unknown + 1..unknowns {
                sign ^= row[1 + later / 64] >> (later % 64) & 1 == 1 && solution[later];
            }
            solution[unknown] = sign;
        }
        solution
    }
}

fn known(program: &Program, phases: &[Phase], order: &[RunItem]) -> Vec<Vec<Known>> {
    // How often packs are read: by sums of the same phase and copy, and by others.
    let mut read = vec![0_u32; program.len()];
    for phase in phases {
        for pack in &phase.packs {
            let sum = matches!(pack.form, PackOperation::Sum(_));
            let (PackOperation::Sum(sources)
            | PackOperation::Product(sources)
            | PackOperation::Apply(_, sources)) = &pack.form;
            for source in sources {
                match &source.what {
                    OperandSource::Here(place) => {
                        let value = phase.packs[*place].values[0];
                        read[value.index()] += if sum { 1 } else { 2 };
                    }
                    OperandSource::Earlier(values) | OperandSource::Each(values) => {
                        values.iter().for_each(|value| read[value.index()] += 2);
                    }
                }
            }
        }
    }
    for item in order {
        if let RunItem::Statement(value) = item {
            crate::slp::flat::reads(program, *value, &mut |of| read[of.index()] += 2);
        }
    }
    for entry in program.outputs().iter().flat_map(|output| &output.entries) {
        read[entry.value.index()] += 2;
    }
    let mut all = Vec::new();
    for phase in phases {
        let mut list: Vec<Known> = Vec::with_capacity(phase.packs.len());
        let each = phase.packs.iter().map(|pack| {
            let (PackOperation::Sum(sources)
            | PackOperation::Product(sources)
            | PackOperation::Apply(_, sources)) = &pack.form;
            let number = |values: &[Value]| values.iter().all(|&v| program.number(v).is_some());
            let numbers: Vec<bool> = sources
                .iter()
                .map(|source| matches!(&source.what, OperandSource::Each(values) if number(values)))
                .collect();
            let once = read[pack.values[0].index()] == 1
                && pack.values[1..].iter().all(|value| read[value.index()] < 2);
            let bends = matches!(pack.form, PackOperation::Product(_)) && numbers[0] && once;
            (numbers, bends)
        });
        for ((numbers, bends), pack) in each.zip(&phase.packs) {
            let (mut firm, mut pattern) = (Vec::new(), Vec::new());
            if let PackOperation::Sum(sources) = &pack.form {
                let soft = |what: &OperandSource| matches!(what, OperandSource::Here(place) if list[*place].bends);
                firm =
                    (0..sources.len()).map(|at| !numbers[at] && !soft(&sources[at].what)).collect();
                pattern = vec![false; sources.len()];
            }
            list.push(Known { pattern, unknown: Vec::new(), numbers, firm, bends });
        }
        all.push(list);
    }
    all
}

fn one_copy(phase: &mut Phase, known: &[Known], copy: usize, opposite: &mut [bool]) {
    for (at, own) in known.iter().enumerate() {
        let (before, rest) = phase.packs.split_at_mut(at);
        let pack = &mut rest[0];
        let value = pack.values[copy];
        let (PackOperation::Sum(sources)
        | PackOperation::Product(sources)
        | PackOperation::Apply(_, sources)) = &mut pack.form;
        for source in sources.iter_mut() {
            let read = match &source.what {
                OperandSource::Here(place) => before[*place].values[copy],
                OperandSource::Earlier(values) | OperandSource::Each(values) => values[copy],
            };
            source.negative[copy] ^= opposite[read.index()];
        }
        let parity = sources.iter().fold(false, |sign, source| sign ^ source.negative[copy]);
        let flipped = match &mut pack.form {
            PackOperation::Product(sources) => {
                sources.iter_mut().for_each(|source| source.negative[copy] = false);
                // A number has the sign, so that sums can change it.
                sources[0].negative[copy] = own.numbers[0] && parity;
                parity && !own.numbers[0]
            }
            PackOperation::Apply(operation, sources) => match operation {
                Operation::Arithmetic(ArithmeticOperation::Div, ..)
                | Operation::Unary(
                    Unary::Sin | Unary::Tan | Unary::Asin | Unary::Atan | Unary::Sign,
                    _,
                ) => {
                    sources.iter_mut().for_each(|source| source.negative[copy] = false);
                    parity
                }
                Operation::Unary(Unary::Cos | Unary::Abs, _) => {
                    sources[0].negative[copy] = false;
                    false
                }
                _ => false,
            },
            PackOperation::Sum(sources) => {
                let signs: Vec<bool> = sources.iter().map(|one| one.negative[copy]).collect();
                let pattern = &own.pattern;
                let firm = || (0..signs.len()).filter(|&at| own.firm[at]);
                let differ = firm().filter(|&at| signs[at] != pattern[at]).count();
                let flip = 2 * differ > firm().count();
                let soft = (0..signs.len()).filter(|&at| !own.numbers[at] && !own.firm[at]);
                for (at, source) in sources.iter_mut().enumerate() {
                    source.negative[copy] = signs[at] ^ flip;
                }
                for at in soft {
                    if (signs[at] ^ flip) != pattern[at]
                        && let OperandSource::Here(place) = sources[at].what
                        && let Pack { negative, form: PackOperation::Product(factors), .. } =
                            &mut before[place]
                    {
                        factors[0].negative[copy] ^= true;
                        negative[copy] ^= true;
                        sources[at].negative[copy] = pattern[at];
                        let bent = before[place].values[copy];
                        opposite[bent.index()] ^= true;
                    }
                }
                flip
            }
        };
        pack.negative[copy] = flipped;
        opposite[value.index()] = flipped;
    }
}
