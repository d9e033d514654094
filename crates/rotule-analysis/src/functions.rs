//! Functions of a closed model at a state, with exact derivatives along any direction.
//!
//! This is the one place in which analyses evaluate a model. A function is written once, as the
//! program that simulation and generated code have, with the coordinate partition that is good at
//! the state; derivatives come from running that program in forward mode, so that nothing else has
//! to be written: a direction is a change of coordinates, speeds, parameters, inputs, or of all at
//! once.

use rotule_formalism::constraint::is_constrained;
use rotule_formalism::constraint::partition::CoordinatePartition;
use rotule_formalism::function::{FunctionKind, outputs};
use rotule_formalism::{ModelFunction, MultibodySystem, Problem, without_numbers};
use rotule_model::mechanism::Role;
use rotule_numeric::pattern::Pattern;
use rotule_numeric::state::StateNumbers;
use rotule_numeric::{choose_partition, generate, moved};
use rotule_program::{Externals, ForwardDerivatives, ForwardMode, Program};
use rotule_simulate::inputs::{InputPoint, Inputs};
use rotule_simulate::monitor::{Condition, Jacobian};
use rotule_symbolic::random::SplitMix64;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// From this amplification on, dependent coordinates follow so fast that another partition is
/// searched: see [`rotule_simulate::monitor`].
const POOR: f64 = 30.0;
/// Below this smallest singular value of the dependent columns, where rows are of size one,
/// derivatives are refused. Closing loops leaves rounding divided by it in coordinates, which
/// derivatives of the reduction divide by its square: at this number four digits are left, at a
/// tenth of it one.
const SINGULAR: f64 = 1e-4;

/// Loops that are open by more than this, in metres or radians, are not closed.
const OPEN: f64 = 1e-6;
/// Points in the neighbourhood that show how large rows of the constraints are, and how far away
/// they are, in radians and sizes of the loop.
const NEIGHBOURS: usize = 3;
const APART: f64 = 0.3;

/// The functions of a model that have been needed so far, ready to be evaluated.
pub struct ModelFunctions {
    tree: MultibodySystem,
    externals: Box<dyn Externals>,
    written: BTreeMap<String, WrittenFunction>,
    /// Independent coordinates, as places of their speeds, and independent speeds.
    independent: [Vec<usize>; 2],
    jacobian: Option<Jacobian>,
}

/// A function with its inputs and the places of its outputs.
struct WrittenFunction {
    forward: ForwardMode<Arc<Program>>,
    inputs: Inputs,
    places: Vec<Range<usize>>,
}

/// The outputs of a function at a point, and their derivatives along directions.
#[derive(Clone, Debug)]
pub struct FunctionValues {
    numbers: ForwardDerivatives,
    places: Vec<Range<usize>>,
}

impl FunctionValues {
    /// An output by its position, densely by rows.
    pub fn output(&self, at: usize) -> &[f64] {
        &self.numbers.outputs[self.places[at].clone()]
    }

    /// The derivative of an output along a direction.
    pub fn along(&self, direction: usize, at: usize) -> &[f64] {
        &self.numbers.directions[direction][self.places[at].clone()]
    }

    /// Returns `true` if loops closed and everything is finite.
    pub fn is_sound(&self) -> bool {
        let finite = |list: &[f64]| list.iter().all(|number| number.is_finite());
        self.numbers.converged
            && finite(&self.numbers.outputs)
            && self.numbers.directions.iter().all(|one| finite(one))
    }
}

impl ModelFunctions {
    /// A model at a state: loops are closed, and the partition is one that is good there. The
    /// second part of the result is the closed state.
    pub fn at(
        tree: &MultibodySystem,
        state: &StateNumbers,
        externals: Box<dyn Externals>,
    ) -> Result<(ModelFunctions, InputPoint), Problem> {
        if let Some(problem) = without_numbers(&tree.mechanism, "the model cannot be evaluated") {
            return Err(problem);
        }
        let mut tree = tree.clone();
        let mut state = state.clone();
        set_numbers(&mut tree, &state);
        state.settle(&tree);
        state.close(&tree)?;
        let constrained = is_constrained(&tree.mechanism);
        let jacobian = constrained.then(|| Jacobian::new(&tree)).transpose()?;
        let mut point = InputPoint::new(state.t, state.q, state.qd, state.parameters);
        point = point.with_states(state.states).with_inputs(state.inputs);
        point.effort = state.effort;
        let independent = Default::default();
        let written = BTreeMap::new();
        let mut made = ModelFunctions { tree, externals, written, independent, jacobian };
        if constrained {
            set_initial(&mut made.tree, &point);
            made.set_partition(choose_partition(&made.tree, FunctionKind::Actuation)?);
            made.measure_rows(&point)?;
            made.renew_partition(&point)?;
        } else {
            let free = free_speeds(&made.tree);
            made.independent = [free.clone(), free];
        }
        Ok((made, point))
    }

