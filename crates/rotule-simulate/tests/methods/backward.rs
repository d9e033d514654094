//! Backward differentiation beside that of scipy: errors and steps of both on the same problems at
//! the same tolerances.
//!
//! `scipy_bdf.csv` has what scipy did, and references of high accuracy; `scipy_bdf.py` writes it
//! again.

use crate::problems::*;
use rotule_simulate::method::Accuracy;

/// The error at the end, in units of the tolerances, may be this many times that of scipy; errors
/// below these units count alike, because where an error happens to pass zero says nothing.
const WORSE: f64 = 4.0;
const ALIKE: f64 = 5.0;
/// The geometric mean of these quotients, and of those of steps.
const MEAN: [f64; 2] = [1.2, 1.02];

/// Steps may be this many times those of scipy, and a few more.
const LONGER: f64 = 1.25;
const FEW: f64 = 15.0;

/// The work and error of scipy, and where the problem ends.
struct Row {
    problem: &'static str,
    accuracy: Accuracy,
    steps: f64,
    evaluations: u64,
    jacobians: u64,
    factorisations: u64,
    error: f64,
    reference: Vec<f64>,
}

fn rows() -> Vec<Row> {
    let lines = include_str!("scipy_bdf.csv").lines().filter(|line| !line.starts_with('#')).skip(1);
    let row = |line: &'static str| {
        let cells: Vec<&str> = line.split(',').collect();
        let number = |at: usize| -> f64 { cells[at].parse().expect("a number") };
        let whole = |at: usize| number(at) as u64;
        Row {
            problem: cells[0],
            accuracy: Accuracy::Within { relative: number(1), absolute: number(2) },
            steps: number(3),
            evaluations: whole(4),
            jacobians: whole(5),
            factorisations: whole(6),
            error: number(7),
            reference: cells[8].split(' ').map(|cell| cell.parse().expect("a number")).collect(),
        }
    };
    lines.map(row).collect()
}

/// The equations of a problem, its start and its end.
fn problem(name: &str) -> (Equations, Vec<f64>, f64) {
    let one = |rate: Rates, start: f64, end: f64| (equations(1, rate), vec![start], end);
    let two = |rates: Rates, start: [f64; 2], end: f64| (equations(2, rates), start.to_vec(), end);
    match name {
        "uniform" => two(|_, y, f| f.copy_from_slice(&[y[1], 0.0]), [0.0, 3.0], 100.0),
        "accelerated" => two(|_, y, f| f.copy_from_slice(&[y[1], 1.1]), [0.0, 3.0], 100.0),
        "decay" => one(|_, y, f| f[0] = -y[0], 1.0, 20.0),
        "fast decay" => one(|_, y, f| f[0] = -1e3 * y[0], 1.0, 10.0),
        "growth" => one(|_, y, f| f[0] = 0.5 * y[0], 1.0, 20.0),
        "logistic" => one(|_, y, f| f[0] = y[0] * (1.0 - y[0]), 0.01, 20.0),
        "forced" => one(|t, y, f| f[0] = t.sin() - 2.0 * y[0], 1.0, 20.0),
        "prothero-robinson" => one(|t, y, f| f[0] = t.cos() - 1e6 * (y[0] - t.sin()), 0.0, 10.0),
        "linear" => {
            let rates: Rates = |t, y, f| {
                f[0] = -y[0] + 40.0 * y[1];
                f[1] = -50.0 * y[1] + 3e3 * y[2];
                f[2] = -1e4 * y[2] + t.cos();
            };
            (equations(3, rates), vec![1.0; 3], 5.0)
        }
        "oscillator" => (oscillator(), vec![1.0, 0.0], 20.0),
        "damped" => two(|_, y, f| f.copy_from_slice(&[y[1], -y[0] - 0.1 * y[1]]), [1.0, 0.0], 50.0),
        "servo" => {
            let rates: Rates =
                |t, y, f| f.copy_from_slice(&[y[1], -1e4 * (y[0] - t.sin()) - 1e3 * y[1]]);
            two(rates, [0.0, 0.0], 10.0)
        }
        "pendulum" => {
            two(|_, y, f| f.copy_from_slice(&[y[1], -9.81 * y[0].sin()]), [1.5, 0.0], 10.0)
        }
        "van der pol" => {
            let rates: Rates =
                |_, y, f| f.copy_from_slice(&[y[1], (1.0 - y[0] * y[0]) * y[1] - y[0]]);
            two(rates, [2.0, 0.0], 20.0)
        }
        "stiff van der pol" => {
            let rates: Rates =
                |_, y, f| f.copy_from_slice(&[y[1], 1e3 * (1.0 - y[0] * y[0]) * y[1] - y[0]]);
            two(rates, [2.0, 0.0], 1200.0)
        }
        "robertson" => {
            let derivatives = None;
            (Equations { derivatives, ..robertson() }, vec![1.0, 0.0, 0.0], 1e4)
        }
        "oregonator" => {
            let rates: Rates = |_, y, f| {
                f[0] = 77.27 * (y[1] + y[0] * (1.0 - 8.375e-6 * y[0] - y[1]));
                f[1] = (y[2] - (1.0 + y[0]) * y[1]) / 77.27;
                f[2] = 0.161 * (y[0] - y[2]);
            };
            (equations(3, rates), vec![1.0, 2.0, 3.0], 360.0)
        }
        "hires" => (hires(), HIRES_START.to_vec(), 321.8122),
        "arenstorf" => (arenstorf(), ARENSTORF.0.to_vec(), 4.0),
        "kepler" => (kepler(), vec![0.7, 0.0, 0.0, (1.3_f64 / 0.7).sqrt()], 10.0),
        "brusselator" => {
            let rates: Rates = |_, y, f| {
                let growth = y[0] * y[0] * y[1];
                f.copy_from_slice(&[1.0 + growth - 4.0 * y[0], 3.0 * y[0] - growth]);
            };
            two(rates, [1.5, 3.0], 20.0)
        }
        "kaps" => {
            let rates: Rates = |_, y, f| {
                f[0] = -1002.0 * y[0] + 1e3 * y[1] * y[1];
                f[1] = y[0] - y[1] - y[1] * y[1];
            };
            two(rates, [1.0, 1.0], 5.0)
        }
        _ => panic!("no problem `{name}`"),
    }
}

