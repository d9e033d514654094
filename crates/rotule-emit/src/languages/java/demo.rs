//! The demo in Java: it calls each function once and prints `FUNCTION OUTPUT ROW COLUMN NUMBER`,
//! counted from one.

use super::methods::array;
use super::{DIALECT, comment, escape, name_of_type, text};
use crate::header;
use crate::layout::LineText;
use crate::listing::{Listing, PackageListing};
use crate::package::{ARRAYS, array_name};
use rotule_symbolic::Kind;

const SHOW: &str = "
private static void show(String function, String output, double[] numbers) {
    for (int i = 0; i < numbers.length; i++) {
        System.out.println(function + \" \" + output + \" \" + (i + 1) + \" 1 \" + numbers[i]);
    }
}

private static void show(String function, String output, double[][] numbers) {
    for (int i = 0; i < numbers.length; i++) {
        for (int j = 0; j < numbers[i].length; j++) {
            System.out.println(function + \" \" + output + \" \" + (i + 1) + \" \" + (j + 1) + \" \" + numbers[i][j]);
        }
    }
}";

/// The text of the demo.
pub fn demo(model: &PackageListing<'_>) -> String {
    let (package, name) = (model.package, name_of_type(model));
    let mut text = text();
    let mut about = header::origin(model);
    about.push(
        "Calls each function once at the model's initial state and prints what it gives."
            .to_owned(),
    );
    about.push(format!("  javac *.java && java {name}Demo"));
    comment(&mut text, &about);
    text.line("");
    text.line("/** Shows how the model is called. */");
    text.line(&format!("public final class {name}Demo {{"));
    text.depth += 1;
    text.line(&format!("private {name}Demo() {{}}"));
    text.line("");
    text.line("public static void main(String[] args) {");
    text.depth += 1;
    if model.functions.iter().any(|function| function.time) {
        text.line(&format!("final double t = {};", (DIALECT.number)(package.time)));
    }
    let kinds = ARRAYS;
    let taken: Vec<Kind> = kinds
        .into_iter()
        .filter(|kind| package.functions.iter().any(|part| part.inputs.contains(kind)))
        .collect();
    for &kind in &taken {
        text.line(&format!("final double[] {0} = {0}();", array_name(kind)));
    }
    let externals =
        if model.externals.is_empty() { String::new() } else { format!("new {name}Externals()") };
    text.line(&format!("final {name} model = new {name}({externals});"));
    for function in &model.functions {
        call(&mut text, function, &name);
    }
    text.depth -= 1;
    text.line("}");
    for &kind in &taken {
        let numbers: Vec<String> =
            package.array(kind).iter().map(|one| (DIALECT.number)(one.value)).collect();
        let word = array_name(kind);
        array(&mut text, &format!("A value of {word}."), "private ", word, &numbers);
    }
    let outputs = || model.functions.iter().flat_map(|function| &function.outputs);
    let shows: Vec<&str> = SHOW.split("\n\n").collect();
    for (matrix, show) in [false, true].into_iter().zip(shows) {
        if outputs().any(|output| output.matrix == matrix) {
            text.lines(&format!("\n{}", show.trim_start()));
        }
    }
    text.depth -= 1;
    text.line("}");
    text.text
}

fn call(text: &mut LineText, function: &Listing<'_>, name: &str) {
    text.line("{");
    text.depth += 1;
    let mut arguments = Vec::new();
    if function.time {
        arguments.push("t".to_owned());
    }
    arguments.extend(function.inputs.iter().map(|input| input.name.clone()));
    for output in &function.outputs {
        let out = &output.name;
        match output.matrix {
            true => text.line(&format!(
                "final double[][] out_{out} = new double[{}][{}];",
                output.rows, output.columns
            )),
            false => {
                text.line(&format!("final double[] out_{out} = new double[{}];", output.len()));
            }
        }
        arguments.push(format!("out_{out}"));
    }
    let call = format!("model.{}({});", function.name, arguments.join(", "));
    if function.body.uses().iterates {
        text.line("try {");
        text.line(&format!("    {call}"));
        text.line(&format!("}} catch ({name}.NotConvergedException problem) {{"));
        text.line(&format!(
            "    System.err.println(\"{}: \" + problem.getMessage());",
            function.name
        ));
        text.line("}");
    } else {
        text.line(&call);
    }
    for (output, given) in function.part.program.outputs().iter().zip(&function.outputs) {
        let quoted = output.name.replace('\\', "/").replace('"', "'");
        let quoted = escape(&header::one_line(&quoted));
        text.line(&format!("show(\"{}\", \"{quoted}\", out_{});", function.name, given.name));
    }
    text.depth -= 1;
    text.line("}");
}
