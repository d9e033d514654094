//! Written initial values hold: over random mechanisms with loops, whichever values are written
//! come back bit for bit while the others follow, and over small mechanisms values that contradict
//! each other are reported with the amount.

use rotule_formalism::Formalism::Outward;
use rotule_formalism::constraint::constraints;
use rotule_model::draft::JointType;
use rotule_model::index::{SpeedId, SpeedSet};
use rotule_numeric::assembly::{Assembled, assemble, assemble_start};
use rotule_numeric::initial_values::{Change, Hold, Start, report};
use rotule_numeric::redundancy::analyse;
use rotule_testing::formalism;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::closed::{Family, Loops};
use rotule_testing::formalism::random::Random;

/// Mechanisms of each family.
const EACH: u64 = 8;

/// Columns that determine the others by some rows, in random order: the rest of them has well
/// conditioned pivots.
fn determining(rows: &[Vec<f64>], free: &[bool], random: &mut Random) -> Vec<bool> {
    let mut rows = rows.to_vec();
    let mut written = free.to_vec();
    while !rows.is_empty() {
        let size = |row: &Vec<f64>| {
            let own = (0..row.len()).filter(|&at| written[at]);
            own.fold(0.0_f64, |most, at| most.max(row[at].abs()))
        };
        let best = (0..rows.len()).max_by(|&a, &b| size(&rows[a]).total_cmp(&size(&rows[b])));
        let row = rows.swap_remove(best.expect("a row"));
        let most = size(&row);
        let good: Vec<usize> = (0..row.len())
            .filter(|&at| written[at] && row[at].abs() >= 0.5 * most && most > 1e-3)
            .collect();
        // A row without a pivot says nothing of what is left.
        if good.is_empty() {
            continue;
        }
        let pivot = good[random.below(good.len())];
        written[pivot] = false;
        for other in &mut rows {
            let factor = other[pivot] / row[pivot];
            other.iter_mut().zip(&row).for_each(|(x, y)| *x -= factor * y);
        }
    }
    written
}

/// Coordinates that are written together, with the speeds that move them.
fn blocks(case: &Case) -> Vec<(std::ops::Range<usize>, std::ops::Range<usize>)> {
    let mut found = Vec::new();
    for joint in &case.mechanism().joints {
        let (q, v) = (joint.coordinates.start, joint.speeds.start);
        match joint.kind {
            JointType::Spherical => found.push((q..q + 4, v..v + 3)),
            JointType::Free => found.extend([(q..q + 3, v..v + 3), (q + 3..q + 7, v + 3..v + 6)]),
            _ => found
                .extend(joint.speeds.clone().map(|at| (q + at - v..q + at - v + 1, at..at + 1))),
        }
    }
    found
}

/// Holds a closed state against the function `constraints`.
fn is_closed(case: &mut Case, time: f64, found: &Assembled) {
    let n = case.speeds();
    let state = State {
        time,
        q: found.q.clone(),
        qd: found.qd.clone(),
        qdd: vec![0.0; n],
        effort: vec![0.0; n],
    };
    let outputs = case.outputs("constraints", Outward, &state);
    let outputs = outputs.unwrap_or_else(|problem| panic!("{}: {problem}", case.label));
    let [h, j, e] = [0, 1, 2].map(|at| &outputs[at].matrix.values);
    let largest = |list: &[f64]| list.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
    let (lever, fast) = (largest(j), largest(&found.qd));
    for row in 0..h.len() {
        assert!(h[row].abs() <= 1e-12 * lever, "{}: row {row}: {:e}", case.label, h[row]);
        let line = &j[row * n..(row + 1) * n];
        let velocity = line.iter().zip(&found.qd).map(|(a, b)| a * b).sum::<f64>() + e[row];
        let most = 1e-12 * lever * fast;
        assert!(velocity.abs() <= most, "{}: velocity {row}: {velocity:e}", case.label);
    }
}

