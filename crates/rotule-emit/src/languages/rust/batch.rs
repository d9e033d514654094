//! Batches in Rust: the functions of a model once more, over many states at once, in
//! `PREFIX_batch.rs`, with `PREFIX_batch_demo.rs`.
//!
//! Number `i` of state `s` lies at `x[i*count + s]`. The statements are those of the Rust output,
//! written with packs of `WIDTH` states instead of numbers: arrays whose operators are plain loops,
//! which the compiler turns into vector instructions. Regions iterate until the last lane has
//! converged; the others keep their states. Constants are packs, too: all lanes alike in a batch of
//! states of one model, and each its own in a study.

mod demo;
mod simd;
mod statements;

use super::super::classes::sentence;
use super::mathematics::{binary_name, mathematics, unary_name};
use super::{
    ALLOWED, DIALECT, EXTERNALS, chunk_name, comment, listed, name_of_type, signature, text,
};
use crate::dialect::Dialect;
use crate::header;
use crate::layout::LineText;
use crate::listing::{ExternalCall, Listing, PackageListing, ResultArray, StageText, Uses, list};
use crate::package::{EmitError, File, Package};
use statements::{idiom, print_call};

/// Packs that a function may keep on the stack: a megabyte, if they are eight numbers wide.
const STACK: usize = 1 << 14;

/// Expressions of packs in Rust.
const PACKS: Dialect = Dialect {
    number: |x| format!("all_of({})", (DIALECT.number)(x)),
    unary: |function, x| format!("each_of({}, {x})", unary_name(function)),
    binary: |function, x, y| format!("both_of({}, {x}, {y})", binary_name(function)),
    select: |compare, [left, right, then, otherwise]| {
        format!("select_of(|x, y| x {} y, {left}, {right}, {then}, {otherwise})", compare.sign())
    },
    entry: |name, output, place| format!("{name}[{}]", place.row * output.columns + place.column),
    fewest: 1,
    ..DIALECT
};

/// Writes the files of batches.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let gathered = package.with_batched_trigonometry();
    let model = list(&gathered, &PACKS)?;
    for function in &model.functions {
        check_stack(&model, function)?;
    }
    let prefix = &model.prefix;
    Ok(vec![
        File { name: format!("{prefix}_batch.rs"), text: source(&model) },
        File { name: format!("{prefix}_batch_demo.rs"), text: demo::demo(&model) },
    ])
}

/// Generated code allocates nothing, so that all its packs are on the stack.
fn check_stack(model: &PackageListing<'_>, function: &Listing<'_>) -> Result<(), EmitError> {
    let inputs: usize = function.inputs.iter().map(|input| input.len).sum();
    let outputs: usize = function.outputs.iter().map(ResultArray::len).sum();
    let work = function.setup.work.max(function.body.work);
    let parameters = if is_studied(model, function) { model.package.parameters.len() } else { 0 };
    let packs = function.constants + parameters + 2 * (inputs + outputs) + work;
    if packs <= STACK {
        return Ok(());
    }
    Err(EmitError::new(
        format!(
            "a batch of `{}` would keep {packs} packs on the stack, more than {STACK}",
            function.part.name
        ),
        "leave it out of --functions, or do without --batch",
    ))
}

/// Returns `true` if states may differ in parameters.
fn is_studied(model: &PackageListing<'_>, function: &Listing<'_>) -> bool {
    model.has_parameters() && function.constants > 0
}

