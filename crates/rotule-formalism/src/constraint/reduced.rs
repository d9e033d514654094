//! Further functions of the reduction of a closed tree: inverse dynamics, the efforts of drives,
//! the map from independent speeds to all (Postiau, section 2.5.1), and the equations in all
//! coordinates for those who solve them otherwise (2.5.3).
//!
//! ```text
//! qd = S qd + e'           S: rows of the unit matrix for independent speeds, of B for dependent ones
//! Psi = S' (Phi - Q)       what independent joints must deliver; efforts of any drives Q_a do it if S' Q_a = Psi
//! M_r qdd_f + F_r = S' Q   for free independent speeds f; F_r has the joint laws and the accelerations of drives
//! ```

#![allow(non_snake_case)] // symbols as in the formulas

use super::actuated::{self, ActuationReport, DriveMap};
use super::closed::{Closed, Reduced, close};
use super::{function as rows, is_constrained};
use crate::dynamics::{self, efforts_with, masses, symmetric};
use crate::formalism::Formalism;
use crate::forward::preconditions::check_entries;
use crate::function::Call;
use crate::problem::Problem;
use crate::system::{MotionInput, MultibodySystem};
use crate::writer::{Entries, Writer, exprs, matrix_of};
use rotule_model::index::{BySpeed, SpeedId};
use rotule_model::mechanism::Mechanism;
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Scalar, sum};
use std::collections::HashMap;

/// The efforts that independent joints must deliver, and the map from drives to them.
struct Demand<'g> {
    /// The motion, with closed loops if there are any.
    motion: MotionInput,
    /// By the rows of the map.
    Psi: Vec<Scalar<'g>>,
    map: DriveMap<'g>,
}

/// The efforts that the given accelerations need.
fn demand<'g>(
    writer: Writer<'_, 'g>,
    call: &Call<'_>,
    function: &str,
) -> Result<Demand<'g>, Problem> {
    let (rows, all, coupling, motion) = if is_constrained(writer.mechanism) {
        let closed = close(writer, writer.partition(function)?)?;
        let writer = Writer { motion: &closed.motion, ..writer };
        let mut qdd = writer.qdd();
        for ((speed, B), &rate) in
            closed.partition.dependent().zip(&closed.coupling).zip(&closed.rate)
        {
            // What known accelerations do is in the rate.
            let independent = B.iter().zip(&closed.partition.independent);
            let free = independent.filter(|(_, at)| writer.is_free(**at));
            let terms = free.map(|(&value, &at)| value * qdd[SpeedId::new(at)]);
            let terms: Vec<Scalar<'g>> = terms.collect();
            qdd[SpeedId::new(speed)] = sum([rate].into_iter().chain(terms));
        }
        let none = writer.by_speed(Scalar::ZERO);
        let all = projected(writer, &closed, &qdd, &none, call.formalism);
        let coupling = closed.partition.dependent().zip(closed.coupling).collect();
        (closed.partition.independent, all, coupling, closed.motion)
    } else {
        let all = dynamics::beyond_laws(writer, call.formalism);
        ((0..writer.speeds()).collect(), all, HashMap::new(), writer.motion.clone())
    };
    let Psi: Vec<Scalar<'g>> = rows.iter().map(|&at| all[SpeedId::new(at)]).collect();
    let (drives, weights): (Vec<usize>, Vec<Expr>) =
        actuated::drives(writer.mechanism, &motion, &rows).into_iter().unzip();
    let weights = writer.scalars(&weights);
    let mut entries = vec![vec![Scalar::ZERO; drives.len()]; rows.len()];
    let place: HashMap<usize, usize> =
        rows.iter().enumerate().map(|(row, &at)| (at, row)).collect();
    for (column, drive) in drives.iter().enumerate() {
        match (place.get(drive), coupling.get(drive)) {
            (Some(&row), _) => entries[row][column] = Scalar::ONE,
            (None, Some(own)) => {
                entries.iter_mut().zip(own).for_each(|(row, &value)| row[column] = value);
            }
            (None, None) => {}
        }
    }
    Ok(Demand { motion, Psi, map: DriveMap { rows, drives, weights, entries } })
}

