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
//! iterations converge. Components in the frame of an end have rows `along` its axes, and for
//! rotations `directions` of both ends.

#![allow(non_snake_case)] // symbols as in the formulas

use super::reactions::{Load, Solved};
use super::{ConstraintElement, Constraints, Row};
use crate::forces::common;
use crate::joint_motion::Place;
use crate::kinematics::jacobian;
use crate::kinematics::outward::{Frames, Level, Moving};
use crate::spatial::{Twist, Wrench};
use crate::system::MotionInput;
use crate::tree::{NodeId, Tree};
use crate::writer::{Named, Writer};
use rotule_model::draft::Component;
use rotule_model::index::BySpeed;
use rotule_model::joint::Blocked;
use rotule_model::mechanism::{Cut, CutKind};
use rotule_symbolic::{Binary, Expr, Number, Scalar, Vec3, sum};
use std::collections::BTreeMap;

/// The component of a rod.
pub(super) const LENGTH: &str = "length";

/// The name of a component's row.
pub(super) fn row_name(cut: &Cut, label: &str) -> String {
    format!("{} {label}", cut.name)
}

/// Writes the rows of all cuts.
pub(super) fn write(writer: Writer<'_, '_>, all: &mut Constraints) {
    let still = at_constant_speeds(writer.motion);
    let writer = Writer { motion: &still, ..writer };
    for (at, cut) in writer.mechanism.cuts.iter().enumerate() {
        let pair = Pair::of(writer, cut);
        for (label, parts) in pair.rows(writer, cut) {
            all.add(pair.row(row_name(cut, label), ConstraintElement::Cut(at), parts));
        }
    }
}

