//! Python 3.9 or later with NumPy: the module `PREFIX.py` and `PREFIX_demo.py`.
//!
//! Functions take and give NumPy arrays whose last axes are those of the model; axes in front of
//! them are a batch. Inside, an array is a list of its components: plain floats and `math` for a
//! single state, which is two to three times faster than NumPy's scalars, arrays of a batch and
//! NumPy's functions otherwise. The statements are the same: they get their functions from a
//! namespace `lib`. Plain floats raise where IEEE arithmetic goes on with an infinity or NaN; then
//! the state is evaluated again as NumPy would. In a batch an iteration goes on until all states
//! are done, and leaves alone those that are.

mod demo;
mod groups;
mod statements;

use crate::dialect::{Dialect, plain_number, unusual};
use crate::header;
use crate::indices::indices;
use crate::languages::script::{
    Form, calls, camel, form, is_plain, quoted, setup_iterates, with_constants,
};
use crate::layout::{LineText, WIDTH};
use crate::listing::{Listing, PackageListing, list};
use crate::names::{NameRules, NameScope};
use crate::package::{EmitError, File, Package};
use rotule_symbolic::{Binary, Unary};

/// The words of Python, letters that linters find hard to read, and what the module itself uses.
#[rustfmt::skip]
const RESERVED: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield", "match", "case", "type", "print",
    "l", "O", "I", "count", "index", "shape", "lib", "time", "math", "np", "npt", "any", "bool", "enumerate", "float",
    "int", "len", "list", "tuple", "range", "str", "Any", "Callable", "NamedTuple", "Sequence", "SimpleNamespace",
    "ArithmeticError", "ValueError", "Array", "Scalar", "Constants", "PARAMETERS", "PARAMETER_NAMES", "INDEX", "failures",
    "going", "sin", "cos", "tan", "asin", "acos", "atan", "sqrt", "exp", "log", "fabs", "sign", "floor", "atan2", "pow",
    "minimum", "maximum", "where", "any_of",
    // A file of such a name would be taken for the module of Python.
    "abc", "array", "ast", "bisect", "calendar", "cmath", "code", "codecs", "collections", "contextlib", "copy", "csv",
    "datetime", "decimal", "dis", "enum", "errno", "fractions", "functools", "gc", "glob", "hashlib", "heapq", "inspect",
    "io", "itertools", "json", "keyword", "locale", "logging", "marshal", "mmap", "numbers", "numpy", "opcode",
    "operator", "os", "pathlib", "pickle", "platform", "posix", "profile", "queue", "random", "re", "secrets", "select",
    "selectors", "shelve", "signal", "site", "socket", "stat", "statistics", "string", "struct", "subprocess", "sys",
    "tempfile", "test", "textwrap", "threading", "timeit", "token", "tokenize", "trace", "traceback", "types", "typing",
    "unittest", "uuid", "warnings", "weakref", "zipfile", "zlib",
];

/// Expressions of Python.
pub const DIALECT: Dialect = Dialect {
    fewest: crate::dialect::FEWEST,
    taken: &[],
    rules: NameRules { reserved: RESERVED, fold_case: false, longest: 60 },
    number: |x| unusual(x, "float(\"inf\")", "float(\"nan\")").unwrap_or_else(|| plain_number(x)),
    unary: |function, x| match function {
        Unary::Abs => format!("fabs({x})"),
        _ => format!("{}({x})", function.name()),
    },
    binary: |function, x, y| {
        let name = match function {
            Binary::Min => "minimum",
            Binary::Max => "maximum",
            Binary::Pow => "pow",
            Binary::Atan2 => "atan2",
        };
        format!("{name}({x}, {y})")
    },
    select: |compare, [left, right, then, otherwise]| {
        format!("where({left} {} {right}, {then}, {otherwise})", compare.sign())
    },
    element: |array, index| format!("{array}[{index}]"),
    entry: |name, output, place| {
        format!("{name}[{}]", place.row as usize * output.columns as usize + place.column as usize)
    },
};

