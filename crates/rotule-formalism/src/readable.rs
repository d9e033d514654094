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

use crate::constraint::meaning::{MultiplierMeaning, is_rheonomic, meanings};
use crate::constraint::{self, Row, is_constrained};
use crate::dynamics;
use crate::formalism::Formalism;
use crate::function::ModelFunction;
use crate::problem::Problem;
use crate::transformations::Transformations;
use crate::tree::Tree;
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Factor, Graph, Node, SymbolId};
use std::collections::BTreeSet;

/// Operands with all names put in, before rules shorten them.
const MAX_WRITTEN_OUT: u64 = 200_000;

/// An entry with more operations than this is not readable in one piece.
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

/// The unknowns that expressions depend on, through others too, in the order in which they are
/// found. Residuals stand for themselves if the expressions do.
pub fn unknowns(tree: &mut Tree, exprs: &[Expr], explicit: bool) -> Vec<Unknowns> {
    let graph = &mut tree.mechanism.graph;
    let mut wanted: BTreeSet<SymbolId> = BTreeSet::new();
    let want = |wanted: &mut BTreeSet<SymbolId>, exprs: &[Expr], graph: &mut Graph| {
        for &expr in exprs {
            let set = graph.symbols_of(expr);
            wanted.extend(graph.symbols_in(set));
        }
    };
    want(&mut wanted, exprs, graph);
    let mut found = Vec::new();
    // One may use what those before it find.
    for solve in tree.solves.iter().rev() {
        let symbol = |&unknown: &Expr| graph.symbol_of(unknown);
        if !solve.unknowns.iter().filter_map(symbol).any(|symbol| wanted.contains(&symbol)) {
            continue;
        }
        want(&mut wanted, &solve.residuals, graph);
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
}

/// A function by one formalism, or if none is named by the one that writes it shortest.
pub fn function(
    tree: &mut Tree,
    function: &ModelFunction,
    formalism: Option<Formalism>,
) -> Result<Readable, Problem> {
    with_clean_names(tree, |tree| {
        shortest(tree, function.formalisms(), formalism, &function.text, |tree, formalism| {
            function.write(tree, formalism)
        })
    })
}

/// The equations of motion, and their solution where it can be written. The accelerations of the
/// speeds in `driven` are taken as given; so are those of joints that are driven or locked in the
/// model.
pub fn equations(
    tree: &mut Tree,
    formalism: Option<Formalism>,
    driven: &[usize],
) -> Result<ReadableEquations, Problem> {
    let mut equations = with_clean_names(tree, |tree| terms(tree, formalism))?;
    if let Some(reason) = unsolvable(tree, &equations.terms) {
        equations.missing = Some(reason);
    } else if let Err(reason) = solve(tree, &mut equations, driven) {
        equations.accelerations.clear();
        equations.missing = Some(reason);
    }
    Ok(equations)
}

/// The equations of motion before they are solved.
fn terms(tree: &mut Tree, formalism: Option<Formalism>) -> Result<ReadableEquations, Problem> {
    let candidates = [Formalism::Barycentric, Formalism::NewtonEuler];
    let terms = shortest(tree, &candidates, formalism, "M, c, Q", |tree, formalism| {
        let bias = dynamics::parts(tree, crate::Parts::BIAS, formalism);
        let masses = dynamics::masses(tree, formalism);
        Ok(vec![
            dynamics::symmetric("M", tree.speeds(), &masses),
            Target::vector("c", &bias),
            Target::vector("Q", &tree.laws),
        ])
    })?;
    let constraints = match is_constrained(tree) {
        true => Some(constraint_terms(tree, &terms)?),
        false => None,
    };
    Ok(ReadableEquations {
        terms,
        constraints,
        accelerations: Vec::new(),
        efforts: Vec::new(),
        missing: None,
    })
}

/// The constraints; with named variables if the other terms have them.
fn constraint_terms(tree: &mut Tree, others: &Readable) -> Result<ConstraintTerms, Problem> {
    let rows = constraint::constraints(tree)?.rows;
    let mut targets = constraint::targets(&rows, tree.speeds());
    if !is_rheonomic(&rows) {
        targets.retain(|target| target.name != "e");
    }
    let terms = match others.explicit {
        true => spelled_out(&mut tree.mechanism.graph, targets, others.formalism).0,
        false => Readable { targets, ..others.clone() },
    };
    let without = |(at, row): (usize, &Row)| row.residual.is_none().then_some(at);
    Ok(ConstraintTerms {
        terms,
        speeds_only: rows.iter().enumerate().filter_map(without).collect(),
        meanings: meanings(tree, &rows),
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
    tree: &mut Tree,
    write: impl Fn(&mut Tree) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let attempt = |transformations: Transformations| {
        let mut own = Tree { transformations, ..tree.clone() };
        let written = write(&mut own)?;
        own.transformations = tree.transformations;
        let named = written.parts().into_iter().filter(|one| !one.explicit);
        let entries = named.flat_map(|one| &one.targets).flat_map(|target| &target.entries);
        let mut exprs: Vec<Expr> = entries.map(|entry| entry.2).collect();
        if !exprs.is_empty() {
            exprs.extend(own.solves.iter().flat_map(|solve| &solve.residuals));
        }
        let numbered = own.mechanism.graph.restore_names(&exprs);
        Ok((numbered, own, written))
    };
    let mut best = attempt(tree.transformations)?;
    if best.0 > 0 {
        let plain = attempt(Transformations::PLAIN)?;
        if plain.0 < best.0 {
            best = plain;
        }
    }
    *tree = best.1;
    Ok(best.2)
}

/// Why the accelerations are not written at all.
fn unsolvable(tree: &Tree, terms: &Readable) -> Option<String> {
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
/// candidate has a copy of the tree: in one graph the second would find the names of its variables
/// taken, and contacts would be solved twice.
fn shortest(
    tree: &mut Tree,
    candidates: &[Formalism],
    wanted: Option<Formalism>,
    what: &str,
    write: impl Fn(&mut Tree, Formalism) -> Result<Vec<Target>, Problem>,
) -> Result<Readable, Problem> {
    let mut best: Option<((bool, u64), Readable, Tree)> = None;
    let mut failure = None;
    for &formalism in candidates.iter().filter(|&&one| wanted.is_none_or(|name| name == one)) {
        let mut own = tree.clone();
        let targets = match write(&mut own, formalism) {
            Ok(targets) => targets,
            Err(problem) => {
                failure = failure.or(Some(problem));
                continue;
            }
        };
        let (readable, length) = spelled_out(&mut own.mechanism.graph, targets, formalism);
        let order = (!readable.explicit, length);
        if best.as_ref().is_none_or(|(least, ..)| order < *least) {
            best = Some((order, readable, own));
        }
    }
    match (best, failure) {
        (Some((_, readable, own)), _) => {
            *tree = own;
            Ok(readable)
        }
        (None, Some(problem)) => Err(problem),
        (None, None) => {
            let names: Vec<&str> = candidates.iter().map(|one| one.name()).collect();
            let name = wanted.map_or("", Formalism::name);
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
    tree: &mut Tree,
    equations: &mut ReadableEquations,
    driven: &[usize],
) -> Result<(), String> {
    let size = tree.speeds();
    let mut mass = vec![vec![Expr::ZERO; size]; size];
    let [matrix, bias, laws] = equations.terms.targets.as_slice() else { return Ok(()) };
    for &(row, column, value) in &matrix.entries {
        mass[row as usize][column as usize] = value;
        mass[column as usize][row as usize] = value;
    }
    let column = |target: &Target| target.entries.iter().map(|entry| entry.2).collect();
    let (bias, laws): (Vec<Expr>, Vec<Expr>) = (column(bias), column(laws));

    let symbols: Vec<Expr> = tree.mechanism.speeds.iter().map(|one| one.acceleration).collect();
    let given: Vec<bool> =
        (0..size).map(|at| driven.contains(&at) || tree.qdd[at] != symbols[at]).collect();
    let qdd = tree.qdd.clone();
    let graph = &mut tree.mechanism.graph;
    let mut right = Vec::with_capacity(size);
    for row in 0..size {
        let mut terms = vec![laws[row], -bias[row]];
        for column in (0..size).filter(|&column| given[column]) {
            terms.push(-graph.mul(mass[row][column], qdd[column]));
        }
        right.push(graph.sum(&terms));
    }
    for row in (0..size).filter(|&row| given[row]) {
        let mut terms = vec![-right[row]];
        for column in (0..size).filter(|&column| !given[column]) {
            terms.push(graph.mul(mass[row][column], symbols[column]));
        }
        let effort = graph.sum(&terms);
        let effort = graph.shorten(&[effort])[0];
        equations.efforts.push((row, effort));
    }
    for block in blocks(&mass, &given) {
        let names = || -> String {
            let name = |&at: &usize| format!("`{}`", graph.text(symbols[at]));
            block.iter().map(name).collect::<Vec<_>>().join(", ")
        };
        if block.len() > MAX_BLOCK {
            return Err(format!(
                "{} accelerations depend on each other, and more than {MAX_BLOCK} are too long to read",
                block.len()
            ));
        }
        let names = names();
        let Some(solution) = cramer(graph, &mass, &right, &block) else {
            return Err(format!("the mass matrix does not determine {names}: it is singular"));
        };
        equations.accelerations.extend(block.into_iter().zip(solution));
    }
    equations.accelerations.sort_unstable_by_key(|&(at, _)| at);
    let all: Vec<Expr> = equations.accelerations.iter().map(|&(_, value)| value).collect();
    if !fits(graph, &all, 1) {
        return Err("the accelerations would be too long to read".to_owned());
    }
    Ok(())
}

/// Free speeds that are coupled with each other, directly or through others.
pub fn blocks(mass: &[Vec<Expr>], given: &[bool]) -> Vec<Vec<usize>> {
    let mut seen = given.to_vec();
    let mut blocks = Vec::new();
    for start in 0..given.len() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        let (mut block, mut at) = (vec![start], 0);
        while at < block.len() {
            let row = block[at];
            for column in 0..given.len() {
                if mass[row][column] != Expr::ZERO && !std::mem::replace(&mut seen[column], true) {
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
pub fn cramer(
    graph: &mut Graph,
    mass: &[Vec<Expr>],
    right: &[Expr],
    block: &[usize],
) -> Option<Vec<Expr>> {
    let matrix: Vec<Vec<Expr>> =
        block.iter().map(|&i| block.iter().map(|&j| mass[i][j]).collect()).collect();
    let below = determinant(graph, &matrix);
    if below == Expr::ZERO {
        return None;
    }
    let below = factored(graph, below);
    let mut solution = Vec::with_capacity(block.len());
    for column in 0..block.len() {
        let mut replaced = matrix.clone();
        for (row, &at) in replaced.iter_mut().zip(block) {
            row[column] = right[at];
        }
        let above = determinant(graph, &replaced);
        let above = factored(graph, above);
        // Factors cancel before sums are divided.
        let front = graph.div(above.0, below.0);
        let rest = graph.div(above.1, below.1);
        let quotient = graph.mul(front, rest);
        solution.push(graph.shorten(&[quotient])[0]);
    }
    Some(solution)
}

/// An expression as the product of what all its terms have in common and the rest.
fn factored(graph: &mut Graph, expr: Expr) -> (Expr, Expr) {
    let Node::Sum(terms) = graph.node(expr) else { return (Expr::ONE, expr) };
    let terms: Vec<(Expr, Expr)> = terms.iter().map(|term| (term.coefficient, term.core)).collect();
    let factors = |core: Expr| -> Vec<Factor> {
        match graph.node(core) {
            Node::Product(factors) => factors.to_vec(),
            _ => vec![Factor { base: core, power: 1 }],
        }
    };
    let mut common = factors(terms[0].1);
    for &(_, core) in &terms[1..] {
        let own = factors(core);
        for factor in &mut common {
            let power = own.iter().find(|one| one.base == factor.base).map_or(0, |one| one.power);
            factor.power = factor.power.min(power).max(0);
        }
    }
    common.retain(|factor| factor.power > 0);
    let powers: Vec<Expr> =
        common.iter().map(|factor| graph.powi(factor.base, factor.power)).collect();
    let front = graph.product(&powers);
    if front == Expr::ONE {
        return (Expr::ONE, expr);
    }
    let mut rest = Vec::with_capacity(terms.len());
    for (coefficient, core) in terms {
        let quotient = graph.div(core, front);
        rest.push(graph.mul(coefficient, quotient));
    }
    let rest = graph.sum(&rest);
    let rest = graph.shorten(&[rest])[0];
    (front, if expr.is_negative() { -rest } else { rest })
}

/// The determinant of a matrix of up to three rows, shortened.
fn determinant(graph: &mut Graph, matrix: &[Vec<Expr>]) -> Expr {
    let mut minor = |a: [usize; 2], b: [usize; 2]| {
        let straight = graph.mul(matrix[a[0]][b[0]], matrix[a[1]][b[1]]);
        let crossed = graph.mul(matrix[a[0]][b[1]], matrix[a[1]][b[0]]);
        graph.sub(straight, crossed)
    };
    let value = match matrix.len() {
        0 => Expr::ONE,
        1 => matrix[0][0],
        2 => minor([0, 1], [0, 1]),
        _ => {
            let minors = [minor([1, 2], [1, 2]), minor([1, 2], [2, 0]), minor([1, 2], [0, 1])];
            let terms: Vec<Expr> = minors
                .iter()
                .zip(&matrix[0])
                .map(|(&minor, &entry)| graph.mul(entry, minor))
                .collect();
            graph.sum(&terms)
        }
    };
    graph.shorten(&[value])[0]
}
