//! Shapes in `<graphics>`: what ROBOTRAN's view draws of a body.
//!
//! A shape is rotated about z, y and x, then scaled along the axes of its body, then moved. Round
//! shapes lie along y.

use super::Reader;
use crate::draft::{BodyShape, Form, Text};
use crate::read::frame::{self, Matrix, Pose, Vector};
use crate::read::shape::{UNREAD, colour, finite, first, mesh, placed, scale_before, solid};
use crate::read::xml::Node;
use crate::solid::SolidType;
use crate::source::Span;

/// The matrix that maps our axis of round shapes to ROBOTRAN's, z to y.
const Y_FOR_Z: Matrix = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]];

impl<'d> Reader<'d, '_> {
    /// The shapes of the base or of a body.
    pub(super) fn shapes(&mut self, owner: Node<'d>, name: &str) -> Vec<BodyShape> {
        let mut lists = vec![owner];
        for level in ["graphics", "x3D", "x3D_shapes"] {
            lists = lists.iter().flat_map(|node| self.reading.children(*node, level)).collect();
        }
        let mut shapes = Vec::new();
        for node in lists.into_iter().flat_map(|list| self.reading.elements(list)) {
            match self.shape(node) {
                Some(shape) => shapes.push(shape),
                None => self.tally.note(UNREAD, self.reading.tag(node), name),
            }
        }
        shapes
    }

    fn shape(&self, node: Node<'d>) -> Option<BodyShape> {
        let span = self.reading.tag(node);
        let [about_x, about_y, about_z] = self.vector(node, "rotation", 0.0)?;
        let [x, y, z] = [[about_x, 0.0, 0.0], [0.0, about_y, 0.0], [0.0, 0.0, about_z]];
        let [x, y, z] = [x, y, z].map(frame::of_rpy);
        let rotation = frame::product(&x, &frame::product(&y, &z));
        let scale = scale_before(&rotation, self.vector(node, "scale", 1.0)?)?;
        let position = self.vector(node, "position", 0.0)?;
        if self.reading.name(node) == "inline" {
            let file = self.reading.content(first(&self.reading, node, "url")?).to_text();
            let form = mesh(file, scale, span)?;
            // Its colours are in the file.
            return Some(placed(form, &Pose { position, rotation }, None, span));
        }
        let (form, lift) = self.solid(node, scale, span)?;
        let pose = Pose { position, rotation: frame::product(&rotation, &Y_FOR_Z) };
        let own = Pose { position: [0.0, 0.0, lift], ..Pose::IDENTITY };
        Some(placed(form, &pose.then(&own), self.colour(node), span))
    }

    /// A solid in our axes, and how far above its middle ROBOTRAN's origin lies.
    fn solid(&self, node: Node<'d>, scale: Vector, span: Span) -> Option<(Form, f64)> {
        let [sx, sy, sz] = scale.map(f64::abs);
        let number = |name: &str| {
            let [number] = finite(self.reading.content(first(&self.reading, node, name)?))?;
            Some(number)
        };
        let round = || {
            let sizes = [number("radius")? * sx, number("height")? * sy];
            // One that is not as wide as deep is no solid of ours.
            ((sx - sz).abs() <= 1e-12 * sx).then_some(sizes)
        };
        Some(match self.reading.name(node) {
            "box" => {
                let [x, y, z] = self.vector(node, "size", 0.0)?;
                (solid(SolidType::Box, &[x * sx, z * sz, y * sy], span)?, 0.0)
            }
            "sphere" => {
                let radius: f64 = number("radius")?;
                let half = [radius * sx, radius * sz, radius * sy];
                match half[0] == half[1] && half[1] == half[2] {
                    true => (solid(SolidType::Sphere, &half[..1], span)?, 0.0),
                    false => (solid(SolidType::Ellipsoid, &half, span)?, 0.0),
                }
            }
            "cylinder" => (solid(SolidType::Cylinder, &round()?, span)?, 0.0),
            // ROBOTRAN's origin is half-way up, ours is at the base.
            "cone" => (solid(SolidType::Cone, &round()?, span)?, -0.5 * round()?[1]),
            _ => return None,
        })
    }

    /// The elements `x`, `y` and `z` in a child; what is left out has the default.
    fn vector(&self, node: Node<'d>, name: &str, default: f64) -> Option<Vector> {
        let Some(node) = first(&self.reading, node, name) else { return Some([default; 3]) };
        let mut numbers = [default; 3];
        for (number, name) in numbers.iter_mut().zip(["x", "y", "z"]) {
            let Some(child) = first(&self.reading, node, name) else { continue };
            [*number] = finite(self.reading.content(child))?;
        }
        Some(numbers)
    }

    fn colour(&self, node: Node<'d>) -> Option<Text> {
        let node = first(&self.reading, node, "color")?;
        let part = |name: &str| {
            let [byte] = finite::<1>(self.reading.attribute(node, name)?)?;
            Some(byte / 255.0)
        };
        Some(colour([part("R")?, part("G")?, part("B")?], self.reading.tag(node)))
    }
}
