//! Linear algebra on outputs: modes of a double pendulum from its mass matrix and the derivative of
//! its bias.
//!
//! `cargo run --example linear_algebra`

use nalgebra::DMatrix;
use rotule::{Error, Model};

/// Two point masses of 1 kg on rods of 1 m, hanging.
const DOUBLE_PENDULUM: &str = r#"
[model]
name = "double_pendulum"
gravity = [0, -9.81, 0]

[[body]]
name = "upper"
parent = "ground"
joint = { name = "q1", type = "revolute", axis = "z" }
mass = 1
com = [0, -1, 0]
points.tip = [0, -1, 0]

[[body]]
name = "lower"
parent = "upper.tip"
joint = { name = "q2", type = "revolute", axis = "z" }
mass = 1
com = [0, -1, 0]
"#;

fn main() -> Result<(), Error> {
    let model = Model::read("double_pendulum.toml", DOUBLE_PENDULUM)?;
    let state = model.neutral();
    // M qdd + K q = 0 near a position of rest.
    let mass = model.function("mass")?;
    let stiffness = model.function("derivative(bias, q)")?;
    let matrix = |function: &rotule::Function| -> Result<DMatrix<f64>, Error> {
        let mut kernel = function.compile()?;
        kernel.evaluate_at(&state)?;
        let output = &function.outputs()[0];
        let (rows, columns) = output.shape();
        Ok(DMatrix::from_row_slice(rows, columns, kernel.output_of(&output.name)?))
    };
    let (mass, stiffness) = (matrix(&mass)?, matrix(&stiffness)?);
    let inverse = mass.try_inverse().expect("the mass matrix is positive definite");
    let mut squares: Vec<f64> =
        (inverse * stiffness).complex_eigenvalues().iter().map(|square| square.re).collect();
    squares.sort_by(f64::total_cmp);
    for square in squares {
        println!("{:.6} rad/s", square.abs().sqrt());
    }
    Ok(())
}
