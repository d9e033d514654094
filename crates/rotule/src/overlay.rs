//! Motions that were computed or measured elsewhere: tables of numbers over time, animated and
//! plotted one over the other.

use crate::error::Error;
use crate::model::Model;
use crate::simulate::{archive, poses, scene, terrain};
use crate::view::is_closed;
use rotule_formalism::quantity::GivenQuantity;
use rotule_formalism::{MultibodySystem, Problem, units};
use rotule_model::index::SpeedSet;
use rotule_model::mechanism::Mechanism;
use rotule_numeric::assembly::{follow, named};
use rotule_report::{BodyPose, Curve, Page, Plot, Section};
use rotule_symbolic::figures::{count, shown};
use rotule_symbolic::likely;

/// Frames of the animation at most.
const FRAMES: usize = 1500;
/// Curves of one plot at most.
const CURVES: usize = 12;
/// Rows of the table of differences at most.
const LISTED: usize = 20;

/// A motion as a table: columns over time. The first column is the time; others have the names of
/// channels, with a unit in brackets if it is not that of the channel: `q1 [deg]`.
#[derive(Clone, Debug, Default)]
pub struct RecordedMotion {
    /// Its name, such as that of the file.
    pub name: String,
    /// The headings of the columns; none if the columns are the time and all coordinates.
    pub headings: Vec<String>,
    /// The rows, each with a number for every column.
    pub rows: Vec<Vec<f64>>,
}

/// A column that was understood.
struct Column {
    name: String,
    unit: String,
    values: Vec<f64>,
}

/// A motion whose columns were understood.
struct Known<'a> {
    name: &'a str,
    times: Vec<f64>,
    columns: Vec<Column>,
}

impl Known<'_> {
    fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }

    /// The value of a column at a time, between rows; none outside.
    fn at(&self, column: &Column, time: f64) -> Option<f64> {
        let after = self.times.partition_point(|known| *known <= time);
        let before = after.checked_sub(1)?;
        if after == self.times.len() {
            return (self.times[before] == time).then(|| column.values[before]);
        }
        let (t, u) = (self.times[before], self.times[after]);
        let share = (time - t) / (u - t);
        let (a, b) = (column.values[before], column.values[after]);
        Some(if share == 0.0 { a } else { a + share * (b - a) })
    }
}

impl Model {
    /// The page of motions that were computed or measured elsewhere: the first is drawn as it is,
    /// the others translucent over it, and channels of one name share a plot.
    ///
    /// ```
    /// use rotule::RecordedMotion;
    ///
    /// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
    /// let headings = vec!["t [s]".to_owned(), "q [deg]".to_owned()];
    /// let rows = vec![vec![0.0, 0.0], vec![1.0, 90.0]];
    /// let measured = RecordedMotion { name: "measured.csv".to_owned(), headings, rows };
    /// let page = model.overlay(&[measured])?;
    /// assert_eq!(page.plots[0].curves[0].values[1], 90.0_f64.to_radians());
    /// # Ok::<(), rotule::Error>(())
    /// ```
    pub fn overlay(&self, motions: &[RecordedMotion]) -> Result<Page, Error> {
        let mechanism = self.mechanism();
        let motions: Vec<Known<'_>> = motions
            .iter()
            .map(|motion| known(mechanism, motion))
            .collect::<Result<_, Problem>>()?;
        let Some(first) = motions.first() else {
            return Err(Problem::new("there is no motion to show", "name a table").into());
        };
        let (scene_of_model, drawn) = scene(mechanism);
        let mut all = scene_of_model.clone();
        // Forces of several motions would be drawn over each other.
        if motions.len() > 1 {
            all.arrows.clear();
        }
        let moving: Vec<&Known<'_>> =
            motions.iter().filter(|one| has_coordinates(mechanism, one)).collect();
        let times: Vec<f64> = moving.first().map_or(Vec::new(), |one| frames(&one.times));
        let several = motions.len() > 1;
        for (at, motion) in moving.iter().enumerate().skip(1) {
            let shift = at * drawn.len();
            for figure in &scene_of_model.bodies {
                let mut ghost = figure.clone();
                ghost.name = format!("{} ({})", figure.name, motion.name);
                ghost.ghost = true;
                all.bodies.push(ghost);
            }
            for connector in &scene_of_model.connectors {
                let mut ghost = connector.clone();
                ghost.name = format!("{} ({})", connector.name, motion.name);
                for end in [&mut ghost.from, &mut ghost.to] {
                    end.body = end.body.map(|body| body + shift);
                }
                all.connectors.push(ghost);
            }
        }
        let courses: Vec<Course> = moving
            .iter()
            .map(|motion| Course::of(self.tree(), self.state().q, motion, &times))
            .collect::<Result<_, Problem>>()?;
        let mut own = Vec::new();
        for at in 0..times.len() {
            for (number, course) in courses.iter().enumerate() {
                let placed = match &course.positions[at] {
                    Some(q) => poses(mechanism, &drawn, q),
                    None => vec![NOWHERE; drawn.len()],
                };
                if number == 0 {
                    own.extend_from_slice(&placed);
                }
                all.poses.extend(placed);
            }
        }
        all.fixed.extend(terrain(mechanism, &drawn, &own));
        all.times = times;
        let mut summary = vec![files(&motions), missing(mechanism, &moving, &courses)];
        summary.extend(motions[1..].iter().map(|other| differences(first, other)));
        summary.extend(archive(mechanism, &[]));
        Ok(Page {
            title: mechanism.name.clone(),
            about: mechanism.about.clone(),
            summary,
            plots: plots(mechanism, &motions, several),
            scene: (!moving.is_empty() && !drawn.is_empty()).then_some(all),
            ..Page::default()
        })
    }
}

