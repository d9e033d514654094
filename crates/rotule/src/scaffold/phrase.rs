//! Phrases taken apart: the name before the colon, items between commas, words between blanks.
//! Brackets hold together what they enclose, so that values may have blanks and laws may have
//! arguments.

use crate::error::Error;
use rotule_formalism::Problem;
use rotule_model::build::Value;
use rotule_model::units;
use rotule_symbolic::likely;

/// A phrase in parts: `NAME: item, item`.
pub struct Phrase<'t> {
    /// The name, if there is one.
    pub name: Option<&'t str>,
    /// The items, without the blanks around them.
    pub items: Vec<&'t str>,
}

impl<'t> Phrase<'t> {
    /// Takes a phrase apart.
    pub fn read(text: &'t str) -> Phrase<'t> {
        let (name, rest) = named(text);
        let items = split(rest, |c| c == ',').into_iter().map(str::trim).collect();
        Phrase { name, items }
    }
}

/// The name before a colon and what follows it.
pub fn named(text: &str) -> (Option<&str>, &str) {
    match text.split_once(':') {
        Some((name, rest)) => (Some(name.trim()), rest.trim()),
        None => (None, text.trim()),
    }
}

/// The parts of a text between separators that no bracket holds.
pub fn split(text: &str, separates: impl Fn(char) -> bool) -> Vec<&str> {
    let mut depth = 0_usize;
    text.split(|c: char| {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && separates(c)
    })
    .collect()
}

/// The words of an item.
pub fn words(item: &str) -> Vec<&str> {
    split(item, char::is_whitespace).into_iter().filter(|word| !word.is_empty()).collect()
}

/// The first word of an item and the rest.
pub fn keyword(item: &str) -> (&str, &str) {
    item.split_once(char::is_whitespace).map_or((item, ""), |(word, rest)| (word, rest.trim()))
}

/// `NAME = VALUE` in its two parts.
pub fn assignment<'t>(text: &'t str, example: &str) -> Result<(&'t str, &'t str), Error> {
    match text.split_once('=') {
        Some((name, rest)) if !name.trim().is_empty() => Ok((name.trim(), rest.trim())),
        _ => {
            let message = format!("missing `=` in `{}`", shown(text));
            Err(request(message, format!("write it as `{example}`")))
        }
    }
}

/// A number, an expression, or a number with its unit, whose blank may be left out.
pub fn value(text: &str) -> Value {
    let text = text.trim();
    let literal =
        text.trim_start_matches(['+', '-']).starts_with(|c: char| c.is_ascii_digit() || c == '.');
    match text.parse::<f64>() {
        Ok(number) if literal && number.is_finite() => Value::Number(number),
        _ => Value::Expression(units::glued(text).unwrap_or_else(|| text.to_owned())),
    }
}

/// One value behind a keyword.
pub fn one(word: &str, rest: &str) -> Result<Value, Error> {
    quantity(word, rest).map(value)
}

/// The value behind a keyword; what stands behind its number must be a unit.
pub fn quantity<'t>(word: &str, rest: &'t str) -> Result<&'t str, Error> {
    with_unit(word, required(word, rest)?)
}

/// A value whose unit, if it has one, exists.
pub fn with_unit<'t>(word: &str, text: &'t str) -> Result<&'t str, Error> {
    match units::amount(text) {
        Some(Err(fault)) => {
            let help = units::remedy(text, &fault).unwrap_or_default();
            Err(request(format!("`{word}`: {fault}"), help))
        }
        _ => Ok(text),
    }
}

/// The value behind a keyword, which must not be empty.
pub fn required<'t>(word: &str, rest: &'t str) -> Result<&'t str, Error> {
    match rest.trim() {
        "" => Err(request(format!("missing value of `{word}`"), format!("write `{word} VALUE`"))),
        text => Ok(text),
    }
}

/// The entries of a list: `[a, b, c]`, or words.
pub fn list(text: &str) -> Vec<&str> {
    let text = text.trim();
    // The brackets must belong together: `[a][b]` is no list.
    let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
    let inner = inner.filter(|_| words(text).len() == 1);
    let entries = match inner {
        Some(inner) => split(inner, |c| c == ','),
        None if split(text, |c| c == ',').len() > 1 => split(text, |c| c == ','),
        None => words(text),
    };
    entries.into_iter().map(str::trim).collect()
}

/// Three values behind a keyword: `X Y Z` or `[X, Y, Z]`.
pub fn vector(word: &str, rest: &str) -> Result<[Value; 3], Error> {
    texts(word, rest).map(|texts| texts.map(value))
}

/// Three texts behind a keyword.
pub fn texts<'t>(word: &str, rest: &'t str) -> Result<[&'t str; 3], Error> {
    let entries = list(rest);
    match <[&str; 3]>::try_from(entries) {
        Ok(texts) if texts.iter().all(|text| !text.is_empty()) => Ok(texts),
        Ok(_) => Err(request(
            format!("`{word}` has an empty component"),
            "write three values X Y Z, or [X, Y, Z]",
        )),
        Err(entries) => Err(request(
            format!("`{word}` takes 3 values, found {}", entries.len()),
            "write three values X Y Z, or [X, Y, Z] where values have blanks",
        )),
    }
}

/// An item that no phrase of this kind has.
pub fn unknown(word: &str, known: &[&str]) -> Error {
    request(format!("`{}` is not known here", shown(word)), likely(word, known.iter().copied()))
}

/// A name that an element can have; the loader knows what else speaks against it.
pub fn name<'t>(what: &str, text: &'t str) -> Result<&'t str, Error> {
    let plain = text.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain && text.starts_with(|c: char| !c.is_numeric()) {
        return Ok(text);
    }
    let help = "a name begins with a letter or `_` and goes on with letters, digits and `_`";
    Err(request(format!("a {what} cannot have the name `{}`", shown(text)), help))
}

/// An error of a request.
pub fn request(message: impl Into<String>, help: impl Into<String>) -> Error {
    Error::Request(Problem::new(message, help))
}

/// A text as messages quote it.
pub fn shown(text: &str) -> String {
    const LONGEST: usize = 80;
    let short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_hold_together() {
        let phrase =
            Phrase::read("upper: ground revolute [0, 1, 1] q, mass 2 kg, effort if(q > 0, 1, 2)");
        assert_eq!(phrase.name, Some("upper"));
        assert_eq!(
            phrase.items,
            ["ground revolute [0, 1, 1] q", "mass 2 kg", "effort if(q > 0, 1, 2)"]
        );
        assert_eq!(words(phrase.items[0]), ["ground", "revolute", "[0, 1, 1]", "q"]);
        assert_eq!(list("[500 mm, 0, -l]"), ["500 mm", "0", "-l"]);
        assert_eq!(list("500 mm, 0, -l"), ["500 mm", "0", "-l"]);
        assert_eq!(list("l/2 0 0"), ["l/2", "0", "0"]);
    }

    #[test]
    fn numbers_are_numbers_and_all_else_is_an_expression() {
        for (text, number) in
            [("2", Some(2.0)), ("-1.5e3", Some(-1500.0)), (".5", Some(0.5)), ("+3", Some(3.0))]
        {
            assert_eq!(value(text), number.map_or_else(|| Value::from(text), Value::Number));
        }
        for text in ["nan", "inf", "-infinity", "l/2", "2 m", "1e999", "", "e", "-", "--1"] {
            assert_eq!(value(text), Value::from(text));
        }
        assert_eq!(value("500mm"), Value::from("500 mm"));
    }
}
