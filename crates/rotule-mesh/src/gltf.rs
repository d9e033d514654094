//! glTF 2.0: triangles of the nodes of the scene, in metres.
//!
//! Skins, morphs, materials and animations are left out: the mesh is drawn as it stands in the
//! scene. The node tree is walked without recursion, and a node that is met twice is refused.

use serde_json::Value;

use crate::Affine;
use crate::error::{Fault, shown};
use crate::gltf_data::{Companion, Data, entry, integer};
use crate::read::UpAxis;
use crate::soup::Soup;

/// Reads a file in JSON.
pub(crate) fn read_json(
    bytes: &[u8],
    up: UpAxis,
    companion: &mut Companion<'_>,
) -> Result<Soup, Fault> {
    read_document(bytes, None, up, companion)
}

/// Reads a binary file: a header of 12 bytes, a chunk of JSON, a chunk of data.
pub(crate) fn read_binary(
    bytes: &[u8],
    up: UpAxis,
    companion: &mut Companion<'_>,
) -> Result<Soup, Fault> {
    let word = |at: usize| {
        let four = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
    };
    let (Some(0x4654_6C67), Some(version), Some(length)) = (word(0), word(4), word(8)) else {
        return Err(Fault::broken("byte 0", "the file does not begin as binary glTF does"));
    };
    if version != 2 {
        let message = format!("the file is glTF of version {version}");
        return Err(Fault::new("byte 4", message, "export it as glTF 2.0"));
    }
    if length as usize > bytes.len() {
        let message = format!("{length} bytes are announced; the file has {}", bytes.len());
        return Err(Fault::broken("byte 8", message));
    }
    let chunk = |at: usize| {
        let length = word(at)? as usize;
        Some((word(at + 4)?, bytes.get(at + 8..(at + 8).checked_add(length)?)?))
    };
    let Some((0x4E4F_534A, json)) = chunk(12) else {
        return Err(Fault::broken("byte 12", "there is no whole chunk of JSON"));
    };
    // A chunk ends where the next begins; absent data are allowed.
    let after = 20 + json.len().next_multiple_of(4);
    let data = match (word(after), chunk(after)) {
        (None, _) => None,
        (Some(_), Some((0x004E_4942, data))) => Some(data.to_vec()),
        (Some(_), _) => {
            return Err(Fault::broken(format!("byte {after}"), "there is no whole chunk of data"));
        }
    };
    read_document(json, data, up, companion)
}

fn read_document(
    json: &[u8],
    chunk: Option<Vec<u8>>,
    up: UpAxis,
    companion: &mut Companion<'_>,
) -> Result<Soup, Fault> {
    let json: Value = serde_json::from_slice(json).map_err(|error| {
        let place = format!("line {}, column {}", error.line(), error.column());
        Fault::broken(place, format!("the text is not JSON of glTF: {error}"))
    })?;
    let version = json.pointer("/asset/version").and_then(Value::as_str).unwrap_or_default();
    if !version.starts_with("2.") {
        let message = format!("the version is `{}`, not 2", shown(version));
        return Err(Fault::new("asset.version", message, "export it as glTF 2.0"));
    }
    for name in list(&json, "extensionsRequired") {
        let name = name.as_str().unwrap_or_default();
        // Materials and textures do not change triangles.
        if !(name.starts_with("KHR_materials") || name.starts_with("KHR_texture")) {
            let message = format!("the extension `{}` is required and not known", shown(name));
            let help = "export it without compression and quantization";
            return Err(Fault::new("extensionsRequired", message, help));
        }
    }
    let data = Data::new(json, chunk, companion)?;
    let mut soup = Soup::default();
    scene(&data, up, &mut soup)?;
    Ok(soup)
}

