//! `cargo xtask outside`: the library as a stranger uses it, in a new crate that knows no other
//! crate of the project.
//!
//! Examples inside the workspace see its settings, its lock file and whatever else a package
//! depends on for its tests. Here they are copied into a crate of their own, which depends on
//! `rotule` by path, and are run there.

use std::fs;
use std::path::Path;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask outside

Copies the examples of the library into a new crate in the build folder, outside of the workspace, that depends on
`rotule` by path and on no other crate of the project, builds them there without optimisation and runs each in the
folder of that crate.
";

/// Runs the task.
pub fn run(project: &Project, arguments: Arguments) -> Result<(), Failure> {
    arguments.finish()?;
    check(project)
}

/// Makes the crate, builds it and runs all examples.
pub fn check(project: &Project) -> Result<(), Failure> {
    let folder = project.target.join("outside");
    let names = make(project, &folder)?;
    let target = folder.join("target");
    let build = project.cargo_into("build --offline --examples --manifest-path", &target);
    build.with(folder.join("Cargo.toml").to_string_lossy()).run()?;
    for name in &names {
        println!("\n== {name}");
        let program = format!("debug/examples/{name}{}", std::env::consts::EXE_SUFFIX);
        // In the folder of the crate: the first program finds its robot there, and the others need
        // no file.
        Call::new(target.join(program).to_string_lossy(), "").folder(&folder).run()?;
    }
    println!("\n{} examples ran outside of the workspace", names.len());
    Ok(())
}

/// Writes the crate; gives the names of its programs.
fn make(project: &Project, folder: &Path) -> Result<Vec<String>, Failure> {
    let (source, examples) = (project.root.join("crates/rotule/examples"), folder.join("examples"));
    // What is no longer an example must not be built.
    if examples.exists() {
        fs::remove_dir_all(&examples).map_err(Failure::file("remove", &examples))?;
    }
    for path in [&examples, &folder.join("src")] {
        fs::create_dir_all(path).map_err(Failure::file("make", path))?;
    }
    let workspace = project.root.join("Cargo.toml");
    let workspace = fs::read_to_string(&workspace).map_err(Failure::file("read", &workspace))?;
    let manifest = manifest(&project.root.join("crates/rotule"), &workspace);
    for (path, text) in [("Cargo.toml", manifest.as_str()), ("src/lib.rs", "")] {
        let path = folder.join(path);
        fs::write(&path, text).map_err(Failure::file("write", &path))?;
    }
    // The versions that the project is tested with, so that nothing is fetched.
    copy(&project.root.join("Cargo.lock"), &folder.join("Cargo.lock"))?;
    copy(&project.root.join("examples/robots/ur5.urdf"), &folder.join("ur5.urdf"))?;
    let mut names = Vec::new();
    for entry in fs::read_dir(&source).map_err(Failure::file("read", &source))? {
        let path = entry.map_err(Failure::file("read", &source))?.path();
        let Some(name) = path.file_stem().and_then(|stem| stem.to_str()) else { continue };
        copy(&path, &examples.join(format!("{name}.rs")))?;
        names.push(name.to_owned());
    }
    names.sort();
    Ok(names)
}

/// The manifest of the crate: the library, and linear algebra in the version and with the features
/// of the project.
fn manifest(library: &Path, workspace: &str) -> String {
    let algebra = workspace.lines().find(|line| line.starts_with("nalgebra = "));
    format!(
        "[package]\nname = \"outside\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n\
         # A workspace of its own: nothing is inherited from the folder above.\n[workspace]\n\n\
         [dependencies]\nrotule = {{ path = {library:?} }}\n{}\n\n[profile.dev]\ndebug = 0\n",
        algebra.unwrap_or_default()
    )
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    fs::copy(from, to).map(|_| ()).map_err(Failure::file("copy", from))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_crate_depends_on_the_library_and_on_linear_algebra_alone() {
        let text = manifest(Path::new("/p/crates/rotule"), "serde = \"1\"\nnalgebra = \"0.35\"\n");
        let dependencies = text.split("[dependencies]\n").nth(1).unwrap();
        let dependencies = dependencies.split("\n\n").next().unwrap();
        assert_eq!(dependencies, "rotule = { path = \"/p/crates/rotule\" }\nnalgebra = \"0.35\"");
    }
}
