//! Dead code: what no output needs is dropped. External calls are pure, so a call without a needed
//! result goes too. A region loses the states that neither an output nor its own residuals need.

use super::PassReport;
use crate::index::{RegionId, Value};
use crate::operation::Operation;
use crate::program::Program;

/// Removes what no output needs. Inputs and declared functions stay: they are the interface.
pub fn dead(program: &mut Program) -> PassReport {
    PassReport::of("dead", program, |program| {
        let before = statements(program);
        let needed = Needed::of(program).values;
        drop_states(program, &needed);
        let keep = |value: &Value| needed[value.index()];
        program.setup.retain(keep);
        program.body.retain(keep);
        program.regions.iter_mut().for_each(|region| region.block.retain(keep));
        super::compact(program);
        before - statements(program)
    })
}

fn statements(program: &Program) -> usize {
    let regions = program.regions.iter().map(|region| region.block.len());
    program.setup.len() + program.body.len() + regions.sum::<usize>()
}

/// The values that outputs need.
struct Needed<'a> {
    program: &'a Program,
    values: Vec<bool>,
    work: Vec<Value>,
}

impl Needed<'_> {
    fn of(program: &Program) -> Needed<'_> {
        let (values, work) = (vec![false; program.len()], Vec::new());
        let mut needed = Needed { program, values, work };
        for entry in program.outputs.iter().flat_map(|output| &output.entries) {
            needed.need(entry.value);
        }
        while let Some(value) = needed.work.pop() {
            needed.visit(value);
        }
        needed
    }

    fn need(&mut self, value: Value) {
        if !std::mem::replace(&mut self.values[value.index()], true) {
            self.work.push(value);
        }
    }

    fn visit(&mut self, value: Value) {
        let program = self.program;
        let operation = program.operation(value);
        match operation {
            Operation::Region(region) => self.region(region),
            Operation::State(region, k) => {
                // Only what lies in the region can need a state, so the region is needed already.
                let region = program.get_region(region);
                self.need(region.initial[k as usize]);
                self.need(region.next[k as usize]);
            }
            Operation::Result { of, index } => {
                self.need(of);
                if let Operation::Region(region) = program.operation(of)
                    && let Some(&state) = program.get_region(region).states.get(index as usize)
                {
                    self.need(state);
                }
            }
            _ => program.operands(operation, |operand| self.need(operand)),
        }
    }

    /// Marks a region: its number of updates depends on its residuals and tolerance, whichever
    /// result is needed.
    fn region(&mut self, region: RegionId) {
        let program = self.program;
        let region = program.get_region(region);
        self.need(region.tolerance);
        for &residual in &region.residuals {
            self.need(residual);
        }
    }
}

/// Drops the states that are not needed and renumbers the results behind them.
fn drop_states(program: &mut Program, needed: &[bool]) {
    // The new index of each result of each region that loses a state.
    let mut shifted: Vec<Option<Vec<u32>>> = vec![None; program.regions.len()];
    for (region, shifted) in program.regions.iter_mut().zip(&mut shifted) {
        let keep: Vec<bool> = region.states.iter().map(|state| needed[state.index()]).collect();
        if keep.iter().all(|&keep| keep) {
            continue;
        }
        let mut count = 0;
        let mut indices = Vec::with_capacity(keep.len() + 2);
        for &kept in keep.iter().chain(&[true, true]) {
            indices.push(count);
            count += u32::from(kept);
        }
        *shifted = Some(indices);
        for list in [&mut region.initial, &mut region.states, &mut region.next] {
            let mut kept = keep.iter();
            list.retain(|_| kept.next() == Some(&true));
        }
    }
    for k in 0..program.len() {
        let Operation::Result { of, index } = program.operations[k] else { continue };
        if let Operation::Region(region) = program.operation(of)
            && let Some(indices) = &shifted[region.index()]
        {
            let index = indices[index as usize];
            program.operations[k] = Operation::Result { of, index };
        }
    }
}
