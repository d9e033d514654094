//! Planar linkages: slider-cranks, four-bars, Watt's and Peaucellier's, opened at several places in
//! several ways.

use super::super::jet::Jet;
use super::super::loops::{bar, cut, hinge, model};
use super::{Answer, ClosedForm, Law, Linkage, angle, slide};
use std::f64::consts::{FRAC_PI_2, PI};

/// Weight along y, so that free linkages do not move uniformly.
const WEIGHT: [f64; 3] = [0.0, -9.81, 0.0];

/// The direction of a vector, as the angle within half a turn of another one.
fn direction(home: f64, [x, y]: [Jet; 2]) -> Jet {
    let (sin, cos) = home.sin_cos();
    Jet::constant(home) + Jet::atan2(cos * y - sin * x, cos * x + sin * y)
}

/// The point at a length and a direction from another.
fn beyond([x, y]: [Jet; 2], length: f64, direction: Jet) -> [Jet; 2] {
    [x + length * direction.cos(), y + length * direction.sin()]
}

fn between(from: [Jet; 2], to: [Jet; 2]) -> [Jet; 2] {
    [to[0] - from[0], to[1] - from[1]]
}

fn fixed(point: [f64; 2]) -> [Jet; 2] {
    point.map(Jet::constant)
}

/// Rod angle relative to the crank, and piston position, of a slider-crank: the rod's end stays on
/// the line `y = offset`. `side` is 1 with the piston ahead of the crank pin and -1 behind it.
pub fn slider_crank(crank: f64, rod: f64, offset: f64, side: f64, input: Jet) -> [Jet; 2] {
    let rise = Jet::constant(offset) - crank * input.sin();
    let reach = side * (Jet::constant(rod * rod) - rise * rise).sqrt();
    let home = if side > 0.0 { 0.0 } else { PI };
    [direction(home, [reach, rise]) - input, crank * input.cos() + reach]
}

const CRANK: f64 = 0.15;
const ROD: f64 = 0.3;

