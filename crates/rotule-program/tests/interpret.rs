//! The interpreter beyond the file tests: stages, lengths, counters and budgets.

use rotule_program::{
    Interpreter, LengthError, NoExternals, Program, RegionId, RunError, parse, run_once,
};
use rotule_testing::program::Library;

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

const STAGES: &str = "program stages
    input m parameter
    input q coordinate
    setup
      %0 = mul m m
    body
      %1 = mul %0 q
      %2 = mul m q
    output y(2)
      (0) = %1
      (1) = %2";

#[test]
fn setup_runs_only_when_requested() {
    let program = program(STAGES);
    let interpreter = Interpreter::new(&program).expect("valid");
    let mut workspace = interpreter.workspace();
    let mut outputs = [0.0; 2];
    let evaluate = |workspace: &mut _, inputs: &[f64], outputs: &mut [f64]| {
        interpreter.evaluate(workspace, inputs, outputs, &mut NoExternals)
    };

    // Without setup there is no number to read.
    evaluate(&mut workspace, &[3.0, 1.0], &mut outputs).expect("lengths");
    assert!(outputs[0].is_nan());
    assert_eq!(outputs[1], 3.0);

    interpreter.setup(&mut workspace, &[3.0, f64::NAN], &mut NoExternals).expect("lengths");
    evaluate(&mut workspace, &[3.0, 2.0], &mut outputs).expect("lengths");
    assert_eq!(outputs, [18.0, 6.0]);
    assert_eq!(workspace.work().operations, 2 + 1 + 2);
}

#[test]
fn lengths_are_checked() {
    let program = program(STAGES);
    let interpreter = Interpreter::new(&program).expect("valid");
    let mut workspace = interpreter.workspace();
    let found = interpreter.setup(&mut workspace, &[1.0], &mut NoExternals);
    assert_eq!(found, Err(LengthError::Inputs { found: 1, expected: 2 }));
    let found = interpreter.evaluate(&mut workspace, &[1.0, 2.0], &mut [0.0], &mut NoExternals);
    let error = LengthError::Outputs { found: 1, expected: 2 };
    assert_eq!(found, Err(error));
    assert_eq!(error.to_string(), "found 1 numbers for the outputs, expected 2");

    let other = Program::new("other");
    let mut foreign = Interpreter::new(&other).expect("valid").workspace();
    let found = interpreter.setup(&mut foreign, &[1.0, 2.0], &mut NoExternals);
    assert_eq!(found, Err(LengthError::Workspace { found: 0, expected: 5 }));
}

#[test]
fn an_invalid_program_is_not_run() {
    let mut broken = Program::new("broken");
    broken.region(
        rotule_program::RegionRole::Unknowns,
        "open",
        &[],
        rotule_program::Value::new(7),
        1,
    );
    let error = run_once(&broken, &[], &mut NoExternals).expect_err("not closed");
    assert!(matches!(&error, RunError::Invalid(problems) if problems.len() == 1), "{error}");
}

#[test]
fn externals_are_called_and_their_absence_is_nan() {
    let program = program(
        "program calls
         input q coordinate
         function tyre(2) -> 3
         body
           %0 = call tyre q 1
           %1 = result %0 2
         output y(1)
           (0) = %1",
    );
    // (2*3 + 1*4)/8 + 4
    assert_eq!(run_once(&program, &[2.0], &mut Library), Ok(vec![5.25]));
    let nothing = run_once(&program, &[2.0], &mut NoExternals).expect("it runs");
    assert!(nothing[0].is_nan());
}

const ENDLESS: &str = "program endless
    body
      %0 = region outer limit 1000000 tolerance 0
        %1 = region inner limit 1000000 tolerance 0
          state %2 = 0
          %3 = add %2 1
          next %3
          residual 1
        end
        residual 1
      end
      %4 = result %0 1
    output y(1)
      (0) = %4";

#[test]
fn a_budget_ends_endless_programs() {
    let program = program(ENDLESS);
    let interpreter = Interpreter::new(&program).expect("valid");
    let mut workspace = interpreter.workspace();
    workspace.iteration_budget = 1000;
    let mut outputs = [0.0];
    interpreter.evaluate(&mut workspace, &[], &mut outputs, &mut NoExternals).expect("lengths");
    assert_eq!(workspace.work().iterations, 1000);
    assert!(!workspace.converged());
    let failed: Vec<RegionId> = workspace.failed().map(|(region, _)| region).collect();
    assert_eq!(failed, [RegionId::new(0), RegionId::new(1)]);
}

#[test]
fn states_that_exchange_places_are_told_apart() {
    let overlaps = |next: &str| {
        let text = format!(
            "program p\nbody\n%0 = region r limit 1 tolerance 0\nstate %1 = 1\nstate %2 = 2\n
             next {next}\nend"
        );
        program(&text).get_region(RegionId::new(0)).update_overlaps()
    };
    assert!(overlaps("%2 %1"));
    assert!(overlaps("5 %1"));
    assert!(!overlaps("%2 5"));
    assert!(!overlaps("%1 %2"));
}
