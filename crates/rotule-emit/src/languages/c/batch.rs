//! Batches in C: the functions of a model once more, over many states at once, in `PREFIX_batch.h`
//! and `PREFIX_batch.c`, with `PREFIX_batch_demo.c`.
//!
//! Number `i` of state `s` lies at `x[i*count + s]`, so that the same number of neighbouring states
//! is a pack that is loaded as it lies, before it is first read, and stored when it is known. The
//! statements are those of the C output, in an order in which few wait for each other, written with
//! packs instead of numbers. Regions iterate until the last lane has converged; the others keep
//! their states. Constants are packs, too: all lanes alike in a batch of states of one model, and
//! each its own in a study, in which parameters differ from state to state.

use super::words::IN_BATCHES;
use super::{DIALECT, chunk_arguments, chunk_name, comment, simd, text};
use crate::dialect::Dialect;
use crate::header;
use crate::layout::LineText;
use crate::listing::{Listing, PackageListing, ResultArray, StageText, UnitText, Uses, list};
use crate::package::{EmitError, File, Package, PackageFunction};
use crate::plan::constants;
use rotule_program::{Block, InputId, Program, ProgramOutput, Value};
use rotule_symbolic::{Binary, Unary};
use rustc_hash::FxHashMap;
use statements::{Printer, iterate_begin, iterate_end};

mod demo;
mod statements;

/// Packs that a function may keep on the stack: a megabyte, if they are eight numbers wide.
const STACK: usize = 1 << 14;

/// Arrays up to this length are loaded or zeroed line by line, so that compilers need no memory for
/// them.
const SHORT: usize = 1024;

/// States that one thread takes at a time.
const BLOCK: usize = 512;

/// Expressions of packs in C.
const PACKS: Dialect = Dialect {
    taken: IN_BATCHES,
    number: |x| format!("all_of({})", (DIALECT.number)(x)),
    unary: |function, x| match function {
        Unary::Abs => format!("abs_of({x})"),
        _ => format!("{}_of({x})", function.name()),
    },
    binary: |function, x, y| match function {
        Binary::Min => format!("min_of({x}, {y})"),
        Binary::Max => format!("max_of({x}, {y})"),
        _ => format!("{}_of({x}, {y})", function.name()),
    },
    select: |compare, [left, right, then, otherwise]| {
        format!("choose((bits)({left} {} {right}), {then}, {otherwise})", compare.sign())
    },
    fewest: 1,
    ..DIALECT
};

/// Writes the files of batches.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let batched = package.with_angle_addition();
    let model = list(&batched, &PACKS)?;
    for function in &model.functions {
        check_stack(function)?;
    }
    let orders: Vec<Vec<usize>> = package
        .functions
        .iter()
        .zip(&batched.functions)
        .map(|(one, many)| order(one, many))
        .collect();
    let prefix = &model.prefix;
    Ok(vec![
        File { name: format!("{prefix}_batch.h"), text: head_file(&model) },
        File { name: format!("{prefix}_batch.c"), text: source(&model, &orders) },
        File { name: format!("{prefix}_batch_demo.c"), text: demo::demo(&model) },
    ])
}

/// Constants are numbered as they are first read, which is another order here than in the function
/// of one state. For each of ours, the number there: both have the same inputs and the same
/// `setup`.
fn order(one: &PackageFunction, many: &PackageFunction) -> Vec<usize> {
    let places = |program: &Program| {
        let inputs = (0..program.inputs().len()).map(|at| program.input_value(InputId::new(at)));
        let early = inputs.chain(program.block(Block::Setup).iter().copied());
        early.enumerate().map(|(at, value)| (value, at)).collect::<FxHashMap<Value, usize>>()
    };
    let listed = |program: &Program| {
        let places = places(program);
        let (list, _) = constants(program);
        list.iter().filter_map(|value| places.get(value).copied()).collect::<Vec<usize>>()
    };
    let number: FxHashMap<usize, usize> =
        listed(&one.program).into_iter().enumerate().map(|(at, place)| (place, at)).collect();
    listed(&many.program).iter().map(|place| number.get(place).copied().unwrap_or(0)).collect()
}

