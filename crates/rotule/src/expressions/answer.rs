//! The results of simplification and differentiation: expressions in a graph, and the ways to write
//! and to measure them.

use rotule_program::lower::{Lowered, Request, Target, lower};
use rotule_program::{ArithmeticOperation, Program, ProgramCounts};
use rotule_symbolic::{Expr, Graph, Node, Operations, latex_name};
use std::borrow::Cow;
use std::fmt;

/// The limit of [`Answer::text`] in bytes, for input that is shorter than this.
pub const MAX_WRITTEN: usize = 1 << 16;

/// Number of named variables that [`Answer::text`] replaces by their definitions.
const MAX_SPELLED_OUT: usize = 16;

/// One result.
#[derive(Clone, Debug)]
pub struct AnswerOutput {
    /// Its name in text, such as `y1` or `d/dx`.
    pub label: String,
    /// Its name in LaTeX.
    pub latex: String,
    /// The result itself.
    pub expr: Expr,
}

/// Expressions that [`simplify`](super::simplify) or [`diff`](super::diff) made, and the graph in
/// which they live.
#[derive(Clone)]
pub struct Answer {
    pub(crate) verb: &'static str,
    /// The title of the column of results.
    pub(crate) result: &'static str,
    pub(crate) graph: Graph,
    pub(crate) outputs: Vec<AnswerOutput>,
    /// `true` if the results stand with their labels where they could stand alone.
    pub(crate) labelled: bool,
    /// The name of the matrix of all outputs in a program, and its columns.
    pub(crate) target: String,
    pub(crate) columns: usize,
    pub(crate) operations: Operations,
    pub(crate) bytes: usize,
    pub(crate) unused: Vec<String>,
}

/// The reason why an answer cannot be written with one line for each result. [`Answer::listing`]
/// can always write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unwritten {
    /// The text is longer than so many bytes, because parts that are shared repeat.
    TooLong(usize),
    /// The number of long parts with names, which need lines of their own.
    Named(usize),
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unwritten::TooLong(limit) => write!(f, "in full, the result exceeds {limit} bytes"),
            Unwritten::Named(count) => write!(f, "the result has {count} named parts"),
        }
    }
}

impl std::error::Error for Unwritten {}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("outputs", &self.outputs).finish_non_exhaustive()
    }
}

impl Answer {
    /// The graph.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The results, in the order in which they were requested.
    pub fn outputs(&self) -> &[AnswerOutput] {
        &self.outputs
    }

    /// Names in the assumptions that no expression has: probably mistyped.
    pub fn unused(&self) -> &[String] {
        &self.unused
    }

    /// One line for each result, with its label where derivatives are to be told apart.
    ///
    /// A graph shares and a text does not: a text that would be longer than both [`MAX_WRITTEN`]
    /// and what was given is refused.
    pub fn text(&self) -> Result<String, Unwritten> {
        let (graph, exprs) = self.spelled_out()?;
        self.written(&graph, &exprs)
    }

    /// As [`Answer::text`], each line in LaTeX for math mode.
    pub fn latex(&self) -> Result<String, Unwritten> {
        let (graph, exprs) = self.spelled_out()?;
        // LaTeX has no limit of its own, but it is a small multiple of the text.
        self.written(&graph, &exprs)?;
        let mut text = String::new();
        for (output, &expr) in self.outputs.iter().zip(&exprs) {
            if self.labelled {
                text.push_str(&format!("{} = ", output.latex));
            }
            text.push_str(&graph.latex(expr));
            text.push('\n');
        }
        Ok(text)
    }

    fn written(&self, graph: &Graph, exprs: &[Expr]) -> Result<String, Unwritten> {
        let limit = MAX_WRITTEN.max(2 * self.bytes);
        let mut rest = limit;
        let mut text = String::new();
        for (output, &expr) in self.outputs.iter().zip(exprs) {
            if self.labelled {
                text.push_str(&format!("{} = ", output.label));
            }
            let body = graph.text_limited(expr, rest).ok_or(Unwritten::TooLong(limit))?;
            rest = rest.saturating_sub(body.len());
            text.push_str(&body);
            text.push('\n');
        }
        Ok(text)
    }

