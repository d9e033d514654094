//! Linearised equations of motion, `linear` and its variants: Moore's example by its digits (M-16),
//! matrices against differences of the residual, which is computed on another path (M-17), and the
//! work of differentiating (M-18).

use rotule_formalism::function::FunctionKind;
use rotule_formalism::{DerivativePass, Formalism, ModelFunction, MultibodySystem, normalise};
use rotule_model::index::SpeedId;
use rotule_numeric::choose_partition;
use rotule_program::NoExternals;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::quantity::EvaluatedFunction;
use rotule_symbolic::{Expr, SymbolId};
use rotule_testing::formalism::numbers::Matrix;
use rotule_testing::formalism::random::Random;
use rotule_testing::formalism::{example, mechanism};

/// The double pendulum of Moore's example 3.2: inertias about the joints are 1 and 0.5.
const DOUBLE_PENDULUM: &str = r#"
[model]
name = "moore"

[[body]]
name = "base"
parent = "ground"
joint = { name = "q1", type = "revolute", axis = "z" }
mass = 1
inertia = { zz = 1 }
points.tip = [1.2, 0, 0]

[[body]]
name = "distal"
parent = "base.tip"
joint = { name = "q2", type = "revolute", axis = "z" }
mass = 2
com = [0.4, 0, 0]
inertia = { zz = 0.18 }
"#;

/// A function of a model, by its first formalism that is the cheapest.
fn function(tree: &MultibodySystem, name: &str) -> EvaluatedFunction {
    EvaluatedFunction::new(tree, name).unwrap_or_else(|problem| panic!("{name}: {problem}"))
}

/// The outputs of a function at a point, by name.
fn outputs(tree: &MultibodySystem, name: &str, point: &InputPoint) -> Vec<(String, Matrix)> {
    let mut made = function(tree, name);
    made.setup(point, &mut NoExternals);
    assert!(made.evaluate(point, &mut NoExternals), "{name}: loops close");
    let names: Vec<(String, u32, u32)> = made
        .program()
        .outputs()
        .iter()
        .map(|one| (one.name.clone(), one.rows, one.columns))
        .collect();
    let matrix = |(at, (name, rows, columns)): (usize, (String, u32, u32))| {
        (name, Matrix::new(rows as usize, columns as usize, made.output(at).to_vec()))
    };
    names.into_iter().enumerate().map(matrix).collect()
}

fn find<'a>(all: &'a [(String, Matrix)], name: &str) -> &'a Matrix {
    &all.iter().find(|one| one.0 == name).unwrap_or_else(|| panic!("output {name}")).1
}

/// The initial state of a model with random accelerations and efforts.
fn point(tree: &MultibodySystem, seed: u64) -> InputPoint {
    let mechanism = &tree.mechanism;
    let number = |expr| mechanism.evaluate(&[expr])[0];
    let q = mechanism.coordinates.iter().map(|one| number(one.initial)).collect();
    let qd: Vec<f64> = mechanism.speeds.iter().map(|one| number(one.initial)).collect();
    let parameters = mechanism.parameters.iter().map(|one| one.value).collect();
    let mut random = Random::new(seed);
    let mut point = InputPoint::new(0.3, q, qd, parameters)
        .with_inputs(mechanism.inputs.iter().map(|one| one.value).collect())
        .with_states(mechanism.states.iter().map(|_| random.between(-1.0, 1.0)).collect());
    point.qdd.iter_mut().for_each(|one| *one = random.between(-2.0, 2.0));
    point.effort.iter_mut().for_each(|one| *one = random.between(-2.0, 2.0));
    point
}

