//! Shapes of bodies as they are written, and inertias that follow from solids.

use super::{Axis, DraftValue, Rotation, Text, Triple};
use crate::solid::SolidType;
use crate::source::{Span, Spanned};

/// A shape of a body: it is drawn, and has mass if it has a density.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyShape {
    /// Its place.
    pub span: Span,
    /// The form.
    pub form: Form,
    /// Where its origin is in the body's frame.
    pub at: Option<Triple>,
    /// The direction of its z axis, one of the body's axes.
    pub axis: Option<Axis>,
    /// The rotation of its axes in the body's frame.
    pub rotation: Option<Rotation>,
    /// The colour, as `#rrggbb`.
    pub colour: Option<Text>,
    /// Mass per volume.
    pub density: Option<DraftValue>,
}

/// The form of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// A simple solid with its sizes.
    Solid {
        /// The type.
        kind: Spanned<SolidType>,
        /// As many sizes as it has.
        sizes: Vec<DraftValue>,
    },
    /// The convex hull of points.
    Hull(Vec<Triple>),
    /// The triangles of a file.
    Mesh {
        /// The name of the file, as it is written.
        file: Text,
        /// The factor of its coordinates along each axis; none is one.
        scale: Option<Triple>,
    },
}

/// An inertia that is not written as entries of a matrix.
#[derive(Clone, Debug, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "a body has at most one")]
pub enum InertiaOf {
    /// That of the body's shapes.
    Shapes(Span),
    /// That of a simple solid around the centre of mass.
    Solid {
        /// The type.
        kind: Spanned<SolidType>,
        /// The mass, which is also the body's if that is not written.
        mass: DraftValue,
        /// The sizes.
        sizes: Vec<DraftValue>,
        /// The direction of its z axis, one of the body's axes.
        axis: Option<Axis>,
        /// The rotation of its axes in the body's frame.
        rotation: Option<Rotation>,
    },
}

/// The word for the inertia of the shapes.
pub const FROM_SHAPES: &str = "from shapes";
