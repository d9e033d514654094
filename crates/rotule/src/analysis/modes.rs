//! `Model::modes`: damped eigenvalues and shapes of small motions, and their course over a
//! quantity.

use super::branches::quoted;
use super::equilibrium::Equilibrium;
use super::{Prepared, QuantityRange, Requested, Settled, page};
use crate::error::Error;
use crate::files::write_file;
use crate::model::Model;
use crate::state::State;
use rotule_analysis::equations::BalanceEquations;
use rotule_analysis::equilibrium::{BALANCED, describe};
use rotule_analysis::modes::{Mode, Modes, RigidMode, modes_at};
use rotule_analysis::tracking::{CriticalValue, Track, TrackedModes, TrackingOptions, root_locus};
use rotule_formalism::MultibodySystem;
use rotule_report::{Page, Section};
use rotule_simulate::inputs::InputPoint;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

impl Model {
    /// The modes of the model, to be described and [found](FindModes::solve).
    pub fn modes(&self) -> FindModes<'_> {
        let requested = Requested { keeps_speeds: true, ..Requested::default() };
        FindModes { model: self, from: None, requested, equilibrium: false }
    }
}

/// Modes that are to be found; [`FindModes::solve`] does so.
///
/// ```
/// let model = rotule::Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
/// let found = model.modes().at_equilibrium(true).solve()?;
/// let mode = &found.modes()[0];
/// assert!(mode.frequency() > 0.5 && found.mode_names() == ["q"]);
/// print!("{found}");
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "modes are found by `solve`"]
pub struct FindModes<'m> {
    model: &'m Model,
    from: Option<State>,
    requested: Requested,
    equilibrium: bool,
}

/// Steps are halved so often at most where modes are hard to match.
const HALVINGS: u32 = 6;

impl<'m> FindModes<'m> {
    /// The state, instead of the model's initial one.
    pub fn from(mut self, state: &State) -> Self {
        self.from = Some(state.clone());
        self
    }

    /// As [`FindEquilibrium::moving`](super::FindEquilibrium::moving); without it the speeds of the
    /// state stay, but at equilibrium they are zero.
    pub fn moving(mut self, word: &str) -> Self {
        self.requested.moving.push(word.to_owned());
        self
    }

    /// As [`FindEquilibrium::steady`](super::FindEquilibrium::steady).
    pub fn steady(mut self, name: &str) -> Self {
        self.requested.steady.push(name.to_owned());
        self
    }

    /// Finds the equilibrium near the state first if `yes`.
    pub fn at_equilibrium(mut self, yes: bool) -> Self {
        self.equilibrium = yes;
        self.requested.keeps_speeds = !yes;
        self
    }

    /// Finds the modes.
    pub fn solve(&self) -> Result<ModeTable, Error> {
        let (_, mut equations, point) = self.begin()?;
        let modes = modes_at(&mut equations, &point)?;
        let state = self.model.state().with(modes.state.clone());
        Ok(ModeTable {
            model: self.model.name().to_owned(),
            about: self.model.mechanism().about.clone(),
            tree: self.model.tree_at(&state).into_owned(),
            modes,
            state,
        })
    }

    /// The state, or the equilibrium near it, with the equations there.
    fn begin(&self) -> Result<(Prepared<'m>, BalanceEquations, InputPoint), Error> {
        if !self.equilibrium {
            let prepared = self.requested.prepare(self.model, self.from.as_ref())?;
            let (equations, point) = prepared.equations()?;
            return Ok((prepared, equations, point));
        }
        let Settled { prepared, mut equations, begin, solved } =
            self.requested.settle(self.model, self.from.as_ref())?;
        if !solved.is_balanced() {
            let nearest = describe(&mut equations, &begin, solved)?;
            let nearest = Equilibrium::new(self.model, nearest, None, 1);
            return Err(Error::NoEquilibrium(Box::new(nearest)));
        }
        let point = solved.residual.point;
        Ok((prepared, equations, point))
    }

