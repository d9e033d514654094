//! Campaigns: random mechanisms by the hundred, each simulated and judged, and a table of what
//! became of them.

pub mod closed;
mod crowd;
pub mod timed;
