//! Fortran 2008: `PREFIX.f90` with a module, and `PREFIX_demo.f90`.
//!
//! Constants are a derived type that the caller owns, one array per function. Functions are
//! subroutines with arrays of stated shape and intent, pure unless they call external functions;
//! matrices are matrices. What iterates has `failures` as its last argument: how many of its
//! iterations did not converge. External functions stand as stubs to be filled in a module of their
//! own, `PREFIX_externals.f90`.

mod demo;
mod dialect;
mod externals;
mod lines;
mod statements;

use self::dialect::{DIALECT, HELPERS};
use self::externals::externals;
use self::lines::{comment, narrow, text};
use self::statements::{idiom, print_call};
use super::public::{Public, locals, loop_locals, public};
use crate::header;
use crate::layout::LineText;
use crate::listing::{Listing, PackageListing, ResultArray, StageText, Statement, Uses, list};
use crate::names::NameRules;
use crate::package::{EmitError, File, Package};

/// Work arrays beyond this many numbers are put on the stack explicitly: compilers would make them
/// static.
const STATIC: usize = 4000;

/// Writes a package as Fortran.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let model = list(package, &DIALECT)?;
    let names = names(&model);
    let prefix = &model.prefix;
    let mut files = vec![
        File { name: format!("{prefix}.f90"), text: source(&model, &names) },
        File { name: format!("{prefix}_demo.f90"), text: demo::demo(&model, &names.public) },
    ];
    if !model.externals.is_empty() {
        let text = externals(&model, &names.public);
        files.push(File { name: format!("{prefix}_externals.f90"), text });
    }
    Ok(files)
}

/// The names of procedures, which must differ from each other and from all local names.
struct Names {
    public: Public,
    /// Of each function, what makes its constants.
    setup: Vec<String>,
    /// Of each function, the chunks of its setup.
    setup_chunks: Vec<Vec<String>>,
    /// Of each function, its chunks.
    body_chunks: Vec<Vec<String>>,
}

fn names(model: &PackageListing<'_>) -> Names {
    let (public, mut scope) = public(model, NameRules { longest: 63, ..DIALECT.rules });
    let prefix = &model.prefix;
    let mut setup = Vec::new();
    let (mut setup_chunks, mut body_chunks) = (Vec::new(), Vec::new());
    for function in &model.functions {
        let stem = format!("{prefix}_setup_{}", function.name);
        setup.push(scope.fresh(&stem));
        let mut of = |stage: &StageText, stem: &str| -> Vec<String> {
            if stage.is_whole() {
                return Vec::new();
            }
            // Short, so that numbers behind it stay.
            let stem: String = stem.chars().take(48).collect();
            stage
                .chunks()
                .iter()
                .map(|one| scope.fresh(&format!("{stem}_{}", one.number)))
                .collect()
        };
        setup_chunks.push(of(&function.setup, &stem));
        body_chunks.push(of(&function.body, &format!("{prefix}_{}", function.name)));
    }
    Names { public, setup, setup_chunks, body_chunks }
}

fn source(model: &PackageListing<'_>, names: &Names) -> String {
    let prefix = &model.prefix;
    let mut body = text();
    body.depth = 1;
    if model.has_parameters() {
        parameters(&mut body, model, &names.public);
        setup(&mut body, model, names);
    }
    for (at, function) in model.functions.iter().enumerate() {
        evaluate(&mut body, model, names, at);
        stage_chunks(&mut body, model, names, function, &function.body, &names.body_chunks[at]);
    }
    for (call, helper) in HELPERS {
        if body.text.contains(call) {
            body.line("");
            body.lines(helper);
        }
    }
    let mut text = text();
    comment(&mut text, &header::head(model, header::First::One));
    text.line(&format!("module {prefix}"));
    text.depth += 1;
    text.line("use, intrinsic :: iso_fortran_env, only: real64");
    let known = ["ieee_value", "ieee_quiet_nan", "ieee_positive_inf", "ieee_is_nan"];
    let ieee: Vec<&str> = known.into_iter().filter(|word| body.text.contains(word)).collect();
    if !ieee.is_empty() {
        text.line(&format!("use, intrinsic :: ieee_arithmetic, only: {}", ieee.join(", ")));
    }
    if !model.externals.is_empty() {
        let requested = names.public.externals.join(", ");
        text.line(&format!("use {prefix}_externals, only: {requested}"));
    }
    text.lines("implicit none\nprivate\n\n! The kind of all numbers.");
    text.line("integer, parameter, public :: dp = real64");
    if model.has_parameters() {
        constants_type(&mut text, model, &names.public);
        let Public { parameters, setup, .. } = &names.public;
        text.line("");
        text.line(&format!("public :: {parameters}, {setup}"));
    }
    for name in &names.public.functions {
        text.line(&format!("public :: {name}"));
    }
    text.depth -= 1;
    text.lines("\ncontains");
    narrow(&format!("{}{}\nend module {prefix}\n", text.text, body.text))
}

