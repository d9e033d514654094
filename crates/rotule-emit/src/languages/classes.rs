//! Languages with types and methods: the name of a model's type, and the functions that are called.

use crate::listing::PackageListing;
use rotule_program::{Operation, Step, all_steps};
use rotule_symbolic::{Binary, Unary};

/// An identifier as the name of a type: `double_pendulum` is `DoublePendulum`. One that is taken
/// gets `PackageListing` behind.
pub fn type_name(prefix: &str, taken: &[&str]) -> String {
    let mut name = String::with_capacity(prefix.len());
    for word in prefix.split('_') {
        let mut letters = word.chars();
        // Two numbers would run into one.
        let digits = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        if digits(name.chars().last()) && digits(word.chars().next()) {
            name.push('_');
        }
        name.extend(letters.next().map(|first| first.to_ascii_uppercase()));
        name.push_str(letters.as_str());
    }
    if taken.contains(&name.as_str()) {
        name.push_str("Model");
    }
    name
}

/// A text with a capital letter in front and a full stop behind.
pub fn sentence(about: &str) -> String {
    let mut letters = about.chars();
    let first: String =
        letters.next().map(|first| first.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// The functions that the expressions of a model call, in a fixed order.
pub struct Called {
    unary: [bool; Unary::ALL.len()],
    binary: [bool; Binary::ALL.len()],
}

impl Called {
    /// The functions that a model calls.
    pub fn of(model: &PackageListing<'_>) -> Called {
        let mut called =
            Called { unary: [false; Unary::ALL.len()], binary: [false; Binary::ALL.len()] };
        for function in &model.functions {
            let program = &function.part.program;
            for step in all_steps(program) {
                let Step::Statement(value) = step else { continue };
                match program.operation(value) {
                    Operation::Unary(one, _) => called.unary[one as usize] = true,
                    Operation::Binary(one, ..) => called.binary[one as usize] = true,
                    _ => {}
                }
            }
            // The test of a region for convergence takes absolute values.
            called.unary[Unary::Abs as usize] |= function.iterates();
            // Angles that are too large for a pack go to the library.
            if function.has_simd_sincos() {
                for one in [Unary::Sin, Unary::Cos, Unary::Abs] {
                    called.unary[one as usize] = true;
                }
            }
        }
        called
    }

    /// Returns `true` if a function of one argument is called.
    pub fn unary(&self, function: Unary) -> bool {
        self.unary[function as usize]
    }

    /// Returns `true` if a function of two arguments is called.
    pub fn binary(&self, function: Binary) -> bool {
        self.binary[function as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::type_name;

    #[test]
    fn types_have_capital_letters() {
        let check =
            |prefix: &str, expected: &str| assert_eq!(type_name(prefix, &["Math"]), expected);
        check("double_pendulum", "DoublePendulum");
        check("puma560_p1", "Puma560P1");
        check("robot_1_2", "Robot1_2");
        check("ANYmal", "ANYmal");
        check("math", "MathModel");
        check("while_", "While");
    }
}
