//! Pages of the book that a reader follows with the hands on the keyboard: every command on them
//! runs, in order, in an empty folder, and prints what the page shows.
//!
//! | block of a page | |
//! |---|---|
//! | `toml NAME`, `c NAME` and so on | a file that the reader writes under this name, which the text before it says |
//! | `sh` | commands, each of which succeeds |
//! | `sh fails` | commands of which the last fails |
//! | `text` right behind `sh` | what the commands print; a line `...` stands for any lines, `...` in a line for any text |
//!
//! The folder of the examples of the project can be reached as `examples`, as it can from the
//! project's root.

#![cfg(unix)]

mod common;
mod tutorial;

use std::fs;
use std::path::Path;
use tutorial::follow;

#[test]
fn a_first_mechanism() {
    follow("tutorials/first-mechanism.md", 8);
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

#[test]
fn pictures_are_shown_and_small() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/tutorials");
    let files = |folder: &Path| {
        fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path())
    };
    let pages = files(&folder).filter_map(|page| fs::read_to_string(page).ok());
    let pages: String = pages.collect();
    for picture in files(&folder.join("pictures")) {
        let name = picture.file_name().expect("a file has a name").to_string_lossy().into_owned();
        assert!(pages.contains(&format!("(pictures/{name})")), "no tutorial shows {name}");
        let size = fs::metadata(&picture).expect("a file has a size").len();
        assert!(size < 150_000, "{name} has {size} bytes");
    }
}
