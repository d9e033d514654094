//! Modes: damped eigenvalues of small motions about a state, and their shapes.

use crate::eigen::{ComplexNumber, Eigen, size};
use crate::equations::{BalanceEquations, EquilibriumRequest, is_length};
use crate::quantity::coordinate_name;
use crate::rank::readable;
use crate::state_matrix::StateMatrix;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_model::mechanism::Mechanism;
use rotule_numeric::state::StateNumbers;
use rotule_program::Externals;
use rotule_simulate::inputs::InputPoint;
use std::f64::consts::TAU;

/// A mode: an eigenvalue, for a pair of complex ones that above the real axis, and its shape.
#[derive(Clone, Debug)]
pub struct Mode {
    /// Its number, from one, by the size of eigenvalues.
    pub number: usize,
    /// Real and imaginary part in 1/s.
    pub value: [f64; 2],
    /// Displacements of all coordinates, one for each speed: real and imaginary parts. The largest
    /// is one, angles beside translations in sizes of the model.
    pub shape: Vec<[f64; 2]>,
    /// Changes of the states of the user's own in the same scale.
    pub states: Vec<[f64; 2]>,
    /// Shares of the independent coordinates in the kinetic energy of the mode, largest first.
    pub participation: Vec<(String, f64)>,
    /// The eigenvector in units, for comparing modes of neighbouring states.
    pub vector: Vec<ComplexNumber>,
}

impl Mode {
    /// The damped frequency in Hz; zero of a mode that does not oscillate.
    pub fn frequency(&self) -> f64 {
        self.value[1].abs() / TAU
    }

    /// The modulus of the eigenvalue as a frequency in Hz: that of the undamped mode.
    pub fn undamped(&self) -> f64 {
        size(ComplexNumber::new(self.value[0], self.value[1])) / TAU
    }

    /// The damping ratio: 1 and -1 of modes that do not oscillate.
    pub fn damping(&self) -> f64 {
        let size = size(ComplexNumber::new(self.value[0], self.value[1]));
        if size == 0.0 { 0.0 } else { -self.value[0] / size }
    }

    /// Returns `true` if the mode grows: its real part is positive beyond rounding.
    pub fn grows(&self) -> bool {
        self.value[0] > 1e-9 * size(ComplexNumber::new(self.value[0], self.value[1])).max(1e-3)
    }
}

/// A motion of the model as a whole, which nothing resists: a zero eigenvalue.
#[derive(Clone, Debug)]
pub struct RigidMode {
    /// Names of coordinates with their parts, the largest one.
    pub parts: Vec<(String, f64)>,
    /// `true` if a speed along the direction goes on, too: the eigenvalue is repeated.
    pub drifts: bool,
}

/// All modes at a state.
#[derive(Clone, Debug)]
pub struct Modes {
    /// The state, its loops closed.
    pub state: StateNumbers,
    /// Modes by the size of their eigenvalues.
    pub modes: Vec<Mode>,
    /// Directions that nothing resists.
    pub rigid: Vec<RigidMode>,
    /// The number of zero eigenvalues.
    pub zeros: usize,
    /// The largest scaled residual of the balance of forces: how far the state is from equilibrium.
    pub residual: f64,
    /// The force and the length that residuals are measured in.
    pub units: (f64, f64),
    /// Names of the displacements of all coordinates.
    pub names: Vec<String>,
    /// Names of the states of the user's own.
    pub state_names: Vec<String>,
    /// The state matrix.
    pub matrix: StateMatrix,
}

impl Modes {
    /// The number of modes that grow.
    pub fn growing(&self) -> usize {
        self.modes
            .iter()
            .filter(|mode| mode.grows())
            .map(|mode| if mode.value[1] > 0.0 { 2 } else { 1 })
            .sum()
    }
}

/// The modes at a state, whose loops are closed first.
pub fn modes(
    tree: &MultibodySystem,
    state: &StateNumbers,
    externals: Box<dyn Externals>,
) -> Result<Modes, Problem> {
    let request = EquilibriumRequest::default();
    let (mut equations, point) = BalanceEquations::new(tree, state, &request, externals)?;
    modes_at(&mut equations, &point)
}

/// The modes of a model at a closed point.
pub fn modes_at(equations: &mut BalanceEquations, point: &InputPoint) -> Result<Modes, Problem> {
    let residual = equations.residual(point)?;
    let residual = residual.map_or(f64::INFINITY, |one| one.largest());
    let matrix = StateMatrix::of(equations, point)?;
    let eigen = Eigen::of(&matrix.matrix, &matrix.units)?;
    let mechanism = equations.mechanism();
    let names = (0..mechanism.speeds.len()).map(|at| coordinate_name(mechanism, at)).collect();
    let state_names = mechanism.states.iter().map(|one| one.name.clone()).collect();
    let modes = eigen
        .values
        .iter()
        .zip(&eigen.vectors)
        .enumerate()
        .map(|(at, (value, vector))| {
            mode(mechanism, &matrix, equations.size, at + 1, *value, vector)
        })
        .collect();
    Ok(Modes {
        state: equations.functions.state(point),
        modes,
        rigid: rigid(mechanism, &matrix, &eigen),
        zeros: eigen.zero.len(),
        residual,
        units: (equations.force, equations.size),
        names,
        state_names,
        matrix,
    })
}

