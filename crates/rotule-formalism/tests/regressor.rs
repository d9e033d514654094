//! The regressor: it is linear in what it says, and multiplies what it names.

use rotule_formalism::Formalism::NewtonEuler;
use rotule_formalism::{Parts, parameter_names};
use rotule_program::lower::Target;
use rotule_testing::formalism::motion::{agree, models, numbers, state};
use rotule_testing::formalism::{efforts, tree, write};

/// `Y parameters = M qdd + c` without external forces and laws.
#[test]
fn times_parameters_it_is_inverse_dynamics() {
    for (model, mut tree) in models() {
        let regressor = write(&mut tree, "regressor", NewtonEuler).remove(0);
        let parameters = write(&mut tree, "parameters", NewtonEuler).remove(0);
        let inverse = efforts(&mut tree, Parts { forces: false, ..Parts::ALL }, NewtonEuler);
        let inverse = Target::vector("inverse", &inverse);
        assert_eq!(regressor.columns, parameters.rows);
        assert_eq!(parameter_names(&tree.mechanism).len(), parameters.rows as usize);
        for seed in 1..=5 {
            let state = state(&tree, seed);
            let values = numbers(&tree, &parameters, &state);
            let product: Vec<Vec<f64>> = numbers(&tree, &regressor, &state)
                .iter()
                .map(|row| vec![row.iter().zip(&values).map(|(y, p)| y * p[0]).sum()])
                .collect();
            agree(model, &product, &numbers(&tree, &inverse, &state), 1e-12);
        }
    }
}

/// Every column alone: a model that differs in one parameter differs by that column. The inertia of
/// the file is about the centre of mass, so each change is made in the numbers of the file.
#[test]
fn columns_belong_to_their_names() {
    let model = |mass: f64, com: [f64; 3], inertia: [f64; 6], armature: f64| {
        let [xx, xy, xz, yy, yz, zz] = inertia;
        tree(&format!(
            r#"
[model]
name = "two"
[[body]]
name = "arm"
parent = "ground"
joint = {{ name = "a", type = "revolute", axis = [1, 2, 2], armature = {armature} }}
mass = 1
com = [0.1, 0.2, 0]
inertia = {{ xx = 1, yy = 1, zz = 1 }}
[[body]]
name = "hand"
parent = "arm"
position = [0.3, 0, 0]
rotation = [0.2, 0.3, 0.4]
joint = {{ name = "b", type = "universal", axes = ["x", "y"] }}
[[body]]
name = "tool"
parent = "hand"
position = [0, 0.2, 0.1]
rotation = [0.5, 0, 0.4]
mass = {mass}
com = [{}, {}, {}]
inertia = {{ xx = {xx}, xy = {xy}, xz = {xz}, yy = {yy}, yz = {yz}, zz = {zz} }}
"#,
            com[0], com[1], com[2]
        ))
    };
    // About the origin: mass, first moments, inertia; to the numbers of a file.
    let file = |p: [f64; 10]| {
        let com = [p[1] / p[0], p[2] / p[0], p[3] / p[0]];
        let square = com.iter().map(|c| c * c).sum::<f64>();
        let pairs = [(0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)];
        let mut inertia = [0.0; 6];
        for (at, (i, j)) in pairs.into_iter().enumerate() {
            let diagonal = if i == j { square } else { 0.0 };
            inertia[at] = p[4 + at] - p[0] * (diagonal - com[i] * com[j]);
        }
        (p[0], com, inertia)
    };
    let base = [2.0, 0.2, -0.4, 0.6, 3.0, 0.1, -0.2, 3.5, 0.3, 2.5];
    let run = |p: [f64; 10], armature: f64| {
        let (mass, com, inertia) = file(p);
        let mut tree = model(mass, com, inertia, armature);
        let regressor = write(&mut tree, "regressor", NewtonEuler).remove(0);
        let inverse = write(&mut tree, "inverse", NewtonEuler).remove(0);
        let state = state(&tree, 4);
        let names = parameter_names(&tree.mechanism);
        (numbers(&tree, &regressor, &state), numbers(&tree, &inverse, &state), names)
    };
    let (y, before, names) = run(base, 0.0);
    let column = |name: &str| names.iter().position(|one| one == name).expect("a column");
    let difference = |after: &[Vec<f64>], step: f64| -> Vec<Vec<f64>> {
        after.iter().zip(&before).map(|(a, b)| vec![(a[0] - b[0]) / step]).collect()
    };
    for (at, name) in rotule_formalism::PARAMETERS.into_iter().enumerate() {
        let mut changed = base;
        changed[at] += 0.5;
        let (_, after, _) = run(changed, 0.0);
        let own: Vec<Vec<f64>> =
            y.iter().map(|row| vec![row[column(&format!("tool.{name}"))]]).collect();
        agree(name, &difference(&after, 0.5), &own, 1e-12);
    }
    let (_, after, _) = run(base, 0.5);
    let own: Vec<Vec<f64>> = y.iter().map(|row| vec![row[column("a.armature")]]).collect();
    agree("armature", &difference(&after, 0.5), &own, 1e-12);
    assert!(names.contains(&"hand.Ixy".to_owned()));
    assert!(names.contains(&"b.armature[2]".to_owned()));
}
