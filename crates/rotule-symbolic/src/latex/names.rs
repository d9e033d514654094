//! Names and numbers as LaTeX: `q1` is `q_{1}`, `qd1` and `q1.d` are `\dot{q}_{1}`, `omega[3].x` is
//! `\omega_{3,x}`, a word is upright.

use crate::number::Number;
use std::borrow::Cow;

pub(super) const GREEK: [&str; 36] = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "varepsilon",
    "zeta",
    "eta",
    "theta",
    "vartheta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "upsilon",
    "phi",
    "varphi",
    "chi",
    "psi",
    "omega",
    "Gamma",
    "Delta",
    "Theta",
    "Lambda",
    "Xi",
    "Sigma",
    "Upsilon",
    "Phi",
    "Psi",
    "Omega",
];

/// Greek letters as characters, with their commands.
const GREEK_LETTERS: &[(char, &str)] = &[
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "varepsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ι', "iota"),
    ('κ', "kappa"),
    ('λ', "lambda"),
    ('μ', "mu"),
    ('µ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('τ', "tau"),
    ('υ', "upsilon"),
    ('φ', "varphi"),
    ('ϕ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('Γ', "Gamma"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Λ', "Lambda"),
    ('Ξ', "Xi"),
    ('Π', "Pi"),
    ('Σ', "Sigma"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
];

/// The command of LaTeX for a Greek letter: `varphi` for `φ`.
pub fn greek(letter: char) -> Option<&'static str> {
    GREEK_LETTERS.iter().find(|(greek, _)| *greek == letter).map(|(_, command)| *command)
}

/// A name as LaTeX in math mode. Digits at the end of its first word, further words behind `.` and
/// `_`, and indices become one subscript. What cannot be split so stands upright as it is.
pub fn latex_name(name: &str) -> String {
    let (name, rate) = without_rate(name);
    let Some((head, subscripts)) = split(&name) else {
        let plain = upright(&name);
        return if rate.is_empty() { plain } else { format!("{rate}{{{plain}}}") };
    };
    let letters = head.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = &head[letters.len()..];
    let (accent, stem) = match letters {
        _ if !rate.is_empty() => (rate, letters),
        // Rates of a coordinate and of the length of a link.
        "qd" | "Zd" => ("\\dot", &letters[..1]),
        "qdd" | "Zdd" => ("\\ddot", &letters[..1]),
        _ => ("", letters),
    };
    if subscripts.is_empty()
        && accent.is_empty()
        && let Some((letter, index)) = indexed(head)
    {
        return format!("{letter}_{{{index}}}");
    }
    let mut out = word(stem);
    if !accent.is_empty() {
        out = format!("{accent}{{{out}}}");
    }
    let parts = Some(digits).filter(|d| !d.is_empty()).into_iter().chain(subscripts);
    let parts: Vec<String> = parts.map(word).collect();
    if !parts.is_empty() {
        out.push_str(&format!("_{{{}}}", parts.join(",")));
    }
    out
}

/// A letter and what reads best as its index: `c2x` and `Ixx`.
fn indexed(name: &str) -> Option<(&str, &str)> {
    let letter = name.chars().next().filter(char::is_ascii_alphabetic)?;
    let (letter, index) = name.split_at(letter.len_utf8());
    let axes = index.trim_start_matches(|c: char| c.is_ascii_digit());
    let plain = axes.bytes().all(|c| matches!(c, b'x'..=b'z'));
    (plain && (1..=2).contains(&axes.len())).then_some((letter, index))
}

/// The name without the `.d` or `.dd` of a speed or an acceleration, and the dots that stand for
/// it: `leg.d[2]` is `leg[2]` with one dot.
fn without_rate(name: &str) -> (Cow<'_, str>, &'static str) {
    for (mark, accent) in [(".dd", "\\ddot"), (".d", "\\dot")] {
        if let Some((before, after)) = name.rsplit_once(mark)
            && !before.is_empty()
            && (after.is_empty() || after.starts_with('['))
        {
            return (Cow::Owned(format!("{before}{after}")), accent);
        }
    }
    (Cow::Borrowed(name), "")
}

/// First word and subscripts of a name; none if a part is empty or holds anything but letters and
/// digits.
fn split(name: &str) -> Option<(&str, Vec<&str>)> {
    let mut parts: Vec<&str> = Vec::new();
    for fragment in name.split(['.', '_', '[']) {
        match fragment.strip_suffix(']') {
            Some(indices) => parts.extend(indices.split(',').map(str::trim)),
            None => parts.push(fragment),
        }
    }
    // `M[1].x` leaves an empty fragment nowhere; `a__b` and `_a` do.
    let plain = |part: &&str| !part.is_empty() && part.chars().all(char::is_alphanumeric);
    let starts = parts.first().is_some_and(|head| head.starts_with(char::is_alphabetic));
    if !starts || !parts.iter().all(plain) {
        return None;
    }
    let head = parts.remove(0);
    Some((head, parts))
}

/// One word: a number, a letter or a Greek letter as it is, anything longer upright.
fn word(word: &str) -> String {
    if word.bytes().all(|c| c.is_ascii_digit()) {
        return word.to_owned();
    }
    if GREEK.contains(&word) {
        return format!("\\{word}");
    }
    let mut letters = word.chars();
    // Entries of a matrix, such as `xy`, are letters, too.
    if word.len() == 2 && word.bytes().all(|c| matches!(c, b'x'..=b'z')) {
        return word.to_owned();
    }
    if let (Some(letter), None) = (letters.next(), letters.next()) {
        if letter.is_ascii_alphabetic() {
            return word.to_owned();
        }
        if let Some(command) = greek(letter) {
            return format!("\\{command}");
        }
    }
    upright(word)
}

/// Any text as upright letters in math mode, with everything special escaped.
pub fn latex_word(text: &str) -> String {
    word(text)
}

/// Upright text with everything special escaped.
fn upright(text: &str) -> String {
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '_' | '{' | '}' | '$' | '&' | '#' | '%' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '\\' => escaped.push_str("\\backslash{}"),
            '^' => escaped.push_str("\\hat{}"),
            '~' => escaped.push_str("\\sim{}"),
            ' ' => escaped.push_str("\\ "),
            c => escaped.push(c),
        }
    }
    // Accented letters exist in text only.
    let command = if text.is_ascii() { "mathrm" } else { "text" };
    format!("\\{command}{{{escaped}}}")
}

/// A number that is not negative: a fraction stands in a line if `inline`.
pub(super) fn number(number: Number, inline: bool) -> String {
    match number.without_rounding() {
        Number::Rational { numerator, denominator: 1 } => numerator.to_string(),
        Number::Rational { numerator, denominator } if inline => {
            format!("{numerator}/{denominator}")
        }
        Number::Rational { numerator, denominator } => {
            format!("\\frac{{{numerator}}}{{{denominator}}}")
        }
        Number::Real(x) if x.is_nan() => "\\mathrm{NaN}".into(),
        Number::Real(x) if x.is_infinite() => "\\infty".into(),
        Number::Real(x) => match format!("{x:?}").split_once('e') {
            None => format!("{x:?}"),
            Some(("1" | "1.0", exponent)) => format!("10^{{{exponent}}}"),
            Some((mantissa, exponent)) => format!("{mantissa} \\times 10^{{{exponent}}}"),
        },
    }
}
