//! Spatial linkages: Hooke's joint, the spatial four-bar, and the overconstrained loops of Bennett
//! and Bricard.

use super::super::jet::Jet;
use super::super::loops::{bar, cut, hinge, model};
use super::{Answer, ClosedForm, Law, Linkage, angle, stretched};
use std::f64::consts::{FRAC_PI_2, PI};

/// Weight along z.
const WEIGHT: [f64; 3] = [0.0, 0.0, -9.81];

/// The output angle of a Hooke joint whose shafts make an angle: `tan(out) = tan(input) /
/// cos(angle)` (Hooke 1676; Hartenberg and Denavit 1964).
pub fn hooke(shafts: f64, input: Jet) -> Jet {
    stretched(shafts.cos(), input)
}

/// Hooke joints at several angles: the cross as a universal cut, as a universal joint, and as a
/// body.
fn hooke_joints() -> Vec<Linkage> {
    let solid = "mass = 1\ninertia = { xx = 0.01, yy = 0.02, zz = 0.02 }\n";
    let shaft = |name: &str, joint: &str, rotated: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"ground\"\nrotation = {{ axis = \"z\", angle = {rotated:?} }}\n\
             joint = {{ name = \"{joint}\", type = \"revolute\", axis = \"x\" }}\n{solid}"
        )
    };
    let on = |name: &str, parent: &str, joint: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\njoint = {{ {joint} }}\n{solid}"
        )
    };
    let cross = |shafts: f64| {
        let cross = cut("cross", "\"universal\"\naxes = [\"y\", \"z\"]", ["input", "output"]);
        [model("hooke", WEIGHT), shaft("input", "q1", 0.0), shaft("output", "q2", shafts), cross]
            .concat()
    };
    // The output shaft hangs on the cross; its bearing is what was opened.
    let bearing = |shafts: f64| {
        let place = format!("rotation = {{ axis = \"z\", angle = {shafts:?} }}");
        [
            model("hooke", WEIGHT),
            format!("[ground]\npoints.bearing = {{ position = [0, 0, 0], {place} }}\n"),
            shaft("input", "q1", 0.0),
            on("output", "input", "name = \"u\", type = \"universal\", axes = [\"y\", \"z\"]"),
            cut("bearing", "\"revolute\"\naxis = \"x\"", ["ground.bearing", "output"]),
        ]
        .concat()
    };
    // The cross is a body, welded to nothing: a body cut joins its far yoke to the output shaft.
    let weld = |shafts: f64| {
        [
            model("hooke", WEIGHT),
            shaft("input", "q1", 0.0),
            on("cross", "input", "name = \"a\", type = \"revolute\", axis = \"y\""),
            on("yoke", "cross", "name = \"b\", type = \"revolute\", axis = \"z\""),
            shaft("output", "q2", shafts),
            cut("weld", "\"body\"", ["yoke", "output"]),
        ]
        .concat()
    };
    // The output shaft's axis in the axes of the input shaft is `(cos, sin cos(q1), -sin sin(q1))`;
    // the cross leans about y, then the yoke about z, until its x points there.
    let lean = |shafts: f64, input: Jet| {
        let (sin, cos) = shafts.sin_cos();
        let (y, z) = (sin * input.cos(), -sin * input.sin());
        let x = Jet::constant(cos);
        [Jet::atan2(-z, x), Jet::atan2(y, (x * x + z * z).sqrt())]
    };
    let mut all = Vec::new();
    for degrees in [30.0_f64, 5.0, 45.0, 60.0, 80.0] {
        let shafts = degrees.to_radians();
        let mut add = |name: &str, law: Law, model: String, answer: ClosedForm| {
            all.push(Linkage {
                name: format!("Hooke at {degrees} deg, {name}"),
                model,
                input: "q1",
                law,
                answer,
                start: String::new(),
                ordinary: degrees == 30.0 && name != "free",
            });
        };
        let output = move |input: Jet| vec![angle("q2", hooke(shafts, input))];
        add("universal cut", Law::Turn(0.0), cross(shafts), Box::new(output));
        add("free", Law::Free(0.0), cross(shafts), Box::new(output));
        let reversed =
            move |input: Jet| vec![angle("q2", hooke(shafts, input) + Jet::constant(PI))];
        add("universal cut, yoke reversed", Law::Turn(0.7), cross(shafts), Box::new(reversed));
        let leaning = move |input: Jet| {
            let [a, b] = lean(shafts, input);
            vec![angle("u[1]", a), angle("u[2]", b)]
        };
        add("revolute cut", Law::Turn(0.0), bearing(shafts), Box::new(leaning));
        let welded = move |input: Jet| {
            let [a, b] = lean(shafts, input);
            vec![angle("a", a), angle("b", b), angle("q2", hooke(shafts, input))]
        };
        add("body cut", Law::Turn(0.0), weld(shafts), Box::new(welded));
    }
    all
}

