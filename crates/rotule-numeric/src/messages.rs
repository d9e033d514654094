//! Messages about an analysis: which rows repeat which, and what is wrong with a position or with a
//! requested partition. Each message names the constraints and the coordinates, and the remedy.

use crate::partition::Singularity;
use crate::redundancy::{Analysis, RedundantRow};
use rotule_formalism::Problem;

/// A list has at most so many names.
const LISTED: usize = 8;

impl Analysis {
    /// The rows that a redundant row repeats, in words: "`loop z` repeats `other z`".
    pub fn sentence(&self, repeat: &RedundantRow) -> String {
        let name = |row: usize| format!("`{}`", self.names[row]);
        let own = name(repeat.row);
        match &repeat.of[..] {
            [] => format!("{own} is redundant: it constrains nothing"),
            [(one, _)] => format!("{own} repeats {}", name(*one)),
            several => {
                let shown: Vec<String> = several.iter().take(4).map(|one| name(one.0)).collect();
                let more = match several.len() {
                    count if count > 4 => format!(" and {} more", count - 4),
                    _ => String::new(),
                };
                format!("{own} is redundant: it follows from {}{more}", shown.join(", "))
            }
        }
    }

    /// Degrees of freedom: free speeds less the rank.
    pub fn mobility(&self) -> usize {
        self.movable - self.rank
    }

    /// The fault of the position or of the request, if there is one.
    pub fn fault(&self) -> Option<Problem> {
        if !self.singular.is_empty() {
            return Some(Problem::new(
                format!(
                    "the initial position is singular: {} {} on other constraints there, but not near it",
                    self.rows(&self.singular),
                    if self.singular.len() == 1 { "depends" } else { "depend" },
                ),
                "give another initial position: several motions are possible from this one",
            ));
        }
        if let Some(first) = self.repeats.first().filter(|_| self.refuses) {
            let more = match self.repeats.len() {
                1 => String::new(),
                count => format!(", and {} more are redundant", count - 1),
            };
            return Some(Problem::new(
                format!("the model refuses redundant constraints: {}{more}", self.sentence(first)),
                "leave them out, or write `redundant = \"set_aside\"` in `[model]`",
            ));
        }
        self.partition.as_ref().err().map(|fault| self.no_partition(fault))
    }

    /// Why there is no partition, in words.
    fn no_partition(&self, fault: &Singularity) -> Problem {
        let kept =
            |rows: &[usize]| self.rows(&rows.iter().map(|&row| self.kept[row]).collect::<Vec<_>>());
        let are = |count: usize| if count == 1 { "is" } else { "are" };
        match fault {
            Singularity::Structural(row) => Problem::new(
                format!("no free coordinate is left to satisfy constraint {}", kept(&[*row])),
                "free, unlock or add a joint: driven and locked joints cannot be dependent",
            ),
            Singularity::Numerical(rows) => Problem::new(
                format!(
                    "constraints {} cannot be solved for any dependent coordinates",
                    kept(rows)
                ),
                "driven and locked joints cannot be dependent: free, unlock or add a joint",
            ),
            Singularity::Excluded(column) => Problem::new(
                format!(
                    "`{}` cannot be dependent: it {}",
                    self.columns[*column],
                    self.known[*column].unwrap_or("cannot follow")
                ),
                "choose coordinates of free joints",
            ),
            Singularity::Unused(column) => Problem::new(
                format!(
                    "`{}` cannot be dependent: it occurs in no constraint",
                    self.columns[*column]
                ),
                "a coordinate outside of all loops is independent",
            ),
            Singularity::TooMany { columns, rows } => Problem::new(
                format!(
                    "{} coordinates are requested as dependent, {}, but they have {} {}, {}",
                    columns.len(),
                    self.coordinates(columns),
                    rows.len(),
                    if rows.len() == 1 { "constraint only" } else { "constraints only" },
                    kept(rows),
                ),
                format!("make {} of them independent", columns.len() - rows.len()),
            ),
            Singularity::TooFew { columns, requested, rows } => {
                let left = match columns.len() {
                    0 => "none is left".to_owned(),
                    count => {
                        let names = self.coordinates(columns);
                        format!("{count} {} left, {names}", are(count))
                    }
                };
                let need = match rows.len() {
                    1 => format!("constraint {} needs 1 dependent coordinate", kept(rows)),
                    count => {
                        format!("constraints {} need {count} dependent coordinates", kept(rows))
                    }
                };
                Problem::new(
                    format!(
                        "{need}, but {left}: {} {} requested as independent",
                        self.coordinates(requested),
                        are(requested.len()),
                    ),
                    format!("make {} of these dependent", rows.len() - columns.len()),
                )
            }
            Singularity::Requested { columns, rows } => Problem::new(
                format!(
                    "the requested coordinate partition is singular in the initial position: constraints {} cannot be solved for {} there",
                    kept(rows),
                    self.coordinates(columns),
                ),
                "choose other independent coordinates, or give another initial position",
            ),
        }
    }

    fn rows(&self, rows: &[usize]) -> String {
        listed(rows.iter().map(|&row| self.names[row].as_str()))
    }

    fn coordinates(&self, columns: &[usize]) -> String {
        listed(columns.iter().map(|&column| self.columns[column].as_str()))
    }
}

/// Names in backticks, and how many more there are.
fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let count = names.len();
    let shown: Vec<String> = names.take(LISTED).map(|name| format!("`{name}`")).collect();
    let more = if count > LISTED { format!(" and {} more", count - LISTED) } else { String::new() };
    shown.join(", ") + &more
}
