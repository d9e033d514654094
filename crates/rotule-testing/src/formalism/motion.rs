//! Common parts of tests of derivatives: models with every type of joint, states, numbers of
//! functions, and complex arithmetic for complex steps.
#![allow(dead_code, reason = "every test file uses a part")]

use super::tree;
use rotule_formalism::MultibodySystem;
use rotule_model::mechanism::Role;
use rotule_program::lower::Target;
use rotule_symbolic::random::of_name;
use rotule_symbolic::{Arithmetic, Binary, Compare, Expr, Number, Unary};
use std::collections::HashMap;

/// Every type of joint, in branches, with fixed bodies between.
pub const ZOO: &str = r#"
[model]
name = "zoo"
gravity = [1, 2, -9]

[parameters]
m1 = 1.1
k = 2.5

[[body]]
name = "base"
parent = "ground"
joint = { name = "free", type = "free" }
mass = 5
com = [0.1, 0.2, -0.1]
inertia = { xx = 1, yy = 1.2, zz = 0.9, xy = 0.1, xz = -0.05, yz = 0.02 }
points.a = { position = [0.3, 0.1, 0], rotation = [0.2, -0.4, 1] }
points.b = [-0.2, 0.1, 0.4]

[[body]]
name = "one"
parent = "base.a"
joint = { name = "u", type = "universal", axes = ["x", [0, 1, 2]] }
mass = "m1"
com = [0.1, 0, 0.3]
inertia = { xx = 0.2, yy = 0.2, zz = "0.1*m1" }

[[body]]
name = "lump"
parent = "one"
position = [0, 0.5, 0]
rotation = [0.1, 0.2, 0.3]
mass = 0.4
com = [0.1, 0, 0.2]
inertia = { xx = 0.02, yy = 0.02, zz = 0.01, xz = 0.003 }

