//! Reading MJCF: what becomes of every element, messages about the rest, and positions, masses
//! and inertias as MuJoCo itself computes them.

mod common;

use common::more::{show_rest, spoiled};
use common::{findings, golden, read_text, show};
use rotule_model::pose::{self, Pose};
use rotule_model::{Accepted, Format, ReadOptions, Texts};

const ZOO: &str = include_str!("models/mjcf/zoo.xml");
const ZOO_NUMBERS: &str = include_str!("models/mjcf/zoo.mujoco.txt");

fn options(floating_base: bool, merge_fixed: bool) -> ReadOptions {
    ReadOptions { floating_base, merge_fixed, ..ReadOptions::default() }
}

/// The draft and the findings of a text.
fn read_with(options: &ReadOptions, text: &str) -> (String, String) {
    let (draft, sources, diagnostics) = read_text(text, Format::Mjcf, options);
    let shown = format!("{}{}", show(&draft), show_rest(&draft));
    (shown, findings(&sources, &diagnostics))
}

fn read(text: &str) -> (String, String) {
    read_with(&options(false, false), text)
}

/// The draft of a text, without the line that names the model.
fn check(text: &str, expected: &str) {
    let (shown, said) = read(text);
    let shown = shown.split_once('\n').expect("a name").1;
    assert_eq!(shown.trim_end(), expected.trim(), "draft of\n{text}\n{said}");
}

fn loaded(text: &str, options: &ReadOptions) -> Accepted {
    Texts::new("file.xml", text).load(options).expect("no errors")
}

/// A model with a compiler and a world.
fn model(compiler: &str, world: &str) -> String {
    format!("<mujoco><compiler {compiler}/>\n<worldbody>{world}</worldbody></mujoco>")
}

/// A body `b` with attributes and a content.
fn body(attributes: &str, content: &str) -> String {
    model("", &format!("<body name=\"b\" {attributes}>{content}</body>"))
}

#[test]
fn a_file_with_everything() {
    let (shown, said) = read(ZOO);
    golden("mjcf/zoo.txt", &format!("{shown}\n{said}"));
}

/// Position, rotation, mass, centre of mass and inertia of all bodies of the file in the world.
fn numbers(loaded: &Accepted, q: &[f64]) -> Vec<(String, Vec<f64>)> {
    let mechanism = &loaded.mechanism;
    let poses = pose::poses(mechanism, q);
    let mut rows = Vec::new();
    for (index, body) in mechanism.bodies.iter().enumerate().skip(1) {
        let pose = &poses[index];
        let own = |point: &&rotule_model::mechanism::Point| point.frame.body.index() == index;
        // The frame of the file, where the joint sits elsewhere in the body.
        let frame = mechanism.points.iter().filter(own).find(|point| point.name.ends_with("frame"));
        let file = frame.map_or(*pose, |p| pose::frames(mechanism, &poses, &[p.frame])[0]);
        let entries: Vec<_> = body.inertia.0.into_iter().flatten().collect();
        let inertia = mechanism.evaluate(&entries);
        let turned = |i: usize, j: usize| -> f64 {
            let entry = |k: usize, l: usize| inertia[3 * k + l] * pose.rotation[j][l];
            let row = |k: usize| (0..3).map(|l| entry(k, l)).sum::<f64>();
            (0..3).map(|k| pose.rotation[i][k] * row(k)).sum()
        };
        let com = pose::vectors(mechanism, &[body.com])[0];
        let com = pose::add(pose.position, pose.turn(com));
        let mut row: Vec<f64> = file.position.to_vec();
        row.extend(file.rotation.as_flattened());
        row.extend(mechanism.evaluate(&[body.mass]));
        row.extend(com);
        row.extend([(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)].map(|(i, j)| turned(i, j)));
        rows.push((body.name.clone(), row));
    }
    rows
}

#[test]
fn positions_and_masses_are_those_of_mujoco() {
    let loaded = loaded(ZOO, &options(false, false));
    let mut rows = Vec::new();
    let mut compared = 0;
    for line in ZOO_NUMBERS.lines().filter(|line| !line.starts_with('#')) {
        let (name, rest) = line.split_once(' ').expect("a name");
        let expected: Vec<f64> =
            rest.split(' ').map(|word| word.parse().expect("a number")).collect();
        if name == "state" {
            rows = numbers(&loaded, &expected);
            continue;
        }
        let (_, found) = rows.iter().find(|(body, _)| body == name).expect("a body");
        for (a, b) in found.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-13 * (1.0 + b.abs()), "{name}: {found:?} {expected:?}");
        }
        compared += 1;
    }
    assert_eq!(compared, 14);
}

