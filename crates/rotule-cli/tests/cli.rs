//! The command line as a person meets it: the real program, its output to the letter, its exit
//! codes.

mod common;

use common::{Folder, Run, check, check_failure, command, commands, examples, run, run_with_input};
use rotule::layers::model::Format;
use std::io::Read;
use std::process::{Command, Stdio};

const E: [&str; 3] = [
    "fuzz/corpus/expression/kinda-e1",
    "fuzz/corpus/expression/kinda-e2",
    "fuzz/corpus/expression/kinda-e3",
];

#[test]
fn expressions_come_out_simplified() {
    check(&["simplify", "sin(a)*cos(b) + cos(a)*sin(b)"], "sin(a + b)\n");
    check(&["simplify", "2*sin(q)*cos(q)", "x + x"], "sin(2*q)\n2*x\n");
    check(&["simplify", "x - x"], "0\n");
    check(&["simplify", "1/3 + 1/6"], "1/2\n");
}

#[test]
fn an_expression_may_begin_with_a_minus() {
    check(&["simplify", "-x - x"], "-2*x\n");
    check(&["simplify", "-1"], "-1\n");
    check(&["simplify", "--count", "--", "--x"], &format!("x\n\n{}", table("simplified", [0; 10])));
}

#[test]
fn derivatives_are_labelled_when_there_are_several() {
    check(&["diff", "x^3", "--by", "x"], "3*x^2\n");
    check(&["diff", "k*(Z - z0)^2/2 + c*Zd", "--by", "Z,Zd"], "d/dZ = k*(Z - z0)\nd/dZd = c\n");
    check(&["diff", "x*y", "--by", "y", "--by", " x "], "d/dy = x\nd/dx = y\n");
    check(&["diff", "x*y", "x", "--by", "y"], "df1/dy = x\ndf2/dy = 0\n");
    check(&["diff", "x*M[1,2]", "--by", "M[1, 2],x"], "d/dM[1,2] = x\nd/dx = M[1,2]\n");
    // It occurs, even though it cancels.
    check(&["diff", "x - x + y", "--by", "x"], "0\n");
}

#[test]
fn long_derivatives_are_written_in_one_line() {
    let factors: Vec<String> = (1..=14).map(|i| format!("a{i}")).collect();
    let expected = format!("{}\n", factors[1..].join("*"));
    check(&["diff", &factors.join("*"), "--by", "a1"], &expected);
}

#[test]
fn latex_is_for_math_mode() {
    check(&["simplify", "sqrt(q1)/2", "--latex"], "\\frac{\\sqrt{q_{1}}}{2}\n");
    check(
        &["diff", "x*qd1", "--by", "qd1,x", "--latex"],
        "\\frac{\\partial y}{\\partial \\dot{q}_{1}} = x\n\
         \\frac{\\partial y}{\\partial x} = \\dot{q}_{1}\n",
    );
    check(
        &["diff", "sin(a + b)", "cos(a + b)", "--by", "a", "--latex", "--listing"],
        "\\begin{align*}\n  \
           z_{1} &= a + b \\\\\n  \
           \\frac{\\partial y_{1}}{\\partial a} &= \\cos z_{1} \\\\\n  \
           \\frac{\\partial y_{2}}{\\partial a} &= -\\sin z_{1}\n\
         \\end{align*}\n",
    );
}

#[test]
fn shared_parts_are_listed_once() {
    check(
        &["simplify", "(a + b)*c", "(a + b)*d", "--listing"],
        "z1 = a + b\ny1 = c*z1\ny2 = d*z1\n",
    );
    // Names of results and of parts keep clear of the symbols.
    check(
        &["simplify", "sin(y + z1)", "cos(y + z1)", "--listing"],
        "z2 = y + z1\nf1 = sin(z2)\nf2 = cos(z2)\n",
    );
    check(&["simplify", "y + f", "--listing"], "result = f + y\n");
}

