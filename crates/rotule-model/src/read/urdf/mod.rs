//! The reader of URDF, the robot format of ROS.
//!
//! A link is a body, and the joint that has it as a child places and moves it: URDF's frames are
//! those of the model file. What differs: the root link, which here is fixed to the ground or moves
//! freely as the user asks; `<mimic>`, which becomes a coupling; and `<constraint>`, a proposal for
//! loops, which becomes a cut (`constraint.rs`). `schema.rs` says what is left out, and why.

mod constraint;
mod schema;

use rotule_symbolic::nearest;
use rustc_hash::FxHashMap;

use super::merge::merge_fixed;
use super::names::{BODY_WORDS, COORDINATE_WORDS, Names};
use super::snap::Snaps;
use super::xml::{self, Node, Reading, Tally, short};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::draft::{
    Axis, Body, Coupling, Draft, Inertia, Joint, JointType, Rotation, Scalar, Text, Triple, Value,
};
use crate::read::ReadOptions;
use crate::source::{SourceId, Span, Spanned};

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
    if has_macros(&mut reading, root) {
        return Draft::default();
    }
    let mut draft = Reader::new(reading, root).robot(root, options);
    if options.merge_fixed {
        merge_fixed(&mut draft, out);
    }
    draft
}

/// Reports xacro macros, if there are any: nothing else that could be said would help.
fn has_macros<'d>(reading: &mut Reading<'d, '_>, root: Node<'d>) -> bool {
    let is_macro = |node: &Node<'d>| {
        reading.name(*node).starts_with("xacro:")
            || node.attributes().any(|attribute| attribute.value().contains("${"))
    };
    let Some(found) = root.descendants().filter(Node::is_element).find(is_macro) else {
        return false;
    };
    let message = format!("`<{}>` needs xacro", reading.name(found));
    let finding = Diagnostic::error("unsupported", reading.tag(found), message);
    reading.out.push(finding.help(xml::XACRO));
    true
}

/// The types of joints in URDF.
const TYPES: [(&str, JointType); 6] = [
    ("fixed", JointType::Fixed),
    ("revolute", JointType::Revolute),
    ("continuous", JointType::Revolute),
    ("prismatic", JointType::Prismatic),
    ("planar", JointType::Planar),
    ("floating", JointType::Free),
];

/// Where a frame is: a position and a turn, each left out if there is none.
type Origin = (Option<Triple>, Option<Rotation>);

/// A joint of the file that could be read so far.
struct Edge<'d> {
    node: Node<'d>,
    /// Its name as written.
    name: Text,
    kind: Spanned<JointType>,
    parent: Text,
    child: Text,
}

struct Reader<'d, 'o> {
    reading: Reading<'d, 'o>,
    snaps: Snaps,
    tally: Tally,
    /// Links with their names as written.
    links: Vec<(Node<'d>, Text)>,
    edges: Vec<Edge<'d>>,
    /// Whether all joints could be read.
    complete: bool,
    bodies: Names,
    joints: Names,
    cuts: Names,
    /// Bodies by their new names.
    index: FxHashMap<String, usize>,
    /// The root link that is the ground itself, by its name as written.
    ground: Option<String>,
}

impl<'d, 'o> Reader<'d, 'o> {
    /// Finds links and joints and their names.
    fn new(reading: Reading<'d, 'o>, root: Node<'d>) -> Reader<'d, 'o> {
        let mut reader = Reader {
            reading,
            snaps: Snaps::new(),
            tally: Tally::default(),
            links: Vec::new(),
            edges: Vec::new(),
            complete: true,
            bodies: Names::default(),
            joints: Names::default(),
            cuts: Names::default(),
            index: FxHashMap::default(),
            ground: None,
        };
        for node in reader.reading.elements(root) {
            match reader.reading.name(node) {
                "link" => {
                    if let Some(name) = reader.reading.required(node, "name") {
                        reader.links.push((node, name.to_text()));
                    }
                }
                "joint" => match reader.edge(node) {
                    Some(edge) => reader.edges.push(edge),
                    None => reader.complete = false,
                },
                _ => {}
            }
        }
        let links: Vec<Text> = reader.links.iter().map(|(_, name)| name.clone()).collect();
        // Fixed joints have no coordinate, so nobody will use their names.
        let moving = reader.edges.iter().filter(|edge| edge.kind.value != JointType::Fixed);
        let moving: Vec<Text> = moving.map(|edge| edge.name.clone()).collect();
        let cuts: Vec<Text> = {
            let all = reader.reading.children(root, "constraint");
            all.filter_map(|node| Some(reader.reading.attribute(node, "name")?.to_text())).collect()
        };
        let out = &mut *reader.reading.out;
        reader.bodies = Names::of("link", &links, BODY_WORDS, out);
        reader.joints = Names::of("joint", &moving, COORDINATE_WORDS, out);
        reader.cuts = Names::of("constraint", &cuts, &[], out);
        reader
    }

