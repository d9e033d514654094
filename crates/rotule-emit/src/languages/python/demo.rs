//! Companions of a Python module: a demo, and stubs of external functions.

use super::{DIALECT, bracketed, define, docstring, enclose, groups, text};
use crate::header;
use crate::languages::script::{arrays, external_about, is_plain, quoted};
use crate::listing::PackageListing;
use rotule_program::group::VECTOR;

/// Stubs of the external functions.
pub fn externals(model: &PackageListing<'_>) -> String {
    let mut text = text();
    let mut about =
        vec!["External functions, to be filled: as they are, they give zeros.".to_owned()];
    about.extend([
        String::new(),
        "An argument is a float; for a batch it may be an array with a float per state, and results may be"
            .to_owned(),
        "such arrays. They are to be functions of their arguments alone.".to_owned(),
        String::new(),
    ]);
    about.extend(header::origin(model));
    docstring(&mut text, &about);
    text.lines("\nfrom __future__ import annotations\n\nfrom collections.abc import Sequence\nfrom typing import Any");
    for external in &model.externals {
        define(
            &mut text,
            &external.name,
            &["arguments: Sequence[Any]".to_owned()],
            "Sequence[Any]",
        );
        text.depth += 1;
        docstring(&mut text, &external_about(external));
        text.line(&format!("results = [0.0] * {}", external.results));
        text.line("return results");
        text.depth -= 1;
    }
    text.text
}

/// A program that calls each function once and prints `FUNCTION OUTPUT ROW COLUMN NUMBER`, counted
/// from one.
pub fn demo(model: &PackageListing<'_>) -> String {
    let (package, prefix) = (model.package, &model.prefix);
    let mut text = text();
    let mut about = vec![
        "Calls each function once at the model's initial state and prints what it gives."
            .to_owned(),
    ];
    about.extend([String::new(), format!("    python3 {prefix}_demo.py"), String::new()]);
    about.extend(header::origin(model));
    docstring(&mut text, &about);
    text.lines(
        "\nfrom __future__ import annotations\n\nfrom typing import Any\n\nimport numpy as np\n",
    );
    text.lines(&format!("\nimport {prefix}"));
    text.lines(
        "\n\ndef show(function: str, output: str, rows: int, columns: int, given: Any) -> None:\n    \
         for at, x in enumerate(np.reshape(given, -1)):\n        \
         print(function, output, at // columns + 1, at % columns + 1, f\"{x:.17g}\")",
    );
    text.lines("\n\ndef main() -> None:");
    text.depth += 1;
    if model.functions.iter().any(|function| function.time) {
        text.line(&format!("t = {}", (DIALECT.number)(package.time)));
    }
    // The vectors of groups are those that their objects compute.
    for (name, quantities) in arrays(package).into_iter().filter(|(name, _)| *name != VECTOR) {
        let numbers: Vec<String> =
            quantities.iter().map(|one| (DIALECT.number)(one.value)).collect();
        enclose(
            &mut text,
            &format!("{name} = np.array"),
            ["(", ")"],
            &bracketed(&numbers),
            "",
            true,
        );
    }
    if model.has_parameters() {
        text.line(&format!("constants = {prefix}.setup()"));
    }
    text.line("given: Any");
    for group in &package.groups {
        let object = groups::object(group);
        text.line(&format!("{object} = {prefix}.{}()", groups::name(group)));
    }
    for (at, function) in model.functions.iter().enumerate() {
        let group = groups::of(package, at);
        let mut arguments = Vec::new();
        if model.has_parameters() {
            arguments.push("constants".to_owned());
        }
        if function.time {
            arguments.push("t".to_owned());
        }
        arguments.extend(function.inputs.iter().map(|input| match group {
            Some((group, _)) if input.name == VECTOR => {
                format!("{}.{VECTOR}", groups::object(group))
            }
            _ => input.name.clone(),
        }));
        if let Some((group, true)) = group {
            let object = groups::object(group);
            arguments.insert(0, "1".to_owned());
            text.whole(&format!("{object}.update({})", arguments.join(", ")));
            let vector = &function.outputs[0];
            text.line(&format!(
                "show(\"{}\", \"{VECTOR}\", {}, {}, {object}.{})",
                function.name, vector.rows, vector.columns, vector.name
            ));
            continue;
        }
        text.whole(&format!("given = {prefix}.{}({})", function.name, arguments.join(", ")));
        for (output, named) in function.part.program.outputs().iter().zip(&function.outputs) {
            let given = if is_plain(function) {
                "given".to_owned()
            } else {
                format!("given.{}", named.name)
            };
            text.line(&format!(
                "show(\"{}\", {}, {}, {}, {given})",
                function.name,
                quoted(&output.name, ""),
                named.rows,
                named.columns
            ));
        }
    }
    text.depth -= 1;
    text.lines("\n\nif __name__ == \"__main__\":\n    main()");
    text.text
}