const CRANK: f64 = 0.3;
const COUPLER: f64 = 1.3;
const ROCKER: f64 = 0.7;
const PIN: [f64; 3] = [0.4, 1.0, 0.3];

/// The rocker angle of the spatial four-bar, and azimuth and rise of its coupler. With `w` from the
/// rocker's pin to the crank's end, the coupler's length asks for `w^2 + r^2 - 2 r (cos(psi) w.u +
/// sin(psi) w.v) = l^2` (Hartenberg and Denavit 1964).
fn rocker(side: f64, input: Jet) -> (Jet, Jet, Jet) {
    let [px, py, pz] = PIN.map(Jet::constant);
    let [x, y, z] = [CRANK * input.cos() - px, CRANK * input.sin() - py, -pz];
    let (u, v) = (z, -y);
    let excess = x * x + y * y + z * z + Jet::constant(ROCKER * ROCKER - COUPLER * COUPLER);
    let cosine = excess / (2.0 * ROCKER * (u * u + v * v).sqrt());
    let psi = Jet::atan2(v, u) + side * cosine.acos();
    // Along the coupler, from the crank's end to the rocker's.
    let [x, y, z] = [-x, -y - ROCKER * psi.sin(), -z + ROCKER * psi.cos()];
    (psi, Jet::atan2(y, x), Jet::atan2(z, (x * x + y * y).sqrt()))
}

/// The crank angle at which spatial four-bars begin.
const START: f64 = 0.3;

/// The start of a coupler with a quaternion: rotated by its azimuth about z, then by its rise about
/// -y, behind a position if the joint has one. A coupler on the crank turns back by the crank's
/// angle first.
fn attitude(side: f64, start: f64, position: &str) -> String {
    let (_, azimuth, rise) = rocker(side, Jet::constant(start));
    let rotated = if position.is_empty() { azimuth.0[0] - start } else { azimuth.0[0] };
    let ((s, c), (d, e)) = ((0.5 * rotated).sin_cos(), (-0.5 * rise.0[0]).sin_cos());
    format!("s = [{position}{:?}, {:?}, {:?}, {:?}]\n", c * e, -s * d, c * d, s * e)
}

/// Where the crank ends, as the first entries of a list.
fn crank_end(start: f64) -> String {
    format!("{:?}, {:?}, 0.0, ", CRANK * start.cos(), CRANK * start.sin())
}

