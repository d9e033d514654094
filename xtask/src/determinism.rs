//! `cargo xtask determinism`: the same input must give the same bytes in every process and on every
//! machine.
//!
//! The standard library seeds its hash maps anew in each process and the system moves memory
//! around, so running a command in several processes already exposes an order that leaks out of a
//! hash map or an address. On top of that each run gets another environment and another working
//! folder, and the last one another mathematical library ([`library`]). On request the program is
//! compared with other builds of it, too.

mod builds;
mod library;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use crate::arguments::Arguments;
use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;

/// The usage text.
pub const USAGE: &str = "\
Usage: cargo xtask determinism [--runs N] [--builds]

Builds the rotule program once and runs each command of a table in several processes with different
environments and working folders, the last one with a mathematical library that is wrong on purpose.
Standard output, standard error, exit code and the files that are written must be the same bytes, but for
the line `computing`, which tells wall-clock times. The program must not refer to any function of the
machine's mathematical library.

Options:
  --runs N    how many processes each command gets (default 5, at least 2)
  --builds    compare with the program built unoptimised, optimised, and for this processor; takes minutes
";

/// KINDA's first test expression: angle sums, squares and cancellations in one.
const E1: &str = "cos(q2)*cos(q4)*cos(q5+q6)*cos(q5+q6)*sin(q8) + cos(q2)*sin(q4)*sin(q5+q6)*cos(q8) \
    - sin(q2)*sin(q4)*sin(q5+q6)*sin(q5+q6)*sin(q8) - sin(q2)*sin(q4)*cos(q5+q6)*cos(q5+q6)*sin(q8) \
    + cos(q2)*cos(q4)*sin(q5+q6)*sin(q5+q6)*sin(q8) + sin(q2)*cos(q4)*sin(q5+q6)*cos(q8)";

/// Many symbols and shared parts, named in no particular order.
const MIXED: &str = "zeta*(alpha + mu)^2/12 + sqrt(alpha^2 + zeta^2)*atan2(mu, kappa) \
    - exp(-beta*t)*(kappa*sin(omega*t) + alpha*cos(omega*t)) + max(alpha, mu)*(alpha + mu)";

/// Laws with every function, on a loop and a quaternion.
const LAWS: &str = "xtask/src/determinism/functions.toml";

/// Files that a command writes: the words `--out` or `--report` and a name in the task's folder.
const CSV: &str = "--out=motion.csv";
const HTML: &str = "--report=motion.html";

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
    (&["simulate", LAWS, "--to", "0.2", "--dt", "1e-3", CSV, HTML], true),
    (&["simulate", LAWS, "--to", "0.2", "--method", "dop853", "--json", CSV, HTML], true),
    (&["simulate", LAWS, "--to", "0.2", "--method", "radau", "--balance", CSV, HTML], true),
    (&["simulate", LAWS, "--to", "0.2", "--method", "bdf", "--json", CSV], true),
    (&["simulate", LAWS, "--to", "0.1", "--method", "hht", "--dt", "1e-3", CSV], true),
    (&["simulate", LAWS, "--to", "0.1", "--kernel", "interpreter", "--verify", CSV], true),
    (&["simulate", LAWS, "--to", "0.1", "--constraints", "projection", "--json", CSV], true),
    (&["simulate", "examples/heavy_top.toml", "--to", "0.5", "--json", CSV], true),
    (&["simulate", "examples/stewart_platform.toml", "--to", "0.05", "--json", CSV], true),
    (
        &[
            "study",
            LAWS,
            "--to",
            "0.05",
            "--dt",
            "1e-3",
            "--vary",
            "c~normal(0.02,0.005)",
            "--samples",
            "12",
            "--measure",
            "q1:rms",
            CSV,
        ],
        true,
    ),
    (&["eval", "examples/cart_pole.toml", "masss"], false),
    (&["check", "fuzz/corpus/native/circle"], false),
    (&["simplify", "sin(x"], false),
    (&["simplify", "sinus(x) + 1"], false),
    (&["diff", MIXED, "--by", "alpa"], false),
];

