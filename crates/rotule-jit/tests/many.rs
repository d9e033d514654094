//! Many states over threads: the numbers of each state are those that it has alone, however many
//! threads there are and wherever its numbers lie.

use rotule_jit::{
    InputSource, Interpreted, KernelKind, KernelOptions, Many, ManyError, ManyInputs,
    ProgramKernel, StateArray, over, threads,
};
use rotule_program::{Externals, ForeignSignature, NoExternals, Program, parse};
use rotule_symbolic::Kind;
use rotule_testing::program::{INPUTS, Library, Random, Range, program_from, same_bits};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

fn library() -> Box<dyn Externals> {
    Box::new(Library)
}

fn go_on(_: usize) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Inputs of many states in arrays: what the sources refer to, and each state's numbers for all
/// inputs.
struct Case {
    states: Vec<Vec<f64>>,
    sources: Vec<InputSource>,
    /// Numbers and length of a row.
    arrays: Vec<(Vec<f64>, usize)>,
}

impl Case {
    /// A case in which inputs vary as told, spread over arrays that have columns nobody reads.
    fn new(varies: &[bool], count: usize, random: &mut Random) -> Case {
        let constants: Vec<f64> = varies.iter().map(|_| 3.0 * random.number()).collect();
        let mut states = vec![constants.clone(); count];
        let mut rows = [1 + random.below(2), random.below(2)];
        let mut sources = Vec::new();
        for (k, &varies) in varies.iter().enumerate() {
            if !varies {
                sources.push(InputSource::Constant(constants[k]));
                continue;
            }
            // Parameters often stay as they are for some states.
            let stays = k < 2;
            let mut number = 0.0;
            for (at, state) in states.iter_mut().enumerate() {
                if !stays || at == 0 || random.below(9) == 0 {
                    number = 3.0 * random.number();
                }
                state[k] = number;
            }
            let array = random.below(2);
            sources.push(InputSource::Column { array, column: rows[array] });
            rows[array] += 1 + random.below(2);
        }
        let mut arrays = rows.map(|row| (vec![f64::NAN; count * row], row)).to_vec();
        for (k, source) in sources.iter().enumerate() {
            if let InputSource::Column { array, column } = *source {
                let (numbers, row) = &mut arrays[array];
                let rows = numbers.chunks_exact_mut(*row).zip(&states);
                rows.for_each(|(numbers, state)| numbers[column] = state[k]);
            }
        }
        Case { states, sources, arrays }
    }

    fn evaluate(
        &self,
        many: &mut Many<'_>,
        outputs: &mut [Option<&mut [f64]>],
        progress: &(dyn Fn(usize) -> ControlFlow<()> + Sync),
    ) -> Result<Vec<usize>, ManyError> {
        let names = ["a", "b"];
        let arrays: Vec<StateArray<'_>> = names
            .iter()
            .zip(&self.arrays)
            .map(|(name, (numbers, row))| StateArray { name, numbers, row: *row })
            .collect();
        let inputs =
            ManyInputs { states: self.states.len(), sources: &self.sources, arrays: &arrays };
        many.evaluate(&inputs, outputs, &library, progress)
    }
}

/// Outputs of one state after the other, by output, and the states with regions that did not
/// converge.
fn alone(program: &Program, states: &[Vec<f64>]) -> (Vec<Vec<f64>>, Vec<usize>) {
    let mut kernel = Interpreted::new(program).expect("valid");
    let mut found = vec![Vec::new(); program.outputs().len()];
    let mut unconverged = Vec::new();
    for (at, state) in states.iter().enumerate() {
        let mut numbers = vec![7.0; program.output_len()];
        kernel.setup(state, &mut Library).expect("the lengths are right");
        kernel.evaluate(state, &mut numbers, &mut Library).expect("the lengths are right");
        let mut rest = &numbers[..];
        for (own, output) in found.iter_mut().zip(program.outputs()) {
            let (first, after) = rest.split_at(output.dense_len() as usize);
            own.extend_from_slice(first);
            rest = after;
        }
        if !kernel.converged(0) {
            unconverged.push(at);
        }
    }
    (found, unconverged)
}

fn lengths(program: &Program) -> impl Iterator<Item = usize> {
    program.outputs().iter().map(|output| output.dense_len() as usize)
}

