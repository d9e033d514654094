//! Runs the demo of a package in a language and compares its numbers with the interpreter.

use crate::simulink::runners;
use crate::tools::Tooling;
use rotule::layers::emit::{LANGUAGES, Package, PackageFunction, emit};
use rotule::layers::program::{Externals, ForeignSignature, Interpreter};
use rotule::layers::symbolic::Kind;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The options of a package.
#[derive(Clone, Copy)]
pub struct Face {
    /// `true` if parameters are numbers.
    pub frozen: bool,
    /// `true` if names are for people.
    pub readable: bool,
}

impl Face {
    /// The part of a folder's name that tells packages apart.
    pub fn suffix(self) -> String {
        let frozen = if self.frozen { "_frozen" } else { "" };
        let readable = if self.readable { "_readable" } else { "" };
        format!("{frozen}{readable}")
    }
}

/// The relative error that libraries of sines and cosines may make.
const TOLERANCE: f64 = 1e-13;

/// External functions of these tests: weighted sums of their arguments.
struct Sums;

impl Externals for Sums {
    fn call(&mut self, _: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        let sum: f64 = arguments.iter().zip(1..).map(|(x, weight)| f64::from(weight) * x).sum();
        results.iter_mut().zip(1..).for_each(|(x, factor)| *x = f64::from(factor) * sum);
    }
}

