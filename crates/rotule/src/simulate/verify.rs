//! The verification of a run: the motion once more, tighter and in another form, and the agreement
//! of both.

use crate::externals::Closures;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_numeric::state::StateNumbers as Numbers;
use rotule_simulate::run::{End, Samples};
use rotule_simulate::signals::InputSignal;
use rotule_simulate::simulation::{
    Simulation, SimulationOptions, Trace, Verification, other_requests, shared_samples,
};
use std::ops::ControlFlow;

/// Repeats a run with tighter tolerances and in another form, and compares. `own` is the trace of
/// the run itself; `step` hears of each step and may stop.
pub fn verify(
    tree: &MultibodySystem,
    state: &Numbers,
    options: &SimulationOptions,
    mut own: Trace,
    externals: &Closures,
    signals: &[(String, InputSignal)],
    step: &mut dyn FnMut(f64) -> ControlFlow<()>,
) -> Result<Verification, Problem> {
    let (groups, names) = (Vec::new(), Vec::new());
    let shared =
        SimulationOptions { samples: shared_samples(options), groups, names, ..options.clone() };
    let mut trace = |options: &SimulationOptions| {
        let (externals, signals) = (externals.boxed(), signals.to_vec());
        let mut simulation =
            Simulation::with_signals(tree.clone(), state, options, externals, signals)?;
        simulation.trace = Some(Trace::default());
        let outcome = simulation.run(&mut [], step)?.outcome;
        let incomplete = match outcome.end {
            End::Reached | End::Event(_) => None,
            End::Stopped => Some("it was stopped".to_owned()),
            End::Failed(failure) => Some(failure.to_string()),
        };
        Ok::<_, Problem>((simulation.trace.take().unwrap_or_default(), incomplete))
    };
    // Steps of two runs are at different times.
    if options.samples == Samples::Steps {
        own = trace(&shared)?.0;
    }
    let mut refused = None;
    for (request, words) in other_requests(&shared, is_constrained(&tree.mechanism)) {
        match trace(&request) {
            Ok((other, incomplete)) => {
                let mechanism = &tree.mechanism;
                return Ok(Verification::compare(mechanism, &own, &other, words, incomplete));
            }
            Err(problem) => refused = Some(problem),
        }
    }
    Err(refused.unwrap_or_else(|| Problem::new("there is no other run to verify this one", "")))
}
