//! Units of measurement: how a text such as `N m/rad` is read, and what a value in it is in SI
//! numbers.
//!
//! ```text
//! unit      product of factors: blank, `*` or `·` between them; `/` divides by the factor behind it
//! factor    symbol, `1` or (unit), each with an optional power: m^2, s^-1, m²
//! amount    number, blank, unit: 500 mm, -2.5 kN/mm, 30 deg
//! ```
//!
//! Behind a `/` no product may follow outside of parentheses: `V/rad s` could mean two things, and
//! is refused, as the SI brochure demands. The radian counts as a dimension, so that hertz, newton
//! metres per radian and metres per revolution are told from what they are confused with.

mod amount;
mod error;
mod table;

pub use amount::{Amount, amount, glued};
pub use error::{UnitError, UnitFault};

use rotule_symbolic::elementary::powi;
use rotule_symbolic::nearest;
use std::ops::Range;
use table::{COHERENT, NAMED, PREFIXES, SCALED, WORDS};

/// The longest unit that is read, in bytes.
pub const MAX_TEXT: usize = 200;
/// The largest power in a unit.
pub const MAX_POWER: i32 = 12;

/// Exponents of metre, kilogram, second, radian, ampere, kelvin, mole and candela.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dimension([i8; 8]);

impl Dimension {
    /// A number without a dimension.
    pub const NUMBER: Dimension = Dimension([0; 8]);
    /// Length.
    pub const LENGTH: Dimension = Dimension::mechanical(1, 0, 0, 0);
    /// Mass.
    pub const MASS: Dimension = Dimension::mechanical(0, 1, 0, 0);
    /// Mass per volume.
    pub const DENSITY: Dimension = Dimension::mechanical(-3, 1, 0, 0);
    /// Time.
    pub const TIME: Dimension = Dimension::mechanical(0, 0, 1, 0);
    /// Angle.
    pub const ANGLE: Dimension = Dimension::mechanical(0, 0, 0, 1);
    /// Frequency, and gains per second.
    pub const FREQUENCY: Dimension = Dimension::NUMBER.per_time(1);
    /// Velocity.
    pub const VELOCITY: Dimension = Dimension::LENGTH.per_time(1);
    /// Angular velocity.
    pub const ANGULAR_VELOCITY: Dimension = Dimension::ANGLE.per_time(1);
    /// Acceleration.
    pub const ACCELERATION: Dimension = Dimension::LENGTH.per_time(2);
    /// Force.
    pub const FORCE: Dimension = Dimension::mechanical(1, 1, -2, 0);
    /// Torque.
    pub const TORQUE: Dimension = Dimension::mechanical(2, 1, -2, 0);
    /// Moment of inertia.
    pub const INERTIA: Dimension = Dimension::mechanical(2, 1, 0, 0);
    /// Translation per rotation of a screw.
    pub const PITCH: Dimension = Dimension::mechanical(1, 0, 0, -1);

    const fn mechanical(metre: i8, kilogram: i8, second: i8, radian: i8) -> Dimension {
        Dimension([metre, kilogram, second, radian, 0, 0, 0, 0])
    }

    /// The dimension of the derivative of this order with respect to time.
    #[must_use]
    pub const fn per_time(mut self, order: i8) -> Dimension {
        self.0[2] = self.0[2].saturating_sub(order);
        self
    }

    /// Product with a power of another dimension; none beyond what eight bits hold.
    fn times(self, other: Dimension, power: i32) -> Option<Dimension> {
        let mut exponents = self.0;
        for (exponent, more) in exponents.iter_mut().zip(other.0) {
            let sum = i32::from(*exponent) + i32::from(more).checked_mul(power)?;
            *exponent = i8::try_from(sum).ok()?;
        }
        Some(Dimension(exponents))
    }

    /// The name of a dimension with an article, and a unit of it; none for one without a name.
    pub fn name(self) -> Option<(&'static str, &'static str)> {
        let found = NAMED.iter().find(|(known, ..)| *known == self);
        found.map(|(_, name, unit)| (*name, *unit))
    }

