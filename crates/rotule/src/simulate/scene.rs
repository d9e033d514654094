//! A mechanism as it is drawn: bars from joint to joint and to points, wheels as discs, marks for
//! joints and centres of mass. A model has no shapes of its own; what it says of places is enough
//! to recognise it.

use rotule_model::draft::JointType;
use rotule_model::mechanism::{BodyId, CutKind, Frame, Mechanism};
use rotule_model::pose::{self, Components};
use rotule_report::{BodyPose, Connector, ConnectorLook, Figure, JointMark, LineEnd, Scene, Shape};

/// The scene of a mechanism without frames; and for each of its figures, the body.
pub fn scene(mechanism: &Mechanism) -> (Scene, Vec<BodyId>) {
    // Massless steps of a chain of joints are drawn only as what they carry.
    let drawn: Vec<BodyId> = (1..mechanism.bodies.len())
        .map(BodyId::new)
        .filter(|id| !mechanism.bodies[id.index()].fictitious)
        .collect();
    let gravity = pose::vectors(mechanism, &[mechanism.gravity])[0];
    let bodies = drawn.iter().enumerate().map(|(number, &id)| Figure {
        name: mechanism.bodies[id.index()].name.clone(),
        colour: number,
        shapes: shapes(mechanism, id),
    });
    let scene = Scene {
        up: pose::scale(gravity, -1.0),
        ground: ground(mechanism),
        fixed: shapes(mechanism, BodyId::GROUND),
        bodies: bodies.collect(),
        connectors: connectors(mechanism, &drawn),
        times: Vec::new(),
        poses: Vec::new(),
    };
    (scene, drawn)
}

/// The poses of the drawn bodies at coordinates.
pub fn poses(mechanism: &Mechanism, drawn: &[BodyId], q: &[f64]) -> Vec<BodyPose> {
    let all = pose::poses(mechanism, q);
    let drawn = drawn.iter().map(|id| &all[id.index()]);
    drawn.map(|pose| BodyPose::from_matrix(pose.position, &pose.rotation)).collect()
}

/// Wheels stand on a plane, if it is one.
fn ground(mechanism: &Mechanism) -> Option<f64> {
    let wheel = mechanism.wheels.first()?;
    mechanism.evaluate(&[wheel.ground]).first().copied()
}

/// Positions of frames of one body, in it.
fn places<'a>(mechanism: &Mechanism, frames: impl Iterator<Item = &'a Frame>) -> Vec<Components> {
    let vectors: Vec<_> = frames.map(|frame| frame.placement.position).collect();
    pose::vectors(mechanism, &vectors)
}

fn shapes(mechanism: &Mechanism, id: BodyId) -> Vec<Shape> {
    let body = &mechanism.bodies[id.index()];
    let mut shapes = Vec::new();
    let moving = id != BodyId::GROUND;
    // Where others are joined to it, and the joint that moves it.
    let mut joined: Vec<Components> = children(mechanism, id);
    let cuts = mechanism.cuts.iter().flat_map(|cut| cut.ends.iter());
    joined.extend(places(mechanism, cuts.filter(|frame| frame.body == id)));
    let points = mechanism.points.iter().filter(|point| point.frame.body == id);
    let named: Vec<_> = points.collect();
    let spots = places(mechanism, named.iter().map(|point| &point.frame));
    let com = pose::vectors(mechanism, &[body.com])[0];
    if moving {
        let wheels = mechanism.wheels.iter().filter(|wheel| wheel.body == id);
        let before = shapes.len();
        for wheel in wheels {
            let axis = pose::vectors(mechanism, &[wheel.axle])[0];
            let radius = mechanism.evaluate(&[wheel.radius])[0];
            shapes.push(Shape::Disc { centre: [0.0; 3], axis, radius, width: 0.0 });
        }
        let is_wheel = shapes.len() > before;
        let mut ends: Vec<Components> = Vec::new();
        for &end in joined.iter().chain(&spots).chain([&com]) {
            let far = pose::norm(end) > 1e-9;
            if far && !ends.iter().any(|known| pose::norm(pose::sub(*known, end)) < 1e-9) {
                ends.push(end);
            }
        }
        if !is_wheel {
            for to in &ends {
                shapes.push(Shape::Bar { from: [0.0; 3], to: *to, radius: 0.0 });
            }
            if ends.is_empty() {
                shapes.push(Shape::Ball { centre: [0.0; 3], radius: 0.0 });
            }
        }
        let mass = mechanism.evaluate(&[body.mass])[0];
        if mass > 0.0 {
            shapes.push(Shape::Mass { centre: com });
        }
        shapes.extend(joint(mechanism, id));
    }
    for (point, place) in named.iter().zip(spots) {
        shapes.push(Shape::Point { name: point.name.clone(), place });
    }
    if !moving {
        for centre in joined {
            shapes.push(Shape::Joint { kind: JointMark::Ball, centre, axis: [0.0, 0.0, 1.0] });
        }
    }
    shapes
}

