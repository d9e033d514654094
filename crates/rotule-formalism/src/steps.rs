//! What is done to a tree so that its equations become cheaper, step by step.
//!
//! Each step can be left out, so that what it gains can be counted and what it does can be compared with doing
//! nothing. Results are in the user's frames and names whatever the steps are.

/// Which steps are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    /// Inertial parameters that act alike are regrouped, so that the fewest remain.
    pub regroup: bool,
    /// Origins slide along the axes of turns to where offsets vanish.
    pub slide: bool,
    /// Frames of outermost bodies turn about their axis until their centre of mass is on a frame axis.
    pub turn: bool,
    /// The most frequent offset is the unit of length.
    pub unit: bool,
    /// The acceleration of a turn's axis comes from the parent, instead of the angular acceleration across it.
    pub columns: bool,
    /// Accelerations are found as differences to such that make other terms vanish.
    pub reference: bool,
}

impl Steps {
    /// All steps.
    pub const ALL: Steps = Steps {
        regroup: true,
        slide: true,
        turn: true,
        unit: true,
        columns: true,
        reference: true,
    };
    /// No step.
    pub const NONE: Steps = Steps {
        regroup: false,
        slide: false,
        turn: false,
        unit: false,
        columns: false,
        reference: false,
    };

    /// No step, then one more at a time, with a name for what was added last.
    pub const GROWING: [(&str, Steps); 7] = [
        ("none", Steps::NONE),
        ("regrouped parameters", Steps { regroup: true, ..Steps::NONE }),
        ("origins slid", Steps { regroup: true, slide: true, ..Steps::NONE }),
        (
            "outermost frames turned",
            Steps { regroup: true, slide: true, turn: true, ..Steps::NONE },
        ),
        ("unit of length", Steps { columns: false, reference: false, ..Steps::ALL }),
        ("accelerations of axes", Steps { reference: false, ..Steps::ALL }),
        ("chosen accelerations", Steps::ALL),
    ];
}
