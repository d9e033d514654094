//! Smooth and bounded laws of everything that moves: written into a model file, and evaluated.

use std::fmt::Write;

/// A quantity that laws use, by the name that it has in model files.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantity {
    /// Time.
    Time,
    /// A coordinate, speed, state or input.
    Named(String),
    /// A component of a measure of a place, such as `rotation` and 5, from another body if one is
    /// named; and the name of the owner in laws.
    Place {
        owner: String,
        at: String,
        from: Option<String>,
        measure: &'static str,
        component: usize,
    },
    /// `length`, `rate` or `force` of a line force.
    Line(usize, &'static str),
    /// A quantity of a wheel, by its name in laws and its place among the outputs of `wheel`.
    Wheel(String, &'static str, usize),
    /// The effort that holds a joint of one speed against gravity.
    Gravity(String),
    /// The output of a controller.
    Output(usize),
}

/// The measures of a place that laws may use, with the number of their components.
pub const MEASURES: [(&str, usize); 4] =
    [("position", 3), ("velocity", 3), ("angular_velocity", 3), ("rotation", 9)];

impl Quantity {
    /// The name in laws.
    pub fn name(&self) -> String {
        const AXES: [&str; 3] = ["x", "y", "z"];
        match self {
            Quantity::Time => "t".to_owned(),
            Quantity::Named(name) => name.clone(),
            Quantity::Place { owner, measure: "rotation", component, .. } => {
                format!("{owner}.rotation.{}{}", AXES[component / 3], AXES[component % 3])
            }
            Quantity::Place { owner, measure, component, .. } => {
                format!("{owner}.{measure}.{}", AXES[*component])
            }
            Quantity::Line(at, word) => format!("l{at}.{word}"),
            Quantity::Wheel(wheel, word, _) => format!("{wheel}.{word}"),
            Quantity::Gravity(joint) => format!("{joint}.gravity"),
            Quantity::Output(at) => format!("c{at}"),
        }
    }
}

/// A smooth function of a sum.
#[derive(Clone, Copy, Debug)]
pub enum Shape {
    Sine,
    Saturated,
    Bell,
}

/// `size shape(factor quantity + ..)`
#[derive(Clone, Debug)]
pub struct Term {
    pub size: f64,
    pub shape: Shape,
    pub sum: Vec<(f64, Quantity)>,
}

/// A law: a sum of products of terms, and linear parts such as dampers.
#[derive(Clone, Debug, Default)]
pub struct Law {
    pub products: Vec<Vec<Term>>,
    pub linear: Vec<(f64, Quantity)>,
}

impl Law {
    /// The law as a model file has it.
    pub fn text(&self) -> String {
        let mut text = String::from("0");
        for product in &self.products {
            for (at, term) in product.iter().enumerate() {
                text.push_str(if at == 0 { " + " } else { "*" });
                let sum = linear(&term.sum);
                match term.shape {
                    Shape::Sine => write!(text, "({:?})*sin({sum})", term.size),
                    Shape::Saturated => {
                        write!(text, "({:?})*({sum})/sqrt(1 + ({sum})^2)", term.size)
                    }
                    Shape::Bell => write!(text, "({:?})*exp(-({sum})^2)", term.size),
                }
                .expect("a string");
            }
        }
        text + " + " + &linear(&self.linear)
    }

    /// The value, where quantities have values.
    pub fn value(&self, of: &mut impl FnMut(&Quantity) -> f64) -> f64 {
        let mut sum = |list: &[(f64, Quantity)]| -> f64 {
            list.iter().map(|(factor, quantity)| factor * of(quantity)).sum()
        };
        let mut whole = 0.0;
        for product in &self.products {
            whole += product.iter().fold(1.0, |product, term| {
                let x = sum(&term.sum);
                let shaped = match term.shape {
                    Shape::Sine => x.sin(),
                    Shape::Saturated => x / (1.0 + x * x).sqrt(),
                    Shape::Bell => (-x * x).exp(),
                };
                product * term.size * shaped
            });
        }
        whole + sum(&self.linear)
    }
}

fn linear(list: &[(f64, Quantity)]) -> String {
    let terms = list.iter().map(|(factor, one)| format!("({factor:?})*{}", one.name()));
    let terms: Vec<String> = terms.collect();
    if terms.is_empty() { "0".to_owned() } else { terms.join(" + ") }
}
