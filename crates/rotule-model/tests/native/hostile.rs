//! Texts that nobody writes by hand: no panic, no overflow, an end, and a message.

use crate::{findings, read, read_well};
use proptest::prelude::*;
use rotule_model::diagnostic::DiagnosticCode;
use rotule_model::limits;
use toml::de::DeTable;

/// The codes of all findings, each once, in order.
fn codes(text: &str) -> Vec<&'static str> {
    let (_, found, sources) = read(text);
    let mut codes: Vec<&'static str> = found.iter().map(|finding| finding.code.word()).collect();
    codes.sort_unstable();
    codes.dedup();
    // Drawing must not fail either.
    found.render(&sources);
    codes
}

#[test]
fn deep_nesting_ends_in_a_message() {
    for depth in [63, 65, 1000, 100_000] {
        for (open, close) in [("[", "]"), ("{ a = ", "}"), ("{ a.a = [", "]}")] {
            let (open, close) = (open.repeat(depth), close.repeat(depth));
            for text in [format!("a = {open}1{close}\n"), format!("a = {open}"), close] {
                assert!(!codes(&text).is_empty(), "{depth}");
            }
        }
    }
    assert_eq!(codes(&"[".repeat(100_000)), ["limit"]);
    assert_eq!(codes(&format!("{} = 1", vec!["a"; 100_000].join("."))), ["limit"]);
    assert_eq!(codes(&format!("[{}]", vec!["a"; 100].join("."))), ["limit"]);
}

#[test]
fn dots_and_brackets_together_cannot_nest_deeply() {
    // Dotted keys within inline tables multiply: each bracket may bring many levels.
    let dots = vec!["a"; 60].join(".");
    let mut text = String::new();
    (0..60).for_each(|_| text.push_str(&format!("{dots} = {{ ")));
    let closed = format!("[model]\n{text}{}\n", "}".repeat(60));
    assert_eq!(codes(&closed), ["limit"]);
    // Closing brackets of the wrong kind must not hide the depth.
    let mixed: String = (0..60).map(|_| format!("{dots} = {{ ] ")).collect();
    assert_eq!(codes(&format!("[model]\n{mixed}")), ["syntax"]);
}

#[test]
fn long_names_are_cut_and_told() {
    let long = "n".repeat(10 << 20);
    let (draft, found, _) = read(&format!("[[body]]\nname = \"{long}\"\nparent = \"ground\"\n"));
    // Beyond what one section may have.
    assert_eq!(found.iter().map(|finding| finding.code.word()).collect::<Vec<_>>(), ["limit"]);
    assert!(draft.bodies.is_empty());
    let long = "n".repeat(1 << 20);
    let text = format!("[[body]]\nname = \"{long}\"\nmass = true\n[parameters]\n{long} = 1\n");
    let (draft, found, _) = read(&text);
    let codes: Vec<_> = found.iter().map(|finding| finding.code.word()).collect();
    assert_eq!(codes, ["limit", "type", "limit"]);
    assert_eq!(draft.bodies[0].name.value.len(), 200);
    assert!(found.iter().all(|finding| finding.message.chars().count() < 200));
}

#[test]
fn names_are_cut_between_characters() {
    let (draft, _, _) = read(&format!("[[body]]\nname = \"a{}\"\n", "ß".repeat(200)));
    assert_eq!(draft.bodies[0].name.value.len(), 199);
}

#[test]
fn too_many_bodies_end_in_one_message() {
    let text = "[[body]]\nname=\"a\"\n".repeat(1_000_000);
    let (draft, found, _) = read(&text);
    let codes: Vec<_> = found.iter().map(|finding| finding.code.word()).collect();
    assert_eq!(codes, ["limit"]);
    assert_eq!(draft.bodies.len(), limits::BODIES);
    // In one list they are too many tables for one section.
    let text = format!("body = [{}]", "{name=\"a\"},".repeat(1_000_000));
    assert_eq!(self::codes(&text), ["limit"]);
}

#[test]
fn as_many_bodies_as_allowed_are_read() {
    let draft = read_well(&"[[body]]\nname=\"a\"\n".repeat(limits::BODIES));
    assert_eq!(draft.bodies.len(), limits::BODIES);
}

