//! One joint in MuJoCo's convention: the linear velocity of a free joint is in world axes.
//!
//! Coordinates are Rotule's. Ball joints are Rotule's spherical joints in all vectors, hinges and
//! slides its revolute and prismatic ones, so only speeds, accelerations and efforts of free joints
//! have functions here.
//!
//! ```
//! # extern crate rotule_model as rotule;
//! use rotule::conventions::mujoco::{free_qd_from_rotule, free_qd_to_rotule};
//!
//! let half = 0.5_f64.sqrt();
//! let q = [0.0, 0.0, 1.0, half, half, 0.0, 0.0]; // a quarter turn about x
//! let qvel = free_qd_from_rotule(q, [0.0, 1.0, 0.0, 0.0, 0.0, 3.0]);
//! assert!((qvel[2] - 1.0).abs() < 1e-15, "the body's y points up");
//! assert!((free_qd_to_rotule(q, qvel)[1] - 1.0).abs() < 1e-15);
//! ```

use super::{halves, joined, quaternion, rotate, rotate_back};
use crate::pose::{add, cross, sub};

/// MuJoCo's `qvel` of a free joint.
pub fn free_qd_from_rotule(q: [f64; 7], qd: [f64; 6]) -> [f64; 6] {
    let (linear, angular) = halves(qd);
    joined(rotate(quaternion(q), linear), angular)
}

/// Rotule's `qd` of a free joint, from MuJoCo's `qpos` and `qvel`.
pub fn free_qd_to_rotule(qpos: [f64; 7], qvel: [f64; 6]) -> [f64; 6] {
    let (linear, angular) = halves(qvel);
    joined(rotate_back(quaternion(qpos), linear), angular)
}

/// MuJoCo's `qacc` of a free joint.
pub fn free_qdd_from_rotule(q: [f64; 7], qd: [f64; 6], qdd: [f64; 6]) -> [f64; 6] {
    let ((v, omega), (rate, angular)) = (halves(qd), halves(qdd));
    // d(R v)/dt = R (dv/dt + omega x v)
    joined(rotate(quaternion(q), add(rate, cross(omega, v))), angular)
}

/// Rotule's `qdd` of a free joint, from MuJoCo's `qpos`, `qvel` and `qacc`.
pub fn free_qdd_to_rotule(qpos: [f64; 7], qvel: [f64; 6], qacc: [f64; 6]) -> [f64; 6] {
    let (v, omega) = halves(free_qd_to_rotule(qpos, qvel));
    let (acceleration, angular) = halves(qacc);
    joined(sub(rotate_back(quaternion(qpos), acceleration), cross(omega, v)), angular)
}

/// MuJoCo's generalised force of a free joint, such as `qfrc_applied`.
pub fn free_effort_from_rotule(q: [f64; 7], effort: [f64; 6]) -> [f64; 6] {
    // The power of a force is the same in all axes, so forces change axes with velocities.
    free_qd_from_rotule(q, effort)
}

/// Rotule's efforts of a free joint, from MuJoCo's `qpos` and generalised force.
pub fn free_effort_to_rotule(qpos: [f64; 7], force: [f64; 6]) -> [f64; 6] {
    free_qd_to_rotule(qpos, force)
}
