//! Nothing in time is stepped over: short forces, switches of laws and pairs of crossings inside
//! one step, against closed forms.
//!
//! A method that chooses its steps sees a law only where it evaluates it. What is shorter than a
//! step, such as a pulse on a body at rest, changes nothing there unless the run knows when laws
//! switch. Each test runs all methods that choose their steps, and lists those that are wrong.

use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::run::{End, Outcome, Threshold};
use rotule_testing::simulate::{Kept, motion, plant, within};
use std::f64::consts::{FRAC_PI_2, PI};

/// Methods that choose their steps.
const ADAPTIVE: [&str; 4] = ["dop853", "dormand-prince", "radau", "bdf"];

fn run(text: &str, name: &str, tolerance: f64, to: f64, every: f64) -> (Outcome, Kept) {
    let mut plant = plant(text);
    let mut method = method(name, within(tolerance), plant.size()).expect("a known method");
    motion(&mut plant, method.as_mut(), to, every, Threshold::AUTOMATIC)
}

/// A body of 1 kg on a straight line, `x` along it; `joint` are further keys of its joint, `rest`
/// further tables.
fn body(joint: &str, rest: &str) -> String {
    format!(
        "[model]\nname = \"line\"\n[[body]]\nname = \"body\"\nparent = \"ground\"\n\
         joint = {{ name = \"x\", type = \"prismatic\", axis = \"x\"{joint} }}\nmass = 1\n{rest}"
    )
}

