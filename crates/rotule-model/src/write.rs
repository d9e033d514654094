//! The writer: draft to model file.
//!
//! What is written looks as if written by hand: sections in the order of the manual, one line per
//! key, nothing that goes without saying. Read again, it gives the same draft, number by number.

use crate::draft::*;
use crate::source::Spanned;

/// Writes a draft as a model file that reads back as the same draft, places aside.
pub fn write(draft: &Draft) -> String {
    let mut out = String::new();
    let single = [
        ("model", model(draft)),
        ("parameters", draft.parameters.iter().map(parameter).collect()),
        ("ground", points(&draft.ground).into_iter().chain(shapes(&draft.ground_shapes)).collect()),
    ];
    for (header, entries) in single {
        // Only the section of the parameters is a table of like things.
        section(&mut out, &format!("[{header}]"), &entries, header == "parameters");
    }
    elements(&mut out, "body", &draft.bodies, body);
    elements(&mut out, "joint", &draft.joints, loose_joint);
    elements(&mut out, "cut", &draft.cuts, cut);
    elements(&mut out, "coupling", &draft.couplings, coupling);
    elements(&mut out, "motion", &draft.motions, motion);
    elements(&mut out, "constraint", &draft.constraints, constraint);
    elements(&mut out, "line_force", &draft.line_forces, line_force);
    elements(&mut out, "force", &draft.forces, force);
    elements(&mut out, "wheel", &draft.wheels, wheel);
    elements(&mut out, "sensor", &draft.sensors, sensor);
    elements(&mut out, "input", &draft.inputs, input);
    elements(&mut out, "output", &draft.outputs, output);
    elements(&mut out, "controller", &draft.controllers, controller);
    elements(&mut out, "state", &draft.states, state);
    elements(&mut out, "event", &draft.events, event);
    elements(&mut out, "external", &draft.externals, external);
    for (header, values) in [("[initial.q]", &draft.initial_q), ("[initial.qd]", &draft.initial_qd)]
    {
        let entries = values.iter().map(|item| (key(&item.joint.value), several(&item.values)));
        section(&mut out, header, &entries.collect::<Entries>(), true);
    }
    let about = draft.about.as_ref().map_or(String::new(), |about| comment(&about.value));
    about + &out
}

/// Keys and their values, as they are written.
type Entries = Vec<(String, String)>;

fn elements<T>(out: &mut String, word: &str, items: &[T], entries: fn(&T) -> Entries) {
    for item in items {
        section(out, &format!("[[{word}]]"), &entries(item), false);
    }
}

/// Names longer than this do not move the column of the others.
const WIDEST_COLUMN: usize = 24;

/// A header and its keys, after a blank line; nothing if there are no keys.
fn section(out: &mut String, header: &str, entries: &Entries, aligned: bool) {
    if entries.is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(header);
    out.push('\n');
    let widths = entries.iter().map(|(key, _)| key.chars().count());
    let width = widths.filter(|width| *width <= WIDEST_COLUMN).max().unwrap_or(0);
    let width = if aligned { width } else { 0 };
    for (key, value) in entries {
        out.push_str(&format!("{key:width$} = {value}\n"));
    }
}

/// A text as a comment, line by line, without characters that would end it.
pub fn comment(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let clean: String = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        out.push_str(format!("# {clean}").trim_end());
        out.push('\n');
    }
    out
}

// Values.

/// A number in its shortest form that reads back as itself.
fn number(number: f64) -> String {
    let size = number.abs();
    if number == 0.0 {
        // An integer has no sign of zero.
        if number.is_sign_negative() { "-0.0".to_owned() } else { "0".to_owned() }
    } else if !(1e-4..1e15).contains(&size) && number.is_finite() {
        format!("{number:e}")
    } else {
        // A whole number is written without a point, which is exact below 2^53.
        number.to_string().to_lowercase()
    }
}

fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A name as a key: bare, or in quotes where TOML asks for them.
pub fn key(name: &str) -> String {
    let bare = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    if !name.is_empty() && name.chars().all(bare) { name.to_owned() } else { text(name) }
}

fn scalar(scalar: &DraftValue) -> String {
    match &scalar.value {
        Value::Number(value) => number(*value),
        Value::Expression(expression) => text(expression),
    }
}

fn list<T>(items: &[T], item: impl Fn(&T) -> String) -> String {
    format!("[{}]", items.iter().map(item).collect::<Vec<_>>().join(", "))
}

