//! Blocks against the whole: the same choice of coordinates, closed block by block and by Newton's
//! iteration of all rows at once.

use rotule_formalism::constraint::blocks::DiagonalBlock;
use rotule_formalism::constraint::closed::close;
use rotule_formalism::function::FunctionKind;
use rotule_formalism::{MultibodySystem, inputs, normalise};
use rotule_model::{ReadOptions, load_text};
use rotule_numeric::choose_partition;
use rotule_program::lower::{self, Request, Target};
use rotule_program::{Interpreter, NoExternals, Program, ProgramCounts};
use rotule_symbolic::Kind;

fn tree(name: &str) -> MultibodySystem {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let text = std::fs::read_to_string(path).expect("a readable example");
    normalise(load_text(name, text, &ReadOptions::default()).expect("a valid example"))
}

/// The closure of a tree as a program, and whether some block waits for another; in one block if
/// that is requested.
fn closure(tree: &MultibodySystem, whole: bool) -> (Program, bool) {
    let mut choice = choose_partition(tree, FunctionKind::Closure).expect("sound");
    let waits = choice.coordinates.blocks.iter().any(|block| !block.needs.is_empty());
    for partition in [&mut choice.coordinates, &mut choice.speeds] {
        if whole {
            let rows = partition.blocks.iter().flat_map(|block| block.rows.clone()).collect();
            let columns = partition.dependent().collect();
            partition.blocks = vec![DiagonalBlock { rows, columns, needs: Vec::new() }];
        }
    }
    let sheet = tree.sheet();
    let motion = close(tree.writer(&sheet), &choice).expect("can be written").motion;
    let request = Request {
        name: "closure".to_owned(),
        inputs: inputs(tree, &[Kind::Coordinate, Kind::Velocity]),
        outputs: vec![
            Target::vector("q", motion.q.as_slice()),
            Target::vector("qd", motion.qd.as_slice()),
        ],
        solves: sheet.solves.borrow().clone(),
        ..Request::default()
    };
    (sheet.graph.read(|graph| lower::draft(graph, &request).program), waits)
}

/// Outputs at a state near the initial one, and the operations that were executed.
fn run(program: &Program, tree: &MultibodySystem) -> (Vec<f64>, u64) {
    let q = rotule_model::pose::initial_coordinates(&tree.mechanism);
    let mut numbers: Vec<f64> = tree.mechanism.parameters.iter().map(|one| one.value).collect();
    numbers.push(0.0);
    numbers.extend(q.iter().enumerate().map(|(at, q)| q + 0.01 * (at as f64 + 1.0).sin()));
    numbers.extend((0..tree.speeds()).map(|at| (at as f64).cos()));
    let interpreter = Interpreter::new(program).expect("valid");
    let mut workspace = interpreter.workspace();
    let mut outputs = vec![0.0; program.output_len()];
    interpreter.setup(&mut workspace, &numbers, &mut NoExternals).expect("runs");
    let before = workspace.work().operations;
    interpreter.evaluate(&mut workspace, &numbers, &mut outputs, &mut NoExternals).expect("runs");
    assert!(workspace.converged());
    (outputs, workspace.work().operations - before)
}

#[test]
fn at_20_blocks_take_fewer_operations_than_the_whole() {
    for name in [
        "andrews_squeezer",
        "planar_robot_1",
        "planar_robot_2",
        "planar_robot_3",
        "planar_robot_4",
        "ba2000_bogie",
        "delta_robot",
        "stewart_platform",
        "multilink_car",
    ] {
        let tree = tree(&format!("{name}.toml"));
        let ((blocks, waits), (whole, _)) = (closure(&tree, false), closure(&tree, true));
        let ((one, fewer), (two, more)) = (run(&blocks, &tree), run(&whole, &tree));
        for (a, b) in one.iter().zip(&two) {
            assert!((a - b).abs() <= 1e-10 * b.abs().max(1.0), "{name}: {a} and {b}");
        }
        // What iterations compute is read behind them, so that one of each counts.
        let [small, large] = [&blocks, &whole].map(|one| {
            let ProgramCounts { body, iteration, .. } = ProgramCounts::of(one);
            body.operations() + iteration.operations()
        });
        // Blocks that do not need each other take as many steps together as apart.
        assert!(small <= large && fewer <= more, "{name}: {small}, {large}; {fewer}, {more}");
        // Entries beside the diagonal stand outside of iterations, which are as many as a block
        // needs.
        assert!(!waits || fewer < more, "{name}: {fewer}, {more}");
    }
}
