//! The direction of dependencies between the project's crates, checked against the table in
//! ARCHITECTURE.md: a fenced block of kind `dependencies` with one line per crate,
//! `rotule-program: rotule-symbolic`.
//!
//! The table says exactly what each crate builds on. Tests may use more, but only what the crate
//! already builds on indirectly: otherwise a test would look against the flow. The exception is the
//! crate of shared test code, which tests of every crate may use and which nothing but tests may
//! use.

use std::collections::{BTreeMap, BTreeSet};

use super::architecture::PATH;
use super::tree::File;
use super::{Findings, Tree, markdown};

/// The crate of shared test code: a dev-dependency of any crate, a dependency of none.
pub const TESTING: &str = "rotule-testing";

/// A crate of the project, as far as the rules need it.
pub struct Manifest<'a> {
    file: &'a File,
    name: String,
    /// The folder, from the root.
    pub folder: String,
    /// Keys of the dependency sections: the line, the name, whether only tests see it.
    dependencies: Vec<(usize, String, bool)>,
}

/// Every crate in the tree.
pub fn manifests(tree: &Tree) -> impl Iterator<Item = Manifest<'_>> {
    tree.ending("/Cargo.toml").filter_map(manifest)
}

/// Reads a manifest line by line: section headers and keys are all that is needed, and both stand
/// at the beginning of a line in every manifest that cargo's own tools write.
fn manifest(file: &File) -> Option<Manifest<'_>> {
    let folder = file.path.strip_suffix("/Cargo.toml")?.to_string();
    let mut manifest = Manifest { file, name: String::new(), folder, dependencies: Vec::new() };
    let mut section = "";
    for (number, line) in file.lines() {
        let line = line.trim();
        if let Some(header) = line.strip_prefix('[') {
            section = header.trim_end_matches(']').trim();
            // `[dependencies.name]` is the long form of a key.
            if let Some((kind, name)) = section.rsplit_once('.')
                && is_dependencies(kind)
            {
                let name = name.trim_matches('"').to_string();
                manifest.dependencies.push((number, name, kind.ends_with("dev-dependencies")));
            }
        } else if let Some((key, value)) = line.split_once('=') {
            if section == "package" && key.trim() == "name" {
                manifest.name = value.trim().trim_matches('"').to_string();
            } else if is_dependencies(section) {
                // `name.workspace = true` and `"name" = ...` are both in use.
                let name =
                    key.split('.').next().unwrap_or(key).trim().trim_matches('"').to_string();
                manifest.dependencies.push((number, name, section.ends_with("dev-dependencies")));
            }
        }
    }
    (!manifest.name.is_empty()).then_some(manifest)
}

fn is_dependencies(section: &str) -> bool {
    // `workspace.dependencies` lists versions; it makes nobody depend on anything.
    let last = section.rsplit('.').next().unwrap_or(section);
    let kind = matches!(last, "dependencies" | "dev-dependencies" | "build-dependencies");
    kind && !section.starts_with("workspace")
}

/// The table: each crate's line and what it builds on.
type Table<'a> = BTreeMap<&'a str, (usize, BTreeSet<&'a str>)>;

/// The crates depend on each other exactly as the table says.
pub fn direction(tree: &Tree, findings: &mut Findings) {
    let Some(architecture) = tree.file(PATH) else { return };
    let manifests: Vec<_> = manifests(tree).collect();
    let own: BTreeSet<_> = manifests.iter().map(|manifest| manifest.name.as_str()).collect();
    let table = table(architecture, findings);

    for (name, (line, allowed)) in &table {
        for stranger in allowed.iter().chain([name]).filter(|name| !own.contains(*name)) {
            findings.error(PATH, *line, format!("the table names `{stranger}`, which is no crate"));
        }
        if allowed.contains(TESTING) {
            let message = format!("`{name}` must not build on `{TESTING}`, which is for tests");
            findings.error(PATH, *line, message);
        }
    }
    for manifest in &manifests {
        let Some((line, allowed)) = table.get(manifest.name.as_str()) else {
            let message = format!("the dependency table has no line for `{}`", manifest.name);
            findings.error(PATH, 0, message);
            continue;
        };
        let indirect = reachable(&table, &manifest.name);
        let mut used = BTreeSet::new();
        for (number, name, test_only) in &manifest.dependencies {
            let name = name.as_str();
            let permitted = match *test_only {
                true => name == TESTING || indirect.contains(name),
                false => allowed.contains(name),
            };
            if own.contains(name) && name != manifest.name && !permitted {
                let message = format!(
                    "`{}` must not depend on `{name}`: the table in {PATH} does not allow it",
                    manifest.name
                );
                findings.error(&manifest.file.path, *number, message);
            }
            if !test_only {
                used.insert(name);
            }
        }
        for unused in allowed.difference(&used) {
            let message = format!("`{}` does not depend on `{unused}` any more", manifest.name);
            findings.error(PATH, *line, message);
        }
    }
}

/// Reads the table.
fn table<'a>(file: &'a File, findings: &mut Findings) -> Table<'a> {
    let (_, blocks) = markdown::parts(file);
    let mut table = Table::new();
    for block in blocks.iter().filter(|block| block.kind == "dependencies") {
        for (number, line) in &block.lines {
            match line.split_once(':') {
                Some((name, rest)) => {
                    let names = rest.split([',', ' ']).filter(|name| !name.is_empty()).collect();
                    table.insert(name.trim(), (*number, names));
                }
                None => findings.error(PATH, *number, "expected `crate: crates it builds on`"),
            }
        }
    }
    table
}

