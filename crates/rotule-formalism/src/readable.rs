//! Equations for people: without the variables of the recursions, as short as they can be written,
//! in the manner of KINDA (Ikoki, Richard, Bouazara and Datoussaid 2009).
//!
//! What the recursions named is put in, and every entry is shortened by itself. For small systems
//! that gives the equations that one would derive by hand. For large ones it would give pages, so
//! beyond a bound the variables stay and the reader is told.
//!
//! ```text
//! M qdd + c = Q + J' lambda    h = 0    J qdd + b = 0      of a mechanism with constraints
//! M qdd + c = Q                f: free, d: driven, whose accelerations are given
//! M_ff qdd_f = Q_f - c_f - M_fd qdd_d
//! lambda_d   = M_df qdd_f + M_dd qdd_d + c_d - Q_d        the efforts that drive
//! ```
//!
//! The system is solved by Cramer's rule, block by block, because a quotient of short sums is
//! easier to read than a chain of eliminations.

#![allow(non_snake_case)] // symbols as in the formulas

use crate::constraint::meaning::{MultiplierMeaning, is_rheonomic, meanings};
use crate::constraint::{self, Row, is_constrained};
use crate::dynamics;
use crate::formalism::Formalism;
use crate::function::ModelFunction;
use crate::problem::Problem;
use crate::system::MultibodySystem;
use crate::transformations::Transformations;
use crate::writer::{Sheet, Writer, exprs};
use rotule_model::index::{SpeedId, SpeedSet};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Graph, Scalar, SymbolId, sum};
use std::collections::BTreeSet;

/// Operands with all names put in, before rules shorten them.
const MAX_WRITTEN_OUT: u64 = 200_000;

/// An entry with more operations than this is not readable as a whole.
pub const MAX_ENTRY: u32 = 160;
/// Nor are equations with more operations than this in all.
pub const MAX_TOTAL: u32 = 800;
/// Nor are solutions for more speeds than this.
pub const MAX_SPEEDS: usize = 60;
/// Larger blocks of coupled accelerations are not solved.
pub const MAX_BLOCK: usize = 3;

/// A function, written for people.
#[derive(Clone, Debug)]
pub struct Readable {
    /// Its outputs; the entries are expressions in the tree's graph.
    pub targets: Vec<Target>,
    /// `true` if the entries stand for themselves; otherwise they use named variables.
    pub explicit: bool,
    /// The formalism that wrote it.
    pub formalism: Formalism,
}

/// The equations of motion, written for people.
#[derive(Clone, Debug)]
pub struct ReadableEquations {
    /// `M`, `c` and `Q` of `M qdd + c = Q + J' lambda`.
    pub terms: Readable,
    /// The constraints, if there are any.
    pub constraints: Option<ConstraintTerms>,
    /// Accelerations that are free: the speed's position, and the solution.
    pub accelerations: Vec<(usize, Expr)>,
    /// The efforts that drive what is driven or locked: the speed's position, and the effort.
    pub efforts: Vec<(usize, Expr)>,
    /// Why accelerations are missing, if they are.
    pub missing: Option<String>,
}

/// The constraints of a mechanism, written for people.
#[derive(Clone, Debug)]
pub struct ConstraintTerms {
    /// `h` and `J` of `h = 0` and `J qd + e = 0`, `e` where time enters, and `b` of `J qdd + b =
    /// 0`.
    pub terms: Readable,
    /// The names of the rows.
    pub names: Vec<String>,
    /// Rows that relate speeds only and have no `h`.
    pub speeds_only: Vec<usize>,
    /// The meanings of the multipliers.
    pub meanings: Vec<MultiplierMeaning>,
}

/// Unknowns that an iteration finds.
#[derive(Clone, Debug)]
pub struct Unknowns {
    /// The unknowns: symbols of the tree's graph.
    pub symbols: Vec<Expr>,
    /// The residuals, which vanish where the unknowns are right; empty if they would be too long
    /// to be read.
    pub residuals: Vec<Expr>,
}