/// Spatial four-bars with one coupler in many joints.
fn spatial_four_bars() -> Vec<Linkage> {
    let [x, y, z] = PIN;
    let inertia = ROCKER.powi(3) / 12.0;
    let rocker_body = format!(
        "[[body]]\nname = \"rocker\"\nparent = \"ground.D\"\njoint = {{ name = \"q3\", type = \"revolute\", axis = \"x\" }}\n\
         mass = {ROCKER}\ncom = [0, 0, {}]\ninertia = {{ xx = {inertia}, yy = {inertia}, zz = 1e-4 }}\npoints.tip = [0, 0, {ROCKER}]\n",
        0.5 * ROCKER
    );
    let parts = |rest: &[String]| {
        [
            model("rssr", WEIGHT),
            format!("[ground]\npoints.D = [{x}, {y}, {z}]\n"),
            bar("crank", "ground", &hinge("q1"), CRANK),
            rocker_body.clone(),
        ]
        .concat()
            + &rest.concat()
    };
    let coupler = |parent: &str, joint: &str| {
        bar("coupler", parent, &format!("name = \"s\", type = {joint}"), COUPLER)
    };
    let far = cut("far", "\"ball\"", ["coupler.tip", "rocker.tip"]);
    let near = cut("near", "\"ball\"", ["crank.tip", "coupler"]);
    let rod = cut("rod", &format!("\"rod\"\nlength = {COUPLER}"), ["crank.tip", "rocker.tip"]);
    let universal = "\"universal\", axes = [\"z\", \"y\"]";
    let models = [
        ("rod cut", parts(&[rod])),
        ("spherical joint, ball cut", parts(&[coupler("crank.tip", "\"spherical\""), far.clone()])),
        ("universal joint, ball cut", parts(&[coupler("crank.tip", universal), far.clone()])),
        ("free coupler, two ball cuts", parts(&[coupler("ground", "\"free\""), near, far])),
    ];
    let mut all = Vec::new();
    for (branch, side) in [("", 1.0), (", other branch", -1.0)] {
        for (at, (name, model)) in models.iter().enumerate() {
            for (how, law) in [("", Law::Turn(START)), (", free", Law::Free(START))] {
                let answer = move |input: Jet| {
                    let (psi, azimuth, rise) = rocker(side, input);
                    let mut known = vec![angle("q3", psi)];
                    if at == 2 {
                        known.push(angle("s[1]", azimuth - input));
                        known.push(angle("s[2]", -rise));
                    }
                    known
                };
                all.push(Linkage {
                    name: format!("RSSR{branch}, {name}{how}"),
                    model: model.clone(),
                    input: "q1",
                    law,
                    answer: Box::new(answer),
                    start: match name.split_once(' ') {
                        Some(("spherical", _)) => attitude(side, START, ""),
                        Some(("free", _)) => attitude(side, START, &crank_end(START)),
                        _ => String::new(),
                    },
                    ordinary: side > 0.0 && at < 3 && matches!(law, Law::Turn(_)),
                });
            }
        }
    }
    all
}

/// A loop of revolute joints along z, in the notation of Denavit and Hartenberg: each link has a
/// length along x and a twist about x. The last joint is the cut, or, with `weld`, a joint of its
/// own before a body cut.
fn revolute_loop(name: &str, links: &[(f64, f64)], weld: bool) -> String {
    let place = |length: f64, twist: f64| {
        format!(
            "{{ position = [{length:?}, 0, 0], rotation = {{ axis = \"x\", angle = {twist:?} }} }}"
        )
    };
    let (length, twist) = links[links.len() - 1];
    let mut text = model(name, WEIGHT);
    // The ground is the last link, seen from its far end.
    text += &format!("[ground]\npoints.end = {}\n", place(-length, -twist));
    let mut parent = "ground".to_owned();
    let moving = if weld { links.len() } else { links.len() - 1 };
    for (at, (length, twist)) in links.iter().enumerate().take(moving) {
        let number = at + 1;
        text += &bar(&format!("link{number}"), &parent, &hinge(&format!("q{number}")), *length);
        text += &format!("points.end = {}\n", place(*length, *twist));
        parent = format!("link{number}.end");
    }
    text + &match weld {
        true => cut("end", "\"body\"", [&format!("link{moving}"), "ground.end"]),
        false => cut("end", "\"revolute\"\naxis = \"z\"", [&parent, "ground.end"]),
    }
}

