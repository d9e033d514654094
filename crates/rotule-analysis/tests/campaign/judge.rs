//! Campaigns of random closed mechanisms: modes against matrices of differences of forward
//! dynamics, equilibria against the equations of forward dynamics.

use nalgebra::{Complex, DMatrix, Schur};
use rotule_analysis::equations::{BalanceEquations, EquilibriumRequest};
use rotule_analysis::equilibrium::equilibrium;
use rotule_analysis::modes::{modes, modes_at};
use rotule_formalism::{Formalism, ModelFunction};
use rotule_numeric::generate;
use rotule_numeric::state::StateNumbers;
use rotule_program::NoExternals;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::quantity::EvaluatedFunction;
use rotule_testing::campaign::closed::specimen::Specimen;
use std::collections::BTreeMap;

/// The end of one mechanism.
pub enum Verdict {
    /// Both computations agree; the largest difference.
    Agreed(f64),
    /// Nothing could be computed, with the reason.
    Refused(String),
    /// They differ.
    Wrong(String),
}

/// Eigenvalues differ by this part of the size of the matrix at most, which is what differences
/// leave.
const ALLOWED: f64 = 1e-7;
/// The step of differences, in radians and metres.
const STEP: f64 = 1e-3;

fn modulus(z: Complex<f64>) -> f64 {
    z.norm_sqr().sqrt()
}

fn state_of(specimen: &Specimen, start: &InputPoint) -> StateNumbers {
    let mut state = StateNumbers::initial(&specimen.tree);
    state.q.clone_from(&start.q);
    state.qd.clone_from(&start.qd);
    state
}

/// Returns `true` if time moves a mechanism.
fn is_driven(specimen: &Specimen) -> bool {
    specimen.text.contains("[[motion]]") || specimen.text.contains("*t)")
}

/// The state matrix by differences of order four, of forward dynamics in another formalism.
fn differences(
    equations: &mut BalanceEquations,
    point: &InputPoint,
    h: f64,
) -> Result<DMatrix<f64>, String> {
    let functions = &mut equations.functions;
    let (coordinates, speeds) =
        (functions.independent_coordinates().to_vec(), functions.independent_speeds().to_vec());
    let tree = functions.tree().clone();
    let forward = ModelFunction::parse("forward", &tree).expect("a function");
    let made =
        generate(&tree, &forward, Some(Formalism::Barycentric)).map_err(|why| why.message)?;
    let kernel = rotule_jit::KernelKind::Interpreter;
    let made = EvaluatedFunction::of(&tree, made.program, kernel);
    let mut forward = made.map_err(|why| why.message)?;
    forward.setup(point, &mut NoExternals);
    let total = coordinates.len() + speeds.len();
    let mut rates = |column: usize, by: f64| -> Result<Vec<f64>, String> {
        let mut step = vec![0.0; point.qd.len()];
        let mut moved = point.clone();
        match coordinates.get(column) {
            Some(&at) => {
                step[at] = by;
                moved = functions.moved(point, &step);
            }
            None => moved.qd[speeds[column - coordinates.len()]] += by,
        }
        let closed = functions.close(&moved).map_err(|why| why.message)?;
        let closed = closed.ok_or("loops do not close beside the point")?;
        if !forward.evaluate(&closed, &mut NoExternals) {
            return Err("forward dynamics does not close the loops".to_owned());
        }
        let rates = coordinates.iter().map(|&at| closed.qd[at]);
        Ok(rates.chain(speeds.iter().map(|&at| forward.output(0)[at])).collect())
    };
    let mut matrix = DMatrix::zeros(total, total);
    for column in 0..total {
        for (shift, weight) in [(-2.0, 1.0), (-1.0, -8.0), (1.0, 8.0), (2.0, -1.0)] {
            for (row, rate) in rates(column, shift * h)?.into_iter().enumerate() {
                matrix[(row, column)] += weight * rate / (12.0 * h);
            }
        }
    }
    Ok(matrix)
}

