//! Reading URDF: what becomes of every element, messages about the rest, and merging of fixed
//! links checked by numbers.

mod common;

use common::kinematics::{Frame, coordinate, mass, places};
use common::{assert_findings_by_subject, findings, golden, read_text, show, spoiled};
use rotule_model::diagnostic::DiagnosticCode;
use rotule_model::{Draft, Format, ReadOptions};

const BRANCHED: &str = include_str!("models/urdf/branched.urdf");
const FOUR_BAR: &str = include_str!("models/urdf/four_bar.urdf");

fn options(floating_base: bool, merge_fixed: bool) -> ReadOptions {
    ReadOptions { floating_base, merge_fixed, ..ReadOptions::default() }
}

/// The draft and the findings of a text.
fn check_with(options: &ReadOptions, text: &str, draft: &str, expected: &str) {
    let (found, sources, diagnostics) = read_text(text, Format::Urdf, options);
    assert_eq!(findings(&sources, &diagnostics).trim_end(), expected.trim(), "findings of\n{text}");
    if draft != "any" {
        assert_eq!(show(&found).trim_end(), draft.trim(), "draft of\n{text}");
    }
}

fn check(text: &str, draft: &str, expected: &str) {
    check_with(&options(false, false), text, draft, expected);
}

/// Diagnostics about a text, whatever becomes of it.
fn check_findings(text: &str, expected: &str) {
    check(text, "any", expected);
}

/// A robot of a base with mass and what else is given.
fn robot(rest: &str) -> String {
    format!(
        "<robot name=\"r\">\n<link name=\"base\"><inertial><mass value=\"1\"/>\
         <inertia ixx=\"1\" iyy=\"1\" izz=\"1\"/></inertial></link>\n{rest}\n</robot>"
    )
}

/// A robot with one more link, `arm`, on a joint of a type with a content.
fn jointed(kind: &str, content: &str) -> String {
    robot(&format!(
        "<link name=\"arm\"/><joint name=\"j\" type=\"{kind}\">\n<parent link=\"base\"/>\
         <child link=\"arm\"/>\n{content}</joint>"
    ))
}

const BASE: &str = "model r\nbody base on ground\n  mass 1 inertia 1 1 1 - - -";

#[test]
fn every_type_of_joint_has_its_counterpart() {
    let rows = [
        ("fixed", "", "body arm on base"),
        ("revolute", "", "body arm on base\n  joint j revolute [1 0 0]"),
        (
            "revolute",
            "<axis xyz='0 1 0'/><limit lower='-1' upper='2' effort='3' velocity='4'/>",
            "body arm on base\n  joint j revolute [0 1 0] range -1 2 speed 4 most 3",
        ),
        (
            "revolute",
            "<limit upper='2' effort='3'/>",
            "body arm on base\n  joint j revolute [1 0 0] range 0 2 most 3",
        ),
        (
            "continuous",
            "<origin rpy='0 0 1.5708'/><axis xyz='0 0 1'/><limit effort='3' velocity='4'/>",
            "body arm on base turned rpy 0 0 pi/2\n  joint j revolute [0 0 1] speed 4 most 3",
        ),
        (
            "prismatic",
            "<origin xyz='1 2 -3'/><axis xyz='0 0.6 0.8'/><dynamics damping='0.5'/>",
            "body arm on base at 1 2 -3\n  joint j prismatic [0 0.6 0.8] damping 0.5",
        ),
        ("planar", "<axis xyz='0 0 1'/>", "body arm on base\n  joint j planar [0 0 1]"),
        ("floating", "", "body arm on base\n  joint j free"),
        (
            "fixed",
            "<origin quat_xyzw='0 0 0.7071 0.7071'/>",
            "body arm on base turned quaternion sqrt(1/2) 0 0 sqrt(1/2)",
        ),
    ];
    for (kind, content, expected) in rows {
        let (draft, _, diagnostics) =
            read_text(&jointed(kind, content), Format::Urdf, &options(false, false));
        assert!(!diagnostics.has_errors());
        assert_eq!(show(&draft).trim_end(), format!("{BASE}\n{expected}"), "{kind} {content}");
    }
}

#[test]
fn a_robot_with_everything_is_read_and_all_is_told() {
    let (draft, sources, diagnostics) = read_text(BRANCHED, Format::Urdf, &options(false, false));
    let found = format!("{}\n{}", show(&draft), findings(&sources, &diagnostics));
    golden("urdf/branched.expected", &found);
}