    /// Follows the modes over a quantity; at each number the equilibrium is found anew if modes are
    /// [at equilibrium](FindModes::at_equilibrium).
    pub fn follow(&self, range: &QuantityRange) -> Result<RootLocus, Error> {
        let (prepared, mut equations, point) = self.begin()?;
        let quantity = prepared.quantity(&range.name)?;
        let values = range.values(range.count.unwrap_or(51));
        let options = TrackingOptions { equilibrium: self.equilibrium, halvings: HALVINGS };
        let locus = root_locus(&mut equations, &point, quantity, &values, options)?;
        Ok(RootLocus {
            model: self.model.name().to_owned(),
            about: self.model.mechanism().about.clone(),
            archive: prepared.archive(),
            locus,
        })
    }
}

/// The modes at a state. `Display` shows them as `rotule modes` does.
#[derive(Clone)]
pub struct ModeTable {
    pub(super) model: String,
    pub(super) about: String,
    pub(super) tree: MultibodySystem,
    pub(super) modes: Modes,
    state: State,
}

impl ModeTable {
    /// The modes by the size of their eigenvalues; pairs stand once.
    pub fn modes(&self) -> &[Mode] {
        &self.modes.modes
    }

    /// Motions of the model as a whole, which nothing resists.
    pub fn rigid(&self) -> &[RigidMode] {
        &self.modes.rigid
    }

    /// The number of zero eigenvalues.
    pub fn zeros(&self) -> usize {
        self.modes.zeros
    }

    /// The state, its loops closed.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The largest residual of the balance of forces, in parts of the model's weight.
    pub fn residual(&self) -> f64 {
        self.modes.residual
    }

    /// Returns `true` if the state is an equilibrium: of another, modes are those of the moment.
    pub fn is_at_equilibrium(&self) -> bool {
        self.modes.residual <= BALANCED.max(1e-8)
    }

    /// The number of eigenvalues that grow.
    pub fn growing(&self) -> usize {
        self.modes.growing()
    }

    /// Names of the entries of [`Mode::shape`]: displacements of all coordinates.
    pub fn mode_names(&self) -> Vec<&str> {
        self.modes.names.iter().map(String::as_str).collect()
    }

    /// The modes as a table: CSV with a row for each, real and imaginary parts of shapes included.
    pub fn csv(&self) -> String {
        let mut heads: Vec<String> =
            ["mode", "re", "im", "frequency", "undamped", "damping"].map(str::to_owned).into();
        for name in self.modes.names.iter().chain(&self.modes.state_names) {
            heads.extend([format!("{name}.re"), format!("{name}.im")]);
        }
        let mut text = heads.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",") + "\n";
        for mode in &self.modes.modes {
            let [re, im] = mode.value;
            let _ = write!(
                text,
                "{},{re},{im},{},{},{}",
                mode.number,
                mode.frequency(),
                mode.undamped(),
                mode.damping() + 0.0
            );
            for [re, im] in mode.shape.iter().chain(&mode.states) {
                let _ = write!(text, ",{re},{im}");
            }
            text.push('\n');
        }
        text
    }

    /// Writes the table to a file.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_file(path.as_ref(), |out| out.write_all(self.csv().as_bytes()))
    }

    /// The modes with names, for programs.
    pub fn json(&self) -> Value {
        let named = |parts: &[(String, f64)]| -> Value {
            parts
                .iter()
                .map(|(name, part)| (name.clone(), json!(part)))
                .collect::<serde_json::Map<_, _>>()
                .into()
        };
        let mode = |one: &Mode| {
            let names = self.modes.names.iter().zip(&one.shape);
            let states = self.modes.state_names.iter().zip(&one.states);
            let shape: serde_json::Map<String, Value> =
                names.chain(states).map(|(name, value)| (name.clone(), json!(value))).collect();
            json!({
                "mode": one.number,
                "re": one.value[0],
                "im": one.value[1],
                "frequency": one.frequency(),
                "undamped": one.undamped(),
                "damping": one.damping() + 0.0,
                "grows": one.grows(),
                "shape": shape,
                "participation": named(&one.participation),
            })
        };
        let rigid =
            |one: &RigidMode| json!({ "direction": named(&one.parts), "drifts": one.drifts });
        json!({
            "model": self.model,
            "equilibrium": self.is_at_equilibrium(),
            "residual": self.modes.residual,
            "growing": self.growing(),
            "zeros": self.modes.zeros,
            "modes": self.modes.modes.iter().map(mode).collect::<Vec<_>>(),
            "rigid": self.modes.rigid.iter().map(rigid).collect::<Vec<_>>(),
            "state": self.state.numbers().json(&self.tree.mechanism),
        })
    }

    /// A page with the table of modes and the mechanism moving in each of them in turn.
    pub fn page(&self) -> Page {
        page::modes(self)
    }
}

