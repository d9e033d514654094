//! The entry point of the readers: formats, limits, and files that a file refers to.

use crate::error::{Fault, MeshError, shown};
use crate::soup::Soup;
use crate::{Mesh, collada, gltf, obj, stl};

/// The longest file, in bytes.
pub const MAX_BYTES: usize = 256 << 20;
/// The most triangles of a file, copies of instanced parts included.
pub const MAX_TRIANGLES: usize = 2_000_000;
/// The largest coordinate, in metres: moments of inertia stay finite below it.
pub const MAX_COORDINATE: f64 = 1e12;

/// The most notes of a file.
const MAX_NOTES: usize = 5;

/// The formats of mesh files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeshFormat {
    /// STL, binary or text. It has no unit: numbers are metres.
    Stl,
    /// Wavefront OBJ. It has no unit: numbers are metres.
    Obj,
    /// COLLADA.
    Dae,
    /// glTF 2.0 as JSON.
    Gltf,
    /// glTF 2.0 in one binary file.
    Glb,
}

impl MeshFormat {
    /// Every format with the ending of its files.
    pub const ALL: [(MeshFormat, &'static str); 5] = [
        (MeshFormat::Stl, "stl"),
        (MeshFormat::Obj, "obj"),
        (MeshFormat::Dae, "dae"),
        (MeshFormat::Gltf, "gltf"),
        (MeshFormat::Glb, "glb"),
    ];

    /// The format of a file by its name.
    pub fn of(name: &str) -> Option<MeshFormat> {
        let (_, ending) = name.rsplit_once('.')?;
        let found = MeshFormat::ALL.iter().find(|(_, known)| known.eq_ignore_ascii_case(ending))?;
        Some(found.0)
    }
}

/// The treatment of the upward axis that COLLADA files name and that glTF fixes as y.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum UpAxis {
    /// The file's upward axis becomes z.
    #[default]
    ToZ,
    /// Coordinates stay as written, as RViz, Gazebo and Pinocchio read COLLADA.
    AsWritten,
}

/// The content of a mesh file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MeshFile {
    /// Its triangles, in metres.
    pub mesh: Mesh,
    /// Notes on the parts that were left out.
    pub notes: Vec<String>,
}

/// Reads a mesh file. `companion` gives the bytes of a file beside it, by its relative name, or
/// says why it cannot; only glTF has such files, and names that lead out of the folder are refused.
pub fn read(
    name: &str,
    bytes: &[u8],
    up: UpAxis,
    companion: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<MeshFile, MeshError> {
    let soup = read_soup(name, bytes, up, companion).map_err(|fault| fault.of(name))?;
    let mesh = soup.mesh();
    if mesh.triangles.is_empty() {
        let help = "export it as triangles: lines, points and free-form surfaces are not read";
        return Err(Fault::new("", "the file has no triangles", help).of(name));
    }
    let mut notes = soup.notes;
    if notes.len() > MAX_NOTES {
        let more = notes.len() - MAX_NOTES;
        notes.truncate(MAX_NOTES);
        notes.push(format!("and {more} more of this kind"));
    }
    Ok(MeshFile { mesh, notes })
}

fn read_soup(
    name: &str,
    bytes: &[u8],
    up: UpAxis,
    companion: &mut dyn FnMut(&str) -> Result<Vec<u8>, String>,
) -> Result<Soup, Fault> {
    if bytes.len() > MAX_BYTES {
        let message = format!("the file has {} bytes, more than {MAX_BYTES}", bytes.len());
        return Err(Fault::new("", message, "decimate it in the program that exported it"));
    }
    match MeshFormat::of(name) {
        Some(MeshFormat::Stl) => stl::read(bytes),
        Some(MeshFormat::Obj) => obj::read(bytes),
        Some(MeshFormat::Dae) => collada::read(bytes, up),
        Some(MeshFormat::Gltf) => gltf::read_json(bytes, up, companion),
        Some(MeshFormat::Glb) => gltf::read_binary(bytes, up, companion),
        None => {
            let endings: Vec<String> =
                MeshFormat::ALL.iter().map(|(_, ending)| format!("`.{ending}`")).collect();
            let message = "the name of the file has no ending of a known mesh format";
            let help = format!("expected one of {}", endings.join(", "));
            Err(Fault::new("", message, help))
        }
    }
}

/// The names of files that a file refers to, such as buffers of glTF, so that callers who cannot
/// wait for a file can fetch them before. Names that [`read`] would refuse are left out.
pub fn needs(name: &str, bytes: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    let mut ask = |companion: &str| {
        names.push(companion.to_owned());
        Err("listed only".to_owned())
    };
    let _ = read_soup(name, bytes, UpAxis::ToZ, &mut ask);
    names
}

/// A relative name of a file beside another, decoded from a URI; refuses what leads elsewhere.
pub(crate) fn relative_name(uri: &str, place: &str) -> Result<String, Fault> {
    let refused = |why: &str| {
        let message = format!("the reference `{}` {why}", shown(uri));
        Fault::new(place, message, "put the file beside this one and refer to it by its plain name")
    };
    let mut name = Vec::new();
    let mut rest = uri.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            name.push(byte);
            continue;
        }
        let digits = rest.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = digits.and_then(|two| u8::from_str_radix(two, 16).ok());
        name.push(code.ok_or_else(|| refused("has a `%` without two hexadecimal digits"))?);
        rest = &rest[2..];
    }
    let name = String::from_utf8(name).map_err(|_| refused("is not UTF-8"))?;
    if name.is_empty() {
        return Err(refused("is empty"));
    }
    if name.contains(':') || name.contains('\\') || name.starts_with('/') {
        return Err(refused("is not a relative path"));
    }
    if name.chars().any(char::is_control) {
        return Err(refused("has a control character"));
    }
    if name.split('/').any(|part| part == ".." || part.is_empty()) {
        return Err(refused("leads out of the file's folder"));
    }
    Ok(name)
}
