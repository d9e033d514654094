//! The page of operation counts in the manual: golden figures of known mechanisms, and the bounds
//! that they keep.
//!
//! `UPDATE_EXPECT=1 cargo test -p rotule-formalism --test counts` writes the page anew; look at the
//! difference before it is kept.

use rotule_formalism::{
    Formalism, ModelFunction, MultibodySystem, Transformations, generate, normalise,
};
use rotule_model::{ReadOptions, load_text};
use rotule_program::ArithmeticOperation::{Add, Div, Mul, Sub};
use rotule_program::ProgramCounts;
use rotule_testing::formalism;
use rotule_testing::formalism::{example, tree};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const MODELS: [(&str, &str); 10] = [
    ("puma560", "PUMA 560, sparse parameters with rotors (`examples/puma560.toml`)"),
    ("puma560_full", "PUMA 560, ten parameters per link and rotors, all symbols"),
    ("puma560_p1", "PUMA, pattern P1 (`examples/puma560_p1.toml`)"),
    ("kuka_iiwa14", "KUKA iiwa 14 (`examples/kuka_iiwa14.toml`)"),
    ("n_pendulum_8", "Pendulum of 8 links (`examples/n_pendulum_8.toml`)"),
    ("motorcycle", "Motorcycle, with suspension and tyres (`examples/motorcycle.toml`)"),
    ("quadruped", "Quadruped, floating base (`examples/quadruped.toml`)"),
    ("ur5", "UR5 (`examples/robots/ur5.urdf`)"),
    ("panda7", "Panda (`examples/robots/panda7.urdf`)"),
    ("anymal_b", "ANYmal B, floating base (`examples/robots/anymal_b.urdf`)"),
];

/// Robots that others have measured, and whether their base moves.
const ROBOTS: [(&str, bool); 3] = [("ur5", false), ("panda7", false), ("anymal_b", true)];

const FUNCTIONS: [&str; 5] = ["inverse", "mass", "mass_bias", "gravity", "forward"];

fn counts(model: &str, function: &str, formalism: Formalism) -> ProgramCounts {
    let tree = model_tree(model);
    let function = ModelFunction::parse(function, &tree).expect("a known function");
    let made = generate(&tree, &function, Some(formalism));
    made.unwrap_or_else(|problem| panic!("{model}: {problem}")).counts
}

fn model_tree(model: &str) -> MultibodySystem {
    read(model, false)
}

/// A model, with its rounded angles as they are written or made exact.
fn read(model: &str, as_written: bool) -> MultibodySystem {
    if let Some(&(_, floating_base)) = ROBOTS.iter().find(|robot| robot.0 == model) {
        let file = format!("robots/{model}.urdf");
        let options = ReadOptions { floating_base, as_written, ..ReadOptions::default() };
        let mechanism = load_text(&file, example(&file), &options).expect("examples are valid");
        return normalise(mechanism);
    }
    match model {
        "puma560_full" => tree(include_str!("models/puma560_full.toml")),
        _ => tree(&example(&format!("{model}.toml"))),
    }
}

/// The operations of the cheapest formalism with some steps.
fn with_steps(mut tree: MultibodySystem, function: &str, steps: Transformations) -> u64 {
    let model = tree.mechanism.name.clone();
    tree.strategy.transformations = steps;
    let function = ModelFunction::parse(function, &tree).expect("a known function");
    let made = generate(&tree, &function, None);
    made.unwrap_or_else(|problem| panic!("{model}: {problem}")).counts.body.total()
}

fn step_by_step(page: &mut String) {
    page.push_str(
        "\n## Transformation by transformation\n\nOperations of the cheapest formalism, with one more transformation in each row. `rotule count MODEL --transformations` \
         prints these, and a row for fixed bodies that are merged, of which these files have none.\n\n| with | UR5 inverse | mass | forward | Panda inverse | mass | forward | ANYmal B inverse | mass | forward |\n\
         |---|---|---|---|---|---|---|---|---|---|\n",
    );
    type Make = fn(&str) -> MultibodySystem;
    let mut rows: Vec<(&str, Make, Transformations)> = vec![
        ("none", |model| read(model, true), Transformations::NONE),
        ("rounded angles made exact", model_tree, Transformations::NONE),
    ];
    rows.extend(
        Transformations::GROWING[1..]
            .iter()
            .map(|&(name, steps)| (name, model_tree as Make, steps)),
    );
    for (name, make, steps) in rows {
        let _ = write!(page, "| {name} |");
        for (model, _) in ROBOTS {
            for function in ["inverse", "mass", "forward"] {
                let _ = write!(page, " {} |", with_steps(make(model), function, steps));
            }
        }
        page.push('\n');
    }
}

/// Upper bounds on the operations of three robots.
#[test]
fn robots_keep_their_bounds() {
    for (model, bounds) in
        [("ur5", [330, 200, 600]), ("panda7", [560, 400, 1000]), ("anymal_b", [1400, 800, 3000])]
    {
        for (function, bound) in ["inverse", "mass", "forward"].into_iter().zip(bounds) {
            let found = with_steps(model_tree(model), function, Transformations::ALL);
            assert!(found <= bound, "{model}, {function}: {found} of {bound}");
        }
    }
}

