//! A program as C for a shared library with entry points that do not depend on the program.
//!
//! Whoever loads the library knows a program's inputs and outputs as two arrays, as the interpreter
//! does. The functions here are those of the C output, all of them private to the file, and two
//! more around them: `rotule_setup` and `rotule_evaluate`. External functions go back to the caller
//! through a pointer.
//!
//! How the regions ended is given, too, as numbers of one more output: two for each region that is
//! not inside of another one, its iterations and whether it converged.

use super::c::{DIALECT, external_name, head_file, source, text};
use crate::layout::LineText;
use crate::listing::{PackageListing, list};
use crate::package::{ArgumentEntry, EmitError, Package};
use rotule_program::{Block, Operation, Program, ProgramOutput, RegionId, Value};
use rotule_symbolic::Kind;

/// The prefix of the functions.
const PREFIX: &str = "kernel";

/// The C of a program, and what its caller has to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shared {
    /// The source, a single file.
    pub text: String,
    /// Number of values that `setup` hands on to evaluations.
    pub constants: usize,
    /// Number of values that the larger stage keeps on the stack.
    pub work: usize,
    /// The regions whose ends are given, in order.
    pub regions: Vec<RegionId>,
}

/// Writes a program as C for a shared library.
pub fn shared(program: &Program) -> Result<Shared, EmitError> {
    let (watched, regions) = watched(program);
    let package = package(watched)?;
    let package = package.with_batched_trigonometry();
    let model = list(&package, &DIALECT)?;
    let function = &model.functions[0];
    let own = source(&model).replacen(&format!("#include \"{}.h\"\n", model.prefix), "", 1);
    Ok(Shared {
        text: format!("{}\n{own}\n{}", head_file(&model), entries(&model)),
        constants: function.constants.max(1),
        work: function.setup.work.max(function.body.work),
        regions,
    })
}

/// The program with one more output, which tells how its regions ended.
fn watched(program: &Program) -> (Program, Vec<RegionId>) {
    let mut watched = program.clone();
    let (mut regions, mut ends) = (Vec::new(), Vec::new());
    for block in Block::STAGES {
        let found =
            program.block(block).iter().filter_map(|&value| match program.operation(value) {
                Operation::Region(region) => Some((value, region)),
                _ => None,
            });
        let found: Vec<(Value, RegionId)> = found.collect();
        for (value, id) in found {
            let region = &program.regions()[id.index()];
            for index in [region.iterations_index(), region.converged_index()] {
                ends.push(watched.result(block, value, index));
            }
            regions.push(id);
        }
    }
    let taken = |name: &str| program.outputs().iter().any(|output| output.name == name);
    let mut name = "ends_of_regions".to_owned();
    while taken(&name) {
        name.push('_');
    }
    watched.output(ProgramOutput::vector(name, &ends));
    (watched, regions)
}

fn package(program: Program) -> Result<Package, EmitError> {
    let mut package = Package::of_program(program, PREFIX)?;
    if package.parameters.is_empty() {
        // With a parameter there always is a setup, and one case less to write.
        package.parameters.push(ArgumentEntry::named("no_parameter"));
    }
    Ok(package)
}

/// The functions that the caller knows, and those that call it back.
fn entries(model: &PackageListing<'_>) -> String {
    let (prefix, function) = (&model.prefix, &model.functions[0]);
    let program = &function.part.program;
    let mut text = text();
    text.lines("typedef void (*rotule_call)(void *, unsigned long, const double *, double *);");
    let calls = !model.externals.is_empty();
    if calls {
        text.lines(
            "static _Thread_local rotule_call call_now;\nstatic _Thread_local void *context_now;",
        );
    }
    for external in &model.externals {
        let same = |one: &rotule_program::ForeignSignature| one.name == external.title;
        let number = program.functions().iter().position(same).unwrap_or_default();
        let name = external_name(model, external);
        text.line(&format!("void {name}(const double *arguments, double *results)"));
        text.lines(&format!("{{\n    call_now(context_now, {number}ul, arguments, results);\n}}"));
    }
    let entry = |text: &mut LineText, name: &str, arguments: &str| {
        text.line("__attribute__((visibility(\"default\")))");
        text.line(&format!("int {name}({arguments}, rotule_call call, void *context)"));
        text.line("{");
        text.depth += 1;
        match calls {
            true => text.lines(
                "const rotule_call call_before = call_now;\nvoid *const context_before = context_now;\n\
                 call_now = call;\ncontext_now = context;",
            ),
            false => text.lines("(void)call;\n(void)context;"),
        }
        text.line("int failures = 0;");
    };
    let leave = |text: &mut LineText| {
        if calls {
            text.lines("call_now = call_before;\ncontext_now = context_before;");
        }
        text.line("return failures;");
        text.depth -= 1;
        text.line("}");
    };
    entry(&mut text, "rotule_setup", "const double *inputs, double *constants");
    let given = gather(&mut text, program, Kind::Parameter);
    let count = if function.setup.uses().iterates { "failures = " } else { "" };
    text.line(&format!("{count}{prefix}_setup({given}, ({prefix}_constants *)constants);"));
    leave(&mut text);
    let arguments = "const double *inputs, const double *constants, double *outputs, double *ends";
    entry(&mut text, "rotule_evaluate", arguments);
    let mut given = vec![format!("(const {prefix}_constants *)constants")];
    if function.time {
        given.push(gather(&mut text, program, Kind::Time) + "[0]");
    }
    for input in &function.inputs {
        given.push(gather(&mut text, program, input.kind));
    }
    let mut start = 0;
    let (_, outputs) = program.outputs().split_last().expect("`watched` adds an output");
    for output in outputs {
        given.push(format!("outputs + {start}"));
        start += output.dense_len();
    }
    given.push("ends".to_owned());
    let count = if function.body.uses().iterates { "failures = " } else { "" };
    text.line(&format!("{count}{prefix}_{}({});", function.name, given.join(", ")));
    leave(&mut text);
    text.text
}

/// An array of the inputs of a kind: where they lie, or a copy if they are not side by side.
fn gather(text: &mut LineText, program: &Program, kind: Kind) -> String {
    let inputs = program.inputs().iter().enumerate();
    let places: Vec<usize> =
        inputs.filter(|(_, input)| input.kind == kind).map(|(at, _)| at).collect();
    match places[..] {
        [] => "inputs".to_owned(),
        [first, ..] if places.windows(2).all(|pair| pair[1] == pair[0] + 1) => {
            format!("(inputs + {first})")
        }
        _ => {
            let name = format!("given_{}", crate::package::array_name(kind));
            let values: Vec<String> = places.iter().map(|at| format!("inputs[{at}]")).collect();
            text.line(&format!("const double {name}[] = {{{}}};", values.join(", ")));
            name
        }
    }
}
