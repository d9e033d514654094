//! The elements of a model file, one function and one list of keys each.
//!
//! An element that lacks something is kept with what is known wherever other elements may refer to
//! it, so that they do not complain in turn; the diagnostic says that the model cannot be used.

use super::fields::{Fields, in_order};
use super::joint::{JOINT, engagement, joint, more_of_joint};
use super::reader::{At, Reader};
use super::shape::{AnyInertia, inertia_of, shapes};
use super::value::{
    Node, axis, between, count, each, equation, flag, link, name, numbers, place, prose, rotation,
    scalar, several, unknown, word, words,
};
use crate::diagnostic::{Diagnostic, DiagnosticCode, short};
use crate::draft::*;
use crate::source::Spanned;
use toml::de::DeValue;

/// The keys of `[model]`.
pub(super) const MODEL: &[&str] = &["name", "about", "gravity", "baumgarte", "accept", "redundant"];
const PARAMETER: &[&str] = &["value", "unit", "about"];
const GROUND: &[&str] = &["points", "shape"];
const POINT: &[&str] = &["position", "rotation", "dh", "khalil"];
pub(super) const BODY: &[&str] = &[
    "name", "parent", "position", "rotation", "dh", "khalil", "joint", "mass", "com", "inertia",
    "shape", "points",
];
const COUPLING: &[&str] = &["name", "equation"];
const MOTION: &[&str] = &["joint", "q", "qd", "qdd"];
const CONSTRAINT: &[&str] = &["name", "position", "velocity", "intermittent"];
const LINE_FORCE: &[&str] = &["name", "between", "force"];
const FORCE: &[&str] = &["name", "at", "force", "torque", "axes"];
const WHEEL: &[&str] = &["name", "body", "axle", "radius", "ground", "rolling"];
const SENSOR: &[&str] = &["name", "at", "measures", "relative_to"];
const INPUT: &[&str] = &["name", "value", "unit", "limits", "filter", "derivatives", "about"];
const STATE: &[&str] = &["name", "initial", "rate", "unit", "about"];
const OUTPUT: &[&str] = &["name", "value", "unit", "about"];
const EXTERNAL: &[&str] = &["name", "arguments", "results"];

/// The table of a section there is one of.
fn single<'r, 't, 'a, 'i>(
    reader: &'r mut Reader<'t>,
    node: &'a Node<'i>,
    title: &'a str,
    keys: &[&'static [&'static str]],
) -> Option<Fields<'r, 't, 'a, 'i>> {
    match node.get_ref() {
        DeValue::Table(table) => Some(Fields::new(reader, node, table, At::Section(title), keys)),
        _ => reader.wrong_type(At::Section(title), node, "a table"),
    }
}

pub(super) fn model(reader: &mut Reader<'_>, node: &Node<'_>, draft: &mut Draft) {
    let Some(mut fields) = single(reader, node, "the model", &[MODEL]) else { return };
    draft.name = fields.get("name", name);
    draft.about = fields.get("about", prose);
    draft.gravity = fields.get("gravity", numbers);
    draft.baumgarte = fields.get("baumgarte", numbers);
    let codes: Vec<_> = DiagnosticCode::ALL.iter().map(|&code| (code, code.word())).collect();
    let accept = fields.get("accept", |reader, at, node| words(reader, at, node, &codes));
    draft.accept = accept.unwrap_or_default();
    draft.redundant =
        fields.get("redundant", |reader, at, node| word(reader, at, node, &Redundant::ALL));
    draft.span = draft.name.as_ref().map_or(fields.span, |name| name.span);
}

pub(super) fn parameters(reader: &mut Reader<'_>, node: &Node<'_>, draft: &mut Draft) {
    let DeValue::Table(table) = node.get_ref() else {
        return reader.wrong_type(At::Section("the parameters"), node, "a table").unwrap_or(());
    };
    for (key, node) in in_order(table) {
        if !reader.room("parameters", draft.parameters.len(), key.span()) {
            return;
        }
        let name = reader.key(key);
        let at = At::Element { kind: "parameter", name: Some(&name.value), of: None };
        let (value, unit, about) = match node.get_ref() {
            DeValue::Table(table) => {
                let mut fields = Fields::new(reader, node, table, at, &[PARAMETER]);
                // One without a value is a symbol, whose number is given later.
                let value = fields.has("value").then(|| fields.get("value", scalar));
                (value, fields.get("unit", prose), fields.get("about", prose))
            }
            _ => (Some(scalar(reader, at, node)), None, None),
        };
        let value = value.map(|value| value.unwrap_or(unknown(1.0, name.span)));
        draft.parameters.push(Parameter { name, value, unit, about });
    }
}

