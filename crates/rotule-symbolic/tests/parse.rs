//! The parser: what it reads, what it says of what it cannot read, and that nothing brings it down.

use std::time::{Duration, Instant};

use rotule_symbolic::{Doubles, Expr, Graph, Kind, Number, ParseError, Syntax, nearest, parse};

fn evaluate(syntax: &Syntax) -> f64 {
    let name = |name: &str| match name {
        "x" => Some(2.0),
        "y" => Some(3.0),
        "omega[3].x" => Some(5.0),
        "M[1,2]" => Some(7.0),
        "θ" => Some(0.5),
        _ => None,
    };
    syntax.evaluate(&mut Doubles(name)).expect("all names have values")
}

#[test]
fn texts_have_the_values_that_are_written() {
    let check = |text: &str, expect: f64| {
        let value = evaluate(&parse(text).unwrap_or_else(|e| panic!("{}", e.render(text, "text"))));
        assert!((value - expect).abs() <= 1e-14 * expect.abs(), "{text} = {value}, not {expect}");
    };
    // Binding.
    check("1 + 2*3", 7.0);
    check("1 - 2 - 3", -4.0);
    check("24/x/y", 4.0);
    check("24/x*y", 36.0);
    check("-x^2", -4.0);
    check("2^-3", 0.125);
    check("2^-x^2", 0.0625);
    check("x^y^2", 512.0);
    check("x**y", 8.0);
    check("2*-x", -4.0);
    check("-2*-x", 4.0);
    check("- - -x", -2.0);
    check("1 - -+-x", -1.0);
    check("(1 + 2)*(3 - x)", 3.0);
    // Numbers.
    check("2.", 2.0);
    check(".5", 0.5);
    check("1e-3", 0.001);
    check("1.5E+2", 150.0);
    check("9223372036854775807", 9223372036854775807.0);
    check("000000000000000000000000001", 1.0);
    check("9223372036854775808.", 9223372036854775808.0);
    // Names.
    check("omega[3].x * M[ 1 , 2 ]", 35.0);
    check("θ + x", 2.5);
    check("pi - π", 0.0);
    // Functions and conditions.
    check("ln(exp(x)) + arctan2(0, x)", 2.0);
    check("min(x, y, 1) + max(x, y)", 4.0);
    check("pow(x, y)", 8.0);
    check("floor(x/y) + floor(-x/y) + floor(-x)", -3.0);
    check("if(x < y, 1, 2)", 1.0);
    check("if(x > y, 1, 2)", 2.0);
    check("if(x >= 2 and y <= 3, 1, 2)", 1.0);
    check("if(x == 2 && y != 3 || x < 0, 1, 2)", 2.0);
    check("if(not x == 2 or not (y < x), 1, 2)", 1.0);
    check("if(!(x < y) or x < 1 and y < 1, 1, 2)", 2.0);
    check("if((x < y), if(y < x, 1, 2), 3)", 2.0);
    check("\n x\t+\r\n y ", 5.0);
}

#[test]
fn counts_are_those_of_the_text() {
    let check = |text: &str, [add, multiply, divide, functions]: [u64; 4]| {
        let count = parse(text).expect(text).count();
        let found = [count.add, count.multiply, count.divide, count.functions];
        assert_eq!(found, [add, multiply, divide, functions], "{text}");
    };
    check("x", [0, 0, 0, 0]);
    check("a + b - c", [2, 0, 0, 0]);
    check("a*b/c*d", [0, 2, 1, 0]);
    check("-a*-b", [0, 1, 0, 0]);
    check("m*l1^2/12", [0, 2, 1, 0]);
    check("x^15", [0, 6, 0, 0]);
    check("x^-2", [0, 1, 1, 0]);
    check("x^(1/2)", [0, 0, 0, 1]);
    check("x^1.5", [0, 2, 0, 1]);
    check("x^0", [0, 0, 0, 0]);
    check("x^y", [0, 0, 0, 1]);
    check("x^(1/3)", [0, 0, 0, 1]);
    check("sin(a + b)*cos(a + b)", [2, 1, 0, 2]);
    check("min(a, b, c)", [0, 0, 0, 2]);
    check("if(a < b and c < d, x + 1, y)", [1, 0, 0, 2]);
}