/// Fails with all that is wrong, a line for each method and model.
fn judge(wrong: &[String]) {
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A force that depends on time alone.
struct Force {
    /// The law as the model file has it.
    law: &'static str,
    /// Further tables of the model: parameters.
    tables: &'static str,
    /// The times between which the law is smooth; none outside.
    breaks: Vec<f64>,
    /// The law in Rust.
    value: fn(f64) -> f64,
    to: f64,
    /// The error that is allowed, in parts of the largest value.
    exact: f64,
}

impl Force {
    fn new(to: f64, law: &'static str, breaks: &[f64], value: fn(f64) -> f64) -> Force {
        Force { law, tables: "", breaks: breaks.to_vec(), value, to, exact: 1e-6 }
    }

    /// Position and speed of 1 kg that was at rest, by Gauss's rule of three points on 200 parts of
    /// each smooth part.
    fn expected(&self, t: f64) -> [f64; 2] {
        let inner = self.breaks.iter().copied().filter(|one| *one > 0.0 && *one < t);
        let ends: Vec<f64> = [0.0].into_iter().chain(inner).chain([t]).collect();
        let (mut x, mut v) = (0.0, 0.0);
        for pair in ends.windows(2) {
            let part = (pair[1] - pair[0]) / 200.0;
            for at in 0..200 {
                let middle = pair[0] + (f64::from(at) + 0.5) * part;
                let off = 0.6_f64.sqrt() * 0.5 * part;
                for (weight, s) in [(5.0, middle - off), (8.0, middle), (5.0, middle + off)] {
                    let impulse = weight / 18.0 * part * (self.value)(s);
                    v += impulse;
                    x += impulse * (t - s);
                }
            }
        }
        [x, v]
    }
}

/// Compares runs of all methods with the closed form at all samples, which are a twentieth of the
/// run apart.
fn check(forces: &[Force], model: impl Fn(&Force) -> String) {
    let mut wrong = Vec::new();
    for force in forces {
        let times: Vec<f64> = (0..=20).map(|at| force.to * f64::from(at) / 20.0).collect();
        let expected: Vec<[f64; 2]> = times.iter().map(|t| force.expected(*t)).collect();
        let peak = expected.iter().flatten().fold(1.0, |peak: f64, one| peak.max(one.abs()));
        for name in ADAPTIVE {
            let (outcome, kept) = run(&model(force), name, 1e-9, force.to, force.to / 20.0);
            if outcome.end != End::Reached {
                let end = format!("{name}, `{}`: {:?} at {}", force.law, outcome.end, outcome.t);
                wrong.push(end);
                continue;
            }
            assert_eq!(kept.times.len(), times.len(), "{name}, `{}`", force.law);
            let mut found = kept.times.iter().zip(&kept.points).zip(times.iter().zip(&expected));
            let apart = found.find(|((t, point), (at, [x, v]))| {
                let error = (point.q[0] - x).abs().max((point.qd[0] - v).abs());
                (*t - *at).abs() > 1e-9 * force.to || error.is_nan() || error > force.exact * peak
            });
            if let Some(((t, point), (_, expected))) = apart {
                let found = [point.q[0], point.qd[0]];
                let what = format!("{found:?} instead of {expected:?}");
                wrong.push(format!("{name}, `{}`, t = {t}: {what}", force.law));
            }
        }
    }
    judge(&wrong);
}

fn as_effort(force: &Force) -> String {
    body(&format!(", effort = \"{}\"", force.law), force.tables)
}

fn on(t: f64, from: f64, to: f64, value: f64) -> f64 {
    if t > from && t < to { value } else { 0.0 }
}

fn tent(t: f64, at: f64, half: f64) -> f64 {
    (1.0 - (t - at).abs() / half).max(0.0)
}

#[test]
fn a_pulse_moves_a_body_that_is_at_rest() {
    check(
        &[
            Force::new(10.0, "if(t > 5, if(t < 6, 10, 0), 0)", &[5.0, 6.0], |t| {
                on(t, 5.0, 6.0, 10.0)
            }),
            Force::new(10.0, "if(t > 5, if(t < 5.001, 1e4, 0), 0)", &[5.0, 5.001], |t| {
                on(t, 5.0, 5.001, 1e4)
            }),
            // The other way round, and with coefficients.
            Force::new(10.0, "if(3*t - 15 < 0, 0, if(2 - t/3 > 0, 10, 0))", &[5.0, 6.0], |t| {
                on(t, 5.0, 6.0, 10.0)
            }),
            // A table: steps, then a spike of straight lines.
            Force::new(
                10.0,
                "if(t < 1, 0, if(t < 1.5, -2, if(t < 7.99, 0, if(t < 8, 1e5*(t - 7.99), \
                 if(t < 8.005, 2e5*(8.005 - t), 0)))))",
                &[1.0, 1.5, 7.99, 8.0, 8.005],
                |t| {
                    let rise = on(t, 7.99, 8.0, 1e5 * (t - 7.99));
                    on(t, 1.0, 1.5, -2.0) + rise + on(t, 8.0, 8.005, 2e5 * (8.005 - t))
                },
            ),
        ],
        as_effort,
    );
}

/// Two conditions that are 1e-9 apart. The last digit of their times is 9e-7 of that, so that a few
/// of these are allowed.
#[test]
fn a_pulse_may_be_as_short_as_times_are_known() {
    let law = "if(t > 5, if(t <= 5.000000001, 1e10, 0), 0)";
    let ends = [5.0, 5.000_000_001];
    let mut force = Force::new(10.0, law, &ends, |t| on(t, 5.0, 5.000_000_001, 1e10));
    force.exact = 4e-6;
    check(&[force], as_effort);
}

#[test]
fn parameters_say_when_a_pulse_is() {
    let pulse = "if(t > t0, if(t < t0 + w, f, 0), 0)";
    let mut force = Force::new(10.0, pulse, &[4.0, 4.01], |t| on(t, 4.0, 4.01, 300.0));
    force.tables = "[parameters]\nt0 = 4\nw = 0.01\nf = 300\n";
    check(&[force], as_effort);
}

#[test]
fn kinks_of_functions_are_time_conditions() {
    check(
        &[
            Force::new(10.0, "1e3*max(0, 1 - abs(t - 5)/0.01)", &[4.99, 5.0, 5.01], |t| {
                1e3 * tent(t, 5.0, 0.01)
            }),
            Force::new(10.0, "500*(sign(t - 5) - sign(t - 5.002))", &[5.0, 5.002], |t| {
                on(t, 5.0, 5.002, 1e3)
            }),
            Force::new(
                10.0,
                "1e5*(abs(t - 5) - 2*abs(t - 5.005) + abs(t - 5.01))",
                &[5.0, 5.005, 5.01],
                |t| 1e3 * tent(t, 5.005, 0.005),
            ),
            Force::new(
                10.0,
                "100*(min(1, max(0, (t - 5)/0.01)) - min(1, max(0, (t - 5.02)/0.01)))",
                &[5.0, 5.01, 5.02, 5.03],
                |t| {
                    100.0
                        * (((t - 5.0) / 0.01).clamp(0.0, 1.0) - ((t - 5.02) / 0.01).clamp(0.0, 1.0))
                },
            ),
            // A stop of the library that time meets.
            Force::new(10.0, "bump_stop(t, 1, 9.9, 1e3, 0, 0.01)", &[9.9], |t| {
                1e3 * (t - 9.9).max(0.0)
            }),
        ],
        as_effort,
    );
}

#[test]
fn conditions_at_the_start_the_end_and_a_sample() {
    check(
        &[
            Force::new(10.0, "if(t > 0, 3, 1e6)", &[], |_| 3.0),
            Force::new(10.0, "if(t <= 0, 1e6, 0)", &[], |_| 0.0),
            Force::new(10.0, "if(t < 0.001, 1e4, 0)", &[0.001], |t| on(t, -1.0, 0.001, 1e4)),
            Force::new(10.0, "if(t >= 10, 1e6, 1)", &[], |_| 1.0),
            Force::new(10.0, "if(t > 9.999, 1e4, 0)", &[9.999], |t| on(t, 9.999, 11.0, 1e4)),
            // Samples are at multiples of 0.5.
            Force::new(10.0, "if(t >= 4.5, if(t < 4.5001, 1e5, 0), 0)", &[4.5, 4.5001], |t| {
                on(t, 4.5, 4.5001, 1e5)
            }),
            Force::new(10.0, "if(t > 4.4999, if(t <= 4.5, 1e5, 0), 0)", &[4.4999, 4.5], |t| {
                on(t, 4.4999, 4.5, 1e5)
            }),
        ],
        as_effort,
    );
}

/// Times at which the phase is at an angle or its mirror image about the top, in order.
fn around_the_top(to: f64, angle: f64, time: impl Fn(f64) -> f64) -> Vec<f64> {
    let phases = (0..10_000)
        .map(f64::from)
        .flat_map(|turn| [angle, PI - angle].map(|phase| phase + 2.0 * PI * turn));
    phases.map(time).take_while(|t| *t < to).collect()
}

#[test]
fn conditions_that_are_not_linear_in_time() {
    let chirp = around_the_top(4.0, PI / 6.0, |phase| (phase / 7.0).sqrt());
    let teeth = around_the_top(2.0, 0.99_f64.asin(), |phase| phase / 200.0);
    check(
        &[
            Force::new(4.0, "if(sin(7*t^2) > 0.5, 3, 0)", &chirp, |t| {
                if (7.0 * t * t).sin() > 0.5 { 3.0 } else { 0.0 }
            }),
            Force::new(2.0, "1e3*max(0, sin(200*t) - 0.99)", &teeth, |t| {
                1e3 * ((200.0 * t).sin() - 0.99).max(0.0)
            }),
            Force::new(10.0, "if((t - 5)*(6 - t) > 0, 10, 0)", &[5.0, 6.0], |t| {
                on(t, 5.0, 6.0, 10.0)
            }),
            Force::new(
                10.0,
                "if(exp(t/5) > 3, if(exp(t/5) < 3.1, 50, 0), 0)",
                &[5.0 * 3.0_f64.ln(), 5.0 * 3.1_f64.ln()],
                |t| on((t / 5.0).exp(), 3.0, 3.1, 50.0),
            ),
        ],
        as_effort,
    );
}

#[test]
fn laws_of_time_count_wherever_they_stand() {
    let law = "if(t > 5, if(t < 5.001, 1e4, 0), 0)";
    let pulse = [Force::new(10.0, law, &[5.0, 5.001], |t| on(t, 5.0, 5.001, 1e4))];
    check(&pulse, |force| {
        let law = force.law;
        body("", &format!("[[force]]\nname = \"f\"\nat = \"body\"\nforce = [\"{law}\", 0, 0]\n"))
    });
    // A link pushes with a negative force; its other end is far behind.
    check(&pulse, |force| {
        let law = force.law;
        let ground = "[ground]\npoints.far = [-3, 0, 0]\n";
        body(
            "",
            &format!(
                "[[line_force]]\nname = \"l\"\nbetween = [\"ground.far\", \"body\"]\nforce = \"-{law}\"\n{ground}"
            ),
        )
    });
    // The memory of a drive: what the state has gained acts on the body through a law without a
    // switch.
    let law = "if(t > 5, if(t < 5.001, 1e4, 0), 0)";
    let gained = [Force::new(10.0, law, &[5.0, 5.001], |t| 1e4 * (t - 5.0).clamp(0.0, 0.001))];
    check(&gained, |force| {
        let state = format!("[[state]]\nname = \"s\"\nrate = \"{}\"\n", force.law);
        body(", effort = \"s\"", &state)
    });
}

/// A driven carrier that jerks for a short time shakes what hangs on it by a spring.
#[test]
fn a_short_motion_of_a_driven_joint_is_felt() {
    let ramp = |at: f64, factor: f64| format!("{factor:?}*max(0, t - {at:?})^2");
    let motion = [ramp(5.0, 5e4), ramp(5.001, -1e5), ramp(5.002, 5e4)].join(" + ");
    let text = format!(
        "[model]\nname = \"carrier\"\n\
         [[body]]\nname = \"carrier\"\nparent = \"ground\"\njoint = {{ name = \"u\", type = \"prismatic\", axis = \"x\" }}\nmass = 1\n\
         [[body]]\nname = \"body\"\nparent = \"carrier\"\njoint = {{ name = \"x\", type = \"prismatic\", axis = \"x\", effort = \"-q\" }}\nmass = 1\n\
         [[motion]]\njoint = \"u\"\nq = \"{motion}\"\n"
    );
    // The carrier moves by 0.1 m within 2 ms; x'' = -x - u'', u'' = 1e5 for a millisecond and then
    // -1e5.
    let kick = |t: f64, from: f64| if t > from { 1.0 - (t - from).cos() } else { 0.0 };
    let expected = |t: f64| -1e5 * (kick(t, 5.0) - 2.0 * kick(t, 5.001) + kick(t, 5.002));
    let mut wrong = Vec::new();
    for name in ADAPTIVE {
        let (outcome, kept) = run(&text, name, 1e-9, 10.0, 0.5);
        if outcome.end != End::Reached {
            wrong.push(format!("{name}: {:?} at {}", outcome.end, outcome.t));
        }
        for (t, point) in kept.times.iter().zip(&kept.points) {
            let error = (point.q[1] - expected(*t)).abs();
            if error.is_nan() || error > 1e-6 {
                wrong.push(format!("{name}, t = {t}: {} instead of {}", point.q[1], expected(*t)));
                break;
            }
        }
    }
    judge(&wrong);
}

/// Compares the times of records of all methods with those of a closed form.
fn check_times(text: &str, tolerance: f64, to: f64, expected: &[(&str, f64)], exact: f64) {
    let mut wrong = Vec::new();
    for name in ADAPTIVE {
        let (outcome, _) = run(text, name, tolerance, to, to);
        if !matches!(outcome.end, End::Reached) {
            wrong.push(format!("{name}: {:?} at {}", outcome.end, outcome.t));
        }
        let found: Vec<(&str, f64)> =
            outcome.events.iter().map(|one| (one.name.as_str(), one.t)).collect();
        let mut pairs = found.iter().zip(expected);
        let apart = pairs.find(|(found, expected)| {
            found.0 != expected.0 || (found.1 - expected.1).abs() > exact
        });
        if let Some((found, expected)) = apart {
            wrong.push(format!("{name}: {found:?} instead of {expected:?}"));
        }
        if found.len() != expected.len() {
            wrong.push(format!("{name}: {} events instead of {}", found.len(), expected.len()));
        }
    }
    judge(&wrong);
}

fn watch(name: &str, when: &str, direction: &str) -> String {
    format!(
        "\n[[event]]\nname = \"{name}\"\nwhen = \"{when}\"\ndirection = \"{direction}\"\nmessage = \"seen\"\n"
    )
}

/// An oscillation `x = sin(t)`, with another law added to the spring, and events.
fn oscillation(law: &str, events: &str) -> String {
    let start = "[initial.qd]\nx = 1\n";
    body(&format!(", effort = \"-q{law}\""), &format!("{events}{start}"))
}

/// Two crossings within one step, at the top of an oscillation.
#[test]
fn both_crossings_near_the_top_of_an_oscillation_are_found() {
    for height in [0.9999_f64, 0.999_999] {
        let angle = height.asin();
        let rise = (0..3).map(|turn| ("top", angle + 2.0 * PI * f64::from(turn)));
        let both: Vec<(&str, f64)> =
            rise.flat_map(|(name, t)| [(name, t), (name, t + PI - 2.0 * angle)]).collect();
        // The speed at a crossing is sqrt(1 - height^2). Where nothing is watched, `bdf` errs by
        // 120 tolerances in x here, and the others by less; a thousand are allowed.
        let exact = 1e-7 / (1.0 - height * height).sqrt();
        for (direction, which) in [("both", 0..2), ("rising", 0..1), ("falling", 1..2)] {
            let text = oscillation("", &watch("top", &format!("x - {height}"), direction));
            let expected: Vec<(&str, f64)> =
                both.chunks(2).flat_map(|pair| pair[which.clone()].to_vec()).collect();
            check_times(&text, 1e-10, 18.0, &expected, exact);
        }
    }
}

/// At the other end, and for a speed and a state.
#[test]
fn short_visits_beyond_a_limit_are_found() {
    let angle = 0.9999_f64.asin();
    let width = PI - 2.0 * angle;
    let low = PI + angle;
    let text = oscillation("", &watch("bottom", "x + 0.9999", "both"));
    let expected = [("bottom", low), ("bottom", low + width)];
    check_times(&text, 1e-10, 7.0, &expected, 1e-6);
    // The speed is cos(t).
    let text = oscillation("", &watch("fast", "x.d - 0.9999", "both"));
    let fast = FRAC_PI_2 - angle;
    let around = [2.0 * PI - fast, 2.0 * PI + fast].map(|t| ("fast", t));
    check_times(&text, 1e-10, 7.0, &[&[("fast", fast)][..], &around].concat(), 1e-6);
}

/// Events whose conditions are of time alone: `sin(1000*t)` passes zero 318 times in a second.
#[test]
fn conditions_of_time_are_events_at_all_their_zeros() {
    let zeros: Vec<(&str, f64)> =
        (1..=318).map(|at| ("wave", f64::from(at) * PI / 1000.0)).collect();
    let text = body("", &watch("wave", "sin(1000*t)", "both"));
    check_times(&text, 1e-6, 1.0, &zeros, 1e-12);
    let rising: Vec<(&str, f64)> = zeros.iter().copied().skip(1).step_by(2).collect();
    let text = body("", &watch("wave", "sin(1000*t)", "rising"));
    check_times(&text, 1e-6, 1.0, &rising, 1e-12);
    let text = body("", &watch("near", "0.001 - abs(t - 5)", "both"));
    check_times(&text, 1e-6, 10.0, &[("near", 4.999), ("near", 5.001)], 1e-14);
    let text = body("", &watch("on", "if(t > 5, if(t < 5.001, 1, -1), -1)", "both"));
    check_times(&text, 1e-6, 10.0, &[("on", 5.0), ("on", 5.001)], 1e-14);
    // 1e-9 apart, and at once.
    let pair = watch("a", "t - 5", "both") + &watch("b", "t - 5.000000001", "both");
    let text = body("", &(pair + &watch("c", "2*t - 10", "both")));
    check_times(&text, 1e-6, 10.0, &[("a", 5.0), ("c", 5.0), ("b", 5.000_000_001)], 1e-14);
}

/// A pulse makes the speed pass a limit, and another one makes it pass back.
#[test]
fn what_a_pulse_does_is_an_event() {
    let pulse = |at: f64, f: f64| format!("if(t > {at:?}, if(t < {:?}, {f:?}, 0), 0)", at + 0.001);
    let law = format!(", effort = \"{} + {}\"", pulse(5.0, 1e4), pulse(5.01, -1e4));
    let text = body(&law, &watch("fast", "x.d - 5", "both"));
    check_times(&text, 1e-9, 10.0, &[("fast", 5.0005), ("fast", 5.0105)], 1e-8);
}

/// `x = sin(t)` below a limit; beyond it, a linear oscillation of another frequency about another
/// place. The closed form of position and speed: the motion is periodic, and beyond the limit it is
/// symmetric in time.
fn limited(limit: f64, centre: f64, frequency: f64, t: f64) -> [f64; 2] {
    let enters = limit.asin();
    let (across, speed) = (limit - centre, enters.cos());
    let lasts = 2.0 / frequency * speed.atan2(frequency * across);
    let t = t % (PI + 2.0 * enters + lasts);
    let beyond = t - enters;
    if beyond < 0.0 {
        [t.sin(), t.cos()]
    } else if beyond < lasts {
        let (s, c) = (frequency * beyond).sin_cos();
        [centre + across * c + speed / frequency * s, speed * c - frequency * across * s]
    } else {
        let phase = beyond - lasts + PI - enters;
        [phase.sin(), phase.cos()]
    }
}

fn check_limited(law: &str, limit: f64, centre: f64, frequency: f64) {
    let text = oscillation(law, "");
    // An error in x, a thousand tolerances as above, is so much larger in the time at which the
    // limit is passed; three times it is.
    let exact = 3.0 * 1e-7 / (1.0 - limit * limit).sqrt();
    let mut wrong = Vec::new();
    for name in ADAPTIVE {
        let (outcome, kept) = run(&text, name, 1e-10, 18.0, 0.3);
        if outcome.end != End::Reached {
            wrong.push(format!("{name}: {:?} at {}", outcome.end, outcome.t));
        }
        for (t, point) in kept.times.iter().zip(&kept.points) {
            let found = [point.q[0], point.qd[0]];
            let expected = limited(limit, centre, frequency, *t);
            let error = (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs());
            if error.is_nan() || error > exact {
                wrong.push(format!("{name}, t = {t}: {found:?} instead of {expected:?}"));
                break;
            }
        }
    }
    judge(&wrong);
}

/// A bump stop that is touched for 3 ms at the top of each oscillation.
#[test]
fn a_stop_that_is_touched_briefly_pushes_back() {
    let (limit, k) = (0.9999, 1e6);
    check_limited(
        &format!(" - bump_stop(q, qd, {limit}, {k:e}, 0, 0.01)"),
        limit,
        k * limit / (1.0 + k),
        (1.0 + k).sqrt(),
    );
}

/// A switch on a coordinate that holds for a hundredth of the oscillation.
#[test]
fn a_law_that_switches_at_a_coordinate_acts_there() {
    check_limited(" - if(q > 0.9999, 50, 0)", 0.9999, -50.0, 1.0);
    // A narrow band across a straight way: it takes 0.1 J of 0.5.
    let law = ", effort = \"if(q > 5, if(q < 5.001, -100, 0), 0)\"";
    let text = body(law, "[initial.qd]\nx = 1\n");
    let slow = (1.0_f64 - 200.0 * (5.001 - 5.0)).sqrt();
    let leaves = 5.0 + (1.0 - slow) / 100.0;
    let mut wrong = Vec::new();
    for name in ADAPTIVE {
        let (outcome, kept) = run(&text, name, 1e-10, 10.0, 10.0);
        let end = kept.points.last().expect("samples");
        let expected = 5.001 + slow * (10.0 - leaves);
        let error = (end.q[0] - expected).abs().max((end.qd[0] - slow).abs());
        if outcome.end != End::Reached || error.is_nan() || error > 1e-6 {
            let (found, expected) = ([end.q[0], end.qd[0]], [expected, slow]);
            let end = (outcome.end, outcome.t);
            wrong.push(format!("{name}: {found:?} instead of {expected:?}, {end:?}"));
        }
    }
    judge(&wrong);
}

/// A body of 1 kg under a law of its coordinate and its speed that is continuous and has kinks, by
/// 200 000 steps of Runge and Kutta: at a kink they err in proportion to the square of their
/// length, 1e-10 here.
fn bent(law: fn(f64, f64) -> f64, [mut x, mut v]: [f64; 2], to: f64) -> [f64; 2] {
    let h = to / 200_000.0;
    for _ in 0..200_000 {
        let a = [v, law(x, v)];
        let b = [v + 0.5 * h * a[1], law(x + 0.5 * h * a[0], v + 0.5 * h * a[1])];
        let c = [v + 0.5 * h * b[1], law(x + 0.5 * h * b[0], v + 0.5 * h * b[1])];
        let d = [v + h * c[1], law(x + h * c[0], v + h * c[1])];
        x += h / 6.0 * (a[0] + 2.0 * b[0] + 2.0 * c[0] + d[0]);
        v += h / 6.0 * (a[1] + 2.0 * b[1] + 2.0 * c[1] + d[1]);
    }
    [x, v]
}

fn bump_stop(x: f64, xd: f64, [stop, k, c, d]: [f64; 4]) -> f64 {
    let depth = (x - stop).max(0.0);
    (k * depth + c * xd * (depth / d).min(1.0)).max(0.0)
}

/// Laws whose kinks are at speeds and coordinates, passed in both directions and begun on either
/// side.
#[test]
fn kinks_at_speeds_and_coordinates_are_passed() {
    type Row = (&'static str, fn(f64, f64) -> f64, [f64; 2]);
    let rows: [Row; 7] = [
        ("-9 - abs(qd)*qd", |_, v| -9.0 - v.abs() * v, [0.0, 1.8]),
        ("-20*q - 0.7*abs(qd)*qd", |x, v| -20.0 * x - 0.7 * v.abs() * v, [0.5, 1.8]),
        ("-5*q - 2*max(0, qd - 0.3)", |x, v| -5.0 * x - 2.0 * (v - 0.3).max(0.0), [0.2, 1.0]),
        (
            "-5*q - linear_tyre(qd, 4, 0.6)",
            |x, v| -5.0 * x - (4.0 * v).clamp(-0.6, 0.6),
            [0.2, 1.0],
        ),
        ("-3*q - 40*max(0, q - 0.1)", |x, _| -3.0 * x - 40.0 * (x - 0.1).max(0.0), [0.3, 0.5]),
        // Begun within a stop, and outside.
        (
            "-18*q + bump_stop(-q, -qd, 0.2, 9000, 12, 0.01)",
            |x, v| -18.0 * x + bump_stop(-x, -v, [0.2, 9000.0, 12.0, 0.01]),
            [-0.5, -1.5],
        ),
        (
            "-18*q + bump_stop(-q, -qd, 0.2, 9000, 12, 0.01)",
            |x, v| -18.0 * x + bump_stop(-x, -v, [0.2, 9000.0, 12.0, 0.01]),
            [0.0, -1.5],
        ),
    ];
    let mut wrong = Vec::new();
    for (law, value, start) in rows {
        let initial = format!("[initial.q]\nx = {}\n[initial.qd]\nx = {}\n", start[0], start[1]);
        let text = body(&format!(", effort = \"{law}\""), &initial);
        for to in [0.15, 2.0] {
            let expected = bent(value, start, to);
            let size = expected.iter().fold(1.0, |size: f64, one| size.max(one.abs()));
            for name in ADAPTIVE {
                let (outcome, kept) = run(&text, name, 1e-9, to, to);
                let end = kept.points.last().expect("samples");
                let found = [end.q[0], end.qd[0]];
                let error = (found[0] - expected[0]).abs().max((found[1] - expected[1]).abs());
                if outcome.end != End::Reached || error.is_nan() || error > 1e-5 * size {
                    wrong.push(format!(
                        "{name}, `{law}` to {to}: {found:?} instead of {expected:?}"
                    ));
                }
            }
        }
    }
    judge(&wrong);
}

/// Times at which a pendulum of 1 m that is let go hits a stop on its other side, and the speeds
/// with which it does: between hits energy is conserved, so that each comes with the speed the last
/// one left.
fn hits(start: f64, stop: f64, restitution: f64, count: usize) -> Vec<f64> {
    let rates = |[q, v]: [f64; 2]| [v, -9.81 * q.sin()];
    let step = |y: [f64; 2], h: f64| {
        let ahead = |k: [f64; 2], h: f64| [y[0] + h * k[0], y[1] + h * k[1]];
        let a = rates(y);
        let b = rates(ahead(a, 0.5 * h));
        let c = rates(ahead(b, 0.5 * h));
        let d = rates(ahead(c, h));
        [0, 1].map(|at| y[at] + h / 6.0 * (a[at] + 2.0 * b[at] + 2.0 * c[at] + d[at]))
    };
    let (mut t, mut y, mut times) = (0.0, [start, 0.0], Vec::new());
    while times.len() < count {
        let next = step(y, 2e-4);
        if next[0] > stop || next[1] > 0.0 {
            (t, y) = (t + 2e-4, next);
            continue;
        }
        // Newton's iteration for the length of the last step.
        let mut h = 1e-4;
        for _ in 0..50 {
            let [q, v] = step(y, h);
            h -= (q - stop) / v;
        }
        let [_, v] = step(y, h);
        t += h;
        times.push(t);
        y = [stop, -restitution * v];
    }
    times
}

/// A pendulum whose swings beyond its stop become shorter and shorter meets it all the same, and
/// never passes it.
#[test]
fn a_pendulum_does_not_pass_through_its_stop() {
    let text = "[model]\nname = \"pendulum\"\n\
        [[body]]\nname = \"arm\"\nparent = \"ground\"\n\
        joint = { name = \"q\", type = \"revolute\", axis = \"y\", range = [-0.48, 2], stop = { restitution = 0.5 } }\n\
        mass = 1\ncom = [0, 0, -1]\n[initial.q]\nq = 0.5\n";
    let expected = hits(0.5, -0.48, 0.5, 6);
    assert!(expected[5] < 12.0, "{expected:?}");
    let expected: Vec<(&str, f64)> = expected.into_iter().map(|t| ("q.lower", t)).collect();
    let to = expected[5].1 + 0.5;
    let mut wrong = Vec::new();
    for name in ADAPTIVE {
        for tolerance in [1e-6, 1e-10] {
            let (outcome, kept) = run(text, name, tolerance, to, 0.01);
            let deepest = kept.points.iter().fold(0.0, |least: f64, one| least.min(one.q[0]));
            let hits = outcome.events.len();
            if deepest < -0.48 - 1e-9 || hits < 3 {
                wrong.push(format!("{name} {tolerance:e}: {hits} hits, down to {deepest}"));
            }
        }
    }
    judge(&wrong);
    // The sixth hit has a 32nd of the first one's speed, 0.44 rad/s.
    check_times(text, 1e-10, to, &expected, 1e-6);
}

/// A condition that has no value before some time happens where it passes zero, and not where its
/// values begin.
#[test]
fn conditions_without_a_value_are_on_no_side() {
    let event = "[[event]]\nname = \"late\"\nwhen = \"log(t - 2) - 0.5\"\nmessage = \"late\"\n";
    for name in ADAPTIVE {
        let (outcome, _) = run(&body("", event), name, 1e-9, 10.0, 1.0);
        assert_eq!(outcome.end, End::Reached, "{name}");
        let times: Vec<f64> = outcome.events.iter().map(|one| one.t).collect();
        assert_eq!(times.len(), 1, "{name}: {times:?}");
        assert!((times[0] - 2.0 - 0.5_f64.exp()).abs() < 1e-12, "{name}: {times:?}");
    }
}

/// Periodic laws by `floor`, and tables, have all their corners.
#[test]
fn floors_and_tables_of_time_are_time_conditions() {
    // A push of 1 N for 3 ms of each 100 ms, and a spike of 1 Ns.
    let laws = [
        ("if(mod(t, 0.1) < 0.003, 1, 0)", 0.003 * 20.0),
        ("floor(10*t) - floor(10*t - 0.03)", 0.003 * 20.0),
        ("table(t, 1, 0, 1.001, 1000, 1.002, 0)", 1.0),
    ];
    for (law, expected) in laws {
        for name in ADAPTIVE {
            let text = body(&format!(", effort = \"{law}\""), "");
            let (outcome, kept) = run(&text, name, 1e-9, 2.0, 2.0);
            assert_eq!(outcome.end, End::Reached, "{name} {law}");
            let speed = kept.points.last().expect("samples").qd[0];
            assert!((speed - expected).abs() < 1e-7, "{name} {law}: {speed} {expected}");
        }
    }
}

/// Bands of 1 mm behind each metre, each of which takes 0.1 J of 0.5, written with `floor`.
#[test]
fn whole_numbers_of_a_coordinate_switch_where_they_are() {
    let law = ", effort = \"-100*(floor(q) - floor(q - 0.001))\"";
    let text = body(law, "[initial.q]\nx = 0.5\n[initial.qd]\nx = 1\n");
    let speeds = [1.0, 0.8_f64.sqrt(), 0.6_f64.sqrt()];
    let band = |from: f64, to: f64| (from - to) / 100.0;
    let second = 0.5 + band(speeds[0], speeds[1]) + 0.999 / speeds[1] + band(speeds[1], speeds[2]);
    let mut wrong = Vec::new();
    for name in ADAPTIVE {
        let (outcome, kept) = run(&text, name, 1e-10, 2.0, 2.0);
        let end = kept.points.last().expect("samples");
        let expected = [2.001 + speeds[2] * (2.0 - second), speeds[2]];
        let error = (end.q[0] - expected[0]).abs().max((end.qd[0] - expected[1]).abs());
        if outcome.end != End::Reached || error.is_nan() || error > 1e-5 {
            wrong.push(format!("{name}: {:?} {:?} instead of {expected:?}", end.q, end.qd));
        }
    }
    judge(&wrong);
}
