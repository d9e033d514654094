//! Constraints: what loops, couplings and the user's own relations require of coordinates and
//! speeds.
//!
//! Each is a row with three parts (Postiau, section 2.1):
//!
//! ```text
//! h(q, t) = 0            none for a row that relates speeds only
//! J qd + e = 0           e: explicit dependence on time
//! J qdd + b = 0          b = Jdot qd, and what the derivative of e adds
//! ```
//!
//! `J` has a column for each speed, also of driven and locked joints. Rows that say nothing, such
//! as those across the plane of a planar loop, are dropped and named.

pub mod actuated;
pub mod augmented;
pub mod blocks;
pub mod closed;
mod congruence;
mod cut;
pub(crate) mod lu;
pub mod meaning;
pub mod partition;
mod position;
pub mod reactions;
pub mod reduced;
pub(crate) mod relation;
mod rolling;
mod tolerance;

use crate::function::Call;
use crate::normalise::normalise;
use crate::problem::Problem;
use crate::writer::Writer;
use rotule_model::index::{BitSet, IndexVec};
use rotule_model::mechanism::{Mechanism, Wheel};
use rotule_model::typed_index;
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

pub use tolerance::TOLERANCE;

typed_index! {
    /// A row, by its position in [`Constraints::rows`].
    RowId;
}

/// A value for each row.
pub type ByRow<T> = IndexVec<RowId, T>;
/// Some of the rows.
pub type RowSet = BitSet<RowId>;

/// The element that a row belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConstraintElement {
    /// The position of a cut in the mechanism.
    Cut(usize),
    /// The position of a coupling.
    Coupling(usize),
    /// The position of a constraint of the user's.
    Constraint(usize),
    /// The position of a wheel that rolls.
    Wheel(usize),
}

/// One constraint.
#[derive(Clone, Debug)]
pub struct Row {
    /// Its name in messages: its element and component.
    pub name: String,
    /// The element that it belongs to.
    pub element: ConstraintElement,
    /// The residual, which must vanish; none if only speeds are related.
    pub residual: Option<Expr>,
    /// The entries of `J` that are not zero, by speed, in order.
    pub entries: Vec<(usize, Expr)>,
    /// The part of the velocity that time makes.
    pub explicit: Expr,
    /// The acceleration that remains when all accelerations are zero.
    pub rate: Expr,
}

/// All constraints of a tree.
#[derive(Clone, Debug, Default)]
pub struct Constraints {
    /// Those that say something.
    pub rows: Vec<Row>,
    /// Names of those that vanish identically.
    pub dropped: Vec<String>,
}

impl Constraints {
    /// Adds a row, unless it says nothing.
    fn add(&mut self, row: Row) {
        let nothing = row.residual.is_none_or(|h| h == Expr::ZERO)
            && row.entries.is_empty()
            && row.explicit == Expr::ZERO;
        if nothing {
            self.dropped.push(row.name);
        } else {
            self.rows.push(row);
        }
    }
}

/// Writes all constraints, in the order of the model: cuts, couplings, the user's, rolling wheels.
pub fn constraints(writer: Writer<'_, '_>) -> Result<Constraints, Problem> {
    let mut all = Constraints::default();
    cut::write(writer, &mut all);
    relation::write(writer, &mut all);
    rolling::write(writer, &mut all)?;
    Ok(all)
}

/// `constraints`
pub fn function(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let rows = constraints(writer)?.rows;
    Ok(targets(&rows, writer.speeds()))
}

/// `h`, `J`, `e` and `b` of some rows.
pub fn targets(rows: &[Row], speeds: usize) -> Vec<Target> {
    let vector = |name: &str, value: fn(&Row) -> Expr| {
        Target::vector(name, &rows.iter().map(value).collect::<Vec<_>>())
    };
    let entries = rows.iter().zip(0..).flat_map(|(row, at)| {
        row.entries.iter().map(move |&(column, value)| (at, column as u32, value))
    });
    let jacobian = Target {
        name: "J".to_owned(),
        rows: rows.len() as u32,
        columns: speeds as u32,
        symmetric: false,
        entries: entries.collect(),
    };
    vec![
        vector("h", |row| row.residual.unwrap_or(Expr::ZERO)),
        jacobian,
        vector("e", |row| row.explicit),
        vector("b", |row| row.rate),
    ]
}

/// The names of all rows, in order.
pub fn names(mechanism: &Mechanism) -> Vec<String> {
    let system = normalise(mechanism.clone());
    constraints(system.writer(&system.sheet()))
        .map_or(Vec::new(), |all| all.rows.into_iter().map(|row| row.name).collect())
}

/// The rows of a rolling wheel among all [`names`], along forward, left and the normal: their
/// multipliers are the force of the ground. None if the wheel has laws.
pub fn rows_of_wheel(names: &[String], wheel: &Wheel) -> Option<[usize; 3]> {
    let own = wheel.rolling.then(|| rolling::row_names(wheel))?;
    let found = own.map(|name| names.iter().rposition(|one| *one == name));
    Some([found[0]?, found[1]?, found[2]?])
}

/// Returns `true` if there is anything to fulfil.
pub fn is_constrained(mechanism: &Mechanism) -> bool {
    !(mechanism.cuts.is_empty()
        && mechanism.couplings.is_empty()
        && mechanism.constraints.is_empty()
        && !mechanism.wheels.iter().any(|wheel| wheel.rolling))
}

/// `closure`
pub fn closure(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let motion = match is_constrained(writer.mechanism) {
        true => &closed::close(writer, writer.partition("closure")?)?.motion,
        false => writer.motion,
    };
    let (q, qd) = (motion.q.as_slice(), motion.qd.as_slice());
    Ok(vec![Target::vector("q", q), Target::vector("qd", qd)])
}

/// `multipliers`
pub fn multipliers(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    if !is_constrained(writer.mechanism) {
        return Ok(vec![Target::vector("lambda", &[])]);
    }
    let count = writer.on_draft(constraints)?.rows;
    let closed = closed::close(writer, writer.partition("multipliers")?)?;
    let (_, lambda) = closed.forward(writer, call.formalism, "multipliers")?;
    // In the order of the rows; those that repeat others carry nothing.
    let value = |row: &Row| {
        let place = closed.rows.iter().position(|known| known.name == row.name);
        place.map_or(Expr::ZERO, |at| lambda[at].expr())
    };
    Ok(vec![Target::vector("lambda", &count.iter().map(value).collect::<Vec<_>>())])
}
