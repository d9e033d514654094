//! JavaScript: the ES module `PREFIX.mjs` with its declarations `PREFIX.d.mts`, and
//! `PREFIX_demo.mjs`.
//!
//! Functions take anything that is indexed like an array and give `Float64Array`s, matrices by
//! rows. The last argument is where results go; without it they are made new. A function that gives
//! several results, or that may fail to converge, gives an object. The module's own comments are
//! types enough for `tsc --checkJs --strict`.

use super::walk::{Idiom, SimdSincos, elements};
use crate::dialect::{Dialect, plain_number, unusual};
use crate::header;
use crate::languages::script::{
    Form, Role, arrays, calls, camel, chunk_arguments, chunk_name, external_about, form, is_plain,
    quoted, setup_iterates, with_constants,
};
use crate::layout::LineText;
use crate::listing::{
    ChunkText, ExternalCall, Iterate, Listing, PackageListing, ResultArray, StageText, list,
};
use crate::names::{NameRules, NameScope};
use crate::package::{EmitError, File, Package};
use rotule_symbolic::{Binary, Unary};

/// The words of JavaScript and TypeScript, and what the module itself uses.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "abstract", "any", "arguments", "as", "async", "await", "boolean", "break", "case", "catch", "class", "const",
    "continue", "debugger", "declare", "default", "delete", "do", "else", "enum", "eval", "export", "extends", "false",
    "finally", "for", "from", "function", "get", "if", "implements", "import", "in", "instanceof", "interface", "let",
    "module", "namespace", "never", "new", "null", "number", "object", "of", "package", "private", "protected",
    "public", "readonly", "require", "return", "set", "static", "string", "super", "switch", "symbol", "this",
    "throw", "true", "try", "type", "typeof", "undefined", "unknown", "var", "void", "while", "with", "yield",
    "Infinity", "Math", "NaN", "Float64Array", "RangeError", "ArrayLike", "Object", "Array", "Constants", "Numbers",
    "Results", "globalThis", "constructor", "prototype", "length", "name", "failures", "needs", "out", "pow",
    "parameterNames", "show", "given", "then",
];

/// Expressions of JavaScript.
pub const DIALECT: Dialect = Dialect {
    fewest: crate::dialect::FEWEST,
    taken: &[],
    rules: NameRules { reserved: RESERVED, fold_case: false, longest: 60 },
    number: |x| unusual(x, "Infinity", "NaN").unwrap_or_else(|| plain_number(x)),
    unary,
    binary,
    select: |compare, [left, right, then, otherwise]| {
        let sign = match compare.sign() {
            "==" => "===",
            "!=" => "!==",
            sign => sign,
        };
        format!("({left} {sign} {right} ? {then} : {otherwise})")
    },
    element: |array, index| format!("{array}[{index}]"),
    entry: |name, output, place| {
        format!("{name}[{}]", place.row as usize * output.columns as usize + place.column as usize)
    },
};

fn unary(function: Unary, x: &str) -> String {
    format!("Math.{}({x})", function.name())
}

fn binary(function: Binary, x: &str, y: &str) -> String {
    match function {
        // One to any power is one, which JavaScript denies.
        Binary::Pow => format!("pow({x}, {y})"),
        Binary::Atan2 | Binary::Min | Binary::Max => format!("Math.{}({x}, {y})", function.name()),
    }
}

const POW: &str = "
/**
 * A power as IEEE 754 has it: one to any power is one.
 * @param {number} x
 * @param {number} y
 * @returns {number}
 */
function pow(x, y) {
    return x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : Math.pow(x, y);
}";

const NEEDS: &str = "
/**
 * @param {string} name
 * @param {Numbers} given
 * @param {number} size
 */
function needs(name, given, size) {
    if (given.length !== size) {
        throw new RangeError(`${name}: ${size} numbers are needed, found ${given.length}`);
    }
}";

