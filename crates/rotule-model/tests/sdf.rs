//! Reading SDF: what becomes of every element, messages about the rest, and the change of
//! frames checked by numbers against a robot read from URDF.

mod common;

use common::kinematics::{self, Frame, GROUND, coordinate, mass, places};
use common::{assert_findings_by_subject, findings, golden, read_text, show, spoiled};
use rotule_model::draft::JointType;
use rotule_model::{Draft, Format, ReadOptions, Texts, load_text, write};

const CART: &str = include_str!("models/sdf/cart.sdf");
const FOUR_BAR: &str = include_str!("models/sdf/four_bar.sdf");
const BRANCHED: &str = include_str!("models/urdf/branched.urdf");

fn options(merge_fixed: bool) -> ReadOptions {
    ReadOptions { floating_base: false, merge_fixed, ..ReadOptions::default() }
}

/// The draft and the findings of a text; `any` for a draft that is not looked at.
fn check(text: &str, draft: &str, expected: &str) {
    let (found, sources, diagnostics) = read_text(text, Format::Sdf, &options(false));
    assert_eq!(findings(&sources, &diagnostics).trim_end(), expected.trim(), "findings of\n{text}");
    if draft != "any" {
        assert_eq!(show(&found).trim_end(), draft.trim(), "draft of\n{text}");
    }
}

/// A model with a base fixed to the world and what else is given.
fn model(rest: &str) -> String {
    format!(
        "<sdf version='1.7'><model name='m'>\n<link name='base'>{ONE}</link>\
         <joint name='f' type='fixed'><parent>world</parent><child>base</child></joint>\n{rest}\n\
         </model></sdf>"
    )
}

/// A model with one more link, `arm`, at a pose, on a joint of a type with a content.
fn jointed(kind: &str, pose: &str, content: &str) -> String {
    model(&format!(
        "<link name='arm'><pose>{pose}</pose>{ONE}</link>\n<joint name='j' type='{kind}'>\
         <parent>base</parent><child>arm</child>\n{content}</joint>"
    ))
}

const ONE: &str = "<inertial><mass>1</mass><inertia/></inertial>";
const MASS: &str = "  mass 1 inertia 1 1 1 - - -";

#[test]
fn every_type_of_joint_has_its_counterpart() {
    let rows = [
        ("fixed", "0 0 1 0 0 0", "", "body arm on base at 0 0 1"),
        (
            "revolute",
            "0 0 1 0 0 1.5708",
            "<axis><xyz>1 0 0</xyz></axis>",
            "body arm on base at 0 0 1 turned rpy 0 0 pi/2\n  joint j revolute [1 0 0]",
        ),
        (
            "continuous",
            "0 0 1 0 0 1.5708",
            "<axis><xyz expressed_in='base'>1 0 0</xyz></axis>",
            "body arm on base at 0 0 1 turned rpy 0 0 pi/2\n  joint j revolute [0 -1 0]",
        ),
        (
            "prismatic",
            "",
            "<axis><limit><lower>-1</lower><upper>1e16</upper><velocity>3</velocity></limit></axis>",
            "body arm on base\n  joint j prismatic [0 0 1] speed 3",
        ),
        (
            "prismatic",
            "",
            "<axis><limit><lower>-1</lower><upper>1</upper><effort>-1</effort></limit>\
             <dynamics><spring_stiffness>5</spring_stiffness><damping>2</damping></dynamics></axis>",
            "body arm on base\n  joint j prismatic [0 0 1] effort -5*q - 2*qd range -1 1",
        ),
        (
            "revolute",
            "",
            "<axis><dynamics><spring_stiffness>5</spring_stiffness><spring_reference>-0.5</spring_reference>\
             </dynamics></axis>",
            "body arm on base\n  joint j revolute [0 0 1] effort -5*(q + 0.5)",
        ),
        (
            "screw",
            "",
            "<axis/><screw_thread_pitch>0.002</screw_thread_pitch>",
            "body arm on base\n  joint j helical [0 0 1] pitch 0.002/(2*pi)",
        ),
        (
            "screw",
            "",
            "<axis/><thread_pitch>-3141.6</thread_pitch>",
            "body arm on base\n  joint j helical [0 0 1] pitch 1/3141.6",
        ),
        (
            "screw",
            "",
            "<axis/><thread_pitch>20</thread_pitch>",
            "body arm on base\n  joint j helical [0 0 1] pitch -1/20",
        ),
        (
            "universal",
            "",
            "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>0 1 0</xyz><dynamics><damping>2</damping></dynamics></axis2>",
            "body arm on base\n  joint j universal [1 0 0] [0 1 0] effort 0 effort -2*qd[2]",
        ),
        (
            "revolute2",
            "",
            "<axis><xyz>1 0 0</xyz></axis><axis2><xyz>1 1 0</xyz></axis2>",
            "body arm on base\n  joint j universal [1 0 0] [1 1 0]",
        ),
        ("ball", "0 0 1 0 0 0", "", "body arm on base at 0 0 1\n  joint j spherical"),
    ];
    for (kind, pose, content, expected) in rows {
        let (draft, _, diagnostics) =
            read_text(&jointed(kind, pose, content), Format::Sdf, &options(false));
        assert!(!diagnostics.has_errors());
        let expected = format!("model m\nbody base on ground\n{MASS}\n{expected}\n{MASS}");
        assert_eq!(show(&draft).trim_end(), expected, "{kind} {content}");
    }
}

