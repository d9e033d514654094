//! Equilibria over a quantity: branches with folds, or a quasi-static motion.

use super::{Prepared, QuantityRange, page};
use crate::error::Error;
use crate::files::write_file;
use crate::state::State;
use rotule_analysis::continuation::{Branch, BranchPoint, PointKind};
use rotule_analysis::quantity::{coordinate_name, single_coordinate};
use rotule_model::mechanism::{Mechanism, Role};
use rotule_report::Page;
use rotule_symbolic::figures::{digits, plain};
use serde_json::{Value, json};
use std::fmt::{self, Write as _};
use std::io::Write as _;
use std::path::Path;

/// Branches of equilibria over a quantity. `Display` shows folds, other special points and ends.
#[derive(Clone)]
pub struct EquilibriumBranches {
    pub(super) model: String,
    pub(super) about: String,
    pub(super) mechanism: Mechanism,
    range: QuantityRange,
    branches: Vec<Branch>,
    lost: Option<f64>,
    state: State,
}

/// Coordinates that a summary shows beside a special point.
const SHOWN: usize = 4;

impl EquilibriumBranches {
    pub(super) fn new(
        prepared: &Prepared<'_>,
        range: &QuantityRange,
        branches: Vec<Branch>,
        lost: Option<f64>,
    ) -> EquilibriumBranches {
        let model = &prepared.model;
        EquilibriumBranches {
            model: model.name().to_owned(),
            about: model.mechanism().about.clone(),
            mechanism: prepared.mechanism(),
            range: range.clone(),
            branches,
            lost,
            state: model.state(),
        }
    }

    /// The name of the quantity.
    pub fn quantity(&self) -> &str {
        &self.range.name
    }

    /// The branches, the first of which begins at the state.
    pub fn branches(&self) -> &[Branch] {
        &self.branches
    }

    /// The number at which no equilibrium was found near the one before, of a quasi-static motion
    /// that ended early.
    pub fn lost(&self) -> Option<f64> {
        self.lost
    }

    /// Folds of all branches: numbers of the quantity at which a branch turns back.
    pub fn folds(&self) -> Vec<f64> {
        self.special(PointKind::Fold)
    }

    /// Numbers of the quantity at which branches cross.
    pub fn bifurcations(&self) -> Vec<f64> {
        self.special(PointKind::Bifurcation)
    }

    fn special(&self, kind: PointKind) -> Vec<f64> {
        let points = self.branches.iter().flat_map(|branch| &branch.points);
        points.filter(|point| point.kind == kind).map(|point| point.value).collect()
    }

    /// The state of a point.
    pub fn state(&self, point: &BranchPoint) -> State {
        let mut numbers = self.state.numbers();
        numbers.t = point.point.t;
        numbers.q.clone_from(&point.point.q);
        numbers.qd.clone_from(&point.point.qd);
        numbers.states.clone_from(&point.point.states);
        numbers.inputs.clone_from(&point.point.inputs);
        numbers.effort.clone_from(&point.point.effort);
        numbers.parameters.clone_from(&point.point.parameters);
        self.state.with(numbers)
    }

    /// Names of the columns of the table.
    fn columns(&self) -> Vec<String> {
        let first = ["branch", self.range.name.as_str(), "kind", "growing", "residual"];
        let coordinates = self.mechanism.coordinates.iter().map(|one| one.name.clone());
        first.into_iter().map(str::to_owned).chain(coordinates).collect()
    }

