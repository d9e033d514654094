//! Shapes of bodies: mass, centre and inertia beside the same numbers written by hand, meshes, and
//! messages about what is wrong.

use rotule_mesh::{MeshFile, solids};
use rotule_model::build::*;
use rotule_model::diagnostic::DiagnosticCode;
use rotule_model::mechanism::{BodyForm, Mechanism};
use rotule_model::{Loaded, ReadOptions, Texts, write};

const PI: f64 = std::f64::consts::PI;

fn text(body: &str) -> String {
    format!(
        "[model]\nname = \"m\"\n[parameters]\nr = 0.1\nl = 2\nrho = 1000\n[[body]]\nname = \"b\"\n\
         parent = \"ground\"\njoint = {{ name = \"q\", type = \"free\" }}\n{body}\n[initial.q]\n\
         q = [0, \"r*l*rho\", 0, 1, 0, 0, 0]\n"
    )
}

fn load(body: &str) -> Loaded {
    Texts::new("m.toml", text(body)).read(&ReadOptions::default())
}

/// Mass, centre and the entries xx, yy, zz, xy, xz, yz of the body.
fn mass(mechanism: &Mechanism) -> [f64; 10] {
    let body = &mechanism.bodies[1];
    let i = body.inertia.0;
    let [x, y, z] = body.com.0;
    let entries = [i[0][0], i[1][1], i[2][2], i[0][1], i[0][2], i[1][2]];
    let all = [[body.mass, x, y, z].as_slice(), &entries].concat();
    mechanism.evaluate(&all).try_into().expect("ten numbers")
}

/// Two ways to write a body have the same mass, centre and inertia.
fn same(one: &str, other: &str) {
    let [one, other] = [one, other].map(|body| {
        let Loaded { mechanism, diagnostics, .. } = load(body);
        let all: Vec<_> = diagnostics.iter().map(|found| found.message.clone()).collect();
        mass(&mechanism.unwrap_or_else(|| panic!("{body}: {all:?}")))
    });
    for (a, b) in one.iter().zip(other) {
        assert!((a - b).abs() < 1e-12 * (1.0 + b.abs()), "{one:?}\n{other:?}");
    }
}

#[test]
fn shapes_weigh_what_is_written_by_hand() {
    same(
        "shape = { box = [0.1, 0.2, 0.3], at = [1, 2, 3], density = 500 }",
        "mass = 3\ncom = [1, 2, 3]\ninertia = { xx = 0.0325, yy = 0.025, zz = 0.0125 }",
    );
    // Parameters and units are read as everywhere.
    same(
        "shape = { cylinder = [\"r\", \"200 cm\"], axis = \"x\", density = \"rho\" }",
        "mass = \"rho*pi*r^2*l\"\ninertia = { xx = \"rho*pi*r^4*l/2\", \
         yy = \"rho*pi*r^2*l*(3*r^2 + l^2)/12\", zz = \"rho*pi*r^2*l*(3*r^2 + l^2)/12\" }",
    );
    // A cone has its centre above its base, wherever that points.
    same(
        "shape = { cone = [0.1, 0.4], axis = \"-y\", at = [1, 0, 0], density = \"2 g/cm^3\" }",
        "mass = \"2000*pi*0.01*0.4/3\"\ncom = [1, -0.1, 0]\ninertia = { cone = \
         [\"2000*pi*0.01*0.4/3\", 0.1, 0.4], axis = \"-y\" }",
    );
    // A given mass is spread over the shapes.
    same(
        "mass = 7\ninertia = \"from shapes\"\nshape = { sphere = 0.5, at = [0, 0, 1] }",
        "mass = 7\ncom = [0, 0, 1]\ninertia = { xx = 0.7, yy = 0.7, zz = 0.7 }",
    );
    // Shapes without density are drawn only.
    same("shape = { sphere = 1 }\nmass = 2", "mass = 2");
    // Two balls: the parallel-axis theorem.
    same(
        "shape = [{ sphere = 0.1, at = [0, 0, 1], density = \"3/(4*pi)*1e3\" }, \
         { sphere = 0.1, at = [0, 0, -1], density = \"9/(4*pi)*1e3\" }]",
        "mass = 4\ncom = [0, 0, -0.5]\ninertia = { xx = 3.016, yy = 3.016, zz = 0.016 }",
    );
    // Rotated shapes, a whole of two halves.
    same(
        "shape = [{ box = [1, 2, 3], at = [0.5, 0, 0], rotation = [0, 0, \"90 deg\"], density = 1 }, \
         { box = [1, 2, 3], at = [-0.5, 0, 0], rotation = [0, 0, \"90 deg\"], density = 1 }]",
        "mass = 12\ninertia = { xx = 10, yy = 16.0, zz = 8.0 }",
    );
}

