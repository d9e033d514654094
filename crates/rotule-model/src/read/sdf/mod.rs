//! The reader of SDF, the format of Gazebo.
//!
//! SDF says where links and joints are in the model; the model file says where a joint is on the
//! body before it, and puts the frame of a body at its joint. So every pose is brought to the model
//! (`poses.rs`), and a body gets the frame that has its joint's origin and its link's axes: only
//! positions in the body shift. Where the link's own frame is elsewhere, it becomes the point
//! `frame`. Joints may form any graph (`tree.rs`): what does not fit a tree becomes a joint apart.
//! `link.rs`, `shape.rs` and `joint.rs` read the parts, `build.rs` puts them together.

mod build;
mod joint;
mod link;
mod poses;
mod schema;
mod shape;
mod tree;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ReadOptions;
use super::frame::{self, Pose};
use super::names::{BODY_WORDS, COORDINATE_WORDS, Names};
use super::snap::Snaps;
use super::xml::{self, Node, Reading, Tally, XmlFormat, short};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Draft, Text, Triple};
use joint::Edge;
use poses::{Entry, Frames, Kind, read_pose};

/// The format: its elements, and how they are read.
pub(super) const FORMAT: XmlFormat = XmlFormat { schema: &schema::SCHEMA, read };

fn read<'d>(mut reading: Reading<'d, '_>, root: Node<'d>, options: &ReadOptions) -> Draft {
    let Some(model) = choose_model(&mut reading, root) else { return Draft::default() };
    let snaps = Snaps::new(options.as_written);
    Reader::new(reading, root, model, snaps).model()
}

/// The model to read: the first that is not static, or else the first. Others are told of.
fn choose_model<'d>(reading: &mut Reading<'d, '_>, root: Node<'d>) -> Option<Node<'d>> {
    let worlds = reading.children(root, "world").flat_map(|world| reading.children(world, "model"));
    let models: Vec<Node<'d>> = reading.children(root, "model").chain(worlds).collect();
    let is_static = |model: Node<'d>| {
        let flags = reading.children(model, "static");
        flags.map(|flag| reading.content(flag).text).any(|text| ["true", "1"].contains(&text))
    };
    let moving = models.iter().find(|model| !is_static(**model));
    let Some(chosen) = moving.or(models.first()).copied() else {
        let message = "the file has no `<model>`";
        let finding = Diagnostic::error(DiagnosticCode::Missing, reading.tag(root), message);
        let includes = root.descendants().any(|node| node.has_tag_name("include"));
        let help = includes.then(|| INCLUDE.to_owned());
        reading.out.push(finding.maybe_help(help));
        return None;
    };
    let others: Vec<Node<'d>> = models.into_iter().filter(|model| *model != chosen).collect();
    if let Some(first) = others.first() {
        let named = |model: &Node<'d>| {
            let name = reading.attribute(*model, "name");
            format!("`{}`", short(name.map_or("", |name| name.text)))
        };
        let mut names: Vec<String> = others.iter().take(4).map(named).collect();
        if others.len() > names.len() {
            names.push(format!("and {} more", others.len() - names.len()));
        }
        let message =
            format!("one model is read, {}; left out: {}", named(&chosen), names.join(", "));
        let finding = Diagnostic::warning(DiagnosticCode::Ignored, reading.tag(*first), message);
        reading.out.push(finding.also(reading.tag(chosen), "the model that is read"));
    }
    Some(chosen)
}

/// The remedy about included files.
const INCLUDE: &str =
    "other files are not read: write the included model into this file, or read its own file";

struct Reader<'d, 'o> {
    reading: Reading<'d, 'o>,
    root: Node<'d>,
    node: Node<'d>,
    snaps: Snaps,
    tally: Tally,
    /// Links with their names as written.
    links: Vec<(Node<'d>, Text)>,
    /// Links by their names; of several, the first.
    index: FxHashMap<String, usize>,
    edges: Vec<Edge<'d>>,
    /// Joints by their names; of several, the first.
    joint_index: FxHashMap<String, usize>,
    /// `<frame>` elements: name, what they are attached to, and their number among the entries.
    frames: Vec<(Text, Option<Text>, usize)>,
    bodies: Names,
    joints: Names,
    points: Names,
    /// Elements that shapes are read from.
    drawn: FxHashSet<Node<'d>>,
    /// Where the model is in the ground.
    place: Pose,
    /// `true` if axes are meant in the model's frame, as before version 1.5.
    model_axes: bool,
}

impl<'d, 'o> Reader<'d, 'o> {
    fn new(
        reading: Reading<'d, 'o>,
        root: Node<'d>,
        node: Node<'d>,
        snaps: Snaps,
    ) -> Reader<'d, 'o> {
        Reader {
            reading,
            root,
            node,
            snaps,
            tally: Tally::default(),
            links: Vec::new(),
            index: FxHashMap::default(),
            edges: Vec::new(),
            joint_index: FxHashMap::default(),
            frames: Vec::new(),
            bodies: Names::default(),
            joints: Names::default(),
            points: Names::default(),
            drawn: FxHashSet::default(),
            place: Pose::IDENTITY,
            model_axes: false,
        }
    }

