//! Rules about all text files.

use super::tree::File;
use super::{Findings, Tree};

/// Files whose exact bytes matter: they are data, not text.
const DATA: &[&str] = &["fuzz/corpus/"];

/// Where the folders of one machine begin. In parts, because this file is checked too.
const MACHINE_PATHS: &[&str] = &[
    concat!("/", "work/"),
    concat!("/", "tmp/"),
    concat!("/", "root/"),
    concat!("/", "home/"),
    concat!("/", "Users/"),
    concat!("C:", "\\"),
];

fn text_files(tree: &Tree) -> impl Iterator<Item = &File> {
    let data = |file: &&File| DATA.iter().any(|folder| file.path.starts_with(folder));
    tree.files.iter().filter(move |file| !data(file) && !file.text.contains('\0'))
}

/// No trailing blanks, no carriage returns, no tabs in Rust, one newline at the end.
pub fn whitespace(tree: &Tree, findings: &mut Findings) {
    for file in text_files(tree) {
        // `lines` would hide a carriage return.
        for (index, line) in file.text.split('\n').enumerate() {
            if line.ends_with([' ', '\t', '\r']) {
                findings.error(&file.path, index + 1, "trailing white space");
            }
            if line.contains('\t') && file.path.ends_with(".rs") {
                findings.error(&file.path, index + 1, "a tab: indent with spaces");
            }
        }
        if !file.text.is_empty() && !file.text.ends_with('\n') {
            findings.error(
                &file.path,
                file.text.lines().count(),
                "no newline at the end of the file",
            );
        }
        if file.text.ends_with("\n\n") {
            findings.error(&file.path, file.text.lines().count(), "an empty line ends the file");
        }
    }
}

/// No absolute path of one machine.
pub fn machine_paths(tree: &Tree, findings: &mut Findings) {
    for file in text_files(tree) {
        for (number, line) in file.lines() {
            if let Some(start) = MACHINE_PATHS.iter().find(|start| begins_with(line, start)) {
                let message =
                    format!("a path of one machine (`{start}`): write it relative to the root");
                findings.error(&file.path, number, message);
            }
        }
    }
}

/// Returns `true` if a path in the line begins so; `docs/home/x` does not begin with the folder of
/// a user.
fn begins_with(line: &str, start: &str) -> bool {
    let inside_path = |c: char| c.is_alphanumeric() || "._-~*$}/".contains(c);
    line.match_indices(start).any(|(at, _)| !line[..at].ends_with(inside_path))
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::*;

    #[test]
    fn stray_white_space_is_found() {
        let check = |path: &str, text: &str, expected: usize| {
            assert_eq!(broken("whitespace", &[(path, text)]).len(), expected, "{path}: {text:?}");
        };
        check("a.md", "fine\n", 0);
        check("empty", "", 0);
        check("a.md", "trailing \n", 1);
        check("a.md", "carriage\r\n", 1);
        check("a.md", "unfinished", 1);
        check("a.md", "one too many\n\n", 1);
        check("a.rs", "a\tb\n", 1);
        check("Makefile", "\tindented\n", 0);
        check("fuzz/corpus/program/broken", "bytes matter \t", 0);
    }

    #[test]
    fn machine_paths_are_found() {
        for start in MACHINE_PATHS {
            let text = format!("first\nsee `{start}x`\n");
            let found = broken("machine paths", &[("a.md", &text)]);
            assert_eq!(found.len(), 1, "{start}");
            assert!(found[0].contains("a.md:2"), "{found:?}");
        }
        let relative = format!("see docs{}x\n", MACHINE_PATHS[0]);
        assert_eq!(broken("machine paths", &[("a.md", &relative)]).len(), 0);
    }
}
