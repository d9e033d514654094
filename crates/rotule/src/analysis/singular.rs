//! `Model::singular`: poses in which the mechanism, its partition, its actuation or an output is
//! singular, and the forces near them.

use super::branches::quoted;
use super::singular_page;
use crate::error::Error;
use crate::files::write_file;
use crate::model::Model;
use crate::state::State;
use rotule_analysis::singular::{
    Examined, PoseCurve, SingularPose, SingularPositions, SingularRequest, singular,
};
use rotule_formalism::MultibodySystem;
use rotule_report::Page;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

impl Model {
    /// The singular positions of the model, to be described and [found](FindSingular::solve).
    pub fn singular(&self) -> FindSingular<'_> {
        FindSingular { model: self, from: None, request: SingularRequest::default() }
    }
}

/// Singular positions that are to be found; [`FindSingular::solve`] does so. What is independent is
/// said by [`Model::independent`].
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let found = model.singular().output("orientation:rod").solve()?;
/// // A pendulum turns its rod wherever it is.
/// assert!(found.poses().is_empty());
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "singular positions are found by `solve`"]
pub struct FindSingular<'m> {
    model: &'m Model,
    from: Option<State>,
    request: SingularRequest,
}

impl FindSingular<'_> {
    /// The state where the search begins and where held joints stay, instead of the model's initial
    /// one. Its loops are closed first; speeds do not matter.
    pub fn from(mut self, state: &State) -> Self {
        self.from = Some(state.clone());
        self
    }

    /// A joint or coordinate with a drive. Without any, those of the model are taken: joints that
    /// are driven or have a drive by `actuated`; if there are none, the independent coordinates.
    pub fn drive(mut self, name: &str) -> Self {
        self.request.drives.push(name.to_owned());
        self
    }

    /// A joint or coordinate that stays where it is in the state while poses are searched. Its
    /// column in the matrices stays.
    pub fn hold(mut self, name: &str) -> Self {
        self.request.hold.push(name.to_owned());
        self
    }

    /// A place whose motion is the output: a body or point, of which the position counts if it
    /// determines all of the motion and else the whole pose; or `position:PLACE`,
    /// `orientation:PLACE`, `pose:PLACE`. Without any, the terminal frames of a model without loops
    /// are taken.
    pub fn output(mut self, place: &str) -> Self {
        self.request.outputs.push(place.to_owned());
        self
    }

    /// The number of random starts, instead of 60, or fewer of models of more than ten speeds.
    pub fn starts(mut self, count: usize) -> Self {
        self.request.starts = Some(count);
        self
    }

    /// Finds the singular positions.
    pub fn solve(&self) -> Result<SingularTable, Error> {
        let from = self.from.clone().unwrap_or_else(|| self.model.state());
        from.check_finite(self.model.mechanism())?;
        let tree = self.model.tree_at(&from).into_owned();
        let externals = self.model.externals().boxed();
        let found = singular(&tree, &from.numbers(), &self.request, externals)?;
        Ok(SingularTable {
            model: self.model.name().to_owned(),
            about: self.model.mechanism().about.clone(),
            tree,
            found,
            start: from,
        })
    }
}

/// Singular positions. `Display` shows them as `rotule singular` does.
#[derive(Clone)]
pub struct SingularTable {
    pub(super) model: String,
    pub(super) about: String,
    pub(super) tree: MultibodySystem,
    pub(super) found: SingularPositions,
    start: State,
}

impl SingularTable {
    /// The poses, one for each family of poses that have the same in common: along the curves of
    /// motion for one degree of freedom, else the nearest to the state first.
    pub fn poses(&self) -> &[SingularPose] {
        &self.found.poses
    }

    /// The matrices that were examined, with their smallest singular value in the state.
    pub fn examined(&self) -> &[Examined] {
        &self.found.examined
    }

    /// The curves of motion of one degree of freedom, and the curves of singular poses of more,
    /// each with the position of its pose.
    pub fn curves(&self) -> (&[PoseCurve], &[(usize, PoseCurve)]) {
        (&self.found.curves, &self.found.loci)
    }

    /// All that was found.
    pub fn positions(&self) -> &SingularPositions {
        &self.found
    }

    /// The state of a pose, at rest.
    pub fn state(&self, pose: &SingularPose) -> State {
        self.start.with(pose.state.clone())
    }

