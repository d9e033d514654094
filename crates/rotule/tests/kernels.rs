//! The functions of real models in every kernel: native code gives the interpreter's numbers bit by
//! bit, with fused operations nearly so.

use rotule::layers::jit::{KernelKind, KernelOptions, ProgramKernel, kernel};
use rotule::layers::program::{NoExternals, RegionStatus};
use rotule::layers::state::StateNumbers;
use rotule_testing::formalism::{example, programs, tree};

/// Outputs and ends of regions at a state.
fn numbers(kernel: &mut dyn ProgramKernel, inputs: &[f64]) -> (Vec<f64>, Vec<RegionStatus>) {
    let mut outputs = vec![0.0; kernel.program().output_len()];
    kernel.setup(inputs, &mut NoExternals).expect("as many inputs as the program has");
    kernel.evaluate(inputs, &mut outputs, &mut NoExternals).expect("as many outputs");
    (outputs, kernel.regions(0).to_vec())
}

/// Number of the states that gave only finite numbers.
fn check(model: &str, function: &str, states: u64) -> usize {
    let tree = tree(&example(&format!("{model}.toml")));
    let program = programs::program(&tree, function);
    let make = |choice, fuse| {
        kernel(&program, choice, KernelOptions { fuse })
            .unwrap_or_else(|refusal| panic!("{refusal}"))
    };
    let mut meaning = make(KernelKind::Interpreter, false);
    let mut native = make(KernelKind::Native, false);
    let mut fused = make(KernelKind::Native, true);
    let mut finite = 0;
    for seed in 0..states {
        let mut state = StateNumbers::initial(&tree);
        // Around the initial state, so that closed loops can be closed.
        let random = StateNumbers::random(&tree, seed);
        for (value, by) in state.q.iter_mut().zip(&random.q) {
            *value += if seed == 0 { 0.0 } else { 1e-3 * by };
        }
        state.qd = random.qd;
        state.qdd = random.qdd;
        state.effort = random.effort;
        let inputs = programs::inputs(&tree, &program, &state);
        let expected = numbers(&mut *meaning, &inputs);
        let bits = |numbers: &[f64]| numbers.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        let found = numbers(&mut *native, &inputs);
        if expected.0.iter().all(|x| x.is_finite()) {
            finite += 1;
            assert_eq!(bits(&expected.0), bits(&found.0), "{model} {function} seed {seed}");
            let size = expected.0.iter().fold(1e-3_f64, |most, x| most.max(x.abs()));
            let found = numbers(&mut *fused, &inputs);
            for (x, y) in expected.0.iter().zip(&found.0) {
                let error = (x - y).abs() / size;
                assert!(error < 1e-9, "{model} {function} seed {seed}: {x} {y} {error}");
            }
        }
        assert_eq!(expected.1, found.1, "{model} {function} seed {seed}");
    }
    finite
}

#[test]
fn open_trees() {
    for (model, function) in [
        ("pendulum", "forward"),
        ("puma560", "inverse"),
        ("puma560", "forward"),
        ("puma560", "derivative(forward, q)"),
        ("motorcycle", "inverse"),
        ("motorcycle", "forward"),
        ("quadruped", "forward"),
    ] {
        assert_eq!(check(model, function, 5), 5, "{model} {function}");
    }
}

#[test]
fn closed_loops() {
    for (model, function) in [
        ("slider_crank", "forward"),
        ("andrews_squeezer", "forward"),
        ("stewart_platform", "forward"),
        ("multilink_car", "forward"),
    ] {
        assert!(check(model, function, 4) > 0, "{model} {function}");
    }
}
