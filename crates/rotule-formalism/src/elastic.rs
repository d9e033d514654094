//! Energy that laws of forces store, and damping.
//!
//! A law that depends, while all speeds are zero, on its own length or coordinate alone has a
//! potential energy, the antiderivative of its force:
//!
//! ```text
//! line force    E = integral F dZ            F > 0 pulls the ends together
//! joint         E = -integral Q dq
//! wheel         E = integral N d depth       N: the vertical force, where the ground does not move
//! damping       D = -dQ/dqd                  Q: all laws as efforts on the coordinates
//! ```
//!
//! Laws that look at the time, at states, inputs or at the rest of the mechanism have none, nor
//! have those that no rule of `antiderivative.rs` integrates; [`without_potential`] names them.

#![allow(non_snake_case)] // symbols as in the formulas

use crate::derivative::directions::directions;
use crate::forces::{self, on_nodes};
use crate::function::{By, Call};
use crate::problem::Problem;
use crate::system::MultibodySystem;
use crate::writer::{Writer, matrix_of};
use rotule_model::index::run_of;
use rotule_model::mechanism::{LineForce, Wheel};
use rotule_program::lower::Target;
use rotule_symbolic::{Binary, Compare, Expr, Kind, Scalar, sum};

/// An element with a law: its name, its force while nothing moves, and what the force depends on.
#[derive(Clone)]
struct Element {
    name: String,
    force: Expr,
    /// The placeholder of its length or depth, or its coordinate.
    displacement: Expr,
}

/// `elastic_energy`
pub fn energy(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let mut terms = Vec::new();
    for (index, element) in line_forces(writer).into_iter().enumerate() {
        let Some(element) = element else { continue };
        if let Some(E) = potential(writer, &element) {
            let line = forces::line_of(writer, index, false);
            terms.push(put(writer, E, element.displacement, line.Z));
        }
    }
    for element in joints(writer).into_iter().flatten() {
        terms.extend(potential(writer, &element).map(|E| -writer.scalar(E)));
    }
    for (index, element) in wheels(writer).into_iter().enumerate() {
        let Some(element) = element else { continue };
        if let Some(E) = potential(writer, &element) {
            let depth = forces::geometry_of(writer, index).quantity(0);
            terms.push(put(writer, E, element.displacement, depth));
        }
    }
    Ok(vec![Target::scalar("elastic_energy", sum(terms).expr())])
}

/// `damping`
pub fn damping(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let size = writer.speeds();
    let forces = forces::efforts(writer, &on_nodes(writer));
    let Q: Vec<Scalar<'_>> = writer.laws().into_iter().zip(forces).map(|(a, b)| a + b).collect();
    let along = writer.total_directions(&Q, directions(writer, &By::Speeds));
    let entries = writer.derivatives_along(&Q, &along).into_iter();
    let D = entries.map(|(row, column, value)| (row, column, -value)).collect();
    Ok(vec![matrix_of("D", [size, size], D)])
}

/// Returns `true` if anything has a potential energy of its own: `elastic_energy` is not zero for
/// ever.
pub fn stores_energy(system: &MultibodySystem) -> bool {
    let sheet = system.sheet();
    let writer = system.writer(&sheet);
    let acts = |one: &Element| one.force != Expr::ZERO && potential(writer, one).is_some();
    let elements = [line_forces(writer), joints(writer), wheels(writer)].into_iter().flatten();
    elements.flatten().any(|one| acts(&one))
}

/// The names of the elements that act while nothing moves and have no potential energy.
pub fn without_potential(system: &MultibodySystem) -> Vec<String> {
    let sheet = system.sheet();
    let writer = system.writer(&sheet);
    let elements = [line_forces(writer), joints(writer), wheels(writer)].concat();
    let elements = elements.into_iter().flatten();
    let acting = elements.filter(|one| one.force != Expr::ZERO && potential(writer, one).is_none());
    let places = writer.mechanism.forces.iter().map(|force| force.name.clone());
    acting.map(|one| one.name).chain(places).collect()
}