/// Generates, runs, compares.
pub fn check(tooling: &Tooling, package: &Package, label: &str) {
    let julia = std::env::var("ROTULE_JULIA").ok();
    if tooling.emit == "julia" && julia.is_none() {
        // Few machines have it; `cargo xtask languages` says so, too.
        eprintln!("{label}: skipped, since ROTULE_JULIA names no Julia");
        return;
    }
    let language =
        LANGUAGES.iter().find(|one| one.name == tooling.emit).expect("language is known");
    let package = &Package { batch: tooling.batch, ..package.clone() };
    let files = emit(package, language).unwrap_or_else(|problem| panic!("{label}: {problem:?}"));
    let folder = folder(tooling, label);
    for file in &files {
        let text = filled(tooling, package, &file.text);
        std::fs::write(folder.join(&file.name), text).expect("the build folder can be written");
    }
    if tooling.emit == "simulink" {
        for file in runners(package, &files) {
            std::fs::write(folder.join(&file.name), file.text).expect("it can be written");
        }
    }
    // A prefix that is a word of the language has an underscore behind.
    let mut prefix = rotule::layers::emit::names::identifier(&package.prefix);
    if files.iter().any(|file| file.name.starts_with(&format!("{prefix}__"))) {
        prefix.push('_');
    }
    let externals = tooling.externals.replace("{p}", &prefix);
    let externals = if folder.join(&externals).is_file() { externals } else { String::new() };
    let mut printed = String::new();
    for command in tooling.commands {
        let python = std::env::var("ROTULE_PYTHON").unwrap_or_else(|_| "python3".to_owned());
        let node = std::env::var("ROTULE_NODE_MODULES").unwrap_or_default();
        let line = command
            .replace("{p}", &prefix)
            .replace("{tests}", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/languages"))
            .replace("{x}", &externals)
            .replace("{python}", &python)
            .replace("{julia}", julia.as_deref().unwrap_or_default())
            .replace("{node}", &node);
        printed = shell(&folder, &line);
    }
    compare(package, &read(&printed), &format!("{} {label}", tooling.name));
}

/// An empty folder in the build folder.
fn folder(tooling: &Tooling, label: &str) -> PathBuf {
    let name = tooling.name.replace([' ', '+'], "_");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("languages").join(name).join(label);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the build folder can be written");
    folder
}

/// The text of a file with its stubs of external functions filled.
fn filled(tooling: &Tooling, package: &Package, text: &str) -> String {
    let mut text = text.to_owned();
    // All external functions of a test have as many arguments.
    let functions = package.functions.iter().flat_map(|part| part.program.functions());
    let Some(count) = functions.map(|function| function.arguments).max() else { return text };
    for (from, to) in tooling.fill {
        for index in 0..8 {
            let number = |pattern: &str| {
                pattern
                    .replace("INDEX1", &(index + 1).to_string())
                    .replace("INDEX", &index.to_string())
                    .replace("NARGUMENTS", &count.to_string())
            };
            if index == 0 || from.contains("INDEX") {
                text = text.replace(&number(from), &number(to));
            }
        }
    }
    text
}

/// Runs a line and gives what it printed; a failure shows all of it.
pub fn shell(folder: &Path, line: &str) -> String {
    let output = Command::new("sh").arg("-c").arg(line).current_dir(folder).output();
    let output = output.unwrap_or_else(|error| panic!("{line}: {error}"));
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).chars().take(4000).collect::<String>();
    assert!(
        output.status.success(),
        "in {}\n{line}\n{}{}",
        folder.display(),
        text(&output.stdout),
        text(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Numbers by function, output, row and column.
type Numbers = HashMap<(String, String, usize, usize), f64>;

fn read(printed: &str) -> Numbers {
    let mut numbers = Numbers::new();
    for line in printed.lines().filter(|line| !line.trim().is_empty()) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let [function, output, row, column, number] = words.as_slice() else {
            panic!("unexpected line: {line}");
        };
        let place = |word: &str| word.parse::<usize>().unwrap_or_else(|_| panic!("{line}"));
        // Fortran writes exponents with a D or, if they are long, without any letter.
        let number = number.replace(['D', 'd'], "e");
        let number: f64 = number.parse().unwrap_or_else(|_| panic!("{line}"));
        let key = ((*function).to_owned(), (*output).to_owned(), place(row), place(column));
        assert!(numbers.insert(key, number).is_none(), "twice: {line}");
    }
    numbers
}

/// The numbers of the interpreter for a function.
pub fn expected(package: &Package, part: &PackageFunction) -> Vec<f64> {
    let program = &part.program;
    let known: HashMap<&str, f64> = Kind::ALL
        .iter()
        .flat_map(|&kind| package.array(kind))
        .map(|one| (one.name.as_str(), one.value))
        .collect();
    let inputs = program.inputs().iter().map(|input| match input.kind {
        Kind::Time => package.time,
        _ => known.get(input.name.as_str()).copied().unwrap_or(f64::NAN),
    });
    let inputs: Vec<f64> = inputs.collect();
    let interpreter = Interpreter::new(program).expect("the program is valid");
    let mut workspace = interpreter.workspace();
    let mut outputs = vec![0.0; program.output_len()];
    interpreter.setup(&mut workspace, &inputs, &mut Sums).expect("lengths are right");
    interpreter
        .evaluate(&mut workspace, &inputs, &mut outputs, &mut Sums)
        .expect("lengths are right");
    outputs
}

fn compare(package: &Package, found: &Numbers, label: &str) {
    let (mut count, mut largest) = (0, 0.0_f64);
    for part in &package.functions {
        let function = rotule::layers::emit::names::identifier(&part.name);
        let numbers = expected(package, part);
        let mut rest = numbers.as_slice();
        for output in part.program.outputs() {
            let (own, after) = rest.split_at(output.dense_len() as usize);
            rest = after;
            let scale = own.iter().filter(|x| x.is_finite()).fold(0.0_f64, |a, x| a.max(x.abs()));
            for (at, &number) in own.iter().enumerate() {
                let (row, column) =
                    (at / output.columns as usize + 1, at % output.columns as usize + 1);
                let key = (function.clone(), output.name.clone(), row, column);
                let Some(&written) = found.get(&key) else { panic!("{label}: {key:?} is missing") };
                let same = (written - number).abs() <= TOLERANCE * scale
                    || written == number
                    || (written.is_nan() && number.is_nan());
                assert!(same, "{label}: {key:?} is {written:e}, expected {number:e}");
                count += 1;
                // NaN where both are, or where both are infinite.
                largest = largest.max((written - number).abs() / scale.max(f64::MIN_POSITIVE));
            }
        }
    }
    assert_eq!(count, found.len(), "{label}: more numbers than expected");
    eprintln!(
        "{label}: {} functions, {count} numbers, largest difference {largest:.1e} of the largest in its output",
        package.functions.len()
    );
}
