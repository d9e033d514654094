//! Constraints as numbers: the rows of the open tree as a program that is run at one configuration
//! after another.
//!
//! Assembly and the analysis of rank look at numbers while equations are written; closed programs
//! are compared with nothing here. Coordinates move along speeds, so that quaternions stay units.

use rotule_formalism::MotionPart;
use rotule_formalism::MultibodySystem;
use rotule_formalism::Problem;
use rotule_formalism::constraint::{Constraints, constraints};
use rotule_formalism::foreign::{called, caller};
use rotule_formalism::given::GivenMotions;
use rotule_formalism::inputs;
use rotule_formalism::without_numbers;
use rotule_model::index::SpeedId;
use rotule_model::mechanism::Role;
use rotule_program::lower::{self, Request, Target};
use rotule_program::{Interpreter, Program, SuppliedCode, Workspace};
use rotule_symbolic::elementary::sincos;
use rotule_symbolic::{Expr, ForeignCode, Kind};
use std::sync::Arc;

/// The rows of a tree and the program of their numbers.
pub(crate) struct RowProgram {
    /// The rows.
    pub open: Constraints,
    program: Program,
    parameters: Vec<f64>,
    /// The numbers of the model's inputs and states, which may move joints.
    given: Vec<f64>,
    /// Code of the external functions that rows call.
    code: Option<Arc<dyn ForeignCode>>,
    /// Driven joints without a law of their motion, which stay where they are.
    still: Option<GivenMotions>,
}

impl RowProgram {
    pub fn of(tree: &MultibodySystem) -> Result<RowProgram, Problem> {
        if let Some(problem) = without_numbers(&tree.mechanism, "loops cannot be closed") {
            return Err(problem);
        }
        let still = GivenMotions::of(&tree.mechanism);
        let other =
            still.as_ref().map(|still| rotule_formalism::normalise(still.mechanism.clone()));
        let tree = other.as_ref().unwrap_or(tree);
        let sheet = tree.sheet();
        let open = constraints(tree.writer(&sheet))?;
        let mut values: Vec<Expr> = Vec::new();
        for row in &open.rows {
            values.extend([row.residual.unwrap_or(Expr::ZERO), row.explicit]);
            values.extend(row.entries.iter().map(|&(_, value)| value));
        }
        let request = Request {
            name: "constraints".to_owned(),
            inputs: inputs(tree, &[Kind::Input, Kind::State, Kind::Coordinate, Kind::Velocity]),
            outputs: vec![Target::vector("rows", &values)],
            solves: sheet.solves.borrow().clone(),
            ..Request::default()
        };
        let program = sheet.graph.read(|graph| lower::draft(graph, &request).program);
        let code = tree.mechanism.graph.code().cloned();
        let known = |name: &str| code.as_ref().is_some_and(|code| code.knows(name));
        if let Some(name) = called(&program).find(|name| !known(name)) {
            let place = caller(&tree.mechanism, name);
            let place = place.map_or(String::new(), |place| format!("; {place} calls it"));
            return Err(Problem::new(
                format!(
                    "the constraints need the external function `{name}`, which has no definition in this program"
                ),
                format!("supply it by --laws{place}"),
            ));
        }
        let added = still.as_ref().map_or(0, GivenMotions::added);
        let own = tree.mechanism.parameters.len() - added;
        let parameters = tree.mechanism.parameters[..own].iter().map(|one| one.value).collect();
        let mut given: Vec<f64> = tree.mechanism.inputs.iter().map(|one| one.value).collect();
        let states: Vec<Expr> = tree.mechanism.states.iter().map(|one| one.initial).collect();
        given.extend(tree.mechanism.evaluate(&states));
        Ok(RowProgram { open, program, parameters, given, code, still })
    }

    /// Makes the program ready to be run at a time.
    pub fn ready(&self, time: f64) -> Result<RowEvaluator<'_>, Problem> {
        let broken =
            |what: String| Problem::new(format!("the constraints cannot be evaluated: {what}"), "");
        let interpreter =
            Interpreter::new(&self.program).map_err(|_| broken("not valid".to_owned()))?;
        let workspace = interpreter.workspace();
        let outputs = vec![0.0; self.program.output_len()];
        Ok(RowEvaluator { written: self, time, interpreter, workspace, outputs })
    }
}

/// The rows at a configuration.
#[derive(Clone, Debug)]
pub(crate) struct RowValues {
    /// The residuals, which must vanish; zero for rows that relate speeds only.
    pub h: Vec<f64>,
    /// The velocities that time alone adds.
    pub e: Vec<f64>,
    /// `J` by rows.
    pub j: Vec<Vec<(SpeedId, f64)>>,
}

impl RowValues {
    /// The length of all residuals together.
    pub fn length(&self) -> f64 {
        crate::dense::svd::dot(&self.h, &self.h).sqrt()
    }

    /// The largest residual.
    pub fn largest(&self) -> f64 {
        // Not `max`, which would hide what is not a number.
        self.h.iter().fold(0.0, |most, h| if h.abs() <= most { most } else { h.abs() })
    }

