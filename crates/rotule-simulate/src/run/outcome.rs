//! The outcome of a run.

use super::jump::Jump;
use crate::event::Record;
use crate::explain::Reason;
use crate::method::{Failure, Work};
use crate::monitor::{Condition, Drift};
use crate::plant::Effort;
use crate::ranges::Leaving;
use std::fmt;

/// A change of the independent coordinates.
#[derive(Clone, Debug, PartialEq)]
pub struct PartitionSwitch {
    /// When.
    pub t: f64,
    /// The independent coordinates before; none if all coordinates were the state.
    pub from: Vec<String>,
    /// The independent coordinates after.
    pub to: Vec<String>,
    /// The condition before.
    pub before: Condition,
    /// The condition after.
    pub after: Condition,
    /// The failure that made it necessary, if it was one.
    pub failure: Option<String>,
}

/// The end of a run.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The requested time was reached.
    Reached,
    /// An observer or a progress callback stopped the run.
    Stopped,
    /// An event of the model with `end = true` ended the run; its name.
    Event(String),
    /// No further step could be made.
    Failed(Failure),
}

/// The end as a summary says it: `reached`, ``ended by `landing` ``.
impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            End::Reached => f.write_str("reached"),
            End::Event(name) => write!(f, "ended by `{name}`"),
            End::Stopped => f.write_str("stopped before the end"),
            End::Failed(failure) => write!(f, "failed: {failure}"),
        }
    }
}

/// The outcome of a run.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The reason why it ended.
    pub end: End,
    /// When.
    pub t: f64,
    /// The work of the method.
    pub work: Work,
    /// The cost of evaluations.
    pub effort: Effort,
    /// Changes of independent coordinates.
    pub switches: Vec<PartitionSwitch>,
    /// Changes of the order of elimination alone.
    pub reorders: u64,
    /// The worst condition at any accepted step.
    pub worst: f64,
    /// The smallest singular value of `J_v`, scaled, and when it was.
    pub smallest: Option<(f64, f64)>,
    /// When singular positions of the mechanism were come near to and passed with all coordinates
    /// as the state.
    pub passed: Vec<f64>,
    /// The largest residuals of constraints at accepted steps.
    pub drift: Drift,
    /// Points that were kept.
    pub samples: u64,
    /// The events that happened.
    pub events: Vec<Record>,
    /// Number of times that a step was cut because a law switches there.
    pub law_switches: u64,
    /// The energy that events took out of the motion: when and how much, kinetic and potential.
    pub losses: Vec<(f64, f64)>,
    /// `true` if there are constraints.
    pub constrained: bool,
    /// The reason of a failure, as far as can be told.
    pub reason: Option<Reason>,
    /// Joints that left their ranges.
    pub left: Vec<Leaving>,
    /// Jumps of imposed motions.
    pub jumps: Vec<Jump>,
    /// Switches of Euler-angle sequences near gimbal lock: when and how.
    pub sequence_switches: Vec<(f64, String)>,
}

impl Outcome {
    /// That of a run that begins.
    pub(super) fn begin(t: f64, constrained: bool) -> Outcome {
        Outcome {
            end: End::Reached,
            t,
            work: Work::default(),
            effort: Effort::default(),
            switches: Vec::new(),
            reorders: 0,
            worst: 0.0,
            smallest: None,
            passed: Vec::new(),
            drift: Drift::default(),
            samples: 0,
            events: Vec::new(),
            law_switches: 0,
            losses: Vec::new(),
            constrained,
            reason: None,
            left: Vec::new(),
            jumps: Vec::new(),
            sequence_switches: Vec::new(),
        }
    }

    /// Takes note of the condition at an accepted step.
    pub(super) fn note_condition(&mut self, condition: Condition, partitioned: bool) {
        if partitioned {
            self.worst = self.worst.max(condition.amplification);
        }
        if self.smallest.is_none_or(|(known, _)| condition.smallest < known) {
            self.smallest = Some((condition.smallest, self.t));
        }
    }

    /// Takes note of the largest residuals.
    pub(super) fn note_drift(&mut self, drift: Drift) {
        self.drift.position = self.drift.position.max(drift.position);
        self.drift.velocity = self.drift.velocity.max(drift.velocity);
    }
}