fn numbers(values: &[DraftValue]) -> String {
    list(values, scalar)
}

/// One number stands for a list of one.
fn several(values: &Spanned<Vec<DraftValue>>) -> String {
    match &values.value[..] {
        [one] => scalar(one),
        all => numbers(all),
    }
}

fn names(names: &[Text]) -> String {
    list(names, |name| text(&name.value))
}

fn table(entries: &Entries) -> String {
    if entries.is_empty() {
        return "{}".to_owned();
    }
    let pairs: Vec<String> =
        entries.iter().map(|(key, value)| format!("{key} = {value}")).collect();
    format!("{{ {} }}", pairs.join(", "))
}

/// The word of a value in a table of words.
fn word<T: Copy + PartialEq>(all: &[(T, &str)], value: T) -> String {
    let found = all.iter().find(|(known, _)| *known == value);
    text(found.expect("the tables of words are complete").1)
}

fn axis(axis: &Axis) -> String {
    if let Some(word) = axis.unknown_word() {
        return text(word);
    }
    let bits = |scalar: &DraftValue| match scalar.value {
        Value::Number(value) => Some(value.to_bits()),
        Value::Expression(_) => None,
    };
    let bits = axis.components.each_ref().map(bits);
    let same = AXES.iter().find(|(axis, _)| axis.map(|value| Some(value.to_bits())) == bits);
    same.map_or_else(|| numbers(&axis.components), |(_, word)| text(word))
}

fn rotation(rotation: &Rotation) -> String {
    let form = |word: &str, value| table(&vec![(word.to_owned(), value)]);
    match rotation {
        Rotation::Rpy(angles) => numbers(angles),
        Rotation::Quaternion(entries) => form("quaternion", numbers(entries)),
        Rotation::Matrix(rows) => form("matrix", list(rows, |row| numbers(row))),
        Rotation::Turn { axis: about, angle } => {
            let mut entries = Entries::new();
            entries.put("axis", axis(about));
            entries.put("angle", scalar(angle));
            table(&entries)
        }
        // In places of bodies and points, whose keys say it.
        Rotation::Link { convention, values } => {
            let mut entries = Entries::new();
            for (name, value) in convention.parameters().iter().zip(values) {
                entries.maybe(name, value.as_ref(), scalar);
            }
            table(&entries)
        }
    }
}

/// The key of a rotation in a body or a point.
fn rotation_key(rotation: &Rotation) -> &'static str {
    let Rotation::Link { convention, .. } = rotation else { return "rotation" };
    let found = LinkConvention::ALL.iter().find(|(known, _)| known == convention);
    found.map_or("rotation", |(_, word)| word)
}

/// Adding keys in a row.
trait Put {
    fn put(&mut self, key: &str, value: String);
    fn maybe<T: ?Sized>(&mut self, key: &str, value: Option<&T>, write: impl Fn(&T) -> String);
}

impl Put for Entries {
    fn put(&mut self, key: &str, value: String) {
        self.push((key.to_owned(), value));
    }

    fn maybe<T: ?Sized>(&mut self, key: &str, value: Option<&T>, write: impl Fn(&T) -> String) {
        if let Some(value) = value {
            self.put(key, write(value));
        }
    }
}

// Sections and elements, each with its keys in the order of the manual.

fn model(draft: &Draft) -> Entries {
    let mut out = Entries::new();
    out.maybe("name", draft.name.as_ref(), |name| text(&name.value));
    out.maybe("about", draft.about.as_ref(), |about| text(&about.value));
    out.maybe("gravity", draft.gravity.as_ref(), |gravity| numbers(gravity));
    out.maybe("baumgarte", draft.baumgarte.as_ref(), |gains| numbers(gains));
    if !draft.accept.is_empty() {
        out.put("accept", list(&draft.accept, |code| text(code.value.word())));
    }
    out.maybe("redundant", draft.redundant.as_ref(), |one| word(&Redundant::ALL, one.value));
    out
}

fn parameter(parameter: &Parameter) -> (String, String) {
    let value = parameter.value.as_ref().map_or("{}".to_owned(), scalar);
    let mut more = Entries::new();
    more.maybe("value", parameter.value.as_ref(), scalar);
    more.maybe("unit", parameter.unit.as_ref(), |unit| text(&unit.value));
    more.maybe("about", parameter.about.as_ref(), |about| text(&about.value));
    let plain = parameter.unit.is_none() && parameter.about.is_none();
    (key(&parameter.name.value), if plain { value } else { table(&more) })
}

