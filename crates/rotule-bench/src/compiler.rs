//! The compilers of this machine.

use std::process::{Command, Stdio};

/// Options of all code that is timed, ours and others' alike.
pub const FLAGS: [&str; 2] = ["-O3", "-march=native"];

/// A pair of compilers that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    /// `gcc` or `clang`.
    pub name: &'static str,
    /// The C compiler.
    pub c: &'static str,
    /// The C++ compiler, if it exists.
    pub cpp: Option<&'static str>,
    /// The first line that the C compiler says of itself.
    pub version: String,
}

/// Compilers that are found.
const KNOWN: [(&str, &str, &str); 2] = [("gcc", "gcc", "g++"), ("clang", "clang", "clang++")];

/// The compilers that answer, among those that are requested: `gcc`, `clang` or `both`.
pub fn find(requested: &str) -> Result<Vec<Compiler>, String> {
    let chosen = KNOWN.iter().filter(|(name, ..)| requested == "both" || requested == *name);
    let mut found = Vec::new();
    for &(name, c, cpp) in chosen {
        if let Some(version) = version(c) {
            found.push(Compiler { name, c, cpp: version_of(cpp), version });
        }
    }
    if found.is_empty() {
        let requested = if requested == "both" { "gcc nor clang" } else { requested };
        return Err(format!("there is no C compiler here, neither {requested}"));
    }
    Ok(found)
}

fn version_of(cpp: &'static str) -> Option<&'static str> {
    version(cpp).map(|_| cpp)
}

/// The first line that a program says of its version.
pub fn version(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.lines().next().unwrap_or_default().trim().to_owned())
}
