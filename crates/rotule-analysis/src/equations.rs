//! The equations of an equilibrium: rows that vanish, quantities that are found, in common units.
//!
//! ```text
//! Psi(q, v, 0) - S' effort = 0     forces along the independent speeds, loops closed
//! rate(q, v, s) = 0                of the states of the user's own
//! q_k = value                      a coordinate that was exchanged for another quantity
//! condition(q, v, p) = 0           an added equation
//! ```
//!
//! Columns are measured in radians and sizes of the model, rows in its weight, and that times its
//! size: a scaled residual of 1e-10 is a force of 1e-10 of the weight, whatever the model is.

use crate::functions::ModelFunctions;
use crate::quantity::{Quantity, coordinate_name, joint_of, single_coordinate};
use crate::rank::Rank;
use rotule_formalism::Problem;
use rotule_formalism::constraint::is_constrained;
use rotule_formalism::function::{FunctionKind, outputs};
use rotule_formalism::units;
use rotule_model::mechanism::Mechanism;
use rotule_model::{closure, pose};
use rotule_numeric::state::StateNumbers;
use rotule_program::Externals;
use rotule_simulate::inputs::InputPoint;

/// A request for an equilibrium: what is needed besides the balance of forces. Numbers of the state
/// say the rest: speeds, parameters, inputs, values of coordinates that are held.
#[derive(Clone, Debug, Default)]
pub struct EquilibriumRequest {
    /// Coordinates, by their speeds, that stay where they are, and whose forces need not balance.
    pub ignore: Vec<usize>,
    /// Coordinates, by their speeds, that stay where they are, each with the quantity that is found
    /// in its place.
    pub exchange: Vec<(usize, Quantity)>,
    /// Coordinates, by their speeds, that move uniformly with a speed that is found: vehicles that
    /// drive, wheels that spin.
    pub steady: Vec<usize>,
    /// Further quantities that are found, each with the condition that vanishes: its number among
    /// the events of the model.
    pub added: Vec<(Quantity, usize)>,
}

/// A row of the equations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Equation {
    /// The balance of forces along an independent speed.
    Balance(usize),
    /// The rate of a state.
    Rate(usize),
    /// A coordinate, by its speed, that has a value.
    Held(usize, f64),
    /// An added condition.
    Condition(usize),
}

impl Equation {
    /// The name of what does not vanish.
    pub fn name(self, mechanism: &Mechanism) -> String {
        match self {
            Equation::Balance(at) => coordinate_name(mechanism, at),
            Equation::Rate(at) => format!("rate of {}", mechanism.states[at].name),
            Equation::Held(at, _) => format!("value of {}", coordinate_name(mechanism, at)),
            Equation::Condition(at) => mechanism.events[at].name.clone(),
        }
    }
}

/// The equations of a model, with the functions that evaluate them.
pub struct BalanceEquations {
    /// The model.
    pub functions: ModelFunctions,
    /// The quantities that are found.
    pub unknowns: Vec<Quantity>,
    /// The rows.
    pub rows: Vec<Equation>,
    /// The unit of each row and of each unknown.
    pub row_units: Vec<f64>,
    /// The unit of each unknown.
    pub units: Vec<f64>,
    /// The size of the model in metres, and its weight in newtons.
    pub size: f64,
    /// The force that balances are measured in.
    pub force: f64,
    request: EquilibriumRequest,
}

/// A closed point with the residuals of all rows.
#[derive(Clone, Debug)]
pub struct Residual {
    /// The point, its loops closed.
    pub point: InputPoint,
    /// The residuals, in the units of their rows.
    pub scaled: Vec<f64>,
}

impl Residual {
    /// The largest residual.
    pub fn largest(&self) -> f64 {
        self.scaled.iter().fold(0.0, |most, one| one.abs().max(most))
    }

    /// The length of all residuals.
    pub fn length(&self) -> f64 {
        self.scaled.iter().map(|one| one * one).sum::<f64>().sqrt()
    }
}

const DEMAND: usize = FunctionKind::Actuation.row().position(&outputs::DEMAND);
const CONDITIONS: usize = FunctionKind::Events.row().position(&outputs::CONDITIONS);

