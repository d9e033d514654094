//! Rust: `PREFIX.rs`, a module that needs nothing beyond `core`, and `PREFIX_demo.rs`.
//!
//! A model is a structure that holds its constants, one array per function, and has a method per
//! function. Arrays have their length in their type, so that nothing is checked at run time;
//! matrices are arrays of rows. A function that iterates returns a `Result`. External functions are
//! the methods of a trait, which the caller passes; stubs to be filled stand in
//! `PREFIX_externals.rs`.
//!
//! `core` has no sine. What it lacks is called through a module `math` of the file, which takes it
//! from `std`, or, under the feature `libm`, from the crate of that name. So the file compiles by
//! itself with a plain `rustc`, and a crate without `std` declares one feature and touches nothing.

mod batch;
mod demo;
mod externals;
mod mathematics;
mod simd_sincos;
mod statements;
mod words;

use super::classes::{sentence, type_name};
use crate::dialect::{Dialect, EntryPlace, plain_number, unusual};
use crate::header;
use crate::indices::indices;
use crate::layout::{LineText, WIDTH};
use crate::listing::{ChunkText, Listing, PackageListing, ResultArray, StageText, Uses, list};
use crate::names::NameRules;
use crate::package::{EmitError, File, Package};
use externals::{declare, externals};
use mathematics::{binary_name, mathematics, unary_name};
use rotule_program::ProgramOutput;
use statements::{idiom, print_call};

/// Expressions of Rust.
pub const DIALECT: Dialect = Dialect {
    fewest: crate::dialect::FEWEST,
    taken: &[],
    rules: NameRules { reserved: words::RESERVED, fold_case: false, longest: 80 },
    number: |x| unusual(x, "f64::INFINITY", "f64::NAN").unwrap_or_else(|| plain_number(x)),
    unary: |function, x| format!("{}({x})", unary_name(function)),
    binary: |function, x, y| format!("{}({x}, {y})", binary_name(function)),
    select: |compare, [left, right, then, otherwise]| {
        format!("(if {left} {} {right} {{ {then} }} else {{ {otherwise} }})", compare.sign())
    },
    element: |array, index| format!("{array}[{index}]"),
    entry,
};

/// Types that the file declares or uses itself.
const TYPES: &[&str] = &[
    "BatchError",
    "Mask",
    "Pack",
    "Externals",
    "NotConverged",
    "Stubs",
    "Option",
    "Result",
    "Some",
    "None",
    "Ok",
    "Err",
    "Self",
];

fn entry(name: &str, _: &ProgramOutput, place: EntryPlace) -> String {
    match (place.scalar, place.matrix) {
        (true, _) => format!("*{name}"),
        (_, true) => format!("{name}[{}][{}]", place.row, place.column),
        _ => format!("{name}[{}]", place.row),
    }
}

/// Lints that generated code need not pass.
const ALLOWED: &str = "#![allow(
    clippy::approx_constant,
    clippy::assign_op_pattern,
    clippy::eq_op,
    clippy::excessive_precision,
    clippy::if_same_then_else,
    clippy::large_const_arrays,
    clippy::let_and_return,
    clippy::neg_multiply,
    clippy::new_without_default,
    clippy::needless_range_loop,
    clippy::neg_cmp_op_on_partial_ord,
    clippy::nursery,
    clippy::pedantic,
    clippy::suspicious_else_formatting,
    clippy::too_many_arguments,
    dead_code,
    non_snake_case,
    unexpected_cfgs,
    unused_assignments,
    unused_parens,
    unused_variables
)]";

const NOT_CONVERGED: &str = "
/// Iterations ended before they converged. All outputs have been written nevertheless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotConverged {
    /// Number that did not converge.
    pub failures: u64,
}

impl NotConverged {
    fn check(failures: u64) -> Result<(), NotConverged> {
        if failures == 0 { Ok(()) } else { Err(NotConverged { failures }) }
    }
}

impl core::fmt::Display for NotConverged {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, \"{} iterations did not converge\", self.failures)
    }
}

impl core::error::Error for NotConverged {}";

/// Writes a package as Rust.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let model = list(package, &DIALECT)?;
    let prefix = &model.prefix;
    let mut files = vec![
        File { name: format!("{prefix}.rs"), text: source(&model) },
        File { name: format!("{prefix}_demo.rs"), text: demo::demo(&model) },
    ];
    if !model.externals.is_empty() {
        files.push(File { name: format!("{prefix}_externals.rs"), text: externals(&model) });
    }
    if package.batch {
        files.extend(batch::write(package)?);
    }
    Ok(files)
}

fn text() -> LineText {
    LineText::new("    ", "")
}

