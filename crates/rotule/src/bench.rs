//! Measurements: generated code of a model beside that of other codes, each checked before it is
//! timed.
//!
//! [`Model::bench`] measures on Linux, with a C compiler.
//!
//! ```no_run
//! use rotule::bench::BenchOptions;
//!
//! let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
//! let options = BenchOptions { functions: Some("inverse,mass"), ..BenchOptions::default() };
//! let report = model.bench(&options, &mut |doing| eprintln!("{doing}"))?;
//! assert!(!report.differs(), "numbers of all codes agree");
//! print!("{}", report.text(false));
//! # Ok::<(), rotule::Error>(())
//! ```

pub use rotule_bench::{
    BenchComparison, BenchGroup, BenchOptions, BenchReport, BenchRow, BenchVariant, BenchVerdict,
    COMPARISONS, Peer, TOLERANCE, Third, Times, Who,
};

use crate::error::Error;
use crate::model::Model;
use crate::package::{self, package};
use rotule_emit::Package;
use rotule_formalism::{MultibodySystem, Problem};
use rotule_numeric::state::StateNumbers;
use std::ops::ControlFlow;

impl Model {
    /// Measures generated code of the model, as `rotule bench` does. Parameters become numbers of
    /// the code. `hear` is told what is done.
    pub fn bench(
        &self,
        options: &BenchOptions<'_>,
        hear: &mut (dyn FnMut(&str) + Send),
    ) -> Result<BenchReport, Error> {
        let mut model = self.clone();
        Ok(bench(model.freeze_all().tree(), options, hear)?)
    }
}

/// Measures a model whose parameters are numbers. `hear` is told what is done.
pub fn bench(
    tree: &MultibodySystem,
    options: &BenchOptions<'_>,
    hear: &mut (dyn FnMut(&str) + Send),
) -> Result<BenchReport, Problem> {
    rotule_bench::bench(tree, &write, options, hear)
}

fn write(tree: &MultibodySystem, written: &rotule_bench::Written<'_>) -> Result<Package, Problem> {
    let options = package::PackageOptions {
        functions: &written.functions.join(","),
        prefix: Some(written.prefix),
        size: written.size,
        batch: written.batch,
        ..package::PackageOptions::default()
    };
    package(tree, &options, &StateNumbers::initial(tree), &mut |_| ControlFlow::Continue(()))
}