#[test]
fn integers_are_exact_and_become_rationals() {
    let mut graph = Graph::new();
    let mut check = |text: &str, expect: Number| {
        let built = graph.parse(text).expect(text);
        assert_eq!(graph.number_of(built), Some(expect), "{text}");
    };
    check("1/3", Number::ratio(1, 3));
    check("-6/4", Number::ratio(-3, 2));
    check("1/3 + 1/6", Number::ratio(1, 2));
    check("2^-3", Number::ratio(1, 8));
    check("0.5 + 1/2", Number::Real(1.0));
    check("floor(7/2)", Number::integer(3));
    check("floor(-7/2)", Number::integer(-4));
    check("floor(-2)", Number::integer(-2));
    check("floor(-9223372036854775807)", Number::integer(-9223372036854775807));
    check("floor(-0.5)", Number::Real(-1.0));
    check("floor(1e300)", Number::Real(1e300));
    check("2.0", Number::Real(2.0));
}

/// Bodies, events and parameters had this name before there was a function.
#[test]
fn a_floor_without_arguments_is_a_name() {
    let mut graph = Graph::new();
    let floor = graph.symbol("floor", Kind::Parameter);
    assert!(rotule_symbolic::is_name("floor") && !rotule_symbolic::is_name("sign"));
    assert_eq!(graph.parse("floor"), Ok(floor));
    let read = graph.parse("floor(floor) - floor").expect("a function and a name");
    assert_eq!(graph.text(read), "floor(floor) - floor");
    assert_eq!(graph.evaluate_f64(&[read], |_| Some(2.75)), Ok(vec![-0.75]));
    check_error(&mut graph, "floor(1, 2)", "floor(1, 2)", "`floor` takes 1 argument, found 2", "");
}

#[test]
fn names_suggest_their_kind() {
    let mut graph = Graph::new();
    graph.parse("t + q1 + qd1 + qdd12 + q + qx1 + m + qd").expect("plain names");
    let kinds: Vec<(&str, Kind)> =
        graph.symbols().iter().map(|symbol| (symbol.name.as_str(), symbol.kind)).collect();
    let expect = [
        ("t", Kind::Time),
        ("q1", Kind::Coordinate),
        ("qd1", Kind::Velocity),
        ("qdd12", Kind::Acceleration),
        ("q", Kind::Parameter),
        ("qx1", Kind::Parameter),
        ("m", Kind::Parameter),
        ("qd", Kind::Parameter),
    ];
    assert_eq!(kinds, expect);
}

#[test]
fn scopes_decide_names() {
    let mut graph = Graph::new();
    let length = graph.symbol("spring.Z", Kind::Coordinate);
    let mut scope =
        |graph: &mut Graph, name: &str| if name == "Z" { Some(length) } else { graph.lookup(name) };
    let built = graph.parse_in("2*Z", &mut scope).expect("a known name");
    assert_eq!(graph.text(built), "2*spring.Z");
    assert!(graph.parse_in("2*Zd", &mut scope).is_err());
    assert!(graph.parse_known("spring.Z").is_ok());
}

/// Checks message, help and the place that is underlined.
fn check_error(graph: &mut Graph, text: &str, place: &str, message: &str, help: &str) {
    let error: ParseError = match graph.parse_known(text) {
        Ok(built) => panic!("{text} gave {}", graph.text(built)),
        Err(error) => error,
    };
    assert_eq!(error.message, message, "{text}");
    assert_eq!(error.help.as_deref().unwrap_or_default(), help, "{text}");
    assert_eq!(&text[error.span.clone()], place, "{text}");
}

