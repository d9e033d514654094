//! Replays every seed of the corpus through its target, without libFuzzer.
//!
//! Each seed runs in a thread of its own that bears its name: a panic and even a stack overflow,
//! which nothing can catch, then say which seed it was.

use std::fs;
use std::path::Path;
use std::thread;

use rotule_fuzz::{TARGETS, Target};
use rotule_model::Format;

/// Runs the target on the input and says whether it held.
fn holds(name: &str, target: Target, input: Vec<u8>) -> bool {
    let thread = thread::Builder::new().name(name.to_string()).spawn(move || target(&input));
    thread.expect("the system can start a thread").join().is_ok()
}

#[test]
fn every_seed_of_the_corpus_holds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut broken = Vec::new();
    for (target, run) in TARGETS {
        let seeds = fs::read_dir(corpus.join(target)).expect("every target has a corpus");
        let mut seeds: Vec<_> = seeds.map(|seed| seed.expect("a readable folder").path()).collect();
        seeds.sort();
        assert!(!seeds.is_empty(), "the corpus of {target} is empty");
        for seed in seeds {
            let name = format!("{target}/{}", seed.file_name().unwrap_or_default().display());
            if !holds(&name, *run, fs::read(&seed).expect("a readable seed")) {
                broken.push(name);
            }
        }
    }
    assert!(broken.is_empty(), "seeds that break a promise: {}", broken.join(", "));
}

#[test]
fn every_folder_of_the_corpus_has_a_target() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    for folder in fs::read_dir(corpus).expect("there is a corpus") {
        let name = folder.expect("a readable folder").file_name();
        let known = TARGETS.iter().any(|(target, _)| name == *target);
        assert!(known, "fuzz/corpus/{} belongs to no target", name.display());
    }
}

#[test]
fn every_format_of_models_has_a_target() {
    for (format, name, _) in Format::ALL {
        let name = if format == Format::Native { "native" } else { name };
        let known = TARGETS.iter().any(|(target, _)| *target == name);
        assert!(known, "the reader of `{name}` has no target in TARGETS of fuzz/src/lib.rs");
    }
}

#[test]
fn a_broken_promise_is_noticed() {
    assert!(holds("harmless", |_| (), Vec::new()));
    assert!(!holds("broken on purpose", |_| panic!("this panic belongs to the test"), Vec::new()));
}
