//! Code that tests, benchmarks and examples of several crates share: random inputs, and oracles,
//! which compute the same numbers by another path than the product.
//!
//! | module | contents |
//! |---|---|
//! | `symbolic` | evaluation in 192-bit arithmetic, derivatives by finite differences in it, Moore's double pendulum |
//! | `program` | random programs, a foreign library |
//! | `formalism` | random trees and closed mechanisms, Kane's equations in Taylor arithmetic, functions by name, Moore's chains |
//! | `simulate` | models in motion, linkages with motions in closed form, digits of references |
//! | `campaign` | random mechanisms simulated and judged: `closed`, `timed`, `coupled`, `groups` |
//! | `demos` | pages of reports to look at and to test |
//! | `parquet` | a reader of tables |
//! | `interrupted` | runs of the program that signals end at random moments |
//!
//! Crates have it as a dev-dependency, with the features of the modules they use. Such a dependency
//! is circular, which cargo allows for integration tests, benchmarks and examples. Unit tests
//! inside a crate see two instances of that crate, their own and the one below this crate: they may
//! use only what is made of types of lower crates.

#[cfg(feature = "simulate")]
pub mod campaign;
#[cfg(feature = "report")]
pub mod demos;
#[cfg(feature = "formalism")]
pub mod formalism;
#[cfg(all(unix, feature = "interrupted"))]
pub mod interrupted;
pub mod parquet;
#[cfg(feature = "program")]
pub mod program;
#[cfg(feature = "simulate")]
pub mod simulate;
#[cfg(feature = "symbolic")]
pub mod symbolic;