/// The functions of `lib`: their names, what they are for a single state, and for a batch.
const FUNCTIONS: &[(&str, &str, &str)] = &[
    ("sin", "math.sin", "np.sin"),
    ("cos", "math.cos", "np.cos"),
    ("tan", "math.tan", "np.tan"),
    ("asin", "math.asin", "np.arcsin"),
    ("acos", "math.acos", "np.arccos"),
    ("atan", "math.atan", "np.arctan"),
    ("sqrt", "math.sqrt", "np.sqrt"),
    ("exp", "math.exp", "np.exp"),
    ("log", "math.log", "np.log"),
    ("fabs", "math.fabs", "np.fabs"),
    ("sign", "_sign", "np.sign"),
    ("floor", "_floor", "np.floor"),
    ("atan2", "math.atan2", "np.arctan2"),
    ("pow", "math.pow", "np.power"),
    ("minimum", "_minimum", "np.minimum"),
    ("maximum", "_maximum", "np.maximum"),
    ("where", "_where", "np.where"),
    ("any_of", "bool", "np.any"),
];

/// Functions that `math` has not, or not with our treatment of NaN. Only those that are called are
/// written.
const HELPERS: &[(&str, &str)] = &[
    (
        "_sign",
        "def _sign(x: float) -> float:\n    return 1.0 if x > 0.0 else -1.0 if x < 0.0 else 0.0 if x == 0.0 else x",
    ),
    // An integer of Python is not a double, and may be longer than one.
    ("_floor", "def _floor(x: float) -> float:\n    return float(math.floor(x))"),
    (
        "_minimum",
        "def _minimum(x: float, y: float) -> float:\n    return x if x < y or math.isnan(x) else y",
    ),
    (
        "_maximum",
        "def _maximum(x: float, y: float) -> float:\n    return x if x > y or math.isnan(x) else y",
    ),
    (
        "_where",
        "def _where(condition: bool, x: Any, y: Any) -> Any:\n    return x if condition else y",
    ),
];

/// The code that runs a function of the model, whatever it computes.
const RUN: &str = r#"
def _array(name: str, given: npt.ArrayLike, size: int) -> Array:
    array = np.asarray(given, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != size:
        message = f"{name}: the last axis has {size} numbers, but the shape is {array.shape}"
        raise ValueError(message)
    return array


def _run(
    body: Callable[..., Any],
    batch: tuple[int, ...],
    k: _List,
    arrays: Sequence[Array],
    sizes: Sequence[int],
) -> tuple[tuple[int, ...], list[_List], Any]:
    # The shape of the batch, components of the results, and how many iterations failed.
    for array in arrays:
        if array.ndim > 1:
            batch = np.broadcast_shapes(batch, array.shape[:-1])
    results: list[_List] = [[0.0] * size for size in sizes]
    if not batch:
        try:
            lists = [array.tolist() for array in arrays]
            return batch, results, body(_ONE, k, *lists, *results)
        except (ArithmeticError, ValueError):
            # A division by zero or the like, perhaps in a branch that is not taken.
            results = [[0.0] * size for size in sizes]
    k = [np.asarray(x)[()] for x in k]
    lists = [list(np.ascontiguousarray(np.moveaxis(array, -1, 0))) for array in arrays]
    with np.errstate(all="ignore"):
        return batch, results, body(_MANY, k, *lists, *results)


def _gather(batch: tuple[int, ...], form: tuple[int, ...], components: _List) -> Any:
    if not batch:
        return np.array(components, dtype=np.float64).reshape(form) if form else float(components[0])
    result = np.empty((*batch, len(components)))
    for at, component in enumerate(components):
        result[..., at] = component
    return result.reshape(batch + form)
"#;

/// Writes a package as Python.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let model = list(package, &DIALECT)?;
    let prefix = &model.prefix;
    let mut files = vec![
        File { name: format!("{prefix}.py"), text: module(&model) },
        File { name: format!("{prefix}_demo.py"), text: demo::demo(&model) },
    ];
    if !model.externals.is_empty() {
        files.push(File { name: format!("{prefix}_externals.py"), text: demo::externals(&model) });
    }
    Ok(files)
}

fn text() -> LineText {
    LineText::new("    ", "")
}

/// A string in front of a module or behind the head of a function.
fn docstring(text: &mut LineText, lines: &[String]) {
    let clean = |line: &String| line.replace('\\', "\\\\").replace("\"\"\"", "'''");
    let lines: Vec<String> = lines.iter().map(clean).collect();
    match lines.as_slice() {
        [line] if !line.ends_with('"') => text.line(&format!("\"\"\"{line}\"\"\"")),
        [] => {}
        [first, rest @ ..] => {
            // A quotation mark here would be taken for one of the three.
            let gap = if first.starts_with('"') { " " } else { "" };
            text.line(&format!("\"\"\"{gap}{first}"));
            rest.iter().for_each(|line| text.line(line));
            text.line("\"\"\"");
        }
    }
}

