//! The state matrix: first-order equations of small motions about a state.
//!
//! ```text
//! y = (d, w, s)      displacements of independent coordinates, changes of independent speeds, of states
//! d' = displacement rates     from the speeds that follow; in rotating axes of quaternion joints
//! w' = -M^-1 (K d + G w + F s)     M, G, K and F are derivatives of Psi, loops closed
//! s' = derivatives of the rates
//! ```
//!
//! All of them are exact: forward mode through the programs of `actuation`, `closure` and `states`.
//! At a state that is no equilibrium the accelerations that it has are part of the point, so that
//! the matrix is that of small motions about the motion that goes on.

use crate::equations::{BalanceEquations, is_length};
use crate::functions::ModelFunctions;
use crate::rank::Rank;
use nalgebra::{DMatrix, DVector};
use rotule_formalism::function::{FunctionKind, outputs};
use rotule_formalism::{MotionPart, Problem};
use rotule_numeric::dense::PivotedLu;
use rotule_simulate::inputs::InputPoint;

/// The first-order equations of small motions.
#[derive(Clone, Debug)]
pub struct StateMatrix {
    /// The matrix, in the units of the state: metres, radians, and those per second.
    pub matrix: DMatrix<f64>,
    /// Independent coordinates, as places of their speeds: the first entries of the state.
    pub coordinates: Vec<usize>,
    /// Independent speeds: the next.
    pub speeds: Vec<usize>,
    /// ComplexNumber of states of the user's own: the last.
    pub states: usize,
    /// For each entry of the state the displacement of all coordinates, one for each speed.
    pub shapes: Vec<Vec<f64>>,
    /// The mass matrix of the independent speeds.
    pub mass: DMatrix<f64>,
    /// The unit of each entry of the state: a radian, or the size of the model.
    pub units: Vec<f64>,
    /// The largest acceleration of an independent speed that the state has, in common units.
    pub acceleration: f64,
}

impl StateMatrix {
    /// The matrix at a closed point.
    pub fn of(
        equations: &mut BalanceEquations,
        point: &InputPoint,
    ) -> Result<StateMatrix, Problem> {
        let coordinates = equations.functions.independent_coordinates().to_vec();
        let speeds = equations.functions.independent_speeds().to_vec();
        let states = equations.mechanism().states.len();
        let mut point = point.clone();
        point.qdd.fill(0.0);
        equations.functions.refuse_singular(&point)?;
        let (force, mass) = reduced_mass(equations, &point)?;
        if !is_regular(&mass) || least_mass(equations, &mass) < LEAST_MASS {
            return Err(singular());
        }
        let count = speeds.len();
        let factor = PivotedLu::from_fn(count, |i, j| mass[(i, j)]);
        let mut qdd: Vec<f64> = speeds.iter().map(|&at| -force[at]).collect();
        if !factor.solve(&mut qdd) || qdd.iter().any(|x| !x.is_finite()) {
            return Err(singular());
        }
        let size = equations.size;
        let lengths: Vec<bool> =
            (0..point.qd.len()).map(|at| is_length(equations.mechanism(), at)).collect();
        let unit = |at: usize| if lengths[at] { size } else { 1.0 };
        let acceleration =
            speeds.iter().zip(&qdd).fold(0.0_f64, |most, (&at, x)| most.max((x / unit(at)).abs()));
        speeds.iter().zip(&qdd).for_each(|(&at, x)| point.qdd[at] = *x);

        let mut directions = equations.functions.along_speeds(&point, &coordinates)?;
        directions.extend(speeds.iter().map(|&at| faster(&point, at, |one| &mut one.qd)));
        directions.extend((0..states).map(|at| faster(&point, at, |one| &mut one.states)));
        let (_, mut slopes) = equations.forces(&point, &directions)?;
        // What rounding leaves of forces that do not change would be the stiffness of a free fall.
        let least = NOISE * equations.force * size;
        for (slope, &column) in slopes.iter_mut().zip(&coordinates) {
            for &row in &speeds {
                if (slope[row] * unit(row) * unit(column)).abs() < least {
                    slope[row] = 0.0;
                }
            }
        }
        let closed = equations.closed_directions(&point, &directions)?;
        let (shapes, rates) = displacements(&mut equations.functions, &point, &closed)?;
        let state_rates = match states {
            0 => None,
            _ => Some(equations.functions.evaluate("states", &point, &closed)?),
        };
        let total = coordinates.len() + count + states;
        let mut matrix = DMatrix::zeros(total, total);
        for column in 0..total {
            for (row, &at) in coordinates.iter().enumerate() {
                matrix[(row, column)] = rates[column][at];
            }
            let mut change: Vec<f64> = speeds.iter().map(|&at| -slopes[column][at]).collect();
            factor.solve(&mut change);
            for (row, x) in change.into_iter().enumerate() {
                matrix[(coordinates.len() + row, column)] = x;
            }
            if let Some(found) = &state_rates {
                for row in 0..states {
                    matrix[(coordinates.len() + count + row, column)] = found.along(column, 0)[row];
                }
            }
        }
        if matrix.iter().any(|x: &f64| !x.is_finite()) {
            let message = "derivatives of the forces are not finite at this state";
            return Err(Problem::new(message, "check laws for roots and divisions there"));
        }
        let units = coordinates.iter().chain(&speeds).map(|&at| unit(at));
        let units = units.chain((0..states).map(|_| 1.0)).collect();
        Ok(StateMatrix { matrix, coordinates, speeds, states, shapes, mass, units, acceleration })
    }

