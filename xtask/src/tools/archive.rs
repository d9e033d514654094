//! Debian packages that are unpacked into the build folder instead of installed: those of another
//! release, and those that would take the place of the user's own tools.
//!
//! Nobody needs to be root for it. All of it is optional: who requests an archive is told why it
//! is not available and goes without.

use std::path::{Path, PathBuf};

use crate::process::Call;
use crate::project::Project;

/// Packages that make a tool together.
pub struct Archive {
    /// Its folder in the build folder.
    name: &'static str,
    /// The release of Debian that has it; none stands for the machine's own.
    release: Option<&'static str>,
    packages: &'static [&'static str],
    /// Patterns of further packages that those depend on, whose names have a version in them.
    versioned: &'static [&'static str],
    /// A file of it that must exist in the end.
    program: &'static str,
}

/// Julia 1.5.3. No later release of Debian has one.
pub const JULIA: Archive = Archive {
    name: "julia",
    release: Some("bullseye"),
    packages: &[
        "julia",
        "julia-common",
        "libjulia1",
        "libdsfmt-19937-1",
        "libffi7",
        "libgfortran5",
        "libgit2-1.1",
        "libgmp10",
        "libhttp-parser2.9",
        "libllvm9",
        "libmbedcrypto3",
        "libmbedtls12",
        "libmbedx509-0",
        "libmpfr6",
        "libopenlibm3",
        "libpcre2-8-0",
        "libssh2-1",
        "libunwind8",
        "libutf8proc2",
    ],
    versioned: &[],
    program: "usr/bin/julia",
};

/// A compiler with the sources of its library and a linker for WebAssembly, which Debian keeps up
/// to date for browsers.
pub const RUST_WEB: Archive = Archive {
    name: "rust-web",
    release: None,
    packages: &["rustc-web", "libstd-rust-web-dev", "rust-web-src", "lld-22"],
    versioned: &["libstd-rust-web-[0-9]", "libllvm[0-9]"],
    program: "usr/bin/wasm-ld-22",
};

/// The file that says by what commands an archive was unpacked, once it is.
const STAMP: &str = "done.txt";

/// Where shared libraries are in an archive.
const LIBRARIES: &[&str] =
    &["usr/lib/x86_64-linux-gnu", "usr/lib/x86_64-linux-gnu/julia", "lib/x86_64-linux-gnu"];

impl Archive {
    /// The folder of the unpacked packages, which are fetched if they are not there; otherwise the
    /// reason why not.
    pub fn provide(&self, project: &Project) -> Result<PathBuf, String> {
        if let Some(root) = self.find(project) {
            return Ok(root);
        }
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err("only packages for x86-64 are known".to_owned());
        }
        let folder = self.folder(project);
        println!("unpacking Debian's {} into {}", self.packages[0], project.shown(&folder));
        std::fs::create_dir_all(&folder)
            .map_err(|error| format!("cannot create {}: {error}", folder.display()))?;
        let script = Call::new("sh", "-ec").with(self.script()).folder(&folder);
        let output = script.output().map_err(|failure| failure.to_string())?;
        if output.status.success() {
            let stamp = folder.join(STAMP);
            std::fs::write(&stamp, self.script())
                .map_err(|error| format!("cannot write {}: {error}", stamp.display()))?;
            let package = self.packages[0];
            let lacks = || format!("Debian's {package} has no {}", self.program);
            return self.find(project).ok_or_else(lacks);
        }
        let said = String::from_utf8_lossy(&output.stderr);
        let mut errors = said.lines().filter(|line| !line.starts_with("W:"));
        Err(errors.next_back().unwrap_or("the packages cannot be fetched").trim().to_owned())
    }

    /// The folder of the unpacked packages, if they are all there.
    pub fn find(&self, project: &Project) -> Option<PathBuf> {
        let folder = self.folder(project);
        let done = std::fs::read_to_string(folder.join(STAMP)).is_ok_and(|of| of == self.script());
        let root = folder.join("root");
        (done && root.join(self.program).exists()).then_some(root)
    }

    fn folder(&self, project: &Project) -> PathBuf {
        project.target.join("debian").join(self.name)
    }

    /// The commands that fetch and unpack, in the archive's own folder. The machine's lists of
    /// packages stay as they are.
    fn script(&self) -> String {
        let (packages, versioned) = (self.packages.join(" "), self.versioned.join("|"));
        let mut text = "rm -rf root *.deb && mkdir -p root state/lists/partial cache && : > state/status\n\
             set -- -q -o Dir::State=$PWD/state -o Dir::State::status=$PWD/state/status -o Dir::Cache=$PWD/cache\n"
            .to_owned();
        if let Some(release) = self.release {
            text += &format!(
                "echo 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] \
                 http://deb.debian.org/debian {release} main' > sources.list\n\
                 set -- \"$@\" -o Dir::Etc::sourcelist=$PWD/sources.list -o Dir::Etc::sourceparts=-\n"
            );
        }
        text += "apt-get \"$@\" update\n";
        let further = match self.versioned {
            [] => String::new(),
            _ => format!(
                " $(apt-cache \"$@\" depends {packages} | sed -nE 's/^ *Depends: (({versioned}).*)/\\1/p' | sort -u)"
            ),
        };
        text += &format!("apt-get \"$@\" download {packages}{further}\n");
        text + "for package in *.deb; do dpkg -x $package root; done\nrm -rf *.deb state cache\n"
    }
}

/// The variable by which the programs of an archive find its libraries, with its value.
pub fn library_path(root: &Path) -> (&'static str, String) {
    let folders: Vec<String> =
        LIBRARIES.iter().map(|one| root.join(one).to_string_lossy().into_owned()).collect();
    ("LD_LIBRARY_PATH", folders.join(":"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_of_another_release_come_from_lists_of_their_own() {
        let script = JULIA.script();
        assert!(script.contains("debian bullseye main' > sources.list"), "{script}");
        assert!(script.contains("download julia julia-common") && !script.contains("depends"));
        assert!(!RUST_WEB.script().contains("sources.list"));
    }

    #[test]
    fn packages_with_a_version_in_their_name_are_found_by_those_that_need_them() {
        let script = RUST_WEB.script();
        let found = "sed -nE 's/^ *Depends: ((libstd-rust-web-[0-9]|libllvm[0-9]).*)/\\1/p'";
        assert!(script.contains(found), "{script}");
    }

    #[test]
    fn what_was_unpacked_by_other_commands_is_not_used() {
        let target = std::env::temp_dir().join(format!("rotule-archive-{}", std::process::id()));
        let project = Project { root: target.clone(), target: target.clone() };
        let folder = JULIA.folder(&project);
        let program = folder.join("root").join(JULIA.program);
        std::fs::create_dir_all(program.parent().unwrap()).unwrap();
        std::fs::write(&program, "").unwrap();
        let mut found = Vec::new();
        for stamp in ["", "other commands", &JULIA.script()] {
            std::fs::write(folder.join(STAMP), stamp).unwrap();
            found.push(JULIA.find(&project).is_some());
        }
        std::fs::remove_dir_all(&target).unwrap();
        assert_eq!(found, [false, false, true]);
    }
}
