//! Paths between two bodies of a tree: the bodies whose joints a loop runs through.

use crate::mechanism::BodyId;

/// The most steps that all paths of a mechanism together may have. Loops that span long chains cost
/// their length each, so that a hostile file could ask for the square of its own.
const STEPS: usize = 20_000_000;

/// Finds paths in a tree.
pub struct Paths {
    parents: Vec<usize>,
    steps: usize,
}

impl Paths {
    /// For a tree given by the parent of each body, parents before children.
    pub fn new(parents: Vec<usize>) -> Paths {
        Paths { parents, steps: STEPS }
    }

    /// The bodies whose joints lie between two bodies: from the first up to below the common
    /// ancestor, then down to the second. None if too many steps were made already.
    pub fn between(&mut self, first: BodyId, second: BodyId) -> Option<Vec<BodyId>> {
        let (mut a, mut b) = (first.index(), second.index());
        let (mut up, mut down) = (Vec::new(), Vec::new());
        // Parents have smaller positions: the larger of the two can always go up.
        while a != b {
            self.steps = self.steps.checked_sub(1)?;
            if a > b {
                up.push(BodyId::new(a));
                a = self.parents[a];
            } else {
                down.push(BodyId::new(b));
                b = self.parents[b];
            }
        }
        up.extend(down.into_iter().rev());
        Some(up)
    }
}