/// The wrenches on both ends of every cut, each in the axes of its place.
pub(super) fn loads<'g>(writer: Writer<'_, 'g>, solved: &Solved) -> Vec<[Load<'g>; 2]> {
    let still = at_constant_speeds(writer.motion);
    let writer = Writer { motion: &still, ..writer };
    let mut all = Vec::new();
    for (at, cut) in writer.mechanism.cuts.iter().enumerate() {
        let pair = Pair::of(writer, cut);
        let mut terms: [[Vec<Scalar<'g>>; 6]; 2] = Default::default();
        for (label, parts) in pair.rows(writer, cut) {
            let lambda = solved.multiplier(ConstraintElement::Cut(at), row_name(cut, label));
            let lambda = writer.scalar(lambda);
            for (side, terms) in terms.iter_mut().enumerate() {
                let parts = parts.linear[side].0.into_iter().chain(parts.angular[side].0);
                terms.iter_mut().zip(parts).for_each(|(terms, part)| terms.push(lambda * part));
            }
        }
        all.push([0, 1].map(|side| {
            let total = [0, 1, 2, 3, 4, 5].map(|at| sum(terms[side][at].iter().copied()));
            let own = pair.ends[side].R.transpose();
            let force = own * Vec3([total[0], total[1], total[2]]);
            let torque = own * Vec3([total[3], total[4], total[5]]);
            let name = format!("{}.{}", cut.name, side + 1);
            Load { on: cut.ends[side], wrench: Wrench { force, torque }.named(&name) }
        }));
    }
    all
}

/// The motion while no joint accelerates, in which the rate of a constraint is its acceleration.
fn at_constant_speeds(motion: &MotionInput) -> MotionInput {
    MotionInput { qdd: BySpeed::filled(Expr::ZERO, motion.qdd.len()), ..motion.clone() }
}

/// The two ends of a cut as seen from their nearest common ancestor.
struct Pair<'g> {
    ends: [Moving<'g>; 2],
    /// Columns of the Jacobians: velocities per unit of a speed.
    columns: [BTreeMap<usize, Twist<'g>>; 2],
}

/// A row before its columns are known: `h`, how its velocity depends on the velocities of the ends,
/// and the acceleration that is left when those of the ends are those at zero accelerations of the
/// joints.
struct Parts<'g> {
    h: Scalar<'g>,
    /// The velocity is the sum over both ends of `linear.v + angular.w`.
    linear: [Vec3<'g>; 2],
    angular: [Vec3<'g>; 2],
    /// The acceleration beyond `linear.a + angular.wd`.
    rest: Scalar<'g>,
}

impl<'g> Pair<'g> {
    fn of(writer: Writer<'_, 'g>, cut: &Cut) -> Pair<'g> {
        let places = cut.ends.map(|end| writer.locate(end));
        let origin = Place::of_node(origin(writer.tree, cut));
        let mut frames = Frames::new(origin, Level::Acceleration);
        let ends = places.map(|place| frames.place(writer, place));
        let columns = places.map(|place| columns(writer, &mut frames, place));
        Pair { ends, columns }
    }

    /// A finished row.
    fn row(&self, name: String, element: ConstraintElement, parts: Parts<'g>) -> Row {
        let mut entries: BTreeMap<usize, Vec<Scalar<'g>>> = BTreeMap::new();
        let mut rate = vec![parts.rest];
        for side in 0..2 {
            let (linear, angular) = (parts.linear[side], parts.angular[side]);
            for (&column, twist) in &self.columns[side] {
                let terms = [linear.dot(twist.linear), angular.dot(twist.angular)];
                entries.entry(column).or_default().extend(terms);
            }
            rate.push(linear.dot(self.ends[side].a));
            rate.push(angular.dot(self.ends[side].wd));
        }
        let entries = entries.into_iter().map(|(column, terms)| (column, sum(terms).expr()));
        let entries = entries.filter(|(_, value)| *value != Expr::ZERO).collect();
        Row {
            name,
            element,
            residual: Some(parts.h.expr()),
            entries,
            explicit: Expr::ZERO,
            rate: sum(rate).expr(),
        }
    }

    /// The rows that a cut has, each with the name of its component.
    fn rows(&self, writer: Writer<'_, 'g>, cut: &Cut) -> Vec<(&'static str, Parts<'g>)> {
        let (kind, axes, pitch) = match &cut.kind {
            CutKind::Rod { length } => {
                return vec![(LENGTH, self.rod(writer, writer.scalar(*length)))];
            }
            CutKind::Joint { kind, axes, pitch } => (*kind, axes.as_slice(), *pitch),
        };
        let blocked = kind.blocked();
        let mut planes = vec![None; axes.len()];
        for one in &blocked {
            if let Blocked::Across(at) | Blocked::Tilt(at) = *one {
                let numbers = writer.evaluate(&axes[at].0);
                let (u, v) =
                    writer.edit(|graph| crate::normalise::in_plane(axes[at], &numbers, graph));
                planes[at] = Some((writer.vector(u), writer.vector(v)));
            }
        }
        let across = |at: usize| planes[at].expect("these directions are found above");
        let axis = |at: usize| writer.vector(axes[at]);
        let mut rows = Vec::new();
        for one in blocked {
            match one {
                Blocked::Position => rows.extend(match cut.frame {
                    None => self.places(),
                    Some(end) => self.places_in(end),
                }),
                Blocked::Orientation => rows.extend(match cut.frame {
                    None => self.turns(),
                    Some(_) => self.turns_between(),
                }),
                Blocked::Across(at) => {
                    let (u, v) = across(at);
                    rows.push(("across 1", self.along(u, Scalar::ZERO)));
                    rows.push(("across 2", self.along(v, Scalar::ZERO)));
                }
                Blocked::Along(at) => rows.push(("normal", self.along(axis(at), Scalar::ZERO))),
                Blocked::Tilt(at) => {
                    // The axis of the first end stays across two directions of the second.
                    let (u, v) = across(at);
                    rows.push(("tilt 1", self.directions(axis(at), u, Scalar::ZERO)));
                    rows.push(("tilt 2", self.directions(axis(at), v, Scalar::ZERO)));
                }
                Blocked::Angle(first, second) => {
                    let (first, second) = (axis(first), axis(second));
                    let product = first.dot(second);
                    rows.push(("axes", self.directions(first, second, product)));
                }
                Blocked::Screw(at) => {
                    let pitch = writer.scalar(pitch);
                    rows.push(("screw", self.screw(axis(at), across(at).0, pitch)));
                }
            }
        }
        // Only closures without axes have components that can be left out.
        rows.retain(|(label, _)| !ignored(cut, label));
        rows
    }

    /// From the second place to the first: displacement, velocity.
    fn apart(&self) -> (Vec3<'g>, Vec3<'g>) {
        let [first, second] = &self.ends;
        (first.p - second.p, first.v - second.v)
    }

    fn rod(&self, writer: Writer<'_, 'g>, l: Scalar<'g>) -> Parts<'g> {
        let (x, xd) = self.apart();
        let twice = x.dot(x) - l.square();
        Parts {
            h: writer.number(Number::ratio(1, 2)) * twice,
            linear: [x, -x],
            angular: [Vec3::ZERO; 2],
            rest: xd.dot(xd),
        }
    }

    /// The places agree, along each axis.
    fn places(&self) -> Vec<(&'static str, Parts<'g>)> {
        let (x, _) = self.apart();
        let each = ["x", "y", "z"].into_iter().enumerate();
        let row = each.map(|(at, label)| {
            let (linear, angular) = ([Vec3::unit(at), -Vec3::unit(at)], [Vec3::ZERO; 2]);
            (label, Parts { h: x[at], linear, angular, rest: Scalar::ZERO })
        });
        row.collect()
    }

    /// The places agree, along each axis of an end.
    fn places_in(&self, end: usize) -> Vec<(&'static str, Parts<'g>)> {
        let each = ["x", "y", "z"].into_iter().enumerate();
        each.map(|(at, label)| (label, self.along_in(end, Vec3::unit(at), Scalar::ZERO))).collect()
    }

    /// The frames agree: each axis of the first is perpendicular to the next of the second. What is
    /// left free is free at any angle.
    fn turns_between(&self) -> Vec<(&'static str, Parts<'g>)> {
        let each = ["rx", "ry", "rz"].into_iter().enumerate();
        let row = each.map(|(at, label)| {
            let (a, b) = (Vec3::unit((at + 1) % 3), Vec3::unit((at + 2) % 3));
            (label, self.directions(a, b, Scalar::ZERO))
        });
        row.collect()
    }

    /// The frames agree: the first is not rotated against the second about any axis.
    fn turns(&self) -> Vec<(&'static str, Parts<'g>)> {
        let [first, second] = &self.ends;
        let each = ["rx", "ry", "rz"].into_iter().enumerate();
        let row = each.map(|(at, label)| {
            // R1 R2' is E + tilde(angle) for small angles.
            let (row, column) = ((at + 2) % 3, (at + 1) % 3);
            let h = first.R.row(row).dot(second.R.row(column));
            let (linear, angular) = ([Vec3::ZERO; 2], [Vec3::unit(at), -Vec3::unit(at)]);
            (label, Parts { h, linear, angular, rest: Scalar::ZERO })
        });
        row.collect()
    }

    /// A direction of the first end and one of the second have a given scalar product.
    fn directions(&self, a: Vec3<'g>, b: Vec3<'g>, product: Scalar<'g>) -> Parts<'g> {
        let [first, second] = &self.ends;
        let (a, b) = (first.R * a, second.R * b);
        let found = a.dot(b);
        let across = a.cross(b);
        let relative = first.w - second.w;
        let (ad, bd) = (first.w.cross(a), second.w.cross(b));
        let change = ad.cross(b) + a.cross(bd);
        Parts {
            h: found - product,
            linear: [Vec3::ZERO; 2],
            angular: [across, -across],
            rest: relative.dot(change),
        }
    }

    /// The displacement along a direction of the first end is as given.
    fn along(&self, a: Vec3<'g>, length: Scalar<'g>) -> Parts<'g> {
        self.along_in(0, a, length)
    }

    /// The displacement along a direction of an end is as given.
    fn along_in(&self, end: usize, a: Vec3<'g>, length: Scalar<'g>) -> Parts<'g> {
        let w = self.ends[end].w;
        let (x, xd) = self.apart();
        let a = self.ends[end].R * a;
        let found = a.dot(x);
        let moment = a.cross(x);
        let ad = w.cross(a);
        let change = ad.cross(x) + a.cross(xd);
        let rest = [w.dot(change), ad.dot(xd)];
        let mut angular = [Vec3::ZERO; 2];
        angular[end] = moment;
        Parts { h: found - length, linear: [a, -a], angular, rest: sum(rest) }
    }

    /// The second end slides along the axis of the first by the pitch for each radian that it
    /// turns.
    fn screw(&self, axis: Vec3<'g>, u: Vec3<'g>, p: Scalar<'g>) -> Parts<'g> {
        let [first, second] = &self.ends;
        let slide = self.along(axis, Scalar::ZERO);
        let a = first.R * axis;
        let (u1, u2) = (first.R * u, second.R * u);
        let sine = u1.cross(u2).dot(a);
        let cosine = u1.dot(u2);
        // x is the first less the second: both slide and turn count against it.
        let turned = p * sine.binary(Binary::Atan2, cosine);
        let pa = p * a;
        let relative = first.w - second.w;
        let change = relative.dot(first.w.cross(pa));
        let angular = [slide.angular[0] - pa, slide.angular[1] + pa];
        Parts { h: slide.h + turned, linear: slide.linear, angular, rest: slide.rest - change }
    }
}

/// Linear and angular velocity of a place per unit of each speed that moves it.
pub(super) fn columns<'g>(
    writer: Writer<'_, 'g>,
    frames: &mut Frames<'g>,
    place: Place<'g>,
) -> BTreeMap<usize, Twist<'g>> {
    let mut columns: BTreeMap<usize, Twist<'g>> = BTreeMap::new();
    for (row, column, value) in jacobian::outward(writer, frames, place) {
        let zero = Twist { angular: Vec3::ZERO, linear: Vec3::ZERO };
        let twist = columns.entry(column as usize).or_insert(zero);
        match row as usize {
            row @ 0..3 => twist.linear[row] = value,
            row => twist.angular[row - 3] = value,
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
/// Components that are left out are counted along the ground's axes unless an end has the frame.
pub(super) fn origin(tree: &Tree, cut: &Cut) -> NodeId {
    let [one, two] = cut.ends.map(|end| tree.bodies[end.body].0);
    let of_ends = cut.ignore.is_empty() || cut.frame.is_some();
    if of_ends { common(tree, one, two) } else { NodeId::GROUND }
}
