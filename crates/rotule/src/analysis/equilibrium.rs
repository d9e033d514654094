//! `Model::equilibrium`: a state in which forces balance.

use super::branches::EquilibriumBranches;
use super::{QuantityRange, Requested, Settled};
use crate::error::Error;
use crate::model::Model;
use crate::state::State;
use rotule_analysis::continuation::{ContinuationOptions, continuation, quasi_static};
use rotule_analysis::equilibrium::{
    EquilibriumSolution, Found, NeutralDirection, Unbalanced, describe,
};
use rotule_analysis::modes::modes_at;
use rotule_analysis::search::search;
use rotule_model::mechanism::Mechanism;

impl Model {
    /// An equilibrium of the model, to be described and [found](FindEquilibrium::solve).
    pub fn equilibrium(&self) -> FindEquilibrium<'_> {
        FindEquilibrium { model: self, from: None, requested: Requested::default() }
    }
}

/// An equilibrium that is to be found; [`FindEquilibrium::solve`] does so.
///
/// ```
/// use rotule::Model;
///
/// // The parameter with which the pendulum hangs at 0.3 rad under a given torque.
/// let text = rotule::doc::PENDULUM.to_owned();
/// let model = Model::read("pendulum.toml", text)?;
/// let mut start = model.state();
/// start.set("q", 0.3)?;
/// let held = model.equilibrium().from(&start).exchange("q", "q.effort").solve()?;
/// assert!((held.state().get("q")? - 0.3).abs() < 1e-12);
/// assert!(held.state().get("q.effort")? > 0.0);
/// # Ok::<(), rotule::Error>(())
/// ```
#[derive(Clone)]
#[must_use = "an equilibrium is found by `solve`"]
pub struct FindEquilibrium<'m> {
    model: &'m Model,
    from: Option<State>,
    requested: Requested,
}

impl<'m> FindEquilibrium<'m> {
    /// The state where the search begins, instead of the model's initial one. Speeds are zero
    /// unless they are [said to be others](FindEquilibrium::moving).
    pub fn from(mut self, state: &State) -> Self {
        self.from = Some(state.clone());
        self
    }

    /// A joint or coordinate that keeps the speed of the state, or `NAME=VALUE` that has another,
    /// or `all`: an equilibrium in uniform motion.
    pub fn moving(mut self, word: &str) -> Self {
        self.requested.moving.push(word.to_owned());
        self
    }

    /// A joint or coordinate that moves uniformly with a speed that is found, beginning at that of
    /// the state: a wheel that spins, a vehicle that drives. Without this and
    /// [`FindEquilibrium::moving`], coordinates that nothing resists and that move in the state do
    /// so where there is no equilibrium at rest.
    pub fn steady(mut self, name: &str) -> Self {
        self.requested.steady.push(name.to_owned());
        self
    }

    /// A coordinate or joint that stays where it is, and whose forces need not balance.
    pub fn ignore(mut self, name: &str) -> Self {
        self.requested.ignore.push(name.to_owned());
        self
    }

    /// A coordinate that stays where it is, and the quantity that is found in its place: a
    /// parameter, an input, a speed, or an effort such as `q1.effort`.
    pub fn exchange(mut self, coordinate: &str, quantity: &str) -> Self {
        self.requested.exchange.push((coordinate.to_owned(), quantity.to_owned()));
        self
    }

    /// A further quantity that is found, and an expression that vanishes then, of the names that
    /// events may use.
    pub fn add(mut self, quantity: &str, expression: &str) -> Self {
        self.requested.added.push((quantity.to_owned(), expression.to_owned()));
        self
    }

    /// Finds the equilibrium near the state. Where there is none, the error
    /// [`Error::NoEquilibrium`] has the nearest state and the forces that are left.
    pub fn solve(&self) -> Result<Equilibrium, Error> {
        let Settled { mut equations, begin, solved, .. } =
            self.requested.settle(self.model, self.from.as_ref())?;
        let place = solved.residual.point.clone();
        let solution = describe(&mut equations, &begin, solved)?;
        // Stability is a matter of modes, which need masses that equilibrium does not.
        let growing = match solution.balanced {
            true => modes_at(&mut equations, &place).ok().map(|modes| modes.growing()),
            false => None,
        };
        let found = Equilibrium::new(self.model, solution, growing, 1);
        if found.is_balanced() { Ok(found) } else { Err(Error::NoEquilibrium(Box::new(found))) }
    }

