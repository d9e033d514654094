//! The rows of cuts (Postiau, section 2.2; corrected where the print mixes frames).
//!
//! Both ends are followed from their nearest common ancestor, in whose axes everything is: what
//! carries the whole loop does not enter. With `x` the first place less the second, `w` and `R`
//! angular velocity and rotation of the ends, rows are made of few kinds:
//!
//! ```text
//! rod          h = (x.x - l^2)/2         hd = x.xd                       (2.12 .. 2.16)
//! place        h = x_i                   hd = xd_i                       (2.5, 2.11)
//! turn         h = (R1 R2')_jk           hd = (w1 - w2)_i                (2.7, in common axes)
//! directions   h = a1.b2 - const         hd = (w1 - w2).(a1 x b2)
//! along        h = a1.x                  hd = w1.(a1 x x) + a1.xd
//! screw        h = a1.x - p angle        hd = w1.(a1 x x) + a1.xd - p (w1 - w2).a1
//! ```
//!
//! with `a1` fixed in the first end and `b2` in the second. A turn's row of `J` is the derivative
//! of `h` only where the ends agree, which is where it is used; the same axes for both make
//! iterations converge.

use super::reactions::{Load, Solved};
use super::{ConstraintElement, Constraints, Row};
use crate::kinematics::jacobian_entries;
use crate::kinematics::outward::{Frames, Level, Moving};
use crate::tree::{Tree, Wrench};
use rotule_model::draft::{Component, JointType};
use rotule_model::mechanism::{Cut, CutKind, Placement};
use rotule_symbolic::{Expr, Graph, Vector};
use std::collections::BTreeMap;

/// The component of a rod.
pub(super) const LENGTH: &str = "length";

/// The name of a component's row.
pub(super) fn row_name(cut: &Cut, label: &str) -> String {
    format!("{} {label}", cut.name)
}

/// Writes the rows of all cuts.
pub(super) fn write(tree: &mut Tree, all: &mut Constraints) {
    for at in 0..tree.mechanism.cuts.len() {
        let cut = tree.mechanism.cuts[at].clone();
        let pair = Pair::of(tree, &cut);
        let rows = pair.rows(tree, &cut);
        for (label, parts) in rows {
            let row = pair.row(tree, row_name(&cut, label), ConstraintElement::Cut(at), parts);
            all.add(row);
        }
    }
}

/// The wrenches on both ends of every cut, each in the axes of its place.
pub(super) fn loads(tree: &mut Tree, solved: &Solved) -> Vec<[Load; 2]> {
    let mut all = Vec::new();
    for at in 0..tree.mechanism.cuts.len() {
        let cut = tree.mechanism.cuts[at].clone();
        let pair = Pair::of(tree, &cut);
        let mut terms: [[Vec<Expr>; 6]; 2] = Default::default();
        for (label, parts) in pair.rows(tree, &cut) {
            let lambda = solved.multiplier(ConstraintElement::Cut(at), row_name(&cut, label));
            let graph = &mut tree.mechanism.graph;
            for (side, terms) in terms.iter_mut().enumerate() {
                let parts = parts.linear[side].0.into_iter().chain(parts.angular[side].0);
                for (terms, part) in terms.iter_mut().zip(parts) {
                    terms.push(graph.mul(lambda, part));
                }
            }
        }
        let graph = &mut tree.mechanism.graph;
        all.push(std::array::from_fn(|side| {
            let sums: [Expr; 6] = std::array::from_fn(|at| graph.sum(&terms[side][at]));
            let own = pair.ends[side].rotation.transpose();
            let name = format!("{}.{}", cut.name, side + 1);
            let force = own.apply(Vector([sums[0], sums[1], sums[2]]), graph);
            let torque = own.apply(Vector([sums[3], sums[4], sums[5]]), graph);
            Load { on: cut.ends[side], wrench: Wrench { force, torque }.name(&name, graph) }
        }));
    }
    all
}

/// The two ends of a cut as seen from their nearest common ancestor.
struct Pair {
    ends: [Moving; 2],
    /// Columns of the Jacobians: linear and angular velocity per unit of a speed.
    columns: [BTreeMap<usize, (Vector, Vector)>; 2],
}

