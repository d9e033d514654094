//! The mechanism in tables: bodies and joints, masses, parameters, loops and forces.

use super::content::{Content, Equation, Span, Spans, math, name, text};
use super::equations::{rows, rows_with};
use rotule_formalism::MultibodySystem;
use rotule_model::mechanism::{Body, CutKind, Frame, Joint, Mechanism, Parameter, Role};
use rotule_symbolic::{Expr, Graph, Matrix, Vector, latex_name, latex_width, latex_word};

/// A cell is at most so wide, in tenths of a letter; what is wider stands below the table.
const CELL: i64 = 190;
/// Numbers of tables have so many digits.
const DIGITS: usize = 6;

/// Adds the description of a mechanism; `frozen` are parameters that have become numbers.
pub(super) fn describe(content: &mut Content, tree: &MultibodySystem, frozen: &[Parameter]) {
    let mechanism = &tree.mechanism;
    let graph = &mechanism.graph;
    content.heading(1, vec![text("Mechanism")]);
    let mut opening = vec![text(format!(
        "{} with {}. ",
        counted(mechanism.real_bodies(), "body", "bodies"),
        counted(
            mechanism.speeds.len(),
            "degree of freedom of the joints",
            "degrees of freedom of the joints"
        ),
    ))];
    match mechanism.gravity == Vector::ZERO {
        true => opening.push(text("There is no gravity.")),
        false => {
            opening.push(text("Gravity, in the axes of the ground, is "));
            opening.push(math(format!("g = {}", triple(graph, mechanism.gravity))));
            opening.push(text("."));
        }
    }
    content.paragraph(opening);
    let mut below = Below::default();
    bodies(content, mechanism, &mut below);
    masses(content, mechanism, &mut below);
    if !below.0.is_empty() {
        content.paragraph(vec![text("Entries that are too long for a table:")]);
        content.equations(rows(graph, &below.0));
    }
    parameters(content, &mechanism.parameters, "Parameters and their numbers:");
    parameters(content, frozen, "Parameters that stand as numbers in the equations:");
    motions(content, mechanism);
    loops(content, mechanism);
    forces(content, mechanism);
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

/// Entries below a table, because they are too wide: names and expressions.
#[derive(Default)]
struct Below(Vec<(String, Expr)>);

impl Below {
    /// An expression for a cell.
    fn cell(&mut self, graph: &Graph, expr: Expr, label: impl Fn() -> String) -> String {
        let latex = short(graph, expr);
        if latex_width(&latex) <= CELL {
            return latex;
        }
        let label = label();
        let shown = latex_name(&label);
        self.0.push((label, expr));
        shown
    }
}

/// An expression; a number is rounded.
fn short(graph: &Graph, expr: Expr) -> String {
    match graph.number_of(expr) {
        Some(_) => {
            number(graph.evaluate_f64(&[expr], |_| None).map_or(f64::NAN, |values| values[0]))
        }
        None => graph.latex(expr),
    }
}

/// A number with a few digits.
fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value);
    let size = rounded.abs();
    if rounded == 0.0 {
        return "0".to_owned();
    }
    if (1e-4..1e6).contains(&size) {
        return format!("{rounded}");
    }
    match format!("{rounded:e}").split_once('e') {
        Some((digits, exponent)) => format!("{digits} \\cdot 10^{{{exponent}}}"),
        None => format!("{rounded}"),
    }
}

fn triple(graph: &Graph, vector: Vector) -> String {
    let parts = vector.0.map(|expr| short(graph, expr));
    format!("({})", parts.join(",\\, "))
}

/// A vector as a letter where it is one of the frame's axes.
fn axis(graph: &Graph, vector: Vector) -> String {
    for (at, letter) in ["x", "y", "z"].into_iter().enumerate() {
        if vector == Vector::unit(at) {
            return letter.to_owned();
        }
        if vector == -Vector::unit(at) {
            return format!("-{letter}");
        }
    }
    triple(graph, vector)
}

fn joint_words(graph: &Graph, joint: &Joint) -> Spans {
    let mut words = Vec::new();
    if !joint.name.is_empty() {
        words.push(math(latex_name(&joint.name)));
        words.push(text(": "));
    }
    words.push(text(joint.kind.word()));
    for (at, &vector) in joint.axes.iter().enumerate() {
        words.push(text(if at == 0 { ", axis " } else { " and " }));
        words.push(math(axis(graph, vector)));
    }
    match joint.role {
        Role::Free => {}
        Role::Locked => words.push(text(", locked")),
        Role::Driven { .. } => words.push(text(", driven")),
    }
    words
}

