//! C99 that is good C++ as well: `PREFIX.h`, `PREFIX.c` and `PREFIX_demo.c`.
//!
//! Constants lie in a structure that the caller owns, one array per function. Functions write to
//! arrays that the caller owns, matrices by rows; they allocate nothing and keep nothing. A
//! function that iterates returns how many of its iterations did not converge. External functions
//! are declared in the header; stubs to be filled stand in `PREFIX_externals.c`.

mod batch;
mod groups;
mod lanes;
mod loops;
mod simd;
mod simd_sincos;
mod words;

use super::walk::{Idiom, SimdSincos, elements};
use crate::dialect::{Dialect, EntryPlace, plain_number, unusual};
use crate::header;
use crate::indices::indices;
use crate::layout::LineText;
use crate::listing::{
    ChunkText, ExternalCall, Iterate, Listing, PackageListing, ResultArray, SLOTS, StageText, Uses,
    list_alike,
};
use crate::names::NameRules;
use crate::package::{ARRAYS, EmitError, File, Package, array_name};
use rotule_program::ProgramOutput;
use rotule_symbolic::{Binary, Compare, Kind, Unary};
use words::RESERVED;

/// Expressions of C.
pub const DIALECT: Dialect = Dialect {
    fewest: crate::dialect::FEWEST,
    taken: &[],
    rules: NameRules { reserved: RESERVED, fold_case: false, longest: 60 },
    number: |x| unusual(x, "INFINITY", "NAN").unwrap_or_else(|| plain_number(x)),
    unary,
    binary,
    select: |compare, [left, right, then, otherwise]| {
        format!("({left} {} {right} ? {then} : {otherwise})", sign(compare))
    },
    element: |array, index| format!("{array}[{index}]"),
    entry,
};

fn unary(function: Unary, x: &str) -> String {
    match function {
        Unary::Abs => format!("fabs({x})"),
        Unary::Sign => format!("sign_of({x})"),
        _ => format!("{}({x})", function.name()),
    }
}

fn binary(function: Binary, x: &str, y: &str) -> String {
    match function {
        Binary::Min => format!("min_of({x}, {y})"),
        Binary::Max => format!("max_of({x}, {y})"),
        Binary::Atan2 | Binary::Pow => format!("{}({x}, {y})", function.name()),
    }
}

fn sign(compare: Compare) -> &'static str {
    compare.sign()
}

fn entry(name: &str, output: &ProgramOutput, place: EntryPlace) -> String {
    format!("{name}[{}]", place.row as usize * output.columns as usize + place.column as usize)
}

/// Functions that C has not, or not with our treatment of NaN. Only those that are called are
/// written.
const HELPERS: &[(&str, &str)] = &[
    (
        "sign_of(",
        "static double sign_of(double x)\n{\n    return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : x == 0.0 ? 0.0 : x;\n}\n",
    ),
    (
        "min_of(",
        "static double min_of(double x, double y)\n{\n    return x < y || x != x ? x : y;\n}\n",
    ),
    (
        "max_of(",
        "static double max_of(double x, double y)\n{\n    return x > y || x != x ? x : y;\n}\n",
    ),
];

/// Writes a package as C.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let model = list_alike(package, &DIALECT)?;
    let prefix = &model.prefix;
    let mut files = vec![
        File { name: format!("{prefix}.h"), text: head_file(&model) },
        File { name: format!("{prefix}.c"), text: source(&model) },
        File { name: format!("{prefix}_demo.c"), text: demo(&model) },
    ];
    if !model.externals.is_empty() {
        files.push(File { name: format!("{prefix}_externals.c"), text: externals(&model) });
    }
    if package.batch {
        files.extend(batch::write(package)?);
    }
    Ok(files)
}

pub(super) fn text() -> LineText {
    LineText::new("    ", "")
}

