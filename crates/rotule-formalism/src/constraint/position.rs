//! Dependent coordinates from independent ones, block by block.
//!
//! Where the rows of a block are linear in its coordinates, as those of couplings and of slides
//! are, the coordinates are written down; all other blocks become iterations. What is linear
//! follows from derivatives, not from the kind of a row.
//!
//! A joint with a quaternion follows along those of its speeds that are dependent: iterations turn
//! the quaternion that is given about these axes alone, so that along the others it stays what the
//! state says.

#![allow(non_snake_case)] // symbols as in the formulas

use super::blocks::components;
use super::congruence::Sparse;
use super::constraints;
use super::lu::Lu;
use super::partition::Partition;
use crate::derivative::directions::along;
use crate::problem::Problem;
use crate::system::MotionInput;
use crate::tree::{MotionPart, NodeId, Tree};
use crate::writer::{Writer, exprs};
use rotule_model::index::CoordinateId;
use rotule_program::RegionRole;
use rotule_program::lower::Solve;
use rotule_symbolic::{Expr, Graph, Kind, Number, Scalar, Vec3, sum};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// After how many steps an iteration gives up.
const LIMIT: u32 = 25;

/// The change of coordinates by a speed.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    /// One, at its own rate.
    Single(usize),
    /// The position of a free joint, along an axis of its node.
    Slide { node: NodeId, axis: usize },
    /// A quaternion, about an axis of its node.
    Turn { node: NodeId, axis: usize },
}

/// The change of coordinates by each speed.
fn changes(tree: &Tree, speeds: usize) -> Vec<Option<Change>> {
    let mut changes = vec![None; speeds];
    for (number, node) in tree.nodes.pairs() {
        for (part, coordinates, speeds) in node.parts() {
            for (axis, speed) in speeds.enumerate() {
                changes[speed] = Some(match part {
                    MotionPart::Length | MotionPart::Angle => Change::Single(coordinates.start),
                    MotionPart::Position => Change::Slide { node: number, axis },
                    MotionPart::Rotation => Change::Turn { node: number, axis },
                });
            }
        }
    }
    changes
}

/// The coordinates that a change has a part in.
fn coordinates(tree: &Tree, change: Change) -> Range<usize> {
    match change {
        Change::Single(at) => at..at + 1,
        Change::Slide { node, .. } => {
            let first = tree.nodes[node].coordinate.index();
            first..first + 3
        }
        Change::Turn { node, .. } => {
            tree.nodes[node].quaternion().expect("turns are those of a quaternion")
        }
    }
}

