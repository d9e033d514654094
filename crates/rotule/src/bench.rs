//! Measurements: generated code of a model beside that of other codes, each checked before it is
//! timed.

pub use rotule_bench::{
    BenchComparison, BenchGroup, BenchOptions, BenchReport, BenchRow, BenchVariant, BenchVerdict,
    COMPARISONS, Peer, TOLERANCE, Third, Times, Who,
};

use crate::package::{self, package};
use rotule_emit::Package;
use rotule_formalism::state::StateNumbers;
use rotule_formalism::{Problem, Tree};

/// Measures a model whose parameters are numbers. `hear` is told what is done.
pub fn bench(
    tree: &Tree,
    options: &BenchOptions<'_>,
    hear: &mut (dyn FnMut(&str) + Send),
) -> Result<BenchReport, Problem> {
    rotule_bench::bench(tree, &write, options, hear)
}

fn write(tree: &Tree, written: &rotule_bench::Written<'_>) -> Result<Package, Problem> {
    let options = package::PackageOptions {
        functions: &written.functions.join(","),
        prefix: Some(written.prefix),
        size: written.size,
        batch: written.batch,
        ..package::PackageOptions::default()
    };
    package(tree, &options, &StateNumbers::initial(tree), &mut |_| {})
}
