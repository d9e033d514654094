//! One solid in all formats, placements of scenes, and refusals of what is broken.

mod common;

use common::*;
use rotule_mesh::{Affine, Mesh, MeshFormat, UpAxis, mass_properties, needs, read, solids};

/// A solid whose coordinates are exact in every format.
fn solid() -> Mesh {
    let mut mesh = solids::cuboid([1.0, 2.0, 3.0]);
    mesh.append(&solids::cuboid([0.25, 0.5, 4.0]).placed(&Affine::translation([3.0, 0.0, -1.5])));
    mesh
}

#[test]
fn all_formats_give_the_same_triangles() {
    let mesh = solid();
    let (json, data) = gltf(&mesh, Some("part%201.bin"));
    let (with_data, _) =
        gltf(&mesh, Some(&format!("data:application/octet-stream;base64,{}", base64(&data))));
    let (bare, _) = gltf(&mesh, None);
    // A binary file may begin like a text.
    let mut confusing = binary_stl(&mesh);
    confusing[..5].copy_from_slice(b"solid");
    for (name, bytes) in [
        ("a.stl", binary_stl(&mesh)),
        ("confusing.STL", confusing),
        ("text.stl", text_stl(&mesh).into_bytes()),
        ("a.obj", obj(&mesh).into_bytes()),
        ("a.dae", dae(&mesh).into_bytes()),
        ("a.gltf", json.clone().into_bytes()),
        ("inside.gltf", with_data.into_bytes()),
        ("a.glb", glb(&bare, &data)),
    ] {
        let found = read(name, &bytes, UpAxis::ToZ, &mut |file| {
            assert_eq!(file, "part 1.bin");
            Ok(data.clone())
        });
        let found = found.unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(found.mesh, mesh, "{name}");
        assert!(found.notes.is_empty());
    }
    assert_eq!(needs("a.gltf", json.as_bytes()), ["part 1.bin"]);
    assert!(
        MeshFormat::ALL
            .iter()
            .all(|(format, e)| MeshFormat::of(&format!("x.{e}")) == Some(*format))
    );
}

#[test]
fn scenes_of_gltf_place_their_parts() {
    let mesh = solids::cuboid([1.0, 1.0, 1.0]);
    let (json, data) = gltf(&mesh, None);
    let nodes = r#""nodes":[
        {"children":[1,2],"translation":[0,10,0]},
        {"mesh":0,"rotation":[0,0,0.6,0.8],"scale":[2,3,-4]},
        {"mesh":0,"matrix":[1,0,0,0, 0,1,0,0, 0,0,1,0, 5,0,0,1]}],"#;
    let json = json.replace(r#""nodes":[{"children":[1]},{"mesh":0}],"#, nodes);
    let found = read_alone("a.glb", &glb(&json, &data)).expect("a scene").mesh;
    let mass = mass_properties(&found);
    assert!((mass.volume - 25.0).abs() < 1e-12);
    // (24*[0, 10, 0] + [5, 10, 0])/25, with y up made z.
    let centre = [0.2, 0.0, 10.0];
    assert!((0..3).all(|i| (mass.centre[i] - centre[i]).abs() < 1e-12), "{:?}", mass.centre);
    let written = read("a.glb", &glb(&json, &data), UpAxis::AsWritten, &mut |_| Err(String::new()));
    let written = mass_properties(&written.expect("a scene").mesh);
    assert!((written.centre[1] - 10.0).abs() < 1e-12);
}

