//! A mechanism as it is drawn: its shapes; bodies without shapes as bars from joint to joint and to
//! points, which is enough to recognise them; wheels as tyres, springs as coils, marks for joints,
//! loop closures and centres of mass, arrows of forces.

use super::solids::{Line, Solids, TRIANGLES, placeholders};
use super::terrain::has_slopes;
use rotule_model::joint::{JointMotion, JointType};
use rotule_model::mechanism::{BodyId, Cut, CutKind, Frame, LineForce, Mechanism, Placement};
use rotule_model::pose::{self, Components};
use rotule_report::{
    BodyPose, Connector, ConnectorLook, Figure, ForceArrow, JointMark, LineEnd, Scene, Shape,
};
use rotule_symbolic::Vector;

/// The scene of a mechanism without frames; and for each of its figures, the body.
pub fn scene(mechanism: &Mechanism) -> (Scene, Vec<BodyId>) {
    scene_of(mechanism, TRIANGLES)
}

/// The scene with so many triangles of meshes at most.
pub fn scene_of(mechanism: &Mechanism, most: usize) -> (Scene, Vec<BodyId>) {
    // Massless steps of a chain of joints are drawn only as what they carry.
    let drawn: Vec<BodyId> = (1..mechanism.bodies.len())
        .map(BodyId::new)
        .filter(|id| !mechanism.bodies[id.index()].fictitious)
        .collect();
    let gravity = pose::vectors(mechanism, &[mechanism.gravity])[0];
    let solids = Solids::of(mechanism, most);
    let bodies = drawn.iter().enumerate().map(|(number, &id)| Figure {
        name: mechanism.bodies[id.index()].name.clone(),
        colour: number,
        ghost: false,
        shapes: shapes(mechanism, &solids, id),
    });
    let mut scene = Scene {
        up: pose::scale(gravity, -1.0),
        ground: None,
        fixed: shapes(mechanism, &solids, BodyId::GROUND),
        bodies: bodies.collect(),
        connectors: connectors(mechanism, &drawn),
        arrows: arrows(mechanism, &drawn),
        times: Vec::new(),
        poses: Vec::new(),
    };
    scene.ground = ground(mechanism, &scene, &drawn);
    (scene, drawn)
}

/// The poses of the drawn bodies at coordinates.
pub fn poses(mechanism: &Mechanism, drawn: &[BodyId], q: &[f64]) -> Vec<BodyPose> {
    let all = pose::poses(mechanism, q);
    let drawn = drawn.iter().map(|id| &all[id.index()]);
    drawn.map(|pose| BodyPose::from_matrix(pose.position, &pose.rotation)).collect()
}

/// The height of the ground: wheels stand on a plane, if it is one, and what is fixed stands on the
/// ground, if nothing is lower.
fn ground(mechanism: &Mechanism, scene: &Scene, drawn: &[BodyId]) -> Option<f64> {
    if let Some(wheel) = mechanism.wheels.first() {
        return mechanism.evaluate(&[wheel.ground]).first().copied();
    }
    let size = pose::norm(scene.up);
    let up = pose::scale(scene.up, 1.0 / size);
    let initial: Vec<_> = mechanism.coordinates.iter().map(|one| one.initial).collect();
    let poses = pose::poses(mechanism, &mechanism.evaluate(&initial));
    let lowest = |shapes: &[Shape], id: BodyId| {
        let heights = shapes.iter().flat_map(|shape| match shape {
            Shape::Triangles { vertices, .. } => vertices.as_slice(),
            _ => &[],
        });
        let height =
            |vertex: &[f32; 3]| pose::dot(up, poses[id.index()].point(vertex.map(f64::from)));
        heights.map(height).fold(f64::INFINITY, f64::min)
    };
    let (mut still, mut moving) = (lowest(&scene.fixed, BodyId::GROUND), f64::INFINITY);
    for (figure, id) in scene.bodies.iter().zip(drawn) {
        let low = lowest(&figure.shapes, *id);
        let least = if is_fixed(mechanism, *id) { &mut still } else { &mut moving };
        *least = least.min(low);
    }
    (size > 0.0 && still.is_finite() && still <= moving).then_some(still)
}

/// `true` if a body cannot move.
fn is_fixed(mechanism: &Mechanism, id: BodyId) -> bool {
    let mut at = id;
    while let Some(parent) = mechanism.bodies[at.index()].parent {
        if mechanism.joint_of(at).is_some_and(|joint| !joint.kind.motions().is_empty()) {
            return false;
        }
        at = parent;
    }
    true
}

