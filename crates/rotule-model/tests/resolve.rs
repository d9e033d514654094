//! The meaning of model files: frames, trees, laws. Numbers are compared with plain formulas
//! written here.

use rotule_model::closure::gaps;
use rotule_model::mechanism::Role;
use rotule_model::pose::{self, Components, Pose};
use rotule_model::{Mechanism, ReadOptions, Severity, Texts, load_text};

/// The mechanism of a model file without errors or warnings.
fn mechanism(text: &str) -> Mechanism {
    let text = format!("[model]\nname = \"m\"\n{text}");
    let accepted = Texts::new("model.toml", text).load(&ReadOptions::default()).expect("no errors");
    let shown = accepted.diagnostics.render(&accepted.sources);
    assert_eq!(accepted.diagnostics.count(Severity::Warning), 0, "{shown}");
    accepted.mechanism
}

/// The pose of a body at the initial state.
fn pose_of(mechanism: &Mechanism, body: &str) -> Pose {
    pose::initial(mechanism)[mechanism.body(body).expect("there is such a body").index()]
}

fn close(a: &Pose, b: &Pose) -> bool {
    let near = |a: Components, b: Components| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-12);
    near(a.position, b.position) && (0..3).all(|i| near(a.rotation[i], b.rotation[i]))
}

fn names(mechanism: &Mechanism) -> Vec<&str> {
    mechanism.bodies.iter().map(|body| body.name.as_str()).collect()
}

#[test]
fn rotations_mean_the_same_in_every_form() {
    // Roll 0.3, pitch -0.4, yaw 1.1 as z-y-x turns: R = Rz(yaw) Ry(pitch) Rx(roll).
    let (r, p, y) = (0.3_f64, -0.4_f64, 1.1_f64);
    let (sr, cr) = r.sin_cos();
    let (sp, cp) = p.sin_cos();
    let (sy, cy) = y.sin_cos();
    let expected = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ];
    // The quaternion by half angles.
    let ((sr, cr), (sp, cp), (sy, cy)) =
        ((r / 2.0).sin_cos(), (p / 2.0).sin_cos(), (y / 2.0).sin_cos());
    let q = [
        cr * cp * cy + sr * sp * sy,
        sr * cp * cy - cr * sp * sy,
        cr * sp * cy + sr * cp * sy,
        cr * cp * sy - sr * sp * cy,
    ];
    let half = q[0].acos();
    let axis = [q[1], q[2], q[3]].map(|x| x / half.sin());
    for rotation in [
        format!("[{r}, {p}, {y}]"),
        format!("{{ rpy = [{r}, {p}, {y}] }}"),
        format!("{{ quaternion = {q:?} }}"),
        format!("{{ quaternion = {:?} }}", q.map(|x| -3.0 * x)),
        format!("{{ matrix = {expected:?} }}"),
        format!("{{ axis = {axis:?}, angle = {} }}", 2.0 * half),
    ] {
        let text = format!("[[body]]\nname = \"b\"\nparent = \"ground\"\nrotation = {rotation}\n");
        let found = pose_of(&mechanism(&text), "b");
        let expected = Pose { position: [0.0; 3], rotation: expected };
        assert!(close(&found, &expected), "{rotation}: {found:?}");
    }
}

#[test]
fn quarter_turns_are_exact() {
    let text = "[[body]]\nname = \"b\"\nparent = \"ground\"\nrotation = [\"pi/2\", 0, \"-pi\"]\n";
    let mechanism = mechanism(text);
    let rotation = mechanism.bodies[1].placement.rotation;
    let texts = rotation.0.map(|row| row.map(|entry| mechanism.graph.text(entry)));
    assert_eq!(texts, [["-1", "0", "0"], ["0", "0", "1"], ["0", "1", "0"]]);
}

/// Every joint that can be reversed, with coordinates and those of the motion the other way.
const REVERSIBLE: &[(&str, &str, &str)] = &[
    ("type = \"revolute\"\naxis = [1, 2, 2]", "0.7", "-0.7"),
    ("type = \"prismatic\"\naxis = [1, 2, 2]", "0.7", "-0.7"),
    ("type = \"helical\"\npitch = 0.1\naxis = \"z\"", "0.7", "-0.7"),
    ("type = \"cylindrical\"\naxis = \"-y\"", "[0.7, 0.2]", "[-0.7, -0.2]"),
];

