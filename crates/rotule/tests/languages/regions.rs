//! Programs that no open tree has: iterated regions of all kinds, external functions, every
//! operation, outputs of every shape. They are written by hand and put into packages.

use crate::check::check;
use crate::tools::Tooling;
use rotule::layers::emit::{ArgumentEntry, Meaning, Package, PackageFunction, Size, Trig};
use rotule::layers::program::{
    ArithmeticOperation, Block, Operation, Program, ProgramOutput, Value, parse,
};
use rotule::layers::symbolic::Kind;
use std::fmt::Write;

/// Newton's square root with what it tells; one that gives up; a root within a root; states that
/// exchange places; one whose states end after different times, with one inside that never does; a
/// region whose start, tolerance and end are parameters.
const REGIONS: &str = "program regions
    input a parameter
    input eps parameter
    input x coordinate
    input y coordinate
    setup
      %1 = region in_setup limit 60 tolerance eps
        state %2 = a
        %3 = mul %2 %2
        %4 = sub %3 a
        %5 = div %4 %2
        %6 = mul %5 0.5
        %7 = sub %2 %6
        next %7
        residual %4
      end
      %8 root_of_a = result %1 0
    body
      %10 = region root limit 60 tolerance eps
        state %11 = 1
        %12 = mul %11 %11
        %13 = sub %12 y
        %14 = div %13 %11
        %15 = mul %14 0.5
        %16 = sub %11 %15
        next %16
        residual %13
      end
      %17 = result %10 0
      %18 = result %10 1
      %19 = result %10 2
      %20 = region gives_up limit 3 tolerance 0
        state %21 = x
        %22 = add %21 1
        next %22
        residual %22
      end
      %23 = result %20 0
      %24 = result %20 1
      %25 = result %20 2
      %30 = region exchange limit 5 tolerance 0
        state %31 = x
        state %32 = y
        state %33 = a
        %34 = add %31 %32
        next %32 %33 %31
        residual %34
      end
      %35 = result %30 0
      %36 = result %30 1
      %37 = result %30 2
      %40 = region outer limit 4 tolerance 0
        state %41 = 2
        %42 = region inner limit 50 tolerance eps
          state %43 = %41
          %44 = mul %43 %43
          %45 = sub %44 %41
          %46 = div %45 %43
          %47 = mul %46 0.5
          %48 = sub %43 %47
          next %48
          residual %45
        end
        %49 = result %42 0
        %50 = add %49 1
        next %50
        residual %50
      end
      %51 = result %40 0
      %52 = mul %51 %8
      %60 = region ends_apart limit 200 tolerance 5.5e-5
        state %61 = x
        %62 = region never limit 2 tolerance 0
          state %63 = %61
          %64 = add %63 1
          next %64
          residual %64
        end
        %65 = result %62 0
        %66 = sub %65 2
        %67 = sub %66 0.76
        %68 = add %66 0.0001
        next %68
        residual %67
      end
      %69 = result %60 1
      %53 = sub %24 %18
      %54 = neg %18
      %55 = div %19 %24
    output counts(3)
      (0) = %53
      (1) = %54
      (2) = %55
    output y(13)
      (0) = %17
      (1) = %18
      (2) = %19
      (3) = %23
      (4) = %24
      (5) = %25
      (6) = %35
      (7) = %36
      (8) = %37
      (9) = %51
      (10) = %52
      (11) = x
      (12) = %69";

/// External functions in both stages and in a region; results that nobody reads, and one that is an
/// output.
const CALLS: &str = "program calls
    function tyre(2) -> 3
    input a parameter
    input x coordinate
    input y coordinate
    setup
      %1 = call tyre a 2
      %2 = result %1 1
    body
      %3 = mul x %2
      %4 = call tyre %3 y
      %5 = result %4 0
      %6 = result %4 2
      %7 = region loop limit 3 tolerance 0
        state %8 = x
        %9 = call tyre %8 y
        %10 = result %9 0
        %11 = mul %10 0.125
        next %11
        residual %11
      end
      %12 = result %7 0
      %13 = sub %12 %5
    output y(3)
      (0) = %13
      (1) = %6
      (2) = %2";

