//! The verdict on one model.
//!
//! Let `r(t)` be the largest difference so far, of any coordinate, speed or state, between
//! references with the step `h` and `2h`, and `p(t)` that between the reference and one that starts
//! `1e-9` away. A run with the tolerance `tol` agrees with the reference if at every sample
//!
//! ```text
//! d(t) <= D(t) = m 1e3 tol scale + n p(t) tol/1e-9 + 10 r(t)
//! ```
//!
//! where `scale` is one more than the largest coordinate, speed or state of the run so far: each
//! step may err by `tol` in parts of a state, `p` is what the model makes of an error of `1e-9`,
//! and `n` the number of such errors: that of the run's steps, at least 300. `m` is one, and ten
//! for `bdf`, which has ten times as many errors, too. The first term is the same for a model that
//! forgets its errors, with a few more steps. For a method with steps of one length, `tol` is 1e-9
//! and thirty times the difference between the reference and one with the method's own step is
//! added, whose switches are located, too: samples of a run lie between steps, on a cubic that errs
//! with the fourth power of the step as the method does. The reference errs by less than `r`: it is
//! of fourth order between switches, which are bisected to the last digit.
//!
//! Events agree if names and order are the same and times differ by no more than `1e-8` of the run
//! and `4 D` over the rate at which the condition passes zero. Samples nearer than that to an event
//! are not compared. The comparison ends where `p > 1e-4`, where the references disagree about
//! events, where a time is uncertain by a hundredth of the run, where events are nearer than 1e-6
//! of the run, and where bounces become slow.

use super::law::JOINTS;
use super::reference::{self, Happened, SAMPLES, Trace};
use super::specimen::Specimen;
use super::system::State;
use crate::formalism::case::Case;
use rotule_program::NoExternals;
use rotule_simulate::event::Record;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{End, Observer, RunOptions, Samples, Threshold, run};
use std::ops::ControlFlow;

/// Steps after which a run counts as one that does not end.
const STEPS: u64 = 300_000;
/// The distance of the other start.
const APART: f64 = 1e-9;
/// The difference of neighbouring references beyond which nothing is compared.
const CHAOS: f64 = 1e-4;
/// The uncertainty of an event's time, in parts of the run, beyond which nothing is compared.
const UNCERTAIN: f64 = 1e-2;

/// Errors of `bdf` are of one sign for many steps, and it begins anew at order one behind every
/// switch: a plain oscillation is off by 120 tolerances after one period, and the two worst models
/// of the campaign come nearer to the reference by 5 to 10 for each factor of 10 in the tolerance.
const LAG: f64 = 10.0;

/// A verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The run and its reference agree as far as they are compared.
    Agreed,
    /// The run stopped, for a reason.
    Refused(String),
    /// The kind of difference and its details.
    Wrong(&'static str, String),
}

/// The verdict on a model, with what was noticed besides.
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// The name of the family.
    pub family: &'static str,
    /// The integration method of the run.
    pub method: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// The part of the run that was compared.
    pub compared: f64,
    /// The reason why no more was compared.
    pub because: &'static str,
    /// The largest difference in parts of what the rule allows.
    pub share: f64,
}

/// A run of the product.
#[derive(Default)]
struct Motion {
    samples: Vec<(f64, State)>,
    steps: u64,
}

impl Observer for Motion {
    fn sample(&mut self, plant: &mut Plant) -> ControlFlow<()> {
        let point = plant.point();
        let two = |values: &[f64]| [0, 1].map(|at| values.get(at).copied().unwrap_or(0.0));
        let state = State { q: two(&point.q), v: two(&point.qd), s: two(&point.states) };
        self.samples.push((point.t, state));
        ControlFlow::Continue(())
    }

