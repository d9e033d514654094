//! Common parts of the tests of meshes: writers of all formats, random numbers, comparisons.
#![allow(dead_code)]

use rotule_mesh::{Mesh, MeshError, MeshFile, UpAxis, read};

/// Numbers between -1 and 1, the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn number(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn point(&mut self) -> [f64; 3] {
        [self.number(), self.number(), self.number()]
    }
}

/// Reads a file that refers to no other.
pub fn read_alone(name: &str, bytes: &[u8]) -> Result<MeshFile, MeshError> {
    read(name, bytes, UpAxis::ToZ, &mut |_| Err("there is none".to_owned()))
}

pub fn binary_stl(mesh: &Mesh) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    for triangle in &mesh.triangles {
        bytes.extend([0; 12]);
        for x in mesh.corners(*triangle).into_iter().flatten() {
            bytes.extend((x as f32).to_le_bytes());
        }
        bytes.extend([0; 2]);
    }
    bytes
}

pub fn text_stl(mesh: &Mesh) -> String {
    let mut text = String::from("solid test\n");
    for triangle in &mesh.triangles {
        text += "facet normal 0 0 0\n outer loop\n";
        for [x, y, z] in mesh.corners(*triangle) {
            text += &format!("  vertex {x:e} {y:e} {z:e}\n");
        }
        text += " endloop\nendfacet\n";
    }
    text + "endsolid test\n"
}

pub fn obj(mesh: &Mesh) -> String {
    let mut text = String::from("# test\no thing\n");
    for [x, y, z] in &mesh.vertices {
        text += &format!("v {x} {y} {z}\n");
    }
    for (at, [a, b, c]) in mesh.triangles.iter().enumerate() {
        let count = mesh.vertices.len() as i64;
        let from_end = |index: u32| i64::from(index) - count;
        text += &match at % 3 {
            0 => format!("f {} {} {}\n", a + 1, b + 1, c + 1),
            1 => format!("f {}/1/1 {}//2 {}/3\n", a + 1, b + 1, c + 1),
            _ => format!("f {} {} \\\n {}\n", from_end(*a), from_end(*b), from_end(*c)),
        };
    }
    text
}

/// COLLADA in millimetres, z up, with an index of normals between those of corners.
pub fn dae(mesh: &Mesh) -> String {
    let numbers: Vec<String> =
        mesh.vertices.iter().flatten().map(|x| format!("{}", x * 1024.0)).collect();
    let indices: Vec<String> =
        mesh.triangles.iter().flatten().map(|index| format!("0 {index}")).collect();
    format!(
        "<?xml version='1.0'?><COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>
<asset><unit meter='{}'/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id='g'><mesh>
<source id='s'><float_array id='a' count='{}'>{}</float_array>
<technique_common><accessor source='#a' count='{}' stride='3'/></technique_common></source>
<vertices id='v'><input semantic='POSITION' source='#s'/></vertices>
<triangles count='{}'><input semantic='NORMAL' source='#s' offset='0'/>
<input semantic='VERTEX' source='#v' offset='1'/><p>{}</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id='w'><node><translate>0 0 0</translate>
<instance_geometry url='#g'/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url='#w'/></scene></COLLADA>",
        1.0 / 1024.0,
        numbers.len(),
        numbers.join(" "),
        mesh.vertices.len(),
        mesh.triangles.len(),
        indices.join(" "),
    )
}

/// The JSON of glTF, y up, and its buffer.
pub fn gltf(mesh: &Mesh, uri: Option<&str>) -> (String, Vec<u8>) {
    let mut data = Vec::new();
    for [x, y, z] in &mesh.vertices {
        for number in [*x, *z, -*y] {
            data.extend((number as f32).to_le_bytes());
        }
    }
    let positions = data.len();
    for index in mesh.triangles.iter().flatten() {
        data.extend((*index as u16).to_le_bytes());
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let uri = uri.map_or(String::new(), |uri| format!("\"uri\":\"{uri}\","));
    let json = format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
"nodes":[{{"children":[1]}},{{"mesh":0}}],
"meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
"accessors":[{{"bufferView":0,"componentType":5126,"count":{},"type":"VEC3"}},
{{"bufferView":1,"componentType":5123,"count":{},"type":"SCALAR"}}],
"bufferViews":[{{"buffer":0,"byteLength":{positions}}},
{{"buffer":0,"byteOffset":{positions},"byteLength":{}}}],
"buffers":[{{{uri}"byteLength":{}}}]}}"#,
        mesh.vertices.len(),
        3 * mesh.triangles.len(),
        data.len() - positions,
        data.len(),
    );
    (json, data)
}

pub fn glb(json: &str, data: &[u8]) -> Vec<u8> {
    let mut json = json.as_bytes().to_vec();
    json.resize(json.len().next_multiple_of(4), b' ');
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((28 + json.len() as u32 + data.len() as u32).to_le_bytes());
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(b"JSON");
    bytes.extend(&json);
    bytes.extend((data.len() as u32).to_le_bytes());
    bytes.extend(b"BIN\0");
    bytes.extend(data);
    bytes
}

pub fn base64(data: &[u8]) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in data.chunks(3) {
        let bits = three.iter().fold(0_u32, |sum, byte| sum << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        for place in 0..4 {
            let digit = digits[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place > three.len() { '=' } else { char::from(digit) });
        }
    }
    text
}