#[test]
fn closures_are_closed_as_drawn() {
    // Bodies somewhere; the second places of the closures are computed.
    let text = model(
        "angle=\"radian\"",
        "<body name='a' pos='1 2 3' euler='0.3 0.2 0.1'><joint axis='1 2 3' pos='0.1 0 0'/>\
         <geom size='1'/><body name='b' pos='0 0 1'><joint type='ball'/><geom size='1'/></body></body>\
         <body name='c' pos='0 1 0' euler='1 1 1'><freejoint/><geom size='1'/></body>",
    )
    .replace(
        "</mujoco>",
        "<equality><connect body1='b' body2='c' anchor='0.5 0.6 0.7'/>\
         <connect body1='c' anchor='1 1 1'/><weld body1='c' body2='b'/>\
         <weld body1='a' body2='c' anchor='0.1 0.2 0.3'/>\
         <weld body1='b' body2='c' torquescale='0'/>\
         <weld body1='c' body2='a' relpose='0 0 0 0 0 0 0'/></equality></mujoco>",
    );
    let loaded = loaded(&text, &options(false, false));
    let mechanism = &loaded.mechanism;
    let words: Vec<&str> = mechanism.cuts.iter().map(rotule_model::mechanism::Cut::word).collect();
    assert_eq!(words, ["ball", "ball", "body", "body", "ball", "body"]);
    let poses: Vec<Pose> = pose::initial(mechanism);
    for gap in rotule_model::closure::gaps(mechanism, &poses) {
        assert!(gap.distance < 1e-14 && gap.angle < 1e-14, "{gap}");
    }
}

#[test]
fn orientations_are_exact_where_they_can_be() {
    let rows = [
        ("", ""),
        ("quat='1 0 0 0'", ""),
        ("quat='-2 0 0 0'", ""),
        ("quat='0.7071 0 0.7071 0'", "quaternion sqrt(1/2) 0 sqrt(1/2) 0"),
        ("quat='0.707 0 0.707 0'", "quaternion sqrt(1/2) 0 sqrt(1/2) 0"),
        ("quat='1 0 -1 0'", "quaternion sqrt(1/2) 0 -sqrt(1/2) 0"),
        ("quat='1 1 1 1'", "quaternion 1/2 1/2 1/2 1/2"),
        ("quat='0 0 2 0'", "quaternion 0 0 2 0"),
        ("quat='0.8 0.6 0 0'", "quaternion 0.8 0.6 0 0"),
        ("euler='0 90 0'", "turn [0 1 0] pi/2"),
        ("euler='0 0 30'", "turn [0 0 1] 30*deg"),
        ("euler='0 0 0'", ""),
        // Turned along, y comes after x: not the order of fixed axes.
        ("euler='90 90 0'", "rpy pi/2 0 pi/2"),
        ("euler='0 45 90'", "rpy pi/4 0 pi/2"),
        ("axisangle='0 1 1 -45'", "turn [0 1 1] -pi/4"),
        ("axisangle='0 1 1 0'", ""),
        ("xyaxes='0 1 0 -1 0 0'", "rpy 0 0 pi/2"),
        ("xyaxes='1 -1 0 1 1 0'", "rpy 0 0 -pi/4"),
        ("xyaxes='0.7071 0.7071 0 0 0 1'", "rpy pi/2 0 pi/4"),
        ("zaxis='0 0 -1'", "rpy pi 0 0"),
        ("zaxis='5 0 0'", "rpy 0 pi/2 0"),
        ("zaxis='0 0 2'", ""),
    ];
    for (attributes, turned) in rows {
        let turned = if turned.is_empty() { String::new() } else { format!(" turned {turned}") };
        check(&body(attributes, ""), &format!("body b on ground{turned}"));
    }
    let sequences = [
        ("XYZ", "10 20 30", "rpy 10*deg 20*deg 30*deg"),
        ("zyx", "30 20 10", "rpy 10*deg 20*deg 30*deg"),
        ("XYZ", "0 0 90", "turn [0 0 1] pi/2"),
        ("xzy", "90 0 0", "turn [1 0 0] pi/2"),
        ("zxz", "90 90 -90", "rpy 0 pi/2 0"),
    ];
    for (sequence, angles, turned) in sequences {
        let world = format!("<body name='b' euler='{angles}'/>");
        let text = model(&format!("eulerseq='{sequence}'"), &world);
        check(&text, &format!("body b on ground turned {turned}"));
    }
    check(
        &model("angle='radian'", "<body name='b' euler='0 1.5708 0'/>"),
        "body b on ground turned turn [0 1 0] pi/2",
    );
}

