//! debug
mod common;
use common::*;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::run::Threshold;
#[test]
fn zz() {
    let ball = |joint: &str, z: f64| {
        format!(
            "[model]\nname = \"ball\"\n[[body]]\nname = \"ball\"\nparent = \"ground\"\njoint = {{ name = \"z\", type = \"prismatic\", axis = \"z\"{joint} }}\nmass = 2\n[initial.q]\nz = {z}\n"
        )
    };
    for (name, acc) in [
        ("dormand-prince", within(1e-9)),
        ("radau", within(1e-9)),
        ("bdf", within(1e-9)),
        ("euler", Accuracy::Fixed(1e-3)),
    ] {
        for (text, to) in [
            (ball(", range = [0, 100], stop = { restitution = 0 }, effort = \"10*t\"", 0.0), 3.0),
            (ball(", range = [0, 100], stop = { restitution = 0.5 }", 5.0), 4.0),
        ] {
            let mut plant = plant(&text);
            let mut method = method(name, acc, plant.size()).unwrap();
            let (outcome, _) = motion(&mut plant, method.as_mut(), to, 0.1, Threshold::AUTOMATIC);
            println!("{name} {:?} {}", outcome.end, outcome.work.steps);
            for e in outcome.events.iter().take(40) {
                println!("   {} {} {}", e.t, e.name, e.done);
            }
        }
    }
}