/// Slider-cranks with all ways to close them.
fn slider_cranks() -> Vec<Linkage> {
    let crank = bar("crank", "ground", &hinge("q1"), CRANK);
    let rod = bar("rod", "crank.tip", &hinge("q2"), ROD);
    let piston = |offset: f64, joint: &str| {
        format!(
            "[[body]]\nname = \"piston\"\nparent = \"ground\"\nposition = [0, {offset:?}, 0]\nmass = 0.4\n\
             inertia = {{ xx = 1e-4, yy = 1e-4, zz = 1e-4 }}\njoint = {{ name = \"q3\", type = {joint}, axis = \"x\" }}\n"
        )
    };
    let plain = |offset: f64| piston(offset, "\"prismatic\"");
    let pin = |kind: &str| cut("pin", kind, ["rod.tip", "piston"]);
    let z = "\"revolute\"\naxis = \"z\"";
    let along = |input: Jet, offset: f64, side: f64| slider_crank(CRANK, ROD, offset, side, input);
    let both = move |offset: f64, side: f64| {
        move |input: Jet| -> Answer {
            let [q2, q3] = along(input, offset, side);
            vec![angle("q2", q2), slide("q3", q3, CRANK + ROD)]
        }
    };
    let piston_only =
        move |input: Jet| -> Answer { vec![slide("q3", along(input, 0.0, 1.0)[1], CRANK + ROD)] };
    let ball = |offset: f64| [crank.clone(), rod.clone(), plain(offset), pin("\"ball\"")].concat();
    let wrist =
        format!("[[body]]\nname = \"wrist\"\nparent = \"piston\"\njoint = {{ {} }}\n", hinge("q4"));
    let floating = "name = \"p\", type = \"planar\", axis = \"z\"";
    let list: Vec<(&str, Law, String, ClosedForm, bool)> = vec![
        ("ball cut", Law::Turn(0.0), ball(0.0), Box::new(both(0.0, 1.0)), true),
        ("ball cut, backwards", Law::Turn(1.0), ball(0.0), Box::new(both(0.0, -1.0)), true),
        ("ball cut, offset", Law::Turn(0.0), ball(0.1), Box::new(both(0.1, 1.0)), false),
        (
            "ball cut, offset, backwards",
            Law::Turn(0.0),
            ball(-0.1),
            Box::new(both(-0.1, -1.0)),
            false,
        ),
        ("ball cut, free", Law::Free(1.0), ball(0.0), Box::new(both(0.0, 1.0)), true),
        (
            "revolute cut",
            Law::Turn(0.5),
            [crank.clone(), rod.clone(), plain(0.0), pin(z)].concat(),
            Box::new(both(0.0, 1.0)),
            false,
        ),
        (
            "body cut",
            Law::Turn(0.5),
            [
                crank.clone(),
                rod.clone(),
                plain(0.0),
                wrist,
                cut("pin", "\"body\"", ["rod.tip", "wrist"]),
            ]
            .concat(),
            Box::new(move |input| {
                let [q2, q3] = along(input, 0.0, 1.0);
                vec![angle("q2", q2), slide("q3", q3, CRANK + ROD), angle("q4", q2 + input)]
            }),
            false,
        ),
        (
            "rod cut",
            Law::Turn(0.5),
            [
                crank.clone(),
                plain(0.0),
                cut("rod", &format!("\"rod\"\nlength = {ROD}"), ["crank.tip", "piston"]),
            ]
            .concat(),
            Box::new(piston_only),
            true,
        ),
        (
            "rod cut, free",
            Law::Free(0.5),
            [
                crank.clone(),
                plain(0.0),
                cut("rod", &format!("\"rod\"\nlength = {ROD}"), ["crank.tip", "piston"]),
            ]
            .concat(),
            Box::new(piston_only),
            false,
        ),
        (
            "rod on a planar joint",
            Law::Turn(0.5),
            [
                crank.clone(),
                bar("rod", "ground", floating, ROD),
                plain(0.0),
                cut("big_end", z, ["crank.tip", "rod"]),
                pin(z),
            ]
            .concat(),
            Box::new(move |input| {
                let [q2, q3] = along(input, 0.0, 1.0);
                let size = CRANK + ROD;
                vec![
                    slide("p[1]", CRANK * input.cos(), size),
                    slide("p[2]", CRANK * input.sin(), size),
                    angle("p[3]", q2 + input),
                    slide("q3", q3, size),
                ]
            }),
            false,
        ),
        (
            "piston on a cylindrical joint",
            Law::Turn(0.5),
            [crank.clone(), rod.clone(), piston(0.0, "\"cylindrical\""), pin(z)].concat(),
            Box::new(move |input| {
                let [q2, q3] = along(input, 0.0, 1.0);
                let upright = angle("q3[1]", Jet::constant(0.0));
                vec![angle("q2", q2), upright, slide("q3[2]", q3, CRANK + ROD)]
            }),
            false,
        ),
        (
            "rod on a spherical joint",
            Law::Turn(0.5),
            [
                crank.clone(),
                bar("rod", "crank.tip", "name = \"s\", type = \"spherical\"", ROD),
                plain(0.0),
                pin("\"ball\""),
            ]
            .concat(),
            Box::new(piston_only),
            false,
        ),
    ];
    list.into_iter()
        .map(|(name, law, parts, answer, ordinary)| Linkage {
            name: format!("slider-crank, {name}"),
            model: model("slider_crank", WEIGHT) + &parts,
            input: "q1",
            law,
            answer,
            start: String::new(),
            ordinary,
        })
        .collect()
}

/// Lengths and branch of a four-bar between the origin and another pin.
#[derive(Clone, Copy)]
struct FourBar {
    crank: f64,
    coupler: f64,
    rocker: f64,
    pin: [f64; 2],
    /// 1 or -1: on which side of the diagonal the coupler lies.
    side: f64,
    /// Directions within half a turn of which coupler and rocker stay, from the ground or, if they
    /// turn, from the crank.
    homes: [f64; 2],
    turns: bool,
}

impl FourBar {
    /// Absolute angles of coupler and rocker: the triangle of coupler, rocker and the diagonal from
    /// the crank pin to the fixed pin has its angle from the law of cosines (Freudenstein 1955 has
    /// the same as an equation of the angles).
    fn angles(&self, input: Jet) -> [Jet; 2] {
        let back = if self.turns { -input } else { Jet::constant(0.0) };
        // Everything in axes that turn by `-back`, in which both directions are bounded.
        let tip = beyond(fixed([0.0, 0.0]), self.crank, input + back);
        let [x, y] = fixed(self.pin);
        let pin = [back.cos() * x - back.sin() * y, back.sin() * x + back.cos() * y];
        let [x, y] = between(tip, pin);
        let diagonal = (x * x + y * y).sqrt();
        let squares = Jet::constant(self.coupler * self.coupler - self.rocker * self.rocker);
        let cosine = (squares + diagonal * diagonal) / (2.0 * self.coupler * diagonal);
        let lean = self.side * cosine.acos();
        let coupler = direction(
            self.homes[0],
            [x * lean.cos() - y * lean.sin(), y * lean.cos() + x * lean.sin()],
        );
        let end = beyond(tip, self.coupler, coupler);
        [coupler - back, direction(self.homes[1], between(pin, end)) - back]
    }

