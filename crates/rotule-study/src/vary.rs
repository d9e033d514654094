//! Variations of a study: over a grid, or at random. The numbers of a sample follow from its own
//! number and from the seed alone, so that they are the same on every machine, in whatever order
//! samples are run.

use rotule_formalism::quantity::GivenQuantity;
use rotule_formalism::units;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_model::mechanism::{Joint, Role};
use rotule_symbolic::elementary::{cos, ln};
use rotule_symbolic::likely;
use rotule_symbolic::random::SplitMix64;

/// The default number of samples of random numbers.
pub const SAMPLES: usize = 100;

/// More samples than this are refused.
pub const MOST: usize = 10_000_000;

/// The law by which a number varies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    /// Evenly from one number to another, both included.
    Grid {
        /// The first number.
        from: f64,
        /// The last one.
        to: f64,
        /// Number of values.
        count: usize,
    },
    /// At random, normally distributed.
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        deviation: f64,
    },
    /// At random, all numbers between two being as likely.
    Uniform {
        /// The smallest number.
        from: f64,
        /// The largest one.
        to: f64,
    },
}

/// The quantity that varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VariedQuantity {
    /// A parameter.
    Parameter(usize),
    /// An initial coordinate.
    Coordinate(usize),
    /// An initial speed.
    Speed(usize),
    /// Another initial state.
    State(usize),
    /// An input.
    Input(usize),
}

/// Something that varies.
#[derive(Clone, Debug, PartialEq)]
pub struct Vary {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub target: VariedQuantity,
    /// Its SI unit; empty if it has none.
    pub unit: String,
    /// The law by which it varies.
    pub law: Distribution,
}

impl Vary {
    /// Reads `NAME=FROM..TO:N`, `NAME~normal(MEAN,SD)` or `NAME~uniform(A,B)`.
    pub fn parse(text: &str, tree: &MultibodySystem) -> Result<Vary, Problem> {
        let refuse = |what: &str| {
            let help = "write NAME=FROM..TO:N, NAME~normal(MEAN,SD) or NAME~uniform(A,B)";
            Problem::new(format!("--vary {text}: {what}"), help)
        };
        let Some(at) = text.find(['=', '~']) else {
            return Err(refuse("missing `=` or `~`"));
        };
        let (name, law) = (text[..at].trim(), text[at + 1..].trim());
        let target = target(name, tree)?;
        let (unit, place) = (unit(target, tree), format!("--vary {text}"));
        let read = |part: &str| GivenQuantity::parse(part, &place)?.in_unit(&unit, name, &place);
        let law = if text[at..].starts_with('=') {
            let Some((from, rest)) = law.split_once("..") else {
                return Err(refuse("missing `..`"));
            };
            let Some((to, count)) = rest.rsplit_once(':') else {
                return Err(refuse("missing `:N`, the number of points"));
            };
            let count = count.trim().parse().ok().filter(|count| (1..=MOST).contains(count));
            let Some(count) = count else {
                return Err(refuse(&format!("N must be a positive integer, {MOST} at most")));
            };
            Distribution::Grid { from: read(from)?, to: read(to)?, count }
        } else {
            let inside = law.strip_suffix(')').and_then(|law| law.split_once('('));
            let numbers = inside.and_then(|(word, inside)| Some((word, inside.split_once(',')?)));
            match numbers {
                Some(("normal", (mean, deviation))) => {
                    let (mean, deviation) = (read(mean)?, read(deviation)?);
                    if deviation < 0.0 {
                        return Err(refuse("the standard deviation must not be negative"));
                    }
                    Distribution::Normal { mean, deviation }
                }
                Some(("uniform", (from, to))) => {
                    let (from, to) = (read(from)?, read(to)?);
                    if from > to {
                        return Err(refuse("the lower bound exceeds the upper bound"));
                    }
                    Distribution::Uniform { from, to }
                }
                None if matches!(law.split('(').next(), Some("normal" | "uniform")) => {
                    return Err(refuse("expected two numbers in parentheses"));
                }
                _ => return Err(refuse("expected one of normal, uniform")),
            }
        };
        Ok(Vary { name: name.to_owned(), target, unit, law })
    }
}

/// The SI unit of what varies; empty if there is none.
fn unit(target: VariedQuantity, tree: &MultibodySystem) -> String {
    let mechanism = &tree.mechanism;
    match target {
        VariedQuantity::Parameter(at) => mechanism.parameters[at].unit.clone(),
        VariedQuantity::Coordinate(at) => units::of_coordinates(mechanism)[at].to_owned(),
        VariedQuantity::Speed(at) => units::by_speed(mechanism, units::SPEED)[at].to_owned(),
        VariedQuantity::State(at) => mechanism.states[at].unit.clone(),
        VariedQuantity::Input(at) => mechanism.inputs[at].unit.clone(),
    }
}

