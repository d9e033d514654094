//! Bodies and joints of a draft from the links, joints and frames of a model.

use rustc_hash::FxHashMap;

use super::Reader;
use super::poses::Frames;
use super::tree::{self, Carrier};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Draft, Joint, JointType, LooseJoint, Point, Text};
use crate::read::frame::{self, Pose};
use crate::read::xml::short;
use crate::source::{Span, Spanned};

/// A frame of a body in the model: the joint's origin and the link's axes.
#[derive(Clone, Copy)]
pub(super) struct Seat {
    /// The frame of the body.
    pub frame: Pose,
    /// The link's own frame.
    pub link: Pose,
}

/// An end of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum End {
    World,
    Link(usize),
}

impl Reader<'_, '_> {
    /// Makes the bodies and joints.
    pub(super) fn build(&mut self, frames: &Frames, is_static: bool, draft: &mut Draft) {
        let ends = self.ends(frames);
        let plan = tree::plan(self.links.len(), &ends);
        let seats = self.seats(frames, &plan.carriers, is_static);
        for (at, seat) in seats.iter().enumerate() {
            let mut body = self.body(at, *seat, is_static);
            body.shapes = self.shapes(at, *seat, frames);
            draft.bodies.push(body);
        }
        for at in 0..self.links.len() {
            let carrier = if is_static { Carrier::Ground } else { plan.carriers[at] };
            self.carry(at, carrier, &ends, &seats, frames, draft);
        }
        if !is_static {
            for edge in &plan.loose {
                self.loosen(*edge, &ends, &seats, frames, draft);
            }
            self.gears(&ends, frames, draft);
        }
        self.add_points(&seats, frames, draft);
    }

    /// The frames of all bodies.
    fn seats(&self, frames: &Frames, carriers: &[Carrier], is_static: bool) -> Vec<Seat> {
        let all = self.links.iter().zip(carriers);
        all.map(|((_, name), carrier)| {
            let link = frames.pose(&name.value);
            let position = match carrier {
                Carrier::Edge(edge) if !is_static => {
                    frames.pose_at(self.edges[*edge].entry).position
                }
                _ => link.position,
            };
            Seat { link, frame: Pose { position, rotation: link.rotation } }
        })
        .collect()
    }

    /// Attaches a body to what carries it.
    fn carry(
        &mut self,
        at: usize,
        carrier: Carrier,
        ends: &[Option<[End; 2]>],
        seats: &[Seat],
        frames: &Frames,
        draft: &mut Draft,
    ) {
        let name = self.links[at].1.clone();
        let seat = seats[at];
        let (parent, outer, span) = match carrier {
            Carrier::Loose => return,
            Carrier::Ground | Carrier::Free => (End::World, self.ground(), name.span),
            Carrier::Edge(edge) => {
                let Some([parent, _]) = ends[edge] else { return };
                let outer = match parent {
                    End::World => self.ground(),
                    End::Link(link) => seats[link].frame,
                };
                (parent, outer, self.reading.tag(self.edges[edge].node))
            }
        };
        let relative = outer.inverse().then(&seat.frame);
        let joints = match carrier {
            Carrier::Edge(edge) => self.joint(edge, seat.frame, frames, draft),
            Carrier::Free => {
                let message = "links that no joint connects to the world move freely";
                self.tally.note(message, name.span, &name.value);
                let called = self
                    .joints
                    .fresh_text(&format!("{}_free", draft.bodies[at].name.value), name.span);
                Some(Joint::new(name.span, Some(called), Spanned::new(JointType::Free, name.span)))
            }
            _ => None,
        };
        let carried = self.place_name(parent, self.parent_span(carrier, name.span));
        let body = &mut draft.bodies[at];
        body.parent = Some(carried);
        body.position = frame::position(relative.position, span);
        body.rotation = frame::rotation(&relative.rotation, span);
        body.joints.extend(joints);
    }

    fn parent_span(&self, carrier: Carrier, default: Span) -> Span {
        match carrier {
            Carrier::Edge(edge) => self.edges[edge].parent.span,
            _ => default,
        }
    }

    /// The ground in the model's frame.
    fn ground(&self) -> Pose {
        self.place.inverse()
    }

    fn place_name(&self, end: End, span: Span) -> Text {
        match end {
            End::World => Spanned::new("ground".to_owned(), span),
            End::Link(link) => {
                let name = self.bodies.refer(&self.links[link].1);
                Spanned::new(name.value, span)
            }
        }
    }

