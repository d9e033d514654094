//! `cargo xtask wasm`: the library on a target without folders, threads or a clock, with the
//! numbers of this machine.
//!
//! A small crate (`xtask/wasm`) answers requests natively and, compiled for
//! `wasm32-unknown-unknown`, in node; every byte must be the same. The compiler is the user's own
//! if it has the target. Otherwise it is one that Debian has for browsers, unpacked into the build
//! folder, which compiles the standard library, too. Where there is neither, or no node, nothing is
//! run.

use std::path::{Path, PathBuf};

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;
use crate::tools::archive::{RUST_WEB, library_path};

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask wasm

Builds the library for wasm32-unknown-unknown and runs it in node: inverse dynamics of a robot, the motion of a
slider-crank by two methods, generated code. Every byte must be that of the same program built for this machine.
Uses the compiler's own target if it is installed (`rustup target add wasm32-unknown-unknown`), otherwise Debian's
packages rustc-web, rust-web-src and lld-22, unpacked into the build folder. Where neither is available, or node is
missing, says so and succeeds.
";

/// The target.
const TARGET: &str = "wasm32-unknown-unknown";

/// The requests, with their examples.
const REQUESTS: &[(&str, &str)] = &[
    ("evaluate inverse", "puma560"),
    ("simulate rk4", "slider_crank"),
    ("simulate dop853", "slider_crank"),
    ("generate c", "puma560"),
];

/// Runs the task.
pub fn run(project: &Project, arguments: Arguments) -> Result<(), Failure> {
    arguments.finish()?;
    check(project)
}

/// Builds both and compares, or says why not.
pub fn check(project: &Project) -> Result<(), Failure> {
    if Call::new("node", "--version").output().is_err() {
        println!("WebAssembly is not run: there is no `node`");
        return Ok(());
    }
    let compiler = match Compiler::find(project) {
        Ok(compiler) => compiler,
        Err(reason) => {
            println!(
                "WebAssembly is not run: the compiler has no target {TARGET}, and Debian's is not available ({reason})"
            );
            return Ok(());
        }
    };
    let module = compiler.build(project)?;
    // This machine takes its fastest kernels, which a build for the target leaves out.
    project
        .cargo("build --package rotule-wasm --bin rotule-wasm --features rotule/default")
        .run()?;
    let native = Call::new(project.built("rotule-wasm"), "");
    let node = Call::new("node", "")
        .with(project.root.join("xtask/wasm/run.mjs").to_string_lossy())
        .with(module.to_string_lossy());
    let mut different = 0;
    for (request, model) in REQUESTS {
        let file = project.root.join(format!("examples/{model}.toml"));
        let ask = |side: &Call| side.clone().with(*request).with(file.to_string_lossy()).text();
        let (here, there) = (ask(&native)?, ask(&node)?);
        match first_difference(&here, &there) {
            None => println!("{request}, {model}: {} lines equal", here.lines().count()),
            Some(difference) => {
                different += 1;
                println!("{request}, {model}: {difference}");
            }
        }
    }
    if different > 0 { Err(Failure::Wasm { different, of: REQUESTS.len() }) } else { Ok(()) }
}

/// The first line that differs; none if the texts are the same.
fn first_difference(here: &str, there: &str) -> Option<String> {
    if here == there {
        // Of nothing there is nothing to be compared.
        return here.is_empty().then(|| "nothing was written".to_owned());
    }
    let same = here.lines().zip(there.lines()).take_while(|(here, there)| here == there).count();
    let line = |text: &str| text.lines().nth(same).unwrap_or("(the end)").to_owned();
    Some(format!("line {} differs\n  native: {}\n  node:   {}", same + 1, line(here), line(there)))
}

/// A compiler for the target.
enum Compiler {
    /// The user's, with the target installed.
    Own,
    /// Debian's, unpacked here.
    Debian(PathBuf),
}

impl Compiler {
    fn find(project: &Project) -> Result<Compiler, String> {
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
        let own = Call::new(rustc, "--print target-libdir --target").with(TARGET);
        let installed = own.output().is_ok_and(|output| {
            let folder = String::from_utf8_lossy(&output.stdout);
            output.status.success() && Path::new(folder.trim()).is_dir()
        });
        if installed {
            return Ok(Compiler::Own);
        }
        let root = RUST_WEB.provide(project)?;
        let (name, libraries) = library_path(&root);
        let version = Call::new(root.join("usr/bin/rustc").to_string_lossy(), "--version");
        let version = version
            .quiet_variable(name, libraries)
            .text()
            .map_err(|failure| failure.to_string())?;
        match is_old(&version, env!("CARGO_PKG_RUST_VERSION")) {
            true => {
                Err(format!("{} is older than {}", version.trim(), env!("CARGO_PKG_RUST_VERSION")))
            }
            false => Ok(Compiler::Debian(root)),
        }
    }

    /// Builds the module and gives its file. What is compiled here runs for a second: optimising it
    /// takes longer.
    fn build(&self, project: &Project) -> Result<PathBuf, Failure> {
        let folder = project.target.join("wasm");
        let build = "rustc --package rotule-wasm --lib --crate-type cdylib --target";
        let mut call = project
            .cargo_into(build, &folder)
            .with(TARGET)
            .quiet_variable("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
            .quiet_variable("CARGO_PROFILE_DEV_DEBUG", "0")
            .quiet_variable("CARGO_PROFILE_DEV_PANIC", "abort");
        if let Compiler::Debian(root) = self {
            let (name, libraries) = library_path(root);
            call = call
                .with("-Zbuild-std=std,panic_abort")
                // To compile the standard library is not yet a stable feature.
                .quiet_variable("RUSTC_BOOTSTRAP", "1")
                .quiet_variable("RUSTC", root.join("usr/bin/rustc"))
                .quiet_variable(
                    "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER",
                    root.join("usr/bin/wasm-ld-22"),
                )
                .quiet_variable(name, libraries);
        }
        call.run()?;
        Ok(folder.join(TARGET).join("debug/rotule_wasm.wasm"))
    }
}

/// Returns `true` if a compiler (`rustc 1.96.0 (...)`) is older than a version (`1.95`).
fn is_old(compiler: &str, needed: &str) -> bool {
    let numbers =
        |text: &str| -> Vec<u32> { text.split('.').map_while(|part| part.parse().ok()).collect() };
    numbers(compiler.split_whitespace().nth(1).unwrap_or_default()) < numbers(needed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_is_shown_with_its_line() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        let shown = first_difference("a\nb\n", "a\nc\n").unwrap();
        assert!(
            shown.contains("line 2") && shown.contains("native: b") && shown.contains("node:   c")
        );
        assert!(first_difference("a\nb\n", "a\n").unwrap().contains("node:   (the end)"));
        // Lines that end differently are different bytes.
        assert!(first_difference("a\n", "a").is_some());
        assert!(first_difference("", "").is_some());
    }

    #[test]
    fn compilers_that_are_too_old_are_known() {
        for (compiler, old) in [
            ("rustc 1.85.0 (built)", true),
            ("rustc 1.95.0", false),
            ("rustc 1.100.1 (x)", false),
            ("", true),
        ] {
            assert_eq!(is_old(compiler, "1.95"), old, "{compiler}");
        }
    }
}
