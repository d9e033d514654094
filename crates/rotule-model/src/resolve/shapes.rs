//! Shapes of bodies: where they are, and the mass, centre and inertia that follow from them.

use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{self, Form, InertiaOf, Rotation, Triple};
use crate::mechanism::{Body, BodyForm, PlacedShape, Placement};
use crate::number_check::Want;
use crate::resolve::{Resolver, counted, short};
use crate::solid::SolidMoments;
use crate::source::Span;
use crate::units::Dimension;
use rotule_mesh::{Affine, Mesh, hull, mass_properties, surface};
use rotule_symbolic::{Expr, Matrix, Vector};
use std::fmt;
use std::sync::Arc;

/// A shape's volume, and its centre and inertia for a mass of one, in the body's frame.
struct Weighed {
    volume: Expr,
    centre: Vector,
    inertia: Matrix,
    density: Option<Expr>,
}

/// The dimension of a density.
const DENSITY: Dimension = Dimension::DENSITY;

impl Resolver<'_> {
    /// Resolves the shapes of a body, and gives it what follows from them.
    pub(super) fn shapes(&mut self, written: &draft::Body, body: &mut Body) {
        let from_shapes = match &written.inertia_of {
            Some(InertiaOf::Shapes(span)) => Some(*span),
            _ => None,
        };
        let densities = written.shapes.iter().filter_map(|shape| shape.density.as_ref());
        let density = densities.map(|density| density.span).next();
        let weighs = from_shapes.is_some() || density.is_some();
        let mut weighed = Vec::new();
        for (at, shape) in written.shapes.iter().enumerate() {
            let what = format!("shape {} of body `{}`", at + 1, written.name.value);
            let (resolved, weight) = self.shape(shape, &what, weighs);
            if let Some(weight) =
                weight.filter(|_| from_shapes.is_some() || shape.density.is_some())
            {
                weighed.push(weight);
            }
            body.shapes.extend(resolved);
        }
        let name = &written.name.value;
        if let Some(InertiaOf::Solid { kind, mass, sizes, axis, rotation }) = &written.inertia_of {
            self.solid_inertia(written, body, kind.value, mass, sizes, axis, rotation);
        }
        let given = [
            ("mass", written.mass.is_some()),
            ("com", written.com.is_some()),
            (
                "inertia",
                written.inertia.is_some()
                    || (written.inertia_of.is_some() && from_shapes.is_none()),
            ),
        ];
        match (from_shapes, density) {
            (None, Some(span)) => {
                if let Some((key, _)) = given.iter().find(|(_, given)| *given) {
                    let message =
                        format!("body `{name}` has both `{key}` and shapes with a `density`");
                    let help = "leave out the densities, or write `inertia = \"from shapes\"` to \
                                spread a given mass over the shapes";
                    self.out.push(
                        Diagnostic::error(DiagnosticCode::Ambiguous, span, message).help(help),
                    );
                    return;
                }
                self.weigh(written, body, &weighed, span);
            }
            (Some(span), _) => {
                if let Some(com) = &written.com {
                    let message =
                        format!("body `{name}` has a `com`, and its inertia is that of its shapes");
                    let help = "leave `com` out: it is that of the shapes, too";
                    self.out.push(
                        Diagnostic::error(DiagnosticCode::Ambiguous, com[0].span, message)
                            .help(help),
                    );
                } else if written.shapes.is_empty() {
                    let message = format!("body `{name}` has no shapes to take its inertia from");
                    let help =
                        "write `shape = { box = [0.1, 0.2, 0.3], density = 1000 }`, for example";
                    self.out
                        .push(Diagnostic::error(DiagnosticCode::Missing, span, message).help(help));
                } else {
                    self.weigh(written, body, &weighed, span);
                }
            }
            (None, None) => {}
        }
    }

    /// Resolves the shapes of the ground, which weigh nothing.
    pub(super) fn ground_shapes(&mut self, ground: &mut Body) {
        let draft = self.draft;
        for (at, shape) in draft.ground_shapes.iter().enumerate() {
            let (resolved, _) =
                self.shape(shape, &format!("shape {} of the ground", at + 1), false);
            ground.shapes.extend(resolved);
        }
    }

    /// Mass, centre and inertia of solids together.
    fn weigh(&mut self, written: &draft::Body, body: &mut Body, solids: &[Weighed], span: Span) {
        let name = &written.name.value;
        if solids.is_empty() {
            return;
        }
        let missing = solids.iter().any(|solid| solid.density.is_none());
        let all_missing = solids.iter().all(|solid| solid.density.is_none());
        if missing && !(all_missing && written.mass.is_some()) {
            let message = format!("a shape of body `{name}` has no `density`");
            let help = "give each shape one, or none and the body a `mass`";
            self.out.push(Diagnostic::error(DiagnosticCode::Missing, span, message).help(help));
            return;
        }
        let graph = &mut self.graph;
        let parts: Vec<Expr> = solids
            .iter()
            .map(|solid| graph.mul(solid.volume, solid.density.unwrap_or(Expr::ONE)))
            .collect();
        let total = graph.sum(&parts);
        let terms: Vec<Vector> = solids
            .iter()
            .zip(&parts)
            .map(|(solid, part)| solid.centre.scale(*part, graph))
            .collect();
        let com = match solids {
            [one] => one.centre,
            _ => {
                let share = graph.div(Expr::ONE, total);
                Vector::sum(&terms, graph).scale(share, graph)
            }
        };
        let mut inertia = Matrix::ZERO;
        for (solid, part) in solids.iter().zip(&parts) {
            let own = solid.inertia.scale(*part, graph);
            inertia = inertia.add(own, graph);
            if solids.len() > 1 {
                // The parallel-axis theorem.
                let arm = solid.centre.sub(com, graph);
                let square = arm.dot(arm, graph);
                let across = arm.outer(arm, graph);
                let steiner = Matrix::IDENTITY.scale(square, graph).sub(across, graph);
                inertia = inertia.add(steiner.scale(*part, graph), graph);
            }
        }
        if written.mass.is_some() {
            let factor = graph.div(body.mass, total);
            inertia = inertia.scale(factor, graph);
        } else {
            body.mass = total;
        }
        body.com = com;
        body.inertia = inertia;
        body.from_shapes = true;
        let [xx, yy, zz] = [0, 1, 2].map(|i| inertia.0[i][i]);
        let entries = [xx, yy, zz, inertia.0[0][1], inertia.0[0][2], inertia.0[1][2]];
        self.check(
            &[total],
            span,
            format_args!("the mass of the shapes of body `{name}`"),
            Want::Positive,
        );
        self.check(&entries, span, format_args!("the inertia of body `{name}`"), Want::Inertia);
    }

    /// The inertia of one solid around the centre of mass, in one word.
    #[expect(clippy::too_many_arguments, reason = "the fields of one variant")]
    fn solid_inertia(
        &mut self,
        written: &draft::Body,
        body: &mut Body,
        kind: crate::solid::SolidType,
        mass: &draft::DraftValue,
        sizes: &[draft::DraftValue],
        axis: &Option<draft::Axis>,
        rotation: &Option<Rotation>,
    ) {
        let what = format!("the inertia of body `{}`", written.name.value);
        let what = format_args!("{what}");
        let weight = self.scalar(mass, what, Some(Dimension::MASS));
        self.check(&[weight], mass.span, what, Want::Mass);
        if written.mass.is_none() {
            body.mass = weight;
        }
        let sizes: Vec<Expr> = sizes.iter().map(|size| self.size(size, what)).collect();
        let turn = self.turn(axis.as_ref(), rotation.as_ref(), what, mass.span);
        let graph = &mut self.graph;
        let [x, y, z] = kind.moments(&sizes, graph).moments.map(|one| graph.mul(weight, one));
        let own = Matrix::symmetric(x, y, z, Expr::ZERO, Expr::ZERO, Expr::ZERO);
        body.inertia = rotated(own, turn, graph);
    }

    /// A size of a solid, which must be positive.
    fn size(&mut self, size: &draft::DraftValue, what: fmt::Arguments<'_>) -> Expr {
        let errors = self.out.errors();
        let expr = self.scalar(size, what, Some(Dimension::LENGTH));
        if self.out.errors() > errors {
            return Expr::ONE;
        }
        self.check(&[expr], size.span, format_args!("a size in {what}"), Want::Positive);
        expr
    }

    /// The rotation of a shape: an axis of the body for its z, or any rotation.
    fn turn(
        &mut self,
        axis: Option<&draft::Axis>,
        rotation: Option<&Rotation>,
        what: fmt::Arguments<'_>,
        span: Span,
    ) -> Matrix {
        match (axis, rotation) {
            (None, None) => Matrix::IDENTITY,
            (None, Some(rotation)) => self.rotation(rotation, what),
            (Some(_), Some(_)) => {
                let message = format!("{what} has both `axis` and `rotation`");
                let help = "`axis` alone turns its z axis there";
                self.out
                    .push(Diagnostic::error(DiagnosticCode::Ambiguous, span, message).help(help));
                Matrix::IDENTITY
            }
            (Some(axis), None) => {
                let errors = self.out.errors();
                let z = self.axis(axis, what);
                let units = [0, 1, 2].map(Vector::unit);
                let Some(along) = (0..3).find(|&i| z == units[i] || z == -units[i]) else {
                    if self.out.errors() == errors {
                        let message = format!("the `axis` of {what} is none of the body's axes");
                        let help = "write one of \"x\", \"y\", \"z\", \"-x\", \"-y\", \"-z\", or a \
                                    `rotation`";
                        self.out.push(
                            Diagnostic::error(DiagnosticCode::Axis, axis.span, message).help(help),
                        );
                    }
                    return Matrix::IDENTITY;
                };
                // The columns are the shape's axes; x is the next of the body's axes.
                let x = units[(along + 1) % 3];
                let y = z.cross(x, &mut self.graph);
                Matrix([0, 1, 2].map(|row| [x.0[row], y.0[row], z.0[row]]))
            }
        }
    }

    /// A shape in the mechanism, and its weight if `weighs`.
    fn shape(
        &mut self,
        shape: &draft::BodyShape,
        what: &str,
        weighs: bool,
    ) -> (Option<PlacedShape>, Option<Weighed>) {
        let called = format_args!("{what}");
        let density = shape.density.as_ref().map(|density| {
            let expr = self.scalar(density, called, Some(DENSITY));
            self.check(&[expr], density.span, format_args!("the density of {what}"), Want::Mass);
            expr
        });
        let placement = Placement {
            position: shape
                .at
                .as_ref()
                .map_or(Vector::ZERO, |at| self.triple(at, called, Some(Dimension::LENGTH))),
            rotation: self.turn(shape.axis.as_ref(), shape.rotation.as_ref(), called, shape.span),
        };
        let colour = shape.colour.as_ref().and_then(|colour| self.colour(colour, what));
        let (form, weighed) = match &shape.form {
            Form::Solid { kind, sizes } => {
                if !kind.value.has_volume() {
                    let message =
                        format!("{what} is a `{}`, which has no volume", kind.value.word());
                    let help = "write a `cylinder`; `rod` is for `inertia = { rod = [m, l] }`";
                    self.out.push(
                        Diagnostic::error(DiagnosticCode::Type, kind.span, message).help(help),
                    );
                    return (None, None);
                }
                let sizes: Vec<Expr> = sizes.iter().map(|size| self.size(size, called)).collect();
                let moments = weighs.then(|| kind.value.moments(&sizes, &mut self.graph));
                let weighed = moments.map(|SolidMoments { volume, height, moments }| {
                    let [x, y, z] = moments;
                    let own = Matrix::symmetric(x, y, z, Expr::ZERO, Expr::ZERO, Expr::ZERO);
                    (volume, Vector([Expr::ZERO, Expr::ZERO, height]), own)
                });
                (BodyForm::Solid(kind.value, sizes), weighed)
            }
            Form::Hull(points) => {
                let points = points.iter().map(|point| self.constants(point, what)).collect();
                let Some(points) = points else { return (None, None) };
                let points: Vec<[f64; 3]> = points;
                match hull(&points) {
                    Ok(mesh) => self.triangles(mesh, shape.span, what, weighs),
                    Err(why) => {
                        let message = format!("{what} has no hull: {why}");
                        let help = "give four points and more that are not on one plane";
                        self.out.push(
                            Diagnostic::error(DiagnosticCode::Number, shape.span, message)
                                .help(help),
                        );
                        return (None, None);
                    }
                }
            }
            Form::Mesh { file, scale } => {
                let factors = match scale {
                    Some(scale) => self.constants(scale, what),
                    None => Some([1.0; 3]),
                };
                let Some(factors) = factors else { return (None, None) };
                if factors.contains(&0.0) {
                    let message = format!("{what} has a scale of zero");
                    self.error(DiagnosticCode::Number, file.span, message);
                    return (None, None);
                }
                match self.meshes.iter().find(|(name, _)| *name == file.value) {
                    Some((_, Ok(mesh))) => {
                        let mesh = match factors == [1.0; 3] {
                            true => mesh.mesh.clone(),
                            false => mesh.mesh.placed(&Affine::scale(factors)),
                        };
                        self.triangles(mesh, file.span, what, weighs)
                    }
                    found => {
                        let why = found.and_then(|(_, mesh)| mesh.as_ref().err().cloned());
                        self.missing_mesh(file, why, what, weighs);
                        (BodyForm::Missing(file.value.clone()), None)
                    }
                }
            }
        };
        let graph = &mut self.graph;
        let weighed = weighed.map(|(volume, centre, own)| Weighed {
            volume,
            centre: placement.position.add(placement.rotation.apply(centre, graph), graph),
            inertia: rotated(own, placement.rotation, graph),
            density,
        });
        (Some(PlacedShape { form, placement, colour }), weighed)
    }

    /// Triangles and, if they are weighed, their volume, centre and inertia for a mass of one.
    fn triangles(
        &mut self,
        mesh: Mesh,
        span: Span,
        what: &str,
        weighs: bool,
    ) -> (BodyForm, Option<(Expr, Vector, Matrix)>) {
        let weighed = weighs.then(|| {
            if let Some(why) = surface(&mesh).warning() {
                let message = format!("the mass of {what} is not certain: {why}");
                self.out.push(Diagnostic::warning(DiagnosticCode::Inertia, span, message));
            }
            let mut found = mass_properties(&mesh);
            if found.volume < 0.0 {
                found = found.reversed();
            }
            let mut number = |x: f64| self.graph.number(x);
            let volume = number(found.volume);
            let centre = Vector(found.centre.map(&mut number));
            let own = found.inertia.map(|row| row.map(|x| number(x / found.volume)));
            (volume, centre, Matrix(own))
        });
        (BodyForm::Triangles(Arc::new(mesh)), weighed)
    }

    /// Notes a mesh that is drawn as a mark; it is an error where a mass was to come from it.
    fn missing_mesh(&mut self, file: &draft::Text, why: Option<String>, what: &str, weighs: bool) {
        let why = why.unwrap_or_else(|| format!("the mesh `{}` is not given", short(&file.value)));
        if weighs {
            let message = format!("{what} has no mass: {why}");
            let help = "give the file, or write mass, com and inertia";
            self.out
                .push(Diagnostic::error(DiagnosticCode::Missing, file.span, message).help(help));
        } else {
            self.missing_meshes.push((file.span, why));
        }
    }

    /// One note for all meshes that are missing.
    pub(super) fn note_missing_meshes(&mut self) {
        let missing = std::mem::take(&mut self.missing_meshes);
        let Some((span, why)) = missing.first() else { return };
        let meshes = counted(missing.len(), "mesh").replace("meshs", "meshes");
        let is = if missing.len() == 1 { "is drawn as a mark" } else { "are drawn as marks" };
        let first = if missing.len() == 1 { "" } else { "; the first: " };
        let first = if first.is_empty() { format!(": {why}") } else { format!("{first}{why}") };
        let message = format!("{meshes} {is}{first}");
        self.out.push(Diagnostic::note(DiagnosticCode::Missing, *span, message));
    }

    /// Three numbers that depend on no parameter: triangles do not change with parameters.
    fn constants(&mut self, triple: &Triple, what: &str) -> Option<[f64; 3]> {
        let errors = self.out.errors();
        let exprs = self.triple(triple, format_args!("{what}"), None).0;
        let numbers =
            exprs.map(|expr| self.graph.number_of(expr).map(rotule_symbolic::Number::to_f64));
        if self.out.errors() > errors {
            return None;
        }
        match numbers {
            [Some(x), Some(y), Some(z)] => Some([x, y, z]),
            _ => {
                let message = format!("{what} depends on a parameter, and its triangles cannot");
                let help = "write numbers, or use a solid such as `box`";
                self.out.push(
                    Diagnostic::error(DiagnosticCode::Expression, triple[0].span, message)
                        .help(help),
                );
                None
            }
        }
    }

    /// A colour `#rrggbb`.
    fn colour(&mut self, colour: &draft::Text, what: &str) -> Option<[u8; 3]> {
        let digits = colour.value.strip_prefix('#').filter(|digits| {
            digits.len() == 6 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        let part = |at: usize| u8::from_str_radix(digits?.get(at..at + 2)?, 16).ok();
        if let (Some(r), Some(g), Some(b)) = (part(0), part(2), part(4)) {
            return Some([r, g, b]);
        }
        let message = format!("the colour `{}` of {what} is not known", short(&colour.value));
        let help = "write six hexadecimal digits: red, green and blue, such as \"#8899aa\"";
        self.out.push(Diagnostic::error(DiagnosticCode::Type, colour.span, message).help(help));
        None
    }
}

/// A symmetric matrix in other axes.
fn rotated(matrix: Matrix, rotation: Matrix, graph: &mut rotule_symbolic::Graph) -> Matrix {
    if rotation == Matrix::IDENTITY { matrix } else { rotation.congruent(matrix, graph) }
}
