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

use super::put;
use super::wheels::{Hub, tangent};
use crate::constraint::relation::along_time;
use crate::solve::newton;
use crate::writer::{Writer, exprs};
use rotule_model::mechanism::Wheel;
use rotule_program::RegionRole;
use rotule_program::lower::Solve;
use rotule_symbolic::{Binary, Expr, Kind, Scalar, Vec3};

/// Residuals are lengths in metres.
const TOLERANCE: f64 = 1e-12;

/// Updates of the contact. Newton's iteration doubles the digits with each.
const LIMIT: u32 = 25;

/// The distance of the ground below the centre, in radii, beyond which it is taken to be raised.
const NEAR: i64 = 4;

/// The ground at the contact.
pub(super) struct Surface<'g> {
    /// Its normal, upwards, of any length.
    pub normal: Vec3<'g>,
    /// From the contact to the centre. On flat ground only the height is given, which is all that
    /// counts.
    pub above: Vec3<'g>,
    /// The speed at which it rises at a fixed place.
    pub rising: Scalar<'g>,
}

/// Returns `true` if the height of the ground is the same everywhere.
pub(super) fn is_flat(writer: Writer<'_, '_>, wheel: &Wheel) -> bool {
    writer.edit(|graph| {
        let places = ["wheel.x", "wheel.y"].map(|name| graph.lookup(name));
        places.into_iter().flatten().all(|place| {
            graph.symbol_of(place).is_none_or(|symbol| !graph.depends_on(wheel.ground, symbol))
        })
    })
}

/// The ground under a wheel.
pub(super) fn under<'g>(writer: Writer<'_, 'g>, wheel: &Wheel, hub: &Hub<'g>) -> Surface<'g> {
    let slopes = ["wheel.x", "wheel.y"].map(|place| {
        writer.edit(|graph| match graph.lookup(place) {
            Some(place) => graph.derivative(wheel.ground, place),
            None => Expr::ZERO,
        })
    });
    let flat = is_flat(writer, wheel);
    let rising = writer.jacobian(&[writer.scalar(wheel.ground)], &[along_time(writer)])[0][0];
    let rising = rising.expr();
    if flat {
        let height = hub.G[2] - writer.scalar(wheel.ground);
        return Surface {
            normal: Vec3::unit(2),
            above: Vec3::along(2, height),
            rising: writer.scalar(rising),
        };
    }
    let Start { offset: first, raised } = start(writer, wheel, hub);
    let unknown = |axis: &str| format!("contact[{}].{axis}", wheel.name);
    let offset = ["x", "y"].map(|axis| writer.sheet.graph.symbol(&unknown(axis), Kind::Coordinate));
    let place = [0, 1].map(|i| hub.G[i] + offset[i]);
    let known = [("wheel.x", place[0]), ("wheel.y", place[1])];
    let there = put(writer, &[wheel.ground, slopes[0], slopes[1], rising], &known);
    let [ground, slope_x, slope_y, rising] = there[..] else { unreachable!("four go in") };
    let normal = Vec3([-slope_x, -slope_y, Scalar::ONE]);
    let above = Vec3([-offset[0], -offset[1], hub.G[2] - ground]);
    let along = normal.cross(hub.a);
    let mut near = above;
    near[2] = above[2] - raised;
    let residuals = [hub.a.dot(near), along.dot(near)];
    let directions = offset.map(|offset| writer.along(offset.expr()));
    let next = newton(&writer.jacobian(&residuals, &directions), &residuals, &offset);
    writer.sheet.solves.borrow_mut().push(Solve {
        name: format!("contact of {}", wheel.name),
        role: RegionRole::Contact,
        unknowns: exprs(&offset),
        start: exprs(&first),
        next: exprs(&next),
        residuals: exprs(&residuals),
        tolerance: TOLERANCE,
        limit: LIMIT,
    });
    Surface { normal, above, rising }
}

/// Where to look for the contact.
struct Start<'g> {
    /// The contact on flat ground of the height under the centre, from the centre.
    offset: [Scalar<'g>; 2],
    /// The distance by which the ground is taken to be raised.
    raised: Scalar<'g>,
}

fn start<'g>(writer: Writer<'_, 'g>, wheel: &Wheel, hub: &Hub<'g>) -> Start<'g> {
    let known = [("wheel.x", hub.G[0]), ("wheel.y", hub.G[1])];
    let ground = put(writer, &[wheel.ground], &known)[0];
    let flat = tangent(writer, hub, Vec3::unit(2));
    let height = hub.G[2] - ground;
    let near = writer.number(NEAR) * writer.scalar(wheel.radius);
    let raised = (height - near).binary(Binary::Max, Scalar::ZERO);
    let radius = (height / flat.cosine).binary(Binary::Min, writer.scalar(wheel.radius));
    Start { offset: [0, 1].map(|i| -(radius * flat.up[i])), raised }
}