    /// The product of SI base units of this dimension.
    pub fn si(self) -> String {
        const BASE: [&str; 8] = ["m", "kg", "s", "rad", "A", "K", "mol", "cd"];
        let powers = BASE.into_iter().zip(self.0.map(i32::from));
        let mut si: Vec<_> = powers.filter(|(_, power)| *power != 0).collect();
        // The kilogram comes first, as in `kg m^2`.
        si.sort_by_key(|(symbol, _)| *symbol != "kg");
        Unit { si, ..Unit::ONE }.si()
    }
}

/// A unit: its dimension and its factor to SI, `factor * pi^pi`.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    dimension: Dimension,
    factor: Factor,
    pi: i32,
    /// Coherent units whose product it is in SI, with their powers.
    si: Vec<(&'static str, i32)>,
}

impl Unit {
    const ONE: Unit =
        Unit { dimension: Dimension::NUMBER, factor: Exact(1, 1), pi: 0, si: Vec::new() };

    /// The dimension.
    pub fn dimension(&self) -> Dimension {
        self.dimension
    }

    /// Returns `true` if a value in this unit is an SI number as it stands.
    pub fn is_coherent(&self) -> bool {
        self.factor == Exact(1, 1) && self.pi == 0
    }

    /// Returns `true` if the factor to SI contains pi, as those of degrees and revolutions do.
    pub fn has_pi(&self) -> bool {
        self.pi != 0
    }

    /// The SI unit of the same dimension, as it is shown beside a value in SI.
    pub fn si(&self) -> String {
        let factor = |(symbol, power): &(&str, i32)| match power.abs() {
            1 => (*symbol).to_owned(),
            power => format!("{symbol}^{power}"),
        };
        let side = |requested: bool| -> Vec<String> {
            self.si.iter().filter(|(_, power)| (*power > 0) == requested).map(factor).collect()
        };
        let (above, below) = (side(true), side(false));
        let above = if above.is_empty() { "1".to_owned() } else { above.join(" ") };
        match &below[..] {
            [] => above,
            [one] => format!("{above}/{one}"),
            several => format!("{above}/({})", several.join(" ")),
        }
    }

    /// Product with a power of another unit; none if the factor cannot be represented.
    fn times(&self, other: &Unit, power: i32) -> Option<Unit> {
        let factor = self.factor.times(other.factor.power(power))?;
        let mut si = self.si.clone();
        for &(symbol, own) in &other.si {
            let more = own.checked_mul(power)?;
            match si.iter_mut().find(|(known, _)| *known == symbol) {
                Some((_, sum)) => *sum = sum.checked_add(more)?,
                None => si.push((symbol, more)),
            }
        }
        si.retain(|(_, power)| *power != 0);
        let pi = self.pi.checked_add(other.pi.checked_mul(power)?)?;
        let dimension = self.dimension.times(other.dimension, power)?;
        (pi.abs() <= MAX_POWER).then_some(Unit { dimension, factor, pi, si })
    }
}

/// A factor between units: a fraction in lowest terms, or a real where that does not fit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Factor {
    /// Numerator and denominator.
    Exact(i128, i128),
    /// The nearest real.
    Real(f64),
}

use Factor::{Exact, Real};

impl Factor {
    fn to_f64(self) -> f64 {
        match self {
            Exact(numerator, denominator) => numerator as f64 / denominator as f64,
            Real(number) => number,
        }
    }

    /// The product; none if it is no ordinary number.
    fn times(self, other: Factor) -> Option<Factor> {
        if let (Exact(a, b), Exact(c, d)) = (self, other)
            && let Some(product) = multiplied((a, b), (c, d))
        {
            return Some(Exact(product.0, product.1));
        }
        let product = self.to_f64() * other.to_f64();
        product.is_normal().then_some(Real(product))
    }

    fn power(self, power: i32) -> Factor {
        let size = power.unsigned_abs();
        if let Exact(a, b) = self
            && let (Some(a), Some(b)) = (a.checked_pow(size), b.checked_pow(size))
        {
            return if power < 0 { Exact(b, a) } else { Exact(a, b) };
        }
        Real(powi(self.to_f64(), power))
    }
}

/// Product of two fractions in lowest terms; none if it does not fit.
fn multiplied(a: (i128, i128), b: (i128, i128)) -> Option<(i128, i128)> {
    let (one, other) = (gcd(a.0, b.1), gcd(b.0, a.1));
    let numerator = (a.0 / one).checked_mul(b.0 / other)?;
    Some((numerator, (a.1 / other).checked_mul(b.1 / one)?))
}

