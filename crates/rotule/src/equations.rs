//! Equations as text and as LaTeX: what `rotule_formalism::readable` gives, set for people.
//!
//! Lines of text read `NAME = EXPRESSION` in the language of expressions, so that each can be
//! simplified or differentiated further; lines that begin with `#` are remarks. LaTeX is made of
//! `align*` environments of the `amsmath` package, ready for `\input`.

pub(crate) mod constraints;

use rotule_formalism::function::FunctionKind;
use rotule_formalism::labels::{Labels, labels, speed_names};
use rotule_formalism::readable::{self, Question, Readable};
use rotule_formalism::{Formalism, ModelFunction, MultibodySystem, Problem, Sheet};
use rotule_model::mechanism::{Joint, Mechanism, Role};
use rotule_numeric::partitioned;
use rotule_program::lower::Target;
use rotule_symbolic::likely;
use rotule_symbolic::list::items;
use rotule_symbolic::{Expr, Graph, latex_name};
use std::collections::HashMap;
use std::fmt::Write;

/// Outputs of at most this many entries are written with their zeros.
const WITH_ZEROS: u32 = 36;
/// A matrix of LaTeX has rows of at most so many letters, as text, and so many columns.
const MATRIX_LETTERS: usize = 72;
const MATRIX_COLUMNS: u32 = 10;

/// Equations in groups, with remarks.
#[derive(Clone, Debug)]
pub struct Document {
    /// Remarks on them.
    pub remarks: Vec<String>,
    pub(crate) groups: Vec<Group>,
    /// `true` if lines stand for themselves; otherwise named variables get lines, too.
    pub(crate) explicit: bool,
    /// The equations that the lines are the terms of, as LaTeX, left and right of the sign of
    /// equality.
    pub(crate) heads: Vec<(&'static str, &'static str)>,
    /// Constraints that are not among the groups.
    pub(crate) constraints: Option<Box<Document>>,
}

/// Lines that belong together.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) lines: Vec<Line>,
    /// Set as a matrix in LaTeX: its name and its rows.
    pub(crate) matrix: Option<(String, Vec<Vec<Expr>>)>,
    /// `true` if lines stand for their mirror images, too.
    pub(crate) mirrored: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Line {
    pub(crate) label: String,
    latex: String,
    pub(crate) expr: Expr,
}

/// The equations of motion of a model; `driven` is a list of joints whose motion is taken as given.
pub fn equations_of_motion(
    tree: &MultibodySystem,
    formalism: Option<Formalism>,
    driven: &str,
) -> Result<(Document, Graph), Problem> {
    let driven = speeds_of(tree, driven)?;
    let question = Question { formalism, driven: &driven, applied: false };
    let (found, sheet) = readable::equations(tree, question)?;
    let mechanism = &tree.mechanism;
    let names = speed_names(mechanism);
    // A name may hold anything, and must not end the remark.
    let name = mechanism.name.replace(char::is_control, " ");
    let constraints = found.constraints.as_ref();
    let mut remarks = vec![format!("{name}: {}", constraints::equation(constraints))];
    let rows: Vec<String> =
        names.iter().enumerate().map(|(at, name)| format!("{} {name}", at + 1)).collect();
    remarks.push(match rows.len() {
        0 => "the model has no speeds".to_owned(),
        1..=24 => format!("rows: {}", rows.join(", ")),
        _ => format!("rows: {}, ..., {}", rows[0], rows[rows.len() - 1]),
    });
    remarks.extend(constraints.map(constraints::remarks).unwrap_or_default());
    if found.efforts.is_empty() {
        remarks.extend(drives(mechanism, &names, &driven));
    }
    if let Some(reason) = &found.missing {
        remarks.push(reason.clone());
    }
    let mut document = written(&found.terms, remarks, &[]);
    document.heads = constraints::heads(constraints);
    if let Some(constraints) = constraints {
        document.add_constraints(constraints::document(constraints));
    }
    let line = |label: String, latex: String, expr: Expr| Line { label, latex, expr };
    let symbol = |at: usize| sheet.text(mechanism.speeds[at].acceleration);
    let solved = found.accelerations.iter().map(|&(at, expr)| {
        let name = symbol(at);
        line(name.clone(), latex_name(&name), expr)
    });
    let lambdas = found.efforts.iter().map(|&(at, expr)| {
        let name = &names[at];
        line(format!("lambda[{name}]"), format!("\\lambda_{{{}}}", latex_name(name)), expr)
    });
    for lines in [solved.collect::<Vec<_>>(), lambdas.collect()] {
        if !lines.is_empty() {
            document.groups.push(Group { lines, matrix: None, mirrored: false });
        }
    }
    if !found.efforts.is_empty() {
        document.remarks.push("lambda: efforts that make driven joints move as given".to_owned());
    }
    define_unknowns(&mut document, &sheet);
    Ok((document, sheet.into_parts().0))
}

