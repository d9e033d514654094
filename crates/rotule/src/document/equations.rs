//! The equations of a function: matrices and sums where they are short, else the recursion body by
//! body.

use super::content::{Block, Content, Equation, Spans, math, name, text};
use super::order::groups;
use super::solution::solution;
use crate::equations::constraints::{self, heads};
use crate::equations::{Document, Group, Line, MIRRORED, define_unknowns, equations, written};
use rotule_formalism::constraint::meaning::MultiplierMeaning;
use rotule_formalism::glossary::{LETTERS, Letter, Pass, changed, letter};
use rotule_formalism::readable::{ConstraintTerms, Question};
use rotule_formalism::{Formalism, ModelFunction, MultibodySystem, NodeId, Problem, readable};
use rotule_symbolic::{Expr, Graph, LatexStyle, Node, latex_name, latex_width, latex_word};

/// The widest line, in tenths of a letter.
const ROOM: i64 = 730;
/// A matrix may be this wide without its name and parentheses.
const MATRIX: i64 = 640;
/// A column of numbers may be this wide; the rows of a wider one read better below each other.
const COLUMN: i64 = 220;
/// A matrix has at most this many columns; amsmath sets ten.
const COLUMNS: usize = 10;
/// Number of operations below which an expression is repeated rather than named.
const REPEATED: u32 = 4;

/// A part of a document that is about one function.
pub(super) struct Chapter {
    pub(super) blocks: Vec<Block>,
    /// Letters of recursions that occur.
    pub(super) letters: Vec<&'static Letter>,
}

fn chapter() -> (Content, Vec<&'static Letter>) {
    (Content { head: Vec::new(), title: Vec::new(), blocks: Vec::new() }, Vec::new())
}

/// A name as LaTeX: of `w[link2].x` the letter is that of the glossary, unless a symbol of the
/// model has the name.
fn named(graph: &Graph, variable: &str) -> String {
    let input = graph.lookup(variable).map(|known| graph.node(known));
    if matches!(input, Some(Node::Symbol(_))) {
        return latex_name(variable);
    }
    let stem = variable.split('[').next().unwrap_or(variable);
    let change = changed(variable).map(|letter| format!("\\delta {}", letter.latex));
    let symbol = match (letter(variable), stem) {
        _ if change.is_some() => change.as_deref().unwrap_or(stem),
        (Some(letter), _) if input.is_some() => letter.latex,
        // Outputs have symbols as in a book.
        (None, "effort") => "Q",
        (None, "qdd") => "\\ddot{q}",
        (None, "gravity") => "g",
        (None, "residual") => "r",
        _ => return latex_name(variable),
    };
    let indices =
        variable[stem.len()..].split(['[', ']', ',', '.']).filter(|index| !index.is_empty());
    let indices: Vec<String> = indices.map(latex_word).collect();
    match (indices.is_empty(), symbol.contains('^')) {
        (true, _) => symbol.to_owned(),
        // A power may follow.
        (false, true) => format!("{{{symbol}}}_{{{}}}", indices.join(",")),
        (false, false) => format!("{symbol}_{{{}}}", indices.join(",")),
    }
}

/// The equations of motion.
pub(super) fn of_motion(
    tree: &MultibodySystem,
    formalism: Option<Formalism>,
) -> Result<Chapter, Problem> {
    let question = Question { formalism, ..Question::default() };
    let (found, sheet) = readable::equations(tree, question)?;
    let mut document = written(&found.terms, Vec::new(), &[]);
    if let Some(constraints) = &found.constraints {
        document.add_constraints(constraints::document(constraints));
    }
    define_unknowns(&mut document, &sheet);
    let (graph, ..) = sheet.into_parts();
    let (mut content, mut letters) = chapter();
    content.heading(1, vec![text("Equations of motion")]);
    let mut words = vec![
        text("With the mass matrix "),
        math("M"),
        text(", the efforts "),
        math("c"),
        text(match found.constraints {
            None => " of inertia, gravity and forces, and the efforts ",
            Some(_) => " of inertia, gravity and forces, the efforts ",
        }),
        math("Q"),
        text(" that joints have by law"),
    ];
    if found.constraints.is_some() {
        words.extend([
            text(", and the constraints "),
            math("h"),
            text(" with their Jacobian "),
            math("J"),
            text(" and the multipliers "),
            math("\\lambda"),
        ]);
    }
    words.push(text(", the equations of motion are"));
    content.paragraph(words);
    let head = |&(left, right): &(&str, &str)| Equation {
        left: left.to_owned(),
        lines: vec![right.to_owned()],
    };
    content.equations(heads(found.constraints.as_ref()).iter().map(head).collect());
    if let Some(constraints) = &found.constraints {
        explain_multipliers(&mut content, constraints);
    }
    let titles = ["Mass matrix", "Inertia, gravity and forces", "Laws of joints"];
    set(&mut content, &mut letters, (tree, &graph), &document, &titles);
    if let Some(constraints) = &document.constraints {
        content.heading(2, vec![text("Constraints")]);
        set(&mut content, &mut letters, (tree, &graph), constraints, &[]);
    }
    if let Some(reason) = &found.missing {
        content.paragraph(quoted(&format!("The accelerations are not written out: {reason}.")));
    }
    if !found.accelerations.is_empty() {
        let solved = solution(tree, &graph, &found);
        content.heading(2, vec![text("Accelerations")]);
        let lead = match (solved.by_entries, solved.denominators.is_empty()) {
            (true, _) => {
                "Solved for the accelerations by Cramer's rule, with the entries of M, c and Q as above:"
            }
            (false, false) => "Solved for the accelerations, with their common denominator named:",
            (false, true) => "Solved for the accelerations:",
        };
        content.paragraph(vec![text(lead)]);
        let symbol = |at: usize| graph.text(tree.mechanism.speeds[at].acceleration);
        let mut lines: Vec<(String, Expr)> = solved.denominators.clone();
        lines.extend(solved.accelerations.iter().map(|&(at, expr)| (symbol(at), expr)));
        content.equations(rows(&solved.graph, &lines));
    }
    if !found.efforts.is_empty() {
        content.heading(2, vec![text("Driving efforts")]);
        content.paragraph(vec![text("Efforts that make driven joints move as given:")]);
        let effort = |&(at, expr): &(usize, Expr)| (format!("lambda[{}]", at + 1), expr);
        let lines: Vec<(String, Expr)> = found.efforts.iter().map(effort).collect();
        content.equations(rows(&graph, &lines));
    }
    Ok(Chapter { blocks: content.blocks, letters })
}

