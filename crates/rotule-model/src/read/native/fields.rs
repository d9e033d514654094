//! Tables whose keys are known: what is unknown in them or missing is reported here, once for all
//! elements, with what was probably meant.

use super::element::BODY;
use super::joint::JOINT;
use super::reader::{At, Reader};
use super::value::{Key, Node};
use crate::aliases::{Names, canonical};
use crate::diagnostic::{Diagnostic, DiagnosticCode, short};
use crate::source::Span;
use rotule_symbolic::nearest;
use toml::de::{DeTable, DeValue};

/// Words of other formats or of habit, and the key that is meant.
const SYNONYMS: &[(&str, &str)] = &[
    ("ball", "spherical"),
    ("bodies", "body"),
    ("cardan", "universal"),
    ("center_of_mass", "com"),
    ("centre_of_mass", "com"),
    ("children", "between"),
    ("collision", "shape"),
    ("color", "colour"),
    ("closure", "cut"),
    ("continuous", "revolute"),
    ("damping", "effort"),
    ("description", "about"),
    ("floating", "free"),
    ("hinge", "revolute"),
    ("hooke", "universal"),
    ("geometry", "shape"),
    ("kind", "type"),
    ("law", "force"),
    ("limits", "range"),
    ("loop", "cut"),
    ("orientation", "rotation"),
    ("origin", "position"),
    ("place", "at"),
    ("rpy", "rotation"),
    ("rigid", "fixed"),
    ("screw", "helical"),
    ("slide", "prismatic"),
    ("slider", "prismatic"),
    ("springs", "line_force"),
    ("stiffness", "effort"),
    ("torque", "effort"),
    ("visual", "shape"),
    ("weld", "fixed"),
    ("xyz", "position"),
];

/// The valid word that is probably meant.
pub(super) fn meant<'a>(
    word: &str,
    valid: impl Iterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let synonym = SYNONYMS.iter().find(|(known, _)| *known == word).map(|(_, key)| *key);
    let synonym = synonym.and_then(|key| valid.clone().find(|valid| *valid == key));
    synonym.or_else(|| nearest(word, valid))
}

/// Help for a key of a joint that stands at its body, or the other way round.
fn elsewhere<'a>(word: &str, valid: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let is = |keys: &[&str]| keys.iter().all(|key| valid.clone().any(|valid| valid == *key));
    if is(BODY) && JOINT.contains(&word) {
        let joint = "`joint = { ... }` of the body or to the `[[joint]]` of that name";
        return Some(format!("`{word}` belongs to a joint: move it to {joint}"));
    }
    if is(JOINT) && word == "at" {
        let help = "a joint sits at the `parent` of its body, moved by the body's `position`";
        return Some(help.to_owned());
    }
    if is(JOINT) && BODY.contains(&word) {
        return Some(format!("`{word}` belongs to the body that the joint moves"));
    }
    None
}

/// For keys that must exist, what writing them looks like.
const EXAMPLES: &[(&str, &str)] = &[
    ("angle", "\"pi/2\""),
    ("arguments", "[\"Z\", \"Zd\"]"),
    ("at", "\"hand.tip\""),
    ("axes", "[\"x\", \"y\"]"),
    ("axis", "\"z\""),
    ("between", "[\"rod.end\", \"piston\"]"),
    ("body", "\"front_wheel\""),
    ("equation", "\"q2 = 2*q1\""),
    ("force", "\"100*(Z - 0.4)\""),
    ("joint", "\"q1\""),
    ("length", "0.5"),
    ("measures", "[\"position\"]"),
    ("name", "\"some_name\""),
    ("pitch", "0.005"),
    ("position", "[0, 0, 0]"),
    ("q", "\"2*pi*t\""),
    ("radius", "0.3"),
    ("rate", "\"(u - R*i)/L\""),
    ("restitution", "0.5"),
    ("type", "\"revolute\""),
    ("value", "0.15"),
    ("when", "\"q1 - 0.3\""),
];

/// A table whose keys are known.
pub(super) struct Fields<'r, 't, 'a, 'i> {
    pub reader: &'r mut Reader<'t>,
    pub at: At<'a>,
    pub span: Span,
    table: &'a DeTable<'i>,
    /// Keys that stand for others, with these: aliases, and unknown keys with the key that is
    /// probably meant. Their values count, so that one slip has one diagnostic.
    meant: Vec<(&'static str, &'a Key<'i>)>,
}

impl<'r, 't, 'a, 'i> Fields<'r, 't, 'a, 'i> {
    /// The fields of an element of several; it is called by its `name`.
    pub fn open(
        reader: &'r mut Reader<'t>,
        node: &'a Node<'i>,
        kind: &'a str,
        of: Option<&'a At<'a>>,
        keys: &[&'static [&'static str]],
    ) -> Option<Fields<'r, 't, 'a, 'i>> {
        let unnamed = At::Element { kind, name: None, of };
        let DeValue::Table(table) = node.get_ref() else {
            return reader.wrong_type(unnamed, node, "a table");
        };
        let name = table.get("name").and_then(|name| name.get_ref().as_str());
        let at = At::Element { kind, name: name.filter(|name| !name.is_empty()), of };
        Some(Fields::new(reader, node, table, at, keys))
    }

