//! Units of what functions take and give, read off the joints: SI, angles in radians.

use crate::ModelFunction;
use crate::function::{By, FunctionOutput, OutputUnit};
use rotule_model::mechanism::Mechanism;

/// Units of all coordinates; those of quaternions have none.
pub fn of_coordinates(mechanism: &Mechanism) -> Vec<&'static str> {
    let each = mechanism.joints.iter().flat_map(|joint| {
        let kind = joint.kind;
        let quaternion = kind.quaternion().unwrap_or(kind.coordinates());
        let of_quaternion = (quaternion..kind.coordinates()).map(|_| "1");
        kind.along()[..quaternion].iter().map(|along| along.choose("m", "rad")).chain(of_quaternion)
    });
    each.collect()
}

/// Units of quantities that there is one of for each speed: for a length, for an angle.
pub fn by_speed(mechanism: &Mechanism, units: [&'static str; 2]) -> Vec<&'static str> {
    let along = mechanism.joints.iter().flat_map(|joint| joint.kind.along());
    along.map(|along| along.choose(units[0], units[1])).collect()
}

/// Units of speeds: of a length, of an angle.
pub const SPEED: [&str; 2] = ["m/s", "rad/s"];
/// Units of accelerations.
pub const ACCELERATION: [&str; 2] = ["m/s^2", "rad/s^2"];
/// Units of efforts.
pub const EFFORT: [&str; 2] = ["N", "N m"];

/// The unit of an output of a function, or of its rows; empty if there is none for all.
pub fn of_output(mechanism: &Mechanism, function: &ModelFunction, output: &str) -> String {
    function.output(mechanism, output).map_or(String::new(), |output| of(mechanism, &output))
}

fn of(mechanism: &Mechanism, output: &FunctionOutput) -> String {
    match output {
        FunctionOutput::Own(output) => match output.unit {
            OutputUnit::Fixed(unit) => unit.to_owned(),
            OutputUnit::BySpeed(units) => of_speeds(mechanism, units),
            OutputUnit::StateRates => of_rates(mechanism),
            OutputUnit::Mixed => String::new(),
        },
        FunctionOutput::Derivative(output, by) => {
            let above = of(mechanism, output);
            let below = match by {
                By::Coordinates => "displacement",
                By::Speeds => "speed",
                By::Accelerations => "acceleration",
                By::Efforts => "effort",
                By::States => "state",
                By::Inputs => "input",
                By::Time => "s",
                By::Parameter(_) | By::Parameters(_) => "unit of the parameter",
            };
            if above.is_empty() { above } else { format!("{above} per {below}") }
        }
    }
}

/// The unit of entries by speed, in words if lengths and angles have their own.
fn of_speeds(mechanism: &Mechanism, units: [&'static str; 2]) -> String {
    let mut all = by_speed(mechanism, units);
    all.dedup();
    match all.as_slice() {
        [] => String::new(),
        [one] => (*one).to_owned(),
        _ => format!("{} or {} by joint", units[0], units[1]),
    }
}

/// The unit of the rates of states, if there is one for all.
fn of_rates(mechanism: &Mechanism) -> String {
    let mut units: Vec<&str> = mechanism.states.iter().map(|one| one.unit.as_str()).collect();
    units.dedup();
    match units.as_slice() {
        [unit] if !unit.is_empty() => format!("{unit}/s"),
        _ => String::new(),
    }
}
