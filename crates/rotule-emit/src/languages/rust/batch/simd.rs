//! The text in front of batches in Rust: the type of a pack of states, and what is done with packs.
//!
//! All of it is loops over the lanes, without branches where there can be none, so that the
//! compiler finds vectors.

use super::super::simd_sincos::kernel;
use crate::layout::LineText;
use crate::listing::{Listing, PackageListing};
use rotule_symbolic::sincos::LARGEST;

/// Errors that a caller may get.
const ERROR: &str = r#"
/// Why a batch is not as it should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BatchError {
    /// An array has not the length that the states need. Nothing has been computed.
    Length {
        /// The name of the array.
        array: &'static str,
        /// Number of values that it needs.
        needed: usize,
        /// Number of numbers.
        found: usize,
    },
    /// Iterations ended before they converged. All outputs have been written nevertheless.
    NotConverged {
        /// Number that did not converge, of all states.
        failures: u64,
    },
}

impl BatchError {
    fn check(failures: u64) -> Result<(), BatchError> {
        if failures == 0 { Ok(()) } else { Err(BatchError::NotConverged { failures }) }
    }
}

impl core::fmt::Display for BatchError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            BatchError::Length { array, needed, found } => {
                write!(f, "`{array}` has {found} numbers, but the states need {needed}")
            }
            BatchError::NotConverged { failures } => {
                write!(f, "{failures} iterations did not converge")
            }
        }
    }
}

impl core::error::Error for BatchError {}

fn check_of(array: &'static str, found: usize, each: usize, count: usize) -> Result<(), BatchError> {
    if each.checked_mul(count) == Some(found) {
        return Ok(());
    }
    Err(BatchError::Length { array, needed: each.saturating_mul(count), found })
}"#;

/// The type and its operators.
const PACK: &str = "
/// A number of each of several states.
#[derive(Clone, Copy)]
struct Pack([f64; WIDTH]);

/// A choice for each of several states.
type Mask = [bool; WIDTH];

impl core::ops::Neg for Pack {
    type Output = Pack;
    #[inline(always)]
    fn neg(self) -> Pack {
        each_of(|x| -x, self)
    }
}

impl core::ops::AddAssign for Pack {
    #[inline(always)]
    fn add_assign(&mut self, other: Pack) {
        *self = *self + other;
    }
}";

/// Operations without an operator.
const HELPERS: &str = "
#[inline(always)]
fn all_of(x: f64) -> Pack {
    Pack([x; WIDTH])
}

#[inline(always)]
fn each_of(f: impl Fn(f64) -> f64, x: Pack) -> Pack {
    let mut z = x;
    for i in 0..WIDTH {
        z.0[i] = f(x.0[i]);
    }
    z
}

#[inline(always)]
fn both_of(f: impl Fn(f64, f64) -> f64, x: Pack, y: Pack) -> Pack {
    let mut z = x;
    for i in 0..WIDTH {
        z.0[i] = f(x.0[i], y.0[i]);
    }
    z
}

#[inline(always)]
fn select_of(test: impl Fn(f64, f64) -> bool, x: Pack, y: Pack, then: Pack, other: Pack) -> Pack {
    let mut z = other;
    for i in 0..WIDTH {
        z.0[i] = if test(x.0[i], y.0[i]) { then.0[i] } else { other.0[i] };
    }
    z
}

/// Number `i` of the states from `start` on. A pack that is not full is filled with the last state.
#[inline(always)]
fn load_of<const N: usize>(x: &[f64], count: usize, start: usize) -> [Pack; N] {
    let mut packs = [all_of(0.0); N];
    if count - start >= WIDTH {
        for i in 0..N {
            let at = i * count + start;
            packs[i].0.copy_from_slice(&x[at..at + WIDTH]);
        }
    } else {
        for i in 0..N {
            for lane in 0..WIDTH {
                let state = if start + lane < count { start + lane } else { count - 1 };
                packs[i].0[lane] = x[i * count + state];
            }
        }
    }
    packs
}

/// Puts number `i` of the states from `start` on where it belongs.
#[inline(always)]
fn store_of<const N: usize>(x: &mut [f64], count: usize, start: usize, packs: &[Pack; N]) {
    let lanes = if count - start >= WIDTH { WIDTH } else { count - start };
    for i in 0..N {
        let at = i * count + start;
        if lanes == WIDTH {
            x[at..at + WIDTH].copy_from_slice(&packs[i].0);
        } else {
            x[at..at + lanes].copy_from_slice(&packs[i].0[..lanes]);
        }
    }
}

