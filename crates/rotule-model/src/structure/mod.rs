//! The structure of a mechanism: what can be said of it before any equation is written.
//!
//! Counts, branches, loops, planar parts, massless ends, parameters. Mobility is counted: speeds
//! that are free, less the constraints that do not vanish in a plane. A mechanism with special
//! dimensions may have more.

mod branches;
mod draw;
mod massless;
mod paths;
mod planar;

pub use branches::branches;
pub use paths::Paths;
pub(crate) use planar::rotation_axes;

use crate::draft::Level;
use crate::mechanism::{Body, BodyId, Joint, Mechanism, Role};
use rotule_symbolic::{Expr, Graph, Node};
use serde::Serialize;

/// The structure, ready to be drawn or handed on.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Structure {
    /// The model's name.
    pub name: String,
    /// Bodies other than the ground.
    pub bodies: usize,
    /// Massless steps between the joints of chains.
    pub steps: usize,
    /// Coordinates, all four of a quaternion included.
    pub coordinates: usize,
    /// Speeds.
    pub speeds: usize,
    /// Speeds of driven joints.
    pub driven: usize,
    /// Speeds of locked joints.
    pub locked: usize,
    /// Constraints that do not vanish.
    pub constraints: usize,
    /// Degrees of freedom by count: speeds less driven, locked and constraints.
    pub mobility: i64,
    /// Each joint with the body that it moves, in order.
    pub joints: Vec<JointLine>,
    /// Branches: maximal chains without a fork, as names of bodies.
    pub branches: Vec<Vec<String>>,
    /// Loops.
    pub loops: Vec<Loop>,
    /// Other constraints.
    pub others: Vec<Other>,
    /// Parts that move in a plane.
    pub planar: Vec<Planar>,
    /// Last bodies of branches without the mass or inertia that their joint moves.
    pub massless_ends: Vec<String>,
    /// Forces and sensors.
    pub forces: Vec<Named>,
    /// Parameters.
    pub parameters: Vec<ParameterLine>,
}

/// A joint and what it moves.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointLine {
    /// Its name.
    pub name: String,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its axes in words.
    pub axes: Vec<String>,
    /// `free`, `driven` or `locked`.
    pub role: &'static str,
    /// The body that it moves.
    pub body: String,
    /// The body that carries it.
    pub parent: String,
    /// The body's mass in kilograms.
    pub mass: f64,
    /// `true` if the body is a step in a chain of joints.
    pub step: bool,
    /// Depth in joints below the ground.
    pub depth: usize,
}

/// A loop: a cut and the bodies that it connects.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Loop {
    /// The cut's name.
    pub name: String,
    /// The cut's type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The two bodies.
    pub between: [String; 2],
    /// `true` if Rotule chose to cut here.
    pub chosen: bool,
    /// Constraints.
    pub rows: usize,
    /// Those of them that vanish because the loop is planar.
    pub vanishing: usize,
    /// The direction normal to the loop's plane, if it moves in one.
    pub normal: Option<[f64; 3]>,
    /// The number of bodies in the loop.
    pub length: usize,
    /// Distance by which the cut is open at the initial state.
    pub gap_distance: f64,
    /// Angle by which the cut is open at the initial state.
    pub gap_angle: f64,
}

/// A constraint that is not a cut.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Other {
    /// Its name.
    pub name: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Number of constraints that it makes.
    pub rows: usize,
}

/// A part that moves in a plane.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Planar {
    /// The normal of the plane at the initial state, in the ground's components.
    pub normal: [f64; 3],
    /// Its bodies.
    pub bodies: Vec<String>,
}

/// An element that acts or measures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Named {
    /// Its name.
    pub name: String,
    /// Its kind.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The bodies it is on.
    pub on: Vec<String>,
}

/// A parameter.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ParameterLine {
    /// Its name.
    pub name: String,
    /// Its number.
    pub value: f64,
    /// Its unit.
    pub unit: String,
    /// `true` if any expression uses it.
    pub used: bool,
}

/// Analyses a mechanism.
pub fn structure(mechanism: &Mechanism) -> Structure {
    let parents = parents(mechanism);
    let poses = crate::pose::initial(mechanism);
    let loops = planar::loops(mechanism, &poses);
    let others = others(mechanism);
    let speeds = |requested: fn(&Role) -> bool| -> usize {
        let joints = mechanism.joints.iter().filter(|joint| requested(&joint.role));
        joints.map(|joint| joint.speeds.len()).sum()
    };
    let driven = speeds(|role| matches!(role, Role::Driven { .. }));
    let locked = speeds(|role| *role == Role::Locked);
    let constraints = loops.iter().map(|one| one.rows - one.vanishing).sum::<usize>()
        + others.iter().map(|other| other.rows).sum::<usize>();
    let total = mechanism.speeds.len();
    let bodies = mechanism.real_bodies();
    let name = |index: usize| mechanism.bodies[index].name.clone();
    Structure {
        name: mechanism.name.clone(),
        bodies,
        steps: mechanism.bodies.len() - 1 - bodies,
        coordinates: mechanism.coordinates.len(),
        speeds: total,
        driven,
        locked,
        constraints,
        mobility: (total - driven - locked) as i64 - constraints as i64,
        joints: joint_lines(mechanism),
        branches: branches(&parents)
            .into_iter()
            .map(|branch| branch.into_iter().map(name).collect())
            .collect(),
        planar: planar::parts(mechanism, &poses),
        loops,
        others,
        massless_ends: massless::ends(mechanism, &parents).into_iter().map(name).collect(),
        forces: named(mechanism),
        parameters: parameter_lines(mechanism),
    }
}

