//! The reader of the model file.
//!
//! ```text
//! text --sections--> parts --syntax--> TOML --element--> draft
//! ```
//!
//! The text is cut at its headers (`sections`), each part is parsed (`syntax`), and its tables are
//! read by functions that know the keys of their element (`element`, `joint`) through a layer that
//! knows values (`value`, `fields`). All diagnostics are collected, and a part that is not TOML
//! leaves the others readable. Parts of models, such as cuts added to a model of another format,
//! are read in the same way: that something is not there at all is for the next step to say.

mod controller;
mod element;
mod event;
mod fields;
mod joint;
mod reader;
mod sections;
mod shape;
mod syntax;
mod value;

use crate::aliases::{Names, canonical};
use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, short};
use crate::draft::Draft;
use crate::source::{SourceId, Span};
use element::MODEL;
use fields::{in_order, meant};
use reader::Reader;
use sections::Sections;
use toml::de::DeValue;
use value::{Key, Node};

/// A kind of section.
struct Kind {
    word: &'static str,
    read: Read,
}

/// The reader of a section.
enum Read {
    /// There is one: `[model]`.
    Once(fn(&mut Reader<'_>, &Node<'_>, &mut Draft)),
    /// There are several, `[[body]]`. The function gives how many the draft then has.
    Each(fn(&mut Reader<'_>, &Node<'_>, &mut Draft) -> usize),
}

/// A row for a kind of element: its word, the list of the draft and the function that reads one.
macro_rules! each {
    ($word:literal, $list:ident, $function:path) => {
        Kind {
            word: $word,
            read: Read::Each(|reader, node, draft| {
                draft.$list.extend($function(reader, node));
                draft.$list.len()
            }),
        }
    };
}

/// Every kind of section, in the order of the manual.
const SECTIONS: [Kind; 20] = [
    Kind { word: "model", read: Read::Once(element::model) },
    Kind { word: "parameters", read: Read::Once(element::parameters) },
    Kind { word: "ground", read: Read::Once(element::ground) },
    Kind {
        word: "body",
        read: Read::Each(|reader, node, draft| {
            draft.bodies.extend(element::body(reader, node));
            reader.bodies
        }),
    },
    Kind {
        word: "joint",
        read: Read::Each(|reader, node, draft| {
            element::joint_table(reader, node, draft);
            draft.joints.len() + draft.completed.len()
        }),
    },
    each!("cut", cuts, joint::cut),
    each!("coupling", couplings, element::coupling),
    each!("motion", motions, element::motion),
    each!("constraint", constraints, element::constraint),
    each!("line_force", line_forces, element::line_force),
    each!("force", forces, element::force),
    each!("wheel", wheels, element::wheel),
    each!("sensor", sensors, element::sensor),
    each!("input", inputs, element::input),
    each!("output", outputs, element::output),
    each!("controller", controllers, controller::controller),
    each!("state", states, element::state),
    each!("event", events, event::event),
    each!("external", externals, element::external),
    Kind { word: "initial", read: Read::Once(element::initial) },
];

impl Kind {
    /// The header of such a section.
    fn header(&self) -> String {
        match self.read {
            Read::Once(_) => format!("`[{}]`", self.word),
            Read::Each(_) => format!("`[[{}]]`", self.word),
        }
    }
}

/// Where each kind of section first stood, and how many elements of it there are.
type Seen = [(Option<Span>, usize); SECTIONS.len()];

/// Reads a model file or a part of one.
pub(super) fn read(id: SourceId, text: &str, out: &mut Diagnostics) -> Draft {
    let mut reader = Reader::new(id);
    let mut draft = Draft { span: Span::new(id, 0..0), ..Draft::default() };
    let mut seen: Seen = [(None, 0); SECTIONS.len()];
    'sections: for section in Sections::new(id, text) {
        reader.enter(section.start, section.text);
        let (tree, sound) = syntax::parse(&mut reader, section.text);
        let sound = sound && section.fault.is_none();
        section.fault.into_iter().for_each(|fault| reader.report(fault));
        // What can be recovered is kept, so that others find it, but nothing certain follows from
        // it.
        if !sound {
            reader.mute();
        }
        for (key, node) in in_order(&tree) {
            let word = canonical(Names::Section, key.get_ref());
            match SECTIONS.iter().position(|kind| kind.word == word) {
                Some(index) => {
                    if !part(&mut reader, index, node, &mut draft, &mut seen) {
                        break 'sections;
                    }
                }
                None if reader.is_silent() => {}
                None => unknown_section(&mut reader, key, node),
            }
        }
        if reader.is_full() {
            break;
        }
    }
    out.append(reader.finish());
    draft
}

