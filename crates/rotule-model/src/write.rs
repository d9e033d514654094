//! The writer: draft to model file.

use crate::draft::Draft;

/// Writes a draft as a model file that reads back as the same draft, places aside.
pub fn write(_draft: &Draft) -> String {
    String::new()
}
