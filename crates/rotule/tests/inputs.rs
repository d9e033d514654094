//! Laws that see everything, inputs and controllers, against closed forms of what they do. The
//! campaign `coupled` has their derivatives and energies.

use rotule::input::{Extrapolation, InputSignal, InputTable, Interpolation, read_table};
use rotule::{Method, Model};

/// A cart on a rail with a law as its effort.
fn cart(effort: &str, more: &str) -> String {
    format!(
        "[model]\nname = \"cart\"\n\n[[body]]\nname = \"cart\"\nparent = \"ground\"\n\
         joint = {{ name = \"x\", type = \"prismatic\", axis = \"x\", effort = \"{effort}\" }}\n\
         mass = 2\n\n[initial.q]\nx = 1\n\n{more}"
    )
}

const POLE: &str = r#"
[[body]]
name = "pole"
parent = "cart"
joint = { name = "th", type = "revolute", axis = "y" }
mass = 0.1
com = [0, 0, 0.5]
inertia = { yy = 0.01 }
points = { tip = [0, 0, 1] }
"#;

const FEEDBACK: &str = "10*x + 12*x.d + 90*th + 20*th.d";

#[test]
fn a_law_a_signal_and_a_function_of_the_caller_move_alike() {
    let end = |model: &Model, signal: Option<InputSignal>, method: Method| {
        let mut run = model.simulate().to(2.0).tolerance(1e-11, 1e-13).method(method);
        if let Some(signal) = signal {
            run = run.input("u", signal);
        }
        let run = run.run().expect("it moves");
        [run.last("x").expect("a channel"), run.last("th").expect("a channel")]
    };
    let law = Model::read("law.toml", cart(FEEDBACK, POLE)).expect("a model");
    let expected = end(&law, None, Method::Dop853);
    let seen = "10*cart.x + 12*cart.velocity.x + 90*atan2(pole.tip.x - cart.x, pole.tip.z) \
                + 20*pole.tip.wy";
    let seen = Model::read("seen.toml", cart(seen, POLE)).expect("a model");
    let input = format!("[[input]]\nname = \"u\"\n{POLE}");
    let driven = Model::read("driven.toml", cart("u", &input)).expect("a model");
    let call = || {
        InputSignal::call(|point| {
            10.0 * point.q[0] + 12.0 * point.qd[0] + 90.0 * point.q[1] + 20.0 * point.qd[1]
        })
    };
    let runs = [
        end(&seen, None, Method::Dop853),
        end(&driven, Some(call()), Method::Dop853),
        end(&driven, Some(call()), Method::Radau),
        end(&law, None, Method::Radau),
    ];
    for found in runs {
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-8, "{found} instead of {expected}");
        }
    }
}

/// The positions of a cart of 2 kg at samples, with a force that is held or continued.
fn sampled(keys: &str) -> Vec<f64> {
    let more = format!("[[controller]]\nname = \"u\"\nevery = 0.1\n{keys}\n");
    let model = Model::read("sampled.toml", cart("u", &more)).expect("a model");
    let run = model.simulate().to(2.0).every(0.1).tolerance(1e-12, 1e-13).run().expect("it moves");
    run.channel("x").expect("a channel").to_vec()
}

/// The positions by the closed form: between times at which the force changes it is constant.
fn closed_form(force: impl Fn(usize, [f64; 2], &[f64]) -> f64, delay: f64) -> Vec<f64> {
    let (every, mass) = (0.1, 2.0);
    let (mut x, mut v) = (1.0, 0.0);
    let (mut sent, mut found) = (Vec::new(), vec![x]);
    let whole = (delay / every + 1e-9).floor();
    let rest = delay - whole * every;
    for k in 0..20 {
        let u = force(k, [x, v], &sent);
        sent.push(u);
        let at = |back: f64| {
            let from = k as f64 - back;
            if from < 0.0 { 0.0 } else { sent[from as usize] }
        };
        // Until what was sent before is applied, and then.
        for (length, u) in [(rest, at(whole + 1.0)), (every - rest, at(whole))] {
            x += v * length + u / mass * length * length / 2.0;
            v += u / mass * length;
        }
        found.push(x);
    }
    found
}

fn compare(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-12, "{what}, {k}: {found} instead of {expected}");
    }
}

