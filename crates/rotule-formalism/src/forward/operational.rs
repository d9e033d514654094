//! The inertia that a place shows to a force and a torque at it.
//!
//! With the Jacobian J of the place (linear above angular velocity, in the ground's components), `J
//! M^-1 J'` always exists: it is what a unit force accelerates. Its inverse, the operational
//! inertia, does only where the place can move in all six directions.

#![allow(non_snake_case)] // symbols as in the formulas

use super::{factored, ldl::LdlFactor};
use crate::dynamics::symmetric;
use crate::formalism::Formalism;
use crate::function::Call;
use crate::kinematics;
use crate::problem::Problem;
use crate::writer::Writer;
use rotule_program::lower::Target;
use rotule_symbolic::{Scalar, sum};

/// `operational_inertia`: `inverse_inertia`, and `inertia` if at least six free speeds move the
/// place.
pub fn operational_inertia(
    writer: Writer<'_, '_>,
    call: &Call<'_>,
) -> Result<Vec<Target>, Problem> {
    let (factor, rows) = factored(writer, "operational_inertia", call.formalism)?;
    let J = jacobian(writer, call)?;
    let (mut halves, mut gains) = (Vec::new(), Vec::new());
    for line in &J {
        let b: Vec<Scalar<'_>> = rows.iter().map(|&row| line[row]).collect();
        let half = factor.half(&b, "J");
        let scaled = factor.scaled(&half).into_iter().map(|one| one.named("JD"));
        gains.push(scaled.collect::<Vec<_>>());
        halves.push(half);
    }
    let mut entries = Vec::new();
    for (i, half) in halves.iter().enumerate() {
        for (j, gain) in gains[..=i].iter().enumerate() {
            let entry = sum(half.iter().zip(gain).map(|(&a, &b)| a * b));
            entries.push((i, j, entry.named(&format!("Vi[{},{}]", i + 1, j + 1))));
        }
    }
    let mut targets = vec![symmetric("inverse_inertia", 6, &entries)];
    let moving = rows.iter().filter(|&&row| J.iter().any(|line| !line[row].is_zero()));
    if moving.count() >= 6
        && let Ok(factor) = LdlFactor::of(&entries, 6, "V")
    {
        targets.insert(0, symmetric("inertia", 6, &factor.inverse("V")));
    }
    Ok(targets)
}

/// The Jacobian of the place by rows.
fn jacobian<'g>(writer: Writer<'_, 'g>, call: &Call<'_>) -> Result<Vec<Vec<Scalar<'g>>>, Problem> {
    let call = Call { formalism: Formalism::Mixed, ..*call };
    let mut J = vec![vec![Scalar::ZERO; writer.speeds()]; 6];
    for target in kinematics::jacobian(writer, &call)? {
        for (row, column, value) in target.entries {
            J[row as usize][column as usize] = writer.scalar(value);
        }
    }
    Ok(J)
}
