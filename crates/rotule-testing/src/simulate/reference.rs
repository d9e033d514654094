//! Problems with known answers: models, and digits that nobody here wrote, in `digits`.
//!
//! The first line of a table of digits names time and then coordinates and speeds as the model has
//! them. Tests hold methods against the digits; the benchmark `precision` shows errors and costs.

use super::{ends, example, plant_in};
use rotule_simulate::augmented::ConstraintForm;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::{is_second_order, method};
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::run::{Outcome, Threshold};
use std::fmt::Write;

/// A model with its answers.
pub struct Problem {
    /// The name in tables and messages.
    pub name: &'static str,
    /// The model file.
    pub model: String,
    /// The table of digits, as text.
    pub digits: &'static str,
}

/// A point mass in the plane, held by a rod: the pendulum of IFToMM benchmark A01 as that benchmark
/// asks for it.
pub const POINT_MASS: &str = r#"
[model]
name = "point_mass"
gravity = [0, -9.81, 0]

[[body]]
name = "mass"
parent = "ground"
joint = [{ name = "x", type = "prismatic", axis = "x" }, { name = "y", type = "prismatic", axis = "y" }]
mass = 1

[[cut]]
name = "rod"
type = "rod"
length = 1
between = ["ground", "mass"]

[initial.q]
x = -1
"#;

/// A body that turns freely about its centre, almost about its middle axis.
pub const DZHANIBEKOV: &str = r#"
[model]
name = "dzhanibekov"
gravity = [0, 0, 0]

[[body]]
name = "wing_nut"
parent = "ground"
joint = { name = "attitude", type = "spherical" }
mass = 1
inertia = { xx = 1, yy = 2, zz = 3 }

[initial.qd]
attitude = [0.01, 1, 0.02]
"#;

/// A pendulum of equal links from the horizontal: point masses at the ends of massless rods, or
/// uniform rods.
pub fn pendulum(links: usize, rods: bool) -> String {
    let mut text = "[model]\nname = \"links\"\ngravity = [0, -9.81, 0]\n".to_owned();
    let mut parent = "ground".to_owned();
    for link in 1..=links {
        let mass = match rods {
            true => "com = [0, \"-1/2\", 0]\ninertia = { xx = \"1/12\", zz = \"1/12\" }",
            false => "com = [0, -1, 0]",
        };
        write!(
            text,
            "[[body]]\nname = \"link{link}\"\nparent = \"{parent}\"\npoints.tip = [0, -1, 0]\nmass = 1\n{mass}\n\
             joint = {{ name = \"q{link}\", type = \"revolute\", axis = \"z\" }}\n"
        )
        .expect("strings take everything");
        parent = format!("link{link}.tip");
    }
    text + "[initial.q]\nq1 = \"pi/2\"\n"
}

/// The bicycle of the gallery with another start.
pub fn bicycle(speed: &str, roll_rate: &str) -> String {
    let text = example("whipple_bicycle.toml");
    let (model, start) = text.split_once("x = 4.6").expect("the start of the bicycle");
    let start = format!("x = 4.6{start}").replace("4.6", speed).replace("0.5", roll_rate);
    format!("{model}{start}")
}

/// The cart-pole without force.
fn cart_pole() -> String {
    let text = example("cart_pole.toml");
    let (model, _) = text.split_once("[initial.q]").expect("the start of the cart-pole");
    let model = model.replace("F = { value = 10", "F = { value = 0");
    format!("{model}[initial.q]\ntheta = 0.1\n[initial.qd]\nx = 0.2\ntheta = -0.3\n")
}

/// All problems.
pub fn problems() -> Vec<Problem> {
    let all: [(&'static str, String, &'static str); 14] = [
        (
            "andrews_squeezer",
            example("andrews_squeezer.toml"),
            include_str!("../../digits/andrews_squeezer.csv"),
        ),
        ("point_mass", POINT_MASS.to_owned(), include_str!("../../digits/pendulum.csv")),
        (
            "flyball_governor",
            example("flyball_governor.toml"),
            include_str!("../../digits/flyball_governor.csv"),
        ),
        (
            "spatial_slider_crank",
            example("spatial_slider_crank.toml"),
            include_str!("../../digits/spatial_slider_crank.csv"),
        ),
        ("heavy_top", example("heavy_top.toml"), include_str!("../../digits/heavy_top.csv")),
        ("dzhanibekov", DZHANIBEKOV.to_owned(), include_str!("../../digits/dzhanibekov.csv")),
        ("bicycle_m1", bicycle("4", "0.05"), include_str!("../../digits/bicycle_m1.csv")),
        ("bicycle_m2", bicycle("4.6", "0.5"), include_str!("../../digits/bicycle_m2.csv")),
        ("bicycle_m3", bicycle("8", "0.05"), include_str!("../../digits/bicycle_m3.csv")),
        ("pendulum_2", pendulum(2, false), include_str!("../../digits/pendulum_2_point.csv")),
        ("pendulum_3", pendulum(3, false), include_str!("../../digits/pendulum_3_point.csv")),
        ("pendulum_5", pendulum(5, false), include_str!("../../digits/pendulum_5_point.csv")),
        ("pendulum_3_rods", pendulum(3, true), include_str!("../../digits/pendulum_3_rod.csv")),
        ("cart_pole", cart_pole(), include_str!("../../digits/cart_pole.csv")),
    ];
    all.map(|(name, model, digits)| Problem { name, model, digits }).into()
}