/// Positions of frames of one body, in it.
fn places<'a>(mechanism: &Mechanism, frames: impl Iterator<Item = &'a Frame>) -> Vec<Components> {
    let vectors: Vec<_> = frames.map(|frame| frame.placement.position).collect();
    pose::vectors(mechanism, &vectors)
}

fn shapes(mechanism: &Mechanism, solids: &Solids, id: BodyId) -> Vec<Shape> {
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
        let drawn = solids.of_body(id);
        let has_shapes = !drawn.is_empty();
        shapes.extend_from_slice(drawn);
        shapes.extend(placeholders(mechanism, id));
        let mut ends: Vec<Components> = Vec::new();
        for &end in joined.iter().chain(&spots) {
            let far = pose::norm(end) > 1e-9;
            if far && !ends.iter().any(|known| pose::norm(pose::sub(*known, end)) < 1e-9) {
                ends.push(end);
            }
        }
        // A bar to the centre of mass, or a short one beside long ones, would look like a limb.
        let longest = ends.iter().map(|end| pose::norm(*end)).fold(0.0, f64::max);
        ends.retain(|end| pose::norm(*end) > STUB * longest);
        if ends.is_empty() && joined.is_empty() && pose::norm(com) > 1e-9 {
            ends.push(com);
        }
        let mass = mechanism.evaluate(&[body.mass])[0];
        // Beside bodies with shapes, frames without mass are no bodies to look at; a telescope has
        // its rod.
        let is_frame = solids.any && mass == 0.0;
        if !is_wheel && !has_shapes && !is_frame {
            for to in &ends {
                shapes.push(Shape::Bar { from: [0.0; 3], to: *to, radius: 0.0 });
            }
            if ends.is_empty() && leg(mechanism, id).is_none() {
                shapes.push(Shape::Ball { centre: [0.0; 3], radius: 0.0 });
            }
        }
        if mass > 0.0 {
            shapes.push(Shape::Mass { centre: com });
        }
        shapes.extend(joint(mechanism, solids, id));
        let closed = mechanism.cuts.iter().filter(|cut| pinned(cut) == id);
        shapes.extend(closed.filter_map(|cut| pin(mechanism, solids, cut)));
    }
    for (point, place) in named.iter().zip(spots) {
        shapes.push(Shape::Point { name: point.name.clone(), place });
    }
    if !moving {
        shapes.extend_from_slice(solids.of_body(id));
        shapes.extend(placeholders(mechanism, id));
        for centre in feet(mechanism, solids) {
            shapes.push(Shape::Joint { kind: JointMark::Ball, centre, axis: [0.0, 0.0, 1.0] });
        }
    }
    shapes
}

/// Bars shorter than this part of the longest one of a body are left out.
const STUB: f64 = 0.12;

/// The body that the mark of a loop closure is drawn on: the first that moves.
fn pinned(cut: &Cut) -> BodyId {
    let [first, second] = &cut.ends;
    if first.body == BodyId::GROUND { second.body } else { first.body }
}

/// The mark of a loop closure, in the frame of the body that it is drawn on.
fn pin(mechanism: &Mechanism, solids: &Solids, cut: &Cut) -> Option<Shape> {
    let CutKind::Joint { kind, axes, .. } = &cut.kind else { return None };
    let end = cut.ends.iter().find(|end| end.body == pinned(cut))?;
    let Placement { position, rotation } = end.placement;
    let rows = pose::vectors(mechanism, &[rotation.row(0), rotation.row(1), rotation.row(2)]);
    let axis = axes.first().map_or([0.0, 0.0, 1.0], |&axis| pose::vectors(mechanism, &[axis])[0]);
    let axis = [0, 1, 2].map(|row| pose::dot(rows[row], axis));
    let kind = mark(*kind)?;
    let centre = pose::vectors(mechanism, &[position])[0];
    let lines =
        cut.ends.each_ref().map(|frame| line(mechanism, frame.body, &frame.placement, axes));
    Some(joint_mark(kind, centre, axis, solids.reach(&lines)))
}

