//! What the tests of this crate share: random mechanisms, the functions of a model by name, plain
//! numbers, and equations of motion by a path that has nothing in common with the recursions.
#![allow(dead_code, reason = "every test program uses a part of this")]

pub mod case;
pub mod kane;
pub mod numbers;
pub mod random;
pub mod text;
