//! A cart on six sprung wheels that rolls over bumps: many bodies, many curves, a scene that
//! travels.

use rotule_report::{
    Badge, BodyPose, Connector, ConnectorLook, Curve, Figure, Film, ForceArrow, Gather, JointMark,
    LineEnd, Page, Plot, Scene, Section, Shape, TimeMark, number,
};

use super::{about_y, runge_kutta};

const WHEEL: f64 = 0.16;
const BUMP: f64 = 0.09;
const SPEED: f64 = 1.2;
const HEIGHT: f64 = 0.42;
const STIFFNESS: f64 = 6000.0;
const DAMPING: f64 = 260.0;
const MASS: f64 = 60.0;
const INERTIA: [f64; 2] = [3.2, 7.5];
/// Where bumps lie: along x, and on which side, 0 for both.
const BUMPS: [(f64, f64); 5] = [(1.2, 0.0), (2.6, 1.0), (3.5, -1.0), (4.9, 0.0), (5.3, 1.0)];

/// The place of a wheel on the cart.
fn corner(wheel: usize) -> [f64; 2] {
    [0.55 - 0.55 * (wheel / 2) as f64, if wheel.is_multiple_of(2) { 0.38 } else { -0.38 }]
}

/// The height of a wheel's centre above its bump: a circle that rolls on a circle.
fn height(x: f64, side: f64) -> f64 {
    let reach = WHEEL + BUMP;
    let over = |&(place, which): &(f64, f64)| {
        let rest = reach * reach - (x - place).powi(2);
        if which * side >= 0.0 && rest > 0.0 { rest.sqrt() } else { 0.0 }
    };
    BUMPS.iter().map(over).fold(WHEEL, f64::max)
}

/// Forces of the six springs at a state: heave, roll, pitch and their rates.
fn forces(t: f64, &[z, roll, pitch, zd, rolld, pitchd]: &[f64; 6]) -> [f64; 6] {
    std::array::from_fn(|wheel| {
        let [x, y] = corner(wheel);
        let at = SPEED * t + x - 1.0;
        let slope = (height(at + 1e-4, y) - height(at - 1e-4, y)) / 2e-4;
        let top = z + roll * y - pitch * x;
        let rate = zd + rolld * y - pitchd * x;
        let rest = HEIGHT - WHEEL + MASS * 9.81 / 6.0 / STIFFNESS;
        STIFFNESS * (rest - (top - height(at, y))) - DAMPING * (rate - slope * SPEED)
    })
}

fn rate(t: f64, state: &[f64; 6]) -> [f64; 6] {
    let force = forces(t, state);
    let sum = |arm: &dyn Fn(usize) -> f64| (0..6).map(|k| force[k] * arm(k)).sum::<f64>();
    let lift = sum(&|_| 1.0) / MASS - 9.81;
    let roll = sum(&|k| corner(k)[1]) / INERTIA[0];
    let pitch = sum(&|k| -corner(k)[0]) / INERTIA[1];
    [state[3], state[4], state[5], lift, roll, pitch]
}

