//! The Runge-Kutta pair 5(4) of Dormand and Prince, with interpolation of order four.
//!
//! Seven stages, of which the last is the first of the next step. The numbers are those of Dormand
//! and Prince (1980) and, between the ends, of Hairer, Nørsett and Wanner, Solving Ordinary
//! Differential Equations I, section II.6.

use super::embedded::Pair;

/// The pair.
pub const DORMAND_PRINCE: Pair = Pair {
    a: A,
    c: &[0.0, 0.2, 0.3, 0.8, 8.0 / 9.0, 1.0, 1.0],
    last: 6,
    error: ERROR,
    second: None,
    dense: &[DENSE],
    power: 5.0,
    memory: 0.04,
    change: [0.2, 10.0],
    stable: 3.25,
};

const A: &[&[f64]] = &[
    &[],
    &[1.0 / 5.0],
    &[3.0 / 40.0, 9.0 / 40.0],
    &[44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0],
    &[19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0],
    &[9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0],
    &[35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0],
];

/// The result less the formula of order four.
const ERROR: &[f64] = &[
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

const DENSE: &[f64] = &[
    -12715105075.0 / 11282082432.0,
    0.0,
    87487479700.0 / 32700410799.0,
    -10690763975.0 / 1880347072.0,
    701980252875.0 / 199316789632.0,
    -1453857185.0 / 822651844.0,
    69997945.0 / 29380423.0,
];