/// Returns `true` if the model says where drives are.
pub fn names_drives(mechanism: &Mechanism) -> bool {
    mechanism.joints.iter().any(|joint| joint.actuation.is_some())
}

/// `closed_inverse`
pub fn inverse(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let Demand { motion, Psi, map } = demand(writer, call, "closed_inverse")?;
    let (efforts, missing) = if names_drives(writer.mechanism) {
        let closed = Writer { motion: &motion, ..writer };
        let (efforts, missing, _) = actuated::shared(closed, &map, &Psi)?;
        (efforts, missing)
    } else {
        let mut efforts = vec![Scalar::ZERO; writer.speeds()];
        map.rows.iter().zip(Psi).for_each(|(&at, value)| efforts[at] = value);
        let missing = vec![Scalar::ZERO; efforts.len()];
        (efforts, missing)
    };
    let (efforts, missing) = (exprs(&efforts), exprs(&missing));
    Ok(vec![Target::vector("effort", &efforts), Target::vector("missing", &missing)])
}

/// The distribution of efforts in `closed_inverse`; none if the model does not say where drives
/// are.
pub fn report(system: &MultibodySystem) -> Option<ActuationReport> {
    if !names_drives(&system.mechanism) {
        return None;
    }
    let sheet = system.sheet();
    let writer = system.writer(&sheet);
    let call = Call { arguments: &[], formalism: Formalism::NewtonEuler };
    let Demand { motion, Psi, map } = demand(writer, &call, "closed_inverse").ok()?;
    let closed = Writer { motion: &motion, ..writer };
    actuated::shared(closed, &map, &Psi).ok().map(|found| found.2)
}

/// `actuation`
pub fn actuation(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let Demand { Psi, map, .. } = demand(writer, call, "actuation")?;
    let mut needed = vec![Scalar::ZERO; writer.speeds()];
    let mut entries = Vec::new();
    for ((&at, &value), row) in map.rows.iter().zip(&Psi).zip(&map.entries) {
        needed[at] = value;
        for (&drive, &factor) in map.drives.iter().zip(row) {
            if !factor.is_zero() {
                entries.push((at, drive, factor));
            }
        }
    }
    let map = matrix_of("Ga", [needed.len(); 2], entries);
    Ok(vec![Target::vector("Psi", &exprs(&needed)), map])
}

/// `drives` of a closed tree.
pub(crate) fn drives<'g>(
    writer: Writer<'_, 'g>,
    formalism: Formalism,
) -> Result<BySpeed<Scalar<'g>>, Problem> {
    let closed = close(writer, writer.partition("drives")?)?;
    let (qdd, _) = closed.forward(writer, formalism, "drives")?;
    let writer = Writer { motion: &closed.motion, ..writer };
    // The outputs are the efforts of drives of known motions.
    let mut applied = writer.by_speed(Scalar::ZERO);
    let free = writer.free_speeds();
    for at in free.iter() {
        applied[at] = writer.scalar(writer.mechanism.speeds[at.index()].effort);
    }
    let mut efforts = projected(writer, &closed, &qdd, &applied, formalism);
    free.iter().for_each(|at| efforts[at] = Scalar::ZERO);
    Ok(efforts)
}

/// `S' (Phi - Q)` at given accelerations, by independent speeds; zero for dependent ones.
fn projected<'g>(
    writer: Writer<'_, 'g>,
    closed: &Closed<'g>,
    qdd: &BySpeed<Scalar<'g>>,
    Q: &BySpeed<Scalar<'g>>,
    formalism: Formalism,
) -> BySpeed<Scalar<'g>> {
    let laws = writer.laws();
    let mut Phi = efforts_with(writer, exprs(qdd).into(), formalism);
    for at in Phi.ids() {
        Phi[at] = sum([Phi[at], -laws[at], -Q[at]]);
    }
    let mut efforts = writer.by_speed(Scalar::ZERO);
    for (number, &speed) in closed.partition.independent.iter().enumerate() {
        let speed = SpeedId::new(speed);
        let dependent = closed.partition.dependent().zip(&closed.coupling);
        let carried = dependent.map(|(at, B)| B[number] * Phi[SpeedId::new(at)]);
        efforts[speed] = sum([Phi[speed]].into_iter().chain(carried));
    }
    efforts
}

