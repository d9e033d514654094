//! Every rule of the tables is true, fires, and makes nothing more expensive.

use rotule_symbolic::rules::{FUNCTIONS, PRODUCTS, RuleGroup, Rules, SUMS};
use rotule_symbolic::{Graph, parse};
use rotule_testing::symbolic::extended::{Extended, to_f64};

fn all_rules() -> impl Iterator<Item = (RuleGroup, &'static str)> {
    [SUMS, PRODUCTS, FUNCTIONS].into_iter().flatten().copied()
}

fn sides(text: &str) -> (&str, &str) {
    text.split_once("->").expect("a rule has an arrow")
}

#[test]
fn each_rule_is_an_identity() {
    for (_, text) in all_rules() {
        let (left, right) = sides(text);
        let (left, right) = (parse(left).unwrap(), parse(right).unwrap());
        for point in [[0.3, 0.8], [0.9, -0.4], [0.05, 0.6]] {
            let input = |name: &str| Some(if name == "b" { point[1] } else { point[0] });
            let a = to_f64(&left.evaluate(&mut Extended::new(input)).unwrap());
            let b = to_f64(&right.evaluate(&mut Extended::new(input)).unwrap());
            assert!((a - b).abs() < 1e-15, "{text} at {point:?}: {a} and {b}");
        }
    }
}

#[test]
fn each_rule_fires_and_is_not_more_expensive() {
    for (group, text) in all_rules() {
        let (left, right) = sides(text);
        let mut graph = Graph::new();
        let (a, b) = (graph.parse(left).unwrap(), graph.parse(right).unwrap());
        assert_eq!(a, b, "{text} gives {}", graph.text(a));
        let written = (parse(left).unwrap().count().total(), parse(right).unwrap().count().total());
        assert!(written.1 <= written.0, "{text} costs {written:?}");
        // Without its group the rule must not fire: the table does it, not chance.
        let mut graph = Graph::with_rules(Rules::all().without(group));
        let (a, b) = (graph.parse(left).unwrap(), graph.parse(right).unwrap());
        assert_ne!(a, b, "{text}: the sides are equal without this group; is the rule needed?");
    }
}

#[test]
fn rules_in_sums_allow_common_factors() {
    for (_, text) in SUMS {
        let (left, right) = sides(text);
        let mut graph = Graph::new();
        // The left side, term by term times the same factors.
        let factor = "3*m*l^2/(u + v)";
        let wide: String =
            left.replace(" + ", &format!("*{factor} + ")).replace(" - ", &format!("*{factor} - "));
        let a = graph.parse(&format!("{wide}*{factor}")).unwrap();
        let b = graph.parse(&format!("({right})*{factor}")).unwrap();
        assert_eq!(a, b, "{text} with a factor gives {}", graph.text(a));
    }
}