fn page() -> String {
    let mut page = String::from(
        "# Operation counts\n\nOperations of one evaluation: `+ - * /` count one each, functions such as sin, cos and sqrt are counted \
         separately, a change\nof sign is free. `setup` runs once per change of the parameters. `rotule count MODEL` prints such a table \
         for any model.\nA test writes this page, so that it is always up to date.\n",
    );
    for (model, about) in MODELS {
        let _ = write!(
            page,
            "\n## {about}\n\n| function | formalism | mul, div | add, sub | operations | functions | setup |\n\
             |---|---|---|---|---|---|---|\n"
        );
        for function in FUNCTIONS {
            let formalisms: &[Formalism] = match function {
                "forward" => {
                    &[Formalism::NewtonEuler, Formalism::Barycentric, Formalism::ArticulatedBody]
                }
                _ => &[Formalism::NewtonEuler, Formalism::Barycentric],
            };
            for &formalism in formalisms {
                let ProgramCounts { setup, body, .. } = counts(model, function, formalism);
                let sum = |first, second| body.arithmetic(first) + body.arithmetic(second);
                let _ = writeln!(
                    page,
                    "| {function} | {} | {} | {} | {} | {} | {} |",
                    formalism.name(),
                    sum(Mul, Div),
                    sum(Add, Sub),
                    body.total(),
                    body.functions(),
                    setup.operations()
                );
            }
        }
    }
    step_by_step(&mut page);
    page
}

#[test]
fn the_page_shows_the_counts_of_the_program() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/manual/counts.md");
    let renewed = page();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, renewed).expect("the page can be written");
    } else {
        let shown = fs::read_to_string(path).expect("the manual has the page");
        assert_eq!(shown, renewed, "the page shows other counts than the program");
    }
}

/// Arithmetic alone, as OpenSYMORO and ROBOTRAN count: 361 and 338 for the sparse set, 653 for the
/// full one.
#[test]
fn puma_560_is_cheaper_than_elsewhere() {
    for (model, bound) in [("puma560", 326), ("puma560_full", 581)] {
        let found = counts(model, "inverse", Formalism::Barycentric).body.total();
        assert!(found <= bound, "{model}: {found} of {bound}");
    }
}

/// Functions included, as ROBOTRAN counts (Postiau, tables 1.6 to 1.8; the bounds are those of a
/// prototype on this pattern).
#[test]
fn pattern_p1_keeps_its_bounds() {
    use Formalism::{ArticulatedBody, Barycentric, NewtonEuler};
    for (function, formalism, bound) in [
        ("inverse", Barycentric, 316),
        ("inverse", NewtonEuler, 354),
        ("mass_bias", Barycentric, 495),
        ("mass_bias", NewtonEuler, 684),
        ("forward", Barycentric, 657),
        ("forward", NewtonEuler, 846),
        ("forward", ArticulatedBody, 870),
    ] {
        let found = counts("puma560_p1", function, formalism).body.operations();
        assert!(found <= bound, "{function} {}: {found} of {bound}", formalism.name());
    }
}

/// Kane's method in SymPy needs 1410 after its own elimination of common parts.
#[test]
fn pendulum_of_eight_links_keeps_its_bound() {
    let found = counts("n_pendulum_8", "mass_bias", Formalism::Barycentric).body.operations();
    assert!(found < 600, "{found}");
}

/// A pendulum of n links: point masses on rods.
fn pendulum(links: usize) -> String {
    let mut text = String::from("[model]\nname = \"pendulum\"\ngravity = [0, -9.81, 0]\n");
    for i in 1..=links {
        let parent = if i == 1 { "ground".to_owned() } else { format!("rod{}.tip", i - 1) };
        let _ = write!(
            text,
            "[[body]]\nname = \"rod{i}\"\nparent = \"{parent}\"\n\
             joint = {{ name = \"q{i}\", type = \"revolute\", axis = \"z\" }}\n\
             mass = 0.5\ncom = [0, -1, 0]\npoints.tip = [0, -1, 0]\n"
        );
    }
    text
}

/// From some length on, every further link costs the same.
#[test]
fn pendulums_of_up_to_a_hundred_links_grow_linearly() {
    for (function, formalism) in [
        ("inverse", Formalism::NewtonEuler),
        ("inverse", Formalism::Barycentric),
        ("forward", Formalism::ArticulatedBody),
    ] {
        let count = |links: usize| {
            let mut tree = tree(&pendulum(links));
            formalism::operations(&mut tree, function, formalism)
        };
        let (ten, twenty, hundred) = (count(10), count(20), count(100));
        let each = twenty - ten;
        assert_eq!(hundred - twenty, 8 * each, "{function} {}", formalism.name());
    }
}
