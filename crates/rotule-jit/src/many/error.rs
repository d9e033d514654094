//! Reasons for which a batch of states was not evaluated.

use super::{InputSource, ManyInputs};
use rotule_program::Program;
use std::fmt;

/// Reason for which a batch of states was not evaluated. But for [`ManyError::Stopped`], nothing
/// has been written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ManyError {
    /// The number of sources is not that of the program's inputs.
    Sources {
        /// Number of sources.
        found: usize,
        /// Number of inputs.
        expected: usize,
    },
    /// The number of places for outputs is not that of the program's outputs.
    Outputs {
        /// Number of places.
        found: usize,
        /// Number of outputs.
        expected: usize,
    },
    /// An input comes from a column that does not exist.
    Column {
        /// Name of the input.
        input: String,
        /// Name of the array; none if there is no array of this number.
        array: Option<String>,
        /// Number of the array or of the column, from zero.
        found: usize,
        /// Number of arrays or of columns.
        count: usize,
    },
    /// An array does not have one row for each state.
    Length {
        /// Name of the array or of the output.
        array: String,
        /// Number of states.
        states: usize,
        /// Numbers in a row.
        row: usize,
        /// Length of the array.
        found: usize,
        /// Length that states and rows ask for.
        expected: usize,
    },
    /// Progress was answered by the request to stop.
    Stopped,
}

impl fmt::Display for ManyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ManyError::Sources { found, expected } => {
                write!(f, "expected {expected} sources of inputs, found {found}")
            }
            ManyError::Outputs { found, expected } => {
                write!(f, "expected {expected} places for outputs, found {found}")
            }
            ManyError::Column { input, array: None, found, count } => write!(
                f,
                "input `{input}` comes from array {found}, counted from 0, but the number of arrays is {count}"
            ),
            ManyError::Column { input, array: Some(array), found, count } => write!(
                f,
                "input `{input}` comes from column {found}, counted from 0, but rows of `{array}` have {count} numbers"
            ),
            ManyError::Length { array, states, row, found, expected } => write!(
                f,
                "`{array}`: expected {expected} numbers ({states} states, {row} for each), found {found}"
            ),
            ManyError::Stopped => f.write_str("stopped before all states were evaluated"),
        }
    }
}

impl std::error::Error for ManyError {}

/// Checks all that a call is given, so that nothing can fail later.
pub(super) fn check(
    program: &Program,
    inputs: &ManyInputs<'_>,
    outputs: &[Option<&mut [f64]>],
) -> Result<(), ManyError> {
    let states = inputs.states;
    let (found, expected) = (inputs.sources.len(), program.inputs().len());
    if found != expected {
        return Err(ManyError::Sources { found, expected });
    }
    let (found, expected) = (outputs.len(), program.outputs().len());
    if found != expected {
        return Err(ManyError::Outputs { found, expected });
    }
    for (input, source) in program.inputs().iter().zip(inputs.sources) {
        let InputSource::Column { array, column } = *source else { continue };
        let refused = |array: Option<&str>, found, count| {
            let (input, array) = (input.name.clone(), array.map(str::to_owned));
            Err(ManyError::Column { input, array, found, count })
        };
        match inputs.arrays.get(array) {
            None => return refused(None, array, inputs.arrays.len()),
            Some(known) if column >= known.row => {
                return refused(Some(known.name), column, known.row);
            }
            Some(_) => {}
        }
    }
    let given = inputs.arrays.iter().map(|array| (array.name, array.row, array.numbers.len()));
    let taken = program.outputs().iter().zip(outputs).filter_map(|(output, place)| {
        let found = place.as_ref()?.len();
        Some((output.name.as_str(), output.dense_len() as usize, found))
    });
    for (array, row, found) in given.chain(taken) {
        // No array is as long as the largest number, so one too many is an error all the same.
        let expected = states.saturating_mul(row);
        if found != expected {
            let array = array.to_owned();
            return Err(ManyError::Length { array, states, row, found, expected });
        }
    }
    Ok(())
}