    /// The model, opened as `closing` says.
    fn model(&self, closing: &str) -> String {
        let [x, y] = self.pin;
        let crank = bar("crank", "ground", &hinge("q1"), self.crank);
        let coupler = bar("coupler", "crank.tip", &hinge("q2"), self.coupler);
        let rocker = bar("rocker", "ground.D", &hinge("q3"), self.rocker);
        let z = "\"revolute\"\naxis = \"z\"";
        let tips = ["coupler.tip", "rocker.tip"];
        let half = 0.5 * self.coupler;
        let parts = match closing {
            "ball" => [crank, coupler, rocker, cut("pin", "\"ball\"", tips)].concat(),
            "revolute" => [crank, coupler, rocker, cut("pin", z, tips)].concat(),
            "ground" => [
                crank,
                coupler,
                bar("rocker", "coupler.tip", &hinge("q3"), self.rocker),
                cut("pin", z, ["rocker.tip", "ground.D"]),
            ]
            .concat(),
            "body" => [
                crank,
                bar("coupler", "crank.tip", &hinge("q2"), half),
                rocker,
                bar("other", "rocker.tip", &hinge("q4"), half).replace(
                    &format!("points.tip = [{half}, 0, 0]"),
                    &format!("points.tip = {{ position = [{half}, 0, 0], rotation = {{ axis = \"z\", angle = \"pi\" }} }}"),
                ),
                cut("weld", "\"body\"", ["coupler.tip", "other.tip"]),
            ]
            .concat(),
            "rod" => {
                let rod = format!("\"rod\"\nlength = {}", self.coupler);
                [crank, rocker, cut("rod", &rod, ["crank.tip", "rocker.tip"])].concat()
            }
            "planar" => [
                crank,
                bar("coupler", "ground", "name = \"p\", type = \"planar\", axis = \"z\"", self.coupler),
                rocker,
                cut("pin1", "\"ball\"", ["crank.tip", "coupler"]),
                cut("pin2", z, tips),
            ]
            .concat(),
            other => panic!("no way to close a four-bar is called `{other}`"),
        };
        model("four_bar", WEIGHT) + &format!("[ground]\npoints.D = [{x:?}, {y:?}, 0]\n") + &parts
    }

    /// Coordinates of the model that is opened so.
    fn answer(self, closing: &'static str) -> ClosedForm {
        let size = self.crank + self.coupler + self.rocker;
        let half_turn = Jet::constant(PI);
        Box::new(move |input| {
            let [coupler, rocker] = self.angles(input);
            let (q2, q3) = (angle("q2", coupler - input), angle("q3", rocker));
            match closing {
                "ground" => vec![q2, angle("q3", rocker + half_turn - coupler)],
                "body" => vec![q2, q3, angle("q4", coupler + half_turn - rocker)],
                "rod" => vec![q3],
                "planar" => vec![
                    slide("p[1]", self.crank * input.cos(), size),
                    slide("p[2]", self.crank * input.sin(), size),
                    angle("p[3]", coupler),
                    q3,
                ],
                _ => vec![q2, q3],
            }
        })
    }

    fn linkage(self, name: &str, closing: &'static str, law: Law, ordinary: bool) -> Linkage {
        Linkage {
            name: format!("{name}, {closing} cut"),
            model: self.model(closing),
            input: "q1",
            law,
            answer: self.answer(closing),
            start: String::new(),
            ordinary,
        }
    }
}

