//! The external functions of a model in Rust: a trait in the module, and stubs in a file of their
//! own.

use super::{comment, signature, text};
use crate::header;
use crate::layout::LineText;
use crate::listing::{ExternalDeclaration, PackageListing};

/// The trait.
pub fn declare(text: &mut LineText, model: &PackageListing<'_>) {
    text.line("");
    text.line("/// The external functions, to be supplied by the caller.");
    text.line("pub trait Externals {");
    text.depth += 1;
    for external in &model.externals {
        comment(text, "///", &external_about(external));
        signature(text, &format!("fn {}", external.name), &external_arguments(external), ";");
    }
    text.depth -= 1;
    text.line("}");
}

fn external_about(external: &ExternalDeclaration) -> Vec<String> {
    let mut lines = vec![format!(
        "External function `{}`: {} arguments, {} results.",
        external.title, external.arguments, external.results
    )];
    if let Some((base, directions)) = &external.derivative_of {
        lines.push(String::new());
        lines.push(format!(
            "The derivative of `{base}` along {directions} directions: each argument is followed by"
        ));
        lines.push("its derivatives, and so is to be each result.".to_owned());
    }
    lines
}

fn external_arguments(external: &ExternalDeclaration) -> Vec<String> {
    vec![
        "&mut self".to_owned(),
        format!("arguments: &[f64; {}]", external.arguments),
        format!("results: &mut [f64; {}]", external.results),
    ]
}

/// The file of stubs.
pub fn externals(model: &PackageListing<'_>) -> String {
    let mut text = text();
    text.line("//! Stubs of the external functions, to be filled: as they are, they give zeros.");
    text.line("//!");
    comment(&mut text, "//!", &header::origin(model));
    text.line("");
    text.line("#![allow(non_snake_case, unused_variables)]");
    text.line("");
    text.line(&format!("use super::{}::Externals;", model.prefix));
    text.line("");
    text.line("/// The external functions; it may hold what they need.");
    text.line("#[derive(Clone, Debug, Default)]");
    text.line("pub struct Stubs {}");
    text.line("");
    text.line("impl Externals for Stubs {");
    text.depth += 1;
    for (at, external) in model.externals.iter().enumerate() {
        if at > 0 {
            text.line("");
        }
        comment(&mut text, "///", &external_about(external));
        signature(&mut text, &format!("fn {}", external.name), &external_arguments(external), " {");
        text.line("    results.fill(0.0);");
        text.line("}");
    }
    text.depth -= 1;
    text.line("}");
    text.text
}
