//! Running the real program, for all tests of the command line.
#![allow(dead_code, reason = "each test file uses a part")]

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// The result of a run of the program.
#[derive(Debug, PartialEq, Eq)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Run {
        let text = |bytes| String::from_utf8(bytes).expect("the program writes UTF-8");
        Run { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}

pub fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_rotule"));
    // From the root of the project, whose files the README names.
    command.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).args(words);
    command
}

pub fn run(words: &[&str]) -> Run {
    command(words).stdin(Stdio::null()).output().expect("the program starts").into()
}

/// The names of all commands, as `rotule --help` lists them.
pub fn commands() -> Vec<String> {
    let help = run(&["--help"]).out;
    let (_, list) = help.split_once("Commands:\n").expect("a list of commands");
    let lines = list.lines().take_while(|line| !line.is_empty());
    let names = lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned);
    names.filter(|name| name != "help").collect()
}

pub fn run_with_input(words: &[&str], input: &[u8]) -> Run {
    let mut child = command(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut pipe = child.stdin.take().expect("standard input is a pipe");
    let input = input.to_vec();
    // The program may stop reading early.
    let writer = std::thread::spawn(move || drop(pipe.write_all(&input)));
    let output = child.wait_with_output().expect("the program ends");
    writer.join().expect("the writer ends");
    output.into()
}

/// The program succeeds with this on standard output and nothing on standard error.
pub fn check(words: &[&str], out: &str) {
    assert_eq!(run(words), Run { code: Some(0), out: out.into(), err: String::new() }, "{words:?}");
}

/// The program fails with this message and nothing on standard output.
pub fn check_failure(words: &[&str], err: &str) {
    assert_eq!(run(words), Run { code: Some(1), out: String::new(), err: err.into() }, "{words:?}");
}

/// A folder of its own for a test that writes files; it disappears with it.
pub struct Folder(std::path::PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("rotule-cli-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder for temporary files");
        Folder(path)
    }

    pub fn path(&self, name: &str) -> String {
        self.0.join(name).to_string_lossy().into_owned()
    }

    /// Writes a file and gives its path.
    pub fn file(&self, name: &str, text: &str) -> String {
        let path = self.path(name);
        std::fs::write(&path, text).expect("a writable folder");
        path
    }

    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("a readable folder");
        let name = |entry: std::fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut names: Vec<String> = entries.map(|entry| name(entry.expect("an entry"))).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The lines of a help text that show a command.
pub fn examples(help: &str) -> impl Iterator<Item = &str> {
    help.lines().filter_map(|line| line.strip_prefix("  rotule "))
}
