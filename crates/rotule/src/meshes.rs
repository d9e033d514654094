//! Mesh files that shapes of a model name: found in the model's folder and in named folders, and
//! nowhere else.

use rotule_mesh::{MAX_BYTES, MeshFile, MeshFormat, UpAxis, read};
use rotule_model::{Format, ReadOptions, Texts};
use std::fs;
use std::path::{Path, PathBuf};
use std::slice::from_ref;

/// Adds the meshes that a model names.
pub(crate) fn with_meshes(mut texts: Texts, options: &ReadOptions, folders: &[PathBuf]) -> Texts {
    // Folders that do not exist have no meshes, either.
    let folders: Vec<PathBuf> = folders.iter().filter_map(|one| one.canonicalize().ok()).collect();
    let foreign = texts.format() != Format::Native;
    for name in texts.mesh_names(options) {
        let mesh = mesh(&name, foreign, &folders);
        texts = texts.with_mesh(name, mesh);
    }
    texts
}

fn mesh(name: &str, foreign: bool, folders: &[PathBuf]) -> Result<MeshFile, String> {
    let (path, folder) = find(name, folders)?;
    let bytes = read_limited(&path).map_err(|why| format!("{name}: {why}"))?;
    // Robots are drawn by programs that ignore the upward axis of COLLADA.
    let as_written = foreign && MeshFormat::of(name) == Some(MeshFormat::Dae);
    let up = if as_written { UpAxis::AsWritten } else { UpAxis::ToZ };
    let beside = path.parent().unwrap_or(&folder).to_owned();
    let mut companion = |name: &str| {
        let (path, _) = confined(&beside.join(name), from_ref(&folder)).ok_or("it is not there")?;
        read_limited(&path)
    };
    read(name, &bytes, up, &mut companion).map_err(|error| error.to_string())
}

fn read_limited(path: &Path) -> Result<Vec<u8>, String> {
    let length = fs::metadata(path).map_err(|error| error.to_string())?.len();
    if length > MAX_BYTES as u64 {
        return Err(format!("the file has {length} bytes, more than {MAX_BYTES}"));
    }
    fs::read(path).map_err(|error| error.to_string())
}

/// The path of a mesh and the folder that it is in.
fn find(name: &str, folders: &[PathBuf]) -> Result<(PathBuf, PathBuf), String> {
    let shown: String = name.chars().take(80).filter(|c| !c.is_control()).collect();
    let prefixes = ["package://", "model://", "PRJPATH/"];
    let package = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
    // Some robots have a third slash, which everybody passes over.
    let package = package.map(|path| path.trim_start_matches('/'));
    let relative = package.unwrap_or(name);
    if relative.contains("://") || relative.contains('\\') || Path::new(relative).is_absolute() {
        return Err(format!("the mesh `{shown}` is not a relative path or a `package://`"));
    }
    // A package is a folder of its name, or the folder itself.
    let inner = package.and_then(|path| path.split_once('/')).map(|(_, inner)| inner);
    for folder in folders {
        for candidate in [Some(relative), inner].into_iter().flatten() {
            if let Some(found) = confined(&folder.join(candidate), folders) {
                return Ok(found);
            }
        }
    }
    let help = "put it into the model's folder, or name its folder by `--meshes`";
    Err(format!("there is no mesh `{shown}`; {help}"))
}

/// The real path of a file that is within one of the folders after all links are followed, and that
/// folder.
fn confined(path: &Path, folders: &[PathBuf]) -> Option<(PathBuf, PathBuf)> {
    let path = path.canonicalize().ok().filter(|path| path.is_file())?;
    let folder = folders.iter().find(|folder| path.starts_with(folder))?.clone();
    Some((path, folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn meshes_are_found_in_their_folders_and_nowhere_else() {
        let root = std::env::temp_dir().join(format!("rotule-meshes-{}", std::process::id()));
        let (inner, outer) = (root.join("robot/meshes"), root.join("secret.stl"));
        fs::create_dir_all(&inner).expect("a folder");
        fs::create_dir_all(root.join("urdf")).expect("a folder");
        let text = "solid a\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n\
                    endsolid\n";
        fs::write(inner.join("a.stl"), text).expect("a file");
        fs::write(&outer, text).expect("a file");
        let real = |path: &str| root.join(path).canonicalize().expect("a folder");
        let package = [real("robot")];
        for name in [
            "meshes/a.stl",
            "package://robot/meshes/a.stl",
            "package:///robot/meshes/a.stl",
            "model://other/meshes/a.stl",
            "PRJPATH/meshes/a.stl",
        ] {
            assert!(mesh(name, true, &package).is_ok(), "{name}");
        }
        assert!(mesh("package://robot/meshes/a.stl", true, &[real(".")]).is_ok());
        // Beside the model's folder, but in a named one.
        assert!(mesh("../robot/meshes/a.stl", true, &[real("urdf"), real("robot")]).is_ok());
        assert!(mesh("../robot/meshes/a.stl", true, &[real("urdf")]).is_err());
        let absolute = outer.display().to_string();
        for name in [
            "../secret.stl",
            "meshes/../../secret.stl",
            "package://robot/../secret.stl",
            "package://x/../../secret.stl",
            "package:///../secret.stl",
            "PRJPATH/../secret.stl",
            "file:///secret.stl",
            "http://example.org/a.stl",
            "..\\secret.stl",
            &absolute,
            "gone.stl",
            "",
            "meshes",
        ] {
            let why = mesh(name, true, &package).err();
            let why = why.unwrap_or_else(|| panic!("{name} was read"));
            assert!(why.contains("mesh"), "{why}");
        }
        fs::remove_dir_all(&root).expect("a folder of ours");
    }
}
