//! Mechanisms in Rust code: a builder of what model files say.
//!
//! A [`Draft`] is a model under construction. [`Draft::new`] names it, setters say what `[model]`
//! says in a file, and [`Draft::add`] takes elements: bodies, joints, cuts, forces, sensors and so
//! on. Every element is a plain value that is made by a constructor with all that it needs and
//! completed by setters with the keys of the model file, whose manual page
//! (`docs/manual/model-file.md`) says what each means.
//!
//! ```
//! # extern crate rotule_model as rotule;
//! use rotule::build::{Body, Draft, Joint, Measure, Sensor};
//!
//! let mut pendulum = Draft::new("pendulum");
//! pendulum.gravity([0.0, 0.0, -9.81]);
//! pendulum.parameter("l", 0.5);
//! pendulum.parameter("m", "250 g");
//! pendulum.add(
//!     Body::new("rod")
//!         .parent("ground")
//!         .joint(Joint::revolute("q", "y").effort("-0.01*qd"))
//!         .mass("m")
//!         .com((0, 0, "-l/2"))
//!         .inertia(("m*l^2/12", "m*l^2/12", 0))
//!         .point("tip", (0, 0, "-l")),
//! );
//! pendulum.add(Sensor::new("tip", "rod.tip", [Measure::Position]));
//! pendulum.initial_q("q", "30 deg");
//!
//! let mechanism = pendulum.load()?.mechanism;
//! assert_eq!(mechanism.coordinates.len(), 1);
//! # Ok::<(), rotule_model::Rejected>(())
//! ```
//!
//! # Values
//!
//! Wherever a number can stand in a model file, setters take `impl Into<Value>`: a number, an
//! expression of parameters (`"l/2"`, or a `String` from `format!`), or a number with its unit
//! (`"250 g"`). Three values are an array of one kind (`[0.0, 0.0, -9.81]`, `["l/2", "0", "0"]`) or
//! a tuple of any (`("l/2", 0, 0)`); see [`IntoValues`]. Where a joint may have several
//! coordinates, one value or a list will do; see [`ValueList`].
//!
//! Integers and fractions in expressions are exact, so write `"pi/2"` rather than a rounded number:
//! a rotation by exactly a quarter turn costs nothing in the equations.
//!
//! | in a file | in code |
//! |---|---|
//! | `axis = "-y"`, `axis = [0, 1, 1]` | `"-y"`, `[0, 1, 1]`: `impl Into<Axis>` |
//! | `rotation = ["pi/2", 0, 0]` | `("pi/2", 0, 0)`: `impl Into<Rotation>` |
//! | `rotation = { axis = "z", angle = "a" }` | [`Rotation::about`]`("z", "a")`; also [`Rotation::quaternion`] and [`Rotation::matrix`] |
//! | `inertia = { xx = 1, yy = 2, zz = 3 }` | `[1, 2, 3]`: `impl Into<Inertia>` |
//! | `inertia = { yy = 2, xy = 0.1 }` | [`Inertia::new`]`().yy(2).xy(0.1)` |
//!
//! # Elements
//!
//! | in a file | in code |
//! |---|---|
//! | `[model]` | [`Draft::new`], [`about`](Draft::about), [`gravity`](Draft::gravity), [`baumgarte`](Draft::baumgarte), [`accept`](Draft::accept), [`redundant`](Draft::redundant) |
//! | `[parameters]` | [`Draft::parameter`], or [`Parameter::new`] with a unit or a sentence about it |
//! | `[ground]` | [`Draft::ground_point`], [`Draft::ground_point_with_axes`], [`Draft::ground_shape`] |
//! | `[[body]]` | [`Body::new`] |
//! | `joint = ..` of a body | [`Body::joint`] with [`Joint::revolute`] or another type; several make a chain |
//! | `[[joint]]` | [`Joint::between`] |
//! | `[[cut]]` | [`Cut::ball`], [`Cut::body`], [`Cut::rod`], [`Cut::revolute`] and so on |
//! | `[[coupling]]`, `[[motion]]`, `[[constraint]]` | [`Coupling::new`], [`Motion::new`], [`Constraint::position`], [`Constraint::velocity`] |
//! | `[[line_force]]`, `[[force]]`, `[[wheel]]` | [`LineForce::new`], [`Force::new`], [`Wheel::new`] |
//! | `[[sensor]]`, `[[state]]`, `[[external]]` | [`Sensor::new`], [`UserState::new`], [`External::new`] |
//! | `[[input]]`, `[[output]]`, `[[controller]]`, `[[event]]` | [`UserInput::new`], [`UserOutput::new`], [`Controller::new`], [`Event::new`] |
//! | `[initial.q]`, `[initial.qd]` | [`Draft::initial_q`], [`Draft::initial_qd`] |
//!
//! Elements are added one by one, so loops and functions make families of them:
//!
//! ```
//! # extern crate rotule_model as rotule;
//! use rotule::build::{Body, Draft, Joint};
//!
//! let mut chain = Draft::new("chain");
//! for i in 1..=8 {
//!     let parent = if i == 1 { "ground".to_owned() } else { format!("link{}.end", i - 1) };
//!     chain.add(
//!         Body::new(format!("link{i}"))
//!             .parent(parent)
//!             .joint(Joint::revolute(format!("q{i}"), "y"))
//!             .mass(1)
//!             .com([0.0, 0.0, -0.5])
//!             .point("end", [0, 0, -1]),
//!     );
//! }
//! assert_eq!(chain.load()?.mechanism.speeds.len(), 8);
//! # Ok::<(), rotule_model::Rejected>(())
//! ```
//!
//! # Mistakes
//!
//! Nothing is checked while a draft is made. [`Draft::load`] writes it as a model file
//! ([`Draft::text`]) and loads that, so that all checks, messages and equations are those of the
//! file. A message shows the line of that text:
//!
//! ```
//! # extern crate rotule_model as rotule;
//! use rotule::build::{Body, Draft};
//!
//! let mut model = Draft::new("lever");
//! model.add(Body::new("rod").parent("grund").mass(1));
//! let rejected = model.load().err().expect("there is no `grund`");
//! assert_eq!(
//!     rejected.to_string(),
//!     r#"error[unknown-name]: the parent of body `rod` names `grund`, but there is no such body
//!  --> lever (built in code):6:11
//!   |
//! 6 | parent = "grund"
//!   |           ^^^^^
//!   = help: did you mean `ground`?
//! "#
//! );
//! ```

