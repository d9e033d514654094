//! Shapes of links: what is drawn of them.
//!
//! A link is drawn by its `<visual>` elements, or by its `<collision>` elements if it has no
//! others.

use super::Reader;
use crate::draft::{BodyShape, Form, Rotation, Text};
use crate::read::frame;
use crate::read::shape::{UNREAD, colour, finite, first, mesh, solid};
use crate::read::xml::Node;
use crate::solid::SolidType;
use crate::source::Span;

impl<'d> Reader<'d, '_> {
    /// The elements of a link that are drawn.
    fn drawn(&self, link: Node<'d>) -> Vec<Node<'d>> {
        let visuals: Vec<_> = self.reading.children(link, "visual").collect();
        if visuals.is_empty() {
            self.reading.children(link, "collision").collect()
        } else {
            visuals
        }
    }

    /// The shapes of a link.
    pub(super) fn shapes(&mut self, link: Node<'d>, name: &Text) -> Vec<BodyShape> {
        let mut shapes = Vec::new();
        for node in self.drawn(link) {
            self.drawn.insert(node);
            match self.shape(node) {
                Some(shape) => shapes.push(shape),
                None => self.tally.note(UNREAD, self.reading.tag(node), &name.value),
            }
        }
        shapes
    }

    fn shape(&self, node: Node<'d>) -> Option<BodyShape> {
        let span = self.reading.tag(node);
        let (at, rpy) = match first(&self.reading, node, "origin") {
            None => ([0.0; 3], [0.0; 3]),
            Some(origin) => (
                self.finite::<3>(origin, "xyz", [0.0; 3])?,
                self.finite::<3>(origin, "rpy", [0.0; 3])?,
            ),
        };
        Some(BodyShape {
            span,
            form: self.form(first(&self.reading, node, "geometry")?, span)?,
            at: (at != [0.0; 3]).then(|| frame::triple(at, span)),
            axis: None,
            rotation: (rpy != [0.0; 3]).then(|| Rotation::Rpy(frame::triple(rpy, span))),
            colour: self.colour(node),
            density: None,
        })
    }

    fn form(&self, geometry: Node<'d>, span: Span) -> Option<Form> {
        let node = self.reading.elements(geometry).next()?;
        let size = |key: &str| self.finite(node, key, [0.0]).map(|[size]| size);
        match self.reading.name(node) {
            "box" => solid(SolidType::Box, &self.finite::<3>(node, "size", [0.0; 3])?, span),
            "sphere" => solid(SolidType::Sphere, &[size("radius")?], span),
            "cylinder" => solid(SolidType::Cylinder, &[size("radius")?, size("length")?], span),
            "capsule" => solid(SolidType::Capsule, &[size("radius")?, size("length")?], span),
            "mesh" => {
                let file = self.reading.attribute(node, "filename")?.to_text();
                mesh(file, self.finite::<3>(node, "scale", [1.0; 3])?, span)
            }
            _ => None,
        }
    }

    /// Finite numbers of an attribute, or the default if there is none; none if they cannot be
    /// read.
    fn finite<const N: usize>(
        &self,
        node: Node<'d>,
        key: &str,
        default: [f64; N],
    ) -> Option<[f64; N]> {
        self.reading.attribute(node, key).map_or(Some(default), finite)
    }

    /// The colours of the robot's materials by their names.
    pub(super) fn materials(&mut self, robot: Node<'d>) {
        for node in self.reading.children(robot, "material").collect::<Vec<_>>() {
            self.drawn.insert(node);
            let name = self.reading.attribute(node, "name");
            let colour = first(&self.reading, node, "color").and_then(|colour| self.rgb(colour));
            if let (Some(name), Some(colour)) = (name, colour) {
                self.materials.entry(name.text).or_insert(colour);
            }
        }
    }

    /// The colour of a shape, its own or that of the robot's material of the name.
    fn colour(&self, node: Node<'d>) -> Option<Text> {
        let own = first(&self.reading, node, "material")?;
        match first(&self.reading, own, "color") {
            Some(colour) => self.rgb(colour),
            None => self.materials.get(self.reading.attribute(own, "name")?.text).cloned(),
        }
    }

    fn rgb(&self, node: Node<'d>) -> Option<Text> {
        let [r, g, b, _] = self.finite::<4>(node, "rgba", [0.5; 4])?;
        Some(colour([r, g, b], self.reading.tag(node)))
    }
}