pub(super) fn comment(text: &mut LineText, lines: &[String]) {
    match lines {
        [] => {}
        [line] => text.line(&format!("/* {line} */")),
        _ => {
            for (at, line) in lines.iter().enumerate() {
                let mark = if at == 0 { "/*" } else { " *" };
                text.line(format!("{mark} {line}").trim_end());
            }
            text.line(" */");
        }
    }
}

pub(super) fn head_file(model: &PackageListing<'_>) -> String {
    let (package, prefix) = (model.package, &model.prefix);
    let upper = prefix.to_ascii_uppercase();
    let mut text = text();
    comment(&mut text, &header::head(model, header::First::Zero));
    text.lines(&format!(
        "#ifndef {upper}_H\n#define {upper}_H\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n"
    ));
    for kind in [Kind::Coordinate, Kind::Velocity] {
        let name = array_name(kind).to_ascii_uppercase();
        text.line(&format!("#define {upper}_N{name} {}", package.array(kind).len()));
    }
    if model.has_parameters() {
        text.line(&format!("#define {upper}_NPARAMETERS {}", package.parameters.len()));
    }
    index_constants(&mut text, model, &upper);
    if model.has_parameters() {
        text.line("");
        comment(&mut text, &["The model's own parameters, in order.".to_owned()]);
        text.line(&format!("extern const double {prefix}_parameters[{upper}_NPARAMETERS];"));
        text.line("");
        comment(
            &mut text,
            &["What depends on the parameters alone, by function; filled by setup.".to_owned()],
        );
        text.line("typedef struct {");
        text.depth += 1;
        for function in &model.functions {
            text.line(&format!("double {}[{}];", function.name, function.constants.max(1)));
        }
        text.depth -= 1;
        text.line(&format!("}} {prefix}_constants;"));
        text.line("");
        comment(&mut text, &["To be called at each change of the parameters.".to_owned()]);
        text.line(&format!("{};", setup_signature(model)));
    }
    for function in &model.functions {
        text.line("");
        let mut about = header::signature(function, header::First::Zero);
        if function.body.uses().iterates {
            about
                .push("Returns how many iterations did not converge: 0 if all is well.".to_owned());
        }
        comment(&mut text, &about);
        text.line(&format!("{};", signature(model, function)));
        for (table, numbers) in tables(model, function) {
            text.line(&format!("extern const int {table}[{}];", numbers.len()));
        }
    }
    for group in &model.package.groups {
        groups::declare(&mut text, model, group);
    }
    for external in &model.externals {
        text.line("");
        comment(&mut text, &external_about(external));
        let name = external_name(model, external);
        text.line(&format!("void {name}(const double *arguments, double *results);"));
    }
    text.lines("\n#ifdef __cplusplus\n}\n#endif\n\n#endif");
    text.text
}

/// Positions of arguments by name.
fn index_constants(text: &mut LineText, model: &PackageListing<'_>, upper: &str) {
    for indices in indices(model, DIALECT.rules, |name| name) {
        let (array, first) = (indices.array, &indices.names[0].0);
        text.line("");
        comment(text, &[format!("Indices of `{array}`, such as {array}[{upper}_{first}].")]);
        text.line("enum {");
        text.depth += 1;
        let last = indices.names.len() - 1;
        for (at, (name, _)) in indices.names.iter().enumerate() {
            let comma = if at < last { "," } else { "" };
            text.line(&format!("{upper}_{name} = {at}{comma}"));
        }
        text.depth -= 1;
        text.line("};");
    }
}

/// Where the stored entries of matrices are: tables of rows and of columns, from zero, with their
/// names.
fn tables(model: &PackageListing<'_>, function: &Listing<'_>) -> Vec<(String, Vec<u32>)> {
    let mut found = Vec::new();
    for (output, meaning) in function.outputs.iter().zip(&function.part.outputs) {
        if meaning.places.is_empty() {
            continue;
        }
        for (which, word) in ["rows", "columns"].into_iter().enumerate() {
            let name = format!("{}_{}_{}_{word}", model.prefix, function.name, output.name);
            found.push((name, meaning.places.iter().map(|place| place[which]).collect()));
        }
    }
    found
}

