//! The project's own tasks, run as `cargo xtask NAME`: tests, project rules, fuzzing, determinism,
//! the comparison with Pinocchio, random campaigns, generated code, reports in a browser and
//! their script, the library from outside, WebAssembly, the manual as a book, benchmarks.
//!
//! They are written in Rust, on the standard library alone, so that a fresh machine with a Rust
//! toolchain can run all of them. This file holds the table of tasks and nothing else.

mod arguments;
mod bench;
mod book;
mod browser;
mod campaign;
mod determinism;
mod failure;
mod fuzz;
mod languages;
mod outside;
mod page;
mod pinocchio;
mod process;
mod project;
mod robots;
mod steps;
mod tally;
mod test;
mod tidy;
mod tools;
mod wasm;

use std::process::ExitCode;

use arguments::Arguments;
use failure::Failure;
use project::Project;

/// One task: its name, a line for the list, the full usage text and the function behind it.
struct Task {
    name: &'static str,
    summary: &'static str,
    usage: &'static str,
    run: fn(&Project, Arguments) -> Result<(), Failure>,
}

/// Every task, in the order of the list a user sees.
const TASKS: &[Task] = &[
    Task {
        name: "test",
        summary: "install what the tests need, then run every check",
        usage: test::USAGE,
        run: test::run,
    },
    Task { name: "tidy", summary: "check the project rules", usage: tidy::USAGE, run: tidy::run },
    Task {
        name: "fuzz",
        summary: "feed the readers with hostile bytes",
        usage: fuzz::USAGE,
        run: fuzz::run,
    },
    Task {
        name: "determinism",
        summary: "check that the same input gives the same bytes",
        usage: determinism::USAGE,
        run: determinism::run,
    },
    Task {
        name: "pinocchio",
        summary: "compare the dynamics of random trees with Pinocchio",
        usage: pinocchio::USAGE,
        run: pinocchio::run,
    },
    Task {
        name: "robots",
        summary: "draw robots with meshes and compare with Pinocchio",
        usage: robots::USAGE,
        run: robots::run,
    },
    Task {
        name: "campaign",
        summary: "simulate random mechanisms in two ways and compare",
        usage: campaign::USAGE,
        run: campaign::run,
    },
    Task {
        name: "languages",
        summary: "run generated code of every language",
        usage: languages::USAGE,
        run: languages::run,
    },
    Task {
        name: "browser",
        summary: "open reports in a browser and use them",
        usage: browser::USAGE,
        run: browser::run,
    },
    Task {
        name: "page",
        summary: "bundle the script of reports from its sources",
        usage: page::USAGE,
        run: page::run,
    },
    Task {
        name: "outside",
        summary: "run the examples of the library in a crate of their own",
        usage: outside::USAGE,
        run: outside::run,
    },
    Task {
        name: "wasm",
        summary: "run the library in node and compare with this machine",
        usage: wasm::USAGE,
        run: wasm::run,
    },
    Task {
        name: "book",
        summary: "build the manual as a book with search",
        usage: book::USAGE,
        run: book::run,
    },
    Task { name: "bench", summary: "run the benchmarks", usage: bench::USAGE, run: bench::run },
];

fn main() -> ExitCode {
    match dispatch(std::env::args().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            if !matches!(failure, Failure::Reported) {
                eprintln!("{failure}");
            }
            ExitCode::from(failure.exit_code())
        }
    }
}

/// Finds the task that the words name and runs it.
fn dispatch(mut words: Vec<String>) -> Result<(), Failure> {
    if words.first().is_none_or(|word| is_help(word) || word == "help") {
        print!("{}", overview());
        return Ok(());
    }
    let name = words.remove(0);
    let Some(task) = TASKS.iter().find(|task| task.name == name) else {
        return Err(Failure::Usage {
            message: format!("there is no task named `{name}`"),
            usage: overview(),
        });
    };
    if words.iter().any(|word| is_help(word)) {
        print!("{}", task.usage);
        return Ok(());
    }
    (task.run)(&Project::locate()?, Arguments::new(words, task.usage))
}

fn is_help(word: &str) -> bool {
    word == "--help" || word == "-h"
}

/// The list of tasks, printed when none is named.
fn overview() -> String {
    let mut text = String::from("Usage: cargo xtask TASK [OPTIONS]\n\nTasks:\n");
    for task in TASKS {
        text += &format!("  {:<12} {}\n", task.name, task.summary);
    }
    text + "\n`cargo xtask TASK --help` explains one task.\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_task_is_named_and_the_list_is_shown() {
        let failure = dispatch(vec!["tset".into()]).unwrap_err();
        let text = failure.to_string();
        assert!(text.contains("no task named `tset`") && text.contains("determinism"), "{text}");
        assert_eq!(failure.exit_code(), 2);
    }

    #[test]
    fn every_task_has_usage_that_names_it() {
        for task in TASKS {
            let opening = format!("Usage: cargo xtask {}", task.name);
            assert!(task.usage.starts_with(&opening), "{}", task.name);
            assert!(dispatch(vec![task.name.into(), "--help".into()]).is_ok());
        }
    }

    #[test]
    fn a_wrong_option_is_refused_before_any_work() {
        for task in TASKS {
            let failure = dispatch(vec![task.name.into(), "--wrong".into()]).unwrap_err();
            assert!(failure.to_string().contains("`--wrong`"), "{}: {failure}", task.name);
        }
    }
}
