//! Julia 1.6 or later: the module in `PREFIX.jl` and `PREFIX_demo.jl`.
//!
//! `inverse!` fills arrays that the caller owns, results first, as Julia has it; `inverse` makes
//! them. Matrices are Julia's own. Constants lie in a structure, one vector per function. Julia
//! raises an error for a square root of a negative number and its like, where IEEE arithmetic goes
//! on with NaN: small functions of the module do as the latter, since a select may well drop such a
//! value.

use super::walk::{Idiom, SimdSincos, elements};
use crate::dialect::{Dialect, plain_number, unusual};
use crate::header;
use crate::languages::script::{
    Form, arrays, calls, camel, chunk_arguments, chunk_name, external_about, form, is_plain,
    quoted, setup_iterates, with_constants,
};
use crate::layout::LineText;
use crate::listing::{ChunkText, ExternalCall, Iterate, Listing, PackageListing, StageText, list};
use crate::names::{NameRules, NameScope};
use crate::package::{EmitError, File, Package};
use rotule_program::ProgramOutput;
use rotule_symbolic::{Binary, Unary};

/// The words of Julia, and what the module itself uses.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "abstract", "as", "baremodule", "begin", "break", "catch", "ccall", "const", "continue", "do", "else", "elseif",
    "end", "export", "false", "finally", "for", "function", "global", "if", "import", "in", "isa", "let", "local",
    "macro", "module", "mutable", "new", "outer", "primitive", "public", "quote", "return", "struct", "true", "try",
    "type", "using", "var", "where", "while", "Base", "Core", "Main", "Inf", "NaN", "pi", "nothing", "missing", "eval",
    "include", "Float64", "Int", "Vector", "Matrix", "AbstractVector", "AbstractMatrix", "DimensionMismatch",
    "Constants", "PARAMETERS", "PARAMETER_NAMES", "zeros", "fill", "length", "size", "throw", "string", "abs", "acos",
    "asin", "atan", "cos", "exp", "floor", "ifelse", "isfinite", "isinf", "log", "max", "min", "sign", "sin", "sqrt", "tan",
    "trunc", "failures",
];

/// Expressions of Julia.
pub const DIALECT: Dialect = Dialect {
    fewest: crate::dialect::FEWEST,
    taken: &[],
    rules: NameRules { reserved: RESERVED, fold_case: false, longest: 60 },
    number: |x| unusual(x, "Inf", "NaN").unwrap_or_else(|| plain_number(x)),
    unary: |function, x| match function {
        Unary::Atan | Unary::Exp | Unary::Abs | Unary::Sign | Unary::Floor => {
            format!("{}({x})", function.name())
        }
        _ => format!("_{}({x})", function.name()),
    },
    binary: |function, x, y| match function {
        Binary::Min | Binary::Max => format!("{}({x}, {y})", function.name()),
        Binary::Atan2 => format!("atan({x}, {y})"),
        Binary::Pow => format!("_pow({x}, {y})"),
    },
    select: |compare, [left, right, then, otherwise]| {
        format!("ifelse({left} {} {right}, {then}, {otherwise})", compare.sign())
    },
    element: |array, index| format!("{array}[{}]", index + 1),
    entry: |name, output: &ProgramOutput, place| match (place.scalar, output.columns) {
        (true, _) => format!("{name}[1]"),
        (false, 1) => format!("{name}[{}]", place.row + 1),
        _ => format!("{name}[{}, {}]", place.row + 1, place.column + 1),
    },
};

/// Functions that go on with NaN where Julia's own raise an error. Only those that are called are
/// written.
const HELPERS: &[(&str, &str)] = &[
    ("_sin", "_sin(x) = isinf(x) ? NaN : sin(x)"),
    ("_cos", "_cos(x) = isinf(x) ? NaN : cos(x)"),
    ("_tan", "_tan(x) = isinf(x) ? NaN : tan(x)"),
    ("_asin", "_asin(x) = abs(x) > 1.0 ? NaN : asin(x)"),
    ("_acos", "_acos(x) = abs(x) > 1.0 ? NaN : acos(x)"),
    ("_sqrt", "_sqrt(x) = x < 0.0 ? NaN : sqrt(x)"),
    ("_log", "_log(x) = x < 0.0 ? NaN : log(x)"),
    (
        "_pow",
        "function _pow(x, y)\n    if x < 0.0 && isfinite(y) && y != trunc(y)\n        \
         return isinf(x) ? abs(x)^y : NaN\n    end\n    return x^y\nend",
    ),
];

