//! Curves as a picture for print: charts below each other in one SVG, with linear or logarithmic
//! abscissae.

use crate::number::shown;
use rotule_symbolic::elementary::{log10, powi};
use std::fmt::Write;

/// Curves over a common abscissa.
#[derive(Clone, Debug, Default)]
pub struct Chart {
    /// The heading.
    pub title: String,
    /// The name of the abscissa, with its unit.
    pub across: String,
    /// The name of the ordinate, with its unit.
    pub along: String,
    /// `true` if the abscissa has powers of ten at equal distances.
    pub logarithmic: bool,
    /// The abscissae of all curves.
    pub x: Vec<f64>,
    /// The curves: names and ordinates; what is not finite is a gap.
    pub curves: Vec<(String, Vec<f64>)>,
}

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 250.0;
/// Room at the left, above, at the right and below.
const ROOM: [f64; 4] = [92.0, 34.0, 20.0, 46.0];
/// Colours that are told apart by those who see few of them, too.
const COLOURS: [&str; 6] = ["#1d4a8c", "#bd4500", "#2f8577", "#8a3fc9", "#d27b00", "#2a94e2"];
/// Curves that a legend names, in so many letters beside the chart.
const NAMED: usize = 10;
const LETTERS: usize = 18;
const LEGEND: f64 = 150.0;

/// A picture of charts below each other.
pub fn figure(charts: &[Chart]) -> String {
    let height = HEIGHT * charts.len().max(1) as f64;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{WIDTH}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    for (at, chart) in charts.iter().enumerate() {
        let _ = writeln!(out, "<g transform=\"translate(0 {})\">", HEIGHT * at as f64);
        draw(&mut out, chart);
        out.push_str("</g>\n");
    }
    out.push_str("</svg>\n");
    out
}

/// A range of numbers on a side of a chart, in pixels.
struct Scale {
    from: f64,
    to: f64,
    pixels: [f64; 2],
    logarithmic: bool,
}

impl Scale {
    fn of(values: impl Iterator<Item = f64>, pixels: [f64; 2], logarithmic: bool) -> Scale {
        let counted = |value: f64| if logarithmic { log10(value) } else { value };
        let values =
            values.filter(|one| one.is_finite() && (!logarithmic || *one > 0.0)).map(counted);
        let (mut from, mut to) = values
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), one| {
                (low.min(one), high.max(one))
            });
        if from > to {
            (from, to) = (0.0, 1.0);
        }
        if to - from <= 1e-9 * from.abs().max(to.abs()) {
            let half = if from == 0.0 { 1.0 } else { 0.5 * from.abs() };
            (from, to) = (from - half, to + half);
        }
        Scale { from, to, pixels, logarithmic }
    }

    fn place(&self, value: f64) -> f64 {
        let value = if self.logarithmic { log10(value) } else { value };
        let part = (value - self.from) / (self.to - self.from);
        self.pixels[0] + part * (self.pixels[1] - self.pixels[0])
    }

    /// Values with lines, and the texts of those that are named.
    fn ticks(&self) -> Vec<(f64, Option<String>)> {
        if self.logarithmic {
            let (low, high) = (self.from.floor() as i32, self.to.ceil() as i32);
            let stride = ((high - low) / 8 + 1).max(1);
            let all = (low..=high).flat_map(|power| (1..10).map(move |digit| (power, digit)));
            let inside = |value: &(f64, Option<String>)| {
                let at = log10(value.0);
                at >= self.from - 1e-9 && at <= self.to + 1e-9
            };
            let tick = |(power, digit): (i32, i32)| {
                let named = digit == 1 && (power - low) % stride == 0;
                let value = f64::from(digit) * powi(10.0, power);
                (value, named.then(|| shown(value, 3)))
            };
            return all.map(tick).filter(inside).collect();
        }
        let rough = (self.to - self.from) / 5.0;
        let power = powi(10.0, log10(rough).floor() as i32);
        let steps = [1.0, 2.0, 5.0, 10.0].map(|step| step * power);
        let step = steps.into_iter().find(|step| *step >= rough).unwrap_or(10.0 * power);
        let (low, high) = ((self.from / step).ceil() as i64, (self.to / step).floor() as i64);
        (low..=high).map(|at| (at as f64 * step, Some(shown(at as f64 * step, 6)))).collect()
    }
}

