//! Forward dynamics and what follows from the inverse of the mass matrix.
//!
//! With free speeds l and known ones c (driven or locked), the equations of motion are
//!
//! ```text
//! M_ll qdd_l = Q_l - (c + M_.c qdd_c)_l        Q_c = M_cl qdd_l + (c + M_.c qdd_c)_c
//! ```
//!
//! (Postiau, section 1.3.4, with the sign corrected). What stands in the brackets is inverse
//! dynamics with the free accelerations zero, so the columns of M that belong to known speeds are
//! not needed for qdd.

mod articulated_body;
pub(crate) mod blocks;
mod frames;
mod grouped;
pub mod ldl;
mod operational;
pub(crate) mod refusal;
pub(crate) mod resistance;

pub(crate) use grouped::{Solid, shared, solids};
pub use operational::operational_inertia;

use crate::barycentric::reference;
use crate::constraint;
use crate::dynamics::{masses, parts, symmetric};
use crate::formalism::Formalism;
use crate::function::Call;
use crate::map::derivatives;
use crate::parts::Parts;
use crate::problem::Problem;
use crate::transformations::Transformations;
use crate::tree::Tree;
use ldl::LdlFactor;
use rotule_model::mechanism::Role;
use rotule_program::lower::Target;
use rotule_symbolic::Expr;

/// `forward`
pub fn forward(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let found = accelerations(tree, "forward", call.formalism)?;
    Ok(vec![Target::vector("qdd", &found)])
}

/// `motion`
pub fn motion(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    // Closes the loops of the tree, so that coordinates and speeds are those that belong together.
    let qdd = accelerations(tree, "motion", call.formalism)?;
    let qdot = derivatives(tree);
    let rates = crate::states::rates(tree)?;
    Ok(vec![
        Target::vector("q", &tree.q),
        Target::vector("qd", &tree.qd),
        Target::vector("qdot", &qdot),
        Target::vector("qdd", &qdd),
        Target::vector("rate", &rates),
    ])
}

/// `drives`
pub fn drives(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let free = free(tree);
    if free.iter().all(|&free| free) {
        return Ok(vec![Target::vector("effort", &vec![Expr::ZERO; free.len()])]);
    }
    if constraint::is_constrained(tree) {
        not_order_n("drives", call.formalism)?;
        let efforts = constraint::reduced::drives(tree, call.formalism)?;
        return Ok(vec![Target::vector("effort", &efforts)]);
    }
    let qdd = accelerations(tree, "drives", call.formalism)?;
    if call.formalism == Formalism::ArticulatedBody {
        let given = std::mem::replace(&mut tree.qdd, qdd);
        let mut efforts = parts(tree, Parts::ALL, call.formalism);
        tree.qdd = given;
        for (at, effort) in efforts.iter_mut().enumerate() {
            let rest = tree.mechanism.graph.sub(*effort, tree.laws[at]);
            *effort = if free[at] { Expr::ZERO } else { rest };
        }
        return Ok(vec![Target::vector("effort", &efforts)]);
    }
    let known = efforts_of_known(tree, &free, call.formalism);
    let mut terms: Vec<Vec<Expr>> = vec![Vec::new(); free.len()];
    for (row, column, value) in masses(tree, call.formalism) {
        let graph = &mut tree.mechanism.graph;
        for (known, other) in [(row, column), (column, row)] {
            if !free[known] && free[other] {
                terms[known].push(graph.mul(value, qdd[other]));
            }
        }
    }
    let mut efforts = vec![Expr::ZERO; free.len()];
    for (at, mut terms) in terms.into_iter().enumerate().filter(|(at, _)| !free[*at]) {
        terms.extend([known[at], -tree.laws[at]]);
        efforts[at] = tree.mechanism.graph.sum(&terms);
    }
    Ok(vec![Target::vector("effort", &efforts)])
}

/// Articulated bodies do not close loops.
fn not_order_n(function: &str, formalism: Formalism) -> Result<(), Problem> {
    if formalism != Formalism::ArticulatedBody {
        return Ok(());
    }
    let message =
        format!("the articulated-body algorithm does not write `{function}` of a model with loops");
    Err(Problem::new(message, "leave out --formalism: the cheapest is chosen").of_size())
}

/// `inverse_mass`
pub fn inverse_mass(tree: &mut Tree, call: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let (factor, rows) = factored(tree, "inverse_mass", call.formalism)?;
    let mut entries = factor.inverse("Mi", &mut tree.mechanism.graph);
    for (row, column, _) in &mut entries {
        (*row, *column) = (rows[*row], rows[*column]);
    }
    Ok(vec![symmetric("inverse_mass", tree.speeds(), &entries)])
}

