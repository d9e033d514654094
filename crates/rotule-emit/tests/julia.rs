//! Julia's text, compared with golden files: there is no Julia to run it on most machines that
//! build Rotule.
//!
//! One small package has all that a language prints: both stages, an iteration in each, states that
//! exchange places, an external function, a number, a vector, a sparse and a symmetric matrix,
//! every function that Julia would raise an error in. `UPDATE_EXPECT=1` rewrites the files; read
//! them as Julia would before they are kept.

use rotule_emit::languages::language;
use rotule_emit::{ArgumentEntry, File, Meaning, Package, PackageFunction, Size, Trig, emit};
use rotule_program::parse;
use rotule_symbolic::Kind;

const PROGRAM: &str = "program sample
    input m parameter
    input x coordinate
    input end coordinate
    input t time
    function tyre(2) -> 3

    setup
      %0 = mul m m
      %1 = region root limit 20 tolerance 1e-12
        state %2 = m
        %3 = mul %2 %2
        %4 = sub %3 m
        %5 = div %4 %2
        %6 = mul %5 0.5
        %7 = sub %2 %6
        next %7
        residual %4
      end
      %8 root_of_m = result %1 0
    body
      %10 speed = mul %8 x
      %11 = sin %10
      %12 = sqrt %11
      %13 = pow %12 end
      %14 = atan2 %13 x
      %15 = call tyre %14 t
      %16 = result %15 1
      %17 = select %16 < 0.5 then %16 else nan
      %18 = region exchange limit 5 tolerance 0.001
        state %19 = x
        state %20 = end
        %21 = add %19 %20
        next %20 %19
        residual %21
      end
      %22 = result %18 0
      %23 = result %18 2
      %24 = mul %0 %22
      %25 = max %24 %23
      %26 = neg %25
    output number(1)
      (0) = %17
    output force(2)
      (0) = %24
      (1) = %26
    output sparse(2, 3)
      (1, 2) = %13
    output M(2, 2) symmetric
      (0, 0) = m
      (1, 0) = %25";

fn package(readable: bool) -> Package {
    let quantity = |name: &str, value: f64| ArgumentEntry {
        name: name.to_owned(),
        unit: "m".to_owned(),
        about: "costs $5 \"or\" less".to_owned(),
        value,
    };
    let program = parse(PROGRAM).unwrap_or_else(|error| panic!("{error}"));
    let names = |count: u32| (1..=count).map(|k| format!("e{k}")).collect::<Vec<String>>();
    let meaning = |output: &rotule_program::ProgramOutput| Meaning {
        rows: names(output.rows),
        columns: if output.columns == 1 { Vec::new() } else { names(output.columns) },
        scalar: output.name == "number",
        unit: "N".to_owned(),
        places: Vec::new(),
    };
    Package {
        model: "small sample".to_owned(),
        prefix: "small sample".to_owned(),
        about: String::new(),
        hash: "0".to_owned(),
        version: "0".to_owned(),
        parameters: vec![quantity("m", 2.0)],
        frozen: Vec::new(),
        time: 0.5,
        q: vec![quantity("x", 1e-3), quantity("end", -2.0)],
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
            name: "sample(x)".to_owned(),
            about: "all there is".to_owned(),
            formalism: "none".to_owned(),
            inputs: vec![Kind::Coordinate],
            outputs: program.outputs().iter().map(meaning).collect(),
            program,
        }],
        readable,
        trig: Trig::default(),
        batch: false,
        size: Size::default(),
    }
}

fn check(file: &File, folder: &str) {
    let path = format!("{}/tests/golden/{folder}/{}", env!("CARGO_MANIFEST_DIR"), file.name);
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &file.text).expect("a file that can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(file.text, expected, "{path}");
}

#[test]
fn julia_is_what_was_read_and_found_good() {
    let julia = language("julia").expect("Julia is a language");
    for (readable, folder) in [(false, "julia"), (true, "julia_readable")] {
        let files = emit(&package(readable), julia).expect("the package is complete");
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names, ["small_sample.jl", "small_sample_demo.jl", "small_sample_externals.jl"]);
        files.iter().for_each(|file| check(file, folder));
    }
}
