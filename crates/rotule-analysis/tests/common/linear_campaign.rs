//! Linear models of random closed mechanisms, judged by two other computations: differences of the
//! nonlinear accelerations, and the matrices that `linear(permanent)` writes.

use nalgebra::DMatrix;
use rotule_analysis::functions::ModelFunctions;
use rotule_analysis::linear::{LinearRequest, StateSpace, state_space};
use rotule_formalism::labels::speed_names;
use rotule_formalism::{MultibodySystem, normalise};
use rotule_model::{ReadOptions, load_text};
use rotule_numeric::moved;
use rotule_numeric::state::StateNumbers;
use rotule_program::NoExternals;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::quantity::EvaluatedFunction;
use rotule_symbolic::random::SplitMix64;
use rotule_testing::formalism::closed::Loops;
use std::collections::BTreeMap;

/// The allowed difference, beside the largest entry of the rows of a kind.
const ALLOWED: f64 = 1e-7;

/// The verdict on a mechanism.
pub enum Verdict {
    /// Both other computations agree; the differences, beside what is allowed.
    Agreed([f64; 2]),
    /// The linear model was refused.
    Refused(String),
    /// They do not.
    Wrong(String),
}

/// The verdicts of many mechanisms.
#[derive(Default)]
pub struct Tally {
    pub agreed: usize,
    pub worst: [f64; 2],
    /// By reason, the seeds.
    pub refused: BTreeMap<String, Vec<u64>>,
    pub wrong: Vec<(u64, String)>,
}

impl Tally {
    /// Judges the mechanisms of some seeds.
    pub fn of(seeds: impl Iterator<Item = u64>) -> Tally {
        let mut tally = Tally::default();
        for seed in seeds {
            match judge(&Loops::new(seed).text, seed) {
                Verdict::Agreed(found) => {
                    tally.agreed += 1;
                    for (worst, one) in tally.worst.iter_mut().zip(found) {
                        *worst = worst.max(one);
                    }
                }
                Verdict::Refused(why) => tally.refused.entry(why).or_default().push(seed),
                Verdict::Wrong(why) => tally.wrong.push((seed, why)),
            }
        }
        tally
    }

    /// Returns `true` if none is wrong and 95 % agree.
    pub fn is_good(&self) -> bool {
        let refused: usize = self.refused.values().map(Vec::len).sum();
        let all = self.agreed + refused + self.wrong.len();
        self.wrong.is_empty() && 100 * self.agreed >= 95 * all
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let refused: usize = self.refused.values().map(Vec::len).sum();
        writeln!(out, "agreed {}, refused {refused}, wrong {}", self.agreed, self.wrong.len())?;
        let [differences, written] = self.worst;
        writeln!(
            out,
            "worst: differences {differences:.3}, linear(permanent) {written:.3} of what is allowed"
        )?;
        for (why, seeds) in &self.refused {
            writeln!(out, "refused {}: {why}, for example seed {}", seeds.len(), seeds[0])?;
        }
        self.wrong.iter().try_for_each(|(seed, why)| writeln!(out, "wrong: seed {seed}: {why}"))
    }
}

/// The model file of a seed, for the example.
#[allow(dead_code, reason = "tests show no file")]
pub fn text(seed: u64) -> String {
    Loops::new(seed).text
}

fn judge(text: &str, seed: u64) -> Verdict {
    let mechanism = load_text("model.toml", text, &ReadOptions::default());
    let tree = normalise(mechanism.expect("random mechanisms are valid"));
    let mut state = StateNumbers::initial(&tree);
    let mut random = SplitMix64(seed + 1);
    state.qd.iter_mut().for_each(|speed| *speed = random.signed());
    state.effort.iter_mut().for_each(|effort| *effort = random.signed());
    let inputs = speed_names(&tree.mechanism);
    let request = LinearRequest { inputs, ..LinearRequest::default() };
    let found = match state_space(&tree, &state, Box::new(NoExternals), &request) {
        Ok(found) => found,
        Err(problem) => return Verdict::Refused(problem.message),
    };
    let at = ModelFunctions::at(&tree, &state, Box::new(NoExternals));
    let (functions, point) = at.expect("it was made a moment ago");
    let by_differences = match differences(&functions, &point, &found) {
        Ok(size) => size,
        Err(why) => return Verdict::Wrong(why),
    };
    match written(&functions, &point, &found) {
        Ok(size) => Verdict::Agreed([by_differences, size]),
        Err(why) => Verdict::Wrong(why),
    }
}

fn prepared(tree: &MultibodySystem, name: &str, point: &InputPoint) -> EvaluatedFunction {
    let mut made = EvaluatedFunction::new(tree, name).unwrap_or_else(|problem| panic!("{problem}"));
    made.setup(point, &mut NoExternals);
    made
}

