//! Many motions of one mechanism, with other parameters or from other initial states, a few side by
//! side.
//!
//! A [`Recipe`] is what all of them share: the programs and what is independent. A [`LaneBlock`]
//! runs as many at once as a kernel has lanes. Whoever makes a study hands blocks to threads, and
//! runs alone what a block gives back.

mod block;
mod points;

pub use block::LaneBlock;
pub(crate) use points::by_width;
pub use points::{Points, Several};

use crate::case::state;
use crate::friction::sticks;
use crate::run::Threshold;
use rotule_formalism::constraint::closed::choice;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::switches::compares;
use rotule_formalism::{ModelFunction, Problem, Tree, generate};
use rotule_program::Program;
use std::sync::Arc;

/// The data that all motions of a study share.
#[derive(Clone)]
pub struct Recipe {
    /// The mechanism, with the choice of what is independent.
    pub tree: Tree,
    motion: Arc<Program>,
    constraints: Option<Arc<Program>>,
    functions: Vec<Arc<Program>>,
    coordinates: Vec<usize>,
    speeds: Vec<usize>,
    threshold: Threshold,
}

/// Where a number of a motion is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionReading {
    /// Time.
    Time,
    /// A coordinate.
    Coordinate(usize),
    /// A speed.
    Speed(usize),
    /// A state besides them.
    State(usize),
    /// An acceleration.
    Acceleration(usize),
    /// A number among all that a function gives.
    Function {
        /// The position of the function among the recipe's.
        which: usize,
        /// The position of the number among the function's.
        at: usize,
    },
    /// The first numbers of two functions, added.
    Sum(usize, usize),
}

/// The end of a motion of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// At the time that was asked for.
    Reached,
    /// At the observer's request.
    Stopped {
        /// When.
        t: f64,
    },
    /// It needs what a block does not do, and is to be run alone.
    Alone {
        /// When that was seen.
        t: f64,
        /// Its kind.
        why: String,
    },
}

impl Recipe {
    /// The programs of a mechanism, and those of further functions that are to be read, by their
    /// names.
    pub fn new(
        mut tree: Tree,
        functions: &[String],
        threshold: Threshold,
    ) -> Result<Recipe, Problem> {
        let constrained = is_constrained(&tree);
        if constrained && tree.choice.is_none() {
            tree.choice = Some(choice(&tree, "motion")?);
        }
        let program = |name: &str| {
            let function = ModelFunction::parse(name, &tree)?;
            Ok(Arc::new(generate(&tree, &function, None)?.program))
        };
        let motion = program("motion")?;
        let constraints = if constrained { Some(program("constraints")?) } else { None };
        let functions =
            functions.iter().map(|name| program(name)).collect::<Result<_, Problem>>()?;
        let (coordinates, speeds) = state(&tree, &[]);
        Ok(Recipe { motion, constraints, functions, coordinates, speeds, threshold, tree })
    }

    /// The reason why motions of a mechanism cannot be run side by side, if there is one.
    pub fn reason_to_run_alone(tree: &Tree) -> Option<&'static str> {
        if !tree.mechanism.events.is_empty() {
            return Some("events happen at different times");
        }
        if sticks(&tree.mechanism) {
            return Some("friction sticks at different times");
        }
        compares(tree).then_some("laws that switch cut the steps of each at other times")
    }

    /// The program of the equations of motion.
    pub fn motion(&self) -> &Program {
        &self.motion
    }
}