#[test]
fn the_root_is_fixed_free_or_the_ground() {
    let massless = "<robot name='r'><link name='world'/>\n<link name='arm'/>\n\
                    <joint name='j' type='revolute'><parent link='world'/><child link='arm'/></joint>\n\
                    </robot>";
    check(
        massless,
        "model r\nbody arm on ground\n  joint j revolute [1 0 0]",
        "1:29: note: the root link `world` has no mass and is taken as the ground [choice] \
         (--floating-base lets it move freely)",
    );
    check_with(
        &options(true, false),
        massless,
        "model r\nbody world on ground\n  joint floating_base free\nbody arm on world\n  \
         joint j revolute [1 0 0]",
        "",
    );
    check(&robot(""), BASE, "");
    check_with(
        &options(true, false),
        &robot(""),
        "model r\nbody base on ground\n  joint floating_base free\n  mass 1 inertia 1 1 1 - - -",
        "",
    );
    // The name is taken: another is found.
    let (draft, ..) = read_text(
        &jointed("revolute", "").replace("name=\"j\"", "name=\"floating_base\""),
        Format::Urdf,
        &options(true, false),
    );
    let base = draft.bodies[0].joints[0].name.as_ref().expect("a name");
    assert_eq!(base.value, "floating_base_2");
}

#[test]
fn mimicry_is_a_coupling() {
    let rows = [
        ("", "j = k"),
        ("multiplier='2'", "j = 2*k"),
        ("multiplier='-1' offset='0.5'", "j = -k + 0.5"),
        ("multiplier='-0.25' offset='-1e-3'", "j = -0.25*k - 0.001"),
        ("offset='0'", "j = k"),
    ];
    for (content, expected) in rows {
        let text = jointed("revolute", &format!("<mimic joint='k' {content}/>"));
        let (draft, ..) = read_text(&text, Format::Urdf, &options(false, false));
        assert_eq!(draft.couplings[0].equation.value, expected);
    }
}

#[test]
fn a_loop_is_a_cut_between_points() {
    check(
        FOUR_BAR,
        "model four_bar
body crank on ground
  joint q1 revolute [0 1 0]
  mass 0.5 com 0.1 0 0 inertia 0 0.0017 0.0017 - - -
body coupler on crank at 0.2 0 0
  joint q2 revolute [0 1 0]
  mass 1 com 0.2 0 0 inertia 0 0.013 0.013 - - -
  point closure 0.4 0 0
body rocker on ground at 0.4 0 0
  joint q3 revolute [0 1 0]
  mass 0.75 com 0.15 0 0 inertia 0 0.0056 0.0056 - - -
  point closure 0.3 0 0
cut closure revolute [0 1 0] between coupler.closure rocker.closure",
        "2:15: note: the root link `base` has no mass and is taken as the ground [choice] (--floating-base lets it move freely)
19:38: note: 1.5708 of `closure` is taken as the exact pi/2 [snapped]",
    );
    // The other ways to write an end, and types.
    let ends = "<parent link='base' xyz='1 0 0' rpy='0 0 0.5'/>\
                <child link='arm'><origin xyz='0 2 0'/></child>";
    let rows = [
        ("ball", "", "spherical"),
        ("fixed", "", "fixed"),
        ("prismatic", "<axis xyz='0 0 1'/>", "prismatic [0 0 1]"),
        ("planar", "", "planar [1 0 0]"),
        (
            "universal",
            "<parent_axis xyz='0 1 0'/><child_axis xyz='0 0 1'/>",
            "universal [0 1 0] [0 0 1]",
        ),
    ];
    for (kind, axes, expected) in rows {
        let constraint =
            format!("<constraint name='c-1' type='{kind}'>{ends}{axes}</constraint></robot>");
        let text = jointed("revolute", "").replace("</robot>", &constraint);
        let (draft, _, diagnostics) = read_text(&text, Format::Urdf, &options(false, false));
        assert!(!diagnostics.has_errors());
        let cut = format!("cut c_1 {expected} between base.c_1 arm.c_1");
        assert_eq!(show(&draft).lines().last(), Some(cut.as_str()));
        assert!(show(&draft).contains("point c_1 1 0 0 turned rpy 0 0 0.5"));
        assert!(show(&draft).contains("point c_1 0 2 0\n"));
    }
}

