//! The reader of URDF, the robot format of ROS.
//!
//! A link is a body, and the joint that has it as a child places and moves it: URDF's frames are
//! those of the model file. What differs: the root link, which here is fixed to the ground or moves
//! freely as the user asks; `<mimic>`, which becomes a coupling; and `<constraint>`, a proposal for
//! loops, which becomes a cut (`constraint.rs`). `joint.rs` reads what a joint says; `schema.rs`
//! says what is left out, and why.

mod constraint;
mod joint;
mod schema;
mod shape;

pub(super) use joint::linear;

use rotule_symbolic::nearest;
use rustc_hash::{FxHashMap, FxHashSet};

use super::names::{BODY_WORDS, COORDINATE_WORDS, Names};
use super::snap::Snaps;
use super::xml::{self, Node, Reading, Tally, XmlFormat, short};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Axis, Body, Draft, Inertia, Joint, JointType, Rotation, Text, Triple};
use crate::read::ReadOptions;
use crate::source::Spanned;

/// The format: its elements, and how they are read.
pub(super) const FORMAT: XmlFormat = XmlFormat { schema: &schema::SCHEMA, read };

fn read<'d>(mut reading: Reading<'d, '_>, root: Node<'d>, options: &ReadOptions) -> Draft {
    if has_macros(&mut reading, root) {
        return Draft::default();
    }
    Reader::new(reading, root, options).robot(root, options)
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
    let finding = Diagnostic::error(DiagnosticCode::Unsupported, reading.tag(found), message);
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
    /// `true` if all joints could be read.
    complete: bool,
    bodies: Names,
    joints: Names,
    cuts: Names,
    /// Bodies by their new names.
    index: FxHashMap<String, usize>,
    /// The root link that is the ground itself, by its name as written.
    ground: Option<String>,
    /// Elements that shapes and their colours are read from.
    drawn: FxHashSet<Node<'d>>,
    /// Colours by the names of materials.
    materials: FxHashMap<&'d str, Text>,
}

impl<'d, 'o> Reader<'d, 'o> {
    /// Finds links and joints and their names.
    fn new(reading: Reading<'d, 'o>, root: Node<'d>, options: &ReadOptions) -> Reader<'d, 'o> {
        let mut reader = Reader {
            reading,
            snaps: Snaps::new(options.as_written),
            tally: Tally::default(),
            links: Vec::new(),
            edges: Vec::new(),
            complete: true,
            bodies: Names::default(),
            joints: Names::default(),
            cuts: Names::default(),
            index: FxHashMap::default(),
            ground: None,
            drawn: FxHashSet::default(),
            materials: FxHashMap::default(),
        };
        reader.materials(root);
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
        let name = reading.required(node, "name").map(xml::Token::to_text);
        let kind = reading.joint_type(node, "joint in URDF", &TYPES);
        let mut end = |which: &str| {
            let node = reading.required_child(node, which)?;
            reading.required(node, "link").map(xml::Token::to_text)
        };
        let (parent, child) = (end("parent"), end("child"));
        // What is wrong with the type is told; a usual joint in its place lets the rest be checked.
        let kind = kind.unwrap_or(Spanned::new(JointType::Revolute, reading.tag(node)));
        Some(Edge { node, name: name?, kind, parent: parent?, child: child? })
    }

    fn robot(mut self, root: Node<'d>, options: &ReadOptions) -> Draft {
        let span = self.reading.tag(root);
        let name = self.reading.required(root, "name").map(xml::Token::to_text);
        let mut draft = Draft { span, name, ..Draft::default() };
        if self.links.is_empty() {
            self.reading.error(DiagnosticCode::Missing, span, "the robot has no `<link>`");
        }
        let carried = self.carried();
        self.choose_root(&carried, options);
        for (at, carrier) in carried.iter().enumerate() {
            let (node, name) = self.links[at].clone();
            if self.ground.as_ref() == Some(&name.value) {
                draft.ground_shapes = self.shapes(node, &name);
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
        let drawn = self.drawn;
        let is_drawn = |node: Node<'d>| drawn.contains(&node);
        self.tally.report(self.reading.out);
        xml::report_left_out_but(&mut self.reading, root, &schema::SCHEMA, &is_drawn);
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
                let finding = Diagnostic::error(DiagnosticCode::UnknownName, child.span, message);
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
                let finding = Diagnostic::error(DiagnosticCode::Ambiguous, child.span, message)
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
            let finding =
                Diagnostic::error(DiagnosticCode::Disconnected, others[0].1.span, message)
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
        let finding = Diagnostic::note(DiagnosticCode::Choice, first.1.span, message);
        self.reading.out.push(finding.help("--floating-base lets it move freely"));
        self.ground = Some(first.1.value.clone());
    }

    /// Returns `true` if a link has anything that could move.
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
        let mut body = Body::named(self.bodies.refer(name));
        body.shapes = self.shapes(node, name);
        let Some(inertial) = self.reading.child(node, "inertial") else { return body };
        let origin = self.reading.child(inertial, "origin");
        let (com, rotation) = self.origin(origin, &name.value);
        body.com = com;
        if let Some(mass) = self.reading.required_child(inertial, "mass") {
            let value = self.reading.required(mass, "value");
            body.mass = value.and_then(|token| self.reading.number(token)).map(xml::Word::scalar);
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
            let token = reading.required(node, name)?;
            reading.number(token).map(xml::Word::scalar)
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
            reading.error(DiagnosticCode::Ambiguous, first[0].span, message);
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
        let token = self.reading.required(node, "xyz")?;
        let words = self.reading.vector::<3>(token)?;
        let components = words.map(|word| self.snaps.length(word, owner));
        Some(Axis { span: token.span, components })
    }

    /// The body that a link became.
    fn place_of(&self, link: &Text) -> Text {
        if self.ground.as_ref() == Some(&link.value) {
            return Spanned::new("ground".to_owned(), link.span);
        }
        self.bodies.refer(link)
    }
}

/// The carrier of a link.
#[derive(Clone, Copy)]
enum Carried {
    /// Nothing: it is the root.
    Root,
    /// A joint.
    By(usize),
    /// It has the name of another link.
    Again,
}
