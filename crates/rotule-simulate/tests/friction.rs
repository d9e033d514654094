//! Dry friction: sticking and sliding against closed solutions, and laws that chatter.

use rotule_program::NoExternals;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{End, Outcome, Threshold};
use rotule_testing::simulate;
use rotule_testing::simulate::{Kept, motion, plant, within};

const ADAPTIVE: [&str; 4] = ["dop853", "dormand-prince", "radau", "bdf"];

fn run(text: &str, name: &str, accuracy: Accuracy, to: f64, every: f64) -> (Outcome, Kept) {
    let mut plant = plant(text);
    let mut method = method(name, accuracy, plant.size()).expect("a known method");
    motion(&mut plant, method.as_mut(), to, every, Threshold::AUTOMATIC)
}

fn block(effort: &str, speed: f64) -> String {
    format!(
        "[model]\nname = \"block\"\n[[body]]\nname = \"block\"\nparent = \"ground\"\n\
         joint = {{ name = \"x\", type = \"prismatic\", axis = \"x\", effort = \"{effort}\" }}\nmass = 2\n\
         [initial.qd]\nx = {speed}\n"
    )
}

/// A block of 1 kg on a belt of speed `v`, tied to the ground by a spring.
fn belt(k: f64, v: f64, slide: f64, stick: f64) -> String {
    format!(
        "[model]\nname = \"belt\"\n\
         [[body]]\nname = \"belt\"\nparent = \"ground\"\njoint = {{ name = \"b\", type = \"prismatic\", axis = \"x\" }}\nmass = 1\n\
         [[body]]\nname = \"block\"\nparent = \"belt\"\n\
         joint = {{ name = \"s\", type = \"prismatic\", axis = \"x\", effort = \"-stick_slip(qd, {slide}, {stick})\" }}\nmass = 1\n\
         [[force]]\nname = \"spring\"\nat = \"block\"\nforce = [\"-{k}*x\", 0, 0]\n\
         [[motion]]\njoint = \"b\"\nq = \"{v}*t\"\n"
    )
}

/// Position and speed of the block in the ground. It sticks until the spring pulls with `stick`,
/// slides as an oscillator about `slide/k` until it is as fast as the belt, and so on.
struct Oscillator {
    k: f64,
    v: f64,
    slide: f64,
    stick: f64,
}

impl Oscillator {
    /// The distance of the ends of sliding from its middle.
    fn half(&self) -> f64 {
        (self.stick - self.slide) / self.k
    }

    fn sliding(&self) -> f64 {
        let w = self.k.sqrt();
        (2.0 * std::f64::consts::PI - 2.0 * (self.half() * w / self.v).atan()) / w
    }

    fn sticking(&self) -> f64 {
        2.0 * self.half() / self.v
    }

    fn at(&self, t: f64) -> [f64; 2] {
        let first = self.stick / self.k / self.v;
        if t <= first {
            return [self.v * t, self.v];
        }
        let since = (t - first) % (self.sliding() + self.sticking());
        let (w, half, middle) = (self.k.sqrt(), self.half(), self.slide / self.k);
        if since < self.sliding() {
            let (sin, cos) = (w * since).sin_cos();
            return [middle + half * cos + self.v / w * sin, -half * w * sin + self.v * cos];
        }
        [middle - half + self.v * (since - self.sliding()), self.v]
    }
}

#[test]
fn a_block_on_a_belt_sticks_and_slips_as_in_closed_form() {
    for (k, v, slide, stick) in [(4.0, 0.3, 1.0, 2.0), (25.0, 0.1, 1.5, 1.8), (1.0, 1.0, 0.5, 3.0)]
    {
        let exact = Oscillator { k, v, slide, stick };
        let text = belt(k, v, slide, stick);
        let fixed = [("rk4", Accuracy::Fixed(1e-3), 1e-6)];
        // The error of bdf grows over some hundred steps of each cycle.
        let chosen =
            ADAPTIVE.map(|name| (name, within(1e-10), if name == "bdf" { 1e-5 } else { 1e-7 }));
        for (name, accuracy, bound) in chosen.into_iter().chain(fixed) {
            let (outcome, kept) = run(&text, name, accuracy, 30.0, 0.05);
            assert_eq!(outcome.end, End::Reached, "{name}");
            for (t, point) in kept.times.iter().zip(&kept.points) {
                let [x, speed] = exact.at(*t);
                let (found, found_speed) = (point.q[0] + point.q[1], point.qd[0] + point.qd[1]);
                assert!((found - x).abs() < bound, "{name} {k} at {t}: {found} {x}");
                // Near the end of sliding the speed has a corner.
                assert!(
                    (found_speed - speed).abs() < 1e3 * bound,
                    "{name} {k} at {t}: {found_speed} {speed}"
                );
            }
            let cycles = ((30.0 - stick / k / v) / (exact.sliding() + exact.sticking())).floor();
            let slides = outcome.events.iter().filter(|one| one.done.contains("slides")).count();
            assert!((slides as f64 - cycles).abs() <= 1.0, "{name}: {slides} of {cycles}");
        }
    }
}

