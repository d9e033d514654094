//! Units of what functions take and give, read off the joints: SI, angles in radians.

use crate::ModelFunction;
use crate::function::{Argument, By};
use crate::labels::Labels;
use rotule_model::draft::{Along, JointType};
use rotule_model::mechanism::Mechanism;

/// Units of all coordinates; those of quaternions have none.
pub fn of_coordinates(mechanism: &Mechanism) -> Vec<&'static str> {
    let each = mechanism.joints.iter().flat_map(|joint| {
        let unit = |along: &Along| if *along == Along::Length { "m" } else { "rad" };
        match joint.kind {
            JointType::Spherical => vec!["1"; 4],
            JointType::Free => vec!["m", "m", "m", "1", "1", "1", "1"],
            kind => kind.along().iter().map(unit).collect(),
        }
    });
    each.collect()
}

/// Units of quantities that there is one of for each speed: for a length, for an angle.
pub fn by_speed(mechanism: &Mechanism, units: [&'static str; 2]) -> Vec<&'static str> {
    let along = mechanism.joints.iter().flat_map(|joint| joint.kind.along());
    along.map(|&along| if along == Along::Length { units[0] } else { units[1] }).collect()
}

/// Units of speeds: of a length, of an angle.
pub const SPEED: [&str; 2] = ["m/s", "rad/s"];
/// Units of accelerations.
pub const ACCELERATION: [&str; 2] = ["m/s^2", "rad/s^2"];
/// Units of efforts.
pub const EFFORT: [&str; 2] = ["N", "N m"];

/// Units of outputs that are the same for all entries.
const FIXED: &[(&str, &str)] = &[
    ("length", "m"),
    ("rate", "m/s"),
    ("depth", "m"),
    ("depth_rate", "m/s"),
    ("camber", "rad"),
    ("slip", "1"),
    ("side_slip", "rad"),
    ("spin", "rad/s"),
    ("speed", "m/s"),
    ("force", "N"),
    ("torque", "N m"),
    ("point", "m"),
    ("position", "m"),
    ("rotation", "1"),
    ("velocity", "m/s"),
    ("angular_velocity", "rad/s"),
    ("acceleration", "m/s^2"),
    ("angular_acceleration", "rad/s^2"),
    ("com", "m"),
    ("com_velocity", "m/s"),
    ("linear", "kg m/s"),
    ("angular", "kg m^2/s"),
    ("kinetic_energy", "J"),
    ("potential_energy", "J"),
    ("power", "W"),
    ("reactions", "N, N m"),
    ("tension", "N"),
    ("lambda", "by constraint: N along, N m about, N/m for a rod"),
];

/// Outputs with one entry per speed.
const PER_SPEED: &[(&str, [&str; 2])] = &[
    ("effort", EFFORT),
    ("c", EFFORT),
    ("missing", EFFORT),
    ("Psi", EFFORT),
    ("Q", EFFORT),
    ("gravity", EFFORT),
    ("coriolis", EFFORT),
    ("qdd", ACCELERATION),
];

/// Outputs that multiply something per speed and give efforts.
const MATRICES: &[(&str, &str)] = &[
    ("M", "efforts per acceleration"),
    ("C", "efforts per speed"),
    ("G", "efforts per speed"),
    ("K", "efforts per displacement"),
    ("Ga", "efforts per effort"),
    ("inverse_mass", "accelerations per effort"),
    ("qdd_by_q", "accelerations per displacement"),
    ("qdd_by_qd", "accelerations per speed"),
    ("qdd_by_effort", "accelerations per effort"),
];

/// Outputs without one unit for all entries: coordinates and constraints have units of their own.
#[cfg(test)]
#[rustfmt::skip]
const MIXED: &[&str] = &[
    "J", "N", "S", "Y", "b", "difference", "e", "h", "inertia", "inverse_inertia", "parameters",
    "q", "qd", "qdot", "value", "when",
];

/// The unit of an output, or of its rows.
pub fn of_output(
    mechanism: &Mechanism,
    function: &ModelFunction,
    output: &str,
    labels: Option<&Labels>,
) -> String {
    if let [Argument::Function(inner), Argument::By(by)] = function.arguments.as_slice() {
        let of = output.rsplit_once("_by_").map_or(output, |(of, _)| of);
        let above = of_output(mechanism, inner, of, None);
        let below = match by {
            By::Coordinates => "displacement",
            By::Speeds => "speed",
            By::Accelerations => "acceleration",
            By::Efforts => "effort",
            By::States => "state",
            By::Parameter(_) => "unit of the parameter",
        };
        return if above.is_empty() { String::new() } else { format!("{above} per {below}") };
    }
    if output == "rate" && matches!(function.row.name, "motion" | "states") {
        return of_rates(mechanism);
    }
    if let Some((_, unit)) = FIXED.iter().find(|(name, _)| *name == output) {
        // A line force's `force` and a wheel's are forces; all else has its own name.
        return (*unit).to_owned();
    }
    if let Some((_, unit)) = MATRICES.iter().find(|(name, _)| *name == output) {
        return (*unit).to_owned();
    }
    let Some((_, units)) = PER_SPEED.iter().find(|(name, _)| *name == output) else {
        return String::new();
    };
    let mut all = by_speed(mechanism, *units);
    if let Some(Labels::Vector(rows)) = labels
        && rows.len() != all.len()
    {
        return String::new();
    }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::labels::OUTPUTS;

    /// A missing unit is left out of tables and files without a message.
    #[test]
    fn every_output_has_its_unit_or_is_mixed() {
        let known = |table: &[(&str, &str)], name: &str| table.iter().any(|row| row.0 == name);
        for (_, output, _) in OUTPUTS {
            let tables = [
                known(FIXED, output),
                known(MATRICES, output),
                PER_SPEED.iter().any(|row| row.0 == *output),
                MIXED.contains(output),
            ];
            let found = tables.iter().filter(|&&found| found).count();
            assert_eq!(found, 1, "add `{output}` to FIXED, MATRICES, PER_SPEED or MIXED");
        }
    }
}
