//! Reading ROBOTRAN's `.mbs`: what becomes of every element, and the messages about the rest.

mod common;

use common::more::{show_rest, spoiled};
use common::{findings, golden, read_text, show};
use rotule_model::{Format, ReadOptions, Texts, load_text};

const CRANK: &str = include_str!("models/mbs/crank.mbs");

/// The draft and the findings of a text, as one text.
fn read(text: &str) -> (String, String) {
    let (draft, sources, diagnostics) = read_text(text, Format::Mbs, &ReadOptions::default());
    let shown = format!("{}{}", show(&draft), show_rest(&draft));
    (shown, findings(&sources, &diagnostics))
}

/// Diagnostics about a text.
fn check(text: &str, expected: &str) {
    assert_eq!(read(text).1.trim_end(), expected.trim(), "findings of\n{text}");
}

/// The draft of a text without its name.
fn check_draft(text: &str, expected: &str) {
    let (shown, said) = read(text);
    let shown = shown.strip_prefix("model m\n").expect("a name");
    assert_eq!(shown.trim_end(), expected.trim(), "draft of\n{text}\n{said}");
}

/// A model with a content.
fn model(rest: &str) -> String {
    format!("<mbsDescR7><mbsname>m</mbsname>\n{rest}\n</mbsDescR7>")
}

/// A model of one body on the base with a joint and what else is given.
fn body(joint: &str, rest: &str) -> String {
    model(&format!(
        "<bodytree><body><bodyname>b</bodyname>\
         <parent><bodyname>base</bodyname><pointname>origin</pointname></parent>\n\
         <joint><jointname>j</jointname>{joint}</joint>\n<mass>1</mass></body></bodytree>\n{rest}"
    ))
}

/// A body that turns about z.
fn turning(rest: &str) -> String {
    body("<type>R3</type><nature>independent</nature><actuated/>", rest)
}

const TURNING: &str =
    "body b on ground\n  joint j revolute [0 0 1] effort user_JointForces(q, qd, t, 1)\n  mass 1";
const LAW: &str = "external user_JointForces(q, qd, t, joint) gives 1\nj is independent";

#[test]
fn a_file_with_everything() {
    let (shown, said) = read(CRANK);
    golden("mbs/crank.txt", &format!("{shown}\n{said}"));
    let mechanism = load_text("crank.mbs", CRANK, &ReadOptions::default()).expect("no errors");
    assert_eq!(mechanism.coordinates.len(), 4);
    assert_eq!(mechanism.line_forces.len(), 2);
}

#[test]
fn the_six_joints() {
    for (kind, word, axis) in [
        ("R1", "revolute", "1 0 0"),
        ("R2", "revolute", "0 1 0"),
        ("R3", "revolute", "0 0 1"),
        ("T1", "prismatic", "1 0 0"),
        ("T2", "prismatic", "0 1 0"),
        ("T3", "prismatic", "0 0 1"),
    ] {
        let text = body(&format!("<type>{kind}</type><nature>dependent</nature>"), "");
        let expected =
            format!("body b on ground\n  joint j {word} [{axis}]\n  mass 1\nj is dependent");
        check_draft(&text, &expected);
    }
}

#[test]
fn joints_are_numbered_through_the_file() {
    let joint = |name: &str, role: &str| {
        format!(
            "<joint><jointname>{name}</jointname><type>R1</type><nature>{role}</nature>\
             <actuated/></joint>"
        )
    };
    let tree = format!(
        "<bodytree><body><bodyname>a</bodyname><parent><bodyname>base</bodyname>\
         <pointname>origin</pointname></parent>{}{}</body>\
         <body><bodyname>b</bodyname><parent><bodyname>a</bodyname>\
         <pointname>origin</pointname></parent>{}</body></bodytree>",
        joint("x", "independent"),
        joint("y", "driven"),
        joint("z", "independent"),
    );
    check_draft(
        &model(&tree),
        "body a on ground
  joint x revolute [1 0 0] effort user_JointForces(q, qd, t, 1)
  joint y revolute [1 0 0]
body b on a
  joint z revolute [1 0 0] effort user_JointForces(q, qd, t, 3)
external user_JointForces(q, qd, t, joint) gives 1
external user_DrivenJoints(t, joint) gives 3
x is independent
z is independent
motion y: user_DrivenJoints(t, 2)[1]; user_DrivenJoints(t, 2)[2]; user_DrivenJoints(t, 2)[3]",
    );
}