impl BalanceEquations {
    /// The equations at a state, whose loops are closed first; the closed point.
    pub fn new(
        tree: &rotule_formalism::MultibodySystem,
        state: &StateNumbers,
        request: &EquilibriumRequest,
        externals: Box<dyn Externals>,
    ) -> Result<(BalanceEquations, InputPoint), Problem> {
        let (functions, mut point) = ModelFunctions::at(tree, state, externals)?;
        // Balances are those of no acceleration.
        point.qdd.fill(0.0);
        let mut made = BalanceEquations {
            functions,
            unknowns: Vec::new(),
            rows: Vec::new(),
            row_units: Vec::new(),
            units: Vec::new(),
            size: 1.0,
            force: 1.0,
            request: request.clone(),
        };
        made.list(&point)?;
        made.measure(&point)?;
        Ok((made, point))
    }

    /// The mechanism.
    pub fn mechanism(&self) -> &Mechanism {
        &self.functions.tree().mechanism
    }

    /// Lists rows and unknowns for the present partition.
    fn list(&mut self, point: &InputPoint) -> Result<(), Problem> {
        let request = self.request.clone();
        let coordinates = self.functions.independent_coordinates().to_vec();
        for at in &request.ignore {
            if !coordinates.contains(at) {
                let name = coordinate_name(self.mechanism(), *at);
                return Err(Problem::new(
                    format!("`{name}` cannot be ignored: it follows from other coordinates"),
                    format!("choose it as independent by --independent {name},.."),
                ));
            }
        }
        let mechanism = self.mechanism();
        let mut unknowns: Vec<Quantity> = coordinates
            .iter()
            .filter(|at| !request.ignore.contains(at))
            .map(|at| match request.steady.contains(at) {
                true => Quantity::Speed(*at),
                false => Quantity::Coordinate(*at),
            })
            .collect();
        for at in &request.steady {
            let speeds = self.functions.independent_speeds();
            if !(speeds.contains(at) && coordinates.contains(at)) || request.ignore.contains(at) {
                let name = coordinate_name(mechanism, *at);
                return Err(Problem::new(
                    format!("the speed of `{name}` cannot be found: it follows from others"),
                    format!("choose it as independent by --independent {name},.."),
                ));
            }
        }
        let speeds = self.functions.independent_speeds().iter();
        let mut rows: Vec<Equation> = speeds
            .filter(|at| !request.ignore.contains(at))
            .map(|at| Equation::Balance(*at))
            .collect();
        for at in 0..mechanism.states.len() {
            unknowns.push(Quantity::State(at));
            rows.push(Equation::Rate(at));
        }
        let found = request.exchange.iter().map(|(_, quantity)| quantity);
        for quantity in found.chain(request.added.iter().map(|(quantity, _)| quantity)) {
            let name = quantity.name(mechanism);
            if unknowns.contains(quantity) {
                return Err(Problem::new(
                    format!("`{name}` is found in any case"),
                    "name a quantity that the state gives: a parameter, an input, an effort",
                ));
            }
            if let Quantity::Speed(at) = quantity
                && !self.functions.independent_speeds().contains(at)
            {
                return Err(Problem::new(
                    format!("`{name}` cannot be found: it follows from other speeds"),
                    "name an independent speed, or choose it by --independent",
                ));
            }
            if let Quantity::Coordinate(_) = quantity {
                return Err(Problem::new(
                    format!("`{name}` is no quantity to be found in exchange"),
                    "name a parameter, an input, a speed or an effort",
                ));
            }
            unknowns.push(*quantity);
        }
        for &(at, _) in &request.exchange {
            let Some(coordinate) = single_coordinate(mechanism, at) else {
                let joint = &joint_of(mechanism, at).name;
                return Err(Problem::new(
                    format!("joint `{joint}` has a quaternion, of which no component can be held"),
                    "hold a sensor's quantity by --add",
                ));
            };
            rows.push(Equation::Held(at, point.q[coordinate]));
        }
        rows.extend(request.added.iter().map(|(_, condition)| Equation::Condition(*condition)));
        // What is found is sought from every partition with the same held values.
        if !self.rows.is_empty() {
            let held = |row: &Equation| matches!(row, Equation::Held(..));
            let before: Vec<Equation> = self.rows.iter().copied().filter(held).collect();
            let places = rows.iter_mut().filter(|row| held(row));
            places.zip(before).for_each(|(row, before)| *row = before);
        }
        (self.unknowns, self.rows) = (unknowns, rows);
        Ok(())
    }

