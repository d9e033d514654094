//! The demo of batches in C: many states around the model's initial one, each compared with the
//! function of one state. It prints the numbers of the state in the middle, which is the initial
//! one, as the other demo does.

use super::super::{DIALECT, comment, text};
use super::is_studied;
use crate::header;
use crate::layout::LineText;
use crate::listing::{Listing, PackageListing};
use crate::package::{ARRAYS, array_name};

const HELPERS: &str = r#"
static size_t count = 1000;
static int bad = 0;

static void show(const char *function, const char *output, int rows, int columns, const double *x)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) {
            const size_t at = (size_t)(i * columns + j) * count + count / 2;
            printf("%s %s %d %d %.17g\n", function, output, i + 1, j + 1, x[at]);
        }
    }
}

static double *array(size_t numbers)
{
    double *x = (double *)calloc(numbers * count + 1, sizeof(double));
    if (!x) {
        exit(2);
    }
    return x;
}

/* States around one, which itself is in the middle. */
static double *around(size_t numbers, const double *x)
{
    double *all = array(numbers);
    for (size_t i = 0; i < numbers; i++) {
        for (size_t s = 0; s < count; s++) {
            const double factor = (double)((s + 7 - count / 2 % 7) % 7);
            all[i * count + s] = x[i] * (1.0 + 0.001 * factor);
        }
    }
    return all;
}

static void take(size_t numbers, size_t s, const double *all, double *x)
{
    for (size_t i = 0; i < numbers; i++) {
        x[i] = all[i * count + s];
    }
}

static void compare(const char *name, size_t numbers, size_t s, const double *all, const double *x)
{
    double scale = 1.0;
    for (size_t i = 0; i < numbers; i++) {
        if (fabs(x[i]) > scale && fabs(x[i]) <= 1e300) {
            scale = fabs(x[i]);
        }
    }
    for (size_t i = 0; i < numbers; i++) {
        const double y = all[i * count + s];
        const int same = fabs(y - x[i]) <= TOLERANCE * scale || !(y < x[i] || y > x[i] || (y != y) != (x[i] != x[i]));
        if (!same) {
            fprintf(stderr, "%s: state %lu, number %lu: %.17g instead of %.17g\n", name,
                    (unsigned long)s, (unsigned long)i, y, x[i]);
            bad = 1;
        }
    }
}"#;

/// The text of the demo.
pub fn demo(model: &PackageListing<'_>) -> String {
    let prefix = &model.prefix;
    let mut text = text();
    let extra =
        if model.externals.is_empty() { String::new() } else { format!(" {prefix}_externals.c") };
    let mut about = header::origin(model);
    about.push(
        "Many states around the model's initial one, compared one by one; prints that one."
            .to_owned(),
    );
    about.push(format!(
        "  cc -O2 -march=native {prefix}.c {prefix}_batch.c {prefix}_batch_demo.c{extra} -lm -o demo && ./demo 1000"
    ));
    comment(&mut text, &about);
    text.lines(&format!(
        "#include \"{prefix}_batch.h\"\n#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n\n\
         /* How far numbers may be from those of one state alone, relative to the largest, or to one: small ones may be what is left of large ones. */\n\
         #define TOLERANCE 1e-13"
    ));
    text.lines(HELPERS);
    for function in &model.functions {
        check(&mut text, model, function);
    }
    text.lines("\nint main(int arguments, char **words)\n{");
    text.depth += 1;
    text.lines("if (arguments > 1) {\n    count = (size_t)atol(words[1]);\n}");
    for function in &model.functions {
        text.line(&format!("check_{}();", function.name));
    }
    text.line("return bad;");
    text.depth -= 1;
    text.line("}");
    text.text
}