fn constants_type(text: &mut LineText, model: &PackageListing<'_>, public: &Public) {
    text.line("");
    let about = "What depends on the parameters alone, by function; filled by setup.";
    comment(text, &[about.to_owned()]);
    text.line(&format!("type, public :: {}", public.constants));
    text.depth += 1;
    for function in &model.functions {
        text.line(&format!("real(dp) :: {}({})", function.name, function.constants));
    }
    text.depth -= 1;
    text.line(&format!("end type {}", public.constants));
}

fn parameters(text: &mut LineText, model: &PackageListing<'_>, public: &Public) {
    let (name, list) = (&public.parameters, &model.package.parameters);
    text.line("");
    comment(text, &["The model's own parameters, in order.".to_owned()]);
    text.line(&format!("pure function {name}() result(parameters)"));
    text.depth += 1;
    text.line(&format!("real(dp) :: parameters({})", list.len()));
    text.line("");
    for (at, one) in list.iter().enumerate() {
        let unit = if one.unit.is_empty() { String::new() } else { format!(" [{}]", one.unit) };
        let about = header::one_line(&format!("{}{unit}", one.name));
        let number = (DIALECT.number)(one.value);
        let line = format!("parameters({}) = {number}", at + 1);
        if line.len() + about.chars().count() < 80 {
            text.line(&format!("{line}  ! {about}"));
        } else {
            comment(text, &[about]);
            text.line(&line);
        }
    }
    text.depth -= 1;
    text.line(&format!("end function {name}"));
}

/// The word in front of a procedure.
fn pure(uses: &Uses) -> &'static str {
    if uses.externals { "" } else { "pure " }
}

fn setup(text: &mut LineText, model: &PackageListing<'_>, names: &Names) {
    let name = &names.public.setup;
    let stages = || model.functions.iter().map(|function| function.setup.uses());
    let iterates = stages().any(|uses| uses.iterates);
    let word = if stages().any(|uses| uses.externals) { "" } else { "pure " };
    text.line("");
    comment(text, &["To be called at each change of the parameters.".to_owned()]);
    let last = if iterates { ", failures" } else { "" };
    text.line(&format!("{word}subroutine {name}(parameters, constants{last})"));
    text.depth += 1;
    text.line(&format!("real(dp), intent(in) :: parameters({})", model.package.parameters.len()));
    text.line(&format!("type({}), intent(out) :: constants", names.public.constants));
    if iterates {
        text.lines("integer, intent(out) :: failures\n\nfailures = 0");
    } else {
        text.line("");
    }
    let mut used = false;
    for (at, function) in model.functions.iter().enumerate() {
        if function.constants > 0 {
            used = true;
            let last = if function.setup.uses().iterates { ", failures" } else { "" };
            text.line(&format!(
                "call {}(parameters, constants%{}{last})",
                names.setup[at], function.name
            ));
        } else {
            text.line(&format!("constants%{} = 0.0_dp", function.name));
        }
    }
    if !used {
        unused(text, &["parameters"]);
    }
    text.depth -= 1;
    text.line(&format!("end subroutine {name}"));
    for (at, function) in model.functions.iter().enumerate() {
        if function.constants > 0 {
            setup_of(text, model, names, at);
            let chunks = &names.setup_chunks[at];
            stage_chunks(text, model, names, function, &function.setup, chunks);
        }
    }
}