fn source(model: &PackageListing<'_>) -> String {
    let (prefix, name) = (&model.prefix, name_of_type(model));
    let mut text = text();
    comment(&mut text, "//!", &header::origin(model));
    text.lines(
        "//!\n\
         //! Functions of many states at once. Number `i` of state `s` is `x[i*count + s]` in every array, matrices\n\
         //! being counted by rows. States are computed in packs of `WIDTH`; threads take blocks of states, each an\n\
         //! array of its own with its own `count`.",
    );
    if model.has_parameters() {
        text.line(
            "//! A batch has the same constants for all states; in a study parameters differ, too.",
        );
    }
    text.line("");
    text.lines(ALLOWED);
    text.line("");
    let calls = model.functions.iter().any(|function| {
        function.body.uses().externals
            || (is_studied(model, function) && function.setup.uses().externals)
    });
    match calls {
        true => text.line(&format!("use super::{prefix}::{{Externals, {name}}};")),
        false => text.line(&format!("use super::{prefix}::{name};")),
    }
    text.line("");
    text.line("/// How many states are computed at once; any number will do.");
    text.line("pub const WIDTH: usize = 8;");
    mathematics(&mut text, model);
    simd::define(&mut text, model);
    text.line("");
    text.line(&format!("impl {name} {{"));
    text.depth += 1;
    let mut first = true;
    for function in &model.functions {
        for study in [false, true] {
            if study && !is_studied(model, function) {
                continue;
            }
            if !first {
                text.line("");
            }
            first = false;
            public(&mut text, model, function, study);
        }
    }
    text.depth -= 1;
    text.line("}");
    for function in &model.functions {
        if is_studied(model, function) {
            stage(&mut text, model, function, &function.setup, true);
        }
        stage(&mut text, model, function, &function.body, false);
    }
    text.text
}

/// Returns `true` if a function of many states counts failures.
fn counts(function: &Listing<'_>, study: bool) -> bool {
    if study { function.iterates() } else { function.body.uses().iterates }
}

/// Returns `true` if it calls external functions.
fn calls(function: &Listing<'_>, study: bool) -> bool {
    function.body.uses().externals || (study && function.setup.uses().externals)
}

/// The function that the caller knows.
fn public(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>, study: bool) {
    let name = &function.name;
    comment(text, "///", &[about(function), String::new()]);
    let with = match (study, model.has_parameters()) {
        (true, _) => "Of `count` states, each with parameters of its own.",
        (_, true) => "Of `count` states, with the same parameters.",
        _ => "Of `count` states.",
    };
    text.line(&format!("/// {with}"));
    text.line("///");
    listed(text, "///", &header::signature(function, header::First::Zero));
    let mut arguments = Vec::new();
    if model.has_parameters() && !study {
        arguments.push("&self".to_owned());
    }
    if calls(function, study) {
        arguments.push(EXTERNALS.to_owned());
    }
    arguments.push("count: usize".to_owned());
    let mut arrays: Vec<(&str, usize, bool)> = Vec::new();
    if study {
        arrays.push(("parameters", model.package.parameters.len(), false));
    }
    if function.time {
        arrays.push(("t", 1, false));
    }
    arrays.extend(function.inputs.iter().map(|input| (input.name.as_str(), input.len, false)));
    arrays.extend(function.outputs.iter().map(|one| (one.name.as_str(), one.len(), true)));
    for (array, _, written) in &arrays {
        let mutable = if *written { "mut " } else { "" };
        arguments.push(format!("{array}: &{mutable}[f64]"));
    }
    let (kind, result) = (if study { "study" } else { "batch" }, " -> Result<(), BatchError> {");
    signature(text, &format!("pub fn {name}_{kind}"), &arguments, result);
    text.depth += 1;
    for (array, len, _) in &arrays {
        text.line(&format!("check_of(\"{array}\", {array}.len(), {len}, count)?;"));
    }
    let (body, setup) = (function.body.uses(), function.setup.uses());
    if study {
        text.line(&format!("let mut k = [all_of(0.0); {}];", function.constants));
    } else if body.constants {
        text.line(&format!("let k = spread_of(&self.{name});"));
    }
    if counts(function, study) {
        text.line("let mut failures = 0;");
    }
    text.line("for start in (0..count).step_by(WIDTH) {");
    text.depth += 1;
    let add = |iterates: bool, call: String| match iterates {
        true => format!("failures += sum_of({call}, count - start);"),
        false => format!("{call};"),
    };
    if study {
        let mut given = Vec::new();
        if setup.externals {
            given.push("externals");
        }
        if setup.parameters {
            given.push("&load_of(parameters, count, start)");
        }
        if setup.constants {
            given.push("&mut k");
        }
        text.line(&add(setup.iterates, format!("{name}_setup_pack({})", given.join(", "))));
    }
    let zeros = function.outputs.iter().map(|output| match output.len() {
        0 => "[],".to_owned(),
        len => format!("[all_of(0.0); {len}],"),
    });
    let zeros: Vec<String> = zeros.collect();
    let mutable = if body.outputs.contains(&true) { "mut " } else { "" };
    text.line(&format!("let {mutable}given = ({});", zeros.join(" ")));
    let mut given = Vec::new();
    if body.externals {
        given.push("externals".to_owned());
    }
    if body.constants {
        given.push("&k".to_owned());
    }
    if body.time {
        given.push("load_of::<1>(t, count, start)[0]".to_owned());
    }
    for (input, used) in function.inputs.iter().zip(&body.inputs) {
        if *used {
            given.push(format!("&load_of({}, count, start)", input.name));
        }
    }
    for (at, used) in body.outputs.iter().enumerate() {
        if *used {
            given.push(format!("&mut given.{at}"));
        }
    }
    text.line(&add(body.iterates, format!("{name}_pack({})", given.join(", "))));
    for (at, output) in function.outputs.iter().enumerate() {
        text.line(&format!("store_of({}, count, start, &given.{at});", output.name));
    }
    text.depth -= 1;
    text.line("}");
    match counts(function, study) {
        true => text.line("BatchError::check(failures)"),
        false => text.line("Ok(())"),
    }
    text.depth -= 1;
    text.line("}");
}

