//! The reader of mbs.

use crate::diagnostic::Diagnostics;
use crate::draft::Draft;
use crate::source::SourceId;

pub(super) fn read(_id: SourceId, _text: &str, _out: &mut Diagnostics) -> Draft {
    Draft::default()
}
