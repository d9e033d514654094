//! A study in pictures: measures over what varied, for the terminal and for a page.

use crate::model::Model;
use crate::simulate::archive;
use rotule_report::{Curve, Page, Plot, PlotAxis, Section};
use rotule_study::{Column, SampleRow, Status, StudyOptions, StudySummary, rows, statistics};
use rotule_symbolic::figures::shown;

/// Samples that a picture shows; of more, every second one goes until they fit.
const SHOWN: usize = 2000;
/// Samples that a table lists.
const LISTED: usize = 100;
/// Curves of one plot, and measures with statistics of their own.
const CURVES: usize = 12;

/// Collects the samples that pictures show while a study goes on.
pub struct StudyPictures {
    columns: (Vec<Column>, Vec<Column>),
    first: Vec<SampleRow>,
    shown: Vec<SampleRow>,
    /// Every so many samples one is shown.
    stride: usize,
    seen: usize,
}

impl StudyPictures {
    /// Pictures of a study with these columns: what varies and what is measured.
    pub fn new(columns: (Vec<Column>, Vec<Column>)) -> StudyPictures {
        StudyPictures { columns, first: Vec::new(), shown: Vec::new(), stride: 1, seen: 0 }
    }

    /// Takes a sample.
    pub fn push(&mut self, row: &SampleRow) {
        if self.first.len() < LISTED {
            self.first.push(row.clone());
        }
        if self.seen.is_multiple_of(self.stride) {
            self.shown.push(row.clone());
        }
        self.seen += 1;
        if self.shown.len() > SHOWN {
            let mut at = 0;
            self.shown.retain(|_| {
                at += 1;
                at % 2 == 1
            });
            self.stride *= 2;
        }
    }

    /// The columns: what varies and what is measured.
    pub fn columns(&self) -> &(Vec<Column>, Vec<Column>) {
        &self.columns
    }

    /// The first samples, as many as a table lists.
    pub fn first(&self) -> &[SampleRow] {
        &self.first
    }

    /// The number of samples that were taken.
    pub fn seen(&self) -> usize {
        self.seen
    }

    /// The plots with their common axis: of the first number that varies over a grid, or of the
    /// first at random. Other grids give a curve for each of their combinations, random numbers
    /// give dots.
    pub fn plots(&self) -> (PlotAxis, Vec<Plot>) {
        let (varied, measured) = &self.columns;
        let differs = |at: &usize| {
            let mut values = self.shown.iter().map(|row| row.varied[*at]);
            values.next().is_some_and(|first| values.any(|other| other != first))
        };
        let all: Vec<usize> = (0..varied.len()).filter(differs).collect();
        let grid = all.iter().copied().find(|&at| !varied[at].random);
        let Some(x) = grid.or(all.first().copied()) else {
            return (PlotAxis::default(), Vec::new());
        };
        let axis = PlotAxis { name: varied[x].name.clone(), unit: varied[x].unit.clone() };
        let others: Vec<usize> = all.iter().copied().filter(|&at| at != x).collect();
        let random = all.iter().any(|&at| varied[at].random);
        let mut plots: Vec<Plot> = Vec::new();
        for (at, Column { name, unit, .. }) in measured.iter().enumerate() {
            let mut curves = match random {
                true => vec![dots(name, &self.points(x, at, |_| true))],
                false => self.families(x, &others, at, name),
            };
            let alone = random || !others.is_empty();
            let together = plots.iter_mut().rev().find(|plot| {
                !alone && plot.unit == *unit && plot.curves.len() + curves.len() <= CURVES
            });
            match together {
                Some(plot) => {
                    plot.title = format!("{}, {name}", plot.title);
                    plot.curves.append(&mut curves);
                }
                None => plots.push(Plot { title: name.clone(), unit: unit.clone(), curves }),
            }
        }
        for plot in &mut plots {
            plot.title = format!("{} over {}", plot.title, axis.name);
        }
        (axis, plots)
    }

    /// One curve for each combination of the other numbers of a grid.
    fn families(&self, x: usize, others: &[usize], measure: usize, name: &str) -> Vec<Curve> {
        let key = |row: &SampleRow| others.iter().map(|&at| row.varied[at]).collect::<Vec<f64>>();
        let mut keys: Vec<Vec<f64>> = Vec::new();
        for row in &self.shown {
            if keys.len() < CURVES && !keys.contains(&key(row)) {
                keys.push(key(row));
            }
        }
        let curve = |requested: Vec<f64>| {
            let points = self.points(x, measure, |row| key(row) == requested);
            let of = |(&at, value): (&usize, &f64)| {
                let Column { name, unit, .. } = &self.columns.0[at];
                format!("{name} = {} {unit}", shown(*value, 4)).trim_end().to_owned()
            };
            let words: Vec<String> = others.iter().zip(&requested).map(of).collect();
            let name = if words.is_empty() { name.to_owned() } else { words.join(", ") };
            line(&name, points)
        };
        keys.into_iter().map(curve).collect()
    }

    /// A measure over a number that varied, in its order.
    fn points(
        &self,
        x: usize,
        measure: usize,
        requested: impl Fn(&SampleRow) -> bool,
    ) -> Vec<(f64, f64)> {
        let rows = self.shown.iter().filter(|row| requested(row));
        let mut points: Vec<(f64, f64)> =
            rows.map(|row| (row.varied[x], row.measured[measure])).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        points
    }

