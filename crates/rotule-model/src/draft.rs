//! A mechanism as it is written: what every reader makes and the writer takes.
//!
//! A draft has the words of the model file and nothing else: names are not looked up, expressions
//! not read, nothing is checked. [`crate::resolve`] makes a mechanism of it. Because all formats
//! become drafts, all get the same checks and the same messages.

mod places;

use crate::source::{Span, Spanned};

/// A name or another text, with its place.
pub type Text = Spanned<String>;

/// A number as written: a literal or an expression.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A literal. An integer is exact.
    Number(f64),
    /// An expression, or a number and its unit.
    Expression(String),
}

/// A number with its place. The place of an expression is that of its text, without quotes where
/// the text stands in the file as it is.
pub type Scalar = Spanned<Value>;

/// Three numbers.
pub type Triple = [Scalar; 3];

/// A whole file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// Where the file is called something; for findings about the whole.
    pub span: Span,
    /// The model's name.
    pub name: Option<Text>,
    /// A sentence about the model.
    pub about: Option<Text>,
    /// The direction and size of gravity.
    pub gravity: Option<Triple>,
    /// Gains alpha and beta that pull the augmented equations back to the constraints.
    pub baumgarte: Option<[Scalar; 2]>,
    /// Codes of warnings that the author knows about and accepts.
    pub accept: Vec<Spanned<&'static str>>,
    /// The treatment of constraints that repeat others.
    pub redundant: Option<Spanned<Redundant>>,
    /// Parameters and abbreviations.
    pub parameters: Vec<Parameter>,
    /// Declared foreign functions.
    pub externals: Vec<External>,
    /// Points fixed to the ground.
    pub ground: Vec<Point>,
    /// Bodies.
    pub bodies: Vec<Body>,
    /// Joints written apart from bodies.
    pub joints: Vec<LooseJoint>,
    /// Joints of another file that this one says more of, such as a law.
    pub completed: Vec<Joint>,
    /// Closures of loops.
    pub cuts: Vec<Cut>,
    /// Linear relations between coordinates.
    pub couplings: Vec<Coupling>,
    /// Given motions of joints.
    pub motions: Vec<Motion>,
    /// The user's own constraints.
    pub constraints: Vec<Constraint>,
    /// Forces along lines between two places.
    pub line_forces: Vec<LineForce>,
    /// Forces at places.
    pub forces: Vec<Force>,
    /// Wheels on a ground.
    pub wheels: Vec<Wheel>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// States besides coordinates and speeds.
    pub states: Vec<UserState>,
    /// Events: actions when a condition passes zero.
    pub events: Vec<Event>,
    /// Initial coordinates, by joint.
    pub initial_q: Vec<Initial>,
    /// Initial speeds, by joint.
    pub initial_qd: Vec<Initial>,
}

/// A parameter, or an abbreviation if its value is an expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: Text,
    /// Its number or expression.
    pub value: Scalar,
    /// The unit of its number; none is SI.
    pub unit: Option<Text>,
    /// A sentence about it.
    pub about: Option<Text>,
}

/// A declared foreign function.
#[derive(Clone, Debug, PartialEq)]
pub struct External {
    /// Its name.
    pub name: Text,
    /// Names of its arguments; their number counts.
    pub arguments: Vec<Text>,
    /// Number of results that it gives.
    pub results: Spanned<u32>,
}

/// A point of a body, with axes of its own if it has a rotation.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: Text,
    /// Where it is in the body's frame.
    pub position: Triple,
    /// The rotation of its axes in the body's frame.
    pub rotation: Option<Rotation>,
}

/// A rotation as written; see the manual for what each form means.
#[derive(Clone, Debug, PartialEq)]
pub enum Rotation {
    /// Turns about the fixed axes x, y, z in turn.
    Rpy(Triple),
    /// A quaternion, w first.
    Quaternion([Scalar; 4]),
    /// A matrix by rows.
    Matrix([Triple; 3]),
    /// One turn about an axis.
    Turn {
        /// The axis.
        axis: Axis,
        /// The angle.
        angle: Scalar,
    },
}

