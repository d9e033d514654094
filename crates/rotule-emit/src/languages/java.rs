//! Java 11 and later: `Prefix.java`, a final class, and `PrefixDemo.java`.
//!
//! An object holds the constants and the room that functions need, so that an evaluation allocates
//! nothing; it is for one thread at a time. Functions write to arrays that the caller owns; a
//! matrix is an array of rows, a single number an array of one. A function that iterates throws
//! when something did not converge, behind its last result. External functions are an interface,
//! given to the constructor; stubs to be filled stand in `PrefixExternals.java`.
//!
//! Chunks are smaller than elsewhere, because the virtual machine never compiles a method of more
//! than 8000 bytes.

mod demo;
mod externals;
mod methods;
mod statements;
mod words;

use super::classes::{Called, sentence, type_name};
use crate::dialect::{Dialect, EntryPlace, plain_number, unusual};
use crate::header;
use crate::layout::LineText;
use crate::listing::{ChunkText, Listing, PackageListing, ResultArray, StageText, Uses, list_by};
use crate::names::NameRules;
use crate::package::{EmitError, File, Package};
use externals::{externals, interface};
use methods::{Methods, array, check_class, check_method};
use rotule_program::ProgramOutput;
use rotule_symbolic::{Binary, Unary};
use statements::{idiom, print_call};

/// About how many operations a method has.
const CHUNK: u64 = 400;

/// Expressions of Java.
pub const DIALECT: Dialect = Dialect {
    fewest: crate::dialect::FEWEST,
    taken: &[],
    rules: NameRules { reserved: words::RESERVED, fold_case: false, longest: 80 },
    number: |x| {
        unusual(x, "Double.POSITIVE_INFINITY", "Double.NaN").unwrap_or_else(|| plain_number(x))
    },
    unary: |function, x| match function {
        Unary::Sign => format!("Math.signum({x})"),
        _ => format!("Math.{}({x})", function.name()),
    },
    binary: |function, x, y| match function {
        Binary::Pow => format!("power({x}, {y})"),
        _ => format!("Math.{}({x}, {y})", function.name()),
    },
    select: |compare, [left, right, then, otherwise]| {
        format!("({left} {} {right} ? {then} : {otherwise})", compare.sign())
    },
    element: |array, index| format!("{array}[{index}]"),
    entry,
};

/// Classes that the file declares or uses itself.
const TYPES: &[&str] = &[
    "Calls",
    "Double",
    "Externals",
    "IllegalArgumentException",
    "Math",
    "NotConvergedException",
    "Object",
    "RuntimeException",
    "String",
    "System",
];

fn entry(name: &str, _: &ProgramOutput, place: EntryPlace) -> String {
    match place.matrix {
        true => format!("{name}[{}][{}]", place.row, place.column),
        false => format!("{name}[{}]", place.row),
    }
}

const POWER: &str = "
/** x to the power of y, where one to any power is one. */
private static double power(double x, double y) {
    return x == 1.0 || x == -1.0 && Double.isInfinite(y) ? 1.0 : Math.pow(x, y);
}";
const ZERO_VECTOR: &str = "
private static void zero(double[] x) {
    java.util.Arrays.fill(x, 0.0);
}";
const ZERO_MATRIX: &str = "
private static void zero(double[][] x) {
    for (double[] row : x) {
        java.util.Arrays.fill(row, 0.0);
    }
}";
const NOT_CONVERGED: &str = "
/** Iterations ended before they converged. All outputs have been written nevertheless. */
public static final class NotConvergedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private final int failures;

    private NotConvergedException(int failures) {
        super(failures + \" iterations did not converge\");
        this.failures = failures;
    }

    /** How many did not converge. */
    public int failures() {
        return failures;
    }
}

private static void check(int failures) {
    if (failures != 0) {
        throw new NotConvergedException(failures);
    }
}";

/// Writes a package as Java.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let model = list_by(package, &DIALECT, CHUNK)?;
    let name = name_of_type(&model);
    let mut files = vec![
        File { name: format!("{name}.java"), text: source(&model)? },
        File { name: format!("{name}Demo.java"), text: demo::demo(&model) },
    ];
    if !model.externals.is_empty() {
        files.push(File { name: format!("{name}Externals.java"), text: externals(&model) });
    }
    Ok(files)
}

fn text() -> LineText {
    LineText::new("    ", "")
}