/// One mode, its largest displacement real and one.
fn mode(
    mechanism: &Mechanism,
    matrix: &StateMatrix,
    length: f64,
    number: usize,
    value: ComplexNumber,
    vector: &[ComplexNumber],
) -> Mode {
    let zero = ComplexNumber::new(0.0, 0.0);
    let mut shape = vec![zero; mechanism.speeds.len()];
    for (entry, displacement) in vector.iter().zip(&matrix.shapes) {
        shape.iter_mut().zip(displacement).for_each(|(all, x)| *all += entry * *x);
    }
    let unit = |at: usize| if is_length(mechanism, at) { length } else { 1.0 };
    let mut largest = zero;
    for (at, x) in shape.iter().enumerate() {
        let x = x / unit(at);
        // The first of equal ones, whatever rounding says.
        if size(x) > size(largest) * (1.0 + 1e-6) {
            largest = x;
        }
    }
    let first_state = matrix.coordinates.len() + matrix.speeds.len();
    if size(largest) == 0.0 {
        // A mode of states alone.
        largest = vector[first_state..]
            .iter()
            .copied()
            .fold(zero, |most, x| if size(x) > size(most) * (1.0 + 1e-6) { x } else { most });
    }
    if size(largest) == 0.0 {
        largest = ComplexNumber::new(1.0, 0.0);
    }
    let plain = |x: &ComplexNumber| {
        let x = x / largest;
        [x.re + 0.0, x.im + 0.0]
    };
    let scaled = vector.iter().zip(&matrix.units).map(|(x, unit)| x / largest / *unit).collect();
    Mode {
        number,
        value: [value.re + 0.0, value.im + 0.0],
        shape: shape.iter().map(plain).collect(),
        states: vector[first_state..].iter().map(plain).collect(),
        participation: participation(mechanism, matrix, vector),
        vector: scaled,
    }
}

/// Shares of the independent speeds in the kinetic energy, those of less than a thousandth left
/// out.
fn participation(
    mechanism: &Mechanism,
    matrix: &StateMatrix,
    vector: &[ComplexNumber],
) -> Vec<(String, f64)> {
    let first = matrix.coordinates.len();
    let speeds = &vector[first..first + matrix.speeds.len()];
    let momentum = |row: usize| -> ComplexNumber {
        speeds.iter().enumerate().map(|(column, v)| v * matrix.mass[(row, column)]).sum()
    };
    let shares: Vec<f64> =
        speeds.iter().enumerate().map(|(row, v)| size(v.conj() * momentum(row))).collect();
    let total: f64 = shares.iter().sum();
    let mut named: Vec<(String, f64)> = matrix
        .speeds
        .iter()
        .zip(shares)
        .filter(|(_, share)| total > 0.0 && *share > 1e-3 * total)
        .map(|(&at, share)| (coordinate_name(mechanism, at), share / total))
        .collect();
    named.sort_by(|a, b| b.1.total_cmp(&a.1));
    named
}

/// Names of the directions of zero eigenvalues that change nothing.
fn rigid(mechanism: &Mechanism, matrix: &StateMatrix, eigen: &Eigen) -> Vec<RigidMode> {
    let names: Vec<String> = matrix
        .coordinates
        .iter()
        .map(|&at| coordinate_name(mechanism, at))
        .chain(matrix.speeds.iter().map(|&at| mechanism.speeds[at].name.clone()))
        .chain(mechanism.states.iter().map(|one| one.name.clone()))
        .collect();
    let still = eigen.zero[..eigen.still].to_vec();
    let scaled: Vec<Vec<f64>> = still
        .iter()
        .map(|one| one.iter().zip(&matrix.units).map(|(x, unit)| x / unit).collect())
        .collect();
    let longer = eigen.zero.len() - eigen.still;
    readable(scaled)
        .into_iter()
        .map(|direction| {
            let parts: Vec<f64> =
                direction.iter().zip(&matrix.units).map(|(x, unit)| x * unit).collect();
            let most = parts.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            // A speed that goes on along the direction: the chain is longer.
            let drifts = longer > 0
                && eigen.zero[eigen.still..].iter().any(|chained| {
                    let speeds = &chained[matrix.coordinates.len()..];
                    let along: f64 = matrix
                        .speeds
                        .iter()
                        .zip(speeds)
                        .filter_map(|(at, v)| {
                            let place = matrix.coordinates.iter().position(|own| own == at)?;
                            Some(v * direction[place])
                        })
                        .sum();
                    along.abs() > 1e-6
                });
            let named = names.iter().zip(&parts).filter(|(_, x)| **x != 0.0);
            let parts = named.map(|(name, x)| (name.clone(), x / most)).collect();
            RigidMode { parts, drifts }
        })
        .collect()
}
