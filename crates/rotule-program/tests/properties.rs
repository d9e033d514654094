//! Properties of every program: it can be written and read back, and no pass changes what it
//! computes or makes it more expensive.

use proptest::collection::vec;
use proptest::prelude::*;
use rotule_program::passes::{
    PASSES, PipelinePass, angle_addition, batch_trigonometry, check_slots, compact, dead, inline,
    latency_schedule, optimise, packed_storage, schedule, slots, status,
};
use rotule_program::{
    Interpreter, OperationTally, Program, ProgramCounts, TagKind, count_by_tag, parse, print,
    readable, verify,
};
use rotule_testing::program;
use rotule_testing::program::{Range, mark_randomly, program_from, run, same_bits, same_values};

fn choices() -> impl Strategy<Value = Vec<u16>> {
    vec(any::<u16>(), 0..400)
}

fn inputs() -> impl Strategy<Value = Vec<f64>> {
    let number = prop_oneof![4 => -3.0..3.0, 1 => Just(0.0), 1 => Just(1.0)];
    vec(number, program::INPUTS.len())
}

fn check_pass(
    pass: &PipelinePass,
    program: &Program,
    inputs: &[f64],
    same: fn(&[f64], &[f64]) -> bool,
) -> Result<(), TestCaseError> {
    let before = run(program, inputs);
    let counts = ProgramCounts::of(program);
    let mut once = program.clone();
    let name = pass.name;
    let report = (pass.run)(&mut once);
    prop_assert_eq!(report.name, name);
    prop_assert_eq!(verify(&once), Ok(()), "{}", print(&once));

    let after = run(&once, inputs);
    prop_assert!(same(&before, &after), "{name}: {before:?} became {after:?}\n{program}\n{once}");

    let less = ProgramCounts::of(&once);
    prop_assert!(less.total() <= counts.total(), "{name} made\n{program}\nmore expensive:\n{once}");
    prop_assert!(less.functions() <= counts.functions());
    prop_assert!(less.all().operations() <= counts.all().operations());

    let mut twice = once.clone();
    (pass.run)(&mut twice);
    prop_assert_eq!(print(&once), print(&twice), "{} is not idempotent", name);
    Ok(())
}

