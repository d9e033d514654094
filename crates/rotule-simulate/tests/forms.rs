//! All forms of the constrained equations have one motion: independent coordinates, all coordinates
//! with Baumgarte's terms or projection, and index 3.

use rotule_program::NoExternals;
use rotule_simulate::augmented::{ConstraintForm, Gains};
use rotule_simulate::event::Record;
use rotule_simulate::inputs::InputPoint;
use rotule_simulate::method::Accuracy;
use rotule_simulate::methods::method;
use rotule_simulate::ode::Ode;
use rotule_simulate::plant::Plant;
use rotule_simulate::reactions::Reactions;
use rotule_simulate::run::{End, Outcome, Threshold};
use rotule_testing::simulate;
use rotule_testing::simulate::{example, motion, plant_in};

fn within(tolerance: f64) -> Accuracy {
    Accuracy::Within { relative: tolerance, absolute: tolerance }
}

/// The last point of a run, and what is known of it.
fn end(
    text: &str,
    form: ConstraintForm,
    name: &str,
    accuracy: Accuracy,
    to: f64,
) -> (InputPoint, Outcome) {
    let mut plant = plant_in(text, form);
    let mut method = method(name, accuracy, plant.size()).expect("a method");
    let (outcome, kept) = motion(&mut plant, method.as_mut(), to, to, Threshold::AUTOMATIC);
    assert_eq!(outcome.end, End::Reached, "{form:?} {name}");
    (kept.points.last().expect("a last point").clone(), outcome)
}

/// The largest difference of coordinates, and of speeds and accelerations in parts of the largest.
fn apart(one: &InputPoint, other: &InputPoint) -> [f64; 3] {
    let most = |a: &[f64], b: &[f64], scale: bool| {
        let size = b.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let size = if scale { size.max(f64::MIN_POSITIVE) } else { 1.0 };
        a.iter().zip(b).fold(0.0_f64, |most, (a, b)| most.max((a - b).abs())) / size
    };
    [
        most(&one.q, &other.q, false),
        most(&one.qd, &other.qd, true),
        most(&one.qdd, &other.qdd, true),
    ]
}

fn check(text: &str, to: f64, step: f64) {
    let accuracy = within(1e-11);
    let (reference, _) = end(text, ConstraintForm::Partition, "dop853", accuracy, to);
    for form in [
        ConstraintForm::Projection,
        ConstraintForm::Baumgarte(Gains::Step),
        ConstraintForm::Unstabilised,
    ] {
        let (found, outcome) = end(text, form, "dop853", accuracy, to);
        let found = apart(&found, &reference);
        println!("{form:?}: {found:?}, drift {:?}", outcome.drift);
        assert!(found.iter().all(|&one| one < 1e-7), "{form:?}: {found:?}");
    }
    for (form, name) in [
        (ConstraintForm::Index3, "generalised-alpha"),
        (ConstraintForm::Partition, "newmark"),
        (ConstraintForm::Partition, "hht"),
    ] {
        let errors = [step, step / 2.0, step / 4.0].map(|step| {
            let (found, outcome) = end(text, form, name, Accuracy::Fixed(step), to);
            let found = apart(&found, &reference);
            println!("{form:?} {name}, {step}: {found:?}, {:?} {:?}", outcome.drift, outcome.work);
            assert!(outcome.drift.position < 1e-12, "{:?}", outcome.drift);
            found
        });
        for what in 0..3 {
            for pair in errors.windows(2) {
                let order = (pair[0][what] / pair[1][what]).log2();
                assert!((1.75..2.4).contains(&order), "{form:?} {name}, order {order}: {errors:?}");
            }
        }
    }
}

#[test]
fn a_four_bar_linkage_closed_by_a_joint() {
    check(&example("four_bar_joint.toml"), 1.0, 4e-3);
}

#[test]
fn a_four_bar_linkage_closed_by_a_rod() {
    check(&example("four_bar_rod.toml"), 1.0, 4e-3);
}

#[test]
fn a_four_bar_linkage_with_a_part_without_mass() {
    check(&example("four_bar_body.toml"), 1.0, 4e-3);
}

#[test]
fn a_spatial_slider_crank() {
    check(&example("spatial_slider_crank.toml"), 1.0, 4e-3);
}

#[test]
fn andrews_squeezer() {
    check(&example("andrews_squeezer.toml"), 0.01, 2e-5);
}

