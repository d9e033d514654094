//! Rounded angles made exact again.
//!
//! Foreign formats write a quarter turn as 1.5708. Taken as it stands, every rotation would be a
//! full matrix of numbers that are almost zero, and every equation more expensive for it. A literal
//! that can only be a rounded multiple of an eighth of a turn becomes the expression that was
//! meant, and the user is told.

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::draft::{DraftValue, Rotation, Triple, Value};
use crate::read::xml::Word;
use crate::source::{Span, Spanned};
use rotule_symbolic::elementary::powi;

/// The largest multiple of pi/4 that is recognised.
const MOST_EIGHTHS: i32 = 16;
/// The largest deviation of a literal with many digits.
const CLOSE: f64 = 1e-9;
/// The largest deviation of a component of a quaternion, which is rounded more often.
const CLOSE_COMPONENT: f64 = 1e-6;
/// Lengths and components of directions below this are noise of a computation.
const NOISE: f64 = 1e-12;
/// Up to this many different numbers are reported one by one.
const FEW: usize = 4;

/// The angles that were made exact, for the report.
pub(crate) struct Snaps {
    made: Vec<Snap>,
    /// Nothing is made exact.
    as_written: bool,
}

struct Snap {
    span: Span,
    owner: String,
    from: String,
    to: String,
}

impl Snaps {
    /// None yet; none at all if numbers are to be taken as they are written.
    pub fn new(as_written: bool) -> Snaps {
        Snaps { made: Vec::new(), as_written }
    }

    /// The number of angles that were made exact.
    pub fn count(&self) -> usize {
        self.made.len()
    }

    /// Forgets those beyond a count: they are of no interest to anybody.
    pub fn forget(&mut self, count: usize) {
        self.made.truncate(count);
    }

    /// An angle in radians. The owner is what the report calls the place: the name of a joint or
    /// body.
    pub fn angle(&mut self, word: Word<'_>, owner: &str) -> DraftValue {
        let Some(eighths) = eighths(word).filter(|_| !self.as_written) else {
            return word.scalar();
        };
        let exact = eighth_turns(eighths);
        // The nearest double of the exact angle needs no remark.
        if word.value != f64::from(eighths) * std::f64::consts::FRAC_PI_4 {
            self.add(word.span, owner, word.text, &exact);
        }
        Spanned::new(exact, word.span)
    }

    /// A length or a component of a direction: noise becomes zero.
    pub fn length(&mut self, word: Word<'_>, owner: &str) -> DraftValue {
        let mut scalar = word.scalar();
        if word.value != 0.0 && word.value.abs() < NOISE && !self.as_written {
            scalar.value = Value::Number(0.0);
            self.add(word.span, owner, word.text, &scalar.value);
        }
        scalar
    }

