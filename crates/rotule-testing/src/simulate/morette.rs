//! The mechanisms on which Morette (2017) counts changes of independent coordinates, and his
//! tables.

use super::loops::{Setup, observe};
use super::{Conserved, Kept, example, plant, within};
use rotule_simulate::run::{Observer, Outcome, Threshold};
use std::time::Instant;

/// Thresholds of the thesis with its number of changes and its seconds (Matlab, ODE45; five bars, 5
/// s).
pub const FIVE_BARS: [(f64, u32, f64); 15] = [
    (1.0, 3289, 78.8),
    (2.0, 2170, 55.2),
    (3.0, 711, 24.3),
    (4.0, 488, 19.2),
    (5.0, 304, 12.2),
    (6.0, 293, 11.1),
    (7.0, 290, 10.9),
    (8.0, 289, 10.8),
    (9.0, 127, 8.1),
    (10.0, 122, 7.9),
    (11.0, 25, 6.2),
    (12.0, 24, 6.1),
    (13.0, 20, 5.9),
    (14.0, 18, 5.8),
    (15.0, 17, 5.6),
];

/// A run with a threshold.
pub struct Swept {
    /// The outcome of the run.
    pub outcome: Outcome,
    /// The samples.
    pub kept: Kept,
    /// The largest change of the energy, relative.
    pub energy: f64,
    /// The time that the run took.
    pub seconds: f64,
}

/// Five equal bars.
pub fn five_bars() -> String {
    example("seeds/five_equal_bars.toml")
}

/// A platform on six legs, from a start whose partition is a name of the table [`STARTS`].
pub fn stewart(start: &Start) -> String {
    let text = example("seeds/stewart_spinning.toml");
    // The file gives strokes the lead: another lead takes their place.
    let mut text = text.replace("partition = \"independent\", ", "");
    for name in start.independent {
        let joint = format!("name = \"{name}\", type");
        assert!(text.contains(&joint), "no joint {name}");
        text =
            text.replace(&joint, &format!("name = \"{name}\", partition = \"independent\", type"));
    }
    text
}

/// A start of the platform.
pub struct Start {
    /// The name in tables.
    pub name: &'static str,
    /// Joints that lead at first.
    pub independent: &'static [&'static str],
}

/// Starts that need changes of coordinates, and one that does not.
pub const STARTS: [Start; 3] = [
    Start {
        name: "strokes lead",
        independent: &["stroke1", "stroke2", "stroke3", "stroke4", "stroke5", "stroke6"],
    },
    Start { name: "three legs lead", independent: &["foot1", "stroke1", "foot3", "stroke5"] },
    Start { name: "the platform leads", independent: &["px", "py", "pz", "pitch", "roll", "yaw"] },
];

/// Runs a model with a threshold, with samples 0.05 s apart.
pub fn sweep(
    text: &str,
    method: &'static str,
    tolerance: f64,
    to: f64,
    threshold: Threshold,
) -> Swept {
    let mut plant = plant(text);
    let mut energy = Conserved::new(&mut plant);
    let mut kept = Kept::default();
    let setup = Setup { threshold, ..Setup::new(to, 0.05).by(method, within(tolerance)) };
    let begun = Instant::now();
    let outcome = observe(&mut plant, setup, |plant| {
        let _ = energy.sample(plant);
        let _ = kept.sample(plant);
    });
    Swept { outcome, kept, energy: energy.relative(), seconds: begun.elapsed().as_secs_f64() }
}

impl Swept {
    /// The largest difference of a coordinate from another run up to a time.
    pub fn apart(&self, other: &Swept, until: f64) -> f64 {
        let pairs = self.kept.points.iter().zip(&other.kept.points);
        let pairs = pairs.take_while(|(a, b)| a.t <= until && (a.t - b.t).abs() < 1e-9);
        let all = pairs.flat_map(|(a, b)| a.q.iter().zip(&b.q).map(|(a, b)| (a - b).abs()));
        all.fold(0.0, |most, one| if one <= most { most } else { one })
    }
}
