//! Programs to begin with, and the small models of this documentation's examples.
//!
//! Each program is a file of the folder `examples` of this crate; `cargo run -p rotule --example
//! NAME` runs it in the project. Copied into a crate of one's own they run as they are: models are
//! those of this page, or the file that is given as an argument.
//!
//! # A robot from its file to torques, a motion and C
//!
//! ```no_run
#![doc = include_str!("../examples/start.rs")]
//! ```
//!
//! # Torques by name
//!
//! ```no_run
#![doc = include_str!("../examples/evaluate.rs")]
//! ```
//!
//! # Many states at once
//!
//! ```no_run
#![doc = include_str!("../examples/batch.rs")]
//! ```
//!
//! # A closed loop with an observer
//!
//! ```no_run
#![doc = include_str!("../examples/observe.rs")]
//! ```
//!
//! # A robot under control
//!
//! ```no_run
#![doc = include_str!("../examples/control.rs")]
//! ```
//!
//! # A mechanism in code
//!
//! ```no_run
#![doc = include_str!("../examples/build.rs")]
//! ```
//!
//! # A law in Rust
//!
//! ```no_run
#![doc = include_str!("../examples/custom_law.rs")]
//! ```
//!
//! # A study
//!
//! ```no_run
#![doc = include_str!("../examples/study.rs")]
//! ```
//!
//! # Linear algebra on outputs
//!
//! ```no_run
#![doc = include_str!("../examples/linear_algebra.rs")]
//! ```
//!
//! # Source code
//!
//! ```no_run
#![doc = include_str!("../examples/generate.rs")]
//! ```
//!
//! # A model file
//!
//! A model file is TOML. [`PENDULUM`] is a small one, [`FOUR_BAR`] has a closed loop, a spring and a
//! sensor. Bodies form a tree: each hangs on the place `parent` by its `joint`, and `[[cut]]` closes
//! a loop between two places. A place is `BODY` or `BODY.POINT`. Every number may be an expression
//! of parameters in quotes, `"l/2"`, or a number with its unit, `"30 deg"`. A joint of one degree of
//! freedom gives its name to the coordinate. Points stand in their body, `points.end = [x, y, z]`,
//! those of the ground below `[ground.points]`; initial values below `[initial.q]` and
//! `[initial.qd]`. Other tables are `[[coupling]]`, `[[motion]]`,
//! `[[constraint]]`, `[[force]]`, `[[wheel]]`, `[[state]]`, `[[event]]` and `[[external]]`; the page
//! `docs/manual/model-file.md` of the project has all keys, and an unknown key is an error that
//! offers the known ones.
//!
//! ```
//! let model = rotule::Model::read("four_bar.toml", rotule::doc::FOUR_BAR)?;
//! println!("{}", model.check()); // the tree, the loop, degrees of freedom
//!
//! // Initial values of a loop are guesses; `q1` stays as it is written, the others follow.
//! let (state, changes) = model.assemble(&["q1"])?;
//! assert_eq!(state.get("q1")?, 1.0);
//! assert!(changes.iter().all(|change| change.name != "q1"));
//! # Ok::<(), rotule::Error>(())
//! ```
//!
//! # A load at the hand
//!
//! A force on a body is part of the model. A text that completes the file gives the hand a place and
//! a force whose components are parameters, so that they change without anything being generated
//! anew, and from state to state of a batch:
//!
//! ```
//! use rotule::Model;
//!
//! let load = r#"
//! [parameters]
//! weight = 0
//!
//! [[body]]
//! name = "lower"
//! points.hand = [0, 0, 0.3]
//!
//! [[force]]
//! name = "load"
//! at = "lower.hand"
//! force = [0, 0, "-weight"]
//! "#;
//! let robot = Model::options().with_text("load.toml", load).read("arm.urdf", rotule::doc::ARM)?;
//! let mut kernel = robot.function("inverse")?.compile()?;
//!
//! // One posture with three loads in newtons, one row for each.
//! let (q, zeros, mut torques) = ([0.5, 1.0].repeat(3), [0.0; 6], [0.0; 6]);
//! let inputs = [("q", &q[..]), ("qd", &zeros), ("qdd", &zeros), ("weight", &[0.0, 10.0, 20.0])];
//! kernel.batch(&inputs, &mut [("effort", &mut torques)])?;
//!
//! // The load's share is its power per speed, so the Jacobian of the hand has it, too.
//! let mut state = robot.neutral();
//! state.q.copy_from_slice(&q[..2]);
//! let jacobian = robot.evaluate("jacobian(lower.hand)", &state)?;
//! let lift = jacobian.output("J")?.get("z", "elbow")?;
//! assert!((torques[3] - torques[1] - 10.0 * lift).abs() < 1e-12);
//! # Ok::<(), rotule::Error>(())
//! ```
//!
//! # Forces in joints along a motion
//!
//! Forces of loop closures are channels: `lambda.pin.x` and so on, if they are kept. Forces that the
//! joints of the tree transmit are a function of the state, for all points of a run at once:
//!
//! ```
//! use rotule::Model;
//!
//! let model = Model::read("four_bar.toml", rotule::doc::FOUR_BAR)?;
//! let run = model.simulate().to(0.5).every(0.01).keep("lambda.pin").run()?;
//! println!("force of the loop closure at first: {:.3} N", run.channel("lambda.pin.x")?[0]);
//!
//! // One row of coordinates and one of speeds for each point.
//! let points = run.time().len();
//! let rows = |names: &[&str]| -> Result<Vec<f64>, rotule::Error> {
//!     let columns = names.iter().map(|name| run.channel(name)).collect::<Result<Vec<_>, _>>()?;
//!     Ok((0..points).flat_map(|at| columns.iter().map(move |column| column[at])).collect())
//! };
//! let (q, qd) = (rows(&model.coordinates())?, rows(&model.speeds())?);
//! let effort = vec![0.0; qd.len()]; // efforts beyond those of the joint laws
//!
//! // Trees without loops have `reactions` instead.
//! let function = model.function("closed_reactions")?;
//! let output = &function.outputs()[0]; // Fx, Fy, Fz, Tx, Ty, Tz of each body's joint
//! let mut forces = vec![0.0; points * output.len()];
//! let inputs = [("q", &q[..]), ("qd", &qd), ("effort", &effort)];
//! function.compile()?.batch(&inputs, &mut [(&output.name, &mut forces)])?;
//! assert_eq!(output.rows, ["crank", "coupler", "rocker"]);
//! println!("pin of the crank at first: {:.3} N, {:.3} N", forces[0], forces[1]);
//! # assert!(forces.iter().all(|force| force.is_finite()));
//! # Ok::<(), rotule::Error>(())
//! ```

