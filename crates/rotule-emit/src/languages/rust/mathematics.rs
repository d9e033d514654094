//! The functions that expressions call in Rust, and where they come from.

use super::super::classes::Called;
use crate::layout::LineText;
use crate::listing::PackageListing;
use rotule_symbolic::{Binary, Unary};

/// The name of a function of one argument.
pub fn unary_name(function: Unary) -> &'static str {
    match function {
        Unary::Log => "ln",
        _ => function.name(),
    }
}

/// The name of a function of two arguments.
pub fn binary_name(function: Binary) -> &'static str {
    match function {
        Binary::Pow => "powf",
        _ => function.name(),
    }
}

/// Functions that neither `std` nor `libm` has with our treatment of zero and NaN.
const SIGN: &str = "/// 1, -1 or 0; a NaN stays one.
#[inline]
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else if x == 0.0 {
        0.0
    } else {
        x
    }
}";
const MIN: &str = "/// The smaller of two, or NaN.
#[inline]
fn min(x: f64, y: f64) -> f64 {
    if x < y || x.is_nan() { x } else { y }
}";
const MAX: &str = "/// The larger of two, or NaN.
#[inline]
fn max(x: f64, y: f64) -> f64 {
    if x > y || x.is_nan() { x } else { y }
}";

/// The functions that expressions call, from `std` or from `libm`.
pub fn mathematics(text: &mut LineText, model: &PackageListing<'_>) {
    let called = Called::of(model);
    let mut found: Vec<(&str, &str, bool)> = Vec::new();
    for function in Unary::ALL {
        let libm = match function {
            Unary::Sign => continue,
            Unary::Abs => "fabs",
            _ => function.name(),
        };
        if called.unary(function) {
            found.push((unary_name(function), libm, false));
        }
    }
    for function in [Binary::Atan2, Binary::Pow] {
        if called.binary(function) {
            found.push((binary_name(function), function.name(), true));
        }
    }
    if !found.is_empty() {
        found.sort_unstable();
        let names: Vec<&str> = found.iter().map(|&(name, ..)| name).collect();
        let imports: Vec<String> = found
            .iter()
            .map(|&(name, libm, _)| match name == libm {
                true => name.to_owned(),
                false => format!("{libm} as {name}"),
            })
            .collect();
        text.line("");
        text.line(&format!("use self::math::{};", braced(&names)));
        text.line("");
        text.line("/// What `core` lacks, for a crate without `std`.");
        text.line("#[cfg(feature = \"libm\")]");
        text.line("mod math {");
        let imports: Vec<&str> = imports.iter().map(String::as_str).collect();
        text.line(&format!("    pub use libm::{};", braced(&imports)));
        text.line("}");
        text.line("");
        text.line("/// What `core` lacks, from `std`.");
        text.line("#[cfg(not(feature = \"libm\"))]");
        text.line("mod math {");
        text.depth += 1;
        for (at, (name, _, two)) in found.iter().enumerate() {
            if at > 0 {
                text.line("");
            }
            let (takes, gives) = if *two { ("x: f64, y: f64", "y") } else { ("x: f64", "") };
            text.line("#[inline]");
            text.line(&format!("pub fn {name}({takes}) -> f64 {{"));
            text.line(&format!("    x.{name}({gives})"));
            text.line("}");
        }
        text.depth -= 1;
        text.line("}");
    }
    let own = [
        (called.unary(Unary::Sign), SIGN),
        (called.binary(Binary::Min), MIN),
        (called.binary(Binary::Max), MAX),
    ];
    for (_, helper) in own.iter().filter(|(called, _)| *called) {
        text.line("");
        text.lines(helper);
    }
}

fn braced(names: &[&str]) -> String {
    match names {
        [name] => (*name).to_owned(),
        _ => format!("{{{}}}", names.join(", ")),
    }
}