#[test]
fn a_body_has_its_frame_at_its_joint() {
    check(
        &model(
            "<link name='arm'><pose>1 2 3 0 0 1.57</pose><inertial><pose>0.1 0 0 0 0 0</pose><mass>2</mass><inertia><ixx>1</ixx><iyy>2</iyy><izz>3</izz></inertia></inertial></link>
<joint name='j' type='revolute'><pose>-0.5 0 0 1.57 0 0</pose><parent>base</parent><child>arm</child><axis><xyz>0 1 0</xyz></axis></joint>
<link name='hand'><pose>1 3 3 0 0 0</pose><inertial><mass>1</mass><inertia/></inertial></link>
<joint name='k' type='revolute'><parent>arm</parent><child>hand</child><axis><xyz>0 0 1</xyz></axis></joint>",
        ),
        // The joint is half a metre before the link's frame, along its x axis, which is the model's
        // y.
        "model m
body base on ground
  mass 1 inertia 1 1 1 - - -
body arm on base at 1 1.5 3 turned rpy 0 0 pi/2
  joint j revolute [0 0 1]
  mass 2 com 0.6 0 0 inertia 1 2 3 - - -
  point frame 0.5 0 0
body hand on arm at 1.5 0 0 turned rpy 0 0 -pi/2
  joint k revolute [0 0 1]
  mass 1 inertia 1 1 1 - - -",
        "3:34: note: 1.57 is taken as the exact pi/2, in 2 places [snapped]",
    );
}

#[test]
fn models_with_everything_are_read_and_all_is_told() {
    for (name, text) in [("cart", CART), ("four_bar", FOUR_BAR)] {
        let (draft, sources, diagnostics) = read_text(text, Format::Sdf, &options(false));
        let found = format!("{}\n{}", show(&draft), findings(&sources, &diagnostics));
        golden(&format!("sdf/{name}.expected"), &found);
    }
}

#[test]
fn axes_were_meant_in_the_model_before() {
    let text = jointed("revolute", "0 0 0 0 0 1.5708", "<axis><xyz>1 0 0</xyz></axis>");
    let old = text.replace("1.7", "1.4");
    let flagged =
        text.replace("</axis>", "<use_parent_model_frame>1</use_parent_model_frame></axis>");
    for (text, axis) in [(text, "[1 0 0]"), (old, "[0 -1 0]"), (flagged, "[0 -1 0]")] {
        let (draft, ..) = read_text(&text, Format::Sdf, &options(false));
        assert!(show(&draft).contains(&format!("joint j revolute {axis}")), "{text}");
    }
}