#[test]
fn faults_of_form_are_named() {
    let mut graph = Graph::new();
    for name in ["a", "b", "c", "x"] {
        graph.symbol(name, Kind::Parameter);
    }
    let mut check = |text: &str, place: &str, message: &str, help: &str| {
        check_error(&mut graph, text, place, message, help);
    };
    let product = "a product is written with `*`";
    let operand = |found: &str| format!("expected a number, a name or `(`, found {found}");
    check("", "", "expected an expression, found an empty text", "");
    check(" \n", "", "expected an expression, found an empty text", "");
    check("a +", "", &operand("the end of the text"), "");
    check("a + * b", "*", &operand("`*`"), "");
    check("()", ")", &operand("`)`"), "");
    check("(a", "(", "this `(` is never closed", "");
    check("sin((a)", "(", "this `(` is never closed", "");
    check("a)", ")", "this `)` closes nothing", "");
    check("a b", "b", "expected an operator, found `b`", product);
    check("2x", "x", "expected an operator, found `x`", product);
    check("1.2.3", ".3", "expected an operator, found `.3`", product);
    check("(2 (b))", "(", "expected an operator or `)`, found `(`", product);
    check("min(a b)", "b", "expected an operator, `,` or `)`, found `b`", product);
    check(
        "a, b",
        ",",
        "a `,` stands only between arguments of a function",
        "decimals are written with a point",
    );
    check("a = b", "=", "unexpected character `=`", "write `==` to compare");
    check("a − b", "−", "unexpected character `−`", "write `-`");
    check("a $ b", "$", "unexpected character `$`", "");
    check("a \0", "\0", "unexpected character U+0000", "");
    check("x[1", "[", "this `[` is never closed", "");
    check(
        "x[]",
        "]",
        "expected an index, found `]`",
        "an index of a name is a whole number or a word, as in `M[1,2]`",
    );
    check("sin", "sin", "the function `sin` stands without arguments", "write `sin(…)`");
    check("sin(a, b)", "sin(a, b)", "`sin` takes 1 argument, found 2", "");
    check("min(a)", "min(a)", "`min` takes 2 or more arguments, found 1", "");
    check("atan2(a)", "atan2(a)", "`atan2` takes 2 arguments, found 1", "");
    check(
        "if(a < b, c)",
        "if(a < b, c)",
        "`if` takes 3 arguments, found 2",
        "write `if(condition, a, b)`",
    );
    check("pi(a)", "pi", "`pi` is not a function", "to multiply, write `pi*(…)`");
    check(
        "a < b",
        "a < b",
        "expected a value, found a condition",
        "`if(condition, a, b)` makes a value of a condition",
    );
    check(
        "1 + (a < b)",
        "(a < b)",
        "expected a value, found a condition",
        "`if(condition, a, b)` makes a value of a condition",
    );
    check("if(a, b, c)", "a", "expected a condition, found a value", "compare it, as in `x > 0`");
    check("if(a < b < c, 1, 2)", "<", "comparisons do not chain", "write `a < b and b < c`");
}

#[test]
fn faults_of_meaning_are_named() {
    let mut graph = Graph::new();
    for name in ["a", "omega[3].x", "mass"] {
        graph.symbol(name, Kind::Parameter);
    }
    graph.declare_function("tyre", 2, 3);
    graph.declare_function("f", 1, 1);
    let mut check = |text: &str, place: &str, message: &str, help: &str| {
        check_error(&mut graph, text, place, message, help);
    };
    check("1 + omga[3].x", "omga[3].x", "unknown name `omga[3].x`", "did you mean `omega[3].x`?");
    check("mas*2", "mas", "unknown name `mas`", "did you mean `mass`?");
    check("zzzzzz", "zzzzzz", "unknown name `zzzzzz`", "");
    check("cso(a)", "cso", "unknown function `cso`", "did you mean `cos`?");
    check("tyer(a, a)[1]", "tyer", "unknown function `tyer`", "did you mean `tyre`?");
    check("a(2)", "a", "unknown function `a`", "to multiply, write `a*(…)`");
    check("tyre(a)[1]", "tyre(a)[1]", "`tyre` takes 2 arguments, found 1", "");
    check(
        "tyre(a, a)",
        "tyre(a, a)",
        "`tyre` gives 3 results, and one must be chosen",
        "write `tyre(…)[1]` for the first",
    );
    check("tyre(a, a)[4]", "tyre(a, a)[4]", "`tyre` gives 3 results, found number 4", "");
    check("f(a)[0]", "0", "expected the number of a result, counted from 1, found `0`", "");
    check("1e400", "1e400", "this number is above the largest real, 1.7976931348623157e308", "");
    check(
        "1e-400",
        "1e-400",
        "this number is so small that it would become zero",
        "write `0` if zero is meant",
    );
    check(
        "2*9223372036854775808",
        "9223372036854775808",
        "this integer is above the largest exact one, 9223372036854775807",
        "write it with a point or an exponent to make it a real",
    );
    check("a + nan", "nan", "`nan` is not a number here: every number is finite", "");
    check("-Infinity", "Infinity", "`Infinity` is not a number here: every number is finite", "");
    check("1/0", "0", "division by zero", "");
    check("a/(a - a)", "(a - a)", "division by zero", "");
    check("0^-1", "0^-1", "division by zero: zero to a negative power", "");
    check("2*log(0)", "log(0)", "`log(0)` is not finite", "");
    check("sqrt(-1)", "sqrt(-1)", "`sqrt(-1)` has no real value", "");
    check("asin(2)", "asin(2)", "`asin(2)` has no real value", "");
    check("(-8)^(1/3)", "(-8)^(1/3)", "`pow(-8, 1/3)` has no real value", "");
    let overflow = "the numbers in this expression overflow: the result is not finite";
    check("1e308*10", "1e308*10", overflow, "");
    check("a*1e308*10", "a*1e308*10", overflow, "");
    check("1e308*a + 1e308*a", "1e308*a + 1e308*a", overflow, "");
    let large = "exponents beyond 1000000 in magnitude are not accepted";
    check("a^1000001", "1000001", large, "");
    check("(a^1000)^-1001", "-1001", large, "");
    check("a^600000*a^600000", "a^600000*a^600000", large, "");
}

