//! Equations of motion of a random mechanism by a path that has nothing in common with the
//! recursions: poses as Taylor polynomials of time, and Kane's projection.
//!
//! With `q(t)` as a polynomial of second degree, composed rotations and translations give every
//! centre of mass and every rotation matrix to second degree, hence velocities and accelerations,
//! exactly. With unit speeds they give the partial velocities. Then
//!
//! ```text
//! T   = sum (m v.v + w.I w)/2 + sum armature v_i^2/2
//! Q_i = sum m (a - g).v^i + (I wd + w x I w).w^i + armature vd_i
//! ```

use super::case::{Case, State, quaternion_product};
use super::numbers::Matrix;
use super::random::{Body, Joint, Kind, Model};
use rotule_model::pose::{Components, Pose, add, cross, dot, in_plane, scale, sub};
use std::ops::{Add, Mul, Neg, Sub};

/// A polynomial of time, to second degree.
#[derive(Clone, Copy, Debug)]
struct Jet([f64; 3]);

impl Jet {
    const ZERO: Jet = Jet([0.0; 3]);
    const ONE: Jet = Jet([1.0, 0.0, 0.0]);

    fn sin_cos(self) -> (Jet, Jet) {
        let Jet([x, v, a]) = self;
        let (s, c) = x.sin_cos();
        (Jet([s, c * v, c * a - s * v * v / 2.0]), Jet([c, -s * v, -s * a - c * v * v / 2.0]))
    }
}

impl From<f64> for Jet {
    fn from(number: f64) -> Jet {
        Jet([number, 0.0, 0.0])
    }
}

impl Add for Jet {
    type Output = Jet;
    fn add(self, other: Jet) -> Jet {
        Jet([0, 1, 2].map(|i| self.0[i] + other.0[i]))
    }
}

impl Sub for Jet {
    type Output = Jet;
    fn sub(self, other: Jet) -> Jet {
        self + -other
    }
}

impl Neg for Jet {
    type Output = Jet;
    fn neg(self) -> Jet {
        Jet(self.0.map(|x| -x))
    }
}

impl Mul for Jet {
    type Output = Jet;
    fn mul(self, other: Jet) -> Jet {
        let (Jet(a), Jet(b)) = (self, other);
        Jet([a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[1] * b[1] + a[2] * b[0]])
    }
}

type Vector = [Jet; 3];
type Rotation = [Vector; 3];

/// A moving frame.
#[derive(Clone, Copy)]
struct Moving {
    position: Vector,
    rotation: Rotation,
}

impl Moving {
    const IDENTITY: Moving = Moving {
        position: [Jet::ZERO; 3],
        rotation: [
            [Jet::ONE, Jet::ZERO, Jet::ZERO],
            [Jet::ZERO, Jet::ONE, Jet::ZERO],
            [Jet::ZERO, Jet::ZERO, Jet::ONE],
        ],
    };

    fn fixed(pose: &Pose) -> Moving {
        Moving {
            position: pose.position.map(Jet::from),
            rotation: pose.rotation.map(|row| row.map(Jet::from)),
        }
    }

    fn point(&self, point: Vector) -> Vector {
        let rotated = apply(&self.rotation, point);
        [0, 1, 2].map(|i| self.position[i] + rotated[i])
    }

    fn then(&self, inner: &Moving) -> Moving {
        let column = |j: usize| apply(&self.rotation, inner.rotation.map(|row| row[j]));
        let columns = [column(0), column(1), column(2)];
        let rotation = std::array::from_fn(|i| std::array::from_fn(|j| columns[j][i]));
        Moving { position: self.point(inner.position), rotation }
    }
}

fn apply(rotation: &Rotation, v: Vector) -> Vector {
    rotation.map(|row| row[0] * v[0] + row[1] * v[1] + row[2] * v[2])
}

fn slide(axis: Components, by: Jet) -> Moving {
    Moving { position: axis.map(|x| Jet::from(x) * by), ..Moving::IDENTITY }
}

fn turn(axis: Components, by: Jet) -> Moving {
    let (s, c) = by.sin_cos();
    let [x, y, z] = axis;
    let tilde = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
    let rotation = std::array::from_fn(|i| {
        std::array::from_fn(|j| {
            let same = Jet::from(f64::from(u8::from(i == j)));
            let both = Jet::from(axis[i] * axis[j]);
            c * same + s * Jet::from(tilde[i][j]) + (Jet::ONE - c) * both
        })
    });
    Moving { rotation, ..Moving::IDENTITY }
}

