//! Bodies that are fixed to their parent, merged into it.
//!
//! Robot files have many: flanges, tool frames, covers. A body that cannot move on its own adds
//! its mass, centre and inertia to its parent's. Its frame becomes a point of the parent that is
//! named after it, with axes of its own, so that whatever was attached to the body or named it
//! stays where it was.

use rustc_hash::{FxHashMap, FxHashSet};

use super::frame::{self, Matrix, Pose, Vector};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::draft::{Body, BodyShape, Draft, JointType, Point, Rotation, Text, Triple};
use crate::source::Span;

/// The name of the body that does not move.
const GROUND: &str = "ground";

/// Merges every body that is fixed to its parent. A body stays if its numbers are not known yet
/// or if something needs it as a body.
pub(crate) fn merge_fixed(draft: &mut Draft, out: &mut Diagnostics) {
    let mut merger = Merger::new(draft);
    let kept = needed(draft);
    let mut merged = vec![false; draft.bodies.len()];
    for at in parents_first(draft, &merger.bodies) {
        let body = &draft.bodies[at];
        // Of two bodies of one name the checks will tell; merging needs to know which is meant.
        let first = merger.bodies.get(&body.name.value) == Some(&at);
        if !first || !is_fixed(body) || kept.contains(&body.name.value) {
            continue;
        }
        if let Some(plan) = merger.plan(draft, at) {
            merger.apply(draft, at, plan);
            merged[at] = true;
        }
    }
    report(draft, &merged, out);
    let mut gone = merged.into_iter();
    draft.bodies.retain(|_| !gone.next().unwrap_or(false));
    rename(draft, &merger.moved);
}

fn report(draft: &Draft, merged: &[bool], out: &mut Diagnostics) {
    let gone = draft.bodies.iter().zip(merged).filter(|(_, gone)| **gone);
    let names: Vec<&Text> = gone.map(|(body, _)| &body.name).collect();
    let Some(first) = names.first() else { return };
    let mut shown: Vec<String> =
        names.iter().take(4).map(|name| format!("`{}`", name.value)).collect();
    if names.len() > shown.len() {
        shown.push(format!("and {} more", names.len() - shown.len()));
    }
    let message =
        format!("bodies that are fixed to their parent are merged into it: {}", shown.join(", "));
    let help = "their frames are points of the parent now";
    out.push(Diagnostic::note(DiagnosticCode::Choice, first.span, message).help(help));
}

/// The bodies, each after its parent; those in a circle are left out.
fn parents_first(draft: &Draft, index: &FxHashMap<String, usize>) -> Vec<usize> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        OnTheWay,
        Done,
        InCircle,
    }
    let parent_of = |at: usize| {
        let text = draft.bodies[at].parent.as_ref()?;
        index.get(body_of(&text.value)).copied()
    };
    let mut order = Vec::with_capacity(draft.bodies.len());
    let mut state = vec![State::New; draft.bodies.len()];
    let mut way = Vec::new();
    for start in 0..draft.bodies.len() {
        let mut at = Some(start);
        while let Some(body) = at.filter(|body| state[*body] == State::New) {
            state[body] = State::OnTheWay;
            way.push(body);
            at = parent_of(body);
        }
        // The way met itself, or what hangs on such a circle.
        let circle = at.is_some_and(|body| state[body] != State::Done);
        while let Some(body) = way.pop() {
            state[body] = if circle { State::InCircle } else { State::Done };
            if !circle {
                order.push(body);
            }
        }
    }
    order
}

/// Bodies that something needs as bodies: a wheel, or the frame of a sensor.
fn needed(draft: &Draft) -> FxHashSet<String> {
    let wheels = draft.wheels.iter().map(|wheel| wheel.body.value.clone());
    let frames = draft.sensors.iter().filter_map(|sensor| Some(sensor.relative_to.clone()?.value));
    wheels.chain(frames).collect()
}

fn is_fixed(body: &Body) -> bool {
    body.parent.is_some() && body.joints.iter().all(|joint| joint.kind.value == JointType::Fixed)
}

/// The body of a place.
fn body_of(place: &str) -> &str {
    place.split_once('.').map_or(place, |(body, _)| body)
}

/// A placement as it is written: position and rotation.
type Written = (Option<Triple>, Option<Rotation>);

/// The state of merging bodies one by one.
struct Merger {
    /// Bodies by name; of several, the first.
    bodies: FxHashMap<String, usize>,
    /// Points by body and name; no body is the ground.
    points: FxHashMap<(Option<usize>, String), usize>,
    /// Where places went: `tool` and `tool.tip` to `hand.tool` and `hand.tool_tip`.
    moved: FxHashMap<String, String>,
}

