//! A slider-crank at constant speed, in closed form, for a time so short that it must be shown
//! slowly.

use rotule_report::{
    Connector, ConnectorLook, Curve, Figure, JointMark, LineEnd, Page, Plot, Scene, Section, Shape,
    TimeMark, number,
};

use super::about_y;

const CRANK: f64 = 0.05;
const ROD: f64 = 0.14;
/// 3000 turns per minute.
const SPEED: f64 = 100.0 * std::f64::consts::PI;
const DURATION: f64 = 0.06;

/// The page of three turns.
pub fn page() -> Page {
    let times: Vec<f64> = (0..=1500).map(|k| DURATION * f64::from(k) / 1500.0).collect();
    let angle = |t: f64| SPEED * t;
    let tilt = |t: f64| (CRANK / ROD * angle(t).sin()).asin();
    let place = |t: f64| CRANK * angle(t).cos() + ROD * tilt(t).cos();
    let h = 1e-6;
    let speed = |t: f64| (place(t + h) - place(t - h)) / (2.0 * h);
    let acceleration = |t: f64| (speed(t + 1e-5) - speed(t - 1e-5)) / 2e-5;
    let curve = |name: &str, f: &dyn Fn(f64) -> f64| {
        Curve::new(name, times.iter().map(|t| f(*t)).collect())
    };
    let plot = |title: &str, unit: &str, curves: Vec<Curve>| Plot {
        title: title.into(),
        unit: unit.into(),
        curves,
    };

    let mut poses = Vec::new();
    for &t in &times {
        let pin = [CRANK * angle(t).cos(), 0.0, CRANK * angle(t).sin()];
        poses.extend([
            about_y([0.0; 3], -angle(t)),
            about_y(pin, tilt(t)),
            about_y([place(t), 0.0, 0.0], 0.0),
        ]);
    }
    let joint = |kind, centre, axis| Shape::Joint { kind, centre, axis };
    let y = [0.0, 1.0, 0.0];
    let bodies = vec![
        Figure {
            name: "crank".to_string(),
            colour: 0,
            ghost: false,
            shapes: vec![
                Shape::Disc { centre: [0.0, 0.02, 0.0], axis: y, radius: 0.062, width: 0.012 },
                Shape::Bar { from: [0.0; 3], to: [CRANK, 0.0, 0.0], radius: 0.006 },
                joint(JointMark::Revolute, [0.0; 3], y),
                Shape::Mass { centre: [0.5 * CRANK, 0.0, 0.0] },
            ],
        },
        Figure {
            name: "rod".to_string(),
            colour: 1,
            ghost: false,
            shapes: vec![
                Shape::Bar { from: [0.0; 3], to: [ROD, 0.0, 0.0], radius: 0.005 },
                joint(JointMark::Revolute, [0.0; 3], y),
                Shape::Mass { centre: [0.4 * ROD, 0.0, 0.0] },
                Shape::Point { name: "middle".to_string(), place: [0.5 * ROD, 0.0, 0.0] },
            ],
        },
        Figure {
            name: "piston".to_string(),
            colour: 2,
            ghost: false,
            shapes: vec![
                Shape::Box { centre: [0.01, 0.0, 0.0], size: [0.045, 0.05, 0.05] },
                joint(JointMark::Revolute, [0.0; 3], y),
                joint(JointMark::Prismatic, [0.01, 0.0, -0.035], [1.0, 0.0, 0.0]),
            ],
        },
    ];
    let turn = std::f64::consts::TAU / SPEED;
    let mark = |time: f64, old: &str, new: &str| TimeMark {
        time,
        text: format!("New partition: `{new}` leads instead of `{old}` (condition 15.2 to 1.4)"),
    };
    Page {
        axis: rotule_report::PlotAxis::default(),
        badge: None,
        posture: None,
        title: "Slider-crank at 3000 turns per minute".to_string(),
        about: "The piston leads first; near both dead centres the crank takes over.".to_string(),
        summary: vec![
            Section::new("Run")
                .row("Method", "Dormand-Prince 5(4)")
                .row("Duration", number::quantity(DURATION, 4, "s"))
                .row("Steps", format!("{} ({} rejected)", number::count(1500), 12))
                .row("Evaluations", number::count(9072))
                .row("Real-time factor", "0.031"),
            Section::new("Loop")
                .row("Newton iterations", number::count(3120))
                .row("New partitions", "4")
                .row("Constraint drift", number::quantity(3.1e-15, 3, "m"))
                .row("Energy drift, relative", number::shown(2.4e-11, 3)),
        ],
        plots: vec![
            plot("Piston", "m", vec![curve("piston.q", &place)]),
            plot("Piston, speed", "m/s", vec![curve("piston.qd", &speed)]),
            plot("Piston, acceleration", "m/s²", vec![curve("piston.qdd", &acceleration)]),
            plot("Rod", "rad", vec![curve("rod.q", &tilt)]),
        ],
        marks: vec![
            mark(0.46 * turn, "piston.q", "crank.q"),
            mark(0.56 * turn, "crank.q", "piston.q"),
            mark(0.96 * turn, "piston.q", "crank.q"),
            mark(1.06 * turn, "crank.q", "piston.q"),
        ],
        scene: Some(Scene {
            up: [0.0, 0.0, 1.0],
            ground: None,
            arrows: Vec::new(),
            fixed: vec![Shape::Bar {
                from: [0.07, 0.0, -0.042],
                to: [0.23, 0.0, -0.042],
                radius: 0.004,
            }],
            bodies,
            connectors: vec![Connector {
                name: "return spring".to_string(),
                look: ConnectorLook::Spring,
                from: LineEnd { body: Some(2), point: [0.0325, 0.0, 0.0] },
                to: LineEnd { body: None, point: [0.27, 0.0, 0.0] },
            }],
            times: times.clone(),
            poses,
        }),
        times,
    }
}
