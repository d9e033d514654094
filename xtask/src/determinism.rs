//! `cargo xtask determinism`: the same input must give the same bytes in every process.
//!
//! The standard library seeds its hash maps anew in each process and the system moves memory around, so
//! running a command in several processes already exposes an order that leaks out of a hash map or an
//! address. On top of that each run gets another environment and another working folder.

use std::process::Output;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask determinism [--runs N]

Builds the rotule program once and runs each command of a table in several processes with different
environments and working folders. Standard output, standard error and exit code must be the same bytes.

Options:
  --runs N    how many processes each command gets (default 5, at least 2)
";

/// KINDA's first test expression: angle sums, squares and cancellations in one.
const E1: &str = "cos(q2)*cos(q4)*cos(q5+q6)*cos(q5+q6)*sin(q8) + cos(q2)*sin(q4)*sin(q5+q6)*cos(q8) \
    - sin(q2)*sin(q4)*sin(q5+q6)*sin(q5+q6)*sin(q8) - sin(q2)*sin(q4)*cos(q5+q6)*cos(q5+q6)*sin(q8) \
    + cos(q2)*cos(q4)*sin(q5+q6)*sin(q5+q6)*sin(q8) + sin(q2)*cos(q4)*sin(q5+q6)*cos(q8)";

/// Many symbols and shared parts, named in no particular order.
const MIXED: &str = "zeta*(alpha + mu)^2/12 + sqrt(alpha^2 + zeta^2)*atan2(mu, kappa) \
    - exp(-beta*t)*(kappa*sin(omega*t) + alpha*cos(omega*t)) + max(alpha, mu)*(alpha + mu)";

/// The commands: what is run, and whether it should succeed.
const COMMANDS: &[(&[&str], bool)] = &[
    (&["simplify", E1], true),
    (&["simplify", E1, "--latex"], true),
    (&["simplify", E1, "--count"], true),
    (&["simplify", MIXED], true),
    (&["simplify", MIXED, "--latex", "--count"], true),
    (&["simplify", MIXED, E1, "--listing"], true),
    (&["simplify", MIXED, E1, "--program", "--count", "--report"], true),
    (&["simplify", "sqrt(m^2*cos(a)^2)", "--assume", "m, cos(a)"], true),
    (&["diff", E1, "--by", "q2,q4,q5,q8"], true),
    (&["diff", MIXED, "--by", "t,alpha,zeta"], true),
    (&["diff", MIXED, "--by", "omega", "--latex", "--count"], true),
    (&["diff", MIXED, E1, "--by", "t,alpha,zeta,q5", "--latex", "--listing"], true),
    (&["diff", MIXED, E1, "--by", "t,alpha,zeta,q5", "--program", "--report"], true),
    (&["check", "examples/multilink_car.toml"], true),
    (&["check", "examples/stewart_platform.toml", "--json"], true),
    (&["check", "examples/formats/arm.urdf", "--with", "examples/formats/arm_spring.toml"], true),
    (&["convert", "examples/ba2000_bogie.toml"], true),
    (&["convert", "examples/formats/arm.urdf", "--merge-fixed"], true),
    (&["convert", "examples/formats/arm.sdf"], true),
    (&["convert", "examples/formats/arm.mjcf"], true),
    (&["convert", "examples/formats/arm.mbs"], true),
    (&["count", "examples/puma560.toml"], true),
    (&["count", "examples/cart_pole.toml", "--json"], true),
    (&["eval", "examples/kuka_iiwa14.toml", "mass_bias", "--random", "3"], true),
    (&["eval", "examples/heavy_top.toml", "bias", "--random", "3", "--json"], true),
    (&["equations", "examples/furuta.toml"], true),
    (&["equations", "examples/double_pendulum.toml", "--latex"], true),
    (&["equations", "examples/puma560.toml", "bias"], true),
    (&["eval", "examples/cart_pole.toml", "masss"], false),
    (&["check", "fuzz/corpus/native/circle"], false),
    (&["simplify", "sin(x"], false),
    (&["simplify", "sinus(x) + 1"], false),
    (&["diff", MIXED, "--by", "alpa"], false),
];

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let runs = arguments.option::<usize>("--runs")?.unwrap_or(RUNS);
    if runs < 2 {
        return Err(arguments.error(format!("`--runs {runs}`: at least 2 runs can be compared")));
    }
    arguments.finish()?;
    project.cargo("build --package rotule --bin rotule").run()?;
    check_with(project, runs)
}

/// Runs the check with the usual number of processes, when the program is built already.
pub fn check(project: &Project) -> Result<(), Failure> {
    check_with(project, RUNS)
}

/// Enough for an order that depends on one random bit to show with 15 chances in 16.
const RUNS: usize = 5;

