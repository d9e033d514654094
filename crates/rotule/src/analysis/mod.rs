//! Operating points: equilibrium, its course over a quantity, modes, and singular positions.
//!
//! ```
//! use rotule::Model;
//!
//! let model = Model::read("pendulum.toml", rotule::doc::PENDULUM)?;
//! let rest = model.equilibrium().solve()?;
//! assert!(rest.state().get("q")?.abs() < 1e-10 && rest.is_stable());
//!
//! let modes = model.modes().from(rest.state()).solve()?;
//! assert_eq!(modes.modes().len(), 1);
//! # Ok::<(), rotule::Error>(())
//! ```

mod branches;
mod equilibrium;
mod modes;
mod page;
mod singular;
mod singular_page;
mod singular_text;
mod text;

pub use branches::EquilibriumBranches;
pub use equilibrium::{Equilibrium, FindEquilibrium};
pub use modes::{FindModes, ModeTable, RootLocus};
pub use rotule_analysis::continuation::{Branch, BranchPoint, PointKind};
pub use rotule_analysis::equilibrium::{Found, NeutralDirection, Unbalanced};
pub use rotule_analysis::modes::{Mode, RigidMode};
pub use rotule_analysis::singular::{
    Approach, ChosenSpeeds, CurvePoint, Examined, NearForces, PoseCurve, SingularKind,
    SingularPose, SingularPositions,
};
pub use rotule_analysis::tracking::{CriticalValue, Track};
pub use singular::{FindSingular, SingularTable};

use crate::error::Error;
use crate::model::Model;
use crate::simulate::archive;
use crate::state::State;
use rotule_analysis::equations::{BalanceEquations, EquilibriumRequest};
use rotule_analysis::equilibrium::{Solved, cyclic, solve};
use rotule_analysis::quantity::{Quantity, speeds_of};
use rotule_formalism::foreign::foreign;
use rotule_formalism::quantity::GivenQuantity;
use rotule_formalism::{ModelFunction, Problem};
use rotule_model::build::Event;
use rotule_model::draft::Crossing;
use rotule_model::mechanism::Mechanism;
use rotule_numeric::initial_values::Hold;
use rotule_numeric::state::StateNumbers;
use rotule_report::Section;
use rotule_simulate::inputs::InputPoint;
use std::borrow::Cow;

/// A request for an operating point, by names.
#[derive(Clone, Debug, Default)]
struct Requested {
    ignore: Vec<String>,
    exchange: Vec<(String, String)>,
    added: Vec<(String, String)>,
    moving: Vec<String>,
    steady: Vec<String>,
    /// `true` if the speeds of the state stay where nothing else is requested.
    keeps_speeds: bool,
}

/// A request with names looked up.
struct Prepared<'m> {
    model: Cow<'m, Model>,
    state: StateNumbers,
    request: EquilibriumRequest,
}

impl Prepared<'_> {
    /// The parameters of the state and the version, for pages.
    fn archive(&self) -> [Section; 2] {
        archive(&self.mechanism(), &[])
    }

    /// The mechanism with the parameters of the state.
    fn mechanism(&self) -> Mechanism {
        let mut mechanism = self.model.tree().mechanism.clone();
        for (parameter, value) in mechanism.parameters.iter_mut().zip(&self.state.parameters) {
            parameter.value = *value;
        }
        mechanism
    }
}

/// An equilibrium, or the state nearest to one, with the equations there.
struct Settled<'m> {
    prepared: Prepared<'m>,
    equations: BalanceEquations,
    /// The point where the search began.
    begin: InputPoint,
    solved: Solved,
}

