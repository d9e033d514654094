//! The printers: plain text that reads back to the same expression, listings, LaTeX.

use proptest::prelude::*;
use rotule_symbolic::{Binary, Doubles, Expr, Graph, Kind, LatexStyle, Unary, latex_width, parse};

fn graph() -> Graph {
    let mut graph = Graph::new();
    graph.declare_function("f", 1, 1);
    graph.declare_function("tyre", 2, 3);
    graph
}

/// Prints, reads back in the same graph and in a fresh one.
fn round_trip(graph: &mut Graph, expr: Expr) -> String {
    let text = graph.text(expr);
    let again = graph.parse(&text).unwrap_or_else(|e| panic!("{}", e.render(&text, "printed")));
    assert_eq!(again, expr, "{text} reads back as {}", graph.text(again));
    text
}

#[test]
fn text_is_short_and_ordered() {
    let check = |text: &str, expect: &str| {
        let mut graph = graph();
        let built = graph.parse(text).unwrap_or_else(|e| panic!("{}", e.render(text, "text")));
        assert_eq!(round_trip(&mut graph, built), expect, "{text}");
    };
    check("m*l1^2/12", "l1^2*m/12");
    check("k*(Z-z0) + c*Zd", "c*Zd + k*(Z - z0)");
    check("q10 + q2 + q1", "q1 + q2 + q10");
    // Fractions.
    check("x/2", "x/2");
    check("3/2*x", "3*x/2");
    check("a/b/c", "a/(b*c)");
    check("1/(2*x)", "1/(2*x)");
    check("x^-2*y^-3*3/4", "3/(4*x^2*y^3)");
    check("(a + b)/2", "(a + b)/2");
    check("-1/x", "-1/x");
    check("2^-3", "1/8");
    check("2.0*x", "2.0*x");
    check("1e-7*x + 1e20", "1e20 + 1e-7*x");
    // Signs.
    check("-x^2", "-x^2");
    check("b - a", "b - a");
    check("x - 1", "x - 1");
    check("1 - x", "1 - x");
    check("-a - b", "-a - b");
    check("-k*(a - b)", "k*(b - a)");
    check("-2*(a - b)*sin(x)", "2*sin(x)*(b - a)");
    check("sin(q2 - q1)", "sin(q2 - q1)");
    check("x + sin(q2 - q1)", "x - sin(q1 - q2)");
    check("exp(b - a)", "exp(b - a)");
    check("abs(b - a)", "abs(a - b)");
    check("floor(b - a) - floor(-x)", "floor(b - a) - floor(-x)");
    check("x - (a + b)*y", "x - y*(a + b)");
    // Powers.
    check("a^b^c", "a^(b^c)");
    check("(a^b)^c", "(a^b)^c");
    check("2^x", "2^x");
    check("(1/2)^x", "(1/2)^x");
    check("x^(1/3)", "x^(1/3)");
    check("(-x)^y", "(-x)^y");
    check("x^-y", "x^(-y)");
    check("(x*y)^z", "(x*y)^z");
    check("((a + b)*c + d)^2", "(c*(a + b) + d)^2");
    // Functions.
    check("tyre(x, -y)[2]*3", "3*tyre(x, -y)[2]");
    check("f(x)^2", "f(x)^2");
    check("max(b, c, a, 1)", "max(b, c, a, 1)");
    check("atan2(-y, x)", "atan2(-y, x)");
    check("if(a > b, x, -x)", "if(b < a, x, -x)");
    check("pi*x/180", "pi*x/180");
    check("omega[3].x*M[ 1, 2]", "M[1,2]*omega[3].x");
}

#[test]
fn text_does_not_depend_on_history() {
    let text = "sin(a - b)*(c - d) + k1*x^2 + k10*(y - x) + exp(q2)*q1 - 3*(a - b)";
    let mut plain = graph();
    let built = plain.parse(text).expect("a text");
    let expect = plain.text(built);
    let mut crowded = graph();
    for other in ["y - x", "d - c", "k10", "q1*q2", "exp(q2)", "b - a + 1", "x^2*k1"] {
        crowded.parse(other).expect("a text");
    }
    let built = crowded.parse(text).expect("a text");
    assert_eq!(crowded.text(built), expect);
}

