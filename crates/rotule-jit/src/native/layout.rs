//! Where numbers lie in the memory of a native kernel.
//!
//! ```text
//! arguments | results | regions | crossing | slots
//! ```
//!
//! The base register points a little behind the first slot, so that the slots in most use are
//! reached by short displacements.

use super::instruction::Place;
use super::uses::Uses;
use rotule_program::{ForeignSignature, Program, Value};

/// Numbers that each region has: runs, failures, iterations, last (whole numbers with one state,
/// floating ones with several), whether it converged (a floating number); with several states also
/// which of them go on, and the number of updates.
pub const REGION_CELLS: u32 = 7;

/// Number of slots before the base.
const BEFORE: i64 = 16;

/// Places of values that have one for good.
pub struct Layout {
    results: u32,
    regions: u32,
    crossing: u32,
    slots: u32,
    lanes: usize,
    crossing_of: Vec<u32>,
    /// The outputs of value `v` are `outputs[start[v]..start[v + 1]]`.
    outputs: Vec<u32>,
    start: Vec<u32>,
}

impl Layout {
    /// The layout of a valid program for so many states. Every place holds the number of each.
    pub fn of(program: &Program, uses: &Uses, lanes: usize) -> Layout {
        let widest = |width: fn(&ForeignSignature) -> u32| {
            program.functions().iter().map(width).max().unwrap_or(0)
        };
        let mut crossings = 0;
        let crossing_of = uses.crossing.iter().map(|&crosses| {
            crossings += u32::from(crosses);
            if crosses { crossings - 1 } else { u32::MAX }
        });
        let crossing_of = crossing_of.collect();
        let results = widest(|function| function.arguments);
        let regions = results + widest(|function| function.results);
        let crossing = regions + program.regions().len() as u32 * REGION_CELLS;
        let (outputs, start) = outputs(program);
        let slots = crossing + crossings;
        Layout { results, regions, crossing, slots, lanes, crossing_of, outputs, start }
    }

    /// Where among the crossing values a value lies.
    pub fn crossing(&self, value: Value) -> Option<u32> {
        let place = self.crossing_of[value.index()];
        (place != u32::MAX).then_some(place)
    }

    /// Positions of a value among the outputs.
    pub fn outputs(&self, value: Value) -> &[u32] {
        let start = self.start[value.index()] as usize;
        &self.outputs[start..self.start[value.index() + 1] as usize]
    }

    /// Returns `true` if some numbers of the outputs are never written.
    pub fn has_zeros(&self, program: &Program) -> bool {
        self.outputs.len() < program.output_len()
    }

    /// The numbers of a region, from where to where.
    pub fn region(&self, region: usize) -> std::ops::Range<usize> {
        let start = self.regions as usize + region * REGION_CELLS as usize;
        start..start + REGION_CELLS as usize
    }

    /// Number of numbers, with so many slots.
    pub fn len(&self, slots: u32) -> usize {
        self.slots as usize + (slots as usize).max(BEFORE as usize)
    }

    /// Where the base points to.
    pub fn base(&self) -> usize {
        self.slots as usize + BEFORE as usize
    }

    /// The distance in bytes of a place from the base; for places in the kernel's memory.
    pub fn displacement(&self, place: Place) -> i64 {
        let cell = match place {
            Place::Argument(k) => k,
            Place::Result(k) => self.results + k,
            Place::Iterations(region) => self.regions + region * REGION_CELLS + 3,
            Place::Converged(region) => self.regions + region * REGION_CELLS + 4,
            Place::Crossing(k) => self.crossing + k,
            Place::Slot(k) => self.slots + k,
            // These have bases of their own.
            Place::Input(k) | Place::Output(k) | Place::Constant(k) => {
                return 8 * self.lanes as i64 * i64::from(k);
            }
        };
        8 * self.lanes as i64 * (i64::from(cell) - self.base() as i64)
    }
}

/// The positions of each value among the numbers of all outputs, mirror images included.
fn outputs(program: &Program) -> (Vec<u32>, Vec<u32>) {
    let mut places = Vec::new();
    let mut before = 0;
    for output in program.outputs() {
        for entry in &output.entries {
            let at = |row: u32, column: u32| before + row * output.columns + column;
            places.push((entry.value, at(entry.row, entry.column)));
            if output.symmetric && entry.row != entry.column {
                places.push((entry.value, at(entry.column, entry.row)));
            }
        }
        before += output.dense_len() as u32;
    }
    let mut start = vec![0_u32; program.len() + 1];
    places.iter().for_each(|(value, _)| start[value.index() + 1] += 1);
    for k in 1..start.len() {
        start[k] += start[k - 1];
    }
    let mut fill = start.clone();
    let mut outputs = vec![0; places.len()];
    for (value, place) in places {
        let k = &mut fill[value.index()];
        outputs[*k as usize] = place;
        *k += 1;
    }
    (outputs, start)
}
