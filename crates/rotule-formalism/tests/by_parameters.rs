//! Derivatives by several parameters at once, and by the time.

use rotule_formalism::ModelFunction;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::motion;
use rotule_testing::formalism::numbers::agree;

/// Several parameters at once are the columns that each gives alone, and the time is a variable.
#[test]
fn several_parameters_at_once_and_the_time() {
    let mut case = Case::of("forced", &motion::forced());
    let state = case.state(2);
    let names: Vec<String> =
        case.mechanism().parameters.iter().map(|one| one.name.clone()).collect();
    let both = case.eval(&format!("derivative(inverse, [{}])", names.join(", ")), &state);
    assert_eq!(both.values, case.eval("derivative(inverse, [*])", &state).values);
    for (column, name) in names.iter().enumerate() {
        let alone = case.eval(&format!("derivative(inverse, {name})"), &state);
        let own: Vec<f64> = (0..both.rows).map(|row| both.get(row, column)).collect();
        agree(name, &own, &alone.values, 1e-13);
    }
    let by_time = case.eval("derivative(inverse, t)", &state).values;
    let step = 1e-4;
    let mut at = |by: f64| {
        let moved = State { time: state.time + by, ..state.clone() };
        case.eval("inverse", &moved).values
    };
    let [a, b, c, d] = [at(step), at(-step), at(2.0 * step), at(-2.0 * step)];
    let difference = |i: usize| (8.0 * (a[i] - b[i]) - (c[i] - d[i])) / (12.0 * step);
    let expected: Vec<f64> = (0..a.len()).map(difference).collect();
    assert!(expected.iter().any(|x| x.abs() > 1e-3));
    agree("derivative by time", &by_time, &expected, 1e-8);
}

#[test]
fn lists_of_parameters_that_cannot_be_read_are_refused() {
    let case = Case::of("forced", &motion::forced());
    let rows = [
        ("derivative(inverse, [])", "`[]` names no parameter"),
        ("derivative(inverse, [m1, m1])", "`m1` is named twice"),
        ("derivative(inverse, [m1, nobody])", "there is no parameter or input `nobody`"),
        ("derivative(inverse, [q])", "there is no parameter or input `q`"),
    ];
    for (text, message) in rows {
        let problem = ModelFunction::parse(text, &case.tree).expect_err(text);
        assert!(problem.to_string().contains(message), "{text}: {problem}");
    }
}
