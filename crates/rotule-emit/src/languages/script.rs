//! Languages without declarations of types: Python, JavaScript and Julia.
//!
//! They give results instead of filling arguments, quote texts alike, and hand the same arrays to
//! the functions that a stage is cut into.

use crate::header;
use crate::listing::{ExternalDeclaration, Listing, PackageListing, ResultArray, Uses};
use crate::package::{ARRAYS, ArgumentEntry, Package, array_name};
use rotule_symbolic::Kind;

/// The shape of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A number.
    Scalar,
    /// A vector.
    Vector,
    /// A matrix.
    Matrix,
}

/// The shape of an output.
pub fn form(given: &ResultArray) -> Form {
    match given {
        ResultArray { scalar: true, .. } => Form::Scalar,
        ResultArray { matrix: false, columns: 1, .. } => Form::Vector,
        _ => Form::Matrix,
    }
}

/// Returns `true` if a function gives one thing, so that no name is needed for it.
pub fn is_plain(function: &Listing<'_>) -> bool {
    function.outputs.len() == 1 && !function.body.uses().iterates
}

/// Returns `true` if regions of any `setup` may fail to converge.
pub fn setup_iterates(model: &PackageListing<'_>) -> bool {
    model.functions.iter().any(|function| function.setup.uses().iterates)
}

/// The functions that have constants.
pub fn with_constants<'a, 'b>(
    model: &'a PackageListing<'b>,
) -> impl Iterator<Item = &'a Listing<'b>> {
    model.functions.iter().filter(|function| function.constants > 0)
}

/// The arrays that any function takes, with the demo's numbers.
pub fn arrays(package: &Package) -> Vec<(&'static str, &[ArgumentEntry])> {
    let taken = |kind: &Kind| package.functions.iter().any(|part| part.inputs.contains(kind));
    let kinds = ARRAYS;
    let taken = kinds.into_iter().filter(taken);
    taken.map(|kind| (array_name(kind), package.array(kind))).collect()
}

/// The role of an argument of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An array that is read.
    Read,
    /// A number.
    Number,
    /// An array that is written.
    Written,
}

/// Arguments of a chunk, in order.
pub fn chunk_arguments(function: &Listing<'_>, uses: &Uses, setup: bool) -> Vec<(String, Role)> {
    let mut list = Vec::new();
    let mut add = |name: &str, role: Role, used: bool| {
        if used {
            list.push((name.to_owned(), role));
        }
    };
    add("parameters", Role::Read, uses.parameters);
    add("k", if setup { Role::Written } else { Role::Read }, uses.constants);
    add("t", Role::Number, uses.time);
    for (input, used) in function.inputs.iter().zip(&uses.inputs) {
        add(&input.name, Role::Read, *used);
    }
    let work = if uses.work_written { Role::Written } else { Role::Read };
    add("w", work, uses.work_written || uses.work_read);
    for (output, used) in function.outputs.iter().zip(&uses.outputs) {
        add(&output.name, Role::Written, *used);
    }
    list
}

/// The name of a chunk's function. No user's name begins with an underscore, and as the number
/// stands in front, no two functions can share one.
pub fn chunk_name(function: &Listing<'_>, number: usize, setup: bool) -> String {
    format!("_{}{number}_{}", if setup { "setup" } else { "part" }, function.name)
}

/// Returns `true` if a function is called in a text.
pub fn calls(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let before = text[..at].bytes().next_back().unwrap_or(b' ');
        let inside = before.is_ascii_alphanumeric() || before == b'_' || before == b'.';
        !inside && text[at + name.len()..].starts_with('(')
    })
}

/// Comments on an external function.
pub fn external_about(external: &ExternalDeclaration) -> Vec<String> {
    let mut lines = vec![format!(
        "External function {}, to be supplied: {} arguments, {} results.",
        header::one_line(&external.title),
        external.arguments,
        external.results
    )];
    if let Some((base, directions)) = &external.derivative_of {
        lines.push(format!(
            "The derivative of {} along {directions} directions: each argument x is followed by its",
            header::one_line(base)
        ));
        lines.push("derivatives, and so is to be each result.".to_owned());
    }
    lines
}

/// A text in double quotes. Python, JavaScript and Julia read the same escapes; `also` names
/// further letters that need a backslash.
pub fn quoted(text: &str, also: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            // These end a line in JavaScript.
            _ if letter.is_control() || matches!(letter, '\u{2028}' | '\u{2029}') => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            _ if also.contains(letter) => quoted.extend(['\\', letter]),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// An identifier as the name of a type: `mass_bias` is `MassBias`.
pub fn camel(name: &str) -> String {
    let mut camel = String::with_capacity(name.len());
    for word in name.split('_') {
        let mut letters = word.chars();
        camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        camel.extend(letters);
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_and_names_of_types_made() {
        let check = |text: &str, expected: &str| assert_eq!(quoted(text, "$"), expected);
        check("plain θ", "\"plain θ\"");
        check("a \"b\" \\ $c", "\"a \\\"b\\\" \\\\ \\$c\"");
        check("a\nb\u{2028}", "\"a\\u000ab\\u2028\"");
        assert_eq!(camel("mass_bias"), "MassBias");
        assert_eq!(camel("x3dof"), "X3dof");
    }
}
