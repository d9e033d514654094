//! Rules about Rust source files.

use super::{Findings, Tree, dependencies};

/// A file longer than this deserves a second look.
const LONG: usize = 800;

/// A file longer than this must be split.
const TOO_LONG: usize = 1500;

/// Words that must not appear in a source file, and what to do instead. The words are put together
/// from parts, because this file is checked too.
const UNFINISHED: &[(&str, &str)] = &[
    (concat!("to", "do!"), "write the code, or return an error that says what is not supported"),
    (concat!("un", "implemented!"), "write the code, or return an error that says what is missing"),
    (concat!("db", "g!"), "remove the debugging output"),
    (concat!("#[ig", "nore"), "mend the test, or remove it"),
];

/// Every source file opens with its purpose.
pub fn opening(tree: &Tree, findings: &mut Findings) {
    for file in tree.ending(".rs") {
        if !file.text.starts_with("//! ") {
            findings.error(&file.path, 1, "open the file with `//!`: what it is and why it exists");
        }
    }
}

/// No placeholder, no leftover, no disabled test, neither in code nor in the documentation's
/// examples.
pub fn unfinished(tree: &Tree, findings: &mut Findings) {
    for file in tree.ending(".rs") {
        for (number, line) in file.lines() {
            for (word, remedy) in UNFINISHED {
                if stands_alone(line, word) {
                    findings.error(&file.path, number, format!("`{word}`: {remedy}"));
                }
            }
            let comment = line.trim_start().trim_start_matches(['/', '!']).trim_start();
            if comment.strip_prefix("```").is_some_and(|info| info.contains(concat!("ig", "nore")))
            {
                findings.error(
                    &file.path,
                    number,
                    "a disabled example: mend it, or mark it `text`",
                );
            }
        }
    }
}

/// Returns `true` if the word is in the line, and not as the end of a longer name.
fn stands_alone(line: &str, word: &str) -> bool {
    let part_of_name = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    line.match_indices(word).any(|(at, _)| !part_of_name(&line[..at]))
}

/// No file that is too long.
pub fn length(tree: &Tree, findings: &mut Findings) {
    for file in tree.ending(".rs") {
        let lines = file.text.lines().count();
        if lines > TOO_LONG {
            let message = format!("{lines} lines: split the file (the limit is {TOO_LONG})");
            findings.error(&file.path, 0, message);
        } else if lines > LONG {
            findings.warning(&file.path, 0, format!("{lines} lines: could the file be split?"));
        }
    }
}

/// The line in the root of a library or program, so that `clippy.toml` holds outside of tests.
const SAME_BITS: &str = "#![cfg_attr(not(test), warn(clippy::disallowed_methods))]";

/// No crate uses the host's mathematical library unseen.
pub fn same_bits(tree: &Tree, findings: &mut Findings) {
    for file in tree.ending(".rs").filter(|file| is_root(&file.path)) {
        if !file.text.lines().any(|line| line == SAME_BITS) {
            findings.error(&file.path, 1, format!("add `{SAME_BITS}` below the opening"));
        }
    }
}

/// Returns `true` if a file is the root of what users run: a library or a program, but no test, no
/// example and no code of tests.
fn is_root(path: &str) -> bool {
    let Some((name, inside)) = path.strip_prefix("crates/").and_then(|path| path.split_once('/'))
    else {
        return false;
    };
    if name == dependencies::TESTING {
        return false;
    }
    matches!(inside, "src/lib.rs" | "src/main.rs") || inside.starts_with("src/bin/")
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn a_file_without_an_opening_is_found() {
        assert_eq!(broken("opening", &[("a.rs", "//! What and why.\n")]).len(), 0);
        assert_eq!(broken("opening", &[("a.rs", "// A comment.\n")]).len(), 1);
        assert_eq!(broken("opening", &[("a.rs", "")]).len(), 1);
        assert_eq!(broken("opening", &[("a.md", "Not Rust\n")]).len(), 0);
    }

    #[test]
    fn every_unfinished_word_is_found() {
        for (word, _) in UNFINISHED {
            let found = broken("unfinished", &[("a.rs", &format!("//! A.\n    {word}();\n"))]);
            assert_eq!(found.len(), 1, "{word}");
            assert!(found[0].contains("a.rs:2"), "{found:?}");
        }
        let longer = concat!("//! A.\nmy_to", "do!();\n");
        assert_eq!(broken("unfinished", &[("a.rs", longer)]).len(), 0);
        assert_eq!(broken("unfinished", &[("a.md", concat!("no to", "do!\n"))]).len(), 0);
    }

    #[test]
    fn a_disabled_example_is_found() {
        let source = concat!("//! A.\n/// ```ig", "nore\n/// x\n/// ```\n");
        assert_eq!(broken("unfinished", &[("a.rs", source)]).len(), 1);
    }

    #[test]
    fn long_files_are_found() {
        let check = |lines: usize, expected: &str| {
            let found = broken("length", &[("a.rs", &"//\n".repeat(lines))]);
            assert_eq!(found.first().map_or("", |text| &text[..5]), expected);
        };
        check(LONG, "");
        check(LONG + 1, "warni");
        check(TOO_LONG + 1, "error");
    }

    #[test]
    fn a_crate_that_may_use_the_hosts_mathematics_is_found() {
        let root = |path, text: &str| broken("same bits", &[(path, text)]).len();
        let sound = format!("//! What and why.\n\n{SAME_BITS}\n");
        assert_eq!(root("crates/one/src/lib.rs", &sound), 0);
        assert_eq!(root("crates/one/src/lib.rs", "//! What and why.\n"), 1);
        assert_eq!(root("crates/one/src/main.rs", "//! What and why.\n"), 1);
        assert_eq!(root("crates/one/src/bin/two.rs", "//! What and why.\n"), 1);
        assert_eq!(root("crates/one/src/part.rs", "//! What and why.\n"), 0);
        assert_eq!(root("crates/one/tests/lib.rs", "//! What and why.\n"), 0);
    }
}
