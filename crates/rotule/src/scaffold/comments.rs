//! The model file with comments that explain it: each section before its first use, each key beside
//! its first use, and at the end what else a file can hold.
//!
//! Comments are put between the lines of the plain file (`rotule_model::write`), so that the file
//! means exactly what it would mean without them.

use rotule_model::Draft;
use rotule_model::write;
use rotule_model::write::comment;
use std::collections::HashSet;

/// The text before the first header of a kind.
const SECTIONS: &[(&str, &str)] = &[
    (
        "parameters",
        "Numbers with names. They stay symbols in the equations, and a run can change them:\n`rotule simulate FILE --set NAME=VALUE`; `rotule study` varies them.",
    ),
    ("ground", "Points of the ground, which is fixed. Others call them \"ground.NAME\"."),
    (
        "body",
        "Bodies. The frame of a body sits at its joint and moves with it; the joint sits at `parent`,\na place \"BODY\" or \"BODY.POINT\". With all coordinates zero the frames are parallel.",
    ),
    (
        "cut",
        "Loops. Bodies form a tree; what closes a loop is a constraint between two places:\nball (points coincide), revolute, prismatic ..., rod (their distance), body (frames coincide).",
    ),
    (
        "motion",
        "Driven coordinates. They follow a law of the time `t`; speeds and accelerations are its derivatives.",
    ),
    (
        "line_force",
        "Forces along the line between two places. Laws may use the length `Z` and its rate `Zd`;\na positive force pulls the ends together.",
    ),
    (
        "force",
        "Forces and torques at a place. Laws may use its position `x y z`, velocity `vx vy vz`,\nangular velocity `wx wy wz` and the time `t`.",
    ),
    ("sensor", "Sensors: places whose motion becomes columns of the results."),
    (
        "initial.q",
        "Initial coordinates, in metres and radians or with a unit. What is left out is zero.",
    ),
    ("initial.qd", "Initial speeds, in m/s and rad/s. What is left out is zero."),
];

/// The text before the initial coordinates of a mechanism with loops.
const CLOSED: &str = "Initial coordinates, in metres and radians or with a unit. They close the loops; after a change,\n`rotule assemble FILE` finds the values that do.";

/// The text beside the first use of a key in a section.
const KEYS: &[(&str, &str, &str)] = &[
    ("model", "gravity", "m/s^2, along x, y, z of the ground"),
    ("body", "parent", "the place that its joint sits on"),
    ("body", "position", "of the joint, from that place"),
    ("body", "rotation", "of the joint: angles about x, y, z"),
    ("body", "joint", "how it moves, by the coordinate of this name"),
    ("body", "mass", "kg"),
    ("body", "com", "centre of mass, in the frame of the body"),
    ("body", "inertia", "about the centre of mass, kg m^2"),
    ("body", "points.", "a place that others can name"),
    ("cut", "between", "the two places that are joined"),
    ("cut", "length", "distance of the two places"),
    ("motion", "q", "a function of the time t"),
    ("line_force", "force", "Z length, Zd its rate; positive pulls"),
    ("force", "force", "N, along the axes of the ground"),
    ("force", "torque", "N m"),
    ("sensor", "measures", "also rotation, acceleration, jacobian ..."),
];

/// Comments begin at least here, and lines that go farther have theirs before them.
const COLUMN: usize = 36;
const LONGEST: usize = 60;

/// Writes a draft as a model file with comments, which call it `file`.
pub fn annotate(draft: &Draft, file: &str) -> String {
    let mut plain = draft.clone();
    let about = plain.about.take().map(|about| about.value);
    let mut out = head(draft, file, about.as_deref());
    let text = write(&plain);
    let (mut section, mut explained) = (String::new(), HashSet::new());
    let mut block: Vec<(String, Option<&str>)> = Vec::new();
    for line in text.lines() {
        if let Some(header) = header(line) {
            flush(&mut out, &mut block);
            section = header.to_owned();
            if explained.insert((section.clone(), String::new())) {
                explain(&mut out, &section, draft);
            }
            block.push((line.to_owned(), None));
            continue;
        }
        let (key, _) = line.split_once(" = ").unwrap_or((line, ""));
        let (key, _) = if key.starts_with("points.") { ("points.", "") } else { (key.trim(), "") };
        let fresh = !key.is_empty() && explained.insert((section.clone(), key.to_owned()));
        let comment =
            KEYS.iter().find(|(of, known, _)| *of == canonical(&section) && *known == key);
        block.push((line.to_owned(), comment.filter(|_| fresh).map(|(.., comment)| *comment)));
    }
    flush(&mut out, &mut block);
    out.push_str(&more(draft));
    out
}

