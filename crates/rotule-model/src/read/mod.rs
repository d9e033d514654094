//! Readers: text to draft, one file per format.
//!
//! A reader knows the syntax of its format and nothing of mechanics: it reports what cannot be
//! read, what it leaves out and what it changes, and hands the rest on with its places.

mod frame;
mod mbs;
mod merge;
mod mjcf;
mod names;
mod native;
mod sdf;
mod shape;
mod snap;
mod urdf;
mod xml;

use crate::diagnostic::{Diagnostic, DiagnosticCode, Diagnostics};
use crate::draft::Draft;
use crate::limits;
use crate::source::{SourceId, Sources, Span};

/// The formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// The model file of Rotule, TOML.
    Native,
    /// Unified Robot Description Format.
    Urdf,
    /// Simulation Description Format.
    Sdf,
    /// MuJoCo's format.
    Mjcf,
    /// ROBOTRAN's format.
    Mbs,
}

impl Format {
    /// Every format with its name and the endings of its files.
    ///
    /// A foreign format also has a page `docs/manual/import-NAME.md`, an example
    /// `examples/formats/arm.NAME` and a fuzz target `fuzz/fuzz_targets/NAME.rs`; tests name a
    /// missing one.
    pub const ALL: [(Format, &'static str, &'static [&'static str]); 5] = [
        (Format::Native, "toml", &["toml"]),
        (Format::Urdf, "urdf", &["urdf"]),
        (Format::Sdf, "sdf", &["sdf", "world"]),
        (Format::Mjcf, "mjcf", &["mjcf"]),
        (Format::Mbs, "mbs", &["mbs"]),
    ];

    /// The format of a file, by its ending or, for other endings such as `xml`, by its first
    /// element.
    pub fn of(name: &str, text: &str) -> Format {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
        let by_ending = Format::ALL.iter().find(|(_, _, all)| all.contains(&ending.as_str()));
        if let Some((format, ..)) = by_ending {
            return *format;
        }
        let roots = [
            ("<robot", Format::Urdf),
            ("<sdf", Format::Sdf),
            ("<mujoco", Format::Mjcf),
            ("<mbsDesc", Format::Mbs),
        ];
        let found = roots.iter().filter_map(|(root, format)| Some((text.find(root)?, *format)));
        found.min_by_key(|(at, _)| *at).map_or(Format::Native, |(_, format)| format)
    }
}

/// Options of the readers of foreign formats.
#[derive(Clone, Copy, Debug, Default)]
pub struct ReadOptions {
    /// Let the root body move freely instead of fixing it to the ground.
    pub floating_base: bool,
    /// Merge bodies that are fixed to their parent into it.
    pub merge_fixed: bool,
    /// Take rounded angles as they are written, to know what it gains to make them exact.
    pub as_written: bool,
}

/// Reads a text of a format.
pub fn read(
    sources: &Sources,
    id: SourceId,
    format: Format,
    options: &ReadOptions,
) -> (Draft, Diagnostics) {
    let text = &sources.get(id).text;
    let mut diagnostics = Diagnostics::new();
    if text.len() > limits::TEXT_BYTES {
        let limit = limits::TEXT_BYTES >> 20;
        let message = format!("the file has {} bytes; at most {limit} MiB are read", text.len());
        diagnostics.push(Diagnostic::error(DiagnosticCode::Limit, Span::new(id, 0..0), message));
        return (Draft::default(), diagnostics);
    }
    if format == Format::Native && text.trim_start().starts_with('<') {
        let start = text.len() - text.trim_start().len();
        let message = "this is XML, expected a model file, which is TOML";
        let help = "formats in XML have the root <robot>, <sdf>, <mujoco> or <mbsDescR7>; \
                    what completes a model is always a model file";
        let span = Span::new(id, start..start + 1);
        diagnostics.push(Diagnostic::error(DiagnosticCode::Syntax, span, message).help(help));
        return (Draft::default(), diagnostics);
    }
    let mut draft = match format {
        Format::Native => native::read(id, text, &mut diagnostics),
        Format::Urdf => xml::read(id, text, options, &mut diagnostics, &urdf::FORMAT),
        Format::Sdf => xml::read(id, text, options, &mut diagnostics, &sdf::FORMAT),
        Format::Mjcf => xml::read(id, text, options, &mut diagnostics, &mjcf::FORMAT),
        Format::Mbs => mbs::read(id, text, &mut diagnostics),
    };
    if options.merge_fixed && matches!(format, Format::Urdf | Format::Sdf | Format::Mjcf) {
        merge::merge_fixed(&mut draft, &mut diagnostics);
    }
    (draft, diagnostics)
}