mod elements;
mod parts;
mod shapes;
mod values;

pub use crate::draft::{
    Axis, Body, BodyShape, Component, Constraint, Controller, ControllerType, Coupling, Crossing,
    Cut, CutFrame, Draft, Event, External, Force, Friction, HoldType, Inertia, InertiaOf, Joint,
    LineForce, LinkConvention, LooseJoint, Measure, Motion, Parameter, PartitionRole, Redundant,
    Rotation, Sensor, UserInput, UserOutput, UserState, Value, Wheel,
};
pub use crate::solid::SolidType;
pub use values::{IntoValues, ValueList};

use crate::diagnostic::DiagnosticCode;
use crate::draft::{Initial, Point};
use crate::read::{Format, ReadOptions};
use crate::texts::{Accepted, Rejected, Texts};
use crate::write::write;
use values::{list, placed, scalar, scalars, text};

/// A part of a model that [`Draft::add`] takes.
pub trait Element {
    /// Appends the element to its kind.
    fn add_to(self, draft: &mut Draft);
}

/// Elements and the lists that hold them.
macro_rules! elements {
    ($($type:ident $list:ident;)*) => {$(
        impl Element for $type {
            fn add_to(self, draft: &mut Draft) {
                draft.$list.push(self);
            }
        }
    )*};
}

elements! {
    Parameter parameters;
    External externals;
    Body bodies;
    LooseJoint joints;
    Cut cuts;
    Coupling couplings;
    Motion motions;
    Constraint constraints;
    LineForce line_forces;
    Force forces;
    Wheel wheels;
    Sensor sensors;
    UserInput inputs;
    UserOutput outputs;
    Controller controllers;
    UserState states;
    Event events;
}

/// Models in code; see [`crate::build`].
impl Draft {
    /// A model of the ground alone.
    pub fn new(name: impl Into<String>) -> Draft {
        Draft { name: Some(text(name)), ..Draft::default() }
    }

    /// Sets a sentence about the model.
    pub fn about(&mut self, about: impl Into<String>) -> &mut Draft {
        self.about = Some(text(about));
        self
    }

    /// Sets gravity in the ground's components; without it, `[0, 0, -9.81]`.
    pub fn gravity(&mut self, gravity: impl IntoValues<3>) -> &mut Draft {
        self.gravity = Some(scalars(gravity));
        self
    }

