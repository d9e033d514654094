//! Search for the law that gave a number that is not finite, once a run has failed by one.

use crate::inputs::InputPoint;
use crate::quantity::EvaluatedFunction;
use rotule_formalism::MultibodySystem;
use rotule_program::Externals;

/// The first law whose value is not finite at a point, in words.
pub(crate) fn find_invalid_law(
    tree: &MultibodySystem,
    point: &InputPoint,
    externals: &mut dyn Externals,
) -> Option<String> {
    let mechanism = &tree.mechanism;
    let mut bad = |function: &str| {
        let mut quantity = EvaluatedFunction::new(tree, function).ok()?;
        quantity.setup(point, externals);
        quantity.evaluate(point, externals);
        let number = quantity.outputs().iter().position(|number| !number.is_finite())?;
        Some((number, quantity.outputs()[number]))
    };
    if let Some((speed, value)) = bad("efforts") {
        let joint = mechanism.joints.iter().find(|joint| joint.speeds.contains(&speed))?;
        return Some(format!("the law of joint `{}` gives {value}", joint.name));
    }
    for line_force in &mechanism.line_forces {
        if let Some((_, value)) = bad(&format!("line_force({})", line_force.name)) {
            return Some(format!("the law of line force `{}` gives {value}", line_force.name));
        }
    }
    for wheel in &mechanism.wheels {
        if let Some((_, value)) = bad(&format!("wheel({})", wheel.name)) {
            return Some(format!("a law of wheel `{}` gives {value}", wheel.name));
        }
    }
    if let (Some((_, value)), Some(force)) = (bad("forces"), mechanism.forces.first()) {
        let others = if mechanism.forces.len() > 1 { " or one of the others" } else { "" };
        return Some(format!("force `{}`{others} gives {value}", force.name));
    }
    None
}
