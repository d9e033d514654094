//! The verdict on one mechanism.
//!
//! The rule: let `d(t)` be the largest difference of any coordinate between the first and the second run, in metres
//! and radians (mechanisms are about a metre large), and `p(t)` the largest difference so far between the first run and the
//! third, which began `1e-9` away. Wherever `p(t) < 1e-3`, the runs agree if
//!
//! ```text
//! d(t) <= 1e-6 + 300 p(t)
//! ```
//!
//! The tolerance of the first run is as large as the distance of the third, so that `p` is what the mechanism makes of one
//! error of this size, and 300 the number of such errors. Beyond `p = 1e-3` nothing is compared: motions are
//! chaotic there. Constraints of positions must hold to 1e-9 at every sample, those of velocities to 1e-7 of the speeds, and
//! energy to 1e-5 of the largest kinetic energy where it is conserved, at the same times.

use super::motion::{EVERY, Motion, Way, distance, quaternions};
use super::specimen::Specimen;
use rotule_formalism::Shelf;
use rotule_simulate::augmented::Form;

/// The length of all runs.
pub const HORIZON: f64 = 2.0;
/// The divergence of the third run beyond which motions are not compared.
const CHAOS: f64 = 1e-3;
/// The time up to which comparisons should reach.
const LEAST: f64 = 1.0;

const FIRST: Way = Way { form: Form::Partition, method: "dop853", tolerance: 1e-9 };
const SECOND: Way = Way { form: Form::Projection, method: "dormand-prince", tolerance: 1e-10 };
const INSTEAD: Way = Way { form: Form::Partition, method: "dormand-prince", tolerance: 1e-11 };
const TIGHT: [Way; 2] = [
    Way { form: Form::Partition, method: "dop853", tolerance: 1e-11 },
    Way { form: Form::Projection, method: "dop853", tolerance: 1e-11 },
];

/// A verdict.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// The runs agree up to the horizon or to chaos.
    Agreed,
    /// The first run stopped, for a reason.
    Refused(String),
    /// Runs disagree, or one breaks an invariant: the kind and the details.
    Wrong(&'static str, String),
}

/// The verdict on a mechanism, with what was noticed besides.
pub struct Report {
    pub seed: u64,
    pub family: &'static str,
    pub verdict: Verdict,
    /// The time up to which runs were compared.
    pub compared: f64,
    /// True if chaos ended the comparison before [`LEAST`].
    pub early: bool,
    /// A fault of the second run, projection: a reason.
    pub projection: Option<String>,
    /// The largest difference in parts of what the rule allows.
    pub share: f64,
    /// The largest change of the energy.
    pub drift: f64,
    /// Changes of the partition in the first run.
    pub switches: usize,
}

impl Report {
    /// An empty report.
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

fn allowed(diverged: f64) -> f64 {
    1e-6 + 300.0 * diverged
}

/// Runs and judges the mechanism of a seed.
pub fn judge(specimen: &Specimen) -> Report {
    let mut report = Report::new(specimen.seed, specimen.family, Verdict::Agreed);
    let mut tree = specimen.tree.clone();
    tree.shelf = Some(Shelf::new(&tree));
    let go = |way: Way| Motion::new(specimen, &tree, &specimen.start, way, HORIZON);
    let first = match go(FIRST) {
        Ok(first) => first,
        Err(why) => {
            report.verdict = Verdict::Refused(why);
            return report;
        }
    };
    report.switches = first.switches;
    let of = quaternions(&tree);
    let third = Motion::new(specimen, &tree, &specimen.beside, FIRST, HORIZON);
    // The divergence so far, at each sample.
    let mut diverged = Vec::new();
    let mut most = 0.0_f64;
    if let Ok(third) = &third {
        for (a, b) in first.points.iter().zip(&third.points) {
            most = most.max(distance(&of, a, b));
            diverged.push(most);
        }
    }
    let calm = diverged.iter().take_while(|&&most| most < CHAOS).count();
    report.compared = EVERY * (calm as f64 - 1.0).max(0.0);
    report.early = calm < diverged.len() && report.compared < LEAST;
    let second = go(SECOND);
    let faulty = |motion: &Motion| -> Option<String> {
        if let Some((why, t)) = &motion.stopped {
            return Some(format!("{why} (at {t:.3} s)"));
        }
        open(motion)
    };
    let (second, way) = match second {
        Ok(second) if faulty(&second).is_none() => (Ok(second), SECOND),
        Ok(second) => {
            report.projection = faulty(&second);
            match second.stopped {
                None => (Ok(second), SECOND),
                Some(_) => (go(INSTEAD), INSTEAD),
            }
        }
        Err(why) => {
            report.projection = Some(why);
            (go(INSTEAD), INSTEAD)
        }
    };
    report.drift = first.drift;
    // Where the first run stops, the last samples before it may be worse than a tolerance promises.
    let until = if first.stopped.is_some() { calm.saturating_sub(5) } else { calm };
    let apart = |other: &Motion| -> Option<(usize, f64)> {
        let pairs = first.points.iter().zip(&other.points).zip(&diverged).take(until);
        pairs.enumerate().find_map(|(at, ((a, b), &diverged))| {
            let d = distance(&of, a, b);
            (d > allowed(diverged) || d.is_nan()).then_some((at, d))
        })
    };
    if let Ok(second) = &second {
        let pairs = first.points.iter().zip(&second.points).zip(&diverged).take(until);
        report.share = pairs
            .map(|((a, b), &diverged)| distance(&of, a, b) / allowed(diverged))
            .fold(0.0, f64::max);
        if let Some((at, d)) = apart(second) {
            let finer = TIGHT.map(|way| match go(way) {
                Err(why) => format!("{} 1e-11: {why}", way.form.word()),
                Ok(finer) => {
                    let there = |motion: &Motion| match motion.points.get(at).zip(finer.points.get(at)) {
                        Some((a, b)) => format!("{:.1e}", distance(&of, a, b)),
                        None => "stopped".to_owned(),
                    };
                    let word = way.form.word();
                    format!("{word} 1e-11 is {} from the first, {} from the second", there(&first), there(second))
                }
            });
            let t = EVERY * at as f64;
            let divergence = diverged[at];
            report.verdict = Verdict::Wrong(
                "coordinates",
                format!(
                    "{} differs by {d:.1e} at {t:.2} s, divergence {divergence:.1e}, {} changes of partition; {}",
                    way.form.word(),
                    first.switches,
                    finer.join("; ")
                ),
            );
            return report;
        }
    }
    if let Some((why, t)) = &first.stopped {
        report.verdict = Verdict::Refused(format!("{why} (at {t:.3} s)"));
        return report;
    }
    if let Some(why) = open(&first) {
        report.verdict = Verdict::Wrong("open", format!("partition: {why}"));
    } else if specimen.conservative && (first.drift > 1e-5 || first.drift.is_nan()) {
        report.verdict = Verdict::Wrong("energy", format!("changes by {:.1e}", first.drift));
    }
    report
}

/// How far a motion is open, if it is.
fn open(motion: &Motion) -> Option<String> {
    let [h, v] = motion.open;
    let closed = h <= 1e-9 && v <= 1e-7;
    (!closed).then(|| format!("open by {h:.1e}, speeds by {v:.1e}"))
}
