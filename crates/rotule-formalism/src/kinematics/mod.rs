//! Kinematics of places: where they are, how they move, and their Jacobians, relative to any body.
//!
//! A quantity relative to a body has its components along that body's axes, and derivatives are
//! taken as seen from it. Recursions run along the path between the two: up to the nearest common
//! ancestor and down again.

mod inward;
mod jacobian;
pub(crate) mod outward;

use crate::formalism::Formalism;
use crate::function::{Argument, Call};
use crate::problem::Problem;
use crate::tree::Tree;
use outward::{Frames, Level};
use rotule_model::draft::Measure;
use rotule_model::mechanism::{BodyId, Frame, Placement};
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// `position`
pub fn position(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(tree, call, &[Measure::Position]))
}

/// `rotation`
pub fn rotation(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(tree, call, &[Measure::Rotation]))
}

/// `velocity`
pub fn velocity(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(tree, call, &[Measure::Velocity]))
}

/// `angular_velocity`
pub fn angular_velocity(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(tree, call, &[Measure::AngularVelocity]))
}

/// `acceleration`
pub fn acceleration(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(tree, call, &[Measure::Acceleration]))
}

/// `angular_acceleration`
pub fn angular_acceleration(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(tree, call, &[Measure::AngularAcceleration]))
}

/// `jacobian`
pub fn jacobian(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(tree, call, &[Measure::Jacobian]))
}

/// `kinematics`
pub fn all(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let measures = Measure::ALL.map(|(measure, _)| measure);
    Ok(written(tree, call, &measures[..6]))
}

/// `sensor`
pub fn sensor(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let Some(Argument::Sensor(at)) = call.arguments.first() else {
        return Err(Problem::new("`sensor` takes the name of a sensor", "write sensor(NAME)"));
    };
    let sensor = tree.mechanism.sensors[*at].clone();
    let request = Request { place: sensor.at, reference: sensor.relative_to };
    Ok(measured(tree, request, &sensor.measures, call.formalism))
}

/// A place and the body that it is seen from.
#[derive(Clone, Copy)]
struct Request {
    place: Frame,
    reference: BodyId,
}

fn written(tree: &mut Tree, call: &Call<'_>, measures: &[Measure]) -> Vec<Target> {
    let request = Request { place: call.place(), reference: call.reference() };
    measured(tree, request, measures, call.formalism)
}

/// Outputs named after what they are. Frames are written by the recursion asked for; the mixed
/// recursion is for Jacobians and goes with positions from its own backward pass, and other frames
/// from base to tip.
fn measured(
    tree: &mut Tree,
    request: Request,
    measures: &[Measure],
    formalism: Formalism,
) -> Vec<Target> {
    let place = tree.locate(request.place);
    let origin = tree.bodies[request.reference.index()];
    let level = measures.iter().map(|&measure| level(measure)).max().unwrap_or(Level::Position);
    let mut frames = Frames::new(tree, origin.0, origin.1, level);
    let mut moving = match formalism {
        Formalism::Inward => inward::relative(tree, place, origin, level),
        _ => frames.place(tree, place.0, place.1),
    };
    let mut matrix = None;
    if measures.contains(&Measure::Jacobian) {
        matrix = Some(match formalism {
            Formalism::Outward => jacobian::outward(tree, &mut frames, place),
            _ => {
                let (matrix, position) = jacobian::mixed(tree, &mut frames, place);
                if formalism == Formalism::Mixed {
                    moving.position = position;
                }
                matrix
            }
        });
    }
    let target = |&measure: &Measure| match measure {
        Measure::Position => Target::vector("position", &moving.position.0),
        Measure::Rotation => Target::matrix("rotation", 3, 3, &moving.rotation.0.concat()),
        Measure::Velocity => Target::vector("velocity", &moving.velocity.0),
        Measure::AngularVelocity => Target::vector("angular_velocity", &moving.angular.0),
        Measure::Acceleration => Target::vector("acceleration", &moving.acceleration.0),
        Measure::AngularAcceleration => {
            Target::vector("angular_acceleration", &moving.angular_acceleration.0)
        }
        Measure::Jacobian => Target {
            name: "J".to_owned(),
            rows: 6,
            columns: tree.speeds() as u32,
            symmetric: false,
            entries: matrix.clone().unwrap_or_default(),
        },
    };
    measures.iter().map(target).collect()
}

/// The entries of the Jacobian of a place that are not zero, in the axes of frames that go down to
/// it.
pub(crate) fn jacobian_entries(
    tree: &mut Tree,
    frames: &mut Frames,
    place: (usize, Placement),
) -> Vec<(u32, u32, Expr)> {
    jacobian::outward(tree, frames, place)
}

fn level(measure: Measure) -> Level {
    match measure {
        Measure::Position | Measure::Rotation | Measure::Jacobian => Level::Position,
        Measure::Velocity | Measure::AngularVelocity => Level::Velocity,
        Measure::Acceleration | Measure::AngularAcceleration => Level::Acceleration,
    }
}

/// The joints between two nodes: those passed upwards from the first, and those passed downwards to
/// the second, each in the order of passing.
fn path(tree: &Tree, from: usize, to: usize) -> (Vec<usize>, Vec<usize>) {
    let (mut up, mut down) = (Vec::new(), Vec::new());
    let (mut from, mut to) = (from, to);
    // Parents come before children: the later of two different nodes is no ancestor of the other.
    while from != to {
        let (side, at) = if from > to { (&mut up, &mut from) } else { (&mut down, &mut to) };
        side.push(*at);
        *at = tree.nodes[*at].parent;
    }
    down.reverse();
    (up, down)
}
