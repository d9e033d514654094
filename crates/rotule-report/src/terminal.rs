//! A plot in the terminal: braille dots, or plain characters where those are not available.
//!
//! A colour may be missing, so each of several curves also carries a letter, which its line shows
//! here and there.

use std::fs::File;
use std::io::IsTerminal;
use std::process::{Command, Stdio};

use crate::data::{Plot, PlotAxis};
use crate::number;

/// The style of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Columns of the whole plot.
    pub width: usize,
    /// Rows of the area of the curves.
    pub height: usize,
    /// Plain characters only.
    pub ascii: bool,
    /// Escape sequences for colours.
    pub colour: bool,
}

impl Look {
    /// The style for standard output: the width of the terminal, colours and dots unless the
    /// environment is against them (`NO_COLOR`, `TERM=dumb`, a locale without UTF-8). What goes
    /// into a file or a pipe is the same in every locale.
    pub fn of_terminal() -> Self {
        let terminal = std::io::stdout().is_terminal();
        let set = |name: &str| std::env::var(name).unwrap_or_default();
        let dumb = set("TERM") == "dumb";
        let locale =
            ["LC_ALL", "LC_CTYPE", "LANG"].map(set).into_iter().find(|value| !value.is_empty());
        let unicode =
            locale.is_none_or(|value| value.to_lowercase().replace('-', "").contains("utf8"));
        let width = width();
        Self {
            width: width.unwrap_or(80).clamp(40, 160),
            // A number on the first and on the last row.
            height: 13,
            ascii: terminal && (dumb || !unicode),
            colour: terminal && !dumb && set("NO_COLOR").is_empty(),
        }
    }
}

/// The columns of the terminal that standard output is, if it is one.
pub fn width() -> Option<usize> {
    if std::io::stdout().is_terminal() { terminal_width() } else { None }
}

/// The columns of the terminal: `COLUMNS`, or what `stty` says, which every Unix has.
pub fn terminal_width() -> Option<usize> {
    let given = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let columns = given.or_else(|| {
        let terminal = File::open("/dev/tty").ok()?;
        let mut stty = Command::new("stty");
        let answer = stty.arg("size").stdin(terminal).stderr(Stdio::null()).output().ok()?;
        String::from_utf8_lossy(&answer.stdout).split_whitespace().nth(1)?.parse().ok()
    });
    // A terminal that does not know its size says that it has no columns.
    columns.filter(|columns| *columns > 0)
}

/// Columns for the numbers beside the plot.
const LABELS: usize = 10;
/// Rows between two numbers.
const SPACING: usize = 4;
/// Numbers whose relative difference is smaller are one number with rounding.
const ROUNDING: f64 = 1e-12;
/// More curves than these would be a tangle.
const CURVES: usize = 12;
/// Columns from a letter to the next on the same curve.
const LETTERS: usize = 24;
/// Colours of curves: blue, red, green, magenta, yellow, cyan.
const COLOURS: [u8; 6] = [34, 31, 32, 35, 33, 36];

/// One character of the area.
#[derive(Clone, Copy, Default)]
struct Cell {
    /// The dots of braille, or whether anything is here.
    dots: u8,
    /// The curve that came last.
    curve: usize,
    letter: bool,
}

/// The plot over time as lines of text, each with its newline. `times` serve curves that have none
/// of their own.
pub fn draw(plot: &Plot, times: &[f64], look: &Look) -> String {
    draw_over(plot, times, &PlotAxis::default(), look)
}