fn bodies(content: &mut Content, mechanism: &Mechanism, below: &mut Below) {
    let graph = &mechanism.graph;
    let mut table = Vec::new();
    let mut rotated: Vec<Equation> = Vec::new();
    for (at, body) in mechanism.bodies.iter().enumerate().skip(1) {
        let parent = body.parent.map_or("", |parent| &mechanism.bodies[parent.index()].name);
        let axes = ["x", "y", "z"];
        let position: Vec<String> = (0..3)
            .map(|k| {
                below.cell(graph, body.placement.position[k], || {
                    format!("d[{},{}]", body.name, axes[k])
                })
            })
            .collect();
        let joint = mechanism.joint_of(rotule_model::mechanism::BodyId::new(at));
        table.push(vec![
            vec![text(at.to_string())],
            vec![name(&body.name)],
            vec![name(parent)],
            vec![math(format!("({})", position.join(",\\, ")))],
            joint.map_or(Vec::new(), |joint| joint_words(graph, joint)),
        ]);
        if body.placement.rotation != Matrix::IDENTITY {
            rotated.push(Equation {
                left: format!("R_{{{}}}", latex_word(&body.name)),
                lines: vec![pmatrix(graph, body.placement.rotation)],
            });
        }
    }
    content.paragraph(vec![text(
        "Bodies, what carries each, where in the carrier's frame its joint stands, and how the joint moves:",
    )]);
    content.table(&["No.", "Body", "Carried by", "Joint at", "Joint"], table);
    if !rotated.is_empty() {
        content.paragraph(vec![
            text("Joints whose axes are not those of the carrier have the axes that are the columns of "),
            math("R"),
            text(":"),
        ]);
        content.equations(rotated);
    }
}

fn pmatrix(graph: &Graph, matrix: Matrix) -> String {
    let rows = matrix.0.map(|row| row.map(|expr| short(graph, expr)).join(" & "));
    format!("\\begin{{pmatrix}} {} \\end{{pmatrix}}", rows.join(" \\\\ "))
}

fn masses(content: &mut Content, mechanism: &Mechanism, below: &mut Below) {
    let graph = &mechanism.graph;
    let real = |body: &&Body| !body.fictitious;
    let mut table = Vec::new();
    for body in mechanism.bodies.iter().skip(1).filter(real) {
        let axes = ["x", "y", "z"];
        let mass = below.cell(graph, body.mass, || format!("m[{}]", body.name));
        let com: Vec<String> = (0..3)
            .map(|k| below.cell(graph, body.com[k], || format!("s[{},{}]", body.name, axes[k])))
            .collect();
        table.push(vec![
            vec![name(&body.name)],
            vec![math(mass)],
            vec![math(format!("({})", com.join(",\\, ")))],
            inertia(graph, body, below),
        ]);
    }
    content.paragraph(vec![text(
        "Masses, centres of mass in the body's frame, and inertia about the centre of mass; entries that are not \
         named are zero:",
    )]);
    content.table(&["Body", "Mass", "Centre of mass", "Inertia"], table);
}

fn inertia(graph: &Graph, body: &Body, below: &mut Below) -> Spans {
    let axes = ["x", "y", "z"];
    let entry = |i: usize, j: usize| body.inertia.0[i][j];
    let mut parts = Vec::new();
    for (i, j) in [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)] {
        if entry(i, j) == Expr::ZERO {
            continue;
        }
        let label = || format!("I[{},{}{}]", body.name, axes[i], axes[j]);
        let value = below.cell(graph, entry(i, j), label);
        parts.push(format!("I_{{{}{}}} = {value}", axes[i], axes[j]));
    }
    if parts.is_empty() {
        return vec![math("0")];
    }
    let mut spans: Vec<Span> = Vec::new();
    for part in parts {
        if !spans.is_empty() {
            spans.push(text(", "));
        }
        spans.push(math(part));
    }
    spans
}

fn parameters(content: &mut Content, parameters: &[Parameter], lead: &str) {
    if parameters.is_empty() {
        return;
    }
    content.paragraph(vec![text(lead)]);
    let row = |one: &Parameter| {
        vec![
            vec![math(latex_name(&one.name))],
            if one.value.is_nan() { Vec::new() } else { vec![math(number(one.value))] },
            vec![text(&one.unit)],
            vec![text(&one.about)],
        ]
    };
    content.table(&["Symbol", "Number", "Unit", "Meaning"], parameters.iter().map(row).collect());
}

/// Joints that move as given.
fn motions(content: &mut Content, mechanism: &Mechanism) {
    let mut lines = Vec::new();
    for joint in &mechanism.joints {
        if let Role::Driven { q, .. } = &joint.role {
            let names = mechanism.coordinates[joint.coordinates.clone()].iter();
            lines.extend(names.zip(q).map(|(one, &expr)| (one.name.clone(), expr)));
        }
    }
    if !lines.is_empty() {
        content.paragraph(vec![text("Driven joints move as")]);
        content.equations(rows(&mechanism.graph, &lines));
    }
}

/// A place: the body, and where on it.
fn place(mechanism: &Mechanism, frame: &Frame) -> Spans {
    let mut words = vec![name(&mechanism.bodies[frame.body.index()].name)];
    if frame.placement.position != Vector::ZERO {
        words.push(text(" at "));
        words.push(math(triple(&mechanism.graph, frame.placement.position)));
    }
    words
}