/// The first axis of a joint as a line of a body, at a place of it.
fn line(mechanism: &Mechanism, body: BodyId, place: &Placement, axes: &[Vector]) -> Line {
    let Placement { position, rotation } = *place;
    let rows = pose::vectors(mechanism, &[rotation.row(0), rotation.row(1), rotation.row(2)]);
    let axis = axes.first().map_or([0.0, 0.0, 1.0], |&axis| pose::vectors(mechanism, &[axis])[0]);
    let centre = pose::vectors(mechanism, &[position])[0];
    (body, centre, [0, 1, 2].map(|row| pose::dot(rows[row], axis)))
}

/// The mark of a joint: a pin through the solids that it connects, if there are some.
fn joint_mark(kind: JointMark, centre: Components, axis: Components, reach: f64) -> Shape {
    match kind {
        JointMark::Revolute if reach > 0.0 => Shape::Pin { centre, axis, reach },
        _ => Shape::Joint { kind, centre, axis },
    }
}

/// Where mechanisms stand on the ground: joints of what the ground carries, but for bodies that
/// float and those whose pins are visible.
fn feet(mechanism: &Mechanism, solids: &Solids) -> Vec<Components> {
    let mut feet = Vec::new();
    let real = (1..mechanism.bodies.len()).filter(|at| !mechanism.bodies[*at].fictitious);
    for id in real.map(BodyId::new) {
        let chain = chain(mechanism, id);
        let Some(first) = chain.last().map(|id| &mechanism.bodies[id.index()]) else { continue };
        if first.parent != Some(BodyId::GROUND) || floats(mechanism, &chain) {
            continue;
        }
        let pinned = matches!(joint(mechanism, solids, id), Some(Shape::Pin { .. }));
        if !pinned {
            feet.extend(pose::vectors(mechanism, &[first.placement.position]));
        }
    }
    let cuts = mechanism.cuts.iter().flat_map(|cut| cut.ends.iter());
    feet.extend(places(mechanism, cuts.filter(|frame| frame.body == BodyId::GROUND)));
    feet
}

/// A body and the steps of its chain of joints, up to what carries them.
fn chain(mechanism: &Mechanism, id: BodyId) -> Vec<BodyId> {
    let mut chain = vec![id];
    let mut at = id;
    while let Some(parent) = mechanism.bodies[at.index()].parent
        && mechanism.bodies[parent.index()].fictitious
    {
        chain.push(parent);
        at = parent;
    }
    chain
}

/// `true` if a chain of joints lets a body go anywhere, at least in a plane: there is nothing that
/// a mark could stand for.
fn floats(mechanism: &Mechanism, chain: &[BodyId]) -> bool {
    let joints = chain.iter().filter_map(|&id| mechanism.joint_of(id));
    let motions: Vec<&JointMotion> = joints.flat_map(|joint| joint.kind.motions()).collect();
    let translations =
        motions.iter().filter(|motion| matches!(motion, JointMotion::Translation(..))).count();
    translations > 1 || motions.iter().any(|motion| matches!(motion, JointMotion::Free))
}

/// Where the joints of the bodies that a body carries are; steps of a chain are passed.
fn children(mechanism: &Mechanism, id: BodyId) -> Vec<Components> {
    let carried = mechanism.bodies.iter().filter(|body| body.parent == Some(id));
    let vectors: Vec<_> = carried.map(|body| body.placement.position).collect();
    pose::vectors(mechanism, &vectors)
}

/// The mark of a type of joints: those about one axis have a mark with that axis, others a ball;
/// none where nothing moves, or all.
fn mark(kind: JointType) -> Option<JointMark> {
    match kind.motions() {
        [] | [JointMotion::Free] => None,
        [JointMotion::Translation(..)] => Some(JointMark::Prismatic),
        [..] if kind.reverses_by_sign() => Some(JointMark::Revolute),
        [..] => Some(JointMark::Ball),
    }
}

/// The mark of the joint that moves a body.
fn joint(mechanism: &Mechanism, solids: &Solids, id: BodyId) -> Option<Shape> {
    let joint = mechanism.joint_of(id)?;
    let kind = mark(joint.kind)?;
    // What floats has no joint to be seen, and a telescope its rod.
    if floats(mechanism, &chain(mechanism, id)) || leg(mechanism, id).is_some() {
        return None;
    }
    let axis =
        joint.axes.first().map_or([0.0, 0.0, 1.0], |&axis| pose::vectors(mechanism, &[axis])[0]);
    let body = &mechanism.bodies[id.index()];
    let mut lines = vec![(id, [0.0; 3], axis)];
    if let Some(parent) = body.parent {
        lines.push(line(mechanism, parent, &body.placement, &joint.axes));
    }
    Some(joint_mark(kind, [0.0; 3], axis, solids.reach(&lines)))
}