    /// Finds the units of rows and unknowns.
    fn measure(&mut self, point: &InputPoint) -> Result<(), Problem> {
        self.size = size(self.mechanism(), &point.q);
        let weight = weight(self.mechanism());
        let speeds = self.mechanism().speeds.len();
        let translations: Vec<bool> =
            (0..speeds).map(|at| is_length(self.mechanism(), at)).collect();
        let size = self.size;
        let unit = |at: usize| if translations[at] { size } else { 1.0 };
        self.units = self
            .unknowns
            .iter()
            .map(|one| match one {
                Quantity::Coordinate(at) | Quantity::Speed(at) => unit(*at),
                _ => 1.0,
            })
            .collect();
        self.row_units = vec![1.0; self.rows.len()];
        let (_, plain) = self.jacobian(point, &[])?;
        let largest = |row: usize| {
            let entries = plain[row].iter().zip(&self.units).zip(&self.unknowns);
            let moving = entries
                .filter(|(_, one)| matches!(one, Quantity::Coordinate(_) | Quantity::State(_)));
            moving.fold(0.0_f64, |most, ((entry, unit), _)| most.max((entry * unit).abs()))
        };
        // Without weight, the largest force of a displacement of one size is the measure.
        let stiffness = |row: &(usize, &Equation)| match row.1 {
            Equation::Balance(at) => {
                largest(row.0) / if translations[*at] { 1.0 } else { self.size }
            }
            _ => 0.0,
        };
        let stiffest = self.rows.iter().enumerate().map(|row| stiffness(&row)).fold(0.0, f64::max);
        self.force = match (weight > 0.0, stiffest > 0.0) {
            (true, _) => weight,
            (false, true) => stiffest,
            (false, false) => 1.0,
        };
        let row_units = self.rows.iter().enumerate().map(|(row, equation)| match equation {
            Equation::Balance(at) => self.force * if translations[*at] { 1.0 } else { self.size },
            Equation::Held(at, _) => unit(*at),
            Equation::Rate(_) | Equation::Condition(_) => match largest(row) {
                0.0 => 1.0,
                size => size,
            },
        });
        self.row_units = row_units.collect();
        // Quantities of no known size are measured by what they do.
        let (_, scaled) = self.jacobian(point, &[])?;
        for (column, unknown) in self.unknowns.iter().enumerate() {
            if matches!(unknown, Quantity::Coordinate(_) | Quantity::Speed(_)) {
                continue;
            }
            let effect = scaled.iter().map(|row| row[column] * row[column]).sum::<f64>().sqrt();
            if effect > 0.0 && effect.is_finite() {
                self.units[column] = 1.0 / effect;
            }
        }
        Ok(())
    }

    /// Residuals at a point, whose loops are closed first; none where they do not close or a law
    /// has no finite value.
    pub fn residual(&mut self, point: &InputPoint) -> Result<Option<Residual>, Problem> {
        let Some(point) = self.functions.close(point)? else { return Ok(None) };
        if !is_whole(self.mechanism(), &point.q) {
            return Ok(None);
        }
        let (scaled, _) = self.evaluate(&point, &[])?;
        let finite = scaled.iter().all(|one| one.is_finite());
        Ok(finite.then_some(Residual { point, scaled }))
    }

    /// The Jacobian at a closed point, by rows, in common units, with further columns for other
    /// quantities; and the residuals.
    pub fn jacobian(
        &mut self,
        point: &InputPoint,
        others: &[(Quantity, f64)],
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), Problem> {
        let own = self.unknowns.iter().copied().zip(self.units.iter().copied());
        let all: Vec<(Quantity, f64)> = own.chain(others.iter().copied()).collect();
        let directions = self.directions(point, &all)?;
        self.evaluate(point, &directions)
    }

    /// Directions of quantities, each of one unit.
    fn directions(
        &mut self,
        point: &InputPoint,
        quantities: &[(Quantity, f64)],
    ) -> Result<Vec<InputPoint>, Problem> {
        let mut directions = Vec::new();
        for &(quantity, unit) in quantities {
            let mut direction = match quantity {
                Quantity::Coordinate(at) => self
                    .functions
                    .along_speeds(point, &[at])?
                    .pop()
                    .expect("a direction for each speed"),
                _ => ModelFunctions::still(point),
            };
            match quantity.place(&mut direction) {
                Some(place) => *place = unit,
                None => direction.q.iter_mut().for_each(|rate| *rate *= unit),
            }
            directions.push(direction);
        }
        Ok(directions)
    }