#[test]
fn links_without_a_joint_to_the_world_move_freely() {
    let text = "<sdf version='1.7'><model name='m'><pose>0 0 2 0 0 0</pose>\n\
                <link name='a'><pose>1 0 0 0 0 0</pose></link>\n<static>0</static></model></sdf>";
    let ones = "2:1: warning: links whose mass or inertia is left out get those of SDF, which are one: `a` [ignored] (write `<inertial>` with `<mass>` and `<inertia>`)";
    check(
        text,
        "model m\nbody a on ground at 1 0 2\n  joint a_free free\n  mass 1 inertia 1 1 1 - - -",
        &format!(
            "{ones}\n2:13: note: links that no joint connects to the world move freely: `a` [ignored]"
        ),
    );
    let (draft, ..) =
        read_text(&text.replace("<static>0", "<static>true"), Format::Sdf, &options(false));
    assert_eq!(show(&draft), "model m\nbody a on ground at 1 0 2\n  mass 1 inertia 1 1 1 - - -\n");
}

#[test]
fn couplings_come_from_mimicry_and_gears() {
    let two = |rest: &str| {
        model(&format!(
            "<link name='a'>{ONE}</link><link name='b'>{ONE}</link>
<joint name='ja' type='revolute'><parent>base</parent><child>a</child><axis><xyz>0 0 1</xyz></axis></joint>
<joint name='jb' type='revolute'><parent>base</parent><child>b</child><axis><xyz>0 0 -1</xyz>{rest}"
        ))
    };
    let rows = [
        (
            "<mimic joint='ja'><multiplier>2</multiplier><offset>1</offset><reference>0.25</reference></mimic></axis></joint>",
            "coupling jb_mimic: jb = 2*ja + 0.5",
        ),
        (
            "</axis></joint><joint name='g' type='gearbox'><parent>a</parent><child>b</child>\
             <gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>\
             <axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 1</xyz></axis2></joint>",
            // theta_b = -3 theta_a, and jb turns the other way.
            "coupling g: jb = 3*ja",
        ),
    ];
    for (rest, expected) in rows {
        let (draft, sources, diagnostics) = read_text(&two(rest), Format::Sdf, &options(false));
        assert!(!diagnostics.has_errors(), "{}", findings(&sources, &diagnostics));
        assert_eq!(show(&draft).lines().last(), Some(expected));
    }
    let wrong = two(
        "</axis></joint><joint name='g' type='gearbox'><parent>a</parent><child>b</child>\
         <gearbox_reference_body>base</gearbox_reference_body><axis><xyz>1 0 0</xyz></axis></joint>",
    );
    check(
        &wrong,
        "any",
        "5:122: error: gearbox `g` has bodies that do not turn about its axes relative to `base` [unsupported] (connect both bodies to the reference body by revolute joints along the axes)",
    );
}

