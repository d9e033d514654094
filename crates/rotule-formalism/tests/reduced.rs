//! The reduction of closed trees against dense numbers: the map from independent speeds, inverse
//! dynamics, the equations in all coordinates solved as a whole, efforts of drives, and derivatives
//! against differences.

#![allow(non_snake_case)] // symbols as in the formulas

use rotule_formalism::Formalism::{Barycentric, NewtonEuler, Outward};
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::numbers::{Matrix, agree, solved};
use rotule_testing::formalism::{self, CLOSED};

/// Loops in the plane and in space, and wheels that roll.
fn models() -> impl Iterator<Item = &'static str> {
    let others = ["planar_robot_1", "planar_robot_3", "whipple_bicycle"];
    CLOSED[1..7].iter().copied().chain(others)
}

/// A displaced state of a model, and the same closed.
fn states(case: &mut Case, seed: u64) -> (State, State) {
    let given = case.near(seed);
    let found = case.outputs("closure", Outward, &given).unwrap_or_else(|why| panic!("{why}"));
    let values = |at: usize| found[at].matrix.values.clone();
    let closed = State { q: values(0), qd: values(1), ..given.clone() };
    (given, closed)
}

/// The dependent speeds: those whose columns of the map are empty.
fn dependent(map: &Matrix) -> Vec<usize> {
    (0..map.rows).filter(|&at| (0..map.rows).all(|row| map.get(row, at) == 0.0)).collect()
}

/// AT-21: `B` by blocks is that of a dense solve.
#[test]
fn at_21_the_map_of_speeds_is_that_of_a_dense_solve() {
    for name in models() {
        let case = &mut Case::example(&format!("{name}.toml"));
        let (given, closed) = states(case, 3);
        let map = case.by("reduction", Outward, &given);
        let rows = case.outputs("constraints", Outward, &closed).expect("rows");
        let jacobian = &rows[1].matrix;
        let dependent = dependent(&map);
        assert_eq!(dependent.len(), jacobian.rows, "{name}");
        let mut square = Matrix::zero(jacobian.rows, jacobian.rows);
        for row in 0..jacobian.rows {
            for (at, &column) in dependent.iter().enumerate() {
                *square.at(row, at) = jacobian.get(row, column);
            }
        }
        for column in (0..map.rows).filter(|column| !dependent.contains(column)) {
            assert_eq!(map.get(column, column), 1.0);
            let right = (0..jacobian.rows).map(|row| -jacobian.get(row, column)).collect();
            let expected = solved(square.clone(), right);
            let found: Vec<f64> = dependent.iter().map(|&row| map.get(row, column)).collect();
            agree(&format!("{name}: column {column}"), &found, &expected, 1e-10);
        }
    }
}

/// AT-20: block by block, coordinates close as by Newton's iteration of all constraints at once.
#[test]
fn at_20_blocks_close_as_the_whole() {
    let mut most = 0;
    for name in models() {
        let case = &mut Case::example(&format!("{name}.toml"));
        let (given, closed) = states(case, 9);
        let (outputs, sheet) = formalism::written(&case.tree, "closure", Outward);
        let unknowns = formalism::dense(&outputs[0]);
        let solves = sheet.into_parts().1;
        let sizes: Vec<usize> = solves.iter().map(|solve| solve.unknowns.len()).collect();
        most = most.max(sizes.len());
        // The unknowns are the coordinates that the tree has no longer as symbols.
        let coordinates = case.mechanism().coordinates.iter().enumerate();
        let unknown: Vec<usize> =
            coordinates.filter(|(at, one)| unknowns[*at] != one.symbol).map(|(at, _)| at).collect();
        // Those that are linear in a slide are written down and need no iteration.
        assert!(sizes.iter().sum::<usize>() <= unknown.len(), "{name}");
        let mut state = given;
        for _ in 0..12 {
            let rows = case.outputs("constraints", Outward, &state).expect("rows");
            let size = unknown.len();
            // Rows without a residual relate speeds and are the last ones of their wheel: their `h`
            // is no row here.
            let at: Vec<usize> = (0..rows[0].matrix.rows)
                .filter(|row| name != "whipple_bicycle" || row % 3 == 0)
                .collect();
            let mut square = Matrix::zero(size, size);
            for (i, &row) in at.iter().enumerate() {
                for (j, &column) in unknown.iter().enumerate() {
                    *square.at(i, j) = rows[1].matrix.get(row, column);
                }
            }
            let right = at.iter().map(|&row| -rows[0].matrix.values[row]).collect();
            let step = solved(square, right);
            unknown.iter().zip(step).for_each(|(&at, step)| state.q[at] += step);
        }
        agree(name, &state.q, &closed.q, 1e-11);
    }
    assert!(most > 1, "some model has several blocks");
}