/// The word of a header: `[model]`, `[[body]]`.
fn header(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('[')?.strip_suffix(']')?;
    Some(inner.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')).unwrap_or(inner))
}

/// The key of a section in the tables, by whichever of its names the writer uses.
fn canonical(section: &str) -> &str {
    match section {
        "loop" | "closure" => "cut",
        other => other,
    }
}

/// The first lines of the file.
fn head(draft: &Draft, file: &str, about: Option<&str>) -> String {
    let name = draft.name.as_ref().map_or("", |name| name.value.as_str());
    let mut out = comment(about.unwrap_or(name));
    let file = quoted(file);
    out.push_str("#\n");
    out.push_str(&comment(&format!("  rotule check {file}\n  rotule simulate {file} --to 5 --report motion.html\n  rotule equations {file}")));
    out.push_str("#\n");
    out.push_str(&comment(
        "Numbers are SI (m, kg, s, rad). A text in place of a number is an expression (\"l/2\") or a number\n\
         with its unit (\"250 g\", \"30 deg\"). The manual explains all keys: docs/manual/model-file.md.",
    ));
    out.push('\n');
    out
}

/// A file name as a shell takes it.
fn quoted(file: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "._-/+".contains(c);
    if !file.is_empty() && file.chars().all(plain) {
        file.to_owned()
    } else {
        format!("'{}'", file.replace('\'', "'\\''"))
    }
}

/// The text before a section.
fn explain(out: &mut String, section: &str, draft: &Draft) {
    let known = SECTIONS.iter().find(|(known, _)| *known == canonical(section));
    let Some((_, text)) = known else { return };
    let closed = section == "initial.q" && !draft.cuts.is_empty();
    out.push_str(&comment(if closed { CLOSED } else { text }));
}

/// Writes the lines of a section, their comments in one column.
fn flush(out: &mut String, block: &mut Vec<(String, Option<&str>)>) {
    let widths =
        block.iter().filter(|(_, comment)| comment.is_some()).map(|(line, _)| line.chars().count());
    let fitting = widths.filter(|width| *width <= LONGEST).max().unwrap_or(0);
    let column = COLUMN.max(fitting + 2);
    for (line, comment) in block.drain(..) {
        match comment {
            None => out.push_str(&line),
            Some(comment) if line.chars().count() + 2 <= column => {
                out.push_str(&format!("{line:column$}# {comment}"));
            }
            Some(comment) => out.push_str(&format!("# {comment}\n{line}")),
        }
        out.push('\n');
    }
}

/// Further elements of a file, commented out: without the marks they are valid for this model.
fn more(draft: &Draft) -> String {
    let Some(last) = draft.bodies.last() else { return String::new() };
    let point = last.points.first().map_or(String::new(), |point| format!(".{}", point.name.value));
    let place = format!("{}{point}", last.name.value);
    let mut parts = Vec::new();
    if draft.line_forces.is_empty() {
        parts.push(format!("[[line_force]]\nname = \"extra_spring\"\nbetween = [\"ground\", \"{place}\"]\nforce = \"100*(Z - 0.2) + 1*Zd\""));
    }
    if draft.forces.is_empty() {
        parts
            .push(format!("[[force]]\nname = \"extra_push\"\nat = \"{place}\"\nforce = [1, 0, 0]"));
    }
    if draft.sensors.is_empty() {
        parts.push(format!("[[sensor]]\nname = \"extra_sensor\"\nat = \"{place}\"\nmeasures = [\"position\", \"velocity\"]"));
    }
    parts.push("[[event]]\nname = \"extra_stop\"\nwhen = \"t - 3\"\nend = true".to_owned());
    let mut out = String::from("\n# A file can hold more. Remove the marks to try:\n");
    for part in parts {
        out.push_str("#\n");
        for line in part.lines() {
            out.push_str(&format!("# {line}\n"));
        }
    }
    out
}
