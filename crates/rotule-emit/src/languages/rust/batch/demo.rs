//! The demo of batches in Rust: many states around the model's initial one, each compared with the
//! function of one state, all at once and in blocks that go to threads. It prints the numbers of
//! the state in the middle, which is the initial one, as the other demo does.

use super::super::{DIALECT, comment, name_of_type, setup_uses, text};
use super::{calls, is_studied};
use crate::header;
use crate::layout::LineText;
use crate::listing::{Listing, PackageListing, ResultArray};
use crate::package::{ARRAYS, array_name};

const HELPERS: &str = r#"
/// Largest distance of numbers from those of one state alone, relative to the largest.
const TOLERANCE: f64 = 1e-13;

fn show(function: &str, output: &str, columns: usize, count: usize, all: &[f64]) {
    for (at, number) in all.iter().skip(count / 2).step_by(count.max(1)).enumerate() {
        let (row, column) = (at / columns + 1, at % columns + 1);
        println!("{function} {output} {row} {column} {number:.16e}");
    }
}

/// States around one, which itself is in the middle.
fn around(count: usize, one: &[f64]) -> Vec<f64> {
    let factor = |s: usize| 1.0 + 0.001 * ((s + 7 - count / 2 % 7) % 7) as f64;
    one.iter().flat_map(|x| (0..count).map(move |s| x * factor(s))).collect()
}

fn take<const N: usize>(count: usize, s: usize, all: &[f64]) -> [f64; N] {
    let mut one = [0.0; N];
    one.iter_mut().enumerate().for_each(|(i, x)| *x = all[i * count + s]);
    one
}

fn compare(name: &str, count: usize, s: usize, all: &[f64], one: &[f64]) -> bool {
    let sizes = one.iter().map(|x| x.abs()).filter(|x| x.is_finite());
    let scale = sizes.fold(0.0, f64::max);
    let mut good = true;
    for (i, &x) in one.iter().enumerate() {
        let y = all[i * count + s];
        if !((y - x).abs() <= TOLERANCE * scale || y == x || (y.is_nan() && x.is_nan())) {
            eprintln!("{name}: state {s}, number {i}: {y:e} instead of {x:e}");
            good = false;
        }
    }
    good
}

/// Compares the end of a batch with the expected one.
fn ends(name: &str, failures: u64, found: Result<(), BatchError>) -> bool {
    let expected = match failures {
        0 => Ok(()),
        _ => Err(BatchError::NotConverged { failures }),
    };
    if found != expected {
        eprintln!("{name}: {found:?} instead of {expected:?}");
    }
    found == expected
}"#;

const FAILED: &str = "
fn failed(result: Result<(), NotConverged>) -> u64 {
    result.map_or_else(|problem| problem.failures, |()| 0)
}";

/// The text of the demo.
pub fn demo(model: &PackageListing<'_>) -> String {
    let (prefix, name) = (&model.prefix, name_of_type(model));
    let mut text = text();
    text.line(
        "//! Many states around the model's initial one, compared one by one; prints that one.",
    );
    text.line("//!");
    comment(&mut text, "//!", &header::origin(model));
    text.line("//!");
    text.line(&format!("//!     rustc -O {prefix}_batch_demo.rs -o demo && ./demo 1000"));
    text.line("");
    text.line("#![allow(clippy::approx_constant, clippy::excessive_precision)]");
    text.line("#![allow(clippy::nursery, clippy::pedantic, non_snake_case, unused_mut)]");
    text.line("");
    text.line(&format!("mod {prefix};"));
    text.line(&format!("mod {prefix}_batch;"));
    if !model.externals.is_empty() {
        text.line(&format!("mod {prefix}_externals;"));
    }
    let fails = model.functions.iter().any(Listing::iterates);
    let names = if fails { format!("{{{name}, NotConverged}}") } else { name.clone() };
    text.line("");
    text.line(&format!("use {prefix}::{names};"));
    text.line(&format!("use {prefix}_batch::BatchError;"));
    text.lines(HELPERS);
    if fails {
        text.lines(FAILED);
    }
    for function in &model.functions {
        check(&mut text, model, function);
    }
    text.line("");
    text.line("fn main() {");
    text.depth += 1;
    text.line("let count = std::env::args().nth(1).map_or(1000, |word| word.parse().expect(\"a number of states\"));");
    text.line("let mut good = true;");
    for function in &model.functions {
        text.line(&format!("good &= check_{}(count);", function.name));
    }
    text.line("std::process::exit(i32::from(!good));");
    text.depth -= 1;
    text.line("}");
    text.text
}

fn zeros(output: &ResultArray) -> String {
    match (output.scalar, output.matrix) {
        (true, _) => "0.0".to_owned(),
        (_, true) => format!("[[0.0; {}]; {}]", output.columns, output.rows),
        _ => format!("[0.0; {}]", output.rows),
    }
}