/// `reduction`
pub fn reduction(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let size = writer.speeds();
    let mut S = Entries::new();
    if is_constrained(writer.mechanism) {
        let closed = close(writer, writer.partition("reduction")?)?;
        let independent = &closed.partition.independent;
        S.extend(independent.iter().map(|&at| (at, at, Scalar::ONE)));
        for (speed, B) in closed.partition.dependent().zip(&closed.coupling) {
            let row = independent.iter().zip(B).filter(|(_, value)| !value.is_zero());
            S.extend(row.map(|(&at, &value)| (speed, at, value)));
        }
        S.sort_unstable_by_key(|entry| (entry.0, entry.1));
    } else {
        S.extend((0..size).map(|at| (at, at, Scalar::ONE)));
    }
    Ok(vec![matrix_of("S", [size, size], S)])
}

/// `coupling`
pub fn coupling(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let size = writer.speeds();
    let mut B = Entries::new();
    let mut offsets = vec![Scalar::ZERO; size];
    if is_constrained(writer.mechanism) {
        let closed = close(writer, writer.partition("coupling")?)?;
        let independent = &closed.partition.independent;
        let dependent = closed.partition.dependent().zip(&closed.coupling);
        for ((speed, row), &rate) in dependent.zip(&closed.rate) {
            let row = independent.iter().zip(row).filter(|(_, value)| !value.is_zero());
            B.extend(row.map(|(&at, &value)| (speed, at, value)));
            offsets[speed] = rate;
        }
        B.sort_unstable_by_key(|entry| (entry.0, entry.1));
    }
    Ok(vec![matrix_of("B", [size, size], B), Target::vector("offset", &exprs(&offsets))])
}

/// `reduced_mass_bias`
pub fn mass_bias(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    check_entries(writer.tree, "reduced_mass_bias")?;
    let size = writer.speeds();
    let (free, R, F) = if is_constrained(writer.mechanism) {
        let closed = close(writer, writer.partition("reduced_mass_bias")?)?;
        let none = vec![Scalar::ZERO; size];
        let Reduced { free, R, F, .. } = closed.reduced(writer, call.formalism, &none);
        (free, R, F)
    } else {
        let free: Vec<usize> = writer.free_speeds().iter().map(SpeedId::index).collect();
        let mut number = vec![None; size];
        free.iter().enumerate().for_each(|(at, &speed)| number[speed] = Some(at));
        let M = masses(writer, call.formalism).into_iter();
        let R = M.filter_map(|(row, column, value)| Some((number[row]?, number[column]?, value)));
        let R: Entries<'_> = R.collect();
        let mut qdd = writer.scalars(writer.motion.qdd.as_slice());
        free.iter().for_each(|&speed| qdd[speed] = Scalar::ZERO);
        let Phi = efforts_with(writer, exprs(&qdd).into(), call.formalism).into_vec();
        let laws = writer.laws().into_vec();
        let F = free.iter().map(|&speed| Phi[speed] - laws[speed]).collect();
        (free, R, F)
    };
    let R: Entries<'_> =
        R.into_iter().map(|(row, column, value)| (free[row], free[column], value)).collect();
    let mut bias = vec![Scalar::ZERO; size];
    free.iter().zip(F).for_each(|(&speed, value)| bias[speed] = value);
    Ok(vec![symmetric("M_r", size, &R), Target::vector("F_r", &exprs(&bias))])
}

/// `all_coordinates`
pub fn all_coordinates(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let mut targets = dynamics::mass_bias(writer, call)?;
    targets.push(Target::vector("Q", &exprs(&writer.applied())));
    targets.extend(rows(writer, call)?);
    Ok(targets)
}