fn name_of_type(model: &PackageListing<'_>) -> String {
    type_name(&model.prefix, TYPES)
}

/// Comments as documentation: prose as it is, lists as they are laid out.
fn comment(text: &mut LineText, mark: &str, lines: &[String]) {
    for line in lines {
        text.line(format!("{mark} {}", harmless(line)).trim_end());
    }
}

/// A list whose lines are to stay as they are.
fn listed(text: &mut LineText, mark: &str, lines: &[String]) {
    text.line(&format!("{mark} ```text"));
    comment(text, mark, lines);
    text.line(&format!("{mark} ```"));
}

/// A line of a comment without letters that the compiler refuses, or that would end the list.
fn harmless(line: &str) -> String {
    let turns = |c: char| matches!(c, '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    let keep = |c: char| if c.is_control() || turns(c) { ' ' } else { c };
    line.chars().map(keep).collect::<String>().replace("```", "'''")
}

fn source(model: &PackageListing<'_>) -> String {
    let (package, name) = (model.package, name_of_type(model));
    let mut text = text();
    let head = header::head(model, header::First::Zero);
    comment(&mut text, "//!", &head[..1]);
    text.line("//!");
    let rest = if head.get(1).is_some_and(String::is_empty) { &head[2..] } else { &head[1..] };
    listed(&mut text, "//!", rest);
    text.line("//!");
    text.line("//! A module for any crate. It needs `core` alone, and sines and the like from `std`; a crate");
    text.line("//! without `std` declares a feature `libm` that brings in the crate of that name.");
    text.line("");
    text.lines(ALLOWED);
    mathematics(&mut text, model);
    if model.functions.iter().any(Listing::has_simd_sincos) {
        simd_sincos::define(&mut text);
    }
    if model.functions.iter().any(Listing::iterates) {
        text.lines(NOT_CONVERGED);
    }
    if !model.externals.is_empty() {
        declare(&mut text, model);
    }
    text.line("");
    let model_name = package.model.replace('[', "\\[").replace(']', "\\]");
    comment(&mut text, "///", &[format!("The model {model_name}.")]);
    if model.has_parameters() {
        text.line("///");
        text.line("/// It holds what depends on the parameters alone, by function.");
        text.line("#[derive(Clone, Debug, PartialEq)]");
    }
    let fields: Vec<&Listing<'_>> = if model.has_parameters() {
        model.functions.iter().filter(|function| function.constants > 0).collect()
    } else {
        Vec::new()
    };
    if fields.is_empty() {
        text.line(&format!("pub struct {name} {{}}"));
    } else {
        text.line(&format!("pub struct {name} {{"));
        // Batches are methods of another module.
        let seen = if package.batch { "pub(crate) " } else { "" };
        for function in &fields {
            text.line(&format!("    {seen}{}: [f64; {}],", function.name, function.constants));
        }
        text.line("}");
    }
    text.line("");
    text.line(&format!("impl {name} {{"));
    text.depth += 1;
    constants(&mut text, model);
    if model.has_parameters() {
        new_and_setup(&mut text, model, &fields);
    }
    for function in &model.functions {
        evaluate(&mut text, model, function);
    }
    text.depth -= 1;
    text.line("}");
    for function in &model.functions {
        stage_chunks(&mut text, model, function, &function.setup, true);
        if model.has_parameters() && function.constants > 0 {
            setup_of(&mut text, model, function);
        }
        stage_chunks(&mut text, model, function, &function.body, false);
    }
    text.text
}

/// Positions of arguments by name.
fn index_constants(text: &mut LineText, model: &PackageListing<'_>) {
    for one in indices(model, DIALECT.rules, |name| name.to_ascii_uppercase()) {
        for (at, (name, quantity)) in one.names.iter().enumerate() {
            let about = header::one_line(&quantity.name);
            text.line(&format!("/// The index of `{about}` in `{}`.", one.array));
            text.line(&format!("pub const {name}: usize = {at};"));
        }
    }
}

fn constants(text: &mut LineText, model: &PackageListing<'_>) {
    let package = model.package;
    text.line("/// The number of coordinates.");
    text.line(&format!("pub const NQ: usize = {};", package.q.len()));
    text.line("/// The number of speeds.");
    text.line(&format!("pub const NQD: usize = {};", package.qd.len()));
    if model.has_parameters() {
        let numbers: Vec<String> =
            package.parameters.iter().map(|one| (DIALECT.number)(one.value)).collect();
        text.line("/// The model's own parameters, in order.");
        text.line(&format!("pub const PARAMETERS: [f64; {}] = [", numbers.len()));
        text.depth += 1;
        // Line by line, so that no line is searched for its end time and again.
        for some in numbers.chunks(4) {
            text.line(&format!("{},", some.join(", ")));
        }
        text.depth -= 1;
        text.line("];");
    }
    index_constants(text, model);
}