#[test]
fn the_bodies_between_the_joints_of_a_chain_count() {
    let chain = "{ type = \"fixed\" },".repeat(1000);
    let text =
        format!("[[body]]\nname = \"a\"\njoint = [{chain}]\n").repeat(limits::BODIES / 1000 + 1);
    assert_eq!(codes(&text), ["limit"]);
}

#[test]
fn countless_findings_end_the_reading() {
    let keys: String = (0..20_000).map(|index| format!("k{index} = 1\n")).collect();
    let text = findings(&format!("[model]\n{keys}"));
    assert_eq!(text.lines().count(), 1001);
    assert!(text.ends_with("note limit: reading stopped after 1000 diagnostics\n"));
    assert_eq!(findings(&"x y z\n".repeat(100_000)).lines().count(), 1001);
    assert_eq!(findings(&"[model]\n".repeat(100_000)).lines().count(), 1001);
}

#[test]
fn odd_characters_are_told() {
    assert_eq!(codes("\0"), ["syntax"]);
    assert_eq!(codes("[model]\nname = \"a\0b\"\n"), ["syntax"]);
    assert_eq!(codes("[model]\nname = \"m\" # \0\n"), ["syntax"]);
    assert_eq!(codes("[model]\nname = \"a\u{7f}\"\n"), ["syntax"]);
    assert_eq!(codes("[モデル]\n"), ["syntax"]);
    assert_eq!(codes("[\"モデル\"]\n"), ["unknown-key"]);
    assert!(codes("[model]\r\nname = \"Größe ✓ 🦀\"\r\nabout = \"α\"\r\n").is_empty());
}

#[test]
fn every_prefix_and_every_missing_byte_is_survived() {
    let model = format!("{}\nabout = '''\nä'''\n", crate::places::manual_example());
    for at in (0..model.len()).filter(|at| model.is_char_boundary(*at)) {
        read(&model[..at]);
        let rest = model[at..].char_indices().nth(1).map_or("", |(next, _)| &model[at + next..]);
        read(&format!("{}{rest}", &model[..at]));
        read(&format!("{}\"{}", &model[..at], &model[at..]));
        read(&format!("{}]{}", &model[..at], &model[at..]));
    }
}

/// Lines that are mostly TOML, with a fragment now and then that makes brackets, quotes and headers
/// meet.
fn lines() -> impl Strategy<Value = String> {
    let lines = [
        "[[body]]",
        "[[body]] # [",
        "[body.points]",
        "[model]",
        "[initial.q]",
        "[parameters]",
        "[[cut]]",
        "[ \"cut\" ]",
        "a = 1",
        "b.c = 0.5",
        "b = [1, 2]",
        "c = { d = 1 }",
        "e = \"[[body]]\"",
        "# \"\"\"",
        "f = [\n[1],\n [2], # ]\n[ \"model\" ]\n]",
        "g = \"\"\"\n[[body]]\n\\\"\"\"\"\"\"",
        "h = '''\n[model]\n'''''",
        "i = '#' # '",
        "j = \"\\\"#\"",
        "\"k.[\" = {}",
        "'l' = { m.n = [{}] }",
        "ö = 1",
        "",
    ];
    let fragments = [
        "[", "]", "{", "}", "\"", "'", "\"\"\"", "'''", "#", "\\", "\r\n", "=", ",", ".", "ä", " ",
        "\n",
    ];
    let fragment = prop_oneof![20 => Just(""), 1 => prop::sample::select(fragments.to_vec())];
    let line = (prop::sample::select(lines.to_vec()), fragment.clone(), fragment);
    prop::collection::vec(line, 0..8).prop_map(|lines| {
        let lines = lines.iter().map(|(line, before, after)| format!("{before}{line}{after}\n"));
        lines.collect()
    })
}

proptest! {
    #[test]
    fn cutting_the_text_changes_nothing_about_its_syntax(text in lines()) {
        let (_, found, sources) = read(&text);
        let said = found.render(&sources);
        let syntax = found.iter().any(|finding| finding.code == DiagnosticCode::Syntax);
        match DeTable::parse(&text) {
            Ok(_) => prop_assert!(!syntax, "{}", said),
            // `[initial.q]` twice, apart, is read like one.
            Err(error) if error.message() == "duplicate key" => {}
            Err(_) => prop_assert!(found.has_errors(), "{}", text),
        }
    }
}
