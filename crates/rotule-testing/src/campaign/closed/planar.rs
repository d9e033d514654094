//! Families of mechanisms in a plane: cranks, four-bars, parallelograms, chains of bars, knife
//! edges, gears.

use super::draft::{Draft, revolute};
use std::f64::consts::PI;

/// A revolute joint about z.
fn pin(name: &str) -> String {
    revolute(name, "\"z\"")
}

/// A distance from a singular position: 1e-2 to 1e-6 rad, on either side.
fn near(draft: &mut Draft) -> f64 {
    let sign = if draft.random.chance(0.5) { 1.0 } else { -1.0 };
    sign * 10_f64.powf(draft.random.between(-6.0, -2.0))
}

/// A slider-crank at a crank angle: lengths of crank and rod, the angle of the rod to the crank,
/// the piston's place.
struct Crank {
    a: f64,
    b: f64,
    angle: f64,
    rod: f64,
    slide: f64,
}

impl Crank {
    fn new(draft: &mut Draft, angle: f64) -> Crank {
        let a = draft.random.short(0.1, 0.3);
        let b = a * draft.random.short(1.4, 3.0);
        let off = if draft.random.chance(0.5) { 0.0 } else { 0.2 * a };
        draft.ground("P", [0.0, off, 0.0]);
        let absolute = ((off - a * angle.sin()) / b).asin();
        let slide = a * angle.cos() + b * absolute.cos();
        Crank { a, b, angle, rod: absolute - angle, slide }
    }
}

/// The parts of a slider-crank and one of four closures; the piston may be requested to lead.
fn cranked(draft: &mut Draft, crank: &Crank, leads: bool) {
    let role = if leads { ", partition = \"independent\"" } else { "" };
    draft.bar("crank", "ground", &pin("q1"), crank.a);
    draft.bar("rod", "crank.E", &pin("q2"), crank.b);
    let slider = format!("name = \"q3\", type = \"prismatic\", axis = \"x\"{role}");
    draft.start("q2", &[crank.rod]);
    match draft.random.below(if leads { 2 } else { 3 }) {
        0 => {
            draft.body("piston", "ground.P", &slider, [0.0; 3], "");
            draft.start("q3", &[crank.slide]);
            draft.cut("ball", ["rod.E", "piston"], "");
        }
        1 => {
            draft.body("piston", "ground.P", &slider, [0.0; 3], "");
            draft.start("q3", &[crank.slide]);
            draft.cut("revolute", ["rod.E", "piston"], "axis = \"z\"\n");
        }
        _ => {
            // The piston is fixed to a pin on the rod, and its guide is the cut.
            draft.body("piston", "rod.E", &pin("q3"), [0.0; 3], "");
            draft.start("q3", &[-crank.rod - crank.angle]);
            draft.cut("prismatic", ["ground.P", "piston"], "axis = \"x\"\n");
        }
    }
}

/// A slider-crank, free or with its crank driven at a constant speed.
pub fn slider_crank(draft: &mut Draft) {
    let angle = draft.random.between(-3.0, 3.0);
    let crank = Crank::new(draft, angle);
    let leads = draft.random.chance(0.3);
    cranked(draft, &crank, leads);
    // A piston that leads leaves nothing to drive.
    drive_or_start(draft, "q1", angle, if leads { 0.0 } else { 0.6 });
}

/// A slider-crank close to a dead centre, where a leading piston is singular.
pub fn dead_centre(draft: &mut Draft) {
    let angle = PI * draft.random.below(2) as f64 + near(draft);
    let crank = Crank::new(draft, angle);
    let leads = draft.random.chance(0.5);
    cranked(draft, &crank, leads);
    draft.start("q1", &[angle]);
}

/// A crank and a slider that a rod without mass connects.
pub fn rod_crank(draft: &mut Draft) {
    let angle = draft.random.between(-3.0, 3.0);
    let crank = Crank::new(draft, angle);
    draft.bar("crank", "ground", &pin("q1"), crank.a);
    let slider = "name = \"q2\", type = \"prismatic\", axis = \"x\"";
    draft.body("piston", "ground.P", slider, [0.0; 3], "");
    draft.start("q2", &[crank.slide]);
    draft.cut("rod", ["crank.E", "piston"], &format!("length = {:?}\n", crank.b));
    drive_or_start(draft, "q1", angle, 0.3);
}

/// A constant speed of 2 to 30 rad/s for a joint that may turn all round, or an initial angle.
fn drive_or_start(draft: &mut Draft, joint: &str, angle: f64, chance: f64) {
    if draft.random.chance(chance) {
        let speed = draft.random.short(2.0, 30.0);
        draft.motion(joint, &format!("{angle:?} + {speed:?}*t"));
    } else {
        draft.start(joint, &[angle]);
    }
}

