//! The singularity check of the reduced mass matrix `R = S' M S`, in numbers.
//!
//! Accelerations of a closed mechanism exist where no motion that the constraints allow is without
//! kinetic energy. `R` is factored at the closed initial position as programs factor it, without a
//! choice of pivots, which is safe because it is positive semidefinite. A pivot is the least `z' R
//! z` of all motions that have one in its place and zeros before it; it is zero where it is
//! rounding beside what the speeds `S z` would meet each by itself:
//!
//! ```text
//! z' R z <= 1e-12 sum_i w_i^2 M_ii        w_i = sum_k |S_ik z_k|
//! ```
//!
//! Both sides are energies, so that units do not matter. What is singular at the initial position
//! is looked at in others near it: singular everywhere is a mistake of the model, singular at the
//! start alone is a property of the start. `M` is that of pseudo-inertias
//! (`forward/singularity.rs`), whatever formalism writes the equations.

use crate::assembly::{attempt, movable};
use crate::null_space::{Entries, NullSpace};
use crate::redundancy::{Analysis, analyse, free_step};
use crate::row_values::{RowProgram, moved as displaced};
use rotule_formalism::constraint::partition::Partition;
use rotule_formalism::forward::singularity::{Four, Moved, composites, describe, moved, product};
use rotule_formalism::function::FunctionKind;
use rotule_formalism::{ByNode, MultibodySystem, NodeId, NodeSet, Problem, Sheet};
use rotule_model::index::{BySpeed, SpeedId, SpeedSet};
use rotule_symbolic::Expr;
use rotule_symbolic::random::SplitMix64;
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// A pivot below this part of what its speeds meet one by one is zero.
const ZERO: f64 = 1e-12;
/// A pivot above this part of its entry of the matrix, all contributions positive, is sound without
/// a closer look.
const SOUND: f64 = 1e-5;
/// Steps to the nearby positions that are looked at, in radians and metres.
const STEPS: [f64; 6] = [0.16, 0.08, 0.04, 0.02, 0.005, 0.001];
/// Products after which the check is given up. No program of such a size can be written.
const MOST_WORK: usize = 100_000_000;
/// Parts of a motion below this part of the largest are not worth a name.
const NAMED: f64 = 0.1;
/// Velocities below this part of the largest are rounding.
const STILL: f64 = 1e-9;
/// A list has at most so many names.
const LISTED: usize = 6;

/// Motions of a closed mechanism that have no kinetic energy.
#[derive(Clone, Debug)]
pub struct SingularMass {
    /// Names of the independent coordinates with the largest parts in these motions.
    pub coordinates: Vec<String>,
    /// Names of the bodies that they move.
    pub bodies: Vec<String>,
    /// `true` if nearby closed positions are singular, too.
    pub everywhere: bool,
}

impl SingularMass {
    /// The message and the remedy.
    pub fn problem(&self) -> Problem {
        let quoted = |names: &[String]| {
            let shown: Vec<String> =
                names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
            let more = match names.len() {
                count if count > LISTED => format!(" and {} more", count - LISTED),
                _ => String::new(),
            };
            shown.join(", ") + &more
        };
        let moves = match (self.coordinates.len(), self.bodies.len()) {
            (_, 0) => String::new(),
            (1, 1) => format!(", which moves body {}", quoted(&self.bodies)),
            (1, _) => format!(", which moves bodies {}", quoted(&self.bodies)),
            (_, 1) => format!(", which move body {}", quoted(&self.bodies)),
            (_, _) => format!(", which move bodies {}", quoted(&self.bodies)),
        };
        let own = quoted(&self.coordinates);
        if !self.everywhere {
            return Problem::new(
                format!(
                    "the reduced mass matrix is singular in {own} at the initial position, but not near it{moves}"
                ),
                format!(
                    "accelerations do not exist there: give another initial position, or give the bodies mass or inertia or {own} an armature"
                ),
            );
        }
        let (it, them) =
            if self.coordinates.len() == 1 { ("it moves", "it") } else { ("they move", "them") };
        Problem::new(
            format!("the reduced mass matrix is singular in {own}{moves}"),
            format!(
                "give the bodies {it} mass or inertia, give {own} an armature, or lock or drive {them}"
            ),
        )
    }
}

