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
use crate::source::Span;
use rotule_symbolic::{Expr, Graph, Matrix, Node, Vector, for_each_operand};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// The index of a body; the ground is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BodyId(u32);

impl BodyId {
    /// The fixed body.
    pub const GROUND: BodyId = BodyId(0);

    /// The body at a position of [`Mechanism::bodies`].
    pub fn new(position: usize) -> BodyId {
        BodyId(u32::try_from(position).expect("the number of bodies is limited"))
    }

    /// The position in [`Mechanism::bodies`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

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
        let turned = self.rotation.apply(inner.position, graph);
        Placement {
            position: self.position.add(turned, graph),
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

/// A mechanism; see the head of this file.
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
    /// Forces along lines.
    pub line_forces: Vec<LineForce>,
    /// Forces at places.
    pub forces: Vec<Force>,
    /// Wheels.
    pub wheels: Vec<Wheel>,
    /// Sensors.
    pub sensors: Vec<Sensor>,
    /// States besides coordinates and speeds.
    pub states: Vec<UserState>,
    /// Events when conditions pass zero: the file's events in order, then the stops of joints.
    pub events: Vec<Event>,
    /// The treatment of constraints that repeat others.
    pub redundant: Redundant,
    /// The speeds that are to be independent, and no others of those that constraints have; none
    /// leaves it to the roles that joints request. Files do not set this; callers may.
    pub independent: Option<Vec<usize>>,
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
    /// Its number.
    pub value: f64,
    /// Its SI unit; may be empty.
    pub unit: String,
    /// A sentence about it; may be empty.
    pub about: String,
    /// Where it is written.
    pub span: Span,
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
    /// `true` if it stands only between the joints of a chain, without mass or extent.
    pub fictitious: bool,
    /// Where it is written.
    pub span: Span,
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
        match self.kind {
            JointType::Spherical => Some(self.coordinates.clone()),
            JointType::Free => Some(self.coordinates.start + 3..self.coordinates.end),
            _ => None,
        }
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
            CutKind::Joint { kind: JointType::Fixed, .. } => "body",
            CutKind::Joint { kind: JointType::Spherical, .. } => "ball",
            CutKind::Joint { kind, .. } => kind.word(),
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
    /// The signals of sensors that it uses.
    pub signals: Vec<Signal>,
}

/// A component of a sensor's signal, as a placeholder in expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// The position in [`Mechanism::sensors`].
    pub sensor: usize,
    /// The quantity: position, velocity or angular velocity.
    pub measure: Measure,
    /// The component, 0 to 2.
    pub component: usize,
    /// The placeholder.
    pub symbol: Expr,
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
    /// The signals of sensors that the rate uses.
    pub signals: Vec<Signal>,
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
    /// The signals of sensors that the condition and the actions use.
    pub signals: Vec<Signal>,
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
        let number = |name: &str| {
            let found = self.index.get(name).map(|&index| self.parameters[index].value);
            Some(found.unwrap_or(0.0))
        };
        if let Ok(values) = self.graph.evaluate_f64(expressions, number) {
            return values;
        }
        // Foreign functions have no value here: all that does without them is evaluated together.
        let calling = self.calling(expressions);
        let plain = |expression: &&Expr| !calling.contains(&expression.abs());
        let chosen: Vec<Expr> = expressions.iter().filter(plain).copied().collect();
        let values = self.graph.evaluate_f64(&chosen, number).unwrap_or_default();
        let mut values = values.into_iter();
        let mut value = |plain: bool| if plain { values.next().unwrap_or(0.0) } else { 0.0 };
        expressions.iter().map(|expression| value(plain(&expression))).collect()
    }

    /// All parts of expressions that call foreign functions.
    pub(crate) fn calling(&self, expressions: &[Expr]) -> FxHashSet<Expr> {
        let mut calling = FxHashSet::default();
        // Operands come before what is made of them.
        for expr in self.graph.reachable(expressions) {
            let node = self.graph.node(expr);
            let mut calls = matches!(node, Node::Call(..));
            for_each_operand(node, |operand| calls |= calling.contains(&operand.abs()));
            if calls {
                calling.insert(expr.abs());
            }
        }
        calling
    }
}