/// The rotation of a quaternion that moves with an angular velocity and acceleration in its own
/// axes.
fn attitude(q: &[f64], w: &[f64], wd: &[f64]) -> Moving {
    let q = [q[0], q[1], q[2], q[3]];
    let half = |v: &[f64]| [0.0, v[0] / 2.0, v[1] / 2.0, v[2] / 2.0];
    let first = quaternion_product(q, half(w));
    let (turning, growing) = (quaternion_product(first, half(w)), quaternion_product(q, half(wd)));
    let [w, x, y, z] = [0, 1, 2, 3].map(|i| Jet([q[i], first[i], (turning[i] + growing[i]) / 2.0]));
    let two = Jet::from(2.0);
    let rotation = [
        [Jet::ONE - two * (y * y + z * z), two * (x * y - w * z), two * (x * z + w * y)],
        [two * (x * y + w * z), Jet::ONE - two * (x * x + z * z), two * (y * z - w * x)],
        [two * (x * z - w * y), two * (y * z + w * x), Jet::ONE - two * (x * x + y * y)],
    ];
    Moving { rotation, ..Moving::IDENTITY }
}

fn displacement(joint: &Joint, q: &[f64], v: &[f64], vd: &[f64]) -> Moving {
    let jet = |i: usize| Jet([q[i], v[i], vd[i] / 2.0]);
    let axis = |i: usize| joint.axes[i].unit;
    match joint.kind {
        Kind::Fixed => Moving::IDENTITY,
        Kind::Revolute => turn(axis(0), jet(0)),
        Kind::Prismatic => slide(axis(0), jet(0)),
        Kind::Helical => {
            let pitch = joint.pitch.as_ref().expect("a helical joint has a pitch").number;
            slide(axis(0), Jet::from(pitch) * jet(0)).then(&turn(axis(0), jet(0)))
        }
        Kind::Cylindrical => slide(axis(0), jet(1)).then(&turn(axis(0), jet(0))),
        Kind::Universal => turn(axis(0), jet(0)).then(&turn(axis(1), jet(1))),
        Kind::Spherical => attitude(q, v, vd),
        Kind::Planar => {
            let (first, second) = in_plane(axis(0));
            let slides = slide(first, jet(0)).then(&slide(second, jet(1)));
            slides.then(&turn(axis(0), jet(2)))
        }
        Kind::Free => {
            let rotated = attitude(&q[3..], &v[3..], &vd[3..]);
            let now = rotated.rotation.map(|row| row.map(|x| x.0[0]));
            let pose = Pose { position: [0.0; 3], rotation: now };
            let (v, w, vd) = ([v[0], v[1], v[2]], [v[3], v[4], v[5]], [vd[0], vd[1], vd[2]]);
            let velocity = pose.turn(v);
            let acceleration = pose.turn(add(vd, cross(w, v)));
            let position = [0, 1, 2].map(|i| Jet([q[i], velocity[i], acceleration[i] / 2.0]));
            Moving { position, ..rotated }
        }
    }
}

/// The motion of a body: of its centre of mass in the ground's axes, of its frame in its own.
pub struct Motion {
    /// The position of the centre of mass.
    pub com: Components,
    /// The velocity of the centre of mass.
    pub velocity: Components,
    /// The acceleration of the centre of mass.
    pub acceleration: Components,
    /// The angular velocity.
    pub w: Components,
    /// The angular acceleration.
    pub wd: Components,
}

/// Motions of all bodies.
pub fn motions(case: &Case, q: &[f64], qd: &[f64], qdd: &[f64]) -> Vec<Motion> {
    let model = case.model.as_ref().expect("a random mechanism");
    let mut frames: Vec<Moving> = Vec::new();
    for (at, body) in model.bodies.iter().enumerate() {
        let parent = body.parent.map_or(Moving::IDENTITY, |parent| frames[parent]);
        let mut frame = parent.then(&Moving::fixed(&model.placement(at)));
        for joint in &body.joints {
            let place = place(case, joint);
            let moved = displacement(joint, &q[place.0..], &qd[place.1..], &qdd[place.1..]);
            frame = frame.then(&moved);
        }
        frames.push(frame);
    }
    let motion = |(frame, body): (&Moving, &Body)| {
        let com = frame.point([0, 1, 2].map(|i| Jet::from(body.com[i].number)));
        let part = |n: usize| frame.rotation.map(|row| row.map(|x| x.0[n]));
        let pose = Pose { position: [0.0; 3], rotation: part(0) };
        let back = pose.inverse();
        let spin = back.then(&Pose { rotation: part(1), ..pose }).rotation;
        // R' R'' = w~ w~ + wd~; the first is symmetric.
        let second = back.then(&Pose { rotation: part(2), ..pose }).rotation;
        Motion {
            com: com.map(|x| x.0[0]),
            velocity: com.map(|x| x.0[1]),
            acceleration: com.map(|x| 2.0 * x.0[2]),
            w: unskew(spin, 0.5),
            wd: unskew(second, 1.0),
        }
    };
    frames.iter().zip(&model.bodies).map(motion).collect()
}

