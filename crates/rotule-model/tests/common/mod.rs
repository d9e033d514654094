//! Common parts of the tests of the readers: drafts and diagnostics as short texts, and positions
//! of a draft's points computed from numbers alone, as an independent check.

#![allow(dead_code, reason = "each test uses a part of it")]

pub mod kinematics;
pub mod more;

use rotule_model::draft::{
    Axis, Body, CutType, Draft, DraftValue, Inertia, Joint, Point, Rotation, Value,
};
use rotule_model::{Diagnostics, Format, ReadOptions, Sources, read};

/// Reads a text under the name `file`.
pub fn read_text(
    text: &str,
    format: Format,
    options: &ReadOptions,
) -> (Draft, Sources, Diagnostics) {
    let mut sources = Sources::new();
    let id = sources.add("file", text);
    let (draft, mut diagnostics) = read(&sources, id, format, options);
    diagnostics.sort();
    (draft, sources, diagnostics)
}

/// Compares a text with the file `tests/models/<path>`; `UPDATE_EXPECT=1` rewrites the file.
pub fn golden(path: &str, found: &str) {
    let file = format!("{}/tests/models/{path}", env!("CARGO_MANIFEST_DIR"));
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&file, found).expect("a file that can be written");
        return;
    }
    let expected = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(found, expected, "{path}");
}

/// Texts like a given one, each with a few faults, the same in every run. Half of them exchange
/// values and words, so that the text stays XML.
pub fn spoiled(text: &str, count: u64) -> impl Iterator<Item = String> {
    let tokens: Vec<String> =
        text.split_inclusive(['<', '>', '"', '\'', ' ']).map(str::to_owned).collect();
    (0..count).map(move |seed| {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = move |below: usize| {
            // xorshift64
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % below.max(1) as u64) as usize
        };
        let mut tokens = tokens.clone();
        let words = ["1e999", "nan", "-1", "world", "<link/>", "&#9;", "", "ä", "__model__"];
        for _ in 0..=next(4) {
            let (from, other) = (next(tokens.len()), next(tokens.len()));
            if seed.is_multiple_of(2) {
                // The same kind of end: both are values, or both names of elements.
                if tokens[from].chars().last() == tokens[other].chars().last() {
                    tokens.swap(from, other);
                } else if tokens[from].len() > 1 {
                    let end = tokens[from].pop().unwrap_or(' ');
                    tokens[from] = format!("{}{end}", words[next(words.len())]);
                }
                continue;
            }
            match next(5) {
                0 => tokens[from].clear(),
                1 => tokens[from].push(['<', '>', '/', '"', '=', '\u{fffd}'][next(6)]),
                2 => tokens[other] = tokens[from].repeat(2),
                3 => tokens[from].insert_str(0, words[next(words.len())]),
                _ => tokens.truncate(from + 1),
            }
        }
        tokens.concat()
    })
}

/// The findings, one a line, with their codes and help.
pub fn findings(sources: &Sources, diagnostics: &Diagnostics) -> String {
    let mut out = String::new();
    for finding in diagnostics {
        // The places must be shown without a fault.
        assert!(!finding.render(sources).is_empty());
        let line = finding.line(sources);
        let place = line.strip_prefix("file:").expect("the name of the source");
        out.push_str(&format!("{place} [{}]", finding.code));
        if let Some(help) = &finding.help {
            out.push_str(&format!(" ({help})"));
        }
        out.push('\n');
    }
    out
}

/// A draft, one thing a line.
pub fn show(draft: &Draft) -> String {
    let mut out = String::new();
    if let Some(name) = &draft.name {
        out.push_str(&format!("model {}\n", name.value));
    }
    if let Some(gravity) = &draft.gravity {
        out.push_str(&format!("gravity {}\n", list(gravity)));
    }
    for point in &draft.ground {
        out.push_str(&format!("ground {}\n", point_text(point)));
    }
    for body in &draft.bodies {
        out.push_str(&body_text(body));
    }
    for joint in &draft.joints {
        let [a, b] = &joint.between;
        let text = joint_text(&joint.joint);
        out.push_str(&format!("loose {text} between {} {}\n", a.value, b.value));
    }
    for cut in &draft.cuts {
        let kind = match &cut.kind {
            CutType::Rod { length } => format!("rod {}", value(length)),
            CutType::Joint { kind, axes, pitch } => {
                let mut text = kind.value.word().to_owned();
                axes.iter().for_each(|axis| text.push_str(&format!(" {}", axis_text(axis))));
                pitch.iter().for_each(|pitch| text.push_str(&format!(" pitch {}", value(pitch))));
                text
            }
        };
        let [a, b] = &cut.between;
        out.push_str(&format!("cut {} {kind} between {} {}\n", cut.name.value, a.value, b.value));
    }
    for coupling in &draft.couplings {
        let (name, equation) = (&coupling.name.value, &coupling.equation.value);
        out.push_str(&format!("coupling {name}: {equation}\n"));
    }
    for initial in &draft.initial_q {
        let values: Vec<String> = initial.values.value.iter().map(value).collect();
        out.push_str(&format!("initial {} = {}\n", initial.joint.value, values.join(" ")));
    }
    out
}

