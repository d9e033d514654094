//! Linkages with closed forms: all links as functions of the input link, in jets, and runs that are
//! held against them.
//!
//! Each formula is derived from the geometry beside it, never from the equations that are tested.
//! Angles go on continuously over any number of turns: an angle that makes full turns is the input
//! plus a bounded angle.

pub mod planar;
pub mod spatial;

use super::jet::Jet;
use super::loops::{GOLDEN, Setup, drive, ended, initial, observe, speed};
use super::plant;
use super::reference::value;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{End, Outcome};
use std::f64::consts::TAU;

/// A coordinate and what it must be.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The name of the coordinate.
    pub name: &'static str,
    /// The value and its derivatives.
    pub value: Jet,
    /// The unit of errors: one for angles, the size of the loop for displacements.
    pub unit: f64,
}

/// An angle that is known.
pub fn angle(name: &'static str, value: Jet) -> Known {
    Known { name, value, unit: 1.0 }
}

/// A displacement that is known, in a loop of a size.
pub fn slide(name: &'static str, value: Jet, size: f64) -> Known {
    Known { name, value, unit: size }
}

/// All that is known of a linkage.
pub type Answer = Vec<Known>;

/// A closed form: all that is known, as a function of the input link.
pub type ClosedForm = Box<dyn Fn(Jet) -> Answer>;

/// The angle of `(k cos(h), sin(h))`, counted on over any number of turns of `h`, for `k > 0`.
pub fn stretched(k: f64, h: Jet) -> Jet {
    let (sin, cos) = (h.sin(), h.cos());
    h + Jet::atan2((1.0 - k) * (sin * cos), k * (cos * cos) + sin * sin)
}

/// The law of the input link.
#[derive(Clone, Copy, Debug)]
pub enum Law {
    /// At the constant speed, from an angle on.
    Turn(f64),
    /// To and fro about an angle, by an amplitude, with the speed as circular frequency.
    Swing(f64, f64),
    /// By itself, from an angle on, begun at the speed: the answer is a function of the input that
    /// is found.
    Free(f64),
}

/// A linkage with its answer.
pub struct Linkage {
    /// The name in tables and messages.
    pub name: String,
    /// The model without motion and start.
    pub model: String,
    /// The coordinate of the input link.
    pub input: &'static str,
    /// The law of the input link.
    pub law: Law,
    /// The closed form.
    pub answer: ClosedForm,
    /// Lines of `[initial.q]` for coordinates that the answer leaves out.
    pub start: String,
    /// `true` if the ordinary tests run it; the benchmark `linkages` runs all.
    pub ordinary: bool,
}

/// Errors against the closed form, in parts of the loop's size, of the speed and of its square.
#[derive(Clone, Copy, Debug, Default)]
pub struct Errors(pub [f64; 3]);

/// The result of a run of a linkage.
pub struct Followed {
    /// The largest error of positions at any sample, and when.
    pub worst: (f64, f64),
    /// Errors of positions, speeds and accelerations at the end.
    pub end: Errors,
    /// The outcome of the run.
    pub outcome: Outcome,
}

impl Linkage {
    /// The input as a function of time; none if it is not driven.
    fn input(&self, omega: f64, t: f64) -> Option<Jet> {
        let (sin, cos) = (omega * t).sin_cos();
        match self.law {
            Law::Turn(from) => Some(Jet([from + omega * t, omega, 0.0])),
            Law::Swing(about, by) => {
                Some(Jet([about + by * sin, by * omega * cos, -by * omega * omega * sin]))
            }
            Law::Free(_) => None,
        }
    }

    /// The whole model text, moved at a speed from its closed start.
    pub fn text(&self, omega: f64) -> String {
        let (motion, start) = match self.law {
            Law::Turn(from) => {
                (drive(self.input, &format!("{from:?} + {omega:?}*t")), Jet([from, omega, 0.0]))
            }
            Law::Swing(about, by) => (
                drive(self.input, &format!("{about:?} + {by:?}*sin({omega:?}*t)")),
                Jet([about, by * omega, 0.0]),
            ),
            Law::Free(from) => (String::new(), Jet([from, omega, 0.0])),
        };
        let known = [vec![angle(self.input, start)], (self.answer)(start)].concat();
        let values = |order: usize| -> Vec<(&str, f64)> {
            known.iter().map(|one| (one.name, one.value.0[order])).collect()
        };
        let (q, qd) = (initial("q", &values(0)), initial("qd", &values(1)));
        [&self.model, &motion, &q, &self.start, &qd].map(String::as_str).concat()
    }

    /// Runs the linkage for a number of turns and compares it with its closed form at every sample,
    /// 16 or so in each turn.
    pub fn follow(&self, omega: f64, turns: f64) -> Followed {
        let turn = TAU / omega;
        self.follow_with(omega, Setup::new(turns * turn, 0.1 * GOLDEN * turn))
    }

    /// As [`Linkage::follow`], with other options.
    pub fn follow_with(&self, omega: f64, setup: Setup) -> Followed {
        let mut plant = plant(&self.text(omega));
        let (mut worst, mut end) = ((0.0, 0.0), Errors::default());
        let outcome = observe(&mut plant, setup, |plant| {
            end = self.errors(plant, omega);
            let error = end.0[0];
            if error > worst.0 || error.is_nan() {
                worst = (error, plant.point().t);
            }
        });
        Followed { worst, end, outcome }
    }

    /// The distance of the plant from the closed form where it is.
    fn errors(&self, plant: &Plant, omega: f64) -> Errors {
        let input = self.input(omega, plant.point().t);
        let answer = (self.answer)(input.unwrap_or_else(|| found(plant, self.input)));
        let given = input.map(|input| angle(self.input, input));
        let mut errors = Errors::default();
        for known in answer.into_iter().chain(given) {
            let (found, unit) = (found(plant, known.name), known.unit);
            let scales = [unit, unit * omega, unit * omega * omega];
            for (order, scale) in scales.into_iter().enumerate() {
                let error = (found.0[order] - known.value.0[order]).abs() / scale;
                let most = &mut errors.0[order];
                // What is not a number must not pass for small.
                *most = if error <= *most { *most } else { error };
            }
        }
        errors
    }
}

/// A coordinate of a plant with its speed and acceleration.
fn found(plant: &Plant, name: &str) -> Jet {
    let speed = speed(name);
    let speeds = &plant.tree.mechanism.speeds;
    let at = speeds.iter().position(|one| one.name == speed).expect("the speed of a coordinate");
    Jet([value(plant, name), plant.point().qd[at], plant.point().qdd[at]])
}

impl Followed {
    /// Returns `true` if positions, speeds and accelerations of the end, and positions of all
    /// samples, are right to a bound.
    pub fn within(&self, bound: f64) -> bool {
        let Errors(end) = self.end;
        self.outcome.end == End::Reached
            && self.worst.0 <= bound
            && end.iter().all(|error| *error <= bound)
    }

    /// One line of a table.
    pub fn row(&self, name: &str) -> String {
        let Errors([q, qd, qdd]) = self.end;
        format!(
            "| {name} | {:.1e} | {:.3} s | {q:.1e} | {qd:.1e} | {qdd:.1e} | {} | {} | {} |",
            self.worst.0,
            self.worst.1,
            self.outcome.work.steps,
            self.outcome.switches.len(),
            ended(&self.outcome),
        )
    }
}

/// All linkages.
pub fn linkages() -> Vec<Linkage> {
    planar::planar().into_iter().chain(spatial::spatial()).collect()
}
