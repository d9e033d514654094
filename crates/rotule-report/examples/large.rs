//! Writes a page with thousands of bodies and curves, to see how a browser bears it:
//! `cargo run --release -p rotule-report --example large FILE [BODIES]`.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use rotule_report::{BodyPose, Curve, Figure, JointMark, Page, Plot, Scene, Shape, TimeMark};

fn main() -> io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or_else(|| "large.html".to_string());
    let bodies: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(2000);
    let times: Vec<f64> = (0..1000).map(|k| f64::from(k) * 0.01).collect();
    let angle = |body: usize, t: f64| (t + 0.01 * body as f64).sin();

    // A ring of bars, each turning about its own middle.
    let mut poses = Vec::with_capacity(bodies * times.len());
    for t in &times {
        for body in 0..bodies {
            let place = body as f64 / bodies as f64 * std::f64::consts::TAU;
            let radius = 0.05 * bodies as f64 / std::f64::consts::TAU + 1.0;
            let (s, c) = (angle(body, *t) / 2.0).sin_cos();
            let position = [radius * place.cos(), radius * place.sin(), 0.5];
            poses.push(BodyPose { position, quaternion: [c, 0.0, s, 0.0] });
        }
    }
    let figure = |body: usize| Figure {
        name: format!("link_{body}"),
        ghost: false,
        colour: body,
        shapes: vec![
            Shape::Bar { from: [0.0, 0.0, -0.3], to: [0.0, 0.0, 0.3], radius: 0.02 },
            Shape::Joint { kind: JointMark::Revolute, centre: [0.0; 3], axis: [0.0, 1.0, 0.0] },
            Shape::Mass { centre: [0.0; 3] },
            Shape::Axes,
        ],
    };
    let curve = |body: usize| {
        Curve::new(format!("link_{body}.q"), times.iter().map(|t| angle(body, *t)).collect())
    };
    let page = Page {
        title: format!("A ring of {bodies} bars"),
        plots: vec![Plot {
            title: "Coordinates".to_string(),
            unit: "rad".to_string(),
            curves: (0..bodies).map(curve).collect(),
        }],
        marks: (0..500)
            .map(|k| TimeMark { time: f64::from(k) * 0.02, text: format!("Event {k}") })
            .collect(),
        scene: Some(Scene {
            up: [0.0, 0.0, 1.0],
            bodies: (0..bodies).map(figure).collect(),
            times: times.clone(),
            poses,
            ..Scene::default()
        }),
        times,
        ..Page::default()
    };
    let mut file = BufWriter::new(File::create(path)?);
    page.write(&mut file)?;
    file.flush()
}
