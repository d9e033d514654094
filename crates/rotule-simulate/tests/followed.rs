//! Loops that are followed: a run stays on the branch of its start, keeps its energy and stays
//! closed, at steps and between them, or it says that it does not. Each test is a small model that
//! once went wrong without a message.

use rotule_simulate::augmented::ConstraintForm;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{End, Threshold};
use rotule_testing::simulate;
use rotule_testing::simulate::jet::Jet;
use rotule_testing::simulate::linkage::planar::slider_crank;
use rotule_testing::simulate::linkage::spatial::hooke;
use rotule_testing::simulate::linkage::{Answer, angle, slide};
use rotule_testing::simulate::loops::{
    DEFAULT, GOLDEN, Setup, Verdict, Wrong, bar, cut, drive, ended, hinge, initial, judge, model,
    observe, speed,
};
use rotule_testing::simulate::reference::value;
use rotule_testing::simulate::{plant, within};
use std::f64::consts::TAU;

/// The largest error of named coordinates over all samples of a model that is driven at a speed,
/// and how the run ended.
fn driven(text: &str, setup: Setup, speed: f64, answer: impl Fn(Jet) -> Answer) -> (f64, bool) {
    let mut plant = plant(text);
    let mut worst = (0.0_f64, 0.0);
    let outcome = observe(&mut plant, setup, |plant| {
        let t = plant.point().t;
        for known in answer(Jet([speed * t, speed, 0.0])) {
            let error = (value(plant, known.name) - known.value.0[0]).abs() / known.unit;
            // A coordinate that is not a number is as wrong as can be.
            if error > worst.0 || error.is_nan() {
                worst = (error, t);
            }
        }
    });
    println!(
        "{} {:?}: {:.1e} at {:.2} s, {} steps, {}",
        setup.method,
        setup.accuracy,
        worst.0,
        worst.1,
        outcome.work.steps,
        ended(&outcome)
    );
    (worst.0, outcome.end == End::Reached)
}

/// Crank 0.15 m, rod 0.3 m, piston along x, closed by a ball at the piston pin.
fn crank_and_piston() -> String {
    let parts = [
        model("slider_crank", [0.0, -9.81, 0.0]),
        bar("crank", "ground", &hinge("q1"), 0.15),
        bar("rod", "crank.tip", &hinge("q2"), 0.3),
        "[[body]]\nname = \"piston\"\nparent = \"ground\"\nmass = 0.4\n".to_owned(),
        "joint = { name = \"q3\", type = \"prismatic\", axis = \"x\" }\n".to_owned(),
        cut("pin", "\"ball\"", ["rod.tip", "piston"]),
    ];
    parts.concat()
}

#[test]
fn a_driven_slider_crank_stays_on_its_branch() {
    let mut wrong = Wrong::default();
    for (method, accuracy) in METHODS {
        for speed in [10.0, -7.0] {
            let text = crank_and_piston()
                + &drive("q1", &format!("{speed}*t"))
                + &initial("q", &[("q1", 0.0), ("q2", 0.0), ("q3", 0.45)]);
            let setup = Setup::new(3.0, 0.01).by(method, accuracy);
            let (error, reached) = driven(&text, setup, speed, |input| {
                let [q2, q3] = slider_crank(0.15, 0.3, 0.0, 1.0, input);
                vec![angle("q2", q2), slide("q3", q3, 0.45)]
            });
            wrong.unless(reached && error < 1e-8, format!("{method} at {speed} rad/s: {error:e}"));
        }
    }
    wrong.none();
}

/// Methods with the default tolerances or with a step that a user would take.
const METHODS: [(&str, Accuracy); 5] = [
    ("dop853", DEFAULT),
    ("dormand-prince", DEFAULT),
    ("radau", DEFAULT),
    ("bdf", DEFAULT),
    ("rk4", Accuracy::Fixed(1e-2)),
];

/// Two shafts at an angle, coupled by a Hooke joint at the origin.
fn hooke_joint(angle: f64) -> String {
    let shaft = "mass = 1\ninertia = { xx = 0.01, yy = 0.02, zz = 0.02 }\n";
    let parts = [
        model("hooke_joint", [0.0, 0.0, -9.81]),
        "[[body]]\nname = \"input\"\nparent = \"ground\"\n".to_owned(),
        format!("joint = {{ name = \"q1\", type = \"revolute\", axis = \"x\" }}\n{shaft}"),
        format!(
            "[[body]]\nname = \"output\"\nparent = \"ground\"\nrotation = {{ axis = \"z\", angle = {angle:?} }}\n"
        ),
        format!("joint = {{ name = \"q2\", type = \"revolute\", axis = \"x\" }}\n{shaft}"),
        cut("cross", "\"universal\"\naxes = [\"y\", \"z\"]", ["input", "output"]),
    ];
    parts.concat()
}

