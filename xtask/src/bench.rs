//! `cargo xtask bench`: runs the benchmark programs of the workspace and shows what they print.
//!
//! Each benchmark is a plain program in the `benches` folder of its crate. They are called one by
//! one because `cargo bench` alone would also start every test program, to no purpose.

mod against;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::project::Project;
use crate::tidy::Tree;

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask bench [NAME] [--against REVISION [--all]]

Builds the benchmark programs with full optimisation, runs them one after the other and shows what they
print. NAME restricts the run to benchmarks whose `crate/name` contains it.

Options:
  --against REVISION    instead, build the program of another commit, too, and compare in one run: times to
                        generate C, and operations of all functions of the gallery
  --all                 count the largest models, too, which takes minutes
";

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let against: Option<String> = arguments.option("--against")?;
    let all = arguments.flag("--all");
    let filter = arguments.positional().unwrap_or_default();
    arguments.finish()?;
    if let Some(revision) = against {
        return against::run(project, &revision, all);
    }
    let found: Vec<_> = benches(&Tree::read(project)?)
        .into_iter()
        .filter(|b| b.label().contains(&filter))
        .collect();
    if found.is_empty() {
        println!("no benchmark matches `{filter}` (they are the files crates/*/benches/*.rs)");
    }
    for bench in found {
        println!("\n=== {}", bench.label());
        project
            .cargo(&format!("bench --package {} --bench {}", bench.package, bench.name))
            .run()?;
    }
    Ok(())
}

/// A benchmark program.
#[derive(Debug, PartialEq, Eq)]
struct Bench {
    package: String,
    name: String,
}

impl Bench {
    fn label(&self) -> String {
        format!("{}/{}", self.package, self.name)
    }
}

/// The benchmarks of the workspace; a crate's folder bears the crate's name.
fn benches(tree: &Tree) -> Vec<Bench> {
    let bench = |path: &str| {
        let (package, file) = path.strip_prefix("crates/")?.split_once("/benches/")?;
        let name = file.strip_suffix("/main.rs").or(file.strip_suffix(".rs"))?;
        let whole = !package.contains('/') && !name.contains('/');
        whole.then(|| Bench { package: package.to_string(), name: name.to_string() })
    };
    tree.files.iter().filter_map(|file| bench(&file.path)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn benchmarks_are_found_in_both_layouts() {
        let tree = Tree::of(&[
            ("crates/rotule-symbolic/benches/scale.rs", ""),
            ("crates/rotule-program/benches/lowering/main.rs", ""),
            ("crates/rotule-program/benches/lowering/models.rs", ""),
            ("crates/rotule-program/src/lib.rs", ""),
        ]);
        let labels: Vec<_> = benches(&tree).iter().map(Bench::label).collect();
        assert_eq!(labels, ["rotule-symbolic/scale", "rotule-program/lowering"]);
    }
}
