//! Forward dynamics and what follows from the inverse of the mass matrix.
//!
//! With free speeds l and known ones c (driven or locked), the equations of motion are
//!
//! ```text
//! M_ll qdd_l = Q_l - (c + M_.c qdd_c)_l        Q_c = M_cl qdd_l + (c + M_.c qdd_c)_c
//! ```
//!
//! (Postiau, section 1.3.4, with the sign corrected). What stands in the brackets is inverse
//! dynamics with the free accelerations zero, so the columns of M that belong to known speeds are
//! not needed for qdd.

#![allow(non_snake_case)] // symbols as in the formulas

mod articulated_body;
pub(crate) mod blocks;
mod frames;
mod grouped;
pub mod ldl;
mod operational;
pub(crate) mod preconditions;
pub mod singularity;

pub(crate) use grouped::{Solid, shared, solids};
pub use operational::operational_inertia;

use crate::barycentric::reference;
use crate::constraint;
use crate::dynamics::{efforts_with, masses, symmetric};
use crate::forces;
use crate::formalism::Formalism;
use crate::function::Call;
use crate::map::derivatives;
use crate::parts::Parts;
use crate::problem::{Problem, ProblemKind};
use crate::system::Strategy;
use crate::transformations::Transformations;
use crate::writer::{Writer, exprs};
use articulated_body::NothingResists;
use ldl::{LdlFactor, Singular};
use rotule_model::index::{BySpeed, SpeedId, SpeedSet, ids};
use rotule_model::mechanism::{Mechanism, Role};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Scalar, sum};

/// `forward`
pub fn forward(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let qdd = accelerations(writer, "forward", call.formalism)?;
    Ok(vec![Target::vector("qdd", &exprs(&qdd))])
}

/// `motion`
pub fn motion(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let qdd = accelerations(writer, "motion", call.formalism)?;
    // With closed loops, coordinates and speeds are those that belong together.
    let motion = writer.closed_motion();
    let writer = Writer { motion: &motion, ..writer };
    let qdot = derivatives(writer);
    let rates = crate::states::rates(writer);
    Ok(vec![
        Target::vector("q", motion.q.as_slice()),
        Target::vector("qd", motion.qd.as_slice()),
        Target::vector("qdot", &exprs(&qdot)),
        Target::vector("qdd", &exprs(&qdd)),
        Target::vector("rate", &rates),
    ])
}

/// `drives`
pub fn drives(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let free = free(writer.mechanism);
    let output =
        |efforts: BySpeed<Scalar<'_>>| Ok(vec![Target::vector("effort", &exprs(&efforts))]);
    let mut efforts = writer.by_speed(Scalar::ZERO);
    if free.len() == writer.speeds() {
        return output(efforts);
    }
    if constraint::is_constrained(writer.mechanism) {
        check_closes_loops("drives", call.formalism)?;
        return output(constraint::reduced::drives(writer, call.formalism)?);
    }
    let (qdd, laws) = (accelerations(writer, "drives", call.formalism)?, writer.laws());
    if call.formalism == Formalism::ArticulatedBody {
        let needed = efforts_with(writer, exprs(&qdd).into(), call.formalism);
        for at in efforts.ids() {
            let rest = needed[at] - laws[at];
            efforts[at] = if free.contains(at) { Scalar::ZERO } else { rest };
        }
        return output(efforts);
    }
    let needed = efforts_of_known(writer, &free, call.formalism);
    let mut terms: BySpeed<Vec<Scalar<'_>>> = writer.by_speed(Vec::new());
    for (row, column, value) in masses(writer, call.formalism) {
        let (row, column) = (SpeedId::new(row), SpeedId::new(column));
        for (known, other) in [(row, column), (column, row)] {
            if !free.contains(known) && free.contains(other) {
                terms[known].push(value * qdd[other]);
            }
        }
    }
    for at in efforts.ids().filter(|&at| !free.contains(at)) {
        terms[at].extend([needed[at], -laws[at]]);
        efforts[at] = sum(std::mem::take(&mut terms[at]));
    }
    output(efforts)
}

/// Articulated bodies do not close loops.
fn check_closes_loops(function: &str, formalism: Formalism) -> Result<(), Problem> {
    if formalism != Formalism::ArticulatedBody {
        return Ok(());
    }
    let message =
        format!("the articulated-body algorithm does not write `{function}` of a model with loops");
    Err(Problem::new(message, "leave out --formalism: the cheapest is chosen")
        .of(ProblemKind::Formalism))
}

/// `inverse_mass`
pub fn inverse_mass(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let (factor, rows) = factored(writer, "inverse_mass", call.formalism)?;
    let mut entries = factor.inverse("Mi");
    for (row, column, _) in &mut entries {
        (*row, *column) = (rows[*row], rows[*column]);
    }
    Ok(vec![symmetric("inverse_mass", writer.speeds(), &entries)])
}