    /// A model at a state as it is, loops closed or not, without a partition: for functions that
    /// take loops as given. Partitions may be singular at such a state.
    pub fn open(
        tree: &MultibodySystem,
        state: &StateNumbers,
        externals: Box<dyn Externals>,
    ) -> Result<(ModelFunctions, InputPoint), Problem> {
        if let Some(problem) = without_numbers(&tree.mechanism, "the model cannot be evaluated") {
            return Err(problem);
        }
        let mut tree = tree.clone();
        let state = state.clone();
        set_numbers(&mut tree, &state);
        let constrained = is_constrained(&tree.mechanism);
        let mut point = InputPoint::new(state.t, state.q, state.qd, state.parameters);
        point = point.with_states(state.states).with_inputs(state.inputs);
        set_initial(&mut tree, &point);
        let jacobian = constrained.then(|| Jacobian::new(&tree)).transpose()?;
        let free = free_speeds(&tree);
        let (written, independent) = (BTreeMap::new(), [free.clone(), free]);
        Ok((ModelFunctions { tree, externals, written, independent, jacobian }, point))
    }

    /// The pattern of the constraints, if there are any.
    pub fn pattern(&self) -> Option<&Pattern> {
        self.jacobian.as_ref().map(|jacobian| &jacobian.pattern)
    }

    /// The model, with the partition in its strategy.
    pub fn tree(&self) -> &MultibodySystem {
        &self.tree
    }

    /// The independent coordinates, as places of their speeds.
    pub fn independent_coordinates(&self) -> &[usize] {
        &self.independent[0]
    }

    /// The independent speeds; fewer than the coordinates where constraints are nonholonomic.
    pub fn independent_speeds(&self) -> &[usize] {
        &self.independent[1]
    }

    /// Shows the monitor of the constraints how large their rows are in the neighbourhood: where
    /// loops are singular a whole row may vanish, which says nothing about its size.
    fn measure_rows(&mut self, point: &InputPoint) -> Result<(), Problem> {
        let (units, _) = self.units();
        let mut random = SplitMix64(1);
        for _ in 0..NEIGHBOURS {
            let step: Vec<f64> = units.iter().map(|unit| APART * unit * random.signed()).collect();
            let beside = self.moved(point, &step);
            self.take_jacobian(&beside)?;
        }
        Ok(())
    }

    fn take_jacobian(&mut self, point: &InputPoint) -> Result<(), Problem> {
        let found = self.evaluate("constraints", point, &[])?;
        let at = FunctionKind::Constraints.row().position(&outputs::CONSTRAINT_JACOBIAN);
        if let Some(jacobian) = &mut self.jacobian {
            jacobian.take(found.output(at));
        }
        Ok(())
    }

    /// The conditioning of the partition at a closed point.
    pub fn condition(&mut self, point: &InputPoint) -> Result<Condition, Problem> {
        let Some(partition) = self.tree.strategy.partition.clone() else {
            return Ok(Condition::UNKNOWN);
        };
        self.take_jacobian(point)?;
        Ok(self.jacobian.as_ref().map_or(Condition::UNKNOWN, |one| one.condition(&partition)))
    }

    /// The amplification of the partition at a closed point: the largest speed of a dependent
    /// coordinate beside that of an independent one. Zero without constraints.
    pub fn amplification(&mut self, point: &InputPoint) -> Result<f64, Problem> {
        let amplification = self.condition(point)?.amplification;
        Ok(if amplification.is_finite() { amplification } else { f64::INFINITY })
    }

