//! Programs in Rotule's intermediate representation as text: written by [`Language::Program`], read
//! back, and turned into source code.

use crate::error::Error;
use crate::generate::{Generated, Language};
use crate::target::{Target, target};
use rotule_emit::names::identifier;
use rotule_emit::{File, Package, emit};
use rotule_formalism::Problem;
pub use rotule_program::Program;

/// Reads the text of a program. A mistake has its line and column.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let code = model.generator(rotule::Language::Program).functions(&["inverse"]).generate()?;
/// let program = rotule::program::read_program(&code.files[0].text)?;
/// let again = rotule::program::generate_program(program, rotule::Language::Python, "pendulum", &[])?;
/// assert!(again.files[0].text.contains("def "));
/// # Ok::<(), rotule::Error>(())
/// ```
pub fn read_program(text: &str) -> Result<Program, Error> {
    text.parse().map_err(|error: rotule_program::ProgramParseError| {
        Problem::new(error.to_string(), "expected a text that `generate` wrote as a program").into()
    })
}

/// Source code of a program that stands alone. Parameters that are not listed are zero in the demo.
pub fn generate_program(
    program: Program,
    language: Language,
    name: &str,
    parameters: &[(String, f64)],
) -> Result<Generated, Error> {
    let problem = |message: String, help: &str| Error::from(Problem::new(message, help));
    if language == Language::Program {
        return Ok(Generated { files: vec![file(name, &program)] });
    }
    let Some(Target::Code(backend)) = target(language.name()) else {
        let message = format!("{} describes mechanisms, not programs", language.name());
        return Err(problem(message, "take a language of code"));
    };
    let refused = |error: rotule_emit::EmitError| problem(error.message, &error.help);
    let mut package = Package::of_program(program, name).map_err(refused)?;
    for entry in &mut package.parameters {
        if let Some((_, value)) = parameters.iter().find(|one| one.0 == entry.name) {
            entry.value = *value;
        }
    }
    let files = emit(&package, backend).map_err(refused)?;
    Ok(Generated { files })
}

/// The file of a program.
pub(crate) fn file(name: &str, program: &Program) -> File {
    File { name: format!("{}.program", identifier(name)), text: program.to_string() }
}
