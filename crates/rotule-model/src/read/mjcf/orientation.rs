//! Positions and the five ways to write an orientation.

use rotule_symbolic::elementary::hypot;
use std::f64::consts::PI;

use super::Reader;
use super::defaults::{Element, Kind, ORIENTATION};
use crate::diagnostic::{Diagnostic, DiagnosticCode};
use crate::draft::{Axis, DraftValue, Rotation, Triple, Value};
use crate::read::frame::{self, Matrix, Pose, Vector};
use crate::read::xml::{Token, Word, triple};
use crate::source::{Span, Spanned};

/// A frame as it is to be written, together with its numbers.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) position: Option<Triple>,
    pub(super) rotation: Option<Rotation>,
    pub(super) pose: Pose,
    pub(super) span: Span,
}

impl Placed {
    pub(super) fn identity(span: Span) -> Placed {
        Placed { position: None, rotation: None, pose: Pose::IDENTITY, span }
    }

    /// A frame of which only the numbers are known.
    pub(super) fn of(pose: Pose, span: Span) -> Placed {
        let position = (pose.position != [0.0; 3]).then(|| frame::triple(pose.position, span));
        Placed { position, rotation: frame::rotation(&pose.rotation, span), pose, span }
    }

    /// This frame in another, which is none if it coincides with the outer one. What is not
    /// moved keeps its words.
    pub(super) fn within(self, outer: Option<&Pose>) -> Placed {
        match outer {
            None => self,
            Some(outer) => Placed::of(outer.then(&self.pose), self.span),
        }
    }
}