/// The remark on rows of joints whose motion is given, where no effort is written for them: the
/// effort of the drive is missing in `Q`.
fn drives(mechanism: &Mechanism, names: &[String], driven: &[usize]) -> Option<String> {
    let given = |joint: &&Joint| {
        joint.role != Role::Free || joint.speeds.clone().any(|at| driven.contains(&at))
    };
    let rows: Vec<String> = (mechanism.joints.iter().filter(given))
        .flat_map(|joint| joint.speeds.clone())
        .map(|at| format!("{} {}", at + 1, names[at]))
        .collect();
    let (shown, rows) = match rows.as_slice() {
        [] => return None,
        [one] => (one.clone(), "row"),
        rows if rows.len() <= 24 => (rows.join(", "), "rows"),
        [first, .., last] => (format!("{first}, ..., {last}"), "rows"),
    };
    Some(format!(
        "driven or locked, {rows} {shown}: qdd is given, and the right-hand side also has the effort of the drive, an \
         unknown (function `drives`)"
    ))
}

/// Says how the unknowns of iterations are found that occur, and adds what must vanish.
pub(crate) fn define_unknowns(document: &mut Document, sheet: &Sheet) {
    let exprs: Vec<Expr> = document.named().into_iter().map(|(_, expr)| expr).collect();
    let mut lines: Vec<Line> = Vec::new();
    for found in readable::unknowns(sheet, &exprs, document.explicit) {
        let symbols: Vec<String> = found.symbols.iter().map(|&symbol| sheet.text(symbol)).collect();
        let own = found.residuals.iter().zip(lines.len() + 1..).map(|(&expr, number)| {
            let label = format!("residual[{number}]");
            Line { latex: latex_name(&label), label, expr }
        });
        let own: Vec<Line> = own.collect();
        let labels: Vec<&str> = own.iter().map(|line| line.label.as_str()).collect();
        document.remarks.push(match labels.is_empty() {
            true => format!(
                "{}: found by iteration, from equations that would be too long to read",
                symbols.join(", ")
            ),
            false => format!(
                "{}: found by iteration, so that these vanish: {}",
                symbols.join(", "),
                labels.join(", ")
            ),
        });
        lines.extend(own);
    }
    if !lines.is_empty() {
        document.groups.push(Group { lines, matrix: None, mirrored: false });
    }
}

/// One function of a model.
pub fn equations(
    tree: &MultibodySystem,
    function: &ModelFunction,
    formalism: Option<Formalism>,
) -> Result<(Document, Graph), Problem> {
    if function.row.id == FunctionKind::Forward && formalism.is_none() {
        // A quotient of short sums reads better than what is cheapest to compute.
        let question = Question { applied: true, ..Question::default() };
        let (found, sheet) = readable::equations(tree, question)?;
        if found.missing.is_none() && found.efforts.is_empty() {
            let exprs: Vec<Expr> = found.accelerations.iter().map(|&(_, expr)| expr).collect();
            let targets = vec![Target::vector("qdd", &exprs)];
            let readable = Readable { targets, ..found.terms };
            let mut document = written(&readable, Vec::new(), &[]);
            define_unknowns(&mut document, &sheet);
            return Ok((document, sheet.into_parts().0));
        }
    }
    let tree = &*partitioned(tree, function)?;
    let (found, sheet) = readable::function(tree, function, formalism)?;
    let scalar = |name: &&str| labels(&tree.mechanism, function, name) == Some(Labels::Scalar);
    let names = found.targets.iter().map(|target| target.name.as_str());
    let scalars: Vec<&str> = names.filter(scalar).collect();
    let mut document = written(&found, Vec::new(), &scalars);
    define_unknowns(&mut document, &sheet);
    Ok((document, sheet.into_parts().0))
}

