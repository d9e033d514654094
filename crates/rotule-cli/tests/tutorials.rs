//! Pages of the book that a reader follows with the hands on the keyboard: every command on them runs, in order, in an empty folder, and
//! prints what the page shows.
//!
//! | block of a page | |
//! |---|---|
//! | `toml NAME`, `c NAME` and so on | a file that the reader writes under this name, which the text before it says |
//! | `sh` | commands, each of which succeeds |
//! | `sh fails` | commands of which the last fails |
//! | `text` right behind `sh` | what the commands print; a line `...` stands for any lines, `...` in a line for any text |
//!
//! The folder of the examples of the project can be reached as `examples`, as it can from the project's root.

#![cfg(unix)]

mod common;
mod tutorial;

use tutorial::follow;

#[test]
fn a_first_mechanism() {
    follow("tutorials/first-mechanism.md", 7);
}

#[test]
fn from_urdf_to_a_controller_in_c() {
    follow("tutorials/urdf-to-c.md", 7);
}

#[test]
fn closed_loops_and_singular_positions() {
    follow("tutorials/closed-loops.md", 9);
}

#[test]
fn a_car_over_a_bump() {
    follow("tutorials/car-over-a-bump.md", 5);
}

#[test]
fn the_double_pendulum_for_a_class() {
    follow("tutorials/double-pendulum.md", 10);
}