#[test]
fn a_joint_means_the_same_in_both_directions() {
    let points = "points.p = { position = [1, 2, 3], rotation = [0.1, 0.2, 0.3] }\n";
    let other = "points.r = { position = [0.5, -1, 2], rotation = [1, -0.5, 0.2] }\n";
    for (joint, forth, back) in REVERSIBLE {
        let model = |between: &str, q: &str| {
            mechanism(&format!(
                "[ground]\n{points}[[body]]\nname = \"b\"\nmass = 1\n{other}\n\
                 [[joint]]\nname = \"q\"\n{joint}\nbetween = {between}\n[initial.q]\nq = {q}\n"
            ))
        };
        let first = model("[\"ground.p\", \"b.r\"]", forth);
        let second = model("[\"b.r\", \"ground.p\"]", back);
        assert!(close(&pose_of(&first, "b"), &pose_of(&second, "b")), "{joint}");
        // The two sides of the joint are where its type allows: as a cut it is closed.
        let cut = mechanism(&format!(
            "[ground]\n{points}[[body]]\nname = \"a\"\nparent = \"ground\"\n\
             joint = {{ name = \"f\", type = \"free\" }}\nmass = 1\n{other}\n\
             [[cut]]\nname = \"c\"\n{joint}\nbetween = [\"ground.p\", \"a.r\"]\n\
             [initial.q]\nf = {}\n",
            coordinates(&pose_of(&first, "b"))
        ));
        let gap = gaps(&cut, &pose::initial(&cut))[0];
        assert!(gap.distance < 1e-9 && gap.angle < 1e-7, "{joint}: {gap:?}");
    }
}

/// A pose as coordinates of a free joint.
fn coordinates(pose: &Pose) -> String {
    let r = pose.rotation;
    let w = (1.0 + r[0][0] + r[1][1] + r[2][2]).sqrt() / 2.0;
    let v = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]].map(|x| x / (4.0 * w));
    let [x, y, z] = pose.position;
    format!("[{x}, {y}, {z}, {w}, {}, {}, {}]", v[0], v[1], v[2])
}

#[test]
fn joints_of_several_coordinates_move_as_the_manual_says() {
    let body = |joint: &str, q: &str| {
        let text = format!(
            "[[body]]\nname = \"b\"\nparent = \"ground\"\nmass = 1\n\
             inertia = {{ xx = 1, yy = 1, zz = 1 }}\njoint = {{ name = \"q\", {joint} }}\n\
             [initial.q]\nq = {q}\n"
        );
        pose_of(&mechanism(&text), "b")
    };
    let chain = |joints: &str| {
        let text = format!(
            "[[body]]\nname = \"b\"\nparent = \"ground\"\nmass = 1\n\
             inertia = {{ xx = 1, yy = 1, zz = 1 }}\njoint = [{joints}]\n\
             [initial.q]\na = 0.4\nb = -0.3\nc = 0.9\n"
        );
        pose_of(&mechanism(&text), "b")
    };
    let one = |name: &str, kind: &str, axis: &str| {
        format!("{{ name = \"{name}\", type = \"{kind}\", axis = {axis} }},")
    };
    let cases = [
        (
            body("type = \"planar\", axis = \"z\"", "[0.4, -0.3, 0.9]"),
            [("prismatic", "\"x\""), ("prismatic", "\"y\""), ("revolute", "\"z\"")],
        ),
        (
            body("type = \"planar\", axis = \"x\"", "[0.4, -0.3, 0.9]"),
            [("prismatic", "\"y\""), ("prismatic", "\"z\""), ("revolute", "\"x\"")],
        ),
        (
            body("type = \"planar\", axis = \"y\"", "[0.4, -0.3, 0.9]"),
            [("prismatic", "\"z\""), ("prismatic", "\"x\""), ("revolute", "\"y\"")],
        ),
    ];
    for (found, [a, b, c]) in cases {
        let expected =
            chain(&[one("a", a.0, a.1), one("b", b.0, b.1), one("c", c.0, c.1)].concat());
        assert!(close(&found, &expected), "{found:?} {expected:?}");
    }
    let universal = body("type = \"universal\", axes = [\"x\", [0, 1, 1]]", "[0.4, -0.3]");
    let text = "[[body]]\nname = \"b\"\nparent = \"ground\"\nmass = 1\ncom = [1, 1, 0]\njoint = [\
        { name = \"a\", type = \"revolute\", axis = \"x\" },\
        { name = \"b\", type = \"revolute\", axis = [0, 1, 1] }]\n[initial.q]\na = 0.4\nb = -0.3\n";
    assert!(close(&universal, &pose_of(&mechanism(text), "b")));
}