/// Four-bars of Grashof's kind on both branches, and Watt's linkage.
fn four_bars() -> Vec<Linkage> {
    let open = FourBar {
        crank: 0.3,
        coupler: 0.8,
        rocker: 0.6,
        pin: [0.7, 0.0],
        side: 1.0,
        homes: [0.0, FRAC_PI_2],
        turns: false,
    };
    let crossed = FourBar { side: -1.0, homes: [0.0, -FRAC_PI_2], ..open };
    // The shortest link is the ground: all others turn.
    let drag = FourBar {
        crank: 0.6,
        coupler: 0.7,
        rocker: 0.8,
        pin: [0.3, 0.0],
        homes: [-FRAC_PI_2, -0.5 * FRAC_PI_2],
        turns: true,
        ..open
    };
    // Rockers of one metre on either side of an upright coupler.
    let watt = FourBar {
        crank: 1.0,
        coupler: 0.5,
        rocker: 1.0,
        pin: [2.0, 0.5],
        side: 1.0,
        homes: [FRAC_PI_2, PI],
        turns: false,
    };
    let watt_crossed = FourBar { side: -1.0, homes: [0.0, PI], ..watt };
    let mut all = Vec::new();
    for (at, closing) in
        ["ball", "revolute", "ground", "body", "rod", "planar"].into_iter().enumerate()
    {
        all.push(open.linkage("four-bar", closing, Law::Turn(1.0), at == 0));
        all.push(crossed.linkage(
            "four-bar, crossed",
            closing,
            Law::Turn(1.0),
            closing == "ground",
        ));
        all.push(drag.linkage("four-bar, double crank", closing, Law::Turn(0.5), closing == "rod"));
        all.push(open.linkage("four-bar, free", closing, Law::Free(1.0), false));
        all.push(watt.linkage("Watt", closing, Law::Swing(0.0, 0.4), closing == "ball"));
        all.push(watt_crossed.linkage("Watt, other branch", closing, Law::Swing(0.0, 0.4), false));
    }
    all
}

/// Peaucellier's inversor: arms `O B` and `O D`, a rhombus `A B C D` and a crank `Q A` whose circle
/// goes through `O`. `C` stays on the line `x = (arm^2 - side^2) / (2 crank)` because `O A * O C =
/// arm^2 - side^2` (Peaucellier 1864; Kempe 1877).
fn peaucellier() -> Vec<Linkage> {
    const ARM: f64 = 1.0;
    const SIDE: f64 = 0.4;
    const RADIUS: f64 = 0.4;
    let answer = |input: Jet| -> Answer {
        let half = 0.5 * input;
        let near = 2.0 * RADIUS * half.cos();
        let cosine = (Jet::constant(ARM * ARM - SIDE * SIDE) + near * near) / (2.0 * ARM * near);
        let lean = cosine.acos();
        let a = [near * half.cos(), near * half.sin()];
        let far = Jet::constant(ARM * ARM - SIDE * SIDE) / near;
        let c = [far * half.cos(), far * half.sin()];
        let (arm_b, arm_d) = (half + lean, half - lean);
        let [b, d] = [arm_b, arm_d].map(|arm| beyond(fixed([0.0, 0.0]), ARM, arm));
        vec![
            angle("qb", arm_b),
            angle("qd", arm_d),
            angle("q_ab", direction(0.0, between(a, b)) - input),
            angle("q_ad", direction(0.0, between(a, d)) - input),
            angle("q_bc", direction(0.0, between(b, c)) - arm_b),
            angle("q_dc", direction(0.0, between(d, c)) - arm_d),
        ]
    };
    let parts = |kind: &str| {
        [
            model("peaucellier", WEIGHT),
            format!("[ground]\npoints.Q = [{RADIUS}, 0, 0]\n"),
            bar("crank", "ground.Q", &hinge("q1"), RADIUS),
            bar("arm_b", "ground", &hinge("qb"), ARM),
            bar("arm_d", "ground", &hinge("qd"), ARM),
            bar("ab", "crank.tip", &hinge("q_ab"), SIDE),
            bar("ad", "crank.tip", &hinge("q_ad"), SIDE),
            bar("bc", "arm_b.tip", &hinge("q_bc"), SIDE),
            bar("dc", "arm_d.tip", &hinge("q_dc"), SIDE),
            cut("B", kind, ["ab.tip", "arm_b.tip"]),
            cut("D", kind, ["ad.tip", "arm_d.tip"]),
            cut("C", kind, ["bc.tip", "dc.tip"]),
        ]
        .concat()
    };
    let linkage = |name: &str, kind: &str, law: Law, ordinary: bool| Linkage {
        name: format!("Peaucellier, {name}"),
        model: parts(kind),
        input: "q1",
        law,
        answer: Box::new(answer),
        start: String::new(),
        ordinary,
    };
    vec![
        linkage("ball cuts", "\"ball\"", Law::Swing(0.0, 1.0), true),
        linkage("revolute cuts", "\"revolute\"\naxis = \"z\"", Law::Swing(0.2, 0.9), false),
        linkage("ball cuts, near its reach", "\"ball\"", Law::Swing(0.0, 1.4), false),
    ]
}

/// All planar linkages.
pub fn planar() -> Vec<Linkage> {
    slider_cranks().into_iter().chain(four_bars()).chain(peaucellier()).collect()
}
