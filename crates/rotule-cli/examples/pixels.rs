//! Where the corners of a robot's meshes are on its picture, for a comparison with another code:
//! `cargo xtask robots` runs it and `crates/rotule-cli/tests/against_pinocchio_frames.py`.
//!
//! Arguments: the model, the folder of its meshes, a seed, the looks of the picture. Prints JSON:
//! the camera, the coordinates by name, and for every solid the corners in the frame of its body
//! with their pixels.

use rotule::{Error, Model};

fn main() -> Result<(), Error> {
    let mut words = std::env::args().skip(1);
    let mut word = || words.next().unwrap_or_default();
    let [path, folder, seed, look] = [word(), word(), word(), word()];
    let model = Model::options().mesh_folder(folder).open(path)?;
    let state = model.random(seed.parse().unwrap_or(1));
    // Decimated corners would be other ones.
    let picture = model.picture_in_full(&state).look(&look)?;
    let camera = picture.camera();
    let [right, top, back] = camera.axes();
    println!(
        "{{\"eye\": {:?}, \"right\": {right:?}, \"top\": {top:?}, \"back\": {back:?},",
        camera.eye()
    );
    println!("\"opening\": {:?}, \"q\": {{", camera.opening());
    let names = model.coordinates();
    for (at, (name, value)) in names.iter().zip(&state.q).enumerate() {
        println!("{}\"{name}\": {value:?}", if at == 0 { "" } else { ", " });
    }
    println!("}}, \"corners\": [");
    let mut first = true;
    for (body, solid, [x, y, z], [u, v, _]) in picture.corners() {
        let comma = if first { "" } else { "," };
        first = false;
        println!("{comma}[\"{body}\", {solid}, {x:?}, {y:?}, {z:?}, {u:?}, {v:?}]");
    }
    println!("]}}");
    Ok(())
}