    /// Residuals of all rows and their derivatives along directions, in the units of the rows.
    fn evaluate(
        &mut self,
        point: &InputPoint,
        directions: &[InputPoint],
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), Problem> {
        let mut values = vec![0.0; self.rows.len()];
        let mut slopes = vec![vec![0.0; directions.len()]; self.rows.len()];
        let forces = self.forces(point, directions)?;
        let rows = self.rows.clone();
        let needs = |row: fn(&Equation) -> bool| rows.iter().any(row);
        let closed = match needs(|row| !matches!(row, Equation::Balance(_))) {
            true => self.closed_directions(point, directions)?,
            false => Vec::new(),
        };
        let rates = match needs(|row| matches!(row, Equation::Rate(_))) {
            true => Some(self.functions.evaluate("states", point, &closed)?),
            false => None,
        };
        let conditions = match needs(|row| matches!(row, Equation::Condition(_))) {
            true => Some(self.functions.evaluate("events", point, &closed)?),
            false => None,
        };
        for (row, equation) in self.rows.iter().enumerate() {
            let unit = self.row_units[row];
            match equation {
                Equation::Balance(at) => {
                    values[row] = forces.0[*at] / unit;
                    let line = slopes[row].iter_mut().zip(&forces.1);
                    line.for_each(|(slope, along)| *slope = along[*at] / unit);
                }
                Equation::Held(at, value) => {
                    let at =
                        single_coordinate(self.mechanism(), *at).expect("checked where listed");
                    values[row] = (point.q[at] - value) / unit;
                    let line = slopes[row].iter_mut().zip(&closed);
                    line.for_each(|(slope, along)| *slope = along.q[at] / unit);
                }
                Equation::Rate(at) => {
                    let rates = rates.as_ref().expect("evaluated above");
                    values[row] = rates.output(0)[*at] / unit;
                    for (number, slope) in slopes[row].iter_mut().enumerate() {
                        *slope = rates.along(number, 0)[*at] / unit;
                    }
                }
                Equation::Condition(at) => {
                    let conditions = conditions.as_ref().expect("evaluated above");
                    values[row] = conditions.output(CONDITIONS)[*at] / unit;
                    for (number, slope) in slopes[row].iter_mut().enumerate() {
                        *slope = conditions.along(number, CONDITIONS)[*at] / unit;
                    }
                }
            }
        }
        Ok((values, slopes))
    }

    /// `Psi - S' effort` by speeds, and its derivatives.
    pub fn forces(
        &mut self,
        point: &InputPoint,
        directions: &[InputPoint],
    ) -> Result<(Vec<f64>, Vec<Vec<f64>>), Problem> {
        let found = self.functions.evaluate("actuation", point, directions)?;
        let mut forces = found.output(DEMAND).to_vec();
        let mut slopes: Vec<Vec<f64>> =
            (0..directions.len()).map(|at| found.along(at, DEMAND).to_vec()).collect();
        let acts = |one: &InputPoint| one.effort.iter().any(|effort| *effort != 0.0);
        if !acts(point) && !directions.iter().any(acts) {
            return Ok((forces, slopes));
        }
        let width = forces.len();
        if !is_constrained(self.mechanism()) {
            forces.iter_mut().zip(&point.effort).for_each(|(force, effort)| *force -= effort);
            for (slope, direction) in slopes.iter_mut().zip(directions) {
                slope.iter_mut().zip(&direction.effort).for_each(|(one, effort)| *one -= effort);
            }
            return Ok((forces, slopes));
        }
        let map = self.functions.evaluate("reduction", point, directions)?;
        let carried = |s: &[f64], effort: &[f64], at: usize| -> f64 {
            effort.iter().enumerate().map(|(all, effort)| s[all * width + at] * effort).sum()
        };
        for at in 0..width {
            forces[at] -= carried(map.output(0), &point.effort, at);
            for (number, direction) in directions.iter().enumerate() {
                slopes[number][at] -= carried(map.output(0), &direction.effort, at)
                    + carried(map.along(number, 0), &point.effort, at);
            }
        }
        Ok((forces, slopes))
    }

    /// Directions in which dependent coordinates and speeds follow.
    pub fn closed_directions(
        &mut self,
        point: &InputPoint,
        directions: &[InputPoint],
    ) -> Result<Vec<InputPoint>, Problem> {
        let mut closed = directions.to_vec();
        if !is_constrained(self.mechanism()) || directions.is_empty() {
            return Ok(closed);
        }
        let found = self.functions.evaluate("closure", point, directions)?;
        let row = FunctionKind::Closure.row();
        let (q, qd) = (row.position(&outputs::COORDINATES), row.position(&outputs::SPEEDS));
        for (number, direction) in closed.iter_mut().enumerate() {
            direction.q.copy_from_slice(found.along(number, q));
            direction.qd.copy_from_slice(found.along(number, qd));
        }
        Ok(closed)
    }