/// Runs the task.
pub fn run(project: &Project, mut arguments: Arguments) -> Result<(), Failure> {
    let runs = arguments.option::<usize>("--runs")?.unwrap_or(RUNS);
    let builds = arguments.flag("--builds");
    if runs < 2 {
        return Err(arguments.error(format!("`--runs {runs}`: at least 2 runs can be compared")));
    }
    arguments.finish()?;
    project.cargo("build --package rotule-cli --bin rotule").run()?;
    check_with(project, runs)?;
    if builds { builds::check(project) } else { Ok(()) }
}

/// Runs the check with the usual number of processes, when the program is built already.
pub fn check(project: &Project) -> Result<(), Failure> {
    check_with(project, RUNS)
}

/// Enough for an order that depends on one random bit to show with 15 chances in 16.
const RUNS: usize = 5;

fn check_with(project: &Project, runs: usize) -> Result<(), Failure> {
    let folder = Folder::new(project)?;
    let program = project.built("rotule");
    let wrong = library::wrong(&folder.path)?;
    let mut checks = vec![
        told("the wrong library in a program of its own", wrong.problem(&folder.path)?),
        told("symbols that the program asks for", library::imports(&program)?),
    ];
    for (words, succeeds) in COMMANDS {
        let call = folder.call(project, &program, words);
        let first = folder.seen(&varied(project, &call, 0))?;
        let rest: Result<Vec<_>, _> = (1..runs)
            .map(|run| {
                let call = varied(project, &call, run);
                folder.seen(&if run + 1 == runs { wrong.replace(call) } else { call })
            })
            .collect();
        checks.push(told(&shown(words), judge(&first, &rest?, *succeeds)));
    }
    finish(&checks)?;
    println!("{} commands, {runs} processes each: the same bytes", COMMANDS.len());
    Ok(())
}

/// A command as a user would type it.
fn shown(words: &[&str]) -> String {
    words.iter().fold(Call::new("rotule", ""), |call, word| call.with(*word)).to_string()
}

/// A failure unless every check passed.
fn finish(checks: &[bool]) -> Result<(), Failure> {
    let broken = checks.iter().filter(|passed| !**passed).count();
    match broken {
        0 => Ok(()),
        _ => Err(Failure::Determinism { commands: broken, of: checks.len() }),
    }
}

/// Prints the outcome of one check and gives back whether it passed.
fn told(what: &str, problem: Option<String>) -> bool {
    match &problem {
        None => println!("same   {what}"),
        Some(problem) => println!("BROKEN {what}\n{problem}"),
    }
    problem.is_none()
}

/// Where commands write their files.
struct Folder {
    path: PathBuf,
}

/// The output of a command, and the files that it wrote.
struct Seen {
    output: Output,
    files: Vec<(String, Vec<u8>)>,
}

impl Folder {
    fn new(project: &Project) -> Result<Folder, Failure> {
        let path = project.target.join("determinism");
        fs::create_dir_all(&path).map_err(Failure::file("make the folder", &path))?;
        Ok(Folder { path })
    }

    /// The call of a program with the words of the table: every run has another working folder, so
    /// files are named in full.
    fn call(&self, project: &Project, program: &str, words: &[&str]) -> Call {
        words.iter().fold(Call::new(program, ""), |call, word| {
            let file = project.root.join(word);
            match word.split_once("=motion.") {
                Some((option, ending)) => {
                    let path = self.path.join("motion").with_extension(ending);
                    call.with(format!("{option}={}", path.display()))
                }
                None if file.is_file() => call.with(file.to_string_lossy()),
                None => call.with(*word),
            }
        })
    }

    /// Runs a command, and takes what it wrote out of the folder.
    fn seen(&self, call: &Call) -> Result<Seen, Failure> {
        let written = ["motion.csv", "motion.html"].map(|name| self.path.join(name));
        let remove = |path: &Path| match fs::remove_file(path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Failure::file("remove", path)(error))
            }
            _ => Ok(()),
        };
        written.iter().try_for_each(|path| remove(path))?;
        let output = call.output()?;
        let mut files = Vec::new();
        for path in written.iter().filter(|path| path.exists()) {
            let bytes = fs::read(path).map_err(Failure::file("read", path))?;
            files
                .push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), bytes));
        }
        written.iter().try_for_each(|path| remove(path))?;
        Ok(Seen { output, files })
    }
}

