//! Simulink: the C output, and for each function a level-2 S-function in C that calls it,
//! `sfun_PREFIX_FUNCTION.c`.
//!
//! Input ports take time (if it is read) and the arrays, output ports give the outputs; matrices
//! are matrices by columns, as Simulink has them. Parameters are the block's one dialog parameter,
//! a vector. Constants lie in a work vector of the block, so that a model may have many blocks.
//! `PREFIX_build.m` compiles all of them, and `PREFIX_parameters.m` gives the model's own
//! parameters.

use super::{c, matlab};
use crate::header;
use crate::layout::LineText;
use crate::listing::{Listing, PackageListing, ResultArray, list};
use crate::names::{NameRules, NameScope};
use crate::package::{EmitError, File, Package};

/// Writes a package as S-functions.
pub fn write(package: &Package) -> Result<Vec<File>, EmitError> {
    let mut files = c::write(package)?;
    let model = list(package, &c::DIALECT)?;
    // A block is found by its file, and some systems do not tell names of files apart by case.
    let mut scope = NameScope::new(NameRules { longest: 63, fold_case: true, ..c::DIALECT.rules });
    let mut blocks = Vec::new();
    for function in &model.functions {
        let name = scope.fresh(&format!("sfun_{}_{}", model.prefix, function.name));
        let text = block(&model, function, &name);
        files.push(File { name: format!("{name}.c"), text });
        blocks.push(name);
    }
    if model.has_parameters() {
        let name = scope.fresh(&format!("{}_parameters", model.prefix));
        let text = matlab::parameters(&model, &name);
        files.push(File { name: format!("{name}.m"), text });
    }
    let name = scope.fresh(&format!("{}_build", model.prefix));
    files.push(File { name: format!("{name}.m"), text: build(&model, &name, &blocks) });
    Ok(files)
}

/// A port: what it is called in the C code, how many numbers it has.
struct Port<'a> {
    name: &'a str,
    /// Nothing for a vector.
    matrix: Option<(u32, u32)>,
    len: usize,
}

/// The ports of a function. Simulink has none without any number.
fn ports<'a>(function: &'a Listing<'_>) -> (Vec<Port<'a>>, Vec<Port<'a>>) {
    let mut inputs = Vec::new();
    if function.time {
        inputs.push(Port { name: "t", matrix: None, len: 1 });
    }
    for input in function.inputs.iter().filter(|input| input.len > 0) {
        inputs.push(Port { name: &input.name, matrix: None, len: input.len });
    }
    let mut outputs = Vec::new();
    for output in function.outputs.iter().filter(|output| !output.is_empty()) {
        let matrix = output.matrix.then_some((output.rows, output.columns));
        outputs.push(Port { name: &output.name, matrix, len: output.len() });
    }
    if function.body.uses().iterates {
        outputs.push(Port { name: "failures", matrix: None, len: 1 });
    }
    (inputs, outputs)
}

/// Returns `true` if the C function writes an output in another order than Simulink reads it.
fn is_turned(function: &Listing<'_>, at: usize) -> bool {
    let output = &function.outputs[at];
    let symmetric = function.part.program.outputs()[at].symmetric;
    output.rows > 1 && output.columns > 1 && !symmetric
}

fn block(model: &PackageListing<'_>, function: &Listing<'_>, name: &str) -> String {
    let mut text = c::text();
    let (inputs, outputs) = ports(function);
    let mut about = header::origin(model);
    about.push(String::new());
    about.extend(header::signature(function, header::First::Zero));
    about.push(String::new());
    about.push("A level-2 S-function. Ports, in order:".to_owned());
    let list = |ports: &[Port<'_>]| {
        let each = ports.iter().map(|port| match port.matrix {
            Some((rows, columns)) => format!("{} ({rows} by {columns})", port.name),
            None => format!("{} ({})", port.name, port.len),
        });
        each.collect::<Vec<String>>().join(", ")
    };
    header::wrap(&mut about, "  ", &format!("inputs: {}", list(&inputs)));
    header::wrap(&mut about, "  ", &format!("outputs: {}", list(&outputs)));
    if model.has_parameters() {
        about.push(format!(
            "The block's parameter is the vector of the {} parameters of the model.",
            model.package.parameters.len()
        ));
    }
    c::comment(&mut text, &about);
    text.lines(&format!(
        "#define S_FUNCTION_NAME {name}\n#define S_FUNCTION_LEVEL 2\n\n#include \"simstruc.h\"\n#include \"{}.h\"",
        model.prefix
    ));
    if model.has_parameters() {
        parameters(&mut text, model);
    }
    sizes(&mut text, model, function, &inputs, &outputs);
    text.lines(
        "\nstatic void mdlInitializeSampleTimes(SimStruct *S)
{
    ssSetSampleTime(S, 0, INHERITED_SAMPLE_TIME);
    ssSetOffsetTime(S, 0, 0.0);
    ssSetModelReferenceSampleTimeDefaultInheritance(S);
}",
    );
    if model.has_parameters() {
        start(&mut text, model);
    }
    compute(&mut text, model, function);
    text.lines(
        "\nstatic void mdlTerminate(SimStruct *S)
{
    UNUSED_ARG(S);
}

#ifdef MATLAB_MEX_FILE
#include \"simulink.c\"
#else
#include \"cg_sfun.h\"
#endif",
    );
    text.text
}

