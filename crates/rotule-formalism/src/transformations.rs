//! Transformations of the model that make its equations cheaper, one after the other.
//!
//! Each one can be left out, so that what it gains can be counted and what it does can be compared
//! with doing nothing. Results are in the user's frames and names whatever is transformed.

/// The transformations that are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transformations {
    /// Inertial parameters that act alike are regrouped, so that the fewest remain.
    pub regroup: bool,
    /// Of regrouped bodies that rotate, one moment of inertia becomes the sum of the other two
    /// where that pays.
    pub flat: bool,
    /// Origins move along the axes of rotations to where offsets vanish.
    pub slide: bool,
    /// Frames of outermost bodies rotate about their axis until their centre of mass is on a frame
    /// axis.
    pub turn: bool,
    /// The most frequent offset is the unit of length.
    pub unit: bool,
    /// The acceleration of a turn's axis comes from the parent, instead of the angular acceleration
    /// across it.
    pub columns: bool,
    /// Accelerations are found as differences to such that make other terms vanish.
    pub reference: bool,
}

impl Transformations {
    /// All transformations.
    pub const ALL: Transformations = Transformations {
        regroup: true,
        flat: true,
        slide: true,
        turn: true,
        unit: true,
        columns: true,
        reference: true,
    };
    /// No transformation.
    pub const NONE: Transformations = Transformations {
        regroup: false,
        flat: true,
        slide: false,
        turn: false,
        unit: false,
        columns: false,
        reference: false,
    };
    /// Transformations that change no frame and no unit, so that a quantity is the same in all
    /// parts of the equations.
    pub const PLAIN: Transformations =
        Transformations { regroup: true, flat: false, ..Transformations::NONE };

    /// No transformation, then one more at a time, with a name for what was added last.
    pub const GROWING: [(&str, Transformations); 7] = [
        ("none", Transformations::NONE),
        ("regrouped parameters", Transformations { regroup: true, ..Transformations::NONE }),
        (
            "origins moved along axes",
            Transformations { regroup: true, slide: true, ..Transformations::NONE },
        ),
        (
            "outermost frames rotated",
            Transformations { regroup: true, slide: true, turn: true, ..Transformations::NONE },
        ),
        (
            "unit of length",
            Transformations { columns: false, reference: false, ..Transformations::ALL },
        ),
        ("accelerations of axes", Transformations { reference: false, ..Transformations::ALL }),
        ("chosen accelerations", Transformations::ALL),
    ];
}