/// Where the joints of the bodies that a body carries are; steps of a chain are passed.
fn children(mechanism: &Mechanism, id: BodyId) -> Vec<Components> {
    let carried = mechanism.bodies.iter().filter(|body| body.parent == Some(id));
    let vectors: Vec<_> = carried.map(|body| body.placement.position).collect();
    pose::vectors(mechanism, &vectors)
}

/// The mark of the joint that moves a body.
fn joint(mechanism: &Mechanism, id: BodyId) -> Option<Shape> {
    let joint = mechanism.joint_of(id)?;
    let kind = match joint.kind {
        JointType::Fixed | JointType::Free => return None,
        JointType::Revolute | JointType::Helical | JointType::Cylindrical => JointMark::Revolute,
        JointType::Prismatic => JointMark::Prismatic,
        JointType::Universal | JointType::Spherical | JointType::Planar => JointMark::Ball,
    };
    let axis =
        joint.axes.first().map_or([0.0, 0.0, 1.0], |&axis| pose::vectors(mechanism, &[axis])[0]);
    Some(Shape::Joint { kind, centre: [0.0; 3], axis })
}

fn connectors(mechanism: &Mechanism, drawn: &[BodyId]) -> Vec<Connector> {
    let end = |frame: &Frame, point: Components| {
        let body = drawn.iter().position(|&id| id == frame.body);
        // A point of a step of a chain cannot be drawn: it has no figure.
        (body.is_some() || frame.body == BodyId::GROUND).then_some(LineEnd { body, point })
    };
    let connector = |name: &str, look: ConnectorLook, ends: &[Frame; 2]| {
        let points = places(mechanism, ends.iter());
        let (from, to) = (end(&ends[0], points[0])?, end(&ends[1], points[1])?);
        Some(Connector { name: name.to_owned(), look, from, to })
    };
    let legs = drawn.iter().enumerate().filter_map(|(number, &id)| {
        let (name, body, point) = leg(mechanism, id)?;
        let body = drawn.iter().position(|&one| one == body);
        let from = LineEnd { body, point };
        let to = LineEnd { body: Some(number), point: [0.0; 3] };
        Some(Connector { name, look: ConnectorLook::Rod, from, to })
    });
    let springs = mechanism
        .line_forces
        .iter()
        .filter_map(|one| connector(&one.name, ConnectorLook::Spring, &one.ends));
    let rods = mechanism.cuts.iter().filter(|cut| matches!(cut.kind, CutKind::Rod { .. }));
    let rods = rods.filter_map(|cut| connector(&cut.name, ConnectorLook::Rod, &cut.ends));
    springs.chain(rods).chain(legs).collect()
}

/// Where the slide of a telescope begins, which turns with what carries it: the joint's name, the
/// body that is drawn there and the place in it. Slides along the ground, such as that of a cart,
/// are no legs.
fn leg(mechanism: &Mechanism, id: BodyId) -> Option<(String, BodyId, Components)> {
    let prismatic = |id: BodyId| {
        let joint = mechanism.joint_of(id)?;
        (joint.kind == JointType::Prismatic).then(|| joint.name.clone())
    };
    let name = prismatic(id)?;
    let mut at = id;
    let mut turned = false;
    loop {
        let body = &mechanism.bodies[at.index()];
        let point = pose::vectors(mechanism, &[body.placement.position])[0];
        let parent = body.parent?;
        if !mechanism.bodies[parent.index()].fictitious {
            turned |= parent != BodyId::GROUND;
            return turned.then_some((name, parent, point));
        }
        // Steps of a chain have their joints in one place, or there is nothing to draw from.
        if pose::norm(point) > 1e-9 || prismatic(parent).is_some() {
            return None;
        }
        turned = true;
        at = parent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rotule_model::{ReadOptions, load_text};

    fn legs(name: &str) -> Vec<String> {
        let path =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
        let text = std::fs::read_to_string(path).expect("a readable example");
        let mechanism = load_text(name, text, &ReadOptions::default()).expect("a valid model");
        let (scene, _) = scene(&mechanism);
        let rods =
            scene.connectors.into_iter().filter(|connector| connector.look == ConnectorLook::Rod);
        rods.map(|connector| connector.name).collect()
    }

    #[test]
    fn legs_reach_from_foot_to_rod_and_pistons_are_no_legs() {
        assert_eq!(legs("stewart_platform.toml").len(), 6);
        assert_eq!(legs("slider_crank.toml"), Vec::<String>::new());
        assert_eq!(legs("cart_pole.toml"), Vec::<String>::new());
    }
}
