//! Formats as tables, and the report of what a reader leaves out.
//!
//! A reader takes what it wants and does not keep account. Afterwards the file is compared with the
//! table of its format: what the table does not name, and what it names as left out, is reported,
//! once per kind with the number of times.

use rotule_symbolic::nearest;
use rustc_hash::FxHashMap;

use super::{Node, Reading};
use crate::diagnostic::short;
use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics, Severity};
use crate::source::Span;

/// A format.
pub(crate) struct Schema {
    /// Its name in messages.
    pub format: &'static str,
    /// The name of its root element.
    pub root: &'static str,
    /// The elements that are taken.
    pub rules: &'static [Rule],
    /// Elements that are left out wherever they stand.
    pub left_out: &'static [Left],
}

/// The part of an element that is taken. An element that is a child in one rule and has no rule of
/// its own has a text only.
pub(crate) struct Rule {
    /// The name of the element, or `parent/name` where the same name means different things.
    pub element: &'static str,
    /// Attributes that are taken; [`TEXT`] among them if its text is.
    pub attributes: &'static [&'static str],
    /// Elements in it that are taken.
    pub children: &'static [&'static str],
    /// The part of it that is left out.
    pub left_out: &'static [Left],
}

/// Stands among the attributes of an element whose text is taken. No attribute is called so.
pub(crate) const TEXT: &str = "#text";

/// Something that is left out, and why.
pub(crate) struct Left {
    /// The name of the element, or `@` and the name of the attribute.
    pub name: &'static str,
    /// A note if the mechanism is the same without it, a warning if it moves differently.
    pub severity: Severity,
    /// Why; completes "`<visual>` is left out: ".
    pub reason: &'static str,
}

impl Left {
    /// Something that has no part in the motion.
    pub const fn note(name: &'static str, reason: &'static str) -> Left {
        Left { name, severity: Severity::Note, reason }
    }

    /// Something that would change the motion.
    pub const fn warning(name: &'static str, reason: &'static str) -> Left {
        Left { name, severity: Severity::Warning, reason }
    }
}

impl Schema {
    fn rule(&self, parent: &str, name: &str) -> Option<&'static Rule> {
        let exact = |rule: &&Rule| {
            rule.element.split_once('/').is_some_and(|(p, n)| p == parent && n == name)
        };
        let rules = self.rules;
        rules.iter().find(exact).or_else(|| rules.iter().find(|rule| rule.element == name))
    }
}

impl Rule {
    /// The name of the element alone.
    fn name(&self) -> &'static str {
        self.element.rsplit_once('/').map_or(self.element, |(_, name)| name)
    }
}

/// The most kinds of unknown things that are reported one by one.
const MOST_KINDS: usize = 50;

/// A kind of thing that is left out: where the first stands, and how many there are.
struct Kind<'d> {
    first: Span,
    /// The name of the element it stands in, and the rule of that element.
    parent: &'d str,
    rule: Option<&'static Rule>,
    name: &'d str,
    what: What,
    count: usize,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum What {
    Element,
    Attribute,
    Text,
}

/// Reports everything below `root` that the schema does not take.
pub(crate) fn report_left_out<'d>(reading: &mut Reading<'d, '_>, root: Node<'d>, schema: &Schema) {
    report_left_out_but(reading, root, schema, &|_| false);
}

/// As [`report_left_out`], without the elements that the reader has spoken of itself.
pub(crate) fn report_left_out_but<'d>(
    reading: &mut Reading<'d, '_>,
    root: Node<'d>,
    schema: &Schema,
    skip: &dyn Fn(Node<'d>) -> bool,
) {
    let mut kinds: Vec<Kind<'d>> = Vec::new();
    let mut index: FxHashMap<(&'d str, &'d str, What), usize> = FxHashMap::default();
    let mut beyond = 0_usize;
    let mut found = |kind: Kind<'d>| {
        let place = kind.rule.map_or(kind.parent, |rule| rule.element);
        if let Some(known) = index.get(&(place, kind.name, kind.what)) {
            kinds[*known].count += 1;
        } else if kinds.len() >= MOST_KINDS {
            beyond += 1;
        } else {
            index.insert((place, kind.name, kind.what), kinds.len());
            kinds.push(kind);
        }
    };

    // Pairs of an element and the name of its parent.
    let mut open = vec![(root, "")];
    while let Some((node, parent)) = open.pop() {
        let name = reading.name(node);
        let rule = schema.rule(parent, name);
        let attributes = rule.map_or(&[][..], |rule| rule.attributes);
        let mut left = |written: &'d str, what: What, first: Span| {
            found(Kind { first, parent: name, rule, name: written, what, count: 1 });
        };
        for attribute in node.attributes() {
            let written = attribute.name();
            // Prefixed attributes belong to other tools, as do declarations of namespaces.
            let taken = attribute.namespace().is_none() && attributes.contains(&written);
            if !taken {
                let place = Span::new(reading.source, attribute.range_qname());
                left(written, What::Attribute, place);
            }
        }
        // Children are put on the stack backwards, so that places come in the order of the file.
        let start = open.len();
        for child in node.children() {
            if child.is_element() && skip(child) {
                continue;
            }
            if child.is_element() {
                let written = reading.name(child);
                if rule.is_some_and(|rule| rule.children.contains(&written)) {
                    open.push((child, name));
                } else {
                    left(written, What::Element, reading.tag(child));
                }
            } else if child.is_text() && rule.is_some() && !attributes.contains(&TEXT) {
                let text = child.text().unwrap_or_default();
                if !text.trim().is_empty() {
                    let from = child.range().start + (text.len() - text.trim_start().len());
                    let end = child.range().end.min(from + 1);
                    left("", What::Text, Span::new(reading.source, from.min(end)..end));
                }
            }
        }
        open[start..].reverse();
    }

    let findings = merge(kinds, schema);
    for finding in findings {
        reading.out.push(finding);
    }
    if beyond > 0 {
        let message = format!("{beyond} more elements and attributes are not known and left out");
        reading.out.push(Diagnostic::warning(
            DiagnosticCode::UnknownKey,
            reading.tag(root),
            message,
        ));
    }
}