    /// The poses as a table: CSV with a row for each.
    pub fn csv(&self) -> String {
        let names = self.tree.mechanism.coordinates.iter().map(|one| one.name.clone());
        let heads = ["pose", "singular", "dimension", "residual", "smallest", "distance", "power"];
        let heads: Vec<String> = heads.map(str::to_owned).into_iter().chain(names).collect();
        let mut text = heads.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",") + "\n";
        for (at, pose) in self.found.poses.iter().enumerate() {
            let power = pose.approach.as_ref().map_or(String::new(), |one| one.power.to_string());
            let _ = write!(
                text,
                "{},{},{},{},{},{},{power}",
                at + 1,
                quoted(&kinds(pose)),
                pose.dimension,
                pose.residual,
                pose.smallest,
                pose.distance
            );
            for q in &pose.state.q {
                let _ = write!(text, ",{}", q + 0.0);
            }
            text.push('\n');
        }
        text
    }

    /// Writes the table to a file.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_file(path.as_ref(), |out| out.write_all(self.csv().as_bytes()))
    }

    /// The singular positions with names, for programs; [`Model::state_from_json`] reads each
    /// `state`.
    pub fn json(&self) -> Value {
        let found = &self.found;
        let pose = |(at, one): (usize, &SingularPose)| {
            let words: Vec<&str> = one.kinds.iter().map(|kind| kind.word()).collect();
            let near = one.approach.iter().flat_map(|approach| &approach.near).map(|near| {
                json!({
                    "distance": near.distance,
                    "effort": near.effort,
                    "multiplier": near.multiplier,
                    "holding": named(near.holding.iter().cloned()),
                })
            });
            json!({
                "pose": at + 1,
                "singular": words,
                "output": found.examined[one.matrix].output,
                "residual": one.residual,
                "smallest": one.smallest,
                "lost": one.lost,
                "dimension": one.dimension,
                "found": one.count,
                "pinned": named(one.pinned.iter().cloned()),
                "motions": one.motions.iter().map(|one| named(one.iter().cloned())).collect::<Vec<_>>(),
                "stress": named(one.stress.iter().cloned()),
                "stuck": named(one.stuck.iter().cloned()),
                "power": one.approach.as_ref().map(|approach| approach.power),
                "direction": one.approach.as_ref().map(|approach| named(approach.direction.iter().cloned())),
                "near": near.collect::<Vec<_>>(),
                "curve": one.along.map(|along| along.0 + 1),
                "along": one.along.map(|along| along.1),
                "distance": one.distance,
                "outside": one.outside,
                "state": one.state.json(&self.tree.mechanism),
            })
        };
        let examined = |one: &Examined| {
            json!({
                "singular": one.kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>(),
                "output": one.output,
                "rank": one.rank,
                "rows": one.shape[0],
                "columns": one.shape[1],
                "here": one.here,
            })
        };
        let curve = |one: &PoseCurve| {
            json!({
                "closed": one.closed,
                "points": one.points.len(),
                "length": length(one),
                "end": one.end,
            })
        };
        json!({
            "model": self.model,
            "degrees_of_freedom": found.freedom,
            "searched": found.searched,
            "drives": { "names": found.drives.names, "origin": found.drives.origin },
            "independent": { "names": found.independent.names, "origin": found.independent.origin },
            "length": found.size,
            "examined": found.examined.iter().map(examined).collect::<Vec<_>>(),
            "starts": { "closed": found.starts[0], "all": found.starts[1] },
            "curves": found.curves.iter().map(curve).collect::<Vec<_>>(),
            "poses": found.poses.iter().enumerate().map(pose).collect::<Vec<_>>(),
            "remarks": found.remarks,
        })
    }

    /// A page with the poses and the mechanism along its motion, or in each of them in turn.
    pub fn page(&self) -> Page {
        singular_page::singular(self)
    }

    /// A page with the curves of singular poses over two drives, for models of two degrees of
    /// freedom; none if there are no such curves.
    pub fn map(&self) -> Option<Page> {
        singular_page::map(self)
    }
}

/// Kinds of what is singular at a pose, in words.
pub(super) fn kinds(pose: &SingularPose) -> String {
    pose.kinds.iter().map(|kind| kind.word()).collect::<Vec<_>>().join(", ")
}

/// The length of a curve.
pub(super) fn length(curve: &PoseCurve) -> f64 {
    let (first, last) = (curve.points.first(), curve.points.last());
    first.zip(last).map_or(0.0, |(first, last)| last.along - first.along)
}

fn named(parts: impl Iterator<Item = (String, f64)>) -> Value {
    parts.map(|(name, part)| (name, json!(part))).collect::<Map<_, _>>().into()
}
