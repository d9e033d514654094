//! A random mechanism as the text of a model file, and as JSON for programs that know nothing of
//! model files.

use super::random::{Body, Joint, Known, Model, Place, Value};
use rotule_model::mechanism::Mechanism;
use std::fmt::Write;

/// The model file.
pub fn toml(model: &Model) -> String {
    let mut text = format!(
        "[model]\nname = \"random_{}\"\ngravity = {}\n",
        model.seed,
        triple(&model.gravity)
    );
    if !model.parameters.is_empty() {
        text += "\n[parameters]\n";
        for (name, value) in &model.parameters {
            text += &format!("{name} = {value:?}\n");
        }
    }
    for &at in &model.order {
        text += &body(model, &model.bodies[at]);
    }
    let mut initial = String::new();
    for Known { joint, size, rate } in &model.known {
        match rate {
            Some(rate) => {
                text += &format!("\n[[motion]]\njoint = \"{joint}\"\n");
                text += &format!("q = \"{size:?}*sin({rate:?}*t)\"\n");
            }
            None => initial += &format!("{joint} = {size:?}\n"),
        }
    }
    if initial.is_empty() { text } else { format!("{text}\n[initial.q]\n{initial}") }
}

fn body(model: &Model, body: &Body) -> String {
    let parent = match body.parent {
        None => "ground".to_owned(),
        Some(parent) => model.bodies[parent].name.clone() + if body.at_tip { ".tip" } else { "" },
    };
    let mut text = format!("\n[[body]]\nname = \"{}\"\nparent = \"{parent}\"\n", body.name);
    text += &place(&body.place, "\n");
    text += "\n";
    let joints: Vec<String> = body.joints.iter().map(|one| joint(model, one)).collect();
    text += &match joints.as_slice() {
        [one] => format!("joint = {one}\n"),
        several => format!("joint = [{}]\n", several.join(", ")),
    };
    if let Some(mass) = &body.mass {
        let names = ["xx", "yy", "zz", "xy", "xz", "yz"];
        let entries = names.iter().zip(body.inertia).filter(|(_, value)| *value != 0.0);
        let mut entries: Vec<String> =
            entries.map(|(name, value)| format!("{name} = {value:?}")).collect();
        if !body.inertia_rotation.text.is_empty() {
            entries.push(format!("rotation = {}", body.inertia_rotation.text));
        }
        let (com, inertia) = (triple(&body.com), entries.join(", "));
        text += &format!("mass = {}\ncom = {com}\ninertia = {{ {inertia} }}\n", mass.text);
    }
    text + &format!("points.tip = {{ {} }}\n", place(&body.tip, ", "))
}

fn place(place: &Place, between: &str) -> String {
    let position = format!("position = {}", triple(&place.position));
    match place.rotation.text.as_str() {
        "" => position,
        rotation => format!("{position}{between}rotation = {rotation}"),
    }
}

fn triple(values: &[Value; 3]) -> String {
    format!("[{}, {}, {}]", values[0].text, values[1].text, values[2].text)
}

fn joint(model: &Model, joint: &Joint) -> String {
    let mut text = format!("{{ name = \"{}\", type = \"{}\"", joint.name, joint.kind.word());
    match joint.axes.as_slice() {
        [] => {}
        [one] => text += &format!(", axis = {}", one.text),
        [first, second, ..] => text += &format!(", axes = [{}, {}]", first.text, second.text),
    }
    if let Some(pitch) = &joint.pitch {
        text += &format!(", pitch = {}", pitch.text);
    }
    if let Some(armature) = &joint.armature {
        text += &format!(", armature = {}", armature.text);
    }
    if model.known.iter().any(|one| one.joint == joint.name && one.rate.is_none()) {
        text += ", role = \"locked\"";
    }
    text + " }"
}

/// The mechanism as JSON, in numbers, with the places of its bodies, coordinates and speeds in
/// those of the mechanism that was made of the file.
pub fn json(model: &Model, mechanism: &Mechanism) -> String {
    let real = mechanism.bodies.iter().skip(1).filter(|body| !body.fictitious);
    let real: Vec<&str> = real.map(|body| body.name.as_str()).collect();
    let bodies: Vec<String> = (0..model.bodies.len())
        .map(|at| {
            let body = &model.bodies[at];
            let pose = model.placement(at);
            let joints: Vec<String> =
                body.joints.iter().map(|one| joint_json(one, mechanism)).collect();
            let com: Vec<f64> = body.com.iter().map(|value| value.number).collect();
            let tip = body.tip.pose();
            let row = real.iter().position(|name| *name == body.name).expect("a body of the file");
            format!(
                "{{\"row\": {row}, \"name\": \"{}\", \"parent\": {}, \"position\": {}, \"rotation\": {}, \
                 \"joints\": [{}], \"mass\": {:?}, \"com\": {}, \"inertia\": {}, \
                 \"tip\": {{\"position\": {}, \"rotation\": {}}}}}",
                body.name,
                body.parent.map_or(-1, |parent| parent as i64),
                numbers(&pose.position),
                numbers(pose.rotation.as_flattened()),
                joints.join(", "),
                body.mass.as_ref().map_or(0.0, |mass| mass.number),
                numbers(&com),
                numbers(body.inertia().as_flattened()),
                numbers(&tip.position),
                numbers(tip.rotation.as_flattened()),
            )
        })
        .collect();
    let gravity: Vec<f64> = model.gravity.iter().map(|value| value.number).collect();
    format!("\"gravity\": {}, \"bodies\": [{}]", numbers(&gravity), bodies.join(", "))
}

fn joint_json(joint: &Joint, mechanism: &Mechanism) -> String {
    let found = mechanism.joints.iter().find(|one| one.name == joint.name);
    let found = found.expect("a mechanism has the joints of its file");
    let axes: Vec<String> = joint.axes.iter().map(|axis| numbers(&axis.unit)).collect();
    let number = |value: &Option<Value>| value.as_ref().map_or(0.0, |value| value.number);
    format!(
        "{{\"name\": \"{}\", \"type\": \"{}\", \"axes\": [{}], \"pitch\": {:?}, \
         \"armature\": {:?}, \"q\": {}, \"v\": {}}}",
        joint.name,
        joint.kind.word(),
        axes.join(", "),
        number(&joint.pitch),
        number(&joint.armature),
        found.coordinates.start,
        found.speeds.start,
    )
}

/// A list of numbers, each with all its digits. What is no number becomes `null`.
pub fn numbers(list: &[f64]) -> String {
    let mut text = String::from("[");
    for (at, number) in list.iter().enumerate() {
        text += if at == 0 { "" } else { ", " };
        if number.is_finite() {
            write!(text, "{number:?}").expect("a string takes all that is written");
        } else {
            text += "null";
        }
    }
    text + "]"
}
