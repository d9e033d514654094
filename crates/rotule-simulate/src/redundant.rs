//! The equations of a mechanism in all coordinates, with multipliers for its constraints.
//!
//! ```text
//! M a + c = Q + J' lambda          h = 0,  J v + e = 0,  J a + b = 0
//! ```
//!
//! The state is the coordinates and speeds of all free joints; those of driven and locked ones are
//! known, and what their accelerations do is on the right side. Rows that repeat others are set
//! aside. Matrices are dense: this form is for mechanisms of moderate size, for comparison and
//! where no choice of independent coordinates serves.

use crate::group::{self, Span};
use crate::inputs::InputPoint;
use crate::layout::free;
use crate::ode::Fault;
use crate::outputs;
use crate::outputs::all_coordinates::{B, C, E, H, J, M, Q};
use crate::quantity::EvaluatedFunction;
use crate::second_order::{ConstrainedSizes, Instant, Tangents};
use rotule_formalism::constraint::{Constraints, constraints, is_constrained};
use rotule_formalism::function::FunctionKind;
use rotule_formalism::{MultibodySystem, Problem, inputs};
use rotule_jit::KernelKind;
use rotule_model::mechanism::Role;
use rotule_numeric::choose_partition;
use rotule_numeric::redundancy::analyse;
use rotule_numeric::singular_mass::check;
use rotule_program::Externals;
use rotule_program::lower::{Request, Target, lower};
use rotule_symbolic::{Expr, Kind};

/// Outputs of the program of what is known.
const KNOWN_Q: usize = 0;
const KNOWN_QD: usize = 1;
const KNOWN_QDD: usize = 2;

/// The functions of a mechanism in all coordinates, and which of their numbers belong to the state.
pub(crate) struct Redundant {
    all: EvaluatedFunction,
    known: EvaluatedFunction,
    /// Of the user's own states, if there are any.
    rates: Option<EvaluatedFunction>,
    tangent: Derived,
    /// Coordinates and speeds of free joints.
    pub coordinates: Vec<usize>,
    pub speeds: Vec<usize>,
    /// Speeds of driven and locked joints.
    driven: Vec<usize>,
    /// Rows that do not repeat others, and which of them tie speeds only.
    pub rows: Vec<usize>,
    pub of_speeds: Vec<bool>,
    /// All rows and all speeds.
    pub count: usize,
    width: usize,
    spans: Vec<Span>,
}

/// The derivatives of inverse dynamics.
enum Derived {
    NotAsked,
    Missing,
    Known(Box<EvaluatedFunction>),
}

impl Redundant {
    /// Writes the functions.
    pub fn new(tree: &MultibodySystem, runner: KernelKind) -> Result<Redundant, Problem> {
        let [coordinates, speeds] = free(&tree.mechanism, &[]);
        let width = tree.speeds();
        let driven = (0..width).filter(|at| !speeds.contains(at)).collect();
        let open = match is_constrained(&tree.mechanism) {
            true => constraints(tree.writer(&tree.sheet()))?,
            false => Constraints::default(),
        };
        check(tree, FunctionKind::AllCoordinates)?;
        let redundant = redundant_rows(tree, &open)?;
        let rows: Vec<usize> =
            (0..open.rows.len()).filter(|row| !redundant.contains(row)).collect();
        Ok(Redundant {
            all: EvaluatedFunction::run_by(runner, tree, "all_coordinates")?,
            known: known(tree, runner)?,
            rates: match tree.mechanism.states.is_empty() {
                true => None,
                false => Some(EvaluatedFunction::run_by(runner, tree, "states")?),
            },
            tangent: Derived::NotAsked,
            driven,
            of_speeds: rows.iter().map(|&row| open.rows[row].residual.is_none()).collect(),
            rows,
            count: open.rows.len(),
            width,
            spans: group::spans(tree, &coordinates, &speeds),
            coordinates,
            speeds,
        })
    }