#[test]
fn bodies_follow_the_file_where_parents_allow() {
    let text = "
        [[body]]\nname = \"d\"\nparent = \"c\"
        [[body]]\nname = \"a\"\nparent = \"ground\"
        [[body]]\nname = \"c\"\nparent = \"a\"
        [[body]]\nname = \"b\"\nparent = \"ground\"\n";
    assert_eq!(names(&mechanism(text)), ["ground", "a", "c", "d", "b"]);
}

/// Bars in a ring on the ground, all joined by tables: `types` are the joints' types in turn.
fn ring(types: &[&str], extra: &str) -> Mechanism {
    let bodies = types.len() - 1;
    let mut text = String::new();
    for body in 1..=bodies {
        text.push_str(&format!("[[body]]\nname = \"b{body}\"\nmass = 1\ncom = [1, 0, 0]\n"));
    }
    let name = |at: usize| match at % types.len() {
        0 => "ground".to_owned(),
        body => format!("b{body}"),
    };
    for (at, kind) in types.iter().enumerate() {
        let axis = if *kind == "spherical" { "" } else { "axis = \"z\"\n" };
        let (first, second) = (name(at), name(at + 1));
        text.push_str(&format!(
            "[[joint]]\nname = \"j{at}\"\ntype = \"{kind}\"\n{axis}between = [\"{first}\", \"{second}\"]\n"
        ));
    }
    mechanism(&(text + extra))
}

fn cut_names(mechanism: &Mechanism) -> Vec<&str> {
    mechanism.cuts.iter().map(|cut| cut.name.as_str()).collect()
}

#[test]
fn loops_are_cut_so_that_branches_are_short() {
    // Five bodies in a ring: two on one side, two on the other, the middle one by the first joint.
    let mechanism = ring(&["revolute"; 6], "");
    assert_eq!(cut_names(&mechanism), ["j3"]);
    let depth = |name: &str| {
        let mut body = mechanism.body(name);
        let mut depth = 0;
        while let Some(parent) = body.and_then(|id| mechanism.bodies[id.index()].parent) {
            depth += 1;
            body = Some(parent);
        }
        depth
    };
    assert_eq!(["b1", "b2", "b3", "b4", "b5"].map(depth), [1, 2, 3, 2, 1]);
}

#[test]
fn the_joint_with_most_freedom_is_cut_where_there_is_a_choice() {
    let mechanism = ring(&["revolute", "spherical", "cylindrical", "revolute"], "");
    // The middle body is reached from both sides in two steps; the spherical joint goes.
    assert_eq!(cut_names(&mechanism), ["j1"]);
    assert_eq!(mechanism.cuts[0].rows(), 3);
}

#[test]
fn a_joint_whose_coordinate_is_used_is_not_cut() {
    let motion = "[[motion]]\njoint = \"j3\"\nq = \"0*t\"\n";
    assert_eq!(cut_names(&ring(&["revolute"; 6], motion)), ["j2"]);
    let coupling = "[[coupling]]\nname = \"c\"\nequation = \"j3 = 2*j0\"\n";
    assert_eq!(cut_names(&ring(&["revolute"; 6], coupling)), ["j2"]);
}