#[test]
fn what_is_assumed_positive_loses_its_magnitude() {
    check(&["simplify", "sqrt(cos(a)^2)"], "abs(cos(a))\n");
    check(&["simplify", "sqrt(cos(a)^2)", "--assume", "cos(a)"], "cos(a)\n");
    check(&["simplify", "sqrt(m^2*cos(a)^2)", "--assume", "m, cos(a)"], "m*cos(a)\n");
    let answer = run(&["simplify", "abs(m)", "--assume", "n"]);
    let note = "note: `n` is assumed to be positive but occurs in no expression\n";
    assert_eq!(answer, Run { code: Some(0), out: "abs(m)\n".into(), err: note.into() });
}

/// The table of `--count`: additions, multiplications, divisions, functions and all of them, as
/// written and afterwards.
fn table(title: &str, [a, b, c, d, e, f, g, h, i, j]: [u64; 10]) -> String {
    format!(
        "operations    as written {title:>12}\n\
         + -         {a:>12} {b:>12}\n\
         *           {c:>12} {d:>12}\n\
         /           {e:>12} {f:>12}\n\
         functions   {g:>12} {h:>12}\n\
         total       {i:>12} {j:>12}\n"
    )
}

#[test]
fn the_example_of_the_readme() {
    let counts = table("simplified", [15, 3, 22, 3, 0, 0, 28, 5, 65, 11]);
    let result = "cos(q8)*sin(q2 + q4)*sin(q5 + q6) + sin(q8)*cos(q2 + q4)";
    check(&["simplify", "--file", E[0], "--count"], &format!("{result}\n\n{counts}"));
}

#[test]
fn the_expressions_of_kinda_need_3_4_and_5_multiplications() {
    for (file, most) in E.into_iter().zip([3, 4, 5]) {
        let out = run(&["simplify", "--file", file, "--count"]).out;
        let row = out.lines().find(|line| line.starts_with("* ")).expect("a row of the table");
        let count: u64 = row.split_whitespace().last().and_then(|n| n.parse().ok()).unwrap();
        assert!(count <= most, "{out}");
    }
}

#[test]
fn counts_are_of_shared_work_and_of_one_stage() {
    // Whatever names look like: `t` is not time here, nor `q1` a coordinate among parameters.
    for names in [["a", "b"], ["t", "q1"], ["m", "qd1"]] {
        let [a, b] = names;
        let out = run(&["simplify", &format!("({a} + {b})^2*sin({a} + {b})"), "--count"]).out;
        assert!(out.ends_with(&table("simplified", [2, 1, 2, 2, 0, 0, 1, 1, 5, 4])), "{out}");
    }
    let out = run(&["diff", "sin(x)/x", "--by", "x", "--count"]).out;
    assert!(out.contains("as written   derivative\n"), "{out}");
}

#[test]
fn tables_are_comments_where_the_result_is_code() {
    let zero = table("simplified", [0; 10]);
    let comments = |sign: &str| -> String {
        std::iter::once("")
            .chain(zero.lines())
            .fold(String::new(), |text, line| text + format!("{sign} {line}").trim_end() + "\n")
    };
    check(&["simplify", "x", "--count", "--latex"], &format!("x\n{}", comments("%")));
    let program = "program simplify\n\ninput x coordinate\n\noutput y(1)\n  (0) = x\n";
    check(&["simplify", "x", "--count", "--program"], &format!("{program}{}", comments("#")));
}

#[test]
fn programs_read_back_and_reports_name_every_pass() {
    let out = run(&["diff", "a*b", "sin(a)", "--by", "a,b", "--program", "--report"]).out;
    let program = rotule::layers::program::parse(&out).expect("the output is a program");
    assert_eq!((program.outputs()[0].rows, program.outputs()[0].columns), (2, 2));
    for pass in
        ["collect", "products", "sums", "fold", "share", "hoist_to_setup", "dead", "schedule"]
    {
        assert!(out.contains(&format!("# {pass} ")), "{out}");
    }
}

#[test]
fn expressions_are_read_from_files_and_from_standard_input() {
    let check = |words: &[&str], input: &[u8], out: &str| {
        let expected = Run { code: Some(0), out: out.into(), err: String::new() };
        assert_eq!(run_with_input(words, input), expected, "{words:?}");
    };
    check(&["simplify", "-"], b"x +\n x\n", "2*x\n");
    check(&["simplify", "--file", "-"], b"x + x", "2*x\n");
    check(&["simplify", "y", "-", "--file", E[0]], b"\xEF\xBB\xBFx\r\n", {
        "y\nx\ncos(q8)*sin(q2 + q4)*sin(q5 + q6) + sin(q8)*cos(q2 + q4)\n"
    });
    check(&["diff", "-", "--by", "x"], b"x^2", "2*x\n");
}

