//! Every name that people type: each row of the table of aliases means the same as the name that it
//! stands for, and channels have one name in laws, results, `--plot` and `--channels`.

mod common;

use common::{Folder, run};
use rotule::layers::formalism::aliases::{ALIASES, Names, of};
use rotule::layers::formalism::{Formalism, ModelFunction, MultibodySystem, normalise};
use rotule::layers::model::{ReadOptions, load_text};
use rotule::layers::numeric::generate;
use rotule::layers::{Target, target};
use std::fs;

/// A wheel on a spring, with a sensor.
const BUGGY: &str = r#"
[model]
name = "buggy"
gravity = [0, 0, -9.81]
[[body]]
name = "car"
parent = "ground"
mass = 100
inertia = { xx = 1, yy = 1, zz = 1 }
points.top = [0, 0, 0.5]
[body.joint]
name = "heave"
type = "prismatic"
axis = "z"
[[body]]
name = "rim"
parent = "car"
mass = 10
inertia = { xx = 0.4, yy = 0.8, zz = 0.4 }
[body.joint]
name = "roll"
type = "revolute"
axis = "y"
[[wheel]]
name = "tyre"
body = "rim"
radius = 0.3
vertical = "20000*depth + 500*depth_rate"
lateral = "-10*side_slip"
longitudinal = "-100*slip"
[[line_force]]
name = "spring"
between = ["ground", "car.top"]
force = "10*(Z - 0.7)"
[[sensor]]
name = "tip"
at = "car.top"
measures = ["position", "velocity", "angular_velocity"]
[[state]]
name = "way"
rate = "RATE"
[initial.q]
heave = 0.29
[initial.qd]
roll = 2
"#;

fn tree(text: &str) -> MultibodySystem {
    let loaded = load_text("model.toml", text, &ReadOptions::default());
    normalise(loaded.unwrap_or_else(|_| panic!("the model is good")))
}

fn example(name: &str) -> MultibodySystem {
    let path = format!("{}/../../examples/{name}", env!("CARGO_MANIFEST_DIR"));
    tree(&fs::read_to_string(path).expect("an example"))
}

/// The table of results of a run, with the line of names.
fn results(folder: &Folder, words: &[&str]) -> String {
    let out = folder.path("out.csv");
    let answer = run(&[&["simulate"], words, &["--out", &out, "--force"]].concat());
    assert_eq!(answer.code, Some(0), "{words:?}: {}", answer.err);
    fs::read_to_string(out).expect("results")
}

#[test]
fn aliases_of_functions_give_the_same_programs() {
    let pendulum = example("double_pendulum.toml");
    let (buggy, crank) = (tree(&BUGGY.replace("RATE", "1")), example("slider_crank.toml"));
    let body = pendulum.mechanism.bodies.last().expect("a body").name.clone();
    for (alias, name) in rotule::layers::formalism::function::aliases() {
        let (tree, arguments) = match name {
            "kinematics" => (&pendulum, format!("({body})")),
            "line_force" => (&buggy, "(spring)".to_owned()),
            "closure_reactions" => (&crank, String::new()),
            _ => (&pendulum, String::new()),
        };
        let with = |word: &str| format!("{word}{arguments}");
        let program = |word: &str| {
            let function = ModelFunction::parse(&with(word), tree).expect(word);
            assert_eq!(function.text, with(word), "what is typed is what it is called");
            assert_eq!(function.canonical, with(name));
            generate(tree, &function, None).expect(word).program.to_string()
        };
        assert_eq!(program(alias), program(name), "{alias}");
    }
    let tree = pendulum;
    let nested = ModelFunction::parse("derivative(direct, q)", &tree).expect("nested");
    assert_eq!(
        (nested.text.as_str(), nested.canonical.as_str()),
        ("derivative(direct, q)", "derivative(forward, q)")
    );
    let plain = ModelFunction::parse("derivative(forward,q)", &tree).expect("nested");
    assert_eq!(nested.canonical, plain.canonical);
    let text = |function| generate(&tree, function, None).expect("a program").program.to_string();
    assert_eq!(text(&nested), text(&plain));
    let problem = ModelFunction::parse("forwrd", &tree).expect_err("a slip");
    assert_eq!(problem.help, "did you mean `forward`?");
}