/// Writes a package as JavaScript.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let model = list(package, &DIALECT)?;
    let prefix = &model.prefix;
    let types = type_names(&model);
    let mut files = vec![
        File { name: format!("{prefix}.mjs"), text: module(&model, &types) },
        File { name: format!("{prefix}.d.mts"), text: declarations(&model, &types) },
        File { name: format!("{prefix}_demo.mjs"), text: demo(&model) },
    ];
    if !model.externals.is_empty() {
        files.push(File { name: format!("{prefix}_externals.mjs"), text: externals(&model) });
    }
    Ok(files)
}

fn text() -> LineText {
    LineText::new("    ", "")
}

/// A comment for people and tools.
fn comment(text: &mut LineText, lines: &[String]) {
    text.line("/**");
    lines.iter().for_each(|line| text.line(format!(" * {line}").trim_end()));
    text.line(" */");
}

/// The name of the type that each function gives, empty for one that gives a single array or
/// number.
fn type_names(model: &PackageListing<'_>) -> Vec<String> {
    let mut scope = NameScope::new(DIALECT.rules);
    model.functions.iter().for_each(|function| scope.take(&function.name));
    let each = model.functions.iter().map(|function| match is_plain(function) {
        true => String::new(),
        false => scope.fresh(&camel(&function.name)),
    });
    each.collect()
}

/// Where the results of a function go: the name of its last argument and its type, if it has one.
fn place<'a>(function: &'a Listing<'_>, class: &'a str) -> Option<(&'a str, &'a str)> {
    match function.outputs.as_slice() {
        [output] if is_plain(function) => match form(output) {
            Form::Scalar => None,
            Form::Vector | Form::Matrix => Some((&output.name, "Float64Array")),
        },
        _ => Some(("out", class)),
    }
}

/// The type of a function's result.
fn result<'a>(function: &'a Listing<'_>, class: &'a str) -> &'a str {
    place(function, class).map_or("number", |(_, of)| of)
}

/// Arguments of a function besides its results: names and types.
fn arguments(model: &PackageListing<'_>, function: &Listing<'_>) -> Vec<(String, &'static str)> {
    let mut list = Vec::new();
    if model.has_parameters() {
        list.push(("constants".to_owned(), "Constants"));
    }
    if function.time {
        list.push(("t".to_owned(), "number"));
    }
    list.extend(function.inputs.iter().map(|input| (input.name.clone(), "Numbers")));
    list
}

/// The fields of what a function gives: name, type, what it starts from.
fn fields(function: &Listing<'_>) -> Vec<(String, &'static str, String)> {
    let field = |output: &ResultArray| match form(output) {
        Form::Scalar => (output.name.clone(), "number", "0.0".to_owned()),
        Form::Vector | Form::Matrix => {
            (output.name.clone(), "Float64Array", format!("new Float64Array({})", output.len()))
        }
    };
    let mut fields: Vec<_> = function.outputs.iter().map(field).collect();
    if function.body.uses().iterates {
        fields.push(("failures".to_owned(), "number", "0".to_owned()));
    }
    fields
}

