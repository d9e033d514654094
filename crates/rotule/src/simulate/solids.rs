//! The shapes of bodies as triangles that are few enough to be drawn, and the length of the pins of
//! joints through them.

use rotule_mesh::{Affine, Mesh, decimate_together, solids};
use rotule_model::mechanism::{BodyForm, BodyId, Mechanism, PlacedShape, Placement};
use rotule_model::pose::{self, Components};
use rotule_model::solid::SolidType;
use rotule_report::Shape;

/// A line through bodies: the body, a point of it and its direction there.
pub(super) type Line = (BodyId, Components, Components);

/// The most triangles of the meshes of a model; more are decimated.
pub(crate) const TRIANGLES: usize = 20_000;
/// Sides of round shapes.
const SIDES: u32 = 40;

/// The meshes of a model by bodies and shapes, small enough to be drawn.
struct Meshes(Vec<(BodyId, usize, Mesh)>);

impl Meshes {
    fn of(mechanism: &Mechanism, most: usize) -> Meshes {
        let bodies = (0..mechanism.bodies.len()).map(BodyId::new);
        let shapes = bodies.flat_map(|id| {
            let shapes = mechanism.bodies[id.index()].shapes.iter().enumerate();
            shapes.map(move |(at, shape)| (id, at, shape))
        });
        let meshes = shapes.filter_map(|(id, at, shape)| match &shape.form {
            BodyForm::Triangles(mesh) => Some(((id, at), mesh.as_ref())),
            _ => None,
        });
        let (places, meshes): (Vec<_>, Vec<&Mesh>) = meshes.unzip();
        let drawn = decimate_together(&meshes, most);
        Meshes(places.into_iter().zip(drawn).map(|((id, at), mesh)| (id, at, mesh)).collect())
    }

    fn get(&self, id: BodyId, at: usize) -> Option<Mesh> {
        let found = self.0.iter().find(|(body, shape, _)| (*body, *shape) == (id, at));
        found.map(|(.., mesh)| mesh.clone())
    }
}

/// The shapes of all bodies as triangles, in their frames.
pub(super) struct Solids {
    bodies: Vec<Vec<Shape>>,
    /// `true` for bodies of which a part comes from a file or a hull: where a joint would be
    /// visible there is not known.
    foreign: Vec<bool>,
    /// `true` if any body has shapes.
    pub any: bool,
}

impl Solids {
    /// Shapes whose meshes have so many triangles at most.
    pub fn of(mechanism: &Mechanism, most: usize) -> Solids {
        let meshes = Meshes::of(mechanism, most);
        let ids = (0..mechanism.bodies.len()).map(BodyId::new);
        let bodies: Vec<Vec<Shape>> = ids.map(|id| triangles(mechanism, &meshes, id)).collect();
        let is_foreign = |shape: &PlacedShape| !matches!(shape.form, BodyForm::Solid(..));
        let foreign =
            mechanism.bodies.iter().map(|body| body.shapes.iter().any(is_foreign)).collect();
        let any = mechanism.bodies.iter().skip(1).any(|body| !body.shapes.is_empty());
        Solids { bodies, foreign, any }
    }

    /// The solids of a body.
    pub fn of_body(&self, id: BodyId) -> &[Shape] {
        &self.bodies[id.index()]
    }

    /// Half the length of a pin that is visible on both sides of all solids on these lines, which
    /// are one in space; zero without solids, or where some are not known well enough.
    pub fn reach(&self, lines: &[Line]) -> f64 {
        if lines.iter().any(|(body, ..)| self.foreign[body.index()]) {
            return 0.0;
        }
        let reach = lines.iter().map(|(body, point, axis)| {
            self.of_body(*body)
                .iter()
                .fold(0.0, |most, shape| through(shape, *point, *axis).max(most))
        });
        1.12 * reach.fold(0.0, f64::max)
    }
}