    fn model(mut self) -> Draft {
        let span = self.reading.tag(self.node);
        let name = self.reading.required(self.node, "name").map(xml::Token::to_text);
        let mut draft = Draft { span, name, gravity: self.gravity(), ..Draft::default() };
        self.version();
        self.refuse_parts();
        let is_static = self.flag_child(self.node, "static");
        let owner = draft.name.as_ref().map_or("model", |name| name.value.as_str());
        if let Some((base, pose, _)) =
            read_pose(&mut self.reading, &mut self.snaps, self.node, owner)
        {
            if let Some(base) = base.filter(|base| base.value != "world") {
                let message = "the pose of the model is taken relative to the world";
                let finding = Diagnostic::warning(DiagnosticCode::Unsupported, base.span, message);
                self.reading.out.push(finding);
            }
            self.place = pose;
        }
        let frames = self.collect();
        if self.links.is_empty() {
            self.reading.error(DiagnosticCode::Missing, span, "the model has no `<link>`");
        }
        if is_static && !self.edges.is_empty() {
            let message = "the model is static: its links stand still and its joints are left out";
            let at = self.reading.tag(self.edges[0].node);
            self.reading.out.push(Diagnostic::warning(DiagnosticCode::Ignored, at, message));
        }
        self.build(&frames, is_static, &mut draft);
        self.snaps.report(self.reading.out);
        self.tally.report(self.reading.out);
        let (model, root, drawn) = (self.node, self.root, self.drawn);
        let part = |node: Node<'d>| {
            // Other models and refused parts have been spoken of.
            drawn.contains(&node)
                || (node.has_tag_name("model") && node != model)
                || (node.has_tag_name("include") && node.parent() == Some(model))
        };
        xml::report_left_out_but(&mut self.reading, root, &schema::SCHEMA, &part);
        draft
    }

    /// The gravity of the world; SDF's own default if there is a world.
    fn gravity(&mut self) -> Option<Triple> {
        let world = self.node.parent().filter(|node| node.has_tag_name("world"))?;
        let span = self.reading.tag(world);
        let words = self.reading.vector_child::<3>(world, "gravity");
        Some(words.map_or_else(|| frame::triple([0.0, 0.0, -9.8], span), xml::triple))
    }

    fn version(&mut self) {
        let Some(token) = self.reading.required(self.root, "version") else { return };
        let mut parts = token.text.split('.').map(str::parse::<u32>);
        match (parts.next(), parts.next()) {
            (Some(Ok(1)), Some(Ok(minor))) => self.model_axes = minor < 5,
            _ => {
                let message = format!("version `{}` of SDF is not known", short(token.text));
                let finding = Diagnostic::warning(DiagnosticCode::Unsupported, token.span, message);
                self.reading.out.push(finding.help("versions 1.4 to 1.12 are"));
            }
        }
    }

    /// Reports parts of the model that matter and cannot be taken.
    fn refuse_parts(&mut self) {
        let refused = [
            ("include", INCLUDE),
            ("model", "write the links and joints of the inner model into the outer one"),
        ];
        for (name, help) in refused {
            let Some(found) = self.reading.children(self.node, name).next() else { continue };
            let message = format!("`<{name}>` in a `<model>` cannot be taken");
            let finding =
                Diagnostic::error(DiagnosticCode::Unsupported, self.reading.tag(found), message);
            self.reading.out.push(finding.help(help));
        }
    }

    fn flag_child(&mut self, node: Node<'d>, name: &str) -> bool {
        let Some(child) = self.reading.child(node, name) else { return false };
        let token = self.reading.content(child);
        self.reading.flag(token).unwrap_or(false)
    }

    /// Finds links, joints and frames with their poses and names.
    fn collect(&mut self) -> Frames {
        let mut entries = Vec::new();
        for node in self.reading.elements(self.node) {
            let kind = match self.reading.name(node) {
                "link" => Kind::Link,
                "joint" => Kind::Joint,
                "frame" => Kind::Frame,
                _ => continue,
            };
            let Some(name) = self.reading.required(node, "name").map(xml::Token::to_text) else {
                continue;
            };
            let at = entries.len();
            let mut base = None;
            match kind {
                Kind::Link => {
                    self.index.entry(name.value.clone()).or_insert(self.links.len());
                    self.links.push((node, name.clone()));
                }
                Kind::Joint => {
                    let Some(edge) = self.edge(node, &name, at) else { continue };
                    // `world` is no child; that is told with the ends of the joints.
                    base = Some(edge.child.clone()).filter(|child| child.value != "world");
                    self.joint_index.entry(name.value.clone()).or_insert(self.edges.len());
                    self.edges.push(edge);
                }
                Kind::Frame => {
                    let attached = self.reading.attribute(node, "attached_to");
                    base = attached.filter(|token| !token.text.is_empty()).map(xml::Token::to_text);
                    self.frames.push((name.clone(), base.clone(), at));
                }
            }
            let read = read_pose(&mut self.reading, &mut self.snaps, node, &name.value);
            let (relative, pose, _) = read.unwrap_or((None, Pose::IDENTITY, name.span));
            entries.push(Entry { kind, name, base: relative.or(base), pose });
        }
        self.name_all();
        Frames::new(entries, &mut self.reading)
    }

    fn name_all(&mut self) {
        let links: Vec<Text> = self.links.iter().map(|(_, name)| name.clone()).collect();
        let joints: Vec<Text> = self.edges.iter().map(|edge| edge.name.clone()).collect();
        let frames: Vec<Text> = self.frames.iter().map(|(name, ..)| name.clone()).collect();
        self.bodies = Names::of("link", &links, BODY_WORDS, self.reading.out);
        self.joints = Names::of("joint", &joints, COORDINATE_WORDS, self.reading.out);
        self.points = Names::of("frame", &frames, &["frame"], self.reading.out);
    }
}