    /// The page of a study of a model.
    pub fn page(&self, model: &Model, summary: &StudySummary, options: &StudyOptions) -> Page {
        let (axis, plots) = self.plots();
        let mut run = Section::new("Study");
        for (name, value) in rows(summary, options) {
            run = run.row(name, value);
        }
        for text in &options.vary {
            run = run.row("varied", format!("`{text}`"));
        }
        let mut sections = vec![run];
        let measures = self.columns.1.iter().zip(&summary.measured).take(CURVES);
        for (column, numbers) in measures.filter(|(_, numbers)| !numbers.is_empty()) {
            let words = ["mean", "standard deviation", "least", "5 %", "median", "95 %", "largest"];
            let section = Section::new(column.heading());
            sections.push(
                words
                    .iter()
                    .zip(statistics(numbers))
                    .fold(section, |section, (word, number)| section.row(*word, shown(number, 6))),
            );
        }
        sections.push(self.samples());
        sections.extend(archive(model.mechanism(), &[]));
        let times = Vec::new();
        let title = model.name().to_owned();
        Page { title, summary: sections, axis, times, plots, ..Page::default() }
    }

    /// The first samples in numbers; the title has their names and units.
    fn samples(&self) -> Section {
        let names =
            |columns: &[Column]| columns.iter().map(Column::heading).collect::<Vec<_>>().join(", ");
        let numbers = |numbers: &[f64]| {
            numbers.iter().map(|number| shown(*number, 6)).collect::<Vec<_>>().join(", ")
        };
        let (varied, measured) = &self.columns;
        let mut section = Section::new(format!("{}: {}", names(varied), names(measured)));
        for row in &self.first {
            let value = match &row.status {
                Status::Failed(why) => format!("failed: {why}"),
                _ => numbers(&row.measured),
            };
            section = section.row(numbers(&row.varied), value);
        }
        if self.seen > self.first.len() {
            section = section.row("", format!("and {} more", self.seen - self.first.len()));
        }
        section
    }
}

/// Points with a line between them.
pub(crate) fn line(name: &str, points: Vec<(f64, f64)>) -> Curve {
    let (times, values) = points.into_iter().unzip();
    Curve { name: name.to_owned(), times, values, samples: 0 }
}

/// Points without a line between them: each has gaps on both sides.
pub(crate) fn dots(name: &str, points: &[(f64, f64)]) -> Curve {
    let apart = points.iter().flat_map(|&(x, y)| [(x, y), (x, f64::NAN)]);
    let (times, values) = apart.unzip();
    Curve { name: name.to_owned(), times, values, samples: 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rotule_simulate::simulation::Verdict;

    fn column(name: &str, unit: &str, random: bool) -> Column {
        Column { name: name.to_owned(), unit: unit.to_owned(), random }
    }

    fn row(number: usize, varied: Vec<f64>, measured: Vec<f64>) -> SampleRow {
        let (status, verdict) = (Status::Reached, Verdict::default());
        SampleRow { number, varied, measured, end: 1.0, status, changed: None, verdict }
    }

    #[test]
    fn grids_make_curves_and_chance_makes_dots() {
        let (l, k) = (column("l", "m", false), column("k", "N/m", false));
        let measured = vec![column("q:max", "rad", false), column("p:max", "rad", false)];
        // One grid: both measures in one plot.
        let mut one = StudyPictures::new((vec![l.clone()], measured.clone()));
        for at in 0..5 {
            one.push(&row(at + 1, vec![at as f64], vec![at as f64, -1.0]));
        }
        let (axis, plots) = one.plots();
        assert_eq!((axis.name.as_str(), axis.unit.as_str()), ("l", "m"));
        assert_eq!((plots.len(), plots[0].curves.len()), (1, 2));
        assert_eq!(plots[0].title, "q:max, p:max over l");
        assert_eq!(plots[0].curves[0].values, [0.0, 1.0, 2.0, 3.0, 4.0]);
        // Two grids: a plot for each measure, with a curve for each number of the second.
        let mut two = StudyPictures::new((vec![l.clone(), k], measured.clone()));
        for at in 0..6 {
            two.push(&row(at + 1, vec![(at / 2) as f64, (at % 2) as f64], vec![0.5; 2]));
        }
        let (_, plots) = two.plots();
        assert_eq!((plots.len(), plots[0].curves.len()), (2, 2));
        assert_eq!(plots[0].curves[1].name, "k = 1 N/m");
        assert_eq!(plots[0].curves[1].times, [0.0, 1.0, 2.0]);
        // Random numbers: dots in the order of the axis.
        let mut chance = StudyPictures::new((vec![column("l", "m", true)], measured));
        for (at, l) in [0.3, 0.1, 0.2].into_iter().enumerate() {
            chance.push(&row(at + 1, vec![l], vec![l; 2]));
        }
        let (_, plots) = chance.plots();
        assert_eq!(plots.len(), 2);
        assert_eq!(plots[0].curves[0].times, [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]);
        assert!(plots[0].curves[0].values[1].is_nan());
    }

    #[test]
    fn many_samples_are_thinned_and_the_first_are_listed() {
        let columns = (vec![column("l", "m", false)], vec![column("q:max", "rad", false)]);
        let mut many = StudyPictures::new(columns);
        for at in 0..10_000 {
            many.push(&row(at + 1, vec![at as f64], vec![0.0]));
        }
        assert_eq!((many.seen(), many.first().len()), (10_000, LISTED));
        let (_, plots) = many.plots();
        let count = plots[0].curves[0].values.len();
        assert!((SHOWN / 2..=SHOWN).contains(&count), "{count}");
        // A single number that does not vary has no axis.
        let columns = (vec![column("l", "m", false)], vec![column("q:max", "rad", false)]);
        let mut one = StudyPictures::new(columns);
        one.push(&row(1, vec![1.0], vec![0.0]));
        assert!(one.plots().1.is_empty());
    }
}