/// Friction alone: the block stops after `v m/f` and stays exactly where it is.
#[test]
fn a_block_that_slides_comes_to_rest() {
    for name in ADAPTIVE {
        for speed in [3.0, -3.0] {
            let text = block("-stick_slip(qd, 4, 4)", speed);
            let (outcome, kept) = run(&text, name, within(1e-9), 10.0, 0.5);
            assert_eq!(outcome.end, End::Reached, "{name}");
            let stop = 3.0 * 2.0 / 4.0;
            for (t, point) in kept.times.iter().zip(&kept.points) {
                let gone = t.min(stop);
                let x = speed.signum() * (3.0 * gone - gone * gone);
                assert!((point.q[0] - x).abs() < 1e-6, "{name} at {t}: {} {x}", point.q[0]);
                if *t > stop + 1e-6 {
                    assert_eq!(point.qd[0], 0.0, "{name} at {t}");
                }
            }
            assert_eq!(outcome.events.len(), 1, "{name}: {:?}", outcome.events);
            assert!(outcome.work.steps < 200, "{name}: {} steps", outcome.work.steps);
        }
    }
}

/// A force that swings: the block rests until `5 sin(t) > 3`, and while it slides its momentum is
/// the integral of force and friction.
#[test]
fn a_force_that_swings_lets_a_block_go_and_stop() {
    for (slide, stick) in [(3.0, 3.0), (2.0, 3.0)] {
        for name in ADAPTIVE {
            let text = block(&format!("5*sin(t) - stick_slip(qd, {slide}, {stick})"), 0.0);
            let (outcome, kept) = run(&text, name, within(1e-10), 3.0, 0.01);
            assert_eq!(outcome.end, End::Reached, "{name} {:?}", outcome.events);
            let begins = (stick / 5.0_f64).asin();
            let momentum = |t: f64| 5.0 * (begins.cos() - t.cos()) - slide * (t - begins);
            assert!((outcome.events[0].t - begins).abs() < 1e-9, "{name} {:?}", outcome.events);
            for (t, point) in kept.times.iter().zip(&kept.points) {
                let moves = *t > begins && momentum(*t) > 0.0;
                let speed = if moves { momentum(*t) / 2.0 } else { 0.0 };
                assert!(
                    (point.qd[0] - speed).abs() < 1e-6,
                    "{name} at {t}: {} {speed}",
                    point.qd[0]
                );
            }
        }
    }
}

/// A pull beyond the limit at the moment of rest turns the motion round without any rest.
#[test]
fn a_strong_spring_turns_the_motion_round() {
    // x'' = -8 x -+ 1 from x = 0: half periods of pi/w about +-1/8.
    let text = block("-16*q - stick_slip(qd, 2, 2)", 4.0);
    for name in ADAPTIVE {
        let (outcome, kept) = run(&text, name, within(1e-10), 30.0, 0.1);
        assert_eq!(outcome.end, End::Reached, "{name} {:?}", outcome.events);
        let last = kept.points.last().expect("samples");
        assert_eq!(last.qd[0], 0.0, "{name}");
        // The extremes of such an oscillation shrink by 2 f/k each.
        let w = 8.0_f64.sqrt();
        let mut extreme = (16.0 / 8.0 + 1.0 / 64.0_f64).sqrt() - 0.125;
        let mut side = 1.0;
        while 16.0 * extreme > 2.0 {
            extreme -= 0.25;
            side = -side;
        }
        let expected = side * extreme;
        assert!((last.q[0] - expected).abs() < 1e-6, "{name} {w}: {} {expected}", last.q[0]);
    }
}

/// On a slope, friction holds up to `tan(angle) = stick/weight`.
#[test]
fn weight_is_held_up_to_the_limit() {
    for (stick, moves) in [(19.7, false), (19.5, true)] {
        let text = block(&format!("-stick_slip(qd, 10, {stick})"), 0.0)
            .replace("axis = \"x\"", "axis = \"z\"");
        let (outcome, kept) = run(&text, "dop853", within(1e-9), 1.0, 1.0);
        assert_eq!(outcome.end, End::Reached);
        let z = kept.points.last().expect("samples").q[0];
        let expected = if moves { -0.5 * (9.81 - 5.0) } else { 0.0 };
        assert!((z - expected).abs() < 1e-9, "{stick}: {z} {expected}");
    }
}

#[test]
fn friction_that_cannot_stick_is_refused() {
    let own = block("-stick_slip(qd - 1, 2, 3)", 0.0);
    let twice = block("-stick_slip(qd, 2, 3) - stick_slip(qd, 1, 4)", 0.0);
    let elsewhere = block("0", 0.0)
        + "[[force]]\nname = \"drag\"\nat = \"block\"\nforce = [\"-stick_slip(vx, 2, 3)\", 0, 0]\n";
    for (text, name) in [(own, "joint `x`"), (twice, "joint `x`"), (elsewhere, "force `drag`")] {
        let tree = simulate::tree(&text);
        let start = InputPoint::new(0.0, vec![0.0], vec![0.0], Vec::new());
        let Err(problem) = Plant::new(tree, start, Box::new(NoExternals)) else {
            panic!("{name} is not refused")
        };
        assert!(problem.message.contains(name), "{}", problem.message);
    }
}

/// The sign of the speed has no solution at rest: the run says so and names the remedy.
#[test]
fn a_law_that_chatters_ends_with_a_message() {
    for name in ADAPTIVE {
        let text = block("-10*sign(qd) + 5*sin(t)", 1.0);
        let (outcome, _) = run(&text, name, within(1e-8), 10.0, 0.1);
        let End::Failed(failure) = &outcome.end else { panic!("{name}: {:?}", outcome.end) };
        let told = failure.to_string();
        assert!(told.contains("`x.d`") && told.contains("stick_slip"), "{name}: {told}");
        assert!(outcome.work.steps < 3000, "{name}: {} steps", outcome.work.steps);
    }
}
