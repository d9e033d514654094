//! A mechanism as it is written: what every reader makes and the writer takes.
//!
//! A draft has the words of the model file and nothing else: names are not looked up, expressions
//! not read, nothing is checked. [`crate::resolve`] makes a mechanism of it. Because all formats
//! become drafts, all get the same checks and the same messages.

mod places;
mod shapes;

pub use crate::joint::{Along, JointType};
pub use shapes::{BodyShape, FROM_SHAPES, Form, InertiaOf};

use crate::diagnostic::DiagnosticCode;
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
pub type DraftValue = Spanned<Value>;

/// Three numbers.
pub type Triple = [DraftValue; 3];

/// The content of a model file, or a model under construction: see [`build`](crate::build).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// The place of the model's name in its file, for messages about the whole.
    pub span: Span,
    /// The model's name.
    pub name: Option<Text>,
    /// A sentence about the model.
    pub about: Option<Text>,
    /// The direction and size of gravity.
    pub gravity: Option<Triple>,
    /// Gains alpha and beta that pull the augmented equations back to the constraints.
    pub baumgarte: Option<[DraftValue; 2]>,
    /// Codes of warnings that the author knows about and accepts.
    pub accept: Vec<Spanned<DiagnosticCode>>,
    /// The treatment of constraints that repeat others.
    pub redundant: Option<Spanned<Redundant>>,
    /// Parameters and abbreviations.
    pub parameters: Vec<Parameter>,
    /// Declared foreign functions.
    pub externals: Vec<External>,
    /// Points fixed to the ground.
    pub ground: Vec<Point>,
    /// Shapes fixed to the ground.
    pub ground_shapes: Vec<BodyShape>,
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
    /// Inputs: numbers that come from outside.
    pub inputs: Vec<UserInput>,
    /// Outputs.
    pub outputs: Vec<UserOutput>,
    /// Controllers.
    pub controllers: Vec<Controller>,
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
    /// Its number or expression; none if it is to be given later.
    pub value: Option<DraftValue>,
    /// The unit of its number; none is SI.
    pub unit: Option<Text>,
    /// A sentence about it.
    pub about: Option<Text>,
}

/// The beginning of the description of a parameter or state of a user model of ROBOTRAN; its place
/// there follows, such as `Tyre.k`.
pub const USER_MODEL: &str = "user model ";

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
    Quaternion([DraftValue; 4]),
    /// A matrix by rows.
    Matrix([Triple; 3]),
    /// One turn about an axis.
    Turn {
        /// The axis.
        axis: Axis,
        /// The angle.
        angle: DraftValue,
    },
    /// Parameters of a link, which also displace the origin.
    Link {
        /// The convention.
        convention: LinkConvention,
        /// Its parameters; what is not given is zero.
        values: Vec<Option<DraftValue>>,
    },
}

/// A convention of link parameters: one rotation or displacement for each, in turn, along the axes
/// that those before it moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkConvention {
    /// Denavit and Hartenberg (1955): the frame lies at the far end of the link.
    DenavitHartenberg,
    /// Khalil and Kleinfinger (1986), and Craig's modified parameters: the frame lies at the joint.
    Khalil,
}

impl LinkConvention {
    /// Every convention with its word in files.
    pub const ALL: [(LinkConvention, &'static str); 2] =
        [(LinkConvention::DenavitHartenberg, "dh"), (LinkConvention::Khalil, "khalil")];

    /// The names of its parameters, in turn.
    pub fn parameters(self) -> &'static [&'static str] {
        match self {
            LinkConvention::DenavitHartenberg => &["theta", "d", "a", "alpha"],
            LinkConvention::Khalil => &["gamma", "b", "alpha", "d", "theta", "r"],
        }
    }

    /// The steps of its parameters: the axis, and `true` for a rotation about it.
    pub fn steps(self) -> &'static [(usize, bool)] {
        match self {
            LinkConvention::DenavitHartenberg => &[(2, true), (2, false), (0, false), (0, true)],
            LinkConvention::Khalil => {
                &[(2, true), (2, false), (0, true), (0, false), (2, true), (2, false)]
            }
        }
    }
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
    pub mass: Option<DraftValue>,
    /// Centre of mass.
    pub com: Option<Triple>,
    /// Inertia about the centre of mass.
    pub inertia: Option<Inertia>,
    /// The source of the inertia, if its entries are not written.
    pub inertia_of: Option<InertiaOf>,
    /// Shapes.
    pub shapes: Vec<BodyShape>,
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
            inertia_of: None,
            shapes: Vec::new(),
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
    pub entries: [Option<DraftValue>; 6],
    /// The axes in which the entries are meant, if not the body's.
    pub rotation: Option<Rotation>,
}