/// External functions are called after the model, so that they meet no function of any library.
pub(super) fn external_name(
    model: &PackageListing<'_>,
    external: &crate::listing::ExternalDeclaration,
) -> String {
    format!("{}_{}", model.prefix, external.name)
}

fn external_about(external: &crate::listing::ExternalDeclaration) -> Vec<String> {
    let mut lines = vec![format!(
        "External function {}, to be supplied: {} arguments, {} results.",
        header::one_line(&external.title),
        external.arguments,
        external.results
    )];
    if let Some((base, directions)) = &external.derivative_of {
        let base = header::one_line(base);
        lines.push(format!(
            "The derivative of {base} along {directions} directions: each argument x is followed by its"
        ));
        lines.push("derivatives, and so is to be each result.".to_owned());
    }
    lines
}

fn setup_signature(model: &PackageListing<'_>) -> String {
    let (prefix, upper) = (&model.prefix, model.prefix.to_ascii_uppercase());
    let result = if setup_iterates(model) { "int" } else { "void" };
    format!(
        "{result} {prefix}_setup(const double parameters[{upper}_NPARAMETERS], {prefix}_constants *constants)"
    )
}

fn setup_iterates(model: &PackageListing<'_>) -> bool {
    model.functions.iter().any(|function| function.setup.uses().iterates)
}

/// The arguments of a function, each as it is declared, with its name.
fn arguments(model: &PackageListing<'_>, function: &Listing<'_>) -> Vec<(String, String)> {
    let mut arguments = Vec::new();
    if model.has_parameters() {
        let of = format!("const {}_constants *constants", model.prefix);
        arguments.push((of, "constants".to_owned()));
    }
    if function.time {
        arguments.push(("double t".to_owned(), "t".to_owned()));
    }
    for input in &function.inputs {
        let array = format!("const double {}[{}]", input.name, input.len.max(1));
        arguments.push((array, input.name.clone()));
    }
    for output in &function.outputs {
        let array = format!("double {}[{}]", output.name, output.len().max(1));
        arguments.push((array, output.name.clone()));
    }
    arguments
}

