//! File tests: each file of `tests/cases` holds a program and, below a line of dashes, what must
//! come out. The first line says what is done: `# check: fold`. `UPDATE_EXPECT=1` rewrites the
//! expectations.

use rotule_program::passes::{Location, PASSES, check_slots, optimise, slots};
use rotule_program::{
    Interpreter, OutputId, Program, ProgramCounts, RegionId, parse, print, readable, text, verify,
};
use rotule_testing::program;
use std::fmt::Write;
use std::path::Path;

const SEPARATOR: &str = "\n----\n";

#[test]
fn cases() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    assert!(!paths.is_empty());
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let mut failures = Vec::new();
    let mut firsts = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a text").replace("\r\n", "\n");
        let (given, expected) = text.split_once(SEPARATOR).unwrap_or((&text, ""));
        let given = given.trim_end();
        let found = outcome(given);
        firsts.push(given.lines().next().unwrap_or_default().to_owned());
        if update {
            let text = format!("{given}\n{SEPARATOR}{}\n", found.trim_end());
            std::fs::write(&path, text.replace("\n\n----", "\n----")).expect("written");
        } else if found.trim_end() != expected.trim_end() {
            failures.push(format!("{}: found\n{found}\nexpected\n{expected}", path.display()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    for pass in PASSES {
        let first = format!("# check: {}", pass.name);
        assert!(firsts.contains(&first), "no file in tests/cases begins with `{first}`");
    }
}

/// The outcome that the first line requests.
fn outcome(given: &str) -> String {
    let first = given.lines().next().unwrap_or("");
    let Some(check) = first.strip_prefix("# check: ") else {
        return "the first line must be `# check: ` and what to do".into();
    };
    let (word, rest) = check.split_once(' ').unwrap_or((check, ""));
    let mut program = match parse(given) {
        Ok(program) => program,
        Err(error) => return error.to_string(),
    };
    let report = match word {
        "print" => return print(&program),
        "run" => return run(&program, rest),
        "slots" => return show_slots(&program),
        "counts" => return ProgramCounts::of(&program).to_string(),
        "readable" => return readable(&program),
        "optimise" => {
            let reports = optimise(&mut program);
            return format!("{program}\n{reports}");
        }
        _ => match PASSES.iter().find(|pass| pass.name == word) {
            Some(pass) => (pass.run)(&mut program),
            None => return format!("`{word}` is neither in PASSES nor another check"),
        },
    };
    assert_eq!(verify(&program), Ok(()));
    format!("{program}\n# {} changes", report.changes)
}

/// Outputs, how the regions ended, and the work of one setup and one evaluation.
fn run(program: &Program, inputs: &str) -> String {
    let inputs: Vec<f64> =
        inputs.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    let interpreter = Interpreter::new(program).expect("valid");
    let mut workspace = interpreter.workspace();
    let mut outputs = vec![f64::NAN; program.output_len()];
    let library = &mut program::Library;
    interpreter.setup(&mut workspace, &inputs, library).expect("as many inputs as declared");
    interpreter.evaluate(&mut workspace, &inputs, &mut outputs, library).expect("as before");
    let mut text = String::new();
    for (k, output) in program.outputs().iter().enumerate() {
        let numbers = &outputs[program.output_range(OutputId::new(k))];
        let _ = writeln!(text, "{} = {numbers:?}", output.name);
    }
    for (k, status) in workspace.regions().iter().enumerate() {
        let name = &program.get_region(RegionId::new(k)).name;
        let _ = writeln!(text, "{name}: {status:?}");
    }
    let _ = writeln!(text, "{:?}", workspace.work());
    text
}

fn show_slots(program: &Program) -> String {
    let slots = slots(program);
    check_slots(program, &slots).expect("right");
    let mut places: Vec<_> = text::numbers(program)
        .into_iter()
        .zip(&slots.of)
        .filter_map(|(number, place)| Some((number?, place)))
        .collect();
    places.sort_by_key(|&(number, _)| number);
    let mut text = String::new();
    for (number, place) in places {
        let _ = match place {
            Location::Nowhere => writeln!(text, "%{number} nowhere"),
            Location::Setup(slot) => writeln!(text, "%{number} setup {}", slot.index()),
            Location::Crossing(slot) => writeln!(text, "%{number} crossing {}", slot.index()),
            Location::Body(slot) => writeln!(text, "%{number} body {}", slot.index()),
        };
    }
    let _ =
        writeln!(text, "{} setup, {} crossing, {} body", slots.setup, slots.crossing, slots.body);
    text
}

#[test]
fn the_program_of_the_manual_is_printed_as_it_stands_there() {
    let manual = include_str!("../src/text/mod.rs");
    let lines = manual.lines().skip_while(|line| *line != "//! ```text").skip(1);
    let lines = lines.take_while(|line| *line != "//! ```");
    let text: String = lines
        .map(|line| line.trim_start_matches("//!").strip_prefix(' ').unwrap_or(""))
        .fold(String::new(), |text, line| text + line + "\n");
    let program = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(print(&program), text);
}