/// Names of the joints of a loop.
const JOINTS: [&str; 6] = ["q1", "q2", "q3", "q4", "q5", "q6"];

/// The joints of a loop whose first joint is the input.
fn joints(angles: &[Jet], moving: usize) -> Answer {
    JOINTS.iter().zip(angles).take(moving).skip(1).map(|(name, one)| angle(name, *one)).collect()
}

/// Bennett's loop: four joints with `a / sin(alpha) = b / sin(beta)`, which move although six
/// constraints meet four joints. Opposite angles are opposite, and `tan(theta/2) tan(phi/2) =
/// sin((beta + alpha)/2) / sin((beta - alpha)/2)` (Bennett 1903).
fn bennett() -> Vec<Linkage> {
    let (alpha, beta, a) = (0.6_f64, 1.1_f64, 0.5);
    let b = a * beta.sin() / alpha.sin();
    let links = [(a, alpha), (b, beta), (a, alpha), (b, beta)];
    let k = (0.5 * (beta + alpha)).sin() / (0.5 * (beta - alpha)).sin();
    let angles = move |theta: Jet| {
        let phi = Jet::constant(PI) - 2.0 * stretched(k, 0.5 * theta);
        [theta, phi, -theta, -phi]
    };
    [
        ("revolute cut", false, 3, Law::Turn(1.0)),
        ("body cut", true, 4, Law::Turn(1.0)),
        ("revolute cut, free", false, 3, Law::Free(1.0)),
    ]
    .into_iter()
    .map(|(name, weld, moving, law)| Linkage {
        name: format!("Bennett, {name}"),
        model: revolute_loop("bennett", &links, weld),
        input: "q1",
        law,
        answer: Box::new(move |theta| joints(&angles(theta), moving)),
        start: String::new(),
        ordinary: !weld && matches!(law, Law::Turn(_)),
    })
    .collect()
}

/// Bricard's loop with threefold symmetry: six joints, equal links, twists that alternate in sign.
/// Angles alternate, with `c^2 + s^2 (cos(phi) + cos(theta)) + (1 + c^2) cos(phi) cos(theta) - 2 c
/// sin(phi) sin(theta) = 0`, where `c` and `s` are cosine and sine of the twist (Chen, You and
/// Tarnai 2005). With right angles it is Bricard's orthogonal loop (Bricard 1927).
fn bricard() -> Vec<Linkage> {
    let mut all = Vec::new();
    for (twist, about, by) in [(FRAC_PI_2, 1.0, 0.5), (1.2, 0.8, 0.5)] {
        for side in [1.0, -1.0] {
            for (name, weld, moving) in [("revolute cut", false, 5), ("body cut", true, 6)] {
                let answer = move |theta: Jet| {
                    let (s, c) = twist.sin_cos();
                    let (one, cos, sin) = (Jet::constant(1.0), theta.cos(), theta.sin());
                    let across = s * s * one + (1.0 + c * c) * cos;
                    let along = -2.0 * c * sin;
                    let rest = c * c * one + s * s * cos;
                    let radius = (across * across + along * along).sqrt();
                    let phi = Jet::atan2(along, across) + side * (-rest / radius).acos();
                    joints(&[theta, phi, theta, phi, theta, phi], moving)
                };
                let links = [(0.5, twist), (0.5, -twist)].repeat(3);
                all.push(Linkage {
                    name: format!("Bricard, twist {twist:.2}, branch {side}, {name}"),
                    model: revolute_loop("bricard", &links, weld),
                    input: "q1",
                    law: Law::Swing(about, by),
                    answer: Box::new(answer),
                    start: String::new(),
                    ordinary: twist == FRAC_PI_2 && side > 0.0 && !weld,
                });
            }
        }
    }
    all
}

/// All spatial linkages.
pub fn spatial() -> Vec<Linkage> {
    let loops = bennett().into_iter().chain(bricard());
    hooke_joints().into_iter().chain(spatial_four_bars()).chain(loops).collect()
}
