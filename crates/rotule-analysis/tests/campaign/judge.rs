//! Verdicts of campaigns of random closed mechanisms, and their table.

use rotule_formalism::{Formalism, ModelFunction, MultibodySystem};
use rotule_numeric::generate;
use rotule_program::NoExternals;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::quantity::EvaluatedFunction;
use std::collections::BTreeMap;

/// The end of one mechanism.
pub enum Verdict {
    /// Both computations agree; the largest difference.
    Agreed(f64),
    /// Both computations agree that there is no result, for a reason.
    Absent(&'static str),
    /// Nothing could be computed, with the reason.
    Refused(String),
    /// They differ.
    Wrong(String),
}

/// Forward dynamics in a formalism that no analysis uses.
pub fn forward(tree: &MultibodySystem, point: &InputPoint) -> Result<EvaluatedFunction, String> {
    let forward = ModelFunction::parse("forward", tree).expect("a function");
    let made = generate(tree, &forward, Some(Formalism::Barycentric)).map_err(|why| why.message)?;
    let kernel = rotule_jit::KernelKind::Interpreter;
    let mut forward =
        EvaluatedFunction::of(tree, made.program, kernel).map_err(|why| why.message)?;
    forward.setup(point, &mut NoExternals);
    Ok(forward)
}

/// The verdicts on many seeds.
pub struct Tally {
    /// Number of seeds that agreed, were refused, and are wrong.
    pub counts: [usize; 3],
    /// The table.
    pub text: String,
}

impl Tally {
    /// Returns `true` if none is wrong and 95 % agree.
    pub fn is_good(&self) -> bool {
        let [agreed, refused, wrong] = self.counts;
        wrong == 0 && 100 * agreed >= 95 * (agreed + refused)
    }
}

/// Judges seeds by a rule.
pub fn tally(seeds: impl Iterator<Item = u64>, judge: fn(u64) -> Verdict) -> Tally {
    let mut counts = [0; 3];
    let mut worst = 0.0_f64;
    let mut reasons: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for seed in seeds {
        let (place, reason) = match judge(seed) {
            Verdict::Agreed(error) => {
                worst = worst.max(error);
                (0, None)
            }
            Verdict::Absent(why) => (0, Some(format!("agreed: {why}"))),
            Verdict::Refused(why) => (1, Some(format!("refused: {why}"))),
            Verdict::Wrong(why) => (2, Some(format!("wrong: {why}"))),
        };
        counts[place] += 1;
        if let Some(reason) = reason {
            reasons.entry(reason).or_default().push(seed);
        }
    }
    let [agreed, refused, wrong] = counts;
    let mut text = format!(
        "agreed {agreed} (largest difference {worst:.1e} of what is allowed), refused {refused}, wrong {wrong}\n"
    );
    for (reason, seeds) in reasons {
        let first: Vec<String> = seeds.iter().take(5).map(u64::to_string).collect();
        text += &format!("  {} x {reason}; seeds {}\n", seeds.len(), first.join(", "));
    }
    Tally { counts, text }
}
