//! The check of a mechanism: its structure, and the numbers of its loops.

use crate::diagnostics;
use crate::loops::{Loops, loops};
use rotule_model::mechanism::Mechanism;
use rotule_model::{Diagnostics, Sources, Structure, structure};
use serde_json::Value;
use std::fmt;

/// The structure of a mechanism: bodies, branches, loops, degrees of freedom. `Display` shows it as
/// `rotule check` does.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let check = model.check();
/// assert!(check.to_string().contains("degrees of freedom"));
/// assert_eq!(check.json()["warnings"], 0);
/// assert!(check.loops.is_none(), "there are no loops to close");
/// # Ok::<(), rotule::Error>(())
/// ```
pub struct Check {
    /// The structure.
    pub structure: Structure,
    /// Rank, redundancy and partition of its constraints; none if it has none.
    pub loops: Option<Loops>,
    json: Value,
}

impl Check {
    pub(crate) fn new(mechanism: &Mechanism, found: &Diagnostics, sources: &Sources) -> Check {
        let (structure, loops) = (structure(mechanism), loops(mechanism));
        let mut json = diagnostics::json(found, sources);
        json["structure"] = serde_json::to_value(&structure).unwrap_or_default();
        json["closure"] = loops.as_ref().map_or(Value::Null, Loops::json);
        Check { structure, loops, json }
    }

    /// Diagnostics, structure and closure for tools, as `rotule check --json` writes them. A model
    /// that cannot be used has only diagnostics: see [`diagnostics::json`].
    pub fn json(&self) -> &Value {
        &self.json
    }
}

impl fmt::Display for Check {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.structure.text())?;
        self.loops.as_ref().map_or(Ok(()), |loops| f.write_str(&loops.text()))
    }
}
