//! Stored entries: a matrix that is symmetric or has zeros becomes the list of those of its entries
//! that must be known.
//!
//! Of a symmetric matrix that is the upper half, of any matrix what is not zero, row by row.
//! Whoever fills or factors a matrix of its own needs no more, and a batch of states writes much
//! less. This is no part of [`optimise`](super::optimise), since the shape of outputs changes.

use crate::program::{Program, ProgramOutput};

/// Turns such outputs into vectors. For each output the row and the column of every number, from
/// zero; nothing for an output that stays as it is.
pub fn packed_storage(program: &mut Program) -> Vec<Vec<[u32; 2]>> {
    program.outputs.iter_mut().map(entries).collect()
}

fn entries(output: &mut ProgramOutput) -> Vec<[u32; 2]> {
    let whole = output.entries.len() as u64 == output.dense_len();
    // A matrix of zeros alone stays one: a list without entries would say nothing.
    if output.columns < 2 || output.entries.is_empty() || (whole && !output.symmetric) {
        return Vec::new();
    }
    if output.symmetric {
        for entry in &mut output.entries {
            (entry.row, entry.column) = (entry.row.min(entry.column), entry.row.max(entry.column));
        }
    }
    output.entries.sort_by_key(|entry| (entry.row, entry.column));
    let places = output.entries.iter().map(|entry| [entry.row, entry.column]).collect();
    for (at, entry) in output.entries.iter_mut().enumerate() {
        (entry.row, entry.column) = (at as u32, 0);
    }
    output.rows = output.entries.len() as u32;
    output.columns = 1;
    output.symmetric = false;
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{parse, print, verify};

    #[test]
    fn only_what_must_be_known_is_left() {
        let mut program = parse(
            "program p
            input x coordinate
            input y coordinate
            output S(3, 3) symmetric
              (2, 1) = y
              (0, 0) = x
              (2, 2) = 3
            output A(2, 2)
              (1, 0) = x
            output whole(1, 2)
              (0, 0) = x
              (0, 1) = y
            output v(2)
              (1) = y
            output nothing(2, 2)",
        )
        .unwrap_or_else(|problem| panic!("{problem:?}"));
        let places = packed_storage(&mut program);
        let found: [&[[u32; 2]]; 5] = [&[[0, 0], [1, 2], [2, 2]], &[[1, 0]], &[], &[], &[]];
        assert_eq!(places, found);
        assert!(verify(&program).is_ok(), "{}", print(&program));
        let shapes: Vec<[u32; 2]> =
            program.outputs().iter().map(|output| [output.rows, output.columns]).collect();
        assert_eq!(shapes, [[3, 1], [1, 1], [1, 2], [2, 1], [2, 2]]);
        let first = program.outputs()[0].entries.iter().map(|entry| program.number(entry.value));
        assert_eq!(first.collect::<Vec<_>>(), [None, None, Some(3.0)]);
    }
}