/// Everything a crate builds on, directly or not.
fn reachable<'a>(table: &Table<'a>, name: &str) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open: Vec<&str> = vec![name];
    while let Some(name) = open.pop() {
        for next in table.get(name).into_iter().flat_map(|(_, names)| names) {
            if seen.insert(*next) {
                open.push(next);
            }
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;
    use super::PATH;

    const TABLE: &str = "```dependencies\na:\nb: a\nc: b\n```\n";

    /// The findings when crate `b` has this manifest beside two good neighbours.
    fn check(table: &str, sections: &str, expected: &[&str]) {
        let b = format!("[package]\nname = \"b\"\n{sections}");
        let found = broken(
            "dependencies",
            &[
                (PATH, table),
                ("Cargo.toml", "[workspace.dependencies]\na = { path = \"crates/a\" }\n"),
                ("crates/a/Cargo.toml", "[package]\nname = \"a\"\n[dependencies]\nserde = \"1\"\n"),
                ("crates/b/Cargo.toml", &b),
                (
                    "crates/c/Cargo.toml",
                    "[package]\nname = \"c\"\n[dependencies.b]\npath = \"../b\"\n",
                ),
            ],
        );
        assert_eq!(found.len(), expected.len(), "{sections}: {found:#?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{found}");
        }
    }

    #[test]
    fn crates_that_follow_the_table_pass() {
        for sections in [
            "[dependencies]\na.workspace = true\n",
            "[dependencies]\n\"a\" = { path = \"../a\" }\n",
            "[dependencies]\na = \"1\"\n[dev-dependencies]\na = \"1\"\nproptest = \"1\"\n",
            "[dependencies.a]\npath = \"../a\"\n",
            "[target.'cfg(unix)'.dependencies]\na = \"1\"\n",
        ] {
            check(TABLE, sections, &[]);
        }
    }

    #[test]
    fn a_dependency_against_the_flow_is_found() {
        let both = "[dependencies]\na = \"1\"\nc = \"1\"\n";
        check(TABLE, both, &["crates/b/Cargo.toml:5: `b` must not depend on `c`"]);
        let tests = "[dependencies]\na = \"1\"\n[dev-dependencies]\nc = \"1\"\n";
        check(TABLE, tests, &["`b` must not depend on `c`"]);
        let build = "[dependencies]\na = \"1\"\n[build-dependencies]\nc = \"1\"\n";
        check(TABLE, build, &["`b` must not depend on `c`"]);
        let long = "[dependencies]\na = \"1\"\n[dependencies.c]\npath = \"../c\"\n";
        check(TABLE, long, &["`b` must not depend on `c`"]);
    }

    #[test]
    fn test_code_is_for_tests_of_any_crate_and_for_nothing_else() {
        let check = |table: &str, section: &str, expected: &[&str]| {
            let a = format!("[package]\nname = \"a\"\n[{section}]\nrotule-testing = \"1\"\n");
            let testing = "[package]\nname = \"rotule-testing\"\n[dependencies]\na = \"1\"\n";
            let table = format!("```dependencies\n{table}\nrotule-testing: a\n```\n");
            let found = broken(
                "dependencies",
                &[(PATH, &table), ("crates/a/Cargo.toml", &a), ("crates/t/Cargo.toml", testing)],
            );
            assert_eq!(found.len(), expected.len(), "{section}: {found:#?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(found.contains(expected), "{found}");
            }
        };
        check("a:", "dev-dependencies", &[]);
        check("a:", "dependencies", &["`a` must not depend on `rotule-testing`"]);
        check("a: rotule-testing", "dependencies", &["`a` must not build on `rotule-testing`"]);
    }

    #[test]
    fn a_table_that_has_rotted_is_found() {
        check(TABLE, "", &["`b` does not depend on `a` any more"]);
        let good = "[dependencies]\na = \"1\"\n";
        check("```dependencies\na:\nb: a\n```\n", good, &["no line for `c`"]);
        check("```dependencies\na:\nb: a\nc: b\nd: a\n```\n", good, &["`d`, which is no crate"]);
        check("```dependencies\na:\nb: a\nc: b\nwhat\n```\n", good, &["expected `crate:"]);
    }
}
