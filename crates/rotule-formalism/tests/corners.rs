//! Corners where formalisms could part ways or numbers go wrong without a word: singular models,
//! driven joints that depend on parameters, symbolic axes, quaternions of any length, and the
//! choice of the cheapest.

use rotule_formalism::{Formalism, ModelFunction, derivative_ways, function::By, generate};
use rotule_testing::formalism::{agree, example, numbers, on_sheet, state, tree, write};

/// A body on two joints that move it alike, with nothing between: no formalism may answer, nor all
/// together.
#[test]
fn singular_models_are_refused_by_every_formalism() {
    let pair = |first: &str, second: &str| {
        format!(
            "[model]\nname = 'pair'\n[[body]]\nname = 'a'\nparent = 'ground'\njoint = {{ name = 's1', {first} }}\n\
             [[body]]\nname = 'b'\nparent = 'a'\n{second}\nmass = 1.3\ncom = [0.3, 0.2, 0.1]\n\
             inertia = {{ xx = 0.11, yy = 0.12, zz = 0.13 }}\n"
        )
    };
    let screw = "type = 'helical', axis = 'z', pitch = 0.1";
    let models = [
        pair(screw, &format!("joint = {{ name = 's2', {screw} }}")),
        pair("type = 'spherical'", "joint = { name = 's2', type = 'revolute', axis = [1, 2, 3] }"),
        pair(
            "type = 'revolute', axis = [0.36, 0.48, 0.8]",
            "joint = { name = 's2', type = 'revolute', axis = [0.36, 0.48, 0.8] }",
        ),
    ];
    for text in &models {
        let tree = tree(text);
        let forward = ModelFunction::parse("forward", &tree).expect("a known function");
        let one =
            [Formalism::NewtonEuler, Formalism::Barycentric, Formalism::ArticulatedBody].map(Some);
        for formalism in one.into_iter().chain([None]) {
            match generate(&tree, &forward, formalism) {
                Ok(made) => panic!("{} answers:\n{text}", made.formalism.name()),
                Err(problem) => assert!(problem.message.contains("`s1`"), "{problem}"),
            }
        }
    }
}

/// Accelerations of driven joints depend on the parameters of their motion, by every way of
/// differentiating.
#[test]
fn driven_accelerations_depend_on_the_parameters_of_the_motion() {
    let body = |name: &str, parent: &str, joint: &str| {
        format!(
            "[[body]]\nname = '{name}'\nparent = '{parent}'\nposition = [0.3, 0.2, 0.1]\njoint = {joint}\nmass = 1\n\
             com = [0.1, 0.2, 0.3]\ninertia = {{ xx = 1, yy = 1.2, zz = 1.4, xy = 0.1 }}\n"
        )
    };
    let text = [
        "[model]\nname = 'm'\n[parameters]\nA = 0.5\n".to_owned(),
        body("base", "ground", "{ name = 'f', type = 'free' }"),
        body("arm", "base", "{ name = 'a', type = 'revolute', axis = 'y' }"),
        body("hand", "arm", "{ name = 'h', type = 'revolute', axis = 'x' }"),
        "[[motion]]\njoint = 'a'\nq = 'A*t^2'\n".to_owned(),
    ]
    .concat();
    let mut tree = tree(&text);
    let forward = ModelFunction::parse("forward", &tree).expect("a known function");
    let by = By::Parameter(tree.mechanism.parameters[0].symbol);
    let mut first: Option<Vec<f64>> = None;
    for formalism in [Formalism::ArticulatedBody, Formalism::NewtonEuler, Formalism::Barycentric] {
        for (_, outputs) in
            on_sheet(&mut tree, |w| derivative_ways(w, &forward, &by, formalism)).expect("ways")
        {
            let found = numbers(&tree, &outputs[0], &state(&tree, 3));
            assert!((found[6] - 2.0).abs() < 1e-12, "{found:?}");
            let expected = first.get_or_insert_with(|| found.clone());
            agree("forward by A", &found, expected, 1e-11);
        }
    }
}

/// A planar joint whose normal has a parameter moves like one whose normal is in numbers.
#[test]
fn directions_of_a_planar_joint_go_by_the_parameters_numbers() {
    let text = |axis: &str| {
        format!(
            "[model]\nname = 'm'\n[parameters]\nal = 0.4\n[[body]]\nname = 'd'\nparent = 'ground'\n\
             joint = {{ name = 'p', type = 'planar', axis = [{axis}, 0.2, 1] }}\nmass = 1\n\
             inertia = {{ xx = 1, yy = 1, zz = 1 }}\n"
        )
    };
    let place = |axis: &str| {
        let mut tree = tree(&text(axis));
        let outputs = write(&mut tree, "position(d)", Formalism::Outward);
        numbers(&tree, &outputs[0], &state(&tree, 5))
    };
    agree("position", &place("'al'"), &place("0.4"), 1e-14);
}

/// A locked or driven quaternion may have any length in a file.
#[test]
fn rotations_of_locked_and_driven_joints_are_rotations() {
    let base = "[model]\nname = 'm'\naccept = ['number']\n[[body]]\nname = 'a'\nparent = 'ground'\nmass = 1\n\
                inertia = { xx = 1, yy = 1, zz = 1 }\n";
    let locked = format!(
        "{base}joint = {{ name = 's', type = 'spherical', role = 'locked' }}\n[initial.q]\ns = [2, 1, 0, 1]\n"
    );
    let driven = format!(
        "{base}joint = {{ name = 's', type = 'spherical' }}\n[[motion]]\njoint = 's'\n\
         q = ['2*cos(t)', 0, '2*sin(t)', 0]\nqd = [0, 2, 0]\nqdd = [0, 0, 0]\n"
    );
    for text in [locked, driven] {
        let mut tree = tree(&text);
        let outputs = write(&mut tree, "rotation(a)", Formalism::Outward);
        let r = numbers(&tree, &outputs[0], &state(&tree, 2));
        for i in 0..3 {
            for j in 0..3 {
                let dot: f64 = (0..3).map(|k| r[3 * i + k] * r[3 * j + k]).sum();
                assert!((dot - f64::from(u8::from(i == j))).abs() < 1e-14, "{text}\n{r:?}");
            }
        }
    }
}

/// Auto is the least over the formalisms, on functions small and large.
#[test]
fn the_cheapest_formalism_is_kept() {
    for model in ["puma560", "n_pendulum_8", "cart_pole", "furuta", "kuka_iiwa14", "motorcycle"] {
        let tree = tree(&example(&format!("{model}.toml")));
        for name in ["inverse", "mass", "bias", "gravity", "coriolis", "forward", "inverse_mass"] {
            let function = ModelFunction::parse(name, &tree).expect("a known function");
            let count = |formalism| {
                let made = generate(&tree, &function, formalism);
                made.unwrap_or_else(|problem| panic!("{problem}")).counts.body.operations()
            };
            let least = function.formalisms().iter().map(|&one| count(Some(one))).min();
            assert_eq!(Some(count(None)), least, "{name} of {model}");
        }
    }
}