#[test]
fn sampled_controllers_are_their_closed_forms() {
    let law = |[x, v]: [f64; 2]| -2.0 * x - 3.0 * v;
    let output = "output = \"-2*x - 3*x.d\"";
    compare(&sampled(output), &closed_form(|_, s, _| law(s), 0.0), "held");
    for delay in [0.03, 0.1, 0.2, 0.25] {
        let found = sampled(&format!("{output}\ndelay = {delay}"));
        compare(&found, &closed_form(|_, s, _| law(s), delay), &format!("delay {delay}"));
    }
    let steps = |u: f64| 0.25 * (u / 0.25 + 0.5).floor();
    let found = sampled(&format!("{output}\nquantum = 0.25\nlimits = [-1, 1]"));
    compare(&found, &closed_form(|_, s, _| steps(law(s)).clamp(-1.0, 1.0), 0.0), "steps");
    // A state of the controller: its next value is of what was before.
    let memory = std::cell::RefCell::new(0.0);
    let filtered = |_: usize, state: [f64; 2], _: &[f64]| {
        let before = memory.replace_with(|y| 0.5 * *y + 0.5 * state[0]);
        -2.0 * before - 3.0 * state[1]
    };
    let found = sampled("states = { y = \"0.5*y + 0.5*x\" }\noutput = \"-2*y - 3*x.d\"");
    compare(&found, &closed_form(filtered, 0.0), "states");
}

#[test]
fn blocks_are_their_closed_forms() {
    let state = std::cell::RefCell::new([0.0; 2]);
    let pid = |k: usize, [x, _]: [f64; 2], _: &[f64]| {
        let (e, mut own) = (-x, state.borrow_mut());
        let before = if k == 0 { 0.0 } else { own[1] };
        let u = 4.0 * e + own[0] + 3.0 * (e - before) / 0.1;
        *own = [own[0] + 0.5 * 0.1 * e, e];
        u
    };
    let found = sampled("type = \"pid\"\ninput = \"-x\"\nkp = 4\nki = 0.5\nkd = 3");
    compare(&found, &closed_form(pid, 0.0), "pid");
    let held = std::cell::RefCell::new(0.0);
    let filter = |_: usize, [x, _]: [f64; 2], _: &[f64]| {
        let part = 1.0 - (-0.1_f64 / 0.3).exp();
        let mut y = held.borrow_mut();
        *y += part * (-x - *y);
        *y
    };
    let found = sampled("type = \"filter\"\ninput = \"-x\"\ntime = 0.3");
    compare(&found, &closed_form(filter, 0.0), "filter");
    // y = (0.2 u + 0.1 u-)/(1 - 0.7/z)
    let last = std::cell::RefCell::new([0.0; 2]);
    let transfer = |_: usize, [x, _]: [f64; 2], _: &[f64]| {
        let mut last = last.borrow_mut();
        let y = 0.2 * -x + 0.1 * last[0] + 0.7 * last[1];
        *last = [-x, y];
        y
    };
    let keys =
        "type = \"transfer\"\ninput = \"-x\"\nnumerator = [0.2, 0.1]\ndenominator = [1, -0.7]";
    compare(&sampled(keys), &closed_form(transfer, 0.0), "transfer");
    let slow = std::cell::RefCell::new(0.0);
    let limited = |_: usize, [x, _]: [f64; 2], _: &[f64]| {
        let mut y = slow.borrow_mut();
        *y += (-x - *y).clamp(-0.02, 0.05);
        *y
    };
    let keys = "type = \"rate_limit\"\ninput = \"-x\"\nrise = 0.5\nfall = 0.2";
    compare(&sampled(keys), &closed_form(limited, 0.0), "rate limit");
}

#[test]
fn continuous_blocks_follow_their_equations() {
    // A transfer function 1/(s^2 + 0.4 s + 1) on a step, beside the mass on a spring that it is.
    let more = "[[controller]]\nname = \"y\"\ntype = \"transfer\"\ninput = \"1\"\nnumerator = [1]\n\
                denominator = [1, 0.4, 1]\n\n[[state]]\nname = \"copy\"\nrate = \"y\"\n";
    let model = Model::read("c.toml", cart("2*(1 - x) - 0.8*x.d", more)).expect("a model");
    let model = Model::read("c.toml", model.text().replace("x = 1\n", "x = 0\n")).expect("a model");
    let run = model
        .simulate()
        .to(3.0)
        .tolerance(1e-11, 1e-13)
        .channels(&rotule::simulate::ChannelGroup::ALL.map(|one| one.0))
        .run()
        .expect("it moves");
    let (y, x) = (run.last("y.x1").expect("a state"), run.last("x").expect("a channel"));
    assert!((y - x).abs() < 1e-9, "{y} instead of {x}");
}