/// One merge, all numbers found.
struct Plan {
    /// The body that takes the other in; none is the ground.
    target: Option<usize>,
    /// The frame of the merged body in the target.
    frame: Written,
    /// The points of the merged body in the target.
    points: Vec<Written>,
    /// The shapes of the merged body in the target.
    shapes: Vec<BodyShape>,
    /// The mass of the two bodies together.
    mass: Together,
}

/// The mass of two bodies together.
enum Together {
    /// The second adds nothing.
    Same,
    /// Mass, centre and inertia about it.
    Sum(f64, Vector, Matrix),
}

impl Merger {
    fn new(draft: &Draft) -> Merger {
        let numbered = draft.bodies.iter().enumerate();
        let bodies = numbered.rev().map(|(i, body)| (body.name.value.clone(), i)).collect();
        let mut points = FxHashMap::default();
        let lists = draft.bodies.iter().enumerate().map(|(i, body)| (Some(i), &body.points));
        for (body, list) in lists.chain([(None, &draft.ground)]) {
            for (i, point) in list.iter().enumerate() {
                points.insert((body, point.name.value.clone()), i);
            }
        }
        Merger { bodies, points, moved: FxHashMap::default() }
    }

    /// The plan for merging a body; none if not all its numbers are known.
    fn plan(&self, draft: &Draft, at: usize) -> Option<Plan> {
        let body = &draft.bodies[at];
        let written = &body.parent.as_ref()?.value;
        // The parent may have been merged before; then it is a point of another body now.
        let parent = self.moved.get(written).unwrap_or(written);
        let (target, point) = match parent.split_once('.') {
            Some((target, point)) => (target, Some(point)),
            None => (parent.as_str(), None),
        };
        let target = match target {
            GROUND => None,
            name => Some(*self.bodies.get(name)?),
        };
        let points = target.map_or(&draft.ground, |target| &draft.bodies[target].points);
        let place = match point {
            None => (None, None),
            Some(name) => {
                let point = &points[*self.points.get(&(target, name.to_owned()))?];
                (Some(point.position.clone()), point.rotation.clone())
            }
        };
        let own = (body.position.clone(), body.rotation.clone());
        let (pose, frame) = compose(&place, own, body.name.span)?;
        let mut points = Vec::with_capacity(body.points.len());
        for point in &body.points {
            let inner = (Some(point.position.clone()), point.rotation.clone());
            points.push(compose(&frame, inner, point.name.span)?.1);
        }
        let mut shapes = body.shapes.clone();
        for shape in &mut shapes {
            if shape.axis.is_some() {
                return None;
            }
            let inner = (shape.at.take(), shape.rotation.take());
            (shape.at, shape.rotation) = compose(&frame, inner, shape.span)?.1;
        }
        let mass = match target {
            None => Together::Same,
            Some(target) => together(&draft.bodies[target], body, &pose)?,
        };
        Some(Plan { target, frame, points, shapes, mass })
    }

    fn apply(&mut self, draft: &mut Draft, at: usize, plan: Plan) {
        let body = &draft.bodies[at];
        let name = body.name.clone();
        let old: Vec<Text> = body.points.iter().map(|point| point.name.clone()).collect();
        if let (Some(target), Together::Sum(mass, centre, inertia)) = (plan.target, plan.mass) {
            let into = &mut draft.bodies[target];
            let span = into.name.span;
            into.mass = Some(frame::scalar(mass, into.mass.as_ref().map_or(span, |m| m.span)));
            let place = into.com.as_ref().map_or(span, |com| com[0].span);
            into.com = (centre != [0.0; 3]).then(|| frame::triple(centre, place));
            let place = into.inertia.as_ref().map_or(span, |inertia| inertia.span);
            into.inertia = Some(frame::inertia(&inertia, place));
        }
        let shapes = match plan.target {
            None => &mut draft.ground_shapes,
            Some(target) => &mut draft.bodies[target].shapes,
        };
        shapes.extend(plan.shapes);
        self.put(draft, plan.target, &name, (name.value.clone(), name.value.clone()), plan.frame);
        for (point, written) in old.into_iter().zip(plan.points) {
            let requested = format!("{}_{}", name.value, point.value);
            let place = format!("{}.{}", name.value, point.value);
            self.put(draft, plan.target, &point, (requested, place), written);
        }
    }

