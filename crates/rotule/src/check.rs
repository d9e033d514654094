//! The check of a mechanism: its structure, and the numbers of its loops.

use crate::loops::{Loops, loops};
use rotule_model::mechanism::Mechanism;
use rotule_model::{Structure, structure};
use std::fmt;

/// The structure of a mechanism: bodies, branches, loops, degrees of freedom. `Display` shows it as `rotule check` does.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// assert!(model.check().to_string().contains("degrees of freedom"));
/// # Ok::<(), rotule::Error>(())
/// ```
pub struct Check {
    /// The structure.
    pub structure: Structure,
    /// Rank, redundancy and partition of its constraints; none if it has none.
    pub loops: Option<Loops>,
}

impl Check {
    pub(crate) fn new(mechanism: &Mechanism) -> Check {
        Check { structure: structure(mechanism), loops: loops(mechanism) }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.structure.text())?;
        self.loops.as_ref().map_or(Ok(()), |loops| f.write_str(&loops.text()))
    }
}
