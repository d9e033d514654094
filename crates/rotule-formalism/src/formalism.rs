//! The formalisms by name, and the choice of the cheapest.

use crate::function::Function;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_program::lower::{Request, Target, lower};
use rotule_program::{Counts, Program};
use rotule_symbolic::{Expr, Kind};

/// A way to write a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Formalism {
    /// Recursive Newton-Euler on the bodies as they are.
    Classical,
    /// Recursive Newton-Euler on augmented bodies with minimal parameters.
    Barycentric,
    /// Articulated bodies: accelerations in a number of operations that is linear in the joints.
    OrderN,
    /// Kinematics from the base to the tip.
    Progressive,
    /// Kinematics from the tip to the base.
    Regressive,
    /// Jacobians from the tip to the base, rotations from the base to the tip.
    Hybrid,
}

impl Formalism {
    /// Every formalism.
    pub const ALL: [Formalism; 6] = [
        Formalism::Classical,
        Formalism::Barycentric,
        Formalism::OrderN,
        Formalism::Progressive,
        Formalism::Regressive,
        Formalism::Hybrid,
    ];

    /// The word for it.
    pub const fn name(self) -> &'static str {
        match self {
            Formalism::Classical => "classical",
            Formalism::Barycentric => "barycentric",
            Formalism::OrderN => "order-n",
            Formalism::Progressive => "progressive",
            Formalism::Regressive => "regressive",
            Formalism::Hybrid => "hybrid",
        }
    }
}

/// A function as a program.
#[derive(Clone, Debug)]
pub struct Generated {
    /// The program.
    pub program: Program,
    /// The formalism that wrote it.
    pub formalism: Formalism,
    /// Its operations.
    pub counts: Counts,
}

/// The program of a function, written by one formalism or, if none is named, by the cheapest.
pub fn generate(
    tree: &mut Tree,
    function: &Function,
    formalism: Option<Formalism>,
) -> Result<Generated, Problem> {
    let candidates = function.formalisms();
    if let Some(one) = formalism {
        if !candidates.contains(&one) {
            let names: Vec<&str> = candidates.iter().map(|formalism| formalism.name()).collect();
            return Err(Problem::new(
                format!("`{}` has no {} formalism", function.text, one.name()),
                format!("it has {}, or auto for the cheapest", names.join(", ")),
            ));
        }
        return write(tree, function, one);
    }
    let mut best: Option<Generated> = None;
    let mut refused = None;
    for &one in candidates {
        // A formalism may refuse what another can do, such as a matrix that is too large to factor.
        let made = match write(tree, function, one) {
            Ok(made) => made,
            Err(problem) => {
                refused.get_or_insert(problem);
                continue;
            }
        };
        if best.as_ref().is_none_or(|best| operations(&made) < operations(best)) {
            best = Some(made);
        }
    }
    let none = || Problem::new(format!("`{}` has no formalism", function.text), "");
    best.ok_or_else(|| refused.unwrap_or_else(none))
}

/// Writes and lowers a function, with all names that the formalism gave or with those that are used once
/// dissolved: that lets rules see further, but may also lose a factored form. The count decides.
fn write(tree: &mut Tree, function: &Function, one: Formalism) -> Result<Generated, Problem> {
    let mut outputs = function.write(tree, one)?;
    let written = outputs.iter().flat_map(|output| output.entries.iter().map(|entry| entry.2));
    let written: Vec<Expr> = written.collect();
    let graph = &mut tree.mechanism.graph;
    let dissolved = graph.inline_single_uses(&written);
    if graph.counts(&dissolved).total() < graph.counts(&written).total() {
        let entries = outputs.iter_mut().flat_map(|output| &mut output.entries);
        entries.zip(dissolved).for_each(|(entry, value)| entry.2 = value);
    }
    let program = lowered(tree, function, outputs);
    let counts = Counts::of(&program);
    Ok(Generated { program, formalism: one, counts })
}

/// What a choice goes by: the work of an evaluation, then the work of a change of parameters.
fn operations(made: &Generated) -> (u64, u64) {
    (made.counts.body.operations(), made.counts.setup.operations())
}

fn lowered(tree: &Tree, function: &Function, outputs: Vec<Target>) -> Program {
    let inputs = inputs(tree, function.inputs());
    let (name, solves) = (function.row.name.to_owned(), tree.solves.clone());
    let request = Request { name, inputs, outputs, solves };
    lower(&tree.mechanism.graph, &request).program
}

/// The inputs of a program: all parameters, time, and all of the given kinds in the user's order.
pub fn inputs(tree: &Tree, kinds: &[Kind]) -> Vec<Expr> {
    let mechanism = &tree.mechanism;
    let mut inputs: Vec<Expr> = mechanism.parameters.iter().map(|one| one.symbol).collect();
    inputs.push(mechanism.time);
    for kind in kinds {
        match kind {
            Kind::Coordinate => inputs.extend(mechanism.coordinates.iter().map(|one| one.symbol)),
            Kind::Velocity => inputs.extend(mechanism.speeds.iter().map(|one| one.symbol)),
            Kind::Acceleration => {
                inputs.extend(mechanism.speeds.iter().map(|one| one.acceleration));
            }
            Kind::Effort => inputs.extend(mechanism.speeds.iter().map(|one| one.effort)),
            _ => {}
        }
    }
    inputs
}
