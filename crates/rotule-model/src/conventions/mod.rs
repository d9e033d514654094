//! Conventions of coordinates and speeds, beside those of Pinocchio, MuJoCo and URDF, and
//! converters.
//!
//! # One joint
//!
//! Libraries agree on joints with one degree of freedom: an angle in radians or a displacement in
//! metres, positive about or along the axis. They differ where a rotation has three degrees of
//! freedom.
//!
//! | | Rotule | Pinocchio | MuJoCo |
//! |---|---|---|---|
//! | quaternion | w x y z | x y z w | w x y z |
//! | free joint, `q` | position, quaternion | position, quaternion | position, quaternion |
//! | free joint, `qd` | v in body axes, ω in body axes | v in body axes, ω in body axes | v in **world** axes, ω in body axes |
//! | free joint, `qdd` | derivatives of `qd` | derivatives of `qd` | derivatives of `qd`: acceleration in world axes |
//! | free joint, effort | force, torque in body axes | force, torque in body axes | force in **world** axes, torque in body axes |
//! | spherical joint, `q` | quaternion | quaternion | quaternion (ball) |
//! | spherical joint, `qd` | ω in body axes | ω in body axes | ω in body axes |
//! | planar joint, `q` | two displacements, angle | two displacements, cos, sin | two slides, hinge |
//! | planar joint, `qd` | rates of `q` | v in **body** axes, ω | rates of `q` |
//! | revolute joint, `q` | angle | angle; cos, sin if *unbounded* (URDF's continuous) | angle (hinge) |
//!
//! - The *position* of a free joint is that of the body's origin, in the joint's frame on the
//!   parent. With the ground as parent and no `position` and `rotation`, that frame is the world,
//!   as it always is in MuJoCo.
//! - The *quaternion* has the matrix R that maps components along the body's axes to components
//!   along the parent's. It is a unit quaternion; q and -q are the same rotation.
//! - *v* is the velocity of the body's origin, *ω* the angular velocity, both relative to the
//!   parent's side of the joint. The derivative of the quaternion is `q * (0, ω) / 2`.
//! - *qdd* are the derivatives of the components `qd`. In body axes the derivative of v is not the
//!   acceleration of the origin: that is `R*(dv/dt + ω × v)`, which is what MuJoCo's `qacc` has.
//!   [`mujoco::free_qdd_from_rotule`] adds the term.
//! - A hinge or slide with `ref` in an MJCF file counts from the pose that the file draws: its
//!   coordinate in Rotule is MuJoCo's less `ref`. A [`Conversion`] does not know `ref`; subtract it
//!   before and add it afterwards.
//! - *Efforts* are conjugate to speeds: effort times speed is power, in every convention. So forces
//!   of a free joint change axes with its velocity, and a converted effort does the same work.
//!
//! # A whole state
//!
//! [`Conversion`] converts the vectors of a mechanism. The order of joints is a permutation: Rotule
//! has the order of the file, parents before children; Pinocchio and MuJoCo go depth first, and
//! Pinocchio's URDF reader sorts children by name. [`Conversion::order`] takes the names of joints
//! in the order of the other library.
//!
//! ```
//! # extern crate rotule_model as rotule;
//! use rotule::build::{Body, Draft, Joint};
//! use rotule::conventions::Conversion;
//!
//! let mut model = Draft::new("drone");
//! model.add(Body::new("arm").parent("hull").joint(Joint::revolute("q", "y")).mass(1).inertia([1, 1, 1]));
//! model.add(Body::new("hull").parent("ground").joint(Joint::free("base")).mass(2).inertia([1, 1, 1]));
//! let mechanism = model.load()?.mechanism;
//!
//! let mujoco = Conversion::mujoco(&mechanism).order(&["base", "q"])?;
//! // A quarter turn about z, and a velocity along the body's own x.
//! let half = 0.5_f64.sqrt();
//! let q = [1.0, 2.0, 3.0, half, 0.0, 0.0, half, 0.1];
//! let qd = [5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2];
//! let qvel = mujoco.qd_from_rotule(&q, &qd);
//! assert!((qvel[1] - 5.0).abs() < 1e-15, "along y in the world");
//!
//! let pinocchio = Conversion::pinocchio(&mechanism);
//! assert_eq!(pinocchio.q_from_rotule(&q), [1.0, 2.0, 3.0, 0.0, 0.0, half, half, 0.1]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Orientations
//!
//! URDF's roll, pitch and yaw are rotations about the fixed axes x, then y, then z:
//! [`quaternion_from_rpy`], [`rpy_from_quaternion`]. All functions below take quaternions w first.

