//! `--laws` and `rotule laws`: laws in C and Python move a mechanism as the same law as an
//! expression does, and whatever is wrong with them is told.

mod common;

use common::{Folder, run};

/// A pendulum with a law, and its declaration if the law is external.
fn model(law: &str, declared: &str) -> String {
    format!(
        "[model]\nname = \"arm\"\ngravity = [0, 0, -9.81]\n{declared}\n[[body]]\nname = \"arm\"\nparent = \"ground\"\n\
         joint = {{ name = \"q\", type = \"revolute\", axis = \"y\", effort = \"{law}\" }}\n\
         mass = 1\ncom = [0, 0, -1]\n[initial.q]\nq = 0.5\n"
    )
}

const EXTERNAL: &str =
    "[[external]]\nname = \"drive\"\narguments = [\"angle\", \"speed\", \"t\"]\nresults = 2\n";

fn external(folder: &Folder) -> String {
    folder.file("external.toml", &model("drive(q, qd, t)[2]", EXTERNAL))
}

const IN_C: &str = "#include <math.h>\n\
    void drive(const double *x, double *y)\n{ y[0] = 0; y[1] = -3*x[0] - 0.5*x[1] + sin(x[2]); }\n\
    void drive_derivative(const double *x, double *y)\n{ y[0] = 0; y[1] = -3*x[3] - 0.5*x[4] + cos(x[2])*x[5]; }\n";
const IN_PYTHON: &str = "import math\n\
    def drive(angle, speed, t):\n    return 0, -3*angle - 0.5*speed + math.sin(t)\n\
    def drive_derivative(angle, speed, t, da, ds, dt):\n    return 0, -3*da - 0.5*ds + math.cos(t)*dt\n";

/// Rows of a run, as numbers.
fn rows(words: &[&str]) -> Vec<f64> {
    let answer = run(words);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let lines = answer.out.lines().skip(1);
    lines.flat_map(|line| line.split(',').map(|word| word.parse().unwrap())).collect()
}

fn close(left: &[f64], right: &[f64], tolerance: f64) {
    assert_eq!(left.len(), right.len());
    for (l, r) in left.iter().zip(right) {
        assert!((l - r).abs() <= tolerance * (1.0 + r.abs()), "{l} {r}");
    }
}

#[test]
fn laws_move_as_the_same_expression_does() {
    let folder = Folder::new("laws");
    let plain = folder.file("plain.toml", &model("-3*q - 0.5*qd + sin(t)", ""));
    let (external, c, python) =
        (external(&folder), folder.file("l.c", IN_C), folder.file("l.py", IN_PYTHON));
    for method in ["rk4", "radau"] {
        let same = ["--to", "1", "--every", "0.25", "--out", "-", "-q", "--method", method];
        let same = [&same[..], if method == "rk4" { &["--dt", "0.01"] } else { &[] }].concat();
        let expected = rows(&[&["simulate", &plain][..], &same].concat());
        for laws in [&c, &python] {
            let found = rows(&[&["simulate", &external, "--laws", laws][..], &same].concat());
            close(&found, &expected, 1e-12);
        }
    }
    let by = |laws: &[&str]| {
        let model = if laws.is_empty() { &plain } else { &external };
        let words = [&["eval", model, "derivative(forward, q)", "--json"], laws].concat();
        let answer = run(&words);
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{words:?}");
        let outputs = answer.out.find("\"outputs\"").expect("numbers");
        answer.out[outputs..].to_owned()
    };
    assert_eq!(by(&["--laws", &c]), by(&[]));
    assert_eq!(by(&["--laws", &python]), by(&[]));
}