/// The speeds of a list of joints, separated by commas.
fn speeds_of(tree: &MultibodySystem, list: &str) -> Result<Vec<usize>, Problem> {
    let mut speeds = Vec::new();
    if list.is_empty() {
        return Ok(speeds);
    }
    let fault =
        |fault| Problem::new(format!("--driven: {fault}"), "names of joints, such as q1,q2");
    let joints = || tree.mechanism.joints.iter().filter(|joint| !joint.speeds.is_empty());
    for item in items(list).map_err(fault)? {
        let name = &list[item];
        let Some(joint) = joints().find(|joint| joint.name == name) else {
            let help = likely(name, joints().map(|joint| joint.name.as_str()));
            return Err(Problem::new(format!("there is no joint `{name}` to drive"), help));
        };
        speeds.extend(joint.speeds.clone());
    }
    Ok(speeds)
}

/// Sets what was found; the outputs in `scalars` are single numbers, whose names have no index.
pub(crate) fn written(readable: &Readable, mut remarks: Vec<String>, scalars: &[&str]) -> Document {
    if !readable.explicit {
        remarks.push(format!(
            "too long to be written out: variables of the {} recursion have lines of their own",
            readable.formalism.name()
        ));
    }
    let mut groups = Vec::new();
    for target in &readable.targets {
        let dense = readable.explicit && target.rows.saturating_mul(target.columns) <= WITH_ZEROS;
        let scalar = scalars.contains(&target.name.as_str());
        let lines = lines(target, dense, scalar);
        let all = if target.symmetric {
            u64::from(target.rows) * (u64::from(target.rows) + 1) / 2
        } else {
            u64::from(target.rows) * u64::from(target.columns)
        };
        if (lines.len() as u64) < all {
            remarks.push(format!("entries of {} that are not shown are zero", target.name));
        }
        let matrix = dense.then(|| (latex_name(&target.name), dense_rows(target)));
        groups.push(Group { lines, matrix, mirrored: target.symmetric && target.rows > 1 });
    }
    let explicit = readable.explicit;
    Document { remarks, groups, explicit, heads: Vec::new(), constraints: None }
}

/// The entries of a target in order, zeros included or not; of a symmetric one those above its
/// diagonal.
fn lines(target: &Target, dense: bool, scalar: bool) -> Vec<Line> {
    let mut known: HashMap<(u32, u32), Expr> = HashMap::new();
    for &(row, column, expr) in &target.entries {
        let place =
            if target.symmetric { (row.min(column), row.max(column)) } else { (row, column) };
        known.insert(place, expr);
    }
    let mut places: Vec<(u32, u32)> = if dense {
        let each = |row: u32| (0..target.columns).map(move |column| (row, column));
        let all = (0..target.rows).flat_map(each);
        all.filter(|&(row, column)| !target.symmetric || row <= column).collect()
    } else {
        known.iter().filter(|(_, expr)| **expr != Expr::ZERO).map(|(&place, _)| place).collect()
    };
    places.sort_unstable();
    let line = |(row, column): (u32, u32)| {
        let label = match (target.rows, target.columns) {
            (1, 1) if scalar => target.name.clone(),
            (_, 1) if !target.symmetric => format!("{}[{}]", target.name, row + 1),
            _ => format!("{}[{},{}]", target.name, row + 1, column + 1),
        };
        let expr = known.get(&(row, column)).copied().unwrap_or(Expr::ZERO);
        Line { latex: latex_name(&label), label, expr }
    };
    places.into_iter().map(line).collect()
}

/// All entries by rows.
fn dense_rows(target: &Target) -> Vec<Vec<Expr>> {
    let mut rows = vec![vec![Expr::ZERO; target.columns as usize]; target.rows as usize];
    for &(row, column, expr) in &target.entries {
        rows[row as usize][column as usize] = expr;
        if target.symmetric {
            rows[column as usize][row as usize] = expr;
        }
    }
    rows
}

impl Document {
    /// Lines of text.
    pub fn text(&self, graph: &Graph) -> String {
        let mut text = String::new();
        for remark in &self.remarks {
            let _ = writeln!(text, "# {remark}");
        }
        if self.groups.iter().any(|group| group.mirrored) {
            let _ = writeln!(text, "# {MIRRORED}");
        }
        if !self.explicit {
            text.push_str(&graph.listing_for_people(&self.named()));
            return text;
        }
        for (at, group) in self.groups.iter().enumerate() {
            if !text.is_empty() || at > 0 {
                text.push('\n');
            }
            for line in &group.lines {
                let _ = writeln!(text, "{} = {}", line.label, graph.text_for_people(line.expr));
            }
        }
        if let Some(constraints) = &self.constraints {
            let _ = write!(text, "\n{}", constraints.text(graph).trim_start());
        }
        text
    }