#[test]
fn faults_in_expressions_are_shown_in_their_place() {
    check_failure(
        &["simplify", "sin(x"],
        "error: this `(` is never closed\n --> expression:1:4\n  |\n1 | sin(x\n  |    ^\n",
    );
    check_failure(
        &["simplify", "x", "sinus(y) + 1"],
        "error: unknown function `sinus`\n --> expression 2:1:1\n  |\n1 | sinus(y) + 1\n  | ^^^^^\n  \
         = help: did you mean `sin`?\n",
    );
    check_failure(
        &["simplify", "-x/0"],
        "error: division by zero\n --> expression:1:4\n  |\n1 | -x/0\n  |    ^\n",
    );
    check_failure(
        &["simplify", ""],
        "error: expected an expression, found an empty text\n --> expression:1:1\n  |\n1 | \n  | ^\n",
    );
    let place = "fuzz/corpus/expression/unknown-function";
    assert!(run(&["simplify", "--file", place]).err.contains(&format!("--> {place}:1:")));
    let err = run_with_input(&["simplify", "-"], b"x +\n  * y").err;
    assert!(err.contains("--> standard input:2:3\n"), "{err}");
}

#[test]
fn faults_in_lists_are_shown_in_their_place() {
    check_failure(
        &["diff", "q2*q4*q5", "--by", "q2, qq5"],
        "error: `qq5` does not occur in the expression\n --> --by:1:5\n  |\n1 | q2, qq5\n  |     ^^^\n  \
         = help: did you mean `q5`? the symbols are q2, q4, q5\n",
    );
    check_failure(
        &["diff", "1", "x", "--by", "gamma"],
        "error: `gamma` does not occur in any expression\n --> --by:1:1\n  |\n1 | gamma\n  \
         | ^^^^^\n  = help: the only symbol is x\n",
    );
    check_failure(
        &["diff", "1", "--by", "x"],
        "error: `x` does not occur in the expression\n --> --by:1:1\n  |\n1 | x\n  | ^\n  \
         = help: there are no symbols\n",
    );
    check_failure(
        &["diff", "x*y", "--by", "x, x*y"],
        "error: expected the name of a symbol\n --> --by:1:4\n  |\n1 | x, x*y\n  |    ^^^\n",
    );
    check_failure(
        &["diff", "x", "--by", "x,"],
        "error: something is missing between commas\n --> --by:1:3\n  |\n1 | x,\n  |   ^\n",
    );
    check_failure(
        &["simplify", "x", "--assume", "m, -1"],
        "error: this cannot be positive: it is -1\n --> --assume:1:4\n  |\n1 | m, -1\n  |    ^^\n",
    );
    // Symbols of an assumption are not symbols of the expression.
    assert_eq!(run(&["diff", "x", "--assume", "m", "--by", "m"]).code, Some(1));
    // Long lists of names are cut.
    let sum: Vec<String> = (0..30).map(|i| format!("x{i}")).collect();
    let err = run(&["diff", &sum.join("+"), "--by", "gamma"]).err;
    assert!(err.ends_with("x10, x11 and 18 more\n"), "{err}");
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let check = |words: &[&str], expected: &str| {
        let answer = run(words);
        assert_eq!((answer.code, answer.out.as_str()), (Some(1), ""), "{words:?}");
        assert!(answer.err.starts_with(expected), "{}", answer.err);
    };
    check(&["simplify", "--file", "no/such"], "error: cannot read no/such: ");
    check(&["simplify", "--file", "crates"], "error: cannot read crates: ");
    let place = "fuzz/corpus/expression/not-utf8";
    check(
        &["simplify", "--file", place],
        &format!("error: {place} is not text in UTF-8: line 1 has the byte 0x"),
    );
    let twice = run(&["simplify", "-", "-"]);
    assert_eq!(twice.code, Some(2));
    assert_eq!(twice.err, "error: standard input can be read only once\n");
    let answer = run_with_input(&["simplify", "-"], &vec![b'1'; (16 << 20) + 1]);
    let err = "error: standard input is larger than 16 MiB, the most that is read\n";
    assert_eq!(answer, Run { code: Some(1), out: String::new(), err: err.into() });
}