#[test]
fn faults_are_shown_in_their_line() {
    let check = |text: &str, expect: &str| {
        let error = Graph::new().parse_known(text).expect_err(text);
        assert_eq!(error.render(text, "model.toml"), expect, "{text}");
    };
    check(
        "2 +\n\tsinn(1)",
        "error: unknown function `sinn`\n --> model.toml:2:2\n  |\n2 |  sinn(1)\n  |  ^^^^\n  \
         = help: did you mean `sin`?\n",
    );
    // Wide characters push the underline by two columns.
    check(
        "pi + 角*2",
        "error: unknown name `角`\n --> model.toml:1:6\n  |\n1 | pi + 角*2\n  |      ^^\n",
    );
    check(
        "1 +",
        "error: expected a number, a name or `(`, found the end of the text\n --> model.toml:1:4\n  |\n1 | 1 +\n  |    ^\n",
    );
    // Long lines are cut around the fault.
    let long = format!("{}$+{}", "1 + ".repeat(100), "1".repeat(100));
    let shown = parse(&long).expect_err("a stray sign").render(&long, "model.toml");
    assert!(shown.lines().all(|line| line.chars().count() < 130), "{shown}");
    assert!(shown.contains("model.toml:1:401"), "{shown}");
    let lines: Vec<&str> = shown.lines().collect();
    let column = |line: &str, c: char| line.chars().position(|d| d == c);
    assert_eq!(column(lines[3], '$'), column(lines[4], '^'), "{shown}");
}

#[test]
fn conditions_become_one_select_a_comparison() {
    let mut graph = Graph::new();
    let check = |graph: &mut Graph, text: &str, expect: &str| {
        let built = graph.parse(text).expect(text);
        assert_eq!(graph.text(built), expect, "{text}");
    };
    check(&mut graph, "if(a < b and c < d, x, y)", "if(a < b, if(c < d, x, y), y)");
    check(&mut graph, "if(a < b or c < d, x, y)", "if(a < b, x, if(c < d, x, y))");
    check(&mut graph, "if(not (a < b or c > d), x, y)", "if(a < b, y, if(d < c, y, x))");
    // Alternating conditions double nothing: thirty of them would be a billion otherwise.
    let mut condition = String::from("a0 < b0");
    for i in 1..30 {
        let word = if i % 2 == 0 { "and" } else { "or" };
        condition = format!("({condition}) {word} a{i} < b{i}");
    }
    let before = graph.len();
    graph.parse(&format!("if({condition}, x, y)")).expect("a condition");
    assert!(graph.len() - before <= 3 * 30);
}

#[test]
fn the_nearest_name_is_near() {
    let names = ["sin", "sign", "cos", "atan2", "omega"];
    let check =
        |name: &str, expect: Option<&str>| assert_eq!(nearest(name, names), expect, "{name}");
    check("sinn", Some("sin"));
    check("cso", Some("cos"));
    check("omgea", Some("omega"));
    check("atan", Some("atan2"));
    check("x", None);
    check("velocity", None);
    check("", None);
    check(&"s".repeat(100_000), None);
    assert_eq!(nearest("spring", ["spring_damper", "spring_damper_tyre"]), Some("spring_damper"));
    assert_eq!(nearest("sp", ["spring_damper"]), None);
    assert_eq!(nearest("sgn", ["sin", "sign"]), Some("sign"), "it leaves a letter out");
    // A long candidate that is near enough does not let a short one in that is not.
    assert_eq!(nearest("foo", ["floor", "log"]), Some("floor"));
}

