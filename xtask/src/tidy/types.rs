//! The rule that a public type name means one thing in the whole workspace.
//!
//! A type is public if its crate shows it: its module is public up to the root, or a public module
//! passes it on by `pub use`. A model file as it is written and as it is resolved are two forms of
//! one thing: [`FORMS`].

use std::collections::{BTreeMap, BTreeSet};

use super::source;
use super::tree::File;
use super::{Findings, Tree};

/// Crates that nobody but tests and tasks depends on.
const NOT_PUBLIC: &[&str] = &["crates/rotule-testing/", "crates/rotule-cli/"];

/// Modules that hold the same things in two forms under the same names: as a file says it, and
/// resolved.
const FORMS: &[&str] =
    &["crates/rotule-model/src/draft.rs", "crates/rotule-model/src/mechanism.rs"];

/// A public type: where it is declared.
struct Place<'a> {
    path: &'a str,
    line: usize,
}

/// Every public type name is declared once.
pub fn one_meaning(tree: &Tree, findings: &mut Findings) {
    let mut types: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for root in tree.ending("/src/lib.rs").filter(|file| file.path.starts_with("crates/")) {
        if NOT_PUBLIC.iter().any(|start| root.path.starts_with(start)) {
            continue;
        }
        let mut crate_types = Vec::new();
        let mut exported = BTreeSet::new();
        visit(tree, root, true, &mut crate_types, &mut exported);
        for (name, place, is_public) in crate_types {
            if is_public || exported.contains(&name) {
                types.entry(name).or_default().push(place);
            }
        }
    }
    for (name, places) in types {
        let mut meanings: Vec<&Place> = Vec::new();
        for place in &places {
            let is_form = |place: &&Place| FORMS.contains(&place.path);
            if !(is_form(&place) && meanings.iter().any(is_form)) {
                meanings.push(place);
            }
        }
        if let [first, second, ..] = meanings[..] {
            let message = format!("`{name}` is also a type of {}: one name, one thing", first.path);
            findings.error(second.path, second.line, message);
        }
    }
}

/// Collects the types of a module and of those below it.
fn visit<'a>(
    tree: &'a Tree,
    file: &'a File,
    is_public: bool,
    types: &mut Vec<(String, Place<'a>, bool)>,
    exported: &mut BTreeSet<String>,
) {
    let lines = source::lines(&file.text);
    let mut re_export = String::new();
    for (index, line) in lines.iter().enumerate() {
        let code = line.code.as_str();
        // Only what begins a line is an item of the module itself.
        if code.starts_with("pub use ") || !re_export.is_empty() {
            re_export.push_str(code);
            if code.contains(';') {
                if is_public {
                    exported.extend(exports(&re_export));
                }
                re_export.clear();
            }
            continue;
        }
        let item = code.strip_prefix("pub ").unwrap_or(code);
        let module = item.strip_prefix("mod ").and_then(|rest| rest.strip_suffix(';'));
        if let Some(below) = module.and_then(|module| module_file(tree, &file.path, module)) {
            visit(tree, below, is_public && code.starts_with("pub "), types, exported);
        }
        if let Some(name) = declared(code) {
            let place = Place { path: &file.path, line: index + 1 };
            types.push((name.to_owned(), place, is_public));
        }
    }
}

/// The type that a line declares for all.
fn declared(code: &str) -> Option<&str> {
    let item = code.strip_prefix("pub ")?;
    let kinds = ["struct ", "enum ", "trait ", "type "];
    let rest = kinds.iter().find_map(|kind| item.strip_prefix(kind))?;
    let end = rest.find(|c| !source::is_name(c)).unwrap_or(rest.len());
    Some(&rest[..end])
}

/// The names that a `pub use` passes on: those behind `as`, and those without.
fn exports(code: &str) -> Vec<String> {
    let words: Vec<&str> = code.split(|c| !source::is_name(c)).filter(|w| !w.is_empty()).collect();
    let is_type = |word: &str| word.starts_with(char::is_uppercase);
    let renamed = |at: usize| words.get(at + 1) == Some(&"as");
    let kept = (0..words.len()).filter(|&at| is_type(words[at]) && !renamed(at));
    kept.map(|at| words[at].to_owned()).collect()
}

/// The file of a module that a file declares.
fn module_file<'a>(tree: &'a Tree, path: &str, module: &str) -> Option<&'a File> {
    let (folder, name) = path.rsplit_once('/')?;
    let base = match name {
        "lib.rs" | "mod.rs" => folder.to_owned(),
        _ => format!("{folder}/{}", name.strip_suffix(".rs")?),
    };
    let candidates = [format!("{base}/{module}.rs"), format!("{base}/{module}/mod.rs")];
    tree.files.iter().find(|file| candidates.contains(&file.path))
}

#[cfg(test)]
mod tests {
    use super::super::tests::broken;

    #[test]
    fn a_name_with_two_meanings_is_found() {
        let check = |files: &[(&str, &str)], expected: usize| {
            let found = broken("type names", files);
            assert_eq!(found.len(), expected, "{found:?}");
        };
        let one = ("crates/a/src/lib.rs", "pub struct Thing;\n");
        check(&[one, ("crates/b/src/lib.rs", "pub enum Thing {}\n")], 1);
        check(&[one, ("crates/b/src/lib.rs", "struct Thing;\n")], 0);
        check(&[one, ("crates/b/src/lib.rs", "pub use a::Thing;\n")], 0);
        // A private module shows nothing unless it is passed on.
        let inner = ("crates/b/src/inner.rs", "pub struct Thing;\n");
        check(&[one, ("crates/b/src/lib.rs", "mod inner;\n"), inner], 0);
        check(&[one, ("crates/b/src/lib.rs", "pub mod inner;\n"), inner], 1);
        check(&[one, ("crates/b/src/lib.rs", "mod inner;\npub use inner::Thing;\n"), inner], 1);
        check(
            &[
                one,
                ("crates/b/src/lib.rs", "mod inner;\npub use inner::{Thing as Other};\n"),
                inner,
            ],
            0,
        );
        let draft = ("crates/rotule-model/src/draft.rs", "pub struct Body;\n");
        let resolved = ("crates/rotule-model/src/mechanism.rs", "pub struct Body;\n");
        check(
            &[
                ("crates/rotule-model/src/lib.rs", "pub mod draft;\npub mod mechanism;\n"),
                draft,
                resolved,
            ],
            0,
        );
    }
}
