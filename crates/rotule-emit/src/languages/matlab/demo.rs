//! The demo in MATLAB.

use super::super::public::Public;
use super::dialect::DIALECT;
use super::{arguments, assigned, begin, column, comment, help, text};
use crate::header;
use crate::listing::PackageListing;
use crate::package::{ARRAYS, array_name};

/// A function that calls each function once and prints `FUNCTION OUTPUT ROW COLUMN NUMBER`, counted
/// from one. It is no script, as MATLAB and Octave differ in where scripts may have functions of
/// their own.
pub fn demo(model: &PackageListing<'_>, public: &Public) -> String {
    let (package, prefix) = (model.package, &model.prefix);
    let mut text = text();
    let name = format!("{prefix}_demo");
    begin(&mut text, &[], &name, &[], false);
    help(&mut text, &name, "calls each function once at the model's initial state");
    text.line("%");
    comment(&mut text, &header::origin(model));
    comment(&mut text, &[format!("  octave-cli --quiet --eval {name}")]);
    if model.functions.iter().any(|function| function.time) {
        text.line(&format!("t = {};", (DIALECT.number)(package.time)));
    }
    for kind in ARRAYS {
        if package.functions.iter().any(|part| part.inputs.contains(&kind)) {
            column(&mut text, array_name(kind), package.array(kind));
        }
    }
    if model.has_parameters() {
        text.line(&format!("constants = {}({}());", public.setup, public.parameters));
    }
    for (function, name) in model.functions.iter().zip(&public.functions) {
        let given: Vec<String> =
            function.outputs.iter().map(|output| format!("out_{}", output.name)).collect();
        let arguments = arguments(model, function).join(", ");
        text.line("");
        text.line(&format!("{}{name}({arguments});", assigned(&given)));
        for (output, named) in function.part.program.outputs().iter().zip(&function.outputs) {
            let title = output.name.replace('\'', "''");
            text.line(&format!("show('{}', '{title}', out_{});", function.name, named.name));
        }
    }
    text.line("end");
    text.line("");
    text.lines(
        "function show(name, output, x)
for i = 1:size(x, 1)
    for j = 1:size(x, 2)
        fprintf('%s %s %d %d %.17g\\n', name, output, i, j, x(i, j));
    end
end
end",
    );
    text.text
}
