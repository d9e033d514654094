//! Results for people and for other programs.
//!
//! Plain data comes in: numbers over time, poses of bodies, words. Out goes one self-contained page with plots
//! and a 3D animation ([`Page::write`]), a table as a file ([`table`]), a plot in the terminal ([`terminal`]) or a
//! line that says how far a run is ([`progress`]). This crate knows neither models nor integrators, so that
//! whoever has numbers can show them.

mod data;
mod encode;
mod gather;
pub mod number;
pub mod progress;
mod scene;
mod sha256;
pub mod table;
pub mod terminal;
mod thin;
mod write;

pub use data::{Curve, Mark, Page, Plot, Section};
pub use gather::{Film, Gather};
pub use scene::{End, Figure, JointMark, Link, LinkLook, Pose, Scene, Shape};