fn body_text(body: &Body) -> String {
    let mut out = format!("body {}", body.name.value);
    if let Some(parent) = &body.parent {
        out.push_str(&format!(" on {}", parent.value));
    }
    if let Some(position) = &body.position {
        out.push_str(&format!(" at {}", list(position)));
    }
    if let Some(rotation) = &body.rotation {
        out.push_str(&format!(" turned {}", rotation_text(rotation)));
    }
    out.push('\n');
    for joint in &body.joints {
        out.push_str(&format!("  joint {}\n", joint_text(joint)));
    }
    let mut mass = Vec::new();
    body.mass.iter().for_each(|m| mass.push(format!("mass {}", value(m))));
    body.com.iter().for_each(|com| mass.push(format!("com {}", list(com))));
    body.inertia.iter().for_each(|inertia| mass.push(inertia_text(inertia)));
    if !mass.is_empty() {
        out.push_str(&format!("  {}\n", mass.join(" ")));
    }
    for point in &body.points {
        out.push_str(&format!("  {}\n", point_text(point)));
    }
    out
}

fn joint_text(joint: &Joint) -> String {
    let name = joint.name.as_ref().map_or("-", |name| name.value.as_str());
    let mut out = format!("{name} {}", joint.kind.value.word());
    joint.axes.iter().for_each(|axis| out.push_str(&format!(" {}", axis_text(axis))));
    joint.pitch.iter().for_each(|pitch| out.push_str(&format!(" pitch {}", value(pitch))));
    for law in joint.effort.iter().flat_map(|effort| &effort.value) {
        out.push_str(&format!(" effort {}", value(law)));
    }
    joint.range.iter().for_each(|range| out.push_str(&format!(" range {}", list(range))));
    joint.max_speed.iter().for_each(|speed| out.push_str(&format!(" speed {}", value(speed))));
    joint.damping.iter().for_each(|one| out.push_str(&format!(" damping {}", value(one))));
    joint.friction.iter().for_each(|one| out.push_str(&format!(" friction {}", value(&one.slide))));
    joint.max_effort.iter().for_each(|effort| out.push_str(&format!(" most {}", value(effort))));
    out
}

fn inertia_text(inertia: &Inertia) -> String {
    let given = inertia.entries.iter().map(|entry| entry.as_ref().map_or("-".to_owned(), value));
    let mut out = format!("inertia {}", given.collect::<Vec<_>>().join(" "));
    if let Some(rotation) = &inertia.rotation {
        out.push_str(&format!(" turned {}", rotation_text(rotation)));
    }
    out
}

fn point_text(point: &Point) -> String {
    let mut out = format!("point {} {}", point.name.value, list(&point.position));
    if let Some(rotation) = &point.rotation {
        out.push_str(&format!(" turned {}", rotation_text(rotation)));
    }
    out
}

fn axis_text(axis: &Axis) -> String {
    format!("[{}]", list(&axis.components))
}

fn rotation_text(rotation: &Rotation) -> String {
    match rotation {
        Rotation::Rpy(angles) => format!("rpy {}", list(angles)),
        Rotation::Quaternion(parts) => format!("quaternion {}", list(parts)),
        Rotation::Matrix(rows) => format!("matrix {}", rows.each_ref().map(|r| list(r)).join("; ")),
        Rotation::Turn { axis, angle } => format!("turn {} {}", axis_text(axis), value(angle)),
        Rotation::Link { convention, .. } => format!("link {convention:?}"),
    }
}

fn list(values: &[DraftValue]) -> String {
    values.iter().map(value).collect::<Vec<_>>().join(" ")
}

fn value(scalar: &DraftValue) -> String {
    match &scalar.value {
        Value::Number(number) => number.to_string(),
        Value::Expression(text) => text.clone(),
    }
}

/// Compares findings in any order: that of a text is its own, and rows are easier to read by
/// subject.
#[track_caller]
pub fn assert_findings_by_subject(
    sources: &Sources,
    diagnostics: &Diagnostics,
    expected: &str,
    text: &str,
) {
    let found = findings(sources, diagnostics);
    let [mut found, mut expected]: [Vec<&str>; 2] =
        [&*found, expected].map(|list| list.lines().collect());
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected, "{text}");
}