/// The look of a line force: a law of the length is a spring, one of the rate a damper.
fn look(mechanism: &Mechanism, force: &LineForce) -> ConnectorLook {
    let mut graph = mechanism.graph.clone();
    let mut depends = |name: &str| {
        let symbol = graph.lookup(name).and_then(|symbol| graph.symbol_of(symbol));
        symbol.is_some_and(|symbol| graph.depends_on(force.force, symbol))
    };
    match (depends("line_force.Z"), depends("line_force.Zd")) {
        (true, true) => ConnectorLook::Strut,
        (true, false) => ConnectorLook::Spring,
        (false, true) => ConnectorLook::Damper,
        (false, false) => ConnectorLook::Line,
    }
}

/// Arrows of line forces, of wheels on level grounds and of loop closures, by their channels.
fn arrows(mechanism: &Mechanism, drawn: &[BodyId]) -> Vec<ForceArrow> {
    let number = |id: BodyId| drawn.iter().position(|&one| one == id);
    let connectors = connectors(mechanism, drawn);
    let line = mechanism.line_forces.iter().map(|force| ForceArrow {
        name: force.name.clone(),
        reaction: false,
        connector: connectors.iter().position(|one| one.name == force.name),
        at: LineEnd { body: None, point: [0.0; 3] },
        curves: vec![format!("{}.force", force.name)],
    });
    let gravity = pose::vectors(mechanism, &[mechanism.gravity])[0];
    let level = gravity[0] == 0.0 && gravity[1] == 0.0 && !has_slopes(mechanism);
    let wheels = mechanism.wheels.iter().filter(|_| level).map(|wheel| ForceArrow {
        name: wheel.name.clone(),
        reaction: false,
        connector: None,
        at: LineEnd { body: number(wheel.body), point: [0.0; 3] },
        curves: vec![String::new(), String::new(), format!("{}.force.normal", wheel.name)],
    });
    // Multipliers of a closure that lets nothing slide are the force on its first end. Their axes
    // are those of what carries both ends, which is the ground's if they share no body.
    let pins = mechanism.cuts.iter().filter(|cut| {
        let CutKind::Joint { kind, .. } = &cut.kind else { return false };
        let holds = kind.motions().iter().all(|one| !one.translates()) && cut.ignore.is_empty();
        holds && !share_a_body(mechanism, cut)
    });
    let reactions = pins.map(|cut| {
        let first = &cut.ends[0];
        let point = pose::vectors(mechanism, &[first.placement.position])[0];
        let curves = ["x", "y", "z"].map(|axis| format!("lambda.{}.{axis}", cut.name));
        ForceArrow {
            name: cut.name.clone(),
            reaction: true,
            connector: None,
            at: LineEnd { body: number(first.body), point },
            curves: curves.to_vec(),
        }
    });
    let line = line.filter(|arrow| arrow.connector.is_some());
    line.chain(wheels).chain(reactions).collect()
}

/// Returns `true` if a body other than the ground carries both ends of a loop closure.
fn share_a_body(mechanism: &Mechanism, cut: &Cut) -> bool {
    let carriers = |end: &Frame| {
        let mut all = Vec::new();
        let mut at = Some(end.body);
        while let Some(body) = at.filter(|body| *body != BodyId::GROUND) {
            all.push(body);
            at = mechanism.bodies[body.index()].parent;
        }
        all
    };
    let second = carriers(&cut.ends[1]);
    carriers(&cut.ends[0]).iter().any(|body| second.contains(body))
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
        .filter_map(|one| connector(&one.name, look(mechanism, one), &one.ends));
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
    let mut rotated = false;
    loop {
        let body = &mechanism.bodies[at.index()];
        let point = pose::vectors(mechanism, &[body.placement.position])[0];
        let parent = body.parent?;
        if !mechanism.bodies[parent.index()].fictitious {
            rotated |= parent != BodyId::GROUND;
            return rotated.then_some((name, parent, point));
        }
        // Steps of a chain have their joints in one place, or there is nothing to draw from.
        if pose::norm(point) > 1e-9 || prismatic(parent).is_some() {
            return None;
        }
        rotated = true;
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
