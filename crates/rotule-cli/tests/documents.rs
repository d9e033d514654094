//! Documents: pages that are kept in `tests/golden`, names that must be escaped, and LaTeX that
//! must compile.
//!
//! `UPDATE_EXPECT=1 cargo test -p rotule-cli --test documents` writes the pages anew; look at them
//! before they are kept.

mod common;

use common::{Folder, run};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// The one file that a run of `generate` writes.
fn generated(folder: &Folder, model: &str, lang: &str, more: &[&str]) -> String {
    let out = folder.path(&format!("{lang}-{}", folder.names().len()));
    let mut words = vec!["generate", model, "--lang", lang, "--out", &out];
    words.extend(more);
    let answer = run(&words);
    assert_eq!((answer.code, answer.err.as_str()), (Some(0), ""), "{words:?}");
    let entry = fs::read_dir(&out).expect("the folder is there").next();
    let path = entry.expect("a file was written").expect("it can be read").path();
    path.to_string_lossy().into_owned()
}

#[test]
fn the_kept_pages_are_those_of_the_program() {
    let folder = Folder::new("documents-golden");
    for model in ["double_pendulum", "slider_crank"] {
        for (lang, ending) in [("latex", "tex"), ("markdown", "md")] {
            let path = generated(&folder, &format!("examples/{model}.toml"), lang, &[]);
            let now = fs::read_to_string(path).expect("text");
            let name = format!("tests/golden/{model}.{ending}");
            let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(&name);
            if std::env::var_os("UPDATE_EXPECT").is_some() {
                fs::write(&kept, &now).expect("the page can be written");
            } else {
                let shown = fs::read_to_string(&kept).expect("the page is kept");
                assert_eq!(shown, now, "{name} is not what is generated");
            }
        }
    }
}

/// Names with everything that LaTeX and Markdown take for their own.
const AWKWARD: &str = r##"
[model]
name = "100% & #1 {x}_^~"
about = "Costs $5 | a\\b <i>关节</i>"

[parameters]
"θ_0" = { value = 2, unit = "kg m^2", about = "50% of *all* & more" }

[[body]]
name = "left_arm"
parent = "ground"
joint = { name = "é_1", type = "revolute", axis = "z" }
mass = 3
com = [1, 0, 0]
inertia = { xx = "θ_0", yy = "θ_0", zz = "θ_0" }
"##;

/// Compiles a file in its folder; gives the widths by which lines are too wide, in points, or
/// nothing if there is no `pdflatex`.
fn compiled(path: &str) -> Option<Vec<f64>> {
    let path = Path::new(path);
    let run = Command::new("pdflatex")
        .args(["-interaction=nonstopmode", "-halt-on-error"])
        .arg(path.file_name().expect("a file"))
        .current_dir(path.parent().expect("a folder"))
        .stdin(Stdio::null())
        .output();
    let Ok(output) = run else {
        eprintln!(
            "NOT TESTED: there is no pdflatex on this machine, so {} was not compiled",
            path.display()
        );
        return None;
    };
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors: Vec<&str> = text.lines().filter(|line| line.starts_with('!')).collect();
    assert!(output.status.success() && errors.is_empty(), "{}: {errors:?}", path.display());
    let wide = text.lines().filter_map(|line| line.strip_prefix("Overfull \\hbox ("));
    let points = |line: &str| line.split("pt").next().and_then(|number| number.parse().ok());
    Some(wide.map(|line| points(line).expect("a width in points")).collect())
}

#[test]
fn latex_compiles_without_lines_that_are_too_wide() {
    let folder = Folder::new("documents-latex");
    let awkward = folder.file("awkward.toml", AWKWARD);
    let rows: &[(&str, &[&str])] = &[
        (&awkward, &[]),
        (&awkward, &["--freeze", "all"]),
        ("examples/pendulum.toml", &[]),
        ("examples/double_pendulum.toml", &[]),
        ("examples/slider_crank.toml", &[]),
        ("examples/cart_pole.toml", &[]),
        ("examples/furuta.toml", &[]),
        ("examples/sliding_pendulum.toml", &[]),
        ("examples/heavy_top.toml", &["--functions", "inverse,forward,mass"]),
        ("examples/puma560.toml", &["--functions", "inverse"]),
        ("examples/quadruped.toml", &["--functions", "inverse"]),
    ];
    for (model, more) in rows {
        let path = generated(&folder, model, "latex", more);
        if let Some(wide) = compiled(&path) {
            let widest = wide.into_iter().fold(0.0, f64::max);
            // A few points are not seen.
            assert!(widest < 6.0, "{model}: a line is {widest} points too wide");
        }
    }
}

/// Every model of the gallery, with recursions, long names and laws: no line leaves the page.
/// Documents of hundreds of pages are left out.
#[test]
fn documents_of_the_gallery_fit_the_page() {
    let folder = Folder::new("documents-gallery");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut models: Vec<String> = Vec::new();
    for (place, ending) in [("examples", "toml"), ("examples/robots", "urdf")] {
        let entries = fs::read_dir(root.join(place)).expect("the examples are there");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        let names = names.map(|name| format!("{place}/{}", name.to_string_lossy()));
        models.extend(names.filter(|name| name.ends_with(&format!(".{ending}"))));
    }
    models.sort_unstable();
    models.retain(|name| !name.contains("train_20") && !name.contains("multilink_car"));
    assert!(models.len() > 25, "{models:?}");
    for model in &models {
        let out = folder.path(&format!("gallery-{}", folder.names().len()));
        let answer = run(&["generate", model, "--lang", "latex", "--out", &out]);
        assert_eq!(answer.code, Some(0), "{model}: {}", answer.err);
        let entry = fs::read_dir(&out).expect("the folder is there").next();
        let path = entry.expect("a file was written").expect("it can be read").path();
        let Some(wide) = compiled(&path.to_string_lossy()) else { return };
        let widest = wide.into_iter().fold(0.0, f64::max);
        assert!(widest < 10.0, "{model}: a line is {widest} points too wide");
    }
}

/// Nothing is used before its own line, and numbers of equations count up from one.
#[test]
fn equations_are_numbered_in_order() {
    let folder = Folder::new("documents-order");
    let path = generated(&folder, "examples/puma560.toml", "markdown", &["--functions", "inverse"]);
    let text = fs::read_to_string(path).expect("text");
    let (mut number, mut known) = (0, Vec::new());
    for line in text.lines() {
        if let Some((left, right)) = line.split_once(" &= ") {
            for word in right.split([' ', '(', ')', '^', '-']).filter(|word| word.contains("link"))
            {
                assert!(known.contains(&word), "{word} is used before it is defined");
            }
            known.push(left);
        }
        if let Some((_, rest)) = line.split_once("&& \\text{(") {
            number += 1;
            assert!(rest.starts_with(&format!("{number})")), "{line}");
        }
    }
    assert!(number > 100 && known.len() > 100, "{number} equations");
}
