//! The campaign of closed mechanisms in motion: random mechanisms, each simulated in two forms of
//! the constrained equations and compared.
//!
//! ```text
//! seed --specimen--> model file, closed start --motion--> samples of a run --judge--> verdict --tally--> table
//! ```
//!
//! Runs of one mechanism, over [`judge::HORIZON`]:
//!
//! | run | form | method | tolerance |
//! |---|---|---|---|
//! | first | partition | dop853 | 1e-9 |
//! | second | projection | dormand-prince | 1e-10 |
//! | third, fourth | as the first and the second, started 1e-9 away along free directions and closed again | | |
//!
//! [`judge`] states the rule of agreement. Where the second run stops, one by partition with
//! dormand-prince and 1e-11 takes its place, and the fault of projection is counted by itself.

mod draft;
pub mod judge;
mod motion;
mod planar;
mod spatial;
pub mod specimen;
pub mod tally;
