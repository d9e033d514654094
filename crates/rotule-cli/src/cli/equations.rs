//! `rotule equations`: the equations of a model for people.

use super::failure::Failure;
use super::functions::{RequestedFormalism, error, formalism};
use super::models::{Loops, Model, open};
use super::output;
use clap::Args;

#[derive(Args)]
pub struct Equations {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// The function, such as mass; all of M qdd + c = Q without.
    #[arg(value_name = "FUNCTION")]
    pub function: Option<String>,

    /// Take the motion of these joints as given.
    #[arg(long, value_name = "LIST", conflicts_with = "function")]
    pub driven: Option<String>,

    /// Write LaTeX instead of text.
    #[arg(long)]
    pub latex: bool,

    /// The formalism, such as newton-euler.
    #[arg(long, value_name = "NAME", value_parser = formalism, default_value = "auto")]
    pub formalism: RequestedFormalism,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
Equations stand without the variables of recursions where they are short
enough, as one would write them by hand; otherwise variables get lines of their
own. Without FUNCTION: M, c and Q of M qdd + c = Q, the accelerations of small
systems, and the efforts that driven joints need; of a closed model h, J and b
of M qdd + c = Q + J' lambda, h = 0, J qdd + b = 0 as well, and the meaning of
lambda. Speeds are NAME.d, accelerations NAME.dd. LaTeX needs amsmath and is
ready for \\input.

Examples:
  rotule equations examples/sliding_pendulum.toml
  rotule equations examples/sliding_pendulum.toml --driven q1
  rotule equations examples/double_pendulum.toml mass --latex
  rotule equations examples/puma560.toml gravity --formalism newton-euler";

/// `rotule equations`
pub fn equations(arguments: &Equations) -> Result<(), Failure> {
    let model = open(&arguments.model, Some(&arguments.loops))?;
    let formalism = arguments.formalism.0;
    output::doing("writing equations");
    let found = match &arguments.function {
        Some(name) => model.equations_of(name, formalism),
        // The library takes the list apart.
        None => {
            let driven: Vec<&str> = arguments.driven.as_deref().into_iter().collect();
            model.equations_by(formalism, &driven)
        }
    };
    let found = found.map_err(error)?;
    match arguments.latex {
        true => output::data(&found.latex()),
        false => output::result(&found.to_string()),
    }
}