/// Eigenvalues over a quantity. `Display` shows where modes begin or cease to grow.
#[derive(Clone, Debug)]
pub struct RootLocus {
    pub(super) model: String,
    pub(super) about: String,
    /// The parameters and the version, for pages.
    pub(super) archive: [Section; 2],
    pub(super) locus: TrackedModes,
}

impl RootLocus {
    /// The name of the quantity.
    pub fn quantity(&self) -> &str {
        &self.locus.name
    }

    /// Its numbers, those between which modes were hard to match included.
    pub fn values(&self) -> &[f64] {
        &self.locus.values
    }

    /// The eigenvalues by mode.
    pub fn tracks(&self) -> &[Track] {
        &self.locus.tracks
    }

    /// Where modes begin or cease to grow.
    pub fn critical(&self) -> &[CriticalValue] {
        &self.locus.critical
    }

    /// The number at which no equilibrium was found, if the last was not reached.
    pub fn lost(&self) -> Option<f64> {
        self.locus.lost
    }

    /// The largest residual of the balances along the way.
    pub fn residual(&self) -> f64 {
        self.locus.points.iter().fold(0.0, |most, (_, residual)| most.max(*residual))
    }

    /// All eigenvalues as a table: CSV with a row for each number of the quantity.
    pub fn csv(&self) -> String {
        let mut heads = vec![self.locus.name.clone()];
        for number in 1..=self.locus.tracks.len() {
            heads.extend([format!("mode {number}.re"), format!("mode {number}.im")]);
        }
        let mut text = heads.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(",") + "\n";
        for (step, value) in self.locus.values.iter().enumerate() {
            let _ = write!(text, "{value}");
            for track in &self.locus.tracks {
                match step.checked_sub(track.first).and_then(|at| track.values.get(at)) {
                    Some([re, im]) => {
                        let _ = write!(text, ",{},{}", re + 0.0, im + 0.0);
                    }
                    None => text.push_str(",,"),
                }
            }
            text.push('\n');
        }
        text
    }

    /// Writes the table to a file.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        write_file(path.as_ref(), |out| out.write_all(self.csv().as_bytes()))
    }

    /// All eigenvalues, for programs.
    pub fn json(&self) -> Value {
        let track = |(number, one): (usize, &Track)| {
            json!({
                "mode": number + 1,
                "first": self.locus.values[one.first],
                "values": one.values,
                "assurance": one.assurance,
            })
        };
        let critical = |one: &CriticalValue| {
            json!({
                "mode": one.track + 1,
                "value": one.value,
                "eigenvalue": one.eigenvalue,
                "begins": one.begins,
            })
        };
        json!({
            "model": self.model,
            "quantity": self.locus.name,
            "values": self.locus.values,
            "residual": self.residual(),
            "lost": self.locus.lost,
            "modes": self.locus.tracks.iter().enumerate().map(track).collect::<Vec<_>>(),
            "critical": self.locus.critical.iter().map(critical).collect::<Vec<_>>(),
        })
    }

    /// A page with real parts, imaginary parts, frequencies and damping over the quantity.
    pub fn page(&self) -> Page {
        page::course(self)
    }

    /// A page with the eigenvalues in the complex plane.
    pub fn plane(&self) -> Page {
        page::plane(self)
    }
}