fn points(points: &[Point]) -> Entries {
    let point = |point: &Point| {
        let position = numbers(&point.position);
        let value = match &point.rotation {
            None => position,
            Some(turn) => {
                let mut entries = Entries::new();
                if !matches!(turn, Rotation::Link { .. }) {
                    entries.put("position", position);
                }
                entries.put(rotation_key(turn), rotation(turn));
                table(&entries)
            }
        };
        (format!("points.{}", key(&point.name.value)), value)
    };
    points.iter().map(point).collect()
}

fn body(body: &Body) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&body.name.value));
    out.maybe("parent", body.parent.as_ref(), |parent| text(&parent.value));
    out.maybe("position", body.position.as_ref(), |position| numbers(position));
    let turned = body.rotation.as_ref();
    out.maybe(turned.map_or("", rotation_key), turned, rotation);
    match &body.joints[..] {
        [] => {}
        [one] => out.put("joint", table(&joint(one))),
        chain => {
            let lines: Vec<String> =
                chain.iter().map(|one| format!("  {},\n", table(&joint(one)))).collect();
            out.put("joint", format!("[\n{}]", lines.concat()));
        }
    }
    out.maybe("mass", body.mass.as_ref(), scalar);
    out.maybe("com", body.com.as_ref(), |com| numbers(com));
    out.maybe("inertia", body.inertia.as_ref(), inertia);
    out.maybe("inertia", body.inertia_of.as_ref(), inertia_of);
    out.extend(shapes(&body.shapes));
    out.extend(points(&body.points));
    out
}

fn inertia(inertia: &Inertia) -> String {
    let mut out = Entries::new();
    for (name, entry) in INERTIA_ENTRIES.iter().zip(&inertia.entries) {
        out.maybe(name, entry.as_ref(), scalar);
    }
    out.maybe("rotation", inertia.rotation.as_ref(), rotation);
    table(&out)
}

fn inertia_of(of: &InertiaOf) -> String {
    match of {
        InertiaOf::Shapes(_) => text(FROM_SHAPES),
        InertiaOf::Solid { kind, mass, sizes, axis: along, rotation: turn } => {
            let all: Vec<DraftValue> = std::iter::once(mass).chain(sizes).cloned().collect();
            let mut out = Entries::new();
            out.put(kind.value.word(), numbers(&all));
            out.maybe("axis", along.as_ref(), axis);
            out.maybe("rotation", turn.as_ref(), rotation);
            table(&out)
        }
    }
}

/// The key of shapes, if there are any.
fn shapes(shapes: &[BodyShape]) -> Option<(String, String)> {
    let value = match shapes {
        [] => return None,
        [one] => table(&shape(one)),
        all => {
            let lines: Vec<String> =
                all.iter().map(|one| format!("  {},\n", table(&shape(one)))).collect();
            format!("[\n{}]", lines.concat())
        }
    };
    Some(("shape".to_owned(), value))
}

fn shape(shape: &BodyShape) -> Entries {
    let mut out = Entries::new();
    match &shape.form {
        Form::Solid { kind, sizes } => match &sizes[..] {
            [one] => out.put(kind.value.word(), scalar(one)),
            all => out.put(kind.value.word(), numbers(all)),
        },
        Form::Hull(points) => out.put("hull", list(points, |point| numbers(point))),
        Form::Mesh { file, scale } => {
            out.put("mesh", text(&file.value));
            out.maybe("scale", scale.as_ref(), |scale| numbers(scale));
        }
    }
    out.maybe("at", shape.at.as_ref(), |at| numbers(at));
    out.maybe("axis", shape.axis.as_ref(), axis);
    out.maybe("rotation", shape.rotation.as_ref(), rotation);
    out.maybe("colour", shape.colour.as_ref(), |colour| text(&colour.value));
    out.maybe("density", shape.density.as_ref(), scalar);
    out
}

