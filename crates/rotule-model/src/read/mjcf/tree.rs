//! The tree of bodies as the file has it: every element with its class and its frame.
//!
//! `<frame>` moves what stands in it without being a body. Nesting is the user's, so the tree is
//! walked with a stack of elements still to be read, not by recursion.

use super::Reader;
use super::defaults::{ClassId, Element, Kind};
use super::joint::RawJoint;
use super::orientation::Placed;
use super::remarks::Remark;
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::JointType;
use crate::limits;
use crate::read::frame::Pose;
use crate::read::xml::{Node, Token, Word};
use crate::source::Span;

/// A body as the file has it.
pub(super) struct RawBody<'d> {
    pub(super) span: Span,
    pub(super) name: Option<Token<'d>>,
    /// Its name in messages.
    pub(super) called: String,
    /// The body around it; of the world, itself.
    pub(super) parent: usize,
    pub(super) placed: Placed,
    /// Where it is in the world as the file draws it.
    pub(super) world: Pose,
    pub(super) joints: Vec<RawJoint<'d>>,
    /// Geoms and the frames that move them.
    pub(super) geoms: Vec<(Element<'d>, Option<usize>)>,
    pub(super) inertial: Option<Node<'d>>,
    pub(super) sites: Vec<RawSite<'d>>,
}

/// A site: a named point.
pub(super) struct RawSite<'d> {
    pub(super) name: Token<'d>,
    pub(super) placed: Placed,
}

/// An element that is still to be read.
struct Open<'d> {
    node: Node<'d>,
    owner: usize,
    /// The frame around it in its body, as a position in the list of frames.
    frame: Option<usize>,
    class: ClassId,
}