#[test]
fn names_are_made_fit_and_followed() {
    let text = model(
        "<base><baseBodyName>ground plate</baseBodyName><point><pointname>p 1</pointname>\
         <coordinates><x>1</x></coordinates></point></base>\n\
         <bodytree><body><bodyname>ground</bodyname><parent><bodyname>ground plate</bodyname>\
         <pointname>p 1</pointname></parent>\n<joint><jointname>t</jointname><type>R1</type>\
         <nature>driven</nature></joint></body></bodytree>",
    );
    check_draft(
        &text,
        "ground point p_1 1 0 0
body ground_2 on ground.p_1
  joint t_2 revolute [1 0 0]
external user_DrivenJoints(t, joint) gives 3
motion t_2: user_DrivenJoints(t, 1)[1]; user_DrivenJoints(t, 1)[2]; user_DrivenJoints(t, 1)[3]",
    );
    check(
        &text,
        "2:66: note: point `p 1` is called `p_1` here [renamed]
3:27: note: body `ground` is called `ground_2` here [renamed]
4:19: note: joint `t` is called `t_2` here [renamed]",
    );
}

#[test]
fn faults_have_places() {
    let whole = [
        "",
        "<robot name='r'/>",
        "<mbsDescR7/>",
        "<mbsDescR8><bodytree/></mbsDescR8>",
        "<mbsDescR7><bodytree></mbsDescR7>",
    ];
    let joints = [
        "<type>R4</type><nature>independent</nature><actuated/>",
        "<type>R1</type><nature>free</nature><actuated/>",
        "<type/><nature>driven</nature>",
        "<type>R1</type><nature>driven</nature><initialvalue><q>q0</q></initialvalue>",
        "<type>R1</type><nature>driven</nature><initialvalue><q>1 2</q><qd/></initialvalue>",
        "<type>R1</type><natur>driven</natur>",
        "<type>R1</type><nature>independent</nature><actuated>false</actuated>",
    ];
    let rest = [
        "<cuts><rod><name>r</name><endpoint1><bodyname/></endpoint1><endpoint2/></rod></cuts>",
        "<links><link3D><name>l</name></link3D><link3D/></links>",
        "<user_models><user_model><name>u</name><parameter><name>s</name><type>scalar</type>\n\
         <value>1</value><value>2</value></parameter><parameter><name>x</name>\n\
         <type>state</type></parameter><parameter><name>y</name><type>state</type></parameter>\
         </user_model></user_models>",
        "<user_variables/><x3D/>",
        "<base><gravity/><point/></base>",
        "<base><point><pointname>p</pointname><coordinates><x/><y>1e999</y><z>1,5</z>\
         </coordinates></point></base>",
    ];
    let whole = whole.into_iter().map(str::to_owned);
    let joints = joints.into_iter().map(|joint| body(joint, ""));
    let rest = rest.into_iter().map(turning);
    let mut out = String::new();
    for text in whole.chain(joints).chain(rest) {
        out.push_str(&format!("{text}\n----\n{}\n", read(&text).1));
    }
    golden("mbs/faults.txt", &format!("{}\n", out.trim_end()));
}

#[test]
fn unknown_places_stay_for_the_checks() {
    let text = turning(
        "<links><link><name>l</name><endpoint1><bodyname>bb</bodyname><pointname>origin</pointname>\
         </endpoint1><endpoint2><bodyname>b</bodyname><pointname>p</pointname></endpoint2></link></links>",
    );
    let law = "external user_LinkForces(Z, Zd, t, link) gives 1\nj is independent\nline force l between bb b.p: user_LinkForces(Z, Zd, t, 1)";
    check_draft(&text, &format!("{TURNING}\n{}", LAW.replace("j is independent", law)));
}

#[test]
fn sensors_that_measure_nothing_are_left_out() {
    let text = model(
        "<base><point><pointname>p</pointname><coordinates/>\n<sensor name='s' Pos='' Vit='no'/>\
         <sensor Jac='true'/></point></base><bodytree/>",
    );
    check(
        &text,
        "3:1: warning: sensor `s` measures nothing and is left out [ignored] (set one of its flags, such as `Pos=\"true\"`)
3:30: error: `Vit` of `<sensor>` must be `true` or `false`, found `no` [type]",
    );
    check_draft(&text, "ground point p 0 0 0\nsensor sensor1 at ground.p: jacobian");
}

#[test]
fn any_bytes_end_in_a_draft_or_findings() {
    for seed in 0..1500 {
        let text = spoiled(CRANK, seed);
        let texts = Texts::new("file.mbs", &text);
        let loaded = texts.read(&ReadOptions::default());
        assert!(loaded.mechanism.is_some() || loaded.diagnostics.has_errors(), "{text}");
        loaded.diagnostics.render(texts.sources());
    }
}
