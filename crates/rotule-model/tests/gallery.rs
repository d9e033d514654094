//! The gallery: every example loads without a finding, closes its loops, converts to the model file
//! and back without change of meaning, and has the counts that its source gives.

use rotule_model::structure::expressions;
use rotule_model::{Accepted, Format, Mechanism, ReadOptions, Structure, Texts, structure, write};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("there is a gallery")
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    files.sort();
    assert!(files.len() >= 25, "the gallery has {} files", files.len());
    files
}

/// A model without a single finding.
fn load_clean(name: &str, text: &str) -> Accepted {
    let loaded = Texts::new(name, text).load(&ReadOptions::default()).expect("no errors");
    assert!(loaded.diagnostics.is_empty(), "{}", loaded.diagnostics.render(&loaded.sources));
    loaded
}

fn load_example(path: &Path) -> Accepted {
    let text = fs::read_to_string(path).expect("a readable example");
    assert!(text.starts_with('#'), "{}: a comment on top says what it is", path.display());
    load_clean(&path.display().to_string(), &text)
}

fn mechanism(path: &Path) -> Mechanism {
    load_example(path).mechanism
}

/// Everything that a mechanism says, as text.
fn meaning(mechanism: &Mechanism) -> Vec<String> {
    let mut all = vec![format!("{:#?}", structure(mechanism))];
    all.extend(expressions(mechanism).into_iter().map(|expr| mechanism.graph.text(expr)));
    all.extend(mechanism.coordinates.iter().map(|coordinate| coordinate.name.clone()));
    all.extend(mechanism.points.iter().map(|point| point.name.clone()));
    all.extend(mechanism.sensors.iter().map(|sensor| format!("{:?}", sensor.measures)));
    all
}

#[test]
fn every_example_loads_without_a_finding() {
    for path in examples() {
        load_example(&path);
    }
}

#[test]
fn every_example_survives_conversion() {
    for path in examples() {
        let first = load_example(&path);
        let written = write(&first.draft);
        let second = load_clean("written", &written);
        assert_eq!(written, write(&second.draft), "{}", path.display());
        let [first, second] = [first, second].map(|one| one.mechanism);
        assert_eq!(meaning(&first), meaning(&second), "{}", path.display());
    }
}

#[test]
fn every_loop_is_closed_at_the_initial_state() {
    for path in examples() {
        for one in structure(&mechanism(&path)).loops {
            let gap = one.gap_distance.max(one.gap_angle);
            assert!(gap < 1e-9, "{}, cut {}: open by {gap:e}", path.display(), one.name);
        }
    }
}

/// Speeds, constraints and degrees of freedom, where the mechanism or its source fixes them.
const COUNTS: &[(&str, [i64; 3])] = &[
    ("pendulum", [1, 0, 1]),
    ("double_pendulum", [2, 0, 2]),
    ("n_pendulum_8", [8, 0, 8]),
    ("sliding_pendulum", [2, 0, 2]),
    ("cart_pole", [2, 0, 2]),
    ("furuta", [2, 0, 2]),
    ("heavy_top", [3, 0, 3]),
    ("puma560", [6, 0, 6]),
    ("puma560_p1", [6, 0, 6]),
    ("kuka_iiwa14", [7, 0, 7]),
    ("motor_pendulum", [1, 0, 1]),
    ("motorcycle", [14, 0, 13]),
    ("slider_crank", [3, 2, 1]),
    ("four_bar_rod", [2, 1, 1]),
    ("four_bar_joint", [3, 2, 1]),
    ("four_bar_body", [4, 3, 1]),
    ("andrews_squeezer", [7, 6, 1]),
    ("five_bar", [4, 2, 2]),
    ("planar_robot_1", [9, 6, 3]),
    ("planar_robot_2", [9, 6, 3]),
    ("planar_robot_3", [12, 9, 3]),
    ("planar_robot_4", [9, 6, 3]),
    ("delta_robot", [12, 9, 3]),
    ("stewart_platform", [24, 18, 6]),
    ("multilink_car", [54, 40, 14]),
    ("ba2000_bogie", [23, 7, 16]),
    ("train", [24, 0, 24]),
    ("train_20", [720, 0, 720]),
];

#[test]
fn counts_are_those_of_the_sources() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (name, expected) in COUNTS {
        let found: Structure = structure(&mechanism(&folder.join(format!("{name}.toml"))));
        let counts = [found.speeds as i64, found.constraints as i64, found.mobility];
        assert_eq!(counts, *expected, "{name}: speeds, constraints, degrees of freedom");
    }
}