    fn step(&mut self, _: f64) -> ControlFlow<()> {
        self.steps += 1;
        if self.steps > STEPS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// The product's run of a model: samples, records, and how and when it ended.
fn simulate(specimen: &Specimen) -> Result<(Motion, Vec<Record>, End, f64), String> {
    let tree = Case::of(specimen.family, &specimen.text).tree;
    let mechanism = &tree.mechanism;
    let parameters = mechanism.parameters.iter().map(|one| one.value).collect();
    let State { q, v, s } = specimen.system.start;
    let size = specimen.system.mechanism.size();
    assert_eq!(mechanism.coordinates[0].name, JOINTS[0]);
    let start = InputPoint::new(0.0, q[..size].to_vec(), v[..size].to_vec(), parameters)
        .with_states(s[..specimen.system.rates.len()].to_vec());
    let mut plant =
        Plant::new(tree, start, Box::new(NoExternals)).map_err(|why| why.to_string())?;
    let accuracy = match specimen.step {
        Some(length) => Accuracy::Fixed(length),
        None => Accuracy::Within { relative: specimen.tolerance, absolute: specimen.tolerance },
    };
    let mut method = method(specimen.method, accuracy, plant.size()).expect("a known method");
    let to = specimen.system.to;
    let samples = Samples::Every(to / SAMPLES as f64);
    let options = RunOptions::new(to, samples, Threshold::AUTOMATIC);
    let mut motion = Motion::default();
    let outcome =
        run(&mut plant, method.as_mut(), &options, &mut motion).map_err(|why| why.to_string())?;
    Ok((motion, outcome.events, outcome.end, outcome.t))
}

fn apart(one: &State, two: &State) -> f64 {
    let lists = [(one.q, two.q), (one.v, two.v), (one.s, two.s)];
    let each = lists.iter().flat_map(|(a, b)| [a[0] - b[0], a[1] - b[1]]);
    each.fold(0.0, |most, one| if one.is_nan() { f64::INFINITY } else { one.abs().max(most) })
}

fn largest(state: &State) -> f64 {
    apart(state, &State { q: [0.0; 2], v: [0.0; 2], s: [0.0; 2] })
}

/// The knowledge of the references: the allowed error of a run at each sample, and the time after
/// which they know nothing.
struct Known {
    trace: Trace,
    /// `D` at each sample.
    bounds: Vec<f64>,
    horizon: f64,
    /// Why nothing is known from then on.
    because: &'static str,
}

impl Known {
    fn new(specimen: &Specimen, steps: u64) -> Known {
        let system = &specimen.system;
        let h = system.shortest / 20.0;
        let lag = if specimen.method == "bdf" { LAG } else { 1.0 };
        let errors = lag * steps.max(300) as f64;
        let trace = reference::run(system, system.start, h);
        let mut others = vec![
            (10.0, reference::run(system, system.start, 2.0 * h)),
            (errors * specimen.tolerance / APART, reference::run(system, specimen.beside, h)),
        ];
        if let Some(step) = specimen.step {
            others.push((30.0, reference::run(system, system.start, step)));
        }
        let horizon = if trace.stopped.is_some() { trace.end } else { f64::INFINITY };
        let because = trace.stopped.unwrap_or("");
        let mut known = Known { trace, bounds: Vec::new(), horizon, because };
        for (_, other) in &others {
            known.agree_about_events(&other.events, system.to);
        }
        // A joint that is let go where it was locked stands at the zero of the condition that
        // locked it.
        let close: Vec<f64> = (known.trace.events.windows(2))
            .filter(|pair| pair[1].t > pair[0].t && pair[1].t - pair[0].t < 1e-6 * system.to)
            .map(|pair| pair[0].t)
            .collect();
        close.into_iter().for_each(|t| known.limit(t, "events at a zero"));
        let every = system.to / SAMPLES as f64;
        let (mut scale, mut size): (f64, Vec<f64>) = (0.0, vec![0.0; others.len()]);
        for (at, sample) in known.trace.samples.iter().enumerate() {
            scale = scale.max(largest(sample));
            let t = at as f64 * every;
            // A sample beside an event is before it in one run and behind it in another.
            if known.trace.events.iter().all(|event| (event.t - t).abs() > 1e-4 * system.to) {
                for (size, (_, other)) in size.iter_mut().zip(&others) {
                    let other = other.samples.get(at);
                    *size = size.max(other.map_or(f64::INFINITY, |other| apart(sample, other)));
                }
            }
            if size[..2].iter().any(|size| *size > CHAOS * (1.0 + scale)) {
                known.limit(t, "chaos");
                break;
            }
            let bound: f64 =
                size.iter().zip(&others).map(|(size, (factor, _))| factor * size).sum();
            known.bounds.push(lag * 1e3 * specimen.tolerance * (1.0 + scale) + bound);
        }
        known
    }

    fn agree_about_events(&mut self, other: &[Happened], to: f64) {
        for at in 0..self.trace.events.len().max(other.len()) {
            let (one, two) = (self.trace.events.get(at), other.get(at));
            let alike = |(one, two): (&Happened, &Happened)| {
                one.name == two.name && (one.t - two.t).abs() < 1e-4 * to
            };
            if !one.zip(two).is_some_and(alike) {
                let first = [one, two].into_iter().flatten().map(|one| one.t);
                self.limit(first.fold(f64::INFINITY, f64::min), "references differ");
                return;
            }
        }
    }

    /// Nothing is known from a time on.
    fn limit(&mut self, t: f64, because: &'static str) {
        if t < self.horizon {
            (self.horizon, self.because) = (t, because);
        }
    }

    /// The allowed error of the time of an event.
    fn allowance(&self, event: &Happened, to: f64) -> f64 {
        let at = (event.t / to * SAMPLES as f64).ceil() as usize;
        let bound = self.bounds.get(at).or(self.bounds.last()).copied().unwrap_or(f64::INFINITY);
        1e-8 * to + 4.0 * bound / event.rate
    }
}

/// Runs and judges a model.
pub fn judge(specimen: &Specimen) -> Report {
    let mut report = Report {
        seed: specimen.seed,
        family: specimen.family,
        method: specimen.method,
        verdict: Verdict::Agreed,
        compared: 0.0,
        because: "",
        share: 0.0,
    };
    let to = specimen.system.to;
    let (motion, records, end, ended) = match simulate(specimen) {
        Ok(run) => run,
        Err(why) => {
            report.verdict = Verdict::Refused(why);
            return report;
        }
    };
    let mut known = Known::new(specimen, motion.steps);
    let stopped = match &end {
        End::Failed(failure) => Some(failure.to_string()),
        End::Stopped => Some(format!("more than {STEPS} steps")),
        End::Reached | End::Event(_) => None,
    };
    // Behind the end of a run there is nothing to compare.
    let last = if stopped.is_some() { ended } else { f64::INFINITY };
    let mut wrong = |kind: &'static str, details: String| {
        if report.verdict == Verdict::Agreed {
            report.verdict = Verdict::Wrong(kind, details);
        }
    };
    let mut allowances = Vec::new();
    let events = known.trace.events.clone();
    for (at, event) in events.iter().enumerate() {
        let allowance = known.allowance(event, to);
        if event.t >= known.horizon || event.t >= last {
            break;
        }
        if allowance > UNCERTAIN * to {
            known.limit(event.t - UNCERTAIN * to, "uncertain event");
            break;
        }
        allowances.push(allowance);
        let Happened { name, t, .. } = event;
        match records.get(at) {
            Some(record) if record.name == *name && (record.t - t).abs() <= allowance => {}
            found => {
                let found = found.map(|record| (&record.name, record.t));
                wrong(
                    "events",
                    format!("{found:?} instead of `{name}` at {t}, within {allowance:.1e}"),
                );
            }
        }
    }
    let horizon = known.horizon.min(last);
    report.because = known.because;
    let uncertain = UNCERTAIN * to;
    if let Some(record) = records.get(events.len()).filter(|one| one.t < horizon - uncertain) {
        wrong("events", format!("`{}` at {} did not happen", record.name, record.t));
    }
    if known.trace.ended && known.trace.end < horizon && !matches!(end, End::Event(_)) {
        wrong("end", format!("{end:?} at {ended} instead of {}", known.trace.end));
    }
    // An end that the model asks for is the end of the run.
    let whole = if known.trace.ended { known.trace.end } else { to };
    for (at, (sample, bound)) in known.trace.samples.iter().zip(&known.bounds).enumerate() {
        let t = at as f64 * to / SAMPLES as f64;
        let beside =
            |(event, allowance): (&Happened, &f64)| (event.t - t).abs() <= allowance.max(1e-6 * to);
        if t >= horizon - 1e-9 * to || (known.trace.ended && t > known.trace.end) {
            break;
        }
        report.compared = (t + to / SAMPLES as f64).min(whole) / whole;
        if events.iter().zip(&allowances).any(beside) {
            continue;
        }
        let Some((_, found)) = motion.samples.iter().find(|one| (one.0 - t).abs() < 1e-6 * to)
        else {
            wrong("end", format!("no sample at {t}: {end:?} at {ended}"));
            break;
        };
        let share = apart(sample, found) / bound;
        report.share = report.share.max(share);
        if share > 1.0 {
            wrong("motion", format!("at {t}: {found:?} instead of {sample:?}, within {bound:.1e}"));
            break;
        }
    }
    if let (Some(why), Verdict::Agreed) = (stopped, &report.verdict) {
        report.verdict = Verdict::Refused(format!("{why} ({})", specimen.method));
    }
    report
}
