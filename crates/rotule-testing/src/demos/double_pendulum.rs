//! Two bars that swing in a plane, from the equations in every textbook.

use rotule_report::{
    Badge, Curve, Figure, JointMark, Page, Plot, Scene, Section, Shape, TimeMark, number,
};

use super::{about_y, runge_kutta};

const LENGTH: [f64; 2] = [1.0, 0.8];
const MASS: [f64; 2] = [1.0, 0.6];
const GRAVITY: f64 = 9.81;
const STEP: f64 = 0.002;

/// Point masses at the ends of massless bars; angles from the vertical.
fn rate(_: f64, &[a, b, p, q]: &[f64; 4]) -> [f64; 4] {
    let ([l, k], [m, n]) = (LENGTH, MASS);
    let (s, c) = (a - b).sin_cos();
    let below = m + n * s * s;
    let first = -n * c * (l * p * p * s - GRAVITY * b.sin())
        - n * k * q * q * s
        - (m + n) * GRAVITY * a.sin();
    let second = (m + n) * (l * p * p * s - GRAVITY * b.sin() + GRAVITY * a.sin() * c)
        + n * k * q * q * s * c;
    [p, q, first / (l * below), second / (k * below)]
}

fn energies(&[a, b, p, q]: &[f64; 4]) -> [f64; 2] {
    let ([l, k], [m, n]) = (LENGTH, MASS);
    let cross = 2.0 * l * k * p * q * (a - b).cos();
    let kinetic = 0.5 * m * (l * p).powi(2) + 0.5 * n * ((l * p).powi(2) + (k * q).powi(2) + cross);
    let potential = -(m + n) * GRAVITY * l * a.cos() - n * GRAVITY * k * b.cos();
    [kinetic, potential]
}

/// The page of ten seconds.
pub fn page() -> Page {
    let mut x = [2.0, 2.4, 0.0, 0.0];
    let (mut times, mut states) = (Vec::new(), Vec::new());
    for step in 0..=5000 {
        let t = f64::from(step) * STEP;
        times.push(t);
        states.push(x);
        x = runge_kutta(&rate, t, &x, STEP);
    }
    let column = |k: usize| states.iter().map(|x| x[k]).collect::<Vec<_>>();
    let energy =
        |pick: fn([f64; 2]) -> f64| states.iter().map(|x| pick(energies(x))).collect::<Vec<_>>();
    let total = energy(|[kinetic, potential]| kinetic + potential);
    let drift: Vec<f64> = total.iter().map(|value| (value - total[0]) / total[0].abs()).collect();
    let size = drift.iter().map(|value| value.abs()).collect();
    let worst = drift.iter().fold(0.0_f64, |worst, value| worst.max(value.abs()));

    let mut marks = Vec::new();
    for (index, pair) in states.windows(2).enumerate() {
        if pair[0][0].signum() != pair[1][0].signum() && marks.len() < 12 {
            let text = "Event `upright`: the first bar passes through the vertical".to_string();
            marks.push(TimeMark { time: times[index], text });
        }
    }
    let bar = |name: &str, colour: usize, length: f64| Figure {
        name: name.to_string(),
        colour,
        ghost: false,
        shapes: vec![
            Shape::Bar { from: [0.0; 3], to: [0.0, 0.0, -length], radius: 0.0 },
            Shape::Ball { centre: [0.0, 0.0, -length], radius: 0.07 },
            Shape::Joint { kind: JointMark::Revolute, centre: [0.0; 3], axis: [0.0, 1.0, 0.0] },
            Shape::Mass { centre: [0.0, 0.0, -length] },
            Shape::Point { name: "tip".to_string(), place: [0.0, 0.0, -length] },
            Shape::Axes,
        ],
    };
    let mut poses = Vec::new();
    for [a, b, ..] in &states {
        let elbow = [-LENGTH[0] * a.sin(), 0.0, -LENGTH[0] * a.cos()];
        poses.extend([about_y([0.0; 3], *a), about_y(elbow, *b)]);
    }
    Page {
        axis: rotule_report::PlotAxis::default(),
        badge: Some(Badge { good: true, text: "kept its promise".into() }),
        posture: None,
        title: "Double pendulum".to_string(),
        about: "Two bars with a mass at each end swing in a plane, from rest. Motion over 10 s by the method of \
                Runge and Kutta of order four with a step of 2 ms."
            .to_string(),
        summary: vec![
            Section::new("Run")
                .row("Method", "Runge-Kutta 4")
                .row("Duration", number::quantity(10.0, 4, "s"))
                .row("Step", number::quantity(STEP, 4, "s"))
                .row("Steps", number::count(5000))
                .row("Evaluations", number::count(20_000)),
            Section::new("Accuracy")
                .row("Energy at the start", number::quantity(total[0], 6, "J"))
                .row("Energy drift, relative", number::shown(worst, 3))
                .row("Constraint drift", "none: no loops"),
            Section::new("Model")
                .row("Bodies", "2")
                .row("Degrees of freedom", "2")
                .row("Masses", format!("{} and {} kg", MASS[0], MASS[1]))
                .row("Lengths", format!("{} and {} m", LENGTH[0], LENGTH[1])),
        ],
        plots: vec![
            Plot {
                title: "Coordinates".to_string(),
                unit: "rad".to_string(),
                curves: vec![Curve::new("first.q", column(0)), Curve::new("second.q", column(1))],
            },
            Plot {
                title: "Speeds".to_string(),
                unit: "rad/s".to_string(),
                curves: vec![Curve::new("first.qd", column(2)), Curve::new("second.qd", column(3))],
            },
            Plot {
                title: "Energies".to_string(),
                unit: "J".to_string(),
                curves: vec![
                    Curve::new("kinetic", energy(|[kinetic, _]| kinetic)),
                    Curve::new("potential", energy(|[_, potential]| potential)),
                    Curve::new("total", total),
                ],
            },
            Plot {
                title: "Energy drift, relative".to_string(),
                unit: String::new(),
                curves: vec![Curve::new("drift", drift)],
            },
            Plot {
                title: "Energy drift, relative size".to_string(),
                unit: String::new(),
                curves: vec![Curve::new("drift", size)],
            },
        ],
        marks,
        scene: Some(Scene {
            up: [0.0, 0.0, 1.0],
            fixed: vec![Shape::Box { centre: [0.0, 0.0, 0.06], size: [0.3, 0.14, 0.04] }],
            bodies: vec![bar("first", 0, LENGTH[0]), bar("second", 1, LENGTH[1])],
            times: times.clone(),
            poses,
            ..Scene::default()
        }),
        times,
    }
}
