//! Many motions of one mechanism, with other parameters or from other initial states, a few side by
//! side.
//!
//! A [`Recipe`] is what all of them share: the programs and what is independent. A [`LaneBlock`]
//! runs as many at once as a kernel has lanes. Whoever makes a study hands blocks to threads, and
//! runs alone what a block gives back.

mod block;
mod lanes;

pub use block::LaneBlock;

use crate::friction::sticks;
use crate::run::Threshold;
use crate::watched;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::function::FunctionKind;
use rotule_formalism::switches::compares;
use rotule_formalism::{ModelFunction, MultibodySystem, Problem};
use rotule_numeric::choose_partition;
use rotule_numeric::generate;
use rotule_numeric::state::StatePlace;
use rotule_program::Program;
use std::sync::Arc;

/// The data that all motions of a study share.
#[derive(Clone)]
pub struct Recipe {
    /// The mechanism, with the choice of what is independent.
    pub tree: MultibodySystem,
    motion: Arc<Program>,
    constraints: Option<Arc<Program>>,
    /// The functions that are read, in one program, and where the numbers of each begin.
    watched: Option<Arc<Program>>,
    starts: Vec<usize>,
    threshold: Threshold,
}

/// Where a number of a motion is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MotionReading {
    /// A number of the state.
    State(StatePlace),
    /// A number among all that a function gives.
    Function {
        /// The position of the function among the recipe's.
        which: usize,
        /// The position of the number among the function's.
        at: usize,
    },
    /// Kinetic, potential and elastic energy, the first numbers of three functions, added; nothing
    /// may be elastic.
    Energy([usize; 2], Option<usize>),
}

/// The end of a motion of a block.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// At the requested time.
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
        mut tree: MultibodySystem,
        functions: &[String],
        threshold: Threshold,
    ) -> Result<Recipe, Problem> {
        let constrained = is_constrained(&tree.mechanism);
        if constrained && tree.strategy.partition.is_none() {
            tree.strategy.partition = Some(choose_partition(&tree, FunctionKind::Motion)?);
        }
        let program = |name: &str| -> Result<Arc<Program>, Problem> {
            let function = ModelFunction::parse(name, &tree)?;
            Ok(Arc::new(generate(&tree, &function, None)?.program))
        };
        let motion = program("motion")?;
        let constraints = if constrained { Some(program("constraints")?) } else { None };
        let (mut watched, mut starts) = (None, Vec::new());
        if !functions.is_empty() {
            // The numbers of a motion alone.
            let written = watched::write(&tree, &tree)?;
            let mut chosen = Vec::new();
            for name in functions {
                let function = ModelFunction::parse(name, &tree)?;
                let missing = || Problem::new(format!("`{name}` cannot be watched"), "");
                let at = written.position(&function).ok_or_else(missing)?;
                chosen.push((at, vec![true; written.lens(at).sum()]));
            }
            let (program, ranges) = written.numbers(&chosen);
            let lens: Vec<usize> =
                program.outputs().iter().map(|one| one.dense_len() as usize).collect();
            starts = ranges.iter().map(|range| lens[..range.start].iter().sum()).collect();
            watched = Some(Arc::new(program));
        }
        Ok(Recipe { motion, constraints, watched, starts, threshold, tree })
    }

    /// The reason why motions of a mechanism cannot be run side by side, if there is one.
    pub fn reason_to_run_alone(tree: &MultibodySystem) -> Option<&'static str> {
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
