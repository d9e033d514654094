//! Dependencies of an expression: the kinds of input and the exact set of symbols, for every kind
//! of node, through named variables and external calls.

use rotule_symbolic::{Binary, Compare, Expr, Graph, Kind, Kinds, SymbolId, SymbolSet, Unary};

/// One input of each kind.
const INPUTS: [(&str, Kind); 7] = [
    ("p", Kind::Parameter),
    ("t", Kind::Time),
    ("q", Kind::Coordinate),
    ("v", Kind::Velocity),
    ("a", Kind::Acceleration),
    ("e", Kind::Effort),
    ("f", Kind::State),
];

fn graph() -> Graph {
    let mut graph = Graph::new();
    for (name, kind) in INPUTS {
        graph.symbol(name, kind);
    }
    graph
}

/// The letters of the inputs that an expression depends on, in the order of declaration. Everything
/// the graph says about it must agree with that.
fn letters(graph: &mut Graph, expr: Expr) -> String {
    let set = graph.symbols_of(expr);
    let ids: Vec<SymbolId> = graph.symbols_in(set).collect();
    assert!(ids.is_sorted());
    let mut kinds = Kinds::NONE;
    for (i, symbol) in graph.symbols().to_vec().iter().enumerate() {
        let inside = ids.iter().any(|id| id.index() == i);
        let id = graph.symbol_of(graph.lookup(&symbol.name).unwrap()).unwrap();
        assert_eq!(graph.depends_on(expr, id), inside, "{}", symbol.name);
        if inside {
            kinds = kinds.union(Kinds::of(symbol.kind));
        }
    }
    assert_eq!(graph.kinds(expr), kinds, "{}", graph.text(expr));
    assert_eq!(graph.symbols_of(-expr), set);
    assert_eq!(set.is_empty(), ids.is_empty());
    ids.into_iter().map(|id| graph.symbol_name(id)).collect()
}

fn symbols(graph: &mut Graph, expr: Expr) -> Vec<SymbolId> {
    let set = graph.symbols_of(expr);
    graph.symbols_in(set).collect()
}

fn check(text: &str, expect: &str) {
    let mut graph = graph();
    let expr = graph.parse(text).unwrap_or_else(|error| panic!("{text}: {error:?}"));
    assert_eq!(letters(&mut graph, expr), expect, "{text}");
}

#[test]
fn atoms() {
    check("3", "");
    check("1/3", "");
    check("0.25", "");
    check("pi", "");
    for (name, _) in INPUTS {
        check(name, name);
    }
}

#[test]
fn sums_products_and_scales() {
    check("p + t + 3", "pt");
    check("p*t*q", "ptq");
    check("p^2/e^3", "pe");
    check("3*v", "v");
    check("-a/7", "a");
    check("2*(q + v)*(a - f)^2", "qvaf");
    check("p + t + q + v + a + e + f", "ptqvaef");
    check("p*t*q*v*a*e*f", "ptqvaef");
}

#[test]
fn functions() {
    for function in Unary::ALL {
        check(&format!("{}(q*p)", function.name()), "pq");
        check(&format!("{}(q + 1)", function.name()), "q");
    }
    for function in Binary::ALL {
        check(&format!("{}(q + 1, v)", function.name()), "qv");
        check(&format!("{}(q, 5/3)", function.name()), "q");
        check(&format!("{}(5/3, t)", function.name()), "t");
    }
}

#[test]
fn choices_depend_on_what_they_compare() {
    for sign in ["<", "<=", "==", "!=", ">", ">="] {
        check(&format!("if(q {sign} v, a, e)"), "qvae");
        check(&format!("if(q {sign} 0, p, 1)"), "pq");
    }
    check("if(q < v && t > 0, 1, 2)", "tqv");
    // A decided choice depends on what was chosen.
    check("if(1 < 2, p, q)", "p");
    check("if(q < q, p, t)", "t");
    check("if(q < v, p, p)", "p");
}

#[test]
fn what_cancels_is_forgotten() {
    check("q - q + v", "v");
    check("q*v/q", "v");
    check("0*q + p", "p");
    check("q^0 + t", "t");
    check("sin(q)^2 + cos(q)^2 + p", "p");
    check("2*q - (q + q) + 1", "");
    check("exp(log(p))/p*t", "t");
    check("(q + p)*a - a*q - p*a + v", "v");
    check("sin(a - a)*q", "");
    check("if(q - q < 1, p, v)", "p");
    check("abs(q)*sign(q) - q + f", "f");
    check("min(q, q) - q", "");
}

#[test]
fn named_variables_pass_on_their_dependencies() {
    let mut graph = graph();
    let mut row = |name: &str, text: &str, expect: &str| {
        let expr = graph.parse(text).unwrap();
        let expr = graph.name(name, expr);
        assert_eq!(letters(&mut graph, expr), expect, "{name} = {text}");
        expr
    };
    row("r1", "p*sin(q)", "pq");
    row("r2", "r1 + t*v", "ptqv");
    row("r3", "r1^2*a", "pqa");
    row("r4", "r2*r3 + e", "ptqvae");
    row("r5", "-(r1 - f)", "pqf");
    // A variable that drops out takes its symbols along.
    row("r6", "r4 - r4 + r5*1", "pqf");
    row("r7", "r2/r2 + sin(v)", "v");
}