/// The names of [`Inertia::entries`], in their order.
pub const INERTIA_ENTRIES: [&str; 6] = ["xx", "yy", "zz", "xy", "xz", "yz"];

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
    pub pitch: Option<DraftValue>,
    /// The law of its efforts, one per speed.
    pub effort: Option<Spanned<Vec<DraftValue>>>,
    /// `true` if it is locked at its initial value.
    pub locked: bool,
    /// Its requested role in the partition of coordinates.
    pub partition: Option<Spanned<PartitionRole>>,
    /// `true` if a drive acts on it.
    pub actuated: bool,
    /// The weight of the square of its drive's effort where drives share the work.
    pub actuation_weight: Option<DraftValue>,
    /// Inertia of the drive seen at the joint.
    pub armature: Option<DraftValue>,
    /// Viscous damping: an effort in proportion to each speed.
    pub damping: Option<DraftValue>,
    /// Dry friction that sticks.
    pub friction: Option<Friction>,
    /// Lower and upper limit of the coordinate.
    pub range: Option<[DraftValue; 2]>,
    /// Largest speed.
    pub max_speed: Option<DraftValue>,
    /// Largest effort.
    pub max_effort: Option<DraftValue>,
    /// Restitution at the ends of the range, if they are stops.
    pub stop: Option<DraftValue>,
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
            damping: None,
            friction: None,
            range: None,
            max_speed: None,
            max_effort: None,
            stop: None,
        }
    }
}

/// Dry friction of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Friction {
    /// The effort while it slides.
    pub slide: DraftValue,
    /// The largest effort at rest; none is that of sliding.
    pub stick: Option<DraftValue>,
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
    /// The frame along whose axes components are; none is the ground's.
    pub frame: Option<Spanned<CutFrame>>,
    /// Its state at the beginning, if events engage and release it.
    pub intermittent: Option<Spanned<Engagement>>,
}

/// The state of an intermittent constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engagement {
    /// It holds.
    Engaged,
    /// It does not.
    Released,
}