#[test]
fn generated_code_is_called_as_it_was_requested() {
    let folder = Folder::new("alias_code");
    let code = |function: &str, lang: &str| {
        let out = folder.path(&format!("{function}_{}", lang.len()));
        let model = "examples/pendulum.toml";
        let answer =
            run(&["generate", model, "--lang", lang, "--functions", function, "--out", &out]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        fs::read_to_string(format!("{out}/pendulum.c")).expect("code")
    };
    let forward = code("forward", "cpp");
    assert!(forward.contains("pendulum_forward(") && !forward.contains("direct("), "{forward}");
    // Lines break elsewhere where a name is longer.
    let words = |code: &str| -> Vec<String> {
        code.split_whitespace().filter(|word| *word != "*").map(str::to_owned).collect()
    };
    assert_eq!(words(&forward.replace("forward", "direct")), words(&code("direct", "c")));
    let twice = |list: &str| {
        let out = folder.path("twice");
        run(&[
            "generate",
            "examples/pendulum.toml",
            "--lang",
            "c",
            "--functions",
            list,
            "--out",
            &out,
        ])
    };
    for list in ["forward,direct", "derivative(fd, q),derivative(direct,q)"] {
        let answer = twice(list);
        assert_eq!(answer.code, Some(1));
        assert!(answer.err.contains("is named twice"), "{}", answer.err);
    }
}

#[test]
fn aliases_of_formalisms_languages_formats_and_kernels() {
    let folder = Folder::new("alias_words");
    let name = |word: &str| match target(word) {
        Some(Target::Code(language)) => Some(language.name.to_owned()),
        Some(Target::Program) => Some("program".to_owned()),
        Some(Target::Document(kind)) => Some(format!("{kind:?}").to_lowercase()),
        None => None,
    };
    for &(kind, alias, canonical) in ALIASES {
        match kind {
            Names::Formalism => {
                let found = Formalism::named(alias).expect(alias);
                assert_eq!(found.name(), canonical);
                let function = if canonical == "articulated-body" { "forward" } else { "inverse" };
                let function = match canonical {
                    "outward" | "inward" => "position(upper)",
                    "mixed" => "jacobian(upper)",
                    _ => function,
                };
                let model = "examples/double_pendulum.toml";
                let answer = |word: &str| {
                    run(&["eval", model, function, "--formalism", word, "--random", "1", "--json"])
                };
                assert_eq!(answer(alias), answer(canonical), "{alias}");
            }
            Names::Language => {
                assert_eq!(name(alias).as_deref(), Some(canonical), "{alias}");
                assert_eq!(name(alias), name(canonical));
            }
            Names::Format => {
                let help = run(&["check", "examples/pendulum.toml", "--format", alias]);
                let same = run(&["check", "examples/pendulum.toml", "--format", canonical]);
                assert_eq!(help, same, "{alias}");
            }
            Names::Trig | Names::Entries => {
                let flag = if kind == Names::Trig { "--trig" } else { "--entries" };
                let text = |word: &str| {
                    let out = folder.path(&format!("{flag}-{word}"));
                    let words = ["generate", "examples/puma560.toml", "--lang", "c", "--out", &out];
                    let answer = run(&[&words[..], &[flag, word, "--functions", "mass"]].concat());
                    assert_eq!(answer.code, Some(0), "{answer:?}");
                    fs::read_to_string(format!("{out}/puma560.c")).expect("a source")
                };
                assert_eq!(text(alias), text(canonical), "{alias}");
            }
            Names::Kernel => {
                let words = ["examples/pendulum.toml", "--to", "0.01", "--dt", "0.01", "--kernel"];
                let motion = |word| results(&folder, &[&words[..], &[word]].concat());
                assert_eq!(motion(alias), motion(canonical), "{alias}");
            }
            _ => {}
        }
    }
    let slip = run(&["generate", "m.toml", "--lang", "pyhton", "--out", "x"]);
    assert!(slip.err.contains("did you mean `python`?"), "{}", slip.err);
    let slip = run(&["eval", "m.toml", "mass", "--formalism", "articulated_body"]);
    assert!(slip.err.contains("did you mean `articulated-body`?"), "{}", slip.err);
}

#[test]
fn aliases_of_tables_and_keys_read_as_the_names() {
    let folder = Folder::new("alias_file");
    let model =
        BUGGY.replace("RATE", "1").replace("axis = \"y\"", "axis = \"y\"\nrole = \"locked\"");
    let converted = |text: &str| {
        let answer = run(&["convert", &folder.file("model.toml", text)]);
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{text}");
        answer.out
    };
    let written = converted(&model);
    for (alias, name) in of(Names::Section) {
        assert!(written.contains(&format!("[[{name}]]")), "{written}");
        assert_eq!(
            converted(&model.replace(&format!("[[{name}]]"), &format!("[[{alias}]]"))),
            written
        );
    }
    for (alias, name) in of(Names::Key) {
        let key = format!("{name} = ");
        assert!(written.contains(&key), "{written}");
        assert_eq!(converted(&model.replace(&key, &format!("{alias} = "))), written);
        let twice = model.replace(&key, &format!("{alias} = \"free\"\n{key}"));
        let answer = run(&["check", &folder.file("twice.toml", &twice)]);
        assert_eq!(answer.code, Some(1));
        let message = format!("`{alias}` and `{name}` in joint `roll` are the same key");
        assert!(answer.err.contains(&message), "{}", answer.err);
    }
}

#[test]
fn aliases_of_methods_and_constraints_make_the_same_motion() {
    let folder = Folder::new("alias_methods");
    let model = "examples/slider_crank.toml";
    let fixed = ["rk4", "euler", "generalised-alpha", "hht", "newmark"];
    let both = |flag: &str, alias: &str, name: &str, extra: &[&str]| {
        let words =
            |word| [&[model, "--to", "0.02", "--every", "0.01", flag, word], extra].concat();
        assert_eq!(results(&folder, &words(alias)), results(&folder, &words(name)), "{alias}");
    };
    for (alias, name) in of(Names::Method) {
        let step: &[&str] = if fixed.contains(&name) { &["--dt", "0.001"] } else { &[] };
        both("--method", alias, name, step);
    }
    for (alias, name) in of(Names::Constraints) {
        both("--constraints", alias, name, &["--dt", "0.001"]);
    }
    both("--method", "RK45", "dormand-prince", &[]);
    both("--method", "generalized-alpha=0.9", "generalised-alpha=0.9", &["--dt", "0.001"]);
    // A rule of one method holds for all its names.
    let refused =
        run(&["simulate", model, "--to", "1", "--method", "ode15s", "--constraints", "projection"]);
    assert!(refused.err.contains("`bdf` continues from its own history"), "{}", refused.err);
}

/// Names and numbers of a run with these channels.
fn kept(folder: &Folder, model: &str, channels: &str) -> Vec<String> {
    let words = [model, "--to", "0.02", "--dt", "0.01", "--every", "step", "--channels", channels];
    let text = results(folder, &words);
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned).collect::<Vec<_>>());
    let names = lines.next().expect("names");
    let rows: Vec<Vec<String>> = lines.collect();
    assert_eq!(rows.len(), 3);
    (1..names.len())
        .map(|at| {
            let numbers: Vec<&str> = rows.iter().map(|row| row[at].as_str()).collect();
            format!("{}: {}", names[at], numbers.join(" "))
        })
        .collect()
}