#[test]
fn m16_the_linearised_double_pendulum_from_its_model() {
    let tree = normalise(mechanism(DOUBLE_PENDULUM));
    // The source counts the distal joint first.
    let mut point = InputPoint::new(0.0, vec![0.9, 0.6], vec![1.5, -0.5], Vec::new());
    point.qdd = vec![-0.8, 0.3];
    let found = outputs(&tree, "linear", &point);
    let check = |name: &str, row: usize, column: usize, expected: f64| {
        let value = find(&found, name).get(1 - row, if name == "r0" { 0 } else { 1 - column });
        assert!((value - expected).abs() <= 0.5001e-8, "{name}: {value} and not {expected}");
    };
    let mass = [[0.5, 1.29232219], [1.29232219, 5.96464438]];
    let damping = [[0.0, 1.62617032], [-1.08411355, 0.54205677]];
    let (k1, k2) = ([0.43364542, 0.70467381], [1.78272493, 0.99040274]);
    let (g, qdd) = ([1.21962774, 0.67757097], [0.3, -0.8]);
    for row in 0..2 {
        for column in 0..2 {
            check("M", row, column, mass[row][column]);
            check("B", row, column, damping[row][column]);
        }
        check("K1", row, 0, k1[row]);
        check("K2", row, 0, k2[row]);
        let stiffness = find(&found, "K").get(1 - row, 1);
        assert!((stiffness - k1[row] - k2[row]).abs() < 1.1e-8, "K: {stiffness}");
        // The residual has the digits of `M`, `qdd` and `g`.
        let residual = find(&found, "r0").get(1 - row, 0);
        let expected = mass[row][0] * qdd[0] + mass[row][1] * qdd[1] + g[row];
        assert!((residual - expected).abs() < 2e-8, "r0: {residual} and not {expected}");
        for name in ["K1", "K2", "K"] {
            assert_eq!(find(&found, name).get(row, 0), 0.0, "the base angle does not occur");
        }
    }
    for name in ["U1", "U2", "U"] {
        assert_eq!(find(&found, name).columns, 0, "there is no input in the example");
    }
}

/// The residual of a closed model by its independent speeds, on another path: loops are closed by
/// `closure`, and speeds and accelerations follow from `constraints` by dense elimination.
struct Residual<'a> {
    tree: &'a MultibodySystem,
    closure: Option<EvaluatedFunction>,
    constraints: EvaluatedFunction,
    inverse: EvaluatedFunction,
    mass: EvaluatedFunction,
    dependent: Vec<usize>,
    rows: Vec<usize>,
}

