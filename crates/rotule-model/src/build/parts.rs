//! Bodies and what they are made of: rotations, inertias, points, joints.

use super::values::{IntoValues, ValueList, list, placed, scalar, scalars, text};
use crate::draft::{
    Axis, Body, Friction, Inertia, Joint, JointType, LinkConvention, LooseJoint, PartitionRole,
    Point, Rotation, Value,
};
use crate::source::Span;

impl Rotation {
    /// Link parameters by their names in a convention; what is not given is zero. They place a body
    /// or a point wholly: their position is not used.
    ///
    /// # Panics
    /// If a name is none of the convention.
    pub fn link<N: AsRef<str>, V: Into<Value>>(
        convention: LinkConvention,
        parameters: impl IntoIterator<Item = (N, V)>,
    ) -> Rotation {
        let names = convention.parameters();
        let mut values = vec![None; names.len()];
        for (name, value) in parameters {
            let found = names.iter().position(|known| *known == name.as_ref());
            let at = found.unwrap_or_else(|| panic!("`{}` is none of {names:?}", name.as_ref()));
            values[at] = Some(scalar(value));
        }
        Rotation::Link { convention, values }
    }

    /// Rotations about the fixed axes x, then y, then z: URDF's roll, pitch, yaw.
    pub fn rpy(angles: impl IntoValues<3>) -> Rotation {
        Rotation::Rpy(scalars(angles))
    }

    /// A quaternion w, x, y, z; it is normalised when the model is loaded.
    pub fn quaternion(entries: impl IntoValues<4>) -> Rotation {
        Rotation::Quaternion(scalars(entries))
    }

    /// A matrix by rows; its columns are the rotated axes.
    pub fn matrix(rows: [impl IntoValues<3>; 3]) -> Rotation {
        Rotation::Matrix(rows.map(|row| scalars(row)))
    }

    /// One rotation about an axis.
    pub fn about(axis: impl Into<Axis>, angle: impl Into<Value>) -> Rotation {
        Rotation::Turn { axis: axis.into(), angle: scalar(angle) }
    }
}

impl Point {
    pub(super) fn new(name: impl Into<String>, position: impl IntoValues<3>) -> Point {
        Point { name: text(name), position: scalars(position), rotation: None }
    }

    pub(super) fn with_axes(self, rotation: impl Into<Rotation>) -> Point {
        Point { rotation: Some(rotation.into()), ..self }
    }
}

/// A method for each entry of the matrix.
macro_rules! entries {
    ($($index:literal $name:ident;)*) => {$(
        #[doc = concat!("Sets the entry `", stringify!($name), "`.")]
        #[must_use]
        pub fn $name(mut self, value: impl Into<Value>) -> Inertia {
            self.entries[$index] = Some(scalar(value));
            self
        }
    )*};
}

/// Entries that are not set are zero. Off-diagonal ones are the entries of the matrix: `xy` is
/// minus the integral of x*y dm. `[xx, yy, zz]` is a diagonal matrix wherever an inertia is taken.
impl Inertia {
    /// A matrix of which no entry is set.
    pub fn new() -> Inertia {
        Inertia::default()
    }

    entries! { 0 xx; 1 yy; 2 zz; 3 xy; 4 xz; 5 yz; }

    /// Sets the axes that the entries are meant in, relative to the body's.
    #[must_use]
    pub fn rotation(mut self, rotation: impl Into<Rotation>) -> Inertia {
        self.rotation = Some(rotation.into());
        self
    }
}

impl Body {
    /// A body without mass at the ground, until setters say more.
    pub fn new(name: impl Into<String>) -> Body {
        Body::named(text(name))
    }

    /// Sets the place that the joint sits on: `"body"` or `"body.point"`.
    #[must_use]
    pub fn parent(mut self, place: impl Into<String>) -> Body {
        self.parent = Some(text(place));
        self
    }

    /// Sets the position of the joint's frame relative to the parent's place.
    #[must_use]
    pub fn position(mut self, position: impl IntoValues<3>) -> Body {
        self.position = Some(scalars(position));
        self
    }