/// Modes of a seed, against eigenvalues of a matrix that is found by differences.
pub fn judge_modes(seed: u64) -> Verdict {
    let specimen = match Specimen::new(seed) {
        Ok(specimen) => specimen,
        Err(why) => return Verdict::Refused(format!("assembly: {why}")),
    };
    let mut start = specimen.start.clone();
    let rests = specimen.tree.mechanism.joints.iter().any(|one| one.quaternion().is_some());
    if rests {
        start.qd.fill(0.0);
    }
    let driven = is_driven(&specimen);
    if driven && rests {
        return Verdict::Refused("drives move a mechanism with quaternions".to_owned());
    }
    if !driven {
        start.qd.fill(0.0);
    }
    let state = state_of(&specimen, &start);
    let request = EquilibriumRequest::default();
    let made = BalanceEquations::new(&specimen.tree, &state, &request, Box::new(NoExternals));
    let (mut equations, mut point) = match made {
        Ok(made) => made,
        Err(why) => return Verdict::Refused(why.message),
    };
    if !driven {
        // Efforts hold the mechanism where it is: eigenvalues do not depend on coordinates then.
        let (force, _) = equations.forces(&point, &[]).expect("it was evaluated");
        for &at in equations.functions.independent_speeds() {
            point.effort[at] = force[at];
        }
    }
    let found = match modes_at(&mut equations, &point) {
        Ok(found) => found,
        Err(why) => return Verdict::Refused(why.message),
    };
    let mut ours: Vec<Complex<f64>> = Vec::new();
    for mode in &found.modes {
        let value = Complex::new(mode.value[0], mode.value[1]);
        ours.push(value);
        if value.im > 0.0 {
            ours.push(value.conj());
        }
    }
    let both = differences(&mut equations, &point, STEP)
        .and_then(|first| Ok([first, differences(&mut equations, &point, 0.5 * STEP)?]));
    let [rough, matrix] = match both {
        Ok(both) => both,
        Err(why) => return Verdict::Refused(why),
    };
    let size = matrix.nrows();
    if size == 0 {
        return Verdict::Agreed(0.0);
    }
    let theirs = match Schur::try_new(matrix.clone(), f64::EPSILON, 1000 * size.max(1)) {
        Some(schur) => schur.complex_eigenvalues(),
        None => return Verdict::Refused("no eigenvalues".to_owned()),
    };
    // Power sums do not split chains: zeros add nothing to them.
    let largest = theirs.iter().map(|z| modulus(*z)).fold(1.0_f64, f64::max);
    let scale = largest.max(matrix.norm() * 1e-3);
    // Near singular positions differences are known to fewer digits.
    let known = (&rough - &matrix).norm() / scale;
    if known > 1e-4 {
        return Verdict::Refused("differences do not converge: singular position".to_owned());
    }
    let mut worst = 0.0_f64;
    for power in 1..=4 {
        let ours: Complex<f64> = ours.iter().map(|z| z.powi(power)).sum();
        let theirs = (0..power).fold(DMatrix::identity(size, size), |all, _| all * &matrix).trace();
        worst = worst.max(modulus(ours - theirs) / (scale.powi(power) * size as f64));
    }
    for value in &ours {
        let near = theirs.iter().map(|z| modulus(z - value)).fold(f64::INFINITY, f64::min);
        // Eigenvalues that nearly meet are known to half the digits.
        let others = ours.iter().filter(|z| modulus(*z - value) < 1e-3 * scale).count();
        let allowed = if others > 1 { 1e-4 } else { 1.0 };
        worst = worst.max(near / scale * allowed);
    }
    match worst <= ALLOWED.max(20.0 * known) {
        true => Verdict::Agreed(worst),
        false => Verdict::Wrong(format!("{worst:e} of {scale:e} in family {}", specimen.family)),
    }
}

/// The equilibrium of a seed: accelerations by articulated bodies or composite inertias vanish
/// there.
pub fn judge_equilibrium(seed: u64) -> Verdict {
    let specimen = match Specimen::new(seed) {
        Ok(specimen) => specimen,
        Err(why) => return Verdict::Refused(format!("assembly: {why}")),
    };
    if is_driven(&specimen) {
        return Verdict::Refused("time moves it".to_owned());
    }
    let mut state = state_of(&specimen, &specimen.start);
    state.qd.fill(0.0);
    let request = EquilibriumRequest::default();
    let found = match equilibrium(&specimen.tree, &state, &request, Box::new(NoExternals)) {
        Ok(found) => found,
        Err(why) => return Verdict::Refused(why.message),
    };
    if !found.balanced {
        let neutral = if found.neutral.is_empty() { "held" } else { "free to move" };
        return Verdict::Refused(format!("no equilibrium was found; {neutral}"));
    }
    let masses = modes(&specimen.tree, &found.state, Box::new(NoExternals));
    let light = |mass: &DMatrix<f64>| {
        let root = |at: usize| mass[(at, at)].abs().sqrt();
        let count = mass.nrows();
        let scaled = DMatrix::from_fn(count, count, |i, j| mass[(i, j)] / (root(i) * root(j)));
        scaled.symmetric_eigenvalues().iter().any(|value| *value < 1e-9)
    };
    let regular = masses.is_ok_and(|found| !light(&found.matrix.mass));
    if found.amplification > 1e3 || !regular {
        return Verdict::Refused("the position is singular".to_owned());
    }
    let mut point = specimen.start.clone();
    point.q.clone_from(&found.state.q);
    point.qd.clone_from(&found.state.qd);
    let forward = ModelFunction::parse("forward", &specimen.tree).expect("a function");
    let made = generate(&specimen.tree, &forward, Some(Formalism::Barycentric))
        .map_err(|why| why.message)
        .and_then(|made| {
            let kernel = rotule_jit::KernelKind::Interpreter;
            EvaluatedFunction::of(&specimen.tree, made.program, kernel).map_err(|why| why.message)
        });
    let mut forward = match made {
        Ok(forward) => forward,
        Err(why) => return Verdict::Refused(why),
    };
    forward.setup(&point, &mut NoExternals);
    if !forward.evaluate(&point, &mut NoExternals) {
        return Verdict::Refused("forward dynamics does not close the loops".to_owned());
    }
    let most = forward.output(0).iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    // Accelerations of light parts are large for small forces.
    match most < 1e-6 {
        true => Verdict::Agreed(most),
        false => {
            Verdict::Wrong(format!("an acceleration of {most:e} is left in {}", specimen.family))
        }
    }
}

/// The verdicts on many seeds.
pub struct Tally {
    /// Number of seeds that agreed, were refused, and are wrong.
    pub counts: [usize; 3],
    /// The table.
    pub text: String,
}

/// Judges seeds by a rule.
pub fn tally(seeds: &[u64], judge: fn(u64) -> Verdict) -> Tally {
    let mut counts = [0; 3];
    let mut worst = 0.0_f64;
    let mut reasons: BTreeMap<String, Vec<u64>> = BTreeMap::new();
    for &seed in seeds {
        let (place, reason) = match judge(seed) {
            Verdict::Agreed(error) => {
                worst = worst.max(error);
                (0, None)
            }
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
        "agreed {agreed} (largest difference {worst:.1e}), refused {refused}, wrong {wrong}\n"
    );
    for (reason, seeds) in reasons {
        let first: Vec<String> = seeds.iter().take(5).map(u64::to_string).collect();
        text += &format!("  {} x {reason}; seeds {}\n", seeds.len(), first.join(", "));
    }
    Tally { counts, text }
}
