//! Expressions alone: simplification and differentiation of text, without a mechanism.
//!
//! [`simplify`] and [`diff`] take texts such as `2*sin(q)*cos(q)` and give an [`Answer`], which
//! writes itself as text, as LaTeX, as a listing with shared parts, or as a program, and counts its
//! operations.
//!
//! ```
//! use rotule::expressions::{ExpressionOptions, diff, simplify};
//!
//! let options = ExpressionOptions { assume: vec!["m, cos(a)".to_owned()] };
//! assert_eq!(simplify(&["sqrt(m^2*cos(a)^2)"], &options)?.text()?, "m*cos(a)\n");
//!
//! let slopes = diff(&["l*sin(q)"], &["q", "l"], &ExpressionOptions::default())?;
//! assert_eq!(slopes.listing(), "d/dq = l*cos(q)\nd/dl = sin(q)\n");
//!
//! // Mistakes have a place.
//! let error = simplify(&["a + * b"], &ExpressionOptions::default()).err().expect("a mistake");
//! assert!(error.render("input").contains("input:1:5"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! All names in the texts are of one kind, so that the count of an expression does not depend on
//! what its names look like. They are coordinates, not parameters: then all work is that of an
//! evaluation, and none of it is moved into `setup`.

mod answer;
mod equations;
mod error;

pub use answer::{Answer, AnswerOutput, MAX_WRITTEN, OperationComparison, Unwritten};
pub use equations::{MAX_EQUATIONS, OwnEquations};
pub use error::{ExpressionError, Origin};

use rotule_symbolic::list::{items, shifted};
use rotule_symbolic::{
    Expr, Graph, Kind, Operations, ParseError, Syntax, SyntaxNode, build, latex_name, nearest,
    parse,
};
use std::ops::Range;

/// Options of [`simplify`] and [`diff`].
#[derive(Clone, Debug, Default)]
pub struct ExpressionOptions {
    /// Lists, separated by commas, of expressions that are positive wherever the answer will be
    /// used: with `cos(a)` in the list, `sqrt(cos(a)^2)` is `cos(a)`.
    pub assume: Vec<String>,
}

/// Simplifies expressions. All share one graph, and so the work of what they have in common.
///
/// ```
/// let answer = rotule::simplify(&["2*sin(q)*cos(q)", "x + x"], &rotule::expressions::ExpressionOptions::default())?;
/// assert_eq!(answer.text()?, "sin(2*q)\n2*x\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn simplify<S: AsRef<str>>(
    texts: &[S],
    options: &ExpressionOptions,
) -> Result<Answer, ExpressionError> {
    let mut input = read(texts, options)?;
    input.exprs = cheaper(&mut input.graph, input.exprs);
    let (target, labels) = output_names(&input.graph, texts.len());
    let named = labels.into_iter().zip(&input.exprs);
    let outputs = named
        .map(|(label, &expr)| AnswerOutput { latex: latex_name(&label), label, expr })
        .collect();
    Ok(Answer {
        verb: "simplify",
        result: "simplified",
        graph: input.graph,
        outputs,
        labelled: false,
        target,
        columns: 1,
        operations: input.operations,
        bytes: input.bytes,
        unused: input.unused,
    })
}