#[test]
fn listing_shows_shared_parts_once() {
    let mut graph = graph();
    let a = graph.parse("(x + y)^2*exp(x + y)").expect("a text");
    let b = graph.parse("tyre(x + y, exp(x + y))[1] + tyre(x + y, exp(x + y))[3]*z1").expect("b");
    let listing = graph.listing(&[("a", a), ("b", -b)]);
    let expect = "z2 = x + y\n\
                  z3 = exp(z2)\n\
                  a = z3*z2^2\n\
                  z4 = tyre(z2, z3)\n\
                  b = -z1*z4[3] - z4[1]\n";
    // All parts come before all outputs.
    let mut lines: Vec<&str> = expect.lines().collect();
    lines.sort_by_key(|line| !line.starts_with('z'));
    assert_eq!(listing.lines().collect::<Vec<_>>(), lines);
}

#[test]
fn listing_defines_named_variables_before_their_use() {
    let mut graph = graph();
    let speed = graph.parse("qd1*(a + b)").expect("a text");
    let speed = graph.name("omega[2].z", speed);
    let square = graph.parse("m*omega[2].z^2/2").expect("a text");
    let energy = graph.name("energy", square);
    let total = graph.parse("energy + exp(omega[2].z)").expect("a text");
    let expect = "omega[2].z = qd1*(a + b)\n\
                  energy = m*omega[2].z^2/2\n\
                  total = energy + exp(omega[2].z)\n\
                  speed = -omega[2].z\n";
    assert_eq!(graph.listing(&[("total", total), ("speed", -speed)]), expect);
    assert_eq!(graph.text(energy), "energy");
    let latex = graph.latex_listing(&[("E", energy)]);
    assert!(latex.contains(r"\mathrm{energy} &= \frac{m \, \omega_{2,z}^{2}}{2} \\"), "{latex}");
}

#[test]
fn deep_and_shared_graphs_are_printed() {
    let mut graph = graph();
    let x = graph.symbol("x", Kind::Parameter);
    let mut deep = x;
    for _ in 0..100_000 {
        deep = graph.unary(Unary::Exp, deep);
    }
    assert_eq!(graph.text(deep).len(), 500_001);
    assert!(graph.latex(deep).len() > 500_000);
    assert_eq!(graph.listing(&[("deep", deep)]).lines().count(), 1);
    // As a tree this has 2^200 leaves.
    let mut shared = x;
    for _ in 0..200 {
        let (a, b) = (graph.unary(Unary::Exp, shared), graph.unary(Unary::Atan, shared));
        shared = graph.binary(Binary::Atan2, a, b);
    }
    assert_eq!(graph.text_limited(shared, 100_000), None);
    assert_eq!(graph.listing(&[("shared", shared)]).lines().count(), 200);
    assert_eq!(graph.latex_listing(&[("shared", shared)]).matches("&=").count(), 200);
    assert_eq!(graph.text_limited(x, 1), Some("x".into()));
}