impl<'d> Reader<'d, '_> {
    /// Position and orientation of an element.
    pub(super) fn placed(&mut self, element: Element<'d>, owner: &str) -> Placed {
        let mut placed = Placed::identity(self.reading.tag(element.node));
        if let Some(words) = self.get(element, "pos").and_then(|token| self.reading.vector(token)) {
            placed.pose.position = words.map(|word: Word<'d>| word.value);
            placed.position = (placed.pose.position != [0.0; 3]).then(|| triple(words));
            placed.span = words[0].span;
        }
        placed.rotation = self.orientation(element, owner);
        if let Some(rotation) = &placed.rotation {
            match frame::matrix(rotation) {
                Some(matrix) => placed.pose.rotation = matrix,
                None => {
                    let tag = self.reading.tag(element.node);
                    let message = format!("the orientation of `{owner}` has no direction");
                    self.reading.error(DiagnosticCode::Number, tag, message);
                    placed.rotation = None;
                }
            }
        }
        placed
    }

    fn orientation(&mut self, element: Element<'d>, owner: &str) -> Option<Rotation> {
        let written = ORIENTATION.map(|name| self.reading.attribute(element.node, name));
        let mut found = written.into_iter().flatten();
        let token = match (found.next(), found.next()) {
            (Some(first), Some(second)) => {
                let message = format!("{second} gives an orientation a second time");
                let finding = Diagnostic::error(DiagnosticCode::Ambiguous, second.span, message)
                    .also(first.span, "it is given here first")
                    .help("give one of `quat`, `axisangle`, `euler`, `xyaxes` and `zaxis`");
                self.reading.out.push(finding);
                first
            }
            (Some(first), None) => first,
            (None, _) if element.kind == Kind::Plain => return None,
            (None, _) => {
                let inherited = ORIENTATION.map(|name| self.get(element, name));
                inherited.into_iter().flatten().next()?
            }
        };
        let name = ORIENTATION
            .into_iter()
            .find(|name| self.get(element, name).is_some_and(|same| same.span == token.span));
        match name? {
            "quat" => self.quaternion(token, owner),
            "axisangle" => self.axis_angle(token, owner),
            "euler" => self.euler(token, owner),
            "xyaxes" => self.two_axes(token),
            _ => self.z_axis(token),
        }
    }

    /// An angle in the unit of the file.
    pub(super) fn angle(&mut self, word: Word<'d>, owner: &str) -> DraftValue {
        if self.settings.degrees {
            self.snaps.degrees(word, owner)
        } else {
            self.snaps.angle(word, owner)
        }
    }

    /// The number of an angle in radians.
    pub(super) fn radians(&self, word: Word<'d>) -> f64 {
        if self.settings.degrees { word.value * (PI / 180.0) } else { word.value }
    }

    /// MuJoCo makes quaternions of unit length, so `1 0 0 1` is a quarter turn, and so is
    /// `0.707 0 0 0.707`.
    fn quaternion(&mut self, token: Token<'d>, owner: &str) -> Option<Rotation> {
        let words: [Word<'d>; 4] = self.reading.vector(token)?;
        if let Some(rotation) = self.turn_of(words, owner) {
            return rotation;
        }
        let values = words.map(|word| word.value);
        let length = values.iter().fold(0.0_f64, |length, x| hypot(length, *x));
        if !(length > 0.0 && length.is_finite()) {
            self.reading.error(
                DiagnosticCode::Number,
                token.span,
                format!("{token} must not be zero"),
            );
            return None;
        }
        let unit = words.map(|word| Word { value: exact(word.value / length), ..word });
        if let Some(rotation) = self.turn_of(unit, owner) {
            return rotation;
        }
        Some(Rotation::Quaternion(words.map(Word::scalar)))
    }

    /// The quaternion made exact, if it can be; the inner none is no turn.
    #[allow(clippy::option_option, reason = "not exact and no turn are different answers")]
    fn turn_of(&mut self, words: [Word<'d>; 4], owner: &str) -> Option<Option<Rotation>> {
        let rotation = self.snaps.quaternion(words, owner);
        let is_exact = match &rotation {
            None => true,
            Some(Rotation::Quaternion(entries)) => {
                let half_turn = entries.iter().filter(|entry| !is_zero(entry)).count() == 1;
                (half_turn && is_zero(&entries[0]))
                    || entries.iter().any(|entry| matches!(entry.value, Value::Expression(_)))
            }
            Some(_) => false,
        };
        is_exact.then_some(rotation)
    }

    fn axis_angle(&mut self, token: Token<'d>, owner: &str) -> Option<Rotation> {
        let [x, y, z, angle]: [Word<'d>; 4] = self.reading.vector(token)?;
        let angle = self.angle(angle, owner);
        if is_zero(&angle) {
            return None;
        }
        let axis = Axis { span: x.span, components: triple([x, y, z]) };
        Some(Rotation::Turn { axis, angle })
    }

    /// Turns about the axes of `eulerseq`: small letters turn with the frame, large ones stay.
    fn euler(&mut self, token: Token<'d>, owner: &str) -> Option<Rotation> {
        let words: [Word<'d>; 3] = self.reading.vector(token)?;
        // The factors of the rotation matrix from left to right: (axis, angle).
        let mut factors: Vec<(usize, Word<'d>)> = Vec::with_capacity(3);
        for (letter, word) in self.settings.sequence.into_iter().zip(words) {
            let axis = (letter.to_ascii_lowercase() - b'x') as usize;
            let at = if letter.is_ascii_lowercase() { factors.len() } else { 0 };
            factors.insert(at, (axis, word));
        }
        factors.retain(|(_, word)| word.value != 0.0);
        if let [(axis, word)] = factors[..] {
            let angle = self.angle(word, owner);
            if is_zero(&angle) {
                return None;
            }
            return Some(Rotation::Turn { axis: frame_axis(axis, word.span), angle });
        }
        // Turns about fixed x, y and z in turn have their factors from z down to x.
        if factors.windows(2).all(|pair| pair[0].0 > pair[1].0) {
            let mut angles = words.map(|word| Spanned::new(Value::Number(0.0), word.span));
            for (axis, word) in factors {
                angles[axis] = self.angle(word, owner);
            }
            let still = angles.iter().all(is_zero);
            return (!still).then_some(Rotation::Rpy(angles));
        }
        let mut matrix = frame::IDENTITY;
        for (axis, word) in factors {
            let mut angles = [0.0; 3];
            // The exact angle, so that quarter turns multiply exactly.
            let angle = self.angle(word, owner);
            angles[axis] = frame::number(&angle).unwrap_or_else(|| self.radians(word));
            matrix = frame::product(&matrix, &frame::of_rpy(angles));
        }
        frame::rotation(&matrix, token.span)
    }

    fn two_axes(&mut self, token: Token<'d>) -> Option<Rotation> {
        let words: [Word<'d>; 6] = self.reading.vector(token)?;
        let [a, b, c, d, e, f] = words.map(|word| word.value);
        let axes = frame::unit([a, b, c]).and_then(|x| {
            let y = frame::unit([d, e, f])?;
            let along = dot(x, y);
            let y = frame::unit([0, 1, 2].map(|i| y[i] - along * x[i]))?;
            // Parallel but for rounding has no direction either.
            (along.abs() < 1.0 - 1e-12).then_some((x, y))
        });
        let Some((x, y)) = axes else {
            let message = format!("{token} must have two axes of different directions");
            self.reading.error(DiagnosticCode::Axis, token.span, message);
            return None;
        };
        let z = cross(x, y);
        let matrix: Matrix = [0, 1, 2].map(|i| [x[i], y[i], z[i]]);
        frame::rotation(&matrix, token.span)
    }

    fn z_axis(&mut self, token: Token<'d>) -> Option<Rotation> {
        let words: [Word<'d>; 3] = self.reading.vector(token)?;
        match frame::unit(words.map(|word| word.value)) {
            Some(axis) => frame::rotation(&frame::between([0.0, 0.0, 1.0], axis), token.span),
            None => {
                let message = format!("{token} has no direction");
                self.reading.error(DiagnosticCode::Axis, token.span, message);
                None
            }
        }
    }
}

/// A component of a unit quaternion that is one of an exact turn but for rounding.
fn exact(x: f64) -> f64 {
    let all = [0.0, 0.5, 0.5_f64.sqrt(), 1.0];
    let near = all.into_iter().find(|exact| (x.abs() - exact).abs() < 1e-14);
    near.map_or(x, |exact| exact.copysign(x))
}

pub(super) fn is_zero(scalar: &DraftValue) -> bool {
    scalar.value == Value::Number(0.0)
}

/// One of the three axes of a frame.
pub(super) fn frame_axis(axis: usize, span: Span) -> Axis {
    let mut components = [0.0; 3];
    components[axis] = 1.0;
    Axis { span, components: frame::triple(components, span) }
}

pub(super) fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(super) fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