/// Every operation, with the arguments that languages treat differently.
const OPERATIONS: &str = "program operations
    input a parameter
    input x coordinate
    input y coordinate
    body
      %0 = sin x
      %1 = cos x
      %2 = tan x
      %3 = mul x 0.25
      %4 = asin %3
      %5 = acos %3
      %6 = atan y
      %7 = abs x
      %8 = sqrt %7
      %9 = exp x
      %10 = log %7
      %11 = sign x
      %12 = sub x x
      %13 = sign %12
      %14 = neg y
      %15 = sign %14
      %16 = atan2 x y
      %17 = min x y
      %18 = max x y
      %19 = pow %7 0.3
      %20 = div %12 %12
      %21 = min %20 x
      %22 = max x %20
      %23 = sign %20
      %24 = select x < y then a else y
      %25 = select y <= y then a else x
      %26 = select x == y then a else y
      %27 = select x != y then %0 else y
      %28 = neg %14
      %29 = sub x %14
      %30 = mul %14 -2
      %31 = sub a %30
      %32 = div 1 %31
      %33 = mul x y
      %34 = mul a %33
      %35 = add x y
      %36 = sub a %35
      %37 = div a %33
      %38 = div %37 1e300
      %39 = add %38 1e-7
      %40 = atan2 %12 %14
      %41 = select %20 < x then a else y
      %42 = select %20 != x then a else y
      %43 = mul x 7.5
      %44 = floor %43
      %45 = neg %43
      %46 = floor %45
      %47 = mul %43 1e20
      %48 = floor %47
      %49 = floor %20
      %50 = div 1 %12
      %51 = floor %50
      %52 = floor %46
    output y(40)
      (0) = %0
      (1) = %1
      (2) = %2
      (3) = %4
      (4) = %5
      (5) = %6
      (6) = %8
      (7) = %9
      (8) = %10
      (9) = %11
      (10) = %13
      (11) = %15
      (12) = %16
      (13) = %17
      (14) = %18
      (15) = %19
      (16) = %21
      (17) = %22
      (18) = %23
      (19) = %24
      (20) = %25
      (21) = %26
      (22) = %27
      (23) = %28
      (24) = %29
      (25) = %32
      (26) = %34
      (27) = %36
      (28) = %37
      (29) = %39
      (30) = %40
      (31) = %41
      (32) = %42
      (33) = -3.5
      (34) = %44
      (35) = %46
      (36) = %48
      (37) = %49
      (38) = %51
      (39) = %52";

/// A scalar, a symmetric and a sparse matrix, one of zeros alone, a single row; entries that are
/// inputs, parameters and numbers.
const SHAPES: &str = "program shapes
    input a parameter
    input x coordinate
    input y coordinate
    body
      %0 = mul x y
      %1 = mul a x
      %2 = add %0 %1
    output number(1)
      (0) = %0
    output square(3, 3) symmetric
      (0, 0) = %1
      (1, 0) = %2
      (2, 2) = a
      (2, 1) = x
    output sparse(2, 4)
      (0, 3) = %2
      (1, 0) = %0
      (1, 2) = 2
    output nothing(2, 2)
    output row(1, 3)
      (0, 1) = y";

/// Names like words of the languages: parameters, coordinates and the model itself.
const NAMES: &str = "program names
    input while parameter
    input lambda parameter
    input \"end\" parameter
    input floor parameter
    input x coordinate
    input y coordinate
    body
      %0 class = mul while x
      %1 self = add %0 lambda
      %2 function = mul %1 y
      %3 M = sub %2 %0
      %4 m = mul %3 %2
      %5 T1 = add %4 \"end\"
      %6 Omega = mul %5 %1
      %8 = mul %6 floor
      %9 floor = floor %8
      %10 = add %9 %6
      %7 sin = sin %10
    output while(2)
      (0) = %7
      (1) = %4
    output M(1)
      (0) = %5
    output s(1)
      (0) = %4
    output n(1)
      (0) = %5
    output count(2)
      (1) = %6
    output start(1)
      (0) = %7
    output stop(1)
      (0) = x";

/// Runs all of them in one language, in both faces.
pub fn check_regions(tooling: &Tooling) {
    for readable in [false, true] {
        let face = if readable { "_readable" } else { "" };
        let regions = part("regions", program(REGIONS), &[]);
        let operations = part("operations", program(OPERATIONS), &[]);
        let shapes = part("shapes", program(SHAPES), &["number"]);
        let large = part("large", large(), &[]);
        let parts = vec![regions, operations, shapes, large];
        check(tooling, &package("by hand", parts, readable), &format!("by_hand{face}"));
        let shapes = part("shapes", program(SHAPES), &["number"]);
        let stored = package("stored", vec![shapes], readable).packed_storage();
        check(tooling, &stored, &format!("stored{face}"));
        let regions = part("regions", program(REGIONS), &[]);
        let status = package("status", vec![regions], readable).with_status();
        assert_eq!(status.functions[0].outputs.last().map(|one| one.columns.len()), Some(4));
        check(tooling, &status, &format!("status{face}"));
        let calls = part("calls", program(CALLS), &[]);
        check(tooling, &package("with calls", vec![calls], readable), &format!("calls{face}"));
        let names = part("names", program(NAMES), &[]);
        check(tooling, &package("while", vec![names], readable), &format!("names{face}"));
    }
}

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

