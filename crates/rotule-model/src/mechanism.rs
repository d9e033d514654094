//! A mechanism: what a model means, with every name looked up and every number an expression.
//!
//! Bodies form a tree whose root is the ground; each other body has the one joint that moves it.
//! Bodies stand in the order of the file where that puts parents before children. Loops are cuts.
//! All expressions live in one graph, in which parameters, time, coordinates, speeds and
//! accelerations are symbols; laws use placeholders such as `line_force.Z`, which a formalism
//! replaces.
//!
//! Frames: `R_AB` maps components in B to components in A. A [`Placement`] of B in A holds `R_AB`
//! and the position of B's origin in A's components.

use crate::draft::{Component, Crossing, JointType, Level, Measure, PartitionRole, Redundant};
use crate::number_check::NumberCheck;
use crate::solid::SolidType;
use crate::source::Span;
use rotule_mesh::Mesh;
use rotule_symbolic::{Expr, Graph, Matrix, Node, Vector, for_each_operand};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;
use std::sync::Arc;

pub use crate::index::BodyId;

/// Where one frame is in another, in its components.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// The position of the origin.
    pub position: Vector,
    /// The rotation matrix; its columns are the placed frame's axes.
    pub rotation: Matrix,
}

impl Placement {
    /// Where the frame itself is.
    pub const IDENTITY: Placement =
        Placement { position: Vector::ZERO, rotation: Matrix::IDENTITY };

    /// Where `inner`, placed in this frame, is in the frame that this one is placed in.
    pub fn then(self, inner: Placement, graph: &mut Graph) -> Placement {
        let rotated = self.rotation.apply(inner.position, graph);
        Placement {
            position: self.position.add(rotated, graph),
            rotation: self.rotation.mul(inner.rotation, graph),
        }
    }

    /// Where the outer frame is in this one.
    #[must_use]
    pub fn inverse(self, graph: &mut Graph) -> Placement {
        let rotation = self.rotation.transpose();
        Placement { position: -rotation.apply(self.position, graph), rotation }
    }
}

/// A frame fixed to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// The body.
    pub body: BodyId,
    /// Where the frame is in the body's.
    pub placement: Placement,
}

/// A mechanism: what a model means, with every name looked up and every number an expression.
///
/// Bodies form a tree whose root is the ground, joint `i` moves body `i + 1`, and loops are cuts.
/// All expressions live in one [graph](Mechanism::graph).
#[derive(Clone)]
pub struct Mechanism {
    /// The model's name.
    pub name: String,
    /// A sentence about it.
    pub about: String,
    /// All expressions.
    pub graph: Graph,
    /// The symbol `t`.
    pub time: Expr,
    /// Gravity in the ground's components.
    pub gravity: Vector,
    /// Gains alpha and beta of the augmented equations: `hdd + 2 alpha hd + beta^2 h = 0`.
    pub baumgarte: [Expr; 2],
    /// Parameters that stay symbols.
    pub parameters: Vec<Parameter>,
    /// The ground and all bodies, parents before children.
    pub bodies: Vec<Body>,
    /// The joint of each body but the ground: joint `i` moves body `i + 1`.
    pub joints: Vec<Joint>,
    /// All coordinates `q`, in the order of the joints.
    pub coordinates: Vec<Coordinate>,
    /// All speeds `qd`, in the order of the joints.
    pub speeds: Vec<Speed>,
    /// Named points.
    pub points: Vec<Point>,
    /// Closures of loops.
    pub cuts: Vec<Cut>,
    /// Linear relations between coordinates.
    pub couplings: Vec<Coupling>,
    /// The user's own constraints.
    pub constraints: Vec<Constraint>,
    /// Loop closures and constraints that events engage and release. Those that hold are also the
    /// last of [`Mechanism::cuts`] or [`Mechanism::constraints`]: nothing else needs to know.
    pub intermittent: Vec<Intermittent>,
    /// Forces along lines.
    pub line_forces: Vec<LineForce>,
    /// Forces at places.
    pub forces: Vec<Force>,
    /// Wheels.
    pub wheels: Vec<Wheel>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// Inputs, each with its derivatives behind it as far as motions and constraints need them.
    pub inputs: Vec<UserInput>,
    /// Numbers that are recorded.
    pub outputs: Vec<UserOutput>,
    /// Symbols whose time derivative is known: inputs with derivatives, and states of filters.
    pub flows: Vec<(Expr, Expr)>,
    /// Quantities of the mechanism that expressions use. What one needs comes before it.
    pub signals: Vec<Signal>,
    /// States besides coordinates and speeds.
    pub states: Vec<UserState>,
    /// Events when conditions pass zero: the file's events in order, then the stops of joints.
    pub events: Vec<Event>,
    /// The treatment of constraints that repeat others.
    pub redundant: Redundant,
    /// The speeds that are to be independent, and no others of those that constraints have; none
    /// leaves it to the roles that joints request. Files do not set this; callers may.
    pub independent: Option<Vec<usize>>,
    /// Rules that numbers of parameters must keep.
    pub checks: Vec<NumberCheck>,
    /// Positions of the parameters by name.
    pub(crate) index: FxHashMap<String, usize>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Its symbol.
    pub symbol: Expr,
    /// Its number; NaN if it has none.
    pub value: f64,
    /// Its SI unit; may be empty.
    pub unit: String,
    /// A sentence about it; may be empty.
    pub about: String,
    /// Where it is written.
    pub span: Span,
}

