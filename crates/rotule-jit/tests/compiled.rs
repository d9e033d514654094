//! Libraries of the machine's C compiler against the interpreter, and their cache: what is kept,
//! and what is not trusted.
//!
//! Everything that needs the cache is in one test, because its place is told by a variable of the
//! process.

#![cfg(unix)]

use rotule_jit::{
    Compiled, InputSource, Interpreted, KernelError, KernelKind, KernelOptions, Many, ManyInputs,
    Native, ProgramKernel, StateArray, kernel,
};
use rotule_program::{Externals, ForeignSignature, NoExternals, Program, parse};
use rotule_testing::program::{Library, Range, program_from};
use std::fs;
use std::ops::ControlFlow;
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The cache folder of the process that makes kernels for this test; the tests run again in such a
/// process.
const INSIDE: &str = "ROTULE_TEST_INSIDE";

/// A folder for a test, empty, for nobody else.
fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("rotule-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir(&path).expect("a folder can be made");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).expect("it is ours");
    path
}

/// Runs a test of this file once more, with a cache folder; gives what it printed.
fn again(test: &str, cache: &Path, compiler: Option<&str>) -> (bool, String) {
    let mut command = Command::new(std::env::current_exe().expect("a test runs"));
    command.args(["--exact", test, "--nocapture"]).env("ROTULE_CACHE", cache).env(INSIDE, "1");
    if let Some(compiler) = compiler {
        command.env("CC", compiler);
    }
    let output = command.output().expect("it ran a moment ago");
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.success(), text.into_owned())
}

fn inside() -> bool {
    std::env::var_os(INSIDE).is_some()
}

fn small() -> Program {
    let text = "program small
         input r coordinate
         body
           %0 = mul r r
           %1 = sin %0
         output a(1)
           (0) = %1";
    parse(text).expect("a program")
}

fn close(x: f64, y: f64) -> bool {
    x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= 1e-13 * (1.0 + x.abs())
}

/// Random programs with everything that a program can hold. The choices come from a generator of
/// their own, so that a failure can be seen again.
#[test]
fn random_programs() {
    if !inside() {
        let cache = folder("random");
        let (good, text) = again("random_programs", &cache, None);
        assert!(good, "{text}");
        fs::remove_dir_all(cache).expect("it is ours");
        return;
    }
    let mut state = 1_u64;
    let mut next = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as u16
    };
    let (mut iterated, mut compared) = (0, 0);
    for round in 0..25 {
        let choices: Vec<u16> = (0..100 + 20 * round).map(|_| next()).collect();
        let program = program_from(&choices, Range::All);
        let mut meaning = Interpreted::new(&program).expect("the program is valid");
        let mut compiled = Compiled::new(&program, KernelOptions::default())
            .unwrap_or_else(|error| panic!("{error}"));
        for _ in 0..3 {
            let inputs: Vec<f64> =
                program.inputs().iter().map(|_| f64::from(next()) / 1e4 - 3.0).collect();
            let run = |kernel: &mut dyn ProgramKernel| {
                let mut outputs = vec![7.0; program.output_len()];
                kernel.setup(&inputs, &mut Library).expect("the lengths are right");
                kernel
                    .evaluate(&inputs, &mut outputs, &mut Library)
                    .expect("the lengths are right");
                outputs
            };
            let (expected, found) = (run(&mut meaning), run(&mut compiled));
            let text = || rotule_program::print(&program);
            for (x, y) in expected.iter().zip(&found) {
                assert!(close(*x, *y), "round {round}: {x} {y}\n{}", text());
                compared += 1;
            }
            assert_eq!(meaning.converged(0), compiled.converged(0), "{}", text());
            for (known, seen) in meaning.regions(0).iter().zip(compiled.regions(0)) {
                if seen.runs > 0 {
                    assert_eq!(known, seen, "{}", text());
                    iterated += seen.iterations;
                }
            }
        }
    }
    assert!(compared > 100 && iterated > 0, "{compared} {iterated}");
}

/// One library for a program, whoever asks, and even if it was damaged meanwhile.
#[test]
fn libraries_are_kept() {
    if inside() {
        let program = small();
        let mut kernel =
            Compiled::new(&program, KernelOptions::default()).expect("there is a compiler");
        let mut found = [0.0];
        kernel.setup(&[2.0], &mut NoExternals).expect("lengths are right");
        kernel.evaluate(&[2.0], &mut found, &mut NoExternals).expect("lengths are right");
        assert!(close(found[0], 4.0_f64.sin()));
        return;
    }
    let cache = folder("kept");
    let run = || {
        let (good, text) = again("libraries_are_kept", &cache, None);
        assert!(good, "{text}");
        let list = fs::read_dir(&cache).expect("the cache is there");
        let mut paths: Vec<PathBuf> = list.map(|one| one.expect("readable").path()).collect();
        assert_eq!(paths.len(), 1, "{paths:?}");
        paths.remove(0).join("kernel.so")
    };
    // Two at once.
    std::thread::scope(|scope| {
        let other = scope.spawn(|| again("libraries_are_kept", &cache, None));
        let (good, text) = again("libraries_are_kept", &cache, None);
        assert!(good, "{text}");
        assert!(other.join().expect("no panic").0);
    });
    let library = run();
    let made = fs::metadata(&library).and_then(|found| found.modified()).expect("a library");
    assert_eq!(run(), library);
    let now = fs::metadata(&library).and_then(|found| found.modified()).expect("a library");
    assert_eq!(made, now, "it was compiled twice");
    // Half a library, a library that others may write to, another source: none of them is loaded.
    fs::write(&library, "not a library").expect("it is ours");
    run();
    let mode = fs::Permissions::from_mode;
    fs::set_permissions(&cache, mode(0o777)).expect("it is ours");
    let (good, text) = again("libraries_are_kept", &cache, None);
    assert!(!good && text.contains("others can write to"), "{text}");
    fs::remove_dir_all(cache).expect("it is ours");
}