/// The entries of an array, none if it is missing.
fn list<'j>(object: &'j Value, key: &str) -> &'j [Value] {
    object.get(key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Walks the nodes of the scene, or all roots if there is none.
fn scene(data: &Data, up: UpAxis, soup: &mut Soup) -> Result<(), Fault> {
    let json = &data.json;
    let nodes = list(json, "nodes");
    let roots: Vec<Value> = if list(json, "scenes").is_empty() {
        let mut is_child = vec![false; nodes.len()];
        for child in nodes.iter().flat_map(|node| list(node, "children")) {
            let index = child.as_u64().and_then(|index| usize::try_from(index).ok());
            if let Some(flag) = index.and_then(|index| is_child.get_mut(index)) {
                *flag = true;
            }
        }
        let roots = (0..nodes.len()).filter(|index| !is_child[*index]);
        roots.map(|index| Value::from(index as u64)).collect()
    } else {
        let index = integer(json, "scene", Some(0), "scene")?;
        list(entry(json, "scenes", index)?, "nodes").to_vec()
    };
    let axes = match up {
        UpAxis::AsWritten => Affine::IDENTITY,
        UpAxis::ToZ => Affine {
            matrix: [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
            offset: [0.0; 3],
        },
    };
    let mut visited = vec![false; nodes.len()];
    let mut meshes: Vec<Option<Soup>> = list(json, "meshes").iter().map(|_| None).collect();
    let mut waiting: Vec<(Value, Affine)> =
        roots.into_iter().rev().map(|root| (root, axes)).collect();
    while let Some((index, outer)) = waiting.pop() {
        let index = index
            .as_u64()
            .ok_or_else(|| Fault::broken("nodes", "a reference to a node is not a whole number"))?;
        let node = entry(json, "nodes", index)?;
        let place = format!("nodes[{index}]");
        let visited = &mut visited[index as usize];
        if *visited {
            let message = "the node is reached twice: by a cycle, or from two parents";
            return Err(Fault::new(
                place,
                message,
                "nodes must form trees: copy or remove the node",
            ));
        }
        *visited = true;
        let placement = outer.after(&transform(node, &place)?);
        if node.get("mesh").is_some() {
            let mesh = integer(node, "mesh", None, &place)?;
            entry(json, "meshes", mesh)?;
            let known = &mut meshes[mesh as usize];
            if known.is_none() {
                *known = Some(read_mesh(data, mesh)?);
            }
            if let Some(own) = known {
                soup.notes.append(&mut own.notes);
                soup.copy(|| place.clone(), own, &placement)?;
            }
        }
        waiting.extend(list(node, "children").iter().rev().map(|c| (c.clone(), placement)));
    }
    Ok(())
}

/// The placement of a node in its parent.
fn transform(node: &Value, place: &str) -> Result<Affine, Fault> {
    fn numbers<const N: usize>(
        node: &Value,
        key: &str,
        default: [f64; N],
        place: &str,
    ) -> Result<[f64; N], Fault> {
        let Some(value) = node.get(key) else { return Ok(default) };
        let list = value.as_array().map_or(&[][..], Vec::as_slice);
        let numbers: Vec<f64> = list.iter().filter_map(Value::as_f64).collect();
        numbers.try_into().map_err(|_| Fault::broken(place, format!("`{key}` is not {N} numbers")))
    }
    if node.get("matrix").is_some() {
        // By columns.
        let m = numbers(node, "matrix", [0.0; 16], place)?;
        let row = |i: usize| [m[i], m[4 + i], m[8 + i]];
        return Ok(Affine { matrix: [row(0), row(1), row(2)], offset: [m[12], m[13], m[14]] });
    }
    let [x, y, z, w] = numbers(node, "rotation", [0.0, 0.0, 0.0, 1.0], place)?;
    if [x, y, z, w] == [0.0; 4] {
        return Err(Fault::broken(place, "`rotation` is zero"));
    }
    let translation = Affine::translation(numbers(node, "translation", [0.0; 3], place)?);
    let scale = Affine::scale(numbers(node, "scale", [1.0; 3], place)?);
    Ok(translation.after(&Affine::quaternion([w, x, y, z])).after(&scale))
}

/// The triangles of a mesh.
fn read_mesh(data: &Data, mesh: u64) -> Result<Soup, Fault> {
    let mut soup = Soup::default();
    for (index, primitive) in
        list(entry(&data.json, "meshes", mesh)?, "primitives").iter().enumerate()
    {
        let place = || format!("meshes[{mesh}].primitives[{index}]");
        let mode = integer(primitive, "mode", Some(4), &place())?;
        if mode < 4 {
            soup.notes.push(format!("{}: points and lines are not read", place()));
            continue;
        }
        let attributes = primitive.get("attributes").unwrap_or(&Value::Null);
        let points = data.points(integer(attributes, "POSITION", None, &place())?)?;
        let base = soup.vertices.len() as u32;
        for point in &points {
            soup.vertex(place, *point)?;
        }
        let indices = match primitive.get("indices") {
            Some(_) => data.indices(integer(primitive, "indices", None, &place())?)?,
            None => (0..points.len() as u32).collect(),
        };
        let count = points.len();
        if let Some(index) = indices.iter().find(|index| **index as usize >= count) {
            let message = format!("the index {index} is not below {count}, the number of corners");
            return Err(Fault::broken(place(), message));
        }
        let corners: Vec<u32> = indices.iter().map(|index| base + index).collect();
        match mode {
            4 => {
                if !corners.len().is_multiple_of(3) {
                    let message = format!("{} corners are no multiple of 3", corners.len());
                    return Err(Fault::broken(place(), message));
                }
                for triangle in corners.chunks_exact(3) {
                    soup.polygon(place, triangle)?;
                }
            }
            5 => {
                for (at, t) in corners.windows(3).enumerate() {
                    let even = at % 2 == 0;
                    soup.triangle(
                        place,
                        if even { [t[0], t[1], t[2]] } else { [t[1], t[0], t[2]] },
                    )?;
                }
            }
            6 => soup.polygon(place, &corners)?,
            _ => return Err(Fault::broken(place(), format!("the mode {mode} is not known"))),
        }
    }
    Ok(soup)
}