impl Parameter {
    /// Its number, or one in its place between a half and one and a half, the same for the same
    /// name: for choices that are right for most numbers, never for results.
    pub fn any_number(&self) -> f64 {
        if !self.value.is_nan() {
            return self.value;
        }
        let mix = |sum: u32, byte: u8| (sum ^ u32::from(byte)).wrapping_mul(16_777_619);
        let hash = self.name.bytes().fold(2_166_136_261, mix);
        0.5 + f64::from(hash >> 8) / f64::from(1_u32 << 24)
    }
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name.
    pub name: String,
    /// The body that carries it; none for the ground.
    pub parent: Option<BodyId>,
    /// Where its joint's fixed side is in the parent's frame.
    pub placement: Placement,
    /// Mass.
    pub mass: Expr,
    /// Centre of mass in the body's frame.
    pub com: Vector,
    /// Inertia about the centre of mass in the body's axes.
    pub inertia: Matrix,
    /// Its shapes, for drawing; what they weigh is in the mass.
    pub shapes: Vec<PlacedShape>,
    /// `true` if centre and inertia, and a mass that is not written, are those of its shapes.
    pub from_shapes: bool,
    /// `true` if it stands only between the joints of a chain, without mass or extent.
    pub fictitious: bool,
    /// Where it is written.
    pub span: Span,
}

/// A shape of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct PlacedShape {
    /// The form.
    pub form: BodyForm,
    /// Where it is in the body's frame.
    pub placement: Placement,
    /// Red, green and blue, if a colour is given.
    pub colour: Option<[u8; 3]>,
}

/// The form of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyForm {
    /// A simple solid with its sizes.
    Solid(SolidType, Vec<Expr>),
    /// Triangles, of a file or a hull.
    Triangles(Arc<Mesh>),
    /// A mesh that is not there, by its name.
    Missing(String),
}

