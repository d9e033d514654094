//! Methods, and which class holds each: a method has at most 64 KiB of byte code, a class at most
//! 65535 constants.
//!
//! The numbers of expressions are constants of their class, two entries each, so that a large model
//! whose parameters are frozen does not fit into one class. Methods that nobody outside calls go to
//! nested classes then. Sizes are estimated from the text, upwards.

use crate::layout::LineText;
use crate::listing::PackageListing;
use crate::package::EmitError;
use rustc_hash::{FxHashMap, FxHashSet};

/// Largest method in bytes of code, by the estimate; Java's own limit is 65535.
const BYTES: usize = 60_000;
/// Number of values that the methods of a class may have; each takes two of 65535 constants. The
/// class itself has as many again in what others call, and names take some, too.
const NUMBERS: usize = 12_000;
/// Number of methods that a class is given.
const METHODS: usize = 1000;
/// Number of values that an array is given at once.
const SOME: usize = 1000;

/// Methods that only the class itself calls, and where each has its place.
#[derive(Default)]
pub struct Methods {
    /// Those of the class itself, then those of nested classes.
    groups: Vec<Group>,
    place: FxHashMap<String, usize>,
}

#[derive(Default)]
struct Group {
    texts: Vec<String>,
    numbers: FxHashSet<String>,
}

impl Methods {
    /// Adds a method.
    pub fn add(&mut self, name: &str, text: String) {
        let mut numbers = FxHashSet::default();
        measure(&text, &mut numbers);
        let full = |group: &Group| {
            group.texts.len() >= METHODS || group.numbers.len() + numbers.len() > NUMBERS
        };
        if self.groups.last().is_none_or(full) {
            self.groups.push(Group::default());
        }
        self.place.insert(name.to_owned(), self.groups.len() - 1);
        if let Some(group) = self.groups.last_mut() {
            group.texts.push(text);
            group.numbers.extend(numbers);
        }
    }

    /// The call of a method from the class itself.
    pub fn call(&self, name: &str) -> String {
        match self.place.get(name) {
            Some(&group) if group > 0 => format!("{}.{name}", nested(group)),
            _ => name.to_owned(),
        }
    }

    /// Writes all of them into the class.
    pub fn write(&self, text: &mut LineText) {
        for (at, group) in self.groups.iter().enumerate() {
            if at > 0 {
                text.line("");
                text.line("/** More of the same: the constants of a class are limited. */");
                text.line(&format!("private static final class {} {{", nested(at)));
                text.depth += 1;
            }
            for method in &group.texts {
                text.line("");
                // Lines have been broken already.
                for line in method.lines() {
                    if !line.is_empty() {
                        text.text.push_str(&text.unit.repeat(text.depth));
                        text.text.push_str(line);
                    }
                    text.text.push('\n');
                }
            }
            if at > 0 {
                text.depth -= 1;
                text.line("}");
            }
        }
    }
}

/// The name of a nested class. No name of a user's has two underscores.
fn nested(group: usize) -> String {
    format!("Chunks__{group}")
}

/// The bytes of code that a text makes at most, and its numbers.
fn measure(text: &str, numbers: &mut FxHashSet<String>) -> usize {
    let (mut bytes, mut before) = (0, ' ');
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
        let mut end = rest.find(|c: char| !word(c)).unwrap_or(rest.len());
        if end == 0 {
            end = first.len_utf8();
            bytes += match first {
                '?' => 8,
                '&' | '|' => 4,
                '+' | '-' | '*' | '/' | '<' | '=' | '!' => 1,
                // The index of an array and the access.
                '[' => 2,
                _ => 0,
            };
        } else {
            // The exponent of a number such as `1e-7`.
            let number = first.is_ascii_digit();
            if number && rest[..end].ends_with(['e', 'E']) && rest[end..].starts_with(['-', '+']) {
                end += 1;
                end += rest[end..].find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len() - end);
            }
            bytes += 4;
            // Small whole numbers are no constants.
            if number && (before != '[' || end >= 5) {
                numbers.insert(rest[..end].to_owned());
            }
        }
        before = first;
        rest = &rest[end..];
    }
    bytes
}

/// Checks that a method is not too long.
pub fn check_method(name: &str, text: &str) -> Result<(), EmitError> {
    let bytes = measure(text, &mut FxHashSet::default());
    if bytes > BYTES {
        return Err(EmitError::new(
            format!("`{name}` needs a Java method of about {bytes} bytes, and 65535 is the most"),
            "choose another language, or ask for smaller functions",
        ));
    }
    Ok(())
}

/// Checks that what stands in the class itself leaves room for its constants.
pub fn check_class(model: &PackageListing<'_>, text: &str) -> Result<(), EmitError> {
    let mut numbers = FxHashSet::default();
    measure(text, &mut numbers);
    if numbers.len() > NUMBERS {
        return Err(EmitError::new(
            format!(
                "`{}` needs a Java class of about {} numbers, and {NUMBERS} is the most",
                model.package.model,
                numbers.len()
            ),
            "ask for fewer functions at a time, each time with another --prefix",
        ));
    }
    Ok(())
}

/// A method that gives an array of numbers; a long one is put together of chunks.
pub fn array(text: &mut LineText, about: &str, access: &str, name: &str, numbers: &[String]) {
    let rows = |text: &mut LineText, numbers: &[String]| {
        text.depth += 1;
        for some in numbers.chunks(4) {
            text.line(&format!("{},", some.join(", ")));
        }
        text.depth -= 1;
    };
    text.line("");
    text.line(&format!("/** {about} */"));
    text.line(&format!("{access}static double[] {name}() {{"));
    text.depth += 1;
    if numbers.len() <= SOME {
        text.line("return new double[] {");
        rows(text, numbers);
        text.line("};");
        text.depth -= 1;
        return text.line("}");
    }
    text.line(&format!("final double[] all = new double[{}];", numbers.len()));
    for at in 0..numbers.len().div_ceil(SOME) {
        text.line(&format!("{name}__{}.fill(all, {});", at + 1, at * SOME));
    }
    text.line("return all;");
    text.depth -= 1;
    text.line("}");
    for (at, some) in numbers.chunks(SOME).enumerate() {
        text.line("");
        text.line(&format!("private static final class {name}__{} {{", at + 1));
        text.depth += 1;
        text.line("static void fill(double[] all, int from) {");
        text.depth += 1;
        text.line("final double[] some = {");
        rows(text, some);
        text.line("};");
        text.line("System.arraycopy(some, 0, all, from, some.length);");
        text.depth -= 1;
        text.line("}");
        text.depth -= 1;
        text.line("}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_found() {
        let mut numbers = FxHashSet::default();
        let text = "double t1 = k[12]*1.5 + x1e5*1e-7 - 2.0*k[123456] + 1e22*1.5;";
        let bytes = measure(text, &mut numbers);
        let mut found: Vec<String> = numbers.into_iter().collect();
        found.sort();
        assert_eq!(found, ["1.5", "123456", "1e-7", "1e22", "2.0"]);
        assert!(bytes >= 40, "{bytes}");
    }

    #[test]
    fn methods_that_do_not_fit_go_to_nested_classes() {
        let mut methods = Methods::default();
        for at in 0..60 {
            let numbers: Vec<String> = (0..1000).map(|k| format!("{at}.{k}1")).collect();
            methods.add(&format!("f_{at}"), numbers.join(" + "));
        }
        assert_eq!(methods.call("f_11"), "f_11");
        assert_eq!(methods.call("f_12"), "Chunks__1.f_12");
        assert_eq!(methods.call("f_59"), "Chunks__4.f_59");
    }
}