    /// Makes a joint that does not fit the tree a joint apart, between two points.
    fn loosen(
        &mut self,
        edge: usize,
        ends: &[Option<[End; 2]>],
        seats: &[Seat],
        frames: &Frames,
        draft: &mut Draft,
    ) {
        let Some([parent, child]) = ends[edge] else { return };
        let End::Link(moved) = child else { return };
        // The joint's origin with the axes of the child.
        let position = frames.pose_at(self.edges[edge].entry).position;
        let joint_frame = Pose { position, rotation: seats[moved].frame.rotation };
        let name = self.joints.refer(&self.edges[edge].name);
        let joint = self.joint(edge, joint_frame, frames, draft).unwrap_or_else(|| {
            let kind = self.edges[edge].kind;
            Joint::new(self.reading.tag(self.edges[edge].node), Some(name.clone()), kind)
        });
        let spans = [self.edges[edge].parent.span, self.edges[edge].child.span];
        let mut places = Vec::with_capacity(2);
        for (end, span) in [parent, child].into_iter().zip(spans) {
            let outer = match end {
                End::World => self.ground(),
                End::Link(link) => seats[link].frame,
            };
            let relative = outer.inverse().then(&joint_frame);
            let place = self.place_name(end, span);
            places.push(put_point(draft, end, place, &name, relative));
        }
        let Ok(between) = <[Text; 2]>::try_from(places) else { return };
        draft.joints.push(LooseJoint { joint, between });
    }

    /// Every `<frame>` is a point of the body it is attached to.
    fn add_points(&mut self, seats: &[Seat], frames: &Frames, draft: &mut Draft) {
        let attached: FxHashMap<String, Option<Text>> =
            self.frames.iter().map(|(name, to, _)| (name.value.clone(), to.clone())).collect();
        for (name, to, entry) in self.frames.clone() {
            let Some(link) = self.link_of(to.as_ref(), &attached) else {
                self.tally.note(
                    "frames that are attached to no link are left out",
                    name.span,
                    &name.value,
                );
                continue;
            };
            let relative = seats[link].frame.inverse().then(&frames.pose_at(entry));
            let called = self.points.refer(&name);
            let position = frame::position(relative.position, name.span)
                .unwrap_or_else(|| frame::triple([0.0; 3], name.span));
            let rotation = frame::rotation(&relative.rotation, name.span);
            draft.bodies[link].points.push(Point { name: called, position, rotation });
        }
    }

    /// The link that a frame is attached to, through other frames and joints.
    fn link_of(
        &self,
        start: Option<&Text>,
        attached: &FxHashMap<String, Option<Text>>,
    ) -> Option<usize> {
        let mut at = start?.value.as_str();
        // Long enough for any file written by people, and an end for circles.
        for _ in 0..100 {
            if let Some(link) = self.index.get(at) {
                return Some(*link);
            }
            at = match attached.get(at) {
                Some(next) => next.as_ref()?.value.as_str(),
                None => self.edges[*self.joint_index.get(at)?].child.value.as_str(),
            };
        }
        None
    }

    /// The bodies that every joint connects; none if one of them is unknown.
    fn ends(&mut self, frames: &Frames) -> Vec<Option<[End; 2]>> {
        let attached: FxHashMap<String, Option<Text>> =
            self.frames.iter().map(|(name, to, _)| (name.value.clone(), to.clone())).collect();
        let mut all = Vec::with_capacity(self.edges.len());
        let mut faults: Vec<Text> = Vec::new();
        for edge in &self.edges {
            let child = self.link_of(Some(&edge.child), &attached);
            let parent = match edge.parent.value.as_str() {
                "world" => Some(End::World),
                _ => self.link_of(Some(&edge.parent), &attached).map(End::Link),
            };
            // A gearbox couples joints and carries nothing.
            let carries = edge.gearbox.is_none();
            match (parent, child) {
                (Some(parent), Some(child)) => {
                    all.push(carries.then_some([parent, End::Link(child)]));
                }
                (parent, child) => {
                    all.push(None);
                    faults.extend(parent.is_none().then(|| edge.parent.clone()));
                    faults.extend(child.is_none().then(|| edge.child.clone()));
                }
            }
        }
        for name in faults {
            if name.value == "world" {
                let message = "`world` cannot be the child of a joint";
                let finding = Diagnostic::error(DiagnosticCode::Unsupported, name.span, message);
                self.reading.out.push(finding.help("exchange `<parent>` and `<child>`"));
            } else if frames.knows(&name.value) {
                let message = format!("`{}` is attached to no link", short(&name.value));
                self.reading.error(DiagnosticCode::UnknownName, name.span, message);
            } else {
                frames.check(&name, &mut self.reading);
            }
        }
        all
    }
}

/// The place of a frame in a body: the body itself, or a new point of it.
fn put_point(draft: &mut Draft, end: End, body: Text, name: &Text, relative: Pose) -> Text {
    let position = frame::position(relative.position, name.span);
    let rotation = frame::rotation(&relative.rotation, name.span);
    if position.is_none() && rotation.is_none() {
        return body;
    }
    let points = match end {
        End::World => &mut draft.ground,
        End::Link(link) => &mut draft.bodies[link].points,
    };
    let position = position.unwrap_or_else(|| frame::triple([0.0; 3], name.span));
    points.push(Point { name: name.clone(), position, rotation });
    Spanned::new(format!("{}.{}", body.value, name.value), body.span)
}
