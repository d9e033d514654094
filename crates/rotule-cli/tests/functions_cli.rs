//! `count`, `eval` and `equations` as a person meets them.

mod common;

use common::{Folder, Run, check, check_failure, run, run_with_input};
use rotule::layers::formalism::function::FUNCTIONS;
use serde_json::Value;

const PENDULUM: &str = "examples/sliding_pendulum.toml";

fn json(words: &[&str]) -> Value {
    let answer = run(words);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{words:?}");
    serde_json::from_str(&answer.out).expect("valid JSON")
}

/// The program fails with messages that hold these words.
fn refused(words: &[&str], expected: &[&str]) {
    let answer = run(words);
    assert_eq!((answer.code, answer.out.as_str()), (Some(1), ""), "{words:?}: {}", answer.err);
    assert!(answer.err.starts_with("error: "), "{}", answer.err);
    for part in expected {
        assert!(answer.err.contains(part), "{part}: {}", answer.err);
    }
}

#[test]
fn equations_of_motion_stand_as_one_writes_them() {
    check(
        &["equations", PENDULUM],
        "\
# sliding_pendulum: M qdd + c = Q
# rows: 1 q1, 2 q2
# entries below the diagonal mirror those above

M[1,1] = m
M[1,2] = -L*m*sin(q2)/2
M[2,2] = I3 + L^2*m/4

c[1] = -m*(g + L*q2.d^2*cos(q2)/2)
c[2] = g*L*m*sin(q2)/2

Q[1] = k*(L0 - q1)
Q[2] = 0

q1.dd = ((I3 + L^2*m/4)*(k*(L0 - q1) + m*(g + L*q2.d^2*cos(q2)/2)) - g*L^2*m^2*sin(q2)^2/4)\
/(m*(I3 + L^2*m*cos(q2)^2/4))
q2.dd = L*sin(q2)*(k*(L0 - q1) + L*m*q2.d^2*cos(q2)/2)/(2*(I3 + L^2*m*cos(q2)^2/4))
",
    );
}

