//! MATLAB, good for Octave, too: a file per function, `PREFIX_FUNCTION.m`, and `PREFIX_demo.m`.
//!
//! `PREFIX_parameters` gives the model's parameters, `PREFIX_setup` makes of them a structure of
//! constants, and the functions take it with columns `q`, `qd` and so on and return columns and
//! matrices. What iterates returns `failures` last: how many of its iterations did not converge. An
//! external function is a stub to be filled in a file of its own. Long functions are cut into local
//! functions of their file.

mod demo;
mod dialect;

use self::demo::demo;
use self::dialect::{DIALECT, HELPERS};
use super::public::{Public, next_name, public};
use super::walk::{Idiom, SimdSincos, elements, one_by_one};
use crate::header;
use crate::layout::{LineText, WIDTH};
use crate::listing::{
    ChunkText, ExternalCall, Iterate, Listing, PackageListing, ResultArray, StageText, Uses, list,
};
use crate::names::NameRules;
use crate::package::{ArgumentEntry, EmitError, File, Package};

/// Writes a package as MATLAB.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let model = list(package, &DIALECT)?;
    // Some systems do not tell names of files apart by case.
    let rules = NameRules { longest: 63, fold_case: true, ..DIALECT.rules };
    let (public, _) = public(&model, rules);
    let prefix = &model.prefix;
    let file = |name: &str, text: String| File { name: format!("{name}.m"), text };
    let mut files = Vec::new();
    if model.has_parameters() {
        files.push(file(&public.parameters, parameters(&model, &public.parameters)));
        files.push(file(&public.setup, setup(&model, &public)));
    }
    for (function, name) in model.functions.iter().zip(&public.functions) {
        files.push(file(name, evaluate(&model, &public, function, name)));
    }
    for (at, name) in public.externals.iter().enumerate() {
        files.push(file(name, external(&model, at, name)));
    }
    files.push(file(&format!("{prefix}_demo"), demo(&model, &public)));
    Ok(files)
}

fn text() -> LineText {
    LineText::new("    ", " ...")
}

fn comment(text: &mut LineText, lines: &[String]) {
    for line in lines {
        text.line(format!("% {line}").trim_end());
    }
}

/// The first lines of a file's help: the name in capitals and what it is.
fn help(text: &mut LineText, name: &str, about: &str) {
    comment(text, &[format!("{}  {about}", name.to_ascii_uppercase())]);
}

/// The left-hand side of a call: nothing, a name or a list.
fn assigned(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [name] => format!("{name} = "),
        _ => format!("[{}] = ", names.join(", ")),
    }
}

/// The line that begins a function. Arguments that are not read get a word for MATLAB's code
/// analyser.
fn begin(text: &mut LineText, given: &[String], name: &str, arguments: &[String], idle: bool) {
    let arguments =
        if arguments.is_empty() { String::new() } else { format!("({})", arguments.join(", ")) };
    let pragma = if idle { " %#ok<INUSD>" } else { "" };
    text.line(&format!("function {}{name}{arguments}{pragma}", assigned(given)));
}

/// Adds the helpers that are called and gives the text.
fn with_helpers(mut text: LineText) -> String {
    let called: Vec<&str> = HELPERS
        .iter()
        .filter(|(call, _)| text.text.contains(call))
        .map(|(_, helper)| *helper)
        .collect();
    for helper in called {
        text.line("");
        text.lines(helper);
    }
    text.text
}

/// A column of numbers, each with its name.
fn column(text: &mut LineText, name: &str, quantities: &[ArgumentEntry]) {
    if quantities.is_empty() {
        text.line(&format!("{name} = zeros(0, 1);"));
        return;
    }
    text.line(&format!("{name} = ["));
    text.depth += 1;
    for one in quantities {
        let unit = if one.unit.is_empty() { String::new() } else { format!(" [{}]", one.unit) };
        let about = header::one_line(&format!("{}{unit}", one.name));
        let line = format!("{} % {about}", (DIALECT.number)(one.value));
        text.whole(&line);
    }
    text.line("];");
    text.depth -= 1;
}

/// A function that gives the model's parameters.
pub(super) fn parameters(model: &PackageListing<'_>, name: &str) -> String {
    let mut text = text();
    begin(&mut text, &["parameters".to_owned()], name, &[], false);
    help(&mut text, name, "the model's own parameters, in order");
    text.line("%");
    comment(&mut text, &header::origin(model));
    column(&mut text, "parameters", &model.package.parameters);
    text.line("end");
    text.text
}

