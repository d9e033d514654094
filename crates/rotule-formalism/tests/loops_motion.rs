//! Loops in motion: one linkage opened in three ways (AT-07, K-17), long runs without drift
//! (AT-23), iterations along a run (AT-24), and mechanisms with more than a hundred constraints and
//! degrees of freedom (AT-28).

use rotule_formalism::Formalism::{Barycentric, NewtonEuler, Outward};
use rotule_testing::formalism;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::loops::{Found, Ready, dense, eliminated, rk4, size};
use rotule_testing::formalism::numbers::agree;
use rotule_testing::formalism::random::Random;

/// An example in which a joint is requested to be independent.
fn turning(name: &str, joint: &str) -> Case {
    let text = formalism::example(&format!("{name}.toml"));
    let found = format!("name = \"{joint}\", type");
    let own = text.lines().find(|line| line.contains(&found));
    let own = own.unwrap_or_else(|| panic!("{name} has no `{joint}`"));
    if own.contains("partition = \"independent\"") {
        return Case::of(name, &text);
    }
    Case::of(name, &text.replace(&found, &format!("partition = \"independent\", {found}")))
}

/// The initial state of a model, with efforts of zero.
fn start(case: &Case) -> State {
    let mechanism = case.mechanism();
    let q: Vec<_> = mechanism.coordinates.iter().map(|one| one.initial).collect();
    let qd: Vec<_> = mechanism.speeds.iter().map(|one| one.initial).collect();
    let n = case.speeds();
    State {
        time: 0.0,
        q: mechanism.evaluate(&q),
        qd: mechanism.evaluate(&qd),
        qdd: vec![0.0; n],
        effort: vec![0.0; n],
    }
}

fn place(case: &Case, name: &str) -> Option<usize> {
    case.mechanism().coordinates.iter().position(|one| one.name == name)
}

/// The angles of the four-bar for an angle of the crank, by the law of cosines: `q2`, `q3` and
/// `q4`.
fn four_bar(q1: f64) -> [f64; 3] {
    let (a, b, c, d) = (0.12_f64, 0.30_f64, 0.25_f64, 0.32_f64);
    let (x, y) = (d - a * q1.cos(), -a * q1.sin());
    let apart = x.hypot(y);
    let inner = ((b * b + apart * apart - c * c) / (2.0 * b * apart)).acos();
    let coupler = y.atan2(x) + inner;
    let (cx, cy) = (a * q1.cos() + b * coupler.cos(), a * q1.sin() + b * coupler.sin());
    let rocker = cy.atan2(cx - d);
    [coupler - q1, rocker, coupler - rocker]
}

const FOUR_BARS: [&str; 3] = ["four_bar_body", "four_bar_joint", "four_bar_rod"];

