//! Lowering: from expressions in a graph to a program.
//!
//! Four steps, each a file: the graph below the outputs becomes flat lists of terms and factors
//! (`items`), in which what depends on parameters only is already set apart; sums and products that
//! have two operands in common share them (`pairs`); the lists are written as binary operations
//! (`write`); the passes of the crate clean up behind. Dead code never enters, because only what an
//! output needs is visited. Unknowns that an iteration finds become regions (`solve`). Marks are
//! put on what has been written (`marks`) and change nothing.

mod items;
mod marks;
mod pairs;
mod solve;
mod uses;
mod write;

use crate::counts::ProgramCounts;
use crate::mark::Tag;
use crate::passes::{PassReport, Reports, reduce, schedule};
use crate::program::Program;
use items::Items;
use rotule_symbolic::{Expr, Graph};
use solve::Needed;
pub use solve::Solve;

/// An output to be computed: a sparse matrix of expressions.
#[derive(Clone, Debug, Default)]
pub struct Target {
    /// The output's name.
    pub name: String,
    /// Number of rows.
    pub rows: u32,
    /// Number of columns; one for a vector.
    pub columns: u32,
    /// `true` if each entry stands for its mirror image, too.
    pub symmetric: bool,
    /// `(row, column, value)`; zeros are left out of the program.
    pub entries: Vec<(u32, u32, Expr)>,
}

impl Target {
    /// A single number.
    pub fn scalar(name: impl Into<String>, value: Expr) -> Target {
        Target::vector(name, &[value])
    }

    /// A column of numbers.
    pub fn vector(name: impl Into<String>, values: &[Expr]) -> Target {
        Target::matrix(name, values.len() as u32, 1, values)
    }

    /// A dense matrix, by rows.
    pub fn matrix(name: impl Into<String>, rows: u32, columns: u32, values: &[Expr]) -> Target {
        let place = |i: usize| (i as u32 / columns.max(1), i as u32 % columns.max(1));
        let entries = values.iter().enumerate().map(|(i, &e)| (place(i).0, place(i).1, e));
        let entries = entries.collect();
        Target { name: name.into(), rows, columns, symmetric: false, entries }
    }
}

/// A mark to be put: a tag on expressions.
#[derive(Clone, Debug)]
pub struct MarkTarget {
    /// The part of the equations.
    pub tag: Tag,
    /// The expressions that the part has found. One that the program does not compute as such is
    /// marked through its operands.
    pub values: Vec<Expr>,
}

/// A request to lower expressions.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The program's name.
    pub name: String,
    /// Inputs in the order in which a caller is to give them. What the outputs need beyond these is
    /// appended in the order of declaration.
    pub inputs: Vec<Expr>,
    /// The outputs.
    pub outputs: Vec<Target>,
    /// Iterations whose unknowns the outputs may use. One may use results of those before it.
    pub solves: Vec<Solve>,
    /// The marks, in the order in which their parts are computed.
    pub marks: Vec<MarkTarget>,
    /// The seed of ties while partial sums and products are shared. Any number gives a correct
    /// program; some give a shorter one than zero, which is the plain order.
    pub seed: u64,
}

/// A program and what the making of it did.
#[derive(Clone, Debug)]
pub struct Lowered {
    /// The program, valid and optimised.
    pub program: Program,
    /// Reports of what each pass removed.
    pub reports: Reports,
}

/// Lowers expressions to a program.
pub fn lower(graph: &Graph, request: &Request) -> Lowered {
    let mut lowered = draft(graph, request);
    lowered.reports.add(schedule(&mut lowered.program));
    lowered
}

/// Lowers expressions to a program that is complete but for the order of its statements: all that
/// comparing the costs of several takes. [`schedule()`] makes of it what [`lower()`] gives.
pub fn draft(graph: &Graph, request: &Request) -> Lowered {
    let mut roots: Vec<Expr> =
        request.outputs.iter().flat_map(|t| t.entries.iter().map(|e| e.2)).collect();
    let needed = Needed::of(graph, &roots, &request.solves);
    roots.extend(needed.expressions());
    let mut items = Items::collect(graph, &roots);
    needed.gather(&mut items);
    let mut reports = Reports::default();
    let nodes = graph.len();
    reports.add(step("collect", (nodes, items.len()), (0, 0), nodes.saturating_sub(items.len())));
    let mut live = items.live();
    let mut before = (items.len(), items.operations(&live));
    for (name, kind) in [("products", pairs::Operation::Product), ("sums", pairs::Operation::Sum)] {
        let shared = pairs::share(&mut items, kind, &live, request.seed);
        live = items.live();
        let after = (items.len(), items.operations(&live));
        reports.add(step(name, (before.0, after.0), (before.1, after.1), shared));
        before = after;
    }
    let mut program = write::write(graph, request, &items, &live, &needed);
    let counts = ProgramCounts::plain(&program);
    let operations = counts.all().operations();
    let mut written = step("write", (items.len(), program.len()), (operations, operations), 0);
    written.evaluation = (counts.body.operations(), counts.body.operations());
    reports.add(written);
    reports.0.extend(reduce(&mut program).0);
    Lowered { program, reports }
}

fn step(
    name: &'static str,
    values: (usize, usize),
    operations: (u64, u64),
    changes: usize,
) -> PassReport {
    PassReport { name, values, operations, evaluation: operations, changes }
}