const NEEDS: &str = "
function _needs(name, array, shape)
    if size(array) != shape
        throw(DimensionMismatch(string(name, \": the size must be \", shape, \", not \", size(array))))
    end
end";

/// Writes a package as Julia.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let model = list(package, &DIALECT)?;
    let prefix = &model.prefix;
    let name = module_name(&model);
    let mut files = vec![
        File { name: format!("{prefix}.jl"), text: module(&model, &name) },
        File { name: format!("{prefix}_demo.jl"), text: demo(&model, &name) },
    ];
    if !model.externals.is_empty() {
        files.push(File { name: format!("{prefix}_externals.jl"), text: externals(&model) });
    }
    Ok(files)
}

/// The name of the module, which nothing inside of it may have.
fn module_name(model: &PackageListing<'_>) -> String {
    let mut scope = NameScope::new(DIALECT.rules);
    model.functions.iter().for_each(|function| scope.take(&function.name));
    model.externals.iter().for_each(|external| scope.take(&external.name));
    scope.fresh(&camel(&model.prefix))
}

fn text() -> LineText {
    LineText::new("    ", "")
}

fn comment(text: &mut LineText, lines: &[String]) {
    lines.iter().for_each(|line| text.line(format!("# {line}").trim_end()));
}

/// A string in front of what it describes.
fn docstring(text: &mut LineText, lines: &[String]) {
    text.line("\"\"\"");
    for line in lines {
        let line = line.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$");
        text.line(&line);
    }
    text.line("\"\"\"");
}

fn module(model: &PackageListing<'_>, name: &str) -> String {
    let package = model.package;
    let mut body = text();
    for function in &model.functions {
        stage_chunks(&mut body, model, function, &function.setup, true);
        stage_chunks(&mut body, model, function, &function.body, false);
    }
    if model.has_parameters() {
        setup(&mut body, model);
    }
    for function in &model.functions {
        evaluate(&mut body, model, function);
        allocating(&mut body, model, function);
    }

    let mut text = text();
    comment(&mut text, &header::head(model, header::First::One));
    text.lines(&format!("\nmodule {name}"));
    if !model.externals.is_empty() {
        let file = quoted(&format!("{}_externals.jl", model.prefix), "$");
        text.lines(&format!("\ninclude({file})"));
    }
    if model.has_parameters() {
        text.lines("\n\"The model's own parameters, in order.\"");
        text.line("const PARAMETERS = Float64[");
        let numbers: Vec<String> =
            package.parameters.iter().map(|one| (DIALECT.number)(one.value)).collect();
        text.line(&format!("    {}", numbers.join(", ")));
        text.line("]");
        text.lines("\n\"The names of the parameters, in order.\"");
        text.line("const PARAMETER_NAMES = [");
        for one in &package.parameters {
            text.line(&format!("    {},", quoted(&one.name, "$")));
        }
        text.line("]");
        text.lines("\n\"What depends on the parameters alone, by function; filled by `setup!`.\"");
        text.line("struct Constants");
        text.depth += 1;
        with_constants(model).for_each(|f| text.line(&format!("{}::Vector{{Float64}}", f.name)));
        text.depth -= 1;
        text.line("end");
    }
    let used: Vec<_> = HELPERS.iter().filter(|(name, _)| calls(&body.text, name)).collect();
    if !used.is_empty() {
        text.lines("\n# Where Julia raises an error, these give NaN, as the arithmetic of the machine does.");
        used.iter().for_each(|(_, code)| text.lines(code));
    }
    text.lines(NEEDS);
    text.text += &body.text;
    text.lines("\nend # module");
    text.text
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
        let names: Vec<String> = own.into_iter().map(|(name, _)| name).collect();
        text.line("");
        text.line(&format!(
            "function {}({})",
            chunk_name(function, chunk.number, setup),
            names.join(", ")
        ));
        text.depth += 1;
        chunk_body(text, model, chunk);
        text.depth -= 1;
        text.line("end");
    }
}

/// The statements of a chunk, which gives how many of its iterations failed.
fn chunk_body(text: &mut LineText, model: &PackageListing<'_>, chunk: &ChunkText) {
    counted(text, chunk.uses.iterates, |text| {
        idiom(&|text, call| print_call(text, model, call)).chunk(text, chunk);
    });
}

/// Statements between the count of failures and its return.
fn counted(text: &mut LineText, iterates: bool, body: impl FnOnce(&mut LineText)) {
    if iterates {
        text.line("failures = 0");
    }
    body(text);
    text.line(if iterates { "return failures" } else { "return nothing" });
}

fn setup(text: &mut LineText, model: &PackageListing<'_>) {
    let iterates = setup_iterates(model);
    for function in with_constants(model) {
        text.lines(&format!("\nfunction _setup_{}(k, parameters)", function.name));
        text.depth += 1;
        stage_body(text, model, function, &function.setup, true);
        text.depth -= 1;
        text.line("end");
    }
    let size = model.package.parameters.len();
    text.line("");
    let mut about = vec![
        "    setup!(constants, parameters)".to_owned(),
        String::new(),
        "To be called at each change of the parameters, of which there are `PARAMETERS` in order."
            .to_owned(),
    ];
    if iterates {
        about.push("Gives how many iterations did not converge.".to_owned());
    }
    docstring(text, &about);
    text.line("function setup!(constants::Constants, parameters::AbstractVector{Float64})");
    text.depth += 1;
    text.line(&format!("_needs(\"parameters\", parameters, ({size},))"));
    if iterates {
        text.line("failures = 0");
    }
    for function in with_constants(model) {
        let count = if function.setup.uses().iterates { "failures += " } else { "" };
        text.line(&format!("{count}_setup_{0}(constants.{0}, parameters)", function.name));
    }
    text.line(if iterates { "return failures" } else { "return nothing" });
    text.depth -= 1;
    text.line("end");
    text.line("");
    docstring(
        text,
        &[
            "    setup(parameters = PARAMETERS)".to_owned(),
            String::new(),
            match iterates {
                true => "New constants, and how many iterations did not converge.".to_owned(),
                false => "New constants.".to_owned(),
            },
        ],
    );
    text.line("function setup(parameters::AbstractVector{Float64} = PARAMETERS)");
    text.depth += 1;
    let zeros: Vec<String> =
        with_constants(model).map(|function| format!("zeros({})", function.constants)).collect();
    text.line(&format!("constants = Constants({})", zeros.join(", ")));
    if iterates {
        text.line("failures = setup!(constants, parameters)");
        text.line("return constants, failures");
    } else {
        text.line("setup!(constants, parameters)");
        text.line("return constants");
    }
    text.depth -= 1;
    text.line("end");
}

/// Arguments of a function besides the arrays that it fills: names, and names with types.
fn arguments(model: &PackageListing<'_>, function: &Listing<'_>) -> (Vec<String>, Vec<String>) {
    let (mut names, mut typed) = (Vec::new(), Vec::new());
    let mut add = |name: &str, of: &str| {
        names.push(name.to_owned());
        typed.push(format!("{name}::{of}"));
    };
    if model.has_parameters() {
        add("constants", "Constants");
    }
    if function.time {
        add("t", "Real");
    }
    for input in &function.inputs {
        add(&input.name, "AbstractVector{Float64}");
    }
    (names, typed)
}

/// The function that fills arrays.
fn evaluate(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>) {
    let (names, typed) = arguments(model, function);
    let filled: Vec<String> = function.outputs.iter().map(|output| output.name.clone()).collect();
    let all: Vec<String> = filled.iter().chain(&names).cloned().collect();
    text.line("");
    let mut lines = vec![format!("    {}!({})", function.name, all.join(", ")), String::new()];
    lines.extend(header::signature(function, header::First::One));
    if function.outputs.iter().any(|output| form(output) == Form::Scalar) {
        lines.push("A number goes to the element of a vector of one.".to_owned());
    }
    let iterates = function.body.uses().iterates;
    if iterates {
        lines.push("Gives how many iterations did not converge.".to_owned());
    }
    docstring(text, &lines);
    let of = |output: &crate::listing::ResultArray| match form(output) {
        Form::Matrix => format!("{}::AbstractMatrix{{Float64}}", output.name),
        Form::Scalar | Form::Vector => format!("{}::AbstractVector{{Float64}}", output.name),
    };
    text.line(&format!("function {}!(", function.name));
    text.depth += 1;
    for argument in function.outputs.iter().map(of).chain(typed) {
        text.line(&format!("{argument},"));
    }
    text.depth -= 1;
    text.line(")");
    text.depth += 1;
    for output in &function.outputs {
        let shape = match form(output) {
            Form::Scalar => "(1,)".to_owned(),
            Form::Vector => format!("({},)", output.rows),
            Form::Matrix => format!("({}, {})", output.rows, output.columns),
        };
        text.line(&format!("_needs(\"{0}\", {0}, {shape})", output.name));
    }
    for input in &function.inputs {
        text.line(&format!("_needs(\"{0}\", {0}, ({1},))", input.name, input.len));
    }
    if function.constants > 0 {
        text.line(&format!("k = constants.{}", function.name));
    }
    for output in function.outputs.iter().filter(|output| output.zeros && !output.is_empty()) {
        text.line(&format!("fill!({}, 0.0)", output.name));
    }
    stage_body(text, model, function, &function.body, false);
    text.depth -= 1;
    text.line("end");
}

/// The function that makes arrays and gives them.
fn allocating(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>) {
    let (names, typed) = arguments(model, function);
    text.line("");
    let iterates = function.body.uses().iterates;
    let given: Vec<String> = function.outputs.iter().map(|one| one.name.clone()).collect();
    let mut fields: Vec<String> = function
        .outputs
        .iter()
        .map(|output| match form(output) {
            Form::Scalar => format!("{0} = {0}[1]", output.name),
            Form::Vector | Form::Matrix => format!("{0} = {0}", output.name),
        })
        .collect();
    if iterates {
        fields.push("failures = failures".to_owned());
    }
    let what = match is_plain(function) {
        true => format!("What `{}!` fills, made new.", function.name),
        false => format!("What `{}!` fills, made new, as a named tuple.", function.name),
    };
    docstring(text, &[format!("    {}({})", function.name, names.join(", ")), String::new(), what]);
    text.line(&format!("function {}({})", function.name, typed.join(", ")));
    text.depth += 1;
    for output in &function.outputs {
        let shape = match form(output) {
            Form::Scalar => "1".to_owned(),
            Form::Vector => output.rows.to_string(),
            Form::Matrix => format!("{}, {}", output.rows, output.columns),
        };
        text.line(&format!("{} = zeros({shape})", output.name));
    }
    let all: Vec<String> = given.into_iter().chain(names).collect();
    let count = if iterates { "failures = " } else { "" };
    text.line(&format!("{count}{}!({})", function.name, all.join(", ")));
    match (is_plain(function), function.outputs.as_slice()) {
        (true, [output]) if form(output) == Form::Scalar => {
            text.line(&format!("return {}[1]", output.name));
        }
        (true, [output]) => text.line(&format!("return {}", output.name)),
        _ if fields.is_empty() => text.line("return nothing"),
        _ => text.line(&format!("return ({},)", fields.join(", "))),
    }
    text.depth -= 1;
    text.line("end");
}

/// The body of a stage: its statements, or the calls of its chunks. It ends with a return.
fn stage_body(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    stage: &StageText,
    setup: bool,
) {
    counted(text, stage.uses().iterates, |text| {
        idiom(&|text, call| print_call(text, model, call)).stage(text, stage, &|text, chunk| {
            let own = chunk_arguments(function, &chunk.uses, setup);
            let names: Vec<String> = own.into_iter().map(|(name, _)| name).collect();
            let count = if chunk.uses.iterates { "failures += " } else { "" };
            let name = chunk_name(function, chunk.number, setup);
            text.line(&format!("{count}{name}({})", names.join(", ")));
        });
    });
}

/// The statements of the language.
fn idiom(call: &dyn Fn(&mut LineText, &ExternalCall) -> Vec<String>) -> Idiom<'_> {
    Idiom {
        remark: |text, remark| text.line(&format!("# {}", header::one_line(remark))),
        name: |text, name, value| text.line(&format!("{name} = {value}")),
        store: |text, places, value| text.line(&format!("{} = {value}", places.join(" = "))),
        begin: iterate_begin,
        end: iterate_end,
        call,
        sincos: SimdSincos::Apart(&DIALECT),
        work: |text, len| text.line(&format!("w = zeros({len})")),
    }
}