#[test]
fn inertias_in_one_word() {
    same("inertia = { rod = [3, 2] }", "mass = 3\ninertia = { xx = 1, yy = 1 }");
    same(
        "inertia = { rod = [3, \"l\"], axis = \"y\" }\ncom = [0, 1, 0]",
        "mass = 3\ncom = [0, 1, 0]\ninertia = { xx = 1, zz = 1 }",
    );
    same("inertia = { sphere = [5, 2] }", "mass = 5\ninertia = { xx = 8, yy = 8, zz = 8 }");
    same("inertia = { box = [12, 1, 2, 3] }", "mass = 12\ninertia = { xx = 13, yy = 10, zz = 5 }");
    // A mass that is written stays; the inertia is that of the other.
    same(
        "mass = 1\ninertia = { sphere = [5, 2] }",
        "mass = 1\ninertia = { xx = 8, yy = 8, zz = 8 }",
    );
    same(
        "inertia = { tube = [2, 0.3, 0.1, 0.6], rotation = { axis = \"x\", angle = \"90 deg\" } }",
        "mass = 2\ninertia = { xx = 0.11, yy = 0.1, zz = 0.11 }",
    );
}

/// A mesh of a name.
fn with_mesh(body: &str, mesh: Result<MeshFile, String>) -> Loaded {
    let texts = Texts::new("m.toml", text(body)).with_mesh("a.stl", mesh);
    assert_eq!(texts.mesh_names(&ReadOptions::default()), ["a.stl"]);
    texts.read(&ReadOptions::default())
}

#[test]
fn meshes_weigh_what_their_solid_does() {
    let cuboid = MeshFile { mesh: solids::cuboid([100.0, 200.0, 300.0]), notes: Vec::new() };
    let body = "shape = { mesh = \"a.stl\", scale = 0.001, at = [1, 2, 3], density = 500 }";
    let loaded = with_mesh(body, Ok(cuboid));
    let mechanism = loaded.mechanism.expect("a model");
    let found = mass(&mechanism);
    let expected = [3.0, 1.0, 2.0, 3.0, 0.0325, 0.025, 0.0125, 0.0, 0.0, 0.0];
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
    assert!(matches!(&mechanism.bodies[1].shapes[0].form, BodyForm::Triangles(mesh)
        if mesh.triangles.len() == 12 && mesh.bounds() == Some([[-0.05, -0.1, -0.15], [0.05, 0.1, 0.15]])));
    // A hull of the corners is the same solid.
    let corners: Vec<String> = (0..8)
        .map(|k| {
            format!(
                "[{}, {}, {}]",
                0.1 * f64::from(k & 1),
                0.2 * f64::from(k >> 1 & 1),
                0.3 * f64::from(k >> 2)
            )
        })
        .collect();
    let hull = format!(
        "shape = {{ hull = [{}], at = [0.95, 1.9, 2.85], density = 500 }}",
        corners.join(", ")
    );
    let found = mass(&load(&hull).mechanism.expect("a model"));
    assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
}

