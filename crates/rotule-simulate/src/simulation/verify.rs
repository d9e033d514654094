//! The verification of a run: the same motion with tighter tolerances and in another form, compared
//! point by point.
//!
//! Two runs that share neither steps nor the way in which loops are kept closed agree only in what
//! is right of both. The difference is told in digits: the negative decimal logarithm of the
//! largest difference, in parts of the largest number of the same unit.

use super::{Balance, SimulationOptions};
use crate::augmented::ConstraintForm;
use crate::inputs::InputPoint;
use crate::method::Accuracy;
use crate::methods::{canonical_method, is_second_order};
use crate::run::Samples;
use rotule_formalism::units;
use rotule_model::mechanism::{Joint, Mechanism};
use rotule_symbolic::elementary::log10;
use rotule_symbolic::figures::shown;
use serde_json::{Value, json};

/// Points of a run that are kept at most.
const POINTS: usize = 10_000;
/// Fewer digits than this are a warning.
pub(super) const DIGITS: f64 = 3.0;
/// More digits than this are not told apart from rounding.
const MOST: f64 = 16.0;
/// Tolerances are divided, and steps are halved.
const TIGHTER: f64 = 100.0;
/// The tightest relative tolerance of a verification, above rounding.
const TIGHTEST: f64 = 1e-13;

/// Coordinates and speeds of a run at some of its samples.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    points: Vec<(f64, Vec<f64>)>,
    /// Every so many samples one is kept.
    stride: usize,
    seen: usize,
}

