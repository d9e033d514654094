//! Kinematics of places: where they are, how they move, and their Jacobians, relative to any body.
//!
//! A quantity relative to a body has its components along that body's axes, and derivatives are
//! taken as seen from it. Recursions run along the path between the two: up to the nearest common
//! ancestor and down again.

mod inward;
pub(crate) mod jacobian;
pub(crate) mod outward;
pub(crate) mod terminals;

use crate::formalism::Formalism;
use crate::function::{Argument, Call};
use crate::problem::Problem;
use crate::tree::{NodeId, Tree};
use crate::writer::Writer;
use outward::{Frames, Level};
use rotule_model::draft::Measure;
use rotule_model::mechanism::{BodyId, Frame};
use rotule_program::lower::Target;
use rotule_symbolic::{Scalar, Vec3};

/// `position`
pub fn position(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(writer, call, &[Measure::Position]))
}

/// `rotation`
pub fn rotation(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(writer, call, &[Measure::Rotation]))
}

/// `velocity`
pub fn velocity(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(writer, call, &[Measure::Velocity]))
}

/// `angular_velocity`
pub fn angular_velocity(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(writer, call, &[Measure::AngularVelocity]))
}

/// `acceleration`
pub fn acceleration(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(writer, call, &[Measure::Acceleration]))
}

/// `angular_acceleration`
pub fn angular_acceleration(
    writer: Writer<'_, '_>,
    call: &Call<'_>,
) -> Result<Vec<Target>, Problem> {
    Ok(written(writer, call, &[Measure::AngularAcceleration]))
}

/// `jacobian`
pub fn jacobian(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    Ok(written(writer, call, &[Measure::Jacobian]))
}

/// `jacobian_rate`
pub fn jacobian_rate(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let mut frames = Frames::new(writer.body(call.reference()), Level::Velocity);
    let entries = jacobian::rate(writer, &mut frames, writer.locate(call.place()));
    Ok(vec![six_rows("Jd", writer.speeds(), entries)])
}

/// `kinematics`
pub fn all(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let measures = Measure::ALL.map(|(measure, _)| measure);
    Ok(written(writer, call, &measures[..6]))
}

/// `sensor`
pub fn sensor(writer: Writer<'_, '_>, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let Some(Argument::Sensor(at)) = call.arguments.first() else {
        return Err(Problem::new("`sensor` takes the name of a sensor", "write sensor(NAME)"));
    };
    let sensor = &writer.mechanism.sensors[*at];
    let request = Request { place: sensor.at, reference: sensor.relative_to };
    Ok(measured(writer, request, &sensor.measures, call.formalism))
}

/// A place and the body that its motion is relative to.
#[derive(Clone, Copy)]
struct Request {
    place: Frame,
    reference: BodyId,
}

fn written(writer: Writer<'_, '_>, call: &Call<'_>, measures: &[Measure]) -> Vec<Target> {
    let request = Request { place: call.place(), reference: call.reference() };
    measured(writer, request, measures, call.formalism)
}

/// Outputs named after what they are. Frames are written by the requested recursion; the mixed
/// recursion is for Jacobians and goes with positions from its own backward pass, and other frames
/// from base to tip.
fn measured(
    writer: Writer<'_, '_>,
    request: Request,
    measures: &[Measure],
    formalism: Formalism,
) -> Vec<Target> {
    let place = writer.locate(request.place);
    let origin = writer.body(request.reference);
    let level = measures.iter().map(|&measure| level(measure)).max();
    let level = level.unwrap_or(Level::Position);
    let mut frames = Frames::new(origin, level);
    let mut moving = match formalism {
        Formalism::Inward => inward::relative(writer, place, origin, level),
        _ => frames.place(writer, place),
    };
    let mut matrix = None;
    if measures.contains(&Measure::Jacobian) {
        matrix = Some(match formalism {
            Formalism::Outward => jacobian::outward(writer, &mut frames, place),
            _ => {
                let (matrix, position) = jacobian::mixed(writer, &mut frames, place);
                if formalism == Formalism::Mixed {
                    moving.p = position;
                }
                matrix
            }
        });
    }
    let matrix = six_rows("J", writer.speeds(), matrix.unwrap_or_default());
    let vector = |name: &str, vector: Vec3<'_>| Target::vector(name, &vector.plain().0);
    let target = |&measure: &Measure| match measure {
        Measure::Position => vector("position", moving.p),
        Measure::Rotation => Target::matrix("rotation", 3, 3, &moving.R.plain().0.concat()),
        Measure::Velocity => vector("velocity", moving.v),
        Measure::AngularVelocity => vector("angular_velocity", moving.w),
        Measure::Acceleration => vector("acceleration", moving.a),
        Measure::AngularAcceleration => vector("angular_acceleration", moving.wd),
        Measure::Jacobian => matrix.clone(),
    };
    measures.iter().map(target).collect()
}

/// A matrix with three linear rows above three angular ones, and a column per speed.
fn six_rows(name: &str, speeds: usize, entries: jacobian::Entries<'_>) -> Target {
    let entry = |(row, column, value): (u32, u32, Scalar<'_>)| (row, column, value.expr());
    Target {
        name: name.to_owned(),
        rows: 6,
        columns: speeds as u32,
        symmetric: false,
        entries: entries.into_iter().map(entry).collect(),
    }
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
fn path(tree: &Tree, from: NodeId, to: NodeId) -> (Vec<NodeId>, Vec<NodeId>) {
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