/// The messages about a body, in order.
fn check(loaded: Loaded, expected: &[&str]) {
    let found: Vec<String> = loaded
        .diagnostics
        .iter()
        .map(|one| format!("{}[{}]: {}", one.severity.word(), one.code, one.message))
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn meshes_that_are_missing_or_open() {
    let body = "mass = 1\nshape = [{ mesh = \"a.stl\" }, { mesh = \"a.stl\", at = [1, 0, 0] }]";
    let gone = || Err("a.stl: there is no such file".to_owned());
    let loaded = with_mesh(body, gone());
    let mechanism = loaded.mechanism.as_ref().expect("a model without the mesh");
    assert_eq!(mechanism.bodies[1].shapes[1].form, BodyForm::Missing("a.stl".to_owned()));
    check(
        loaded,
        &["note[missing]: 2 meshes are drawn as marks; the first: a.stl: there is no such file"],
    );
    let heavy = "shape = { mesh = \"a.stl\", density = 1 }";
    check(
        with_mesh(heavy, gone()),
        &["error[missing]: shape 1 of body `b` has no mass: a.stl: there is no such file"],
    );
    check(
        load("shape = { mesh = \"a.stl\" }"),
        &["note[missing]: 1 mesh is drawn as a mark: the mesh `a.stl` is not given"],
    );
    let mut open = solids::cuboid([1.0; 3]);
    open.triangles.pop();
    let loaded = with_mesh(heavy, Ok(MeshFile { mesh: open, notes: Vec::new() }));
    let found = loaded.diagnostics.iter().next().expect("a warning");
    assert!(
        found.message.contains("3 edges have a triangle on one side only"),
        "{}",
        found.message
    );
}

#[test]
fn mistakes_have_a_place_and_a_remedy() {
    let row = |body: &str, expected: &str| {
        let loaded = load(body);
        assert!(loaded.diagnostics.iter().all(|one| one.help.is_some()), "{body}");
        check(loaded, &[expected]);
    };
    row(
        "mass = 1\nshape = { sphere = 1, density = 1 }",
        "error[ambiguous]: body `b` has both `mass` and shapes with a `density`",
    );
    row(
        "inertia = \"from shapes\"",
        "error[missing]: body `b` has no shapes to take its inertia from",
    );
    row(
        "inertia = \"from shapes\"\nshape = { sphere = 1 }",
        "error[missing]: a shape of body `b` has no `density`",
    );
    row(
        "inertia = \"from shapes\"\ncom = [0, 0, 1]\nshape = { sphere = 1, density = 1 }",
        "error[ambiguous]: body `b` has a `com`, and its inertia is that of its shapes",
    );
    row(
        "shape = { box = [1, 2] }",
        "error[dimension]: `shape` of body `b`: `box` takes 3 numbers, found 2",
    );
    row(
        "inertia = { rod = 1 }",
        "error[dimension]: `inertia` of body `b`: `rod` takes 2 numbers, found 1",
    );
    row("shape = { at = [0, 0, 1] }", "error[missing]: `shape` of body `b` has no form");
    row(
        "shape = { box = [1, 1, 1], sphere = 1 }",
        "error[ambiguous]: `shape` of body `b` is both `box` and `sphere`",
    );
    row(
        "shape = { sphere = 1, colour = \"red\" }",
        "error[type]: the colour `red` of shape 1 of body `b` is not known",
    );
    row("shape = { rod = 1 }", "error[type]: shape 1 of body `b` is a `rod`, which has no volume");
    row(
        "shape = { cylinder = [1, 2], axis = [1, 1, 0] }",
        "error[axis]: the `axis` of shape 1 of body `b` is none of the body's axes",
    );
    row(
        "shape = { hull = [[0, 0, 0], [1, 0, 0], [0, 1, 0]] }",
        "error[number]: shape 1 of body `b` has no hull: the points are on one plane, so that their hull has no volume",
    );
    row(
        "shape = { hull = [[0, 0, 0], [\"r\", 0, 0]] }",
        "error[expression]: shape 1 of body `b` depends on a parameter, and its triangles cannot",
    );
    row(
        "shape = { sphere = 1, scale = 2 }",
        "error[unknown-key]: `shape` of body `b` has a `scale`, which only a mesh has",
    );
    check(
        load("shape = { sphere = -1 }"),
        &["error[number]: a size in shape 1 of body `b` must be positive, found -1"],
    );
    check(
        load("shape = { sphere = \"1 kg\", density = 1 }"),
        &["error[unit]: shape 1 of body `b` is given in `kg`, a mass, expected a length"],
    );
}

#[test]
fn code_builds_what_files_say() {
    let mut model = Draft::new("m");
    model.add(
        Body::new("b")
            .parent("ground")
            .joint(Joint::revolute("q", "y"))
            .shape(
                BodyShape::solid(SolidType::Cylinder, [0.02, 1.0])
                    .at([0.0, 0.0, -0.5])
                    .colour("#8899aa")
                    .density("7.85 g/cm^3"),
            )
            .shape(BodyShape::solid(SolidType::Sphere, 0.1).density(1000))
            .inertia_from_shapes(),
    );
    model.add(
        Body::new("c").parent("b").joint(Joint::revolute("p", "y")).inertia_of(InertiaOf::solid(
            SolidType::Rod,
            2,
            0.5,
        )),
    );
    let loaded = model.load().expect("a model");
    let found = loaded.mechanism.evaluate(&[loaded.mechanism.bodies[1].mass])[0];
    let expected = 7850.0 * PI * 0.0004 + 4000.0 / 3.0 * PI * 0.001;
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    let again = Texts::new("m.toml", model.text()).load(&ReadOptions::default()).expect("a model");
    assert_eq!(write(&again.draft), model.text());
}

/// The examples of the manual's section about shapes: a name and a text.
fn manual(name: &str) -> String {
    let manual = include_str!("../../../docs/manual/model-file.md");
    let blocks = manual.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next());
    let mut found = blocks.filter(|text| text.contains(&format!("\"{name}\"")));
    found.next().expect("an example").to_owned()
}