/// The quantity of a name.
fn target(name: &str, tree: &MultibodySystem) -> Result<VariedQuantity, Problem> {
    let mechanism = &tree.mechanism;
    if let Some(at) = mechanism.parameters.iter().position(|one| one.name == name) {
        return Ok(VariedQuantity::Parameter(at));
    }
    let refuse = |joint: &Joint| {
        let message = format!("--vary: `{name}` cannot vary");
        match joint.role {
            Role::Free => Problem::new(message, "a quaternion has unit length: vary the speeds"),
            _ => Problem::new(message, format!("joint `{}` is driven", joint.name)),
        }
    };
    if let Some(at) = mechanism.coordinate(name) {
        let joint = mechanism.joints.iter().find(|joint| joint.coordinates.contains(&at));
        return match joint {
            Some(joint) if joint.role != Role::Free => Err(refuse(joint)),
            Some(joint) if joint.quaternion().is_some_and(|range| range.contains(&at)) => {
                Err(refuse(joint))
            }
            _ => Ok(VariedQuantity::Coordinate(at)),
        };
    }
    if let Some(at) = mechanism.speed(name) {
        let joint = mechanism.joints.iter().find(|joint| joint.speeds.contains(&at));
        return match joint {
            Some(joint) if joint.role != Role::Free => Err(refuse(joint)),
            _ => Ok(VariedQuantity::Speed(at)),
        };
    }
    if let Some(at) = mechanism.states.iter().position(|one| one.name == name) {
        return Ok(VariedQuantity::State(at));
    }
    if let Some(at) = mechanism.inputs.iter().position(|one| one.name == name) {
        if mechanism.is_moved_by_time(at) {
            let message = format!("--vary: `{name}` cannot vary");
            let help = "the input has a course over time: vary a parameter of that";
            return Err(Problem::new(message, help));
        }
        return Ok(VariedQuantity::Input(at));
    }
    let known = mechanism.parameters.iter().map(|one| one.name.as_str());
    let known = known.chain(mechanism.coordinates.iter().map(|one| one.name.as_str()));
    let known = known.chain(mechanism.speeds.iter().map(|one| one.name.as_str()));
    let known = known.chain(mechanism.states.iter().map(|one| one.name.as_str()));
    let known = known.chain(mechanism.inputs.iter().map(|one| one.name.as_str()));
    Err(Problem::new(
        format!("--vary: there is no parameter, coordinate or speed `{name}`"),
        likely(name, known),
    ))
}

/// All samples: every point of the grid, as often as random numbers are requested.
#[derive(Clone, Debug)]
pub struct SampleSet {
    varies: Vec<Vary>,
    repeats: usize,
    seed: u64,
    /// Number of samples.
    pub count: usize,
}

impl SampleSet {
    /// The samples of a study; `repeats` are random ones at each point of the grid.
    pub fn new(varies: Vec<Vary>, repeats: Option<usize>, seed: u64) -> Result<SampleSet, Problem> {
        let earlier = |at: usize| varies[..at].iter().any(|one| one.target == varies[at].target);
        if let Some(at) = (0..varies.len()).find(|&at| earlier(at)) {
            let message = format!("--vary: `{}` is varied twice", varies[at].name);
            return Err(Problem::new(message, "give each name once"));
        }
        let random = varies.iter().any(|vary| !matches!(vary.law, Distribution::Grid { .. }));
        let repeats = match (random, repeats) {
            (_, Some(0)) => return Err(Problem::new("--samples is 0", "give a positive number")),
            (true, repeats) => repeats.unwrap_or(SAMPLES),
            (false, None) => 1,
            (false, Some(_)) => {
                let message = "--samples needs a random variation, and there is none";
                return Err(Problem::new(
                    message,
                    "vary a quantity by NAME~normal(MEAN,SD) or NAME~uniform(A,B)",
                ));
            }
        };
        let mut count = Some(repeats);
        for vary in &varies {
            if let Distribution::Grid { count: points, .. } = vary.law {
                count = count.and_then(|count| count.checked_mul(points));
            }
        }
        match count.filter(|count| *count <= MOST) {
            Some(count) => Ok(SampleSet { varies, repeats, seed, count }),
            None => Err(Problem::new(
                format!("the study has more than {MOST} samples"),
                "reduce the number of grid points",
            )),
        }
    }

    /// The variations.
    pub fn varies(&self) -> &[Vary] {
        &self.varies
    }

    /// The numbers of a sample, in the order of what varies.
    pub fn numbers(&self, sample: usize) -> Vec<f64> {
        let mut point = sample / self.repeats;
        let mut numbers = vec![0.0; self.varies.len()];
        // The last one on the command line varies fastest.
        for (at, vary) in self.varies.iter().enumerate().rev() {
            numbers[at] = match vary.law {
                Distribution::Grid { from, to, count } => {
                    let step = point % count;
                    point /= count;
                    match (step, count - 1) {
                        (0, _) => from,
                        (step, last) if step == last => to,
                        (step, last) => from + (to - from) * (step as f64 / last as f64),
                    }
                }
                Distribution::Uniform { from, to } => {
                    let (first, _) = self.pair(sample, at);
                    from + (to - from) * first
                }
                Distribution::Normal { mean, deviation } => {
                    let (first, second) = self.pair(sample, at);
                    mean + deviation * normal(first, second)
                }
            };
        }
        numbers
    }