/// Unavailable kernels are refused with a reason.
#[test]
fn refusals() {
    if inside() {
        match Compiled::new(&small(), KernelOptions::default()) {
            Err(KernelError::Unavailable(reason)) => println!("refused: {reason}"),
            other => panic!("{:?}", other.err()),
        }
        return;
    }
    let cache = folder("refused");
    for (compiler, expected) in [
        ("no-such-compiler", "there is no C compiler here (no-such-compiler)"),
        // It answers, and compiles nothing.
        ("true", "the cache folder"),
    ] {
        let (good, text) = again("refusals", &cache, Some(compiler));
        assert!(good && text.contains(expected), "{text}");
        assert_eq!(fs::read_dir(&cache).expect("it is there").count(), 0, "something was left");
    }
    let (good, text) = again("refusals", Path::new("/dev/null/cache"), None);
    assert!(good && text.contains("refused: the cache folder /dev/null/cache"), "{text}");
    fs::remove_dir_all(cache).expect("it is ours");
}

/// Many states, one after the other in each of two threads.
#[test]
fn many_states() {
    if !inside() {
        let cache = folder("many");
        let (good, text) = again("many_states", &cache, None);
        assert!(good, "{text}");
        fs::remove_dir_all(cache).expect("it is ours");
        return;
    }
    let program = small();
    let mut many =
        Many::new(&program, KernelKind::Compiled, KernelOptions::default(), 2).expect("a compiler");
    assert_eq!((many.kernel().name(), many.kernel().width()), ("compiled", 1));
    let radii: Vec<f64> = (0..100).map(|k| f64::from(k) * 0.1).collect();
    let inputs = ManyInputs {
        states: radii.len(),
        sources: &[InputSource::Column { array: 0, column: 0 }],
        arrays: &[StateArray { name: "r", numbers: &radii, row: 1 }],
    };
    let mut found = vec![0.0; radii.len()];
    let on = |_: usize| ControlFlow::Continue(());
    let ended = many.evaluate(&inputs, &mut [Some(&mut found)], &|| Box::new(NoExternals), &on);
    assert_eq!(ended, Ok(Vec::new()));
    assert!(radii.iter().zip(&found).all(|(r, found)| close((r * r).sin(), *found)));
}

struct Panics;

impl Externals for Panics {
    fn call(&mut self, _: &ForeignSignature, _: &[f64], _: &mut [f64]) {
        panic!("a law that fails");
    }
}

struct Doubles;

impl Externals for Doubles {
    fn call(&mut self, _: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        results.iter_mut().zip(arguments).for_each(|(result, x)| *result = 2.0 * x);
    }
}

/// A function that panics goes through, and the kernel is as good as before.
#[test]
fn panics_pass() {
    if !inside() {
        let cache = folder("panics");
        let (good, text) = again("panics_pass", &cache, None);
        assert!(good, "{text}");
        fs::remove_dir_all(cache).expect("it is ours");
        return;
    }
    let text = "program law
         input x coordinate
         function twice(1) -> 1
         body
           %0 = call twice x
           %1 = result %0 0
         output y(1)
           (0) = %1";
    let program = parse(text).unwrap_or_else(|problem| panic!("{problem}"));
    let mut kernel =
        kernel(&program, KernelKind::Compiled, KernelOptions::default()).expect("a compiler");
    assert_eq!(kernel.name(), "compiled");
    let mut found = [0.0];
    kernel.setup(&[1.5], &mut Doubles).expect("lengths are right");
    let failed =
        catch_unwind(AssertUnwindSafe(|| kernel.evaluate(&[1.5], &mut found, &mut Panics)));
    assert!(failed.is_err());
    kernel.evaluate(&[1.5], &mut found, &mut Doubles).expect("lengths are right");
    assert_eq!(found, [3.0]);
    assert!(kernel.evaluate(&[], &mut found, &mut Doubles).is_err());
    assert!(kernel.evaluate(&[1.0], &mut [], &mut Doubles).is_err());
}

/// Numbers equal those of native code, with operations fused or not.
#[test]
fn fused_operations() {
    if !inside() {
        let cache = folder("fused");
        let (good, text) = again("fused_operations", &cache, None);
        assert!(good, "{text}");
        fs::remove_dir_all(cache).expect("it is ours");
        return;
    }
    let text = "program fused
         input x coordinate
         input y coordinate
         body
           %0 = mul x x
           %1 = sub %0 y
         output z(1)
           (0) = %1";
    let program = parse(text).expect("a program");
    // x^2 rounds to y, and what is left is the error of the rounding.
    let x = 1.0 + f64::EPSILON;
    for (fuse, expected) in [(false, 0.0), (true, x.mul_add(x, -(x * x)))] {
        let options = KernelOptions { fuse };
        let mut compiled = Compiled::new(&program, options).expect("there is a compiler");
        let mut native = Native::new(&program, options).expect("this machine can");
        for kernel in [&mut compiled as &mut dyn ProgramKernel, &mut native] {
            let mut found = [7.0];
            kernel.setup(&[x, x * x], &mut NoExternals).expect("lengths are right");
            kernel.evaluate(&[x, x * x], &mut found, &mut NoExternals).expect("lengths are right");
            assert_eq!(found, [expected], "{}", kernel.name());
        }
    }
}
