//! The model file of a system.

use super::law::{JOINTS, Names, STATES};
use super::system::{System, Target, Way};
use std::fmt::Write;

/// The model file.
pub fn write(system: &System, name: &str) -> String {
    let mut text = format!("[model]\nname = \"{name}\"\n");
    let mut put = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    if !system.parameters.is_empty() {
        put("\n[parameters]".to_owned());
        for (at, value) in system.parameters.iter().enumerate() {
            put(format!("p{at} = {value:?}"));
        }
    }
    let keys = [0, 1].map(|at| {
        let mut keys = format!(", effort = \"{}\"", system.efforts[at].text(Names::Own));
        if let Some(([lower, upper], restitution)) = system.stops[at] {
            write!(
                keys,
                ", range = [{lower:?}, {upper:?}], stop = {{ restitution = {restitution:?} }}"
            )
            .expect("a string");
        }
        keys
    });
    system.mechanism.write(&keys, &mut text);
    let mut put = |line: String| {
        text.push_str(&line);
        text.push('\n');
    };
    for (at, rate) in system.rates.iter().enumerate() {
        let (name, rate) = (STATES[at], rate.text(Names::All));
        put(format!(
            "\n[[state]]\nname = \"{name}\"\ninitial = {:?}\nrate = \"{rate}\"",
            system.start.s[at]
        ));
    }
    for event in system.events.iter().filter(|event| !event.stop) {
        let (name, when) = (&event.name, event.when.text(Names::All));
        put(format!("\n[[event]]\nname = \"{name}\"\nwhen = \"{when}\""));
        match event.way {
            Way::Rising => put("direction = \"rising\"".to_owned()),
            Way::Falling => put("direction = \"falling\"".to_owned()),
            Way::Both => {}
        }
        let set: Vec<String> = event
            .set
            .iter()
            .map(|(target, law)| {
                let target = match target {
                    Target::Q(at) => JOINTS[*at].to_owned(),
                    Target::V(at) => format!("{}.d", JOINTS[*at]),
                    Target::S(at) => STATES[*at].to_owned(),
                };
                format!("\"{target}\" = \"{}\"", law.text(Names::All))
            })
            .collect();
        if !set.is_empty() {
            put(format!("set = {{ {} }}", set.join(", ")));
        }
        if let Some((joint, restitution)) = event.impact {
            put(format!(
                "impact = {{ joint = \"{}\", restitution = {restitution:?} }}",
                JOINTS[joint]
            ));
        }
        for (word, joint) in [("lock", event.lock), ("unlock", event.unlock)] {
            if let Some(joint) = joint {
                put(format!("{word} = [\"{}\"]", JOINTS[joint]));
            }
        }
        put(if event.end { "end = true" } else { "message = \"seen\"" }.to_owned());
    }
    for (title, values) in [("q", system.start.q), ("qd", system.start.v)] {
        put(format!("\n[initial.{title}]"));
        for at in 0..system.mechanism.size() {
            put(format!("{} = {:?}", JOINTS[at], values[at]));
        }
    }
    text
}