#[test]
fn motions_are_differentiated() {
    let mechanism = mechanism(
        "[parameters]\nw = 3\n[[body]]\nname = \"b\"\nparent = \"ground\"\nmass = 1\ncom = [1, 0, 0]\n\
         joint = { name = \"q\", type = \"revolute\", axis = \"z\" }\n\
         [[motion]]\njoint = \"q\"\nq = \"sin(w*t)\"\n",
    );
    let Role::Driven { q, qd, qdd } = &mechanism.joints[0].role else { panic!("driven") };
    let text = |list: &[rotule_symbolic::Expr]| mechanism.graph.text(list[0]);
    assert_eq!([text(q), text(qd), text(qdd)], ["sin(t*w)", "w*cos(t*w)", "-w^2*sin(t*w)"]);
}

#[test]
fn couplings_become_factors_and_an_offset() {
    let mechanism = mechanism(
        "[parameters]\nr = 3\n\
         [[body]]\nname = \"a\"\nparent = \"ground\"\nmass = 1\ncom = [1, 0, 0]\n\
         joint = { name = \"p\", type = \"revolute\", axis = \"z\" }\n\
         [[body]]\nname = \"b\"\nparent = \"ground\"\nmass = 1\n\
         joint = { name = \"q\", type = \"cylindrical\", axis = \"z\" }\n\
         inertia = { xx = 1, yy = 1, zz = 1 }\n\
         [[coupling]]\nname = \"c\"\nequation = \"q[2] = -r*(p - 2) + q[1]/2\"\n",
    );
    let coupling = &mechanism.couplings[0];
    let name = |at: usize| mechanism.coordinates[at].name.as_str();
    let terms: Vec<(&str, String)> = coupling
        .terms
        .iter()
        .map(|&(at, factor)| (name(at), mechanism.graph.text(factor)))
        .collect();
    let expected = [("p", "r"), ("q[1]", "-1/2"), ("q[2]", "1")];
    assert_eq!(terms, expected.map(|(name, factor)| (name, factor.to_owned())));
    assert_eq!(mechanism.graph.text(coupling.offset), "-2*r");
}

#[test]
fn abbreviations_stand_for_their_expressions() {
    let mechanism = mechanism(
        "[parameters]\nvolume = \"a^2*l\"\na = 2\nl = \"3*deg\"\nm = \"rho*volume\"\nrho = 1e3\n\
         [[body]]\nname = \"b\"\nparent = \"ground\"\nmass = \"m\"\n",
    );
    let symbols: Vec<&str> = mechanism.parameters.iter().map(|one| one.name.as_str()).collect();
    // A constant is a parameter, however it is written.
    assert_eq!(symbols, ["a", "l", "rho"]);
    let expected = 1e3 * 4.0 * 3.0 * std::f64::consts::PI / 180.0;
    let mass = mechanism.evaluate(&[mechanism.bodies[1].mass])[0];
    assert!((mass - expected).abs() < 1e-12 * expected);
}

#[test]
fn inertia_can_be_given_in_other_axes() {
    let mechanism = mechanism(
        "[[body]]\nname = \"b\"\nparent = \"ground\"\nmass = 1\n\
         inertia = { xx = 2, yy = 3, zz = 4, rotation = { axis = \"z\", angle = \"pi/2\" } }\n",
    );
    let inertia = mechanism.bodies[1].inertia;
    let texts = inertia.0.map(|row| row.map(|entry| mechanism.graph.text(entry)));
    assert_eq!(texts, [["3", "0", "0"], ["0", "2", "0"], ["0", "0", "4"]]);
}