#[test]
fn a_driven_hooke_joint_stays_on_its_branch() {
    let mut wrong = Wrong::default();
    for degrees in [30.0_f64, 5.0, 60.0] {
        let shafts = degrees.to_radians();
        for (method, accuracy) in METHODS {
            let text = hooke_joint(shafts) + &drive("q1", "10*t");
            let setup = Setup::new(3.0, 0.01).by(method, accuracy);
            let (error, reached) =
                driven(&text, setup, 10.0, |input| vec![angle("q2", hooke(shafts, input))]);
            wrong.unless(reached && error < 1e-8, format!("{method} at {degrees} deg: {error:e}"));
        }
    }
    wrong.none();
}

/// Two bars of one metre on a base of two, coupled by a bar of two.
fn parallelogram(gravity: f64, start: f64, speed: f64) -> String {
    let parts = [
        model("parallelogram", [0.0, -gravity, 0.0]),
        "[ground]\npoints.D = [2, 0, 0]\n".to_owned(),
        bar("crank", "ground", &hinge("c"), 1.0),
        bar("coupler", "crank.tip", &hinge("k"), 2.0),
        bar("rocker", "ground.D", &hinge("r"), 1.0),
        cut("pin", "\"ball\"", ["coupler.tip", "rocker.tip"]),
        initial("q", &[("c", start), ("k", -start), ("r", start)]),
        initial("qd", &[("c", speed), ("k", -speed), ("r", speed)]),
    ];
    parts.concat()
}

/// Prints what a run shows.
fn shown(what: &str, text: &str, setup: Setup) -> Verdict {
    let found = judge(text, setup);
    println!(
        "{what}: {} {:?}: energy {:.1e}, open {:.1e} {:.1e}, conditioning {:.1}, {} changes, {} steps, {}",
        setup.method,
        setup.accuracy,
        found.energy,
        found.open.position,
        found.open.velocity,
        found.outcome.worst,
        found.outcome.switches.len(),
        found.outcome.work.steps,
        ended(&found.outcome),
    );
    found
}

#[test]
fn rows_between_steps_of_a_parallelogram_have_its_energy() {
    let mut wrong = Wrong::default();
    for gravity in [9.81, 0.0] {
        for start in [1.0, 0.3, 2.0] {
            let text = parallelogram(gravity, start, 8.0);
            for every in [1e-3, 0.01 * GOLDEN] {
                let found = shown("parallelogram", &text, Setup::new(5.0, every));
                let row = format!("{gravity} {start} {every}: {:e}", found.energy);
                wrong.unless(found.reached() && found.energy < 1e-6, row);
            }
        }
    }
    wrong.none();
}

#[test]
fn points_between_steps_of_a_projected_run_are_closed() {
    let mut wrong = Wrong::default();
    for text in [
        crank_and_piston() + &initial("q", &[("q1", 1.0)]) + &initial("qd", &[("q1", 10.0)]),
        rssr("\"spherical\""),
        simulate::example("four_bar_joint.toml"),
    ] {
        let setup = Setup { form: ConstraintForm::Projection, ..Setup::new(2.0, 1e-3 * TAU) };
        let found = shown("projection", &text, setup);
        let closed = found.open.position < 1e-10 && found.open.velocity < 1e-8;
        wrong.unless(found.reached() && closed, format!("{:?}", found.open));
    }
    wrong.none();
}

/// Crank 0.15 m and a slider, whose rod of 0.3 m is a mere distance.
fn crank_and_slider(angle: f64, speed: f64) -> String {
    let [_, reach] = slider_crank(0.15, 0.3, 0.0, 1.0, Jet([angle, speed, 0.0]));
    let parts = [
        model("crank_rod_slider", [0.0, -9.81, 0.0]),
        bar("crank", "ground", &hinge("q1"), 0.15),
        "[[body]]\nname = \"slider\"\nparent = \"ground\"\nmass = 0.4\n".to_owned(),
        "joint = { name = \"q3\", type = \"prismatic\", axis = \"x\" }\n".to_owned(),
        cut("rod", "\"rod\"\nlength = 0.3", ["crank.tip", "slider"]),
        initial("q", &[("q1", angle), ("q3", reach.0[0])]),
        initial("qd", &[("q1", speed), ("q3", reach.0[1])]),
    ];
    parts.concat()
}

