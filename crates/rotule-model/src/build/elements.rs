//! Everything of a model besides bodies and joints: parameters, loops, relations, forces, sensors,
//! states, events.

use super::values::{IntoValues, ValueList, list, pair, placed, scalar, scalars, text};
use crate::draft::*;
use crate::source::Span;

impl Parameter {
    /// A parameter, or an abbreviation if the value is an expression.
    pub fn new(name: impl Into<String>, value: impl Into<Value>) -> Parameter {
        Parameter { name: text(name), value: Some(scalar(value)), unit: None, about: None }
    }

    /// A parameter without a number, which equations and generated code do not need.
    pub fn symbol(name: impl Into<String>) -> Parameter {
        Parameter { name: text(name), value: None, unit: None, about: None }
    }

    /// Sets the unit of the number, such as `"mm"`; without one it is SI.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> Parameter {
        self.unit = Some(text(unit));
        self
    }

    /// Sets a sentence about it.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Parameter {
        self.about = Some(text(about));
        self
    }
}

impl External {
    /// A foreign function with one result; the names of its arguments are for the reader, their
    /// number counts.
    pub fn new(
        name: impl Into<String>,
        arguments: impl IntoIterator<Item = impl Into<String>>,
    ) -> External {
        let arguments = arguments.into_iter().map(text).collect();
        External { name: text(name), arguments, results: placed(1) }
    }

    /// Sets how many results it has; the second is `tyre(..)[2]` in an expression.
    #[must_use]
    pub fn results(mut self, count: u32) -> External {
        self.results = placed(count);
        self
    }
}

/// Constructors by type; the two places are written `["rod.end", "piston"]`.
impl Cut {
    fn of(name: impl Into<String>, kind: CutType, between: [impl Into<String>; 2]) -> Cut {
        let between = pair(between);
        let ignore = Vec::new();
        Cut {
            span: Span::default(),
            name: text(name),
            kind,
            between,
            ignore,
            frame: None,
            intermittent: None,
        }
    }

    /// Closes a loop by a joint of a type without a pitch, with as many axes as it needs.
    pub fn like(
        name: impl Into<String>,
        kind: JointType,
        axes: Vec<Axis>,
        between: [impl Into<String>; 2],
    ) -> Cut {
        Cut::of(name, CutType::Joint { kind: placed(kind), axes, pitch: None }, between)
    }

    /// Closes a loop where two frames coincide: 6 constraints.
    pub fn body(name: impl Into<String>, between: [impl Into<String>; 2]) -> Cut {
        Cut::like(name, JointType::Fixed, Vec::new(), between)
    }

    /// Closes a loop where two points coincide: 3 constraints.
    pub fn ball(name: impl Into<String>, between: [impl Into<String>; 2]) -> Cut {
        Cut::like(name, JointType::Spherical, Vec::new(), between)
    }

    /// Closes a loop by a massless rod: one constraint, the distance of two points.
    pub fn rod(
        name: impl Into<String>,
        length: impl Into<Value>,
        between: [impl Into<String>; 2],
    ) -> Cut {
        Cut::of(name, CutType::Rod { length: scalar(length) }, between)
    }

    /// Closes a loop by a revolute joint: 5 constraints.
    pub fn revolute(
        name: impl Into<String>,
        axis: impl Into<Axis>,
        between: [impl Into<String>; 2],
    ) -> Cut {
        Cut::like(name, JointType::Revolute, vec![axis.into()], between)
    }

    /// Closes a loop by a prismatic joint: 5 constraints.
    pub fn prismatic(
        name: impl Into<String>,
        axis: impl Into<Axis>,
        between: [impl Into<String>; 2],
    ) -> Cut {
        Cut::like(name, JointType::Prismatic, vec![axis.into()], between)
    }

    /// Closes a loop by a screw of `pitch` metres per radian: 5 constraints.
    pub fn helical(
        name: impl Into<String>,
        axis: impl Into<Axis>,
        pitch: impl Into<Value>,
        between: [impl Into<String>; 2],
    ) -> Cut {
        let (kind, axes) = (placed(JointType::Helical), vec![axis.into()]);
        Cut::of(name, CutType::Joint { kind, axes, pitch: Some(scalar(pitch)) }, between)
    }