/// `left = value`, in parentheses if that is too long for a line.
fn assign(text: &mut LineText, left: &str, value: &str) {
    enclose(text, &format!("{left} = "), ["(", ")"], value, "", false);
}

/// `head(inner)tail`, the inner part on lines of its own if that is too long; parentheses then
/// only, unless `always`.
fn enclose(
    text: &mut LineText,
    head: &str,
    [open, close]: [&str; 2],
    inner: &str,
    tail: &str,
    always: bool,
) {
    let line = match always {
        true => format!("{head}{open}{inner}{close}{tail}"),
        false => format!("{head}{inner}{tail}"),
    };
    if text.unit.len() * text.depth + line.chars().count() <= WIDTH {
        text.line(&line);
        return;
    }
    text.line(&format!("{head}{open}"));
    text.depth += 1;
    text.line(inner);
    text.depth -= 1;
    text.line(&format!("{close}{tail}"));
}

/// The head of a function.
fn define(text: &mut LineText, name: &str, arguments: &[String], result: &str) {
    text.lines("\n");
    text.line("");
    let tail = format!(" -> {result}:");
    enclose(text, &format!("def {name}"), ["(", ")"], &arguments.join(", "), &tail, true);
}

fn module(model: &PackageListing<'_>) -> String {
    let package = model.package;
    let mut body = text();
    for function in &model.functions {
        if function.constants > 0 {
            statements::stage(&mut body, model, function, &function.setup, true);
        }
        statements::stage(&mut body, model, function, &function.body, false);
    }
    let mut public = text();
    let classes = results_classes(&mut public, model);
    if model.has_parameters() {
        setup(&mut public, model);
    }
    for (function, class) in model.functions.iter().zip(&classes) {
        evaluate(&mut public, model, function, class);
    }
    for group in &package.groups {
        let arguments = arguments(model, &model.functions[group.update]);
        groups::class(&mut public, model, group, &arguments);
    }

    let mut text = text();
    docstring(&mut text, &about(model));
    text.line("");
    if asks_for_nan(&body.text) {
        text.lines("# Comparing a value with itself asks for NaN.\n# ruff: noqa: PLR0124\n");
        text.line("");
    }
    text.lines("from __future__ import annotations\n");
    text.line("");
    let used: Vec<_> = FUNCTIONS.iter().filter(|row| calls(&body.text, row.0)).collect();
    let by_math = |name: &str| {
        let mut helpers = HELPERS.iter().filter(|helper| helper.0 == name);
        name.starts_with("math.") || helpers.any(|helper| helper.1.contains("math."))
    };
    if used.iter().any(|row| by_math(row.1)) {
        text.line("import math");
    }
    text.line("from collections.abc import Callable, Sequence");
    text.line("from types import SimpleNamespace");
    let named = model.has_parameters() || classes.iter().any(|class| !class.is_empty());
    text.line(&format!("from typing import Any{}", if named { ", NamedTuple" } else { "" }));
    text.lines("\nimport numpy as np\nimport numpy.typing as npt\n");
    if !model.externals.is_empty() {
        text.lines(&format!("\nimport {}_externals as externals", model.prefix));
    }
    text.lines("\nArray = npt.NDArray[np.float64]");
    text.lines("Scalar = Any  # A float; for a batch an array with a float per state.");
    text.line("_List = list[Scalar]");
    if model.has_parameters() {
        text.lines("\n# The model's own parameters, in order.");
        let numbers: Vec<String> =
            package.parameters.iter().map(|one| (DIALECT.number)(one.value)).collect();
        enclose(
            &mut text,
            "PARAMETERS: Array = np.array",
            ["(", ")"],
            &bracketed(&numbers),
            "",
            true,
        );
        text.line("PARAMETERS.flags.writeable = False");
        text.line("PARAMETER_NAMES = (");
        text.depth += 1;
        package.parameters.iter().for_each(|one| text.line(&format!("{},", quoted(&one.name, ""))));
        text.depth -= 1;
        text.line(")");
    }
    index_table(&mut text, model);
    for (name, code) in HELPERS {
        if used.iter().any(|row| row.1 == *name) {
            text.lines(&format!("\n\n{code}"));
        }
    }
    if used.iter().any(|row| row.1.starts_with('_')) {
        text.line("");
    }
    for (name, about, column) in [("_ONE", "a single state", 1), ("_MANY", "a batch", 2)] {
        text.lines(&format!("\n# Functions for {about}."));
        text.line(&format!("{name} = SimpleNamespace("));
        for row in &used {
            text.line(&format!("    {}={},", row.0, if column == 1 { row.1 } else { row.2 }));
        }
        text.line(")");
    }
    text.lines(&format!("\n{RUN}"));
    text.text += body.text.trim_end();
    text.text += "\n";
    text.text += public.text.trim_end();
    text.text += "\n";
    text.text
}

