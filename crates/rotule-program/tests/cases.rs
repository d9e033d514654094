//! File tests: each file of `tests/cases` holds a program and, below a line of dashes, what must
//! come out. The first line says what is done: `# check: fold`. `UPDATE_EXPECT=1` rewrites the
//! expectations.

use rotule_program::passes::{
    Bounds, Location, PASSES, angle_addition, batch_trigonometry, check_slots, compact, inline,
    latency_schedule, optimise, packed_storage, slots, status,
};
use rotule_program::{
    Interpreter, OutputId, Program, ProgramCounts, RegionId, TagKind, TaggedCounts, count_by_tag,
    parse, print, readable, text, verify,
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
    let others = OTHERS.iter().map(|(name, _)| *name);
    for name in PASSES.iter().map(|pass| pass.name).chain(others).chain(["inline", "slots"]) {
        let first = format!("# check: {name}");
        assert!(firsts.contains(&first), "no file in tests/cases begins with `{first}`");
    }
}

/// A pass outside of the pipeline, which tells in a comment what it gives back.
type OtherPass = fn(&mut Program) -> String;

/// The passes outside of the pipeline.
const OTHERS: &[(&str, OtherPass)] = &[
    ("angle_addition", |program| format!("# {} functions replaced", angle_addition(program))),
    ("batch_trigonometry", |program| {
        batch_trigonometry(program);
        String::new()
    }),
    // The text has numbers of its own: it takes a pass that reorders to see those of values.
    ("compact", |program| {
        batch_trigonometry(program);
        let numbers = |program: &Program| {
            let all = text::numbers(program).into_iter().flatten();
            all.map(|number| number.to_string()).collect::<Vec<_>>().join(" ")
        };
        let before = numbers(program);
        compact(program);
        format!("# values by number: {before}, then {}", numbers(program))
    }),
    ("latency_schedule", |program| {
        latency_schedule(program);
        String::new()
    }),
    ("packed_storage", |program| {
        packed_storage(program)
            .iter()
            .fold(String::new(), |text, places| format!("{text}# entries at {places:?}\n"))
    }),
    ("status", |program| format!("# rows {:?}", status(program))),
];

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
        "inline" => return show_inlined(&program),
        _ if OTHERS.iter().any(|(name, _)| *name == word) => {
            let (_, run) = OTHERS.iter().find(|(name, _)| *name == word).expect("it is there");
            let told = run(&mut program);
            assert_eq!(verify(&program), Ok(()));
            return format!("{program}\n{told}");
        }
        "counts" => return ProgramCounts::of(&program).to_string(),
        "readable" => return readable(&program),
        "sections" => {
            let parts = count_by_tag(&program, TagKind::Section);
            return parts.iter().fold(String::new(), |text, TaggedCounts { tag, counts }| {
                let name = tag.as_ref().map_or("the rest", |tag| &tag.name);
                format!("{text}{name}\n{counts}\n\n")
            });
        }
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

/// The values that are written as a part of the expression that reads them.
fn show_inlined(program: &Program) -> String {
    let inlined = inline(program, Bounds::default());
    let numbers = text::numbers(program).into_iter().zip(inlined);
    let mut numbers: Vec<_> = numbers.filter(|one| one.1).filter_map(|one| one.0).collect();
    numbers.sort_unstable();
    numbers.iter().fold(String::new(), |text, number| format!("{text}%{number}\n"))
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
