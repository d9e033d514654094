//! Coordinates of different units, measured alike: turns and slides are compared by the lengths
//! that the constraints show.
//!
//! Whether a coordinate is a good one to depend on others is a question of how much it moves the
//! constraints. Columns of one kind are compared as they are: scaled one by one they would all look
//! the same, and a crank at its dead centre as good as any. Of a slide and a turn in the same row,
//! the ratio is a length of the mechanism, which would make the choice depend on the unit of
//! length. It is taken out.

use rotule_formalism::MultibodySystem;
use rotule_symbolic::elementary::{exp, ln};

/// Multiplies the columns of slides by a length, so that they are comparable with those of turns.
pub(crate) fn alike(tree: &MultibodySystem, rows: &mut [Vec<(usize, f64)>]) {
    let mut slides = vec![false; tree.speeds()];
    for node in &tree.tree.nodes {
        node.parts().filter(|part| part.0.is_length()).for_each(|part| slides[part.2].fill(true));
    }
    let most = |row: &[(usize, f64)], slide: bool| {
        let own = row.iter().filter(|(column, _)| slides[*column] == slide);
        own.fold(0.0_f64, |most, (_, value)| most.max(value.abs()))
    };
    // The mean of all rows that have both, in logarithms: rods weigh like joints.
    let (mut sum, mut count) = (0.0, 0.0);
    for row in rows.iter() {
        let ratio = most(row, false) / most(row, true);
        if ratio.is_finite() && ratio > 0.0 {
            sum += ln(ratio);
            count += 1.0;
        }
    }
    if count == 0.0 {
        return;
    }
    let length = exp(sum / count);
    for (column, value) in rows.iter_mut().flatten() {
        if slides[*column] {
            *value *= length;
        }
    }
}