/// The constants of one function.
fn setup_of(text: &mut LineText, model: &PackageListing<'_>, names: &Names, at: usize) {
    let (function, name) = (&model.functions[at], &names.setup[at]);
    let stage = &function.setup;
    let uses = stage.uses();
    text.line("");
    comment(text, &[format!("Constants of {}.", header::one_line(&function.part.name))]);
    let last = if uses.iterates { ", failures" } else { "" };
    text.line(&format!(
        "{}{}subroutine {name}(parameters, k{last})",
        pure(&uses),
        recursive(stage)
    ));
    text.depth += 1;
    text.line(&format!("real(dp), intent(in) :: parameters({})", model.package.parameters.len()));
    text.line(&format!("real(dp), intent(out) :: k({})", function.constants));
    if uses.iterates {
        text.line("integer, intent(inout) :: failures");
    }
    declare_stage(text, model, stage);
    text.line("");
    if !uses.parameters {
        unused(text, &["parameters"]);
    }
    stage_body(text, model, names, function, stage, &names.setup_chunks[at]);
    text.depth -= 1;
    text.line(&format!("end subroutine {name}"));
}

fn recursive(stage: &StageText) -> &'static str {
    if stage.work > STATIC { "recursive " } else { "" }
}

/// Says of arguments that they are not read.
fn unused(text: &mut LineText, arguments: &[&str]) {
    if arguments.is_empty() {
        return;
    }
    let each = arguments.iter().enumerate().map(|(at, name)| format!("unused{} => {name}", at + 1));
    text.line(&format!("associate ({})", each.collect::<Vec<String>>().join(", ")));
    text.line("end associate");
}

/// The declaration of an output's shape.
fn shape(output: &ResultArray) -> String {
    match (output.scalar, output.matrix) {
        (true, _) => String::new(),
        (_, true) => format!("({}, {})", output.rows, output.columns),
        _ => format!("({})", output.rows),
    }
}

fn evaluate(text: &mut LineText, model: &PackageListing<'_>, names: &Names, at: usize) {
    let (function, name) = (&model.functions[at], &names.public.functions[at]);
    let stage = &function.body;
    let uses = stage.uses();
    let mut arguments: Vec<&str> = Vec::new();
    if model.has_parameters() {
        arguments.push("constants");
    }
    if function.time {
        arguments.push("t");
    }
    arguments.extend(function.inputs.iter().map(|input| input.name.as_str()));
    arguments.extend(function.outputs.iter().map(|output| output.name.as_str()));
    if uses.iterates {
        arguments.push("failures");
    }
    text.line("");
    comment(text, &header::signature(function, header::First::One));
    text.line(&format!(
        "{}{}subroutine {name}({})",
        pure(&uses),
        recursive(stage),
        arguments.join(", ")
    ));
    text.depth += 1;
    if model.has_parameters() {
        text.line(&format!("type({}), intent(in) :: constants", names.public.constants));
    }
    if function.time {
        text.line("real(dp), intent(in) :: t");
    }
    for input in &function.inputs {
        text.line(&format!("real(dp), intent(in) :: {}({})", input.name, input.len));
    }
    for output in &function.outputs {
        text.line(&format!("real(dp), intent(out) :: {}{}", output.name, shape(output)));
    }
    if uses.iterates {
        text.line("integer, intent(out) :: failures");
    }
    declare_stage(text, model, stage);
    text.line("");
    let used = |at: usize| uses.inputs.get(at).copied().unwrap_or(false);
    let mut idle: Vec<&str> = Vec::new();
    if model.has_parameters() && function.constants == 0 {
        idle.push("constants");
    }
    let inputs = function.inputs.iter().enumerate();
    idle.extend(inputs.filter(|(at, _)| !used(*at)).map(|(_, one)| one.name.as_str()));
    unused(text, &idle);
    if uses.iterates {
        text.line("failures = 0");
    }
    for output in function.outputs.iter().filter(|output| output.zeros || output.is_empty()) {
        text.line(&format!("{} = 0.0_dp", output.name));
    }
    if function.constants > 0 {
        text.line(&format!("associate (k => constants%{})", function.name));
        text.depth += 1;
    }
    stage_body(text, model, names, function, stage, &names.body_chunks[at]);
    if function.constants > 0 {
        text.depth -= 1;
        text.line("end associate");
    }
    text.depth -= 1;
    text.line(&format!("end subroutine {name}"));
}

