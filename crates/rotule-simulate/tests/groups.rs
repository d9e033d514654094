//! Groups of functions against Moore's thesis (SYMOFROS, UQTR 2000), section 3.4, by the numbers
//! M-19 to M-21 of our study. Random closed mechanisms are in `campaign.rs`.

use rotule_formalism::ModelFunction;
use rotule_numeric::generate_group;
use rotule_numeric::state::StateNumbers;
use rotule_program::group::{late, merge, users};
use rotule_program::{Block, Interpreter, NoExternals, ProgramCounts};
use rotule_testing::campaign::groups::{Verdict, check_shared, compare, partitions};
use rotule_testing::formalism::{example, robot2, tree};

#[test]
fn there_are_52_partitions_of_five() {
    let all = partitions(5);
    assert_eq!(all.len(), 52);
    for (at, one) in all.iter().enumerate() {
        assert!(!all[..at].contains(one));
        let mut members: Vec<usize> = one.concat();
        members.sort_unstable();
        assert_eq!(members, [0, 1, 2, 3, 4]);
    }
}

/// Functions are regrouped without being written anew, and all 52 partitions of five give the same
/// bits: in the interpreter, in native code, and as functions that take the shared vector.
#[test]
fn m_19_every_partition_of_five_functions_has_the_same_bits() {
    for (model, functions) in [
        ("puma560", ["inverse", "mass_bias", "forward", "jacobian(link6)", "kinetic_energy"]),
        ("slider_crank", ["forward", "closure", "multipliers", "inverse", "com_velocity"]),
        ("five_bar", ["forward", "motion", "reduction", "mass", "momentum"]),
        ("seeds/robot2_3", ["mass_bias", "tangent", "gravity", "kinetic_energy", "com"]),
        ("motorcycle", ["forward", "closure", "kinetic_energy", "com_velocity", "momentum"]),
    ] {
        let tree = tree(&example(&format!("{model}.toml")));
        let mut state = StateNumbers::initial(&tree);
        let random = StateNumbers::random(&tree, 19);
        state.q.iter_mut().zip(&random.q).for_each(|(q, by)| *q += 1e-3 * by);
        (state.qd, state.qdd, state.effort) = (random.qd, random.qdd, random.effort);
        let verdict = compare(&tree, &functions, &state).unwrap_or_else(|verdict| verdict);
        let Verdict::Agreed { shared, operations: [group, parts] } = verdict else {
            panic!("{model}: {verdict:?}")
        };
        assert!(shared > 0, "{model} shares nothing");
        assert!(group < parts, "{model}: {group} operations, {parts} one by one");
    }
}

/// The shared vector depends on neither accelerations nor efforts, each of its terms is needed at
/// least twice, and it is computed once for many evaluations at a state.
#[test]
fn m_20_the_shared_stage_runs_once_per_state() {
    let tree = tree(&example("puma560.toml"));
    let functions = ["inverse", "forward", "mass", "jacobian(link6)"]
        .map(|name| ModelFunction::parse(name, &tree).expect("a function"));
    let written = generate_group(&tree, &functions, None).expect("they can be written");
    let (program, ranges) = written.part(&[0, 1, 2, 3]);
    check_shared(&program, &ranges).unwrap_or_else(|why| panic!("{why}"));
    let mut merged = program.clone();
    merge(&mut merged);
    let (late, users) = (late(&merged), users(&program, &ranges));
    let shared = program.block(Block::Shared);
    assert!(shared.len() > 50, "{}", shared.len());
    assert!(shared.iter().all(|value| !late[value.index()] && users[value.index()] >= 2));
    // The rule is not empty: accelerations and efforts are late.
    assert!(program.block(Block::Body).iter().any(|value| late[value.index()]));

    let interpreter = Interpreter::new(&program).expect("a valid program");
    let mut workspace = interpreter.workspace();
    let counts = ProgramCounts::plain(&program);
    let state = StateNumbers::initial(&tree);
    let mut inputs = rotule_testing::formalism::programs::inputs(&tree, &program, &state);
    let mut out = vec![0.0; program.output_len()];
    interpreter.setup(&mut workspace, &inputs, &mut NoExternals).expect("lengths");
    let mut done = workspace.work().operations;
    assert_eq!(done, counts.setup.operations());
    interpreter.update(&mut workspace, &inputs, &mut NoExternals).expect("lengths");
    done += counts.shared.operations();
    assert_eq!(workspace.work().operations, done);
    let late_inputs = program
        .inputs()
        .iter()
        .zip(&mut inputs)
        .filter(|(input, _)| !Block::Shared.may_read(input.kind));
    late_inputs.for_each(|(_, number)| *number += 1.0);
    for _ in 0..7 {
        interpreter.evaluate(&mut workspace, &inputs, &mut out, &mut NoExternals).expect("lengths");
        done += counts.body.operations();
        assert_eq!(workspace.work().operations, done);
    }
    // The numbers after one update are those of an evaluation of everything.
    let fresh = rotule_program::run_once(&merged, &inputs, &mut NoExternals).expect("it runs");
    let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
    assert_eq!(bits(&out), bits(&fresh));
}

/// The first half of M-21: the quantities that the source lists, by name, in one group.
#[test]
fn m_21_kinematics_and_dynamics_by_name() {
    let tree = tree(&example("seeds/robot2_3.toml"));
    let list = [
        // Kinematics of a tip: orientation, position, both velocities, both Jacobians, and what
        // their time derivatives contribute to the accelerations.
        "rotation(member3.tip)",
        "position(member3.tip)",
        "angular_velocity(member3.tip)",
        "velocity(member3.tip)",
        "jacobian(member3.tip)",
        "acceleration(member3.tip)",
        "angular_acceleration(member3.tip)",
        // Nonlinear dynamics.
        "gravity",
        "kinetic_energy",
        "potential_energy",
        "power",
        "mass",
        "bias",
        "coriolis",
        "constraints",
        // Linearised dynamics.
        "tangent",
    ];
    let functions = list.map(|name| ModelFunction::parse(name, &tree).expect("a function"));
    let written = generate_group(&tree, &functions, None).expect("they can be written");
    let (group, ranges) = written.part(&(0..list.len()).collect::<Vec<_>>());
    check_shared(&group, &ranges).unwrap_or_else(|why| panic!("{why}"));
    assert_eq!(ranges.len(), list.len());
    assert!(
        ranges.iter().zip(list).all(|(range, name)| !range.is_empty() || name == "constraints")
    );
}

/// Table 3.1 of the source: one program of all functions has fewer temporaries than programs of
/// each, before and after the reduction.
#[test]
fn chains_of_moore_share_temporaries() {
    for members in 2..=6 {
        let tree = robot2::robot2(members);
        let each = robot2::FUNCTIONS.iter().map(|name| robot2::program(&tree, name));
        let parts = each
            .map(|one| robot2::temporaries(&one))
            .fold([0; 2], |sum, one| [sum[0] + one[0], sum[1] + one[1]]);
        let shared = robot2::temporaries(&robot2::together(&tree));
        println!("Robot2-{members}: {parts:?} one by one, {shared:?} together");
        assert!(shared[0] < parts[0], "Robot2-{members}: {parts:?} {shared:?}");
    }
}