/// One diagnostic per kind; what is left out for the same reason everywhere is one kind.
fn merge(kinds: Vec<Kind<'_>>, schema: &Schema) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    let mut everywhere: Vec<(&Left, Kind<'_>)> = Vec::new();
    for kind in kinds {
        let named = |left: &&Left| match kind.what {
            What::Element => left.name == kind.name,
            What::Attribute => left.name.strip_prefix('@') == Some(kind.name),
            What::Text => false,
        };
        let own = kind.rule.and_then(|rule| rule.left_out.iter().find(named));
        let left = own.or_else(|| schema.left_out.iter().find(named));
        match left {
            None => findings.push(unknown(&kind, schema)),
            Some(left) => match everywhere.iter_mut().find(|(same, _)| std::ptr::eq(*same, left)) {
                Some((_, first)) => first.count += kind.count,
                None => everywhere.push((left, kind)),
            },
        }
    }
    for (left, kind) in everywhere {
        let message = format!("{} is left out: {}{}", called(&kind), left.reason, times(&kind));
        let mut finding = Diagnostic::note(DiagnosticCode::Ignored, kind.first, message);
        finding.severity = left.severity;
        findings.push(finding);
    }
    findings
}

fn called(kind: &Kind<'_>) -> String {
    match kind.what {
        What::Element => format!("`<{}>`", short(kind.name)),
        What::Attribute => format!("`{}` of `<{}>`", short(kind.name), short(kind.parent)),
        What::Text => format!("text in `<{}>`", short(kind.parent)),
    }
}

fn times(kind: &Kind<'_>) -> String {
    if kind.count == 1 { String::new() } else { format!(" ({} times)", kind.count) }
}

/// The diagnostic about something that the table does not name.
fn unknown(kind: &Kind<'_>, schema: &Schema) -> Diagnostic {
    let (format, parent) = (schema.format, short(kind.parent));
    let rules = schema.rules;
    // Whether another element has it: then it stands in the wrong place.
    let elsewhere: Vec<&Rule> = rules
        .iter()
        .filter(|rule| match kind.what {
            What::Element => rule.children.contains(&kind.name),
            What::Attribute => rule.attributes.contains(&kind.name),
            What::Text => false,
        })
        .collect();
    let known = kind.rule.map_or(&[][..], |rule| match kind.what {
        What::Element => rule.children,
        What::Attribute => rule.attributes,
        What::Text => &[],
    });
    let near = nearest(kind.name, known.iter().copied());
    let help = match (near, elsewhere.first(), kind.what) {
        (Some(near), _, What::Element) => Some(format!("did you mean `<{near}>`?")),
        (Some(near), ..) => Some(format!("did you mean `{near}`?")),
        (None, Some(rule), _) => Some(format!("it belongs in `<{}>`", rule.name())),
        _ => None,
    };
    let known_where = match kind.what {
        What::Element if !elsewhere.is_empty() => format!("in `<{parent}>`"),
        _ => format!("in {format}"),
    };
    let message = match kind.what {
        What::Text => format!("{} has no meaning and is left out{}", called(kind), times(kind)),
        _ => format!("{} is not known {known_where} and is left out{}", called(kind), times(kind)),
    };
    Diagnostic::warning(DiagnosticCode::UnknownKey, kind.first, message).maybe_help(help)
}

/// Diagnostics that come again and again, each told once: what, where first, how often, of whom.
#[derive(Default)]
pub(crate) struct Tally(Vec<Row>);

struct Row {
    severity: Severity,
    message: &'static str,
    help: Option<&'static str>,
    first: Span,
    owners: Vec<String>,
    count: usize,
}

impl Tally {
    /// Counts something that is left out and has no part in the motion.
    pub fn note(&mut self, message: &'static str, span: Span, owner: &str) {
        self.add(Severity::Note, message, None, span, owner);
    }

    /// Counts something that is left out and would change the motion.
    pub fn warn(
        &mut self,
        message: &'static str,
        help: Option<&'static str>,
        span: Span,
        owner: &str,
    ) {
        self.add(Severity::Warning, message, help, span, owner);
    }

    fn add(
        &mut self,
        severity: Severity,
        message: &'static str,
        help: Option<&'static str>,
        first: Span,
        owner: &str,
    ) {
        // There are as many rows as a reader has different messages.
        let at = self.0.iter().position(|row| row.message == message).unwrap_or_else(|| {
            let owners = Vec::new();
            self.0.push(Row { severity, message, help, first, owners, count: 0 });
            self.0.len() - 1
        });
        let row = &mut self.0[at];
        row.count += 1;
        if row.owners.len() < 3 {
            row.owners.push(format!("`{}`", short(owner)));
        }
    }

    /// Tells everything that was counted.
    pub fn report(self, out: &mut Diagnostics) {
        for row in self.0 {
            let more = match row.count - row.owners.len() {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let message = format!("{}: {}{more}", row.message, row.owners.join(", "));
            let mut finding = Diagnostic::note(DiagnosticCode::Ignored, row.first, message);
            finding.severity = row.severity;
            out.push(finding.maybe_help(row.help.map(str::to_owned)));
        }
    }
}