#[test]
fn small_mechanisms_take_few_lines() {
    for (name, lines) in [("double_pendulum", 14), ("four_bar", 8)] {
        let text = manual(name);
        assert_eq!(text.lines().count(), lines, "{name}");
        let model = Texts::new("m.toml", text).load(&ReadOptions::default()).expect(name);
        assert!(
            model.diagnostics.iter().all(|one| one.code == DiagnosticCode::Guess),
            "{:?}",
            model.diagnostics
        );
        let bodies = &model.mechanism.bodies[1..];
        assert!(bodies.iter().all(|body| body.from_shapes && body.shapes.len() == 1), "{name}");
        // Steel capsules of their lengths.
        let masses: Vec<_> = bodies.iter().map(|body| body.mass).collect();
        let masses = model.mechanism.evaluate(&masses);
        let steel = |r: f64, l: f64| 7850.0 * PI * r * r * (l + 4.0 / 3.0 * r);
        let expected = match name {
            "four_bar" => vec![steel(0.01, 0.1), steel(0.01, 0.3), steel(0.01, 0.2)],
            _ => vec![steel(0.02, 1.0); 2],
        };
        assert!(masses.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{masses:?}");
    }
}

#[test]
fn visuals_of_robots_are_shapes() {
    let text = r#"<robot name="r">
<material name="steel"><color rgba="0.5 0.5 1 1"/></material>
<link name="base"><visual><geometry><box size="1 2 3"/></geometry></visual></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>
<visual><origin xyz="0 0 1" rpy="0 1.5 0"/><geometry><cylinder radius="0.1" length="2"/></geometry>
<material name="steel"/></visual>
<visual><geometry><mesh filename="package://r/a.stl" scale="0.001 0.001 0.001"/></geometry></visual>
<visual><geometry><sphere radius="-1"/></geometry></visual>
<collision><geometry><sphere radius="1"/></geometry></collision></link>
<link name="tool"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
<joint name="q" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>
<joint name="f" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 0 2"/></joint>
</robot>"#;
    let load = |merge_fixed| {
        let options = ReadOptions { merge_fixed, ..ReadOptions::default() };
        let texts = Texts::new("r.urdf", text);
        assert_eq!(texts.mesh_names(&options), ["package://r/a.stl"]);
        texts.load(&options).expect("a robot")
    };
    let robot = load(false);
    let shapes = |robot: &rotule_model::Accepted| -> Vec<usize> {
        robot.mechanism.bodies.iter().map(|body| body.shapes.len()).collect()
    };
    assert_eq!(shapes(&robot), [1, 2, 1]);
    let arm = &robot.mechanism.bodies[1].shapes;
    assert_eq!(arm[0].colour, Some([128, 128, 255]));
    assert!(matches!(&arm[0].form, BodyForm::Solid(SolidType::Cylinder, sizes)
        if robot.mechanism.evaluate(sizes) == [0.1, 2.0]));
    let z = arm[0].placement.rotation.column(2).0;
    let z = robot.mechanism.evaluate(&z);
    assert!((z[0] - 1.5_f64.sin()).abs() < 1e-15 && (z[2] - 1.5_f64.cos()).abs() < 1e-15, "{z:?}");
    let notes: Vec<&str> = robot.diagnostics.iter().map(|one| one.message.as_str()).collect();
    for part in
        ["cannot be read are left out: `arm`", "`<collision>` is left out", "1 mesh is drawn"]
    {
        assert_eq!(
            notes.iter().filter(|note| note.contains(part)).count(),
            1,
            "{part} in {notes:#?}"
        );
    }
    // What is written reads back with its shapes.
    let again = Texts::new("m.toml", write(&robot.draft)).load(&ReadOptions::default());
    assert_eq!(shapes(&again.expect("a model file")), [1, 2, 1]);
    // A merged link takes its shapes along.
    let merged = load(true);
    assert_eq!(shapes(&merged), [1, 3]);
    let tool = &merged.mechanism.bodies[1].shapes[2].placement.position;
    assert_eq!(merged.mechanism.evaluate(&tool.0), [0.0, 0.0, 2.0]);
}

/// A shape of a robot: solid or mesh, sizes, place, the directions of its x and z axes, colour.
type Seen = (String, Vec<f64>, [[f64; 3]; 3], Option<[u8; 3]>);

/// The shapes of a body in the frame of the point `frame`, or of the body.
fn seen(loaded: &rotule_model::Accepted, body: usize) -> Vec<Seen> {
    let mechanism = &loaded.mechanism;
    let origin = mechanism
        .points
        .iter()
        .find(|point| point.frame.body.index() == body && point.name.ends_with("frame"));
    let origin = origin.map_or([0.0; 3], |point| {
        mechanism.evaluate(&point.frame.placement.position.0).try_into().expect("three")
    });
    let row = |shape: &rotule_model::mechanism::PlacedShape| {
        let (word, sizes) = match &shape.form {
            BodyForm::Solid(kind, sizes) => (kind.word().to_owned(), mechanism.evaluate(sizes)),
            BodyForm::Missing(file) => (file.clone(), Vec::new()),
            BodyForm::Triangles(_) => ("mesh".to_owned(), Vec::new()),
        };
        let placement = &shape.placement;
        let vectors =
            [placement.position, placement.rotation.column(0), placement.rotation.column(2)];
        let mut place =
            vectors.map(|v| mechanism.evaluate(&v.0).try_into().expect("three numbers"));
        let at: &mut [f64; 3] = &mut place[0];
        at.iter_mut().zip(origin).for_each(|(x, o)| *x -= o);
        (word, sizes, place, shape.colour)
    };
    mechanism.bodies[body].shapes.iter().map(row).collect()
}

fn shows(found: &[Seen], expected: &[Seen]) {
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for (a, b) in found.iter().zip(expected) {
        let flat = |s: &Seen| [s.1.clone(), s.2.concat()].concat();
        let near = flat(a).iter().zip(flat(b)).all(|(x, y)| (x - y).abs() < 1e-12);
        assert!(near && a.0 == b.0 && a.1.len() == b.1.len() && a.3 == b.3, "{a:?}\n{b:?}");
    }
}

const X: [f64; 3] = [1.0, 0.0, 0.0];
const Y: [f64; 3] = [0.0, 1.0, 0.0];
const Z: [f64; 3] = [0.0, 0.0, 1.0];

#[test]
fn shapes_of_sdf_stand_where_gazebo_draws_them() {
    let text = r#"<sdf version="1.9"><model name="m">
<frame name="mark" attached_to="arm"><pose>0 0 5 0 0 0</pose></frame>
<link name="base"><collision name="c"><geometry><box><size>1 2 3</size></box></geometry></collision>
</link>
<link name="arm"><pose>1 0 0 0 0 1.5708</pose>
<inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy><izz>1</izz></inertia></inertial>
<visual name="a"><pose>0 0 1 0 1.5708 0</pose><geometry><cone><radius>0.1</radius><length>2</length>
</cone></geometry><material><diffuse>1 0.5 0 1</diffuse></material></visual>
<visual name="b"><pose relative_to="mark"/><geometry><ellipsoid><radii>1 2 3</radii></ellipsoid>
</geometry></visual>
<visual name="d"><geometry><mesh><uri>model://m/a.stl</uri><scale>2 2 2</scale></mesh></geometry></visual>
<visual name="e"><geometry><plane><normal>0 0 1</normal></plane></geometry></visual>
<visual name="f"><pose relative_to="nowhere"/><geometry><sphere><radius>1</radius></sphere></geometry>
</visual><visual name="g"><pose>1 x</pose><geometry><sphere><radius>1</radius></sphere></geometry>
</visual></link>
<joint name="w" type="fixed"><parent>world</parent><child>base</child></joint>
<joint name="q" type="revolute"><pose>0 0.5 0 0 0 0</pose><parent>base</parent><child>arm</child>
<axis><xyz>0 0 1</xyz></axis></joint></model></sdf>"#;
    let texts = Texts::new("m.sdf", text);
    assert_eq!(texts.mesh_names(&ReadOptions::default()), ["model://m/a.stl"]);
    let loaded = texts.load(&ReadOptions::default()).expect("a model");
    let solid = |word: &str, sizes: &[f64], place| (word.to_owned(), sizes.to_vec(), place, None);
    shows(&seen(&loaded, 1), &[solid("box", &[1.0, 2.0, 3.0], [[0.0; 3], X, Z])]);
    // In the axes of the link; the cone's base is half its length behind its middle.
    let cone = solid("cone", &[0.1, 2.0], [[-1.0, 0.0, 1.0], [0.0, 0.0, -1.0], X]);
    shows(
        &seen(&loaded, 2),
        &[
            (cone.0, cone.1, cone.2, Some([255, 128, 0])),
            solid("ellipsoid", &[1.0, 2.0, 3.0], [[0.0, 0.0, 5.0], X, Z]),
            solid("model://m/a.stl", &[], [[0.0; 3], X, Z]),
        ],
    );
    let notes: Vec<&str> = loaded.diagnostics.iter().map(|one| one.message.as_str()).collect();
    let unread = "shapes whose geometry or place cannot be read are left out: `arm`, `arm`, `arm`";
    assert!(notes.contains(&unread), "{notes:#?}");
}

#[test]
fn geoms_stand_where_mujoco_draws_them() {
    let text = r#"<mujoco><compiler angle="degree" meshdir="parts"/>
<default><mesh scale="0.001 0.001 0.001"/><default class="hidden"><geom group="3"/></default></default>
<asset><mesh file="sub/hand.stl"/><material name="red" rgba="1 0 0 1"/></asset>
<worldbody><geom type="plane" size="1 1 1"/><geom type="box" size="1 2 3" pos="0 0 -3"/>
<body name="arm" pos="0 0 1"><joint name="q" type="hinge" pos="0.5 0 0"/>
<inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom class="hidden" type="sphere" size="9"/>
<geom type="capsule" fromto="0 0 0 0 2 0" size="0.1" rgba="0 1 0 1"/>
<frame pos="0 0 1"><geom type="mesh" mesh="hand" euler="0 90 0" material="red"/></frame>
<geom type="mesh" mesh="nowhere"/><geom type="sphere" size="-1"/></body>
<body name="tool"><joint name="p"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
<geom class="hidden" type="cylinder" size="1 2"/></body></worldbody></mujoco>"#;
    let texts = Texts::new("m.mjcf", text);
    assert_eq!(texts.mesh_names(&ReadOptions::default()), ["parts/sub/hand.stl"]);
    let loaded = texts.load(&ReadOptions::default()).expect("a model");
    let row =
        |word: &str, sizes: &[f64], place, colour| (word.to_owned(), sizes.to_vec(), place, colour);
    shows(&seen(&loaded, 0), &[row("box", &[2.0, 4.0, 6.0], [[0.0, 0.0, -3.0], X, Z], None)]);
    let minus_y = [0.0, -1.0, 0.0];
    shows(
        &seen(&loaded, 1),
        &[
            row("capsule", &[0.1, 2.0], [Y, X, minus_y], Some([0, 255, 0])),
            row("parts/sub/hand.stl", &[], [Z, [0.0, 0.0, -1.0], X], Some([255, 0, 0])),
        ],
    );
    shows(&seen(&loaded, 2), &[row("cylinder", &[1.0, 4.0], [[0.0; 3], X, Z], None)]);
    let notes: Vec<&str> = loaded.diagnostics.iter().map(|one| one.message.as_str()).collect();
    let unread = "shapes whose geometry or place cannot be read are left out: `arm`, `arm`";
    assert!(notes.contains(&unread), "{notes:#?}");
}

#[test]
fn graphics_of_robotran_stand_where_its_view_draws_them() {
    let xyz = |name: &str, [x, y, z]: [f64; 3]| {
        format!("<{name}><x>{x}</x><y>{y}</y><z>{z}</z></{name}>")
    };
    let shape = |word: &str, position, scale, rotation, rest: &str| {
        format!(
            "<{word}><name>s</name>{}{}{}<color R=\"255\" G=\"0\" B=\"51\"/>{rest}</{word}>",
            xyz("position", position),
            xyz("scale", scale),
            xyz("rotation", rotation)
        )
    };
    let h = PI / 2.0;
    let round = "<radius>0.5</radius><height>4</height>";
    let shapes = [
        // Along y, as the scale before the rotation has it.
        shape("cylinder", X, [2.0, 3.0, 2.0], [0.0; 3], round),
        shape("cone", [0.0; 3], [1.0; 3], [0.0, 0.0, h], round),
        shape("box", [0.0; 3], [1.0, 2.0, 3.0], [0.0; 3], &xyz("size", [1.0, 1.0, 1.0])),
        shape("inline", Y, [1.0, 2.0, 3.0], [h, h, 0.0], "<url>PRJPATH/dataR/Car.wrl</url>"),
        shape("cylinder", X, [2.0, 3.0, 5.0], [0.0; 3], round),
        shape("torus", X, [1.0; 3], [0.0; 3], round),
    ]
    .concat();
    let file = include_str!("../../../examples/small/double_pendulum.mbs");
    let (before, rest) = file.split_once("<x3D_shapes>").expect("shapes");
    let (_, after) = rest.split_once("</x3D_shapes>").expect("their end");
    let text = format!("{before}<x3D_shapes>{shapes}</x3D_shapes>{after}");
    let loaded = Texts::new("m.mbs", text).load(&ReadOptions::default()).expect("a model");
    let red = Some([255, 0, 51]);
    let row = |word: &str, sizes: &[f64], place| (word.to_owned(), sizes.to_vec(), place, red);
    let car = ("PRJPATH/dataR/Car.wrl".to_owned(), Vec::new(), [Y, Y, X], None);
    shows(
        &seen(&loaded, 1),
        &[
            row("cylinder", &[1.0, 12.0], [X, X, Y]),
            // Rotated about z, its tip is along -x.
            row("cone", &[0.5, 4.0], [[2.0, 0.0, 0.0], Y, [-1.0, 0.0, 0.0]]),
            row("box", &[1.0, 3.0, 2.0], [[0.0; 3], X, Y]),
            car,
        ],
    );
    // Its x goes along y of the body, y along z, z along x: so do the factors.
    let written = write(&loaded.draft);
    assert!(written.contains("scale = [2, 3, 1]"), "{written}");
    let notes: Vec<&str> = loaded.diagnostics.iter().map(|one| one.message.as_str()).collect();
    let unread = "shapes whose geometry or place cannot be read are left out: `upper`, `upper`";
    assert!(notes.contains(&unread), "{notes:#?}");
}

#[test]
fn small_mechanisms_are_the_same_in_other_formats() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/small");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect(name);
    let load = |name: &str| {
        let found = Texts::new(name, read(name)).load(&ReadOptions::default());
        found.unwrap_or_else(|rejected| panic!("{name}: {rejected:?}")).mechanism
    };
    let page = include_str!("../../../docs/manual/other-formats.md");
    for name in ["double_pendulum", "four_bar"] {
        assert_eq!(read(&format!("{name}.toml")), manual(name), "{name}");
        let ours = load(&format!("{name}.toml"));
        for ending in ["mjcf", "urdf", "mbs"] {
            let file = format!("{name}.{ending}");
            let theirs = load(&file);
            assert!(page.contains(&read(&file)), "{file} is not on the page as it is");
            assert_eq!(theirs.cuts.len(), ours.cuts.len(), "{file}");
            for body in &ours.bodies[1..] {
                let other =
                    theirs.body(&body.name).unwrap_or_else(|| panic!("{file}: {}", body.name));
                let other = &theirs.bodies[other.index()];
                let values = |mechanism: &Mechanism, body: &rotule_model::mechanism::Body| {
                    let mut all = vec![body.mass];
                    all.extend(body.com.0);
                    all.extend(body.inertia.0.as_flattened());
                    all.extend(body.placement.position.0);
                    mechanism.evaluate(&all)
                };
                let (a, b) = (values(&ours, body), values(&theirs, other));
                let near = a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-8 * (1.0 + b.abs()));
                assert!(near, "{file}, {}: {a:?}\n{b:?}", body.name);
                assert_eq!(other.shapes.len(), 1, "{file}, {}", body.name);
            }
        }
        assert!(page.contains(&read(&format!("{name}.mo"))), "{name}.mo");
    }
}
