//! Several equilibria of one model, from starts all over its configurations.

use crate::equations::{BalanceEquations, EquilibriumRequest};
use crate::equilibrium::{EquilibriumSolution, describe, solve};
use crate::modes::modes_at;
use crate::quantity::{Quantity, joint_of, single_coordinate};
use rotule_formalism::{MultibodySystem, Problem};
use rotule_model::mechanism::{Mechanism, Role};
use rotule_numeric::initial_values::Hold;
use rotule_numeric::moved;
use rotule_numeric::state::StateNumbers;
use rotule_program::Externals;
use rotule_symbolic::random::SplitMix64;
use std::f64::consts::{PI, TAU};

/// An equilibrium with its stability.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The equilibrium.
    pub equilibrium: EquilibriumSolution,
    /// The number of eigenvalues that grow: zero where it is stable or neutral; not known where
    /// loops are singular.
    pub growing: Option<usize>,
    /// The number of starts that led to it.
    pub starts: usize,
}

/// Coordinates that differ by less are of one equilibrium.
const SAME: f64 = 1e-5;

/// All equilibria that a number of starts finds, the state's own first.
pub fn search(
    tree: &MultibodySystem,
    state: &StateNumbers,
    request: &EquilibriumRequest,
    externals: &dyn Fn() -> Box<dyn Externals>,
    starts: usize,
) -> Result<Vec<Candidate>, Problem> {
    let mut found: Vec<Candidate> = Vec::new();
    let mut random = SplitMix64(1);
    let (first, _) = BalanceEquations::new(tree, state, request, externals())?;
    let size = first.size;
    let ignored = |at: usize| {
        request.ignore.contains(&at) || request.exchange.iter().any(|(held, _)| *held == at)
    };
    let mechanism = &tree.mechanism;
    // Coordinates that nothing resists stay where they are.
    let mut neutral: Vec<usize> = Vec::new();
    for number in 0..=starts {
        let mut start = state.clone();
        if number > 0 {
            let step: Vec<f64> = (0..mechanism.speeds.len())
                .map(|at| {
                    let part = random.signed();
                    let joint = joint_of(mechanism, at);
                    let stays = joint.role != Role::Free || ignored(at) || neutral.contains(&at);
                    let far = if crate::equations::is_length(mechanism, at) { size } else { PI };
                    if stays { 0.0 } else { far * part }
                })
                .collect();
            start.q = moved(tree, &state.q, &step);
            start.hold_q.fill(Hold::Guess);
        }
        // A start whose loops do not close, or that lies where forces are not finite, is none.
        let Ok((mut equations, point)) = BalanceEquations::new(tree, &start, request, externals())
        else {
            continue;
        };
        // Every other start falls, so that what is stable and what is not are both found.
        let Ok(solved) = solve(&mut equations, &point, number % 2 == 0) else { continue };
        if !solved.is_balanced() {
            continue;
        }
        let place = solved.residual.point.clone();
        let equilibrium = describe(&mut equations, &point, solved)?;
        if found.is_empty() {
            let rank = equations.neutral(&place)?;
            for direction in rank.neutral() {
                let moving = equations.unknowns.iter().zip(&direction);
                neutral.extend(moving.filter(|(_, x)| x.abs() > 1e-6).filter_map(|(one, _)| {
                    if let Quantity::Coordinate(at) = one { Some(*at) } else { None }
                }));
            }
        }
        let same = |one: &&mut Candidate| {
            let other = &one.equilibrium.state;
            is_same(mechanism, &neutral, size, &other.q, &equilibrium.state.q)
        };
        if let Some(known) = found.iter_mut().find(same) {
            known.starts += 1;
            continue;
        }
        let growing = modes_at(&mut equations, &place).ok().map(|modes| modes.growing());
        found.push(Candidate { equilibrium, growing, starts: 1 });
    }
    Ok(found)
}

/// Returns `true` if coordinates are the same but for neutral ones and whole turns.
fn is_same(mechanism: &Mechanism, neutral: &[usize], size: f64, a: &[f64], b: &[f64]) -> bool {
    let single = (0..mechanism.speeds.len()).all(|at| {
        let Some(place) = single_coordinate(mechanism, at) else { return true };
        if neutral.contains(&at) {
            return true;
        }
        let gap = a[place] - b[place];
        if crate::equations::is_length(mechanism, at) {
            gap.abs() < SAME * size
        } else {
            (gap - TAU * (gap / TAU).round()).abs() < SAME
        }
    });
    // Two quaternions of opposite sign are one rotation.
    let turned =
        mechanism.joints.iter().filter_map(rotule_model::mechanism::Joint::quaternion).all(
            |range| {
                let along: f64 = a[range.clone()].iter().zip(&b[range]).map(|(a, b)| a * b).sum();
                1.0 - along.abs() < SAME * SAME
            },
        );
    single && turned
}
