//! Reasons why some models have no accelerations, in words that name the element and the remedy.

use crate::problem::{Problem, ProblemKind};
use crate::tree::Tree;
use rotule_model::index::SpeedId;
use rotule_model::mechanism::Mechanism;
use rotule_model::structure::massless_ends;

/// Products that a factorisation may take before it is refused: a chain of about 250 joints.
const MOST_PRODUCTS: u64 = 3_000_000;

/// Products that a factorisation may take where another formalism takes fewer operations from a
/// dozen joints on: about 60 joints.
const MOST_IF_OTHERS: u64 = 40_000;

/// Entries that a matrix with a row and a column per speed may have before it is refused: that of a
/// chain of about 300 joints.
const MOST_ENTRIES: u64 = 50_000;

/// Refuses closed loops and ends of branches that have no inertia.
pub fn check(mechanism: &Mechanism, function: &str) -> Result<(), Problem> {
    check_open(mechanism, function)?;
    if let Some(&end) = massless_ends(mechanism).first() {
        let joint = mechanism.joint_of(end).map_or("", |joint| &joint.name);
        let body = &mechanism.bodies[end.index()].name;
        return Err(Problem::new(
            format!(
                "`{function}`: the mass matrix is singular in joint `{joint}`: body `{body}` has no mass or inertia that it moves"
            ),
            format!(
                "give `{body}` mass or inertia, give `{joint}` an armature, or lock or drive it"
            ),
        ));
    }
    Ok(())
}

/// Refuses what needs the forces of constraints.
pub fn check_open(mechanism: &Mechanism, function: &str) -> Result<(), Problem> {
    let cut = mechanism.cuts.first().map(|cut| ("loop closure", &cut.name, "closes a loop"));
    let coupling = mechanism.couplings.first();
    let coupling = coupling.map(|one| ("coupling", &one.name, "ties coordinates together"));
    let constraint = mechanism.constraints.first();
    let constraint = constraint.map(|one| ("constraint", &one.name, "restricts the motion"));
    let wheel = mechanism.wheels.iter().find(|wheel| wheel.rolling);
    let wheel = wheel.map(|wheel| ("wheel", &wheel.name, "rolls without slipping"));
    if let Some((what, name, does)) = cut.or(coupling).or(constraint).or(wheel) {
        let help = match function {
            "reactions" => {
                "`closed_reactions` has forces of the joints of the closed mechanism, `closure_reactions` those of its loop closures"
            }
            _ => "`mass`, `bias` and `inverse` of the open tree are available",
        };
        return Err(Problem::new(
            format!("`{function}` exists for open trees only, and {what} `{name}` {does}"),
            help,
        ));
    }
    Ok(())
}

/// Refuses matrices whose factors would be too many expressions.
pub fn check_size(tree: &Tree, function: &str) -> Result<(), Problem> {
    let others = matches!(function, "forward" | "motion" | "drives");
    let most = if others { MOST_IF_OTHERS } else { MOST_PRODUCTS };
    let products = products(tree);
    if products <= most {
        return Ok(());
    }
    let message = format!(
        "factoring the mass matrix for `{function}` takes about {products} products; the limit is {most}"
    );
    let help = "`forward` by the articulated-body formalism grows with the number of joints only";
    Err(Problem::new(message, help).of(ProblemKind::Formalism))
}

/// About how many products the factorisation of the mass matrix takes.
pub fn products(tree: &Tree) -> u64 {
    rows(tree).map(|(own, depth)| own * depth * depth / 2).sum()
}

/// Refuses matrices of too many entries.
pub fn check_entries(tree: &Tree, function: &str) -> Result<(), Problem> {
    let entries = rows(tree).map(|(own, depth)| own * depth).sum::<u64>();
    if entries <= MOST_ENTRIES {
        return Ok(());
    }
    Err(Problem::new(
        format!("`{function}` has about {entries} entries; the limit is {MOST_ENTRIES}"),
        "`inverse`, and `forward` by the articulated-body formalism, grow with the number of joints only",
    ))
}

/// For each node its speeds, and the entries that a row of the mass matrix has there: those of its
/// ancestors.
fn rows(tree: &Tree) -> impl Iterator<Item = (u64, u64)> {
    let mut depths = tree.by_node(0_u64);
    let nodes = tree.nodes.pairs().skip(1);
    nodes.map(move |(at, node)| {
        let own = node.motion.speeds() as u64;
        depths[at] = depths[node.parent] + own;
        (own, depths[at])
    })
}

/// A pivot of the mass matrix that is zero whatever the inputs are.
pub fn singular(mechanism: &Mechanism, function: &str, speed: SpeedId) -> Problem {
    let body = mechanism.speeds[speed.index()].body;
    let joint = mechanism.joint_of(body).map_or("", |joint| &joint.name);
    let name = &mechanism.bodies[body.index()].name;
    Problem::new(
        format!("`{function}`: the mass matrix is singular in joint `{joint}` of body `{name}`"),
        format!(
            "give `{name}` or what it carries mass or inertia, give `{joint}` an armature, or lock or drive it"
        ),
    )
}
