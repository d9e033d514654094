//! Methods for constrained equations of second order, on problems whose answers are known.

use rotule_simulate::method::{Accuracy, Failure, Integrator};
use rotule_simulate::methods::alpha::{Alpha, Parameters, Scheme};
use rotule_simulate::methods::method;
use rotule_simulate::ode::{Evaluated, Fault, Ode};
use rotule_simulate::second_order::{
    Constrained, ConstrainedSizes, Instant, Tangents, differences,
};

const G: f64 = 9.81;

/// A chain of masses of one kilogram, one metre apart, in a plane; the first is tied to the origin.
struct Chain(usize);

impl Chain {
    fn reach(q: &[f64], row: usize) -> [f64; 2] {
        let before = |at: usize| if row == 0 { 0.0 } else { q[2 * row - 2 + at] };
        [q[2 * row] - before(0), q[2 * row + 1] - before(1)]
    }

    fn jacobian(&self, q: &[f64]) -> Vec<f64> {
        let size = 2 * self.0;
        let mut jacobian = vec![0.0; self.0 * size];
        for row in 0..self.0 {
            for (at, value) in Chain::reach(q, row).into_iter().enumerate() {
                jacobian[row * size + 2 * row + at] = value;
                if row > 0 {
                    jacobian[row * size + 2 * row - 2 + at] = -value;
                }
            }
        }
        jacobian
    }
}

impl Constrained for Chain {
    fn shape(&self) -> ConstrainedSizes {
        ConstrainedSizes { coordinates: 2 * self.0, speeds: 2 * self.0, rows: self.0 }
    }

    fn moved(&self, q: &[f64], step: &[f64], reached: &mut [f64]) {
        (0..q.len()).for_each(|at| reached[at] = q[at] + step[at]);
    }

    fn rates(&mut self, _: f64, _: &[f64], v: &[f64], qdot: &mut [f64]) -> Result<(), Fault> {
        qdot.copy_from_slice(v);
        Ok(())
    }

    fn residuals(&mut self, at: &Instant<'_>, force: &mut [f64], h: &mut [f64]) -> Evaluated {
        let size = 2 * self.0;
        let jacobian = self.jacobian(at.q);
        for (one, force) in force.iter_mut().enumerate() {
            let pulled: f64 =
                (0..self.0).map(|row| jacobian[row * size + one] * at.lambda[row]).sum();
            *force = at.a[one] + if one % 2 == 1 { G } else { 0.0 } - pulled;
        }
        for (row, closure) in h.iter_mut().enumerate() {
            let [x, y] = Chain::reach(at.q, row);
            *closure = 0.5 * (x * x + y * y - 1.0);
        }
        Ok(())
    }

    fn tangents(&mut self, at: &Instant<'_>, tangents: &mut Tangents) -> Result<(), Fault> {
        differences(self, at, tangents)?;
        let size = 2 * self.0;
        tangents.mass.fill(0.0);
        (0..size).for_each(|one| tangents.mass[one * size + one] = 1.0);
        tangents.jacobian = self.jacobian(at.q);
        Ok(())
    }

    fn accelerations(&mut self, _: f64, q: &[f64], v: &[f64]) -> Result<[Vec<f64>; 2], Fault> {
        let (mut a, mut lambda) = (vec![0.0; 2 * self.0], vec![0.0; self.0]);
        // J J' lambda = -(Jdot v + J g): a matrix of three diagonals, here for one or two masses.
        let [x, u] = [Chain::reach(q, 0), Chain::reach(v, 0)];
        let dot = |a: [f64; 2], b: [f64; 2]| a[0] * b[0] + a[1] * b[1];
        let first = -dot(u, u) + G * x[1];
        if self.0 == 1 {
            lambda[0] = first / dot(x, x);
        } else {
            let [z, w] = [Chain::reach(q, 1), Chain::reach(v, 1)];
            let (one, other, mixed) = (dot(x, x), 2.0 * dot(z, z), -dot(x, z));
            let determinant = one * other - mixed * mixed;
            let second = -dot(w, w);
            lambda[0] = (first * other - mixed * second) / determinant;
            lambda[1] = (one * second - mixed * first) / determinant;
        }
        let (size, jacobian) = (2 * self.0, self.jacobian(q));
        for (one, a) in a.iter_mut().enumerate() {
            let pulled: f64 = (0..self.0).map(|row| jacobian[row * size + one] * lambda[row]).sum();
            *a = pulled - if one % 2 == 1 { G } else { 0.0 };
        }
        Ok([a, lambda])
    }
}

