//! The simplifications that the KINDA article (Ikoki et al., Trans. CSME, 2009) shows: its
//! expressions E1 to E3 with reference values, and the rules that its examples imply.

use rotule_symbolic::{Graph, parse};

const E1: &str = "cos(q2)*cos(q4)*cos(q5+q6)*cos(q5+q6)*sin(q8)
    + cos(q2)*sin(q4)*sin(q5+q6)*cos(q8)
    - sin(q2)*sin(q4)*sin(q5+q6)*sin(q5+q6)*sin(q8)
    - sin(q2)*sin(q4)*cos(q5+q6)*cos(q5+q6)*sin(q8)
    + cos(q2)*cos(q4)*sin(q5+q6)*sin(q5+q6)*sin(q8)
    + sin(q2)*cos(q4)*sin(q5+q6)*cos(q8)";
const E2: &str = "-sin(q2)*sin(q2)*sin(q4)*sin(q5+q6)*sin(q5+q6)*sin(q8)
    + cos(q2)*sin(q2)*cos(q4)*cos(q5+q6)*cos(q5+q6)*sin(q8)
    + cos(q2)*sin(q2)*cos(q4)*sin(q5+q6)*sin(q5+q6)*sin(q8)
    - sin(q2)*sin(q2)*sin(q4)*cos(q5+q6)*cos(q5+q6)*sin(q8)
    + cos(q2)*sin(q2)*sin(q4)*sin(q5+q6)*cos(q8)
    + sin(q2)*sin(q2)*cos(q4)*sin(q5+q6)*cos(q8)";
const E3: &str = "-cos(q2+q4)*cos(q2+q4)*cos(q5+q6)*cos(q5+q6)*sin(q8)
    + cos(q2+q4)*cos(q2+q4)*sin(q5+q6)*sin(q5+q6)*cos(q8)*cos(q8)*sin(q8)
    + cos(q2+q4)*cos(q2+q4)*sin(q5+q6)*sin(q5+q6)*sin(q8)*sin(q8)*sin(q8)
    + cos(q2+q4)*sin(q2+q4)*sin(q5+q6)*cos(q8)*cos(q8)*cos(q8)
    + cos(q2+q4)*sin(q2+q4)*sin(q5+q6)*cos(q8)*sin(q8)*sin(q8)";

/// Coordinates q2, q4, q5, q6, q8 from a list.
fn at(point: [f64; 5]) -> impl Fn(&str) -> Option<f64> {
    move |name| {
        let index = ["q2", "q4", "q5", "q6", "q8"].iter().position(|n| *n == name)?;
        Some(point[index])
    }
}

fn check_expression(text: &str, multiplications: u64, reference: f64) {
    let mut graph = Graph::new();
    let simple = graph.parse(text).unwrap();
    let counts = graph.counts(&[simple]);
    assert!(counts.multiply <= multiplications, "{counts}: {}", graph.text(simple));
    let value = graph.evaluate_f64(&[simple], at([0.3, -0.7, 1.1, 0.4, -1.2])).unwrap()[0];
    assert!((value - reference).abs() < 1e-14, "{value}");
    let original = parse(text).unwrap();
    for i in 0..20 {
        let point = std::array::from_fn(|k| (1.7 * i as f64 + 2.3 * k as f64).sin() * 3.0);
        let written = original.evaluate(&mut rotule_symbolic::Doubles(at(point))).unwrap();
        let value = graph.evaluate_f64(&[simple], at(point)).unwrap()[0];
        assert!((value - written).abs() < 1e-12, "{value} and {written} at {point:?}");
    }
}

#[test]
fn the_three_expressions_need_3_4_and_5_multiplications() {
    check_expression(E1, 3, -0.9992201237172621);
    check_expression(E2, 4, -0.2952897374610946);
    check_expression(E3, 5, -0.9124297625993732);
}

/// Simplifies `text` and compares with how `expect` is written, to the letter.
fn check(text: &str, expect: &str) {
    let mut graph = Graph::new();
    let expr = graph.parse(text).unwrap();
    assert_eq!(graph.text(expr), expect, "from {text}");
}

#[test]
fn worked_example_of_the_tree() {
    check("2*A + B*(cos(q1)^2 + sin(q1)^2)", "2*A + B");
}

#[test]
fn arguments_are_canonical() {
    let mut graph = Graph::new();
    let a = graph.parse("sin(q4 + q2)").unwrap();
    let b = graph.parse("sin(q2 + q4)").unwrap();
    let c = graph.parse("sin(-q2 - q4)").unwrap();
    assert_eq!((a, a), (b, -c));
}

#[test]
fn nothing_is_expanded_and_double_angles_fold() {
    check("(a + b)^2", "(a + b)^2");
    check("2*sin(q)*cos(q)", "sin(2*q)");
    check("cos(q)^2 - sin(q)^2", "cos(2*q)");
    // Without the two in front, a product is cheaper than another sine.
    check("sin(q)*cos(q)", "cos(q)*sin(q)");
}

#[test]
fn numbers_keep_their_type() {
    check("2*x", "2*x");
    check("2.0*x", "2.0*x");
    check("x/2", "x/2");
    check("0.5*x", "0.5*x");
    check("2.0 + 3", "5.0");
}

#[test]
fn the_nested_pythagoras_of_the_sliding_pendulum_is_found() {
    // Figure 10, the form without barycentric parameters, becomes that of figure 9.
    let mut graph = Graph::new();
    let nested = "m*(cos(q2)*(-cos(q2)*g - 0.5*qd2^2*L) - sin(q2)^2*g)";
    let plain = "m*(-g - 0.5*cos(q2)*qd2^2*L)";
    let a = graph.parse(nested).unwrap();
    let b = graph.parse(plain).unwrap();
    assert_eq!(a, b, "{}", graph.text(a));
}

#[test]
fn a_trigonometric_zero_is_found_and_its_misprint_is_not() {
    let corrected = "sin(x)^3 + cos(x + pi/6)^3 - sin(x + pi/3)^3 + 3/4*sin(3*x)";
    let misprint = "sin(x)^3 + cos(x + pi/6)^3 + 3/4*sin(3*x)";
    let mut graph = Graph::new();
    let zero = graph.parse(corrected).unwrap();
    let zero = graph.simplify(&[zero])[0];
    assert_eq!(graph.text(zero), "0");
    let other = graph.parse(misprint).unwrap();
    let other = graph.simplify(&[other])[0];
    let value = graph.evaluate_f64(&[other], |_| Some(0.0)).unwrap()[0];
    assert!((value - 0.649519052838329).abs() < 1e-14, "{value}");
}

#[test]
fn a_double_angle_that_collects_is_found() {
    check("x + sin(q)*cos(q) + cos(q)*sin(q)", "x + sin(2*q)");
}