    /// A point moved by a step of the unknowns, in their units.
    pub fn moved(&self, point: &InputPoint, step: &[f64]) -> InputPoint {
        let mut along = vec![0.0; point.qd.len()];
        let mut moved = point.clone();
        for ((unknown, unit), step) in self.unknowns.iter().zip(&self.units).zip(step) {
            match unknown {
                Quantity::Coordinate(at) => along[*at] = unit * step,
                other => {
                    *other.place(&mut moved).expect("all but coordinates have a place") +=
                        unit * step;
                }
            }
        }
        InputPoint { q: self.functions.moved(point, &along).q, ..moved }
    }

    /// Takes another partition if the present one is poor at a closed point; `true` if it did.
    pub fn renew(&mut self, point: &InputPoint) -> Result<bool, Problem> {
        if !self.functions.renew_partition(point)? {
            return Ok(false);
        }
        self.list(point)?;
        self.measure(point)?;
        Ok(true)
    }

    /// The neutral directions at a closed point: combinations of unknowns that change no row, as
    /// steps of the unknowns; and combinations of rows that no unknown changes.
    pub fn neutral(&mut self, point: &InputPoint) -> Result<Rank, Problem> {
        let (_, jacobian) = self.jacobian(point, &[])?;
        Ok(Rank::of(&jacobian, self.unknowns.len()))
    }
}

/// Returns `true` if a speed is a translation.
pub fn is_length(mechanism: &Mechanism, speed: usize) -> bool {
    units::by_speed(mechanism, units::SPEED)[speed] == units::SPEED[0]
}

/// Returns `true` if loops are closed as they are meant to be: rows of a closure vanish, too, where
/// its frames are half a turn apart.
fn is_whole(mechanism: &Mechanism, q: &[f64]) -> bool {
    mechanism.cuts.is_empty()
        || closure::gaps(mechanism, &pose::poses(mechanism, q)).iter().all(|gap| gap.angle < 0.1)
}

/// The largest distance between origins and centres of mass of moving bodies along an axis, or the
/// radius of gyration of all bodies if that is larger; a metre if there is none.
pub(crate) fn size(mechanism: &Mechanism, q: &[f64]) -> f64 {
    let poses = pose::poses(mechanism, q);
    let centres: Vec<_> = mechanism.bodies.iter().flat_map(|body| body.com.0).collect();
    let centres = mechanism.evaluate(&centres);
    let mut bounds = [[f64::INFINITY, f64::NEG_INFINITY]; 3];
    for (body, pose) in poses.iter().enumerate().skip(1) {
        let centre = [0, 1, 2].map(|k| centres[3 * body + k]);
        for place in [pose.position, pose.point(centre)] {
            for (bound, x) in bounds.iter_mut().zip(place) {
                *bound = [bound[0].min(x), bound[1].max(x)];
            }
        }
    }
    let extent = bounds.iter().fold(0.0_f64, |most, [from, to]| most.max(to - from));
    let gyration = gyration(mechanism);
    let size = if gyration > extent { gyration } else { extent };
    if size > 1e-9 && size.is_finite() { size } else { 1.0 }
}

/// The radius of gyration of all bodies, each about its own centre of mass.
fn gyration(mechanism: &Mechanism) -> f64 {
    let all = mechanism.bodies.iter().skip(1);
    let numbers: Vec<_> = all
        .flat_map(|body| {
            [body.mass, body.inertia.0[0][0], body.inertia.0[1][1], body.inertia.0[2][2]]
        })
        .collect();
    let numbers = mechanism.evaluate(&numbers);
    let mass: f64 = numbers.iter().step_by(4).sum();
    let inertia: f64 = numbers.chunks_exact(4).map(|one| one[1] + one[2] + one[3]).sum();
    if mass > 0.0 { (inertia / 2.0 / mass).max(0.0).sqrt() } else { 0.0 }
}

/// The weight of all bodies.
fn weight(mechanism: &Mechanism) -> f64 {
    let masses: Vec<_> = mechanism.bodies.iter().skip(1).map(|body| body.mass).collect();
    let mass: f64 = mechanism.evaluate(&masses).iter().sum();
    let gravity = mechanism.evaluate(&mechanism.gravity.0);
    let weight = mass * gravity.iter().map(|x| x * x).sum::<f64>().sqrt();
    if weight.is_finite() { weight } else { 0.0 }
}