/// Adds a table of the rows of constraints and the meaning of their multipliers.
fn explain_multipliers(content: &mut Content, constraints: &ConstraintTerms) {
    content.paragraph(vec![text("Constraints, and what their multipliers are:")]);
    let row = |meaning: &MultiplierMeaning| {
        let each = meaning.rows.clone().map(|at| format!("\\lambda_{{{}}}", at + 1));
        let names = constraints.names[meaning.rows.clone()].join(", ");
        let about = quoted(&capital(&meaning.about));
        vec![vec![math(each.collect::<Vec<_>>().join(",\\, "))], vec![name(names)], about]
    };
    let rows = constraints.meanings.iter().map(row).collect();
    content.table(&["Multipliers", "Constraints", "Meaning"], rows);
    if !constraints.speeds_only.is_empty() {
        let rows: Vec<&str> =
            constraints.speeds_only.iter().map(|&at| constraints.names[at].as_str()).collect();
        content.paragraph(vec![
            text("These relate speeds only, by their rows of "),
            math("J"),
            text(", and have no "),
            math("h"),
            text(": "),
            name(rows.join(", ")),
            text("."),
        ]);
    }
}

/// One function.
pub(super) fn of_function(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
) -> Result<Chapter, Problem> {
    // A formalism that some functions do not have is meant for those that have it.
    let formalism = formalism.filter(|one| function.formalisms().contains(one));
    let (document, graph) = equations(tree, function, formalism)?;
    let (mut content, mut letters) = chapter();
    content.heading(1, vec![text("Function "), name(&function.text)]);
    let about = function.row.about;
    content.paragraph(vec![text(format!("{}.", capital(about)))]);
    if function.of_open_tree(tree) {
        say_open(&mut content, tree);
    }
    set(&mut content, &mut letters, (tree, &graph), &document, &[]);
    Ok(Chapter { blocks: content.blocks, letters })
}

/// Says that loops are open, if there are any.
fn say_open(content: &mut Content, tree: &MultibodySystem) {
    let mechanism = &tree.mechanism;
    let rolling = mechanism.wheels.iter().any(|wheel| wheel.rolling);
    let open = mechanism.cuts.is_empty() && mechanism.couplings.is_empty();
    if open && mechanism.constraints.is_empty() && !rolling {
        return;
    }
    content.paragraph(vec![text(
        "The mechanism has loops or constraints. These are the equations of its open tree: the forces \
         that close loops and hold constraints are not among them.",
    )]);
}

/// Words with names in backticks.
fn quoted(words: &str) -> Spans {
    let parts = words.split('`').enumerate();
    parts.map(|(at, part)| if at % 2 == 1 { name(part) } else { text(part) }).collect()
}

fn capital(words: &str) -> String {
    let mut letters = words.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
}