/// A pass, or several.
type Run = Box<dyn Fn(&mut Program)>;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_programs_are_valid(choices in choices()) {
        let program = program_from(&choices, Range::All);
        prop_assert_eq!(verify(&program), Ok(()), "{}", program);
    }

    #[test]
    fn text_reads_back(choices in choices(), inputs in inputs()) {
        let program = program_from(&choices, Range::All);
        let text = print(&program);
        let read = parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&text, &print(&read));
        prop_assert!(same_bits(&run(&program, &inputs), &run(&read, &inputs)));
    }

    #[test]
    fn compacting_keeps_the_text(choices in choices()) {
        let program = program_from(&choices, Range::All);
        let mut compacted = program.clone();
        compact(&mut compacted);
        prop_assert_eq!(verify(&compacted), Ok(()));
        prop_assert_eq!(print(&program), print(&compacted));
    }

    #[test]
    fn exact_passes_keep_every_bit(choices in choices(), inputs in inputs()) {
        let program = program_from(&choices, Range::All);
        for pass in PASSES.iter().filter(|pass| pass.exact) {
            check_pass(pass, &program, &inputs, same_bits)?;
        }
    }

    #[test]
    fn close_passes_keep_every_value(choices in choices(), inputs in inputs()) {
        let program = program_from(&choices, Range::ZerosAlike);
        for pass in PASSES.iter().filter(|pass| !pass.exact) {
            check_pass(pass, &program, &inputs, same_values)?;
        }
    }

    #[test]
    fn the_pipeline_keeps_every_value(choices in choices(), inputs in inputs()) {
        let program = program_from(&choices, Range::ZerosAlike);
        let mut optimised = program.clone();
        let reports = optimise(&mut optimised);
        prop_assert_eq!(verify(&optimised), Ok(()));
        let (before, after) = (run(&program, &inputs), run(&optimised, &inputs));
        prop_assert!(same_values(&before, &after), "{program}\n{optimised}\n{reports}");
        for report in reports.0 {
            let listed = PASSES.iter().any(|pass| pass.name == report.name);
            prop_assert!(listed, "`{}` runs and is not in PASSES", report.name);
            prop_assert!(report.operations.1 <= report.operations.0, "{report}");
        }
    }

    #[test]
    fn marks_change_nothing_and_stay_valid(choices in choices(), marked in choices()) {
        let plain = program_from(&choices, Range::All);
        let mut with = plain.clone();
        mark_randomly(&mut with, &marked);
        prop_assert_eq!(verify(&with), Ok(()), "{}", with);
        let text = print(&with);
        let read = parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(&text, &print(&read));
        let mut runs: Vec<(&str, Run)> = vec![
            ("optimise", Box::new(|program| drop(optimise(program)))),
            ("compact", Box::new(compact)),
            ("batch_trigonometry", Box::new(batch_trigonometry)),
            ("latency_schedule", Box::new(latency_schedule)),
            ("angle_addition", Box::new(|program| _ = angle_addition(program))),
            ("status", Box::new(|program| drop(status(program)))),
            ("packed_storage", Box::new(|program| drop(packed_storage(program)))),
        ];
        for pass in PASSES {
            runs.push((pass.name, Box::new(|program| _ = (pass.run)(program))));
        }
        for (name, run) in runs {
            let (mut one, mut other) = (plain.clone(), with.clone());
            run(&mut one);
            run(&mut other);
            prop_assert_eq!(verify(&other), Ok(()), "{}: {}", name, other);
            prop_assert_eq!(other.marks().len(), with.marks().len());
            for kind in TagKind::ALL {
                let parts = count_by_tag(&other, kind);
                let sum = |stage: fn(&ProgramCounts) -> OperationTally| {
                    let parts = parts.iter().map(|part| stage(&part.counts));
                    parts.fold(OperationTally::default(), |sum, part| sum + part)
                };
                let whole = ProgramCounts::plain(&other);
                prop_assert_eq!(sum(|counts| counts.setup), whole.setup);
                prop_assert_eq!(sum(|counts| counts.body), whole.body);
                prop_assert_eq!(sum(|counts| counts.iteration), whole.iteration);
            }
            prop_assert_eq!(ProgramCounts::of(&one), ProgramCounts::of(&other));
            prop_assert_eq!(readable(&one), readable(&other));
            prop_assert_eq!(slots(&one).of, slots(&other).of);
            other.clear_marks();
            prop_assert_eq!(print(&one), print(&other), "{}", name);
        }
    }

    #[test]
    fn slots_are_right(choices in choices()) {
        let mut program = program_from(&choices, Range::All);
        for _ in 0..2 {
            let slots = slots(&program);
            prop_assert_eq!(check_slots(&program, &slots), Ok(()), "{}\n{:?}", program, slots);
            schedule(&mut program);
        }
    }

    #[test]
    fn the_readable_face_has_every_name(choices in choices()) {
        let mut program = program_from(&choices, Range::All);
        dead(&mut program);
        let text = readable(&program);
        let inlined = inline(&program, rotule_program::passes::Bounds::default());
        prop_assert_eq!(inlined.len(), program.len());
        for output in program.outputs() {
            prop_assert!(text.contains(&output.name));
        }
    }

    #[test]
    fn a_second_evaluation_gives_the_same(choices in choices(), inputs in inputs()) {
        let program = program_from(&choices, Range::All);
        let interpreter = Interpreter::new(&program).expect("valid");
        let mut workspace = interpreter.workspace();
        let mut outputs = vec![vec![0.0; program.output_len()]; 2];
        let library = &mut program::Library;
        interpreter.setup(&mut workspace, &inputs, library).expect("lengths");
        let mut work = Vec::new();
        for outputs in &mut outputs {
            let before = workspace.work();
            interpreter.evaluate(&mut workspace, &inputs, outputs, library).expect("lengths");
            work.push(workspace.work().operations - before.operations);
        }
        prop_assert!(same_bits(&outputs[0], &outputs[1]));
        prop_assert_eq!(work[0], work[1]);
    }
}