fn result(function: &Listing<'_>) -> &'static str {
    if function.body.uses().iterates { "int" } else { "void" }
}

fn signature(model: &PackageListing<'_>, function: &Listing<'_>) -> String {
    let mut arguments: Vec<String> =
        arguments(model, function).into_iter().map(|(argument, _)| argument).collect();
    if arguments.is_empty() {
        arguments.push("void".to_owned());
    }
    let (result, prefix) = (result(function), &model.prefix);
    format!("{result} {prefix}_{}({})", function.name, arguments.join(", "))
}

pub(super) fn source(model: &PackageListing<'_>) -> String {
    let (package, prefix) = (model.package, &model.prefix);
    let mut body = text();
    if model.has_parameters() {
        let numbers: Vec<String> =
            package.parameters.iter().map(|one| (DIALECT.number)(one.value)).collect();
        let upper = prefix.to_ascii_uppercase();
        body.line(&format!("const double {prefix}_parameters[{upper}_NPARAMETERS] = {{"));
        body.depth += 1;
        body.line(&numbers.join(", "));
        body.depth -= 1;
        body.line("};");
    }
    for function in &model.functions {
        for (table, numbers) in tables(model, function) {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            body.line("");
            body.line(&format!("const int {table}[{}] = {{", numbers.len()));
            body.line(&format!("    {}", numbers.join(", ")));
            body.line("};");
        }
        stage_chunks(&mut body, model, function, &function.setup, true);
    }
    if model.has_parameters() {
        setup(&mut body, model);
    }
    for function in &model.functions {
        stage_chunks(&mut body, model, function, &function.body, false);
        evaluate(&mut body, model, function);
    }
    for group in &package.groups {
        groups::define(&mut body, model, group);
    }
    let mut text = text();
    comment(&mut text, &header::head(model, header::First::Zero));
    text.lines(&format!("#include \"{prefix}.h\"\n#include <math.h>"));
    if body.text.contains("restrict") {
        text.lines("\n#ifdef __cplusplus\n#define restrict\n#endif");
    }
    for (call, helper) in HELPERS {
        if body.text.contains(call) {
            text.line("");
            text.lines(helper);
        }
    }
    if body.text.contains(simd_sincos::CALL) || body.text.contains(loops::SINES) {
        text.line("");
        simd_sincos::define(&mut text);
    }
    if body.text.contains(loops::SINES) {
        text.line("");
        loops::define(&mut text);
    }
    lanes::define(&mut text, &body.text);
    text.line("");
    text.text + &body.text
}

/// The name of a chunk's function.
fn chunk_name(function: &Listing<'_>, chunk: &ChunkText, setup: bool) -> String {
    let stage = if setup { "_setup" } else { "" };
    format!("{}{stage}_{}", function.name, chunk.number)
}

/// Arguments of a chunk, as declared and as called.
fn chunk_arguments(
    function: &Listing<'_>,
    uses: &Uses,
    setup: bool,
    number: &str,
) -> (Vec<String>, Vec<String>) {
    let (mut declared, mut called) = (Vec::new(), Vec::new());
    let mut add = |declaration: &str, name: &str| {
        declared.push(declaration.to_owned());
        called.push(name.to_owned());
    };
    if uses.parameters {
        add(&format!("const {number} *restrict parameters"), "parameters");
    }
    if uses.constants {
        let constant = if setup { "" } else { "const " };
        add(&format!("{constant}{number} *restrict k"), "k");
    }
    if uses.time {
        add(&format!("{number} t"), "t");
    }
    for (input, used) in function.inputs.iter().zip(&uses.inputs) {
        if *used {
            add(&format!("const {number} *restrict {}", input.name), &input.name);
        }
    }
    if uses.work_written {
        add(&format!("{number} *restrict w"), "w");
    } else if uses.work_read {
        add(&format!("const {number} *restrict w"), "w");
    }
    for (output, used) in function.outputs.iter().zip(&uses.outputs) {
        if *used {
            add(&format!("{number} *restrict {}", output.name), &output.name);
        }
    }
    (declared, called)
}

/// The functions that a stage is cut into.
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
    loops::phases(text, function, stage);
    for chunk in stage.chunks().into_iter().filter(|chunk| chunk.run.is_none()) {
        let (declared, _) = chunk_arguments(function, &chunk.uses, setup, "double");
        let result = if chunk.uses.iterates { "int" } else { "void" };
        text.line("");
        text.line(&format!(
            "static {result} {}({})",
            chunk_name(function, chunk, setup),
            if declared.is_empty() { "void".to_owned() } else { declared.join(", ") }
        ));
        text.line("{");
        text.depth += 1;
        chunk_body(text, model, chunk);
        text.depth -= 1;
        text.line("}");
    }
}

/// The statements of a chunk, with the count of failures if it iterates.
fn chunk_body(text: &mut LineText, model: &PackageListing<'_>, chunk: &ChunkText) {
    if chunk.uses.iterates {
        text.line("int failures = 0;");
    }
    declare_slots(text, chunk);
    idiom(&|text, call| print_call(text, model, call)).chunk(text, chunk);
    if chunk.uses.iterates {
        text.line("return failures;");
    }
}

/// The array of temporaries that share places.
fn declare_slots(text: &mut LineText, chunk: &ChunkText) {
    if chunk.uses.slots > 0 {
        text.line(&format!("double {SLOTS}[{}];", chunk.uses.slots));
    }
}