pub(super) fn ground(reader: &mut Reader<'_>, node: &Node<'_>, draft: &mut Draft) {
    let Some(mut fields) = single(reader, node, "the ground", &[GROUND]) else { return };
    draft.ground.extend(fields.get("points", points).unwrap_or_default());
    draft.ground_shapes.extend(fields.get("shape", shapes).unwrap_or_default());
}

fn points(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Vec<Point>> {
    let DeValue::Table(table) = node.get_ref() else {
        return reader.wrong_type(at, node, "points such as `points.pin = [0, 0, 1]`");
    };
    let mut points = Vec::with_capacity(table.len());
    for (key, node) in in_order(table) {
        if !reader.room("points", points.len(), key.span()) {
            break;
        }
        let at = At::Key { key: key.get_ref(), of: &at };
        let (position, rotation) = match node.get_ref() {
            DeValue::Array(_) => (numbers(reader, at, node), None),
            DeValue::Table(table) => {
                let mut fields = Fields::new(reader, node, table, at, &[POINT]);
                match placing(&mut fields) {
                    Some(link) => {
                        (Some([0.0; 3].map(|zero| unknown(zero, fields.span))), Some(link))
                    }
                    None => (fields.need("position", numbers), fields.get("rotation", rotation)),
                }
            }
            _ => (reader.wrong_type(at, node, "a point such as `[0, 0, 1]`"), None),
        };
        let name = reader.key(key);
        let position = position.unwrap_or_else(|| [0.0; 3].map(|zero| unknown(zero, name.span)));
        points.push(Point { name, position, rotation });
    }
    Some(points)
}

/// A placement by link parameters, which leave nothing to a position or a rotation.
fn placing(fields: &mut Fields<'_, '_, '_, '_>) -> Option<Rotation> {
    let mut found: Option<(Rotation, &'static str)> = None;
    for (convention, key) in LinkConvention::ALL {
        let link = fields.get(key, |reader, at, node| link(reader, at, node, convention));
        let Some(link) = link else { continue };
        let others = ["position", "rotation"].into_iter().find(|other| fields.has(other));
        if let Some(other) = others.or(found.as_ref().map(|(_, other)| *other)) {
            let message = format!("{} has both `{key}` and `{other}`", fields.at);
            let help = "link parameters say all of a placement";
            let span = fields.key_span(key);
            fields
                .reader
                .report(Diagnostic::error(DiagnosticCode::Ambiguous, span, message).help(help));
        }
        found = Some((link, key));
    }
    found.map(|(link, _)| link)
}

pub(super) fn body(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Body> {
    let mut fields = Fields::open(reader, node, "body", None, &[BODY])?;
    let name = fields.need("name", name);
    let of = fields.at;
    let joints = fields.get("joint", |reader, _, node| joints(reader, &of, node));
    let joints = joints.unwrap_or_default();
    // The joints of a chain have bodies between them.
    fields.reader.bodies += joints.len().max(1);
    let (entries, inertia_of) = match fields.get("inertia", any_inertia) {
        Some(AnyInertia::Entries(entries)) => (Some(entries), None),
        Some(AnyInertia::Of(of)) => (None, Some(of)),
        None => (None, None),
    };
    let link = placing(&mut fields);
    Some(Body {
        joints,
        parent: fields.get("parent", place),
        position: fields.get("position", numbers),
        rotation: fields.get("rotation", rotation).or(link),
        mass: fields.get("mass", scalar),
        com: fields.get("com", numbers),
        inertia: entries,
        inertia_of,
        shapes: fields.get("shape", shapes).unwrap_or_default(),
        points: fields.get("points", points).unwrap_or_default(),
        // Last, so that everything else has been looked at.
        name: name?,
    })
}

/// One joint or a chain of them.
fn joints(reader: &mut Reader<'_>, of: &At<'_>, node: &Node<'_>) -> Option<Vec<Joint>> {
    let chain = match node.get_ref() {
        DeValue::Array(chain) => chain.as_ref(),
        _ => std::slice::from_ref(node),
    };
    let open = |node| {
        let mut fields = Fields::open(reader, node, "joint", Some(of), &[JOINT])?;
        Some(joint(&mut fields))
    };
    Some(chain.iter().filter_map(open).collect())
}

fn any_inertia(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<AnyInertia> {
    match inertia_of(reader, at, node)? {
        Some(of) => Some(AnyInertia::Of(of)),
        None => inertia(reader, at, node).map(AnyInertia::Entries),
    }
}

fn inertia(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Inertia> {
    let DeValue::Table(table) = node.get_ref() else {
        return reader.wrong_type(at, node, "entries such as `{ xx = 0.1, yy = 0.1, zz = 0.2 }`");
    };
    let mut fields = Fields::new(reader, node, table, at, &[&INERTIA_ENTRIES, &["rotation"]]);
    let entries = INERTIA_ENTRIES.map(|entry| fields.get(entry, scalar));
    Some(Inertia { span: fields.span, entries, rotation: fields.get("rotation", rotation) })
}

/// A joint between two places; one without `type` and `between` completes a joint of another file.
pub(super) fn joint_table(reader: &mut Reader<'_>, node: &Node<'_>, draft: &mut Draft) {
    let fields = Fields::open(reader, node, "joint", None, &[JOINT, &["between"]]);
    let Some(mut fields) = fields else { return };
    let geometry = ["type", "between", "axis", "axes", "pitch"];
    if fields.has("name") && !geometry.iter().any(|key| fields.has(key)) {
        draft.completed.push(more_of_joint(&mut fields));
        return;
    }
    let joint = joint(&mut fields);
    let between = fields.need("between", between);
    draft.joints.extend(between.map(|between| LooseJoint { between, joint }));
}

pub(super) fn coupling(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Coupling> {
    let mut fields = Fields::open(reader, node, "coupling", None, &[COUPLING])?;
    let (name, equation) = (fields.need("name", name), fields.need("equation", equation));
    Some(Coupling { name: name?, equation: equation? })
}

pub(super) fn motion(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Motion> {
    let mut fields = Fields::open(reader, node, "motion", None, &[MOTION])?;
    let (joint, q) = (fields.need("joint", name), fields.need("q", several));
    let (qd, qdd) = (fields.get("qd", several), fields.get("qdd", several));
    Some(Motion { joint: joint?, q: q?, qd, qdd })
}

pub(super) fn constraint(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Constraint> {
    let mut fields = Fields::open(reader, node, "constraint", None, &[CONSTRAINT])?;
    let name = fields.need("name", name);
    let position = fields.get("position", scalar);
    let velocity = fields.get("velocity", scalar);
    let intermittent = engagement(&mut fields);
    let wrong = match (fields.has("position"), fields.has("velocity")) {
        (true, true) => Some((DiagnosticCode::Ambiguous, "has both `position` and `velocity`")),
        (false, false) => Some((DiagnosticCode::Missing, "has neither `position` nor `velocity`")),
        _ => None,
    };
    if let Some((code, what)) = wrong {
        let message = format!("{} {what}", fields.at);
        let help = "give one of them: an expression that is to be zero";
        fields.reader.report(Diagnostic::error(code, fields.span, message).help(help));
    }
    let position = position.map(|expression| (Level::Position, expression));
    let velocity = velocity.map(|expression| (Level::Velocity, expression));
    let (level, expression) = position.or(velocity)?;
    Some(Constraint { name: name?, level, expression, intermittent })
}

pub(super) fn line_force(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<LineForce> {
    let mut fields = Fields::open(reader, node, "line force", None, &[LINE_FORCE])?;
    let (name, between) = (fields.need("name", name), fields.need("between", between));
    Some(LineForce { force: fields.need("force", scalar)?, name: name?, between: between? })
}

pub(super) fn force(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Force> {
    const AXES: [(bool, &str); 2] = [(false, "ground"), (true, "body")];
    let mut fields = Fields::open(reader, node, "force", None, &[FORCE])?;
    let (name, at) = (fields.need("name", name), fields.need("at", place));
    let (force, torque) = (fields.get("force", numbers), fields.get("torque", numbers));
    if !fields.has("force") && !fields.has("torque") {
        let message = format!("{} has neither `force` nor `torque`", fields.at);
        let help = "add one: for example `force = [0, 0, -10]`";
        fields
            .reader
            .report(Diagnostic::error(DiagnosticCode::Missing, fields.span, message).help(help));
        return None;
    }
    let axes = fields.get("axes", |reader, at, node| word(reader, at, node, &AXES));
    let body_axes = axes.is_some_and(|axes| axes.value);
    Some(Force { name: name?, at: at?, force, torque, body_axes })
}

pub(super) fn wheel(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Wheel> {
    let mut fields = Fields::open(reader, node, "wheel", None, &[WHEEL, &WHEEL_LAWS])?;
    let (name, body) = (fields.need("name", name), fields.need("body", name));
    let radius = fields.need("radius", scalar);
    Some(Wheel {
        axle: fields.get("axle", axis),
        ground: fields.get("ground", scalar),
        rolling: fields.get("rolling", flag).unwrap_or_default(),
        laws: WHEEL_LAWS.map(|law| fields.get(law, scalar)),
        name: name?,
        body: body?,
        radius: radius?,
    })
}

pub(super) fn sensor(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Sensor> {
    let mut fields = Fields::open(reader, node, "sensor", None, &[SENSOR])?;
    let (name, at) = (fields.need("name", name), fields.need("at", place));
    let measures =
        fields.need("measures", |reader, at, node| words(reader, at, node, &Measure::ALL));
    let relative_to = fields.get("relative_to", self::name);
    let name = name?;
    // Constraints may use its signals, so it is kept even if its place is not known.
    let at = at.unwrap_or_else(|| Text::new("ground".to_owned(), name.span));
    Some(Sensor { name, at, measures: measures.unwrap_or_default(), relative_to })
}

pub(super) fn input(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<UserInput> {
    let mut fields = Fields::open(reader, node, "input", None, &[INPUT])?;
    Some(UserInput {
        value: fields.get("value", scalar),
        unit: fields.get("unit", prose),
        limits: fields.get("limits", numbers),
        filter: fields.get("filter", scalar),
        derivatives: fields.get("derivatives", count),
        about: fields.get("about", prose),
        name: fields.need("name", name)?,
    })
}

pub(super) fn output(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<UserOutput> {
    let mut fields = Fields::open(reader, node, "output", None, &[OUTPUT])?;
    Some(UserOutput {
        unit: fields.get("unit", prose),
        about: fields.get("about", prose),
        value: fields.need("value", scalar)?,
        name: fields.need("name", name)?,
    })
}

pub(super) fn state(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<UserState> {
    let mut fields = Fields::open(reader, node, "state", None, &[STATE])?;
    let name = fields.need("name", name);
    let rate = fields.need("rate", scalar);
    let initial = fields.get("initial", scalar);
    let (unit, about) = (fields.get("unit", prose), fields.get("about", prose));
    let name = name?;
    // Laws may use it, so it is kept even if its rate is not known.
    let rate = rate.unwrap_or(unknown(0.0, name.span));
    Some(UserState { name, initial, rate, unit, about })
}

pub(super) fn external(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<External> {
    let mut fields = Fields::open(reader, node, "external", None, &[EXTERNAL])?;
    let name = fields.need("name", name);
    // The number of arguments counts, so one that cannot be read still holds its place.
    let argument = |reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>| {
        let span = reader.span(node.span());
        self::name(reader, at, node).or(Some(Text::new("unknown".to_owned(), span)))
    };
    let arguments = fields
        .need("arguments", |reader, at, node| each(reader, at, node, "names in quotes", argument));
    let results = fields.get("results", count).unwrap_or(Spanned::new(1, fields.span));
    Some(External { arguments: arguments.unwrap_or_default(), results, name: name? })
}

pub(super) fn initial(reader: &mut Reader<'_>, node: &Node<'_>, draft: &mut Draft) {
    const KEYS: [&str; 2] = ["q", "qd"];
    let at = At::Section("the initial state");
    let DeValue::Table(table) = node.get_ref() else {
        return reader.wrong_type(at, node, "a table").unwrap_or(());
    };
    // A value right below `[initial]` is a coordinate whose header was forgotten.
    for (key, node) in table.iter().filter(|(key, _)| !KEYS.contains(&key.get_ref().as_ref())) {
        let span = reader.span(key.span());
        let key = short(key.get_ref());
        let message = format!("unknown key `{key}` in {at}");
        let help = match node.get_ref() {
            DeValue::Table(_) => "expected `[initial.q]` or `[initial.qd]`",
            _ => "coordinates stand below `[initial.q]`, speeds below `[initial.qd]`",
        };
        reader.report(Diagnostic::error(DiagnosticCode::UnknownKey, span, message).help(help));
    }
    let orders = [
        ", of a free joint `[x, y, z, qw, qx, qy, qz]`, of a spherical one `[qw, qx, qy, qz]`",
        ", of a free joint `[vx, vy, vz, wx, wy, wz]`, of a spherical one `[wx, wy, wz]`",
    ];
    let tables = [("q", &mut draft.initial_q), ("qd", &mut draft.initial_qd)];
    for ((key, values), order) in tables.into_iter().zip(orders) {
        let Some(node) = table.get(key) else { continue };
        let at = At::Key { key, of: &at };
        let DeValue::Table(table) = node.get_ref() else {
            reader.wrong_type::<()>(at, node, "a table such as `{ q1 = 0.5 }`");
            continue;
        };
        for (key, node) in in_order(table) {
            if !reader.room("initial values", values.len(), key.span()) {
                break;
            }
            if let DeValue::Table(_) = node.get_ref() {
                let span = reader.span(node.span());
                let joint = short(key.get_ref());
                let message = format!("an initial value of joint `{joint}` stands alone");
                let help = format!("write `{joint}` with a list of all its values{order}");
                let finding = Diagnostic::error(DiagnosticCode::Type, span, message);
                reader.report(finding.help(help));
                continue;
            }
            let at = At::Key { key: key.get_ref(), of: &at };
            if let Some(list) = several(reader, at, node) {
                values.push(Initial { joint: reader.key(key), values: list });
            }
        }
    }
}
