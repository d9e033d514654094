//! Shapes of bodies, and inertias in one word.

use super::fields::Fields;
use super::reader::{At, Reader};
use super::value::{Node, axis, numbers, prose, rotation, scalar, several};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{BodyShape, DraftValue, FROM_SHAPES, Form, Inertia, InertiaOf, Triple};
use crate::solid::SolidType;
use crate::source::Spanned;
use toml::de::DeValue;

/// Words of solids and other forms.
const FORMS: [&str; 10] = {
    let mut words = [""; 10];
    let mut at = 0;
    while at < SolidType::ALL.len() {
        words[at] = SolidType::ALL[at].1;
        at += 1;
    }
    words[8] = "hull";
    words[9] = "mesh";
    words
};
const SHAPE: &[&str] = &["at", "axis", "rotation", "colour", "density", "scale"];

/// One shape or a list of them.
pub(super) fn shapes(
    reader: &mut Reader<'_>,
    at: At<'_>,
    node: &Node<'_>,
) -> Option<Vec<BodyShape>> {
    let list = match node.get_ref() {
        DeValue::Array(list) => list.as_ref(),
        _ => std::slice::from_ref(node),
    };
    Some(list.iter().filter_map(|node| shape(reader, at, node)).collect())
}

fn shape(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<BodyShape> {
    let DeValue::Table(table) = node.get_ref() else {
        return reader.wrong_type(at, node, "a shape such as `{ box = [0.1, 0.2, 0.3] }`");
    };
    let mut fields = Fields::new(reader, node, table, at, &[&FORMS, SHAPE]);
    let form = form(&mut fields);
    Some(BodyShape {
        span: fields.span,
        at: fields.get("at", numbers),
        axis: fields.get("axis", axis),
        rotation: fields.get("rotation", rotation),
        colour: fields.get("colour", prose),
        density: fields.get("density", scalar),
        form: form?,
    })
}

/// The form that a shape has.
fn form(fields: &mut Fields<'_, '_, '_, '_>) -> Option<Form> {
    let word = the_word(fields, &FORMS, "form")?;
    let span = fields.key_span(word);
    if word != "mesh" && fields.has("scale") {
        let message = format!("{} has a `scale`, which only a mesh has", fields.at);
        let here = fields.key_span("scale");
        let help = "write the sizes that are meant";
        fields
            .reader
            .report(Diagnostic::error(DiagnosticCode::UnknownKey, here, message).help(help));
    }
    match word {
        "mesh" => {
            let file = fields.get("mesh", prose)?;
            Some(Form::Mesh { file, scale: fields.get("scale", scale) })
        }
        "hull" => fields.get("hull", points).map(Form::Hull),
        _ => {
            let (kind, _) = SolidType::ALL.iter().find(|(_, known)| *known == word)?;
            let sizes = fields.get(word, several)?;
            sized(fields, *kind, 0, &sizes)?;
            Some(Form::Solid { kind: Spanned::new(*kind, span), sizes: sizes.value })
        }
    }
}

/// The one word of several that is a key; reports none and more than one.
fn the_word(
    fields: &mut Fields<'_, '_, '_, '_>,
    words: &[&'static str],
    what: &str,
) -> Option<&'static str> {
    let given: Vec<&str> = words.iter().copied().filter(|word| fields.has(word)).collect();
    let span = fields.span;
    let (code, message) = match given[..] {
        [one] => return Some(one),
        [] => (DiagnosticCode::Missing, format!("{} has no {what}", fields.at)),
        [first, second, ..] => {
            (DiagnosticCode::Ambiguous, format!("{} is both `{first}` and `{second}`", fields.at))
        }
    };
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    let help = format!("give one of {}", words.join(", "));
    fields.reader.report(Diagnostic::error(code, span, message).help(help));
    None
}

/// Reports a wrong number of sizes.
fn sized(
    fields: &mut Fields<'_, '_, '_, '_>,
    kind: SolidType,
    before: usize,
    sizes: &Spanned<Vec<DraftValue>>,
) -> Option<()> {
    let (expected, found) = (before + kind.sizes(), sizes.value.len());
    if found == expected {
        return Some(());
    }
    let numbers = if expected == 1 { "1 number".to_owned() } else { format!("{expected} numbers") };
    let message = format!("{}: `{}` takes {numbers}, found {found}", fields.at, kind.word());
    let mass = if before == 1 { "mass, " } else { "" };
    let help = format!("its numbers are {mass}{}", kind.meaning());
    fields
        .reader
        .report(Diagnostic::error(DiagnosticCode::Dimension, sizes.span, message).help(help));
    None
}

/// One factor for all axes, or one for each.
fn scale(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Triple> {
    match node.get_ref() {
        DeValue::Array(_) => numbers(reader, at, node),
        _ => {
            let one = scalar(reader, at, node)?;
            Some([one.clone(), one.clone(), one])
        }
    }
}

fn points(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Vec<Triple>> {
    super::value::each(reader, at, node, "points such as [0, 0, 1]", numbers)
}

/// An inertia as a body has it: entries of a matrix, or their source.
pub(super) enum AnyInertia {
    Entries(Inertia),
    Of(InertiaOf),
}

/// `"from shapes"` or a solid; none if it is neither.
pub(super) fn inertia_of(
    reader: &mut Reader<'_>,
    at: At<'_>,
    node: &Node<'_>,
) -> Option<Option<InertiaOf>> {
    let table = match node.get_ref() {
        DeValue::String(text) if text == FROM_SHAPES => {
            return Some(Some(InertiaOf::Shapes(reader.span(node.span()))));
        }
        DeValue::Table(table) => table,
        _ => return Some(None),
    };
    const SOLIDS: [&str; 8] = {
        let mut words = [""; 8];
        let mut at = 0;
        while at < words.len() {
            words[at] = SolidType::ALL[at].1;
            at += 1;
        }
        words
    };
    if !SOLIDS.iter().any(|word| table.contains_key(*word)) {
        return Some(None);
    }
    let mut fields = Fields::new(reader, node, table, at, &[&SOLIDS, &["axis", "rotation"]]);
    let word = the_word(&mut fields, &SOLIDS, "solid")?;
    let span = fields.key_span(word);
    let (kind, _) = *SolidType::ALL.iter().find(|(_, known)| *known == word)?;
    let mut sizes = fields.get(word, several)?;
    sized(&mut fields, kind, 1, &sizes)?;
    Some(Some(InertiaOf::Solid {
        kind: Spanned::new(kind, span),
        mass: sizes.value.remove(0),
        sizes: sizes.value,
        axis: fields.get("axis", axis),
        rotation: fields.get("rotation", rotation),
    }))
}
