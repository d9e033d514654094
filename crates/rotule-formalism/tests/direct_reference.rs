//! Direct dynamics against digits nobody here wrote.
//!
//! PUMA 560 (Corke and Armstrong-Helouvry 1994) and KUKA iiwa 14 (Drake's benchmark data): accelerations of Pinocchio
//! 4.1.0. Cart with pole: closed form. Furuta pendulum, chain of pendulums and heavy top: computed in 113-bit
//! arithmetic. Sliding pendulum: corrected equations of the KINDA report.
#![allow(clippy::approx_constant, reason = "digits stand as they were given")]

mod common;

use common::{agree, example, numbers, state, tree, write};
use rotule_formalism::Formalism::{self, Barycentric, Classical, OrderN};
use rotule_formalism::{Function, Generated, Tree, generate};
use rotule_program::{Interpreter, NoExternals};
use std::collections::BTreeMap;

/// A state with the efforts that act, and the accelerations that belong to it.
struct Row {
    q: &'static [f64],
    qd: &'static [f64],
    efforts: &'static [f64],
    qdd: &'static [f64],
}

fn check(model: &str, parameters: &[(&str, f64)], rows: &[Row], tolerance: f64) {
    for formalism in [Classical, Barycentric, OrderN] {
        let mut tree = tree(&example(model));
        let direct = write(&mut tree, "direct", formalism);
        for row in rows {
            let mut state = given(&tree, row);
            for (name, number) in parameters {
                assert!(state.insert((*name).to_owned(), *number).is_some(), "{name}");
            }
            let what = format!("{model} {}", formalism.name());
            agree(&what, &numbers(&tree, &direct[0], &state), row.qdd, tolerance);
        }
    }
}

fn given(tree: &Tree, row: &Row) -> BTreeMap<String, f64> {
    let mut state = state(tree, 1);
    let mechanism = &tree.mechanism;
    for (one, q) in mechanism.coordinates.iter().zip(row.q) {
        state.insert(mechanism.graph.text(one.symbol), *q);
    }
    for (at, one) in mechanism.speeds.iter().enumerate() {
        state.insert(mechanism.graph.text(one.symbol), row.qd[at]);
        state.insert(mechanism.graph.text(one.effort), row.efforts[at]);
    }
    state
}

#[test]
fn puma_560_with_rotors() {
    check("puma560.toml", &[], PUMA_WITH_ROTORS, 1e-12);
}

#[test]
fn puma_560_without_rotors() {
    let names = ["Jm1", "Jm2", "Jm3", "Jm4", "Jm5", "Jm6"];
    check("puma560.toml", &names.map(|name| (name, 0.0)), PUMA, 1e-12);
}

#[test]
fn kuka_iiwa_14() {
    check("kuka_iiwa14.toml", &[], KUKA, 1e-12);
}

#[test]
fn cart_with_pole() {
    let row = |efforts, qdd| Row { q: &[0.0, 0.1], qd: &[0.2, -0.3], efforts, qdd };
    let rows = [
        row(&[10.0, 0.0], &[9.678247560018361, -12.977293727506865]),
        row(&[0.0, 0.0], &[-0.07074034151352207, 1.5731316263970907]),
    ];
    check("cart_pole.toml", &[], &rows, 1e-12);
    check("cart_pole.toml", &[("F", 10.0)], &[row(&[0.0, 0.0], rows[0].qdd)], 1e-12);
}

#[test]
fn furuta_pendulum() {
    let qdd = &[2.2124687569832764, -13.054901693143872];
    let row = Row { q: &[0.3, 0.7], qd: &[1.1, -0.9], efforts: &[0.05, 0.0], qdd };
    check("furuta.toml", &[], &[row], 1e-12);
}

#[test]
fn sliding_pendulum() {
    let qdd = &[4.554791864191, -5.078247046805];
    let row = Row { q: &[0.1, 0.7], qd: &[-0.3, 1.9], efforts: &[0.0, 0.0], qdd };
    // As many digits as are given.
    check("sliding_pendulum.toml", &[], &[row], 1e-12);
}

/// A program of direct dynamics, with inputs for parameters, time, q, qd and efforts.
struct Motion {
    generated: Generated,
    parameters: Vec<f64>,
    coordinates: usize,
}

impl Motion {
    fn of(text: &str, formalism: Formalism) -> Motion {
        let tree = tree(text);
        let direct = Function::parse("direct", &tree).expect("a known function");
        let generated = generate(&tree, &direct, Some(formalism)).expect("an open tree");
        let parameters = tree.mechanism.parameters.iter().map(|one| one.value).collect();
        Motion { generated, parameters, coordinates: tree.q.len() }
    }