/// Random programs with random sources; outputs are dropped in turn. One object serves several
/// calls, between which constants become columns and back.
#[test]
fn all_states_get_their_own_numbers() {
    let mut random = Random(1);
    let (mut failed, mut compared, mut set_up) = (0, 0, 0);
    for round in 0..60 {
        let choices: Vec<u16> =
            (0..150 + 10 * round).map(|_| random.below(1 << 16) as u16).collect();
        let program = Arc::new(program_from(&choices, Range::All));
        let cases: Vec<Case> = [0, 1, 3, 4, 5, 8, 131, 1003]
            .into_iter()
            .map(|count| {
                let varies = INPUTS.map(|(_, kind)| kind != Kind::Time && random.coin());
                set_up += usize::from(varies[0] || varies[1]);
                Case::new(&varies, count, &mut random)
            })
            .collect();
        let expected: Vec<_> = cases.iter().map(|case| alone(&program, &case.states)).collect();
        for (choice, workers) in [
            (KernelKind::Auto, 1),
            (KernelKind::Auto, 3),
            (KernelKind::Interpreter, 2),
            (KernelKind::Auto, 0),
        ] {
            let mut many = Many::new(program.clone(), choice, KernelOptions::default(), workers)
                .expect("valid");
            for (case, (numbers, unconverged)) in cases.iter().zip(&expected) {
                let count = case.states.len();
                let told = AtomicUsize::new(0);
                let progress = |states: usize| {
                    told.fetch_add(states, Ordering::Relaxed);
                    ControlFlow::Continue(())
                };
                let mut found: Vec<Vec<f64>> =
                    lengths(&program).map(|length| vec![7.0; length * count]).collect();
                let dropped = random.below(found.len() + 1);
                let mut places: Vec<Option<&mut [f64]>> = found
                    .iter_mut()
                    .enumerate()
                    .map(|(k, place)| (k != dropped).then_some(&mut place[..]))
                    .collect();
                let ended = case.evaluate(&mut many, &mut places, &progress);
                assert_eq!(ended.as_ref(), Ok(unconverged));
                assert_eq!(told.into_inner(), count);
                for (k, (expected, found)) in numbers.iter().zip(&found).enumerate() {
                    let same = match k == dropped {
                        true => found.iter().all(|&number| number == 7.0),
                        false => same_bits(expected, found),
                    };
                    assert!(same, "round {round} {choice:?} {workers} {count} states, output {k}");
                }
                failed += unconverged.len();
                compared += count;
            }
        }
    }
    assert!(failed > 1000 && compared - failed > 1000 && set_up > 100, "{failed} {compared}");
}

/// A kernel that owns its program goes to another thread.
#[test]
fn an_owner_goes_to_another_thread() {
    fn sent<T: Send + 'static>(made: T) -> T {
        made
    }
    let program = Arc::new(program_from(&[3; 60], Range::All));
    let many =
        Many::new(program.clone(), KernelKind::Auto, KernelOptions::default(), 2).expect("valid");
    let mut many = sent(many);
    assert_eq!(many.kernel().program().inputs().len(), INPUTS.len());
    let case = Case::new(&[true; 6], 10, &mut Random(5));
    let (expected, _) = alone(&program, &case.states);
    let found = std::thread::spawn(move || {
        let mut found = vec![0.0; 30];
        case.evaluate(&mut many, &mut [Some(&mut found), None, None], &go_on).expect("lengths");
        found
    });
    assert!(same_bits(&expected[0], &found.join().expect("no panic")));
}

#[test]
fn lengths_and_stops() {
    let program = program_from(&[3; 60], Range::All);
    let mut many =
        Many::new(&program, KernelKind::Auto, KernelOptions::default(), 2).expect("valid");
    let good = || Case::new(&[false, true, false, true, true, false], 500, &mut Random(3));
    let (mut tau, mut matrix) = (vec![7.0; 1500], vec![7.0; 4500]);
    let mut check = |case: &Case, tau: &mut [f64], expected: ManyError, message: &str| {
        let found = case.evaluate(&mut many, &mut [Some(tau), Some(&mut matrix), None], &go_on);
        assert_eq!(found, Err(expected));
        assert_eq!(found.map_err(|error| error.to_string()), Err(message.to_owned()));
    };

    // Arrays of inputs and outputs that are too short or too long.
    let mut case = good();
    let (numbers, row) = &mut case.arrays[0];
    let (row, expected) = (*row, numbers.len());
    numbers.pop();
    let length = |array: &str, row, found, expected| ManyError::Length {
        array: array.into(),
        states: 500,
        row,
        found,
        expected,
    };
    let message = format!(
        "`a`: expected {expected} numbers (500 states, {row} for each), found {}",
        expected - 1
    );
    check(&case, &mut tau, length("a", row, expected - 1, expected), &message);
    check(
        &good(),
        &mut [0.0; 1503],
        length("tau", 3, 1503, 1500),
        "`tau`: expected 1500 numbers (500 states, 3 for each), found 1503",
    );

    // Sources that are too few or refer to nothing.
    let mut case = good();
    case.sources.pop();
    let error = ManyError::Sources { found: 5, expected: 6 };
    check(&case, &mut tau, error, "expected 6 sources of inputs, found 5");
    case.sources.push(InputSource::Column { array: 2, column: 0 });
    let error = ManyError::Column { input: "inf".into(), array: None, found: 2, count: 2 };
    let message = "input `inf` comes from array 2, counted from 0, but the number of arrays is 2";
    check(&case, &mut tau, error, message);
    case.sources[5] = InputSource::Column { array: 0, column: row };
    let array = Some("a".into());
    let error = ManyError::Column { input: "inf".into(), array, found: row, count: row };
    let message = format!(
        "input `inf` comes from column {row}, counted from 0, but rows of `a` have {row} numbers"
    );
    check(&case, &mut tau, error, &message);
    assert!(tau.iter().chain(&matrix).all(|&number| number == 7.0), "something was written");

    let case = good();
    let places = case.evaluate(&mut many, &mut [None, None], &go_on);
    assert_eq!(places, Err(ManyError::Outputs { found: 2, expected: 3 }));
    let off = |_: usize| ControlFlow::Break(());
    let stopped = case.evaluate(&mut many, &mut [None, None, None], &off);
    assert_eq!(stopped, Err(ManyError::Stopped));
    // More states than can be counted.
    let sources = [InputSource::Constant(1.0); 6];
    let array = StateArray { name: "a", numbers: &[1.0, 2.0], row: 2 };
    let inputs = ManyInputs { states: usize::MAX, sources: &sources, arrays: &[array] };
    let found = many.evaluate(&inputs, &mut [None, None, None], &library, &go_on);
    assert!(matches!(found, Err(ManyError::Length { expected: usize::MAX, .. })), "{found:?}");
}