/// Returns `true` if a select compares a value with itself, which linters take for a slip.
fn asks_for_nan(text: &str) -> bool {
    text.split("where(").skip(1).any(|rest| {
        let condition = rest.split(',').next().unwrap_or("");
        let mut sides =
            [" < ", " <= ", " == ", " != "].iter().filter_map(|s| condition.split_once(s));
        // An element of a list is no name to them.
        sides.any(|(left, right)| left == right && !left.contains('['))
    })
}

/// Positions of arguments by name.
fn index_table(text: &mut LineText, model: &PackageListing<'_>) {
    let all = indices(model, DIALECT.rules, |name| name);
    if all.is_empty() {
        return;
    }
    let (array, first) = (all[0].array, quoted(&all[0].names[0].1.name, ""));
    text.lines(&format!(
        "\n# Indices of arguments by name: {array}[..., INDEX[\"{array}\"][{first}]]."
    ));
    text.line("INDEX: dict[str, dict[str, int]] = {");
    text.depth += 1;
    for one in &all {
        text.line(&format!("\"{}\": {{", one.array));
        text.depth += 1;
        for (at, (_, quantity)) in one.names.iter().enumerate() {
            text.line(&format!("{}: {at},", quoted(&quantity.name, "")));
        }
        text.depth -= 1;
        text.line("},");
    }
    text.depth -= 1;
    text.line("}");
}

fn bracketed(items: &[String]) -> String {
    format!("[{}]", items.join(", "))
}

fn about(model: &PackageListing<'_>) -> Vec<String> {
    let mut lines = header::head(model, header::First::Zero);
    lines.push(String::new());
    lines.push(
        "Arrays may have axes of a batch in front of their own; these are broadcast.".to_owned(),
    );
    lines
}

/// The named tuples that functions give; no name for one that gives a single array.
fn results_classes(text: &mut LineText, model: &PackageListing<'_>) -> Vec<String> {
    let mut scope = NameScope::new(DIALECT.rules);
    model.functions.iter().for_each(|function| scope.take(&function.name));
    let mut classes = Vec::new();
    for function in &model.functions {
        if is_plain(function) {
            classes.push(String::new());
            continue;
        }
        let class = scope.fresh(&camel(&function.name));
        text.lines(&format!("\n\nclass {class}(NamedTuple):"));
        text.depth += 1;
        docstring(text, &[format!("What `{}` gives.", function.name)]);
        text.line("");
        for output in &function.outputs {
            let of = if form(output) == Form::Scalar { "Scalar" } else { "Array" };
            text.line(&format!("{}: {of}", output.name));
        }
        if function.body.uses().iterates {
            text.line(
                "failures: Any  # How many iterations did not converge; for a batch an array.",
            );
        }
        text.depth -= 1;
        classes.push(class);
    }
    classes
}

fn setup(text: &mut LineText, model: &PackageListing<'_>) {
    text.lines("\n\nclass Constants(NamedTuple):");
    text.depth += 1;
    docstring(
        text,
        &["What depends on the parameters alone, by function; made by `setup`.".into()],
    );
    text.line("");
    text.line("shape: tuple[int, ...]  # The shape of the batch.");
    if setup_iterates(model) {
        text.line("failures: Any  # How many iterations of `setup` did not converge; for a batch an array.");
    }
    with_constants(model).for_each(|function| text.line(&format!("{}: _List", function.name)));
    text.depth -= 1;

    let lists: Vec<String> =
        with_constants(model).map(|function| format!("{}: _List", function.name)).collect();
    let mut arguments: Vec<String> =
        ["lib: Any", "k: _List", "parameters: _List"].map(str::to_owned).to_vec();
    arguments.extend(lists);
    define(text, "_setup", &arguments, "Any");
    text.depth += 1;
    text.line("failures: Any = 0");
    for function in with_constants(model) {
        let (name, fails) = (&function.name, function.setup.uses().iterates);
        let count = if fails { "failures = failures + " } else { "" };
        text.line(&format!("{count}_setup_{name}(lib, parameters, {name})"));
    }
    text.line("return failures");
    text.depth -= 1;

    define(text, "setup", &["parameters: npt.ArrayLike = PARAMETERS".to_owned()], "Constants");
    text.depth += 1;
    let size = model.package.parameters.len();
    docstring(
        text,
        &[
            "Constants for given parameters, to be made anew at each change of them.".to_owned(),
            String::new(),
            format!("parameters: shape (..., {size}), in the order of `PARAMETER_NAMES`."),
        ],
    );
    text.line(&format!("arrays = [_array(\"parameters\", parameters, {size})]"));
    let sizes: Vec<String> = with_constants(model).map(|f| f.constants.to_string()).collect();
    let found = if setup_iterates(model) { "failures" } else { "_" };
    enclose(
        text,
        &format!("batch, lists, {found} = _run"),
        ["(", ")"],
        &format!("_setup, (), [], arrays, {}", bracketed(&sizes)),
        "",
        true,
    );
    text.line(match setup_iterates(model) {
        true => "return Constants(batch, failures, *lists)",
        false => "return Constants(batch, *lists)",
    });
    text.depth -= 1;
}

