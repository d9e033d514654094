//! The pages on `count`, `eval` and `equations` and on closed loops in the manual: every command
//! there gives exactly what is shown there. Every name is in the manual: functions, methods,
//! languages, types of joints, commands, aliases.
//!
//! `UPDATE_EXPECT=1 cargo test -p rotule-cli --test manual` writes the outputs anew; look at them
//! before they are kept.

mod common;

use common::{commands, run};
use rotule::layers::formalism::aliases::ALIASES;
use rotule::layers::formalism::function::{FUNCTIONS, aliases};
use rotule::layers::formalism::glossary::LETTERS;
use rotule::layers::model::draft::JointType;
use rotule::layers::simulate::methods::{METHODS, SECOND_ORDER};
use rotule::layers::targets;
use std::path::{Path, PathBuf};
use std::{fs, io};

fn page(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual").join(name)
}

/// The page with outputs as they are now, and the number of commands.
fn renewed(page: &str) -> (String, usize) {
    let (mut out, mut count) = (String::new(), 0);
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
        if fence == "sh" {
            let words: Vec<&str> = text.split_whitespace().skip(1).collect();
            let answer = run(&words);
            assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{text}");
            pending = Some(answer.out);
            count += 1;
        } else if let Some(output) = pending.take() {
            assert_eq!(fence, "text", "an output follows its command");
            text = output;
        }
        out.push_str(&text);
        out.push_str("```\n");
    }
    (out, count)
}

#[test]
fn the_outputs_on_the_pages_are_those_of_the_program() {
    for (name, least) in [("commands.md", 8), ("loops.md", 2), ("linear-models.md", 1)] {
        let shown = fs::read_to_string(page(name)).expect("the manual has the page");
        let (renewed, count) = renewed(&shown);
        assert!(count >= least, "{name} has {count} commands");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(page(name), renewed).expect("the page can be written");
        } else {
            assert_eq!(shown, renewed, "{name} shows other outputs than the program");
        }
    }
}

/// A function is on the page if it stands there in backticks, by itself or with its arguments.
#[test]
fn every_function_is_in_the_manual() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual/functions.md");
    let page = fs::read_to_string(path).expect("the manual has the page");
    for row in FUNCTIONS {
        let rows = page.lines().filter(|line| line.starts_with("| `"));
        let forms = [format!("| `{}`", row.name), format!("| `{}(", row.name)];
        let listed = rows.into_iter().any(|line| forms.iter().any(|form| line.starts_with(form)));
        assert!(listed, "`{}` has no row in functions.md", row.name);
    }
}

/// The rows of a page's tables.
fn rows(name: &str) -> Vec<String> {
    let text = fs::read_to_string(page(name)).expect("the manual has the page");
    text.lines().filter(|line| line.starts_with("| `")).map(str::to_owned).collect()
}

#[test]
fn every_method_and_every_type_of_joint_is_in_the_manual() {
    let first = |row: &String| row.split('|').nth(1).unwrap_or_default().to_owned();
    let listed = |page: &str, name: &str| {
        let word = format!("`{name}`");
        let found = rows(page).iter().any(|row| first(row).contains(&word));
        assert!(found, "{word} has no row in {page}");
    };
    METHODS.iter().chain(SECOND_ORDER).for_each(|entry| listed("simulation.md", entry.name));
    JointType::ALL.iter().for_each(|(_, word)| listed("model-file.md", word));
}

#[test]
fn every_language_has_its_page() {
    let pages = fs::read_to_string(page("generated-code.md")).expect("the manual has the page");
    for (name, ..) in targets() {
        let link = format!("languages/{name}.md");
        assert!(page(&link).is_file(), "`{name}` has no page docs/manual/{link}");
        assert!(pages.contains(&format!("({link})")), "generated-code.md does not link {link}");
    }
}

#[test]
fn every_command_is_in_the_manual() {
    let pages = fs::read_dir(page("")).expect("the manual");
    let read = |entry: io::Result<fs::DirEntry>| fs::read_to_string(entry.ok()?.path()).ok();
    let texts: String = pages.filter_map(read).collect();
    for name in commands() {
        assert!(texts.contains(&format!("rotule {name}")), "no page shows `rotule {name}`");
    }
}

/// Every command has its function in the documentation of the library; `man` and `completions` are
/// about the program alone.
#[test]
fn every_command_is_in_the_table_of_the_library() {
    let front = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rotule/src/lib.rs");
    let front = fs::read_to_string(front).expect("the first page of the library");
    let rows: Vec<&str> = front.lines().filter(|line| line.starts_with("//! | `")).collect();
    for name in commands().iter().filter(|name| !["man", "completions"].contains(&name.as_str())) {
        let word = format!("`{name}`");
        let listed = rows.iter().any(|row| {
            let first = row.split('|').nth(1).unwrap_or_default();
            first.split(',').any(|cell| cell.trim() == word)
        });
        assert!(listed, "`rotule {name}` has no row in crates/rotule/src/lib.rs");
    }
}

/// Every letter of recursions has its row in the chapter on notation: the word of code, the symbol
/// of documents.
#[test]
fn every_letter_is_in_the_notation() {
    let page = fs::read_to_string(page("../notation.md")).expect("the book has the page");
    for row in LETTERS {
        let start = format!("| `{}` | `{}` | ${}$ | ", row.letter, row.word, row.latex);
        assert!(page.lines().any(|line| line.starts_with(&start)), "no row {start}");
    }
}

/// Every alias is in the row of its name, on the page of functions or on that of commands.
#[test]
fn every_alias_is_in_the_manual() {
    let read = |name| fs::read_to_string(page(name)).expect("the manual has the page");
    let (functions, commands) = (read("functions.md"), read("commands.md"));
    let own = aliases().map(|(alias, name)| (&functions, alias, name));
    let others = ALIASES.iter().map(|&(_, alias, name)| (&commands, alias, name));
    for (page, alias, name) in own.chain(others) {
        let (_, list) = page.split_once("## Other names").expect("the section");
        let word = |text: &str| format!("`{text}`");
        let row = |line: &str| {
            line.contains(&format!("| {} |", word(name))) && line.contains(&word(alias))
        };
        assert!(list.lines().any(row), "`{alias}` of `{name}` is not in the manual");
    }
}
