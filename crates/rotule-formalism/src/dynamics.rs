//! Functions of the dynamics of a tree: inverse, mass, bias and their parts.

use crate::formalism::Formalism;
use crate::forward::preconditions::check_entries;
use crate::function::Call;
use crate::parts::{Given, Parts};
use crate::problem::Problem;
use crate::writer::{Entries, Writer, exprs};
use crate::{barycentric, coriolis, newton_euler};
use rotule_model::index::BySpeed;
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Scalar};

/// The efforts of some parts of the equations of motion.
pub fn parts<'g>(
    writer: Writer<'_, 'g>,
    parts: Parts,
    formalism: Formalism,
) -> BySpeed<Scalar<'g>> {
    efforts_at(writer, &parts.of(writer), formalism)
}

/// The efforts of all parts of the equations of motion at given accelerations.
pub(crate) fn efforts_with<'g>(
    writer: Writer<'_, 'g>,
    qdd: BySpeed<Expr>,
    formalism: Formalism,
) -> BySpeed<Scalar<'g>> {
    let mut given = Parts::ALL.of(writer);
    given.motion.qdd = qdd;
    efforts_at(writer, &given, formalism)
}

pub(crate) fn efforts_at<'g>(
    writer: Writer<'_, 'g>,
    given: &Given,
    formalism: Formalism,
) -> BySpeed<Scalar<'g>> {
    match formalism {
        Formalism::Barycentric => barycentric::efforts(writer, given),
        _ => newton_euler::efforts(writer, given),
    }
}

/// The efforts that the mechanism needs beyond its joint laws.
pub(crate) fn beyond_laws<'g>(writer: Writer<'_, 'g>, formalism: Formalism) -> BySpeed<Scalar<'g>> {
    let efforts = parts(writer, Parts::ALL, formalism);
    efforts.into_iter().zip(writer.laws()).map(|(effort, law)| effort - law).collect()
}

/// The entries of the mass matrix at or below its diagonal that are not zero.
pub fn masses<'g>(writer: Writer<'_, 'g>, formalism: Formalism) -> Entries<'g> {
    match formalism {
        Formalism::Barycentric => barycentric::mass(writer),
        _ => newton_euler::mass(writer),
    }
}

/// `inverse`
pub fn inverse(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("effort", &exprs(&beyond_laws(writer, call.formalism)))])
}

/// `mass`
pub fn mass(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    check_entries(writer.tree, "mass")?;
    Ok(vec![symmetric("M", writer.speeds(), &masses(writer, call.formalism))])
}

/// `bias`
pub fn bias(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("c", &exprs(&parts(writer, Parts::BIAS, call.formalism)))])
}

/// `mass_bias`
pub fn mass_bias(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok([mass(writer, call)?, bias(writer, call)?].concat())
}

/// `gravity`
pub fn gravity(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let efforts = parts(writer, Parts::GRAVITY, call.formalism);
    Ok(vec![Target::vector("gravity", &exprs(&efforts))])
}

/// `coriolis`
pub fn coriolis(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let efforts = parts(writer, Parts::CORIOLIS, call.formalism);
    Ok(vec![Target::vector("coriolis", &exprs(&efforts))])
}

/// `efforts`
pub fn efforts(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(vec![Target::vector("effort", &exprs(&writer.laws()))])
}

/// `coriolis_matrix`
pub fn coriolis_matrix(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    coriolis::matrix(writer, call.formalism)
}

/// `reactions`
pub fn reactions(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    newton_euler::reactions(writer)
}

/// A symmetric matrix from its entries at or below the diagonal.
pub fn symmetric(name: &str, size: usize, entries: &[(usize, usize, Scalar<'_>)]) -> Target {
    let entry = |&(row, column, value): &(usize, usize, Scalar<'_>)| {
        (row as u32, column as u32, value.expr())
    };
    Target {
        name: name.to_owned(),
        rows: size as u32,
        columns: size as u32,
        symmetric: true,
        entries: entries.iter().map(entry).collect(),
    }
}
