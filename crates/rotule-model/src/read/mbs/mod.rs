//! The reader of ROBOTRAN's `.mbs`.
//!
//! ```text
//! schema.rs  the elements of the format, as a table
//! body.rs    the base and the tree of bodies: joints, points, sensors, external forces
//! shape.rs   shapes of bodies
//! rest.rs    cuts, links, parameters of user models
//! ```
//!
//! What ROBOTRAN leaves to user functions becomes calls of externals with the same names, so that a
//! model stays whole and its user has one place per function to fill in.

mod body;
mod rest;
mod schema;
mod shape;

use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::draft::{Draft, DraftValue, External, Text, Triple, Value};
use crate::read::names::{COORDINATE_WORDS, Names};
use crate::read::xml::{self, Node, Reading, Tally, Token, Word};
use crate::source::{SourceId, Span, Spanned};

/// ROBOTRAN's name of the point at the origin of every body.
const ORIGIN: &str = "origin";
/// ROBOTRAN's name of the fixed body, unless the file says otherwise.
const BASE: &str = "base";
/// The word for the fixed body in drafts.
const GROUND: &str = "ground";
/// Words that stand for something in every expression; nothing may be called so.
const RESERVED: &[&str] = &["t", "deg", GROUND];
/// The name of a model that has none.
const UNNAMED: &str = "robotran_model";

/// A user function that becomes an external.
#[derive(Clone, Copy)]
enum User {
    Joint,
    Driven,
    Link,
    Force,
}

/// The user functions with their arguments and the number of their results, in the order of
/// [`User`].
const USER: [(&str, &[&str], u32); 4] = [
    ("user_JointForces", &["q", "qd", "t", "joint"], 1),
    ("user_DrivenJoints", &["t", "joint"], 3),
    ("user_LinkForces", &["Z", "Zd", "t", "link"], 1),
    ("user_ExtForces", &["x", "y", "z", "vx", "vy", "vz", "wx", "wy", "wz", "t", "force"], 6),
];

/// A file while it becomes a draft.
struct Reader<'d, 'o> {
    reading: Reading<'d, 'o>,
    draft: Draft,
    tally: Tally,
    /// The name of the fixed body in the file.
    base: &'d str,
    bodies: Names,
    joints: Names,
    elements: Elements,
    /// The new names of points, by the old names of body and point; the base has its own.
    points: FxHashMap<(&'d str, &'d str), String>,
    /// Where each user function is first needed.
    used: [Option<Span>; USER.len()],
}

/// Names of cuts, links, forces and sensors: one space here, one for each kind in ROBOTRAN.
#[derive(Default)]
struct Elements {
    names: Names,
    /// The kind that has a name.
    kinds: FxHashMap<String, &'static str>,
    /// New names of those that had to give way.
    moved: FxHashMap<(String, &'static str), String>,
    /// Number of elements without a name.
    unnamed: usize,
}

pub(super) fn read(id: SourceId, text: &str, out: &mut Diagnostics) -> Draft {
    let schema = schema::of(text);
    let Some(document) = xml::parse(id, text, &schema, out) else { return Draft::default() };
    let root = document.root_element();
    let mut reader = Reader {
        reading: Reading { source: id, text, out },
        draft: Draft::default(),
        tally: Tally::default(),
        base: BASE,
        bodies: Names::default(),
        joints: Names::default(),
        elements: Elements::default(),
        points: FxHashMap::default(),
        used: [None; USER.len()],
    };
    reader.draft.span = reader.reading.tag(root);
    if schema.root != schema::KNOWN {
        let message = format!(
            "`<{}>` is read as `<{}>`, the version that is known",
            schema.root,
            schema::KNOWN
        );
        reader.reading.out.push(Diagnostic::warning(
            DiagnosticCode::Syntax,
            reader.draft.span,
            message,
        ));
    }
    let [base, tree, cuts, links, models] = ["base", "bodytree", "cuts", "links", "user_models"]
        .map(|name| reader.reading.child(root, name));
    if tree.is_none() {
        let message = format!("`<{}>` has no `<bodytree>`", schema.root);
        reader.reading.error(DiagnosticCode::Missing, reader.draft.span, message);
    }
    reader.model_name(root);
    reader.collect_names(base, tree, cuts, links);
    if let Some(base) = base {
        reader.base(base);
    }
    if let Some(tree) = tree {
        reader.tree(tree);
    }
    if let Some(cuts) = cuts {
        reader.cuts(cuts);
    }
    if let Some(links) = links {
        reader.links(links);
    }
    if let Some(models) = models {
        reader.user_models(models);
    }
    reader.declare_externals();
    let shapes = |node: Node<'_>| {
        node.has_tag_name("graphics")
            && node.descendants().any(|one| one.has_tag_name("x3D_shapes"))
    };
    xml::report_left_out_but(&mut reader.reading, root, &schema, &shapes);
    reader.tally.report(reader.reading.out);
    reader.draft
}