fn line_forces(writer: Writer<'_, '_>) -> Vec<Option<Element>> {
    let laws = writer.motion.elements.line_forces.iter().zip(&writer.mechanism.line_forces);
    let element = |(&law, line_force): (&Expr, &LineForce)| {
        let force = at_rest(writer, law);
        let displacement = lookup(writer, "line_force.Z").unwrap_or(Expr::ZERO);
        Some(Element { name: line_force.name.clone(), force, displacement })
    };
    laws.map(element).collect()
}

/// Joints by speeds; none where the joint is driven or locked.
fn joints(writer: Writer<'_, '_>) -> Vec<Option<Element>> {
    let mut elements = vec![None; writer.speeds()];
    for node in writer.tree.nodes.iter().skip(1) {
        for speed in run_of(node.speed, node.motion.speeds()) {
            if !writer.motion.is_free(writer.mechanism, speed) {
                continue;
            }
            let name = writer.mechanism.speeds[speed.index()].name.clone();
            let force = at_rest(writer, writer.motion.laws[speed]);
            // Of several coordinates of one joint, none stands for one speed alone.
            let single = node.motion.speeds() == 1;
            let displacement = if single { writer.motion.q[node.coordinate] } else { Expr::ZERO };
            elements[speed.index()] = Some(Element { name, force, displacement });
        }
    }
    elements
}

/// Wheels; none where they roll or the ground moves.
fn wheels(writer: Writer<'_, '_>) -> Vec<Option<Element>> {
    let element = |(index, wheel): (usize, &Wheel)| {
        if wheel.rolling {
            return None;
        }
        let depth = lookup(writer, "wheel.depth").unwrap_or(Expr::ZERO);
        let law = at_rest(writer, writer.motion.elements.wheels[index][0]);
        let moves = writer.read(|graph| graph.kinds(wheel.ground).contains(Kind::Time));
        // A tyre pushes only, and only where it is compressed.
        let push = writer.scalar(law).binary(Binary::Max, Scalar::ZERO);
        let depth_now = writer.scalar(depth);
        let force = push.where_else(Compare::Less, Scalar::ZERO, depth_now, Scalar::ZERO).expr();
        let displacement = if moves { Expr::ZERO } else { depth };
        Some(Element { name: wheel.name.clone(), force, displacement })
    };
    writer.mechanism.wheels.iter().enumerate().map(element).collect()
}

/// The potential energy of an element, as a function of its displacement.
fn potential(writer: Writer<'_, '_>, element: &Element) -> Option<Expr> {
    let Element { force, displacement, .. } = *element;
    writer.symbol_of(displacement)?;
    let known = |&(symbol, kind): &(Expr, Kind)| symbol == displacement || kind == Kind::Parameter;
    if !symbols(writer, force).iter().all(known) {
        return None;
    }
    writer.edit(|graph| graph.antiderivative(force, displacement))
}

/// A law while nothing moves.
fn at_rest(writer: Writer<'_, '_>, law: Expr) -> Expr {
    let speeds = symbols(writer, law).into_iter().filter(|one| one.1 == Kind::Velocity);
    let pairs: Vec<(Expr, Expr)> = speeds.map(|one| (one.0, Expr::ZERO)).collect();
    writer.substitute(&[law], &pairs)[0]
}

/// The symbols in an expression, with their kinds.
fn symbols(writer: Writer<'_, '_>, expr: Expr) -> Vec<(Expr, Kind)> {
    let found = writer.symbols_in(expr);
    writer.read(|graph| {
        let pair = |id| {
            let symbol = graph.lookup(graph.symbol_name(id))?;
            let kind = graph.kinds(symbol).iter().next()?;
            Some((symbol, kind))
        };
        found.into_iter().filter_map(pair).collect()
    })
}

fn lookup(writer: Writer<'_, '_>, name: &str) -> Option<Expr> {
    writer.read(|graph| graph.lookup(name))
}

fn put<'g>(writer: Writer<'_, 'g>, E: Expr, placeholder: Expr, value: Scalar<'g>) -> Scalar<'g> {
    writer.scalar(writer.substitute(&[E], &[(placeholder, value.expr())])[0])
}