    /// Sets the rotation of the joint's frame relative to the parent's place; `[r, p, y]` is roll,
    /// pitch, yaw.
    #[must_use]
    pub fn rotation(mut self, rotation: impl Into<Rotation>) -> Body {
        self.rotation = Some(rotation.into());
        self
    }

    /// Adds a joint between parent and body. Several make a chain, with no mass between them; a
    /// body without a joint is fixed to its parent.
    #[must_use]
    pub fn joint(mut self, joint: Joint) -> Body {
        self.joints.push(joint);
        self
    }

    /// Sets the mass.
    #[must_use]
    pub fn mass(mut self, mass: impl Into<Value>) -> Body {
        self.mass = Some(scalar(mass));
        self
    }

    /// Sets the centre of mass in the body's frame.
    #[must_use]
    pub fn com(mut self, position: impl IntoValues<3>) -> Body {
        self.com = Some(scalars(position));
        self
    }

    /// Sets the inertia about the centre of mass; `[xx, yy, zz]` is a diagonal matrix.
    #[must_use]
    pub fn inertia(mut self, inertia: impl Into<Inertia>) -> Body {
        self.inertia = Some(inertia.into());
        self
    }

    /// Adds a point, which others call `"body.point"`.
    #[must_use]
    pub fn point(mut self, name: impl Into<String>, position: impl IntoValues<3>) -> Body {
        self.points.push(Point::new(name, position));
        self
    }

    /// Adds a point with axes of its own, rotated in the body's frame.
    #[must_use]
    pub fn point_with_axes(
        mut self,
        name: impl Into<String>,
        position: impl IntoValues<3>,
        rotation: impl Into<Rotation>,
    ) -> Body {
        self.points.push(Point::new(name, position).with_axes(rotation));
        self
    }
}

/// Constructors by type, then setters. The coordinates and speeds of each type are in
/// [`crate::conventions`].
impl Joint {
    /// A joint of a type, with as many axes as it needs.
    pub fn of(kind: JointType, name: Option<String>, axes: Vec<Axis>) -> Joint {
        let joint = Joint::new(Span::default(), name.map(text), placed(kind));
        Joint { axes, ..joint }
    }

    /// A joint without motion; it needs no name.
    pub fn fixed() -> Joint {
        Joint::of(JointType::Fixed, None, Vec::new())
    }

    /// A rotation about an axis.
    pub fn revolute(name: impl Into<String>, axis: impl Into<Axis>) -> Joint {
        Joint::of(JointType::Revolute, Some(name.into()), vec![axis.into()])
    }

    /// A translation along an axis.
    pub fn prismatic(name: impl Into<String>, axis: impl Into<Axis>) -> Joint {
        Joint::of(JointType::Prismatic, Some(name.into()), vec![axis.into()])
    }

    /// A screw: a rotation about an axis, and a translation of `pitch` metres per radian along it.
    pub fn helical(
        name: impl Into<String>,
        axis: impl Into<Axis>,
        pitch: impl Into<Value>,
    ) -> Joint {
        let joint = Joint::of(JointType::Helical, Some(name.into()), vec![axis.into()]);
        Joint { pitch: Some(scalar(pitch)), ..joint }
    }

    /// A rotation about an axis and a translation along it.
    pub fn cylindrical(name: impl Into<String>, axis: impl Into<Axis>) -> Joint {
        Joint::of(JointType::Cylindrical, Some(name.into()), vec![axis.into()])
    }

    /// A rotation about a first axis, then one about a second, which the first carries along.
    pub fn universal(
        name: impl Into<String>,
        first: impl Into<Axis>,
        second: impl Into<Axis>,
    ) -> Joint {
        Joint::of(JointType::Universal, Some(name.into()), vec![first.into(), second.into()])
    }

    /// Any rotation, by a quaternion.
    pub fn spherical(name: impl Into<String>) -> Joint {
        Joint::of(JointType::Spherical, Some(name.into()), Vec::new())
    }