impl Ode for Chain {
    fn size(&self) -> usize {
        4 * self.0
    }

    fn rates(&mut self, _: f64, _: &[f64], _: &mut [f64]) -> Result<(), Fault> {
        Err(Fault::Order)
    }

    fn constrained(&mut self) -> Option<&mut dyn Constrained> {
        Some(self)
    }
}

/// A mass on a spring.
struct Spring(f64);

impl Constrained for Spring {
    fn shape(&self) -> ConstrainedSizes {
        ConstrainedSizes { coordinates: 1, speeds: 1, rows: 0 }
    }

    fn moved(&self, q: &[f64], step: &[f64], reached: &mut [f64]) {
        reached[0] = q[0] + step[0];
    }

    fn rates(&mut self, _: f64, _: &[f64], v: &[f64], qdot: &mut [f64]) -> Result<(), Fault> {
        qdot.copy_from_slice(v);
        Ok(())
    }

    fn residuals(&mut self, at: &Instant<'_>, force: &mut [f64], _: &mut [f64]) -> Evaluated {
        force[0] = at.a[0] + self.0 * at.q[0];
        Ok(())
    }

    fn tangents(&mut self, _: &Instant<'_>, tangents: &mut Tangents) -> Result<(), Fault> {
        (tangents.mass[0], tangents.damping[0], tangents.stiffness[0]) = (1.0, 0.0, self.0);
        Ok(())
    }

    fn accelerations(&mut self, _: f64, q: &[f64], _: &[f64]) -> Result<[Vec<f64>; 2], Fault> {
        Ok([vec![-self.0 * q[0]], Vec::new()])
    }
}

impl Ode for Spring {
    fn size(&self) -> usize {
        2
    }

    fn rates(&mut self, _: f64, y: &[f64], rates: &mut [f64]) -> Result<(), Fault> {
        rates.copy_from_slice(&[y[1], -self.0 * y[0]]);
        Ok(())
    }

    fn constrained(&mut self) -> Option<&mut dyn Constrained> {
        Some(self)
    }
}

/// An angle from the vertical, integrated to the last digits: position, velocity and force of the
/// rod.
fn pendulum(to: f64) -> ([f64; 4], f64) {
    struct Angle;
    impl Ode for Angle {
        fn size(&self) -> usize {
            2
        }
        fn rates(&mut self, _: f64, y: &[f64], rates: &mut [f64]) -> Result<(), Fault> {
            rates.copy_from_slice(&[y[1], -G * y[0].sin()]);
            Ok(())
        }
    }
    let accuracy = Accuracy::Within { relative: 1e-13, absolute: 1e-13 };
    let mut method = method("dop853", accuracy, 2).expect("a method");
    let (mut t, mut y) = (0.0, [std::f64::consts::FRAC_PI_2, 0.0]);
    while t < to {
        method.step(&mut Angle, &mut t, &mut y, to).expect("a step");
    }
    let ((sine, cosine), speed) = (y[0].sin_cos(), y[1]);
    // m a = m g + r lambda and r . a = -v^2.
    let force = -(speed * speed + G * cosine);
    ([sine, -cosine, speed * cosine, speed * sine], force)
}