impl<'a> Residual<'a> {
    fn new(tree: &'a MultibodySystem) -> Residual<'a> {
        let partition = tree.strategy.partition.as_ref();
        let dependent: Vec<usize> =
            partition.map_or(Vec::new(), |one| one.speeds.dependent().collect());
        let rows = partition.map_or(Vec::new(), |one| {
            one.speeds.blocks.iter().flat_map(|block| block.rows.iter().copied()).collect()
        });
        Residual {
            tree,
            closure: partition.map(|_| function(tree, "closure")),
            constraints: function(tree, "constraints"),
            inverse: function(tree, "inverse"),
            mass: function(tree, "mass"),
            dependent,
            rows,
        }
    }

    /// `S'(M qdd + g)` for the independent speeds, zero for others; then the part `S' M S qdd`.
    fn at(&mut self, point: &InputPoint) -> [Vec<f64>; 2] {
        let size = self.tree.speeds();
        let mut point = point.clone();
        let none = &mut NoExternals;
        if let Some(closure) = &mut self.closure {
            closure.setup(&point, none);
            assert!(closure.evaluate(&point, none), "loops close");
            point.q = closure.output(0).to_vec();
            point.qd = closure.output(1).to_vec();
        }
        self.known_accelerations(&mut point);
        let mut coupling = Matrix::zero(self.dependent.len(), size);
        if !self.dependent.is_empty() {
            self.constraints.setup(&point, none);
            self.constraints.evaluate(&point, none);
            let constraints = &self.constraints;
            let entry =
                |row: usize, column: usize| constraints.output(1)[self.rows[row] * size + column];
            let rate = |row: usize| constraints.output(3)[self.rows[row]];
            let count = self.dependent.len();
            let mut left = Matrix::zero(count, count);
            let mut right = Matrix::zero(count, size + 1);
            for row in 0..count {
                for (at, &column) in self.dependent.iter().enumerate() {
                    *left.at(row, at) = entry(row, column);
                }
                let mut rest = -rate(row);
                for column in (0..size).filter(|at| !self.dependent.contains(at)) {
                    *right.at(row, column) = -entry(row, column);
                    rest -= entry(row, column) * point.qdd[column];
                }
                *right.at(row, size) = rest;
            }
            let solved = solve(left, right);
            for (at, &column) in self.dependent.iter().enumerate() {
                point.qdd[column] = solved.get(at, size);
                for other in 0..size {
                    *coupling.at(at, other) = solved.get(at, other);
                }
            }
        }
        self.inverse.setup(&point, none);
        self.inverse.evaluate(&point, none);
        let all: Vec<f64> = self
            .inverse
            .output(0)
            .iter()
            .zip(&point.effort)
            .map(|(all, given)| all - given)
            .collect();
        self.mass.setup(&point, none);
        self.mass.evaluate(&point, none);
        let mut moving = point.qdd.clone();
        for (at, &column) in self.dependent.iter().enumerate() {
            let terms = (0..size).map(|other| coupling.get(at, other) * point.qdd[other]);
            moving[column] = terms.sum();
        }
        let masses = self.mass.output(0).chunks_exact(size);
        let inertial: Vec<f64> =
            masses.map(|row| row.iter().zip(&moving).map(|(m, a)| m * a).sum()).collect();
        [all, inertial].map(|all| {
            let carried = |speed: usize| {
                let terms = self.dependent.iter().enumerate();
                terms.map(|(at, &column)| coupling.get(at, speed) * all[column]).sum::<f64>()
            };
            let value = |speed: usize| match self.dependent.contains(&speed) {
                true => 0.0,
                false => all[speed] + carried(speed),
            };
            (0..size).map(value).collect()
        })
    }

    /// Accelerations that motions impose by inputs: `drives` and `inverse` ignore what the point
    /// says of driven joints, the elimination above does not.
    fn known_accelerations(&self, point: &mut InputPoint) {
        let mechanism = &self.tree.mechanism;
        let known = |name: &str| -> Option<f64> {
            let input = mechanism.inputs.iter().position(|one| one.name == name)?;
            Some(point.inputs[input])
        };
        for at in self.tree.motion.qdd.ids() {
            if !self.tree.motion.is_free(mechanism, at) {
                let value = mechanism.graph.evaluate_f64(&[self.tree.motion.qdd[at]], known);
                point.qdd[at.index()] = value.expect("motions are of inputs")[0];
            }
        }
    }
}

/// Gauss's elimination with the largest pivot of each column.
fn solve(mut left: Matrix, mut right: Matrix) -> Matrix {
    let size = left.rows;
    for column in 0..size {
        let best = (column..size)
            .max_by(|&a, &b| left.get(a, column).abs().total_cmp(&left.get(b, column).abs()))
            .expect("a row is left");
        for at in 0..size {
            let (one, other) = (left.get(column, at), left.get(best, at));
            (*left.at(column, at), *left.at(best, at)) = (other, one);
        }
        for at in 0..right.columns {
            let (one, other) = (right.get(column, at), right.get(best, at));
            (*right.at(column, at), *right.at(best, at)) = (other, one);
        }
        for row in (0..size).filter(|row| *row != column) {
            let factor = left.get(row, column) / left.get(column, column);
            for at in column..size {
                let value = left.get(column, at);
                *left.at(row, at) -= factor * value;
            }
            for at in 0..right.columns {
                let value = right.get(column, at);
                *right.at(row, at) -= factor * value;
            }
        }
    }
    for row in 0..size {
        for at in 0..right.columns {
            *right.at(row, at) /= left.get(row, row);
        }
    }
    right
}

/// The slope at zero by central differences with three steps, extrapolated to order six.
fn slope(size: f64, f: &mut dyn FnMut(f64) -> Vec<f64>) -> Vec<f64> {
    let mut at = |h: f64| -> Vec<f64> {
        f(h).iter().zip(f(-h)).map(|(up, down)| (up - down) / (2.0 * h)).collect()
    };
    let h = 4e-3 * size;
    let [one, two, four] = [at(h), at(h / 2.0), at(h / 4.0)];
    let pairs = one.iter().zip(&two).zip(&four);
    pairs
        .map(|((one, two), four)| {
            let (first, second) = ((4.0 * two - one) / 3.0, (4.0 * four - two) / 3.0);
            (16.0 * second - first) / 15.0
        })
        .collect()
}

/// Compares all matrices of a function with differences.
fn compare(what: &str, tree: &MultibodySystem, function: &str, ending: &str, point: &InputPoint) {
    let found = outputs(tree, function, point);
    let find = |name: &str| find(&found, &format!("{name}{ending}"));
    let size = tree.speeds();
    let mut residual = Residual::new(tree);
    let [r0, _] = residual.at(point);
    let scale = r0.iter().fold(1.0_f64, |most, one| most.max(one.abs()));
    let check = |name: &str, column: usize, expected: &[f64]| {
        let matrix = find(name);
        let largest = matrix.values.iter().fold(scale, |most, one| most.max(one.abs()));
        for (row, &expected) in expected.iter().enumerate() {
            let value = matrix.get(row, column);
            assert!(
                (value - expected).abs() <= 1e-7 * largest,
                "{what}, {name}[{row},{column}]: {value} and not {expected}"
            );
        }
    };
    check("r0", 0, &r0);
    let mut each =
        |name: [&str; 2], column: usize, size: f64, moved: &dyn Fn(f64) -> InputPoint| {
            let [all, inertial] =
                [0, 1].map(|part| slope(size, &mut |h| residual.at(&moved(h))[part].clone()));
            let rest: Vec<f64> = all.iter().zip(&inertial).map(|(all, one)| all - one).collect();
            check(&format!("{}1", name[0]), column, &inertial);
            check(name[1], column, &rest);
            check(name[0], column, &all);
        };
    let partition = tree.strategy.partition.as_ref();
    let dependent: Vec<usize> =
        partition.map_or(Vec::new(), |one| one.speeds.dependent().collect());
    let map = Matrix::new(point.q.len(), size, {
        let mut map = self::function(tree, "kinematic_map");
        map.setup(point, &mut NoExternals);
        map.evaluate(point, &mut NoExternals);
        map.output(0).to_vec()
    });
    for column in 0..size {
        let free = tree.motion.is_free(&tree.mechanism, SpeedId::new(column))
            && !dependent.contains(&column);
        if !free {
            let zero = vec![0.0; size];
            ["M", "B", "K1", "K2", "K"].iter().for_each(|name| check(name, column, &zero));
            continue;
        }
        each(["K", "K2"], column, 1.0, &|h| {
            let mut moved = point.clone();
            moved.q.iter_mut().enumerate().for_each(|(at, q)| *q += h * map.get(at, column));
            moved
        });
        let speed = |h: f64| {
            let mut moved = point.clone();
            moved.qd[column] += h;
            moved
        };
        let mut again = Residual::new(tree);
        check(
            "B",
            column,
            &slope(point.qd[column].abs().max(1.0), &mut |h| again.at(&speed(h))[0].clone()),
        );
        let acceleration = |h: f64| {
            let mut moved = point.clone();
            moved.qdd[column] += h;
            moved
        };
        check("M", column, &slope(1.0, &mut |h| again.at(&acceleration(h))[0].clone()));
    }
    for column in 0..tree.mechanism.inputs.len() {
        let size = point.inputs[column].abs().max(1.0);
        each(["U", "U2"], column, size, &|h| {
            let mut moved = point.clone();
            moved.inputs[column] += h;
            moved
        });
    }
}

/// A slider-crank whose crank an input turns, with a spring at the piston that an input moves, and
/// the pin of the piston as an intermittent closure.
fn driven_slider_crank(pin: &str) -> String {
    let text = example("slider_crank.toml");
    let text = text.replace(
        "between = [\"rod.C\", \"piston\"]",
        &format!("between = [\"rod.C\", \"piston\"]\n{pin}"),
    );
    format!(
        "{text}\n[[input]]\nname = \"u\"\nvalue = \"pi/3 + 2*t\"\n[[motion]]\njoint = \"q1\"\nq = \"u + 0.1*u^3\"\n[[input]]\nname = \"x\"\nvalue = 0.1\n[[force]]\nname = \"spring\"\nat = \"piston\"\nforce = [\"-300*(vx + 0.1) - 40*x\", 0, 0]\n"
    )
}

/// A tree with its partition for a function.
fn closed(tree: MultibodySystem, kind: FunctionKind) -> MultibodySystem {
    let mut tree = tree;
    tree.strategy.partition = Some(choose_partition(&tree, kind).expect("a partition"));
    tree
}

#[test]
fn m17_matrices_of_open_trees_are_differences_of_the_residual() {
    // A joint that time drives is driven by an input instead, whose effect is a matrix.
    let text = rotule_testing::formalism::MENAGERIE.replace("0.3*sin(2*t) + t^2", "w - 0.3*w^2");
    let text = format!("{text}\n[[input]]\nname = \"w\"\nvalue = \"0.4 + t - t^2\"\n");
    let tree = normalise(mechanism(&text));
    compare("menagerie", &tree, "linear", "", &point(&tree, 1));
    let tree = normalise(mechanism(&driven_slider_crank("")));
    compare("slider-crank", &tree, "linear", "", &point(&tree, 2));
}

#[test]
fn m17_matrices_with_permanent_constraints_are_differences_of_the_residual() {
    for name in
        ["slider_crank", "four_bar_body", "spatial_slider_crank", "five_bar", "andrews_squeezer"]
    {
        let tree = normalise(mechanism(&example(&format!("{name}.toml"))));
        let tree = closed(tree, FunctionKind::LinearPermanent);
        compare(name, &tree, "linear(permanent)", "", &point(&tree, 3));
    }
}

#[test]
fn m17_matrices_with_driven_and_intermittent_constraints_are_differences_of_the_residual() {
    // With the crank driven, the input takes the whole motion: `U1` is what its acceleration needs.
    let tree = normalise(mechanism(&driven_slider_crank("")));
    let tree = closed(tree, FunctionKind::LinearPermanent);
    compare("driven", &tree, "linear(permanent)", "", &point(&tree, 4));
    let found = outputs(&tree, "linear(permanent)", &point(&tree, 4));
    assert!(find(&found, "U1").values.iter().any(|one| one.abs() > 1e-4), "U1 is not empty");
    // Released, the closure is no constraint; named or not, it is engaged for the function.
    for state in ["engaged", "released"] {
        let text = driven_slider_crank(&format!("intermittent = \"{state}\""));
        let tree = normalise(mechanism(&text));
        let mut merged = tree.clone();
        merged.mechanism.engage(&[0]);
        let merged = closed(merged, FunctionKind::LinearPermanent);
        let point = point(&tree, 5);
        for function in
            ["linear(intermittent)", "linear(intermittent, pin)", "linear_intermittent(pin)"]
        {
            compare(state, &merged, function, "", &point);
            let [one, other] = [&tree, &merged].map(|tree| outputs(tree, function, &point));
            assert_eq!(one.len(), other.len());
            for (one, other) in one.iter().zip(&other) {
                assert_eq!(one.1.values, other.1.values, "{function} does not depend on the state");
            }
        }
        // Without it, what is permanent is the open tree.
        let mut open = tree.clone();
        open.mechanism.engage(&[]);
        compare(state, &open, "linear(permanent)", "", &point);
    }
}

/// All three variants in one program are those of the three programs, and there are 21 matrices
/// beside the masses and residuals.
#[test]
fn m18_three_variants_are_differentiated_at_once() {
    let text = driven_slider_crank("intermittent = \"released\"");
    let tree = normalise(mechanism(&text));
    let point = point(&tree, 6);
    let all = outputs(&tree, "linear(all)", &point);
    assert_eq!(all.len(), 27);
    let variants = [
        ("linear", ""),
        ("linear(permanent)", "_permanent"),
        ("linear(intermittent)", "_intermittent"),
    ];
    for (function, ending) in variants {
        for (name, matrix) in outputs(&tree, function, &point) {
            let other = find(&all, &format!("{name}{ending}"));
            let scale = matrix.values.iter().fold(1.0_f64, |most, one| most.max(one.abs()));
            for (one, other) in matrix.values.iter().zip(&other.values) {
                assert!((one - other).abs() <= 1e-12 * scale, "{name}{ending}: {one} and {other}");
            }
        }
    }
    // Nodes that are differentiated, over all variables and directions: each variant needs its own,
    // and what they share is differentiated once.
    let nodes = |function: &str| {
        let tree =
            rotule_numeric::partitioned(&tree, &parse(&tree, function)).expect("a partition");
        let sheet = tree.sheet();
        let written = parse(&tree, function).write(tree.writer(&sheet), Formalism::NewtonEuler);
        written.unwrap_or_else(|problem| panic!("{problem}"));
        let passes = sheet.passes.take();
        let mut graph = sheet.graph.into_inner();
        let (mut nodes, mut distinct) = (0, 0);
        for DerivativePass { roots, directions, nodes: visited } in &passes {
            nodes += visited;
            // Every node below that a direction moves, once.
            for direction in directions {
                let symbols: Vec<SymbolId> =
                    direction.rates.iter().filter_map(|rate| graph.symbol_of(rate.0)).collect();
                let below = graph.reachable(roots).into_iter();
                let moves = |node: &Expr| symbols.iter().any(|one| graph.depends_on(*node, *one));
                distinct += below.filter(moves).count();
            }
        }
        (passes.len(), nodes, distinct)
    };
    let [one, permanent, intermittent, all] =
        ["linear", "linear(permanent)", "linear(intermittent)", "linear(all)"].map(nodes);
    // One pass per variable, in which no node is differentiated twice along a direction.
    assert_eq!((one.0, all.0), (3, 4));
    for found in [one, permanent, intermittent, all] {
        assert_eq!(found.1, found.2, "{found:?}");
    }
    // Without a constraint that is permanent, that variant is the tree, and costs nothing more.
    assert_eq!(one, permanent);
    assert!(all.1 < one.1 + intermittent.1, "{all:?} beside {one:?} and {intermittent:?}");
}

fn parse(tree: &MultibodySystem, function: &str) -> ModelFunction {
    ModelFunction::parse(function, tree).unwrap_or_else(|problem| panic!("{problem}"))
}

/// A car of four five-link suspensions whose front left wheel an input turns: forty rows of
/// constraints, tyres and springs.
#[test]
fn m17_matrices_of_a_car_with_a_driven_wheel_are_differences_of_the_residual() {
    let text = example("multilink_car.toml");
    let text = format!(
        "{text}\n[[input]]\nname = \"u\"\nvalue = \"60*t\"\n[[motion]]\njoint = \"fl_spin\"\nq = \"u + 0.1*u^3\"\n"
    );
    let tree = closed(normalise(mechanism(&text)), FunctionKind::LinearPermanent);
    let point = point(&tree, 7);
    compare("car", &tree, "linear(permanent)", "", &point);
    let found = outputs(&tree, "linear(permanent)", &point);
    for name in ["U", "U1", "U2"] {
        assert!(find(&found, name).values.iter().any(|one| one.abs() > 1e-4), "{name} is empty");
    }
}