    /// Two random numbers between 0 and 1, both excluded.
    fn pair(&self, sample: usize, variable: usize) -> (f64, f64) {
        let start = mixed(mixed(mixed(self.seed) ^ sample as u64) ^ variable as u64);
        let number = |k: u64| {
            let bits = mixed(start.wrapping_add(k)) >> 12;
            (bits as f64 + 0.5) / (1_u64 << 52) as f64
        };
        (number(1), number(2))
    }
}

/// Numbers that look random and are the same everywhere.
fn mixed(number: u64) -> u64 {
    SplitMix64(number).bits()
}

/// A normally distributed number from two even ones (Box and Muller).
fn normal(first: f64, second: f64) -> f64 {
    (-2.0 * ln(first)).sqrt() * cos(std::f64::consts::TAU * second)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(laws: &[Distribution], repeats: Option<usize>, seed: u64) -> SampleSet {
        let vary = |(at, law): (usize, &Distribution)| Vary {
            name: format!("x{at}"),
            target: VariedQuantity::Parameter(at),
            unit: String::new(),
            law: *law,
        };
        SampleSet::new(laws.iter().enumerate().map(vary).collect(), repeats, seed).expect("sound")
    }

    #[test]
    fn what_is_varied_twice_is_named() {
        let vary = |target: VariedQuantity, name: &str, law: Distribution| Vary {
            name: name.into(),
            target,
            unit: String::new(),
            law,
        };
        let grid = Distribution::Grid { from: 0.0, to: 1.0, count: 2 };
        let chance = Distribution::Uniform { from: 0.0, to: 1.0 };
        let check = |list: Vec<Vary>, expected: Option<&str>| {
            let found = SampleSet::new(list, None, 0).err().map(|problem| problem.message);
            assert_eq!(found.as_deref(), expected);
        };
        let (m, x, speed) =
            (VariedQuantity::Parameter(1), VariedQuantity::Coordinate(0), VariedQuantity::Speed(0));
        check(vec![vary(m, "m", grid), vary(x, "x", grid), vary(speed, "x.d", grid)], None);
        let twice = "--vary: `m` is varied twice";
        check(vec![vary(m, "m", grid), vary(x, "x", grid), vary(m, "m", grid)], Some(twice));
        check(vec![vary(m, "m", grid), vary(m, "m", chance)], Some(twice));
    }

    #[test]
    fn grids_have_all_points() {
        let grid = |from, to, count| Distribution::Grid { from, to, count };
        let all = samples(&[grid(1.0, 2.0, 3), grid(-1.0, 1.0, 2), grid(7.0, 9.0, 1)], None, 0);
        let found: Vec<Vec<f64>> = (0..all.count).map(|k| all.numbers(k)).collect();
        let expected = [[1.0, -1.0], [1.0, 1.0], [1.5, -1.0], [1.5, 1.0], [2.0, -1.0], [2.0, 1.0]];
        assert_eq!(found, expected.map(|[a, b]| vec![a, b, 7.0]));
    }

    /// Moments of many numbers are those of the distributions.
    #[test]
    fn distributions_are_what_they_are_called() {
        let laws = [
            Distribution::Normal { mean: 3.0, deviation: 0.5 },
            Distribution::Uniform { from: -1.0, to: 3.0 },
        ];
        let count = 200_000;
        let all = samples(&laws, Some(count), 42);
        let mut sums = [[0.0; 4]; 2];
        let mut product = 0.0;
        for k in 0..count {
            let numbers = all.numbers(k);
            let scaled = [(numbers[0] - 3.0) / 0.5, (numbers[1] - 1.0) / 2.0];
            product += scaled[0] * scaled[1];
            for (sums, x) in sums.iter_mut().zip(scaled) {
                (0..4).for_each(|power| sums[power] += x.powi(power as i32 + 1));
            }
        }
        let close = |sum: f64, expected: f64| {
            let found = sum / count as f64;
            assert!((found - expected).abs() < 0.03, "{found} {expected}");
        };
        for (sums, expected) in sums.iter().zip([[0.0, 1.0, 0.0, 3.0], [0.0, 1.0 / 3.0, 0.0, 0.2]])
        {
            sums.iter().zip(expected).for_each(|(&sum, expected)| close(sum, expected));
        }
        close(product, 0.0);
    }

    /// These numbers may never change: studies are repeated by their seeds.
    #[test]
    fn numbers_are_the_same_for_ever() {
        let laws = [
            Distribution::Uniform { from: 0.0, to: 1.0 },
            Distribution::Normal { mean: 0.0, deviation: 1.0 },
        ];
        let all = samples(&laws, Some(3), 7);
        let found: Vec<Vec<f64>> = (0..3).map(|k| all.numbers(k)).collect();
        assert_eq!(format!("{found:?}"), EXPECTED);
    }

    const EXPECTED: &str = "[[0.03409929747419038, 1.4472969566048637], \
        [0.9256224043710864, -2.230910231444253], [0.4803726103285201, 0.3470964597629532]]";
}