#[test]
fn a_driven_slider_crank() {
    // The crank turns as given, a second piston hangs on a spring of its own: one free coordinate
    // besides the loop.
    let text = example("slider_crank.toml")
        + "\n[[motion]]\njoint = \"q1\"\nq = \"pi/3 + 20*t + sin(5*t)\"\n\n\
           [[body]]\nname = \"bob\"\nparent = \"piston\"\nmass = 0.1\ncom = [0, -0.1, 0]\n\
           inertia = { zz = 1e-4 }\n\
           joint = { name = \"hang\", type = \"revolute\", axis = \"z\" }\n";
    check(&text, 0.5, 1e-3);
}

#[test]
fn a_top_on_a_spherical_joint() {
    // No constraint at all, but a quaternion.
    check(&example("heavy_top.toml"), 0.2, 1e-3);
}

#[test]
fn a_free_body_held_by_a_ball_needs_no_partition() {
    let text = example("heavy_top.toml");
    let (reference, _) = end(&text, ConstraintForm::Partition, "dop853", within(1e-12), 0.2);
    let held = text
        .replace("type = \"spherical\"", "type = \"free\"")
        .replace("attitude = [1, 0, 0, 0]", "attitude = [0, 0, 0, 1, 0, 0, 0]")
        .replace("attitude = [0, 150, -4.61538]", "attitude = [0, 0, 0, 0, 150, -4.61538]")
        + "\n[[cut]]\nname = \"foot\"\ntype = \"ball\"\nbetween = [\"top\", \"ground\"]\n";
    let error = |found: &InputPoint| {
        let length = found.q[3..].iter().map(|x| x * x).sum::<f64>().sqrt();
        assert!((length - 1.0).abs() < 1e-14, "{length}");
        let pairs = found.q[3..].iter().zip(&reference.q);
        pairs.fold(0.0_f64, |most, (a, b)| most.max((a - b).abs()))
    };
    for form in [ConstraintForm::Projection, ConstraintForm::Baumgarte(Gains::Step)] {
        let (found, outcome) = end(&held, form, "dop853", within(1e-11), 0.2);
        println!("{form:?}: {:e}, {:?}", error(&found), outcome.drift);
        assert!(error(&found) < 1e-7, "{form:?}: {:e}", error(&found));
    }
    let errors = [1e-3, 5e-4, 2.5e-4].map(|step| {
        let fixed = Accuracy::Fixed(step);
        let (found, outcome) = end(&held, ConstraintForm::Index3, "generalised-alpha", fixed, 0.2);
        println!("{step}: {:e}, {:?} {:?}", error(&found), outcome.drift, outcome.work);
        assert!(outcome.drift.position < 1e-12);
        error(&found)
    });
    for pair in errors.windows(2) {
        assert!((1.75..2.4).contains(&(pair[0] / pair[1]).log2()), "{errors:?}");
    }
}

#[test]
fn wheels_that_roll() {
    // Rows of positions and rows of speeds.
    let text = example("whipple_bicycle.toml");
    let (reference, _) = end(&text, ConstraintForm::Partition, "dop853", within(1e-11), 1.0);
    let (found, outcome) = end(&text, ConstraintForm::Projection, "dop853", within(1e-11), 1.0);
    println!("{:?}, {:?}", apart(&found, &reference), outcome.drift);
    assert!(apart(&found, &reference).iter().all(|&one| one < 1e-7));
    let errors = [8e-3, 4e-3].map(|step| {
        let (found, outcome) =
            end(&text, ConstraintForm::Index3, "hht=0.1", Accuracy::Fixed(step), 1.0);
        println!("{step}: {:?}, {:?}", apart(&found, &reference), outcome.drift);
        assert!(outcome.drift.position < 1e-12 && outcome.drift.velocity < 1e-2);
        apart(&found, &reference)
    });
    for what in 0..2 {
        let order = (errors[0][what] / errors[1][what]).log2();
        assert!((1.7..2.4).contains(&order), "{errors:?}");
    }
}

#[test]
fn forces_of_constraints_are_the_same_in_all_forms() {
    let text = example("andrews_squeezer.toml");
    let found = [ConstraintForm::Partition, ConstraintForm::Projection].map(|form| {
        let mut plant = plant_in(&text, form);
        let mut method = method("dop853", within(1e-11), plant.size()).expect("a method");
        motion(&mut plant, method.as_mut(), 0.005, 0.005, Threshold::AUTOMATIC);
        let mut reactions = Reactions::new(&mut plant).expect("reactions");
        reactions.find(&mut plant);
        reactions.multipliers
    });
    let size = found[0].iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    assert!(size > 1.0);
    for (one, other) in found[0].iter().zip(&found[1]) {
        assert!((one - other).abs() < 1e-7 * size, "{found:?}");
    }
}

