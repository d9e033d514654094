//! Equilibrium: the state in which forces balance, at rest or at given speeds.
//!
//! Newton's method with the shortest step finds it where the slope of the forces says where to go.
//! Where it does not (a wheel in the air, a bump stop that is open), the model is let go: an
//! implicit step of heavily damped motion, `(M / tau^2 + K) d = -Psi`, falls where there is no
//! stiffness and is Newton's step where there is. `tau` is as long as forces do work along the
//! step and the step stays short, so that the model comes to rest as it would in a run, in a few
//! dozen steps.
//!
//! Directions that change no force are found by rank and named, not failed on: a vehicle's place
//! and heading, the spin of a wheel.

use crate::equations::{BalanceEquations, Equation, EquilibriumRequest, Residual};
use crate::functions::ModelFunctions;
use crate::quantity::{Quantity, coordinate_name};
use crate::rank::{Rank, readable};
use crate::state_matrix::{least_mass, reduced_mass};
use nalgebra::{DMatrix, DVector};
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::function::{FunctionKind, outputs};
use rotule_formalism::{MultibodySystem, Problem};
use rotule_numeric::dense::PivotedLu;
use rotule_numeric::state::StateNumbers;
use rotule_program::Externals;
use rotule_simulate::inputs::InputPoint;

/// A scaled residual of this size is an equilibrium.
pub const BALANCED: f64 = 1e-10;
/// Newton's iterations go on below that while they gain.
const FINE: f64 = 1e-15;
/// Newton steps, and steps of damped motion.
const STEPS: (usize, usize) = (100, 1000);
/// The longest step of a coordinate: radians, or sizes of the model.
const LONGEST: f64 = 0.3;
/// Damped motion whose forces stay the same for so many radians or sizes ends: nothing is met.
const IDLE: f64 = 10.0;
/// Forces that change by less than this part are the same.
const CHANGE: f64 = 1e-6;
/// Masses that fell by this much belong to locked coordinates.
const LOCKED: f64 = 1e-9;
/// A model that has gone this many sizes does not come to rest.
const AWAY: f64 = 100.0;

/// A quantity that was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its name.
    pub name: String,
    /// Its number before, and now.
    pub before: f64,
    /// Its number now.
    pub value: f64,
}

/// A row that does not vanish.
#[derive(Clone, Debug)]
pub struct Unbalanced {
    /// The name of the row: the coordinate along which a force is left.
    pub name: String,
    /// The force, torque, rate or value that is left, in SI units.
    pub value: f64,
    /// The same, in the unit of the row.
    pub scaled: f64,
}

/// A direction along which nothing changes: names of quantities with their parts, the largest one.
#[derive(Clone, Debug)]
pub struct NeutralDirection {
    /// Names and parts, in radians and metres.
    pub parts: Vec<(String, f64)>,
}

/// The end of a search for an equilibrium.
#[derive(Clone, Debug)]
pub struct EquilibriumSolution {
    /// The state: the equilibrium, or the nearest state that was found.
    pub state: StateNumbers,
    /// `true` if all rows vanish.
    pub balanced: bool,
    /// The largest residual, in the units of the rows.
    pub residual: f64,
    /// Rows that do not vanish, largest first; of an equilibrium none.
    pub unbalanced: Vec<Unbalanced>,
    /// Newton steps.
    pub steps: usize,
    /// Steps of damped motion.
    pub falling: usize,
    /// Directions along which nothing changes.
    pub neutral: Vec<NeutralDirection>,
    /// Quantities that were found besides coordinates.
    pub found: Vec<Found>,
    /// The rate at which balances change along the motion, in units of the rows per second; zero at
    /// rest. An equilibrium in motion has none.
    pub drift: f64,
    /// The force that balances are measured in, in newtons, and the length in metres.
    pub units: (f64, f64),
    /// Amplification of the coordinate partition there.
    pub amplification: f64,
    /// `true` if coordinates are locked there, as angles are at gimbal lock, and forces may act
    /// along what they cannot describe: such a state is no equilibrium.
    pub locked: bool,
    /// Names of independent coordinates.
    pub independent: Vec<String>,
}