/// A foreign function that adds a number of its own, or panics.
struct Adds(f64);

impl Externals for Adds {
    fn call(&mut self, _: &ForeignSignature, arguments: &[f64], results: &mut [f64]) {
        assert!(self.0.is_finite(), "a law that fails");
        results[0] = arguments[0] + self.0;
    }
}

/// Foreign functions that setup calls may be others in the next call, and a panic leaves nothing
/// half done.
#[test]
fn setup_follows_foreign_functions() {
    let text = "program law
         input p parameter
         function law(1) -> 1
         setup
           %0 = call law p
           %1 = result %0 0
         body
         output y(1)
           (0) = %1";
    let program = parse(text).unwrap_or_else(|problem| panic!("{problem}"));
    for choice in [KernelKind::Auto, KernelKind::Interpreter] {
        let mut many = Many::new(&program, choice, KernelOptions::default(), 1).expect("valid");
        let mut run = |parameter: f64, added: f64| {
            let sources = [InputSource::Constant(parameter)];
            let inputs = ManyInputs { states: 3, sources: &sources, arrays: &[] };
            let mut found = [0.0; 3];
            let law = || -> Box<dyn Externals> { Box::new(Adds(added)) };
            let ended = catch_unwind(AssertUnwindSafe(|| {
                many.evaluate(&inputs, &mut [Some(&mut found)], &law, &go_on).expect("lengths");
            }));
            ended.map(|()| found).ok()
        };
        assert_eq!(run(1.0, 1.0), Some([2.0; 3]));
        assert_eq!(run(1.0, 2.0), Some([3.0; 3]));
        assert_eq!(run(5.0, f64::NAN), None);
        assert_eq!(run(5.0, 2.0), Some([7.0; 3]));
    }
}

/// Programs without inputs or outputs.
#[test]
fn nothing_to_read_or_to_write() {
    let program = parse("program none\nbody\noutput y(0)").expect("a program");
    let mut many =
        Many::new(&program, KernelKind::Auto, KernelOptions::default(), 2).expect("valid");
    let nothing = || -> Box<dyn Externals> { Box::new(NoExternals) };
    for states in [0, 1, 1000] {
        let inputs = ManyInputs { states, sources: &[], arrays: &[] };
        assert_eq!(many.evaluate(&inputs, &mut [Some(&mut [])], &nothing, &go_on), Ok(Vec::new()));
    }
}

/// Work is done once each, and results come in order.
#[test]
fn work_in_order() {
    let mut workers = vec![0_usize; 4];
    let found = over(&mut workers, 1000, |own, number| {
        *own += 1;
        ControlFlow::Continue(number * number)
    });
    assert!(found.iter().enumerate().all(|(k, result)| *result == Some(k * k)));
    assert_eq!(workers.iter().sum::<usize>(), 1000);
    let none = over(&mut workers, 0, |_, number| ControlFlow::Continue(number));
    assert!(none.is_empty());
    let some = over(&mut workers[..1], 10, |_, number| match number {
        3 => ControlFlow::Break(()),
        number => ControlFlow::Continue(number),
    });
    assert_eq!(some.iter().flatten().count(), 3);
    let nobody = over(&mut workers[..0], 2, |_, number| ControlFlow::Continue(number));
    assert_eq!(nobody, [None, None]);
    assert!(threads() > 0);
}
