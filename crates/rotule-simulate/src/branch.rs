//! Laws that keep to one branch within a step.
//!
//! A method expects smooth equations: a step over a place where a law switches has an error that it
//! does not see, and states between its ends that never were. So every comparison `l < r` in a law
//! gets a parameter, and becomes `l + p < r`. With a huge `p` the answer is fixed, with zero it is
//! what the law says. While a step is made answers are those at its beginning; where what is
//! compared passes zero the step is cut (`event.rs`), and the other branch holds from there on.

use crate::expressions::laws;
use crate::inputs::InputPoint;
use rotule_formalism::switches::{LawSwitch, is_of_time, switch};
use rotule_model::mechanism::Mechanism;
use rotule_symbolic::{Binary, Compare, Expr, Graph, Node, Unary};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The value of a parameter that fixes the answer of a comparison.
pub(crate) const FIXED: f64 = 1e200;

/// Gives every comparison in a law that is not of time alone a parameter; the positions of these.
pub(crate) fn add_branches(mechanism: &mut Mechanism, start: &mut InputPoint) -> Range<usize> {
    let first = mechanism.parameters.len();
    let old: Vec<Expr> = laws(mechanism).iter().map(|law| **law).collect();
    let new: Vec<Expr> = old.into_iter().map(|law| branched(mechanism, law)).collect();
    laws(mechanism).into_iter().zip(new).for_each(|(law, new)| *law = new);
    let all = first..mechanism.parameters.len();
    start.parameters.extend(all.clone().map(|_| 0.0));
    all
}

/// A law with parameters in its comparisons.
fn branched(mechanism: &mut Mechanism, mut law: Expr) -> Expr {
    let mut done: HashSet<Expr> = HashSet::new();
    loop {
        let graph = &mechanism.graph;
        let open = |expr: &Expr| {
            switch(graph.node(*expr)).is_some_and(|switch| {
                let kinds = switch.kinds(graph);
                let ordered =
                    matches!(switch, LawSwitch::Compare(Compare::Less | Compare::LessEqual, ..));
                ordered && !kinds.is_constant() && !is_of_time(kinds) && !done.contains(expr)
            })
        };
        // Operands come first, so what is inside of others is done before them.
        let Some(node) = graph.below(&[law]).into_iter().find(open) else { return law };
        let name = format!("branch[{}]", mechanism.parameters.len() + 1);
        let parameter = mechanism.add_parameter(&name, 0.0);
        let graph = &mut mechanism.graph;
        let new = with_parameter(graph, node, parameter);
        let own = graph.below(&[new]).into_iter();
        done.extend(own.filter(|expr| match switch(graph.node(*expr)) {
            Some(LawSwitch::Compare(_, left, right)) => {
                graph.below(&[left, right]).contains(&parameter.abs())
            }
            _ => false,
        }));
        law = graph.substitute(&[law], &[(node, new)])[0];
    }
}

/// A node that compares, with a parameter added to the left of what it compares.
fn with_parameter(graph: &mut Graph, node: Expr, parameter: Expr) -> Expr {
    let select = match graph.node(node) {
        Node::Select(compare, operands) => {
            (compare, operands[0], operands[1], operands[2], operands[3])
        }
        Node::Unary(Unary::Abs, x) => (Compare::Less, x, Expr::ZERO, -x, x),
        Node::Unary(Unary::Sign, x) => {
            let shifted = graph.add(x, parameter);
            let right = graph.select(Compare::Less, Expr::ZERO, shifted, Expr::ONE, Expr::ZERO);
            return graph.select(Compare::Less, shifted, Expr::ZERO, -Expr::ONE, right);
        }
        Node::Binary(Binary::Min, x, y) => (Compare::Less, x, y, x, y),
        Node::Binary(Binary::Max, x, y) => (Compare::Less, x, y, y, x),
        _ => return node,
    };
    let (compare, left, right, then, otherwise) = select;
    let left = graph.add(left, parameter);
    graph.select(compare, left, right, then, otherwise)
}

/// The parameter of each comparison by what it compares, among some parameters, and whether it is
/// added or subtracted there.
pub(crate) fn branches_of(
    mechanism: &Mechanism,
    graph: &mut Graph,
    among: Range<usize>,
    differences: &[Expr],
) -> Vec<Option<(usize, f64)>> {
    let symbols = among.map(|at| (mechanism.parameters[at].symbol.abs(), at)).collect();
    differences
        .iter()
        .map(|&difference| branch_of(mechanism, graph, &symbols, difference))
        .collect()
}

fn branch_of(
    mechanism: &Mechanism,
    graph: &mut Graph,
    symbols: &HashMap<Expr, usize>,
    difference: Expr,
) -> Option<(usize, f64)> {
    let below = graph.below(&[difference]).into_iter();
    // Comparisons inside of what is compared have parameters, too, but these do not move it.
    let found: Vec<usize> = below.filter_map(|expr| symbols.get(&expr).copied()).collect();
    found.into_iter().find_map(|at| {
        let symbol = mechanism.parameters[at].symbol;
        let slope = graph.derivative(difference, symbol);
        let number = match graph.node(slope) {
            Node::Number(number) if slope.is_negative() => -number.to_f64(),
            Node::Number(number) => number.to_f64(),
            _ => 0.0,
        };
        (number != 0.0).then_some((at, number.signum()))
    })
}