/// AT-22: the equations in all coordinates, solved as a whole for accelerations and multipliers.
#[test]
fn at_22_reduced_and_augmented_agree() {
    for name in models() {
        let case = &mut Case::example(&format!("{name}.toml"));
        let (given, closed) = states(case, 4);
        let (accelerations, multipliers) = case.dense(&closed, [0.0; 2]);
        for formalism in [NewtonEuler, Barycentric] {
            let qdd = case.by("forward", formalism, &given);
            let lambda = case.by("multipliers", formalism, &given);
            agree(name, &qdd.values, &accelerations, 1e-10);
            agree(name, &lambda.values, &multipliers, 1e-10);
        }
    }
}

/// AT-25, square case: inverse of forward dynamics gives the efforts again, those of dependent
/// joints as the independent ones feel them.
#[test]
fn at_25_closed_inverse_undoes_forward() {
    for name in models() {
        let case = &mut Case::example(&format!("{name}.toml"));
        let (mut given, _) = states(case, 5);
        let map = case.by("reduction", Outward, &given);
        let felt = map.transpose().apply(&given.effort);
        for formalism in [NewtonEuler, Barycentric] {
            given.qdd = case.by("forward", formalism, &given).values;
            let found = case.by("closed_inverse", formalism, &given);
            agree(name, &found.values, &felt, 1e-10);
        }
    }
}

/// AT-04: what drives a joint of a loop is what inverse dynamics says of its motion, and what the
/// equation of the open tree lacks.
#[test]
fn at_04_a_driven_crank() {
    let text = formalism::example("four_bar_joint.toml");
    // What is driven leads; so it does where nothing is driven.
    let text =
        text.replace("name = \"q1\", type", "partition = \"independent\", name = \"q1\", type");
    let driven = format!("{text}\n[[motion]]\njoint = \"q1\"\nq = \"0.9 + 3*t + 2*t^2\"\n");
    let case = &mut Case::of("driven four-bar", &driven);
    let free = &mut Case::of("four-bar", &text);
    let mut given = case.near(6);
    given.time = 0.1;
    given.effort = vec![0.0, 0.7, -0.4];
    (given.q[0], given.qd[0], given.qdd[0]) = (0.9 + 0.3 + 0.02, 3.4, 4.0);
    let closed = case.outputs("closure", Outward, &given).expect("closed");
    let qdd = case.by("forward", NewtonEuler, &given).values;
    assert!((qdd[0] - 4.0).abs() < 1e-12, "{qdd:?}");
    let lambda = case.by("multipliers", NewtonEuler, &given).values;
    let drives = case.by("drives", Barycentric, &given).values;
    assert_eq!(drives[1..], [0.0, 0.0]);
    let state = State {
        q: closed[0].matrix.values.clone(),
        qd: closed[1].matrix.values.clone(),
        qdd,
        ..given.clone()
    };
    let needed = free.by("inverse", NewtonEuler, &state).values;
    let jacobian = &free.outputs("constraints", Outward, &state).expect("rows")[1].matrix;
    let held = jacobian.transpose().apply(&lambda);
    agree("equation of the crank", &[needed[0] - held[0]], &drives[..1], 1e-11);
    // Efforts at the other joints help.
    let map = free.by("reduction", Outward, &given);
    let helped = map.transpose().apply(&given.effort)[0];
    let inverse = free.by("closed_inverse", NewtonEuler, &given).values[0];
    agree("inverse dynamics", &[inverse - helped], &drives[..1], 1e-11);
}

