//! The table of units: everything that a unit expression may name, as data.
//!
//! Factors are exact: the inch, the pound and the standard gravity are defined in decimals of SI
//! units (NIST SP 811, 2008, appendix B), so that a converted value is the double nearest to the
//! exact one.

use super::Dimension;

/// A unit that equals one in SI numbers.
pub(super) struct Coherent {
    /// Its symbol.
    pub symbol: &'static str,
    /// Its dimension.
    pub dimension: Dimension,
    /// `true` if prefixes such as `m` and `k` may stand before it.
    pub prefixed: bool,
}

const fn coherent(symbol: &'static str, exponents: [i8; 8]) -> Coherent {
    Coherent { symbol, dimension: Dimension(exponents), prefixed: true }
}

/// The units of SI, with exponents of metre, kilogram, second, radian, ampere, kelvin, mole and
/// candela.
pub(super) const COHERENT: &[Coherent] = &[
    coherent("m", [1, 0, 0, 0, 0, 0, 0, 0]),
    Coherent { symbol: "kg", dimension: Dimension([0, 1, 0, 0, 0, 0, 0, 0]), prefixed: false },
    coherent("s", [0, 0, 1, 0, 0, 0, 0, 0]),
    coherent("rad", [0, 0, 0, 1, 0, 0, 0, 0]),
    coherent("A", [0, 0, 0, 0, 1, 0, 0, 0]),
    coherent("K", [0, 0, 0, 0, 0, 1, 0, 0]),
    coherent("mol", [0, 0, 0, 0, 0, 0, 1, 0]),
    coherent("cd", [0, 0, 0, 0, 0, 0, 0, 1]),
    coherent("Hz", [0, 0, -1, 0, 0, 0, 0, 0]),
    coherent("N", [1, 1, -2, 0, 0, 0, 0, 0]),
    coherent("Pa", [-1, 1, -2, 0, 0, 0, 0, 0]),
    coherent("J", [2, 1, -2, 0, 0, 0, 0, 0]),
    coherent("W", [2, 1, -3, 0, 0, 0, 0, 0]),
    coherent("C", [0, 0, 1, 0, 1, 0, 0, 0]),
    coherent("V", [2, 1, -3, 0, -1, 0, 0, 0]),
    coherent("ohm", [2, 1, -3, 0, -2, 0, 0, 0]),
    coherent("Ω", [2, 1, -3, 0, -2, 0, 0, 0]),
    coherent("S", [-2, -1, 3, 0, 2, 0, 0, 0]),
    coherent("F", [-2, -1, 4, 0, 2, 0, 0, 0]),
    coherent("Wb", [2, 1, -2, 0, -1, 0, 0, 0]),
    coherent("T", [0, 1, -2, 0, -1, 0, 0, 0]),
    coherent("H", [2, 1, -2, 0, -2, 0, 0, 0]),
];

/// A unit that differs from SI by a factor `numerator/denominator * pi^pi`.
pub(super) struct Scaled {
    /// Its symbol.
    pub symbol: &'static str,
    /// The coherent unit expression it is measured in.
    pub si: &'static str,
    /// Numerator of the factor.
    pub numerator: i128,
    /// Denominator of the factor.
    pub denominator: i128,
    /// Power of pi in the factor.
    pub pi: i8,
    /// `true` if prefixes may stand before it.
    pub prefixed: bool,
}

const fn scaled(
    symbol: &'static str,
    (numerator, denominator): (i128, i128),
    si: &'static str,
) -> Scaled {
    Scaled { symbol, si, numerator, denominator, pi: 0, prefixed: false }
}

const fn prefixed(
    symbol: &'static str,
    (numerator, denominator): (i128, i128),
    si: &'static str,
) -> Scaled {
    Scaled { symbol, si, numerator, denominator, pi: 0, prefixed: true }
}

const fn angular(
    symbol: &'static str,
    (numerator, denominator): (i128, i128),
    si: &'static str,
) -> Scaled {
    Scaled { symbol, si, numerator, denominator, pi: 1, prefixed: false }
}

/// The other units.
pub(super) const SCALED: &[Scaled] = &[
    scaled("%", (1, 100), "1"),
    // Lengths and volumes.
    scaled("in", (254, 10_000), "m"),
    scaled("ft", (3048, 10_000), "m"),
    scaled("yd", (9144, 10_000), "m"),
    scaled("mi", (1_609_344, 1000), "m"),
    scaled("nmi", (1852, 1), "m"),
    prefixed("l", (1, 1000), "m^3"),
    prefixed("L", (1, 1000), "m^3"),
    // Masses.
    prefixed("g", (1, 1000), "kg"),
    scaled("t", (1000, 1), "kg"),
    scaled("lb", (45_359_237, 100_000_000), "kg"),
    scaled("oz", (45_359_237, 1_600_000_000), "kg"),
    scaled("slug", (44_482_216_152_605, 3_048_000_000_000), "kg"),
    // Times and speeds.
    scaled("min", (60, 1), "s"),
    scaled("h", (3600, 1), "s"),
    scaled("d", (86_400, 1), "s"),
    scaled("mph", (44_704, 100_000), "m/s"),
    // Angles and angular speeds.
    angular("deg", (1, 180), "rad"),
    angular("°", (1, 180), "rad"),
    angular("arcmin", (1, 10_800), "rad"),
    angular("arcsec", (1, 648_000), "rad"),
    angular("rev", (2, 1), "rad"),
    angular("rpm", (1, 30), "rad/s"),
    // Forces, torques, pressures, energies, powers.
    scaled("lbf", (44_482_216_152_605, 10_000_000_000_000), "N"),
    scaled("kip", (44_482_216_152_605, 10_000_000_000), "N"),
    scaled("kgf", (980_665, 100_000), "N"),
    prefixed("Nm", (1, 1), "N m"),
    prefixed("bar", (100_000, 1), "Pa"),
    scaled("atm", (101_325, 1), "Pa"),
    scaled("psi", (44_482_216_152_605, 6_451_600_000), "Pa"),
    prefixed("Wh", (3600, 1), "J"),
    scaled("hp", (74_569_987_158_227_022, 100_000_000_000_000), "W"),
];

