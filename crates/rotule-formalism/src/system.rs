//! A multibody system: a mechanism made ready for formalisms, as four values.
//!
//! ```text
//! Mechanism --normalise--> MultibodySystem { mechanism, tree, motion, strategy }
//! ```
//!
//! The tree says what moves on what, the motion input what the recursions compute, and the
//! strategy how they go. Formalisms change none of them: whoever needs another tree, such as one
//! with other frames, or another motion, such as one without accelerations, makes one.

use crate::choices::Choices;
use crate::constraint::partition::CoordinatePartition;
use crate::program_cache::ProgramCache;
use crate::transformations::Transformations;
use crate::tree::Tree;
use rotule_model::index::{ByCoordinate, BySpeed, SpeedId};
use rotule_model::mechanism::Mechanism;
use rotule_symbolic::{Expr, Vector};

/// A mechanism and what formalisms need beside it.
#[derive(Clone)]
pub struct MultibodySystem {
    /// The mechanism, with what is known of locked and driven joints put into its laws. All
    /// expressions are in its graph.
    pub mechanism: Mechanism,
    /// The bodies and elementary joints that recursions run on.
    pub tree: Tree,
    /// Coordinates, speeds and accelerations that equations are about.
    pub motion: MotionInput,
    /// Choices that are free in writing equations.
    pub strategy: Strategy,
    /// The cache of programs, if trees of other numbers need them, too.
    pub program_cache: Option<ProgramCache>,
}

/// Motion that equations are about: expressions for everything that moves, and the laws at these.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionInput {
    /// All coordinates in the mechanism's order: symbols, or what they are where a joint is locked
    /// or driven.
    pub q: ByCoordinate<Expr>,
    /// All speeds, likewise.
    pub qd: BySpeed<Expr>,
    /// All accelerations, likewise.
    pub qdd: BySpeed<Expr>,
    /// The efforts of joint laws, one per speed.
    pub laws: BySpeed<Expr>,
    /// The laws of other elements.
    pub elements: ElementLaws,
    /// Gravity, in the axes of the ground.
    pub gravity: Vector,
}

/// Laws of line forces, forces at places and wheels, in the order of the mechanism.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElementLaws {
    /// The forces of line forces.
    pub line_forces: Vec<Expr>,
    /// Force and torque of forces at places.
    pub forces: Vec<[Vector; 2]>,
    /// The laws of wheels.
    pub wheels: Vec<[Expr; 6]>,
}

/// Choices that are free in writing equations.
#[derive(Clone)]
pub struct Strategy {
    /// The model transformations that make equations cheaper before recursions run.
    pub transformations: Transformations,
    /// The choices that differ from the rules of thumb.
    pub choices: Choices,
    /// The coordinate partition, for functions that close loops. Formalisms find none by
    /// themselves.
    pub partition: Option<CoordinatePartition>,
    /// The partition with intermittent constraints engaged, for functions that have them as an
    /// argument.
    pub engaged_partition: Option<CoordinatePartition>,
    /// The numbers of `S'` in the columns of drives, by independent speeds, in a closed position
    /// of the largest rank: for the order of pivots where drives share work.
    pub drive_map: Option<Vec<Vec<f64>>>,
}

impl Default for Strategy {
    /// All transformations, and the rules of thumb.
    fn default() -> Strategy {
        Strategy {
            transformations: Transformations::ALL,
            choices: Choices::default(),
            partition: None,
            engaged_partition: None,
            drive_map: None,
        }
    }
}

impl MotionInput {
    /// Returns `true` if the acceleration of a speed is not known beforehand.
    pub fn is_free(&self, mechanism: &Mechanism, speed: SpeedId) -> bool {
        self.qdd[speed] == mechanism.speeds[speed.index()].acceleration
    }
}

impl MultibodySystem {
    /// The number of speeds.
    pub fn speeds(&self) -> usize {
        self.motion.qd.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::writer::Sheet;

    #[test]
    fn systems_trees_and_sheets_go_to_other_threads() {
        fn send<T: Send>() {}
        fn sync<T: Sync>() {}
        send::<MultibodySystem>();
        sync::<MultibodySystem>();
        send::<Tree>();
        sync::<Tree>();
        send::<MotionInput>();
        send::<Strategy>();
        send::<Sheet>();
    }
}
