//! COLLADA (`.dae`): polygons of geometries, placed by the nodes of the scene.
//!
//! Units and, on request, the upward axis follow `<asset>`. Materials, animations and skins' poses
//! are left out: a skinned geometry is drawn as it was bound. Nothing here recurses over the file.

use std::collections::HashMap;
use std::collections::btree_map::{BTreeMap, Entry};

use roxmltree::{Document, Node, ParsingOptions};

use crate::error::{Fault, shown};
use crate::read::{MAX_TRIANGLES, UpAxis};
use crate::soup::Soup;
use crate::{Affine, xml};

/// The most elements, attributes and texts of a file.
const MAX_NODES: u32 = 4_000_000;
/// The most nodes of the scene, counted each time that they are instanced.
const MAX_INSTANCES: usize = 100_000;
/// The deepest nesting of instances.
const MAX_DEPTH: usize = 200;

/// A parsed file: its elements by identifier.
struct File<'d> {
    document: &'d Document<'d>,
    ids: HashMap<&'d str, Node<'d, 'd>>,
}

/// Reads a file.
pub(crate) fn read(bytes: &[u8], up: UpAxis) -> Result<Soup, Fault> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let place = format!("byte {}", error.valid_up_to());
        Fault::new(place, "the text is not UTF-8", "save the file as UTF-8")
    })?;
    let text = text.trim_start_matches('\u{feff}');
    xml::scan(text, MAX_NODES).map_err(|excess| {
        let place = format!("byte {}", excess.range.start);
        Fault::new(place, excess.message, "decimate it in the program that exported it")
    })?;
    let options = ParsingOptions { nodes_limit: MAX_NODES, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| {
        let pos = error.pos();
        let place = format!("line {}, column {}", pos.row, pos.col);
        match error {
            roxmltree::Error::DtdDetected => Fault::new(
                place,
                "the file has a document type declaration",
                "remove `<!DOCTYPE ..>` and write out the entities that it defines",
            ),
            error => Fault::broken(place, format!("the text is not XML: {error}")),
        }
    })?;
    let root = document.root_element();
    if !root.has_tag_name_ignoring_namespace("COLLADA") {
        let message = format!("the file begins with `<{}>`", shown(root.tag_name().name()));
        return Err(Fault::new("line 1", message, "a COLLADA file begins with `<COLLADA>`"));
    }
    let mut ids = HashMap::new();
    for node in document.descendants() {
        if let Some(id) = node.attribute("id") {
            ids.entry(id).or_insert(node);
        }
    }
    let file = File { document: &document, ids };
    let asset = file.asset(up)?;
    let mut soup = Soup::default();
    file.scene(&asset, &mut soup)?;
    Ok(soup)
}

/// Names of elements without their namespace, which differs between versions.
trait TagName {
    fn has_tag_name_ignoring_namespace(&self, name: &str) -> bool;
}

impl TagName for Node<'_, '_> {
    fn has_tag_name_ignoring_namespace(&self, name: &str) -> bool {
        self.is_element() && self.tag_name().name() == name
    }
}

/// The first element of a name in an element.
fn child<'d>(node: Node<'d, 'd>, name: &str) -> Option<Node<'d, 'd>> {
    node.children().find(|child| child.has_tag_name_ignoring_namespace(name))
}

/// The words in an element; comments may stand between them.
fn words<'d>(node: Node<'d, 'd>) -> impl Iterator<Item = &'d str> {
    node.children()
        .filter_map(|part| if part.is_text() { part.text() } else { None })
        .flat_map(str::split_ascii_whitespace)
}

impl<'d> File<'d> {
    /// The place of an element in a message.
    fn place(&self, node: Node<'d, 'd>) -> String {
        let line = self.document.text_pos_at(node.range().start).row;
        format!("line {line}, `<{}>`", shown(node.tag_name().name()))
    }