    fn edge(&mut self, node: Node<'d>) -> Option<Edge<'d>> {
        let reading = &mut self.reading;
        let name = reading.required(node, "name").map(xml::Piece::to_text);
        let kind = reading.required(node, "type").and_then(|piece| {
            let found = TYPES.iter().find(|(word, _)| *word == piece.text);
            if found.is_none() {
                let message = format!("`{}` is no type of joint in URDF", short(piece.text));
                let near = nearest(piece.text, TYPES.iter().map(|(word, _)| *word));
                let help = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known are {}", TYPES.map(|(word, _)| word).join(", ")),
                };
                reading.out.push(Diagnostic::error("type", piece.span, message).help(help));
            }
            Some(Spanned::new(found?.1, piece.span))
        });
        let mut end = |which: &str| {
            let node = reading.required_child(node, which)?;
            reading.required(node, "link").map(xml::Piece::to_text)
        };
        let (parent, child) = (end("parent"), end("child"));
        // What is wrong with the type is told; a usual joint in its place lets the rest be checked.
        let kind = kind.unwrap_or(Spanned::new(JointType::Revolute, reading.tag(node)));
        Some(Edge { node, name: name?, kind, parent: parent?, child: child? })
    }

    fn robot(mut self, root: Node<'d>, options: &ReadOptions) -> Draft {
        let span = self.reading.tag(root);
        let name = self.reading.required(root, "name").map(xml::Piece::to_text);
        let mut draft = Draft { span, name, ..Draft::default() };
        if self.links.is_empty() {
            self.reading.error("missing", span, "the robot has no `<link>`");
        }
        let carried = self.carried();
        self.choose_root(&carried, options);
        for (at, carrier) in carried.iter().enumerate() {
            let (node, name) = self.links[at].clone();
            if self.ground.as_ref() == Some(&name.value) {
                continue;
            }
            let mut body = self.link(node, &name);
            match *carrier {
                Carried::By(edge) => self.attach(&mut body, edge, &mut draft),
                Carried::Again => body.parent = Some(Spanned::new("ground".into(), name.span)),
                Carried::Root => {
                    body.parent = Some(Spanned::new("ground".into(), name.span));
                    if options.floating_base {
                        let called = self.joints.fresh_text("floating_base", name.span);
                        let kind = Spanned::new(JointType::Free, name.span);
                        body.joints.push(Joint::new(name.span, Some(called), kind));
                    }
                }
            }
            self.index.entry(body.name.value.clone()).or_insert(draft.bodies.len());
            draft.bodies.push(body);
        }
        for node in self.reading.children(root, "constraint").collect::<Vec<_>>() {
            self.constraint(node, &mut draft);
        }
        self.snaps.report(self.reading.out);
        self.tally.report(self.reading.out);
        xml::report_left_out(&mut self.reading, root, &schema::SCHEMA);
        draft
    }