fn draw(out: &mut String, chart: &Chart) {
    let [left, top, right, bottom] = ROOM;
    let legend = if chart.curves.len() > 1 { LEGEND } else { 0.0 };
    let (right, bottom) = (WIDTH - right - legend, HEIGHT - bottom);
    let x = Scale::of(chart.x.iter().copied(), [left, right], chart.logarithmic);
    let all = chart.curves.iter().flat_map(|curve| curve.1.iter().copied());
    let mut y = Scale::of(all, [bottom, top], false);
    let margin = 0.05 * (y.to - y.from);
    (y.from, y.to) = (y.from - margin, y.to + margin);
    let _ = writeln!(
        out,
        "<text x=\"{left}\" y=\"20\" font-weight=\"bold\">{}</text>",
        escaped(&chart.title)
    );
    out.push_str("<g stroke=\"#dddddd\" fill=\"#333333\">\n");
    for (value, name) in x.ticks() {
        let at = x.place(value);
        let _ = writeln!(out, "<path d=\"M{at:.1} {top}V{bottom}\"/>");
        if let Some(name) = name {
            let _ = writeln!(
                out,
                "<text stroke=\"none\" x=\"{at:.1}\" y=\"{}\" text-anchor=\"middle\">{name}</text>",
                bottom + 16.0
            );
        }
    }
    for (value, name) in y.ticks() {
        let at = y.place(value);
        let _ = writeln!(out, "<path d=\"M{left} {at:.1}H{right}\"/>");
        let _ = writeln!(
            out,
            "<text stroke=\"none\" x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            left - 6.0,
            at + 4.0,
            name.unwrap_or_default()
        );
    }
    out.push_str("</g>\n");
    let _ = writeln!(
        out,
        "<path d=\"M{left} {top}V{bottom}H{right}\" fill=\"none\" stroke=\"#333333\"/>\n\
         <text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{}</text>\n\
         <text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        0.5 * (left + right),
        bottom + 34.0,
        escaped(&chart.across),
        0.5 * (top + bottom),
        escaped(&chart.along)
    );
    for (at, (_, values)) in chart.curves.iter().enumerate() {
        let mut path = String::new();
        let mut begun = false;
        for (&abscissa, &value) in chart.x.iter().zip(values) {
            let place = [x.place(abscissa), y.place(value)];
            if !place.iter().all(|one| one.is_finite()) {
                begun = false;
                continue;
            }
            let _ =
                write!(path, "{}{:.1} {:.1}", if begun { "L" } else { "M" }, place[0], place[1]);
            begun = true;
        }
        if path.is_empty() {
            continue;
        }
        let ink = ink(at);
        let _ = writeln!(out, "<path d=\"{path}\" fill=\"none\" {ink} stroke-width=\"1.6\"/>");
    }
    // Beside the chart, where no curve runs.
    let names = chart.curves.iter().take(NAMED).enumerate();
    for (at, (name, _)) in names.filter(|_| chart.curves.len() > 1) {
        let (x, y, ink) = (right + 12.0, top + 8.0 + 16.0 * at as f64, ink(at));
        let short = match name.chars().count() > LETTERS {
            true => name.chars().take(LETTERS - 1).chain(['…']).collect(),
            false => name.clone(),
        };
        let _ = writeln!(
            out,
            "<path d=\"M{x} {y}h18\" {ink} stroke-width=\"2\"/>\
             <text x=\"{}\" y=\"{}\">{}</text>",
            x + 24.0,
            y + 4.0,
            escaped(&short)
        );
    }
}

/// The colour of a curve, and its dashes once the colours are used up.
fn ink(at: usize) -> String {
    let dash = ["", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 2\""];
    let (colour, dash) = (COLOURS[at % COLOURS.len()], dash[at / COLOURS.len() % dash.len()]);
    format!("stroke=\"{colour}\"{dash}")
}

fn escaped(text: &str) -> String {
    let plain = |letter: char| if letter.is_control() { ' ' } else { letter };
    let text: String = text.chars().map(plain).collect();
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::{Chart, figure};

    #[test]
    fn gaps_are_gaps_and_texts_are_escaped() {
        let chart = Chart {
            title: "<b> & \u{7}".to_owned(),
            logarithmic: true,
            x: vec![0.1, 1.0, 10.0, 100.0],
            curves: vec![
                ("one".to_owned(), vec![1.0, f64::NAN, 2.0, 3.0]),
                ("two".to_owned(), Vec::new()),
            ],
            ..Chart::default()
        };
        let picture = figure(&[chart.clone(), Chart::default()]);
        assert!(picture.contains("&lt;b&gt; &amp;  </text>"));
        assert_eq!(picture.matches("stroke-width=\"1.6\"").count(), 1, "{picture}");
        assert!(!picture.contains("NaN") && !picture.contains("inf"));
        assert_eq!(picture, figure(&[chart, Chart::default()]));
    }

    #[test]
    fn names_stand_beside_the_chart_and_curves_differ() {
        let curve = |at: usize| (format!("curve {at} of a long name"), vec![0.0, at as f64]);
        let chart =
            Chart { x: vec![0.0, 1.0], curves: (0..8).map(curve).collect(), ..Chart::default() };
        let picture = figure(&[chart]);
        let inks: std::collections::BTreeSet<String> = (0..18).map(super::ink).collect();
        assert_eq!(inks.len(), 18);
        // A sample of each line, and the letters of its name that fit.
        assert_eq!(picture.matches("h18\"").count(), 8);
        assert_eq!(picture.matches("of a long…</text>").count(), 8, "{picture}");
        let samples = picture.split("<path d=\"M").filter(|part| part.contains("h18"));
        let begin = |part: &str| part.split(' ').next().and_then(|x| x.parse::<f64>().ok());
        let first = samples.filter_map(begin).fold(f64::INFINITY, f64::min);
        let curves = picture.split("<path d=\"M").filter(|part| part.contains("\"1.6\""));
        let end =
            |part: &str| part.split(['L', '"']).nth(1)?.split(' ').next()?.parse::<f64>().ok();
        let last = curves.filter_map(end).fold(0.0, f64::max);
        assert!(last > 0.0 && last < first, "curves to {last}, names from {first}");
    }
}