/// The equilibrium near a state.
pub fn equilibrium(
    tree: &MultibodySystem,
    state: &StateNumbers,
    request: &EquilibriumRequest,
    externals: Box<dyn Externals>,
) -> Result<EquilibriumSolution, Problem> {
    let (mut equations, point) = BalanceEquations::new(tree, state, request, externals)?;
    let solved = solve(&mut equations, &point, true)?;
    describe(&mut equations, &point, solved)
}

/// Where a search ended.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The point and its residuals.
    pub residual: Residual,
    /// Newton steps and steps of damped motion.
    pub steps: (usize, usize),
    /// `true` if coordinates are locked there: forces may act along what they cannot describe.
    pub locked: bool,
}

impl Solved {
    /// Returns `true` if all rows vanish.
    pub fn is_balanced(&self) -> bool {
        self.residual.largest() <= BALANCED && !self.locked
    }
}

/// Solves equations from a closed point; `fall` allows damped motion where Newton's method ends.
pub fn solve(
    equations: &mut BalanceEquations,
    start: &InputPoint,
    fall: bool,
) -> Result<Solved, Problem> {
    let first = equations.residual(start)?.ok_or_else(|| not_finite(equations))?;
    let at_start = masses(equations, &first.point)?;
    let (newton, steps) = descend(equations, first.clone())?;
    let mut best = Solved { residual: newton, steps: (steps, 0), locked: false };
    best.locked = is_locked(equations, &best.residual.point, at_start)?;
    if best.is_balanced() || !fall || !has_balances(equations) {
        return Ok(best);
    }
    // Newton's way may have led astray: the model falls from where it was put.
    let (ends, falling) = let_go(equations, first)?;
    best.steps.1 = falling;
    for end in ends {
        // Rows are those of the present partition, whichever the end was found with.
        let Some(end) = equations.residual(&end.point)? else { continue };
        let (polished, more) = descend(equations, end)?;
        best.steps.0 += more;
        let locked = is_locked(equations, &polished.point, at_start)?;
        let better = polished.length() < best.residual.length() && !locked;
        if better || best.locked && !locked {
            (best.residual, best.locked) = (polished, locked);
        }
        if best.is_balanced() {
            break;
        }
    }
    let point = best.residual.point.clone();
    equations.renew(&point)?;
    best.residual = equations.residual(&point)?.unwrap_or(best.residual);
    Ok(best)
}

/// The least mass of the independent speeds: see [`least_mass`].
fn masses(equations: &mut BalanceEquations, point: &InputPoint) -> Result<f64, Problem> {
    let (_, mass) = reduced_mass(equations, point)?;
    Ok(least_mass(equations, &mass))
}

/// Returns `true` if coordinates are locked at a point, as angles are at gimbal lock, and were not
/// at the start: there forces along the coordinates vanish although they do not balance, because
/// no coordinate moves the way they act.
fn is_locked(
    equations: &mut BalanceEquations,
    point: &InputPoint,
    at_start: f64,
) -> Result<bool, Problem> {
    let now = masses(equations, point)?;
    Ok(now < LOCKED && now < LOCKED * at_start)
}

fn not_finite(equations: &BalanceEquations) -> Problem {
    let name = &equations.mechanism().name;
    Problem::new(
        format!("the forces of `{name}` are not finite at the state where the search begins"),
        "give another state by --state, or check laws for roots and divisions there",
    )
}

fn has_balances(equations: &BalanceEquations) -> bool {
    equations.rows.iter().any(|row| matches!(row, Equation::Balance(_)))
}

