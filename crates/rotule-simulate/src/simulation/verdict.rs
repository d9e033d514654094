//! The verdict on a run: which of the promises of its tolerances it did not keep, why, and what
//! helps.
//!
//! A run can reach its end and still be wrong: its energy drifts, its loops are open, its
//! coordinates are badly conditioned, it passed a position after which the motion is hardly
//! determined. Every rule here compares a number that the run recorded with a limit that is a
//! constant of this file, so that the same run always gets the same verdict.

use super::verify::{DIGITS, Verification};
use crate::augmented::ConstraintForm;
use crate::method::Accuracy;
use crate::ranges::Leaving;
use crate::run::{End, Jump, Outcome};
use rotule_symbolic::figures::{count, shown};
use serde_json::{Value, json};

/// The energy may drift by this part of the largest energy however tight tolerances are.
const ENERGY_LEAST: f64 = 1e-9;
/// The energy may drift by this many relative tolerances in each step.
const ENERGY_TOLERANCES: f64 = 10.0;
/// The energy may drift by this part with steps of one length, whose error nobody requested.
const ENERGY_FIXED: f64 = 0.01;
/// Loops that every step closes may be open by this part of their size.
const CLOSED: f64 = 1e-8;
/// Loops that Baumgarte's terms pull together may be open by this part.
const STABILISED: f64 = 1e-6;
/// Loops that only accelerations keep closed, and velocities that only positions keep, may be open
/// by this part.
const UNSTABILISED: f64 = 1e-3;
/// Dependent coordinates may amplify errors of independent ones by this factor.
const CONDITIONING: f64 = 100.0;

/// A promise that a run can break.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Promise {
    /// The energy, less the work of forces, is constant.
    Energy,
    /// Constraints are fulfilled, in positions and velocities.
    Closure,
    /// Dependent coordinates follow well from independent ones.
    Conditioning,
    /// The mechanism was in no singular position.
    Singular,
    /// Imposed motions do not jump.
    Motion,
    /// Joints are in their ranges.
    Range,
    /// The end was reached.
    End,
    /// Another run with tighter tolerances agrees.
    Verify,
}

impl Promise {
    /// All promises with their words, in the order of the rules.
    pub const ALL: [(Promise, &'static str); 8] = [
        (Promise::Energy, "energy"),
        (Promise::Closure, "closure"),
        (Promise::Conditioning, "conditioning"),
        (Promise::Singular, "singular"),
        (Promise::Motion, "motion"),
        (Promise::Range, "range"),
        (Promise::End, "end"),
        (Promise::Verify, "verify"),
    ];

    /// The word for it in tables and JSON.
    pub fn word(self) -> &'static str {
        Promise::ALL.iter().find(|(known, _)| *known == self).map_or("", |(_, word)| word)
    }
}

/// A promise that was not kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The promise.
    pub promise: Promise,
    /// The quantity that exceeds it, by how much, where and when, and the likely cause.
    pub message: String,
    /// The remedy.
    pub remedy: String,
}

/// All warnings about a run; none if it kept its promises.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// The warnings, in the order of the rules.
    pub warnings: Vec<Warning>,
}

/// Facts that the rules need besides the outcome of a run.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// The drift of the energy in parts of the largest; none where it is not expected to stay.
    pub energy: Option<f64>,
    /// The size of the largest loop, in metres.
    pub size: f64,
    /// The largest speed at samples, in radians or sizes of the largest loop per second.
    pub fastest: f64,
    /// The form in which constraints are kept.
    pub form: ConstraintForm,
    /// The accuracy of the run.
    pub accuracy: Accuracy,
}

impl Verdict {
    /// The verdict on a run by all rules but that of a verification.
    pub fn new(outcome: &Outcome, facts: &Facts) -> Verdict {
        let mut verdict = Verdict::default();
        verdict.judge_energy(outcome, facts);
        verdict.judge_closure(outcome, facts);
        verdict.judge_conditioning(outcome);
        verdict.judge_positions(outcome);
        verdict.judge_end(outcome);
        verdict
    }

    /// Adds the rule of a verification.
    pub fn judge_verification(&mut self, found: &Verification) {
        if let Some((name, t)) = &found.lost {
            self.add(
                Promise::Verify,
                format!(
                    "fewer than {DIGITS} digits agree with {} from t = {} s on, first of `{name}`: \
                     the motion is sensitive, or one of the runs is wrong",
                    found.other,
                    shown(*t, 6)
                ),
                "use no result after that time, or tighten --rtol and --atol and verify again",
            );
        }
        if let Some(why) = &found.incomplete {
            self.add(
                Promise::Verify,
                format!("{} ended at t = {} s: {why}", found.other, shown(found.until, 6)),
                "verify a shorter run, or choose another form with --constraints",
            );
        }
    }

    /// The words of all broken promises, joined by `+`; `ok` if there are none.
    pub fn word(&self) -> String {
        let mut words: Vec<&str> =
            self.warnings.iter().map(|warning| warning.promise.word()).collect();
        words.dedup();
        if words.is_empty() { "ok".to_owned() } else { words.join("+") }
    }

    /// The verdict as JSON.
    pub fn json(&self) -> Value {
        let warnings = self.warnings.iter().map(|warning| {
            json!({
                "kind": warning.promise.word(),
                "message": warning.message,
                "remedy": warning.remedy,
            })
        });
        json!({ "ok": self.warnings.is_empty(), "warnings": warnings.collect::<Vec<_>>() })
    }

    fn add(&mut self, promise: Promise, message: String, remedy: impl Into<String>) {
        self.warnings.push(Warning { promise, message, remedy: remedy.into() });
    }

