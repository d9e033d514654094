//! `cargo xtask bench --against REVISION`: this checkout beside another commit, in one run.
//!
//! Both programs are built with full optimisation, the other one in a worktree of its own. Then
//! they generate the same C in turns, so that what else the machine does meets both, and the least
//! times are compared. So are the programs of all functions of all models below `examples` that
//! both have: the operations of an evaluation, and all operations that a program has, those of its
//! setup and of one pass of its iterations included.

use crate::failure::Failure;
use crate::process::Call;
use crate::project::Project;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Repeats of each measurement.
const REPEATS: usize = 9;

/// The functions that are generated together. Both commits know the older names.
const FUNCTIONS: &str = "inverse,mass,direct,derivative(inverse, q),derivative(inverse, qd),\
                         derivative(direct, q),derivative(direct, qd)";

/// The models of the table of times, with the functions and the formalism.
const TIMED: [(&str, &str, &str); 4] = [
    ("robots/ur5.urdf", FUNCTIONS, "auto"),
    ("robots/panda7.urdf", FUNCTIONS, "auto"),
    ("robots/anymal_b.urdf", FUNCTIONS, "auto"),
    (CHAIN, "inverse", "auto"),
];

/// A chain of 1000 joints, which is written for the run.
const CHAIN: &str = "chain_1000.toml";

/// Models that take minutes to count; they are named by `--all`.
const LARGE: [&str; 2] = ["multilink_car.toml", "train_20.toml"];

/// Runs both programs.
pub fn run(project: &Project, revision: &str, all: bool) -> Result<(), Failure> {
    let folder = project.target.join("against");
    let tree = folder.join("tree");
    fs::create_dir_all(&folder).map_err(Failure::file("make the folder", &folder))?;
    let git = |words: &str| Call::new("git", words).folder(&project.root);
    // A tree that is at this commit is kept, with what was built in it.
    let commit = |folder: &Path, revision: &str| {
        Call::new("git", "rev-parse --verify --quiet").with(revision).folder(folder).text()
    };
    let requested = commit(&project.root, &format!("{revision}^{{commit}}"))?;
    if !tree.exists() || commit(&tree, "HEAD")? != requested {
        if tree.exists() {
            git("worktree remove --force").with(tree.display().to_string()).run()?;
        }
        git("worktree add --quiet --detach")
            .with(tree.display().to_string())
            .with(revision)
            .run()?;
    }
    let build = "build --release --bin rotule";
    let other = folder.join("target");
    Call::new("cargo", build).folder(&tree).quiet_variable("CARGO_TARGET_DIR", &other).run()?;
    project.cargo("build --release --package rotule-cli --bin rotule").run()?;
    let program = |target: &Path| target.join("release/rotule");
    let sides = [(program(&other), tree), (program(&project.target), project.root.clone())];
    let chain = folder.join(CHAIN);
    fs::write(&chain, chain_text(1000)).map_err(Failure::file("write", &chain))?;

    println!("| model | functions | {revision} | here |\n|---|---|---|---|");
    for (model, functions, formalism) in TIMED {
        let mut least = [Duration::MAX; 2];
        for _ in 0..REPEATS {
            for ((program, tree), least) in sides.iter().zip(&mut least) {
                let own = tree.join("examples").join(model);
                let path = if model == CHAIN { &chain } else { &own };
                let call = Call::new(program.display().to_string(), "generate")
                    .with(path.display().to_string())
                    .with("--functions")
                    .with(functions)
                    .with("--formalism")
                    .with(formalism)
                    .with("--lang")
                    .with("c")
                    .with("--force")
                    .with("--out")
                    .with(folder.join("out").display().to_string());
                let start = Instant::now();
                call.text()?;
                *least = start.elapsed().min(*least);
            }
        }
        let [old, new] = least.map(|time| format!("{:.1} ms", time.as_secs_f64() * 1e3));
        println!("| {model} | {} | {old} | {new} |", functions.matches(',').count() + 1);
    }
    counts(&sides, all)
}

/// The table of operations: rows that differ, and how many do not.
fn counts(sides: &[(PathBuf, PathBuf); 2], all: bool) -> Result<(), Failure> {
    println!(
        "\n| model | function | formalism | operations before | here | of the whole program before | here |\n\
         |---|---|---|---|---|---|---|"
    );
    let mut models = Vec::new();
    find(&sides[1].1.join("examples"), &mut models)?;
    let (mut same, mut lower, mut higher, mut left_out) = (0, 0, 0, Vec::new());
    for path in &models {
        let name = path.strip_prefix(&sides[1].1).unwrap_or(path).display().to_string();
        let old = sides[0].1.join(&name);
        let large = LARGE.iter().any(|large| name.ends_with(large));
        if !old.exists() || (large && !all) {
            left_out.push(name);
            continue;
        }
        let count = |program: &Path, path: &Path| {
            let call = Call::new(program.display().to_string(), "count --json --quiet");
            call.with(path.display().to_string()).text().map(|text| operations(&text))
        };
        let (Ok(old), Ok(new)) = (count(&sides[0].0, &old), count(&sides[1].0, path)) else {
            left_out.push(name);
            continue;
        };
        for ((function, formalism), after) in &new {
            let Some(before) = old.get(&(function.clone(), formalism.clone())) else { continue };
            if after == before {
                same += 1;
                continue;
            }
            let more = after.evaluation > before.evaluation || after.whole > before.whole;
            *(if more { &mut higher } else { &mut lower }) += 1;
            println!(
                "| {name} | {function} | {formalism} | {} | {} | {} | {} |",
                before.evaluation, after.evaluation, before.whole, after.whole
            );
        }
    }
    println!("\n{} models: {same} equal, {lower} lower, {higher} higher", models.len());
    println!("left out: {}", left_out.join(", "));
    Ok(())
}