/// A row before its columns are known: `h`, how its velocity depends on the velocities of the ends,
/// and the acceleration that is left when those of the ends are those at zero accelerations of the
/// joints.
struct Parts {
    residual: Expr,
    /// The velocity is the sum over both ends of `linear.v + angular.w`.
    linear: [Vector; 2],
    angular: [Vector; 2],
    /// The acceleration beyond `linear.a + angular.wd`.
    rest: Expr,
}

impl Pair {
    fn of(tree: &mut Tree, cut: &Cut) -> Pair {
        let places = cut.ends.map(|end| tree.locate(end));
        let origin = origin(tree, cut);
        // The rate of a constraint is its acceleration while no joint accelerates.
        let zeros = vec![Expr::ZERO; tree.qdd.len()];
        let kept = std::mem::replace(&mut tree.qdd, zeros);
        let mut frames = Frames::new(tree, origin, Placement::IDENTITY, Level::Acceleration);
        let ends = places.map(|(node, placement)| frames.place(tree, node, placement));
        let columns = places.map(|place| columns(tree, &mut frames, place));
        tree.qdd = kept;
        Pair { ends, columns }
    }

    /// A finished row.
    fn row(&self, tree: &mut Tree, name: String, element: ConstraintElement, parts: Parts) -> Row {
        let graph = &mut tree.mechanism.graph;
        let mut entries: BTreeMap<usize, Vec<Expr>> = BTreeMap::new();
        let mut rate = vec![parts.rest];
        for side in 0..2 {
            let (linear, angular) = (parts.linear[side], parts.angular[side]);
            for (&column, &(v, w)) in &self.columns[side] {
                let terms = [linear.dot(v, graph), angular.dot(w, graph)];
                entries.entry(column).or_default().extend(terms);
            }
            rate.push(linear.dot(self.ends[side].acceleration, graph));
            rate.push(angular.dot(self.ends[side].angular_acceleration, graph));
        }
        let entries = entries.into_iter().map(|(column, terms)| (column, graph.sum(&terms)));
        let entries = entries.filter(|(_, value)| *value != Expr::ZERO).collect();
        Row {
            name,
            element,
            residual: Some(parts.residual),
            entries,
            explicit: Expr::ZERO,
            rate: graph.sum(&rate),
        }
    }

    /// The rows that a cut has, each with the name of its component.
    fn rows(&self, tree: &mut Tree, cut: &Cut) -> Vec<(&'static str, Parts)> {
        let (kind, axes, pitch) = match &cut.kind {
            CutKind::Rod { length } => {
                return vec![(LENGTH, self.rod(*length, &mut tree.mechanism.graph))];
            }
            CutKind::Joint { kind, axes, pitch } => (*kind, axes.as_slice(), *pitch),
        };
        let across = |tree: &mut Tree, axis: Vector| {
            let numbers = tree.mechanism.evaluate(&axis.0);
            crate::normalise::in_plane(axis, &numbers, &mut tree.mechanism.graph)
        };
        let mut rows = Vec::new();
        match kind {
            JointType::Free => {}
            JointType::Fixed => {
                rows.extend(self.places(&mut tree.mechanism.graph));
                rows.extend(self.turns(&mut tree.mechanism.graph));
                rows.retain(|(label, _)| !ignored(cut, label));
            }
            JointType::Spherical => {
                rows.extend(self.places(&mut tree.mechanism.graph));
                rows.retain(|(label, _)| !ignored(cut, label));
            }
            JointType::Revolute => {
                let (u, v) = across(tree, axes[0]);
                rows.extend(self.places(&mut tree.mechanism.graph));
                rows.extend(self.tilts(axes[0], u, v, &mut tree.mechanism.graph));
            }
            JointType::Prismatic => {
                let (u, v) = across(tree, axes[0]);
                let graph = &mut tree.mechanism.graph;
                rows.push(("across 1", self.along(u, Expr::ZERO, graph)));
                rows.push(("across 2", self.along(v, Expr::ZERO, graph)));
                rows.extend(self.turns(graph));
            }
            JointType::Cylindrical | JointType::Helical => {
                let (u, v) = across(tree, axes[0]);
                let graph = &mut tree.mechanism.graph;
                rows.push(("across 1", self.along(u, Expr::ZERO, graph)));
                rows.push(("across 2", self.along(v, Expr::ZERO, graph)));
                rows.extend(self.tilts(axes[0], u, v, graph));
                if kind == JointType::Helical {
                    rows.push(("screw", self.screw(axes[0], u, pitch, graph)));
                }
            }
            JointType::Universal => {
                rows.extend(self.places(&mut tree.mechanism.graph));
                let graph = &mut tree.mechanism.graph;
                let meant = axes[0].dot(axes[1], graph);
                rows.push(("axes", self.directions(axes[0], axes[1], meant, graph)));
            }
            JointType::Planar => {
                let (u, v) = across(tree, axes[0]);
                let graph = &mut tree.mechanism.graph;
                rows.push(("normal", self.along(axes[0], Expr::ZERO, graph)));
                rows.extend(self.tilts(axes[0], u, v, graph));
            }
        }
        rows
    }

