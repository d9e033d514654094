//! Values of a model file: the small layer between TOML and the elements.
//!
//! Each function takes a value and where it stands, and gives what the draft holds, or reports what
//! was expected and what was found.

use super::fields::{Fields, meant};
use super::reader::{At, Reader};
use crate::diagnostic::{Diagnostic, DiagnosticCode, short};
use crate::draft::{AXES, Axis, DraftValue, LinkConvention, Rotation, Text, Triple, Value};
use crate::source::{Span, Spanned};
use toml::de::{DeInteger, DeString, DeValue};

/// A value with its place in the section.
pub(super) type Node<'i> = toml::Spanned<DeValue<'i>>;
/// A key with its place in the section.
pub(super) type Key<'i> = toml::Spanned<DeString<'i>>;

/// A sentence or another text that may be anything.
pub(super) fn prose(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Text> {
    match node.get_ref() {
        DeValue::String(text) => {
            Some(Text::new(text.to_string(), reader.inside(node.span(), text)))
        }
        _ => reader.wrong_type(at, node, "a text in quotes"),
    }
}

/// A name.
pub(super) fn name(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Text> {
    named(reader, at, node, "a name in quotes")
}

/// A place: a body or a point of one.
pub(super) fn place(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Text> {
    named(reader, at, node, "a place in quotes such as \"rod.end\"")
}

fn named(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>, expected: &str) -> Option<Text> {
    match node.get_ref() {
        DeValue::String(text) if text.trim().is_empty() => {
            let span = reader.span(node.span());
            reader.report(Diagnostic::error(DiagnosticCode::Name, span, format!("{at} is empty")));
            None
        }
        DeValue::String(text) => {
            let span = reader.inside(node.span(), text);
            Some(reader.bounded(text, span))
        }
        _ => reader.wrong_type(at, node, expected),
    }
}

/// An equation in quotes.
pub(super) fn equation(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Text> {
    match node.get_ref() {
        DeValue::String(text) => {
            let span = reader.inside(node.span(), text);
            expression(reader, at, text, span).map(|text| Text::new(text, span))
        }
        _ => reader.wrong_type(at, node, "an equation in quotes"),
    }
}

fn expression(reader: &mut Reader<'_>, at: At<'_>, text: &str, span: Span) -> Option<String> {
    if text.trim().is_empty() {
        reader.report(Diagnostic::error(
            DiagnosticCode::Expression,
            span,
            format!("{at} is empty"),
        ));
        return None;
    }
    Some(text.to_owned())
}

/// A number or an expression.
pub(super) fn scalar(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<DraftValue> {
    let span = reader.span(node.span());
    let number = match node.get_ref() {
        DeValue::Integer(digits) => integer(digits),
        DeValue::Float(digits) => float(digits.as_str()),
        DeValue::String(text) => {
            let span = reader.inside(node.span(), text);
            let text = expression(reader, at, text, span)?;
            return Some(DraftValue::new(Value::Expression(text), span));
        }
        _ => return reader.wrong_type(at, node, "a number or an expression in quotes"),
    };
    match number {
        Ok(number) => Some(DraftValue::new(Value::Number(number), span)),
        Err(why) => {
            reader.report(Diagnostic::error(DiagnosticCode::Number, span, format!("{at} {why}")));
            None
        }
    }
}

const TOO_LARGE: &str = "is too large for a number of double precision";

/// The number nearest to an integer.
fn integer(digits: &DeInteger<'_>) -> Result<f64, &'static str> {
    let text = digits.as_str();
    let number = match digits.radix() {
        10 => text.parse().map_err(|_| "is not a number")?,
        _ if text.is_empty() => return Err("has no digits"),
        // These bases are powers of two: beyond 128 bits only the last places could differ.
        radix => u128::from_str_radix(text, radix).map_or_else(
            |_| {
                let digits = text.chars().filter_map(|c| c.to_digit(radix));
                digits.fold(0.0, |sum, digit| sum * f64::from(radix) + f64::from(digit))
            },
            |number| number as f64,
        ),
    };
    // An integer has no sign of zero.
    if number.is_finite() { Ok(number + 0.0) } else { Err(TOO_LARGE) }
}

fn float(text: &str) -> Result<f64, &'static str> {
    let number: f64 = text.parse().map_err(|_| "is not a number")?;
    let mantissa = text.split(['e', 'E']).next().unwrap_or(text);
    if text.ends_with("inf") || text.ends_with("nan") {
        Err("is not a finite number")
    } else if number.is_infinite() {
        Err(TOO_LARGE)
    } else if number == 0.0 && mantissa.contains(|c: char| c.is_ascii_digit() && c != '0') {
        Err("is too small for a number of double precision")
    } else {
        Ok(number)
    }
}

/// A list of a given length.
pub(super) fn list<const N: usize, T>(
    reader: &mut Reader<'_>,
    at: At<'_>,
    node: &Node<'_>,
    what: &str,
    read: impl Fn(&mut Reader<'_>, At<'_>, &Node<'_>) -> Option<T>,
) -> Option<[T; N]> {
    let DeValue::Array(entries) = node.get_ref() else {
        return reader.wrong_type(at, node, &format!("a list of {N} {what}"));
    };
    if entries.len() != N {
        let message = format!("{at}: expected {N} {what}, found {}", entries.len());
        reader.report(Diagnostic::error(
            DiagnosticCode::Dimension,
            reader.span(node.span()),
            message,
        ));
        return None;
    }
    // Every entry is read before one that failed counts, so that all are reported.
    let entries: Vec<Option<T>> = entries.iter().map(|entry| read(reader, at, entry)).collect();
    let entries: Vec<T> = entries.into_iter().collect::<Option<_>>()?;
    entries.try_into().ok()
}

/// Numbers or expressions, `N` of them.
pub(super) fn numbers<const N: usize>(
    reader: &mut Reader<'_>,
    at: At<'_>,
    node: &Node<'_>,
) -> Option<[DraftValue; N]> {
    list(reader, at, node, "numbers", scalar)
}

/// Two places.
pub(super) fn between(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<[Text; 2]> {
    list(reader, at, node, "places", place)
}

/// Numbers or expressions, one or a list of any length.
pub(super) fn several(
    reader: &mut Reader<'_>,
    at: At<'_>,
    node: &Node<'_>,
) -> Option<Spanned<Vec<DraftValue>>> {
    let values = match node.get_ref() {
        DeValue::Array(entries) => {
            let values: Vec<_> = entries.iter().map(|entry| scalar(reader, at, entry)).collect();
            values.into_iter().collect::<Option<_>>()?
        }
        _ => vec![scalar(reader, at, node)?],
    };
    Some(Spanned::new(values, reader.span(node.span())))
}

/// A list of texts or words, of any length; entries that cannot be read are left out.
pub(super) fn each<T>(
    reader: &mut Reader<'_>,
    at: At<'_>,
    node: &Node<'_>,
    what: &str,
    mut read: impl FnMut(&mut Reader<'_>, At<'_>, &Node<'_>) -> Option<T>,
) -> Option<Vec<T>> {
    let DeValue::Array(entries) = node.get_ref() else {
        return reader.wrong_type(at, node, &format!("a list of {what}"));
    };
    Some(entries.iter().filter_map(|entry| read(reader, at, entry)).collect())
}

/// Words of a list, each at most once.
pub(super) fn words<T: Copy + PartialEq>(
    reader: &mut Reader<'_>,
    at: At<'_>,
    node: &Node<'_>,
    all: &[(T, &'static str)],
) -> Option<Vec<Spanned<T>>> {
    // There are only a few different words, so looking through those seen is quick.
    let mut seen: Vec<Spanned<T>> = Vec::new();
    each(reader, at, node, "words in quotes", |reader, at, entry| {
        let found = word(reader, at, entry, all)?;
        if let Some(first) = seen.iter().find(|first| first.value == found.value) {
            let twice = format!("{at} names `{}` twice", written(all, found.value));
            let finding = Diagnostic::warning(DiagnosticCode::Ambiguous, found.span, twice);
            reader.report(finding.also(first.span, "the first is here"));
            return None;
        }
        seen.push(found);
        Some(found)
    })
}

fn written<T: Copy + PartialEq>(all: &[(T, &'static str)], value: T) -> &'static str {
    all.iter().find(|(known, _)| *known == value).map_or("", |(_, word)| word)
}

/// One of a few words.
pub(super) fn word<T: Copy>(
    reader: &mut Reader<'_>,
    at: At<'_>,
    node: &Node<'_>,
    all: &[(T, &'static str)],
) -> Option<Spanned<T>> {
    let DeValue::String(text) = node.get_ref() else {
        return reader.wrong_type(at, node, "a word in quotes");
    };
    let span = reader.inside(node.span(), text);
    if let Some((value, _)) = all.iter().find(|(_, word)| word == text) {
        return Some(Spanned::new(*value, span));
    }
    let valid: Vec<String> = all.iter().map(|(_, word)| format!("`{word}`")).collect();
    let valid = format!("expected one of {}", valid.join(", "));
    let help = match meant(text, all.iter().map(|(_, word)| *word)) {
        Some(near) => format!("did you mean `{near}`? {valid}"),
        None => valid,
    };
    let message = match text.trim() {
        "" => format!("{at} is empty"),
        text => format!("{at}: `{}` is not known", short(text)),
    };
    reader.report(Diagnostic::error(DiagnosticCode::UnknownName, span, message).help(help));
    None
}

/// `true` or `false`.
pub(super) fn flag(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<bool> {
    match node.get_ref() {
        DeValue::Boolean(value) => Some(*value),
        _ => reader.wrong_type(at, node, "`true` or `false`"),
    }
}

/// A number of things, one or more.
pub(super) fn count(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Spanned<u32>> {
    let number = match node.get_ref() {
        DeValue::Integer(digits) => u32::from_str_radix(digits.as_str(), digits.radix()).ok(),
        DeValue::Float(_) => None,
        _ => return reader.wrong_type(at, node, "a whole number"),
    };
    let span = reader.span(node.span());
    if let Some(number) = number.filter(|number| *number > 0) {
        return Some(Spanned::new(number, span));
    }
    let message = format!("{at} must be a whole number from 1 on");
    reader.report(Diagnostic::error(DiagnosticCode::Number, span, message));
    None
}

/// The number that stands for one that could not be read.
pub(super) fn unknown(number: f64, span: Span) -> DraftValue {
    DraftValue::new(Value::Number(number), span)
}

/// A direction with numbers for components.
pub(super) fn direction(components: [f64; 3], span: Span) -> Axis {
    Axis { span, components: components.map(|number| DraftValue::new(Value::Number(number), span)) }
}

/// A direction.
pub(super) fn axis(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Axis> {
    match node.get_ref() {
        DeValue::String(_) => {
            let found = word(reader, at, node, &AXES)?;
            Some(direction(found.value, found.span))
        }
        DeValue::Array(_) => {
            let components = numbers(reader, at, node)?;
            Some(Axis { span: reader.span(node.span()), components })
        }
        _ => reader.wrong_type(at, node, "an axis such as \"z\" or [0, 1, 1]"),
    }
}

/// Two directions.
pub(super) fn axes(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Vec<Axis>> {
    list::<2, _>(reader, at, node, "axes", axis).map(Vec::from)
}

/// A rotation in any of its forms.
pub(super) fn rotation(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<Rotation> {
    const FORMS: [&str; 5] = ["rpy", "quaternion", "matrix", "axis", "angle"];
    let table = match node.get_ref() {
        DeValue::Array(_) => return numbers(reader, at, node).map(Rotation::Rpy),
        DeValue::Table(table) => table,
        _ => return reader.wrong_type(at, node, "a rotation such as [\"pi/2\", 0, 0]"),
    };
    let mut fields = Fields::new(reader, node, table, at, &[&FORMS]);
    // An axis and an angle are one form together.
    let given: Vec<&str> = FORMS.into_iter().filter(|form| fields.has(form)).collect();
    match given[..] {
        ["rpy"] => fields.get("rpy", numbers).map(Rotation::Rpy),
        ["quaternion"] => fields.get("quaternion", numbers).map(Rotation::Quaternion),
        ["matrix"] => fields.get("matrix", matrix).map(Rotation::Matrix),
        ["axis"] | ["angle"] | ["axis", "angle"] => {
            let (axis, angle) = (fields.need("axis", axis), fields.need("angle", scalar));
            Some(Rotation::Turn { axis: axis?, angle: angle? })
        }
        _ => {
            let span = fields.span;
            let (code, message) = match given.len() {
                0 => (DiagnosticCode::Missing, format!("{at} says nothing")),
                _ => (DiagnosticCode::Ambiguous, format!("{at} is given in several forms")),
            };
            let help = "give one of `rpy`, `quaternion`, `matrix`, or `axis` with `angle`";
            reader.report(Diagnostic::error(code, span, message).help(help));
            None
        }
    }
}

/// Link parameters, in one of their conventions.
pub(super) fn link(
    reader: &mut Reader<'_>,
    at: At<'_>,
    node: &Node<'_>,
    convention: LinkConvention,
) -> Option<Rotation> {
    let DeValue::Table(table) = node.get_ref() else {
        return reader.wrong_type(
            at,
            node,
            "link parameters such as `{ d = 0.4, alpha = \"pi/2\" }`",
        );
    };
    let names = convention.parameters();
    let mut fields = Fields::new(reader, node, table, at, &[names]);
    let values = names.iter().map(|name| fields.get(name, scalar)).collect();
    Some(Rotation::Link { convention, values })
}

fn matrix(reader: &mut Reader<'_>, at: At<'_>, node: &Node<'_>) -> Option<[Triple; 3]> {
    list(reader, at, node, "rows", numbers)
}
