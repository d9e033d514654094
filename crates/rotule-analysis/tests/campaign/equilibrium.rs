//! Equilibria of random closed mechanisms, whose drives stand still: accelerations by composite
//! bodies vanish there.

use crate::judge::{Verdict, forward};
use nalgebra::{DMatrix, DVector};
use rotule_analysis::equations::EquilibriumRequest;
use rotule_analysis::equilibrium::equilibrium;
use rotule_analysis::modes::modes;
use rotule_numeric::state::StateNumbers;
use rotule_program::NoExternals;
use rotule_testing::campaign::closed::specimen::Specimen;
use rotule_testing::formalism::case::Case;

/// The largest force that may be left, in weights of the mechanism.
const ALLOWED: f64 = 1e-8;

/// The equilibrium of a seed.
pub fn judge_equilibrium(seed: u64) -> Verdict {
    let specimen = match Specimen::new(seed) {
        Ok(specimen) => specimen,
        Err(why) => return Verdict::Refused(format!("assembly: {why}")),
    };
    let text = frozen(&specimen.text);
    let tree = Case::of(specimen.family, &text).tree;
    let mut state = StateNumbers::initial(&tree);
    state.q.clone_from(&specimen.start.q);
    state.qd.fill(0.0);
    let request = EquilibriumRequest::default();
    let found = match equilibrium(&tree, &state, &request, Box::new(NoExternals)) {
        Ok(found) => found,
        Err(why) => return Verdict::Refused(why.message),
    };
    if !found.balanced {
        let neutral = if found.neutral.is_empty() { "held" } else { "free to move" };
        return Verdict::Refused(format!("no equilibrium was found; {neutral}"));
    }
    if found.independent.is_empty() {
        return Verdict::Agreed(0.0);
    }
    let masses = match modes(&tree, &found.state, Box::new(NoExternals)) {
        Ok(masses) => masses.matrix,
        Err(why) => return Verdict::Refused(format!("masses: {}", why.message)),
    };
    let mut point = specimen.start.clone();
    point.q.clone_from(&found.state.q);
    point.qd.clone_from(&found.state.qd);
    let mut forward = match forward(&tree, &point) {
        Ok(forward) => forward,
        Err(why) => return Verdict::Refused(why),
    };
    if !forward.evaluate(&point, &mut NoExternals) {
        return Verdict::Refused("forward dynamics does not close the loops".to_owned());
    }
    let qdd = forward.output(0);
    let own = masses.speeds.iter().map(|&at| qdd[at]);
    let mass: &DMatrix<f64> = &masses.mass;
    let force = mass * DVector::from_iterator(mass.nrows(), own);
    let most = force.amax() / found.units.0;
    let fast = qdd.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    match most <= ALLOWED {
        true => Verdict::Agreed(most / ALLOWED),
        false => Verdict::Wrong(format!(
            "a force of {most:e} and an acceleration of {fast:e} are left in {}, amplification {:e}",
            specimen.family, found.amplification
        )),
    }
}

/// The model file with time at zero.
fn frozen(text: &str) -> String {
    ["*t)", "*t\"", "*t^2"]
        .iter()
        .fold(text.to_owned(), |text, law| text.replace(law, &law.replace('t', "0")))
}