/// Constants that are the same for all states.
fn spread_of<const N: usize>(x: &[f64; N]) -> [Pack; N] {
    let mut packs = [all_of(0.0); N];
    for i in 0..N {
        packs[i] = all_of(x[i]);
    }
    packs
}";

/// Functions that regions use.
const REGIONS: &str = "
#[inline(always)]
fn choose_of(which: Mask, then: Pack, other: Pack) -> Pack {
    let mut z = other;
    for i in 0..WIDTH {
        z.0[i] = if which[i] { then.0[i] } else { other.0[i] };
    }
    z
}

/// 1 where all residuals are within the tolerance, else 0.
#[inline(always)]
fn small_of(residuals: &[Pack], tolerance: Pack) -> Pack {
    let mut z = all_of(1.0);
    for residual in residuals {
        for i in 0..WIDTH {
            z.0[i] = if abs(residual.0[i]) <= tolerance.0[i] { z.0[i] } else { 0.0 };
        }
    }
    z
}

/// The lanes that go on.
#[inline(always)]
fn on_of(converged: Pack, count: Pack, limit: f64) -> Mask {
    let mut on = [false; WIDTH];
    for i in 0..WIDTH {
        on[i] = converged.0[i] == 0.0 && count.0[i] < limit;
    }
    on
}

/// Number of iterations of the first lanes that did not converge.
fn sum_of(failures: Pack, lanes: usize) -> u64 {
    failures.0.iter().take(lanes).map(|&x| x as u64).sum()
}";

/// Functions that external calls use.
const LANES: &str = "
/// Calls a function for each lane.
fn lanes_of<const A: usize, const R: usize>(
    arguments: &[Pack; A],
    mut call: impl FnMut(&[f64; A], &mut [f64; R]),
) -> [Pack; R] {
    let mut packs = [all_of(0.0); R];
    for lane in 0..WIDTH {
        let (mut given, mut found) = ([0.0; A], [0.0; R]);
        for i in 0..A {
            given[i] = arguments[i].0[lane];
        }
        call(&given, &mut found);
        for i in 0..R {
            packs[i].0[lane] = found[i];
        }
    }
    packs
}";

/// Writes what a model needs.
pub fn define(text: &mut LineText, model: &PackageListing<'_>) {
    text.lines(ERROR);
    text.lines(PACK);
    for (name, function, sign) in
        [("Add", "add", '+'), ("Sub", "sub", '-'), ("Mul", "mul", '*'), ("Div", "div", '/')]
    {
        text.lines(&format!(
            "\nimpl core::ops::{name} for Pack {{\n    type Output = Pack;\n    #[inline(always)]\n    \
             fn {function}(self, other: Pack) -> Pack {{\n        both_of(|x, y| x {sign} y, self, other)\n    }}\n}}"
        ));
    }
    text.lines(HELPERS);
    if model.functions.iter().any(Listing::iterates) {
        text.lines(REGIONS);
    }
    if !model.externals.is_empty() {
        text.lines(LANES);
    }
    if model.functions.iter().any(Listing::has_simd_sincos) {
        sincos(text);
    }
}

fn sincos(text: &mut LineText) {
    text.lines(&format!(
        "\n/// Sines and cosines, below one unit in the last place; beyond {LARGEST:?} by the library.\n\
         fn sincos_of<const N: usize>(angles: &[Pack; N]) -> ([Pack; N], [Pack; N]) {{"
    ));
    text.depth += 1;
    text.lines(
        "let (mut sines, mut cosines) = ([all_of(0.0); N], [all_of(0.0); N]);\n\
         let mut size = [0.0; WIDTH];\n\
         for at in 0..N {\n    for i in 0..WIDTH {",
    );
    text.depth += 2;
    text.line("let x = angles[at].0[i];");
    kernel().iter().for_each(|line| text.line(line));
    text.lines("(sines[at].0[i], cosines[at].0[i]) = (sine, cosine);\nsize[i] += abs(x);");
    text.depth -= 2;
    text.lines("    }\n}");
    text.line("// What is no number fails every comparison.");
    text.line(&format!("if !size.iter().all(|&size| size <= {LARGEST:?}) {{"));
    text.lines(
        "    for at in 0..N {\n        for i in 0..WIDTH {\n            let x = angles[at].0[i];",
    );
    text.line(&format!("            if !(abs(x) <= {LARGEST:?}) {{"));
    text.lines(
        "                (sines[at].0[i], cosines[at].0[i]) = (sin(x), cos(x));\n            }\n        }\n    }\n}",
    );
    text.line("(sines, cosines)");
    text.depth -= 1;
    text.line("}");
}
