//! `rotule check`: diagnostics go to standard error, as a compiler shows them, the structure of the
//! mechanism to standard output.

use super::failure::Failure;
use super::laws::{ModelWithLaws, judge};
use super::models::{ask, counts, read, show, unusable};
use super::output;
use super::terminal::paint_headings;
use clap::Args;
use rotule::diagnostics;

#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    pub source: ModelWithLaws,

    /// Write diagnostics and structure as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The text that `--help` adds.
pub const HELP: &str = "\
All problems are reported at once, each with its place. The structure follows:
tree, loops, coordinates, constraints, degrees of freedom, planar parts. Loops
are closed in numbers: rank, redundant constraints, partition and its blocks.
--independent asks for a partition; it is kept to, or refused with the reason.
The exit code is 1 if there are errors; warnings alone leave it 0.

A model is a file of Rotule (.toml), URDF, SDF, MJCF or ROBOTRAN (.mbs).
--with adds what such a file lacks: loops, laws, sensors, initial values.

Examples:
  rotule check examples/four_bar_joint.toml
  rotule check examples/formats/arm.urdf --floating-base
  rotule check examples/formats/arm.urdf --with examples/formats/arm_spring.toml
  rotule check examples/train_20.toml --json";

/// `rotule check`
pub fn check(check: &Check) -> Result<(), Failure> {
    let mut model = match read(&check.source.model)? {
        Ok(model) => ask(model, Some(&check.source.loops))?,
        Err(rejected) => {
            let (findings, sources) = (&rejected.diagnostics, &rejected.sources);
            match check.json {
                true => output::data(&format!("{:#}\n", diagnostics::json(findings, sources)))?,
                false => show(findings, sources, output::is_quiet()),
            }
            return Err(unusable(findings));
        }
    };
    check.source.laws.supply(&mut model)?;
    output::doing("closing loops");
    let found = judge(&model, Ok(model.check()))?;
    if check.json {
        return output::data(&format!("{:#}\n", found.json()));
    }
    if output::is_quiet() {
        return Ok(());
    }
    show(model.diagnostics(), model.sources(), false);
    let initial = found.loops.as_ref().and_then(|loops| loops.initial.as_ref());
    if let Some(report) = initial {
        output::remark(&report.text());
    }
    output::painted(&found.to_string(), paint_headings)?;
    if let Some(counts) = counts(model.diagnostics(), initial) {
        output::remark(&format!("\n{counts}"));
    }
    Ok(())
}
