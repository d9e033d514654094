//! Positions, masses and inertias of a draft as numbers, by the manual's definitions and nothing
//! of the library's own arithmetic.

use std::collections::HashMap;

use rotule_model::draft::{Body, Draft, DraftValue, Joint, Rotation, Triple, Value};
use rotule_model::joint::{JointDirection, JointMotion};

pub type V = [f64; 3];
pub type M = [V; 3];

/// A frame in the ground: axes as columns, and origin.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    pub r: M,
    pub p: V,
}

pub const GROUND: Frame =
    Frame { r: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]], p: [0.0; 3] };

pub fn number(scalar: &DraftValue) -> f64 {
    match &scalar.value {
        Value::Number(number) => *number,
        Value::Expression(text) => rotule_symbolic::parse(text)
            .expect("an expression")
            .evaluate(&mut rotule_symbolic::Doubles(|name: &str| {
                (name == "deg").then_some(std::f64::consts::PI / 180.0)
            }))
            .expect("without names"),
    }
}

pub fn vector(triple: &Triple) -> V {
    [0, 1, 2].map(|i| number(&triple[i]))
}

pub fn multiply(a: &M, b: &M) -> M {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| (0..3).map(|k| a[i][k] * b[k][j]).sum()))
}

pub fn times(a: &M, v: V) -> V {
    [0, 1, 2].map(|i| (0..3).map(|k| a[i][k] * v[k]).sum())
}

pub fn plus(a: V, b: V) -> V {
    [0, 1, 2].map(|i| a[i] + b[i])
}

pub fn transposed(a: &M) -> M {
    [0, 1, 2].map(|i| [0, 1, 2].map(|j| a[j][i]))
}

/// Rodrigues' formula.
pub fn turn(axis: V, angle: f64) -> M {
    let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
    let [x, y, z] = axis.map(|c| c / length);
    let k = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
    let kk = multiply(&k, &k);
    [0, 1, 2].map(|i| {
        [0, 1, 2].map(|j| {
            f64::from(u8::from(i == j)) + angle.sin() * k[i][j] + (1.0 - angle.cos()) * kk[i][j]
        })
    })
}

pub fn quaternion(q: [f64; 4]) -> M {
    let size = q[1].hypot(q[2]).hypot(q[3]);
    if size == 0.0 {
        return GROUND.r;
    }
    turn([q[1], q[2], q[3]], 2.0 * size.atan2(q[0]))
}

pub fn matrix(rotation: &Rotation) -> M {
    match rotation {
        Rotation::Rpy(angles) => {
            let [r, p, y] = vector(angles);
            let turns = [turn([0.0, 0.0, 1.0], y), turn([0.0, 1.0, 0.0], p)];
            multiply(&multiply(&turns[0], &turns[1]), &turn([1.0, 0.0, 0.0], r))
        }
        Rotation::Quaternion(parts) => quaternion([0, 1, 2, 3].map(|i| number(&parts[i]))),
        Rotation::Matrix(rows) => [0, 1, 2].map(|i| vector(&rows[i])),
        Rotation::Turn { axis, angle } => turn(vector(&axis.components), number(angle)),
        Rotation::Link { .. } => unreachable!("no foreign format has link parameters"),
    }
}

impl Frame {
    pub fn step(&self, position: Option<&Triple>, rotation: Option<&Rotation>) -> Frame {
        self.moved(position.map_or([0.0; 3], vector), &rotation.map_or(GROUND.r, matrix))
    }

    pub fn moved(&self, p: V, r: &M) -> Frame {
        Frame { p: plus(self.p, times(&self.r, p)), r: multiply(&self.r, r) }
    }
}