    /// `J v + e`, row by row.
    pub fn velocities(&self, v: &[f64]) -> Vec<f64> {
        let moved = |row: &Vec<(SpeedId, f64)>| {
            row.iter().map(|&(speed, value)| value * v[speed.index()]).sum()
        };
        let moved = self.j.iter().map(moved);
        moved.zip(&self.e).map(|(moved, e): (f64, &f64)| moved + e).collect()
    }
}

/// The program with the numbers it works on.
pub(crate) struct RowEvaluator<'a> {
    written: &'a RowProgram,
    time: f64,
    interpreter: Interpreter<&'a Program>,
    workspace: Workspace,
    outputs: Vec<f64>,
}

impl RowEvaluator<'_> {
    /// The rows at coordinates and speeds.
    pub fn at(&mut self, q: &[f64], qd: &[f64]) -> Result<RowValues, Problem> {
        let broken =
            |what: String| Problem::new(format!("the constraints cannot be evaluated: {what}"), "");
        let RowProgram { program, parameters, given, code, still, .. } = self.written;
        let still = still.as_ref();
        let still = still.map_or(Vec::new(), |still| still.numbers(q, qd, &vec![0.0; qd.len()]));
        let inputs = [parameters, &still[..], &[self.time][..], given, q, qd].concat();
        let mut code = SuppliedCode { program, code: code.clone() };
        let set = self.interpreter.setup(&mut self.workspace, &inputs, &mut code);
        set.map_err(|error| broken(error.to_string()))?;
        let (workspace, outputs) = (&mut self.workspace, &mut self.outputs);
        let run = self.interpreter.evaluate(workspace, &inputs, outputs, &mut code);
        run.map_err(|error| broken(error.to_string()))?;
        let mut numbers = self.outputs.iter().copied();
        let mut next = || numbers.next().unwrap_or(0.0);
        let mut values = RowValues { h: Vec::new(), e: Vec::new(), j: Vec::new() };
        for row in &self.written.open.rows {
            values.h.push(next());
            values.e.push(next());
            values.j.push(
                row.entries.iter().map(|&(speed, _)| (SpeedId::new(speed), next())).collect(),
            );
        }
        Ok(values)
    }
}

/// Coordinates and speeds at the initial state and time zero; quaternions are units.
pub(crate) fn initial(tree: &MultibodySystem) -> (Vec<f64>, Vec<f64>) {
    let mechanism = &tree.mechanism;
    let mut q = rotule_model::pose::initial_coordinates(mechanism);
    let mut speeds: Vec<Expr> = mechanism.speeds.iter().map(|one| one.initial).collect();
    for joint in mechanism.joints.iter().filter(|joint| joint.role != Role::Free) {
        let own = &tree.motion.qd.as_slice()[joint.speeds.clone()];
        speeds[joint.speeds.clone()].copy_from_slice(own);
    }
    for node in &tree.tree.nodes {
        if let Some(own) = node.quaternion() {
            normalise(&mut q[own]);
        }
    }
    (q, mechanism.evaluate(&speeds))
}

fn normalise(parts: &mut [f64]) {
    let length = parts.iter().map(|part| part * part).sum::<f64>().sqrt();
    if length > 0.0 {
        parts.iter_mut().for_each(|part| *part /= length);
    } else {
        parts.copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    }
}

/// Coordinates after each speed acted for its part of the step.
pub fn moved(tree: &MultibodySystem, q: &[f64], step: &[f64]) -> Vec<f64> {
    let mut moved = q.to_vec();
    for node in &tree.tree.nodes {
        for (part, own, speeds) in node.parts() {
            match (part, node.quaternion()) {
                (MotionPart::Rotation, _) => turn(&mut moved[own], &step[speeds]),
                (MotionPart::Position, Some(rotation)) => {
                    let slide = turned(&q[rotation], &step[speeds]);
                    moved[own].iter_mut().zip(slide).for_each(|(x, dx)| *x += dx);
                }
                (MotionPart::Length | MotionPart::Angle | MotionPart::Position, _) => {
                    moved[own].iter_mut().zip(&step[speeds]).for_each(|(x, dx)| *x += dx);
                }
            }
        }
    }
    moved
}

/// A quaternion after a turn in its own axes.
fn turn(q: &mut [f64], v: &[f64]) {
    let angle = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    if angle == 0.0 {
        return;
    }
    let (sine, cosine) = sincos(angle / 2.0);
    let sine = sine / angle;
    let ([w, x, y, z], [c, i, j, k]) =
        ([q[0], q[1], q[2], q[3]], [cosine, sine * v[0], sine * v[1], sine * v[2]]);
    q[0] = w * c - x * i - y * j - z * k;
    q[1] = w * i + x * c + y * k - z * j;
    q[2] = w * j + y * c + z * i - x * k;
    q[3] = w * k + z * c + x * j - y * i;
    normalise(q);
}

/// A vector of a rotated frame in the components of what it is rotated against.
fn turned(q: &[f64], v: &[f64]) -> [f64; 3] {
    let cross = |a: [f64; 3], b: [f64; 3]| rotule_model::pose::cross(a, b);
    let (w, axis, v) = (q[0], [q[1], q[2], q[3]], [v[0], v[1], v[2]]);
    let twice = cross(axis, v).map(|x| 2.0 * x);
    let more = cross(axis, twice);
    std::array::from_fn(|at| v[at] + w * twice[at] + more[at])
}
