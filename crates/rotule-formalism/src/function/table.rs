//! The table of functions: all that is known of each, in one row.
//!
//! A new function is a row of [`FUNCTIONS`] and the code that its row names; a quantity that no
//! other function has is a row of [`outputs`], too. What is shown of a function (usage, help, names
//! of rows and columns, units) and what is done with it (closing of loops, choice of formalisms,
//! ways to derivatives) follows from the row. Tests of `labels.rs` compare rows with programs of a
//! model that has one of everything; others compare names with the manual.

use super::row::Counted::{self, Always, UpTo};
use super::row::LoopTreatment::{AsGiven, Closed, ClosedAndSolved, LeftOut, Refused};
use super::row::Terms::{self, Efforts, Mass, Other};
use super::row::{FunctionRow, OutputRow, Takes};
use crate::formalism::Formalism::{
    self, ArticulatedBody, Barycentric, Inward, Mixed, NewtonEuler, Outward,
};
use crate::parts::Parts;
use crate::{
    constraint, derivative, dynamics, elastic, energy, forces, forward, kinematics, linear, map,
    regressor, states, switches,
};
use outputs::*;
use rotule_symbolic::Kind;
use std::fmt;

const Q: &[Kind] = &[Kind::Coordinate];
const QV: &[Kind] = &[Kind::Coordinate, Kind::Velocity];
const QVA: &[Kind] = &[Kind::Coordinate, Kind::Velocity, Kind::Acceleration];
const QVAE: &[Kind] = &[Kind::Coordinate, Kind::Velocity, Kind::Acceleration, Kind::Effort];
pub(super) const QVE: &[Kind] = &[Kind::Coordinate, Kind::Velocity, Kind::Effort];
const AT: &[Takes] = &[Takes::Place, Takes::Reference];
const RECURSIVE: &[Formalism] = &[NewtonEuler, Barycentric];
const SOLVED: &[Formalism] = &[NewtonEuler, Barycentric, ArticulatedBody];
const ANY: &[Formalism] = &[Outward];
const CHAINS: &[Formalism] = &[Outward, Inward];
/// Counted if it is named.
const NAMED: Counted = Counted::Named;

/// Outputs of three variants of the equations.
macro_rules! variants {
    ($($row:ident $name:literal),*) => {
        &[
            $($row,)*
            $(OutputRow { name: concat!($name, "_permanent"), ..$row },)*
            $(OutputRow { name: concat!($name, "_intermittent"), ..$row },)*
        ]
    };
}

/// The outputs of linearised equations.
const LINEAR: &[OutputRow] = &[
    MASS,
    SPEED_DAMPING,
    INERTIAL_STIFFNESS,
    BIAS_STIFFNESS,
    STIFFNESS,
    INERTIAL_INPUT,
    BIAS_INPUT,
    INPUT,
    RESIDUAL_EFFORT,
];
/// Those of three variants.
const LINEAR_ALL: &[OutputRow] = variants!(
    MASS "M", SPEED_DAMPING "B", INERTIAL_STIFFNESS "K1", BIAS_STIFFNESS "K2", STIFFNESS "K",
    INERTIAL_INPUT "U1", BIAS_INPUT "U2", INPUT "U", RESIDUAL_EFFORT "r0"
);

/// A part of the equations of motion without the joint laws.
const fn part(parts: Parts) -> Terms {
    Efforts { parts, less_laws: false }
}

macro_rules! outputs {
    ($($id:ident $name:literal $shape:expr, $unit:expr;)*) => {
        $(#[doc = concat!("`", $name, "`")]
        pub const $id: OutputRow = OutputRow { name: $name, shape: $shape, unit: $unit };)*
        /// Every output.
        pub const ALL: &[OutputRow] = &[$($id),*];
    };
}

/// The outputs of functions: name, shape, unit. Outputs of several functions share a row if they
/// mean the same.
#[rustfmt::skip]
pub mod outputs {
    use super::super::row::OutputRow;
    use super::super::row::OutputShape::{Matrix, Scalar, Vector};
    use super::super::row::Side::{
        Axes, Bodies, Constraints, Contact, Coordinates, Cuts, Events, Inputs, Outputs, Parameters, Rods, Speeds, States,
        Switches, TerminalAxes, TerminalTwists, Terminals, Twist, Values, Wrench,
    };
    use super::super::row::OutputUnit::{BySpeed, Fixed, Mixed, StateRates};
    use crate::units;

