//! The reader of SDF.

use crate::diagnostic::Diagnostics;
use crate::draft::Draft;
use crate::read::ReadOptions;
use crate::source::SourceId;

pub(super) fn read(
    _id: SourceId,
    _text: &str,
    _options: &ReadOptions,
    _out: &mut Diagnostics,
) -> Draft {
    Draft::default()
}