/// The function that checks one.
fn check(text: &mut LineText, model: &PackageListing<'_>, function: &Listing<'_>) {
    let (package, prefix, name) = (model.package, &model.prefix, &function.name);
    text.line("");
    text.line(&format!("static void check_{name}(void)"));
    text.line("{");
    text.depth += 1;
    let mut arrays: Vec<(String, usize)> = Vec::new();
    if function.time {
        text.line(&format!("const double one_t[1] = {{{}}};", (DIALECT.number)(package.time)));
        arrays.push(("t".to_owned(), 1));
    }
    for kind in ARRAYS {
        let Some(input) = function.inputs.iter().find(|input| input.kind == kind) else { continue };
        let numbers: Vec<String> =
            package.array(kind).iter().map(|one| (DIALECT.number)(one.value)).collect();
        let numbers = if numbers.is_empty() { "0.0".to_owned() } else { numbers.join(", ") };
        let array = array_name(kind);
        text.line(&format!("const double one_{array}[{}] = {{{numbers}}};", input.len.max(1)));
    }
    arrays.extend(function.inputs.iter().map(|input| (input.name.clone(), input.len)));
    for (array, len) in &arrays {
        text.line(&format!("double *all_{array} = around({len}, one_{array});"));
        text.line(&format!("double now_{array}[{}];", len.max(&1)));
    }
    for output in &function.outputs {
        text.line(&format!("double *all_{} = array({});", output.name, output.len()));
        text.line(&format!("static double now_{}[{}];", output.name, output.len().max(1)));
    }
    if model.has_parameters() {
        text.line(&format!("static {prefix}_constants constants;"));
        text.line(&format!("{prefix}_setup({prefix}_parameters, &constants);"));
    }
    let all = || {
        let inputs = arrays.iter().map(|(array, _)| format!("all_{array}"));
        inputs.chain(function.outputs.iter().map(|output| format!("all_{}", output.name)))
    };
    let mut given = vec!["count".to_owned()];
    if model.has_parameters() {
        given.push("&constants".to_owned());
    }
    given.extend(all());
    let counts = if function.body.uses().iterates { "const size_t failures = " } else { "" };
    text.line(&format!("{counts}{prefix}_{name}_batch({});", given.join(", ")));
    each(text, model, function, &arrays, false);
    text.line("if (count > 0) {");
    for (output, named) in function.part.program.outputs().iter().zip(&function.outputs) {
        text.line(&format!(
            "    show(\"{name}\", \"{}\", {}, {}, all_{});",
            output.name, named.rows, named.columns, named.name
        ));
    }
    text.line("}");
    if is_studied(model, function) {
        let len = package.parameters.len();
        text.line(&format!("double *all_parameters = around({len}, {prefix}_parameters);"));
        let mut given = vec!["count".to_owned(), "all_parameters".to_owned()];
        given.extend(all());
        text.line(&format!("{prefix}_{name}_study({});", given.join(", ")));
        each(text, model, function, &arrays, true);
        text.line("free(all_parameters);");
    }
    all().for_each(|array| text.line(&format!("free({array});")));
    text.depth -= 1;
    text.line("}");
}

/// Compares all states with the function of one state.
fn each(
    text: &mut LineText,
    model: &PackageListing<'_>,
    function: &Listing<'_>,
    arrays: &[(String, usize)],
    study: bool,
) {
    let (prefix, name) = (&model.prefix, &function.name);
    // The constants of a study may fail to converge, too, which the function of one state does not
    // tell.
    let counts = !study && function.body.uses().iterates;
    if counts {
        text.line("size_t alone = 0;");
    }
    text.line("for (size_t s = 0; s < count; s++) {");
    text.depth += 1;
    if study {
        let len = model.package.parameters.len();
        text.line(&format!("double parameters[{len}];"));
        text.line(&format!("take({len}, s, all_parameters, parameters);"));
        text.line(&format!("{prefix}_setup(parameters, &constants);"));
    }
    for (array, len) in arrays {
        text.line(&format!("take({len}, s, all_{array}, now_{array});"));
    }
    let mut given = Vec::new();
    if model.has_parameters() {
        given.push("&constants".to_owned());
    }
    for (array, _) in arrays {
        given.push(if array == "t" { "now_t[0]".to_owned() } else { format!("now_{array}") });
    }
    given.extend(function.outputs.iter().map(|output| format!("now_{}", output.name)));
    let add = if counts { "alone += (size_t)" } else { "" };
    text.line(&format!("{add}{prefix}_{name}({});", given.join(", ")));
    for output in &function.outputs {
        text.line(&format!(
            "compare(\"{name} {}\", {}, s, all_{}, now_{});",
            output.name,
            output.len(),
            output.name,
            output.name
        ));
    }
    text.depth -= 1;
    text.line("}");
    if counts {
        text.line("if (alone != failures) {");
        text.line(&format!(
            "    fprintf(stderr, \"{name}: %lu failures instead of %lu\\n\", (unsigned long)failures, (unsigned long)alone);"
        ));
        text.lines("    bad = 1;\n}");
    }
}
