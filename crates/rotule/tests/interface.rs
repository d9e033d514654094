//! The public interface, held against what lies beneath it.

use rotule::build::{Body, Draft, External, Joint};
use rotule::layers::formalism::{ModelFunction as Named, generate};
use rotule::layers::jit::{KernelOptions, kernel};
use rotule::layers::program::NoExternals;
use rotule::layers::simulate::methods::{METHODS, SECOND_ORDER};
use rotule::{Error, Kernel, KernelKind, Language, Method, Model, State};
use std::path::Path;

fn open(name: &str) -> Model {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    Model::open(path).unwrap_or_else(|error| panic!("{error}"))
}

/// Every function whose inputs are all given, at a state.
fn at(kernel: &mut Kernel, state: &State, name: &str) -> Result<Vec<f64>, Error> {
    let function = kernel.function();
    let numbers = |name: &str| -> Vec<f64> {
        match name {
            "q" => state.q.clone(),
            "qd" => state.qd.clone(),
            "qdd" => state.qdd.clone(),
            "effort" => state.effort.clone(),
            _ => state.states.clone(),
        }
    };
    let names: Vec<String> = function.inputs().iter().map(|one| one.name.clone()).collect();
    let arrays: Vec<Vec<f64>> = names.iter().map(|name| numbers(name)).collect();
    let output = function.outputs().iter().find(|one| one.name == name).expect("an output");
    let mut out = vec![0.0; output.len()];
    let inputs: Vec<(&str, &[f64])> =
        names.iter().zip(&arrays).map(|(name, array)| (name.as_str(), &array[..])).collect();
    kernel.evaluate(&inputs, &mut [(name, &mut out)])?;
    Ok(out)
}

#[test]
fn models_are_shared_and_kernels_are_sent() {
    fn shared<T: Send + Sync>() {}
    fn sent<T: Send>() {}
    shared::<Model>();
    shared::<Error>();
    shared::<State>();
    sent::<Kernel>();
}

#[test]
fn kernels_give_the_numbers_of_programs_bit_by_bit() {
    let functions =
        ["inverse", "mass", "forward", "mass_bias", "kinetic_energy", "derivative(inverse, q)"];
    for model in ["puma560.toml", "cart_pole.toml", "quadruped.toml", "slider_crank.toml"] {
        let model = open(model);
        let tree = model.tree();
        for text in functions {
            let Ok(function) = model.function(text) else { continue };
            let named = Named::parse(text, tree).expect("a function");
            let program = generate(tree, &named, None).expect("a program").program;
            let mut raw = kernel(&program, KernelKind::Interpreter, KernelOptions::default())
                .expect("a kernel");
            for kind in [KernelKind::Auto, KernelKind::Interpreter] {
                let mut own = function.compile_with(kind).expect("a kernel");
                for seed in 0..5 {
                    let mut state = model.random(seed);
                    model.close(&mut state).expect("a state that closes");
                    let known = state.numbers().numbers(&tree.mechanism);
                    let inputs: Vec<f64> =
                        program.inputs().iter().map(|input| known[input.name.as_str()]).collect();
                    let mut expected = vec![0.0; program.output_len()];
                    raw.setup(&inputs, &mut NoExternals).expect("lengths");
                    raw.evaluate(&inputs, &mut expected, &mut NoExternals).expect("lengths");
                    let bits = |list: &[f64]| list.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                    let mut rest = &expected[..];
                    own.evaluate_at(&state).expect("numbers");
                    for output in function.outputs() {
                        let (part, after) = rest.split_at(output.len());
                        rest = after;
                        let found = own.output_of(&output.name).expect("an output").to_vec();
                        assert_eq!(bits(&found), bits(part), "{text}, {}", output.name);
                        let named = at(&mut own, &state, &output.name).expect("numbers");
                        assert_eq!(bits(&named), bits(part), "{text}, {} by names", output.name);
                    }
                }
            }
        }
    }
}

#[test]
fn batches_give_the_numbers_of_single_states() {
    for name in ["puma560.toml", "cart_pole.toml"] {
        let model = open(name);
        let mut kernel = model.function("mass_bias").unwrap().compile().unwrap();
        let (nq, nv, states) = (model.coordinates().len(), model.speeds().len(), 37);
        let all: Vec<State> = (0..states).map(|seed| model.random(seed as u64)).collect();
        let q: Vec<f64> = all.iter().flat_map(|state| state.q.clone()).collect();
        let qd: Vec<f64> = all.iter().flat_map(|state| state.qd.clone()).collect();
        let (mut c, mut mass) = (vec![0.0; states * nv], vec![0.0; states * nv * nv]);
        kernel.batch(&[("q", &q), ("qd", &qd)], &mut [("c", &mut c), ("M", &mut mass)]).unwrap();
        for (at, state) in all.iter().enumerate() {
            kernel.evaluate_at(state).unwrap();
            assert_eq!(kernel.output_of("c").unwrap(), &c[at * nv..(at + 1) * nv]);
            assert_eq!(kernel.output_of("M").unwrap(), &mass[at * nv * nv..(at + 1) * nv * nv]);
        }
        let short = kernel.batch(&[("q", &q[..nq]), ("qd", &qd)], &mut [("c", &mut c)]);
        assert!(matches!(short, Err(Error::Length { .. })), "{short:?}");
    }
}

