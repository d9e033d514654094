//! Elastic energy and damping of laws: against the power of the same laws along random motions.

use rotule_formalism::elastic::without_potential;
use rotule_testing::formalism::case::{Case, State};
use rotule_testing::formalism::motion;
use rotule_testing::formalism::numbers::agree;

/// Laws of every form that has a potential, on joints, between points and under a tyre; with
/// dampers, which have none.
const SPRINGS: &str = r#"
[model]
name = "springs"

[parameters]
k = 50
k3 = 12
z0 = 0.3
gap = 0.1

[[body]]
name = "cart"
parent = "ground"
joint = { name = "x", type = "prismatic", axis = "x", effort = "-k*q - k3*q^3 - k*max(0, q - gap)^1.5 - 3*qd" }
mass = 2

[[body]]
name = "arm"
parent = "cart"
joint = { name = "a", type = "revolute", axis = "y", effort = "if(q < gap, -k*sin(q - gap), -2*k*(q - gap)) - 0.1*qd" }
mass = 1
com = [0.2, 0, -0.3]
inertia = { xx = 0.1, yy = 0.2, zz = 0.1 }
points = { tip = [0.4, 0.1, -0.5] }

[[body]]
name = "hub"
parent = "cart"
joint = { name = "z", type = "prismatic", axis = "z", effort = "k*table(q, -1, 1, 0, 0, 0.2, -0.5, 1, -1)" }
mass = 1
inertia = { xx = 0.1, yy = 0.2, zz = 0.1 }

[[body]]
name = "rim"
parent = "hub"
joint = { name = "spin", type = "revolute", axis = "y" }
mass = 1
inertia = { xx = 0.1, yy = 0.2, zz = 0.1 }

[[line_force]]
name = "spring"
between = ["ground", "arm.tip"]
force = "k*(Z - z0) + 0.7*abs(Z - 0.6)*(Z - 0.6) + 4*Zd"

[[wheel]]
name = "tyre"
body = "rim"
radius = 0.4
vertical = "1000*depth + 10*depth_rate"
"#;

/// The power of all laws, less what the damping matrix takes where laws are linear in the rates.
fn power(case: &mut Case, state: &State) -> f64 {
    let still = State { effort: vec![0.0; state.qd.len()], ..state.clone() };
    case.eval("power", &still).values[0]
}

#[test]
fn elastic_energy_is_what_springs_take_from_the_motion() {
    let still: String = [" - 3*qd", " - 0.1*qd", " + 4*Zd", " + 10*depth_rate"]
        .iter()
        .fold(SPRINGS.to_owned(), |text, damper| text.replace(damper, ""));
    let mut case = Case::of("springs", &still);
    assert!(without_potential(&case.tree).is_empty());
    let mut touched = 0;
    for number in 1..=60 {
        let state = case.state(number);
        let step = 1e-4;
        let mut at = |by: f64| {
            let moved: Vec<f64> = state.qd.iter().map(|speed| by * speed).collect();
            let moved = case.moved(&state, &moved);
            case.eval("elastic_energy", &moved).values[0]
        };
        let rate =
            (8.0 * (at(step) - at(-step)) - (at(2.0 * step) - at(-2.0 * step))) / (12.0 * step);
        touched += usize::from(
            case.outputs("wheel(tyre)", case.formalisms("wheel(tyre)")[0], &state)
                .expect("a wheel")[0]
                .matrix
                .values[0]
                > 0.0,
        );
        agree("power of springs", &[rate], &[-power(&mut case, &state)], 2e-6);
    }
    assert!(touched > 5, "the tyre touches in some states: {touched}");
}

#[test]
fn dampers_have_no_part_in_the_elastic_energy() {
    let mut damped = Case::of("springs", SPRINGS);
    assert!(without_potential(&damped.tree).is_empty());
    let state = damped.state(3);
    let energy = damped.eval("elastic_energy", &state).values;
    let plain = SPRINGS.replace(" - 3*qd", "").replace(" + 4*Zd", "");
    let undamped = Case::of("springs", &plain).eval("elastic_energy", &state).values;
    assert_eq!(energy, undamped);
}

/// Laws that look at the time or at other coordinates have no potential, and are named.
#[test]
fn laws_without_potential_are_named() {
    let text =
        SPRINGS.replace("-k*q - k3*q^3", "-k*q*(1 + a)").replace("k*(Z - z0)", "k*(Z - z0*t)");
    let case = Case::of("no potential", &text);
    assert_eq!(without_potential(&case.tree), ["spring", "x.d"]);
}

#[test]
fn damping_is_the_slope_of_all_laws() {
    for (label, text) in [("springs", SPRINGS.to_owned()), ("forced", motion::forced())] {
        let mut case = Case::of(label, &text);
        for number in 1..=3 {
            let state = case.state(number);
            let damping = case.eval("damping", &state);
            let laws = case.eval("derivative(efforts, qd)", &state);
            let forces = case.eval("derivative(forces, qd)", &state);
            assert!(damping.size() > 0.1, "{label}");
            agree(
                label,
                &damping.values,
                &laws.plus(1.0, &forces).values.iter().map(|x| -x).collect::<Vec<_>>(),
                1e-12,
            );
        }
    }
}