/// Refuses a parameter of the block that is no vector of as many numbers.
fn parameters(text: &mut LineText, model: &PackageListing<'_>) {
    let upper = model.prefix.to_ascii_uppercase();
    text.lines("\n#ifdef MATLAB_MEX_FILE\n#define MDL_CHECK_PARAMETERS");
    text.lines("static void mdlCheckParameters(SimStruct *S)\n{");
    text.depth += 1;
    text.line("const mxArray *given = ssGetSFcnParam(S, 0);");
    text.line("if (!mxIsDouble(given) || mxIsComplex(given) || mxIsSparse(given)");
    text.line(&format!("        || mxGetNumberOfElements(given) != {upper}_NPARAMETERS) {{"));
    text.line(&format!(
        "    ssSetErrorStatus(S, \"The parameter is to be a vector of {} numbers.\");",
        model.package.parameters.len()
    ));
    text.line("}");
    text.depth -= 1;
    text.lines("}\n#endif");
}

/// The work vectors of a block: the constants first, then each output that is to be transposed.
fn works(model: &PackageListing<'_>, function: &Listing<'_>) -> Vec<String> {
    let mut works = Vec::new();
    if model.has_parameters() {
        works.push(format!("(int_T)(sizeof({}_constants) / sizeof(real_T))", model.prefix));
    }
    for (at, output) in function.outputs.iter().enumerate() {
        if is_turned(function, at) {
            works.push(output.len().to_string());
        }
    }
    works
}

