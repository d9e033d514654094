//! The reader of MJCF, MuJoCo's format.
//!
//! ```text
//! schema.rs       the elements of the format, as a table
//! defaults.rs     default classes
//! orientation.rs  the ways to write an orientation
//! tree.rs         the tree of bodies, as the file has it
//! joint.rs        joints and their laws
//! solid.rs        masses of shapes
//! inertia.rs      masses of bodies
//! shape.rs        shapes of bodies
//! build.rs        the tree as a draft: frames at joints, points, names
//! equality.rs     closures, couplings and initial values
//! remarks.rs      remarks that are made once about many elements
//! numbers.rs      sums without rounding noise
//! ```
//!
//! In MJCF all joints of a body share the body's frame and may sit anywhere in it; here the frame
//! sits at the joint. Where they differ the frame moves, and a point `frame` stays where the file
//! has it.

mod build;
mod defaults;
mod equality;
mod inertia;
mod joint;
mod numbers;
mod orientation;
mod remarks;
mod schema;
mod shape;
mod solid;
mod tree;

use rotule_symbolic::nearest;
use rustc_hash::FxHashMap;

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity};
use crate::draft::Draft;
use crate::read::names::Names;
use crate::read::snap::Snaps;
use crate::read::xml::{self, Node, Reading, Tally, Token, Word, XmlFormat};
use crate::read::{ReadOptions, frame};
use crate::source::{Span, Spanned};

use crate::read::frame::Pose;
use build::RequestedNames;
use defaults::Classes;
use remarks::Remarks;
use shape::Assets;
use tree::RawBody;

/// The name that MuJoCo gives to models without one, fit for a file name.
const UNNAMED: &str = "mujoco_model";
/// Words that stand for something in every expression; nothing may be called so.
const RESERVED: &[&str] = &["t", "deg", "ground"];
/// Suggestions of nearest names cost time in proportion to all names: only so many are made.
const SUGGESTIONS: usize = 40;

/// Settings of `<compiler>`.
struct Settings {
    /// `true` if angles are in degrees.
    degrees: bool,
    autolimits: bool,
    /// The letters of `eulerseq`.
    sequence: [u8; 3],
    from_geoms: FromGeoms,
    /// The groups of geoms whose masses count.
    groups: [f64; 2],
    bound_mass: f64,
    bound_inertia: f64,
}

/// The use of geoms for the masses of bodies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FromGeoms {
    Never,
    Always,
    /// Only if the body has no inertia of its own.
    Auto,
}

/// A file while it becomes a draft.
struct Reader<'d, 'o> {
    reading: Reading<'d, 'o>,
    draft: Draft,
    settings: Settings,
    classes: Classes<'d>,
    /// The tree; the world is the first.
    bodies: Vec<RawBody<'d>>,
    /// The frames that are no bodies, each in its body.
    frames: Vec<Pose>,
    snaps: Snaps,
    remarks: Remarks,
    tally: Tally,
    assets: Assets<'d>,
    /// New names of joints.
    joints: Names,
    requested_names: RequestedNames,
    /// Places of sites by their names.
    sites: FxHashMap<&'d str, String>,
    suggestions: usize,
}

/// The format: its elements, and how they are read.
pub(super) const FORMAT: XmlFormat = XmlFormat { schema: &schema::SCHEMA, read };

fn read(reading: Reading<'_, '_>, root: Node<'_>, options: &ReadOptions) -> Draft {
    let mut reader = Reader {
        reading,
        draft: Draft::default(),
        settings: Settings {
            degrees: true,
            autolimits: true,
            sequence: *b"xyz",
            from_geoms: FromGeoms::Auto,
            groups: [0.0, 5.0],
            bound_mass: 0.0,
            bound_inertia: 0.0,
        },
        classes: Classes::new(),
        bodies: Vec::new(),
        frames: Vec::new(),
        snaps: Snaps::new(options.as_written),
        remarks: Remarks::default(),
        tally: Tally::default(),
        assets: Assets::default(),
        joints: Names::default(),
        requested_names: RequestedNames::default(),
        sites: FxHashMap::default(),
        suggestions: SUGGESTIONS,
    };
    reader.model(root);
    let all: Vec<Node<'_>> = reader.reading.elements(root).collect();
    let sections = |name: &'static str| {
        let all = all.clone();
        let reading = &reader.reading;
        all.into_iter().filter(|node| reading.name(*node) == name).collect::<Vec<_>>()
    };
    // Settings and defaults hold for the whole file, wherever they stand.
    let [compilers, options_, defaults, assets, worlds, equalities, keyframes] =
        ["compiler", "option", "default", "asset", "worldbody", "equality", "keyframe"]
            .map(sections);
    for node in compilers {
        reader.compiler(node);
        reader.folders(node);
    }
    for node in options_ {
        reader.option(node);
    }
    for node in defaults {
        reader.defaults(node);
    }
    for node in assets {
        reader.assets(node);
    }
    reader.tree(&worlds);
    let mut built = reader.build(options);
    reader.equalities(&equalities, &mut built);
    reader.keyframes(&keyframes, &built);

    let Reader { reading, draft, snaps, remarks, tally, .. } = reader;
    let mut left_out = Diagnostics::new();
    let mut rest = Reading { out: &mut left_out, ..reading };
    xml::report_left_out(&mut rest, root, &schema::SCHEMA);
    for finding in &left_out {
        let mut finding = finding.clone();
        // What makes the model useless is more than ignored.
        if finding.code == DiagnosticCode::Ignored && finding.severity == Severity::Error {
            finding.code = DiagnosticCode::Unsupported;
        }
        reading.out.push(finding);
    }
    snaps.report(reading.out);
    remarks.report(reading.out);
    tally.report(reading.out);
    draft
}