    /// Finds equilibria from so many random starts besides the state; those that are found, the
    /// nearest first.
    pub fn solve_all(&self, starts: usize) -> Result<Vec<Equilibrium>, Error> {
        let prepared = self.requested.prepare(self.model, self.from.as_ref())?;
        // What is wrong with the request shows here.
        drop(prepared.equations()?);
        let model = prepared.model.as_ref();
        let tree = model.tree_at(&model.state().with(prepared.state.clone())).into_owned();
        let externals = model.externals();
        let make = || externals.boxed();
        let found = search(&tree, &prepared.state, &prepared.request, &make, starts)?;
        let made = |one: rotule_analysis::search::Candidate| {
            Equilibrium::new(self.model, one.equilibrium, one.growing, one.starts)
        };
        Ok(found.into_iter().map(made).collect())
    }

    /// Follows equilibria over a quantity through folds, and the branches that leave the first one.
    pub fn follow(&self, range: &QuantityRange) -> Result<EquilibriumBranches, Error> {
        let Settled { prepared, mut equations, solved, .. } =
            self.requested.settle(self.model, self.from.as_ref())?;
        let quantity = prepared.quantity(&range.name)?;
        let point = solved.residual.point;
        let mut options = ContinuationOptions::new(range.from, range.to);
        options.points = range.count.unwrap_or(options.points);
        let branches = continuation(&mut equations, &point, quantity, &options)?;
        Ok(EquilibriumBranches::new(&prepared, range, branches, None))
    }

    /// Finds equilibria at so many numbers of a quantity, each from the one before: a motion so
    /// slow that forces always balance.
    pub fn quasi_static(&self, range: &QuantityRange) -> Result<EquilibriumBranches, Error> {
        let Settled { prepared, mut equations, solved, .. } =
            self.requested.settle(self.model, self.from.as_ref())?;
        let quantity = prepared.quantity(&range.name)?;
        let point = solved.residual.point;
        let values = range.values(range.count.unwrap_or(101));
        let found = quasi_static(&mut equations, &point, quantity, &values, true)?;
        let end = if found.lost.is_some() { "no equilibrium" } else { "the range ends" };
        let branch =
            rotule_analysis::continuation::Branch { points: found.points, from: None, end };
        Ok(EquilibriumBranches::new(&prepared, range, vec![branch], found.lost))
    }
}

/// A state in which forces balance, and what is to be said of it. `Display` shows it as
/// `rotule equilibrium` does.
#[derive(Clone)]
pub struct Equilibrium {
    pub(super) model: String,
    pub(super) mechanism: Mechanism,
    pub(super) solution: EquilibriumSolution,
    state: State,
    growing: Option<usize>,
    starts: usize,
}

impl Equilibrium {
    pub(super) fn new(
        model: &Model,
        solution: EquilibriumSolution,
        growing: Option<usize>,
        starts: usize,
    ) -> Equilibrium {
        let state = model.state().with(solution.state.clone());
        let (model, mechanism) = (model.name().to_owned(), model.tree().mechanism.clone());
        Equilibrium { model, mechanism, solution, state, growing, starts }
    }

    /// The state, with the parameters, inputs and efforts that were found.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns `true` if all forces balance, to 1e-10 of their unit.
    pub fn is_balanced(&self) -> bool {
        self.solution.balanced
    }

    /// Returns `true` if no small motion grows.
    pub fn is_stable(&self) -> bool {
        self.growing == Some(0)
    }

    /// The number of eigenvalues that grow; none if it is not known.
    pub fn growing(&self) -> Option<usize> {
        self.growing
    }

    /// The largest residual, in parts of the model's weight, or of its stiffness where it has none.
    pub fn residual(&self) -> f64 {
        self.solution.residual
    }

    /// Rows that do not balance, largest first; of an equilibrium none.
    pub fn unbalanced(&self) -> &[Unbalanced] {
        &self.solution.unbalanced
    }

    /// Directions along which nothing changes.
    pub fn neutral(&self) -> &[NeutralDirection] {
        &self.solution.neutral
    }

    /// Quantities that were found besides coordinates.
    pub fn found(&self) -> &[Found] {
        &self.solution.found
    }

    /// The number of starts that led here, of [`FindEquilibrium::solve_all`].
    pub fn starts(&self) -> usize {
        self.starts
    }

    /// The rate at which balances change along the motion, in their units per second: zero at rest
    /// and in uniform motion.
    pub fn drift(&self) -> f64 {
        self.solution.drift
    }
}
