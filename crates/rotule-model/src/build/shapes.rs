//! Shapes of bodies and inertias in one word, made in code.

use super::values::{IntoValues, ValueList, placed, scalar, scalars, text};
use crate::draft::{Axis, Body, BodyShape, Form, InertiaOf, Rotation, Value};
use crate::solid::SolidType;
use crate::source::Span;

impl BodyShape {
    fn of(form: Form) -> BodyShape {
        BodyShape {
            span: Span::default(),
            form,
            at: None,
            axis: None,
            rotation: None,
            colour: None,
            density: None,
        }
    }

    /// A simple solid: its type, and as many sizes as that has.
    pub fn solid(kind: SolidType, sizes: impl ValueList) -> BodyShape {
        let sizes = sizes.list().into_iter().map(placed).collect();
        BodyShape::of(Form::Solid { kind: placed(kind), sizes })
    }

    /// The convex hull of points.
    pub fn hull<P: IntoValues<3>>(points: impl IntoIterator<Item = P>) -> BodyShape {
        BodyShape::of(Form::Hull(points.into_iter().map(|point| scalars(point)).collect()))
    }

    /// The triangles of a file, in metres.
    pub fn mesh(file: impl Into<String>) -> BodyShape {
        BodyShape::of(Form::Mesh { file: text(file), scale: None })
    }

    /// Sets the factors of a mesh's coordinates; nothing else has them.
    #[must_use]
    pub fn scale(mut self, factors: impl IntoValues<3>) -> BodyShape {
        if let Form::Mesh { scale, .. } = &mut self.form {
            *scale = Some(scalars(factors));
        }
        self
    }

    /// Sets where its origin is in the body's frame.
    #[must_use]
    pub fn at(mut self, position: impl IntoValues<3>) -> BodyShape {
        self.at = Some(scalars(position));
        self
    }

    /// Sets the direction of its z axis: one of the body's axes.
    #[must_use]
    pub fn axis(mut self, axis: impl Into<Axis>) -> BodyShape {
        self.axis = Some(axis.into());
        self
    }

    /// Sets the rotation of its axes in the body's frame.
    #[must_use]
    pub fn rotation(mut self, rotation: impl Into<Rotation>) -> BodyShape {
        self.rotation = Some(rotation.into());
        self
    }

    /// Sets the colour, as `#rrggbb`.
    #[must_use]
    pub fn colour(mut self, colour: impl Into<String>) -> BodyShape {
        self.colour = Some(text(colour));
        self
    }

    /// Sets the mass per volume.
    #[must_use]
    pub fn density(mut self, density: impl Into<Value>) -> BodyShape {
        self.density = Some(scalar(density));
        self
    }
}

impl InertiaOf {
    /// The inertia of a simple solid of a mass around the centre of mass.
    pub fn solid(kind: SolidType, mass: impl Into<Value>, sizes: impl ValueList) -> InertiaOf {
        let sizes = sizes.list().into_iter().map(placed).collect();
        let (kind, mass) = (placed(kind), scalar(mass));
        InertiaOf::Solid { kind, mass, sizes, axis: None, rotation: None }
    }

    /// Sets the direction of the solid's z axis: one of the body's axes.
    #[must_use]
    pub fn axis(mut self, direction: impl Into<Axis>) -> InertiaOf {
        if let InertiaOf::Solid { axis, .. } = &mut self {
            *axis = Some(direction.into());
        }
        self
    }

    /// Sets the rotation of the solid's axes in the body's frame.
    #[must_use]
    pub fn rotation(mut self, turn: impl Into<Rotation>) -> InertiaOf {
        if let InertiaOf::Solid { rotation, .. } = &mut self {
            *rotation = Some(turn.into());
        }
        self
    }
}

impl Body {
    /// Adds a shape.
    #[must_use]
    pub fn shape(mut self, shape: BodyShape) -> Body {
        self.shapes.push(shape);
        self
    }

    /// Takes the inertia of the shapes, and mass and centre of mass where they are not set.
    #[must_use]
    pub fn inertia_from_shapes(mut self) -> Body {
        self.inertia_of = Some(InertiaOf::Shapes(Span::default()));
        self
    }

    /// Takes the inertia of a simple solid, and its mass if none is set.
    #[must_use]
    pub fn inertia_of(mut self, solid: InertiaOf) -> Body {
        self.inertia_of = Some(solid);
        self
    }
}