#[test]
fn a_variable_cancels_inside_another() {
    for levels in [2, 1] {
        let mut graph = graph();
        graph.set_expansion(levels);
        let inner = graph.parse("p*q").unwrap();
        graph.name("r1", inner);
        let outer = graph.parse("r1 + t").unwrap();
        graph.name("r2", outer);
        // Spelled out one level, r2 is r1 + t.
        let difference = graph.parse("r2 - r1 + v").unwrap();
        assert_eq!(letters(&mut graph, difference), "tv", "{levels}: {}", graph.text(difference));
    }
}

#[test]
fn expansion_through_names_forgets_what_cancels() {
    // cos(q)*(cos(q)*v) + sin(q)*(sin(q)*v) is v.
    let mut graph = graph();
    let [x, y] = ["cos(q)*v", "sin(q)*v"].map(|text| graph.parse(text).unwrap());
    graph.name("x", x);
    graph.name("y", y);
    let z = graph.parse("cos(q)*x + sin(q)*y").unwrap();
    assert_eq!(letters(&mut graph, z), "v", "{}", graph.text(z));
}

#[test]
fn calls_depend_on_all_their_arguments() {
    let mut graph = graph();
    let tyre = graph.declare_function("tyre", 3, 2);
    let arguments = ["q*p", "3", "sin(v)"].map(|text| graph.parse(text).unwrap());
    let forces = graph.call(tyre, &arguments);
    for &force in &forces {
        assert_eq!(letters(&mut graph, force), "pqv");
    }
    let t = graph.lookup("t").unwrap();
    let product = graph.mul(forces[1], t);
    let named = graph.name("power", product);
    let outer = graph.call(tyre, &[named, named, Expr::ONE]);
    assert_eq!(letters(&mut graph, outer[0]), "ptqv");
    let nothing = graph.call(tyre, &[Expr::ONE, Expr::ZERO, Expr::ONE]);
    assert_eq!(letters(&mut graph, nothing[0]), "");
    let difference = graph.sub(forces[0], forces[0]);
    assert_eq!(letters(&mut graph, difference), "");
    // Foreign code without arguments depends on nothing.
    let clock = graph.declare_function("clock", 0, 1);
    let ticks = graph.call(clock, &[])[0];
    assert_eq!(letters(&mut graph, ticks), "");
}

#[test]
fn substitution_and_derivatives_have_their_own_sets() {
    let mut graph = graph();
    let expr = graph.parse("p*q^2 + sin(v)*t").unwrap();
    let [p, q, v] = ["p", "q", "v"].map(|name| graph.lookup(name).unwrap());
    let new = graph.substitute(&[expr], &[(q, Expr::ONE), (v, p)])[0];
    assert_eq!(letters(&mut graph, new), "pt");
    let [dp, dq, dv] = [p, q, v].map(|by| graph.derivative(expr, by));
    assert_eq!(letters(&mut graph, dp), "q");
    assert_eq!(letters(&mut graph, dq), "pq");
    assert_eq!(letters(&mut graph, dv), "tv");
}

#[test]
fn stages_follow_from_kinds() {
    let mut graph = graph();
    let mut constant = |text: &str| {
        let expr = graph.parse(text).unwrap();
        graph.kinds(expr).is_constant()
    };
    assert!(constant("3*pi") && constant("sin(p)*p^2"));
    for name in ["t", "q", "v", "a", "e", "f"] {
        assert!(!constant(name) && !constant(&format!("p*{name}")), "{name}");
    }
}

#[test]
fn equal_sets_have_equal_handles() {
    let mut graph = Graph::new();
    // More symbols than fit one word of a set.
    let all: Vec<Expr> =
        (0..300).map(|i| graph.symbol(&format!("s{i}"), Kind::Coordinate)).collect();
    let forward = graph.sum(&all);
    let reversed: Vec<Expr> = all.iter().rev().copied().collect();
    let product = graph.product(&reversed);
    assert_eq!(graph.symbols_of(forward), graph.symbols_of(product));
    assert_eq!(symbols(&mut graph, forward).len(), 300);
    // One by one, and in pairs, and with one missing.
    let mut chain = Expr::ZERO;
    for pair in all.chunks(2) {
        let product = graph.mul(pair[0], pair[1]);
        let sum = graph.add(chain, product);
        chain = graph.sin(sum);
    }
    assert_eq!(graph.symbols_of(chain), graph.symbols_of(forward));
    let without = graph.sum(&all[..299]);
    assert_ne!(graph.symbols_of(without), graph.symbols_of(forward));
    let last = graph.symbol_of(all[299]).unwrap();
    assert!(!graph.depends_on(without, last) && graph.depends_on(forward, last));
    let odd: Vec<Expr> = all.iter().copied().skip(1).step_by(2).collect();
    let odd = graph.sum(&odd);
    let names: Vec<usize> = symbols(&mut graph, odd).into_iter().map(SymbolId::index).collect();
    assert_eq!(names, (1..300).step_by(2).collect::<Vec<_>>());
    assert_eq!(graph.symbols_of(Expr::ONE), SymbolSet::EMPTY);
}

#[test]
fn built_by_hand_like_by_text() {
    let mut graph = graph();
    let [p, t, q, v] = ["p", "t", "q", "v"].map(|name| graph.lookup(name).unwrap());
    let select = graph.select(Compare::LessEqual, p, t, q, v);
    assert_eq!(letters(&mut graph, select), "ptqv");
    let atan = graph.binary(Binary::Atan2, -q, v);
    assert_eq!(letters(&mut graph, atan), "qv");
    let power = graph.pow(t, p);
    assert_eq!(letters(&mut graph, power), "pt");
    let quotient = graph.div(Expr::ONE, t);
    assert_eq!(letters(&mut graph, quotient), "t");
}