/// The page that lists the gallery, as it should be.
fn page() -> String {
    let mut page = "\
# Gallery

`rotule check` accepts every file without a diagnostic. *Speeds, constraints, freedom* (degrees of freedom) are its counts, without the
constraints that vanish in planar loops. Scripts generate some files in any size:
`generate.py pendulum N`, `generate_car.py`, `generate_train.py N`. The folder `formats` has one arm in every format,
`small` a double pendulum and a four-bar linkage with shapes in every format, `desk_lamp` a robot with meshes,
`robots` has robots of other projects, [`seeds`](seeds/README.md) the models of the works whose numbers Rotule is compared with.
`cart_pole.json` is a state for `rotule eval`.

| file | what it is | speeds | constraints | freedom |
|---|---|---|---|---|
"
    .to_owned();
    for path in examples() {
        let text = fs::read_to_string(&path).expect("a readable example");
        let title =
            text.lines().next().unwrap_or_default().trim_start_matches(['#', ' ']).to_owned();
        let found = structure(&mechanism(&path));
        let file = path.file_name().expect("a file").to_string_lossy().into_owned();
        let (speeds, constraints, freedom) = (found.speeds, found.constraints, found.mobility);
        page.push_str(&format!(
            "| [{file}]({file}) | {title} | {speeds} | {constraints} | {freedom} |\n"
        ));
    }
    page
}

#[test]
fn the_page_lists_the_gallery() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/README.md");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&file, page()).expect("the page can be written");
    }
    assert_eq!(fs::read_to_string(&file).expect("the gallery has a page"), page());
}

/// Models of the source works: speeds, constraints and degrees of freedom. A file that completes
/// another is loaded with it.
const SEEDS: &[(&str, &[&str], [i64; 3])] = &[
    ("double_lane_change", &[], [55, 40, 14]),
    ("four_post", &[], [54, 40, 14]),
    ("double_pendulum_3d", &[], [4, 0, 4]),
    ("double_pendulum_moore", &[], [2, 0, 2]),
    ("five_body_pendulum", &[], [5, 0, 5]),
    ("five_equal_bars", &[], [5, 2, 3]),
    ("robot2_1", &[], [1, 0, 1]),
    ("robot2_2", &[], [2, 0, 2]),
    ("robot2_3", &[], [3, 0, 3]),
    ("robot2_4", &[], [4, 0, 4]),
    ("robot2_5", &[], [5, 0, 5]),
    ("robot2_6", &[], [6, 0, 6]),
    ("robot2_7", &[], [7, 0, 7]),
    ("simple_car", &[], [16, 0, 16]),
    ("simple_car", &["simple_car_forces"], [16, 0, 14]),
    ("stewart_spinning", &[], [24, 18, 6]),
    ("three_link", &[], [3, 0, 3]),
    ("three_rotations_xyz", &[], [3, 0, 3]),
    ("three_rotations_yzx", &[], [3, 0, 3]),
    ("walking_pendulum", &[], [4, 1, 1]),
];

/// Every seed loads without a finding, is closed, has the counts of its source and a row in the
/// list of seeds.
#[test]
fn seeds_check_without_a_finding() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/seeds");
    let read = |name: &str| fs::read_to_string(folder.join(name)).expect("a readable seed");
    let list = read("README.md");
    for (name, with, expected) in SEEDS {
        let text = read(&format!("{name}.toml"));
        assert!(text.starts_with('#'), "{name}: a comment on top says what it is");
        let mut texts = Texts::new(*name, text);
        for with in *with {
            texts = texts.with(*with, read(&format!("{with}.toml")));
        }
        let loaded = texts.load(&ReadOptions::default()).expect("no errors");
        assert!(loaded.diagnostics.is_empty(), "{}", loaded.diagnostics.render(&loaded.sources));
        let found = structure(&loaded.mechanism);
        let counts = [found.speeds as i64, found.constraints as i64, found.mobility];
        assert_eq!(counts, *expected, "{name}: speeds, constraints, degrees of freedom");
        assert!(found.loops.iter().all(|one| one.gap_distance < 1e-9), "{name} is open");
    }
    let files = fs::read_dir(&folder).expect("a readable folder");
    for file in files.map(|entry| entry.expect("an entry").file_name()) {
        let file = file.to_string_lossy().into_owned();
        if let Some(name) = file.strip_suffix(".toml") {
            let known = SEEDS.iter().any(|seed| seed.0 == name || seed.1.contains(&name));
            assert!(known, "{file} is not among the seeds of this test");
        }
        let listed = file == "README.md" || list.contains(&format!("[{file}]({file})"));
        assert!(listed, "{file} is not in examples/seeds/README.md");
    }
}

