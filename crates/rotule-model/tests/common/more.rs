//! Parts of drafts of MJCF and ROBOTRAN files beyond those of robots, as short texts.

use rotule_model::draft::{Component, Draft, DraftValue, Level, Measure, Value};

/// The rest of a draft, one thing a line.
pub fn show_rest(draft: &Draft) -> String {
    let mut out = String::new();
    let mut line = |text: String| out.push_str(&format!("{text}\n"));
    for parameter in &draft.parameters {
        let number = parameter.value.as_ref().map_or("?".to_owned(), value);
        line(format!("parameter {} = {number}", parameter.name.value));
    }
    for external in &draft.externals {
        let arguments: Vec<&str> = external.arguments.iter().map(|a| a.value.as_str()).collect();
        let (name, results) = (&external.name.value, external.results.value);
        line(format!("external {name}({}) gives {results}", arguments.join(", ")));
    }
    for joint in draft.bodies.iter().flat_map(|body| &body.joints) {
        let name = joint.name.as_ref().map_or("-", |name| name.value.as_str());
        if let Some(partition) = joint.partition {
            line(format!("{name} is {}", format!("{:?}", partition.value).to_lowercase()));
        }
        if let Some(armature) = &joint.armature {
            line(format!("{name} has armature {}", value(armature)));
        }
    }
    for cut in draft.cuts.iter().filter(|cut| !cut.ignore.is_empty()) {
        let word = |c: Component| Component::ALL.iter().find(|(known, _)| *known == c).map(|k| k.1);
        let ignored: Vec<&str> = cut.ignore.iter().filter_map(|c| word(c.value)).collect();
        line(format!("cut {} ignores {}", cut.name.value, ignored.join(" ")));
    }
    for motion in &draft.motions {
        let all = [Some(&motion.q), motion.qd.as_ref(), motion.qdd.as_ref()];
        let all: Vec<String> = all.into_iter().flatten().map(|list| values(&list.value)).collect();
        line(format!("motion {}: {}", motion.joint.value, all.join("; ")));
    }
    for constraint in &draft.constraints {
        let level = if constraint.level == Level::Position { "position" } else { "velocity" };
        let (name, text) = (&constraint.name.value, value(&constraint.expression));
        line(format!("constraint {name} {level}: {text}"));
    }
    for line_force in &draft.line_forces {
        let [a, b] = &line_force.between;
        let (name, force) = (&line_force.name.value, value(&line_force.force));
        line(format!("line force {name} between {} {}: {force}", a.value, b.value));
    }
    for force in &draft.forces {
        let parts = [&force.force, &force.torque].map(|part| part.as_ref().map(|p| values(p)));
        let [f, t] = parts.map(Option::unwrap_or_default);
        line(format!("force {} at {}:\n  {f}\n  {t}", force.name.value, force.at.value));
    }
    for sensor in &draft.sensors {
        let word = |m: Measure| Measure::ALL.iter().find(|(known, _)| *known == m).map(|k| k.1);
        let words: Vec<&str> = sensor.measures.iter().filter_map(|m| word(m.value)).collect();
        line(format!("sensor {} at {}: {}", sensor.name.value, sensor.at.value, words.join(" ")));
    }
    for initial in &draft.initial_qd {
        line(format!("initial {}.d = {}", initial.joint.value, values(&initial.values.value)));
    }
    out
}

fn values(list: &[DraftValue]) -> String {
    list.iter().map(value).collect::<Vec<_>>().join(" ")
}

fn value(scalar: &DraftValue) -> String {
    match &scalar.value {
        Value::Number(number) => number.to_string(),
        Value::Expression(text) => text.clone(),
    }
}

/// A text with some bytes changed, cut out or doubled, the same for the same seed.
pub fn spoiled(text: &str, seed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=next(6) {
        let at = next(bytes.len());
        let length = next(40).min(bytes.len() - at);
        match next(4) {
            0 => bytes[at] = b" <>/='\"-0519eE.xyz_"[next(19)],
            1 => drop(bytes.drain(at..at + length)),
            2 => {
                let token = bytes[at..at + length].to_vec();
                let to = next(bytes.len());
                bytes.splice(to..to, token);
            }
            _ => bytes[at] = bytes[next(bytes.len())],
        }
        if bytes.is_empty() {
            bytes.push(b'<');
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