    /// Sets the gains of the augmented equations in 1/s; without them, 10 and 10.
    pub fn baumgarte(&mut self, alpha: impl Into<Value>, beta: impl Into<Value>) -> &mut Draft {
        self.baumgarte = Some([scalar(alpha), scalar(beta)]);
        self
    }

    /// Accepts warnings of a code: they are known and not shown.
    pub fn accept(&mut self, code: DiagnosticCode) -> &mut Draft {
        self.accept.push(placed(code));
        self
    }

    /// Sets what becomes of constraints that repeat others; without it, they are set aside.
    pub fn redundant(&mut self, redundant: Redundant) -> &mut Draft {
        self.redundant = Some(placed(redundant));
        self
    }

    /// Adds a parameter, or an abbreviation if the value is an expression. [`Parameter`] says more
    /// about one.
    pub fn parameter(&mut self, name: impl Into<String>, value: impl Into<Value>) -> &mut Draft {
        self.add(Parameter::new(name, value))
    }

    /// Adds a point of the ground, which others call `"ground.point"`.
    pub fn ground_point(
        &mut self,
        name: impl Into<String>,
        position: impl IntoValues<3>,
    ) -> &mut Draft {
        self.ground.push(Point::new(name, position));
        self
    }

    /// Adds a shape that stands still.
    pub fn ground_shape(&mut self, shape: BodyShape) -> &mut Draft {
        self.ground_shapes.push(shape);
        self
    }

    /// Adds a point of the ground with axes of its own.
    pub fn ground_point_with_axes(
        &mut self,
        name: impl Into<String>,
        position: impl IntoValues<3>,
        rotation: impl Into<Rotation>,
    ) -> &mut Draft {
        self.ground.push(Point::new(name, position).with_axes(rotation));
        self
    }

    /// Adds an element: a body, a joint between two places, a cut, a force and so on.
    pub fn add(&mut self, element: impl Element) -> &mut Draft {
        element.add_to(self);
        self
    }

    /// Adds the initial coordinates of a joint; without them they are zero, a quaternion the
    /// identity.
    pub fn initial_q(&mut self, joint: impl Into<String>, values: impl ValueList) -> &mut Draft {
        self.initial_q.push(Initial { joint: text(joint), values: list(values) });
        self
    }

    /// Adds the initial speeds of a joint; without them they are zero.
    pub fn initial_qd(&mut self, joint: impl Into<String>, values: impl ValueList) -> &mut Draft {
        self.initial_qd.push(Initial { joint: text(joint), values: list(values) });
        self
    }

    /// Changes a body that exists by its own setters; false if there is none of that name.
    ///
    /// ```
    /// # extern crate rotule_model as rotule;
    /// use rotule::build::{Body, Draft};
    ///
    /// let mut model = Draft::new("lever");
    /// model.add(Body::new("rod").mass(1));
    /// assert!(model.edit_body("rod", |rod| rod.mass(2)));
    /// assert!(!model.edit_body("rot", |rod| rod.mass(2)));
    /// assert!(model.text().contains("mass = 2"));
    /// ```
    #[must_use]
    pub fn edit_body(&mut self, name: &str, change: impl FnOnce(Body) -> Body) -> bool {
        let found = self.bodies.iter_mut().find(|body| body.name.value == name);
        found.map(|body| *body = change(body.clone())).is_some()
    }

    /// Changes a joint that exists by its own setters, in a body or apart; false if there is none
    /// of that name. Models of other formats get laws for their joints in this way.
    #[must_use]
    pub fn edit_joint(&mut self, name: &str, change: impl FnOnce(Joint) -> Joint) -> bool {
        let of_bodies = self.bodies.iter_mut().flat_map(|body| &mut body.joints);
        let mut all = of_bodies.chain(self.joints.iter_mut().map(|loose| &mut loose.joint));
        let found = all.find(|joint| joint.name.as_ref().is_some_and(|own| own.value == name));
        found.map(|joint| *joint = change(joint.clone())).is_some()
    }

    /// The model as a model file.
    pub fn text(&self) -> String {
        write(self)
    }

    /// The model as texts that can be completed and loaded: its model file, under the name `NAME
    /// (built in code)`.
    pub fn texts(&self) -> Texts {
        let name = self.name.as_ref().map_or("model", |name| &name.value);
        Texts::new(format!("{name} (built in code)"), self.text()).in_format(Format::Native)
    }

    /// Checks the model as if it had been read from its file, and makes a mechanism of it.
    pub fn load(&self) -> Result<Accepted, Rejected> {
        self.texts().load(&ReadOptions::default())
    }
}