/// The plot over any quantity as lines of text, each with its newline. A gap on both sides makes a
/// point a dot.
pub fn draw_over(plot: &Plot, times: &[f64], axis: &PlotAxis, look: &Look) -> String {
    let columns = look.width.saturating_sub(LABELS + 2).max(10);
    let rows = look.height.max(3);
    let shown = &plot.curves[..plot.curves.len().min(CURVES)];
    let points: Vec<Vec<(f64, f64)>> = shown
        .iter()
        .map(|curve| {
            let own = if curve.times.is_empty() { times } else { &curve.times };
            own.iter().copied().zip(curve.values.iter().copied()).collect()
        })
        .collect();
    let all = || points.iter().flatten();
    let (Some((from, to)), Some((low, high))) =
        (range(all().map(|point| point.0)), range(all().map(|point| point.1)))
    else {
        return format!("{}: nothing to plot\n", harmless(&plot.title));
    };
    let (low, high) = if is_flat(low, high) { around(low, high, rows) } else { (low, high) };

    let mut cells = vec![Cell::default(); columns * rows];
    let several = points.len() > 1;
    let (fine_x, fine_y) = if look.ascii { (1, 1) } else { (2, 4) };
    for (curve, points) in points.iter().enumerate() {
        let place = |&(t, v): &(f64, f64)| {
            // Halves keep the difference of huge numbers finite.
            let share = |v: f64, a: f64, b: f64| {
                if b > a { (v / 2.0 - a / 2.0) / (b / 2.0 - a / 2.0) } else { 0.0 }
            };
            let x = share(t, from, to) * (columns * fine_x - 1) as f64;
            let y = (1.0 - share(v, low, high)) * (rows * fine_y - 1) as f64;
            (x.is_finite() && y.is_finite()).then_some((x.round() as i64, y.round() as i64))
        };
        let mut pen = None;
        for point in points {
            let next = place(point);
            if let Some(to) = next {
                stroke(pen.unwrap_or(to), to, |x, y| {
                    let (x, y) = (x as usize, y as usize);
                    let cell = &mut cells[y / fine_y * columns + x / fine_x];
                    cell.dots |= dot(x % fine_x, y % fine_y);
                    // A letter here and there, shifted from curve to curve.
                    cell.letter =
                        look.ascii || several && (x / fine_x + 7 * curve) % LETTERS == LETTERS / 2;
                    cell.curve = curve;
                });
            }
            pen = next;
        }
    }
    let mut text = title(plot) + &area(shown.len(), &cells, columns, (low, high), look);
    text += &x_axis(axis, (from, to), columns, look);
    text + &legend(plot, shown.len(), look)
}

/// Returns `true` if numbers differ by rounding at most.
fn is_flat(low: f64, high: f64) -> bool {
    high - low <= ROUNDING * low.abs().max(high.abs())
}

/// The range of a flat line: the line lies on the row of a number near the middle. Around zero
/// there is no size to go by.
fn around(low: f64, high: f64, rows: usize) -> (f64, f64) {
    let value = low / 2.0 + high / 2.0;
    let step = if value == 0.0 { 1.0 } else { 0.1 * value.abs() };
    let middle = (rows - 1) / 2;
    let above = if rows > 2 * SPACING { middle - middle % SPACING } else { middle };
    let span = |rows: usize| step * rows as f64 / SPACING as f64;
    (value - span(rows - 1 - above), value + span(above))
}

/// The title with the unit.
fn title(plot: &Plot) -> String {
    let mut text = harmless(&plot.title);
    if !plot.unit.is_empty() {
        let gap = if text.is_empty() { "" } else { " " };
        text += &format!("{gap}[{}]", harmless(&plot.unit));
    }
    text + "\n"
}

/// The cells with numbers to their left.
fn area(
    shown: usize,
    cells: &[Cell],
    columns: usize,
    (low, high): (f64, f64),
    look: &Look,
) -> String {
    let rows = cells.len() / columns;
    let has_number =
        |row: usize| row.is_multiple_of(SPACING) || row + 1 == rows && rows % SPACING > SPACING / 2;
    let numbers: Vec<f64> = (0..rows)
        .filter(|&row| has_number(row))
        .map(|row| row as f64 / (rows - 1) as f64)
        .map(|share| high * (1.0 - share) + low * share)
        .collect();
    let mut labels = distinct(&numbers, LABELS).into_iter();
    let mut text = String::new();
    let (tick, wall) = if look.ascii { ('+', '|') } else { ('┤', '│') };
    for (row, cells) in cells.chunks(columns).enumerate() {
        if has_number(row) {
            let label = labels.next().unwrap_or_default();
            text += &format!("{label:>LABELS$} {tick}");
        } else {
            text += &format!("{:>LABELS$} {wall}", "");
        }
        let mut line = String::new();
        let mut colour = None;
        for cell in cells {
            let requested =
                (look.colour && cell.dots != 0).then(|| COLOURS[cell.curve % COLOURS.len()]);
            if requested != colour {
                line += &requested.map_or("\x1b[0m".to_string(), |code| format!("\x1b[{code}m"));
                colour = requested;
            }
            line.push(match cell {
                Cell { dots: 0, .. } => ' ',
                Cell { letter: true, .. } if shown == 1 => '*',
                Cell { letter: true, .. } => letter(cell.curve),
                Cell { dots, .. } => char::from_u32(0x2800 + u32::from(*dots)).unwrap_or('*'),
            });
        }
        if colour.is_some() {
            line += "\x1b[0m";
        }
        text += line.trim_end();
        text.push('\n');
    }
    text
}