/// A direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its place.
    pub span: Span,
    /// Its components, not normalised.
    pub components: Triple,
}

/// The words for axes, with the components they stand for.
pub const AXES: [([f64; 3], &str); 6] = [
    ([1.0, 0.0, 0.0], "x"),
    ([0.0, 1.0, 0.0], "y"),
    ([0.0, 0.0, 1.0], "z"),
    ([-1.0, 0.0, 0.0], "-x"),
    ([0.0, -1.0, 0.0], "-y"),
    ([0.0, 0.0, -1.0], "-z"),
];

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name.
    pub name: Text,
    /// The place it is attached to by its joints, `body` or `body.point`.
    pub parent: Option<Text>,
    /// The joint's frame relative to the parent's place.
    pub position: Option<Triple>,
    /// The joint's axes relative to the parent's place.
    pub rotation: Option<Rotation>,
    /// The joints between parent and body in a chain; none means fixed.
    pub joints: Vec<Joint>,
    /// Mass.
    pub mass: Option<Scalar>,
    /// Centre of mass.
    pub com: Option<Triple>,
    /// Inertia about the centre of mass.
    pub inertia: Option<Inertia>,
    /// Points.
    pub points: Vec<Point>,
}

impl Body {
    /// A body of which only the name is known.
    pub fn named(name: Text) -> Body {
        Body {
            name,
            parent: None,
            position: None,
            rotation: None,
            joints: Vec::new(),
            mass: None,
            com: None,
            inertia: None,
            points: Vec::new(),
        }
    }
}

/// Entries of an inertia matrix about the centre of mass.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inertia {
    /// Its place.
    pub span: Span,
    /// The entries xx, yy, zz, xy, xz, yz; what is not given is zero.
    pub entries: [Option<Scalar>; 6],
    /// The axes in which the entries are meant, if not the body's.
    pub rotation: Option<Rotation>,
}

/// The names of [`Inertia::entries`], in their order.
pub const INERTIA_ENTRIES: [&str; 6] = ["xx", "yy", "zz", "xy", "xz", "yz"];

/// The types of joints. Matches name every type, so that the compiler lists what a new one needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointType {
    /// No motion.
    Fixed,
    /// A turn about an axis.
    Revolute,
    /// A slide along an axis.
    Prismatic,
    /// A screw: slide in proportion to the turn.
    Helical,
    /// A turn about and a slide along one axis.
    Cylindrical,
    /// Two turns about crossing axes.
    Universal,
    /// Any turn.
    Spherical,
    /// Two slides in a plane and a turn about its normal.
    Planar,
    /// Any motion.
    Free,
}

impl JointType {
    /// Every type with its word in files, in the order of the manual.
    pub const ALL: [(JointType, &'static str); 9] = [
        (JointType::Fixed, "fixed"),
        (JointType::Revolute, "revolute"),
        (JointType::Prismatic, "prismatic"),
        (JointType::Helical, "helical"),
        (JointType::Cylindrical, "cylindrical"),
        (JointType::Universal, "universal"),
        (JointType::Spherical, "spherical"),
        (JointType::Planar, "planar"),
        (JointType::Free, "free"),
    ];

    /// The word in files.
    pub fn word(self) -> &'static str {
        JointType::ALL.iter().find(|(kind, _)| *kind == self).expect("ALL is complete").1
    }

    /// Number of axes that the joint needs.
    pub fn axes(self) -> usize {
        match self {
            JointType::Fixed | JointType::Spherical | JointType::Free => 0,
            JointType::Revolute
            | JointType::Prismatic
            | JointType::Helical
            | JointType::Cylindrical
            | JointType::Planar => 1,
            JointType::Universal => 2,
        }
    }