    /// Closes a loop by a cylindrical joint: 4 constraints.
    pub fn cylindrical(
        name: impl Into<String>,
        axis: impl Into<Axis>,
        between: [impl Into<String>; 2],
    ) -> Cut {
        Cut::like(name, JointType::Cylindrical, vec![axis.into()], between)
    }

    /// Closes a loop by a universal joint: 4 constraints. The first axis belongs to the first
    /// place, the second to the second.
    pub fn universal(
        name: impl Into<String>,
        first: impl Into<Axis>,
        second: impl Into<Axis>,
        between: [impl Into<String>; 2],
    ) -> Cut {
        Cut::like(name, JointType::Universal, vec![first.into(), second.into()], between)
    }

    /// Closes a loop by a planar joint: 3 constraints.
    pub fn planar(
        name: impl Into<String>,
        normal: impl Into<Axis>,
        between: [impl Into<String>; 2],
    ) -> Cut {
        Cut::like(name, JointType::Planar, vec![normal.into()], between)
    }

    /// Leaves a component out, along the axes of its frame, the ground's unless another is chosen;
    /// for cuts of type `body` and `ball`.
    #[must_use]
    pub fn ignore(mut self, component: Component) -> Cut {
        self.ignore.push(placed(component));
        self
    }

    /// Chooses the frame along whose axes components are left out.
    #[must_use]
    pub fn frame(mut self, frame: CutFrame) -> Cut {
        self.frame = Some(placed(frame));
        self
    }

    /// Lets events engage and release the closure, from this state on.
    #[must_use]
    pub fn intermittent(mut self, state: Engagement) -> Cut {
        self.intermittent = Some(placed(state));
        self
    }
}

impl Coupling {
    /// A linear relation between coordinates, such as `"q2 = -3*q1 + 0.1"`.
    pub fn new(name: impl Into<String>, equation: impl Into<String>) -> Coupling {
        Coupling { name: text(name), equation: text(equation) }
    }
}

impl Motion {
    /// A given motion of a joint, as expressions of `t`; speeds and accelerations are its
    /// derivatives unless given.
    pub fn new(joint: impl Into<String>, q: impl ValueList) -> Motion {
        Motion { joint: text(joint), q: list(q), qd: None, qdd: None }
    }

    /// Sets the speeds.
    #[must_use]
    pub fn qd(mut self, speeds: impl ValueList) -> Motion {
        self.qd = Some(list(speeds));
        self
    }

    /// Sets the accelerations.
    #[must_use]
    pub fn qdd(mut self, accelerations: impl ValueList) -> Motion {
        self.qdd = Some(list(accelerations));
        self
    }
}

impl Constraint {
    /// An expression of coordinates and time that is zero.
    pub fn position(name: impl Into<String>, expression: impl Into<Value>) -> Constraint {
        Constraint::of(name, Level::Position, expression)
    }

    /// An expression, linear in the speeds, that is zero.
    pub fn velocity(name: impl Into<String>, expression: impl Into<Value>) -> Constraint {
        Constraint::of(name, Level::Velocity, expression)
    }

    fn of(name: impl Into<String>, level: Level, expression: impl Into<Value>) -> Constraint {
        Constraint { name: text(name), level, expression: scalar(expression), intermittent: None }
    }

    /// Lets events engage and release the constraint, from this state on.
    #[must_use]
    pub fn intermittent(mut self, state: Engagement) -> Constraint {
        self.intermittent = Some(placed(state));
        self
    }
}

impl LineForce {
    /// A point-to-point force, of the length `Z` and its rate `Zd`; positive pulls the ends
    /// together.
    pub fn new(
        name: impl Into<String>,
        between: [impl Into<String>; 2],
        force: impl Into<Value>,
    ) -> LineForce {
        LineForce { name: text(name), between: pair(between), force: scalar(force) }
    }
}