/// A four-bar whose crank turns all round, closed in one of four ways; the crank may be driven.
pub fn four_bar(draft: &mut Draft) {
    let random = &mut draft.random;
    let a = random.short(0.1, 0.2);
    let [b, c] = [(); 2].map(|()| random.short(0.35, 0.5));
    // Grashof: the shortest and the longest together are shorter than the others.
    let d = random.short(b.max(c) - 0.9 * a, b + c - 1.3 * a).min(b.min(c) + 0.2);
    let angle = random.between(-3.0, 3.0);
    let (x, y) = (d - a * angle.cos(), -a * angle.sin());
    let reach = x.hypot(y);
    let bend = ((reach * reach + b * b - c * c) / (2.0 * reach * b)).clamp(-1.0, 1.0).acos();
    let coupler = y.atan2(x) + bend;
    let end = [a * angle.cos() + b * coupler.cos(), a * angle.sin() + b * coupler.sin()];
    let rocker = end[1].atan2(end[0] - d);
    draft.ground("D", [d, 0.0, 0.0]);
    draft.bar("crank", "ground", &pin("q1"), a);
    match draft.random.below(4) {
        0 => {
            draft.bar("rocker", "ground.D", &pin("q3"), c);
            draft.cut("rod", ["crank.E", "rocker.E"], &format!("length = {b:?}\n"));
            draft.start("q3", &[rocker]);
        }
        1 => {
            draft.bar("coupler", "crank.E", &pin("q2"), b);
            draft.bar("rocker", "coupler.E", &pin("q3"), c);
            draft.start("q2", &[coupler - angle]);
            draft.start("q3", &[rocker + PI - coupler]);
            draft.cut("revolute", ["rocker.E", "ground.D"], "axis = \"z\"\n");
        }
        kind => {
            draft.bar("coupler", "crank.E", &pin("q2"), b);
            draft.bar("rocker", "ground.D", &pin("q3"), c);
            draft.start("q2", &[coupler - angle]);
            draft.start("q3", &[rocker]);
            let (kind, axis) = [("ball", ""), ("cylindrical", "axis = \"z\"\n")][kind - 2];
            draft.cut(kind, ["coupler.E", "rocker.E"], axis);
        }
    }
    drive_or_start(draft, "q1", angle, 0.4);
}

/// Equal cranks that a coupler or rod as long as the base connects: flat positions are singular for
/// all partitions.
pub fn parallelogram(draft: &mut Draft) {
    let a = draft.random.short(0.3, 1.0);
    let d = a * draft.random.short(1.2, 2.5);
    let angle = match draft.random.below(3) {
        0 => PI * draft.random.below(2) as f64 + near(draft),
        _ => draft.random.between(-3.0, 3.0),
    };
    draft.ground("D", [d, 0.0, 0.0]);
    draft.bar("left", "ground", &pin("q1"), a);
    draft.bar("right", "ground.D", &pin("q3"), a);
    if draft.random.chance(0.4) {
        draft.cut("rod", ["left.E", "right.E"], &format!("length = {d:?}\n"));
    } else {
        draft.bar("coupler", "left.E", &pin("q2"), d);
        draft.cut("ball", ["coupler.E", "right.E"], "");
        draft.start("q2", &[-angle]);
    }
    draft.start("q1", &[angle]);
    draft.start("q3", &[angle]);
    draft.qd = [("q1", 1.0), ("q2", -1.0), ("q3", 1.0)]
        .map(|(joint, sign)| (joint.to_owned(), vec![sign * (2.0 + draft.speed)]))
        .to_vec();
}

/// A four-bar in which two bars are as long as the other two, side by side or opposite: it has flat
/// positions, in which all partitions are singular.
pub fn change_point(draft: &mut Draft) {
    let random = &mut draft.random;
    let (a, b) = (random.short(0.2, 0.4), random.short(0.5, 0.8));
    // A kite, or a base that makes up for the difference.
    let (c, d) = if random.chance(0.4) { (b, a) } else { (b - 0.1, a - 0.1) };
    let angle = match random.below(3) {
        0 => near(draft),
        _ => random.between(0.5, 2.5),
    };
    let end = [a * angle.cos(), a * angle.sin()];
    let (x, y) = (d - end[0], -end[1]);
    let reach = x.hypot(y).max(f64::MIN_POSITIVE);
    let bend = ((reach * reach + b * b - c * c) / (2.0 * reach * b)).clamp(-1.0, 1.0).acos();
    let coupler = y.atan2(x) + bend;
    let rocker = (end[1] + b * coupler.sin()).atan2(end[0] + b * coupler.cos() - d);
    draft.ground("D", [d, 0.0, 0.0]);
    draft.bar("crank", "ground", &pin("q1"), a);
    draft.bar("coupler", "crank.E", &pin("q2"), b);
    draft.bar("rocker", "ground.D", &pin("q3"), c);
    draft.cut("ball", ["coupler.E", "rocker.E"], "");
    draft.start("q1", &[angle]);
    draft.start("q2", &[coupler - angle]);
    draft.start("q3", &[rocker]);
}