/// The joint that moves a body relative to its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Its name; empty for a fixed joint without one.
    pub name: String,
    /// The type.
    pub kind: JointType,
    /// Unit axes in the joint's frame, as many as the type needs. The second axis of a universal
    /// joint is the one that the first turn carries along.
    pub axes: Vec<Vector>,
    /// Slide per turn of a helical joint.
    pub pitch: Expr,
    /// Its coordinates in [`Mechanism::coordinates`].
    pub coordinates: Range<usize>,
    /// Its speeds in [`Mechanism::speeds`].
    pub speeds: Range<usize>,
    /// Its coordinate role.
    pub role: Role,
    /// The law of its efforts, one per speed, besides whatever a controller applies.
    pub effort: Vec<Expr>,
    /// Inertia of the drive.
    pub armature: Expr,
    /// Its requested role in the partition of coordinates.
    pub partition: Option<PartitionRole>,
    /// If a drive acts on it, what the square of its effort counts where drives share the work.
    pub actuation: Option<Expr>,
    /// Lower and upper limit.
    pub range: Option<[Expr; 2]>,
    /// Largest speed.
    pub max_speed: Option<Expr>,
    /// Largest effort.
    pub max_effort: Option<Expr>,
    /// Where it is written.
    pub span: Span,
}

impl Joint {
    /// The coordinates that are a quaternion, if it has one.
    pub fn quaternion(&self) -> Option<Range<usize>> {
        let first = self.kind.quaternion()?;
        Some(self.coordinates.start + first..self.coordinates.end)
    }
}

/// The coordinate role of a joint: the way in which its motion is determined.
#[derive(Clone, Debug, PartialEq)]
pub enum Role {
    /// By the equations of motion.
    Free,
    /// Not at all.
    Locked,
    /// As given, in expressions of time.
    Driven {
        /// Coordinates.
        q: Vec<Expr>,
        /// Speeds.
        qd: Vec<Expr>,
        /// Accelerations.
        qdd: Vec<Expr>,
    },
}

/// A coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Coordinate {
    /// Its name: the joint's, with a component or a number where the joint has several.
    pub name: String,
    /// Its other name, by its number in the joint: `base[1]`; the same if there is none.
    pub alias: String,
    /// Its symbol.
    pub symbol: Expr,
    /// The body that its joint moves.
    pub body: BodyId,
    /// Its initial value.
    pub initial: Expr,
    /// True if the model writes the initial value; a default is not written.
    pub written: bool,
}

/// A speed: the derivative of a coordinate, or a component of an angular or linear velocity.
#[derive(Clone, Debug, PartialEq)]
pub struct Speed {
    /// Its name: `NAME.d`, or a component such as `NAME.vx`.
    pub name: String,
    /// Its other name, by its number in the joint: `base.d[1]`; the same if there is none.
    pub alias: String,
    /// Its symbol.
    pub symbol: Expr,
    /// The symbol of its derivative.
    pub acceleration: Expr,
    /// The symbol of the effort that acts along it, besides the joint's law.
    pub effort: Expr,
    /// The body that its joint moves.
    pub body: BodyId,
    /// Its initial value.
    pub initial: Expr,
    /// True if the model writes the initial value; a default is not written.
    pub written: bool,
}

/// A named point with axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its name.
    pub name: String,
    /// The frame it names.
    pub frame: Frame,
}

/// A closure of a loop. Residuals are the first place minus the second.
#[derive(Clone, Debug, PartialEq)]
pub struct Cut {
    /// Its name.
    pub name: String,
    /// The requirement.
    pub kind: CutKind,
    /// The two places.
    pub ends: [Frame; 2],
    /// Components left out.
    pub ignore: Vec<Component>,
    /// The end along whose axes components are; none is the ground, which matters only if
    /// components are left out.
    pub frame: Option<usize>,
    /// `true` if Rotule chose to cut a joint here.
    pub chosen: bool,
    /// Where it is written.
    pub span: Span,
}

/// The requirement of a loop closure on its two places.
#[derive(Clone, Debug, PartialEq)]
pub enum CutKind {
    /// A given distance.
    Rod {
        /// The distance.
        length: Expr,
    },
    /// The directions that a joint leaves fixed. The axes are unit vectors in the frames of both
    /// places; of a universal joint the first is fixed in the first frame and the second in the
    /// second.
    Joint {
        /// The type; a body cut is fixed, a ball cut spherical.
        kind: JointType,
        /// The axes.
        axes: Vec<Vector>,
        /// Slide per turn of a helical joint.
        pitch: Expr,
    },
}