/// The accelerations of all speeds, in their order.
pub(crate) fn accelerations<'g>(
    writer: Writer<'_, 'g>,
    function: &str,
    formalism: Formalism,
) -> Result<BySpeed<Scalar<'g>>, Problem> {
    if constraint::is_constrained(writer.mechanism) {
        check_closes_loops(function, formalism)?;
        let closed = constraint::closed::close(writer, writer.partition(function)?)?;
        return Ok(closed.forward(writer, formalism, function)?.0);
    }
    if formalism == Formalism::ArticulatedBody {
        preconditions::check(writer.mechanism, function)?;
        let (free, Q, wrenches) =
            (free(writer.mechanism), writer.applied(), forces::on_nodes(writer));
        let qdd = articulated_body::accelerations(writer, &free, &Q, &wrenches);
        return qdd
            .map_err(|NothingResists(at)| preconditions::singular(writer.mechanism, function, at));
    }
    Ok(by_mass(writer, function, formalism)?.qdd)
}

/// Forward dynamics by a factored mass matrix.
pub(crate) struct Solved<'g> {
    pub factor: LdlFactor<'g>,
    /// The free speeds.
    pub rows: Vec<usize>,
    /// The accelerations of all speeds.
    pub qdd: BySpeed<Scalar<'g>>,
}

/// The accelerations, and the factor that gave them, for derivatives. These keep the user's unit of
/// length, and share more with equations that do the same.
pub(crate) fn solved<'g>(
    writer: Writer<'_, 'g>,
    function: &str,
    formalism: Formalism,
) -> Result<Solved<'g>, Problem> {
    let Strategy { transformations, .. } = *writer.strategy;
    let transformations = Transformations { unit: false, ..transformations };
    let strategy = Strategy { transformations, ..writer.strategy.clone() };
    by_mass(Writer { strategy: &strategy, ..writer }, function, formalism)
}

/// The accelerations, and the factor that gave them.
fn by_mass<'g>(
    writer: Writer<'_, 'g>,
    function: &str,
    formalism: Formalism,
) -> Result<Solved<'g>, Problem> {
    let (factor, rows) = factored(writer, function, formalism)?;
    let free = free(writer.mechanism);
    // What is found is the difference to accelerations that are at hand.
    let (needed, start) = match formalism {
        Formalism::Barycentric => {
            let mut given = Parts::ALL.of(writer);
            given.motion.qdd = known_accelerations(writer, &free);
            reference(writer, &given, &free)
        }
        _ => (efforts_of_known(writer, &free, formalism), writer.by_speed(Scalar::ZERO)),
    };
    let Q = writer.applied();
    let b: Vec<Scalar<'g>> = free.iter().map(|row| Q[row] - needed[row]).collect();
    let mut qdd = writer.qdd();
    for (row, value) in free.iter().zip(factor.solve(&b, "a")) {
        qdd[row] = start[row] + value;
    }
    Ok(Solved { factor, rows, qdd })
}

/// The mass matrix of the free speeds, factored, and the free speeds.
pub(crate) fn factored<'g>(
    writer: Writer<'_, 'g>,
    function: &str,
    formalism: Formalism,
) -> Result<(LdlFactor<'g>, Vec<usize>), Problem> {
    preconditions::check(writer.mechanism, function)?;
    preconditions::check_size(writer.tree, function)?;
    let free = free(writer.mechanism);
    let mut place = vec![None; writer.speeds()];
    let rows: Vec<usize> = free.iter().map(SpeedId::index).collect();
    for (number, &row) in rows.iter().enumerate() {
        place[row] = Some(number);
    }
    let entries = masses(writer, formalism);
    let kept = |&(row, column, value): &(usize, usize, Scalar<'g>)| {
        Some((place[row]?, place[column]?, value))
    };
    let entries: Vec<_> = entries.iter().filter_map(kept).collect();
    let singular = |speed: SpeedId| preconditions::singular(writer.mechanism, function, speed);
    let factor = LdlFactor::of(&entries, rows.len(), "M")
        .map_err(|Singular(pivot)| singular(SpeedId::new(rows[pivot])))?;
    let pivots: Vec<_> = free.iter().zip(factor.pivots()).collect();
    match singularity::vanishing(writer, &pivots) {
        Some(speed) => Err(singular(speed)),
        None => Ok((factor, rows)),
    }
}

/// The speeds that follow from the equations of motion.
fn free(mechanism: &Mechanism) -> SpeedSet {
    let joints = mechanism.joints.iter().filter(|joint| joint.role == Role::Free);
    joints.flat_map(|joint| ids(joint.speeds.clone())).collect()
}

/// The accelerations with free ones zero and the others as they are.
fn known_accelerations(writer: Writer<'_, '_>, free: &SpeedSet) -> BySpeed<Expr> {
    let mut known = writer.motion.qdd.clone();
    free.iter().for_each(|at| known[at] = Expr::ZERO);
    known
}

/// The efforts that the mechanism needs with free accelerations zero and the others as they are.
pub(crate) fn efforts_of_known<'g>(
    writer: Writer<'_, 'g>,
    free: &SpeedSet,
    formalism: Formalism,
) -> BySpeed<Scalar<'g>> {
    efforts_with(writer, known_accelerations(writer, free), formalism)
}
