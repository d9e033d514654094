//! Reactions of closed mechanisms against Newton's and Euler's laws of every body by itself: all
//! forces of joints and cuts are unknowns of one system, which knows accelerations of the bodies
//! and nothing of constraints, multipliers or partitions.

use rotule_formalism::Formalism::{Barycentric, NewtonEuler, Outward};
use rotule_model::draft::JointType;
use rotule_model::mechanism::CutKind;
use rotule_symbolic::Expr;
use rotule_testing::formalism;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::numbers::{Matrix, agree};

type Three = [f64; 3];

fn cross(a: Three, b: Three) -> Three {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn add(a: Three, b: Three) -> Three {
    std::array::from_fn(|at| a[at] + b[at])
}

fn sub(a: Three, b: Three) -> Three {
    std::array::from_fn(|at| a[at] - b[at])
}

fn scaled(a: Three, by: f64) -> Three {
    a.map(|x| x * by)
}

/// The motion of a body's frame, in the axes of the ground.
struct Motion {
    position: Three,
    rotation: [Three; 3],
    angular: Three,
    acceleration: Three,
    angular_acceleration: Three,
}

impl Motion {
    fn of(case: &mut Case, place: &str, state: &State) -> Motion {
        let outputs = case.outputs(&format!("kinematics({place})"), Outward, state);
        let outputs = outputs.unwrap_or_else(|problem| panic!("{place}: {problem}"));
        let list = |name: &str| {
            let own = outputs.iter().find(|one| one.name == name).expect("an output");
            own.matrix.values.clone()
        };
        let three = |name: &str| -> Three { list(name).try_into().expect("three numbers") };
        let rotation = list("rotation");
        Motion {
            position: three("position"),
            rotation: std::array::from_fn(|i| std::array::from_fn(|j| rotation[3 * i + j])),
            angular: three("angular_velocity"),
            acceleration: three("acceleration"),
            angular_acceleration: three("angular_acceleration"),
        }
    }

    fn out(&self, v: Three) -> Three {
        std::array::from_fn(|i| (0..3).map(|j| self.rotation[i][j] * v[j]).sum())
    }

    fn back(&self, v: Three) -> Three {
        std::array::from_fn(|i| (0..3).map(|j| self.rotation[j][i] * v[j]).sum())
    }
}

/// Equations of unknowns.
struct System {
    unknowns: usize,
    rows: Vec<Vec<f64>>,
    right: Vec<f64>,
}

impl System {
    fn add(&mut self, terms: &[(usize, f64)], right: f64) {
        let mut row = vec![0.0; self.unknowns];
        terms.iter().for_each(|&(at, factor)| row[at] += factor);
        self.rows.push(row);
        self.right.push(right);
    }

    /// The solution of more equations than unknowns, by reflections (Householder); they must agree.
    fn solved(mut self) -> Vec<f64> {
        let (m, n) = (self.rows.len(), self.unknowns);
        for k in 0..n {
            let length = (k..m).map(|i| self.rows[i][k].powi(2)).sum::<f64>().sqrt();
            assert!(length > 1e-9, "unknown {k} is not determined");
            let sign = if self.rows[k][k] < 0.0 { -1.0 } else { 1.0 };
            let mut v: Vec<f64> = (k..m).map(|i| self.rows[i][k]).collect();
            v[0] += sign * length;
            let square: f64 = v.iter().map(|x| x * x).sum();
            for column in k..n {
                let dot: f64 =
                    v.iter().enumerate().map(|(i, x)| x * self.rows[k + i][column]).sum();
                let factor = 2.0 * dot / square;
                v.iter().enumerate().for_each(|(i, x)| self.rows[k + i][column] -= factor * x);
            }
            let dot: f64 = v.iter().enumerate().map(|(i, x)| x * self.right[k + i]).sum();
            let factor = 2.0 * dot / square;
            v.iter().enumerate().for_each(|(i, x)| self.right[k + i] -= factor * x);
        }
        let size = self.right.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for rest in &self.right[n..] {
            assert!(rest.abs() <= 1e-10 * size, "the balances contradict each other: {rest:e}");
        }
        let mut x = vec![0.0; n];
        for k in (0..n).rev() {
            let known: f64 = (k + 1..n).map(|j| self.rows[k][j] * x[j]).sum();
            x[k] = (self.right[k] - known) / self.rows[k][k];
        }
        x
    }
}

/// A wrench on a body: the first of six unknowns, its sign, and where it acts.
type Acting = (usize, f64, Three);

/// Compares all reactions of a model with the balances of its bodies. `planar` leaves components of
/// cuts out that act across the plane of z.
fn check(name: &str, planar: bool) {
    let case = &mut Case::example(&format!("{name}.toml"));
    let given = case.near(21);
    let found = case.outputs("closure", Outward, &given).expect("closed");
    let values = |at: usize| found[at].matrix.values.clone();
    let qdd = case.by("forward", Barycentric, &given).values;
    let state = State { q: values(0), qd: values(1), qdd, ..given.clone() };
    let mechanism = case.mechanism().clone();
    let numbers = |exprs: &[Expr]| mechanism.evaluate(exprs);
    let bodies = mechanism.bodies.len() - 1;
    let names: Vec<String> = mechanism.bodies.iter().map(|body| body.name.clone()).collect();
    let motions: Vec<Option<Motion>> = std::iter::once(None)
        .chain(names[1..].iter().map(|body| Some(Motion::of(case, body, &state))))
        .collect();
    let point = |body: usize, inside: Three| match &motions[body] {
        None => inside,
        Some(motion) => add(motion.position, motion.out(inside)),
    };
    let turned = |body: usize, v: Three| motions[body].as_ref().map_or(v, |motion| motion.out(v));
    let count = bodies + mechanism.cuts.len();
    let mut system = System { unknowns: 6 * count, rows: Vec::new(), right: Vec::new() };
    let mut acting: Vec<Vec<Acting>> = vec![Vec::new(); bodies + 1];
    let gravity: Three = numbers(&mechanism.gravity.0).try_into().expect("three");
    for body in 1..=bodies {
        let origin = point(body, [0.0; 3]);
        acting[body].push((6 * (body - 1), 1.0, origin));
        let parent = mechanism.bodies[body].parent.expect("a parent").index();
        acting[parent].push((6 * (body - 1), -1.0, origin));
        // Along its own directions a joint transmits the given effort.
        let joint = &mechanism.joints[body - 1];
        for (at, axis) in joint.axes.iter().enumerate() {
            let axis: Three = numbers(&axis.0).try_into().expect("three");
            let axis = match (joint.kind, at) {
                (JointType::Universal, 0) => turned(parent, axis),
                _ => turned(body, axis),
            };
            let first = 6 * (body - 1) + if joint.kind == JointType::Prismatic { 0 } else { 3 };
            let terms: Vec<(usize, f64)> = (0..3).map(|i| (first + i, axis[i])).collect();
            system.add(&terms, given.effort[joint.speeds.start + at]);
        }
    }
    for (at, cut) in mechanism.cuts.iter().enumerate() {
        let first = 6 * (bodies + at);
        let ends = cut.ends.map(|end| {
            let inside: Three = numbers(&end.placement.position.0).try_into().expect("three");
            (end.body.index(), point(end.body.index(), inside))
        });
        acting[ends[0].0].push((first, 1.0, ends[0].1));
        acting[ends[1].0].push((first, -1.0, ends[1].1));
        let mut none: Vec<usize> = match &cut.kind {
            CutKind::Joint { kind: JointType::Fixed, .. } => Vec::new(),
            CutKind::Joint { kind: JointType::Spherical, .. } => vec![3, 4, 5],
            CutKind::Joint { kind: JointType::Revolute, .. } if planar => vec![5],
            CutKind::Rod { .. } => {
                // The force has no part across the rod.
                let along = sub(ends[0].1, ends[1].1);
                for unit in 0..3 {
                    let mut axis = [0.0; 3];
                    axis[unit] = 1.0;
                    let across = cross(along, axis);
                    let terms: Vec<(usize, f64)> = (0..3).map(|i| (first + i, across[i])).collect();
                    system.add(&terms, 0.0);
                }
                vec![3, 4, 5]
            }
            other => panic!("{other:?} is not among the tests"),
        };
        none.extend(if planar { vec![2, 3, 4] } else { Vec::new() });
        none.iter().for_each(|component| system.add(&[(first + component, 1.0)], 0.0));
    }
    for body in 1..=bodies {
        let motion = motions[body].as_ref().expect("a body that moves");
        let own = &mechanism.bodies[body];
        let mass = numbers(&[own.mass])[0];
        let com = motion.out(numbers(&own.com.0).try_into().expect("three"));
        let inertia = numbers(own.inertia.0.as_flattened());
        let by = |v: Three| -> Three {
            let inside = motion.back(v);
            motion
                .out(std::array::from_fn(|i| (0..3).map(|j| inertia[3 * i + j] * inside[j]).sum()))
        };
        let spin = cross(motion.angular, cross(motion.angular, com));
        let acceleration =
            add(add(motion.acceleration, cross(motion.angular_acceleration, com)), spin);
        let force = scaled(sub(acceleration, gravity), mass);
        let torque =
            add(by(motion.angular_acceleration), cross(motion.angular, by(motion.angular)));
        let centre = add(motion.position, com);
        for i in 0..3 {
            let terms: Vec<(usize, f64)> =
                acting[body].iter().map(|&(first, sign, _)| (first + i, sign)).collect();
            system.add(&terms, force[i]);
            let mut terms = Vec::new();
            for &(first, sign, at) in &acting[body] {
                let arm = sub(at, centre);
                terms.push((first + 3 + i, sign));
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                terms.push((first + k, sign * arm[j]));
                terms.push((first + j, -sign * arm[k]));
            }
            system.add(&terms, torque[i]);
        }
    }
    let x = system.solved();
    let three = |first: usize| -> Three { std::array::from_fn(|i| x[first + i]) };
    for formalism in [NewtonEuler, Barycentric] {
        let cuts = case.outputs("closure_reactions", formalism, &given).expect("reactions");
        let (mut forces, mut torques, mut tensions) = (Vec::new(), Vec::new(), Vec::new());
        for (at, cut) in mechanism.cuts.iter().enumerate() {
            let first = 6 * (bodies + at);
            // Places of these models have the axes of their bodies.
            let motion = motions[cut.ends[0].body.index()].as_ref();
            let inside = |v: Three| motion.map_or(v, |motion| motion.back(v));
            forces.extend(inside(three(first)));
            torques.extend(inside(three(first + 3)));
            if let CutKind::Rod { length } = cut.kind {
                let ends = cut.ends.map(|end| {
                    let inside: Three =
                        numbers(&end.placement.position.0).try_into().expect("three");
                    point(end.body.index(), inside)
                });
                let towards = sub(ends[1], ends[0]);
                let length = numbers(&[length])[0];
                let pull: f64 = (0..3).map(|i| three(first)[i] * towards[i] / length).sum();
                tensions.push(pull);
            }
        }
        let values =
            |at: usize, cuts: &[formalism::case::Output]| -> Matrix { cuts[at].matrix.clone() };
        let size = x.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        assert!(size > 0.1, "{name}: something is transmitted");
        agree(&format!("{name}: force"), &values(0, &cuts).values, &forces, 1e-10);
        agree(&format!("{name}: torque"), &values(1, &cuts).values, &torques, 1e-10);
        agree(&format!("{name}: tension"), &values(2, &cuts).values, &tensions, 1e-10);
        let joints = case.by("closed_reactions", formalism, &given);
        let expected: Vec<f64> = (1..=bodies)
            .filter(|&body| !mechanism.bodies[body].fictitious)
            .flat_map(|body| {
                let motion = motions[body].as_ref().expect("a body that moves");
                let first = 6 * (body - 1);
                [motion.back(three(first)), motion.back(three(first + 3))].concat()
            })
            .collect();
        agree(&format!("{name}: joints"), &joints.values, &expected, 1e-10);
    }
}

/// AT-08, in the plane: the multipliers of a body cut are the force and the torque inside of the
/// coupler.
#[test]
fn at_08_a_body_cut_in_the_plane() {
    check("four_bar_body", true);
}

/// AT-08, in space: a ball cut between crank and rod.
#[test]
fn at_08_a_ball_cut_in_space() {
    check("spatial_slider_crank", false);
}

/// Other cuts: pins, rods, several loops.
#[test]
fn at_08_other_cuts() {
    for name in ["four_bar_joint", "four_bar_rod", "planar_robot_1", "planar_robot_4"] {
        check(name, true);
    }
}

/// AT-08: the frame of a bicycle hangs on nothing: what its wheels get from the ground carries it.
#[test]
fn at_08_the_ground_carries_a_bicycle() {
    let case = &mut Case::example("whipple_bicycle.toml");
    let mut given = case.near(22);
    given.effort.fill(0.0);
    let reactions = case.by("closed_reactions", NewtonEuler, &given);
    let first = (0..reactions.rows).find(|&row| {
        let body = case.mechanism().bodies.iter().filter(|body| !body.fictitious).nth(row + 1);
        let mut at = body.and_then(|body| body.parent).expect("a parent").index();
        // Through the massless steps of its chain of joints.
        while at > 0 && case.mechanism().bodies[at].fictitious {
            at = case.mechanism().bodies[at].parent.expect("a parent").index();
        }
        at == 0
    });
    let first = first.expect("a body on the ground");
    let size = reactions.values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
    assert!(size > 10.0, "weights are carried: {size}");
    for column in 0..6 {
        let rest = reactions.get(first, column);
        assert!(rest.abs() <= 1e-9 * size, "component {column}: {rest:e} of {size}");
    }
}