fn joint(joint: &Joint) -> Entries {
    let mut out = Entries::new();
    out.maybe("name", joint.name.as_ref(), |name| text(&name.value));
    out.put("type", text(joint.kind.value.word()));
    geometry(&mut out, &joint.axes, joint.pitch.as_ref());
    out.maybe("effort", joint.effort.as_ref(), several);
    if joint.locked {
        out.put("role", text("locked"));
    }
    out.maybe("partition", joint.partition.as_ref(), |role| word(&PartitionRole::ALL, role.value));
    if joint.actuated {
        out.put("actuated", "true".to_owned());
    }
    out.maybe("actuation_weight", joint.actuation_weight.as_ref(), scalar);
    out.maybe("armature", joint.armature.as_ref(), scalar);
    out.maybe("damping", joint.damping.as_ref(), scalar);
    out.maybe("friction", joint.friction.as_ref(), |friction| match &friction.stick {
        None => scalar(&friction.slide),
        Some(stick) => {
            format!("{{ slide = {}, stick = {} }}", scalar(&friction.slide), scalar(stick))
        }
    });
    out.maybe("range", joint.range.as_ref(), |range| numbers(range));
    out.maybe("max_speed", joint.max_speed.as_ref(), scalar);
    out.maybe("max_effort", joint.max_effort.as_ref(), scalar);
    out.maybe("stop", joint.stop.as_ref(), |value| {
        format!("{{ restitution = {} }}", scalar(value))
    });
    out
}

fn geometry(out: &mut Entries, axes: &[Axis], pitch: Option<&DraftValue>) {
    match axes {
        [] => {}
        [one] => out.put("axis", axis(one)),
        all => out.put("axes", list(all, axis)),
    }
    out.maybe("pitch", pitch, scalar);
}

fn loose_joint(loose: &LooseJoint) -> Entries {
    let mut out = joint(&loose.joint);
    out.put("between", names(&loose.between));
    out
}

fn cut(cut: &Cut) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&cut.name.value));
    match &cut.kind {
        CutType::Rod { length } => {
            out.put("type", text("rod"));
            out.put("length", scalar(length));
        }
        CutType::Joint { kind, axes, pitch } => {
            out.put("type", text(kind.value.closure_word()));
            geometry(&mut out, axes, pitch.as_ref());
        }
    }
    out.put("between", names(&cut.between));
    if !cut.ignore.is_empty() {
        out.put("ignore", list(&cut.ignore, |component| word(&Component::ALL, component.value)));
    }
    out.maybe("frame", cut.frame.as_ref(), |frame| word(&CutFrame::ALL, frame.value));
    engagement(&mut out, cut.intermittent.as_ref());
    out
}

fn coupling(coupling: &Coupling) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&coupling.name.value));
    out.put("equation", text(&coupling.equation.value));
    out
}

fn motion(motion: &Motion) -> Entries {
    let mut out = Entries::new();
    out.put("joint", text(&motion.joint.value));
    out.put("q", several(&motion.q));
    out.maybe("qd", motion.qd.as_ref(), several);
    out.maybe("qdd", motion.qdd.as_ref(), several);
    out
}

fn constraint(constraint: &Constraint) -> Entries {
    let level = match constraint.level {
        Level::Position => "position",
        Level::Velocity => "velocity",
    };
    let mut out = Entries::new();
    out.put("name", text(&constraint.name.value));
    out.put(level, scalar(&constraint.expression));
    engagement(&mut out, constraint.intermittent.as_ref());
    out
}

fn engagement(out: &mut Entries, intermittent: Option<&Spanned<Engagement>>) {
    out.maybe("intermittent", intermittent, |one| word(&Engagement::ALL, one.value));
}

fn line_force(line_force: &LineForce) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&line_force.name.value));
    out.put("between", names(&line_force.between));
    out.put("force", scalar(&line_force.force));
    out
}

fn force(force: &Force) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&force.name.value));
    out.put("at", text(&force.at.value));
    out.maybe("force", force.force.as_ref(), |force| numbers(force));
    out.maybe("torque", force.torque.as_ref(), |torque| numbers(torque));
    if force.body_axes {
        out.put("axes", text("body"));
    }
    out
}

fn wheel(wheel: &Wheel) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&wheel.name.value));
    out.put("body", text(&wheel.body.value));
    out.maybe("axle", wheel.axle.as_ref(), axis);
    out.put("radius", scalar(&wheel.radius));
    out.maybe("ground", wheel.ground.as_ref(), scalar);
    if wheel.rolling {
        out.put("rolling", "true".to_owned());
    }
    for (name, law) in WHEEL_LAWS.iter().zip(&wheel.laws) {
        out.maybe(name, law.as_ref(), scalar);
    }
    out
}

fn sensor(sensor: &Sensor) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&sensor.name.value));
    out.put("at", text(&sensor.at.value));
    out.put("measures", list(&sensor.measures, |measure| word(&Measure::ALL, measure.value)));
    out.maybe("relative_to", sensor.relative_to.as_ref(), |body| text(&body.value));
    out
}