/// Generated code allocates nothing, so that all its packs are on the stack.
fn check_stack(function: &Listing<'_>) -> Result<(), EmitError> {
    let inputs: usize = function.inputs.iter().map(|input| input.len).sum();
    let outputs: usize = function.outputs.iter().map(ResultArray::len).sum();
    let work = function.setup.work.max(function.body.work);
    let packs = function.constants + 2 * (inputs + outputs) + work;
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

fn head_file(model: &PackageListing<'_>) -> String {
    let (prefix, upper) = (&model.prefix, model.prefix.to_ascii_uppercase());
    let mut text = text();
    let mut about = header::origin(model);
    about.extend(
        [
            "",
            "Functions of many states at once. Number i of state s is x[i*count + s] in every array, matrices",
            "being counted by rows; arrays must not overlap. With OpenMP, blocks of states go to threads.",
        ]
        .map(str::to_owned),
    );
    if model.has_parameters() {
        about.push(
            "A batch has the same constants for all states; in a study parameters differ, too."
                .to_owned(),
        );
    }
    comment(&mut text, &about);
    text.lines(&format!(
        "#ifndef {upper}_BATCH_H\n#define {upper}_BATCH_H\n\n#include \"{prefix}.h\"\n#include <stddef.h>\n\n\
         #ifdef __cplusplus\nextern \"C\" {{\n#endif"
    ));
    for function in &model.functions {
        text.line("");
        let mut about = header::signature(function, header::First::Zero);
        if function.iterates() {
            about.push(
                "Returns how many iterations of all states did not converge: 0 if all is well."
                    .to_owned(),
            );
        }
        comment(&mut text, &about);
        text.line(&format!("{};", signature(model, function, false)));
        if is_studied(model, function) {
            text.line(&format!("{};", signature(model, function, true)));
        }
    }
    text.lines("\n#ifdef __cplusplus\n}\n#endif\n\n#endif");
    text.text
}

/// Returns `true` if states may differ in parameters.
fn is_studied(model: &PackageListing<'_>, function: &Listing<'_>) -> bool {
    model.has_parameters() && function.constants > 0
}

/// The arrays of states of a function, inputs first: declared, and by name.
fn arrays(function: &Listing<'_>) -> (Vec<String>, Vec<String>) {
    let mut names: Vec<(String, &str)> = Vec::new();
    if function.time {
        names.push(("t".to_owned(), "const "));
    }
    names.extend(function.inputs.iter().map(|input| (input.name.clone(), "const ")));
    names.extend(function.outputs.iter().map(|output| (output.name.clone(), "")));
    let declared = names.iter().map(|(name, constant)| format!("{constant}double *{name}"));
    (declared.collect(), names.iter().map(|(name, _)| name.clone()).collect())
}

fn signature(model: &PackageListing<'_>, function: &Listing<'_>, study: bool) -> String {
    let prefix = &model.prefix;
    let mut arguments = vec!["size_t count".to_owned()];
    if study {
        arguments.push("const double *parameters".to_owned());
    } else if model.has_parameters() {
        arguments.push(format!("const {prefix}_constants *constants"));
    }
    arguments.extend(arrays(function).0);
    let iterates = if study { function.iterates() } else { function.body.uses().iterates };
    let result = if iterates { "size_t" } else { "void" };
    let kind = if study { "study" } else { "batch" };
    format!("{result} {prefix}_{}_{kind}({})", function.name, arguments.join(", "))
}

fn source(model: &PackageListing<'_>, orders: &[Vec<usize>]) -> String {
    let mut body = text();
    for (function, order) in model.functions.iter().zip(orders) {
        if is_studied(model, function) {
            stage_chunks(&mut body, model, function, &function.setup, true);
            setup(&mut body, model, function);
        }
        stage_chunks(&mut body, model, function, &function.body, false);
        evaluate(&mut body, model, function);
        some(&mut body, model, function, order);
        public(&mut body, model, function, false);
        if is_studied(model, function) {
            public(&mut body, model, function, true);
        }
    }
    let mut text = text();
    comment(&mut text, &header::origin(model));
    text.lines(&format!(
        "#include \"{}_batch.h\"\n#include <math.h>\n#include <string.h>\n\n\
         #ifdef __cplusplus\n#define restrict\n#endif\n",
        model.prefix
    ));
    simd::define(&mut text, &model.prefix.to_ascii_uppercase(), &body.text);
    text.text + &body.text
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
        let (declared, _) = arguments(function, &chunk.uses, setup);
        let declared = if declared.is_empty() { "void".to_owned() } else { declared.join(", ") };
        let result = if chunk.uses.iterates { "pack" } else { "void" };
        text.line("");
        text.line(&format!("static {result} {}({declared})", chunk_name(function, chunk, setup)));
        open(text, chunk.uses.iterates);
        with_inputs(text, function, |text| {
            let mut printer = Printer::new(model, function, setup);
            chunk.statements.iter().for_each(|statement| printer.print(text, statement));
        });
        close(text, chunk.uses.iterates);
    }
}