/// Refuses a mechanism whose reduced mass matrix is singular at the initial position and near it.
pub fn check(tree: &MultibodySystem, function: FunctionKind) -> Result<(), Problem> {
    check_analysed(tree, &analyse(tree)?, function)
}

/// Refuses a mechanism of which the analysis of its constraints is known.
pub(crate) fn check_analysed(
    tree: &MultibodySystem,
    analysis: &Analysis,
    function: FunctionKind,
) -> Result<(), Problem> {
    match singular_mass(tree, analysis)?.filter(|found| found.everywhere) {
        None => Ok(()),
        Some(found) => {
            let problem = found.problem();
            let message = format!("`{function}`: {}", problem.message);
            Err(Problem { message, ..problem })
        }
    }
}

/// The motions without kinetic energy at the closed initial position; none where accelerations
/// exist.
pub fn singular_mass(
    tree: &MultibodySystem,
    analysis: &Analysis,
) -> Result<Option<SingularMass>, Problem> {
    let inertias = Inertias::of(tree);
    let look = Look { analysis, inertias: &inertias, movable: movable(tree) };
    let Some(here) = look.at(&analysis.q, &analysis.values.j) else { return Ok(None) };
    if here.motions.is_empty() {
        return Ok(None);
    }
    let written = RowProgram::of(tree)?;
    let numbers = &mut written.ready(0.0)?;
    let rows: Vec<usize> = (0..written.open.rows.len()).collect();
    let mut random = SplitMix64(13);
    let mut least: Option<Singular> = None;
    for size in STEPS {
        let step =
            free_step(&analysis.values, &rows, &look.movable, (tree.speeds(), size), &mut random);
        let near = displaced(tree, &analysis.q, &step);
        let near = attempt(tree, &written, numbers, &near, &look.movable, &BySpeed::new())?;
        if !near.closed {
            continue;
        }
        let Some(there) = look.at(&near.q, &near.values.j) else { continue };
        let fewer = |known: &Singular| there.motions.len() < known.motions.len();
        if least.as_ref().is_none_or(fewer) {
            least = Some(there);
        }
        if least.as_ref().is_some_and(|known| known.motions.is_empty()) {
            break;
        }
    }
    // Where no other position can be reached, this one stands for all.
    let general = least.filter(|near| near.motions.len() <= here.motions.len());
    let everywhere = general.as_ref().is_none_or(|near| !near.motions.is_empty());
    let shown = general.filter(|_| everywhere).unwrap_or(here);
    let coordinates = look.coordinates(&shown);
    Ok(Some(SingularMass { coordinates, bodies: shown.bodies(tree), everywhere }))
}

/// The expressions of a tree's inertias and placements.
struct Inertias<'a> {
    tree: &'a MultibodySystem,
    sheet: Sheet,
    exprs: Vec<Expr>,
}

impl Inertias<'_> {
    fn of(tree: &MultibodySystem) -> Inertias<'_> {
        let sheet = tree.sheet();
        let exprs = describe(tree.writer(&sheet));
        Inertias { tree, sheet, exprs }
    }

    /// The nodes in numbers at time zero; none if a foreign function is needed for them.
    fn at(&self, q: &[f64]) -> Option<ByNode<Moved>> {
        let mechanism = &self.tree.mechanism;
        let mut known: HashMap<&str, f64> =
            mechanism.parameters.iter().map(|one| (one.name.as_str(), one.any_number())).collect();
        let coordinates = mechanism.coordinates.iter().zip(q);
        known.extend(coordinates.map(|(one, &value)| (one.name.as_str(), value)));
        let number = |name: &str| Some(known.get(name).copied().unwrap_or(0.0));
        let values = self.sheet.graph.read(|graph| graph.evaluate_f64(&self.exprs, number)).ok()?;
        Some(moved(&self.tree.tree, &values))
    }
}

/// The data with which positions are examined.
struct Look<'a> {
    analysis: &'a Analysis,
    inertias: &'a Inertias<'a>,
    movable: SpeedSet,
}

/// Motions without kinetic energy at a position.
struct Singular {
    /// All speeds of each motion.
    motions: Vec<Vec<f64>>,
    /// The free speed that has one in each.
    leading: Vec<usize>,
    nodes: ByNode<Moved>,
}

