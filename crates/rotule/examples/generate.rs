//! Source code: inverse and forward dynamics of a robot in C.
//!
//! `cargo run --example generate -- robot.urdf out/`

use rotule::{Error, Language, Model};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    // The file that is named, or else the small arm of the documentation.
    let robot = match arguments.next() {
        Some(path) => Model::open(path)?,
        None => Model::read("arm.urdf", rotule::doc::ARM)?,
    };
    let folder = arguments.next().map_or(std::env::temp_dir().join("rotule-generate"), Into::into);
    let code = robot.generate(Language::C, &["inverse", "forward"])?;
    code.write(&folder)?;
    for file in &code.files {
        println!("{:<24} {:>6} lines", file.name, file.text.lines().count());
    }
    Ok(())
}