/// Begins a loop. Names assigned in front of it belong to the function, so that the loop changes
/// them.
fn iterate_begin(text: &mut LineText, iterate: &Iterate) {
    text.line(&format!("# {}", header::one_line(&iterate.title)));
    for (state, initial) in &iterate.states {
        text.line(&format!("{state} = {initial}"));
    }
    text.line(&format!("{} = 0.0", iterate.count));
    text.line(&format!("{} = 0.0", iterate.converged));
    iterate.exports.iter().for_each(|(name, _)| text.line(&format!("{name} = 0.0")));
    text.line("while true");
    text.depth += 1;
}

fn iterate_end(text: &mut LineText, iterate: &Iterate) {
    let small = |residual: &String| format!("abs({residual}) <= {}", iterate.tolerance);
    let tests: Vec<String> = iterate.residuals.iter().map(small).collect();
    let test = if tests.is_empty() { "true".to_owned() } else { tests.join(" && ") };
    let (count, converged) = (&iterate.count, &iterate.converged);
    text.line(&format!("{converged} = ifelse({test}, 1.0, 0.0)"));
    text.line(&format!("if {converged} == 1.0 || {count} == {}.0", iterate.limit));
    text.depth += 1;
    iterate.exports.iter().for_each(|(name, value)| text.line(&format!("{name} = {value}")));
    text.line("break");
    text.depth -= 1;
    text.line("end");
    if iterate.overlaps {
        for (at, next) in iterate.next.iter().enumerate() {
            text.line(&format!("_next{at} = {next}"));
        }
        for (at, (state, _)) in iterate.states.iter().enumerate() {
            text.line(&format!("{state} = _next{at}"));
        }
    } else {
        for ((state, _), next) in iterate.states.iter().zip(&iterate.next) {
            text.line(&format!("{state} = {next}"));
        }
    }
    text.line(&format!("{count} = {count} + 1.0"));
    text.depth -= 1;
    text.line("end");
    text.line(&format!("failures += {converged} == 1.0 ? 0 : 1"));
}

