//! Ready beginnings, as the phrases that describe them.

use super::OutlineElement;
use super::phrase::request;
use crate::error::Error;
use rotule_symbolic::likely;

/// The names of templates and what they are.
pub const TEMPLATES: &[(&str, &str)] = &[
    ("pendulum", "a rod that swings about a pin"),
    ("double-pendulum", "two rods, one hanging from the other"),
    ("four-bar", "crank, coupler and rocker: a closed loop, with a spring"),
    ("slider-crank", "crank, rod and piston: a closed loop, driven"),
    ("cart-pole", "a pole that stands on a cart"),
    ("quarter-car", "a wheel and a quarter of a car on a road that moves"),
    ("arm-N", "a robot arm of N revolute joints, such as arm-6"),
];

/// The most joints of an arm: more are no file to read.
pub const LARGEST_ARM: usize = 100;

/// The content of a template.
pub struct Template {
    /// A sentence about it.
    pub about: String,
    /// The direction of gravity.
    pub gravity: &'static str,
    /// Its elements.
    pub phrases: Vec<(OutlineElement, String)>,
}

/// A template by its name.
pub fn find(name: &str) -> Result<Template, Error> {
    let (about, gravity, phrases): (&str, _, &[(OutlineElement, &str)]) = match name {
        "pendulum" => ("A uniform rod that swings about a horizontal pin.", "-z", PENDULUM),
        "double-pendulum" => {
            ("Two uniform rods, one hanging from the other.", "-z", DOUBLE_PENDULUM)
        }
        "four-bar" => {
            ("A four-bar linkage in the x-y plane, with a spring on its rocker.", "-y", FOUR_BAR)
        }
        "slider-crank" => {
            ("A crank that turns at a constant speed moves a piston along x.", "-z", SLIDER_CRANK)
        }
        "cart-pole" => ("A pole that stands on a cart and falls over.", "-z", CART_POLE),
        "quarter-car" => (
            "A quarter of a car over its wheel, on a road that moves up and down.",
            "-z",
            QUARTER_CAR,
        ),
        other => match other.strip_prefix("arm-") {
            Some(count) => return arm(count),
            None => {
                let help = likely(other, TEMPLATES.iter().map(|(name, _)| *name));
                let help = help
                    .strip_prefix("there are ")
                    .map_or(help.clone(), |all| format!("expected one of {all}"));
                let message = format!("there is no template `{}`", super::phrase::shown(other));
                return Err(request(message, help));
            }
        },
    };
    let phrases = phrases.iter().map(|(kind, phrase)| (*kind, (*phrase).to_owned())).collect();
    Ok(Template { about: about.to_owned(), gravity, phrases })
}

use OutlineElement::{Body, Drive, Initial, Loop, Parameter, Sensor, Spring};

const PENDULUM: &[(OutlineElement, &str)] = &[
    (Body, "rod: ground revolute y, mass 1, length 0.5 -z, damper 0.01"),
    (Initial, "q1 = 30 deg"),
    (Sensor, "tip: rod.end, position velocity"),
];

const DOUBLE_PENDULUM: &[(OutlineElement, &str)] = &[
    (Body, "upper: ground revolute y, mass 1, length 0.5 -z"),
    (Body, "lower: upper.end revolute y, mass 0.5, length 0.4 -z"),
    (Initial, "q1 = 60 deg"),
    (Initial, "q2 = 30 deg"),
    (Sensor, "tip: lower.end, position"),
];

const FOUR_BAR: &[(OutlineElement, &str)] = &[
    (Parameter, "base = 0.32 m, distance of the two ground pins"),
    (Body, "crank: ground revolute z, mass 0.8, length 0.12"),
    (Body, "coupler: crank.end revolute z, mass 0.6, length 0.3"),
    (Body, "rocker: ground revolute z, at base 0 0, mass 1.1, length 0.25"),
    (Loop, "pin: coupler.end rocker.end, revolute z"),
    (Initial, "q1 = 60 deg"),
    (Initial, "q2 = -0.54"),
    (Initial, "q3 = 1.56"),
    (Spring, "spring: ground rocker.end, stiffness 80, length 0.35, damping 0.5"),
    (Sensor, "coupler_pin: coupler.end, position"),
];

const SLIDER_CRANK: &[(OutlineElement, &str)] = &[
    (Body, "crank: ground revolute y, mass 0.4, length 0.15"),
    (Body, "rod: crank.end revolute y, mass 0.2, length 0.3"),
    (Body, "piston: ground prismatic x x_piston, mass 0.4, damper 5"),
    (Loop, "pin: rod.end piston, revolute y"),
    (Drive, "q1 = 4*pi*t + 0.5"),
    (Initial, "q2 = -0.742"),
    (Initial, "x_piston = 0.42"),
];

const CART_POLE: &[(OutlineElement, &str)] = &[
    (Parameter, "push = 0 N, force on the cart"),
    (Body, "cart: ground prismatic x x, mass 1, box 0.3 0.2 0.1, effort push"),
    (Body, "pole: cart revolute y theta, mass 0.1, length 1 z"),
    (Initial, "theta = 5 deg"),
    (Sensor, "tip: pole.end, position"),
];

const QUARTER_CAR: &[(OutlineElement, &str)] = &[
    (Parameter, "amplitude = 20 mm, half the height of the waves"),
    (Parameter, "frequency = 2, waves per second"),
    (Body, "road: ground prismatic z z_road"),
    (Body, "wheel: ground prismatic z z_wheel, at 0 0 0.3, mass 40"),
    (Body, "chassis: ground prismatic z z_chassis, at 0 0 0.8, mass 300"),
    (Drive, "z_road = amplitude*(1 - cos(2*pi*frequency*t))"),
    (Spring, "suspension: wheel chassis, stiffness 20000, length 0.647, damping 1500"),
    (Spring, "tyre: road wheel, stiffness 200000, length 0.3167, damping 100"),
];

/// An arm of so many joints, with axes as industrial robots have them.
fn arm(count: &str) -> Result<Template, Error> {
    let joints = count.parse::<usize>().ok().filter(|joints| (1..=LARGEST_ARM).contains(joints));
    let Some(joints) = joints else {
        let message = format!(
            "`arm-{}`: N must be an integer from 1 to {LARGEST_ARM}",
            super::phrase::shown(count)
        );
        return Err(request(message, "write it as `arm-6`"));
    };
    let axes = ["z", "y", "y", "x", "y", "x"];
    let mut phrases = Vec::new();
    for joint in 1..=joints {
        let parent =
            if joint == 1 { "ground".to_owned() } else { format!("link{}.end", joint - 1) };
        let axis = axes[(joint - 1) % axes.len()];
        // Links become shorter and lighter towards the hand.
        let part = 1.0 / (1.0 + 0.3 * (joint - 1) as f64);
        let (mass, length) = (4.0 * part, 0.4 * part);
        let body = format!(
            "link{joint}: {parent} revolute {axis}, mass {mass:.3}, length {length:.3}, damper 0.5"
        );
        phrases.push((Body, body));
    }
    phrases.push((Sensor, format!("hand: link{joints}.end, position velocity")));
    let word = if joints == 1 { "joint" } else { "joints" };
    Ok(Template {
        about: format!("A robot arm of {joints} revolute {word}, with friction."),
        gravity: "-z",
        phrases,
    })
}