fn input(input: &UserInput) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&input.name.value));
    out.maybe("value", input.value.as_ref(), scalar);
    out.maybe("unit", input.unit.as_ref(), |unit| text(&unit.value));
    out.maybe("limits", input.limits.as_ref(), |limits| numbers(limits));
    out.maybe("filter", input.filter.as_ref(), scalar);
    out.maybe("derivatives", input.derivatives.as_ref(), |count| count.value.to_string());
    out.maybe("about", input.about.as_ref(), |about| text(&about.value));
    out
}

fn controller(controller: &Controller) -> Entries {
    let settings = |list: &Vec<Setting>| {
        table(&list.iter().map(|one| (key(&one.target.value), scalar(&one.value))).collect())
    };
    let filled = |list| Some(list).filter(|list: &&Vec<Setting>| !list.is_empty());
    let mut out = Entries::new();
    out.put("name", text(&controller.name.value));
    out.maybe("type", controller.kind.as_ref(), |kind| text(kind.value.word()));
    out.maybe("every", controller.every.as_ref(), scalar);
    out.maybe("first", controller.first.as_ref(), scalar);
    out.maybe("delay", controller.delay.as_ref(), scalar);
    out.maybe("hold", controller.hold.as_ref(), |hold| word(&HoldType::ALL, hold.value));
    out.maybe("quantum", controller.quantum.as_ref(), scalar);
    out.maybe("input", controller.input.as_ref(), scalar);
    out.maybe("kp", controller.kp.as_ref(), scalar);
    out.maybe("ki", controller.ki.as_ref(), scalar);
    out.maybe("kd", controller.kd.as_ref(), scalar);
    out.maybe("time", controller.time.as_ref(), scalar);
    out.maybe("rise", controller.rise.as_ref(), scalar);
    out.maybe("fall", controller.fall.as_ref(), scalar);
    out.maybe("numerator", controller.numerator.as_ref(), several);
    out.maybe("denominator", controller.denominator.as_ref(), several);
    out.maybe("states", filled(&controller.states), settings);
    out.maybe("initial", filled(&controller.initial), settings);
    out.maybe("output", controller.output.as_ref(), scalar);
    out.maybe("limits", controller.limits.as_ref(), |limits| numbers(limits));
    out.maybe("unit", controller.unit.as_ref(), |unit| text(&unit.value));
    out.maybe("about", controller.about.as_ref(), |about| text(&about.value));
    out
}

fn output(output: &UserOutput) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&output.name.value));
    out.put("value", scalar(&output.value));
    out.maybe("unit", output.unit.as_ref(), |unit| text(&unit.value));
    out.maybe("about", output.about.as_ref(), |about| text(&about.value));
    out
}

fn state(state: &UserState) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&state.name.value));
    out.maybe("initial", state.initial.as_ref(), scalar);
    out.put("rate", scalar(&state.rate));
    out.maybe("unit", state.unit.as_ref(), |unit| text(&unit.value));
    out.maybe("about", state.about.as_ref(), |about| text(&about.value));
    out
}

fn event(event: &Event) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&event.name.value));
    out.put("when", scalar(&event.when));
    out.maybe("direction", event.direction.as_ref(), |way| word(&Crossing::ALL, way.value));
    if !event.set.is_empty() {
        let set = event.set.iter().map(|one| (key(&one.target.value), scalar(&one.value)));
        out.put("set", table(&set.collect()));
    }
    out.maybe("impact", event.impact.as_ref(), |impact| {
        let mut entries = Entries::new();
        entries.put("joint", text(&impact.joint.value));
        entries.put("restitution", scalar(&impact.restitution));
        table(&entries)
    });
    let lists = [
        ("lock", &event.lock),
        ("unlock", &event.unlock),
        ("engage", &event.engage),
        ("release", &event.release),
    ];
    for (key, list) in lists {
        if !list.is_empty() {
            out.put(key, names(list));
        }
    }
    if event.end {
        out.put("end", "true".to_owned());
    }
    out.maybe("message", event.message.as_ref(), |message| text(&message.value));
    out
}

fn external(external: &External) -> Entries {
    let mut out = Entries::new();
    out.put("name", text(&external.name.value));
    out.put("arguments", names(&external.arguments));
    if external.results.value != 1 {
        out.put("results", external.results.value.to_string());
    }
    out
}