impl Force {
    /// A force at a place, until setters say more zero.
    pub fn new(name: impl Into<String>, at: impl Into<String>) -> Force {
        Force { name: text(name), at: text(at), force: None, torque: None, body_axes: false }
    }

    /// Sets the force; laws may use `x y z vx vy vz wx wy wz` of the place and `t`.
    #[must_use]
    pub fn force(mut self, components: impl IntoValues<3>) -> Force {
        self.force = Some(scalars(components));
        self
    }

    /// Sets the torque, by the same names.
    #[must_use]
    pub fn torque(mut self, components: impl IntoValues<3>) -> Force {
        self.torque = Some(scalars(components));
        self
    }

    /// Takes the components along the axes of the place instead of the ground's.
    #[must_use]
    pub fn in_body_axes(mut self) -> Force {
        self.body_axes = true;
        self
    }
}

/// A method for each law of a wheel.
macro_rules! laws {
    ($($index:literal $name:ident $meaning:literal;)*) => {$(
        #[doc = concat!("Sets the law of ", $meaning, ".")]
        #[must_use]
        pub fn $name(mut self, law: impl Into<Value>) -> Wheel {
            self.laws[$index] = Some(scalar(law));
            self
        }
    )*};
}

/// Laws may use `depth`, `depth_rate`, `camber`, `speed`, `spin`, `slip`, `side_slip`, `t`, and all
/// but `vertical` also `Fz`. A law that is not set is zero.
impl Wheel {
    /// A wheel on the ground; its axle is the axis of the body's joint, its centre the body's
    /// origin.
    pub fn new(
        name: impl Into<String>,
        body: impl Into<String>,
        radius: impl Into<Value>,
    ) -> Wheel {
        Wheel {
            name: text(name),
            body: text(body),
            axle: None,
            radius: scalar(radius),
            ground: None,
            rolling: false,
            laws: Default::default(),
        }
    }

    /// Sets the axle where the body's joint has none.
    #[must_use]
    pub fn axle(mut self, axis: impl Into<Axis>) -> Wheel {
        self.axle = Some(axis.into());
        self
    }

    /// Sets the height of the ground, an expression of `x`, `y`, `t`.
    #[must_use]
    pub fn ground(mut self, height: impl Into<Value>) -> Wheel {
        self.ground = Some(scalar(height));
        self
    }

    /// Lets it roll without slipping, as constraints instead of laws.
    #[must_use]
    pub fn rolling(mut self) -> Wheel {
        self.rolling = true;
        self
    }

    laws! {
        0 vertical "the force along the ground's normal";
        1 longitudinal "the force forward";
        2 lateral "the force to the left";
        3 roll "the moment about the forward direction";
        4 pitch "the moment about the direction to the left";
        5 yaw "the moment about the normal";
    }
}

impl Sensor {
    /// A sensor at a place.
    pub fn new(
        name: impl Into<String>,
        at: impl Into<String>,
        measures: impl IntoIterator<Item = Measure>,
    ) -> Sensor {
        let measures = measures.into_iter().map(placed).collect();
        Sensor { name: text(name), at: text(at), measures, relative_to: None }
    }

    /// Sets the body relative to which it measures; without one, the ground.
    #[must_use]
    pub fn relative_to(mut self, body: impl Into<String>) -> Sensor {
        self.relative_to = Some(text(body));
        self
    }
}

impl UserInput {
    /// A number that comes from outside; zero where nothing else gives one.
    pub fn new(name: impl Into<String>) -> UserInput {
        UserInput {
            name: text(name),
            value: None,
            unit: None,
            limits: None,
            filter: None,
            derivatives: None,
            about: None,
        }
    }

    /// Sets its number, or its course as an expression of time, where nothing else gives one.
    #[must_use]
    pub fn value(mut self, value: impl Into<Value>) -> UserInput {
        self.value = Some(scalar(value));
        self
    }