#[test]
fn driven_joints_have_efforts_and_keep_their_accelerations() {
    let tail = |driven: &str| -> Vec<String> {
        let out = run(&["equations", PENDULUM, "--driven", driven]).out;
        let behind = out.split("Q[2] = 0\n").nth(1).expect("the laws come before");
        behind.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let slider = "lambda[q1] = k*(q1 - L0) - m*(g + L*(q2.d^2*cos(q2) + q2.dd*sin(q2))/2 - q1.dd)";
    let rod = "lambda[q2] = I3*q2.dd + L*m*(L*q2.dd + 2*sin(q2)*(g - q1.dd))/4";
    let second = "q2.dd = L*m*sin(q2)*(q1.dd - g)/(2*(I3 + L^2*m/4))";
    let first = "q1.dd = g + k*(L0 - q1)/m + L*(q2.d^2*cos(q2) + q2.dd*sin(q2))/2";
    assert_eq!(tail("q1"), [second, slider]);
    assert_eq!(tail("q2"), [first, rod]);
    assert_eq!(tail("q1, q2"), [slider, rod]);
    refused(&["equations", PENDULUM, "--driven", "q3"], &["there is no joint `q3` to drive"]);
    assert_eq!(run(&["equations", PENDULUM, "mass", "--driven", "q1"]).code, Some(2));
}

#[test]
fn latex_has_matrices_and_pairs() {
    let out = run(&["equations", PENDULUM, "--latex"]).out;
    let expected = "\
  M &= \\begin{pmatrix}
    m & -\\frac{L \\, m \\, \\sin q_{2}}{2} \\\\
    -\\frac{L \\, m \\, \\sin q_{2}}{2} & I_{3} + \\frac{L^{2} \\, m}{4}
  \\end{pmatrix} \\\\
";
    assert!(out.contains(expected), "{out}");
    assert!(out.contains("  \\ddot{q}_{2} &= "), "{out}");
    for example in ["sliding_pendulum", "double_pendulum", "furuta", "puma560", "heavy_top"] {
        let out = run(&["equations", &format!("examples/{example}.toml"), "--latex"]).out;
        for (open, close) in [("{", "}"), ("(", ")"), ("\\left(", "\\right)"), ("\\begin", "\\end")]
        {
            assert_eq!(out.matches(open).count(), out.matches(close).count(), "{example}: {open}");
        }
    }
}

#[test]
fn what_is_too_long_keeps_its_variables() {
    let out = run(&["equations", "examples/puma560.toml", "bias"]).out;
    assert!(out.starts_with("# too long to be written out: variables of the "), "{out}");
    // The same numbers either way: each line of a listing can be read back.
    assert!(out.lines().skip(1).all(|line| line.contains(" = ") || line.starts_with('#')), "{out}");
    let out = run(&["equations", "examples/slider_crank.toml"]).out;
    assert!(out.contains("# accelerations and multipliers follow together"), "{out}");
    let out = run(&["equations", "examples/puma560.toml", "gravity"]).out;
    assert!(out.contains("gravity[4] = 9.81*c6z*m6*sin(q4)*sin(q5)*sin(q2 + q3)\n"), "{out}");
}

#[test]
fn lines_of_equations_read_back() {
    let out = run(&["equations", "examples/furuta.toml"]).out;
    let lines = out.lines().filter_map(|line| line.split_once(" = "));
    let lines: Vec<_> = lines.filter(|(name, _)| !name.starts_with('#')).collect();
    assert_eq!(lines.len(), 3 + 2 + 2 + 2);
    for (_, right) in lines {
        assert_eq!(run(&["simplify", right]).code, Some(0), "{right}");
    }
}

#[test]
fn numbers_have_the_names_of_coordinates() {
    check(
        &["eval", PENDULUM, "mass"],
        "\
M
       q1               q2
  q1   1               -0.433012701892
  q2  -0.433012701892   0.333333333333
",
    );
    // By hand: l*mp*cos(theta)*2 - l*mp*1.2^2*sin(theta) - F and 4/3*l^2*mp*2 -
    // 9.8*l*mp*sin(theta).
    check(
        &["eval", "examples/cart_pole.toml", "inverse", "--state", "examples/cart_pole.json"],
        "\
effort
  x      -9.90768758947
  theta   0.0177482925097
",
    );
}

/// The state of the KINDA example: qdd = (4.55.., -5.07..) needs no effort beyond the spring's.
#[test]
fn a_state_comes_from_a_file() {
    let folder = Folder::new("state");
    let file = folder.path("state.json");
    let text = r#"{ "q": { "q1": 0.1, "q2": 0.7 }, "qd": [-0.3, 1.9],
                    "qdd": { "q1": 4.554791864191, "q2.dd": -5.078247046805 } }"#;
    std::fs::write(&file, text).expect("a writable folder");
    let report = json(&["eval", PENDULUM, "inverse", "--state", &file, "--json"]);
    assert_eq!(report["function"], "inverse");
    assert_eq!(report["state"]["qd"]["q2"], 1.9);
    assert_eq!(report["names"], serde_json::json!({ "effort": { "rows": ["q1", "q2"] } }));
    for effort in report["outputs"]["effort"].as_array().expect("a list") {
        assert!(effort.as_f64().is_some_and(|effort| effort.abs() < 1e-11), "{report}");
    }
    let piped = run_with_input(&["eval", PENDULUM, "inverse", "--state", "-"], text.as_bytes());
    assert_eq!(piped.code, Some(0), "{}", piped.err);
}

#[test]
fn functions_of_places_and_energies_have_numbers() {
    let state = ["--set", "L=2", "--set", "m=3"];
    let check = |function: &str, expected: &str| {
        let answer = run(&[&["eval", PENDULUM, function], &state[..]].concat());
        assert_eq!((answer.code, answer.out.as_str()), (Some(0), expected), "{}", answer.err);
    };
    // The rod of length 2 stands at pi/3.
    check("position(rod.tip)", "position\n  x  1\n  y  1.73205080757\n  z  0\n");
    check("potential_energy", "potential_energy = -14.715\n");
    check(
        "jacobian(rod.tip)",
        "J\n      q1   q2\n  x   1   -1.73205080757\n  y   0    1\n  z   0    0\n  \
         rx  0    0\n  ry  0    0\n  rz  0    1\n",
    );
}

/// Digits of an independent solution.
#[test]
fn accelerations_as_numbers_and_as_equations() {
    let folder = Folder::new("forward");
    let file = folder.path("state.json");
    let text = r#"{ "q": [0.1, 0.7], "qd": [-0.3, 1.9] }"#;
    std::fs::write(&file, text).expect("a writable folder");
    let words = ["eval", PENDULUM, "forward", "--state", &file, "--json"];
    let report = json(&words);
    for (at, expected) in [4.554791864191, -5.078247046805].iter().enumerate() {
        let found = report["outputs"]["qdd"][at].as_f64().expect("a number");
        assert!((found - expected).abs() < 1e-11, "{found}");
    }
    // Efforts besides the laws are in it.
    let out = run(&["equations", PENDULUM, "forward"]).out;
    assert!(out.starts_with("qdd[1] = (") && out.contains("q2.effort"), "{out}");
}

