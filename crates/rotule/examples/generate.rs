//! Source code: inverse and forward dynamics of a robot in C.
//!
//! `cargo run --example generate -- robot.urdf out/`

use rotule::{Error, Language, Model};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next().unwrap_or("examples/robots/ur5.urdf".to_owned());
    let folder = arguments.next().map_or(std::env::temp_dir().join("rotule-generate"), Into::into);
    let robot = Model::open(path)?;
    let code = robot.generate(Language::C, &["inverse", "forward"])?;
    code.write(&folder)?;
    for file in &code.files {
        println!("{:<24} {:>6} lines", file.name, file.text.lines().count());
    }
    Ok(())
}
