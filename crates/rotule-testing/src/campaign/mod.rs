//! Campaigns: random mechanisms by the hundred, each computed in two ways and judged, and a table
//! of what became of them.

pub mod closed;
pub mod coupled;
mod crowd;
pub mod groups;
pub mod timed;
