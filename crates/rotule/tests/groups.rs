//! Groups of functions in the library: the numbers of functions alone, one update per state, and
//! what is refused.

use rotule::{Error, GroupKernel, KernelKind, Model, NamedGroup};
use std::path::Path;

fn open(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    Model::open(path).unwrap_or_else(|error| panic!("{error}"))
}

const Q: [f64; 6] = [0.1, -0.4, 0.7, 0.2, 0.5, -0.3];
const QD: [f64; 6] = [0.3, 0.2, -0.5, 0.1, 0.4, 0.9];
const QDD: [f64; 6] = [1.0, -2.0, 0.5, 0.2, -0.4, 0.6];
const EFFORT: [f64; 6] = [10.0, -20.0, 5.0, 2.0, -4.0, 6.0];

const INPUTS: [(&str, &[f64]); 4] = [("q", &Q), ("qd", &QD), ("qdd", &QDD), ("effort", &EFFORT)];

/// An output of a function of a group.
fn output(kernel: &mut GroupKernel, function: &str, output: &str, len: usize) -> Vec<f64> {
    let mut numbers = vec![0.0; len];
    kernel
        .evaluate(function, &INPUTS, &mut [(output, &mut numbers)])
        .unwrap_or_else(|error| panic!("{error}"));
    numbers
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn a_group_gives_what_its_functions_give_alone() {
    let model = open("puma560.toml");
    let written = model
        .write_together(&["inverse", "forward", "mass", "jacobian(link6)", "kinetic_energy"])
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(written.functions().count(), 5);
    let list = [
        ("inverse", "effort", 6),
        ("forward", "qdd", 6),
        ("mass", "M", 36),
        ("jacobian(link6)", "J", 36),
        ("kinetic_energy", "kinetic_energy", 1),
    ];
    let mut together = written.group(&[]).and_then(|group| group.compile()).expect("a group");
    assert!(together.update(1, &INPUTS).expect("all inputs are given"));
    for (function, name, len) in list {
        let found = output(&mut together, function, name, len);
        // Another formalism may have written it, so that it agrees but for rounding.
        let mut alone = model.function(function).and_then(|one| one.compile()).expect("a kernel");
        let taken: Vec<(&str, &[f64])> = alone
            .function()
            .inputs()
            .iter()
            .map(|input| *INPUTS.iter().find(|(name, _)| *name == input.name).expect("an input"))
            .collect();
        let mut expected = vec![0.0; len];
        alone.evaluate(&taken, &mut [(name, &mut expected)]).expect("it runs");
        let most = expected.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for (one, other) in found.iter().zip(&expected) {
            assert!((one - other).abs() <= 1e-12 * most, "{function}: {one} {other}");
        }
        // Grouped in another way, and by the interpreter, it has the same bits.
        for (group, kind) in [
            (vec![function], KernelKind::Auto),
            (vec![function, if function == "mass" { "forward" } else { "mass" }], KernelKind::Auto),
            (Vec::new(), KernelKind::Interpreter),
        ] {
            let group = written.group(&group).expect("a group");
            let mut other = group.compile_with(kind).expect("a kernel");
            other.update(7, &INPUTS).expect("all inputs are given");
            assert_eq!(bits(&output(&mut other, function, name, len)), bits(&found), "{function}");
        }
    }
    assert!(!together.vector().is_empty());
}

#[test]
fn the_vector_is_computed_once_per_state() {
    let model = open("puma560.toml");
    let group = model.write_together(&["forward", "mass", "bias"]).and_then(|all| all.group(&[]));
    let mut kernel = group.and_then(|group| group.compile()).expect("a group");
    let mut numbers = [0.0; 6];
    let early = kernel.evaluate("bias", &INPUTS, &mut [("c", &mut numbers)]);
    assert!(early.is_err_and(|error| error.to_string().contains("before an update")));
    for (state, updates) in [(1, 1), (1, 1), (2, 2), (2, 2), (1, 3)] {
        kernel.update(state, &INPUTS).expect("all inputs are given");
        for _ in 0..3 {
            output(&mut kernel, "forward", "qdd", 6);
        }
        assert_eq!(kernel.updates(), updates);
    }
    // A parameter is part of the state.
    let name = model.mechanism().parameters[0].name.clone();
    kernel.set(&name, 1.5).expect("a parameter");
    assert!(kernel.evaluate("bias", &INPUTS, &mut [("c", &mut numbers)]).is_err());
    assert!(kernel.update(1, &INPUTS).expect("all inputs are given"));
}

#[test]
fn groups_run_on_threads_of_their_own() {
    let model = open("puma560.toml");
    let written = model.write_together(&["inverse", "mass", "bias", "gravity"]).expect("functions");
    let mut one = written.group(&["inverse", "mass"]).and_then(|it| it.compile()).expect("a group");
    let mut other = written.group(&["bias,gravity"]).and_then(|it| it.compile()).expect("a group");
    let expected = {
        one.update(1, &INPUTS).expect("inputs");
        output(&mut one, "mass", "M", 36)
    };
    std::thread::scope(|scope| {
        let slow = scope.spawn(move || {
            other.update(1, &INPUTS).expect("inputs");
            output(&mut other, "gravity", "gravity", 6)
        });
        for state in 2..50 {
            one.update(state, &INPUTS).expect("inputs");
            assert_eq!(bits(&output(&mut one, "mass", "M", 36)), bits(&expected));
        }
        assert_eq!(slow.join().expect("no panic").len(), 6);
    });
}

#[test]
fn what_cannot_be_grouped_is_told() {
    let model = open("puma560.toml");
    let message = |result: Result<_, Error>| match result {
        Ok(()) => panic!("it is accepted"),
        Err(error) => error.to_string(),
    };
    let write = |list: &[&str]| message(model.write_together(list).map(|_| ()));
    assert!(write(&["inverse", "rnea"]).contains("named twice"));
    assert!(write(&[]).contains("no functions"));
    assert!(write(&["inverze"]).contains("inverze"));
    let written = model.write_together(&["inverse", "mass"]).expect("functions");
    let group = |list: &[&str]| message(written.group(list).map(|_| ()));
    assert!(group(&["forward"]).contains("forward"));
    assert!(group(&["mass", "mass"]).contains("named twice"));
    for (text, part) in [
        ("inverse,mass", "no `=`"),
        ("=inverse", "no name for a group"),
        ("9x=inverse", "no name for a group"),
        ("a b=inverse", "no name for a group"),
        ("setup=inverse", "already"),
        ("control=", "no functions"),
    ] {
        let error = text.parse::<NamedGroup>().expect_err(text);
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn a_table_has_the_sum_of_parts_and_the_group() {
    let table = open("puma560.toml").count_group(&["mass,bias,forward"]).expect("a table");
    assert!(table.called_one_by_one() < table.sum_of_parts(), "{table}");
    assert_eq!(table.rows.len(), 3);
    assert_eq!(table.json()["functions"][0]["function"], "mass");
    assert!(table.to_string().lines().all(|line| line.len() <= 80), "{table}");
}