#[test]
fn hostile_text_ends_in_a_message() {
    let check = |input: &str, expected: &str| {
        let answer = run_with_input(&["simplify", "-"], input.as_bytes());
        assert_eq!(answer.code, Some(1), "{}", answer.err);
        assert!(answer.err.starts_with(&format!("error: {expected}")), "{}", answer.err);
        assert!(answer.err.contains("--> standard input:1:"), "{}", answer.err);
        assert!(answer.err.len() < 1000, "{}", answer.err);
    };
    check(&"(".repeat(100_000), "this expression is nested more than 200 deep");
    check(&"1".repeat(10_000_000), "this number has 10000000 characters");
    check("1e999", "this number is above the largest real");
    check("\u{0}", "");
    check("0/0", "division by zero");
}

#[test]
fn every_text_of_the_corpus_ends_in_a_result_or_a_message() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/expression");
    for entry in std::fs::read_dir(folder).expect("the corpus is there") {
        let path = entry.expect("the corpus can be read").path();
        let path = path.to_str().expect("its names are plain");
        let answer = run(&["simplify", "--file", path, "--program", "--count"]);
        let expected = match answer.code {
            Some(0) => answer.out.starts_with("program simplify\n") && answer.err.is_empty(),
            Some(1) => answer.err.starts_with("error: ") && answer.out.is_empty(),
            _ => false,
        };
        assert!(expected, "{path}: {answer:?}");
    }
}

/// `x + sin(x)` put into itself: small as a graph, 2^n as a text.
fn nested(times: usize) -> String {
    (0..times).fold("x".to_owned(), |inner, _| format!("({inner} + sin({inner}))"))
}

#[test]
fn a_result_too_long_to_write_is_listed() {
    // The derivative is longer than the expression, whose length is the limit.
    let text = nested(13);
    for format in [&[][..], &["--latex"]] {
        let words = [&["diff", "-", "--by", "x"], format].concat();
        let answer = run_with_input(&words, text.as_bytes());
        let note = "note: in full, the result exceeds ";
        assert_eq!(answer.code, Some(0));
        assert!(answer.err.starts_with(note), "{}", answer.err);
        assert!(answer.err.ends_with(" bytes; it is shown as with --listing\n"), "{}", answer.err);
        assert!(answer.out.len() < 10_000, "{}", answer.out);
    }
    assert!(
        text.len() > 65536 && run_with_input(&["simplify", "-"], text.as_bytes()).err.is_empty()
    );
}