/// The unknowns of a sheet that expressions depend on, through others too, in the order in which
/// they are found. Residuals stand for themselves if the expressions do.
pub fn unknowns(sheet: &Sheet, exprs: &[Expr], explicit: bool) -> Vec<Unknowns> {
    sheet.graph.edit(|graph| {
        let mut reached: BTreeSet<SymbolId> = BTreeSet::new();
        let want = |reached: &mut BTreeSet<SymbolId>, exprs: &[Expr], graph: &mut Graph| {
            for &expr in exprs {
                let set = graph.symbols_of(expr);
                reached.extend(graph.symbols_in(set));
            }
        };
        want(&mut reached, exprs, graph);
        let mut found = Vec::new();
        // One may use what those before it find.
        for solve in sheet.solves.borrow().iter().rev() {
            let symbol = |&unknown: &Expr| graph.symbol_of(unknown);
            if !solve.unknowns.iter().filter_map(symbol).any(|symbol| reached.contains(&symbol)) {
                continue;
            }
            want(&mut reached, &solve.residuals, graph);
            let mut residuals = solve.residuals.clone();
            if explicit {
                residuals = graph.inline(&residuals);
                if fits(graph, &residuals, 4) {
                    residuals = graph.shorten(&residuals);
                }
                if !fits(graph, &residuals, 1) {
                    residuals.clear();
                }
            }
            found.push(Unknowns { symbols: solve.unknowns.clone(), residuals });
        }
        found.reverse();
        found
    })
}

/// A function by one formalism, or if none is named by the one that writes it shortest; with the
/// sheet that it is written on.
pub fn function(
    system: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
) -> Result<(Readable, Sheet), Problem> {
    with_clean_names(system, |system| {
        shortest(system, function.formalisms(), formalism, &function.text, |writer, formalism| {
            function.write(writer, formalism)
        })
    })
}

/// The equations that are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question<'a> {
    /// The formalism; if it is not given, the one that writes them shortest.
    pub formalism: Option<Formalism>,
    /// Speeds whose accelerations are taken as given, besides those of joints that are driven or
    /// locked in the model.
    pub driven: &'a [usize],
    /// `true` if `Q` has applied efforts besides joint laws.
    pub applied: bool,
}

/// The equations of motion, and their solution where it can be written, with the sheet that they
/// are written on.
pub fn equations(
    system: &MultibodySystem,
    question: Question<'_>,
) -> Result<(ReadableEquations, Sheet), Problem> {
    let (mut equations, sheet) = with_clean_names(system, |system| terms(system, question))?;
    if let Some(reason) = unsolvable(system, &equations.terms) {
        equations.missing = Some(reason);
    } else if let Err(reason) = solve(system.writer(&sheet), &mut equations, question.driven) {
        equations.accelerations.clear();
        equations.missing = Some(reason);
    }
    Ok((equations, sheet))
}

/// The equations of motion before they are solved.
fn terms(
    system: &MultibodySystem,
    question: Question<'_>,
) -> Result<(ReadableEquations, Sheet), Problem> {
    let candidates = [Formalism::Barycentric, Formalism::NewtonEuler];
    let (terms, sheet) =
        shortest(system, &candidates, question.formalism, "M, c, Q", |writer, formalism| {
            let Q = if question.applied { writer.applied() } else { writer.laws() };
            let bias = dynamics::parts(writer, crate::Parts::BIAS, formalism);
            let masses = dynamics::masses(writer, formalism);
            Ok(vec![
                dynamics::symmetric("M", writer.speeds(), &masses),
                Target::vector("c", &exprs(&bias)),
                Target::vector("Q", &exprs(&Q)),
            ])
        })?;
    let constraints = match is_constrained(&system.mechanism) {
        true => Some(constraint_terms(system.writer(&sheet), &terms)?),
        false => None,
    };
    let equations = ReadableEquations {
        terms,
        constraints,
        accelerations: Vec::new(),
        efforts: Vec::new(),
        missing: None,
    };
    Ok((equations, sheet))
}

