//! Other builds of the program: unoptimised, optimised, and with all instructions of this
//! processor.
//!
//! A compiler may evaluate, reorder and fuse only what leaves every bit as it is. These builds show
//! that it does, and that no library was written such that it depends on the instructions there
//! are.

use super::{COMMANDS, Folder, finish, judge, shown, told};
use crate::failure::Failure;
use crate::project::Project;

/// A name, the level of optimisation, and flags for the compiler.
const BUILDS: &[(&str, &str, &str)] = &[
    ("unoptimised", "0", ""),
    ("optimised", "3", ""),
    ("for this processor", "3", "-C target-cpu=native"),
];

/// Builds the program anew and compares what each of the commands gives with what the ordinary
/// build gives.
pub fn check(project: &Project) -> Result<(), Failure> {
    let folder = Folder::new(project)?;
    let seen = |program: &str, words: &[&str]| folder.seen(&folder.call(project, program, words));
    let mut checks = Vec::new();
    for (name, level, flags) in BUILDS {
        let target = folder.path.join(format!("level-{level}{}", flags.replace(' ', "")));
        let build = project.cargo_into("build --package rotule-cli --bin rotule", &target);
        build
            .variable("CARGO_PROFILE_DEV_OPT_LEVEL", *level)
            .variable("RUSTFLAGS", *flags)
            .run()?;
        let built = Project { target, ..project.clone() }.built("rotule");
        for (words, succeeds) in COMMANDS {
            let (ordinary, other) = (seen(&project.built("rotule"), words)?, seen(&built, words)?);
            let problem = judge(&ordinary, &[other], *succeeds);
            checks.push(told(&format!("{name}: {}", shown(words)), problem));
        }
    }
    finish(&checks)
}