#[test]
fn at_07_k_17_a_four_bar_opened_in_three_ways_accelerates_alike() {
    let free = FOUR_BARS.map(|name| Case::example(&format!("{name}.toml")));
    let bound = FOUR_BARS.map(|name| turning(name, "q1"));
    let random = &mut Random::new(7);
    let states: Vec<([f64; 4], [f64; 4], [f64; 2])> = (0..40)
        .map(|number| {
            // All round, both ways and at rest.
            let q1 = std::f64::consts::TAU * f64::from(number) / 40.0;
            let [q2, q3, q4] = four_bar(q1);
            let rate = random.between(-9.0, 9.0);
            let moved = |by: f64| four_bar(q1 + by);
            let h = 1e-3;
            // Speeds of the others, as accurate as closing them again needs.
            let speed = |at: usize| {
                let one = (moved(h)[at] - moved(-h)[at]) * 2.0 / 3.0;
                (one - (moved(2.0 * h)[at] - moved(-2.0 * h)[at]) / 12.0) / h * rate
            };
            let qd = [rate, speed(0), speed(1), speed(2)];
            ([q1, q2, q3, q4], qd, [random.between(-2.0, 2.0), random.between(-2.0, 2.0)])
        })
        .collect();
    let mut expected: Vec<Vec<f64>> = Vec::new();
    for (number, case) in bound.iter().chain(&free).enumerate() {
        for formalism in [NewtonEuler, Barycentric] {
            let forward = Ready::of(case, "forward", formalism);
            let mut found = Vec::new();
            let mut kept = Vec::new();
            for (at, (q, qd, effort)) in states.iter().enumerate() {
                let pick = |list: &[f64; 4]| -> Vec<f64> {
                    let known = ["q1", "q2", "q3", "q4"].iter().zip(list);
                    known.filter(|(name, _)| place(case, name).is_some()).map(|(_, x)| *x).collect()
                };
                let mut efforts = vec![0.0; case.speeds()];
                efforts[0] = effort[0];
                efforts[place(case, "q3").expect("the rocker")] = effort[1];
                let state = State {
                    time: 0.0,
                    q: pick(q),
                    qd: pick(qd),
                    qdd: vec![0.0; case.speeds()],
                    effort: efforts,
                };
                let one = forward.at(&state);
                // With another coordinate than the crank there are dead points.
                if number >= 3 {
                    let map = Ready::of(case, "reduction", Outward).at(&state);
                    if !one.converged || size(&map.values) > 20.0 {
                        continue;
                    }
                }
                assert!(one.converged, "{} at {at}", case.label);
                let shared = |name: &str| one.values[place(case, name).expect("shared")];
                found.push(vec![shared("q1"), shared("q3")]);
                kept.push(at);
            }
            if expected.is_empty() {
                expected = found.clone();
            }
            assert!(kept.len() >= if number < 3 { 40 } else { 20 }, "{}", kept.len());
            for (at, found) in kept.iter().zip(&found) {
                // Speeds by differences are good to this in models whose crank is not what they
                // begin with.
                let tolerance = if number < 3 { 1e-11 } else { 1e-8 };
                agree(&format!("{} at {at}", case.label), found, &expected[*at], tolerance);
            }
        }
    }
}

/// Coordinates and speeds after a run of Runge and Kutta's method, all of them integrated and
/// dependent ones closed at each evaluation; `each` sees every evaluation.
fn run(
    case: &Case,
    mut state: State,
    step: f64,
    steps: usize,
    each: &mut dyn FnMut(usize, &State, &Found),
) -> State {
    let forward = Ready::of(case, "forward", Barycentric);
    let closure = Ready::of(case, "closure", Outward);
    let n = state.q.len();
    let mut y = [state.q.clone(), state.qd.clone()].concat();
    forward.with(|run| {
        for number in 0..steps {
            y = rk4(number as f64 * step, &y, step, &mut |_, y| {
                state.q.copy_from_slice(&y[..n]);
                state.qd.copy_from_slice(&y[n..]);
                let found = run(&state);
                each(number, &state, &found);
                [&y[n..], &found.values].concat()
            });
        }
    });
    state.q.copy_from_slice(&y[..n]);
    state.qd.copy_from_slice(&y[n..]);
    let closed = closure.at(&state);
    assert!(closed.converged);
    State { q: closed.list("q").to_vec(), qd: closed.list("qd").to_vec(), ..state }
}

#[test]
fn at_07_k_17_a_four_bar_opened_in_three_ways_moves_alike() {
    let ends = FOUR_BARS.map(|name| {
        let case = turning(name, "q1");
        let end = run(&case, start(&case), 5e-4, 4000, &mut |_, _, found| {
            assert!(found.converged, "{name}");
        });
        let rocker = place(&case, "q3").expect("the rocker");
        [end.q[0], end.qd[0], end.q[rocker], end.qd[rocker]]
    });
    // Two seconds and several turns.
    assert!((ends[0][0] - std::f64::consts::FRAC_PI_3).abs() > 6.0, "{:?}", ends[0]);
    for end in &ends[1..] {
        agree("end of the run", end, &ends[0], 1e-9);
    }
}

/// The largest residual of all rows in a state.
fn open(rows: &Ready, state: &State) -> f64 {
    let found = rows.at(state);
    found.list("h").iter().fold(0.0_f64, |most, h| most.max(h.abs()))
}

/// Kinetic and potential energy.
fn energy(case: &mut Case, state: &State) -> f64 {
    let mut sum = 0.0;
    for function in ["kinetic_energy", "potential_energy"] {
        sum += case.by(function, Outward, state).values[0];
    }
    sum
}