fn setup(text: &mut LineText, model: &PackageListing<'_>) {
    text.line("");
    text.line(&setup_signature(model));
    text.line("{");
    text.depth += 1;
    let iterates = setup_iterates(model);
    if iterates {
        text.line("int failures = 0;");
    }
    let mut used = false;
    for function in model.functions.iter().filter(|function| function.constants > 0) {
        used = true;
        text.line("{");
        text.depth += 1;
        text.line(&format!("double *k = constants->{};", function.name));
        stage_body(text, model, function, &function.setup, true);
        text.depth -= 1;
        text.line("}");
    }
    if !used {
        text.line("(void)parameters;");
        text.line("(void)constants;");
    }
    if iterates {
        text.line("return failures;");
    }
    text.depth -= 1;
    text.line("}");
}

fn evaluate(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>) {
    text.line("");
    text.line(&signature(model, function));
    text.line("{");
    text.depth += 1;
    let uses = function.body.uses();
    if model.has_parameters() {
        match uses.constants {
            true => text.line(&format!("const double *k = constants->{};", function.name)),
            false => text.line("(void)constants;"),
        }
    }
    if uses.iterates {
        text.line("int failures = 0;");
    }
    for (at, input) in function.inputs.iter().enumerate() {
        if !uses.inputs.get(at).copied().unwrap_or(false) {
            text.line(&format!("(void){};", input.name));
        }
    }
    for output in function.outputs.iter().filter(|output| output.zeros || output.is_empty()) {
        zero(text, output);
    }
    stage_body(text, model, function, &function.body, false);
    if uses.iterates {
        text.line("return failures;");
    }
    text.depth -= 1;
    text.line("}");
}

fn zero(text: &mut LineText, output: &ResultArray) {
    if output.is_empty() {
        text.line(&format!("(void){};", output.name));
        return;
    }
    text.line(&format!("for (int i = 0; i < {}; i++) {{", output.len()));
    text.line(&format!("    {}[i] = 0.0;", output.name));
    text.line("}");
}

/// The body of a stage: its statements, or the calls of its chunks.
fn stage_body(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    stage: &StageText,
    setup: bool,
) {
    let call = |text: &mut LineText, call: &ExternalCall| print_call(text, model, call);
    let idiom = idiom(&call);
    if stage.is_whole() {
        for chunk in stage.chunks() {
            declare_slots(text, chunk);
            idiom.chunk(text, chunk);
        }
        return;
    }
    if stage.work > 0 {
        (idiom.work)(text, stage.work);
    }
    loops::sines(text, stage);
    idiom.units(text, &stage.units, &|text, chunk| {
        if let Some(run) = &chunk.run {
            return loops::run(text, function, run);
        }
        let (_, called) = chunk_arguments(function, &chunk.uses, setup, "double");
        let count = if chunk.uses.iterates { "failures += " } else { "" };
        let name = chunk_name(function, chunk, setup);
        text.line(&format!("{count}{name}({});", called.join(", ")));
    });
}

/// The statements of the language.
fn idiom(call: &dyn Fn(&mut LineText, &ExternalCall) -> Vec<String>) -> Idiom<'_> {
    Idiom {
        remark: |text, remark| text.line(&format!("/* {} */", header::one_line(remark))),
        name: |text, name, value| text.line(&format!("const double {name} = {value};")),
        store: |text, places, value| text.line(&format!("{} = {value};", places.join(" = "))),
        begin: iterate_begin,
        end: iterate_end,
        call,
        sincos: SimdSincos::Together(simd_sincos::print),
        work: |text, len| text.line(&format!("double w[{len}];")),
    }
}

fn iterate_begin(text: &mut LineText, iterate: &Iterate) {
    text.line(&format!("/* {} */", header::one_line(&iterate.title)));
    let word = if iterate.in_work { "" } else { "double " };
    for (state, initial) in &iterate.states {
        text.line(&format!("{word}{state} = {initial};"));
    }
    // Doubles, because expressions may use them.
    text.line(&format!("double {} = 0.0;", iterate.count));
    text.line(&format!("double {} = 0.0;", iterate.converged));
    iterate.exports.iter().for_each(|(name, _)| text.line(&format!("double {name};")));
    text.line("for (;;) {");
    text.depth += 1;
}