    /// Refuses a closed point so near to a singular position that derivatives of the loops have no
    /// digits left.
    pub fn refuse_singular(&mut self, point: &InputPoint) -> Result<(), Problem> {
        let smallest = self.condition(point)?.smallest;
        if smallest > SINGULAR {
            return Ok(());
        }
        let (help, chosen) = match &self.tree.mechanism.independent {
            Some(_) => {
                ("choose others by --independent, or another state", "for these coordinates ")
            }
            None => ("choose another state", ""),
        };
        let message = format!(
            "loops of `{}` are singular {chosen}at this state: dependent coordinates do not follow",
            self.tree.mechanism.name
        );
        Err(Problem::new(message, help))
    }

    /// Chooses another partition if the present one is poor at a closed point; `true` if it did.
    /// Functions are written anew then. What the model or the user names as independent stays.
    pub fn renew_partition(&mut self, point: &InputPoint) -> Result<bool, Problem> {
        let amplification = self.amplification(point)?;
        if amplification <= POOR || self.tree.mechanism.independent.is_some() {
            return Ok(false);
        }
        let (Some(jacobian), Some(now)) = (&self.jacobian, &self.tree.strategy.partition) else {
            return Ok(false);
        };
        let better = jacobian
            .choices(now)
            .into_iter()
            .map(|choice| (jacobian.condition(&choice).amplification, choice))
            .filter(|(size, _)| *size < 0.5 * amplification)
            .min_by(|a, b| a.0.total_cmp(&b.0));
        let Some((_, choice)) = better else { return Ok(false) };
        self.set_partition(choice);
        Ok(true)
    }

    fn set_partition(&mut self, partition: CoordinatePartition) {
        let free = free_speeds(&self.tree);
        let own = |list: &[usize]| list.iter().copied().filter(|at| free.contains(at)).collect();
        // Without rows of positions all coordinates are independent.
        let coordinates = match partition.coordinates.independent.is_empty()
            && partition.coordinates.blocks.is_empty()
        {
            true => free.clone(),
            false => own(&partition.coordinates.independent),
        };
        self.independent = [coordinates, own(&partition.speeds.independent)];
        self.tree.strategy.partition = Some(partition);
        self.tree.program_cache = None;
        self.written.clear();
    }

    /// A function at a point, with its derivatives along directions. A direction has the form of a
    /// point: the rates of everything that a function may take. The function is written when it is
    /// first needed.
    pub fn evaluate(
        &mut self,
        function: &str,
        point: &InputPoint,
        directions: &[InputPoint],
    ) -> Result<FunctionValues, Problem> {
        if !self.written.contains_key(function) {
            let made = WrittenFunction::new(&self.tree, function)?;
            self.written.insert(function.to_owned(), made);
        }
        let written = self.written.get_mut(function).expect("it was inserted a moment ago");
        let directions: Vec<Vec<f64>> =
            directions.iter().map(|one| written.inputs.at(one, true).to_vec()).collect();
        let inputs = written.inputs.at(point, true).to_vec();
        let numbers = written.forward.evaluate(&inputs, &directions, self.externals.as_mut());
        Ok(FunctionValues { numbers, places: written.places.clone() })
    }

    /// The program of a function, which is written when it is first needed.
    pub fn program(&mut self, function: &str) -> Result<&Program, Problem> {
        if !self.written.contains_key(function) {
            let made = WrittenFunction::new(&self.tree, function)?;
            self.written.insert(function.to_owned(), made);
        }
        Ok(self.written[function].forward.program())
    }

    /// A direction along which nothing changes.
    pub fn still(point: &InputPoint) -> InputPoint {
        let zeros = |list: &[f64]| vec![0.0; list.len()];
        InputPoint {
            width: 1,
            t: 0.0,
            parameters: zeros(&point.parameters),
            q: zeros(&point.q),
            qd: zeros(&point.qd),
            states: zeros(&point.states),
            inputs: zeros(&point.inputs),
            qdd: zeros(&point.qdd),
            effort: zeros(&point.effort),
        }
    }

    /// The direction in which coordinates move when one speed is one, for each of some speeds.
    pub fn along_speeds(
        &mut self,
        point: &InputPoint,
        speeds: &[usize],
    ) -> Result<Vec<InputPoint>, Problem> {
        let map = self.evaluate("kinematic_map", point, &[])?;
        let (map, width) = (map.output(0), point.qd.len());
        let direction = |&speed: &usize| {
            let mut direction = ModelFunctions::still(point);
            let column = map.iter().skip(speed).step_by(width);
            direction.q.iter_mut().zip(column).for_each(|(rate, entry)| *rate = *entry);
            direction
        };
        Ok(speeds.iter().map(direction).collect())
    }

