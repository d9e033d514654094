//! Values that are read, and their places.

use crate::{read, read_well};
use rotule_model::draft::*;
use rotule_model::{Sources, Span};

/// The text that a place covers.
fn at(sources: &Sources, span: Span) -> &str {
    &sources.get(span.source).text[span.range()]
}

/// The places of an expression as `mass`, written in some way.
fn mass_at(written: &str) -> String {
    let (draft, found, sources) = read(&format!("[[body]]\nname = \"a\"\nmass = {written}\n"));
    assert!(found.is_empty(), "{}", found.render(&sources));
    at(&sources, draft.bodies[0].mass.as_ref().expect("there is a mass").span).to_owned()
}

#[test]
fn expressions_have_the_place_of_their_text() {
    let check = |written: &str, expected: &str| assert_eq!(mass_at(written), expected, "{written}");
    check("\"2*m\"", "2*m");
    check("'2*m'", "2*m");
    check("'''2*m'''", "2*m");
    check("\"\"\"2*m\"\"\"", "2*m");
    check("\"\"\"\n2*m\"\"\"", "2*m");
    check("\"\"\"\r\n2*m\n+ 1\"\"\"", "2*m\n+ 1");
    check("\"µ*m\"", "µ*m");
    // With escapes the text is not in the file as it is.
    check("\"2*\\u006D\"", "\"2*\\u006D\"");
    check("\"2*m\\t\"", "\"2*m\\t\"");
    check("\"\\\\\\\\\"", "\"\\\\\\\\\"");
    check("12.5", "12.5");
}

#[test]
fn numbers_are_read_in_every_notation() {
    let check = |written: &str, expected: f64| {
        let draft = read_well(&format!("[[body]]\nname = \"a\"\nmass = {written}\n"));
        let mass = draft.bodies[0].mass.as_ref().expect("there is a mass");
        let Value::Number(number) = mass.value else { panic!("{written} is a number") };
        assert_eq!(number.to_bits(), expected.to_bits(), "{written}");
    };
    check("1", 1.0);
    check("+1", 1.0);
    check("-17", -17.0);
    check("1_000.5", 1000.5);
    check("0xff", 255.0);
    check("0xDEAD_beef", 3735928559.0);
    check("0o17", 15.0);
    check("0b101", 5.0);
    check("-0", 0.0);
    check("-0.0", -0.0);
    check("6.02e+23", 6.02e23);
    check("1e-5", 1e-5);
    check("5e-324", 5e-324);
    check("9007199254740993", 9007199254740992.0);
    check("18446744073709551616", 18446744073709551616.0);
    check("340282366920938463463374607431768211456", 340282366920938463463374607431768211456.0);
    check("0x1_0000_0000_0000_0000_0000_0000_0000_0000", 340282366920938463463374607431768211456.0);
}

#[test]
fn names_and_elements_have_places() {
    let text = "[model]\nname = \"m\"\n[[body]]\nname = \"a\"\n'points'.\"pin\" = [1, 2, 3]\n\
                joint = { name = \"q\", type = \"revolute\", axis = \"-y\" }\n\
                [[cut]]\nname = \"c\"\ntype = \"ball\"\nbetween = [\"a.pin\", 'ground']\n";
    let (draft, found, sources) = read(text);
    assert!(found.is_empty());
    let body = &draft.bodies[0];
    let joint = &body.joints[0];
    let cut = &draft.cuts[0];
    for (span, expected) in [
        (draft.span, "m"),
        (body.name.span, "a"),
        (body.points[0].name.span, "pin"),
        (body.points[0].position[1].span, "2"),
        (joint.span, "{ name = \"q\", type = \"revolute\", axis = \"-y\" }"),
        (joint.kind.span, "revolute"),
        (joint.axes[0].span, "-y"),
        (cut.span, "[[cut]]"),
        (cut.between[0].span, "a.pin"),
        (cut.between[1].span, "ground"),
    ] {
        assert_eq!(at(&sources, span), expected);
    }
}

#[test]
fn the_order_of_the_file_is_kept() {
    let draft = read_well(
        "[parameters]\nz = 1\na = 2\nm = 3\n[initial.q]\nq2 = 1\nq1 = 2\n\
         [ground]\npoints.z = [0, 0, 0]\npoints.a = [0, 0, 0]\n",
    );
    let names: Vec<&str> = draft.parameters.iter().map(|item| item.name.value.as_str()).collect();
    assert_eq!(names, ["z", "a", "m"]);
    let names: Vec<&str> = draft.initial_q.iter().map(|item| item.joint.value.as_str()).collect();
    assert_eq!(names, ["q2", "q1"]);
    let names: Vec<&str> = draft.ground.iter().map(|item| item.name.value.as_str()).collect();
    assert_eq!(names, ["z", "a"]);
}

/// Both texts say the same.
fn same(one: &str, other: &str) {
    let (a, b) = (read_well(one).without_places(), read_well(other).without_places());
    assert_eq!(a, b, "\n{one}\n{other}");
}