fn iterate_end(text: &mut LineText, iterate: &Iterate) {
    let tests: Vec<String> = iterate
        .residuals
        .iter()
        .map(|residual| format!("fabs({residual}) <= {}", iterate.tolerance))
        .collect();
    let test = if tests.is_empty() { "1".to_owned() } else { tests.join(" && ") };
    let (count, converged) = (&iterate.count, &iterate.converged);
    text.line(&format!("{converged} = {test} ? 1.0 : 0.0;"));
    text.line(&format!("if ({converged} > 0.0 || {count} >= {}.0) {{", iterate.limit));
    text.depth += 1;
    iterate.exports.iter().for_each(|(name, value)| text.line(&format!("{name} = {value};")));
    text.line("break;");
    text.depth -= 1;
    text.line("}");
    if iterate.overlaps {
        text.line("{");
        text.depth += 1;
        for (at, next) in iterate.next.iter().enumerate() {
            text.line(&format!("const double {count}_next{at} = {next};"));
        }
        for (at, (state, _)) in iterate.states.iter().enumerate() {
            text.line(&format!("{state} = {count}_next{at};"));
        }
        text.depth -= 1;
        text.line("}");
    } else {
        for ((state, _), next) in iterate.states.iter().zip(&iterate.next) {
            text.line(&format!("{state} = {next};"));
        }
    }
    text.line(&format!("{count} += 1.0;"));
    text.depth -= 1;
    text.line("}");
    text.line(&format!("failures += {converged} < 1.0;"));
}

fn print_call(text: &mut LineText, model: &PackageListing<'_>, call: &ExternalCall) -> Vec<String> {
    let external = &model.externals[call.external];
    let (scratch, arguments) = (&call.scratch, call.arguments.join(", "));
    let given = format!("{scratch}_in");
    if call.arguments.is_empty() {
        text.line(&format!("const double {given}[1] = {{0.0}};"));
    } else {
        text.line(&format!("const double {given}[{}] = {{{arguments}}};", call.arguments.len()));
    }
    text.line(&format!("double {scratch}[{}];", external.results.max(1)));
    text.line(&format!("{}({given}, {scratch});", external_name(model, external)));
    elements(call, 0, ["[", "]"])
}

fn externals(model: &PackageListing<'_>) -> String {
    let mut text = text();
    let mut about = header::origin(model);
    about.push(
        "Stubs of the external functions, to be filled: as they are, they give zeros.".to_owned(),
    );
    comment(&mut text, &about);
    text.line(&format!("#include \"{}.h\"", model.prefix));
    for group in &model.package.groups {
        groups::declare(&mut text, model, group);
    }
    for external in &model.externals {
        text.line("");
        comment(&mut text, &external_about(external));
        let name = external_name(model, external);
        text.line(&format!("void {name}(const double *arguments, double *results)"));
        text.line("{");
        text.depth += 1;
        text.line("(void)arguments;");
        for at in 0..external.results {
            text.line(&format!("results[{at}] = 0.0;"));
        }
        text.depth -= 1;
        text.line("}");
    }
    text.text
}