    /// The state after some steps of the classical Runge-Kutta method; `rates` gives the derivatives of q.
    fn run(
        &self,
        start: &[f64],
        step: f64,
        steps: usize,
        rates: fn(&[f64], &[f64]) -> Vec<f64>,
    ) -> Vec<f64> {
        let interpreter = Interpreter::new(&self.generated.program).expect("a valid program");
        let mut workspace = interpreter.workspace();
        let mut setup = false;
        let mut derivative = |state: &[f64]| {
            let speeds = state.len() - self.coordinates;
            let mut inputs = self.parameters.clone();
            inputs.push(0.0);
            inputs.extend(state);
            inputs.extend(vec![0.0; speeds]);
            if !setup {
                interpreter.setup(&mut workspace, &inputs, &mut NoExternals).expect("all inputs");
                setup = true;
            }
            let mut qdd = vec![0.0; speeds];
            let done = interpreter.evaluate(&mut workspace, &inputs, &mut qdd, &mut NoExternals);
            done.expect("all inputs");
            let (q, qd) = state.split_at(self.coordinates);
            [rates(q, qd), qdd].concat()
        };
        let mut state = start.to_vec();
        let ahead = |state: &[f64], rate: &[f64], by: f64| -> Vec<f64> {
            state.iter().zip(rate).map(|(value, rate)| value + by * rate).collect()
        };
        for _ in 0..steps {
            let a = derivative(&state);
            let b = derivative(&ahead(&state, &a, step / 2.0));
            let c = derivative(&ahead(&state, &b, step / 2.0));
            let d = derivative(&ahead(&state, &c, step));
            for (at, value) in state.iter_mut().enumerate() {
                *value += step / 6.0 * (a[at] + 2.0 * b[at] + 2.0 * c[at] + d[at]);
            }
        }
        state
    }
}

#[test]
fn five_pendulums_fall() {
    let text = example("n_pendulum_8.toml");
    let end = text.find("[[body]]\nname = \"link6\"").expect("the sixth link");
    for formalism in [Classical, OrderN] {
        let motion = Motion::of(&text[..end], formalism);
        let mut start = vec![0.0; 10];
        start[0] = std::f64::consts::FRAC_PI_2;
        let found = motion.run(&start, 1e-3, 1000, |_, qd| qd.to_vec());
        agree(formalism.name(), &found, FIVE_PENDULUMS, 1e-7);
    }
}

#[test]
fn the_heavy_top_turns() {
    for formalism in [Classical, OrderN] {
        let motion = Motion::of(&example("heavy_top.toml"), formalism);
        let start = [1.0, 0.0, 0.0, 0.0, 0.0, 150.0, -4.61538];
        let rates = |q: &[f64], w: &[f64]| {
            vec![
                -(q[1] * w[0] + q[2] * w[1] + q[3] * w[2]) / 2.0,
                (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) / 2.0,
                (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]) / 2.0,
                (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) / 2.0,
            ]
        };
        let found = motion.run(&start, 2e-5, 10_000, rates);
        agree(formalism.name(), &found, HEAVY_TOP, 1e-8);
    }
}

/// After one second.
const FIVE_PENDULUMS: &[f64] = &[
    0.22346841302285608,
    -0.008791576279783693,
    0.06562448537352795,
    -0.13736089387481323,
    0.4892990277901268,
    -0.945356269315991,
    -0.8973799560160846,
    0.9005165020808779,
    -1.9670809264343478,
    -5.54654572900097,
];

/// After 0.2 seconds.
const HEAVY_TOP: &[f64] = &[
    -0.7082791529743125,
    0.4387810881265819,
    0.5457283961454177,
    0.08939975282400502,
    -2.6915909121434085,
    150.0,
    4.917260989893994,
];

