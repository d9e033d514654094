//! `generate` as a person meets it: what is written, what is refused, and that nothing stays behind
//! half done.

mod common;

use common::{Folder, run};
use std::fs;
use std::path::Path;

const PENDULUM: &str = "examples/double_pendulum.toml";

/// The program fails, says all of this and leaves the folder as it was.
fn refused(folder: &Folder, code: i32, words: &[&str], expected: &[&str]) {
    let before = folder.names();
    let answer = run(words);
    assert_eq!((answer.code, answer.out.as_str()), (Some(code), ""), "{words:?}: {}", answer.err);
    for part in expected {
        assert!(answer.err.contains(part), "{part}: {}", answer.err);
    }
    assert_eq!(folder.names(), before, "{words:?}");
}

fn names(path: &str) -> Vec<String> {
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut names: Vec<String> = entries
        .map(|one| one.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn a_folder_gets_sources_and_a_demo_and_says_so() {
    let folder = Folder::new("generate");
    let out = folder.path("made/deep");
    let answer = run(&["generate", PENDULUM, "--lang", "c", "--out", &out]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let expected = ["double_pendulum.c", "double_pendulum.h", "double_pendulum_demo.c"];
    assert_eq!(names(&out), expected);
    for name in expected {
        assert!(answer.out.contains(name), "{}", answer.out);
    }
    // The same model gives the same bytes.
    let again = folder.path("again");
    // Who writes C large means C.
    run(&["generate", PENDULUM, "--lang", "C", "--out", &again]);
    for name in expected {
        let read = |folder: &str| fs::read(Path::new(folder).join(name)).expect("a file");
        assert_eq!(read(&out), read(&again), "{name}");
    }
}

#[test]
fn every_file_says_where_it_comes_from() {
    let folder = Folder::new("heads");
    for language in rotule::layers::emit::LANGUAGES {
        let out = folder.path(language.name);
        let answer = run(&["generate", PENDULUM, "--lang", language.name, "--out", &out]);
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{}", language.name);
        for name in names(&out) {
            let text = fs::read_to_string(Path::new(&out).join(&name)).expect("a text");
            for part in ["double_pendulum", "hash ", "Rotule 0.1.0", "Generated code is yours"] {
                assert!(text.contains(part), "{}: {name} lacks `{part}`", language.name);
            }
        }
    }
}

#[test]
fn what_cannot_be_done_is_reported_and_leaves_nothing() {
    let folder = Folder::new("refused");
    let out = folder.path("out");
    let check = |more: &[&str], expected: &[&str]| {
        let words = [&["generate", PENDULUM, "--out", &out, "--lang", "c"], more].concat();
        refused(&folder, 1, &words, expected);
    };
    check(&["--functions", "inverted"], &["`inverted`", "did you mean `inverse`?"]);
    check(&["--functions", "inverse,,mass"], &["--functions", "missing between commas"]);
    check(&["--functions", "inverse,inverse"], &["`inverse` is named twice"]);
    check(&["--functions", "jacobian(hand)"], &["`hand`"]);
    check(&["--freeze", "m3"], &["--freeze: there is no parameter `m3`", "did you mean `m1`?"]);
    check(&["--freeze", ""], &["--freeze", "empty"]);
    check(&["--freeze", "m1", "--functions", "derivative(inverse, m1)"], &["`m1` is frozen"]);
    check(&["--set", "m9=2"], &["there is no parameter `m9`"]);
    check(&["--prefix", ""], &["--prefix", "nothing that a name could begin with"]);
    check(&["--prefix", ".. "], &["--prefix", "give letters"]);
    let words = ["generate", PENDULUM, "--out", &out, "--lang", "cobol"];
    refused(&folder, 2, &words, &["`cobol`", "expected one of c, "]);
}

#[test]
fn what_is_there_is_not_destroyed() {
    let folder = Folder::new("there");
    let file = folder.file("file", "mine");
    let words = |out: &str| ["generate", PENDULUM, "--lang", "c", "--out", out].map(str::to_owned);
    let refuse = |out: &str, expected: &[&str]| {
        let words = words(out);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        refused(&folder, 4, &words, expected);
    };
    refuse(&file, &["is no folder"]);
    refuse(&format!("{file}/below"), &["cannot write"]);
    let full = folder.path("full");
    fs::create_dir(&full).expect("a folder");
    fs::write(format!("{full}/notes.txt"), "mine").expect("a file");
    refuse(&full, &["exists already and is not empty", "--force"]);
    // With --force, other files stay as they are.
    let answer = run(&["generate", PENDULUM, "--lang", "c", "--out", &full, "--force"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert_eq!(fs::read_to_string(format!("{full}/notes.txt")).expect("still there"), "mine");
    assert_eq!(names(&full).len(), 4);
    // An empty folder is as good as none.
    let empty = folder.path("empty");
    fs::create_dir(&empty).expect("a folder");
    let answer = run(&["generate", PENDULUM, "--lang", "c", "--out", &empty]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert_eq!(folder.names(), ["empty", "file", "full"]);
}

#[test]
fn names_of_every_kind_become_identifiers() {
    let folder = Folder::new("names");
    let model = |name: &str| {
        let text =
            fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PENDULUM));
        let text = text
            .expect("the example")
            .replace("name = \"double_pendulum\"", &format!("name = \"{name}\""));
        folder.file("model.toml", &text)
    };
    for (name, prefix) in [
        ("while", "while_"),
        ("my robot", "my_robot"),
        ("θ-arm", "theta_arm"),
        ("3R", "x3R"),
        ("机器人", "x"),
    ] {
        let (model, out) = (model(name), folder.path(prefix));
        let answer = run(&["generate", &model, "--lang", "c", "--out", &out]);
        assert_eq!(answer.code, Some(0), "{}", answer.err);
        assert!(names(&out).contains(&format!("{prefix}.c")), "{name}: {:?}", names(&out));
    }
    let out = folder.path("prefixed");
    let answer =
        run(&["generate", PENDULUM, "--lang", "c", "--out", &out, "--prefix", "../evil name"]);
    assert_eq!(answer.code, Some(0), "{}", answer.err);
    assert!(names(&out).contains(&"evil_name.h".to_owned()));
}

/// Readable C as it is kept to be looked at; `UPDATE_EXPECT=1 cargo test -p rotule-cli --test
/// generate_cli` writes it anew.
#[test]
fn the_kept_listings_are_those_of_the_program() {
    let folder = Folder::new("golden");
    for (model, functions) in
        [("double_pendulum", "inverse,forward,mass_bias"), ("slider_crank", "closure,forward")]
    {
        let (example, out) = (format!("examples/{model}.toml"), folder.path(model));
        let words = ["generate", &example, "--lang", "c", "--readable", "--functions", functions];
        let answer = run(&[&words[..], &["--out", &out]].concat());
        assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{model}");
        let now = fs::read_to_string(format!("{out}/{model}.c")).expect("the source");
        let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/golden/{model}.c"));
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            fs::write(&kept, &now).expect("the listing can be written");
        } else {
            let shown = fs::read_to_string(&kept).expect("the listing is kept");
            assert_eq!(shown, now, "{model}.c is not what is generated");
        }
    }
}

#[test]
fn the_status_of_iterations_is_written_where_it_is_requested() {
    let folder = Folder::new("status");
    for language in rotule::layers::emit::LANGUAGES {
        for (model, iterates) in [("examples/four_bar_joint.toml", true), (PENDULUM, false)] {
            let write = |status: bool| {
                let out = folder.path(&format!("{}_{iterates}_{status}", language.name));
                let mut words = vec!["generate", model, "--lang", language.name, "--out", &out];
                words.extend(["--functions", "forward"]);
                words.extend(status.then_some("--status"));
                let answer = run(&words);
                assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{words:?}");
                let read = |name| fs::read_to_string(Path::new(&out).join(name)).expect("a text");
                names(&out).into_iter().map(read).collect::<String>()
            };
            let (plain, told) = (write(false), write(true));
            let rows = "rows closure 1; columns iterations, converged, residual, correction";
            // Long lines are broken.
            let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert_eq!(plain == told, !iterates, "{}", language.name);
            assert!(!flat(&plain).contains("correction"), "{}", language.name);
            assert_eq!(flat(&told).contains(rows), iterates, "{}", language.name);
        }
    }
}

/// Programs as text come back as source code, and so do equations of the user's own.
#[test]
fn programs_and_equations_become_source_code() {
    let folder = Folder::new("programs");
    let (texts, code) = (folder.path("texts"), folder.path("code"));
    let words = ["generate", PENDULUM, "--lang", "program", "--functions", "inverse,mass", "--out"];
    let answer = run(&[&words[..], &[&texts]].concat());
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    assert_eq!(names(&texts), ["double_pendulum_inverse.program", "double_pendulum_mass.program"]);
    let program = format!("{texts}/double_pendulum_inverse.program");
    let answer = run(&["generate", &program, "--lang", "python", "--out", &code]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    assert!(names(&code).contains(&"double_pendulum_inverse.py".to_owned()), "{:?}", names(&code));
    // Written once more it is the same text.
    let again = folder.path("again");
    run(&["generate", &program, "--lang", "program", "--out", &again]);
    let read = |folder: &str| fs::read(format!("{folder}/double_pendulum_inverse.program")).ok();
    assert!(read(&texts).is_some());
    assert_eq!(read(&texts), read(&again));

    let text =
        "input x, v\nparameter mu = 0.5\nr = 1 - x^2\noutput xd = v\noutput vd = mu*r*v - x\n";
    let own = folder.file("oscillator.eq", text);
    let code = folder.path("oscillator");
    let answer = run(&["generate", &own, "--lang", "c", "--out", &code]);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""));
    let header = fs::read_to_string(format!("{code}/oscillator.h")).expect("a header");
    assert!(header.contains("oscillator_run"), "{header}");
    let answer = run(&["diff", "--equations", &own, "--by", "v"]);
    assert_eq!(answer.out, "dxd/dv = 1\ndvd/dv = mu*(1 - x^2)\n");
    let answer = run(&["simplify", "--equations", &own]);
    assert_eq!(answer.out, "xd = v\nvd = mu*v*(1 - x^2) - x\n");

    let wrong = folder.file("wrong.eq", "input x\noutput y = x + z\n");
    let out = folder.path("out");
    refused(
        &folder,
        1,
        &["generate", &wrong, "--lang", "c", "--out", &out],
        &["wrong.eq:2:16", "`z`"],
    );
    let broken = folder.file("broken.program", "program nothing\n%1 = add %7\n");
    refused(
        &folder,
        1,
        &["generate", &broken, "--lang", "c", "--out", &out],
        &["broken.program: 2:1"],
    );
    let only = ["takes --lang, --out, --prefix and --force only"];
    refused(&folder, 1, &["generate", &own, "--lang", "c", "--set", "mu=1", "--out", &out], &only);
    refused(
        &folder,
        1,
        &["generate", &own, "--lang", "latex", "--out", &out],
        &["latex describes mechanisms"],
    );
    let answer = run(&["diff", "--equations", &own, "--by", "w"]);
    assert!(answer.err.contains("`w` is no input or parameter"), "{}", answer.err);
}