    /// Degrees of freedom, which is the number of speeds.
    pub fn speeds(self) -> usize {
        match self {
            JointType::Fixed => 0,
            JointType::Revolute | JointType::Prismatic | JointType::Helical => 1,
            JointType::Cylindrical | JointType::Universal => 2,
            JointType::Spherical | JointType::Planar => 3,
            JointType::Free => 6,
        }
    }

    /// True if the joint, taken from its second body to its first, has the same coordinates about
    /// axes of opposite sign.
    pub fn reverses_by_sign(self) -> bool {
        match self {
            JointType::Fixed
            | JointType::Revolute
            | JointType::Prismatic
            | JointType::Helical
            | JointType::Cylindrical => true,
            JointType::Universal | JointType::Spherical | JointType::Planar | JointType::Free => {
                false
            }
        }
    }

    /// The dimension of each speed: the rate of a length or an angle.
    pub fn along(self) -> &'static [Along] {
        use Along::{Angle, Length};
        match self {
            JointType::Fixed => &[],
            JointType::Revolute | JointType::Helical => &[Angle],
            JointType::Prismatic => &[Length],
            JointType::Cylindrical => &[Angle, Length],
            JointType::Universal => &[Angle, Angle],
            JointType::Spherical => &[Angle, Angle, Angle],
            JointType::Planar => &[Length, Length, Angle],
            JointType::Free => &[Length, Length, Length, Angle, Angle, Angle],
        }
    }

    /// The number of coordinates: one more than speeds where there is a quaternion.
    pub fn coordinates(self) -> usize {
        self.speeds() + usize::from(matches!(self, JointType::Spherical | JointType::Free))
    }
}

/// The motion along one degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// A translation.
    Length,
    /// A rotation.
    Angle,
}

/// A joint, in a body or apart.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its place.
    pub span: Span,
    /// Its name; a fixed joint may have none.
    pub name: Option<Text>,
    /// Its type.
    pub kind: Spanned<JointType>,
    /// Its axes, as many as the type needs.
    pub axes: Vec<Axis>,
    /// Slide per turn of a helical joint, in metres per radian.
    pub pitch: Option<Scalar>,
    /// The law of its efforts, one per speed.
    pub effort: Option<Spanned<Vec<Scalar>>>,
    /// `true` if it is locked at its initial value.
    pub locked: bool,
    /// Its requested role in the partition of coordinates.
    pub partition: Option<Spanned<PartitionRole>>,
    /// `true` if a drive acts on it.
    pub actuated: bool,
    /// The weight of the square of its drive's effort where drives share the work.
    pub actuation_weight: Option<Scalar>,
    /// Inertia of the drive seen at the joint.
    pub armature: Option<Scalar>,
    /// Lower and upper limit of the coordinate.
    pub range: Option<[Scalar; 2]>,
    /// Largest speed.
    pub max_speed: Option<Scalar>,
    /// Largest effort.
    pub max_effort: Option<Scalar>,
    /// Restitution at the ends of the range, if they are stops.
    pub stop: Option<Scalar>,
}

impl Joint {
    /// A free joint of a type without anything else.
    pub fn new(span: Span, name: Option<Text>, kind: Spanned<JointType>) -> Joint {
        Joint {
            span,
            name,
            kind,
            axes: Vec::new(),
            pitch: None,
            effort: None,
            locked: false,
            partition: None,
            actuated: false,
            actuation_weight: None,
            armature: None,
            range: None,
            max_speed: None,
            max_effort: None,
            stop: None,
        }
    }
}

/// The treatment of constraints that say what others say already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Redundant {
    /// They are set aside, and told.
    #[default]
    SetAside,
    /// The model is refused.
    Refuse,
}