#[test]
fn faults_are_told_with_their_places() {
    let rows: &[(String, &str)] = &[
        (
            "<sdf version='1.7'/>".into(),
            "1:1: error: the file has no `<model>` [missing]",
        ),
        (
            "<sdf version='1.7'><world name='w'><include><uri>model://sun</uri></include></world></sdf>".into(),
            "1:1: error: the file has no `<model>` [missing] (other files are not read: write the included model into this file, or read its own file)",
        ),
        (
            "<sdf><model name='m'/></sdf>".into(),
            "1:1: error: `<sdf>` has no attribute `version` [missing]
1:6: error: the model has no `<link>` [missing]",
        ),
        (
            model("<include><uri>x</uri></include><model name='inner'/>"),
            "3:1: error: `<include>` in a `<model>` cannot be taken [unsupported] (other files are not read: write the included model into this file, or read its own file)
3:32: error: `<model>` in a `<model>` cannot be taken [unsupported] (write the links and joints of the inner model into the outer one)",
        ),
        (
            jointed("hinge", "0 0 0 0 0", ""),
            "3:24: error: `<pose>` must have 6 numbers, found 5 [dimension]
4:23: error: `hinge` is no type of joint in SDF [type] (known are fixed, revolute, continuous, prismatic, screw, universal, revolute2, ball, gearbox)",
        ),
        (
            jointed("revolute", "", ""),
            "4:1: error: `<joint>` has no `<axis>` [missing]",
        ),
        (
            jointed("revolute", "", "<axis><xyz expressed_in='bse'>0 0 1</xyz></axis>"),
            "5:26: error: there is no link, joint or frame `bse` [unknown-name] (did you mean `base`?)",
        ),
        (
            jointed("fixed", "", "").replace("<parent>base", "<parent>bas"),
            "3:13: note: links that no joint connects to the world move freely: `arm` [ignored]
4:38: error: there is no link, joint or frame `bas` [unknown-name] (did you mean `base`?)",
        ),
        (
            model("<frame name='p'><pose relative_to='r'/></frame><frame name='r'><pose relative_to='p'/></frame>"),
            "3:14: error: the pose of `p` is relative to itself [cycle]
3:14: note: frames that are attached to no link are left out: `p`, `r` [ignored]",
        ),
        (
            model(&format!("<link name='a'>{ONE}</link><joint name='j' type='fixed'><parent>a</parent><child>world</child></joint>")),
            "3:122: error: `world` cannot be the child of a joint [unsupported] (exchange `<parent>` and `<child>`)
3:13: note: links that no joint connects to the world move freely: `a` [ignored]",
        ),
        (
            model("<link name='a'><inertial auto='true'/><kinematic>1</kinematic><gravity>0</gravity></link>"),
            "3:1: warning: gravity acts on all links, also on: `a` [ignored]
3:1: warning: links move by forces only, also: `a` [ignored]
3:13: note: links that no joint connects to the world move freely: `a` [ignored]
3:32: error: the inertia of link `a` is to be computed from its `<collision>`, which is drawn only [unsupported] (write `<mass>` and `<inertia>`)",
        ),
        (
            jointed("screw", "", "<axis/><thread_pitch>0</thread_pitch>"),
            "5:22: error: `<thread_pitch>` is zero: the screw would not turn [number]",
        ),
        (
            "<sdf version='2.0'><model name='m'><link name='a'><inertial><mass>x</mass><inertia><ixx>nan</ixx></inertia></inertial><pose rotation_format='q' degrees='maybe'>0 0 0 0 0 0 0</pose></link></model></sdf>".into(),
            "1:15: warning: version `2.0` of SDF is not known [unsupported] (versions 1.4 to 1.12 are)
1:48: note: links that no joint connects to the world move freely: `a` [ignored]
1:67: error: `<mass>` must be made of numbers, but `x` is none [type]
1:89: error: `<ixx>` is `nan`, which is not finite [number]
1:142: error: `rotation_format` of `<pose>` must be `euler_rpy` or `quat_xyzw`, found `q` [type]
1:154: error: `degrees` of `<pose>` must be `true` or `false`, found `maybe` [type]
1:161: error: `<pose>` must have 6 numbers, found 7 [dimension]",
        ),
    ];
    for (text, expected) in rows {
        let (_, sources, diagnostics) = read_text(text, Format::Sdf, &options(false));
        assert_findings_by_subject(&sources, &diagnostics, expected, text);
    }
}

/// Joints in any order and direction make a mechanism.
#[test]
fn any_graph_of_joints_is_resolved() {
    // Joints as pairs of letters, `w` the world, and the degrees of freedom of the tree that is
    // chosen.
    let rows = [
        ("wa ab bc", 3, 0),
        ("ab bc", 8, 0),
        ("wa ab wc cb", 3, 1),
        ("wa ba", 2, 0),
        ("wa bc ca", 3, 0),
        ("ab cb", 8, 0),
        ("ab bc ca", 8, 1),
        ("ab bc ca wb", 3, 1),
    ];
    for (joints, speeds, cuts) in rows {
        let mut text = "<sdf version='1.9'><model name='m'>".to_owned();
        for (at, link) in ["a", "b", "c"].iter().filter(|link| joints.contains(**link)).enumerate()
        {
            text.push_str(&format!(
                "<link name='{link}'><pose>{at} 0.5 0 0 0 {at}</pose>{ONE}</link>"
            ));
        }
        for joint in joints.split(' ') {
            let name = |at: usize| if &joint[at..=at] == "w" { "world" } else { &joint[at..=at] };
            text.push_str(&format!(
                "<joint name='j{joint}' type='revolute'><pose>0.2 0 0 0 0 0</pose>\
                 <parent>{}</parent><child>{}</child><axis/></joint>",
                name(0),
                name(1)
            ));
        }
        text.push_str("</model></sdf>");
        let mechanism = load_text("file.sdf", text, &options(false)).expect("no errors");
        let all: usize = mechanism.joints.iter().map(|joint| joint.kind.speeds()).sum();
        assert_eq!((all, mechanism.cuts.len()), (speeds, cuts), "{joints}");
    }
}