fn print_call(text: &mut LineText, model: &PackageListing<'_>, call: &ExternalCall) -> Vec<String> {
    let (external, arguments) = (&model.externals[call.external], call.arguments.join(", "));
    text.line(&format!("{} = {}(Float64[{arguments}])", call.scratch, external.name));
    elements(call, 1, ["[", "]"])
}

fn externals(model: &PackageListing<'_>) -> String {
    let mut text = text();
    let mut about = header::origin(model);
    about.push(
        "Stubs of the external functions, to be filled: as they are, they give zeros.".to_owned(),
    );
    about.push("Included by the module.".to_owned());
    comment(&mut text, &about);
    for external in &model.externals {
        text.line("");
        docstring(&mut text, &external_about(external));
        text.line(&format!("function {}(arguments::Vector{{Float64}})", external.name));
        text.line(&format!("    return zeros({})", external.results));
        text.line("end");
    }
    text.text
}

/// A program that calls each function once and prints `FUNCTION OUTPUT ROW COLUMN NUMBER`, counted
/// from one.
fn demo(model: &PackageListing<'_>, module: &str) -> String {
    let (package, prefix) = (model.package, &model.prefix);
    let mut text = text();
    let mut about = header::origin(model);
    about.push(
        "Calls each function once at the model's initial state and prints what it gives."
            .to_owned(),
    );
    about.push(format!("  julia {prefix}_demo.jl"));
    comment(&mut text, &about);
    let file = quoted(&format!("{prefix}.jl"), "$");
    text.lines(&format!("\nusing Printf\n\ninclude({file})"));
    text.lines(
        "\nfunction show_all(name, rows, columns, given)\n    for i in 1:rows, j in 1:columns\n        \
         @printf(\"%s %d %d %.17g\\n\", name, i, j, given[i, j])\n    end\nend\n\nfunction main()",
    );
    text.depth += 1;
    if model.functions.iter().any(|function| function.time) {
        text.line(&format!("t = {}", (DIALECT.number)(package.time)));
    }
    for (name, quantities) in arrays(package) {
        let numbers: Vec<String> =
            quantities.iter().map(|one| (DIALECT.number)(one.value)).collect();
        text.line(&format!("{name} = Float64[{}]", numbers.join(", ")));
    }
    if model.has_parameters() {
        let left = if setup_iterates(model) { "constants, _" } else { "constants" };
        text.line(&format!("{left} = {module}.setup()"));
    }
    for function in &model.functions {
        let (names, _) = arguments(model, function);
        text.line(&format!("given = {module}.{}({})", function.name, names.join(", ")));
        for (output, named) in function.part.program.outputs().iter().zip(&function.outputs) {
            let field = if is_plain(function) {
                "given".to_owned()
            } else {
                format!("given.{}", named.name)
            };
            let name = quoted(&format!("{} {}", function.name, output.name), "$");
            text.line(&format!("show_all({name}, {}, {}, {field})", named.rows, named.columns));
        }
    }
    text.depth -= 1;
    text.lines("end\n\nmain()");
    text.text
}
