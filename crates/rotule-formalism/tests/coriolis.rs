//! The Coriolis matrix: both properties on every type of joint, and the Christoffel symbols.

use rotule_formalism::Formalism::{self, Barycentric, NewtonEuler};
use rotule_formalism::MultibodySystem;
use rotule_testing::formalism::motion::{
    agree, along, changes, evaluate, example, models, motion, numbers, state,
};
use rotule_testing::formalism::write;

/// All models by both formalisms.
fn both() -> impl Iterator<Item = ((&'static str, MultibodySystem), Formalism)> {
    let all = |formalism: Formalism| models().into_iter().map(move |model| (model, formalism));
    [NewtonEuler, Barycentric].into_iter().flat_map(all)
}

#[test]
fn times_speeds_it_is_the_coriolis_vector() {
    for ((model, mut tree), formalism) in both() {
        let matrix = write(&mut tree, "coriolis_matrix", formalism).remove(0);
        let vector = write(&mut tree, "coriolis", NewtonEuler).remove(0);
        for seed in 1..=5 {
            let state = state(&tree, seed);
            let speeds = evaluate(&tree, tree.motion.qd.as_slice(), &state);
            let product: Vec<Vec<f64>> = numbers(&tree, &matrix, &state)
                .iter()
                .map(|row| vec![row.iter().zip(&speeds).map(|(c, v)| c * v).sum()])
                .collect();
            agree(model, &product, &numbers(&tree, &vector, &state), 1e-12);
        }
    }
}

#[test]
fn with_its_transposed_it_is_the_rate_of_the_mass_matrix() {
    for ((model, mut tree), formalism) in both() {
        let matrix = write(&mut tree, "coriolis_matrix", formalism).remove(0);
        let mass = write(&mut tree, "mass", NewtonEuler).remove(0);
        for seed in 1..=5 {
            let state = state(&tree, seed);
            let rate = changes(&tree, &mass, &state, &motion(&tree, &state));
            let c = numbers(&tree, &matrix, &state);
            let sum: Vec<Vec<f64>> =
                (0..c.len()).map(|i| (0..c.len()).map(|j| c[i][j] + c[j][i]).collect()).collect();
            agree(model, &sum, &rate, 1e-12);
        }
    }
}

/// `C_ij = sum_k (dM_ij/dq_k + dM_ik/dq_j - dM_jk/dq_i) qd_k / 2`
#[test]
fn joints_of_one_degree_of_freedom_give_christoffel_symbols() {
    for model in ["puma560.toml", "kuka_iiwa14.toml", "n_pendulum_8.toml", "cart_pole.toml"] {
        let mut tree = example(model);
        let matrix = write(&mut tree, "coriolis_matrix", NewtonEuler).remove(0);
        let mass = write(&mut tree, "mass", NewtonEuler).remove(0);
        let count = tree.speeds();
        let state = state(&tree, 3);
        let speeds = evaluate(&tree, tree.motion.qd.as_slice(), &state);
        let by: Vec<Vec<Vec<f64>>> =
            (0..count).map(|k| changes(&tree, &mass, &state, &along(&tree, k, &state))).collect();
        let symbol = |i: usize, j: usize, k: usize| by[k][i][j] + by[j][i][k] - by[i][j][k];
        let entry =
            |i: usize, j: usize| (0..count).map(|k| symbol(i, j, k) * speeds[k] / 2.0).sum::<f64>();
        let expected: Vec<Vec<f64>> =
            (0..count).map(|i| (0..count).map(|j| entry(i, j)).collect()).collect();
        agree(model, &numbers(&tree, &matrix, &state), &expected, 1e-12);
    }
}