/// The call in the surroundings of one run: other variables, another folder, memory laid out
/// otherwise.
fn varied(project: &Project, call: &Call, run: usize) -> Call {
    let folders = [project.root.clone(), project.root.join("crates"), project.target.clone()];
    let locales = ["C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8"];
    call.clone()
        .quiet_variable("ROTULE_PADDING", "x".repeat(run * 1237))
        .quiet_variable("LC_ALL", locales[run % locales.len()])
        .quiet_variable("TZ", format!("UTC+{run}"))
        .folder(&folders[run % folders.len()])
}

/// The problem with what several runs of one command gave, if any.
fn judge(first: &Seen, rest: &[Seen], succeeds: bool) -> Option<String> {
    if first.output.status.success() != succeeds {
        let expected = if succeeds { "success" } else { "a failure" };
        let said = String::from_utf8_lossy(&first.output.stderr);
        let status = first.output.status;
        return Some(format!("  expected {expected}, got {status}: {}", said.trim_end()));
    }
    for (index, other) in rest.iter().enumerate() {
        let run = index + 2;
        if other.output.status != first.output.status {
            return Some(format!(
                "  run 1 ended with {}, run {run} with {}",
                first.output.status, other.output.status
            ));
        }
        let names = |seen: &Seen| seen.files.iter().map(|file| file.0.clone()).collect::<Vec<_>>();
        if names(first) != names(other) {
            return Some(format!("  run 1 wrote {:?}, run {run} {:?}", names(first), names(other)));
        }
        let files = first.files.iter().zip(&other.files).map(|(one, two)| {
            let name = one.0.as_str();
            (name, one.1.clone(), two.1.clone())
        });
        let streams = [
            ("standard output", &first.output.stdout, &other.output.stdout),
            ("standard error", &first.output.stderr, &other.output.stderr),
        ];
        let streams =
            streams.into_iter().map(|(name, one, two)| (name, untimed(one), untimed(two)));
        for (name, one, two) in streams.chain(files) {
            if one != two {
                return Some(format!("  {name} differs\n{}", first_difference(&one, &two, run)));
            }
        }
    }
    None
}

/// The output without the one line that tells wall-clock times.
fn untimed(printed: &[u8]) -> Vec<u8> {
    let lines = printed.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| !line.starts_with(b"computing ")).flatten().copied().collect()
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

    /// The output of a small shell script, as a stand-in for the program.
    fn output(script: &str) -> Seen {
        Seen { output: Call::new("sh", "-c").with(script).output().unwrap(), files: Vec::new() }
    }

    #[test]
    fn equal_outputs_pass() {
        assert_eq!(judge(&output("echo a"), &[output("echo a")], true), None);
        let failing = "echo no >&2; exit 1";
        assert_eq!(judge(&output(failing), &[output(failing)], false), None);
    }

    #[test]
    fn every_kind_of_difference_is_told() {
        let check = |one: &str, two: &str, succeeds, expected: &str| {
            let problem = judge(&output(one), &[output(one), output(two)], succeeds).unwrap();
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
    fn files_are_compared_and_wall_clock_times_are_not() {
        let wrote = |name: &str, text: &str| {
            let files = vec![(name.to_string(), text.into())];
            Seen { files, ..output("echo computing $$ ms; echo a") }
        };
        assert_eq!(judge(&wrote("a", "1"), &[wrote("a", "1")], true), None);
        let problem = judge(&wrote("a", "1\n2"), &[wrote("a", "1\n3")], true).unwrap();
        assert!(problem.contains("a differs") && problem.contains("line 2, run 2: 3"), "{problem}");
        assert!(judge(&wrote("a", "1"), &[wrote("b", "1")], true).unwrap().contains("wrote"));
        assert!(judge(&wrote("a", "1"), &[output("echo a")], true).unwrap().contains("wrote"));
    }

    #[test]
    fn a_process_of_its_own_kind_is_caught() {
        let outputs: Vec<_> = (0..3).map(|_| output("echo $$")).collect();
        assert!(judge(&outputs[0], &outputs[1..], true).is_some());
    }
}
