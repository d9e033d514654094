//! A four-bar at rest that a slider moves: the page closes its loop.

use rotule_report::{BodyPose, Figure, JointMark, Page, Posture, Scene, Shape, Slider};

/// Lengths of crank, coupler, rocker and frame.
const LENGTHS: [f64; 4] = [0.12, 0.3, 0.25, 0.32];

/// The functions as Rotule would generate them, without the numbers of motions.
const SCRIPT: &str = "
globalThis.mechanism = (() => {
  // Names of a model may be anything: </script> <!--
  const [a, b, c, d] = [0.12, 0.3, 0.25, 0.32];
  const loops = (q) => ({
    h: [a * Math.cos(q[0]) + b * Math.cos(q[0] + q[1]) - d - c * Math.cos(q[2]),
        a * Math.sin(q[0]) + b * Math.sin(q[0] + q[1]) - c * Math.sin(q[2])],
    J: [-a * Math.sin(q[0]) - b * Math.sin(q[0] + q[1]), -b * Math.sin(q[0] + q[1]), c * Math.sin(q[2]),
        a * Math.cos(q[0]) + b * Math.cos(q[0] + q[1]), b * Math.cos(q[0] + q[1]), -c * Math.cos(q[2])],
  });
  const about_z = (t) => [Math.cos(t), -Math.sin(t), 0, Math.sin(t), Math.cos(t), 0, 0, 0, 1];
  return {
    loops,
    map: () => [1, 0, 0, 0, 1, 0, 0, 0, 1],
    places: (q) => [
      [0, 0, 0], about_z(q[0]),
      [a * Math.cos(q[0]), a * Math.sin(q[0]), 0], about_z(q[0] + q[1]),
      [d, 0, 0], about_z(q[2]),
    ],
  };
})();
";

/// The page.
pub fn page() -> Page {
    let bar = |name: &str, colour: usize, length: f64| Figure {
        name: name.to_owned(),
        colour,
        ghost: false,
        shapes: vec![
            Shape::Bar { from: [0.0; 3], to: [length, 0.0, 0.0], radius: 0.0 },
            Shape::Joint { kind: JointMark::Revolute, centre: [0.0; 3], axis: [0.0, 0.0, 1.0] },
        ],
    };
    let [a, b, c, _] = LENGTHS;
    Page {
        title: "four-bar".to_owned(),
        scene: Some(Scene {
            up: [0.0, 1.0, 0.0],
            bodies: vec![bar("crank", 0, a), bar("coupler", 1, b), bar("rocker", 2, c)],
            times: vec![0.0],
            poses: vec![BodyPose::IDENTITY; 3],
            ..Scene::default()
        }),
        posture: Some(Posture {
            script: SCRIPT.to_owned(),
            coordinates: vec![1.0, -0.5, 1.6],
            names: ["q1", "q2", "q3"].map(str::to_owned).to_vec(),
            sliders: vec![Slider {
                name: "q1".to_owned(),
                unit: "rad".to_owned(),
                at: 0,
                speed: 0,
                from: -3.0,
                to: 3.0,
            }],
            dependent: vec![1, 2],
            rows: vec![0, 1],
            limits: vec![None, None, Some([1.0, 2.5])],
        }),
        ..Page::default()
    }
}