/// The motion with dependent coordinates as expressions or unknowns of iterations, which end when
/// each row is as small as its tolerance.
pub(super) fn positions(
    writer: Writer<'_, '_>,
    partition: &Partition,
    tolerances: &[f64],
) -> Result<MotionInput, Problem> {
    let changes = changes(writer.tree, writer.speeds());
    let of = |speed: usize| changes[speed].expect("locked joints are not dependent");
    let mut motion = writer.motion.clone();
    for speed in partition.dependent() {
        for at in coordinates(writer.tree, of(speed)) {
            let name = format!("{}.closed", writer.mechanism.coordinates[at].name);
            motion.q[CoordinateId::new(at)] =
                writer.sheet.graph.symbol(&name, Kind::Coordinate).expr();
        }
    }
    let mut closed = constraints(Writer { motion: &motion, ..writer })?;
    // Each symbol that turned out to be an expression of others.
    let mut known: Vec<(Expr, Expr)> = Vec::new();
    let mut written = vec![false; partition.blocks.len()];
    for (number, block) in partition.blocks.iter().enumerate() {
        let single = |&speed: &usize| match of(speed) {
            Change::Single(at) => Some(at),
            Change::Slide { .. } | Change::Turn { .. } => None,
        };
        let Some(places) = block.columns.iter().map(single).collect::<Option<Vec<_>>>() else {
            continue;
        };
        let rows = block.rows.iter().map(|&row| &closed.rows[row]);
        let (J, h): (Vec<_>, Vec<_>) =
            rows.map(|row| (picked(&writer.entries(row), &block.columns), row.residual)).unzip();
        let h: Vec<Scalar<'_>> = h.into_iter().flatten().map(|h| writer.scalar(h)).collect();
        let unknowns: Vec<Expr> =
            places.iter().map(|&at| motion.q[CoordinateId::new(at)]).collect();
        let name = format!("J{}", number + 1);
        let Some(found) = linear(writer, &J, &h, &unknowns, &name) else { continue };
        let found = writer.substitute(&exprs(&found), &known);
        written[number] = true;
        for ((at, symbol), value) in places.into_iter().zip(unknowns).zip(found) {
            let name = format!("{} closed", writer.mechanism.coordinates[at].name);
            let value = writer.scalar(value).named(&name).expr();
            motion.q[CoordinateId::new(at)] = value;
            known.push((symbol, value));
        }
    }
    let values = motion.known(writer.mechanism);
    motion.put_into_laws(&values, |laws, values| writer.substitute(laws, values));
    let writer = Writer { motion: &motion, ..writer };
    if !known.is_empty() {
        closed = constraints(writer)?;
    }
    let mut solves = Vec::new();
    for (number, block) in partition.blocks.iter().enumerate().filter(|one| !written[one.0]) {
        let rows = block.rows.iter().map(|&row| &closed.rows[row]);
        let (J, h): (Vec<_>, Vec<_>) =
            rows.map(|row| (picked(&writer.entries(row), &block.columns), row.residual)).unzip();
        let h: Vec<Scalar<'_>> = h.into_iter().flatten().map(|h| writer.scalar(h)).collect();
        let name = format!("J{}", number + 1);
        let steps = Lu::of(J, &name).solve(&h, &format!("{name}d"));
        let steps: Vec<(Change, Scalar<'_>)> =
            block.columns.iter().zip(steps).map(|(&speed, step)| (of(speed), -step)).collect();
        let next = stepped(writer, &steps);
        let rotated = steps.iter().any(|one| !matches!(one.0, Change::Single(_)));
        let coordinate = |at: usize| writer.mechanism.coordinates[at].symbol;
        let solve = Solve {
            name: format!("closure {}", number + 1),
            role: RegionRole::LoopClosure,
            unknowns: next.iter().map(|&(at, _)| motion.q[CoordinateId::new(at)]).collect(),
            start: next.iter().map(|&(at, _)| coordinate(at)).collect(),
            next: next.iter().map(|&(_, value)| value.expr()).collect(),
            residuals: exprs(&h),
            tolerance: block.rows.iter().fold(0.0, |most: f64, &row| most.max(tolerances[row])),
            limit: LIMIT,
        };
        solves.push(Made { solve, columns: block.columns.clone(), rotated });
    }
    for Made { solve, columns, rotated } in ordered(writer, solves) {
        let mut solves = writer.sheet.solves.borrow_mut();
        if rotated {
            let along = along(writer);
            let tangents = columns.iter().map(|&speed| along[speed].clone()).collect();
            writer.sheet.tangents.borrow_mut().insert(solves.len(), tangents);
        }
        solves.push(solve);
    }
    Ok(motion)
}

/// An iteration, the speeds that it steps along, and whether quaternions are among what these
/// change.
struct Made {
    solve: Solve,
    columns: Vec<usize>,
    rotated: bool,
}

/// Iterations in an order in which each needs results of earlier ones only. A residual may contain
/// a coordinate that its row of `J` has no entry for, because it is the same for all values of it
/// or only near a closed position: those that need each other's results are iterated together, each
/// with its own step.
fn ordered(writer: Writer<'_, '_>, solves: Vec<Made>) -> Vec<Made> {
    let needs = writer.edit(|graph| needs(&solves, graph));
    if needs.iter().enumerate().all(|(at, own)| own.iter().all(|&other| other < at)) {
        return solves;
    }
    let mut solves: Vec<Option<Made>> = solves.into_iter().map(Some).collect();
    let mut found = Vec::new();
    for mut group in components(needs.len(), &|at| needs[at].clone()) {
        group.sort_unstable();
        let mut group = group.into_iter().filter_map(|at| solves[at].take());
        let Some(mut first) = group.next() else { continue };
        for Made { solve, columns, rotated } in group {
            first.solve.unknowns.extend(solve.unknowns);
            first.solve.start.extend(solve.start);
            first.solve.next.extend(solve.next);
            first.solve.residuals.extend(solve.residuals);
            first.solve.tolerance = first.solve.tolerance.max(solve.tolerance);
            first.columns.extend(columns);
            first.rotated |= rotated;
        }
        found.push(first);
    }
    found
}

/// The iterations that each needs results of.
fn needs(solves: &[Made], graph: &mut Graph) -> Vec<Vec<usize>> {
    let mut owner = HashMap::new();
    for (number, Made { solve, .. }) in solves.iter().enumerate() {
        let symbols = solve.unknowns.iter().filter_map(|&one| graph.symbol_of(one));
        owner.extend(symbols.map(|symbol| (symbol, number)));
    }
    let mut needs: Vec<Vec<usize>> = Vec::with_capacity(solves.len());
    for (number, Made { solve, .. }) in solves.iter().enumerate() {
        let mut own = BTreeSet::new();
        for &value in solve.next.iter().chain(&solve.residuals) {
            let set = graph.symbols_of(value);
            own.extend(graph.symbols_in(set).filter_map(|symbol| owner.get(&symbol).copied()));
        }
        own.remove(&number);
        needs.push(own.into_iter().collect());
    }
    needs
}

/// The coordinates after steps along speeds. Quaternions are rotated and stay units: `q (1, s/2)`,
/// normalised.
fn stepped<'g>(writer: Writer<'_, 'g>, steps: &[(Change, Scalar<'g>)]) -> Vec<(usize, Scalar<'g>)> {
    let q = |at: usize| writer.scalar(writer.motion.q[CoordinateId::new(at)]);
    let mut next = Vec::new();
    let (mut slides, mut turns): (BTreeMap<NodeId, Vec3<'g>>, BTreeMap<NodeId, Vec3<'g>>) =
        (BTreeMap::new(), BTreeMap::new());
    for &(change, step) in steps {
        match change {
            Change::Single(at) => next.push((at, q(at) + step)),
            Change::Slide { node, axis } => slides.entry(node).or_insert(Vec3::ZERO)[axis] = step,
            Change::Turn { node, axis } => turns.entry(node).or_insert(Vec3::ZERO)[axis] = step,
        }
    }
    for (node, step) in slides {
        let (rotation, _) = writer.displacement(node);
        let first = writer.tree.nodes[node].coordinate.index();
        let moved = rotation * step;
        next.extend((0..3).map(|axis| (first + axis, q(first + axis) + moved[axis])));
    }
    for (node, step) in turns {
        let first = coordinates(writer.tree, Change::Turn { node, axis: 0 }).start;
        let [w, x, y, z] = [0, 1, 2, 3].map(|at| q(first + at));
        let (v, s) = (Vec3([x, y, z]), writer.number(Number::ratio(1, 2)) * step);
        let (along, across) = (v.dot(s), v.cross(s));
        let vector = v + w * s + across;
        let parts = [w - along, vector[0], vector[1], vector[2]];
        let length = sum(parts.map(Scalar::square)).sqrt();
        next.extend((first..).zip(parts.map(|part| part / length)));
    }
    next
}

