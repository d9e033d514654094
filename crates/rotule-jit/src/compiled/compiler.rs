//! The machine's C compiler.

use crate::selection::KernelOptions;
use std::path::Path;
use std::process::{Command, Stdio};

/// A compiler that answers.
pub struct Compiler {
    name: String,
    version: String,
}

/// Options for every kernel. None of the last three changes a number: errors of functions are not
/// looked at, and neither are traps.
const FLAGS: [&str; 7] = [
    "-O2",
    "-march=native",
    "-shared",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-math-errno",
    "-fno-trapping-math",
];

impl Compiler {
    /// The compiler that `CC` names, or else the first of `cc`, `gcc` and `clang` that there is.
    pub fn find() -> Result<Compiler, String> {
        let requested = std::env::var("CC").ok().filter(|name| !name.trim().is_empty());
        let names = match &requested {
            Some(name) => vec![name.trim()],
            None => vec!["cc", "gcc", "clang"],
        };
        let answering = names.iter().find_map(|name| {
            let output = Command::new(name).arg("--version").stdin(Stdio::null()).output().ok()?;
            let version = String::from_utf8_lossy(&output.stdout).into_owned();
            output.status.success().then(|| Compiler { name: (*name).to_owned(), version })
        });
        answering.ok_or_else(|| format!("there is no C compiler here ({})", names.join(", ")))
    }

    fn flags(options: KernelOptions) -> Vec<&'static str> {
        let mut flags = FLAGS.to_vec();
        flags.push(if options.fuse { "-ffp-contract=fast" } else { "-ffp-contract=off" });
        flags
    }

    /// All that the library depends on besides the source, as a comment.
    pub fn origin(&self, options: KernelOptions) -> String {
        let lines = [
            self.name.clone(),
            self.version.trim().to_owned(),
            Compiler::flags(options).join(" "),
            processor(),
        ];
        // Nobody's text may end the comment.
        format!("/*\n{}\n*/\n", lines.join("\n").replace("*/", "* /"))
    }

    /// Compiles a source into a library, both in a folder.
    pub fn compile(
        &self,
        folder: &Path,
        source: &str,
        library: &str,
        options: KernelOptions,
    ) -> Result<(), String> {
        let output = Command::new(&self.name)
            .current_dir(folder)
            .args(Compiler::flags(options))
            .args(["-w", "-o", library, source, "-lm"])
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("{} cannot be run: {error}", self.name))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let first = said.lines().find(|line| line.contains("error")).or(said.lines().next());
        Err(format!("{} failed ({}): {}", self.name, output.status, first.unwrap_or("no message")))
    }
}

/// The compiler's messages that fit a screen.
const MESSAGES: usize = 20;

impl Compiler {
    /// The name under which it was found.
    pub fn name(&self) -> String {
        self.name.clone()
    }

    /// Compiles a source of the user into a library, with warnings left to the user's own builds.
    pub fn compile_foreign(
        &self,
        source: &Path,
        library: &Path,
        headers: &[&Path],
    ) -> Result<(), String> {
        let mut command = Command::new(&self.name);
        command.args(["-O2", "-shared", "-fPIC", "-ffp-contract=off", "-w"]);
        // What nobody defines is told here, and not where it is called.
        if cfg!(target_os = "linux") {
            command.arg("-Wl,-z,defs");
        }
        for folder in headers {
            command.arg("-I").arg(folder);
        }
        command.arg("-o").arg(library).arg(source).arg("-lm").stdin(Stdio::null());
        let output =
            command.output().map_err(|error| format!("{} cannot be run: {error}", self.name))?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let lines: Vec<&str> = said.lines().take(MESSAGES).collect();
        match lines.is_empty() {
            true => Err(format!("{} failed without a message ({})", self.name, output.status)),
            false => Err(lines.join("\n")),
        }
    }
}

/// The processor of this machine: a home folder may be shared by machines, and code for one may not
/// run on another.
fn processor() -> String {
    let known = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let first = known.split("\n\n").next().unwrap_or_default();
    let telling = ["vendor_id", "cpu family", "model", "flags", "CPU", "Features"];
    let lines = first.lines().filter(|line| telling.iter().any(|word| line.starts_with(word)));
    format!("{}\n{}", std::env::consts::ARCH, lines.collect::<Vec<_>>().join("\n"))
}
