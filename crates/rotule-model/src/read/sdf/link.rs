//! Links of SDF: masses, centres and inertias in the frames of the bodies.

use super::Reader;
use super::build::Seat;
use super::poses::read_pose;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Body, DraftValue, Inertia, Point, Text, Value};
use crate::read::frame;
use crate::read::xml::{Node, Reading, short};
use crate::source::{Span, Spanned};

impl<'d> Reader<'d, '_> {
    /// A link without its place.
    pub(super) fn body(&mut self, at: usize, seat: Seat, is_static: bool) -> Body {
        let (node, name) = self.links[at].clone();
        for (element, bad, message) in [
            ("gravity", false, "gravity acts on all links, also on"),
            ("kinematic", true, "links move by forces only, also"),
        ] {
            if self.reading.children(node, element).next().is_some()
                && self.flag_child(node, element) == bad
            {
                self.tally.warn(message, None, self.reading.tag(node), &name.value);
            }
        }
        let mut body = Body::named(self.bodies.refer(&name));
        // The origin of the link in the body.
        let shift = seat.frame.inverse().point(seat.link.position);
        self.inertial(node, &name, shift, is_static, &mut body);
        if let Some(position) = frame::position(shift, name.span) {
            let called = Spanned::new("frame".to_owned(), name.span);
            body.points.push(Point { name: called, position, rotation: None });
        }
        body
    }

    /// Mass, centre and inertia of a link. What is left out is one in SDF.
    fn inertial(
        &mut self,
        node: Node<'d>,
        name: &Text,
        shift: [f64; 3],
        is_static: bool,
        body: &mut Body,
    ) {
        let inertial = self.reading.child(node, "inertial");
        if let Some(auto) = inertial.and_then(|node| self.reading.attribute(node, "auto"))
            && self.reading.flag(auto) == Some(true)
        {
            let message = format!(
                "the inertia of link `{}` is to be computed from its `<collision>`, which is drawn only",
                short(&name.value)
            );
            let finding = Diagnostic::error(DiagnosticCode::Unsupported, auto.span, message);
            self.reading.out.push(finding.help("write `<mass>` and `<inertia>`"));
            return;
        }
        let given = |reading: &Reading<'d, '_>, child: &str| {
            inertial.is_some_and(|node| reading.children(node, child).next().is_some())
        };
        let complete = given(&self.reading, "mass") && given(&self.reading, "inertia");
        if !complete && !is_static {
            let message = "links whose mass or inertia is left out get those of SDF, which are one";
            let help = "write `<inertial>` with `<mass>` and `<inertia>`";
            self.tally.warn(message, Some(help), self.reading.tag(node), &name.value);
        }
        let tag = self.reading.tag(inertial.unwrap_or(node));
        let one = |span: Span| Some(Spanned::new(Value::Number(1.0), span));
        let mut pose = None;
        if let Some(inertial) = inertial {
            pose = read_pose(&mut self.reading, &mut self.snaps, inertial, &name.value);
        }
        let mut number = |node: Option<Node<'d>>, child: &str| -> Option<DraftValue> {
            Some(self.reading.number_child(node?, child)?.scalar())
        };
        body.mass = number(inertial, "mass").or(one(tag));
        let inertia = inertial.and_then(|node| self.reading.child(node, "inertia"));
        let span = inertia.map_or(tag, |node| self.reading.tag(node));
        let mut number = |child: &str| Some(self.reading.number_child(inertia?, child)?.scalar());
        let mut diagonal = |child: &str| number(child).or(one(span));
        let (xx, yy, zz) = (diagonal("ixx"), diagonal("iyy"), diagonal("izz"));
        let [xy, xz, yz] = ["ixy", "ixz", "iyz"]
            .map(|child| number(child).filter(|scalar| scalar.value != Value::Number(0.0)));
        let (centre, turn, at) = match &pose {
            Some((_, pose, at)) => (pose.position, frame::rotation(&pose.rotation, *at), *at),
            None => ([0.0; 3], None, tag),
        };
        body.com = frame::position(frame::add(centre, shift), at);
        body.inertia = Some(Inertia { span, entries: [xx, yy, zz, xy, xz, yz], rotation: turn });
    }
}