/// Newton's method with the shortest steps, as far as residuals become smaller.
fn descend(
    equations: &mut BalanceEquations,
    start: Residual,
) -> Result<(Residual, usize), Problem> {
    let mut here = start;
    let mut steps = 0;
    while steps < STEPS.0 && here.largest() > FINE {
        if equations.renew(&here.point)? {
            let Some(same) = equations.residual(&here.point)? else { break };
            here = same;
        }
        let (_, jacobian) = equations.jacobian(&here.point, &[])?;
        let rank = Rank::of(&jacobian, equations.unknowns.len());
        let step: Vec<f64> = rank.solve(&here.scaled).iter().map(|x| -x).collect();
        let Some(next) = shorten(equations, &here, &step)? else { break };
        let gain = here.largest() / next.largest();
        let fine = here.largest() <= BALANCED;
        here = next;
        steps += 1;
        // Rounding is reached where a step gains little.
        if fine && gain < 2.0 {
            break;
        }
    }
    Ok((here, steps))
}

/// The longest part of a step that makes residuals smaller.
fn shorten(
    equations: &mut BalanceEquations,
    here: &Residual,
    step: &[f64],
) -> Result<Option<Residual>, Problem> {
    let moving = equations.unknowns.iter().zip(step);
    let longest = moving
        .filter(|(unknown, _)| matches!(unknown, Quantity::Coordinate(_)))
        .fold(0.0_f64, |most, (_, x)| most.max(x.abs()));
    if !longest.is_finite() {
        return Ok(None);
    }
    let mut part = (LONGEST / longest).min(1.0);
    for _ in 0..30 {
        let step: Vec<f64> = step.iter().map(|x| part * x).collect();
        let moved = equations.moved(&here.point, &step);
        if let Some(next) = equations.residual(&moved)?
            && next.length() < (1.0 - 1e-4 * part) * here.length()
        {
            return Ok(Some(next));
        }
        part *= 0.5;
    }
    Ok(None)
}

/// Matrices of damped motion along the independent speeds, in common units.
struct Damped {
    mass: DMatrix<f64>,
    stiffness: DMatrix<f64>,
    force: DVector<f64>,
    /// For each independent speed the displacement of all speeds.
    carried: Vec<Vec<f64>>,
}

/// Lets a model go until it rests, or for as many steps as there are: the states with which it
/// ended and that with the smallest residuals.
fn let_go(
    equations: &mut BalanceEquations,
    start: Residual,
) -> Result<([Residual; 2], usize), Problem> {
    let mut here = start.clone();
    let mut best = start;
    let mut tau = 1.0_f64;
    let mut gone = 0.0;
    let (mut since, mut reference) = (0.0, best.length());
    for count in 0..STEPS.1 {
        if equations.renew(&here.point)? {
            let Some(same) = equations.residual(&here.point)? else {
                return Ok(([here, best], count));
            };
            here = same;
        }
        let damped = damped(equations, &here)?;
        let mut next = None;
        for _ in 0..60 {
            if let Some((moved, length)) = fall(equations, &here, &damped, tau)? {
                next = Some((moved, length));
                break;
            }
            tau *= 0.5;
        }
        let Some((moved, length)) = next else { return Ok(([here, best], count)) };
        here = moved;
        gone += length;
        tau *= 2.0;
        if here.length() < best.length() {
            best = here.clone();
        }
        if (here.length() - reference).abs() > CHANGE * reference {
            (since, reference) = (gone, here.length());
        }
        if here.largest() < BALANCED || gone > AWAY || gone > since + IDLE {
            return Ok(([here, best], count + 1));
        }
    }
    Ok(([here, best], STEPS.1))
}

