//! Quantities that an analysis finds or varies, by the user's names: a coordinate, a speed, a
//! parameter, an input, a state of the user's own, or an effort besides the joint laws.

use rotule_formalism::Problem;
use rotule_model::mechanism::{Joint, Mechanism, Role};
use rotule_simulate::inputs::InputPoint;
use rotule_symbolic::likely;

/// A number of a point that is not fixed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Quantity {
    /// A coordinate, as the place of its speed: joints with quaternions have more coordinates than
    /// speeds.
    Coordinate(usize),
    /// A speed.
    Speed(usize),
    /// A state of the user's own.
    State(usize),
    /// A parameter.
    Parameter(usize),
    /// An input of the user's own.
    Input(usize),
    /// An effort besides those of the joint laws.
    Effort(usize),
}

impl Quantity {
    /// The quantity of a name, as states are set by name: `q1`, `q1.d`, `q1.effort`, a parameter,
    /// an input or a state.
    pub fn parse(mechanism: &Mechanism, name: &str) -> Result<Quantity, Problem> {
        let graph = &mechanism.graph;
        let mut known: Vec<(String, Quantity)> = Vec::new();
        for (at, one) in mechanism.parameters.iter().enumerate() {
            known.push((one.name.clone(), Quantity::Parameter(at)));
        }
        for (at, one) in mechanism.inputs.iter().enumerate() {
            known.push((one.name.clone(), Quantity::Input(at)));
        }
        for (at, one) in mechanism.states.iter().enumerate() {
            known.push((one.name.clone(), Quantity::State(at)));
        }
        for (at, one) in mechanism.speeds.iter().enumerate() {
            known.push((coordinate_name(mechanism, at), Quantity::Coordinate(at)));
            for name in [&one.name, &one.alias] {
                known.push((name.clone(), Quantity::Speed(at)));
            }
            known.push((graph.text(one.effort), Quantity::Effort(at)));
        }
        match known.iter().find(|(own, _)| own == name) {
            Some((_, quantity)) => Ok(*quantity),
            None => Err(Problem::new(
                format!(
                    "there is no coordinate, speed, parameter, input, state or effort `{name}`"
                ),
                likely(name, known.iter().map(|(own, _)| own.as_str())),
            )),
        }
    }

    /// Its name.
    pub fn name(self, mechanism: &Mechanism) -> String {
        match self {
            Quantity::Coordinate(at) => coordinate_name(mechanism, at),
            Quantity::Speed(at) => mechanism.speeds[at].name.clone(),
            Quantity::State(at) => mechanism.states[at].name.clone(),
            Quantity::Parameter(at) => mechanism.parameters[at].name.clone(),
            Quantity::Input(at) => mechanism.inputs[at].name.clone(),
            Quantity::Effort(at) => mechanism.graph.text(mechanism.speeds[at].effort),
        }
    }

    /// Its number at a point; of a coordinate of a joint with a quaternion there is none.
    pub fn value(self, mechanism: &Mechanism, point: &InputPoint) -> f64 {
        match self {
            Quantity::Coordinate(at) => {
                single_coordinate(mechanism, at).map_or(f64::NAN, |at| point.q[at])
            }
            Quantity::Speed(at) => point.qd[at],
            Quantity::State(at) => point.states[at],
            Quantity::Parameter(at) => point.parameters[at],
            Quantity::Input(at) => point.inputs[at],
            Quantity::Effort(at) => point.effort[at],
        }
    }

    /// The place of its number in a point; none of a coordinate, which moves along its speed.
    pub fn place(self, point: &mut InputPoint) -> Option<&mut f64> {
        match self {
            Quantity::Coordinate(_) => None,
            Quantity::Speed(at) => point.qd.get_mut(at),
            Quantity::State(at) => point.states.get_mut(at),
            Quantity::Parameter(at) => point.parameters.get_mut(at),
            Quantity::Input(at) => point.inputs.get_mut(at),
            Quantity::Effort(at) => point.effort.get_mut(at),
        }
    }
}

/// The joint of a speed.
pub fn joint_of(mechanism: &Mechanism, speed: usize) -> &Joint {
    let joint = mechanism.joints.iter().find(|joint| joint.speeds.contains(&speed));
    joint.expect("every speed belongs to a joint")
}

/// The coordinate whose derivative is a speed; none of a joint with a quaternion.
pub fn single_coordinate(mechanism: &Mechanism, speed: usize) -> Option<usize> {
    let joint = joint_of(mechanism, speed);
    let single = joint.coordinates.len() == joint.speeds.len();
    single.then(|| joint.coordinates.start + (speed - joint.speeds.start))
}

/// The name of the coordinate that a speed changes; of joints with quaternions, whose rotations are
/// no single coordinates, the speed's name without what makes it a speed.
pub fn coordinate_name(mechanism: &Mechanism, speed: usize) -> String {
    if let Some(at) = single_coordinate(mechanism, speed) {
        return mechanism.coordinates[at].name.clone();
    }
    let name = &mechanism.speeds[speed].name;
    match name.rsplit_once('.') {
        // `base.vx` moves `base.x` in the body's axes, `base.wx` turns about its x.
        Some((joint, component)) => match component.strip_prefix('v') {
            Some(axis) => format!("{joint}.along_{axis}"),
            None => format!("{joint}.about_{}", component.trim_start_matches('w')),
        },
        None => name.clone(),
    }
}

/// The speeds that a name of a joint, a coordinate or a speed stands for.
pub fn speeds_of(mechanism: &Mechanism, name: &str) -> Result<Vec<usize>, Problem> {
    let moving = |joint: &&Joint| !joint.speeds.is_empty();
    let found = match mechanism.joints.iter().filter(moving).find(|joint| joint.name == name) {
        Some(joint) => joint.speeds.clone().collect(),
        None => {
            let own = |&at: &usize| {
                let speed = &mechanism.speeds[at];
                coordinate_name(mechanism, at) == name || speed.name == name || speed.alias == name
            };
            (0..mechanism.speeds.len()).filter(own).collect::<Vec<_>>()
        }
    };
    if found.is_empty() {
        let joints = mechanism.joints.iter().filter(moving).map(|joint| joint.name.clone());
        let single = (0..mechanism.speeds.len()).map(|at| coordinate_name(mechanism, at));
        let known: Vec<String> = joints.chain(single).collect();
        return Err(Problem::new(
            format!("there is no joint or coordinate `{name}`"),
            likely(name, known.iter().map(String::as_str)),
        ));
    }
    let joint = joint_of(mechanism, found[0]);
    if joint.role != Role::Free {
        let role = if joint.role == Role::Locked { "locked" } else { "driven" };
        return Err(Problem::new(
            format!("`{name}` is {role}: its motion is prescribed"),
            "name a coordinate of a free joint",
        ));
    }
    Ok(found)
}