/// A program that calls each function once and prints `FUNCTION OUTPUT ROW COLUMN NUMBER`, counted
/// from one.
fn demo(model: &PackageListing<'_>) -> String {
    let (package, prefix) = (model.package, &model.prefix);
    let mut text = text();
    let extra =
        if model.externals.is_empty() { String::new() } else { format!(" {prefix}_externals.c") };
    let mut about = header::origin(model);
    about.push(
        "Calls each function once at the model's initial state and prints what it gives."
            .to_owned(),
    );
    about.push(format!("  cc -O2 {prefix}.c {prefix}_demo.c{extra} -lm -o demo && ./demo"));
    comment(&mut text, &about);
    text.lines(&format!("#include \"{prefix}.h\"\n#include <stdio.h>"));
    text.line("");
    text.lines(
        "static void show(const char *function, const char *output, int rows, int columns, const double *x)\n{",
    );
    text.depth += 1;
    text.lines("for (int i = 0; i < rows; i++) {\n    for (int j = 0; j < columns; j++) {");
    text.line("        printf(\"%s %s %d %d %.17g\\n\", function, output, i + 1, j + 1, x[i * columns + j]);");
    text.lines("    }\n}");
    text.depth -= 1;
    text.lines("}\n\nint main(void)\n{");
    text.depth += 1;
    if model.functions.iter().any(|function| function.time) {
        text.line(&format!("const double t = {};", (DIALECT.number)(package.time)));
    }
    // The vectors of groups are those that the demo computes.
    for kind in ARRAYS.into_iter().filter(|kind| *kind != Kind::Shared) {
        if package.functions.iter().any(|part| part.inputs.contains(&kind)) {
            let numbers: Vec<String> =
                package.array(kind).iter().map(|one| (DIALECT.number)(one.value)).collect();
            let numbers = if numbers.is_empty() { "0.0".to_owned() } else { numbers.join(", ") };
            let len = package.array(kind).len().max(1);
            text.line(&format!("const double {}[{len}] = {{{numbers}}};", array_name(kind)));
        }
    }
    if model.has_parameters() {
        text.line(&format!("static {prefix}_constants constants;"));
        text.line(&format!("{prefix}_setup({prefix}_parameters, &constants);"));
    }
    for group in &package.groups {
        text.line(&format!("static {prefix}_{0} group_{0};", group.name));
    }
    for (at, function) in model.functions.iter().enumerate() {
        demo_call(&mut text, model, function, groups::Call::of(package, at));
    }
    text.line("return 0;");
    text.depth -= 1;
    text.line("}");
    text.text
}

fn demo_call(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    group: Option<groups::Call<'_>>,
) {
    let prefix = &model.prefix;
    text.line("{");
    text.depth += 1;
    let vector = group.map(|call| format!("group_{}.shared", call.group.name));
    let update = group.filter(|call| call.updates).map(|call| call.group.name.as_str());
    let mut arguments = Vec::new();
    if let Some(group) = update {
        arguments.extend([format!("&group_{group}"), "1".to_owned()]);
    }
    if model.has_parameters() {
        arguments.push("&constants".to_owned());
    }
    if function.time {
        arguments.push("t".to_owned());
    }
    arguments.extend(function.inputs.iter().map(|input| match (input.kind, &vector) {
        (Kind::Shared, Some(vector)) => vector.clone(),
        _ => input.name.clone(),
    }));
    // An update has its vector in the structure.
    let own = |at: usize| update.is_none() || at > 0;
    for (_, output) in function.outputs.iter().enumerate().filter(|(at, _)| own(*at)) {
        text.line(&format!("static double out_{}[{}];", output.name, output.len().max(1)));
        arguments.push(format!("out_{}", output.name));
    }
    let name = match update {
        Some(group) => format!("{group}_update"),
        None => function.name.clone(),
    };
    let call = format!("{prefix}_{name}({})", arguments.join(", "));
    if function.body.uses().iterates {
        text.line(&format!("if ({call} > 0) {{"));
        text.line(&format!(
            "    fprintf(stderr, \"{}: an iteration did not converge\\n\");",
            function.name
        ));
        text.line("}");
    } else {
        text.line(&format!("{call};"));
    }
    if let Some(group) = update {
        // Once per state, however often it is called.
        text.line(&format!("(void){call};"));
        text.line(&format!("if (group_{group}.updates != 1) {{"));
        text.line("    return 1;");
        text.line("}");
    }
    let outputs = function.part.program.outputs().iter().zip(&function.outputs);
    for (at, (output, named)) in outputs.enumerate() {
        let array = match &vector {
            Some(vector) if !own(at) => vector.clone(),
            _ => format!("out_{}", named.name),
        };
        text.line(&format!(
            "show(\"{}\", \"{}\", {}, {}, {array});",
            function.name, output.name, named.rows, named.columns
        ));
    }
    text.depth -= 1;
    text.line("}");
}