/// The arguments of a function, each with its type.
fn arguments(model: &PackageListing<'_>, function: &Listing<'_>) -> Vec<String> {
    let mut arguments = Vec::new();
    if model.has_parameters() {
        arguments.push("constants: Constants".to_owned());
    }
    if function.time {
        arguments.push("t: npt.ArrayLike".to_owned());
    }
    arguments.extend(function.inputs.iter().map(|one| format!("{}: npt.ArrayLike", one.name)));
    arguments
}

fn evaluate(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>, class: &str) {
    let mut shapes = Vec::new();
    if function.time {
        shapes.push("t: shape (...)".to_owned());
    }
    for input in &function.inputs {
        shapes.push(format!("{}: shape (..., {})", input.name, input.len));
    }
    let result = match (is_plain(function), function.outputs.first()) {
        (true, Some(output)) if form(output) == Form::Scalar => "Scalar",
        (true, _) => "Array",
        _ => class,
    };
    define(text, &function.name, &arguments(model, function), result);
    text.depth += 1;
    let mut lines = header::signature(function, header::First::Zero);
    lines.push(String::new());
    lines.extend(shapes);
    let mut forms = Vec::new();
    for output in &function.outputs {
        let (rows, columns) = (output.rows, output.columns);
        let (shape, tuple) = match form(output) {
            Form::Scalar => ("(...)".to_owned(), "()".to_owned()),
            Form::Vector => (format!("(..., {rows})"), format!("({rows},)")),
            Form::Matrix => (format!("(..., {rows}, {columns})"), format!("({rows}, {columns})")),
        };
        lines.push(format!("{}: shape {shape}", output.name));
        forms.push(tuple);
    }
    docstring(text, &lines);
    text.line("arrays = [");
    text.depth += 1;
    if function.time {
        text.line("np.asarray(t, dtype=np.float64)[..., np.newaxis],");
    }
    for input in &function.inputs {
        text.line(&format!("_array(\"{0}\", {0}, {1}),", input.name, input.len));
    }
    text.depth -= 1;
    text.line("]");
    let constants = match (model.has_parameters(), function.constants) {
        (false, _) => "(), []".to_owned(),
        (true, 0) => "constants.shape, []".to_owned(),
        (true, _) => format!("constants.shape, constants.{}", function.name),
    };
    let sizes: Vec<String> = function.outputs.iter().map(|one| one.len().to_string()).collect();
    let iterates = function.body.uses().iterates;
    enclose(
        text,
        &format!("batch, results, {} = _run", if iterates { "failures" } else { "_" }),
        ["(", ")"],
        &format!("_body_{}, {constants}, arrays, {}", function.name, bracketed(&sizes)),
        "",
        true,
    );
    if is_plain(function) {
        text.line(&format!(
            "{}: {result} = _gather(batch, {}, results[0])",
            function.outputs[0].name, forms[0]
        ));
        text.line(&format!("return {}", function.outputs[0].name));
    } else {
        text.line(&format!("return {class}("));
        text.depth += 1;
        for (at, form) in forms.iter().enumerate() {
            text.line(&format!("_gather(batch, {form}, results[{at}]),"));
        }
        if iterates {
            text.line("np.broadcast_to(failures, batch) if batch else int(failures),");
        }
        text.depth -= 1;
        text.line(")");
    }
    text.depth -= 1;
}