#[test]
fn latex_is_typeset_as_a_reader_expects() {
    let check = |text: &str, expect: &str| {
        let mut graph = graph();
        let built = graph.parse(text).unwrap_or_else(|e| panic!("{}", e.render(text, "text")));
        assert_eq!(graph.latex(built), expect, "{text}");
    };
    check("m*l1^2/12", r"\frac{l_{1}^{2} \, m}{12}");
    check("k*(Z - z0) + c*Zd", r"c \, \dot{Z} + k \, (Z - z_{0})");
    check("-qd1^2*qdd2", r"-\dot{q}_{1}^{2} \, \ddot{q}_{2}");
    check("1/2*(a - b)", r"\frac{1}{2} \, (a - b)");
    check("(a + b)/c", r"\frac{a + b}{c}");
    check("sin(q1)^2*cos(q2)^3", r"\cos^{3} q_{2} \, \sin^{2} q_{1}");
    check("l1*sin(q1)*(a + b)", r"l_{1} \, \sin(q_{1}) \, (a + b)");
    check("sin(x/y)", r"\sin\!\left(\frac{x}{y}\right)");
    check("exp(-x/tau)", r"\exp\!\left(-\frac{x}{\tau}\right)");
    check("x^(y/2)", r"x^{y/2}");
    check("(1/2)^x", r"\left(\frac{1}{2}\right)^{x}");
    check("3*2^x", r"3 \cdot 2^{x}");
    check("1e-7*x", r"10^{-7} \, x");
    check("2.5e-7*x", r"2.5 \times 10^{-7} \, x");
    check("log(x)^2", r"(\ln x)^{2}");
    check("sqrt(x + y)", r"\sqrt{x + y}");
    check("abs(x)", r"\left|x\right|");
    check("floor(x/y)", r"\left\lfloor \frac{x}{y}\right\rfloor");
    check("x - y*floor(-x)^2", r"x - y \, \left\lfloor -x\right\rfloor^{2}");
    check("f(x)^2", r"f(x)^{2}");
    check("tyre(x, y)[2]", r"\mathrm{tyre}(x, y)_{2}");
    check("pi*theta", r"\pi \, \theta");
    check(
        "if(x < 0, -1, if(x == 0, 0, 1))",
        r"\begin{cases} -1 & \text{if } x < 0 \\ 0 & \text{if } x = 0 \\ 1 & \text{otherwise} \end{cases}",
    );
}

#[test]
fn latex_names_have_subscripts() {
    let check = |name: &str, expect: &str| {
        let mut graph = Graph::new();
        let symbol = graph.symbol(name, Kind::Parameter);
        assert_eq!(graph.latex(symbol), expect, "{name}");
    };
    check("q1", "q_{1}");
    check("qd12", r"\dot{q}_{12}");
    check("q12.d", r"\dot{q}_{12}");
    check("theta.dd", r"\ddot{\theta}");
    check("leg.d[2]", r"\dot{\mathrm{leg}}_{2}");
    check("link.drag", r"\mathrm{link}_{\mathrm{drag}}");
    check("qdd1", r"\ddot{q}_{1}");
    check("theta", r"\theta");
    check("theta2", r"\theta_{2}");
    check("omega[3].x", r"\omega_{3,x}");
    check("M[1,2]", "M_{1,2}");
    check("k_spring", r"k_{\mathrm{spring}}");
    check("mass", r"\mathrm{mass}");
    check("front.wheel.r", r"\mathrm{front}_{\mathrm{wheel},r}");
    check("α", r"\alpha");
    check("Ωx", r"\text{Ωx}");
    check("longueur_à_vide", r"\mathrm{longueur}_{\text{à},\mathrm{vide}}");
    check("_a", r"\mathrm{\_a}");
    check("c2x", "c_{2x}");
    check("Ixx", "I_{xx}");
    check("beta[link2].zx", r"\beta_{\mathrm{link2},zx}");
    check("a__b", r"\mathrm{a\_\_b}");
    check("50% {a}$&#", r"\mathrm{50\%\ \{a\}\$\&\#}");
}

#[test]
fn long_lines_of_a_listing_are_broken() {
    let mut graph = graph();
    let terms: Vec<String> = (1..40).map(|i| format!("a{i}*exp(q{i})/b{i}")).collect();
    let sum = graph.parse(&format!("k*({})", terms.join(" + "))).expect("a long sum");
    let listing = graph.latex_listing(&[("tau_1", sum)]);
    assert!(listing.starts_with("\\begin{align*}\n  \\tau_{1} &= "));
    assert!(listing.lines().all(|line| line.len() < 300), "{listing}");
    // Fractions are tall.
    assert!(listing.contains(r"\biggl(") && listing.contains(r"\biggr)"), "{listing}");
    check_latex(&listing);
}