    /// All points as a table: CSV with a row for each.
    pub fn csv(&self) -> String {
        let mut text = self.columns().iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",");
        text.push('\n');
        for (number, branch) in self.branches.iter().enumerate() {
            for point in &branch.points {
                let growing = point.growing.map_or(String::new(), |count| count.to_string());
                let _ = write!(
                    text,
                    "{},{},{},{growing},{:e}",
                    number + 1,
                    point.value + 0.0,
                    kind(point.kind),
                    point.residual
                );
                for q in &point.point.q {
                    let _ = write!(text, ",{}", q + 0.0);
                }
                text.push('\n');
            }
        }
        text
    }

    /// Writes the table to a file.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_file(path.as_ref(), |out| out.write_all(self.csv().as_bytes()))
    }

    /// All points with names, for programs.
    pub fn json(&self) -> Value {
        let point = |one: &BranchPoint| {
            let names = self.mechanism.coordinates.iter().map(|one| one.name.clone());
            let q: serde_json::Map<String, Value> =
                names.zip(one.point.q.iter().map(|q| json!(q + 0.0))).collect();
            json!({
                "value": one.value + 0.0,
                "kind": kind(one.kind),
                "growing": one.growing,
                "residual": one.residual,
                "q": q,
            })
        };
        let branch = |one: &Branch| {
            json!({
                "from": one.from.map(|(branch, point)| json!({ "branch": branch + 1, "point": point + 1 })),
                "end": one.end,
                "points": one.points.iter().map(point).collect::<Vec<_>>(),
            })
        };
        json!({
            "model": self.model,
            "quantity": self.range.name,
            "range": [self.range.from, self.range.to],
            "lost": self.lost,
            "branches": self.branches.iter().map(branch).collect::<Vec<_>>(),
        })
    }

    /// A page with coordinates over the quantity, stable and unstable parts apart, and the
    /// mechanism along the first branch.
    pub fn page(&self) -> Page {
        page::branches(self)
    }

    /// Coordinates of free joints that change along the branches, those that change most first.
    pub(super) fn changing(&self) -> Vec<(String, usize)> {
        let points = || self.branches.iter().flat_map(|branch| &branch.points);
        let mechanism = &self.mechanism;
        let free = mechanism.joints.iter().filter(|joint| joint.role == Role::Free);
        let mut found: Vec<(f64, String, usize)> = free
            .flat_map(|joint| joint.speeds.clone())
            .filter_map(|speed| {
                let at = single_coordinate(mechanism, speed)?;
                let values = points().map(|point| point.point.q[at]);
                let (low, high) = values
                    .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), q| {
                        (low.min(q), high.max(q))
                    });
                (high - low > 1e-9).then(|| (high - low, coordinate_name(mechanism, speed), at))
            })
            .collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, name, at)| (name, at)).collect()
    }
}

impl fmt::Display for EquilibriumBranches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, QuantityRange { from, to, .. }) = (&self.range.name, &self.range);
        writeln!(
            f,
            "equilibria of {} over {name}, {} to {}",
            self.model,
            digits(*from),
            digits(*to)
        )?;
        let changing = self.changing();
        for (number, branch) in self.branches.iter().enumerate() {
            let origin = match branch.from {
                None => String::new(),
                Some((other, point)) => {
                    let value = plain(self.branches[other].points[point].value, 10);
                    format!(", leaves branch {} at {name} = {value}", other + 1)
                }
            };
            writeln!(f, "\nbranch {}: {} points{origin}", number + 1, branch.points.len())?;
            let last = branch.points.len() - 1;
            for (at, point) in branch.points.iter().enumerate() {
                let before = at.checked_sub(1).and_then(|before| branch.points[before].growing);
                let changes = at > 0 && point.growing.is_some() && before != point.growing;
                let special = point.kind != PointKind::Regular || at == 0 || at == last;
                if !special && !changes {
                    continue;
                }
                let word = match (point.kind, at) {
                    (PointKind::Fold, _) => "fold",
                    (PointKind::Bifurcation, _) => "crossing",
                    (_, 0) => "begin",
                    (_, at) if at == last => "end",
                    _ => "change",
                };
                let stability = match point.growing {
                    None => String::new(),
                    Some(0) => "  stable".to_owned(),
                    Some(count) => format!("  unstable ({count})"),
                };
                let values = changing
                    .iter()
                    .take(SHOWN)
                    .map(|(name, at)| format!("{name} = {}", plain(point.point.q[*at], 8)));
                let values = values.collect::<Vec<_>>().join(", ");
                let value = plain(point.value, 10);
                writeln!(f, "  {word:<9}{name} = {value:<16} {values}{stability}")?;
            }
            writeln!(f, "  {}", branch.end)?;
        }
        if let Some(lost) = self.lost {
            writeln!(f, "\nno equilibrium at {name} = {} near the one before", digits(lost))?;
        }
        Ok(())
    }
}

/// A field of a table.
pub(super) fn quoted(field: &str) -> String {
    match field.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", field.replace('"', "\"\"")),
        false => field.to_owned(),
    }
}

fn kind(kind: PointKind) -> &'static str {
    match kind {
        PointKind::Regular => "regular",
        PointKind::Fold => "fold",
        PointKind::Bifurcation => "bifurcation",
    }
}