impl Engagement {
    /// All states with their words.
    pub const ALL: [(Engagement, &'static str); 2] =
        [(Engagement::Engaged, "engaged"), (Engagement::Released, "released")];
}

/// The requirement of a loop closure on its two places.
#[derive(Clone, Debug, PartialEq)]
pub enum CutType {
    /// A given distance.
    Rod {
        /// The distance.
        length: DraftValue,
    },
    /// The directions that a joint of this type leaves fixed. A body cut is a fixed joint, a ball
    /// cut a spherical one.
    Joint {
        /// The type.
        kind: Spanned<JointType>,
        /// Its axes.
        axes: Vec<Axis>,
        /// Slide per turn of a helical joint.
        pitch: Option<DraftValue>,
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

/// The frame along whose axes the components of a closure are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutFrame {
    /// The ground's.
    #[default]
    Ground,
    /// That of the first place.
    First,
    /// That of the second place.
    Second,
}

impl CutFrame {
    /// Every frame with its word in files.
    pub const ALL: [(CutFrame, &'static str); 3] =
        [(CutFrame::Ground, "ground"), (CutFrame::First, "first"), (CutFrame::Second, "second")];

    /// The end that has the frame; none is the ground.
    pub fn end(self) -> Option<usize> {
        match self {
            CutFrame::Ground => None,
            CutFrame::First => Some(0),
            CutFrame::Second => Some(1),
        }
    }
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
    pub q: Spanned<Vec<DraftValue>>,
    /// Speeds, if they are not to be differentiated.
    pub qd: Option<Spanned<Vec<DraftValue>>>,
    /// Accelerations, if they are not to be differentiated.
    pub qdd: Option<Spanned<Vec<DraftValue>>>,
}

/// A constraint of the user's own: the expression is zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Its name.
    pub name: Text,
    /// Of coordinates and time, or linear in the speeds.
    pub level: Level,
    /// The expression.
    pub expression: DraftValue,
    /// Its state at the beginning, if events engage and release it.
    pub intermittent: Option<Spanned<Engagement>>,
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
    pub force: DraftValue,
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
    pub radius: DraftValue,
    /// Height of the ground as an expression of `x`, `y`, `t`.
    pub ground: Option<DraftValue>,
    /// `true` if it rolls without slipping instead of having laws.
    pub rolling: bool,
    /// The laws, in the order of [`WHEEL_LAWS`].
    pub laws: [Option<DraftValue>; 6],
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

/// A number that comes from outside while a mechanism moves, such as a steering angle.
#[derive(Clone, Debug, PartialEq)]
pub struct UserInput {
    /// Its name.
    pub name: Text,
    /// Its number, or its course as an expression of time, where nothing else gives one; none is
    /// zero.
    pub value: Option<DraftValue>,
    /// The unit of its value and limits; none is SI.
    pub unit: Option<Text>,
    /// Lower and upper limit.
    pub limits: Option<[DraftValue; 2]>,
    /// The time constant of the filter through which it moves joints.
    pub filter: Option<DraftValue>,
    /// Number of its derivatives that are inputs, too, if motions do not decide it.
    pub derivatives: Option<Spanned<u32>>,
    /// A sentence about it.
    pub about: Option<Text>,
}

/// A number that is recorded while a mechanism moves, such as a slip or a load factor.
#[derive(Clone, Debug, PartialEq)]
pub struct UserOutput {
    /// Its name.
    pub name: Text,
    /// Its value, in SI.
    pub value: DraftValue,
    /// Its unit; none is not stated.
    pub unit: Option<Text>,
    /// A sentence about it.
    pub about: Option<Text>,
}

/// A controller: a law with states of its own, continuous or sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct Controller {
    /// Its place.
    pub span: Span,
    /// Its name, which stands for its output.
    pub name: Text,
    /// Its type; none is a law.
    pub kind: Option<Spanned<ControllerType>>,
    /// The period of its samples; without one it is continuous.
    pub every: Option<DraftValue>,
    /// The time of a sample, from which the others are counted.
    pub first: Option<DraftValue>,
    /// The time from a sample to when its output is applied.
    pub delay: Option<DraftValue>,
    /// The output between samples; none is the last one.
    pub hold: Option<Spanned<HoldType>>,
    /// The step of its output.
    pub quantum: Option<DraftValue>,
    /// Lower and upper limit of its output.
    pub limits: Option<[DraftValue; 2]>,
    /// Initial values of its states, and of its `output` before the first sample.
    pub initial: Vec<Setting>,
    /// The unit of its output.
    pub unit: Option<Text>,
    /// A sentence about it.
    pub about: Option<Text>,
    /// Its states with their rates, or with their next values if it is sampled.
    pub states: Vec<Setting>,
    /// The output of a law.
    pub output: Option<DraftValue>,
    /// The input of a block: of `pid` the error.
    pub input: Option<DraftValue>,
    /// The proportional gain of a `pid`.
    pub kp: Option<DraftValue>,
    /// Its integral gain.
    pub ki: Option<DraftValue>,
    /// Its derivative gain.
    pub kd: Option<DraftValue>,
    /// The time constant of a filter.
    pub time: Option<DraftValue>,
    /// The largest rate at which a `rate_limit` rises.
    pub rise: Option<DraftValue>,
    /// The largest rate at which it falls; as `rise` unless it is given.
    pub fall: Option<DraftValue>,
    /// Coefficients of a `transfer` function above its line.
    pub numerator: Option<Spanned<Vec<DraftValue>>>,
    /// Those below.
    pub denominator: Option<Spanned<Vec<DraftValue>>>,
}

/// Types of controllers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControllerType {
    /// Expressions of the model.
    Law,
    /// Proportional, integral and derivative action on an error.
    Pid,
    /// A low-pass filter of first order.
    Filter,
    /// A transfer function.
    Transfer,
    /// A limit of the rate.
    RateLimit,
}

impl ControllerType {
    /// Every type with its word in files.
    pub const ALL: [(ControllerType, &'static str); 5] = [
        (ControllerType::Law, "law"),
        (ControllerType::Pid, "pid"),
        (ControllerType::Filter, "filter"),
        (ControllerType::Transfer, "transfer"),
        (ControllerType::RateLimit, "rate_limit"),
    ];

    /// Its word in files.
    pub fn word(self) -> &'static str {
        ControllerType::ALL.iter().find(|(kind, _)| *kind == self).map_or("", |(_, word)| word)
    }
}

/// The output of a sampled controller between its samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldType {
    /// The last output.
    Zero,
    /// The line through the last two outputs.
    First,
}

impl HoldType {
    /// Every way with its word in files.
    pub const ALL: [(HoldType, &'static str); 2] =
        [(HoldType::Zero, "zero"), (HoldType::First, "first")];
}

/// A state of the user's own, such as a current or a controller's memory.
#[derive(Clone, Debug, PartialEq)]
pub struct UserState {
    /// Its name.
    pub name: Text,
    /// Its initial value; none is zero.
    pub initial: Option<DraftValue>,
    /// Its time derivative, in SI.
    pub rate: DraftValue,
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
    pub when: DraftValue,
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
    /// Intermittent constraints that begin to hold.
    pub engage: Vec<Text>,
    /// Intermittent constraints that cease to hold.
    pub release: Vec<Text>,
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
    pub value: DraftValue,
}

/// An impulse along the coordinate of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct Impact {
    /// The joint.
    pub joint: Text,
    /// Speed after over speed before, both along the coordinate.
    pub restitution: DraftValue,
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
    pub values: Spanned<Vec<DraftValue>>,
}