/// The unknowns of a block whose rows are linear in them; none if they are not. `J` has the rows'
/// entries in the columns of the block, `h` their residuals.
fn linear<'g>(
    writer: Writer<'_, 'g>,
    J: &[Vec<Scalar<'g>>],
    h: &[Scalar<'g>],
    unknowns: &[Expr],
    name: &str,
) -> Option<Vec<Scalar<'g>>> {
    let moves = |rows: &[Vec<Scalar<'g>>]| {
        writer.edit(|graph| {
            let symbols: Vec<_> = unknowns.iter().filter_map(|&one| graph.symbol_of(one)).collect();
            let mut entries = rows.iter().flatten();
            entries.any(|entry| symbols.iter().any(|&one| graph.depends_on(entry.expr(), one)))
        })
    };
    // Rows of J are derivatives of residuals only where loops are closed, but what moves in them
    // moves in both.
    if moves(J) {
        return None;
    }
    let directions: Vec<_> = unknowns.iter().map(|&one| writer.along(one)).collect();
    let A = writer.jacobian(h, &directions);
    if moves(&A) {
        return None;
    }
    let zeros: Vec<(Expr, Expr)> = unknowns.iter().map(|&one| (one, Expr::ZERO)).collect();
    let rest = writer.scalars(&writer.substitute(&exprs(h), &zeros));
    let b: Vec<Scalar<'g>> = rest.into_iter().map(|value| -value).collect();
    Some(Lu::of(A, name).solve(&b, &format!("{name}d")))
}

/// The entries of a row in some columns.
pub(super) fn picked<'g>(row: &Sparse<'g>, columns: &[usize]) -> Vec<Scalar<'g>> {
    let entry =
        |column: usize| row.binary_search_by_key(&column, |entry| entry.0).ok().map(|at| row[at].1);
    columns.iter().map(|&column| entry(column).unwrap_or(Scalar::ZERO)).collect()
}