    /// For every link, the joint that carries it.
    fn carried(&mut self) -> Vec<Carried> {
        let mut index: FxHashMap<&str, usize> = FxHashMap::default();
        let mut carried = Vec::with_capacity(self.links.len());
        for (at, (_, name)) in self.links.iter().enumerate() {
            // Two links of one name: the first is meant, and the checks will report the second.
            let first = *index.entry(&name.value).or_insert(at) == at;
            carried.push(if first { Carried::Root } else { Carried::Again });
        }
        let mut unknown = 0;
        for (at, edge) in self.edges.iter().enumerate() {
            let child = &edge.child;
            let Some(link) = index.get(child.value.as_str()).copied() else {
                let known = self.links.iter().map(|(_, name)| name.value.as_str());
                // Looking through all names is for few faults only.
                unknown += 1;
                let near =
                    (unknown <= xml::GUESSES).then(|| nearest(&child.value, known)).flatten();
                let message = format!(
                    "joint `{}` has the unknown link `{}` as its child",
                    short(&edge.name.value),
                    short(&child.value)
                );
                let help = near.map(|near| format!("did you mean `{near}`?"));
                let finding = Diagnostic::error("unknown-name", child.span, message);
                self.reading.out.push(finding.maybe_help(help));
                self.complete = false;
                continue;
            };
            if let Carried::By(other) = carried[link] {
                let first = &self.edges[other];
                let message = format!(
                    "link `{}` is the child of two joints, `{}` and `{}`",
                    short(&child.value),
                    short(&first.name.value),
                    short(&edge.name.value)
                );
                let finding = Diagnostic::error("ambiguous", child.span, message)
                    .also(first.child.span, format!("the child of `{}`", first.name.value))
                    .help(
                        "close a loop by a `<constraint>` instead of the second joint, or by a \
                         `[[cut]]` in an additional model file",
                    );
                self.reading.out.push(finding);
                continue;
            }
            carried[link] = Carried::By(at);
        }
        carried
    }

    /// Decides what becomes of the root link.
    fn choose_root(&mut self, carried: &[Carried], options: &ReadOptions) {
        let all = self.links.iter().zip(carried);
        let roots: Vec<(Node<'d>, Text)> = all
            .filter(|(_, carried)| matches!(carried, Carried::Root))
            .map(|(link, _)| link.clone())
            .collect();
        let [first, others @ ..] = roots.as_slice() else { return };
        if !others.is_empty() && !self.complete {
            // They may hang on the joints that could not be read.
            return;
        }
        if !others.is_empty() {
            let names: Vec<String> =
                roots.iter().take(4).map(|(_, name)| format!("`{}`", short(&name.value))).collect();
            let more = if roots.len() > 4 { " and others" } else { "" };
            let message = format!(
                "{} links are not the child of any joint: {}{more}",
                roots.len(),
                names.join(", ")
            );
            let finding = Diagnostic::error("disconnected", others[0].1.span, message)
                .also(first.1.span, "the first of them is the root")
                .help("a robot has one root link; connect the others to it by joints");
            self.reading.out.push(finding);
            return;
        }
        if options.floating_base || self.has_mass(first.0) {
            return;
        }
        let message = format!(
            "the root link `{}` has no mass and is taken as the ground",
            short(&first.1.value)
        );
        let finding = Diagnostic::note("choice", first.1.span, message);
        self.reading.out.push(finding.help("ask for a floating base to let it move freely"));
        self.ground = Some(first.1.value.clone());
    }

    /// Whether a link has anything that could move.
    fn has_mass(&self, link: Node<'d>) -> bool {
        let reading = &self.reading;
        let numbers = |node: Node<'d>| {
            node.attributes().any(|a| a.value().trim().parse::<f64>().is_ok_and(|x| x != 0.0))
        };
        reading.children(link, "inertial").any(|inertial| {
            reading.children(inertial, "mass").any(numbers)
                || reading.children(inertial, "inertia").any(numbers)
        })
    }

    /// A link without its place.
    fn link(&mut self, node: Node<'d>, name: &Text) -> Body {
        let mut body = Body {
            name: self.bodies.refer(name),
            parent: None,
            position: None,
            rotation: None,
            joints: Vec::new(),
            mass: None,
            com: None,
            inertia: None,
            points: Vec::new(),
        };
        let Some(inertial) = self.reading.child(node, "inertial") else { return body };
        let origin = self.reading.child(inertial, "origin");
        let (com, rotation) = self.origin(origin, &name.value);
        body.com = com;
        if let Some(mass) = self.reading.required_child(inertial, "mass") {
            let value = self.reading.required(mass, "value");
            body.mass = value.and_then(|piece| self.reading.number(piece)).map(xml::Word::scalar);
        }
        if let Some(inertia) = self.reading.required_child(inertial, "inertia") {
            body.inertia = Some(self.inertia(inertia, rotation));
        }
        body
    }

