//! The gain of each model transformation that makes equations cheaper, function by function: it
//! shows where the operations went.

use crate::count::listed;
use rotule_formalism::{
    Formalism, ModelFunction, MultibodySystem, Problem, Transformations, normalise_apart,
};
use rotule_numeric::generate;
use serde_json::{Value, json};
use std::fmt;
use std::ops::ControlFlow;

/// Functions that are counted unless others are named.
const USUAL: [&str; 3] = ["inverse", "mass", "forward"];

/// Operations of functions, with one transformation more in each row.
#[derive(Clone, Debug)]
pub struct TransformationTable {
    /// The model's name.
    pub model: String,
    /// The functions.
    pub functions: Vec<String>,
    /// The name of the transformation that was added last, and what each function then costs.
    pub rows: Vec<(&'static str, Vec<TransformationCount>)>,
}

/// The cost of a function.
#[derive(Clone, Copy, Debug)]
pub struct TransformationCount {
    /// All of + - * /.
    pub operations: u64,
    /// Functions, selects and calls.
    pub functions: u64,
    /// The cheapest formalism.
    pub formalism: Formalism,
}

/// Counts functions of a model, those of a list or the usual ones, by their cheapest formalisms.
/// `written` is the model with its rounded angles as they are written, if it has any. `progress`
/// hears of each function before it is begun, and a break ends it.
pub fn count_transformations(
    tree: &MultibodySystem,
    written: Option<&MultibodySystem>,
    functions: Option<&str>,
    progress: &mut dyn FnMut(&str, &str) -> ControlFlow<()>,
) -> Result<TransformationTable, Problem> {
    let names: Vec<&str> = match functions {
        None => USUAL.to_vec(),
        Some(list) => listed(list, tree)?,
    };
    let mut rows = Vec::new();
    for (step, tree) in stages(tree, written) {
        let mut row = Vec::new();
        for name in &names {
            if progress(name, step).is_break() {
                return Err(Problem::stopped());
            }
            let made = generate(&tree, &ModelFunction::parse(name, &tree)?, None)?;
            let (body, formalism) = (made.counts.body, made.formalism);
            let operations = body.total();
            row.push(TransformationCount {
                operations,
                functions: body.operations() - operations,
                formalism,
            });
        }
        rows.push((step, row));
    }
    let functions = names.into_iter().map(str::to_owned).collect();
    Ok(TransformationTable { model: tree.mechanism.name.clone(), functions, rows })
}

/// The tree with one transformation more in each, and what was added last.
fn stages(
    tree: &MultibodySystem,
    written: Option<&MultibodySystem>,
) -> Vec<(&'static str, MultibodySystem)> {
    let with = |mut tree: MultibodySystem, all: Transformations| {
        tree.strategy.transformations = all;
        tree
    };
    let apart = |tree: &MultibodySystem| {
        with(normalise_apart(tree.mechanism.clone()), Transformations::NONE)
    };
    let (mut stages, mut added) = (Vec::new(), Transformations::GROWING[0].0);
    if let Some(written) = written {
        stages.push((added, apart(written)));
        added = "rounded angles made exact";
    }
    let plain = apart(tree);
    if plain.tree.nodes.len() > tree.tree.nodes.len() {
        stages.push((added, plain));
        added = "fixed bodies merged";
    }
    stages.push((added, with(tree.clone(), Transformations::NONE)));
    let more = Transformations::GROWING[1..].iter();
    stages.extend(more.map(|&(name, all)| (name, with(tree.clone(), all))));
    stages
}

impl TransformationTable {
    /// The table for tools.
    pub fn json(&self) -> Value {
        let mut rows = Vec::new();
        for (step, counts) in &self.rows {
            for (function, count) in self.functions.iter().zip(counts) {
                rows.push(json!({
                    "transformation": step,
                    "function": function,
                    "formalism": count.formalism.name(),
                    "operations": count.operations,
                    "functions": count.functions,
                }));
            }
        }
        json!({ "model": self.model, "transformations": rows })
    }
}

const HOW: &str = "\
Operations of the cheapest formalism and, after the plus sign, functions. Each
row has the transformations of all rows above it.";

impl fmt::Display for TransformationTable {
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
