//! Numbers of a mechanism's constraints, for `rotule check`; and closed initial states, for `rotule
//! assemble`.

use rotule_formalism::constraint::partition::Partition;
use rotule_formalism::{MultibodySystem, Problem, normalise};
use rotule_model::index::SpeedSet;
use rotule_model::mechanism::{Mechanism, Role};
use rotule_numeric::assembly::{assemble, named};
use rotule_numeric::initial_values::{Change, InitialValueReport, report};
use rotule_numeric::redundancy::{Analysis, analyse};
use rotule_numeric::singular_mass::{SingularMass, singular_mass};
use rotule_numeric::state::StateNumbers;
use rotule_symbolic::list;
use serde_json::{Value, json};
use std::fmt::Write;

/// A picture has at most so many rows, and headings by name are at most so wide.
const DRAWN: usize = 32;
const WIDEST: usize = 72;
/// A list has at most so many names.
const LISTED: usize = 16;

/// Rank, redundancy and partition of a mechanism's constraints.
pub struct Loops {
    /// The fault, or why nothing can be said.
    pub found: Result<Analysis, Problem>,
    /// Written initial values that do not hold.
    pub initial: Option<InitialValueReport>,
    changes: Vec<Change>,
    /// Motions without kinetic energy, at the closed initial position.
    mass: Option<SingularMass>,
    /// Names of the speeds' coordinates.
    names: Vec<String>,
    /// The word for speeds that are given instead of found: locked or driven.
    given: Vec<Option<&'static str>>,
}

/// Looks at the constraints of a mechanism; none if it has none.
pub fn loops(mechanism: &Mechanism) -> Option<Loops> {
    let rows: usize = mechanism.cuts.iter().map(rotule_model::mechanism::Cut::rows).sum();
    let rolling = mechanism.wheels.iter().filter(|wheel| wheel.rolling).count();
    let rows = rows + mechanism.couplings.len() + mechanism.constraints.len() + 3 * rolling;
    if rows == 0 {
        return None;
    }
    let names = mechanism.speeds.iter().map(|speed| speed.name.replacen(".d", "", 1)).collect();
    let tree = normalise(mechanism.clone());
    let found = analyse(&tree);
    let (mut initial, mut changes) = (None, Vec::new());
    if found.is_ok() {
        match assemble(&tree, &SpeedSet::new()) {
            Ok(closed) => (initial, changes) = (report(&closed.changes), closed.changes),
            Err(problem) => initial = Some(InitialValueReport { warning: true, problem }),
        }
    }
    let mass = found.as_ref().ok().and_then(|found| singular_mass(&tree, found).ok().flatten());
    let mut given = vec![None; mechanism.speeds.len()];
    for joint in &mechanism.joints {
        let word = match joint.role {
            Role::Free => None,
            Role::Locked => Some("locked"),
            Role::Driven { .. } => Some("driven"),
        };
        given[joint.speeds.clone()].fill(word);
    }
    Some(Loops { found, initial, changes, mass, names, given })
}

/// Positions in the model's order: a partition has them in the order of elimination, which says
/// nothing to a reader.
fn ordered(positions: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut all: Vec<usize> = positions.collect();
    all.sort_unstable();
    all
}

