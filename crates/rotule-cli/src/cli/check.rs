//! `rotule check`: findings go to standard error, as a compiler shows them, the structure of the mechanism to
//! standard output.

use super::failure::Failure;
use super::models::{Loops, Model, ask, read, show, verdict};
use super::output;
use clap::Args;
use rotule::layers::model::{Diagnostics, Severity, Sources, structure};
use rotule::layers::symbolic::line_column;
use serde_json::{Value, json};

#[derive(Args)]
pub struct Check {
    #[command(flatten)]
    pub model: Model,

    #[command(flatten)]
    pub loops: Loops,

    /// Write findings and structure as JSON.
    #[arg(long)]
    pub json: bool,
}

/// What `--help` adds.
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
    let (sources, mut loaded) = read(&check.model)?;
    if let Some(mechanism) = &mut loaded.mechanism {
        ask(mechanism, &check.loops)?;
    }
    let findings = &loaded.diagnostics;
    let structure = loaded.mechanism.as_ref().map(structure);
    let loops = loaded.mechanism.as_ref().and_then(rotule::layers::loops);
    if check.json {
        let report = json!({
            "valid": structure.is_some(),
            "errors": findings.count(Severity::Error),
            "warnings": findings.count(Severity::Warning),
            "diagnostics": diagnostics_json(findings, &sources),
            "structure": structure,
            "closure": loops.as_ref().map(rotule::Loops::json),
        });
        output::data(&format!("{report:#}\n"))?;
    } else {
        show(findings, &sources);
        if let Some(report) = loops.as_ref().and_then(|loops| loops.initial.as_ref()) {
            output::message(&report.text());
        }
        if let Some(structure) = &structure {
            let closure = loops.map_or(String::new(), |loops| loops.text());
            output::result(&(structure.text() + &closure))?;
        }
    }
    verdict(&loaded, check.json)
}

fn diagnostics_json(findings: &Diagnostics, sources: &Sources) -> Value {
    let each = findings.iter().map(|finding| {
        let place = |span: rotule::layers::model::Span| {
            let source = sources.get(span.source);
            let (line, column) = line_column(&source.text, span.range().start);
            json!({ "file": source.name, "line": line, "column": column })
        };
        let related: Vec<Value> = finding.labels[1..]
            .iter()
            .map(|label| json!({ "place": place(label.span), "message": label.text }))
            .collect();
        json!({
            "severity": finding.severity.word(),
            "code": finding.code,
            "message": finding.message,
            "place": place(finding.span()),
            "expected": finding.labels[0].text,
            "related": related,
            "help": finding.help,
        })
    });
    each.take(rotule::layers::model::diagnostic::MAX_SHOWN * 10).collect()
}