/// Arguments of a chunk, as declared and as called. States stay where they are: a chunk loads and
/// stores them itself.
fn arguments(function: &Listing<'_>, uses: &Uses, setup: bool) -> (Vec<String>, Vec<String>) {
    if setup {
        return chunk_arguments(function, uses, true, "pack");
    }
    let own = Uses { inputs: Vec::new(), outputs: Vec::new(), ..uses.clone() };
    let (mut declared, mut called) = chunk_arguments(function, &own, false, "pack");
    let inputs = function.inputs.iter().map(|input| &input.name).zip(&uses.inputs);
    let outputs = function.outputs.iter().map(|output| &output.name).zip(&uses.outputs);
    let inputs =
        inputs.filter(|(_, used)| **used).map(|(name, _)| ("const ", format!("from_{name}")));
    let outputs = outputs.filter(|(_, used)| **used).map(|(name, _)| ("", format!("to_{name}")));
    let states: Vec<(&str, String)> = inputs.chain(outputs).collect();
    if !states.is_empty() {
        declared.push("size_t n".to_owned());
        called.push("n".to_owned());
    }
    for (constant, name) in states {
        declared.push(format!("{constant}double *restrict {name}"));
        called.push(name);
    }
    (declared, called)
}

/// Adds statements, with room for the packs of inputs that they load one by one.
fn with_inputs(
    text: &mut LineText,
    function: &Listing<'_>,
    statements: impl FnOnce(&mut LineText),
) {
    let mut inner = super::text();
    inner.depth = text.depth;
    statements(&mut inner);
    for input in &function.inputs {
        if inner.text.contains(&format!("] = load_of(from_{} + ", input.name)) {
            text.line(&format!("pack {}[{}];", input.name, input.len.max(1)));
        }
    }
    text.text += &inner.text;
}

/// Begins a function, which may count failures.
fn open(text: &mut LineText, iterates: bool) {
    text.line("{");
    text.depth += 1;
    if iterates {
        text.line("pack failures = all_of(0.0);");
    }
}

fn close(text: &mut LineText, iterates: bool) {
    if iterates {
        text.line("return failures;");
    }
    text.depth -= 1;
    text.line("}");
}

/// Loads a whole array.
fn load(text: &mut LineText, name: &str, len: usize) {
    text.line(&format!("pack {name}[{}];", len.max(1)));
    if len <= SHORT {
        for at in 0..len {
            text.line(&format!("{name}[{at}] = load_of(from_{name} + {at} * n);"));
        }
    } else {
        text.line(&format!("for (size_t i = 0; i < {len}; i++) {{"));
        text.line(&format!("    {name}[i] = load_of(from_{name} + i * n);"));
        text.line("}");
    }
}

/// The function that makes the constants of a pack.
fn setup(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>) {
    let uses = function.setup.uses();
    let result = if uses.iterates { "pack" } else { "void" };
    text.line("");
    text.line(&format!(
        "static {result} {}_setup_pack(size_t n, const double *from_parameters, pack *restrict k)",
        function.name
    ));
    open(text, uses.iterates);
    if uses.parameters {
        load(text, "parameters", model.package.parameters.len());
    } else {
        text.lines("(void)n;\n(void)from_parameters;");
    }
    stage_body(text, model, function, &function.setup, true);
    close(text, uses.iterates);
}

/// The function that evaluates a pack: number `i` of its states lies at `i*n`.
fn evaluate(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>) {
    let uses = function.body.uses();
    let mut arguments = vec!["size_t n".to_owned()];
    if model.has_parameters() {
        arguments.push("const pack *restrict k".to_owned());
    }
    let (declared, _) = arrays(function);
    for (argument, is_output) in declared.iter().zip(is_output(function)) {
        let to = if is_output { "*restrict to_" } else { "*restrict from_" };
        arguments.push(argument.replacen('*', to, 1));
    }
    let result = if uses.iterates { "pack" } else { "void" };
    text.line("");
    text.line(&format!("static {result} {}_pack({})", function.name, arguments.join(", ")));
    open(text, uses.iterates);
    text.line("(void)n;");
    if model.has_parameters() && !uses.constants {
        text.line("(void)k;");
    }
    if function.time {
        match uses.time {
            true => text.line("const pack t = load_of(from_t);"),
            false => text.line("(void)from_t;"),
        }
    }
    for (at, input) in function.inputs.iter().enumerate() {
        if !uses.inputs.get(at).copied().unwrap_or(false) {
            text.line(&format!("(void)from_{};", input.name));
        }
    }
    for (output, program) in function.outputs.iter().zip(function.part.program.outputs()) {
        zeros(text, output, program);
    }
    with_inputs(text, function, |text| {
        stage_body(text, model, function, &function.body, false);
    });
    close(text, uses.iterates);
}