/// Declares what the main procedure of a stage has of its own.
fn declare_stage(text: &mut LineText, model: &PackageListing<'_>, stage: &StageText) {
    if stage.is_whole() {
        stage.chunks().iter().for_each(|chunk| declare(text, model, &chunk.statements));
        return;
    }
    if stage.work > 0 {
        text.line(&format!("real(dp) :: w({})", stage.work));
    }
    declare_numbers(text, &loop_locals(&stage.units));
}

fn declare(text: &mut LineText, model: &PackageListing<'_>, statements: &[Statement]) {
    let found = locals(statements);
    declare_numbers(text, &found.numbers);
    for (array, external) in &found.arrays {
        let results = model.externals[*external].results;
        text.line(&format!("real(dp) :: {array}({results})"));
    }
}

/// Declarations of many names, each in one line.
fn declare_numbers(text: &mut LineText, names: &[String]) {
    let room = crate::layout::WIDTH.saturating_sub(text.depth * text.unit.len());
    let mut line = String::new();
    for name in names {
        if !line.is_empty() && line.len() + 2 + name.len() > room {
            text.line(&std::mem::take(&mut line));
        }
        line += if line.is_empty() { "real(dp) :: " } else { ", " };
        line += name;
    }
    if !line.is_empty() {
        text.line(&line);
    }
}

/// Arguments of a chunk: names, and how each is declared.
fn chunk_arguments(
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    uses: &Uses,
    work: usize,
    setup: bool,
) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, kind: &str, intent: &str, shape: String| {
        let declaration = format!("{kind}, intent({intent}) :: {name}{shape}");
        found.push((name.to_owned(), declaration));
    };
    if uses.parameters {
        add("parameters", "real(dp)", "in", format!("({})", model.package.parameters.len()));
    }
    if uses.constants {
        let intent = if setup { "inout" } else { "in" };
        add("k", "real(dp)", intent, format!("({})", function.constants));
    }
    if uses.time {
        add("t", "real(dp)", "in", String::new());
    }
    for (input, used) in function.inputs.iter().zip(&uses.inputs) {
        if *used {
            add(&input.name, "real(dp)", "in", format!("({})", input.len));
        }
    }
    if uses.work_read || uses.work_written {
        add("w", "real(dp)", if uses.work_written { "inout" } else { "in" }, format!("({work})"));
    }
    for (output, used) in function.outputs.iter().zip(&uses.outputs) {
        if *used {
            add(&output.name, "real(dp)", "inout", shape(output));
        }
    }
    if uses.iterates {
        add("failures", "integer", "inout", String::new());
    }
    found
}

/// The procedures that a stage is cut into.
fn stage_chunks(
    text: &mut LineText,
    model: &PackageListing<'_>,
    names: &Names,
    function: &Listing<'_>,
    stage: &StageText,
    chunks: &[String],
) {
    if stage.is_whole() {
        return;
    }
    let setup = std::ptr::eq(stage, &function.setup);
    for (chunk, name) in stage.chunks().into_iter().zip(chunks) {
        let arguments = chunk_arguments(model, function, &chunk.uses, stage.work, setup);
        let called: Vec<&str> = arguments.iter().map(|(name, _)| name.as_str()).collect();
        text.line("");
        text.line(&format!("{}subroutine {name}({})", pure(&chunk.uses), called.join(", ")));
        text.depth += 1;
        arguments.iter().for_each(|(_, declaration)| text.line(declaration));
        declare(text, model, &chunk.statements);
        text.line("");
        idiom(&|text, call| print_call(text, names, call)).chunk(text, chunk);
        text.depth -= 1;
        text.line(&format!("end subroutine {name}"));
    }
}

/// The body of a stage: its statements, or the calls of its chunks.
fn stage_body(
    text: &mut LineText,
    model: &PackageListing<'_>,
    names: &Names,
    function: &Listing<'_>,
    stage: &StageText,
    chunks: &[String],
) {
    let setup = std::ptr::eq(stage, &function.setup);
    idiom(&|text, call| print_call(text, names, call)).stage(text, stage, &|text, chunk| {
        let arguments = chunk_arguments(model, function, &chunk.uses, stage.work, setup);
        let called: Vec<String> = arguments.into_iter().map(|(name, _)| name).collect();
        text.line(&format!("call {}({})", chunks[chunk.number - 1], called.join(", ")));
    });
}