#[test]
fn joints_and_their_laws() {
    let rows = [
        ("<joint name='j'/>", "j revolute [0 0 1]"),
        ("<joint name='j' type='slide' axis='1 2 0'/>", "j prismatic [1 2 0]"),
        ("<joint name='j' type='ball' axis='1 0 0'/>", "j spherical"),
        ("<freejoint name='j'/>", "j free"),
        (
            "<joint name='j' type='free' damping='2'/>",
            "j free effort -2*qd[1] effort -2*qd[2] effort -2*qd[3] effort -2*qd[4] effort -2*qd[5] effort -2*qd[6]",
        ),
        (
            "<joint name='j' type='ball' damping='0.5'/>",
            "j spherical effort -0.5*qd[1] effort -0.5*qd[2] effort -0.5*qd[3]",
        ),
        ("<joint name='j' damping='0.5'/>", "j revolute [0 0 1] effort -0.5*qd"),
        ("<joint name='j' stiffness='2'/>", "j revolute [0 0 1] effort -2*q"),
        (
            "<joint name='j' stiffness='2' springref='30' damping='1'/>",
            "j revolute [0 0 1] effort -2*(q - 30*deg) - 1*qd",
        ),
        (
            "<joint name='j' stiffness='2' springref='-90'/>",
            "j revolute [0 0 1] effort -2*(q + pi/2)",
        ),
        (
            "<joint name='j' type='slide' stiffness='2 0 3' springref='0.1' damping='1 -2 0.5'/>",
            "j prismatic [0 0 1] effort -2*(q - 0.1) - 3*(q - 0.1)^3 - 1*qd + 2*qd*abs(qd) - 0.5*qd^3",
        ),
        (
            "<joint name='j' type='slide' stiffness='2' ref='0.25'/>",
            "j prismatic [0 0 1] effort -2*(q + 0.25)",
        ),
        (
            "<joint name='j' type='slide' stiffness='2' ref='0.25' springref='0.25' range='0 1'/>",
            "j prismatic [0 0 1] effort -2*q range -0.25 0.75",
        ),
        ("<joint name='j' range='-30 90'/>", "j revolute [0 0 1] range -30*deg pi/2"),
        ("<joint name='j' range='-30 90' limited='false'/>", "j revolute [0 0 1]"),
        ("<joint name='j' range='0 0'/>", "j revolute [0 0 1]"),
        (
            "<joint name='j' type='slide' range='-1 2' limited='true'/>",
            "j prismatic [0 0 1] range -1 2",
        ),
        ("<joint name='j' actuatorfrcrange='-3 3'/>", "j revolute [0 0 1] most 3"),
        ("<joint/>", "b_joint revolute [0 0 1]"),
        (
            "<joint/><joint axis='1 0 0'/>",
            "b_joint1 revolute [0 0 1]\n  joint b_joint2 revolute [1 0 0]",
        ),
    ];
    for (joint, shown) in rows {
        check(&body("", joint), &format!("body b on ground\n  joint {shown}"));
    }
    let strict =
        model("autolimits='false'", "<body name='b'><joint name='j' range='-1 1'/></body>");
    check(&strict, "body b on ground\n  joint j revolute [0 0 1]");
}