    outputs! {
        // Dynamics.
        EFFORT "effort" Vector(Speeds), BySpeed(units::EFFORT);
        ACCELERATIONS "qdd" Vector(Speeds), BySpeed(units::ACCELERATION);
        MASS "M" Matrix(Speeds, Speeds), Fixed("efforts per acceleration");
        BIAS "c" Vector(Speeds), BySpeed(units::EFFORT);
        APPLIED "Q" Vector(Speeds), BySpeed(units::EFFORT);
        GRAVITY "gravity" Vector(Speeds), BySpeed(units::EFFORT);
        CORIOLIS "coriolis" Vector(Speeds), BySpeed(units::EFFORT);
        CORIOLIS_MATRIX "C" Matrix(Speeds, Speeds), Fixed("efforts per speed");
        INVERSE_MASS "inverse_mass" Matrix(Speeds, Speeds), Fixed("accelerations per effort");
        INERTIA "inertia" Matrix(Twist, Twist), Mixed;
        INVERSE_INERTIA "inverse_inertia" Matrix(Twist, Twist), Mixed;
        REACTIONS "reactions" Matrix(Bodies, Wrench), Fixed("N, N m");
        LAW_DAMPING "D" Matrix(Speeds, Speeds), Fixed("efforts per speed");
        DAMPING "G" Matrix(Speeds, Speeds), Fixed("efforts per speed");
        STIFFNESS "K" Matrix(Speeds, Speeds), Fixed("efforts per displacement");
        INERTIAL_STIFFNESS "K1" Matrix(Speeds, Speeds), Fixed("efforts per displacement");
        BIAS_STIFFNESS "K2" Matrix(Speeds, Speeds), Fixed("efforts per displacement");
        INERTIAL_INPUT "U1" Matrix(Speeds, Inputs), Fixed("efforts per unit of the input");
        BIAS_INPUT "U2" Matrix(Speeds, Inputs), Fixed("efforts per unit of the input");
        INPUT "U" Matrix(Speeds, Inputs), Fixed("efforts per unit of the input");
        SPEED_DAMPING "B" Matrix(Speeds, Speeds), Fixed("efforts per speed");
        RESIDUAL_EFFORT "r0" Vector(Speeds), BySpeed(units::EFFORT);
        ACCELERATION_BY_COORDINATE "qdd_by_q" Matrix(Speeds, Speeds), Fixed("accelerations per displacement");
        ACCELERATION_BY_SPEED "qdd_by_qd" Matrix(Speeds, Speeds), Fixed("accelerations per speed");
        ACCELERATION_BY_EFFORT "qdd_by_effort" Matrix(Speeds, Speeds), Fixed("accelerations per effort");
        HESSIAN_BY_COORDINATE "Hq" Vector(Speeds), Mixed;
        HESSIAN_BY_SPEED "Hqd" Vector(Speeds), Mixed;
        HESSIAN_BY_THIRD "Hu" Vector(Speeds), Mixed;
        REGRESSOR "Y" Matrix(Speeds, Parameters), Mixed;
        INERTIAL_PARAMETERS "parameters" Vector(Parameters), Mixed;
        // States and events.
        COORDINATES "q" Vector(Coordinates), Mixed;
        SPEEDS "qd" Vector(Speeds), Mixed;
        COORDINATE_RATES "qdot" Vector(Coordinates), Mixed;
        KINEMATIC_MAP "N" Matrix(Coordinates, Speeds), Mixed;
        STATE_RATES "rate" Vector(States), StateRates;
        RECORDED "output" Vector(Outputs), Mixed;
        CONDITIONS "when" Vector(Events), Mixed;
        EVENT_VALUES "value" Vector(Values), Mixed;
        DIFFERENCES "difference" Vector(Switches), Mixed;
        // Constraints.
        RESIDUALS "h" Vector(Constraints), Mixed;
        CONSTRAINT_JACOBIAN "J" Matrix(Constraints, Speeds), Mixed;
        EXPLICIT_RATES "e" Vector(Constraints), Mixed;
        CONSTRAINT_BIAS "b" Vector(Constraints), Mixed;
        COUPLING "B" Matrix(Speeds, Speeds), Mixed;
        COUPLING_OFFSET "offset" Vector(Speeds), BySpeed(units::ACCELERATION);
        REDUCED_MASS "M_r" Matrix(Speeds, Speeds), Fixed("efforts per acceleration");
        REDUCED_BIAS "F_r" Vector(Speeds), BySpeed(units::EFFORT);
        REDUCTION "S" Matrix(Speeds, Speeds), Mixed;
        MULTIPLIERS "lambda" Vector(Constraints), Fixed("by constraint: N along, N m about, N/m for a rod");
        MISSING_EFFORT "missing" Vector(Speeds), BySpeed(units::EFFORT);
        DEMAND "Psi" Vector(Speeds), BySpeed(units::EFFORT);
        ACTUATION "Ga" Matrix(Speeds, Speeds), Fixed("efforts per effort");
        CLOSURE_FORCES "force" Matrix(Cuts, Axes), Fixed("N");
        CLOSURE_TORQUES "torque" Matrix(Cuts, Axes), Fixed("N m");
        TENSIONS "tension" Vector(Rods), Fixed("N");
        // Line forces and wheels.
        LENGTH "length" Scalar, Fixed("m");
        LENGTH_RATE "rate" Scalar, Fixed("m/s");
        PULL "force" Scalar, Fixed("N");
        DEPTH "depth" Scalar, Fixed("m");
        DEPTH_RATE "depth_rate" Scalar, Fixed("m/s");
        CAMBER "camber" Scalar, Fixed("rad");
        SLIP "slip" Scalar, Fixed("1");
        SIDE_SLIP "side_slip" Scalar, Fixed("rad");
        SPIN "spin" Scalar, Fixed("rad/s");
        FORWARD_SPEED "speed" Scalar, Fixed("m/s");
        CONTACT_FORCE "force" Vector(Contact), Fixed("N");
        CONTACT_TORQUE "torque" Vector(Contact), Fixed("N m");
        CONTACT_POINT "point" Vector(Axes), Fixed("m");
        // Kinematics.
        POSITION "position" Vector(Axes), Fixed("m");
        ROTATION "rotation" Matrix(Axes, Axes), Fixed("1");
        VELOCITY "velocity" Vector(Axes), Fixed("m/s");
        ANGULAR_VELOCITY "angular_velocity" Vector(Axes), Fixed("rad/s");
        ACCELERATION "acceleration" Vector(Axes), Fixed("m/s^2");
        ANGULAR_ACCELERATION "angular_acceleration" Vector(Axes), Fixed("rad/s^2");
        JACOBIAN "J" Matrix(Twist, Speeds), Mixed;
        JACOBIAN_RATE "Jd" Matrix(Twist, Speeds), Mixed;
        POSITIONS "positions" Matrix(Terminals, Axes), Fixed("m");
        ROTATIONS "rotations" Matrix(TerminalAxes, Axes), Fixed("1");
        VELOCITIES "velocities" Matrix(Terminals, Axes), Fixed("m/s");
        ANGULAR_VELOCITIES "angular_velocities" Matrix(Terminals, Axes), Fixed("rad/s");
        JACOBIANS "jacobians" Matrix(TerminalTwists, Speeds), Mixed;
        JACOBIAN_RATES "jacobian_rates" Matrix(TerminalTwists, Speeds), Mixed;
        // Mass in motion.
        COM "com" Vector(Axes), Fixed("m");
        COM_VELOCITY "com_velocity" Vector(Axes), Fixed("m/s");
        LINEAR_MOMENTUM "linear" Vector(Axes), Fixed("kg m/s");
        ANGULAR_MOMENTUM "angular" Vector(Axes), Fixed("kg m^2/s");
        KINETIC_ENERGY "kinetic_energy" Scalar, Fixed("J");
        ELASTIC_ENERGY "elastic_energy" Scalar, Fixed("J");
        BODY_KINETIC "kinetic" Vector(Bodies), Fixed("J");
        BODY_POTENTIAL "potential" Vector(Bodies), Fixed("J");
        POTENTIAL_ENERGY "potential_energy" Scalar, Fixed("J");
        POWER "power" Scalar, Fixed("W");
    }
}