/// Prefixes and their powers of ten. `da` stands before `d`, whose letter it begins with.
pub(super) const PREFIXES: &[(&str, i32)] = &[
    ("T", 12),
    ("G", 9),
    ("M", 6),
    ("k", 3),
    ("h", 2),
    ("da", 1),
    ("d", -1),
    ("c", -2),
    ("m", -3),
    ("u", -6),
    ("µ", -6),
    ("μ", -6),
    ("n", -9),
    ("p", -12),
    ("f", -15),
];

/// Words that people write for units, and the symbols to write instead.
pub(super) const WORDS: &[(&str, &str)] = &[
    ("meter", "m"),
    ("meters", "m"),
    ("metre", "m"),
    ("metres", "m"),
    ("millimeter", "mm"),
    ("millimeters", "mm"),
    ("millimetre", "mm"),
    ("centimeter", "cm"),
    ("centimetre", "cm"),
    ("kilometer", "km"),
    ("kilometre", "km"),
    ("micron", "um"),
    ("inch", "in"),
    ("inches", "in"),
    ("foot", "ft"),
    ("feet", "ft"),
    ("mile", "mi"),
    ("miles", "mi"),
    ("liter", "l"),
    ("litre", "l"),
    ("gram", "g"),
    ("grams", "g"),
    ("kilogram", "kg"),
    ("kilograms", "kg"),
    ("kgs", "kg"),
    ("kilo", "kg"),
    ("ton", "t"),
    ("tonne", "t"),
    ("lbs", "lb"),
    ("lbm", "lb"),
    ("pound", "lb"),
    ("pounds", "lb"),
    ("sec", "s"),
    ("secs", "s"),
    ("second", "s"),
    ("seconds", "s"),
    ("minute", "min"),
    ("minutes", "min"),
    ("hr", "h"),
    ("hour", "h"),
    ("hours", "h"),
    ("day", "d"),
    ("kmh", "km/h"),
    ("kph", "km/h"),
    ("radian", "rad"),
    ("radians", "rad"),
    ("degree", "deg"),
    ("degrees", "deg"),
    ("turn", "rev"),
    ("revs", "rev"),
    ("hertz", "Hz"),
    ("newton", "N"),
    ("newtons", "N"),
    ("pascal", "Pa"),
    ("joule", "J"),
    ("watt", "W"),
    ("volt", "V"),
    ("volts", "V"),
    ("amp", "A"),
    ("amps", "A"),
    ("ampere", "A"),
    ("ohms", "ohm"),
    ("henry", "H"),
    ("kelvin", "K"),
    ("percent", "%"),
    ("pct", "%"),
];

/// Dimensions that have a name, with a unit of each as an example. The first row of a dimension
/// counts.
pub(super) const NAMED: &[(Dimension, &str, &str)] = &[
    (Dimension::NUMBER, "a number without a dimension", "1"),
    (Dimension::LENGTH, "a length", "m"),
    (Dimension::MASS, "a mass", "kg"),
    (Dimension::TIME, "a time", "s"),
    (Dimension::ANGLE, "an angle", "rad"),
    (Dimension::FREQUENCY, "a frequency", "1/s"),
    (Dimension::VELOCITY, "a velocity", "m/s"),
    (Dimension::VELOCITY.per_time(1), "an acceleration", "m/s^2"),
    (Dimension::ANGULAR_VELOCITY, "an angular velocity", "rad/s"),
    (Dimension::ANGULAR_VELOCITY.per_time(1), "an angular acceleration", "rad/s^2"),
    (Dimension::FORCE, "a force", "N"),
    (Dimension::TORQUE, "a torque or an energy", "N m"),
    (Dimension::INERTIA, "an inertia", "kg m^2"),
    (Dimension::PITCH, "a length per angle", "m/rad"),
    (Dimension([2, 0, 0, 0, 0, 0, 0, 0]), "an area", "m^2"),
    (Dimension([3, 0, 0, 0, 0, 0, 0, 0]), "a volume", "m^3"),
    (Dimension([-3, 1, 0, 0, 0, 0, 0, 0]), "a density", "kg/m^3"),
    (Dimension([0, 1, -2, 0, 0, 0, 0, 0]), "a stiffness", "N/m"),
    (Dimension([0, 1, -1, 0, 0, 0, 0, 0]), "a damping", "N s/m"),
    (Dimension([2, 1, -2, -1, 0, 0, 0, 0]), "a torsional stiffness", "N m/rad"),
    (Dimension([2, 1, -1, -1, 0, 0, 0, 0]), "a torsional damping", "N m s/rad"),
    (Dimension([-1, 1, -2, 0, 0, 0, 0, 0]), "a pressure", "Pa"),
    (Dimension([2, 1, -3, 0, 0, 0, 0, 0]), "a power", "W"),
    (Dimension([0, 0, 0, 0, 1, 0, 0, 0]), "an electric current", "A"),
    (Dimension([2, 1, -3, 0, -1, 0, 0, 0]), "a voltage", "V"),
    (Dimension([2, 1, -3, 0, -2, 0, 0, 0]), "a resistance", "ohm"),
    (Dimension([2, 1, -2, 0, -2, 0, 0, 0]), "an inductance", "H"),
    (Dimension([0, 0, 0, 0, 0, 1, 0, 0]), "a temperature", "K"),
];
