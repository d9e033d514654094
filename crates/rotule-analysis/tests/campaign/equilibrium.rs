//! Equilibria of random closed mechanisms, whose drives stand still: accelerations by composite
//! bodies vanish there.

use crate::judge::{Verdict, forward};
use nalgebra::{DMatrix, DVector};
use rotule_analysis::equations::EquilibriumRequest;
use rotule_analysis::equilibrium::{EquilibriumSolution, equilibrium};
use rotule_analysis::functions::ModelFunctions;
use rotule_analysis::modes::modes;
use rotule_formalism::MultibodySystem;
use rotule_model::pose::{norm, poses, sub};
use rotule_numeric::state::StateNumbers;
use rotule_program::NoExternals;
use rotule_testing::campaign::closed::specimen::Specimen;
use rotule_testing::formalism::case::Case;

/// The largest force that may be left, in weights of the mechanism.
const ALLOWED: f64 = 1e-8;

/// Stiffnesses of springs, beside weight by size. The weakest may let go too far to be followed.
const WEAK: [f64; 3] = [2.0, 0.5, 0.1];
/// Equilibria that go away this much farther with the weaker springs go away for ever; without end
/// they go in proportion.
const FARTHER: f64 = 2.0;

/// The equilibrium of a seed.
pub fn judge_equilibrium(seed: u64) -> Verdict {
    let specimen = match Specimen::new(seed) {
        Ok(specimen) => specimen,
        Err(why) => return Verdict::Refused(format!("assembly: {why}")),
    };
    let text = frozen(&specimen.text);
    let Found { verdict, force, size, .. } = judge_text(&specimen, &text);
    let Verdict::Absent(_) = verdict else { return verdict };
    // With weak springs from all bodies to the ground there is an equilibrium: the energy grows in
    // all directions. Without one otherwise it goes away as they become weaker.
    let mut far: Vec<f64> = Vec::new();
    for weak in WEAK {
        let tied = tied(&specimen, &text, weak * force / size);
        let found = judge_text(&specimen, &tied);
        match found.verdict {
            Verdict::Agreed(_) => far.push(found.far),
            Verdict::Absent(_) if far.len() >= 2 => break,
            Verdict::Absent(_) => {
                return Verdict::Refused("not found although springs hold all bodies".to_owned());
            }
            other => return other,
        }
    }
    match far.windows(2).any(|pair| pair[1] > FARTHER * pair[0]) {
        true => Verdict::Absent("none exists"),
        false => Verdict::Refused("none was found, and weak springs move little".to_owned()),
    }
}

/// The end of a search in a model file.
struct Found {
    verdict: Verdict,
    /// The units of force and length.
    force: f64,
    size: f64,
    /// The largest distance of a body from where it was.
    far: f64,
}

/// The equilibrium of a model file at the start of its specimen.
fn judge_text(specimen: &Specimen, text: &str) -> Found {
    let tree = Case::of(specimen.family, text).tree;
    let mut state = StateNumbers::initial(&tree);
    state.q.clone_from(&specimen.start.q);
    state.qd.fill(0.0);
    let request = EquilibriumRequest::default();
    let ends = |verdict| Found { verdict, force: 1.0, size: 1.0, far: 0.0 };
    let found = match equilibrium(&tree, &state, &request, Box::new(NoExternals)) {
        Ok(found) => found,
        Err(why) => return ends(Verdict::Refused(why.message)),
    };
    let places = |q: &[f64]| poses(&tree.mechanism, q).into_iter().map(|pose| pose.position);
    let apart = places(&found.state.q).zip(places(&specimen.start.q));
    let far = apart.map(|(a, b)| norm(sub(a, b))).fold(0.0, f64::max);
    let (force, size) = found.units;
    let verdict = match found.balanced {
        true => verify(&tree, specimen, &found).unwrap_or_else(Verdict::Refused),
        false => Verdict::Absent("none"),
    };
    Found { verdict, force, size, far }
}

/// Accelerations vanish at an equilibrium, in other equations of motion.
fn verify(
    tree: &MultibodySystem,
    specimen: &Specimen,
    found: &EquilibriumSolution,
) -> Result<Verdict, String> {
    if found.independent.is_empty() {
        return Ok(Verdict::Agreed(0.0));
    }
    let masses = modes(tree, &found.state, Box::new(NoExternals));
    let masses = masses.map_err(|why| format!("masses: {}", why.message))?.matrix;
    let mut point = specimen.start.clone();
    point.q.clone_from(&found.state.q);
    point.qd.clone_from(&found.state.qd);
    // Its partition is one that is good there.
    let functions = ModelFunctions::at(tree, &found.state, Box::new(NoExternals));
    let (functions, _) = functions.map_err(|why| why.message)?;
    let mut forward = forward(functions.tree(), &point)?;
    if !forward.evaluate(&point, &mut NoExternals) {
        return Err("forward dynamics does not close the loops".to_owned());
    }
    let qdd = forward.output(0);
    let own = masses.speeds.iter().map(|&at| qdd[at]);
    let mass: &DMatrix<f64> = &masses.mass;
    let force = mass * DVector::from_iterator(mass.nrows(), own);
    let most = force.amax() / found.units.0;
    Ok(match most <= ALLOWED {
        true => Verdict::Agreed(most / ALLOWED),
        false => Verdict::Wrong(format!("a force of {most:e} is left in {}", specimen.family)),
    })
}

/// The model file with springs from all bodies to the origin.
fn tied(specimen: &Specimen, text: &str, stiffness: f64) -> String {
    let bodies = specimen.tree.mechanism.bodies.iter().skip(1).map(|body| &body.name);
    let mut springs = String::new();
    for body in bodies.filter(|name| !name.contains('/')) {
        let law = ["x", "y", "z"].map(|axis| format!("\"-{stiffness:?}*{axis}\"")).join(", ");
        springs +=
            &format!("\n[[force]]\nname = \"tie_{body}\"\nat = \"{body}\"\nforce = [{law}]\n");
    }
    text.replace("\n[initial.q]", &format!("{springs}\n[initial.q]"))
}

/// The model file with time at zero.
fn frozen(text: &str) -> String {
    ["*t)", "*t\"", "*t^2"]
        .iter()
        .fold(text.to_owned(), |text, law| text.replace(law, &law.replace('t', "0")))
}