/// The pose of what is not in a table at a time; it is not drawn.
const NOWHERE: BodyPose =
    BodyPose { position: [f64::NAN; 3], quaternion: [f64::NAN, 0.0, 0.0, 0.0] };

/// Looks up the columns of a table.
fn known<'a>(mechanism: &Mechanism, motion: &'a RecordedMotion) -> Result<Known<'a>, Problem> {
    let fault =
        |message: String, help: &str| Problem::new(format!("{}: {message}", motion.name), help);
    let names: Vec<&str> = mechanism.coordinates.iter().map(|one| one.name.as_str()).collect();
    let width = motion.rows.first().map_or(0, Vec::len);
    if width == 0 {
        return Err(fault("the table has no rows".to_owned(), "give it one for each time"));
    }
    let headings: Vec<String> = match motion.headings.is_empty() {
        false => motion.headings.clone(),
        true if width == 1 + names.len() => {
            ["t"].iter().chain(&names).map(|name| (*name).to_owned()).collect()
        }
        true => {
            let message = format!(
                "the table has {width} columns without names, the time and the coordinates are {}",
                1 + names.len()
            );
            return Err(fault(
                message,
                "write the coordinates alone, `--channels coordinates`, or give names: .csv, .parquet",
            ));
        }
    };
    if let Some(at) = motion.rows.iter().position(|row| row.len() != headings.len()) {
        let (found, expected) = (motion.rows[at].len(), headings.len());
        let message = format!("row {} has {found} columns, the heading {expected}", at + 1);
        return Err(fault(message, "give every row a number for every column"));
    }
    let units = units::of_coordinates(mechanism);
    let mut columns = Vec::new();
    for (at, heading) in headings.iter().enumerate() {
        let (name, unit) = match heading.split_once('[') {
            Some((name, unit)) => (name.trim(), unit.trim().trim_end_matches(']').trim()),
            None => (heading.trim(), ""),
        };
        let coordinate = names.iter().position(|one| *one == name);
        let expected_unit = if at == 0 { Some("s") } else { coordinate.map(|at| units[at]) };
        let factor = match expected_unit {
            Some(expected_unit) if !unit.is_empty() && unit != expected_unit => {
                let what = format!("{}: the unit of column `{name}`", motion.name);
                GivenQuantity::parse(&format!("1 {unit}"), &what)?.in_unit(
                    expected_unit,
                    name,
                    &what,
                )?
            }
            _ => 1.0,
        };
        let values = motion.rows.iter().map(|row| factor * row[at]).collect();
        let unit = expected_unit.unwrap_or(unit).to_owned();
        columns.push(Column { name: name.to_owned(), unit, values });
    }
    let time = columns.remove(0);
    if time.name != "t" && time.name != "time" {
        let message = format!("the first column is `{}`, not the time", time.name);
        return Err(fault(message, "call it `t`"));
    }
    let times = time.values;
    // A time that is no number follows nothing.
    let follows = |pair: &[f64]| pair[0].partial_cmp(&pair[1]) == Some(std::cmp::Ordering::Less);
    if let Some(at) = times.windows(2).position(|pair| !follows(pair)) {
        let message = format!("the time of row {} is not after that of the row before", at + 2);
        return Err(fault(message, "sort the rows by time, each time once"));
    }
    let motion = Known { name: &motion.name, times, columns };
    if motion.columns.is_empty() {
        return Err(fault("there is no column but the time".to_owned(), "add channels"));
    }
    // A slip in a name would silently leave a body where it is.
    let strange = |column: &&Column| !column.name.contains('.') && !names.contains(&&*column.name);
    if let (false, Some(column)) =
        (has_coordinates(mechanism, &motion), motion.columns.iter().find(strange))
    {
        let message = format!("no column is a coordinate; the first is `{}`", column.name);
        return Err(fault(message, &likely(&column.name, names.iter().copied())));
    }
    Ok(motion)
}

