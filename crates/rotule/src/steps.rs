//! What each step that makes equations cheaper gains, function by function: for those who want to know where the
//! operations went.

use crate::list::pieces;
use rotule_formalism::{Formalism, Function, Problem, Steps, Tree, generate};
use serde_json::{Value, json};
use std::fmt;

/// What is counted unless functions are named.
const USUAL: [&str; 3] = ["inverse", "mass", "direct"];

/// Operations of functions, with one step more in each row.
#[derive(Clone, Debug)]
pub struct StepTable {
    /// The model's name.
    pub model: String,
    /// The functions.
    pub functions: Vec<String>,
    /// The name of the step that was added last, and what each function then costs.
    pub rows: Vec<(&'static str, Vec<StepCount>)>,
}

/// The cost of a function.
#[derive(Clone, Copy, Debug)]
pub struct StepCount {
    /// All of + - * /.
    pub operations: u64,
    /// Functions, selects and calls.
    pub functions: u64,
    /// The cheapest formalism.
    pub formalism: Formalism,
}

/// Counts functions of a model, those of a list or the usual ones, by their cheapest formalisms. `progress` hears of
/// each before it is begun.
pub fn count_steps(
    tree: &Tree,
    functions: Option<&str>,
    progress: &mut dyn FnMut(&str, &str),
) -> Result<StepTable, Problem> {
    let names: Vec<&str> = match functions {
        None => USUAL.to_vec(),
        Some(list) => {
            let fault =
                |fault| Problem::new(format!("--functions: {fault}"), "such as inverse,mass");
            pieces(list).map_err(fault)?.into_iter().map(|piece| &list[piece]).collect()
        }
    };
    let mut rows = Vec::new();
    for (step, steps) in Steps::GROWING {
        let mut tree = tree.clone();
        tree.steps = steps;
        let mut row = Vec::new();
        for name in &names {
            progress(name, step);
            let made = generate(&tree, &Function::parse(name, &tree)?, None)?;
            let (body, formalism) = (made.counts.body, made.formalism);
            let operations = body.total();
            row.push(StepCount {
                operations,
                functions: body.operations() - operations,
                formalism,
            });
        }
        rows.push((step, row));
    }
    let functions = names.into_iter().map(str::to_owned).collect();
    Ok(StepTable { model: tree.mechanism.name.clone(), functions, rows })
}

impl StepTable {
    /// The table for tools.
    pub fn json(&self) -> Value {
        let mut rows = Vec::new();
        for (step, counts) in &self.rows {
            for (function, count) in self.functions.iter().zip(counts) {
                rows.push(json!({
                    "step": step,
                    "function": function,
                    "formalism": count.formalism.name(),
                    "operations": count.operations,
                    "functions": count.functions,
                }));
            }
        }
        json!({ "model": self.model, "steps": rows })
    }
}

const HOW: &str = "\
Operations of the cheapest formalism and, after the plus sign, functions. Each
row has the steps of all rows above it. Fixed bodies are merged in all.";

impl fmt::Display for StepTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = self.rows.iter().map(|row| row.0.len()).max().unwrap_or(0).max("with".len());
        write!(f, "{:<first$}", "with")?;
        for function in &self.functions {
            write!(f, "  {function:>14}")?;
        }
        writeln!(f)?;
        for (step, counts) in &self.rows {
            write!(f, "{step:<first$}")?;
            for (function, count) in self.functions.iter().zip(counts) {
                let wide = function.chars().count().max(14);
                let text = format!("{} + {}", count.operations, count.functions);
                write!(f, "  {text:>wide$}")?;
            }
            writeln!(f)?;
        }
        writeln!(f, "\n{HOW}")
    }
}
