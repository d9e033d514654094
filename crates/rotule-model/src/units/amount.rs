//! Amounts: a number and its unit in one text, such as `500 mm`, and numbers brought to SI.

use super::{Factor, Unit, UnitError, multiplied, parse, starts_unit};
use rotule_symbolic::elementary::powi;
use rotule_symbolic::{Expr, Graph, Number};

/// A number with its unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Amount<'t> {
    /// The number as it is written.
    pub number: &'t str,
    /// The text of the unit.
    pub text: &'t str,
    /// The unit.
    pub unit: Unit,
}

impl Amount<'_> {
    /// The value as an SI number, of which pi is a factor of its own.
    fn scaled(&self) -> Number {
        self.unit.scaled(self.number)
    }

    /// The value as an SI number.
    pub fn si(&self) -> f64 {
        self.unit.with_pi(self.scaled().to_f64())
    }

    /// The value as an expression; an integer in exact units stays exact.
    pub fn expr(&self, graph: &mut Graph) -> Expr {
        self.unit.expr(self.scaled(), graph)
    }
}

impl Unit {
    /// A number in this unit as an SI number. The decimal digits of the number count, so that 12.7
    /// mm are the double 0.0127.
    pub fn to_si(&self, number: f64) -> f64 {
        self.with_pi(self.scaled(&format!("{number:e}")).to_f64())
    }

    /// The factor to SI as an expression.
    pub fn factor(&self, graph: &mut Graph) -> Expr {
        let number = match self.factor {
            Factor::Exact(numerator, denominator) => Number::ratio(numerator, denominator),
            Factor::Real(number) => Number::Real(number),
        };
        self.expr(number, graph)
    }

    fn with_pi(&self, number: f64) -> f64 {
        if self.pi == 0 { number } else { number * powi(std::f64::consts::PI, self.pi) }
    }

    fn expr(&self, number: Number, graph: &mut Graph) -> Expr {
        let (number, pi) = (graph.number(number), graph.pi());
        let power = graph.powi(pi, self.pi);
        graph.mul(number, power)
    }

    /// A decimal literal times the rational part of the factor. One with a point or an exponent
    /// gives a real.
    fn scaled(&self, literal: &str) -> Number {
        let plain = literal.parse::<f64>().unwrap_or(f64::NAN);
        let exact = !literal.contains(['.', 'e', 'E']);
        let Factor::Exact(above, below) = self.factor else {
            return Number::Real(plain * self.factor.to_f64());
        };
        if !exact && (above, below) == (1, 1) {
            return Number::Real(plain);
        }
        match ratio(literal).and_then(|ratio| multiplied(ratio, (above, below))) {
            Some((numerator, denominator)) if exact => Number::ratio(numerator, denominator),
            Some((numerator, denominator)) => Number::Real(numerator as f64 / denominator as f64),
            None => Number::Real(plain * above as f64 / below as f64),
        }
    }
}

/// A decimal literal as a fraction, if it fits.
fn ratio(literal: &str) -> Option<(i128, i128)> {
    let (mantissa, exponent) = match literal.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (literal, 0),
    };
    let (whole, part) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: i128 = format!("{whole}{part}").parse().ok()?;
    let exponent = exponent.checked_sub(i32::try_from(part.len()).ok()?)?;
    let size = 10_i128.checked_pow(exponent.unsigned_abs())?;
    multiplied((digits, 1), if exponent < 0 { (1, size) } else { (size, 1) })
}

/// The length of a number at the start of a text; zero if there is none.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    let start = usize::from(matches!(bytes.first(), Some(b'+' | b'-')));
    let mut at = digits(start);
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    if !bytes[start..at].iter().any(u8::is_ascii_digit) {
        return 0;
    }
    if let Some(b'e' | b'E') = bytes.get(at) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        let end = digits(at + 1 + sign);
        if end > at + 1 + sign {
            return end;
        }
    }
    at
}

/// Reads a text that is a number, a blank and a unit. None means that the text is something else: a
/// unit begins with a letter, `%`, `°` or `1/`, which behind a number and a blank is no expression.
/// The place of a fault is counted from the start of the text.
pub fn amount(text: &str) -> Option<Result<Amount<'_>, UnitError>> {
    let trimmed = text.trim_start();
    let (number, rest) = trimmed.split_at(number(trimmed));
    let unit = rest.trim_start();
    let begins = unit.starts_with(starts_unit) || unit.starts_with("1/");
    if number.is_empty() || unit.len() == rest.len() || !begins {
        return None;
    }
    let offset = text.len() - unit.len();
    let unit_text = unit.trim_end();
    Some(match parse(unit_text) {
        Ok(unit) => Ok(Amount { number, text: unit_text, unit }),
        Err(fault) => {
            let span = offset + fault.span.start..offset + fault.span.end;
            Err(UnitError { span, ..fault })
        }
    })
}

/// The text with the blank that is missing between a number and its unit, if that is what is wrong
/// with it.
pub fn glued(text: &str) -> Option<String> {
    let text = text.trim();
    let (number, unit) = text.split_at(number(text));
    let alone = !number.is_empty() && unit.starts_with(starts_unit);
    (alone && parse(unit).is_ok()).then(|| format!("{number} {unit}"))
}
