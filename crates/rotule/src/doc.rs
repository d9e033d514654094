//! Small models for the examples of this documentation.

/// A pendulum: the joint `q` about y, the parameters `m` and `l`.
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