fn damped(equations: &mut BalanceEquations, here: &Residual) -> Result<Damped, Problem> {
    let rows: Vec<(usize, usize)> = (equations.rows.iter().enumerate())
        .filter_map(|(row, one)| match one {
            Equation::Balance(at) => Some((row, *at)),
            _ => None,
        })
        .collect();
    let width = here.point.qd.len();
    let map = match is_constrained(equations.mechanism()) {
        true => Some(equations.functions.evaluate("reduction", &here.point, &[])?),
        false => None,
    };
    let held = |at: usize| {
        let ignored = !equations.unknowns.contains(&Quantity::Coordinate(at));
        ignored && equations.functions.independent_coordinates().contains(&at)
    };
    let unit = |row: usize| equations.row_units[row] / equations.force;
    let carried: Vec<Vec<f64>> = rows
        .iter()
        .map(|&(row, speed)| match &map {
            Some(map) => (0..width)
                .map(|at| if held(at) { 0.0 } else { map.output(0)[at * width + speed] })
                .map(|x| x * inverse_unit(unit(row), equations.size))
                .collect(),
            None => (0..width)
                .map(|at| {
                    f64::from(u8::from(at == speed)) * inverse_unit(unit(row), equations.size)
                })
                .collect(),
        })
        .collect();
    let mut directions = Vec::new();
    let all: Vec<usize> = (0..width).collect();
    let along = equations.functions.along_speeds(&here.point, &all)?;
    for displacement in &carried {
        let mut direction = ModelFunctions::still(&here.point);
        for (one, part) in along.iter().zip(displacement).filter(|(_, part)| **part != 0.0) {
            direction.q.iter_mut().zip(&one.q).for_each(|(rate, x)| *rate += part * x);
        }
        directions.push(direction);
    }
    for (&(row, speed), _) in rows.iter().zip(&carried) {
        let mut direction = ModelFunctions::still(&here.point);
        direction.qdd[speed] = inverse_unit(unit(row), equations.size);
        directions.push(direction);
    }
    let (force, slopes) = equations.forces(&here.point, &directions)?;
    let count = rows.len();
    let entry =
        |direction: usize, i: usize| slopes[direction][rows[i].1] / equations.row_units[rows[i].0];
    Ok(Damped {
        stiffness: DMatrix::from_fn(count, count, |i, j| entry(j, i)),
        mass: DMatrix::from_fn(count, count, |i, j| entry(count + j, i)),
        force: DVector::from_fn(count, |i, _| force[rows[i].1] / equations.row_units[rows[i].0]),
        carried,
    })
}

/// The displacement of one common unit along a row whose unit is that of a force or of a torque: a
/// size of the model, or a radian.
fn inverse_unit(unit: f64, size: f64) -> f64 {
    if unit == 1.0 { size } else { 1.0 }
}

/// A step of damped motion, if forces do work along it and it is short.
fn fall(
    equations: &mut BalanceEquations,
    here: &Residual,
    damped: &Damped,
    tau: f64,
) -> Result<Option<(Residual, f64)>, Problem> {
    let count = damped.force.len();
    let rate = 1.0 / (tau * tau);
    let factor =
        PivotedLu::from_fn(count, |i, j| rate * damped.mass[(i, j)] + damped.stiffness[(i, j)]);
    let mut step: Vec<f64> = damped.force.iter().map(|x| -x).collect();
    if !factor.solve(&mut step) {
        return Ok(None);
    }
    let work: f64 = -damped.force.iter().zip(&step).map(|(force, x)| force * x).sum::<f64>();
    let length = step.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    // What falls freely may go further than what turns.
    if !(work > 0.0 && length <= 0.5 * LONGEST) {
        return Ok(None);
    }
    let mut along = vec![0.0; here.point.qd.len()];
    for (displacement, x) in damped.carried.iter().zip(&step) {
        along.iter_mut().zip(displacement).for_each(|(all, part)| *all += x * part);
    }
    let moved = equations.functions.moved(&here.point, &along);
    let Some(next) = equations.residual(&moved)? else { return Ok(None) };
    // Contacts that are met with too long a step push back more than the model weighs; and motion
    // never climbs, so that it cannot go round in circles.
    let much = next.largest() > 10.0 && next.largest() > 2.0 * here.largest();
    let balances = equations.rows.iter().zip(&next.scaled);
    let balances = balances.filter(|(row, _)| matches!(row, Equation::Balance(_)));
    let after: f64 = -balances.zip(&step).map(|((_, force), x)| force * x).sum::<f64>();
    Ok((!much && work + after > 0.0).then_some((next, length)))
}