#[test]
fn faults_of_a_state_are_told() {
    let folder = Folder::new("faults");
    let file = folder.path("state.json");
    let check = |model: &str, text: &str, expected: &[&str]| {
        std::fs::write(&file, text).expect("a writable folder");
        refused(&["eval", model, "mass", "--state", &file], &[expected, &[&file]].concat());
    };
    check(PENDULUM, "{ \"q\": {\n  \"q1\" 3 } }", &["line 2, column 8: expected `:`"]);
    let twice = "{ \"q\": { \"q1\": 1,\n  \"q1\": 2 } }";
    check(PENDULUM, twice, &["line 2, column 3: duplicate key `q1`", "keep one"]);
    check(PENDULUM, "[1, 2]", &["expected a JSON object, found a list"]);
    check(PENDULUM, "{ \"qdot\": [] }", &["unknown key `qdot` in a state"]);
    check(PENDULUM, "{ \"q\": { \"q11\": 1 } }", &["no such joint", "did you mean `q1`?"]);
    check(PENDULUM, "{ \"q\": { \"q1[2]\": 1 } }", &["no such joint"]);
    check(PENDULUM, "{ \"q\": [1, 2, 3] }", &["`q` takes 2 numbers, found 3"]);
    check(PENDULUM, "{ \"qd\": { \"q1\": [1, 2] } }", &["`q1` of `qd` takes 1 number, found 2"]);
    check(PENDULUM, "{ \"t\": \"soon\" }", &["`t` must be a number, found a text"]);
    check(PENDULUM, "{ \"q\": [1, 1e999] }", &["number out of range"]);
    check(PENDULUM, "{ \"q\": [1, NaN] }", &["line 1, column 12"]);
    check(PENDULUM, "{ \"parameters\": { \"l\": 1 } }", &["there is no parameter `l`"]);
    let top = "examples/heavy_top.toml";
    check(top, "{ \"q\": { \"attitude\": [0, 0, 0, 0] } }", &["joint `attitude` is zero"]);
    check(top, "{ \"q\": { \"attitude\": 1 } }", &["must be a list of 4 numbers, found a number"]);
    refused(&["eval", PENDULUM, "mass", "--state", "no/such"], &["cannot read no/such"]);
}

#[test]
fn quaternions_get_unit_length() {
    let folder = Folder::new("quaternion");
    let file = folder.path("state.json");
    std::fs::write(&file, "{ \"q\": { \"attitude\": [2, 0, 0, 0] } }").expect("a writable folder");
    let words = ["eval", "examples/heavy_top.toml", "bias", "--state", &file, "--json"];
    let answer = run(&words);
    assert!(answer.err.starts_with("warning: ") && answer.err.contains("has the length 2;"));
    let report: Value = serde_json::from_str(&answer.out).expect("valid JSON");
    assert_eq!(report["state"]["q"]["attitude"], serde_json::json!([1.0, 0.0, 0.0, 0.0]));
}

/// Digits that must be the same on every machine, and for ever.
#[test]
fn random_states_are_reproducible() {
    let words = ["eval", "examples/heavy_top.toml", "bias", "--random", "1"];
    let shown = run(&[&words[..], &["--show-state"]].concat()).out;
    let state: Value = serde_json::from_str(&shown).expect("valid JSON");
    let parts = state["q"]["attitude"].as_array().expect("four numbers");
    let squares: f64 = parts.iter().filter_map(Value::as_f64).map(|part| part * part).sum();
    assert!((squares - 1.0).abs() < 1e-15);
    assert_eq!(state["qd"]["attitude"][0], -0.4289826312060667);
    assert!(shown.starts_with("{\n  \"t\": 0.0,\n  \"q\": {\n"), "{shown}");
    // From a file, the state gives the same numbers to the last bit.
    let folder = Folder::new("random");
    let file = folder.path("state.json");
    std::fs::write(&file, &shown).expect("a writable folder");
    let first = json(&[&words[..], &["--json"]].concat());
    let again = json(&["eval", "examples/heavy_top.toml", "bias", "--state", &file, "--json"]);
    assert_eq!(first, again);
    assert_ne!(
        first,
        json(&["eval", "examples/heavy_top.toml", "bias", "--random", "2", "--json"])
    );
}