/// Reads everything of one kind in a section; false if there is more than can be read.
fn part(
    reader: &mut Reader<'_>,
    index: usize,
    node: &Node<'_>,
    draft: &mut Draft,
    seen: &mut Seen,
) -> bool {
    let kind = &SECTIONS[index];
    let (first, count) = &mut seen[index];
    let span = reader.span(node.span());
    match (&kind.read, node.get_ref()) {
        (Read::Each(read), DeValue::Array(elements)) => {
            for node in elements.iter() {
                if !reader.room(kind.word, *count, node.span()) {
                    return false;
                }
                *count = read(reader, node, draft);
            }
        }
        // `[body.points]` far from its body: the table has the place of the word alone.
        (Read::Each(_), DeValue::Table(_)) if !reader.bracketed(node.span()) => {
            let (word, header) = (kind.word, kind.header());
            let message = match *count {
                0 => format!("a {word} has no section of its own name"),
                _ => format!("this table is apart from the {header} it belongs to"),
            };
            let help = match *count {
                0 => format!("write {header} instead, with its name as a key: `name = \"...\"`"),
                _ => format!("move it right below the keys of that {word}"),
            };
            reader.report(Diagnostic::error(DiagnosticCode::Type, span, message).help(help));
        }
        (Read::Each(read), DeValue::Table(_)) => {
            let (word, header) = (kind.word, kind.header());
            let message = format!("`{word}` is one table, but there may be several");
            let help = format!("write {header} as the header of each {word}");
            reader.report(Diagnostic::error(DiagnosticCode::Type, span, message).help(help));
            read(reader, node, draft);
        }
        (Read::Each(_), _) => {
            let message = format!("`{}` is not a table", kind.word);
            let help = format!("write {} and its keys below", kind.header());
            reader.report(Diagnostic::error(DiagnosticCode::Type, span, message).help(help));
        }
        (Read::Once(read), DeValue::Array(tables)) if reader.bracketed(node.span()) => {
            let (word, header) = (kind.word, kind.header());
            let message = format!("there is only one `{word}`");
            let help = format!("write {header} as its header");
            reader.report(Diagnostic::error(DiagnosticCode::Type, span, message).help(help));
            tables.iter().take(1).for_each(|table| read(reader, table, draft));
        }
        (Read::Once(read), _) => {
            // Without a header of its own it is only mentioned, as in `[initial.q]`.
            if reader.bracketed(node.span()) {
                if let Some(first) = *first {
                    let message = format!("{} stands twice in the file", kind.header());
                    let finding = Diagnostic::error(DiagnosticCode::Ambiguous, span, message);
                    let finding = finding.also(first, "the first is here");
                    reader.report(finding.help("put everything below the first"));
                }
                first.get_or_insert(span);
            }
            read(reader, node, draft);
        }
    }
    true
}

/// Words for what has another section here, and where it stands.
const ELSEWHERE: &[(&str, &str)] = &[
    ("spring", SPRING),
    ("damper", SPRING),
    ("spring_damper", SPRING),
    ("loop", "a loop is closed by a `[[cut]]`"),
    ("motor", DRIVE),
    ("actuator", DRIVE),
    ("drive", DRIVE),
    ("point", POINT),
    ("points", POINT),
];
const SPRING: &str = "a spring between two places is a `[[line_force]]`, such as \
                      `force = \"100*(Z - 0.3) + 2*Zd\"`; one in a joint is its `effort`";
const POINT: &str = "a point stands in its body, `points.NAME = [x, y, z]`, and one of the ground below \
                     `[ground.points]`";
const DRIVE: &str =
    "a given motion of a joint is a `[[motion]]`; a given force or torque is its `effort`";

/// A section or a key outside of sections that is not known.
fn unknown_section(reader: &mut Reader<'_>, key: &Key<'_>, node: &Node<'_>) {
    let word = key.get_ref().as_ref();
    let span = reader.span(key.span());
    let near = meant(word, SECTIONS.iter().map(|kind| kind.word));
    let near = near.and_then(|near| SECTIONS.iter().find(|kind| kind.word == near));
    // A list is the value of a key, and `[[...]]` a list of tables.
    let is_list = matches!(node.get_ref(), DeValue::Array(list)
        if !list.iter().any(|one| matches!(one.get_ref(), DeValue::Table(_))));
    let is_section = reader.bracketed(node.span()) && !is_list;
    let what = if is_section { "unknown section" } else { "unknown key outside of all sections:" };
    let other = ELSEWHERE.iter().find(|(known, _)| *known == word).map(|(_, help)| *help);
    let help = match (other, near) {
        (Some(help), _) => help.to_owned(),
        _ if !is_section && MODEL.contains(&word) => format!("`{word}` stands below `[model]`"),
        (None, Some(near)) => format!("did you mean {}?", near.header()),
        (None, None) => {
            let headers: Vec<String> = SECTIONS.iter().map(Kind::header).collect();
            format!("expected one of {}", headers.join(", "))
        }
    };
    let message = format!("{what} `{}`", short(word));
    reader.report(Diagnostic::error(DiagnosticCode::UnknownKey, span, message).help(help));
}