fn declarations(model: &PackageListing<'_>, types: &[String]) -> String {
    let mut text = text();
    comment(&mut text, &header::head(model, header::First::Zero));
    text.lines("\n/** Anything that is indexed like an array of numbers. */");
    text.line("export type Numbers = ArrayLike<number>;");
    if model.has_parameters() {
        text.lines("\n/** The model's own parameters, in order. */");
        text.line("export const parameters: Float64Array;");
        text.line("export const parameterNames: readonly string[];");
        text.lines("\n/** What depends on the parameters alone, by function; made by `setup`. */");
        text.line("export interface Constants {");
        text.depth += 1;
        for function in with_constants(model) {
            text.line(&format!("readonly {}: Float64Array;", function.name));
        }
        if setup_iterates(model) {
            text.line("/** How many iterations of `setup` did not converge. */");
            text.line("failures: number;");
        }
        text.depth -= 1;
        text.line("}");
        text.lines("\n/** To be called at each change of the parameters; fills constants that are given. */");
        text.line("export function setup(parameters?: Numbers, constants?: Constants): Constants;");
    }
    for (function, class) in model.functions.iter().zip(types) {
        if !class.is_empty() {
            text.lines(&format!("\n/** What `{}` gives. */", function.name));
            text.line(&format!("export interface {class} {{"));
            for (name, of, _) in fields(function) {
                if name == "failures" {
                    text.line("    /** How many iterations did not converge. */");
                }
                text.line(&format!("    {name}: {of};"));
            }
            text.line("}");
        }
        text.line("");
        comment(&mut text, &header::signature(function, header::First::Zero));
        let mut list: Vec<String> =
            arguments(model, function).iter().map(|(name, of)| format!("{name}: {of}")).collect();
        list.extend(place(function, class).map(|(name, of)| format!("{name}?: {of}")));
        let of = result(function, class);
        text.line(&format!("export function {}({}): {of};", function.name, list.join(", ")));
    }
    text.text
}

fn module(model: &PackageListing<'_>, types: &[String]) -> String {
    let package = model.package;
    let mut body = text();
    for function in &model.functions {
        stage_chunks(&mut body, model, function, &function.setup, true);
        stage_chunks(&mut body, model, function, &function.body, false);
    }
    if model.has_parameters() {
        setup(&mut body, model);
    }
    for (function, class) in model.functions.iter().zip(types) {
        evaluate(&mut body, model, function, class);
    }

    let mut text = text();
    comment(&mut text, &header::head(model, header::First::Zero));
    if !model.externals.is_empty() {
        text.lines(&format!("\nimport * as externals from \"./{}_externals.mjs\";", model.prefix));
    }
    text.lines("\n/** @typedef {ArrayLike<number>} Numbers */");
    if model.has_parameters() {
        let mut fields: Vec<String> =
            with_constants(model).map(|f| format!("{}: Float64Array", f.name)).collect();
        if setup_iterates(model) {
            fields.push("failures: number".to_owned());
        }
        text.line(&format!("/** @typedef {{{{ {} }}}} Constants */", fields.join(", ")));
    }
    for (function, class) in model.functions.iter().zip(types).filter(|(_, of)| !of.is_empty()) {
        let fields: Vec<String> =
            fields(function).iter().map(|(name, of, _)| format!("{name}: {of}")).collect();
        text.line(&format!("/** @typedef {{{{ {} }}}} {class} */", fields.join(", ")));
    }
    if model.has_parameters() {
        text.lines("\n/** The model's own parameters, in order. */");
        let numbers: Vec<String> =
            package.parameters.iter().map(|one| (DIALECT.number)(one.value)).collect();
        text.line("export const parameters = Float64Array.of(");
        text.line(&format!("    {}", numbers.join(", ")));
        text.line(");");
        text.line("export const parameterNames = [");
        package
            .parameters
            .iter()
            .for_each(|one| text.line(&format!("    {},", quoted(&one.name, ""))));
        text.line("];");
    }
    if calls(&body.text, "pow") {
        text.lines(POW);
    }
    text.lines(NEEDS);
    text.text += &body.text;
    text.text
}

/// The comment with the types of a function's arguments, and its head.
fn define(text: &mut LineText, name: &str, arguments: &[(String, &str)], result: &str) {
    text.line("");
    let mut lines: Vec<String> =
        arguments.iter().map(|(name, of)| format!("@param {{{of}}} {name}")).collect();
    lines.push(format!("@returns {{{result}}}"));
    comment(text, &lines);
    let names: Vec<&str> = arguments.iter().map(|(name, _)| name.as_str()).collect();
    text.line(&format!("function {name}({}) {{", names.join(", ")));
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
    for chunk in stage.chunks() {
        let own = chunk_arguments(function, &chunk.uses, setup);
        let own: Vec<(String, &str)> = own
            .into_iter()
            .map(|(name, role)| match role {
                Role::Number => (name, "number"),
                Role::Read => (name, "Numbers"),
                Role::Written => (name, "Float64Array"),
            })
            .collect();
        let result = if chunk.uses.iterates { "number" } else { "void" };
        define(text, &chunk_name(function, chunk.number, setup), &own, result);
        text.depth += 1;
        chunk_body(text, model, chunk);
        text.depth -= 1;
        text.line("}");
    }
}