#[test]
fn mistakes_are_named() {
    let model = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    let mut kernel = model.function("inverse").unwrap().compile().unwrap();
    let (one, two) = ([0.0], [0.0; 2]);
    let mut out = [0.0];
    let mut check = |inputs: &[(&str, &[f64])], expected: &str| {
        let error = kernel.evaluate(inputs, &mut [("effort", &mut out)]).unwrap_err();
        assert_eq!(error.to_string(), expected);
    };
    check(&[("q", &one), ("qd", &one)], "`inverse` needs `qdd`, which is not given");
    check(&[("q", &two), ("qd", &one), ("qdd", &one)], "`q` has 2 numbers, expected 1");
    check(
        &[("q", &one), ("qd", &one), ("qddd", &one)],
        "there is no input `qddd`\n  help: did you mean `qdd`?",
    );
    assert!(matches!(kernel.set("k", 1.0), Err(Error::Unknown { what: "parameter", .. })));
    assert!(matches!(Model::open("gone.toml"), Err(Error::Read { .. })));
    let Err(Error::Model(rejected)) = Model::read("a.toml", "[model]\nname = 1\n[[bod]]\n") else {
        panic!("a model with two errors")
    };
    assert!(rejected.diagnostics.count(rotule::layers::model::Severity::Error) >= 2);
}

#[test]
fn parameters_change_without_generating() {
    let mut model = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    let mut kernel = model.function("mass").unwrap().compile().unwrap();
    kernel.set("l", 0.7).unwrap();
    model.set("l", 0.7).unwrap();
    let mut fresh = model.function("mass").unwrap().compile().unwrap();
    let state = model.state();
    assert_eq!(at(&mut kernel, &state, "M").unwrap(), at(&mut fresh, &state, "M").unwrap());
    model.freeze(&["l", "m"]).unwrap();
    let mut frozen = model.function("mass").unwrap().compile().unwrap();
    let state = model.state();
    assert!((at(&mut frozen, &state, "M").unwrap()[0] - (0.01 + 0.49)).abs() < 1e-15);
}

/// A closure computes what an expression of the model says: the same motion, and the same
/// derivatives.
#[test]
fn closures_are_laws() {
    let draft = |law: &str| {
        let mut draft = Draft::new("damped");
        draft.gravity([0.0, 0.0, -9.81]);
        if law.starts_with("drag") {
            draft.add(External::new("drag", ["angle", "speed"]));
        }
        let joint = Joint::revolute("q", "y").effort(law);
        let body = Body::new("rod").parent("ground").joint(joint).mass(1).com([0.0, 0.0, -0.5]);
        draft.add(body.inertia([0.01, 0.01, 0.01]));
        draft.initial_q("q", 1.0);
        Model::try_from(&draft).unwrap()
    };
    let mut foreign = draft("drag(q, qd)");
    let missing = foreign.simulate().run().unwrap_err();
    assert!(missing.to_string().contains("`drag`"), "{missing}");
    foreign.external("drag", |x, y| y[0] = -0.3 * x[1] * x[0].cos());
    let known = draft("-0.3*qd*cos(q)");
    for method in [Method::Dop853, Method::Radau, Method::Bdf] {
        let runs = [&foreign, &known].map(|model| {
            model.simulate().to(3.0).method(method.clone()).tolerance(1e-9, 1e-11).run().unwrap()
        });
        let [one, other] = runs.map(|run| run.last("q").unwrap());
        assert!((one - other).abs() < 1e-6, "{method:?}: {one} and {other}");
    }
    let slope = |model: &Model| {
        model.evaluate("derivative(forward, q)", &model.state()).unwrap().outputs[0].numbers[0]
    };
    assert!((slope(&foreign) - slope(&known)).abs() < 1e-9);
    let last = |model: &Model| model.study().to(1.0).grid("q", 0.5..=1.0, 3).run().unwrap();
    let (one, other) = (last(&foreign), last(&known));
    for (one, other) in one.column("q:last").unwrap().iter().zip(other.column("q:last").unwrap()) {
        assert!((one - other).abs() < 1e-9);
    }
}

#[test]
fn a_run_goes_on_from_its_last_state() {
    let model = open("slider_crank.toml");
    let whole = model.simulate().to(1.0).step(1e-3).run().unwrap();
    let half = model.simulate().to(0.5).step(1e-3).run().unwrap();
    let rest = model.simulate().from(half.state()).to(1.0).step(1e-3).run().unwrap();
    for name in ["q1", "q3", "q3.d"] {
        let (one, other) = (whole.last(name).unwrap(), rest.last(name).unwrap());
        assert!((one - other).abs() < 1e-9, "{name}: {one} and {other}");
    }
}

/// The enums of the library and the tables below it name the same things.
#[test]
fn enums_have_every_method_and_every_language() {
    let methods: Vec<&str> = Method::ALL.iter().map(|(one, _)| one.name()).collect();
    let table = METHODS.iter().chain(SECOND_ORDER).map(|entry| entry.name);
    assert_eq!(methods, table.collect::<Vec<_>>(), "`rotule::Method` and METHODS differ");
    let languages: Vec<&str> = Language::ALL.iter().map(|(one, _)| one.name()).collect();
    let table = rotule::layers::targets().map(|(name, ..)| name);
    assert_eq!(languages, table.collect::<Vec<_>>(), "`rotule::Language` and LANGUAGES differ");
}

#[test]
fn every_language_writes() {
    let model = open("cart_pole.toml");
    for (language, name) in Language::ALL {
        let code = model
            .generate(language, &["inverse"])
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!code.files.is_empty(), "{name}");
    }
}