    /// Sets the lower and the upper limit.
    #[must_use]
    pub fn limits(mut self, lower: impl Into<Value>, upper: impl Into<Value>) -> UserInput {
        self.limits = Some([scalar(lower), scalar(upper)]);
        self
    }

    /// Sets the number of its derivatives that are inputs, too, one or two, if motions do not
    /// decide it.
    #[must_use]
    pub fn derivatives(mut self, count: u32) -> UserInput {
        self.derivatives = Some(placed(count));
        self
    }

    /// Lets joints follow it through a filter with a time constant in seconds.
    #[must_use]
    pub fn filter(mut self, time: impl Into<Value>) -> UserInput {
        self.filter = Some(scalar(time));
        self
    }

    /// Sets the unit of its value and limits; without one they are SI.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> UserInput {
        self.unit = Some(text(unit));
        self
    }

    /// Sets a sentence about it.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> UserInput {
        self.about = Some(text(about));
        self
    }
}

/// Setters of a controller's numbers.
macro_rules! numbers_of_controllers {
    ($($key:ident $about:literal)*) => {
        impl Controller {
            $(
                #[doc = $about]
                #[must_use]
                pub fn $key(mut self, value: impl Into<Value>) -> Controller {
                    self.$key = Some(scalar(value));
                    self
                }
            )*
        }
    };
}

numbers_of_controllers! {
    every "Sets the period of its samples; without one it is continuous."
    first "Sets the time of a sample, from which the others are counted."
    delay "Sets the time from a sample to when its output is applied."
    quantum "Sets the step of its output."
    output "Sets the output of a law."
    input "Sets the input of a block: of a `pid` the error."
    kp "Sets the proportional gain of a `pid`."
    ki "Sets the integral gain of a `pid`."
    kd "Sets the derivative gain of a `pid`."
    time "Sets the time constant of a filter."
    rise "Sets the largest rate at which a `rate_limit` rises."
    fall "Sets the largest rate at which a `rate_limit` falls."
}

impl Controller {
    /// A controller; its type is a law unless another is set.
    pub fn new(name: impl Into<String>) -> Controller {
        Controller {
            span: Span::default(),
            name: text(name),
            kind: None,
            every: None,
            first: None,
            delay: None,
            hold: None,
            quantum: None,
            limits: None,
            initial: Vec::new(),
            unit: None,
            about: None,
            states: Vec::new(),
            output: None,
            input: None,
            kp: None,
            ki: None,
            kd: None,
            time: None,
            rise: None,
            fall: None,
            numerator: None,
            denominator: None,
        }
    }

    /// Sets its type.
    #[must_use]
    pub fn kind(mut self, kind: ControllerType) -> Controller {
        self.kind = Some(placed(kind));
        self
    }

    /// Sets the output between samples.
    #[must_use]
    pub fn hold(mut self, hold: HoldType) -> Controller {
        self.hold = Some(placed(hold));
        self
    }

    /// Sets the lower and the upper limit of its output.
    #[must_use]
    pub fn limits(mut self, lower: impl Into<Value>, upper: impl Into<Value>) -> Controller {
        self.limits = Some([scalar(lower), scalar(upper)]);
        self
    }

    /// Adds a state with its rate, or with its next value if it is sampled.
    #[must_use]
    pub fn state(mut self, name: impl Into<String>, law: impl Into<Value>) -> Controller {
        self.states.push(Setting { target: text(name), value: scalar(law) });
        self
    }

    /// Sets the initial value of a state, or of `output`.
    #[must_use]
    pub fn initial(mut self, name: impl Into<String>, value: impl Into<Value>) -> Controller {
        self.initial.push(Setting { target: text(name), value: scalar(value) });
        self
    }

    /// Sets the coefficients of a transfer function.
    #[must_use]
    pub fn coefficients(
        mut self,
        numerator: impl ValueList,
        denominator: impl ValueList,
    ) -> Controller {
        self.numerator = Some(list(numerator));
        self.denominator = Some(list(denominator));
        self
    }

