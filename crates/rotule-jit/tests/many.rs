//! Many states over threads: the numbers of each state are those that it has alone, however many threads there are.

#[path = "../../rotule-program/tests/common/mod.rs"]
mod common;

use common::{Library, Range, program_from, run, same_bits};
use rotule_jit::{Choice, Fault, Many, Options, over, threads};
use rotule_program::{Externals, LengthError};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

fn library() -> Box<dyn Externals> {
    Box::new(Library)
}

/// Numbers that look random.
fn number(k: usize) -> f64 {
    let hash = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) >> 8;
    (hash % 60_000) as f64 / 10_000.0 - 3.0
}

#[test]
fn all_states_get_their_own_numbers() {
    for kind in 0..4_u16 {
        let choices: Vec<u16> =
            (0..400_u32).map(|k| ((k * k * 7919 + k * 31) >> 3) as u16 ^ (kind * 977)).collect();
        let program = program_from(&choices, Range::All);
        let count = 1003;
        // Parameters change every now and then, or stay.
        let inputs: Vec<f64> = (0..6 * count)
            .map(|k| if k % 6 < 2 { number(k % 6 + 6 * (k / 3000)) } else { number(k) })
            .collect();
        let length = program.output_len();
        let expected: Vec<f64> =
            inputs.chunks_exact(6).flat_map(|state| run(&program, state)).collect();
        for (choice, workers) in
            [(Choice::Auto, 1), (Choice::Auto, 3), (Choice::Interpreter, 2), (Choice::Auto, 0)]
        {
            let mut many = Many::new(&program, choice, Options::default(), workers).expect("valid");
            let told = AtomicUsize::new(0);
            let progress = |states: usize| {
                told.fetch_add(states, Ordering::Relaxed);
                ControlFlow::Continue(())
            };
            for _ in 0..2 {
                let mut outputs = vec![7.0; count * length];
                let converged = many.evaluate(&inputs, &mut outputs, &library, &progress);
                assert_eq!(converged.map(|all| all.len()), Ok(count));
                assert!(same_bits(&expected, &outputs), "{choice:?} {workers}");
            }
            assert_eq!(told.into_inner(), 2 * count);
        }
    }
    assert!(threads() > 0);
}

#[test]
fn lengths_and_stops() {
    let program = program_from(&[3; 60], Range::All);
    let mut many = Many::new(&program, Choice::Auto, Options::default(), 2).expect("valid");
    let mut outputs = vec![0.0; 500 * program.output_len()];
    let on = |_: usize| ControlFlow::Continue(());
    assert_eq!(
        many.evaluate(&[0.0; 6], &mut outputs, &library, &on),
        Err(Fault::Length(LengthError::Inputs { found: 6, expected: 3000 }))
    );
    let off = |_: usize| ControlFlow::Break(());
    let stopped = many.evaluate(&[0.5; 3000], &mut outputs, &library, &off);
    assert_eq!(stopped, Err(Fault::Stopped));
    assert_eq!(many.evaluate(&[], &mut [], &library, &on), Ok(Vec::new()));
}

/// Work is done once each, and results come in order.
#[test]
fn work_in_order() {
    let mut workers = vec![0_usize; 4];
    let found = over(&mut workers, 1000, |own, number| {
        *own += 1;
        ControlFlow::Continue(number * number)
    });
    assert!(found.iter().enumerate().all(|(k, result)| *result == Some(k * k)));
    assert_eq!(workers.iter().sum::<usize>(), 1000);
    let none = over(&mut workers, 0, |_, number| ControlFlow::Continue(number));
    assert!(none.is_empty());
    let some = over(&mut workers[..1], 10, |_, number| match number {
        3 => ControlFlow::Break(()),
        number => ControlFlow::Continue(number),
    });
    assert_eq!(some.iter().flatten().count(), 3);
}