/// The constraints; with named variables if the other terms have them.
fn constraint_terms(writer: Writer<'_, '_>, others: &Readable) -> Result<ConstraintTerms, Problem> {
    let rows = constraint::constraints(writer)?.rows;
    let mut targets = constraint::targets(&rows, writer.speeds());
    if !is_rheonomic(&rows) {
        targets.retain(|target| target.name != "e");
    }
    let terms = match others.explicit {
        true => writer.edit(|graph| spelled_out(graph, targets, others.formalism).0),
        false => Readable { targets, ..others.clone() },
    };
    let without = |(at, row): (usize, &Row)| row.residual.is_none().then_some(at);
    Ok(ConstraintTerms {
        terms,
        speeds_only: rows.iter().enumerate().filter_map(without).collect(),
        meanings: meanings(writer.mechanism, writer.tree, &rows),
        names: rows.into_iter().map(|row| row.name).collect(),
    })
}

/// Equations that are written for people as a whole.
trait Written {
    /// The parts of it.
    fn parts(&self) -> Vec<&Readable>;
}

impl Written for Readable {
    fn parts(&self) -> Vec<&Readable> {
        vec![self]
    }
}

impl Written for ReadableEquations {
    fn parts(&self) -> Vec<&Readable> {
        let constraints = self.constraints.iter().map(|one| &one.terms);
        std::iter::once(&self.terms).chain(constraints).collect()
    }
}

/// Writes such that one name means one quantity. Where parts of the equations use different frames
/// for a body, and so have different quantities of one name, all are written once more in the
/// frames of the tree.
fn with_clean_names<T: Written>(
    system: &MultibodySystem,
    write: impl Fn(&MultibodySystem) -> Result<(T, Sheet), Problem>,
) -> Result<(T, Sheet), Problem> {
    let attempt = |system: &MultibodySystem| {
        let (written, sheet) = write(system)?;
        let named = written.parts().into_iter().filter(|one| !one.explicit);
        let entries = named.flat_map(|one| &one.targets).flat_map(|target| &target.entries);
        let mut exprs: Vec<Expr> = entries.map(|entry| entry.2).collect();
        if !exprs.is_empty() {
            exprs.extend(sheet.solves.borrow().iter().flat_map(|solve| solve.residuals.clone()));
        }
        let numbered = sheet.graph.edit(|graph| graph.restore_names(&exprs));
        Ok((numbered, written, sheet))
    };
    let mut best = attempt(system)?;
    if best.0 > 0 {
        let mut plain = system.clone();
        plain.strategy.transformations = Transformations::PLAIN;
        let plain = attempt(&plain)?;
        if plain.0 < best.0 {
            best = plain;
        }
    }
    Ok((best.1, best.2))
}

/// Why the accelerations are not written at all.
fn unsolvable(tree: &MultibodySystem, terms: &Readable) -> Option<String> {
    let mechanism = &tree.mechanism;
    let rolling = mechanism.wheels.iter().find(|wheel| wheel.rolling);
    let first = (mechanism.cuts.first().map(|cut| ("loop closure", &cut.name)))
        .or_else(|| mechanism.couplings.first().map(|one| ("coupling", &one.name)))
        .or_else(|| mechanism.constraints.first().map(|one| ("constraint", &one.name)))
        .or_else(|| rolling.map(|wheel| ("rolling wheel", &wheel.name)));
    if let Some((kind, name)) = first {
        return Some(format!(
            "accelerations and multipliers follow together, because of constraints such as those of {kind} `{name}`"
        ));
    }
    (!terms.explicit || tree.speeds() > MAX_SPEEDS)
        .then(|| "the accelerations would be too long to read".to_owned())
}