#[test]
fn parameters_can_be_set() {
    let mass = |set: &str| {
        json(&["eval", PENDULUM, "mass", "--set", set, "--json"])["outputs"]["M"].clone()
    };
    assert_eq!(mass("m=1")[0][0], 1.0);
    assert_eq!(mass("m=2*3")[0][0], 6.0);
    // A matrix stays one, however small.
    let one = json(&["eval", "examples/pendulum.toml", "mass", "--set", "L=2", "--json"]);
    assert!(one["outputs"]["M"][0][0].is_f64(), "{one}");
    let set = |word| ["eval", PENDULUM, "mass", "--set", word];
    refused(&set("mm=1"), &["there is no parameter `mm`", "did you mean `m`?"]);
    refused(&set("m=heavy"), &["--set m=heavy: `heavy` is not a number"]);
    refused(&set("m"), &["missing `=`"]);
    // Numbers are SI; those with a unit become SI.
    assert_eq!(mass("m=2500 g")[0][0], 2.5);
    assert_eq!(mass("m = 1 t")[0][0], 1000.0);
    refused(&set("m=3 gk"), &["--set m=3 gk: there is no unit `gk`", "did you mean `"]);
    refused(&set("m=3kg"), &["`3kg` is not a number", "a blank stands before a unit: \"3 kg\""]);
    refused(
        &set("m=3 mm"),
        &["--set m=3 mm: `mm` is of another dimension than `m`, which is in `kg`"],
    );
}

/// Verbs that take `--set` all read units.
#[test]
fn units_of_set_are_read_by_every_verb() {
    let folder = Folder::new("set-units");
    let out = folder.path("code");
    let code = ["--lang", "c", "--out", out.as_str()];
    let generate = [&["generate", PENDULUM, "--set", "L=437 mm"][..], &code].concat();
    assert_eq!(run(&generate).code, Some(0));
    let header = std::fs::read_dir(&out).expect("written").map(|file| file.expect("there").path());
    let texts = header.map(|path| std::fs::read_to_string(path).expect("text"));
    assert!(texts.into_iter().any(|text| text.contains("0.437")), "0.437 m stand in the code");
    let simulate = ["simulate", PENDULUM, "--to", "0.01", "--set", "L=500 mm"];
    assert_eq!(run(&simulate).code, Some(0));
    let study = ["study", PENDULUM, "--to", "0.01", "--dt", "1e-3", "--set", "L=500 mm", "--vary"];
    assert_eq!(run(&[&study[..], &["m=500 g..2 kg:2"]].concat()).code, Some(0));
    let wrong = run(&[&study[..], &["q2=5 mm..20 mm:2"]].concat());
    assert!(
        wrong.err.contains("`mm` is of another dimension than `q2`, which is in `rad`"),
        "{}",
        wrong.err
    );
}

/// A model whose spring is foreign code.
const FOREIGN: &str = r#"
[model]
name = "foreign"

[[external]]
name = "tyre"
arguments = ["z"]

[[body]]
name = "block"
parent = "ground"
joint = { name = "z", type = "prismatic", axis = "z", effort = "tyre(q)" }
mass = 2
"#;

#[test]
fn foreign_functions_have_no_numbers() {
    let answer = run_with_input(&["eval", "-", "inverse"], FOREIGN.as_bytes());
    let err = "error: `inverse` needs the external function `tyre`, which has no definition in this program\n  \
               = help: supply it by --laws; `tyre` is called by the law of joint `z`\n";
    assert_eq!(answer, Run { code: Some(1), out: String::new(), err: err.into() });
    let mass = run_with_input(&["eval", "-", "mass"], FOREIGN.as_bytes());
    assert_eq!((mass.code, mass.out.as_str()), (Some(0), "M\n     z\n  z  2\n"), "{}", mass.err);
    let equations = run_with_input(&["equations", "-"], FOREIGN.as_bytes());
    assert!(equations.out.contains("\nz.dd = (tyre(z) - 19.62)/2\n"), "{}", equations.out);
}

#[test]
fn numbers_that_are_none_are_named() {
    let model = FOREIGN.replace("tyre(q)\"", "1/q\"");
    let answer = run_with_input(&["eval", "-", "efforts"], model.as_bytes());
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), "warning: `effort` of z is inf\n"));
    let answer = run_with_input(&["eval", "-", "efforts", "--json"], model.as_bytes());
    assert!(answer.out.contains("null"), "{}", answer.out);
}