/// Greatest common divisor; one where both are zero.
fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.unsigned_abs(), b.unsigned_abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    i128::try_from(a).unwrap_or(1).max(1)
}

/// Reads a unit.
pub fn parse(text: &str) -> Result<Unit, UnitError> {
    if text.len() > MAX_TEXT {
        return Err(UnitFault::Long(text.len()).at(0..text.len()));
    }
    let mut reader = Reader { text, at: 0 };
    let unit = reader.product()?;
    match reader.peek() {
        None => Ok(unit),
        Some(_) => Err(reader.unexpected()),
    }
}

/// Reads a unit expression; the limit on its length bounds the depth of parentheses.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    /// The next character that is not blank.
    fn peek(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        self.at = self.text.len() - rest.trim_start().len();
        self.text[self.at..].chars().next()
    }

    /// The characters from here for which `keep` holds.
    fn take(&mut self, keep: impl Fn(char) -> bool) -> &'t str {
        let start = self.at;
        let rest = &self.text[start..];
        self.at += rest.find(|c| !keep(c)).unwrap_or(rest.len());
        &self.text[start..self.at]
    }

    fn unexpected(&mut self) -> UnitError {
        let Some(c) = self.peek() else {
            return UnitFault::End.at(self.at..self.at);
        };
        UnitFault::Unexpected(c).at(self.at..self.at + c.len_utf8())
    }

    fn too_large(&self, start: usize) -> UnitError {
        UnitFault::Range.at(start..self.at)
    }

    fn product(&mut self) -> Result<Unit, UnitError> {
        let start = self.at;
        let mut unit = self.factor()?;
        let mut divided = false;
        loop {
            let power = match self.peek() {
                None | Some(')') => return Ok(unit),
                Some('/') => -1,
                Some(_) if divided => {
                    return Err(UnitFault::Ambiguous.at(self.at..self.text.len()));
                }
                Some(_) => 1,
            };
            divided |= power < 0;
            if let Some(sign @ ('/' | '*' | '·' | '⋅')) = self.peek() {
                self.at += sign.len_utf8();
            }
            let factor = self.factor()?;
            unit = unit.times(&factor, power).ok_or_else(|| self.too_large(start))?;
        }
    }

    /// A symbol, a one or a unit in parentheses, with its power.
    fn factor(&mut self) -> Result<Unit, UnitError> {
        let c = self.peek();
        let start = self.at;
        let unit = match c {
            Some('(') => {
                self.at += 1;
                let unit = self.product()?;
                if self.peek() != Some(')') {
                    return Err(UnitFault::Open.at(start..start + 1));
                }
                self.at += 1;
                unit
            }
            Some('1') => {
                self.at += 1;
                if self.text[self.at..].starts_with(|c: char| c.is_ascii_digit() || c == '.') {
                    self.at -= 1;
                    return Err(self.unexpected());
                }
                Unit::ONE
            }
            Some(c) if starts_unit(c) => {
                let symbol = self.take(|c| starts_unit(c) || c.is_ascii_digit() || c == '_');
                find(symbol).ok_or_else(|| {
                    UnitFault::Unknown(symbol.to_owned()).at(start..start + symbol.len())
                })?
            }
            _ => return Err(self.unexpected()),
        };
        let Some(power) = self.power()? else { return Ok(unit) };
        Unit::ONE.times(&unit, power).ok_or_else(|| self.too_large(start))
    }

    /// The power behind a factor, if there is one.
    fn power(&mut self) -> Result<Option<i32>, UnitError> {
        let start = self.at;
        let digits = if let Some('^') = self.peek() {
            self.at += 1;
            self.peek();
            let sign = self.take(|c| c == '-').to_owned();
            sign + self.take(|c| c.is_ascii_digit())
        } else {
            self.at = start;
            let raised = |c: char| SUPERSCRIPTS.iter().find(|(high, _)| *high == c);
            let high = self.take(|c| raised(c).is_some()).to_owned();
            if high.is_empty() {
                return Ok(None);
            }
            high.chars().filter_map(raised).map(|(_, plain)| *plain).collect()
        };
        match digits.parse().ok().filter(|power: &i32| power.unsigned_abs() <= MAX_POWER as u32) {
            Some(power) => Ok(Some(power)),
            None => Err(UnitFault::Power.at(start..self.at)),
        }
    }
}