    /// The name of the kernel that evaluates the functions.
    pub fn kernel(&self) -> &'static str {
        self.all.kernel()
    }

    /// Takes over parameters.
    pub fn setup(&mut self, point: &InputPoint, externals: &mut dyn Externals) {
        self.all.setup(point, externals);
        self.known.setup(point, externals);
        if let Some(rates) = &mut self.rates {
            rates.setup(point, externals);
        }
    }

    /// The rates of the user's own states at a point; false if an iteration did not converge.
    pub fn state_rates(
        &mut self,
        point: &InputPoint,
        externals: &mut dyn Externals,
        into: &mut [f64],
    ) -> bool {
        let Some(rates) = &mut self.rates else { return true };
        let closed = rates.evaluate(point, externals);
        into.copy_from_slice(rates.output(outputs::ONLY));
        closed
    }

    /// Evaluates at a point, whose coordinates and speeds of driven joints are put right.
    pub fn evaluate(&mut self, point: &mut InputPoint, externals: &mut dyn Externals) -> bool {
        if self.driven.is_empty() {
            return self.all.evaluate(point, externals);
        }
        self.known.evaluate(point, externals);
        let free = &self.coordinates;
        let known = self.known.output(KNOWN_Q).iter().enumerate();
        known.filter(|(at, _)| free.binary_search(at).is_err()).for_each(|(at, &q)| {
            point.q[at] = q;
        });
        for &at in &self.driven {
            point.qd[at] = self.known.output(KNOWN_QD)[at];
            point.qdd[at] = self.known.output(KNOWN_QDD)[at];
        }
        self.all.evaluate(point, externals)
    }

    /// An iteration, such as that of a wheel's contact, that did not converge.
    pub fn open_region(&self) -> Option<String> {
        self.all.open_region(0)
    }

    /// Its iterations.
    pub fn iterations(&self) -> u64 {
        self.all.iterations()
    }

    /// Sizes of the state and of the rows.
    pub fn shape(&self) -> ConstrainedSizes {
        let (coordinates, speeds) = (self.coordinates.len(), self.speeds.len());
        ConstrainedSizes { coordinates, speeds, rows: self.rows.len() }
    }

    /// `M` of the free speeds, by rows.
    pub fn mass(&self, into: &mut [f64]) {
        let mass = self.all.output(M);
        self.gather(mass, into);
    }

    /// The entries of a square matrix that belong to free speeds.
    fn gather(&self, from: &[f64], into: &mut [f64]) {
        let size = self.speeds.len().max(1);
        for (line, &row) in into.chunks_exact_mut(size).zip(&self.speeds) {
            let from = &from[row * self.width..][..self.width];
            line.iter_mut().zip(&self.speeds).for_each(|(value, &at)| *value = from[at]);
        }
    }

    /// `J` of the kept rows and free speeds, by rows.
    pub fn jacobian(&self, into: &mut [f64]) {
        let size = self.speeds.len().max(1);
        for (line, &row) in into.chunks_exact_mut(size).zip(&self.rows) {
            let from = &self.all.output(J)[row * self.width..][..self.width];
            line.iter_mut().zip(&self.speeds).for_each(|(value, &at)| *value = from[at]);
        }
    }

    /// `Q - c - M a` of the free speeds at the point's accelerations; of driven joints alone if
    /// `driven`.
    pub fn applied(&self, point: &InputPoint, driven: bool) -> Vec<f64> {
        let [mass, c, q] = [M, C, Q].map(|output| self.all.output(output));
        let one = |&row: &usize| {
            let line = &mass[row * self.width..][..self.width];
            let needed: f64 = match driven {
                true => self.driven.iter().map(|&at| line[at] * point.qdd[at]).sum(),
                false => line.iter().zip(&point.qdd).map(|(mass, a)| mass * a).sum(),
            };
            q[row] - c[row] - needed
        };
        self.speeds.iter().map(one).collect()
    }

    /// `h` of the kept rows.
    pub fn positions(&self) -> Vec<f64> {
        let h = self.all.output(H);
        self.rows.iter().map(|&row| h[row]).collect()
    }

    /// `J v + e` of the kept rows.
    pub fn velocities(&self, point: &InputPoint) -> Vec<f64> {
        self.moving(&point.qd, self.all.output(E), |_| true)
    }

    /// `J a + b` of the kept rows, with the accelerations of driven joints alone.
    pub fn rates(&self, point: &InputPoint) -> Vec<f64> {
        self.moving(&point.qdd, self.all.output(B), |at| self.driven.contains(&at))
    }

    fn moving(&self, speeds: &[f64], rest: &[f64], counts: impl Fn(usize) -> bool) -> Vec<f64> {
        let one = |&row: &usize| {
            let line = self.all.output(J)[row * self.width..][..self.width].iter().zip(speeds);
            let parts = line.enumerate().filter(|(at, _)| counts(*at));
            parts.map(|(_, (j, v))| j * v).sum::<f64>() + rest[row]
        };
        self.rows.iter().map(one).collect()
    }

    /// Moves the coordinates of the free joints.
    pub fn moved(&self, q: &[f64], step: &[f64], reached: &mut [f64]) {
        group::moved(&self.spans, q, step, reached);
    }

    /// See [`crate::second_order::Constrained::turned`].
    pub fn turned(&self, step: &[f64], row: &mut [f64]) {
        group::turned(&self.spans, step, row);
    }

    /// `N(q) v` of the free joints.
    pub fn qdot(&self, q: &[f64], v: &[f64], qdot: &mut [f64]) {
        group::rates(&self.spans, q, v, qdot);
    }

    /// Puts a state into a point.
    pub fn put(&self, at: &Instant<'_>, point: &mut InputPoint) {
        point.t = at.t;
        self.coordinates.iter().zip(at.q).for_each(|(&to, &value)| point.q[to] = value);
        self.speeds.iter().zip(at.v).for_each(|(&to, &value)| point.qd[to] = value);
        self.speeds.iter().zip(at.a).for_each(|(&to, &value)| point.qdd[to] = value);
    }

    /// The residuals of the equations at a point that was evaluated.
    pub fn residuals(
        &self,
        point: &InputPoint,
        lambda: &[f64],
        force: &mut [f64],
        closure: &mut [f64],
    ) {
        let mut pulled = self.applied(point, false);
        for (&row, lambda) in self.rows.iter().zip(lambda) {
            let line = &self.all.output(J)[row * self.width..][..self.width];
            pulled.iter_mut().zip(&self.speeds).for_each(|(sum, &at)| *sum += line[at] * lambda);
        }
        force.iter_mut().zip(pulled).for_each(|(force, pulled)| *force = -pulled);
        closure.copy_from_slice(&self.positions());
        if self.of_speeds.contains(&true) {
            let velocities = self.velocities(point);
            let marked = closure.iter_mut().zip(velocities).zip(&self.of_speeds);
            marked.filter(|(_, marked)| **marked).for_each(|((closure, v), _)| *closure = v);
        }
    }

    /// The derivatives of the residuals at a point that was evaluated. What constraints' forces do
    /// as they turn is left out: it is as small as what the square of the angle of a step is, and
    /// takes the second derivatives of all loops. False if damping and stiffness are not known.
    pub fn tangents(
        &mut self,
        tree: &MultibodySystem,
        point: &InputPoint,
        externals: &mut dyn Externals,
        tangents: &mut Tangents,
    ) -> Result<bool, Fault> {
        self.mass(&mut tangents.mass);
        self.jacobian(&mut tangents.jacobian);
        if matches!(self.tangent, Derived::NotAsked) {
            self.tangent = match EvaluatedFunction::new(tree, "tangent") {
                Err(_) => Derived::Missing,
                Ok(mut quantity) => {
                    quantity.setup(point, externals);
                    Derived::Known(Box::new(quantity))
                }
            };
        }
        let Derived::Known(quantity) = &mut self.tangent else { return Ok(false) };
        if !quantity.evaluate(point, externals) {
            return Err(Fault::NotClosed(quantity.open_region(0).unwrap_or_default()));
        }
        let Derived::Known(quantity) = &self.tangent else { return Ok(false) };
        self.gather(quantity.output(outputs::tangent::DAMPING), &mut tangents.damping);
        self.gather(quantity.output(outputs::tangent::STIFFNESS), &mut tangents.stiffness);
        Ok(true)
    }
}

