//! The ground under a wheel: its normal at the contact, and the centre's place above it.
//!
//! Where the height does not depend on the place, the normal is vertical and there is nothing to
//! solve. On other ground, of class C1, the contact is a point `P = (x, y, mu(x, y, t))` of the
//! disc's plane at which the disc touches (Postiau, 1.60 to 1.65). Angle and radius follow from the
//! place, so two of the four unknowns remain:
//!
//! ```text
//! d = G - P        a . d = 0          P is in the plane of the disc
//! N = (-mu_x, -mu_y, 1)               (N x a) . d = 0     the disc's tangent at P is in the ground
//! ```
//!
//! The unknowns are offsets from the centre, so that far from the origin nothing is lost. Newton's
//! step divides by the determinant of a 2x2 matrix. On a plane that is the square of the part of
//! the axle that lies in the plane, times |N|: positive unless the wheel lies flat. Curved ground
//! adds terms of the size of curvature times distance, and as long as the wheel has one contact
//! these are less than one. High above the ground they would not be, and several solutions would
//! appear: there the ground is thought raised, to [`NEAR`] radii below the centre. A wheel touches
//! ground that is further below only where it is steeper than 75 degrees.

use super::line_forces::put;
use super::wheels::{Hub, tangent};
use crate::solve;
use crate::tree::Tree;
use rotule_model::mechanism::Wheel;
use rotule_program::lower::Solve;
use rotule_symbolic::{Binary, Expr, Kind, Vector};

/// Residuals are lengths in metres.
const TOLERANCE: f64 = 1e-12;

/// Updates of the contact. Newton's iteration doubles the digits with each.
const LIMIT: u32 = 25;

/// The distance of the ground below the centre, in radii, beyond which it is taken to be raised.
const NEAR: i64 = 4;

/// The ground at the contact.
pub(super) struct Surface {
    /// Its normal, upwards, of any length.
    pub normal: Vector,
    /// From the contact to the centre. On flat ground only the height is given, which is all that
    /// counts.
    pub above: Vector,
    /// The speed at which it rises at a fixed place.
    pub rising: Expr,
}

/// Returns `true` if the height of the ground is the same everywhere.
pub(super) fn is_flat(tree: &mut Tree, wheel: &Wheel) -> bool {
    let graph = &mut tree.mechanism.graph;
    let places = ["wheel.x", "wheel.y"].map(|name| graph.lookup(name));
    places.into_iter().flatten().all(|place| {
        graph.symbol_of(place).is_none_or(|symbol| !graph.depends_on(wheel.ground, symbol))
    })
}

/// The ground under a wheel.
pub(super) fn under(tree: &mut Tree, wheel: &Wheel, hub: &Hub) -> Surface {
    let graph = &mut tree.mechanism.graph;
    let places = [graph.lookup("wheel.x"), graph.lookup("wheel.y")];
    let mut slopes = [Expr::ZERO; 2];
    for (slope, place) in slopes.iter_mut().zip(places) {
        if let Some(place) = place {
            *slope = graph.derivative(wheel.ground, place);
        }
    }
    let flat = is_flat(tree, wheel);
    let graph = &mut tree.mechanism.graph;
    let time = tree.mechanism.time;
    let rising = graph.derivative(wheel.ground, time);
    if flat {
        let height = graph.sub(hub.centre[2], wheel.ground);
        return Surface {
            normal: Vector::unit(2),
            above: Vector([Expr::ZERO, Expr::ZERO, height]),
            rising,
        };
    }
    let Start { offset: first, raised } = start(tree, wheel, hub);
    let graph = &mut tree.mechanism.graph;
    let offset = ["x", "y"]
        .map(|axis| graph.symbol(&format!("contact[{}].{axis}", wheel.name), Kind::Coordinate));
    let place = [0, 1].map(|i| graph.add(hub.centre[i], offset[i]));
    let known = [("wheel.x", place[0]), ("wheel.y", place[1])];
    let there = put(tree, &[wheel.ground, slopes[0], slopes[1], rising], &known);
    let [ground, slope_x, slope_y, rising] = there[..] else { unreachable!("four go in") };
    let graph = &mut tree.mechanism.graph;
    let normal = Vector([-slope_x, -slope_y, Expr::ONE]);
    let above = Vector([-offset[0], -offset[1], graph.sub(hub.centre[2], ground)]);
    let along = normal.cross(hub.axis, graph);
    let mut near = above;
    near[2] = graph.sub(above[2], raised);
    let residuals = vec![hub.axis.dot(near, graph), along.dot(near, graph)];
    let next = solve::newton(graph, &residuals, &offset);
    tree.solves.push(Solve {
        name: format!("contact of {}", wheel.name),
        unknowns: offset.to_vec(),
        start: first.to_vec(),
        next,
        residuals,
        tolerance: TOLERANCE,
        limit: LIMIT,
    });
    Surface { normal, above, rising }
}

/// Where to look for the contact.
struct Start {
    /// The contact on flat ground of the height under the centre, from the centre.
    offset: [Expr; 2],
    /// The distance by which the ground is taken to be raised.
    raised: Expr,
}

fn start(tree: &mut Tree, wheel: &Wheel, hub: &Hub) -> Start {
    let known = [("wheel.x", hub.centre[0]), ("wheel.y", hub.centre[1])];
    let ground = put(tree, &[wheel.ground], &known)[0];
    let graph = &mut tree.mechanism.graph;
    let flat = tangent(hub, Vector::unit(2), graph);
    let height = graph.sub(hub.centre[2], ground);
    let near = graph.number(NEAR);
    let near = graph.mul(near, wheel.radius);
    let above = graph.sub(height, near);
    let raised = graph.binary(Binary::Max, above, Expr::ZERO);
    let radius = graph.div(height, flat.cosine);
    let radius = graph.binary(Binary::Min, radius, wheel.radius);
    Start { offset: [0, 1].map(|i| -graph.mul(radius, flat.up[i])), raised }
}
