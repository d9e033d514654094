//! `rotule count`: the operations of a model's functions, by formalism or by transformation.

use super::failure::Failure;
use super::functions::error;
use super::models::{Loops, Model, open};
use super::output;
use clap::Args;
use rotule::Formalism;
use std::ops::ControlFlow;

#[derive(Args)]
pub struct Count {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// The functions to count, such as inverse,mass.
    #[arg(long, value_name = "LIST")]
    pub functions: Option<String>,

    /// Count these functions as a group that shares work.
    #[arg(long, value_name = "LIST", conflicts_with_all = ["functions", "transformations"])]
    pub group: Option<String>,

    /// Show what each transformation of the model gains.
    #[arg(long, alias = "steps")]
    pub transformations: bool,

    /// Write counts by kind as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
One line for each formalism that can write a function, the cheapest marked.
`rotule eval --help` lists the functions.

With --group, functions are counted as they share work: alone, and in the group
beyond what is computed once per state for all of them.

Examples:
  rotule count examples/cart_pole.toml
  rotule count examples/puma560.toml --functions inverse,mass_bias
  rotule count examples/kuka_iiwa14.toml --functions inverse --json
  rotule count examples/puma560.toml --group inverse,mass,com
  rotule count examples/robots/panda7.urdf --transformations";

/// `rotule count`
pub fn count(arguments: &Count) -> Result<(), Failure> {
    let model = open(&arguments.model, Some(&arguments.loops))?;
    // The library takes lists apart, for functions have commas of their own.
    let functions: Vec<&str> = arguments.functions.as_deref().into_iter().collect();
    if let Some(list) = &arguments.group {
        let table = model.count_group(&[list]).map_err(error)?;
        return match arguments.json {
            true => output::data(&format!("{:#}\n", table.json())),
            false => output::result(&table.to_string()),
        };
    }
    if arguments.transformations {
        let mut hear = |function: &str, step: &str| {
            output::doing(&format!("counting {function}, {step}"));
            ControlFlow::Continue(())
        };
        let table = model.count_transformations_with(&functions, &mut hear);
        let table = table.map_err(error)?;
        if arguments.json {
            return output::data(&format!("{:#}\n", table.json()));
        }
        return output::result(&table.to_string());
    }
    let mut hear = |function: &str, formalism: Formalism| {
        output::doing(&format!("counting {function}, {}", formalism.name()));
        ControlFlow::Continue(())
    };
    let table = model.count_with(&functions, &mut hear);
    let table = table.map_err(error)?;
    if arguments.json {
        return output::data(&format!("{:#}\n", table.json()));
    }
    output::result(&table.to_string())
}