#[test]
fn scenes_of_collada_place_their_parts() {
    let plain = dae(&solids::cuboid([1.0, 1.0, 1.0]));
    let with = |axis: &str, node: &str| {
        let text = plain.replace("Z_UP", axis).replace("<translate>0 0 0</translate>", node);
        let text = text.replace(&format!("{}", 1.0 / 1024.0), "0.001");
        mass_properties(&read_alone("a.dae", text.as_bytes()).expect("a scene").mesh)
    };
    let node = "<translate>1000 2000 3000</translate><rotate>0 0 1 90</rotate><scale>2 1 1</scale>";
    let side = 1.024;
    for (axis, centre, long) in [
        ("Z_UP", [1.0, 2.0, 3.0], 1),
        ("Y_UP", [1.0, -3.0, 2.0], 2),
        ("X_UP", [-2.0, -3.0, 1.0], 0),
    ] {
        let found = with(axis, node);
        assert!((found.volume - 2.0 * side * side * side).abs() < 1e-12, "{axis}");
        assert!((0..3).all(|i| (found.centre[i] - centre[i]).abs() < 1e-12), "{axis} {found:?}");
        let least = (0..3).min_by(|i, j| found.inertia[*i][*i].total_cmp(&found.inertia[*j][*j]));
        assert_eq!(least, Some(long), "{axis}");
    }
    // A matrix by rows, and a node that is instanced twice.
    let twice = "<matrix>1 0 0 0 0 1 0 0 0 0 1 5000 0 0 0 1</matrix><instance_node url='#n'/>\
                 <node id='n'><translate>0 8000 0</translate><instance_geometry url='#g'/></node>";
    let found = with("Z_UP", twice);
    assert!((found.volume - 3.0 * side * side * side).abs() < 1e-12);
    assert!((found.centre[2] - 5.0).abs() < 1e-12);
}

#[test]
fn polygons_need_not_be_convex() {
    // A prism over an arrowhead, in polygons.
    let text = "v 0 0 0\nv 2 -1 0\nv 1 0 0\nv 2 1 0\nv 0 0 1\nv 2 -1 1\nv 1 0 1\nv 2 1 1\n\
                f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
    let found = mass_properties(&read_alone("a.obj", text.as_bytes()).expect("a prism").mesh);
    assert!((found.volume - 1.0).abs() < 1e-14, "{found:?}");
    assert!((found.centre[0] - 1.0).abs() < 1e-14, "{found:?}");
}

/// A broken file, and what its refusal says.
fn refused(name: &str, bytes: impl AsRef<[u8]>, expected: &str) {
    match read_alone(name, bytes.as_ref()) {
        Ok(found) => panic!("{name} was read: {} triangles", found.mesh.triangles.len()),
        Err(error) => {
            let text = error.to_string();
            assert!(
                text.starts_with(name) && text.contains(expected),
                "{text}\nexpected: {expected}"
            );
            assert!(!error.help.is_empty() && !text.chars().any(char::is_control), "{text:?}");
        }
    }
}

