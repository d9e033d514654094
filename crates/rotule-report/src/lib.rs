//! Results for people and for other programs.
//!
//! Plain data comes in: numbers over time, poses of bodies, words. Out goes one self-contained page
//! with plots and a 3D animation ([`Page::write`]), a table as a file ([`table`]), a plot in the
//! terminal ([`terminal`]) or a line that says how far a run is ([`progress`]). This crate knows
//! neither models nor integrators, so that whoever has numbers can show them.
//!
//! ```
//! use rotule_report::{Curve, Page, Plot};
//!
//! let times: Vec<f64> = (0..=100).map(|k| f64::from(k) * 0.1).collect();
//! let swing = Curve::new("pendulum.q", times.iter().map(|t| t.cos()).collect());
//! let plot = Plot { title: "Coordinates".into(), unit: "rad".into(), curves: vec![swing] };
//! let page = Page { title: "Pendulum".into(), times, plots: vec![plot], ..Page::default() };
//! let mut file = Vec::new();
//! page.write(&mut file)?;
//! # assert!(file.starts_with(b"<!doctype html>"));
//! # Ok::<(), std::io::Error>(())
//! ```

#![cfg_attr(not(test), warn(clippy::disallowed_methods))]

pub mod arrays;
pub mod chart;
mod data;
mod encode;
mod gather;
pub mod medium;
pub mod picture;
pub use rotule_symbolic::figures as number;
pub mod progress;
mod scene;
mod sha256;
pub mod table;
pub mod terminal;
mod thin;
mod write;

pub use data::{Badge, Curve, Page, Plot, PlotAxis, Posture, Section, Slider, TimeMark};
pub use gather::{Film, Gather};
pub use scene::{
    BodyPose, Connector, ConnectorLook, Figure, ForceArrow, JointMark, LineEnd, Scene, Shape,
};