#[test]
fn faults_are_told_with_their_places() {
    let rows: &[(String, &str)] = &[
        (
            robot("<link/>"),
            "3:1: error: `<link>` has no attribute `name` [missing]",
        ),
        (
            jointed("hinge", ""),
            "3:41: error: `hinge` is no type of joint in URDF [type] (known are fixed, revolute, continuous, prismatic, planar, floating)",
        ),
        (
            jointed("revolut", "<origin xyz='1 2'/><axis xyz='0 x 1'/>"),
            "3:41: error: `revolut` is no type of joint in URDF [type] (did you mean `revolute`?)
5:14: error: `xyz` of `<origin>` must have 3 numbers, found 2 [dimension]
5:33: error: `xyz` of `<axis>` must be made of numbers, but `x` is none [type]",
        ),
        (
            jointed("revolute", "<origin xyz='1 2'/><axis xyz='0 x nan'/>"),
            "5:14: error: `xyz` of `<origin>` must have 3 numbers, found 2 [dimension]
5:33: error: `xyz` of `<axis>` must be made of numbers, but `x` is none [type]
5:35: error: `xyz` of `<axis>` is `nan`, which is not finite [number]",
        ),
        (
            jointed("revolute", "<origin xyz='1,5 2 3'/>"),
            "5:14: error: `xyz` of `<origin>` must be made of numbers, but `1,5` is none [type] (decimals are written with a point, and entries separated by blanks)",
        ),
        (
            robot("<link name='arm'><inertial><mass value='2'/></inertial></link><joint name='j' type='fixed'><child link='arm'/></joint>"),
            "3:18: error: `<inertial>` has no `<inertia>` [missing]
3:63: error: `<joint>` has no `<parent>` [missing]",
        ),
        (
            robot("<joint name='j' type='fixed'><parent link='base'/><child link='bas'/></joint>"),
            "3:64: error: joint `j` has the unknown link `bas` as its child [unknown-name] (did you mean `base`?)",
        ),
        (
            jointed("fixed", "").replace("</robot>", "<joint name='k' type='fixed'><parent link='base'/><child link='arm'/></joint></robot>"),
            "6:64: error: link `arm` is the child of two joints, `j` and `k` [ambiguous] (close a loop by a `<constraint>` instead of the second joint, or by a `[[cut]]` in an additional model file)",
        ),
        (
            jointed("fixed", "<origin/><origin xyz='1 1 1'/>"),
            "5:10: warning: `<joint>` has more than one `<origin>`; the first is taken [ambiguous]",
        ),
        ("<robot name='r'/>".into(), "1:1: error: the robot has no `<link>` [missing]"),
        (
            robot("<constraint name='c' type='bal'/>"),
            "3:28: error: `bal` is no type of constraint [type] (did you mean `ball`?)",
        ),
        (
            robot("<constraint name='c' type='prismatic'><parent link='base'/><child link='base'/><parent_axis xyz='1 0 0'/><child_axis xyz='0 1 0'/></constraint>"),
            "3:123: error: the axes of constraint `c` differ, which leaves open how its ends are rotated about them [unsupported] (give the same axis twice and rotate the end by `rpy` of its origin)",
        ),
    ];
    for (text, expected) in rows {
        let (_, sources, diagnostics) = read_text(text, Format::Urdf, &options(false, false));
        assert_findings_by_subject(&sources, &diagnostics, expected, text);
    }
}

#[test]
fn what_is_left_out_is_told_once_per_kind() {
    check_findings(
        &robot("<jiont name='x'/><jiont/>\n<mass value='1'/>\n<link name='base2' typ='x'>stray</link>"),
        "3:1: warning: `<jiont>` is not known in URDF and is left out (2 times) [unknown-key] (did you mean `<joint>`?)
4:1: warning: `<mass>` is not known in `<robot>` and is left out [unknown-key] (it belongs in `<inertial>`)
5:13: error: 2 links are not the child of any joint: `base`, `base2` [disconnected] (a robot has one root link; connect the others to it by joints)
5:20: warning: `typ` of `<link>` is not known in URDF and is left out [unknown-key]
5:28: warning: text in `<link>` has no meaning and is left out [unknown-key]",
    );
    check_findings(
        &jointed(
            "continuous",
            "<limit lower='0' upper='1' jerk='3'/><calibration rising='0'/><dynamics friction='0'/>",
        ),
        "5:1: note: `lower` and `upper` of continuous joints are left out: `j` [ignored]
5:28: note: `jerk` of `<limit>` is left out: accelerations have no limit here [ignored]
5:38: note: `<calibration>` is left out: it belongs to the controller [ignored]",
    );
    check_findings(
        &jointed("planar", "<limit lower='0'/><dynamics damping='2' friction='1'/>"),
        "5:1: note: `<limit>` of planar and floating joints is left out: `j` [ignored]
5:38: warning: `<dynamics>` of planar and floating joints is left out: `j` [ignored]",
    );
}

