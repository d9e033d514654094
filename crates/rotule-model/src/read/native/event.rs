//! Events: their conditions, and what happens.

use super::fields::{Fields, in_order};
use super::reader::{At, Reader};
use super::value::{Node, each, flag, name, prose, scalar, unknown, word};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Crossing, DraftValue, Event, Impact, Setting, Text};
use toml::de::DeValue;

const EVENT: &[&str] = &[
    "name",
    "when",
    "direction",
    "set",
    "impact",
    "lock",
    "unlock",
    "engage",
    "release",
    "end",
    "message",
];
const IMPACT: &[&str] = &["joint", "restitution"];
const STOP: &[&str] = &["restitution"];
/// Actions of an event.
const ACTIONS: [&str; 8] =
    ["set", "impact", "lock", "unlock", "engage", "release", "end", "message"];

pub(super) fn event(reader: &mut Reader<'_>, node: &Node<'_>) -> Option<Event> {
    let mut fields = Fields::open(reader, node, "event", None, &[EVENT])?;
    let name = fields.need("name", name);
    let when = fields.need("when", scalar);
    let direction =
        fields.get("direction", |reader, at, node| word(reader, at, node, &Crossing::ALL));
    if !ACTIONS.iter().any(|action| fields.has(action)) {
        let message = format!("{} does nothing", fields.at);
        let help =
            "add one of `set`, `impact`, `lock`, `unlock`, `engage`, `release`, `end`, `message`";
        fields
            .reader
            .report(Diagnostic::error(DiagnosticCode::Missing, fields.span, message).help(help));
    }
    let (set, impact) = (fields.get("set", settings), fields.get("impact", impact));
    let (lock, unlock) = (fields.get("lock", joints), fields.get("unlock", joints));
    let (engage, release) = (fields.get("engage", constraints), fields.get("release", constraints));
    Some(Event {
        direction,
        set: set.unwrap_or_default(),
        impact,
        lock: lock.unwrap_or_default(),
        unlock: unlock.unwrap_or_default(),
        engage: engage.unwrap_or_default(),
        release: release.unwrap_or_default(),
        end: fields.get("end", flag).unwrap_or_default(),
        message: fields.get("message", prose),
        name: name?,
        when: when?,
    })
}

/// The restitution of a joint's stops.
pub(super) fn stop(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<DraftValue> {
    let DeValue::Table(table) = node.get_ref() else {
        return reader.wrong_type(at, node, "a table such as `{ restitution = 0.5 }`");
    };
    Fields::new(reader, node, table, at, &[STOP]).need("restitution", scalar)
}

pub(super) fn settings(
    reader: &mut Reader<'_>,
    at: At<'_>,
    node: &Node<'_>,
) -> Option<Vec<Setting>> {
    let DeValue::Table(table) = node.get_ref() else {
        return reader.wrong_type(at, node, "values such as `{ \"q1.d\" = \"-0.8*q1.d\" }`");
    };
    let mut settings = Vec::with_capacity(table.len());
    for (key, node) in in_order(table) {
        let at = At::Key { key: key.get_ref(), of: &at };
        if let DeValue::Table(_) = node.get_ref() {
            reader.wrong_type::<()>(at, node, "a number; names with a dot stand in quotes");
            continue;
        }
        let target = reader.key(key);
        let value = scalar(reader, at, node).unwrap_or(unknown(0.0, target.span));
        settings.push(Setting { target, value });
    }
    Some(settings)
}

fn impact(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Impact> {
    let DeValue::Table(table) = node.get_ref() else {
        let form = "a table such as `{ joint = \"q1\", restitution = 0.8 }`";
        return reader.wrong_type(at, node, form);
    };
    let mut fields = Fields::new(reader, node, table, at, &[IMPACT]);
    let (joint, restitution) = (fields.need("joint", name), fields.need("restitution", scalar));
    Some(Impact { joint: joint?, restitution: restitution? })
}

fn joints(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Vec<Text>> {
    each(reader, at, node, "joints in quotes", name)
}

fn constraints(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Vec<Text>> {
    each(reader, at, node, "names of loop closures and constraints in quotes", name)
}
