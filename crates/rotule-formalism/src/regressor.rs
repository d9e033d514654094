//! Inverse dynamics as a linear function of the parameters of bodies: `M qdd + c = Y(q, qd, qdd)
//! parameters`, without external forces and joint laws, as identification wants it.
//!
//! Each body of the user has ten parameters in its own frame: mass `m`, first moments `mx my mz`
//! (mass times centre of mass), and the entries `Ixx Ixy Ixz Iyy Iyz Izz` of the inertia matrix
//! about the frame's origin. Bodies without mass have them, too; the massless steps between the
//! joints of a chain have none. One armature per speed follows.
//!
//! The wrench of a body that moves with `w`, `wd`, `alpha` and `beta` is linear in them,
//!
//! ```text
//! force = m alpha + beta h          torque = h x alpha + J wd + w x J w
//! ```
//!
//! and an entry of `Y` is its power at the twist `(s, l)` that a unit of the row's speed gives to
//! the body.

use crate::forward::refusal::check_entries;
use crate::function::Call;
use crate::newton_euler;
use crate::outward::{Kinematics, outward};
use crate::parts::Parts;
use crate::problem::Problem;
use crate::tree::Tree;
use rotule_model::mechanism::{Mechanism, Placement};
use rotule_program::lower::Target;
use rotule_symbolic::{Expr, Graph, Matrix, Vector};

/// The parameters of a body, by name.
pub const PARAMETERS: [&str; 10] =
    ["m", "mx", "my", "mz", "Ixx", "Ixy", "Ixz", "Iyy", "Iyz", "Izz"];

/// Rows and columns of the inertia's parameters.
const INERTIA: [(usize, usize); 6] = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];

/// The bodies that have parameters, in order.
fn bodies(mechanism: &Mechanism) -> Vec<usize> {
    let bodies = mechanism.bodies.iter().enumerate().skip(1);
    bodies.filter(|(_, body)| !body.fictitious).map(|(index, _)| index).collect()
}

/// The names of the regressor's columns: `body.m` and so on for all bodies, then `joint.armature`,
/// numbered for a joint with several speeds.
pub fn parameter_names(mechanism: &Mechanism) -> Vec<String> {
    let mut names = Vec::new();
    for index in bodies(mechanism) {
        let body = &mechanism.bodies[index].name;
        names.extend(PARAMETERS.iter().map(|parameter| format!("{body}.{parameter}")));
    }
    for joint in &mechanism.joints {
        let count = joint.speeds.len();
        let name = &joint.name;
        names.extend((1..=count).map(|at| match count {
            1 => format!("{name}.armature"),
            _ => format!("{name}.armature[{at}]"),
        }));
    }
    names
}

/// `parameters`
pub fn parameters(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    let mut values = Vec::new();
    for index in bodies(&tree.mechanism) {
        let (mass, com, inertia) = {
            let body = &tree.mechanism.bodies[index];
            (body.mass, body.com, body.inertia)
        };
        let graph = &mut tree.mechanism.graph;
        let moment = com.scale(mass, graph);
        let tilde = com.tilde();
        let steiner = tilde.mul(tilde, graph).scale(mass, graph);
        let inertia = inertia.sub(steiner, graph);
        values.push(mass);
        values.extend(moment.0);
        values.extend(INERTIA.map(|(row, column)| inertia.0[row][column]));
    }
    for joint in &tree.mechanism.joints {
        values.extend(joint.speeds.clone().map(|_| joint.armature));
    }
    Ok(vec![Target::vector("parameters", &values)])
}

/// `regressor`
pub fn regressor(tree: &mut Tree, _: &Call<'_>) -> Result<Vec<Target>, Problem> {
    check_entries(tree, "regressor")?;
    let given = Parts { forces: false, ..Parts::ALL }.of(tree);
    let kinematics = outward(tree, &given.qd, &given.qdd, given.gravity);
    let twists = newton_euler::columns(tree);
    let mut entries: Vec<(u32, u32, Expr)> = Vec::new();
    let bodies = bodies(&tree.mechanism);
    for (at, &index) in bodies.iter().enumerate() {
        let (node, placement) = tree.bodies[index];
        let first = (at * PARAMETERS.len()) as u32;
        let name = tree.mechanism.bodies[index].name.replace('/', "_");
        let graph = &mut tree.mechanism.graph;
        // The motion in the body's own frame.
        let own = at_body(&kinematics[node], placement, graph);
        let spins = spins(&own, &name, graph);
        let back = placement.rotation.transpose();
        for column in &twists[node] {
            let lever = column.angular.cross(placement.position, graph);
            let linear = column.linear.add(lever, graph);
            let label = format!("{name},{}", column.speed + 1);
            let s = back.apply(column.angular, graph).name(&format!("O[{label}]"), graph);
            let l = back.apply(linear, graph).name(&format!("A[{label}]"), graph);
            let mut values = [Expr::ZERO; 10];
            values[0] = l.dot(own.alpha, graph);
            let crossed = own.alpha.cross(s, graph);
            for axis in 0..3 {
                let force = l.dot(own.beta.column(axis), graph);
                values[1 + axis] = graph.add(force, crossed[axis]);
            }
            for (place, spin) in spins.iter().enumerate() {
                values[4 + place] = s.dot(*spin, graph);
            }
            for (parameter, value) in values.into_iter().enumerate() {
                entries.push((column.speed as u32, first + parameter as u32, value));
            }
        }
    }
    let first = bodies.len() * PARAMETERS.len();
    for (speed, &acceleration) in given.qdd.iter().enumerate() {
        entries.push((speed as u32, (first + speed) as u32, acceleration));
    }
    entries.retain(|entry| entry.2 != Expr::ZERO);
    entries.sort_unstable_by_key(|entry| (entry.0, entry.1));
    let (rows, columns) = (given.qdd.len() as u32, (first + given.qdd.len()) as u32);
    Ok(vec![Target { name: "Y".to_owned(), rows, columns, symmetric: false, entries }])
}

/// The motion of a body's frame, in its own axes.
struct Moving {
    w: Vector,
    wd: Vector,
    alpha: Vector,
    beta: Matrix,
}

fn at_body(node: &Kinematics, place: Placement, graph: &mut Graph) -> Moving {
    let back = place.rotation.transpose();
    let lever = node.beta.apply(place.position, graph);
    let alpha = node.alpha.add(lever, graph);
    let beta = match place.rotation == Matrix::IDENTITY {
        true => node.beta,
        false => back.mul(node.beta, graph).mul(place.rotation, graph),
    };
    Moving {
        w: back.apply(node.w, graph),
        wd: back.apply(node.wd, graph),
        alpha: back.apply(alpha, graph),
        beta,
    }
}

/// The torques of units of the inertia's entries.
fn spins(own: &Moving, name: &str, graph: &mut Graph) -> [Vector; 6] {
    INERTIA.map(|(row, column)| {
        let mut unit = Matrix::ZERO;
        unit.0[row][column] = Expr::ONE;
        unit.0[column][row] = Expr::ONE;
        let momentum = unit.apply(own.w, graph);
        let turning = own.w.cross(momentum, graph);
        let torque = unit.apply(own.wd, graph).add(turning, graph);
        torque.name(&format!("N{}{}[{name}]", row + 1, column + 1), graph)
    })
}