/// The function that checks one.
fn check(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>) {
    let (package, prefix, name) = (model.package, &model.prefix, &function.name);
    let kind = name_of_type(model);
    text.line("");
    text.line(&format!("fn check_{name}(count: usize) -> bool {{"));
    text.depth += 1;
    text.line("let mut good = true;");
    let mut arrays: Vec<(String, usize)> = Vec::new();
    if function.time {
        text.line(&format!("let all_t = around(count, &[{}]);", (DIALECT.number)(package.time)));
        arrays.push(("t".to_owned(), 1));
    }
    for one in ARRAYS {
        let Some(input) = function.inputs.iter().find(|input| input.kind == one) else { continue };
        let numbers: Vec<String> =
            package.array(one).iter().map(|one| (DIALECT.number)(one.value)).collect();
        let array = array_name(one);
        text.line(&format!("let all_{array} = around(count, &[{}]);", numbers.join(", ")));
        debug_assert_eq!(input.name, array, "arrays are called alike");
    }
    arrays.extend(function.inputs.iter().map(|input| (input.name.clone(), input.len)));
    for output in &function.outputs {
        let zeros = match output.len() {
            0 => "Vec::<f64>::new()".to_owned(),
            1 => "vec![0.0; count]".to_owned(),
            len => format!("vec![0.0; {len} * count]"),
        };
        text.line(&format!("let mut all_{} = {zeros};", output.name));
    }
    let setup_calls = model.has_parameters() && setup_uses(model, |uses| uses.externals);
    if calls(function, false) || setup_calls {
        text.line(&format!("let mut externals = {prefix}_externals::Stubs::default();"));
    }
    let handed = if setup_calls { ", &mut externals" } else { "" };
    let setup_fails = model.has_parameters() && setup_uses(model, |uses| uses.iterates);
    if model.has_parameters() {
        let end = if setup_fails { ".expect(\"the parameters are the model's own\")" } else { "" };
        text.line(&format!("let mut model = {kind}::new(&{kind}::PARAMETERS{handed}){end};"));
    }
    let given = |study: bool, count: &str| {
        let mut given = Vec::new();
        if calls(function, study) {
            given.push("&mut externals".to_owned());
        }
        given.push(count.to_owned());
        if study {
            given.push("&all_parameters".to_owned());
        }
        given.extend(arrays.iter().map(|(array, _)| format!("&all_{array}")));
        given.extend(function.outputs.iter().map(|output| format!("&mut all_{}", output.name)));
        given.join(", ")
    };
    let path = if model.has_parameters() { "model.".to_owned() } else { format!("{kind}::") };
    text.line(&format!("let found = {path}{name}_batch({});", given(false, "count")));
    each(text, model, function, &arrays, None);
    for (output, named) in function.part.program.outputs().iter().zip(&function.outputs) {
        text.line(&format!(
            "show({name:?}, {:?}, {}, count, &all_{});",
            output.name,
            named.columns.max(1),
            named.name
        ));
    }
    if function.outputs.iter().any(|output| !output.is_empty()) {
        let call = format!("{path}{name}_batch({})", given(false, "count + 1"));
        text.line(&format!("good &= matches!({call}, Err(BatchError::Length {{ .. }}));"));
    }
    if is_studied(model, function) {
        text.line(&format!("let all_parameters = around(count, &{kind}::PARAMETERS);"));
        text.line(&format!("let found = {kind}::{name}_study({});", given(true, "count")));
        let setup = format!("(&take(count, s, &all_parameters){handed})");
        each(text, model, function, &arrays, Some((&setup, setup_fails)));
    }
    text.line("good");
    text.depth -= 1;
    text.line("}");
}

/// Compares all states with the function of one state.
fn each(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    arrays: &[(String, usize)],
    setup: Option<(&str, bool)>,
) {
    let (name, kind) = (&function.name, name_of_type(model));
    let iterates = function.body.uses().iterates;
    // The model's setup counts for all functions, and a study for its own: they can be compared if
    // others never fail.
    let others = model.functions.iter().filter(|one| one.name != *name);
    let alone = !others.map(|one| one.setup.uses()).any(|uses| uses.iterates);
    let counted = setup.is_none() || alone;
    text.line("let mut failures = 0;");
    text.line("for s in 0..count {");
    text.depth += 1;
    match setup {
        Some((setup, true)) if alone => {
            text.line(&format!("failures += failed(model.setup{setup});"));
        }
        Some((setup, true)) => text.line(&format!("let _ = model.setup{setup};")),
        Some((setup, false)) => text.line(&format!("model.setup{setup};")),
        None => {}
    }
    let mut given = Vec::new();
    if function.body.uses().externals {
        given.push("&mut externals".to_owned());
    }
    for (array, _) in arrays {
        given.push(match array.as_str() {
            "t" => "all_t[s]".to_owned(),
            _ => format!("&take(count, s, &all_{array})"),
        });
    }
    for output in &function.outputs {
        text.line(&format!("let mut now_{} = {};", output.name, zeros(output)));
        given.push(format!("&mut now_{}", output.name));
    }
    let path = if model.has_parameters() { "model.".to_owned() } else { format!("{kind}::") };
    let call = format!("{path}{name}({})", given.join(", "));
    match iterates {
        true => text.line(&format!("failures += failed({call});")),
        false => text.line(&format!("{call};")),
    }
    for output in &function.outputs {
        let numbers = match (output.scalar, output.matrix) {
            (true, _) => format!("&[now_{}]", output.name),
            (_, true) => format!("now_{}.as_flattened()", output.name),
            _ => format!("&now_{}", output.name),
        };
        text.line(&format!(
            "good &= compare(\"{name} {}\", count, s, &all_{}, {numbers});",
            output.name, output.name
        ));
    }
    text.depth -= 1;
    text.line("}");
    match counted {
        true => text.line(&format!("good &= ends({name:?}, failures, found);")),
        false => text.line("good &= found.is_ok() || failures > 0;"),
    }
}