/// The accelerations of independent speeds beside central differences, extrapolated to order six.
fn differences(
    functions: &ModelFunctions,
    point: &InputPoint,
    found: &StateSpace,
) -> Result<f64, String> {
    let tree = functions.tree();
    let mut motion = prepared(tree, "motion", point);
    let (coordinates, speeds) =
        (functions.independent_coordinates(), functions.independent_speeds());
    let mut accelerations = |point: &InputPoint| -> Result<Vec<f64>, String> {
        match motion.evaluate(point, &mut NoExternals) {
            true => Ok(speeds.iter().map(|&at| motion.output(3)[at]).collect()),
            false => Err("loops do not close beside the state".to_owned()),
        }
    };
    let count = coordinates.len() + speeds.len();
    let shift = |column: usize, h: f64| {
        let mut moved_to = point.clone();
        if let Some(&speed) = coordinates.get(column) {
            let mut step = vec![0.0; point.qd.len()];
            step[speed] = h;
            moved_to.q = moved(tree, &point.q, &step);
        } else if let Some(&speed) = speeds.get(column - coordinates.len()) {
            moved_to.qd[speed] += h;
        } else {
            moved_to.effort[column - count] += h;
        }
        moved_to
    };
    let columns = count + found.inputs.len();
    let mut worst = 0.0_f64;
    for column in 0..columns {
        let row = |at: usize| match column < count {
            true => found.a[(coordinates.len() + at, column)],
            false => found.b[(coordinates.len() + at, column - count)],
        };
        // Columns of a kind have a common size.
        let block = match column {
            _ if column < coordinates.len() => {
                found.a.view((coordinates.len(), 0), (speeds.len(), coordinates.len())).amax()
            }
            _ if column < count => found
                .a
                .view((coordinates.len(), coordinates.len()), (speeds.len(), speeds.len()))
                .amax(),
            _ => found.b.amax(),
        };
        let size = block.max(1e-3);
        let mut best = f64::INFINITY;
        // Short steps where the motion is fast, long ones where rounding is large.
        for h in [4e-3, 1e-3, 1.6e-2] {
            let mut slope = |h: f64| -> Result<Vec<f64>, String> {
                let (up, down) =
                    (accelerations(&shift(column, h))?, accelerations(&shift(column, -h))?);
                Ok(up.iter().zip(down).map(|(up, down)| (up - down) / (2.0 * h)).collect())
            };
            // Near the end of a drive's reach loops do not close at long steps.
            let (Ok(one), Ok(two), Ok(four)) = (slope(h), slope(h / 2.0), slope(h / 4.0)) else {
                continue;
            };
            let error = (0..speeds.len()).map(|at| {
                let (first, second) =
                    ((4.0 * two[at] - one[at]) / 3.0, (4.0 * four[at] - two[at]) / 3.0);
                ((16.0 * second - first) / 15.0 - row(at)).abs()
            });
            best = best.min(error.fold(0.0, f64::max) / (ALLOWED * size));
            if best <= 1.0 {
                break;
            }
        }
        if best.is_nan() || best > 1.0 {
            return Err(format!(
                "column {column} of {columns} differs from differences by {best:.1} times what is allowed"
            ));
        }
        worst = worst.max(best);
    }
    Ok(worst)
}

/// The accelerations beside the matrices of the equations: `M Dqdd + B Dqd + K Dq = DQ`.
fn written(
    functions: &ModelFunctions,
    point: &InputPoint,
    found: &StateSpace,
) -> Result<f64, String> {
    let tree = functions.tree();
    let (coordinates, speeds) =
        (functions.independent_coordinates(), functions.independent_speeds());
    let mut motion = prepared(tree, "motion", point);
    motion.evaluate(point, &mut NoExternals);
    let mut point = point.clone();
    point.qdd.copy_from_slice(motion.output(3));
    let mut linear = prepared(tree, "linear(permanent)", &point);
    if !linear.evaluate(&point, &mut NoExternals) {
        return Err("`linear(permanent)` does not close loops".to_owned());
    }
    let size = point.qd.len();
    let matrix = |output: usize, columns: &[usize]| {
        DMatrix::from_fn(speeds.len(), columns.len(), |row, column| {
            linear.output(output)[speeds[row] * size + columns[column]]
        })
    };
    let residual = speeds.iter().map(|&at| linear.output(8)[at].abs()).fold(0.0, f64::max);
    let efforts = linear.output(8).iter().chain(&point.effort);
    let scale = efforts.fold(1.0_f64, |most, one| most.max(one.abs()));
    if residual > 1e-8 * scale {
        return Err(format!("the residual at the accelerations of the motion is {residual:e}"));
    }
    let mass = matrix(0, speeds).lu();
    let mut worst = 0.0_f64;
    for (output, columns, first) in [(4, coordinates, 0), (1, speeds, coordinates.len())] {
        let right = -matrix(output, columns);
        let Some(expected) = mass.solve(&right) else {
            return Err("`M` of `linear(permanent)` is singular".to_owned());
        };
        let own = found.a.view((coordinates.len(), first), (speeds.len(), columns.len()));
        let error = (own - &expected).amax() / (ALLOWED * expected.amax().max(1e-3));
        if error.is_nan() || error > 1.0 {
            return Err(format!("`linear(permanent)` differs by {error:.1} times what is allowed"));
        }
        worst = worst.max(error);
    }
    Ok(worst)
}