/// The largest residual of positions in each of some equal parts of a run.
fn drifts(text: &str, form: ConstraintForm, step: f64, parts: u32) -> Vec<f64> {
    let mut plant = plant_in(text, form);
    let mut method = method("rk4", Accuracy::Fixed(step), plant.size()).expect("a method");
    let drift = |part: u32| {
        let to = 2.0 * f64::from(part);
        let (outcome, _) = motion(&mut plant, method.as_mut(), to, 2.0, Threshold::Never);
        assert_eq!(outcome.end, End::Reached);
        outcome.drift.position.max(1e-3 * outcome.drift.velocity)
    };
    (1..=parts).map(drift).collect()
}

#[test]
fn drift_grows_is_bounded_or_is_not_there() {
    let text = example("four_bar_joint.toml");
    let free = drifts(&text, ConstraintForm::Unstabilised, 4e-3, 5);
    let pulled = drifts(&text, ConstraintForm::Baumgarte(Gains::Step), 4e-3, 5);
    let given = drifts(&text, ConstraintForm::Baumgarte(Gains::Given([20.0; 2])), 4e-3, 5);
    let projected = drifts(&text, ConstraintForm::Projection, 4e-3, 5);
    println!("{free:?}\n{pulled:?}\n{given:?}\n{projected:?}");
    assert!(free.windows(2).all(|pair| pair[1] > pair[0]) && free[4] > 4.0 * free[0], "{free:?}");
    assert!(pulled[4] < 1.5 * pulled[0] && pulled[4] < 0.02 * free[4], "{pulled:?}");
    assert!(given[4] < 2.0 * given[0] && given[4] < 0.2 * free[4], "{given:?}");
    assert!(projected.iter().all(|&one| one < 1e-12), "{projected:?}");
}

#[test]
fn stiff_methods_take_all_coordinates_too() {
    let text = example("four_bar_joint.toml");
    let (reference, _) = end(&text, ConstraintForm::Partition, "dop853", within(1e-11), 0.5);
    for (form, name) in
        [(ConstraintForm::Projection, "radau"), (ConstraintForm::Baumgarte(Gains::Step), "bdf")]
    {
        let (found, outcome) = end(&text, form, name, within(1e-8), 0.5);
        println!("{name}: {:?} {:?}", apart(&found, &reference), outcome.drift);
        assert!(apart(&found, &reference)[..2].iter().all(|&one| one < 2e-5), "{name}");
    }
}

/// A slider-crank whose piston a valve pushes: its pressure follows the crank with a lag.
fn pushed() -> String {
    let text = example("slider_crank.toml");
    let joint = "name = \"q3\", type = \"prismatic\", axis = \"x\"";
    assert!(text.contains(joint));
    let text = text.replace(joint, &format!("{joint}, effort = \"-p - 0.5*qd\""));
    text + "\n[[state]]\nname = \"p\"\ninitial = 2\nrate = \"30*(8*sin(q1) - p) - 0.3*q3.d\"\n"
}

#[test]
fn further_states_move_alike_in_all_forms_of_first_order() {
    let text = pushed();
    let (reference, _) = end(&text, ConstraintForm::Partition, "dop853", within(1e-11), 0.5);
    assert!((reference.states[0] - 2.0).abs() > 0.1, "the state moves");
    for (form, name, allowed) in [
        (ConstraintForm::Projection, "dop853", 1e-8),
        (ConstraintForm::Baumgarte(Gains::Step), "dop853", 1e-8),
        (ConstraintForm::Unstabilised, "dormand-prince", 1e-8),
        (ConstraintForm::Projection, "radau", 1e-7),
    ] {
        let (found, _) = end(&text, form, name, within(1e-11), 0.5);
        let state = (found.states[0] - reference.states[0]).abs();
        println!("{form:?} {name}: {:?}, state {state:e}", apart(&found, &reference));
        assert!(apart(&found, &reference).iter().all(|&one| one < allowed), "{form:?} {name}");
        assert!(state < allowed, "{form:?} {name}: {state:e}");
    }
}

