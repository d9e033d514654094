//! The demo in Rust: it calls each function once and prints `FUNCTION OUTPUT ROW COLUMN NUMBER`,
//! counted from one.

use super::{DIALECT, comment, name_of_type, setup_uses, text};
use crate::header;
use crate::layout::LineText;
use crate::listing::{Listing, PackageListing, ResultArray};
use crate::package::{ARRAYS, array_name};

const SHOW: &str = "fn show(function: &str, output: &str, columns: usize, numbers: &[f64]) {
    for (at, number) in numbers.iter().enumerate() {
        let (row, column) = (at / columns + 1, at % columns + 1);
        println!(\"{function} {output} {row} {column} {number:.16e}\");
    }
}";

/// Outputs of more numbers than this are put on the heap.
const LARGE: usize = 10_000;

/// The text of the demo.
pub fn demo(model: &PackageListing<'_>) -> String {
    let (package, prefix, name) = (model.package, &model.prefix, name_of_type(model));
    let mut text = text();
    text.line(
        "//! Calls each function once at the model's initial state and prints what it gives.",
    );
    text.line("//!");
    comment(&mut text, "//!", &header::origin(model));
    text.line("//!");
    text.line(&format!("//!     rustc -O {prefix}_demo.rs -o demo && ./demo"));
    text.line("");
    text.line("#![allow(clippy::approx_constant, clippy::excessive_precision)]");
    text.line("#![allow(clippy::nursery, clippy::pedantic, non_snake_case)]");
    text.line("");
    text.line(&format!("mod {prefix};"));
    if !model.externals.is_empty() {
        text.line(&format!("mod {prefix}_externals;"));
    }
    text.line("");
    text.line(&format!("use {prefix}::{name};"));
    text.line("");
    text.lines(SHOW);
    text.line("");
    text.line("fn main() {");
    text.depth += 1;
    if model.functions.iter().any(|function| function.time) {
        text.line(&format!("let t = {};", (DIALECT.number)(package.time)));
    }
    for kind in ARRAYS {
        if package.functions.iter().any(|part| part.inputs.contains(&kind)) {
            let numbers: Vec<String> =
                package.array(kind).iter().map(|one| (DIALECT.number)(one.value)).collect();
            let (array, len) = (array_name(kind), numbers.len());
            text.line(&format!("let {array}: [f64; {len}] = [{}];", numbers.join(", ")));
        }
    }
    let calls = model.functions.iter().any(|function| function.body.uses().externals);
    let setup_calls = model.has_parameters() && setup_uses(model, |uses| uses.externals);
    if calls || setup_calls {
        text.line(&format!("let mut externals = {prefix}_externals::Stubs::default();"));
    }
    if model.has_parameters() {
        let externals = if setup_calls { ", &mut externals" } else { "" };
        let end = match setup_uses(model, |uses| uses.iterates) {
            true => ".expect(\"the parameters are the model's own\")",
            false => "",
        };
        text.line(&format!("let model = {name}::new(&{name}::PARAMETERS{externals}){end};"));
    }
    for function in &model.functions {
        call(&mut text, model, function, &name);
    }
    text.depth -= 1;
    text.line("}");
    text.text
}

fn call(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>, name: &str) {
    let uses = function.body.uses();
    text.line("{");
    text.depth += 1;
    let mut arguments = Vec::new();
    if uses.externals {
        arguments.push("&mut externals".to_owned());
    }
    if function.time {
        arguments.push("t".to_owned());
    }
    arguments.extend(function.inputs.iter().map(|input| format!("&{}", input.name)));
    for output in &function.outputs {
        text.line(&format!("let mut out_{} = {};", output.name, zeros(output)));
        arguments.push(format!("&mut out_{}", output.name));
    }
    let path = if model.has_parameters() { "model.".to_owned() } else { format!("{name}::") };
    let call = format!("{path}{}({})", function.name, arguments.join(", "));
    if uses.iterates {
        text.line(&format!("if let Err(problem) = {call} {{"));
        text.line(&format!("    eprintln!(\"{}: {{problem}}\");", function.name));
        text.line("}");
    } else {
        text.line(&format!("{call};"));
    }
    for (output, given) in function.part.program.outputs().iter().zip(&function.outputs) {
        let numbers = match (given.scalar, given.matrix) {
            (true, _) => format!("&[out_{}]", given.name),
            (_, true) => format!("out_{}.as_flattened()", given.name),
            _ => format!("&out_{}", given.name),
        };
        let numbers = if given.len() > LARGE && !given.matrix {
            format!("&out_{}[..]", given.name)
        } else {
            numbers
        };
        text.line(&format!(
            "show({:?}, {:?}, {}, {numbers});",
            function.name,
            output.name,
            given.columns.max(1)
        ));
    }
    text.depth -= 1;
    text.line("}");
}

fn zeros(output: &ResultArray) -> String {
    let (one, count) = match (output.scalar, output.matrix) {
        (true, _) => return "0.0".to_owned(),
        (_, true) => (format!("[0.0; {}]", output.columns), output.rows),
        _ => ("0.0".to_owned(), output.rows),
    };
    if output.len() <= LARGE {
        return format!("[{one}; {count}]");
    }
    let element = one.replace("0.0", "f64");
    format!(
        "<Box<[{element}; {count}]> as std::convert::TryFrom<_>>::try_from(vec![{one}; {count}].into_boxed_slice()).expect(\"lengths agree\")"
    )
}