/// Hostile texts end soon, on a small stack: nothing in the parser recurses.
#[test]
fn hostile_texts_end_soon() {
    let cases: Vec<(&str, String)> = vec![
        ("open parentheses", "(".repeat(100_000)),
        ("nested parentheses", format!("{}x{}", "(".repeat(100_000), ")".repeat(100_000))),
        ("allowed nesting", format!("{}x{}", "(".repeat(200), ")".repeat(200))),
        ("closing parentheses", ")".repeat(100_000)),
        ("calls", "sin(".repeat(100_000)),
        ("every level", "x<1 or x<1 and !x<1+1*-f^-g(".repeat(100_000)),
        ("powers", "x^".repeat(100_000)),
        ("signed powers", "x^-".repeat(100_000)),
        ("signs", "-".repeat(5_000_000)),
        ("negations", "!".repeat(5_000_000)),
        ("alternating", "!-".repeat(100_000)),
        ("digits", "9".repeat(10_000_000)),
        ("decimals", format!("0.{}", "9".repeat(10_000_000))),
        ("exponent digits", format!("1e{}", "9".repeat(10_000_000))),
        ("a long name", "x".repeat(10_000_000)),
        ("many parts", "x.".repeat(5_000_000)),
        ("many indices", "x[".repeat(1_000_000)),
        ("commas", ",".repeat(1_000_000)),
        ("one line feed each", "\n".repeat(10_000_000)),
        ("ones", vec!["1"; 1_000_000].join("-")),
        ("products", vec!["x"; 1_000_000].join("*")),
        ("arguments", format!("min({})", vec!["1"; 1_000_000].join(","))),
        ("too many parts", vec!["1"; 5_000_000].join("+")),
        ("too long", " ".repeat(20_000_000)),
        ("unicode", "𝛀\u{301}\u{202E}角".repeat(100_000)),
    ];
    let work = move || {
        for (what, text) in cases {
            let start = Instant::now();
            match parse(&text) {
                Ok(syntax) => drop(syntax.count()),
                Err(error) => {
                    let shown = error.render(&text, "text");
                    assert!(shown.len() < 2000, "{what}: {shown}");
                }
            }
            // Generous: the point is that nothing is quadratic.
            assert!(start.elapsed() < Duration::from_secs(20), "{what} took {:?}", start.elapsed());
        }
    };
    let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(work);
    thread.expect("a thread").join().expect("no panic");
}

#[test]
fn long_texts_reach_the_graph() {
    let start = Instant::now();
    let mut graph = Graph::new();
    let sum: Vec<String> = (0..100_000).map(|i| format!("x{i}*y{i}")).collect();
    let built = graph.parse(&sum.join(" + ")).expect("a long sum");
    assert_ne!(built, Expr::ZERO);
    let deep = format!("{}x{}", "sin(1+".repeat(200), ")".repeat(200));
    graph.parse(&deep).expect("deep nesting");
    assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
}

proptest::proptest! {
    /// Any bytes: no panic, and a fault lies inside the text.
    #[test]
    fn random_text_never_panics(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
        check_any(&String::from_utf8_lossy(&bytes));
    }

    /// Words of the language in any order: deeper into the parser than random bytes.
    #[test]
    fn random_words_never_panic(words in proptest::collection::vec(0..WORDS.len(), 0..60)) {
        let text: String = words.into_iter().map(|i| WORDS[i]).collect();
        check_any(&text);
    }
}

const WORDS: [&str; 41] = [
    "+", "-", "*", "/", "^", "**", "(", ")", "(", ")", ",", "[", "]", "<", "<=", ">", "==", "!=",
    " and ", " or ", " not ", "!", "if(", "sin(", "log(", "sqrt(", "min(", "atan2(", "f(", "tyre(",
    "floor(", "x", "y", "q1", "M[1,2]", "pi", "0", "1", "2.5", "1e300", "é",
];

fn check_any(text: &str) {
    let mut graph = Graph::new();
    graph.declare_function("f", 1, 1);
    graph.declare_function("tyre", 2, 3);
    match graph.parse(text) {
        Ok(built) => {
            graph.text(built);
            graph.latex(built);
        }
        Err(error) => {
            assert!(error.span.end <= text.len() && error.span.start <= error.span.end);
            error.render(text, "text");
        }
    }
}