fn name_of_type(model: &PackageListing<'_>) -> String {
    type_name(&model.prefix, TYPES)
}

fn comment(text: &mut LineText, lines: &[String]) {
    for (at, line) in lines.iter().enumerate() {
        let mark = if at == 0 { "/*" } else { " *" };
        text.line(format!("{mark} {}", harmless(line)).trim_end());
    }
    text.line(" */");
}

/// A comment for the documentation: a sentence, then lines that stay as they are.
fn document(text: &mut LineText, sentence: &str, lines: &[String]) {
    let escaped = |line: &str| {
        let line = line.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
        harmless(&line.replace('@', "&#64;"))
    };
    if lines.is_empty() {
        return text.line(&format!("/** {} */", escaped(sentence)));
    }
    text.line("/**");
    text.line(&format!(" * {}", escaped(sentence)));
    text.line(" *");
    text.line(" * <pre>");
    lines.iter().for_each(|line| text.line(format!(" * {}", escaped(line)).trim_end()));
    text.line(" * </pre>");
    text.line(" */");
}

/// A line of a comment that nothing can end, in letters that every compiler reads whatever it takes
/// files to be.
fn harmless(line: &str) -> String {
    escape(&header::one_line(&line.replace('\\', "/")))
}

/// Letters beyond ASCII as Java writes them anywhere.
fn escape(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter.is_ascii() {
            plain.push(letter);
        } else {
            let mut units = [0; 2];
            for unit in letter.encode_utf16(&mut units) {
                plain.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    plain
}

fn source(model: &PackageListing<'_>) -> Result<String, EmitError> {
    let (package, name) = (model.package, name_of_type(model));
    let methods = private_methods(model)?;
    let mut body = text();
    body.depth = 1;
    body.line("/** The number of coordinates. */");
    body.line(&format!("public static final int NQ = {};", package.q.len()));
    body.line("/** The number of speeds. */");
    body.line(&format!("public static final int NQD = {};", package.qd.len()));
    if model.has_parameters() {
        body.line("/** The number of parameters. */");
        body.line(&format!("public static final int NPARAMETERS = {};", package.parameters.len()));
    }
    fields(&mut body, model);
    constructors(&mut body, model);
    if model.has_parameters() {
        let numbers: Vec<String> =
            package.parameters.iter().map(|one| (DIALECT.number)(one.value)).collect();
        let about = "The model's own parameters, in order.";
        array(&mut body, about, "public ", "parameters", &numbers);
        setup(&mut body, model, &methods);
    }
    for function in &model.functions {
        let start = body.text.len();
        evaluate(&mut body, model, function, &methods);
        check_method(&function.part.name, &body.text[start..])?;
    }
    let outputs = || {
        let all = model.functions.iter().flat_map(|function| &function.outputs);
        all.filter(|output| output.zeros && !output.is_empty())
    };
    let helpers = [
        (Called::of(model).binary(Binary::Pow), POWER),
        (outputs().any(|output| !output.matrix), ZERO_VECTOR),
        (outputs().any(|output| output.matrix), ZERO_MATRIX),
        (model.functions.iter().any(Listing::iterates), NOT_CONVERGED),
    ];
    for (_, helper) in helpers.iter().filter(|(requested, _)| *requested) {
        body.lines(helper);
    }
    if !model.externals.is_empty() {
        interface(&mut body, model);
    }
    check_class(model, &body.text)?;
    methods.write(&mut body);
    let mut text = text();
    comment(&mut text, &header::head(model, header::First::Zero));
    text.line("");
    document(
        &mut text,
        &format!("The model {}. An object is for one thread at a time.", package.model),
        &[],
    );
    text.line(&format!("public final class {name} {{"));
    Ok(text.text + &body.text + "}\n")
}

/// The fields of an object: constants by function, and work arrays.
fn fields(text: &mut LineText, model: &PackageListing<'_>) {
    text.line("");
    for function in &model.functions {
        let name = &function.name;
        if model.has_parameters() && function.constants > 0 {
            let len = function.constants;
            text.line(&format!("private final double[] {name}_constants = new double[{len}];"));
        }
        let work = function.body.work.max(function.setup.work);
        if work > 0 {
            text.line(&format!("private final double[] {name}_work = new double[{work}];"));
        }
    }
    if !model.externals.is_empty() {
        text.line("private final Calls foreign;");
    }
}

fn constructors(text: &mut LineText, model: &PackageListing<'_>) {
    let name = name_of_type(model);
    let externals = !model.externals.is_empty();
    let calls = if externals { "    this.foreign = new Calls(externals);\n" } else { "" };
    if !model.has_parameters() {
        let taken = if externals { "Externals externals" } else { "" };
        text.line("");
        text.line("/** The model. */");
        return text.lines(&format!("public {name}({taken}) {{\n{calls}}}"));
    }
    let (alone, more, handed) = match externals {
        true => ("Externals externals", ", Externals externals", ", externals"),
        false => ("", "", ""),
    };
    text.lines(&format!(
        "\n/** The model with its own parameters. */\npublic {name}({alone}) {{\n    this(parameters(){handed});\n}}"
    ));
    text.lines(&format!(
        "\n/** The model with these parameters. */\npublic {name}(double[] parameters{more}) {{\n{calls}    setup(parameters);\n}}"
    ));
}

/// Returns `true` if the stages of `setup` need something.
fn setup_uses(model: &PackageListing<'_>, requested: fn(&Uses) -> bool) -> bool {
    model
        .functions
        .iter()
        .any(|function| function.constants > 0 && requested(&function.setup.uses()))
}

fn setup(text: &mut LineText, model: &PackageListing<'_>, methods: &Methods) {
    let iterates = setup_uses(model, |uses| uses.iterates);
    text.line("");
    text.line("/** Takes other parameters. */");
    text.line("public void setup(double[] parameters) {");
    text.depth += 1;
    text.line("if (parameters.length != NPARAMETERS) {");
    text.line("    throw new IllegalArgumentException(NPARAMETERS + \" parameters expected, found \" + parameters.length);");
    text.line("}");
    if iterates {
        text.line("int failures = 0;");
    }
    for function in model.functions.iter().filter(|function| function.constants > 0) {
        let uses = function.setup.uses();
        let count = if uses.iterates { "failures += " } else { "" };
        let name = &function.name;
        let mut handed = vec!["parameters".to_owned(), format!("{name}_constants")];
        if function.setup.work > 0 {
            handed.push(format!("{name}_work"));
        }
        if uses.externals {
            handed.push("foreign".to_owned());
        }
        let method = methods.call(&format!("{name}_setup"));
        text.line(&format!("{count}{method}({});", handed.join(", ")));
    }
    if iterates {
        text.line("check(failures);");
    }
    text.depth -= 1;
    text.line("}");
}

/// The methods that only the class itself calls: chunks, and what fills the constants of each
/// function.
fn private_methods(model: &PackageListing<'_>) -> Result<Methods, EmitError> {
    let mut methods = Methods::default();
    let add = |methods: &mut Methods, part: &str, name: &str, text: String| {
        check_method(part, &text)?;
        methods.add(name, text);
        Ok::<(), EmitError>(())
    };
    for function in &model.functions {
        let part = &function.part.name;
        for (stage, is_setup) in [(&function.setup, true), (&function.body, false)] {
            let chunks = if stage.is_whole() { Vec::new() } else { stage.chunks() };
            for chunk in chunks {
                let text = chunk_method(model, function, chunk, is_setup);
                add(&mut methods, part, &chunk_name(function, chunk, is_setup), text)?;
            }
        }
        if model.has_parameters() && function.constants > 0 {
            let text = setup_of(model, function, &methods);
            add(&mut methods, part, &format!("{}_setup", function.name), text)?;
        }
    }
    Ok(methods)
}

/// The method that fills the constants of one function.
fn setup_of(model: &PackageListing<'_>, function: &Listing<'_>, methods: &Methods) -> String {
    let mut text = text();
    let uses = function.setup.uses();
    let mut arguments = vec!["double[] parameters", "double[] k"];
    if function.setup.work > 0 {
        arguments.push("double[] w");
    }
    if uses.externals {
        arguments.push("Calls foreign");
    }
    let result = if uses.iterates { "int" } else { "void" };
    let (name, arguments) = (&function.name, arguments.join(", "));
    text.line(&format!("private static {result} {name}_setup({arguments}) {{"));
    text.depth += 1;
    counted(&mut text, uses.iterates, |text| {
        stage_body(text, model, function, &function.setup, true, methods);
    });
    text.depth -= 1;
    text.line("}");
    text.text
}

/// Statements between the count of failures and its return.
fn counted(text: &mut LineText, iterates: bool, body: impl FnOnce(&mut LineText)) {
    if iterates {
        text.line("int failures = 0;");
    }
    body(text);
    if iterates {
        text.line("return failures;");
    }
}

fn output_type(output: &ResultArray) -> &'static str {
    if output.matrix { "double[][]" } else { "double[]" }
}

fn evaluate(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    methods: &Methods,
) {
    let (uses, name) = (function.body.uses(), &function.name);
    let mut arguments = Vec::new();
    if function.time {
        arguments.push("double t".to_owned());
    }
    arguments.extend(function.inputs.iter().map(|input| format!("double[] {}", input.name)));
    for output in &function.outputs {
        arguments.push(format!("{} {}", output_type(output), output.name));
    }
    text.line("");
    document(
        text,
        &sentence(&function.part.about),
        &header::signature(function, header::First::Zero),
    );
    text.line(&format!("public void {name}({}) {{", arguments.join(", ")));
    text.depth += 1;
    if uses.constants {
        text.line(&format!("final double[] k = {name}_constants;"));
    }
    if function.body.work > 0 {
        text.line(&format!("final double[] w = {name}_work;"));
    }
    if uses.iterates {
        text.line("int failures = 0;");
    }
    for output in function.outputs.iter().filter(|output| output.zeros && !output.is_empty()) {
        text.line(&format!("zero({});", output.name));
    }
    stage_body(text, model, function, &function.body, false, methods);
    if uses.iterates {
        text.line("check(failures);");
    }
    text.depth -= 1;
    text.line("}");
}

/// The name of a chunk's method.
fn chunk_name(function: &Listing<'_>, chunk: &ChunkText, setup: bool) -> String {
    let stage = if setup { "_setup" } else { "" };
    format!("{}{stage}_{}", function.name, chunk.number)
}

/// Arguments of a chunk: types and names.
fn chunk_arguments(function: &Listing<'_>, uses: &Uses) -> Vec<(&'static str, String)> {
    let fixed = [
        (uses.externals, "Calls", "foreign"),
        (uses.parameters, "double[]", "parameters"),
        (uses.constants, "double[]", "k"),
        (uses.time, "double", "t"),
        (uses.work_read || uses.work_written, "double[]", "w"),
    ];
    let fixed = fixed.into_iter().filter(|(used, ..)| *used);
    let mut all: Vec<(&str, String)> = fixed.map(|(_, kind, name)| (kind, name.into())).collect();
    for (input, _) in function.inputs.iter().zip(&uses.inputs).filter(|(_, used)| **used) {
        all.push(("double[]", input.name.clone()));
    }
    for (output, _) in function.outputs.iter().zip(&uses.outputs).filter(|(_, used)| **used) {
        all.push((output_type(output), output.name.clone()));
    }
    all
}

/// One of the methods that a stage is cut into.
fn chunk_method(
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    chunk: &ChunkText,
    setup: bool,
) -> String {
    let mut text = text();
    let arguments: Vec<String> = chunk_arguments(function, &chunk.uses)
        .into_iter()
        .map(|(kind, name)| format!("{kind} {name}"))
        .collect();
    let result = if chunk.uses.iterates { "int" } else { "void" };
    let name = chunk_name(function, chunk, setup);
    text.line(&format!("private static {result} {name}({}) {{", arguments.join(", ")));
    text.depth += 1;
    counted(&mut text, chunk.uses.iterates, |text| {
        idiom(&|text, call| print_call(text, model, call)).chunk(text, chunk);
    });
    text.depth -= 1;
    text.line("}");
    text.text
}

/// The body of a stage: its statements, or the calls of its chunks.
fn stage_body(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    stage: &StageText,
    setup: bool,
    methods: &Methods,
) {
    idiom(&|text, call| print_call(text, model, call)).stage(text, stage, &|text, chunk| {
        let called = chunk_arguments(function, &chunk.uses);
        let called: Vec<String> = called.into_iter().map(|(_, name)| name).collect();
        let count = if chunk.uses.iterates { "failures += " } else { "" };
        let method = methods.call(&chunk_name(function, chunk, setup));
        text.line(&format!("{count}{method}({});", called.join(", ")));
    });
}