    /// Two translations in a plane and a rotation about its normal.
    pub fn planar(name: impl Into<String>, normal: impl Into<Axis>) -> Joint {
        Joint::of(JointType::Planar, Some(name.into()), vec![normal.into()])
    }

    /// Any motion: a floating base.
    pub fn free(name: impl Into<String>) -> Joint {
        Joint::of(JointType::Free, Some(name.into()), Vec::new())
    }

    /// Sets the name; only a fixed joint has none.
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Joint {
        self.name = Some(text(name));
        self
    }

    /// Sets the law of the effort along the coordinate, such as `"-k*q - c*qd"`: one for each
    /// speed.
    #[must_use]
    pub fn effort(mut self, laws: impl ValueList) -> Joint {
        self.effort = Some(list(laws));
        self
    }

    /// Locks the joint at its initial value.
    #[must_use]
    pub fn locked(mut self) -> Joint {
        self.locked = true;
        self
    }

    /// Asks for its coordinates to be independent or dependent, if it is part of a loop.
    #[must_use]
    pub fn partition(mut self, partition: PartitionRole) -> Joint {
        self.partition = Some(placed(partition));
        self
    }

    /// Puts a drive on the joint: inverse dynamics asks for its effort.
    #[must_use]
    pub fn actuated(mut self) -> Joint {
        self.actuated = true;
        self
    }

    /// Sets the weight of the square of the drive's effort where drives share the work.
    #[must_use]
    pub fn actuation_weight(mut self, weight: impl Into<Value>) -> Joint {
        self.actuation_weight = Some(scalar(weight));
        self
    }

    /// Sets the inertia of the drive as felt at the joint.
    #[must_use]
    pub fn armature(mut self, inertia: impl Into<Value>) -> Joint {
        self.armature = Some(scalar(inertia));
        self
    }

    /// Sets the viscous damping.
    #[must_use]
    pub fn damping(mut self, factor: impl Into<Value>) -> Joint {
        self.damping = Some(scalar(factor));
        self
    }

    /// Sets the dry friction: the effort while the joint slides, and the largest one at rest unless
    /// [`Joint::friction_at_rest`] sets another.
    #[must_use]
    pub fn friction(mut self, slide: impl Into<Value>) -> Joint {
        self.friction = Some(Friction { slide: scalar(slide), stick: None });
        self
    }

    /// Sets the largest effort of the dry friction at rest.
    #[must_use]
    pub fn friction_at_rest(mut self, stick: impl Into<Value>) -> Joint {
        let stick = scalar(stick);
        match &mut self.friction {
            Some(friction) => friction.stick = Some(stick),
            None => self.friction = Some(Friction { slide: stick, stick: None }),
        }
        self
    }

    /// Sets the lower and upper limit of the coordinate.
    #[must_use]
    pub fn range(mut self, lower: impl Into<Value>, upper: impl Into<Value>) -> Joint {
        self.range = Some([scalar(lower), scalar(upper)]);
        self
    }

    /// Sets the largest speed.
    #[must_use]
    pub fn max_speed(mut self, speed: impl Into<Value>) -> Joint {
        self.max_speed = Some(scalar(speed));
        self
    }

    /// Sets the largest effort.
    #[must_use]
    pub fn max_effort(mut self, effort: impl Into<Value>) -> Joint {
        self.max_effort = Some(scalar(effort));
        self
    }

    /// Makes the ends of the range stops that bounce with a restitution.
    #[must_use]
    pub fn stop(mut self, restitution: impl Into<Value>) -> Joint {
        self.stop = Some(scalar(restitution));
        self
    }

    /// Puts the joint between two places, as `[[joint]]` in a file: the spanning tree decides
    /// whether it is cut. Its coordinates are the motion of the second place relative to the first.
    pub fn between(self, first: impl Into<String>, second: impl Into<String>) -> LooseJoint {
        LooseJoint { joint: self, between: [text(first), text(second)] }
    }
}
