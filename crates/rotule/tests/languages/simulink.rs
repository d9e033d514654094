//! S-functions run without Simulink: a program per block that hands it the state of the package. It
//! is compiled against `simulink/simstruc.h`, a small stand-in for the interface.

use rotule::layers::emit::names::identifier;
use rotule::layers::emit::{File, Package, PackageFunction};
use rotule::layers::symbolic::Kind;
use std::fmt::Write;

/// A program for each block, `run_N.c`.
pub fn runners(package: &Package, files: &[File]) -> Vec<File> {
    let blocks: Vec<&File> = files.iter().filter(|file| file.name.starts_with("sfun_")).collect();
    assert_eq!(blocks.len(), package.functions.len(), "a block for each function");
    let each = blocks.iter().zip(&package.functions).enumerate();
    each.map(|(at, (block, part))| File {
        name: format!("run_{at}.c"),
        text: runner(package, part, &block.name),
    })
    .collect()
}

fn runner(package: &Package, part: &PackageFunction, block: &str) -> String {
    let mut text = format!("#include \"{block}\"\n");
    let mut array = |name: &str, kind: Kind| {
        let numbers: Vec<String> =
            package.array(kind).iter().map(|one| format!("{:?}", one.value)).collect();
        let _ = writeln!(text, "static const double {name}[] = {{{}}};", numbers.join(", "));
        format!("{{{name}, {}}}", numbers.len())
    };
    let parameters = match package.parameters.is_empty() {
        true => "{NULL, 0}".to_owned(),
        false => array("parameters", Kind::Parameter),
    };
    let kinds = part.inputs.iter().filter(|&&kind| !package.array(kind).is_empty());
    let mut inputs: Vec<String> =
        kinds.enumerate().map(|(at, &kind)| array(&format!("input_{at}"), kind)).collect();
    let count = inputs.len();
    if inputs.is_empty() {
        inputs.push("{NULL, 0}".to_owned());
    }
    let outputs = part.program.outputs().iter().filter(|output| output.dense_len() > 0);
    let outputs: Vec<String> = outputs.map(|output| format!("{:?}", output.name)).collect();
    let _ = write!(
        text,
        "int main(void)
{{
    static const char *const outputs[] = {{{}}};
    static const mxArray inputs[] = {{{}}};
    const mxArray parameter = {parameters};
    const double time = {:?};
    mock_run(\"{}\", outputs, {}, parameter, &time, inputs, {count});
    return 0;
}}
",
        outputs.join(", "),
        inputs.join(", "),
        package.time,
        identifier(&part.name),
        outputs.len(),
    );
    text
}
