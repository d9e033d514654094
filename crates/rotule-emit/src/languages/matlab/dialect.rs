//! Expressions of MATLAB and Octave, their reserved words, and the functions that they lack.

use crate::dialect::{Dialect, EntryPlace, plain_number, unusual};
use crate::names::NameRules;
use rotule_program::ProgramOutput;
use rotule_symbolic::{Binary, Compare, Unary};

/// The words of MATLAB and of Octave, and the functions that generated code calls.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "Inf", "NaN", "abs", "acos", "acos_of", "ans", "arguments", "asin", "asin_of", "atan", "atan2",
    "break", "case", "catch", "choose", "classdef", "continue", "cos", "do", "double", "else",
    "elseif", "end", "end_try_catch", "end_unwind_protect", "endfor", "endfunction", "endif",
    "endswitch", "endwhile", "enumeration", "events", "exp", "false", "floor", "for", "fprintf",
    "function", "global", "if", "isnan", "log", "log_of", "max", "max_of", "methods", "min",
    "min_of", "nargin", "nargout", "otherwise", "parfor", "persistent", "power_of", "properties",
    "return", "sign", "sin", "size", "spmd", "sqrt", "sqrt_of", "struct", "switch", "tan", "true",
    "try", "until", "unwind_protect", "unwind_protect_cleanup", "while", "zeros",
];

/// Expressions of MATLAB. Names leave room for the numbers of chunks.
pub const DIALECT: Dialect = Dialect {
    fewest: crate::dialect::FEWEST,
    taken: &[],
    rules: NameRules { reserved: RESERVED, fold_case: false, longest: 52 },
    number: |x| unusual(x, "Inf", "NaN").unwrap_or_else(|| plain_number(x)),
    unary: |function, x| match function {
        Unary::Sqrt | Unary::Log | Unary::Asin | Unary::Acos => {
            format!("{}_of({x})", function.name())
        }
        _ => format!("{}({x})", function.name()),
    },
    binary: |function, x, y| match function {
        Binary::Min => format!("min_of({x}, {y})"),
        Binary::Max => format!("max_of({x}, {y})"),
        Binary::Atan2 => format!("atan2({x}, {y})"),
        Binary::Pow => format!("power_of({x}, {y})"),
    },
    select: |compare, [left, right, then, otherwise]| {
        let sign = if compare == Compare::NotEqual { "~=" } else { compare.sign() };
        format!("choose({left} {sign} {right}, {then}, {otherwise})")
    },
    element: |array, index| format!("{array}({})", index + 1),
    entry,
};

fn entry(name: &str, _: &ProgramOutput, place: EntryPlace) -> String {
    match (place.scalar, place.matrix) {
        (true, _) => name.to_owned(),
        (_, true) => format!("{name}({}, {})", place.row + 1, place.column + 1),
        _ => format!("{name}({})", place.row + 1),
    }
}

/// Functions that MATLAB has not, or that would give complex numbers or lose a NaN. Only those that
/// are called are written.
pub const HELPERS: &[(&str, &str)] = &[
    (
        "choose(",
        "function z = choose(condition, x, y)
% The one number or the other.
if condition
    z = x;
else
    z = y;
end
end",
    ),
    (
        "min_of(",
        "function z = min_of(x, y)
% The smaller of two numbers, and NaN if there is any.
if x < y || isnan(x)
    z = x;
else
    z = y;
end
end",
    ),
    (
        "max_of(",
        "function z = max_of(x, y)
% The larger of two numbers, and NaN if there is any.
if x > y || isnan(x)
    z = x;
else
    z = y;
end
end",
    ),
    (
        "sqrt_of(",
        "function z = sqrt_of(x)
% The square root, never complex.
if x < 0
    z = NaN;
else
    z = sqrt(x);
end
end",
    ),
    (
        "log_of(",
        "function z = log_of(x)
% The natural logarithm, never complex.
if x < 0
    z = NaN;
else
    z = log(x);
end
end",
    ),
    (
        "asin_of(",
        "function z = asin_of(x)
% The arc sine, never complex.
if abs(x) > 1
    z = NaN;
else
    z = asin(x);
end
end",
    ),
    (
        "acos_of(",
        "function z = acos_of(x)
% The arc cosine, never complex.
if abs(x) > 1
    z = NaN;
else
    z = acos(x);
end
end",
    ),
    (
        "power_of(",
        "function z = power_of(x, y)
% A power, never complex.
if x < 0 && floor(y) ~= y
    z = NaN;
else
    z = x^y;
end
end",
    ),
];