[[body]]
name = "two"
parent = "lump"
joint = { name = "c", type = "cylindrical", axis = [1, 2, 2] }
mass = 0.7
com = [0, 0.2, 0]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "three"
parent = "base.b"
joint = { name = "p", type = "planar", axis = "-y" }
mass = 0.8
com = [0.2, 0, 0]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "four"
parent = "three"
position = [0, 0, 0.3]
joint = { name = "s", type = "spherical", armature = 0.1 }
mass = 0.6
com = [0, 0.2, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "five"
parent = "four"
position = [0, 0.1, 0.3]
joint = { name = "h", type = "helical", axis = "-z", pitch = 0.3, armature = 0.2, effort = "-k*sin(q) - 0.3*qd^3" }
mass = 0.3
com = [0.2, 0, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "six"
parent = "ground"
position = [1, 0, 0.2]
joint = [{ name = "r1", type = "revolute", axis = "y" }, { name = "r2", type = "prismatic", axis = [1, 1, 0] }]
mass = 0.9
com = [0.2, 0.1, 0.1]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "seven"
parent = "six"
position = [0, 0.4, 0]
joint = { name = "r3", type = "revolute", axis = "y" }
mass = 0.5
com = [0.1, 0.1, 0.2]
inertia = { xx = 0.02, yy = 0.03, zz = 0.04 }

[[body]]
name = "stone"
parent = "ground"
mass = 2
com = [0.3, 0, 0]
"#;

/// A model with driven and locked joints.
pub fn driven() -> String {
    let locked = ZOO.replace("name = \"c\",", "name = \"c\", role = \"locked\",");
    let locked = locked.replace("name = \"r1\",", "name = \"r1\", role = \"locked\",");
    let motions = r#"
[[motion]]
joint = "u"
q = ["t", "sin(2*t)"]

[[motion]]
joint = "s"
q = ["cos(t/2)", 0, "sin(t/2)", 0]
qd = [0, 1, 0]
qdd = [0, 0, 0]

[initial.q]
c = [0.3, 0.2]
r1 = "m1"
"#;
    locked + motions
}

/// A model with line forces between branches and to the ground, and forces at places.
pub fn forced() -> String {
    let forces = r#"
[[line_force]]
name = "spring"
between = ["two", "five"]
force = "k*(Z - 0.4) + 2*Zd*Z"

[[line_force]]
name = "rope"
between = ["ground", "base.b"]
force = "k*Z^2"

[[line_force]]
name = "strut"
between = ["lump", "seven"]
force = "-0.3/Z"

[[force]]
name = "drag"
at = "base.a"
force = ["-k*vx*x", "-vy*wz", 0.3]
torque = [0, "wx*wy", "-0.2*wz^3"]

[[force]]
name = "jet"
at = "one"
force = [0, "sin(t)", "k*vy"]
axes = "body"
"#;
    driven() + forces
}

/// The tree of an example.
pub fn example(name: &str) -> MultibodySystem {
    tree(&super::example(name))
}

/// Models that the tests run on, by name.
pub fn models() -> Vec<(&'static str, MultibodySystem)> {
    let mut models = vec![("zoo", tree(ZOO)), ("driven zoo", tree(&driven()))];
    models.push(("forced zoo", tree(&forced())));
    for name in ["puma560.toml", "kuka_iiwa14.toml", "furuta.toml", "heavy_top.toml"] {
        models.push((name, example(name)));
    }
    models
}

/// The values of all inputs, by name.
pub type State = HashMap<String, f64>;

/// A random state with unit quaternions.
pub fn state(tree: &MultibodySystem, seed: u32) -> State {
    let mechanism = &tree.mechanism;
    let name = |symbol: Expr| mechanism.graph.text(symbol);
    let mut state: State =
        mechanism.parameters.iter().map(|one| (one.name.clone(), one.value)).collect();
    let mut put = |symbol: Expr| {
        let name = name(symbol);
        let value = of_name(&name, seed);
        state.insert(name, value);
    };
    put(mechanism.time);
    mechanism.coordinates.iter().for_each(|one| put(one.symbol));
    for speed in &mechanism.speeds {
        [speed.symbol, speed.acceleration, speed.effort].into_iter().for_each(&mut put);
    }
    for range in mechanism.joints.iter().filter_map(rotule_model::mechanism::Joint::quaternion) {
        let names: Vec<String> =
            mechanism.coordinates[range].iter().map(|one| name(one.symbol)).collect();
        let size = names.iter().map(|name| state[name] * state[name]).sum::<f64>().sqrt();
        names.iter().for_each(|name| *state.get_mut(name).expect("put above") /= size);
    }
    state
}

/// Values of expressions.
pub fn evaluate(tree: &MultibodySystem, exprs: &[Expr], state: &State) -> Vec<f64> {
    let value = |name: &str| state.get(name).copied();
    tree.mechanism.graph.evaluate_f64(exprs, value).expect("all inputs are known")
}

/// A dense matrix by rows from an output's entries and their values.
pub fn dense<T: Copy>(target: &Target, values: &[T], zero: T) -> Vec<Vec<T>> {
    let mut matrix = vec![vec![zero; target.columns as usize]; target.rows as usize];
    for (&(row, column, _), &value) in target.entries.iter().zip(values) {
        matrix[row as usize][column as usize] = value;
        if target.symmetric {
            matrix[column as usize][row as usize] = value;
        }
    }
    matrix
}

/// The numbers of an output.
pub fn numbers(tree: &MultibodySystem, target: &Target, state: &State) -> Vec<Vec<f64>> {
    let exprs: Vec<Expr> = target.entries.iter().map(|entry| entry.2).collect();
    dense(target, &evaluate(tree, &exprs, state), 0.0)
}

/// The numbers of an output under changes of the inputs in an imaginary direction: the changes of
/// the output.
pub fn changes(
    tree: &MultibodySystem,
    target: &Target,
    state: &State,
    direction: &State,
) -> Vec<Vec<f64>> {
    const STEP: f64 = 1e-40;
    let exprs: Vec<Expr> = target.entries.iter().map(|entry| entry.2).collect();
    let input = |name: &str| {
        let rate = direction.get(name).copied().unwrap_or(0.0);
        state.get(name).map(|&value| Complex(value, STEP * rate))
    };
    let mut arithmetic = Complexes(input);
    let values =
        tree.mechanism.graph.evaluate(&exprs, &mut arithmetic).expect("all inputs are known");
    let values: Vec<f64> = values.into_iter().map(|value| value.1 / STEP).collect();
    dense(target, &values, 0.0)
}

/// Returns `true` if the joint of a speed moves by the equations of motion.
pub fn free(tree: &MultibodySystem, speed: usize) -> bool {
    let joints = &tree.mechanism.joints;
    joints.iter().any(|joint| joint.speeds.contains(&speed) && joint.role == Role::Free)
}

/// Changes of coordinates while one speed is one, all others zero: written down from the manual's
/// words on speeds, not taken from the product. Empty for driven and locked joints.
pub fn along(tree: &MultibodySystem, speed: usize, state: &State) -> State {
    let mechanism = &tree.mechanism;
    let joint =
        mechanism.joints.iter().find(|joint| joint.speeds.contains(&speed)).expect("a joint");
    if joint.role != Role::Free {
        return State::new();
    }
    let at = speed - joint.speeds.start;
    let names: Vec<String> = mechanism.coordinates[joint.coordinates.clone()]
        .iter()
        .map(|one| mechanism.graph.text(one.symbol))
        .collect();
    let Some(range) = joint.quaternion() else {
        return State::from([(names[at].clone(), 1.0)]);
    };
    let first = range.start - joint.coordinates.start;
    let p: Vec<f64> = names[first..].iter().map(|name| state[name]).collect();
    // The product of two quaternions.
    let product = |a: [f64; 4], b: [f64; 4]| {
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ]
    };
    let p = [p[0], p[1], p[2], p[3]];
    let mut unit = [0.0; 4];
    if at < first {
        // A unit of velocity along a body axis, seen from the fixed side: p u p*.
        unit[1 + at] = 1.0;
        let rotated = product(product(p, unit), [p[0], -p[1], -p[2], -p[3]]);
        return (0..3).map(|i| (names[i].clone(), rotated[1 + i])).collect();
    }
    unit[1 + at - first] = 0.5;
    let rates = product(p, unit);
    (0..4).map(|i| (names[first + i].clone(), rates[i])).collect()
}

/// The change of all inputs along the motion of a state: coordinates by the speeds, time by one.
pub fn motion(tree: &MultibodySystem, state: &State) -> State {
    let mechanism = &tree.mechanism;
    let mut all = State::from([(mechanism.graph.text(mechanism.time), 1.0)]);
    for (at, speed) in mechanism.speeds.iter().enumerate() {
        let rate = state[&mechanism.graph.text(speed.symbol)];
        for (name, value) in along(tree, at, state) {
            *all.entry(name).or_default() += rate * value;
        }
    }
    all
}

/// Equal to a fraction of the largest.
pub fn agree(what: &str, found: &[Vec<f64>], expected: &[Vec<f64>], tolerance: f64) {
    let size = expected.iter().flatten().fold(1.0_f64, |size, value| size.max(value.abs()));
    assert_eq!(found.len(), expected.len(), "{what}");
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert_eq!(found.len(), expected.len(), "{what}");
        for (j, (found, expected)) in found.iter().zip(expected).enumerate() {
            let near = (found - expected).abs() <= tolerance * size;
            assert!(near, "{what}: entry {i}, {j} is {found}, expected {expected}");
        }
    }
}