    /// From the second place to the first: displacement, velocity.
    fn apart(&self, graph: &mut Graph) -> (Vector, Vector) {
        let [first, second] = &self.ends;
        (first.position.sub(second.position, graph), first.velocity.sub(second.velocity, graph))
    }

    fn rod(&self, length: Expr, graph: &mut Graph) -> Parts {
        let (x, xd) = self.apart(graph);
        let squares = x.dot(x, graph);
        let wanted = graph.square(length);
        let twice = graph.sub(squares, wanted);
        let half = graph.number(rotule_symbolic::Number::ratio(1, 2));
        Parts {
            residual: graph.mul(half, twice),
            linear: [x, -x],
            angular: [Vector::ZERO; 2],
            rest: xd.dot(xd, graph),
        }
    }

    /// The places agree, along each axis.
    fn places(&self, graph: &mut Graph) -> Vec<(&'static str, Parts)> {
        let (x, _) = self.apart(graph);
        let each = ["x", "y", "z"].into_iter().enumerate();
        let row = each.map(|(at, label)| {
            let unit = Vector::unit(at);
            let parts = Parts {
                residual: x[at],
                linear: [unit, -unit],
                angular: [Vector::ZERO; 2],
                rest: Expr::ZERO,
            };
            (label, parts)
        });
        row.collect()
    }

    /// The frames agree: the first is not turned against the second about any axis.
    fn turns(&self, graph: &mut Graph) -> Vec<(&'static str, Parts)> {
        let [first, second] = &self.ends;
        let mut rows = Vec::new();
        for (at, label) in ["rx", "ry", "rz"].into_iter().enumerate() {
            // R1 R2' is E + tilde(angle) for small angles.
            let (row, column) = ((at + 2) % 3, (at + 1) % 3);
            let residual = first.rotation.row(row).dot(second.rotation.row(column), graph);
            let unit = Vector::unit(at);
            let angular = [unit, -unit];
            let parts = Parts { residual, linear: [Vector::ZERO; 2], angular, rest: Expr::ZERO };
            rows.push((label, parts));
        }
        rows
    }

    /// The axis of the first end stays across two directions of the second.
    fn tilts(
        &self,
        axis: Vector,
        u: Vector,
        v: Vector,
        graph: &mut Graph,
    ) -> Vec<(&'static str, Parts)> {
        vec![
            ("tilt 1", self.directions(axis, u, Expr::ZERO, graph)),
            ("tilt 2", self.directions(axis, v, Expr::ZERO, graph)),
        ]
    }

    /// A direction of the first end and one of the second have a given scalar product.
    fn directions(&self, a: Vector, b: Vector, product: Expr, graph: &mut Graph) -> Parts {
        let [first, second] = &self.ends;
        let (a, b) = (first.rotation.apply(a, graph), second.rotation.apply(b, graph));
        let found = a.dot(b, graph);
        let across = a.cross(b, graph);
        let relative = first.angular.sub(second.angular, graph);
        let (ad, bd) = (first.angular.cross(a, graph), second.angular.cross(b, graph));
        let (one, two) = (ad.cross(b, graph), a.cross(bd, graph));
        let change = one.add(two, graph);
        Parts {
            residual: graph.sub(found, product),
            linear: [Vector::ZERO; 2],
            angular: [across, -across],
            rest: relative.dot(change, graph),
        }
    }