#[test]
fn channels_are_kept_singly_and_by_prefix() {
    let folder = Folder::new("channels");
    let model = folder.file("buggy.toml", &BUGGY.replace("RATE", "1"));
    let all = kept(&folder, &model, "all");
    let of_all = |begin: &str| -> Vec<String> {
        all.iter().filter(|one| one.starts_with(begin)).cloned().collect()
    };
    let check = |word: &str, begins: &[&str]| {
        let expected: Vec<String> = begins.iter().flat_map(|begin| of_all(begin)).collect();
        assert!(!expected.is_empty(), "{begins:?}");
        assert_eq!(kept(&folder, &model, word), expected, "{word}");
    };
    check("tyre.force", &["tyre.force."]);
    check("tyre", &["tyre."]);
    check("tyre.force.normal", &["tyre.force.normal"]);
    check("coordinates,tyre.force", &["heave [", "roll [", "tyre.force."]);
    check("heave", &["heave ["]);
    check("energy", &["energy."]);
    check("energy.potential", &["energy.potential"]);
    check("tip.velocity.z,roll.d", &["roll.d [", "tip.velocity.z"]);
    check("way", &["way"]);
    // A law's names mean the same.
    for (kind, owner) in
        [(Names::Sensor, "tip"), (Names::LineForce, "spring"), (Names::Wheel, "tyre")]
    {
        for (alias, name) in of(kind) {
            check(&format!("{owner}.{alias}"), &[&format!("{owner}.{name}")]);
        }
    }
    for (alias, name) in of(Names::Channels) {
        assert_eq!(kept(&folder, &model, alias), kept(&folder, &model, name));
    }
    let slip = run(&["simulate", &model, "--to", "1", "--channels", "tyre.forse"]);
    assert_eq!(slip.code, Some(1));
    assert!(slip.err.contains("there is no channel `tyre.forse`"), "{}", slip.err);
    let slip = run(&["simulate", &model, "--to", "1", "--channels", "tyre.force.normall"]);
    assert!(slip.err.contains("did you mean `tyre.force.normal`?"), "{}", slip.err);
}