impl Loops {
    /// The section of `rotule check`.
    pub fn text(&self) -> String {
        let mut out = String::from("\nclosure\n");
        let analysis = match &self.found {
            Ok(analysis) => analysis,
            Err(problem) => {
                let _ = writeln!(out, "  {}", problem.message);
                if !problem.help.is_empty() {
                    let _ = writeln!(out, "  help: {}", problem.help);
                }
                return out;
            }
        };
        let mut line = |name: &str, text: String| {
            let _ = writeln!(out, "  {name:<19} {text}");
        };
        line("degrees of freedom", format!("{}, by rank", analysis.mobility()));
        line("rank", format!("{} of {} constraints", analysis.rank, analysis.names.len()));
        for repeat in analysis.repeats.iter().take(DRAWN) {
            line("redundant", analysis.sentence(repeat));
        }
        if analysis.repeats.len() > DRAWN {
            line("", format!("and {} more", analysis.repeats.len() - DRAWN));
        }
        if let Some(fault) = analysis.fault() {
            let word = if analysis.singular.is_empty() { "refused" } else { "singular" };
            line(word, fault.message);
            line("", fault.help);
        }
        if let Some(mass) = &self.mass {
            let problem = mass.problem();
            line(if mass.everywhere { "refused" } else { "singular" }, problem.message);
            line("", problem.help);
        }
        let Ok(partition) = &analysis.partition else { return out };
        let listed = |columns: &[usize]| {
            if columns.is_empty() {
                return "none".to_owned();
            }
            let all: Vec<&str> = columns.iter().map(|&at| self.names[at].as_str()).collect();
            let shown = all.iter().take(LISTED).copied().collect::<Vec<_>>().join(" ");
            if all.len() > LISTED { format!("{shown} ... ({} in all)", all.len()) } else { shown }
        };
        line("independent", listed(&self.independent(partition, None)));
        for word in ["driven", "locked"] {
            let columns = self.independent(partition, Some(word));
            if !columns.is_empty() {
                line(word, listed(&columns));
            }
        }
        line("dependent", listed(&ordered(partition.dependent())));
        let quality = match partition.quality {
            quality if quality >= 0.01 => format!("{quality:.2}"),
            quality => format!("{quality:.0e}"),
        };
        line("conditioning", format!("{quality}, smallest pivot over largest"));
        let sizes: Vec<String> =
            partition.blocks.iter().map(|block| block.rows.len().to_string()).collect();
        let shown = sizes.iter().take(DRAWN).cloned().collect::<Vec<_>>().join(" ");
        let more = if sizes.len() > DRAWN { " ..." } else { "" };
        line(
            "blocks",
            match sizes.len() {
                0 => "none".to_owned(),
                count => format!("{count}, of {shown}{more} rows"),
            },
        );
        if partition.dependent().count() <= DRAWN {
            out.push_str(&self.picture(analysis));
        }
        out
    }

    /// The columns of a partition that no constraint determines: free ones, or those that are
    /// driven or locked.
    fn independent(&self, partition: &Partition, given: Option<&str>) -> Vec<usize> {
        let columns = partition.independent.iter().copied();
        columns.filter(|&at| self.given[at] == given).collect()
    }

    /// The dependent columns of `J`: `#` in a block that is solved together, `+` what a block needs
    /// from earlier ones.
    fn picture(&self, analysis: &Analysis) -> String {
        let mut out = String::new();
        let Ok(partition) = &analysis.partition else { return out };
        let columns: Vec<usize> = (partition.blocks.iter())
            .flat_map(|block| ordered(block.columns.iter().copied()))
            .collect();
        let name = |row: usize| analysis.names[analysis.kept[row]].as_str();
        let rows = partition.blocks.iter().flat_map(|block| block.rows.iter());
        let width = rows.map(|&row| name(row).chars().count()).max().unwrap_or(0);
        // Where names would be too wide, columns are counted in the order of the dependent
        // coordinates.
        let wide: usize = columns.iter().map(|&column| self.names[column].len() + 2).sum();
        let heading = |(at, &column): (usize, &usize)| match wide <= WIDEST {
            true => self.names[column].clone(),
            false => (at + 1).to_string(),
        };
        let headings: Vec<String> = columns.iter().enumerate().map(heading).collect();
        let widths: Vec<usize> = headings.iter().map(|one| one.chars().count()).collect();
        let title = format!("\n  {:width$}  {}", "", headings.join("  "));
        let _ = writeln!(out, "{title}");
        for block in &partition.blocks {
            for row in ordered(block.rows.iter().copied()) {
                let mut line = format!("  {:width$}", name(row));
                for (&column, &wide) in columns.iter().zip(&widths) {
                    let has = analysis.shape.rows[row].iter().any(|&(known, _)| known == column);
                    let sign = match (block.columns.contains(&column), has) {
                        (true, true) => "#",
                        (false, true) => "+",
                        (_, false) => ".",
                    };
                    let _ = write!(line, "  {sign:<wide$}");
                }
                let _ = writeln!(out, "{}", line.trim_end());
            }
        }
        out
    }