/// Writes with every candidate, or the requested one, and keeps what is shortest. Each
/// candidate has a sheet of its own: on one the second would find the names of its variables
/// taken, and contacts would be solved twice.
fn shortest(
    system: &MultibodySystem,
    candidates: &[Formalism],
    requested: Option<Formalism>,
    what: &str,
    write: impl Fn(Writer<'_, '_>, Formalism) -> Result<Vec<Target>, Problem>,
) -> Result<(Readable, Sheet), Problem> {
    let mut best: Option<((bool, u64), Readable, Sheet)> = None;
    let mut failure = None;
    for &formalism in candidates.iter().filter(|&&one| requested.is_none_or(|name| name == one)) {
        let sheet = system.sheet();
        let targets = match write(system.writer(&sheet), formalism) {
            Ok(targets) => targets,
            Err(problem) => {
                failure = failure.or(Some(problem));
                continue;
            }
        };
        let (readable, length) = sheet.graph.edit(|graph| spelled_out(graph, targets, formalism));
        let order = (!readable.explicit, length);
        if best.as_ref().is_none_or(|(least, ..)| order < *least) {
            best = Some((order, readable, sheet));
        }
    }
    match (best, failure) {
        (Some((_, readable, sheet)), _) => Ok((readable, sheet)),
        (None, Some(problem)) => Err(problem),
        (None, None) => {
            let names: Vec<&str> = candidates.iter().map(|one| one.name()).collect();
            let name = requested.map_or("", Formalism::name);
            Err(Problem::new(
                format!("`{what}` has no {name} formalism"),
                format!("expected one of {}, auto (the shortest)", names.join(", ")),
            ))
        }
    }
}

/// The targets with named variables put in and every entry shortened, if that is not too long; and
/// the operations of what is given back.
fn spelled_out(graph: &mut Graph, targets: Vec<Target>, formalism: Formalism) -> (Readable, u64) {
    let exprs: Vec<Expr> =
        targets.iter().flat_map(|target| target.entries.iter().map(|entry| entry.2)).collect();
    // Putting names in takes its time, and so does shortening, which halves a length at best.
    let hopeless = graph.written_out(&exprs) > MAX_WRITTEN_OUT;
    let inlined = if hopeless { exprs.clone() } else { graph.inline(&exprs) };
    let short = if fits(graph, &inlined, 4) { graph.shorten(&inlined) } else { inlined };
    if hopeless || !fits(graph, &short, 1) {
        let length = graph.counts(&exprs).total();
        return (Readable { targets, explicit: false, formalism }, length);
    }
    let mut values = short.iter().copied();
    let mut targets = targets;
    for entry in targets.iter_mut().flat_map(|target| &mut target.entries) {
        entry.2 = values.next().unwrap_or(entry.2);
    }
    let length = short.iter().map(|&expr| u64::from(graph.cost(expr))).sum();
    (Readable { targets, explicit: true, formalism }, length)
}

/// Returns `true` if expressions are short enough to be read, give or take a factor.
fn fits(graph: &Graph, exprs: &[Expr], factor: u32) -> bool {
    let costs = || exprs.iter().map(|&expr| graph.cost(expr));
    costs().all(|cost| cost <= factor * MAX_ENTRY)
        && costs().fold(0, u32::saturating_add) <= factor * MAX_TOTAL
}

