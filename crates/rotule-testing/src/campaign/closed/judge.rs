//! The verdict on one mechanism.
//!
//! The rule: let `d(t)` be the largest difference between the first and the second run: of any
//! coordinate, in metres and radians (mechanisms are about a metre large), or of any speed in parts
//! of one more than the largest; and `p(t)` the largest difference so far from a run that began
//! `1e-9` away, in that form in which it is smaller. Wherever `p(t) < 1e-3`, the runs agree if
//!
//! ```text
//! d(t) <= (1e-6 + 300 p(t)) max(1, 0.01/s(t))
//! ```
//!
//! The tolerance of the first run is as large as that distance, so that `p` is what the mechanism
//! makes of one error of this size, and 300 the number of such errors. The smallest singular value
//! of `J`, in parts of the largest, is `s`: near singular positions of the mechanism, speeds are
//! known to so many digits less, whatever the partition. Beyond `p = 1e-3` motions are chaotic and
//! are not compared.
//!
//! Invariants hold at every sample of the first run, chaotic or not: constraints of positions to
//! 1e-10, those of velocities to 1e-7 of the speeds, and the energy to 1e-5 of its largest part
//! where it is conserved. Where the second run breaks them, that is counted as a fault of
//! projection.

use super::motion::{EVERY, Motion, Sample, Way, distance, quaternions};
use super::specimen::Specimen;
use rotule_formalism::ProgramCache;
use rotule_simulate::augmented::ConstraintForm;

/// The length of all runs.
pub const HORIZON: f64 = 2.0;
/// The divergence of neighbouring runs beyond which motions are not compared.
const CHAOS: f64 = 1e-3;
/// The time up to which comparisons should reach.
const LEAST: f64 = 1.0;
/// Samples before an early stop that are not compared: what stops a run has spoiled its last steps.
const SPOILED: usize = 5;

const FIRST: Way = Way { form: ConstraintForm::Partition, method: "dop853", tolerance: 1e-9 };
const SECOND: Way =
    Way { form: ConstraintForm::Projection, method: "dormand-prince", tolerance: 1e-10 };
/// The run that takes the place of a second one that stopped.
const INSTEAD: Way =
    Way { form: ConstraintForm::Partition, method: "dormand-prince", tolerance: 1e-11 };
/// Runs that tell which of two motions that differ is wrong.
const REFEREES: [Way; 2] = [
    Way { form: ConstraintForm::Partition, method: "dop853", tolerance: 1e-11 },
    Way { form: ConstraintForm::Projection, method: "dop853", tolerance: 1e-11 },
];

/// A verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The runs agree up to the horizon or to chaos.
    Agreed,
    /// The first run stopped, for a reason.
    Refused(String),
    /// Wrong, but after a singular position of the mechanism that one of the runs says it has
    /// passed: its verdict warns that digits were lost there, so that nobody is misled.
    Warned(&'static str, String),
    /// Runs disagree, or the first breaks an invariant: the kind and the details.
    Wrong(&'static str, String),
}

/// The verdict on a mechanism, with what was noticed besides.
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// The name of the family.
    pub family: &'static str,
    /// The verdict.
    pub verdict: Verdict,
    /// The time up to which runs were compared.
    pub compared: f64,
    /// True if chaos ended the comparison before `LEAST`.
    pub early: bool,
    /// A fault of the second run, by projection.
    pub projection: Option<String>,
    /// The largest difference in parts of what the rule allows.
    pub share: f64,
    /// The largest change of the energy, relative.
    pub drift: f64,
    /// Changes of the partition in the first run.
    pub switches: usize,
}

impl Report {
    /// A report of a verdict alone.
    pub fn new(seed: u64, family: &'static str, verdict: Verdict) -> Report {
        Report {
            seed,
            family,
            verdict,
            compared: 0.0,
            early: false,
            projection: None,
            share: 0.0,
            drift: 0.0,
            switches: 0,
        }
    }
}