/// Lines that sums alone cannot break: products, fractions, arguments, roots and cases.
#[test]
fn lines_are_no_wider_than_there_is_room() {
    let check = |text: &str, expected: &str| {
        let mut graph = graph();
        let built = graph.parse(text).unwrap_or_else(|e| panic!("{}", e.render(text, "text")));
        let style = LatexStyle { room: 260, ..LatexStyle::PLAIN };
        let rows = graph.latex_rows(&[("y", built)], &style);
        let lines = &rows[0].lines;
        for line in lines {
            assert!(latex_width(line) <= 260, "{line} is {} wide", latex_width(line));
        }
        assert!(lines.len() > 1, "{text}");
        check_latex(&lines.concat());
        let whole = lines.concat();
        assert!(whole.contains(expected), "{expected} is not in {whole}");
    };
    let product = "alpha1*beta2*gamma3*delta4*alpha5*beta6*gamma7*delta8*alpha9*exp(a*b)*exp(b*c)";
    check(product, "\\cdot ");
    check(&format!("({product} + a)/({product} + b + c)"), " / ");
    let sum = "alpha1*beta2 + gamma3*delta4 + alpha5*beta6 + gamma7*delta8 + alpha9*x";
    check(&format!("f({sum})"), "f\\bigl(");
    check(&format!("max({sum}, {product})"), "\\max\\bigl(");
    check(&format!("sqrt({sum})"), "\\operatorname{sqrt}");
    check(&format!("if(x < 0, {sum}, {product})"), "\\operatorname{if}");
}

/// Names that nothing shows any more are free again, and the second of a name has its number among
/// the indices.
#[test]
fn names_are_restored_for_readers() {
    let mut graph = graph();
    let mut named = |name: &str, text: &str| {
        let definition = graph.parse(text).expect(text);
        graph.name(name, definition)
    };
    named("w[arm].x", "a*b");
    let second = named("w[arm].x", "a*c");
    let (one, two) = (named("lever", "a + b"), named("lever", "a + c"));
    let (three, four) = (named("r[arm].x", "b + c"), named("r[arm].x", "b - c"));
    let texts = |graph: &Graph| [second, one, two, three, four].map(|expr| graph.text(expr));
    assert_eq!(texts(&graph), ["w[arm].x_2", "lever", "lever_2", "r[arm].x", "r[arm].x_2"]);
    assert_eq!(graph.restore_names(&[second, one, two, three, four]), 2);
    assert_eq!(texts(&graph), ["w[arm].x", "lever", "lever[2]", "r[arm].x", "r[arm,2].x"]);
    // Once more changes nothing.
    graph.restore_names(&[second, one, two, three, four]);
    assert_eq!(texts(&graph), ["w[arm].x", "lever", "lever[2]", "r[arm].x", "r[arm,2].x"]);
}

/// Braces, parentheses that grow, and environments are balanced.
fn check_latex(latex: &str) {
    let mut depth = 0_i64;
    let mut escaped = false;
    for c in latex.chars() {
        match c {
            '{' if !escaped => depth += 1,
            '}' if !escaped => depth -= 1,
            _ => {}
        }
        escaped = c == '\\' && !escaped;
        assert!(depth >= 0, "{latex}");
    }
    assert_eq!(depth, 0, "{latex}");
    for (open, close) in [(r"\left", r"\right"), (r"\begin", r"\end"), (r"\bigl", r"\bigr")] {
        assert_eq!(latex.matches(open).count(), latex.matches(close).count(), "{latex}");
    }
}

