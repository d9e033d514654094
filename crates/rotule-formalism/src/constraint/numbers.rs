//! Constraints as numbers: the rows of the open tree as a program that is run at one configuration
//! after another.
//!
//! Assembly and the analysis of rank look at numbers while equations are written; closed programs
//! are compared with nothing here. Coordinates move along speeds, so that quaternions stay units.

use super::{Constraints, constraints};
use crate::formalism::inputs;
use crate::problem::Problem;
use crate::tree::{ElementaryMotion, Tree};
use rotule_model::mechanism::Role;
use rotule_program::lower::{self, Request, Target};
use rotule_program::{Interpreter, NoExternals, Program, Workspace};
use rotule_symbolic::elementary::sincos;
use rotule_symbolic::{Expr, Kind};

/// The rows of a tree and the program of their numbers.
pub(super) struct Written {
    /// The rows.
    pub open: Constraints,
    program: Program,
    parameters: Vec<f64>,
}

impl Written {
    pub fn of(tree: &Tree) -> Result<Written, Problem> {
        let mut draft = tree.clone();
        let open = constraints(&mut draft)?;
        let mut values: Vec<Expr> = Vec::new();
        for row in &open.rows {
            values.extend([row.residual.unwrap_or(Expr::ZERO), row.explicit]);
            values.extend(row.entries.iter().map(|&(_, value)| value));
        }
        let request = Request {
            name: "constraints".to_owned(),
            inputs: inputs(&draft, &[Kind::Coordinate, Kind::Velocity]),
            outputs: vec![Target::vector("rows", &values)],
            solves: draft.solves.clone(),
            seed: 0,
        };
        let program = lower::draft(&draft.mechanism.graph, &request).program;
        let parameters = tree.mechanism.parameters.iter().map(|one| one.value).collect();
        Ok(Written { open, program, parameters })
    }

    /// Makes the program ready to be run at a time.
    pub fn ready(&self, time: f64) -> Result<Numbers<'_>, Problem> {
        let broken =
            |what: String| Problem::new(format!("the constraints cannot be evaluated: {what}"), "");
        let interpreter =
            Interpreter::new(&self.program).map_err(|_| broken("not valid".to_owned()))?;
        let workspace = interpreter.workspace();
        let outputs = vec![0.0; self.program.output_len()];
        Ok(Numbers { written: self, time, interpreter, workspace, outputs })
    }
}

/// The rows at a configuration.
#[derive(Clone, Debug)]
pub(super) struct Values {
    /// The residuals, which must vanish; zero for rows that relate speeds only.
    pub h: Vec<f64>,
    /// The velocities that time alone adds.
    pub e: Vec<f64>,
    /// `J` by rows.
    pub j: Vec<Vec<(usize, f64)>>,
}

impl Values {
    /// The length of all residuals together.
    pub fn length(&self) -> f64 {
        super::svd::dot(&self.h, &self.h).sqrt()
    }

    /// The largest residual.
    pub fn largest(&self) -> f64 {
        // Not `max`, which would hide what is not a number.
        self.h.iter().fold(0.0, |most, h| if h.abs() <= most { most } else { h.abs() })
    }

    /// `J v + e`, row by row.
    pub fn velocities(&self, v: &[f64]) -> Vec<f64> {
        let moved = |row: &Vec<(usize, f64)>| row.iter().map(|&(at, value)| value * v[at]).sum();
        let moved = self.j.iter().map(moved);
        moved.zip(&self.e).map(|(moved, e): (f64, &f64)| moved + e).collect()
    }
}

/// The program with the numbers it works on.
pub(super) struct Numbers<'a> {
    written: &'a Written,
    time: f64,
    interpreter: Interpreter<&'a Program>,
    workspace: Workspace,
    outputs: Vec<f64>,
}

impl Numbers<'_> {
    /// The rows at coordinates and speeds.
    pub fn at(&mut self, q: &[f64], qd: &[f64]) -> Result<Values, Problem> {
        let broken =
            |what: String| Problem::new(format!("the constraints cannot be evaluated: {what}"), "");
        let inputs = [&self.written.parameters, &[self.time][..], q, qd].concat();
        let set = self.interpreter.setup(&mut self.workspace, &inputs, &mut NoExternals);
        set.map_err(|error| broken(error.to_string()))?;
        let (workspace, outputs) = (&mut self.workspace, &mut self.outputs);
        let run = self.interpreter.evaluate(workspace, &inputs, outputs, &mut NoExternals);
        run.map_err(|error| broken(error.to_string()))?;
        let mut numbers = self.outputs.iter().copied();
        let mut next = || numbers.next().unwrap_or(0.0);
        let mut values = Values { h: Vec::new(), e: Vec::new(), j: Vec::new() };
        for row in &self.written.open.rows {
            values.h.push(next());
            values.e.push(next());
            values.j.push(row.entries.iter().map(|&(column, _)| (column, next())).collect());
        }
        Ok(values)
    }
}

/// Coordinates and speeds at the initial state and time zero; quaternions are units.
pub(super) fn initial(tree: &Tree) -> (Vec<f64>, Vec<f64>) {
    let mechanism = &tree.mechanism;
    let mut q = rotule_model::pose::initial_coordinates(mechanism);
    let mut speeds: Vec<Expr> = mechanism.speeds.iter().map(|one| one.initial).collect();
    for joint in mechanism.joints.iter().filter(|joint| joint.role != Role::Free) {
        speeds[joint.speeds.clone()].copy_from_slice(&tree.qd[joint.speeds.clone()]);
    }
    for node in &tree.nodes {
        if let Some(first) = quaternion(node.motion, node.coordinate) {
            normalise(&mut q[first..first + 4]);
        }
    }
    (q, mechanism.evaluate(&speeds))
}

/// The first coordinate of a node's quaternion.
fn quaternion(motion: ElementaryMotion, coordinate: usize) -> Option<usize> {
    match motion {
        ElementaryMotion::Spherical => Some(coordinate),
        ElementaryMotion::Free => Some(coordinate + 3),
        _ => None,
    }
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
pub(super) fn moved(tree: &Tree, q: &[f64], step: &[f64]) -> Vec<f64> {
    let mut moved = q.to_vec();
    for node in &tree.nodes {
        let (at, speed) = (node.coordinate, node.speed);
        match node.motion {
            ElementaryMotion::Ground => {}
            ElementaryMotion::Spherical => turn(&mut moved[at..at + 4], &step[speed..speed + 3]),
            ElementaryMotion::Free => {
                let slide = turned(&q[at + 3..at + 7], &step[speed..speed + 3]);
                moved[at..at + 3].iter_mut().zip(slide).for_each(|(x, dx)| *x += dx);
                turn(&mut moved[at + 3..at + 7], &step[speed + 3..speed + 6]);
            }
            _ => moved[at] += step[speed],
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

/// A vector of a turned frame in the components of what it is turned against.
fn turned(q: &[f64], v: &[f64]) -> [f64; 3] {
    let cross = |a: [f64; 3], b: [f64; 3]| rotule_model::pose::cross(a, b);
    let (w, axis, v) = (q[0], [q[1], q[2], q[3]], [v[0], v[1], v[2]]);
    let twice = cross(axis, v).map(|x| 2.0 * x);
    let more = cross(axis, twice);
    std::array::from_fn(|at| v[at] + w * twice[at] + more[at])
}