/// The motion of a joint for its coordinates; several are made from the one number given.
fn moved_by(frame: &Frame, joint: &Joint, q: f64) -> Frame {
    let axis = |i: usize| {
        let axis = vector(&joint.axes[i].components);
        let length = axis.iter().map(|x| x * x).sum::<f64>().sqrt();
        axis.map(|x| x / length)
    };
    let along = |i: usize, d: f64| axis(i).map(|x| x * d);
    let (zero, none) = ([0.0; 3], GROUND.r);
    let any = turn([0.3, q, 1.0], q + 0.2);
    let number = |at: usize| if at == 0 { q } else { 0.4 - q };
    let pitch = joint.pitch.as_ref().map_or(0.0, self::number);
    joint.kind.value.motions().iter().fold(*frame, |frame, motion| match *motion {
        JointMotion::Rotation(JointDirection::Axis(i), at) => {
            frame.moved(zero, &turn(axis(i), number(at)))
        }
        JointMotion::Translation(JointDirection::Axis(i), at) => {
            frame.moved(along(i, number(at)), &none)
        }
        JointMotion::Screw(JointDirection::Axis(i), at) => {
            frame.moved(along(i, number(at) * pitch), &turn(axis(i), number(at)))
        }
        JointMotion::Spherical => frame.moved(zero, &any),
        // Any motion will do where the directions are the library's own.
        _ => frame.moved([q, 0.1, 0.2 * q], &any),
    })
}

/// The frames of all bodies and points of a draft, by their places, for coordinates by joint name.
pub fn places(draft: &Draft, q: &dyn Fn(&str) -> f64) -> HashMap<String, Frame> {
    let mut found: HashMap<String, Frame> = HashMap::new();
    found.insert("ground".to_owned(), GROUND);
    for point in &draft.ground {
        let frame = GROUND.step(Some(&point.position), point.rotation.as_ref());
        found.insert(format!("ground.{}", point.name.value), frame);
    }
    let mut waiting: Vec<&Body> = draft.bodies.iter().collect();
    while !waiting.is_empty() {
        let before = waiting.len();
        waiting.retain(|body| {
            let parent = &body.parent.as_ref().expect("a parent").value;
            let Some(parent) = found.get(parent).copied() else { return true };
            let mut frame = parent.step(body.position.as_ref(), body.rotation.as_ref());
            for joint in &body.joints {
                let name = joint.name.as_ref().map_or("", |name| &name.value);
                frame = moved_by(&frame, joint, q(name));
            }
            found.insert(body.name.value.clone(), frame);
            for point in &body.points {
                let place = format!("{}.{}", body.name.value, point.name.value);
                found.insert(place, frame.step(Some(&point.position), point.rotation.as_ref()));
            }
            false
        });
        assert!(waiting.len() < before, "an unknown parent");
    }
    found
}

/// Mass, first moment and inertia about the origin of the ground, of some bodies together.
pub fn mass<'a>(
    bodies: impl Iterator<Item = &'a Body>,
    places: &HashMap<String, Frame>,
) -> (f64, V, M) {
    let (mut mass, mut moment, mut inertia) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
    for body in bodies {
        let frame = places[&body.name.value];
        let m = body.mass.as_ref().map_or(0.0, number);
        let c = plus(frame.p, times(&frame.r, body.com.as_ref().map_or([0.0; 3], vector)));
        if let Some(given) = &body.inertia {
            let e = given.entries.each_ref().map(|entry| entry.as_ref().map_or(0.0, number));
            let plain = [[e[0], e[3], e[4]], [e[3], e[1], e[5]], [e[4], e[5], e[2]]];
            let axes = match &given.rotation {
                Some(rotation) => multiply(&frame.r, &matrix(rotation)),
                None => frame.r,
            };
            let turned = multiply(&multiply(&axes, &plain), &transposed(&axes));
            inertia = [0, 1, 2].map(|i| plus(inertia[i], turned[i]));
        }
        let square: f64 = c.iter().map(|x| x * x).sum();
        for i in 0..3 {
            moment[i] += m * c[i];
            for j in 0..3 {
                let diagonal = if i == j { square } else { 0.0 };
                inertia[i][j] += m * (diagonal - c[i] * c[j]);
            }
        }
        mass += m;
    }
    (mass, moment, inertia)
}

/// Any number for a coordinate, the same for the same name and seed.
pub fn coordinate(name: &str, seed: u32) -> f64 {
    let hash = name.bytes().fold(seed + 7, |h, b| h.wrapping_mul(31).wrapping_add(u32::from(b)));
    f64::from(hash % 10_007) / 5_003.0 - 1.0
}

/// Two frames are the same place.
pub fn assert_close(a: &Frame, b: &Frame, tolerance: f64, what: &str) {
    for i in 0..3 {
        assert!((a.p[i] - b.p[i]).abs() < tolerance, "{what}: {a:?} {b:?}");
        for j in 0..3 {
            assert!((a.r[i][j] - b.r[i][j]).abs() < tolerance, "{what}: {a:?} {b:?}");
        }
    }
}