#[test]
fn frames_move_to_the_joints() {
    // One joint off the origin: the frame moves there, and the file's own stays as a point.
    check(
        &body(
            "pos='1 0 0' euler='0 0 90'",
            "<joint name='j' pos='0.3 0 0'/><inertial pos='0.1 0 0.2' mass='1'/>\
             <site name='s' pos='0.4 0 0'/><body name='c' pos='0.2 0 0'/>",
        ),
        "body b on ground at 1 0.3 0 turned turn [0 0 1] pi/2
  joint j revolute [0 0 1]
  mass 1 com -0.2 0 0.2
  point frame -0.3 0 0
  point s 0.1 0 0
body c on b.frame at 0.2 0 0",
    );
    // Joints about different points need a body between; slides go along with any.
    check(
        &body(
            "pos='1 0 0'",
            "<joint name='s' type='slide' pos='9 9 9'/><joint name='j' pos='0.3 0 0'/>\
             <joint name='k' pos='0.3 0 0' axis='1 0 0'/><joint name='l' pos='0.1 0 0'/>",
        ),
        "body b_1 on ground at 1.3 0 0
  joint s prismatic [0 0 1]
  joint j revolute [0 0 1]
  joint k revolute [1 0 0]
body b on b_1 at -0.2 0 0
  joint l revolute [0 0 1]
  point frame -0.1 0 0",
    );
    // A site that has the name of the point.
    check(
        &body("", "<joint name='j' pos='0.3 0 0'/><site name='frame'/><body name='c'/>"),
        "body b on ground at 0.3 0 0
  joint j revolute [0 0 1]
  point frame_2 -0.3 0 0
  point frame -0.3 0 0
body c on b.frame_2",
    );
    // Frames that are no bodies.
    check(
        &body(
            "",
            "<frame euler='0 0 90' pos='1 0 0'><joint name='j' axis='1 0 0' pos='0 0.5 0'/>\
             <frame pos='0 0 1'><site name='s' euler='0 0 90'/><body name='c' pos='1 0 0'/></frame></frame>",
        ),
        "body b on ground at 0.5 0 0
  joint j revolute [0 1 0]
  point frame -0.5 0 0
  point s 0.5 0 1 turned rpy 0 0 pi
body c on b.frame at 1 1 1 turned rpy 0 0 pi/2",
    );
}

#[test]
fn masses_come_from_shapes_or_are_given() {
    let sphere = "mass 4.188790204786391 inertia 0.01675516081914557 0.01675516081914557 0.01675516081914557 - - -";
    let rows = [
        ("", "<geom size='0.1'/>", sphere),
        ("", "<geom size='0.1' mass='0'/>", ""),
        ("", "<geom type='mesh' mesh='m'/>", ""),
        (
            "",
            "<geom size='0.1'/><inertial pos='0 0 0' mass='2' diaginertia='1 1 1' euler='1 2 3'/>",
            "mass 2 inertia 1 1 1 - - -",
        ),
        ("inertiafromgeom='true'", "<geom size='0.1'/><inertial pos='0 0 0' mass='2'/>", sphere),
        ("inertiafromgeom='false'", "<geom size='0.1'/>", ""),
        ("inertiafromgeom='true'", "<inertial pos='0 0 0' mass='2'/>", "mass 2"),
        (
            "inertiagrouprange='1 2'",
            "<geom size='0.1'/><geom group='1' mass='1' type='box' size='1 2 3'/>",
            "mass 1 inertia 4.333333333333333 3.3333333333333335 1.6666666666666667 - - -",
        ),
        (
            "boundmass='3' boundinertia='0.5'",
            "<inertial pos='0 0 0' mass='2' diaginertia='1 0.2 1'/>",
            "mass 3 inertia 1 0.5 1 - - -",
        ),
        (
            "",
            "<inertial pos='0 1 0' mass='2' fullinertia='1 2 3 0 0.1 0' />",
            "mass 2 com 0 1 0 inertia 1 2 3 - 0.1 -",
        ),
        (
            "",
            "<inertial pos='0 1 0' mass='2' diaginertia='1 2 3' zaxis='1 0 0'/>",
            "mass 2 com 0 1 0 inertia 1 2 3 - - - turned rpy 0 pi/2 0",
        ),
    ];
    for (compiler, content, shown) in rows {
        let world = format!("<body name='b'><joint name='j'/>{content}</body>");
        let mass = if shown.is_empty() { String::new() } else { format!("\n  {shown}") };
        check(
            &model(compiler, &world),
            &format!("body b on ground\n  joint j revolute [0 0 1]{mass}"),
        );
    }
}