/// Models that are read resolve, and written as a model file they read back as the same.
#[test]
fn models_survive_the_way_through_the_model_file() {
    let rows = [
        (CART, Format::Sdf),
        (FOUR_BAR, Format::Sdf),
        (BRANCHED, Format::Urdf),
        (include_str!("models/urdf/four_bar.urdf"), Format::Urdf),
    ];
    for (text, format) in rows {
        for merge in [false, true] {
            let texts = Texts::new("file", text);
            assert_eq!(texts.format(), format);
            let loaded = texts.load(&options(merge)).expect("no errors");
            let (again, ..) = read_text(&write(&loaded.draft), Format::Native, &options(false));
            assert_eq!(show(&again), show(&loaded.draft));
        }
    }
}

/// A robot read from URDF, written as SDF with the frames of its links moved to arbitrary places,
/// must move in the same way.
#[test]
fn moved_link_frames_change_nothing() {
    let urdf = ReadOptions::default();
    let (robot, ..) = read_text(BRANCHED, Format::Urdf, &urdf);
    let offsets: Vec<Frame> = (0..robot.bodies.len()).map(offset).collect();
    let text = as_sdf(&robot, &offsets);
    for merge in [false, true] {
        let (found, sources, diagnostics) = read_text(&text, Format::Sdf, &options(merge));
        assert!(!diagnostics.has_errors(), "{}", findings(&sources, &diagnostics));
        for seed in 0..5_u32 {
            let q = |name: &str| coordinate(name, seed);
            let (before, after) = (places(&robot, &q), places(&found, &q));
            for (body, offset) in robot.bodies.iter().zip(&offsets) {
                let name = &body.name.value;
                let expected = before[name].moved(offset.p, &offset.r);
                // The link's frame is the body's, its point `frame`, or where merging put that.
                let requested = [format!("{name}.frame"), format!(".{name}_frame"), name.clone()];
                let place =
                    after.keys().find(|key| **key == requested[0] || key.ends_with(&requested[1]));
                let place = place.or_else(|| after.keys().find(|key| **key == requested[2]));
                assert_close(&expected, &after[place.expect("a place")], name);
            }
            if !merge {
                let (m1, c1, i1) = mass(robot.bodies.iter(), &before);
                let (m2, c2, i2) = mass(found.bodies.iter(), &after);
                assert!((m1 - m2).abs() < 1e-12);
                for i in 0..3 {
                    assert!((c1[i] - c2[i]).abs() < 1e-11);
                    for j in 0..3 {
                        assert!((i1[i][j] - i2[i][j]).abs() < 1e-11);
                    }
                }
            }
        }
    }
}

/// The frame of a link relative to the body, different for every link; some are quarter turns.
fn offset(index: usize) -> Frame {
    let x = index as f64;
    if index.is_multiple_of(3) {
        let turn = kinematics::turn([0.0, 1.0, 0.0], std::f64::consts::FRAC_PI_2);
        return Frame { p: [0.0, 0.1, 0.0], r: turn };
    }
    let turn = kinematics::turn([1.0 + x, 0.3, -0.5], 0.4 * x - 1.0);
    Frame { p: [0.1 * x, -0.2, 0.05 + 0.01 * x], r: turn }
}