/// A random mechanism with a random set of written values; tells how far a written coordinate moves
/// where none counts as written.
fn check(seed: u64) -> f64 {
    let loops = Loops::new(seed);
    let case = &mut Case::of(&format!("{:?}, seed {seed}", loops.family), &loops.text);
    let exact = assemble(&case.tree, &SpeedSet::new())
        .unwrap_or_else(|why| panic!("{}: {why}", case.label));
    let analysis = analyse(&case.tree).unwrap_or_else(|why| panic!("{}: {why}", case.label));
    let open = constraints(case.tree.writer(&case.tree.sheet())).expect("rows").rows;
    let n = case.speeds();
    let random = &mut Random::new(seed);
    let free: Vec<bool> =
        (0..n).map(|at| case.tree.motion.is_free(case.mechanism(), SpeedId::new(at))).collect();
    let dense = |positions: bool| -> Vec<Vec<f64>> {
        let kept = analysis.kept.iter().zip(&analysis.shape.rows);
        let kept = kept.filter(|(row, _)| !positions || open[**row].residual.is_some());
        kept.map(|(_, entries)| {
            let mut line = vec![0.0; n];
            entries.iter().for_each(|&(column, value)| line[column] = value);
            line
        })
        .collect()
    };
    let mut places = determining(&dense(true), &free, random);
    let speeds = determining(&dense(false), &free, random);
    let mut start = Start::guess(&exact.q, &exact.qd);
    for (coordinates, own) in blocks(case) {
        let all = own.clone().all(|at| places[at]);
        places[own].fill(all);
        if all {
            start.hold_q[coordinates].fill(Hold::Model);
        }
    }
    // What is not written is wrong: positions by a little, so that they stay within reach, speeds
    // by as much as they are.
    let step: Vec<f64> = (0..n)
        .map(|at| if free[at] && !places[at] { random.between(-0.1, 0.1) } else { 0.0 })
        .collect();
    let state = State { q: exact.q.clone(), qd: exact.qd.clone(), ..State::default() };
    start.q = case.moved(&state, &step).q;
    for at in (0..n).filter(|&at| free[at]) {
        start.qd[at] = random.between(-3.0, 3.0);
        start.hold_qd[at] = if speeds[at] { Hold::Model } else { Hold::Guess };
    }
    let found = assemble_start(&case.tree, &start, &SpeedSet::new());
    let found = found.unwrap_or_else(|why| panic!("{}: {why}\n{}", case.label, loops.text));
    assert_eq!(found.changes, Vec::new(), "{}\n{}", case.label, loops.text);
    for (at, hold) in start.hold_q.iter().enumerate().filter(|(_, hold)| **hold > Hold::Guess) {
        assert_eq!(found.q[at].to_bits(), start.q[at].to_bits(), "{} q {at} {hold:?}", case.label);
    }
    for at in (0..n).filter(|&at| speeds[at]) {
        assert_eq!(found.qd[at].to_bits(), start.qd[at].to_bits(), "{} qd {at}", case.label);
    }
    is_closed(case, 0.0, &found);
    let guess = Start::guess(&start.q, &start.qd);
    let other = assemble_start(&case.tree, &guess, &SpeedSet::new()).expect("closes somewhere");
    let moved = (0..start.q.len()).filter(|&at| start.hold_q[at] > Hold::Guess);
    moved.fold(0.0_f64, |most, at| most.max((other.q[at] - start.q[at]).abs()))
}

#[test]
fn written_values_of_random_loops_come_back_bit_for_bit() {
    let count = EACH * Family::ALL.len() as u64;
    let moved = (0..count).filter(|&seed| check(seed) > 1e-3).count();
    // The check means something: without the hold, written values move in most of the mechanisms.
    assert!(moved as u64 > count / 2, "{moved} of {count}");
}

/// Crank, coupler and rocker whose closed position at a crank angle of 60 degrees is known, with
/// other initial values.
fn four_bar_text(initial: &str) -> String {
    let text = formalism::example("four_bar_joint.toml");
    let (head, _) = text.split_once("[initial.q]").expect("initial values");
    format!("{head}{initial}")
}

