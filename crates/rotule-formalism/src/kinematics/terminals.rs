//! Kinematics of all terminal frames at once: the ends of the tree, whose paths share what they
//! have in common (Moore 2000, section 2.3.2).
//!
//! A terminal frame is a point of a body that carries no other, or the frame of such a body that
//! has no points.

#![allow(non_snake_case)] // symbols as in the formulas

use super::jacobian;
use super::outward::{Frames, Level};
use crate::function::Call;
use crate::joint_motion::Place;
use crate::problem::Problem;
use crate::writer::Writer;
use rotule_model::mechanism::{Body, BodyId, Frame, Mechanism, Placement, Point};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Scalar};

/// An end of the tree.
pub(crate) struct Terminal {
    /// The name of the body or point.
    pub name: String,
    frame: Frame,
}

/// The terminal frames, in the order of bodies, then of their points.
pub(crate) fn terminals(mechanism: &Mechanism) -> Vec<Terminal> {
    let mut carries = vec![false; mechanism.bodies.len()];
    let parent = |body: &Body| body.parent.map(BodyId::index);
    mechanism.bodies.iter().filter_map(parent).for_each(|parent| carries[parent] = true);
    let mut found = Vec::new();
    for (at, body) in mechanism.bodies.iter().enumerate().skip(1).filter(|one| !carries[one.0]) {
        let points = mechanism.points.iter().filter(|point| point.frame.body.index() == at);
        let point = |point: &Point| Terminal { name: point.name.clone(), frame: point.frame };
        let before = found.len();
        found.extend(points.map(point));
        if found.len() == before {
            let frame = Frame { body: BodyId::new(at), placement: Placement::IDENTITY };
            found.push(Terminal { name: body.name.clone(), frame });
        }
    }
    found
}

/// `terminals`
pub fn function(writer: Writer<'_, '_>, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let places: Vec<Place<'_>> =
        terminals(writer.mechanism).iter().map(|one| writer.locate(one.frame)).collect();
    let (count, speeds) = (places.len(), writer.speeds());
    let mut frames = Frames::new(writer.body(BodyId::GROUND), Level::Velocity);
    let mut rows: [Vec<Expr>; 4] = Default::default();
    let mut matrices: [Vec<(u32, u32, Expr)>; 2] = Default::default();
    for (at, &place) in places.iter().enumerate() {
        let own = frames.place(writer, place);
        rows[0].extend(own.p.plain().0);
        rows[1].extend(own.R.plain().0.concat());
        rows[2].extend(own.v.plain().0);
        rows[3].extend(own.w.plain().0);
        let J = jacobian::outward(writer, &mut frames, place);
        let Jd = jacobian::rate(writer, &mut frames, place);
        for (matrix, own) in matrices.iter_mut().zip([J, Jd]) {
            let below = |(row, column, value): (u32, u32, Scalar<'_>)| {
                (6 * at as u32 + row, column, value.expr())
            };
            matrix.extend(own.into_iter().map(below));
        }
    }
    let [positions, rotations, velocities, angular_velocities] = rows;
    let lists = [
        ("positions", 1, positions),
        ("rotations", 3, rotations),
        ("velocities", 1, velocities),
        ("angular_velocities", 1, angular_velocities),
    ];
    let dense = |(name, rows, values): (&str, usize, Vec<Expr>)| {
        Target::matrix(name, (rows * count) as u32, 3, &values)
    };
    let sparse = |(name, entries): (&str, Vec<(u32, u32, Expr)>)| Target {
        name: name.to_owned(),
        rows: 6 * count as u32,
        columns: speeds as u32,
        symmetric: false,
        entries,
    };
    let matrices = ["jacobians", "jacobian_rates"].into_iter().zip(matrices);
    Ok(lists.into_iter().map(dense).chain(matrices.map(sparse)).collect())
}