/// A table that moves as given in its plane, which two or three bars follow.
pub fn towed(draft: &mut Draft) {
    let random = &mut draft.random;
    let (rate, turn) = (random.short(1.0, 8.0), random.short(-3.0, 3.0));
    let joint = "name = \"p\", type = \"planar\", axis = \"z\"";
    draft.body("table", "ground", joint, [0.0; 3], "points.E = [0.1, 0, 0]\n");
    draft.table(&format!(
        "\n[[motion]]\njoint = \"p\"\n\
         q = [\"0.7 + 0.1*sin({rate:?}*t)\", \"0.1*cos({rate:?}*t)\", \"{turn:?}*t\"]\n"
    ));
    draft.bar("b1", "ground", &pin("q1"), 0.6);
    draft.bar("b2", "b1.E", &pin("q2"), 0.6);
    draft.start("q1", &[0.8]);
    draft.start("q2", &[-1.6]);
    let end = match draft.random.chance(0.5) {
        true => {
            draft.bar("b3", "b2.E", &pin("q3"), 0.2);
            draft.start("q3", &[0.8]);
            "b3.E"
        }
        false => "b2.E",
    };
    draft.cut("ball", [end, "table.E"], "");
}

/// Three to five bars between two pins, equal or not.
pub fn bars(draft: &mut Draft) {
    let count = 3 + draft.random.below(3);
    let equal = draft.random.chance(0.5);
    let mut parent = "ground".to_owned();
    let (mut end, mut before) = ([0.0; 2], 0.0);
    for number in 1..=count {
        let length = if equal { 0.4 } else { draft.random.short(0.25, 0.5) };
        let absolute = draft.random.between(-1.3, 1.3);
        draft.bar(&format!("b{number}"), &parent, &pin(&format!("q{number}")), length);
        draft.start(&format!("q{number}"), &[absolute - before]);
        end = [end[0] + length * absolute.cos(), end[1] + length * absolute.sin()];
        (before, parent) = (absolute, format!("b{number}.E"));
    }
    draft.ground("D", [end[0], end[1], 0.0]);
    let (kind, axis) = [("ball", ""), ("revolute", "axis = \"z\"\n")][draft.random.below(2)];
    draft.cut(kind, [&parent, "ground.D"], axis);
}

/// A body with a knife edge on a floor or an incline, by a planar joint or three joints, with a
/// trailer on some.
pub fn knife(draft: &mut Draft) {
    if draft.random.chance(0.6) {
        draft.stand();
    }
    let heading = draft.random.between(-3.0, 3.0);
    let off = draft.random.short(-0.2, 0.2);
    let names = if draft.random.chance(0.5) {
        let joint = "name = \"p\", type = \"planar\", axis = \"z\"";
        draft.body("sled", "ground", joint, [0.1, 0.0, 0.0], "points.E = [-0.3, 0, 0]\n");
        draft.start("p", &[0.0, 0.0, heading]);
        ["p.d[1]", "p.d[2]", "p.d[3]", "p[3]"]
    } else {
        let slide = |name: &str, axis: &str| {
            format!("{{ name = \"{name}\", type = \"prismatic\", axis = \"{axis}\" }}")
        };
        let joint = format!("[{}, {}, {{ {} }}]", slide("x", "x"), slide("y", "y"), pin("psi"));
        draft.body("sled", "ground", &joint, [0.1, 0.0, 0.0], "points.E = [-0.3, 0, 0]\n");
        draft.start("psi", &[heading]);
        ["x.d", "y.d", "psi.d", "psi"]
    };
    let [x, y, rate, psi] = names;
    draft.table(&format!(
        "\n[[constraint]]\nname = \"knife\"\nvelocity = \"{x}*sin({psi}) - {y}*cos({psi}) + {off:?}*{rate}\"\n"
    ));
    if draft.random.chance(0.4) {
        draft.bar("trailer", "sled.E", &pin("hitch"), -0.4);
        draft.start("hitch", &[0.3]);
    }
}

/// Pendulums that gears, a rack and a cam couple.
pub fn gears(draft: &mut Draft) {
    let ratio = draft.random.short(-2.5, -0.5);
    draft.bar("first", "ground", &pin("q1"), 0.4);
    draft.ground("D", [1.0, 0.0, 0.0]);
    draft.bar("second", "ground.D", &pin("q2"), 0.3);
    draft.body("rack", "ground", "name = \"q3\", type = \"prismatic\", axis = \"x\"", [0.0; 3], "");
    let screw = "name = \"q4\", type = \"helical\", axis = \"y\", pitch = 0.05";
    draft.body("screw", "ground.D", screw, [0.05, 0.0, 0.1], "");
    let angle = draft.random.between(-3.0, 3.0);
    draft.start("q1", &[angle]);
    draft.table(&format!(
        "\n[[coupling]]\nname = \"gear\"\nequation = \"q2 = {ratio:?}*q1 + 0.1\"\n"
    ));
    let size = draft.random.short(0.1, 0.3);
    let law = match draft.random.below(3) {
        0 => format!("q3 - {size:?}*sin(q1)"),
        1 => format!("q3 - {size:?}*q4 - 0.1*cos(q4)"),
        _ => format!("q3 - {size:?}*(q1 + q4)*(1 + 0.3*sin(4*t))"),
    };
    draft.table(&format!("\n[[constraint]]\nname = \"cam\"\nposition = \"{law}\"\n"));
}