impl Trace {
    /// Keeps a sample; when there are too many, every second one goes.
    pub fn push(&mut self, point: &InputPoint) {
        self.stride = self.stride.max(1);
        if self.seen.is_multiple_of(self.stride) {
            let numbers = point.q.iter().chain(&point.qd).copied().collect();
            self.points.push((point.t, numbers));
        }
        self.seen += 1;
        if self.points.len() > POINTS {
            let mut at = 0;
            self.points.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// The time of the last point.
    fn end(&self) -> f64 {
        self.points.last().map_or(0.0, |(t, _)| *t)
    }
}

/// The agreement of two runs.
#[derive(Clone, Debug, PartialEq)]
pub struct Verification {
    /// The other run in words.
    pub other: String,
    /// Digits of coordinates and of speeds that agree.
    pub digits: [f64; 2],
    /// The name of what agrees least, and when.
    pub worst: Option<(String, f64)>,
    /// The name of what first has too few digits, and when.
    pub lost: Option<(String, f64)>,
    /// The last time that was compared.
    pub until: f64,
    /// Why the other run ended early, if it did.
    pub incomplete: Option<String>,
}

impl Verification {
    /// Compares two runs at the times that both have.
    pub fn compare(
        mechanism: &Mechanism,
        run: &Trace,
        against: &Trace,
        other: String,
        incomplete: Option<String>,
    ) -> Verification {
        let kinds = kinds(mechanism);
        let scales: Vec<f64> = kinds
            .iter()
            .map(|kind| {
                let own = |numbers: &Vec<f64>| {
                    let same = numbers.iter().zip(&kinds).filter(|one| one.1.unit == kind.unit);
                    same.map(|(number, _)| number.abs()).fold(0.0, f64::max)
                };
                run.points.iter().map(|(_, numbers)| own(numbers)).fold(0.0, f64::max)
            })
            .collect();
        let quaternions: Vec<_> = mechanism.joints.iter().filter_map(Joint::quaternion).collect();
        let mut found = Verification {
            other,
            digits: [MOST; 2],
            worst: None,
            lost: None,
            until: run.end().min(against.end()),
            incomplete,
        };
        let mut least = MOST;
        let mut there = against.points.iter().peekable();
        for (t, numbers) in &run.points {
            let near = 1e-9 * (1.0 + t.abs());
            while there.next_if(|(other, _)| *other < t - near).is_some() {}
            let Some((_, others)) = there.peek().filter(|(other, _)| *other <= t + near) else {
                continue;
            };
            let mut others = others.clone();
            // A quaternion and its opposite are one rotation.
            for range in &quaternions {
                let pairs = numbers[range.clone()].iter().zip(&others[range.clone()]);
                if pairs.map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                    others[range.clone()].iter_mut().for_each(|part| *part = -*part);
                }
            }
            for (at, kind) in kinds.iter().enumerate() {
                let difference = (numbers[at] - others[at]).abs();
                if difference == 0.0 {
                    continue;
                }
                // What is not a number agrees in nothing.
                let digits = -log10(difference / scales[at]);
                let digits = if digits.is_nan() { 0.0 } else { digits.clamp(0.0, MOST) };
                let level = &mut found.digits[usize::from(kind.speed)];
                *level = level.min(digits);
                if digits < least {
                    least = digits;
                    found.worst = Some((kind.name.clone(), *t));
                }
                if digits < DIGITS && found.lost.is_none() {
                    found.lost = Some((kind.name.clone(), *t));
                }
            }
        }
        found
    }

    /// The result in one line.
    pub fn text(&self) -> String {
        let worst = self.worst.as_ref().map_or(String::new(), |(name, t)| {
            format!(" (worst: {name} at t = {} s)", shown(*t, 6))
        });
        let [coordinates, speeds] = self.digits;
        format!("{coordinates:.1} digits of coordinates, {speeds:.1} of speeds{worst}")
    }

    /// The result as JSON.
    pub fn json(&self) -> Value {
        let place = |place: &Option<(String, f64)>| {
            place.as_ref().map(|(name, t)| json!({ "name": name, "t": t }))
        };
        json!({
            "against": self.other,
            "digits": { "coordinates": self.digits[0], "speeds": self.digits[1] },
            "worst": place(&self.worst),
            "lost": place(&self.lost),
            "until": self.until,
        })
    }
}

/// A number of a point.
struct Number {
    name: String,
    unit: &'static str,
    speed: bool,
}

/// All coordinates, then all speeds.
fn kinds(mechanism: &Mechanism) -> Vec<Number> {
    let names = mechanism.coordinates.iter().map(|one| one.name.clone());
    let coordinates = names.zip(units::of_coordinates(mechanism));
    let names = mechanism.speeds.iter().map(|one| one.name.clone());
    let speeds = names.zip(units::by_speed(mechanism, units::SPEED));
    let coordinates = coordinates.map(|(name, unit)| Number { name, unit, speed: false });
    coordinates.chain(speeds.map(|(name, unit)| Number { name, unit, speed: true })).collect()
}

/// Requests that verify a run, the best first, each with its words: tighter, in another form or by
/// another method. The last one is possible for every model.
pub fn other_requests(
    options: &SimulationOptions,
    constrained: bool,
) -> Vec<(SimulationOptions, String)> {
    let accuracy = match options.accuracy {
        Accuracy::Fixed(step) => Accuracy::Fixed(0.5 * step),
        Accuracy::Within { relative, absolute } => Accuracy::Within {
            relative: (relative / TIGHTER).max(TIGHTEST.min(relative)),
            absolute: absolute / TIGHTER,
        },
    };
    let second = is_second_order(&options.method);
    let own = canonical_method(&options.method);
    let mut other = SimulationOptions { accuracy, balance: Balance::Off, ..options.clone() };
    let mut found = Vec::new();
    if constrained {
        let partition =
            !second && matches!(options.constraints, None | Some(ConstraintForm::Partition));
        let form = if partition { ConstraintForm::Projection } else { ConstraintForm::Partition };
        let method = match own.as_str() {
            _ if second => "rk4",
            "bdf" if partition => "radau",
            method => method,
        };
        let method = method.to_owned();
        found.push(SimulationOptions { method, constraints: Some(form), ..other.clone() });
    }
    let method = match own.as_str() {
        "dop853" => "dormand-prince",
        "dormand-prince" => "dop853",
        "radau" => "bdf",
        "bdf" => "radau",
        same => same,
    };
    // A history cannot be projected.
    if !(method == "bdf" && options.constraints == Some(ConstraintForm::Projection)) {
        other.method = method.to_owned();
    }
    found.push(other);
    let words = |options: SimulationOptions| {
        let accuracy = match options.accuracy {
            Accuracy::Fixed(step) => format!("steps of {} s", shown(step, 6)),
            Accuracy::Within { relative, .. } => format!("--rtol {relative:.0e}"),
        };
        let form = options.constraints.map_or(String::new(), |form| format!(", {}", form.word()));
        let text = format!("{} with {accuracy}{form}", options.method);
        (options, text)
    };
    found.into_iter().map(words).collect()
}

/// The time between samples that two runs share.
pub fn shared_samples(options: &SimulationOptions) -> Samples {
    match options.samples {
        Samples::Steps => Samples::Every(options.to / 1000.0),
        every => every,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rotule_model::{ReadOptions, load_text};

    fn point(t: f64, x: f64) -> InputPoint {
        InputPoint::new(t, vec![x], vec![x], Vec::new())
    }

    #[test]
    fn a_trace_stays_small_and_keeps_its_first_point() {
        let mut trace = Trace::default();
        for number in 0..35_000 {
            trace.push(&point(f64::from(number), 0.0));
        }
        assert!((POINTS / 2..=POINTS).contains(&trace.points.len()), "{}", trace.points.len());
        let distances = trace.points.windows(2).map(|pair| pair[1].0 - pair[0].0);
        assert!(distances.into_iter().all(|distance| distance == 4.0));
        assert_eq!(trace.points[0].0, 0.0);
    }

    #[test]
    fn a_quaternion_and_its_opposite_are_one_rotation() {
        let text = "[model]\nname = \"ball\"\n[[body]]\nname = \"top\"\nparent = \"ground\"\n\
            joint = { name = \"q\", type = \"spherical\" }\nmass = 1\n\
            inertia = { xx = 1, yy = 1, zz = 1 }\n";
        let mechanism = load_text("ball", text, &ReadOptions::default()).expect("a valid model");
        let trace = |sign: f64, speed: f64| {
            let mut trace = Trace::default();
            let q = [0.6, 0.8, 0.0, 0.0].map(|part| sign * part);
            trace.push(&InputPoint::new(0.5, q.to_vec(), vec![speed, 0.0, 0.0], Vec::new()));
            trace
        };
        let compare = |sign: f64, speed: f64| {
            let (own, other) = (trace(1.0, 1.0), trace(sign, speed));
            Verification::compare(&mechanism, &own, &other, String::new(), None)
        };
        assert_eq!(compare(-1.0, 1.0).digits, [MOST; 2]);
        let found = compare(-1.0, 1.0 + 1e-2);
        assert!((found.digits[1] - 2.0).abs() < 1e-9, "{found:?}");
        assert_eq!(found.lost.map(|(_, t)| t), Some(0.5));
    }
}