#[test]
fn driven_joints_move_as_time_says() {
    let model = FOREIGN.replace(", effort = \"tyre(q)\"", "")
        + "[[motion]]\njoint = \"z\"\nq = \"3*t^2\"\n";
    let folder = Folder::new("driven");
    let (file, state) = (folder.path("model.toml"), folder.path("state.json"));
    std::fs::write(&file, model).expect("a writable folder");
    std::fs::write(&state, "{ \"t\": 2, \"q\": { \"z\": 1 } }").expect("a writable folder");
    let answer = run(&["eval", &file, "inverse", "--state", &state, "--json"]);
    assert!(
        answer.err.ends_with("joint `z` is driven, so `z` of `q` is not used\n"),
        "{}",
        answer.err
    );
    let report: Value = serde_json::from_str(&answer.out).expect("valid JSON");
    let state = &report["state"];
    assert_eq!([&state["q"]["z"], &state["qd"]["z"], &state["qdd"]["z"]], [12.0, 12.0, 6.0]);
    let effort = report["outputs"]["effort"][0].as_f64().expect("a number");
    assert!((effort - 2.0 * (6.0 + 9.81)).abs() < 1e-12, "{effort}");
}

#[test]
fn counts_are_a_table_and_json() {
    let answer = run(&["count", "examples/puma560.toml"]);
    assert_eq!(answer.code, Some(0));
    assert!(answer.out.lines().all(|line| line.chars().count() <= 80), "{}", answer.out);
    let report = json(&["count", "examples/puma560.toml", "--json"]);
    let rows = report["counts"].as_array().expect("a list");
    for function in ["inverse", "mass", "bias", "mass_bias", "gravity", "coriolis"] {
        let own = || rows.iter().filter(|row| row["function"] == function);
        let cheapest: Vec<_> = own().filter(|row| row["cheapest"] == true).collect();
        assert_eq!(cheapest.len(), 1, "{function}");
        for row in own() {
            let sum: u64 =
                ["+", "-", "*", "/"].iter().filter_map(|key| row["evaluation"][key].as_u64()).sum();
            assert_eq!(Some(sum), row["operations"].as_u64());
            let trig: u64 =
                ["sin", "cos"].iter().filter_map(|key| row["evaluation"][key].as_u64()).sum();
            assert_eq!(Some(trig), row["functions"].as_u64());
            // What is shown is what is counted.
            let line =
                answer.out.lines().skip_while(|line| !line.starts_with(&format!("{function} ")));
            let formalism = row["formalism"].as_str().expect("a name");
            let line = line.take(3).find(|line| line.contains(formalism)).expect("a line");
            assert!(line.split_whitespace().any(|word| word == sum.to_string()), "{line}");
        }
    }
    let one = json(&["count", PENDULUM, "--functions", "mass, gravity", "--json"]);
    assert_eq!(one["counts"].as_array().map(Vec::len), Some(4));
}

/// Counting a function after others is counting it alone.
#[test]
fn counts_do_not_depend_on_company() {
    let alone = json(&["count", "examples/puma560.toml", "--functions", "bias", "--json"]);
    let all = json(&["count", "examples/puma560.toml", "--json"]);
    for row in alone["counts"].as_array().expect("a list") {
        assert!(all["counts"].as_array().expect("a list").contains(row), "{row}");
    }
}

#[test]
fn bad_requests_are_told() {
    check_failure(
        &["eval", PENDULUM, "masss"],
        "error: there is no function `masss`\n  = help: did you mean `mass`?\n",
    );
    check_failure(
        &["eval", PENDULUM, "kinetic"],
        "error: there is no function `kinetic`\n  = help: did you mean `kinetic_energy`?\n",
    );
    check_failure(
        &["eval", PENDULUM, "position(rod.tp)"],
        "error: there is no point `rod.tp`\n  = help: did you mean `rod.tip`?\n",
    );
    refused(&["equations", PENDULUM, "jacobian(hand)"], &["there is no place `hand`"]);
    refused(
        &["count", PENDULUM, "--functions", "mass,,bias"],
        &["--functions: something is missing"],
    );
    refused(
        &["eval", PENDULUM, "mass", "--formalism", "articulated-body"],
        &["`mass` has no articulated-body formalism"],
    );
    refused(&["equations", PENDULUM, "--formalism", "mixed"], &["has no mixed formalism"]);
    for words in [
        &["eval", PENDULUM][..],
        &["eval", PENDULUM, "mass", "--random", "x"],
        &["eval", PENDULUM, "mass", "--random", "1", "--state", "x"],
        &["eval", PENDULUM, "mass", "--formalism", "kane"],
    ] {
        assert_eq!(run(words).code, Some(2), "{words:?}");
    }
    let broken = run_with_input(&["count", "-"], b"[model]\nname = 1\n");
    assert_eq!((broken.code, broken.out.as_str()), (Some(1), ""));
}

