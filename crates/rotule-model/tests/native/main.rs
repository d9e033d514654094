//! The model file: what is read, what is found wrong, and that what is written reads back.

mod findings;
mod hostile;
mod places;
mod rebuild;
mod round_trip;

use rotule_model::{Diagnostics, Draft, Format, ReadOptions, Sources};
use rotule_symbolic::line_column;

/// Reads a model file.
fn read(text: &str) -> (Draft, Diagnostics, Sources) {
    let mut sources = Sources::new();
    let id = sources.add("model.toml", text);
    let (draft, found) = rotule_model::read(&sources, id, Format::Native, &ReadOptions::default());
    (draft, found, sources)
}

/// Reads a model file that has nothing wrong.
fn read_well(text: &str) -> Draft {
    let (draft, found, sources) = read(text);
    assert!(found.is_empty(), "{}", found.render(&sources));
    draft
}

/// Findings, a line each: line, column, code, message, help. Warnings say so.
fn findings(text: &str) -> String {
    let (_, found, sources) = read(text);
    let mut out = String::new();
    for finding in &found {
        let text = &sources.get(finding.span().source).text;
        let (line, column) = line_column(text, finding.span().range().start);
        let severity = match finding.severity.word() {
            "error" => String::new(),
            other => format!("{other} "),
        };
        let (code, message) = (finding.code, &finding.message);
        out.push_str(&format!("{line}:{column} {severity}{code}: {message}"));
        if let Some(help) = &finding.help {
            out.push_str(&format!(" ({help})"));
        }
        out.push('\n');
    }
    out
}