impl<'d> Reader<'d, '_> {
    fn model_name(&mut self, root: Node<'d>) {
        let name = self.reading.child(root, "mbsname").map(|node| self.reading.content(node));
        let unnamed = || Spanned::new(UNNAMED.to_owned(), self.draft.span);
        let name = name.filter(|name| !name.text.is_empty());
        self.draft.name = Some(name.map_or_else(unnamed, Token::to_text));
    }

    /// Finds names for everything before anything refers to it.
    fn collect_names(
        &mut self,
        base: Option<Node<'d>>,
        tree: Option<Node<'d>>,
        cuts: Option<Node<'d>>,
        links: Option<Node<'d>>,
    ) {
        let (mut bodies, mut joints, mut elements) = (Vec::new(), Vec::new(), Vec::new());
        if let Some(base) = base {
            if let Some(node) = self.reading.child(base, "baseBodyName") {
                let name = self.reading.content(node);
                if !name.text.is_empty() {
                    self.base = name.text;
                }
            }
            self.collect_points(base, self.base, &mut elements);
        }
        for body in tree.map(|tree| self.all(tree, "body")).unwrap_or_default() {
            let name = self.text_in(body, "bodyname");
            bodies.extend(name.map(Token::to_text));
            for joint in self.all(body, "joint") {
                joints.extend(self.text_in(joint, "jointname").map(Token::to_text));
            }
            self.collect_points(body, name.map_or("", |name| name.text), &mut elements);
        }
        for section in [cuts, links].into_iter().flatten() {
            for node in self.reading.elements(section) {
                elements.extend(self.text_in(node, "name").map(Token::to_text));
            }
        }
        let out = &mut *self.reading.out;
        let mut words = [COORDINATE_WORDS, RESERVED].concat();
        words.extend(USER.iter().map(|(name, ..)| *name));
        self.bodies = Names::of("body", &bodies, RESERVED, out);
        self.joints = Names::of("joint", &joints, &words, out);
        self.elements.names = Names::of("element", &elements, RESERVED, out);
    }

    fn collect_points(&mut self, owner: Node<'d>, body: &'d str, elements: &mut Vec<Text>) {
        let nodes = self.all(owner, "point");
        let tokens: Vec<Token<'d>> =
            nodes.iter().filter_map(|node| self.text_in(*node, "pointname")).collect();
        let texts: Vec<Text> = tokens.iter().map(|token| token.to_text()).collect();
        let names = Names::of("point", &texts, RESERVED, self.reading.out);
        for token in tokens {
            let new = names.get(token.text).unwrap_or(token.text).to_owned();
            self.points.insert((body, token.text), new);
        }
        for node in nodes {
            for child in self.reading.elements(node) {
                // Sensors and external forces; nothing else in a point has a name.
                elements.extend(self.reading.attribute(child, "name").map(Token::to_text));
            }
        }
    }

    /// The elements of a name in an element.
    fn all(&self, node: Node<'d>, name: &str) -> Vec<Node<'d>> {
        self.reading.children(node, name).collect()
    }

    /// The text in the first child of a name, if there is one.
    fn text_in(&self, node: Node<'d>, name: &str) -> Option<Token<'d>> {
        let child = self.reading.children(node, name).next()?;
        let text = self.reading.content(child);
        (!text.text.is_empty()).then_some(text)
    }

    /// The text in a child that must exist; what is missing is reported.
    fn text(&mut self, node: Node<'d>, name: &str) -> Option<Token<'d>> {
        let child = self.reading.required_child(node, name)?;
        let text = self.reading.content(child);
        if text.text.is_empty() {
            let owner = self.reading.name(node);
            let message = format!("`<{name}>` in `<{owner}>` is empty");
            self.reading.error(DiagnosticCode::Missing, text.span, message);
            return None;
        }
        Some(text)
    }

    /// The vector in `<coordinates>`; components that are left out are zero.
    fn coordinates(&mut self, node: Node<'d>) -> Option<Triple> {
        let coordinates = self.reading.required_child(node, "coordinates")?;
        let span = self.reading.tag(coordinates);
        let zero = || Spanned::new(Value::Number(0.0), span);
        Some(["x", "y", "z"].map(|name| {
            let word = self.reading.number_child(coordinates, name);
            word.map_or_else(zero, Word::scalar)
        }))
    }

    /// The place that an element names by body and point.
    fn place(&mut self, node: Node<'d>) -> Option<Text> {
        let (body, point) = (self.text(node, "bodyname"), self.text(node, "pointname"));
        let (body, point) = (body?, point?);
        let known = self.bodies.get(body.text);
        let is_base = body.text == self.base || (known.is_none() && body.text == BASE);
        let owner = if is_base { self.base } else { body.text };
        let new_body = if is_base { GROUND } else { known.unwrap_or(body.text) };
        let place = match self.points.get(&(owner, point.text)) {
            Some(new) => format!("{new_body}.{new}"),
            None if point.text == ORIGIN => new_body.to_owned(),
            // Unknown names stay as they are: the checks report them.
            None => format!("{new_body}.{}", point.text),
        };
        let span = if is_base || known.is_some() { point.span } else { body.span };
        Some(Spanned::new(place, span))
    }

    /// The new name of a cut, link, force or sensor, or one made up for it.
    fn element_name(&mut self, kind: &'static str, name: Option<Token<'d>>, span: Span) -> Text {
        let elements = &mut self.elements;
        let Some(name) = name.filter(|name| !name.text.is_empty()) else {
            elements.unnamed += 1;
            let requested = format!("{kind}{}", elements.unnamed);
            return elements.names.fresh_text(&requested, span);
        };
        let new = elements.names.refer(&name.to_text());
        let owner = *elements.kinds.entry(new.value.clone()).or_insert(kind);
        if owner == kind {
            return new;
        }
        let key = (new.value.clone(), kind);
        if let Some(moved) = elements.moved.get(&key) {
            return Spanned::new(moved.clone(), new.span);
        }
        let moved = elements.names.fresh(&format!("{}_{kind}", new.value));
        let message = format!("{kind} `{}` is called `{moved}` here", name.text);
        let here = format!("a {owner} has this name");
        self.reading
            .out
            .push(Diagnostic::note(DiagnosticCode::Renamed, new.span, message).here(here));
        elements.moved.insert(key, moved.clone());
        Spanned::new(moved, new.span)
    }

    /// A result of a call of a user function.
    fn call(&mut self, user: User, arguments: &str, result: u32, span: Span) -> DraftValue {
        let (name, _, results) = USER[user as usize];
        self.used[user as usize].get_or_insert(span);
        let index = if results == 1 { String::new() } else { format!("[{result}]") };
        Spanned::new(Value::Expression(format!("{name}({arguments}){index}")), span)
    }

    /// Declares the user functions that are called.
    fn declare_externals(&mut self) {
        for ((name, arguments, results), span) in USER.into_iter().zip(self.used) {
            let Some(span) = span else { continue };
            let text = |text: &str| Spanned::new(text.to_owned(), span);
            self.draft.externals.push(External {
                name: text(name),
                arguments: arguments.iter().map(|argument| text(argument)).collect(),
                results: Spanned::new(results, span),
            });
        }
    }
}