/// The vector of the skew part of a matrix, whose halves count with a factor.
fn unskew(m: [Components; 3], factor: f64) -> Components {
    scale([m[2][1] - m[1][2], m[0][2] - m[2][0], m[1][0] - m[0][1]], factor)
}

/// Where a joint's coordinates and speeds begin in those of the mechanism.
fn place(case: &Case, joint: &Joint) -> (usize, usize) {
    let found = case.mechanism().joints.iter().find(|one| one.name == joint.name);
    let found = found.expect("a mechanism has the joints of its file");
    (found.coordinates.start, found.speeds.start)
}

/// Inertias of drives, one per speed.
fn drives(case: &Case, model: &Model) -> Vec<f64> {
    let mut drives = vec![0.0; case.speeds()];
    for joint in model.joints() {
        if let Some(armature) = &joint.armature {
            let first = place(case, joint).1;
            drives[first..first + joint.kind.speeds()].fill(armature.number);
        }
    }
    drives
}

fn numbers(model: &Model) -> Vec<(f64, Pose)> {
    let one = |body: &Body| {
        let inertia = Pose { position: [0.0; 3], rotation: body.inertia() };
        (body.mass.as_ref().map_or(0.0, |mass| mass.number), inertia)
    };
    model.bodies.iter().map(one).collect()
}

/// The motions for a unit of each speed.
fn partial(case: &Case, q: &[f64]) -> Vec<Vec<Motion>> {
    let zeros = vec![0.0; case.speeds()];
    let unit = |i: usize| {
        let mut unit = zeros.clone();
        unit[i] = 1.0;
        motions(case, q, &unit, &zeros)
    };
    (0..case.speeds()).map(unit).collect()
}

/// The efforts of inverse dynamics.
pub fn inverse(case: &Case, state: &State) -> Vec<f64> {
    let model = case.model.as_ref().expect("a random mechanism");
    let gravity = [0, 1, 2].map(|i| model.gravity[i].number);
    let now = motions(case, &state.q, &state.qd, &state.qdd);
    let drives = drives(case, model);
    let mut efforts: Vec<f64> = drives.iter().zip(&state.qdd).map(|(a, b)| a * b).collect();
    for (effort, columns) in efforts.iter_mut().zip(partial(case, &state.q)) {
        for ((own, column), (mass, inertia)) in now.iter().zip(&columns).zip(numbers(model)) {
            let force = scale(sub(own.acceleration, gravity), mass);
            let gyroscopic = cross(own.w, inertia.turn(own.w));
            let torque = add(inertia.turn(own.wd), gyroscopic);
            *effort += dot(force, column.velocity) + dot(torque, column.w);
        }
    }
    efforts
}

/// The kinetic energy.
pub fn kinetic_energy(case: &Case, q: &[f64], qd: &[f64]) -> f64 {
    let model = case.model.as_ref().expect("a random mechanism");
    let now = motions(case, q, qd, &vec![0.0; qd.len()]);
    let own = drives(case, model).iter().zip(qd).map(|(a, v)| a * v * v / 2.0).sum::<f64>();
    let each = now.iter().zip(numbers(model)).map(|(own, (mass, inertia))| {
        (mass * dot(own.velocity, own.velocity) + dot(own.w, inertia.turn(own.w))) / 2.0
    });
    own + each.sum::<f64>()
}

/// The Hessian of the kinetic energy by the speeds, from the partial velocities.
pub fn hessian(case: &Case, q: &[f64]) -> Matrix {
    let model = case.model.as_ref().expect("a random mechanism");
    let count = case.speeds();
    let (columns, numbers) = (partial(case, q), numbers(model));
    let mut matrix = Matrix::zero(count, count);
    for (i, drive) in drives(case, model).into_iter().enumerate() {
        for j in 0..count {
            let both = columns[i].iter().zip(&columns[j]).zip(&numbers);
            let each = both.map(|((a, b), (mass, inertia))| {
                mass * dot(a.velocity, b.velocity) + dot(a.w, inertia.turn(b.w))
            });
            *matrix.at(i, j) = each.sum::<f64>() + if i == j { drive } else { 0.0 };
        }
    }
    matrix
}
