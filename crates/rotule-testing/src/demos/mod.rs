//! Pages to look at and to test: small mechanisms whose motion is known in closed form or
//! integrated here, so that this crate is tested without the rest of Rotule.

mod double_pendulum;
mod posture;
mod rover;
mod slider_crank;

use rotule_report::{
    Badge, BodyPose, Curve, Figure, Page, Plot, PlotAxis, Scene, Section, Shape, TimeMark,
};

/// Every demonstration with the name of its file.
pub fn all() -> Vec<(&'static str, Page)> {
    vec![
        ("double-pendulum", double_pendulum::page()),
        ("slider-crank", slider_crank::page()),
        ("rover", rover::page()),
        ("hostile", hostile()),
        ("hostile-axis", hostile_axis()),
        ("still", still()),
        ("posture", posture::page()),
        ("bare", Page::default()),
    ]
}

/// One step of the classical method of order four.
fn runge_kutta<const N: usize>(
    rate: &impl Fn(f64, &[f64; N]) -> [f64; N],
    t: f64,
    x: &[f64; N],
    h: f64,
) -> [f64; N] {
    let along = |k: &[f64; N], s: f64| std::array::from_fn(|i| x[i] + s * k[i]);
    let a = rate(t, x);
    let b = rate(t + h / 2.0, &along(&a, h / 2.0));
    let c = rate(t + h / 2.0, &along(&b, h / 2.0));
    let d = rate(t + h, &along(&c, h));
    std::array::from_fn(|i| x[i] + h / 6.0 * (a[i] + 2.0 * b[i] + 2.0 * c[i] + d[i]))
}

/// A pose from a position and an angle about y.
fn about_y(position: [f64; 3], angle: f64) -> BodyPose {
    let (s, c) = (angle / 2.0).sin_cos();
    BodyPose { position, quaternion: [c, 0.0, s, 0.0] }
}

/// A single instant, such as an equilibrium.
fn still() -> Page {
    let mut page = double_pendulum::page();
    page.times.truncate(1);
    page.plots
        .iter_mut()
        .flat_map(|plot| &mut plot.curves)
        .for_each(|curve| curve.values.truncate(1));
    page.marks.clear();
    if let Some(scene) = &mut page.scene {
        scene.times.truncate(1);
    }
    Page { title: "Equilibrium".to_string(), ..page }
}

/// A text that tries to break pages.
const EVIL: &str =
    "</script><script>window.broken = 1</script><img src=x onerror='window.broken = 2'>{{data}}";

/// The hostile page over a parameter whose name tries to break it, too.
fn hostile_axis() -> Page {
    let axis = PlotAxis { name: EVIL.to_owned(), unit: EVIL.to_owned() };
    Page { axis, ..hostile() }
}

/// A page whose every text and number tries to break it.
fn hostile() -> Page {
    let evil = EVIL;
    let times: Vec<f64> = (0..200).map(|k| f64::from(k) * 0.01).collect();
    let wave = |scale: f64| -> Vec<f64> { times.iter().map(|t| scale * (9.0 * t).sin()).collect() };
    let mut gaps = wave(1.0);
    for (index, value) in gaps.iter_mut().enumerate() {
        match index % 50 {
            10..13 => *value = f64::NAN,
            20 => *value = f64::INFINITY,
            30 => *value = f64::NEG_INFINITY,
            _ => {}
        }
    }
    let curves = vec![
        Curve::new(evil, gaps),
        Curve::new("", vec![f64::NAN; 200]),
        Curve::new("too short", vec![0.5; 20]),
        Curve::new("too long", vec![-0.5; 900]),
        Curve::new("\u{0}\u{1b}[31m\u{202e}ltr\n\"'`", wave(0.2)),
    ];
    let large =
        vec![Curve::new("largest", wave(1.7e308)), Curve::new("constant", vec![1e300; 200])];
    let drift = times.iter().map(|t| 1e6 + 1e-5 * t).collect();
    let shape = Shape::Bar { from: [0.0; 3], to: [f64::NAN, 0.0, 1.0], radius: f64::INFINITY };
    let poses = (0..200).map(|k| if k % 7 == 3 { f64::NAN } else { f64::from(k) * 0.01 });
    Page {
        axis: PlotAxis::default(),
        badge: Some(Badge { good: false, text: evil.to_string() }),
        posture: None,
        title: evil.to_string(),
        about: format!("{evil}\n\nSecond paragraph & so on."),
        summary: vec![Section::new(evil).row(evil, evil), Section::new("empty")],
        plots: vec![
            Plot { title: evil.to_string(), unit: evil.to_string(), curves },
            Plot { title: "large".to_string(), unit: "J".to_string(), curves: large },
            Plot {
                title: "tiny".into(),
                unit: "m".into(),
                curves: vec![Curve::new("tiny", wave(1e-308))],
            },
            Plot {
                title: "drift".into(),
                unit: "J".into(),
                curves: vec![Curve::new("drift", drift)],
            },
            Plot { title: "none".to_string(), unit: String::new(), curves: Vec::new() },
        ],
        marks: vec![
            TimeMark { time: 0.5, text: evil.to_string() },
            TimeMark { time: f64::NAN, text: "never".to_string() },
            TimeMark { time: 1e9, text: "later".to_string() },
        ],
        scene: Some(Scene {
            up: [0.0; 3],
            bodies: vec![Figure {
                name: evil.to_string(),
                colour: usize::MAX,
                ghost: false,
                shapes: vec![
                    shape,
                    Shape::Ball { centre: [0.0; 3], radius: 0.1 },
                    Shape::Point { name: evil.to_string(), place: [0.0, 0.0, 0.2] },
                ],
            }],
            times: times.clone(),
            poses: poses
                .map(|x| BodyPose { position: [x, 0.0, 0.0], ..BodyPose::IDENTITY })
                .collect(),
            ..Scene::default()
        }),
        times,
    }
}