    fn judge_energy(&mut self, outcome: &Outcome, facts: &Facts) {
        let Some(drift) = facts.energy else { return };
        let (limit, remedy) = match facts.accuracy {
            Accuracy::Fixed(_) => (ENERGY_FIXED, "make shorter steps with --dt"),
            Accuracy::Within { relative, .. } => {
                let allowed = ENERGY_TOLERANCES * relative * outcome.work.steps as f64;
                (ENERGY_LEAST.max(allowed), "tighten --rtol and --atol, or compare with --verify")
            }
        };
        if exceeds(drift, limit) {
            let message = format!(
                "the energy less the work of forces drifts by {drift:.1e} of the largest energy, and {limit:.1e} is what \
                 {} steps may cost: errors of steps add up, or a law jumps",
                count(outcome.work.steps)
            );
            self.add(Promise::Energy, message, remedy);
        }
    }

    fn judge_closure(&mut self, outcome: &Outcome, facts: &Facts) {
        if !outcome.constrained {
            return;
        }
        let (positions, velocities, cause) = match facts.form {
            ConstraintForm::Partition | ConstraintForm::Projection => {
                (CLOSED, CLOSED, "loops are open")
            }
            ConstraintForm::Index3 => {
                (CLOSED, UNSTABILISED, "the steps are too long for multipliers")
            }
            ConstraintForm::Baumgarte(_) => {
                (STABILISED, STABILISED, "the Baumgarte gains are too small")
            }
            ConstraintForm::Unstabilised => {
                (UNSTABILISED, UNSTABILISED, "nothing stabilises the constraints")
            }
        };
        let speed = facts.size * facts.fastest.max(1.0);
        let levels = [
            ("positions", outcome.drift.position, positions, facts.size, "the loop's size"),
            ("velocities", outcome.drift.velocity, velocities, speed, "the largest speed"),
        ];
        for (level, drift, limit, unit, of) in levels {
            let part = drift / unit;
            if exceeds(part, limit) {
                let message = format!(
                    "constraints are open by {part:.1e} of {of} in {level}, and {limit:.0e} is allowed with {}: {cause}",
                    facts.form.word()
                );
                let remedy = match facts.form {
                    ConstraintForm::Partition | ConstraintForm::Projection => "make shorter steps",
                    _ => "make shorter steps, or keep loops closed with --constraints partition",
                };
                self.add(Promise::Closure, message, remedy);
            }
        }
    }

    fn judge_conditioning(&mut self, outcome: &Outcome) {
        let worst = outcome.worst;
        if exceeds(worst, CONDITIONING) {
            let message = format!(
                "the conditioning of the coordinate partition was {}, and {CONDITIONING} is allowed: dependent coordinates moved \
                 that much faster than independent ones",
                shown(worst, 3)
            );
            let remedy =
                "leave --threshold at auto, or choose other coordinates with --independent";
            self.add(Promise::Conditioning, message, remedy);
        }
    }

    fn judge_positions(&mut self, outcome: &Outcome) {
        if let Some(first) = outcome.passed.first() {
            let more = match outcome.passed.len() {
                1 => String::new(),
                many => format!(" and {} times after it", count(many as u64 - 1)),
            };
            let message = format!(
                "passed a singular position of the mechanism at t = {} s{more}: the motion after it is known to fewer digits \
                 than the tolerances ask for",
                shown(*first, 6)
            );
            let remedy = "compare with another start or a changed length, or with --verify";
            self.add(Promise::Singular, message, remedy);
        }
        self.judge_jumps(&outcome.jumps);
        self.judge_ranges(&outcome.left);
    }

    fn judge_jumps(&mut self, jumps: &[Jump]) {
        let Some(first) = jumps.first() else { return };
        let more = match jumps.len() {
            1 => String::new(),
            many => format!(" and {} times after it", count(many as u64 - 1)),
        };
        let message = format!(
            "`{}` jumps by {} at t = {} s{more}, with the motion that is imposed: a jump needs an impulse, which is not computed",
            first.name,
            shown(first.by, 4),
            shown(first.t, 6)
        );
        let remedy = "let the motion go on with the same value and the same slope, or give its input a `filter`";
        self.add(Promise::Motion, message, remedy);
    }

    /// Adds the rule of ranges.
    pub fn judge_ranges(&mut self, left: &[Leaving]) {
        for one in left {
            let message = format!(
                "`{}` left its range at t = {} s, by {} at most: nothing in the model stops it",
                one.name,
                shown(one.t, 6),
                shown(one.by, 3)
            );
            let remedy = "give the joint a stop, or correct its range or the initial state";
            self.add(Promise::Range, message, remedy);
        }
    }

    /// Adds that there is no motion at all.
    pub fn judge_missing(&mut self, why: &str) {
        let remedy = "correct the model or its initial state";
        self.add(Promise::End, format!("no step was possible: {why}"), remedy);
    }

    fn judge_end(&mut self, outcome: &Outcome) {
        if let End::Failed(failure) = &outcome.end {
            let (what, remedy) = match &outcome.reason {
                Some(reason) => (format!("{} ({failure})", reason.what), reason.remedy.clone()),
                None => (failure.to_string(), "use results up to that time only".to_owned()),
            };
            let message = format!("no step was possible after t = {} s: {what}", outcome.t);
            self.add(Promise::End, message, remedy);
        }
    }
}

/// Returns `true` if a number is beyond a limit; what is not a number is beyond all.
fn exceeds(number: f64, limit: f64) -> bool {
    number.is_nan() || number > limit
}

#[cfg(test)]
mod tests;