/// Fills in accelerations and efforts, or says why not.
fn solve(
    writer: Writer<'_, '_>,
    equations: &mut ReadableEquations,
    driven: &[usize],
) -> Result<(), String> {
    let size = writer.speeds();
    let mut M = vec![vec![Scalar::ZERO; size]; size];
    let [matrix, bias, laws] = equations.terms.targets.as_slice() else { return Ok(()) };
    for &(row, column, value) in &matrix.entries {
        let (row, column, value) = (row as usize, column as usize, writer.scalar(value));
        (M[row][column], M[column][row]) = (value, value);
    }
    let column = |target: &Target| -> Vec<Scalar<'_>> {
        target.entries.iter().map(|entry| writer.scalar(entry.2)).collect()
    };
    let (c, Q) = (column(bias), column(laws));
    let symbols: Vec<Expr> = writer.mechanism.speeds.iter().map(|one| one.acceleration).collect();
    let unknown = writer.scalars(&symbols);
    let qdd = writer.qdd().into_vec();
    let given = (0..size).filter(|at| driven.contains(at) || qdd[*at] != unknown[*at]);
    let given: SpeedSet = given.map(SpeedId::new).collect();
    let known = || given.iter().map(SpeedId::index);
    let free = || (0..size).filter(|&at| !given.contains(SpeedId::new(at)));
    let right = |row: usize| {
        let moved = known().map(|column| -(M[row][column] * qdd[column]));
        sum([Q[row], -c[row]].into_iter().chain(moved))
    };
    let right: Vec<Scalar<'_>> = (0..size).map(right).collect();
    for row in known() {
        let terms = free().map(|column| M[row][column] * unknown[column]);
        let effort = sum([-right[row]].into_iter().chain(terms)).shortened();
        equations.efforts.push((row, effort.expr()));
    }
    for block in blocks(&M, &given) {
        if block.len() > MAX_BLOCK {
            return Err(format!(
                "{} accelerations depend on each other, and more than {MAX_BLOCK} are too long to read",
                block.len()
            ));
        }
        let Some(solution) = cramer(&M, &right, &block) else {
            let name = |&at: &usize| format!("`{}`", writer.text(symbols[at]));
            let names = block.iter().map(name).collect::<Vec<_>>().join(", ");
            return Err(format!("the mass matrix does not determine {names}: it is singular"));
        };
        equations.accelerations.extend(block.into_iter().zip(exprs(&solution)));
    }
    equations.accelerations.sort_unstable_by_key(|&(at, _)| at);
    let all: Vec<Expr> = equations.accelerations.iter().map(|&(_, value)| value).collect();
    if !writer.read(|graph| fits(graph, &all, 1)) {
        return Err("the accelerations would be too long to read".to_owned());
    }
    Ok(())
}

/// Free speeds that are coupled with each other, directly or through others.
pub fn blocks(mass: &[Vec<Scalar<'_>>], given: &SpeedSet) -> Vec<Vec<usize>> {
    let mut seen = given.clone();
    let mut blocks = Vec::new();
    for start in 0..mass.len() {
        if !seen.insert(SpeedId::new(start)) {
            continue;
        }
        let (mut block, mut at) = (vec![start], 0);
        while at < block.len() {
            let row = block[at];
            for (column, value) in mass[row].iter().enumerate() {
                if !value.is_zero() && seen.insert(SpeedId::new(column)) {
                    block.push(column);
                }
            }
            at += 1;
        }
        block.sort_unstable();
        blocks.push(block);
    }
    blocks
}

/// The solution of a small block of `M x = r` as quotients of determinants; none if it is singular.
pub fn cramer<'g>(
    mass: &[Vec<Scalar<'g>>],
    right: &[Scalar<'g>],
    block: &[usize],
) -> Option<Vec<Scalar<'g>>> {
    let matrix: Vec<Vec<Scalar<'g>>> =
        block.iter().map(|&i| block.iter().map(|&j| mass[i][j]).collect()).collect();
    let below = determinant(&matrix);
    if below.is_zero() {
        return None;
    }
    let below = below.common_factor();
    let mut solution = Vec::with_capacity(block.len());
    for column in 0..block.len() {
        let mut replaced = matrix.clone();
        for (row, &at) in replaced.iter_mut().zip(block) {
            row[column] = right[at];
        }
        let above = determinant(&replaced).common_factor();
        // Factors cancel before sums are divided.
        let (front, rest) = (above.0 / below.0, above.1 / below.1);
        solution.push((front * rest).shortened());
    }
    Some(solution)
}

/// The determinant of a matrix of up to three rows, shortened.
fn determinant<'g>(A: &[Vec<Scalar<'g>>]) -> Scalar<'g> {
    let minor = |a: [usize; 2], b: [usize; 2]| {
        let straight = A[a[0]][b[0]] * A[a[1]][b[1]];
        let crossed = A[a[0]][b[1]] * A[a[1]][b[0]];
        straight - crossed
    };
    let value = match A.len() {
        0 => Scalar::ONE,
        1 => A[0][0],
        2 => minor([0, 1], [0, 1]),
        _ => {
            let minors = [minor([1, 2], [1, 2]), minor([1, 2], [2, 0]), minor([1, 2], [0, 1])];
            sum(minors.iter().zip(&A[0]).map(|(&minor, &entry)| entry * minor))
        }
    };
    value.shortened()
}