/// Adds what a document holds, in matrices and rows or as a recursion.
fn set(
    content: &mut Content,
    letters: &mut Vec<&'static Letter>,
    (tree, graph): (&MultibodySystem, &Graph),
    document: &Document,
    titles: &[&str],
) {
    for remark in &document.remarks {
        content.paragraph(quoted(&format!("{}.", capital(remark))));
    }
    if !document.explicit {
        if document.groups.iter().any(|group| group.mirrored) {
            content.paragraph(vec![text(format!("{}.", capital(MIRRORED)))]);
        }
        return recursion(content, letters, (tree, graph), document);
    }
    for (at, group) in document.groups.iter().enumerate() {
        if let Some(title) = titles.get(at) {
            content.heading(2, vec![text(*title)]);
        }
        match matrix(graph, group) {
            Some(equation) => content.equations(vec![equation]),
            None => {
                if group.mirrored {
                    content.paragraph(vec![text(format!("{}.", capital(MIRRORED)))]);
                }
                let line = |line: &Line| (line.label.clone(), line.expr);
                let lines: Vec<(String, Expr)> = group.lines.iter().map(line).collect();
                content.equations(rows(graph, &lines));
            }
        }
    }
}

/// Lines as equations that stand for themselves.
pub(super) fn rows(graph: &Graph, lines: &[(String, Expr)]) -> Vec<Equation> {
    rows_with(graph, lines, &|name| named(graph, name))
}

/// Lines as equations whose names are written in a way of their own.
pub(super) fn rows_with(
    graph: &Graph,
    lines: &[(String, Expr)],
    names: &dyn Fn(&str) -> String,
) -> Vec<Equation> {
    let style = LatexStyle { names, shared: None, room: ROOM };
    let rows = graph.latex_rows(lines, &style).into_iter();
    rows.map(|row| Equation { left: row.latex, lines: row.lines }).collect()
}

/// A group as a matrix if that fits a line.
fn matrix(graph: &Graph, group: &Group) -> Option<Equation> {
    let (name, rows) = group.matrix.as_ref()?;
    let columns = rows.first().map_or(0, Vec::len);
    let mut entries = rows.iter().flatten();
    if entries.all(|&expr| expr == Expr::ZERO) && !rows.is_empty() {
        return Some(Equation { left: name.clone(), lines: vec!["0".to_owned()] });
    }
    let room = if columns == 1 { COLUMN } else { MATRIX };
    if columns > COLUMNS || rows.len() * columns < 2 || rows.len() > 4 * COLUMNS {
        return None;
    }
    let cells: Vec<Vec<String>> =
        rows.iter().map(|row| row.iter().map(|&expr| graph.latex(expr)).collect()).collect();
    let width =
        |column: usize| cells.iter().map(|row| latex_width(&row[column])).max().unwrap_or(0);
    if (0..columns).map(|column| width(column) + 20).sum::<i64>() > room {
        return None;
    }
    let rows: Vec<String> = cells.iter().map(|row| format!("    {}", row.join(" & "))).collect();
    let body = rows.join(" \\\\[3pt]\n");
    let line = format!("\\begin{{pmatrix}}\n{body}\n  \\end{{pmatrix}}");
    Some(Equation { left: name.clone(), lines: vec![line] })
}

/// The recursion in its own order.
fn recursion(
    content: &mut Content,
    letters: &mut Vec<&'static Letter>,
    (tree, graph): (&MultibodySystem, &Graph),
    document: &Document,
) {
    let style =
        LatexStyle { names: &|name| named(graph, name), shared: Some(REPEATED), room: ROOM };
    let outputs = document.named();
    let rows = graph.latex_rows(&outputs, &style);
    let mut found = vec![false; LETTERS.len()];
    for row in &rows[..rows.len() - outputs.len()] {
        if let Some(one) = letter(&row.name).or_else(|| changed(&row.name))
            && let Some(at) = LETTERS.iter().position(|row| row.letter == one.letter)
        {
            found[at] = true;
        }
    }
    letters.extend(LETTERS.iter().zip(found).filter(|(_, found)| *found).map(|(letter, _)| letter));
    let mut pass: Option<Option<Pass>> = None;
    for group in groups(tree, &rows, outputs.len()) {
        let (own, node) = group.place;
        if pass != Some(own) {
            content.heading(2, vec![text(title(own))]);
            pass = Some(own);
        }
        if own.is_some() {
            content.paragraph(about_body(tree, node));
        }
        let equation =
            |&at: &usize| Equation { left: rows[at].latex.clone(), lines: rows[at].lines.clone() };
        content.equations(group.rows.iter().map(equation).collect());
    }
}

fn title(pass: Option<Pass>) -> &'static str {
    match pass {
        Some(Pass::Constants) => "Constants",
        Some(Pass::Outward) => "Outward recursion",
        Some(Pass::Forces) => "Forces",
        Some(Pass::Inward) => "Inward recursion",
        Some(Pass::Solution) => "Outward recursion of accelerations",
        None => "Results",
    }
}

fn about_body(tree: &MultibodySystem, node: NodeId) -> Spans {
    let parent = tree.tree.nodes[node].parent;
    if node == NodeId::GROUND {
        return vec![text("The ground, and forces between bodies:")];
    }
    vec![
        text("Body "),
        name(&tree.tree.nodes[node].name),
        text(", carried by "),
        name(if parent == NodeId::GROUND { "ground" } else { &tree.tree.nodes[parent].name }),
        text(":"),
    ]
}