#[test]
fn help_lists_every_function() {
    let help = run(&["eval", "--help"]).out;
    for row in FUNCTIONS {
        assert!(help.contains(&format!("\n  {}", row.name)), "{}", row.name);
        assert!(help.contains(row.about.split(' ').next().unwrap_or_default()), "{}", row.about);
    }
}

/// A chain whose mass matrix is too large to factor: articulated bodies still count, and the others
/// are told.
#[test]
fn a_formalism_that_refuses_does_not_stop_a_count() {
    let mut model = "[model]\nname = \"chain\"\n".to_owned();
    let mut parent = "ground".to_owned();
    for number in 1..=300 {
        let axis = if number % 2 == 0 { "x" } else { "z" };
        model += &format!(
            "[[body]]\nname = \"b{number}\"\nparent = \"{parent}\"\nmass = 1\n\
             joint = {{ name = \"q{number}\", type = \"revolute\", axis = \"{axis}\" }}\n\
             inertia = {{ xx = 1, yy = 1, zz = 1 }}\n"
        );
        parent = format!("b{number}");
    }
    let folder = Folder::new("chain");
    let file = folder.path("chain.toml");
    std::fs::write(&file, model).expect("a writable folder");
    let report = json(&["count", &file, "--functions", "forward", "--json"]);
    let counted = report["counts"].as_array().expect("a list");
    assert_eq!(counted.len(), 1, "{report}");
    assert_eq!(
        (&counted[0]["formalism"], &counted[0]["cheapest"]),
        (&"articulated-body".into(), &true.into())
    );
    let told = report["refused"].as_array().expect("a list");
    let names: Vec<_> = told.iter().map(|one| one["formalism"].as_str()).collect();
    assert_eq!(names, [Some("newton-euler"), Some("barycentric")]);
    assert!(told[0]["reason"].as_str().is_some_and(|reason| reason.contains("mass matrix")));
    // Where no formalism is left, that is an error.
    refused(
        &["count", &file, "--functions", "inverse_mass"],
        &["factoring the mass matrix for `inverse_mass`"],
    );
    // Of the usual functions, matrices are left out of so large a model.
    let answer = run(&["count", &file]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    for name in ["mass", "mass_bias", "inverse_mass", "tangent"] {
        let line = format!("\n  {name}: left out for 300 speeds; --functions asks for it\n");
        assert!(answer.out.contains(&line), "{}", answer.out);
    }
    assert!(answer.out.contains("\n  forward (newton-euler): "), "{}", answer.out);
}

/// A wheel on hills and a spring; the six speeds of the free joint must not lend their names to
/// forces.
const HILLS: &str = r#"
[model]
name = "hills"

[parameters]
m = 2

[[body]]
name = "hull"
parent = "ground"
joint = { name = "float", type = "free" }
mass = "m"
inertia = { xx = 1, yy = 1, zz = 1 }

[[wheel]]
name = "front"
body = "rim"
radius = 0.3
ground = "0.1*sin(x)"
vertical = "100*depth"

[[body]]
name = "rim"
parent = "ground"
joint = { name = "roll", type = "revolute", axis = "y" }
mass = 1
inertia = { xx = 0.1, yy = 0.1, zz = 0.1 }

[[line_force]]
name = "spring"
between = ["ground", "hull"]
force = "3*Z"
"#;

#[test]
fn rows_and_columns_are_named_by_what_they_are() {
    let folder = Folder::new("labels");
    let file = folder.path("hills.toml");
    std::fs::write(&file, HILLS.replace("0.1*sin(x)", "0")).expect("a writable folder");
    let eval = |function: &str| {
        let answer = run(&["eval", &file, function]);
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{function}");
        answer.out
    };
    // The first words of all lines with indents.
    let heads = |out: &str| -> Vec<String> {
        let lines = out.lines().filter(|line| line.starts_with(' '));
        lines.filter_map(|line| line.split_whitespace().next()).map(str::to_owned).collect()
    };
    let columns = |out: &str| -> Vec<String> {
        out.lines().nth(1).unwrap_or("").split_whitespace().map(str::to_owned).collect()
    };
    let out = eval("reactions");
    assert_eq!(columns(&out), ["Fx", "Fy", "Fz", "Tx", "Ty", "Tz"]);
    assert_eq!(heads(&out), ["Fx", "hull", "rim"]);
    let state = folder.path("state.json");
    let text =
        r#"{ "q": { "float": [2, 0, 0, 1, 0, 0, 0] }, "qd": { "float": [0.5, 0, 0, 0, 0, 0] } }"#;
    std::fs::write(&state, text).expect("a writable folder");
    check(
        &["eval", &file, "line_force(spring)", "--state", &state],
        "length = 2\nrate = 0.5\nforce = 6\n",
    );
    let out = eval("wheel(front)");
    assert!(out.starts_with("depth = 0.3\ndepth_rate = 0\n"), "{out}");
    let force = ["forward", "left", "normal"];
    assert_eq!(heads(&out), [&force[..], &force, &["x", "y", "z"]].concat());
    assert_eq!(heads(&eval("momentum")), ["x", "y", "z", "x", "y", "z"]);
    let out = eval("regressor");
    assert_eq!(columns(&out)[..3], ["hull.m", "hull.mx", "hull.my"]);
    assert_eq!(columns(&out).last().map(String::as_str), Some("roll.armature"));
    assert_eq!(heads(&eval("parameters"))[9..11], ["hull.Izz", "rim.m"]);
    let speeds = ["vx", "vy", "vz", "wx", "wy", "wz"].map(|part| format!("float.{part}"));
    let speeds = [&speeds[..], &["roll".to_owned()]].concat();
    let out = eval("derivative(rotation(rim), q)");
    assert_eq!(columns(&out), speeds);
    assert_eq!(heads(&out)[1..5], ["x,x", "x,y", "x,z", "y,x"]);
    let out = eval("derivative(kinetic_energy, qd)");
    assert_eq!(
        (columns(&out), &heads(&out)[1..]),
        (speeds.clone(), &["kinetic_energy".into()][..])
    );
    assert_eq!(columns(&eval("derivative(bias, m)")), ["m"]);
    assert_eq!(columns(&eval("derivative(mass, m)")), speeds);
    let out = eval("kinematic_map");
    assert_eq!(
        (columns(&out), &heads(&out)[1..3]),
        (speeds, &["float.x".into(), "float.y".into()][..])
    );
    let report = json(&["eval", &file, "wheel(front)", "--json"]);
    assert_eq!(report["outputs"]["depth"], 0.3);
    assert_eq!(report["outputs"]["force"].as_array().map(Vec::len), Some(3));
}

#[test]
fn unknowns_of_equations_are_defined() {
    let answer = run_with_input(&["equations", "-", "wheel(front)"], HILLS.as_bytes());
    let remark = "# contact[front].x, contact[front].y: found by iteration, so that these vanish: \
                  residual[1], residual[2]\n";
    assert!(answer.out.contains(remark), "{}", answer.out);
    // The wheel's centre is the ground's origin, and the slope there is 0.1*cos(x): the contact is
    // the foot of the normal through the centre.
    let expected = "residual[1] = -contact[front].y\n\
                    residual[2] = contact[front].x + 0.01*\
                    cos(contact[front].x)*sin(contact[front].x)\n";
    assert!(answer.out.ends_with(expected), "{}", answer.out);
    let flat = HILLS.replace("0.1*sin(x)", "0");
    let answer = run_with_input(&["equations", "-", "wheel(front)"], flat.as_bytes());
    assert!(!answer.out.contains("residual") && !answer.out.contains("contact["), "{}", answer.out);
}

#[test]
fn a_model_without_joints_has_empty_matrices() {
    let folder = Folder::new("fixed");
    let model = folder.file(
        "fixed.toml",
        "[model]\nname = \"fixed\"\n[[body]]\nname = \"a\"\nparent = \"ground\"\nmass = 2\npoints.p = [0, 1, 0]\n",
    );
    for function in ["mass", "inverse", "tangent", "jacobian(a.p)", "kinematic_map"] {
        let answer = run(&["eval", &model, function]);
        assert_eq!(answer.code, Some(0), "{function}: {}", answer.err);
        assert!(answer.out.contains("empty"), "{function}: {}", answer.out);
    }
}

#[test]
fn a_wheel_high_above_hills_has_no_force() {
    let folder = Folder::new("hills");
    let model = folder.file(
        "hills.toml",
        "[model]\nname = \"hills\"\n[[body]]\nname = \"hub\"\nparent = \"ground\"\n\
         joint = [{ name = \"x\", type = \"prismatic\", axis = \"x\" }, { name = \"y\", type = \"prismatic\", axis = \"y\" }, \
         { name = \"z\", type = \"prismatic\", axis = \"z\" }]\nmass = 1\n\
         [[body]]\nname = \"w\"\nparent = \"hub\"\nrotation = [0.6, 0, 0.5]\n\
         joint = { name = \"spin\", type = \"revolute\", axis = \"y\" }\nmass = 1\n\
         inertia = { xx = 0.1, yy = 0.1, zz = 0.1 }\n\
         [[wheel]]\nname = \"w\"\nbody = \"w\"\nradius = 0.3\nground = \"0.1*sin(x)*cos(2*y)\"\nvertical = \"1e4*depth\"\n",
    );
    for (at, z) in [(1.93, 4.0), (0.3, 8.0), (-2.0, 16.0)] {
        let state = folder.file("s.json", &format!("{{\"q\": [{at}, 3.49, {z}, 0]}}"));
        let answer = run(&["eval", &model, "forward", "--state", &state, "--json"]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let found: Value = serde_json::from_str(&answer.out).expect("valid JSON");
        let fall = found["outputs"]["qdd"][2].as_f64().expect("a number");
        assert!((fall + 9.81).abs() < 1e-12, "{fall}");
    }
}

#[test]
fn numbers_of_an_open_tree_are_said_to_be() {
    let answer = run(&["eval", "examples/slider_crank.toml", "inverse"]);
    assert_eq!(answer.code, Some(0));
    assert!(answer.err.contains("open tree"), "{}", answer.err);
    refused(&["eval", "examples/slider_crank.toml", "reactions"], &["`pin`", "open trees"]);
}

/// At a dead centre the crank does not follow from the piston: numbers would be noise.
#[test]
fn states_at_which_the_partition_is_singular_are_refused() {
    let model = "examples/slider_crank.toml";
    let folder = Folder::new("dead_centre");
    let dead = folder.file("dead.json", r#"{ "q": { "q1": 0 } }"#);
    let near = folder.file("near.json", r#"{ "q": { "q1": 0.001 } }"#);
    for function in ["forward", "reduction", "closure"] {
        let eval = |state: &str, independent: &str| {
            run(&["eval", model, function, "--independent", independent, "--state", state]).code
        };
        assert_eq!(eval(&near, "q3"), Some(0), "{function}");
        assert_eq!(eval(&dead, "q1"), Some(0), "{function}");
        refused(
            &["eval", model, function, "--independent", "q3", "--state", &dead],
            &[&format!("`{function}`"), "singular", "`q3`", "--independent"],
        );
    }
    let free = &["eval", model, "augmented", "--independent", "q3", "--state", &dead];
    assert_eq!(run(free).code, Some(0), "equations that need no partition");
}

/// A motor with a controller has two states besides angle and speed, which functions take and give.
#[test]
fn states_are_taken_and_given() {
    const MOTOR: &str = "examples/motor_pendulum.toml";
    let folder = Folder::new("states");
    let file = folder.path("state.json");
    let state = r#"{ "q": { "angle": 0.4 }, "qd": [-0.3], "state": { "e": 2, "i": 0.7 } }"#;
    std::fs::write(&file, state).expect("a writable folder");
    let report = json(&["eval", MOTOR, "states", "--state", &file, "--json"]);
    let found = report["outputs"]["rate"].as_array().expect("a list");
    let current = (20.0 * 0.3 + 2.0 + 3.0 * 0.3 - 1.5 * 0.7 + 0.8 * 0.3) / 0.02;
    for (found, expected) in found.iter().zip([15.0 * 0.3, current]) {
        let found = found.as_f64().expect("a number");
        assert!((found - expected).abs() < 1e-9 * expected, "{found} {expected}");
    }
    assert_eq!(report["state"]["state"]["i"], 0.7);
    let rows = json(&["count", MOTOR, "--functions", "motion,derivative(motion, state)", "--json"]);
    assert!(rows["counts"].as_array().is_some_and(|rows| !rows.is_empty()));
    refused(&["eval", MOTOR, "derivative(states, stat)"], &["there is no variable", "`state`"]);
}
