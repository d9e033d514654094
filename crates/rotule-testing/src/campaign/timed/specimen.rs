//! The model of a seed, and how it is run.

use super::draw::Draw;
use super::families::FAMILIES;
use super::reference;
use super::system::{State, System};
use super::write::write;

/// Methods, those that choose their steps first.
pub const METHODS: [&str; 5] = ["dop853", "dormand-prince", "radau", "bdf", "rk4"];
/// Models of a seed that are tried: those that chatter, bounce without end or fly away are not
/// taken.
const ATTEMPTS: u64 = 100;

/// A model of a seed.
pub struct Specimen {
    /// The seed.
    pub seed: u64,
    /// The name of the family.
    pub family: &'static str,
    /// The system that the file and the reference are made of.
    pub system: System,
    /// Another start, 1e-9 away.
    pub beside: State,
    /// The model file.
    pub text: String,
    /// The integration method of the run.
    pub method: &'static str,
    /// The tolerance; of a method with steps of one length, what its reference is compared with.
    pub tolerance: f64,
    /// The length of all steps, if the method does not choose.
    pub step: Option<f64>,
}

impl Specimen {
    /// The model of a seed.
    pub fn new(seed: u64) -> Specimen {
        let family = &FAMILIES[(seed % FAMILIES.len() as u64) as usize];
        for attempt in 0..ATTEMPTS {
            let mut draw = Draw::new(seed, attempt);
            (family.build)(&mut draw);
            let Draw { mut random, mut system } = draw;
            // Stops come behind events.
            system.events.sort_by_key(|event| event.stop);
            let trace = reference::run(&system, system.start, system.shortest / 10.0);
            let flown = |state: &State| {
                [state.q, state.v, state.s]
                    .iter()
                    .flatten()
                    .any(|one| one.is_nan() || one.abs() > 1e4)
            };
            if (trace.stopped.is_some() && trace.end < 0.3 * system.to)
                || trace.samples.iter().any(flown)
            {
                continue;
            }
            let method = METHODS[random.below(METHODS.len())];
            let fixed = method == "rk4";
            let loose = random.chance(0.5) && !fixed;
            // Long against pulses, but neither against what is stiff nor against smooth segments of
            // tables, which a cubic must follow.
            let smooth = if family.name == "table" { 0.1 * system.shortest } else { f64::INFINITY };
            let step = (system.to / random.between(500.0, 3000.0)).min(0.1 * system.fastest);
            let step = step.min(smooth);
            let mut beside = system.start;
            for joint in 0..system.mechanism.size() {
                beside.q[joint] += random.between(-1e-9, 1e-9);
                beside.v[joint] += random.between(-1e-9, 1e-9);
            }
            let family = family.name;
            return Specimen {
                seed,
                family,
                text: write(&system, &format!("{family}_{seed}")),
                system,
                beside,
                method,
                tolerance: if loose { 1e-7 } else { 1e-9 },
                step: fixed.then_some(step),
            };
        }
        unreachable!("one of many models of a family moves in an ordinary way");
    }

    /// Options of `rotule simulate` for the same run.
    pub fn options(&self) -> String {
        let accuracy = match self.step {
            Some(step) => format!("--dt {step:?}"),
            None => format!("--rtol {0:e} --atol {0:e}", self.tolerance),
        };
        let (to, every) = (self.system.to, self.system.to / reference::SAMPLES as f64);
        format!("--to {to:?} --method {} {accuracy} --every {every:?}", self.method)
    }
}
