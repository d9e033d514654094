//! `cargo xtask fuzz`: builds the fuzz targets with libFuzzer on the stable toolchain and runs
//! them.
//!
//! The coverage instrumentation is requested from LLVM directly, so neither a nightly compiler nor
//! cargo-fuzz is needed. What libFuzzer learns is kept in the build folder; only the seeds in
//! `fuzz/corpus` are tracked.

mod report;

use std::fs;
use std::path::{Path, PathBuf};

use report::Report;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::{self, Project};
use crate::tools::{self, Task};

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask fuzz [TARGET] [--seconds N]
       cargo xtask fuzz TARGET --replay FILE

Builds the fuzz targets and runs each of them (or TARGET alone), starting from the seeds in fuzz/corpus
and from what earlier runs have found. Needs a C++ compiler, for libFuzzer itself.
Targets: expression and program (their readers), native, urdf, sdf, mjcf and mbs (the readers of models),
input, output and controller (sections of models), parquet (tables), stl, obj, dae, gltf and glb (the readers of meshes).

Options:
  --seconds N      how long each target runs (default 60)
  --replay FILE    run TARGET on one input, such as a finding of an earlier run
";

/// Coverage counters and comparison tracing for libFuzzer, without a sanitizer.
const INSTRUMENTATION: &str = "-Cpasses=sancov-module \
    -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
    -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares \
    --cfg fuzzing";

/// Inputs longer than this are left to the tests: the fuzzer learns more from many short ones.
const LONGEST_INPUT: usize = 4096;

/// An input that takes longer than this is a finding.
const SECONDS_PER_INPUT: u64 = 10;

/// Memory beyond this is a finding.
const MEGABYTES: u64 = 2048;

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let seconds = arguments.option::<u64>("--seconds")?.unwrap_or(60).max(1);
    let replay = arguments.option::<PathBuf>("--replay")?;
    let mut targets = targets(project)?;
    if let Some(name) = arguments.positional() {
        if !targets.contains(&name) {
            let known = targets.join(", ");
            return Err(
                arguments.error(format!("there is no fuzz target `{name}` (there are: {known})"))
            );
        }
        targets = vec![name];
    } else if replay.is_some() {
        return Err(arguments.error("`--replay` needs the name of a target".to_string()));
    }
    if let Some(input) = &replay
        && !input.is_file()
    {
        return Err(arguments.error(format!("`--replay`: there is no file {}", input.display())));
    }
    arguments.finish()?;

    tools::provide(project, Task::Fuzz)?;
    let programs = build(project)?;
    if let Some(input) = replay {
        return Call::new(programs.join(&targets[0]).to_string_lossy(), "")
            .with(input.to_string_lossy())
            .run();
    }

    let mut reports = Vec::new();
    for target in &targets {
        println!("\n=== fuzz {target}: {seconds} s");
        reports.push((target, fuzz(project, &programs, target, seconds)?));
    }
    println!();
    for (target, report) in &reports {
        println!("{target}: {report}");
        if let Some(input) = &report.finding {
            let input = project.shown(input);
            println!("  repeat it with: cargo xtask fuzz {target} --replay {input}");
            println!("  once mended, keep it: cp {input} fuzz/corpus/{target}/");
        }
    }
    match reports.iter().filter(|(_, report)| report.failed).count() {
        0 => Ok(()),
        findings => Err(Failure::Fuzz { findings }),
    }
}

/// The targets are the programs in `fuzz/fuzz_targets`.
fn targets(project: &Project) -> Result<Vec<String>, Failure> {
    let folder = project.root.join("fuzz/fuzz_targets");
    let entries = fs::read_dir(&folder).map_err(Failure::file("read", &folder))?;
    let name = |path: PathBuf| {
        let name = path.file_name()?.to_str()?.strip_suffix(".rs")?.to_string();
        Some(name)
    };
    let mut names: Vec<_> = entries.flatten().filter_map(|entry| name(entry.path())).collect();
    names.sort_unstable();
    Ok(names)
}

/// Builds every target and returns the folder of the programs.
fn build(project: &Project) -> Result<PathBuf, Failure> {
    // Naming the machine's own triple keeps the instrumentation out of build scripts.
    let host = project::host_triple()?;
    let folder = project.target.join("fuzz");
    let build =
        "build --release --manifest-path fuzz/Cargo.toml --features libfuzzer --bins --target";
    project
        .cargo_into(build, &folder)
        .with(&host)
        .quiet_variable("RUSTFLAGS", INSTRUMENTATION)
        .run()?;
    Ok(folder.join(host).join("release"))
}

/// Runs one target for the given time.
fn fuzz(project: &Project, programs: &Path, target: &str, seconds: u64) -> Result<Report, Failure> {
    let work = project.target.join("fuzz");
    let [learnt, findings] = ["corpus", "findings"].map(|kind| work.join(kind).join(target));
    for folder in [&learnt, &findings] {
        fs::create_dir_all(folder).map_err(Failure::file("create", folder))?;
    }
    // A stack overflow kills the process before libFuzzer can save the input: the target keeps a
    // copy.
    let current = work.join(format!("current-{target}"));
    let seeds = project.root.join("fuzz/corpus").join(target);
    let dictionary = project.root.join(format!("fuzz/{target}.dict"));
    let options = format!(
        "-max_total_time={seconds} -timeout={SECONDS_PER_INPUT} -rss_limit_mb={MEGABYTES} \
         -max_len={LONGEST_INPUT} -print_final_stats=1"
    );
    let call = Call::new(programs.join(target).to_string_lossy(), &options)
        .with(format!("-dict={}", dictionary.display()))
        .with(format!("-artifact_prefix={}/", findings.display()))
        .with(learnt.to_string_lossy())
        .with(seeds.to_string_lossy())
        .quiet_variable("ROTULE_FUZZ_CURRENT", &current);
    let mut report = Report::default();
    let status = call.run_reading(|line| report.read(line))?;
    report.failed = !status.success();
    if report.failed && report.finding.is_none() {
        let saved = findings.join("crash-without-report");
        fs::rename(&current, &saved).map_err(Failure::file("save the finding", &current))?;
        println!("{target} died without a report ({status}), perhaps of a stack overflow");
        report.finding = Some(saved);
    }
    Ok(report)
}