#[test]
fn one_thing_can_be_written_in_several_ways() {
    let body = "[[body]]\nname = \"a\"\n";
    let joint = "joint = { name = \"q\", type = \"revolute\", axis = ";
    same(
        &format!("{body}points.pin = [1, 2, 3]\n"),
        &format!("{body}[body.points]\npin = [1, 2, 3]\n"),
    );
    same(
        &format!("{body}points.pin = [1, 2, 3]\n"),
        &format!("{body}points = {{ pin = {{ position = [1, 2, 3] }} }}\n"),
    );
    same(&format!("{body}{joint}\"x\" }}\n"), &format!("{body}{joint}[1, 0, 0] }}\n"));
    same(&format!("{body}{joint}\"-z\" }}\n"), &format!("{body}{joint}[0, 0, -1] }}\n"));
    same(
        &format!("{body}{joint}\"x\" }}\n"),
        &format!("{body}[body.joint]\nname = \"q\"\ntype = \"revolute\"\naxis = \"x\"\n"),
    );
    same(
        &format!("{body}joint = [{{ name = \"p\", type = \"free\" }}, {{ type = \"fixed\" }}]\n"),
        &format!(
            "{body}[[body.joint]]\nname = \"p\"\ntype = \"free\"\n[[body.joint]]\ntype = \"fixed\"\n"
        ),
    );
    same(
        &format!("{body}rotation = [1, 2, 3]\n"),
        &format!("{body}rotation = {{ rpy = [1, 2, 3] }}\n"),
    );
    same("[initial.q]\nq1 = 3\n", "[initial]\nq = { q1 = [3] }\n");
    same("[initial]\n[initial.q]\nq1 = 3\n", "initial.q.q1 = 3\n");
    same("[parameters]\na = 1\n", "[parameters.a]\nvalue = 1\n");
    same(
        "[parameters]\na = 1\nb = 2\n[model]\nname = \"m\"\n",
        "[parameters.a]\nvalue = 1\n[model]\nname = \"m\"\n[parameters]\nb = 2\n",
    );
    same(
        "[[body]]\nname = \"a\"\n[[body]]\nname = \"b\"\n",
        "body = [{ name = 'a' }, { name = 'b' }]\n",
    );
    same(
        "[model]\nname = \"m\"\n[ground]\npoints.p = [0, 0, 0]\n",
        "[ ground.points ]\r\np = [0, 0, 0] # p\r\n[ \"model\" ]\r\nname = 'm'\r\n",
    );
    same("[model]\nname = \"m\"\n", "\u{feff}[model]\nname = \"m\"\n");
    same(
        "[model]\nname = \"m\"\nabout = \"[[body]]\\n\"\n",
        "[model]\nname = \"m\"\nabout = \"\"\"\n[[body]]\n\"\"\"\n",
    );
    let cut = |kind: &str| {
        format!("[[cut]]\nname = \"c\"\ntype = \"{kind}\"\nbetween = [\"a\", \"b\"]\n")
    };
    same(&cut("ball"), &cut("spherical"));
    same(&cut("body"), &cut("fixed"));
}

#[test]
fn elements_with_slips_are_still_there() {
    let (draft, found, _) = read(
        "[parameters]\na = true\n[[body]]\nname = \"a\"\nmass = true\npoints.pin = 3\n\
         joint = { name = \"q\", type = \"hinge\" }\n[[body]]\nnme = \"b\"\ncom = [\n\
         [[body]]\nname = \"c\"\nmass 3\n[[sensor]]\nname = \"s\"\n",
    );
    assert!(found.has_errors());
    let names: Vec<&str> = draft.bodies.iter().map(|body| body.name.value.as_str()).collect();
    assert_eq!(names, ["a", "b", "c"]);
    assert_eq!(draft.bodies[0].points[0].name.value, "pin");
    assert_eq!(draft.bodies[0].joints[0].axes.len(), 1);
    assert_eq!(draft.parameters.len(), 1);
    assert_eq!(draft.sensors.len(), 1);
}

/// The first model of the manual.
pub fn manual_example() -> &'static str {
    let manual = include_str!("../../../../docs/manual/model-file.md");
    let (_, rest) = manual.split_once("```toml\n").expect("the manual has an example");
    rest.split_once("```").expect("the example ends").0
}

#[test]
fn the_example_of_the_manual_is_read() {
    let draft = read_well(manual_example());
    let count = (draft.bodies.len(), draft.cuts.len(), draft.parameters.len());
    assert_eq!(count, (3, 1, 4));
    assert_eq!(draft.initial_q.len(), 3);
    assert_eq!(draft.name.expect("the example has a name").value, "slider_crank");
}

#[test]
fn every_example_of_the_manual_is_read() {
    let manual = include_str!("../../../../docs/manual/model-file.md");
    for block in manual.split("```toml\n").skip(1) {
        read_well(block.split_once("```").expect("the block ends").0);
    }
}
