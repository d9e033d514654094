//! Rules about words: private terms do not come back where the field has its own, comments keep to
//! the width of code, and documentation says first what a thing is.

use super::source::{self, is_name};
use super::tree::File;
use super::{Findings, Tree};

/// Files that must name the old words: tables of aliases, the glossary, elements of other formats,
/// these rules, generated reference texts.
const MAY_NAME_THEM: &[&str] = &[
    "crates/rotule-model/src/aliases.rs",
    "crates/rotule-model/src/read/mbs/body.rs",
    "crates/rotule-model/src/read/mbs/schema.rs",
    "crates/rotule-model/tests/mbs.rs",
    "docs/glossary.md",
    "docs/manual/commands.md",
    "docs/manual/import-mbs.md",
    "docs/manual/mistakes.md",
    "docs/manual/other-formats.md",
    "xtask/src/tidy/words.rs",
];

/// Words that may not come back, and what to write. Letters of either case are alike, `*` at the
/// end stands for any ending.
const WORDS: &[(&str, &str)] = &[
    ("dear", "costly"),
    ("dearer", "more expensive"),
    ("dearest", "most expensive"),
    ("in vain", "without success"),
    ("be had", "available"),
    ("can be had", "is available"),
    ("heard", "handled, received"),
    ("is said", "is reported, is stated"),
    ("is asked", "is requested"),
    ("are asked", "are requested"),
    ("is seen", "is detected"),
    ("are seen", "are detected"),
    ("are said", "are reported, are stated"),
    ("door", "extension point, entry point"),
    ("doors", "extension points"),
    ("house", "project, workspace"),
    ("drawer", "crate"),
    ("direct dynamics", "forward dynamics"),
    ("order-n", "articulated-body"),
    ("afloat", "floating base"),
    ("culprit*", "Diagnostic or Error"),
    ("hindrance*", "Diagnostic or Error"),
    ("shelf", "program cache"),
    ("shelves", "program caches"),
    ("saddle", "KKT system"),
    ("barred", "excluded from the dependent set"),
    ("recount*", "switch of the Euler-angle sequence"),
    ("wish", "options"),
    ("wishes", "options"),
    ("nature", "coordinate role"),
    ("natures", "coordinate roles"),
];

/// Words of code that may not come back, in texts neither: texts contain names, as `{wanted}` is
/// one.
const RENAMED: &[(&str, &str)] = &[
    ("wanted", "requested, needed"),
    ("asked for", "requested"),
    ("piece", "chunk (generated code), block (native code), token (XML), item (lists)"),
    ("pieces", "chunks, blocks, tokens, items"),
    ("are alike", "are isomorphic, are equal"),
    ("is alike", "is isomorphic, is equal"),
    ("look alike", "are isomorphic, have equal hashes"),
    ("must be there", "must exist"),
    ("if it is there", "if it exists"),
];

/// Words that are private names of code here and there, but may not come back in texts and
/// Markdown, which people read.
const IN_TEXTS: &[(&str, &str)] = &[
    ("turned", "rotated"),
    ("there already", "exists already"),
    ("wished", "requested"),
    ("looked for", "searched"),
];

/// Words that comments have no use for either, where code has them as private names.
const IN_COMMENTS: &[(&str, &str)] = &[
    ("is turned", "is rotated"),
    ("are turned", "are rotated"),
    ("be turned", "be rotated"),
    ("turned frame", "rotated frame"),
    ("turned frames", "rotated frames"),
    ("turned against", "rotated against"),
    ("be there", "exist, be available"),
    ("is there already", "exists already"),
    ("is there from", "is available from"),
    ("are there already", "exist already"),
    ("wished", "requested"),
    ("looked for", "searched"),
];

/// Openings of documentation that do not say what a thing is.
const OPENINGS: &[&str] =
    &["What ", "Which ", "Who ", "Whoever ", "Whether ", "How ", "The same ", "And ", "So many "];

/// The widest comment, as wide as code.
const WIDTH: usize = 100;

fn is_below(file: &File, list: &[&str]) -> bool {
    list.iter().any(|start| file.path.starts_with(start))
}

fn is_of_tests(file: &File) -> bool {
    let folders = ["/tests/", "/benches/", "crates/rotule-testing/"];
    folders.iter().any(|folder| file.path.contains(folder))
}

/// No word of [`WORDS`] and [`RENAMED`] in names, comments, texts, Markdown and example models.
pub fn list(tree: &Tree, findings: &mut Findings) {
    for file in &tree.files {
        if is_below(file, MAY_NAME_THEM) {
            continue;
        }
        // Models of other formats have the keys of those.
        let is_model = file.path.starts_with("examples/") && file.path.ends_with(".toml");
        if file.path.ends_with(".md") || is_model {
            for (number, line) in file.lines() {
                report(findings, file, number, line, WORDS);
                report(findings, file, number, line, IN_TEXTS);
                report(findings, file, number, line, RENAMED);
            }
        } else if file.path.ends_with(".rs") {
            for (index, line) in source::lines(&file.text).iter().enumerate() {
                report(findings, file, index + 1, &line.texts, WORDS);
                if !is_of_tests(file) {
                    report(findings, file, index + 1, &line.texts, IN_TEXTS);
                }
                report(findings, file, index + 1, &line.comment, WORDS);
                report(findings, file, index + 1, &line.comment, IN_COMMENTS);
                report(findings, file, index + 1, &line.code, WORDS);
                for text in [&line.comment, &line.code, &line.texts] {
                    report(findings, file, index + 1, text, RENAMED);
                }
            }
        }
    }
}