#[test]
fn at_23_loops_stay_closed_and_augmented_equations_drift() {
    for name in ["four_bar_joint", "four_bar_body", "four_bar_rod"] {
        let case = &mut turning(name, "q1");
        let first = start(case);
        let rows = Ready::of(case, "constraints", Outward);
        let closure = Ready::of(case, "closure", Outward);
        let n = case.speeds();
        // Twenty seconds, looked at each tenth.
        let (step, steps) = (1e-3, 20_000);
        let mut most = 0.0_f64;
        let mut seen = 0;
        let end = run(case, first.clone(), step, steps, &mut |number, state, found| {
            assert!(found.converged);
            if number % 100 == 0 {
                let closed = closure.at(state);
                let state = State { q: closed.list("q").to_vec(), ..state.clone() };
                most = most.max(open(&rows, &state));
                seen += 1;
            }
        });
        assert_eq!(seen, 4 * steps / 100);
        assert!(most <= 1e-10, "{name}: {most:e}");
        let (before, after) = (energy(case, &first), energy(case, &end));
        let kinetic = case.by("kinetic_energy", Outward, &first).values[0];
        assert!((after - before).abs() < 1e-6 * kinetic, "{name}: energy {before} {after}");
        // The same with multipliers as unknowns and constraints at acceleration level alone.
        let bundle = Ready::of(case, "all_coordinates", Barycentric);
        let mut state = first;
        let mut y = [state.q.clone(), state.qd.clone()].concat();
        let mut drift = Vec::new();
        let known = vec![None; n];
        bundle.with(|run| {
            for number in 0..steps {
                y = rk4(0.0, &y, step, &mut |_, y| {
                    state.q.copy_from_slice(&y[..n]);
                    state.qd.copy_from_slice(&y[n..]);
                    [&y[n..], &dense(&run(&state), &known, &[]).qdd].concat()
                });
                if (number + 1) % (steps / 4) == 0 {
                    state.q.copy_from_slice(&y[..n]);
                    drift.push(open(&rows, &state));
                }
            }
        });
        assert!(
            drift[3] > 1e3 * most.max(1e-13) && drift[3] > drift[0],
            "{name}: {drift:?} {most:e}"
        );
    }
}

/// AT-24. The guess of dependent coordinates is what was found before (2.54), or what their speeds
/// carried along (2.56).
#[test]
fn at_24_one_or_two_iterations_for_an_evaluation() {
    for (name, crank, step) in [
        ("four_bar_joint", "q1", 1e-4),
        ("slider_crank", "q1", 1e-4),
        ("five_bar", "q1", 1e-4),
        ("spatial_slider_crank", "theta", 1e-4),
        ("andrews_squeezer", "beta", 2e-6),
    ] {
        let case = &turning(name, crank);
        let forward = Ready::of(case, "forward", Barycentric);
        let closure = Ready::of(case, "closure", Outward);
        let n = case.speeds();
        let map = Ready::of(case, "reduction", Outward).at(&start(case)).matrix("S");
        let dependent: Vec<usize> =
            (0..n).filter(|&at| (0..n).all(|row| map.get(row, at) == 0.0)).collect();
        assert!(!dependent.is_empty());
        let steps = 400;
        let mut counts = Vec::new();
        let mut ends = Vec::new();
        for integrated in [false, true] {
            let mut state = start(case);
            let mut guess = closure.at(&state).list("q").to_vec();
            let mut y = [guess.clone(), state.qd.clone()].concat();
            let (mut sum, mut evaluations, mut most) = (0, 0, 0);
            forward.with(|run| {
                for _ in 0..steps {
                    y = rk4(0.0, &y, step, &mut |_, y| {
                        state.q.copy_from_slice(&y[..n]);
                        state.qd.copy_from_slice(&y[n..]);
                        if !integrated {
                            dependent.iter().for_each(|&at| state.q[at] = guess[at]);
                        }
                        let found = run(&state);
                        assert!(found.converged, "{name}");
                        let iterations = found.iterations.iter().copied().max().unwrap_or(0);
                        (sum, evaluations) = (sum + iterations, evaluations + 1);
                        most = most.max(iterations);
                        let closed = closure.at(&state);
                        guess = closed.list("q").to_vec();
                        // Speeds of dependent coordinates are those that close, not those that were
                        // integrated.
                        [closed.list("qd"), &found.values].concat()
                    });
                }
            });
            assert!(most <= 2, "{name}, integrated {integrated}: {most} iterations");
            // What was carried along may need none at all.
            assert!(evaluations == 4 * steps && (integrated || sum > 0), "{name}");
            counts.push(sum);
            let at = place(case, crank).expect("the crank");
            ends.push([y[at], y[n + at]]);
        }
        assert!(counts[1] <= counts[0], "{name}: {counts:?}");
        agree(name, &ends[1], &ends[0], 1e-11);
    }
}

