//! Families of mechanisms that are coupled: trees, closed loops, wheels.

use super::draw::Draw;
use super::specimen::Model;
use crate::formalism::closed::{Family as Grown, Loops};
use crate::formalism::random::{Kind, Model as Tree};
use crate::formalism::text;

/// A family of mechanisms.
pub struct Family {
    /// The name in tables.
    pub name: &'static str,
    pub(super) build: fn(&mut Draw),
}

/// All families; seed `s` is of family `s % FAMILIES.len()`.
pub const FAMILIES: &[Family] = &[
    Family { name: "tree", build: tree },
    Family { name: "driven", build: driven },
    Family { name: "loop", build: closed },
    Family { name: "wheels", build: wheels },
];

/// The largest number of bodies and of speeds.
const LARGEST: usize = 4;

/// A random tree with joints of any type.
fn tree(draw: &mut Draw) {
    let number = |seed: u64, attempt: u64| 5_000_000 + 1000 * seed + attempt;
    let tree = (0..)
        .map(|attempt| Tree::new(number(draw.seed, attempt)))
        .find(|tree| tree.bodies.len() <= LARGEST && (2..=8).contains(&tree.speeds()))
        .expect("some trees are small");
    for joint in tree.joints().filter(|joint| joint.kind != Kind::Fixed) {
        draw.joint(&joint.name, joint.kind.speeds());
    }
    draw.bodies = tree.bodies.iter().map(|body| body.name.clone()).collect();
    draw.mechanism(&text::toml(&tree));
}

/// A random tree, one of whose joints an input moves.
fn driven(draw: &mut Draw) {
    tree(draw);
    let single: Vec<String> =
        draw.joints.iter().filter(|one| one.1 == 1).map(|one| one.0.clone()).collect();
    if draw.joints.len() > 1 && !single.is_empty() {
        draw.model.driven = Some(single[draw.random.below(single.len())].clone());
    }
}

/// A loop, in a plane or in space, or several.
fn closed(draw: &mut Draw) {
    // Families that move freely: the others have nothing that a law could change.
    const MOVING: [Grown; 5] =
        [Grown::Plane, Grown::Planes, Grown::Tilted, Grown::Space, Grown::Floating];
    let count = Grown::ALL.len() as u64;
    let family = MOVING[draw.random.below(MOVING.len())];
    let row = Grown::ALL.iter().position(|one| *one == family).expect("a family") as u64;
    let grown = Loops::new(row + count * (draw.seed + 1));
    for line in grown.text.lines() {
        let Some(rest) = line.strip_prefix("joint = { name = \"") else { continue };
        let (name, rest) = rest.split_once('"').expect("a name");
        let word = rest.trim_start_matches(", type = \"").split('"').next().unwrap_or_default();
        let kind = Kind::ALL.into_iter().find(|kind| kind.word() == word).expect("a type");
        draw.joint(name, kind.speeds());
    }
    let bodies = grown.text.lines().filter_map(|line| line.strip_prefix("name = \"b"));
    draw.bodies = bodies.map(|rest| format!("b{}", rest.trim_end_matches('"'))).collect();
    draw.mechanism(&grown.text);
}

/// A frame that floats on two wheels, one behind the other.
fn wheels(draw: &mut Draw) {
    let random = &mut draw.random;
    let [height, speed] = [random.short(0.285, 0.297), random.short(1.0, 6.0)];
    let [mass, com, base] =
        [random.short(5.0, 20.0), random.short(0.1, 0.4), random.short(0.6, 1.2)];
    let wheel = |name: &str, parent: &str, joint: &str| {
        format!(
            "\n[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\n\
             joint = {{ name = \"{joint}\", type = \"revolute\", axis = \"y\" }}\nmass = 2\n\
             inertia = {{ xx = 0.05, yy = 0.1, zz = 0.05 }}\n"
        )
    };
    let text = format!(
        "[model]\nname = \"wheels\"\n\n[[body]]\nname = \"frame\"\nparent = \"ground\"\n\
         joint = {{ name = \"base\", type = \"free\" }}\nmass = {mass:?}\n\
         com = [{:?}, 0, {com:?}]\ninertia = {{ xx = 0.4, yy = 0.9, zz = 0.8 }}\n\
         points.front = [{base:?}, 0, 0]\n{}\n[[body]]\nname = \"fork\"\nparent = \"frame.front\"\n\
         joint = {{ name = \"steer\", type = \"revolute\", axis = [-0.3, 0, 1] }}\nmass = 1\n\
         inertia = {{ xx = 0.05, yy = 0.05, zz = 0.05 }}\n{}",
        base / 2.0,
        wheel("rear", "frame", "spin_rear"),
        wheel("front", "fork", "spin_front"),
    );
    draw.joint("base", 6);
    for name in ["spin_rear", "steer", "spin_front"] {
        draw.joint(name, 1);
    }
    draw.bodies = ["frame", "rear", "fork", "front"].map(str::to_owned).to_vec();
    draw.mechanism(&text);
    let spin = speed / 0.3;
    draw.model.initial = format!(
        "\n[initial.q]\nbase = [0, 0, {height:?}, 1, 0, 0, 0]\n\
         \n[initial.qd]\nbase = [{speed:?}, 0, 0, 0, 0, 0]\nspin_rear = {spin:?}\nspin_front = {spin:?}\n"
    );
    draw.wheels = vec![("w0".to_owned(), "rear".to_owned()), ("w1".to_owned(), "front".to_owned())];
}

impl Draw {
    /// Takes the text of a mechanism whose joints are known.
    fn mechanism(&mut self, text: &str) {
        let (mechanism, initial) = match text.find("\n[initial.q]") {
            Some(at) => text.split_at(at),
            None => (text, ""),
        };
        let mut mechanism = mechanism.to_owned();
        for (joint, _) in &self.joints {
            // A joint is a table in one line; the mark goes behind its name.
            let name = format!("name = \"{joint}\", type");
            mechanism = mechanism.replacen(&name, &format!("name = \"{joint}\"@{joint}@, type"), 1);
        }
        let ground = "points.anchor = [0.7, 1.3, 0.9]\npoints.post = [-1.1, 0.8, -0.6]\n";
        mechanism = if mechanism.contains("\n[ground]\n") {
            mechanism.replacen("\n[ground]\n", &format!("\n[ground]\n{ground}"), 1)
        } else {
            format!("{mechanism}\n[ground]\n{ground}")
        };
        self.model =
            Model { mechanism, initial: initial.to_owned(), ..std::mem::take(&mut self.model) };
    }
}