fn setup(model: &PackageListing<'_>, public: &Public) -> String {
    let mut text = text();
    let name = &public.setup;
    let iterates = model.functions.iter().any(|function| function.setup.uses().iterates);
    let mut given = vec!["constants".to_owned()];
    if iterates {
        given.push("failures".to_owned());
    }
    let used = model.functions.iter().any(|function| function.constants > 0);
    begin(&mut text, &given, name, &["parameters".to_owned()], !used);
    help(&mut text, name, "constants of parameters, to be called at each change of them");
    text.line("%");
    comment(&mut text, &header::head(model, header::First::One));
    text.line("if nargin < 1");
    text.line(&format!(
        "    parameters = {}();{}",
        public.parameters,
        match used {
            true => "",
            false => " %#ok<NASGU>",
        }
    ));
    text.line("end");
    if iterates {
        text.line("failures = 0;");
    }
    text.line("constants = struct();");
    for function in &model.functions {
        let field = format!("constants.{}", function.name);
        if function.constants == 0 {
            text.line(&format!("{field} = zeros(0, 1);"));
        } else if function.setup.uses().iterates {
            let name = setup_name(function);
            text.line(&format!("[{field}, failed] = {name}(parameters);"));
            text.line("failures = failures + failed;");
        } else {
            text.line(&format!("{field} = {}(parameters);", setup_name(function)));
        }
    }
    text.line("end");
    for function in model.functions.iter().filter(|function| function.constants > 0) {
        setup_of(&mut text, public, function);
    }
    with_helpers(text)
}

fn setup_name(function: &Listing<'_>) -> String {
    format!("setup_{}", function.name)
}

/// The constants of one function.
fn setup_of(text: &mut LineText, public: &Public, function: &Listing<'_>) {
    let stage = &function.setup;
    let uses = stage.uses();
    let mut given = vec!["k".to_owned()];
    if uses.iterates {
        given.push("failures".to_owned());
    }
    text.line("");
    begin(text, &given, &setup_name(function), &["parameters".to_owned()], !uses.parameters);
    comment(text, &[format!("Constants of {}.", header::one_line(&function.part.name))]);
    text.line(&format!("k = zeros({}, 1);", function.constants));
    if uses.iterates {
        text.line("failures = 0;");
    }
    stage_body(text, public, function, stage);
    text.line("end");
    stage_chunks(text, public, function, stage);
}

fn evaluate(
    model: &PackageListing<'_>,
    public: &Public,
    function: &Listing<'_>,
    name: &str,
) -> String {
    let mut text = text();
    let stage = &function.body;
    let uses = stage.uses();
    let mut given: Vec<String> = function.outputs.iter().map(|one| one.name.clone()).collect();
    if uses.iterates {
        given.push("failures".to_owned());
    }
    let used = |at: usize| uses.inputs.get(at).copied().unwrap_or(false);
    let idle = (0..function.inputs.len()).any(|at| !used(at))
        || (model.has_parameters() && function.constants == 0);
    begin(&mut text, &given, name, &arguments(model, function), idle);
    help(&mut text, name, &header::one_line(&function.part.about));
    text.line("%");
    comment(&mut text, &header::signature(function, header::First::One));
    text.line("%");
    comment(&mut text, &header::origin(model));
    if function.constants > 0 {
        text.line(&format!("k = constants.{};", function.name));
    }
    if uses.iterates {
        text.line("failures = 0;");
    }
    for output in &function.outputs {
        zero(&mut text, output);
    }
    stage_body(&mut text, public, function, stage);
    text.line("end");
    stage_chunks(&mut text, public, function, stage);
    with_helpers(text)
}

/// Arguments of a function.
fn arguments(model: &PackageListing<'_>, function: &Listing<'_>) -> Vec<String> {
    let mut arguments = Vec::new();
    if model.has_parameters() {
        arguments.push("constants".to_owned());
    }
    if function.time {
        arguments.push("t".to_owned());
    }
    arguments.extend(function.inputs.iter().map(|input| input.name.clone()));
    arguments
}

fn zero(text: &mut LineText, output: &ResultArray) {
    if !output.scalar {
        text.line(&format!("{} = zeros({}, {});", output.name, output.rows, output.columns));
    } else if output.zeros {
        text.line(&format!("{} = 0;", output.name));
    }
}

/// The name of a chunk's function.
fn chunk_name(function: &Listing<'_>, stage: &StageText, chunk: &ChunkText) -> String {
    match std::ptr::eq(stage, &function.setup) {
        true => format!("{}_setup_{}", function.name, chunk.number),
        false => format!("{}_{}", function.name, chunk.number),
    }
}

/// Results and arguments of a chunk: what it changes is in both.
fn chunk_arguments(function: &Listing<'_>, uses: &Uses, setup: bool) -> (Vec<String>, Vec<String>) {
    let (mut given, mut taken) = (Vec::new(), Vec::new());
    let mut add = |name: &str, changed: bool| {
        taken.push(name.to_owned());
        if changed {
            given.push(name.to_owned());
        }
    };
    if uses.parameters {
        add("parameters", false);
    }
    if uses.constants {
        add("k", setup);
    }
    if uses.time {
        add("t", false);
    }
    for (input, used) in function.inputs.iter().zip(&uses.inputs) {
        if *used {
            add(&input.name, false);
        }
    }
    if uses.work_read || uses.work_written {
        add("w", uses.work_written);
    }
    for (output, used) in function.outputs.iter().zip(&uses.outputs) {
        if *used {
            add(&output.name, true);
        }
    }
    if uses.iterates {
        add("failures", true);
    }
    (given, taken)
}