impl<'d> Reader<'d, '_> {
    /// Reads all `<worldbody>` sections; gives the frames that geoms refer to.
    pub(super) fn tree(&mut self, worlds: &[Node<'d>]) {
        let span = worlds.first().map_or(self.draft.span, |node| self.reading.tag(*node));
        self.bodies.push(RawBody {
            span,
            name: None,
            called: "world".to_owned(),
            parent: 0,
            placed: Placed::identity(span),
            world: Pose::IDENTITY,
            joints: Vec::new(),
            geoms: Vec::new(),
            inertial: None,
            sites: Vec::new(),
        });
        let (mut joints, mut sites) = (0, 0);
        let mut open = Vec::new();
        for world in worlds.iter().rev() {
            let class = self.child_class(*world, 0);
            self.push_children(&mut open, *world, 0, None, class);
        }
        while let Some(Open { node, owner, frame, class }) = open.pop() {
            match self.reading.name(node) {
                "body" => {
                    if self.bodies.len() > limits::BODIES {
                        self.too_many(node, "bodies", limits::BODIES);
                        return;
                    }
                    let class = self.child_class(node, class);
                    let index = self.body(node, owner, frame);
                    self.push_children(&mut open, node, index, None, class);
                }
                "frame" => {
                    let class = self.child_class(node, class);
                    let element = Element { node, kind: Kind::Plain, class: 0 };
                    let own = self.placed(element, "frame");
                    let own = own.within(frame.map(|at| &self.frames[at]));
                    self.frames.push(own.pose);
                    let inner = Some(self.frames.len() - 1);
                    self.push_children(&mut open, node, owner, inner, class);
                }
                "joint" | "freejoint" => {
                    joints += 1;
                    if joints > limits::BODIES {
                        self.too_many(node, "joints", limits::BODIES);
                        return;
                    }
                    self.add_joint(node, owner, frame, class);
                }
                "geom" => {
                    self.remarks.add(Remark::Shapes, self.reading.tag(node), "");
                    let element = self.element(node, Kind::Geom, class);
                    self.bodies[owner].geoms.push((element, frame));
                }
                "inertial" => self.add_inertial(node, owner),
                "site" => {
                    sites += 1;
                    if sites > limits::ELEMENTS {
                        self.too_many(node, "sites", limits::ELEMENTS);
                        return;
                    }
                    self.add_site(node, owner, frame, class);
                }
                _ => {}
            }
        }
    }

    fn too_many(&mut self, node: Node<'d>, what: &str, limit: usize) {
        let message = format!("the model has more than {limit} {what}");
        self.reading.error(DiagnosticCode::Limit, self.reading.tag(node), message);
    }

    /// Puts the elements in an element on the stack, the first on top.
    fn push_children(
        &self,
        open: &mut Vec<Open<'d>>,
        node: Node<'d>,
        owner: usize,
        frame: Option<usize>,
        class: ClassId,
    ) {
        let start = open.len();
        open.extend(self.reading.elements(node).map(|node| Open { node, owner, frame, class }));
        open[start..].reverse();
    }

    /// The class for what stands in an element.
    fn child_class(&mut self, node: Node<'d>, around: ClassId) -> ClassId {
        match self.reading.attribute(node, "childclass") {
            Some(name) => self.class(name),
            None => around,
        }
    }

    fn body(&mut self, node: Node<'d>, parent: usize, frame: Option<usize>) -> usize {
        let span = self.reading.tag(node);
        let index = self.bodies.len();
        let name = self.reading.attribute(node, "name").filter(|name| !name.text.is_empty());
        let called = name.map_or_else(|| format!("body{index}"), |name| name.text.to_owned());
        let element = Element { node, kind: Kind::Plain, class: 0 };
        let placed = self.placed(element, &called).within(frame.map(|at| &self.frames[at]));
        if self.word(node, "mocap", &[("true", true), ("false", false)]) == Some(true) {
            self.remarks.add(Remark::Mocap, span, &called);
        }
        if let Some(word) = self.reading.number_attribute(node, "gravcomp")
            && word.value != 0.0
        {
            self.remarks.add(Remark::GravityCompensation, word.span, &called);
        }
        let world = self.bodies[parent].world.then(&placed.pose);
        self.bodies.push(RawBody {
            span,
            name,
            called,
            parent,
            placed,
            world,
            joints: Vec::new(),
            geoms: Vec::new(),
            inertial: None,
            sites: Vec::new(),
        });
        index
    }

    fn add_joint(&mut self, node: Node<'d>, owner: usize, frame: Option<usize>, class: ClassId) {
        let span = self.reading.tag(node);
        if owner == 0 {
            let message = format!("`<{}>` stands in the world", self.reading.name(node));
            let finding = Diagnostic::error(DiagnosticCode::Ambiguous, span, message);
            self.reading.out.push(finding.help("put it into the `<body>` that it moves"));
            return;
        }
        let joint = self.joint(node, owner, frame, class);
        let free = JointType::Free;
        let body = &self.bodies[owner];
        // A free joint stands alone, so it is the first or there is none.
        let has_free = body.joints.first().is_some_and(|other| other.joint.kind.value == free);
        if has_free || (joint.joint.kind.value == free && !body.joints.is_empty()) {
            let message = format!("body `{}` has a free joint and another one", body.called);
            let finding = Diagnostic::error(DiagnosticCode::Ambiguous, span, message);
            let first = body.joints[0].joint.span;
            let finding = finding.also(first, "the first joint is here");
            self.reading.out.push(finding.help("a free joint stands alone; remove the others"));
            return;
        }
        if joint.joint.kind.value == free && body.parent != 0 {
            let message = format!("body `{}` is free, but stands in another body", body.called);
            let finding = Diagnostic::error(DiagnosticCode::Ambiguous, span, message);
            let help = "put a body with a free joint directly into `<worldbody>`";
            self.reading.out.push(finding.help(help));
            return;
        }
        self.bodies[owner].joints.push(joint);
    }

    fn add_inertial(&mut self, node: Node<'d>, owner: usize) {
        let span = self.reading.tag(node);
        if owner == 0 {
            let message = "`<inertial>` stands in the world, which has no mass";
            self.reading.out.push(Diagnostic::warning(DiagnosticCode::Ignored, span, message));
        } else if let Some(first) = self.bodies[owner].inertial {
            let message = format!(
                "body `{}` has more than one `<inertial>`; the first is taken",
                self.bodies[owner].called
            );
            let finding = Diagnostic::warning(DiagnosticCode::Ambiguous, span, message);
            let finding = finding.also(self.reading.tag(first), "this one is taken");
            self.reading.out.push(finding);
        } else {
            self.bodies[owner].inertial = Some(node);
        }
    }

    fn add_site(&mut self, node: Node<'d>, owner: usize, frame: Option<usize>, class: ClassId) {
        let element = self.element(node, Kind::Site, class);
        let Some(name) = self.reading.attribute(node, "name").filter(|n| !n.text.is_empty()) else {
            self.remarks.add(Remark::UnnamedSite, self.reading.tag(node), "");
            return;
        };
        let ends = self.get(element, "fromto").and_then(|token| self.reading.vector::<6>(token));
        let placed = match ends {
            Some(words) => self.between(words),
            None => self.placed(element, name.text),
        };
        let placed = placed.within(frame.map(|at| &self.frames[at]));
        self.bodies[owner].sites.push(RawSite { name, placed });
    }

    /// The frame in the middle between two points; z goes along.
    pub(super) fn between(&mut self, words: [Word<'d>; 6]) -> Placed {
        let [a, b] = [0, 3].map(|at| [0, 1, 2].map(|i| words[at + i].value));
        let position = [0, 1, 2].map(|i| a[i] / 2.0 + b[i] / 2.0);
        // MuJoCo points z from the second to the first.
        let along = crate::read::frame::unit([0, 1, 2].map(|i| a[i] - b[i]));
        let mut pose = Pose { position, ..Pose::IDENTITY };
        if let Some(along) = along {
            pose.rotation = crate::read::frame::between([0.0, 0.0, 1.0], along);
        }
        Placed::of(pose, words[0].span)
    }
}