/// Returns `true` if the stages of `setup` need something.
fn setup_uses(model: &PackageListing<'_>, requested: fn(&Uses) -> bool) -> bool {
    model
        .functions
        .iter()
        .any(|function| function.constants > 0 && requested(&function.setup.uses()))
}

const EXTERNALS: &str = "externals: &mut (impl Externals + ?Sized)";

fn new_and_setup(text: &mut LineText, model: &PackageListing<'_>, fields: &[&Listing<'_>]) {
    let iterates = setup_uses(model, |uses| uses.iterates);
    let calls = setup_uses(model, |uses| uses.externals);
    let mut arguments = vec![format!("parameters: &[f64; {}]", model.package.parameters.len())];
    let mut handed = vec!["parameters"];
    if calls {
        arguments.push(EXTERNALS.to_owned());
        handed.push("externals");
    }
    let handed = handed.join(", ");
    text.line("");
    text.line("/// The model with these parameters.");
    let result = if iterates { " -> Result<Self, NotConverged> {" } else { " -> Self {" };
    signature(text, "pub fn new", &arguments, result);
    text.depth += 1;
    let mutable = if fields.is_empty() { "" } else { "mut " };
    match fields {
        [] => text.line(&format!("let {mutable}model = Self {{}};")),
        _ => {
            text.line(&format!("let {mutable}model = Self {{"));
            for function in fields {
                text.line(&format!("    {}: [0.0; {}],", function.name, function.constants));
            }
            text.line("};");
        }
    }
    match (fields, iterates) {
        ([], _) => text.line("model"),
        (_, false) => text.lines(&format!("model.setup({handed});\nmodel")),
        (_, true) => text.lines(&format!("model.setup({handed})?;\nOk(model)")),
    }
    text.depth -= 1;
    text.line("}");
    text.line("");
    text.line("/// Takes other parameters.");
    let mut taken = vec!["&mut self".to_owned()];
    taken.extend(arguments);
    let result = if iterates { " -> Result<(), NotConverged> {" } else { " {" };
    signature(text, "pub fn setup", &taken, result);
    text.depth += 1;
    if iterates {
        text.line("let mut failures = 0;");
    }
    for function in fields {
        let uses = function.setup.uses();
        let count = if uses.iterates { "failures += " } else { "" };
        let externals = if uses.externals { ", externals" } else { "" };
        let name = &function.name;
        text.line(&format!("{count}{name}_setup(parameters, &mut self.{name}{externals});"));
    }
    if iterates {
        text.line("NotConverged::check(failures)");
    }
    text.depth -= 1;
    text.line("}");
}

/// A function's head: in one line, or an argument a line.
fn signature(text: &mut LineText, start: &str, arguments: &[String], end: &str) {
    let line = format!("{start}({}){end}", arguments.join(", "));
    if line.chars().count() + text.depth * text.unit.len() <= WIDTH {
        return text.line(&line);
    }
    text.line(&format!("{start}("));
    arguments.iter().for_each(|argument| text.line(&format!("    {argument},")));
    text.line(&format!("){end}"));
}

fn output_type(output: &ResultArray) -> String {
    match (output.scalar, output.matrix) {
        (true, _) => "f64".to_owned(),
        (_, true) => format!("[[f64; {}]; {}]", output.columns, output.rows),
        _ => format!("[f64; {}]", output.len()),
    }
}

fn evaluate(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>) {
    let uses = function.body.uses();
    text.line("");
    // Brackets in prose would be links.
    let about = sentence(&function.part.about).replace('[', "\\[").replace(']', "\\]");
    comment(text, "///", &[about, String::new()]);
    listed(text, "///", &header::signature(function, header::First::Zero));
    let mut arguments = Vec::new();
    if model.has_parameters() {
        arguments.push("&self".to_owned());
    }
    if uses.externals {
        arguments.push(EXTERNALS.to_owned());
    }
    if function.time {
        arguments.push("t: f64".to_owned());
    }
    for input in &function.inputs {
        arguments.push(format!("{}: &[f64; {}]", input.name, input.len));
    }
    for output in &function.outputs {
        arguments.push(format!("{}: &mut {}", output.name, output_type(output)));
    }
    let result = if uses.iterates { " -> Result<(), NotConverged> {" } else { " {" };
    signature(text, &format!("pub fn {}", function.name), &arguments, result);
    text.depth += 1;
    if uses.constants {
        text.line(&format!("let k = &self.{};", function.name));
    }
    if uses.iterates {
        text.line("let mut failures = 0;");
    }
    for output in function.outputs.iter().filter(|output| output.zeros && !output.is_empty()) {
        let name = &output.name;
        match (output.scalar, output.matrix) {
            (true, _) => text.line(&format!("*{name} = 0.0;")),
            (_, true) => text.line(&format!("{name}.fill([0.0; {}]);", output.columns)),
            _ => text.line(&format!("{name}.fill(0.0);")),
        }
    }
    stage_body(text, model, function, &function.body, false);
    if uses.iterates {
        text.line("NotConverged::check(failures)");
    }
    text.depth -= 1;
    text.line("}");
}