    /// The unit and the upward axis of the file.
    fn asset(&self, up: UpAxis) -> Result<Affine, Fault> {
        let asset = child(self.document.root_element(), "asset");
        let unit = asset.and_then(|asset| child(asset, "unit"));
        let meter = match unit.and_then(|unit| unit.attribute("meter").map(|text| (unit, text))) {
            Some((unit, text)) => {
                text.trim().parse::<f64>().ok().filter(|m| *m > 0.0).ok_or_else(|| {
                    let message =
                        format!("the unit of `{}` metres is no positive number", shown(text));
                    Fault::broken(self.place(unit), message)
                })?
            }
            None => 1.0,
        };
        let axis = asset.and_then(|asset| child(asset, "up_axis"));
        let axes = match (up, axis.and_then(|axis| axis.text()).map(str::trim)) {
            (UpAxis::AsWritten, _) | (_, Some("Z_UP")) => Affine::IDENTITY.matrix,
            (_, Some("X_UP")) => [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]],
            _ => [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
        };
        Ok(Affine { matrix: axes.map(|row| row.map(|x| meter * x)), offset: [0.0; 3] })
    }

    /// The element that an attribute such as `url="#name"` names.
    fn target(&self, node: Node<'d, 'd>, attribute: &str) -> Result<Node<'d, 'd>, Fault> {
        let text = node.attribute(attribute).unwrap_or_default();
        let Some(id) = text.strip_prefix('#') else {
            let message =
                format!("`{attribute}=\"{}\"` names no element of this file", shown(text));
            let help = "references to other files are not followed: export everything in one file";
            return Err(Fault::new(self.place(node), message, help));
        };
        self.ids.get(id).copied().ok_or_else(|| {
            let message = format!("there is no element with the identifier `{}`", shown(id));
            Fault::broken(self.place(node), message)
        })
    }

