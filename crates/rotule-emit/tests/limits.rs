//! Models that meet the limits of languages: long outputs, many numbers, wide calls, names that are
//! words.

use rotule_emit::languages::language;
use rotule_emit::plan::{StageUnit, plan_by};
use rotule_emit::{
    ArgumentEntry, EmitError, File, Meaning, Package, PackageFunction, Size, Trig, emit,
};
use rotule_program::{Program, parse};
use rotule_symbolic::Kind;
use std::fmt::Write;

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

fn package(program: Program, parameters: usize) -> Package {
    let quantity = |name: String| ArgumentEntry {
        name,
        unit: String::new(),
        about: String::new(),
        value: 1.5,
    };
    let outputs = program.outputs().iter().map(|_| Meaning::default()).collect();
    Package {
        model: "wide".to_owned(),
        prefix: "wide".to_owned(),
        about: String::new(),
        hash: "0".to_owned(),
        version: "0".to_owned(),
        parameters: (0..parameters).map(|k| quantity(format!("p{k}"))).collect(),
        frozen: Vec::new(),
        time: 0.0,
        q: vec![quantity("x".to_owned())],
        qd: Vec::new(),
        qdd: Vec::new(),
        state: Vec::new(),
        input: Vec::new(),
        direction: Vec::new(),
        weight: Vec::new(),
        effort: Vec::new(),
        shared: Vec::new(),
        groups: Vec::new(),
        functions: vec![PackageFunction {
            name: "wide".to_owned(),
            about: "a function".to_owned(),
            formalism: "none".to_owned(),
            inputs: vec![Kind::Coordinate],
            outputs,
            program,
        }],
        readable: false,
        trig: Trig::default(),
        batch: false,
        size: Size::Auto,
    }
}

fn written(package: &Package, name: &str) -> Result<Vec<File>, EmitError> {
    emit(package, language(name).expect("language is known"))
}

/// A program whose output is its parameters, so many of them.
fn parameters(count: usize) -> Program {
    let mut text = String::from("program wide\ninput x coordinate\n");
    for k in 0..count {
        let _ = writeln!(text, "input p{k} parameter");
    }
    let _ = writeln!(text, "body\noutput y({count})");
    for k in 0..count {
        let _ = writeln!(text, "({k}) = p{k}");
    }
    program(&text)
}

/// A sum of so many different numbers.
fn numbers(count: usize) -> Program {
    let mut text = String::from("program wide\ninput x coordinate\nbody\n%0 = mul x 2\n");
    for k in 1..count {
        let _ = writeln!(text, "%{k} = add %{} {k}.5", k - 1);
    }
    let _ = writeln!(text, "output y(1)\n(0) = %{}", count - 1);
    program(&text)
}

#[test]
fn results_without_operations_are_cut_as_well() {
    let program = parameters(3000);
    let plan = plan_by(&program, 400);
    for stage in [&plan.setup, &plan.body] {
        let mut results = 0;
        for unit in &stage.units {
            let StageUnit::Chunk(chunk) = unit else { panic!("there is no region") };
            assert!(chunk.results.len() <= 400);
            results += chunk.results.len();
        }
        assert_eq!((stage.chunks, results), (8, 3000));
    }
}

#[test]
fn many_parameters_are_no_long_method_of_java() {
    let files = written(&package(parameters(3000), 3000), "java").expect("it fits");
    let text = &files[0].text;
    assert!(text.contains("parameters__3.fill(all, 2000);"));
    let longest = text.split("\n    }\n").map(|method| method.lines().count()).max();
    assert!(longest < Some(1000), "{longest:?}");
}

#[test]
fn many_numbers_go_to_nested_classes_of_java() {
    let files = written(&package(numbers(30_000), 0), "java").expect("it fits");
    let text = &files[0].text;
    assert!(text.contains("private static final class Chunks__2 {"));
    assert!(!text.contains("Chunks__3"));
    assert!(text.contains("        Chunks__1.wide_"));
}

#[test]
fn what_java_cannot_hold_is_refused() {
    let mut text = String::from("program wide\nfunction f(20000) -> 1\ninput x coordinate\nbody\n");
    let _ = writeln!(text, "%0 = call f{}\n%1 = result %0 0", " x".repeat(20_000));
    let _ = writeln!(text, "output y(1)\n(0) = %1");
    let problem = written(&package(program(&text), 0), "java").expect_err("too long");
    assert!(problem.message.contains("`wide` needs a Java method of about"), "{problem:?}");
    assert!(!problem.help.is_empty());
}

#[test]
fn names_that_are_words_are_given_way_to() {
    let check = |language: &str, prefix: &str, file: &str, line: &str| {
        let mut package = package(numbers(3), 0);
        package.prefix = prefix.to_owned();
        let files = written(&package, language).expect("it fits");
        assert_eq!(files[0].name, file);
        assert!(files[0].text.contains(line), "{}", files[0].text);
    };
    check("java", "math", "MathModel.java", "public final class MathModel {");
    check("java", "class", "Class.java", "public final class Class {");
    check("java", "3 links", "X3Links.java", "public final class X3Links {");
    check("rust", "crate", "crate_.rs", "pub struct Crate {}");
    check("rust", "core", "core_.rs", "pub struct Core {}");
    check("rust", "result", "result.rs", "pub struct ResultModel {}");
}