/// Differentiates expressions by symbols, given as lists separated by commas. The outputs are the
/// derivatives of the first expression by each symbol, then those of the second, and so on.
///
/// A symbol that occurs in no expression is an error.
///
/// ```
/// let answer = rotule::diff(&["m*g*l*cos(q)"], &["q"], &rotule::expressions::ExpressionOptions::default())?;
/// assert_eq!(answer.text()?, "-g*l*m*sin(q)\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn diff<S: AsRef<str>, B: AsRef<str>>(
    texts: &[S],
    by: &[B],
    options: &ExpressionOptions,
) -> Result<Answer, ExpressionError> {
    let mut input = read(texts, options)?;
    let mut symbols: Vec<(String, Expr)> = Vec::new();
    for (index, list) in by.iter().enumerate() {
        let found = input.symbols(list.as_ref());
        symbols.extend(
            found.map_err(|fault| ExpressionError::new(Origin::By(index), list.as_ref(), fault))?,
        );
    }
    let columns: Vec<Expr> = symbols.iter().map(|(_, symbol)| *symbol).collect();
    let derivatives = input.graph.derivatives(&input.exprs, &columns);

    let (_, rows) = output_names(&input.graph, texts.len());
    let mut outputs = Vec::with_capacity(rows.len() * columns.len());
    for (row, of) in rows.iter().enumerate() {
        let above = latex_name(of);
        // In text, one expression needs no name.
        let of = if rows.len() == 1 { "" } else { of };
        for (column, (by, _)) in symbols.iter().enumerate() {
            let below = latex_name(by);
            outputs.push(AnswerOutput {
                label: format!("d{of}/d{by}"),
                latex: format!("\\frac{{\\partial {above}}}{{\\partial {below}}}"),
                expr: derivatives.get(row, column),
            });
        }
    }
    Ok(Answer {
        verb: "diff",
        result: if outputs.len() == 1 { "derivative" } else { "derivatives" },
        graph: input.graph,
        labelled: outputs.len() > 1,
        outputs,
        target: "jacobian".into(),
        columns: columns.len(),
        operations: input.operations,
        bytes: input.bytes,
        unused: input.unused,
    })
}

/// The result of a search beyond building, if it takes fewer operations in all.
fn cheaper(graph: &mut Graph, exprs: Vec<Expr>) -> Vec<Expr> {
    let found = graph.simplify(&exprs);
    let fewer = graph.counts(&found).total() < graph.counts(&exprs).total();
    if fewer { found } else { exprs }
}

/// Expressions that have been read into a graph of their own.
struct Input {
    graph: Graph,
    exprs: Vec<Expr>,
    /// Number of the graph's symbols, from the first, that occur in the expressions.
    occurring: usize,
    /// Operations as written.
    operations: Operations,
    /// The length of all expressions as written.
    bytes: usize,
    /// Symbols of the assumptions that no expression has.
    unused: Vec<String>,
}

fn read<S: AsRef<str>>(texts: &[S], options: &ExpressionOptions) -> Result<Input, ExpressionError> {
    let mut graph = Graph::new();
    let mut trees = Vec::with_capacity(texts.len());
    let mut operations = Operations::default();
    for (index, text) in texts.iter().map(AsRef::as_ref).enumerate() {
        let origin = Origin::Expression(index);
        let tree = parse(text).map_err(|fault| ExpressionError::new(origin, text, fault))?;
        operations += tree.count();
        declare(&mut graph, &tree);
        trees.push((origin, text, tree));
    }
    let occurring = graph.symbols().len();

    // Assumptions come first, because expressions are simplified while they are built.
    for (index, list) in options.assume.iter().enumerate() {
        assume(&mut graph, list)
            .map_err(|fault| ExpressionError::new(Origin::Assume(index), list, fault))?;
    }
    let unused = graph.symbols()[occurring..].iter().map(|s| s.name.clone()).collect();

    let mut exprs = Vec::with_capacity(trees.len());
    for (origin, text, tree) in &trees {
        let expr = build_known(&mut graph, tree);
        exprs.push(expr.map_err(|fault| ExpressionError::new(*origin, text, fault))?);
    }
    let bytes = texts.iter().map(|text| text.as_ref().len()).sum();
    Ok(Input { graph, exprs, occurring, operations, bytes, unused })
}

/// Declares the symbols of a tree in their order of appearance.
fn declare(graph: &mut Graph, tree: &Syntax) {
    for id in tree.ids() {
        if let SyntaxNode::Name(name) = *tree.item(id) {
            graph.symbol(tree.name(name), Kind::Coordinate);
        }
    }
}

