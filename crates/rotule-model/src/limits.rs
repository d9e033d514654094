//! Limits on the size of a model. A file beyond a limit ends in a message, not in an endless run.

/// The longest text of one file, in bytes.
pub const TEXT_BYTES: usize = 32 << 20;
/// The most bodies, those between the joints of a chain included.
pub const BODIES: usize = 250_000;
/// The most elements of any other kind.
pub const ELEMENTS: usize = 400_000;
/// The longest name, in bytes.
pub const NAME_BYTES: usize = 200;
/// The most elements, attributes and texts of an XML file.
pub const XML_NODES: u32 = 4_000_000;
/// The longest section of a model file, in bytes: from one header to the next.
pub const SECTION_BYTES: usize = 8 << 20;
/// The most tables in a section of a model file; every dot outside of texts counts as one.
pub const SECTION_TABLES: usize = 500_000;
/// Deepest nesting of tables and lists in a model file; every dot of a key counts as one.
pub const NESTING: usize = 64;
/// The most diagnostics that one reading keeps.
pub const FINDINGS: usize = 1000;