fn four_bar(initial: &str) -> Case {
    Case::of("four-bar", &four_bar_text(initial))
}

/// The expected result for a written value.
enum Expected {
    /// It comes back bit for bit.
    Holds,
    /// It changes by about as much, with a note or a warning.
    Changes { by: f64, warns: bool },
}

#[test]
fn written_values_hold_or_the_change_is_reported() {
    use Expected::{Changes, Holds};
    let rounding = |by: f64| Changes { by, warns: false };
    let contradiction = |by: f64| Changes { by, warns: true };
    let rows: [(&str, &[(&str, Expected)]); 9] = [
        // One of three, whichever the partition would choose.
        ("[initial.q]\nq1 = 0.9\n", &[("q1", Holds)]),
        ("[initial.q]\nq2 = -0.5\n", &[("q2", Holds)]),
        ("[initial.q]\nq3 = 1.6\n", &[("q3", Holds)]),
        ("[initial.q]\nq1 = 1.0\n[initial.qd]\nq1 = 10\n", &[("q1", Holds), ("q1.d", Holds)]),
        ("[initial.q]\nq1 = 1.0\n[initial.qd]\nq2 = 10\n", &[("q1", Holds), ("q2.d", Holds)]),
        // Four digits of all: no contradiction.
        (
            "[initial.q]\nq1 = 1.047\nq2 = -0.5387\nq3 = 1.563\n",
            &[("q1", rounding(1e-4)), ("q3", rounding(4e-4))],
        ),
        // The rocker of a crank at 60 degrees is at 1.56.
        (
            "[initial.q]\nq1 = \"pi/3\"\nq3 = 1.4\n",
            &[("q1", contradiction(0.1)), ("q3", contradiction(0.1))],
        ),
        // The rocker does not reach below acos(0.0719) = 1.499.
        ("[initial.q]\nq3 = 0.1\n", &[("q3", contradiction(1.4))]),
        // The crank moves, and the file gives the coupler no speed.
        (
            "[initial.q]\nq1 = \"pi/3\"\n[initial.qd]\nq1 = 6\nq2 = 0\n",
            &[("q1", Holds), ("q2.d", contradiction(7.4))],
        ),
    ];
    for (text, expected) in rows {
        let case = &mut four_bar(text);
        let start = Start::initial(&case.tree);
        let found =
            assemble(&case.tree, &SpeedSet::new()).unwrap_or_else(|why| panic!("{text}: {why}"));
        is_closed(case, 0.0, &found);
        let names = case.mechanism().coordinates.iter().map(|one| one.name.clone());
        let names: Vec<String> =
            names.chain(case.mechanism().speeds.iter().map(|one| one.name.clone())).collect();
        let (before, after) =
            ([start.q, start.qd].concat(), [found.q.clone(), found.qd.clone()].concat());
        for (name, expected) in expected {
            let at = names.iter().position(|known| known == name).expect("a name");
            let change = found.changes.iter().find(|change| change.name == *name);
            match expected {
                Holds => {
                    assert_eq!(before[at].to_bits(), after[at].to_bits(), "{text}: {name}");
                    assert_eq!(change, None, "{text}");
                }
                Changes { by, warns } => {
                    let change = change.unwrap_or_else(|| panic!("{text}: {name} is not reported"));
                    let amount = change.amount().abs();
                    assert!((by / 5.0..=by * 5.0).contains(&amount), "{text}: {name}: {amount}");
                    assert_eq!((change.written, change.used), (before[at], after[at]), "{text}");
                    let told = report(&found.changes).expect("a report");
                    assert_eq!(told.warning, *warns, "{text}: {}", told.text());
                }
            }
        }
        let unreported = expected.iter().all(|(_, expected)| matches!(expected, Holds));
        assert_eq!(found.changes.is_empty(), unreported, "{text}: {:?}", found.changes);
    }
}