/// Newton's method on a sum of 3000 terms, so that its block is cut into chunks, with regions
/// inside and around it.
fn large() -> Program {
    let mut text = String::from(
        "program large\ninput a parameter\ninput x coordinate\ninput y coordinate\nbody\n%0 = mul x a\n",
    );
    let _ = writeln!(text, "%1 = region big limit 30 tolerance 1e-12\nstate %2 = %0\nstate %3 = y");
    let _ = writeln!(text, "%4 = mul %2 0.0001\n%5 = mul %0 0.5");
    let _ = writeln!(text, "%6 = region small limit 2 tolerance 0\nstate %7 = %4");
    let _ = writeln!(text, "%8 = mul %7 0.5\nnext %8\nresidual 1\nend\n%9 = result %6 0");
    let mut last = 9;
    for k in 10..3010 {
        let word = ["add", "mul", "sub"][k % 3];
        let other = ["%4", "0.999", "%5"][k % 3];
        let _ = writeln!(text, "%{k} = {word} %{last} {other}");
        last = k;
    }
    let (residual, next, other) = (last + 1, last + 2, last + 3);
    let _ = writeln!(text, "%{residual} = sub %{last} %2\n%{next} = mul %{last} 0.25");
    let _ =
        writeln!(text, "%{other} = mul %3 0.5\nnext %{next} %{other}\nresidual %{residual}\nend");
    let [first, second, third, sum] = [other + 1, other + 2, other + 3, other + 4];
    let _ =
        writeln!(text, "%{first} = result %1 0\n%{second} = result %1 1\n%{third} = result %1 2");
    let _ = writeln!(text, "%{sum} = add %{first} %{second}");
    let _ = writeln!(
        text,
        "output y(4)\n(0) = %{first}\n(1) = %{second}\n(2) = %{third}\n(3) = %{sum}"
    );
    let mut program = program(&text);
    // The same again behind it, without a region, so that chunks follow the loop, too.
    let mut sum = Value::new(0);
    let number = program.constant(0.75);
    for k in 0..2500 {
        let (word, other) = if k % 2 == 0 {
            (ArithmeticOperation::Add, number)
        } else {
            (ArithmeticOperation::Mul, number)
        };
        sum = program.push(Block::Body, Operation::Arithmetic(word, sum, other));
    }
    program.output(ProgramOutput::vector("z", &[sum]));
    program
}

fn part(name: &str, program: Program, scalars: &[&str]) -> PackageFunction {
    let meaning = |output: &ProgramOutput| Meaning {
        rows: (1..=output.rows).map(|row| format!("row {row}")).collect(),
        columns: match output.columns == 1 {
            true => Vec::new(),
            false => (1..=output.columns).map(|column| format!("column {column}")).collect(),
        },
        scalar: scalars.contains(&output.name.as_str()),
        unit: "m".to_owned(),
        places: Vec::new(),
    };
    PackageFunction {
        name: name.to_owned(),
        about: "written by hand */ to test".to_owned(),
        formalism: "none".to_owned(),
        inputs: vec![Kind::Coordinate],
        outputs: program.outputs().iter().map(meaning).collect(),
        program,
    }
}

fn package(model: &str, functions: Vec<PackageFunction>, readable: bool) -> Package {
    let quantity = |name: &str, value: f64| ArgumentEntry {
        name: name.to_owned(),
        unit: String::new(),
        about: "é \\ \" */ ' #= %}\n".to_owned(),
        value,
    };
    Package {
        model: model.to_owned(),
        prefix: model.to_owned(),
        about: "programs written by hand */ \u{1F600}\nsecond line".to_owned(),
        hash: "0".to_owned(),
        version: "0".to_owned(),
        parameters: vec![
            quantity("a", 2.5),
            quantity("eps", 1e-12),
            quantity("while", 1.5),
            quantity("lambda", -0.5),
            quantity("end", 0.75),
            quantity("floor", 3.25),
        ],
        frozen: Vec::new(),
        time: 0.0,
        q: vec![quantity("x", 0.75), quantity("y", -1.25)],
        qd: Vec::new(),
        qdd: Vec::new(),
        state: Vec::new(),
        input: Vec::new(),
        direction: Vec::new(),
        weight: Vec::new(),
        shared: Vec::new(),
        groups: Vec::new(),
        effort: Vec::new(),
        functions,
        readable,
        trig: Trig::default(),
        batch: false,
        size: Size::default(),
    }
}