#[test]
fn texts_that_are_no_urdf_are_refused() {
    let xacro = "this file has xacro macros; write them out first: `xacro FILE > robot.urdf`, and read the result";
    let rows = [
        ("", "1:1: error: the text has no XML element [syntax] (is this an XML file, and is it complete?)".to_owned()),
        ("x = 1", "1:1: error: this is not XML [syntax]".to_owned()),
        ("<robot name='r'>\n<link name='a'>\n</robot>", "3:1: error: `</robot>` closes `<link>` [syntax] (write `</link>` before it)".to_owned()),
        ("<robot name='r'>\n<link name='a'>\n", "2:1: error: the text ends before its last element is closed [syntax] (is the file complete?)".to_owned()),
        ("<robot name='r' name='s'/>", "1:17: error: the attribute `name` is given twice in one element [syntax]".to_owned()),
        ("<robot name='<'/>", "1:14: error: `<` stands in the value of an attribute [syntax] (is a quote missing before it? A plain `<` is written `&lt;`)".to_owned()),
        ("<robot name='&x;'/>", "1:14: error: `&x;` is not defined [syntax] (a plain `&` is written `&amp;`)".to_owned()),
        ("<!DOCTYPE robot [<!ENTITY a 'b'>]><robot name='&a;'/>", "1:1: error: the file has a document type declaration [syntax] (remove `<!DOCTYPE ..>` and write out the entities that it defines)".to_owned()),
        ("\n<?xml version='1.0'?><robot/>", "2:1: error: `<?xml ..?>` stands elsewhere than at the beginning of the file [syntax] (it must be the very first characters of the file, before any blank line)".to_owned()),
        ("<sdf version='1.7'/>", "1:1: error: the file begins with `<sdf>`; a file in URDF begins with `<robot>` [syntax] (this looks like SDF; name the file `.sdf` or say its format)".to_owned()),
        ("<html/>", "1:1: error: the file begins with `<html>`; a file in URDF begins with `<robot>` [syntax]".to_owned()),
        ("<robot name='r'><xacro:macro/></robot>", format!("1:18: error: the prefix `xacro:` is not declared [syntax] ({xacro})")),
        ("<robot name='r' xmlns:xacro='x'><xacro:macro/><xacro:x/></robot>", format!("1:33: error: `<xacro:macro>` needs xacro [unsupported] ({xacro})")),
        ("<robot name='r' xmlns:xacro='x'><link name='${p}a'/></robot>", format!("1:33: error: `<link>` needs xacro [unsupported] ({xacro})")),
    ];
    for (text, expected) in rows {
        check(text, "", &expected);
    }
    // A declared prefix alone is harmless: processed files keep it.
    let clean = robot("").replace("<robot ", "<robot xmlns:xacro='http://ros.org/wiki/xacro' ");
    check(&clean, BASE, "");
}

/// The place of every frame and the mass of all that moves are the same before and after merging.
#[test]
fn merging_changes_neither_places_nor_masses() {
    for floating in [false, true] {
        let (plain, ..) = read_text(BRANCHED, Format::Urdf, &options(floating, false));
        let (merged, _, diagnostics) = read_text(BRANCHED, Format::Urdf, &options(floating, true));
        assert!(diagnostics.iter().any(|finding| finding.code == DiagnosticCode::Choice));
        assert!(merged.bodies.len() < plain.bodies.len());
        assert!(merged.bodies.iter().all(|body| !body.joints.is_empty()));
        for seed in 0..5_u32 {
            let q = |name: &str| coordinate(name, seed);
            let (before, after) = (places(&plain, &q), places(&merged, &q));
            for body in &plain.bodies {
                let name = &body.name.value;
                let suffix = format!(".{name}");
                let found =
                    after.iter().find(|(place, _)| *place == name || place.ends_with(&suffix));
                assert_close(&before[name], found.expect("the frame of every body").1, name);
            }
            // What was merged into the ground moves no more, and its mass is gone.
            let moving =
                |draft: &Draft, name: &str| draft.bodies.iter().any(|body| body.name.value == name);
            let at_rest = ["trunk", "plate"];
            let kept = plain
                .bodies
                .iter()
                .filter(|body| floating || !at_rest.contains(&body.name.value.as_str()));
            let (m1, c1, i1) = mass(kept, &before);
            let (m2, c2, i2) = mass(merged.bodies.iter(), &after);
            assert!(!moving(&merged, "camera"));
            assert!((m1 - m2).abs() < 1e-12, "{m1} {m2}");
            for i in 0..3 {
                assert!((c1[i] - c2[i]).abs() < 1e-12);
                for j in 0..3 {
                    assert!((i1[i][j] - i2[i][j]).abs() < 1e-12);
                }
            }
        }
    }
}

