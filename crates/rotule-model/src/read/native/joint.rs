//! Joints and cuts: their types, and which keys fit which type.

use super::fields::Fields;
use super::reader::{At, Reader};
use super::value::{
    Node, axes, axis, between, direction, flag, name, numbers, scalar, several, unknown, word,
    words,
};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::*;
use crate::source::Spanned;
use toml::de::DeValue;

/// The keys of every joint.
pub(super) const JOINT: &[&str] = &[
    "name",
    "type",
    "axis",
    "axes",
    "pitch",
    "effort",
    "role",
    "partition",
    "actuated",
    "actuation_weight",
    "armature",
    "damping",
    "friction",
    "range",
    "max_speed",
    "max_effort",
    "stop",
];
const CUT: &[&str] = &[
    "name",
    "type",
    "axis",
    "axes",
    "pitch",
    "length",
    "between",
    "ignore",
    "frame",
    "intermittent",
];

/// A joint, in a body or in a table of its own. One whose type or axis cannot be read becomes
/// another that has the same name.
pub(super) fn joint(fields: &mut Fields<'_, '_, '_, '_>) -> Joint {
    // A law without a motion is probably meant for a joint that the model has.
    let kind = if !fields.has("type") && !fields.has("axis") && fields.has("effort") {
        let help = "add it, such as `type = \"revolute\"`; the law of a joint of another file is a table \
                    `[[joint]]` with its `name` and `effort`";
        fields.misses("type", Some(help.to_owned()));
        None
    } else {
        fields.need("type", |reader, at, node| word(reader, at, node, &JointType::ALL))
    };
    if let Some(kind) = kind {
        check_keys(fields, Some(kind.value), kind.value.word());
    }
    let (axes, pitch) = geometry(fields, kind.map(|kind| kind.value));
    let more = more_of_joint(fields);
    Joint { kind: kind.unwrap_or(more.kind), axes, pitch, ..more }
}

/// The keys of a joint that do not say how it moves.
pub(super) fn more_of_joint(fields: &mut Fields<'_, '_, '_, '_>) -> Joint {
    let kind = Spanned::new(JointType::Revolute, fields.span);
    // Whether a name is needed is the same question in every format, and answered when resolving.
    let name = fields.get("name", name);
    Joint {
        span: fields.span,
        name,
        kind,
        axes: Vec::new(),
        pitch: None,
        effort: fields.get("effort", several),
        locked: fields.get("role", role).unwrap_or_default(),
        partition: fields
            .get("partition", |reader, at, node| word(reader, at, node, &PartitionRole::ALL)),
        actuated: fields.get("actuated", flag).unwrap_or_default(),
        actuation_weight: fields.get("actuation_weight", scalar),
        armature: fields.get("armature", scalar),
        damping: fields.get("damping", scalar),
        friction: fields.get("friction", friction),
        range: fields.get("range", numbers),
        max_speed: fields.get("max_speed", scalar),
        max_effort: fields.get("max_effort", scalar),
        stop: fields.get("stop", super::event::stop),
    }
}