/// The statements of a chunk, with the count of failures if it iterates.
fn chunk_body(text: &mut LineText, model: &PackageListing<'_>, chunk: &ChunkText) {
    if chunk.uses.iterates {
        text.line("let failures = 0;");
    }
    idiom(&|text, call| print_call(text, model, call)).chunk(text, chunk);
    if chunk.uses.iterates {
        text.line("return failures;");
    }
}

fn setup(text: &mut LineText, model: &PackageListing<'_>) {
    text.line("");
    comment(
        text,
        &[
            "To be called at each change of the parameters; fills constants that are given."
                .to_owned(),
            "@param {Numbers} [given]".to_owned(),
            "@param {Constants} [constants]".to_owned(),
            "@returns {Constants}".to_owned(),
        ],
    );
    text.line("export function setup(given = parameters, constants = _newConstants()) {");
    text.depth += 1;
    text.line(&format!("needs(\"parameters\", given, {});", model.package.parameters.len()));
    let iterates = setup_iterates(model);
    if iterates {
        text.line("let failures = 0;");
    }
    for function in with_constants(model) {
        let fails = function.setup.uses().iterates;
        let count = if fails { "failures += " } else { "" };
        text.line(&format!("{count}_setup_{0}(given, constants.{0});", function.name));
    }
    if iterates {
        text.line("constants.failures = failures;");
    }
    text.line("return constants;");
    text.depth -= 1;
    text.line("}");
    text.lines("\n/** @returns {Constants} */\nfunction _newConstants() {\n    return {");
    for function in with_constants(model) {
        text.line(&format!("        {}: new Float64Array({}),", function.name, function.constants));
    }
    if iterates {
        text.line("        failures: 0,");
    }
    text.lines("    };\n}");
    for function in with_constants(model) {
        let own = [("parameters".to_owned(), "Numbers"), ("k".to_owned(), "Float64Array")];
        let iterates = function.setup.uses().iterates;
        let result = if iterates { "number" } else { "void" };
        define(text, &format!("_setup_{}", function.name), &own, result);
        text.depth += 1;
        if iterates {
            text.line("let failures = 0;");
        }
        stage_body(text, model, function, &function.setup, true);
        if iterates {
            text.line("return failures;");
        }
        text.depth -= 1;
        text.line("}");
    }
}

