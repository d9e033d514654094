//! The reader of SDF, the format of Gazebo.
//!
//! SDF says where links and joints are in the model; the model file says where a joint is on the
//! body before it, and puts the frame of a body at its joint. So every pose is brought to the model
//! (`poses.rs`), and a body gets the frame that has its joint's origin and its link's axes: only
//! positions in the body shift. Where the link's own frame is elsewhere, it becomes the point
//! `frame`. Joints may form any graph (`tree.rs`): what does not fit a tree becomes a joint apart.

mod joint;
mod poses;
mod schema;
mod tree;

use rustc_hash::FxHashMap;

use super::frame::{self, Pose};
use super::merge::merge_fixed;
use super::names::{BODY_WORDS, COORDINATE_WORDS, Names};
use super::snap::Snaps;
use super::xml::{self, Node, Reading, Tally, short};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::draft::{
    Body, Draft, Inertia, Joint, JointType, LooseJoint, Point, Scalar, Text, Triple, Value,
};
use crate::read::ReadOptions;
use crate::source::{SourceId, Span, Spanned};
use joint::Edge;
use poses::{Entry, Frames, Kind, read_pose};
use tree::Carrier;

pub(super) fn read(
    id: SourceId,
    text: &str,
    options: &ReadOptions,
    out: &mut Diagnostics,
) -> Draft {
    let Some(document) = xml::parse(id, text, &schema::SCHEMA, out) else {
        return Draft::default();
    };
    let root = document.root_element();
    let mut reading = Reading { source: id, text, out };
    let Some(model) = choose_model(&mut reading, root) else { return Draft::default() };
    let mut draft = Reader::new(reading, root, model).model();
    if options.merge_fixed {
        merge_fixed(&mut draft, out);
    }
    draft
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
        let finding = Diagnostic::error("missing", reading.tag(root), message);
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
        let finding = Diagnostic::warning("ignored", reading.tag(*first), message);
        reading.out.push(finding.also(reading.tag(chosen), "the model that is read"));
    }
    Some(chosen)
}

/// What to do about included files.
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
    /// Where the model is in the ground.
    place: Pose,
    /// Whether axes are meant in the model's frame, as before version 1.5.
    model_axes: bool,
}

/// A frame of a body in the model: the joint's origin and the link's axes.
#[derive(Clone, Copy)]
struct Seat {
    /// The frame of the body.
    frame: Pose,
    /// The link's own frame.
    link: Pose,
}

impl<'d, 'o> Reader<'d, 'o> {
    fn new(reading: Reading<'d, 'o>, root: Node<'d>, node: Node<'d>) -> Reader<'d, 'o> {
        Reader {
            reading,
            root,
            node,
            snaps: Snaps::new(),
            tally: Tally::default(),
            links: Vec::new(),
            index: FxHashMap::default(),
            edges: Vec::new(),
            joint_index: FxHashMap::default(),
            frames: Vec::new(),
            bodies: Names::default(),
            joints: Names::default(),
            points: Names::default(),
            place: Pose::IDENTITY,
            model_axes: false,
        }
    }

    fn model(mut self) -> Draft {
        let span = self.reading.tag(self.node);
        let name = self.reading.required(self.node, "name").map(xml::Piece::to_text);
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
                let finding = Diagnostic::warning("unsupported", base.span, message);
                self.reading.out.push(finding);
            }
            self.place = pose;
        }
        let frames = self.collect();
        if self.links.is_empty() {
            self.reading.error("missing", span, "the model has no `<link>`");
        }
        if is_static && !self.edges.is_empty() {
            let message = "the model is static: its links stand still and its joints are left out";
            let at = self.reading.tag(self.edges[0].node);
            self.reading.out.push(Diagnostic::warning("ignored", at, message));
        }
        self.build(&frames, is_static, &mut draft);
        self.snaps.report(self.reading.out);
        self.tally.report(self.reading.out);
        let (model, root) = (self.node, self.root);
        let part = |node: Node<'d>| {
            // Other models and refused parts have been spoken of.
            (node.has_tag_name("model") && node != model)
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
        let Some(piece) = self.reading.required(self.root, "version") else { return };
        let mut parts = piece.text.split('.').map(str::parse::<u32>);
        match (parts.next(), parts.next()) {
            (Some(Ok(1)), Some(Ok(minor))) => self.model_axes = minor < 5,
            _ => {
                let message = format!("version `{}` of SDF is not known", short(piece.text));
                let finding = Diagnostic::warning("unsupported", piece.span, message);
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
            let finding = Diagnostic::error("unsupported", self.reading.tag(found), message);
            self.reading.out.push(finding.help(help));
        }
    }

    fn flag_child(&mut self, node: Node<'d>, name: &str) -> bool {
        let Some(child) = self.reading.child(node, name) else { return false };
        let piece = self.reading.content(child);
        self.reading.flag(piece).unwrap_or(false)
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
            let Some(name) = self.reading.required(node, "name").map(xml::Piece::to_text) else {
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
                    base = attached.filter(|piece| !piece.text.is_empty()).map(xml::Piece::to_text);
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

    /// Makes the bodies and joints.
    fn build(&mut self, frames: &Frames, is_static: bool, draft: &mut Draft) {
        let ends = self.ends(frames);
        let plan = tree::plan(self.links.len(), &ends);
        let seats = self.seats(frames, &plan.carriers, is_static);
        for (at, seat) in seats.iter().enumerate() {
            let body = self.body(at, *seat, is_static);
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

    /// A link without its place.
    fn body(&mut self, at: usize, seat: Seat, is_static: bool) -> Body {
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
        let mut body = Body {
            name: self.bodies.refer(&name),
            parent: None,
            position: None,
            rotation: None,
            joints: Vec::new(),
            mass: None,
            com: None,
            inertia: None,
            points: Vec::new(),
        };
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
                "the inertia of link `{}` is to be computed from its shapes, which are not read",
                short(&name.value)
            );
            let finding = Diagnostic::error("unsupported", auto.span, message);
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
        let mut number = |node: Option<Node<'d>>, child: &str| -> Option<Scalar> {
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
                let finding = Diagnostic::error("unsupported", name.span, message);
                self.reading.out.push(finding.help("exchange `<parent>` and `<child>`"));
            } else if frames.knows(&name.value) {
                let message = format!("`{}` is attached to no link", short(&name.value));
                self.reading.error("unknown-name", name.span, message);
            } else {
                frames.check(&name, &mut self.reading);
            }
        }
        all
    }
}

/// What a joint connects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum End {
    World,
    Link(usize),
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