#[test]
fn a_crank_with_a_rod_and_a_slider_changes_its_coordinates_in_time() {
    let mut wrong = Wrong::default();
    // The slider cannot lead through the dead centres: a run that begins with it must change, and
    // tighter tolerances must not be worse.
    for lead in ["q1", "q3", ""] {
        for speed in [10.0, 3.0] {
            let text = crank_and_slider(1.0, speed).replace(
                &format!("name = \"{lead}\""),
                &format!("name = \"{lead}\", partition = \"independent\""),
            );
            let drifts = [1e-6, 1e-8, 1e-10].map(|tolerance| {
                let setup = Setup::new(60.0, 0.1 * GOLDEN).by("dop853", within(tolerance));
                let found = shown(&format!("{lead} leads at {speed} rad/s"), &text, setup);
                if found.reached() { found.energy } else { f64::NAN }
            });
            let [rough, default, fine] = drifts;
            let finer = fine < default && default < rough;
            wrong.unless(
                default < 1e-4 && fine < 1e-6 && finer,
                format!("{lead} {speed}: {drifts:?}"),
            );
        }
    }
    wrong.none();
}

/// A body that turns about and slides along z, the end of its arm tied by a rod to a point on the x
/// axis.
fn body_on_a_cylinder(
    gravity: [f64; 3],
    [arm, foot, rod]: [f64; 3],
    [angle, spin]: [f64; 2],
) -> String {
    // The arm's end is at the height that the rod leaves it, above the foot.
    let turned = Jet([angle, spin, 0.0]);
    let (x, y) = (arm * turned.cos() - Jet::constant(foot), arm * turned.sin());
    let height = (Jet::constant(rod * rod) - x * x - y * y).sqrt();
    let parts = [
        model("cylinder", gravity),
        format!("[ground]\npoints.foot = [{foot}, 0, 0]\n"),
        bar("arm", "ground", "name = \"c\", type = \"cylindrical\", axis = \"z\"", arm),
        cut("rod", &format!("\"rod\"\nlength = {rod}"), ["ground.foot", "arm.tip"]),
        initial("q", &[("c[1]", angle), ("c[2]", height.0[0])]),
        initial("qd", &[("c[1]", spin), ("c[2]", height.0[1])]),
    ];
    parts.concat()
}

#[test]
fn a_body_on_a_cylindrical_joint_with_a_rod_keeps_its_energy() {
    let mut wrong = Wrong::default();
    for gravity in [[0.0, 0.0, -9.81], [0.0, -9.81, 0.0], [0.0; 3]] {
        for (lengths, start) in [
            ([0.5, 0.8, 1.0], [0.5, 2.0]),
            ([0.5, 0.8, 1.0], [0.5, 8.0]),
            ([0.3, 0.2, 2.0], [0.1, 20.0]),
            ([0.3, 0.8, 1.0], [2.0, 12.0]),
            ([1.0, 0.8, 0.6], [0.1, 20.0]),
            ([1.0, 0.8, 1.0], [0.1, 20.0]),
            ([1.0, 1.5, 0.6], [0.1, 20.0]),
        ] {
            let text = body_on_a_cylinder(gravity, lengths, start);
            let what = format!("cylinder {gravity:?} {lengths:?} {start:?}");
            let found = shown(&what, &text, Setup::new(10.0, 0.01));
            let row = format!("{what}: {:e}", found.energy);
            wrong.unless(found.reached() && found.energy < 1e-5, row);
        }
    }
    wrong.none();
}

/// A knife edge on an incline that falls along x, its blade through the centre of mass.
fn knife_edge(joint: &str, names: [&str; 3], spin: f64) -> String {
    let incline = 20.0_f64.to_radians();
    let gravity = [9.81 * incline.sin(), 0.0, -9.81 * incline.cos()];
    let [x, y, psi] = names;
    let (along, across) = (speed(x), speed(y));
    let parts = [
        model("knife_edge", gravity),
        "[[body]]\nname = \"blade\"\nparent = \"ground\"\nmass = 2\n".to_owned(),
        format!("inertia = {{ zz = 0.3 }}\njoint = {joint}\n"),
        format!(
            "[[constraint]]\nname = \"edge\"\nvelocity = \"{along}*sin({psi}) - {across}*cos({psi})\"\n"
        ),
        initial("qd", &[(x, 0.0), (y, 0.0), (psi, spin)]),
    ];
    parts.concat()
}