    fn inertia(&mut self, node: Node<'d>, rotation: Option<Rotation>) -> Inertia {
        let reading = &mut self.reading;
        let span = reading.tag(node);
        let diagonal = ["ixx", "iyy", "izz"].map(|name| {
            let piece = reading.required(node, name)?;
            reading.number(piece).map(xml::Word::scalar)
        });
        let others = ["ixy", "ixz", "iyz"].map(|name| {
            let word = reading.number_attribute(node, name)?;
            (word.value != 0.0).then(|| word.scalar())
        });
        let [xx, yy, zz] = diagonal;
        let [xy, xz, yz] = others;
        Inertia { span, entries: [xx, yy, zz, xy, xz, yz], rotation }
    }

    /// The frame that an `<origin>`, or another element with its attributes, describes.
    fn origin(&mut self, node: Option<Node<'d>>, owner: &str) -> Origin {
        let Some(node) = node else { return (None, None) };
        let reading = &mut self.reading;
        let xyz = reading.vector_attribute::<3>(node, "xyz");
        let rpy = reading.vector_attribute::<3>(node, "rpy");
        let quaternion = reading.vector_attribute::<4>(node, "quat_xyzw");
        if let (Some(first), Some(_)) = (rpy, quaternion) {
            let message = "a turn is given twice, as `rpy` and as `quat_xyzw`";
            reading.error("ambiguous", first[0].span, message);
        }
        let position = xyz.and_then(|words| self.snaps.position(words, owner));
        let rotation = match (rpy, quaternion) {
            (Some(words), _) => self.snaps.rpy(words, owner),
            (None, Some([x, y, z, w])) => self.snaps.quaternion([w, x, y, z], owner),
            _ => None,
        };
        (position, rotation)
    }

    /// The axis of an element; the x axis if it has none.
    fn axis(&mut self, node: Node<'d>, owner: &str) -> Axis {
        let place = self.reading.tag(node);
        let default =
            Axis { span: place, components: super::frame::triple([1.0, 0.0, 0.0], place) };
        let Some(node) = self.reading.child(node, "axis") else { return default };
        self.axis_of(node, owner).unwrap_or(default)
    }

    fn axis_of(&mut self, node: Node<'d>, owner: &str) -> Option<Axis> {
        let piece = self.reading.required(node, "xyz")?;
        let words = self.reading.vector::<3>(piece)?;
        let components = words.map(|word| self.snaps.length(word, owner));
        Some(Axis { span: piece.span, components })
    }

    /// Attaches a body by its joint.
    fn attach(&mut self, body: &mut Body, at: usize, draft: &mut Draft) {
        let Edge { node, name, kind, parent, .. } = &self.edges[at];
        let (node, name, kind, parent) = (*node, name.clone(), *kind, parent.clone());
        body.parent = Some(self.place_of(&parent));
        let origin = self.reading.child(node, "origin");
        (body.position, body.rotation) = self.origin(origin, &name.value);
        if kind.value == JointType::Fixed {
            for idle in ["axis", "limit", "dynamics", "mimic"] {
                if let Some(idle) = self.reading.children(node, idle).next() {
                    let message = "`<axis>`, `<limit>` and the like of fixed joints are left out";
                    self.tally.note(message, self.reading.tag(idle), &name.value);
                }
            }
            return;
        }
        let called = self.joints.refer(&name);
        let mut joint = Joint::new(self.reading.tag(node), Some(called.clone()), kind);
        if kind.value.axes() == 1 {
            joint.axes.push(self.axis(node, &name.value));
        }
        self.limit(node, &name, &mut joint);
        self.dynamics(node, &name, &mut joint);
        if let Some(mimic) = self.reading.child(node, "mimic") {
            self.mimic(mimic, &called, draft);
        }
        body.joints.push(joint);
    }