    /// The number of entries of the state.
    pub fn len(&self) -> usize {
        self.matrix.nrows()
    }

    /// Returns `true` if nothing can move.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// The least singular value of a mass matrix in common units, beside the largest, that rounding
/// leaves: at gimbal lock there is nothing that moves.
const LEAST_MASS: f64 = 1e-14;

/// Changes of forces along displacements of one size that are this small beside the force of the
/// model, which is its weight, are rounding.
const NOISE: f64 = 1e-13;

/// The direction along which one number changes.
fn faster(
    point: &InputPoint,
    at: usize,
    place: fn(&mut InputPoint) -> &mut Vec<f64>,
) -> InputPoint {
    let mut direction = ModelFunctions::still(point);
    place(&mut direction)[at] = 1.0;
    direction
}

/// Forces without acceleration, by all speeds, and the mass matrix of the independent speeds.
pub fn reduced_mass(
    equations: &mut BalanceEquations,
    point: &InputPoint,
) -> Result<(Vec<f64>, DMatrix<f64>), Problem> {
    let speeds = equations.functions.independent_speeds().to_vec();
    let directions: Vec<InputPoint> =
        speeds.iter().map(|&at| faster(point, at, |one| &mut one.qdd)).collect();
    let (force, slopes) = equations.forces(point, &directions)?;
    let count = speeds.len();
    Ok((force, DMatrix::from_fn(count, count, |i, j| slopes[j][speeds[i]])))
}

/// The least singular value of a mass matrix of the independent speeds in common units, beside the
/// largest.
pub fn least_mass(equations: &BalanceEquations, mass: &DMatrix<f64>) -> f64 {
    let speeds = equations.functions.independent_speeds();
    let unit = |i: usize| match is_length(equations.mechanism(), speeds[i]) {
        true => equations.size,
        false => 1.0,
    };
    let count = mass.nrows();
    if count == 0 || mass.iter().any(|x| !x.is_finite()) {
        return if count == 0 { 1.0 } else { 0.0 };
    }
    let scaled = DMatrix::from_fn(count, count, |i, j| mass[(i, j)] * unit(i) * unit(j));
    let values = scaled.singular_values();
    if values.max() > 0.0 { values.min() / values.max() } else { 0.0 }
}

fn singular() -> Problem {
    Problem::new(
        "the reduced mass matrix is singular at this state",
        "give the bodies mass or inertia where they move, and keep away from gimbal lock",
    )
}

/// Returns `true` if a mass matrix is regular, whatever the units of its rows.
fn is_regular(mass: &DMatrix<f64>) -> bool {
    let count = mass.nrows();
    let root = |at: usize| mass[(at, at)].abs().sqrt();
    let line = |i: usize| (0..count).map(|j| mass[(i, j)] / (root(i) * root(j))).collect();
    let scaled: Vec<Vec<f64>> = (0..count).map(line).collect();
    Rank::of(&scaled, count).rank() == count
}

type Rows = Vec<Vec<f64>>;

/// For closed directions the displacements of all coordinates, one for each speed, and their rates.
///
/// Displacements of a joint with a quaternion are in the axes of its body, which rotate: a change
/// `(u, p)` of place and rotation has the rate `(dv - w x u - v x p, dw - w x p)`.
fn displacements(
    functions: &mut ModelFunctions,
    point: &InputPoint,
    closed: &[InputPoint],
) -> Result<(Rows, Rows), Problem> {
    let at = FunctionKind::KinematicMap.row().position(&outputs::KINEMATIC_MAP);
    let map = functions.evaluate("kinematic_map", point, &[])?;
    let (speeds, coordinates) = (point.qd.len(), point.q.len());
    let map = DMatrix::from_row_slice(coordinates, speeds, map.output(at));
    // Columns of `N` are at right angles to each other: its inverse is the scaled transpose.
    let squares: Vec<f64> = map.column_iter().map(|column| column.norm_squared()).collect();
    let mut rotating = Vec::new();
    for node in &functions.tree().tree.nodes {
        if node.quaternion().is_none() {
            continue;
        }
        let of = |part: MotionPart| {
            node.parts().find(|one| one.0 == part).map(|(_, _, speeds)| speeds.start)
        };
        if let Some(rotation) = of(MotionPart::Rotation) {
            rotating.push((of(MotionPart::Position), rotation));
        }
    }
    let (mut shapes, mut rates) = (Vec::new(), Vec::new());
    for direction in closed {
        let moved = map.tr_mul(&DVector::from_column_slice(&direction.q));
        let shape: Vec<f64> = moved
            .iter()
            .zip(&squares)
            .map(|(x, square)| if *square > 0.0 { x / square } else { 0.0 })
            .collect();
        let mut rate = direction.qd.clone();
        let three = |list: &[f64], at: usize| [list[at], list[at + 1], list[at + 2]];
        for &(position, rotation) in &rotating {
            let (w, p) = (three(&point.qd, rotation), three(&shape, rotation));
            let turn = rotule_model::pose::cross(w, p);
            (0..3).for_each(|k| rate[rotation + k] -= turn[k]);
            if let Some(position) = position {
                let (v, u) = (three(&point.qd, position), three(&shape, position));
                let (one, other) =
                    (rotule_model::pose::cross(w, u), rotule_model::pose::cross(v, p));
                (0..3).for_each(|k| rate[position + k] -= one[k] + other[k]);
            }
        }
        shapes.push(shape);
        rates.push(rate);
    }
    Ok((shapes, rates))
}