#[test]
fn a_study_and_two_files_take_laws_too() {
    let folder = Folder::new("laws-study");
    let text = model(
        "drive(q, qd, t)[2] + brake(qd)",
        &format!("{EXTERNAL}[[external]]\nname = \"brake\"\narguments = [\"speed\"]\n"),
    );
    let model = folder.file("two.toml", &text);
    let c = folder.file("l.c", IN_C);
    let python = folder.file("l.py", "def brake(speed):\n    return -speed\n");
    let words = [
        "study", &model, "--laws", &c, "--laws", &python, "--to", "0.2", "--dt", "0.01", "--vary",
        "q=0..1:3",
    ];
    let answer = run(&words);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    // One of them alone leaves a function without a definition, which is named with the remedy.
    let answer = run(&["simulate", &model, "--laws", &c, "--to", "0.1"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.err.contains("`brake`") && answer.err.contains("--laws"), "{}", answer.err);
    // The same function twice is ambiguous.
    let answer = run(&["simulate", &model, "--laws", &c, "--laws", &c, "--to", "0.1"]);
    assert_eq!(answer.code, Some(6));
    assert!(
        answer.err.contains("law `drive`") && answer.err.contains("stands also in"),
        "{}",
        answer.err
    );
}

#[test]
fn derivatives_by_differences_are_told() {
    let folder = Folder::new("laws-differences");
    let plain = IN_PYTHON.split("def drive_derivative").next().unwrap();
    let (model, python) = (external(&folder), folder.file("l.py", plain));
    let words = ["eval", &model, "derivative(forward, q)", "--laws", &python];
    let answer = run(&words);
    assert_eq!(answer.code, Some(0));
    assert!(
        answer.err.contains("law `drive`") && answer.err.contains("`drive_derivative`"),
        "{}",
        answer.err
    );
    let answer = run(&["eval", &model, "forward", "--laws", &python]);
    assert_eq!(answer.err, "");
}

#[test]
fn whatever_is_wrong_with_a_law_file_is_told() {
    let folder = Folder::new("laws-wrong");
    let model = external(&folder);
    let c =
        |body: &str| format!("void drive(const double *x, double *y)\n{{ y[0] = 0; {body} }}\n");
    let python = |body: &str| format!("def drive(angle, speed, t):\n    {body}\n");
    let cases = [
        ("syntax.c", c("y[1] = ;"), "does not compile"),
        ("crash.c", c("*(volatile int*)0 = 1;"), "law `drive` of"),
        ("start.c", "#include <stdlib.h>\n__attribute__((constructor)) void f(void) { abort(); }\nvoid drive(const double *x, double *y) {}\n".to_owned(), "crashed"),
        ("nan.c", c("y[1] = 0.0/(x[0]-x[0]);"), "gave 0.0, "),
        ("many.c", c("y[1] = y[2] = 0;"), "writes beyond its results, of which the model declares 2"),
        ("few.c", c(""), "gives 1 results, and the model declares 2"),
        ("reads.c", c("y[1] = x[7];"), "uses more arguments than the 3"),
        ("none.c", "void drives(void) {}\n".to_owned(), "has none of the functions that the model calls: drive"),
        ("empty.py", String::new(), "has none of the functions"),
        ("syntax.py", python("return ("), "SyntaxError"),
        ("end.py", "raise SystemExit(3)\n".to_owned(), "line 1: SystemExit: 3"),
        ("exit.py", python("import os; os._exit(3)"), "its process ended with exit status: 3"),
        ("nan.py", python("return 0, float('nan')"), "gave 0.0, NaN at (0.5, 0.0, 0.0)"),
        ("arity.py", "def drive(angle):\n    return 0, 0\n".to_owned(), "takes 1 argument, and the model calls it with 3"),
        ("results.py", python("return 1"), "gives 1 results, and the model declares 2"),
        ("raise.py", python("return 0, 1/(t - t)"), "line 2: ZeroDivisionError"),
        ("text.py", python("return ['a']"), "could not convert"),
        ("none.py", python("pass"), "failed: TypeError: it returned None, not a number or a list"),
        ("string.py", python("return '12'"), "it returned '12', not a number"),
        ("complex.py", python("return 1j, 2"), "not 'complex'"),
        ("long.py", python("return [0.0]*1000000"), "gives 1000000 results, and the model"),
        ("closed.py", python("import os; os.closerange(3, 99)\n    while True: pass"), "answers no more"),
        // What a law prints is not taken for what is told about it.
        ("prints.c", format!("#include <stdio.h>\n{}", c("puts(\"end\"); fflush(stdout); *(volatile int*)0 = 1;")), "law `drive` of"),
        ("laws.txt", String::new(), "expected one of .c, .so, .py"),
        ("junk.so", "junk".to_owned(), "cannot be loaded"),
    ];
    for (name, text, message) in cases {
        let file = folder.file(name, &text);
        let answer = run(&["simulate", &model, "--laws", &file, "--to", "0.1"]);
        assert_eq!(answer.code, Some(6), "{name}: {}", answer.err);
        assert!(
            answer.err.contains(message) && answer.err.contains(name),
            "{name}: {}",
            answer.err
        );
    }
    let answer = run(&["simulate", &model, "--laws", &folder.path("no.py"), "--to", "0.1"]);
    assert!(answer.code == Some(6) && answer.err.contains("cannot be read"), "{}", answer.err);
}

#[test]
fn calls_that_do_not_return_end_after_their_time() {
    let folder = Folder::new("laws-endless");
    let model = external(&folder);
    for (name, text) in [
        ("endless.c", "void drive(const double *x, double *y)\n{ for (;;) y[0] += 1; }\n"),
        ("endless.py", "def drive(angle, speed, t):\n    while True: pass\n"),
        (
            "prints.c",
            "#include <stdio.h>\nvoid drive(const double *x, double *y)\n{ for (;;) { puts(\"x\"); fflush(stdout); } }\n",
        ),
    ] {
        let file = folder.file(name, text);
        let answer = run(&["simulate", &model, "--laws", &file, "--to", "0.1"]);
        assert_eq!(answer.code, Some(6), "{name}: {}", answer.err);
        assert!(answer.err.contains("did not return within 5 s"), "{name}: {}", answer.err);
    }
}

/// A process of a law in Python ends with the run, even in the middle of a call.
#[cfg(target_os = "linux")]
#[test]
fn nothing_is_left_of_a_run_that_was_killed() {
    let folder = Folder::new("laws-killed");
    let (model, told) = (external(&folder), folder.path("number"));
    let text = format!(
        "import os\ndef drive(angle, speed, t):\n    open({told:?} + '.part', 'w').write(str(os.getpid()))\n    \
         os.rename({told:?} + '.part', {told:?})\n    while True: pass\n"
    );
    let file = folder.file("endless.py", &text);
    let words = ["simulate", &model, "--laws", &file, "--to", "1", "-q"];
    let mut run = common::command(&words).spawn().expect("the program starts");
    let wait = |until: &dyn Fn() -> bool| {
        for _ in 0..400 {
            if until() {
                return true;
            }
            std::thread::sleep(std::time::Duration::from_millis(50));
        }
        false
    };
    assert!(wait(&|| std::path::Path::new(&told).exists()), "no call");
    run.kill().expect("it runs");
    run.wait().expect("it ended");
    let number = std::fs::read_to_string(&told).expect("a number");
    // What has ended may still be listed until somebody asks how.
    let lives = || {
        let status = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        !(status.is_empty() || status.contains(") Z "))
    };
    assert!(wait(&|| !lives()), "the process {number} lives on");
}

#[test]
fn words_of_a_language_name_no_laws() {
    let folder = Folder::new("laws-words");
    let text = EXTERNAL.replace("drive", "lambda");
    let file = folder.file("m.toml", &model("lambda(q, qd, t)[2]", &text));
    let answer = run(&["laws", &file, "--out", &folder.path("l.py")]);
    assert!(answer.code == Some(1), "{}", answer.err);
    assert!(answer.err.contains("`lambda` is a word of Python"), "{}", answer.err);
    assert_eq!(run(&["laws", &file, "--out", &folder.path("l.c")]).code, Some(0));
}

#[test]
fn skeletons_are_complete_law_files() {
    let folder = Folder::new("laws-skeleton");
    let model = external(&folder);
    let free = folder.file("free.toml", &crate::model("0", ""));
    let words = ["simulate", &free, "--to", "0.5", "--every", "0.25", "--out", "-", "-q"];
    let expected = rows(&words);
    for name in ["laws.c", "laws.py"] {
        let file = folder.path(name);
        let answer = run(&["laws", &model, "--out", &file]);
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
        let words = [
            "simulate", &model, "--laws", &file, "--to", "0.5", "--every", "0.25", "--out", "-",
            "-q",
        ];
        close(&rows(&words), &expected, 1e-12);
        let again = run(&["laws", &model, "--out", &file]);
        assert!(again.code == Some(4) && again.err.contains("--force"), "{}", again.err);
    }
    let answer = run(&["laws", &model, "--out", &folder.path("laws.rs")]);
    assert!(answer.code == Some(2) && answer.err.contains("C or Python"), "{}", answer.err);
    let answer = run(&["laws", &free, "--out", &folder.path("free.c")]);
    assert!(
        answer.code == Some(1) && answer.err.contains("no external function"),
        "{}",
        answer.err
    );
}

#[test]
fn laws_of_an_imported_model_have_the_names_of_its_user_functions() {
    let folder = Folder::new("laws-mbs");
    let file = folder.path("laws.py");
    let answer = run(&["laws", "examples/formats/arm.mbs", "--out", &file]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let text = std::fs::read_to_string(&file).expect("the file that was written");
    assert!(text.contains("def user_JointForces(q, qd, t, joint):"), "{text}");
    let words = ["simulate", "examples/formats/arm.mbs", "--laws", &file, "--to", "0.1", "-q"];
    assert_eq!(run(&words).code, Some(0));
    // With a body, the law is that of an expression.
    let law = text.replace("return 0.0", "return -3*joint*q - 0.4*qd + 0.2*math.sin(3*t)");
    let law = folder.file("law.py", &law.replace("def user", "import math\n\n\ndef user"));
    let answer = run(&["convert", "examples/formats/arm.mbs", "--out", &folder.path("arm.toml")]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let mut converted = std::fs::read_to_string(folder.path("arm.toml")).expect("a model");
    for joint in ["1", "2"] {
        let call = format!("user_JointForces(q, qd, t, {joint})");
        assert!(converted.contains(&call), "{converted}");
        let expression = format!("-3*{joint}*q - 0.4*qd + 0.2*sin(3*t)");
        converted = converted.replace(&call, &expression);
    }
    let plain = folder.file("plain.toml", &converted);
    let motion = ["--to", "2", "--dt", "1e-3", "--method", "rk4", "--out", "-"];
    let by_law = ["simulate", "examples/formats/arm.mbs", "--laws", &law];
    let by_law = rows(&[&by_law[..], &motion].concat());
    close(&by_law, &rows(&[&["simulate", &plain][..], &motion].concat()), 1e-12);
}

/// A point on a circle, whose constraint an external function gives.
fn on_a_circle(constraint: &str, declared: &str) -> String {
    format!(
        "[model]\nname = \"bead\"\ngravity = [0, 0, -9.81]\n{declared}[[body]]\nname = \"bead\"\nparent = \"ground\"\n\
         joint = [{{ name = \"x\", type = \"prismatic\", axis = \"x\" }}, {{ name = \"z\", type = \"prismatic\", axis = \"z\" }}]\n\
         mass = 2\n[[constraint]]\nname = \"circle\"\nposition = \"{constraint}\"\n[initial.q]\nx = 0.6\nz = -0.7\n"
    )
}

#[test]
fn constraints_of_user_functions_close_and_move() {
    let folder = Folder::new("laws-constraint");
    let plain = folder.file("plain.toml", &on_a_circle("x^2 + z^2 - 1", ""));
    let declared = "[[external]]\nname = \"circle\"\narguments = [\"x\", \"z\"]\n";
    let model = folder.file("external.toml", &on_a_circle("circle(x, z)", declared));
    let c = folder.file(
        "l.c",
        "void circle(const double *x, double *y) { y[0] = x[0]*x[0] + x[1]*x[1] - 1; }\n\
         void circle_derivative(const double *x, double *y) { y[0] = 2*x[0]*x[2] + 2*x[1]*x[3]; }\n",
    );
    let python = folder.file("l.py", "def circle(x, z):\n    return x*x + z*z - 1\n");
    let without = run(&["check", &model]);
    assert_eq!(without.code, Some(0), "{}", without.err);
    assert!(without.out.contains("`circle`") && without.out.contains("--laws"), "{}", without.out);
    let rank = |words: &[&str]| {
        let answer = run(&[&["check"], words].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let line = answer.out.lines().find(|line| line.contains("by rank"));
        line.map(str::to_owned).unwrap_or(answer.out)
    };
    for laws in [&c, &python] {
        assert_eq!(rank(&[&model, "--laws", laws]), rank(&[&plain]));
        let closed = |words: &[&str]| -> Vec<f64> {
            let answer = run(&[&["assemble"], words].concat());
            assert_eq!(answer.code, Some(0), "{}", answer.err);
            answer.out.split_whitespace().filter_map(|word| word.parse().ok()).collect()
        };
        close(&closed(&[&model, "--laws", laws]), &closed(&[&plain]), 1e-13);
        for function in ["forward", "augmented", "closed_inverse"] {
            let values = |words: &[&str]| -> Vec<f64> {
                let answer = run(&[&["eval"], words, &[function, "--json"]].concat());
                assert_eq!(answer.code, Some(0), "{}", answer.err);
                let outputs = answer.out.split("\"outputs\"").nth(1).unwrap().to_owned();
                let words = outputs.split(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c)));
                words.filter_map(|word| word.parse().ok()).collect()
            };
            close(&values(&[&model, "--laws", laws]), &values(&[&plain]), 1e-8);
        }
        let words = |model| {
            [
                "simulate", model, "--to", "0.5", "--dt", "0.01", "--method", "rk4", "--out", "-",
                "-q",
            ]
        };
        let found = rows(&[&words(&model)[..], &["--laws", laws]].concat());
        close(&found, &rows(&words(&plain)), if laws == &c { 1e-8 } else { 1e-6 });
    }
}

#[test]
fn robotrans_user_functions_run_from_their_source() {
    let folder = Folder::new("laws-robotran");
    let path = |name| format!("{}/tests/robotran/{name}", env!("CARGO_MANIFEST_DIR"));
    let (rig, user, same) = (path("rig.mbs"), path("user.c"), path("rig.toml"));
    // Expressions have an elastic energy, laws in C have none.
    let words = |model| {
        let run = [
            "simulate", model, "--to", "0.4", "--dt", "0.01", "--method", "rk4", "--out", "-", "-q",
        ];
        [&run[..], &["--channels", "coordinates,speeds,accelerations"]].concat()
    };
    let expected = rows(&words(&same));
    close(&rows(&[&words(&rig)[..], &["--laws", &user]].concat()), &expected, 1e-12);
    // At one state they differ by rounding alone. Along runs with tolerances they differ by more:
    // the length of a step hangs on an estimate of its error that is rounding in its last digits.
    for random in ["1", "2", "3"] {
        let numbers = |words: &[&str]| -> Vec<f64> {
            let words = [&["eval"], words, &["forward", "--random", random, "--json"]].concat();
            let answer = run(&words);
            assert_eq!(answer.code, Some(0), "{}", answer.err);
            let outputs = answer.out.split("\"outputs\"").nth(1).unwrap().to_owned();
            let words = outputs.split(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c)));
            words.filter_map(|word| word.parse().ok()).collect()
        };
        let (found, expected) = (numbers(&[&rig, "--laws", &user]), numbers(&[&same]));
        // Driven joints are where the random state has them or where their laws do.
        assert!(expected.len() >= 3, "{expected:?}");
        close(&found, &expected, 1e-13);
    }
    // A model file that the importer wrote says all of it, too.
    let converted = folder.path("rig.toml");
    assert_eq!(run(&["convert", &rig, "--out", &converted]).code, Some(0));
    close(&rows(&[&words(&converted)[..], &["--laws", &user]].concat()), &expected, 1e-12);
    // Constraints of the user, whose number a file says, by their own Jacobian.
    let count = "[[external]]\nname = \"user_cons_hJ\"\narguments = []\n";
    let dependent = "[[joint]]\nname = \"T1_cart\"\npartition = \"dependent\"\n";
    let with = folder.file("count.toml", &format!("{count}{dependent}"));
    let constraint =
        "[[constraint]]\nname = \"user_1\"\nposition = \"T1_cart - 0.3*sin(R2_arm) - 0.01*t\"\n";
    let written = "[initial.qd]\nT1_cart = 0.2\nR2_arm = 0\n";
    let plain = folder.file("constraint.toml", &format!("{constraint}{dependent}{written}"));
    let expected = rows(&[&words(&same)[..], &["--with", &plain]].concat());
    let laws = ["--with", &with, "--laws", &path("constraint.c"), "--laws", &user];
    close(&rows(&[&words(&rig)[..], &laws].concat()), &expected, 1e-8);
    let answer = run(&["check", &rig, "--laws", &path("constraint.c")]);
    assert!(answer.code == Some(6) && answer.err.contains("`results`"), "{}", answer.err);
    // Without laws a driven joint is where the state has it, and what needs no law asks for none.
    let answer = run(&["eval", &rig, "mass"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let answer = run(&["eval", &rig, "bias"]);
    assert_eq!(answer.code, Some(1));
    assert!(answer.err.contains("--laws"), "{}", answer.err);
}

/// The cart-pole with a force on its cart.
fn cart_pole(force: &str, declared: &str) -> String {
    let text = include_str!("../../../examples/cart_pole.toml");
    let text = text.replace("effort = \"F\"", &format!("effort = \"{force}\""));
    format!("{text}\n{declared}")
}

/// The gains are those of a pole that stands up again.
#[test]
fn full_state_feedback_moves_alike_as_expression_and_as_law() {
    let folder = Folder::new("laws-cart-pole");
    let plain = "2.4*x + 4.6*x.d + 39*theta + 9.7*theta.d";
    let plain = folder.file("plain.toml", &cart_pole(plain, ""));
    let declared =
        "[[external]]\nname = \"feedback\"\narguments = [\"x\", \"v\", \"theta\", \"w\"]\n";
    let called = cart_pole("feedback(x, x.d, theta, theta.d)", declared);
    let model = folder.file("external.toml", &called);
    let python = folder.file(
        "l.py",
        "GAINS = (2.4, 4.6, 39.0, 9.7)\n\ndef feedback(x, v, theta, w):\n    return sum(k*s for k, s in zip(GAINS, (x, v, theta, w)))\n",
    );
    let words = |model| {
        [
            "simulate", model, "--to", "3", "--dt", "0.01", "--method", "rk4", "--every", "0.5",
            "--out", "-", "-q",
        ]
    };
    let expected = rows(&words(&plain));
    close(&rows(&[&words(&model)[..], &["--laws", &python]].concat()), &expected, 1e-12);
    let columns = expected.len() / 7;
    assert!(expected[6 * columns + 2].abs() < 0.05, "the pole fell: {expected:?}");
}

#[test]
fn a_robot_holds_where_a_file_of_ten_lines_says() {
    let (robot, with) = ("examples/robots/ur5.urdf", "examples/robots/ur5_pd.toml");
    assert!(include_str!("../../../examples/robots/ur5_pd.toml").lines().count() <= 10);
    let words = [
        "simulate", robot, "--with", with, "--to", "6", "--every", "6", "--out", "-", "-q",
        "--rtol", "1e-9",
    ];
    let found = rows(&words);
    let last = &found[found.len() / 2..];
    for (at, target) in [0.5, -1.2, 1.0, -0.4, 0.3, 2.0].into_iter().enumerate() {
        assert!((last[1 + at] - target).abs() < 1e-4, "joint {at}: {}", last[1 + at]);
    }
}

#[test]
fn parameters_without_numbers_are_asked_for_all_at_once() {
    let folder = Folder::new("laws-symbols");
    let text = "[model]\nname = \"p\"\n[parameters]\nm = {}\nl = { unit = \"m\" }\n[[body]]\nname = \"b\"\nparent = \"ground\"\n\
                joint = { name = \"q\", type = \"revolute\", axis = \"y\" }\nmass = \"m\"\ncom = [0, 0, \"-l\"]\n";
    let model = folder.file("p.toml", text);
    for words in [&["equations", &model][..], &["count", &model], &["check", &model]] {
        let answer = run(words);
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{words:?}");
    }
    let out = folder.path("out");
    assert_eq!(run(&["generate", &model, "--lang", "c", "--out", &out]).code, Some(0));
    for words in [
        &["eval", &model, "forward"][..],
        &["simulate", &model, "--to", "1"],
        &["modes", &model],
        &["equilibrium", &model],
        &["linearize", &model],
        &["generate", &model, "--lang", "c", "--freeze", "all", "--out", &out, "--force"],
    ] {
        let answer = run(words);
        assert_eq!(answer.code, Some(1), "{words:?}");
        assert!(answer.err.contains("`m`, `l` have no number"), "{}", answer.err);
        assert!(answer.err.contains("--set m=NUMBER --set l=NUMBER"), "{}", answer.err);
        let given = [words, &["--set", "m=2", "--set", "l=0.5"]].concat();
        assert_eq!(run(&given).code, Some(0), "{words:?}");
    }
}

#[test]
fn additions_complete_joints_and_bodies_of_an_imported_robot() {
    let folder = Folder::new("laws-additions");
    let with = folder.file(
        "more.toml",
        "[[joint]]\nname = \"elbow\"\neffort = \"2*sin(t)\"\nrange = [-0.5, 0.5]\nstop = { restitution = 0.3 }\n\
         friction = { slide = 0.1, stick = 0.2 }\ndamping = 0.05\nmax_speed = 3\n\
         [[body]]\nname = \"forearm\"\npoints.probe = [0.1, 0, 0]\n\
         [[sensor]]\nname = \"probe\"\nat = \"forearm.probe\"\nmeasures = [\"position\"]\n",
    );
    let words = [
        "simulate",
        "examples/formats/arm.urdf",
        "--with",
        &with,
        "--to",
        "2",
        "--every",
        "0.02",
        "--out",
        "-",
        "-q",
    ];
    let answer = run(&words);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    let head: Vec<&str> = answer.out.lines().next().unwrap().split(',').collect();
    let at = |name: &str| head.iter().position(|one| one.starts_with(name)).expect(name);
    let (elbow, probe) = (at("elbow"), at("probe.position.x"));
    for line in answer.out.lines().skip(1) {
        let numbers: Vec<f64> = line.split(',').map(|word| word.parse().unwrap()).collect();
        assert!(numbers[elbow].abs() < 0.5 + 1e-6 && numbers[probe].is_finite(), "{line}");
    }
}

/// A pin that slides in a slot of a moving lever, against the same mechanism in coordinates that
/// need no loop.
#[test]
fn a_pin_slides_in_a_slot_of_a_moving_body() {
    let folder = Folder::new("laws-slot");
    let lever = "[model]\nname = \"slot\"\ngravity = [0, 0, -9.81]\n[[body]]\nname = \"lever\"\nparent = \"ground\"\n\
                 joint = { name = \"q\", type = \"revolute\", axis = \"y\" }\nmass = 2\ncom = [0.3, 0, 0]\ninertia = { yy = 0.1 }\n";
    let open = folder.file(
        "open.toml",
        &format!(
            "{lever}[[body]]\nname = \"pin\"\nparent = \"lever\"\njoint = {{ name = \"s\", type = \"prismatic\", axis = \"x\" }}\nmass = 0.5\n[initial.q]\nq = 0.3\ns = 0.4\n"
        ),
    );
    let (x, z) = (0.4 * 0.3_f64.cos(), -0.4 * 0.3_f64.sin());
    let closed = folder.file(
        "closed.toml",
        &format!(
            "{lever}[[body]]\nname = \"pin\"\nparent = \"ground\"\n\
             joint = [{{ name = \"x\", type = \"prismatic\", axis = \"x\" }}, {{ name = \"z\", type = \"prismatic\", axis = \"z\" }}]\nmass = 0.5\n\
             [[cut]]\nname = \"slot\"\ntype = \"ball\"\nbetween = [\"lever\", \"pin\"]\nignore = [\"x\"]\nframe = \"first\"\n\
             [initial.q]\nq = 0.3\nx = {x}\nz = {z}\n"
        ),
    );
    let words = |model| {
        [
            "simulate",
            model,
            "--to",
            "0.5",
            "--dt",
            "0.002",
            "--method",
            "rk4",
            "--every",
            "0.1",
            "--out",
            "-",
            "-q",
            "--channels",
            "q",
        ]
    };
    let last = |found: Vec<f64>| found[found.len() - 1];
    let (expected, found) = (rows(&words(&open)), rows(&words(&closed)));
    assert!((last(found.clone()) - last(expected.clone())).abs() < 1e-8, "{found:?} {expected:?}");
}

/// The placements of a UR5-like wrist by its modified parameters and by rotations.
#[test]
fn link_parameters_place_as_their_rotations_do() {
    let folder = Folder::new("laws-links");
    let body = |name: &str, parent: &str, place: &str| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\n{place}\njoint = {{ name = \"q{name}\", type = \"revolute\", axis = \"z\" }}\nmass = 1\ncom = [0.1, 0.2, 0.3]\n"
        )
    };
    let model = |first: &str, second: &str| {
        format!(
            "[model]\nname = \"m\"\n{}{}{}",
            body("a", "ground", first),
            "points.end = { dh = { theta = 0.4, d = 0.1, a = 0.5, alpha = \"pi/2\" } }\n",
            body("b", "a.end", second)
        )
    };
    let khalil =
        "khalil = { gamma = 0.2, b = 0.3, alpha = \"pi/2\", d = 0.1, theta = 0.4, r = 0.05 }";
    let short = folder.file("short.toml", &model(khalil, ""));
    // The same by bodies that are fixed to each other, one for each step.
    let steps = |name: &str, parent: &str, list: &[(&str, f64, bool)]| {
        let mut text = String::new();
        let mut parent = parent.to_owned();
        for (at, (axis, value, turns)) in list.iter().enumerate() {
            let place = match turns {
                true => format!("rotation = {{ axis = \"{axis}\", angle = {value:?} }}"),
                false if *axis == "x" => format!("position = [{value:?}, 0, 0]"),
                false => format!("position = [0, 0, {value:?}]"),
            };
            text += &format!("[[body]]\nname = \"{name}{at}\"\nparent = \"{parent}\"\n{place}\n");
            parent = format!("{name}{at}");
        }
        (text, parent)
    };
    let half = std::f64::consts::FRAC_PI_2;
    let first = [
        ("z", 0.2, true),
        ("z", 0.3, false),
        ("x", half, true),
        ("x", 0.1, false),
        ("z", 0.4, true),
        ("z", 0.05, false),
    ];
    let second = [("z", 0.4, true), ("z", 0.1, false), ("x", 0.5, false), ("x", half, true)];
    let (k, carries) = steps("k", "ground", &first);
    let (d, end) = steps("d", "a", &second);
    let text =
        format!("[model]\nname = \"m\"\n{k}{}{d}{}", body("a", &carries, ""), body("b", &end, ""));
    let long = folder.file("long.toml", &text);
    let values = |model: &str| -> Vec<f64> {
        let answer = run(&["eval", model, "inverse", "--random", "3", "--json"]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let outputs = answer.out.split("\"outputs\"").nth(1).unwrap().to_owned();
        let words = outputs.split(|c: char| !(c.is_ascii_digit() || "+-.e".contains(c)));
        words.filter_map(|word| word.parse().ok()).collect()
    };
    close(&values(&short), &values(&long), 1e-12);
    let written = folder.path("again.toml");
    assert_eq!(run(&["convert", &short, "--out", &written]).code, Some(0));
    close(&values(&written), &values(&short), 1e-14);
}

#[test]
fn whatever_is_wrong_with_a_source_of_robotran_is_told() {
    let folder = Folder::new("laws-robotran-wrong");
    let rig = format!("{}/tests/robotran/rig.mbs", env!("CARGO_MANIFEST_DIR"));
    let user = include_str!("robotran/user.c");
    let cases = [
        ("syntax.c", "Flnk = 0.0;", "Flnk = ;", "syntax.c:17"),
        ("nan.c", "+ um->Spring.c[1] * Zd", "+ 0.0/0.0", "law `user_LinkForces` of"),
        ("member.c", "um->Spring.k", "um->Sprung.k", "no member named"),
        ("crash.c", "Flnk = 0.0;", "Flnk = *(volatile double *)0;", "crashed"),
        ("undefined.c", "sin(tsim)", "mbs_kine_wheel(tsim)", "mbs_kine_wheel"),
        ("unknown.c", "0.2 * PxF[3]", "AxF[3]", "law `user_ExtForces` of"),
    ];
    for (name, from, to, message) in cases {
        let file = folder.file(name, &user.replace(from, to));
        let answer = run(&["simulate", &rig, "--laws", &file, "--to", "0.1", "-q"]);
        assert_eq!(answer.code, Some(6), "{name}: {}", answer.err);
        assert!(answer.err.contains(message), "{name}: {}", answer.err);
    }
}

/// A mass on a spring between walls, whose acceleration is known: -9 q.
const SPRING: &str = "[model]\nname = \"spring\"\ngravity = [0, 0, 0]\n[[body]]\nname = \"b\"\nparent = \"ground\"\n\
    joint = { name = \"q\", type = \"prismatic\", axis = \"x\", effort = \"-18*q\" }\nmass = 2\n\
    [initial.q]\nq = 1\n";

/// `q = cos(3t)`, so that `q.dd = -9 cos(3t)` passes 4.5 at 2 pi/9 and 4 pi/9.
#[test]
fn events_and_outputs_see_accelerations() {
    let folder = Folder::new("laws-accelerations");
    let more = "[[sensor]]\nname = \"s\"\nat = \"b\"\nmeasures = [\"acceleration\"]\n\
        [[event]]\nname = \"strong\"\nwhen = \"s.acceleration.x - 4.5\"\nmessage = \"strong\"\n\
        [[output]]\nname = \"force\"\nvalue = \"2*q.dd + 0.5*t\"\nunit = \"N\"\n";
    let file = folder.file("spring.toml", &format!("{SPRING}{more}"));
    let words = ["simulate", &file, "--to", "2", "--every", "0.5"];
    let answer = run(&words);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    for time in ["t = 0.698132 s", "t = 1.39626 s"] {
        let mut lines = answer.out.lines();
        let told = |line: &str| line.starts_with(time) && line.ends_with(" strong: strong");
        assert!(lines.any(told), "{time}: {}", answer.out);
    }
    let words = [&words[..], &["--channels", "outputs", "--out", "-", "-q"]].concat();
    let answer = run(&words);
    assert!(answer.out.starts_with("t [s],force [N]\n"), "{}", answer.out);
    for line in answer.out.lines().skip(1) {
        let row: Vec<f64> = line.split(',').map(|word| word.parse().expect("a number")).collect();
        let expected = -18.0 * (3.0 * row[0]).cos() + 0.5 * row[0];
        assert!((row[1] - expected).abs() < 1e-6, "{line}");
    }
    let last = answer.out.lines().last().expect("a row");
    assert!(last.starts_with("2,"), "{last}");
    // What is recorded is no law.
    let wrong = SPRING.replace("-18*q", "-18*q - q.dd");
    let answer = run(&["check", &folder.file("effort.toml", &wrong)]);
    let told = "`q.dd`, an acceleration, which only events, outputs and sampled controllers see";
    assert!(answer.err.contains(told), "{}", answer.err);
    let wrong = more.replace("s.acceleration.x - 4.5", "force");
    let file = folder.file("wrong.toml", &format!("{SPRING}{wrong}"));
    let answer = run(&["check", &file]);
    assert!(answer.err.contains("an output, which is recorded only"), "{}", answer.err);
}

/// The last sample of a controller falls on the end of the run.
#[test]
fn samples_at_the_end_of_a_run_are_shown() {
    let folder = Folder::new("laws-last-sample");
    let more = "[[controller]]\nname = \"n\"\nevery = 0.25\noutput = \"n + 1\"\n";
    let file = folder.file("counter.toml", &format!("{SPRING}{more}"));
    let words = ["simulate", &file, "--to", "1", "--every", "0.25", "--channels", "states"];
    let found = rows(&[&words[..], &["--out", "-", "-q"]].concat());
    let expected = [0.0, 0.25, 0.5, 0.75, 1.0].map(|t| [t, 1.0 + 4.0 * t]);
    close(&found, expected.as_flattened(), 1e-12);
}

#[test]
fn a_table_that_is_not_extrapolated_says_where_it_ends() {
    let folder = Folder::new("laws-table-end");
    let text = SPRING.replace("-18*q", "-18*q + u") + "[[input]]\nname = \"u\"\n";
    let (file, table) = (folder.file("u.toml", &text), folder.file("u.csv", "t,u\n0,0\n1,2\n"));
    for method in ["dop853", "radau", "rk4"] {
        let words = ["simulate", &file, "--to", "2", "--input-table", &table, "-q"];
        let words = [&words[..], &["--extrapolation", "refuse", "--method", method]].concat();
        let words = [&words[..], if method == "rk4" { &["--dt", "0.01"] } else { &[] }].concat();
        let answer = run(&words);
        assert_eq!(answer.code, Some(3), "{method}: {}", answer.err);
        let told = "the table of input `u` goes from 0 s to 1 s";
        assert!(answer.err.contains(told), "{method}: {}", answer.err);
    }
    let answer = run(&["simulate", &file, "--to", "1", "--set", "u=1"]);
    assert!(answer.err.contains("`u` is an input") && answer.err.contains("--input"));
    for signal in [["--input", "u=3"], ["--input-table", &table]] {
        let words = ["study", &file, "--to", "1", "--vary", "u=1..2:2", signal[0], signal[1]];
        let answer = run(&words);
        assert!(answer.err.contains("a signal says what the input is"), "{}", answer.err);
    }
    let table = folder.file("semicolons.csv", "t;u\n0;0,5\n");
    let answer = run(&["simulate", &file, "--to", "1", "--input-table", &table]);
    assert!(answer.err.contains("columns are separated by ';'"), "{}", answer.err);
}

#[test]
fn only_what_needs_a_number_asks_for_it() {
    let folder = Folder::new("laws-open");
    let text = SPRING.replace("-18*q", "-k*q").replace("mass = 2", "mass = \"m\"");
    let text = text.replace("[[body]]", "[parameters]\nk = {}\nm = {}\n[[body]]");
    let file = folder.file("open.toml", &text);
    let answer = run(&["eval", &file, "mass"]);
    assert!(answer.err.contains("parameter `m` has no number"), "{}", answer.err);
    assert_eq!(run(&["eval", &file, "mass", "--set", "m=3"]).code, Some(0));
    let study = ["study", &file, "--vary", "k=1..2:3", "--to", "0.5"];
    let answer = run(&study);
    assert!(answer.err.contains("parameter `m` has no number"), "{}", answer.err);
    let answer = run(&[&study[..], &["--set", "m=3"]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}

/// A driven joint needs two derivatives of its law.
#[test]
fn laws_have_second_derivatives() {
    let folder = Folder::new("laws-second");
    let text = |law: &str, declared: &str| {
        format!("{SPRING}{declared}").replace(", effort = \"-18*q\"", "")
            + &format!("[[motion]]\njoint = \"q\"\nq = \"{law}\"\n")
    };
    let plain = folder.file("plain.toml", &text("exp(t)*sin(2*t)", ""));
    let declared = "[[external]]\nname = \"drive\"\narguments = [\"t\"]\n";
    let file = folder.file("drive.toml", &text("drive(t)", declared));
    let first = "from math import exp, sin, cos\ndef drive(t):\n    return exp(t)*sin(2*t)\n\
        def drive_derivative(t, d):\n    return exp(t)*(sin(2*t) + 2*cos(2*t))*d\n";
    let second = "def drive_derivative_derivative(t, d, td, dd):\n    \
        return exp(t)*(4*cos(2*t) - 3*sin(2*t))*d*td + exp(t)*(sin(2*t) + 2*cos(2*t))*dd\n";
    let laws = folder.file("both.py", &format!("{first}{second}"));
    let same = ["--to", "1", "--every", "0.25", "--out", "-", "-q"];
    let expected = rows(&[&["simulate", &plain][..], &same].concat());
    let words = [&["simulate", &file, "--laws", &laws][..], &same].concat();
    close(&rows(&words), &expected, 1e-12);
    assert_eq!(run(&["eval", &file, "forward", "--laws", &laws]).err, "");
    // Without it differences are taken, and said to be.
    let laws = folder.file("first.py", first);
    let answer = run(&["eval", &file, "forward", "--laws", &laws]);
    assert!(answer.err.contains("derivatives of law `drive_derivative`"), "{}", answer.err);
}

#[test]
fn events_and_controllers_ask_for_their_laws() {
    let folder = Folder::new("laws-of-events");
    let declared = "[[external]]\nname = \"drive\"\narguments = [\"v\"]\n";
    let elements = [
        ("[[controller]]\nname = \"c\"\nevery = 0.1\noutput = \"drive(q.dd)\"\n", "controller `c`"),
        ("[[event]]\nname = \"e\"\nwhen = \"drive(q.d)\"\nmessage = \"m\"\n", "event `e`"),
        ("[[output]]\nname = \"o\"\nvalue = \"drive(q.d)\"\n", "output `o`"),
    ];
    for (element, place) in elements {
        let file = folder.file("m.toml", &format!("{SPRING}{declared}{element}"));
        let answer = run(&["simulate", &file, "--to", "1", "-q"]);
        assert_eq!(answer.code, Some(1), "{place}: {}", answer.err);
        for part in ["the external function `drive`", place, "--laws"] {
            assert!(answer.err.contains(part), "{place}: {}", answer.err);
        }
        let laws = folder.file("l.py", "def drive(v):\n    return v + 1e3\n");
        let answer = run(&["simulate", &file, "--to", "1", "-q", "--laws", &laws]);
        assert_eq!(answer.code, Some(0), "{place}: {}", answer.err);
    }
}

#[test]
fn derivatives_by_one_input_are_a_column_of_all() {
    let folder = Folder::new("laws-by-input");
    let text = SPRING.replace("-18*q", "-18*q*u + 3*v");
    let inputs = "[[input]]\nname = \"u\"\n[[input]]\nname = \"v\"\n";
    let file = folder.file("two.toml", &format!("{text}{inputs}"));
    for (function, expected) in [
        ("derivative(forward, input)", "qdd_by_input\n     u   v\n  q  -9  1.5\n"),
        ("derivative(forward, u)", "qdd_by_u\n     u\n  q  -9\n"),
        ("derivative(forward, v)", "qdd_by_v\n     v\n  q  1.5\n"),
    ] {
        let answer = run(&["eval", &file, function]);
        let words =
            |text: &str| -> Vec<String> { text.split_whitespace().map(str::to_owned).collect() };
        assert_eq!(words(&answer.out), words(expected), "{function}: {}", answer.err);
    }
    let answer = run(&["eval", &file, "derivative(forward, w)"]);
    assert!(answer.err.contains("there is no variable, parameter or input `w`"), "{}", answer.err);
}

/// The remedy that a message names is one that the file takes.
#[test]
fn a_line_through_samples_has_no_linear_model() {
    let folder = Folder::new("laws-linear");
    let text = SPRING.replace("-18*q", "-18*q + u").replace("q = 1", "q = 0");
    let with = |hold: &str| {
        format!("{text}[[controller]]\nname = \"u\"\nevery = 0.1\noutput = \"-q\"\n{hold}\n")
    };
    let answer = run(&["linearize", &folder.file("m.toml", &with("hold = \"first\""))]);
    assert_eq!(answer.code, Some(1), "{}", answer.err);
    assert!(answer.err.contains("controller `u` uses the time"), "{}", answer.err);
    let remedy = answer.err.split('`').find(|word| word.starts_with("hold")).expect("a remedy");
    let answer = run(&["linearize", &folder.file("m.toml", &with(remedy))]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}
