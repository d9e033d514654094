//! Where things are: the checkout, the build folder, the compiler's own target.

use std::path::{Path, PathBuf};

use crate::failure::Failure;
use crate::process::Call;

/// The folders a task works in, as absolute paths.
#[derive(Clone, Debug)]
pub struct Project {
    /// The root of the checkout.
    pub root: PathBuf,
    /// Cargo's build folder, which also receives everything that the tasks write.
    pub target: PathBuf,
}

impl Project {
    /// Finds the checkout this program was built from, wherever it is run.
    pub fn locate() -> Result<Self, Failure> {
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        let own = manifest.unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let root = own.parent().unwrap_or(Path::new(".")).to_path_buf();
        let root = root.canonicalize().map_err(Failure::file("find the checkout", &root))?;
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(folder) => std::path::absolute(&folder)
                .map_err(Failure::file("find the build folder", &folder))?,
            None => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// A call of cargo at the root of the checkout, building into the project's build folder.
    pub fn cargo(&self, arguments: &str) -> Call {
        self.cargo_into(arguments, &self.target)
    }

    /// A call of cargo that builds into another folder, for builds with flags of their own.
    pub fn cargo_into(&self, arguments: &str, target: &Path) -> Call {
        Call::new("cargo", arguments).folder(&self.root).quiet_variable("CARGO_TARGET_DIR", target)
    }

    /// A program that is built already; examples are in a folder of their own.
    pub fn built(&self, name: &str) -> String {
        let file = format!("debug/{name}{}", std::env::consts::EXE_SUFFIX);
        self.target.join(file).to_string_lossy().into_owned()
    }

    /// `path` relative to the checkout if it lies inside: what a message should show.
    pub fn shown(&self, path: &Path) -> String {
        path.strip_prefix(&self.root).unwrap_or(path).display().to_string()
    }
}

/// The target triple of the machine itself, as the compiler names it.
pub fn host_triple() -> Result<String, Failure> {
    let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_string());
    let version = Call::new(rustc, "--version --verbose").text()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.unwrap_or("x86_64-unknown-linux-gnu").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checkout_is_found() {
        let project = Project::locate().unwrap();
        assert!(project.root.join("xtask/Cargo.toml").is_file());
        assert_eq!(project.shown(&project.root.join("fuzz/Cargo.toml")), "fuzz/Cargo.toml");
    }

    #[test]
    fn the_host_has_a_triple() {
        assert!(host_triple().unwrap().split('-').count() >= 2);
    }
}