/// The bodies at the ends of branches whose free joint moves too little mass or inertia to have an
/// acceleration.
pub fn massless_ends(mechanism: &Mechanism) -> Vec<BodyId> {
    massless::ends(mechanism, &parents(mechanism)).into_iter().map(BodyId::new).collect()
}

/// The parent of each body by position; the ground's is itself.
pub fn parents(mechanism: &Mechanism) -> Vec<usize> {
    mechanism.bodies.iter().map(|body| body.parent.map_or(0, BodyId::index)).collect()
}

fn joint_lines(mechanism: &Mechanism) -> Vec<JointLine> {
    let masses: Vec<Expr> = mechanism.bodies.iter().map(|body| body.mass).collect();
    let masses = mechanism.evaluate_known(&masses);
    let axes = mechanism.joints.iter().flat_map(|joint| joint.axes.iter().copied());
    let axes = crate::pose::vectors(mechanism, &axes.collect::<Vec<_>>());
    let mut axes = axes.into_iter();
    let mut depths = vec![0; mechanism.bodies.len()];
    let both = mechanism.bodies.iter().enumerate().skip(1).zip(&mechanism.joints);
    let mut line = |((index, body), joint): ((usize, &Body), &Joint)| {
        let parent = body.parent.map_or(0, BodyId::index);
        depths[index] = depths[parent] + 1;
        JointLine {
            name: joint.name.clone(),
            kind: joint.kind.word().to_owned(),
            axes: axes.by_ref().take(joint.axes.len()).map(direction).collect(),
            role: match joint.role {
                Role::Free => "free",
                Role::Driven { .. } => "driven",
                Role::Locked => "locked",
            },
            body: body.name.clone(),
            parent: mechanism.bodies[parent].name.clone(),
            mass: masses[index],
            step: body.fictitious,
            depth: depths[index],
        }
    };
    both.map(&mut line).collect()
}

/// A direction in words: `x`, `-y`, or its components.
pub fn direction(v: [f64; 3]) -> String {
    for (i, word) in ["x", "y", "z"].into_iter().enumerate() {
        let others = (0..3).filter(|&k| k != i).all(|k| v[k].abs() < 1e-9);
        if others && (v[i].abs() - 1.0).abs() < 1e-9 {
            return if v[i] > 0.0 { word.to_owned() } else { format!("-{word}") };
        }
    }
    let shown = v.map(|x| {
        let rounded = (x * 1e4).round() / 1e4;
        format!("{}", if rounded == 0.0 { 0.0 } else { rounded })
    });
    format!("[{}]", shown.join(", "))
}

fn others(mechanism: &Mechanism) -> Vec<Other> {
    let couplings = mechanism.couplings.iter().map(|coupling| (&coupling.name, "coupling", 1));
    let constraints = mechanism.constraints.iter().map(|constraint| {
        let kind = match constraint.level {
            Level::Position => "constraint",
            Level::Velocity => "velocity constraint",
        };
        (&constraint.name, kind, 1)
    });
    // A rolling wheel touches the ground (one) and does not slip (two).
    let wheels = mechanism.wheels.iter().filter(|wheel| wheel.rolling);
    let wheels = wheels.map(|wheel| (&wheel.name, "rolling wheel", 3));
    let all = couplings.chain(constraints).chain(wheels);
    all.map(|(name, kind, rows)| Other { name: name.clone(), kind, rows }).collect()
}

fn named(mechanism: &Mechanism) -> Vec<Named> {
    let name = |body: BodyId| mechanism.bodies[body.index()].name.clone();
    let mut all = Vec::new();
    let mut add = |element: &str, kind: &'static str, on: Vec<String>| {
        all.push(Named { name: element.to_owned(), kind, on });
    };
    for line_force in &mechanism.line_forces {
        add(&line_force.name, "line force", line_force.ends.map(|end| name(end.body)).to_vec());
    }
    for force in &mechanism.forces {
        add(&force.name, "force", vec![name(force.at.body)]);
    }
    for wheel in &mechanism.wheels {
        add(&wheel.name, "wheel", vec![name(wheel.body)]);
    }
    for sensor in &mechanism.sensors {
        add(&sensor.name, "sensor", vec![name(sensor.at.body)]);
    }
    for joint in mechanism.joints.iter().zip(mechanism.bodies.iter().skip(1)) {
        if joint.0.effort.iter().any(|&effort| effort != Expr::ZERO) {
            add(&joint.0.name, "joint law", vec![joint.1.name.clone()]);
        }
    }
    all
}