/// A gear with one wheel driven: the drive moves both, however the relation is written.
#[test]
fn at_04_a_driven_gear() {
    for rest in [
        "[[coupling]]\nname = \"gear\"\nequation = \"q2 = 3*q1\"\n",
        "[[constraint]]\nname = \"gear\"\nposition = \"q2 - 3*q1\"\n",
        "[[constraint]]\nname = \"gear\"\nvelocity = \"q2.d - 3*q1.d\"\n",
    ] {
        let wheel = |number: usize, inertia: f64| {
            format!(
                "[[body]]\nname = \"b{number}\"\nparent = \"ground\"\n\
                 joint = {{ name = \"q{number}\", type = \"revolute\", axis = \"z\" }}\nmass = 1\n\
                 inertia = {{ xx = 1, yy = 1, zz = {inertia} }}\n"
            )
        };
        let motion = "[[motion]]\njoint = \"q1\"\nq = \"sin(2*t)\"\n";
        let (first, second) = (wheel(1, 0.4), wheel(2, 0.7));
        let text = format!("[model]\nname = \"gear\"\n{first}{second}{motion}{rest}");
        let case = &mut Case::of(rest, &text);
        let mut state = case.near(8);
        (state.time, state.effort) = (0.3, vec![0.0, 0.2]);
        let a = -4.0 * 0.6_f64.sin();
        let speeds = &case.outputs("closure", Outward, &state).expect("closed")[1];
        let v = 2.0 * 0.6_f64.cos();
        agree(rest, &speeds.matrix.values, &[v, 3.0 * v], 1e-12);
        agree(rest, &case.by("forward", NewtonEuler, &state).values, &[a, 3.0 * a], 1e-12);
        let expected = [(0.4 + 9.0 * 0.7) * a - 3.0 * 0.2, 0.0];
        agree(rest, &case.by("drives", NewtonEuler, &state).values, &expected, 1e-12);
    }
}

/// A nut on a thread as a helical joint, a linear relation, a relation of the user's, and one of
/// speeds.
#[test]
fn at_05_a_screw_in_four_ways() {
    let nut = |joint: &str, rest: &str| {
        format!(
            "[model]\nname = \"nut\"\ngravity = [0, 0, -9.81]\n[parameters]\np = 0.02\n[[body]]\nname = \"nut\"\n\
             parent = \"ground\"\njoint = {{ name = \"j\", axis = \"z\", {joint} }}\nmass = 1.3\ncom = [0.1, 0, 0]\n\
             inertia = {{ xx = 0.1, yy = 0.2, zz = 0.05 }}\n{rest}"
        )
    };
    let screw = nut("type = \"helical\", pitch = \"p\"", "");
    let case = &mut Case::of("screw", &screw);
    let state =
        State { time: 0.0, q: vec![0.4], qd: vec![2.0], qdd: vec![0.0], effort: vec![0.01] };
    let expected = case.by("forward", NewtonEuler, &state).values[0];
    let free = "type = \"cylindrical\"";
    for rest in [
        "[[coupling]]\nname = \"thread\"\nequation = \"j[2] = p*j[1]\"\n",
        "[[constraint]]\nname = \"thread\"\nposition = \"j[2] - p*j[1]\"\n",
        "[[constraint]]\nname = \"thread\"\nvelocity = \"j.d[2] - p*j.d[1]\"\n",
    ] {
        let case = &mut Case::of(rest, &nut(free, rest));
        let turned = |angle: f64| vec![angle, 0.02 * angle];
        let state = State {
            time: 0.0,
            q: turned(0.4),
            qd: turned(2.0),
            qdd: turned(0.0),
            effort: vec![0.01, 0.0],
        };
        let found = case.by("forward", NewtonEuler, &state).values;
        agree(rest, &found, &turned(expected), 1e-12);
    }
}

/// A sleigh on a knife edge (Chaplygin): with the centre of mass at a distance `a` before the edge,
/// `ud = a w^2` and `wd = -m a u w/(I + m a^2)` for the speed `u` along the edge and the turn `w`.
#[test]
fn a_sleigh_on_a_knife_edge() {
    let text = "[model]\nname = \"sleigh\"\n[[body]]\nname = \"sleigh\"\nparent = \"ground\"\njoint = [\n\
        { name = \"x\", type = \"prismatic\", axis = \"x\" },\n{ name = \"y\", type = \"prismatic\", axis = \"y\" },\n\
        { name = \"psi\", type = \"revolute\", axis = \"z\" },\n]\nmass = 2\ncom = [0.3, 0, 0]\n\
        inertia = { xx = 0.1, yy = 0.2, zz = 0.5 }\n[[constraint]]\nname = \"knife\"\n\
        velocity = \"x.d*sin(psi) - y.d*cos(psi)\"\n";
    let case = &mut Case::of("sleigh", text);
    let (u, w, psi) = (1.2_f64, 0.7_f64, 0.5_f64);
    let state = State {
        time: 0.0,
        q: vec![0.1, 0.2, psi],
        qd: vec![u * psi.cos(), u * psi.sin(), w],
        qdd: vec![0.0; 3],
        effort: vec![0.0; 3],
    };
    let along = 0.3 * w * w;
    let turn = -2.0 * 0.3 * u * w / (0.5 + 2.0 * 0.09);
    let expected =
        [along * psi.cos() - u * w * psi.sin(), along * psi.sin() + u * w * psi.cos(), turn];
    for formalism in [NewtonEuler, Barycentric] {
        agree("sleigh", &case.by("forward", formalism, &state).values, &expected, 1e-12);
    }
}

