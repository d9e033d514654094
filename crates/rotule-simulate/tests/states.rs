//! States of the user's own against the same equations written by hand, and against a closed
//! solution.

use rotule_program::NoExternals;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::Threshold;
use rotule_testing::simulate::{Kept, example, motion, plant};

fn run(plant: &mut Plant, name: &str, tolerance: f64, to: f64) -> Kept {
    let accuracy = Accuracy::Within { relative: tolerance, absolute: tolerance };
    let mut method = method(name, accuracy, plant.size()).expect("a known method");
    let (outcome, kept) = motion(plant, method.as_mut(), to, to / 10.0, Threshold::AUTOMATIC);
    assert_eq!(outcome.end, rotule_simulate::run::End::Reached);
    kept
}

/// The motor of the gallery by hand: angle, speed, integral part, current.
fn motor(y: [f64; 4]) -> [f64; 4] {
    let [angle, speed, e, i] = y;
    let (m, l, k, r, inductance, rotor) = (0.5, 0.3, 0.8, 1.5, 0.02, 0.004);
    let (kp, ki, kd, goal) = (20.0, 15.0, 3.0, 0.7);
    let torque = k * i - 0.01 * speed - m * 9.81 * l * angle.sin();
    let voltage = kp * (goal - angle) + e - kd * speed;
    [
        speed,
        torque / (m * l * l + rotor),
        ki * (goal - angle),
        (voltage - r * i - k * speed) / inductance,
    ]
}

fn runge_kutta(
    rates: impl Fn([f64; 4]) -> [f64; 4],
    mut y: [f64; 4],
    h: f64,
    steps: usize,
) -> [f64; 4] {
    let plus = |y: [f64; 4], k: [f64; 4], h: f64| std::array::from_fn(|i| y[i] + h * k[i]);
    for _ in 0..steps {
        let a = rates(y);
        let b = rates(plus(y, a, h / 2.0));
        let c = rates(plus(y, b, h / 2.0));
        let d = rates(plus(y, c, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]));
    }
    y
}

#[test]
fn a_motor_with_its_controller_moves_as_by_hand() {
    let expected = runge_kutta(motor, [0.0; 4], 1e-5, 200_000);
    for name in ["dormand-prince", "dop853", "radau"] {
        let mut plant = plant(&example("motor_pendulum.toml"));
        assert_eq!(plant.size(), 4);
        let kept = run(&mut plant, name, 1e-10, 2.0);
        let last = kept.points.last().expect("samples");
        assert_eq!(last.t, 2.0);
        let found = [last.q[0], last.qd[0], last.states[0], last.states[1]];
        for (found, expected) in found.into_iter().zip(expected) {
            assert!((found - expected).abs() < 1e-8, "{name}: {found} {expected}");
        }
    }
}

/// Two filters in a row, the second reading the first and a sensor of a body that slides as time
/// says: `v' = (sin t - v)/T` has a closed solution, and so has the integral of the sensor.
#[test]
fn filters_and_sensors_have_their_closed_solutions() {
    let text = r#"
[model]
name = "filters"

[parameters]
T = 0.5

[[body]]
name = "slide"
parent = "ground"
joint = { name = "x", type = "prismatic", axis = "x" }
mass = 1

[[motion]]
joint = "x"
q = "sin(t)"

[[sensor]]
name = "eye"
at = "slide"
measures = ["position"]

[[state]]
name = "v"
initial = "2*T"
rate = "(eye.x - v)/T"

[[state]]
name = "w"
rate = "eye.vx*x.d"
"#;
    let mut plant = plant(text);
    let kept = run(&mut plant, "dormand-prince", 1e-11, 3.0);
    let rate = 0.5_f64;
    for point in &kept.points {
        let t = point.t;
        // v = a sin + b cos + c exp(-t/T)
        let a = 1.0 / (1.0 + rate * rate);
        let b = -rate * a;
        let v = a * t.sin() + b * t.cos() + (2.0 * rate - b) * (-t / rate).exp();
        let w = t / 2.0 + (2.0 * t).sin() / 4.0;
        assert!((point.states[0] - v).abs() < 1e-9, "{t}: {} {v}", point.states[0]);
        assert!((point.states[1] - w).abs() < 1e-9, "{t}: {} {w}", point.states[1]);
    }
}

/// Exact derivatives of the rates, states included, are what differences say.
#[test]
fn derivatives_by_states_are_exact() {
    let mut plant = plant(&example("motor_pendulum.toml"));
    let (size, y) = (plant.size(), [0.4, -0.3, 2.0, 0.7]);
    let mut exact = vec![0.0; size * size];
    assert!(plant.derivatives(0.0, &y, &mut exact).expect("a point that can be evaluated"));
    let mut rates = |y: &[f64]| {
        let mut found = vec![0.0; size];
        plant.rates(0.0, y, &mut found).expect("a point that can be evaluated");
        found
    };
    for column in 0..size {
        let h = 1e-5;
        let moved = |by: f64| {
            let mut y = y.to_vec();
            y[column] += by;
            y
        };
        let (above, below) = (rates(&moved(h)), rates(&moved(-h)));
        for row in 0..size {
            let difference = (above[row] - below[row]) / (2.0 * h);
            let found = exact[row * size + column];
            assert!((found - difference).abs() < 1e-6 * (1.0 + found.abs()), "{row} {column}");
        }
    }
}

/// A plate on a free joint that rods hold: some axes of its quaternion follow from others, and
/// rates depend on those that do not. The state's own quaternion is moved along each of its axes.
#[test]
fn derivatives_by_quaternions_that_follow_in_part_are_exact() {
    use rotule_testing::campaign::closed::specimen::Specimen;
    for seed in [24, 54, 84, 112, 114] {
        let specimen = Specimen::new(seed).expect("a mechanism that closes");
        let mut start = specimen.start.clone();
        start.qd.fill(0.0);
        let plant = Plant::new(specimen.tree.clone(), start, Box::new(NoExternals));
        let mut plant = plant.expect("a plant");
        let (size, y) = (plant.size(), plant.state());
        let mut exact = vec![0.0; size * size];
        assert!(plant.derivatives(0.0, &y, &mut exact).expect("a point that can be evaluated"));
        // States are where methods leave them: quaternions have unit length.
        let mut rates = |mut y: Vec<f64>| {
            let mut found = vec![0.0; size];
            plant.settle(&mut y);
            plant.rates(0.0, &y, &mut found).expect("a point that can be evaluated");
            found
        };
        let largest = exact.iter().fold(1.0_f64, |most, one| most.max(one.abs()));
        for column in 0..size {
            // So short that loops close from there instead of being followed from the last point;
            // what is left of the digits is enough to miss an axis by.
            let h = 5e-8;
            let moved = |by: f64| {
                let mut y = y.clone();
                y[column] += by;
                y
            };
            let (above, below) = (rates(moved(h)), rates(moved(-h)));
            for row in 0..size {
                let difference = (above[row] - below[row]) / (2.0 * h);
                let found = exact[row * size + column];
                assert!(
                    (found - difference).abs() < 1e-4 * largest,
                    "seed {seed}, {row} {column}: {found} {difference}"
                );
            }
        }
    }
}