/// Rows that repeat others.
fn redundant_rows(tree: &MultibodySystem, open: &Constraints) -> Result<Vec<usize>, Problem> {
    if open.rows.is_empty() {
        return Ok(Vec::new());
    }
    if let Some(given) = &tree.strategy.partition {
        return Ok(given.redundant.clone());
    }
    // Where rows tie speeds, the choice of dependent ones finds those that repeat others, too.
    if open.rows.iter().any(|row| row.residual.is_none()) {
        return Ok(choose_partition(tree, FunctionKind::AllCoordinates)?.redundant);
    }
    Ok(analyse(tree)?.repeats.iter().map(|one| one.row).collect())
}

/// Coordinates, speeds and accelerations of driven and locked joints.
fn known(tree: &MultibodySystem, runner: KernelKind) -> Result<EvaluatedFunction, Problem> {
    let (mechanism, motion) = (&tree.mechanism, &tree.motion);
    let none = vec![Expr::ZERO; tree.speeds()];
    let mut parts = [vec![Expr::ZERO; motion.q.len()], none.clone(), none];
    for joint in mechanism.joints.iter().filter(|joint| joint.role != Role::Free) {
        let (q, v) = (joint.coordinates.clone(), joint.speeds.clone());
        parts[0][q.clone()].copy_from_slice(&motion.q.as_slice()[q]);
        parts[1][v.clone()].copy_from_slice(&motion.qd.as_slice()[v.clone()]);
        parts[2][v.clone()].copy_from_slice(&motion.qdd.as_slice()[v]);
    }
    let names = ["q", "qd", "qdd"];
    let outputs = names.iter().zip(&parts).map(|(name, part)| Target::vector(*name, part));
    let request = Request {
        name: "known".to_owned(),
        inputs: inputs(tree, &[Kind::Coordinate]),
        outputs: outputs.collect(),
        ..Request::default()
    };
    EvaluatedFunction::of(tree, lower(&mechanism.graph, &request).program, runner)
}