#[test]
fn broken_stl_is_refused() {
    let mesh = solid();
    let good = binary_stl(&mesh);
    refused("a.stl", &good[..good.len() - 1], "24 triangles are announced, which take 1284 bytes");
    let mut huge = good.clone();
    huge[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    refused("a.stl", &huge, "byte 80: 4294967295 triangles are announced");
    for (number, says) in
        [(f32::NAN, "not a finite number"), (f32::INFINITY, "finite"), (1e30, "beyond")]
    {
        let mut bad = good.clone();
        bad[84 + 50 + 24..][..4].copy_from_slice(&number.to_le_bytes());
        refused("a.stl", &bad, "byte 158: ");
        refused("a.stl", &bad, says);
    }
    refused("a.stl", "", "neither binary STL");
    refused("a.stl", "solid a\nendsolid\n", "no triangles");
    refused("a.stl", "solid a\nfacet\nouter loop\nvertex 1 2\n", "line 4: expected a coordinate");
    refused("a.stl", "solid a\nfacet\nouter loop\nvertex 1 2 nan\n", "line 4: a coordinate is not");
    refused("a.stl", "solid a\nvertex 1 2 3\n", "line 2: a `vertex` stands outside");
    refused(
        "a.stl",
        "solid a\nouter loop\nvertex 1 2 3\nendloop\n",
        "line 4: a loop has 1 corners",
    );
    refused("a.stl", "solid a\nouter loop\nvertex 1 2 3\n", "the loop that begins in line 2");
    refused("a.stl", "solid a\nfoo\u{7}\n", "line 2: `foo");
    let text = text_stl(&mesh);
    refused("a.stl", &text[..text.len() - 14], "ends without `endsolid`");
    refused("a.ply", "ply", "expected one of `.stl`, `.obj`, `.dae`, `.gltf`, `.glb`");
}

#[test]
fn broken_obj_is_refused() {
    refused("a.obj", "v 0 0\n", "line 1: expected a coordinate, found ``");
    refused("a.obj", "v 0 inf 0\n", "line 1: a coordinate is not a finite");
    for index in ["4", "0", "-4", "x", "9223372036854775807", "-9223372036854775808", ""] {
        refused(
            "a.obj",
            format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 {index}/1\n"),
            "line 4: the corner",
        );
    }
    refused("a.obj", "v 0 0 0\nf 1 1\n", "line 2: a face has 2 corners");
    let notes =
        read_alone("a.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\ncurv2 1\nf 1 2 3\n").expect("read").notes;
    assert!(notes.len() == 1 && notes[0].starts_with("line 4: "), "{notes:?}");
}

#[test]
fn broken_collada_is_refused() {
    let good = dae(&solid());
    let bad = |from: &str, to: &str, says: &str| {
        assert!(good.contains(from), "{from}");
        refused("a.dae", good.replacen(from, to, 1), says);
    };
    bad("<p>0 0", "<p>0 16", "`<p>`: the index 16 is not below 16");
    bad("<p>0 0", "<p>0 0 0", "indices are no multiple of 2");
    bad("<p>0 0", "<p>0 -1", "expected a whole number, found `-1`");
    bad("<p>0 0", "<p>0 4294967295", "the index 4294967295");
    bad("count='16' stride='3'", "count='17' stride='3'", "17 corners of 3 numbers");
    bad("count='16' stride='3'", "count='16' stride='0'", "16 corners of 0 numbers");
    bad("stride='3'", "stride='18446744073709551615'", "corners of 18446744073709551615 numbers");
    bad("stride='3'", "stride='3' offset='99999999'", "from number 99999999");
    bad("source='#v'", "source='other.dae#v'", "references to other files are not followed");
    bad("url='#g'", "url='#h'", "no element with the identifier `h`");
    bad("source='#a'", "source='#s'", "corners of 3 numbers");
    bad("<translate>0 0 0<", "<translate>0 0<", "expected 3 numbers, found 2");
    bad("<translate>0 0 0<", "<translate>0 nan 0<", "expected a finite number, found `nan`");
    bad("<translate>0 0 0<", "<translate>0 1e300 0<", "beyond");
    bad("<translate>0 0 0</translate>", "<lookat/>", "`<lookat>` is not read");
    bad("meter='0.0009765625'", "meter='0'", "no positive number");
    bad("<?xml version='1.0'?>", "<!DOCTYPE a [<!ENTITY b 'c'>]>", "document type declaration");
    bad("</mesh>", "", "the text is not XML");
    let bytes = [b"\xFF", good.as_bytes()].concat();
    refused("a.dae", bytes, "byte 0: the text is not UTF-8");
    refused("a.dae", "<robot/>", "begins with `<robot>`");
    // A cycle, and instances that double at every level.
    bad("<node>", "<node id='n'><instance_node url='#n'/>", "instance each other in a cycle");
    let mut bomb = String::new();
    for level in 0..60 {
        let next = level + 1;
        bomb += &format!(
            "<node id='n{level}'><instance_node url='#n{next}'/><instance_node url='#n{next}'/></node>"
        );
    }
    bomb += "<node id='n60'><instance_geometry url='#g'/></node>";
    bad("<node>", &format!("{bomb}<node>"), "nodes and instances");
}

#[test]
fn broken_gltf_is_refused() {
    let mesh = solid();
    let (good, data) = gltf(&mesh, None);
    let bad = |from: &str, to: &str, says: &str| {
        assert!(good.contains(from), "{from}");
        refused("a.glb", glb(&good.replacen(from, to, 1), &data), says);
    };
    bad("\"children\":[1]", "\"children\":[1,0]", "nodes[0]: the node is reached twice");
    bad("\"children\":[1]", "\"children\":[1,1]", "nodes[1]: the node is reached twice");
    bad("\"children\":[1]", "\"children\":[7]", "there is no `nodes[7]`");
    bad("\"children\":[1]", "\"children\":[-1]", "not a whole number");
    bad("\"scene\":0", "\"scene\":9", "there is no `scenes[9]`");
    bad("\"count\":16", "\"count\":17", "accessors[0]: 17 elements of 12 bytes");
    bad("\"count\":16", "\"count\":18446744073709551615", "accessors[0]: 18446744073709551615");
    bad("\"count\":16", "\"byteOffset\":4,\"count\":16", "do not fit");
    bad("\"count\":16", "\"count\":15", "the index 15 is not below 15");
    bad("\"byteLength\":192", "\"byteLength\":192,\"byteStride\":4", "4 apart");
    bad("\"byteLength\":192", "\"byteLength\":99999", "bufferViews[0]: 99999 bytes");
    bad("\"byteLength\":192", "\"byteOffset\":18446744073709551615,\"byteLength\":9", "do not fit");
    bad("\"buffer\":0", "\"buffer\":3", "no `buffers[3]`");
    bad("5126", "5122", "quantization");
    bad("\"count\":16", "\"sparse\":{},\"count\":16", "sparse");
    bad("\"indices\":1", "\"indices\":1,\"mode\":9", "the mode 9 is not known");
    bad("\"indices\":1", "\"indices\":1,\"mode\":1", "no triangles");
    bad(
        "{\"asset\"",
        "{\"extensionsRequired\":[\"KHR_draco_mesh_compression\"],\"asset\"",
        "KHR_draco",
    );
    bad("\"2.0\"", "\"1.0\"", "the version is `1.0`");
    bad("{\"mesh\":0}", "{\"mesh\":0,\"scale\":[1,1]}", "`scale` is not 3 numbers");
    bad("{\"mesh\":0}", "{\"mesh\":0,\"rotation\":[0,0,0,0]}", "`rotation` is zero");
    bad("{\"mesh\":0}", "{\"mesh\":0,\"scale\":[1e300,1e300,1]}", "beyond");
    bad("{\"mesh\":0}", "{\"mesh\":5}", "there is no `meshes[5]`");
    let whole = glb(&good, &data);
    for length in 0..whole.len() {
        assert!(read_alone("a.glb", &whole[..length]).is_err(), "{length} bytes");
    }
    refused("a.glb", &whole[..11], "byte 0");
    refused("a.glb", &whole[..99], "byte 8");
    refused("a.gltf", "{\"asset\"", "line 1, column 8: the text is not JSON");
    refused("a.gltf", "[".repeat(100_000), "recursion limit");
    refused("a.gltf", &good, "buffers[0]: the buffer has neither `uri` nor data");
    for (uri, says) in [
        ("../secret", "leads out of the file's folder"),
        ("a/../../b", "leads out"),
        ("%2e%2e/secret", "leads out"),
        ("/etc/passwd", "not a relative path"),
        ("%2Fetc/passwd", "not a relative path"),
        ("..\\\\secret", "not a relative path"),
        ("file:///etc/passwd", "not a relative path"),
        ("http://example.org/a.bin", "not a relative path"),
        ("C:a.bin", "not a relative path"),
        ("", "is empty"),
        ("a%zz", "hexadecimal"),
        ("a%ff", "not UTF-8"),
        ("a%0ab", "control character"),
        ("gone.bin", "the file `gone.bin` cannot be read: there is none"),
        ("data:text/plain,abc", "not base64"),
        ("data:a;base64,A!==", "damaged"),
        ("data:a;base64,AAAA", "bytes are announced, there are 3"),
    ] {
        refused("a.gltf", gltf(&mesh, Some(uri)).0, says);
    }
}