#[test]
fn a_knife_edge_on_an_incline_follows_its_cycloid() {
    let mut wrong = Wrong::default();
    // With the spin `w` constant, the speed along the blade obeys `u' = g sin(a) cos(w t)`; from
    // rest `x = g sin(a) / (2 w^2) sin(w t)^2` and `y = g sin(a) / (2 w^2) (w t - sin(2 w t) / 2)`
    // (Neimark and Fufaev 1972; Bloch 2003, section 1.6).
    let chain = "[{ name = \"x\", type = \"prismatic\", axis = \"x\" }, \
                 { name = \"y\", type = \"prismatic\", axis = \"y\" }, \
                 { name = \"psi\", type = \"revolute\", axis = \"z\" }]";
    let planar = "{ name = \"p\", type = \"planar\", axis = \"z\" }";
    let fixed = |step| ("rk4", Accuracy::Fixed(step));
    let exact = ("dop853", DEFAULT);
    for (joint, names) in [(chain, ["x", "y", "psi"]), (planar, ["p[1]", "p[2]", "p[3]"])] {
        for (spin, (method, accuracy), bound) in [
            (1.0, exact, 1e-6),
            (1.0, fixed(0.01), 1e-6),
            (3.0, exact, 1e-6),
            (3.0, fixed(0.01), 1e-5),
        ] {
            let text = knife_edge(joint, names, spin);
            let mut plant = plant(&text);
            let mut worst = 0.0_f64;
            let outcome =
                observe(&mut plant, Setup::new(10.0, 0.01).by(method, accuracy), |plant| {
                    let turned = spin * plant.point().t;
                    let size = 9.81 * 20.0_f64.to_radians().sin() / (2.0 * spin * spin);
                    let known = [
                        size * turned.sin().powi(2),
                        size * (turned - 0.5 * (2.0 * turned).sin()),
                        turned,
                    ];
                    for (name, known) in names.iter().zip(known) {
                        let error = (value(plant, name) - known).abs();
                        worst = if error <= worst { worst } else { error };
                    }
                });
            println!(
                "{method} {accuracy:?} at {spin} rad/s: {worst:e}, conditioning {:e}, {} changes, {}",
                outcome.worst,
                outcome.switches.len(),
                ended(&outcome)
            );
            let held = outcome.end == End::Reached && worst < bound;
            wrong.unless(held, format!("{method} at {spin} rad/s: {worst:e}"));
        }
    }
    wrong.none();
}

/// A thin disc that rolls without slipping, on a free joint; tilted about x, spinning about its
/// axle y.
fn rolling_disc(tilt: f64, spin: f64, turning: f64) -> String {
    let radius = 0.3;
    let (sin, cos) = tilt.sin_cos();
    let (s, c) = (0.5 * tilt).sin_cos();
    // The contact is at rest: the centre moves at `w x r` with `w = (0, spin, turning)` in the
    // disc's axes, and `r` up the disc from the contact along its z.
    let velocity = [spin * radius, 0.0, 0.0];
    let parts = [
        model("rolling_disc", [0.0, 0.0, -9.81]),
        "[[body]]\nname = \"disc\"\nparent = \"ground\"\nmass = 1\n".to_owned(),
        "joint = { name = \"f\", type = \"free\" }\n".to_owned(),
        "inertia = { xx = 0.0225, yy = 0.045, zz = 0.0225 }\n".to_owned(),
        format!(
            "[[wheel]]\nname = \"rim\"\nbody = \"disc\"\nradius = {radius}\nrolling = true\naxle = \"y\"\n"
        ),
        format!("[initial.q]\nf = [0, {}, {}, {c}, {s}, 0, 0]\n", -radius * sin, radius * cos),
        format!(
            "[initial.qd]\nf = [{}, {}, {}, 0, {spin}, {turning}]\n",
            velocity[0], velocity[1], velocity[2]
        ),
    ];
    parts.concat()
}

#[test]
fn a_disc_on_a_free_joint_rolls_without_abort() {
    let mut wrong = Wrong::default();
    for (tilt, spin, turning) in
        [(0.0, 5.0, 0.0), (0.2, 10.0, 0.0), (0.5, 6.0, 3.0), (0.2, 1.0, 4.0)]
    {
        for (method, accuracy) in [METHODS[0], METHODS[1], ("rk4", Accuracy::Fixed(1e-3))] {
            let text = rolling_disc(tilt, spin, turning);
            let setup = Setup::new(5.0, 0.01).by(method, accuracy);
            let found = shown(&format!("disc {tilt} {spin} {turning}"), &text, setup);
            let held = found.energy < 1e-6 && found.open.velocity < 1e-9;
            let row = format!("{method} {tilt}: {:e} {:?}", found.energy, found.open);
            wrong.unless(found.reached() && held, row);
        }
    }
    wrong.none();
}

