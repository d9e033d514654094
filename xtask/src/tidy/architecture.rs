//! Rules that keep ARCHITECTURE.md and CONTRIBUTING.md true.

use super::tree::File;
use super::{Findings, Tree, dependencies, markdown};

/// The file these rules are about.
pub const PATH: &str = "ARCHITECTURE.md";

/// The text with the recipes, which name files, too.
const RECIPES: &str = "CONTRIBUTING.md";

/// Every path that the texts name in backticks exists.
pub fn paths(tree: &Tree, findings: &mut Findings) {
    for path in [PATH, RECIPES] {
        match tree.file(path) {
            Some(file) => paths_of(file, tree, findings),
            None => findings.error(path, 0, "the file is missing"),
        }
    }
}

fn paths_of(file: &File, tree: &Tree, findings: &mut Findings) {
    for (number, span) in markdown::code_spans(file) {
        // A bare file name may lie in any folder; a path is read from the root.
        let exists = if span.contains('/') { tree.has(span) } else { tree.has_name(span) };
        if looks_like_path(span) && !exists {
            let message = format!("`{span}` does not exist (no backticks if it is not a path)");
            findings.error(&file.path, number, message);
        }
    }
}

fn looks_like_path(span: &str) -> bool {
    let shaped =
        span.contains('/') || [".rs", ".md", ".toml"].iter().any(|end| span.ends_with(end));
    // `NAME` stands for the reader's own word; `//!` is no path.
    let other = span.contains([' ', '*', '<', '{', '(']) || span.contains("NAME");
    shaped && !other && !span.contains("//")
}

/// Every folder with a crate is named.
pub fn crates(tree: &Tree, findings: &mut Findings) {
    let Some(file) = tree.file(PATH) else { return };
    let named: Vec<_> =
        markdown::code_spans(file).map(|(_, span)| span.trim_end_matches('/')).collect();
    for manifest in dependencies::manifests(tree) {
        if !named.contains(&manifest.folder.as_str()) {
            let message =
                format!("the crate folder `{}` is not named in the code map", manifest.folder);
            findings.error(PATH, 0, message);
        }
    }
}

/// Lines that the section of a crate may have.
const SECTION: usize = 45;

/// Every section about a crate is short.
pub fn sections(tree: &Tree, findings: &mut Findings) {
    let Some(file) = tree.file(PATH) else { return };
    let lines: Vec<&str> = file.text.lines().collect();
    let begins = |line: &&str| line.starts_with("## ") || line.starts_with("### ");
    let mut starts: Vec<usize> = (0..lines.len()).filter(|&at| begins(&lines[at])).collect();
    starts.push(lines.len());
    for section in starts.windows(2) {
        let own = &lines[section[0]..section[1]];
        let heading = own[0];
        let length = own.iter().rposition(|line| !line.is_empty()).map_or(0, |last| last + 1);
        if heading.starts_with("### ") && length > SECTION {
            let message = format!("the section has {length} lines; at most {SECTION} are read");
            findings.error(PATH, section[0] + 1, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::{PATH, RECIPES, SECTION};

    #[test]
    fn paths_that_do_not_exist_are_found() {
        let check = |span: &str, expected: usize| {
            let text = format!("The file `{span}` and the type `Graph`.\n```\n`gone.rs`\n```\n");
            for (path, other) in [(PATH, RECIPES), (RECIPES, PATH)] {
                let files = [(path, text.as_str()), (other, ""), ("crates/rotule/src/lib.rs", "")];
                assert_eq!(broken("paths", &files).len(), expected, "{path}: {span}");
            }
        };
        check("crates/rotule", 0);
        check("crates/rotule/", 0);
        check("crates/rotule/src/lib.rs", 0);
        check("lib.rs", 0);
        check("a / b", 0);
        check("import-NAME.md", 0);
        check("//!", 0);
        check("https://example.org/x", 0);
        check("crates/rot", 1);
        check("crates/gone", 1);
        check("gone.rs", 1);
        check("src/lib.rs", 1);
    }

    #[test]
    fn a_missing_text_is_found() {
        assert_eq!(broken("paths", &[("a.md", "")]).len(), 2);
        assert_eq!(broken("paths", &[(PATH, "")]).len(), 1);
    }

    #[test]
    fn a_long_section_is_found() {
        for (lines, expected) in [(SECTION - 1, 0), (SECTION, 1)] {
            let text = format!("## Map\n\n### `xtask`\n{}## More\n", "word\n".repeat(lines));
            assert_eq!(broken("sections", &[(PATH, &text)]).len(), expected, "{lines}");
        }
    }

    #[test]
    fn a_crate_that_is_not_named_is_found() {
        let check = |text: &str, expected: usize| {
            let manifest = "[package]\nname = \"rotule\"\n";
            let files = [(PATH, text), ("crates/rotule/Cargo.toml", manifest)];
            assert_eq!(broken("crates", &files).len(), expected, "{text}");
        };
        check("### `crates/rotule`\n", 0);
        check("See `crates/rotule/`.\n", 0);
        check("See `crates/rotule-program`, and crates/rotule.\n", 1);
    }
}