const SUPERSCRIPTS: &[(char, char)] = &[
    ('⁻', '-'),
    ('⁰', '0'),
    ('¹', '1'),
    ('²', '2'),
    ('³', '3'),
    ('⁴', '4'),
    ('⁵', '5'),
    ('⁶', '6'),
    ('⁷', '7'),
    ('⁸', '8'),
    ('⁹', '9'),
];

/// Returns `true` if a symbol of a unit can begin with this character.
fn starts_unit(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '%' | '°')
}

/// The unit of a symbol, which may have a prefix.
fn find(symbol: &str) -> Option<Unit> {
    let plain = |symbol: &str, prefixed: bool| -> Option<Unit> {
        let own = |one: &&table::Coherent| one.symbol == symbol && (one.prefixed || !prefixed);
        if let Some(one) = COHERENT.iter().find(own) {
            let si = vec![(one.symbol, 1)];
            return Some(Unit { dimension: one.dimension, si, ..Unit::ONE });
        }
        let own = |one: &&table::Scaled| one.symbol == symbol && (one.prefixed || !prefixed);
        let one = SCALED.iter().find(own)?;
        let factor = Exact(one.numerator, 1).times(Exact(1, one.denominator))?;
        let si = parse(one.si).ok()?;
        Some(Unit { factor, pi: i32::from(one.pi), ..si })
    };
    if let Some(unit) = plain(symbol, false) {
        return Some(unit);
    }
    PREFIXES.iter().find_map(|(prefix, power)| {
        let unit = plain(symbol.strip_prefix(prefix)?, true)?;
        unit.times(&Unit { factor: Exact(10, 1), ..Unit::ONE }, *power)
    })
}

/// The remedy for an error in a text with a unit. For a symbol that is no unit it is the nearest
/// one, which takes a look at all of them; errors therefore come without it.
pub fn remedy(text: &str, error: &UnitError) -> Option<String> {
    if !matches!(error.fault, UnitFault::Unknown(_)) {
        return error.fault.help().map(str::to_owned);
    }
    let symbol = text.get(error.span.clone())?;
    let digits = symbol.find(|c: char| c.is_ascii_digit());
    if let Some(at) = digits.filter(|&at| find(&symbol[..at]).is_some()) {
        return Some(format!("a power is written `{}^{}`", &symbol[..at], &symbol[at..]));
    }
    let word =
        |requested: &str| WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(requested));
    let all = symbols();
    let other = |known: &&String| known.bytes().zip(symbol.bytes()).filter(|(a, b)| a != b).count();
    let same = all.iter().filter(|known| known.eq_ignore_ascii_case(symbol)).min_by_key(other);
    let near = word(symbol)
        .map(|(_, unit)| *unit)
        .or(same.map(String::as_str))
        .or_else(|| nearest(symbol, all.iter().map(String::as_str)))
        .or_else(|| word(nearest(symbol, WORDS.iter().map(|(word, _)| *word))?).map(|row| row.1));
    Some(match near {
        Some(near) => format!("did you mean `{near}`?"),
        None => {
            "docs/manual/model-file.md lists the units; a product is written with `*`".to_owned()
        }
    })
}

/// Returns `true` if a place in an expression holds a unit with a number before it.
pub fn follows_number(text: &str, place: Range<usize>) -> bool {
    let (Some(before), Some(symbol)) = (text.get(..place.start), text.get(place)) else {
        return false;
    };
    before.trim_end().ends_with(|c: char| c.is_ascii_digit() || c == '.') && find(symbol).is_some()
}

/// Every symbol, those without a prefix first.
pub fn symbols() -> Vec<String> {
    let coherent = COHERENT.iter().map(|one| (one.symbol, one.prefixed));
    let all: Vec<_> = coherent.chain(SCALED.iter().map(|one| (one.symbol, one.prefixed))).collect();
    let mut found: Vec<String> = all.iter().map(|(symbol, _)| (*symbol).to_owned()).collect();
    for (symbol, _) in all.iter().filter(|(_, prefixed)| *prefixed) {
        found.extend(PREFIXES.iter().map(|(prefix, _)| format!("{prefix}{symbol}")));
    }
    found
}