/// Stores the zeros of an output.
fn zeros(text: &mut LineText, output: &ResultArray, of: &ProgramOutput) {
    let (name, len) = (&output.name, output.len());
    if output.is_empty() {
        text.line(&format!("(void)to_{name};"));
    } else if output.zeros && len > SHORT {
        text.line(&format!("for (size_t i = 0; i < {len}; i++) {{"));
        text.line(&format!("    store_of(to_{name} + i * n, all_of(0.0));"));
        text.line("}");
    } else if output.zeros {
        let mut written = vec![false; len];
        let columns = of.columns as usize;
        for entry in &of.entries {
            let (row, column) = (entry.row as usize, entry.column as usize);
            written[row * columns + column] = true;
            if of.symmetric {
                written[column * columns + row] = true;
            }
        }
        for at in (0..len).filter(|&at| !written[at]) {
            text.line(&format!("store_of(to_{name} + {at} * n, all_of(0.0));"));
        }
    }
}

/// For each array of states, whether it is written.
fn is_output(function: &Listing<'_>) -> Vec<bool> {
    let inputs = function.inputs.len() + usize::from(function.time);
    let mut outputs = vec![false; inputs];
    outputs.resize(inputs + function.outputs.len(), true);
    outputs
}

/// Number of values that a state has in each array.
fn lengths(function: &Listing<'_>) -> Vec<usize> {
    let mut found = Vec::new();
    if function.time {
        found.push(1);
    }
    found.extend(function.inputs.iter().map(|input| input.len));
    found.extend(function.outputs.iter().map(ResultArray::len));
    found
}

/// The function that a thread runs: states from `start` to `stop`.
fn some(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>, order: &[usize]) {
    let (prefix, name) = (&model.prefix, &function.name);
    let (iterates, studied) = (function.iterates(), is_studied(model, function));
    let (declared, names) = arrays(function);
    let mut arguments =
        vec!["size_t start".to_owned(), "size_t stop".to_owned(), "size_t count".to_owned()];
    if model.has_parameters() {
        arguments.push(format!("const {prefix}_constants *constants"));
        arguments.push("const double *parameters".to_owned());
    }
    arguments.extend(declared);
    let result = if iterates { "size_t" } else { "void" };
    text.line("");
    text.line(&format!("static {result} {name}_some({})", arguments.join(", ")));
    text.line("{");
    text.depth += 1;
    if iterates {
        text.line("size_t failures = 0;");
    }
    if studied {
        let numbers: Vec<String> = order.iter().map(usize::to_string).collect();
        let numbers = numbers.join(", ");
        text.line(&format!("static const int order[{}] = {{{numbers}}};", function.constants));
        text.line(&format!("pack k[{}];", function.constants));
        text.line(&format!("for (int i = 0; i < {}; i++) {{", function.constants));
        text.line(&format!("    k[i] = all_of(constants ? constants->{name}[order[i]] : 0.0);"));
        text.line("}");
    } else if model.has_parameters() {
        text.lines("(void)constants;\n(void)parameters;");
    }
    text.line("for (size_t s = start; s < stop; s += WIDTH) {");
    text.depth += 1;
    text.line("const size_t lanes = count - s < WIDTH ? count - s : WIDTH;");
    let count = |uses: bool, call: String| match uses {
        true => format!("failures += sum_of({call}, lanes);"),
        false => format!("{call};"),
    };
    if studied {
        let number = model.package.parameters.len();
        let setup = |n: &str, from: &str| {
            count(function.setup.uses().iterates, format!("{name}_setup_pack({n}, {from}, k)"))
        };
        text.line("if (parameters && lanes == WIDTH) {");
        text.line(&format!("    {}", setup("count", "parameters + s")));
        text.line("} else if (parameters) {");
        text.depth += 1;
        text.line(&format!("double part[{number} * WIDTH];"));
        text.line(&format!("fill_part({number}, lanes, count, parameters + s, part);"));
        text.line(&setup("WIDTH", "part"));
        text.depth -= 1;
        text.line("}");
    }
    let call = |n: &str, each: &dyn Fn(&String) -> String| {
        let mut given = vec![n.to_owned()];
        if model.has_parameters() {
            given.push(if studied { "k" } else { "0" }.to_owned());
        }
        given.extend(names.iter().map(each));
        count(function.body.uses().iterates, format!("{name}_pack({})", given.join(", ")))
    };
    text.line("if (lanes == WIDTH) {");
    text.line(&format!("    {}", call("count", &|name| format!("{name} + s"))));
    text.line("} else {");
    text.depth += 1;
    let each = || names.iter().zip(lengths(function)).zip(is_output(function));
    for ((name, len), is_output) in each() {
        if len == 0 {
            text.line(&format!("double {name}_part[1] = {{0.0}};"));
            continue;
        }
        text.line(&format!("double {name}_part[{len} * WIDTH];"));
        if !is_output {
            text.line(&format!("fill_part({len}, lanes, count, {name} + s, {name}_part);"));
        }
    }
    text.line(&call("WIDTH", &|name| format!("{name}_part")));
    for ((name, len), _) in each().filter(|((_, len), is_output)| *is_output && *len > 0) {
        text.line(&format!("take_part({len}, lanes, count, {name}_part, {name} + s);"));
    }
    text.depth -= 1;
    text.line("}");
    text.depth -= 1;
    text.line("}");
    if iterates {
        text.line("return failures;");
    }
    text.depth -= 1;
    text.line("}");
}

