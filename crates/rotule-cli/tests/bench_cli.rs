//! `bench` as a person meets it, without other codes: what is measured, what is kept, and what is
//! refused.
//!
//! There is no clock in these tests: times are only searched. That numbers agree is checked by
//! the command itself, between programs, compilers and native code; here it is checked that it does
//! so.
#![cfg(target_os = "linux")]

mod common;

use common::{Folder, Run, command};
use serde_json::Value;
use std::fs;

/// Runs the command with a cache of its own; short repeats, for no time is looked at.
fn bench(folder: &Folder, words: &[&str]) -> Run {
    let mut call = command(&["bench"]);
    call.args(words).args(["--repeats", "2", "--milliseconds", "0.5", "--compiler", "gcc"]);
    call.env("ROTULE_CACHE", folder.path("cache"));
    call.output().expect("the program starts").into()
}

fn measured(folder: &Folder, model: &str, functions: &str, name: &str) -> Value {
    let out = folder.path(name);
    let answer = bench(folder, &[model, "--functions", functions, "--json", &out]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let text = fs::read_to_string(out).expect("numbers were written");
    serde_json::from_str(&text).expect("JSON")
}

fn rows(report: &Value, function: usize) -> &[Value] {
    report["functions"][function]["rows"].as_array().expect("rows").as_slice()
}

#[test]
fn every_kind_of_code_is_checked_counted_and_timed() {
    let folder = Folder::new("bench-kinds");
    let model = "examples/puma560.toml";
    let report = measured(&folder, model, "inverse,mass,jacobian(link6)", "first.json");
    assert_eq!(report["states"], 64);
    for function in 0..3 {
        let all = rows(&report, function);
        let word = |row: &Value, what: &str| row[what].as_str().unwrap_or_default().to_owned();
        let kinds: Vec<String> =
            all.iter().map(|row| word(row, "code") + " " + &word(row, "detail")).collect();
        match function {
            0 => assert_eq!(kinds, ["rotule ", "native "]),
            // Matrices that are symmetric or have zeros are measured once more without what need
            // not be written.
            _ => assert_eq!(kinds, ["rotule ", "rotule stored", "native ", "native stored"]),
        }
        for row in all {
            assert_eq!(row["error"], Value::Null, "{row}");
            assert!(row["difference"].as_f64().is_some_and(|off| off < 1e-12), "{row}");
            assert!(row["ns"].as_f64().is_some_and(|ns| ns > 0.0), "{row}");
            assert!(row["ns_median"].as_f64() >= row["ns"].as_f64(), "{row}");
        }
        assert!(all[0]["code_bytes"].as_u64().is_some_and(|bytes| bytes > 100), "{}", all[0]);
    }
    // Code of more operations has more bytes and more instructions.
    let [inverse, mass] = [0, 1].map(|function| &rows(&report, function)[0]);
    for what in ["operations", "code_bytes", "instructions"] {
        assert!(inverse[what].as_f64() > mass[what].as_f64(), "{what}: {inverse} {mass}");
    }
    // A second time nothing is built, and instructions are the same to the last one.
    let entries = || fs::read_dir(folder.path("cache/bench")).expect("a cache").count();
    let before = entries();
    let again = measured(&folder, model, "inverse,mass,jacobian(link6)", "second.json");
    assert_eq!(entries(), before);
    for function in 0..3 {
        let [old, new] = [&report, &again].map(|report| &rows(report, function)[0]);
        assert_eq!(old["instructions"], new["instructions"]);
        assert_eq!(old["operations"], new["operations"]);
    }
}

/// Derivatives come from two programs that were found in different ways; each is held against the
/// other.
#[test]
fn ways_to_the_same_results_agree() {
    let folder = Folder::new("bench-ways");
    let functions = "inverse_derivatives,forward_derivatives,forward";
    for model in ["examples/double_pendulum.toml", "examples/heavy_top.toml"] {
        let name = format!("{}.json", model.len());
        let report = measured(&folder, model, functions, &name);
        let ways = rows(&report, 0);
        let details = ways.iter().filter_map(|row| row["detail"].as_str());
        let whole: Vec<&str> = details.filter(|detail| !detail.ends_with("stored")).collect();
        assert_eq!(whole, ["at once", "one by one", "at once", "one by one"]);
        for row in (0..3).flat_map(|function| rows(&report, function)) {
            assert!(row["difference"].as_f64().is_some_and(|off| off < 1e-12), "{row}");
        }
    }
}

#[test]
fn the_table_has_a_line_for_each_code() {
    let folder = Folder::new("bench-table");
    let answer = bench(&folder, &["examples/cart_pole.toml", "--functions", "mass"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for words in ["2 speeds", "mass matrix", "Rotule C", "Rotule native", "instr."] {
        assert!(answer.out.contains(words), "{words}: {}", answer.out);
    }
    assert!(!answer.out.contains("not measured"), "{}", answer.out);
}

#[test]
fn what_cannot_be_measured_is_reported_with_its_remedy() {
    let folder = Folder::new("bench-refused");
    let model = "examples/cart_pole.toml";
    let check = |words: &[&str], requested: &str| {
        let answer = bench(&folder, words);
        // A code that there is not is none for any model.
        let code = if words.contains(&"--against") { 2 } else { 1 };
        assert_eq!(answer.code, Some(code), "{words:?}");
        assert!(answer.err.contains(requested), "{words:?}: {}", answer.err);
    };
    check(&[model, "--functions", "mas"], "did you mean `mass`?");
    // Nothing is begun that cannot be ended.
    let answer = bench(&folder, &[model, "--functions", "mass,mas"]);
    assert!(answer.err.starts_with("error: "), "{}", answer.err);
    check(&[model, "--functions", "mass,mass"], "`mass` is named twice");
    check(&[model, "--against", "matlab"], "expected one of pinocchio, casadi, mujoco");
    check(&["examples/no_such.toml"], "examples/no_such.toml");
    let mut call = command(&["bench", model]);
    call.env("PATH", "").env("ROTULE_CACHE", folder.path("cache"));
    let answer: Run = call.output().expect("the program starts").into();
    assert_eq!(answer.code, Some(1));
    assert!(answer.err.contains("no C compiler"), "{}", answer.err);
    assert!(answer.err.contains("apt-get install gcc"), "{}", answer.err);
}

/// Other codes take trees under their weight alone. The rest is measured all the same, and nothing
/// is fetched.
#[test]
fn a_model_that_others_cannot_take_is_measured_alone() {
    let folder = Folder::new("bench-alone");
    let words = ["examples/motor_pendulum.toml", "--functions", "inverse", "--against", "casadi"];
    let answer = bench(&folder, &words);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(answer.out.contains("not measured: no other code is compared"), "{}", answer.out);
    assert!(answer.out.contains("Rotule C"), "{}", answer.out);
    assert!(!answer.err.contains("PyPI"), "{}", answer.err);
}
