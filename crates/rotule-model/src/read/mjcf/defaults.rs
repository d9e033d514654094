//! Default classes: attributes that elements take over unless they have them themselves.
//!
//! Every class holds the whole of what it inherits, as positions in one list, so that looking an
//! attribute up takes the same time however deep classes are nested.

use rustc_hash::FxHashMap;

use super::{Reader, near};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::limits;
use crate::read::xml::{Node, Token, short};

/// The ways to write an orientation; an element has at most one.
pub(super) const ORIENTATION: [&str; 5] = ["quat", "axisangle", "euler", "xyaxes", "zaxis"];

/// The attributes that have defaults, by element. Those of orientation are the first of geoms and
/// sites.
const SLOTS: [(Kind, &str); 40] = [
    (Kind::Joint, "type"),
    (Kind::Joint, "axis"),
    (Kind::Joint, "pos"),
    (Kind::Joint, "range"),
    (Kind::Joint, "limited"),
    (Kind::Joint, "stiffness"),
    (Kind::Joint, "damping"),
    (Kind::Joint, "springref"),
    (Kind::Joint, "ref"),
    (Kind::Joint, "armature"),
    (Kind::Joint, "frictionloss"),
    (Kind::Joint, "springdamper"),
    (Kind::Joint, "springyield"),
    (Kind::Joint, "actuatorfrcrange"),
    (Kind::Joint, "actuatorfrclimited"),
    (Kind::Geom, "quat"),
    (Kind::Geom, "axisangle"),
    (Kind::Geom, "euler"),
    (Kind::Geom, "xyaxes"),
    (Kind::Geom, "zaxis"),
    (Kind::Geom, "pos"),
    (Kind::Geom, "type"),
    (Kind::Geom, "size"),
    (Kind::Geom, "fromto"),
    (Kind::Geom, "mass"),
    (Kind::Geom, "density"),
    (Kind::Geom, "group"),
    (Kind::Geom, "shellinertia"),
    (Kind::Geom, "mesh"),
    (Kind::Geom, "rgba"),
    (Kind::Geom, "material"),
    (Kind::Site, "quat"),
    (Kind::Site, "axisangle"),
    (Kind::Site, "euler"),
    (Kind::Site, "xyaxes"),
    (Kind::Site, "zaxis"),
    (Kind::Site, "pos"),
    (Kind::Site, "fromto"),
    (Kind::Equality, "active"),
    (Kind::Mesh, "scale"),
];

/// Elements that have defaults, and those that have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Joint,
    Geom,
    Site,
    Equality,
    Mesh,
    /// Bodies, frames and inertias.
    Plain,
}

/// An element together with where its missing attributes come from.
#[derive(Clone, Copy)]
pub(super) struct Element<'d> {
    pub(super) node: Node<'d>,
    pub(super) kind: Kind,
    pub(super) class: ClassId,
}

/// A class; zero is `main`, which everything inherits.
pub(super) type ClassId = u32;

/// Positions in [`Classes::tokens`] plus one; zero is unset.
type Slots = [u32; SLOTS.len()];

pub(super) struct Classes<'d> {
    all: Vec<Slots>,
    names: FxHashMap<&'d str, ClassId>,
    tokens: Vec<Token<'d>>,
}

impl<'d> Classes<'d> {
    pub(super) fn new() -> Classes<'d> {
        let names = std::iter::once(("main", 0)).collect();
        Classes { all: vec![[0; SLOTS.len()]], names, tokens: Vec::new() }
    }

    /// The value of an attribute in a class.
    pub(super) fn get(&self, class: ClassId, kind: Kind, name: &str) -> Option<Token<'d>> {
        let slot = SLOTS.iter().position(|(k, n)| *k == kind && *n == name)?;
        let at = self.all[class as usize][slot].checked_sub(1)?;
        Some(self.tokens[at as usize])
    }
}

impl<'d> Reader<'d, '_> {
    /// Reads the classes of a `<default>` section.
    pub(super) fn defaults(&mut self, section: Node<'d>) {
        if let Some(name) = self.reading.attribute(section, "class") {
            // Older files rename the class that everything inherits.
            self.classes.names.entry(name.text).or_insert(0);
        }
        let mut open = vec![(section, 0)];
        while let Some((node, class)) = open.pop() {
            // A class is complete before those in it inherit.
            for child in self.reading.elements(node) {
                self.set_defaults(child, class);
            }
            let start = open.len();
            for child in self.reading.elements(node) {
                if self.reading.name(child) == "default" {
                    let Some(new) = self.new_class(child, class) else { return };
                    open.push((child, new));
                }
            }
            open[start..].reverse();
        }
    }

    fn new_class(&mut self, node: Node<'d>, parent: ClassId) -> Option<ClassId> {
        let span = self.reading.tag(node);
        let next = self.classes.all.len();
        if next >= limits::ELEMENTS {
            let message = format!("the file has more than {} default classes", limits::ELEMENTS);
            self.reading.error(DiagnosticCode::Limit, span, message);
            return None;
        }
        let inherited = self.classes.all[parent as usize];
        self.classes.all.push(inherited);
        let class = next as ClassId;
        let Some(name) = self.reading.required(node, "class") else { return Some(class) };
        if self.classes.names.contains_key(name.text) {
            let message = format!("two default classes have the name `{}`", short(name.text));
            let finding = Diagnostic::error(DiagnosticCode::DuplicateName, name.span, message);
            self.reading.out.push(finding.here("give it another name"));
        } else {
            self.classes.names.insert(name.text, class);
        }
        Some(class)
    }

    /// Takes over what an element in `<default>` sets.
    fn set_defaults(&mut self, node: Node<'d>, class: ClassId) {
        let kind = match self.reading.name(node) {
            "joint" => Kind::Joint,
            "geom" => Kind::Geom,
            "site" => Kind::Site,
            "equality" => Kind::Equality,
            "mesh" => Kind::Mesh,
            _ => return,
        };
        let rotated = ORIENTATION.iter().any(|name| node.has_attribute(*name));
        for (slot, (of, name)) in SLOTS.iter().enumerate() {
            if *of != kind {
                continue;
            }
            let set = &mut self.classes.all[class as usize][slot];
            // An orientation replaces one that is written in another way.
            if rotated && ORIENTATION.contains(name) {
                *set = 0;
            }
            if let Some(token) = self.reading.attribute(node, name) {
                self.classes.tokens.push(token);
                *set = self.classes.tokens.len() as u32;
            }
        }
    }

    /// The class that an attribute names; an unknown one is reported, and `main` taken.
    pub(super) fn class(&mut self, name: Token<'d>) -> ClassId {
        if let Some(class) = self.classes.names.get(name.text) {
            return *class;
        }
        let found = short(name.text);
        let message = format!("{name} is `{found}`, but there is no such default class");
        let near = self.may_suggest().then(|| near(name.text, self.classes.names.keys())).flatten();
        let finding =
            Diagnostic::error(DiagnosticCode::UnknownName, name.span, message).maybe_help(near);
        self.reading.out.push(finding);
        0
    }

    /// An element with its own class, or the one that its surroundings give it.
    pub(super) fn element(&mut self, node: Node<'d>, kind: Kind, around: ClassId) -> Element<'d> {
        let class = match self.reading.attribute(node, "class") {
            Some(name) => self.class(name),
            None => around,
        };
        Element { node, kind, class }
    }

    /// An attribute of an element, or of its class.
    pub(super) fn get(&self, element: Element<'d>, name: &str) -> Option<Token<'d>> {
        let own = self.reading.attribute(element.node, name);
        own.or_else(|| self.classes.get(element.class, element.kind, name))
    }
}