/// Texts of random expressions.
fn texts() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => prop::sample::select(vec!["a", "b", "c", "x", "q1", "q2", "q10", "M[1,2]", "omega[3].x"])
            .prop_map(str::to_owned),
        2 => (0..12_i32).prop_map(|n| n.to_string()),
        1 => prop::sample::select(vec!["0.5", "2.0", "1e-3", "3.25", "pi"]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let two = (inner.clone(), inner.clone());
        let operator = prop::sample::select(vec!["+", "-", "*", "/", "-", "+", "*"]);
        let function = prop::sample::select(vec![
            "sin", "cos", "tan", "atan", "exp", "abs", "sign", "floor", "sqrt", "log", "f", "",
        ]);
        let pair = prop::sample::select(vec!["min", "max", "atan2"]);
        prop_oneof![
            4 => (two.clone(), operator).prop_map(|((a, b), o)| format!("({a} {o} {b})")),
            2 => (two.clone(), prop::sample::select(vec!["+", "*", "-"]))
                .prop_map(|((a, b), o)| format!("{a}{o}{b}")),
            1 => inner.clone().prop_map(|a| format!("-({a})")),
            2 => (inner.clone(), -3..4).prop_map(|(a, n)| format!("({a})^{n}")),
            1 => two.clone().prop_map(|(a, b)| format!("({a})^({b})")),
            2 => (inner.clone(), function).prop_map(|(a, f)| format!("{f}({a})")),
            1 => (two.clone(), pair).prop_map(|((a, b), f)| format!("{f}({a}, {b})")),
            1 => (two.clone(), inner.clone())
                .prop_map(|((a, b), c)| format!("if({a} < {b}, {c}, {a})")),
            1 => (two, 1..4).prop_map(|((a, b), n)| format!("tyre({a}, {b})[{n}]")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// Printing and reading back changes nothing, here or in a fresh graph.
    #[test]
    fn printed_text_reads_back(text in texts()) {
        let mut here = graph();
        // Divisions by zero and the like are not of interest here.
        let Ok(built) = here.parse(&text) else { return Ok(()) };
        let printed = round_trip(&mut here, built);
        let negated = here.text(-built);
        prop_assert_eq!(here.parse(&negated), Ok(-built), "{}", negated);
        let mut fresh = graph();
        let again = fresh.parse(&printed);
        prop_assert!(again.is_ok(), "{printed} {again:?}");
        prop_assert_eq!(fresh.text(again.unwrap_or(Expr::ZERO)), printed, "{}", text);
        check_latex(&here.latex(built));
    }

    /// The printed text has the value of the text that was read.
    #[test]
    fn printed_text_has_the_same_value(text in texts()) {
        // The last digit of an argument may decide a floor.
        prop_assume!(!["f(", "tyre", "floor"].iter().any(|name| text.contains(name)));
        let mut here = graph();
        let Ok(built) = here.parse(&text) else { return Ok(()) };
        let printed = here.text(built);
        let value = |text: &str| {
            let input = |name: &str| Some(0.3 + (name.bytes().map(u64::from).sum::<u64>() % 17) as f64 / 10.0);
            parse(text).ok().and_then(|syntax| syntax.evaluate(&mut Doubles(input)).ok())
        };
        let (Some(a), Some(b)) = (value(&text), value(&printed)) else {
            return Err(TestCaseError::fail(format!("{text} or {printed} has no value")));
        };
        // Differences of large numbers lose digits; a wrong sign or parenthesis loses all of them.
        let close = (a - b).abs() <= 1e-6 * (1.0 + a.abs().max(b.abs()));
        prop_assert!(close || !a.is_finite() || !b.is_finite() || a.abs() > 1e8, "{text} = {a}, {printed} = {b}");
    }
}

#[test]
fn numbers_for_people_end_where_rounding_begins() {
    let mut graph = Graph::new();
    let x = graph.symbol("x", Kind::Parameter);
    for (number, exact, short) in [
        (0.48, "0.48*x", "0.48*x"),
        (0.1 + 0.2, "0.30000000000000004*x", "0.3*x"),
        (1.0 / 3.0, "0.3333333333333333*x", "0.3333333333333333*x"),
        (2.5e-9, "2.5e-9*x", "2.5e-9*x"),
    ] {
        let number = graph.number(number);
        let product = graph.mul(number, x);
        assert_eq!(
            (graph.text(product), graph.text_for_people(product)),
            (exact.into(), short.into())
        );
        assert_eq!(graph.listing_for_people(&[("y", product)]), format!("y = {short}\n"));
    }
}