impl Cut {
    /// The number of constraints before those that vanish in a plane are dropped.
    pub fn rows(&self) -> usize {
        match &self.kind {
            CutKind::Rod { .. } => 1,
            CutKind::Joint { kind, .. } => (6 - kind.speeds()).saturating_sub(self.ignore.len()),
        }
    }

    /// The word for the cut in files.
    pub fn word(&self) -> &'static str {
        match &self.kind {
            CutKind::Rod { .. } => "rod",
            CutKind::Joint { kind, .. } => kind.closure_word(),
        }
    }
}

/// The sum of factor times coordinate, plus the offset, is zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Its name.
    pub name: String,
    /// Positions in [`Mechanism::coordinates`] with their factors, which are free of coordinates.
    pub terms: Vec<(usize, Expr)>,
    /// The offset.
    pub offset: Expr,
}

/// An expression that is zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Constraint {
    /// Its name.
    pub name: String,
    /// The level: the quantities that it relates.
    pub level: Level,
    /// The expression.
    pub expression: Expr,
}

/// A loop closure or constraint that events engage and release.
#[derive(Clone, Debug, PartialEq)]
pub struct Intermittent {
    /// Its requirement.
    pub requirement: Requirement,
    /// `true` if it holds at the beginning.
    pub engaged: bool,
}

/// The requirement of an intermittent constraint.
#[derive(Clone, Debug, PartialEq)]
pub enum Requirement {
    /// The closure of a loop.
    Cut(Cut),
    /// A constraint of the user's own.
    Constraint(Constraint),
}

impl Intermittent {
    /// Its name.
    pub fn name(&self) -> &str {
        match &self.requirement {
            Requirement::Cut(cut) => &cut.name,
            Requirement::Constraint(constraint) => &constraint.name,
        }
    }
}

impl Mechanism {
    /// The intermittent constraints that hold at the beginning, by their positions.
    pub fn engaged(&self) -> Vec<usize> {
        (0..self.intermittent.len()).filter(|&at| self.intermittent[at].engaged).collect()
    }

    /// Lets these intermittent constraints hold, by their positions in order, and no others.
    pub fn engage(&mut self, engaged: &[usize]) {
        let count = |cut: bool| {
            let of = |one: &&Intermittent| {
                one.engaged && matches!(one.requirement, Requirement::Cut(_)) == cut
            };
            self.intermittent.iter().filter(of).count()
        };
        let kept = [self.cuts.len() - count(true), self.constraints.len() - count(false)];
        self.cuts.truncate(kept[0]);
        self.constraints.truncate(kept[1]);
        for (at, one) in self.intermittent.iter_mut().enumerate() {
            one.engaged = engaged.contains(&at);
            match &one.requirement {
                _ if !one.engaged => {}
                Requirement::Cut(cut) => self.cuts.push(cut.clone()),
                Requirement::Constraint(constraint) => self.constraints.push(constraint.clone()),
            }
        }
    }
}

/// A quantity of the mechanism that expressions use, by a placeholder that a formalism replaces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signal {
    /// The quantity.
    pub source: SignalSource,
    /// The placeholder.
    pub symbol: Expr,
}

/// Quantities that signals can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SignalSource {
    /// A component of the motion of a frame, in the axes of the body that it is relative to.
    Frame {
        /// The frame.
        at: Frame,
        /// The body.
        relative_to: BodyId,
        /// The quantity.
        measure: Measure,
        /// The component: 0 to 2, of a rotation matrix 0 to 8 by rows.
        component: usize,
    },
    /// A quantity of a line force.
    LineForce(usize, LineForceQuantity),
    /// A quantity of a wheel.
    Wheel(usize, WheelQuantity),
    /// The effort along a speed that holds the mechanism against gravity.
    Gravity(usize),
}

