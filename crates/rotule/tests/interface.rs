//! The public interface, held against what lies beneath it.

use rotule::build::{Body, Draft, External, Joint};
use rotule::layers::formalism::ModelFunction as Named;
use rotule::layers::jit::{KernelOptions, kernel};
use rotule::layers::numeric::generate;
use rotule::layers::program::NoExternals;
use rotule::layers::simulate::methods::{METHODS, SECOND_ORDER};
use rotule::study::Statistic;
use rotule::{Error, Kernel, KernelKind, Language, Method, Model, State};
use std::ops::ControlFlow;
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

/// Results of calls can be printed by `{:?}`, so that `unwrap_err` can be called on them.
#[test]
fn results_are_shown_by_debug() {
    let model = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    let kernel = model.function("inverse").unwrap().compile().unwrap();
    assert!(
        format!("{kernel:?}").contains("Function(inverse: q, qd, qdd -> effort)"),
        "{kernel:?}"
    );
    fn shown<T: std::fmt::Debug>() {}
    shown::<rotule::Check>();
    shown::<rotule::Equations>();
    shown::<rotule::Generated>();
    shown::<rotule::Run>();
    shown::<rotule::StudyTable>();
    shown::<rotule::Values>();
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
    kernel.set("t", 2.0).unwrap();
    assert_eq!((kernel.get("t").unwrap(), kernel.get("m").unwrap()), (2.0, 1.0));
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

/// Slices of a state are public, and it may be of another model: both are errors and no panics.
#[test]
fn states_of_other_lengths_are_refused() {
    let model = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    let mut kernel = model.function("mass").unwrap().compile().unwrap();
    let mut frozen = model.clone();
    frozen.freeze(&["m"]).unwrap();
    let mut short = model.state();
    short.q.clear();
    assert!(matches!(short.get("q"), Err(Error::Length { expected: 1, found: 0, .. })));
    assert!(matches!(short.set("q", 1.0), Err(Error::Length { .. })));
    for (mut state, name) in [
        (short, "q"),
        (open("puma560.toml").state(), "q"),
        // The parameters of this one stand at other places.
        (frozen.state(), "parameters"),
    ] {
        let check = |what: &str, outcome: Result<(), Error>| match outcome {
            Err(Error::Length { name: found, .. }) => assert_eq!(found, name, "{what}"),
            other => panic!("{what}: {other:?}"),
        };
        check("evaluate", model.evaluate("mass", &state).map(|_| ()));
        check("simulate", model.simulate().from(&state).run().map(|_| ()));
        check("close", model.close(&mut state).map(|_| ()));
        check("state_to_json", model.state_to_json(&state).map(|_| ()));
        check("initial_text", model.initial_text(&state).map(|_| ()));
        assert!(matches!(kernel.evaluate_at(&state), Err(Error::Length { .. })));
    }
}

#[test]
fn names_are_given_once() {
    let model = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    let mut kernel = model.function("inverse").unwrap().compile().unwrap();
    let (one, mut out, mut again) = ([0.1], [0.0], [0.0]);
    let all: [(&str, &[f64]); 4] = [("q", &one), ("qd", &one), ("qdd", &one), ("q", &one)];
    let twice = |outcome: Result<(), Error>| {
        let error = outcome.expect_err("a name that is given twice").to_string();
        assert!(error.ends_with("is given twice"), "{error}");
    };
    twice(kernel.evaluate(&all, &mut [("effort", &mut out)]));
    twice(kernel.evaluate(&all[..3], &mut [("effort", &mut out), ("effort", &mut again)]));
    twice(kernel.batch(&all, &mut [("effort", &mut out)]));
    twice(kernel.batch(&all[..3], &mut [("effort", &mut out), ("effort", &mut again)]));
    let time: [(&str, &[f64]); 4] = [all[0], all[1], all[2], ("t", &one)];
    let error = kernel.evaluate(&time, &mut [("effort", &mut out)]).unwrap_err().to_string();
    assert!(error.contains("set time and parameters by `Kernel::set`"), "{error}");
    kernel.batch(&time, &mut [("effort", &mut out)]).unwrap();
    // No states at all are no mistake.
    kernel.batch(&[("q", &[]), ("qd", &[]), ("qdd", &[])], &mut [("effort", &mut [])]).unwrap();
}

/// Functions and measures of a list are named once, too, by whatever name.
#[test]
fn lists_have_no_duplicates() {
    let model = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    let check = |outcome: Result<(), Error>, expected: &str| {
        let error = outcome.expect_err(expected).to_string();
        assert!(error.starts_with(expected), "{error}");
    };
    let functions = "`functions`: `crba` is named twice";
    check(model.count(&["mass", "crba"]).map(|_| ()), functions);
    check(model.count_transformations(&["mass", "crba"]).map(|_| ()), functions);
    check(model.generate(Language::C, &["mass", "crba"]).map(|_| ()), functions);
    let study = model.study().measure("q", Statistic::Max).measure("q", Statistic::Max);
    check(study.run().map(|_| ()), "`measure`: `q:max` is measured twice");
}

/// An array that is no whole number of rows says how long a row is.
#[test]
fn batches_have_whole_rows() {
    let robot = Model::read("arm.urdf", rotule::doc::ARM).unwrap();
    let mut kernel = robot.function("mass").unwrap().compile().unwrap();
    let error = kernel.batch(&[("q", &[0.0; 5])], &mut [("M", &mut [0.0; 8])]).unwrap_err();
    assert!(matches!(error, Error::Rows { row: 2, found: 5, .. }), "{error}");
    let error = kernel.batch(&[("q", &[0.0; 4])], &mut [("M", &mut [0.0; 9])]).unwrap_err();
    assert!(matches!(error, Error::Length { expected: 8, found: 9, .. }), "{error}");
}

/// A number that is not finite is named where it comes in, not where it shows.
#[test]
fn numbers_that_are_not_finite_are_named() {
    let mut model = Model::read("four_bar.toml", rotule::doc::FOUR_BAR).unwrap();
    let check = |outcome: Result<(), Error>, expected: &str| match outcome {
        Err(Error::NotFinite { name, value }) => {
            assert!(name == expected && !value.is_finite(), "{name}: {value}");
        }
        other => panic!("{expected}: {other:?}"),
    };
    for value in [f64::NAN, f64::INFINITY] {
        for name in ["q2", "q2.d", "t"] {
            let mut state = model.state();
            state.set(name, value).unwrap();
            check(model.simulate().from(&state).run().map(|_| ()), name);
            check(model.evaluate("forward", &state).map(|_| ()), name);
            check(model.state_to_json(&state).map(|_| ()), name);
            check(model.initial_text(&state).map(|_| ()), name);
            check(model.close(&mut state).map(|_| ()), name);
        }
        let parameter = model.parameters().first().map(|one| one.name.clone());
        if let Some(name) = parameter {
            check(model.set(&name, value).map(|_| ()), &name);
        }
    }
    let mut pendulum = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    check(pendulum.set("m", f64::NAN).map(|_| ()), "m");
    let mut state = pendulum.state();
    state.parameters[0] = f64::NAN;
    check(pendulum.simulate().from(&state).run().map(|_| ()), "m");
    // A function of the open tree is arithmetic, and passes it on.
    state = pendulum.state();
    state.q[0] = f64::NAN;
    assert!(pendulum.evaluate("inverse", &state).unwrap().outputs[0].numbers[0].is_nan());
}

/// Components of a free joint are reached by letters and by numbers.
#[test]
fn components_have_two_names() {
    let mut draft = Draft::new("drone");
    let hull = Body::new("hull").parent("ground").joint(Joint::free("base"));
    draft.add(hull.mass(2).inertia([1, 1, 1]));
    let model = Model::try_from(&draft).unwrap();
    let mut state = model.state();
    assert_eq!(model.coordinates()[3], "base.qw");
    assert_eq!(model.speeds()[4], "base.wy");
    for (name, number) in [
        ("base.x", "base[1]"),
        ("base.qz", "base[7]"),
        ("base.vy", "base.d[2]"),
        ("base.wz", "base.d[6]"),
        ("base.vx.d", "base.dd[1]"),
        ("base.wx.d", "base.dd[4]"),
        ("base.fz", "base.effort[3]"),
        ("base.tx", "base.effort[4]"),
    ] {
        let value = state.get(name).unwrap() + 0.5;
        state.set(number, value).unwrap();
        assert_eq!(state.get(name).unwrap(), value, "{name}");
    }
}

/// Ends and changes of initial values can be shown.
#[test]
fn ends_and_changes_are_shown() {
    let model = Model::read("four_bar.toml", rotule::doc::FOUR_BAR).unwrap();
    let mut state = model.state();
    state.set("q1", 1.2).unwrap().set("q2", 3.0).unwrap().set("q3", 3.0).unwrap();
    let changes = model.close(&mut state).unwrap();
    assert!(!changes.is_empty());
    for change in &changes {
        let (text, name) = (change.to_string(), &change.name);
        let expected = format!("`{name}` is written as {} and becomes ", change.written);
        assert!(text.starts_with(&expected), "{text}");
    }
    let run = model.simulate().to(0.1).run().unwrap();
    assert_eq!(run.end().to_string(), "reached");
    let stopped = model.simulate().progress(|_| ControlFlow::Break(())).run().unwrap();
    assert_eq!(stopped.end().to_string(), "stopped before the end");
}

/// Samples that share a value of the horizontal axis are points, a function of it is a line.
#[test]
fn studies_are_plotted_as_what_they_are() {
    let model = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    let dots = |text: &str| {
        let dots = text.chars().filter(|one| ('\u{2801}'..='\u{28ff}').contains(one));
        dots.map(|one| (one as u32 & 0xff).count_ones()).sum::<u32>()
    };
    let study = || model.study().to(0.1).grid("l", 0.3..=0.6, 3);
    let line = study().run().unwrap().plot("l", "q:last").unwrap();
    assert!(dots(&line) > 100, "{line}");
    let points = study().grid("q", 0.1..=0.5, 3).run().unwrap().plot("l", "q:last").unwrap();
    assert_eq!(dots(&points), 9, "{points}");
}

/// Messages name methods of the library, not options of the command line.
#[test]
fn messages_speak_of_methods() {
    let model = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    // A torque that grows without bounds in finite time.
    let mut draft = model.draft();
    assert!(draft.edit_joint("q", |joint| joint.effort("1e3*q^3")));
    let runaway = Model::try_from(&draft).unwrap();
    let errors = [
        model.simulate().max_steps(3).run().map(|_| ()),
        runaway.simulate().run().map(|_| ()),
        model.function("").map(|_| ()),
    ];
    let texts = errors.map(|outcome| outcome.unwrap_err().to_string());
    assert!(texts.iter().all(|text| !text.contains("--")), "{texts:#?}");
    assert!(texts[0].contains("raise it with `max_steps`"), "{}", texts[0]);
    assert!(texts[1].contains("try a larger relative `tolerance`"), "{}", texts[1]);
    assert!(texts[2].starts_with("there is no function ``"), "{}", texts[2]);
    assert_eq!(Language::named("C++").unwrap(), Language::C);

    // Diagnostics of a model, as text and as data.
    let robot = Model::read("arm.urdf", rotule::doc::ARM).unwrap();
    let note = "`floating_base` lets it move freely";
    assert!(robot.warnings().contains(note), "{}", robot.warnings());
    assert!(robot.diagnostics().iter().any(|one| one.help.as_deref() == Some(note)));
    assert!(robot.check().json().to_string().contains(note));
    let options = Model::options().floating_base(true);
    let error = options.read("pendulum.toml", rotule::doc::PENDULUM).unwrap_err().to_string();
    assert!(error.starts_with("`floating_base` is for imported robots"), "{error}");
}

/// Forces of a closed mechanism have functions of their own, which the refused one names.
#[test]
fn reactions_of_a_closed_model_lead_to_those_of_the_closed_one() {
    let model = Model::read("four_bar.toml", rotule::doc::FOUR_BAR).unwrap();
    let error = model.function("reactions").unwrap_err();
    for name in ["closed_reactions", "closure_reactions"] {
        assert!(error.help().contains(&format!("`{name}`")), "{error}");
        model.function(name).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

/// A short measurement: other codes are not asked, and one compiler suffices.
#[cfg(all(feature = "bench", target_os = "linux"))]
#[test]
fn a_model_is_measured() {
    use rotule::bench::BenchOptions;
    let model = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    let options = BenchOptions {
        functions: Some("inverse"),
        compiler: "gcc",
        repeats: 1,
        milliseconds: 0.1,
        ..BenchOptions::default()
    };
    let mut steps = Vec::new();
    let report = model.bench(&options, &mut |doing| steps.push(doing.to_owned())).unwrap();
    assert!(!report.differs() && !steps.is_empty());
    assert!(report.text(false).contains("inverse"), "{}", report.text(false));
    assert!(model.parameter("l").is_ok(), "parameters are frozen in a copy");

    let options = BenchOptions { functions: Some("inverse,inverse"), ..options };
    let error = model.bench(&options, &mut |_| {}).unwrap_err().to_string();
    assert!(!error.contains("--"), "{error}");
}

/// A study is written as `rotule study` writes it: as a table in three formats and as a page.
#[test]
fn studies_are_written() {
    let model = Model::read("pendulum.toml", rotule::doc::PENDULUM).unwrap();
    let table = model.study().to(0.1).grid("l", 0.3..=0.6, 4).run().unwrap();
    let folder = std::env::temp_dir().join(format!("rotule-study-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for name in ["s.csv", "s.res", "s.parquet"] {
        table.write(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let read = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let csv = String::from_utf8(read("s.csv")).unwrap();
    assert!(csv.starts_with("sample,l,q:last,end,status,verdict\n1,0.3,"), "{csv}");
    assert_eq!(csv.lines().count(), 5);
    assert!(read("s.parquet").ends_with(b"PAR1"));
    assert!(table.write(folder.join("s.xls")).is_err());
    assert!(table.report(folder.join("s.pdf")).is_err());
    assert!(table.plots().contains(" over "), "{}", table.plots());
    table.report(folder.join("s.html")).unwrap();
    assert!(String::from_utf8(read("s.html")).unwrap().contains("q:last over l"));
    std::fs::remove_dir_all(&folder).unwrap();
    let stopped = model.study().to(0.1).grid("l", 0.3..=0.6, 500);
    let stopped = stopped.progress(|_, _| ControlFlow::Break(())).run().unwrap();
    assert!(stopped.summary.stopped && !stopped.is_good() && stopped.rows.len() < 500);
}

/// A progress callback ends what takes long.
#[test]
fn work_is_cancelled() {
    let model = open("puma560.toml");
    let stop = || ControlFlow::Break(());
    let mut begun = Vec::new();
    let counted = model.count_with(&["inverse", "mass"], &mut |name, _| {
        begun.push(name.to_owned());
        if begun.len() > 1 { stop() } else { ControlFlow::Continue(()) }
    });
    assert!(matches!(counted, Err(Error::Stopped)), "{counted:?}");
    assert_eq!(begun, ["inverse", "inverse"]);
    let counted = model.count_transformations_with(&["mass"], &mut |_, _| stop());
    assert!(matches!(counted, Err(Error::Stopped)));
    for language in [Language::C, Language::Markdown] {
        let made = model.generator(language).functions(&["inverse"]).generate_with(&mut |_| stop());
        assert!(matches!(made, Err(Error::Stopped)), "{}", language.name());
    }
}

/// The cost of a function is what `rotule count` prints.
#[test]
fn costs_are_counted_alike() {
    for (name, function) in [("puma560.toml", "inverse"), ("four_bar_joint.toml", "forward")] {
        let model = open(name);
        let cost = model.function(function).unwrap().cost();
        let table = model.count(&[function]).unwrap();
        let row = table.rows.iter().find(|row| row.cheapest).expect("a cheapest formalism");
        assert_eq!(cost.operations, row.counts.body.total(), "{name}");
        assert_eq!(cost.functions, row.counts.body.functions(), "{name}");
        assert_eq!(cost.iteration, row.counts.iteration.operations(), "{name}");
        assert_eq!(cost.iteration > 0, function == "forward");
    }
}
