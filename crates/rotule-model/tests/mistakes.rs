//! The page of mistakes in the manual: every broken model there gets exactly the messages shown
//! there.
//!
//! `UPDATE_EXPECT=1 cargo test -p rotule-model --test mistakes` writes the messages anew; look at
//! them before they are kept.

use rotule_model::diagnostic::DiagnosticCode;
use rotule_model::{Format, ReadOptions, Texts};
use std::fs;
use std::path::{Path, PathBuf};

fn page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual/mistakes.md")
}

/// The name of the model of a code block, by the words behind its fence.
fn file(fence: &str) -> Option<(&'static str, Format)> {
    Some(match fence {
        "toml" => ("model.toml", Format::Native),
        "xml urdf" => ("robot.urdf", Format::Urdf),
        "xml sdf" => ("robot.sdf", Format::Sdf),
        "xml mjcf" => ("robot.xml", Format::Mjcf),
        "xml mbs" => ("robot.mbs", Format::Mbs),
        _ => return None,
    })
}

fn messages(name: &str, format: Format, text: &str) -> String {
    let texts = Texts::new(name, text).in_format(format);
    texts.read(&ReadOptions::default()).diagnostics.render(texts.sources())
}

/// The page with the messages as they are now, the number of models, and all messages.
fn renewed(page: &str) -> (String, usize, String) {
    let (mut out, mut count, mut all) = (String::new(), 0, String::new());
    let mut lines = page.lines();
    let mut pending: Option<String> = None;
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(fence) = line.strip_prefix("```").filter(|fence| !fence.is_empty()) else {
            continue;
        };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let mut text = block.iter().map(|line| format!("{line}\n")).collect::<String>();
        if let Some((name, format)) = file(fence) {
            pending = Some(messages(name, format, &text));
        } else if let Some(messages) = pending.take() {
            assert_eq!(fence, "text", "messages follow their model");
            count += 1;
            all.push_str(&messages);
            text = messages;
        }
        out.push_str(&text);
        out.push_str("```\n");
    }
    (out, count, all)
}

#[test]
fn the_messages_on_the_page_are_those_of_the_program() {
    let shown = fs::read_to_string(page()).expect("the manual has the page");
    let (renewed, count, _) = renewed(&shown);
    assert!(count >= 40, "the page has {count} broken models");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(page(), renewed).expect("the page can be written");
    } else {
        assert_eq!(shown, renewed, "the page shows other messages than the program");
    }
}

#[test]
fn every_model_on_the_page_has_a_finding() {
    let shown = fs::read_to_string(page()).expect("the manual has the page");
    for part in shown.split("```text\n").skip(1) {
        assert!(!part.starts_with("```"), "a model without a finding before:\n{part}");
    }
}

#[test]
fn every_code_is_explained_and_shown() {
    let shown = fs::read_to_string(page()).expect("the manual has the page");
    let (_, _, all) = renewed(&shown);
    for code in DiagnosticCode::ALL {
        let meaning = code.about();
        assert!(shown.contains(&format!("| `{code}` | {meaning} |")), "`{code}` is not explained");
        assert!(all.contains(&format!("[{code}]")), "no model on the page shows `{code}`");
    }
}