/// The derivative along a step of an input, by differences of eighth order.
fn difference(mut at: impl FnMut(f64) -> Vec<f64>, step: f64) -> Vec<f64> {
    let weights = [4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0];
    let mut sum: Vec<f64> = Vec::new();
    for (number, weight) in weights.into_iter().enumerate() {
        let away = step * (number + 1) as f64;
        let (after, before) = (at(away), at(-away));
        sum.resize(after.len(), 0.0);
        for (sum, (after, before)) in sum.iter_mut().zip(after.iter().zip(&before)) {
            *sum += weight * (after - before) / step;
        }
    }
    sum
}

#[test]
fn derivatives_of_reduced_equations() {
    for (name, parameter) in [
        ("four_bar_joint", "b"),
        ("slider_crank", "l2"),
        ("five_bar", ""),
        ("spatial_slider_crank", ""),
        ("whipple_bicycle", "rF"),
    ] {
        let case = &mut Case::example(&format!("{name}.toml"));
        let (given, state) = states(case, 7);
        let map = case.by("reduction", Outward, &given);
        let dependent = dependent(&map);
        let size = |values: &[f64]| values.iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for by in ["q", "qd", "effort"] {
            let found = case.by(&format!("derivative(forward, {by})"), Barycentric, &state);
            let reach = size(&found.values);
            for column in 0..case.speeds() {
                let at = |away: f64| {
                    let mut moved = state.clone();
                    match by {
                        "q" => moved.q[column] += away,
                        "qd" => moved.qd[column] += away,
                        _ => moved.effort[column] += away,
                    }
                    case.by("forward", Barycentric, &moved).values
                };
                let expected = difference(at, 2e-3);
                for row in 0..case.speeds() {
                    let (found, expected) = (found.get(row, column), expected[row]);
                    let what = format!("{name}: by {by} {column}, row {row}: {found} {expected}");
                    assert!((found - expected).abs() < 1e-8 * reach, "{what}");
                    // Of the speeds that rolling ties, the coordinates stay; height and pitch
                    // follow.
                    let follows = name != "whipple_bicycle" || [2, 5].contains(&column);
                    let empty = by == "qd" || (by == "q" && follows);
                    if empty && dependent.contains(&column) {
                        assert_eq!(found, 0.0, "{what}");
                    }
                }
            }
        }
        if !parameter.is_empty() {
            let found = case.by(&format!("derivative(forward, {parameter})"), NewtonEuler, &state);
            let value = case.parameters.iter().find(|one| one.name == parameter).expect("it").value;
            let at = |away: f64| {
                case.set(parameter, value + away);
                case.by("forward", NewtonEuler, &state).values
            };
            let expected = difference(at, 1e-3 * value);
            agree(name, &found.values, &expected, 1e-8);
        }
    }
}

/// Dependent accelerations are `B qdd_u + b'`, and the reduced equations give those of the free
/// independent speeds.
#[test]
fn coupling_and_reduced_equations_give_the_accelerations() {
    for name in models() {
        let case = &mut Case::example(&format!("{name}.toml"));
        let (given, _) = states(case, 5);
        for formalism in [NewtonEuler, Barycentric] {
            let accelerations = case.by("forward", formalism, &given).values;
            let coupling = case.outputs("coupling", Outward, &given).expect("a coupling");
            let (B, offset) = (&coupling[0].matrix, &coupling[1].matrix.values);
            let S = case.by("reduction", Outward, &given);
            let dependent = dependent(&S);
            assert!(!dependent.is_empty(), "{name}");
            for &at in &dependent {
                let found = B.apply(&accelerations)[at] + offset[at];
                agree(name, &[found], &[accelerations[at]], 1e-10);
                let row =
                    |matrix: &Matrix| (0..S.columns).map(|j| matrix.get(at, j)).collect::<Vec<_>>();
                agree(name, &row(B), &row(&S), 1e-12);
            }
            let reduced = case.outputs("reduced_mass_bias", formalism, &given).expect("equations");
            let (M, F) = (&reduced[0].matrix, &reduced[1].matrix.values);
            let needed = M.apply(&accelerations);
            let applied = S.transpose().apply(&given.effort);
            let free: Vec<usize> = (0..M.rows).filter(|&at| M.get(at, at) != 0.0).collect();
            assert!(!free.is_empty(), "{name}");
            for at in free {
                agree(name, &[needed[at] + F[at]], &[applied[at]], 1e-9);
            }
        }
    }
}
