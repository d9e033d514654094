//! The external functions of a model in Java: an interface in the class, and stubs in a file of
//! their own.

use super::{comment, document, name_of_type, text};
use crate::header;
use crate::layout::LineText;
use crate::listing::{ExternalDeclaration, PackageListing};

/// The interface of the external functions, and the room that calls need.
pub fn interface(text: &mut LineText, model: &PackageListing<'_>) {
    text.line("");
    text.line("/** The external functions, to be supplied by the user. */");
    text.line("public interface Externals {");
    text.depth += 1;
    for external in &model.externals {
        document(text, &external_sentence(external), &external_about(external));
        text.line(&format!("void {}(double[] arguments, double[] results);", external.name));
    }
    text.depth -= 1;
    text.line("}");
    text.line("");
    text.line("/** The external functions with room for what they take and give. */");
    text.line("private static final class Calls {");
    text.depth += 1;
    text.line("final Externals externals;");
    for ExternalDeclaration { name, arguments, results, .. } in &model.externals {
        text.line(&format!("final double[] {name}_arguments = new double[{arguments}];"));
        text.line(&format!("final double[] {name}_results = new double[{results}];"));
    }
    text.line("");
    text.line("Calls(Externals externals) {");
    text.line("    this.externals = java.util.Objects.requireNonNull(externals, \"externals\");");
    text.line("}");
    text.depth -= 1;
    text.line("}");
}

fn external_sentence(external: &ExternalDeclaration) -> String {
    format!(
        "External function {}: {} arguments, {} results.",
        external.title, external.arguments, external.results
    )
}

fn external_about(external: &ExternalDeclaration) -> Vec<String> {
    match &external.derivative_of {
        None => Vec::new(),
        Some((base, directions)) => vec![
            format!(
                "The derivative of {base} along {directions} directions: each argument is followed by its"
            ),
            "derivatives, and so is to be each result.".to_owned(),
        ],
    }
}

/// The file of stubs.
pub fn externals(model: &PackageListing<'_>) -> String {
    let (mut text, name) = (text(), name_of_type(model));
    comment(&mut text, &header::origin(model));
    text.line("");
    text.line(
        "/** Stubs of the external functions, to be filled: as they are, they give zeros. */",
    );
    text.line(&format!("public final class {name}Externals implements {name}.Externals {{"));
    text.depth += 1;
    for (at, external) in model.externals.iter().enumerate() {
        if at > 0 {
            text.line("");
        }
        document(&mut text, &external_sentence(external), &external_about(external));
        text.line("@Override");
        text.line(&format!(
            "public void {}(double[] arguments, double[] results) {{",
            external.name
        ));
        text.line("    java.util.Arrays.fill(results, 0.0);");
        text.line("}");
    }
    text.depth -= 1;
    text.line("}");
    text.text
}