#[test]
fn massless_ends_are_found() {
    let text = "
        [[body]]\nname = \"arm\"\nparent = \"ground\"\nmass = 1\ncom = [1, 0, 0]
        joint = { name = \"a\", type = \"revolute\", axis = \"z\" }
        [[body]]\nname = \"empty\"\nparent = \"arm\"
        joint = { name = \"b\", type = \"revolute\", axis = \"z\" }
        [[body]]\nname = \"pin\"\nparent = \"arm\"\nmass = 1\ncom = [0, 0, 1]
        joint = { name = \"c\", type = \"revolute\", axis = \"z\" }
        [[body]]\nname = \"rotor\"\nparent = \"arm\"
        joint = { name = \"d\", type = \"revolute\", axis = \"z\", armature = 0.1 }\n";
    let structure = rotule_model::structure(&mechanism(text));
    assert_eq!(structure.massless_ends, ["empty", "pin"]);
}

/// The messages about a model file, one per line.
fn findings(text: &str) -> Vec<String> {
    let text = format!("[model]\nname = \"m\"\n{text}");
    let loaded = Texts::new("model.toml", text).read(&ReadOptions::default());
    loaded.diagnostics.iter().map(|finding| finding.message.clone()).collect()
}

/// A body that turns about z on the ground.
fn arm(name: &str, joint: &str) -> String {
    format!(
        "[[body]]\nname = \"{name}\"\nparent = \"ground\"\nmass = 1\ncom = [1, 0, 0]\n\
         joint = {{ name = \"{joint}\", type = \"revolute\", axis = \"z\" }}\n"
    )
}

#[test]
fn only_linear_relations_are_linear() {
    let bodies = arm("a", "q1") + &arm("b", "q2");
    for bent in
        ["sign(q1)", "floor(q1)", "if(q1 > 0, 1, -1)", "atan2(sin(q1), cos(q1))", "abs(q1)", "q1^2"]
    {
        let text = format!("{bodies}[[coupling]]\nname = \"c\"\nequation = \"q2 = {bent}\"\n");
        assert_eq!(findings(&text), ["coupling `c` is not linear in `q1`"], "{bent}");
    }
    for bent in ["sign(q1.d) + q2.d", "if(q1.d > 0, 1, 2)*q1", "q1.d*q2.d"] {
        let text = format!("{bodies}[[constraint]]\nname = \"c\"\nvelocity = \"{bent}\"\n");
        assert_eq!(findings(&text), ["constraint `c` is not linear in the speeds"], "{bent}");
    }
    let fine = "[[constraint]]\nname = \"c\"\nvelocity = \"sin(q1)*q1.d + sign(q2)*q2.d + 3*t\"\n";
    assert!(findings(&format!("{bodies}{fine}")).is_empty());
    let empty = "[[constraint]]\nname = \"c\"\nposition = \"q1 - q1\"\n";
    assert_eq!(findings(&format!("{bodies}{empty}")), ["constraint `c` relates no coordinate"]);
}

#[test]
fn a_turned_joint_with_several_coordinates_is_refused_where_they_are_used() {
    let text = "[[body]]\nname = \"b\"\nmass = 1\ncom = [1, 1, 1]\n\
        [[joint]]\nname = \"u\"\ntype = \"universal\"\naxes = [\"x\", \"y\"]\n\
        between = [\"b\", \"ground\"]\n";
    assert_eq!(findings(text).len(), 1);
    let coupling = "[[coupling]]\nname = \"c\"\nequation = \"u[1] = 2*u[2]\"\n";
    let found = findings(&format!("{text}{coupling}"));
    assert!(found[0].contains("the other way round"), "{found:?}");
    let text = format!("[model]\nname = \"m\"\n{text}{coupling}");
    assert!(load_text("m", text, &ReadOptions::default()).is_err());
}

#[test]
fn directions_of_any_size_are_normalised() {
    let half = 0.5_f64.sqrt();
    for size in ["1e200", "1e-200", "7", "0.1"] {
        let text = format!(
            "[[body]]\nname = \"b\"\nparent = \"ground\"\nmass = 1\n\
             rotation = {{ quaternion = [{size}, {size}, 0, 0] }}\n\
             joint = {{ name = \"q\", type = \"prismatic\", axis = [{size}, {size}, 0] }}\n"
        );
        let mechanism = mechanism(&text);
        let axis = pose::vectors(&mechanism, &mechanism.joints[0].axes)[0];
        assert!((axis[0] - half).abs() < 1e-14 && (axis[1] - half).abs() < 1e-14, "{axis:?}");
        let z = pose_of(&mechanism, "b").turn([0.0, 0.0, 1.0]);
        assert!((z[1] + 1.0).abs() < 1e-14, "a quarter turn about x: {z:?}");
    }
}

#[test]
fn a_needed_joint_is_reached_through_bodies_with_a_parent() {
    let text = arm("a", "q1")
        + "[[body]]\nname = \"b\"\nmass = 1\ncom = [1, 0, 0]\n\
           [[joint]]\nname = \"j1\"\ntype = \"revolute\"\naxis = \"z\"\nbetween = [\"ground\", \"b\"]\n\
           [[joint]]\nname = \"j2\"\ntype = \"revolute\"\naxis = \"z\"\neffort = \"-q\"\n\
           between = [\"a\", \"b\"]\n";
    assert_eq!(cut_names(&mechanism(&text)), ["j1"]);
}

#[test]
fn components_left_out_do_not_open_a_cut() {
    let model = |ignore: &str, cut: &str| {
        let text = format!(
            "[ground]\npoints.p = [0, 0, 2]\n[[body]]\nname = \"a\"\nparent = \"ground\"\nmass = 1\n\
             joint = {{ name = \"q\", type = \"prismatic\", axis = \"x\" }}\n\
             [[cut]]\nname = \"c\"\ntype = \"{cut}\"\nignore = [{ignore}]\n\
             between = [\"a\", \"ground.p\"]\n"
        );
        let text = format!("[model]\nname = \"m\"\n{text}");
        let mechanism = load_text("m", text, &ReadOptions::default()).expect("no errors");
        let gap = gaps(&mechanism, &pose::initial(&mechanism))[0];
        (gap.distance, rotule_model::structure(&mechanism).constraints)
    };
    assert_eq!(model("", "ball"), (2.0, 1));
    assert_eq!(model("\"z\"", "ball"), (0.0, 1));
    assert_eq!(model("\"x\", \"z\"", "body"), (0.0, 0));
}

#[test]
fn slides_without_turns_have_few_constraints() {
    let table = |name: &str, axes: &[&str]| {
        let joints: String = axes
            .iter()
            .enumerate()
            .map(|(at, axis)| {
                format!("{{ name = \"{name}{at}\", type = \"prismatic\", axis = \"{axis}\" }},")
            })
            .collect();
        format!("[[body]]\nname = \"{name}\"\nparent = \"ground\"\nmass = 1\njoint = [{joints}]\n")
    };
    let cut = "[[cut]]\nname = \"c\"\ntype = \"body\"\nbetween = [\"a\", \"b\"]\n";
    let mobility = |text: String| rotule_model::structure(&mechanism(&text)).mobility;
    assert_eq!(mobility(table("a", &["x", "y"]) + &table("b", &["x", "y"]) + cut), 2);
    assert_eq!(mobility(table("a", &["x"]) + &table("b", &["x"]) + cut), 1);
    assert_eq!(mobility(table("a", &["x"]) + &table("b", &["y"]) + cut), 0);
}

#[test]
fn a_mass_at_the_joint_resists_no_turn() {
    let ends = |joint: &str, mass: &str| {
        let text = format!(
            "[[body]]\nname = \"b\"\nparent = \"ground\"\n{mass}\n\
             joint = {{ name = \"q\", {joint} }}\n"
        );
        rotule_model::structure(&mechanism(&text)).massless_ends.len()
    };
    let point = "mass = 1";
    let rod = "mass = 1\ncom = [0, 0, 1]";
    let solid = "mass = 1\ninertia = { xx = 1, yy = 1, zz = 1 }";
    for (joint, expected) in [
        ("type = \"spherical\"", [1, 1, 0]),
        ("type = \"free\"", [1, 1, 0]),
        ("type = \"cylindrical\", axis = \"z\"", [1, 1, 0]),
        ("type = \"cylindrical\", axis = \"x\"", [1, 0, 0]),
        ("type = \"universal\", axes = [\"x\", \"y\"]", [1, 0, 0]),
        ("type = \"planar\", axis = \"z\"", [1, 1, 0]),
        ("type = \"helical\", axis = \"z\", pitch = 0.1", [0, 0, 0]),
        ("type = \"prismatic\", axis = \"z\"", [0, 0, 0]),
    ] {
        assert_eq!([point, rod, solid].map(|mass| ends(joint, mass)), expected, "{joint}");
    }
    let inertia = "inertia = { xx = 1, yy = 1, zz = 1 }";
    assert_eq!(ends("type = \"helical\", axis = \"z\", pitch = 0.1", inertia), 0);
}

#[test]
fn a_wheel_finds_its_axle_through_a_point() {
    let text = "[[body]]\nname = \"w\"\nmass = 1\ninertia = { xx = 1, yy = 1, zz = 1 }\n\
        points.hub = { position = [0, 0.1, 0], rotation = [\"pi/2\", 0, 0] }\n\
        [[joint]]\nname = \"spin\"\ntype = \"revolute\"\naxis = \"z\"\nbetween = [\"ground\", \"w.hub\"]\n\
        [[wheel]]\nname = \"tyre\"\nbody = \"w\"\nradius = 0.3\nrolling = true\n";
    let mechanism = mechanism(text);
    // z of the hub is -y of the body.
    assert_eq!(pose::vectors(&mechanism, &[mechanism.wheels[0].axle]), [[0.0, -1.0, 0.0]]);
}

#[test]
fn a_slip_does_not_hide_other_mistakes() {
    let text = "[[body]]\nname = \"a\"\nparent = \"ground\"\nmass = z\n\
        [[body]]\nname = \"b\"\nparent = \"ground\"\nmass = -1\n\
        [[body]]\nname = \"c\"\nparent = \"grund\"\n";
    let found = findings(text);
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found[1].contains("negative") && found[2].contains("grund"), "{found:?}");
}

#[test]
fn an_addition_completes_and_replaces() {
    let model = format!(
        "[model]\nname = \"m\"\n{}points.p = [1, 0, 0]\n[initial.q]\nq = 1\n",
        arm("a", "q")
    );
    let more = "[[body]]\nname = \"a\"\nmass = 5\npoints.p = [2, 0, 0]\n[initial.q]\nq = 2\n";
    let texts = Texts::new("model.toml", model).with("more.toml", more);
    let mechanism = texts.load(&ReadOptions::default()).expect("no errors").mechanism;
    let values = mechanism.evaluate(&[
        mechanism.bodies[1].mass,
        mechanism.points[0].frame.placement.position[0],
        mechanism.coordinates[0].initial,
    ]);
    assert_eq!(values, [5.0, 2.0, 2.0]);
    assert_eq!(mechanism.points.len(), 1);
}

/// The law of a joint in the body's table is no joint; the message says how it is added.
#[test]
fn the_law_of_a_joint_in_an_addition_has_a_table_of_its_own() {
    let model = format!("[model]\nname = \"m\"\n{}", arm("a", "q"));
    let check = |more: &str| Texts::new("model.toml", model.as_str()).with("more.toml", more);
    let more = "[[body]]\nname = \"a\"\njoint = { name = \"q\", effort = \"-q\" }\n";
    let rejected = check(more).load(&ReadOptions::default()).err().expect("no type");
    let errors: Vec<_> = rejected.diagnostics.iter().collect();
    assert_eq!(errors.len(), 1, "{errors:?}");
    let help = errors[0].help.as_deref().unwrap_or_default();
    assert!(help.contains("table `[[joint]]` with its `name` and `effort`"), "{help}");
    let more = "[[joint]]\nname = \"q\"\neffort = \"-q\"\n";
    assert!(check(more).load(&ReadOptions::default()).is_ok());
}

#[test]
fn words_of_other_programs_are_led_to_their_sections() {
    let check = |section: &str, expected: &str| {
        let model =
            format!("[model]\nname = \"m\"\n{}[[{section}]]\nname = \"s\"\n", arm("a", "q"));
        let rejected = Texts::new("model.toml", model).load(&ReadOptions::default());
        let rejected = rejected.err().expect("no such section");
        let first = rejected.diagnostics.iter().next().expect("an error");
        let help = first.help.as_deref().unwrap_or_default();
        assert!(help.contains(expected), "{section}: {help}");
    };
    check("spring", "`[[line_force]]`");
    check("loop", "`[[cut]]`");
    check("motor", "`[[motion]]`");
}