pub mod mujoco;
pub mod pinocchio;
mod state;

pub use state::{Convention, Conversion, OrderError};

use crate::pose::{Components, add, cross, scale};
use rotule_symbolic::elementary::{atan2, sincos};

/// A quaternion w, x, y, z.
pub type Quaternion = [f64; 4];

/// The quaternion of URDF's roll, pitch and yaw.
///
/// ```
/// # extern crate rotule_model as rotule;
/// use rotule::conventions::{quaternion_from_rpy, rpy_from_quaternion};
///
/// let quaternion = quaternion_from_rpy([0.1, -0.2, 3.0]);
/// let again = rpy_from_quaternion(quaternion);
/// assert!((again[2] - 3.0).abs() < 1e-15);
/// ```
pub fn quaternion_from_rpy(rpy: Components) -> Quaternion {
    let [(sr, cr), (sp, cp), (sy, cy)] = rpy.map(|angle| sincos(angle / 2.0));
    [
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    ]
}

/// Roll and yaw within ±π and pitch within ±π/2, which have the quaternion's rotation. At gimbal
/// lock, where the pitch is ±π/2 and only the difference or sum of roll and yaw counts, the yaw is
/// zero.
pub fn rpy_from_quaternion(quaternion: Quaternion) -> Components {
    let [row_x, row_y, row_z] = matrix_from_quaternion(quaternion);
    let level = (row_z[1] * row_z[1] + row_z[2] * row_z[2]).sqrt();
    let pitch = atan2(-row_z[0], level);
    // Entries of the size of rounding have no direction.
    if level < 1e-15 {
        return [atan2(-row_y[2], row_y[1]), pitch, 0.0];
    }
    [atan2(row_z[1], row_z[2]), pitch, atan2(row_y[0], row_x[0])]
}

/// The rotation matrix by rows, of a quaternion of any length but zero; its columns are the rotated
/// axes.
pub fn matrix_from_quaternion(quaternion: Quaternion) -> [Components; 3] {
    let columns = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let columns = columns.map(|axis| rotate(quaternion, axis));
    std::array::from_fn(|i| columns.map(|column| column[i]))
}

/// Components in the parent's axes of a vector that is given in the body's axes.
pub fn rotate(quaternion: Quaternion, v: Components) -> Components {
    let [w, x, y, z] = quaternion;
    // A quaternion that is a unit but for rounding is normalised on the way.
    let twice = cross([x, y, z], v).map(|c| 2.0 * c / (w * w + x * x + y * y + z * z));
    add(v, add(scale(twice, w), cross([x, y, z], twice)))
}

/// Components in the body's axes of a vector that is given in the parent's axes.
pub fn rotate_back([w, x, y, z]: Quaternion, v: Components) -> Components {
    rotate([w, -x, -y, -z], v)
}

/// The first three entries and the last three.
fn halves(six: [f64; 6]) -> (Components, Components) {
    let [a, b, c, d, e, f] = six;
    ([a, b, c], [d, e, f])
}

fn joined(first: Components, last: Components) -> [f64; 6] {
    let ([a, b, c], [d, e, f]) = (first, last);
    [a, b, c, d, e, f]
}

/// The quaternion of a free joint.
fn quaternion(q: [f64; 7]) -> Quaternion {
    [q[3], q[4], q[5], q[6]]
}
