//! The content of a page, as plain data. Nothing here can be invalid: lists of unequal length are
//! shown as far as they go, and numbers that are not finite are gaps.

use crate::scene::Scene;

/// The axis that curves are drawn over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlotAxis {
    /// Its name, such as `time` or that of a parameter.
    pub name: String,
    /// Its unit; may be empty.
    pub unit: String,
}

impl PlotAxis {
    /// Returns `true` if it is time, which can be played.
    pub fn is_time(&self) -> bool {
        *self == PlotAxis::default()
    }
}

/// Time in seconds.
impl Default for PlotAxis {
    fn default() -> Self {
        Self { name: "time".to_owned(), unit: "s".to_owned() }
    }
}

/// A report on one run, or on many over a parameter.
#[derive(Clone, Debug, Default)]
pub struct Page {
    /// The heading, usually the name of the model.
    pub title: String,
    /// A few sentences below the heading; empty lines separate paragraphs.
    pub about: String,
    /// The verdict on the run, which is always in sight.
    pub badge: Option<Badge>,
    /// The summary of the run, in words and numbers.
    pub summary: Vec<Section>,
    /// The quantity that all plots are drawn over; for another than time, read `times` and
    /// `instants` as its values.
    pub axis: PlotAxis,
    /// The instants of all curves that have none of their own, in seconds, in order.
    pub times: Vec<f64>,
    /// The plots, from the most important on.
    pub plots: Vec<Plot>,
    /// Marks at single instants: events, new partitions.
    pub marks: Vec<TimeMark>,
    /// The mechanism in motion.
    pub scene: Option<Scene>,
    /// Sliders that move the mechanism of the scene, which is then at rest.
    pub posture: Option<Posture>,
}

/// Sliders of a mechanism, and the functions that they need.
#[derive(Clone, Debug, Default)]
pub struct Posture {
    /// A script that leaves functions of the coordinates `q` in `globalThis.mechanism`: `loops`,
    /// with the residuals `h` and the entries `J` of their derivatives by the speeds, row by row;
    /// `map`, with the entries of the matrix from speeds to derivatives of the coordinates; and
    /// `places`, with the position and the rotation matrix of every figure in turn.
    pub script: String,
    /// The coordinates at the beginning.
    pub coordinates: Vec<f64>,
    /// The names of the coordinates.
    pub names: Vec<String>,
    /// The coordinates that the reader moves.
    pub sliders: Vec<Slider>,
    /// The speeds whose coordinates close the loops.
    pub dependent: Vec<usize>,
    /// The rows of the loops that hold positions.
    pub rows: Vec<usize>,
    /// The ranges of coordinates that have one; what follows a slider may leave its own.
    pub limits: Vec<Option<[f64; 2]>>,
}

/// A coordinate that the reader moves.
#[derive(Clone, Debug, Default)]
pub struct Slider {
    /// Its name.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// Its number among the coordinates.
    pub at: usize,
    /// The number of its speed.
    pub speed: usize,
    /// The least value.
    pub from: f64,
    /// The largest value.
    pub to: f64,
}

/// A verdict in a few words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Badge {
    /// `true` if all is well.
    pub good: bool,
    /// The words, such as `2 warnings`.
    pub text: String,
}

/// A titled table of two columns in the summary.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// The heading of the table.
    pub title: String,
    /// Names and values. [`crate::number`] writes numbers as a reader expects them.
    pub rows: Vec<(String, String)>,
}

impl Section {
    /// A section without rows.
    pub fn new(title: impl Into<String>) -> Self {
        Self { title: title.into(), rows: Vec::new() }
    }

    /// The section with one row more.
    #[must_use]
    pub fn row(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.rows.push((name.into(), value.into()));
        self
    }
}

/// Curves of one kind over time, or over the axis of the page.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// The heading, such as `Coordinates`.
    pub title: String,
    /// The unit of all curves, such as `rad/s`; may be empty.
    pub unit: String,
    /// The curves, in the order of the legend.
    pub curves: Vec<Curve>,
}

/// One quantity over time.
#[derive(Clone, Debug, Default)]
pub struct Curve {
    /// The name in the legend.
    pub name: String,
    /// The values; what is not finite is a gap.
    pub values: Vec<f64>,
    /// The instants of the values, in order; empty: those of the page.
    pub times: Vec<f64>,
    /// Number of values before [`Gather`](crate::Gather) left some out; zero: as many as there are.
    pub samples: usize,
}

impl Curve {
    /// A curve at the instants of its page.
    pub fn new(name: impl Into<String>, values: Vec<f64>) -> Self {
        Self { name: name.into(), values, times: Vec::new(), samples: 0 }
    }
}

/// Something that happened at one instant.
#[derive(Clone, Debug, Default)]
pub struct TimeMark {
    /// When, in seconds.
    pub time: f64,
    /// What, in a short sentence.
    pub text: String,
}