/// A pendulum as a model file: a rod that turns about y by the joint `q`, with the parameters `m`
/// and `l`, and its tip `rod.tip`.
pub const PENDULUM: &str = r#"
[model]
name = "pendulum"
gravity = [0, 0, -9.81]

[parameters]
m = { value = 1, unit = "kg" }
l = { value = 0.5, unit = "m" }

[[body]]
name = "rod"
parent = "ground"
joint = { name = "q", type = "revolute", axis = "y" }
mass = "m"
com = [0, 0, "-l"]
inertia = { xx = 0.01, yy = 0.01, zz = 0.01 }
points = { tip = [0, 0, "-l"] }

[initial.q]
q = 0.5
"#;

/// A four-bar linkage as a model file: crank `q1`, coupler `q2` and rocker `q3`, the loop closure
/// `pin`, the line force `spring` and the sensor `tip`.
pub const FOUR_BAR: &str = r#"
[model]
name = "four_bar"
gravity = [0, -9.81, 0]

[parameters]
a = { value = 0.2, unit = "m", about = "crank" }
b = { value = 0.6, unit = "m", about = "coupler" }
c = { value = 0.5, unit = "m", about = "rocker" }
k = { value = 200, unit = "N/m", about = "stiffness of the spring" }

[ground.points]
right = [0.6, 0, 0]

[[body]]
name = "crank"
parent = "ground"
joint = { name = "q1", type = "revolute", axis = "z" }
mass = 1
com = ["a/2", 0, 0]
inertia = { yy = "a^2/12", zz = "a^2/12" }
points.end = ["a", 0, 0]

[[body]]
name = "coupler"
parent = "crank.end"
joint = { name = "q2", type = "revolute", axis = "z", partition = "dependent" }
mass = 2
com = ["b/2", 0, 0]
inertia = { yy = "2*b^2/12", zz = "2*b^2/12" }
points.end = ["b", 0, 0]

[[body]]
name = "rocker"
parent = "ground.right"
joint = { name = "q3", type = "revolute", axis = "z", partition = "dependent" }
mass = 2
com = ["c/2", 0, 0]
inertia = { yy = "2*c^2/12", zz = "2*c^2/12" }
points.end = ["c", 0, 0]

[[cut]]
name = "pin"
type = "revolute"
axis = "z"
between = ["coupler.end", "rocker.end"]

[[line_force]]
name = "spring"
between = ["crank.end", "rocker"]
force = "k*(Z - 0.4)"

[[sensor]]
name = "tip"
at = "coupler.end"
measures = ["position", "velocity"]

[initial.q]
q1 = 1
q2 = -0.4
q3 = 1.5
"#;

/// An arm of two revolute joints as URDF: the joints `shoulder` and `elbow`, the links `upper` and
/// `lower`.
pub const ARM: &str = r#"<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0 0 0.2"/>
      <mass value="3"/>
      <inertia ixx="0.04" iyy="0.04" izz="0.004" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <link name="lower">
    <inertial>
      <origin xyz="0 0 0.15"/>
      <mass value="2"/>
      <inertia ixx="0.015" iyy="0.015" izz="0.002" ixy="0" ixz="0" iyz="0"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/>
    <child link="upper"/>
    <axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="80" velocity="3"/>
  </joint>
  <joint name="elbow" type="revolute">
    <parent link="upper"/>
    <child link="lower"/>
    <origin xyz="0 0 0.4"/>
    <axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="40" velocity="3"/>
  </joint>
</robot>
"#;