    /// The fields of a table. Keys that are not among `keys` are reported.
    pub fn new(
        reader: &'r mut Reader<'t>,
        node: &Node<'i>,
        table: &'a DeTable<'i>,
        at: At<'a>,
        keys: &[&'static [&'static str]],
    ) -> Fields<'r, 't, 'a, 'i> {
        let valid = keys.iter().copied().flatten().copied();
        let mut meant = Vec::new();
        for (key, _) in table {
            let word = key.get_ref().as_ref();
            if valid.clone().any(|known| known == word) || reader.is_full() {
                continue;
            }
            let name = canonical(Names::Key, word);
            if let Some(alias_of) = valid.clone().find(|known| *known == name) {
                match table.contains_key(name) {
                    false => meant.push((alias_of, key)),
                    true => {
                        let message = format!("`{word}` and `{name}` in {at} are the same key");
                        let span = reader.span(key.span());
                        let help = format!("keep `{name}`");
                        reader.report(
                            Diagnostic::error(DiagnosticCode::Ambiguous, span, message).help(help),
                        );
                    }
                }
                continue;
            }
            let near = self::meant(word, valid.clone());
            let help = match (elsewhere(word, valid.clone()), near) {
                (Some(help), _) => help,
                (None, Some(near)) => {
                    meant.push((near, key));
                    format!("did you mean `{near}`?")
                }
                (None, None) => {
                    format!("expected one of `{}`", valid.clone().collect::<Vec<_>>().join("`, `"))
                }
            };
            let message = format!("unknown key `{}` in {at}", short(word));
            let span = reader.span(key.span());
            reader.report(Diagnostic::error(DiagnosticCode::UnknownKey, span, message).help(help));
        }
        let span = reader.span(node.span());
        Fields { reader, at, span, table, meant }
    }

    /// The entry of a key: under its own name, or under a similar one that is not known.
    fn entry(&self, key: &str) -> Option<(&'a Key<'i>, &'a Node<'i>)> {
        self.table.get_key_value(key).or_else(|| {
            let (_, similar) = self.meant.iter().find(|(near, _)| *near == key)?;
            self.table.get_key_value(similar.get_ref().as_ref())
        })
    }

    /// Returns `true` if a key exists.
    pub fn has(&self, key: &str) -> bool {
        self.entry(key).is_some()
    }

    /// The place of a key that exists, else of the table.
    pub fn key_span(&self, key: &str) -> Span {
        self.entry(key).map_or(self.span, |(key, _)| self.reader.span(key.span()))
    }

    /// The value of a key, if it exists and can be read.
    pub fn get<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&mut Reader<'t>, At<'_>, &Node<'i>) -> Option<T>,
    ) -> Option<T> {
        let (_, node) = self.entry(key)?;
        read(self.reader, At::Key { key, of: &self.at }, node)
    }

    /// The value of a key that must exist.
    pub fn need<T>(
        &mut self,
        key: &str,
        read: impl FnOnce(&mut Reader<'t>, At<'_>, &Node<'i>) -> Option<T>,
    ) -> Option<T> {
        if !self.has(key) {
            let example = EXAMPLES.iter().find(|(known, _)| *known == key);
            let help = example.map(|(_, value)| format!("add it: for example `{key} = {value}`"));
            self.misses(key, help);
        }
        self.get(key, read)
    }

    /// Reports that a key is missing.
    pub fn misses(&mut self, key: &str, help: Option<String>) {
        let message = format!("{} has no `{key}`", self.at);
        let finding = Diagnostic::error(DiagnosticCode::Missing, self.span, message);
        self.reader.report(finding.maybe_help(help));
    }
}

/// Keys and values in the order of the file, which the table does not keep.
pub(super) fn in_order<'a, 'i>(table: &'a DeTable<'i>) -> Vec<(&'a Key<'i>, &'a Node<'i>)> {
    let mut entries: Vec<_> = table.iter().collect();
    entries.sort_by_key(|(key, _)| key.span().start);
    entries
}