/// The function that fills the constants of one function.
fn setup_of(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>) {
    let uses = function.setup.uses();
    let mut arguments = vec![
        format!("parameters: &[f64; {}]", model.package.parameters.len()),
        format!("k: &mut [f64; {}]", function.constants),
    ];
    if uses.externals {
        arguments.push(EXTERNALS.to_owned());
    }
    let result = if uses.iterates { " -> u64 {" } else { " {" };
    text.line("");
    signature(text, &format!("fn {}_setup", function.name), &arguments, result);
    text.depth += 1;
    if uses.iterates {
        text.line("let mut failures = 0;");
    }
    stage_body(text, model, function, &function.setup, true);
    if uses.iterates {
        text.line("failures");
    }
    text.depth -= 1;
    text.line("}");
}

/// The name of a chunk's function.
fn chunk_name(function: &Listing<'_>, chunk: &ChunkText, setup: bool) -> String {
    let stage = if setup { "_setup" } else { "" };
    format!("{}{stage}_{}", function.name, chunk.number)
}

/// Arguments of a chunk, as declared and as called.
fn chunk_arguments(
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    uses: &Uses,
    setup: bool,
) -> (Vec<String>, Vec<String>) {
    let (mut declared, mut called) = (Vec::new(), Vec::new());
    let mut add = |declaration: String, call: &str| {
        declared.push(declaration);
        called.push(call.to_owned());
    };
    if uses.externals {
        add(EXTERNALS.to_owned(), "externals");
    }
    if uses.parameters {
        add(format!("parameters: &[f64; {}]", model.package.parameters.len()), "parameters");
    }
    if uses.constants {
        let mutable = if setup { "mut " } else { "" };
        add(format!("k: &{mutable}[f64; {}]", function.constants), "k");
    }
    if uses.time {
        add("t: f64".to_owned(), "t");
    }
    for (input, used) in function.inputs.iter().zip(&uses.inputs) {
        if *used {
            add(format!("{}: &[f64; {}]", input.name, input.len), &input.name);
        }
    }
    let work = if setup { function.setup.work } else { function.body.work };
    if uses.work_written {
        add(format!("w: &mut [f64; {work}]"), "&mut w");
    } else if uses.work_read {
        add(format!("w: &[f64; {work}]"), "&w");
    }
    for (output, used) in function.outputs.iter().zip(&uses.outputs) {
        if *used {
            add(format!("{}: &mut {}", output.name, output_type(output)), &output.name);
        }
    }
    (declared, called)
}

/// The functions that a stage is cut into. They stay apart: inlined they would be one long function
/// again.
fn stage_chunks(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    stage: &StageText,
    setup: bool,
) {
    if stage.is_whole() {
        return;
    }
    for chunk in stage.chunks() {
        let (declared, _) = chunk_arguments(model, function, &chunk.uses, setup);
        let result = if chunk.uses.iterates { " -> u64 {" } else { " {" };
        text.line("");
        text.line("#[inline(never)]");
        signature(text, &format!("fn {}", chunk_name(function, chunk, setup)), &declared, result);
        text.depth += 1;
        if chunk.uses.iterates {
            text.line("let mut failures = 0;");
        }
        idiom(&|text, call| print_call(text, model, call)).chunk(text, chunk);
        if chunk.uses.iterates {
            text.line("failures");
        }
        text.depth -= 1;
        text.line("}");
    }
}

/// The body of a stage: its statements, or the calls of its chunks.
fn stage_body(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    stage: &StageText,
    setup: bool,
) {
    idiom(&|text, call| print_call(text, model, call)).stage(text, stage, &|text, chunk| {
        let (_, called) = chunk_arguments(model, function, &chunk.uses, setup);
        let count = if chunk.uses.iterates { "failures += " } else { "" };
        let name = chunk_name(function, chunk, setup);
        text.line(&format!("{count}{name}({});", called.join(", ")));
    });
}