impl Redundant {
    /// Every choice with its word in files.
    pub const ALL: [(Redundant, &'static str); 2] =
        [(Redundant::SetAside, "set_aside"), (Redundant::Refuse, "refuse")];
}

/// The requested role of a joint's coordinates in the partition of a loop's coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartitionRole {
    /// Keep as an independent coordinate.
    Independent,
    /// Compute from the others.
    Dependent,
}

impl PartitionRole {
    /// Every role with its word in files.
    pub const ALL: [(PartitionRole, &'static str); 2] =
        [(PartitionRole::Independent, "independent"), (PartitionRole::Dependent, "dependent")];
}

/// A joint between two places, for which the spanning tree decides whether it is cut.
#[derive(Clone, Debug, PartialEq)]
pub struct LooseJoint {
    /// The joint.
    pub joint: Joint,
    /// The places it connects; the coordinates are the second's motion relative to the first.
    pub between: [Text; 2],
}

/// A closure of a loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// Its place.
    pub span: Span,
    /// Its name.
    pub name: Text,
    /// The requirement on the two places.
    pub kind: CutType,
    /// The two places.
    pub between: [Text; 2],
    /// Components that are left out.
    pub ignore: Vec<Spanned<Component>>,
}

/// The requirement of a loop closure on its two places.
#[derive(Clone, Debug, PartialEq)]
pub enum CutType {
    /// A given distance.
    Rod {
        /// The distance.
        length: Scalar,
    },
    /// The directions that a joint of this type leaves fixed. A body cut is a fixed joint, a ball
    /// cut a spherical one.
    Joint {
        /// The type.
        kind: Spanned<JointType>,
        /// Its axes.
        axes: Vec<Axis>,
        /// Slide per turn of a helical joint.
        pitch: Option<Scalar>,
    },
}

/// A component of a closure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Component {
    /// Displacement along x.
    X,
    /// Displacement along y.
    Y,
    /// Displacement along z.
    Z,
    /// Rotation about x.
    Rx,
    /// Rotation about y.
    Ry,
    /// Rotation about z.
    Rz,
}

impl Component {
    /// Every component with its word in files.
    pub const ALL: [(Component, &'static str); 6] = [
        (Component::X, "x"),
        (Component::Y, "y"),
        (Component::Z, "z"),
        (Component::Rx, "rx"),
        (Component::Ry, "ry"),
        (Component::Rz, "rz"),
    ];
}

/// A linear relation between coordinates, such as `q2 = -3*q1 + 0.1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Its name.
    pub name: Text,
    /// The equation; its sides are separated by `=`.
    pub equation: Text,
}

/// A given motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// The joint.
    pub joint: Text,
    /// Coordinates as expressions of time.
    pub q: Spanned<Vec<Scalar>>,
    /// Speeds, if they are not to be differentiated.
    pub qd: Option<Spanned<Vec<Scalar>>>,
    /// Accelerations, if they are not to be differentiated.
    pub qdd: Option<Spanned<Vec<Scalar>>>,
}

/// A constraint of the user's own: the expression is zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Its name.
    pub name: Text,
    /// Of coordinates and time, or linear in the speeds.
    pub level: Level,
    /// The expression.
    pub expression: Scalar,
}

/// The level of a constraint: the quantities that it relates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Coordinates.
    Position,
    /// Speeds.
    Velocity,
}

/// A force along the line between two places.
#[derive(Clone, Debug, PartialEq)]
pub struct LineForce {
    /// Its name.
    pub name: Text,
    /// The two places.
    pub between: [Text; 2],
    /// The law; positive pulls the ends together.
    pub force: Scalar,
}

/// A force and a torque at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Its name.
    pub name: Text,
    /// The place.
    pub at: Text,
    /// The force; none is zero.
    pub force: Option<Triple>,
    /// The torque; none is zero.
    pub torque: Option<Triple>,
    /// `true` if the components are along the axes of the place instead of the ground's.
    pub body_axes: bool,
}

