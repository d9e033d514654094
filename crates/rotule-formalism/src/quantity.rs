//! Numbers of the command line: `0.3`, `2*pi`, or a number with its unit such as `500 mm`, all as
//! SI numbers.

use crate::Problem;
use rotule_model::Mechanism;
use rotule_model::units::{self, Dimension};
use rotule_symbolic::Graph;

/// A number that was given, and the dimension of its unit if it has one.
#[derive(Clone, Debug, PartialEq)]
pub struct GivenQuantity {
    /// The SI number.
    pub value: f64,
    unit: Option<(String, Dimension)>,
}

impl GivenQuantity {
    /// Reads a number. A problem begins with the words in `place`.
    pub fn parse(text: &str, place: &str) -> Result<GivenQuantity, Problem> {
        let text = unquoted(text.trim());
        let no_number = || {
            let help = match units::glued(text) {
                Some(text) => format!("a blank stands before a unit: \"{text}\""),
                None => "write a number such as 0.3, 2*pi or \"500 mm\"".to_owned(),
            };
            let fault = match text.is_empty() {
                true => "missing value".to_owned(),
                false => format!("`{text}` is not a number"),
            };
            Problem::new(format!("{place}: {fault}"), help)
        };
        let (value, unit) = match units::amount(text) {
            Some(Ok(amount)) => {
                (Some(amount.si()), Some((amount.text.to_owned(), amount.unit.dimension())))
            }
            Some(Err(fault)) => {
                let help = units::remedy(text, &fault).unwrap_or_default();
                return Err(Problem::new(format!("{place}: {fault}"), help));
            }
            None => (expression(text), None),
        };
        let value = value.filter(|value| value.is_finite()).ok_or_else(no_number)?;
        Ok(GivenQuantity { value, unit })
    }

    /// The number, if its unit is of the dimension of another; what has no unit takes any.
    pub fn in_unit(&self, requested: &str, name: &str, place: &str) -> Result<f64, Problem> {
        let Some((unit, dimension)) = &self.unit else { return Ok(self.value) };
        match units::parse(requested) {
            Ok(known) if known.dimension() != *dimension => Err(Problem::new(
                format!(
                    "{place}: `{unit}` is of another dimension than `{name}`, which is in `{requested}`"
                ),
                format!("give it in `{requested}`, or in another unit of this dimension"),
            )),
            // A name without a unit, or of what no unit can be written for.
            _ => Ok(self.value),
        }
    }
}

/// A text without the quotes that surround it, as a unit has them in a model file.
fn unquoted(text: &str) -> &str {
    let inner = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    inner.map_or(text, str::trim)
}

/// The value of an expression of numbers.
fn expression(text: &str) -> Option<f64> {
    let mut graph = Graph::new();
    let expr = graph.parse_known(text).ok()?;
    graph.evaluate_f64(&[expr], |_| None).ok()?.first().copied()
}

/// Reads `NAME=VALUE` of `--set`; the unit of a value must be of the dimension of the parameter's.
pub fn assignment(word: &str, mechanism: &Mechanism) -> Result<(String, f64), Problem> {
    let Some((name, value)) = word.split_once('=') else {
        return Err(Problem::new(
            format!("--set {word}: missing `=`"),
            "write NAME=VALUE, such as `m=2`",
        ));
    };
    let (name, place) = (name.trim(), format!("--set {word}"));
    let value = GivenQuantity::parse(value, &place)?;
    // A name that is no parameter is found when it is set.
    let parameter = mechanism.parameters.iter().find(|one| one.name == name);
    let unit = parameter.map_or("", |one| one.unit.as_str());
    Ok((name.to_owned(), value.in_unit(unit, name, &place)?))
}

#[cfg(test)]
mod tests {
    use super::GivenQuantity;

    #[test]
    fn quotes_around_a_number_are_those_of_a_model_file() {
        let check = |text: &str, expected: Result<f64, &str>| {
            let found = GivenQuantity::parse(text, "`l`").map(|given| given.value);
            assert_eq!(found.map_err(|problem| problem.message), expected.map_err(str::to_owned));
        };
        check("\"500 mm\"", Ok(0.5));
        check(" \" 2*4 \" ", Ok(8.0));
        check("\"500 mm", Err("`l`: `\"500 mm` is not a number"));
        check("\"", Err("`l`: `\"` is not a number"));
        check("\"\"", Err("`l`: missing value"));
    }
}