/// Quantities of a line force, which its function has as outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineForceQuantity {
    /// The length.
    Length,
    /// The rate of the length.
    Rate,
    /// The force.
    Force,
}

/// Quantities of a wheel, which its function has as outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WheelQuantity {
    /// Geometry and slips, by position in [`WHEEL_GEOMETRY`].
    Geometry(usize),
    /// A component of the force: forward, left, normal.
    Force(usize),
    /// A component of the torque, likewise.
    Torque(usize),
    /// A component of the position of the contact.
    Point(usize),
}

/// Names of the quantities of a wheel that are known without its laws.
pub const WHEEL_GEOMETRY: [&str; 7] =
    ["depth", "depth_rate", "camber", "slip", "side_slip", "spin", "speed"];

impl SignalSource {
    /// Returns `true` if a quantity is known only once the laws of its element are.
    pub fn is_force(self) -> bool {
        matches!(
            self,
            SignalSource::LineForce(_, LineForceQuantity::Force)
                | SignalSource::Wheel(_, WheelQuantity::Force(_) | WheelQuantity::Torque(_))
        )
    }

    /// Returns `true` if a quantity follows from the accelerations.
    pub fn is_acceleration(self) -> bool {
        let accelerations = [Measure::Acceleration, Measure::AngularAcceleration];
        matches!(self, SignalSource::Frame { measure, .. } if accelerations.contains(&measure))
    }
}

/// A state of the user's own: actuators, controllers, filters.
#[derive(Clone, Debug, PartialEq)]
pub struct UserState {
    /// Its name.
    pub name: String,
    /// Its symbol, which laws and other states use.
    pub symbol: Expr,
    /// Its initial value.
    pub initial: Expr,
    /// Its time derivative, of time, coordinates, speeds, states and signals.
    pub rate: Expr,
    /// Its SI unit; may be empty.
    pub unit: String,
    /// A sentence about it; may be empty.
    pub about: String,
}

/// A number that comes from outside while a mechanism moves, such as a steering angle, or a time
/// derivative of one.
#[derive(Clone, Debug, PartialEq)]
pub struct UserInput {
    /// Its name; that of a derivative is `NAME.d` or `NAME.dd`.
    pub name: String,
    /// Its symbol.
    pub symbol: Expr,
    /// Its number where nothing else gives one.
    pub value: f64,
    /// Its course where nothing else gives one, of time and parameters.
    pub course: Expr,
    /// Lower and upper limit.
    pub limits: Option<[Expr; 2]>,
    /// The position of the input that it is a derivative of; itself if it is none.
    pub of: usize,
    /// The order of the derivative: 0 to 2.
    pub order: usize,
    /// Its SI unit; may be empty.
    pub unit: String,
    /// A sentence about it; may be empty.
    pub about: String,
}

/// A number that is recorded while a mechanism moves.
#[derive(Clone, Debug, PartialEq)]
pub struct UserOutput {
    /// Its name.
    pub name: String,
    /// Its value, of time, coordinates, speeds, accelerations, states and signals.
    pub value: Expr,
    /// Its SI unit; may be empty.
    pub unit: String,
    /// A sentence about it; may be empty.
    pub about: String,
}

/// An event: actions when a condition passes zero.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// The condition, of time, coordinates, speeds, states and signals.
    pub when: Expr,
    /// If it happens again and again, whatever the condition: how often, one of the times, and what
    /// is zero while parameters give a delay as many periods as the mechanism was made for.
    pub period: Option<[Expr; 3]>,
    /// The direction in which it must pass zero.
    pub direction: Crossing,
    /// Its actions, in order.
    pub actions: Vec<Action>,
    /// Its message; may be empty.
    pub message: String,
    /// `true` if it is the end of a joint's range: what does not rebound rests there.
    pub stop: bool,
}

