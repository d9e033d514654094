//! Programs to begin with, and the small model of this documentation's examples.
//!
//! Each program is a file of the folder `examples` of this crate; `cargo run --example NAME` runs
//! it from the root of the project.
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
//! ```
//! let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
//! assert_eq!(model.name(), "pendulum");
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