fn evaluate(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>, class: &str) {
    let own = arguments(model, function);
    let place = place(function, class);
    let result = result(function, class);
    text.line("");
    let mut lines = header::signature(function, header::First::Zero);
    lines.extend(own.iter().map(|(name, of)| format!("@param {{{of}}} {name}")));
    lines.extend(place.map(|(name, of)| format!("@param {{{of}}} [{name}]")));
    lines.push(format!("@returns {{{result}}}"));
    comment(text, &lines);
    let mut names: Vec<String> = own.into_iter().map(|(name, _)| name).collect();
    let fields = fields(function);
    match place {
        Some(("out", _)) if !is_plain(function) => {
            let new: Vec<String> =
                fields.iter().map(|(name, _, new)| format!("{name}: {new}")).collect();
            names.push(format!("out = {{ {} }}", new.join(", ")));
        }
        Some((name, _)) => names.push(format!("{name} = {}", fields[0].2)),
        None => {}
    }
    text.line(&format!("export function {}({}) {{", function.name, names.join(", ")));
    text.depth += 1;
    for input in &function.inputs {
        text.line(&format!("needs(\"{0}\", {0}, {1});", input.name, input.len));
    }
    if function.constants > 0 {
        text.line(&format!("const k = constants.{};", function.name));
    }
    for output in &function.outputs {
        let name = &output.name;
        if form(output) == Form::Scalar {
            text.line(&format!("const {name} = new Float64Array(1);"));
            continue;
        }
        if !is_plain(function) {
            text.line(&format!("const {name} = out.{name};"));
        }
        text.line(&format!("needs(\"{name}\", {name}, {});", output.len()));
        if output.zeros {
            text.line(&format!("{name}.fill(0.0);"));
        }
    }
    let iterates = function.body.uses().iterates;
    if iterates {
        text.line("let failures = 0;");
    }
    stage_body(text, model, function, &function.body, false);
    if is_plain(function) {
        let name = &function.outputs[0].name;
        let index = if place.is_none() { "[0]" } else { "" };
        text.line(&format!("return {name}{index};"));
    } else {
        for output in function.outputs.iter().filter(|output| form(output) == Form::Scalar) {
            text.line(&format!("out.{0} = {0}[0];", output.name));
        }
        if iterates {
            text.line("out.failures = failures;");
        }
        text.line("return out;");
    }
    text.depth -= 1;
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
    idiom(&|text, call| print_call(text, model, call)).stage(text, stage, &|text, chunk| {
        let own = chunk_arguments(function, &chunk.uses, setup);
        let names: Vec<String> = own.into_iter().map(|(name, _)| name).collect();
        let count = if chunk.uses.iterates { "failures += " } else { "" };
        let name = chunk_name(function, chunk.number, setup);
        text.line(&format!("{count}{name}({});", names.join(", ")));
    });
}

/// The statements of the language.
fn idiom(call: &dyn Fn(&mut LineText, &ExternalCall) -> Vec<String>) -> Idiom<'_> {
    Idiom {
        remark: |text, remark| text.line(&format!("// {}", header::one_line(remark))),
        name: |text, name, value| text.line(&format!("const {name} = {value};")),
        store: |text, places, value| text.line(&format!("{} = {value};", places.join(" = "))),
        begin: iterate_begin,
        end: iterate_end,
        call,
        sincos: SimdSincos::Apart(&DIALECT),
        work: |text, len| text.line(&format!("const w = new Float64Array({len});")),
    }
}

fn iterate_begin(text: &mut LineText, iterate: &Iterate) {
    text.line(&format!("// {}", header::one_line(&iterate.title)));
    let word = if iterate.in_work { "" } else { "let " };
    for (state, initial) in &iterate.states {
        text.line(&format!("{word}{state} = {initial};"));
    }
    text.line(&format!("let {} = 0;", iterate.count));
    text.line(&format!("let {} = 0;", iterate.converged));
    iterate.exports.iter().for_each(|(name, _)| text.line(&format!("let {name} = 0;")));
    text.line("for (;;) {");
    text.depth += 1;
}

fn iterate_end(text: &mut LineText, iterate: &Iterate) {
    let small = |residual: &String| format!("Math.abs({residual}) <= {}", iterate.tolerance);
    let tests: Vec<String> = iterate.residuals.iter().map(small).collect();
    let test = if tests.is_empty() { "true".to_owned() } else { tests.join(" && ") };
    let (count, converged) = (&iterate.count, &iterate.converged);
    text.line(&format!("{converged} = {test} ? 1 : 0;"));
    text.line(&format!("if ({converged} === 1 || {count} === {}) {{", iterate.limit));
    text.depth += 1;
    iterate.exports.iter().for_each(|(name, value)| text.line(&format!("{name} = {value};")));
    text.line("break;");
    text.depth -= 1;
    text.line("}");
    if iterate.overlaps {
        // An array would be made in each iteration; names are free.
        text.line("{");
        text.depth += 1;
        for (at, next) in iterate.next.iter().enumerate() {
            text.line(&format!("const _next{at} = {next};"));
        }
        for (at, (state, _)) in iterate.states.iter().enumerate() {
            text.line(&format!("{state} = _next{at};"));
        }
        text.depth -= 1;
        text.line("}");
    } else {
        for ((state, _), next) in iterate.states.iter().zip(&iterate.next) {
            text.line(&format!("{state} = {next};"));
        }
    }
    text.line(&format!("{count}++;"));
    text.depth -= 1;
    text.line("}");
    text.line(&format!("failures += 1 - {converged};"));
}