fn has_coordinates(mechanism: &Mechanism, motion: &Known<'_>) -> bool {
    mechanism.coordinates.iter().any(|one| motion.column(&one.name).is_some())
}

/// All coordinates of a motion at a time; those that the table does not have are as given.
fn coordinates(
    mechanism: &Mechanism,
    mut q: Vec<f64>,
    motion: &Known<'_>,
    time: f64,
) -> Option<Vec<f64>> {
    for (value, coordinate) in q.iter_mut().zip(&mechanism.coordinates) {
        if let Some(column) = motion.column(&coordinate.name) {
            *value = motion.at(column, time)?;
        }
    }
    Some(q)
}

/// All coordinates of a motion at the times of frames.
struct Course {
    /// None where the table has no row.
    positions: Vec<Option<Vec<f64>>>,
    /// `true` if coordinates that the table does not have follow from those that it has.
    follows: bool,
    /// Frames whose loops stay open, and the largest residual.
    open: (usize, f64),
}

impl Course {
    /// Coordinates at these times; loops are closed by those that the table does not have.
    fn of(
        tree: &MultibodySystem,
        q: Vec<f64>,
        motion: &Known<'_>,
        times: &[f64],
    ) -> Result<Course, Problem> {
        let mechanism = &tree.mechanism;
        let mut positions: Vec<Option<Vec<f64>>> =
            times.iter().map(|&time| coordinates(mechanism, q.clone(), motion, time)).collect();
        let known: Vec<bool> =
            mechanism.coordinates.iter().map(|one| motion.column(&one.name).is_some()).collect();
        let follows = is_closed(mechanism) && known.contains(&false);
        let mut open = (0, 0.0);
        if follows {
            // Gaps have no position; what is known of a quaternion is a start at least.
            let finite = |q: &Vec<f64>| q.iter().all(|value| value.is_finite());
            let mut keep = SpeedSet::new();
            for (coordinate, _) in mechanism.coordinates.iter().zip(&known).filter(|one| *one.1) {
                keep.extend(named(tree, &[&coordinate.name]).unwrap_or_default().iter());
            }
            let there = positions.iter_mut().zip(times);
            let mut there: Vec<(&mut Vec<f64>, f64)> = there
                .filter_map(|(q, time)| Some((q.as_mut().filter(|q| finite(q))?, *time)))
                .collect();
            let course: Vec<(f64, Vec<f64>)> =
                there.iter().map(|(q, time)| (*time, (**q).clone())).collect();
            for ((q, _), found) in there.iter_mut().zip(follow(tree, &course, &known, &keep)?) {
                if !found.closed {
                    open = (open.0 + 1, found.residual.max(open.1));
                }
                **q = found.q;
            }
        }
        Ok(Course { positions, follows, open })
    }
}

/// Times of frames: all, or evenly chosen ones with the last.
fn frames(times: &[f64]) -> Vec<f64> {
    let stride = times.len().div_ceil(FRAMES).max(1);
    let last = times.last().copied();
    let mut kept: Vec<f64> = times.iter().copied().step_by(stride).collect();
    kept.extend(last.filter(|last| kept.last() != Some(last)));
    kept
}

