//! Shapes of foreign formats, put together alike: solids with positive sizes, meshes, colours.
//!
//! Shapes have no part in the motion, so what cannot be read of them is left out with a note and
//! spoils no model.

use super::frame::{self, Matrix, Pose, Vector};
use super::xml::{Node, Reading, Token};
use crate::draft::{BodyShape, Form, Text};
use crate::solid::SolidType;
use crate::source::{Span, Spanned};

/// The note on shapes that are left out.
pub(super) const UNREAD: &str = "shapes whose geometry or place cannot be read are left out";

/// A solid, if its sizes are positive.
pub(super) fn solid(kind: SolidType, sizes: &[f64], span: Span) -> Option<Form> {
    let positive = sizes.iter().all(|size| *size > 0.0 && size.is_finite());
    let sizes = sizes.iter().map(|size| frame::scalar(frame::tidy(*size), span)).collect();
    positive.then_some(Form::Solid { kind: Spanned::new(kind, span), sizes })
}

/// A mesh, if its scale leaves it a size.
pub(super) fn mesh(file: Text, scale: Vector, span: Span) -> Option<Form> {
    let sized = scale.iter().all(|factor| *factor != 0.0 && factor.is_finite());
    let scale = (scale != [1.0; 3]).then(|| frame::triple(scale.map(frame::tidy), span));
    (sized && !file.value.is_empty()).then_some(Form::Mesh { file, scale })
}

/// A shape at a pose in its body.
pub(super) fn placed(form: Form, pose: &Pose, colour: Option<Text>, span: Span) -> BodyShape {
    BodyShape {
        span,
        form,
        at: frame::position(pose.position, span),
        axis: None,
        rotation: frame::rotation(&pose.rotation, span),
        colour,
        density: None,
    }
}

/// A colour from red, green and blue between 0 and 1.
pub(super) fn colour(rgb: Vector, span: Span) -> Text {
    let [r, g, b] = rgb.map(|x| (255.0 * x.clamp(0.0, 1.0)).round() as u8);
    Spanned::new(format!("#{r:02x}{g:02x}{b:02x}"), span)
}

/// Exactly `N` finite numbers, or none.
pub(super) fn finite<const N: usize>(token: Token<'_>) -> Option<[f64; N]> {
    let numbers: Option<Vec<f64>> =
        token.text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
    let numbers = numbers.filter(|numbers| numbers.iter().all(|x| x.is_finite()))?;
    numbers.try_into().ok()
}

/// The first element of a name.
pub(super) fn first<'d>(reading: &Reading<'d, '_>, node: Node<'d>, name: &str) -> Option<Node<'d>> {
    reading.children(node, name).next()
}

/// A scale in rotated axes: the factors along the axes before a rotation that scales after it.
/// Only rotations that map axes on axes have them, or a scale that is the same along all axes.
pub(super) fn scale_before(rotation: &Matrix, scale: Vector) -> Option<Vector> {
    if scale[0] == scale[1] && scale[1] == scale[2] {
        return Some(scale);
    }
    let mut factors = [0.0; 3];
    for (column, factor) in factors.iter_mut().enumerate() {
        let row = (0..3).find(|&row| (rotation[row][column].abs() - 1.0).abs() < 1e-9)?;
        *factor = scale[row];
    }
    Some(factors)
}