/// A spatial four-bar: crank about z, rocker about x, a coupler between two balls, the first a
/// joint of a given type.
fn rssr(joint: &str) -> String {
    let parts = [
        model("rssr", [0.0, 0.0, -9.81]),
        "[ground]\npoints.D = [1, 0.6, 0]\n".to_owned(),
        bar("crank", "ground", &hinge("q1"), 0.3),
        bar("coupler", "crank.tip", &format!("name = \"s\", type = {joint}"), 1.2),
        bar("rocker", "ground.D", "name = \"q3\", type = \"revolute\", axis = \"x\"", 0.0).replace(
            "mass = 0\ncom = [0, 0, 0]\ninertia = { xx = 0, yy = 0, zz = 0 }\npoints.tip = [0, 0, 0]",
            "mass = 0.8\ncom = [0, 0, 0.4]\ninertia = { xx = 0.04, yy = 0.04 }\npoints.tip = [0, 0, 0.8]",
        ),
        cut("ball", "\"ball\"", ["coupler.tip", "rocker.tip"]),
        initial("qd", &[("q1", 8.0)]),
    ];
    parts.concat()
}

#[test]
fn a_spatial_four_bar_with_a_spherical_joint_keeps_its_energy() {
    let mut wrong = Wrong::default();
    for joint in ["\"spherical\"", "\"universal\", axes = [\"z\", \"y\"]"] {
        for (method, accuracy) in [METHODS[0], METHODS[1]] {
            let setup = Setup::new(10.0, 0.01).by(method, accuracy);
            let found = shown(joint, &rssr(joint), setup);
            let row = format!("{method} {joint}: {:e}", found.energy);
            wrong.unless(found.reached() && found.energy < 1e-5, row);
        }
    }
    wrong.none();
}

/// A four-bar whose crank is driven on until coupler and rocker are stretched.
const BEYOND_REACH: &str = r#"
[model]
name = "reach"
[ground]
points.D = [2, 0, 0]
[[body]]
name = "left"
parent = "ground"
joint = { name = "a", type = "revolute", axis = "z" }
mass = 1
inertia = { xx = 1, yy = 1, zz = 1 }
points.B = [1, 0, 0]
[[body]]
name = "coupler"
parent = "left.B"
joint = { name = "b", type = "revolute", axis = "z" }
mass = 1
inertia = { xx = 1, yy = 1, zz = 1 }
points.C = [1.2, 0, 0]
[[body]]
name = "right"
parent = "ground.D"
joint = { name = "c", type = "revolute", axis = "z" }
mass = 1
inertia = { xx = 1, yy = 1, zz = 1 }
points.C = [1, 0, 0]
[[cut]]
name = "pin"
type = "ball"
between = ["coupler.C", "right.C"]
[[motion]]
joint = "a"
q = "1.2 + 2*t"
[initial.q]
c = 2
"#;

#[test]
fn a_drive_beyond_the_reach_of_its_loop_is_named_with_the_cut() {
    // |B - D| = 1.2 + 1 at the end of the reach.
    let reach = (0.04_f64.acos() - 1.2) / 2.0;
    let tolerances = within(1e-8);
    for (name, accuracy) in [
        ("dop853", tolerances),
        ("radau", tolerances),
        ("bdf", tolerances),
        ("rk4", Accuracy::Fixed(1e-3)),
    ] {
        let mut plant = plant(BEYOND_REACH);
        let mut method = method(name, accuracy, plant.size()).expect("a method");
        let (outcome, _) =
            simulate::motion(&mut plant, method.as_mut(), 1.0, 0.01, Threshold::AUTOMATIC);
        assert!(matches!(outcome.end, End::Failed(_)), "{name}: {:?}", outcome.end);
        assert!(outcome.t <= reach && outcome.t > reach - 2e-3, "{name}: {} {reach}", outcome.t);
        let what = outcome.reason.expect("a reason").what;
        assert!(
            what.contains("driven joint `a`") && what.contains("loop closure `pin`"),
            "{name}: {what}"
        );
    }
}