/// The tables, in a table.
fn files(motions: &[Known<'_>]) -> Section {
    motions.iter().enumerate().fold(Section::new("Motions"), |section, (at, motion)| {
        let (from, to) = (motion.times[0], motion.times[motion.times.len() - 1]);
        let look = if at == 0 { "" } else { ", translucent" };
        let rows = count(motion.times.len() as u64);
        let text = format!(
            "{rows} rows of {} channels, {} to {} s{look}",
            motion.columns.len(),
            shown(from, 6),
            shown(to, 6)
        );
        section.row(motion.name, text)
    })
}

/// Coordinates that a table does not have, and what became of them.
fn missing(mechanism: &Mechanism, motions: &[&Known<'_>], courses: &[Course]) -> Section {
    let section = Section::new("Coordinates that are not in a table");
    motions.iter().zip(courses).fold(section, |section, (motion, course)| {
        let names = mechanism.coordinates.iter().map(|one| one.name.as_str());
        let left: Vec<&str> = names.filter(|name| motion.column(name).is_none()).collect();
        if left.is_empty() {
            return section;
        }
        let what = match (course.follows, course.open) {
            (false, _) => "at their initial values".to_owned(),
            (true, (0, _)) => "follow from the others, loops closed".to_owned(),
            (true, (frames, residual)) => format!(
                "follow from the others; loops stay open in {frames} of {} frames, by {} at most",
                course.positions.len(),
                shown(residual, 3)
            ),
        };
        section.row(motion.name, format!("{}: {what}", left.join(", ")))
    })
}

/// The largest differences of the channels that two motions share, at the times of the first.
fn differences(first: &Known<'_>, other: &Known<'_>) -> Section {
    let section = Section::new(format!("{} against {}", other.name, first.name));
    let mut rows = Vec::new();
    for column in &first.columns {
        let Some(same) = other.column(&column.name) else { continue };
        let (mut most, mut when) = (0.0_f64, f64::NAN);
        for (time, value) in first.times.iter().zip(&column.values) {
            let apart = other.at(same, *time).map_or(0.0, |found| (found - value).abs());
            if apart > most {
                (most, when) = (apart, *time);
            }
        }
        let at = if most > 0.0 { format!(" at {} s", shown(when, 6)) } else { String::new() };
        rows.push((column.name.clone(), format!("{} {}{at}", shown(most, 4), column.unit)));
    }
    let more = rows.len().saturating_sub(LISTED);
    let section = rows
        .into_iter()
        .take(LISTED)
        .fold(section, |section, (name, text)| section.row(name, format!("at most {text}")));
    if more > 0 { section.row("", format!("and {more} more")) } else { section }
}

/// Channels of one name beside each other, in plots by kind and unit.
fn plots(mechanism: &Mechanism, motions: &[Known<'_>], several: bool) -> Vec<Plot> {
    let mut plots: Vec<Plot> = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for motion in motions {
        for column in &motion.columns {
            if seen.contains(&column.name.as_str()) {
                continue;
            }
            seen.push(&column.name);
            let title = title(mechanism, &column.name);
            let holders = motions.iter().filter_map(|one| Some((one, one.column(&column.name)?)));
            let curves: Vec<Curve> = holders
                .map(|(one, column)| {
                    let name = match several {
                        true => format!("{} ({})", column.name, one.name),
                        false => column.name.clone(),
                    };
                    Curve { times: one.times.clone(), ..Curve::new(name, column.values.clone()) }
                })
                .collect();
            let fits = |plot: &&mut Plot| {
                plot.title == title
                    && plot.unit == column.unit
                    && plot.curves.len() + curves.len() <= CURVES
            };
            match plots.iter_mut().rev().find(fits) {
                Some(plot) => plot.curves.extend(curves),
                None => plots.push(Plot { title, unit: column.unit.clone(), curves }),
            }
        }
    }
    plots
}

/// The heading of the plot of a channel.
fn title(mechanism: &Mechanism, name: &str) -> String {
    if mechanism.coordinates.iter().any(|one| one.name == name) {
        return "Coordinates".to_owned();
    }
    let (owner, rest) = name.split_once('.').unwrap_or((name, ""));
    match rest {
        "d" => "Speeds".to_owned(),
        "dd" => "Accelerations".to_owned(),
        _ if owner == "energy" => "Energies".to_owned(),
        "" => "Others".to_owned(),
        _ => owner.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(name: &str, headings: &str, rows: &[[f64; 2]]) -> RecordedMotion {
        RecordedMotion {
            name: name.to_owned(),
            headings: headings.split(',').map(str::to_owned).collect(),
            rows: rows.iter().map(|row| row.to_vec()).collect(),
        }
    }

    fn page(motions: &[RecordedMotion]) -> Result<Page, Error> {
        Model::read("pendulum.toml", crate::doc::PENDULUM)?.overlay(motions)
    }

    #[test]
    fn motions_are_drawn_over_each_other_and_compared() {
        let one = table("one.csv", "t,q [rad]", &[[0.0, 0.0], [1.0, 0.5], [2.0, 0.0]]);
        let other = table("two.csv", "t,q [deg]", &[[0.5, 0.0], [1.5, 90.0]]);
        let page = page(&[one, other]).unwrap();
        let scene = page.scene.as_ref().unwrap();
        assert_eq!((scene.bodies.len(), scene.poses.len()), (2, 6));
        assert!(!scene.bodies[0].ghost && scene.bodies[1].ghost);
        // The second table begins later: its body is nowhere before.
        assert!(scene.poses[1].position[0].is_nan() && !scene.poses[3].position[0].is_nan());
        let plot = &page.plots[0];
        let names: Vec<&str> = plot.curves.iter().map(|curve| curve.name.as_str()).collect();
        assert_eq!(names, ["q (one.csv)", "q (two.csv)"]);
        assert_eq!((plot.title.as_str(), plot.unit.as_str()), ("Coordinates", "rad"));
        // Halfway between 0 and 90 degrees at 1 s, less 0.5.
        let apart = std::f64::consts::FRAC_PI_4 - 0.5;
        let section = page.summary.iter().find(|one| one.title.contains("against")).unwrap();
        let expected = format!("at most {} rad at 1 s", shown(apart, 4));
        assert_eq!(section.rows, [("q".to_owned(), expected)]);
    }

    #[test]
    fn loops_follow_the_coordinates_that_were_measured() {
        let model = Model::read("four_bar.toml", crate::doc::FOUR_BAR).unwrap();
        let names: Vec<&str> =
            model.mechanism().coordinates.iter().map(|one| one.name.as_str()).collect();
        let start = model.state().q[0];
        let rows = [[0.0, start], [1.0, start + 0.4]];
        let measured = table("measured.csv", &format!("t,{}", names[0]), &rows);
        let page = model.overlay(&[measured]).unwrap();
        let note = page.summary.iter().find(|one| one.title.contains("not in a table")).unwrap();
        assert!(note.rows[0].1.ends_with("follow from the others, loops closed"), "{note:?}");
        // The last frame is where the loops are closed with the crank there.
        let mut state = model.state();
        state.q[0] = start + 0.4;
        let (scene, drawn) = scene(model.mechanism());
        let keep = named(model.tree(), &[names[0]]).unwrap();
        let course = [(0.0, model.state().q), (1.0, state.q)];
        let known: Vec<bool> = (0..names.len()).map(|at| at == 0).collect();
        let found = follow(model.tree(), &course, &known, &keep).unwrap();
        assert!(found.iter().all(|one| one.closed && one.residual < 1e-10));
        let expected = poses(model.mechanism(), &drawn, &found[1].q);
        let shown = page.scene.unwrap();
        assert_eq!(&shown.poses[scene.bodies.len()..], &expected[..]);
    }

    #[test]
    fn tables_that_say_something_else_are_refused() {
        let check = |motion: RecordedMotion, expected: &str| {
            let error = page(&[motion]).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check(table("a.csv", "t,p", &[[0.0, 1.0]]), "no column is a coordinate");
        check(table("a.csv", "q,t", &[[0.0, 1.0]]), "the first column is `q`, not the time");
        check(table("a.csv", "t,q", &[[0.0, 1.0], [0.0, 1.0]]), "not after that of the row before");
        check(table("a.csv", "t,q", &[]), "the table has no rows");
        check(table("a.csv", "t,q,q.d", &[[0.0, 1.0]]), "row 1 has 2 columns, the heading 3");
        check(table("a.csv", "t,q [kg]", &[[0.0, 1.0]]), "of another dimension");
        let nameless = RecordedMotion { headings: Vec::new(), ..table("a.res", "", &[[0.0, 1.0]]) };
        assert!(page(&[nameless]).is_ok());
    }
}