#[test]
fn tables_are_refused_by_line() {
    let input = "[[input]]\nname = \"u\"\nunit = \"N\"\nlimits = [-10, 10]\n";
    let model = Model::read("m.toml", cart("u", input));
    let model = model.expect("a model");
    let folder = std::env::temp_dir().join(format!("rotule-inputs-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("table.csv");
    let read = |text: &str| {
        std::fs::write(&path, text).expect("a file");
        read_table(&path, model.mechanism(), Interpolation::Linear, Extrapolation::Hold)
    };
    for (text, expected) in [
        ("", "the table is empty"),
        ("time,u\n0,1\n", "the first column is `time`, not the time"),
        ("t,v\n0,1\n", "there is no input `v`"),
        ("t,u\n0,1\n1,\n", "line 3, column `u`: a number is missing"),
        ("t,u\n0,1\n1,x\n", "line 3, column `u`: `x` is not a number"),
        ("t,u\n0,1\n1,NaN\n", "line 3, column `u`: the value is not a finite number"),
        ("t,u\n0,1\n\n0,2\n", "line 4, column `u`: the time 0 does not come behind 0"),
        ("t,u\n0,1\n1\n", "line 3 has 1 columns, the heading 2"),
        ("t,u [kg]\n0,1\n", "`kg` is of another dimension"),
        ("t\n0\n", "there is no column but the time"),
        ("t,u\n0,1\n\n1,11\n", "line 4, column `u`: 11 is beyond the limits -10 and 10"),
    ] {
        let message = read(text).expect_err("it is refused").to_string();
        assert!(message.contains(expected), "{text:?}: {message}");
    }
    let table = read("t,u [kN]\n0,0\n1,0.002\n2,0.002\n").expect("a table");
    let run = model.simulate().to(3.0).tolerance(1e-11, 1e-13);
    let run = table.into_iter().fold(run, |run, (name, signal)| run.input(&name, signal));
    let run = run.run().expect("it moves");
    // A ramp of 2 N in a second, then held: x = 1 + t^3/6, v = 1/2, then t^2/2 more.
    let expected = 1.0 + 1.0 / 6.0 + 0.5 * 2.0 + 2.0;
    assert!((run.last("x").expect("a channel") - expected).abs() < 1e-9);
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

/// A row at a sample, but for rounding of its time, shows what was sampled; controllers that sample
/// at the same time, but for rounding, do so in the order of the file.
#[test]
fn rows_at_samples_come_behind_them() {
    let counter = "[[controller]]\nname = \"a\"\nevery = 0.1\noutput = \"a + 1\"\n";
    let copy = "[[controller]]\nname = \"b\"\nevery = 0.3\noutput = \"a\"\n";
    for (text, late) in [(format!("{copy}{counter}"), 1.0), (format!("{counter}{copy}"), 0.0)] {
        let model = Model::read("m.toml", cart("0", &text)).expect("a model");
        for every in [0.1, 0.3] {
            let run = model.simulate().to(3.0).every(every).run().expect("it moves");
            let a = run.channel("a").expect("a channel");
            let b = run.channel("b").expect("a channel");
            for (row, (a, b)) in a.iter().zip(b).enumerate() {
                let samples = (row as f64 * every / 0.1).round();
                assert_eq!(*a, samples + 1.0, "row {row} of every {every}");
                let seen = 3.0 * (samples / 3.0).floor() + 1.0;
                assert_eq!(*b, seen - late, "row {row} of every {every}");
            }
        }
        // The end of a run is a sample, too.
        let run = model.simulate().to(0.3).every(0.1).run().expect("it moves");
        assert_eq!(run.last("a").expect("a channel"), 4.0);
    }
}

/// A pendulum on a cart that an input moves: what jumps is no mechanics, and is told.
#[test]
fn imposed_motions_that_jump_are_told() {
    let text = |more: &str| {
        let motion = "[[motion]]\njoint = \"x\"\nq = \"u\"\n";
        let text = cart("0", &format!("[[input]]\nname = \"u\"\n{more}{POLE}{motion}"));
        text.replace("x = 1\n", "x = 0\n")
    };
    let plain = Model::read("m.toml", text("")).expect("a model");
    let filtered = Model::read("m.toml", text("filter = 0.1\n")).expect("a model");
    let rows = |values: [f64; 3]| {
        let times = vec![0.0, 0.4, 0.8];
        InputTable::new(times, values.to_vec(), Interpolation::Cubic, Extrapolation::Hold)
    };
    let signals: [(InputSignal, Option<&str>); 5] = [
        ("if(t < 0.5, 0, 0.1)".into(), Some("`x` jumps by 0.1 at t = 0.5 s")),
        ("table(t, 0, 0, 1, 1)".into(), Some("`x.d` jumps by \u{2212}1 at t = 1 s")),
        // Its spline goes on with a slope, and is held.
        (rows([0.0, 1.0, 0.0]).expect("a table").into(), Some("`x.d` jumps by 3.75 at t = 0.8 s")),
        (rows([0.0; 3]).expect("a table").into(), None),
        ("0.1*max(0, t - 0.5)^2".into(), None),
    ];
    for (signal, told) in signals {
        let run = |model: &Model| {
            let run = model.simulate().to(1.5).input("u", signal.clone()).run();
            run.expect("it moves").verdict().warnings.clone()
        };
        let warnings = run(&plain);
        match (told, &warnings[..]) {
            (None, []) => {}
            (Some(told), [one]) => assert!(one.message.contains(told), "{}", one.message),
            _ => panic!("{signal:?}: {warnings:?}"),
        }
        assert!(run(&filtered).is_empty(), "{signal:?}");
    }
}

/// A transfer function is the same with all its coefficients negative.
#[test]
fn a_denominator_may_begin_with_a_negative_number() {
    let end = |numerator: &str, denominator: &str| {
        let more = format!(
            "[[controller]]\nname = \"u\"\ntype = \"transfer\"\ninput = \"1 - x\"\n\
             numerator = {numerator}\ndenominator = {denominator}\n"
        );
        let model = Model::read("m.toml", cart("u", &more))?;
        model.simulate().to(2.0).run()?.last("x")
    };
    let expected = end("[3, 2]", "[1, 0.4, 1]").expect("it moves");
    assert_eq!(end("[-3, -2]", "[-1, -0.4, -1]").expect("it moves"), expected);
    let error = end("[1]", "[0, 1]").expect_err("it is refused").to_string();
    assert!(error.contains("must not be zero"), "{error}");
}

/// Parameters decide when controllers sample; what a mechanism was not made for is refused.
#[test]
fn periods_and_delays_follow_parameters_or_are_refused() {
    let more = "[parameters]\nT = 0.1\nd = 0.25\n[[controller]]\nname = \"a\"\nevery = \"T\"\n\
                delay = \"d\"\noutput = \"t\"\n";
    let mut model = Model::read("m.toml", cart("0", more)).expect("a model");
    let end = |model: &Model| model.simulate().to(1.04).run()?.last("a");
    // The last sample that was applied is the one at 0.7 s.
    assert!((end(&model).expect("it moves") - 0.7).abs() < 1e-12);
    model.set("d", 0.22).expect("a parameter");
    assert!((end(&model).expect("it moves") - 0.8).abs() < 1e-12);
    for (name, value, told) in [
        ("d", 0.1, "another number of periods"),
        ("d", 0.3, "another number of periods"),
        ("T", 0.3, "another number of periods"),
        ("T", 0.0, "must be positive"),
        ("T", -1.0, "must be positive"),
    ] {
        let mut model = Model::read("m.toml", cart("0", more)).expect("a model");
        let told_at_once = model.set(name, value).err();
        let error = told_at_once.unwrap_or_else(|| end(&model).expect_err("it is refused"));
        let error = error.to_string();
        assert!(error.contains(told), "{name} = {value}: {error}");
    }
}

/// Numbers in the place of parameters change nothing, wherever these stand.
#[test]
fn frozen_parameters_of_laws_inputs_and_controllers_are_numbers() {
    let more = "[parameters]\nT = 0.1\nl = 0.8\na = 0.3\ntau = 0.2\nk = 5\n\
                [[input]]\nname = \"u\"\nvalue = \"a*sin(3*t)\"\nlimits = [\"-2*a\", \"2*a\"]\nfilter = \"tau\"\n\
                [[controller]]\nname = \"c\"\nevery = \"T\"\ndelay = \"T/4\"\noutput = \"-k*pole.mark.x - x.d\"\n\
                [[motion]]\njoint = \"th\"\nq = \"u\"\n";
    let pole = POLE.replace("[0, 0, 1] }", "[0, 0, 1], mark = [0, 0, \"l\"] }");
    let text = cart("c + 0.1*pole.mark.velocity.x", &format!("{more}{pole}"));
    let mut model = Model::read("m.toml", text).expect("a model");
    let end = |model: &Model| {
        let run = model.simulate().to(2.0).run().expect("it moves");
        ["x", "th", "c"].map(|name| run.last(name).expect("a channel"))
    };
    let expected = end(&model);
    assert!(expected[2] != 0.0);
    model.freeze_all();
    assert!(model.parameters().is_empty());
    for (found, expected) in end(&model).iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{found} instead of {expected}");
    }
}