/// The largest error of a state in units of what is allowed.
fn units(found: &[f64], exact: &[f64], accuracy: Accuracy) -> f64 {
    let Accuracy::Within { relative, absolute } = accuracy else { return f64::NAN };
    let one = |(a, b): (&f64, &f64)| (a - b).abs() / (absolute + relative * b.abs());
    found.iter().zip(exact).map(one).fold(0.0, f64::max)
}

#[test]
fn errors_and_steps_are_those_of_scipy() {
    let rows = rows();
    assert_eq!(rows.len(), 66, "twenty-two problems at three tolerances");
    let mut worse = Vec::new();
    let mut sums = [0.0; 2];
    println!("problem, tolerances: ours error steps evaluations jacobians factors | scipy's");
    for row in &rows {
        let (mut ode, start, end) = problem(row.problem);
        let size = ode.size as u64;
        let (y, work) = solve("bdf", row.accuracy, &mut ode, &start, end)
            .unwrap_or_else(|failure| panic!("{} {:?}: {failure}", row.problem, row.accuracy));
        let error = units(&y, &row.reference, row.accuracy);
        // Scipy does not count evaluations for differences.
        let differences = if ode.derivatives.is_none() { size * work.jacobians } else { 0 };
        let line = format!(
            "{} {:?}: {error:.2e} {} {} {} {} | {:.2e} {} {} {} {}",
            row.problem,
            row.accuracy,
            work.steps,
            work.evaluations - differences,
            work.jacobians,
            work.factorisations,
            row.error,
            row.steps,
            row.evaluations,
            row.jacobians,
            row.factorisations,
        );
        println!("{line}");
        let quotient = error.max(ALIKE) / row.error.max(ALIKE);
        let steps = work.steps as f64;
        sums[0] += quotient.ln();
        sums[1] += (steps / row.steps).ln();
        if quotient > WORSE || steps > LONGER * row.steps + FEW {
            worse.push(line);
        }
    }
    let means = sums.map(|sum| (sum / rows.len() as f64).exp());
    println!("means of quotients of errors and steps: {means:?}");
    assert!(worse.is_empty(), "worse than scipy:\n{}", worse.join("\n"));
    assert!(means[0] < MEAN[0] && means[1] < MEAN[1], "{means:?}");
}

#[test]
fn references_are_those_of_another_method() {
    for row in rows().iter().filter(|row| row.accuracy == rows()[0].accuracy) {
        let (mut ode, start, end) = problem(row.problem);
        let accuracy = Accuracy::Within { relative: 1e-12, absolute: 1e-15 };
        let (y, _) = solve("radau", accuracy, &mut ode, &start, end)
            .unwrap_or_else(|failure| panic!("{}: {failure}", row.problem));
        // A tenth of the tightest tolerances that are compared.
        let tightest = Accuracy::Within { relative: 1e-9, absolute: 1e-12 };
        let error = units(&y, &row.reference, tightest);
        println!("{}: {error:.1e}", row.problem);
        assert!(error < 1.0, "{}: {error:e} {y:?}", row.problem);
    }
}
