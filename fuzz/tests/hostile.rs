//! Hostile inputs that are too large to keep in the corpus: they are described here and built on
//! the fly.
//!
//! All targets get all of them, since what is hostile to one reader may be hostile to another.

use std::thread;

use rotule_fuzz::TARGETS;

/// Deep nesting.
const DEEP: usize = 100_000;

/// A million.
const MANY: usize = 1_000_000;

/// Ten megabytes.
const LONG: usize = 10_000_000;

/// A hostile input: its name, and the prefix, the repeated part with its count, the middle, the
/// repeated end and the suffix that make it up.
type Hostile =
    (&'static str, &'static str, (&'static str, usize), &'static str, &'static str, &'static str);

/// Every hostile input.
const HOSTILE: &[Hostile] = &[
    ("deep parentheses", "", ("(", DEEP), "x", ")", ""),
    ("unclosed parentheses", "", ("(", DEEP), "", "", ""),
    ("unopened parentheses", "x", (")", DEEP), "", "", ""),
    ("deep calls", "", ("sin(", DEEP), "x", ")", ""),
    ("deep selects", "", ("if(x<1,", DEEP), "x", ",2)", ""),
    ("deep minus signs", "", ("-", DEEP), "x", "", ""),
    ("deep powers", "", ("x^", DEEP), "x", "", ""),
    ("deep negative powers", "", ("2^-", DEEP), "x", "", ""),
    ("deep conditions", "if(", ("!(", DEEP), "x<1", ")", ",1,2)"),
    ("deep indices", "x", ("[1", DEEP), "", "]", ""),
    ("a long sum", "x", ("+x*2", DEEP), "", "", ""),
    ("a long difference of powers", "x", ("-x^3/7", DEEP), "", "", ""),
    ("a long product of sums", "x", ("*(x+1)", DEEP), "", "", ""),
    ("a long quotient", "x", ("/3", DEEP), "", "", ""),
    ("many arguments", "max(", ("x,", DEEP), "x)", "", ""),
    ("ten megabytes of digits", "", ("7", LONG), "", "", ""),
    ("ten megabytes of decimals", "0.", ("7", LONG), "", "", ""),
    ("ten megabytes of exponent", "1e", ("7", LONG), "", "", ""),
    ("ten megabytes of blanks", "x", (" ", LONG), "", "", ""),
    ("a name of ten megabytes", "", ("n", LONG), "", "", ""),
    ("a name of ten megabytes in a program", "program ", ("n", LONG), "", "", "\n"),
    ("a value of ten megabytes of digits", "program p\nbody\n%", ("7", LONG), " = neg 1\n", "", ""),
    ("many inputs of one name", "program p\n", ("input x parameter\n", DEEP), "", "", ""),
    (
        "deep regions",
        "program p\nbody\n",
        ("%0 = region r limit 9 tolerance 1\n", DEEP),
        "",
        "end\n",
        "",
    ),
    ("endless ends", "program p\nbody\n", ("end\n", DEEP), "", "", ""),
    ("many empty outputs", "program p\n", ("output o(4294967295, 4294967295)\n", DEEP), "", "", ""),
    (
        "many arguments of a call",
        "program p\nfunction f(1) -> 1\nbody\n%0 = call f",
        (" 1", DEEP),
        "\n",
        "",
        "",
    ),
    ("ten megabytes of line ends", "program p", ("\n", LONG), "", "", ""),
    ("a million bodies", "[model]\nname = 'm'\n", ("[[body]]\nname='b'\n", MANY), "", "", ""),
    (
        "many bodies that carry themselves",
        "",
        ("[[body]]\nname='b'\nparent='b'\n", DEEP),
        "",
        "",
        "",
    ),
    ("deep arrays", "gravity = ", ("[", DEEP), "1", "]", ""),
    ("deep inline tables", "x = ", ("{a=", DEEP), "1", "}", ""),
    ("deep dotted keys", "a", (".a", DEEP), " = 1", "", ""),
    ("deep headers", "[a", (".a", DEEP), "]", "", ""),
    ("many parameters of one name", "[parameters]\n", ("k = 1\n", DEEP), "", "", ""),
    ("a body with a name of ten megabytes", "[[body]]\nname = '", ("n", LONG), "'\n", "", ""),
    ("an expression of ten megabytes", "[[body]]\nmass = '", ("1+", LONG / 2), "1'\n", "", ""),
    ("a million links", "<robot name='r'>", ("<link name='b'/>", MANY), "", "", "</robot>"),
    ("deep elements", "<robot name='r'>", ("<a>", DEEP), "", "</a>", "</robot>"),
    (
        "deep elements of SDF",
        "<sdf version='1.9'>",
        ("<model name='m'>", DEEP),
        "",
        "</model>",
        "</sdf>",
    ),
    (
        "deep bodies",
        "<mujoco><worldbody>",
        ("<body>", DEEP),
        "",
        "</body>",
        "</worldbody></mujoco>",
    ),
    ("deep defaults", "<mujoco>", ("<default class='a'>", DEEP), "", "</default>", "</mujoco>"),
    ("open elements", "<robot>", ("<link>", DEEP), "", "", ""),
    (
        "many bodies on each other",
        "<mbsDescR7><bodytree>",
        ("<body><bodyname>b</bodyname><parent><bodyname>b</bodyname></parent></body>", DEEP / 2),
        "",
        "",
        "</bodytree></mbsDescR7>",
    ),
    ("an attribute of ten megabytes", "<robot name='", ("n", LONG), "'/>", "", ""),
    ("many attributes", "<robot", (" a='1'", DEEP), "/>", "", ""),
    (
        "many entities",
        "<!DOCTYPE robot [<!ENTITY a 'aa'>]><robot>",
        ("&a;", DEEP),
        "",
        "",
        "</robot>",
    ),
    ("a text of a million triangles", "solid a\n", (FACET, MANY / 10), "", "", "endsolid\n"),
    ("an open text of STL", "solid a\n", ("outer loop\n", MANY), "", "", ""),
    ("a million faces", "v 0 0 0\nv 1 0 0\nv 0 1 0\n", ("f 1 2 -1\n", MANY), "", "", ""),
    ("a face of a million corners", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf", (" 1 2 3", MANY), "", "", ""),
    ("continued lines", "v 0 0 0", ("\\\n", MANY), "", "", ""),
    ("deep nodes of COLLADA", DAE, ("<node>", DEEP), "", "</node>", "</visual_scene></COLLADA>"),
    (
        "many instances",
        DAE,
        ("<node id='n'><instance_node url='#n'/></node>", DEEP),
        "",
        "",
        "</visual_scene></COLLADA>",
    ),
    (
        "many nodes of glTF",
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[",
        ("{\"children\":[1]},", DEEP),
        "{}",
        "",
        "]}",
    ),
    (
        "many buffers of glTF",
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[",
        ("{\"byteLength\":9999999999},", DEEP),
        "{}",
        "",
        "]}",
    ),
    ("deep JSON", "{\"asset\":", ("[", DEEP), "", "]", "}"),
    ("a long chunk of glTF", "glTF\u{2}\0\0\0\0\0\0\0zzzzJSON", ("7", LONG), "", "", ""),
];

/// A triangle of a text in STL.
const FACET: &str =
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

/// The beginning of a scene in COLLADA.
const DAE: &str = "<COLLADA><library_visual_scenes/><scene><instance_visual_scene url='#s'/></scene>\
                   <visual_scene id='s'>";

fn build(&(_, prefix, (part, count), middle, end, suffix): &Hostile) -> Vec<u8> {
    [prefix, &part.repeat(count), middle, &end.repeat(count), suffix].concat().into_bytes()
}

#[test]
fn hostile_inputs_end_in_a_result_or_a_message() {
    let mut broken = Vec::new();
    for hostile in HOSTILE {
        let input = build(hostile);
        for (target, run) in TARGETS {
            let name = format!("{target}: {}", hostile.0);
            // A thread that bears the name says which input overflowed its stack.
            let held = thread::scope(|scope| {
                let thread = thread::Builder::new().name(name.clone());
                let thread = thread.spawn_scoped(scope, || run(&input));
                thread.expect("the system can start a thread").join().is_ok()
            });
            if !held {
                broken.push(name);
            }
        }
    }
    assert!(broken.is_empty(), "inputs that break a promise: {}", broken.join(", "));
}
