//! Readable equations of the sliding pendulum: the example of KINDA (Ikoki, Richard, Bouazara and
//! Datoussaid 2009), figures 9 and 10 and the accelerations of section 4, with the misprints of the
//! printed text corrected.

use rotule_formalism::readable::{self, Question, ReadableEquations};
use rotule_formalism::{Formalism, MultibodySystem, Parts};
use rotule_model::index::SpeedId;
use rotule_symbolic::random::of_name;
use rotule_symbolic::{Expr, parse};
use rotule_testing::formalism;

fn tree(example: &str) -> MultibodySystem {
    formalism::tree(&formalism::example(example))
}

fn equations(driven: &[usize]) -> (MultibodySystem, ReadableEquations) {
    let mut tree = tree("sliding_pendulum.toml");
    let question = Question { driven, ..Question::default() };
    let equations = equations_of(&mut tree, question);
    assert_eq!(equations.missing, None);
    (tree, equations)
}

/// Equations, whose expressions the graph of the tree has from then on.
fn equations_of(tree: &mut MultibodySystem, question: Question<'_>) -> ReadableEquations {
    let (equations, sheet) = readable::equations(tree, question).expect("a tree has equations");
    (tree.mechanism.graph, ..) = sheet.into_parts();
    equations
}

/// A formula in the words of the model.
fn formula(tree: &mut MultibodySystem, text: &str) -> Expr {
    tree.mechanism.graph.parse_known(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

/// A number for an input, not near zero.
fn random(name: &str, seed: u32) -> f64 {
    1.3 + of_name(name, seed)
}

/// Two expressions have the same values at random states.
fn agree(tree: &MultibodySystem, found: Expr, expected: Expr) {
    for seed in 1..=20 {
        let value = |name: &str| Some(random(name, seed));
        let values = tree.mechanism.graph.evaluate_f64(&[found, expected], value).expect("plain");
        let size = values[1].abs().max(1.0);
        assert!((values[0] - values[1]).abs() <= 1e-12 * size, "{}", text(tree, found));
    }
}

fn text(tree: &MultibodySystem, expr: Expr) -> String {
    tree.mechanism.graph.text(expr)
}

/// Operations of a formula as it is written.
fn operations(text: &str) -> u64 {
    parse(text).expect("a formula").count().total()
}

/// Figure 9: the entries of M, c and Q in this order.
const FIGURE_9: [&str; 7] = [
    "m",
    "-1/2*L*m*sin(q2)",
    "I3 + 1/4*L^2*m",
    "m*(-g - 1/2*cos(q2)*q2.d^2*L)",
    "1/2*L*m*sin(q2)*g",
    "-k*(-L0 + q1)",
    "0",
];

/// K-08. Without barycentric parameters KINDA prints figure 10, whose c1 hides sin^2 + cos^2: our
/// newton-euler path must end at figure 9, too.
#[test]
fn mass_bias_and_laws_are_those_of_figure_9_by_both_formalisms() {
    for formalism in [Formalism::NewtonEuler, Formalism::Barycentric] {
        let mut tree = tree("sliding_pendulum.toml");
        let question = Question { formalism: Some(formalism), ..Question::default() };
        let found = equations_of(&mut tree, question);
        assert!(found.terms.explicit);
        assert_eq!(found.terms.formalism, formalism);
        let entries = found.terms.targets.iter().flat_map(|target| &target.entries);
        let entries: Vec<Expr> = entries.map(|entry| entry.2).collect();
        assert_eq!(entries.len(), FIGURE_9.len());
        for (&entry, expected) in entries.iter().zip(FIGURE_9) {
            assert_eq!(entry, formula(&mut tree, expected), "{}", text(&tree, entry));
            assert!(operations(&text(&tree, entry)) <= operations(expected));
        }
    }
}

/// Figure 10: c1 as KINDA leaves it, put into our simplifier.
#[test]
fn the_nested_form_of_figure_10_is_reduced() {
    let mut tree = tree("sliding_pendulum.toml");
    let nested = "m*(cos(q2)*(-cos(q2)*g - 1/2*q2.d^2*L) - sin(q2)^2*g)";
    assert_eq!(formula(&mut tree, nested), formula(&mut tree, FIGURE_9[3]));
}

/// K-09: both equations by Lagrange from the energies, each as M qdd + c - Q with L0 = 0.
#[test]
fn the_equations_are_those_of_lagrange() {
    let (mut tree, _) = equations(&[]);
    let kinetic =
        formula(&mut tree, "1/2*m*(q1.d^2 - q1.d*q2.d*L*sin(q2) + L^2/4*q2.d^2) + 1/2*I3*q2.d^2");
    let potential = formula(&mut tree, "-m*g*(q1 + L/2*cos(q2)) + 1/2*k*(q1 - L0)^2");
    let efforts = formalism::efforts(&mut tree, Parts::ALL, Formalism::NewtonEuler);
    let symbols =
        |tree: &mut MultibodySystem, names: [&str; 2]| names.map(|name| formula(tree, name));
    let (q, qd, qdd) = (
        symbols(&mut tree, ["q1", "q2"]),
        symbols(&mut tree, ["q1.d", "q2.d"]),
        symbols(&mut tree, ["q1.dd", "q2.dd"]),
    );
    for row in 0..2 {
        let graph = &mut tree.mechanism.graph;
        let momentum = graph.derivative(kinetic, qd[row]);
        let mut terms =
            vec![-graph.derivative(kinetic, q[row]), graph.derivative(potential, q[row])];
        for column in 0..2 {
            for (by, rate) in [(q[column], qd[column]), (qd[column], qdd[column])] {
                let part = graph.derivative(momentum, by);
                terms.push(graph.mul(part, rate));
            }
        }
        let lagrange = graph.sum(&terms);
        let law = tree.motion.laws[SpeedId::new(row)];
        let ours = tree.mechanism.graph.sub(efforts[row], law);
        agree(&tree, ours, lagrange);
    }
    // Equation (16) corrected agrees, as it is printed it does not.
    let second = tree.mechanism.graph.sub(efforts[1], tree.motion.laws[SpeedId::new(1)]);
    let correct = "m*L^2/4*q2.dd - m*q1.dd*L/2*sin(q2) + I3*q2.dd + m*g*L/2*sin(q2)";
    let correct = formula(&mut tree, correct);
    agree(&tree, second, correct);
    let printed = "m*L^2/4*q2.dd - m*q1.d*L*sin(q2) + I3*q2.dd + m*g*L/2*sin(q2)";
    let printed = formula(&mut tree, printed);
    let value = |name: &str| Some(random(name, 1));
    let values = tree.mechanism.graph.evaluate_f64(&[second, printed], value).expect("plain");
    assert!((values[0] - values[1]).abs() > 0.1);
}

/// `N` and `D` of case I.
const N: &str = "(0.25*m*cos(q2)*q2.d^2*L - 0.5*k*(q1 - L0))";
const D: &str = "(m*L^2*(0.25 - 0.25*sin(q2)^2) + I3)";

/// K-10: the solutions against KINDA's, corrected, at random states and in length.
#[test]
fn accelerations_and_efforts_of_all_cases() {
    let check = |driven: &[usize], accelerations: &[(usize, &str)], efforts: &[(usize, &str)]| {
        let (mut tree, found) = equations(driven);
        for (found, expected) in [(&found.accelerations, accelerations), (&found.efforts, efforts)]
        {
            assert_eq!(found.len(), expected.len());
            for (&(at, value), &(speed, expected)) in found.iter().zip(expected) {
                assert_eq!(at, speed);
                let written = text(&tree, value);
                assert!(operations(&written) <= operations(expected), "{written}\n{expected}");
                let expected = formula(&mut tree, expected);
                agree(&tree, value, expected);
            }
        }
    };
    let free = [
        (0, &*format!("-(k/m)*(q1 - L0) + g + L*(0.5*cos(q2)*q2.d^2 + 0.5*L*sin(q2)^2*{N}/{D})")),
        (1, &*format!("L*sin(q2)*{N}/{D}")),
    ];
    let first = "0.5*m*L*sin(q2)*(q1.dd - g)/(I3 + 0.25*m*L^2)";
    let second = "(-k*(q1 - L0) + m*(g + L*(0.5*cos(q2)*q2.d^2 + 0.5*sin(q2)*q2.dd)))/m";
    let slider = "m*(q1.dd + L*(-0.5*sin(q2)*q2.dd - 0.5*cos(q2)*q2.d^2) - g) + k*(q1 - L0)";
    let rod = "L*m*sin(q2)*(-0.5*q1.dd + 0.5*g) + (I3 + 0.25*L^2*m)*q2.dd";
    check(&[], &free, &[]);
    check(&[0], &[(1, first)], &[(0, slider)]);
    check(&[1], &[(0, second)], &[(1, rod)]);
    check(&[0, 1], &[], &[(0, slider), (1, rod)]);
}

/// K-11, and the value at one state.
#[test]
fn inverse_dynamics_of_the_accelerations_gives_the_laws_back() {
    let (mut tree, found) = equations(&[]);
    let efforts = formalism::efforts(&mut tree, Parts::ALL, Formalism::NewtonEuler);
    let qdd = tree.motion.qdd.as_slice();
    let solved: Vec<(Expr, Expr)> =
        found.accelerations.iter().map(|&(at, value)| (qdd[at], value)).collect();
    let needed = tree.mechanism.graph.substitute(&efforts, &solved);
    for (effort, law) in needed.into_iter().zip(tree.motion.laws.clone()) {
        agree(&tree, effort, law);
    }

    let state = [("q1", 0.1), ("q2", 0.7), ("q1.d", -0.3), ("q2.d", 1.9)];
    let parameters = &tree.mechanism.parameters;
    let value = |name: &str| {
        let parameter = parameters.iter().find(|one| one.name == name).map(|one| one.value);
        parameter.or_else(|| state.iter().find(|one| one.0 == name).map(|one| one.1))
    };
    let solution: Vec<Expr> = found.accelerations.iter().map(|one| one.1).collect();
    let values = tree.mechanism.graph.evaluate_f64(&solution, value).expect("known inputs");
    for (value, expected) in values.iter().zip([4.554791864191, -5.078247046805]) {
        assert!((value - expected).abs() < 1e-11, "{value} {expected}");
    }
}

/// Explicit equations of systems that are not small enough would be pages.
#[test]
fn long_equations_keep_their_variables() {
    let mut puma = tree("puma560.toml");
    let found = equations_of(&mut puma, Question::default());
    assert!(!found.terms.explicit && found.accelerations.is_empty());
    assert!(found.missing.is_some());
    let mut crank = tree("slider_crank.toml");
    let found = equations_of(&mut crank, Question::default());
    assert!(found.terms.explicit && found.accelerations.is_empty());
    assert!(found.missing.is_some_and(|reason| reason.contains("loop closure `pin`")));
}

/// Explicit or with the variables of the recursion: the same numbers.
#[test]
fn both_forms_have_the_same_values() {
    for example in ["double_pendulum.toml", "furuta.toml", "cart_pole.toml", "heavy_top.toml"] {
        let mut tree = tree(example);
        let bias = formalism::efforts(&mut tree, Parts::BIAS, Formalism::NewtonEuler);
        let masses = formalism::write(&mut tree, "mass", Formalism::NewtonEuler).remove(0).entries;
        let found = equations_of(&mut tree, Question::default());
        assert!(found.terms.explicit, "{example}");
        let [mass, short, _] = found.terms.targets.as_slice() else { panic!("M, c, Q") };
        for (&recursive, entry) in bias.iter().zip(&short.entries) {
            agree(&tree, entry.2, recursive);
        }
        for (recursive, entry) in masses.iter().zip(&mass.entries) {
            agree(&tree, entry.2, recursive.2);
        }
        // M times the accelerations, plus c, is Q.
        let qdd = tree.motion.qdd.as_slice();
        let solved: Vec<(Expr, Expr)> =
            found.accelerations.iter().map(|&(at, value)| (qdd[at], value)).collect();
        assert_eq!(solved.len(), tree.speeds(), "{example}: {:?}", found.missing);
        let efforts = formalism::efforts(&mut tree, Parts::ALL, Formalism::NewtonEuler);
        let needed = tree.mechanism.graph.substitute(&efforts, &solved);
        for (effort, law) in needed.into_iter().zip(tree.motion.laws.clone()) {
            agree(&tree, effort, law);
        }
    }
}
