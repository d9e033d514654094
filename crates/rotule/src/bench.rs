//! Measurements: generated code of a model beside that of other codes, each checked before it is timed.

pub use rotule_bench::{
    COMPARISONS, Comparison, Group, Peer, Report, Row, TOLERANCE, Third, Times, Verdict, Way, Who,
    Wish,
};

use crate::package::{self, package};
use rotule_emit::Package;
use rotule_formalism::state::State;
use rotule_formalism::{Problem, Tree};

/// Measures a model whose parameters are numbers. `hear` is told what is done.
pub fn bench(
    tree: &Tree,
    wish: &Wish<'_>,
    hear: &mut (dyn FnMut(&str) + Send),
) -> Result<Report, Problem> {
    rotule_bench::bench(tree, &write, wish, hear)
}

fn write(tree: &Tree, written: &rotule_bench::Written<'_>) -> Result<Package, Problem> {
    let wish = package::Wish {
        functions: &written.functions.join(","),
        prefix: Some(written.prefix),
        size: written.size,
        batch: written.batch,
        ..package::Wish::default()
    };
    package(tree, &wish, &State::initial(tree), &mut |_| {})
}