/// Builds a tree whose symbols are all declared.
fn build_known(graph: &mut Graph, tree: &Syntax) -> Result<Expr, ParseError> {
    build(graph, tree, &mut |graph: &mut Graph, name: &str| graph.lookup(name))
}

/// States that each expression of a list is positive.
fn assume(graph: &mut Graph, list: &str) -> Result<(), ParseError> {
    for item in items(list)? {
        let start = item.start;
        let tree = parse(&list[item.clone()]).map_err(|fault| shifted(fault, start))?;
        declare(graph, &tree);
        let expr = build_known(graph, &tree).map_err(|fault| shifted(fault, start))?;
        if let Some(number) = graph.number_of(expr)
            && number.to_f64() <= 0.0
        {
            let message = format!("this cannot be positive: it is {number}");
            return Err(ParseError::new(item, message));
        }
        graph.assume_positive(expr);
    }
    Ok(())
}

impl Input {
    /// The symbols in a list, each of which must occur in an expression.
    fn symbols(&self, list: &str) -> Result<Vec<(String, Expr)>, ParseError> {
        let mut symbols = Vec::new();
        for item in items(list)? {
            let tree = parse(&list[item.clone()]).map_err(|fault| shifted(fault, item.start))?;
            let name = match tree.ids().next_back().map(|id| tree.item(id)) {
                Some(SyntaxNode::Name(name)) => tree.name(*name),
                _ => return Err(ParseError::new(item, "expected the name of a symbol")),
            };
            let symbol = self.graph.lookup(name);
            let id = symbol.and_then(|symbol| self.graph.symbol_of(symbol));
            match (symbol, id) {
                (Some(symbol), Some(id)) if id.index() < self.occurring => {
                    symbols.push((name.to_owned(), symbol));
                }
                _ => return Err(self.unknown(name, item)),
            }
        }
        Ok(symbols)
    }

    /// The fault of naming a symbol that no expression has, with the nearest that one has.
    fn unknown(&self, name: &str, span: Range<usize>) -> ParseError {
        let place = if self.exprs.len() == 1 { "the expression" } else { "any expression" };
        let occurring = self.graph.symbols()[..self.occurring].iter();
        let names: Vec<&str> = occurring.map(|symbol| symbol.name.as_str()).collect();
        let mut help = String::new();
        if let Some(near) = nearest(name, names.iter().copied()) {
            help = format!("did you mean `{near}`? ");
        }
        let (shown, more) = names.split_at(names.len().min(MAX_LISTED));
        help.push_str(&match shown {
            [] => "there are no symbols".into(),
            [only] => format!("the only symbol is {only}"),
            several => format!("the symbols are {}", several.join(", ")),
        });
        if !more.is_empty() {
            help.push_str(&format!(" and {} more", more.len()));
        }
        ParseError::new(span, format!("`{name}` does not occur in {place}")).with_help(help)
    }
}

/// A message lists at most this many names.
const MAX_LISTED: usize = 12;

/// A name for the whole answer and one for each of `count` outputs, none of them a symbol: `y`, or
/// `y1`, `y2` and so on.
fn output_names(graph: &Graph, count: usize) -> (String, Vec<String>) {
    let labels = |stem: &str| -> Vec<String> {
        match count {
            1 => vec![stem.to_owned()],
            _ => (1..=count).map(|number| format!("{stem}{number}")).collect(),
        }
    };
    let free = |stem: &str| {
        graph.lookup(stem).is_none()
            && labels(stem).iter().all(|label| graph.lookup(label).is_none())
    };
    let stems = ["y", "f", "result"].map(str::to_owned);
    // There are finitely many symbols, so that some number of underscores makes a free name.
    let more = (1..).map(|count| format!("result{}", "_".repeat(count)));
    let stem = stems.into_iter().chain(more).find(|stem| free(stem)).unwrap_or_default();
    let labels = labels(&stem);
    (stem, labels)
}
