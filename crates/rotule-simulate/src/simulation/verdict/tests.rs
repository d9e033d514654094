//! Every rule of the verdict fires beyond its limit and not below it.

use super::super::verify::Verification;
use super::*;
use crate::augmented::Gains;
use crate::method::{Failure, Work};
use crate::monitor::Drift;
use crate::ode::Fault;
use crate::plant::Effort;
use crate::ranges::Leaving;
use crate::run::Jump;

const TOLERANCES: Accuracy = Accuracy::Within { relative: 1e-8, absolute: 1e-10 };

/// A run without fault.
fn good() -> Outcome {
    Outcome {
        law_switches: 0,
        end: End::Reached,
        t: 1.0,
        work: Work { steps: 100, ..Work::default() },
        effort: Effort::default(),
        switches: Vec::new(),
        reorders: 0,
        worst: 2.0,
        smallest: Some((0.5, 0.1)),
        passed: Vec::new(),
        drift: Drift::default(),
        samples: 1,
        events: Vec::new(),
        losses: Vec::new(),
        constrained: true,
        reason: None,
        left: Vec::new(),
        jumps: Vec::new(),
        sequence_switches: Vec::new(),
    }
}

fn facts() -> Facts {
    Facts {
        energy: Some(0.0),
        size: 0.5,
        fastest: 4.0,
        form: ConstraintForm::Partition,
        accuracy: TOLERANCES,
    }
}

fn check(outcome: &Outcome, facts: &Facts, expected: &str) {
    let verdict = Verdict::new(outcome, facts);
    assert_eq!(verdict.word(), expected, "{verdict:?}");
    assert!(verdict.warnings.iter().all(|one| !one.remedy.is_empty()));
}

#[test]
fn energy_is_judged_by_tolerances_and_steps() {
    check(&good(), &facts(), "ok");
    for (accuracy, steps, limit) in [
        (TOLERANCES, 100, 1e-5),
        (Accuracy::Within { relative: 1e-13, absolute: 1e-13 }, 10, 1e-9),
        (Accuracy::Fixed(0.1), 10, 0.01),
    ] {
        let outcome = Outcome { work: Work { steps, ..Work::default() }, ..good() };
        let with = |energy| Facts { energy, accuracy, ..facts() };
        check(&outcome, &with(Some(0.9 * limit)), "ok");
        check(&outcome, &with(Some(1.1 * limit)), "energy");
        check(&outcome, &with(Some(f64::NAN)), "energy");
        check(&outcome, &with(None), "ok");
    }
}

#[test]
fn closure_is_judged_by_the_form() {
    for (form, positions, velocities) in [
        (ConstraintForm::Partition, 1e-8, 1e-8),
        (ConstraintForm::Projection, 1e-8, 1e-8),
        (ConstraintForm::Index3, 1e-8, 1e-3),
        (ConstraintForm::Baumgarte(Gains::Step), 1e-6, 1e-6),
        (ConstraintForm::Unstabilised, 1e-3, 1e-3),
    ] {
        let facts = Facts { form, ..facts() };
        // The loop has half a metre, and moves by two metres per second.
        for (part, expected) in [(0.9, "ok"), (1.1, "closure")] {
            for (position, velocity) in [(0.5 * positions, 0.0), (0.0, 2.0 * velocities)] {
                let drift = Drift { position: part * position, velocity: part * velocity };
                check(&Outcome { drift, ..good() }, &facts, expected);
            }
        }
        let drift = Drift { position: 1.0, velocity: 9.0 };
        check(&Outcome { drift, constrained: false, ..good() }, &facts, "ok");
    }
}

#[test]
fn jumps_of_motions_are_judged() {
    let jump = |t: f64| Jump { t, name: "x".to_owned(), by: -0.5 };
    let outcome = Outcome { jumps: vec![jump(0.25), jump(0.75)], ..good() };
    check(&outcome, &facts(), "motion");
    let verdict = Verdict::new(&outcome, &facts());
    let message = &verdict.warnings[0].message;
    assert!(message.contains("`x` jumps by −0.5 at t = 0.25 s and 1 times after it"), "{message}");
}

#[test]
fn conditioning_positions_ranges_and_ends_are_judged() {
    check(&Outcome { worst: 99.0, ..good() }, &facts(), "ok");
    check(&Outcome { worst: 101.0, ..good() }, &facts(), "conditioning");
    let left = Leaving { name: "q7".to_owned(), t: 0.25, by: 0.125 };
    let outcome = Outcome { passed: vec![0.5, 0.75], left: vec![left.clone(), left], ..good() };
    check(&outcome, &facts(), "singular+range");
    let verdict = Verdict::new(&outcome, &facts());
    let [singular, range, _] = &verdict.warnings[..] else { panic!("{verdict:?}") };
    assert!(singular.message.contains("at t = 0.5 s and 1 times after it"), "{singular:?}");
    assert!(range.message.contains("`q7` left its range at t = 0.25 s, by 0.125"), "{range:?}");
    let end = End::Failed(Failure::Fault(Fault::Singular("the loop".to_owned())));
    check(&Outcome { end, ..good() }, &facts(), "end");
    check(&Outcome { end: End::Event("stop".to_owned()), ..good() }, &facts(), "ok");
}

#[test]
fn a_verification_is_judged_by_its_digits() {
    let agreement = Verification {
        other: "radau".to_owned(),
        digits: [8.0, 7.0],
        worst: None,
        lost: None,
        until: 1.0,
        incomplete: None,
    };
    let judge = |found: &Verification| {
        let mut verdict = Verdict::default();
        verdict.judge_verification(found);
        verdict
    };
    assert_eq!(judge(&agreement).word(), "ok");
    let lost = Some(("q2".to_owned(), 1.25));
    let found = judge(&Verification { lost, ..agreement.clone() });
    assert!(found.warnings[0].message.contains("from t = 1.25 s on"), "{found:?}");
    let incomplete = Some("it was stopped".to_owned());
    assert_eq!(judge(&Verification { incomplete, ..agreement }).word(), "verify");
}