/// Arguments of a function of packs, as declared and as called. Work is handed to chunks only.
fn arguments(
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    uses: &Uses,
    setup: bool,
    chunk: bool,
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
        add(format!("parameters: &[Pack; {}]", model.package.parameters.len()), "parameters");
    }
    if uses.constants {
        let mutable = if setup { "mut " } else { "" };
        add(format!("k: &{mutable}[Pack; {}]", function.constants), "k");
    }
    if uses.time {
        add("t: Pack".to_owned(), "t");
    }
    for (input, used) in function.inputs.iter().zip(&uses.inputs) {
        if *used {
            add(format!("{}: &[Pack; {}]", input.name, input.len), &input.name);
        }
    }
    let work = if setup { function.setup.work } else { function.body.work };
    if chunk && uses.work_written {
        add(format!("w: &mut [Pack; {work}]"), "&mut w");
    } else if chunk && uses.work_read {
        add(format!("w: &[Pack; {work}]"), "&w");
    }
    for (output, used) in function.outputs.iter().zip(&uses.outputs) {
        if *used {
            add(format!("{}: &mut [Pack; {}]", output.name, output.len()), &output.name);
        }
    }
    (declared, called)
}

/// The function of a stage, and those that it is cut into.
fn stage(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    stage: &StageText,
    setup: bool,
) {
    let uses = stage.uses();
    let kind = if setup { "_setup" } else { "" };
    let (declared, _) = arguments(model, function, &uses, setup, false);
    open(text, &format!("fn {}{kind}_pack", function.name), &declared, uses.iterates);
    let call = |text: &mut LineText, call: &ExternalCall| print_call(text, model, call);
    let idiom = idiom(&call);
    idiom.stage(text, stage, &|text, chunk| {
        let (_, called) = arguments(model, function, &chunk.uses, setup, true);
        let count = if chunk.uses.iterates { "failures += " } else { "" };
        let name = chunk_name(function, chunk, setup);
        text.line(&format!("{count}{name}({});", called.join(", ")));
    });
    close(text, uses.iterates);
    if stage.is_whole() {
        return;
    }
    for chunk in stage.chunks() {
        let (declared, _) = arguments(model, function, &chunk.uses, setup, true);
        let head = format!("fn {}", chunk_name(function, chunk, setup));
        open(text, &head, &declared, chunk.uses.iterates);
        idiom.chunk(text, chunk);
        close(text, chunk.uses.iterates);
    }
}

/// Begins a function, which may count failures. It is never inlined, or chunks would be one long
/// function again.
fn open(text: &mut LineText, head: &str, declared: &[String], iterates: bool) {
    text.line("");
    text.line("#[inline(never)]");
    signature(text, head, declared, if iterates { " -> Pack {" } else { " {" });
    text.depth += 1;
    if iterates {
        text.line("let mut failures = all_of(0.0);");
    }
}

fn close(text: &mut LineText, iterates: bool) {
    if iterates {
        text.line("failures");
    }
    text.depth -= 1;
    text.line("}");
}

/// A function's description as documentation: brackets in prose would be links.
fn about(function: &Listing<'_>) -> String {
    sentence(&function.part.about).replace('[', "\\[").replace(']', "\\]")
}