    /// Three lengths; none if all are zero.
    pub fn position(&mut self, words: [Word<'_>; 3], owner: &str) -> Option<Triple> {
        let lengths = words.map(|word| self.length(word, owner));
        let zero = lengths.iter().all(|length| length.value == Value::Number(0.0));
        (!zero).then_some(lengths)
    }

    /// An angle in degrees. What is not a multiple of 45 becomes `30*deg`.
    pub fn degrees(&mut self, word: Word<'_>, owner: &str) -> DraftValue {
        let eighths = (word.value / 45.0).round();
        let off = (word.value - 45.0 * eighths).abs();
        if eighths.abs() > f64::from(MOST_EIGHTHS) || off > CLOSE {
            return Spanned::new(Value::Expression(format!("{}*deg", word.value)), word.span);
        }
        let exact = eighth_turns(eighths as i32);
        if off > 0.0 {
            self.add(word.span, owner, word.text, &exact);
        }
        Spanned::new(exact, word.span)
    }

    /// Three turns about fixed axes; none if there is no turn.
    pub fn rpy(&mut self, words: [Word<'_>; 3], owner: &str) -> Option<Rotation> {
        let angles = words.map(|word| self.angle(word, owner));
        let still = angles.iter().all(|angle| angle.value == Value::Number(0.0));
        (!still).then_some(Rotation::Rpy(angles))
    }

    /// A quaternion, w first; none if there is no turn. If every component is close to one of 0,
    /// 1/2, sqrt(1/2) and 1, and their squares add up to one, they become exact.
    pub fn quaternion(&mut self, words: [Word<'_>; 4], owner: &str) -> Option<Rotation> {
        let components = words.map(component);
        let quarters: Option<u32> = components.iter().map(|c| c.map(|c| c.quarters)).sum();
        if quarters != Some(4) || self.as_written {
            return Some(Rotation::Quaternion(words.map(Word::scalar)));
        }
        let mut exact = words.map(Word::scalar);
        for ((scalar, word), component) in exact.iter_mut().zip(words).zip(components) {
            let Some(component) = component else { continue };
            scalar.value = component.value();
            if component.number() != word.value {
                self.add(word.span, owner, word.text, &scalar.value);
            }
        }
        let [_, turns @ ..] = &exact;
        let still = turns.iter().all(|turn| turn.value == Value::Number(0.0));
        (!still).then_some(Rotation::Quaternion(exact))
    }

    fn add(&mut self, span: Span, owner: &str, from: &str, to: &Value) {
        let to = match to {
            Value::Number(number) => number.to_string(),
            Value::Expression(text) => text.clone(),
        };
        self.made.push(Snap { span, owner: owner.to_owned(), from: from.to_owned(), to });
    }

    /// Tells what was made exact: each place if there are few, otherwise all in one note.
    pub fn report(self, out: &mut Diagnostics) {
        let Some(first) = self.made.first() else { return };
        // A number that occurs often is reported once.
        let mut numbers: Vec<(&Snap, Vec<&str>)> = Vec::new();
        for snap in &self.made {
            match numbers.iter_mut().find(|(one, _)| (&one.from, &one.to) == (&snap.from, &snap.to))
            {
                Some((_, owners)) => owners.push(&snap.owner),
                None => numbers.push((snap, vec![&snap.owner])),
            }
            if numbers.len() > FEW {
                break;
            }
        }
        if numbers.len() <= FEW {
            for (Snap { span, from, to, .. }, owners) in numbers {
                let message = match owners[..] {
                    [owner] => format!("{from} of `{owner}` is taken as the exact {to}"),
                    _ => format!("{from} is taken as the exact {to}, in {} places", owners.len()),
                };
                out.push(Diagnostic::note(DiagnosticCode::Snapped, *span, message));
            }
            return;
        }
        let mut owners: Vec<&str> = Vec::new();
        for snap in &self.made {
            if owners.last() != Some(&snap.owner.as_str()) {
                owners.push(&snap.owner);
            }
        }
        let names: Vec<String> = owners.iter().take(3).map(|name| format!("`{name}`")).collect();
        let more = if owners.len() > 3 { " and others" } else { "" };
        let message = format!(
            "{} rounded numbers are taken as the exact ones that were meant: {}{more}",
            self.made.len(),
            names.join(", ")
        );
        let here = format!("taken as {}", first.to);
        out.push(Diagnostic::note(DiagnosticCode::Snapped, first.span, message).here(here));
    }
}

/// The spelling of a literal.
struct Literal {
    /// Digits from the first that is not zero.
    significant: usize,
    /// Digits behind the point, the exponent taken into account.
    decimals: i32,
}

fn literal(text: &str) -> Option<Literal> {
    let text = text.trim_start_matches(['+', '-']);
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = whole.chars().chain(fraction.chars()).skip_while(|digit| *digit == '0');
    let decimals = i32::try_from(fraction.len()).ok()?.checked_sub(exponent)?;
    Some(Literal { significant: digits.count(), decimals })
}

/// Returns `true` if a number is what rounding or cutting off another one to its decimals gives.
fn is_rounded(value: f64, exact: f64, decimals: i32) -> bool {
    // Beyond these digits a double does not tell rounding from noise.
    if !(1..=15).contains(&decimals) || (value < 0.0) != (exact < 0.0) {
        return false;
    }
    let scale = powi(10.0, decimals);
    let (found, requested) = ((value.abs() * scale).round(), exact.abs() * scale);
    found == requested.round() || found == requested.floor()
}

/// The multiple of pi/4 that a literal stands for.
fn eighths(word: Word<'_>) -> Option<i32> {
    let unit = std::f64::consts::FRAC_PI_4;
    let count = (word.value / unit).round();
    if count.abs() > f64::from(MOST_EIGHTHS) {
        return None;
    }
    let exact = count * unit;
    if (word.value - exact).abs() <= CLOSE {
        return Some(count as i32);
    }
    let literal = literal(word.text)?;
    let enough = literal.significant >= 3 && literal.decimals >= 2;
    (enough && count != 0.0 && is_rounded(word.value, exact, literal.decimals))
        .then_some(count as i32)
}

/// `eighths*pi/4` in lowest terms.
pub(crate) fn eighth_turns(eighths: i32) -> Value {
    if eighths == 0 {
        return Value::Number(0.0);
    }
    let (mut count, mut parts) = (eighths, 4);
    while parts > 1 && count % 2 == 0 {
        count /= 2;
        parts /= 2;
    }
    let top = match count {
        1 => "pi".to_owned(),
        -1 => "-pi".to_owned(),
        _ => format!("{count}*pi"),
    };
    Value::Expression(if parts == 1 { top } else { format!("{top}/{parts}") })
}

/// A component of a quaternion by its square, in quarters, and its sign.
#[derive(Clone, Copy)]
struct Component {
    quarters: u32,
    negative: bool,
}

impl Component {
    fn number(self) -> f64 {
        let size = f64::from(self.quarters) / 4.0;
        if self.negative { -size.sqrt() } else { size.sqrt() }
    }

    fn value(self) -> Value {
        let text = match (self.quarters, self.negative) {
            (0, _) => return Value::Number(0.0),
            (4, false) => return Value::Number(1.0),
            (4, true) => return Value::Number(-1.0),
            (1, false) => "1/2",
            (1, true) => "-1/2",
            (_, false) => "sqrt(1/2)",
            (_, true) => "-sqrt(1/2)",
        };
        Value::Expression(text.to_owned())
    }
}

fn component(word: Word<'_>) -> Option<Component> {
    let negative = word.value < 0.0;
    let all = [0, 1, 2, 4].map(|quarters| Component { quarters, negative });
    all.into_iter().find(|candidate| {
        let exact = candidate.number();
        let rounded = || {
            literal(word.text).is_some_and(|literal| {
                literal.decimals >= 4
                    && candidate.quarters > 0
                    && is_rounded(word.value, exact, literal.decimals)
            })
        };
        (word.value - exact).abs() <= CLOSE_COMPONENT || rounded()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceId;

    fn word(text: &str) -> Word<'_> {
        let value = text.parse().expect("a number");
        Word { text, value, span: Span::new(SourceId(0), 0..text.len()) }
    }

    fn shown(scalar: &DraftValue) -> String {
        match &scalar.value {
            Value::Number(number) => format!("{number:?}"),
            Value::Expression(text) => text.clone(),
        }
    }

    #[test]
    fn angles_that_were_rounded_become_exact() {
        let rows = [
            ("1.57", "pi/2"),
            ("1.571", "pi/2"),
            ("1.5708", "pi/2"),
            ("1.5707", "pi/2"),
            ("1.5707963", "pi/2"),
            ("1.5707963267948963", "pi/2"),
            ("1.57079632679489661923132169163975144", "pi/2"),
            ("-1.5708", "-pi/2"),
            ("1.5708e0", "pi/2"),
            ("15.708e-1", "pi/2"),
            ("3.14", "pi"),
            ("3.14159", "pi"),
            ("+3.1416", "pi"),
            ("-3.141592653589793", "-pi"),
            ("0.785", "pi/4"),
            (".785", "pi/4"),
            ("7.85e-1", "pi/4"),
            ("-2.356", "-3*pi/4"),
            ("6.2832", "2*pi"),
            ("12.5664", "4*pi"),
            ("-0.0", "0.0"),
            ("1e-17", "0.0"),
            ("-4.64e-13", "0.0"),
        ];
        for (text, expected) in rows {
            assert_eq!(shown(&Snaps::new(false).angle(word(text), "j")), expected, "{text}");
        }
    }

    #[test]
    fn other_angles_stay() {
        let rows = [
            "1.58", "1.6", "0.79", "0.8", "3.1", "1.569", "1.572", "1.5709", "3.15", "3.140", "3",
            "1e-6", "0.001", "13.3518", "11.0", "-1.5", "1e300",
        ];
        for text in rows {
            let mut snaps = Snaps::new(false);
            let found = snaps.angle(word(text), "j");
            assert_eq!(found.value, Value::Number(text.parse().expect("a number")), "{text}");
            assert!(snaps.made.is_empty(), "{text}");
        }
    }

    #[test]
    fn degrees_are_exact_where_they_can_be() {
        let rows = [
            ("90", "pi/2"),
            ("-45", "-pi/4"),
            ("0", "0.0"),
            ("720", "4*pi"),
            ("30", "30*deg"),
            ("-12.5", "-12.5*deg"),
            ("765", "765*deg"),
        ];
        for (text, expected) in rows {
            assert_eq!(shown(&Snaps::new(false).degrees(word(text), "j")), expected, "{text}");
        }
    }

    #[test]
    fn quaternions_are_exact_only_as_a_whole() {
        let rows = [
            ("1 0 0 0", "none", 0),
            ("-1 0 0 0", "none", 0),
            ("0.7071 0 0 0.7071", "sqrt(1/2) 0.0 0.0 sqrt(1/2)", 2),
            ("0.707107 0 -0.707107 0", "sqrt(1/2) 0.0 -sqrt(1/2) 0.0", 2),
            ("0.70710678118654757 0 0.70710678118654757 0", "sqrt(1/2) 0.0 sqrt(1/2) 0.0", 0),
            ("0.5 0.5 -0.5 0.5", "1/2 1/2 -1/2 1/2", 0),
            ("0.5 0.7071 0 0.5", "1/2 sqrt(1/2) 0.0 1/2", 1),
            ("0.5 0.5 0.5 0", "0.5 0.5 0.5 0.0", 0),
            ("0.707 0 0 0.707", "0.707 0.0 0.0 0.707", 0),
            ("0.7071 0 0 0.7", "0.7071 0.0 0.0 0.7", 0),
            ("2.7e-12 1 0 0", "0.0 1.0 0.0 0.0", 1),
            ("0 0 0 0", "0.0 0.0 0.0 0.0", 0),
        ];
        for (text, expected, notes) in rows {
            let words: Vec<Word<'_>> = text.split(' ').map(word).collect();
            let mut snaps = Snaps::new(false);
            let found = snaps.quaternion(words.try_into().expect("four"), "b");
            let found = match found {
                Some(Rotation::Quaternion(list)) => list.map(|c| shown(&c)).join(" "),
                _ => "none".to_owned(),
            };
            assert_eq!(found, expected, "{text}");
            assert_eq!(snaps.made.len(), notes, "{text}");
        }
    }

    #[test]
    fn many_are_reported_in_one_note() {
        let angles = ["1.5708", "3.1416", "0.7854", "-1.5708", "-3.1416"];
        // How many numbers, how many different ones, how many notes.
        for (count, kinds, notes) in [(0, 1, 0), (1, 1, 1), (4, 4, 4), (5, 5, 1), (100, 1, 1)] {
            let mut snaps = Snaps::new(false);
            for i in 0..count {
                snaps.angle(word(angles[i % kinds]), &format!("j{i}"));
            }
            let mut out = Diagnostics::new();
            snaps.report(&mut out);
            assert_eq!(out.iter().count(), notes);
        }
    }
}
