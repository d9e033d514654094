//! Shapes of links: what is drawn of them.
//!
//! A link is drawn by its `<visual>` elements, or by its `<collision>` elements if it has no
//! others.

use super::Reader;
use super::build::Seat;
use super::poses::{Frames, read_pose};
use crate::diagnostic::Diagnostics;
use crate::draft::{BodyShape, Form, Text};
use crate::read::frame::Pose;
use crate::read::shape::{UNREAD, colour, finite, first, mesh, placed, solid};
use crate::read::snap::Snaps;
use crate::read::xml::{Node, Reading};
use crate::solid::SolidType;
use crate::source::Span;

impl<'d> Reader<'d, '_> {
    /// The shapes of a link in the frame of its body.
    pub(super) fn shapes(&mut self, at: usize, seat: Seat, frames: &Frames) -> Vec<BodyShape> {
        let (link, name) = self.links[at].clone();
        let visuals: Vec<_> = self.reading.children(link, "visual").collect();
        let drawn = match visuals.is_empty() {
            true => self.reading.children(link, "collision").collect(),
            false => visuals,
        };
        let mut shapes = Vec::new();
        for node in drawn {
            self.drawn.insert(node);
            match self.shape(node, seat, frames) {
                Some(shape) => shapes.push(shape),
                None => self.tally.note(UNREAD, self.reading.tag(node), &name.value),
            }
        }
        shapes
    }

    fn shape(&self, node: Node<'d>, seat: Seat, frames: &Frames) -> Option<BodyShape> {
        let span = self.reading.tag(node);
        let (form, lift) = self.form(first(&self.reading, node, "geometry")?, span)?;
        let pose = self.pose_of(node, seat, frames)?;
        let own = Pose { position: [0.0, 0.0, lift], ..Pose::IDENTITY };
        let in_body = seat.frame.inverse().then(&pose).then(&own);
        Some(placed(form, &in_body, self.colour(node), span))
    }

    /// The pose of a shape in the model; none if it cannot be read.
    fn pose_of(&self, node: Node<'d>, seat: Seat, frames: &Frames) -> Option<Pose> {
        let mut found = Diagnostics::new();
        let mut quiet =
            Reading { source: self.reading.source, text: self.reading.text, out: &mut found };
        let read = read_pose(&mut quiet, &mut Snaps::new(false), node, "");
        if found.errors() > 0 {
            return None;
        }
        Some(match read {
            None => seat.link,
            Some((None, pose, _)) => seat.link.then(&pose),
            Some((Some(base), pose, _)) if frames.knows(&base.value) => {
                frames.pose(&base.value).then(&pose)
            }
            Some(_) => return None,
        })
    }

    /// The form, and how far above its middle SDF's origin lies.
    fn form(&self, geometry: Node<'d>, span: Span) -> Option<(Form, f64)> {
        let node = self.reading.elements(geometry).next()?;
        let size = |key: &str| self.finite::<1>(node, key).map(|[size]| size);
        let round = || Some([size("radius")?, size("length")?]);
        let form = match self.reading.name(node) {
            "box" => solid(SolidType::Box, &self.finite::<3>(node, "size")?, span)?,
            "sphere" => solid(SolidType::Sphere, &[size("radius")?], span)?,
            "ellipsoid" => solid(SolidType::Ellipsoid, &self.finite::<3>(node, "radii")?, span)?,
            "cylinder" => solid(SolidType::Cylinder, &round()?, span)?,
            "capsule" => solid(SolidType::Capsule, &round()?, span)?,
            // Its origin is half-way up, ours is at its base.
            "cone" => return Some((solid(SolidType::Cone, &round()?, span)?, -0.5 * round()?[1])),
            "mesh" => {
                let file = self.reading.content(first(&self.reading, node, "uri")?).to_text();
                let scale = match first(&self.reading, node, "scale") {
                    None => [1.0; 3],
                    Some(scale) => finite(self.reading.content(scale))?,
                };
                mesh(file, scale, span)?
            }
            _ => return None,
        };
        Some((form, 0.0))
    }

    /// Finite numbers in a child.
    fn finite<const N: usize>(&self, node: Node<'d>, child: &str) -> Option<[f64; N]> {
        finite(self.reading.content(first(&self.reading, node, child)?))
    }

    fn colour(&self, node: Node<'d>) -> Option<Text> {
        let material = first(&self.reading, node, "material")?;
        let node = ["diffuse", "ambient"].iter();
        let node = node.filter_map(|name| first(&self.reading, material, name)).next()?;
        let token = self.reading.content(node);
        let rgb = finite::<4>(token).map(|[r, g, b, _]| [r, g, b]).or_else(|| finite(token))?;
        Some(colour(rgb, token.span))
    }
}