#[test]
fn reports_name_value_change_and_remedy() {
    let change = |name: &str, written: f64, used: f64| Change {
        name: name.to_owned(),
        written,
        used,
        scale: 1.0,
    };
    let check = |changes: &[Change], expected: Option<&str>| {
        assert_eq!(report(changes).map(|one| one.text()).as_deref(), expected);
    };
    check(&[], None);
    check(
        &[change("q1", 0.5, 0.5001), change("q2", 0.25, 0.2498)],
        Some(
            "note: initial values change by rounding to satisfy the constraints, at most: `q2` is written as 0.25 \
             and becomes 0.2498 (change -2.00e-4)\n  = help: correct these values, or leave out those that should \
             follow from the others",
        ),
    );
    check(
        &[change("q1", 0.5, 0.5001), change("q2", 0.25, 0.75)],
        Some(
            "warning: initial values contradict each other or the constraints: `q2` is written as 0.25 and becomes \
             0.75 (change 5.00e-1)\n  = help: correct these values, leave out those that should follow from the others, or write \
             `partition = \"dependent\"` at joints whose values are guesses",
        ),
    );
}

#[test]
fn values_of_a_state_win_over_those_of_the_model() {
    let case = &mut four_bar(
        "[initial.q]\nq1 = 1.047\nq2 = -0.5387\nq3 = 1.563\n[initial.qd]\nq1 = 6\nq2 = -7.36\n",
    );
    let mut start = Start::initial(&case.tree);
    (start.q[0], start.hold_q[0]) = (1.3, Hold::State);
    let found = assemble_start(&case.tree, &start, &SpeedSet::new()).expect("closes");
    is_closed(case, 0.0, &found);
    assert_eq!(found.q[0], 1.3);
    // The other values of the model follow, and nobody is surprised by that.
    let names = |found: &Assembled| -> Vec<String> {
        found.changes.iter().map(|change| change.name.clone()).collect()
    };
    assert_eq!((found.qd[0], names(&found)), (6.0, Vec::new()));
    (start.qd[0], start.hold_qd[0]) = (5.0, Hold::State);
    let found = assemble_start(&case.tree, &start, &SpeedSet::new()).expect("closes");
    assert_eq!((found.q[0], found.qd[0]), (1.3, 5.0));
    assert_eq!(found.changes, Vec::new());
    // Two values of a state contradict each other.
    (start.q[2], start.hold_q[2]) = (1.0, Hold::State);
    let found = assemble_start(&case.tree, &start, &SpeedSet::new()).expect("closes");
    assert_eq!(names(&found), ["q1", "q3"]);
}

#[test]
fn values_of_dependent_joints_follow_where_they_do_not_fit() {
    let rough = "[initial.q]\nq1 = 0.9\nq2 = -0.3\nq3 = 1.7\n";
    let text = four_bar_text(rough);
    let dependent = ["q2", "q3"].iter().fold(text.clone(), |text, joint| {
        let name = format!("name = \"{joint}\",");
        text.replace(&name, &format!("{name} partition = \"dependent\","))
    });
    assert_ne!(dependent, text);
    let case = &mut Case::of("dependent", &dependent);
    let found = assemble(&case.tree, &SpeedSet::new()).expect("closes");
    is_closed(case, 0.0, &found);
    assert_eq!((found.q[0], found.changes), (0.9, Vec::new()));
    // The guess chooses the branch: the coupler is above, as it is written.
    assert!(found.q[2] > 1.0, "{:?}", found.q);
}

#[test]
fn loops_are_closed_at_the_time_of_the_start() {
    let drive = "[[motion]]\njoint = \"q1\"\nq = \"pi/3 + 6*t\"\n";
    let case = &mut four_bar(&format!("[initial.q]\nq2 = -0.5387\nq3 = 1.563\n{drive}"));
    let mut start = Start::initial(&case.tree);
    start.t = 0.1;
    (start.q[0], start.qd[0]) = (std::f64::consts::FRAC_PI_3 + 0.6, 6.0);
    start.hold_q.fill(Hold::Guess);
    let found = assemble_start(&case.tree, &start, &SpeedSet::new()).expect("closes");
    assert_eq!((found.q[0], found.qd[0]), (start.q[0], 6.0));
    is_closed(case, 0.1, &found);
}
