//! Simplification never makes anything more expensive: random expressions, simplified and lowered,
//! have the value of the text, take no more operations than the text as written with equal parts
//! shared, and simplify to themselves.

use proptest::prelude::*;
use rotule_program::ProgramCounts;
use rotule_program::lower::{Request, Target, lower};
use rotule_symbolic::{Expr, Graph, Kind, parse};
use rotule_testing::symbolic::extended::{Extended, to_f64};
use std::collections::HashSet;

/// An expression as text, with the set of its operations as texts: equal parts are written alike,
/// so the size of the set is the number of operations of the text when equal parts are shared.
#[derive(Clone, Debug)]
struct Written {
    text: String,
    operations: HashSet<String>,
}

impl Written {
    fn leaf(text: &str) -> Written {
        Written { text: text.into(), operations: HashSet::new() }
    }

    fn node(text: String, parts: &[&Written]) -> Written {
        let mut operations: HashSet<String> =
            parts.iter().flat_map(|p| p.operations.iter().cloned()).collect();
        operations.insert(text.clone());
        Written { text, operations }
    }
}

fn leaves() -> impl Strategy<Value = Written> {
    // All of one kind: work that moves into setup would be counted twice, as itself and as what it
    // spares later.
    prop::sample::select(vec!["a", "b", "c", "d", "e", "x", "y", "2", "3", "0.5", "1", "0", "1/2"])
        .prop_map(|text| {
            let mut leaf = Written::leaf(text);
            leaf.operations.extend(text.contains('/').then(|| text.to_string()));
            leaf
        })
}

/// Sines and cosines are common in mechanics and have the most rules: make them frequent.
fn angles() -> impl Strategy<Value = Written> {
    let argument = prop::sample::select(vec!["a", "b", "c", "a + b", "a - b", "2*a", "-b"]);
    (prop::sample::select(vec!["sin", "cos"]), argument).prop_map(|(function, argument)| {
        let inner = Written::leaf(argument);
        let mut written = Written::node(format!("{function}({argument})"), &[&inner]);
        if argument.contains(['+', '*']) || argument.contains(" - ") {
            written.operations.insert(argument.into());
        }
        written
    })
}

fn expressions() -> impl Strategy<Value = Written> {
    prop_oneof![3 => leaves(), 2 => angles()].prop_recursive(6, 40, 3, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            4 => (pair.clone(), prop::sample::select(vec!["+", "-", "*", "*", "/"])).prop_map(
                |((a, b), operator)| {
                    Written::node(format!("({} {operator} {})", a.text, b.text), &[&a, &b])
                }
            ),
            1 => (inner.clone(), prop::sample::select(vec![2, 3, -1])).prop_map(|(a, power)| {
                let text = format!("({})^{power}", a.text);
                let mut written = Written::node(text.clone(), &[&a]);
                if power == 3 {
                    written.operations.insert(format!("({})^2", a.text));
                }
                written
            }),
            1 => (
                inner.clone(),
                prop::sample::select(vec!["sin", "cos", "tan", "exp", "abs", "sqrt", "atan", "floor"])
            )
                .prop_map(|(a, function)| Written::node(format!("{function}({})", a.text), &[&a])),
            1 => (pair, prop::sample::select(vec!["min", "max", "atan2"])).prop_map(
                |((a, b), function)| {
                    Written::node(format!("{function}({}, {})", a.text, b.text), &[&a, &b])
                }
            ),
        ]
    })
}

fn operations(graph: &Graph, expr: Expr) -> u64 {
    let outputs = vec![Target::scalar("y", expr)];
    let request = Request { outputs, ..Request::default() };
    ProgramCounts::of(&lower(graph, &request).program).all().operations()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, ..ProptestConfig::default() })]

    #[test]
    fn simplifying_keeps_the_value_and_costs_nothing(written in expressions()) {
        let Ok(syntax) = parse(&written.text) else { return Ok(()) };
        let mut graph = Graph::new();
        // Divisions by zero and the like are refused, as they should be.
        let Ok(simple) = graph.parse(&written.text) else { return Ok(()) };
        let text = graph.text(simple);

        for seed in 0..3 {
            let input = |name: &str| {
                let h = name.bytes().fold(seed + 1, |h, b| h * 31 + u64::from(b)) % 1000;
                Some(h as f64 / 300.0 + 0.1)
            };
            let expect = to_f64(&syntax.evaluate(&mut Extended::new(input)).unwrap());
            let value = to_f64(&graph.evaluate(&[simple], &mut Extended::new(input)).unwrap()[0]);
            // The last digit of an argument may decide a floor: of such texts only the cost is
            // compared.
            let torn = written.text.contains("floor");
            if expect.is_finite() && expect.abs() < 1e30 && !torn {
                let close = (value - expect).abs() <= 1e-12 * expect.abs().max(1e-12);
                prop_assert!(close, "{} -> {text}: {expect} became {value}", written.text);
            }
        }

        let cost = operations(&graph, simple);
        let naive = written.operations.len() as u64;
        prop_assert!(cost <= naive, "{} -> {text}: {naive} became {cost}", written.text);

        // Told that the names change at each evaluation, an evaluation does no more, either. (What
        // numbers alone make, such as 1/sin(2), is then done in setup.)
        let mut graph = Graph::new();
        let mut scope =
            |graph: &mut Graph, name: &str| Some(graph.symbol(name, Kind::Coordinate));
        let varying = graph.parse_in(&written.text, &mut scope).unwrap();
        let outputs = vec![Target::scalar("y", varying)];
        let program = lower(&graph, &Request { outputs, ..Request::default() }).program;
        let cost = ProgramCounts::of(&program).body.operations();
        prop_assert!(cost <= naive, "{} -> {text}: {naive} became {cost} a run", written.text);

        let mut fresh = Graph::new();
        let again = fresh.parse(&text).unwrap();
        prop_assert_eq!(fresh.text(again), text);
    }
}