impl<'d> Reader<'d, '_> {
    fn model(&mut self, root: Node<'d>) {
        let span = self.reading.tag(root);
        self.draft.span = span;
        let name = self.reading.attribute(root, "model").filter(|name| !name.text.is_empty());
        let unnamed = || Spanned::new(UNNAMED.to_owned(), span);
        self.draft.name = Some(name.map_or_else(unnamed, Token::to_text));
    }

    fn compiler(&mut self, node: Node<'d>) {
        let angles = [("degree", true), ("radian", false)];
        if let Some(degrees) = self.word(node, "angle", &angles) {
            self.settings.degrees = degrees;
        }
        let places = [("local", true), ("global", false)];
        if self.word(node, "coordinate", &places) == Some(false) {
            let span = self.reading.tag(node);
            let message = "global coordinates cannot be read";
            let help = "MuJoCo up to 2.3.3 writes local ones when it loads and saves the file";
            self.reading
                .out
                .push(Diagnostic::error(DiagnosticCode::Unsupported, span, message).help(help));
        }
        let flags = [("true", true), ("false", false)];
        if let Some(on) = self.word(node, "autolimits", &flags) {
            self.settings.autolimits = on;
        }
        let ways =
            [("false", FromGeoms::Never), ("true", FromGeoms::Always), ("auto", FromGeoms::Auto)];
        if let Some(way) = self.word(node, "inertiafromgeom", &ways) {
            self.settings.from_geoms = way;
        }
        if let Some(token) = self.reading.attribute(node, "eulerseq") {
            match <[u8; 3]>::try_from(token.text.as_bytes()) {
                Ok(letters) if letters.iter().all(|letter| b"xyzXYZ".contains(letter)) => {
                    self.settings.sequence = letters;
                }
                _ => {
                    let message =
                        format!("{token} must be three of the letters x, y, z, X, Y and Z");
                    self.reading.error(DiagnosticCode::Type, token.span, message);
                }
            }
        }
        if let Some(words) = self.reading.vector_attribute::<2>(node, "inertiagrouprange") {
            self.settings.groups = words.map(|word| word.value);
        }
        if let Some(word) = self.reading.number_attribute(node, "boundmass") {
            self.settings.bound_mass = word.value;
        }
        if let Some(word) = self.reading.number_attribute(node, "boundinertia") {
            self.settings.bound_inertia = word.value;
        }
    }

    fn option(&mut self, node: Node<'d>) {
        if let Some(words) = self.reading.vector_attribute(node, "gravity") {
            self.draft.gravity = Some(xml::triple(words));
        }
        for flag in self.reading.children(node, "flag").collect::<Vec<_>>() {
            let states = [("enable", true), ("disable", false)];
            if self.word(flag, "gravity", &states) == Some(false) {
                let span = self.reading.tag(flag);
                self.draft.gravity = Some(frame::triple([0.0; 3], span));
            }
        }
    }

    /// An attribute that is one of some words.
    fn word<T: Copy>(&mut self, node: Node<'d>, name: &str, words: &[(&str, T)]) -> Option<T> {
        let token = self.reading.attribute(node, name)?;
        self.one_of(token, words)
    }

    /// The value of one of some words; another one is reported.
    fn one_of<T: Copy>(&mut self, token: Token<'d>, words: &[(&str, T)]) -> Option<T> {
        if let Some((_, meaning)) = words.iter().find(|(word, _)| *word == token.text) {
            return Some(*meaning);
        }
        let known: Vec<String> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
        let found = xml::short(token.text);
        let message = format!("{token} must be one of {}, found `{found}`", known.join(", "));
        let near = near(token.text, words.iter().map(|(word, _)| word));
        let finding = Diagnostic::error(DiagnosticCode::Type, token.span, message).maybe_help(near);
        self.reading.out.push(finding);
        None
    }

    /// Returns `true` if one more suggestion may be made.
    fn may_suggest(&mut self) -> bool {
        let left = self.suggestions > 0;
        self.suggestions = self.suggestions.saturating_sub(1);
        left
    }

    /// The number of an attribute, the element's or its class's.
    fn number_of(&mut self, element: defaults::Element<'d>, name: &str) -> Option<Word<'d>> {
        let token = self.get(element, name)?;
        self.reading.number(token)
    }

    /// A number that was computed; one out of range is reported and replaced by zero.
    fn computed(&mut self, value: f64, span: Span, what: &str) -> f64 {
        if value.is_finite() {
            return value;
        }
        let message = format!("{what} is too large for a number");
        self.reading.error(DiagnosticCode::Number, span, message);
        0.0
    }
}

/// The sentence that names the nearest of some candidates.
fn near<'a>(name: &str, candidates: impl Iterator<Item = &'a &'a str>) -> Option<String> {
    // In order, because candidates come from hash maps too and messages must not change.
    let mut candidates: Vec<&str> = candidates.copied().collect();
    candidates.sort_unstable();
    nearest(name, candidates).map(|near| format!("did you mean `{near}`?"))
}