    /// Adds a point to a body under a name like the requested one, and remembers where it came
    /// from.
    fn put(
        &mut self,
        draft: &mut Draft,
        target: Option<usize>,
        from: &Text,
        (requested, old): (String, String),
        written: Written,
    ) {
        let (carrier, points) = match target {
            None => (GROUND.to_owned(), &mut draft.ground),
            Some(target) => {
                let body = &mut draft.bodies[target];
                (body.name.value.clone(), &mut body.points)
            }
        };
        let (mut name, mut number) = (requested.clone(), 2);
        while self.points.contains_key(&(target, name.clone())) {
            name = format!("{requested}_{number}");
            number += 1;
        }
        self.points.insert((target, name.clone()), points.len());
        self.moved.insert(old, format!("{carrier}.{name}"));
        let position = written.0.unwrap_or_else(|| frame::triple([0.0; 3], from.span));
        points.push(Point { name: Text::new(name, from.span), position, rotation: written.1 });
    }
}

/// A placement in a placement: as numbers, and as it is written. What needs no arithmetic keeps
/// the words of the file.
fn compose(outer: &Written, inner: Written, span: Span) -> Option<(Pose, Written)> {
    let outer_pose = frame::pose(outer.0.as_ref(), outer.1.as_ref())?;
    let inner_pose = frame::pose(inner.0.as_ref(), inner.1.as_ref())?;
    let pose = outer_pose.then(&inner_pose);
    let rotation = match (&outer.1, &inner.1) {
        (None, _) => inner.1,
        (_, None) => outer.1.clone(),
        _ => frame::rotation(&pose.rotation, span),
    };
    let position = match (&outer.0, &inner.0) {
        (None, _) if outer.1.is_none() => inner.0,
        (_, None) => outer.0.clone(),
        _ => frame::position(pose.position, span),
    };
    Some((pose, (position, rotation)))
}

/// Mass, centre and inertia of a body; none if they are not made of numbers.
fn mass_of(body: &Body) -> Option<(f64, Vector, Matrix)> {
    if body.inertia_of.is_some() || body.shapes.iter().any(|shape| shape.density.is_some()) {
        return None;
    }
    Some((
        body.mass.as_ref().map_or(Some(0.0), frame::number)?,
        body.com.as_ref().map_or(Some([0.0; 3]), frame::vector)?,
        body.inertia.as_ref().map_or(Some([[0.0; 3]; 3]), frame::inertia_matrix)?,
    ))
}

/// Both bodies together, in the frame of the first; none if their numbers are not known.
fn together(first: &Body, second: &Body, pose: &Pose) -> Option<Together> {
    let (m2, com, inertia) = mass_of(second)?;
    if m2 == 0.0 && inertia == [[0.0; 3]; 3] {
        return Some(Together::Same);
    }
    let (m1, c1, i1) = mass_of(first)?;
    let (c2, i2) = (pose.point(com), frame::rotated(&pose.rotation, &inertia));
    let mass = m1 + m2;
    // A single mass keeps its centre to the last digit.
    let centre = match (m1 == 0.0, m2 == 0.0) {
        (true, false) => c2,
        (_, true) => c1,
        _ => [0, 1, 2].map(|i| (m1 * c1[i] + m2 * c2[i]) / mass),
    };
    if !centre.iter().all(|x| x.is_finite()) {
        return None;
    }
    let (a, b) = (about(centre, m1, c1, &i1), about(centre, m2, c2, &i2));
    let sum = [0, 1, 2].map(|i| frame::add(a[i], b[i]));
    Some(Together::Sum(mass, centre, sum))
}

/// The inertia about a point, of a mass whose inertia about its centre is known.
fn about(point: Vector, mass: f64, centre: Vector, inertia: &Matrix) -> Matrix {
    let d = [0, 1, 2].map(|i| centre[i] - point[i]);
    let square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    [0, 1, 2].map(|i| {
        [0, 1, 2].map(|j| {
            let diagonal = if i == j { square } else { 0.0 };
            inertia[i][j] + mass * (diagonal - d[i] * d[j])
        })
    })
}

/// Brings every reference to a merged body or its points up to date.
fn rename(draft: &mut Draft, moved: &FxHashMap<String, String>) {
    let update = |place: &mut Text| {
        if let Some(new) = moved.get(&place.value) {
            place.value.clone_from(new);
        }
    };
    draft.bodies.iter_mut().filter_map(|body| body.parent.as_mut()).for_each(update);
    draft.joints.iter_mut().flat_map(|joint| &mut joint.between).for_each(update);
    draft.cuts.iter_mut().flat_map(|cut| &mut cut.between).for_each(update);
    draft.line_forces.iter_mut().flat_map(|line_force| &mut line_force.between).for_each(update);
    draft.forces.iter_mut().for_each(|force| update(&mut force.at));
    draft.sensors.iter_mut().for_each(|sensor| update(&mut sensor.at));
}