fn parameters() -> [(&'static str, Parameters); 5] {
    [
        ("generalised 0", Parameters::generalised(0.0)),
        ("generalised 0.5", Parameters::generalised(0.5)),
        ("generalised 0.8", Parameters::generalised(0.8)),
        ("hht 0.05", Parameters::hht(0.05)),
        ("hht 0.3", Parameters::hht(0.3)),
    ]
}

struct Found {
    state: f64,
    force: f64,
    open: f64,
    energy: f64,
}

/// The errors of a pendulum after a second and a half.
fn swing(scheme: Scheme, h: f64) -> Found {
    swing_from(scheme, h, 0.0)
}

/// The errors of a pendulum with an initial velocity along the rod, which does not fit the
/// constraint.
fn swing_from(scheme: Scheme, h: f64, along: f64) -> Found {
    let to = 1.5;
    let mut method = Alpha::new(scheme, h, 4);
    let (mut t, mut y) = (0.0, [1.0, 0.0, along, 0.0]);
    let mut open = 0.0_f64;
    while t < to {
        method.step(&mut Chain(1), &mut t, &mut y, to).expect("a step");
        open = open.max((y[0].hypot(y[1]) - 1.0).abs());
    }
    let (exact, force) = pendulum(to);
    let state = y.iter().zip(exact).fold(0.0_f64, |most, (y, exact)| most.max((y - exact).abs()));
    let energy = 0.5 * (y[2] * y[2] + y[3] * y[3]) + G * y[1];
    Found { state, force: (method.multipliers()[0] - force).abs(), open, energy }
}

#[test]
fn positions_speeds_and_multipliers_converge_with_order_two() {
    for (name, parameters) in parameters() {
        let runs = [0.005, 0.0025, 0.00125].map(|h| swing(Scheme::With(parameters), h));
        for run in &runs {
            println!("{name}: {:e} {:e} {:e} {:e}", run.state, run.force, run.open, run.energy);
            assert!(run.open < 1e-13, "{name}: {:e}", run.open);
        }
        for pair in runs.windows(2) {
            let state = (pair[0].state / pair[1].state).log2();
            let force = (pair[0].force / pair[1].force).log2();
            assert!((1.9..2.15).contains(&state), "{name}: order {state}");
            assert!((1.8..2.3).contains(&force), "{name}: order {force} of the multiplier");
        }
    }
}

#[test]
fn newmark_needs_damping_where_there_are_constraints() {
    // Average acceleration never forgets a speed that does not fit: it alternates, and the
    // multiplier grows with each step. Shorter steps make it worse.
    let average = Scheme::With(Parameters::newmark(0.5));
    let plain = [0.005, 0.0025].map(|h| swing_from(average, h, 1e-3).force);
    let others = [Scheme::Newmark, Scheme::With(Parameters::generalised(0.8))];
    let others = others.map(|scheme| swing_from(scheme, 0.0025, 1e-3).force);
    let damped = [0.01, 0.005, 0.0025].map(|h| swing(Scheme::Newmark, h));
    println!("{plain:?} {others:?} {:?}", damped.each_ref().map(|run| (run.state, run.force)));
    assert!(plain[0] > 50.0 && plain[1] > 3.0 * plain[0], "{plain:?}");
    assert!(others.iter().all(|force| *force < 0.1), "{others:?}");
    for pair in damped.windows(2) {
        assert!((0.8..1.2).contains(&(pair[0].state / pair[1].state).log2()));
        assert!((0.8..1.2).contains(&(pair[0].force / pair[1].force).log2()));
    }
}

/// Amplitudes of a spring after each step.
fn ring(scheme: Scheme, turns: f64, steps: usize) -> Vec<f64> {
    let mut method = Alpha::new(scheme, 1.0, 2);
    let (mut t, mut y) = (0.0, [1.0, 0.0]);
    let mut spring = Spring(turns * turns);
    let mut found = Vec::new();
    while found.len() < steps {
        method.step(&mut spring, &mut t, &mut y, 1e9).expect("a step");
        found.push(y[0].hypot(y[1] / turns));
    }
    found
}

#[test]
fn high_frequencies_are_damped_as_much_as_is_asked_for() {
    for left in [0.3, 0.5, 0.8, 0.95] {
        let found = ring(Scheme::With(Parameters::generalised(left)), 1e5, 200);
        // The largest root is a double one: amplitudes go with n left^n.
        let rate = (found[199] / found[99] / 2.0).powf(0.01);
        println!("{left}: {rate}");
        assert!((rate - left).abs() < 2e-3, "{left}: {rate}");
    }
    let found = ring(Scheme::With(Parameters::generalised(0.0)), 1e5, 5);
    assert!(found[4] < 1e-4, "{found:?}");
    // Hilber, Hughes and Taylor's leaves alpha / (1 - alpha) of one root and (1 - alpha) / (1 +
    // alpha) of two.
    for alpha in [0.05, 0.2_f64] {
        let found = ring(Scheme::With(Parameters::hht(alpha)), 1e5, 200);
        let rate = (found[199] / found[99] / 2.0).powf(0.01);
        let expected = (1.0 - alpha) / (1.0 + alpha);
        println!("hht {alpha}: {rate} {expected}");
        assert!((rate - expected).abs() < 5e-3, "{alpha}: {rate}");
    }
}

#[test]
fn low_frequencies_are_damped_only_a_little() {
    // Newmark's average acceleration keeps the energy; others lose it with the third power of the
    // step.
    let energy = |scheme, turns: f64| {
        let mut method = Alpha::new(scheme, 1.0, 2);
        let (mut t, mut y) = (0.0, [1.0, 0.0]);
        let mut spring = Spring(turns * turns);
        for _ in 0..(200.0 / turns) as usize {
            method.step(&mut spring, &mut t, &mut y, 1e9).expect("a step");
        }
        1.0 - (y[0] * y[0] + (y[1] / turns).powi(2))
    };
    assert!(energy(Scheme::Newmark, 0.1).abs() < 1e-12);
    for (name, parameters) in parameters() {
        let [coarse, fine] = [0.1, 0.05].map(|turns| energy(Scheme::With(parameters), turns));
        println!("{name}: {coarse:e} {fine:e}");
        assert!(coarse > 0.0 && fine > 0.0, "{name} gains energy");
        let order = (coarse / fine).log2();
        assert!((2.6..3.4).contains(&order), "{name}: order {order} of the loss in a given time");
    }
}

#[test]
fn a_double_pendulum_with_rods_as_constraints() {
    // Seguy, chapter VI.2, integrated anew with the corrected equations: tip from (1, -1) at rest.
    let reference = [(0.5, 0.8447442, -1.7421941), (1.0, -1.2268704, -1.5254108)];
    let mut method = Alpha::new(Scheme::With(Parameters::hht(0.05)), 1e-4, 8);
    let (mut t, mut y) = (0.0, [1.0, 0.0, 1.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    for (end, x, z) in reference {
        while t < end {
            method.step(&mut Chain(2), &mut t, &mut y, end).expect("a step");
        }
        println!("{t}: {:e} {:e}, {:?}", y[2] - x, y[3] - z, method.work());
        assert!((y[2] - x).abs() < 1e-5 && (y[3] - z).abs() < 1e-5);
    }
}

#[test]
fn equations_of_first_order_are_refused() {
    struct First;
    impl Ode for First {
        fn size(&self) -> usize {
            2
        }
        fn rates(&mut self, _: f64, _: &[f64], rates: &mut [f64]) -> Result<(), Fault> {
            rates.fill(0.0);
            Ok(())
        }
    }
    let mut method = Alpha::new(Scheme::Newmark, 0.1, 2);
    let (mut t, mut y) = (0.0, [0.0; 2]);
    let failure = method.step(&mut First, &mut t, &mut y, 1.0).expect_err("a refusal");
    assert_eq!(failure, Failure::Fault(Fault::Order));
}