/// The models below a folder, by name.
fn find(folder: &Path, models: &mut Vec<PathBuf>) -> Result<(), Failure> {
    let list = fs::read_dir(folder).map_err(Failure::file("list", folder))?;
    let mut paths: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            find(&path, models)?;
        } else if path.extension().is_some_and(|end| MODELS.iter().any(|one| end == *one)) {
            models.push(path);
        }
    }
    Ok(())
}

/// Endings of model files.
const MODELS: [&str; 5] = ["toml", "urdf", "sdf", "mjcf", "mbs"];

/// Words of former commits for functions and formalisms.
const FORMER: [(&str, &str); 7] = [
    ("direct_tangent", "forward_tangent"),
    ("direct", "forward"),
    ("order", "articulated-body"),
    ("classical", "newton-euler"),
    ("progressive", "outward"),
    ("regressive", "inward"),
    ("hybrid", "mixed"),
];

/// Operations of a program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Operations {
    /// Those of an evaluation but for functions such as sines, as `rotule count` has them.
    evaluation: u64,
    /// Those of setup, evaluation and a pass of iterations, functions included.
    whole: u64,
}

/// Operations by function and formalism, as `rotule count --json` prints them: a key in a line, the
/// keys of a program behind six blanks and what is counted behind eight.
fn operations(text: &str) -> BTreeMap<(String, String), Operations> {
    let mut found = BTreeMap::new();
    let (mut formalism, mut function) = (String::new(), String::new());
    let (mut own, mut is_counted) = (Operations::default(), false);
    for line in text.lines() {
        let key_value = line.trim_end_matches(',').split_once(": ");
        match key_value {
            Some(("      \"formalism\"", value)) => formalism = today(value),
            Some(("      \"function\"", value)) => function = today(value),
            Some(("      \"operations\"", value)) => own.evaluation = value.parse().unwrap_or(0),
            Some((key, value)) if key.starts_with("        ") && is_counted => {
                own.whole += value.parse().unwrap_or(0);
            }
            Some((key, value)) => {
                let sections = ["evaluation", "iteration", "setup"];
                is_counted = value == "{" && sections.contains(&key.trim().trim_matches('"'));
            }
            None if line.starts_with("    }") => {
                found.entry((function.clone(), formalism.clone())).or_insert(own);
                (own, is_counted) = (Operations::default(), false);
            }
            None => {}
        }
    }
    found
}

/// The word of today for a function or a formalism of a former commit.
fn today(value: &str) -> String {
    let value = value.trim_matches('"');
    let stem = value.trim_end_matches("-n");
    let former = FORMER.iter().find(|former| former.0 == stem);
    former.map_or(value, |former| former.1).to_owned()
}

/// A chain of joints about alternating axes.
fn chain_text(joints: usize) -> String {
    let mut text = String::from("[model]\nname = \"chain\"\n");
    for i in 1..=joints {
        let parent = if i == 1 { "ground".to_owned() } else { format!("b{}", i - 1) };
        let axis = ["x", "y", "z"][i % 3];
        let _ = write!(
            text,
            "[[body]]\nname = \"b{i}\"\nparent = \"{parent}\"\nposition = [0.3, 0, 0.1]\n\
             joint = {{ name = \"q{i}\", type = \"revolute\", axis = \"{axis}\" }}\nmass = 1.5\n\
             com = [0.1, 0.02, 0]\ninertia = {{ xx = 0.01, yy = 0.02, zz = 0.02, xy = 0.001 }}\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_by_function_and_formalism() {
        let text = "{\n  \"counts\": [\n    {\n      \"evaluation\": {\n        \"*\": 300,\n        \
                    \"+\": 13,\n        \"sin\": 6\n      },\n      \"formalism\": \"classical\",\n      \
                    \"function\": \"direct\",\n      \"functions\": 6,\n      \"iteration\": {},\n      \
                    \"operations\": 313,\n      \"parts\": [],\n      \"setup\": {\n        \"*\": 2\n      \
                    }\n    }\n  ]\n}\n";
        let key = ("forward".to_owned(), "newton-euler".to_owned());
        let expected = Operations { evaluation: 313, whole: 321 };
        assert_eq!(operations(text).get(&key), Some(&expected));
    }
}