    /// The point with all loops closed for its independent coordinates and speeds; none if they do
    /// not close, redundant rows included. Dependent coordinates are where the iteration starts.
    pub fn close(&mut self, point: &InputPoint) -> Result<Option<InputPoint>, Problem> {
        if self.jacobian.is_none() {
            return Ok(Some(point.clone()));
        }
        let found = self.evaluate("closure", point, &[])?;
        let row = FunctionKind::Closure.row();
        let mut closed = point.clone();
        closed.q.copy_from_slice(found.output(row.position(&outputs::COORDINATES)));
        closed.qd.copy_from_slice(found.output(row.position(&outputs::SPEEDS)));
        if !found.is_sound() {
            return Ok(None);
        }
        // Rows that repeat others where the partition was chosen need not do so elsewhere.
        let constraints = self.evaluate("constraints", &closed, &[])?;
        let whole = constraints.output(0).iter().all(|gap| gap.abs() < OPEN);
        Ok(whole.then_some(closed))
    }

    /// Moves coordinates along their speeds by a step, one number for each speed.
    pub fn moved(&self, point: &InputPoint, step: &[f64]) -> InputPoint {
        InputPoint { q: moved(&self.tree, &point.q, step), ..point.clone() }
    }

    /// The unit of each speed and the size of the model: one for rotations, the size of its loop
    /// for a translation.
    pub fn units(&self) -> (Vec<f64>, f64) {
        match &self.jacobian {
            Some(jacobian) => (jacobian.pattern.units.clone(), jacobian.pattern.size),
            None => (vec![1.0; self.tree.speeds()], 1.0),
        }
    }

    /// The state as numbers by the user's names.
    pub fn state(&self, point: &InputPoint) -> StateNumbers {
        let mut state = StateNumbers::initial(&self.tree);
        state.t = point.t;
        state.q.clone_from(&point.q);
        state.qd.clone_from(&point.qd);
        state.qdd.clone_from(&point.qdd);
        state.states.clone_from(&point.states);
        state.inputs.clone_from(&point.inputs);
        state.effort.clone_from(&point.effort);
        state.parameters.clone_from(&point.parameters);
        state
    }
}

impl WrittenFunction {
    fn new(tree: &MultibodySystem, text: &str) -> Result<WrittenFunction, Problem> {
        let function = ModelFunction::parse(text, tree)?;
        let program = Arc::new(generate(tree, &function, None)?.program);
        let missing = |input: String| Problem::new(format!("`{text}` needs `{input}`"), "");
        let inputs = Inputs::of(tree, &program, 1).map_err(missing)?;
        let mut places = Vec::new();
        let mut start = 0;
        for output in program.outputs() {
            let end = start + output.dense_len() as usize;
            places.push(start..end);
            start = end;
        }
        let forward = ForwardMode::new(program).expect("what was generated is valid");
        Ok(WrittenFunction { forward, inputs, places })
    }
}

/// The speeds of free joints.
fn free_speeds(tree: &MultibodySystem) -> Vec<usize> {
    let free = tree.mechanism.joints.iter().filter(|joint| joint.role == Role::Free);
    let mut speeds: Vec<usize> = free.flat_map(|joint| joint.speeds.clone()).collect();
    speeds.sort_unstable();
    speeds
}

/// Gives a mechanism the parameters and inputs of a state.
fn set_numbers(tree: &mut MultibodySystem, state: &StateNumbers) {
    let mechanism = &mut tree.mechanism;
    for (parameter, &value) in mechanism.parameters.iter_mut().zip(&state.parameters) {
        parameter.value = value;
    }
    for (input, &value) in mechanism.inputs.iter_mut().zip(&state.inputs) {
        input.value = value;
    }
}

/// Makes a point the initial state of a mechanism, because partitions are chosen there.
fn set_initial(tree: &mut MultibodySystem, point: &InputPoint) {
    let mechanism = &mut tree.mechanism;
    for (coordinate, &value) in mechanism.coordinates.iter_mut().zip(&point.q) {
        coordinate.initial = mechanism.graph.number(value);
    }
    for (speed, &value) in mechanism.speeds.iter_mut().zip(&point.qd) {
        speed.initial = mechanism.graph.number(value);
    }
}