#[test]
fn defaults_are_inherited() {
    let text = "<mujoco><default><joint axis='1 0 0'/>\
        <default class='a'><joint type='slide'/><geom mass='2' size='1 2 3'/>\
        <default class='b'><joint axis='0 1 0'/><geom type='box'/></default></default></default>\
        <worldbody><body name='p' childclass='b'><joint name='j1'/><joint name='j2' class='a'/>\
        <joint name='j3' class='main'/><geom size='3'/>\
        <body name='q' childclass='a'><joint name='j4'/></body>\
        <frame childclass='main'><body name='r'><joint name='j5'/></body></frame>\
        <body name='s'><joint name='j6'/></body></body></worldbody></mujoco>";
    check(
        text,
        "body p on ground
  joint j1 prismatic [0 1 0]
  joint j2 prismatic [1 0 0]
  joint j3 revolute [1 0 0]
  mass 2 inertia 8.666666666666666 12 8.666666666666666 - - -
body q on p
  joint j4 prismatic [1 0 0]
body r on p
  joint j5 revolute [1 0 0]
body s on p
  joint j6 prismatic [0 1 0]",
    );
}

#[test]
fn initial_values_come_from_poses_and_the_first_key() {
    let world = "<worldbody><body name='a' pos='1 2 3' quat='0 1 0 0'><freejoint name='f'/></body>\
        <body name='b'><joint name='j' ref='180'/></body></worldbody>";
    let text = |rest: &str| format!("<mujoco>{world}{rest}</mujoco>");
    let bodies = "body a on ground\n  joint f free\nbody b on ground\n  joint j revolute [0 0 1]\n";
    check(&text(""), &format!("{bodies}initial f = 1 2 3 0 1 0 0"));
    let key = "<keyframe><key qpos='0 0 1 0.6 0.8 0 0 3' qvel='1 2 3 4 5 6 7'/></keyframe>";
    check(
        &text(key),
        &format!(
            "{bodies}initial f = 0 0 1 0.6 0.8 0 0\ninitial j = {}\n\
             initial f.d = 1 2.32 -2.76 4 5 6\ninitial j.d = 7",
            3.0 - std::f64::consts::PI
        ),
    );
    let short = "<keyframe>\n<key qpos='0 0 1'/></keyframe>";
    check(&text(short), &format!("{bodies}initial f = 1 2 3 0 1 0 0"));
}

#[test]
fn the_base_floats_and_fixed_bodies_merge_if_requested() {
    let text = model(
        "",
        "<body name='table'><geom size='1' mass='1'/></body>\
         <body name='base' pos='0 0 1'><geom size='1' mass='1'/><body name='arm' pos='1 0 0'>\
         <joint name='j'/><geom size='1' mass='2'/><body name='tool' pos='0 0 1'>\
         <geom size='1' mass='3'/></body></body></body>",
    );
    let (shown, said) = read_with(&options(true, true), &text);
    golden("mjcf/floating.txt", &format!("{shown}\n{said}"));
}

