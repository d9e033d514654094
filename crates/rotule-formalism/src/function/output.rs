//! The outputs of a function's program: those of its row, or derivatives of those of the function
//! that it differentiates.

use super::{Argument, By, ModelFunction, OutputRow, outputs};
use rotule_model::draft::Measure;
use rotule_model::mechanism::Mechanism;

/// An output of the program of a function.
pub(crate) enum FunctionOutput {
    /// An output of the function's row.
    Own(&'static OutputRow),
    /// The derivative of an output by a variable.
    Derivative(Box<FunctionOutput>, By),
}

impl FunctionOutput {
    /// The name in the program.
    pub fn name(&self, mechanism: &Mechanism) -> String {
        match self {
            FunctionOutput::Own(output) => output.name.to_owned(),
            FunctionOutput::Derivative(of, by) => {
                by.derivative(&of.name(mechanism), &mechanism.graph)
            }
        }
    }
}

impl ModelFunction {
    /// The outputs that the program can have, in order.
    pub(crate) fn outputs(&self) -> Vec<FunctionOutput> {
        match self.arguments.as_slice() {
            [Argument::Function(inner), Argument::By(by)] => {
                let derivative = |of| FunctionOutput::Derivative(Box::new(of), by.clone());
                inner.outputs().into_iter().map(derivative).collect()
            }
            _ => self.row.outputs.iter().map(FunctionOutput::Own).collect(),
        }
    }

    /// The output of a name.
    pub(crate) fn output(&self, mechanism: &Mechanism, name: &str) -> Option<FunctionOutput> {
        self.outputs().into_iter().find(|output| output.name(mechanism) == name)
    }
}

/// The output that a sensor has for a measured quantity.
pub const fn measured(measure: Measure) -> &'static OutputRow {
    match measure {
        Measure::Position => &outputs::POSITION,
        Measure::Rotation => &outputs::ROTATION,
        Measure::Velocity => &outputs::VELOCITY,
        Measure::AngularVelocity => &outputs::ANGULAR_VELOCITY,
        Measure::Acceleration => &outputs::ACCELERATION,
        Measure::AngularAcceleration => &outputs::ANGULAR_ACCELERATION,
        Measure::Jacobian => &outputs::JACOBIAN,
    }
}