/// The problem of a name.
pub fn problem(name: &str) -> Problem {
    problems().into_iter().find(|one| one.name == name).expect("a problem of this name")
}

/// A number of a plant's point, by its name.
pub fn value(plant: &Plant, name: &str) -> f64 {
    let mechanism = &plant.tree.mechanism;
    let InputPoint { q, qd, .. } = plant.point();
    let coordinate = mechanism.coordinates.iter().position(|one| one.name == name);
    let speed = mechanism.speeds.iter().position(|one| one.name == name);
    coordinate.map(|at| q[at]).or(speed.map(|at| qd[at])).unwrap_or_else(|| panic!("no `{name}`"))
}

/// A table of digits: names, and times with numbers.
pub fn table(digits: &str) -> (Vec<&str>, Vec<(f64, Vec<f64>)>) {
    let mut lines = digits.lines().filter(|line| !line.starts_with('#'));
    let names = lines.next().expect("a line of names").split(',').skip(1).collect();
    let row = |line: &str| {
        let numbers: Vec<f64> = line.split(',').map(|one| one.parse().expect("a number")).collect();
        (numbers[0], numbers[1..].to_vec())
    };
    (names, lines.map(row).collect())
}

/// The distance of a motion from the digits.
pub struct Solved {
    /// By time: the largest error of a coordinate, and of a speed in parts of itself.
    pub errors: Vec<(f64, f64, f64)>,
    /// By time, the errors of all numbers in the order of the digits.
    pub each: Vec<Vec<f64>>,
    /// The outcome of the run.
    pub outcome: Outcome,
}

impl Solved {
    /// The largest error of a coordinate up to a time.
    pub fn coordinates(&self, until: f64) -> f64 {
        self.errors.iter().filter(|row| row.0 <= until).fold(0.0, |most, row| row.1.max(most))
    }

    /// The largest error of a speed, in parts of itself, up to a time.
    pub fn speeds(&self, until: f64) -> f64 {
        self.errors.iter().filter(|row| row.0 <= until).fold(0.0, |most, row| row.2.max(most))
    }
}

/// The form of the equations that a method takes.
pub fn form(method: &str) -> ConstraintForm {
    if is_second_order(method) { ConstraintForm::Index3 } else { ConstraintForm::Partition }
}

/// Solves a problem up to a time with a method.
pub fn solve(problem: &Problem, name: &str, accuracy: Accuracy, until: f64) -> Solved {
    let mut plant = plant_in(&problem.model, form(name));
    let mut method = method(name, accuracy, plant.size()).expect("a method");
    let (names, rows) = table(problem.digits);
    let times: Vec<f64> = rows.iter().map(|row| row.0).filter(|&t| t <= until).collect();
    let mut solved = Vec::new();
    let outcome = ends(&mut plant, method.as_mut(), &times, Threshold::AUTOMATIC, |plant| {
        solved.push(names.iter().map(|name| value(plant, name)).collect::<Vec<f64>>());
    });
    let mut errors = Vec::new();
    let mut each = Vec::new();
    for ((t, expected), found) in rows.iter().zip(&solved) {
        let (mut q, mut qd) = (0.0_f64, 0.0_f64);
        for ((name, expected), found) in names.iter().zip(expected).zip(found) {
            let error = (found - expected).abs();
            let speed = [".d", ".v", ".w"].iter().any(|mark| name.contains(mark));
            match speed {
                true => qd = qd.max(error / expected.abs()),
                false => q = q.max(error),
            }
        }
        errors.push((*t, q, qd));
        each.push(expected.iter().zip(found).map(|(a, b)| (a - b).abs()).collect());
    }
    Solved { errors, each, outcome }
}
