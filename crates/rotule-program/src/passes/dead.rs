//! Dead code: what no output needs is dropped. External calls are pure, so a call without a needed
//! result goes too. A region loses the states that neither an output nor its own residuals need,
//! and the exports that nobody reads.

use super::PassReport;
use crate::index::Value;
use crate::needs::Needs;
use crate::operation::Operation;
use crate::program::{Program, Region};

/// Removes what no output needs. Inputs and declared functions stay: they are the interface.
pub fn dead(program: &mut Program) -> PassReport {
    PassReport::of("dead", program, |program| {
        let before = statements(program);
        let mut needs = Needs::of(program);
        let entries = program.outputs.iter().flat_map(|output| &output.entries);
        needs.add(entries.map(|entry| entry.value), |_| {});
        let needed = needs.values;
        program.hand_marks_down(&needed);
        drop_results(program, &needed);
        let keep = |value: &Value| needed[value.index()];
        program.stages.iter_mut().for_each(|stage| stage.retain(keep));
        program.regions.iter_mut().for_each(|region| region.block.retain(keep));
        super::compact(program);
        before - statements(program)
    })
}

fn statements(program: &Program) -> usize {
    let regions = program.regions.iter().map(|region| region.block.len());
    program.stages.iter().map(Vec::len).sum::<usize>() + regions.sum::<usize>()
}

/// Drops the states that are not needed and the exports that nobody reads; renumbers the results
/// behind them.
fn drop_results(program: &mut Program, needed: &[bool]) {
    let mut read: Vec<Vec<bool>> =
        program.regions.iter().map(|region| vec![false; region.exports.len()]).collect();
    for (k, &operation) in program.operations.iter().enumerate() {
        if let Operation::Result { of, index } = operation
            && let Operation::Region(id) = program.operation(of)
            && let Some(export) = index.checked_sub(program.get_region(id).export_index())
        {
            read[id.index()][export as usize] |= needed[k];
        }
    }
    // The new index of each result of each region that loses one.
    let mut shifted: Vec<Option<Vec<u32>>> = vec![None; program.regions.len()];
    for ((region, read), shifted) in program.regions.iter_mut().zip(&read).zip(&mut shifted) {
        let keep: Vec<bool> = region.states.iter().map(|state| needed[state.index()]).collect();
        let all = || keep.iter().chain(&[true, true]).chain(read);
        if all().all(|&keep| keep) {
            continue;
        }
        let mut count = 0;
        let mut indices = Vec::new();
        for &kept in all() {
            indices.push(count);
            count += u32::from(kept);
        }
        *shifted = Some(indices);
        let Region { initial, states, next, exports, .. } = region;
        for (list, keep) in [(initial, &keep), (states, &keep), (next, &keep), (exports, read)] {
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
