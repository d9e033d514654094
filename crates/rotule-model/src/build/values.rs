//! Numbers and expressions as code writes them: what setters take.
//!
//! Wherever a number can stand in a model file, a setter takes `impl Into<Value>`: a number, or a
//! text with an expression or a number and its unit. Lists of a fixed length are [`IntoValues`], of
//! any length [`ValueList`].

use crate::draft::{AXES, Axis, DraftValue, Inertia, Rotation, Text, Value};
use crate::source::{Span, Spanned};

/// A thing that stands in no text.
pub(super) fn placed<T>(value: T) -> Spanned<T> {
    Spanned::new(value, Span::default())
}

pub(super) fn text(value: impl Into<String>) -> Text {
    placed(value.into())
}

pub(super) fn scalar(value: impl Into<Value>) -> DraftValue {
    placed(value.into())
}

pub(super) fn scalars<const N: usize>(values: impl IntoValues<N>) -> [DraftValue; N] {
    values.values().map(placed)
}

pub(super) fn list(values: impl ValueList) -> Spanned<Vec<DraftValue>> {
    placed(values.list().into_iter().map(placed).collect())
}

pub(super) fn pair(between: [impl Into<String>; 2]) -> [Text; 2] {
    between.map(text)
}

/// Numbers that double precision holds exactly. Larger integers have no conversion: they could lose
/// digits.
macro_rules! numbers {
    ($($type:ty)*) => {$(
        impl From<$type> for Value {
            fn from(number: $type) -> Value {
                Value::Number(f64::from(number))
            }
        }
    )*};
}

numbers! { f64 f32 i8 i16 i32 u8 u16 u32 }

/// An expression such as `"l/2"`, or a number and its unit such as `"250 g"`.
impl From<&str> for Value {
    fn from(expression: &str) -> Value {
        Value::Expression(expression.to_owned())
    }
}

/// An expression, such as `format!("l{leg}/2")`.
impl From<String> for Value {
    fn from(expression: String) -> Value {
        Value::Expression(expression)
    }
}

/// An expression.
impl From<&String> for Value {
    fn from(expression: &String) -> Value {
        Value::Expression(expression.clone())
    }
}

/// `N` numbers or expressions: `[0.0, 0.0, -9.81]`, `["l/2", "0", "0"]`, or mixed as `("l/2", 0,
/// 0)`.
pub trait IntoValues<const N: usize> {
    /// The values in their order.
    fn values(self) -> [Value; N];
}

impl<T: Into<Value>, const N: usize> IntoValues<N> for [T; N] {
    fn values(self) -> [Value; N] {
        self.map(Into::into)
    }
}

/// One number or expression, or several: a value, an array, a vector, a slice or a tuple.
///
/// Joints with one coordinate take one value, joints with several a list.
pub trait ValueList {
    /// The values in their order.
    fn list(self) -> Vec<Value>;
}

impl<T: Into<Value>> ValueList for T {
    fn list(self) -> Vec<Value> {
        vec![self.into()]
    }
}

impl<T: Into<Value>, const N: usize> ValueList for [T; N] {
    fn list(self) -> Vec<Value> {
        self.map(Into::into).into()
    }
}

impl<T: Into<Value>> ValueList for Vec<T> {
    fn list(self) -> Vec<Value> {
        self.into_iter().map(Into::into).collect()
    }
}

impl<T: Into<Value> + Clone> ValueList for &[T] {
    fn list(self) -> Vec<Value> {
        self.iter().cloned().map(Into::into).collect()
    }
}

/// Tuples, whose entries may be of different kinds.
macro_rules! tuples {
    ($($count:literal: $($type:ident)*;)*) => {$(
        impl<$($type: Into<Value>),*> IntoValues<$count> for ($($type,)*) {
            #[allow(non_snake_case, reason = "the entry of a type has the name of the type")]
            fn values(self) -> [Value; $count] {
                let ($($type,)*) = self;
                [$($type.into()),*]
            }
        }

        impl<$($type: Into<Value>),*> ValueList for ($($type,)*) {
            fn list(self) -> Vec<Value> {
                IntoValues::<$count>::values(self).into()
            }
        }
    )*};
}

tuples! {
    2: A B;
    3: A B C;
    4: A B C D;
    6: A B C D E F;
    7: A B C D E F G;
}

/// Conversions of three values in a row: a vector in place of an axis, roll, pitch and yaw, a
/// diagonal.
macro_rules! triples {
    ($($type:ty: $make:expr;)*) => {$(
        impl<T: Into<Value>> From<[T; 3]> for $type {
            fn from(values: [T; 3]) -> $type {
                $make(values.values())
            }
        }

        impl<A: Into<Value>, B: Into<Value>, C: Into<Value>> From<(A, B, C)> for $type {
            fn from(values: (A, B, C)) -> $type {
                $make(values.values())
            }
        }
    )*};
}

triples! {
    Axis: |components: [Value; 3]| {
        Axis { span: Span::default(), components: components.map(placed) }
    };
    Rotation: Rotation::rpy;
    Inertia: |[xx, yy, zz]: [Value; 3]| Inertia::new().xx(xx).yy(yy).zz(zz);
}

/// One of `"x"`, `"y"`, `"z"`, `"-x"`, `"-y"`, `"-z"`. Another word is reported when the model is
/// loaded.
impl From<&str> for Axis {
    fn from(word: &str) -> Axis {
        match AXES.iter().find(|(_, known)| *known == word) {
            Some((components, _)) => Axis::from(*components),
            None => Axis::from([word, "", ""]),
        }
    }
}

impl Axis {
    /// The word that was given for this axis and is not one: it stands before two components that
    /// are empty, which no axis has.
    pub(crate) fn unknown_word(&self) -> Option<&str> {
        match self.components.each_ref().map(|component| &component.value) {
            [Value::Expression(word), Value::Expression(y), Value::Expression(z)]
                if y.is_empty() && z.is_empty() =>
            {
                Some(word)
            }
            _ => None,
        }
    }
}