/// Merging keeps quarter turns exact and the words of the file where nothing is computed.
#[test]
fn merging_keeps_what_is_exact() {
    check_with(
        &options(false, true),
        &robot(
            "<link name='a'/><joint name='ja' type='fixed'><parent link='base'/><child link='a'/><origin rpy='1.57 0 0'/></joint>
<link name='b'/><joint name='jb' type='fixed'><parent link='a'/><child link='b'/><origin xyz='0 1 0' rpy='0 0 1.57'/></joint>
<link name='c'/><joint name='jc' type='revolute'><parent link='b'/><child link='c'/></joint>
<link name='d'/><joint name='jd' type='fixed'><parent link='c'/><child link='d'/><origin xyz='0.1 0.2 0.3'/></joint>
<constraint name='k' type='ball'><parent link='b'/><parent_origin xyz='0 0 2'/><child link='d'/></constraint>",
        ),
        "model r
ground point base 0 0 0
ground point a 0 0 0 turned rpy pi/2 0 0
ground point b 0 0 1 turned rpy 0 -pi/2 pi/2
ground point b_k 0 -2 1 turned rpy 0 -pi/2 pi/2
body c on ground.b
  joint jc revolute [1 0 0]
  point d 0.1 0.2 0.3
cut k spherical between ground.b_k c.d",
        "2:13: note: bodies that are fixed to their parent are merged into it: `base`, `a`, `b`, `d` [choice] (their frames are points of the parent now)
3:98: note: 1.57 is taken as the exact pi/2, in 2 places [snapped]",
    );
}

/// Depth and size are met with limits or patience, never with the stack.
#[test]
fn deep_and_large_texts_end_well() {
    let attributes: String = (0..200).map(|i| format!(" a{i}='1'")).collect();
    let spaces: String = (0..200).map(|i| format!(" xmlns:a{i}='{i}'")).collect();
    let rows = [
        (
            format!("<robot>{}{}</robot>", "<a>".repeat(100_000), "</a>".repeat(100_000)),
            "unknown-key",
        ),
        (format!("<robot>{}", "<link>".repeat(100_000)), "syntax"),
        (format!("<robot{attributes}/>"), "limit"),
        (format!("<robot{spaces}/>"), "limit"),
        ("<".repeat(9_000_000), "limit"),
        (robot(&"<link name='a-b'/>".repeat(10_000)), "renamed"),
        (robot(&(0..1000).map(|i| format!("<x{i}/>")).collect::<String>()), "unknown-key"),
    ];
    for (text, code) in rows {
        let (_, sources, diagnostics) = read_text(&text, Format::Urdf, &options(false, true));
        assert!(diagnostics.iter().any(|finding| finding.code.word() == code), "{code}");
        assert!(diagnostics.iter().count() < 70);
        findings(&sources, &diagnostics);
    }
}

/// Spoiled files end in a draft or in findings that can be shown.
#[test]
fn any_text_ends_well() {
    for text in [BRANCHED, FOUR_BAR] {
        for (seed, spoiled) in spoiled(text, 1000).enumerate() {
            let options = options(seed.is_multiple_of(2), seed.is_multiple_of(3));
            let (draft, sources, diagnostics) = read_text(&spoiled, Format::Urdf, &options);
            show(&draft);
            findings(&sources, &diagnostics);
        }
    }
}

fn assert_close(a: &Frame, b: &Frame, what: &str) {
    common::kinematics::assert_close(a, b, 1e-12, what);
}