#[test]
fn plain_events_happen_alike_in_all_forms() {
    // The piston bounces off a wall without mass of its own, the pressure is cut off, and the third
    // turn ends the run.
    let text = pushed()
        + "\n[[event]]\nname = \"wall\"\nwhen = \"q3 - 0.25\"\ndirection = \"falling\"\n\
           impact = { joint = \"q3\", restitution = 0.6 }\n\
           \n[[event]]\nname = \"valve\"\nwhen = \"t - 0.2\"\nset = { p = \"p/2\" }\n\
           \n[[event]]\nname = \"done\"\nwhen = \"t - 0.4\"\nend = true\n";
    let run = |form: ConstraintForm| {
        let mut plant = plant_in(&text, form);
        let mut method = method("dop853", within(1e-11), plant.size()).expect("a method");
        let (outcome, _) = motion(&mut plant, method.as_mut(), 1.0, 0.1, Threshold::AUTOMATIC);
        assert_eq!(outcome.end, End::Event("done".to_owned()), "{form:?}");
        (plant.point().clone(), outcome.events)
    };
    let (reference, expected) = run(ConstraintForm::Partition);
    assert!(expected.iter().filter(|one| one.name == "wall").count() >= 2, "{expected:?}");
    for form in [
        ConstraintForm::Projection,
        ConstraintForm::Baumgarte(Gains::Step),
        ConstraintForm::Unstabilised,
    ] {
        let (found, events) = run(form);
        assert_eq!(events.len(), expected.len(), "{form:?}");
        for (one, other) in events.iter().zip(&expected) {
            assert_eq!(one.name, other.name, "{form:?}");
            assert!((one.t - other.t).abs() < 1e-7, "{form:?}: {} {}", one.t, other.t);
        }
        assert!(apart(&found, &reference)[..2].iter().all(|&one| one < 1e-6), "{form:?}");
        assert!((found.states[0] - reference.states[0]).abs() < 1e-6, "{form:?}");
    }
}

#[test]
fn impacts_happen_alike_with_index_3() {
    let text = example("slider_crank.toml")
        + "\n[[event]]\nname = \"wall\"\nwhen = \"q3 - 0.25\"\ndirection = \"falling\"\n\
           impact = { joint = \"q3\", restitution = 0.6 }\n";
    let run = |form: ConstraintForm, name: &str, accuracy: Accuracy| {
        let mut plant = plant_in(&text, form);
        let mut method = method(name, accuracy, plant.size()).expect("a method");
        let (outcome, _) = motion(&mut plant, method.as_mut(), 0.4, 0.1, Threshold::AUTOMATIC);
        assert_eq!(outcome.end, End::Reached);
        // A step of index 3 that an event cuts ends where the cubic between its ends is, which no
        // equation closes.
        let open = if form == ConstraintForm::Index3 { 1e-8 } else { 1e-12 };
        assert!(outcome.drift.position < open, "{:?}", outcome.drift);
        outcome.events
    };
    let expected = run(ConstraintForm::Partition, "dop853", within(1e-11));
    assert!(expected.len() >= 2);
    let error = |step: f64| {
        let found = run(ConstraintForm::Index3, "generalised-alpha", Accuracy::Fixed(step));
        assert_eq!(found.len(), expected.len());
        let late = |(a, b): (&Record, &Record)| (a.t - b.t).abs();
        found.iter().zip(&expected).map(late).fold(0.0, f64::max)
    };
    let (coarse, fine) = (error(4e-4), error(2e-4));
    println!("{coarse:e} {fine:e}");
    // Order two, through impacts.
    assert!(fine < 1e-4 && fine < 0.4 * coarse, "{coarse:e} {fine:e}");
}

/// A slider-crank with a pendulum on its piston that is caught and let go again, under constant
/// efforts on both loop joints and the pendulum.
#[test]
fn reduced_equations_of_second_order_know_locks_and_efforts() {
    let text = example("slider_crank.toml")
        + "\n[[body]]\nname = \"bob\"\nparent = \"piston\"\nmass = 0.1\ncom = [0, -0.1, 0]\n\
           inertia = { zz = 1e-4 }\n\
           joint = { name = \"q4\", type = \"revolute\", axis = \"z\" }\n\
           [[event]]\nname = \"catch\"\nwhen = \"t - 0.1\"\nlock = [\"q4\"]\n\
           [[event]]\nname = \"release\"\nwhen = \"t - 0.2\"\nunlock = [\"q4\"]\n";
    let end = |name: &str, accuracy: Accuracy| {
        let mut plant = plant_in(&text, ConstraintForm::Partition);
        plant.jump(|point| point.effort.copy_from_slice(&[0.2, -0.1, 0.3, 0.02]));
        let mut method = method(name, accuracy, plant.size()).expect("a method");
        let (outcome, kept) = motion(&mut plant, method.as_mut(), 0.3, 0.3, Threshold::AUTOMATIC);
        assert_eq!((outcome.end, outcome.events.len()), (End::Reached, 2), "{name}");
        kept.points.last().expect("a last point").clone()
    };
    let reference = end("dop853", within(1e-11));
    let mut other = plant_in(&text, ConstraintForm::Partition);
    let mut plain = method("dop853", within(1e-11), other.size()).expect("a method");
    let (_, kept) = motion(&mut other, plain.as_mut(), 0.3, 0.3, Threshold::AUTOMATIC);
    let moved = apart(kept.points.last().expect("a last point"), &reference);
    assert!(moved[0] > 1e-3, "the efforts matter: {moved:?}");
    for name in ["newmark", "hht"] {
        let errors =
            [4e-4, 2e-4, 1e-4].map(|step| apart(&end(name, Accuracy::Fixed(step)), &reference));
        println!("{name}: {errors:?}");
        for pair in errors.windows(2) {
            let order = (pair[0][0] / pair[1][0]).log2();
            assert!((1.75..2.4).contains(&order), "{name}, order {order}: {errors:?}");
        }
    }
}

