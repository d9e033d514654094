//! How large a model may be. A file beyond a limit ends in a message, not in an endless run.

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