/// Dry friction: one number, or two for sliding and at rest.
fn friction(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Friction> {
    let DeValue::Table(table) = node.get_ref() else {
        return scalar(reader, at, node).map(|slide| Friction { slide, stick: None });
    };
    let mut fields = Fields::new(reader, node, table, at, &[&["slide", "stick"]]);
    let slide = fields.need("slide", scalar);
    let stick = fields.get("stick", scalar);
    Some(Friction { slide: slide?, stick })
}

/// Reads `true` if a joint is locked.
fn role(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<bool> {
    const ROLES: [(bool, &str); 2] = [(false, "free"), (true, "locked")];
    if node.get_ref().as_str() == Some("driven") {
        let message = format!("{at} cannot be `driven`");
        let help =
            "a joint is driven by a `[[motion]]` table with its name as `joint` and its law as `q`";
        let span = reader.span(node.span());
        reader.report(Diagnostic::error(DiagnosticCode::UnknownName, span, message).help(help));
        return None;
    }
    word(reader, at, node, &ROLES).map(|role| role.value)
}

/// A closure of a loop.
pub(super) fn cut(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Cut> {
    let mut fields = Fields::open(reader, node, "loop closure", None, &[CUT])?;
    // Words that are not words of joints come first; a rod is no joint.
    let own = JointType::ALL.iter().filter(|(kind, word)| kind.closure_word() != *word);
    let own = own.map(|(kind, _)| (Some(*kind), kind.closure_word()));
    let joints = JointType::ALL.map(|(kind, word)| (Some(kind), word));
    let all: Vec<_> = own.chain([(None, "rod")]).chain(joints).collect();
    let kind = fields.need("type", |reader, at, node| {
        let found = word(reader, at, node, &all)?;
        Some((found, node.get_ref().as_str().unwrap_or_default().to_owned()))
    });
    if let Some((kind, word)) = &kind {
        check_keys(&mut fields, kind.value, word);
    }
    let name = fields.need("name", name);
    let between = fields.need("between", between);
    let ignore = fields.get("ignore", |reader, at, node| words(reader, at, node, &Component::ALL));
    let frame = fields.get("frame", |reader, at, node| word(reader, at, node, &CutFrame::ALL));
    let intermittent = engagement(&mut fields);
    let kind = match kind.map(|(kind, _)| kind) {
        Some(Spanned { value: Some(kind), span }) => {
            let (axes, pitch) = geometry(&mut fields, Some(kind));
            Some(CutType::Joint { kind: Spanned::new(kind, span), axes, pitch })
        }
        Some(_) => fields.need("length", scalar).map(|length| CutType::Rod { length }),
        None => {
            geometry(&mut fields, None);
            None
        }
    };
    let span = fields.span;
    Some(Cut {
        span,
        kind: kind?,
        name: name?,
        between: between?,
        ignore: ignore.unwrap_or_default(),
        frame,
        intermittent,
    })
}

/// The state of an intermittent constraint at the beginning, if it is one.
pub(super) fn engagement(fields: &mut Fields<'_, '_, '_, '_>) -> Option<Spanned<Engagement>> {
    fields.get("intermittent", |reader, at, node| word(reader, at, node, &Engagement::ALL))
}

/// Reports keys that do not fit the type; a rod has none of the joint types.
fn check_keys(fields: &mut Fields<'_, '_, '_, '_>, kind: Option<JointType>, word: &str) {
    let axes = kind.map_or(0, JointType::axes);
    let pitch = kind.is_some_and(JointType::has_pitch);
    let joints = |fits: fn(JointType) -> bool| {
        let words = JointType::ALL.iter().filter(|(kind, _)| fits(*kind)).map(|(_, word)| *word);
        format!("{} joints", words.collect::<Vec<_>>().join(" and "))
    };
    let keys = [
        ("axis", axes == 1, "joints with one axis".to_owned()),
        ("axes", axes == 2, joints(|kind| kind.axes() == 2)),
        ("pitch", pitch, joints(JointType::has_pitch)),
        ("length", kind.is_none(), "rods".to_owned()),
    ];
    for (key, fits, home) in keys {
        if fits || !fields.has(key) {
            continue;
        }
        let help = match (key, axes) {
            ("axes", 1) => "did you mean `axis`?".to_owned(),
            ("axis", 2) => "did you mean `axes`?".to_owned(),
            _ => format!("`{key}` is for {home}"),
        };
        let message = format!("`{key}` of {} does not fit its type, `{word}`", fields.at);
        let span = fields.key_span(key);
        fields
            .reader
            .report(Diagnostic::error(DiagnosticCode::UnknownKey, span, message).help(help));
    }
}

/// Axes and pitch as the type needs them; what cannot be read is replaced by something valid. A
/// type that could not be read gets one axis, and what there is is looked at.
fn geometry(
    fields: &mut Fields<'_, '_, '_, '_>,
    kind: Option<JointType>,
) -> (Vec<Axis>, Option<DraftValue>) {
    let span = fields.span;
    let placeholder = |index: usize| direction(AXES[index].0, span);
    let Some(kind) = kind else {
        let (axis, _) = (fields.get("axis", axis), fields.get("axes", axes));
        fields.get("pitch", scalar);
        return (vec![axis.unwrap_or(placeholder(2))], None);
    };
    let axes = match kind.axes() {
        0 => Vec::new(),
        // With the other of the two keys, what is meant has been said.
        1 if fields.has("axes") && !fields.has("axis") => vec![placeholder(2)],
        1 => vec![fields.need("axis", axis).unwrap_or(placeholder(2))],
        _ if fields.has("axis") && !fields.has("axes") => vec![placeholder(0), placeholder(1)],
        _ => fields.need("axes", axes).unwrap_or(vec![placeholder(0), placeholder(1)]),
    };
    let pitch =
        kind.has_pitch().then(|| fields.need("pitch", scalar).unwrap_or(unknown(1.0, span)));
    (axes, pitch)
}