#[test]
fn what_only_a_partition_can_do_is_refused_by_name() {
    let state = "\n[[state]]\nname = \"i\"\nrate = \"-i\"\n";
    let lock = "\n[[event]]\nname = \"catch\"\nwhen = \"t - 1\"\nlock = [\"q1\"]\n";
    let set = "\n[[event]]\nname = \"kick\"\nwhen = \"t - 1\"\nset = { \"q1.d\" = 3 }\n";
    for (more, form, expected) in [
        (state, ConstraintForm::Index3, "constraints by index3 do not support state `i`"),
        (
            lock,
            ConstraintForm::Projection,
            "constraints by projection do not support event `catch`, which holds or sets joints or constraints",
        ),
        (
            set,
            ConstraintForm::Projection,
            "constraints by projection do not support event `kick`, which holds or sets joints or constraints",
        ),
    ] {
        let tree = simulate::tree(&(example("slider_crank.toml") + more));
        let start = simulate::plant(&example("slider_crank.toml")).point().clone();
        let start = start.with_states(vec![1.0; tree.mechanism.states.len()]);
        let externals = Box::new(NoExternals);
        let problem = Plant::in_form(tree, start, externals, form).err().expect("a refusal");
        assert_eq!(problem.message, expected);
    }
}

#[test]
fn the_kernel_that_was_asked_for_runs_all_forms() {
    for form in [ConstraintForm::Partition, ConstraintForm::Projection, ConstraintForm::Index3] {
        let text = example("slider_crank.toml");
        let start = simulate::plant(&text).point().clone();
        let externals = Box::new(NoExternals);
        let runner = rotule_jit::KernelKind::Interpreter;
        let plant = Plant::run_by(runner, simulate::tree(&text), start, externals, form);
        assert_eq!(plant.expect("equations").kernel(), "interpreter", "{form:?}");
    }
}

/// A mechanism with a massless direction is refused at the start by every form, with the name of
/// the coordinate.
#[test]
fn a_singular_mass_matrix_is_refused_by_every_form() {
    let slider = |name: &str, parent: &str, joint: &str, mass: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nparent = \"{parent}\"\nmass = {mass:?}\n\
             joint = {{ name = \"{joint}\", type = \"prismatic\", axis = \"x\" }}\n"
        )
    };
    let text = |light: f64| {
        format!(
            "[model]\nname = \"sliders\"\n{}{}{}[[coupling]]\nname = \"tie\"\nequation = \"x1 = 2*x3\"\n",
            slider("a", "ground", "x1", 1.0),
            slider("b", "a", "x2", light),
            slider("c", "ground", "x3", 1.0),
        )
    };
    for form in [
        ConstraintForm::Partition,
        ConstraintForm::Projection,
        ConstraintForm::Baumgarte(Gains::Step),
        ConstraintForm::Unstabilised,
        ConstraintForm::Index3,
    ] {
        plant_in(&text(1e-3), form);
        let tree = simulate::tree(&text(0.0));
        let start = InputPoint::new(0.0, vec![0.0; 3], vec![0.0; 3], Vec::new());
        let found = Plant::in_form(tree, start, Box::new(NoExternals), form);
        let problem = found.err().map(|problem| problem.to_string()).unwrap_or_default();
        let words = "the reduced mass matrix is singular in `x2`, which moves body `b`";
        assert!(problem.contains(words), "{form:?}: {problem}");
    }
}