fn print_call(text: &mut LineText, model: &PackageListing<'_>, call: &ExternalCall) -> Vec<String> {
    let external = &model.externals[call.external];
    let (scratch, list) = (&call.scratch, call.arguments.join(", "));
    text.line(&format!("const {scratch} = externals.{}([{list}]);", external.name));
    elements(call, 0, ["[", "]"])
}

fn externals(model: &PackageListing<'_>) -> String {
    let mut text = text();
    let mut about = header::origin(model);
    about.push(
        "Stubs of the external functions, to be filled: as they are, they give zeros.".to_owned(),
    );
    comment(&mut text, &about);
    for external in &model.externals {
        text.line("");
        let mut lines = external_about(external);
        lines.push("@param {number[]} given".to_owned());
        lines.push("@returns {ArrayLike<number>}".to_owned());
        comment(&mut text, &lines);
        text.line(&format!("export function {}(given) {{", external.name));
        let zeros = vec!["0.0"; external.results as usize];
        text.line("    void given;");
        text.line("    /** @type {number[]} */");
        text.line(&format!("    const results = [{}];", zeros.join(", ")));
        text.line("    return results;");
        text.line("}");
    }
    text.text
}

/// A program that calls each function once and prints `FUNCTION OUTPUT ROW COLUMN NUMBER`, counted
/// from one.
fn demo(model: &PackageListing<'_>) -> String {
    let (package, prefix) = (model.package, &model.prefix);
    let mut text = text();
    let mut about = header::origin(model);
    about.push(
        "Calls each function once at the model's initial state and prints what it gives."
            .to_owned(),
    );
    about.push(format!("  node {prefix}_demo.mjs"));
    comment(&mut text, &about);
    text.lines(&format!("\nimport * as model from \"./{prefix}.mjs\";"));
    text.lines(
        "\n/**\n * @param {string} name\n * @param {number} columns\n * @param {ArrayLike<number>} given\n */\n\
         function show(name, columns, given) {\n    for (let at = 0; at < given.length; at++) {\n        \
         const place = `${Math.floor(at / columns) + 1} ${(at % columns) + 1}`;\n        \
         console.log(`${name} ${place} ${given[at].toExponential(16)}`);\n    }\n}\n",
    );
    if model.functions.iter().any(|function| function.time) {
        text.line(&format!("const t = {};", (DIALECT.number)(package.time)));
    }
    for (name, quantities) in arrays(package) {
        let numbers: Vec<String> =
            quantities.iter().map(|one| (DIALECT.number)(one.value)).collect();
        text.line(&format!("const {name} = Float64Array.of({});", numbers.join(", ")));
    }
    if model.has_parameters() {
        text.line("const constants = model.setup();");
    }
    for function in &model.functions {
        let names: Vec<String> =
            arguments(model, function).into_iter().map(|(name, _)| name).collect();
        text.line("{");
        text.depth += 1;
        text.line(&format!("const given = model.{}({});", function.name, names.join(", ")));
        for (output, named) in function.part.program.outputs().iter().zip(&function.outputs) {
            let field = if is_plain(function) {
                "given".to_owned()
            } else {
                format!("given.{}", named.name)
            };
            let field = if form(named) == Form::Scalar { format!("[{field}]") } else { field };
            let name = quoted(&format!("{} {}", function.name, output.name), "");
            text.line(&format!("show({name}, {}, {field});", named.columns));
        }
        text.depth -= 1;
        text.line("}");
    }
    text.text
}