    /// The report as JSON.
    pub fn json(&self) -> Value {
        let said = |problem: &Problem| json!({ "message": problem.message, "help": problem.help });
        let analysis = match &self.found {
            Ok(analysis) => analysis,
            Err(problem) => return json!({ "problem": said(problem) }),
        };
        let row = |at: usize| analysis.names[at].as_str();
        let column = |at: &usize| self.names[*at].as_str();
        let redundant: Vec<Value> = (analysis.repeats.iter())
            .map(|repeat| {
                let of: Vec<&str> = repeat.of.iter().map(|one| row(one.0)).collect();
                json!({ "row": row(repeat.row), "repeats": of })
            })
            .collect();
        let partition = analysis.partition.as_ref().ok().map(|partition| {
            let blocks: Vec<Value> = (partition.blocks.iter())
                .map(|block| {
                    let rows = ordered(block.rows.iter().copied());
                    let rows: Vec<&str> =
                        rows.into_iter().map(|at| row(analysis.kept[at])).collect();
                    let columns = ordered(block.columns.iter().copied());
                    let columns: Vec<&str> = columns.iter().map(column).collect();
                    json!({ "rows": rows, "columns": columns, "needs": block.needs })
                })
                .collect();
            let dependent = ordered(partition.dependent());
            let named = |given: Option<&str>| -> Vec<&str> {
                self.independent(partition, given).iter().map(column).collect()
            };
            json!({
                "independent": named(None),
                "driven": named(Some("driven")),
                "locked": named(Some("locked")),
                "dependent": dependent.iter().map(column).collect::<Vec<_>>(),
                "blocks": blocks,
                "conditioning": partition.quality,
            })
        });
        json!({
            "mobility": analysis.mobility(),
            "rank": analysis.rank,
            "rows": analysis.names,
            "dropped": analysis.dropped,
            "redundant": redundant,
            "singular": analysis.singular.iter().map(|&at| row(at)).collect::<Vec<_>>(),
            "partition": partition,
            "problem": analysis.fault().as_ref().map(said),
            "initial": self.initial.as_ref().map(|report| initial_json(report, &self.changes)),
            "singular_mass": self.mass.as_ref().map(|mass| json!({
                "coordinates": mass.coordinates,
                "bodies": mass.bodies,
                "everywhere": mass.everywhere,
                "problem": said(&mass.problem()),
            })),
        })
    }
}

/// A report on written initial values for tools.
pub fn initial_json(report: &InitialValueReport, changes: &[Change]) -> Value {
    let each = changes.iter().map(|change| {
        let Change { name, written, used, .. } = change;
        json!({ "name": name, "written": written, "used": used, "change": change.amount() })
    });
    json!({
        "severity": report.word(),
        "message": report.problem.message,
        "help": report.problem.help,
        "changes": each.collect::<Vec<_>>(),
    })
}

/// A closed initial state, and the written values that could not be kept; the joints and
/// coordinates in the list `keep` do not move.
pub fn assembled(
    tree: &MultibodySystem,
    keep: &str,
) -> Result<(StateNumbers, Vec<Change>), Problem> {
    let names: Vec<&str> = list::names(keep).collect();
    let found = assemble(tree, &named(tree, &names)?)?;
    let mut state = StateNumbers::initial(tree);
    (state.q, state.qd) = (found.q, found.qd);
    Ok((state, found.changes))
}

/// A state as the initial values of a model file. Driven joints have none: their motion says where
/// they are.
pub fn initial_text(mechanism: &Mechanism, state: &StateNumbers) -> String {
    let mut out = String::new();
    for (header, list, coordinates) in
        [("[initial.q]", &state.q, true), ("[initial.qd]", &state.qd, false)]
    {
        let gap = if out.is_empty() { "" } else { "\n" };
        let _ = writeln!(out, "{gap}{header}");
        for joint in &mechanism.joints {
            let locked = joint.role == Role::Locked && !coordinates;
            if matches!(joint.role, Role::Driven { .. }) || locked {
                continue;
            }
            let range = if coordinates { &joint.coordinates } else { &joint.speeds };
            let value = match &list[range.clone()] {
                [] => continue,
                [one] => rounded(*one),
                several => {
                    format!(
                        "[{}]",
                        several.iter().map(|&x| rounded(x)).collect::<Vec<_>>().join(", ")
                    )
                }
            };
            let _ = writeln!(out, "{} = {value}", rotule_model::write::key(&joint.name));
        }
    }
    out
}

/// Fifteen digits: what an iteration leaves beyond them differs from machine to machine.
fn rounded(value: f64) -> String {
    let value: f64 = format!("{value:.14e}").parse().unwrap_or(value);
    // No negative zero.
    format!("{:?}", value + 0.0)
}