#[test]
fn faults_have_places() {
    let worlds = [
        "<joint/><inertial pos='0 0 0' mass='1'/>",
        "<body><joint type='hing'/></body>",
        "<body pos='1 2'/>",
        "<body pos='1 2 x'/>",
        "<body quat='0 0 0 0'/>",
        "<body quat='1 0 0 0' euler='1 2 3'/>",
        "<body xyaxes='1 0 0 2 0 0' name='a'/><body zaxis='0 0 0'/>",
        "<body axisangle='0 0 0 90' name='a'/>",
        "<body><joint stiffness='1 2 3 4'/></body>",
        "<body><freejoint/><joint/></body>",
        "<body><body><freejoint/></body></body>",
        "<body childclass='stong'/>",
        "<body><joint/><geom type='box' size='1 2'/></body>",
        "<body><joint/><geom type='boxx'/></body>",
        "<body><joint/><geom type='mesh' mesh='m'/><geom shellinertia='true' size='1'/></body>",
        "<body><joint/><geom size='1e200'/></body>",
        "<body><joint pos='1e308 0 0'/><joint pos='-1e308 0 0'/></body>",
        "<body><inertial pos='0 0 0'/><inertial pos='0 0 0' mass='1'/></body>",
        "<body mocap='true' gravcomp='1'/>",
        "<body><joint springdamper='1 1'/><joint frictionloss='1' range='0 1'/></body>",
        "<body><joint type='ball' range='0 1' stiffness='1'/></body>",
        "<body><joint actuatorfrcrange='-1 2' stiffness='1' springyield='1'/></body>",
        "<body><site/><site/></body>",
        "<body name='t'><joint name='sin'/><site name='a-b'/></body>",
        "<body><replicate count='3'><geom/></replicate></body><composite/><include file='x.xml'/>",
        "<frame scale='2'><body/></frame>",
        "<bdy/><body nam='x' sleep='never'><geom rgba='1 1 1 1' colour='red'/></body>",
    ];
    let rest = [
        "<option gravity='0 0'/><option wind='1 0 0'><flag gravity='disable'/></option>",
        "<compiler angle='grad' coordinate='global' eulerseq='xyw' settotalmass='3'/>",
        "<default class='x'><default><joint/></default><default class='a'/><default class='a'/>\
         <motor/></default>",
        "<equality><connect body1='a'/><connect body1='aa' anchor='0 0 0'/>\
         <connect site1='s'/></equality>",
        "<equality><joint joint1='f'/><joint joint1='h' joint2='hh' polycoef='1 2 3 4 5 6'/>\
         <joint joint1='hh'/><tendon/><connect body1='a' anchor='0 0 0' active='no'/></equality>",
        "<equality><weld body1='a' relpose='0 0 0 1 2'/><weld body1='a' relpose='0 0 0 1e300 0 0 0'/></equality>",
        "<keyframe><key qpos='1 2 3'/><key/></keyframe>",
        "<keyframe><key qpos='1 2 x'/></keyframe>",
        "<asset/><visual/><tendon/><contact/><sensor/><worldbod/><actuator><motor/><motor/>\
         <position/></actuator>",
    ];
    let world = "<worldbody><body name='a'><freejoint name='f'/><body><joint name='h'/></body>\
                 </body></worldbody>";
    let worlds = worlds.map(|world| model("", &format!("\n{world}\n")));
    let rest = rest.map(|rest| format!("<mujoco>{world}\n{rest}\n</mujoco>"));
    let whole = ["", "<mujoco", "<mujoco/>", "<sdf/>", "<mujoco model=''><worldbody/></mujoco>"];
    let whole = whole.map(str::to_owned);
    let mut out = String::new();
    for text in whole.into_iter().chain(worlds).chain(rest) {
        out.push_str(&format!("{text}\n----\n{}\n", read(&text).1));
    }
    golden("mjcf/faults.txt", &format!("{}\n", out.trim_end()));
}

#[test]
fn deep_and_wide_files_take_linear_time() {
    // Ten thousand bodies in each other.
    let depth = 10_000;
    let open = "<body pos='0 0 1'><joint/><geom size='0.1'/>".repeat(depth);
    let text = model("", &format!("{open}{}", "</body>".repeat(depth)));
    let (draft, _, diagnostics) = read_text(&text, Format::Mjcf, &options(false, false));
    assert!(!diagnostics.has_errors());
    assert_eq!(draft.bodies.len(), depth);

    // As many frames, default classes, and bodies of one name with joints of none.
    let text =
        model("", &format!("{}{}", "<frame pos='1 0 0'>".repeat(depth), "</frame>".repeat(depth)));
    assert!(!read_text(&text, Format::Mjcf, &options(true, true)).2.has_errors());
    let classes: String =
        (0..depth).map(|i| format!("<default class='c{i}'><joint axis='0 1 0'/>")).collect();
    let text = format!(
        "<mujoco><default>{classes}{}</default><worldbody>{}</worldbody></mujoco>",
        "</default>".repeat(depth),
        "<body name='a'><joint class='c9999'/><joint pos='1 0 0'/></body>".repeat(depth)
    );
    let (draft, ..) = read_text(&text, Format::Mjcf, &options(false, true));
    assert_eq!(draft.bodies.len(), 2 * depth);
}

#[test]
fn any_bytes_end_in_a_draft_or_findings() {
    for seed in 0..1500 {
        let text = spoiled(ZOO, seed);
        let texts = Texts::new("file.mjcf", &text);
        let options = options(seed % 2 == 0, seed % 3 == 0);
        let loaded = texts.read(&options);
        assert!(loaded.mechanism.is_some() || loaded.diagnostics.has_errors(), "{text}");
        loaded.diagnostics.render(texts.sources());
    }
}