/// The horizontal axis with the first, the middle and the last number. Time needs no name.
fn x_axis(axis: &PlotAxis, (from, to): (f64, f64), columns: usize, look: &Look) -> String {
    let (corner, floor) = if look.ascii { ('+', "-") } else { ('└', "─") };
    let ground = format!("{:>LABELS$} {corner}{}\n", "", floor.repeat(columns));
    let mut labels = distinct(&[from, from / 2.0 + to / 2.0, to], columns / 5).into_iter();
    let [first, middle, last] = std::array::from_fn(|_| labels.next().unwrap_or_default());
    let name = if axis.is_time() { "" } else { &axis.name };
    let last: Vec<String> = [last, harmless(&axis.unit), harmless(name)].into();
    let last = last.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    let half = columns / 2;
    let left = format!("{first:<width$}", width = half.saturating_sub(middle.len() / 2));
    let left = format!("{left}{middle}");
    let width = columns.saturating_sub(left.len());
    format!("{ground}{:>LABELS$}  {left}{last:>width$}\n", "")
}

/// Numbers of an axis with four digits, or with as many as tell them apart, if those fit into
/// `width` columns.
fn distinct(numbers: &[f64], width: usize) -> Vec<String> {
    let labels = |digits| -> Vec<String> {
        numbers.iter().map(|&number| number::plain(number, digits)).collect()
    };
    let fits = |all: &Vec<String>| all.iter().all(|one| one.chars().count() <= width);
    let differ = |all: &Vec<String>| all.windows(2).all(|pair| pair[0] != pair[1]);
    let finer = (5..=12).map(labels).take_while(fits).find(differ);
    let plain = labels(4);
    if differ(&plain) { plain } else { finer.unwrap_or(plain) }
}

/// Letters with their names, as many to a line as fit. A single curve needs none.
fn legend(plot: &Plot, shown: usize, look: &Look) -> String {
    if let [alone] = &plot.curves[..] {
        return format!("{:>LABELS$}  {}\n", "", harmless(&alone.name));
    }
    let mut lines = vec![String::new()];
    let mut used = 0;
    for (index, curve) in plot.curves[..shown].iter().enumerate() {
        let (sign, name) = (letter(index), harmless(&curve.name));
        let width = name.chars().count() + 5;
        if used > 0 && used + width > look.width.saturating_sub(LABELS + 2) {
            lines.push(String::new());
            used = 0;
        }
        let sign = match look.colour {
            true => format!("\x1b[{}m{sign}\x1b[0m", COLOURS[index % COLOURS.len()]),
            false => sign.to_string(),
        };
        if let Some(line) = lines.last_mut() {
            *line += &format!("{sign} {name}   ");
        }
        used += width;
    }
    if plot.curves.len() > shown {
        lines.push(format!("and {} more", plot.curves.len() - shown));
    }
    lines.iter().map(|line| format!("{:>LABELS$}  {}\n", "", line.trim_end())).collect()
}

/// The lowest and the highest finite number.
fn range(numbers: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    numbers.filter(|number| number.is_finite()).fold(None, |range, number| {
        let (low, high) = range.unwrap_or((number, number));
        Some((low.min(number), high.max(number)))
    })
}

/// The bit of a dot in its braille character.
fn dot(x: usize, y: usize) -> u8 {
    [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]][x][y]
}

fn letter(curve: usize) -> char {
    char::from(b'a' + (curve % 26) as u8)
}

/// All places on the way from one to another.
fn stroke((x0, y0): (i64, i64), (x1, y1): (i64, i64), mut mark: impl FnMut(i64, i64)) {
    let steps = (x1 - x0).abs().max((y1 - y0).abs()).max(1);
    for step in 0..=steps {
        let on = |a: i64, b: i64| a + ((b - a) * step + (b - a).signum() * steps / 2) / steps;
        mark(on(x0, x1), on(y0, y1));
    }
}

