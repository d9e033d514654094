//! Joint types: one file each, with the specification from which everything else is derived.
//!
//! A specification is a word and a chain of elementary motions about the joint's axes:
//!
//! ```text
//! cylindrical   translation along axis 1 by coordinate 2, then rotation about axis 1 by coordinate 1
//! ```
//!
//! The numbers of axes, coordinates and speeds, their units, the directions that are free and those
//! that are blocked, and whether the joint can be reversed by the signs of its axes follow from the
//! chain here. Poses, gaps, planarity, constraint rows, elementary joints and drawings follow where
//! they are made. In a chain translations come before rotations: then the first body carries all
//! directions of translation, and of two rotations the second body carries the other axis, so that
//! every blocked direction is fixed in one of the two bodies.

mod cylindrical;
mod fixed;
mod free;
mod helical;
mod planar;
mod prismatic;
mod revolute;
mod spherical;
mod universal;

use self::JointDirection::{Across, Axis};
use self::JointMotion::{Free, Rotation, Screw, Spherical, Translation};

/// The enumeration of types and their table, from one row each.
macro_rules! joint_types {
    ($($(#[$about:meta])* $name:ident $module:ident,)*) => {
        /// The types of joints. Questions about a type are answered by its specification.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum JointType {
            $($(#[$about])* $name,)*
        }

        /// The specifications, in the order of the types.
        static SPECIFICATIONS: [JointSpecification; JointType::ALL.len()] =
            [$($module::SPECIFICATION,)*];

        impl JointType {
            /// Every type with its word in files, in the order of the manual.
            pub const ALL: [(JointType, &'static str); [$(stringify!($name),)*].len()] =
                [$((JointType::$name, $module::SPECIFICATION.word),)*];
        }
    };
}

joint_types! {
    /// No motion.
    Fixed fixed,
    /// A turn about an axis.
    Revolute revolute,
    /// A slide along an axis.
    Prismatic prismatic,
    /// A screw: slide in proportion to the turn.
    Helical helical,
    /// A turn about and a slide along one axis.
    Cylindrical cylindrical,
    /// Two turns about crossing axes.
    Universal universal,
    /// Any turn.
    Spherical spherical,
    /// Two slides in a plane and a turn about its normal.
    Planar planar,
    /// Any motion.
    Free free,
}

/// A direction, by the axes of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointDirection {
    /// An axis, counted from zero.
    Axis(usize),
    /// One of the two directions across the first axis, counted from zero; see
    /// [`crate::pose::in_plane`].
    Across(usize),
}

/// An elementary motion, with its coordinate among those of the joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointMotion {
    /// A rotation about a direction.
    Rotation(JointDirection, usize),
    /// A translation along a direction.
    Translation(JointDirection, usize),
    /// A rotation about a direction, and a translation along it by the pitch for each radian.
    Screw(JointDirection, usize),
    /// Any rotation, by a quaternion.
    Spherical,
    /// Any motion: a position and a quaternion.
    Free,
}

impl JointMotion {
    /// Its direction; none if it moves in all.
    pub fn direction(self) -> Option<JointDirection> {
        match self {
            Rotation(direction, _) | Translation(direction, _) | Screw(direction, _) => {
                Some(direction)
            }
            Spherical | Free => None,
        }
    }

    /// Returns `true` if it moves points along some direction.
    pub fn translates(self) -> bool {
        match self {
            Translation(..) | Screw(..) | Free => true,
            Rotation(..) | Spherical => false,
        }
    }

    /// Returns `true` if it changes directions.
    pub fn rotates(self) -> bool {
        match self {
            Rotation(..) | Screw(..) | Spherical | Free => true,
            Translation(..) => false,
        }
    }

    /// Its first coordinate among those of the joint.
    pub fn coordinate(self) -> usize {
        match self {
            Rotation(_, at) | Translation(_, at) | Screw(_, at) => at,
            Spherical | Free => 0,
        }
    }
}

/// Directions in which a joint does not move: the constraints of a loop closure of its type. Axes
/// are counted from zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blocked {
    /// All displacements.
    Position,
    /// Displacements at right angles to an axis of the first body.
    Across(usize),
    /// Displacements along an axis of the first body.
    Along(usize),
    /// All rotations.
    Orientation,
    /// Rotations that tilt an axis.
    Tilt(usize),
    /// Changes of the angle between an axis of the first body and one of the second.
    Angle(usize, usize),
    /// Displacements along an axis, other than those that belong to the rotation about it.
    Screw(usize),
}

/// The motion along one degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// A translation.
    Length,
    /// A rotation.
    Angle,
}

impl Along {
    /// The one of two that belongs to it.
    pub fn choose<T>(self, of_length: T, of_angle: T) -> T {
        match self {
            Along::Length => of_length,
            Along::Angle => of_angle,
        }
    }
}

/// The specification of a joint type.
#[derive(Clone, Debug)]
pub struct JointSpecification {
    /// The word in files.
    word: &'static str,
    /// The word for a loop closure of this type.
    closure_word: &'static str,
    /// The elementary motions, in turn.
    motions: &'static [JointMotion],
    /// Number of axes.
    axes: usize,
    /// Number of speeds.
    speeds: usize,
    /// The dimension of each speed.
    along: [Along; 6],
}

impl JointSpecification {
    /// The specification of a chain of motions. The compiler refuses chains whose blocked
    /// directions are not known.
    const fn new(word: &'static str, motions: &'static [JointMotion]) -> JointSpecification {
        let mut along = [Along::Angle; 6];
        let (mut axes, mut speeds) = (0, 0);
        let (mut translations, mut across, mut rotations) = (0, 0, 0);
        let mut at = 0;
        while at < motions.len() {
            let (direction, coordinate, own) = match motions[at] {
                Rotation(direction, coordinate) => (direction, coordinate, Along::Angle),
                Translation(direction, coordinate) => (direction, coordinate, Along::Length),
                Screw(direction, coordinate) => {
                    assert!(motions.len() == 1, "a screw is no part of a chain");
                    (direction, coordinate, Along::Angle)
                }
                Spherical | Free => {
                    assert!(motions.len() == 1, "a quaternion is no part of a chain");
                    speeds = if matches!(motions[at], Free) { 6 } else { 3 };
                    if speeds == 6 {
                        (along[0], along[1], along[2]) =
                            (Along::Length, Along::Length, Along::Length);
                    }
                    break;
                }
            };
            let needed = match direction {
                Axis(axis) => axis + 1,
                Across(_) => 1,
            };
            across += matches!(direction, Across(_)) as usize;
            axes = if needed > axes { needed } else { axes };
            match own {
                Along::Length => {
                    assert!(rotations == 0, "translations come before rotations");
                    translations += 1;
                }
                Along::Angle => rotations += 1,
            }
            along[coordinate] = own;
            speeds += 1;
            at += 1;
        }
        assert!(
            across == 0 && translations < 2 || across == 2 && translations == 2,
            "two translations are those across the axis"
        );
        assert!(axes <= 2 && translations <= 2 && rotations <= 2, "a chain is short");
        JointSpecification { word, closure_word: word, motions, axes, speeds, along }
    }

    /// With another word for loop closures.
    const fn closed_as(self, closure_word: &'static str) -> JointSpecification {
        JointSpecification { closure_word, ..self }
    }
}

impl JointType {
    fn specification(self) -> &'static JointSpecification {
        &SPECIFICATIONS[self as usize]
    }

    /// The word in files.
    pub fn word(self) -> &'static str {
        self.specification().word
    }

    /// The word for a loop closure of this type.
    pub fn closure_word(self) -> &'static str {
        self.specification().closure_word
    }

    /// Number of axes that the joint needs.
    pub fn axes(self) -> usize {
        self.specification().axes
    }

    /// Degrees of freedom, which is the number of speeds.
    pub fn speeds(self) -> usize {
        self.specification().speeds
    }

    /// The dimension of each speed: the rate of a length or an angle.
    pub fn along(self) -> &'static [Along] {
        let specification = self.specification();
        &specification.along[..specification.speeds]
    }

    /// The elementary motions, in turn.
    pub fn motions(self) -> &'static [JointMotion] {
        self.specification().motions
    }

    /// True if the joint has a pitch.
    pub fn has_pitch(self) -> bool {
        matches!(self.motions(), [Screw(..)])
    }

    /// The first coordinate of the quaternion, if there is one.
    pub fn quaternion(self) -> Option<usize> {
        match self.motions() {
            [Spherical] => Some(0),
            [Free] => Some(3),
            [] | [Rotation(..) | Translation(..) | Screw(..), ..] | [Spherical | Free, ..] => None,
        }
    }

    /// The number of coordinates: one more than speeds where there is a quaternion.
    pub fn coordinates(self) -> usize {
        self.speeds() + usize::from(self.quaternion().is_some())
    }

    /// The directions in which it does not move.
    pub fn blocked(self) -> Vec<Blocked> {
        let (mut translations, mut rotations) = (Vec::new(), Vec::new());
        for motion in self.motions() {
            // Translations across the first axis come in pairs.
            let axis = motion.direction().map(|direction| match direction {
                Axis(axis) => axis,
                Across(_) => 0,
            });
            match (motion, axis) {
                (Translation(..), axis) => translations.extend(axis),
                (Rotation(..), axis) => rotations.extend(axis),
                (Screw(..), axis) => {
                    let rows =
                        |axis| [Blocked::Across(axis), Blocked::Tilt(axis), Blocked::Screw(axis)];
                    return axis.into_iter().flat_map(rows).collect();
                }
                (Spherical, _) => return vec![Blocked::Position],
                (Free, _) => return Vec::new(),
            }
        }
        let position = match translations[..] {
            [] => Blocked::Position,
            [one] => Blocked::Across(one),
            [normal, ..] => Blocked::Along(normal),
        };
        let orientation = match rotations[..] {
            [] => Blocked::Orientation,
            [one] => Blocked::Tilt(one),
            [first, second, ..] => Blocked::Angle(first, second),
        };
        vec![position, orientation]
    }

    /// True if the joint, taken from its second body to its first, has the same coordinates about
    /// axes of opposite sign: all its motions are about one axis.
    pub fn reverses_by_sign(self) -> bool {
        let about_first = |motion: &JointMotion| {
            matches!(motion, Rotation(Axis(0), _) | Translation(Axis(0), _) | Screw(Axis(0), _))
        };
        self.motions().iter().all(about_first)
    }

    /// True if the joint, taken from its second body to its first, is a joint of its type: no
    /// rotation leads a translation to a direction that the first body does not have.
    pub fn reverses(self) -> bool {
        let axis = |motion: &JointMotion| match motion.direction() {
            Some(Axis(axis)) => axis,
            Some(Across(_)) | None => 0,
        };
        let mixed = matches!(self.motions(), [Translation(..), .., Rotation(..)]);
        !mixed || self.motions().iter().all(|motion| axis(motion) == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_and_blocked_directions_are_six() {
        for (kind, word) in JointType::ALL {
            let rows = |blocked: &Blocked| match blocked {
                Blocked::Position | Blocked::Orientation => 3,
                Blocked::Across(_) | Blocked::Tilt(_) => 2,
                Blocked::Along(_) | Blocked::Angle(..) | Blocked::Screw(_) => 1,
            };
            let blocked: usize = kind.blocked().iter().map(rows).sum();
            assert_eq!(blocked + kind.speeds(), 6, "{word}");
            assert!(kind.reverses(), "{word}");
        }
    }
}