    /// The body that a link became.
    fn place_of(&self, link: &Text) -> Text {
        if self.ground.as_ref() == Some(&link.value) {
            return Spanned::new("ground".to_owned(), link.span);
        }
        self.bodies.refer(link)
    }

    fn limit(&mut self, node: Node<'d>, name: &Text, joint: &mut Joint) {
        let Some(limit) = self.reading.child(node, "limit") else { return };
        if joint.kind.value.speeds() != 1 {
            let message = "`<limit>` of planar and floating joints is left out";
            self.tally.note(message, self.reading.tag(limit), &name.value);
            return;
        }
        let mut number = |name: &str| {
            let word = self.reading.number_attribute(limit, name);
            word.map(xml::Word::scalar)
        };
        let (lower, upper) = (number("lower"), number("upper"));
        joint.max_speed = number("velocity");
        joint.max_effort = number("effort");
        let continuous =
            self.reading.attribute(node, "type").is_some_and(|p| p.text == "continuous");
        if continuous {
            if lower.is_some() || upper.is_some() {
                let message = "`lower` and `upper` of continuous joints are left out";
                self.tally.note(message, self.reading.tag(limit), &name.value);
            }
            return;
        }
        // A limit that is left out is zero in URDF, unless both are.
        if lower.is_some() || upper.is_some() {
            let zero = || Spanned::new(Value::Number(0.0), self.reading.tag(limit));
            joint.range = Some([lower.unwrap_or_else(zero), upper.unwrap_or_else(zero)]);
        }
    }

    fn dynamics(&mut self, node: Node<'d>, name: &Text, joint: &mut Joint) {
        let Some(dynamics) = self.reading.child(node, "dynamics") else { return };
        let damping = self.reading.number_attribute(dynamics, "damping");
        let friction = self.reading.number_attribute(dynamics, "friction");
        if let Some(friction) = friction.filter(|word| word.value != 0.0) {
            let message = "Coulomb friction is left out";
            let help = "write a law that grows smoothly with the speed in an additional model \
                        file, such as `effort = \"-0.2*qd/sqrt(qd^2 + 1e-4)\"`";
            self.tally.warn(message, Some(help), friction.span, &name.value);
        }
        let Some(damping) = damping.filter(|word| word.value != 0.0) else { return };
        if joint.kind.value.speeds() != 1 {
            let message = "`damping` of planar and floating joints is left out";
            self.tally.warn(message, None, damping.span, &name.value);
            return;
        }
        joint.effort = Some(law(format!("{}*qd", -damping.value), damping.span));
    }

    fn mimic(&mut self, node: Node<'d>, joint: &Text, draft: &mut Draft) {
        let Some(leader) = self.reading.required(node, "joint") else { return };
        let leader = self.joints.refer(&leader.to_text());
        let multiplier = self.reading.number_attribute(node, "multiplier").map_or(1.0, |w| w.value);
        let offset = self.reading.number_attribute(node, "offset").map_or(0.0, |w| w.value);
        let equation = linear(&joint.value, multiplier, &leader.value, offset);
        let name = Spanned::new(format!("{}_mimic", joint.value), joint.span);
        let equation = Spanned::new(equation, self.reading.tag(node));
        draft.couplings.push(Coupling { name, equation });
    }
}

/// What carries a link.
#[derive(Clone, Copy)]
enum Carried {
    /// Nothing: it is the root.
    Root,
    /// A joint.
    By(usize),
    /// It has the name of another link.
    Again,
}

/// A law of one effort.
pub(super) fn law(text: String, span: Span) -> Spanned<Vec<Scalar>> {
    Spanned::new(vec![Spanned::new(Value::Expression(text), span)], span)
}

/// `follower = multiplier*leader + offset`, without ones and zeros.
pub(super) fn linear(follower: &str, multiplier: f64, leader: &str, offset: f64) -> String {
    let product = match multiplier {
        1.0 => leader.to_owned(),
        -1.0 => format!("-{leader}"),
        _ => format!("{multiplier}*{leader}"),
    };
    match offset {
        0.0 => format!("{follower} = {product}"),
        _ if offset < 0.0 => format!("{follower} = {product} - {}", -offset),
        _ => format!("{follower} = {product} + {offset}"),
    }
}