    /// The results with definitions in the place of named variables, which differentiation makes of
    /// long sums and products. Few can be put in; many would make the text grow with each.
    fn spelled_out(&self) -> Result<(Cow<'_, Graph>, Vec<Expr>), Unwritten> {
        let exprs: Vec<Expr> = self.outputs.iter().map(|output| output.expr).collect();
        let variable = |expr: Expr| match self.graph.node(expr) {
            Node::Variable(id) => Some((expr, self.graph.definition(id))),
            _ => None,
        };
        let reachable = self.graph.reachable(&exprs);
        let variables: Vec<_> = reachable.into_iter().filter_map(variable).collect();
        if variables.is_empty() {
            return Ok((Cow::Borrowed(&self.graph), exprs));
        }
        if variables.len() > MAX_SPELLED_OUT {
            return Err(Unwritten::Named(variables.len()));
        }
        let mut graph = self.graph.clone();
        let mut pairs: Vec<(Expr, Expr)> = Vec::with_capacity(variables.len());
        // The definition of a variable is older than the variable.
        for (variable, definition) in variables {
            pairs.push((variable, graph.substitute(&[definition], &pairs)[0]));
        }
        let exprs = graph.substitute(&exprs, &pairs);
        Ok((Cow::Owned(graph), exprs))
    }

    /// Lines `label = expression`, preceded by one for each part that is used more than once.
    pub fn listing(&self) -> String {
        self.graph.listing(&self.named())
    }

    /// The listing as an `align*` environment of LaTeX's `amsmath`.
    pub fn latex_listing(&self) -> String {
        let listing = self.graph.latex_listing(&self.named());
        let mut text = String::with_capacity(listing.len());
        let mut outputs = self.outputs.iter().peekable();
        for line in listing.split_inclusive('\n') {
            // The results come in their order, under names that no line before them has.
            let rest = outputs.peek().and_then(|output| {
                let start = format!("  {} &= ", latex_name(&output.label));
                Some((&output.latex, line.strip_prefix(&start)?))
            });
            match rest {
                Some((label, rest)) => {
                    text.push_str(&format!("  {label} &= {rest}"));
                    outputs.next();
                }
                None => text.push_str(line),
            }
        }
        text
    }

    fn named(&self) -> Vec<(&str, Expr)> {
        self.outputs.iter().map(|output| (output.label.as_str(), output.expr)).collect()
    }

    /// The results as one matrix of a program: a column of simplified expressions, or the Jacobian
    /// with one row for each expression.
    pub fn lower(&self) -> Lowered {
        let exprs: Vec<Expr> = self.outputs.iter().map(|output| output.expr).collect();
        let columns = self.columns.max(1);
        let rows = (exprs.len() / columns) as u32;
        let target = Target::matrix(&self.target, rows, columns as u32, &exprs);
        lower(
            &self.graph,
            &Request {
                name: self.verb.into(),
                inputs: Vec::new(),
                outputs: vec![target],
                ..Request::default()
            },
        )
    }

    /// Operations as written against those of the program that [`Answer::lower`] gave.
    pub fn compare(&self, program: &Program) -> OperationComparison {
        let tally = ProgramCounts::of(program).all();
        let after = Operations {
            add: tally.arithmetic(ArithmeticOperation::Add)
                + tally.arithmetic(ArithmeticOperation::Sub),
            multiply: tally.arithmetic(ArithmeticOperation::Mul),
            divide: tally.arithmetic(ArithmeticOperation::Div),
            functions: tally.functions() + tally.select + tally.call,
        };
        OperationComparison { title: self.result, before: self.operations, after }
    }
}

/// Operations before and after; prints as a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationComparison {
    title: &'static str,
    /// Of the expressions as they were written, nothing shared.
    pub before: Operations,
    /// Of the program, everything shared.
    pub after: Operations,
}

impl fmt::Display for OperationComparison {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let OperationComparison { title, before, after } = self;
        writeln!(f, "{:<12}{:>12}{title:>13}", "operations", "as written")?;
        for (name, before, after) in [
            ("+ -", before.add, after.add),
            ("*", before.multiply, after.multiply),
            ("/", before.divide, after.divide),
            ("functions", before.functions, after.functions),
        ] {
            writeln!(f, "{name:<12}{before:>12}{after:>13}")?;
        }
        write!(f, "{:<12}{:>12}{:>13}", "total", before.total(), after.total())
    }
}
