//! Definitions as rows of LaTeX: each with its lines, and the rows that it uses, so that whoever
//! sets them can group and order them.

use super::{Mode, Writer, latex_name};
use crate::expr::Expr;
use crate::graph::Graph;
use crate::node::Node;
use crate::print::layout::Layout;
use crate::print::lines::{Lines, operands};
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

/// The style of rows.
#[derive(Clone, Copy)]
pub struct LatexStyle<'a> {
    /// Names as LaTeX.
    pub names: &'a dyn Fn(&str) -> String,
    /// Named variables get rows, and so does whatever is used twice and has at least so many
    /// operations; without it nothing gets a row of its own.
    pub shared: Option<u32>,
    /// The widest line with its name, in tenths of a letter.
    pub room: i64,
}

impl LatexStyle<'_> {
    /// Plain names, nothing shared, lines that fit a page.
    pub const PLAIN: LatexStyle<'static> =
        LatexStyle { names: &latex_name, shared: None, room: 820 };
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LatexRow {
    /// The defined name: a variable, an output, or a part that got a name here.
    pub name: String,
    /// The name as LaTeX.
    pub latex: String,
    /// The right-hand side, line by line.
    pub lines: Vec<String>,
    /// Positions of the rows that it uses, all before it.
    pub uses: Vec<usize>,
    /// `true` if its name was made here.
    pub part: bool,
}

impl Graph {
    /// Outputs as rows, after the rows of what they use.
    pub fn latex_rows<S: AsRef<str>>(
        &self,
        outputs: &[(S, Expr)],
        style: &LatexStyle<'_>,
    ) -> Vec<LatexRow> {
        let (layout, lines) = match style.shared {
            Some(operations) => Lines::above(self, outputs, operations),
            None => (Layout::new(self, outputs.iter().map(|(_, expr)| *expr)), Lines::default()),
        };
        let mut index: HashMap<&str, usize, FxBuildHasher> = HashMap::default();
        let mut rows = Vec::with_capacity(lines.lines.len() + outputs.len());
        let inner =
            lines.lines.iter().map(|line| (line.name.as_str(), line.body, Some(line.opened)));
        let outer = outputs.iter().map(|(name, expr)| (name.as_ref(), *expr, None));
        for (name, body, line) in inner.chain(outer) {
            let latex = (style.names)(name);
            let opened = line == Some(true);
            let filled = |mode: Mode| {
                let writer = Writer { mode, ..Writer::new(&layout, &lines, style.names) };
                if opened { writer.opened(body) } else { writer.expression(body) }
            };
            let room = style.room.saturating_sub(super::latex_width(&latex)).max(style.room / 3);
            let mut fill = filled(Mode::Line);
            if !fill.fits(room) {
                fill = filled(Mode::Loose);
            }
            let uses = uses(&layout, &lines, &index, body, opened);
            if line.is_some() {
                index.insert(name, rows.len());
            }
            let lines = fill.lines(room);
            rows.push(LatexRow { name: name.to_owned(), latex, lines, uses, part: opened });
        }
        rows
    }
}

/// The rows that an expression uses.
fn uses(
    layout: &Layout<'_>,
    lines: &Lines,
    index: &HashMap<&str, usize, FxBuildHasher>,
    body: Expr,
    opened: bool,
) -> Vec<usize> {
    let graph = layout.graph;
    let mut found = Vec::new();
    let mut waiting = vec![(body.abs(), opened)];
    while let Some((node, open)) = waiting.pop() {
        let name = match graph.node(node) {
            Node::Variable(id) => Some(graph.variable_name(id)),
            _ if open => None,
            _ => lines.name(node),
        };
        if let Some(name) = name {
            found.extend(index.get(name));
            continue;
        }
        waiting.extend(operands(layout, node).into_iter().map(|operand| (operand.abs(), false)));
    }
    found.sort_unstable();
    found.dedup();
    found
}