fn parameter_lines(mechanism: &Mechanism) -> Vec<ParameterLine> {
    let used = used_parameters(mechanism, &mechanism.graph);
    let lines = mechanism.parameters.iter().zip(used).map(|(parameter, used)| ParameterLine {
        name: parameter.name.clone(),
        value: parameter.value,
        unit: parameter.unit.clone(),
        used,
    });
    lines.collect()
}

/// Parameters that occur in any expression of a mechanism.
pub fn used_parameters(mechanism: &Mechanism, graph: &Graph) -> Vec<bool> {
    let mut used = vec![false; graph.symbols().len()];
    for expr in graph.reachable(&expressions(mechanism)) {
        if let Node::Symbol(id) = graph.node(expr) {
            used[id.index()] = true;
        }
    }
    let id = |symbol: Expr| graph.symbol_of(symbol).map(rotule_symbolic::SymbolId::index);
    mechanism.parameters.iter().map(|one| id(one.symbol).is_some_and(|id| used[id])).collect()
}

/// Every expression of a mechanism.
pub fn expressions(mechanism: &Mechanism) -> Vec<Expr> {
    let mut all = mechanism.gravity.0.to_vec();
    all.extend(mechanism.baumgarte);
    let placement = |all: &mut Vec<Expr>, placement: &crate::mechanism::Placement| {
        all.extend(placement.position.0);
        all.extend(placement.rotation.0.into_iter().flatten());
    };
    for body in &mechanism.bodies {
        placement(&mut all, &body.placement);
        all.push(body.mass);
        all.extend(body.com.0);
        all.extend(body.inertia.0.into_iter().flatten());
    }
    for joint in &mechanism.joints {
        all.extend(joint.axes.iter().flat_map(|axis| axis.0));
        all.extend([joint.pitch, joint.armature]);
        all.extend(&joint.effort);
        all.extend(joint.actuation);
        all.extend(joint.range.iter().flatten());
        all.extend(joint.max_speed.iter().chain(&joint.max_effort));
        if let Role::Driven { q, qd, qdd } = &joint.role {
            all.extend(q.iter().chain(qd).chain(qdd));
        }
    }
    all.extend(mechanism.coordinates.iter().map(|coordinate| coordinate.initial));
    all.extend(mechanism.speeds.iter().map(|speed| speed.initial));
    for point in &mechanism.points {
        placement(&mut all, &point.frame.placement);
    }
    for cut in &mechanism.cuts {
        cut.ends.iter().for_each(|end| placement(&mut all, &end.placement));
        match &cut.kind {
            crate::mechanism::CutKind::Rod { length } => all.push(*length),
            crate::mechanism::CutKind::Joint { axes, pitch, .. } => {
                all.extend(axes.iter().flat_map(|axis| axis.0));
                all.push(*pitch);
            }
        }
    }
    for coupling in &mechanism.couplings {
        all.push(coupling.offset);
        all.extend(coupling.terms.iter().map(|(_, factor)| *factor));
    }
    all.extend(mechanism.constraints.iter().map(|constraint| constraint.expression));
    for line_force in &mechanism.line_forces {
        line_force.ends.iter().for_each(|end| placement(&mut all, &end.placement));
        all.push(line_force.force);
    }
    for event in &mechanism.events {
        all.push(event.when);
        all.extend(event.period.iter().flatten());
        for action in &event.actions {
            match action {
                crate::mechanism::Action::Set { value, .. } => all.push(*value),
                crate::mechanism::Action::Impact { restitution, .. } => all.push(*restitution),
                crate::mechanism::Action::Stick { limit, .. } => all.push(*limit),
                _ => {}
            }
        }
    }
    for state in &mechanism.states {
        all.extend([state.initial, state.rate]);
    }
    all.extend(mechanism.outputs.iter().map(|output| output.value));
    for input in &mechanism.inputs {
        all.push(input.course);
        all.extend(input.limits.iter().flatten());
    }
    for force in &mechanism.forces {
        placement(&mut all, &force.at.placement);
        all.extend(force.force.0.into_iter().chain(force.torque.0));
    }
    for wheel in &mechanism.wheels {
        all.extend(wheel.axle.0);
        all.extend([wheel.radius, wheel.ground]);
        all.extend(wheel.laws);
    }
    for sensor in &mechanism.sensors {
        placement(&mut all, &sensor.at.placement);
    }
    all
}

/// Returns `true` if a joint moves at all.
fn moves(joint: &Joint) -> bool {
    joint.kind.speeds() > 0 && joint.role != Role::Locked
}
