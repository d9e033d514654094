//! Hostile texts: whatever is read, the answer is a valid program or an error with a place.

use proptest::collection::vec;
use proptest::prelude::*;
use rotule_program::passes::{check_slots, optimise, slots};
use rotule_program::{ProgramParseError, parse, print, readable, verify};
use rotule_testing::program::{Range, program_from};
use std::fmt::Write;

/// Reads a text; a program that comes out must survive everything that follows.
fn feed(text: &str) -> Option<ProgramParseError> {
    let mut program = match parse(text) {
        Ok(program) => program,
        Err(error) => {
            let lines = text.split('\n').count();
            assert!((1..=lines).contains(&error.line), "{error}");
            let width = text.split('\n').nth(error.line - 1).map_or(0, |line| line.chars().count());
            assert!((1..=width + 1).contains(&error.column), "{error}");
            assert!(!error.to_string().is_empty());
            return Some(error);
        }
    };
    let printed = print(&program);
    let again = parse(&printed).expect("what is printed can be read");
    assert_eq!(printed, print(&again));
    readable(&program);
    optimise(&mut program);
    assert_eq!(verify(&program), Ok(()));
    assert_eq!(check_slots(&program, &slots(&program)), Ok(()));
    None
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes(bytes in vec(any::<u8>(), 0..300)) {
        feed(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_words(words in vec(0_usize..WORDS.len(), 0..120)) {
        let mut text = String::from("program p\ninput a parameter\ninput b time\n");
        for word in words {
            text.push_str(WORDS[word]);
            text.push(' ');
        }
        feed(&text);
    }

    #[test]
    fn truncated_texts(choices in vec(any::<u16>(), 0..200), part in 0.0..1.0) {
        let text = print(&program_from(&choices, Range::All));
        let mut end = (text.len() as f64 * part) as usize;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        feed(&text[..end]);
    }

    #[test]
    fn mutated_texts(
        choices in vec(any::<u16>(), 0..200),
        changes in vec((any::<u16>(), any::<u16>(), 0_usize..3), 1..6),
    ) {
        let text = print(&program_from(&choices, Range::All));
        let mut tokens: Vec<String> =
            text.split_inclusive([' ', '\n']).map(str::to_string).collect();
        for (at, from, how) in changes {
            let (at, from) = (usize::from(at) % tokens.len(), usize::from(from) % tokens.len());
            match how {
                0 => tokens[at] = tokens[from].clone(),
                1 => tokens.swap(at, from),
                _ => tokens[at].clear(),
            }
        }
        feed(&tokens.concat());
    }

    #[test]
    fn mutated_characters(
        choices in vec(any::<u16>(), 0..200),
        changes in vec((any::<u16>(), any::<char>()), 1..4),
    ) {
        let text = print(&program_from(&choices, Range::All));
        let mut chars: Vec<char> = text.chars().collect();
        for (at, c) in changes {
            let at = usize::from(at) % chars.len();
            chars[at] = c;
        }
        feed(&chars.into_iter().collect::<String>());
    }
}

const WORDS: [&str; 38] = [
    "\n",
    "\n",
    "\n",
    "\nsetup\n",
    "\nbody\n",
    "\noutput x(1)\n",
    "\nend\n",
    "\n%0 =",
    "\n%1 =",
    "\n%2 =",
    "\nstate %3 =",
    "\nstate %4 =",
    "\nnext",
    "\nresidual",
    "%0",
    "%1",
    "%2",
    "%3",
    "a",
    "b",
    "add",
    "mul",
    "neg",
    "sin",
    "select",
    "<",
    "then",
    "else",
    "call f",
    "\nfunction f(1) -> 2\n",
    "region r limit 3 tolerance",
    "result",
    "0",
    "1",
    "nan",
    "(0) =",
    "(1, 2)",
    "symmetric",
];

fn message(text: &str) -> String {
    feed(text).map_or_else(|| "no error".into(), |error| error.to_string())
}

fn check(text: &str, expected: &str) {
    assert_eq!(message(text), expected);
}

#[test]
fn deep_nesting_is_refused() {
    let mut text = String::from("program deep\nbody\n");
    for k in 0..100_000 {
        let _ = writeln!(text, "%{k} = region r limit 1 tolerance 0");
    }
    check(&text, "19:7: regions lie more than 16 deep inside each other");
}

#[test]
fn nesting_up_to_the_limit_is_accepted() {
    let mut text = String::from("program deep\nbody\n");
    for k in 0..16 {
        let _ = writeln!(text, "%{k} = region r limit 1 tolerance 0");
    }
    text.push_str(&"end\n".repeat(16));
    check(&text, "no error");
}

#[test]
fn huge_numbers_allocate_nothing() {
    check(
        "program p\nfunction f(4000000000) -> 4000000000",
        "2:12: the number is above the limit 65536",
    );
    check(
        "program p\noutput y(4000000000, 4000000000)",
        "1:1: the program has outputs of 16000000000000000000 numbers, the limit is 67108864",
    );
    check(
        "program p\nbody\n%99999999999999999999 = neg 1",
        "3:1: the number is above the limit 18446744073709551615",
    );
    check("program p\nbody\n%18446744073709551615 = neg 1", "no error");
    check(
        "program p\nbody\n%0 = region r limit 4294967295 tolerance 1",
        "3:21: the number is above the limit 1000000",
    );
}

#[test]
fn long_numbers_are_read_in_linear_time() {
    let digits = "1".repeat(10_000_000);
    let error = message(&format!("program p\nbody\n%0 = neg {digits}"));
    assert!(error.starts_with("3:10: found `1111"), "{error}");
    assert!(
        error.ends_with("which is larger than any double; write inf if it is meant"),
        "{error}"
    );
    check(&format!("program p\nbody\n%0 = neg 0.{digits}"), "no error");
}

#[test]
fn long_names_are_refused() {
    let name = "n".repeat(1025);
    let limit = "the name has 1025 bytes, the limit is 1024";
    check(&format!("program {name}"), &format!("1:9: {limit}"));
    check(&format!("program \"{name}\""), &format!("1:9: {limit}"));
    check(&format!("program {}", "n".repeat(1024)), "no error");
}

#[test]
fn equal_hashes_cannot_be_provoked() {
    // Many values whose numbers agree in their low bits.
    let mut text = String::from("program p\nbody\n");
    for k in 0..50_000_u64 {
        let _ = writeln!(text, "%{} = neg 1", k << 40);
    }
    check(&text, "no error");
}