fn sizes(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    inputs: &[Port<'_>],
    outputs: &[Port<'_>],
) {
    text.lines("\nstatic void mdlInitializeSizes(SimStruct *S)\n{");
    text.depth += 1;
    text.line(&format!("ssSetNumSFcnParams(S, {});", u8::from(model.has_parameters())));
    text.line("if (ssGetNumSFcnParams(S) != ssGetSFcnParamsCount(S)) {");
    text.line("    return; /* Simulink says that their number is wrong. */");
    text.line("}");
    if model.has_parameters() {
        // Directives stand at the margin.
        text.text += "#ifdef MATLAB_MEX_FILE\n";
        text.lines("mdlCheckParameters(S);\nif (ssGetErrorStatus(S) != NULL) {\n    return;\n}");
        text.text += "#endif\n";
        text.line("ssSetSFcnParamTunable(S, 0, 1);");
    }
    text.lines("ssSetNumContStates(S, 0);\nssSetNumDiscStates(S, 0);");
    text.line(&format!("if (!ssSetNumInputPorts(S, {})) {{", inputs.len()));
    text.lines("    return;\n}");
    for (at, port) in inputs.iter().enumerate() {
        text.line(&format!("ssSetInputPortWidth(S, {at}, {}); /* {} */", port.len, port.name));
        text.line(&format!("ssSetInputPortRequiredContiguous(S, {at}, 1);"));
        text.line(&format!("ssSetInputPortDirectFeedThrough(S, {at}, 1);"));
    }
    text.line(&format!("if (!ssSetNumOutputPorts(S, {})) {{", outputs.len()));
    text.lines("    return;\n}");
    for (at, Port { name, matrix, len }) in outputs.iter().enumerate() {
        match matrix {
            Some((rows, columns)) => text.line(&format!(
                "ssSetOutputPortMatrixDimensions(S, {at}, {rows}, {columns}); /* {name} */"
            )),
            None => text.line(&format!("ssSetOutputPortWidth(S, {at}, {len}); /* {name} */")),
        }
    }
    text.line("ssSetNumSampleTimes(S, 1);");
    let works = works(model, function);
    text.line(&format!("ssSetNumDWork(S, {});", works.len()));
    for (at, width) in works.iter().enumerate() {
        text.line(&format!("ssSetDWorkWidth(S, {at}, {width});"));
        text.line(&format!("ssSetDWorkDataType(S, {at}, SS_DOUBLE);"));
    }
    text.line("ssSetOptions(S, SS_OPTION_EXCEPTION_FREE_CODE);");
    text.depth -= 1;
    text.line("}");
}

fn start(text: &mut LineText, model: &PackageListing<'_>) {
    let prefix = &model.prefix;
    let iterates = model.functions.iter().any(|function| function.setup.uses().iterates);
    let call = format!(
        "{prefix}_setup(mxGetPr(ssGetSFcnParam(S, 0)), ({prefix}_constants *)ssGetDWork(S, 0))"
    );
    text.lines("\n#define MDL_START\nstatic void mdlStart(SimStruct *S)\n{");
    text.depth += 1;
    if iterates {
        text.line(&format!("if ({call} != 0) {{"));
        text.line("    ssSetErrorStatus(S, \"Iterations on the parameters did not converge.\");");
        text.line("}");
    } else {
        text.line(&format!("{call};"));
    }
    text.depth -= 1;
    text.lines(
        "}

#define MDL_PROCESS_PARAMETERS
static void mdlProcessParameters(SimStruct *S)
{
    mdlStart(S);
}",
    );
}

fn compute(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>) {
    let prefix = &model.prefix;
    text.lines("\nstatic void mdlOutputs(SimStruct *S, int_T tid)\n{");
    text.depth += 1;
    let mut arguments = Vec::new();
    let mut port = 0;
    if model.has_parameters() {
        let kind = format!("const {prefix}_constants");
        text.line(&format!("{kind} *constants = ({kind} *)ssGetDWork(S, 0);"));
        arguments.push("constants".to_owned());
    }
    if function.time {
        text.line("const real_T *t = ssGetInputPortRealSignal(S, 0);");
        arguments.push("t[0]".to_owned());
        port += 1;
    }
    // C has no arrays without elements, and Simulink no such ports.
    let empty = |name: &str| format!("real_T {name}[1] = {{0.0}};");
    for input in &function.inputs {
        // Names that nothing of the interface has.
        let name = format!("in_{}", input.name);
        if input.len == 0 {
            text.line(&empty(&name));
        } else {
            text.line(&format!("const real_T *{name} = ssGetInputPortRealSignal(S, {port});"));
            port += 1;
        }
        arguments.push(name);
    }
    port = 0;
    let mut work = usize::from(model.has_parameters());
    let mut turned: Vec<(&ResultArray, usize)> = Vec::new();
    for (at, output) in function.outputs.iter().enumerate() {
        let name = format!("out_{}", output.name);
        arguments.push(name.clone());
        if output.is_empty() {
            text.line(&empty(&name));
            continue;
        }
        if is_turned(function, at) {
            text.line(&format!("real_T *{name} = (real_T *)ssGetDWork(S, {work});"));
            turned.push((output, port));
            work += 1;
        } else {
            text.line(&format!("real_T *{name} = ssGetOutputPortRealSignal(S, {port});"));
        }
        port += 1;
    }
    text.line("UNUSED_ARG(tid);");
    let call = format!("{prefix}_{}({})", function.name, arguments.join(", "));
    match function.body.uses().iterates {
        true => text.line(&format!("ssGetOutputPortRealSignal(S, {port})[0] = {call};")),
        false => text.line(&format!("{call};")),
    }
    for (output, port) in turned {
        let (name, rows, columns) = (&output.name, output.rows, output.columns);
        text.line(&format!("for (int_T i = 0; i < {rows}; i++) {{"));
        text.line(&format!("    for (int_T j = 0; j < {columns}; j++) {{"));
        text.line(&format!(
            "        ssGetOutputPortRealSignal(S, {port})[i + {rows} * j] = out_{name}[{columns} * i + j];"
        ));
        text.lines("    }\n}");
    }
    text.depth -= 1;
    text.line("}");
}

/// A function of MATLAB that compiles the blocks.
fn build(model: &PackageListing<'_>, name: &str, blocks: &[String]) -> String {
    let prefix = &model.prefix;
    let mut text = LineText::new("    ", " ...");
    text.line(&format!("function {name}"));
    let title = name.to_ascii_uppercase();
    let mut about = vec![format!("{title}  compiles the S-functions; to be run in MATLAB")];
    about.push(String::new());
    about.extend(header::origin(model));
    about.iter().for_each(|line| text.line(format!("% {line}").trim_end()));
    text.line("here = fileparts(mfilename('fullpath'));");
    let mut sources = vec![format!("fullfile(here, '{prefix}.c')")];
    if !model.externals.is_empty() {
        sources.push(format!("fullfile(here, '{prefix}_externals.c')"));
    }
    text.line(&format!("sources = {{{}}};", sources.join(", ")));
    for block in blocks {
        text.line(&format!("mex('-outdir', here, fullfile(here, '{block}.c'), sources{{:}});"));
    }
    text.line("end");
    text.text
}
