//! Common parts of the readers of XML formats: parsing with guards, places of tags and values,
//! numbers and lists with their messages, and the report of everything that was not taken.
//!
//! ```text
//! values.rs  attributes and contents as numbers, lists and flags
//! known.rs   what a format knows, as a table, and the report of what is left out
//! ```
//!
//! `rotule_mesh::xml` refuses texts that the parser would need too long for, and finds the tag that
//! was not closed. Nothing here recurses over the file: its depth is the user's.

mod known;
mod values;

pub(crate) use crate::diagnostic::short;
pub(crate) use known::{Left, Rule, Schema, TEXT, Tally, report_left_out, report_left_out_but};
pub(crate) use values::{Token, Word, triple};

use rotule_mesh::xml as guard;
use roxmltree::{Document, Error, ParsingOptions};

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::draft::Draft;
use crate::limits;
use crate::read::ReadOptions;
use crate::source::{SourceId, Span};

/// An element, a comment or a text of the file.
pub(crate) type Node<'d> = roxmltree::Node<'d, 'd>;

/// A file while it is read: its text, and where diagnostics go.
pub(crate) struct Reading<'d, 'o> {
    /// The text.
    pub source: SourceId,
    /// The text itself.
    pub text: &'d str,
    /// Diagnostics so far.
    pub out: &'o mut Diagnostics,
}

/// A format in XML.
pub(crate) struct XmlFormat {
    /// Its elements.
    pub schema: &'static Schema,
    /// Reads the root element.
    pub read: for<'d> fn(Reading<'d, '_>, Node<'d>, &ReadOptions) -> Draft,
}

/// Reads a text of a format.
pub(crate) fn read(
    source: SourceId,
    text: &str,
    options: &ReadOptions,
    out: &mut Diagnostics,
    format: &XmlFormat,
) -> Draft {
    match parse(source, text, format.schema, out) {
        None => Draft::default(),
        Some(document) => {
            (format.read)(Reading { source, text, out }, document.root_element(), options)
        }
    }
}

/// Parses a text whose root element must be the one of the format.
pub(crate) fn parse<'t>(
    source: SourceId,
    text: &'t str,
    schema: &Schema,
    out: &mut Diagnostics,
) -> Option<Document<'t>> {
    let scan = match guard::scan(text, limits::XML_NODES) {
        Ok(scan) => scan,
        Err(excess) => {
            out.push(Diagnostic::error(
                DiagnosticCode::Limit,
                Span::new(source, excess.range),
                excess.message,
            ));
            return None;
        }
    };
    let options = ParsingOptions { nodes_limit: limits::XML_NODES, ..ParsingOptions::default() };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            out.push(syntax_error(source, text, &error, &scan));
            return None;
        }
    };
    let reading = Reading { source, text, out };
    let root = document.root_element();
    let found = reading.name(root);
    if found != schema.root {
        let message = format!(
            "the file begins with `<{found}>`; a file in {} begins with `<{}>`",
            schema.format, schema.root
        );
        let finding = Diagnostic::error(DiagnosticCode::Syntax, reading.tag(root), message);
        reading.out.push(finding.maybe_help(other_format(found)));
        return None;
    }
    Some(document)
}

/// The format whose root element was found instead of the expected one.
fn other_format(root: &str) -> Option<String> {
    let roots = [
        ("robot", "URDF", "urdf"),
        ("sdf", "SDF", "sdf"),
        ("mujoco", "MJCF", "mjcf"),
        ("mujocoinclude", "MJCF", "mjcf"),
        ("mbsDesc", "ROBOTRAN's format", "mbs"),
    ];
    let (_, format, ending) = roots.iter().find(|(known, ..)| *known == root)?;
    Some(format!("this looks like {format}; name the file `.{ending}` or say its format"))
}