/// The page of six seconds, gathered as a long run would be.
pub fn page() -> Page {
    let steps = 60_000_u32;
    let h = 6.0 / f64::from(steps);
    let wheel_name =
        |k: usize| format!("{}_{}", ["front", "middle", "rear"][k / 2], ["left", "right"][k % 2]);
    let names = |end: &str| (0..6).map(|k| format!("{}.{end}", wheel_name(k))).collect::<Vec<_>>();
    let cart = ["z", "roll", "pitch"].map(|name| format!("cart.{name}"));
    let all = cart.iter().cloned().chain(names("force")).chain(names("z")).chain(names("spin"));
    let mut gather = Gather::new(all, 4000);
    let mut film = Film::new(7, 2000);

    let mut x = [HEIGHT, 0.0, 0.0, 0.0, 0.0, 0.0];
    for step in 0..=steps {
        let t = f64::from(step) * h;
        let at = |k: usize| SPEED * t + corner(k)[0] - 1.0;
        let centre = |k: usize| height(at(k), corner(k)[1]);
        let spin = SPEED * t / WHEEL;
        let mut row = x[..3].to_vec();
        row.extend(forces(t, &x));
        row.extend((0..6).map(centre));
        row.extend([spin; 6].iter().enumerate().map(|(k, spin)| spin + 0.3 * k as f64));
        gather.push(t, &row);
        if film.wants_next() || step == steps {
            let position = [SPEED * t - 1.0, 0.0, x[0]];
            let (half_roll, half_pitch) = (x[1] / 2.0, x[2] / 2.0);
            let turn = [1.0, half_roll, half_pitch, 0.0];
            let mut poses = vec![BodyPose { position, quaternion: turn }];
            poses.extend(
                (0..6).map(|k| about_y([at(k), corner(k)[1], centre(k)], spin + 0.3 * k as f64)),
            );
            film.push(t, &poses);
        } else {
            film.skip();
        }
        x = runge_kutta(&rate, t, &x, h);
    }
    let curves = gather.finish();
    let pick = |from: usize, to: usize| curves[from..to].to_vec();
    let plot = |title: &str, unit: &str, curves: Vec<Curve>| Plot {
        title: title.into(),
        unit: unit.into(),
        curves,
    };
    let (times, poses) = film.finish();

    let frame = |y: f64| Shape::Bar { from: [-0.6, y, -0.05], to: [0.6, y, -0.05], radius: 0.02 };
    let mut bodies = vec![Figure {
        name: "cart".to_string(),
        colour: 7,
        ghost: false,
        shapes: vec![
            Shape::Box { centre: [0.0, 0.0, 0.02], size: [1.1, 0.46, 0.14] },
            Shape::Box { centre: [0.3, 0.0, 0.16], size: [0.3, 0.3, 0.14] },
            Shape::Bar { from: [-0.35, 0.0, 0.09], to: [-0.35, 0.0, 0.5], radius: 0.014 },
            Shape::Ball { centre: [-0.35, 0.0, 0.52], radius: 0.05 },
            frame(0.25),
            frame(-0.25),
            Shape::Mass { centre: [0.0; 3] },
            Shape::Point { name: "mast".to_string(), place: [-0.35, 0.0, 0.52] },
            Shape::Axes,
        ],
    }];
    bodies.extend((0..6).map(|k| Figure {
        name: wheel_name(k),
        colour: [0, 1, 2][k / 2],
        ghost: false,
        shapes: vec![
            Shape::Disc { centre: [0.0; 3], axis: [0.0, 1.0, 0.0], radius: WHEEL, width: 0.09 },
            Shape::Joint { kind: JointMark::Revolute, centre: [0.0; 3], axis: [0.0, 1.0, 0.0] },
        ],
    }));
    let connectors = (0..6).map(|k| {
        let [x, y] = corner(k);
        Connector {
            name: format!("spring_{}", wheel_name(k)),
            look: ConnectorLook::Spring,
            from: LineEnd { body: Some(0), point: [x, y * 0.74, -0.02] },
            to: LineEnd { body: Some(1 + k), point: [0.0, -0.1 * y.signum(), 0.0] },
        }
    });
    let arrows = (0..6).map(|k| ForceArrow {
        name: wheel_name(k),
        reaction: false,
        connector: None,
        at: LineEnd { body: Some(1 + k), point: [0.0; 3] },
        curves: vec![String::new(), String::new(), format!("{}.force", wheel_name(k))],
    });
    let bump = |&(x, side): &(f64, f64)| {
        let (from, to) = if side == 0.0 { (-0.7, 0.7) } else { (0.1 * side, 0.7 * side) };
        Shape::Bar { from: [x, from, 0.0], to: [x, to, 0.0], radius: BUMP }
    };
    Page {
        axis: rotule_report::PlotAxis::default(),
        badge: Some(Badge { good: false, text: "1 warning".into() }),
        posture: None,
        title: "Rover over five bumps".to_string(),
        about: "Six wheels on springs roll at 1.2 m/s over round bumps, some under one side only. The body heaves, \
                rolls and pitches; wheels follow the ground."
            .to_string(),
        summary: vec![
            Section::new("Run")
                .row("Method", "Runge-Kutta 4")
                .row("Duration", number::quantity(6.0, 4, "s"))
                .row("Steps", number::count(u64::from(steps)))
                .row("Evaluations", number::count(4 * u64::from(steps)))
                .row("Time of computation", number::duration(0.0832))
                .row("Real-time factor", number::shown(0.0139, 3)),
            Section::new("Model")
                .row("Bodies", "7")
                .row("Degrees of freedom", "9")
                .row("Line forces", "6")
                .row("Constraints", "0"),
            Section::new("Accuracy")
                .row("Energy drift, relative", number::shown(3.21e-10, 3))
                .row("Largest spring force", number::quantity(max(&curves[3..9]), 5, "N")),
        ],
        times: Vec::new(),
        plots: vec![
            plot("Cart, heave", "m", pick(0, 1)),
            plot("Cart, angles", "rad", pick(1, 3)),
            plot("Spring forces", "N", pick(3, 9)),
            plot("Everything about wheels", "", pick(3, 21)),
        ],
        marks: BUMPS
            .iter()
            .map(|(x, _)| TimeMark {
                time: (x + 1.0 - 0.55 - WHEEL - BUMP) / SPEED,
                text: format!("Contact: the front axle reaches the bump at {x} m"),
            })
            .collect(),
        scene: Some(Scene {
            up: [0.0, 0.0, 1.0],
            ground: Some(0.0),
            fixed: BUMPS.iter().map(bump).collect(),
            bodies,
            connectors: connectors.collect(),
            arrows: arrows.collect(),
            times,
            poses,
        }),
    }
}

fn max(curves: &[Curve]) -> f64 {
    curves.iter().flat_map(|curve| &curve.values).copied().fold(0.0, f64::max)
}