/// A wheel on the ground.
#[derive(Clone, Debug, PartialEq)]
pub struct Wheel {
    /// Its name.
    pub name: Text,
    /// The body that is the wheel.
    pub body: Text,
    /// The axle, if it is not the axis of the body's joint.
    pub axle: Option<Axis>,
    /// Radius of the unloaded wheel.
    pub radius: Scalar,
    /// Height of the ground as an expression of `x`, `y`, `t`.
    pub ground: Option<Scalar>,
    /// `true` if it rolls without slipping instead of having laws.
    pub rolling: bool,
    /// The laws, in the order of [`WHEEL_LAWS`].
    pub laws: [Option<Scalar>; 6],
}

/// The names of [`Wheel::laws`], in their order.
pub const WHEEL_LAWS: [&str; 6] = ["vertical", "longitudinal", "lateral", "roll", "pitch", "yaw"];

/// A sensor at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Its name.
    pub name: Text,
    /// The place.
    pub at: Text,
    /// Its measures.
    pub measures: Vec<Spanned<Measure>>,
    /// The body relative to which it measures; none is the ground.
    pub relative_to: Option<Text>,
}

/// Measures of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Position.
    Position,
    /// Rotation matrix.
    Rotation,
    /// Velocity.
    Velocity,
    /// Angular velocity.
    AngularVelocity,
    /// Acceleration.
    Acceleration,
    /// Angular acceleration.
    AngularAcceleration,
    /// Jacobian of position and orientation.
    Jacobian,
}

impl Measure {
    /// Every measure with its word in files.
    pub const ALL: [(Measure, &'static str); 7] = [
        (Measure::Position, "position"),
        (Measure::Rotation, "rotation"),
        (Measure::Velocity, "velocity"),
        (Measure::AngularVelocity, "angular_velocity"),
        (Measure::Acceleration, "acceleration"),
        (Measure::AngularAcceleration, "angular_acceleration"),
        (Measure::Jacobian, "jacobian"),
    ];
}

/// A state of the user's own, such as a current or a controller's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct UserState {
    /// Its name.
    pub name: Text,
    /// Its initial value; none is zero.
    pub initial: Option<Scalar>,
    /// Its time derivative, in SI.
    pub rate: Scalar,
    /// The unit of its initial value; none is SI.
    pub unit: Option<Text>,
    /// A sentence about it.
    pub about: Option<Text>,
}

/// An event: actions when a condition passes zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its name.
    pub name: Text,
    /// The condition.
    pub when: Scalar,
    /// The direction in which it must pass zero; none is both.
    pub direction: Option<Spanned<Crossing>>,
    /// New values of coordinates, speeds and states.
    pub set: Vec<Setting>,
    /// An impulse that reverses a speed.
    pub impact: Option<Impact>,
    /// Joints that are held from now on.
    pub lock: Vec<Text>,
    /// Joints that are free from now on.
    pub unlock: Vec<Text>,
    /// `true` if the simulation ends.
    pub end: bool,
    /// The message to print.
    pub message: Option<Text>,
}

/// A new value.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// A coordinate, a speed or a state.
    pub target: Text,
    /// Its value, of what holds before.
    pub value: Scalar,
}

/// An impulse along the coordinate of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// The joint.
    pub joint: Text,
    /// Speed after over speed before, both along the coordinate.
    pub restitution: Scalar,
}

/// The direction in which a condition passes zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Crossing {
    /// From positive to negative.
    Falling,
    /// From negative to positive.
    Rising,
    /// Either way.
    Both,
}

impl Crossing {
    /// Every way with its word in files.
    pub const ALL: [(Crossing, &'static str); 3] =
        [(Crossing::Falling, "falling"), (Crossing::Rising, "rising"), (Crossing::Both, "both")];
}

/// Initial coordinates or speeds of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Initial {
    /// The joint.
    pub joint: Text,
    /// The values.
    pub values: Spanned<Vec<Scalar>>,
}