/// The functions that a stage is cut into.
fn stage_chunks(text: &mut LineText, public: &Public, function: &Listing<'_>, stage: &StageText) {
    if stage.is_whole() {
        return;
    }
    let setup = std::ptr::eq(stage, &function.setup);
    for chunk in stage.chunks() {
        let (given, taken) = chunk_arguments(function, &chunk.uses, setup);
        text.line("");
        begin(text, &given, &chunk_name(function, stage, chunk), &taken, false);
        idiom(&|text, call| print_call(text, public, call)).chunk(text, chunk);
        text.line("end");
    }
}

/// The body of a stage: its statements, or the calls of its chunks.
fn stage_body(text: &mut LineText, public: &Public, function: &Listing<'_>, stage: &StageText) {
    let setup = std::ptr::eq(stage, &function.setup);
    idiom(&|text, call| print_call(text, public, call)).stage(text, stage, &|text, chunk| {
        let (given, taken) = chunk_arguments(function, &chunk.uses, setup);
        let name = chunk_name(function, stage, chunk);
        text.line(&format!("{}{name}({});", assigned(&given), taken.join(", ")));
    });
}

/// The statements of the language.
fn idiom(call: &dyn Fn(&mut LineText, &ExternalCall) -> Vec<String>) -> Idiom<'_> {
    Idiom {
        remark: |text, remark| comment(text, &[header::one_line(remark)]),
        name: |text, name, value| text.line(&format!("{name} = {value};")),
        store: |text, places, value| {
            one_by_one(text, places, |place| format!("{place} = {value};"));
        },
        begin: iterate_begin,
        end: iterate_end,
        call,
        sincos: SimdSincos::Apart(&DIALECT),
        work: |text, len| text.line(&format!("w = zeros({len}, 1);")),
    }
}

fn iterate_begin(text: &mut LineText, iterate: &Iterate) {
    comment(text, &[header::one_line(&iterate.title)]);
    for (state, initial) in &iterate.states {
        text.line(&format!("{state} = {initial};"));
    }
    text.line(&format!("{} = 0;", iterate.count));
    text.line("while true");
    text.depth += 1;
}

fn iterate_end(text: &mut LineText, iterate: &Iterate) {
    let (count, converged) = (&iterate.count, &iterate.converged);
    let tests: Vec<String> = iterate
        .residuals
        .iter()
        .map(|residual| format!("abs({residual}) <= {}", iterate.tolerance))
        .collect();
    // A number, as expressions may read it.
    match tests.as_slice() {
        [] => text.line(&format!("{converged} = 1;")),
        tests => text.line(&format!("{converged} = double({});", tests.join(" && "))),
    }
    text.line(&format!("if {converged} || {count} == {}", iterate.limit));
    text.lines("    break\nend");
    if iterate.overlaps {
        for (at, next) in iterate.next.iter().enumerate() {
            text.line(&format!("{} = {next};", next_name(iterate, at)));
        }
        for (at, (state, _)) in iterate.states.iter().enumerate() {
            text.line(&format!("{state} = {};", next_name(iterate, at)));
        }
    } else {
        for ((state, _), next) in iterate.states.iter().zip(&iterate.next) {
            text.line(&format!("{state} = {next};"));
        }
    }
    text.line(&format!("{count} = {count} + 1;"));
    text.depth -= 1;
    text.line("end");
    iterate.exports.iter().for_each(|(name, value)| text.line(&format!("{name} = {value};")));
    text.line(&format!("failures = failures + 1 - {converged};"));
}

fn print_call(text: &mut LineText, public: &Public, call: &ExternalCall) -> Vec<String> {
    let (scratch, name) = (&call.scratch, &public.externals[call.external]);
    let given = call.arguments.join("; ");
    if given.len() + scratch.len() + name.len() + 4 * text.depth + 8 <= WIDTH {
        let given = if given.is_empty() { "zeros(0, 1)".to_owned() } else { format!("[{given}]") };
        text.line(&format!("{scratch} = {name}({given});"));
    } else {
        text.line(&format!("{scratch} = {name}(["));
        text.depth += 1;
        call.arguments.iter().for_each(|argument| text.line(argument));
        text.line("]);");
        text.depth -= 1;
    }
    elements(call, 1, ["(", ")"])
}

fn external(model: &PackageListing<'_>, at: usize, name: &str) -> String {
    let external = &model.externals[at];
    let mut text = text();
    begin(&mut text, &["results".to_owned()], name, &["arguments".to_owned()], true);
    help(&mut text, name, "an external function, to be filled: as it is, it gives zeros");
    text.line("%");
    comment(
        &mut text,
        &[format!(
            "External function {}: a column of {} arguments, a column of {} results.",
            header::one_line(&external.title),
            external.arguments,
            external.results
        )],
    );
    if let Some((base, directions)) = &external.derivative_of {
        let base = header::one_line(base);
        comment(
            &mut text,
            &[
                format!(
                    "The derivative of {base} along {directions} directions: each argument x is"
                ),
                "followed by its derivatives, and so is to be each result.".to_owned(),
            ],
        );
    }
    text.line("%");
    comment(&mut text, &header::origin(model));
    text.line(&format!("results = zeros({}, 1);", external.results));
    text.line("end");
    text.text
}