/// The description of a solution.
pub fn describe(
    equations: &mut BalanceEquations,
    start: &InputPoint,
    solved: Solved,
) -> Result<EquilibriumSolution, Problem> {
    let point = solved.residual.point.clone();
    let rank = equations.neutral(&point)?;
    let neutral = neutral_directions(equations, &rank);
    let drift = drift(equations, &point)?;
    let amplification = equations.functions.amplification(&point)?;
    let mechanism = equations.mechanism();
    let balanced = solved.is_balanced();
    let mut unbalanced: Vec<Unbalanced> = equations
        .rows
        .iter()
        .zip(&solved.residual.scaled)
        .zip(&equations.row_units)
        .filter(|((_, scaled), _)| !balanced && scaled.abs() > BALANCED)
        .map(|((row, &scaled), unit)| Unbalanced {
            name: row.name(mechanism),
            // What is missing has the sign of the force that acts.
            value: -scaled * unit,
            scaled: -scaled,
        })
        .collect();
    unbalanced.sort_by(|a, b| b.scaled.abs().total_cmp(&a.scaled.abs()));
    let others = equations.unknowns.iter().filter(|one| !matches!(one, Quantity::Coordinate(_)));
    let found = others
        .map(|one| Found {
            name: one.name(mechanism),
            before: one.value(mechanism, start),
            value: one.value(mechanism, &point),
        })
        .collect();
    let independent = equations.functions.independent_coordinates().iter();
    let independent = independent.map(|at| coordinate_name(mechanism, *at)).collect();
    Ok(EquilibriumSolution {
        state: equations.functions.state(&point),
        balanced,
        residual: solved.residual.largest(),
        unbalanced,
        steps: solved.steps.0,
        falling: solved.steps.1,
        neutral,
        found,
        drift,
        units: (equations.force, equations.size),
        amplification,
        locked: solved.locked,
        independent,
    })
}

/// Coordinates that nothing resists and whose speed in a state is not zero: with them moving
/// uniformly there may be an equilibrium where there is none at rest.
pub fn cyclic(
    equations: &mut BalanceEquations,
    point: &InputPoint,
    qd: &[f64],
) -> Result<Vec<usize>, Problem> {
    let rank = equations.neutral(point)?;
    let neutral = rank.neutral();
    let speeds = equations.functions.independent_speeds();
    let found = equations.unknowns.iter().enumerate().filter_map(|(column, one)| match one {
        Quantity::Coordinate(at) => {
            let moves = neutral.iter().any(|direction| direction[column].abs() > 1e-6);
            (moves && qd[*at] != 0.0 && speeds.contains(at)).then_some(*at)
        }
        _ => None,
    });
    Ok(found.collect())
}

/// Names of the directions that change nothing.
fn neutral_directions(equations: &BalanceEquations, rank: &Rank) -> Vec<NeutralDirection> {
    let mechanism = equations.mechanism();
    readable(rank.neutral())
        .into_iter()
        .map(|direction| {
            let parts = direction.iter().zip(&equations.units).map(|(x, unit)| x * unit);
            let parts: Vec<f64> = parts.collect();
            let most = parts.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let named = equations.unknowns.iter().zip(&parts).filter(|(_, x)| **x != 0.0);
            let named = named.map(|(unknown, x)| (unknown.name(mechanism), x / most));
            NeutralDirection { parts: named.collect() }
        })
        .collect()
}

/// The rate at which the rows change along the motion.
fn drift(equations: &mut BalanceEquations, point: &InputPoint) -> Result<f64, Problem> {
    if point.qd.iter().all(|v| *v == 0.0) {
        return Ok(0.0);
    }
    let rates = equations.functions.evaluate("rates", point, &[])?;
    let at = FunctionKind::Rates.row().position(&outputs::COORDINATE_RATES);
    let mut direction = ModelFunctions::still(point);
    direction.q.copy_from_slice(rates.output(at));
    direction.t = 1.0;
    let (_, slopes) = equations.forces(point, &[direction])?;
    let balances = equations.rows.iter().zip(&equations.row_units);
    Ok(balances.fold(0.0, |most, (row, unit)| match row {
        Equation::Balance(at) => most.max((slopes[0][*at] / unit).abs()),
        _ => most,
    }))
}
