//! The places of a draft, all at once: to compare drafts that were written in different texts.
//!
//! Every type lists its fields below. The lists are complete: a field that is left out does not
//! compile.

use super::*;
use crate::solid::SolidType;

/// Something that holds places.
trait Places {
    /// Calls a function with every place.
    fn each(&mut self, visit: &mut dyn FnMut(&mut Span));
}

impl Draft {
    /// Calls a function with every place, to change it.
    pub fn each_place(&mut self, mut visit: impl FnMut(&mut Span)) {
        self.each(&mut visit);
    }

    /// The draft with all places the same, so that only the content counts in comparisons.
    #[must_use]
    pub fn without_places(mut self) -> Draft {
        self.each_place(|place| *place = Span::default());
        self
    }
}

impl Places for Span {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        visit(self);
    }
}

impl<T: Places> Places for Spanned<T> {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        visit(&mut self.span);
        self.value.each(visit);
    }
}

/// Containers of things with places.
macro_rules! containers {
    ($(($($generics:tt)*) $type:ty;)*) => {$(
        impl<$($generics)*> Places for $type {
            fn each(&mut self, visit: &mut dyn FnMut(&mut Span)) {
                self.iter_mut().for_each(|item| item.each(visit));
            }
        }
    )*};
}

/// Types without places.
macro_rules! leaves {
    ($($type:ty)*) => {$(
        impl Places for $type {
            fn each(&mut self, _: &mut dyn FnMut(&mut Span)) {}
        }
    )*};
}

/// Types with all their fields.
macro_rules! records {
    ($($type:ident { $($field:ident),* })*) => {$(
        impl Places for $type {
            fn each(&mut self, visit: &mut dyn FnMut(&mut Span)) {
                let $type { $($field),* } = self;
                $($field.each(visit);)*
            }
        }
    )*};
}

containers! {
    (T: Places) Vec<T>;
    (T: Places) Option<T>;
    (T: Places, const N: usize) [T; N];
}

leaves! { ControllerType HoldType String DiagnosticCode bool u32 Value JointType PartitionRole Redundant Component CutFrame Measure Level Crossing SolidType Engagement }

records! {
    Draft {
        span, name, about, gravity, baumgarte, accept, redundant, parameters, externals, ground, ground_shapes, bodies, joints, completed, cuts,
        couplings,
        motions, constraints, line_forces, forces, wheels, sensors, inputs, outputs, controllers, states, events, initial_q,
        initial_qd
    }
    Parameter { name, value, unit, about }
    External { name, arguments, results }
    Point { name, position, rotation }
    Axis { span, components }
    Body { name, parent, position, rotation, joints, mass, com, inertia, inertia_of, shapes, points }
    BodyShape { span, form, at, axis, rotation, colour, density }
    Inertia { span, entries, rotation }
    Joint {
        span, name, kind, axes, pitch, effort, locked, partition, actuated, actuation_weight,
        armature, damping, friction, range, max_speed, max_effort, stop
    }
    Friction { slide, stick }
    LooseJoint { joint, between }
    Cut { span, name, kind, between, ignore, frame, intermittent }
    Coupling { name, equation }
    Motion { joint, q, qd, qdd }
    Constraint { name, level, expression, intermittent }
    LineForce { name, between, force }
    Force { name, at, force, torque, body_axes }
    Wheel { name, body, axle, radius, ground, rolling, laws }
    Sensor { name, at, measures, relative_to }
    Controller {
        span, name, kind, every, first, delay, hold, quantum, limits, initial, unit, about, states, output, input, kp, ki, kd,
        time, rise, fall, numerator, denominator
    }
    UserInput { name, value, unit, limits, filter, derivatives, about }
    UserOutput { name, value, unit, about }
    UserState { name, initial, rate, unit, about }
    Event { name, when, direction, set, impact, lock, unlock, engage, release, end, message }
    Setting { target, value }
    Impact { joint, restitution }
    Initial { joint, values }
}

impl Places for Rotation {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        match self {
            Rotation::Rpy(angles) => angles.each(visit),
            Rotation::Quaternion(entries) => entries.each(visit),
            Rotation::Matrix(rows) => rows.each(visit),
            Rotation::Turn { axis, angle } => {
                axis.each(visit);
                angle.each(visit);
            }
            Rotation::Link { values, .. } => values.each(visit),
        }
    }
}

impl Places for Form {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        match self {
            Form::Solid { kind, sizes } => {
                kind.each(visit);
                sizes.each(visit);
            }
            Form::Hull(points) => points.each(visit),
            Form::Mesh { file, scale } => {
                file.each(visit);
                scale.each(visit);
            }
        }
    }
}

impl Places for InertiaOf {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        match self {
            InertiaOf::Shapes(span) => span.each(visit),
            InertiaOf::Solid { kind, mass, sizes, axis, rotation } => {
                kind.each(visit);
                mass.each(visit);
                sizes.each(visit);
                axis.each(visit);
                rotation.each(visit);
            }
        }
    }
}

impl Places for CutType {
    fn each(&mut self, visit: &mut dyn FnMut(&mut Span)) {
        match self {
            CutType::Rod { length } => length.each(visit),
            CutType::Joint { kind, axes, pitch } => {
                kind.each(visit);
                axes.each(visit);
                pitch.each(visit);
            }
        }
    }
}
