//! Derivatives by forward mode against derivatives that are written as equations, loops included.

use rotule_analysis::functions::ModelFunctions;
use rotule_formalism::MultibodySystem;
use rotule_numeric::state::StateNumbers;
use rotule_program::NoExternals;
use rotule_symbolic::random::SplitMix64;
use rotule_testing::formalism::motion;

fn at_some_state(tree: &MultibodySystem) -> (ModelFunctions, rotule_simulate::inputs::InputPoint) {
    let mut state = StateNumbers::initial(tree);
    let mut random = SplitMix64(3);
    state.q.iter_mut().for_each(|q| *q += 0.02 * random.signed());
    state.qd.iter_mut().for_each(|v| *v += 0.2 * random.signed());
    let (functions, mut point) = ModelFunctions::at(tree, &state, Box::new(NoExternals)).unwrap();
    point.qdd.iter_mut().for_each(|a| *a = random.signed());
    (functions, point)
}

/// `derivative(FUNCTION, q)` and `derivative(FUNCTION, qd)` are the columns along speeds.
fn check(example: &str, function: &str) {
    let tree = motion::example(example);
    let (mut functions, point) = at_some_state(&tree);
    let speeds: Vec<usize> = (0..point.qd.len()).collect();
    let along = functions.along_speeds(&point, &speeds).unwrap();
    let faster = |&speed: &usize| {
        let mut direction = ModelFunctions::still(&point);
        direction.qd[speed] = 1.0;
        direction
    };
    let faster: Vec<_> = speeds.iter().map(faster).collect();
    for (variable, directions) in [("q", along), ("qd", faster)] {
        let written = functions
            .evaluate(&format!("derivative({function}, {variable})"), &point, &[])
            .unwrap();
        let found = functions.evaluate(function, &point, &directions).unwrap();
        assert!(found.is_sound() && written.is_sound(), "{example} {function} {variable}");
        let rows = found.output(0).len();
        let size = written.output(0).iter().fold(1.0_f64, |most, x| most.max(x.abs()));
        for &column in functions.independent_coordinates() {
            for row in 0..rows {
                let expected = written.output(0)[row * speeds.len() + column];
                let error = (found.along(column, 0)[row] - expected).abs();
                assert!(
                    error < 1e-11 * size,
                    "{example} {function} {variable} {row} {column}: {error:e}"
                );
            }
        }
    }
}

#[test]
fn forward_mode_agrees_with_written_derivatives() {
    check("heavy_top.toml", "actuation");
    check("four_bar_body.toml", "actuation");
    check("whipple_bicycle.toml", "actuation");
    check("whipple_bicycle.toml", "forward");
    check("flyball_governor.toml", "forward");
    check("quadruped.toml", "bias");
}

/// A parameter's derivative passes through `setup` and through the closing of loops.
#[test]
fn parameters_are_directions_too() {
    let tree = motion::example("four_bar_body.toml");
    let (mut functions, point) = at_some_state(&tree);
    for at in 0..point.parameters.len() {
        let mut direction = ModelFunctions::still(&point);
        direction.parameters[at] = 1.0;
        let found = functions.evaluate("forward", &point, &[direction]).unwrap();
        let mut shifted = |by: f64| {
            let mut point = point.clone();
            point.parameters[at] += by;
            functions.evaluate("forward", &point, &[]).unwrap().output(0).to_vec()
        };
        let step = 1e-4;
        let [more, less, far, back] = [step, -step, 2.0 * step, -2.0 * step].map(&mut shifted);
        for row in 0..more.len() {
            let slope = (8.0 * (more[row] - less[row]) - (far[row] - back[row])) / (12.0 * step);
            let error = (found.along(0, 0)[row] - slope).abs();
            assert!(error < 1e-7 * (1.0 + slope.abs()), "parameter {at}, row {row}: {error:e}");
        }
    }
}