/// A parse error in plain words.
fn syntax_error(source: SourceId, text: &str, error: &Error, scan: &guard::Scan) -> Diagnostic {
    let at = byte_of(text, error.pos());
    let end = at + text[at..].chars().next().map_or(0, char::len_utf8);
    let here = Span::new(source, at..end);
    let syntax = |message: String| Diagnostic::error(DiagnosticCode::Syntax, here, message);
    match error {
        Error::UnexpectedCloseTag(expected, found, _) => {
            let finding = syntax(format!("`</{found}>` closes `<{expected}>`"));
            let finding = finding.help(format!("write `</{expected}>` before it"));
            match scan.open.last() {
                Some(open) => finding
                    .also(Span::new(source, open.clone()), format!("`<{expected}>` opens here")),
                None => finding,
            }
        }
        Error::UnclosedRootNode | Error::UnexpectedEndOfStream => {
            let message = "the text ends before its last element is closed";
            match scan.open.last() {
                Some(open) => {
                    let name = &text[open.start + 1..open.end];
                    Diagnostic::error(
                        DiagnosticCode::Syntax,
                        Span::new(source, open.clone()),
                        message,
                    )
                    .here(format!("`<{name}>` is open at the end"))
                    .help("is the file complete?")
                }
                None => Diagnostic::error(
                    DiagnosticCode::Syntax,
                    Span::new(source, text.len()..text.len()),
                    message,
                )
                .help("is the file complete?"),
            }
        }
        Error::NoRootNode => syntax("the text has no XML element".to_owned())
            .help("is this an XML file, and is it complete?"),
        Error::DtdDetected => syntax("the file has a document type declaration".to_owned())
            .help("remove `<!DOCTYPE ..>` and write out the entities that it defines"),
        Error::NodesLimitReached
        | Error::AttributesLimitReached
        | Error::NamespacesLimitReached => {
            let message = format!(
                "the file has more than {} elements, attributes and texts",
                limits::XML_NODES
            );
            Diagnostic::error(DiagnosticCode::Limit, Span::new(source, 0..0), message)
        }
        Error::UnknownNamespace(prefix, _) => {
            let finding = syntax(format!("the prefix `{prefix}:` is not declared"));
            if prefix == "xacro" {
                return finding.help(XACRO);
            }
            finding.help(format!("declare it in the first element: `xmlns:{prefix}=\"..\"`"))
        }
        Error::DuplicatedAttribute(name, _) => {
            syntax(format!("the attribute `{name}` is given twice in one element"))
        }
        Error::DuplicatedNamespace(name, _) => {
            syntax(format!("the prefix `{name}:` is declared twice in one element"))
        }
        Error::UnknownEntityReference(name, _) => {
            syntax(format!("`&{name};` is not defined")).help("a plain `&` is written `&amp;`")
        }
        Error::MalformedEntityReference(_) => {
            syntax("`&` begins no reference here".to_owned()).help("a plain `&` is written `&amp;`")
        }
        Error::InvalidAttributeValue(_) | Error::InvalidChar(b'"' | b'\'', b'<', _) => {
            syntax("`<` stands in the value of an attribute".to_owned())
                .help("is a quote missing before it? A plain `<` is written `&lt;`")
        }
        Error::UnexpectedDeclaration(_) => {
            syntax("`<?xml ..?>` stands elsewhere than at the beginning of the file".to_owned())
                .help("it must be the very first characters of the file, before any blank line")
        }
        Error::InvalidName(_) => syntax("a name is expected here".to_owned())
            .help("names begin with a letter or `_`; a plain `<` is written `&lt;`"),
        Error::NonXmlChar(c, _) => {
            syntax(format!("the character U+{:04X} cannot stand in XML", u32::from(*c)))
        }
        Error::InvalidChar(expected, found, _) => {
            let (expected, found) = (shown(*expected), shown(*found));
            syntax(format!("expected {expected}, found {found}"))
        }
        Error::InvalidChar2(expected, found, _) => {
            syntax(format!("expected {expected}, found {}", shown(*found)))
        }
        Error::InvalidString(expected, _) => syntax(format!("expected `{expected}`")),
        Error::InvalidComment(_) => {
            syntax("a comment contains `--`, which XML does not allow".to_owned())
        }
        Error::InvalidCharacterData(_) => syntax("`]]>` stands in a text".to_owned()),
        Error::UnknownToken(_) => syntax("this is not XML".to_owned()),
        Error::UnexpectedEntityCloseTag(_)
        | Error::EntityReferenceLoop(_)
        | Error::InvalidExternalID(_)
        | Error::EntityResolver(..)
        | Error::InvalidXmlPrefixUri(_)
        | Error::UnexpectedXmlUri(_)
        | Error::UnexpectedXmlnsUri(_)
        | Error::InvalidElementNamePrefix(_) => {
            syntax("a name that XML reserves for itself is declared or used here".to_owned())
        }
    }
}

