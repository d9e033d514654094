//! Equations with known answers: exact ones, and published digits of the test sets of Hairer,
//! Nørsett and Wanner and of the University of Bari.

use rotule_simulate::method::{Accuracy, Failure, Integrator, Work};
use rotule_simulate::methods::method;
use rotule_simulate::ode::{Fault, Ode};

pub type Rates = fn(f64, &[f64], &mut [f64]);
pub type Derivatives = fn(f64, &[f64], &mut [f64]);

/// Equations as functions, with the number of times they were asked.
pub struct Equations {
    pub size: usize,
    pub rates: Rates,
    pub derivatives: Option<Derivatives>,
    pub coordinates: usize,
    pub scale: f64,
    /// `true` if the first state is an angle.
    pub turns: bool,
    /// Where the equations end: they have no value for a first state above it.
    pub wall: f64,
    pub asked: u64,
    /// The latest time at which they were evaluated.
    pub latest: f64,
}

impl Ode for Equations {
    fn size(&self) -> usize {
        self.size
    }

    fn rates(&mut self, t: f64, y: &[f64], rates: &mut [f64]) -> Result<(), Fault> {
        self.asked += 1;
        self.latest = self.latest.max(t);
        if y.first().is_some_and(|&first| first > self.wall) {
            return Err(Fault::NotClosed("wall".into()));
        }
        (self.rates)(t, y, rates);
        Ok(())
    }

    fn derivatives(&mut self, t: f64, y: &[f64], by_state: &mut [f64]) -> Result<bool, Fault> {
        let Some(derivatives) = self.derivatives else { return Ok(false) };
        derivatives(t, y, by_state);
        Ok(true)
    }

    fn coordinates(&self) -> usize {
        self.coordinates
    }

    fn turns(&self, state: usize) -> bool {
        self.turns && state == 0
    }

    fn scale(&self, _state: usize) -> f64 {
        self.scale
    }
}

/// Equations of a function.
pub fn equations(size: usize, rates: Rates) -> Equations {
    Equations {
        size,
        rates,
        derivatives: None,
        coordinates: 0,
        scale: 1.0,
        turns: false,
        wall: f64::INFINITY,
        asked: 0,
        latest: f64::NEG_INFINITY,
    }
}

impl Equations {
    pub fn with(mut self, derivatives: Derivatives) -> Equations {
        self.derivatives = Some(derivatives);
        self
    }

    pub fn scaled(mut self, scale: f64) -> Equations {
        self.scale = scale;
        self
    }
}

/// A tolerance of both kinds.
pub fn within(tolerance: f64) -> Accuracy {
    Accuracy::Within { relative: tolerance, absolute: tolerance }
}

/// The states at `end`, and what they cost.
pub fn solve(
    name: &str,
    accuracy: Accuracy,
    ode: &mut Equations,
    start: &[f64],
    end: f64,
) -> Result<(Vec<f64>, Work), Failure> {
    let mut method = method(name, accuracy, ode.size).unwrap();
    let mut y = start.to_vec();
    go(&mut *method, ode, &mut 0.0, &mut y, end)?;
    Ok((y, method.work()))
}

/// Steps up to `end`.
pub fn go(
    method: &mut dyn Integrator,
    ode: &mut Equations,
    t: &mut f64,
    y: &mut [f64],
    end: f64,
) -> Result<(), Failure> {
    while *t < end {
        method.step(ode, t, y, end)?;
    }
    assert_eq!(*t, end);
    Ok(())
}

/// The largest difference, relative to what is expected where that is above one.
pub fn error(found: &[f64], expected: &[f64]) -> f64 {
    let one = |(a, b): (&f64, &f64)| (a - b).abs() / b.abs().max(1.0);
    found.iter().zip(expected).map(one).fold(0.0, f64::max)
}

/// The largest relative difference.
pub fn relative(found: &[f64], expected: &[f64]) -> f64 {
    let one = |(a, b): (&f64, &f64)| (a - b).abs() / b.abs();
    found.iter().zip(expected).map(one).fold(0.0, f64::max)
}

/// `y' = y cos t`: the exponential of a sine.
pub fn sine() -> Equations {
    equations(1, |t, y, rates| rates[0] = y[0] * t.cos()).with(|t, _, by| by[0] = t.cos())
}

/// An oscillator of frequency one; from `[1, 0]` a cosine.
pub fn oscillator() -> Equations {
    let mut ode = equations(2, |_, y, rates| {
        rates[0] = y[1];
        rates[1] = -y[0];
    })
    .with(|_, _, by| by.copy_from_slice(&[0.0, 1.0, -1.0, 0.0]));
    ode.coordinates = 1;
    ode
}

/// Two bodies.
pub fn kepler() -> Equations {
    equations(4, |_, y, rates| {
        let cube = (y[0] * y[0] + y[1] * y[1]).powf(1.5);
        rates.copy_from_slice(&[y[2], y[3], -y[0] / cube, -y[1] / cube]);
    })
}

/// States of the orbit of this eccentricity and semi-axis one, from its nearest point, by Kepler's
/// equation.
pub fn orbit(eccentricity: f64, t: f64) -> [f64; 4] {
    let mut angle = t;
    for _ in 0..50 {
        angle -= (angle - eccentricity * angle.sin() - t) / (1.0 - eccentricity * angle.cos());
    }
    let minor = (1.0 - eccentricity * eccentricity).sqrt();
    let speed = 1.0 / (1.0 - eccentricity * angle.cos());
    [
        angle.cos() - eccentricity,
        minor * angle.sin(),
        -angle.sin() * speed,
        minor * angle.cos() * speed,
    ]
}

