//! Geoms as shapes: what is drawn of a body.
//!
//! MuJoCo's viewer shows the groups 0 to 2 and hides the others, which hold shapes for contacts; a
//! body whose geoms are all hidden is drawn by them.

use rustc_hash::FxHashMap;

use super::Reader;
use super::defaults::{Element, Kind};
use super::inertia::{GEOMS, Geom};
use super::numbers::difference;
use super::solid::Solid;
use super::tree::RawBody;
use crate::diagnostic::Diagnostics;
use crate::draft::{BodyShape, Form, Text};
use crate::read::frame::{self, Pose, Vector};
use crate::read::shape::{UNREAD, colour, finite, mesh, solid};
use crate::read::xml::{Node, Token};
use crate::solid::SolidType;
use crate::source::{Span, Spanned};

/// The first group that is hidden.
const HIDDEN: f64 = 3.0;

/// Meshes and colours of `<asset>`, and the folder that `<compiler>` names.
#[derive(Default)]
pub(super) struct Assets<'d> {
    /// Files and scales by the names of meshes.
    meshes: FxHashMap<String, (Text, Vector)>,
    colours: FxHashMap<&'d str, Vector>,
    folder: &'d str,
    strips: bool,
}

impl<'d> Reader<'d, '_> {
    /// Folders of `<compiler>`.
    pub(super) fn folders(&mut self, node: Node<'d>) {
        for name in ["assetdir", "meshdir"] {
            if let Some(folder) = self.reading.attribute(node, name) {
                self.assets.folder = folder.text;
            }
        }
        let strips = self.reading.attribute(node, "strippath");
        self.assets.strips |= strips.is_some_and(|token| token.text == "true");
    }

    /// Meshes and materials.
    pub(super) fn assets(&mut self, section: Node<'d>) {
        for node in self.reading.elements(section) {
            match self.reading.name(node) {
                "material" => {
                    let name = self.reading.attribute(node, "name");
                    let rgba = self.reading.attribute(node, "rgba").and_then(finite::<4>);
                    if let (Some(name), Some([r, g, b, _])) = (name, rgba) {
                        self.assets.colours.insert(name.text, [r, g, b]);
                    }
                }
                "mesh" => self.mesh_asset(node),
                _ => {}
            }
        }
    }

    fn mesh_asset(&mut self, node: Node<'d>) {
        let element = self.element(node, Kind::Mesh, 0);
        let Some(file) = self.reading.attribute(node, "file") else { return };
        let last = file.text.rsplit(['/', '\\']).next().unwrap_or(file.text);
        let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
        let name = self.reading.attribute(node, "name").map_or(stem, |name| name.text);
        let path = if self.assets.strips { last } else { file.text };
        let folder = self.assets.folder.trim_end_matches('/').trim_start_matches("./");
        let path = if folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") };
        // One with a reference frame of its own would be drawn elsewhere.
        let moved = ["refpos", "refquat"].iter().any(|name| node.has_attribute(*name));
        let scale = match self.get(element, "scale") {
            Some(token) => finite(token),
            None => Some([1.0; 3]),
        };
        if let Some(scale) = scale.filter(|_| !moved) {
            let file = Spanned::new(path, file.span);
            self.assets.meshes.entry(name.to_owned()).or_insert((file, scale));
        }
    }

    /// The shapes of a body whose frame moves by `shift`.
    pub(super) fn shapes(&mut self, body: &RawBody<'d>, shift: Vector) -> Vec<BodyShape> {
        let group = |reader: &Self, element: Element<'d>| {
            let word = reader.get(element, "group").and_then(finite::<1>);
            word.map_or(0.0, |[group]| group)
        };
        let shown = body.geoms.iter().any(|(element, _)| group(self, *element) < HIDDEN);
        let mut shapes = Vec::new();
        for &(element, outer) in &body.geoms {
            if shown && group(self, element) >= HIDDEN {
                continue;
            }
            let outer = outer.map(|at| self.frames[at]);
            match self.quietly(|reader| reader.shape(element, outer.as_ref(), body, shift)) {
                Some(shape) => shapes.extend(shape),
                None => self.tally.note(UNREAD, self.reading.tag(element.node), &body.called),
            }
        }
        shapes
    }

    /// The result without diagnostics; none if there were errors.
    fn quietly<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (kept, snaps) = (std::mem::take(self.reading.out), self.snaps.count());
        let found = read(self);
        let mine: Diagnostics = std::mem::replace(self.reading.out, kept);
        self.snaps.forget(snaps);
        found.filter(|_| mine.errors() == 0)
    }

    /// A geom as a shape; none inside for planes, which have no end.
    fn shape(
        &mut self,
        element: Element<'d>,
        outer: Option<&Pose>,
        body: &RawBody<'d>,
        shift: Vector,
    ) -> Option<Option<BodyShape>> {
        let span = self.reading.tag(element.node);
        let mesh_name = self.get(element, "mesh");
        let word = self.get(element, "type").map_or("sphere", |token| token.text);
        let (_, kind) = GEOMS.iter().find(|(known, _)| *known == word)?;
        let (form, placed) = match (kind, mesh_name) {
            (Geom::Plane, _) => return Some(None),
            (Geom::Unknown, Some(name)) if word == "mesh" => {
                let (file, scale) = self.assets.meshes.get(name.text)?;
                (mesh(file.clone(), *scale, span)?, self.placed(element, &body.called))
            }
            // A primitive fitted to a mesh has sizes that only MuJoCo knows.
            (Geom::Unknown, _) | (_, Some(_)) => return None,
            _ => {
                let (solid, placed) = self.solid(element, *kind, &body.called)?;
                (form(solid, span)?, placed)
            }
        };
        let placed = placed.within(outer);
        Some(Some(BodyShape {
            span,
            form,
            at: frame::position(difference(placed.pose.position, shift), span),
            axis: None,
            rotation: placed.rotation,
            colour: self.rgb(element),
            density: None,
        }))
    }

    fn rgb(&self, element: Element<'d>) -> Option<Text> {
        let own: Option<Token<'d>> = self.get(element, "rgba");
        let material = || {
            let name = self.get(element, "material")?;
            Some(colour(*self.assets.colours.get(name.text)?, name.span))
        };
        match own {
            Some(token) => finite::<4>(token).map(|[r, g, b, _]| colour([r, g, b], token.span)),
            None => material(),
        }
    }
}

/// A solid of MJCF, which has half sizes, as a form.
fn form(half: Solid, span: Span) -> Option<Form> {
    match half {
        Solid::Sphere { radius } => solid(SolidType::Sphere, &[radius], span),
        Solid::Ellipsoid { half } => solid(SolidType::Ellipsoid, &half, span),
        Solid::Box { half } => solid(SolidType::Box, &half.map(|x| 2.0 * x), span),
        Solid::Cylinder { radius, half } => solid(SolidType::Cylinder, &[radius, 2.0 * half], span),
        Solid::Capsule { radius, half } => solid(SolidType::Capsule, &[radius, 2.0 * half], span),
    }
}
