//! 200 random mechanisms with loops: reduced dynamics against the equations of the open tree with multipliers, solved densely
//! in numbers, and constraints at position, velocity and acceleration.

mod common;

use common::case::{Case, State};
use common::closed::{Family, Loops};
use common::loops::{Dense, Ready, dense, eliminated, size};
use common::random::Random;
use rotule_formalism::Formalism::{Barycentric, Classical, Progressive};
use rotule_formalism::Problem;

/// The initial posture, displaced by up to a hundredth where it is well conditioned; speeds and efforts at random.
fn near(case: &Case, seed: u64) -> State {
    let initial: Vec<_> = case.mechanism().coordinates.iter().map(|one| one.initial).collect();
    let n = case.speeds();
    let random = &mut Random::new(seed);
    let mut list = |most: f64| (0..n).map(|_| random.between(-most, most)).collect::<Vec<_>>();
    let (step, qd, effort) = (list(0.02), list(1.0), list(2.0));
    let q = case.mechanism().evaluate(&initial);
    let state = State { time: 0.0, q, qd, qdd: vec![0.0; n], effort };
    let jacobian = Ready::of(case, "constraints", Progressive).at(&state).matrix("J");
    let pivots = eliminated(&jacobian, &vec![0.0; jacobian.rows]).pivots.min(1.0);
    let step: Vec<f64> = step.iter().map(|x| x * pivots).collect();
    case.moved(&state, &step)
}

struct Errors {
    position: f64,
    velocity: f64,
    acceleration: f64,
    motion: f64,
    held: f64,
    pivots: f64,
}

fn errors(seed: u64, loops: &Loops) -> Result<Errors, Problem> {
    let mut case = Case::of(&format!("loops {seed}"), &loops.text);
    let formalism = if seed % 2 == 0 { Classical } else { Barycentric };
    let given = near(&case, seed);
    // Any fault of generation is found by the first function.
    case.outputs("closure", Progressive, &given)?;
    let found = Ready::of(&case, "closure", Progressive).at(&given);
    if !found.converged {
        let q = rotule_formalism::constraint::redundancy::analyse(&case.tree).unwrap();
        let h = Ready::of(&case, "constraints", Progressive).at(&given);
        println!("{seed}: no convergence {:?} quality {:?} h {:.3?} closed {:.3?}", found.iterations, q.partition.unwrap().quality, h.list("h"), found.values);
        println!("{:?}", q.shape);
        return Err(Problem::new("no convergence", ""));
    }
    let (q, qd) = (found.list("q").to_vec(), found.list("qd").to_vec());
    let mut state = State { q, qd, ..given.clone() };
    let qdd = Ready::of(&case, "direct", formalism).at(&given).values;
    let lambda = Ready::of(&case, "multipliers", formalism).at(&given).values;
    let known: Vec<Option<f64>> = (0..case.speeds())
        .map(|at| {
            let free = case.tree.qdd[at] == case.mechanism().speeds[at].acceleration;
            (!free).then(|| qdd[at])
        })
        .collect();
    // Efforts of drives are not asked for.
    for (effort, known) in state.effort.iter_mut().zip(&known) {
        if known.is_some() {
            *effort = 0.0;
        }
    }
    let parts = Ready::of(&case, "all_coordinates", formalism).at(&state);
    if std::env::var("DBG").is_ok() { println!("{}\nM\n{:?}J\n{:?}\nb {:?}\nqdd {:?} known {:?}", loops.text, parts.matrix("M"), parts.matrix("J"), parts.list("b"), qdd, known); }
    let Dense { qdd: expected, held, pivots, rest, .. } = dense(&parts, &known, &[]);
    assert!(rest < 1e-9, "{}: the dense system contradicts itself: {rest:e}", case.label);
    let jacobian = parts.matrix("J");
    let largest = |list: Vec<f64>| list.into_iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let sum = |a: Vec<f64>, b: &[f64]| -> Vec<f64> {
        a.iter().zip(b).map(|(a, b)| a + b).collect()
    };
    let apart = |a: &[f64], b: &[f64]| -> f64 {
        let size = size(b);
        a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs() / size))
    };
    let lever = size(&jacobian.values);
    let held_found = jacobian.transpose().apply(&lambda);
    let free: Vec<usize> = (0..case.speeds()).filter(|&at| known[at].is_none()).collect();
    let of_free = |list: &[f64]| -> Vec<f64> { free.iter().map(|&at| list[at]).collect() };
    Ok(Errors {
        position: largest(parts.list("h").to_vec()),
        velocity: largest(sum(jacobian.apply(&state.qd), parts.list("e")))
            / (lever * size(&state.qd)),
        acceleration: largest(sum(jacobian.apply(&qdd), parts.list("b"))) / (lever * size(&qdd)),
        motion: apart(&qdd, &expected),
        held: apart(&of_free(&held_found), &of_free(&held)),
        pivots,
    })
}

#[test]
fn two_hundred_random_loops() {
    for seed in std::env::var("SEED").map_or(0..220, |s| { let s: u64 = s.parse().unwrap(); s..s+1 }) {
        let loops = Loops::new(seed);
        match errors(seed, &loops) {
            Ok(e) => println!(
                "{seed} {:?}: h {:.1e} hd {:.1e} hdd {:.1e} qdd {:.1e} held {:.1e} pivots {:.1e}",
                loops.family, e.position, e.velocity, e.acceleration, e.motion, e.held, e.pivots
            ),
            Err(problem) => println!("{seed} {:?}: {problem}", loops.family),
        }
    }
    let _ = Family::ALL[0].redundant();
}