/// Runs and judges a mechanism.
pub fn judge(specimen: &Specimen) -> Report {
    let mut report = Report::new(specimen.seed, specimen.family, Verdict::Agreed);
    let mut tree = specimen.tree.clone();
    // Three runs of one mechanism need the same programs.
    tree.program_cache = Some(ProgramCache::new(&tree));
    let go = |way: Way| Motion::new(specimen, &tree, &specimen.start, way, HORIZON);
    let first = match go(FIRST) {
        Ok(first) => first,
        Err(why) => {
            report.verdict = Verdict::Refused(why);
            return report;
        }
    };
    let second = go(SECOND);
    let of = quaternions(&tree);
    // Both forms are tested for chaotic motions: one that jumps diverges, too.
    let divergences =
        [(FIRST, Some(&first)), (SECOND, second.as_ref().ok())].map(|(way, motion)| {
            let beside = Motion::new(specimen, &tree, &specimen.beside, way, HORIZON);
            motion.zip(beside.ok()).map_or(Vec::new(), |(one, other)| divergence(&of, one, &other))
        });
    let mut comparison = Comparison::new(of, &divergences);
    report.compared = EVERY * comparison.calm.saturating_sub(1) as f64;
    report.early = comparison.chaotic && report.compared < LEAST;
    report.switches = first.switches;
    report.drift = first.samples.iter().map(|sample| sample.drift).fold(0.0, f64::max);
    if first.stopped.is_some() {
        comparison.calm = comparison.calm.min(first.samples.len().saturating_sub(SPOILED));
    }
    report.projection = match &second {
        Ok(second) if second.passed.is_some() => second.stop(),
        Ok(second) => second.stop().or_else(|| broken(&second.samples).map(|(_, why)| why)),
        Err(why) => Some(why.clone()),
    };
    let (second, way) = match second {
        Ok(second) if second.stopped.is_none() => (Ok(second), SECOND),
        _ => (go(INSTEAD), INSTEAD),
    };
    if let Ok(second) = &second {
        report.share = comparison.share(&first, second);
        if let Some(at) = comparison.apart(&first, second) {
            let [a, b] = [&first, second].map(|motion| &motion.samples[at]);
            let referees = REFEREES.map(|way| match go(way) {
                Err(why) => why,
                Ok(motion) => comparison.referee(way, &motion, at, [a, b]),
            });
            let details = format!(
                "{} {:e} differs by {:.1e} at {:.2} s, divergence {:.1e}, {} changes of partition; {}",
                way.form.word(),
                way.tolerance,
                distance(&comparison.quaternions, a, b),
                EVERY * at as f64,
                comparison.diverged[at],
                first.switches,
                referees.join("; ")
            );
            let passed = [first.passed, second.passed].into_iter().flatten();
            let warned = passed.fold(f64::INFINITY, f64::min) <= EVERY * at as f64;
            report.verdict = match warned {
                true => Verdict::Warned("coordinates", details),
                false => Verdict::Wrong("coordinates", details),
            };
            return report;
        }
    }
    let sound = match first.stopped {
        Some(_) => first.samples.len().saturating_sub(SPOILED),
        None => first.samples.len(),
    };
    report.verdict = match (broken(&first.samples[..sound]), first.stop()) {
        (Some((kind, why)), _) if first.passed.is_some() => Verdict::Warned(kind, why),
        (Some((kind, why)), _) => Verdict::Wrong(kind, why),
        (None, Some(why)) => Verdict::Refused(why),
        (None, None) => Verdict::Agreed,
    };
    report
}

/// The first sample that breaks an invariant: the kind, and what is broken when.
fn broken(samples: &[Sample]) -> Option<(&'static str, String)> {
    samples.iter().enumerate().find_map(|(at, sample)| {
        let ([h, v], t) = (sample.open, EVERY * at as f64);
        let closed = h <= 1e-10 && v <= 1e-7;
        match closed {
            false => Some(("open", format!("open by {h:.1e}, speeds by {v:.1e} at {t:.2} s"))),
            true if sample.drift <= 1e-5 => None,
            true => Some(("energy", format!("changed by {:.1e} at {t:.2} s", sample.drift))),
        }
    })
}

/// The largest distance of two motions so far, at each sample.
fn divergence(quaternions: &[Option<usize>], one: &Motion, other: &Motion) -> Vec<f64> {
    let mut most = 0.0_f64;
    let pairs = one.samples.iter().zip(&other.samples);
    pairs
        .map(|(a, b)| {
            most = most.max(distance(quaternions, a, b));
            most
        })
        .collect()
}

/// The allowed difference, and the time until which it holds.
struct Comparison {
    quaternions: Vec<Option<usize>>,
    /// The divergence of the neighbouring runs so far, at each sample.
    diverged: Vec<f64>,
    /// Samples that are compared.
    calm: usize,
    /// True if chaos set in before the end.
    chaotic: bool,
}

impl Comparison {
    fn new(quaternions: Vec<Option<usize>>, divergences: &[Vec<f64>; 2]) -> Comparison {
        let [a, b] = divergences;
        let at = |list: &[f64], at: usize| list.get(at).copied().unwrap_or(f64::INFINITY);
        let diverged: Vec<f64> =
            (0..a.len().max(b.len())).map(|sample| at(a, sample).min(at(b, sample))).collect();
        let calm = diverged.iter().take_while(|&&most| most < CHAOS).count();
        let chaotic = calm < diverged.len();
        Comparison { quaternions, diverged, calm, chaotic }
    }

    /// Differences of two motions in parts of what is allowed.
    fn shares(&self, a: &Motion, b: &Motion) -> impl Iterator<Item = f64> {
        let pairs = a.samples.iter().zip(&b.samples).zip(&self.diverged).take(self.calm);
        pairs
            .map(|((a, b), diverged)| distance(&self.quaternions, a, b) / (1e-6 + 300.0 * diverged))
    }

    fn share(&self, a: &Motion, b: &Motion) -> f64 {
        self.shares(a, b).fold(0.0, f64::max)
    }

    /// The first sample in which two motions differ by more than is allowed.
    fn apart(&self, a: &Motion, b: &Motion) -> Option<usize> {
        self.shares(a, b).position(|share| share.is_nan() || share > 1.0)
    }

    /// The distance of a motion from two others at a sample, in words.
    fn referee(&self, way: Way, motion: &Motion, at: usize, others: [&Sample; 2]) -> String {
        let word = way.form.word();
        match motion.samples.get(at) {
            None => format!("{word} {:e}: {}", way.tolerance, motion.stop().unwrap_or_default()),
            Some(sample) => {
                let [first, second] =
                    others.map(|other| distance(&self.quaternions, sample, other));
                format!(
                    "{word} {:e} is {first:.1e} from the first, {second:.1e} from the second",
                    way.tolerance
                )
            }
        }
    }
}
