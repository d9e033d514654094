//! Glossary of the letters of recursions: one table for headers of code, for documents and for
//! readers of this crate. One letter means one thing; indices in brackets say of which body, and of
//! which speed where there is one per speed.

/// When a recursion makes a quantity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Pass {
    /// From parameters alone.
    Constants,
    /// From the ground to the leaves.
    Outward,
    /// Of forces between bodies and on them, once motions are known.
    Forces,
    /// From the leaves to the ground.
    Inward,
    /// From the ground to the leaves again, with accelerations.
    Solution,
}

/// A letter.
#[derive(Clone, Copy, Debug)]
pub struct Letter {
    /// The letter in names of variables: `w` of `w[link2].x`.
    pub letter: &'static str,
    /// In code.
    pub word: &'static str,
    /// In LaTeX.
    pub latex: &'static str,
    /// When it is made.
    pub pass: Pass,
    /// Its kind.
    pub about: &'static str,
}

macro_rules! letters {
    ($($pass:ident $letter:literal $word:literal $latex:literal $about:literal;)*) => {
        &[$(Letter { letter: $letter, word: $word, latex: $latex, pass: Pass::$pass, about: $about }),*]
    };
}

/// Every letter.
pub const LETTERS: &[Letter] = letters! {
    Constants "m" "mass_beyond" "m" "mass of a body and all beyond it";
    Constants "b" "moment_beyond" "b" "first moment of a body with the masses beyond it, about its origin";
    Constants "K" "inertia_beyond" "K" "inertia of a body with the masses beyond it, about its origin";
    Constants "mb" "mass_group" "m^{b}" "mass of bodies that move as one";
    Outward "wr" "omega_relative" "\\bar{\\omega}" "sum of the angles about parallel axes";
    Outward "w" "omega" "\\omega" "angular velocity";
    Outward "wd" "omega_dot" "\\dot{\\omega}" "angular acceleration";
    Outward "ww" "omega_squared" "s" "squares of the components of the angular velocity";
    Outward "beta" "beta" "\\beta" "matrix beta: part of a point's acceleration due to rotation, per position";
    Outward "a0" "acceleration_chosen" "a^{0}" "acceleration of the reference joint of the equations";
    Outward "alpha" "alpha" "\\alpha" "acceleration of a body's origin, less gravity";
    Outward "v" "velocity" "v" "velocity of an origin";
    Outward "vc" "velocity_com" "v^{c}" "velocity of a centre of mass";
    Outward "a" "acceleration" "a" "acceleration";
    Outward "p" "position" "p" "position";
    Outward "wj" "omega_joint" "\\omega^{j}" "angular velocity due to the body's own joint";
    Outward "V" "relative_velocity" "V" "velocity of an origin due to its own joint";
    Outward "arm" "arm" "d" "lever from one origin to the next";
    Outward "r" "lever" "r" "lever from a joint to the requested point";
    Outward "R" "rotation" "R" "rotation matrix";
    Outward "O" "angular_per_speed" "O" "angular acceleration per acceleration of a joint";
    Outward "A" "motion_per_speed" "A" "acceleration per acceleration of a joint";
    Outward "P" "axis_rate" "P" "rate of a joint's axis";
    Outward "P2" "axis_rate_2" "P^{2}" "twice the rate of a joint's axis";
    Outward "g" "gravity" "g" "gravity";
    Outward "da" "acceleration_change" "\\delta a" "change of an acceleration per unit of a variable";
    Forces "z" "line" "z" "vector between the ends of a line force";
    Forces "Z" "length" "Z" "length of a line force";
    Forces "Zd" "length_rate" "\\dot{Z}" "rate of a line force's length";
    Forces "e" "direction" "e" "direction of a line force";
    Forces "force" "force_of" "f" "force of an element";
    Forces "torque" "torque_of" "\\tau" "torque of an element";
    Forces "pull" "pull" "f" "pull of a line force on a body, in the body's axes";
    Forces "Fx" "force_applied" "F^{x}" "forces on a body other than a joint's";
    Forces "Lx" "torque_applied" "L^{x}" "torques on a body other than a joint's";
    Forces "across" "across" "n" "length of the product of a wheel's axle and the ground's normal";
    Forces "height" "height" "h^{w}" "height of a wheel's centre above the ground, along its normal";
    Forces "reach" "reach" "\\delta" "penetration of a wheel into the ground; negative above it";
    Forces "radius" "loaded_radius" "r^{w}" "distance from a wheel's centre to its contact";
    Forces "speed" "forward_speed" "u^{w}" "forward speed of a wheel";
    Forces "w1" "roll_rate" "\\omega^{w}" "angular velocity of a wheel's carrier about the forward direction";
    Forces "spin" "spin" "\\Omega" "angular velocity of a wheel about its axle";
    Forces "D" "slip_speed" "D" "speed that slips are relative to";
    Forces "slip" "slip" "\\kappa" "slip of a wheel along its way";
    Forces "side_slip" "side_slip" "\\alpha^{w}" "angle of side slip of a wheel";
    Forces "camber" "camber" "\\gamma" "camber of a wheel";
    Forces "depth_rate" "depth_rate" "\\dot{\\delta}" "rate at which a wheel sinks into the ground";
    Forces "Fz" "vertical_force" "F^{z}" "vertical force of a wheel";
    Forces "longitudinal" "longitudinal_force" "F^{1}" "force of a wheel along its way";
    Forces "lateral" "lateral_force" "F^{2}" "force of a wheel across its way";
    Forces "roll" "roll_torque" "M^{1}" "torque of a wheel about its way";
    Forces "pitch" "pitch_torque" "M^{2}" "torque of a wheel about its axle";
    Forces "yaw" "yaw_torque" "M^{3}" "torque of a wheel about the normal";
    Forces "F2" "force_axle" "F^{a}" "force of a wheel along its axle";
    Forces "F3" "force_plane" "F^{p}" "force of a wheel in its plane, upwards";
    Forces "Fw" "force_wheel" "F^{w}" "force of a wheel in the axes of its carrier";
    Forces "Lw" "torque_wheel" "L^{w}" "torque of a wheel in the axes of its carrier";
    Inward "W" "inertial_force" "W" "mass times the acceleration of the centre of mass";
    Inward "WM" "inertial_force_per_speed" "W^{M}" "inertial force per acceleration of a joint";
    Inward "F" "force" "F" "force that a joint transmits";
    Inward "Fb" "force_rest" "F^{b}" "force that a joint transmits, less mass times the acceleration of its origin";
    Inward "L" "torque" "L" "torque that a joint transmits";
    Inward "FM" "force_per_speed" "F^{M}" "force in a joint per acceleration of a joint";
    Inward "LM" "torque_per_speed" "L^{M}" "torque in a joint per acceleration of a joint";
    Inward "FD" "force_moved" "F^{D}" "force in a joint per unit of a speed's motion";
    Inward "T" "torque_gyroscopic" "T" "gyroscopic torque per unit of a speed's motion";
    Inward "dF" "force_change" "\\delta F" "change of a joint's force and torque per unit of a variable";
    Inward "bc" "moment_composite" "b^{c}" "first moment of all beyond a joint, taken as one body";
    Inward "KC" "inertia_composite" "K^{c}" "inertia of all beyond a joint, taken as one body";
    Inward "mc" "mass_composite" "m^{c}" "mass of all beyond a joint, taken as one body";
    Inward "hc" "moment_of_composite" "h^{c}" "first moment of all beyond a joint, taken as one body, about the joint";
    Inward "Jc" "inertia_of_composite" "J^{c}" "inertia of all beyond a joint, taken as one body, about the joint";
    Inward "pb" "momentum_body" "p^{b}" "momentum of a body";
    Inward "pc" "momentum_composite" "p^{c}" "momentum of all beyond a joint";
    Inward "X" "spread" "X" "second moments of mass with velocities";
    Inward "Xc" "spread_composite" "X^{c}" "second moments of mass with velocities, of all beyond a joint";
    Inward "hr" "moment_in_parent" "h^{r}" "first moment in the parent's axes";
    Inward "pr" "momentum_in_parent" "p^{r}" "momentum in the parent's axes";
    Inward "hs" "moment_shifted" "h^{s}" "first moment about the parent's origin";
    Inward "mu" "mass_above" "\\mu" "mass of a body and all that it carries";
    Inward "h" "first_moment" "h" "first moment of a body and all that it carries";
    Inward "hd" "first_moment_rate" "\\dot{h}" "rate of a first moment";
    Inward "Pl" "momentum_linear" "P" "linear momentum of a body and all that it carries";
    Inward "H" "momentum_angular" "H" "angular momentum of a body and all that it carries";
    Inward "IA" "articulated_angular" "I^{A}" "articulated inertia: torques per angular acceleration";
    Inward "IB" "articulated_coupling" "I^{B}" "articulated inertia: forces per angular acceleration";
    Inward "IC" "articulated_linear" "I^{C}" "articulated inertia: forces per linear acceleration";
    Inward "IAa" "transmitted_angular" "I^{Aa}" "articulated inertia transmitted by a joint: torques per angular acceleration";
    Inward "IBa" "transmitted_coupling" "I^{Ba}" "articulated inertia transmitted by a joint: forces per angular acceleration";
    Inward "ICa" "transmitted_linear" "I^{Ca}" "articulated inertia transmitted by a joint: forces per linear acceleration";
    Inward "pa" "articulated_bias" "p^{a}" "force and torque that an articulated body needs without joint accelerations";
    Inward "d" "joint_inertia" "d" "articulated inertia along a joint, and its factors";
    Inward "u" "unbalanced" "u" "unbalanced effort of a joint";
    Inward "U" "articulated_column" "U" "articulated inertia times a joint's axis";
    Inward "G" "joint_gain" "G" "acceleration of a joint per acceleration of its parent";
    Inward "ed" "joint_drive" "e^{d}" "acceleration of a joint by its unbalanced effort alone";
    Inward "f" "transmitted_force" "f" "force and torque transmitted by a joint";
    Inward "N11" "unit_torque_xx" "N^{xx}" "torque per unit of the inertia entry xx";
    Inward "N12" "unit_torque_xy" "N^{xy}" "torque per unit of the inertia entry xy";
    Inward "N13" "unit_torque_xz" "N^{xz}" "torque per unit of the inertia entry xz";
    Inward "N22" "unit_torque_yy" "N^{yy}" "torque per unit of the inertia entry yy";
    Inward "N23" "unit_torque_yz" "N^{yz}" "torque per unit of the inertia entry yz";
    Inward "N33" "unit_torque_zz" "N^{zz}" "torque per unit of the inertia entry zz";
    Solution "M" "mass_reduced" "M" "entries of the mass matrix, reduced by elimination";
    Solution "MD" "pivot_inverse" "D^{M}" "inverse pivots of the mass matrix";
    Solution "ML" "mass_factor" "L^{f}" "factor of the mass matrix";
    Solution "Mi" "mass_inverse" "M^{i}" "entries of the inverse of the mass matrix";
    Solution "aY" "half_solved" "y" "right sides after forward elimination";
    Solution "J" "jacobian_half" "J" "columns of the Jacobian after forward elimination";
    Solution "JD" "jacobian_scaled" "J^{D}" "columns of the Jacobian over the pivots";
    Solution "Vi" "mobility" "V^{i}" "acceleration of a point per force at the point";
    Solution "x" "carried_acceleration" "x" "acceleration of a body due to its parent";
};

/// The row of a variable's name: of `w[link2].x` that of `w`. Names that were taken have a number
/// behind, as `across_2`.
pub fn letter(name: &str) -> Option<&'static Letter> {
    let mut stem = name.split(['[', '.']).next().unwrap_or(name);
    loop {
        if let Some(row) = LETTERS.iter().find(|row| row.letter == stem) {
            return Some(row);
        }
        // A name that is taken gets a number, and so does that of something made of it.
        let (rest, number) = stem.rsplit_once('_')?;
        stem = number.bytes().all(|digit| digit.is_ascii_digit()).then_some(rest)?;
    }
}

/// The row of what a derivative is taken of: of `dw[link2,3].x` and of `dacross_dq5` that of `w`
/// and of `across`.
pub fn changed(name: &str) -> Option<&'static Letter> {
    let name = name.strip_prefix('d').filter(|_| letter(name).is_none())?;
    letter(name).or_else(|| letter(name.split_once("_d")?.0))
}