impl Requested {
    /// Looks names up and makes the state that the search begins at.
    fn prepare<'m>(&self, model: &'m Model, from: Option<&State>) -> Result<Prepared<'m>, Error> {
        let state = from.cloned().unwrap_or_else(|| model.state());
        state.check_finite(model.mechanism())?;
        let mut numbers = state.numbers();
        let mut model = Cow::Borrowed(model);
        let mut request = EquilibriumRequest::default();
        let mechanism = model.mechanism().clone();
        for name in &self.ignore {
            request.ignore.extend(speeds_of(&mechanism, name)?);
        }
        for (held, found) in &self.exchange {
            let speeds = speeds_of(&mechanism, held)?;
            let [speed] = speeds[..] else {
                let message = format!("`{held}` has several coordinates");
                let problem = Problem::new(message, "exchange them one by one");
                return Err(problem.into());
            };
            request.exchange.push((speed, Quantity::parse(&mechanism, found)?));
        }
        if !self.added.is_empty() {
            // An equation is evaluated as the condition of an event that never does anything.
            let mut draft = model.draft();
            for (at, (found, equation)) in self.added.iter().enumerate() {
                let number = draft.events.len();
                let name = format!("equation_{}", at + 1);
                let event = Event::new(name, equation.as_str()).direction(Crossing::Rising);
                draft.add(event.message("an added equation"));
                request.added.push((Quantity::parse(&mechanism, found)?, number));
            }
            model.to_mut().rewrite(&draft)?;
        }
        self.set_speeds(&model, &mut numbers)?;
        for name in &self.steady {
            for at in speeds_of(&mechanism, name)? {
                request.steady.push(at);
                numbers.qd[at] = state.qd[at];
                numbers.hold_qd[at] = Hold::State;
            }
        }
        Ok(Prepared { model, state: numbers, request })
    }

    /// Finds the equilibrium near the state. Where there is none at rest and the state moves along
    /// coordinates that nothing resists, as a vehicle does, that with uniform motion is found.
    fn settle<'m>(&self, model: &'m Model, from: Option<&State>) -> Result<Settled<'m>, Error> {
        let prepared = self.prepare(model, from)?;
        let (mut equations, begin) = prepared.equations()?;
        let solved = solve(&mut equations, &begin, true)?;
        let settled = Settled { prepared, equations, begin, solved };
        let said = !self.steady.is_empty() || !self.moving.is_empty() || self.keeps_speeds;
        if settled.solved.is_balanced() || said {
            return Ok(settled);
        }
        let Settled { prepared, mut equations, begin, solved } = settled;
        let qd = from.map_or_else(|| model.state().qd, |state| state.qd.clone());
        let steady = cyclic(&mut equations, &solved.residual.point, &qd)?;
        let names = steady.iter().map(|&at| model.mechanism().speeds[at].name.clone());
        let moved = Requested { steady: names.collect(), ..self.clone() };
        if !steady.is_empty() {
            // What does not work in motion either is reported at rest.
            if let Ok(other) = moved.settle(model, from)
                && other.solved.is_balanced()
            {
                return Ok(other);
            }
        }
        Ok(Settled { prepared, equations, begin, solved })
    }

    /// Speeds are zero but for those of what moves.
    fn set_speeds(&self, model: &Model, numbers: &mut StateNumbers) -> Result<(), Error> {
        let mechanism = model.mechanism();
        let before = numbers.qd.clone();
        if !self.keeps_speeds {
            numbers.qd.fill(0.0);
            numbers.hold_qd.fill(Hold::Guess);
        }
        for word in &self.moving {
            let (name, value) = match word.split_once('=') {
                Some((name, value)) => (
                    name.trim(),
                    Some(GivenQuantity::parse(value, &format!("--moving {word}"))?.value),
                ),
                None => (word.trim(), None),
            };
            if name == "all" && value.is_none() {
                numbers.qd.clone_from(&before);
                continue;
            }
            let speeds = speeds_of(mechanism, name)?;
            if value.is_some() && speeds.len() != 1 {
                let message = format!("`{name}` has {} speeds", speeds.len());
                return Err(Problem::new(message, "name one of them").into());
            }
            for at in speeds {
                numbers.qd[at] = value.unwrap_or(before[at]);
                numbers.hold_qd[at] = Hold::State;
            }
        }
        Ok(())
    }
}

impl Prepared<'_> {
    /// The equations at the state, and the closed point.
    fn equations(&self) -> Result<(BalanceEquations, InputPoint), Error> {
        let model = self.model.as_ref();
        let tree = model.tree_at(&model.state().with(self.state.clone())).into_owned();
        let externals = model.externals();
        let (mut equations, point) =
            BalanceEquations::new(&tree, &self.state, &self.request, externals.boxed())?;
        for function in ["actuation", "states"] {
            let named = ModelFunction::parse(function, &tree)?;
            let program = equations.functions.program(function)?.clone();
            let known = |name: &str| externals.knows(name);
            if let Some(problem) = foreign(&tree.mechanism, &named, &program, &known) {
                return Err(problem.into());
            }
            if tree.mechanism.states.is_empty() {
                break;
            }
        }
        Ok((equations, point))
    }

    /// A quantity that varies, by its name.
    fn quantity(&self, name: &str) -> Result<Quantity, Error> {
        Ok(Quantity::parse(self.model.mechanism(), name)?)
    }
}

/// `NAME=FROM..TO` or, with a number of points, `NAME=FROM..TO:N`.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantityRange {
    /// The name of the quantity.
    pub name: String,
    /// The first number.
    pub from: f64,
    /// The last number.
    pub to: f64,
    /// The number of points, if it is given.
    pub count: Option<usize>,
}

/// Points of a range at most.
const MOST: usize = 100_000;

impl QuantityRange {
    /// Reads a range; a problem begins with the flag.
    pub fn parse(flag: &str, text: &str) -> Result<QuantityRange, Error> {
        let place = format!("{flag} {text}");
        let refuse = |what: &str| {
            Error::from(Problem::new(format!("{place}: {what}"), "write NAME=FROM..TO:N"))
        };
        let (name, range) = text.split_once('=').ok_or_else(|| refuse("missing `=`"))?;
        let (from, rest) = range.split_once("..").ok_or_else(|| refuse("missing `..`"))?;
        let (to, count) = match rest.rsplit_once(':') {
            Some((to, count)) => (to, Some(count)),
            None => (rest, None),
        };
        let count = match count {
            None => None,
            Some(count) => match count.trim().parse() {
                Ok(count) if (2..=MOST).contains(&count) => Some(count),
                _ => return Err(refuse(&format!("N must be an integer from 2 to {MOST}"))),
            },
        };
        let read = |text: &str| GivenQuantity::parse(text, &place).map(|one| one.value);
        let (from, to) = (read(from)?, read(to)?);
        if from == to {
            return Err(refuse("the ends of the range must differ"));
        }
        Ok(QuantityRange { name: name.trim().to_owned(), from, to, count })
    }

    /// The numbers of the range, evenly spaced.
    pub fn values(&self, count: usize) -> Vec<f64> {
        let last = (count.max(2) - 1) as f64;
        let at = |k: usize| {
            let part = k as f64 / last;
            self.from * (1.0 - part) + self.to * part
        };
        (0..count.max(2)).map(at).collect()
    }
}
