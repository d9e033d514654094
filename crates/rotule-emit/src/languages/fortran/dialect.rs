//! Expressions of Fortran, its reserved words, and the functions that it lacks.

use crate::dialect::{Dialect, EntryPlace, plain_number, unusual};
use crate::names::NameRules;
use rotule_program::ProgramOutput;
use rotule_symbolic::elementary::powi;
use rotule_symbolic::{Binary, Compare, Unary};

/// Words that a statement may begin with, and the intrinsic functions that generated code calls.
/// Fortran reserves none, but people like to read what they know.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "abs", "abstract", "acos", "aint", "allocatable", "allocate", "asin", "assign", "associate", "atan",
    "atan2", "backspace", "bind", "block", "call", "case", "character", "class", "close", "common",
    "complex", "contains", "continue", "cos", "critical", "cycle", "data", "deallocate",
    "dimension", "do", "double", "dp", "elemental", "else", "elseif", "end", "enddo", "endif",
    "entry", "enum", "equal_of", "equivalence", "exit", "exp", "external", "final", "floor_of",
    "flush", "forall", "format", "function", "generic", "go", "goto", "if", "ieee_is_nan",
    "ieee_positive_inf", "ieee_quiet_nan", "ieee_value", "implicit", "import", "include", "inquire",
    "int", "integer", "intent", "interface", "intrinsic", "log", "logical", "max", "max_of",
    "merge", "min", "min_of", "module", "namelist", "none", "nullify", "only", "open", "operator",
    "optional", "parameter", "pointer", "precision", "print", "private", "procedure", "program",
    "protected", "public", "pure", "read", "real", "real64", "recursive", "result", "return",
    "rewind", "save", "scale", "select", "sequence", "show", "sign", "sign_of", "sin", "sqrt",
    "stop", "submodule", "subroutine", "sync", "tan", "target", "then", "type", "use", "value",
    "volatile", "wait", "where", "while", "write",
];

/// Expressions of Fortran. Names leave room for `_externals` and for the numbers of chunks.
pub const DIALECT: Dialect = Dialect {
    fewest: crate::dialect::FEWEST,
    taken: &[],
    rules: NameRules { reserved: RESERVED, fold_case: true, longest: 52 },
    number,
    unary: |function, x| match function {
        // Its own `floor` gives an integer, which large numbers overflow.
        Unary::Sign | Unary::Floor => format!("{}_of({x})", function.name()),
        _ => format!("{}({x})", function.name()),
    },
    binary: |function, x, y| match function {
        Binary::Min => format!("min_of({x}, {y})"),
        Binary::Max => format!("max_of({x}, {y})"),
        Binary::Atan2 => format!("atan2({x}, {y})"),
        Binary::Pow => format!("(({x})**({y}))"),
    },
    select,
    element: |array, index| format!("{array}({})", index + 1),
    entry,
};

fn number(x: f64) -> String {
    let infinity = "ieee_value(0.0_dp, ieee_positive_inf)";
    unusual(x, infinity, "ieee_value(0.0_dp, ieee_quiet_nan)").unwrap_or_else(|| {
        if x != 0.0 && x.abs() < f64::MIN_POSITIVE {
            // Compilers refuse literals that are as small.
            let grown = x * powi(2.0, 200);
            return format!("{}scale({}_dp, -200)", sign(x), plain_number(grown.abs()));
        }
        format!("{}_dp", plain_number(x))
    })
}

fn sign(x: f64) -> &'static str {
    if x < 0.0 { "-" } else { "" }
}

/// Real numbers are compared for equality by a function, as compilers warn of it.
fn select(compare: Compare, [left, right, then, otherwise]: [&str; 4]) -> String {
    match compare {
        Compare::Less | Compare::LessEqual => {
            format!("merge({then}, {otherwise}, {left} {} {right})", compare.sign())
        }
        Compare::Equal => format!("merge({then}, {otherwise}, equal_of({left}, {right}))"),
        Compare::NotEqual => format!("merge({otherwise}, {then}, equal_of({left}, {right}))"),
    }
}

fn entry(name: &str, _: &ProgramOutput, place: EntryPlace) -> String {
    match (place.scalar, place.matrix) {
        (true, _) => name.to_owned(),
        (_, true) => format!("{name}({}, {})", place.row + 1, place.column + 1),
        _ => format!("{name}({})", place.row + 1),
    }
}

/// Functions that Fortran has not, or not with our treatment of NaN. Only those that are called are
/// written.
pub const HELPERS: &[(&str, &str)] = &[
    (
        "sign_of(",
        "! The sign of a number: zero has none, and what is no number stays so.
elemental function sign_of(x) result(z)
  real(dp), intent(in) :: x
  real(dp) :: z

  if (x > 0.0_dp) then
    z = 1.0_dp
  else if (x < 0.0_dp) then
    z = -1.0_dp
  else if (ieee_is_nan(x)) then
    z = x
  else
    z = 0.0_dp
  end if
end function sign_of",
    ),
    (
        "floor_of(",
        "! The largest whole number that is not above another.
elemental function floor_of(x) result(z)
  real(dp), intent(in) :: x
  real(dp) :: z

  z = aint(x)
  if (z > x) z = z - 1.0_dp
end function floor_of",
    ),
    (
        "min_of(",
        "! The smaller of two numbers, and what is no number if there is any.
elemental function min_of(x, y) result(z)
  real(dp), intent(in) :: x, y
  real(dp) :: z

  z = merge(x, y, x < y .or. ieee_is_nan(x))
end function min_of",
    ),
    (
        "max_of(",
        "! The larger of two numbers, and what is no number if there is any.
elemental function max_of(x, y) result(z)
  real(dp), intent(in) :: x, y
  real(dp) :: z

  z = merge(x, y, x > y .or. ieee_is_nan(x))
end function max_of",
    ),
    (
        "equal_of(",
        "! Whether two numbers are the same.
elemental function equal_of(x, y) result(z)
  real(dp), intent(in) :: x, y
  logical :: z

  z = x <= y .and. x >= y
end function equal_of",
    ),
];

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_their_kind() {
        assert_eq!(number(1.0), "1.0_dp");
        assert_eq!(number(-2.5e-9), "-2.5e-9_dp");
        assert_eq!(number(1e300), "1e300_dp");
        assert_eq!(number(f64::NEG_INFINITY), "-ieee_value(0.0_dp, ieee_positive_inf)");
        // 2^-1074 times 2^200 is 2^-874.
        assert_eq!(number(-5e-324), format!("-scale({:?}_dp, -200)", 2.0_f64.powi(-874)));
    }
}