    /// The numbers in an element.
    fn numbers(&self, node: Node<'d, 'd>) -> Result<Vec<f64>, Fault> {
        let number = |word: &str| match word.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(number),
            _ => {
                let message = format!("expected a finite number, found `{}`", shown(word));
                Err(Fault::broken(self.place(node), message))
            }
        };
        words(node).map(number).collect()
    }

    /// A given number of numbers in an element.
    fn exactly<const N: usize>(&self, node: Node<'d, 'd>) -> Result<[f64; N], Fault> {
        let numbers = self.numbers(node)?;
        let count = numbers.len();
        numbers.try_into().map_err(|_| {
            Fault::broken(self.place(node), format!("expected {N} numbers, found {count}"))
        })
    }

    /// The nodes of the scene, with what they place; without a scene all geometries.
    fn scene(&self, asset: &Affine, soup: &mut Soup) -> Result<(), Fault> {
        let root = self.document.root_element();
        let instance = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
        let scene = match instance {
            Some(instance) => Some(self.target(instance, "url")?),
            None => child(root, "library_visual_scenes").and_then(|all| child(all, "visual_scene")),
        };
        let mut geometries = BTreeMap::new();
        let Some(scene) = scene else {
            let library = child(root, "library_geometries").into_iter();
            for geometry in library.flat_map(|library| library.children()) {
                if geometry.has_tag_name_ignoring_namespace("geometry") {
                    self.instance(geometry, asset, &mut geometries, soup)?;
                }
            }
            return Ok(());
        };
        // What is still to be placed, the next one last, with the instances that lead to it.
        let mut waiting = vec![(scene, *asset, Vec::new())];
        let mut visited = 0;
        while let Some((node, placement, path)) = waiting.pop() {
            visited += 1;
            if visited > MAX_INSTANCES {
                let message =
                    format!("the scene has more than {MAX_INSTANCES} nodes and instances");
                return Err(Fault::new(self.place(node), message, "merge parts before exporting"));
            }
            let placement = self.transform(node, &placement)?;
            let mut inner = Vec::new();
            for part in node.children().filter(Node::is_element) {
                match part.tag_name().name() {
                    "node" => inner.push((part, placement, path.clone())),
                    "instance_node" => {
                        let target = self.target(part, "url")?;
                        if path.contains(&target.id()) || path.len() >= MAX_DEPTH {
                            let message = "nodes instance each other in a cycle, or too deeply";
                            let help = "remove the `<instance_node>` that leads back";
                            return Err(Fault::new(self.place(part), message, help));
                        }
                        let mut path = path.clone();
                        path.push(target.id());
                        inner.push((target, placement, path));
                    }
                    "instance_geometry" => {
                        let geometry = self.target(part, "url")?;
                        self.instance(geometry, &placement, &mut geometries, soup)?;
                    }
                    "instance_controller" => {
                        let controller = self.target(part, "url")?;
                        if let Some(skin) = child(controller, "skin") {
                            let geometry = self.target(skin, "source")?;
                            self.instance(geometry, &placement, &mut geometries, soup)?;
                        }
                    }
                    _ => {}
                }
            }
            waiting.extend(inner.into_iter().rev());
        }
        Ok(())
    }

    /// The placement of a node in the scene: its transformations in the order of the file.
    fn transform(&self, node: Node<'d, 'd>, outer: &Affine) -> Result<Affine, Fault> {
        let mut placement = *outer;
        for part in node.children().filter(Node::is_element) {
            let inner = match part.tag_name().name() {
                "translate" => Affine::translation(self.exactly(part)?),
                "scale" => Affine::scale(self.exactly(part)?),
                "rotate" => {
                    let [x, y, z, degrees] = self.exactly(part)?;
                    if [x, y, z] == [0.0; 3] {
                        continue;
                    }
                    Affine::turn([x, y, z], degrees * (std::f64::consts::PI / 180.0))
                }
                "matrix" => {
                    let m: [f64; 16] = self.exactly(part)?;
                    let row = |i: usize| [m[4 * i], m[4 * i + 1], m[4 * i + 2]];
                    Affine { matrix: [row(0), row(1), row(2)], offset: [m[3], m[7], m[11]] }
                }
                name @ ("lookat" | "skew") => {
                    let message = format!("the transformation `<{name}>` is not read");
                    return Err(Fault::new(self.place(part), message, "export it as `<matrix>`"));
                }
                _ => continue,
            };
            placement = placement.after(&inner);
        }
        Ok(placement)
    }

    /// Adds a geometry in a place. It is read when it is met first.
    fn instance(
        &self,
        geometry: Node<'d, 'd>,
        placement: &Affine,
        read: &mut BTreeMap<u32, Soup>,
        soup: &mut Soup,
    ) -> Result<(), Fault> {
        let own = match read.entry(geometry.id().get()) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(place) => {
                let mut own = Soup::default();
                self.geometry(geometry, &mut own)?;
                soup.notes.append(&mut own.notes);
                place.insert(own)
            }
        };
        soup.copy(|| self.place(geometry), own, placement)
    }

    fn geometry(&self, geometry: Node<'d, 'd>, soup: &mut Soup) -> Result<(), Fault> {
        let Some(mesh) = child(geometry, "mesh") else {
            let note = format!("{}: only `<mesh>` is read", self.place(geometry));
            soup.notes.push(note);
            return Ok(());
        };
        // Corners of each source of positions are added once.
        let mut sources: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
        for part in mesh.children().filter(Node::is_element) {
            let name = part.tag_name().name();
            if !matches!(name, "triangles" | "polylist" | "polygons" | "trifans" | "tristrips") {
                if matches!(name, "lines" | "linestrips") {
                    soup.notes.push(format!("{}: lines are not read", self.place(part)));
                }
                continue;
            }
            self.primitive(part, name, &mut sources, soup)?;
        }
        Ok(())
    }

    /// The polygons of an element, with their corners from its inputs.
    fn primitive(
        &self,
        part: Node<'d, 'd>,
        name: &str,
        sources: &mut BTreeMap<u32, (u32, u32)>,
        soup: &mut Soup,
    ) -> Result<(), Fault> {
        let place = || self.place(part);
        let mut stride = 1;
        let mut vertices = None;
        for input in part.children().filter(|c| c.has_tag_name_ignoring_namespace("input")) {
            let offset: usize = match input.attribute("offset").map(|text| text.trim().parse()) {
                Some(Ok(offset)) if offset < 64 => offset,
                None => 0,
                _ => {
                    return Err(Fault::broken(
                        self.place(input),
                        "`offset` is not a small integer",
                    ));
                }
            };
            stride = stride.max(offset + 1);
            if input.attribute("semantic") == Some("VERTEX") {
                vertices = Some((self.target(input, "source")?, offset));
            }
        }
        let Some((vertices, offset)) = vertices else {
            return Err(Fault::broken(place(), "there is no `<input semantic=\"VERTEX\">`"));
        };
        let position = vertices.children().find(|c| c.attribute("semantic") == Some("POSITION"));
        let Some(position) = position else {
            let message = "there is no `<input semantic=\"POSITION\">`";
            return Err(Fault::broken(self.place(vertices), message));
        };
        let source = self.target(position, "source")?;
        let id = source.id().get();
        let (base, count) = match sources.get(&id) {
            Some(known) => *known,
            None => self.positions(source, soup)?,
        };
        sources.insert(id, (base, count));
        let sizes = match child(part, "vcount") {
            Some(node) if name == "polylist" => Some(self.integers(node)?),
            _ if name == "polylist" => {
                return Err(Fault::broken(place(), "there is no `<vcount>`"));
            }
            _ => None,
        };
        if let Some(holed) = child(part, "ph") {
            let message = "polygons with holes are not read";
            return Err(Fault::new(self.place(holed), message, "triangulate before exporting"));
        }
        for list in part.children().filter(|c| c.has_tag_name_ignoring_namespace("p")) {
            let indices = self.integers(list)?;
            if indices.len() % stride != 0 {
                let message = format!("{} indices are no multiple of {stride}", indices.len());
                return Err(Fault::broken(self.place(list), message));
            }
            let mut corners = Vec::with_capacity(indices.len() / stride);
            for corner in indices.chunks_exact(stride) {
                let index = corner[offset];
                if index >= count {
                    let message =
                        format!("the index {index} is not below {count}, the number of corners");
                    return Err(Fault::broken(self.place(list), message));
                }
                corners.push(base + index);
            }
            match (name, &sizes) {
                ("triangles", _) => {
                    if !corners.len().is_multiple_of(3) {
                        let message = format!("{} corners are no multiple of 3", corners.len());
                        return Err(Fault::broken(self.place(list), message));
                    }
                    for triangle in corners.chunks_exact(3) {
                        soup.polygon(place, triangle)?;
                    }
                }
                ("polylist", Some(sizes)) => {
                    let mut rest = corners.as_slice();
                    for size in sizes {
                        let Some((polygon, after)) = rest.split_at_checked(*size as usize) else {
                            let message = "`<vcount>` asks for more corners than `<p>` has";
                            return Err(Fault::broken(self.place(list), message));
                        };
                        soup.polygon(place, polygon)?;
                        rest = after;
                    }
                }
                ("tristrips", _) => {
                    for (at, t) in corners.windows(3).enumerate() {
                        let flipped = at % 2 == 1;
                        soup.triangle(
                            place,
                            if flipped { [t[1], t[0], t[2]] } else { [t[0], t[1], t[2]] },
                        )?;
                    }
                }
                // One polygon or fan in each list.
                _ => soup.polygon(place, &corners)?,
            }
        }
        Ok(())
    }

    /// Whole numbers of an element.
    fn integers(&self, node: Node<'d, 'd>) -> Result<Vec<u32>, Fault> {
        let integer = |word: &str| {
            word.parse().map_err(|_| {
                let message = format!("expected a whole number, found `{}`", shown(word));
                Fault::broken(self.place(node), message)
            })
        };
        words(node).map(integer).collect()
    }

    /// Adds the corners of a source; their first index and their number.
    fn positions(&self, source: Node<'d, 'd>, soup: &mut Soup) -> Result<(u32, u32), Fault> {
        let accessor = child(source, "technique_common").and_then(|t| child(t, "accessor"));
        let array = match accessor {
            Some(accessor) => self.target(accessor, "source")?,
            None => child(source, "float_array")
                .ok_or_else(|| Fault::broken(self.place(source), "there is no `<float_array>`"))?,
        };
        let numbers = self.numbers(array)?;
        let integer = |name: &str, default: usize| match accessor.and_then(|a| a.attribute(name)) {
            Some(text) => text.trim().parse::<usize>().map_err(|_| {
                let message = format!("`{name}` is `{}`, not a whole number", shown(text));
                Fault::broken(self.place(source), message)
            }),
            None => Ok(default),
        };
        let (stride, offset) = (integer("stride", 3)?, integer("offset", 0)?);
        let available = numbers.len().saturating_sub(offset) / stride.max(1);
        let count = integer("count", available)?;
        if stride < 3 || count > available || count > 3 * MAX_TRIANGLES {
            let message = format!(
                "{count} corners of {stride} numbers from number {offset} on are announced; \
                 there are {} numbers",
                numbers.len()
            );
            return Err(Fault::broken(self.place(source), message));
        }
        let base = soup.vertices.len() as u32;
        for corner in numbers[offset.min(numbers.len())..].chunks(stride).take(count) {
            soup.vertex(|| self.place(array), [corner[0], corner[1], corner[2]])?;
        }
        Ok((base, count as u32))
    }
}