fn check_with(project: &Project, runs: usize) -> Result<(), Failure> {
    let program = project.built("rotule");

    let mut broken = 0;
    for (words, succeeds) in COMMANDS {
        let call = words.iter().fold(Call::new(&program, ""), |call, word| {
            // Every run has another working folder: files of the project are named in full.
            let file = project.root.join(word);
            let path = file.to_string_lossy();
            call.with(if file.is_file() { &path } else { *word })
        });
        let outputs: Result<Vec<_>, _> =
            (0..runs).map(|run| varied(project, &call, run).output()).collect();
        let problem = judge(&outputs?, *succeeds);
        let shown = words.iter().fold(Call::new("rotule", ""), |call, word| call.with(*word));
        match problem {
            None => println!("same   {shown}"),
            Some(problem) => {
                broken += 1;
                println!("BROKEN {shown}\n{problem}");
            }
        }
    }
    if broken > 0 {
        return Err(Failure::Determinism { commands: broken, of: COMMANDS.len() });
    }
    println!("{} commands, {runs} processes each: the same bytes", COMMANDS.len());
    Ok(())
}

/// The call in the surroundings of one run: other variables, another folder, memory laid out otherwise.
fn varied(project: &Project, call: &Call, run: usize) -> Call {
    let folders = [project.root.clone(), project.root.join("crates"), project.target.clone()];
    let locales = ["C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8"];
    call.clone()
        .quiet_variable("ROTULE_PADDING", "x".repeat(run * 1237))
        .quiet_variable("LC_ALL", locales[run % locales.len()])
        .quiet_variable("TZ", format!("UTC+{run}"))
        .folder(&folders[run % folders.len()])
}

/// What is wrong with the outputs of one command, if anything.
fn judge(outputs: &[Output], succeeds: bool) -> Option<String> {
    let (first, rest) = outputs.split_first()?;
    if first.status.success() != succeeds {
        let expected = if succeeds { "success" } else { "a failure" };
        let said = String::from_utf8_lossy(&first.stderr);
        return Some(format!("  expected {expected}, got {}: {}", first.status, said.trim_end()));
    }
    for (index, other) in rest.iter().enumerate() {
        let run = index + 2;
        if other.status != first.status {
            return Some(format!(
                "  run 1 ended with {}, run {run} with {}",
                first.status, other.status
            ));
        }
        for (stream, one, two) in [
            ("standard output", &first.stdout, &other.stdout),
            ("standard error", &first.stderr, &other.stderr),
        ] {
            if one != two {
                return Some(format!("  {stream} differs\n{}", first_difference(one, two, run)));
            }
        }
    }
    None
}

/// The first line in which two outputs differ.
fn first_difference(one: &[u8], two: &[u8], run: usize) -> String {
    let (one, two) = (String::from_utf8_lossy(one), String::from_utf8_lossy(two));
    let (mut one, mut two) = (one.lines(), two.lines());
    let mut number = 0;
    loop {
        number += 1;
        match (one.next(), two.next()) {
            (None, None) => return "  only the line endings differ".to_string(),
            (a, b) if a == b => {}
            (a, b) => {
                let (a, b) = (a.unwrap_or("(end)"), b.unwrap_or("(end)"));
                return format!("  line {number}, run 1: {a}\n  line {number}, run {run}: {b}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a small shell script prints, as a stand-in for the program.
    fn output(script: &str) -> Output {
        Call::new("sh", "-c").with(script).output().unwrap()
    }

    #[test]
    fn equal_outputs_pass() {
        assert_eq!(judge(&[output("echo a"), output("echo a")], true), None);
        let failing = "echo no >&2; exit 1";
        assert_eq!(judge(&[output(failing), output(failing)], false), None);
    }

    #[test]
    fn every_kind_of_difference_is_told() {
        let check = |one: &str, two: &str, succeeds, expected: &str| {
            let problem = judge(&[output(one), output(one), output(two)], succeeds).unwrap();
            assert!(problem.contains(expected), "{problem}");
        };
        check("echo a; echo b", "echo a; echo c", true, "line 2, run 3: c");
        check("echo a", "echo a; echo b", true, "line 2, run 1: (end)");
        check("echo a >&2", "echo b >&2", true, "standard error differs");
        check("echo a", "printf a", true, "line endings");
        check("exit 1", "exit 2", false, "run 3 with");
        check("echo a", "echo a", false, "expected a failure");
        check("echo oh >&2; exit 1", "echo a", true, "expected success");
    }

    #[test]
    fn a_process_of_its_own_kind_is_caught() {
        let outputs: Vec<_> = (0..3).map(|_| output("echo $$")).collect();
        assert!(judge(&outputs, true).is_some());
    }
}