/// The accelerations of all speeds, in their order.
pub(crate) fn accelerations(
    tree: &mut Tree,
    function: &str,
    formalism: Formalism,
) -> Result<Vec<Expr>, Problem> {
    if constraint::is_constrained(tree) {
        not_order_n(function, formalism)?;
        let closed = constraint::closed::close(tree, function)?;
        return Ok(constraint::closed::forward(tree, &closed, formalism, function)?.0);
    }
    if formalism == Formalism::ArticulatedBody {
        refusal::check(tree, function)?;
        let free = free(tree);
        let efforts = applied(tree);
        return articulated_body::accelerations(tree, &free, &efforts)
            .map_err(|singular| refusal::singular(tree, function, singular.0));
    }
    Ok(found(tree, function, formalism)?.qdd)
}

/// Forward dynamics by a factored mass matrix.
pub(crate) struct Solved {
    pub factor: LdlFactor,
    /// The free speeds.
    pub rows: Vec<usize>,
    /// The accelerations of all speeds, in their order.
    pub qdd: Vec<Expr>,
}

/// The accelerations, and the factor that gave them, for derivatives. These keep the user's unit of
/// length, and share more with equations that do the same.
pub(crate) fn solved(
    tree: &mut Tree,
    function: &str,
    formalism: Formalism,
) -> Result<Solved, Problem> {
    let all = tree.transformations;
    tree.transformations = Transformations { unit: false, ..all };
    let solved = found(tree, function, formalism);
    tree.transformations = all;
    solved
}

/// The accelerations, and the factor that gave them.
fn found(tree: &mut Tree, function: &str, formalism: Formalism) -> Result<Solved, Problem> {
    let (factor, rows) = factored(tree, function, formalism)?;
    let free = free(tree);
    // What is found is the difference to accelerations that are at hand.
    let (needed, start) = match formalism {
        Formalism::Barycentric => reference(tree, &free),
        _ => (efforts_of_known(tree, &free, formalism), vec![Expr::ZERO; free.len()]),
    };
    let efforts = applied(tree);
    let graph = &mut tree.mechanism.graph;
    let b: Vec<Expr> = rows.iter().map(|&row| graph.sub(efforts[row], needed[row])).collect();
    let mut qdd = tree.qdd.clone();
    for (&row, value) in rows.iter().zip(factor.solve(&b, "a", graph)) {
        qdd[row] = graph.add(start[row], value);
    }
    Ok(Solved { factor, rows, qdd })
}

/// The mass matrix of the free speeds, factored, and the free speeds.
pub(crate) fn factored(
    tree: &mut Tree,
    function: &str,
    formalism: Formalism,
) -> Result<(LdlFactor, Vec<usize>), Problem> {
    refusal::check(tree, function)?;
    refusal::check_size(tree, function)?;
    let free = free(tree);
    let mut place = vec![None; free.len()];
    let rows: Vec<usize> = (0..free.len()).filter(|&at| free[at]).collect();
    for (number, &row) in rows.iter().enumerate() {
        place[row] = Some(number);
    }
    let entries = masses(tree, formalism);
    let kept =
        |&(row, column, value): &(usize, usize, Expr)| Some((place[row]?, place[column]?, value));
    let entries: Vec<_> = entries.iter().filter_map(kept).collect();
    let factor = LdlFactor::of(&entries, rows.len(), "M", &mut tree.mechanism.graph)
        .map_err(|singular| refusal::singular(tree, function, rows[singular.0]))?;
    let pivots: Vec<_> = rows.iter().copied().zip(factor.pivots()).collect();
    match resistance::vanishing(tree, &pivots) {
        Some(speed) => Err(refusal::singular(tree, function, speed)),
        None => Ok((factor, rows)),
    }
}

/// Marks the speeds that follow from the equations of motion.
fn free(tree: &Tree) -> Vec<bool> {
    let mut free = vec![false; tree.speeds()];
    for joint in tree.mechanism.joints.iter().filter(|joint| joint.role == Role::Free) {
        free[joint.speeds.clone()].fill(true);
    }
    free
}

/// The efforts on all speeds: what is applied, and the joints' laws.
pub(crate) fn applied(tree: &mut Tree) -> Vec<Expr> {
    let mechanism = &mut tree.mechanism;
    let given = mechanism.speeds.iter().zip(&tree.laws);
    given.map(|(speed, &law)| mechanism.graph.add(speed.effort, law)).collect()
}

/// The efforts that the mechanism needs with free accelerations zero and the others as they are.
pub(crate) fn efforts_of_known(tree: &mut Tree, free: &[bool], formalism: Formalism) -> Vec<Expr> {
    let all = tree.qdd.clone();
    for (value, _) in tree.qdd.iter_mut().zip(free).filter(|(_, free)| **free) {
        *value = Expr::ZERO;
    }
    let efforts = parts(tree, Parts::ALL, formalism);
    tree.qdd = all;
    efforts
}