    /// Adds the terms of constraints: among the others if these use named variables, so that each
    /// is defined once.
    pub(crate) fn add_constraints(&mut self, constraints: Document) {
        if self.explicit {
            self.constraints = Some(Box::new(constraints));
        } else {
            self.groups.extend(constraints.groups);
            self.remarks.extend(constraints.remarks);
        }
    }

    /// Displays for LaTeX with `amsmath`.
    pub fn latex(&self, graph: &Graph) -> String {
        let mut text = String::new();
        for remark in &self.remarks {
            let _ = writeln!(text, "% {remark}");
        }
        let listed = |group: &Group| !self.explicit || !group.is_matrix(graph);
        if self.groups.iter().any(|group| group.mirrored && listed(group)) {
            let _ = writeln!(text, "% {MIRRORED}");
        }
        if !self.heads.is_empty() {
            let row = |(left, right): &(&str, &str)| format!("  {left} &= {right}");
            let rows: Vec<String> = self.heads.iter().map(row).collect();
            let _ = writeln!(text, "\\begin{{align*}}\n{}\n\\end{{align*}}", rows.join(" \\\\\n"));
        }
        if !self.explicit {
            text.push_str(&graph.latex_listing(&self.named()));
            return text;
        }
        let rows: Vec<String> = self.groups.iter().flat_map(|group| group.latex(graph)).collect();
        if !rows.is_empty() {
            let _ = writeln!(text, "\\begin{{align*}}\n{}\n\\end{{align*}}", rows.join(" \\\\\n"));
        }
        if let Some(constraints) = &self.constraints {
            text.push_str(&constraints.latex(graph));
        }
        text
    }

    /// All lines.
    pub(crate) fn named(&self) -> Vec<(&str, Expr)> {
        let lines = self.groups.iter().flat_map(|group| &group.lines);
        lines.map(|line| (line.label.as_str(), line.expr)).collect()
    }
}

/// Equations for people. `Display` gives text.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let equations = model.equations(&[])?;
/// assert!(equations.to_string().contains("M[1,1] = "));
/// assert!(equations.latex().contains("align"));
/// # Ok::<(), rotule::Error>(())
/// ```
pub struct Equations {
    pub(crate) document: Document,
    pub(crate) graph: Graph,
}

impl Equations {
    /// Displays for LaTeX with `amsmath`.
    pub fn latex(&self) -> String {
        self.document.latex(&self.graph)
    }
}

/// As `Display`.
impl std::fmt::Debug for Equations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

impl std::fmt::Display for Equations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.document.text(&self.graph))
    }
}

/// Said of a symmetric matrix whose entries are listed.
pub(crate) const MIRRORED: &str = "entries below the diagonal mirror those above";

impl Group {
    /// Returns `true` if it is set as a matrix.
    fn is_matrix(&self, graph: &Graph) -> bool {
        self.matrix.as_ref().is_some_and(|(_, rows)| narrow(graph, rows))
    }

    /// A matrix, or one row for each line if that would be too wide.
    fn latex(&self, graph: &Graph) -> Vec<String> {
        if let Some((name, rows)) = &self.matrix
            && narrow(graph, rows)
        {
            let row = |row: &Vec<Expr>| {
                let cells: Vec<String> = row.iter().map(|&expr| graph.latex(expr)).collect();
                format!("    {}", cells.join(" & "))
            };
            let rows: Vec<String> = rows.iter().map(row).collect();
            let body = rows.join(" \\\\\n");
            return vec![format!("  {name} &= \\begin{{pmatrix}}\n{body}\n  \\end{{pmatrix}}")];
        }
        let row = |line: &Line| format!("  {} &= {}", line.latex, graph.latex_row(line.expr));
        self.lines.iter().map(row).collect()
    }
}

/// Returns `true` if a matrix fits a line.
fn narrow(graph: &Graph, rows: &[Vec<Expr>]) -> bool {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        rows.iter().map(|row| graph.text(row[column]).chars().count()).max().unwrap_or(0)
    };
    columns as u32 <= MATRIX_COLUMNS
        && rows.len() * columns > 1
        && (0..columns).map(|column| width(column) + 2).sum::<usize>() <= MATRIX_LETTERS
}