/// For how many unknown names a file is searched for the nearest: more would take too long.
pub(crate) const GUESSES: usize = 20;

/// The remedy about macros; said by every reader that meets them.
pub(crate) const XACRO: &str = "this file has xacro macros; write them out first: `xacro FILE > robot.urdf`, and read the result";

/// A byte as a message shows it.
fn shown(byte: u8) -> String {
    match byte {
        b' '..=b'~' => format!("`{}`", char::from(byte)),
        b'\n' | b'\r' => "the end of the line".to_owned(),
        b'\t' => "a tabulator".to_owned(),
        _ => format!("the byte {byte:#04x}"),
    }
}

/// The byte of a line and a column, both counted from one, the column in characters.
fn byte_of(text: &str, at: roxmltree::TextPos) -> usize {
    let lines_before = (at.row as usize).saturating_sub(1);
    let start = match lines_before.checked_sub(1) {
        None => 0,
        Some(last) => text.match_indices('\n').nth(last).map_or(text.len(), |(at, _)| at + 1),
    };
    let columns = (at.col as usize).saturating_sub(1);
    text[start..].char_indices().nth(columns).map_or(text.len(), |(at, _)| start + at)
}

impl<'d> Reading<'d, '_> {
    /// The name of an element as it is written, with its prefix.
    pub fn name(&self, node: Node<'d>) -> &'d str {
        let rest = &self.text[node.range().start..][1..];
        let end = rest.find(|c: char| c.is_ascii_whitespace() || c == '/' || c == '>');
        &rest[..end.unwrap_or(rest.len())]
    }

    /// The place of an element's opening tag: `<` and its name.
    pub fn tag(&self, node: Node<'d>) -> Span {
        let start = node.range().start;
        Span::new(self.source, start..start + 1 + self.name(node).len())
    }

    /// The elements in an element.
    pub fn elements(&self, node: Node<'d>) -> impl Iterator<Item = Node<'d>> + use<'d> {
        node.children().filter(roxmltree::Node::is_element)
    }

    /// The elements of a name in an element.
    pub fn children<'s>(
        &'s self,
        node: Node<'d>,
        name: &'s str,
    ) -> impl Iterator<Item = Node<'d>> + use<'s, 'd> {
        self.elements(node).filter(move |child| self.name(*child) == name)
    }

    /// The one element of a name in an element. If there are several, the first is taken and the
    /// second reported.
    pub fn child(&mut self, node: Node<'d>, name: &str) -> Option<Node<'d>> {
        let mut found = self.children(node, name);
        let first = found.next()?;
        let second = found.next();
        drop(found);
        if let Some(second) = second {
            let parent = self.name(node);
            let message = format!("`<{parent}>` has more than one `<{name}>`; the first is taken");
            let finding = Diagnostic::warning(DiagnosticCode::Ambiguous, self.tag(second), message)
                .also(self.tag(first), "this one is taken");
            self.out.push(finding);
        }
        Some(first)
    }

    /// Reports an error at a place.
    pub fn error(&mut self, code: DiagnosticCode, span: Span, message: impl Into<String>) {
        self.out.push(Diagnostic::error(code, span, message));
    }
}