macro_rules! functions {
    ($($id:ident { $($field:ident: $value:expr),* $(,)? })*) => {
        /// The kind of a function, one for each row of [`FUNCTIONS`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum FunctionKind {
            $(#[doc = concat!("The row `", stringify!($id), "`.")] $id),*
        }

        /// Every function.
        #[rustfmt::skip]
        pub const FUNCTIONS: &[FunctionRow] =
            &[$(FunctionRow { id: FunctionKind::$id, $($field: $value),* }),*];
    };
}

impl FunctionKind {
    /// Its row.
    pub const fn row(self) -> &'static FunctionRow {
        // The macro makes both in the same order.
        &FUNCTIONS[self as usize]
    }
}

impl fmt::Display for FunctionKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.row().name)
    }
}

functions! {
    // Dynamics.
    Inverse {
        name: "inverse", aliases: &["inverse_dynamics", "id", "rnea"], about: "efforts that make the mechanism move as given, beyond its joint laws",
        takes: &[], inputs: QVA, outputs: &[EFFORT], formalisms: RECURSIVE,
        loops: LeftOut, terms: Efforts { parts: Parts::ALL, less_laws: true }, counted: Always, write: dynamics::inverse,
    }
    Mass {
        name: "mass", aliases: &["mass_matrix", "crba"], about: "mass matrix M",
        takes: &[], inputs: Q, outputs: &[MASS], formalisms: RECURSIVE,
        loops: AsGiven, terms: Mass, counted: UpTo(150), write: dynamics::mass,
    }
    Bias {
        name: "bias", aliases: &["nonlinear_effects", "nle"], about: "c of M qdd + c = Q: Coriolis, centrifugal, gravity and external forces",
        takes: &[], inputs: QV, outputs: &[BIAS], formalisms: RECURSIVE,
        loops: LeftOut, terms: part(Parts::BIAS), counted: Always, write: dynamics::bias,
    }
    MassBias {
        name: "mass_bias", aliases: &[], about: "mass matrix and bias together",
        takes: &[], inputs: QV, outputs: &[MASS, BIAS], formalisms: RECURSIVE,
        loops: LeftOut, terms: Mass, counted: UpTo(150), write: dynamics::mass_bias,
    }
    Forward {
        name: "forward", aliases: &["direct", "forward_dynamics", "fd", "aba"], about: "accelerations under given efforts",
        takes: &[], inputs: QVE, outputs: &[ACCELERATIONS], formalisms: SOLVED,
        loops: ClosedAndSolved, terms: Mass, counted: Always, write: forward::forward,
    }
    Motion {
        name: "motion", aliases: &[], about: "right-hand side of a simulation: coordinates and speeds with all loops closed, and their derivatives",
        takes: &[], inputs: QVE, outputs: &[COORDINATES, SPEEDS, COORDINATE_RATES, ACCELERATIONS, STATE_RATES], formalisms: SOLVED,
        loops: ClosedAndSolved, terms: Mass, counted: NAMED, write: forward::motion,
    }
    InverseMass {
        name: "inverse_mass", aliases: &["inverse_mass_matrix", "minv"], about: "inverse of the mass matrix of the free speeds; rows of driven and locked speeds are zero",
        takes: &[], inputs: Q, outputs: &[INVERSE_MASS], formalisms: RECURSIVE,
        loops: Refused, terms: Mass, counted: UpTo(100), write: forward::inverse_mass,
    }
    Gravity {
        name: "gravity", aliases: &[], about: "gravity part of the bias",
        takes: &[], inputs: Q, outputs: &[GRAVITY], formalisms: RECURSIVE,
        loops: AsGiven, terms: part(Parts::GRAVITY), counted: Always, write: dynamics::gravity,
    }
    Coriolis {
        name: "coriolis", aliases: &[], about: "Coriolis and centrifugal part of the bias, quadratic in the speeds",
        takes: &[], inputs: QV, outputs: &[CORIOLIS], formalisms: RECURSIVE,
        loops: AsGiven, terms: part(Parts::CORIOLIS), counted: Always, write: dynamics::coriolis,
    }
    CoriolisMatrix {
        name: "coriolis_matrix", aliases: &[], about: "C with C qd = coriolis and Mdot - 2 C skew",
        takes: &[], inputs: QV, outputs: &[CORIOLIS_MATRIX], formalisms: RECURSIVE,
        loops: AsGiven, terms: Mass, counted: NAMED, write: dynamics::coriolis_matrix,
    }
    Efforts {
        name: "efforts", aliases: &[], about: "efforts of the joint laws",
        takes: &[], inputs: QV, outputs: &[EFFORT], formalisms: &[NewtonEuler],
        loops: AsGiven, terms: Other, counted: NAMED, write: dynamics::efforts,
    }
    Forces {
        name: "forces", aliases: &[], about: "line forces, wheels and forces as efforts on the coordinates",
        takes: &[], inputs: QV, outputs: &[EFFORT], formalisms: &[NewtonEuler],
        loops: AsGiven, terms: Other, counted: NAMED, write: forces::forces,
    }
    Damping {
        name: "damping", aliases: &[], about: "damping matrix D of all laws: -dQ/dqd of joint laws, line forces, wheels and forces",
        takes: &[], inputs: QV, outputs: &[LAW_DAMPING], formalisms: &[NewtonEuler],
        loops: AsGiven, terms: Other, counted: NAMED, write: elastic::damping,
    }
    Drives {
        name: "drives", aliases: &[], about: "efforts that driven and locked joints need beyond their laws; zero for free joints",
        takes: &[], inputs: QVE, outputs: &[EFFORT], formalisms: SOLVED,
        loops: ClosedAndSolved, terms: Mass, counted: NAMED, write: forward::drives,
    }
    Reactions {
        name: "reactions", aliases: &[], about: "force and torque that each joint transmits, in the body's axes at its origin",
        takes: &[], inputs: QVA, outputs: &[REACTIONS], formalisms: &[NewtonEuler],
        loops: Refused, terms: Other, counted: NAMED, write: dynamics::reactions,
    }
    OperationalInertia {
        name: "operational_inertia", aliases: &[], about: "operational-space inertia at a point, linear above angular: J M^-1 J' and, if six free speeds or more move it, its inverse",
        takes: &[Takes::Place], inputs: Q, outputs: &[INERTIA, INVERSE_INERTIA], formalisms: RECURSIVE,
        loops: Refused, terms: Mass, counted: NAMED, write: forward::operational_inertia,
    }
    // Linearisation.
    Linear {
        name: "linear", aliases: &[], about: "linearised equations of the open tree: M Dqdd + B Dqd + K Dq + U Du + r0 = 0",
        takes: &[], inputs: QVAE, outputs: LINEAR, formalisms: RECURSIVE,
        loops: LeftOut, terms: Other, counted: NAMED, write: linear::tree,
    }
    LinearPermanent {
        name: "linear_permanent", aliases: &[], about: "the same of the independent speeds, with all permanent constraints; also `linear(permanent)`",
        takes: &[], inputs: QVAE, outputs: LINEAR, formalisms: RECURSIVE,
        loops: Closed, terms: Other, counted: NAMED, write: linear::permanent,
    }
    LinearIntermittent {
        name: "linear_intermittent", aliases: &[], about: "the same with intermittent constraints engaged, all or those named; also `linear(intermittent)`",
        takes: &[Takes::Engaged], inputs: QVAE, outputs: LINEAR, formalisms: RECURSIVE,
        loops: Closed, terms: Other, counted: NAMED, write: linear::intermittent,
    }
    LinearAll {
        name: "linear_all", aliases: &[], about: "all three in one program, with derivatives taken once; also `linear(all)`",
        takes: &[Takes::Engaged], inputs: QVAE, outputs: LINEAR_ALL, formalisms: RECURSIVE,
        loops: Closed, terms: Other, counted: NAMED, write: linear::all,
    }
    // Forces of elements.
    LineForce {
        name: "line_force", aliases: &["link"], about: "length, rate and force of a line force",
        takes: &[Takes::LineForce], inputs: QV, outputs: &[LENGTH, LENGTH_RATE, PULL], formalisms: &[NewtonEuler],
        loops: AsGiven, terms: Other, counted: NAMED, write: forces::line_force,
    }
    Wheel {
        name: "wheel", aliases: &[], about: "contact of a wheel: penetration, slips, forces along forward, left and normal, contact point",
        takes: &[Takes::Wheel], inputs: QV, outputs: &[DEPTH, DEPTH_RATE, CAMBER, SLIP, SIDE_SLIP, SPIN, FORWARD_SPEED, CONTACT_FORCE, CONTACT_TORQUE, CONTACT_POINT], formalisms: &[NewtonEuler],
        loops: AsGiven, terms: Other, counted: NAMED, write: forces::wheel,
    }
    // Kinematics.
    Position {
        name: "position", aliases: &[], about: "position of a place",
        takes: AT, inputs: Q, outputs: &[POSITION], formalisms: CHAINS,
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::position,
    }
    Rotation {
        name: "rotation", aliases: &[], about: "rotation matrix of a place",
        takes: AT, inputs: Q, outputs: &[ROTATION], formalisms: CHAINS,
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::rotation,
    }
    Velocity {
        name: "velocity", aliases: &[], about: "velocity of a place",
        takes: AT, inputs: QV, outputs: &[VELOCITY], formalisms: CHAINS,
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::velocity,
    }
    AngularVelocity {
        name: "angular_velocity", aliases: &[], about: "angular velocity of a place",
        takes: AT, inputs: QV, outputs: &[ANGULAR_VELOCITY], formalisms: CHAINS,
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::angular_velocity,
    }
    Acceleration {
        name: "acceleration", aliases: &[], about: "acceleration of a place",
        takes: AT, inputs: QVA, outputs: &[ACCELERATION], formalisms: CHAINS,
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::acceleration,
    }
    AngularAcceleration {
        name: "angular_acceleration", aliases: &[], about: "angular acceleration of a place",
        takes: AT, inputs: QVA, outputs: &[ANGULAR_ACCELERATION], formalisms: CHAINS,
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::angular_acceleration,
    }
    Kinematics {
        name: "kinematics", aliases: &["forward_kinematics", "fk"], about: "position, rotation, velocities and accelerations of a place",
        takes: AT, inputs: QVA, outputs: &[POSITION, ROTATION, VELOCITY, ANGULAR_VELOCITY, ACCELERATION, ANGULAR_ACCELERATION], formalisms: CHAINS,
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::all,
    }
    Jacobian {
        name: "jacobian", aliases: &[], about: "Jacobian of a place: linear above angular velocity",
        takes: AT, inputs: Q, outputs: &[JACOBIAN], formalisms: &[Outward, Mixed],
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::jacobian,
    }
    JacobianRate {
        name: "jacobian_rate", aliases: &[], about: "time derivative of the Jacobian of a place",
        takes: AT, inputs: QV, outputs: &[JACOBIAN_RATE], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::jacobian_rate,
    }
    Terminals {
        name: "terminals", aliases: &[], about: "kinematics of all terminal frames: points of bodies that carry no others",
        takes: &[], inputs: QV, outputs: &[POSITIONS, ROTATIONS, VELOCITIES, ANGULAR_VELOCITIES, JACOBIANS, JACOBIAN_RATES], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::terminals::function,
    }
    Sensor {
        name: "sensor", aliases: &[], about: "measured quantities of a sensor",
        takes: &[Takes::Sensor], inputs: QVA, outputs: &[POSITION, ROTATION, VELOCITY, ANGULAR_VELOCITY, ACCELERATION, ANGULAR_ACCELERATION, JACOBIAN], formalisms: &[Outward, Inward, Mixed],
        loops: AsGiven, terms: Other, counted: NAMED, write: kinematics::sensor,
    }
    // Mass in motion.
    Com {
        name: "com", aliases: &["center_of_mass", "centre_of_mass"], about: "centre of mass of the whole mechanism",
        takes: &[], inputs: Q, outputs: &[COM], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: energy::com,
    }
    ComVelocity {
        name: "com_velocity", aliases: &[], about: "velocity of the centre of mass",
        takes: &[], inputs: QV, outputs: &[COM_VELOCITY], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: energy::com_velocity,
    }
    Momentum {
        name: "momentum", aliases: &[], about: "momentum, and angular momentum about the centre of mass",
        takes: &[], inputs: QV, outputs: &[LINEAR_MOMENTUM, ANGULAR_MOMENTUM], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: energy::momentum,
    }
    KineticEnergy {
        name: "kinetic_energy", aliases: &[], about: "kinetic energy, drives included",
        takes: &[], inputs: QV, outputs: &[KINETIC_ENERGY], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: Always, write: energy::kinetic,
    }
    PotentialEnergy {
        name: "potential_energy", aliases: &[], about: "gravitational potential energy",
        takes: &[], inputs: Q, outputs: &[POTENTIAL_ENERGY], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: Always, write: energy::potential,
    }
    ElasticEnergy {
        name: "elastic_energy", aliases: &[], about: "potential energy of line forces, joint laws and tyres that depend on their own displacement alone",
        takes: &[], inputs: Q, outputs: &[ELASTIC_ENERGY], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: elastic::energy,
    }
    BodyEnergies {
        name: "body_energies", aliases: &[], about: "kinetic and gravitational potential energy of each body, drives included",
        takes: &[], inputs: QV, outputs: &[BODY_KINETIC, BODY_POTENTIAL], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: energy::of_bodies,
    }
    Power {
        name: "power", aliases: &[], about: "power of efforts, laws, line forces, wheels and forces",
        takes: &[], inputs: QVE, outputs: &[POWER], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: energy::power,
    }
    // Coordinates, states and events.
    Rates {
        name: "rates", aliases: &[], about: "time derivative of the coordinates, N(q) qd",
        takes: &[], inputs: QV, outputs: &[COORDINATE_RATES], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: map::rates,
    }
    KinematicMap {
        name: "kinematic_map", aliases: &[], about: "N(q), from speeds to derivatives of the coordinates",
        takes: &[], inputs: Q, outputs: &[KINEMATIC_MAP], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: map::matrix,
    }
    States {
        name: "states", aliases: &[], about: "rates of the states besides coordinates and speeds",
        takes: &[], inputs: QV, outputs: &[STATE_RATES], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: states::function,
    }
    Outputs {
        name: "outputs", aliases: &[], about: "outputs of the model",
        takes: &[], inputs: QVA, outputs: &[RECORDED], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: states::outputs,
    }
    Events {
        name: "events", aliases: &[], about: "conditions of the events, and the numbers that their actions use",
        takes: &[], inputs: QV, outputs: &[CONDITIONS, EVENT_VALUES], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: states::events,
    }
    Switches {
        name: "switches", aliases: &[], about: "switching functions: differences of the sides of comparisons in laws, zero where a law switches; conditions on time alone are left out",
        takes: &[], inputs: QV, outputs: &[DIFFERENCES], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: switches::function,
    }
    // Constraints.
    Constraints {
        name: "constraints", aliases: &[], about: "h, J, e and b of the constraints: h = 0, J qd + e = 0, J qdd + b = 0",
        takes: &[], inputs: QV, outputs: &[RESIDUALS, CONSTRAINT_JACOBIAN, EXPLICIT_RATES, CONSTRAINT_BIAS], formalisms: ANY,
        loops: AsGiven, terms: Other, counted: NAMED, write: constraint::function,
    }
    ClosedInverse {
        name: "closed_inverse", aliases: &[], about: "efforts of drives that make the closed mechanism move as given, and the missing efforts if the drives are too few; without `actuated` joints, independent joints have drives",
        takes: &[], inputs: QVA, outputs: &[EFFORT, MISSING_EFFORT], formalisms: RECURSIVE,
        loops: Closed, terms: Other, counted: NAMED, write: constraint::reduced::inverse,
    }
    Actuation {
        name: "actuation", aliases: &[], about: "Psi and Ga of Psi = Ga Q: generalised forces of the independent coordinates, and the contribution of each drive",
        takes: &[], inputs: QVA, outputs: &[DEMAND, ACTUATION], formalisms: RECURSIVE,
        loops: Closed, terms: Other, counted: NAMED, write: constraint::reduced::actuation,
    }
    Reduction {
        name: "reduction", aliases: &[], about: "S with qd = S qd_u: all speeds as functions of the independent speeds",
        takes: &[], inputs: Q, outputs: &[REDUCTION], formalisms: ANY,
        loops: Closed, terms: Other, counted: NAMED, write: constraint::reduced::reduction,
    }
    Coupling {
        name: "coupling", aliases: &[], about: "B and the offset b' of qdd_v = B qdd_u + b': dependent speeds and accelerations from independent ones",
        takes: &[], inputs: QV, outputs: &[COUPLING, COUPLING_OFFSET], formalisms: ANY,
        loops: Closed, terms: Other, counted: NAMED, write: constraint::reduced::coupling,
    }
    ReducedMassBias {
        name: "reduced_mass_bias", aliases: &[], about: "M_r and F_r of M_r qdd + F_r = S' Q: the equations of the free independent speeds, joint laws included",
        takes: &[], inputs: QV, outputs: &[REDUCED_MASS, REDUCED_BIAS], formalisms: RECURSIVE,
        loops: Closed, terms: Other, counted: NAMED, write: constraint::reduced::mass_bias,
    }
    AllCoordinates {
        name: "all_coordinates", aliases: &[], about: "M, c and Q of the open tree with h, J, e and b of the constraints: M qdd + c = Q + J' lambda",
        takes: &[], inputs: QVE, outputs: &[MASS, BIAS, APPLIED, RESIDUALS, CONSTRAINT_JACOBIAN, EXPLICIT_RATES, CONSTRAINT_BIAS], formalisms: RECURSIVE,
        loops: AsGiven, terms: Other, counted: NAMED, write: constraint::reduced::all_coordinates,
    }
    Closure {
        name: "closure", aliases: &[], about: "coordinates and speeds with all loops closed: dependent ones follow from independent ones",
        takes: &[], inputs: QV, outputs: &[COORDINATES, SPEEDS], formalisms: ANY,
        loops: Closed, terms: Other, counted: NAMED, write: constraint::closure,
    }
    Multipliers {
        name: "multipliers", aliases: &[], about: "forces of the constraints: M qdd + c = Q + J' lambda",
        takes: &[], inputs: QVE, outputs: &[MULTIPLIERS], formalisms: RECURSIVE,
        loops: ClosedAndSolved, terms: Other, counted: NAMED, write: constraint::multipliers,
    }
    Augmented {
        name: "augmented", aliases: &[], about: "accelerations of all coordinates and multipliers at any state, open or closed, with Baumgarte stabilisation by the gains of `baumgarte`",
        takes: &[], inputs: QVE, outputs: &[ACCELERATIONS, MULTIPLIERS], formalisms: RECURSIVE,
        loops: AsGiven, terms: Other, counted: NAMED, write: constraint::augmented::augmented,
    }
    ClosureReactions {
        name: "closure_reactions", aliases: &["cut_reactions"], about: "force and torque of each loop closure on its first body, at the closure and in the axes of its first place; tension of rods",
        takes: &[], inputs: QVE, outputs: &[CLOSURE_FORCES, CLOSURE_TORQUES, TENSIONS], formalisms: RECURSIVE,
        loops: ClosedAndSolved, terms: Other, counted: NAMED, write: constraint::reactions::cuts,
    }
    ClosedReactions {
        name: "closed_reactions", aliases: &[], about: "force and torque that each joint of the closed mechanism transmits, in the body's axes at its origin",
        takes: &[], inputs: QVE, outputs: &[REACTIONS], formalisms: RECURSIVE,
        loops: ClosedAndSolved, terms: Other, counted: NAMED, write: constraint::reactions::joints,
    }
    // Derivatives and parameters.
    Derivative {
        name: "derivative", aliases: &[], about: "derivative of a function by q, qd, qdd, effort, state, input, t, a parameter or input, or several in brackets",
        takes: &[Takes::Function, Takes::By], inputs: QVA, outputs: &[], formalisms: &[NewtonEuler],
        loops: AsGiven, terms: Other, counted: NAMED, write: derivative::derivative,
    }
    HessianVector {
        name: "hessian_vector", aliases: &[], about: "H d of the Hessian H of weighted rows of inverse or forward dynamics, by q, qd and qdd or effort",
        takes: &[Takes::Function], inputs: QVA, outputs: &[HESSIAN_BY_COORDINATE, HESSIAN_BY_SPEED, HESSIAN_BY_THIRD], formalisms: &[NewtonEuler],
        loops: AsGiven, terms: Other, counted: NAMED, write: derivative::second::hessian_vector,
    }
    Tangent {
        name: "tangent", aliases: &[], about: "M, G and K: inverse dynamics by qdd, qd and q",
        takes: &[], inputs: QVA, outputs: &[MASS, DAMPING, STIFFNESS], formalisms: RECURSIVE,
        loops: LeftOut, terms: Mass, counted: UpTo(100), write: derivative::tangent,
    }
    ForwardTangent {
        name: "forward_tangent", aliases: &["direct_tangent"], about: "forward dynamics by q, qd and effort, the last being the inverse of the mass matrix",
        takes: &[], inputs: QVE, outputs: &[ACCELERATION_BY_COORDINATE, ACCELERATION_BY_SPEED, ACCELERATION_BY_EFFORT], formalisms: RECURSIVE,
        loops: ClosedAndSolved, terms: Mass, counted: NAMED, write: derivative::forward_tangent,
    }
    Regressor {
        name: "regressor", aliases: &[], about: "Y of inverse = Y parameters",
        takes: &[], inputs: QVA, outputs: &[REGRESSOR], formalisms: &[NewtonEuler],
        loops: AsGiven, terms: Other, counted: NAMED, write: regressor::regressor,
    }
    Parameters {
        name: "parameters", aliases: &[], about: "inertial parameters that the regressor multiplies",
        takes: &[], inputs: &[], outputs: &[INERTIAL_PARAMETERS], formalisms: &[NewtonEuler],
        loops: AsGiven, terms: Other, counted: NAMED, write: regressor::parameters,
    }
}