/// SDF of a draft: every link at its place with all coordinates zero, moved by its offset.
fn as_sdf(robot: &Draft, offsets: &[Frame]) -> String {
    let at_rest = places(robot, &|_| 0.0);
    let mut out = "<sdf version='1.9'><model name='m'>\n".to_owned();
    for (body, offset) in robot.bodies.iter().zip(offsets) {
        let name = &body.name.value;
        let frame = at_rest[name].moved(offset.p, &offset.r);
        out.push_str(&format!("<link name='{name}'>{}", pose(&frame)));
        // Centre and inertia in the link's frame.
        let com = body.com.as_ref().map_or([0.0; 3], kinematics::vector);
        let back = kinematics::transposed(&offset.r);
        let inverse = Frame { p: kinematics::times(&back, offset.p.map(|x| -x)), r: back };
        let axes = body.inertia.as_ref().and_then(|inertia| inertia.rotation.as_ref());
        let centre = inverse.moved(com, &axes.map_or(GROUND.r, kinematics::matrix));
        let m = body.mass.as_ref().map_or(0.0, kinematics::number);
        out.push_str(&format!("<inertial>{}<mass>{m}</mass><inertia>", pose(&centre)));
        for (at, name) in ["ixx", "iyy", "izz", "ixy", "ixz", "iyz"].iter().enumerate() {
            let entry = body.inertia.as_ref().and_then(|inertia| inertia.entries[at].as_ref());
            out.push_str(&format!("<{name}>{}</{name}>", entry.map_or(0.0, kinematics::number)));
        }
        out.push_str("</inertia></inertial></link>\n");
        let parent = &body.parent.as_ref().expect("a parent").value;
        let parent = if parent == "ground" { "world" } else { parent };
        let joint = body.joints.first();
        let (word, called) = match joint.map(|joint| joint.kind.value) {
            Some(JointType::Revolute) => ("revolute", joint.and_then(|j| j.name.clone())),
            Some(JointType::Prismatic) => ("prismatic", joint.and_then(|j| j.name.clone())),
            _ => ("fixed", None),
        };
        let called = called.map_or(format!("{name}_fixed"), |called| called.value);
        out.push_str(&format!(
            "<joint name='{called}' type='{word}'>{}<parent>{parent}</parent><child>{name}</child>",
            pose(&inverse)
        ));
        if let Some(joint) = joint {
            let [x, y, z] = kinematics::vector(&joint.axes[0].components);
            out.push_str(&format!("<axis><xyz>{x} {y} {z}</xyz></axis>"));
        }
        out.push_str("</joint>\n");
    }
    out.push_str("</model></sdf>\n");
    out
}

/// A pose with its turn as a quaternion.
fn pose(frame: &Frame) -> String {
    let r = &frame.r;
    // By the largest component, so that nothing is divided by a small number.
    let squares = [
        1.0 + r[0][0] + r[1][1] + r[2][2],
        1.0 + r[0][0] - r[1][1] - r[2][2],
        1.0 - r[0][0] + r[1][1] - r[2][2],
        1.0 - r[0][0] - r[1][1] + r[2][2],
    ];
    let largest = (0..4).max_by(|a, b| squares[*a].total_cmp(&squares[*b])).expect("four");
    let products = [
        [squares[0], r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]],
        [r[2][1] - r[1][2], squares[1], r[0][1] + r[1][0], r[0][2] + r[2][0]],
        [r[0][2] - r[2][0], r[0][1] + r[1][0], squares[2], r[1][2] + r[2][1]],
        [r[1][0] - r[0][1], r[0][2] + r[2][0], r[1][2] + r[2][1], squares[3]],
    ];
    let scale = 2.0 * squares[largest].sqrt();
    let [w, x, y, z] = products[largest].map(|part| part / scale);
    let [px, py, pz] = frame.p;
    format!("<pose rotation_format='quat_xyzw'>{px} {py} {pz} {x} {y} {z} {w}</pose>")
}

/// Spoiled files end in a draft or in findings that can be shown.
#[test]
fn any_text_ends_well() {
    for text in [CART, FOUR_BAR] {
        for (seed, spoiled) in spoiled(text, 1000).enumerate() {
            let options = options(seed.is_multiple_of(3));
            let (draft, sources, diagnostics) = read_text(&spoiled, Format::Sdf, &options);
            show(&draft);
            findings(&sources, &diagnostics);
        }
    }
}

fn assert_close(a: &Frame, b: &Frame, what: &str) {
    kinematics::assert_close(a, b, 1e-11, what);
}