/// Actions of events.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// Gives something a new value, of what holds before.
    Set {
        /// The quantity to set.
        target: EventTarget,
        /// The value.
        value: Expr,
    },
    /// An impulse along a speed, after which it is minus the restitution times what it was.
    Impact {
        /// The position in [`Mechanism::speeds`].
        speed: usize,
        /// The restitution.
        restitution: Expr,
    },
    /// Holds a joint where it is.
    Lock(usize),
    /// Lets a joint go.
    Unlock(usize),
    /// Lets an intermittent constraint hold, by its position in [`Mechanism::intermittent`].
    Engage(usize),
    /// Ends the hold of an intermittent constraint.
    Release(usize),
    /// Holds a joint that comes to rest by dry friction, as long as the force that this takes stays
    /// within the limit. Files do not say this; who runs a mechanism makes it of `stick_slip`.
    Stick {
        /// The joint.
        joint: usize,
        /// The largest force of the friction at rest.
        limit: Expr,
    },
    /// Ends the simulation.
    End,
}

/// Quantities that an event can set, by their positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventTarget {
    /// A coordinate.
    Coordinate(usize),
    /// A speed.
    Speed(usize),
    /// A state.
    State(usize),
}

/// A force along the line between two places.
#[derive(Clone, Debug, PartialEq)]
pub struct LineForce {
    /// Its name.
    pub name: String,
    /// The two places.
    pub ends: [Frame; 2],
    /// The law, of the placeholders `line_force.Z` and `line_force.Zd`; positive pulls the ends
    /// together.
    pub force: Expr,
}

/// A force and a torque at a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Force {
    /// Its name.
    pub name: String,
    /// The place.
    pub at: Frame,
    /// The force, of the placeholders `force.x` and so on.
    pub force: Vector,
    /// The torque.
    pub torque: Vector,
    /// `true` if the components are along the axes of the place.
    pub body_axes: bool,
}

/// A wheel.
#[derive(Clone, Debug, PartialEq)]
pub struct Wheel {
    /// Its name.
    pub name: String,
    /// The body.
    pub body: BodyId,
    /// The axle, a unit vector in the body's frame.
    pub axle: Vector,
    /// Radius.
    pub radius: Expr,
    /// Height of the ground, of the placeholders `wheel.x`, `wheel.y` and time.
    pub ground: Expr,
    /// `true` if it rolls without slipping.
    pub rolling: bool,
    /// Laws in the order of [`crate::draft::WHEEL_LAWS`], of placeholders `wheel.depth` and so on.
    pub laws: [Expr; 6],
}

/// A sensor.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// Its name.
    pub name: String,
    /// The place.
    pub at: Frame,
    /// Its measures.
    pub measures: Vec<Measure>,
    /// The body relative to which it measures.
    pub relative_to: BodyId,
}

