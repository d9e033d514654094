//! A page with commands, followed as a reader does.

mod pattern;

use crate::common::Folder;
use std::env;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A fenced block of a page, with the prose before it.
struct Block {
    /// The words behind the opening fence.
    kind: Vec<String>,
    text: String,
    /// The number of the line of its fence, from 1.
    line: usize,
    /// The text between the block before and this one.
    before: String,
}

/// The fenced blocks of a page.
fn blocks(page: &str) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut before = String::new();
    let mut lines = page.lines().enumerate();
    while let Some((index, line)) = lines.next() {
        let Some(kind) = line.strip_prefix("```") else {
            before.push_str(line);
            before.push('\n');
            continue;
        };
        let inside = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```");
        let text: String = inside.map(|line| format!("{line}\n")).collect();
        let kind = kind.split_whitespace().map(str::to_owned).collect();
        blocks.push(Block { kind, text, line: index + 1, before: std::mem::take(&mut before) });
    }
    blocks
}

/// Does what a page of the book says, in an empty folder; there are at least so many blocks of
/// commands.
pub fn follow(name: &str, least: usize) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = fs::read_to_string(root.join("docs").join(name)).expect("the book has the page");
    let folder = Folder::new(&name.replace(['/', '.'], "-"));
    let examples = root.join("examples").canonicalize().expect("the project has examples");
    symlink(examples, folder.path("examples")).expect("a folder for links");

    let mut printed: Option<String> = None;
    let mut commands = 0;
    for block in blocks(&page) {
        let place = format!("docs/{name}:{}", block.line);
        let words: Vec<&str> = block.kind.iter().map(String::as_str).collect();
        let output = printed.take();
        match &words[..] {
            ["sh", rest @ ..] => {
                let answer = run(&block.text, Path::new(&folder.path("")));
                let text = String::from_utf8_lossy(&answer.stdout).into_owned();
                let succeeds = rest.is_empty();
                assert_eq!(answer.status.success(), succeeds, "{place}: {}{text}", block.text);
                commands += 1;
                printed = Some(text);
            }
            ["text"] => {
                let Some(output) = output else { continue };
                let found = pattern::matches(&block.text, &output);
                assert!(found, "{place} shows other lines than the commands print:\n{output}");
            }
            [_, file] => {
                let said = block.before.contains(&format!("`{file}`"));
                assert!(said, "{place}: the text before the block does not name `{file}`");
                folder.file(file, &block.text);
            }
            _ => {}
        }
    }
    assert!(commands >= least, "{name} has {commands} blocks of commands");
    // Pictures of the book are taken from the reports that are left behind.
    if let Some(kept) = env::var_os("ROTULE_KEEP_TUTORIALS") {
        let kept = Path::new(&kept).join(Path::new(name).file_stem().expect("a page has a name"));
        fs::create_dir_all(&kept).expect("a folder to keep files in");
        for file in folder.names().iter().filter(|file| file.ends_with(".html")) {
            fs::copy(folder.path(file), kept.join(file)).expect("a file to keep");
        }
    }
}

/// Runs commands in a shell that ends at the first failure, both streams in one.
fn run(commands: &str, folder: &Path) -> Output {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_rotule"));
    let mut path = vec![program.parent().expect("a program lies in a folder").to_path_buf()];
    path.extend(env::split_paths(&env::var_os("PATH").unwrap_or_default()));
    Command::new("sh")
        .args(["-e", "-c", &format!("exec 2>&1\n{commands}")])
        .current_dir(folder)
        .env("PATH", env::join_paths(path).expect("folders of the path"))
        .stdin(Stdio::null())
        .output()
        .expect("a shell")
}