    /// Sets the unit of its output.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> Controller {
        self.unit = Some(text(unit));
        self
    }

    /// Sets a sentence about it.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> Controller {
        self.about = Some(text(about));
        self
    }
}

impl UserOutput {
    /// A number that is recorded while the mechanism moves: an expression of everything that moves.
    pub fn new(name: impl Into<String>, value: impl Into<Value>) -> UserOutput {
        UserOutput { name: text(name), value: scalar(value), unit: None, about: None }
    }

    /// Sets the unit, which is SI.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> UserOutput {
        self.unit = Some(text(unit));
        self
    }

    /// Sets a sentence about it.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> UserOutput {
        self.about = Some(text(about));
        self
    }
}

impl UserState {
    /// A state besides coordinates and speeds, by its time derivative; it begins at zero.
    pub fn new(name: impl Into<String>, rate: impl Into<Value>) -> UserState {
        UserState { name: text(name), initial: None, rate: scalar(rate), unit: None, about: None }
    }

    /// Sets the initial value.
    #[must_use]
    pub fn initial(mut self, value: impl Into<Value>) -> UserState {
        self.initial = Some(scalar(value));
        self
    }

    /// Sets the unit of the initial value; without one it is SI.
    #[must_use]
    pub fn unit(mut self, unit: impl Into<String>) -> UserState {
        self.unit = Some(text(unit));
        self
    }

    /// Sets a sentence about it.
    #[must_use]
    pub fn about(mut self, about: impl Into<String>) -> UserState {
        self.about = Some(text(about));
        self
    }
}

/// Actions are done in this order, whatever the order of setters: `set`, `impact`, `lock`,
/// `unlock`, `engage`, `release`, `end`.
impl Event {
    /// An event where a condition passes zero. It must get an action or a message.
    pub fn new(name: impl Into<String>, when: impl Into<Value>) -> Event {
        Event {
            name: text(name),
            when: scalar(when),
            direction: None,
            set: Vec::new(),
            impact: None,
            lock: Vec::new(),
            unlock: Vec::new(),
            engage: Vec::new(),
            release: Vec::new(),
            end: false,
            message: None,
        }
    }

    /// Sets the direction in which the condition must pass zero; without one, either.
    #[must_use]
    pub fn direction(mut self, direction: Crossing) -> Event {
        self.direction = Some(placed(direction));
        self
    }

    /// Gives a coordinate, a speed (`"z.d"`) or a state a new value, of what holds before the
    /// event.
    #[must_use]
    pub fn set(mut self, target: impl Into<String>, value: impl Into<Value>) -> Event {
        self.set.push(Setting { target: text(target), value: scalar(value) });
        self
    }

    /// Strikes along the coordinate of a joint: its speed becomes `-restitution` times what it was.
    #[must_use]
    pub fn impact(mut self, joint: impl Into<String>, restitution: impl Into<Value>) -> Event {
        self.impact = Some(Impact { joint: text(joint), restitution: scalar(restitution) });
        self
    }

    /// Locks a joint where it is.
    #[must_use]
    pub fn lock(mut self, joint: impl Into<String>) -> Event {
        self.lock.push(text(joint));
        self
    }

    /// Lets a locked joint move.
    #[must_use]
    pub fn unlock(mut self, joint: impl Into<String>) -> Event {
        self.unlock.push(text(joint));
        self
    }

    /// Engages an intermittent loop closure or constraint.
    #[must_use]
    pub fn engage(mut self, constraint: impl Into<String>) -> Event {
        self.engage.push(text(constraint));
        self
    }

    /// Releases an intermittent loop closure or constraint.
    #[must_use]
    pub fn release(mut self, constraint: impl Into<String>) -> Event {
        self.release.push(text(constraint));
        self
    }

    /// Ends the simulation.
    #[must_use]
    pub fn end(mut self) -> Event {
        self.end = true;
        self
    }

    /// Sets a message for the report of the simulation.
    #[must_use]
    pub fn message(mut self, message: impl Into<String>) -> Event {
        self.message = Some(text(message));
        self
    }
}