/// A satellite between Earth and Moon on Arenstorf's closed orbit.
pub fn arenstorf() -> Equations {
    equations(4, |_, y, rates| {
        let moon = 0.012277471;
        let earth = 1.0 - moon;
        let near = ((y[0] + moon).powi(2) + y[1] * y[1]).powf(1.5);
        let far = ((y[0] - earth).powi(2) + y[1] * y[1]).powf(1.5);
        rates[0] = y[2];
        rates[1] = y[3];
        rates[2] = y[0] + 2.0 * y[3] - earth * (y[0] + moon) / near - moon * (y[0] - earth) / far;
        rates[3] = y[1] - 2.0 * y[2] - earth * y[1] / near - moon * y[1] / far;
    })
}

pub const ARENSTORF: ([f64; 4], f64) =
    ([0.994, 0.0, 0.0, -2.001_585_106_379_082_5], 17.065_216_560_157_964);

/// Seven stars in a plane.
pub fn pleiades() -> Equations {
    equations(28, |_, y, rates| {
        rates[..14].copy_from_slice(&y[14..]);
        for i in 0..7 {
            let mut pull = [0.0; 2];
            for j in (0..7).filter(|&j| j != i) {
                let (x, z) = (y[j] - y[i], y[7 + j] - y[7 + i]);
                let cube = (x * x + z * z).powf(1.5);
                pull[0] += (j + 1) as f64 * x / cube;
                pull[1] += (j + 1) as f64 * z / cube;
            }
            rates[14 + i] = pull[0];
            rates[21 + i] = pull[1];
        }
    })
}

pub const PLEIADES_START: [f64; 28] = [
    3.0, 3.0, -1.0, -3.0, 2.0, -2.0, 2.0, 3.0, -3.0, 2.0, 0.0, 0.0, -4.0, 4.0, 0.0, 0.0, 0.0, 0.0,
    0.0, 1.75, -1.5, 0.0, 0.0, 0.0, -1.25, 1.0, 0.0, 0.0,
];

/// Places of the stars at `t = 3`.
pub const PLEIADES_END: [f64; 14] = [
    0.370_613_914_397_050_2,
    3.237_284_092_057_233,
    -3.222_559_032_418_324,
    0.659_709_145_577_531,
    0.342_558_170_715_658_4,
    1.562_172_101_400_631,
    -0.700_309_292_221_249_5,
    -3.943_437_585_517_392,
    -3.271_380_973_972_55,
    5.225_081_843_456_543,
    -2.590_612_434_977_47,
    1.198_213_693_392_275,
    -0.242_968_234_493_582_4,
    1.091_449_240_428_98,
];

/// Robertson's reactions.
pub fn robertson() -> Equations {
    equations(3, |_, y, rates| {
        let slow = 0.04 * y[0];
        let back = 1e4 * y[1] * y[2];
        let fast = 3e7 * y[1] * y[1];
        rates.copy_from_slice(&[back - slow, slow - back - fast, fast]);
    })
    .with(|_, y, by| {
        by.copy_from_slice(&[
            -0.04,
            1e4 * y[2],
            1e4 * y[1],
            0.04,
            -1e4 * y[2] - 6e7 * y[1],
            -1e4 * y[1],
            0.0,
            6e7 * y[1],
            0.0,
        ]);
    })
}

/// Robertson's concentrations at `t = 1e11`.
pub const ROBERTSON: [f64; 3] =
    [2.083_340_149_701_255e-8, 8.333_360_770_334_713e-14, 0.999_999_979_166_505];

/// Van der Pol's oscillator with a damping of a million, in its own time.
pub fn van_der_pol() -> Equations {
    equations(2, |_, y, rates| {
        rates[0] = y[1];
        rates[1] = ((1.0 - y[0] * y[0]) * y[1] - y[0]) / 1e-6;
    })
    .with(|_, y, by| {
        by.copy_from_slice(&[
            0.0,
            1.0,
            (-2.0 * y[0] * y[1] - 1.0) / 1e-6,
            (1.0 - y[0] * y[0]) / 1e-6,
        ]);
    })
}

/// Van der Pol's states at `t = 2`, from `[2, 0]`.
pub const VAN_DER_POL: [f64; 2] = [1.706_167_732_170_483, -0.892_809_701_024_797_5];

/// Eight reactions of a plant under light.
pub fn hires() -> Equations {
    equations(8, |_, y, f| {
        let gain = 280.0 * y[5] * y[7];
        f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
        f[1] = 1.71 * y[0] - 8.75 * y[1];
        f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
        f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
        f[4] = -1.745 * y[4] + 0.43 * (y[5] + y[6]);
        f[5] = -gain + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
        f[6] = gain - 1.81 * y[6];
        f[7] = -f[6];
    })
}

pub const HIRES_START: [f64; 8] = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0057];

/// Concentrations at `t = 321.8122`.
pub const HIRES_END: [f64; 8] = [
    0.737_131_257_332_566_8e-3,
    0.144_248_572_631_618_5e-3,
    0.588_872_974_096_757_5e-4,
    0.117_565_134_328_314_9e-2,
    0.238_635_619_883_133_1e-2,
    0.623_896_825_274_279_6e-2,
    0.284_999_839_518_576_9e-2,
    0.285_000_160_481_423_1e-2,
];