const PUMA_WITH_ROTORS: &[Row] = &[
    Row {
        q: &[0.0, 0.7853981633974483, 3.141592653589793, 0.0, 0.7853981633974483, 0.0],
        qd: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        efforts: &[
            0.0,
            31.63988037835712,
            6.035138023010511,
            1.7299850543475169e-18,
            0.028252799999999995,
            0.0,
        ],
        qdd: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    },
    Row {
        q: &[0.0, 0.7853981633974483, 3.141592653589793, 0.0, 0.7853981633974483, 0.0],
        qd: &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        efforts: &[
            -1.3910743710831213,
            33.42279896769273,
            5.283111268052361,
            0.0012230818156597654,
            0.030632278489071817,
            0.00014828427124746277,
        ],
        qdd: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    },
    Row {
        q: &[0.0, 0.7853981633974483, 3.141592653589793, 0.0, 0.7853981633974483, 0.0],
        qd: &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        efforts: &[
            1.9620364869799045,
            37.7854298333113,
            6.673937322392119,
            0.1912661163825566,
            0.20582040960248654,
            0.19428107421049498,
        ],
        qdd: &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    },
    Row {
        q: &[-0.099, -1.961, 0.086, -1.413, -1.276, 0.249],
        qd: &[0.131, 0.376, 1.819, 1.964, -0.693, -1.19],
        efforts: &[
            -2.8521781473596124,
            -1.3209669593487408,
            9.3824024583333,
            -0.4899492535130273,
            0.2715216320013207,
            0.49243876986803004,
        ],
        qdd: &[-1.267, 1.379, 0.691, -2.409, 1.634, 2.537],
    },
    Row {
        q: &[-1.337, -1.125, -1.584, -1.242, -0.31, -1.05],
        qd: &[-0.84, -0.611, 1.323, 0.588, 0.158, -1.588],
        efforts: &[
            -5.183039500895695,
            6.226409812949534,
            0.31921229213047075,
            0.42033159255519903,
            -0.16958342846423574,
            -0.2695287251793487,
        ],
        qdd: &[-1.308, -2.234, -1.167, 2.182, -0.934, -1.389],
    },
    Row {
        q: &[-0.466, 0.699, 1.784, -0.35, 1.244, 1.076],
        qd: &[1.859, -0.166, -0.756, 0.565, 0.218, -1.495],
        efforts: &[
            7.463585567357203,
            23.98036680475233,
            -4.086779615197895,
            0.5027348506034665,
            -0.17921494576252817,
            -0.43704871526155237,
        ],
        qdd: &[2.358, 0.143, 1.531, 2.637, -1.153, -2.251],
    },
];

const PUMA: &[Row] = &[
    Row {
        q: &[0.0, 0.7853981633974483, 3.141592653589793, 0.0, 0.7853981633974483, 0.0],
        qd: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        efforts: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        qdd: &[
            -2.1191768998148097,
            -15.36276575005273,
            -1.2577008154280147,
            -3.099143937885935,
            15.350462532808017,
            2.1914256943523243,
        ],
    },
    Row {
        q: &[0.0, 0.7853981633974483, 3.141592653589793, 0.0, 0.7853981633974483, 0.0],
        qd: &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        efforts: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        qdd: &[
            -1.9500288219706867,
            -16.749083089771798,
            2.152666454530075,
            -3.5015022022242794,
            8.878001440159146,
            -1.231170829654151,
        ],
    },
    Row {
        q: &[0.0, 0.7853981633974483, 3.141592653589793, 0.0, 0.7853981633974483, 0.0],
        qd: &[1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
        efforts: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        qdd: &[
            -1.9500288219706867,
            -16.749083089771798,
            2.152666454530075,
            -3.5015022022242794,
            8.878001440159146,
            -1.231170829654151,
        ],
    },
    Row {
        q: &[-0.099, -1.961, 0.086, -1.413, -1.276, 0.249],
        qd: &[0.131, 0.376, 1.819, 1.964, -0.693, -1.19],
        efforts: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        qdd: &[
            -2.4583008597375655,
            9.238499640784475,
            -31.517944603291774,
            -3.1351348141467983,
            9.062910698101488,
            23.054994648020966,
        ],
    },
    Row {
        q: &[-1.337, -1.125, -1.584, -1.242, -0.31, -1.05],
        qd: &[-0.84, -0.611, 1.323, 0.588, 0.158, -1.588],
        efforts: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        qdd: &[
            2.9968801857803644,
            -10.7777301507101,
            12.213580467609201,
            3.015641809210081,
            6.350008926126634,
            -0.35141649636779543,
        ],
    },
    Row {
        q: &[-0.466, 0.699, 1.784, -0.35, 1.244, 1.076],
        qd: &[1.859, -0.166, -0.756, 0.565, 0.218, -1.495],
        efforts: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        qdd: &[
            -3.8457222614616833,
            -18.776541589819303,
            16.27021858491986,
            -5.135355286475634,
            -23.756267641776198,
            -0.8284480700806112,
        ],
    },
];

const KUKA: &[Row] = &[
    Row {
        q: &[
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
        ],
        qd: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        efforts: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        qdd: &[
            14.977249361669662,
            16.1597688930616,
            -24.9735435566684,
            37.01396162332455,
            4.280852441410206,
            45.243598167773165,
            18.735057970794482,
        ],
    },
    Row {
        q: &[
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
        ],
        qd: &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
        efforts: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        qdd: &[
            14.818639736425979,
            16.08662929793889,
            -25.031342002750772,
            36.780372930823326,
            4.475267452290942,
            45.066973830675046,
            19.152930044317667,
        ],
    },
    Row {
        q: &[
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
            0.5235987755982988,
            1.0471975511965976,
        ],
        qd: &[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7],
        efforts: &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        qdd: &[
            14.818639736425979,
            16.08662929793889,
            -25.031342002750772,
            36.780372930823326,
            4.475267452290942,
            45.066973830675046,
            19.152930044317667,
        ],
    },
];