/// The distance from a point at which a line leaves a shape; zero where it misses the shape, or
/// where the point is not in it. A line along a side counts as inside.
fn through(shape: &Shape, point: Components, axis: Components) -> f64 {
    let Shape::Triangles { vertices, triangles, .. } = shape else { return 0.0 };
    let size = pose::norm(axis);
    if size == 0.0 {
        return 0.0;
    }
    let axis = pose::scale(axis, 1.0 / size);
    let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
    for triangle in triangles {
        let corner = |k: usize| vertices[triangle[k] as usize].map(f64::from);
        let (a, e, f) =
            (corner(0), pose::sub(corner(1), corner(0)), pose::sub(corner(2), corner(0)));
        let h = pose::cross(axis, f);
        let determinant = pose::dot(e, h);
        if determinant == 0.0 {
            continue;
        }
        let s = pose::sub(point, a);
        let (u, q) = (pose::dot(s, h) / determinant, pose::cross(s, e));
        let v = pose::dot(axis, q) / determinant;
        let margin = 1e-3;
        if u >= -margin && v >= -margin && u + v <= 1.0 + margin {
            let at = pose::dot(f, q) / determinant;
            (least, most) = (least.min(at), most.max(at));
        }
    }
    // A shape beside the joint, such as a cover, has no pin.
    let slack = 0.05 * (most - least);
    if least <= slack && most >= -slack { most.max(-least) } else { 0.0 }
}

/// The shapes of a body as triangles in its frame.
fn triangles(mechanism: &Mechanism, meshes: &Meshes, id: BodyId) -> Vec<Shape> {
    let drawn = |(at, shape): (usize, &PlacedShape)| {
        let mesh = match &shape.form {
            BodyForm::Solid(kind, sizes) => solid(*kind, &mechanism.evaluate(sizes))?,
            BodyForm::Triangles(_) => meshes.get(id, at)?,
            BodyForm::Missing(_) => return None,
        };
        let Placement { position, rotation } = shape.placement;
        let rows = pose::vectors(mechanism, &[rotation.row(0), rotation.row(1), rotation.row(2)]);
        let offset = pose::vectors(mechanism, &[position])[0];
        let placed = mesh.placed(&Affine { matrix: [rows[0], rows[1], rows[2]], offset });
        let vertices = placed.vertices.iter().map(|vertex| vertex.map(|x| x as f32)).collect();
        Some(Shape::Triangles { vertices, triangles: placed.triangles, colour: shape.colour })
    };
    mechanism.bodies[id.index()].shapes.iter().enumerate().filter_map(drawn).collect()
}

/// Balls where meshes are missing.
pub(super) fn placeholders(mechanism: &Mechanism, id: BodyId) -> Vec<Shape> {
    let missing = mechanism.bodies[id.index()].shapes.iter();
    let missing = missing.filter(|shape| matches!(shape.form, BodyForm::Missing(_)));
    let places: Vec<_> = missing.map(|shape| shape.placement.position).collect();
    let centres = pose::vectors(mechanism, &places).into_iter();
    centres.map(|centre| Shape::Ball { centre, radius: 0.0 }).collect()
}

/// The triangles of a solid of these sizes.
fn solid(kind: SolidType, sizes: &[f64]) -> Option<Mesh> {
    Some(match (kind, sizes) {
        (SolidType::Box, &[a, b, c]) => solids::cuboid([a, b, c]),
        (SolidType::Sphere, &[r]) => solids::sphere(r, SIDES),
        (SolidType::Ellipsoid, &[a, b, c]) => {
            solids::sphere(1.0, SIDES).placed(&Affine::scale([a, b, c]))
        }
        (SolidType::Cylinder, &[r, l]) => solids::cylinder(r, l, SIDES),
        (SolidType::Capsule, &[r, l]) => solids::capsule(r, l, SIDES),
        (SolidType::Cone, &[r, l]) => solids::cone(r, l, SIDES),
        (SolidType::Tube, &[r, s, l]) => solids::tube(r, s, l, SIDES),
        _ => return None,
    })
}