fn loops(content: &mut Content, mechanism: &Mechanism) {
    let graph = &mechanism.graph;
    let mut table = Vec::new();
    let mut below = Below::default();
    for cut in &mechanism.cuts {
        let mut what = vec![text(cut.word())];
        match &cut.kind {
            CutKind::Rod { length } => {
                what.push(text(", length "));
                what.push(math(below.cell(graph, *length, || format!("l[{}]", cut.name))));
            }
            CutKind::Joint { axes, .. } => {
                for &vector in axes {
                    what.push(text(", axis "));
                    what.push(math(axis(graph, vector)));
                }
            }
        }
        let [first, second] = &cut.ends;
        table.push(vec![
            vec![name(&cut.name)],
            what,
            place(mechanism, first),
            place(mechanism, second),
        ]);
    }
    if !table.is_empty() {
        content.paragraph(vec![text("Loops are closed by")]);
        content.table(&["Name", "Closure", "Between", "And"], table);
        if !below.0.is_empty() {
            content.paragraph(vec![text("Lengths that are too long for a table:")]);
            content.equations(rows(graph, &below.0));
        }
    }
    let mut lines = Vec::new();
    for coupling in &mechanism.couplings {
        let mut sum = String::new();
        for (at, factor) in &coupling.terms {
            let sign = if sum.is_empty() { "" } else { " + " };
            let symbol = latex_name(&mechanism.coordinates[*at].name);
            sum += &format!("{sign}\\left({}\\right) \\, {symbol}", short(graph, *factor));
        }
        if coupling.offset != Expr::ZERO {
            sum += &format!(" + {}", short(graph, coupling.offset));
        }
        lines.push(Equation { left: "0".to_owned(), lines: vec![sum] });
    }
    for constraint in &mechanism.constraints {
        let row = rows(graph, &[(constraint.name.clone(), constraint.expression)]);
        lines.extend(row.into_iter().map(|row| Equation { left: "0".to_owned(), ..row }));
    }
    if !lines.is_empty() {
        content.paragraph(vec![text("Constraints of the model:")]);
        content.equations(lines);
    }
}

fn forces(content: &mut Content, mechanism: &Mechanism) {
    let graph = &mechanism.graph;
    let mut table = Vec::new();
    let mut laws: Vec<(String, Expr)> = Vec::new();
    for line_force in &mechanism.line_forces {
        let [first, second] = &line_force.ends;
        table.push(vec![
            vec![name(&line_force.name)],
            vec![text("line force")],
            place(mechanism, first),
            place(mechanism, second),
        ]);
        laws.push((format!("force[{}]", line_force.name), line_force.force));
    }
    for force in &mechanism.forces {
        table.push(vec![
            vec![name(&force.name)],
            vec![text("force")],
            place(mechanism, &force.at),
            Vec::new(),
        ]);
        for (at, letter) in ["x", "y", "z"].into_iter().enumerate() {
            for (what, vector) in [("force", force.force), ("torque", force.torque)] {
                if vector[at] != Expr::ZERO {
                    laws.push((format!("{what}[{}].{letter}", force.name), vector[at]));
                }
            }
        }
    }
    for wheel in &mechanism.wheels {
        let mut what =
            vec![text(if wheel.rolling { "rolling wheel, radius " } else { "wheel, radius " })];
        what.push(math(short(graph, wheel.radius)));
        let body = vec![name(&mechanism.bodies[wheel.body.index()].name)];
        table.push(vec![vec![name(&wheel.name)], what, body, vec![name("ground")]]);
    }
    if table.is_empty() {
        return;
    }
    content.paragraph(vec![text("Forces act by")]);
    content.table(&["Name", "Element", "On", "And"], table);
    if laws.is_empty() {
        return;
    }
    let mut words = vec![text("with these laws")];
    if !mechanism.line_forces.is_empty() {
        words.extend([
            text(", in which "),
            math("Z"),
            text(" is the length of a line force and "),
            math("\\dot{Z}"),
            text(" its rate; a positive force pulls its ends together"),
        ]);
    }
    if !mechanism.forces.is_empty() {
        words.extend([
            text(if mechanism.line_forces.is_empty() { ", in which " } else { "; " }),
            math("x, y, z, v_{x}, \\ldots, \\omega_{z}"),
            text(" are position, velocity and angular velocity of the place of a force along the ground's axes"),
        ]);
    }
    words.push(text(":"));
    content.paragraph(words);
    content.equations(rows_with(graph, &laws, &law_name));
}

/// A name in a law: what the law may use of its own element, such as `link.Zd`, has the symbol that
/// the text explains.
fn law_name(name: &str) -> String {
    let own = ["link.", "line_force.", "force."].iter().find_map(|owner| name.strip_prefix(owner));
    match own.map(|quantity| (quantity, quantity.split_at_checked(1))) {
        Some(("Z" | "x" | "y" | "z" | "t", _)) => own.unwrap_or(name).to_owned(),
        Some(("Zd", _)) => "\\dot{Z}".to_owned(),
        Some((_, Some(("v", axis @ ("x" | "y" | "z"))))) => format!("v_{{{axis}}}"),
        Some((_, Some(("w", axis @ ("x" | "y" | "z"))))) => format!("\\omega_{{{axis}}}"),
        _ => latex_name(name),
    }
}