/// Five-bars on five-bars: each carries up to three others on its bars.
fn tree_of_five_bars(count: usize) -> Case {
    let random = &mut Random::new(3);
    let mut text = String::from("[model]\nname = \"five_bars\"\ngravity = [0, -9.81, 0]\n");
    for number in 0..count {
        let parent = match number {
            0 => "ground".to_owned(),
            _ => format!("{}{}", ["a", "b", "d"][number % 3], (number - 1) / 3),
        };
        let mut body = |name: &str, parent: &str, place: [f64; 2]| {
            let mass = random.short(0.5, 1.5);
            text += &format!(
                "[[body]]\nname = \"{name}{number}\"\nparent = \"{parent}\"\nposition = [{:?}, {:?}, 0]\n\
                 mass = {mass:?}\ncom = [0.2, 0.05, 0]\ninertia = {{ xx = 0.1, yy = 0.1, zz = 0.1 }}\n\
                 joint = {{ name = \"q{name}{number}\", type = \"revolute\", axis = \"z\" }}\n\
                 points.E = [0.4, 0, 0]\n",
                place[0], place[1]
            );
        };
        // A symmetric five-bar: angles of 2 and -1.3 to one side, and the mirror image to the
        // other.
        body("a", &parent, [0.1, 0.0]);
        body("b", &format!("a{number}"), [0.4, 0.0]);
        let (x, _) = tip(2.0, -1.3);
        body("c", &parent, [0.1 + 2.0 * x, 0.0]);
        body("d", &format!("c{number}"), [0.4, 0.0]);
        text += &format!(
            "[[cut]]\nname = \"pin{number}\"\ntype = \"revolute\"\naxis = \"z\"\n\
             between = [\"b{number}.E\", \"d{number}.E\"]\n"
        );
    }
    text += "[initial.q]\n";
    for number in 0..count {
        let pi = std::f64::consts::PI;
        text += &format!(
            "qa{number} = 2\nqb{number} = -1.3\nqc{number} = {:?}\nqd{number} = 1.3\n",
            pi - 2.0
        );
    }
    Case::of("five-bars", &text)
}

fn tip(first: f64, second: f64) -> (f64, f64) {
    let sum = first + second;
    (0.4 * (first.cos() + sum.cos()), 0.4 * (first.sin() + sum.sin()))
}

#[test]
fn at_28_more_than_a_hundred_constraints_and_freedoms() {
    let case = tree_of_five_bars(52);
    let state = case.near(11);
    let closed = Ready::of(&case, "closure", Outward).at(&state);
    assert!(closed.converged);
    assert_eq!(closed.iterations.len(), 52, "as many blocks as loops");
    let qdd = Ready::of(&case, "forward", Barycentric).at(&state).values;
    let lambda = Ready::of(&case, "multipliers", Barycentric).at(&state).values;
    let state = State { q: closed.list("q").to_vec(), qd: closed.list("qd").to_vec(), ..state };
    let parts = Ready::of(&case, "all_coordinates", NewtonEuler).at(&state);
    let jacobian = parts.matrix("J");
    let rank = eliminated(&jacobian, &vec![0.0; jacobian.rows]).rank;
    assert_eq!((rank, case.speeds() - rank), (104, 104));
    assert!(parts.list("h").iter().all(|h| h.abs() <= 1e-12));
    let speeds = jacobian.apply(&state.qd);
    assert!(size(&speeds) <= 1.0 && speeds.iter().all(|x| x.abs() <= 1e-12 * size(&state.qd)));
    let found = dense(&parts, &vec![None; case.speeds()], &[]);
    agree("accelerations", &qdd, &found.qdd, 1e-10);
    agree("multipliers", &lambda, &found.lambda, 1e-10);
}