/// The function that the caller knows.
fn public(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>, study: bool) {
    let iterates = if study { function.iterates() } else { function.body.uses().iterates };
    text.line("");
    text.line(&signature(model, function, study));
    text.line("{");
    text.depth += 1;
    text.line(&format!("const size_t block = {BLOCK};"));
    text.line("const ptrdiff_t blocks = (ptrdiff_t)(count / block + (count % block != 0));");
    let mut reduction = "";
    if iterates {
        text.line("size_t failures = 0;");
        reduction = " reduction(+ : failures)";
    }
    text.lines(&format!(
        "#ifdef _OPENMP\n#pragma omp parallel for schedule(static){reduction} if (blocks > 1)\n#endif"
    ));
    text.line("for (ptrdiff_t at_block = 0; at_block < blocks; at_block++) {");
    text.depth += 1;
    text.line("const size_t start = (size_t)at_block * block;");
    text.line("const size_t stop = count - start < block ? count : start + block;");
    let mut given = vec!["start", "stop", "count"];
    if model.has_parameters() {
        given.extend(if study { ["0", "parameters"] } else { ["constants", "0"] });
    }
    let (_, names) = arrays(function);
    given.extend(names.iter().map(String::as_str));
    // A batch without regions of its own counts nothing, even if a study does.
    let word = match (iterates, function.iterates()) {
        (true, _) => "failures += ",
        (false, true) => "(void)",
        (false, false) => "",
    };
    text.line(&format!("{word}{}_some({});", function.name, given.join(", ")));
    text.depth -= 1;
    text.line("}");
    if iterates {
        text.line("return failures;");
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
    let mut printer = Printer::new(model, function, setup);
    if stage.is_whole() {
        for chunk in stage.chunks() {
            chunk.statements.iter().for_each(|statement| printer.print(text, statement));
        }
        return;
    }
    if stage.work > 0 {
        text.line(&format!("pack w[{}];", stage.work));
    }
    units(text, &mut printer, function, &stage.units, setup);
}

/// Recursion goes as deep as regions are nested.
fn units(
    text: &mut LineText,
    printer: &mut Printer<'_>,
    function: &Listing<'_>,
    list: &[UnitText],
    setup: bool,
) {
    for unit in list {
        match unit {
            UnitText::Chunk(chunk) => {
                let (_, called) = arguments(function, &chunk.uses, setup);
                let name = chunk_name(function, chunk, setup);
                let call = format!("{name}({})", called.join(", "));
                match chunk.uses.iterates {
                    true => printer.count_failures(text, &call),
                    false => text.line(&format!("{call};")),
                }
            }
            UnitText::Loop(iterate, after) => {
                printer.load_for_loop(text, iterate);
                iterate_begin(text, printer, iterate);
                units(text, printer, function, &iterate.units, setup);
                iterate_end(text, printer, iterate);
                after.iter().for_each(|statement| printer.print(text, statement));
            }
        }
    }
}