impl Look<'_> {
    /// The motions without kinetic energy at a position with these rows of `J`; none if that takes
    /// too long to tell.
    fn at(&self, q: &[f64], rows: &[Vec<(SpeedId, f64)>]) -> Option<Singular> {
        let tree = self.inertias.tree;
        let nodes = self.inertias.at(q)?;
        let partition = self.analysis.partition.iter();
        let dependent = partition.flat_map(Partition::dependent).map(SpeedId::new).collect();
        let rows = self.analysis.kept.iter().map(|&row| &rows[row]);
        let space = NullSpace::of(rows, (tree.speeds(), &self.movable), &dependent);
        let mut work = MOST_WORK;
        let mass = mass(tree, &nodes, &self.movable, &mut work)?;
        let mut diagonal = vec![0.0; tree.speeds()];
        for &(row, _, value) in mass.iter().filter(|entry| entry.0 == entry.1) {
            diagonal[row] = value;
        }
        let reduced = reduced(&mass, &space, &mut work)?;
        let (motions, leading) = without_energy(reduced, &space, &diagonal, &mut work)?;
        Some(Singular { motions, leading, nodes })
    }

    /// The independent coordinates with the largest parts in some motions.
    fn coordinates(&self, found: &Singular) -> Vec<String> {
        let independent: Vec<usize> = match &self.analysis.partition {
            Ok(partition) => partition.independent.clone(),
            Err(_) => (0..self.analysis.columns.len()).collect(),
        };
        let mut named = BTreeSet::new();
        for (motion, &leading) in found.motions.iter().zip(&found.leading) {
            let parts =
                || independent.iter().filter(|&&at| self.movable.contains(SpeedId::new(at)));
            let most = parts().fold(0.0_f64, |most, &at| most.max(motion[at].abs()));
            named.extend(parts().copied().filter(|&at| motion[at].abs() > NAMED * most));
            // A partition that this position does not allow.
            if most == 0.0 {
                named.insert(leading);
            }
        }
        named.into_iter().map(|at| self.analysis.columns[at].clone()).collect()
    }
}

impl Singular {
    /// The names of the bodies that the motions move.
    fn bodies(&self, tree: &MultibodySystem) -> Vec<String> {
        let mut moves = NodeSet::new();
        for motion in &self.motions {
            let mut fields: ByNode<Four> = ByNode::from(vec![[[0.0; 4]; 4]]);
            for (node, moved) in tree.tree.nodes.iter().zip(&self.nodes).skip(1) {
                let turned = transposed(&rotation(&moved.placed));
                let carried = product(&fields[node.parent], &transposed(&moved.placed));
                let mut field = product(&turned, &transposed(&carried));
                for (own, &speed) in moved.fields.iter().zip(&motion[node.speeds()]) {
                    let parts = field.as_flattened_mut().iter_mut().zip(own.as_flattened());
                    parts.for_each(|(sum, part)| *sum += speed * part);
                }
                fields.push(field);
            }
            let size = |field: &Four| {
                field.as_flattened().iter().fold(0.0_f64, |most, value| most.max(value.abs()))
            };
            let most = fields.iter().fold(0.0_f64, |most, field| most.max(size(field)));
            moves.extend(fields.ids().filter(|&at| size(&fields[at]) > STILL * most));
        }
        let bodies = tree.mechanism.bodies.iter().zip(&tree.tree.bodies);
        let moved = bodies.filter(|(body, (node, _))| moves.contains(*node) && !body.fictitious);
        moved.map(|(body, _)| body.name.clone()).collect()
    }
}