    /// The displacement along a direction of the first end is as given.
    fn along(&self, a: Vector, length: Expr, graph: &mut Graph) -> Parts {
        let w = self.ends[0].angular;
        let (x, xd) = self.apart(graph);
        let a = self.ends[0].rotation.apply(a, graph);
        let found = a.dot(x, graph);
        let moment = a.cross(x, graph);
        let ad = w.cross(a, graph);
        let (one, two) = (ad.cross(x, graph), a.cross(xd, graph));
        let change = one.add(two, graph);
        let rest = [w.dot(change, graph), ad.dot(xd, graph)];
        Parts {
            residual: graph.sub(found, length),
            linear: [a, -a],
            angular: [moment, Vector::ZERO],
            rest: graph.sum(&rest),
        }
    }

    /// The second end slides along the axis of the first by the pitch for each radian that it
    /// turns.
    fn screw(&self, axis: Vector, u: Vector, pitch: Expr, graph: &mut Graph) -> Parts {
        let [first, second] = &self.ends;
        let slide = self.along(axis, Expr::ZERO, graph);
        let a = first.rotation.apply(axis, graph);
        let (u1, u2) = (first.rotation.apply(u, graph), second.rotation.apply(u, graph));
        let sine = u1.cross(u2, graph).dot(a, graph);
        let cosine = u1.dot(u2, graph);
        // x is the first less the second: both slide and turn count against it.
        let angle = graph.binary(rotule_symbolic::Binary::Atan2, sine, cosine);
        let turned = graph.mul(pitch, angle);
        let scaled = a.scale(pitch, graph);
        let relative = first.angular.sub(second.angular, graph);
        let ad = first.angular.cross(scaled, graph);
        let change = relative.dot(ad, graph);
        let angular = [slide.angular[0].sub(scaled, graph), slide.angular[1].add(scaled, graph)];
        Parts {
            residual: graph.add(slide.residual, turned),
            linear: slide.linear,
            angular,
            rest: graph.sub(slide.rest, change),
        }
    }
}

/// Linear and angular velocity of a place per unit of each speed that moves it.
pub(super) fn columns(
    tree: &mut Tree,
    frames: &mut Frames,
    place: (usize, Placement),
) -> BTreeMap<usize, (Vector, Vector)> {
    let mut columns: BTreeMap<usize, (Vector, Vector)> = BTreeMap::new();
    for (row, column, value) in jacobian_entries(tree, frames, place) {
        let (linear, angular) =
            columns.entry(column as usize).or_insert((Vector::ZERO, Vector::ZERO));
        match row as usize {
            row @ 0..3 => linear[row] = value,
            row => angular[row - 3] = value,
        }
    }
    columns
}

/// Returns `true` if a component of a cut is left out.
fn ignored(cut: &Cut, label: &str) -> bool {
    let component = |one: &Component| match one {
        Component::X => "x",
        Component::Y => "y",
        Component::Z => "z",
        Component::Rx => "rx",
        Component::Ry => "ry",
        Component::Rz => "rz",
    };
    cut.ignore.iter().any(|one| component(one) == label)
}

/// The node in whose axes the rows of a cut are: the nearest common ancestor of its ends.
/// Components that are left out are counted along the ground's axes.
pub(super) fn origin(tree: &Tree, cut: &Cut) -> usize {
    let [one, two] = cut.ends.map(|end| tree.bodies[end.body.index()].0);
    if cut.ignore.is_empty() { common(tree, one, two) } else { 0 }
}

/// The nearest common ancestor of two nodes.
fn common(tree: &Tree, mut one: usize, mut two: usize) -> usize {
    // Parents come before children: the later of two different nodes is no ancestor of the other.
    while one != two {
        let later = if one > two { &mut one } else { &mut two };
        *later = tree.nodes[*later].parent;
    }
    one
}
