//! One joint in Pinocchio's convention: quaternions have w last, planar and unbounded joints a
//! cosine and a sine.
//!
//! Speeds, accelerations and efforts of free-flyer and spherical joints are Rotule's. Planar joints
//! are Pinocchio's `JointModelPlanar` in a frame whose axes are Rotule's two directions and the
//! normal; with the normal z these are x, y, z.
//!
//! ```
//! # extern crate rotule_model as rotule;
//! use rotule::conventions::pinocchio::{free_q_from_rotule, free_q_to_rotule};
//!
//! let q = [1.0, 2.0, 3.0, 0.8, 0.6, 0.0, 0.0];
//! assert_eq!(free_q_from_rotule(q), [1.0, 2.0, 3.0, 0.6, 0.0, 0.0, 0.8]);
//! assert_eq!(free_q_to_rotule(free_q_from_rotule(q)), q);
//! ```

use rotule_symbolic::elementary::{atan2, sincos};

/// Pinocchio's quaternion x, y, z, w of a spherical joint.
pub fn spherical_q_from_rotule([w, x, y, z]: [f64; 4]) -> [f64; 4] {
    [x, y, z, w]
}

/// Rotule's quaternion w, x, y, z of a spherical joint.
pub fn spherical_q_to_rotule([x, y, z, w]: [f64; 4]) -> [f64; 4] {
    [w, x, y, z]
}

/// Pinocchio's coordinates of a free-flyer joint.
pub fn free_q_from_rotule([px, py, pz, w, x, y, z]: [f64; 7]) -> [f64; 7] {
    [px, py, pz, x, y, z, w]
}

/// Rotule's coordinates of a free joint.
pub fn free_q_to_rotule([px, py, pz, x, y, z, w]: [f64; 7]) -> [f64; 7] {
    [px, py, pz, w, x, y, z]
}

/// Pinocchio's cosine and sine of an unbounded revolute joint.
pub fn unbounded_q_from_rotule(angle: f64) -> [f64; 2] {
    let (sin, cos) = sincos(angle);
    [cos, sin]
}

/// Rotule's angle of an unbounded revolute joint, within ±π: turns are not in Pinocchio's
/// coordinates.
pub fn unbounded_q_to_rotule([cos, sin]: [f64; 2]) -> f64 {
    atan2(sin, cos)
}

/// Pinocchio's coordinates of a planar joint.
pub fn planar_q_from_rotule([x, y, angle]: [f64; 3]) -> [f64; 4] {
    let [cos, sin] = unbounded_q_from_rotule(angle);
    [x, y, cos, sin]
}

/// Rotule's coordinates of a planar joint, with an angle within ±π.
pub fn planar_q_to_rotule([x, y, cos, sin]: [f64; 4]) -> [f64; 3] {
    [x, y, unbounded_q_to_rotule([cos, sin])]
}

/// Pinocchio's velocity of a planar joint, in body axes.
pub fn planar_qd_from_rotule([.., angle]: [f64; 3], [vx, vy, omega]: [f64; 3]) -> [f64; 3] {
    let (sin, cos) = sincos(angle);
    [cos * vx + sin * vy, cos * vy - sin * vx, omega]
}

/// Rotule's speeds of a planar joint, from Pinocchio's coordinates and velocity.
pub fn planar_qd_to_rotule([.., cos, sin]: [f64; 4], [vx, vy, omega]: [f64; 3]) -> [f64; 3] {
    [cos * vx - sin * vy, sin * vx + cos * vy, omega]
}

/// Pinocchio's acceleration of a planar joint: derivatives of its velocity.
pub fn planar_qdd_from_rotule(q: [f64; 3], qd: [f64; 3], qdd: [f64; 3]) -> [f64; 3] {
    let [vx, vy, omega] = planar_qd_from_rotule(q, qd);
    let [ax, ay, alpha] = planar_qd_from_rotule(q, qdd);
    // d(R^T v)/dt = R^T dv/dt - omega x (R^T v)
    [ax + omega * vy, ay - omega * vx, alpha]
}

/// Rotule's accelerations of a planar joint, from Pinocchio's coordinates, velocity and
/// acceleration.
pub fn planar_qdd_to_rotule(q: [f64; 4], v: [f64; 3], a: [f64; 3]) -> [f64; 3] {
    let ([vx, vy, omega], [ax, ay, alpha]) = (v, a);
    planar_qd_to_rotule(q, [ax - omega * vy, ay + omega * vx, alpha])
}

/// Pinocchio's effort of a planar joint: the force in body axes, and the torque.
pub fn planar_effort_from_rotule(q: [f64; 3], effort: [f64; 3]) -> [f64; 3] {
    // The power of a force is the same in all axes, so forces change axes with velocities.
    planar_qd_from_rotule(q, effort)
}

/// Rotule's efforts of a planar joint, from Pinocchio's coordinates and effort.
pub fn planar_effort_to_rotule(q: [f64; 4], effort: [f64; 3]) -> [f64; 3] {
    planar_qd_to_rotule(q, effort)
}