fn report(findings: &mut Findings, file: &File, number: usize, text: &str, words: &[(&str, &str)]) {
    if text.is_empty() {
        return;
    }
    let lower = text.to_lowercase();
    for (word, instead) in words {
        if contains(&lower, word) {
            findings.error(&file.path, number, format!("`{word}`: write {instead}"));
        }
    }
}

/// Returns `true` if a text has a word, alone or, where the word ends with `*`, with any ending.
fn contains(text: &str, word: &str) -> bool {
    let (stem, any_ending) = match word.strip_suffix('*') {
        Some(stem) => (stem, true),
        None => (word, false),
    };
    text.match_indices(stem).any(|(at, found)| {
        let ends_alone = !text[at + found.len()..].starts_with(is_name);
        !text[..at].ends_with(is_name) && (any_ending || ends_alone)
    })
}

/// Documentation opens with what a thing is or does.
pub fn openings(tree: &Tree, findings: &mut Findings) {
    for file in tree.ending(".rs") {
        let mut before = "";
        for (number, line) in file.lines() {
            let line = line.trim_start();
            let mark = ["///", "//!"].into_iter().find(|mark| line.starts_with(mark));
            let first = mark.is_some_and(|mark| !before.starts_with(mark));
            before = line;
            let Some(text) = mark.filter(|_| first).map(|mark| line[mark.len()..].trim_start())
            else {
                continue;
            };
            if let Some(opening) = OPENINGS.iter().find(|opening| text.starts_with(**opening)) {
                let message = format!("`{}...`: say first what the thing is", opening.trim_end());
                findings.error(&file.path, number, message);
            }
        }
    }
}

/// Comments are not wider than code. A link, a table, an aligned formula or an example cannot be
/// broken.
pub fn width(tree: &Tree, findings: &mut Findings) {
    for file in tree.ending(".rs") {
        let mut in_example = false;
        for (number, line) in file.lines() {
            let text = line.trim_start();
            in_example ^= text.trim_start_matches(['/', '!']).trim_start().starts_with("```");
            in_example &= text.starts_with("//");
            let fixed = ["://", "](", "|", "  ", "-->", "\\n"];
            let breakable = !in_example && !fixed.iter().any(|mark| text.contains(mark));
            if text.starts_with("//") && breakable && line.chars().count() > WIDTH {
                let message = format!("a comment of more than {WIDTH} characters: break the line");
                findings.error(&file.path, number, message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::contains;

    #[test]
    fn words_are_whole_or_have_any_ending() {
        let check = |text: &str, word: &str, expected: bool| {
            assert_eq!(contains(text, word), expected, "{text}, {word}");
        };
        check("a dear one", "dear", true);
        check("an endearing one", "dear", false);
        check("dear_one", "dear", false);
        check("two culprits", "culprit*", true);
        check("in vain.", "in vain", true);
    }

    #[test]
    fn words_that_may_not_come_back_are_found() {
        let check = |path: &str, text: &str, expected: usize| {
            assert_eq!(broken("words", &[(path, text)]).len(), expected, "{path}: {text}");
        };
        check("new/a.md", "It is DEAR.\n", 1);
        check("new/a.rs", "//! A shelf.\nlet wish = \"in vain\";\n", 3);
        check("new/a.rs", "//! A program cache.\n", 0);
        check("new/a.rs", "//! Legs that are alike.\nlet wanted = piece;\n", 3);
        check("new/a.rs", "// It turned out so.\nlet turned = \"turned\";\n", 1);
        check("new/a.rs", "// A frame is turned, and must be there.\nlet turned = 1;\n", 3);
        check("examples/a.toml", "about = \"the angle that is wished\"\n", 1);
        check("xtask/src/tidy/words.rs", "// shelf\n", 0);
        check("crates/rotule-model/src/a.rs", "// A shelf.\nlet wish = \"in vain\";\n", 3);
    }

    #[test]
    fn documentation_opens_with_what_a_thing_is() {
        let check = |text: &str, expected: usize| {
            for path in ["new/a.rs", "crates/rotule-formalism/src/a.rs"] {
                assert_eq!(broken("openings", &[(path, text)]).len(), expected, "{path}: {text}");
            }
        };
        check("/// What it does.\n", 1);
        check("/// A thing.\n/// What it does.\n", 0);
        check("//! How it works.\n\n/// Whether it works.\n", 2);
    }

    #[test]
    fn wide_comments_are_found() {
        let check = |text: String, expected: usize| {
            assert_eq!(broken("width", &[("new/a.rs", &text)]).len(), expected, "{text}");
        };
        check(format!("// {}\n", "a ".repeat(60)), 1);
        check(format!("// {}\n", "a ".repeat(40)), 0);
        check(format!("// | {}\n", "a ".repeat(60)), 0);
    }
}