impl Mechanism {
    /// The body of a name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.bodies.iter().position(|body| body.name == name).map(BodyId::new)
    }

    /// The parameters that have no number.
    pub fn without_number(&self) -> impl Iterator<Item = &Parameter> {
        self.parameters.iter().filter(|one| one.value.is_nan())
    }

    /// Adds a parameter that no file knows, such as where a joint is held; gives its symbol.
    pub fn add_parameter(&mut self, name: &str, value: f64) -> Expr {
        let symbol = self.graph.symbol(name, rotule_symbolic::Kind::Parameter);
        self.index.insert(name.to_owned(), self.parameters.len());
        self.parameters.push(Parameter {
            name: name.to_owned(),
            symbol,
            value,
            unit: String::new(),
            about: String::new(),
            span: Span::default(),
        });
        symbol
    }

    /// The position of the coordinate that a name or another name of it stands for.
    pub fn coordinate(&self, name: &str) -> Option<usize> {
        self.coordinates.iter().position(|one| one.name == name || one.alias == name)
    }

    /// The position of the speed that a name or another name of it stands for.
    pub fn speed(&self, name: &str) -> Option<usize> {
        self.speeds.iter().position(|one| one.name == name || one.alias == name)
    }

    /// The signals that expressions of a graph, which this mechanism's grew into, use.
    pub fn signals_in(&self, graph: &Graph, expressions: &[Expr]) -> Vec<&Signal> {
        if self.signals.is_empty() {
            return Vec::new();
        }
        let all: FxHashSet<Expr> = graph.reachable(expressions).into_iter().collect();
        self.signals.iter().filter(|signal| all.contains(&signal.symbol.abs())).collect()
    }

    /// The joint that moves a body; none for the ground.
    pub fn joint_of(&self, body: BodyId) -> Option<&Joint> {
        body.index().checked_sub(1).map(|index| &self.joints[index])
    }

    /// Bodies other than the ground that are more than a step in a chain of joints.
    pub fn real_bodies(&self) -> usize {
        self.bodies.iter().skip(1).filter(|body| !body.fictitious).count()
    }

    /// Values of expressions of parameters, at the parameters' numbers and time zero. Whatever else
    /// an expression uses counts as zero, and an expression with foreign functions is zero as a
    /// whole.
    pub fn evaluate(&self, expressions: &[Expr]) -> Vec<f64> {
        self.evaluate_in(&self.graph, expressions)
    }

    /// Values of expressions of parameters, for people to read: NaN where a parameter has no
    /// number.
    pub fn evaluate_known(&self, expressions: &[Expr]) -> Vec<f64> {
        let number = |name: &str| self.index.get(name).map(|&index| self.parameters[index].value);
        let known = self.graph.evaluate_f64(expressions, number);
        known.unwrap_or_else(|_| vec![f64::NAN; expressions.len()])
    }

    /// Values of expressions where some symbols besides parameters have numbers; NaN if they call
    /// foreign functions. All other symbols are zero.
    pub fn evaluate_with(&self, expressions: &[Expr], known: &[(&str, f64)]) -> Vec<f64> {
        let number = |name: &str| {
            let known = known.iter().find(|(one, _)| *one == name).map(|(_, value)| *value);
            let parameter = || self.index.get(name).map(|&index| self.parameters[index].value);
            Some(known.or_else(parameter).unwrap_or(0.0))
        };
        let values = self.graph.evaluate_f64(expressions, number);
        values.unwrap_or_else(|_| vec![f64::NAN; expressions.len()])
    }

    /// Values of expressions of a graph that this mechanism's grew into: see
    /// [`Mechanism::evaluate`].
    pub fn evaluate_in(&self, graph: &Graph, expressions: &[Expr]) -> Vec<f64> {
        let number = |name: &str| {
            let found = self.index.get(name).map(|&index| self.parameters[index].any_number());
            let input = || self.inputs.iter().find(|one| one.name == name).map(|one| one.value);
            Some(found.or_else(input).unwrap_or(0.0))
        };
        if let Ok(values) = graph.evaluate_f64(expressions, number) {
            return values;
        }
        // Foreign functions without code have no value: all that does without them is evaluated.
        let calling = calling(graph, expressions);
        let plain = |expression: &&Expr| !calling.contains(&expression.abs());
        let chosen: Vec<Expr> = expressions.iter().filter(plain).copied().collect();
        let values = graph.evaluate_f64(&chosen, number).unwrap_or_default();
        let mut values = values.into_iter();
        let mut value = |plain: bool| if plain { values.next().unwrap_or(0.0) } else { 0.0 };
        expressions.iter().map(|expression| value(plain(&expression))).collect()
    }
}

/// All parts of expressions that call foreign functions without code.
pub(crate) fn calling(graph: &Graph, expressions: &[Expr]) -> FxHashSet<Expr> {
    let mut calling = FxHashSet::default();
    // Operands come before what is made of them.
    for expr in graph.reachable(expressions) {
        let node = graph.node(expr);
        let mut calls = matches!(node, Node::Call(function, _) if !graph.has_code(function));
        for_each_operand(node, |operand| calls |= calling.contains(&operand.abs()));
        if calls {
            calling.insert(expr.abs());
        }
    }
    calling
}