#[test]
fn a_plot_keeps_what_it_draws() {
    let folder = Folder::new("plots");
    let model = folder.file("buggy.toml", &BUGGY.replace("RATE", "1"));
    let plot = |words: &[&str]| {
        let words = [&["simulate", &model, "--to", "0.05", "--plot"], words].concat();
        let answer = run(&words);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        answer.out
    };
    for word in ["tyre.force.normal", "tyre.Fz", "tip.vz", "spring.Z", "tyre.force"] {
        assert!(plot(&[word]).contains(word), "{word}");
    }
    assert!(plot(&["tyre.force"]).contains("tyre.force.left"));
    assert!(
        plot(&["tyre.force.normal", "--channels", "coordinates"]).contains("tyre.force.normal")
    );
    let slip = run(&["simulate", &model, "--to", "0.05", "--plot", "tyre.force.norml"]);
    assert!(slip.err.contains("did you mean `tyre.force.normal`?"), "{}", slip.err);
    // A report has the mechanism in motion, whatever is kept.
    let page = folder.path("page.html");
    let words = ["simulate", &model, "--to", "0.05", "--channels", "tyre.force.normal"];
    let answer = run(&[&words[..], &["--report", &page]].concat());
    assert_eq!(answer.code, Some(0), "{}", answer.err);
}

#[test]
fn laws_know_sensors_by_the_names_of_channels() {
    let folder = Folder::new("law_names");
    let motion = |rate: &str| {
        let model = folder.file("law.toml", &BUGGY.replace("RATE", rate));
        kept(&folder, &model, "states,coordinates")
    };
    for (alias, name) in of(Names::Sensor) {
        let rate = format!("1 + sin(tip.{alias})");
        assert_eq!(motion(&rate), motion(&rate.replace(alias_of(alias), &format!("tip.{name}"))));
    }
    assert_eq!(motion("tip.vz - tip.velocity.z"), motion("0"));
    let model = folder.file("bad.toml", &BUGGY.replace("RATE", "tip.acceleration.z"));
    assert_eq!(run(&["check", &model]).code, Some(1));
}

/// The name of a signal in a law.
fn alias_of(alias: &str) -> &'static str {
    ["tip.x", "tip.y", "tip.z", "tip.vx", "tip.vy", "tip.vz", "tip.wx", "tip.wy", "tip.wz"]
        .into_iter()
        .find(|name| name.ends_with(&format!(".{alias}")))
        .expect("a signal of the table")
}

#[test]
fn studies_measure_channels_by_all_their_names() {
    let folder = Folder::new("measures");
    let model = folder.file("buggy.toml", &BUGGY.replace("RATE", "1"));
    let row = |name: &str| {
        let (out, measure) = (folder.path("study.csv"), format!("{name}:max"));
        let words = ["study", &model, "--to", "0.1", "--dt", "0.01", "--vary", "heave=0.29..0.3:3"];
        let more = ["--measure", &measure, "--out", &out, "--force"];
        let answer = run(&[&words[..], &more].concat());
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        let text = fs::read_to_string(&out).expect("rows");
        assert!(text.lines().next().expect("names").contains(&measure), "{text}");
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    for (short, long) in [("tyre.Fz", "tyre.force.normal"), ("tip.vz", "tip.velocity.z")] {
        assert_eq!(row(short), row(long));
    }
    let words = ["study", &model, "--to", "0.1", "--dt", "0.01", "--vary", "heave=0.29..0.3:3"];
    let slip = run(&[&words[..], &["--measure", "tyre.force.norml:max"]].concat());
    assert!(slip.err.contains("--measure: there is no channel `tyre.force.norml`"), "{}", slip.err);
    assert!(slip.err.contains("did you mean `tyre.force.normal`?"), "{}", slip.err);
    let several = run(&[&words[..], &["--measure", "tyre.force:max"]].concat());
    assert!(several.err.contains("--measure: there is no channel `tyre.force`"), "{}", several.err);
}

#[test]
fn one_flag_chooses_independent_coordinates() {
    let folder = Folder::new("flags");
    let model = "examples/slider_crank.toml";
    let motion = |flag: &str| {
        results(&folder, &[model, "--to", "0.02", "--dt", "0.01", "--every", "step", flag, "q3"])
    };
    assert_eq!(motion("--independent"), motion("--partition"));
    let study = |flag: &str, name: &str| {
        run(&["study", model, "--to", "0.1", "--dt", "0.01", "--vary", "q1.d=1..2:2", flag, name])
    };
    for flag in ["--independent", "--partition"] {
        assert_eq!(run(&["eval", model, "reduction", flag, "q3"]).code, Some(0));
        assert_eq!(run(&["equations", model, "mass", flag, "q1"]).code, Some(0));
        assert_eq!(study(flag, "q1").code, Some(0));
        assert_eq!(study(flag, "q9").code, Some(1));
    }
}