/// A name that cannot steer the terminal.
fn harmless(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Curve;

    const PLAIN: Look = Look { width: 42, height: 5, ascii: true, colour: false };

    fn plot(curves: Vec<Curve>) -> Plot {
        Plot { title: "Angles".to_string(), unit: "rad".to_string(), curves }
    }

    #[test]
    fn a_ramp_in_plain_characters_is_a_diagonal() {
        let times: Vec<f64> = (0..=29).map(f64::from).collect();
        let text = draw(&plot(vec![Curve::new("up", times.clone())]), &times, &PLAIN);
        let expected = "\
Angles [rad]
        29 +                          ****
           |                   *******
           |           ********
           |    *******
         0 +****
           +------------------------------
            0            14.5         29 s
            up
";
        assert_eq!(text, expected);
    }

    #[test]
    fn dots_are_finer_than_characters() {
        let look = Look { width: 32, height: 3, ascii: false, colour: false };
        let times: Vec<f64> = (0..=39).map(f64::from).collect();
        let flat = |value: f64| Curve::new("flat", vec![value; 40]);
        let alone = draw(&plot(vec![flat(2.0)]), &times, &look);
        assert!(!alone.lines().nth(2).unwrap_or("").contains('a'), "{alone}");
        let text = draw(&plot(vec![flat(2.0), flat(2.0)]), &times, &look);
        let rows: Vec<&str> = text.lines().collect();
        assert_eq!(rows.len(), 7, "{text}");
        // A flat line: one row of equal dots, with a letter.
        let middle = rows[2].split('│').nth(1).unwrap_or("");
        assert_eq!(middle.chars().count(), 20, "{text}");
        assert!(
            middle.chars().all(|c| c == 'b' || ('\u{2800}'..='\u{28ff}').contains(&c)),
            "{text}"
        );
        assert!(middle.contains('b'), "{text}");
    }

    #[test]
    fn a_flat_line_has_a_scale_that_can_be_read() {
        for (value, scale) in
            [(0.0, ["1", "0", "-1"]), (-0.0, ["1", "0", "-1"]), (5.0, ["5.5", "5", "4.5"])]
        {
            let curve = Curve::new("flat", vec![value; 3]);
            let look = Look { height: 9, ..PLAIN };
            let text = draw(&plot(vec![curve]), &[0.0, 1.0, 2.0], &look);
            let labels: Vec<&str> =
                text.lines().filter_map(|line| Some(line.split_once(" +")?.0.trim())).collect();
            assert_eq!(labels[..3], scale, "{text}");
        }
    }

    #[test]
    fn rounding_is_no_motion() {
        let curve = Curve::new("length", vec![1.0, 1.0 + 4e-16, 1.0 - 2e-16]);
        let look = Look { height: 13, ..PLAIN };
        let text = draw(&plot(vec![curve]), &[0.0, 1.0, 2.0], &look);
        let drawn: Vec<&str> = text.lines().filter(|line| line.contains('*')).collect();
        assert_eq!(drawn.len(), 1, "{text}");
        assert!(drawn[0].trim_start().starts_with("1 +***"), "{text}");
    }

    #[test]
    fn another_axis_than_time_has_its_name() {
        let axis = PlotAxis { name: "l1".to_owned(), unit: "m".to_owned() };
        let curve = Curve::new("x", vec![0.0, f64::NAN, 1.0]);
        let text = draw_over(&plot(vec![curve]), &[0.1, 0.15, 0.2], &axis, &PLAIN);
        assert!(text.contains("0.2 m l1\n"), "{text}");
        // Between gaps there are dots and no line.
        assert_eq!(text.matches('*').count(), 2, "{text}");
    }

    #[test]
    fn every_line_fits_the_width() {
        let times: Vec<f64> = (0..500).map(|k| f64::from(k) * 1e-3).collect();
        let wave = |k: usize| times.iter().map(|t| (t * 20.0 + k as f64).sin() * 1e-7).collect();
        let curves: Vec<Curve> =
            (0..30).map(|k| Curve::new(format!("body_{k}.q"), wave(k))).collect();
        for ascii in [true, false] {
            let look = Look { width: 60, height: 9, ascii, colour: false };
            let text = draw(&plot(curves.clone()), &times, &look);
            assert!(text.lines().all(|line| line.chars().count() <= 60), "{text}");
            assert!(text.contains("and 18 more"), "{text}");
            assert_eq!(ascii, text.is_ascii());
        }
    }

    #[test]
    fn hostile_data_stays_data() {
        let values = vec![f64::NAN, 1.7e308, -1.7e308, f64::INFINITY, 0.0];
        let curve = Curve::new("\x1b[2Jname\n", values);
        let text = draw(&plot(vec![curve]), &[0.0, 1.0, 2.0, f64::NAN, 4.0], &PLAIN);
        assert!(text.contains("?[2Jname?") && !text.contains('\x1b'), "{text}");
        assert_eq!(draw(&plot(vec![]), &[], &PLAIN), "Angles: nothing to plot\n");
        let gaps = Curve::new("gaps", vec![f64::NAN; 3]);
        assert_eq!(draw(&plot(vec![gaps]), &[0.0, 1.0, 2.0], &PLAIN), "Angles: nothing to plot\n");
    }

    #[test]
    fn colours_are_switched_off_again() {
        let look = Look { colour: true, ..PLAIN };
        let text = draw(&plot(vec![Curve::new("x", vec![0.0, 1.0])]), &[0.0, 1.0], &look);
        let on = text.matches("\x1b[34m").count();
        assert!(on > 0);
        assert_eq!(on, text.matches("\x1b[0m").count(), "{text:?}");
    }
}