/// The mass matrix of the speeds that may move: entries at or below the diagonal. What a speed sets
/// in motion is carried towards the ground, where it meets the speeds of all that carry it.
fn mass(
    tree: &MultibodySystem,
    nodes: &ByNode<Moved>,
    movable: &SpeedSet,
    work: &mut usize,
) -> Option<Vec<(usize, usize, f64)>> {
    let bodies = composites(&tree.tree, nodes);
    let mut entries = Vec::new();
    for (at, own) in nodes.pairs() {
        for (number, field) in own.fields.iter().enumerate() {
            let row = tree.tree.nodes[at].speed.after(number);
            if !movable.contains(row) {
                continue;
            }
            let mut momentum = product(field, &bodies[at]);
            let mut place = at;
            while place != NodeId::GROUND {
                let node = &tree.tree.nodes[place];
                for (number, field) in nodes[place].fields.iter().enumerate() {
                    let column = node.speed.after(number);
                    if (place == at && column > row) || !movable.contains(column) {
                        continue;
                    }
                    let met = product(&momentum, field);
                    let armature = if column == row { own.armature } else { 0.0 };
                    let value = met[0][0] + met[1][1] + met[2][2] + armature;
                    if value != 0.0 {
                        let (low, high) = (row.min(column).index(), row.max(column).index());
                        entries.push((high, low, value));
                    }
                }
                let placed = &nodes[place].placed;
                momentum = product(placed, &transposed(&product(&momentum, placed)));
                place = node.parent;
                *work = work.checked_sub(200)?;
            }
        }
    }
    Some(entries)
}

/// `S' M S` by rows, entries at or below the diagonal.
fn reduced(
    mass: &[(usize, usize, f64)],
    space: &NullSpace,
    work: &mut usize,
) -> Option<Vec<BTreeMap<usize, f64>>> {
    let mut moving: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); space.rows.len()];
    for &(row, column, value) in mass {
        for (one, two) in [(row, column), (column, row)] {
            for &(number, factor) in &space.rows[SpeedId::new(two)] {
                *moving[one].entry(number).or_insert(0.0) += value * factor;
            }
            *work = work.checked_sub(space.rows[SpeedId::new(two)].len())?;
            if row == column {
                break;
            }
        }
    }
    let mut found: Vec<BTreeMap<usize, f64>> = vec![BTreeMap::new(); space.free.len()];
    for (own, moving) in space.rows.iter().zip(&moving) {
        for &(one, factor) in own {
            for (&two, &value) in moving.range(..=one) {
                *found[one].entry(two).or_insert(0.0) += factor * value;
            }
        }
        *work = work.checked_sub(own.len() * moving.len())?;
    }
    Some(found)
}

/// The motions without kinetic energy, all speeds of each, and the free speeds that lead them.
fn without_energy(
    mut open: Vec<BTreeMap<usize, f64>>,
    space: &NullSpace,
    diagonal: &[f64],
    work: &mut usize,
) -> Option<(Vec<Vec<f64>>, Vec<usize>)> {
    let count = open.len();
    // What each free speed meets if all that it moves is met one by one.
    let mut alone = vec![0.0; count];
    for (row, mass) in space.rows.iter().zip(diagonal) {
        row.iter().for_each(|(number, value)| alone[*number] += value * value * mass);
    }
    let mut lower: Vec<Entries> = vec![Vec::new(); count];
    let (mut motions, mut leading) = (Vec::new(), Vec::new());
    for k in (0..count).rev() {
        let mut own = std::mem::take(&mut open[k]);
        let pivot = own.remove(&k).unwrap_or(0.0);
        if pivot <= SOUND * alone[k] {
            let mut z = vec![0.0; count];
            z[k] = 1.0;
            for at in k + 1..count {
                let parts = lower[at].iter().filter(|entry| entry.0 >= k);
                z[at] = -parts.map(|&(column, value)| value * z[column]).sum::<f64>();
                *work = work.checked_sub(lower[at].len())?;
            }
            let (speeds, sizes) = space.speeds(&z);
            let apart: f64 = sizes.iter().zip(diagonal).map(|(w, mass)| w * w * mass).sum();
            if pivot <= ZERO * apart {
                motions.push(speeds);
                leading.push(space.free[k].index());
                // The rest of its row is zero, too.
                continue;
            }
        }
        let own: Vec<(usize, f64)> = own.into_iter().collect();
        for (at, &(row, value)) in own.iter().enumerate() {
            let quotient = value / pivot;
            for &(column, other) in &own[..=at] {
                *open[row].entry(column).or_insert(0.0) -= quotient * other;
            }
            lower[k].push((row, quotient));
        }
        *work = work.checked_sub(own.len() * own.len())?;
    }
    motions.reverse();
    leading.reverse();
    Some((motions, leading))
}

fn transposed(a: &Four) -> Four {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// A placement without its position.
fn rotation(placed: &Four) -> Four {
    let mut rotation = *placed;
    rotation[..3].iter_mut().for_each(|row| row[3] = 0.0);
    rotation
}