#[test]
fn a_closed_pipe_is_no_failure() {
    let texts: Vec<String> = (0..20_000).map(|i| format!("x{i}")).collect();
    let words: Vec<&str> =
        std::iter::once("simplify").chain(texts.iter().map(String::as_str)).collect();
    let mut child = command(&words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    // As `head -1`: one line is read, then the pipe is closed.
    let mut pipe = child.stdout.take().expect("standard output is a pipe");
    let mut start = [0; 3];
    pipe.read_exact(&mut start).expect("the program writes");
    drop(pipe);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!((&start, output.status.code()), (b"x0\n", Some(0)));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

/// Results that go to a pipe while they are computed end with it, without a word.
#[test]
fn a_closed_pipe_ends_a_run_quietly() {
    let model = "examples/pendulum.toml";
    let vary = "phi=0.1..1:200";
    for words in [
        &["simulate", model, "--to", "10", "--every", "1e-4", "--out", "-"][..],
        &["study", model, "--to", "1", "--dt", "0.1", "--vary", vary, "--out", "-"],
    ] {
        let mut child = command(words)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the program ends");
        let err = String::from_utf8_lossy(&output.stderr);
        assert_eq!((output.status.code(), &err[..]), (Some(0), ""), "{words:?}");
    }
}

#[test]
fn the_same_words_give_the_same_bytes() {
    let mixed = "zeta*(alpha + mu)^2/12 + sqrt(alpha^2 + zeta^2)*atan2(mu, kappa) \
                 - exp(-beta*t)*(kappa*sin(omega*t) + alpha*cos(omega*t))";
    for words in [
        &["simplify", mixed, "--count", "--report"][..],
        &["simplify", mixed, "--file", E[2], "--listing"],
        &["diff", mixed, "--by", "t,alpha,zeta", "--latex", "--listing"],
        &["diff", mixed, "--by", "alpha,mu", "--program"],
        &["diff", mixed, "--by", "alpa"],
    ] {
        assert_eq!(run(words), run(words));
    }
}

/// Commands whose examples take too long, need the tools of others or write to the folders of a
/// user.
const UNTRIED: [&str; 7] = ["bench", "study", "completions", "man", "new", "laws", "report"];

/// Commands whose examples can be run as they stand.
const VERBS: [&str; 16] = [
    "new",
    "simplify",
    "diff",
    "check",
    "assemble",
    "convert",
    "count",
    "eval",
    "linearize",
    "equations",
    "equilibrium",
    "modes",
    "singular",
    "generate",
    "simulate",
    "view",
];

#[test]
fn help_and_version_are_results() {
    let bare = run(&[]);
    assert_eq!((bare.code, bare.err.as_str()), (Some(0), ""));
    assert!(bare.out.contains("Usage: rotule [OPTIONS] [COMMAND]\n"), "{}", bare.out);
    assert_eq!(bare, run(&["--help"]));
    assert_eq!(bare, run(&["help"]));
    assert_eq!(run(&["help", "simulate"]), run(&["simulate", "--help"]));
    check(&["--version"], concat!("rotule ", env!("CARGO_PKG_VERSION"), "\n"));
    for verb in commands() {
        let known = VERBS.into_iter().chain(UNTRIED).any(|known| known == verb);
        assert!(known, "`{verb}` is to stand in VERBS, so that its examples are run");
        let help = run(&[&verb, "--help"]);
        assert_eq!(help.code, Some(0));
        assert!(help.out.contains("\nExamples:\n"), "{}", help.out);
    }
}

#[test]
fn the_examples_in_the_help_work() {
    let mut count = 0;
    for verb in [""].into_iter().chain(VERBS) {
        let words: Vec<&str> =
            [verb, "--help"].into_iter().filter(|word| !word.is_empty()).collect();
        for example in examples(&run(&words).out) {
            // Words are separated by blanks and may stand in quotes.
            let parts = example.split('"').enumerate();
            let words: Vec<&str> = parts
                .flat_map(|(i, part)| match i % 2 {
                    0 => part.split_whitespace().collect(),
                    _ => vec![part],
                })
                .map(|word| if word == "expression.txt" { E[0] } else { word })
                .collect();
            let folder = Folder::new(&format!("help-{count}"));
            let written = folder.path("out");
            let places: Vec<String> = words.iter().map(|word| folder.path(word)).collect();
            let words: Vec<&str> = (0..words.len())
                .map(|at| match at.checked_sub(1).map(|before| words[before]) {
                    // The ending tells the format.
                    Some("--picture" | "--plot" | "--report" | "--map")
                        if words[at].contains('.') =>
                    {
                        &*places[at]
                    }
                    Some("--out") if !words[at].contains('/') && words[at].contains('.') => {
                        &*places[at]
                    }
                    Some("--out" | "new") => &*written,
                    _ => words[at],
                })
                .collect();
            let answer = run(&words);
            // Notes about a foreign model are no failure.
            let silent =
                answer.err.lines().all(|line| !line.contains("error") && !line.contains("warning"));
            assert!(answer.code == Some(0) && silent, "{words:?}: {}", answer.err);
            count += 1;
        }
    }
    assert!(count >= 30);
}

#[test]
fn words_that_make_no_sense_are_a_matter_of_usage() {
    for words in [
        &["simplify"][..],
        &["diff", "x"],
        &["simplify", "x", "--laex"],
        &["simplify", "x", "--program", "--latex"],
        &["symplify", "x"],
        &["simplify", "--file"],
    ] {
        let answer = run(words);
        assert_eq!((answer.code, answer.out.as_str()), (Some(2), ""), "{words:?}");
        assert!(answer.err.starts_with("error: "), "{}", answer.err);
    }
    let short = run(&["-v"]);
    assert!(short.code == Some(2) && short.err.contains("`-v`"), "{}", short.err);
}

#[test]
fn a_trigonometric_zero_is_zero() {
    let text = "sin(x)^3 + cos(x + pi/6)^3 - sin(x + pi/3)^3 + 3/4*sin(3*x)";
    let run = Command::new(env!("CARGO_BIN_EXE_rotule"))
        .args(["simplify", text])
        .output()
        .expect("the program runs");
    assert_eq!(String::from_utf8_lossy(&run.stdout), "0\n");
}

#[test]
fn a_shared_product_is_listed_by_its_factors() {
    let run = Command::new(env!("CARGO_BIN_EXE_rotule"))
        .args(["simplify", "sin(a*b)", "cos(a*b)", "--listing"])
        .output()
        .expect("the program runs");
    let expect = "z1 = a*b\ny1 = sin(z1)\ny2 = cos(z1)\n";
    assert_eq!(String::from_utf8_lossy(&run.stdout), expect);
}

#[test]
fn check_draws_the_structure() {
    check(
        &["check", "examples/four_bar_joint.toml"],
        "\
four_bar_joint
==============
bodies                   3
coordinates              3
constraints              2  3 more vanish because their loops are planar
degrees of freedom       1  by count

ground
+- q1 revolute z                            crank  0.8 kg
|  |  q2 revolute z                         coupler  0.6 kg
`- q3 revolute z                            rocker  1.1 kg

loops
  pin_C  revolute    coupler = rocker: 2 of 5 constraints, 4 bodies round, planar, normal z

branches
  crank coupler
  rocker

planar parts
  normal z: crank coupler rocker

parameters
  a  = 0.12 m
  b  = 0.3 m
  c  = 0.25 m
  d  = 0.32 m
  ma = 0.8 kg
  mb = 0.6 kg
  mc = 1.1 kg

closure
  degrees of freedom  1, by rank
  rank                2 of 2 constraints
  independent         q2
  dependent           q1 q3
  conditioning        0.99, smallest pivot over largest
  blocks              1, of 2 rows

           q1  q3
  pin_C x  #   #
  pin_C y  #   #
",
    );
}

#[test]
fn check_reports_every_mistake_and_fails() {
    let model = "[model]\nname = \"m\"\n[[body]]\nname = \"a\"\nparent = \"grond\"\nmass = -1\n";
    let answer = run_with_input(&["check", "-"], model.as_bytes());
    assert_eq!((answer.code, answer.out.as_str()), (Some(1), ""));
    assert_eq!(
        answer.err,
        "\
error[unknown-name]: the parent of body `a` names `grond`, but there is no such body
 --> standard input:5:11
  |
5 | parent = \"grond\"
  |           ^^^^^
  = help: did you mean `ground`?

error[inertia]: the mass of body `a` is negative: -1
 --> standard input:6:8
  |
6 | mass = -1
  |        ^^
  = help: give zero or more

2 errors: the model cannot be used
"
    );
}

#[test]
fn check_writes_json_for_tools() {
    let answer = run(&["check", "examples/delta_robot.toml", "--json"]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let json: serde_json::Value = serde_json::from_str(&answer.out).expect("valid JSON");
    assert_eq!(json["valid"], true);
    let structure = &json["structure"];
    let counts = ["speeds", "constraints", "mobility"].map(|key| structure[key].as_i64());
    assert_eq!(counts, [12, 9, 3].map(Some));
    assert_eq!(structure["loops"][0]["type"], "ball");
    let closure = &json["closure"];
    assert_eq!((closure["mobility"].as_i64(), closure["rank"].as_i64()), (Some(3), Some(9)));
    let dependent = closure["partition"]["dependent"].as_array().map(Vec::len);
    assert_eq!((dependent, &closure["problem"]), (Some(9), &serde_json::Value::Null));

    let answer = run_with_input(&["check", "-", "--json"], b"[model]\nname = 1\n");
    assert_eq!(answer.code, Some(1));
    let json: serde_json::Value = serde_json::from_str(&answer.out).expect("valid JSON");
    assert_eq!(json["valid"], false);
    assert_eq!(json["structure"], serde_json::Value::Null);
    let first = &json["diagnostics"][0];
    assert_eq!((&first["code"], &first["place"]["line"]), (&"missing".into(), &1.into()));
}

/// The text of an example.
fn example(name: &str) -> String {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::read_to_string(root.join(name)).expect("a readable example")
}

#[test]
fn assemble_writes_a_state_that_model_files_and_eval_read() {
    let folder = Folder::new("assemble");
    let path = "examples/four_bar_joint.toml";
    // The guess is wrong; the crank is where it is to be.
    let model = example(path);
    let rough = model.replace("-0.538665611436448", "-0.3").replace("1.56264394786253", "1.3");
    assert_ne!(model, rough);
    let answer = run_with_input(&["assemble", "-", "--keep", "q1"], rough.as_bytes());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let expected = "[initial.q]\nq1 = 1.0471975511966\nq2 = -0.53866561143644";
    assert!(answer.out.starts_with(expected), "{}", answer.out);
    // Pasted into the model, nothing is open any more.
    let start = rough.find("[initial.q]").expect("a guess");
    let closed = format!("{}{}", &rough[..start], answer.out);
    let again = run_with_input(&["check", "-"], closed.as_bytes());
    assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
    // As JSON it is a state.
    let out = folder.path("state.json");
    let answer = run(&["assemble", path, "--json", "--out", &out]);
    assert_eq!((answer.code, answer.out.as_str(), answer.err.as_str()), (Some(0), "", ""));
    let answer = run(&["eval", path, "constraints", "--state", &out, "--json"]);
    let json: serde_json::Value = serde_json::from_str(&answer.out).expect("valid JSON");
    let h = json["outputs"]["h"].as_array().expect("residuals");
    assert!(h.iter().all(|h| h.as_f64().is_some_and(|h| h.abs() < 1e-12)), "{h:?}");
}

#[test]
fn assemble_says_what_cannot_close() {
    let model = example("examples/four_bar_joint.toml").replace("value = 0.32", "value = 1.32");
    let answer = run_with_input(&["assemble", "-"], model.as_bytes());
    assert_eq!((answer.code, answer.out.as_str()), (Some(1), ""));
    // The bars reach 0.67 m.
    let expected = "error: the loops cannot be closed; still open: loop closure `pin_C` by 0.65 m";
    assert!(answer.err.contains(expected), "{}", answer.err);
    assert!(
        answer.err.contains("\n  = help: the bodies may be too short to meet"),
        "{}",
        answer.err
    );
    let answer = run(&["assemble", "examples/four_bar_joint.toml", "--keep", "q7"]);
    assert!(
        answer.err.starts_with("error: there is no joint or coordinate `q7`"),
        "{}",
        answer.err
    );
}

#[test]
fn convert_writes_a_model_that_checks() {
    let folder = Folder::new("convert");
    let out = folder.path("arm.toml");
    let foreign = Format::ALL.into_iter().filter(|(format, ..)| *format != Format::Native);
    for (_, ending, _) in foreign {
        let model = format!("examples/formats/arm.{ending}");
        let answer = run(&["convert", &model, "--out", &out, "--force"]);
        assert_eq!((answer.code, answer.out.as_str()), (Some(0), ""), "{}", answer.err);
        let again = run(&["check", &out]);
        assert_eq!((again.code, again.err.as_str()), (Some(0), ""));
        assert_eq!(again.out, run(&["check", &model]).out, "{ending}");
    }
    assert_eq!(folder.names(), ["arm.toml"], "nothing else stays behind");
}

#[test]
fn convert_replaces_a_file_only_when_requested() {
    let folder = Folder::new("force");
    let out = folder.path("arm.toml");
    std::fs::write(&out, "precious").expect("a writable folder");
    let answer = run(&["convert", "examples/pendulum.toml", "--out", &out]);
    assert_eq!(answer.code, Some(4));
    assert_eq!(answer.err, format!("error: {out} exists already; --force replaces it\n"));
    assert_eq!(std::fs::read_to_string(&out).expect("still there"), "precious");

    let nowhere = folder.path("none/arm.toml");
    let answer = run(&["convert", "examples/pendulum.toml", "--out", &nowhere]);
    assert_eq!(answer.code, Some(4));
    assert!(answer.err.starts_with(&format!("error: cannot write {nowhere}: ")), "{}", answer.err);
}

#[test]
fn a_model_can_be_completed_by_another_file() {
    let words =
        ["check", "examples/formats/arm.urdf", "--with", "examples/formats/arm_spring.toml"];
    let answer = run(&words);
    assert_eq!(answer.code, Some(0));
    assert!(answer.out.contains("line force balance on ground forearm"), "{}", answer.out);
}

#[test]
fn the_format_is_told_by_the_file_or_the_user() {
    let urdf =
        std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/formats/arm.urdf"));
    let urdf = urdf.expect("the example is there");
    assert_eq!(run_with_input(&["check", "-"], &urdf).code, Some(0));
    assert_eq!(run_with_input(&["check", "-", "--format", "urdf"], &urdf).code, Some(0));
    assert_eq!(run_with_input(&["check", "-", "--format", "sdf"], &urdf).code, Some(1));
    assert_eq!(run(&["check", "x", "--format", "stl"]).code, Some(2));
    let missing = run(&["check", "no_such_file.toml"]);
    assert_eq!(missing.code, Some(1));
    assert!(missing.err.starts_with("error: cannot read no_such_file.toml: "), "{}", missing.err);
    assert!(!missing.err.contains("did you mean"), "{}", missing.err);
    let mistyped = run(&["check", "examples/pendulm.toml"]);
    let near = "there is no such file\n  = help: did you mean `examples/pendulum.toml`?";
    assert!(mistyped.err.contains(near), "{}", mistyped.err);
    let folder = run(&["check", "examples"]);
    assert!(folder.err.contains("it is a folder\n  = help: name a file in it"), "{}", folder.err);
}

#[test]
fn options_that_would_do_nothing_are_refused() {
    let check = |model: &str, option: &str, expected: &str| {
        let answer = run(&["check", model, option]);
        assert_eq!((answer.code, answer.out.as_str()), (Some(1), ""), "{model} {option}");
        assert!(
            answer.err.contains(expected) && answer.err.contains("leave it out"),
            "{}",
            answer.err
        );
    };
    let native = "examples/puma560.toml";
    check(native, "--floating-base", "this is a model file of Rotule");
    check(native, "--merge-fixed", "this is a model file of Rotule");
    check("examples/formats/arm.mbs", "--merge-fixed", "a model of ROBOTRAN");
    check("examples/formats/arm.sdf", "--floating-base", "joined to `world`");
    assert_eq!(run(&["check", "examples/formats/arm.sdf", "--merge-fixed"]).code, Some(0));
}

/// The library names methods instead: its tests look for those.
#[test]
fn remedies_about_models_name_options() {
    let answer = run(&["check", "examples/formats/arm.urdf"]);
    assert!(answer.err.contains("help: --floating-base lets it move freely"), "{}", answer.err);
}

#[cfg(unix)]
#[test]
fn convert_replaces_files_only_and_follows_links() {
    let folder = Folder::new("links");
    let (file, link) = (folder.path("arm.toml"), folder.path("link.toml"));
    std::fs::write(&file, "old").expect("a writable folder");
    std::os::unix::fs::symlink(&file, &link).expect("a link can be made");
    let convert = |out: &str| run(&["convert", "examples/pendulum.toml", "--out", out, "--force"]);
    assert_eq!(convert(&link).code, Some(0));
    assert!(std::fs::symlink_metadata(&link).expect("still there").is_symlink());
    assert!(std::fs::read_to_string(&file).expect("written").contains("pendulum"));

    let refused = convert(&folder.path(""));
    assert_eq!(refused.code, Some(4));
    assert!(refused.err.contains("is not a file"), "{}", refused.err);
    // A device is written directly.
    let device = run(&["convert", "examples/pendulum.toml", "--out", "/dev/null"]);
    assert_eq!(device.code, Some(0), "{}", device.err);
    assert_eq!(folder.names(), ["arm.toml", "link.toml"]);
}

#[test]
fn xml_of_no_known_format_is_told() {
    let answer = run_with_input(&["check", "-"], b"<launch>\n  <node/>\n</launch>\n");
    assert_eq!(answer.code, Some(1));
    assert!(
        answer.err.starts_with("error[syntax]: this is XML, expected a model file"),
        "{}",
        answer.err
    );
}