/// Real and imaginary part.
#[derive(Clone, Copy, Debug)]
pub struct Complex(pub f64, pub f64);

/// Complex arithmetic, names given by a function.
pub struct Complexes<F>(pub F);

impl<F: FnMut(&str) -> Option<Complex>> Arithmetic for Complexes<F> {
    type Value = Complex;
    fn number(&mut self, number: Number) -> Complex {
        Complex(number.to_f64(), 0.0)
    }
    fn pi(&mut self) -> Complex {
        Complex(std::f64::consts::PI, 0.0)
    }
    fn name(&mut self, name: &str) -> Option<Complex> {
        self.0(name)
    }
    fn negate(&mut self, a: &Complex) -> Complex {
        Complex(-a.0, -a.1)
    }
    fn add(&mut self, a: &Complex, b: &Complex) -> Complex {
        Complex(a.0 + b.0, a.1 + b.1)
    }
    fn multiply(&mut self, a: &Complex, b: &Complex) -> Complex {
        Complex(a.0 * b.0 - a.1 * b.1, a.0 * b.1 + a.1 * b.0)
    }
    fn divide(&mut self, a: &Complex, b: &Complex) -> Complex {
        let size = b.0 * b.0 + b.1 * b.1;
        Complex((a.0 * b.0 + a.1 * b.1) / size, (a.1 * b.0 - a.0 * b.1) / size)
    }
    fn unary(&mut self, function: Unary, a: &Complex) -> Complex {
        let Complex(x, y) = *a;
        match function {
            Unary::Sin => Complex(x.sin() * y.cosh(), x.cos() * y.sinh()),
            Unary::Cos => Complex(x.cos() * y.cosh(), -x.sin() * y.sinh()),
            Unary::Exp => Complex(x.exp() * y.cos(), x.exp() * y.sin()),
            Unary::Log => Complex(x.hypot(y).ln(), y.atan2(x)),
            // The branch with positive real part, exact for small imaginary parts.
            Unary::Sqrt => {
                let root = ((x.hypot(y) + x) / 2.0).sqrt();
                Complex(root, y / (2.0 * root))
            }
            Unary::Abs => Complex(x.abs(), if x < 0.0 { -y } else { y }),
            Unary::Sign | Unary::Floor => Complex(function.apply(x), 0.0),
            other => panic!("no complex {other:?} in these tests"),
        }
    }
    fn binary(&mut self, function: Binary, a: &Complex, b: &Complex) -> Complex {
        match function {
            Binary::Max => *if a.0 > b.0 { a } else { b },
            Binary::Min => *if a.0 < b.0 { a } else { b },
            other => panic!("no complex {other:?} in these tests"),
        }
    }
    fn compare(&mut self, compare: Compare, a: &Complex, b: &Complex) -> bool {
        compare.apply(a.0, b.0)
    }
    fn call(&mut self, _: &str, _: u32, _: &[Complex]) -> Option<Complex> {
        None
    }
}
