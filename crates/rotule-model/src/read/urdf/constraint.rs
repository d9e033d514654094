//! `<constraint>`: loops in URDF, in the form that was proposed for it (ros/urdfdom pull request
//! 264).
//!
//! ```xml
//! <constraint name="closure" type="ball">
//!   <parent link="rod"/>    <parent_origin xyz="0.3 0 0" rpy="0 0 0"/>  <parent_axis xyz="0 1 0"/>
//!   <child link="piston"/>  <child_origin xyz="0 0 0" rpy="0 0 0"/>     <child_axis xyz="0 1 0"/>
//! </constraint>
//! ```
//!
//! An origin may also stand in its end, as `<origin>` or as `xyz` and `rpy` of the end itself, and
//! one `<axis>` may stand for both axes. It becomes a cut between two points.

use super::{Origin, Reader};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Axis, Cut, CutType, Draft, JointType, Point, Text};
use crate::read::frame;
use crate::read::xml::{Node, Token, short};
use crate::source::Spanned;

/// The types of constraints. `ball` and `body` are the words of the model file.
const TYPES: [(&str, JointType); 13] = [
    ("ball", JointType::Spherical),
    ("spherical", JointType::Spherical),
    ("fixed", JointType::Fixed),
    ("body", JointType::Fixed),
    ("revolute", JointType::Revolute),
    ("continuous", JointType::Revolute),
    ("prismatic", JointType::Prismatic),
    ("cylindrical", JointType::Cylindrical),
    ("universal", JointType::Universal),
    ("cardan", JointType::Universal),
    ("planar", JointType::Planar),
    ("floating", JointType::Free),
    ("free", JointType::Free),
];

/// The elements of the two ends.
const ENDS: [[&str; 3]; 2] =
    [["parent", "parent_origin", "parent_axis"], ["child", "child_origin", "child_axis"]];

impl<'d> Reader<'d, '_> {
    /// Reads a constraint into a cut and its two points.
    pub(super) fn constraint(&mut self, node: Node<'d>, draft: &mut Draft) {
        let reading = &mut self.reading;
        let name = reading.required(node, "name");
        let kind = reading.joint_type(node, "constraint", &TYPES);
        let (Some(name), Some(kind)) = (name.map(Token::to_text), kind) else {
            return;
        };
        let ends = ENDS.map(|[end, ..]| {
            let end = self.reading.required_child(node, end)?;
            let link = self.reading.required(end, "link")?;
            Some((end, link.to_text()))
        });
        let [Some(first), Some(second)] = ends else { return };
        let mut origins = [(first.0, 0), (second.0, 1)].map(|(end, which)| {
            let apart = self.reading.child(node, ENDS[which][1]);
            let inside = self.reading.child(end, "origin");
            self.origin(apart.or(inside).or(Some(end)), &name.value)
        });
        let axes = self.cut_axes(node, kind, &name, &mut origins);

        let called = self.cuts.refer(&name);
        let [origin1, origin2] = origins;
        let between = [(first.1, origin1), (second.1, origin2)]
            .map(|(link, origin)| self.cut_point(&link, origin, &called, draft));
        let span = self.reading.tag(node);
        let kind = CutType::Joint { kind, axes, pitch: None };
        draft.cuts.push(Cut {
            span,
            name: called,
            kind,
            between,
            ignore: Vec::new(),
            frame: None,
            intermittent: None,
        });
    }

    /// The axes of a cut. The model file has one axis for both ends: if the file has two that
    /// differ, the second end is rotated until they are the same.
    fn cut_axes(
        &mut self,
        node: Node<'d>,
        kind: Spanned<JointType>,
        name: &Text,
        origins: &mut [Origin; 2],
    ) -> Vec<Axis> {
        if kind.value.axes() == 0 {
            return Vec::new();
        }
        let common = self.axis(node, &name.value);
        let [first, second] = ENDS.map(|[.., axis]| {
            let node = self.reading.child(node, axis)?;
            self.axis_of(node, &name.value)
        });
        let first = first.unwrap_or_else(|| common.clone());
        if kind.value.axes() == 2 {
            return vec![first, second.unwrap_or(common)];
        }
        let Some(second) = second else { return vec![first] };
        let directions =
            [&first, &second].map(|axis| frame::vector(&axis.components).and_then(frame::unit));
        let [Some(a), Some(b)] = directions else { return vec![first] };
        if a == b {
            return vec![first];
        }
        if kind.value == JointType::Prismatic {
            let message = format!(
                "the axes of constraint `{}` differ, which leaves open how its ends are rotated \
                 about them",
                short(&name.value)
            );
            let finding = Diagnostic::error(DiagnosticCode::Unsupported, second.span, message)
                .also(first.span, "the other axis")
                .help("give the same axis twice and rotate the end by `rpy` of its origin");
            self.reading.out.push(finding);
            return vec![first];
        }
        let origin = &mut origins[1];
        if let Some(pose) = frame::pose(None, origin.1.as_ref()) {
            let rotated = frame::product(&pose.rotation, &frame::between(a, b));
            origin.1 = frame::rotation(&rotated, second.span);
        }
        vec![first]
    }

    /// The place of one end: the link itself, or a new point of it.
    fn cut_point(&self, link: &Text, origin: Origin, cut: &Text, draft: &mut Draft) -> Text {
        let body = self.place_of(link);
        let (position, rotation) = origin;
        if position.is_none() && rotation.is_none() {
            return body;
        }
        let points = if body.value == "ground" {
            &mut draft.ground
        } else {
            match self.index.get(&body.value) {
                Some(known) => &mut draft.bodies[*known].points,
                // The checks will report the unknown body.
                None => return body,
            }
        };
        let mut name = cut.value.clone();
        // Both ends may be on one body.
        if points.last().is_some_and(|point| point.name.value == name) {
            name.push_str("_child");
        }
        let place = Spanned::new(format!("{}.{name}", body.value), body.span);
        let position = position.unwrap_or_else(|| frame::triple([0.0; 3], link.span));
        points.push(Point { name: Spanned::new(name, cut.span), position, rotation });
        place
    }
}
