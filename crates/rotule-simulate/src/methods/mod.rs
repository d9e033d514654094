//! Integration methods, one file each, and the table of their names.

pub mod alpha;
pub mod bdf;
pub(crate) mod control;
pub mod dop853;
pub mod dormand_prince;
pub mod embedded;
pub mod euler;
pub mod fixed;
pub mod hermite;
pub(crate) mod jacobian;
pub mod radau;
mod table;
mod trial;

pub use table::{
    METHODS, MethodEntry, MethodError, SECOND_ORDER, canonical_method, is_second_order, method,
};