/// Files that a program writes, and how it is called.
const GENERATED: &[(&str, &[&str])] = &[
    ("n_pendulum_8", &["generate.py", "pendulum", "8"]),
    ("multilink_car", &["generate_car.py"]),
    ("seeds/double_lane_change", &["generate_car.py", "lane"]),
    ("seeds/four_post", &["generate_car.py", "posts"]),
    ("train_20", &["generate_train.py", "20"]),
    ("seeds/robot2_1", &["generate.py", "robot2", "1"]),
    ("seeds/robot2_2", &["generate.py", "robot2", "2"]),
    ("seeds/robot2_3", &["generate.py", "robot2", "3"]),
    ("seeds/robot2_4", &["generate.py", "robot2", "4"]),
    ("seeds/robot2_5", &["generate.py", "robot2", "5"]),
    ("seeds/robot2_6", &["generate.py", "robot2", "6"]),
    ("seeds/robot2_7", &["generate.py", "robot2", "7"]),
];

#[test]
fn generated_examples_are_what_their_programs_write() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for (name, words) in GENERATED {
        let output = Command::new("python3")
            .args(*words)
            .current_dir(&folder)
            .output()
            .expect("python3 is installed by `cargo xtask test`");
        assert!(output.status.success(), "{words:?}");
        let file = fs::read(folder.join(format!("{name}.toml"))).expect("a readable example");
        assert!(output.stdout == file, "{name} is not what {words:?} writes");
    }
}

#[test]
fn a_pendulum_of_any_length_can_be_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for links in ["1", "3", "50"] {
        let mut command = Command::new("python3");
        command.args(["generate.py", "pendulum", links]).current_dir(&folder);
        let output = command.output().expect("python3 is installed by `cargo xtask test`");
        let text = String::from_utf8(output.stdout).expect("text");
        let found = structure(&load_clean("generated", &text).mechanism);
        assert_eq!(found.mobility.to_string(), links);
    }
}

/// Every format but that of model files.
fn foreign() -> impl Iterator<Item = (Format, &'static str, &'static [&'static str])> {
    Format::ALL.into_iter().filter(|(format, ..)| *format != Format::Native)
}

/// Users need the page of a format, and hostile files are tried on its reader.
#[test]
fn every_format_has_its_page_and_its_fuzz_target() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let pages = fs::read_to_string(root.join("docs/manual/README.md")).expect("the manual");
    for (_, name, endings) in foreign() {
        let page = format!("import-{name}.md");
        assert!(pages.contains(&format!("({page})")), "docs/manual/README.md does not link {page}");
        let needed = [
            format!("docs/manual/{page}"),
            format!("fuzz/fuzz_targets/{name}.rs"),
            format!("fuzz/corpus/{name}"),
            format!("fuzz/{name}.dict"),
        ];
        for path in needed {
            assert!(root.join(&path).exists(), "`{name}` needs {path}");
        }
        assert!(endings.contains(&name), "files of `{name}` end in .{name}");
    }
}

/// One arm in every format: no errors, and the written form means the same.
#[test]
fn the_arm_is_read_in_every_format() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/formats");
    for (format, ending, _) in foreign() {
        let path = folder.join(format!("arm.{ending}"));
        let text = fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("examples/formats/arm.{ending}: {error}"));
        let texts = Texts::new("arm", text).in_format(format);
        let loaded = texts.load(&ReadOptions::default()).expect("no errors");
        let shown = loaded.diagnostics.render(&loaded.sources);
        let warnings = loaded.diagnostics.count(rotule_model::Severity::Warning);
        assert!(warnings == 0, "{shown}");
        let written = load_clean("written", &write(&loaded.draft)).mechanism;
        let mechanism = loaded.mechanism;
        assert_eq!(meaning(&mechanism), meaning(&written), "{ending}");
        // All of them describe the same upper arm.
        let upper = mechanism.body("upper_arm").expect("there is one");
        let poses = rotule_model::pose::poses(&mechanism, &vec![0.0; mechanism.coordinates.len()]);
        assert!((poses[upper.index()].position[2] - 0.5).abs() < 1e-12, "{ending}");
    }
}
